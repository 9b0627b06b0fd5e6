/* SPDX-License-Identifier: MIT */
/* One triangle of a mesh against a ball, a box or a flat hull that are placed exactly: the sign of their
 * gap, always.
 *
 * Flat hulls (points, segments, polygons) are triangles, perhaps degenerate ones, and
 * narrow/triangle.h tells whether these meet, however they are turned; they have no interior to
 * reach into. For balls and boxes:
 *
 * All coordinates are sums of three doubles (corner, both translations), seen from the body's
 * centre, in the axes of the world. A ball: the least of the signs of distance^2 - r^2 over the
 * corners, the edges whose inside has the foot of the centre, and the triangle where that has it. A
 * box: the largest gap over the axes of the separating-axis theorem (its own, the triangle's
 * normal, and their products with the edges): positive on one of them, they are apart; negative on
 * all of them, the triangle reaches into the interior. A degenerate triangle has no normal and
 * fewer edges, and the rest of the axes decide. Numbers are exact dyadic ones (big.h), so that
 * nothing overflows. */
#include "narrow/mesh/mesh_convex.h"
#include "narrow/pair/big.h"
#include "narrow/triangle/triangle.h"

#include "math/vec3.h"

typedef struct corner {
    abut_terms c[3];
} corner;

typedef struct big3 {
    abut_big c[3];
} big3;

static corner difference(const abut_vec3 *q, const abut_vec3 *p)
{
    corner d;
    for (int k = 0; k < 3; ++k)
        d.c[k] = abut_terms_difference(abut_part3(*q, k), abut_part3(*p, k));
    return d;
}

static void dot(const corner *a, const corner *b, abut_big *out)
{
    abut_big x, y;
    abut_big_clear(out);
    for (int k = 0; k < 3; ++k) {
        abut_big_terms(&a->c[k], &x);
        abut_big_terms(&b->c[k], &y);
        abut_big_add_product(&x, &y, 1, out);
    }
}

static void cross(const corner *a, const corner *b, big3 *out)
{
    abut_big x, y;
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        abut_big_clear(&out->c[k]);
        abut_big_terms(&a->c[i], &x);
        abut_big_terms(&b->c[j], &y);
        abut_big_add_product(&x, &y, 1, &out->c[k]);
        abut_big_terms(&a->c[j], &x);
        abut_big_terms(&b->c[i], &y);
        abut_big_add_product(&x, &y, -1, &out->c[k]);
    }
}

static void dot_big(const big3 *a, const big3 *b, abut_big *out)
{
    abut_big_clear(out);
    for (int k = 0; k < 3; ++k)
        abut_big_add_product(&a->c[k], &b->c[k], 1, out);
}

static void dot_mixed(const big3 *a, const corner *b, abut_big *out)
{
    abut_big x;
    abut_big_clear(out);
    for (int k = 0; k < 3; ++k) {
        abut_big_terms(&b->c[k], &x);
        abut_big_add_product(&a->c[k], &x, 1, out);
    }
}

static bool is_zero(const big3 *a)
{
    return a->c[0].n == 0 && a->c[1].n == 0 && a->c[2].n == 0;
}

/* ---- balls ---- */

/* Sign of over - r^2 under. */
static int beyond(const abut_big *over, const abut_big *under, double radius)
{
    abut_big r, square, sum;
    abut_big_double(radius, &r);
    abut_big_mul(&r, &r, &square);
    sum = *over;
    abut_big_add_product(&square, under, -1, &sum);
    return abut_big_sign(&sum);
}

static int ball_corner(const corner *p, double radius)
{
    abut_big square, one;
    dot(p, p, &square);
    abut_big_double(1, &one);
    return beyond(&square, &one, radius);
}

/* 1 also where the foot is not inside the edge. */
static int ball_edge(const corner *p, const corner *q, const corner *e, double radius)
{
    abut_big s, t, square;
    dot(p, e, &s);
    dot(q, e, &t);
    if (abut_big_sign(&s) >= 0 || abut_big_sign(&t) <= 0)
        return 1;
    big3 m;
    cross(p, e, &m);
    dot_big(&m, &m, &s);
    dot(e, e, &square);
    return beyond(&s, &square, radius);
}

