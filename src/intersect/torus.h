/* SPDX-License-Identifier: MIT */
/* Tori and other surfaces by trigonometric polynomials: on the circle of an angle and on the torus
 * of two. A polynomial of degree 2 has the coefficients of 1, cos, sin, cos 2, sin 2. */
#ifndef ABUT_INTERSECT_TORUS_H
#define ABUT_INTERSECT_TORUS_H

#include "intersect/loops.h"

/* A torus in its own frame: centre + (R + r cos psi) (cos phi u + sin phi v) + r sin psi axis. */
typedef struct abut_torus {
    ia3 center, u, v, axis;
    ia major, minor;
} abut_torus;

/* In the angles of a torus: g[i][j] of (1, cos, sin)(phi) (1, cos, sin)(psi). */
typedef struct abut_torus_linear {
    ia g[3][3];
} abut_torus_linear;

typedef struct abut_torus_function {
    ia f[5][5];
} abut_torus_function;

/* Kernel. */
void abut_torus_of(const abut_placed *p, abut_torus *out);
ia3 abut_torus_point(const abut_torus *t, ia cos_phi, ia sin_phi, ia cos_psi, ia sin_psi);
/* Kernel. normal . x + offset on the torus, and |x - center|^2. */
void abut_torus_height(const abut_torus *t, ia3 normal, ia offset, abut_torus_linear *out);
void abut_torus_square(const abut_torus *t, ia3 center, abut_torus_linear *out);
/* Kernel. The other surface's implicit function on the torus. */
void abut_torus_function_of(const abut_torus *t, const abut_placed *other, abut_torus_function *out);
/* Kernel. Products of 1, cos, sin as sums of at most two of 1, cos, sin, cos 2, sin 2. */
int abut_torus_products(int i, int k, int at[2], double weight[2]);

#endif
