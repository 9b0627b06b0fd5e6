/* SPDX-License-Identifier: MIT */
/* The corners of the interval interface, by hand: empty, NaN, infinite, division by zero,
 * domains, exact results; integer powers against MPFR; middle, width, bisection. Every check
 * runs under both rounding strategies. */
#include "interval/check.h"

static const double inf = INFINITY;

static abut_interval iv(double lo, double hi)
{
    return (abut_interval){ lo, hi };
}

#define EQUAL(found, l, h)                                                                            \
    do {                                                                                              \
        const abut_interval f_ = (found);                                                             \
        TEST_CHECK(f_.lo == (l) && f_.hi == (h), "%s: %s = [%a, %a], expected [%a, %a]", v->strategy, \
                   #found, f_.lo, f_.hi, (double)(l), (double)(h));                                   \
    } while (0)
#define EMPTY(found) EQUAL(found, inf, -inf)
#define FOR_BOTH     for (const variant *v = variants; v < variants + VARIANT_COUNT; ++v)

static void empty_stays_empty(void **state)
{
    (void)state;
    FOR_BOTH
    {
        const abut_interval none[] = { iv(inf, -inf), iv(1, 0), iv(0x1p-1074, 0), iv(inf, 5) };
        for (int i = 0; i < 4; ++i) {
#define ALSO_EMPTY_1(name) EMPTY(v->name(none[i]));
#define ALSO_EMPTY_2(name)                      \
    do {                                        \
        EMPTY(v->name(none[i], iv(1, 2)));      \
        EMPTY(v->name(iv(-inf, inf), none[i])); \
    } while (0)
            VARIANT_UNARY(ALSO_EMPTY_1)
            ALSO_EMPTY_2(add);
            ALSO_EMPTY_2(sub);
            ALSO_EMPTY_2(mul);
            ALSO_EMPTY_2(div);
            ALSO_EMPTY_2(pow);
            ALSO_EMPTY_2(min);
            ALSO_EMPTY_2(max);
            ALSO_EMPTY_2(intersect);
            EMPTY(v->pown(none[i], 3));
            EMPTY(v->pown(none[i], 0));
            EQUAL(v->hull(none[i], iv(1, 2)), 1, 2);
            EQUAL(v->hull(iv(1, 2), none[i]), 1, 2);
            assert_true(v->is_empty(none[i]));
            assert_true(v->subset(none[i], iv(1, 2)));
            assert_false(v->subset(iv(1, 2), none[i]));
            assert_false(v->contains(none[i], 0.5));
            assert_true(isnan(v->mid(none[i])));
            assert_true(v->width(none[i]) == 0);
            abut_interval left, right;
            v->bisect(none[i], &left, &right);
            EMPTY(left);
            EMPTY(right);
            assert_int_equal(v->div_split(none[i], iv(1, 2), &left), 0);
        }
        EMPTY(v->intersect(iv(0, 1), iv(2, 3)));
        EMPTY(abut_interval_empty());
    }
}

static void nan_means_the_entire_line(void **state)
{
    (void)state;
    FOR_BOTH
    {
        const abut_interval some[] = { iv(NAN, NAN), iv(NAN, 1), iv(1, NAN) };
        for (int i = 0; i < 3; ++i) {
            EQUAL(v->add(some[i], iv(1, 2)), -inf, inf);
            EQUAL(v->mul(iv(0, 0), some[i]), 0, 0);
            EQUAL(v->sin(some[i]), -1, 1);
            EQUAL(v->exp(some[i]), 0, inf);
            EQUAL(v->sqrt(some[i]), 0, inf);
            EQUAL(v->log(some[i]), -inf, inf);
            EQUAL(v->abs(some[i]), 0, inf);
            EQUAL(v->intersect(some[i], iv(3, 4)), 3, 4);
            assert_false(v->is_empty(some[i]));
            assert_true(v->contains(some[i], 1e300));
            assert_true(v->mid(some[i]) == 0);
        }
        EQUAL(v->point(NAN), -inf, inf);
        EQUAL(v->point(inf), DBL_MAX, inf);
        EQUAL(v->point(-inf), -inf, -DBL_MAX);
        EQUAL(v->point(-0.0), 0, 0);
        EQUAL(abut_interval_entire(), -inf, inf);
    }
}

static void infinite_ends(void **state)
{
    (void)state;
    FOR_BOTH
    {
        const abut_interval all = iv(-inf, inf), up = iv(1, inf), down = iv(-inf, -1);
        EQUAL(v->add(up, down), -inf, inf);
        EQUAL(v->sub(up, up), -inf, inf);
        EQUAL(v->mul(up, iv(0, 0)), 0, 0);
        EQUAL(v->mul(iv(0, 1), all), -inf, inf);
        EQUAL(v->mul(iv(0, 1), up), 0, inf);
        EQUAL(v->mul(iv(-1, 0), up), -inf, 0);
        EQUAL(v->mul(down, down), 1, inf);
        EQUAL(v->div(iv(1, 2), up), 0, 2);
        EQUAL(v->div(iv(-1, 2), up), -1, 2);
        EQUAL(v->div(up, up), 0, inf);
        EQUAL(v->div(iv(0, 0), all), 0, 0);
        EQUAL(v->div(iv(1, 1), all), -inf, inf);
        EQUAL(v->sqr(iv(-inf, -3)), 9, inf);
        EQUAL(v->sqr(all), 0, inf);
        EQUAL(v->exp(iv(-inf, 0)), 0, 1);
        EQUAL(v->exp(iv(0, inf)), 1, inf);
        EQUAL(v->exp(iv(1e300, inf)), DBL_MAX, inf);
        EQUAL(v->exp(iv(-inf, -1e300)), 0, 0x1p-1074);
        EQUAL(v->log(iv(0, inf)), -inf, inf);
        EQUAL(v->log(iv(1, inf)), 0, inf);
        EQUAL(v->sin(up), -1, 1);
        EQUAL(v->cos(all), -1, 1);
        EQUAL(v->tan(up), -inf, inf);
        const abut_interval half = v->atan(all);
        assert_true(half.lo == -0x1.921fb54442d19p+0 && half.hi == 0x1.921fb54442d19p+0);
        EQUAL(v->pow(iv(0, inf), iv(1, 2)), 0, inf);
        EQUAL(v->pow(iv(1, 1), all), 1, 1);
        EQUAL(v->pow(iv(2, 3), iv(0, 0)), 1, 1);
        EQUAL(v->pow(iv(0.5, 1), iv(0, inf)), 0, 1);
        EQUAL(v->pow(iv(1, inf), iv(0, inf)), 1, inf);
        EQUAL(v->pown(all, 3), -inf, inf);
        EQUAL(v->pown(all, 4), 0, inf);
        EQUAL(v->add(iv(DBL_MAX, DBL_MAX), iv(DBL_MAX, DBL_MAX)), DBL_MAX, inf);
        EQUAL(v->mul(iv(-DBL_MAX, -DBL_MAX), iv(2, 2)), -inf, -DBL_MAX);
        EQUAL(v->div(iv(-DBL_MAX, -DBL_MAX), iv(0.5, 0.5)), -inf, -DBL_MAX);
        EQUAL(v->sqr(iv(1e200, 1e200)), DBL_MAX, inf);
        assert_true(v->mid(up) == DBL_MAX && v->mid(down) == -DBL_MAX && v->mid(all) == 0);
        assert_true(v->width(all) == inf && v->width(iv(-DBL_MAX, DBL_MAX)) == inf);
        assert_false(v->contains(all, inf));
        assert_true(v->contains(all, 0x1p-1074));
    }
}

static void division_by_zero(void **state)
{
    (void)state;
    FOR_BOTH
    {
        abut_interval out[2];
        EMPTY(v->div(iv(1, 2), iv(0, 0)));
        EMPTY(v->div(iv(0, 0), iv(0, 0)));
        EQUAL(v->div(iv(0, 0), iv(-1, 1)), 0, 0);
        EQUAL(v->div(iv(1, 2), iv(-1, 1)), -inf, inf);
        EQUAL(v->div(iv(1, 2), iv(0, 4)), 0.25, inf);
        EQUAL(v->div(iv(1, 2), iv(-0.0, 4)), 0.25, inf);
        EQUAL(v->div(iv(1, 2), iv(-4, 0)), -inf, -0.25);
        EQUAL(v->div(iv(-2, -1), iv(0, 4)), -inf, -0.25);
        EQUAL(v->div(iv(-2, -1), iv(-4, -0.0)), 0.25, inf);
        EQUAL(v->div(iv(0, 1), iv(0, 4)), 0, inf);
        EQUAL(v->div(iv(-1, 1), iv(0, 4)), -inf, inf);
        EQUAL(v->div(iv(1, 2), iv(0, inf)), 0, inf);
        assert_int_equal(v->div_split(iv(1, 2), iv(-4, 8), out), 2);
        EQUAL(out[0], -inf, -0.25);
        EQUAL(out[1], 0.125, inf);
        assert_int_equal(v->div_split(iv(-2, -1), iv(-4, 8), out), 2);
        EQUAL(out[0], -inf, -0.125);
        EQUAL(out[1], 0.25, inf);
        assert_int_equal(v->div_split(iv(-2, 1), iv(-4, 8), out), 1);
        EQUAL(out[0], -inf, inf);
        assert_int_equal(v->div_split(iv(0, 1), iv(-4, 8), out), 1);
        EQUAL(out[0], -inf, inf);
        assert_int_equal(v->div_split(iv(1, 2), iv(-inf, inf), out), 2);
        EQUAL(out[0], -inf, 0);
        EQUAL(out[1], 0, inf);
        assert_int_equal(v->div_split(iv(1, 2), iv(2, 4), out), 1);
        EQUAL(out[0], 0.25, 1);
        assert_int_equal(v->div_split(iv(1, 2), iv(0, 0), out), 0);
        assert_int_equal(v->div_split(iv(0, 0), iv(-1, 1), out), 1);
        EQUAL(out[0], 0, 0);
    }
}

/* Quotients of members lie in one of the parts, and every part is needed. */
static void split_holds_every_quotient(void **state)
{
    (void)state;
    const uint64_t count = test_count(200000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        const abut_interval a = check_interval(&r);
        abut_interval b = check_interval(&r);
        if (test_bits(&r) & 1)
            b.lo = -fabs(b.lo), b.hi = fabs(b.hi);
        const double x = check_member(&r, a), y = check_member(&r, b);
        if (y == 0)
            continue;
        const oracle_bounds q = oracle_mpfr(ORACLE_DIV, x, y);
        FOR_BOTH
        {
            abut_interval out[2];
            const int parts = v->div_split(a, b, out);
            bool held = false;
            for (int i = 0; i < parts; ++i)
                held = held || (out[i].lo <= q.below && out[i].hi >= q.above);
            TEST_CHECK(held, "%s [%a, %a] / [%a, %a] at %a / %a, seed %" PRIu64, v->strategy, a.lo, a.hi,
                       b.lo, b.hi, x, y, seed);
            if (parts == 2)
                TEST_CHECK(out[0].hi <= out[1].lo, "parts overlap, seed %" PRIu64, seed);
        }
    }
}

static void domains(void **state)
{
    (void)state;
    FOR_BOTH
    {
        EMPTY(v->sqrt(iv(-2, -1)));
        EQUAL(v->sqrt(iv(-2, 4)), 0, 2);
        EMPTY(v->log(iv(-2, -1)));
        EMPTY(v->log(iv(-2, 0)));
        EMPTY(v->log(iv(0, 0)));
        EQUAL(v->log(iv(-2, 1)), -inf, 0);
        EMPTY(v->asin(iv(1.5, 2)));
        EMPTY(v->acos(iv(-3, -1.5)));
        EQUAL(v->acos(iv(1, 5)), 0, 0);
        EQUAL(v->asin(iv(0, 0)), 0, 0);
        const abut_interval pi = v->acos(iv(-5, -1));
        assert_true(pi.lo == 0x1.921fb54442d18p+1 && pi.hi == 0x1.921fb54442d19p+1);
        EMPTY(v->pow(iv(-2, -1), iv(1, 2)));
        EQUAL(v->pow(iv(0, 0), iv(1, 2)), 0, 0);
        EQUAL(v->pow(iv(-1, 0), iv(-1, 2)), 0, 0);
        EMPTY(v->pow(iv(0, 0), iv(-2, 0)));
        EQUAL(v->pow(iv(0, 1), iv(-1, 0)), 1, inf);
        EMPTY(v->pown(iv(0, 0), -1));
        EMPTY(v->pown(iv(0, 0), -2));
        EQUAL(v->pown(iv(0, 2), -1), 0.5, inf);
        EQUAL(v->pown(iv(-2, 0), -1), -inf, -0.5);
        EQUAL(v->pown(iv(-2, 4), -1), -inf, inf);
        EQUAL(v->pown(iv(-2, 4), -2), 0x1p-4, inf);
        EQUAL(v->tan(iv(1, 2)), -inf, inf);
    }
}

static void exact_results_stay_exact(void **state)
{
    (void)state;
    FOR_BOTH
    {
        EQUAL(v->add(iv(1, 2), iv(3, 4)), 4, 6);
        EQUAL(v->sub(iv(1, 2), iv(3, 4)), -3, -1);
        EQUAL(v->mul(iv(-1, 2), iv(-3, 4)), -6, 8);
        EQUAL(v->mul(iv(-5, -2), iv(-3, 4)), -20, 15);
        EQUAL(v->div(iv(-6, 3), iv(-3, -1.5)), -2, 4);
        EQUAL(v->sqr(iv(-3, 2)), 0, 9);
        EQUAL(v->sqrt(iv(4, 9)), 2, 3);
        EQUAL(v->sqrt(iv(0x1p-1074, 0x1p1022)), 0x1p-537, 0x1p511);
        EQUAL(v->exp(iv(0, 0)), 1, 1);
        EQUAL(v->log(iv(1, 1)), 0, 0);
        EQUAL(v->sin(iv(0, 0)), 0, 0);
        EQUAL(v->cos(iv(0, 0)), 1, 1);
        EQUAL(v->tan(iv(0, 0)), 0, 0);
        EQUAL(v->atan(iv(0, 0)), 0, 0);
        EQUAL(v->pown(iv(3, 3), 5), 243, 243);
        EQUAL(v->pown(iv(-3, 2), 3), -27, 8);
        EQUAL(v->pown(iv(-3, 2), 4), 0, 81);
        EQUAL(v->pown(iv(-3, 2), 0), 1, 1);
        EQUAL(v->pown(iv(4, 8), -2), 0x1p-6, 0x1p-4);
        EQUAL(v->pown(iv(-2, -2), -3), -0.125, -0.125);
        EQUAL(v->abs(iv(-3, 2)), 0, 3);
        EQUAL(v->abs(iv(-3, -2)), 2, 3);
        EQUAL(v->neg(iv(-3, 2)), -2, 3);
        EQUAL(v->min(iv(-3, 5), iv(1, 2)), -3, 2);
        EQUAL(v->max(iv(-3, 5), iv(1, 2)), 1, 5);
        EQUAL(v->hull(iv(-3, 1), iv(4, 5)), -3, 5);
        EQUAL(v->sin(iv(1, 2)), v->sin(iv(1, 1)).lo, 1);
        EQUAL(v->sin(iv(4, 8)), -1, 1);
        EQUAL(v->cos(iv(-1, 1)), v->cos(iv(1, 1)).lo, 1);
        EQUAL(v->cos(iv(3, 4)), -1, v->cos(iv(4, 4)).hi);
        EQUAL(v->sin(iv(0, 6.2)), -1, 1);
    }
}

/* Extrema are found when they are inside and not when they are just outside: the ends are
 * neighbouring doubles of k pi/2. */
static void extrema(void **state)
{
    (void)state;
    const uint64_t count = test_count(100000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        const double k = floor(exp2(test_uniform(&r, 0, 45)));
        const double near = oracle_mpfr_near_half_pi(k);
        const double below = near, above = check_step(near, 1), before = check_step(near, -1);
        /* the true k pi/2 lies between two of the three */
        const double q = fmod(k, 4);
        FOR_BOTH
        {
            const abut_interval left =
                fmod(k, 2) == 1 ? v->sin(iv(before, below)) : v->cos(iv(before, below));
            const abut_interval right = fmod(k, 2) == 1 ? v->sin(iv(below, above)) : v->cos(iv(below, above));
            const double peak = q == 1 || q == 0 ? 1 : -1;
            const bool found = peak > 0 ? left.hi == 1 || right.hi == 1 : left.lo == -1 || right.lo == -1;
            TEST_CHECK(found, "%s k %g", v->strategy, k);
            /* the sign of the co-function tells on which side of the extremum a double is */
            const abut_interval slope_before =
                fmod(k, 2) == 1 ? v->cos(iv(before, before)) : v->sin(iv(before, before));
            const abut_interval slope_below =
                fmod(k, 2) == 1 ? v->cos(iv(below, below)) : v->sin(iv(below, below));
            TEST_CHECK(slope_before.lo * slope_before.hi > 0 && slope_below.lo * slope_below.hi > 0, "k %g",
                       k);
        }
        /* wide intervals: every member's value is inside, and both extremes are reached where
         * they must be */
        const double lo = test_uniform(&r, -50, 50), hi = lo + test_uniform(&r, 0, 7);
        bool has_max = false, has_min = false;
        for (int i = -40; i <= 40; ++i) {
            const double peak =
                oracle_mpfr_near_half_pi(i); /* no double is nearer than this to the true one */
            if (peak > lo && peak < hi && i % 2 != 0)
                *(((i % 4) + 4) % 4 == 1 ? &has_max : &has_min) = true;
        }
        FOR_BOTH
        {
            const abut_interval s = v->sin(iv(lo, hi));
            TEST_CHECK(has_max ? s.hi == 1 : s.hi < 1 || fabs(cos(lo)) < 1e-7 || fabs(cos(hi)) < 1e-7,
                       "[%a, %a] %d", lo, hi, has_max);
            TEST_CHECK(has_min ? s.lo == -1 : s.lo > -1 || fabs(cos(lo)) < 1e-7 || fabs(cos(hi)) < 1e-7,
                       "[%a, %a] %d", lo, hi, has_min);
        }
    }
}

static void integer_powers(void **state)
{
    (void)state;
    const uint64_t count = test_count(1000000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        const int big = (int)(test_bits(&r) >> 33) * (test_bits(&r) & 1 ? 1 : -1);
        const unsigned how = test_below(&r, 8);
        const int n = how == 0   ? big
                      : how == 1 ? (int)test_below(&r, 2000) - 1000
                                 : (int)test_below(&r, 41) - 20;
        const bool point = seed & 1;
        double x = check_double(&r);
        if (how < 2 && test_below(&r, 4))
            x = (test_bits(&r) & 1 ? 1 : -1) * (1 + test_log_uniform(&r, -53, -5));
        abut_interval a = iv(x, x);
        if (!point) {
            const double y = check_double(&r);
            a = iv(fmin(x, y), fmax(x, y));
            x = check_member(&r, a);
        }
        if (x == 0 && n <= 0)
            continue;
        const oracle_bounds truth = oracle_mpfr_pown(x, n);
        FOR_BOTH
        {
            const abut_interval out = v->pown(a, n);
            TEST_CHECK(out.lo <= truth.below && out.hi >= truth.above,
                       "%s [%a, %a]^%d = [%a, %a], but at %a it is in [%a, %a], seed %" PRIu64, v->strategy,
                       a.lo, a.hi, n, out.lo, out.hi, x, truth.below, truth.above, seed);
            TEST_CHECK(!point || check_ulps(out.lo, out.hi) <= 2, "%s %a^%d = [%a, %a], seed %" PRIu64,
                       v->strategy, x, n, out.lo, out.hi, seed);
        }
    }
}

static void middle_width_and_halves(void **state)
{
    (void)state;
    const uint64_t count = test_count(300000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        const abut_interval a = check_interval(&r);
        const double expected = oracle_mpfr(ORACLE_SUB, a.hi, a.lo).above;
        FOR_BOTH
        {
            const double mid = v->mid(a), width = v->width(a);
            TEST_CHECK(mid >= a.lo && mid <= a.hi, "[%a, %a] %a", a.lo, a.hi, mid);
            if (check_ulps(a.lo, a.hi) > 4 && a.hi - a.lo < 0x1p1000 && a.hi - a.lo > 0x1p-1000)
                TEST_CHECK(fabs((mid - a.lo) - (a.hi - mid)) <=
                               4 * DBL_EPSILON * fmax(fabs(a.lo), fabs(a.hi)),
                           "[%a, %a] %a", a.lo, a.hi, mid);
            TEST_CHECK(width == expected, "[%a, %a] %a %a", a.lo, a.hi, width, expected);
            abut_interval left, right;
            v->bisect(a, &left, &right);
            TEST_CHECK(left.lo == a.lo && left.hi == mid && right.lo == mid && right.hi == a.hi, "[%a, %a]",
                       a.lo, a.hi);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_stays_empty),
        cmocka_unit_test(nan_means_the_entire_line),
        cmocka_unit_test(infinite_ends),
        cmocka_unit_test(division_by_zero),
        cmocka_unit_test(split_holds_every_quotient),
        cmocka_unit_test(domains),
        cmocka_unit_test(exact_results_stay_exact),
        cmocka_unit_test(extrema),
        cmocka_unit_test(integer_powers),
        cmocka_unit_test(middle_width_and_halves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