static int ball_inside(const corner p[3], const corner e[3], double radius)
{
    big3 n, m;
    abut_big s, square, height;
    cross(&e[0], &e[1], &n);
    if (is_zero(&n))
        return 1;
    for (int k = 0; k < 3; ++k) { /* (n x e) . (0 - p) = n . (p x e) */
        cross(&p[k], &e[k], &m);
        dot_big(&n, &m, &s);
        if (abut_big_sign(&s) < 0)
            return 1;
    }
    dot_mixed(&n, &p[0], &height);
    abut_big_mul(&height, &height, &s);
    dot_big(&n, &n, &square);
    return beyond(&s, &square, radius);
}

static int ball_sign(const corner p[3], const corner e[3], double radius)
{
    int sign = ball_inside(p, e, radius);
    for (int k = 0; k < 3 && sign >= 0; ++k) {
        const int corner_sign = ball_corner(&p[k], radius);
        sign = corner_sign < sign ? corner_sign : sign;
    }
    for (int k = 0; k < 3 && sign >= 0; ++k) {
        const int edge_sign = ball_edge(&p[k], &p[(k + 1) % 3], &e[k], radius);
        sign = edge_sign < sign ? edge_sign : sign;
    }
    return sign;
}

/* ---- boxes ---- */

/* Sign of the gap along an axis: the least corner above the box, or the greatest below it. */
static int axis_sign(const big3 *axis, const corner p[3], const double half[3])
{
    abut_big reach, h, value;
    abut_big_clear(&reach);
    for (int k = 0; k < 3; ++k) {
        abut_big_double(half[k], &h);
        abut_big_add_product(&axis->c[k], &h, abut_big_sign(&axis->c[k]), &reach);
    }
    int above = 1, below = 1;
    for (int i = 0; i < 3; ++i) {
        dot_mixed(axis, &p[i], &value);
        abut_big over = value;
        abut_big_add(&reach, -1, &over); /* value - reach */
        abut_big_add(&reach, 1, &value); /* value + reach */
        const int a = abut_big_sign(&over), b = -abut_big_sign(&value);
        above = a < above ? a : above;
        below = b < below ? b : below;
    }
    return above > below ? above : below;
}

/* The same in doubles; ABUT_SIGN_UNKNOWN where rounding leaves it open. No part of the axis is
 * larger than `size`, which its errors are in units of, nor any sum of terms than `reach`: six
 * roundings a product, three products a value, and some more. */
static int rounded_sign(abut_vec3 axis, double size, const abut_vec3 p[3], double reach, const double half[3])
{
    const double r = fabs(axis.x) * half[0] + fabs(axis.y) * half[1] + fabs(axis.z) * half[2];
    const double error = 0x1p-46 * size * reach;
    double lo = INFINITY, hi = -INFINITY;
    for (int i = 0; i < 3; ++i) {
        const double v = abut_dot(axis, p[i]);
        lo = v < lo ? v : lo;
        hi = v > hi ? v : hi;
    }
    const double gap = lo - r > -hi - r ? lo - r : -hi - r;
    return !(size * reach > 0x1p-900) ? ABUT_SIGN_UNKNOWN
           : gap > error              ? 1
           : gap < -error             ? -1
                                      : ABUT_SIGN_UNKNOWN;
}

static abut_vec3 value_of(const corner *c)
{
    return abut_v3(abut_terms_value(&c->c[0]).h, abut_terms_value(&c->c[1]).h, abut_terms_value(&c->c[2]).h);
}

static double size_of(const corner *c)
{
    return fmax(abut_terms_size(&c->c[0]), fmax(abut_terms_size(&c->c[1]), abut_terms_size(&c->c[2])));
}

/* Along axis k of the world. */
static int unit_sign(const corner p[3], int k, double half)
{
    int above = 1, below = 1;
    for (int i = 0; i < 3; ++i) {
        abut_terms over = p[i].c[k], under = p[i].c[k];
        abut_terms_push(&over, -half);
        abut_terms_push(&under, half);
        const int a = abut_terms_sign(&over), b = -abut_terms_sign(&under);
        above = a < above ? a : above;
        below = b < below ? b : below;
    }
    return above > below ? above : below;
}

/* Zeros of an edge are exact, being differences of two doubles; so are those of its product with
 * an axis. */
static bool is_axial(abut_vec3 v)
{
    return (v.x == 0) + (v.y == 0) + (v.z == 0) >= 2;
}

/* The triangle is across an axis. */
static bool is_level(const abut_vec3 edge[3])
{
    return (edge[0].x == 0 && edge[1].x == 0) || (edge[0].y == 0 && edge[1].y == 0) ||
           (edge[0].z == 0 && edge[1].z == 0);
}

