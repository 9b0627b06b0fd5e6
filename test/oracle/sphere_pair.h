/* SPDX-License-Identifier: MIT */
/* Referee for a sphere against sphere, box, capsule, half-space: the signed gap by MPFR from
 * homogeneous formulas (everything times |q|^2, so that rotations need no division), with as
 * many bits as it takes. The sign is exact: near contact it comes from a polynomial computed
 * without a single rounding, which MPFR's inexact flag confirms. */
#ifndef ABUT_ORACLE_SPHERE_PAIR_H
#define ABUT_ORACLE_SPHERE_PAIR_H

#include "abut/math.h"

#include <mpfr.h>

typedef enum oracle_kind {
    ORACLE_SPHERE,
    ORACLE_BOX,
    ORACLE_CAPSULE,
    ORACLE_HALFSPACE,
    ORACLE_KIND_COUNT
} oracle_kind;

typedef struct oracle_pair {
    oracle_kind kind;
    double radius;    /* of the sphere */
    abut_vec3 centre; /* of the sphere */
    abut_pose pose;   /* of the other */
    abut_vec3 half;   /* box */
    double other_radius, height;
    abut_vec3 normal; /* half-space */
    double offset;
} oracle_pair;

/* Returns the exact sign of the gap; `gap` receives its value with a relative error below
 * 2^-200. */
int oracle_sphere_gap(const oracle_pair *pair, mpfr_t gap);

#endif
