/* SPDX-License-Identifier: MIT */
/* Certified polynomial roots against exact Sturm counts: random and nasty polynomials; no wrong count claimed as certain, few clusters,
 * narrow enclosures. */
#include "interval/poly_certified.h"
#include "math/expansion.h"
#include "oracle/sturm.h"
#include "support/test.h"

#include <fenv.h>

enum { TERMS = ABUT_POLYNOMIAL_MAX_DEGREE + 1 };

typedef struct tally {
    uint64_t polynomials, roots, multiple;
    uint64_t inseparable; /* clusters of several roots between adjacent doubles, or beyond all doubles */
    uint64_t clusters;    /* all others: given up */
} tally;

static void print_polynomial(const double *c, int per, int degree, double lo, double hi)
{
    for (int i = 0; i < (degree + 1) * per; ++i)
        print_error("%a%s", c[i], i + 1 < (degree + 1) * per ? ", " : "\n");
    print_error("degree %d, %d terms each, on [%a, %a]\n", degree, per, lo, hi);
}

static bool adjacent(double a, double b)
{
    return a == b || nextafter(a, INFINITY) == b;
}

/* Everything that the header promises. */
static void check_roots(const sturm *s, const abut_root *r, int count, int degree, double lo, double hi,
                        double width, tally *sum)
{
    int seen = 0;
    TEST_CHECK(count >= 0 && count <= degree, "count %d", count);
    for (int i = 0; i < count; ++i) {
        const double a = r[i].x.lo, b = r[i].x.hi;
        TEST_CHECK(a <= b && a >= lo && b <= hi, "enclosure %d: [%a, %a]", i, a, b);
        if (i > 0 && r[i - 1].x.hi >= a)
            TEST_CHECK(r[i - 1].x.hi == a && sturm_sign(s, a) != 0,
                       "enclosures %d and %d overlap: .. %a], [%a ..", i - 1, i, r[i - 1].x.hi, a);
        const int distinct = sturm_distinct(s, a, b), all = sturm_with_multiplicity(s, a, b);
        seen += distinct;
        sum->roots += (uint64_t)distinct;
        switch (r[i].kind) {
        case ABUT_ROOT_SIMPLE:
            TEST_CHECK(distinct == 1 && all == 1 && r[i].multiplicity == 1, "simple %d: [%a, %a] has %d (%d)",
                       i, a, b, distinct, all);
            break;
        case ABUT_ROOT_MULTIPLE:
            ++sum->multiple;
            TEST_CHECK(distinct == 1 && all >= 2 && r[i].multiplicity == all,
                       "multiple %d: [%a, %a] has %d (%d), said %d", i, a, b, distinct, all,
                       r[i].multiplicity);
            break;
        case ABUT_ROOT_CLUSTER:
            TEST_CHECK(all <= r[i].multiplicity, "cluster %d: [%a, %a] has %d, said %d", i, a, b, all,
                       r[i].multiplicity);
            ++*(distinct >= 2 && (adjacent(a, b) || adjacent(nextafter(a, INFINITY), b)) ? &sum->inseparable
                                                                                         : &sum->clusters);
            break;
        default: TEST_FAIL("kind %d", (int)r[i].kind);
        }
        if (r[i].kind != ABUT_ROOT_CLUSTER)
            TEST_CHECK(adjacent(a, b) || (width > 0 && b - a <= width), "wide enclosure %d: [%a, %a]", i, a,
                       b);
    }
    const int expected = sturm_distinct(s, lo, hi);
    TEST_CHECK(seen == expected, "%d roots in the enclosures, there are %d", seen, expected);
    ++sum->polynomials;
}

static void check_polynomial(const double *c, int degree, double lo, double hi, double width, tally *sum,
                             uint64_t seed)
{
    abut_root r[TERMS];
    const int count = abut_polynomial_roots_certified(c, degree, lo, hi, width, r);
    sturm *s = sturm_create(c, 1, degree);
    if (getenv("ABUT_TEST_VERBOSE")) {
        print_error("seed %" PRIu64 "\n", seed);
        print_polynomial(c, 1, degree, lo, hi);
        for (int i = 0; i < count; ++i)
            print_error("  [%a, %a] kind %d multiplicity %d\n", r[i].x.lo, r[i].x.hi, (int)r[i].kind,
                        r[i].multiplicity);
    }
    check_roots(s, r, count, degree, lo, hi, width, sum);
    sturm_destroy(s);
}

static void region(test_random *r, double *lo, double *hi)
{
    switch (test_below(r, 6)) {
    case 0: *lo = 0, *hi = 1; break;
    case 1: *lo = -1, *hi = 1; break;
    case 2: *lo = test_uniform(r, -2, 1), *hi = *lo + test_uniform(r, 0, 3); break;
    case 3: *lo = 0, *hi = INFINITY; break;
    default: *lo = -INFINITY, *hi = INFINITY; break;
    }
}

