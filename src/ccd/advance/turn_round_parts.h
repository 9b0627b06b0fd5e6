/* SPDX-License-Identifier: MIT */
/* What turn_round.c is made of: two bodies that turn at constant rates as seen at one time, and
 * bounds of their gap around it; derivations in docs/notes/advancement.md. u = 2^-53. */
#ifndef ABUT_CCD_ADVANCE_TURN_ROUND_PARTS_H
#define ABUT_CCD_ADVANCE_TURN_ROUND_PARTS_H

#include "abut/query.h"
#include "math/vec3.h"
#include "motion/motion.h"
#include "shape/core.h"

/* Lanes: bodies a and b. */
typedef double abut_round_lanes __attribute__((vector_size(16)));

typedef struct abut_round_column {
    abut_round_lanes x, y, z;
} abut_round_column;

/* How a body turns: R = m0 + s m1 + v m2, as in path.c, with w = (t - t0) per_time. */
typedef struct abut_round_arm {
    const abut_mat3 *m0, *m1, *m2;
    double t0, per_time, rate, scale; /* radians per w; of R' = scale (c m1 + s m2) */
    bool turns, slow;
    double turn[3]; /* R is off by turn[0] + w turn[1] + w^2 turn[2] */
    double drag[2]; /* R' by speed (that + 16 u) + drag[0] + w drag[1] */
    double speed;   /* bound of the angular speed */
    abut_vec3 spin; /* angular velocity, in the world */
    double blur;    /* what that is off by */
} abut_round_arm;

typedef struct abut_turn_round_pair {
    const abut_core *a, *b;
    const abut_core *box; /* the other is a point; NULL: two segments, or a segment and a point */
    bool box_is_a;
    double lo, hi, from; /* from: balls around the bodies are apart until then */
    /* Between the origins, of a box from it to the point: d + (t - lo) v, off by shift + (t -
     * lo) drift and u of itself. */
    abut_vec3 d, v;
    double shift, drift, fast; /* fast: sum of the speeds of both */
    abut_vec3 start, rate;     /* of a's origin at lo */
    abut_round_arm arms[2];
    bool slow; /* one of the arms is */
    abut_round_lanes t0, per_time, angle_rate, scale;
    abut_round_column axis[3];  /* third columns of m0, m1, m2 */
    abut_vec3 spin;             /* of the box, in its frame */
    double radii, sizes, swift; /* swift: bound of the speed of any two points */
    /* how small what is left to second order must be, in errors: steers */
    double keen;
    abut_counters counters;
} abut_turn_round_pair;

/* The bodies at one time; of a box in its frame. */
typedef struct abut_round_view {
    double t, gap, length, closing; /* length: of the cores */
    abut_vec3 d, v;                 /* between the origins, and its rate */
    /* of the nearest points; its rate when they stay where they are in the bodies */
    abut_vec3 between, rate;
    abut_vec3 n;             /* unit vector along it, once a bound was made */
    double turn[2], drag[2]; /* what rotations and their rates are off by */
    double z[2];             /* segments: where the nearest points are */
    abut_vec3 axis[2], axis_rate[2];
    abut_vec3 foot; /* box: its nearest point */
    abut_mat3 r;
} abut_round_view;

/* s later (earlier where s < 0) the gap has the sign of something not smaller than
 *     k0 + k1 s - sum h |at + s rate| - (bend + twist |s|) s^2 / 2 - (e0 + e1 |s|),
 * a concave function of s: where it is positive at two places, it is so between them. */
typedef struct abut_round_bound {
    double k0, k1, h[3], at[3], rate[3], bend, twist, e0, e1;
} abut_round_bound;

static inline double abut_round_bound_at(const abut_round_bound *f, double s)
{
    const double r = fabs(s);
    const double sum = f->h[0] * fabs(f->at[0] + s * f->rate[0]) + f->h[1] * fabs(f->at[1] + s * f->rate[1]) +
                       f->h[2] * fabs(f->at[2] + s * f->rate[2]);
    return (f->k0 + s * f->k1) - (f->e0 + r * f->e1) - 0.5 * (f->bend + f->twist * r) * (s * s) - sum;
}

/* The distance, less the radii, of the points nearest at a view, s later, is at most
 *     k - closing s + bend s^2 / 2 + e |s|:
 * where that is negative the bodies overlap. */
typedef struct abut_round_over {
    double k, closing, bend, e;
} abut_round_over;

static inline double abut_round_over_at(const abut_round_over *f, double s)
{
    return f->k - s * f->closing + 0.5 * f->bend * (s * s) + f->e * fabs(s);
}

static inline double abut_round_norm1(abut_vec3 a)
{
    return fabs(a.x) + fabs(a.y) + fabs(a.z);
}

/* All but `from` and `keen`; false where motions turn otherwise, are not known well enough, or
 * sizes are extreme. */
bool abut_round_begin(const abut_core *a, const abut_motion *motion_a, const abut_core *b,
                      const abut_motion *motion_b, double lo, double hi, abut_turn_round_pair *out);
/* False where the cores meet. */
bool abut_turn_round_distance(abut_turn_round_pair *w, double t, abut_round_view *out);
void abut_round_make_bound(const abut_turn_round_pair *w, abut_round_view *g, abut_round_bound *out);
abut_round_over abut_round_make_over(const abut_turn_round_pair *w, const abut_round_view *g);

#endif
