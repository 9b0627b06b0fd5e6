/* SPDX-License-Identifier: MIT */
/* Polyhedra at one instant, beyond what their triangles give: points through the index, segments piece by
 * piece, contacts by entity. */
#ifndef ABUT_NARROW_POLYHEDRON_POLYHEDRON_H
#define ABUT_NARROW_POLYHEDRON_POLYHEDRON_H

#include "narrow/mesh/mesh.h"

/* Where a point of the solid's own frame is, exactly; entities of the polyhedron: where and id. */
void abut_polyhedron_where(const abut_shape *shape, abut_vec3 p, abut_piece *out);

/* Pieces of the segment from p to q in the solid's own frame, in order and joined; from, to, where, id. False
 * when memory is out. Solid meshes are served as well, with triangles and their edges. */
typedef void (*abut_polyhedron_piece_fn)(void *ctx, const abut_piece *piece);
bool abut_polyhedron_segment(const abut_shape *shape, abut_vec3 p, abut_vec3 q, const abut_allocator *alloc,
                             abut_polyhedron_piece_fn sink, void *ctx);

#endif
