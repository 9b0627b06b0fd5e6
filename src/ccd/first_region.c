/* SPDX-License-Identifier: MIT */
/* Contacts along lines and faces of convex bodies.
 *
 * Convex bodies that touch have a plane between them, across the contact normal, and all that
 * they have in common is in it: what the face of one there has in common with the face of the
 * other. So the two faces are cut in the plane (first_region_meet.c), and points spread over
 * what is left (first_spread.c). A normal that solvers found may be off by the root of rounding;
 * where a face, side or edge is nearly across it the direction exactly across that is tried as
 * well, and taken when it parts the bodies equally well and more of them is in its plane. */
#include "ccd/first_region.h"

#include "math/nearest.h"

/* Tangential tolerances, over the size of the smaller body: in how far faces that are side by
 * side meet; what is a point. */
static const double meets = 1e-10, points = 1e-7;
/* What is further in the other than this has no plane of contact: a body without interior that
 * runs through it from the start. One point represents all. */
static const double deep = 1e-6;

void abut_contact_plane_set(abut_vec3 normal, abut_vec3 at, double height, const abut_face *a,
                            const abut_face *b, abut_contact_plane *out)
{
    const abut_vec3 axis = fabs(normal.x) < 0.6 ? abut_v3(1, 0, 0) : abut_v3(0, 1, 0);
    abut_vec3 longest = abut_cross(normal, axis);
    double most = -1;
    for (int k = 0; k < 2; ++k) {
        const abut_face *f = k ? b : a;
        for (int i = 0; (f->kind == ABUT_FACE_POLYGON || f->kind == ABUT_FACE_SEGMENT) && i < f->count; ++i) {
            const abut_vec3 side = abut_sub(f->p[i + 1 < f->count ? i + 1 : 0], f->p[i]);
            if (abut_dot(side, side) > most) {
                most = abut_dot(side, side);
                longest = side;
            }
        }
    }
    longest = abut_madd(longest, -abut_dot(longest, normal), normal);
    out->normal = normal;
    out->x = abut_unit_or(longest, abut_unit_or(abut_cross(normal, axis), axis));
    out->y = abut_cross(normal, out->x);
    out->at = abut_madd(at, height - abut_dot(normal, at), normal);
}

void abut_contact_plane_flatten(const abut_contact_plane *plane, const abut_face *face, abut_flat_face *out)
{
    double area = 0;
    out->kind = face->kind;
    out->count = face->kind == ABUT_FACE_PLANE ? 0 : face->count;
    out->radius = face->radius;
    for (int i = 0; i < out->count; ++i) {
        const abut_vec3 p = abut_sub(face->p[i], plane->at);
        out->p[i] = (abut_flat){ abut_dot(p, plane->x), abut_dot(p, plane->y) };
    }
    for (int i = 0; i < out->count; ++i) {
        const abut_flat p = out->p[i], q = out->p[i + 1 < out->count ? i + 1 : 0];
        area += (p.x - out->p[0].x) * (q.y - out->p[0].y) - (p.y - out->p[0].y) * (q.x - out->p[0].x);
    }
    for (int i = 0; area < 0 && i < out->count / 2; ++i) {
        const abut_flat swap = out->p[i];
        out->p[i] = out->p[out->count - 1 - i];
        out->p[out->count - 1 - i] = swap;
    }
}

abut_feature abut_flat_feature(const abut_face *face, const abut_flat_face *flat, abut_flat p, double close)
{
    const bool polygon = face->kind == ABUT_FACE_POLYGON;
    if (face->kind == ABUT_FACE_DISC)
        return hypot(p.x - flat->p[0].x, p.y - flat->p[0].y) > flat->radius - close ? face->border
                                                                                    : face->inside;
    if (!polygon && face->kind != ABUT_FACE_SEGMENT)
        return face->inside;
    for (int i = 0; i < flat->count; ++i)
        if (hypot(p.x - flat->p[i].x, p.y - flat->p[i].y) < close)
            return face->ends[polygon ? 0 : i];
    for (int i = 0; polygon && i < flat->count; ++i) {
        const abut_flat a = flat->p[i], b = flat->p[i + 1 < flat->count ? i + 1 : 0];
        const double x = b.x - a.x, y = b.y - a.y;
        if ((p.y - a.y) * x - (p.x - a.x) * y < close * hypot(x, y))
            return face->border;
    }
    return face->inside;
}

double abut_first_separation(const abut_first_state *s)
{
    double least = INFINITY;
    if (s->opts->separation > 0)
        return s->opts->separation;
    for (int i = 0; i < 2; ++i) {
        const abut_aabb box = abut_shape_bounds(i ? s->b : s->a);
        least = fmin(least, fmax(box.hi.x - box.lo.x, fmax(box.hi.y - box.lo.y, box.hi.z - box.lo.z)));
    }
    return least / 20;
}

