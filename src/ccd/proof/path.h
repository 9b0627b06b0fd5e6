/* SPDX-License-Identifier: MIT */
/* One smooth piece of a rigid motion as the advancing solvers see it: where the body is at a
 * time and how fast every point of it moves, in plain doubles with certified bounds of their
 * errors. Rounding is to nearest. */
#ifndef ABUT_CCD_PROOF_PATH_H
#define ABUT_CCD_PROOF_PATH_H

#include "math/vec3.h"
#include "motion/motion.h"

typedef enum abut_path_kind {
    ABUT_PATH_FIXED,  /* at rest */
    ABUT_PATH_STEADY, /* constant velocity and angular velocity: closed form */
    ABUT_PATH_ANY     /* by enclosures */
} abut_path_kind;

/* Turns that leave a body as it is: none, those about an axis of its frame, all. */
typedef enum abut_symmetry {
    ABUT_SYMMETRY_NONE,
    ABUT_SYMMETRY_X,
    ABUT_SYMMETRY_Y,
    ABUT_SYMMETRY_Z,
    ABUT_SYMMETRY_ALL
} abut_symmetry;

/* A point x of the body is at r x + c up to turn |x| + shift. It moves at dr x + v up to
 * turn_rate |x| + shift_rate: at the time asked for, and as far from there as was asked, where
 * that changes by no more than bend |x| per unit of time. */
typedef struct abut_stance {
    abut_mat3 r, dr;
    abut_vec3 c, v;
    double turn, shift, turn_rate, shift_rate;
    double bend; /* 0 where the rates hold over the whole of what was asked for */
    bool boxed;  /* what the rates are off by is known entry by entry, too: */
    abut_vec3 v_off;
    abut_mat3 dr_off;
    double speed; /* bound of the angular speed */
    double sine,
        /* of the angle of the place (the sine over the rate where slow), which the rates need
         * again */
        cosine;
} abut_stance;

typedef struct abut_path {
    abut_path_kind kind;
    /* the rotation does not change (or does not count), and the origin moves on a line at
     * constant velocity */
    bool translates;
    /* the rotation does not count, but for what rest.r is off by: a ball, or a body that turns
     * about its own axis */
    bool round;
    bool wobbles; /* it is the latter */
    bool rings;   /* m0, m1, m2 are there, whatever the kind */
    const abut_motion *motion;
    double lo, hi;    /* of the piece */
    abut_stance rest; /* FIXED: all of it; STEADY: what does not change */
    /* STEADY: with w = (t - t0) or its fraction of the duration */
    bool by_rate, turns, slow;
    double t0, t1, angle_rate, angle_slip; /* radians per w, and the relative error of that */
    double per_time;                       /* dw / dt */
    abut_vec3 spin, own_spin; /* angular velocity, in the world and in the body's frame: steers */
    double turn;              /* about what a rotation is off by: steers */
    abut_vec3 from, to, step;
    double from_size, step_size;
    const abut_mat3 *m0, *m1, *m2;
    double e0, e1, e2; /* Frobenius norms of their errors */
} abut_path;

/* The smooth piece that begins at lo and ends at hi or later. NULL is the identity. */
void abut_path_begin(const abut_motion *motion, double lo, double hi, abut_symmetry symmetry, abut_path *out);
/* Place only: r, c, turn, shift. False where the motion's enclosure is not finite. */
bool abut_path_place(const abut_path *path, double t, abut_stance *out);
/* Where the origin moves on a line at constant velocity for the rest of the piece: c, shift, v
 * and shift_rate, whatever the rotation does. */
bool abut_path_line(const abut_path *path, double t, abut_stance *out);
/* What R^T n is at any time of the piece, up to `off`: ring[0] + cos f ring[1] + sin f ring[2]
 * for some f. False where it is something else. */
bool abut_path_ring(const abut_path *path, abut_vec3 n, abut_vec3 ring[3], double *off);
/* Fills in the rates for all times between t and t + h (h of either sign) from a place at t. */
bool abut_path_rates(const abut_path *path, double t, double h, abut_stance *out);
/* What n . (the rate of any point x of the body with |x| <= size) is off by. */
double abut_stance_slack(const abut_stance *at, abut_vec3 n, double size);
#endif
