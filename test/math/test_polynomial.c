/* SPDX-License-Identifier: MIT */
/* The fast root finders against exact Sturm counts: the right number of roots, each within its
 * condition number times a few roundings of the true one; degenerate and badly scaled input. */
#include "abut/polynomial.h"
#include "oracle/sturm.h"
#include "support/test.h"

#include <fenv.h>

enum { TERMS = ABUT_POLYNOMIAL_MAX_DEGREE + 1 };

typedef struct tally {
    uint64_t polynomials, roots, sharp, miscounted;
    double worst;
} tally;

static void print_polynomial(const double *c, int degree)
{
    for (int i = 0; i <= degree; ++i)
        print_error("%a%s", c[i], i < degree ? ", " : "\n");
}

/* How far the root next to x may be when coefficients and operations are off by `units`
 * roundings: the condition number of the root times that, in long double. */
static double allowance(const double *c, int degree, double x, double units)
{
    long double size = 0, slope = 0;
    for (int i = degree; i >= 0; --i)
        size = size * fabsl((long double)x) + fabsl((long double)c[i]);
    for (int i = degree; i >= 1; --i)
        slope = slope * x + (long double)c[i] * i;
    return (double)(units * 0x1p-53L * (size / fabsl(slope) + fabsl((long double)x)) + 0x1p-1073L);
}

/* Every root found is near exactly one, and all are found; ill-conditioned roots (off by more
 * than 1e-4 of their size if the coefficients are rounded) are only counted. */
static void check(const char *what, const double *c, int degree, const double *x, int count, double lo,
                  double hi, bool strict, uint64_t seed, tally *sum)
{
    sturm *s = sturm_create(c, 1, degree);
    const int expected = sturm_distinct(s, lo, hi);
    bool good = count == expected;
    ++sum->polynomials;
    for (int i = 0; i < count && good; ++i) {
        ++sum->roots;
        good = good && (i == 0 || x[i - 1] < x[i]);
        const double d = allowance(c, degree, x[i], 12);
        if (!(d <= 1e-4 * fabs(x[i]))) {
            sum->sharp += x[i] == 0 && c[0] == 0;
            continue;
        }
        ++sum->sharp;
        const int near = sturm_distinct(s, x[i] - d, x[i] + d);
        if (near != 1) {
            print_polynomial(c, degree);
            sturm_destroy(s);
            TEST_FAIL("%s: root %d, %a, has %d roots within %g, seed %" PRIu64, what, i, x[i], near, d, seed);
        }
    }
    sturm_destroy(s);
    if (!good) {
        ++sum->miscounted;
        if (strict) {
            print_polynomial(c, degree);
            for (int i = 0; i < count; ++i)
                print_error("  %.17g\n", x[i]);
            TEST_FAIL("%s: %d roots, there are %d, seed %" PRIu64, what, count, expected, seed);
        }
    }
}

static void random_polynomial(test_random *r, unsigned kind, int degree, double *c)
{
    for (int i = 0; i <= degree; ++i)
        switch (kind) {
        case 0: c[i] = test_uniform(r, -1, 1); break;
        case 1: c[i] = test_log_uniform(r, -20, 20); break;
        case 2: c[i] = test_log_uniform(r, -900, 900); break;
        default: c[i] = test_below(r, 3) ? test_uniform(r, -1, 1) : 0; break;
        }
    if (c[degree] == 0)
        c[degree] = 1;
}

static void test_closed_random(void **state)
{
    (void)state;
    tally sum = { 0 };
    const uint64_t count = test_count(100000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        double c[5], x[4];
        const int degree = 1 + (int)test_below(&r, 4);
        random_polynomial(&r, test_below(&r, 4), degree, c);
        check("closed", c, degree, x, abut_polynomial_roots_closed(c, degree, x), -INFINITY, INFINITY, true,
              seed, &sum);
    }
    print_message("%" PRIu64 " polynomials, %" PRIu64 " roots, %" PRIu64 " well-conditioned\n",
                  sum.polynomials, sum.roots, sum.sharp);
    /* the others are beyond the range of doubles */
    assert_true(sum.sharp > sum.roots - sum.roots / 20);
}

static void test_bernstein_random(void **state)
{
    (void)state;
    tally sum = { 0 };
    const uint64_t count = test_count(30000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        double c[TERMS], x[TERMS], lo = -INFINITY, hi = INFINITY;
        const int degree = 1 + (int)test_below(&r, test_below(&r, 50) ? 10 : 32);
        const unsigned kind = test_below(&r, 4);
        random_polynomial(&r, kind == 2 && degree > 6 ? 1 : kind, degree, c);
        if (test_below(&r, 2)) {
            lo = test_uniform(&r, -2, 1);
            hi = lo + test_uniform(&r, 0, 3);
        }
        check("bernstein", c, degree, x, abut_polynomial_roots_bernstein(c, degree, lo, hi, x), lo, hi, true,
              seed, &sum);
    }
    print_message("%" PRIu64 " polynomials, %" PRIu64 " roots, %" PRIu64 " well-conditioned\n",
                  sum.polynomials, sum.roots, sum.sharp);
    assert_true(sum.sharp > sum.roots - sum.roots / 20);
}

