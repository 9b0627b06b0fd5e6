/* SPDX-License-Identifier: MIT */
/* A torus against a body that surface_ring.c takes; see surface_torus.c. */
#ifndef ABUT_NARROW_SURFACE_SURFACE_TORUS_H
#define ABUT_NARROW_SURFACE_SURFACE_TORUS_H

#include "narrow/surface/surface_ring.h"

/* Which of these pairs stand apart (1), touch (0) or overlap (-1), exactly, where the placements
 * are known exactly and the pair is one of a ball; a half-space whose normal is exactly known; a
 * torus with a parallel axis; a box along whose axes the torus' axes are; otherwise
 * ABUT_SIGN_UNKNOWN. Rounding to nearest. */
int abut_torus_exact_sign(const abut_pair *pair);

/* An undecided pair that is no further apart than coordinates are exact touches, as far as
 * anyone can tell: TOUCHING with proof TOLERANCE; its distance stays what it is, and is [0, 0]
 * only where it is proved that they meet. `size` is that of the coordinates. */
void abut_surface_within_rounding(double size, abut_check_result *out);

/* Verdict, distance, points and, where they touch, a contact. Rounding to nearest. */
void abut_torus_check(const abut_pair *pair, abut_check_result *out);

#endif
