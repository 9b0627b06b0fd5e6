/* SPDX-License-Identifier: MIT */
/* A ball against a ball or a half-space over time: the solvers for one piece between the keys of
 * the motions. */
#ifndef ABUT_CCD_ELLIPSOID_MOVING_BALL_H
#define ABUT_CCD_ELLIPSOID_MOVING_BALL_H

#include "ccd/ellipsoid/short.h"
#include "ccd/proof/moving.h"

/* On [lo, hi] the sign of the gap is that of q, except that it is negative where `height` <= 0
 * (when there is a height): polynomials in t with exact coefficients. */
typedef struct abut_exact_piece {
    abut_short q[3];
    abut_short height[2];
    bool has_height;
} abut_exact_piece;

/* The same as the two functions below for balls where it is clear, at a small part of the cost;
 * false, and nothing reported, where it is not. *wanted is cleared when no more cells are
 * wanted. */
bool abut_moving_quick_piece(abut_moving *m, double lo, double hi, abut_runs *runs, bool *wanted);

/* Two spheres over one piece that both motions have on a line: the first contact, where it is
 * clear; false, and *out untouched, where not. */
bool abut_moving_quick_balls(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                             const abut_motion *motion_b, double lo, double hi, abut_first_result *out);

/* Balls of radii that sum up to `radii`, about origins on these lines, are apart over [lo, hi]:
 * by plain doubles, where that is clear. */
bool abut_moving_clearly_apart(const abut_motion_line *line_a, const abut_motion_line *line_b, double radii,
                               double lo, double hi);

/* Coefficients where both origins move on straight lines over the piece that begins at t and
 * ends at *until; false where they do not, or where exact arithmetic would leave its range. */
bool abut_moving_exact_piece(const abut_moving *m, double t, double *until, abut_exact_piece *out);
/* Cells over [lo, hi]; false when no more are wanted. */
bool abut_moving_solve_exact(abut_moving *m, const abut_exact_piece *piece, double lo, double hi,
                             abut_runs *runs);
bool abut_moving_solve_interval(abut_moving *m, double lo, double hi, abut_runs *runs);

#endif
