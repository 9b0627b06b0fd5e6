/* SPDX-License-Identifier: MIT */
/* Queries that fail say which argument is wrong and why, and leave the error alone when they run. */
#include "abut/abut.h"

#include "support/test.h"

static abut_shape *ball, *crate;
static abut_error error;

static int set_up(void **state)
{
    (void)state;
    return abut_shape_create_sphere(1, NULL, &ball) ||
           abut_shape_create_box((abut_vec3){ 1, 1, 1 }, NULL, &crate);
}

static int tear_down(void **state)
{
    (void)state;
    abut_shape_release(ball);
    abut_shape_release(crate);
    return 0;
}

static void expect(abut_status found, abut_status status, const char *path, const char *text)
{
    TEST_CHECK(found == status && error.status == status, "%s: status %d, in the error %d", path, (int)found,
               (int)error.status);
    TEST_CHECK(strcmp(error.path, path) == 0, "path '%s', expected '%s'", error.path, path);
    TEST_CHECK(strstr(error.text, text) != NULL, "%s: text '%s', expected '%s'", path, error.text, text);
    memset(&error, 0, sizeof error);
}

static const abut_pose far_off = { { INFINITY, 0, 0 }, { 1, 0, 0, 0 } },
                       unturned = { { 0, 0, 0 }, { 0, 0, 0, 0 } };

static void at_one_instant(void **state)
{
    (void)state;
    abut_check_opts c;
    abut_check_result r;
    abut_check_opts_init(&c);
    c.error = &error;
    expect(abut_check(NULL, NULL, crate, NULL, &c, NULL, &r), ABUT_ERR_ARGUMENT, "a", "no shape");
    expect(abut_check(ball, NULL, NULL, NULL, &c, NULL, &r), ABUT_ERR_ARGUMENT, "b", "no shape");
    expect(abut_check(ball, &far_off, crate, NULL, &c, NULL, &r), ABUT_ERR_ARGUMENT, "pose_a.position",
           "finite");
    expect(abut_check(ball, NULL, crate, &unturned, &c, NULL, &r), ABUT_ERR_ARGUMENT, "pose_b.rotation",
           "zero");
    expect(abut_check(ball, NULL, crate, NULL, &c, NULL, NULL), ABUT_ERR_ARGUMENT, "out", "nowhere");
    c.max_contacts = 99;
    expect(abut_check(ball, NULL, crate, NULL, &c, NULL, &r), ABUT_ERR_ARGUMENT, "opts.max_contacts", "8");
    c.max_contacts = 0;
    c.relative = -1;
    expect(abut_check(ball, NULL, crate, NULL, &c, NULL, &r), ABUT_ERR_ARGUMENT, "opts.relative", "0");
    c.relative = 0;
    assert_int_equal(abut_check(ball, NULL, crate, NULL, &c, NULL, &r), ABUT_OK);
    assert_int_equal(error.status, ABUT_OK);

    abut_distance_opts d;
    abut_distance_result dr;
    abut_distance_opts_init(&d);
    d.error = &error;
    expect(abut_distance(ball, &unturned, crate, NULL, &d, NULL, &dr), ABUT_ERR_ARGUMENT, "pose_a.rotation",
           "zero");
    d.cutoff = NAN;
    expect(abut_distance(ball, NULL, crate, NULL, &d, NULL, &dr), ABUT_ERR_ARGUMENT, "opts.cutoff", "number");

    abut_overlap_opts o;
    abut_overlap_result or ;
    abut_overlap_opts_init(&o);
    o.error = &error;
    o.clearance = -1;
    expect(abut_overlap(ball, NULL, crate, NULL, &o, NULL, & or), ABUT_ERR_ARGUMENT, "opts.clearance",
           "at least 0");
}

