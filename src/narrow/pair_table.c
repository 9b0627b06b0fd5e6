/* SPDX-License-Identifier: MIT */
/* The one table of static pair methods. Row and column are shape types; each method is entered
 * once, and works for the swapped pair by swapping the arguments and mirroring the result. A
 * hole in the table is an honest ABUT_ERR_UNSUPPORTED. */
#include "math/vec3.h"
#include "narrow/pair/pair.h"

/* What the general solvers take: shapes with a core. */
#define CONVEX_ROW                                                                         \
    [ABUT_SHAPE_CYLINDER] = abut_narrow_convex, [ABUT_SHAPE_CONE] = abut_narrow_convex,    \
    [ABUT_SHAPE_ELLIPSOID] = abut_narrow_convex, [ABUT_SHAPE_CONVEX] = abut_narrow_convex, \
    [ABUT_SHAPE_SWEPT] = abut_narrow_convex, [ABUT_SHAPE_SUPPORT] = abut_narrow_convex
#define HALFSPACE_ROW [ABUT_SHAPE_HALFSPACE] = abut_narrow_plane

/* Curved surfaces, against all that has a surface. */
#define SURFACE_ROW                                                                             \
    [ABUT_SHAPE_SPHERE] = abut_narrow_surfaces, [ABUT_SHAPE_BOX] = abut_narrow_surfaces,        \
    [ABUT_SHAPE_CAPSULE] = abut_narrow_surfaces, [ABUT_SHAPE_CYLINDER] = abut_narrow_surfaces,  \
    [ABUT_SHAPE_CONE] = abut_narrow_surfaces, [ABUT_SHAPE_ELLIPSOID] = abut_narrow_surfaces,    \
    [ABUT_SHAPE_HALFSPACE] = abut_narrow_surfaces, [ABUT_SHAPE_TORUS] = abut_narrow_surfaces,   \
    [ABUT_SHAPE_PARAMETRIC] = abut_narrow_surfaces, [ABUT_SHAPE_BEZIER] = abut_narrow_surfaces, \
    [ABUT_SHAPE_IMPLICIT] = abut_narrow_surfaces, [ABUT_SHAPE_CSG] = abut_narrow_surfaces

/* clang-format off */
static const abut_pair_fn table[ABUT_SHAPE_TYPE_COUNT][ABUT_SHAPE_TYPE_COUNT] = {
    [ABUT_SHAPE_SPHERE] = {
        [ABUT_SHAPE_SPHERE] = abut_narrow_sphere_sphere,
        [ABUT_SHAPE_BOX] = abut_narrow_sphere_box,
        [ABUT_SHAPE_CAPSULE] = abut_narrow_sphere_capsule,
        [ABUT_SHAPE_HALFSPACE] = abut_narrow_sphere_halfspace,
        [ABUT_SHAPE_ELLIPSOID] = abut_narrow_convex,
        [ABUT_SHAPE_CONVEX] = abut_narrow_convex,
        [ABUT_SHAPE_SWEPT] = abut_narrow_convex,
        [ABUT_SHAPE_SUPPORT] = abut_narrow_convex,
    },
    [ABUT_SHAPE_BOX] = {
        [ABUT_SHAPE_BOX] = abut_narrow_closed,
        [ABUT_SHAPE_CAPSULE] = abut_narrow_closed,
        HALFSPACE_ROW,
        CONVEX_ROW,
    },
    [ABUT_SHAPE_CAPSULE] = {
        [ABUT_SHAPE_CAPSULE] = abut_narrow_closed,
        HALFSPACE_ROW,
        CONVEX_ROW,
    },
    [ABUT_SHAPE_CYLINDER] = { [ABUT_SHAPE_SPHERE] = abut_narrow_round, HALFSPACE_ROW, CONVEX_ROW },
    [ABUT_SHAPE_CONE] = { [ABUT_SHAPE_SPHERE] = abut_narrow_round, HALFSPACE_ROW, CONVEX_ROW },
    [ABUT_SHAPE_ELLIPSOID] = { HALFSPACE_ROW, CONVEX_ROW },
    [ABUT_SHAPE_HALFSPACE] = { [ABUT_SHAPE_HALFSPACE] = abut_narrow_halfspaces },
    [ABUT_SHAPE_CONVEX] = { HALFSPACE_ROW, CONVEX_ROW },
    [ABUT_SHAPE_MESH] = {
        [ABUT_SHAPE_SPHERE] = abut_narrow_mesh_convex, [ABUT_SHAPE_BOX] = abut_narrow_mesh_convex,
        [ABUT_SHAPE_CAPSULE] = abut_narrow_mesh_convex, [ABUT_SHAPE_CYLINDER] = abut_narrow_mesh_convex,
        [ABUT_SHAPE_CONE] = abut_narrow_mesh_convex, [ABUT_SHAPE_ELLIPSOID] = abut_narrow_mesh_convex,
        [ABUT_SHAPE_CONVEX] = abut_narrow_mesh_convex, [ABUT_SHAPE_SWEPT] = abut_narrow_mesh_convex,
        [ABUT_SHAPE_SUPPORT] = abut_narrow_mesh_convex,
        [ABUT_SHAPE_HALFSPACE] = abut_narrow_mesh_plane,
        [ABUT_SHAPE_MESH] = abut_narrow_meshes,
    },
    [ABUT_SHAPE_HEIGHTFIELD] = {
        [ABUT_SHAPE_SPHERE] = abut_narrow_heightfield, [ABUT_SHAPE_BOX] = abut_narrow_heightfield,
        [ABUT_SHAPE_CAPSULE] = abut_narrow_heightfield, [ABUT_SHAPE_CYLINDER] = abut_narrow_heightfield,
        [ABUT_SHAPE_CONE] = abut_narrow_heightfield, [ABUT_SHAPE_ELLIPSOID] = abut_narrow_heightfield,
        [ABUT_SHAPE_CONVEX] = abut_narrow_heightfield, [ABUT_SHAPE_SWEPT] = abut_narrow_heightfield,
        [ABUT_SHAPE_SUPPORT] = abut_narrow_heightfield,
        [ABUT_SHAPE_HALFSPACE] = abut_narrow_heightfield_plane,
        [ABUT_SHAPE_MESH] = abut_narrow_mesh_field,
    },
    [ABUT_SHAPE_SWEPT] = { HALFSPACE_ROW, CONVEX_ROW },
    [ABUT_SHAPE_SUPPORT] = { HALFSPACE_ROW, CONVEX_ROW },
    [ABUT_SHAPE_TORUS] = { SURFACE_ROW },
    [ABUT_SHAPE_PARAMETRIC] = { SURFACE_ROW },
    [ABUT_SHAPE_BEZIER] = { SURFACE_ROW },
    [ABUT_SHAPE_IMPLICIT] = { SURFACE_ROW },
    [ABUT_SHAPE_CSG] = { SURFACE_ROW },
};
/* clang-format on */

