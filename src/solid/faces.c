/* SPDX-License-Identifier: MIT */
/* Faces and edges of explicit solids as parts. The domain of a face is what its edges span in the
 * surface's parameters, or the whole surface; its loops cut the face out of that (trim.c). */
#include "math/vec3.h"
#include "solid/geometry.h"
#include "solid/member.h"
#include "solid/quadric.h"
#include "solid/reach.h"
#include "solid/trim.h"

#include <math.h>

static void set_frame(abut_part *p, const abut_solid_surface *s)
{
    p->o = s->point;
    p->z = s->axis;
    p->x = abut_unit_or(abut_cross(p->z, fabs(p->z.x) < 0.6 ? abut_v3(1, 0, 0) : abut_v3(0, 1, 0)),
                        abut_v3(1, 0, 0));
    p->y = abut_cross(p->z, p->x);
}

/* Least distance of a point from the edges of a face, at a few places of each piece. */
static double edge_distance(const abut_solid *solid, const abut_curves *curves, size_t face, abut_vec3 p)
{
    const abut_solid_face *f = &solid->def.faces[face];
    double least = INFINITY;
    for (size_t l = 0; l < f->loop_count; ++l)
        for (size_t k = 0; k < f->loops[l].count; ++k) {
            const uint32_t edge = f->loops[l].coedges[k].edge;
            for (size_t i = curves->starts[edge]; i < curves->starts[edge + 1]; ++i) {
                const bool cubic = curves->parts[i].kind == ABUT_CELL_CUBIC;
                for (int n = 0; n <= (cubic ? 2 : 16); ++n) {
                    abut_vec3 tangent;
                    const abut_vec3 at =
                        abut_piece_at(&curves->parts[i], cubic ? 0.5 * n : n / 16.0, &tangent);
                    least = fmin(least, abut_length(abut_sub(at, p)));
                }
            }
        }
    return least;
}

/* The axis of a sphere, which means nothing to it: with the pole, to which the paths of trim.c lead, far from
 * the edges. Users' edges often pass through the poles of the coordinates. */
static abut_vec3 sphere_axis(const abut_solid *solid, const abut_curves *curves, size_t face,
                             const abut_solid_surface *s)
{
    abut_vec3 best = abut_unit_or(abut_v3(0.2113, 0.4862, 0.8479), s->axis);
    double most = edge_distance(solid, curves, face, abut_madd(s->point, s->radius, best));
    for (int i = 0; i < 14 && most < 0.5 * s->radius; ++i) {
        const int k = i < 6 ? i / 2 : i - 6, sign = i & 1 ? -1 : 1;
        const abut_vec3 v = i < 6 ? abut_v3(k == 0 ? sign : 0.31, k == 1 ? sign : -0.23, k == 2 ? sign : 0.17)
                                  : abut_v3(k & 1 ? 0.91 : -1.07, k & 2 ? 1.13 : -0.87, k & 4 ? 0.97 : -1.03);
        const abut_vec3 axis = abut_unit_or(v, best);
        const double clear = edge_distance(solid, curves, face, abut_madd(s->point, s->radius, axis));
        if (clear > most) {
            most = clear;
            best = axis;
        }
    }
    return best;
}

/* The same for an ellipsoid: its axes in any order and direction. */
static void turn_ellipsoid(const abut_solid *solid, const abut_curves *curves, size_t face, abut_part *p)
{
    const abut_part first = *p;
    const abut_vec3 axis[3] = { first.x, first.y, first.z };
    const double radii[3] = { first.radii.x, first.radii.y, first.radii.z };
    double most = -1;
    for (int i = 0; i < 6; ++i) {
        const int k = (i + 2) % 3, sign = i < 3 ? 1 : -1;
        const abut_vec3 pole = abut_madd(first.o, sign * radii[k], axis[k]);
        const double clear = edge_distance(solid, curves, face, pole) / radii[k];
        if (!(clear > most))
            continue;
        most = clear;
        p->x = axis[(k + 1) % 3];
        p->y = abut_scale(sign, axis[(k + 2) % 3]);
        p->z = abut_scale(sign, axis[k]);
        p->radii = abut_v3(radii[(k + 1) % 3], radii[(k + 2) % 3], radii[k]);
    }
}

