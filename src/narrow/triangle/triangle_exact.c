/* SPDX-License-Identifier: MIT */
/* Signs of corners of two triangles; see triangle_signs.h. Derivation: docs/notes/triangles.md.
 *
 * Method: a determinant in doubles with a bound that includes the error of b's corners; where these
 * are exact in doubles, the predicates of math; else integers. With M(q) the matrix of |q|^2 times
 * the rotation and n = |q|^2, b's corner p is, in a's frame,
 *     Ma^T (Mb p + nb (tb - ta)) / (na nb),
 * so all corners times the weight na nb > 0 are sums of products of the doubles given. A row of
 * a determinant is a difference of two corners: times the weight unless both are a's, which
 * changes no sign. */
#include "abut/predicates.h"
#include "math/expansion.h"
#include "math/nearest.h"
#include "math/vec3.h"
#include "narrow/triangle/triangle_signs.h"

#define U 0x1p-53

enum { NOT_DECIDED = 3, AXES_KNOWN = 8 };

static int decide(double value, double bound)
{
    /* The bounds hold at least 2^-50 of the products that are summed: below this no term has
     * overflowed, and taken the sign with it. */
    if (!(bound < 0x1p960))
        return NOT_DECIDED;
    return value > bound ? 1 : value < -bound ? -1 : NOT_DECIDED;
}

static bool is_sum(double a, double b)
{
    double e;
    (void)abut_two_sum(a, b, &e);
    return e == 0;
}

/* Only called where r permutes axes: each row has one entry that is not zero, which is 1 or -1. */
static bool is_plain(const abut_triangle_frame *frame, abut_vec3 p)
{
    const abut_vec3 turned = abut_mul(&frame->b_in_a.r, p), t = frame->b_in_a.t;
    return is_sum(turned.x, t.x) && is_sum(turned.y, t.y) && is_sum(turned.z, t.z);
}

void abut_triangle_signs_set(const abut_triangle_frame *frame, const abut_vec3 a[3], const abut_vec3 b[3],
                             abut_triangle_signs *out)
{
    out->frame = frame;
    out->a = a;
    out->b = b;
    out->plain = frame->plain;
    for (int i = 0; i < 3; ++i) {
        out->p[i] = a[i];
        out->p[3 + i] = abut_add(abut_mul(&frame->b_in_a.r, b[i]), frame->b_in_a.t);
        out->plain = out->plain && is_plain(frame, b[i]);
    }
    for (int i = 0; i < 6; ++i) {
        out->c[i][0] = out->p[i].x;
        out->c[i][1] = out->p[i].y;
        out->c[i][2] = out->p[i].z;
    }
    out->error = out->plain ? 0 : frame->b_in_a.error;
    out->exact = out->ready = false;
    out->axes = out->plain ? AXES_KNOWN | 7 : 0;
}

/* ---- coordinates that are exact though the others are not ---- */

/* What a rotation q does to an axis that it keeps as a line: 1, -1, or 0 where it does not. */
static int kept(abut_quat q, int axis)
{
    const double part[3] = { q.x, q.y, q.z }, other = fabs(part[(axis + 1) % 3]) + fabs(part[(axis + 2) % 3]);
    return other == 0 ? 1 : q.w == 0 && part[axis] == 0 ? -1 : 0;
}

/* Bodies that are turned about one axis and placed along it: that coordinate of b's corners is
 * often a double. */
static bool is_exact_along(const abut_triangle_signs *s, int axis)
{
    const abut_triangle_frame *f = s->frame;
    const int turn_a = kept(f->pose_a.rotation, axis), turn_b = kept(f->pose_b.rotation, axis);
    const double *row = f->b_in_a.r.m[axis], t = abut_part3(f->b_in_a.t, axis);
    const double to = abut_part3(f->pose_b.position, axis), from = abut_part3(f->pose_a.position, axis);
    if (turn_a * turn_b == 0 || row[axis] != turn_a * turn_b || row[(axis + 1) % 3] != 0 ||
        row[(axis + 2) % 3] != 0 || !is_sum(to, -from) || t != turn_a * (to - from))
        return false;
    for (int i = 0; i < 3; ++i)
        if (!is_sum(row[axis] * abut_part3(s->b[i], axis), t))
            return false;
    return true;
}

