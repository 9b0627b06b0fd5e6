/* SPDX-License-Identifier: MIT */
/* Referee for a ball on a line against a ball on a line or a plane at rest: the contact interval
 * in closed form, by MPFR with as many bits as make the coefficients and the discriminant exact
 * (its inexact flag confirms it). */
#ifndef ABUT_ORACLE_MOVING_PAIR_H
#define ABUT_ORACLE_MOVING_PAIR_H

#include "abut/math.h"

#include <mpfr.h>

/* from + (t - t0) / (t1 - t0) (to - from), or from + (t - t0) rate when by_rate. */
typedef struct oracle_path {
    double t0, t1;
    abut_vec3 from, to, rate;
    bool by_rate;
} oracle_path;

typedef struct oracle_contact {
    int count;  /* 0: none in the range; 1: one instant; 2: from enter to exit */
    int start;  /* sign of the gap at the start of the range */
    bool graze; /* the quadratic has a double root */
    mpfr_t enter, exit;
} oracle_contact;

/* other_radius < 0: a plane normal . x = offset, with the half-space below it, in place of b. */
void oracle_moving_contact(const oracle_path *a, double radius, const oracle_path *b, double other_radius,
                           abut_vec3 normal, double offset, double lo, double hi, oracle_contact *out);

#endif