/* By some angle about its axis, so that the reference point of a torus (trim.c) is on no edge that lies in
 * a plane of the coordinates. */
static void turn_frame(abut_part *p)
{
    const double c = 0.8, s = 0.6;
    const abut_vec3 x = abut_madd(abut_scale(c, p->x), s, p->y), y = abut_madd(abut_scale(-s, p->x), c, p->y);
    p->x = x;
    p->y = y;
}

/* Extent of the edges of a face along a direction, from its point o. */
static void span(const abut_solid *solid, const abut_curves *curves, size_t face, abut_vec3 o, abut_vec3 axis,
                 double *lo, double *hi)
{
    const abut_solid_face *f = &solid->def.faces[face];
    *lo = INFINITY;
    *hi = -INFINITY;
    for (size_t l = 0; l < f->loop_count; ++l)
        for (size_t k = 0; k < f->loops[l].count; ++k) {
            const uint32_t edge = f->loops[l].coedges[k].edge;
            for (size_t i = curves->starts[edge]; i < curves->starts[edge + 1]; ++i) {
                abut_cell cell;
                abut_cell_root(&curves->parts[i], 0, 0, &cell);
                const double at = abut_dot(abut_sub(cell.center, o), axis);
                double reach = 0;
                for (int j = 0; j < 3; ++j)
                    reach += fabs(abut_dot(cell.axis[j], axis)) * cell.half[j];
                *lo = fmin(*lo, at - reach);
                *hi = fmax(*hi, at + reach);
            }
        }
}

/* The domain of a general quadric is what its edges span, but for ellipsoids. */
static abut_status quadric_part(abut_solid *solid, const abut_curves *curves, size_t face, abut_part *p,
                                abut_error *error)
{
    const abut_solid_face *f = &solid->def.faces[face];
    const abut_solid_surface *s = &solid->def.surfaces[f->surface];
    abut_vec3 near = { 0, 0, 0 };
    if (f->loop_count)
        near = solid->def.vertices[solid->def.edges[f->loops[0].coedges[0].edge].from];
    const abut_quadric_sheet sheet = abut_quadric_part(s->matrix, near, p);
    if (sheet == ABUT_QUADRIC_NONE)
        return abut_base_fail(error, ABUT_ERR_VALUE, (int64_t)face,
                              "face %zu lies on a quadric that is no smooth surface", face);
    if (p->kind == ABUT_CELL_ELLIPSOID) {
        turn_ellipsoid(solid, curves, face, p);
        return ABUT_OK;
    }
    if (!f->loop_count)
        return abut_base_fail(
            error, ABUT_ERR_VALUE, (int64_t)face,
            "face %zu has no loops; only a sphere, an ellipsoid or a torus is closed without", face);
    span(solid, curves, face, p->o, p->kind == ABUT_CELL_RING ? p->z : p->y, &p->v0, &p->v1);
    if (p->kind == ABUT_CELL_GRAPH)
        span(solid, curves, face, p->o, p->x, &p->u0, &p->u1);
    double lo, hi;
    span(solid, curves, face, p->o, p->z, &lo, &hi);
    if (sheet == ABUT_QUADRIC_HALF && lo < -solid->tolerance)
        return abut_base_fail(error, ABUT_ERR_VALUE, (int64_t)face,
                              "face %zu reaches from one sheet of its quadric to the other", face);
    if (sheet == ABUT_QUADRIC_HALF && p->kind == ABUT_CELL_RING)
        p->v0 = 0;
    return ABUT_OK;
}

