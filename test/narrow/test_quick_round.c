/* SPDX-License-Identifier: MIT */
/* The quick verdict on cylinders and cones against the referee of convex pairs: random places,
 * and pairs put a little apart or into each other along a direction of one of them, down to
 * where rounding decides; slim, flat, of different sizes, with axes that are parallel or at
 * right angles, with a clearance. It may say nothing, but not of most pairs. */
#include "narrow/quick/quick.h"
#include "oracle/convex_pair.h"
#include "support/test.h"

typedef struct item {
    abut_shape *shape;
    oracle_body body;
} item;

static void make(test_random *r, double scale, double octaves, item *out)
{
    const double radius = scale * exp2(-test_uniform(r, 0, octaves)),
                 half = scale * exp2(-test_uniform(r, 0, octaves));
    const bool cone = test_below(r, 2);
    out->body =
        (oracle_body){ .core = cone ? ORACLE_CORE_CONE : ORACLE_CORE_CYLINDER, .h = { radius, 0, half } };
    assert_int_equal(cone ? abut_shape_create_cone(radius, 2 * half, NULL, &out->shape)
                          : abut_shape_create_cylinder(radius, 2 * half, NULL, &out->shape),
                     ABUT_OK);
}

/* Any, or one with axes along axes, or nearly so. */
static abut_quat rotation(test_random *r)
{
    if (test_below(r, 3) == 0) {
        const double tilt = test_below(r, 2) ? 0 : test_log_uniform(r, -60, 0);
        static const abut_quat quarter[4] = {
            { 1, 0, 0, 0 }, { 1, 1, 0, 0 }, { 0, 1, 0, 0 }, { 1, 0, 1, 0 }
        };
        abut_quat q = quarter[test_below(r, 4)];
        q.y += tilt;
        q.z -= 0.5 * tilt;
        return q;
    }
    return (abut_quat){ test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1),
                        test_uniform(r, -1, 1) };
}

/* b so that the bodies touch along n, then moved by delta. */
static abut_vec3 place(const oracle_convex *pair, abut_vec3 n, long double delta)
{
    const long double length =
        sqrtl((long double)n.x * n.x + (long double)n.y * n.y + (long double)n.z * n.z);
    const long double to[3] = { n.x / length, n.y / length, n.z / length },
                      from[3] = { -to[0], -to[1], -to[2] };
    long double x[3], y[3];
    oracle_convex_support(pair->a, pair->pose_a.rotation, to, x);
    oracle_convex_support(pair->b, pair->pose_b.rotation, from, y);
    return (abut_vec3){ (double)(x[0] - y[0] + delta * to[0]), (double)(x[1] - y[1] + delta * to[1]),
                        (double)(x[2] - y[2] + delta * to[2]) };
}

static void judge(const oracle_convex *pair, const item *a, const item *b, double clearance, abut_vec3 hint,
                  uint64_t seed, uint64_t *decided)
{
    const abut_verdict v =
        abut_quick_overlap_round(a->shape, &pair->pose_a, b->shape, &pair->pose_b, clearance, NULL);
    *decided += v != ABUT_UNDECIDED;
    if (v == ABUT_UNDECIDED)
        return;
    const oracle_gap gap =
        oracle_convex_gap(pair, &hint, 1, ORACLE_QUICK, v == ABUT_SEPARATE ? clearance : -HUGE_VALL,
                          v == ABUT_SEPARATE ? HUGE_VALL : clearance);
    TEST_CHECK(v == ABUT_SEPARATE ? gap.hi > clearance : gap.lo < clearance,
               "seed %" PRIu64 ": %s, but the gap is in [%La, %La], clearance %a", seed, abut_verdict_name(v),
               gap.lo, gap.hi, clearance);
}

static void verdicts_are_right(void **state)
{
    (void)state;
    uint64_t near = 0;
    const uint64_t count = test_count(300000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        item a, b;
        const double octaves = test_below(&r, 2) ? 2 : 14;
        const double scale = ldexp(1, (int)test_below(&r, 41) - 20);
        make(&r, scale, octaves, &a);
        make(&r, test_below(&r, 4) ? scale : scale * fabs(test_log_uniform(&r, -12, 12)), octaves, &b);
        oracle_convex pair = {
            &a.body, &b.body, { { 0, 0, 0 }, rotation(&r) }, { { 0, 0, 0 }, rotation(&r) }
        };
        const double size = a.shape->core.size + b.shape->core.size;
        const abut_vec3 n = test_below(&r, 4) ? (abut_vec3){ test_uniform(&r, -1, 1), test_uniform(&r, -1, 1),
                                                             test_uniform(&r, -1, 1) }
                                              : (abut_vec3){ 0, 0, test_below(&r, 2) ? 1 : -1 };
        const double clearance = test_below(&r, 2) ? 0 : size * test_log_uniform(&r, -40, 1);
        const double by = test_log_uniform(&r, -56, -1);
        pair.pose_b.position = place(&pair, n, fabs(clearance) + by * size);
        judge(&pair, &a, &b, fabs(clearance), n, seed, &near);
        abut_shape_release(a.shape);
        abut_shape_release(b.shape);
    }
    TEST_CHECK(near > count / 10, "only %" PRIu64 " of %" PRIu64 " decided", near, count);
}

static void most_are_decided(void **state)
{
    (void)state;
    uint64_t decided = 0;
    const uint64_t count = test_count(20000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        item a, b;
        make(&r, 1, 2, &a);
        make(&r, 1, 2, &b);
        oracle_convex pair = {
            &a.body, &b.body, { { 0, 0, 0 }, rotation(&r) }, { { 0, 0, 0 }, rotation(&r) }
        };
        const abut_vec3 n = { test_uniform(&r, -1, 1), test_uniform(&r, -1, 1), test_uniform(&r, -1, 1) };
        pair.pose_b.position = (abut_vec3){ 2 * n.x, 2 * n.y, 2 * n.z };
        judge(&pair, &a, &b, 0, n, seed, &decided);
        abut_shape_release(a.shape);
        abut_shape_release(b.shape);
    }
    TEST_CHECK(decided > count * 8 / 10, "only %" PRIu64 " of %" PRIu64 " decided", decided, count);
}

static void nothing_is_said_of_bad_poses(void **state)
{
    (void)state;
    static const double odd[] = { NAN, INFINITY, -INFINITY, 1e300, 0 };
    test_random r = test_seed(1);
    item a, b;
    make(&r, 1, 2, &a);
    make(&r, 1, 2, &b);
    for (int i = 0; i < 5; ++i)
        for (int k = 0; k < 2; ++k) {
            abut_pose good = { { 0, 0, 0 }, { 1, 0.5, 0, 0 } }, bad = good;
            if (k)
                bad.rotation = (abut_quat){ odd[i], 0, odd[i], 0 };
            else if (odd[i] != 0)
                bad.position.y = odd[i];
            else
                continue;
            assert_int_equal(abut_quick_overlap_round(a.shape, &good, b.shape, &bad, 0, NULL),
                             ABUT_UNDECIDED);
            assert_int_equal(abut_quick_overlap_round(a.shape, &bad, b.shape, &good, 0, NULL),
                             ABUT_UNDECIDED);
        }
    abut_shape_release(a.shape);
    abut_shape_release(b.shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(verdicts_are_right),
                                        cmocka_unit_test(most_are_decided),
                                        cmocka_unit_test(nothing_is_said_of_bad_poses) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