static bool is_known(abut_triangle_signs *s, int axis)
{
    if (!(s->axes & AXES_KNOWN)) {
        s->axes = AXES_KNOWN;
        for (int k = 0; k < 3; ++k)
            if (s->frame->exact && is_exact_along(s, k))
                s->axes |= (unsigned char)(1U << k);
    }
    return s->axes >> axis & 1;
}

/* ---- integers ---- */

typedef struct big3 {
    abut_big c[3];
} big3;

static void big_product(double x, double y, int sign, abut_big *out)
{
    abut_big a, b;
    abut_big_double(x, &a);
    abut_big_double(y, &b);
    abut_big_add_product(&a, &b, sign, out);
}

static void big_add_double(double x, int sign, abut_big *out)
{
    abut_big a;
    abut_big_double(x, &a);
    abut_big_add(&a, sign, out);
}

static void big_square_sum(abut_quat q, int sx, int sy, int sz, abut_big *out)
{
    abut_big_clear(out);
    big_product(q.w, q.w, 1, out);
    big_product(q.x, q.x, sx, out);
    big_product(q.y, q.y, sy, out);
    big_product(q.z, q.z, sz, out);
}

/* M(q), rows. */
static ABUT_MATH_NOINLINE void big_matrix(abut_quat q, big3 m[3])
{
    const double part[3] = { q.x, q.y, q.z };
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        big_square_sum(q, i == 0 ? 1 : -1, i == 1 ? 1 : -1, i == 2 ? 1 : -1, &m[i].c[i]);
        for (int side = 0; side < 2; ++side) { /* 2 (x y - w z) and 2 (x y + w z) */
            abut_big *e = side ? &m[j].c[i] : &m[i].c[j];
            abut_big_clear(e);
            big_product(part[i], part[j], 1, e);
            big_product(q.w, part[k], side ? 1 : -1, e);
            e->e += e->n != 0;
        }
    }
}

/* out = out + m v, or with the transpose. */
static void big_apply(const big3 m[3], bool transposed, const big3 *v, big3 *out)
{
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            abut_big_add_product(transposed ? &m[k].c[i] : &m[i].c[k], &v->c[k], 1, &out->c[i]);
}

static void big_clear(big3 *v)
{
    for (int k = 0; k < 3; ++k)
        abut_big_clear(&v->c[k]);
}

/* Mb p + nb (tb - ta) is turned back by Ma; where the rotations are the same, p + Ma^T (tb - ta)
 * / na. */
static ABUT_MATH_NOINLINE void make_ready(abut_triangle_signs *s)
{
    const abut_triangle_frame *f = s->frame;
    const abut_quat qa = f->pose_a.rotation, qb = f->pose_b.rotation;
    const bool same = qa.w == qb.w && qa.x == qb.x && qa.y == qb.y && qa.z == qb.z;
    big3 m[3], shift, at[3];
    abut_big n;
    big_clear(&shift);
    for (int k = 0; k < 3; ++k) {
        big_add_double(abut_part3(f->pose_b.position, k), 1, &shift.c[k]);
        big_add_double(abut_part3(f->pose_a.position, k), -1, &shift.c[k]);
    }
    big_matrix(qb, m);
    big_square_sum(qb, 1, 1, 1, &n);
    for (int i = 0; i < 3; ++i) {
        big3 p;
        for (int k = 0; k < 3; ++k)
            abut_big_double(abut_part3(s->b[i], k), &p.c[k]);
        big_clear(&at[i]);
        if (same) {
            big_apply(m, true, &shift, &at[i]);
            for (int k = 0; k < 3; ++k)
                abut_big_add_product(&n, &p.c[k], 1, &at[i].c[k]);
        } else {
            big_apply(m, false, &p, &at[i]);
            for (int k = 0; k < 3; ++k)
                abut_big_add_product(&n, &shift.c[k], 1, &at[i].c[k]);
        }
    }
    if (!same)
        big_matrix(qa, m);
    for (int i = 0; i < 3; ++i) {
        big3 turned;
        big_clear(&turned);
        if (!same)
            big_apply(m, true, &at[i], &turned);
        for (int k = 0; k < 3; ++k) {
            abut_big_clear(&s->corner[i][k]);
            abut_big_add(same ? &at[i].c[k] : &turned.c[k], 1, &s->corner[i][k]);
        }
    }
    abut_big_clear(&s->weight);
    if (same) {
        abut_big_add(&n, 1, &s->weight);
    } else {
        abut_big other;
        big_square_sum(qa, 1, 1, 1, &other);
        abut_big_mul(&n, &other, &s->weight);
    }
    s->ready = true;
}

