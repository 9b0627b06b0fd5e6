/* SPDX-License-Identifier: MIT */
/* Where a point, or each piece of a segment, lies: in, out, or on which feature of the boundary.
 * Exact wherever the placement is; in any other a point whose enclosure straddles the boundary
 * is ABUT_WHERE_UNKNOWN. */
#include "interval/ia.h"
#include "math/nearest.h"
#include "math/vec3.h"
#include "narrow/brep/line.h"
#include "narrow/compound.h"
#include "narrow/ellipsoid/ellipsoid_place.h"
#include "narrow/mesh/line_mesh.h"
#include "narrow/mesh/mesh_point.h"
#include "narrow/pair/box_features.h"
#include "narrow/pair/pair.h"
#include "narrow/polyhedron/polyhedron.h"
#include "narrow/surface/line_body.h"

#include <float.h>

static abut_piece piece(abut_where where, int64_t id)
{
    return (abut_piece){ .where = where, .id = id };
}

static abut_where where_of(abut_feature feature)
{
    return feature == ABUT_FEATURE_VERTEX ? ABUT_WHERE_VERTEX
           : feature == ABUT_FEATURE_EDGE ? ABUT_WHERE_EDGE
                                          : ABUT_WHERE_FACE;
}

static abut_piece by_sign(int sign, int64_t face)
{
    if (sign == 0)
        return piece(ABUT_WHERE_FACE, face);
    return piece(sign == ABUT_SIGN_UNKNOWN ? ABUT_WHERE_UNKNOWN
                 : sign < 0                ? ABUT_WHERE_IN
                                           : ABUT_WHERE_OUT,
                 -1);
}

/* Offsets p of the point in the shape's axes, as sums; sizes of the shape divided by 2^exponent. */
static abut_piece classify_exact(const abut_shape *shape, abut_terms p[3], int exponent, bool *lossy)
{
    switch (shape->type) {
    case ABUT_SHAPE_SPHERE: {
        const abut_terms r = { 1, { abut_gap_shrink(shape->u.sphere.radius, exponent, lossy) } };
        return by_sign(abut_gap_norm(p, &r, *lossy).sign, 0);
    }
    case ABUT_SHAPE_CAPSULE: {
        const abut_terms r = { 1, { abut_gap_shrink(shape->u.round.radius, exponent, lossy) } };
        const double half = 0.5 * abut_gap_shrink(shape->u.round.height, exponent, lossy);
        const bool up = abut_terms_sign(&p[2]) > 0;
        if (!up)
            abut_terms_negate(&p[2]);
        abut_terms_push(&p[2], -half);
        int64_t face = up ? 2 : 1;
        if (abut_terms_sign(&p[2]) <= 0) {
            p[2] = (abut_terms){ 1, { 0 } };
            face = 0;
        }
        return by_sign(abut_gap_norm(p, &r, *lossy).sign, face);
    }
    case ABUT_SHAPE_BOX: {
        const abut_vec3 half = shape->u.box.half;
        const double h[3] = { abut_gap_shrink(half.x, exponent, lossy),
                              abut_gap_shrink(half.y, exponent, lossy),
                              abut_gap_shrink(half.z, exponent, lossy) };
        int on = 0;
        bool positive[3];
        for (int i = 0; i < 3; ++i) {
            positive[i] = abut_terms_sign(&p[i]) >= 0;
            if (!positive[i])
                abut_terms_negate(&p[i]);
            abut_terms_push(&p[i], -h[i]);
            const int sign = abut_terms_sign(&p[i]);
            if (sign > 0)
                return piece(ABUT_WHERE_OUT, -1);
            on |= sign == 0 ? 1 << i : 0;
        }
        if (!on)
            return piece(ABUT_WHERE_IN, -1);
        abut_piece result;
        result.where = where_of(abut_box_feature(on, positive, &result.id));
        return piece(result.where, result.id);
    }
    default: { /* half-space */
        const abut_vec3 normal = shape->u.halfspace.normal;
        int e;
        (void)frexp(abut_max_norm(normal), &e);
        const double n[3] = { abut_gap_shrink(normal.x, e, lossy), abut_gap_shrink(normal.y, e, lossy),
                              abut_gap_shrink(normal.z, e, lossy) };
        const double offset = abut_gap_shrink(shape->u.halfspace.offset, e + exponent, lossy);
        const int side = abut_plane_side(n, p, offset);
        return by_sign(*lossy && side == 0 ? ABUT_SIGN_UNKNOWN : side, 0);
    }
    }
}

