/* SPDX-License-Identifier: MIT */
/* Exact sign predicates against GMP rationals: random, on grids, nearly and exactly degenerate,
 * wildly scaled, denormal, and in every rounding mode. */
#include "abut/predicates.h"
#include "math/bigint.h"
#include "math/expansion.h"
#include "support/test.h"

#include <fenv.h>
#include <gmp.h>

/* ---- referee: Leibniz expansion over rationals ---- */

static mpq_t entries[16], minor_terms[3], total;

static void setup_referee(void)
{
    for (int i = 0; i < 16; ++i)
        mpq_init(entries[i]);
    for (int i = 0; i < 3; ++i)
        mpq_init(minor_terms[i]);
    mpq_init(total);
}

static int referee_det(int n)
{
    static const int order[24][4] = { { 0, 1, 2, 3 }, { 0, 1, 3, 2 }, { 0, 2, 1, 3 }, { 0, 2, 3, 1 },
                                      { 0, 3, 1, 2 }, { 0, 3, 2, 1 }, { 1, 0, 2, 3 }, { 1, 0, 3, 2 },
                                      { 1, 2, 0, 3 }, { 1, 2, 3, 0 }, { 1, 3, 0, 2 }, { 1, 3, 2, 0 },
                                      { 2, 0, 1, 3 }, { 2, 0, 3, 1 }, { 2, 1, 0, 3 }, { 2, 1, 3, 0 },
                                      { 2, 3, 0, 1 }, { 2, 3, 1, 0 }, { 3, 0, 1, 2 }, { 3, 0, 2, 1 },
                                      { 3, 1, 0, 2 }, { 3, 1, 2, 0 }, { 3, 2, 0, 1 }, { 3, 2, 1, 0 } };
    mpq_set_ui(total, 0, 1);
    for (int k = 0; k < 24; ++k) {
        bool fits = true;
        for (int i = n; i < 4; ++i)
            fits = fits && order[k][i] == i;
        if (!fits)
            continue;
        int swaps = 0;
        for (int i = 0; i < n; ++i)
            for (int j = i + 1; j < n; ++j)
                swaps += order[k][i] > order[k][j];
        mpq_set_si(minor_terms[0], swaps & 1 ? -1 : 1, 1);
        for (int i = 0; i < n; ++i)
            mpq_mul(minor_terms[0], minor_terms[0], entries[n * i + order[k][i]]);
        mpq_add(total, total, minor_terms[0]);
    }
    return mpq_sgn(total);
}

static int referee(int n, const double *x, const double *y)
{
    for (int i = 0; i < n * n; ++i) {
        mpq_set_d(entries[i], x[i]);
        if (y) {
            mpq_set_d(minor_terms[1], y[i]);
            mpq_sub(entries[i], entries[i], minor_terms[1]);
        }
    }
    return referee_det(n);
}

/* ---- cases ---- */

enum { KINDS = 10 };

static double any_double(test_random *r)
{
    for (;;) {
        const uint64_t bits = test_bits(r);
        double x;
        memcpy(&x, &bits, sizeof x);
        if (isfinite(x))
            return x;
    }
}

static double nudge(double x, test_random *r)
{
    const unsigned k = test_below(r, 4);
    return k == 0 ? nextafter(x, INFINITY) : k == 1 ? nextafter(x, -INFINITY) : x;
}

static void fill(double *v, int count, unsigned kind, test_random *r)
{
    for (int i = 0; i < count; ++i)
        switch (kind) {
        case 0: v[i] = test_uniform(r, -1, 1); break;
        /* small grid: often degenerate */
        case 1: v[i] = (double)test_below(r, 7) - 3; break;
        /* grid far from the origin */
        case 2: v[i] = ((double)test_below(r, 9) - 4) * 0x1p-40 + 1; break;
        case 3: v[i] = test_log_uniform(r, -60, 60); break;
        case 4: v[i] = test_log_uniform(r, -1074, 1023); break;
        case 5: v[i] = any_double(r); break;
        case 6: v[i] = ((double)test_below(r, 9) - 4) * 0x1p-1074; break; /* denormal grid */
        case 7: v[i] = ((double)test_below(r, 7) - 3) * (test_below(r, 2) ? 0x1p1000 : 0x1p-1000); break;
        case 8: v[i] = floor(test_uniform(r, -1, 1) * 0x1p38) * 0x1p-20; break; /* 39 bits */
        default: v[i] = test_below(r, 3) ? test_uniform(r, -1, 1) : 0; break;
        }
}

static const int modes[4] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };

static void print_case(int n, const double *x)
{
    for (int i = 0; i < n; ++i)
        print_error("%a%s", x[i], i + 1 < n ? ", " : "\n");
}

