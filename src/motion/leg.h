/* SPDX-License-Identifier: MIT */
/* One smooth rigid piece of motion between two times: the whole of `linear`, `velocity`, `screw`
 * and `nlerp`, and one segment of `keyframes`. The parameter u is (t - t0) / (t1 - t0), or t -
 * t0 for `velocity`. */
#ifndef ABUT_MOTION_LEG_H
#define ABUT_MOTION_LEG_H

#include "motion/screw.h"
#include "motion/spin.h"

typedef struct abut_leg {
    double t0, t1;
    abut_vec3 from, to; /* `to` is not used by velocity */
    abut_vec3 rate;     /* velocity of the origin; rounded except for velocity */
    bool by_rate;       /* velocity */
    bool screws;        /* the origin follows `screw`, else a straight line */
    /* Middles of spin.start, and of m1 and m2 where it turns, and Frobenius norms of what they
     * may be off by: for solvers that place it many times. */
    abut_mat3 middle[3];
    double off[3];
    abut_spin spin;
    abut_screw screw;
} abut_leg;

typedef enum abut_leg_kind { ABUT_LEG_LINEAR, ABUT_LEG_SCREW, ABUT_LEG_NLERP } abut_leg_kind;

/* Checks everything but the placements' own validity, and fills the leg. `index` goes into
 * errors. */
abut_status abut_leg_join(abut_leg_kind kind, double t0, double t1, const abut_placement *from,
                          const abut_placement *to, int64_t index, abut_leg *out, abut_error *error);
abut_status abut_leg_steady(double t0, double t1, const abut_placement *start, abut_vec3 linear,
                            abut_vec3 angular, abut_leg *out, abut_error *error);

void abut_leg_at(const abut_leg *leg, double t, abut_affine *out);
void abut_leg_velocity_at(const abut_leg *leg, double t, abut_affine *out);
/* Kernels; t in [t0, t1]. */
void abut_leg_enclose(const abut_leg *leg, ia t, ia_affine *out);
void abut_leg_enclose_velocity(const abut_leg *leg, ia t, ia_affine *out);
double abut_leg_angular_speed(const abut_leg *leg, ia t);
bool abut_leg_line(const abut_leg *leg, abut_motion_line *out);
/* *out is zeroed on entry. */
void abut_leg_track(const abut_leg *leg, abut_motion_track *out);

/* t0 and t1 finite, t0 < t1, and so that t1 - t0 does not overflow. */
abut_status abut_motion_check_range(double t0, double t1, int64_t index, abut_error *error);
/* Kernel: (t - t0) / (t1 - t0) for t in [t0, t1]; exactly 0 at t0 and 1 at t1. */
ia abut_motion_fraction(double t0, double t1, ia t);

#endif
