/* SPDX-License-Identifier: MIT */
/* The function whose sign tells two ellipsoids apart, without inverses.
 *
 * An ellipsoid is the image of the unit ball under x -> M x + c. With d = c_b - c_a and S(u) = u
 * M_a M_a^T + (1 - u) M_b M_b^T,
 *     F(u) = u (1 - u) d^T adj(S(u)) d - det S(u),   0 <= u <= 1,
 * is det((u - 1) A - u B) of the 4 x 4 matrices of the two quadrics times det(M_a)^2 det(M_b)^2 >
 * 0: the ellipsoids are separate where F > 0 for some u, touch from outside where the greatest
 * value of F is 0, and have interior points in common where F < 0 for all u (Wang, Wang, Kim 2001;
 * Choi, Wang, Kim 2003). With the columns m of M and k of its cofactor matrix K (k_0 = m_1 x m_2,
 * ...) the coefficients of u^j (1 - u)^(4 - j) are differences of sums of squares, each of which is
 * found to a few ulp:
 *     j = 4   -det_a^2
 *     j = 3   |K_a^T d|^2 - det_a^2 - |K_a^T M_b|^2
 *     j = 2   |[d x M_a]^T M_b|^2 - |K_a^T M_b|^2 - |M_a^T K_b|^2
 *     j = 1   |K_b^T d|^2 - det_b^2 - |M_a^T K_b|^2
 *     j = 0   -det_b^2
 * (Frobenius norms). Derivation: docs/notes/ellipsoids-moving.md. Source of the method: Choi,
 * Chang, Wang, Kim, Elber, Continuous collision detection for ellipsoids. */
#ifndef ABUT_CCD_ELLIPSOID_ELLIPSOID_FORM_H
#define ABUT_CCD_ELLIPSOID_ELLIPSOID_FORM_H

#include "interval/ia3.h"
#include "motion/motion.h"
#include "narrow/ellipsoid/ellipsoid_place.h"
#include "shape/shape.h"

/* What stays while a query lasts. Lengths are multiplied by `unit`, and the coefficient of u^j
 * (1 - u)^(4 - j) by balance^j: powers of two, so that numbers stay in range and the greatest
 * value of F is not found crowded against an end. */
typedef struct abut_ellipsoids {
    abut_vec3 radii[2]; /* times unit */
    const abut_motion *motion[2];
    bool rigid[2];
    double unit, balance;
    /* where a polynomial is wanted with one of them held in an enclosure; NULL: by its motion */
    const abut_interval_affine *held[2];
} abut_ellipsoids;

/* One of the two where it is over a stretch of time, or how fast that changes. */
typedef struct abut_ellipsoid_jet {
    ia3 m[3], k[3], c;
    ia det;
} abut_ellipsoid_jet;

/* Coefficients in the Bernstein basis of degree 4 in u. */
typedef struct abut_quartic {
    ia c[5];
} abut_quartic;

/* Chooses unit and balance from the placements of a at t_a and b at t_b. */
abut_status abut_ellipsoids_set(const abut_shape *a, const abut_motion *motion_a, double t_a,
                                const abut_shape *b, const abut_motion *motion_b, double t_b,
                                abut_ellipsoids *out);
/* The same for the middles of the ranges, after checking the motions: ABUT_ERR_UNSUPPORTED where
 * one has no enclosures. Whether a placement is singular is left to
 * abut_ellipsoid_singular_within. */
abut_status abut_ellipsoids_prepare(const abut_shape *a, const abut_motion *motion_a, abut_interval range_a,
                                    const abut_shape *b, const abut_motion *motion_b, abut_interval range_b,
                                    abut_ellipsoids *out);

/* Chooses the balance so that F is greatest about the middle of u at t. Rounding to nearest. */
void abut_ellipsoids_rebalance(abut_ellipsoids *e, double t);

/* Kernels (see interval/ia.h). t within the motion's range; slope may be NULL. */
void abut_ellipsoid_over(const abut_ellipsoids *e, int which, ia t, abut_ellipsoid_jet *at,
                         abut_ellipsoid_jet *slope);
void abut_ellipsoids_form(const abut_ellipsoids *e, const abut_ellipsoid_jet *a, const abut_ellipsoid_jet *b,
                          abut_quartic *out);
/* The derivative while a changes by va and b by vb; NULL: it stays. */
void abut_ellipsoids_form_slope(const abut_ellipsoids *e, const abut_ellipsoid_jet *a,
                                const abut_ellipsoid_jet *b, const abut_ellipsoid_jet *va,
                                const abut_ellipsoid_jet *vb, abut_quartic *out);

/* ---- quartics ---- */

/* Where a polynomial with the Bernstein coefficients c of degree 4 is greatest on [0, 1], about.
 * Plain doubles. */
double abut_peak(const double c[5]);
/* The same of the middle of f. */
double abut_quartic_peak(const abut_quartic *f);
/* Kernels. */
ia abut_quartic_at(const abut_quartic *f, ia u);
/* The range over u, a few ulp and some more wide. */
ia abut_quartic_over(const abut_quartic *f, ia u);
/* A function of u and of `count` times near some middle ones: centre + slope[0] off[0] + ...,
 * where the slopes hold for all the times. */
typedef struct abut_quartic_terms {
    abut_quartic centre, slope[2];
    ia off[2];
    int count;
} abut_quartic_terms;

/* 1: positive at one u for all the times; -1: negative for all u and all the times; 0: not
 * known, and negative for all the times outside *cap. Of second order in the lengths of time
 * where the function is about zero and has no slope. */
int abut_quartic_decide(const abut_quartic_terms *f, ia *cap);
/* 1: positive somewhere, at `peak`; -1: negative everywhere; 0: not known. */
int abut_quartic_sign(const abut_quartic *f, double peak);
/* The exponent k for which the greatest value of f after abut_quartic_shift is not crowded
 * against an end. Plain doubles. */
int abut_quartic_centre(const abut_quartic *f);
/* Coefficient j times 2^(k j): up to a positive factor f at another u, with u' : 1 - u' = 2^-k u
 * : 1 - u. Signs over all u are the same, and a place near an end comes to the middle. */
void abut_quartic_shift(abut_quartic *f, int k);

#endif