typedef struct input {
    const abut_shape *shape;
    const abut_place *place;
    abut_vec3 point;
} input;

/* From the shape's origin to the point, in the world's axes and in the shape's. */
static inline void enclose_point(const input *in, ia d[3], ia p[3])
{
    const abut_interval_affine *at = &in->place->enclosure;
    d[0] = ia_sub(ia_point(in->point.x), ia_from(at->translation.x));
    d[1] = ia_sub(ia_point(in->point.y), ia_from(at->translation.y));
    d[2] = ia_sub(ia_point(in->point.z), ia_from(at->translation.z));
    for (int j = 0; j < 3; ++j)
        p[j] = ia_add(
            ia_add(ia_mul(ia_from(at->linear.m[0][j]), d[0]), ia_mul(ia_from(at->linear.m[1][j]), d[1])),
            ia_mul(ia_from(at->linear.m[2][j]), d[2]));
}

static ABUT_NOINLINE void enclose_local(const input *in, abut_interval out[3])
{
    ia d[3], p[3];
    enclose_point(in, d, p);
    for (int i = 0; i < 3; ++i)
        out[i] = ia_to(p[i]);
}

/* Signed distance, up to a positive factor. */
static ABUT_NOINLINE void enclose_side(const input *in, abut_interval *out)
{
    ia d[3], p[3];
    enclose_point(in, d, p);
    const abut_shape *shape = in->shape;
    ia value;
    switch (shape->type) {
    case ABUT_SHAPE_BOX: {
        const abut_vec3 h = shape->u.box.half;
        const ia x = ia_sub(ia_abs(p[0]), ia_point(h.x)), y = ia_sub(ia_abs(p[1]), ia_point(h.y));
        value = ia_max(ia_max(x, y), ia_sub(ia_abs(p[2]), ia_point(h.z)));
        break;
    }
    case ABUT_SHAPE_HALFSPACE: {
        const abut_vec3 n = shape->u.halfspace.normal;
        const ia dot = ia_add(ia_add(ia_scale(n.x, p[0]), ia_scale(n.y, p[1])), ia_scale(n.z, p[2]));
        value = ia_sub(dot, ia_point(shape->u.halfspace.offset));
        break;
    }
    case ABUT_SHAPE_SPHERE: { /* its rotation would only widen */
        const ia length = ia_sqrt(ia_add(ia_add(ia_sqr(d[0]), ia_sqr(d[1])), ia_sqr(d[2])));
        value = ia_sub(length, ia_point(shape->u.sphere.radius));
        break;
    }
    default: { /* capsule */
        const ia half = ia_scale(0.5, ia_point(shape->u.round.height));
        const ia z = ia_max(ia_sub(ia_abs(p[2]), half), ia_point(0));
        const ia length = ia_sqrt(ia_add(ia_add(ia_sqr(p[0]), ia_sqr(p[1])), ia_sqr(z)));
        value = ia_sub(length, ia_point(shape->u.round.radius));
    }
    }
    *out = ia_to(value);
}

/* ---- the other convex bodies ---- */

/* A line through the point in any direction: the point is where the line's parameter is 0, and
 * the signs of the parameters of its ends are exact. */