static int box_sign(const corner p[3], const corner e[3], const double half[3])
{
    abut_vec3 rounded[3], edge[3];
    double reach = fmax(half[0], fmax(half[1], half[2])), length = 0;
    for (int k = 0; k < 3; ++k) {
        rounded[k] = value_of(&p[k]);
        edge[k] = value_of(&e[k]);
        reach = fmax(reach, size_of(&p[k]));
        length = fmax(length, abut_max_norm(edge[k]));
    }
    int sign = -1;
    for (int k = 0; k < 3; ++k) {
        const int along = unit_sign(p, k, half[k]);
        sign = along > sign ? along : sign;
    }
    for (int i = -1; i < 9 && sign < 1; ++i) {
        const abut_vec3 unit = { i % 3 == 0, i % 3 == 1, i % 3 == 2 };
        const abut_vec3 about = i < 0 ? abut_cross(edge[0], edge[1]) : abut_cross(unit, edge[i / 3]);
        if (i < 0 ? is_level(edge) : is_axial(about)) /* along an axis, or nothing at all */
            continue;
        int one = rounded_sign(about, i < 0 ? length * length : length, rounded, reach, half);
        if (one == ABUT_SIGN_UNKNOWN) {
            const corner exact = { { { 1, { unit.x } }, { 1, { unit.y } }, { 1, { unit.z } } } };
            big3 axis;
            cross(i < 0 ? &e[0] : &exact, i < 0 ? &e[1] : &e[i / 3], &axis);
            if (is_zero(&axis))
                continue;
            one = axis_sign(&axis, p, half);
        }
        sign = one > sign ? one : sign;
    }
    return sign;
}

/* ---- flat hulls ---- */

/* As a fan of triangles from its first corner. */
static int flat_sign(const abut_pair *pair, const abut_hull *hull, const abut_vec3 t[3])
{
    abut_triangle_frame frame;
    uint64_t exact = 0;
    const uint32_t count = hull->vertex_count;
    bool unknown = false;
    abut_triangle_frame_set(pair, hull->size, &frame);
    for (uint32_t k = 1; k == 1 || k + 1 < count; ++k) {
        const uint32_t at[3] = { 0, k < count ? k : 0, k + 1 < count ? k + 1 : 0 };
        abut_vec3 b[3];
        for (int i = 0; i < 3; ++i)
            b[i] = abut_hull_vertex(hull, hull->dimension == 2 ? hull->face_corners[at[i]] : at[i]);
        const abut_meet meet = abut_triangle_meet(&frame, t, b, &exact);
        if (meet == ABUT_MEET_UNKNOWN)
            unknown = true;
        else if (meet != ABUT_MEET_NONE)
            return 0;
    }
    return unknown ? ABUT_SIGN_UNKNOWN : 1;
}

/* ---- the whole ---- */

int abut_mesh_exact_sign(const abut_pair *pair, uint32_t face)
{
    const abut_place *pa = pair->at_a, *pb = pair->at_b;
    const abut_shape_type type = pair->b->type;
    abut_vec3 t[3], world[3];
    abut_mesh_corners(&pair->a->u.faceted, face, t);
    if (type == ABUT_SHAPE_CONVEX && pair->b->u.convex.margin == 0 && pair->b->u.convex.hull->dimension < 3)
        return flat_sign(pair, pair->b->u.convex.hull, t);
    if (!pa->points || !pa->axes || !pb->points || (type != ABUT_SHAPE_SPHERE && type != ABUT_SHAPE_BOX) ||
        (type == ABUT_SHAPE_BOX && !pb->axes))
        return ABUT_SIGN_UNKNOWN;
    corner p[3], e[3];
    for (int i = 0; i < 3; ++i) {
        double x[3];
        for (int k = 0; k < 3; ++k)
            x[pa->axis[k]] = pa->sign[k] * abut_part3(t[i], k);
        world[i] = abut_v3(x[0], x[1], x[2]);
        for (int k = 0; k < 3; ++k) {
            p[i].c[k] =
                abut_terms_difference(abut_part3(pa->mid.translation, k), abut_part3(pb->mid.translation, k));
            abut_terms_push(&p[i].c[k], x[k]);
        }
    }
    for (int k = 0; k < 3; ++k)
        e[k] = difference(&world[(k + 1) % 3], &world[k]);
    if (type == ABUT_SHAPE_SPHERE)
        return ball_sign(p, e, pair->b->u.sphere.radius);
    double half[3];
    for (int k = 0; k < 3; ++k)
        half[pb->axis[k]] = abut_part3(pair->b->u.box.half, k);
    return box_sign(p, e, half);
}
