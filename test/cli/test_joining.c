/* SPDX-License-Identifier: MIT */
/* How answers of many pairs join, with dictated answers (see fake_queries.c). The scenes have
 * three objects, hence three pairs; those of @near no bounds dismiss. */
#define _XOPEN_SOURCE 700
#include "cli/run.h"

#include <jansson.h>

/* Numbers of the enums, for ABUT_FAKE. */
#define UNDECIDED_TIME(lo, hi)   "0 " #lo " " #hi " 0 1 0"
#define UNDECIDED_BUDGET(lo, hi) "0 " #lo " " #hi " 0 2 0"
#define CONTACT(lo, hi)          "1 " #lo " " #hi " 2 0 1"
#define CONTACTS(lo, hi, n)      "1 " #lo " " #hi " 2 0 " #n
#define SEPARATE                 "2 0 0 3 0 0"
#define NO_TIME                  (double)NAN
#define OVERLAPPING              "3 0 0 3 0 1"

typedef struct joining {
    const char *fake, *options;
    int code;
    const char *verdict; /* NULL: nothing is printed */
    double lo, hi;       /* NaN: time is null */
    size_t contacts;
    const char *proof; /* NULL: absent */
} joining;

static const joining joinings[] = {
    { SEPARATE ";" SEPARATE ";" SEPARATE, "", 0, "separate", NO_TIME, NO_TIME, 0, "exact" },
    { CONTACT(0.5, 0.6) ";" SEPARATE ";" SEPARATE, "", 0, "contact", 0.5, 0.6, 1, "interval" },
    { CONTACT(0.5, 0.6) ";" CONTACT(0.25, 0.25) ";" SEPARATE, "", 0, "contact", 0.25, 0.25, 1, "interval" },
    /* Enclosures that overlap: the first contact is before the least end; both may be first. */
    { CONTACT(0.5, 0.7) ";" CONTACT(0.6, 0.65) ";" SEPARATE, "", 0, "contact", 0.5, 0.65, 2, "interval" },
    { CONTACT(0.5, 0.5) ";" CONTACT(0.625, 0.7) ";" SEPARATE, "--simultaneity 0.125", 0, "contact", 0.5, 0.5,
      2, "interval" },
    { CONTACT(0.5, 0.5) ";" CONTACT(0.626, 0.7) ";" SEPARATE, "--simultaneity 0.125", 0, "contact", 0.5, 0.5,
      1, "interval" },
    /* More points than a result holds. */
    { CONTACTS(0.5, 0.5, 20) ";" SEPARATE ";" SEPARATE, "", 0, "contact", 0.5, 0.5, 20, "interval" },
    /* An undecided pair that may be earlier, that may tie, that comes later. */
    { CONTACT(0.5, 0.6) ";" UNDECIDED_TIME(0.1, 0.2) ";" SEPARATE, "", 4, "undecided", 0.1, 0.6, 2, NULL },
    { CONTACT(0.5, 0.6) ";" UNDECIDED_TIME(0.6, 0.8) ";" SEPARATE, "", 4, "undecided", 0.5, 0.6, 2, NULL },
    { CONTACT(0.5, 0.6) ";" UNDECIDED_TIME(0.7, 0.8) ";" SEPARATE, "", 0, "contact", 0.5, 0.6, 1,
      "interval" },
    { CONTACT(0.5, 0.6) ";" UNDECIDED_BUDGET(0.7, 0.8) ";" SEPARATE, "", 0, "contact", 0.5, 0.6, 1,
      "interval" },
    /* Undecided for want of budget, or at the end of the arithmetic. */
    { CONTACT(0.5, 0.6) ";" UNDECIDED_BUDGET(0.1, 0.2) ";" SEPARATE, "", 4, "undecided", 0.1, 0.6, 2, NULL },
    { UNDECIDED_TIME(0.3, 0.4) ";" UNDECIDED_TIME(0.1, 0.2) ";" SEPARATE, "", 4, "undecided", 0.1, 0.4, 2,
      NULL },
    { UNDECIDED_BUDGET(0, 1) ";" SEPARATE ";" SEPARATE, "--exit-code", 4, "undecided", 0, 1, 1, NULL },
    /* Later than the first contact, but possibly simultaneous with it: the list may be
     * incomplete. */
    { CONTACT(0.5, 0.6) ";" UNDECIDED_BUDGET(0.7, 0.8) ";" SEPARATE, "--simultaneity 0.2", 4, "contact", 0.5,
      0.6, 2, "interval" },
    /* Nothing is earlier than the start. */
    { CONTACT(0, 0) ";" OVERLAPPING ";" UNDECIDED_BUDGET(0, 1), "", 0, "overlapping", 0, 0, 1, "exact" },
    { OVERLAPPING ";" OVERLAPPING ";" SEPARATE, "--exit-code", 1, "overlapping", 0, 0, 2, "exact" },
    { CONTACT(0.5, 0.6) ";" SEPARATE ";" SEPARATE, "--exit-code", 1, "contact", 0.5, 0.6, 1, "interval" },
    { UNDECIDED_TIME(0, 1) ";" SEPARATE ";" SEPARATE, "--exit-code", 4, "undecided", 0, 1, 1, NULL },
    /* No answer at all. */
    { CONTACT(0.5, 0.6) ";unsupported;" SEPARATE, "", 3, NULL, 0, 0, 0, NULL },
    { OVERLAPPING ";memory;" SEPARATE, "", 3, NULL, 0, 0, 0, NULL },
};