static abut_piece classify_by_line(const abut_shape *shape, const abut_place *place, abut_vec3 point)
{
    abut_line line;
    abut_line_hit hit;
    abut_line_make(shape, place, point, NULL, abut_v3(0.625, 0.375, 0.75), &line);
    /* parameters as they are: no sign is lost by underflow */
    line.direction_exponent = line.length_exponent;
    (void)abut_line_through(shape, &line, &hit);
    const abut_line_end *last = &hit.end[hit.count > 0 ? hit.count - 1 : 0];
    if (hit.count <= 0 || hit.end[0].t > 0 || last->t < 0)
        return piece(ABUT_WHERE_OUT, -1);
    const abut_line_end *on = hit.end[0].t == 0 ? &hit.end[0] : last->t == 0 ? last : NULL;
    if (on)
        return piece(where_of(on->feature), on->id);
    return hit.in_boundary ? piece(where_of(hit.feature), hit.id) : piece(ABUT_WHERE_IN, -1);
}

static bool is_exact_by_line(const abut_shape *shape)
{
    while (shape->type == ABUT_SHAPE_SWEPT && shape->u.swept.margin == 0)
        shape = shape->u.swept.of;
    switch (shape->type) {
    case ABUT_SHAPE_CYLINDER:
    case ABUT_SHAPE_CONE:
    case ABUT_SHAPE_ELLIPSOID: return true;
    case ABUT_SHAPE_CONVEX: return shape->u.convex.margin == 0;
    default: return false;
    }
}

/* The point is somewhere in a small box of the shape's frame: in, where all corners of that are;
 * out, by the distance. */
static abut_piece classify_enclosed(const abut_shape *shape, const abut_interval box[3])
{
    static const abut_place identity = { .mid.linear = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } },
                                         .points = true,
                                         .axes = true,
                                         .axis = { 0, 1, 2 },
                                         .sign = { 1, 1, 1 } };
    const abut_vec3 mid = { 0.5 * box[0].lo + 0.5 * box[0].hi, 0.5 * box[1].lo + 0.5 * box[1].hi,
                            0.5 * box[2].lo + 0.5 * box[2].hi };
    const abut_vec3 wide = { box[0].hi - box[0].lo, box[1].hi - box[1].lo, box[2].hi - box[2].lo };
    int exponent;
    (void)frexp(fmax(abut_max_norm(mid), fmin(shape->core.size + shape->core.radius, DBL_MAX)), &exponent);
    const double scale = ldexp(1, -exponent);
    const int side = abut_line_point_side(&shape->core, exponent, abut_scale(scale, mid),
                                          2 * abut_length(abut_scale(scale, wide)) + 0x1p-1060);
    if (side != ABUT_SIGN_UNKNOWN || !is_exact_by_line(shape))
        return by_sign(side, -1);
    for (int i = 0; i < 8; ++i) {
        const abut_vec3 corner = { i & 1 ? box[0].hi : box[0].lo, i & 2 ? box[1].hi : box[1].lo,
                                   i & 4 ? box[2].hi : box[2].lo };
        if (classify_by_line(shape, &identity, corner).where != ABUT_WHERE_IN)
            return by_sign(ABUT_SIGN_UNKNOWN, -1);
    }
    return piece(ABUT_WHERE_IN, -1);
}

/* The vertical line through a point over or under a field, in units in which no digit of it is
 * lost; false where the point is far beyond the walls, or above. How far below it is does not
 * matter. */
static bool field_line(const abut_shape *shape, const abut_place *place, abut_vec3 point, abut_line *line)
{
    const abut_vec3 t = place->mid.translation;
    abut_line_make(shape, place, point, NULL, abut_v3(0, 0, 1), line);
    if (line->length_exponent == 0)
        return true;
    line->length_exponent = 0;
    for (int i = 0; i < 3; ++i) {
        const double a = abut_part3(point, place->axis[i]), b = abut_part3(t, place->axis[i]);
        const double off = place->sign[i] * (a - b); /* perhaps infinite */
        if (off > 0x1p510 || (off < -0x1p510 && i < 2))
            return false;
        line->o[i] = off < -0x1p510 ? (abut_terms){ 1, { -0x1p510 } } : abut_terms_difference(a, b);
        if (place->sign[i] < 0 && off >= -0x1p510)
            abut_terms_negate(&line->o[i]);
    }
    return true;
}

