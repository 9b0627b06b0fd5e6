/* SPDX-License-Identifier: MIT */
/* The placement of b in a's frame, in doubles with a proved bound; see triangle.h. Derivation:
 * docs/notes/triangles.md.
 *
 * Stated placements: the rotation matrix of q / |q| is M(q) / (q . q), computed by pairs of
 * doubles, so that each entry of the relative rotation is rounded once. The difference of the
 * positions is a pair of doubles too: where the world's origin is does not matter. Enclosed
 * placements: from the middle, with the width in the norm of Frobenius. */
#include "math/vec3.h"
#include "narrow/pair/exact.h"
#include "narrow/triangle/triangle.h"

#include <float.h>

#define U 0x1p-53

/* Entries in [-1, 1], each within 32 u^2 of the true one. */
static void rotation_of(abut_quat q, dd m[3][3])
{
    const double size = fmax(abut_max_norm(abut_v3(q.x, q.y, q.z)), fabs(q.w));
    int exponent;
    (void)frexp(size, &exponent);
    const double w = ldexp(q.w, -exponent), x = ldexp(q.x, -exponent), y = ldexp(q.y, -exponent),
                 z = ldexp(q.z, -exponent);
    const dd ww = dd_two_product(w, w), xx = dd_two_product(x, x), yy = dd_two_product(y, y),
             zz = dd_two_product(z, z);
    const dd n = dd_add(dd_add(ww, xx), dd_add(yy, zz));
    const dd diagonal[3] = { dd_sub(dd_add(ww, xx), dd_add(yy, zz)), dd_sub(dd_add(ww, yy), dd_add(xx, zz)),
                             dd_sub(dd_add(ww, zz), dd_add(xx, yy)) };
    const double part[3] = { x, y, z };
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const dd turn = dd_two_product(2 * w, part[k]), both = dd_two_product(2 * part[i], part[j]);
        m[i][i] = dd_div(diagonal[i], n);
        m[i][j] = dd_div(dd_sub(both, turn), n);
        m[j][i] = dd_div(dd_add(both, turn), n);
    }
}

static bool same_quat(abut_quat a, abut_quat b)
{
    return a.w == b.w && a.x == b.x && a.y == b.y && a.z == b.z;
}

static dd column_dot(dd a[3][3], int i, const dd b[3])
{
    return dd_add(dd_add(dd_mul(a[0][i], b[0]), dd_mul(a[1][i], b[1])), dd_mul(a[2][i], b[2]));
}

static void set_stated(const abut_pair *pair, abut_triangle_frame *out)
{
    dd ra[3][3], rb[3][3];
    rotation_of(out->pose_a.rotation, ra);
    const bool same = same_quat(out->pose_a.rotation, out->pose_b.rotation);
    rotation_of(out->pose_b.rotation, rb);
    const abut_vec3 pa = out->pose_a.position, pb = out->pose_b.position;
    const dd d[3] = { dd_two_sum(pb.x, -pa.x), dd_two_sum(pb.y, -pa.y), dd_two_sum(pb.z, -pa.z) };
    const bool far = d[0].h != 0 || d[1].h != 0 || d[2].h != 0;
    double t[3];
    for (int i = 0; i < 3; ++i) {
        t[i] = far ? column_dot(ra, i, d).h : 0;
        for (int j = 0; j < 3; ++j) {
            const dd column[3] = { rb[0][j], rb[1][j], rb[2][j] };
            out->b_in_a.r.m[i][j] = column_dot(ra, i, column).h;
            if (same)
                out->b_in_a.r.m[i][j] = i == j;
        }
    }
    out->b_in_a.t = abut_v3(t[0], t[1], t[2]);
    const bool axes = pair->at_a->axes && pair->at_b->axes;
    out->plain = (same && !far) || (axes && d[0].l == 0 && d[1].l == 0 && d[2].l == 0);
    const double far_out = abut_max_norm(out->b_in_a.t);
    if (out->plain)
        out->b_in_a.error = far ? 1.125 * U * (out->reach + far_out) : 0;
    else
        out->b_in_a.error = 5.25 * U * (out->reach + far_out) + 0x1p-1066;
}