/* ---- two bodies ---- */

/* Where both are, in the frame of one that has a core. */
typedef struct view {
    const abut_core *own, *other; /* other: NULL for a half-space */
    bool other_first;             /* it is a */
    abut_affine world;            /* of the frame */
    abut_mat3 r;                  /* of the other in it */
    abut_vec3 t;
    /* of a half-space: its normal, in the frame; the bodies touch where up . x = height */
    abut_vec3 up;
    double height;
    double size; /* of the smaller body */
} view;

static bool place(const abut_motion *motion, double t, abut_affine *out)
{
    *out = (abut_affine){ .linear = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } };
    return !motion || !abut_motion_at(motion, t, out);
}

static double size_of(const abut_core *core)
{
    return core->size + core->radius;
}

static bool set_view(const abut_first_state *s, double t, view *v)
{
    abut_affine at[2];
    if (!abut_first_is_rigid(s->motion_a) || !abut_first_is_rigid(s->motion_b) ||
        !place(s->motion_a, t, &at[0]) || !place(s->motion_b, t, &at[1]))
        return false;
    v->other_first = s->a->core.kind == ABUT_CORE_NONE;
    const abut_shape *own = v->other_first ? s->b : s->a, *other = v->other_first ? s->a : s->b;
    const abut_affine *there = &at[v->other_first ? 0 : 1];
    v->world = at[v->other_first ? 1 : 0];
    v->own = &own->core;
    v->other = other->core.kind == ABUT_CORE_NONE ? NULL : &other->core;
    const abut_vec3 between = abut_sub(there->translation, v->world.translation);
    if (own->core.kind == ABUT_CORE_NONE || (!v->other && other->type != ABUT_SHAPE_HALFSPACE))
        return false;
    v->size = v->other ? fmin(size_of(v->own), size_of(v->other)) : size_of(v->own);
    if (v->other) {
        for (int i = 0; i < 3; ++i) {
            const abut_vec3 column =
                abut_mul_t(&v->world.linear,
                           abut_v3(there->linear.m[0][i], there->linear.m[1][i], there->linear.m[2][i]));
            v->r.m[0][i] = column.x;
            v->r.m[1][i] = column.y;
            v->r.m[2][i] = column.z;
        }
        v->t = abut_mul_t(&v->world.linear, between);
    } else {
        const abut_vec3 given = other->u.halfspace.normal, n = abut_unit_or(given, abut_v3(0, 0, 1)),
                        up = abut_mul(&there->linear, n);
        v->up = abut_mul_t(&v->world.linear, up);
        v->height = other->u.halfspace.offset / abut_length(given) + abut_dot(up, between);
    }
    /* Squares must neither overflow nor vanish. */
    return v->size > 0x1p-140 && v->size < 0x1p140 &&
           (!v->other || fmax(size_of(v->own), size_of(v->other)) < 0x1p140);
}

static double reach(const abut_core *core, abut_vec3 d)
{
    uint32_t hint = 0;
    return abut_dot(d, abut_core_support(core, d, &hint)) + core->radius;
}

static abut_vec3 to_other(const view *v, abut_vec3 d)
{
    return abut_mul_t(&v->r, abut_v3(-d.x, -d.y, -d.z));
}

/* How far apart they are along d, and how high their middle plane is. */
static double gap_along(const view *v, abut_vec3 d, double *height)
{
    const double mine = reach(v->own, d);
    const double theirs = v->other ? abut_dot(d, v->t) - reach(v->other, to_other(v, d)) : -v->height;
    *height = 0.5 * (mine + theirs);
    return theirs - mine;
}

/* What they have in common in the plane across one direction. */
typedef struct common {
    abut_contact_plane plane;
    abut_face own, other;
    abut_flat_face flat_own, flat_other;
    abut_contact_region region;
} common;

static void find_common(const view *v, abut_vec3 d, double height, abut_vec3 near, common *out)
{
    abut_face_of(v->own, d, ABUT_FACE_LEVEL * v->own->size, &out->own);
    if (v->other)
        abut_face_of(v->other, to_other(v, d), ABUT_FACE_LEVEL * v->other->size, &out->other);
    else
        out->other = (abut_face){ .kind = ABUT_FACE_PLANE, .inside = ABUT_FEATURE_FACE };
    for (int i = 0; v->other && i < out->other.count; ++i)
        out->other.p[i] = abut_add(abut_mul(&v->r, out->other.p[i]), v->t);
    out->region.dimension = 0;
    if (out->own.kind == ABUT_FACE_POINT || out->other.kind == ABUT_FACE_POINT)
        return;
    abut_contact_plane_set(d, near, height, &out->own, &out->other, &out->plane);
    abut_contact_plane_flatten(&out->plane, &out->own, &out->flat_own);
    abut_contact_plane_flatten(&out->plane, &out->other, &out->flat_other);
    abut_region_meet(&out->flat_own, &out->flat_other, meets * v->size, points * v->size, &out->region);
}