static abut_piece classify_core(const abut_shape *shape, const abut_place *place, abut_vec3 point)
{
    const bool field = shape->type == ABUT_SHAPE_HEIGHTFIELD;
    if (place->points && place->axes && field) {
        abut_line line;
        abut_piece out;
        if (!field_line(shape, place, point, &line))
            return piece(ABUT_WHERE_OUT, -1);
        abut_line_field_point(shape, &line, &out);
        return out;
    }
    if (place->points && place->axes && is_exact_by_line(shape))
        return classify_by_line(shape, place, point);
    const input in = { shape, place, point };
    abut_interval box[3];
    const abut_rounding saved = abut_rounding_enter();
    enclose_local(&in, box);
    abut_rounding_leave(saved);
    return field ? by_sign(abut_line_field_side(shape, box), -1) : classify_enclosed(shape, box);
}

static bool has_closed_form(abut_shape_type type)
{
    return type == ABUT_SHAPE_SPHERE || type == ABUT_SHAPE_BOX || type == ABUT_SHAPE_CAPSULE ||
           type == ABUT_SHAPE_HALFSPACE;
}

static bool is_supported(const abut_shape *shape)
{
    return shape->type == ABUT_SHAPE_HALFSPACE || shape->type == ABUT_SHAPE_HEIGHTFIELD ||
           abut_shape_has_triangles(shape->type) || abut_is_surface_body(shape->type) ||
           abut_shape_solid(shape) || shape->core.kind != ABUT_CORE_NONE;
}

/* `deformed`: the enclosure of a map that is not rigid, when the shape represents an ellipsoid
 * under it; else NULL. */
static abut_piece classify(const abut_shape *shape, const abut_place *place,
                           const abut_interval_affine *deformed, abut_vec3 point)
{
    const abut_aabb b = shape->bounds;
    const double reach = shape->type == ABUT_SHAPE_HALFSPACE ? 0 : abut_max_norm(b.hi);
    const int exponent =
        abut_gap_exponent(fmax(fmax(abut_max_norm(point), abut_max_norm(place->mid.translation)), reach));
    abut_piece result = { .id = -1 };
    if (abut_shape_has_triangles(shape->type)) {
        abut_vec3 local;
        if (shape->type == ABUT_SHAPE_POLYHEDRON && abut_mesh_exact_local(place, point, &local))
            abut_polyhedron_where(shape, local, &result);
        else {
            result = abut_mesh_classify(shape, place, point);
            abut_entity_of_piece(shape, &result);
        }
    } else if (deformed)
        result = by_sign(abut_ellipsoid_point_side(shape, place, deformed, point), 0);
    else if (!has_closed_form(shape->type))
        result = classify_core(shape, place, point);
    else if (place->points && (place->axes || shape->type == ABUT_SHAPE_SPHERE)) {
        bool lossy = false;
        const abut_vec3 t = place->mid.translation;
        const double to[3] = { point.x, point.y, point.z }, from[3] = { t.x, t.y, t.z };
        abut_terms p[3];
        for (int i = 0; i < 3; ++i) {
            const int axis = shape->type == ABUT_SHAPE_SPHERE ? i : place->axis[i];
            p[i] = abut_terms_difference(abut_gap_shrink(to[axis], exponent, &lossy),
                                         abut_gap_shrink(from[axis], exponent, &lossy));
            if (shape->type != ABUT_SHAPE_SPHERE && place->sign[i] < 0)
                abut_terms_negate(&p[i]);
        }
        result = classify_exact(shape, p, exponent, &lossy);
    } else {
        const input in = { shape, place, point };
        abut_interval side;
        const abut_rounding saved = abut_rounding_enter();
        enclose_side(&in, &side);
        abut_rounding_leave(saved);
        result = by_sign(side.lo > 0 ? 1 : side.hi < 0 ? -1 : ABUT_SIGN_UNKNOWN, -1);
    }
    if (result.where == ABUT_WHERE_UNKNOWN && shape->type == ABUT_SHAPE_ELLIPSOID && !deformed)
        result = by_sign(abut_ellipsoid_point_side(shape, place, NULL, point), 0);
    result.point = point;
    return result;
}

