/* SPDX-License-Identifier: MIT */
/* The quick verdicts on balls, capsules and boxes against their distance in 640 bits: any
 * places, and a clearance that differs from the gap by anything down to rounding; slim, short,
 * of different sizes, with axes that are parallel, crossed or nearly so, quaternions of any
 * length. It may say nothing, but not of most pairs. */
#include "narrow/quick/quick.h"
#include "oracle/closed_pair.h"
#include "support/test.h"

typedef struct item {
    abut_shape *shape;
    oracle_box body;
} item;

typedef enum kind { BALL, CAPSULE, BOX, KINDS } kind;

static void make(test_random *r, kind what, double scale, double octaves, item *out)
{
    double size[3];
    for (int i = 0; i < 3; ++i)
        size[i] = scale * exp2(-test_uniform(r, 0, octaves));
    out->body = (oracle_box){ .radius = 0 };
    if (what == BALL) {
        out->body.radius = size[0];
        assert_int_equal(abut_shape_create_sphere(size[0], NULL, &out->shape), ABUT_OK);
    } else if (what == CAPSULE) {
        out->body.radius = size[0];
        out->body.half[2] = size[2];
        assert_int_equal(abut_shape_create_capsule(size[0], 2 * size[2], NULL, &out->shape), ABUT_OK);
    } else {
        memcpy(out->body.half, size, sizeof size);
        assert_int_equal(abut_shape_create_box(abut_v3(size[0], size[1], size[2]), NULL, &out->shape),
                         ABUT_OK);
    }
}

static abut_quat unit(abut_quat q)
{
    const double over = 1 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (abut_quat){ over * q.w, over * q.x, over * q.y, over * q.z };
}

/* Any, or like another but for a tilt and perhaps a quarter turn; one of five not of unit
 * length. */
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
    const uint64_t count = test_count(3000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        item a, b;
        const double octaves = test_below(&r, 2) ? 2 : 14, scale = ldexp(1, (int)test_below(&r, 201) - 100);
        make(&r, (kind)test_below(&r, KINDS), scale, octaves, &a);
        make(&r, (kind)test_below(&r, KINDS),
             test_below(&r, 4) ? scale : scale * fabs(test_log_uniform(&r, -12, 12)), octaves, &b);
        const double reach = a.shape->core.size + b.shape->core.size + a.body.radius + b.body.radius;
        a.body.pose.rotation = rotation(&r, (abut_quat){ 1, 0, 0, 0 });
        b.body.pose.rotation = rotation(&r, a.body.pose.rotation);
        a.body.pose.position = abut_v3(0, 0, 0);
        b.body.pose.position = abut_v3(reach * test_uniform(&r, -1, 1), reach * test_uniform(&r, -1, 1),
                                       reach * test_uniform(&r, -1, 1));
        double clearance = 0;
        const bool apart = set_clearance(&r, &a, &b, gap, &clearance);
        const abut_verdict v =
            abut_quick_overlap_cores(a.shape, &a.body.pose, b.shape, &b.body.pose, clearance, NULL);
        const int side = apart ? mpfr_cmp_d(gap, clearance) : -1;
        TEST_CHECK(v == ABUT_UNDECIDED || v == (side > 0 ? ABUT_SEPARATE : ABUT_PENETRATING),
                   "seed %" PRIu64 ": %s, but the gap is %a, clearance %a", seed, abut_verdict_name(v),
                   mpfr_get_d(gap, MPFR_RNDN), clearance);
        decided += v != ABUT_UNDECIDED;

        const abut_verdict w =
            abut_quick_overlap_cores(a.shape, &a.body.pose, b.shape, &b.body.pose, 0, NULL);
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
    TEST_CHECK(decided > count / 2, "only %" PRIu64 " of %" PRIu64 " near ones decided", decided, count);
    TEST_CHECK(plain > count * 98 / 100, "only %" PRIu64 " of %" PRIu64 " decided", plain, count);
}

static void nothing_is_said_of_bad_poses(void **state)
{
    (void)state;
    static const double odd[] = { NAN, INFINITY, -INFINITY, 1e300, 0 };
    test_random r = test_seed(1);
    for (int what = 0; what < KINDS * KINDS; ++what) {
        item a, b;
        make(&r, (kind)(what % KINDS), 1, 2, &a);
        make(&r, (kind)(what / KINDS), 1, 2, &b);
        for (int i = 0; i < 10; ++i) {
            abut_pose good = { { 0, 0, 0 }, { 0.8, 0.6, 0, 0 } }, bad = good;
            const double x = odd[i / 2];
            if (i % 2)
                bad.rotation = (abut_quat){ x, 0, x, 0 };
            else if (x != 0)
                bad.position.y = x;
            else
                continue;
            assert_int_equal(abut_quick_overlap_cores(a.shape, &good, b.shape, &bad, 0, NULL),
                             ABUT_UNDECIDED);
            assert_int_equal(abut_quick_overlap_cores(a.shape, &bad, b.shape, &good, 0, NULL),
                             ABUT_UNDECIDED);
        }
        abut_shape_release(a.shape);
        abut_shape_release(b.shape);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(verdicts_are_right),
                                        cmocka_unit_test(nothing_is_said_of_bad_poses) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