static abut_status face_part(abut_solid *solid, const abut_curves *curves, size_t face, abut_part *p,
                             abut_error *error)
{
    const abut_solid_face *f = &solid->def.faces[face];
    const abut_solid_surface *s = &solid->def.surfaces[f->surface];
    *p = (abut_part){ .face = true,
                      .sense = f->outward,
                      .trim = f->loop_count ? ABUT_TRIM_LOOPS : ABUT_TRIM_NONE,
                      .entity = (uint32_t)face,
                      .side = { ABUT_PART_NONE, ABUT_PART_NONE },
                      .a = { 1, 0, -1, 0 },
                      .b = { 1, 0, 0, 1 },
                      .radius = s->radius };
    set_frame(p, s);
    double lo, hi;
    switch (s->kind) {
    case ABUT_SOLID_PLANE:
        p->kind = ABUT_CELL_PLANE;
        span(solid, curves, face, p->o, p->x, &p->u0, &p->u1);
        span(solid, curves, face, p->o, p->y, &p->v0, &p->v1);
        return ABUT_OK;
    case ABUT_SOLID_CYLINDER:
        p->kind = ABUT_CELL_CYLINDER;
        span(solid, curves, face, p->o, p->z, &p->v0, &p->v1);
        return ABUT_OK;
    case ABUT_SOLID_CONE: {
        const double w = 1 / sqrt(1 + s->tangent * s->tangent);
        p->kind = ABUT_CELL_CONE;
        p->slope = s->tangent * w;
        p->rise = w;
        span(solid, curves, face, p->o, p->z, &lo, &hi);
        if (lo < -solid->tolerance)
            return abut_base_fail(error, ABUT_ERR_VALUE, (int64_t)face,
                                  "face %zu, on a cone, reaches behind the apex", face);
        p->v1 = hi / w;
        return ABUT_OK;
    }
    case ABUT_SOLID_SPHERE: {
        const abut_solid_surface turned = { .point = s->point, .axis = sphere_axis(solid, curves, face, s) };
        set_frame(p, &turned);
        p->kind = ABUT_CELL_TORUS;
        return ABUT_OK;
    }
    case ABUT_SOLID_TORUS:
        turn_frame(p);
        p->kind = ABUT_CELL_TORUS;
        p->major = s->radius;
        p->radius = s->minor;
        p->b = (abut_arc_range){ 1, 0, -1, 0 };
        /* A circle that crosses the axis: the sheet where major + radius cos b is positive, which is the
         * outer one, and the inner one where the major radius is negative. */
        if (fabs(p->major) < p->radius) {
            const double c = -p->major / p->radius;
            p->b.cos_half = c;
            p->b.sin_half = sqrt((1 - c) * (1 + c));
        }
        return ABUT_OK;
    default: return quadric_part(solid, curves, face, p, error);
    }
}

/* Below this sine of the angle between the normals an edge is smooth. */
static const double smooth = 1e-9;

/* Whether the normal of the face is the same to the curve at all points of the piece: along lines of
 * planes, cylinders and cones, and along the circles that these, spheres and tori are turned from
 * or turn about. (The circles of a torus that are neither have another radius and another axis.) */
static bool is_uniform(const abut_part *face, const abut_part *piece)
{
    if (face->kind == ABUT_CELL_PLANE || face->kind == ABUT_CELL_CYLINDER || face->kind == ABUT_CELL_CONE)
        return piece->kind == ABUT_CELL_SEGMENT || piece->kind == ABUT_CELL_ARC;
    if (face->kind != ABUT_CELL_TORUS || piece->kind != ABUT_CELL_ARC)
        return false;
    const double along = fabs(abut_dot(face->z, piece->z));
    return face->major == 0 || along > 1 - 1e-9 || along < 1e-9;
}

/* Can the nearest points of two bodies be on this piece? Not where it is concave, or smooth, all
 * along. That is examined in nine places with a margin, and only where one would do: elsewhere the
 * angle between the faces may change in between. */