#define CHECK_SIGN(call, expected, values, count, seed)                                                    \
    do {                                                                                                   \
        const int wanted = (expected);                                                                     \
        fesetround(modes[(seed)&3]);                                                                       \
        const int found = (call);                                                                          \
        const bool restored = fegetround() == modes[(seed)&3];                                             \
        fesetround(FE_TONEAREST);                                                                          \
        if (found != wanted || !restored) {                                                                \
            print_case(count, values);                                                                     \
            TEST_FAIL("%s = %d, expected %d, mode kept %d, seed %" PRIu64, #call, found, wanted, restored, \
                      (uint64_t)(seed));                                                                   \
        }                                                                                                  \
    } while (0)

static uint64_t zeros_seen;

/* A matrix that is singular, exactly or up to rounding: the last row is a combination of the
 * others. */
static void make_dependent(double *m, int n, test_random *r)
{
    double factor[3];
    const bool exact = test_below(r, 2);
    for (int i = 0; i + 1 < n; ++i)
        factor[i] = exact ? (double)test_below(r, 5) - 2 : test_uniform(r, -2, 2);
    for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int i = 0; i + 1 < n; ++i)
            sum += factor[i] * m[n * i + j];
        m[n * (n - 1) + j] = test_below(r, 8) ? sum : nudge(sum, r);
    }
}

static void test_determinants(void **state)
{
    (void)state;
    setup_referee();
    const uint64_t count = test_count(400000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        const int n = 2 + (int)test_below(&r, 3);
        double m[16];
        fill(m, n * n, test_below(&r, KINDS), &r);
        if (test_below(&r, 2))
            make_dependent(m, n, &r);
        bool finite = true;
        for (int i = 0; i < n * n; ++i)
            finite = finite && isfinite(m[i]);
        if (!finite)
            continue;
        const int expected = referee(n, m, NULL);
        zeros_seen += expected == 0;
        CHECK_SIGN(n == 2   ? abut_det2_sign(m)
                   : n == 3 ? abut_det3_sign(m)
                            : abut_det4_sign(m),
                   expected, m, n * n, seed);
    }
    assert_true(zeros_seen > count / 100);
}

/* The last point is a combination of the others with integer weights that sum to 1, or nearly
 * so. */
static void make_flat(double *p, int points, int dim, test_random *r)
{
    double weight[4], rest = 1;
    const bool exact = test_below(r, 2);
    for (int i = 0; i + 2 < points; ++i) {
        weight[i] = exact ? (double)test_below(r, 5) - 2 : test_uniform(r, -1, 1);
        rest -= weight[i];
    }
    weight[points - 2] = rest;
    for (int k = 0; k < dim; ++k) {
        double sum = 0;
        for (int i = 0; i + 1 < points; ++i)
            sum += weight[i] * p[dim * i + k];
        p[dim * (points - 1) + k] = test_below(r, 8) ? sum : nudge(sum, r);
    }
}

static bool all_finite(const double *p, int n)
{
    for (int i = 0; i < n; ++i)
        if (!isfinite(p[i]))
            return false;
    return true;
}

static void test_orientations(void **state)
{
    (void)state;
    const uint64_t count = test_count(400000);
    uint64_t flat = 0;
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        double p[12];
        const bool spatial = test_below(&r, 2);
        const int dim = spatial ? 3 : 2, points = spatial ? 4 : 3;
        fill(p, dim * points, test_below(&r, KINDS), &r);
        if (test_below(&r, 2))
            make_flat(p, points, dim, &r);
        if (!all_finite(p, dim * points))
            continue;
        double x[9], y[9];
        for (int i = 0; i < dim * dim; ++i) {
            x[i] = p[i];
            y[i] = p[dim * (points - 1) + i % dim];
        }
        const int expected = referee(dim, x, y);
        flat += expected == 0;
        if (!spatial) {
            CHECK_SIGN(abut_orient2d(p, p + 2, p + 4), expected, p, 6, seed);
            CHECK_SIGN(abut_orient2d(p + 2, p, p + 4), -expected, p, 6, seed);
            continue;
        }
        const abut_vec3 a = { p[0], p[1], p[2] }, b = { p[3], p[4], p[5] }, c = { p[6], p[7], p[8] },
                        d = { p[9], p[10], p[11] };
        CHECK_SIGN(abut_orient3d(a, b, c, d), expected, p, 12, seed);
        CHECK_SIGN(abut_orient3d(d, b, c, a), -expected, p, 12, seed);
        CHECK_SIGN(abut_coplanar(b, c, d, a), expected == 0, p, 12, seed);
    }
    assert_true(flat > count / 100);
}

