/* SPDX-License-Identifier: MIT */
/* Referee for components of intersections: one surface by its parameters on a dense grid, the
 * other by an implicit function, marching squares and union-find. It shares no code with the
 * library: no polynomials, no pencils. Unbounded parameters are compactified, so that branches end
 * at the rim of the grid. */
#ifndef ABUT_ORACLE_LOOPS_DENSE_H
#define ABUT_ORACLE_LOOPS_DENSE_H

#include "abut/loops.h"

/* What a general quadric is made of: a normal form and an affine map. */
typedef enum dense_form {
    DENSE_NATURAL = 0, /* no general quadric */
    DENSE_ELLIPSOID,   /* x^2 + y^2 + z^2 = 1 */
    DENSE_ONE_SHEET,   /* x^2 + y^2 - z^2 = 1 */
    DENSE_TWO_SHEETS,  /* z^2 - x^2 - y^2 = 1 */
    DENSE_PARABOLOID,  /* z = x^2 + y^2 */
    DENSE_SADDLE,      /* z = x^2 - y^2 */
    DENSE_FORMS
} dense_form;

typedef struct dense_surface {
    abut_solid_surface s; /* in the body's frame; a quadric's matrix belongs to form and map */
    abut_pose pose;
    dense_form form;
    double map[3][4]; /* normal form to body */
} dense_surface;

/* Fills s.kind and s.matrix from form and map. */
void dense_make_quadric(dense_surface *d);

enum { DENSE_MOST = 32 };

typedef struct dense_result {
    bool known;                   /* the grids on either surface agree, and nothing ambiguous was seen */
    int count;                    /* components */
    int of_point[ABUT_LOOPS_MAX]; /* the component next to each of the points, -1: none near */
} dense_result;

/* The components of a and b, and which of them the points are on. `grid`: cells along each
 * parameter. */
void dense_components(const dense_surface *a, const dense_surface *b, int grid, const abut_loop *points,
                      size_t count, dense_result *out);
/* Whether the first of two should be `a` below: a cone, and no plane, on which long ellipses are
 * too thin for the grid. */
bool dense_prefers(const dense_surface *a, const dense_surface *b);
/* Distance of a point from a surface, to first order. */
double dense_distance(const dense_surface *d, abut_vec3 p);

#endif
