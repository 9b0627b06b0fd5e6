/* SPDX-License-Identifier: MIT */
/* How deep two solid meshes reach into each other: the deepest vertex, an estimate
 * (abut_mesh_reach), and the least translation that parts them, enclosed (abut_mesh_depth).
 *
 * From above: along any direction, moving b by as much as its vertices are behind the furthest
 * of a's parts even the hulls. From below: where a ball of radius r lies inside both, a
 * translation shorter than 2 r leaves the two copies of the ball, and so the insides,
 * overlapping; such a ball is searched for by steps from where the surfaces meet, in doubles, and
 * the one that is found is then enclosed. */
#include "base/workspace.h"
#include "math/nearest.h"
#include "math/vec3.h"
#include "narrow/mesh/mesh.h"

#include <float.h>

/* ---- the distance of a point from a surface, in doubles ---- */

typedef struct search {
    const abut_faceted_data *mesh;
    abut_vec3 p, at;
    double least;
    double enough; /* nearer than this is not of interest */
} search;

static double search_batch(void *ctx, const abut_bvh_pair *pairs, size_t count, double bound)
{
    search *s = ctx;
    for (size_t i = 0; i < count; ++i) {
        abut_vec3 t[3];
        abut_feature feature;
        int which;
        abut_mesh_corners(s->mesh, pairs[i].a, t);
        const abut_vec3 at = abut_triangle_closest(t, s->p, &feature, &which);
        const double distance = abut_length(abut_sub(at, s->p));
        if (distance < s->least) {
            s->least = distance;
            s->at = at;
        }
    }
    if (s->least <= s->enough)
        return -1;
    return fmin(bound, s->least);
}

/* Distance of p from the surface and the point there; at most `enough` where it is no more than
 * that. */
static double distance_from(const abut_shape *mesh, abut_vec3 p, double enough, abut_mesh_counters *counters,
                            abut_vec3 *at)
{
    static const abut_bv_relative in_place = { .r = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } };
    search s = { .mesh = &mesh->u.faceted, .p = p, .at = p, .least = INFINITY, .enough = enough };
    const abut_bvh_walk walk = { .a = { .tree = mesh->u.faceted.tree },
                                 .b = { .box = { .centre = p, .axes = in_place.r } },
                                 .b_in_a = &in_place,
                                 .counters = counters };
    (void)abut_bvh_nearest(&walk, INFINITY, search_batch, &s);
    *at = s.at;
    return s.least;
}

static abut_vec3 into_a(const abut_mesh_pair *pair, abut_vec3 v)
{
    return abut_add(abut_mul(&pair->frame.b_in_a.r, v), pair->frame.b_in_a.t);
}

static bool is_in(const abut_shape *solid, abut_vec3 p, abut_mesh_counters *counters)
{
    return abut_mesh_winding(solid, p, counters) > 0;
}

/* ---- the deepest vertex ---- */

typedef struct deepest {
    double depth;
    abut_vec3 inside, outside; /* in the frame of the solid that holds the vertex */
    size_t count;
} deepest;

/* Vertices of b in the solid a. */
static void find_deepest(abut_mesh_pair *pair, deepest *out)
{
    const abut_faceted_data *mesh = pair->mesh_b;
    *out = (deepest){ .depth = 0 };
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        if (mesh->weld[i] != i)
            continue;
        const abut_vec3 p = into_a(pair, mesh->vertices[i]);
        if (!is_in(pair->a, p, &pair->counters))
            continue;
        ++out->count;
        abut_vec3 at;
        const double depth = distance_from(pair->a, p, out->depth, &pair->counters, &at);
        if (depth > out->depth) {
            out->depth = depth;
            out->inside = p;
            out->outside = at;
        }
    }
}

static void add_counters(const abut_mesh_counters *from, abut_mesh_counters *to)
{
    to->volume_tests += from->volume_tests;
    to->triangle_tests += from->triangle_tests;
    to->exact += from->exact;
    to->updates += from->updates;
}

static ABUT_MATH_NOINLINE void reach_of(const abut_pair *places, abut_reach_result *out)
{
    const abut_vec3 x_axis = { 1, 0, 0 };
    abut_mesh_pair pair, turned;
    deepest b_in_a, a_in_b;
    abut_mesh_pair_set(places, &pair);
    abut_mesh_pair_turn(&pair, &turned);
    find_deepest(&pair, &b_in_a);
    find_deepest(&turned, &a_in_b);
    *out = (abut_reach_result){ .vertices_a = a_in_b.count, .vertices_b = b_in_a.count };
    const bool by_b = b_in_a.depth >= a_in_b.depth;
    const deepest *d = by_b ? &b_in_a : &a_in_b;
    const abut_affine *world = by_b ? &pair.frame.world : &turned.frame.world;
    out->depth = d->depth;
    if (d->depth > 0) {
        out->inside = abut_affine_apply(world, d->inside);
        out->outside = abut_affine_apply(world, d->outside);
        const abut_vec3 way = abut_sub(out->outside, out->inside); /* in which the vertex leaves */
        out->normal = abut_unit_or(by_b ? way : abut_scale(-1, way), x_axis);
    } else
        out->normal = x_axis;
    add_counters(&pair.counters, &out->counters);
    add_counters(&turned.counters, &out->counters);
}

