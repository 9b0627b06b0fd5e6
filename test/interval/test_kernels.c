/* SPDX-License-Identifier: MIT */
/* What only kernels see: tables, atan2, scaling by a number, neighbours, vectors and matrices,
 * the small helpers. */
#include "interval/check.h"
#include "interval/ia3.h"
#include "interval/tables.h"

#include <mpfr.h>

/* Both parts are the nearest doubles. */
static void check_two(mpfr_t exact, double high, double low, const char *what, int i)
{
    mpfr_t rest;
    mpfr_init2(rest, 600);
    TEST_CHECK(high == mpfr_get_d(exact, MPFR_RNDN), "%s %d: %a", what, i, high);
    mpfr_sub_d(rest, exact, high, MPFR_RNDN);
    TEST_CHECK(low == mpfr_get_d(rest, MPFR_RNDN), "%s %d: low %a", what, i, low);
    mpfr_clear(rest);
}

static void tables_are_right(void **state)
{
    (void)state;
    mpfr_t pi, x, y;
    mpfr_inits2(1600, pi, x, y, (mpfr_ptr)0);
    mpfr_const_pi(pi, MPFR_RNDN);
    for (int k = 0; k < 160; ++k) {
        mpfr_mul_si(x, pi, k, MPFR_RNDN);
        mpfr_div_2ui(x, x, 6, MPFR_RNDN);
        mpfr_sin(y, x, MPFR_RNDN);
        if (k % 64 == 0)
            mpfr_set_zero(y, 1);
        check_two(y, abut_interval_sin_table[k][0], abut_interval_sin_table[k][1], "sin", k);
    }
    for (int k = 0; k < 64; ++k) {
        mpfr_set_d(x, k / 64.0, MPFR_RNDN);
        mpfr_exp2(y, x, MPFR_RNDN);
        check_two(y, abut_interval_exp2_table[k][0], abut_interval_exp2_table[k][1], "exp2", k);
    }
    for (int k = 0; k <= 64; ++k) {
        mpfr_set_d(x, k / 64.0, MPFR_RNDN);
        mpfr_atan(y, x, MPFR_RNDN);
        check_two(y, abut_interval_atan_table[k][0], abut_interval_atan_table[k][1], "atan", k);
    }
    for (int k = 0; k < 128; ++k) {
        const double *row = abut_interval_log_table[k];
        mpfr_set_d(x, row[0], MPFR_RNDN);
        mpfr_log(y, x, MPFR_RNDN);
        mpfr_neg(y, y, MPFR_RNDN);
        TEST_CHECK(fmod(row[1], 0x1p-42) == 0 && fmod(row[0], 0x1p-9) == 0, "log %d", k);
        mpfr_sub_d(y, y, row[1], MPFR_RNDN);
        TEST_CHECK(row[2] == mpfr_get_d(y, MPFR_RNDN) && fabs(row[2]) <= 0x1p-43, "log %d", k);
        /* |m c - 1| <= 2^-7 at both ends of the cell */
        const double from = check_from_bits(0x3fe6000000000000 + ((uint64_t)k << 45));
        const double to = check_from_bits(0x3fe6000000000000 + ((uint64_t)(k + 1) << 45));
        TEST_CHECK(fabs(from * row[0] - 1) <= 0x1p-7 && fabs(to * row[0] - 1) <= 0x1p-7, "log %d", k);
    }
    mpfr_div_2ui(x, pi, 6, MPFR_RNDN);
    check_two(x, abut_interval_pi64_high, abut_interval_pi64_low, "pi/64", 0);
    mpfr_sub_d(x, x, abut_interval_pi64_one, MPFR_RNDN);
    mpfr_sub_d(x, x, abut_interval_pi64_two, MPFR_RNDN);
    TEST_CHECK(abut_interval_pi64_three == mpfr_get_d(x, MPFR_RNDN), "pi/64 in three parts");
    assert_true(fmod(abut_interval_pi64_one, 0x1p-37) == 0 && fmod(abut_interval_pi64_two, 0x1p-71) == 0);
    mpfr_div_2ui(x, pi, 1, MPFR_RNDN);
    check_two(x, abut_interval_half_pi_high, abut_interval_half_pi_low, "pi/2", 0);
    check_two(pi, abut_interval_pi_high, abut_interval_pi_low, "pi", 0);
    mpfr_const_log2(y, MPFR_RNDN);
    mpfr_sub_d(x, y, abut_interval_ln2_high, MPFR_RNDN);
    TEST_CHECK(abut_interval_ln2_low == mpfr_get_d(x, MPFR_RNDN) &&
                   fmod(abut_interval_ln2_high, 0x1p-42) == 0,
               "ln 2");
    mpfr_div_2ui(y, y, 6, MPFR_RNDN);
    mpfr_sub_d(y, y, abut_interval_ln2_64_one, MPFR_RNDN);
    TEST_CHECK(abut_interval_ln2_64_two == mpfr_get_d(y, MPFR_RNDN) &&
                   fmod(abut_interval_ln2_64_one, 0x1p-41) == 0,
               "ln 2 / 64");
    mpfr_ui_div(x, 2, pi, MPFR_RNDN);
    for (int i = 0; i < 42; ++i) {
        mpfr_mul_2ui(x, x, 32, MPFR_RNDN);
        mpfr_floor(y, x);
        TEST_CHECK(abut_interval_two_over_pi[i] == mpfr_get_ui(y, MPFR_RNDD), "2/pi word %d", i);
        mpfr_sub(x, x, y, MPFR_RNDN);
    }
    mpfr_clears(pi, x, y, (mpfr_ptr)0);
}

