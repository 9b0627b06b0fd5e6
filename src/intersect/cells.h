/* SPDX-License-Identifier: MIT */
/* Common points of three surfaces by certified cells, where one is a torus. */
#ifndef ABUT_INTERSECT_CELLS_H
#define ABUT_INTERSECT_CELLS_H

#include "intersect/points.h"

/* A torus, or the quadric (x, 1)' m (x, 1) = 0. */
typedef struct abut_common_equation {
    const abut_solid_surface *torus;
    abut_interval m[4][4];
} abut_common_equation;

/* All common points in the region are in one of the boxes; those that are proved hold exactly one each, a simple
 * one. False where the budget was spent, and boxes are wide. */
bool abut_points_by_cells(const abut_common_equation equation[3], const abut_interval region[3],
                          abut_interval points[ABUT_COMMON_POINTS][3], bool proved[ABUT_COMMON_POINTS],
                          int *count);

#endif
