/* SPDX-License-Identifier: MIT */
/* F(u, t) of two ellipsoids (ellipsoid_form.h) as a polynomial in u and time, in Bernstein form,
 * for motions that are polynomial or rational: `affine` to degree 5, `nlerp`, and everything
 * that moves on a line or not at all without turning. */
#ifndef ABUT_CCD_ELLIPSOID_ELLIPSOID_POLY_H
#define ABUT_CCD_ELLIPSOID_ELLIPSOID_POLY_H

#include "ccd/ellipsoid/ellipsoid_form.h"
#include "math/binomial.h"

enum { ABUT_PATCH_MOST = 30 };

/* Over u from u0 to u1 and the fraction of time from s0 to s1: coefficient of B_i(s) B_j(u) in
 * c[i][j], i up to `degree`, j up to 4. The polynomial is F times a positive function of s, up
 * to `error` everywhere on the patch. */
typedef struct abut_form_patch {
    double s0, s1, u0, u1, error;
    int degree;
    /* the placement of a, of b, is proved not to be singular over the whole time */
    bool regular[2];
    double c[ABUT_PATCH_MOST + 1][6]; /* the last of six is 0: rows are whole vectors */
} abut_form_patch;

/* Over all u and the time from lo to hi, where s = 0 and 1. False where the motions are not of
 * that kind. Rounding to nearest. */
bool abut_ellipsoids_patch(const abut_ellipsoids *e, double lo, double hi, abut_form_patch *out);
/* The same for a part of it, from coefficients of twice the digits: where the one above differs
 * from zero by no more than its error. */
bool abut_ellipsoids_patch_fine(const abut_ellipsoids *e, double lo, double hi, double s0, double s1,
                                double u0, double u1, abut_form_patch *out);

#endif
