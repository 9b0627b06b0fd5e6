/* SPDX-License-Identifier: MIT */
/* The surface of each shape that has one. */
#include "shape/hull/hull.h"
#include "shape/shape.h"
#include "surface/body.h"

#include <math.h>

/* The face to the left of the link from v to w. */
static uint32_t left_of(const abut_hull *hull, uint32_t v, uint32_t w)
{
    uint32_t k = hull->link_begin[v];
    while (k + 1 < hull->link_begin[v + 1] && hull->links[k] != w)
        ++k;
    return hull->link_face[k];
}

/* A point, a segment or a flat polygon: a fan of triangles. Of the sides that they share nothing is
 * nearest that is not in a triangle too. */
static abut_status flat_surface(const abut_hull *hull, abut_workspace *ws, abut_surface *out)
{
    const uint32_t n = hull->vertex_count, faces = hull->dimension == 2 ? n - 2 : 0;
    const uint32_t sides = hull->dimension == 2 ? n : hull->dimension == 1 ? 1 : 0;
    abut_surface_facets_def *def = abut_workspace_take(ws, 1, sizeof *def);
    abut_interval_vec3 *vertices = abut_workspace_take(ws, n, sizeof *vertices);
    uint32_t *points = abut_workspace_take(ws, n, sizeof *points);
    uint32_t *edges = abut_workspace_take(ws, 2 * (size_t)n, sizeof *edges);
    uint32_t *triangles = abut_workspace_take(ws, 3 * (size_t)n, sizeof *triangles);
    int64_t *ids = abut_workspace_take(ws, n, sizeof *ids);
    if (!def || !vertices || !points || !edges || !triangles || !ids)
        return ABUT_ERR_MEMORY;
    const uint32_t *ring = hull->dimension == 2 ? hull->face_corners + hull->face_begin[0] : NULL;
    abut_interval_vec3 around = { { INFINITY, -INFINITY }, { INFINITY, -INFINITY }, { INFINITY, -INFINITY } };
    for (uint32_t i = 0; i < n; ++i) {
        const uint32_t v = ring ? ring[i] : i;
        const abut_interval_vec3 at = { { hull->x[v], hull->x[v] },
                                        { hull->y[v], hull->y[v] },
                                        { hull->z[v], hull->z[v] } };
        around.x = (abut_interval){ fmin(around.x.lo, at.x.lo), fmax(around.x.hi, at.x.hi) };
        around.y = (abut_interval){ fmin(around.y.lo, at.y.lo), fmax(around.y.hi, at.y.hi) };
        around.z = (abut_interval){ fmin(around.z.lo, at.z.lo), fmax(around.z.hi, at.z.hi) };
        vertices[i] = at;
        points[i] = i;
        ids[i] = hull->point_of[v];
        edges[2 * i] = i;
        edges[2 * i + 1] = (i + 1) % n;
    }
    for (uint32_t i = 0; i < faces; ++i) {
        triangles[3 * i] = 0;
        triangles[3 * i + 1] = i + 1;
        triangles[3 * i + 2] = i + 2;
    }
    *def = (abut_surface_facets_def){ .vertices = vertices,
                                      .points = points,
                                      .edges = edges,
                                      .triangles = triangles,
                                      .point_count = n,
                                      .edge_count = sides,
                                      .triangle_count = faces,
                                      .point_ids = ids,
                                      .bounds = around };
    return abut_surface_facets(def, ws, out);
}

/* The hull of a point set, solid or flat, whatever its margin: edges in the order in which
 * abut_contact numbers them, by their smaller ends. */