static void test_collinear(void **state)
{
    (void)state;
    const uint64_t count = test_count(50000);
    uint64_t straight = 0;
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        double p[9];
        fill(p, 9, test_below(&r, KINDS), &r);
        if (test_below(&r, 4))
            make_flat(p, 3, 3, &r);
        if (!all_finite(p, 9))
            continue;
        bool expected = true;
        for (int k = 0; k < 3; ++k) {
            const int l = (k + 1) % 3;
            const double x[4] = { p[k], p[l], p[3 + k], p[3 + l] },
                         y[4] = { p[6 + k], p[6 + l], p[6 + k], p[6 + l] };
            expected = expected && referee(2, x, y) == 0;
        }
        straight += expected;
        const abut_vec3 a = { p[0], p[1], p[2] }, b = { p[3], p[4], p[5] }, c = { p[6], p[7], p[8] };
        CHECK_SIGN(abut_collinear(a, b, c), expected, p, 9, seed);
    }
    assert_true(straight > count / 100);
}

static void test_known(void **state)
{
    (void)state;
    const double o[2] = { 0, 0 }, x[2] = { 1, 0 }, y[2] = { 0, 1 };
    assert_int_equal(abut_orient2d(o, x, y), 1);
    assert_int_equal(abut_orient2d(o, y, x), -1);
    const abut_vec3 a = { 1, 0, 0 }, b = { 0, 1, 0 }, c = { 0, 0, 0 }, below = { 0, 0, -1 },
                    above = { 0, 0, 1e-300 };
    assert_int_equal(abut_orient3d(a, b, c, below), 1);
    assert_int_equal(abut_orient3d(a, b, c, above), -1);
    assert_true(abut_coplanar(a, b, c, (abut_vec3){ 1e300, -1e-300, 0 }));
    const double identity[16] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 };
    assert_int_equal(abut_det4_sign(identity), 1);
    /* Products that underflow and overflow in doubles. */
    const double tiny[4] = { 0x1p-1074, 0x1p-1073, 0x1p-1074, 0x1p-1074 };
    assert_int_equal(abut_det2_sign(tiny), -1);
    const double huge[4] = { DBL_MAX, DBL_MAX, nextafter(DBL_MAX, 0), DBL_MAX };
    assert_int_equal(abut_det2_sign(huge), 1);
}

static void test_not_finite(void **state)
{
    (void)state;
    const double bad[3] = { INFINITY, -INFINITY, NAN };
    for (int k = 0; k < 3; ++k)
        for (int at = 0; at < 16; ++at) {
            double m[16];
            test_random r = test_seed((uint64_t)(16 * k + at));
            fill(m, 16, at & 1 ? 1 : 0, &r);
            m[at] = bad[k];
            assert_int_equal(abut_det4_sign(m), ABUT_SIGN_UNDEFINED);
            if (at < 9)
                assert_int_equal(abut_det3_sign(m), ABUT_SIGN_UNDEFINED);
            if (at < 4)
                assert_int_equal(abut_det2_sign(m), ABUT_SIGN_UNDEFINED);
            if (at < 6)
                assert_int_equal(abut_orient2d(m, m + 2, m + 4), ABUT_SIGN_UNDEFINED);
            if (at < 12) {
                const abut_vec3 a = { m[0], m[1], m[2] }, b = { m[3], m[4], m[5] }, c = { m[6], m[7], m[8] },
                                d = { m[9], m[10], m[11] };
                assert_int_equal(abut_orient3d(a, b, c, d), ABUT_SIGN_UNDEFINED);
                assert_false(abut_coplanar(a, b, c, d));
                if (at < 9)
                    assert_false(abut_collinear(a, b, c));
            }
        }
}

/* ---- the integers and expansions below ---- */

static void mpz_of(mpz_t z, const uint64_t *a, int n)
{
    mpz_import(z, (size_t)abs(n), -1, 8, 0, 0, a);
    if (n < 0)
        mpz_neg(z, z);
}

static int random_z(uint64_t *a, int limbs, test_random *r)
{
    int n = (int)test_below(r, (unsigned)limbs + 1);
    for (int i = 0; i < n; ++i)
        a[i] = test_below(r, 3) ? test_bits(r) : test_below(r, 2) ? 0 : UINT64_MAX;
    while (n > 0 && a[n - 1] == 0)
        --n;
    return test_below(r, 2) ? n : -n;
}