abut_pair_fn abut_narrow_find_pair(abut_shape_type a, abut_shape_type b, bool *swapped)
{
    *swapped = !table[a][b];
    return *swapped ? table[b][a] : table[a][b];
}

void abut_narrow_mirror(abut_check_result *r)
{
    const abut_vec3 zero = { 0, 0, 0 };
    const abut_vec3 point = r->point_a;
    r->point_a = r->point_b;
    r->point_b = point;
    r->normal = abut_sub(zero, r->normal);
    for (int i = 0; i < r->contact_count; ++i) {
        abut_contact *c = &r->contacts[i];
        c->normal = abut_sub(zero, c->normal);
        const abut_feature feature = c->features[0];
        c->features[0] = c->features[1];
        c->features[1] = feature;
        const int64_t id = c->ids[0];
        c->ids[0] = c->ids[1];
        c->ids[1] = id;
    }
}

static bool is_interval(abut_interval a)
{
    return a.lo >= 0 && a.lo <= a.hi;
}

/* Sizes at the end of the doubles, and placements of which next to nothing is known, overflow on
 * the way: then nothing is known. */
static void drop_overflow(abut_check_result *r)
{
    const abut_interval any = { 0, INFINITY };
    r->has_points = r->has_points && abut_is_finite3(r->point_a) && abut_is_finite3(r->point_b);
    r->has_normal = r->has_normal && fabs(abut_dot(r->normal, r->normal) - 1) < 1e-6;
    for (int i = 0; i < r->contact_count; ++i)
        if (!abut_is_finite3(r->contacts[i].point) || !r->has_normal)
            r->contact_count = i;
    if (is_interval(r->distance) && is_interval(r->depth))
        return;
    *r = (abut_check_result){ .verdict = ABUT_UNDECIDED,
                              .stop = ABUT_STOP_TOLERANCE,
                              .distance = any,
                              .depth = any,
                              .counters = r->counters };
}

abut_status abut_narrow_run_pair(const abut_pair *pair, abut_workspace *ws, abut_check_result *out)
{
    bool swapped;
    const abut_pair_fn method = abut_narrow_find_pair(pair->a->type, pair->b->type, &swapped);
    if (!method)
        return ABUT_ERR_UNSUPPORTED;
    if (!swapped) {
        const abut_status status = method(pair, ws, out);
        drop_overflow(out);
        return status;
    }
    const abut_pair reversed = { pair->b, pair->a, pair->at_b, pair->at_a, pair->ask };
    const abut_status status = method(&reversed, ws, out);
    drop_overflow(out);
    if (!status)
        abut_narrow_mirror(out);
    return status;
}
