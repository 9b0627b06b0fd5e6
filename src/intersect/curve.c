/* SPDX-License-Identifier: MIT */
/* Common points of a curve and a surface: arguments, and which method. */
#include "intersect/hits.h"
#include "intersect/points.h"
#include "math/nearest.h"
#include "math/vec3.h"

const char *abut_hit_kind_name(abut_hit_kind kind)
{
    static const char *const names[] = { "undecided", "transversal", "tangent" };
    return kind >= ABUT_HIT_UNDECIDED && kind <= ABUT_HIT_TANGENT ? names[kind] : "none";
}

static bool finite_positive(double x)
{
    return isfinite(x) && x > 0;
}

static bool has_direction(abut_vec3 v)
{
    return abut_is_finite3(v) && (v.x != 0 || v.y != 0 || v.z != 0);
}

static bool valid_surface(const abut_solid_surface *s)
{
    if (s->kind == ABUT_SOLID_QUADRIC) {
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j)
                if (!isfinite(s->matrix[i][j]) || s->matrix[i][j] != s->matrix[j][i])
                    return false;
        return true;
    }
    if (!abut_is_finite3(s->point) || (s->kind != ABUT_SOLID_SPHERE && !has_direction(s->axis)))
        return false;
    switch (s->kind) {
    case ABUT_SOLID_PLANE: return true;
    case ABUT_SOLID_SPHERE:
    case ABUT_SOLID_CYLINDER: return finite_positive(s->radius);
    case ABUT_SOLID_CONE: return finite_positive(s->tangent);
    case ABUT_SOLID_TORUS: return finite_positive(s->minor) && finite_positive(s->radius - s->minor);
    default: return false;
    }
}

static bool valid_curve(const abut_curve *curve)
{
    const abut_solid_edge *e = &curve->edge;
    if (e->kind == ABUT_SOLID_EDGE_SPLINE) {
        if (!e->points || e->point_count < 4 || e->point_count % 3 != 1)
            return false;
        for (size_t i = 0; i < e->point_count; ++i)
            if (!abut_is_finite3(e->points[i]))
                return false;
        return true;
    }
    if (e->kind == ABUT_SOLID_EDGE_INTERSECTION)
        return curve->surfaces && valid_surface(&curve->surfaces[e->surfaces[0]]) &&
               valid_surface(&curve->surfaces[e->surfaces[1]]);
    if (!curve->vertices || !abut_is_finite3(curve->vertices[e->from]) ||
        !abut_is_finite3(curve->vertices[e->to]))
        return false;
    switch (e->kind) {
    case ABUT_SOLID_EDGE_LINE: return true;
    case ABUT_SOLID_EDGE_CIRCLE: return abut_is_finite3(e->center) && has_direction(e->axis);
    case ABUT_SOLID_EDGE_CONIC: return abut_is_finite3(e->control) && finite_positive(e->weight);
    default: return false;
    }
}

static abut_interval_vec3 placed(abut_vec3 p)
{
    return (abut_interval_vec3){ { p.x, p.x }, { p.y, p.y }, { p.z, p.z } };
}

static void spline_piece(const abut_solid_edge *e, size_t i, abut_enclosed_curve *out)
{
    for (size_t k = 0; k < 4; ++k)
        out->p[k] = placed(e->points[3 * i + k]);
}

static void other_piece(const abut_curve *curve, abut_enclosed_curve *out)
{
    const abut_solid_edge *e = &curve->edge;
    const abut_interval_vec3 from = placed(curve->vertices[e->from]), to = placed(curve->vertices[e->to]);
    out->p[0] = from;
    out->p[1] = to;
    if (e->kind == ABUT_SOLID_EDGE_CIRCLE) {
        out->p[0] = placed(e->center);
        out->p[1] = from;
        out->p[2] = placed(e->axis);
    } else if (e->kind == ABUT_SOLID_EDGE_CONIC) {
        out->p[1] = placed(e->control);
        out->p[2] = to;
        out->weight = (abut_interval){ e->weight, e->weight };
    }
}

static ABUT_MATH_NOINLINE void intersect(const abut_curve *curve, const abut_solid_surface *surface,
                                         abut_curve_hit *hits, size_t capacity, abut_curve_hits *out)
{
    const abut_solid_edge *e = &curve->edge;
    const bool spline = e->kind == ABUT_SOLID_EDGE_SPLINE;
    const size_t pieces = spline ? (e->point_count - 1) / 3 : 1;
    abut_enclosed_surface s;
    abut_enclosed_surface_from(&s, surface);
    out->decided = true;
    out->proof = ABUT_PROOF_INTERVAL;
    for (size_t i = 0; i < pieces; ++i) {
        abut_enclosed_curve c = { .kind = e->kind };
        if (spline)
            spline_piece(e, i, &c);
        else
            other_piece(curve, &c);
        abut_piece_hits found;
        const abut_interval_vec3 to = placed(spline ? e->points[3 * i + 3] : curve->vertices[e->to]);
        abut_intersect_piece(&c, e->from == e->to, &to, &s, &found);
        out->contained = out->contained || found.contained;
        out->decided = out->decided && found.decided;
        out->degree = found.degree;
        if (found.exact)
            out->proof = ABUT_PROOF_EXACT;
        for (int k = 0; k < found.count; ++k, ++out->count) {
            if (out->count >= capacity)
                continue;
            hits[out->count] = found.hit[k];
            hits[out->count].piece = (uint32_t)i;
        }
    }
}

static ABUT_MATH_NOINLINE void intersect_surfaces(const abut_curve *curve, const abut_solid_surface *surface,
                                                  abut_curve_hit *hits, size_t capacity, abut_curve_hits *out)
{
    const abut_solid_surface *const all[3] = { &curve->surfaces[curve->edge.surfaces[0]],
                                               &curve->surfaces[curve->edge.surfaces[1]], surface };
    abut_common_points found;
    abut_points_of_three(all, &found);
    out->contained = found.contained;
    out->decided = found.decided;
    out->proof = ABUT_PROOF_INTERVAL;
    out->degree = found.degree;
    out->count = (size_t)found.count;
    for (size_t i = 0; i < out->count && i < capacity; ++i)
        hits[i] = found.hit[i];
}

abut_status abut_intersect_curve(const abut_curve *curve, const abut_solid_surface *surface,
                                 abut_curve_hit *hits, size_t capacity, abut_curve_hits *out)
{
    if (!out)
        return ABUT_ERR_ARGUMENT;
    *out = (abut_curve_hits){ 0 };
    if (!curve || !surface || (capacity && !hits))
        return ABUT_ERR_ARGUMENT;
    if (!valid_surface(surface) || !valid_curve(curve))
        return ABUT_ERR_VALUE;
    const abut_nearest saved = abut_nearest_enter();
    if (curve->edge.kind == ABUT_SOLID_EDGE_INTERSECTION)
        intersect_surfaces(curve, surface, hits, capacity, out);
    else
        intersect(curve, surface, hits, capacity, out);
    abut_nearest_leave(saved);
    return ABUT_OK;
}
