/* SPDX-License-Identifier: MIT */
/* Queries that fail leave nothing in their result that reads like an answer, whatever was there
 * before: arguments that make no sense, poses that are no poses, combinations without a method,
 * searches that the caller ends. */
#include "abut/query.h"
#include "support/test.h"

#include <math.h>
#include <string.h>

enum { GARBAGE = 0x01 };

static abut_shape *box, *ball, *floor_, *ring, *long_hull;
static abut_motion *fall, *spin;

static int make_bodies(void **state)
{
    (void)state;
    const abut_vec3 spindle[4] = { { 0, 0, -1 }, { 0, 0.1, 1 }, { 0.3, 0, 0 }, { -0.2, -0.3, 0.1 } };
    const abut_placement high = { .position = { 0, 0, 5 } };
    assert_int_equal(abut_shape_create_box((abut_vec3){ 1, 1, 1 }, NULL, &box), ABUT_OK);
    assert_int_equal(abut_shape_create_sphere(1, NULL, &ball), ABUT_OK);
    assert_int_equal(abut_shape_create_halfspace((abut_vec3){ 0, 0, 1 }, 0, NULL, &floor_), ABUT_OK);
    assert_int_equal(abut_shape_create_torus(2, 0.5, NULL, &ring), ABUT_OK);
    assert_int_equal(abut_shape_create_convex(spindle, 4, 0, NULL, &long_hull, NULL), ABUT_OK);
    assert_int_equal(abut_motion_create_velocity(0, 1, &high, (abut_vec3){ 0, 0, -8 }, (abut_vec3){ 0, 0, 0 },
                                                 NULL, &fall, NULL),
                     ABUT_OK);
    assert_int_equal(abut_motion_create_velocity(0, 1, &high, (abut_vec3){ 0, 0.1, -8 },
                                                 (abut_vec3){ 1, 2, 3 }, NULL, &spin, NULL),
                     ABUT_OK);
    return 0;
}

static int release_bodies(void **state)
{
    (void)state;
    abut_shape *const shapes[] = { box, ball, floor_, ring, long_hull };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i)
        abut_shape_release(shapes[i]);
    abut_motion_release(fall);
    abut_motion_release(spin);
    return 0;
}

static const abut_pose no_pose = { { NAN, 0, 0 }, { 1, 0, 0, 0 } };

static void at_one_instant(void **state)
{
    (void)state;
    for (int i = 0; i < 4; ++i) { /* no shape, no pose, no pair, options of no size */
        const abut_shape *b = i == 0 ? NULL : i == 2 ? floor_ : box;
        const abut_pose *pose = i == 1 ? &no_pose : NULL;
        const abut_check_opts bare_check = { 0 };
        const abut_distance_opts bare_distance = { 0 };
        const abut_overlap_opts bare_overlap = { 0 };
        abut_check_result check;
        abut_distance_result distance;
        abut_overlap_result overlap, sweep;
        memset(&check, GARBAGE, sizeof check);
        memset(&distance, GARBAGE, sizeof distance);
        memset(&overlap, GARBAGE, sizeof overlap);
        memset(&sweep, GARBAGE, sizeof sweep);
        const abut_shape *a = i == 2 ? ring : box;
        if (abut_check(a, NULL, b, pose, i == 3 ? &bare_check : NULL, NULL, &check))
            assert_true(check.verdict == ABUT_UNDECIDED && !check.proof && !check.stop && !check.has_depth &&
                        !check.has_points && !check.has_normal && check.contact_count == 0);
        else
            assert_int_equal(i, 2);
        if (abut_distance(a, NULL, b, pose, i == 3 ? &bare_distance : NULL, NULL, &distance))
            assert_true(distance.verdict == ABUT_UNDECIDED && !distance.proof && !distance.stop &&
                        !distance.has_points && distance.distance.lo == 0 && distance.distance.hi == 0);
        else
            assert_int_equal(i, 2);
        if (abut_overlap(a, NULL, b, pose, i == 3 ? &bare_overlap : NULL, NULL, &overlap))
            assert_true(overlap.verdict == ABUT_UNDECIDED && !overlap.proof && !overlap.stop);
        else
            assert_int_equal(i, 2);
        const abut_vec3 by = { i == 3 ? NAN : 1, 0, 0 };
        assert_true(abut_sweep_overlap(a, NULL, b, pose, by, NULL, NULL, &sweep) != ABUT_OK);
        assert_true(sweep.verdict == ABUT_UNDECIDED && !sweep.proof && !sweep.stop);
    }
    abut_check_result check;
    memset(&check, GARBAGE, sizeof check);
    assert_int_equal(abut_check_at(box, fall, box, NULL, NAN, NULL, NULL, &check), ABUT_ERR_ARGUMENT);
    assert_true(check.verdict == ABUT_UNDECIDED && !check.proof && !check.has_points);
}

