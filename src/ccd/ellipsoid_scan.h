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
/* Cells over [lo, hi], in which the greatest value of F rises (rising = 1) or falls (-1) throughout, so that there is one change at most; it is looked for near
 * `guess`. */
bool abut_ellipsoids_settle_change(abut_moving *m, const abut_ellipsoids *e, double lo, double hi, int rising,
                                   double guess, abut_runs *runs);
/* The same from F in Bernstein form, by subdivision. */
bool abut_ellipsoids_solve_patch(abut_moving *m, const abut_ellipsoids *e, const abut_patch *patch, double lo,
                                 double hi, abut_runs *runs);

#endif
