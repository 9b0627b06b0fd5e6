/* SPDX-License-Identifier: MIT */
/* Chebyshev series over intervals: the table against MPFR, ranges against cos(k acos x), series
 * at random points in MPFR, derivatives, bad arguments. */
#include "interval/chebyshev.h"
#include "interval/tables.h"
#include "support/test.h"

#include <mpfr.h>

enum { most = 80 };

typedef struct job {
    abut_interval x;
    size_t count;
    ia ranges[most], by_cosine[most];
} job;

static ABUT_NOINLINE void ranges_kernel(job *j)
{
    abut_chebyshev_ranges(ia_from(j->x), j->count, j->ranges);
    const ia angle = ia_acos(ia_from(j->x));
    for (size_t k = 0; k < j->count; ++k)
        j->by_cosine[k] = ia_intersect(ia_cos(ia_scale((double)k, angle)), ia_make(-1, 1));
}

static abut_interval random_interval(test_random *r)
{
    double lo = test_uniform(r, -1, 1), hi = fmin(1, lo + exp2(test_uniform(r, -30, 1)));
    switch (test_below(r, 6)) {
    case 0: lo = -1; break;
    case 1: hi = 1; break;
    case 2: hi = lo; break;
    case 3: { /* an end exactly at an extreme, as near as doubles come */
        const unsigned n = 2 + test_below(r, 60), i = test_below(r, n - 1);
        lo = abut_interval_chebyshev_extrema[(n - 1) * (n - 2) / 2 + i];
        hi = fmax(lo, fmin(1, lo + (hi - lo) / 2));
        break;
    }
    default: break;
    }
    return (abut_interval){ lo, fmax(lo, hi) };
}

static void the_table_is_right(void **state)
{
    (void)state;
    mpfr_t x;
    mpfr_init2(x, 200);
    for (unsigned n = 2; n < 64; ++n)
        for (unsigned i = 1; i < n; ++i) {
            mpfr_const_pi(x, MPFR_RNDN);
            mpfr_mul_ui(x, x, i, MPFR_RNDN);
            mpfr_div_ui(x, x, n, MPFR_RNDN);
            mpfr_cos(x, x, MPFR_RNDN);
            const double entry = abut_interval_chebyshev_extrema[(n - 1) * (n - 2) / 2 + (n - 1 - i)];
            TEST_CHECK(2 * i == n ? entry == 0 : entry == mpfr_get_d(x, MPFR_RNDN), "cos(%u pi/%u) is %a", i,
                       n, entry);
        }
    mpfr_clear(x);
}

/* The ranges hold T_k at random points, and are no wider than those by cosines but for the error
 * bound. */
static void ranges_are_right_and_tight(void **state)
{
    (void)state;
    mpfr_t angle, value;
    mpfr_inits2(300, angle, value, (mpfr_ptr)0);
    const uint64_t count = test_count(3000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        job j = { .x = random_interval(&r), .count = most };
        const abut_rounding saved = abut_rounding_enter();
        ranges_kernel(&j);
        abut_rounding_leave(saved);
        const double inner = fmin(fmax(test_uniform(&r, j.x.lo, j.x.hi), j.x.lo), j.x.hi);
        const double at = test_below(&r, 2) ? inner : test_below(&r, 2) ? j.x.lo : j.x.hi;
        mpfr_set_d(angle, at, MPFR_RNDN);
        mpfr_acos(angle, angle, MPFR_RNDN);
        for (size_t k = 0; k < j.count; ++k) {
            mpfr_mul_ui(value, angle, k, MPFR_RNDN);
            mpfr_cos(value, value, MPFR_RNDN);
            const ia range = j.ranges[k];
            /* T_0 and T_1 are doubles; MPFR's are off by 2^-290. */
            const double below = k < 2 ? (k ? at : 1) : mpfr_get_d(value, MPFR_RNDU);
            const double above = k < 2 ? (k ? at : 1) : mpfr_get_d(value, MPFR_RNDD);
            TEST_CHECK(ia_lo(range) <= below && ia_hi(range) >= above,
                       "seed %" PRIu64 ": T_%zu(%a) = %.20g not in [%a, %a]", seed, k, at,
                       mpfr_get_d(value, MPFR_RNDN), ia_lo(range), ia_hi(range));
            const double excess = ia_width(range) - ia_width(j.by_cosine[k]);
            TEST_CHECK(excess <= 1e-11, "seed %" PRIu64 ": T_%zu over [%a, %a] is %g wider than by cosines",
                       seed, k, j.x.lo, j.x.hi, excess);
        }
    }
    mpfr_clears(angle, value, (mpfr_ptr)0);
}

