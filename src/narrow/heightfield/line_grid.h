/* SPDX-License-Identifier: MIT */
/* The numbers of a line over a height field: where the vertices are, on which side of them it
 * passes, and where it meets planes and grid lines. */
#ifndef ABUT_NARROW_HEIGHTFIELD_LINE_GRID_H
#define ABUT_NARROW_HEIGHTFIELD_LINE_GRID_H

#include "narrow/pair/big.h"
#include "narrow/ray/line.h"
#include "shape/heightfield.h"

typedef struct abut_grid_corner {
    size_t i, j;
} abut_grid_corner;

typedef struct abut_grid_triangle {
    abut_grid_corner cell;
    int which;
} abut_grid_triangle;

typedef struct abut_grid {
    const abut_heightfield_data *field;
    const abut_line *line;
    double scale, half[2], o[3], d[3];
    double slip; /* of a coordinate of a vertex less o */
} abut_grid;

/* Twice the place of a vertex in steps from the middle. */
static inline double abut_grid_place(const abut_grid *g, int axis, size_t i)
{
    return 2 * (double)i - (double)((axis == 0 ? g->field->columns : g->field->rows) - 1);
}

static inline double abut_grid_coordinate(const abut_grid *g, int axis, size_t i)
{
    return abut_grid_place(g, axis, i) * g->half[axis];
}

/* The coordinate of a grid line less o: place times step, exact. */
abut_terms abut_grid_terms(const abut_grid *g, int axis, size_t i);
double abut_grid_unscale(const abut_grid *g, dd t);
/* Where the line crosses a grid line. */
double abut_grid_parameter(const abut_grid *g, int axis, size_t i);
/* Seen from above: is the corner to the left (+1) of the line, on it or to the right? */
int abut_grid_side(const abut_grid *g, abut_grid_corner c);
/* Is the line above (+1), on or below the edge that it crosses, as seen from above? With the
 * vertical gap g at the crossing, det[d, p - o, q - o] = g (d x (q - p))_z, whose last factor
 * has the sign of sigma(q) - sigma(p). */
int abut_grid_above(const abut_grid *g, abut_grid_corner p, abut_grid_corner q, int side_p, int side_q);
void abut_grid_exact_form(const abut_grid *g, abut_grid_triangle t, abut_big *of_o, abut_big *of_d);
double abut_grid_plane_parameter(const abut_grid *g, abut_grid_triangle t);
abut_vec3 abut_grid_normal(const abut_grid *g, abut_grid_triangle t);

#endif
