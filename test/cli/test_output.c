/* SPDX-License-Identifier: MIT */
/* Exit codes, which of the two streams carries what, output that cannot be written, standard
 * input, large scenes, and the tables for people, which are compared with test/cli/golden/.
 * After an intended change, run this program with ABUT_GOLDEN=write to write them anew, and read
 * the difference. */
#define _POSIX_C_SOURCE 200809L
#include "cli/run.h"

typedef struct outcome {
    const char *line;
    int code;
    bool prints;      /* on standard output */
    const char *says; /* on standard error; NULL: silent */
} outcome;

static const outcome outcomes[] = {
    { "check @balls", 0, true, NULL },
    { "check @balls --exit-code", 0, true, NULL },
    { "check @balls --exit-code --time 0.5", 1, true, NULL },
    { "check @still --exit-code", 1, true, NULL },
    { "check @still --exit-code --pair ball near", 0, true, NULL },
    { "check @still --exit-code --pair ball touching", 1, true, NULL },
    { "check @still --exit-code --pair ball deep --json", 1, true, NULL },
    { "first @balls", 0, true, NULL },
    { "first @balls --exit-code", 1, true, NULL },
    { "first @overlap --exit-code", 1, true, NULL },
    { "first @apart --exit-code", 0, true, NULL },
    { "first @apart --exit-code --json", 0, true, NULL },
    { "intervals @balls --exit-code", 1, true, NULL },
    { "intervals @apart --exit-code", 0, true, NULL },
    { "cast @balls --ray 0,1,9,0,0,-1 --exit-code", 1, true, NULL },
    { "cast @balls --ray 0,1,9,0,0,1 --exit-code", 0, true, NULL },
    { "classify @balls green --point 0,1,2 --exit-code", 1, true, NULL },
    { "classify @balls green --point 0,9,9 --exit-code", 0, true, NULL },
    { "check @single", 0, true, NULL },
    { "check @single --json", 0, true, NULL },
    { "info @single", 0, true, NULL },
    { "info @unsupported", 0, true, NULL },
    /* Not supported yet: named, with shapes and motions; first and cast have no answer without
     * it. */
    { "check @unsupported", 3, true,
      "ring (heightfield, affine) against block (heightfield): not supported yet" },
    { "check @unsupported --exit-code", 3, true, "not supported yet" },
    { "intervals @unsupported", 3, true,
      "ring (heightfield, affine) against block (heightfield): not supported yet" },
    { "intervals @unsupported --independent", 3, true, "not supported yet" },
    { "intervals %independent_ellipsoids --independent --exit-code", 1, true, NULL },
    { "first @unsupported", 3, false,
      "ring (heightfield, affine) against block (heightfield): not supported yet" },
    { "first @unsupported --json", 3, false, "not supported yet" },
    { "first @unsupported --pair ball other", 0, true, NULL },
    /* At rest. */
    { "first %ball_on_crate", 0, true, NULL },
    { "intervals %ball_on_crate --exit-code", 1, true, NULL },
    { "cast %ball_on_crate --ray 0,0,0,0,0,1", 0, true, NULL },
    { "cast @affine --ray 0,0,0,0,0,1", 3, false,
      "crate (heightfield, affine): cast with an affine placement" },
    { "classify @affine crate --point 0,0,0", 3, false,
      "classify with an affine placement is not supported yet" },
    { "classify @affine ball --point 0,0,0", 0, true, NULL },
    { "classify @affine egg --point 2,0,0", 0, true, NULL },
    { "check @affine --pair egg ball --exit-code", 0, true, NULL },
    { "check @affine", 3, true, "only spheres and ellipsoids are" },
    /* Placements and paths that queries cannot take: whose, what, when. A body that is never
     * asked about does no harm. */
    { "info @flat", 2, false,
      "flat.json: objects[0].pose: leaf (ellipsoid, affine): its placement is singular\n" },
    { "info @flat --names", 0, true, NULL },
    { "check @flat", 2, false, "leaf (ellipsoid, affine): its placement is singular\n" },
    { "first @flat", 2, false, "leaf (ellipsoid, affine): its placement is singular\n" },
    { "intervals @flat", 2, false, "leaf (ellipsoid, affine): its placement is singular\n" },
    { "cast @flat --ray 0,0,-9,0,0,1", 2, false, "leaf (ellipsoid, affine): its placement is singular\n" },
    { "classify @flat leaf --point 0,0,0", 2, false,
      "leaf (ellipsoid, affine): its placement is singular\n" },
    { "info @flattened", 0, true, NULL },
    { "check @flattened", 0, true, NULL },
    { "check @flattened --time 0.5", 2, false,
      "dough (ellipsoid, affine): its placement is singular at time 0.5\n" },
    { "first @flattened", 2, false,
      "flattened.json: objects[0].motion: dough (ellipsoid, affine): its placement is singular at time "
      "0.5\n" },
    { "first @flattened --pair ball other", 0, true, NULL },
    { "intervals @flattened", 2, false,
      "dough (ellipsoid, affine): its placement is singular at time 0.5\n" },
    { "cast @flattened --time 0.5 --ray 0,0,-9,0,0,1", 2, false,
      "dough (ellipsoid, affine): its placement is singular at time 0.5\n" },
    { "classify @flattened dough --time 0.5 --point 0,0,0", 2, false,
      "dough (ellipsoid, affine): its placement is singular at time 0.5\n" },
    { "intervals @kicked", 2, false,
      "ball (sphere, expression): its velocity is not bounded at time 0.25\n" },
    /* Bad scenes: file, line and path. */
    { "check @bad_radius", 2, false, "bad_radius.json:4: objects[0].shape.radius: " },
    { "info @bad_radius", 2, false, "bad_radius.json:4: objects[0].shape.radius: " },
    { "first @bad_syntax --json", 2, false, "bad_syntax.json:4: " },
    { "first @method", 2, false,
      "method.json:7: query.method: there is no method 'magic'; there are: auto, advancement, raycast, "
      "halving, brent, "
      "shooting, sampled\n" },
    { "first @balls --method magic", 2, false,
      "there are: auto, advancement, raycast, halving, brent, shooting, sampled\n" },
    { "first @method --method auto", 2, false, "query.method: there is no method 'magic'" },
};