static abut_status convex_surface(const abut_convex_data *convex, abut_workspace *ws, abut_surface *out)
{
    const abut_hull *hull = convex->hull;
    if (hull->dimension < 3)
        return flat_surface(hull, ws, out);
    if (!hull->link_face)
        return ABUT_ERR_UNSUPPORTED;
    abut_surface_polytope_def *def = abut_workspace_take(ws, 1, sizeof *def);
    abut_polytope_edge *edges = abut_workspace_take(ws, hull->edge_count, sizeof *edges);
    if (!def || !edges)
        return ABUT_ERR_MEMORY;
    uint32_t count = 0;
    for (uint32_t v = 0; v < hull->vertex_count; ++v)
        for (uint32_t k = hull->link_begin[v]; k < hull->link_begin[v + 1]; ++k) {
            const uint32_t w = hull->links[k];
            if (w > v && count < hull->edge_count) {
                edges[count] =
                    (abut_polytope_edge){ v, w, { hull->link_face[k], left_of(hull, w, v) }, count };
                ++count;
            }
        }
    *def = (abut_surface_polytope_def){ .x = hull->x,
                                        .y = hull->y,
                                        .z = hull->z,
                                        .vertex_count = hull->vertex_count,
                                        .point_of = hull->point_of,
                                        .face_count = hull->face_count,
                                        .face_begin = hull->face_begin,
                                        .face_corners = hull->face_corners,
                                        .edge_count = count,
                                        .edges = edges,
                                        .vertex_begin = hull->link_begin,
                                        .vertex_faces = hull->link_face };
    return abut_surface_polytope(def, ws, out);
}

abut_status abut_shape_surface(const abut_shape *shape, abut_workspace *ws, abut_surface *out)
{
    *out = (abut_surface){ .feature_count = 0 };
    if (shape->surface) {
        *out = *shape->surface;
        return ABUT_OK;
    }
    switch (shape->type) {
    case ABUT_SHAPE_SPHERE: return abut_surface_sphere(shape->u.sphere.radius, ws, out);
    case ABUT_SHAPE_BOX: return abut_surface_box(shape->u.box.half, ws, out);
    case ABUT_SHAPE_CAPSULE:
        return abut_surface_capsule(shape->u.round.radius, shape->u.round.height, ws, out);
    case ABUT_SHAPE_CYLINDER:
        return abut_surface_cylinder(shape->u.round.radius, shape->u.round.height, ws, out);
    case ABUT_SHAPE_CONE: return abut_surface_cone(shape->u.round.radius, shape->u.round.height, ws, out);
    case ABUT_SHAPE_ELLIPSOID: return abut_surface_ellipsoid(shape->u.ellipsoid.radii, ws, out);
    case ABUT_SHAPE_TORUS: return abut_surface_torus(shape->u.torus.major, shape->u.torus.minor, ws, out);
    case ABUT_SHAPE_HALFSPACE:
        return abut_surface_halfspace(shape->u.halfspace.normal, shape->u.halfspace.offset, ws, out);
    case ABUT_SHAPE_CONVEX:
        return shape->u.convex.margin > 0 || shape->u.convex.hull->dimension < 3
                   ? ABUT_ERR_UNSUPPORTED
                   : convex_surface(&shape->u.convex, ws, out);
    default: return ABUT_ERR_UNSUPPORTED;
    }
}

abut_status abut_shape_surface_over(const abut_shape *shape, abut_interval time, abut_workspace *ws,
                                    abut_surface *out)
{
    const abut_status status = abut_shape_surface(shape, ws, out);
    if (status || !out->deforms || !out->implicit)
        return status;
    return abut_surface_csg_over(shape->surface, time, ws, out);
}

abut_status abut_shape_spine(const abut_shape *shape, abut_workspace *ws, abut_surface *out, double *swell)
{
    *swell = 0;
    switch (shape->type) {
    case ABUT_SHAPE_TORUS:
        *swell = shape->u.torus.minor;
        return abut_surface_circle(shape->u.torus.major, ws, out);
    case ABUT_SHAPE_CAPSULE:
        *swell = shape->u.round.radius;
        return abut_surface_segment(shape->u.round.height / 2, ws, out);
    case ABUT_SHAPE_SPHERE: *swell = shape->u.sphere.radius; return abut_surface_segment(0, ws, out);
    case ABUT_SHAPE_CONVEX: *swell = shape->u.convex.margin; return convex_surface(&shape->u.convex, ws, out);
    case ABUT_SHAPE_SWEPT: {
        const abut_status status = abut_shape_spine(shape->u.swept.of, ws, out, swell);
        *swell = abut_shape_add_up(*swell, shape->u.swept.margin);
        return status;
    }
    default: return abut_shape_surface(shape, ws, out);
    }
}
