/* SPDX-License-Identifier: MIT */
/* Every function, both rounding strategies, against MPFR: the value at any number of the
 * argument lies in the result, and points give results no wider than promised. One group of
 * functions a program (GROUP), to share the time out. */
#include "interval/check.h"

typedef struct subject {
    oracle_function f;
    const char *name;
    abut_interval (*one[VARIANT_COUNT])(abut_interval);
    abut_interval (*two[VARIANT_COUNT])(abut_interval, abut_interval);
    uint64_t widest; /* ulps, for points */
} subject;

#define ONE(upper, name, widest)                                                                          \
    {                                                                                                     \
        ORACLE_##upper, #name, { abut_interval_##name, portable_interval_##name }, { NULL, NULL }, widest \
    }
#define TWO(upper, name, widest)                                                                          \
    {                                                                                                     \
        ORACLE_##upper, #name, { NULL, NULL }, { abut_interval_##name, portable_interval_##name }, widest \
    }

#if GROUP == 1
static const subject subjects[] = { TWO(ADD, add, 1), TWO(SUB, sub, 1), TWO(MUL, mul, 1),
                                    TWO(DIV, div, 1), ONE(SQR, sqr, 1), ONE(SQRT, sqrt, 1) };
#elif GROUP == 2
static const subject subjects[] = { ONE(SIN, sin, 2), ONE(COS, cos, 2), ONE(TAN, tan, 2), ONE(EXP, exp, 2) };
#elif GROUP == 3
static const subject subjects[] = { ONE(LOG, log, 2), ONE(ASIN, asin, 2), ONE(ACOS, acos, 2),
                                    ONE(ATAN, atan, 2) };
#else
static const subject subjects[] = { TWO(POW, pow, 4) };
#endif
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static bool in_domain(oracle_function f, double x, double y)
{
    switch (f) {
    case ORACLE_DIV: return y != 0;
    case ORACLE_SQRT: return x >= 0;
    case ORACLE_LOG: return x > 0;
    case ORACLE_POW: return x > 0 || (x == 0 && y > 0);
    case ORACLE_ASIN:
    case ORACLE_ACOS: return fabs(x) <= 1;
    default: return true;
    }
}

/* Brings a random double to where the function has something to do. */
static double into_domain(const subject *s, test_random *r, double x)
{
    switch (s->f) {
    case ORACLE_SQRT:
    case ORACLE_POW:
    case ORACLE_LOG: return test_below(r, 16) ? fabs(x) : x;
    case ORACLE_ASIN:
    case ORACLE_ACOS: return fabs(x) > 1 && test_below(r, 16) ? 1 / x : x;
    default: return x;
    }
}

static abut_interval call(const subject *s, int v, abut_interval x, abut_interval y)
{
    return s->one[v] ? s->one[v](x) : s->two[v](x, y);
}

static bool is_portable(int v)
{
#if defined(ABUT_INTERVAL_PORTABLE) || !defined(__SSE2__)
    (void)v;
    return true;
#else
    return v == 1;
#endif
}

static bool is_extreme(double x)
{
    return fabs(x) < 0x1p-960 || fabs(x) > 0x1p1022;
}

static void check_contains(const subject *s, abut_interval x, abut_interval y, double px, double py,
                           bool points)
{
    if (!in_domain(s->f, px, py))
        return;
    const oracle_bounds truth = oracle_mpfr(s->f, px, py);
    for (int v = 0; v < VARIANT_COUNT; ++v) {
        const abut_interval out = call(s, v, x, y);
        if (!(out.lo <= truth.below && out.hi >= truth.above))
            TEST_FAIL("%s %s of [%a, %a] [%a, %a] gives [%a, %a], but at %a %a the value is in [%a, %a]",
                      variants[v].strategy, s->name, x.lo, x.hi, y.lo, y.hi, out.lo, out.hi, px, py,
                      truth.below, truth.above);
        /* The portable strategy does not know the error where a product in it underflows or
         * overflows. */
        const bool extreme = is_extreme(truth.below) || is_extreme(px) || is_extreme(py);
        const uint64_t allowed = is_portable(v) && s->widest == 1 && extreme ? 2 : s->widest;
        if (points && check_ulps(out.lo, out.hi) > allowed)
            TEST_FAIL("%s %s of %a %a gives [%a, %a], %" PRIu64 " ulps wide", variants[v].strategy, s->name,
                      px, py, out.lo, out.hi, check_ulps(out.lo, out.hi));
    }
}

static void points_and_intervals_contain_the_value(void **state)
{
    (void)state;
    for (int i = 0; i < SUBJECTS; ++i) {
        const subject *s = &subjects[i];
        const uint64_t count = test_count(CASES);
        for (uint64_t seed = 0; seed < count; ++seed) {
            test_random r = test_seed(seed);
            if (seed % 2 == 0) {
                const double x = into_domain(s, &r, check_double(&r)), y = s->two[0] ? check_double(&r) : 0;
                check_contains(s, (abut_interval){ x, x }, (abut_interval){ y, y }, x, y, true);
            } else {
                abut_interval x = check_interval(&r),
                              y = s->two[0] ? check_interval(&r) : (abut_interval){ 0, 0 };
                const double a = into_domain(s, &r, x.lo), b = into_domain(s, &r, x.hi);
                x = (abut_interval){ fmin(a, b), fmax(a, b) };
                check_contains(s, x, y, check_member(&r, x), check_member(&r, y), false);
            }
        }
    }
}

