/* SPDX-License-Identifier: MIT */
/* Geometry of explicit solids: size and tolerance, edges on their surfaces, shells, bounds. */
#include "solid/geometry.h"
#include "math/vec3.h"
#include "solid/surface.h"

#include <inttypes.h>
#include <math.h>

static void include(abut_aabb *box, abut_vec3 p, double r)
{
    box->lo = abut_v3(fmin(box->lo.x, p.x - r), fmin(box->lo.y, p.y - r), fmin(box->lo.z, p.z - r));
    box->hi = abut_v3(fmax(box->hi.x, p.x + r), fmax(box->hi.y, p.y + r), fmax(box->hi.z, p.z + r));
}

/* The size that tolerances are measured by: what the vertices, circles, splines and whole surfaces
 * span. */
static double measure(const abut_solid_def *def)
{
    abut_aabb box = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
    for (size_t i = 0; i < def->vertex_count; ++i)
        include(&box, def->vertices[i], 0);
    for (size_t i = 0; i < def->edge_count; ++i) {
        const abut_solid_edge *e = &def->edges[i];
        if (e->kind == ABUT_SOLID_EDGE_CIRCLE)
            include(&box, e->center,
                    e->from == e->to ? abut_length(abut_sub(def->vertices[e->from], e->center)) : 0);
        for (size_t k = 0; k < e->point_count; ++k)
            include(&box, e->points[k], 0);
    }
    for (size_t i = 0; i < def->face_count; ++i) {
        const abut_solid_surface *s = &def->surfaces[def->faces[i].surface];
        if (def->faces[i].loop_count == 0 && s->kind != ABUT_SOLID_QUADRIC)
            include(&box, s->point, s->radius + (s->kind == ABUT_SOLID_TORUS ? s->minor : 0));
    }
    const double size = abut_max_norm(abut_sub(box.hi, box.lo));
    return isfinite(size) ? size : 0;
}

/* Every piece of every edge on the surfaces of both faces, at nine points. */
static abut_status check_on_surfaces(const abut_solid *solid, const abut_curves *curves, abut_error *error)
{
    const abut_solid_def *def = &solid->def;
    for (size_t i = 0; i < def->edge_count; ++i)
        for (size_t k = curves->starts[i]; k < curves->starts[i + 1]; ++k)
            for (int side = 0; side < 2; ++side) {
                const uint32_t face = solid->sides[i].face[side];
                const abut_solid_surface *s = &def->surfaces[def->faces[face].surface];
                for (int f = 0; f <= 8; ++f) {
                    abut_vec3 tangent, normal;
                    const abut_vec3 p = abut_piece_at(&curves->parts[k], f / 8.0, &tangent);
                    const double off = fabs(abut_surface_at(s, p, &normal));
                    if (!(off <= solid->tolerance))
                        return abut_base_fail(error, ABUT_ERR_VALUE, (int64_t)i,
                                              "edge %zu is %.3g off the surface of face %" PRIu32
                                              ", a %s; the tolerance is %.3g",
                                              i, off, face, abut_solid_surface_name(s->kind),
                                              solid->tolerance);
                }
            }
    return ABUT_OK;
}

static uint32_t root_of(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* Faces joined by edges. */
static bool count_shells(abut_solid *solid, abut_workspace *keep)
{
    const abut_solid_def *def = &solid->def;
    uint32_t *parent = abut_workspace_take(keep, def->face_count, sizeof *parent);
    if (!parent)
        return false;
    for (uint32_t i = 0; i < def->face_count; ++i)
        parent[i] = i;
    for (size_t i = 0; i < def->edge_count; ++i)
        parent[root_of(parent, solid->sides[i].face[0])] = root_of(parent, solid->sides[i].face[1]);
    for (uint32_t i = 0; i < def->face_count; ++i)
        solid->shell_count += root_of(parent, i) == i;
    solid->shell_first = abut_workspace_take(keep, solid->shell_count, sizeof *solid->shell_first);
    if (!solid->shell_first)
        return false;
    size_t at = 0;
    for (uint32_t i = 0; i < def->face_count; ++i)
        if (root_of(parent, i) == i)
            solid->shell_first[at++] = i;
    return true;
}

abut_status abut_solid_geometry(abut_workspace *keep, abut_solid *solid, abut_error *error)
{
    solid->size = measure(&solid->def);
    solid->tolerance = solid->def.tolerance > 0 ? solid->def.tolerance : 1e-9 * solid->size;
    abut_curves curves;
    abut_status status = abut_curves_build(solid, keep, &curves, error);
    if (!status)
        status = check_on_surfaces(solid, &curves, error);
    if (status)
        return status;
    if (!count_shells(solid, keep))
        return abut_base_fail_memory(error);
    return abut_solid_make_features(solid, &curves, keep, error);
}
