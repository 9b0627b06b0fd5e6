/* SPDX-License-Identifier: MIT */
/* Solids that have a point in common over a short stretch of time.
 *
 * Near the begin and the end of a contact of two triangles nothing is proved of them; where one
 * solid goes on inside the other, or other triangles take over just then, contact lasts all the
 * same. A vertex of one solid, or its middle, whose place over that time lies in a small box that
 * no triangle of the other comes near, and that the other winds around, proves it. */
#include "ccd/rigid/scan.h"
#include "math/vec3.h"

/* Vertices of a mesh that are tried. */
enum { TRIED = 48 };

typedef struct point_place {
    abut_vec3 at;
    double off;
} point_place;

static ABUT_NOINLINE void place_kernel(const abut_relative_side *one, const abut_relative_side *two,
                                       const abut_vec3 *p, const abut_interval *time, abut_interval_vec3 *out)
{
    abut_relative over;
    abut_relative_over(one, two, ia_from(*time), &over);
    if (over.defined)
        *out = ia3_to(abut_relative_point(&over, ia3_point(*p)).x);
}

/* Where the point p of one is in the frame of two. */
static bool place(const abut_relative_side *one, const abut_relative_side *two, abut_vec3 p,
                  abut_interval time, point_place *out)
{
    abut_interval_vec3 box = { { 0, INFINITY }, { 0, INFINITY }, { 0, INFINITY } };
    const abut_rounding saved = abut_rounding_enter();
    place_kernel(one, two, &p, &time, &box);
    abut_rounding_leave(saved);
    const abut_interval *c[3] = { &box.x, &box.y, &box.z };
    double at[3];
    out->off = 0;
    for (int k = 0; k < 3; ++k) {
        at[k] = 0.5 * c[k]->lo + 0.5 * c[k]->hi;
        out->off = fmax(out->off, 1.001 * fmax(c[k]->hi - at[k], at[k] - c[k]->lo));
    }
    out->at = abut_v3(at[0], at[1], at[2]);
    return isfinite(out->off);
}

static bool found_one(void *ctx, const abut_bvh_pair *pairs, size_t count)
{
    (void)pairs;
    *(bool *)ctx = *(bool *)ctx || count > 0;
    return count == 0;
}

/* The box about the place is inside the solid. */
static bool is_inside(const abut_rigid_part *solid, const point_place *p)
{
    static const abut_mat3 upright = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
    const abut_bv_relative relative = { .r = upright, .error = 0 };
    abut_mesh_counters counters = { 0 };
    const double half = 2 * p->off;
    bool near = false;
    const abut_bvh_walk walk = { .a = { .tree = solid->mesh->tree },
                                 .b = { .box = { p->at, { half, half, half }, upright } },
                                 .b_in_a = &relative,
                                 .counters = &counters };
    (void)abut_bvh_overlap(&walk, 0, found_one, &near);
    return !near && abut_mesh_winding(solid->shape, p->at, &counters) > 0;
}

static bool holds_point(const abut_relative_side *one, const abut_relative_side *two,
                        const abut_rigid_part *solid, abut_vec3 p, abut_interval time)
{
    point_place at;
    return place(one, two, p, time, &at) && is_inside(solid, &at);
}

/* Points of `part` (a mesh or a body with a core that holds its middle) inside the solid. */
static bool holds_some(const abut_relative_side *one, const abut_rigid_part *part,
                       const abut_relative_side *two, const abut_rigid_part *solid, abut_interval time)
{
    if (part->kind == ABUT_PART_BODY)
        return part->shape->core.inner >= 0 && holds_point(one, two, solid, abut_v3(0, 0, 0), time);
    if (!abut_part_is_mesh(part))
        return false;
    /* Corners of faces: vertices that no face has are no part of the body. */
    const abut_faceted_data *mesh = part->mesh;
    const size_t step = mesh->face_count / TRIED + 1;
    for (size_t i = 0; i < mesh->face_count; i += step)
        if (holds_point(one, two, solid, mesh->vertices[mesh->corners[3 * i]], time))
            return true;
    abut_mesh_counters counters = { 0 };
    abut_mesh_spot spot = { .where = ABUT_WHERE_OUT };
    if (mesh->solid)
        abut_mesh_where(part->shape, part->middle, &counters, &spot);
    return spot.where != ABUT_WHERE_OUT && holds_point(one, two, solid, part->middle, time);
}

bool abut_rigid_holds(const abut_rigid_walker *w, double lo, double hi)
{
    const abut_interval time = { lo, hi };
    if (abut_part_is_mesh(&w->b) && w->b.mesh->solid &&
        holds_some(&w->cells.a, &w->a, &w->cells.b, &w->b, time))
        return true;
    return w->a.mesh->solid && holds_some(&w->cells.b, &w->b, &w->cells.a, &w->a, time);
}