abut_status abut_mesh_reach(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                            const abut_pose *pose_b, abut_workspace *ws, abut_reach_result *out)
{
    (void)ws;
    if (!a || !b || !out)
        return ABUT_ERR_ARGUMENT;
    *out = (abut_reach_result){ .depth = 0 };
    if (!abut_shape_has_triangles(a->type) || !abut_shape_has_triangles(b->type) || !a->u.faceted.solid ||
        !b->u.faceted.solid)
        return ABUT_ERR_UNSUPPORTED;
    abut_place at_a, at_b;
    const abut_nearest saved = abut_nearest_enter();
    abut_status status = abut_place_from_pose(pose_a, true, &at_a);
    if (!status)
        status = abut_place_from_pose(pose_b, true, &at_b);
    const abut_pair places = { a, b, &at_a, &at_b, NULL };
    if (!status)
        reach_of(&places, out);
    abut_nearest_leave(saved);
    return status;
}

/* ---- the least translation, from above ---- */

/* Furthest vertex along a direction, and furthest against it, in doubles. */
static void extent(const abut_faceted_data *mesh, abut_vec3 d, double *lo, double *hi)
{
    *lo = INFINITY;
    *hi = -INFINITY;
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        const double s = abut_dot(d, mesh->vertices[i]);
        *lo = s < *lo ? s : *lo;
        *hi = s > *hi ? s : *hi;
    }
}

typedef struct parting {
    double hi;
    abut_vec3 normal; /* in a's frame */
} parting;

/* d is a unit vector to a few roundings. A product of it with a vertex has 3 roundings, of terms
 * of at most the length of the vertex each; that of b's has them for the turned direction, which
 * is off by 5 roundings, and the sum with t; and b's vertices are where the frame says within
 * its error. */
static void part_along(const abut_mesh_pair *pair, abut_vec3 d, double slack, parting *out)
{
    double lo_a, hi_a, lo_b, hi_b;
    const abut_bv_relative *r = &pair->frame.b_in_a;
    const double shift = abut_dot(d, r->t);
    extent(pair->mesh_a, d, &lo_a, &hi_a);
    extent(pair->mesh_b, abut_mul_t(&r->r, d), &lo_b, &hi_b);
    const double up = (hi_a - (lo_b + shift) + slack) * (1 + 0x1p-49),
                 down = ((hi_b + shift) - lo_a + slack) * (1 + 0x1p-49);
    if (up < out->hi)
        *out = (parting){ up, d };
    if (down < out->hi)
        *out = (parting){ down, abut_scale(-1, d) };
}

static void find_parting(const abut_mesh_pair *pair, const abut_mesh_hint *hints, int count, parting *out)
{
    static const signed char set[7][3] = { { 1, 0, 0 },  { 0, 1, 0 },  { 0, 0, 1 }, { 1, 1, 1 },
                                           { 1, -1, 1 }, { 1, 1, -1 }, { -1, 1, 1 } };
    const abut_bv_relative *r = &pair->frame.b_in_a;
    const double size = abut_mesh_size(pair->a) + pair->frame.reach + abut_length(r->t);
    const double slack = 0x1p-47 * size + 2 * r->error;
    const abut_vec3 zero = { 0, 0, 0 };
    *out = (parting){ INFINITY, { 1, 0, 0 } };
    for (int k = 0; k < 7; ++k)
        part_along(pair, abut_unit_or(abut_v3(set[k][0], set[k][1], set[k][2]), zero), slack, out);
    for (int k = 0; k < 3; ++k)
        part_along(pair, abut_unit_or(abut_v3(r->r.m[0][k], r->r.m[1][k], r->r.m[2][k]), zero), slack, out);
    for (int k = 0; k < count; ++k)
        part_along(pair, hints[k].normal, slack, out);
}

/* ---- from below ---- */

typedef struct ball {
    abut_vec3 centre; /* in a's frame */
    double radius;    /* rounded; 0 where the centre is not inside both */
} ball;

static double radius_at(abut_mesh_pair *pair, const abut_mesh_pair *turned, abut_vec3 c, double enough)
{
    const abut_vec3 in_b = into_a(turned, c);
    abut_vec3 at;
    if (!is_in(pair->a, c, &pair->counters) || !is_in(pair->b, in_b, &pair->counters))
        return 0;
    const double ra = distance_from(pair->a, c, enough, &pair->counters, &at);
    if (ra <= enough)
        return ra;
    return fmin(ra, distance_from(pair->b, in_b, enough, &pair->counters, &at));
}

