/* SPDX-License-Identifier: MIT */
/* Surfaces in exact dyadic coordinates, where their poses allow it: turned by identity, half and
 * quarter turns about the axes and third turns about the diagonals, which permute coordinates. */
#ifndef ABUT_INTERSECT_EXACT_H
#define ABUT_INTERSECT_EXACT_H

#include "intersect/loops.h"
#include "intersect/number.h"
#include "intersect/ruled.h"

typedef struct abut_exact_surface {
    bool known;
    abut_number point[3], axis[3]; /* relative to the origin; the axis as it is given */
} abut_exact_surface;

/* Places a surface exactly. `known` is false where the pose is no such turn, or numbers are too long. */
void abut_exact_place(const abut_solid_surface *s, const abut_pose *pose, abut_vec3 origin,
                      abut_exact_surface *out);
/* The matrix of a sphere, cylinder, cone or quadric, up to a positive factor; false where numbers
 * are too long. */
bool abut_exact_matrix(const abut_solid_surface *s, const abut_pose *pose, abut_vec3 origin,
                       const abut_exact_surface *placed, abut_number m[4][4]);

/* Signs; 2 where numbers are too long. */
bool abut_exact_parallel(const abut_number a[3], const abut_number b[3]);
void abut_exact_dot(const abut_number a[3], const abut_number b[3], abut_number *out);
/* Kernel. */
ia abut_exact_enclose(const abut_number *a);

/* The axis of coordinates that the surface's axis is along; -1 for none. */
static inline int abut_exact_axis(const abut_exact_surface *s)
{
    int k = -1;
    for (int i = 0; i < 3; ++i)
        if (abut_number_sign(&s->axis[i]) != 0)
            k = k < 0 ? i : 3;
    return k > 2 ? -1 : k;
}

/* ---- forms of (u0 : u1) of degree 4 at most, with exact coefficients of u0^(n-i) u1^i ---- */

typedef struct abut_exact_form {
    int degree;
    abut_number c[5];
} abut_exact_form;

void abut_form_reset(abut_exact_form *f, int degree);
/* sum += factor value; out += factor x y */
void abut_form_add(abut_number *sum, const abut_number *value, double factor);
void abut_form_add_product(abut_exact_form *out, const abut_exact_form *x, const abut_exact_form *y,
                           double factor);
bool abut_form_is_zero(const abut_exact_form *f);
bool abut_form_is_bad(const abut_exact_form *f);
/* As abut_ruled_cuts, and whether the form is 0 everywhere or not at the cuts. */
void abut_form_cuts(const abut_exact_form *f, int sign[2]);
bool abut_form_clear(const abut_exact_form *f);
/* The distinct real roots of a form that is not 0 at the cuts; -1 where they are not separated. */
int abut_form_roots(const abut_exact_form *f, abut_ruled_event *out);

#endif
