/* SPDX-License-Identifier: MIT */
/* Exact signs of determinants and orientations of points.
 *
 * Method: three steps, each only where the one before cannot decide. (1) The determinant in plain
 * doubles with an error bound; (2) integers of 128 bits where they suffice, else expansions
 * (math/expansion.h), exact while no product leaves the range of doubles; (3) integers
 * (math/bigint.h), for the rest: any finite input gets its true sign.
 *
 * Error bounds of step 1: it runs only where the mode is rounding to nearest, so with u = 2^-53
 * each operation returns the true result times 1 + d, |d| <= u, and a product may be off by a
 * further w = 2^-1075 where it underflows (sums do not underflow in IEEE arithmetic). A term of the
 * determinant that went through k roundings is off by a factor within (1 + u)^k, and the computed
 * sum S of the terms' computed sizes is at least (1 - u)^(k + s) times the true one, s being the
 * roundings spent on S after each term. So the error is at most ((1 + u)^k - 1) / (1 - u)^(k + s)
 * S, which for k + s <= 20 is below 1.01 k u S.
 *     2x2:   product, difference, k = 2; for points also two differences before, k = 4.     Bounds
 *       3u and 5u.
 *     3x3:   product, difference, product, two sums, k = 5; for points two roundings of
 *            differences enter the 2x2 minor and one the third factor, k = 8.               Bounds
 *              6u and 9u.
 *     4x4:   two minors of k = 2 each, their product, at most 5 sums, k = 10.               Bound 11u.
 * Underflow: an inner product off by w is multiplied by the entry (or minor) outside; the sizes
 * of those are added up and enter as 2^-1000 times their sum, much more than needed, but a
 * denormal constant would cost more time than all the rest. Overflow makes the bound infinite or
 * the comparison false (NaN), so that nothing is decided here; that is why directed rounding,
 * where overflow stops at the largest number, cannot be allowed in step 1. */
#include "abut/predicates.h"

#include "math/bigint.h"
#include "math/expansion.h"
#include "math/nearest.h"

#include <string.h>

#define U         0x1p-53
#define UNDERFLOW 0x1p-1000

__extension__ typedef __int128 wide;

enum { NOT_DECIDED = 3 };

static int decide(double det, double bound)
{
    return det > bound ? 1 : det < -bound ? -1 : NOT_DECIDED;
}

/* A determinant of order n whose entries are x[i] - y[i] (or x[i], where y is NULL), rows one
 * after another. */
typedef struct matrix {
    int n;
    const double *x, *y;
} matrix;

static bool is_finite(const matrix *m)
{
    double sum = 0; /* 0 times a finite number is 0; times infinity or NaN, NaN */
    for (int i = 0; i < m->n * m->n; ++i)
        sum += 0 * m->x[i] + (m->y ? 0 * m->y[i] : 0);
    return sum == 0;
}

/* Are all numbers zero or within limits that keep every product of n of them, and the errors of
 * these products, inside the range of doubles? A product of n numbers in [2^-240, 2^240] with
 * errors down to 2^-(53 + 240) each is a multiple of 2^(-293 n), at least 2^-879 for n = 3; n =
 * 4 allows 2^-200: 4 * 253 = 1012. The largest, 24 products of 2^(241 n), is below 2^970, and
 * Veltkamp's splitting multiplies by 2^27 more. */
static bool is_moderate(const matrix *m)
{
    const double small = m->n == 4 ? 0x1p-200 : 0x1p-240, big = 0x1p240;
    for (int i = 0; i < m->n * m->n; ++i)
        for (int k = 0; k < (m->y ? 2 : 1); ++k) {
            const double a = fabs(k ? m->y[i] : m->x[i]);
            if (a != 0 && !(a >= small && a <= big))
                return false;
        }
    return true;
}

/* ---- expansions ---- */

enum {
    ENTRY = 2,                     /* components of a difference */
    MINOR2 = 2 * 2 * ENTRY * ENTRY /* of a 2x2 determinant of differences: two products of 8 */
};

typedef struct entry {
    double c[ENTRY];
    int n;
} entry;

typedef struct minor2 {
    double c[MINOR2];
    int n;
} minor2;

static entry entry_of(const matrix *m, int i)
{
    entry e;
    e.n = abut_expansion_sum2(m->x[i], m->y ? -m->y[i] : 0, e.c);
    return e;
}

/* p s - q r */
static void minor_of(const entry *p, const entry *q, const entry *r, const entry *s, minor2 *out)
{
    double ps[MINOR2 / 2], qr[MINOR2 / 2], scratch[MINOR2 / 2];
    const int a = abut_expansion_product(p->n, p->c, s->n, s->c, ps, scratch);
    const int b = abut_expansion_product(q->n, q->c, r->n, r->c, qr, scratch);
    abut_expansion_negate(b, qr);
    out->n = abut_expansion_sum(a, ps, b, qr, out->c);
}

