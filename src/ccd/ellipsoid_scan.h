/* SPDX-License-Identifier: MIT */
/* Two moving ellipsoids: what the solvers in ellipsoid_*.c share. */
#ifndef ABUT_CCD_ELLIPSOID_SCAN_H
#define ABUT_CCD_ELLIPSOID_SCAN_H

#include "ccd/ellipsoid_poly.h"
#include "ccd/moving.h"

/* Point and normal (unit, from a to b) where they touch at t, in doubles; rounding to nearest. */
bool abut_ellipsoids_touch(const abut_ellipsoids *e, double t, abut_vec3 *point, abut_vec3 *normal);
/* Cells over [lo, hi], where both motions are smooth, from enclosures of F and its derivative; false when no more are wanted. */
bool abut_ellipsoids_solve_interval(abut_moving *m, const abut_ellipsoids *e, double lo, double hi,
                                    abut_runs *runs);
/* The greatest value of F rises (rising = 1) or falls (-1) from lo to hi, so that there is one change at most; first and last: its signs there, 0 where they are
 * not known. */
typedef struct abut_change {
    int rising, first, last;
    double lo, hi;
} abut_change;

/* Cells over such a stretch; the change is looked for near `guess`. */
bool abut_ellipsoids_settle_change(abut_moving *m, const abut_ellipsoids *e, const abut_change *change,
                                   double guess, abut_runs *runs);

#endif
