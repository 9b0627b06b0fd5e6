/* SPDX-License-Identifier: MIT */
/* The nearest feature of a point, a segment or a box and a point, and of two segments, in closed
 * form: what GJK would find, for solvers that examine the same bodies again and again while they
 * move.
 *
 * The nearest points are clamped coordinates; what was not clamped is free, and spans the
 * feature of K = { y - x } on which the nearest point lies: one to three vertices, which the
 * simplex gets. The bounds do not depend on that: hi is the distance of two points, lo the
 * separation along their difference. */
#include "narrow/convex/closed.h"

static const double u = 0x1p-53;

static bool is_box_like(abut_core_kind kind)
{
    return kind == ABUT_CORE_BOX || kind == ABUT_CORE_SEGMENT;
}

static double clamp(double x, double most)
{
    return x < -most ? -most : x > most ? most : x;
}

/* Hints of vertices as abut_core_support gives them: bits x, y, z of a box, 0 or 1 of a segment. */
static uint32_t hint_of(const abut_core *core, const bool up[3])
{
    if (core->kind == ABUT_CORE_BOX)
        return (uint32_t)up[0] | (uint32_t)up[1] << 1 | (uint32_t)up[2] << 2;
    return up[2];
}

/* A point p of the box's frame against the box: `free` axes are those along which p lies above
 * it. */
static void nearest_on_box(const abut_core *box, abut_vec3 p, abut_vec3 *foot, bool up[3], int free[3],
                           int *free_count)
{
    const double c[3] = { p.x, p.y, p.z };
    const double h[3] = { box->kind == ABUT_CORE_BOX ? box->h[0] : 0,
                          box->kind == ABUT_CORE_BOX ? box->h[1] : 0, box->h[2] };
    double f[3];
    *free_count = 0;
    for (int i = 0; i < 3; ++i) {
        f[i] = clamp(c[i], h[i]);
        up[i] = c[i] > 0;
        if (f[i] == c[i] && h[i] > 0)
            free[(*free_count)++] = i;
    }
    *foot = abut_v3(f[0], f[1], f[2]);
}

/* lo along the difference of the witnesses, hi its length; false where they are so near that it
 * has no direction. */
static bool bound(const abut_convex_pair *pair, abut_convex_answer *out)
{
    const abut_vec3 w = abut_sub(out->y, out->x);
    const double square = abut_dot(w, w), size = pair->a->size + pair->b->size;
    if (!(square > 0x1p-40 * (size * size)) || !(square > 0x1p-600))
        return false;
    const double length = sqrt(square);
    out->normal = abut_scale(1 / length, w);
    out->hi = length * (1 + 4 * u) + pair->error;
    abut_convex_point p = { .a = 0, .b = 0 };
    abut_convex_support(pair, out->normal, &p);
    out->lo = abut_dot(out->normal, p.w) - pair->error;
    out->supports = 1;
    out->iterations = 0;
    return true;
}

static void set_point(const abut_convex_pair *pair, uint32_t a, uint32_t b, abut_convex_point *p)
{
    p->a = a;
    p->b = b;
    p->x = abut_core_vertex(pair->a, a);
    p->y = abut_add(abut_mul(&pair->r, abut_core_vertex(pair->b, b)), pair->t);
    p->w = abut_sub(p->y, p->x);
}

/* The point is a's or b's origin; the other core is a box or a segment. */
static bool point_and_box(const abut_convex_pair *pair, bool box_is_a, abut_simplex *simplex,
                          abut_convex_answer *out)
{
    const abut_core *box = box_is_a ? pair->a : pair->b;
    const abut_vec3 zero = { 0, 0, 0 };
    const abut_vec3 p = box_is_a ? pair->t : abut_mul_t(&pair->r, abut_sub(zero, pair->t));
    abut_vec3 foot;
    bool up[3];
    int free[3], count;
    nearest_on_box(box, p, &foot, up, free, &count);
    if (count == 3)
        return false;
    out->x = box_is_a ? foot : zero;
    out->y = box_is_a ? pair->t : abut_add(abut_mul(&pair->r, foot), pair->t);
    if (!bound(pair, out))
        return false;
    simplex->count = 1 + count;
    for (int i = 0; i <= count; ++i) {
        bool at[3] = { up[0], up[1], up[2] };
        if (i > 0)
            at[free[i - 1]] = !at[free[i - 1]];
        const uint32_t hint = hint_of(box, at);
        set_point(pair, box_is_a ? hint : 0, box_is_a ? 0 : hint, &simplex->p[i]);
    }
    return true;
}

static bool segments(const abut_convex_pair *pair, abut_simplex *simplex, abut_convex_answer *out)
{
    abut_closed_segments(pair, out);
    const double ha = pair->a->h[2], hb = pair->b->h[2];
    const abut_vec3 b = { pair->r.m[0][2], pair->r.m[1][2], pair->r.m[2][2] };
    const double s = out->x.z, t = abut_dot(abut_sub(out->y, pair->t), b);
    if (!bound(pair, out))
        return false;
    const bool free_a = fabs(s) < ha * (1 - 8 * u), free_b = fabs(t) < hb * (1 - 8 * u);
    const uint32_t at_a = s > 0, at_b = t > 0;
    simplex->count = 1;
    set_point(pair, at_a, at_b, &simplex->p[0]);
    if (free_a)
        set_point(pair, !at_a, at_b, &simplex->p[simplex->count++]);
    if (free_b)
        set_point(pair, at_a, !at_b, &simplex->p[simplex->count++]);
    return true;
}

bool abut_closed_nearest(const abut_convex_pair *pair, abut_simplex *simplex, abut_convex_answer *out)
{
    const abut_core_kind a = pair->a->kind, b = pair->b->kind;
    if (a == ABUT_CORE_POINT && is_box_like(b))
        return point_and_box(pair, false, simplex, out);
    if (b == ABUT_CORE_POINT && is_box_like(a))
        return point_and_box(pair, true, simplex, out);
    if (a == ABUT_CORE_SEGMENT && b == ABUT_CORE_SEGMENT)
        return segments(pair, simplex, out);
    return false;
}
