/* SPDX-License-Identifier: MIT */
/* The signed gap of boxes, capsules, balls, half-spaces and round bodies in MPFR, from formulas
 * of its own: brute force over vertices, edges and axes. */
#ifndef ABUT_ORACLE_CLOSED_PAIR_H
#define ABUT_ORACLE_CLOSED_PAIR_H

#include "abut/math.h"

#include <mpfr.h>

/* A box with extents that may be 0, swept by a ball: box, capsule (0, 0, h), ball (0, 0, 0). */
typedef struct oracle_box {
    double half[3], radius;
    abut_pose pose;
} oracle_box;

typedef enum oracle_round {
    ORACLE_ROUND_BOX,
    ORACLE_ROUND_CYLINDER,
    ORACLE_ROUND_CONE,
    ORACLE_ROUND_ELLIPSOID
} oracle_round;

enum { ORACLE_PRECISION = 640 };

/* Positive: the distance; negative: minus the least translation that parts them. Good to 2^-500
 * of the sizes; `gap` is initialised. */
void oracle_box_gap(const oracle_box *a, const oracle_box *b, mpfr_t gap);
/* A body of the given kind and half sizes (radius twice and half height for cylinders and cones)
 * against the points with normal . x <= offset. */
void oracle_plane_gap(oracle_round kind, const oracle_box *body, const abut_pose *pose, abut_vec3 normal,
                      double offset, mpfr_t gap);
/* A ball of that radius at a point against a cylinder or a cone. */
void oracle_ball_round_gap(double radius, abut_vec3 centre, oracle_round kind, const oracle_box *body,
                           mpfr_t gap);

#endif