static void along_rays(void **state)
{
    (void)state;
    const abut_vec3 x = { 1, 0, 0 }, zero = { 0, 0, 0 };
    abut_ray_hit hits[4];
    abut_piece piece, pieces[4];
    size_t count = 7;
    assert_true(abut_cast_ray(box, NULL, zero, zero, hits, 4, &count) && count == 0);
    count = 7;
    assert_true(abut_cast_ray(box, &no_pose, zero, x, hits, 4, &count) && count == 0);
    count = 7;
    assert_true(abut_cast_line(NULL, NULL, zero, x, hits, 4, &count) && count == 0);
    count = 7;
    assert_true(abut_cast_ray_at(box, fall, NAN, zero, x, hits, 4, &count) && count == 0);
    count = 7;
    assert_true(abut_classify_segment(box, &no_pose, zero, x, pieces, 4, &count) && count == 0);
    count = 7;
    assert_true(abut_classify_segment_at(box, fall, INFINITY, zero, x, pieces, 4, &count) && count == 0);
    memset(&piece, GARBAGE, sizeof piece);
    assert_true(abut_classify_point(box, NULL, (abut_vec3){ NAN, 0, 0 }, &piece) &&
                piece.where == ABUT_WHERE_UNKNOWN && piece.id == -1);
    memset(&piece, GARBAGE, sizeof piece);
    assert_true(abut_classify_point_at(box, fall, NAN, zero, &piece) && piece.where == ABUT_WHERE_UNKNOWN &&
                piece.id == -1);
}

static bool refuse(void *ctx, double fraction)
{
    (void)fraction;
    ++*(int *)ctx;
    return false;
}

static void ended_by_the_caller(void **state)
{
    (void)state;
    int cancelled = 0;
    const abut_shape *const shapes[] = { box, ball, long_hull, ring };
    for (int i = 0; i < 2 * 4 * 4; ++i) {
        const abut_shape *a = shapes[i % 4], *b = shapes[i / 4 % 4];
        int calls = 0;
        abut_first_opts opts;
        abut_first_opts_init(&opts);
        opts.progress = refuse;
        opts.progress_ctx = &calls;
        opts.method = i / 16 == 0 || a == ring || b == ring ? ABUT_METHOD_AUTO : ABUT_METHOD_ADVANCEMENT;
        abut_first_result first;
        memset(&first, GARBAGE, sizeof first);
        abut_status status = abut_first_contact(a, spin, b, NULL, &opts, NULL, &first);
        if (status == ABUT_ERR_CANCELLED) {
            ++cancelled;
            assert_true(first.verdict == ABUT_FIRST_UNDECIDED && !first.proof && first.point_count == 0);
            assert_int_equal(first.stop, ABUT_STOP_CANCELLED);
        } else
            assert_int_equal(status, ABUT_OK);
        abut_contact_interval all[4];
        abut_intervals_result intervals;
        memset(&intervals, GARBAGE, sizeof intervals);
        status = abut_contact_intervals(a, spin, b, NULL, &opts, NULL, all, 4, &intervals);
        if (status == ABUT_ERR_CANCELLED) {
            ++cancelled;
            assert_true(!intervals.proof && intervals.count == 0);
            assert_int_equal(intervals.stop, ABUT_STOP_CANCELLED);
        } else
            assert_int_equal(status, ABUT_OK);
        const abut_body bodies[2] = { { a, spin }, { b, NULL } };
        abut_set_result set;
        memset(&set, GARBAGE, sizeof set);
        status = abut_first_contact_set(bodies, 2, NULL, 0, &opts, NULL, NULL, 0, &set);
        if (status == ABUT_ERR_CANCELLED) {
            ++cancelled;
            assert_true(set.verdict == ABUT_FIRST_UNDECIDED && !set.proof && set.point_count == 0);
            assert_int_equal(set.stop, ABUT_STOP_CANCELLED);
        } else
            assert_int_equal(status, ABUT_OK);
    }
    TEST_CHECK(cancelled > 20, "only %d searches asked whether to go on", cancelled);
}