static void first_joins_the_pairs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof joinings / sizeof joinings[0]; ++i) {
        const joining *const j = &joinings[i];
        char line[256];
        snprintf(line, sizeof line, "first @near --json %s", j->options);
        setenv("ABUT_FAKE", j->fake, 1);
        run_result r = run_line(line);
        TEST_CHECK(r.code == j->code, "%s %s: exit %d, expected %d\n%s%s", j->fake, line, r.code, j->code,
                   r.out, r.err);
        TEST_CHECK((r.err[0] != 0) == (j->code >= 3), "%s %s: %s", j->fake, line, r.err);
        if (!j->verdict) {
            TEST_CHECK(r.out_length == 0, "%s: %s", j->fake, r.out);
            run_free(&r);
            continue;
        }
        json_t *const doc = json_loads(r.out, JSON_REJECT_DUPLICATES, NULL);
        TEST_CHECK(doc, "%s: %s", j->fake, r.out);
        const json_t *const time = json_object_get(doc, "time");
        const char *const proof = json_string_value(json_object_get(doc, "proof"));
        TEST_CHECK(strcmp(json_string_value(json_object_get(doc, "verdict")), j->verdict) == 0, "%s: %s",
                   j->fake, r.out);
        TEST_CHECK(isnan(j->lo) ? json_is_null(time)
                                : json_number_value(json_array_get(time, 0)) == j->lo &&
                                      json_number_value(json_array_get(time, 1)) == j->hi,
                   "%s: %s", j->fake, r.out);
        TEST_CHECK(json_array_size(json_object_get(doc, "contacts")) == j->contacts, "%s: %s", j->fake,
                   r.out);
        TEST_CHECK(j->proof ? proof && strcmp(proof, j->proof) == 0 : !proof, "%s: %s", j->fake, r.out);
        /* Ten a pair; pairs that cannot meet before what is known already are not asked. */
        const json_int_t iterations = json_integer_value(json_object_get(doc, "iterations"));
        TEST_CHECK(iterations > 0 && iterations <= 30 && iterations % 10 == 0, "%s: %s", j->fake, r.out);
        json_decref(doc);
        run_free(&r);

        snprintf(line, sizeof line, "first @near %s", j->options);
        r = run_line(line);
        TEST_CHECK(r.code == j->code && r.out_length > 0, "%s %s: %s", j->fake, line, r.out);
        run_free(&r);
    }
    unsetenv("ABUT_FAKE");
}

/* Infinities become null, undecided without proof has none, an undecided pair exits with 4 and
 * still prints. */
