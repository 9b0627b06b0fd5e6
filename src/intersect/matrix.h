/* SPDX-License-Identifier: MIT */
/* Planes and quadrics as symmetric matrices, exact and enclosed, and what they have in common: the resultant of
 * three of them. */
#ifndef ABUT_INTERSECT_MATRIX_H
#define ABUT_INTERSECT_MATRIX_H

#include "abut/intersect.h"
#include "intersect/number.h"

enum { ABUT_RESULTANT_DEGREE = 8, ABUT_RESULTANT_TERMS = 64 };

/* (x, 1)' m (x, 1) = 0. */
typedef struct abut_exact_matrix {
    abut_long m[4][4];
} abut_exact_matrix;

/* The matrix of a plane, sphere, cylinder, double cone or quadric; false for a torus, and where numbers get too
 * long. */
bool abut_matrix_exact(const abut_solid_surface *s, abut_exact_matrix *out);
bool abut_matrix_is_plane(const abut_exact_matrix *a);
/* b less the multiple of a that leaves it no quadratic part, times a number that is not 0; false where there is no
 * such multiple, or b has none. */
bool abut_matrix_reduce(const abut_exact_matrix *a, abut_exact_matrix *b);
/* Is c a combination of a and b? False where that is not known. */
bool abut_matrix_depends(const abut_exact_matrix *a, const abut_exact_matrix *b, const abut_exact_matrix *c);
/* Value at p: -1, 0, 1, or 2. */
int abut_matrix_sign(const abut_exact_matrix *a, abut_vec3 p);

/* Is the determinant of the three gradients at p exactly 0? */
bool abut_matrix_singular(const abut_exact_matrix m[3], abut_vec3 p);

/* The polynomial in t = x + y_part y + z_part z that vanishes where the three have a common point, in projective
 * space and over the complex numbers: its degree is at most 8, or 4 where the first one is a plane. */
typedef struct abut_resultant {
    double y_part, z_part;
    int degree; /* -1: zero */
    bool exact; /* terms are all of it */
    double terms[ABUT_RESULTANT_DEGREE + 1][ABUT_RESULTANT_TERMS];
    abut_interval c[ABUT_RESULTANT_DEGREE + 1];
} abut_resultant;

/* False where numbers get too long. Only the first may be a plane. */
bool abut_resultant_of(const abut_exact_matrix m[3], double y_part, double z_part, abut_resultant *out);

#endif
