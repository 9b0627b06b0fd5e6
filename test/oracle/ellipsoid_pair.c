/* SPDX-License-Identifier: MIT */
/* See ellipsoid_pair.h. Numbers live in a pool that is emptied for each question, so that they
 * can be written like numbers. */
#include "oracle/ellipsoid_pair.h"

#include <mpfr.h>
#include <stdlib.h>

typedef mpfr_ptr num;

enum { POOL = 1 << 16 };
static mpfr_t *pool;
static int used, made, precision;

static num fresh(void)
{
    if (!pool)
        pool = malloc(POOL * sizeof *pool);
    if (!pool || used == POOL)
        abort();
    if (used == made)
        mpfr_init2(pool[made++], precision);
    else if (mpfr_get_prec(pool[used]) != precision)
        mpfr_set_prec(pool[used], precision);
    return pool[used++];
}

static void begin(int bits)
{
    used = 0;
    precision = bits;
}

void oracle_ellipsoid_free(void)
{
    for (int i = 0; i < made; ++i)
        mpfr_clear(pool[i]);
    free(pool);
    pool = NULL;
    used = made = 0;
    mpfr_free_cache();
}

#define BINARY(name, call)        \
    static num name(num a, num b) \
    {                             \
        const num r = fresh();    \
        call(r, a, b, MPFR_RNDN); \
        return r;                 \
    }
BINARY(add, mpfr_add)
BINARY(sub, mpfr_sub)
BINARY(mul, mpfr_mul)
BINARY(quo, mpfr_div)

static num of(double x)
{
    const num r = fresh();
    mpfr_set_d(r, x, MPFR_RNDN);
    return r;
}

static num root(num a)
{
    const num r = fresh();
    mpfr_sqrt(r, a, MPFR_RNDN);
    return r;
}

static num dot(num *a, num *b)
{
    return add(add(mul(a[0], b[0]), mul(a[1], b[1])), mul(a[2], b[2]));
}

/* L and c. */
typedef struct body {
    num l[3][3], c[3];
} body;

static body from_map(const abut_affine *m)
{
    body b;
    for (int i = 0; i < 9; ++i)
        b.l[i / 3][i % 3] = of(m->linear.m[i / 3][i % 3]);
    b.c[0] = of(m->translation.x);
    b.c[1] = of(m->translation.y);
    b.c[2] = of(m->translation.z);
    return b;
}

static body from_pose(const oracle_posed *p)
{
    /* Columns: q e q* / |q|^2. */
    const num w = of(p->pose.rotation.w), x = of(p->pose.rotation.x), y = of(p->pose.rotation.y),
              z = of(p->pose.rotation.z), two = of(2), one = of(1);
    const num n = add(add(mul(w, w), mul(x, x)), add(mul(y, y), mul(z, z))), s = quo(two, n);
    const num r[3] = { of(p->radii.x), of(p->radii.y), of(p->radii.z) };
    body b;
    b.l[0][0] = sub(one, mul(s, add(mul(y, y), mul(z, z))));
    b.l[1][1] = sub(one, mul(s, add(mul(x, x), mul(z, z))));
    b.l[2][2] = sub(one, mul(s, add(mul(x, x), mul(y, y))));
    b.l[0][1] = mul(s, sub(mul(x, y), mul(w, z)));
    b.l[1][0] = mul(s, add(mul(x, y), mul(w, z)));
    b.l[0][2] = mul(s, add(mul(x, z), mul(w, y)));
    b.l[2][0] = mul(s, sub(mul(x, z), mul(w, y)));
    b.l[1][2] = mul(s, sub(mul(y, z), mul(w, x)));
    b.l[2][1] = mul(s, add(mul(y, z), mul(w, x)));
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            b.l[i][j] = mul(b.l[i][j], r[j]);
    b.c[0] = of(p->pose.position.x);
    b.c[1] = of(p->pose.position.y);
    b.c[2] = of(p->pose.position.z);
    return b;
}

/* L^-1 by Gauss and Jordan with full rows of the identity. */
static void invert(num l[3][3], num out[3][3])
{
    num m[3][6];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 6; ++j)
            m[i][j] = j < 3 ? l[i][j] : of(j - 3 == i);
    for (int k = 0; k < 3; ++k) {
        int best = k;
        for (int i = k + 1; i < 3; ++i)
            if (mpfr_cmpabs(m[i][k], m[best][k]) > 0)
                best = i;
        for (int j = 0; j < 6; ++j) {
            const num t = m[k][j];
            m[k][j] = m[best][j];
            m[best][j] = t;
        }
        const num pivot = m[k][k];
        for (int j = 0; j < 6; ++j)
            m[k][j] = quo(m[k][j], pivot);
        for (int i = 0; i < 3; ++i) {
            if (i == k)
                continue;
            const num factor = m[i][k];
            for (int j = 0; j < 6; ++j)
                m[i][j] = sub(m[i][j], mul(factor, m[k][j]));
        }
    }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out[i][j] = m[i][3 + j];
}

