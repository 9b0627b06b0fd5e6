/* SPDX-License-Identifier: MIT */
/* Polyhedra: closed solids with planar faces, which may be concave, have holes, and enclose cavities.
 *
 * Vertices and faces have the numbers of the input; edges are numbered by the pairs of their vertices in
 * ascending order (the smaller first, then the larger). An edge that a face runs along both ways, as a
 * bridge to a hole, is none. A face that is not exactly planar is what a fixed triangulation of it
 * says: it is off by no more than the stated planarity. Relations of two shapes, distances, rays and
 * points are asked as for every other shape (abut/query.h). */
#ifndef ABUT_POLYHEDRON_H
#define ABUT_POLYHEDRON_H

#include "abut/query.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Face i has face_loops[i] loops, the outer one counter-clockwise seen from outside and holes
 * clockwise, in any order; loop j has loop_sizes[j] >= 3 consecutive entries of `indices`. */
typedef struct abut_polyhedron_def {
    size_t struct_size;
    const abut_vec3 *vertices;
    size_t vertex_count;
    size_t face_count;
    const uint32_t *face_loops; /* NULL: one loop each */
    size_t loop_count;
    const uint32_t *loop_sizes;
    size_t index_count;
    const uint32_t *indices;
    /* a vertex may be off the plane of its face by this part of the solid's largest extent; default
     * 0: 1e-6 */
    double planarity;
} abut_polyhedron_def;

ABUT_API void abut_polyhedron_def_init(abut_polyhedron_def *def);
/* ABUT_ERR_ARGUMENT, with the entity in the text and its number in error->index: open, an edge with more
 * than two faces, faces turned against each other, a vertex where parts of the boundary touch, a face
 * that is not planar, a boundary that touches or crosses itself, a shell that is turned the wrong way. */
ABUT_API abut_status abut_shape_create_polyhedron_with(const abut_polyhedron_def *def,
                                                       const abut_allocator *alloc, abut_shape **out,
                                                       abut_error *error);

typedef struct abut_polyhedron_info {
    size_t vertices, edges, faces, loops; /* vertices: those that edges end at */
    size_t shells, cavities;              /* cavities are shells, too */
    int64_t genus;                        /* handles of all shells together */
    size_t triangles;                     /* of the triangulation that defines the boundary */
    /* for density 1; inertia about the centroid. In doubles, good to some 1e-13 */
    double volume, area;
    abut_vec3 centroid;
    abut_mat3 inertia;
} abut_polyhedron_info;

/* ABUT_ERR_ARGUMENT where the shape is no polyhedron, here and below. */
ABUT_API abut_status abut_polyhedron_get_info(const abut_shape *shape, abut_polyhedron_info *out);
/* vertices: its ends, ascending. faces: the one that runs along it from the first to the second, and the
 * one on its other side. Either may be NULL. */
ABUT_API abut_status abut_polyhedron_get_edge(const abut_shape *shape, size_t edge, uint32_t vertices[2],
                                              uint32_t faces[2]);
/* The edge between two vertices, in either order; -1 where there is none. */
ABUT_API int64_t abut_polyhedron_find_edge(const abut_shape *shape, uint32_t a, uint32_t b);

#ifdef __cplusplus
}
#endif

#endif
