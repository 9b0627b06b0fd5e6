/* SPDX-License-Identifier: MIT */
/* The command line: what is refused, with which words, and what is accepted. A refusal exits
 * with 2, says why on standard error, and prints nothing on standard output. */
#define _POSIX_C_SOURCE 200809L
#include "cli/run.h"

typedef struct bad_line {
    const char *line, *says;
} bad_line;

static const bad_line bad_lines[] = {
    { "", "usage: abut COMMAND" },
    { "chekc @balls", "did you mean 'check'?" },
    { "intervalls @balls", "did you mean 'intervals'?" },
    { "frist @balls", "did you mean 'first'?" },
    { "quux @balls", "there is no command 'quux'" },
    { "'' @balls", "there is no command ''" },
    { "help chekc", "did you mean 'check'?" },
    { "help check first", "one operand too many: 'first'" },
    { "check", "SCENE is missing" },
    { "check", "usage: abut check SCENE" },
    { "first", "SCENE is missing" },
    { "intervals --json", "SCENE is missing" },
    { "info", "SCENE is missing" },
    { "cast --ray 0,0,0,0,0,1", "SCENE is missing" },
    { "classify", "SCENE is missing" },
    { "classify @balls --point 0,0,0", "OBJECT is missing" },
    { "check @balls @balls", "one operand too many" },
    { "classify @balls red blue --point 0,0,0", "one operand too many: 'blue'" },
    { "check @balls --jsn", "did you mean '--json'?" },
    { "check @balls --tiem 1", "did you mean '--time'?" },
    { "check @balls --simultanity 1", "did you mean '--simultaneity'?" },
    { "check @balls --frobnicate", "there is no option '--frobnicate'" },
    { "check @balls -json", "did you mean '--json'?" },
    { "check @balls -x", "there is no option '-x'" },
    { "check @balls --=1", "there is no option '--'" },
    { "check @balls ---", "there is no option '---'" },
    { "check @balls --json=yes", "--json takes no value" },
    { "check @balls --stats=1", "--stats takes no value" },
    { "check @balls --time", "--time needs a value" },
    { "check @balls --time=", "--time needs a number, not ''" },
    { "check @balls --time ''", "--time needs a number, not ''" },
    { "check @balls --time --json", "--time needs a number, not '--json'" },
    { "check @balls --time 1x", "--time needs a number, not '1x'" },
    { "check @balls --time 1,5", "--time needs a number, not '1,5'" },
    { "check @balls --time nan", "--time needs a number" },
    { "check @balls --time inf", "--time needs a number" },
    { "check @balls --time 1e999", "--time needs a number" },
    { "check @balls --time ~1", "--time needs a number" },
    { "check @balls --time 1~", "--time needs a number" },
    { "check @balls --time 0 --time 1", "--time is given twice" },
    { "check @balls --time 2", "'red' moves from 0 to 1 only" },
    { "check @balls --time -0.001", "'red' moves from 0 to 1 only" },
    { "check @balls --contacts", "--contacts needs a value" },
    { "check @balls --contacts 0", "--contacts needs a whole number from 1, not '0'" },
    { "check @balls --contacts 1.5", "--contacts needs a whole number from 1, not '1.5'" },
    { "check @balls --self=1", "--self takes no value" },
    { "intervals @balls --self", "intervals does not take --self (it goes with: check, first)" },
    { "check @balls --pair red", "--pair needs two names" },
    { "check @balls --pair=red", "--pair needs two names" },
    { "check @balls --pair red gren", "did you mean 'green'?" },
    { "check @balls --pair xyzzy green", "there is no object 'xyzzy'" },
    { "check @balls --pair red red", "given as both objects" },
    { "check @balls --ray 0,0,0,0,0,1", "check does not take --ray (it goes with: cast)" },
    { "check @balls --point 0,0,0", "check does not take --point (it goes with: classify)" },
    { "first @balls --time 0",
      "first does not take --time (it goes with: check, cast, classify, view, draw)" },
    { "intervals @balls --names", "intervals does not take --names" },
    { "info @balls --exit-code", "info does not take --exit-code" },
    { "cast @balls --pair red green --ray 0,0,0,0,0,1", "cast does not take --pair" },
    { "cast @balls", "--ray is missing" },
    { "cast @balls --ray 0,0,0,0,0", "--ray needs six numbers" },
    { "cast @balls --ray 0,0,0,0,0,1,2", "--ray needs six numbers" },
    { "cast @balls --ray 0,0,0,0,0,", "--ray needs six numbers" },
    { "cast @balls --ray 0,0,0,0,0,x", "--ray needs six numbers" },
    { "cast @balls --ray 0;0;0;0;0;1", "--ray needs six numbers" },
    { "cast @balls --ray 0,0,0,0,0,inf", "--ray needs six numbers" },
    { "cast @balls --ray 0,0,0,0,0,1e400", "--ray needs six numbers" },
    { "cast @balls --ray 0,0,0,0,0,0", "the direction is zero" },
    { "cast @balls --ray 0,0,0,0,-0,0", "the direction is zero" },
    { "classify @balls red", "--point or --segment is missing" },
    { "classify @balls red --point 0,0", "--point needs three numbers" },
    { "classify @balls red --point 0,0,0,0", "--point needs three numbers" },
    { "classify @balls red --segment 0,0,0", "--segment needs six numbers" },
    { "classify @balls red --point 0,0,0 --segment 0,0,0,1,1,1", "exclude each other" },
    { "classify @balls rde --point 0,0,0", "did you mean 'red'?" },
    { "first @balls --simultaneity -1", "not negative" },
    { "first @balls --simultaneity nan", "not negative" },
    { "first @balls --separation=-1e-3", "not negative" },
    { "first @balls --accuracy x", "not negative" },
    { "check @balls --within -1", "not negative" },
    { "check @balls --within nan", "not negative" },
    { "first @balls --within 1", "--within" },
    { "check @balls --relative", "--relative needs a value" },
    { "check @balls --relative -0.5", "not negative" },
    { "check @balls --relative inf", "not negative" },
    { "cast @balls --ray 0,0,0,1,0,0 --relative 1", "cast does not take --relative (it goes with: check)" },
    { "first @balls --max-iterations 0", "a whole number from 1" },
    { "first @balls --max-iterations -5", "a whole number from 1" },
    { "first @balls --max-iterations 1.5", "a whole number from 1" },
    { "first @balls --max-iterations 99999999999999999999", "a whole number from 1" },
    { "first @balls --method magic", "--method: there is no method 'magic'" },
    { "first @balls --method ''", "--method: there is no method ''" },
    { "first @balls --method facetest", "--method: there is no method 'facetest'" },
    { "check @balls --method magic", "brent, shooting, sampled, search, facetest" },
    { "check missing.json", "missing.json" },
    { "check /", "/" },
    { "info missing.obj", "missing.obj" },
    { "info missing", "missing" },
    { "check -- --json", "--json" },
};