static void every_outcome(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof outcomes / sizeof outcomes[0]; ++i) {
        const outcome *const o = &outcomes[i];
        run_result r = run_line(o->line);
        run_expect(o->line, &r, o->code);
        TEST_CHECK((r.out_length > 0) == o->prints, "abut %s: standard output: %s", o->line, r.out);
        if (o->says)
            TEST_CHECK(strncmp(r.err, "abut: ", 6) == 0 && strstr(r.err, o->says), "abut %s: %s", o->line,
                       r.err);
        else
            TEST_CHECK(r.err[0] == 0, "abut %s: standard error: %s", o->line, r.err);
        run_free(&r);
    }
}

static void output_that_cannot_be_written(void **state)
{
    (void)state;
    static const char *const lines[] = { "check @balls --json", "first @balls", "--help", "--version",
                                         "info @balls" };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i) {
        const run_setup full = { .out_to = "/dev/full" }, closed = { .close_out = true };
        run_result r = run_with(&full, lines[i]);
        run_expect(lines[i], &r, 3);
        TEST_CHECK(strstr(r.err, "cannot write"), "%s", r.err);
        run_free(&r);
        r = run_with(&closed, lines[i]);
        run_expect(lines[i], &r, 3);
        run_free(&r);

        /* A pipe that nobody reads: the signal by default, an error where the parent ignores it. */
        int pipe_ends[2];
        assert_int_equal(pipe(pipe_ends), 0);
        close(pipe_ends[0]);
        run_setup broken = { .out_fd = pipe_ends[1] };
        r = run_with(&broken, lines[i]);
        TEST_CHECK(r.signal == SIGPIPE && r.err[0] == 0, "exit %d, signal %d, %s", r.code, r.signal, r.err);
        run_free(&r);
        broken.ignore_sigpipe = true;
        r = run_with(&broken, lines[i]);
        run_expect(lines[i], &r, 3);
        run_free(&r);
        close(pipe_ends[1]);
    }
}