enum { STEPS = 16 };

/* Steps along the axes, halved where none is better. */
static void climb(abut_mesh_pair *pair, const abut_mesh_pair *turned, double step, ball *best)
{
    for (int n = 0; n < STEPS; ++n) {
        const abut_vec3 from = best->centre;
        bool better = false;
        for (int k = 0; k < 6; ++k) {
            const double s = k % 2 ? -step : step;
            const abut_vec3 c =
                abut_add(from, abut_v3(k / 2 == 0 ? s : 0, k / 2 == 1 ? s : 0, k / 2 == 2 ? s : 0));
            const double radius = radius_at(pair, turned, c, best->radius);
            if (radius > best->radius) {
                *best = (ball){ c, radius };
                better = true;
            }
        }
        if (!better)
            step *= 0.5;
    }
}

/* The radius, from below, of a ball inside both. */
static double prove_ball(const abut_mesh_pair *pair, const abut_mesh_pair *turned, abut_vec3 c)
{
    abut_closest_result in_a, in_b;
    const double error = 2 * turned->frame.b_in_a.error;
    if (abut_closest_point(pair->a, NULL, c, INFINITY, &in_a) ||
        abut_closest_point(pair->b, NULL, into_a(turned, c), INFINITY, &in_b) ||
        in_a.where != ABUT_WHERE_IN || in_b.where != ABUT_WHERE_IN)
        return 0;
    const double radius = fmin(in_a.distance.lo, (in_b.distance.lo - error) * (1 - 0x1p-52));
    return radius > 0 && radius <= DBL_MAX ? radius : 0;
}

/* The box of what both boxes hold, in a's frame. */
static bool common_box(const abut_mesh_pair *pair, abut_vec3 *centre, double *size)
{
    const abut_aabb *a = &pair->a->bounds, *b = &pair->b->bounds;
    const abut_vec3 middle = abut_add(abut_scale(0.5, b->lo), abut_scale(0.5, b->hi)),
                    half = abut_sub(abut_scale(0.5, b->hi), abut_scale(0.5, b->lo)), c = into_a(pair, middle);
    double lo[3] = { 0 }, hi[3] = { 0 };
    for (int i = 0; i < 3; ++i) {
        const double *row = pair->frame.b_in_a.r.m[i];
        const double h = fabs(row[0]) * half.x + fabs(row[1]) * half.y + fabs(row[2]) * half.z;
        const double at = i == 0 ? c.x : i == 1 ? c.y : c.z;
        lo[i] = fmax(at - h, i == 0 ? a->lo.x : i == 1 ? a->lo.y : a->lo.z);
        hi[i] = fmin(at + h, i == 0 ? a->hi.x : i == 1 ? a->hi.y : a->hi.z);
    }
    *centre = abut_v3(0.5 * (lo[0] + hi[0]), 0.5 * (lo[1] + hi[1]), 0.5 * (lo[2] + hi[2]));
    *size = fmax(hi[0] - lo[0], fmax(hi[1] - lo[1], hi[2] - lo[2]));
    return *size > 0 && *size <= DBL_MAX && abut_is_finite3(*centre);
}

static double find_ball(abut_mesh_pair *pair, const abut_mesh_hint *hints, int count)
{
    abut_mesh_pair turned;
    abut_vec3 centre, mean = { 0, 0, 0 };
    double size;
    abut_mesh_pair_turn(pair, &turned);
    if (!common_box(pair, &centre, &size))
        return 0;
    ball best = { centre, radius_at(pair, &turned, centre, 0) };
    for (int k = 0; k < count; ++k)
        mean = abut_add(mean, abut_scale(1.0 / count, hints[k].point));
    if (count > 0) {
        const double radius = radius_at(pair, &turned, mean, best.radius);
        if (radius > best.radius)
            best = (ball){ mean, radius };
        else if (!(best.radius > 0))
            best.centre = mean;
    }
    climb(pair, &turned, 0.25 * size, &best);
    return best.radius > 0 ? prove_ball(pair, &turned, best.centre) : 0;
}

void abut_mesh_depth(abut_mesh_pair *pair, const abut_mesh_hint *hints, int count, abut_interval *depth,
                     abut_vec3 *normal)
{
    const abut_vec3 x_axis = { 1, 0, 0 };
    parting p;
    find_parting(pair, hints, count, &p);
    *depth = (abut_interval){ 2 * find_ball(pair, hints, count), p.hi };
    if (depth->lo > depth->hi) /* sizes at the end of the doubles */
        depth->lo = 0;
    *normal = abut_unit_or(abut_mul(&pair->frame.world.linear, p.normal), x_axis);
}