static void bad_lines_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_lines / sizeof bad_lines[0]; ++i) {
        run_result r = run_line(bad_lines[i].line);
        run_expect(bad_lines[i].line, &r, 2);
        TEST_CHECK(strstr(r.err, bad_lines[i].says), "abut %s: expected \"%s\" in: %s", bad_lines[i].line,
                   bad_lines[i].says, r.err);
        TEST_CHECK(r.out_length == 0, "abut %s: standard output: %s", bad_lines[i].line, r.out);
        TEST_CHECK(strncmp(r.err, "abut: ", 6) == 0 || strncmp(r.err, "usage: ", 7) == 0, "abut %s: %s",
                   bad_lines[i].line, r.err);
        run_free(&r);
    }
}

/* Each must give what the first of its group gives. */
static const char *const same_lines[][10] = {
    { "check @balls --time 0.5 --json", "check --time 0.5 --json @balls", "check --json @balls --time=0.5",
      "--json check @balls --time=5e-1", "--time 0.5 check --json @balls",
      "check --json --time 0.5 -- @balls", "check --json --json --time +0.5 @balls",
      "check @balls --time 0x1p-1 --json", "check @balls --json --time 0.5 --method auto --accuracy 1e-3",
      NULL },
    { "check @balls --json", "check @balls --json --time 0", "check @balls --json --time=-0.0", NULL },
    { "check @balls --pair red green --json", "check @balls --pair=red green --json",
      "check --pair red green @balls --json", "check @balls --pair red green --pair red green --json",
      "check @balls --pair red green --pair green red --json", NULL },
    { "cast @balls --ray 0,0,10,0,0,-1", "cast @balls --ray=0,0,10,0,0,-1",
      "cast @balls --ray 0,~0,10~,0,0,-1.0", "cast @balls --ray 0,0,1e1,0,0,-1 --time 0", NULL },
    { "help check", "check --help", "check -h", "--help check", "check --help @balls", NULL },
    { "help", "--help", "-h", "help help", "help --help", NULL },
    { "--version", "-V", "check --version", NULL },
};

