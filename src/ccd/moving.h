/* SPDX-License-Identifier: MIT */
/* A ball against a ball or a half-space over time: the question, and the two solvers that walk through its time range. Both report cells
 * to abut_runs_add, from left to right. */
#ifndef ABUT_CCD_MOVING_H
#define ABUT_CCD_MOVING_H

#include "ccd/runs.h"
#include "ccd/short.h"
#include "motion/motion.h"
#include "narrow/pair.h"

/* Where they touch first, as a solver saw it on its way. */
typedef struct abut_touch {
    bool known;
    double t;
    abut_vec3 point, normal; /* in the world; from a to b */
    abut_feature features[2];
} abut_touch;

typedef struct abut_moving {
    const abut_shape *a, *b;
    const abut_motion *motion_a, *motion_b; /* NULL: at rest at the origin */
    abut_interval range;
    double accuracy;
    abut_first_method method;
    uint64_t max_iterations;
    abut_progress_fn progress;
    void *progress_ctx;
    abut_counters *counters;
    abut_stop stop; /* set when it is not DONE */
    bool cancelled;
    bool inexact;     /* some of it was done by intervals */
    bool wants_first; /* the first contact is wanted, not all intervals */
    bool first_only;  /* nothing is wanted after the begin of the first contact */
    abut_touch touch;
} abut_moving;

/* On [lo, hi] the sign of the gap is that of q, except that it is negative where `height` <= 0 (when there is a height): polynomials in t
 * with exact coefficients. */
typedef struct abut_exact_piece {
    abut_short q[3];
    abut_short height[2];
    bool has_height;
} abut_exact_piece;

/* The same as the two functions below for balls where it is clear, at a small part of the cost; false, and nothing reported, where it is not.
 * *wanted is cleared when no more cells are wanted. */
bool abut_moving_quick_piece(abut_moving *m, double lo, double hi, abut_runs *runs, bool *wanted);

/* Two spheres over one piece that both motions have on a line: the first contact, where it is clear; false, and *out untouched, where not. */
bool abut_moving_quick_balls(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                             const abut_motion *motion_b, double lo, double hi, abut_first_result *out);

/* Balls of radii that sum up to `radii`, about origins on these lines, are apart over [lo, hi]: by plain doubles, where that is clear. */
bool abut_moving_clearly_apart(const abut_motion_line *line_a, const abut_motion_line *line_b, double radii,
                               double lo, double hi);

/* Coefficients where both origins move on straight lines over the piece that begins at t and ends at *until; false where they do
 * not, or where exact arithmetic would leave its range. */
bool abut_moving_exact_piece(const abut_moving *m, double t, double *until, abut_exact_piece *out);
/* Cells over [lo, hi]; false when no more are wanted. */
bool abut_moving_solve_exact(abut_moving *m, const abut_exact_piece *piece, double lo, double hi,
                             abut_runs *runs);
bool abut_moving_solve_interval(abut_moving *m, double lo, double hi, abut_runs *runs);

/* Exact or interval sign of the gap at an instant, from the static method; ABUT_SIGN_UNKNOWN where it is undecided. */
int abut_moving_sign_at(const abut_moving *m, double t);

/* Walks through the whole range. */
abut_status abut_moving_scan(abut_moving *m, abut_run_fn emit, void *ctx);
/* The same in one step for two bodies at rest, of any types that have a static method. */
abut_status abut_still_scan(abut_moving *m, abut_run_fn emit, void *ctx);

/* advance.c: any two bodies with cores, or one over a half-space (b). */
abut_status abut_advance_scan(abut_moving *m, abut_run_fn emit, void *ctx);
/* field_scan.c: a height field (a) and a body with a core (b). */
abut_status abut_field_scan(abut_moving *m, abut_run_fn emit, void *ctx);
/* ellipsoid_scan.c: two ellipsoids or spheres, under motions that need not be rigid. */
abut_status abut_ellipsoids_scan(abut_moving *m, abut_run_fn emit, void *ctx);
/* Rigid, and with enclosures over the whole range. */
abut_status abut_moving_check(const abut_moving *m);

#endif