/* A caller with an older header has no error to fill. */
static void older_options(void **state)
{
    (void)state;
    abut_overlap_opts o;
    abut_overlap_result r;
    abut_overlap_opts_init(&o);
    o.struct_size = offsetof(abut_overlap_opts, error);
    o.error = &error;
    memset(&error, 0, sizeof error);
    assert_int_equal(abut_overlap(NULL, NULL, crate, NULL, &o, NULL, &r), ABUT_ERR_ARGUMENT);
    assert_int_equal(error.status, ABUT_OK);
}

static void over_time(void **state)
{
    (void)state;
    abut_motion *move = NULL, *later = NULL, *broken = NULL;
    const abut_placement from = { .position = { -5, 0, 0 } };
    const abut_placement to = { .position = { 5, 0, 0 } };
    const char *const path[3] = { "1/(t-0.5)", "0", "0" };
    assert_int_equal(abut_motion_create_linear(0, 1, &from, &to, NULL, &move, NULL), ABUT_OK);
    assert_int_equal(abut_motion_create_linear(2, 3, &from, &to, NULL, &later, NULL), ABUT_OK);
    assert_int_equal(
        abut_motion_create_expression(0, 1, path, (abut_vec3){ 0, 0, 1 }, NULL, NULL, &broken, NULL),
        ABUT_OK);
    abut_check_opts c;
    abut_check_result cr;
    abut_check_opts_init(&c);
    c.error = &error;
    expect(abut_check_at(ball, move, crate, NULL, 7, &c, NULL, &cr), ABUT_ERR_ARGUMENT, "motion_a",
           "outside");
    expect(abut_check_at(ball, move, crate, NULL, NAN, &c, NULL, &cr), ABUT_ERR_ARGUMENT, "time", "number");

    abut_first_opts f;
    abut_first_result r;
    abut_intervals_result ir;
    abut_first_opts_init(&f);
    f.error = &error;
    expect(abut_first_contact(ball, move, crate, later, &f, NULL, &r), ABUT_ERR_ARGUMENT, "motion_b",
           "in common");
    expect(abut_first_contact(ball, broken, crate, NULL, &f, NULL, &r), ABUT_ERR_VALUE, "motion_a", "0.5");
    f.simultaneity = -1;
    expect(abut_contact_intervals(ball, move, crate, NULL, &f, NULL, NULL, 0, &ir), ABUT_ERR_ARGUMENT,
           "opts.simultaneity", "at least 0");
    f.simultaneity = 0;
    f.time = (abut_interval){ 0, 5 };
    expect(abut_first_contact(ball, move, crate, NULL, &f, NULL, &r), ABUT_ERR_ARGUMENT, "motion_a",
           "within");

    abut_shape *half = NULL;
    assert_int_equal(abut_shape_create_halfspace((abut_vec3){ 0, 0, 1 }, 0, NULL, &half), ABUT_OK);
    f.time = (abut_interval){ 0, 1 };
    const abut_affine twice = { .linear = { { { 2, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } };
    abut_motion *stretched = NULL;
    assert_int_equal(abut_motion_create_static_affine(&twice, NULL, &stretched, NULL), ABUT_OK);
    expect(abut_first_contact(half, move, half, stretched, &f, NULL, &r), ABUT_ERR_UNSUPPORTED, "",
           "halfspace (linear)");
    const abut_body bodies[2] = { { half, move }, { half, stretched } },
                    none[2] = { { NULL, NULL }, { half, NULL } };
    const uint32_t pairs[2] = { 0, 1 };
    abut_set_result sr;
    expect(abut_first_contact_set(bodies, 2, pairs, 1, &f, NULL, NULL, 0, &sr), ABUT_ERR_UNSUPPORTED, "",
           "halfspace (linear)");
    expect(abut_first_contact_set(none, 2, pairs, 1, &f, NULL, NULL, 0, &sr), ABUT_ERR_ARGUMENT, "bodies",
           "no shape");
    abut_shape_release(half);
    abut_motion_release(stretched);
    abut_motion_release(move);
    abut_motion_release(later);
    abut_motion_release(broken);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(at_one_instant), cmocka_unit_test(older_options),
                                        cmocka_unit_test(over_time) };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
