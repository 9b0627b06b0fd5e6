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
    /* Joins faces that share an edge, are in one plane exactly and are turned alike, and drops vertices that
     * are left on a straight edge: for closed meshes of triangles. Vertices keep their numbers, faces are
     * numbered in the order of the first that they are made of (abut_polyhedron_find_face). */
    bool merge;
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

/* The face that a face of the definition became a part of: with `merge`, and otherwise itself; -1 where there
 * is none of that number. */
ABUT_API int64_t abut_polyhedron_find_face(const abut_shape *shape, size_t given);

/* The index through which points are classified (docs/polyhedra.md): inner nodes by what their function
 * is, leaves (also of the grid through which points enter), the greatest and the average number of nodes from
 * the root to a leaf, and the time it took. */
typedef struct abut_index_info {
    size_t nodes, axis_nodes, face_nodes, edge_nodes, vertex_nodes, leaves;
    size_t height;
    double average_height;
    double seconds;
    size_t bytes;
} abut_index_info;

/* Made when a query first needs it, or here. ABUT_ERR_MEMORY without memory for it. */
ABUT_API abut_status abut_polyhedron_get_index(const abut_shape *shape, abut_index_info *out);

/* ---- contacts of two solids ----
 *
 * For polyhedra and solid meshes. A contact has the entity of each solid, a point, and the normal of the
 * tangent plane from a to b, by the cases of G. Vanecek (A data structure for analyzing collisions of
 * moving objects, 1990, section 4). The verdict is proved as that of abut_check. Where solids touch and the
 * band is 0, exact signs decide which entities do: each contact is reported once, with the one vertex, edge or
 * face of each solid that holds its point. With a band, contacts that are as near to each other as four times
 * the band are a cluster, and one stands for it: the one between the entities that all others of the cluster
 * are incident to, where there are such, and otherwise the first of vertex-face, edge-edge, vertex-edge,
 * vertex-vertex. Edges in faces and faces on faces show as the vertices and crossings that bound them, and as
 * regions. abut_check tells the same contacts, as many as it has room for and spread out. */

typedef struct abut_touch_opts {
    size_t struct_size;
    /* entities nearer than this count as touching, and a penetration that is shallower as a touch; default
     * 0: exact */
    double band;
    bool every;   /* every contact, not one a cluster */
    bool regions; /* what faces have in common with faces and edges, edges with edges */
} abut_touch_opts;

/* Polygons have three points or more, segments two: points[first .. first + count - 1]. */
typedef struct abut_touch_region {
    abut_feature features[2];
    int64_t ids[2];
    size_t first, count;
} abut_touch_region;

/* Where lists go; counts may exceed the capacities, then the first are there. NULL and 0 are allowed. */
typedef struct abut_touch_lists {
    abut_contact *contacts;
    size_t contact_capacity;
    abut_touch_region *regions;
    size_t region_capacity;
    abut_vec3 *points;
    size_t point_capacity;
} abut_touch_lists;

typedef struct abut_touch_result {
    abut_verdict verdict; /* after the band */
    abut_proof proof;
    abut_stop stop;
    abut_interval distance, depth; /* as found, whatever the band */
    bool inside;                   /* one solid is inside the other, boundaries apart */
    size_t contact_count, region_count, point_count;
    size_t found; /* contacts before clusters were reduced */
    abut_counters counters;
} abut_touch_result;

ABUT_API void abut_touch_opts_init(abut_touch_opts *opts);
/* ABUT_ERR_UNSUPPORTED for anything but polyhedra and solid meshes. */
ABUT_API abut_status abut_touch(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                const abut_pose *pose_b, const abut_touch_opts *opts, abut_workspace *ws,
                                const abut_touch_lists *lists, abut_touch_result *out);
ABUT_API abut_status abut_touch_at(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                                   const abut_motion *motion_b, double t, const abut_touch_opts *opts,
                                   abut_workspace *ws, const abut_touch_lists *lists, abut_touch_result *out);
/* From step to step: was[i] receives the number of the earlier contact between the same entities as the
 * later contact i, or SIZE_MAX where it is new. */
ABUT_API abut_status abut_touch_track(const abut_contact *before, size_t before_count,
                                      const abut_contact *now, size_t now_count, size_t *was);

/* For callers who step: when two solids met, of which the placements at two times are known, apart at the
 * first and penetrating at the second (G. Vanecek, 1990, section 3). An estimate: vertices are taken to move
 * evenly on straight lines in the frame of the other solid, and placements between the two are
 * interpolated. abut_first_contact proves the time where the motion is known. */
typedef struct abut_touch_estimate_result {
    double time;    /* at the later time where nothing penetrates then */
    bool by_vertex; /* a vertex was the first to come in */
    int side;       /* of solid a (0) or b (1) */
    uint32_t vertex;
    size_t vertices_inside; /* at the later time, of both */
} abut_touch_estimate_result;

/* Poses: before, after; NULL: identity. */
ABUT_API abut_status abut_touch_estimate(const abut_shape *a, const abut_pose before_after_a[2],
                                         const abut_shape *b, const abut_pose before_after_b[2],
                                         abut_interval time, abut_workspace *ws,
                                         abut_touch_estimate_result *out);

#ifdef __cplusplus
}
#endif

#endif
