/* SPDX-License-Identifier: MIT */
/* See ellipsoid_ccd.h. With N = M_a^-1 M_b and c = M_a^-1 (c_b - c_a), b is {c + N z : |z| <=
 * 1}. If |N^-1 c| <= 1 the origin is in b. Otherwise the nearest point has |z| = 1 and (N^T N +
 * l I) z = -N^T c with l > 0, where |z(l)| falls with l: Newton's method on 1 / |z| - 1, which
 * is nearly straight and concave, from the left, kept in a bracket. */
#include "oracle/ellipsoid_ccd.h"

#include <math.h>

enum { BITS = 320 };

typedef mpfr_t vec[3];
typedef mpfr_t mat[3][3];

static struct {
    mat ma, mb, n, g, h;
    vec ca, cb, c, w, z, y;
    mpfr_t det, l, lo, hi, p, q, r, size;
} s;

static void each(void (*f)(mpfr_t))
{
    mat *const ms[] = { &s.ma, &s.mb, &s.n, &s.g, &s.h };
    vec *const vs[] = { &s.ca, &s.cb, &s.c, &s.w, &s.z, &s.y };
    mpfr_t *const xs[] = { &s.det, &s.l, &s.lo, &s.hi, &s.p, &s.q, &s.r, &s.size };
    for (size_t i = 0; i < sizeof ms / sizeof *ms; ++i)
        for (int j = 0; j < 9; ++j)
            f((*ms[i])[j / 3][j % 3]);
    for (size_t i = 0; i < sizeof vs / sizeof *vs; ++i)
        for (int j = 0; j < 3; ++j)
            f((*vs[i])[j]);
    for (size_t i = 0; i < sizeof xs / sizeof *xs; ++i)
        f(*xs[i]);
}

static void set_up(mpfr_t x)
{
    mpfr_init2(x, BITS);
}

static void tear_down(mpfr_t x)
{
    mpfr_clear(x);
}

void oracle_ellipsoids_begin(void)
{
    oracle_set_precision(BITS);
    each(set_up);
}

void oracle_ellipsoids_end(void)
{
    each(tear_down);
    oracle_free();
}

static void place(const oracle_ellipsoid *e, double t, mat m, vec c)
{
    const double r[3] = { e->radii.x, e->radii.y, e->radii.z };
    if (!e->motion) {
        for (int i = 0; i < 9; ++i)
            mpfr_set_d(m[i / 3][i % 3], i % 4 == 0 ? r[i / 3] : 0, MPFR_RNDN);
        for (int i = 0; i < 3; ++i)
            mpfr_set_d(c[i], 0, MPFR_RNDN);
        return;
    }
    const oracle_place at = oracle_motion_at(e->motion, t);
    for (int i = 0; i < 9; ++i)
        mpfr_mul_d(m[i / 3][i % 3], at.v[i], r[i % 3], MPFR_RNDN);
    for (int i = 0; i < 3; ++i)
        mpfr_set(c[i], at.v[9 + i], MPFR_RNDN);
}

/* p x q - r x t of entries */
static void minor(mpfr_t out, mpfr_srcptr a, mpfr_srcptr d, mpfr_srcptr b, mpfr_srcptr c)
{
    mpfr_mul(out, a, d, MPFR_RNDN);
    mpfr_mul(s.size, b, c, MPFR_RNDN);
    mpfr_sub(out, out, s.size, MPFR_RNDN);
}

/* out = adj(m), s.det = det m */
static void adjugate(mat m, mat out)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
            minor(out[i][j], m[a][c], m[b][d], m[a][d], m[b][c]);
        }
    mpfr_set_d(s.det, 0, MPFR_RNDN);
    for (int j = 0; j < 3; ++j) {
        mpfr_mul(s.size, m[0][j], out[j][0], MPFR_RNDN);
        mpfr_add(s.det, s.det, s.size, MPFR_RNDN);
    }
}

/* out = m^T x or m x */
static void apply(mat m, bool transposed, vec x, vec out)
{
    for (int i = 0; i < 3; ++i) {
        mpfr_set_d(out[i], 0, MPFR_RNDN);
        for (int j = 0; j < 3; ++j) {
            mpfr_mul(s.size, transposed ? m[j][i] : m[i][j], x[j], MPFR_RNDN);
            mpfr_add(out[i], out[i], s.size, MPFR_RNDN);
        }
    }
}

/* out = m^-1 x */
static void solve(mat m, vec x, vec out)
{
    adjugate(m, s.h);
    apply(s.h, false, x, out);
    for (int i = 0; i < 3; ++i)
        mpfr_div(out[i], out[i], s.det, MPFR_RNDN);
}

static void square(mpfr_t out, vec x)
{
    mpfr_set_d(out, 0, MPFR_RNDN);
    for (int i = 0; i < 3; ++i) {
        mpfr_sqr(s.size, x[i], MPFR_RNDN);
        mpfr_add(out, out, s.size, MPFR_RNDN);
    }
}