/* Products of (x - integer), exact in doubles: multiple roots come once, at the right place. */
static void test_multiple(void **state)
{
    (void)state;
    const uint64_t count = test_count(20000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        double c[5] = { 1 }, x[4], y[4], root[4];
        int degree = 0, distinct = 0;
        const int wanted = 1 + (int)test_below(&r, 4);
        while (degree < wanted) {
            const double at = (double)test_below(&r, 9) - 4;
            c[degree + 1] = c[degree];
            for (int i = degree; i > 0; --i)
                c[i] = c[i - 1] - at * c[i];
            c[0] = -at * c[0];
            root[degree++] = at;
        }
        for (int i = 0; i < degree; ++i) { /* sort, and drop repetitions */
            int k = 0;
            while (k < distinct && y[k] < root[i])
                ++k;
            if (k < distinct && y[k] == root[i])
                continue;
            for (int j = distinct++; j > k; --j)
                y[j] = y[j - 1];
            y[k] = root[i];
        }
        for (int method = 0; method < 2; ++method) {
            const int found = method ? abut_polynomial_roots_bernstein(c, degree, -INFINITY, INFINITY, x)
                                     : abut_polynomial_roots_closed(c, degree, x);
            bool good = found == distinct;
            /* fourfold roots move by the fourth root of a rounding */
            for (int i = 0; i < found && good; ++i)
                good = fabs(x[i] - y[i]) <= 2e-5;
            if (!good) {
                print_polynomial(c, degree);
                for (int i = 0; i < found; ++i)
                    print_error("  %.17g\n", x[i]);
                TEST_FAIL("%s: %d roots, expected %d, seed %" PRIu64, method ? "bernstein" : "closed", found,
                          distinct, seed);
            }
        }
    }
}

static void test_degenerate(void **state)
{
    (void)state;
    double x[TERMS];
    const double zero[5] = { 0 }, bad[3] = { 1, NAN, 1 }, infinite[2] = { 1, INFINITY };
    assert_int_equal(abut_polynomial_roots_closed(zero, 4, x), -1);
    assert_int_equal(abut_polynomial_roots_closed(bad, 2, x), -1);
    assert_int_equal(abut_polynomial_roots_closed(infinite, 1, x), -1);
    assert_int_equal(abut_polynomial_roots_closed(zero, 5, x), -1);
    assert_int_equal(abut_polynomial_roots_closed(zero, -1, x), -1);
    assert_int_equal(abut_polynomial_roots_bernstein(zero, 4, 0, 1, x), -1);
    assert_int_equal(abut_polynomial_roots_bernstein(bad, 2, 0, 1, x), -1);
    assert_int_equal(abut_polynomial_roots_bernstein(bad, 33, 0, 1, x), -1);
    const double line[5] = { -1, 2, 0, 0, 0 };
    assert_int_equal(abut_polynomial_roots_bernstein(line, 4, 1, 0, x), -1);
    assert_int_equal(abut_polynomial_roots_bernstein(line, 4, NAN, 0, x), -1);
    assert_int_equal(abut_polynomial_roots_closed(line, 4, x), 1);
    assert_true(x[0] == 0.5);
    assert_int_equal(abut_polynomial_roots_bernstein(line, 4, 0.5, 0.5, x), 1);
    assert_true(x[0] == 0.5);
    const double constant[3] = { 7, 0, 0 };
    assert_int_equal(abut_polynomial_roots_closed(constant, 2, x), 0);
    assert_int_equal(abut_polynomial_roots_bernstein(constant, 2, -INFINITY, INFINITY, x), 0);
    const double powers[5] = { 0, 0, 0, 0, -3 };
    assert_int_equal(abut_polynomial_roots_closed(powers, 4, x), 1);
    assert_true(x[0] == 0);
    /* x^2 - (2^52) x + 1: the small root is lost by the textbook formula */
    const double cancel[3] = { 1, -0x1p52, 1 };
    assert_int_equal(abut_polynomial_roots_closed(cancel, 2, x), 2);
    assert_true(x[0] == 0x1p-52 && x[1] == 0x1p52);
    /* far from 1 in size */
    const double huge[3] = { -0x1p1000, 0, 0x1p-1000 };
    assert_int_equal(abut_polynomial_roots_closed(huge, 2, x), 2);
    assert_true(x[0] == -0x1p1000 && x[1] == 0x1p1000);
    const double wide[4] = { 1e-300, 1e300, 1, 1e-300 };
    assert_int_equal(abut_polynomial_roots_closed(wide, 3, x), 1);
}

static void test_rounding_modes(void **state)
{
    (void)state;
    const double c[4] = { -6, 11, -6, 1 };
    static const int modes[4] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
    for (int m = 0; m < 4; ++m) {
        double x[4], y[4];
        fesetround(modes[m]);
        const int n = abut_polynomial_roots_closed(c, 3, x),
                  k = abut_polynomial_roots_bernstein(c, 3, 0, 4, y);
        const int after = fegetround();
        fesetround(FE_TONEAREST);
        assert_int_equal(after, modes[m]);
        assert_int_equal(n, 3);
        assert_int_equal(k, 3);
        for (int i = 0; i < 3; ++i) {
            TEST_NEAR(x[i], i + 1, 1e-14, "mode %d", m);
            TEST_NEAR(y[i], i + 1, 1e-14, "mode %d", m);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_random),  cmocka_unit_test(test_bernstein_random),
        cmocka_unit_test(test_multiple),       cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_rounding_modes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
