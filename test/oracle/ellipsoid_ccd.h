/* SPDX-License-Identifier: MIT */
/* Referee for moving ellipsoids: how two images of the unit ball stand, in MPFR numbers of 320
 * bits (some 90 digits), without determinants or polynomials in u. Space is mapped so that a
 * becomes the unit ball about the origin; the point of b nearest to the origin comes from the
 * secular equation of its Lagrange multiplier; the gap is that point's distance from the origin
 * less 1. Placements are those of motion_mpfr.c. */
#ifndef ABUT_ORACLE_ELLIPSOID_CCD_H
#define ABUT_ORACLE_ELLIPSOID_CCD_H

#include "oracle/motion_mpfr.h"

typedef struct oracle_ellipsoid {
    abut_vec3 radii;
    const oracle_motion *motion; /* NULL: at rest at the origin */
} oracle_ellipsoid;

void oracle_ellipsoids_begin(void);
void oracle_ellipsoids_end(void);
/* The gap of a at s and b at t, in units of a: positive where they are apart, 0 where they
 * touch, negative where interiors meet (-1 where the centre of a is in b). Rounded to double:
 * its sign is right unless the gap is below 1e-80. */
double oracle_ellipsoids_gap(const oracle_ellipsoid *a, double s, const oracle_ellipsoid *b, double t);

#endif