/* A placement as stated, and what is to be asked about there. */
typedef struct placed {
    abut_place place;
    abut_shape image;
    const abut_shape *body;
    abut_interval_affine map;
    const abut_interval_affine *deformed;
} placed;

static abut_status place_stated(const abut_shape *shape, const abut_stated *stated, placed *out)
{
    out->body = shape;
    out->deformed = NULL;
    if (!stated->by_motion)
        return abut_place_from_pose(stated->pose, shape->type != ABUT_SHAPE_SPHERE, &out->place);
    abut_status status =
        abut_place_of(shape, stated->motion, stated->t, &out->image, &out->place, &out->body);
    if (!status && out->body != shape) {
        out->deformed = &out->map;
        status = abut_motion_enclose(stated->motion, (abut_interval){ stated->t, stated->t }, &out->map);
    }
    return status;
}

static ABUT_MATH_NOINLINE abut_status classify_point(const abut_shape *shape, const abut_stated *stated,
                                                     abut_vec3 point, abut_piece *out)
{
    placed at;
    const abut_status status = place_stated(shape, stated, &at);
    if (!status && abut_shape_solid(shape)) {
        *out = abut_solids_classify(shape, &at.place, point);
        out->point = point;
        return ABUT_OK;
    }
    if (!status && abut_is_surface_body(shape->type))
        return abut_body_classify(shape, &at.place, point, out);
    if (!status)
        *out = classify(at.body, &at.place, at.deformed, point);
    return status;
}

/* A point in the frame of a polyhedron: most questions of that kind, and no placement is needed. */
static ABUT_MATH_NOINLINE void classify_in_frame(const abut_shape *shape, abut_vec3 point, abut_piece *out)
{
    abut_polyhedron_where(shape, point, out);
    out->point = point;
}

static abut_status start_point(const abut_shape *shape, const abut_stated *stated, abut_vec3 point,
                               abut_piece *out)
{
    if (!out)
        return ABUT_ERR_ARGUMENT;
    *out = (abut_piece){ .id = -1 };
    if (!shape || !abut_is_finite3(point) || !isfinite(stated->t))
        return ABUT_ERR_ARGUMENT;
    if (shape->type == ABUT_SHAPE_POLYHEDRON && !stated->pose && !stated->motion) {
        const abut_nearest saved = abut_nearest_enter();
        classify_in_frame(shape, point, out);
        abut_nearest_leave(saved);
        return ABUT_OK;
    }
    if (abut_is_compound(shape))
        return abut_compound_classify(shape, stated, point, out);
    if (!is_supported(shape))
        return ABUT_ERR_UNSUPPORTED;
    const abut_nearest saved = abut_nearest_enter();
    const abut_status status =
        abut_cores_status(classify_point(shape, stated, point, out), &shape->core, &shape->core);
    abut_nearest_leave(saved);
    if (status)
        *out = (abut_piece){ .id = -1 };
    return status;
}

abut_status abut_classify_point(const abut_shape *shape, const abut_pose *pose, abut_vec3 point,
                                abut_piece *out)
{
    const abut_stated stated = { .pose = pose };
    return start_point(shape, &stated, point, out);
}

abut_status abut_classify_point_at(const abut_shape *shape, const abut_motion *motion, double t,
                                   abut_vec3 point, abut_piece *out)
{
    const abut_stated stated = { .motion = motion, .t = t, .by_motion = true };
    return start_point(shape, &stated, point, out);
}

/* ---- segments ---- */

typedef struct pieces {
    abut_piece *items;
    size_t capacity, count;
    abut_vec3 from, to;
} pieces;