static char *read_file(const char *name)
{
    FILE *const file = fopen(name, "rb");
    if (!file)
        return NULL;
    char *const text = run_read_back(file, NULL);
    fclose(file);
    return text;
}

static void standard_input_is_a_scene(void **state)
{
    (void)state;
    char *const scene = read_file(ABUT_TEST_DATA "/cli/scenes/balls.json");
    const run_setup piped = { .input = scene }, empty = { .input = "" },
                    broken = { .input = "{\n\"abut\": 2}" };
    run_result file = run_line("first @balls --json"), input = run_with(&piped, "first - --json");
    run_expect("first -", &input, 0);
    assert_string_equal(input.out, file.out);
    run_free(&input);
    run_free(&file);
    input = run_with(&piped, "first --json -- -");
    run_expect("first -- -", &input, 0);
    run_free(&input);
    input = run_with(&empty, "check -");
    run_expect("check - (empty)", &input, 2);
    TEST_CHECK(strncmp(input.err, "abut: <stdin>", 13) == 0, "%s", input.err);
    run_free(&input);
    input = run_with(&broken, "check -");
    run_expect("check - (version 2)", &input, 2);
    TEST_CHECK(strncmp(input.err, "abut: <stdin>:2: ", 17) == 0, "%s", input.err);
    run_free(&input);
    free(scene);
}

/* 300 balls in a row, each touching the next: 44850 pairs, 299 of which touch. */
static void large_scenes_work(void **state)
{
    (void)state;
    enum { BALLS = 300 };
    char *const scene = malloc(200 * BALLS + 200);
    assert_non_null(scene);
    size_t n = (size_t)sprintf(scene, "{\"abut\":1,\"objects\":[");
    for (int i = 0; i < BALLS; ++i)
        n += (size_t)sprintf(
            scene + n,
            "%s{\"name\":\"ball "
            "%d\",\"shape\":{\"type\":\"sphere\",\"radius\":1},\"pose\":{\"position\":[%d,0,0]}}",
            i ? "," : "", i, 2 * i);
    sprintf(scene + n, "]}");
    const run_setup piped = { .input = scene };
    run_result r = run_with(&piped, "check - --json");
    run_expect("check of 300 balls", &r, 0);
    size_t touching = 0, separate = 0;
    /* Not by strstr, which under a sanitizer measures all the rest of the text at every call. */
    for (const char *c = r.out; *c; ++c) {
        if (*c != '"' || strncmp(c, "\"verdict\":\"", 11) != 0)
            continue;
        touching += strncmp(c + 11, "touching", 8) == 0;
        separate += strncmp(c + 11, "separate", 8) == 0;
    }
    assert_int_equal(touching, BALLS - 1);
    assert_int_equal(separate, BALLS * (BALLS - 1) / 2 - (BALLS - 1));
    run_free(&r);
    r = run_with(&piped, "check -");
    run_expect("table of 300 balls", &r, 0);
    run_free(&r);
    r = run_with(&piped, "info - --names");
    run_expect("names of 300 balls", &r, 0);
    assert_non_null(strstr(r.out, "\nball 299\n"));
    run_free(&r);
    free(scene);
}

/* Of many pairs without an answer a few are named, the rest counted. */
static void messages_do_not_flood(void **state)
{
    (void)state;
    char scene[8192];
    size_t n =
        (size_t)sprintf(scene, "{\"abut\":1,\"shapes\":{\"block\":{\"type\":\"heightfield\",\"columns\":2,"
                               "\"rows\":2,\"spacing\":[1,1],\"heights\":[0,0,0,0]}},"
                               "\"objects\":[");
    for (int i = 0; i < 20; ++i)
        n += (size_t)sprintf(scene + n,
                             "%s{\"name\":\"block %d\",\"shape\":\"block\",\"pose\":{\"matrix\":[[2,0,0,0],"
                             "[0,1,0,0],[0,0,1,0]]}}",
                             i ? "," : "", i);
    sprintf(scene + n, "]}");
    const run_setup piped = { .input = scene };
    run_result r = run_with(&piped, "check -");
    run_expect("check of 20 blocks", &r, 3);
    size_t lines = 0;
    for (const char *c = r.err; *c; ++c)
        lines += *c == '\n';
    assert_int_equal(lines, 11);
    assert_non_null(strstr(r.err, "and 180 more pairs"));
    run_free(&r);
}