static int expansion_sign(const matrix *m)
{
    entry a[16];
    minor2 minor;
    for (int i = 0; i < m->n * m->n; ++i)
        a[i] = entry_of(m, i);
    if (m->n == 2) {
        minor_of(&a[0], &a[1], &a[2], &a[3], &minor);
        return abut_expansion_sign(minor.n, minor.c);
    }
    if (m->n == 3) {
        enum { TERM = 2 * ENTRY * MINOR2 };
        double term[TERM], scratch[TERM], sum[3 * TERM], next[3 * TERM];
        int n = 0;
        for (int i = 0; i < 3; ++i) { /* along the first row */
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            minor_of(&a[3 + j], &a[3 + k], &a[6 + j], &a[6 + k], &minor);
            const int t = abut_expansion_product(minor.n, minor.c, a[i].n, a[i].c, term, scratch);
            const int grown = abut_expansion_sum(n, sum, t, term, next);
            for (n = 0; n < grown; ++n)
                sum[n] = next[n];
        }
        return abut_expansion_sign(n, sum);
    }
    /* Laplace along the first two rows: columns (i, j) there against the other two below.
     * Entries are single doubles here, so a minor has 4 components and a product of two 32. */
    static const signed char columns[6][5] = { { 0, 1, 2, 3, 1 }, { 0, 2, 1, 3, -1 }, { 0, 3, 1, 2, 1 },
                                               { 1, 2, 0, 3, 1 }, { 1, 3, 0, 2, -1 }, { 2, 3, 0, 1, 1 } };
    double term[32], scratch[32], sum[192], next[192];
    int n = 0;
    for (int i = 0; i < 6; ++i) {
        const signed char *c = columns[i];
        minor2 below;
        minor_of(&a[c[0]], &a[c[1]], &a[4 + c[0]], &a[4 + c[1]], &minor);
        minor_of(&a[8 + c[2]], &a[8 + c[3]], &a[12 + c[2]], &a[12 + c[3]], &below);
        const int t = abut_expansion_product(minor.n, minor.c, below.n, below.c, term, scratch);
        if (c[4] < 0)
            abut_expansion_negate(t, term);
        const int grown = abut_expansion_sum(n, sum, t, term, next);
        for (n = 0; n < grown; ++n)
            sum[n] = next[n];
    }
    return abut_expansion_sign(n, sum);
}

/* ---- integers ---- */

enum {
    Z_ENTRY = ABUT_Z_DOUBLE_LIMBS + 1,
    Z_MINOR2 = 2 * Z_ENTRY + 1,
    Z_MINOR3 = Z_ENTRY + Z_MINOR2 + 2,
    Z_DET4 = Z_ENTRY + Z_MINOR3 + 2
};

typedef struct z_entry {
    uint64_t d[Z_ENTRY];
    int n;
} z_entry;

static int z_minor2(const z_entry *p, const z_entry *q, const z_entry *r, const z_entry *s, uint64_t *out)
{
    uint64_t ps[2 * Z_ENTRY], qr[2 * Z_ENTRY];
    const int a = abut_z_mul(ps, p->d, p->n, s->d, s->n);
    const int b = abut_z_mul(qr, q->d, q->n, r->d, r->n);
    return abut_z_add(out, ps, a, qr, -b);
}

/* Rows a, b, c of three entries each, columns i, j, k. */
static int z_minor3(const z_entry *a, const z_entry *b, const z_entry *c, int i, int j, int k, uint64_t *out)
{
    const int column[3] = { i, j, k };
    int n = 0;
    for (int t = 0; t < 3; ++t) {
        const int u = column[(t + 1) % 3], v = column[(t + 2) % 3];
        uint64_t minor[Z_MINOR2], product[Z_ENTRY + Z_MINOR2];
        const int mn = z_minor2(&b[u], &b[v], &c[u], &c[v], minor);
        const int pn = abut_z_mul(product, minor, mn, a[column[t]].d, a[column[t]].n);
        n = abut_z_add(out, out, n, product, pn);
    }
    return n;
}

static ABUT_MATH_NOINLINE int integer_sign(const matrix *m)
{
    z_entry a[16];
    for (int i = 0; i < m->n * m->n; ++i) {
        uint64_t y[ABUT_Z_DOUBLE_LIMBS];
        a[i].n = abut_z_from_double(a[i].d, m->x[i], -1074);
        if (m->y)
            a[i].n = abut_z_add(a[i].d, a[i].d, a[i].n, y, -abut_z_from_double(y, m->y[i], -1074));
    }
    uint64_t det[Z_DET4], minor[Z_MINOR3], product[Z_ENTRY + Z_MINOR3];
    if (m->n == 2)
        return abut_z_sign(z_minor2(&a[0], &a[1], &a[2], &a[3], det));
    if (m->n == 3)
        return abut_z_sign(z_minor3(a, a + 3, a + 6, 0, 1, 2, det));
    int n = 0;
    for (int i = 0; i < 4; ++i) {
        const int mn = z_minor3(a + 4, a + 8, a + 12, i == 0 ? 1 : 0, i <= 1 ? 2 : 1, i <= 2 ? 3 : 2, minor);
        const int pn = abut_z_mul(product, minor, mn, a[i].d, a[i].n);
        n = abut_z_add(det, det, n, product, i & 1 ? -pn : pn);
    }
    return abut_z_sign(n);
}

