/* SPDX-License-Identifier: MIT */
/* Where a line enters and leaves a sphere, box, capsule or half-space; see line.h.
 *
 * Method: quadratics from the squared distance of the line to the centre, D = |d|^2 r^2 - |o x
 * d|^2, which does not cancel where b^2 - a c does; the roots from -b -+ sqrt(D) on the side
 * that does not cancel, the other one as c / q. Pairs of doubles, and expansions for the sign
 * and value of D and c where the pairs leave less than 50 bits. Boxes by slabs, comparing
 * quotients exactly where they tie, so that a line through an edge or a vertex touches it once.
 * A capsule is the union of two balls and a cylinder, and a line meets it in the hull of what it
 * meets of those. */
#include "narrow/ray/line.h"

#include "math/vec3.h"
#include "narrow/pair/box_features.h"
#include "shape/heightfield.h"

#include <float.h>

static const double doubtful = 0x1p-44;

static void scaled_terms(double a, double b, int exponent, abut_terms *out)
{
    bool lossy = false; /* tiny parts may be lost: t is a double in the end */
    *out = abut_terms_difference(abut_gap_shrink(a, exponent, &lossy), abut_gap_shrink(b, exponent, &lossy));
}

/* World to local: signs and axes where that is exact, the rounded rotation otherwise. */
void abut_line_turn(const abut_shape *shape, const abut_place *place, const abut_terms world[3],
                    abut_terms local[3])
{
    for (int i = 0; i < 3; ++i) {
        if (shape->type == ABUT_SHAPE_SPHERE)
            local[i] = world[i];
        else if (place->axes) {
            local[i] = world[place->axis[i]];
            if (place->sign[i] < 0)
                abut_terms_negate(&local[i]);
        } else {
            dd sum = { 0, 0 };
            for (int j = 0; j < 3; ++j)
                sum = dd_add(sum, dd_mul((dd){ place->mid.linear.m[j][i], 0 }, abut_terms_value(&world[j])));
            local[i] = (abut_terms){ 2, { sum.h, sum.l } };
        }
    }
}

double abut_line_size(const abut_shape *shape)
{
    switch (shape->type) {
    case ABUT_SHAPE_SPHERE: return shape->u.sphere.radius;
    case ABUT_SHAPE_BOX: return abut_max_norm(shape->u.box.half);
    case ABUT_SHAPE_CAPSULE: return fmax(shape->u.round.radius, shape->u.round.height);
    case ABUT_SHAPE_HALFSPACE: return 0; /* planes have no size */
    case ABUT_SHAPE_HEIGHTFIELD: {
        const abut_range heights = shape->u.heightfield.pyramid->whole;
        const double across = fmax(shape->bounds.hi.x, shape->bounds.hi.y);
        return fmin(fmax(across, fmax(fabs(heights.lo), fabs(heights.hi))), DBL_MAX);
    }
    case ABUT_SHAPE_TORUS:
    case ABUT_SHAPE_PARAMETRIC:
    case ABUT_SHAPE_BEZIER:
    case ABUT_SHAPE_IMPLICIT:
    case ABUT_SHAPE_CSG:
        return fmin(fmax(abut_max_norm(shape->bounds.lo), abut_max_norm(shape->bounds.hi)), DBL_MAX);
    case ABUT_SHAPE_MESH:
    case ABUT_SHAPE_POLYHEDRON: return fmax(abut_max_norm(shape->bounds.lo), abut_max_norm(shape->bounds.hi));
    default: return fmin(shape->core.size + shape->core.radius, DBL_MAX);
    }
}

/* Products of many lengths need all of them near 1; those of two or three, only sizes that are
 * not extreme. */
int abut_line_exponent(const abut_shape *shape, double largest)
{
    if (shape->type == ABUT_SHAPE_SPHERE || shape->type == ABUT_SHAPE_BOX ||
        shape->type == ABUT_SHAPE_CAPSULE || shape->type == ABUT_SHAPE_HALFSPACE)
        return abut_gap_exponent(largest);
    /* Spacings and heights of fields are within 2^-505 and 2^505 (shape/heightfield.h), coordinates
     * of points are not: no digit of these may be lost. */
    if (shape->type == ABUT_SHAPE_HEIGHTFIELD && largest <= 0x1p510)
        return 0;
    int exponent;
    (void)frexp(largest, &exponent);
    return exponent < -1000 ? -1000 : exponent;
}

