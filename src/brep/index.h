/* SPDX-License-Identifier: MIT */
/* The index of a polyhedron: a ternary tree that leads a point to the entity that it lies on, or to in or
 * out (G. Vanecek, A data structure for analyzing collisions of moving objects, 1990).
 *
 * A node has a function that is affine in the point: a plane, a line in a plane, a coordinate. Its three
 * children stand for where that is positive, zero and negative. Below `on` of a plane are points of the
 * plane only (the phase of edges), below `on` of a line points of the line only (the phase of vertices).
 * Signs are exact for points with double coordinates; there is no tolerance.
 *
 * Planes are those of faces where a region has few of them, and otherwise parallel to the axes
 * (the hybrid rule of section 5). The latter pass through vertices where that cuts few faces, and have a
 * child for `on` like all others; otherwise they have none, and the region above is closed: it is
 * half open, so that no pseudo-entity arises from them. An edge and its two vertices are one node. What
 * a leaf is in is found when a point first comes there, by the exact methods for solid meshes, and kept:
 * a region is convex and no entity ends in it, so that one point answers for all. */
#ifndef ABUT_BREP_INDEX_H
#define ABUT_BREP_INDEX_H

#include "abut/math.h"
#include "brep/polyhedron.h"

#include <stdatomic.h>

typedef enum abut_index_kind {
    ABUT_INDEX_AXIS = 0, /* coordinate `axis` less `at`; half open where `on` is `above` */
    ABUT_INDEX_PLANE,    /* side of the plane through three vertices */
    ABUT_INDEX_LINE,     /* side of the line through two vertices, seen along an axis */
    ABUT_INDEX_PLACE     /* coordinate `axis` less that of a vertex */
} abut_index_kind;

/* Children: a node, or ~leaf. A run stands for four leaves and the two parts of a line beyond: `on` of a
 * line is then RUN + its number. */
typedef struct abut_index_node {
    union {
        uint32_t vertices[3];
        double at;
    } u;
    int32_t above, on, below;
    uint8_t kind, axis;
    bool run; /* `on` is the number of a run */
} abut_index_node;

/* The line of an edge: vertex u, the edge, vertex v, in the direction in which coordinate `axis` grows;
 * before and after it nodes or leaves. */
typedef struct abut_index_run {
    uint32_t u, v;
    int32_t before, after;
    uint32_t edge; /* of the triangulation */
    uint8_t axis;
} abut_index_run;

enum { ABUT_INDEX_OPEN = 1, ABUT_INDEX_KNOWN = 2 };

/* 0: not known yet; ABUT_INDEX_OPEN: entities may end in the region, nothing is kept; else
 * ABUT_INDEX_KNOWN + where (abut_where) * 4 + (id + 1) * 64. */
typedef struct abut_index_leaf {
    _Atomic uint64_t label;
} abut_index_leaf;

/* Where points of the solid's box enter the tree (index_grid.c); x fastest. Leaves of its own come behind those
 * of the tree. */
typedef struct abut_index_grid {
    abut_vec3 lo, scale; /* cells a unit of length */
    int32_t n[3];
    size_t count;
    int32_t *cells; /* a node, or ~leaf; NULL: all enter at the root */
} abut_index_grid;

typedef struct abut_index {
    abut_allocator alloc;
    size_t node_count, node_room, run_count, run_room, leaf_count, leaf_room;
    abut_index_node *nodes;
    abut_index_run *runs;
    abut_index_leaf *leaves;
    int32_t root;
    abut_index_grid grid;
    size_t height;
    double average_height; /* of all leaves, the entities of runs included */
    size_t axis_nodes, face_nodes, edge_nodes, vertex_nodes;
    double seconds;
} abut_index;

/* What the index is built over: triangles, edges of the triangulation (ends, the two triangles), and which
 * of them are diagonals. */
typedef struct abut_index_def {
    abut_brep_triangles of;
    size_t triangle_count, edge_count;
    const uint32_t *edge_ends, *edge_triangles;
    const uint32_t *edge_of; /* as in abut_polyhedron */
} abut_index_def;

/* NULL when memory is out. */
abut_index *abut_index_create(const abut_index_def *def, const abut_allocator *alloc);
void abut_index_destroy(abut_index *index);
/* False when memory is out. */
bool abut_index_add_grid(abut_index *index, const abut_index_def *def);

/* Where a point ends up: a leaf (>= 0), or vertex, edge of a run. */
typedef struct abut_index_spot {
    int64_t leaf;    /* -1 where a run names the entity */
    bool vertex;     /* of a run: a vertex, else an edge */
    uint32_t entity; /* vertex, or edge of the triangulation */
} abut_index_spot;

/* Sign of a node's function at a point, +1 above. */
int abut_index_side(const abut_index_node *node, const abut_vec3 *vertices, abut_vec3 p);
/* What a leaf is in (an abut_where); false where it does not know yet, or may not keep it. */
static inline bool abut_index_know(const abut_index *index, int64_t leaf, unsigned *where, int64_t *id)
{
    const uint64_t kept = atomic_load_explicit(&index->leaves[leaf].label, memory_order_relaxed);
    if (!(kept & ABUT_INDEX_KNOWN))
        return false;
    *where = (unsigned)(kept >> 2 & 15);
    *id = (int64_t)(kept >> 6) - 1;
    return true;
}
/* Tells a leaf what it is in; every thread would tell the same. Not kept by leaves that entities may end in. */
void abut_index_teach(const abut_index *index, int64_t leaf, unsigned where, int64_t id);
/* Of a point in the solid's box. */
void abut_index_find(const abut_index *index, const abut_vec3 *vertices, abut_vec3 p, abut_index_spot *out);

#endif
