/* SPDX-License-Identifier: MIT */
/* What the files that build the index share; see index.h for the index and index_piece.h for pieces. */
#ifndef ABUT_BREP_INDEX_BUILD_H
#define ABUT_BREP_INDEX_BUILD_H

#include "base/memory.h"
#include "brep/index_piece.h"

/* Regions with more triangles than FEW are parted by the axes; CANDIDATES of a region are scored; no path is
 * longer than DEEPEST. */
enum { ABUT_INDEX_FEW = 8, ABUT_INDEX_CANDIDATES = 6, ABUT_INDEX_DEEPEST = 400 };

typedef struct abut_index_builder {
    const abut_index_def *def;
    const abut_vec3 *vertices;
    const uint32_t *triangles;
    abut_index *index;
    abut_allocator alloc;
    ABUT_ARRAY(uint32_t) list; /* triangles of regions, one above the other */
    ABUT_ARRAY(piece) pieces;  /* the same for pieces */
    uint32_t *triangle_edges;  /* edge k of triangle t at 3 t + k */
    uint32_t *edge_stamp, *vertex_stamp, stamp;
    double slack;
    bool failed;
} abut_index_builder;

static inline int abut_index_dominant(abut_vec3 n)
{
    int k = fabs(n.y) > fabs(n.x) ? 1 : 0;
    return fabs(n.z) > fabs(abut_part3(n, k)) ? 2 : k;
}

static inline abut_vec3 abut_index_unit(int axis)
{
    return abut_v3(axis == 0, axis == 1, axis == 2);
}

static inline int abut_index_sign_at(const abut_index_builder *b, const piece_cutter *c, uint32_t vertex)
{
    return abut_index_side(&c->test, b->vertices, b->vertices[vertex]);
}

/* ---- index_part.c: nodes, functions, and which pieces are on which side ---- */

/* The number of what was added: ~leaf, node, run. After a failure anything. */
int32_t abut_index_add_leaf(abut_index_builder *b, uint64_t label);
int32_t abut_index_add_node(abut_index_builder *b, const abut_index_node *node);
int32_t abut_index_add_run(abut_index_builder *b, const abut_index_run *run);

/* The plane of a triangle, the line through two vertices seen along an axis, the coordinate of a vertex. */
piece_cutter abut_index_plane_of(const abut_index_builder *b, uint32_t triangle);
piece_cutter abut_index_line_of(const abut_index_builder *b, uint32_t u, uint32_t v, int axis);
piece_cutter abut_index_place_of(const abut_index_builder *b, uint32_t v, int axis);

/* CAN_ABOVE, CAN_BELOW, IS_ON of a piece. */
unsigned abut_index_piece_sides(const abut_index_builder *b, const piece_cutter *c, const piece *p);
/* How well a function parts pieces, in doubles; small is good. */
double abut_index_score(const abut_index_builder *b, size_t begin, size_t end, const piece_cutter *c);
/* Sides of all pieces of a range, to be freed; `self` is on the zero set by definition. */
uint8_t *abut_index_find_sides(abut_index_builder *b, size_t begin, size_t end, const piece_cutter *c,
                               size_t self);
/* The pieces of a range on one side, cut there, above all others on the stack. */
void abut_index_take_side(abut_index_builder *b, size_t begin, size_t end, const piece_cutter *c,
                          const uint8_t *sides, int sign);
/* False after a failure; pieces without corners are left out. */
bool abut_index_push(abut_index_builder *b, const piece *p);
/* Leaves what of a piece is within the slack of the zero set. */
void abut_index_thin(const abut_index_builder *b, const piece_cutter *c, piece *p);
/* The outermost corners of a piece that are on an edge, as a piece of that edge; count 0 where it is not
 * there. */
piece abut_index_on_edge(const abut_index_builder *b, const piece *of, uint32_t u, uint32_t v);

/* ---- index_lines.c, index_planes.c: trees of the pieces from `begin` to the top of the stack ---- */

int32_t abut_index_build_plane(abut_index_builder *b, size_t begin, const piece_cutter *plane, int depth);
int32_t abut_index_build_space(abut_index_builder *b, size_t begin, int depth);
/* What triangles have in a plane, above all others on the stack. */
void abut_index_take_plane(abut_index_builder *b, size_t begin, size_t end, const piece_cutter *c,
                           const uint8_t *sides);

#endif
