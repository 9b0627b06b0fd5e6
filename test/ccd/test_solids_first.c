/* SPDX-License-Identifier: MIT */
/* First contact and intervals of CAD solids, with times that can be worked out by hand. */
#include "abut/abut.h"
#include "support/failing_allocator.h"
#include "support/test.h"

#include <math.h>

static abut_shape *make_plate(const abut_allocator *alloc)
{
    const abut_profile_vertex outer[] = { { -3, -2, 0 }, { 3, -2, 0 }, { 3, 2, 0 }, { -3, 2, 0 } };
    const abut_profile_vertex corners[] = { { 0.5, 0, -1 }, { -0.5, 0, -1 } };
    const abut_profile_loop loop = { outer, 4 }, hole = { corners, 2 };
    abut_shape *shape = NULL;
    (void)abut_shape_create_extrude(&loop, &hole, 1, 1, 0, alloc, &shape, NULL);
    return shape;
}

static abut_shape *make_bolt(const abut_allocator *alloc)
{
    const abut_profile_vertex v[] = { { 0, -1, 0 },  { 0.45, -1, 0 }, { 0.45, 1, 0 },
                                      { 0.8, 1, 0 }, { 0.8, 1.5, 0 }, { 0, 1.5, 0 } };
    const abut_profile_loop loop = { v, 6 };
    abut_shape *shape = NULL;
    (void)abut_shape_create_revolve(&loop, 0, alloc, &shape, NULL);
    return shape;
}

static abut_motion *move(abut_vec3 from, abut_vec3 to, const abut_allocator *alloc)
{
    const abut_placement a = { .position = from }, b = { .position = to };
    abut_motion *motion = NULL;
    (void)abut_motion_create_linear(0, 1, &a, &b, alloc, &motion, NULL);
    return motion;
}

static void expect_time(const abut_shape *a, abut_motion *motion, const abut_shape *b, double time)
{
    abut_first_result r;
    for (int swapped = 0; swapped < 2; ++swapped) {
        assert_int_equal(swapped ? abut_first_contact(b, NULL, a, motion, NULL, NULL, &r)
                                 : abut_first_contact(a, motion, b, NULL, NULL, NULL, &r),
                         ABUT_OK);
        assert_int_equal(r.verdict, ABUT_FIRST_CONTACT);
        if (!(r.time.lo <= time && time <= r.time.hi && r.time.hi - r.time.lo < 1e-8))
            print_message("[%.17g, %.17g] should hold %.17g\n", r.time.lo, r.time.hi, time);
        assert_true(r.time.lo <= time && time <= r.time.hi);
        assert_true(r.time.hi - r.time.lo < 1e-8);
    }
    abut_motion_release(motion);
}

static void by_hand(void **state)
{
    (void)state;
    abut_shape *plate = make_plate(NULL), *bolt = make_bolt(NULL), *ball;
    abut_shape_create_sphere(0.75, NULL, &ball);
    /* The head of the bolt comes down on the plate around its hole; its shank misses the hole by the
     * offset; a ball from the side. */
    expect_time(bolt, move((abut_vec3){ 0, 0, 3 }, (abut_vec3){ 0, 0, -1 }, NULL), plate, 0.75);
    expect_time(bolt, move((abut_vec3){ 0.2, 0, 4 }, (abut_vec3){ 0.2, 0, 0 }, NULL), plate, 0.5);
    expect_time(ball, move((abut_vec3){ 6, 0, 0.5 }, (abut_vec3){ 2, 0, 0.5 }, NULL), plate, 2.25 / 4);
    /* Passing by without contact. */
    abut_first_result r;
    abut_motion *by = move((abut_vec3){ -5, 0, 1.8 }, (abut_vec3){ 5, 0, 1.8 }, NULL);
    assert_int_equal(abut_first_contact(ball, by, plate, NULL, NULL, NULL, &r), ABUT_OK);
    assert_int_equal(r.verdict, ABUT_FIRST_SEPARATE);
    abut_motion_release(by);
    /* Through the plate, beside the hole: from 2.75 above its bottom to 0.75 below. */
    abut_motion *through = move((abut_vec3){ 2, 0, 3 }, (abut_vec3){ 2, 0, -2 }, NULL);
    abut_contact_interval intervals[4];
    abut_intervals_result found;
    assert_int_equal(abut_contact_intervals(ball, through, plate, NULL, NULL, NULL, intervals, 4, &found),
                     ABUT_OK);
    assert_int_equal(found.count, 1);
    assert_true(intervals[0].enter.lo <= 0.25 && 0.25 <= intervals[0].enter.hi);
    assert_true(intervals[0].exit.lo <= 0.75 && 0.75 <= intervals[0].exit.hi);
    assert_true(intervals[0].exit.hi - intervals[0].exit.lo < 1e-7);
    abut_motion_release(through);
    abut_shape_release(plate);
    abut_shape_release(bolt);
    abut_shape_release(ball);
}

static void memory_runs_out(void **state)
{
    (void)state;
    abut_status status = ABUT_OK;
    TEST_EVERY_ALLOCATION_FAILS(
        alloc,
        {
            abut_shape *bolt = make_bolt(&alloc);
            abut_motion *motion = move((abut_vec3){ 0, 0, 5 }, (abut_vec3){ 0, 0, 3 }, NULL);
            abut_first_result r;
            status = bolt ? abut_first_contact(bolt, motion, bolt, NULL, NULL, NULL, &r) : ABUT_ERR_MEMORY;
            abut_motion_release(motion);
            abut_shape_release(bolt);
        },
        status);
    assert_int_equal(status, ABUT_OK);
}

/* A ball slides into a ring of its radius: its distance falls with the square of time, and then they touch all around
 * for as long as it takes. What is not proved ends with the budget, which counts all that is spent. */
static void fits_into_a_ring(void **state)
{
    (void)state;
    const abut_profile_vertex v[] = { { 1, 0, 0 }, { 2, 0, 0 }, { 2, 1, 0 }, { 1, 1, 0 } };
    const abut_profile_loop loop = { v, 4 };
    abut_shape *ring = NULL, *ball = NULL;
    assert_int_equal(abut_shape_create_revolve(&loop, 0, NULL, &ring, NULL), ABUT_OK);
    assert_int_equal(abut_shape_create_sphere(1, NULL, &ball), ABUT_OK);
    abut_motion *motion = move((abut_vec3){ 0, 0, 4 }, (abut_vec3){ 0, 0, 0.5 }, NULL);
    abut_first_opts opts;
    abut_first_opts_init(&opts);
    opts.max_iterations = 500;
    abut_first_result r;
    assert_int_equal(abut_first_contact(ball, motion, ring, NULL, &opts, NULL, &r), ABUT_OK);
    assert_true(r.time.lo <= 6. / 7 && 6. / 7 <= r.time.hi);
    if (r.counters.evaluations > 500 * 3072)
        print_message("%llu evaluations\n", (unsigned long long)r.counters.evaluations);
    assert_true(r.counters.evaluations <= 500 * 3072);
    abut_motion_release(motion);
    abut_shape_release(ball);
    abut_shape_release(ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(by_hand), cmocka_unit_test(fits_into_a_ring),
                                        cmocka_unit_test(memory_runs_out) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