static void push(pieces *list, abut_piece p, double from, double to)
{
    p.from = from;
    p.to = to;
    if (from == to) {
        const double s = 1 - from;
        p.point = abut_v3(s * list->from.x + from * list->to.x, s * list->from.y + from * list->to.y,
                          s * list->from.z + from * list->to.z);
    }
    if (list->count < list->capacity)
        list->items[list->count] = p;
    ++list->count;
}

static bool is_boundary(abut_where where)
{
    return where >= ABUT_WHERE_VERTEX;
}

/* The parameter of a crossing, brought into line with what is known of the two ends: an end of
 * the segment on the boundary is its crossing, and one that is off it is not, however close. */
static double decide(double t, const abut_piece *first, const abut_piece *last)
{
    const double near = 0x1p-40;
    if (fabs(t) < near && is_boundary(first->where))
        return 0;
    if (fabs(t - 1) < near && is_boundary(last->where))
        return 1;
    if (t == 0 && !is_boundary(first->where) && first->where != ABUT_WHERE_UNKNOWN)
        return 0x1p-1074; /* the least number there is: the other crossing may come soon after */
    if (t == 1 && !is_boundary(last->where) && last->where != ABUT_WHERE_UNKNOWN)
        return last->where == ABUT_WHERE_OUT ? 1 - 0x1p-53 : 1 + 0x1p-52;
    return t;
}

/* The pieces of a segment through a height field or a mesh, as its hits come. */
typedef struct field_walk {
    const abut_shape *shape;
    pieces *list;
    const abut_line *line;
    abut_piece first, last, between; /* between: what the line is in since the last hit */
    double at;                       /* where that was */
} field_walk;

static void push_field(void *ctx, const abut_field_hit *hit)
{
    field_walk *w = ctx;
    const double t = decide(abut_line_parameter(w->line, hit->at.t), &w->first, &w->last);
    if (t >= 0 && t <= 1) {
        const double to = t > w->at ? t : w->at;
        if (to > w->at)
            push(w->list, w->between, w->at, to);
        abut_piece at = piece(where_of(hit->at.feature), hit->at.id);
        abut_entity_of_piece(w->shape, &at);
        push(w->list, at, to, to);
        w->at = to;
    } else if (t > 1 && w->at < 1) {
        push(w->list, w->between, w->at, 1);
        w->at = 1;
    }
    w->between = piece(hit->after, hit->after_id);
    abut_entity_of_piece(w->shape, &w->between);
}

static void split_field(const abut_shape *shape, const abut_line *line, field_walk *w)
{
    abut_piece start = piece(ABUT_WHERE_OUT, -1);
    const bool rises = abut_terms_sign(&line->d[0]) == 0 && abut_terms_sign(&line->d[1]) == 0;
    if (rises) /* vertical: what is before the hit, if there is one, is reported at the end that is below */
        start = abut_terms_sign(&line->d[2]) > 0 ? w->first : start;
    w->between = start;
    (void)abut_line_through_field(shape, line, false, push_field, w);
    if (w->at < 1)
        push(w->list, w->between, w->at, 1);
}

static void split_mesh(const abut_shape *shape, const abut_line *line, field_walk *w)
{
    w->between = piece(ABUT_WHERE_OUT, -1);
    abut_line_through_mesh(shape, line, true, &w->between.where, push_field, w);
    if (w->at < 1)
        push(w->list, w->between, w->at, 1);
}

static void push_polyhedron(void *ctx, const abut_piece *p)
{
    push(ctx, piece(p->where, p->id), p->from, p->to);
}

/* Exactly where doubles hold both ends in the solid's frame, and for turned solids as their rounded
 * placement says; false where neither is so, or memory is out. */
static bool split_polyhedron(const abut_shape *shape, const abut_place *place, pieces *list)
{
    abut_vec3 from, to;
    if (!abut_mesh_exact_local(place, list->from, &from) || !abut_mesh_exact_local(place, list->to, &to)) {
        double error;
        if (place->points && place->axes)
            return false;
        from = abut_mesh_to_local(place, list->from, &error);
        to = abut_mesh_to_local(place, list->to, &error);
    }
    return abut_is_finite3(from) && abut_is_finite3(to) &&
           abut_polyhedron_segment(shape, from, to, &shape->alloc, push_polyhedron, list);
}