static void over_time(void **state)
{
    (void)state;
    abut_first_opts opts;
    for (int i = 0; i < 4; ++i) {
        abut_first_opts_init(&opts);
        if (i == 0)
            opts.time = (abut_interval){ 1, 0 };
        if (i == 1)
            opts.accuracy = NAN;
        if (i == 2)
            opts.method = ABUT_METHOD_COUNT;
        if (i == 3)
            opts.struct_size = 0;
        abut_first_result first;
        memset(&first, GARBAGE, sizeof first);
        assert_int_equal(abut_first_contact(box, fall, box, NULL, &opts, NULL, &first), ABUT_ERR_ARGUMENT);
        assert_true(first.verdict == ABUT_FIRST_UNDECIDED && !first.proof && !first.stop &&
                    first.point_count == 0);
        abut_intervals_result intervals;
        memset(&intervals, GARBAGE, sizeof intervals);
        assert_int_equal(abut_contact_intervals(box, fall, box, NULL, &opts, NULL, NULL, 0, &intervals),
                         ABUT_ERR_ARGUMENT);
        assert_true(!intervals.proof && !intervals.stop && intervals.count == 0);
        const abut_body bodies[2] = { { box, fall }, { box, NULL } };
        abut_set_result set;
        memset(&set, GARBAGE, sizeof set);
        if (i != 2)
            assert_int_equal(abut_first_contact_set(bodies, 2, NULL, 0, &opts, NULL, NULL, 0, &set),
                             ABUT_ERR_ARGUMENT);
        assert_true(i == 2 || (!set.verdict && !set.proof && !set.stop && set.point_count == 0));
    }
}

/* Not a number from a time on. */
static double gap(void *ctx, double t)
{
    return t < *(const double *)ctx ? 0.7 - t : NAN;
}

static void tests_that_fail(void **state)
{
    (void)state;
    const double from[] = { 0, 0.3, 0.7001 }; /* at once; while sampling; while narrowing down */
    for (size_t i = 0; i < sizeof from / sizeof *from; ++i) {
        double until = from[i];
        abut_backtrack_result back;
        memset(&back, GARBAGE, sizeof back);
        const abut_status status = abut_backtrack(gap, &until, (abut_interval){ 0, 1 }, NULL, &back);
        assert_int_equal(status, ABUT_ERR_VALUE);
        assert_true(back.verdict == ABUT_FIRST_UNDECIDED && !back.proof && back.last_free == 0 &&
                    back.first_colliding == 0 && back.counters.evaluations > 0);
    }
    abut_backtrack_result back;
    memset(&back, GARBAGE, sizeof back);
    assert_int_equal(abut_backtrack(NULL, NULL, (abut_interval){ 0, 1 }, NULL, &back), ABUT_ERR_ARGUMENT);
    assert_true(back.verdict == ABUT_FIRST_UNDECIDED && !back.proof);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_one_instant),      cmocka_unit_test(along_rays),      cmocka_unit_test(over_time),
        cmocka_unit_test(ended_by_the_caller), cmocka_unit_test(tests_that_fail),
    };
    return cmocka_run_group_tests(tests, make_bodies, release_bodies);
}
