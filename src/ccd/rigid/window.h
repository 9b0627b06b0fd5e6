/* SPDX-License-Identifier: MIT */
/* When two nodes, or two pieces, may meet in a cell of time: separating axes over time.
 *
 * All functions narrow [*lo, *hi], times of the cell, to what is not proved apart; false where all
 * of it is. Certified. Rounding to nearest. */
#ifndef ABUT_CCD_RIGID_WINDOW_H
#define ABUT_CCD_RIGID_WINDOW_H

#include "ccd/rigid/cell.h"
#include "ccd/rigid/part.h"

/* How far a point of the box of a may be from where the cell says; in the frame of b. */
double abut_window_slack(const abut_motion_cell *cell, abut_vec3 middle, const abut_part_box *a);
/* Proved apart by balls about the middles of the bodies that hold the boxes however these turn:
 * for motion that turns much in the cell. */
bool abut_window_balls(const abut_motion_cell *cell, const abut_rigid_part *part_a, const abut_part_box *a,
                       const abut_rigid_part *part_b, const abut_part_box *b);
/* Boxes, the one of b may be a half-space. */
bool abut_window_boxes(const abut_motion_cell *cell, abut_vec3 middle, const abut_part_box *a,
                       const abut_part_box *b, double *lo, double *hi);
/* A triangle of a against a triangle of b. */
bool abut_window_triangles(const abut_motion_cell *cell, abut_vec3 middle, const abut_vec3 a[3],
                           const abut_vec3 b[3], double *lo, double *hi);
/* A triangle of a against a core at rest in the frame of b. */
bool abut_window_core(const abut_motion_cell *cell, abut_vec3 middle, const abut_vec3 a[3],
                      const abut_core *b, double *lo, double *hi);

#endif
