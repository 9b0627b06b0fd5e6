/* SPDX-License-Identifier: MIT */
/* The relation of two ellipsoids, to hundreds of bits: the nearest and the furthest point of one in
 * the frame where the other is the unit ball, by the secular equation of the trust-region
 * problem (J. J. Moré, D. C. Sorensen, Computing a trust region step, 1983). No characteristic
 * polynomial. */
#ifndef ABUT_ORACLE_ELLIPSOID_PAIR_H
#define ABUT_ORACLE_ELLIPSOID_PAIR_H

#include "abut/ellipsoid.h"

typedef struct oracle_ellipsoids {
    bool separate, touching; /* neither: interiors meet */
    bool a_in_b, b_in_a;     /* both: equal */
    bool inner_touch;
    /* the squared distance from b's centre of the point of a nearest to it, in b's frame, less 1 */
    double apart;
} oracle_ellipsoids;

/* Bits: 640 where sizes are usual. What is within 2^-(bits / 2 - 64) of 1 is taken for 1. */
oracle_ellipsoids oracle_ellipsoid_relate(const abut_affine *a, const abut_affine *b, int bits);
/* 1: normal . x < offset for all of a and > offset for all of b. */
bool oracle_ellipsoid_parts(const abut_affine *a, const abut_affine *b, abut_vec3 normal, double offset,
                            int bits);
/* Sign of |L^-1 (p - c)|^2 - 1. */
int oracle_ellipsoid_side(const abut_affine *a, abut_vec3 p, int bits);
/* The map of an ellipsoid with these semi-axes where the pose has it, to that many bits; the
 * answers above for two of them. */
typedef struct oracle_posed {
    abut_vec3 radii;
    abut_pose pose;
} oracle_posed;
oracle_ellipsoids oracle_ellipsoid_relate_posed(const oracle_posed *a, const oracle_posed *b, int bits);
/* The distance of a point from the solid ellipsoid, 0 inside; rounded to long double. */
long double oracle_ellipsoid_distance(const abut_affine *a, abut_vec3 p, int bits);
void oracle_ellipsoid_free(void);

#endif