/* Of numbers that are neither denormal nor infinite: floor of the binary logarithm of the size. */
static int exponent_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (int)(bits >> 52 & 0x7ff) - 1023;
}

static double power_of_two(int e)
{
    const uint64_t bits = (uint64_t)(e + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* A row or a column of zeros: of points in a plane or on a line along the axes, the most usual
 * of those with the sign 0. */
static bool has_zero_line(const matrix *m)
{
    unsigned rows = 0, columns = 0; /* with an entry that is not zero */
    for (int i = 0; i < m->n; ++i)
        for (int j = 0; j < m->n; ++j) {
            const unsigned differs = m->x[m->n * i + j] != (m->y ? m->y[m->n * i + j] : 0);
            rows |= differs << i;
            columns |= differs << j;
        }
    const unsigned all = (1U << m->n) - 1;
    return rows != all || columns != all;
}

/* Integers of 128 bits where they suffice, as for points on a grid or made of floats: entries
 * that are multiples of g and at most 2^40 g in size, so that the determinant is below 6 * 2^120
 * g^3. Adding and subtracting 1.5 * 2^52 g leaves exactly the multiples of g alone. */
static int grid_sign(const matrix *m)
{
    double a[9], largest = 0;
    const int count = m->n * m->n;
    for (int i = 0; i < count; ++i) {
        double low = 0;
        a[i] = m->y ? abut_two_sum(m->x[i], -m->y[i], &low) : m->x[i];
        if (low != 0)
            return NOT_DECIDED;
        largest = fabs(a[i]) > largest ? fabs(a[i]) : largest;
    }
    const int e = exponent_of(largest);
    const double g = power_of_two(e - 39), shift = 0x1.8p52 * g, inverse = power_of_two(39 - e);
    int64_t k[9];
    for (int i = 0; i < count; ++i) {
        if ((a[i] + shift) - shift != a[i])
            return NOT_DECIDED;
        k[i] = (int64_t)(a[i] * inverse);
    }
    wide det = (wide)k[0] * k[3] - (wide)k[1] * k[2];
    if (m->n == 3)
        det = ((wide)k[4] * k[8] - (wide)k[5] * k[7]) * k[0] +
              ((wide)k[5] * k[6] - (wide)k[3] * k[8]) * k[1] + ((wide)k[3] * k[7] - (wide)k[4] * k[6]) * k[2];
    return (det > 0) - (det < 0);
}

static ABUT_MATH_NOINLINE int exact_sign(int n, const double *x, const double *y)
{
    const matrix m = { n, x, y };
    if (has_zero_line(&m) && is_finite(&m))
        return 0;
    if (!is_moderate(&m))
        return is_finite(&m) ? integer_sign(&m) : ABUT_SIGN_UNDEFINED;
    const int sign = n < 4 ? grid_sign(&m) : NOT_DECIDED;
    return sign != NOT_DECIDED ? sign : expansion_sign(&m);
}

/* The same in whatever mode the caller runs; the filter did not decide, or could not be trusted. */
static ABUT_MATH_NOINLINE int slow_sign(int n, const double *x, const double *y)
{
    const abut_nearest saved = abut_nearest_enter();
    const int sign = exact_sign(n, x, y);
    abut_nearest_leave(saved);
    return sign;
}

/* ---- the predicates: in the usual mode the filter runs at once, else all is left to the slow
 * way ---- */

int abut_det2_sign(const double m[4])
{
    if (!m)
        return 0;
    if (abut_nearest_is_set()) {
        const double p = m[0] * m[3], q = m[1] * m[2];
        const int sign = decide(p - q, 3 * U * (fabs(p) + fabs(q)) + UNDERFLOW);
        if (sign != NOT_DECIDED)
            return sign;
    }
    return slow_sign(2, m, NULL);
}

int abut_orient2d(const double a[2], const double b[2], const double c[2])
{
    if (!a || !b || !c)
        return 0;
    if (abut_nearest_is_set()) {
        const double p = (a[0] - c[0]) * (b[1] - c[1]), q = (a[1] - c[1]) * (b[0] - c[0]);
        const int sign = decide(p - q, 5 * U * (fabs(p) + fabs(q)) + UNDERFLOW);
        if (sign != NOT_DECIDED)
            return sign;
    }
    const double x[4] = { a[0], a[1], b[0], b[1] }, y[4] = { c[0], c[1], c[0], c[1] };
    return slow_sign(2, x, y);
}

/* The 3x3 filter; `roundings` is 6 or 9, see above. */
static inline int filter3(const double a[3], const double b[3], const double c[3], double roundings)
{
    const double p0 = b[1] * c[2], q0 = b[2] * c[1];
    const double p1 = b[2] * c[0], q1 = b[0] * c[2];
    const double p2 = b[0] * c[1], q2 = b[1] * c[0];
    const double det = a[0] * (p0 - q0) + a[1] * (p1 - q1) + a[2] * (p2 - q2);
    const double a0 = fabs(a[0]), a1 = fabs(a[1]), a2 = fabs(a[2]);
    const double size = a0 * (fabs(p0) + fabs(q0)) + a1 * (fabs(p1) + fabs(q1)) + a2 * (fabs(p2) + fabs(q2));
    return decide(det, roundings * U * size + UNDERFLOW * (a0 + a1 + a2 + 1));
}

int abut_det3_sign(const double m[9])
{
    if (!m)
        return 0;
    if (abut_nearest_is_set()) {
        const int sign = filter3(m, m + 3, m + 6, 6);
        if (sign != NOT_DECIDED)
            return sign;
    }
    return slow_sign(3, m, NULL);
}

static ABUT_MATH_NOINLINE int slow_orient3d(const abut_vec3 *a, const abut_vec3 *b, const abut_vec3 *c,
                                            const abut_vec3 *d)
{
    const double x[9] = { a->x, a->y, a->z, b->x, b->y, b->z, c->x, c->y, c->z };
    const double y[9] = { d->x, d->y, d->z, d->x, d->y, d->z, d->x, d->y, d->z };
    return slow_sign(3, x, y);
}

int abut_orient3d(abut_vec3 a, abut_vec3 b, abut_vec3 c, abut_vec3 d)
{
    if (abut_nearest_is_set()) {
        const double ad[3] = { a.x - d.x, a.y - d.y, a.z - d.z };
        const double bd[3] = { b.x - d.x, b.y - d.y, b.z - d.z };
        const double cd[3] = { c.x - d.x, c.y - d.y, c.z - d.z };
        const int sign = filter3(ad, bd, cd, 9);
        if (sign != NOT_DECIDED)
            return sign;
    }
    return slow_orient3d(&a, &b, &c, &d);
}

int abut_det4_sign(const double m[16])
{
    static const signed char columns[6][2] = { { 0, 1 }, { 0, 2 }, { 0, 3 }, { 1, 2 }, { 1, 3 }, { 2, 3 } };
    if (!m)
        return 0;
    if (abut_nearest_is_set()) {
        double det = 0, size = 0, outside = 0;
        double top[6], bottom[6], top_size[6], bottom_size[6];
        for (int k = 0; k < 6; ++k) {
            const int i = columns[k][0], j = columns[k][1];
            const double p = m[i] * m[4 + j], q = m[j] * m[4 + i];
            const double r = m[8 + i] * m[12 + j], s = m[8 + j] * m[12 + i];
            top[k] = p - q;
            top_size[k] = fabs(p) + fabs(q);
            bottom[k] = r - s;
            bottom_size[k] = fabs(r) + fabs(s);
        }
        for (int k = 0; k < 6; ++k) {
            const double product = top[k] * bottom[5 - k];
            det += k == 1 || k == 4 ? -product : product;
            size += top_size[k] * bottom_size[5 - k];
            outside += top_size[k] + bottom_size[k];
        }
        const int sign = decide(det, 11 * U * size + UNDERFLOW * (outside + 1));
        if (sign != NOT_DECIDED)
            return sign;
    }
    return slow_sign(4, m, NULL);
}

bool abut_coplanar(abut_vec3 a, abut_vec3 b, abut_vec3 c, abut_vec3 d)
{
    return abut_orient3d(a, b, c, d) == 0;
}

/* The cross product of b - a and c - a vanishes exactly when its three coordinates, areas of
 * projections, do. */
bool abut_collinear(abut_vec3 a, abut_vec3 b, abut_vec3 c)
{
    const double xy[3][2] = { { a.x, a.y }, { b.x, b.y }, { c.x, c.y } };
    const double yz[3][2] = { { a.y, a.z }, { b.y, b.z }, { c.y, c.z } };
    const double zx[3][2] = { { a.z, a.x }, { b.z, b.x }, { c.z, c.x } };
    return abut_orient2d(xy[0], xy[1], xy[2]) == 0 && abut_orient2d(yz[0], yz[1], yz[2]) == 0 &&
           abut_orient2d(zx[0], zx[1], zx[2]) == 0;
}