/* c times (x - root), in doubles. */
static void times_root(double *c, int *degree, double root)
{
    c[*degree + 1] = c[*degree];
    for (int i = *degree; i > 0; --i)
        c[i] = c[i - 1] - root * c[i];
    c[0] = -root * c[0];
    ++*degree;
}

static void times_quadratic(double *c, int *degree, double b, double d) /* x^2 + b x + d */
{
    c[*degree + 1] = c[*degree + 2] = 0;
    for (int i = *degree + 2; i >= 0; --i)
        c[i] = (i >= 2 ? c[i - 2] : 0) + (i >= 1 ? b * c[i - 1] : 0) + d * (i <= *degree ? c[i] : 0);
    *degree += 2;
}

static int random_degree(test_random *r)
{
    const unsigned k = test_below(r, 100);
    return k < 60   ? 1 + (int)test_below(r, 5)
           : k < 99 ? 1 + (int)test_below(r, 12)
                    : 1 + (int)test_below(r, 32);
}

static void test_random_polynomials(void **state)
{
    (void)state;
    tally sum = { 0 };
    const uint64_t count = test_count(150000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        double c[TERMS], lo, hi;
        int degree = random_degree(&r);
        const unsigned kind = test_below(&r, 5);
        if (kind == 4) {
            const int wanted = degree;
            c[0] = test_uniform(&r, 0.5, 2);
            degree = 0;
            while (degree < wanted)
                if (degree + 2 <= wanted && test_below(&r, 4) == 0)
                    times_quadratic(c, &degree, test_uniform(&r, -2, 2), test_uniform(&r, 0, 2));
                else
                    times_root(c, &degree, test_uniform(&r, -2, 2));
        }
        for (int i = 0; i <= degree; ++i)
            switch (kind) {
            case 0: c[i] = test_uniform(&r, -1, 1); break;
            case 1: c[i] = (double)test_below(&r, 11) - 5; break;
            case 2: c[i] = test_log_uniform(&r, -30, 30); break;
            case 3: c[i] = test_below(&r, 3) ? test_uniform(&r, -1, 1) : 0; break;
            default: break;
            }
        bool zero = true;
        for (int i = 0; i <= degree; ++i)
            zero = zero && c[i] == 0;
        if (zero)
            c[0] = 1;
        region(&r, &lo, &hi);
        check_polynomial(c, degree, lo, hi, test_below(&r, 4) ? 0 : 1e-6, &sum, seed);
    }
    print_message("%" PRIu64 " polynomials, %" PRIu64 " roots, %" PRIu64 " multiple, %" PRIu64
                  " inseparable, %" PRIu64 " given up\n",
                  sum.polynomials, sum.roots, sum.multiple, sum.inseparable, sum.clusters);
    assert_int_equal(sum.clusters, 0);
    assert_true(sum.inseparable <= sum.polynomials / 10000 + 1);
}

/* ---- nasty ones ---- */

enum { NASTY = 13 };

