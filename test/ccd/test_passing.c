/* SPDX-License-Identifier: MIT */
/* A point through a triangle, a segment across a segment, under straight and turning motions:
 * they meet for an instant. The second body is put where a point of the first is at a time drawn
 * before, so that they meet then if not earlier; or beside it, so that they do not. Where an
 * earlier contact is reported, the distance there says whether it is one. */
#include "abut/abut.h"
#include "math/vec3.h"
#include "support/test.h"

static abut_vec3 draw(test_random *r, double size)
{
    return abut_v3(size * test_uniform(r, -1, 1), size * test_uniform(r, -1, 1),
                   size * test_uniform(r, -1, 1));
}

static double distance_at(const abut_shape *a, const abut_motion *motion, const abut_shape *b, double t)
{
    abut_check_result check;
    assert_int_equal(abut_check_at(a, motion, b, NULL, t, NULL, NULL, &check), ABUT_OK);
    return check.distance.lo;
}

static void flat_bodies_pass_through_each_other(void **state)
{
    (void)state;
    const uint64_t count = test_count(3000);
    uint64_t hit = 0, free = 0;
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        const bool edges = test_below(&r, 2), turning = test_below(&r, 2), beside = test_below(&r, 3) == 0;
        const abut_pose start = { draw(&r, 2), { 1, test_uniform(&r, -1, 1), test_uniform(&r, -1, 1), 0 } };
        const abut_placement from = abut_placement_from_pose(start);
        abut_motion *motion;
        assert_int_equal(abut_motion_create_velocity(0, 1, &from, draw(&r, 4),
                                                     turning ? draw(&r, 2) : abut_v3(0, 0, 0), NULL, &motion,
                                                     NULL),
                         ABUT_OK);
        const abut_vec3 own[2] = { draw(&r, 0.5), draw(&r, 0.5) };
        const double part = test_uniform(&r, 0.2, 0.8), t = test_uniform(&r, 0.2, 0.8);
        const abut_vec3 met = edges ? abut_madd(own[0], part, abut_sub(own[1], own[0])) : own[0];
        abut_affine at;
        assert_int_equal(abut_motion_at(motion, t, &at), ABUT_OK);
        abut_vec3 there = abut_affine_apply(&at, met), d = draw(&r, 0.25), e = draw(&r, 0.25);
        if (beside) /* past an end of it */
            there = abut_madd(there, 4, d);
        const abut_vec3 triangle[3] = { abut_add(there, d), abut_add(there, e),
                                        abut_sub(there, abut_scale(0.75, abut_add(d, e))) };
        const abut_vec3 segment[2] = { abut_add(there, d), abut_madd(there, -0.75, d) };
        abut_shape *a, *b;
        assert_int_equal(abut_shape_create_convex(own, edges ? 2 : 1, 0, NULL, &a, NULL), ABUT_OK);
        assert_int_equal(
            abut_shape_create_convex(edges ? segment : triangle, edges ? 2 : 3, 0, NULL, &b, NULL), ABUT_OK);
        abut_first_result first;
        assert_int_equal(abut_first_contact(a, motion, b, NULL, NULL, NULL, &first), ABUT_OK);
        if (!beside) {
            TEST_CHECK(first.verdict == ABUT_FIRST_CONTACT && first.time.lo <= t + 1e-12 &&
                           first.time.hi - first.time.lo < 1e-6 && first.point_count == 1,
                       "seed %" PRIu64 ": verdict %d, [%.17g, %.17g] for %.17g", seed, (int)first.verdict,
                       first.time.lo, first.time.hi, t);
        }
        if (first.verdict == ABUT_FIRST_CONTACT) {
            ++hit;
            const double near = distance_at(a, motion, b, 0.5 * (first.time.lo + first.time.hi));
            TEST_CHECK(near < 1e-7, "seed %" PRIu64 ": %g apart at %.17g", seed, near, first.time.lo);
            const abut_vec3 n = first.points[0].normal;
            assert_true(fabs(abut_dot(n, n) - 1) < 1e-9);
        } else {
            assert_int_equal(first.verdict, ABUT_FIRST_SEPARATE);
            ++free;
            for (int i = 0; i <= 64; ++i)
                assert_true(distance_at(a, motion, b, i / 64.0) > 0);
        }
        abut_shape_release(a);
        abut_shape_release(b);
        abut_motion_release(motion);
    }
    assert_true(hit >= count / 2 && (count < 100 || free >= count / 8));
}

/* Parallel triangles that pass each other meet in all corners of what they share. */
static void parallel_triangles_meet_in_a_region(void **state)
{
    (void)state;
    const abut_vec3 small[3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } },
                    large[3] = { { -1, -1, 0 }, { 2, 0, 0 }, { 0, 2, 0 } };
    abut_shape *a, *b;
    assert_int_equal(abut_shape_create_convex(small, 3, 0, NULL, &a, NULL), ABUT_OK);
    assert_int_equal(abut_shape_create_convex(large, 3, 0, NULL, &b, NULL), ABUT_OK);
    const abut_pose above = { { 0.1, 0.2, 3 }, { 1, 0, 0, 0 } };
    const abut_placement start = abut_placement_from_pose(above);
    abut_motion *fall;
    assert_int_equal(
        abut_motion_create_velocity(0, 1, &start, abut_v3(0, 0, -7), abut_v3(0, 0, 0), NULL, &fall, NULL),
        ABUT_OK);
    abut_first_opts opts;
    abut_first_result first;
    abut_first_opts_init(&opts);
    opts.separation = 4; /* corners only */
    assert_int_equal(abut_first_contact(a, fall, b, NULL, &opts, NULL, &first), ABUT_OK);
    assert_int_equal(first.verdict, ABUT_FIRST_CONTACT);
    assert_true(first.time.lo <= 3.0 / 7 && 3.0 / 7 <= first.time.hi && first.time.hi - first.time.lo < 1e-9);
    TEST_CHECK(first.point_count == 3 && first.points[0].kind == ABUT_CONTACT_SAMPLED &&
                   first.points[0].normal.z < -0.999,
               "%zu points", first.point_count);
    abut_motion_release(fall);
    abut_shape_release(a);
    abut_shape_release(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(flat_bodies_pass_through_each_other),
                                        cmocka_unit_test(parallel_triangles_meet_in_a_region) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