void abut_line_make(const abut_shape *shape, const abut_place *place, abut_vec3 from, const abut_vec3 *to,
                    abut_vec3 direction, abut_line *out)
{
    const abut_vec3 t = place->mid.translation;
    out->unnamed = out->moved = false;
    out->base = (dd){ 0, 0 };
    out->length_exponent =
        abut_line_exponent(shape, fmax(fmax(abut_max_norm(from), abut_max_norm(t)), abut_line_size(shape)));
    const abut_vec3 end = to ? *to : direction, start = to ? from : abut_v3(0, 0, 0);
    int exponent;
    (void)frexp(fmax(abut_max_norm(end), abut_max_norm(start)), &exponent);
    out->direction_exponent = exponent < -1000 ? -1000 : exponent;
    abut_terms o[3], d[3];
    scaled_terms(from.x, t.x, out->length_exponent, &o[0]);
    scaled_terms(from.y, t.y, out->length_exponent, &o[1]);
    scaled_terms(from.z, t.z, out->length_exponent, &o[2]);
    scaled_terms(end.x, start.x, out->direction_exponent, &d[0]);
    scaled_terms(end.y, start.y, out->direction_exponent, &d[1]);
    scaled_terms(end.z, start.z, out->direction_exponent, &d[2]);
    abut_line_turn(shape, place, o, out->o);
    abut_line_turn(shape, place, d, out->d);
}

static double shrink(double x, int exponent)
{
    bool lossy = false;
    return abut_gap_shrink(x, exponent, &lossy);
}

static double unscale(const abut_line *line, dd t)
{
    return ldexp(t.h, line->length_exponent - line->direction_exponent);
}

/* ---- quadratics: |o + t d| = r in `n` coordinates ---- */

typedef struct roots {
    int count; /* 0, 1 (double), 2; -1: all t, when d = 0 and the point is inside or on it */
    bool on;   /* the point o is on it */
    dd t[2];
} roots;

/* a_i b_j - a_j b_i */
static void exact_cross(const abut_terms *a, const abut_terms *b, int i, int j, abut_exact *out)
{
    abut_exact x, y;
    abut_exact_clear(out);
    abut_terms_exact(&a[i], &x);
    abut_terms_exact(&b[j], &y);
    abut_exact_add_product(&x, &y, out);
    abut_terms_exact(&a[j], &x);
    abut_terms_exact(&b[i], &y);
    abut_exact_sub_product(&x, &y, out);
}

/* |d|^2 r^2 - |o x d|^2, exact. */
static dd exact_discriminant(const abut_terms *o, const abut_terms *d, int n, double r)
{
    abut_exact sum, x, square, radius;
    abut_exact_clear(&square);
    for (int i = 0; i < n; ++i) {
        abut_terms_exact(&d[i], &x);
        abut_exact_add_product(&x, &x, &square);
    }
    const abut_terms r_terms = { 1, { r } };
    abut_terms_exact(&r_terms, &x);
    abut_exact_clear(&radius);
    abut_exact_add_product(&x, &x, &radius);
    abut_exact_clear(&sum);
    abut_exact_add_product(&square, &radius, &sum);
    for (int i = 0; i < n; ++i)
        for (int j = i + 1; j < n; ++j) {
            exact_cross(o, d, i, j, &x);
            abut_exact_sub_product(&x, &x, &sum);
        }
    return abut_exact_value(&sum, NULL);
}

/* |o|^2 - r^2, exact. */
static dd exact_power(const abut_terms *o, int n, double r)
{
    abut_exact sum, x;
    abut_exact_clear(&sum);
    for (int i = 0; i < n; ++i) {
        abut_terms_exact(&o[i], &x);
        abut_exact_add_product(&x, &x, &sum);
    }
    const abut_terms r_terms = { 1, { r } };
    abut_terms_exact(&r_terms, &x);
    abut_exact_sub_product(&x, &x, &sum);
    return abut_exact_value(&sum, NULL);
}