static ABUT_NOINLINE void atan2_kernel(const abut_interval *y, const abut_interval *x, abut_interval *out)
{
    *out = ia_to(ia_atan2(ia_from(*y), ia_from(*x)));
}

static abut_interval call_atan2(abut_interval y, abut_interval x)
{
    abut_interval out;
    const abut_rounding saved = abut_rounding_enter();
    atan2_kernel(&y, &x, &out);
    abut_rounding_leave(saved);
    return out;
}

static void atan2_holds_the_angle(void **state)
{
    (void)state;
    const uint64_t count = test_count(400000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        abut_interval x = check_interval(&r), y = check_interval(&r);
        if (seed & 1) {
            x.hi = x.lo;
            y.hi = y.lo;
        }
        const double px = check_member(&r, x) + 0.0, py = check_member(&r, y) + 0.0;
        if (px == 0 && py == 0)
            continue;
        const oracle_bounds truth = oracle_mpfr(ORACLE_ATAN2, py, px);
        const abut_interval out = call_atan2(y, x);
        TEST_CHECK(out.lo <= truth.below && out.hi >= truth.above,
                   "atan2([%a, %a], [%a, %a]) = [%a, %a], but at (%a, %a) it is in [%a, %a], seed %" PRIu64,
                   y.lo, y.hi, x.lo, x.hi, out.lo, out.hi, py, px, truth.below, truth.above, seed);
        if (seed & 1)
            TEST_CHECK(check_ulps(out.lo, out.hi) <= 4 || out.hi - out.lo > 6, "atan2(%a, %a) = [%a, %a]", py,
                       px, out.lo, out.hi);
    }
    const abut_interval all = { -INFINITY, INFINITY }, up = { 1, INFINITY }, one = { 1, 1 };
    abut_interval out = call_atan2(one, all);
    assert_true(out.lo == 0 && out.hi >= 0x1.921fb54442d18p+1);
    out = call_atan2(up, one);
    assert_true(out.lo <= 0.7853981633974483 && out.lo > 0.785 && out.hi >= 0x1.921fb54442d18p+0 &&
                out.hi < 1.5708);
    out = call_atan2((abut_interval){ -1, 1 }, up);
    assert_true(out.lo > -0.7854 && out.hi < 0.7854);
    out = call_atan2((abut_interval){ 0, 1 }, (abut_interval){ -2, -1 });
    assert_true(out.lo > 2 && out.hi >= 0x1.921fb54442d18p+1);
}