/* z of the multiplier l into s.z; |z|^2 into s.p; z . dz/dl = -z . (G + l)^-1 z into s.q */
static void secular(void)
{
    mat shifted;
    for (int i = 0; i < 9; ++i)
        mpfr_init2(shifted[i / 3][i % 3], BITS);
    for (int i = 0; i < 9; ++i) {
        mpfr_set(shifted[i / 3][i % 3], s.g[i / 3][i % 3], MPFR_RNDN);
        if (i % 4 == 0)
            mpfr_add(shifted[i / 3][i % 3], shifted[i / 3][i % 3], s.l, MPFR_RNDN);
    }
    solve(shifted, s.w, s.z);
    solve(shifted, s.z, s.y);
    square(s.p, s.z);
    mpfr_set_d(s.q, 0, MPFR_RNDN);
    for (int i = 0; i < 3; ++i) {
        mpfr_mul(s.size, s.z[i], s.y[i], MPFR_RNDN);
        mpfr_sub(s.q, s.q, s.size, MPFR_RNDN);
    }
    for (int i = 0; i < 9; ++i)
        mpfr_clear(shifted[i / 3][i % 3]);
}

double oracle_ellipsoids_gap(const oracle_ellipsoid *a, double time_a, const oracle_ellipsoid *b,
                             double time_b)
{
    place(a, time_a, s.ma, s.ca);
    place(b, time_b, s.mb, s.cb);
    for (int i = 0; i < 3; ++i)
        mpfr_sub(s.cb[i], s.cb[i], s.ca[i], MPFR_RNDN);
    solve(s.ma, s.cb, s.c);
    for (int j = 0; j < 3; ++j) { /* N, column by column */
        for (int i = 0; i < 3; ++i)
            mpfr_set(s.y[i], s.mb[i][j], MPFR_RNDN);
        solve(s.ma, s.y, s.z);
        for (int i = 0; i < 3; ++i)
            mpfr_set(s.n[i][j], s.z[i], MPFR_RNDN);
    }
    solve(s.n, s.c, s.z);
    square(s.p, s.z);
    if (mpfr_cmp_ui(s.p, 1) <= 0)
        return -1;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            mpfr_set_d(s.g[i][j], 0, MPFR_RNDN);
            for (int k = 0; k < 3; ++k) {
                mpfr_mul(s.size, s.n[k][i], s.n[k][j], MPFR_RNDN);
                mpfr_add(s.g[i][j], s.g[i][j], s.size, MPFR_RNDN);
            }
        }
    apply(s.n, true, s.c, s.w);
    for (int i = 0; i < 3; ++i)
        mpfr_neg(s.w[i], s.w[i], MPFR_RNDN);
    /* |z(l)| <= |w| / l, so the root is below |w|. */
    square(s.hi, s.w);
    mpfr_sqrt(s.hi, s.hi, MPFR_RNDU);
    mpfr_set_d(s.lo, 0, MPFR_RNDN);
    mpfr_set_d(s.l, 0, MPFR_RNDN);
    for (int i = 0; i < 1000; ++i) {
        secular();
        mpfr_set(mpfr_cmp_ui(s.p, 1) > 0 ? s.lo : s.hi, s.l, MPFR_RNDN);
        /* l + (|z|^2 / -q) (|z| - 1), the step for 1 / |z| - 1 */
        mpfr_sqrt(s.r, s.p, MPFR_RNDN);
        mpfr_sub_ui(s.r, s.r, 1, MPFR_RNDN);
        mpfr_mul(s.r, s.r, s.p, MPFR_RNDN);
        mpfr_div(s.r, s.r, s.q, MPFR_RNDN);
        mpfr_sub(s.r, s.l, s.r, MPFR_RNDN);
        if (mpfr_cmp(s.r, s.lo) < 0 || mpfr_cmp(s.r, s.hi) > 0) {
            mpfr_add(s.r, s.lo, s.hi, MPFR_RNDN);
            mpfr_div_ui(s.r, s.r, 2, MPFR_RNDN);
        }
        mpfr_sub(s.size, s.r, s.l, MPFR_RNDN);
        const bool same = mpfr_zero_p(s.size) ||
                          (!mpfr_zero_p(s.r) && mpfr_get_exp(s.size) < mpfr_get_exp(s.r) - (BITS - 12));
        mpfr_set(s.l, s.r, MPFR_RNDN);
        if (same)
            break;
    }
    secular();
    apply(s.n, false, s.z, s.y);
    for (int i = 0; i < 3; ++i)
        mpfr_add(s.y[i], s.y[i], s.c[i], MPFR_RNDN);
    square(s.p, s.y);
    mpfr_sqrt(s.p, s.p, MPFR_RNDN);
    mpfr_sub_ui(s.p, s.p, 1, MPFR_RNDN);
    return mpfr_get_d(s.p, MPFR_RNDN);
}
