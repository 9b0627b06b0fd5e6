/* SPDX-License-Identifier: MIT */
/* The placement of one body in the frame of another, in doubles, and how far off that may be. */
#ifndef ABUT_BV_RELATIVE_H
#define ABUT_BV_RELATIVE_H

#include "abut/math.h"

/* A point p of b, no further from the origin of b's frame than the caller said when it made
 * this, is truly within `error` (in each coordinate of a's frame) of the computed r p + t,
 * whatever the order of the sums. r is a rotation to a few ulp. */
typedef struct abut_bv_relative {
    abut_mat3 r;
    abut_vec3 t;
    double error;
} abut_bv_relative;

/* Centre, axes (columns of a rotation, to a few ulp) and half sizes >= 0 of an oriented box. */
typedef struct abut_bv_box {
    abut_vec3 centre, half;
    abut_mat3 axes;
} abut_bv_box;

#endif
