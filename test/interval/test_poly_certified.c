/* SPDX-License-Identifier: MIT */
/* Certified polynomial roots against exact Sturm counts: random and ill-conditioned polynomials; no wrong
 * count claimed as certain, few clusters, narrow enclosures. */
#include "interval/poly_certified.h"
#include "math/expansion.h"
#include "math/poly_piece.h"
#include "oracle/sturm.h"
#include "support/test.h"

#include <fenv.h>

enum { TERMS = ABUT_POLYNOMIAL_MAX_DEGREE + 1 };

typedef struct tally {
    uint64_t polynomials, roots, multiple;
    /* clusters of several roots between adjacent doubles, or beyond all doubles */
    uint64_t inseparable;
    uint64_t clusters; /* all others: given up */
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
    const uint64_t count = test_count(100000);
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

/* ---- ill-conditioned ones ---- */

enum { ILL_CONDITIONED = 13 };

static int ill_conditioned(test_random *r, unsigned kind, double *c, double *lo, double *hi)
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

static void test_ill_conditioned_polynomials(void **state)
{
    (void)state;
    tally sum = { 0 };
    const uint64_t count = test_count(20000);
    for (unsigned kind = 0; kind < ILL_CONDITIONED; ++kind) {
        tally own = { 0 };
        for (uint64_t seed = 0; seed < count / ILL_CONDITIONED + 1; ++seed) {
            test_random r = test_seed(seed * ILL_CONDITIONED + kind);
            double c[TERMS], lo, hi;
            const int degree = ill_conditioned(&r, kind, c, &lo, &hi);
            check_polynomial(c, degree, lo, hi, 0, &own, seed * ILL_CONDITIONED + kind);
        }
        print_message("kind %2u: %" PRIu64 " polynomials, %" PRIu64 " roots, %" PRIu64 " multiple, %" PRIu64
                      " inseparable, %" PRIu64 " given up\n",
                      kind, own.polynomials, own.roots, own.multiple, own.inseparable, own.clusters);
        sum.polynomials += own.polynomials;
        sum.clusters += own.clusters;
    }
    assert_true(sum.clusters <= sum.polynomials / 1000);
}

/* ---- coefficients that are not doubles ---- */

/* Squares of polynomials with arbitrary doubles, as exact sums of products: double roots that
 * are no doubles. */
static void test_expansions(void **state)
{
    (void)state;
    tally sum = { 0 };
    const uint64_t count = test_count(5000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        enum { MAX = 5, PER = 2 * (MAX + 1) };
        double p[MAX + 1], terms[(2 * MAX + 1) * PER] = { 0 };
        const int n = 1 + (int)test_below(&r, MAX);
        for (int i = 0; i <= n; ++i)
            p[i] = test_below(&r, 8) ? test_uniform(&r, -1, 1) : 0;
        if (p[n] == 0)
            p[n] = 1;
        int filled[2 * MAX + 1] = { 0 };
        for (int i = 0; i <= n; ++i)
            for (int j = 0; j <= n; ++j) {
                double *at = terms + (i + j) * PER + filled[i + j];
                at[0] = abut_two_product(p[i], p[j], &at[1]);
                filled[i + j] += 2;
            }
        const bool spoiled = test_below(&r, 4) == 0; /* by less than a double could tell */
        if (spoiled)
            terms[filled[0] - 1] += test_below(&r, 2) ? 0x1p-100 : -0x1p-100;
        double lo = -INFINITY, hi = INFINITY;
        if (test_below(&r, 2))
            lo = 0, hi = 1;
        abut_root roots[TERMS];
        const int found = abut_poly_roots_expansion(terms, PER, 2 * n, lo, hi, 0, roots);
        bool zero = true;
        for (int i = 0; i <= n; ++i)
            zero = zero && p[i] == 0;
        if (zero && !spoiled)
            continue;
        sturm *s = sturm_create(terms, PER, 2 * n);
        check_roots(s, roots, found, 2 * n, lo, hi, 0, &sum);
        sturm_destroy(s);
    }
    print_message("%" PRIu64 " squares, %" PRIu64 " roots, %" PRIu64 " multiple, %" PRIu64
                  " inseparable, %" PRIu64 " given up\n",
                  sum.polynomials, sum.roots, sum.multiple, sum.inseparable, sum.clusters);
    assert_true(sum.multiple > sum.polynomials / 4);
    assert_int_equal(sum.clusters, 0);
}

/* Every statement about intervals must hold for polynomials picked from them. */
static void test_intervals(void **state)
{
    (void)state;
    uint64_t simple = 0, clusters = 0;
    const uint64_t count = test_count(20000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        abut_interval c[11];
        double pick[11];
        abut_root roots[TERMS];
        const int degree = 1 + (int)test_below(&r, 10);
        const double size = exp2(test_uniform(&r, -60, -3));
        for (int i = 0; i <= degree; ++i) {
            const double at = test_below(&r, 6) ? test_uniform(&r, -1, 1) : 0;
            c[i].lo = at - size * test_uniform(&r, 0, 1);
            c[i].hi = at + size * test_uniform(&r, 0, 1);
            if (test_below(&r, 8) == 0)
                c[i].lo = c[i].hi = at;
        }
        double lo = test_below(&r, 2) ? 0 : test_uniform(&r, -2, 1), hi = lo + test_uniform(&r, 0, 3);
        if (test_below(&r, 20) == 0)
            hi = lo;
        const int found = abut_poly_roots_interval(c, degree, lo, hi, 0, roots);
        if (found < 0) {
            for (int i = 0; i <= degree; ++i)
                TEST_CHECK(c[i].lo <= 0 && c[i].hi >= 0, "-1 without reason, seed %" PRIu64, seed);
            continue;
        }
        for (int i = 0; i < found; ++i)
            ++*(roots[i].kind == ABUT_ROOT_SIMPLE ? &simple : &clusters);
        for (int sample = 0; sample < 4; ++sample) {
            bool zero = true;
            for (int i = 0; i <= degree; ++i) {
                const unsigned k = test_below(&r, 3);
                pick[i] = k == 0   ? c[i].lo
                          : k == 1 ? c[i].hi
                                   : fmin(c[i].hi, fmax(c[i].lo, test_uniform(&r, c[i].lo, c[i].hi)));
                zero = zero && pick[i] == 0;
            }
            if (zero)
                continue;
            sturm *s = sturm_create(pick, 1, degree);
            int seen = 0;
            for (int i = 0; i < found; ++i) {
                const double a = roots[i].x.lo, b = roots[i].x.hi;
                const int distinct = sturm_distinct(s, a, b), all = sturm_with_multiplicity(s, a, b);
                seen += distinct;
                TEST_CHECK(roots[i].kind == ABUT_ROOT_CLUSTER ? all <= roots[i].multiplicity
                                                              : distinct == 1 && all == roots[i].multiplicity,
                           "kind %d of [%a, %a] has %d, seed %" PRIu64, (int)roots[i].kind, a, b, all, seed);
                TEST_CHECK(i == 0 || roots[i - 1].x.hi <= a, "overlap at %a, seed %" PRIu64, a, seed);
                if (i > 0 && roots[i - 1].x.hi == a && sturm_sign(s, a) == 0)
                    --seen;
            }
            TEST_CHECK(seen == sturm_distinct(s, lo, hi), "%d of %d roots enclosed, seed %" PRIu64, seen,
                       sturm_distinct(s, lo, hi), seed);
            sturm_destroy(s);
        }
    }
    print_message("%" PRIu64 " simple, %" PRIu64 " clusters\n", simple, clusters);
    /* many of which have zero, an end of the region, as a possible root */
    assert_true(simple > 3 * clusters);
}

/* ---- signs at points ---- */

/* Near roots of high multiplicity, where the value is about as large as the error bounds: a sign
 * given is the true one. */
static void test_point_signs(void **state)
{
    (void)state;
    uint64_t plain_known = 0, best_known = 0, zeros = 0;
    const uint64_t count = test_count(100000);
    const abut_poly_isolate_opts nobody = { 0 };
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        abut_poly_piece f = { .side = 1, .opts = &nobody };
        const double centre = (double)(1 + test_below(&r, 31)) / 32;
        const int wanted = 1 + (int)test_below(&r, 9);
        f.c[0] = 0x1p-20;
        while (f.n < wanted)
            times_root(f.c, &f.n, test_below(&r, 4) ? centre : (double)test_below(&r, 9) / 8);
        double y = centre * (1 + test_log_uniform(&r, -50, -1));
        y = test_below(&r, 20) == 0 ? centre : y > 1 ? 1 : y;
        double value;
        const int plain = abut_poly_plain_sign(&f, y, &value), best = abut_poly_best_sign(&f, y, &value);
        sturm *s = sturm_create(f.c, 1, f.n);
        const int truth = sturm_sign(s, y);
        sturm_destroy(s);
        plain_known += plain != ABUT_SIGN_UNKNOWN;
        best_known += best != ABUT_SIGN_UNKNOWN;
        zeros += best == 0;
        TEST_CHECK(plain == ABUT_SIGN_UNKNOWN || plain == truth, "plain sign %d, true %d, seed %" PRIu64,
                   plain, truth, seed);
        TEST_CHECK(best == ABUT_SIGN_UNKNOWN || best == truth, "best sign %d, true %d, seed %" PRIu64, best,
                   truth, seed);
    }
    print_message("known: plain %" PRIu64 ", compensated %" PRIu64 " of %" PRIu64 ", zeros %" PRIu64 "\n",
                  plain_known, best_known, count, zeros);
    assert_true(plain_known > count / 5 && best_known > count / 2 && zeros > 0);
}

