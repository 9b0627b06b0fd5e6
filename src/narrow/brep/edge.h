/* SPDX-License-Identifier: MIT */
/* Edges and faces of solids for the face test: edges as placed curves, points in faces. */
#ifndef ABUT_NARROW_BREP_EDGE_H
#define ABUT_NARROW_BREP_EDGE_H

#include "intersect/hits.h"
#include "solid/solid.h"

/* Pieces of edge i: cubics of splines and of traced intersections, one of the others. */
size_t abut_edge_pieces(const abut_solid *solid, uint32_t edge);

typedef struct abut_edge_piece {
    abut_enclosed_curve curve;
    abut_interval_vec3 to; /* of an arc */
    bool whole;            /* a whole circle */
    bool traced;           /* within the solid's tolerance of the edge, not the edge itself */
    abut_aabb box;         /* holds the piece */
} abut_edge_piece;

/* Placed by the map, which encloses a rigid one. */
void abut_edge_place(const abut_solid *solid, uint32_t edge, size_t piece, const abut_interval_affine *map,
                     abut_edge_piece *out);

/* Is p, within `slack` of the face's surface, in the face: 1, 0, or -1: within `slack` (or the tolerance of an
 * explicit solid) of its border, or not decided. */
int abut_face_contains(const abut_solid *solid, uint32_t face, abut_vec3 p, double slack);

#endif