/* Eigenvalues and rotated g of a symmetric h, by Jacobi's rotations. */
static void diagonalise(num h[3][3], num g[3])
{
    for (int sweep = 0; sweep < 200; ++sweep) {
        bool done = true;
        for (int p = 0; p < 2; ++p)
            for (int q = p + 1; q < 3; ++q) {
                if (mpfr_zero_p(h[p][q]))
                    continue;
                const num scale = root(mul(h[p][p], h[q][q]));
                const num limit = fresh();
                mpfr_abs(limit, scale, MPFR_RNDN);
                mpfr_div_2ui(limit, limit, (unsigned long)(precision - 10), MPFR_RNDN);
                if (mpfr_cmpabs(h[p][q], limit) <= 0)
                    continue;
                done = false;
                /* t = sign / (|theta| + sqrt(theta^2 + 1)) */
                const num theta = quo(sub(h[q][q], h[p][p]), mul(of(2), h[p][q]));
                const num size = fresh();
                mpfr_abs(size, theta, MPFR_RNDN);
                num t = quo(of(1), add(size, root(add(mul(theta, theta), of(1)))));
                if (mpfr_sgn(theta) < 0)
                    mpfr_neg(t, t, MPFR_RNDN);
                const num c = quo(of(1), root(add(mul(t, t), of(1)))), s = mul(t, c);
                for (int k = 0; k < 3; ++k) {
                    const num x = h[k][p], y = h[k][q];
                    h[k][p] = sub(mul(c, x), mul(s, y));
                    h[k][q] = add(mul(s, x), mul(c, y));
                }
                for (int k = 0; k < 3; ++k) {
                    const num x = h[p][k], y = h[q][k];
                    h[p][k] = sub(mul(c, x), mul(s, y));
                    h[q][k] = add(mul(s, x), mul(c, y));
                }
                const num x = g[p], y = g[q];
                g[p] = sub(mul(c, x), mul(s, y));
                g[q] = add(mul(s, x), mul(c, y));
            }
        if (done)
            return;
    }
}

/* y_i = g_i / (k_i + v), where a zero g gives 0. */
static num length_of(num k[3], num g[3], num v, num *slope)
{
    num square = of(0), bend = of(0);
    for (int i = 0; i < 3; ++i) {
        if (mpfr_zero_p(g[i]))
            continue;
        const num d = add(k[i], v), y = quo(g[i], d), yy = mul(y, y);
        square = add(square, yy);
        bend = add(bend, quo(yy, d));
    }
    *slope = bend;
    return root(square);
}

/* Solves sum g_i^2 / (k_i + v)^2 = 1 from a v on the left of the root (|y| >= 1), where Newton's
 * method on 1 - 1 / |y| never passes it. */
static num secular(num k[3], num g[3], num v)
{
    for (int step = 0; step < 4 * precision; ++step) {
        const int mark = used;
        num bend;
        const num length = length_of(k, g, v, &bend);
        const num more = sub(length, of(1));
        if (mpfr_sgn(more) <= 0 || mpfr_zero_p(bend))
            return v;
        const num change = mul(quo(mul(length, length), bend), more), next = add(v, change);
        if (mpfr_cmp(next, v) <= 0)
            return v;
        /* Keep the one number. */
        const num kept = pool[mark];
        mpfr_set(kept, next, MPFR_RNDN);
        used = mark + 1;
        v = kept;
    }
    return v;
}

/* Least and greatest |M y + s|^2 over |y| <= 1. */
static void extremes(num m[3][3], num s[3], num *least, num *most)
{
    num h[3][3], g[3];
    for (int i = 0; i < 3; ++i) {
        num ci[3] = { m[0][i], m[1][i], m[2][i] };
        g[i] = dot(ci, s);
        for (int j = 0; j < 3; ++j) {
            num cj[3] = { m[0][j], m[1][j], m[2][j] };
            h[i][j] = dot(ci, cj);
        }
    }
    const num ss = dot(s, s);
    diagonalise(h, g);
    num k[3] = { h[0][0], h[1][1], h[2][2] };
    num bend;
    /* The least: 0 where the centre is inside. */
    const num zero = of(0);
    if (mpfr_cmp_ui(length_of(k, g, zero, &bend), 1) <= 0)
        *least = of(0);
    else {
        const num v = secular(k, g, zero);
        num value = sub(ss, v);
        for (int i = 0; i < 3; ++i)
            value = sub(value, quo(mul(g[i], g[i]), add(k[i], v)));
        *least = value;
    }
    /* The greatest: v >= the largest eigenvalue. */
    int top = 0;
    for (int i = 1; i < 3; ++i)
        if (mpfr_cmp(k[i], k[top]) > 0 || (mpfr_equal_p(k[i], k[top]) && mpfr_cmpabs(g[i], g[top]) > 0))
            top = i;
    num negative[3];
    for (int i = 0; i < 3; ++i)
        negative[i] = sub(zero, k[i]);
    const num size = fresh();
    mpfr_abs(size, g[top], MPFR_RNDN);
    num v = add(k[top], size);
    bool hard = mpfr_zero_p(size) || mpfr_cmp(v, k[top]) <= 0;
    if (hard) {
        num rest[3];
        for (int i = 0; i < 3; ++i)
            rest[i] = mpfr_cmp(k[i], k[top]) == 0 ? zero : g[i];
        g[top] = zero;
        v = k[top];
        if (mpfr_cmp_ui(length_of(negative, rest, v, &bend), 1) > 0)
            v = secular(negative, rest, v);
    } else
        v = secular(negative, g, v);
    num value = add(ss, v);
    for (int i = 0; i < 3; ++i)
        if (!mpfr_zero_p(g[i]) && mpfr_cmp(v, k[i]) != 0)
            value = add(value, quo(mul(g[i], g[i]), sub(v, k[i])));
    *most = value;
}

