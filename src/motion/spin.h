/* SPDX-License-Identifier: MIT */
/* A rotation about a fixed axis, as a function of a parameter u >= 0: R(u) = turn by phi(u)
 * about n, after R(0). phi(u) = rate u for constant angular velocity; for normalised linear
 * interpolation of quaternions the axis is fixed as well, and only the angle runs differently:
 * tan(phi / 2) = u sin(a) / (1 - u + u cos(a)), with a half the whole angle. */
#ifndef ABUT_MOTION_SPIN_H
#define ABUT_MOTION_SPIN_H

#include "motion/rotation.h"

typedef struct abut_spin {
    bool turns; /* false: the rotation is `start` for ever */
    bool slow;  /* the whole angle is below 2^-8, perhaps 0: see spin.c */
    /* u runs over [0, 1], as in normalised linear interpolation */
    bool rational;
    bool has_end;                     /* u runs over [0, 1], and `end` is the rotation at 1 */
    abut_interval rate, rate_sq;      /* angle for one unit of u, and its square */
    abut_interval half_sin, half_cos; /* of half the whole angle; half_sin / rate where slow */
    abut_interval_vec3 axis;          /* unit vector n; n times rate where slow */
    abut_interval_mat3 start, end;
    abut_interval_mat3 m1, m2; /* [axis]x start, [axis]x [axis]x start */
} abut_spin;

/* Kernels. */
/* From one stated rotation to another, the shorter way, for u in [0, 1]. */
void abut_spin_between(const abut_rotation *from, const abut_rotation *to, bool rational, abut_spin *out);
/* Turning at the given angular velocity for u in [0, duration]. */
void abut_spin_steady(const abut_rotation *rotation, abut_vec3 angular, double duration, abut_spin *out);
/* Turning about the axis, from the identity, by the angle u of either sign. */
void abut_spin_about(abut_vec3 axis, abut_spin *out);
void abut_spin_enclose(const abut_spin *spin, ia u, ia33 *out);
/* The derivative by u. */
void abut_spin_enclose_rate(const abut_spin *spin, ia u, ia33 *out);
/* d phi / du >= 0 over u. */
ia abut_spin_speed(const abut_spin *spin, ia u);

/* Plain doubles. */
void abut_spin_at(const abut_spin *spin, double u, abut_mat3 *out);
void abut_spin_rate_at(const abut_spin *spin, double u, abut_mat3 *out);

#endif
