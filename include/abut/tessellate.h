/* SPDX-License-Identifier: MIT */
/* Triangles of shapes, for pictures: rounded, and good to a tolerance that is kept where a surface
 * is smooth at that scale. Nothing is proved about them; queries do not use them. */
#ifndef ABUT_TESSELLATE_H
#define ABUT_TESSELLATE_H

#include "abut/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct abut_tessellate_opts {
    size_t struct_size;
    /* how far triangles may be off curved surfaces; default 0: 1/1000 of the largest extent */
    double tolerance;
    /* of shapes that deform; default 0 */
    double time;
    /* Parametric shapes that deform have the same triangles at all times of this range, so that
     * their vertices can be followed; default [0, 0]: as `time` needs them. */
    abut_interval span;
    /* in the frame of the shape: what has no end is drawn so far only; default [-1, 1] each way */
    abut_aabb window;
    /* Places of the vertices of a mesh, as many as it has, instead of its own
     * (abut_motion_vertices_at); default NULL. */
    const abut_vec3 *vertices;
    size_t vertex_count;
    /* facets of meshes, hulls and implicit shapes that meet at less than this angle (radians)
     * are shaded as one smooth surface; default 0: 0.6. Negative: none are. */
    double crease;
} abut_tessellate_opts;

/* Vertices with unit normals (outward of solids), triangles counter-clockwise seen from outside,
 * and edges (creases, rims, seams) as pairs of vertices. A vertex on a crease is there once for
 * each side of it. */
typedef struct abut_tessellation {
    abut_vec3 *vertices, *normals;
    size_t vertex_count;
    uint32_t *triangles; /* 3 * triangle_count */
    size_t triangle_count;
    uint32_t *edges; /* 2 * edge_count */
    size_t edge_count;
    bool solid; /* false: a surface with two sides */
    abut_allocator alloc;
} abut_tessellation;

ABUT_API void abut_tessellate_opts_init(abut_tessellate_opts *opts);
/* On failure *out is all zero. ABUT_ERR_UNSUPPORTED for a kind of shape without a method,
 * ABUT_ERR_LIMIT where there would be more than 2^31 corners. */
ABUT_API abut_status abut_shape_tessellate(const abut_shape *shape, const abut_tessellate_opts *opts,
                                           const abut_allocator *alloc, abut_tessellation *out,
                                           abut_error *error);
/* Frees what it holds and sets it to zero. */
ABUT_API void abut_tessellation_clear(abut_tessellation *tessellation);

#ifdef __cplusplus
}
#endif

#endif
