/* SPDX-License-Identifier: MIT */
/* A point against a mesh: the nearest point of the surface, and where the point is.
 *
 * Distances are enclosed triangle by triangle (point_triangle.h) while a walk goes through the
 * tree, nearest first. Where a point lies is decided exactly for exact placements; for others the
 * point is known to lie in a small ball, and where no triangle reaches into that, all of the
 * ball is where its middle is. */
#include "narrow/mesh/mesh_point.h"

#include "abut/predicates.h"
#include "math/nearest.h"
#include "narrow/distance/convex.h"
#include "narrow/mesh/line_mesh.h"
#include "narrow/triangle/point_triangle.h"

#include <float.h>

static const abut_mat3 unturned = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };

/* A walk of the mesh's tree with one point of its own frame. */
typedef struct probe {
    abut_bv_relative relative;
    abut_mesh_counters counters;
    abut_bvh_walk walk;
} probe;

static void probe_set(const abut_shape *mesh, abut_vec3 p, probe *out)
{
    out->relative = (abut_bv_relative){ .r = unturned };
    out->counters = (abut_mesh_counters){ 0 };
    out->walk = (abut_bvh_walk){ .a = { .tree = mesh->u.faceted.tree },
                                 .b = { .box = { .centre = p, .axes = unturned } },
                                 .b_in_a = &out->relative,
                                 .counters = &out->counters };
}

/* Lengths are divided by `unit`, which is 1 but where a difference of two of them would
 * overflow. */
typedef struct search {
    const abut_faceted_data *mesh;
    abut_vec3 p; /* scaled */
    double scale, unit;
    double lo, hi; /* over all triangles so far, scaled */
    double limit;  /* what is further away does not count */
    abut_point_triangle best;
    uint32_t face;
} search;

static void search_set(const abut_shape *mesh, abut_vec3 p, search *s)
{
    const double largest = fmax(abut_max_norm(p), fmin(abut_mesh_size(mesh), DBL_MAX));
    s->mesh = &mesh->u.faceted;
    s->unit = largest > 0x1p1000 ? 16 : 1;
    s->scale = 1 / s->unit;
    s->p = abut_scale(s->scale, p);
    s->lo = s->hi = s->limit = INFINITY;
    s->face = UINT32_MAX;
}

static void relative_corners(const search *s, uint32_t face, abut_vec3 t[3])
{
    abut_mesh_corners(s->mesh, face, t);
    for (int k = 0; k < 3; ++k)
        t[k] = s->scale == 1 ? abut_sub(t[k], s->p) : abut_sub(abut_scale(s->scale, t[k]), s->p);
}

/* ---- where ---- */

static bool is_clear(void *ctx, const abut_bvh_pair *pairs, size_t count)
{
    search *s = ctx;
    for (size_t i = 0; i < count; ++i) {
        abut_vec3 t[3];
        abut_point_triangle d;
        relative_corners(s, pairs[i].a, t);
        if (abut_point_triangle_set(t, s->limit, &d) && !(d.lo > s->limit)) {
            s->face = pairs[i].a;
            return false;
        }
    }
    return true;
}

abut_where abut_mesh_where_near(const abut_shape *mesh, abut_vec3 p, double slack)
{
    search s;
    probe q;
    search_set(mesh, p, &s);
    probe_set(mesh, p, &q);
    s.limit = s.scale * slack * (1 + 0x1p-50) + 0x1p-1000;
    (void)abut_bvh_overlap(&q.walk, slack, is_clear, &s);
    if (s.face != UINT32_MAX || !(slack < INFINITY))
        return ABUT_WHERE_UNKNOWN;
    return mesh->u.faceted.solid && abut_mesh_winding(mesh, p, &q.counters) > 0 ? ABUT_WHERE_IN
                                                                                : ABUT_WHERE_OUT;
}

abut_vec3 abut_mesh_to_local(const abut_place *place, abut_vec3 point, double *error)
{
    double turn, shift;
    abut_convex_widths(place, &turn, &shift);
    const abut_vec3 d = abut_sub(point, place->mid.translation);
    /* The difference is off by u of itself, the products and sums by 4 u; sqrt(3) of these. */
    const double length = abut_length(d);
    *error = place->points && place->axes ? 0x1p-52 * length : shift + (turn + 0x1p-49) * length;
    return abut_mul_t(&place->mid.linear, d);
}

bool abut_mesh_exact_local(const abut_place *place, abut_vec3 point, abut_vec3 *out)
{
    if (!place->points || !place->axes)
        return false;
    const abut_vec3 t = place->mid.translation;
    const dd d[3] = { dd_two_sum(point.x, -t.x), dd_two_sum(point.y, -t.y), dd_two_sum(point.z, -t.z) };
    double local[3];
    for (int i = 0; i < 3; ++i) {
        if (d[i].l != 0 || !isfinite(d[i].h))
            return false;
        local[i] = place->sign[i] * d[place->axis[i]].h;
    }
    *out = abut_v3(local[0], local[1], local[2]);
    return true;
}