static void edges_with_edges(void **state)
{
    (void)state;
    for (int i = 0; i < SUBJECTS; ++i)
        for (int j = 0; j < CHECK_EDGES; ++j)
            for (int k = 0; k < CHECK_EDGES; ++k) {
                const double x = check_edges[j], y = check_edges[k];
                const abut_interval wide = { fmin(x, y), fmax(x, y) };
                check_contains(&subjects[i], (abut_interval){ x, x }, (abut_interval){ y, y }, x, y, true);
                check_contains(&subjects[i], wide, (abut_interval){ y, y }, x, y, false);
                check_contains(&subjects[i], (abut_interval){ x, x }, wide, x, x, false);
                check_contains(&subjects[i], (abut_interval){ -INFINITY, x }, (abut_interval){ y, INFINITY },
                               x, y, false);
                check_contains(&subjects[i], (abut_interval){ x, INFINITY }, (abut_interval){ -INFINITY, y },
                               x, y, false);
            }
}

/* Growing an argument may not lose anything of the result; the elementary functions' bounds may
 * wobble by an ulp. */
static void larger_arguments_give_larger_results(void **state)
{
    (void)state;
    for (int i = 0; i < SUBJECTS; ++i) {
        const subject *s = &subjects[i];
        const uint64_t count = test_count(CASES / 5);
        for (uint64_t seed = 0; seed < count; ++seed) {
            test_random r = test_seed(~seed);
            const abut_interval x = check_interval(&r), y = check_interval(&r);
            double a = check_member(&r, x), b = check_member(&r, x);
            const abut_interval sub = { fmin(a, b), fmax(a, b) };
            a = check_member(&r, y), b = check_member(&r, y);
            const abut_interval sub_y = { fmin(a, b), fmax(a, b) };
            for (int v = 0; v < VARIANT_COUNT; ++v) {
                const abut_interval all = call(s, v, x, y), part = call(s, v, sub, sub_y);
                if (part.lo > part.hi)
                    continue;
                const int64_t slack = s->widest > 1 || is_portable(v);
                TEST_CHECK(
                    check_order(part.lo) + slack >= check_order(all.lo) &&
                        check_order(part.hi) <= check_order(all.hi) + slack,
                    "%s %s: [%a, %a] [%a, %a] gives [%a, %a], but its part [%a, %a] [%a, %a] gives [%a, %a]",
                    variants[v].strategy, s->name, x.lo, x.hi, y.lo, y.hi, all.lo, all.hi, sub.lo, sub.hi,
                    sub_y.lo, sub_y.hi, part.lo, part.hi);
            }
        }
    }
}

#if GROUP != 1
/* The doubles closest to multiples of pi/2 in every binade: where a poor reduction loses
 * everything. */
static void worst_arguments(void **state)
{
    (void)state;
    for (int exponent = -60; exponent <= 970; ++exponent) {
        double worst[6];
        const int count = oracle_mpfr_worst_for_half_pi(exponent, 6, worst);
        for (int j = 0; j < count; ++j)
            for (int i = 0; i < SUBJECTS; ++i) {
                if (subjects[i].two[0])
                    continue;
                for (int step = -1; step <= 1; ++step) {
                    const double x = check_step(worst[j], step);
                    check_contains(&subjects[i], (abut_interval){ x, x }, (abut_interval){ 0, 0 }, x, 0,
                                   true);
                    check_contains(&subjects[i], (abut_interval){ -x, -x }, (abut_interval){ 0, 0 }, -x, 0,
                                   true);
                }
            }
    }
}
#endif

#if GROUP == 2
/* Around multiples of pi/2, one ulp away and much farther: as the ends of boxes are that come
 * from halving a circle. */
static void near_quarter_turns(void **state)
{
    (void)state;
    const uint64_t count = test_count(CASES / 20);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        const double turns = floor(exp2(test_uniform(&r, 0, seed & 1 ? 4 : 15)));
        const double near = oracle_mpfr_near_half_pi(test_below(&r, 2) ? turns : -turns);
        const double away = test_below(&r, 4) ? trunc(test_log_uniform(&r, -1, 42)) : 0;
        const double x = near + away * (check_step(near, 1) - near);
        for (int i = 0; i < SUBJECTS; ++i)
            if (!subjects[i].two[0])
                check_contains(&subjects[i], (abut_interval){ x, x }, (abut_interval){ 0, 0 }, x, 0, true);
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_with_edges),
        cmocka_unit_test(points_and_intervals_contain_the_value),
        cmocka_unit_test(larger_arguments_give_larger_results),
#if GROUP != 1
        cmocka_unit_test(worst_arguments),
#endif
#if GROUP == 2
        cmocka_unit_test(near_quarter_turns),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