static roots solve_round(const abut_terms *o, const abut_terms *d, int n, double r)
{
    dd ov[3], dv[3], a = { 0, 0 }, b = { 0, 0 }, oo = { 0, 0 }, cross_sq = { 0, 0 };
    for (int i = 0; i < n; ++i) {
        ov[i] = abut_terms_value(&o[i]);
        dv[i] = abut_terms_value(&d[i]);
        a = dd_add(a, dd_sqr(dv[i]));
        b = dd_add(b, dd_mul(ov[i], dv[i]));
        oo = dd_add(oo, dd_sqr(ov[i]));
    }
    for (int i = 0; i < n; ++i)
        for (int j = i + 1; j < n; ++j)
            cross_sq = dd_add(cross_sq, dd_sqr(dd_sub(dd_mul(ov[i], dv[j]), dd_mul(ov[j], dv[i]))));
    const dd rr = dd_two_product(r, r), arr = dd_mul(a, rr);
    dd c = dd_sub(oo, rr);
    if (fabs(c.h) <= doubtful * (oo.h + rr.h))
        c = exact_power(o, n, r);
    if (a.h == 0)
        return (roots){ .count = c.h <= 0 ? -1 : 0, .on = c.h == 0 };
    dd D = dd_sub(arr, cross_sq);
    if (fabs(D.h) <= doubtful * (arr.h + a.h * oo.h))
        D = exact_discriminant(o, d, n, r);
    if (D.h < 0)
        return (roots){ .count = 0 };
    if (D.h == 0)
        return (roots){ .count = 1, .t = { dd_div(dd_neg(b), a), dd_div(dd_neg(b), a) } };
    const dd root = dd_sqrt(D);
    if (b.h > 0) {
        const dd q = dd_neg(dd_add(b, root));
        return (roots){ .count = 2, .t = { dd_div(q, a), dd_div(c, q) } };
    }
    const dd q = dd_sub(root, b);
    return (roots){ .count = 2, .t = { dd_div(c, q), dd_div(q, a) } };
}

static bool before(dd a, dd b)
{
    return a.h < b.h || (a.h == b.h && a.l < b.l);
}

/* o + t d */
static abut_vec3 point_at(const abut_line *line, dd t)
{
    double p[3];
    for (int i = 0; i < 3; ++i)
        p[i] = dd_add(abut_terms_value(&line->o[i]), dd_mul(t, abut_terms_value(&line->d[i]))).h;
    return abut_v3(p[0], p[1], p[2]);
}

static void through_sphere(double radius, const abut_line *line, abut_line_hit *out)
{
    const roots r = solve_round(line->o, line->d, 3, shrink(radius, line->length_exponent));
    out->count = r.count;
    for (int i = 0; i < r.count; ++i)
        out->end[i] = (abut_line_end){ unscale(line, r.t[i]), ABUT_FEATURE_FACE, 0,
                                       abut_unit_or(point_at(line, r.t[i]), abut_v3(1, 0, 0)) };
}

static void through_capsule(double radius, double half_height, const abut_line *line, abut_line_hit *out)
{
    const double r = shrink(radius, line->length_exponent);
    const double half = shrink(half_height, line->length_exponent);
    dd lo = { INFINITY, 0 }, hi = { -INFINITY, 0 };
    for (int side = -1; side <= 1; side += 2) {
        abut_terms o[3] = { line->o[0], line->o[1], line->o[2] };
        abut_terms_push(&o[2], -side * half);
        const roots ball = solve_round(o, line->d, 3, r);
        if (ball.count > 0) {
            lo = before(ball.t[0], lo) ? ball.t[0] : lo;
            hi = before(hi, ball.t[ball.count - 1]) ? ball.t[ball.count - 1] : hi;
        }
    }
    /* The side is met only where |z| <= half; beyond, the balls reach further. */
    const roots side = solve_round(line->o, line->d, 2, r);
    for (int i = 0; i < side.count; ++i) {
        const double z = point_at(line, side.t[i]).z;
        if (fabs(z) > half)
            continue;
        lo = before(side.t[i], lo) ? side.t[i] : lo;
        hi = before(hi, side.t[i]) ? side.t[i] : hi;
    }
    out->count = before(lo, hi) ? 2 : lo.h == hi.h ? 1 : 0;
    out->in_boundary = side.count < 0 && side.on;
    if (out->in_boundary) {
        out->feature = ABUT_FEATURE_FACE;
        out->id = 0;
    }
    const dd t[2] = { lo, hi };
    for (int i = 0; i < out->count; ++i) {
        const abut_vec3 p = point_at(line, t[i]);
        const double beyond = fabs(p.z) - half;
        const abut_vec3 away = { p.x, p.y, beyond > 0 ? (p.z > 0 ? beyond : -beyond) : 0 };
        out->end[i] = (abut_line_end){ unscale(line, t[i]), ABUT_FEATURE_FACE,
                                       beyond <= 0 ? 0
                                       : p.z < 0   ? 1
                                                   : 2,
                                       abut_unit_or(away, abut_v3(1, 0, 0)) };
    }
}