static bool is_needed(const abut_solid *solid, const abut_part *piece)
{
    const abut_solid_sides *sides = &solid->sides[piece->entity];
    const abut_part *a = &solid->features.parts[sides->face[0]], *b = &solid->features.parts[sides->face[1]];
    bool concave = true, even = true;
    if (!is_uniform(a, piece) || !is_uniform(b, piece))
        return true;
    for (int i = 0; i <= 8; ++i) {
        abut_vec3 tangent;
        const abut_vec3 p = abut_piece_at(piece, i / 8.0, &tangent);
        const abut_vec3 n = abut_part_normal(a, p), m = abut_part_normal(b, p);
        const double turn = abut_dot(abut_cross(n, m), abut_unit_or(tangent, abut_v3(0, 0, 0)));
        const double sine = abut_length(abut_cross(n, m));
        concave = concave && turn < -1e-3;
        even = even && sine < smooth && abut_dot(n, m) > 0;
    }
    return !concave && !even;
}

static bool keep_pieces(abut_solid *solid, const abut_curves *curves, abut_workspace *keep)
{
    solid->pieces = curves->parts;
    solid->piece_starts = curves->starts;
    solid->piece_cells = abut_workspace_take(keep, curves->count, sizeof *solid->piece_cells);
    if (!solid->piece_cells)
        return false;
    for (size_t i = 0; i < solid->def.edge_count; ++i) {
        const abut_solid_edge *e = &solid->def.edges[i];
        if (curves->starts[i] == curves->starts[i + 1])
            continue;
        curves->parts[curves->starts[i]].points[0] = solid->def.vertices[e->from];
        curves->parts[curves->starts[i + 1] - 1].points[3] = solid->def.vertices[e->to];
    }
    return true;
}

/* Cells of the pieces, and balls around the faces, with room for the tolerance and for rounding. */
static bool make_bounds(abut_solid *solid, const abut_curves *curves, abut_workspace *keep)
{
    const double slack = solid->tolerance + ABUT_CELL_SLACK * solid->features.scale;
    for (size_t i = 0; i < curves->count; ++i)
        abut_cell_root(&curves->parts[i], (uint32_t)i, slack, &solid->piece_cells[i]);
    solid->face_balls = abut_workspace_take(keep, solid->def.face_count, sizeof *solid->face_balls);
    if (!solid->face_balls)
        return false;
    for (uint32_t i = 0; i < solid->def.face_count; ++i) {
        abut_cell cell;
        abut_cell_root(&solid->features.parts[i], i, 4 * slack, &cell);
        solid->face_balls[i] = (abut_ball){ cell.center, cell.radius };
    }
    return true;
}

/* How far a part reaches from its origin, counted generously. The end of a range of parameters is a length on
 * some kinds only. */
static double reach_of(const abut_part *p)
{
    switch (p->kind) {
    case ABUT_CELL_CUBIC: return 0;
    case ABUT_CELL_ARC: return fabs(p->radius) + fabs(p->major);
    case ABUT_CELL_ELLIPSE: return abut_length(p->x) + abut_length(p->y) + fabs(p->major);
    default: return fabs(p->radius) + fabs(p->major) + fabs(p->v1);
    }
}