typedef struct golden {
    const char *name, *line;
} golden;

static const golden goldens[] = {
    { "help", "help" },
    { "help_check", "help check" },
    { "check_balls", "check @balls --time 0.5" },
    { "check_still", "check @still" },
    { "check_unsupported", "check @unsupported" },
    { "check_within", "check @still --within 1.25" },
    { "check_names", "check @names" },
    { "check_single", "check @single" },
    { "first_balls", "first @balls --simultaneity 0.5" },
    { "first_apart", "first @apart" },
    { "first_overlap", "first @overlap" },
    { "first_simultaneous", "first @simultaneous" },
    { "intervals_balls", "intervals @balls" },
    { "intervals_unsupported", "intervals @unsupported" },
    { "cast_balls", "cast @balls --ray 0,1,12,0,0,-2" },
    { "cast_nothing", "cast @balls --ray 0,1,12,0,0,2" },
    { "classify_point", "classify @balls green --point 0,1,2.5" },
    { "classify_segment", "classify @balls green --segment 0,1,0,0,1,4" },
    { "info_still", "info @still" },
    { "info_mesh", "info test/cli/scenes/tetra.off" },
    { "crate_check", "check %ball_on_crate" },
    { "spheres_info", "info %moving_spheres" },
    { "spheres_first", "first %moving_spheres" },
    { "spheres_intervals", "intervals %moving_spheres" },
    { "ellipsoids_independent", "intervals %independent_ellipsoids --independent" },
    { "independent_unsupported", "intervals @unsupported --independent" },
    { "json_check_still", "check @still --json" },
};

/* The widths of enclosures may differ from one way of rounding to another: "(±3e-17)" becomes
 * "(±     )". */
static void blot_widths(char *text)
{
    for (char *c = text; (c = strstr(c, "(±")) != NULL;)
        for (c += strlen("(±"); *c && *c != ')'; ++c)
            *c = ' ';
}

/* How a hierarchy is laid out is no part of what is agreed. */
static void cut_hierarchy(char *text)
{
    char *const line = strstr(text, "\nhierarchy ");
    char *const end = line ? strchr(line + 1, '\n') : NULL;
    if (end)
        memmove(line + strlen("\nhierarchy"), end, strlen(end) + 1);
}

static void tables_are_as_agreed(void **state)
{
    (void)state;
    const char *const mode = getenv("ABUT_GOLDEN");
    const bool write = mode && strcmp(mode, "write") == 0;
    for (size_t i = 0; i < sizeof goldens / sizeof goldens[0]; ++i) {
        char name[512];
        snprintf(name, sizeof name, "%s/cli/golden/%s.txt", ABUT_TEST_DATA, goldens[i].name);
        run_result r = run_line(goldens[i].line);
        if (write) {
            FILE *const file = fopen(name, "wb");
            assert_non_null(file);
            fwrite(r.out, 1, r.out_length, file);
            fclose(file);
        }
        char *const expected = read_file(name);
        TEST_CHECK(expected, "%s is missing", name);
        blot_widths(expected);
        blot_widths(r.out);
        cut_hierarchy(expected);
        cut_hierarchy(r.out);
        TEST_CHECK(strcmp(r.out, expected) == 0, "abut %s prints\n%s\nexpected (%s)\n%s", goldens[i].line,
                   r.out, name, expected);
        free(expected);
        run_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_outcome),
        cmocka_unit_test(output_that_cannot_be_written),
        cmocka_unit_test(standard_input_is_a_scene),
        cmocka_unit_test(large_scenes_work),
        cmocka_unit_test(messages_do_not_flood),
        cmocka_unit_test(tables_are_as_agreed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
