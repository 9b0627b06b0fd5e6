/* SPDX-License-Identifier: MIT */
/* The quick verdict on capsules against their distance in 640 bits: any places, and a clearance that differs from the gap by anything down to rounding; slim, short, of different
 * sizes, with axes that are parallel, crossed or nearly so, quaternions of any length. It may say nothing, but not of most pairs. */
#include "narrow/quick.h"
#include "oracle/closed_pair.h"
#include "support/test.h"

typedef struct item {
    abut_shape *shape;
    oracle_box body;
} item;

static void make(test_random *r, double scale, double octaves, item *out)
{
    const double radius = scale * exp2(-test_uniform(r, 0, octaves)),
                 half = scale * exp2(-test_uniform(r, 0, octaves));
    out->body = (oracle_box){ .half = { 0, 0, half }, .radius = radius };
    assert_int_equal(abut_shape_create_capsule(radius, 2 * half, NULL, &out->shape), ABUT_OK);
}

static abut_quat unit(abut_quat q)
{
    const double over = 1 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (abut_quat){ over * q.w, over * q.x, over * q.y, over * q.z };
}

/* Any, or like another but for a tilt and perhaps a quarter turn; one of five not of unit length. */
static abut_quat rotation(test_random *r, abut_quat like)
{
    abut_quat q = { test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1),
                    test_uniform(r, -1, 1) };
    if (test_below(r, 3) == 0) {
        static const abut_quat turn[3] = { { 1, 0, 0, 0 }, { 1, 1, 0, 0 }, { 0, 1, 0, 0 } };
        q = abut_quat_mul(like, turn[test_below(r, 3)]);
        const double tilt = test_below(r, 2) ? 0 : test_log_uniform(r, -60, 0);
        q.x += tilt;
        q.y -= 0.5 * tilt;
    }
    q = unit(q);
    if (test_below(r, 5) == 0) {
        const double by = test_below(r, 2) ? 1 + test_log_uniform(r, -50, -20) : test_log_uniform(r, -20, 20);
        q = (abut_quat){ by * q.w, by * q.x, by * q.y, by * q.z };
    }
    return q;
}

/* Moves the clearance to within rounding of the gap; false where they overlap. */
static bool set_clearance(test_random *r, const item *a, const item *b, mpfr_t gap, double *clearance)
{
    oracle_box_gap(&a->body, &b->body, gap);
    if (mpfr_sgn(gap) <= 0)
        return false;
    *clearance = mpfr_get_d(gap, MPFR_RNDN) * (1 + test_log_uniform(r, -54, -1));
    return true;
}

/* Verdicts are right for any clearance, and without one both ways into the library say the same. */
static void verdicts_are_right(void **state)
{
    (void)state;
    mpfr_t gap;
    mpfr_init2(gap, ORACLE_PRECISION);
    uint64_t decided = 0, plain = 0;
    const uint64_t count = test_count(6000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        item a, b;
        const double octaves = test_below(&r, 2) ? 2 : 14, scale = ldexp(1, (int)test_below(&r, 201) - 100);
        make(&r, scale, octaves, &a);
        make(&r, test_below(&r, 4) ? scale : scale * fabs(test_log_uniform(&r, -12, 12)), octaves, &b);
        const double reach = a.shape->core.size + b.shape->core.size + a.body.radius + b.body.radius;
        a.body.pose.rotation = rotation(&r, (abut_quat){ 1, 0, 0, 0 });
        b.body.pose.rotation = rotation(&r, a.body.pose.rotation);
        a.body.pose.position = abut_v3(0, 0, 0);
        b.body.pose.position = abut_v3(reach * test_uniform(&r, -1, 1), reach * test_uniform(&r, -1, 1),
                                       reach * test_uniform(&r, -1, 1));
        double clearance = 0;
        const bool apart = set_clearance(&r, &a, &b, gap, &clearance);
        const abut_verdict v = abut_capsules_quick_overlap(&a.shape->core, &a.body.pose, &b.shape->core,
                                                           &b.body.pose, clearance);
        const int side = apart ? mpfr_cmp_d(gap, clearance) : -1;
        TEST_CHECK(v == ABUT_UNDECIDED || v == (side > 0 ? ABUT_SEPARATE : ABUT_PENETRATING),
                   "seed %" PRIu64 ": %s, but the gap is %a, clearance %a", seed, abut_verdict_name(v),
                   mpfr_get_d(gap, MPFR_RNDN), clearance);
        decided += v != ABUT_UNDECIDED;

        const abut_verdict w =
            abut_capsules_quick_overlap(&a.shape->core, &a.body.pose, &b.shape->core, &b.body.pose, 0);
        const abut_verdict right = apart ? ABUT_SEPARATE : ABUT_PENETRATING;
        abut_overlap_result whole;
        assert_int_equal(abut_overlap(a.shape, &a.body.pose, b.shape, &b.body.pose, NULL, NULL, &whole),
                         ABUT_OK);
        TEST_CHECK((w == ABUT_UNDECIDED || w == right) && whole.verdict == right,
                   "seed %" PRIu64 ": %s and %s, but the gap is %a", seed, abut_verdict_name(w),
                   abut_verdict_name(whole.verdict), mpfr_get_d(gap, MPFR_RNDN));
        plain += w != ABUT_UNDECIDED;
        abut_shape_release(a.shape);
        abut_shape_release(b.shape);
    }
    mpfr_clear(gap);
    /* Quaternions of another length, in three of ten pairs, are left alone. */
    TEST_CHECK(decided > count / 3, "only %" PRIu64 " of %" PRIu64 " near ones decided", decided, count);
    TEST_CHECK(plain > count * 6 / 10, "only %" PRIu64 " of %" PRIu64 " decided", plain, count);
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
            abut_pose good = { { 0, 0, 0 }, { 0.8, 0.6, 0, 0 } }, bad = good;
            if (k)
                bad.rotation = (abut_quat){ odd[i], 0, odd[i], 0 };
            else if (odd[i] != 0)
                bad.position.y = odd[i];
            else
                continue;
            assert_int_equal(abut_capsules_quick_overlap(&a.shape->core, &good, &b.shape->core, &bad, 0),
                             ABUT_UNDECIDED);
            assert_int_equal(abut_capsules_quick_overlap(&a.shape->core, &bad, &b.shape->core, &good, 0),
                             ABUT_UNDECIDED);
        }
    abut_shape_release(a.shape);
    abut_shape_release(b.shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(verdicts_are_right),
                                        cmocka_unit_test(nothing_is_said_of_bad_poses) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