static void split(const abut_shape *shape, const abut_place *place, const abut_interval_affine *deformed,
                  pieces *list)
{
    const bool point = list->from.x == list->to.x && list->from.y == list->to.y && list->from.z == list->to.z;
    if (!point && shape->type == ABUT_SHAPE_POLYHEDRON && split_polyhedron(shape, place, list))
        return;
    const abut_piece first = classify(shape, place, deformed, list->from),
                     last = classify(shape, place, deformed, list->to);
    if (point) {
        push(list, first, 0, 1);
        return;
    }
    abut_line line;
    abut_line_hit hit;
    abut_line_approach(shape, place, list->from, &list->to, abut_v3(0, 0, 0), &line);
    if (shape->type == ABUT_SHAPE_HEIGHTFIELD || abut_shape_has_triangles(shape->type)) {
        field_walk w = { .shape = shape, .list = list, .line = &line, .first = first, .last = last };
        if (abut_shape_has_triangles(shape->type))
            split_mesh(shape, &line, &w);
        else
            split_field(shape, &line, &w);
        return;
    }
    if (deformed)
        abut_ellipsoid_through(shape, place, list->from, &list->to, abut_v3(0, 0, 0), &hit);
    else
        (void)abut_line_through(shape, &line, &hit);
    if (hit.count < 0) {
        push(list, first, 0, 1);
        return;
    }
    const abut_piece out = piece(ABUT_WHERE_OUT, -1);
    const abut_piece inside =
        hit.in_boundary ? piece(where_of(hit.feature), hit.id) : piece(ABUT_WHERE_IN, -1);
    double t[2] = { 0, 0 };
    for (int i = 0; i < hit.count; ++i)
        t[i] = decide(deformed ? hit.end[i].t : abut_line_parameter(&line, hit.end[i].t), &first, &last);
    if (hit.count == 1 || t[1] < t[0])
        t[1] = t[0];
    if (hit.count == 0 || t[1] < 0 || t[0] > 1) {
        push(list, out, 0, 1);
        return;
    }
    const abut_line_end *enter = &hit.end[0], *leave = &hit.end[hit.count - 1];
    if (t[0] > 0)
        push(list, out, 0, t[0]);
    if (t[0] >= 0)
        push(list, piece(where_of(enter->feature), enter->id), t[0], t[0]);
    if (hit.count == 2) {
        const double from = fmax(t[0], 0), to = fmin(t[1], 1);
        if (from < to)
            push(list, inside, from, to);
        if (t[1] <= 1)
            push(list, piece(where_of(leave->feature), leave->id), t[1], t[1]);
    }
    if (t[1] < 1)
        push(list, out, t[1], 1);
}

static abut_status split_body(const abut_shape *shape, const abut_place *place, pieces *list)
{
    enum { MOST = 256 };
    abut_field_hit hits[MOST];
    size_t count = 0;
    abut_line line;
    field_walk w = { .shape = shape, .list = list, .line = &line, .between = piece(ABUT_WHERE_OUT, -1) };
    abut_status status = abut_body_classify(shape, place, list->from, &w.first);
    if (!status)
        status = abut_body_classify(shape, place, list->to, &w.last);
    if (status)
        return status;
    if (list->from.x == list->to.x && list->from.y == list->to.y && list->from.z == list->to.z) {
        push(list, w.first, 0, 1);
        return ABUT_OK;
    }
    abut_line_approach(shape, place, list->from, &list->to, abut_v3(0, 0, 0), &line);
    status = abut_line_through_body(shape, place, list->from, &list->to, abut_v3(0, 0, 0), &line,
                                    &w.between.where, hits, MOST, &count);
    if (status || count > MOST)
        return status ? status : ABUT_ERR_LIMIT;
    for (size_t i = 0; i < count; ++i)
        push_field(&w, &hits[i]);
    if (w.at < 1)
        push(list, w.between, w.at, 1);
    return ABUT_OK;
}