/* ---- edges ---- */

static void test_edges(void **state)
{
    (void)state;
    abut_root r[TERMS];
    const double zero[4] = { 0 }, constant[3] = { 3, 0, 0 }, nan[2] = { 1, NAN }, inf[2] = { INFINITY, 1 },
                 line[2] = { -0.5, 1 };
    assert_int_equal(abut_polynomial_roots_certified(zero, 3, 0, 1, 0, r), -1);
    assert_int_equal(abut_polynomial_roots_certified(constant, 2, -INFINITY, INFINITY, 0, r), 0);
    assert_int_equal(abut_polynomial_roots_certified(constant, 0, 0, 1, 0, r), 0);
    assert_int_equal(abut_polynomial_roots_certified(nan, 1, 0, 1, 0, r), -1);
    assert_int_equal(abut_polynomial_roots_certified(inf, 1, 0, 1, 0, r), -1);
    assert_int_equal(abut_polynomial_roots_certified(line, 1, 1, 0, 0, r), -1);
    assert_int_equal(abut_polynomial_roots_certified(line, 1, NAN, 0, 0, r), -1);
    assert_int_equal(abut_polynomial_roots_certified(line, 1, 0, NAN, 0, r), -1);
    assert_int_equal(abut_polynomial_roots_certified(line, 33, 0, 1, 0, r), -1);
    assert_int_equal(abut_polynomial_roots_certified(line, -1, 0, 1, 0, r), -1);
    assert_int_equal(abut_polynomial_roots_certified(line, 1, 0.5, 0.5, 0, r), 1);
    assert_true(r[0].x.lo == 0.5 && r[0].x.hi == 0.5 && r[0].kind == ABUT_ROOT_SIMPLE);
    assert_int_equal(abut_polynomial_roots_certified(line, 1, 0.25, 0.25, 0, r), 0);
    assert_int_equal(abut_polynomial_roots_certified(line, 1, 0, 0, 0, r), 0);
    /* a double root, asked for at one point, at the ends, and not quite */
    const double square[3] = { 1, -2, 1 };
    const double ends[4][2] = { { 1, 1 }, { 0, 1 }, { 1, 2 }, { -INFINITY, INFINITY } };
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(abut_polynomial_roots_certified(square, 2, ends[i][0], ends[i][1], 0, r), 1);
        assert_true(r[0].x.lo == 1 && r[0].x.hi == 1 && r[0].kind == ABUT_ROOT_MULTIPLE &&
                    r[0].multiplicity == 2);
    }
    assert_int_equal(abut_polynomial_roots_certified(square, 2, 0, nextafter(1, 0), 0, r), 0);
    assert_int_equal(abut_polynomial_roots_certified(square, 2, nextafter(1, 2), 3, 0, r), 0);
    /* beyond the doubles, and below them */
    const double far[2] = { 1, 0x1p-1074 }, near[2] = { -0x1p-1000, 0x1p1000 };
    assert_int_equal(abut_polynomial_roots_certified(far, 1, -INFINITY, INFINITY, 0, r), 1);
    assert_true(r[0].x.lo == -INFINITY && r[0].x.hi == -DBL_MAX && r[0].kind == ABUT_ROOT_SIMPLE);
    assert_int_equal(abut_polynomial_roots_certified(far, 1, -DBL_MAX, INFINITY, 0, r), 0);
    assert_int_equal(abut_polynomial_roots_certified(near, 1, -INFINITY, INFINITY, 0, r), 1);
    assert_true(r[0].x.lo == 0 && r[0].x.hi == 0x1p-1074 && r[0].kind == ABUT_ROOT_SIMPLE);
    /* roots that no doubles separate: the product of (x - 2^-1074 / 3) and x */
    const double tiny[3] = { 0, -0x1p-1074, 3 };
    assert_int_equal(abut_polynomial_roots_certified(tiny, 2, -1, 1, 0, r), 1);
    assert_true(r[0].kind == ABUT_ROOT_CLUSTER && r[0].multiplicity == 2);
    /* at 2^340 the last term, 2^-735 of the others, decides */
    const double faint[5] = { -0x1.8p1021, 0, 0, 3, 0x1p-1073 };
    assert_int_equal(abut_polynomial_roots_certified(faint, 4, 0, INFINITY, 0, r), 1);
    assert_true(r[0].x.lo == nextafter(0x1p340, 0) && r[0].x.hi == 0x1p340 && r[0].kind == ABUT_ROOT_SIMPLE);
    /* (3 x - 1)^2 +- 2^-1000 x^32: two roots 2^-516 from 1/3, real or not, more than the budget
     * can tell; (x - 1)^2 -+ the same: on either side of 1, and told at once */
    for (int sign = -1; sign <= 1; sign += 2) {
        const double third[33] = { [0] = 1, [1] = -6, [2] = 9, [32] = sign * 0x1p-1000 };
        assert_int_equal(abut_polynomial_roots_certified(third, 32, 0, 1, 0, r), 1);
        assert_true(r[0].x.lo <= 1. / 3 && r[0].x.hi > 1. / 3 && r[0].x.hi - r[0].x.lo < 1e-15);
        assert_true(r[0].kind == ABUT_ROOT_CLUSTER && r[0].multiplicity == 2);
        const double one[33] = { [0] = 1, [1] = -2, [2] = 1, [32] = sign * 0x1p-1000 };
        assert_int_equal(abut_polynomial_roots_certified(one, 32, 0, 2, 0, r), sign < 0 ? 2 : 0);
    }
    const double power[33] = { [32] = -2 };
    assert_int_equal(abut_polynomial_roots_certified(power, 32, 0, 1, 0, r), 1);
    assert_true(r[0].x.lo == 0 && r[0].x.hi == 0 && r[0].multiplicity == 32);
    assert_int_equal(abut_poly_roots_interval(&(abut_interval){ -1, 1 }, 0, 0, 1, 0, r), -1);
    const abut_interval around[2] = { { -1, 1 }, { 1, 1 } };
    assert_int_equal(abut_poly_roots_interval(around, 1, 0, 0, 0, r), 1);
    assert_int_equal(abut_poly_roots_interval(around, 1, -INFINITY, 0, 0, r), -1);
}

