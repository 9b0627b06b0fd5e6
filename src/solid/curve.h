/* SPDX-License-Identifier: MIT */
/* Edges of explicit solids as parts: segments, circular and elliptic arcs, cubic pieces. */
#ifndef ABUT_SOLID_CURVE_H
#define ABUT_SOLID_CURVE_H

#include "solid/solid.h"

/* Pieces of edge i: parts[starts[i] .. starts[i + 1] - 1], in its direction. */
typedef struct abut_curves {
    abut_part *parts;
    size_t count, capacity;
    size_t *starts;
} abut_curves;

/* Point of a piece at f in [0, 1] from its start to its end, and its derivative there. */
abut_vec3 abut_piece_at(const abut_part *piece, double f, abut_vec3 *tangent);

/* Makes them; errors name the edge. */
abut_status abut_curves_build(const abut_solid *solid, abut_workspace *keep, abut_curves *out,
                              abut_error *error);

#endif
