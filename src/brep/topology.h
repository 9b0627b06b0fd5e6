/* SPDX-License-Identifier: MIT */
/* Topology of a boundary representation: shells, faces, loops, co-edges, edges, vertices. Numbers
 * only; what they look like in space is kept beside it, by whoever knows (planes and points for
 * polyhedra, surfaces and curves for CAD solids).
 *
 * An edge has exactly two co-edges, one each way, because a solid's boundary is a closed oriented
 * 2-manifold. A loop is a cycle of co-edges with the face on their left seen from outside. A face
 * has any number of loops, also none (a whole sphere or torus). An edge may be closed: its two
 * ends are then one vertex, or none at all (a circle without a vertex). A vertex may lie in the
 * inside of a face without an edge (the apex of a cone).
 *
 * Numbers are stable: those of faces, edges and vertices are the builder's input, loops and
 * co-edges are in the order of the input, shells in the order of their smallest face. Nothing
 * changes after creation. */
#ifndef ABUT_BREP_TOPOLOGY_H
#define ABUT_BREP_TOPOLOGY_H

#include "abut/base.h"

#define ABUT_BREP_NONE UINT32_MAX

/* One use of an edge by a loop: the edge, and whether the loop runs against it. */
static inline uint32_t abut_brep_use(uint32_t edge, bool reversed)
{
    return edge << 1 | (uint32_t)reversed;
}

/* What a topology is made of. Arrays are copied. No more than 2^31 - 1 edges. */
typedef struct abut_brep_def {
    size_t vertex_count, edge_count, face_count, loop_count, use_count;
    const uint32_t *edge_ends;       /* 2 * edge_count: from, to; both ABUT_BREP_NONE: no vertex */
    const uint32_t *face_loop_count; /* of each face; loops of a face follow one another */
    const uint32_t *loop_sizes;      /* co-edges of each loop, at least 1 */
    const uint32_t *uses;            /* use_count: abut_brep_use, loop after loop */
    const uint32_t *lone_faces;      /* NULL, or of each vertex the face in whose inside it lies, else NONE */
} abut_brep_def;

typedef struct abut_brep_edge {
    uint32_t from, to;   /* vertices; ABUT_BREP_NONE where it has none */
    uint32_t coedges[2]; /* the one that runs from `from` to `to`, and the other */
} abut_brep_edge;

typedef struct abut_brep_coedge {
    uint32_t use;  /* abut_brep_use */
    uint32_t loop; /* whose cycle it is in */
} abut_brep_coedge;

typedef struct abut_brep_loop {
    uint32_t face;
    uint32_t begin, end; /* its co-edges, in order */
} abut_brep_loop;

typedef struct abut_brep_face {
    uint32_t shell;
    uint32_t begin, end; /* its loops */
} abut_brep_face;

typedef struct abut_brep {
    abut_allocator alloc;
    size_t vertex_count, edge_count, coedge_count, loop_count, face_count, shell_count;
    abut_brep_edge *edges;
    abut_brep_coedge *coedges;
    abut_brep_loop *loops;
    abut_brep_face *faces;
    /* Co-edges that leave vertex v: vertex_coedges[vertex_starts[v] .. vertex_starts[v + 1] - 1], in
     * the order in which their faces follow each other around the vertex, clockwise seen from
     * outside. A vertex that no edge ends at has none. */
    uint32_t *vertex_starts, *vertex_coedges;
    uint32_t *lone_faces; /* as in the definition; NULL where no vertex is alone */
    /* Faces of shell s: shell_faces[shell_starts[s] .. shell_starts[s + 1] - 1], ascending. */
    uint32_t *shell_starts, *shell_faces;
} abut_brep;

/* Checks and makes it. ABUT_ERR_ARGUMENT, with the entity named and its number in error->index:
 * numbers out of range, a loop that is not a cycle, an edge with one co-edge (open), with more than
 * two (non-manifold) or with two the same way (inconsistent orientation), a vertex where several
 * parts of the boundary touch (non-manifold). */
abut_status abut_brep_create(const abut_brep_def *def, const abut_allocator *alloc, abut_brep **out,
                             abut_error *error);
/* NULL is none. */
void abut_brep_destroy(abut_brep *brep);

/* The last of the co-edge's cycle is followed by the first. */
static inline uint32_t abut_brep_next(const abut_brep *brep, uint32_t coedge)
{
    const abut_brep_loop *loop = &brep->loops[brep->coedges[coedge].loop];
    return coedge + 1 < loop->end ? coedge + 1 : loop->begin;
}

static inline uint32_t abut_brep_previous(const abut_brep *brep, uint32_t coedge)
{
    const abut_brep_loop *loop = &brep->loops[brep->coedges[coedge].loop];
    return coedge > loop->begin ? coedge - 1 : loop->end - 1;
}

static inline uint32_t abut_brep_edge_of(const abut_brep *brep, uint32_t coedge)
{
    return brep->coedges[coedge].use >> 1;
}

static inline bool abut_brep_is_reversed(const abut_brep *brep, uint32_t coedge)
{
    return (brep->coedges[coedge].use & 1) != 0;
}

/* The other co-edge of its edge. */
static inline uint32_t abut_brep_mate(const abut_brep *brep, uint32_t coedge)
{
    return brep->edges[abut_brep_edge_of(brep, coedge)].coedges[!abut_brep_is_reversed(brep, coedge)];
}

/* The vertex that a co-edge starts from, in the direction of its loop. */
static inline uint32_t abut_brep_start(const abut_brep *brep, uint32_t coedge)
{
    const abut_brep_edge *edge = &brep->edges[abut_brep_edge_of(brep, coedge)];
    return abut_brep_is_reversed(brep, coedge) ? edge->to : edge->from;
}

static inline uint32_t abut_brep_face_of(const abut_brep *brep, uint32_t coedge)
{
    return brep->loops[brep->coedges[coedge].loop].face;
}

/* The face on a side of an edge: 0 the one that runs along it, 1 the one that runs against it. */
static inline uint32_t abut_brep_edge_face(const abut_brep *brep, uint32_t edge, int side)
{
    return abut_brep_face_of(brep, brep->edges[edge].coedges[side]);
}

#endif
