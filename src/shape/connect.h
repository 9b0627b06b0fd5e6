/* SPDX-License-Identifier: MIT */
/* What the proof about a solid (connect.c), the count of a surface's edges and the report on a
 * mesh have in common: which vertices are at one place, which faces use which edge, and which
 * way the whole is turned. */
#ifndef ABUT_SHAPE_CONNECT_H
#define ABUT_SHAPE_CONNECT_H

#include "shape/shape.h"

/* No more faces, and no more corners of all faces, than this: a use of an edge is a face and a
 * bit. */
#define ABUT_MOST_FACES   ((size_t)INT32_MAX)
#define ABUT_MOST_CORNERS ((size_t)UINT32_MAX)

/* weld[i]: the smallest index of a vertex at the same place as vertex i; 0 equals -0. False when
 * memory is out. */
bool abut_weld_vertices(const abut_vec3 *vertices, size_t count, uint32_t *weld, const abut_allocator *alloc);

/* Faces as they use edges, sorted by the edge's ends, then by face. Those of the edges from
 * vertex v to greater ones are items[starts[v] .. starts[v + 1] - 1]. */
typedef struct abut_edge_uses {
    size_t vertex_count, corner_count; /* sizes of the arrays */
    uint32_t *starts;                  /* vertex_count + 1 */
    uint64_t *items;                   /* corner_count; starts[vertex_count] are used */
} abut_edge_uses;

static inline uint32_t abut_use_to(uint64_t use)
{
    return (uint32_t)(use >> 32);
}

static inline uint32_t abut_use_face(uint64_t use)
{
    return (uint32_t)use >> 1;
}

/* Does the face run from the greater end to the smaller? */
static inline bool abut_use_reversed(uint64_t use)
{
    return (use & 1) != 0;
}

/* Through mesh->weld where it is there. False when memory is out, and nothing to release then. */
bool abut_edge_uses_find(const abut_faceted_data *mesh, const abut_allocator *alloc, abut_edge_uses *out);
void abut_edge_uses_release(abut_edge_uses *uses, const abut_allocator *alloc);

/* Number of edges of a mesh, by index where it is not welded; 0 when memory is out. */
size_t abut_count_edges(const abut_faceted_data *mesh, const abut_allocator *alloc);

/* Number of pieces of a mesh, by index where it is not welded. False when memory is out. */
bool abut_count_pieces(const abut_faceted_data *mesh, const abut_allocator *alloc, size_t *count);

/* Not too many, and no corner beyond the vertices. */
abut_status abut_check_triangles(const uint32_t *triangles, size_t count, size_t vertex_count,
                                 abut_error *error);

/* Sign of the volume enclosed by closed and oriented faces over other vertices than their own: 0
 * where rounding leaves it open; *volume receives it, rounded. */
int abut_volume_sign(const abut_faceted_data *mesh, const abut_vec3 *vertices, const abut_aabb *bounds,
                     double *volume);
/* ABUT_OK where it is positive. */
abut_status abut_check_outward(const abut_faceted_data *mesh, const abut_vec3 *vertices,
                               const abut_aabb *bounds, abut_error *error);

#endif