/* Frobenius norm of how far the linear part may be from its middle, rounded up. */
static double width_of(const abut_place *place)
{
    double sum = 0;
    for (int i = 0; i < 9; ++i) {
        const abut_interval e = place->enclosure.linear.m[i / 3][i % 3];
        const double m = place->mid.linear.m[i / 3][i % 3], off = fmax(e.hi - m, m - e.lo);
        sum += off * off;
    }
    return sqrt(sum) * (1 + 8 * U) + 0x1p-500;
}

/* The same of the translation. */
static double shift_of(const abut_place *place)
{
    const abut_interval_vec3 *e = &place->enclosure.translation;
    const abut_vec3 m = place->mid.translation;
    const double x = fmax(e->x.hi - m.x, m.x - e->x.lo), y = fmax(e->y.hi - m.y, m.y - e->y.lo),
                 z = fmax(e->z.hi - m.z, m.z - e->z.lo);
    return (x + y + z) * (1 + 4 * U);
}

static void set_enclosed(const abut_pair *pair, abut_triangle_frame *out)
{
    const abut_affine *ma = &pair->at_a->mid, *mb = &pair->at_b->mid;
    const abut_vec3 d = abut_sub(mb->translation, ma->translation);
    out->b_in_a.t = abut_mul_t(&ma->linear, d);
    for (int j = 0; j < 3; ++j) {
        const abut_vec3 column =
            abut_mul_t(&ma->linear, abut_v3(mb->linear.m[0][j], mb->linear.m[1][j], mb->linear.m[2][j]));
        out->b_in_a.r.m[0][j] = column.x;
        out->b_in_a.r.m[1][j] = column.y;
        out->b_in_a.r.m[2][j] = column.z;
    }
    const double wa = width_of(pair->at_a), wb = width_of(pair->at_b);
    const double far_out = fabs(d.x) + fabs(d.y) + fabs(d.z);
    const double turn = (wa + wb) * (1 + wa + wb) + 20 * U, shift = wa * (1 + wa) + 20 * U;
    out->plain = false;
    out->b_in_a.error =
        (turn * out->reach + shift * far_out + (shift_of(pair->at_a) + shift_of(pair->at_b)) * (1 + wa)) *
            (1 + 16 * U) +
        0x1p-1000;
}

void abut_triangle_frame_identity(double size, abut_triangle_frame *out)
{
    static const abut_pose still = { { 0, 0, 0 }, { 1, 0, 0, 0 } };
    out->world = (abut_affine){ { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } }, { 0, 0, 0 } };
    out->b_in_a = (abut_bv_relative){ out->world.linear, out->world.translation, 0 };
    out->reach = size;
    out->exact = out->plain = true;
    out->pose_a = out->pose_b = still;
}

void abut_triangle_frame_set(const abut_pair *pair, double size_b, abut_triangle_frame *out)
{
    out->world = pair->at_a->mid;
    out->reach = size_b;
    out->exact = pair->at_a->stated && pair->at_b->stated;
    if (out->exact) {
        out->pose_a = pair->at_a->pose;
        out->pose_b = pair->at_b->pose;
        set_stated(pair, out);
    } else {
        out->pose_a = out->pose_b = (abut_pose){ { 0, 0, 0 }, { 1, 0, 0, 0 } };
        set_enclosed(pair, out);
    }
    /* Overflow on the way: the doubles know nothing. */
    if (!(out->b_in_a.error <= DBL_MAX) || !abut_is_finite3(out->b_in_a.t)) {
        out->plain = false;
        out->b_in_a.t = abut_v3(0, 0, 0);
        out->b_in_a.error = HUGE_VAL;
    }
}