static void spellings_agree(void **state)
{
    (void)state;
    for (size_t g = 0; g < sizeof same_lines / sizeof same_lines[0]; ++g) {
        run_result expected = run_line(same_lines[g][0]);
        run_expect(same_lines[g][0], &expected, 0);
        TEST_CHECK(expected.out_length > 0, "abut %s prints nothing", same_lines[g][0]);
        for (int i = 1; same_lines[g][i]; ++i) {
            run_result r = run_line(same_lines[g][i]);
            run_expect(same_lines[g][i], &r, 0);
            TEST_CHECK(strcmp(r.out, expected.out) == 0, "abut %s prints %s\nbut abut %s prints %s",
                       same_lines[g][i], r.out, same_lines[g][0], expected.out);
            run_free(&r);
        }
        run_free(&expected);
    }
}

/* Every command's help names its usage, and fits a terminal of 100 columns. */
static void help_is_there(void **state)
{
    (void)state;
    static const char *const commands[] = { "check", "first", "intervals", "cast", "classify", "info" };
    run_result overall = run_line("--help");
    run_expect("--help", &overall, 0);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; ++i) {
        char line[64], usage[64];
        snprintf(line, sizeof line, "help %s", commands[i]);
        snprintf(usage, sizeof usage, "usage: abut %s ", commands[i]);
        run_result r = run_line(line);
        run_expect(line, &r, 0);
        TEST_CHECK(strstr(overall.out, commands[i]), "the help does not name %s", commands[i]);
        TEST_CHECK(strstr(r.out, usage) && strstr(r.out, "--json") && strstr(r.out, "example:"), "%s", r.out);
        TEST_CHECK(r.err[0] == 0, "%s", r.err);
        for (char *row = strtok(r.out, "\n"); row; row = strtok(NULL, "\n"))
            TEST_CHECK(strlen(row) <= 100, "%zu columns: %s", strlen(row), row);
        run_free(&r);
    }
    run_free(&overall);
    run_result version = run_line("--version");
    TEST_CHECK(strncmp(version.out, "abut ", 5) == 0 && strchr(version.out, '.'), "%s", version.out);
    run_free(&version);
}

/* A locale with a decimal comma changes neither what is read nor what is printed. */
static void locale_does_not_matter(void **state)
{
    (void)state;
    run_result plain = run_line("check @balls --time 0.5 --json");
    setenv("LC_ALL", "de_DE.UTF-8", 1);
    run_result german = run_line("check @balls --time 0.5 --json");
    unsetenv("LC_ALL");
    assert_int_equal(german.code, 0);
    assert_string_equal(german.out, plain.out);
    run_free(&plain);
    run_free(&german);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_lines_are_refused),
        cmocka_unit_test(spellings_agree),
        cmocka_unit_test(help_is_there),
        cmocka_unit_test(locale_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
