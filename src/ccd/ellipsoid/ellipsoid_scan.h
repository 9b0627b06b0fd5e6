/* SPDX-License-Identifier: MIT */
/* Two moving ellipsoids: what the solvers in ellipsoid_*.c share. */
#ifndef ABUT_CCD_ELLIPSOID_ELLIPSOID_SCAN_H
#define ABUT_CCD_ELLIPSOID_ELLIPSOID_SCAN_H

#include "ccd/ellipsoid/ellipsoid_poly.h"
#include "ccd/proof/moving.h"

/* Point and normal (unit, from a to b) where they touch at t, in doubles; rounding to nearest. */
bool abut_ellipsoids_touch(const abut_ellipsoids *e, double t, abut_vec3 *point, abut_vec3 *normal);
/* Cells over [lo, hi], where both motions are smooth, from enclosures of F and its derivative;
 * false when no more are wanted. */
bool abut_ellipsoids_solve_interval(abut_moving *m, const abut_ellipsoids *e, double lo, double hi,
                                    abut_runs *runs);
/* A stretch from lo to hi over which the greatest value of F rises (rising = 1) or falls (-1),
 * so that there is one change at most. Up to `left` its sign is proved to be -rising, from
 * `right` on to be rising; either may be missing. touch: they are proved to touch at lo (-1) or
 * at hi (1). */
typedef struct abut_change {
    int rising, touch;
    double lo, hi, left, right;
    bool has_left, has_right;
} abut_change;

static inline void abut_change_learn(abut_change *c, double t, int sign)
{
    if (sign == -c->rising && !(c->has_left && c->left >= t)) {
        c->has_left = true;
        c->left = t;
    } else if (sign == c->rising && !(c->has_right && c->right <= t)) {
        c->has_right = true;
        c->right = t;
    }
}

/* How far the change is still open. */
static inline double abut_change_width(const abut_change *c)
{
    return c->touch ? 0 : (c->has_right ? c->right : c->hi) - (c->has_left ? c->left : c->lo);
}

/* 1 apart, 0 touching, -1 overlapping, by exact arithmetic; ABUT_SIGN_UNKNOWN where the
 * placements are not known exactly. */
int abut_ellipsoids_exact_sign(const abut_moving *m, double t);
/* Exact signs at the ends of the whole range, where a touch tells much. */
void abut_ellipsoids_learn_ends(const abut_moving *m, abut_change *change);
/* Brings left and right together by examining single times near `guess`, which is expected to
 * be off by less than `reach`; 0: not known. */
void abut_ellipsoids_narrow(abut_moving *m, const abut_ellipsoids *e, abut_change *change, double guess,
                            double reach);
/* Its cells; false when no more are wanted. */
bool abut_ellipsoids_hand_on(abut_moving *m, const abut_change *change, abut_runs *runs);

#endif