static void through_halfspace(const abut_shape *shape, const abut_line *line, abut_line_hit *out)
{
    const abut_vec3 normal = shape->u.halfspace.normal;
    int e;
    (void)frexp(abut_max_norm(normal), &e);
    const double n[3] = { shrink(normal.x, e), shrink(normal.y, e), shrink(normal.z, e) };
    const double offset = ldexp(shape->u.halfspace.offset, -e - line->length_exponent);
    const int start = abut_plane_side(n, line->o, offset), slope = abut_plane_side(n, line->d, 0);
    const abut_line_end inward = { -INFINITY, ABUT_FEATURE_NONE, -1, { 0, 0, 0 } };
    const abut_line_end outward = { INFINITY, ABUT_FEATURE_NONE, -1, { 0, 0, 0 } };
    if (slope == 0) {
        if (start > 0)
            return;
        out->count = 2;
        out->end[0] = inward;
        out->end[1] = outward;
        out->in_boundary = start == 0;
        out->feature = ABUT_FEATURE_FACE;
        out->id = 0;
        return;
    }
    dd height = { offset, 0 }, rise = { 0, 0 };
    for (int i = 0; i < 3; ++i) {
        height = dd_sub(height, dd_mul((dd){ n[i], 0 }, abut_terms_value(&line->o[i])));
        rise = dd_add(rise, dd_mul((dd){ n[i], 0 }, abut_terms_value(&line->d[i])));
    }
    const dd t = start == 0 ? (dd){ 0, 0 } : dd_div(height, rise);
    const abut_line_end crossing = { unscale(line, t), ABUT_FEATURE_FACE, 0,
                                     abut_unit_or(normal, abut_v3(0, 0, 1)) };
    out->count = 2;
    out->end[0] = slope < 0 ? crossing : inward;
    out->end[1] = slope < 0 ? outward : crossing;
}

/* ---- boxes ---- */

/* A parameter as a quotient of exact sums. */
typedef struct quotient {
    abut_terms over, under;
    dd value;
} quotient;

static int compare(const quotient *a, const quotient *b)
{
    const double gap = dd_sub(a->value, b->value).h;
    if (fabs(gap) > 0x1p-90 * (fabs(a->value.h) + fabs(b->value.h)))
        return gap > 0 ? 1 : -1;
    abut_exact x, y, sum;
    abut_exact_clear(&sum);
    abut_terms_exact(&a->over, &x);
    abut_terms_exact(&b->under, &y);
    abut_exact_add_product(&x, &y, &sum);
    abut_terms_exact(&b->over, &x);
    abut_terms_exact(&a->under, &y);
    abut_exact_sub_product(&x, &y, &sum);
    return abut_exact_sign(&sum) * abut_terms_sign(&a->under) * abut_terms_sign(&b->under);
}