static int nasty(test_random *r, unsigned kind, double *c, double *lo, double *hi)
{
    int degree = 0;
    c[0] = 1;
    *lo = -INFINITY;
    *hi = INFINITY;
    switch (kind) {
    case 0: { /* multiple roots at small integers and halves: all products are exact */
        const int factors = 1 + (int)test_below(r, 4);
        for (int k = 0; k < factors; ++k) {
            const double root = ((double)test_below(r, 9) - 4) * (test_below(r, 2) ? 1 : 0.5);
            for (int j = 1 + (int)test_below(r, 4); j > 0 && degree < 12; --j)
                times_root(c, &degree, root);
        }
        if (test_below(r, 2))
            times_quadratic(c, &degree, 1, 1);
        break;
    }
    case 1: { /* clusters of two to four roots, 1e-3 to 1e-12 apart */
        const double centre = test_uniform(r, -1, 1), gap = exp2(test_uniform(r, -40, -10));
        const int size = 2 + (int)test_below(r, 3);
        for (int k = 0; k < size; ++k)
            times_root(c, &degree, centre + gap * test_uniform(r, 0, 1));
        for (int k = (int)test_below(r, 4); k > 0; --k)
            times_root(c, &degree, test_uniform(r, -2, 2));
        break;
    }
    case 2: { /* Wilkinson */
        const int n = 5 + (int)test_below(r, 16);
        for (int k = 1; k <= n; ++k)
            times_root(c, &degree, k);
        if (test_below(r, 2))
            c[test_below(r, (unsigned)n)] *= 1 + 0x1p-30;
        break;
    }
    case 3: { /* Mignotte: x^n - 2 (a x - 1)^2, or + */
        const double a = (double)(2 + test_below(r, 1000));
        degree = 4 + (int)test_below(r, 13);
        memset(c, 0, TERMS * sizeof *c);
        c[degree] = test_below(r, 2) ? 1 : -1;
        c[0] += -2;
        c[1] += 4 * a;
        c[2] += -2 * a * a;
        break;
    }
    case 4: /* wild sizes */
        degree = 1 + (int)test_below(r, 12);
        for (int i = 0; i <= degree; ++i)
            c[i] = test_log_uniform(r, -996, 996);
        break;
    case 5: { /* roots at the ends of the region, possibly multiple */
        *lo = (double)test_below(r, 5) - 3;
        *hi = *lo + 1 + (double)test_below(r, 2);
        for (int k = (int)test_below(r, 3); k >= 0; --k)
            times_root(c, &degree, *lo);
        for (int k = (int)test_below(r, 3); k > 0; --k)
            times_root(c, &degree, *hi);
        if (test_below(r, 2))
            times_root(c, &degree, 0.5 * (*lo + *hi));
        if (test_below(r, 4) == 0)
            *lo = nextafter(*lo, INFINITY);
        break;
    }
    case 6: { /* a double root, the constant one or a few units off */
        const double root = (double)(1 + test_below(r, 1000)) / 8;
        times_root(c, &degree, root);
        times_root(c, &degree, root);
        if (test_below(r, 2))
            times_root(c, &degree, test_uniform(r, -2, 2));
        for (int k = (int)test_below(r, 4); k > 0; --k)
            c[0] = nextafter(c[0], kind & 1 ? INFINITY : -INFINITY);
        if (test_below(r, 2))
            c[1] = nextafter(c[1], test_below(r, 2) ? INFINITY : -INFINITY);
        break;
    }
    case 7: { /* double root of doubles: rounded coefficients, near-double either way */
        const double root = test_uniform(r, -2, 2);
        times_root(c, &degree, root);
        times_root(c, &degree, root);
        for (int k = (int)test_below(r, 4); k > 0; --k)
            times_root(c, &degree, test_uniform(r, -2, 2));
        break;
    }
    case 8: /* denormal and huge */
        degree = 1 + (int)test_below(r, 6);
        for (int i = 0; i <= degree; ++i)
            c[i] = ((double)test_below(r, 7) - 3) * (test_below(r, 2)   ? 0x1p-1074
                                                     : test_below(r, 2) ? 0x1p1020
                                                                        : 1);
        break;
    case 9: /* leading and trailing zeros */
        degree = 3 + (int)test_below(r, 10);
        for (int i = 0; i <= degree; ++i)
            c[i] = i < 2 || i > degree - 2 ? 0 : (double)test_below(r, 9) - 4;
        break;
    case 10: { /* equally tight clusters of exact binary roots, 2^-40 apart */
        const double centre = (double)test_below(r, 16) / 16;
        for (int k = 0; k < 2; ++k)
            times_root(c, &degree, centre + k * 0x1p-24);
        times_root(c, &degree, centre - 1);
        break;
    }
    case 11: { /* Chebyshev: all roots in [-1, 1], crowded at the ends */
        double before[TERMS] = { 1 }, now[TERMS] = { 0, 1 };
        const int n = 2 + (int)test_below(r, 29);
        for (int k = 2; k <= n; ++k) {
            double next[TERMS] = { 0 };
            for (int i = 0; i <= k; ++i)
                next[i] = (i > 0 ? 2 * now[i - 1] : 0) - before[i];
            memcpy(before, now, sizeof now);
            memcpy(now, next, sizeof now);
        }
        memcpy(c, now, sizeof now);
        degree = n;
        break;
    }
    default: { /* squares of random polynomials with few bits: many double roots, some complex */
        double p[6];
        const int n = 1 + (int)test_below(r, 5);
        for (int i = 0; i <= n; ++i)
            p[i] = (double)test_below(r, 2001) - 1000;
        degree = 2 * n;
        memset(c, 0, TERMS * sizeof *c);
        for (int i = 0; i <= n; ++i)
            for (int j = 0; j <= n; ++j)
                c[i + j] += p[i] * p[j];
        if (test_below(r, 3) == 0)
            times_root(c, &degree, (double)test_below(r, 7) - 3);
        break;
    }
    }
    bool zero = true;
    for (int i = 0; i <= degree; ++i)
        zero = zero && c[i] == 0;
    if (zero)
        c[0] = 1;
    return degree;
}

static void test_nasty_polynomials(void **state)
{
    (void)state;
    tally sum = { 0 };
    const uint64_t count = test_count(20000);
    for (unsigned kind = 0; kind < NASTY; ++kind) {
        tally own = { 0 };
        for (uint64_t seed = 0; seed < count / NASTY + 1; ++seed) {
            test_random r = test_seed(seed * NASTY + kind);
            double c[TERMS], lo, hi;
            const int degree = nasty(&r, kind, c, &lo, &hi);
            check_polynomial(c, degree, lo, hi, 0, &own, seed * NASTY + kind);
        }
        print_message("kind %2u: %" PRIu64 " polynomials, %" PRIu64 " roots, %" PRIu64 " multiple, %" PRIu64
                      " inseparable, %" PRIu64 " given up\n",
                      kind, own.polynomials, own.roots, own.multiple, own.inseparable, own.clusters);
        sum.polynomials += own.polynomials;
        sum.clusters += own.clusters;
    }
    assert_true(sum.clusters <= sum.polynomials / 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_polynomials),
        cmocka_unit_test(test_nasty_polynomials),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