typedef struct small {
    double lo, hi, s, x;
    abut_interval scaled, product;
    double mag, mig;
    bool interior, subset;
} small;

static ABUT_NOINLINE void small_kernel(small *s)
{
    const ia a = ia_make(s->lo, s->hi);
    s->scaled = ia_to(ia_scale(s->s, a));
    s->product = ia_to(ia_mul(ia_point(s->s), a));
    s->mag = ia_mag(a);
    s->mig = ia_mig(a);
    s->interior = ia_interior(a, ia_make(s->lo, s->hi));
    s->subset = ia_subset(a, a);
}

static void helpers(void **state)
{
    (void)state;
    const uint64_t count = test_count(200000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        const abut_interval a = check_interval(&r);
        small s = { .lo = a.lo, .hi = a.hi, .s = check_double(&r) };
        if (test_below(&r, 16) == 0)
            s.lo = -INFINITY;
        const abut_rounding saved = abut_rounding_enter();
        small_kernel(&s);
        abut_rounding_leave(saved);
        TEST_CHECK(s.scaled.lo == s.product.lo && s.scaled.hi == s.product.hi, "%a [%a, %a]", s.s, s.lo,
                   s.hi);
        assert_true(s.mag == fmax(fabs(s.lo), fabs(s.hi)));
        assert_true(s.mig == (s.lo <= 0 && s.hi >= 0 ? 0 : fmin(fabs(s.lo), fabs(s.hi))));
        assert_true(!s.interior && s.subset);
        assert_true(ia_up(a.lo) == nextafter(a.lo, INFINITY) && ia_down(a.lo) == nextafter(a.lo, -INFINITY));
    }
    assert_true(ia_up(INFINITY) == INFINITY && ia_up(-INFINITY) == -DBL_MAX && ia_up(DBL_MAX) == INFINITY);
    assert_true(ia_sign(ia_make(1, 2)) == 1 && ia_sign(ia_make(-2, -1)) == -1 && ia_sign(ia_make(0, 2)) == 0);
    assert_true(ia_is_positive(ia_make(1, 2)) && !ia_is_positive(ia_make(0, 2)) &&
                ia_is_nonnegative(ia_make(0, 2)));
    assert_true(ia_is_negative(ia_make(-2, -1)) && ia_is_nonpositive(ia_make(-2, 0)) &&
                ia_contains_zero(ia_make(-2, 0)));
    assert_true(ia_interior(ia_make(1, 2), ia_make(0, 3)) && !ia_interior(ia_make(0, 2), ia_make(0, 3)));
    assert_true(ia_interior(ia_entire(), ia_entire()) && ia_interior(ia_empty(), ia_make(0, 0)));
    assert_true(ia_is_point(ia_point(3)) && ia_is_empty(ia_intersect(ia_make(0, 1), ia_make(2, 3))));
    assert_true(ia_lo(ia_pi()) == 0x1.921fb54442d18p+1 && ia_hi(ia_pi()) == 0x1.921fb54442d19p+1);
}

typedef struct spatial {
    abut_interval_vec3 a, b, cross, image;
    abut_interval_mat3 m, n, product;
    abut_interval dot, norm;
} spatial;

static ABUT_NOINLINE void spatial_kernel(spatial *s)
{
    const ia3 a = ia3_from(&s->a), b = ia3_from(&s->b);
    const ia33 m = ia33_from(&s->m), n = ia33_from(&s->n), product = ia33_mul(&m, &n);
    s->dot = ia_to(ia3_dot(a, b));
    s->norm = ia_to(ia3_sqr_norm(a));
    s->cross = ia3_to(ia3_cross(a, b));
    s->image = ia3_to(ia33_mul3(&m, a));
    s->product = ia33_to(&product);
}