abut_piece abut_mesh_classify(const abut_shape *mesh, const abut_place *place, abut_vec3 point)
{
    abut_piece out = { .where = ABUT_WHERE_UNKNOWN, .id = -1 };
    abut_vec3 local;
    if (abut_mesh_exact_local(place, point, &local)) {
        abut_mesh_counters counters = { 0 };
        abut_mesh_spot spot;
        abut_mesh_where(mesh, local, &counters, &spot);
        out.where = spot.where;
        out.id = spot.id;
    } else if (place->points && place->axes) {
        abut_line line;
        abut_line_make(mesh, place, point, NULL, abut_v3(0.625, 0.375, 0.75), &line);
        abut_line_mesh_point(mesh, &line, &out);
    } else {
        double error;
        local = abut_mesh_to_local(place, point, &error);
        if (abut_is_finite3(local))
            out.where = abut_mesh_where_near(mesh, local, error);
    }
    return out;
}

/* ---- nearest ---- */

static double visit(void *ctx, const abut_bvh_pair *pairs, size_t count, double bound)
{
    search *s = ctx;
    for (size_t i = 0; i < count; ++i) {
        abut_vec3 t[3];
        abut_point_triangle d;
        relative_corners(s, pairs[i].a, t);
        const double below = s->hi < s->limit ? s->hi : s->limit;
        if (!abut_point_triangle_set(t, below, &d) || d.lo > below)
            continue;
        s->lo = d.lo < s->lo ? d.lo : s->lo;
        if (d.hi < s->hi || (d.hi == s->hi && pairs[i].a < s->face)) {
            s->hi = d.hi;
            s->best = d;
            s->face = pairs[i].a;
        }
    }
    const double hi = s->unit * s->hi;
    return hi < bound ? hi : bound;
}

static void name_feature(const abut_faceted_data *mesh, uint32_t face, int part, abut_closest_result *out)
{
    const uint32_t *v = mesh->corners + 3 * (size_t)face;
    if (part >= 6) {
        out->feature = ABUT_FEATURE_FACE;
        out->id = face;
    } else if (part < 3) {
        out->feature = ABUT_FEATURE_VERTEX;
        out->id = abut_mesh_welded(mesh, v[part]);
    } else {
        out->feature = ABUT_FEATURE_EDGE;
        out->id = mesh->solid ? abut_edge_find(mesh, abut_mesh_welded(mesh, v[part - 3]),
                                               abut_mesh_welded(mesh, v[(part - 2) % 3]))
                              : -1;
    }
}

static bool is_on(abut_where where)
{
    return where >= ABUT_WHERE_VERTEX;
}

/* Lower bound less e, rounded down; upper bound and e, rounded up. */
static abut_interval widen(double lo, double hi, double e)
{
    const double down = (lo - e) * (1 - 0x1p-51), up = (hi + e) * (1 + 0x1p-51);
    return (abut_interval){ down > 0 ? down : 0, up };
}

static ABUT_MATH_NOINLINE abut_status closest(const abut_shape *mesh, const abut_pose *pose, abut_vec3 point,
                                              double within, abut_closest_result *out)
{
    abut_place place;
    const abut_status status = abut_place_from_pose(pose, true, &place);
    if (status)
        return status;
    double error;
    const abut_vec3 local = abut_mesh_to_local(&place, point, &error);
    if (!abut_is_finite3(local)) {
        out->distance = (abut_interval){ 0, INFINITY };
        out->where = ABUT_WHERE_UNKNOWN;
        return ABUT_OK;
    }
    search s;
    probe q;
    search_set(mesh, local, &s);
    probe_set(mesh, local, &q);
    const double bound = within < INFINITY ? (within + error) * (1 + 0x1p-50) : INFINITY;
    s.limit = s.scale * bound;
    const double left = abut_bvh_nearest(&q.walk, bound, visit, &s);
    if (s.face == UINT32_MAX) {
        const abut_interval none = widen(left < bound ? bound : left, INFINITY, error);
        out->distance = none;
        out->distance.lo = none.lo > within ? none.lo : nextafter(within, INFINITY);
    } else
        out->distance = widen(s.unit * s.lo, s.unit * s.hi, s.unit == 1 ? error : error + 0x1p-1060);
    if (out->distance.lo > 0) /* no triangle among all the places where it may be */
        out->where =
            s.mesh->solid && abut_mesh_winding(mesh, local, &q.counters) > 0 ? ABUT_WHERE_IN : ABUT_WHERE_OUT;
    else
        out->where = abut_mesh_classify(mesh, &place, point).where;
    if (s.face == UINT32_MAX)
        return ABUT_OK;
    if (is_on(out->where))
        out->distance = (abut_interval){ 0, 0 };
    if (out->distance.lo > within)
        return ABUT_OK;
    const abut_vec3 x = abut_scale(s.unit, abut_add(s.p, s.best.x));
    out->point = abut_add(abut_affine_apply(&place.mid, x), abut_v3(0, 0, 0));
    if (is_on(out->where))
        out->point = point;
    name_feature(s.mesh, s.face, s.best.part, out);
    abut_entity_of(mesh, &out->feature, &out->id);
    return ABUT_OK;
}

abut_status abut_closest_point(const abut_shape *mesh, const abut_pose *pose, abut_vec3 point, double within,
                               abut_closest_result *out)
{
    if (!mesh || !out || !abut_shape_has_triangles(mesh->type) || !abut_is_finite3(point) || !(within >= 0))
        return ABUT_ERR_ARGUMENT;
    *out = (abut_closest_result){ .id = -1 };
    const abut_nearest saved = abut_nearest_enter();
    const abut_status status = closest(mesh, pose, point, within, out);
    abut_nearest_leave(saved);
    return status;
}