/* Between the crossings, each stretch is what its middle is. */
static abut_status split_solid(const abut_shape *shape, const abut_place *place, pieces *list)
{
    enum { MOST = 256 };
    abut_ray_hit hits[MOST];
    size_t count = 0;
    const abut_vec3 along = abut_sub(list->to, list->from);
    const abut_piece first = abut_solids_classify(shape, place, list->from);
    if (along.x == 0 && along.y == 0 && along.z == 0) {
        push(list, first, 0, 1);
        return ABUT_OK;
    }
    const abut_piece last = abut_solids_classify(shape, place, list->to);
    const abut_status status = abut_solids_cast(shape, place, list->from, along, true, hits, MOST, &count);
    if (status || count > MOST)
        return status ? status : ABUT_ERR_LIMIT;
    double at = 0;
    for (size_t i = 0; i <= count; ++i) {
        const double t = i < count ? decide(hits[i].t, &first, &last) : 2;
        if (t < 0)
            continue;
        const double to = fmin(t, 1);
        if (to > at) {
            const abut_vec3 middle = abut_madd(list->from, 0.5 * (at + to), along);
            push(list, abut_solids_classify(shape, place, middle), at, to);
            at = to;
        }
        if (t > 1)
            break;
        abut_piece on = t == 0 ? first : t == 1 ? last : abut_solids_classify(shape, place, hits[i].point);
        if (!is_boundary(on.where))
            on = piece(ABUT_WHERE_FACE, -1);
        push(list, on, t, t);
    }
    return ABUT_OK;
}

static ABUT_MATH_NOINLINE abut_status classify_segment(const abut_shape *shape, const abut_stated *stated,
                                                       pieces *list)
{
    placed at;
    const abut_status status = place_stated(shape, stated, &at);
    if (!status && abut_shape_solid(shape))
        return split_solid(shape, &at.place, list);
    if (!status && abut_is_surface_body(shape->type))
        return split_body(shape, &at.place, list);
    if (!status)
        split(at.body, &at.place, at.deformed, list);
    return status;
}

static abut_status start_segment(const abut_shape *shape, const abut_stated *stated, abut_vec3 from,
                                 abut_vec3 to, abut_piece *items, size_t capacity, size_t *count)
{
    if (!count)
        return ABUT_ERR_ARGUMENT;
    *count = 0;
    if (!shape || (capacity > 0 && !items) || !abut_is_finite3(from) || !abut_is_finite3(to) ||
        !isfinite(stated->t))
        return ABUT_ERR_ARGUMENT;
    if (abut_is_compound(shape))
        return abut_compound_segment(shape, stated, from, to, items, capacity, count);
    if (!is_supported(shape))
        return ABUT_ERR_UNSUPPORTED;
    pieces list = { .items = items, .capacity = capacity, .from = from, .to = to };
    const abut_nearest saved = abut_nearest_enter();
    const abut_status status =
        abut_cores_status(classify_segment(shape, stated, &list), &shape->core, &shape->core);
    abut_nearest_leave(saved);
    *count = status ? 0 : list.count;
    return status;
}

abut_status abut_classify_segment(const abut_shape *shape, const abut_pose *pose, abut_vec3 from,
                                  abut_vec3 to, abut_piece *items, size_t capacity, size_t *count)
{
    const abut_stated stated = { .pose = pose };
    return start_segment(shape, &stated, from, to, items, capacity, count);
}

abut_status abut_classify_segment_at(const abut_shape *shape, const abut_motion *motion, double t,
                                     abut_vec3 from, abut_vec3 to, abut_piece *items, size_t capacity,
                                     size_t *count)
{
    const abut_stated stated = { .motion = motion, .t = t, .by_motion = true };
    return start_segment(shape, &stated, from, to, items, capacity, count);
}