static void test_integers(void **state)
{
    (void)state;
    mpz_t x, y, z, w;
    mpz_inits(x, y, z, w, NULL);
    const uint64_t count = test_count(100000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        uint64_t a[8], b[8], out[24];
        const int an = random_z(a, 8, &r), bn = random_z(b, 8, &r);
        mpz_of(x, a, an);
        mpz_of(y, b, bn);
        mpz_of(z, out, abut_z_add(out, a, an, b, bn));
        mpz_add(w, x, y);
        TEST_CHECK(mpz_cmp(z, w) == 0, "add, seed %" PRIu64, seed);
        mpz_of(z, out, abut_z_mul(out, a, an, b, bn));
        mpz_mul(w, x, y);
        TEST_CHECK(mpz_cmp(z, w) == 0, "mul, seed %" PRIu64, seed);
        const int shift = (int)test_below(&r, 300);
        int n = abut_z_shl(out, a, an, shift);
        mpz_of(z, out, n);
        mpz_mul_2exp(w, x, (mp_bitcnt_t)shift);
        TEST_CHECK(mpz_cmp(z, w) == 0, "shl, seed %" PRIu64, seed);
        n = abut_z_shr(out, a, an, shift);
        mpz_of(z, out, n);
        mpz_tdiv_q_2exp(w, x, (mp_bitcnt_t)shift);
        TEST_CHECK(mpz_cmp(z, w) == 0, "shr, seed %" PRIu64, seed);
        const int order = mpz_cmp(x, y);
        TEST_CHECK(abut_z_compare(a, an, b, bn) == (order > 0) - (order < 0), "compare, seed %" PRIu64, seed);
        const uint64_t modulus = (test_bits(&r) >> 2) | 1;
        TEST_CHECK(abut_z_mod(a, an, modulus) == mpz_fdiv_ui(x, modulus), "mod, seed %" PRIu64, seed);
        /* High and low part and the error bound contain the number. */
        double low, error;
        const int e = (int)test_below(&r, 400) - 200;
        const double high = abut_z_to_double(a, an, e, &low, &error);
        mpq_t q, s, t;
        mpq_inits(q, s, t, NULL);
        mpq_set_z(q, x);
        e >= 0 ? mpq_mul_2exp(q, q, (mp_bitcnt_t)e) : mpq_div_2exp(q, q, (mp_bitcnt_t)-e);
        mpq_set_d(s, high);
        mpq_sub(q, q, s);
        mpq_set_d(s, low);
        mpq_sub(q, q, s);
        mpq_abs(q, q);
        mpq_set_d(t, error);
        TEST_CHECK(mpq_cmp(q, t) <= 0, "to_double, seed %" PRIu64, seed);
        mpq_clears(q, s, t, NULL);
    }
    mpz_clears(x, y, z, w, NULL);
}

static void mpq_of(mpq_t q, const double *e, int n, mpq_t temp)
{
    mpq_set_ui(q, 0, 1);
    for (int i = 0; i < n; ++i) {
        mpq_set_d(temp, e[i]);
        mpq_add(q, q, temp);
    }
}

static void test_expansions(void **state)
{
    (void)state;
    mpq_t x, y, z, w, temp;
    mpq_inits(x, y, z, w, temp, NULL);
    const uint64_t count = test_count(30000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        double e[16], f[16], g[16], h[256], scratch[256], v[8];
        int en = 0, fn = 0;
        fill(v, 8, test_below(&r, 2) ? 3 : 1, &r);
        for (int i = 0; i < 4; ++i) {
            const int n = abut_expansion_sum(en, e, v[i] != 0, &v[i], g);
            memcpy(e, g, sizeof g);
            en = n;
            const int m = abut_expansion_sum(fn, f, v[4 + i] != 0, &v[4 + i], g);
            memcpy(f, g, sizeof g);
            fn = m;
        }
        mpq_of(x, e, en, temp);
        mpq_of(y, f, fn, temp);
        mpq_of(z, h, abut_expansion_sum(en, e, fn, f, h), temp);
        mpq_add(w, x, y);
        TEST_CHECK(mpq_equal(z, w), "sum, seed %" PRIu64, seed);
        const int n = abut_expansion_product(en, e, fn, f, h, scratch);
        mpq_of(z, h, n, temp);
        mpq_mul(w, x, y);
        TEST_CHECK(mpq_equal(z, w), "product, seed %" PRIu64, seed);
        TEST_CHECK(abut_expansion_sign(n, h) == mpq_sgn(w), "sign, seed %" PRIu64, seed);
    }
    mpq_clears(x, y, z, w, temp, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_determinants), cmocka_unit_test(test_orientations),
        cmocka_unit_test(test_collinear),    cmocka_unit_test(test_known),
        cmocka_unit_test(test_not_finite),   cmocka_unit_test(test_integers),
        cmocka_unit_test(test_expansions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