/* out = out + sign * corner, times the weight where `weighted`. */
static void add_corner(const abut_triangle_signs *s, int i, int axis, int sign, bool weighted, abut_big *out)
{
    if (i >= 3) {
        abut_big_add(&s->corner[i - 3][axis], sign, out);
        return;
    }
    abut_big x;
    abut_big_double(abut_part3(s->a[i], axis), &x);
    if (weighted)
        abut_big_add_product(&x, &s->weight, sign, out);
    else
        abut_big_add(&x, sign, out);
}

static void difference(const abut_triangle_signs *s, int i, int j, int axis, abut_big *out)
{
    const bool weighted = i >= 3 || j >= 3;
    abut_big_clear(out);
    add_corner(s, i, axis, 1, weighted, out);
    add_corner(s, j, axis, -1, weighted, out);
}

/* p s - q r */
static void minor_of(const abut_big *p, const abut_big *q, const abut_big *r, const abut_big *s,
                     abut_big *out)
{
    abut_big_mul(p, s, out);
    abut_big_add_product(q, r, -1, out);
}

static ABUT_MATH_NOINLINE int exact_volume(abut_triangle_signs *s, int i, const int others[3])
{
    if (!s->ready)
        make_ready(s);
    abut_big row[3][3], minor, sum;
    for (int k = 0; k < 3; ++k)
        for (int axis = 0; axis < 3; ++axis)
            difference(s, others[k], i, axis, &row[k][axis]);
    abut_big_clear(&sum);
    for (int k = 0; k < 3; ++k) {
        const int u = (k + 1) % 3, v = (k + 2) % 3;
        minor_of(&row[1][u], &row[1][v], &row[2][u], &row[2][v], &minor);
        abut_big_add_product(&minor, &row[0][k], 1, &sum);
    }
    return abut_big_sign(&sum);
}

static ABUT_MATH_NOINLINE int exact_area(abut_triangle_signs *s, int i, int j, int k, int axis)
{
    if (!s->ready)
        make_ready(s);
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    abut_big ju, jv, ku, kv, minor;
    difference(s, j, i, u, &ju);
    difference(s, j, i, v, &jv);
    difference(s, k, i, u, &ku);
    difference(s, k, i, v, &kv);
    minor_of(&ju, &jv, &ku, &kv, &minor);
    return abut_big_sign(&minor);
}

static ABUT_MATH_NOINLINE int exact_order(abut_triangle_signs *s, int i, int j, int axis)
{
    if (!s->ready)
        make_ready(s);
    abut_big x;
    difference(s, i, j, axis, &x);
    return abut_big_sign(&x);
}

/* ---- the signs ---- */

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double size_of(abut_vec3 v)
{
    return larger(fabs(v.x), larger(fabs(v.y), fabs(v.z)));
}

/* How far a difference may be from that of the computed corners. */
static double off_by(const abut_triangle_signs *s, int i, int j)
{
    return ((i >= 3) + (j >= 3)) * s->error;
}

/* Whether a and b are both concerned; signs of one triangle alone are those of doubles. */
static bool is_mixed(const int *corners, int count)
{
    int of_b = 0;
    for (int i = 0; i < count; ++i)
        of_b += corners[i] >= 3;
    return of_b != 0 && of_b != count;
}

/* All of them in a plane along the axes: a difference of doubles is zero only where they are
 * equal. */
static bool is_level(abut_triangle_signs *s, abut_vec3 x, abut_vec3 y, abut_vec3 z)
{
    for (int k = 0; k < 3; ++k)
        if (abut_part3(x, k) == 0 && abut_part3(y, k) == 0 && abut_part3(z, k) == 0)
            return is_known(s, k);
    return false;
}

