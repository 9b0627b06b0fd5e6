/* SPDX-License-Identifier: MIT */
/* General quadrics as parts with cells. Two kinds:
 *
 * ring   o + rho(v) (radii.x cos a x + radii.y sin a y) + v z, rho^2 = major + slope v^2: elliptic
 *        cylinders (slope 0), elliptic cones (major 0, v >= 0), hyperboloids of one sheet
 * graph  o + u x + v y + h(u, v) z with h = radii.x u^2 + radii.y v^2 (rise 0): paraboloids of both
 *        kinds and parabolic cylinders; or h = sqrt(radii.z^2 + radii.x u^2 + radii.y v^2) (rise 1):
 *        hyperboloids of two sheets and hyperbolic cylinders, one sheet each
 *
 * Ellipsoids and natural quadrics that were given as matrices become the kinds that they are. */
#ifndef ABUT_SOLID_QUADRIC_H
#define ABUT_SOLID_QUADRIC_H

#include "solid/feature.h"

typedef enum abut_quadric_sheet {
    ABUT_QUADRIC_NONE = 0, /* planes, a line, a point, nothing: no smooth surface */
    ABUT_QUADRIC_WHOLE,    /* all of it is the part */
    ABUT_QUADRIC_HALF      /* one of two sheets or nappes: that along z from o */
} abut_quadric_sheet;

/* Fills kind, frame and sizes of *part from the matrix, not its domain. `near` is a point of the face
 * (anything where there is only one sheet). part->sense is multiplied by -1 where the gradient of the
 * quadric is against the part's own normal. */
abut_quadric_sheet abut_quadric_part(const double matrix[4][4], abut_vec3 near, abut_part *part);

/* The ring and graph cases of cell.c. */
void abut_quadric_fit(const abut_part *part, double slack, abut_cell *cell);
/* Which way to split: 0 the angle, 1 v, 2 u. */
int abut_quadric_split(const abut_part *part, const abut_cell *cell);
/* The point of the cell with the parameters of p, as far as they are in it. */
abut_vec3 abut_quadric_project(const abut_part *part, const abut_cell *cell, abut_vec3 p);
/* Gradient of the part's implicit function, which points as its own normal, and its value. */
double abut_quadric_value(const abut_part *part, abut_vec3 p, abut_vec3 *gradient);

#endif