static void series_contain(void **state)
{
    (void)state;
    mpfr_t angle, term, sum, slope;
    mpfr_inits2(300, angle, term, sum, slope, (mpfr_ptr)0);
    const uint64_t count = test_count(3000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        abut_interval c[most], d[most];
        const size_t n = 1 + test_below(&r, most);
        for (size_t k = 0; k < n; ++k) {
            const double x = test_log_uniform(&r, -20, 5);
            c[k] = (abut_interval){ x, x };
        }
        abut_interval_chebyshev_derive(c, n, d);
        const abut_interval x = random_interval(&r);
        const double at = fmin(fmax(test_uniform(&r, x.lo, x.hi), x.lo), x.hi);
        if (fabs(at) > 1 - 1e-12)
            continue;
        mpfr_set_d(angle, at, MPFR_RNDN);
        mpfr_acos(angle, angle, MPFR_RNDN);
        mpfr_set_d(sum, c[0].lo / 2, MPFR_RNDN);
        mpfr_set_ui(slope, 0, MPFR_RNDN);
        for (size_t k = 1; k < n; ++k) {
            mpfr_mul_ui(term, angle, k, MPFR_RNDN);
            mpfr_cos(term, term, MPFR_RNDN);
            mpfr_mul_d(term, term, c[k].lo, MPFR_RNDN);
            mpfr_add(sum, sum, term, MPFR_RNDN);
            /* d/dx cos(k acos x) = k sin(k acos x) / sin(acos x) */
            mpfr_mul_ui(term, angle, k, MPFR_RNDN);
            mpfr_sin(term, term, MPFR_RNDN);
            mpfr_mul_d(term, term, c[k].lo * (double)k, MPFR_RNDN);
            mpfr_add(slope, slope, term, MPFR_RNDN);
        }
        mpfr_sin(term, angle, MPFR_RNDN);
        mpfr_div(slope, slope, term, MPFR_RNDN);
        const abut_interval f = abut_interval_chebyshev(c, n, x), g = abut_interval_chebyshev(d, n, x);
        TEST_CHECK(f.lo <= mpfr_get_d(sum, MPFR_RNDU) && f.hi >= mpfr_get_d(sum, MPFR_RNDD),
                   "seed %" PRIu64 ": %.20g not in [%a, %a]", seed, mpfr_get_d(sum, MPFR_RNDN), f.lo, f.hi);
        TEST_CHECK(g.lo <= mpfr_get_d(slope, MPFR_RNDU) && g.hi >= mpfr_get_d(slope, MPFR_RNDD),
                   "seed %" PRIu64 ": slope %.20g not in [%a, %a]", seed, mpfr_get_d(slope, MPFR_RNDN), g.lo,
                   g.hi);
    }
    mpfr_clears(angle, term, sum, slope, (mpfr_ptr)0);
}

static void odd_arguments_are_answered(void **state)
{
    (void)state;
    const abut_interval c[2] = { { 2, 2 }, { 1, 1 } }, bad[1] = { { NAN, 1 } };
    assert_true(abut_interval_is_empty(abut_interval_chebyshev(c, 2, (abut_interval){ 2, 3 })));
    assert_true(abut_interval_is_empty(abut_interval_chebyshev(c, 2, abut_interval_empty())));
    const abut_interval all = abut_interval_chebyshev(c, 2, abut_interval_entire());
    assert_true(all.lo == 0 && all.hi == 2);
    assert_true(abut_interval_chebyshev(bad, 1, (abut_interval){ 0, 1 }).hi == INFINITY);
    const abut_interval none = abut_interval_chebyshev(NULL, 0, (abut_interval){ 0, 1 });
    assert_true(none.lo == 0 && none.hi == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_right),
        cmocka_unit_test(ranges_are_right_and_tight),
        cmocka_unit_test(series_contain),
        cmocka_unit_test(odd_arguments_are_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