int abut_triangle_volume(abut_triangle_signs *s, int i, int j, int k, int l)
{
    const abut_vec3 x = abut_sub(s->p[j], s->p[i]), y = abut_sub(s->p[k], s->p[i]),
                    z = abut_sub(s->p[l], s->p[i]);
    const double det = abut_dot(abut_cross(x, y), z);
    const double mx = size_of(x), my = size_of(y), mz = size_of(z);
    const double ex = off_by(s, i, j), ey = off_by(s, i, k), ez = off_by(s, i, l);
    const double X = mx + ex, Y = my + ey, Z = mz + ez;
    /* (X Y Z - mx my mz), without cancellation */
    const double spread = ex * Y * Z + mx * (ey * Z + my * ez);
    const int sign =
        decide(det, 6 * spread * (1 + 16 * U) + 60 * U * X * Y * Z + 0x1p-1000 * (1 + X + Y + Z));
    if (sign != NOT_DECIDED)
        return sign;
    s->exact = true;
    if (is_level(s, x, y, z))
        return 0;
    if (s->plain)
        return abut_orient3d(s->p[j], s->p[k], s->p[l], s->p[i]);
    if (!s->frame->exact)
        return ABUT_TRIANGLE_UNKNOWN;
    const int others[3] = { j, k, l };
    return exact_volume(s, i, others);
}

/* Are the differences of the coordinates doubles? */
static bool is_difference(const double p[2], const double q[2])
{
    double e, f;
    (void)abut_two_sum(p[0], -q[0], &e);
    (void)abut_two_sum(p[1], -q[1], &f);
    return e == 0 && f == 0;
}

/* Neither the product of two such numbers nor its low part leaves the range. */
static bool is_moderate(double x)
{
    return x == 0 || (fabs(x) > 0x1p-400 && fabs(x) < 0x1p400);
}

/* Sign of a b - c d by exact pairs. */
static int compare_products(double a, double b, double c, double d)
{
    double e, f;
    if (!is_moderate(a) || !is_moderate(b) || !is_moderate(c) || !is_moderate(d))
        return NOT_DECIDED;
    const double p = abut_two_product(a, b, &e), q = abut_two_product(c, d, &f);
    return p != q ? (p > q) - (p < q) : (e > f) - (e < f);
}

int abut_triangle_area(abut_triangle_signs *s, int i, int j, int k, int axis)
{
    static const signed char after[4] = { 1, 2, 0, 1 };
    const int u = after[axis], v = after[axis + 1], corners[3] = { i, j, k };
    const double pi[2] = { s->c[i][u], s->c[i][v] }, pj[2] = { s->c[j][u], s->c[j][v] },
                 pk[2] = { s->c[k][u], s->c[k][v] };
    const double x0 = pj[0] - pi[0], x1 = pj[1] - pi[1], y0 = pk[0] - pi[0], y1 = pk[1] - pi[1];
    const double mx = larger(fabs(x0), fabs(x1)), my = larger(fabs(y0), fabs(y1));
    const double ex = off_by(s, i, j), ey = off_by(s, i, k);
    const double bound = 2 * (ex * (my + ey) + mx * ey) * (1 + 16 * U) + 10 * U * (mx + ex) * (my + ey);
    const int sign = decide(x0 * y1 - x1 * y0, bound + 0x1p-1000 * (1 + mx + my));
    if (sign != NOT_DECIDED)
        return sign;
    s->exact = true;
    if ((x0 == 0 && y0 == 0 && is_known(s, u)) || (x1 == 0 && y1 == 0 && is_known(s, v)))
        return 0;
    if (s->plain || (!is_mixed(corners, 3) && i < 3)) {
        if (is_difference(pj, pi) && is_difference(pk, pi)) {
            const int order = compare_products(x0, y1, x1, y0);
            if (order != NOT_DECIDED)
                return order;
        }
        return abut_orient2d(pj, pk, pi);
    }
    return s->frame->exact ? exact_area(s, i, j, k, axis) : ABUT_TRIANGLE_UNKNOWN;
}

int abut_triangle_order(abut_triangle_signs *s, int i, int j, int axis)
{
    const double x = s->c[i][axis], y = s->c[j][axis];
    if (s->plain || (i < 3 && j < 3))
        return (x > y) - (x < y);
    const int sign = decide(x - y, off_by(s, i, j) * (1 + 4 * U) + 2 * U * fabs(x - y));
    if (sign != NOT_DECIDED)
        return sign;
    s->exact = true;
    return s->frame->exact ? exact_order(s, i, j, axis) : ABUT_TRIANGLE_UNKNOWN;
}