/* Bounds and scale, from the domains of the faces and the pieces of the edges. */
static void set_extent(abut_solid *solid, const abut_curves *curves)
{
    const abut_solid_def *def = &solid->def;
    abut_features *features = &solid->features;
    features->scale = 0;
    abut_aabb box = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
    for (size_t i = 0; i < def->face_count + curves->count; ++i) {
        const bool face = i < def->face_count;
        const abut_part *p = face ? &features->parts[i] : &curves->parts[i - def->face_count];
        const double reach = reach_of(p);
        features->scale = fmax(features->scale, abut_max_norm(p->o) + reach);
        /* Planes, cylinders and cones reach no further than their edges and apexes. */
        const bool straight = p->kind == ABUT_CELL_PLANE || p->kind == ABUT_CELL_CYLINDER ||
                              (p->kind == ABUT_CELL_CONE && p->v0 > 0);
        if (face && straight)
            continue;
        abut_part spanned = *p;
        if (face && solid->spans) {
            spanned.a = solid->spans[i].a;
            spanned.b = solid->spans[i].b;
        }
        abut_cell cell;
        abut_cell_root(&spanned, 0, 0, &cell);
        abut_vec3 r = { 0, 0, 0 };
        for (int k = 0; k < 3; ++k) {
            r.x += fabs(cell.axis[k].x) * cell.half[k];
            r.y += fabs(cell.axis[k].y) * cell.half[k];
            r.z += fabs(cell.axis[k].z) * cell.half[k];
        }
        const abut_vec3 lo = abut_sub(cell.center, r), hi = abut_add(cell.center, r);
        box.lo = abut_v3(fmin(box.lo.x, lo.x), fmin(box.lo.y, lo.y), fmin(box.lo.z, lo.z));
        box.hi = abut_v3(fmax(box.hi.x, hi.x), fmax(box.hi.y, hi.y), fmax(box.hi.z, hi.z));
    }
    features->scale = fmax(features->scale, fmax(abut_max_norm(box.lo), abut_max_norm(box.hi)));
    const double grow = solid->tolerance + 1e-13 * features->scale;
    const abut_vec3 g = { grow, grow, grow };
    solid->bounds = (abut_aabb){ abut_sub(box.lo, g), abut_add(box.hi, g) };
}

/* The domain of a cone begins at its apex only where that is in the face. Was one cut? */
static bool cut_cones(abut_solid *solid, const abut_curves *curves)
{
    bool any = false;
    for (uint32_t i = 0; i < solid->def.face_count; ++i) {
        abut_part *p = &solid->features.parts[i];
        if (p->kind != ABUT_CELL_CONE && !(p->kind == ABUT_CELL_RING && p->major == 0))
            continue;
        double lo, hi;
        span(solid, curves, i, p->o, p->z, &lo, &hi);
        if (!(lo > 4 * solid->tolerance) || abut_trim_contains(solid, i, p->o) != 0)
            continue;
        p->v0 = p->kind == ABUT_CELL_CONE ? (lo - solid->tolerance) / p->rise : lo - solid->tolerance;
        any = true;
    }
    return any;
}

/* A plane's face between one whole circle and another about the same centre, or inside of one: as a flat cone. */
static bool as_disc(const abut_solid *solid, size_t face, abut_part *out)
{
    const abut_part *plane = &solid->features.parts[face];
    const abut_solid_face *f = &solid->def.faces[face];
    double radius[2] = { 0, 0 };
    abut_vec3 center = { 0, 0, 0 };
    if (plane->kind != ABUT_CELL_PLANE || f->loop_count < 1 || f->loop_count > 2)
        return false;
    for (size_t l = 0; l < f->loop_count; ++l) {
        const abut_solid_edge *e = &solid->def.edges[f->loops[l].coedges[0].edge];
        const abut_vec3 across = abut_cross(e->axis, plane->z);
        if (f->loops[l].count != 1 || e->kind != ABUT_SOLID_EDGE_CIRCLE || e->from != e->to ||
            !(abut_dot(across, across) < 1e-28))
            return false;
        if (l && (e->center.x != center.x || e->center.y != center.y || e->center.z != center.z))
            return false;
        center = e->center;
        radius[l] = abut_length(abut_sub(solid->def.vertices[e->from], center));
    }
    *out = *plane;
    out->kind = ABUT_CELL_CONE;
    out->trim = ABUT_TRIM_NONE;
    out->slope = 1;
    out->rise = 0;
    out->o = abut_madd(center, -abut_dot(abut_sub(center, plane->o), plane->z), plane->z);
    out->z = abut_scale(-1, plane->z);
    out->y = abut_cross(out->z, out->x);
    out->a = (abut_arc_range){ 1, 0, -1, 0 };
    out->v0 = fmin(radius[0], radius[1]);
    out->v1 = fmax(radius[0], radius[1]);
    return true;
}