static void through_box(const abut_shape *shape, const abut_line *line, abut_line_hit *out)
{
    const abut_vec3 half = shape->u.box.half;
    const double h[3] = { shrink(half.x, line->length_exponent), shrink(half.y, line->length_exponent),
                          shrink(half.z, line->length_exponent) };
    quotient best[2];
    int axes[2] = { 0, 0 }, flat = 0;
    bool positive[2][3] = { { false } }, flat_positive[3] = { false, false, false };
    for (int i = 0; i < 3; ++i) {
        const int direction = abut_terms_sign(&line->d[i]);
        if (direction == 0) {
            abut_terms beyond = line->o[i];
            flat_positive[i] = abut_terms_sign(&beyond) >= 0;
            if (!flat_positive[i])
                abut_terms_negate(&beyond);
            abut_terms_push(&beyond, -h[i]);
            const int side = abut_terms_sign(&beyond);
            if (side > 0)
                return;
            flat |= side == 0 ? 1 << i : 0;
            continue;
        }
        for (int end = 0; end < 2; ++end) {
            const bool plus = (direction > 0) == (end == 1);
            quotient q = { .over = line->o[i], .under = line->d[i] };
            abut_terms_negate(&q.over);
            abut_terms_push(&q.over, plus ? h[i] : -h[i]);
            q.value = abut_terms_sign(&q.over) == 0
                          ? (dd){ 0, 0 }
                          : dd_div(abut_terms_value(&q.over), abut_terms_value(&q.under));
            positive[end][i] = plus;
            const int order = axes[end] == 0 ? 1 : compare(&q, &best[end]) * (end == 0 ? 1 : -1);
            if (order > 0) {
                best[end] = q;
                axes[end] = 1 << i;
            } else if (order == 0)
                axes[end] |= 1 << i;
        }
    }
    const int order = compare(&best[0], &best[1]);
    if (order > 0)
        return;
    out->count = order == 0 ? 1 : 2;
    for (int end = 0; end < out->count; ++end) {
        int all = axes[end] | flat;
        bool side[3];
        for (int i = 0; i < 3; ++i)
            side[i] = flat >> i & 1 ? flat_positive[i] : positive[end][i];
        if (order == 0) {
            for (int i = 0; i < 3; ++i)
                if ((axes[1] >> i & 1) && !(all >> i & 1))
                    side[i] = positive[1][i];
            all |= axes[1];
        }
        abut_line_end *e = &out->end[end];
        e->t = unscale(line, best[end].value);
        e->feature = abut_box_feature(all, side, &e->id);
        const int axis = axes[end] & 1 ? 0 : axes[end] & 2 ? 1 : 2;
        const double n = positive[end][axis] ? 1 : -1;
        e->outward = abut_v3(axis == 0 ? n : 0, axis == 1 ? n : 0, axis == 2 ? n : 0);
    }
    out->in_boundary = flat != 0;
    if (flat)
        out->feature = abut_box_feature(flat, flat_positive, &out->id);
}

/* Swept shapes, hulls with a margin and the user's. */
static void through_core(const abut_shape *shape, const abut_line *line, abut_line_hit *out)
{
    const abut_core *core = &shape->core;
    if (core->kind == ABUT_CORE_POINT)
        through_sphere(core->radius, line, out);
    else if (core->kind == ABUT_CORE_SEGMENT)
        through_capsule(core->radius, core->h[2], line, out);
    else
        abut_line_through_swept(core, line, out);
    for (int i = 0; i < out->count; ++i)
        out->end[i].id = 0;
    out->id = out->in_boundary ? 0 : -1;
}

/* NOLINTNEXTLINE(misc-no-recursion): a shape swept by nothing is the shape, and shapes are
 * finite */
bool abut_line_through(const abut_shape *shape, const abut_line *line, abut_line_hit *out)
{
    *out = (abut_line_hit){ .count = 0, .id = -1 };
    switch (shape->type) {
    case ABUT_SHAPE_SPHERE: through_sphere(shape->u.sphere.radius, line, out); return true;
    case ABUT_SHAPE_BOX: through_box(shape, line, out); return true;
    case ABUT_SHAPE_CAPSULE:
        through_capsule(shape->u.round.radius, 0.5 * shape->u.round.height, line, out);
        return true;
    case ABUT_SHAPE_HALFSPACE: through_halfspace(shape, line, out); return true;
    case ABUT_SHAPE_CYLINDER:
    case ABUT_SHAPE_CONE:
    case ABUT_SHAPE_ELLIPSOID: abut_line_through_quadric(shape, line, out); return true;
    case ABUT_SHAPE_CONVEX:
        if (shape->core.radius > 0)
            through_core(shape, line, out);
        else
            abut_line_through_hull(shape->u.convex.hull, line, out);
        return true;
    case ABUT_SHAPE_SWEPT:
        if (shape->u.swept.margin == 0)
            return abut_line_through(shape->u.swept.of, line, out);
        through_core(shape, line, out);
        return true;
    case ABUT_SHAPE_SUPPORT: through_core(shape, line, out); return true;
    default: return false;
    }
}
