/* SPDX-License-Identifier: MIT */
/* Polyhedra: planar faces over the topology of topology.h.
 *
 * Vertices are doubles, and more than three of them are rarely in one plane exactly. The boundary is
 * therefore defined by a fixed triangulation of the faces (triangulate.c): closed, oriented, and
 * every sign about it exact. Faces that are planar exactly are not changed by it; others are bent
 * by no more than the tolerance within which they were accepted. Triangles of a face follow one
 * another, corners are vertices of the input. */
#ifndef ABUT_BREP_POLYHEDRON_H
#define ABUT_BREP_POLYHEDRON_H

#include "abut/math.h"
#include "base/workspace.h"
#include "brep/topology.h"

#include <stdatomic.h>

/* Faces as lists of corners, loop after loop, face after face. */
typedef struct abut_polygons {
    const abut_vec3 *vertices;
    const uint32_t *weld; /* of each vertex the one that stands for all at its place */
    size_t vertex_count, face_count, loop_count, corner_count;
    const uint32_t *face_loop_count; /* NULL: one each */
    const uint32_t *loop_sizes;      /* at least 3 each */
    const uint32_t *corners;
} abut_polygons;

/* The topology of polygons, in the workspace's memory. Edges are numbered in the order of their ends,
 * the smaller first. An edge that a face runs along both ways (a bridge to a hole) bounds nothing: it
 * goes, and the loop falls into several. False when memory is out. (polygons.c) */
bool abut_polygons_connect(const abut_polygons *polygons, abut_workspace *ws, abut_brep_def *out);

/* Faces of a topology that are in one plane exactly and turned alike, joined over their edges, as polygons in
 * the workspace's memory (without `weld`). face_of[f] is where face f went; faces are in the order of the
 * first that they are made of. False when memory is out. (merge.c) */
bool abut_brep_merge(const abut_brep *brep, const abut_vec3 *vertices, abut_workspace *ws, abut_polygons *out,
                     uint32_t *face_of);

/* Number of triangles of a face: corners + 2 loops - 4. */
size_t abut_brep_triangle_count(const abut_brep *brep, uint32_t face);
/* Triangles of all faces into `triangles`, three vertices each; those of face f are starts[f] to
 * starts[f + 1] - 1. ABUT_ERR_ARGUMENT, naming the face: no area, not planar within `planarity` times
 * `size` (the largest extent of the solid), loops that cross or touch, more or fewer than one outer
 * loop. (triangulate.c) */
abut_status abut_brep_triangulate(const abut_brep *brep, const abut_vec3 *vertices, double size,
                                  double planarity, abut_workspace *ws, uint32_t *triangles, uint32_t *starts,
                                  abut_error *error);

struct abut_bvh;

/* The triangles of a closed polyhedron, and a hierarchy over them. */
typedef struct abut_brep_triangles {
    const abut_brep *brep;
    const abut_vec3 *vertices;
    const uint32_t *triangles;
    const uint32_t *starts;  /* of the faces */
    const uint32_t *face_of; /* of the triangles */
    const struct abut_bvh *tree;
    abut_aabb box;
} abut_brep_triangles;

/* No two triangles may have more in common than the corner or edge that they share. Names the faces.
 * (self.c) */
abut_status abut_brep_check_self(const abut_brep_triangles *of, abut_error *error);
/* Outer shells lie outside each other, cavities inside exactly one of them, all turned accordingly;
 * signs[s] is +1 for an outer shell, -1 for a cavity. Names a face. After the above. */
abut_status abut_brep_check_shells(const abut_brep_triangles *of, int8_t *signs, abut_error *error);

/* Volume, centroid and inertia tensor about the centroid for density 1, in doubles: good to some 1e-13
 * of what the solid's box would have. (mass.c) */
typedef struct abut_brep_mass {
    double volume, area;
    abut_vec3 centroid;
    abut_mat3 inertia;
} abut_brep_mass;
void abut_brep_mass_of(const abut_vec3 *vertices, const uint32_t *triangles, size_t count,
                       abut_brep_mass *out);

struct abut_index;

/* What a polyhedron has beyond its triangles. */
typedef struct abut_polyhedron {
    abut_allocator alloc;
    abut_brep *topology;
    size_t triangle_count, mesh_edge_count;
    uint32_t *face_starts;   /* face_count + 1 */
    uint32_t *triangle_face; /* triangle_count */
    /* of each edge of the triangulation the edge of the solid, or ~face where it is a diagonal */
    uint32_t *edge_of;
    int8_t *shell_signs;
    /* faces of the definition, and where each of them went; NULL: they are the same */
    size_t given_count;
    uint32_t *given_faces;
    abut_brep_mass mass;
    _Atomic(struct abut_index *) index; /* index.h; NULL until asked for */
} abut_polyhedron;

void abut_polyhedron_destroy(abut_polyhedron *solid);

#endif