/* In the best of the planes that are nearly across d. */
static bool find_best(const view *v, abut_vec3 d, abut_vec3 near, common *best)
{
    abut_vec3 tried[4] = { d, d, d, d };
    double height;
    if (!v->other) {
        (void)gap_along(v, abut_scale(-1, v->up), &height);
        find_common(v, abut_scale(-1, v->up), height, near, best);
        return best->region.dimension > 0;
    }
    const abut_vec3 zero = { 0, 0, 0 };
    const double gap = gap_along(v, d, &height), slack = ABUT_FACE_LEVEL * v->size;
    tried[1] = abut_face_snap(v->own, d);
    for (int i = 2; i < 4; ++i) {
        const abut_vec3 m = abut_face_snap(v->other, to_other(v, tried[i - 2]));
        tried[i] = abut_sub(zero, abut_mul(&v->r, m));
    }
    int most = -1, chosen = 0, last = 0;
    for (int i = 0; i < 4 && most < 2; ++i) {
        if (i > 0 && (abut_dot(tried[i], d) < 1 - 1e-11 || gap_along(v, tried[i], &height) < gap - slack))
            continue;
        find_common(v, tried[i], height, near, best);
        last = i;
        if (best->region.dimension > most) {
            most = best->region.dimension;
            chosen = i;
        }
    }
    if (most > 0 && last != chosen) {
        (void)gap_along(v, tried[chosen], &height);
        find_common(v, tried[chosen], height, near, best);
    }
    return best->region.dimension > 0;
}

static void keep_samples(abut_first_state *s, const view *v, const common *c, const abut_first_point *like)
{
    abut_spread spread;
    abut_flat lo, hi;
    const double close = points * v->size;
    const abut_vec3 n = abut_mul(&v->world.linear, c->plane.normal);
    abut_region_bounds(&c->region, &lo, &hi);
    abut_spread_begin(&spread, lo, hi, abut_first_separation(s));
    abut_spread_add(&spread, &c->region, true, close);
    for (int i = 0; i < spread.count; ++i) {
        abut_first_point point = *like;
        point.point = abut_affine_apply(&v->world, abut_contact_plane_point(&c->plane, spread.p[i]));
        point.normal = v->other_first ? abut_scale(-1, n) : n;
        point.kind = ABUT_CONTACT_SAMPLED;
        point.unique = false;
        point.features[v->other_first] = abut_flat_feature(&c->own, &c->flat_own, spread.p[i], close);
        point.features[!v->other_first] = abut_flat_feature(&c->other, &c->flat_other, spread.p[i], close);
        abut_first_keep_point(s, &point);
    }
}

/* Apart from its caller, which mostly has no use for all the room that this takes. */
static ABUT_MATH_NOINLINE bool add_region(abut_first_state *s, const view *v, const abut_first_point *like)
{
    common c;
    const abut_vec3 n = abut_mul_t(&v->world.linear, like->normal);
    const abut_vec3 near = abut_mul_t(&v->world.linear, abut_sub(like->point, v->world.translation));
    const abut_vec3 d = v->other_first ? abut_scale(-1, n) : n;
    double height;
    if (gap_along(v, d, &height) < -deep * v->size) {
        abut_first_point point = *like;
        point.kind = ABUT_CONTACT_SAMPLED;
        abut_first_keep_point(s, &point);
        return true;
    }
    if (!find_best(v, d, near, &c))
        return false;
    keep_samples(s, v, &c, like);
    return true;
}

bool abut_first_add_region(abut_first_state *s, double t, const abut_first_point *like)
{
    view v;
    if (s->a->type == ABUT_SHAPE_HEIGHTFIELD || s->b->type == ABUT_SHAPE_HEIGHTFIELD)
        return abut_first_add_field_region(s, t, like);
    if (s->a->type == ABUT_SHAPE_HALFSPACE &&
        s->b->type == ABUT_SHAPE_HALFSPACE) { /* one point of the plane */
        abut_first_point point = *like;
        point.kind = ABUT_CONTACT_SAMPLED;
        abut_first_keep_point(s, &point);
        return true;
    }
    return set_view(s, t, &v) && add_region(s, &v, like);
}