static bool make_shown(abut_solid *solid, abut_workspace *keep)
{
    abut_features *f = &solid->shown;
    *f = solid->features;
    f->parts = abut_workspace_take(keep, f->count, sizeof *f->parts);
    if (!f->parts)
        return false;
    for (size_t i = 0; i < f->count; ++i)
        if (i >= solid->def.face_count || !as_disc(solid, i, &f->parts[i]))
            f->parts[i] = solid->features.parts[i];
    return true;
}

/* Bounds by the greatest coordinates that faces and edges reach. */
static void tighten_bounds(abut_solid *solid)
{
    double reach[6];
    for (int i = 0; i < 6; ++i) {
        const double s = i & 1 ? 1 : -1;
        const abut_reach_query q = {
            .along = true, .direction = abut_v3(i / 2 == 0 ? s : 0, i / 2 == 1 ? s : 0, i / 2 == 2 ? s : 0)
        };
        abut_reach far;
        abut_solid_reach(solid, &q, 1e-12, &far);
        /* Loops that run the wrong way round leave no edge to be found: an error later on. */
        if (!(far.lo > -HUGE_VAL))
            return;
        reach[i] = s * (far.hi + solid->tolerance);
    }
    abut_aabb *b = &solid->bounds;
    b->lo = abut_v3(fmax(b->lo.x, reach[0]), fmax(b->lo.y, reach[2]), fmax(b->lo.z, reach[4]));
    b->hi = abut_v3(fmin(b->hi.x, reach[1]), fmin(b->hi.y, reach[3]), fmin(b->hi.z, reach[5]));
}

abut_status abut_solid_make_features(abut_solid *solid, const abut_curves *curves, abut_workspace *keep,
                                     abut_error *error)
{
    const abut_solid_def *def = &solid->def;
    abut_features *features = &solid->features;
    const size_t most = def->face_count + curves->count + def->face_count;
    features->parts = abut_workspace_take(keep, most, sizeof *features->parts);
    if (!features->parts || !keep_pieces(solid, curves, keep))
        return abut_base_fail_memory(error);
    for (size_t i = 0; i < def->face_count; ++i) {
        const abut_status status = face_part(solid, curves, i, &features->parts[i], error);
        if (status)
            return status;
    }
    features->count = def->face_count;
    set_extent(solid, curves);
    if (!make_bounds(solid, curves, keep))
        return abut_base_fail_memory(error);
    abut_status status = abut_trim_prepare(solid, keep, error);
    if (!status) {
        (void)cut_cones(solid, curves);
        if (!abut_trim_spans(solid, keep))
            return abut_base_fail_memory(error);
        set_extent(solid, curves);
        if (!make_bounds(solid, curves, keep))
            return abut_base_fail_memory(error);
    }
    if (!status)
        status = abut_member_check_orientation(solid, keep, error);
    if (status)
        return status;
    for (size_t i = 0; i < curves->count; ++i) {
        if (!is_needed(solid, &curves->parts[i]))
            continue;
        abut_part *p = &features->parts[features->count++];
        *p = curves->parts[i];
        p->side[0] = solid->sides[p->entity].face[0];
        p->side[1] = solid->sides[p->entity].face[1];
    }
    /* The apex of a cone, with a vertex there or without. */
    for (uint32_t i = 0; i < def->face_count; ++i) {
        const abut_part *cone = &features->parts[i];
        if (cone->kind != ABUT_CELL_CONE || abut_trim_contains(solid, i, cone->o) == 0)
            continue;
        features->parts[features->count++] = (abut_part){ .kind = ABUT_CELL_POINT,
                                                          .entity = i,
                                                          .side = { i, ABUT_PART_NONE },
                                                          .o = cone->o,
                                                          .x = { 1, 0, 0 },
                                                          .y = { 0, 1, 0 },
                                                          .z = { 0, 0, 1 } };
    }
    if (!abut_features_build(features, keep) || !make_shown(solid, keep))
        return abut_base_fail_memory(error);
    tighten_bounds(solid);
    return ABUT_OK;
}