static int sign_of(num value)
{
    const num d = sub(value, of(1)), limit = fresh();
    mpfr_set_ui_2exp(limit, 1, -(precision / 2 - 64), MPFR_RNDN);
    return mpfr_cmpabs(d, limit) <= 0 ? 0 : mpfr_sgn(d);
}

/* Of a as b sees it. */
static void examine(const body *a, const body *b, num *least, num *most)
{
    num inverse[3][3], m[3][3], s[3], d[3];
    body other = *b;
    invert(other.l, inverse);
    for (int i = 0; i < 3; ++i)
        d[i] = sub(a->c[i], b->c[i]);
    for (int i = 0; i < 3; ++i) {
        s[i] = dot(inverse[i], d);
        for (int j = 0; j < 3; ++j) {
            num column[3] = { a->l[0][j], a->l[1][j], a->l[2][j] };
            m[i][j] = dot(inverse[i], column);
        }
    }
    extremes(m, s, least, most);
}

static oracle_ellipsoids relate(const body *a, const body *b)
{
    oracle_ellipsoids out = { 0 };
    num least, most, other, back;
    examine(a, b, &least, &most);
    examine(b, a, &other, &back);
    const int near = sign_of(least), a_out = sign_of(most), b_out = sign_of(back);
    out.separate = near > 0;
    out.touching = near == 0;
    out.a_in_b = a_out <= 0;
    out.b_in_a = b_out <= 0;
    out.inner_touch = (out.a_in_b != out.b_in_a) && (out.a_in_b ? a_out == 0 : b_out == 0);
    out.apart = mpfr_get_d(sub(least, of(1)), MPFR_RNDN);
    return out;
}

oracle_ellipsoids oracle_ellipsoid_relate(const abut_affine *a, const abut_affine *b, int bits)
{
    begin(bits);
    const body x = from_map(a), y = from_map(b);
    return relate(&x, &y);
}

oracle_ellipsoids oracle_ellipsoid_relate_posed(const oracle_posed *a, const oracle_posed *b, int bits)
{
    begin(bits);
    const body x = from_pose(a), y = from_pose(b);
    return relate(&x, &y);
}

static num reach(const body *b, num n[3])
{
    num m[3];
    for (int j = 0; j < 3; ++j) {
        num column[3] = { b->l[0][j], b->l[1][j], b->l[2][j] };
        m[j] = dot(column, n);
    }
    return root(dot(m, m));
}

bool oracle_ellipsoid_parts(const abut_affine *a, const abut_affine *b, abut_vec3 normal, double offset,
                            int bits)
{
    begin(bits);
    body x = from_map(a), y = from_map(b);
    num n[3] = { of(normal.x), of(normal.y), of(normal.z) };
    return mpfr_cmp_d(add(dot(n, x.c), reach(&x, n)), offset) < 0 &&
           mpfr_cmp_d(sub(dot(n, y.c), reach(&y, n)), offset) > 0;
}

int oracle_ellipsoid_side(const abut_affine *a, abut_vec3 p, int bits)
{
    begin(bits);
    body x = from_map(a);
    num inverse[3][3], d[3] = { sub(of(p.x), x.c[0]), sub(of(p.y), x.c[1]), sub(of(p.z), x.c[2]) }, y[3];
    invert(x.l, inverse);
    for (int i = 0; i < 3; ++i)
        y[i] = dot(inverse[i], d);
    return sign_of(dot(y, y));
}

long double oracle_ellipsoid_distance(const abut_affine *a, abut_vec3 p, int bits)
{
    begin(bits);
    body x = from_map(a);
    num s[3] = { sub(x.c[0], of(p.x)), sub(x.c[1], of(p.y)), sub(x.c[2], of(p.z)) }, least, most;
    extremes(x.l, s, &least, &most);
    if (mpfr_sgn(least) <= 0)
        return 0;
    return mpfr_get_ld(root(least), MPFR_RNDN);
}