static void check_prints_what_is_known(void **state)
{
    (void)state;
    setenv("ABUT_FAKE", "0 0.5 inf 0 2 0;1 2 3 2 0 0;unsupported", 1);
    run_result r = run_line("check @balls --json --exit-code");
    run_expect("check", &r, 3);
    assert_non_null(strstr(r.out, "\"verdict\":\"undecided\",\"distance\":[0.5,null]"));
    assert_non_null(strstr(r.out, "\"verdict\":\"separate\",\"proof\":\"interval\",\"distance\":[2,3]"));
    assert_non_null(strstr(r.out, "\"unsupported\":["));
    assert_non_null(strstr(r.err, "red (sphere, linear) against green (sphere): undecided"));
    assert_non_null(strstr(r.err, "green (sphere) against blue (sphere): not supported yet"));
    json_t *const doc = json_loads(r.out, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(doc);
    json_decref(doc);
    run_free(&r);
    r = run_line("check @balls");
    assert_non_null(strstr(r.out, "≥ 0.5"));
    assert_non_null(strstr(r.out, "2 to 3"));
    run_free(&r);

    setenv("ABUT_FAKE", "0 nan nan 0 0 0", 1);
    r = run_line("check @balls --json");
    run_expect("check", &r, 4);
    assert_non_null(strstr(r.err, "undecided: too close to contact"));
    assert_non_null(strstr(r.out, "\"distance\":[null,null]"));
    assert_null(strstr(r.out, "nan"));
    run_free(&r);
    setenv("ABUT_FAKE", "1 2 3 2 0 0;memory", 1);
    r = run_line("check @balls --json");
    run_expect("check", &r, 3);
    assert_int_equal(r.out_length, 0);
    assert_non_null(strstr(r.err, "out of memory"));
    run_free(&r);
    unsetenv("ABUT_FAKE");
}

/* A thousand intervals of one pair are all printed. */
static void intervals_are_all_there(void **state)
{
    (void)state;
    setenv("ABUT_FAKE", "0 0 0 2 0 1000;0 0 0 2 0 3;0 0 0 1 2 2000", 1);
    run_result r = run_line("intervals @balls --json");
    run_expect("intervals", &r, 4);
    json_t *const doc = json_loads(r.out, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(doc);
    const json_t *const pairs = json_object_get(doc, "pairs");
    static const size_t counts[] = { 1000, 3, 2000 };
    for (size_t i = 0; i < 3; ++i)
        assert_int_equal(json_array_size(json_object_get(json_array_get(pairs, i), "intervals")), counts[i]);
    assert_string_equal(json_string_value(json_object_get(json_array_get(pairs, 2), "stop")), "budget");
    json_decref(doc);
    run_free(&r);
    unsetenv("ABUT_FAKE");
}

/* A run that lasts shows its progress on a terminal, and takes it away again; elsewhere it is
 * silent. */
static void progress_is_for_terminals(void **state)
{
    (void)state;
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0)
        skip();
    const int screen = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    if (screen < 0)
        skip();
    setenv("ABUT_FAKE", SEPARATE, 1);
    setenv("ABUT_FAKE_SLOW", "1", 1);
    run_result silent = run_line("first @near --json");
    const run_setup shown = { .err_fd = screen };
    run_result loud = run_with(&shown, "first @near --json");
    unsetenv("ABUT_FAKE_SLOW");
    unsetenv("ABUT_FAKE");
    char seen[4096] = "";
    const ssize_t length = read(terminal, seen, sizeof seen - 1);
    close(screen);
    close(terminal);
    run_expect("first", &silent, 0);
    run_expect("first", &loud, 0);
    assert_string_equal(silent.err, "");
    assert_string_equal(silent.out, loud.out);
    assert_true(length > 0);
    TEST_CHECK(strstr(seen, "abut: 3 pairs (") && strchr(seen, '%') && seen[length - 1] == '\r' &&
                   !strchr(seen, '\n'),
               "%s", seen);
    run_free(&silent);
    run_free(&loud);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_joins_the_pairs),
        cmocka_unit_test(check_prints_what_is_known),
        cmocka_unit_test(intervals_are_all_there),
        cmocka_unit_test(progress_is_for_terminals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