/* The same bits in every rounding mode, and the mode restored; mirrored and scaled polynomials
 * have mirrored and scaled roots. */
static void test_invariance(void **state)
{
    (void)state;
    static const int modes[4] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
    const uint64_t count = test_count(3000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        double c[TERMS], d[TERMS], e[TERMS], lo, hi;
        const int degree = ill_conditioned(&r, test_below(&r, ILL_CONDITIONED), c, &lo, &hi);
        abut_root first[TERMS], other[TERMS];
        memset(first, 0, sizeof first);
        const int n = abut_polynomial_roots_certified(c, degree, lo, hi, 0, first);
        for (int m = 1; m < 4; ++m) {
            memset(other, 0, sizeof other);
            fesetround(modes[m]);
            const int k = abut_polynomial_roots_certified(c, degree, lo, hi, 0, other);
            const int after = fegetround();
            fesetround(FE_TONEAREST);
            TEST_CHECK(k == n && after == modes[m] && memcmp(first, other, sizeof first) == 0,
                       "mode %d, seed %" PRIu64, m, seed);
        }
        bool in_range = true;
        for (int i = 0; i <= degree; ++i) {
            d[i] = i & 1 ? -c[i] : c[i];
            e[i] = ldexp(c[i], -3 * i); /* p(x / 8) */
            in_range = in_range && (c[i] == 0 || (fabs(c[i]) > 1e-100 && fabs(c[i]) < 1e100));
        }
        const int mirrored = abut_polynomial_roots_certified(d, degree, -hi, -lo, 0, other);
        TEST_CHECK(mirrored == n, "mirrored, seed %" PRIu64, seed);
        for (int i = 0; i < n; ++i)
            TEST_CHECK(other[i].x.lo == -first[n - 1 - i].x.hi && other[i].x.hi == -first[n - 1 - i].x.lo &&
                           other[i].kind == first[n - 1 - i].kind,
                       "mirrored, seed %" PRIu64, seed);
        if (!in_range)
            continue;
        const int scaled = abut_polynomial_roots_certified(e, degree, 8 * lo, 8 * hi, 0, other);
        TEST_CHECK(scaled == n, "scaled, seed %" PRIu64, seed);
        for (int i = 0; i < n; ++i)
            TEST_CHECK(other[i].x.lo == 8 * first[i].x.lo && other[i].x.hi == 8 * first[i].x.hi &&
                           other[i].kind == first[i].kind,
                       "scaled, seed %" PRIu64, seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_polynomials), cmocka_unit_test(test_ill_conditioned_polynomials),
        cmocka_unit_test(test_expansions),         cmocka_unit_test(test_intervals),
        cmocka_unit_test(test_point_signs),        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_invariance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