static bool holds(abut_interval a, double x)
{
    return a.lo <= x && x <= a.hi;
}

/* Small integers are exact in doubles, so that the referee is plain arithmetic. */
static void vectors_and_matrices(void **state)
{
    (void)state;
    const uint64_t count = test_count(100000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        spatial s;
        double p[24];
        abut_interval *in[24];
        in[0] = &s.a.x, in[1] = &s.a.y, in[2] = &s.a.z, in[3] = &s.b.x, in[4] = &s.b.y, in[5] = &s.b.z;
        for (int i = 0; i < 9; ++i) {
            in[6 + i] = &s.m.m[i / 3][i % 3];
            in[15 + i] = &s.n.m[i / 3][i % 3];
        }
        for (int i = 0; i < 24; ++i) {
            const double lo = (int)test_below(&r, 40) - 20, hi = lo + (seed & 1 ? test_below(&r, 10) : 0);
            *in[i] = (abut_interval){ lo, hi };
            p[i] = lo + floor(test_uniform(&r, 0, 1) * (hi - lo + 0.5));
        }
        const abut_rounding saved = abut_rounding_enter();
        spatial_kernel(&s);
        abut_rounding_leave(saved);
        const double *a = p, *b = p + 3, *m = p + 6, *n = p + 15;
        bool ok = holds(s.dot, a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) &&
                  holds(s.norm, a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) &&
                  holds(s.cross.x, a[1] * b[2] - a[2] * b[1]) &&
                  holds(s.cross.y, a[2] * b[0] - a[0] * b[2]) &&
                  holds(s.cross.z, a[0] * b[1] - a[1] * b[0]) &&
                  holds(s.image.y, m[3] * a[0] + m[4] * a[1] + m[5] * a[2]);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                ok = ok && holds(s.product.m[i][j],
                                 m[3 * i] * n[j] + m[3 * i + 1] * n[3 + j] + m[3 * i + 2] * n[6 + j]);
        TEST_CHECK(ok, "seed %" PRIu64, seed);
        if (!(seed & 1))
            assert_true(s.dot.lo == s.dot.hi && s.cross.z.lo == s.cross.z.hi &&
                        s.product.m[2][1].lo == s.product.m[2][1].hi);
    }
}

static ABUT_NOINLINE void sin_cos_kernel(const abut_interval *a, abut_interval out[4])
{
    ia s, c;
    ia_sin_cos(ia_from(*a), &s, &c);
    out[0] = ia_to(s);
    out[1] = ia_to(c);
    out[2] = ia_to(ia_sin(ia_from(*a)));
    out[3] = ia_to(ia_cos(ia_from(*a)));
}

/* ia_sin and ia_cos are judged by MPFR; both at once must be the same to the last bit. */
static void sine_and_cosine_together(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_count(200000); ++seed) {
        test_random r = test_seed(seed);
        const double lo =
            test_below(&r, 8) ? test_log_uniform(&r, -30, 20) : test_log_uniform(&r, -1000, 1000);
        const double width = test_below(&r, 4) ? exp2(test_uniform(&r, -50, 4)) : 0;
        abut_interval a = { lo, lo + width }, out[4];
        if (test_below(&r, 50) == 0)
            a = test_below(&r, 2) ? (abut_interval){ lo, HUGE_VAL } : (abut_interval){ 0, 0 };
        const abut_rounding saved = abut_rounding_enter();
        sin_cos_kernel(&a, out);
        abut_rounding_leave(saved);
        TEST_CHECK(memcmp(&out[0], &out[2], sizeof out[0]) == 0 &&
                       memcmp(&out[1], &out[3], sizeof out[1]) == 0,
                   "seed %" PRIu64 ": [%a, %a]", seed, a.lo, a.hi);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_right),         cmocka_unit_test(atan2_holds_the_angle),
        cmocka_unit_test(sine_and_cosine_together), cmocka_unit_test(helpers),
        cmocka_unit_test(vectors_and_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
