/* SPDX-License-Identifier: MIT */
/* A torus against a body that surface_ring.c takes; see surface_torus.c. */
#ifndef ABUT_NARROW_SURFACE_SURFACE_TORUS_H
#define ABUT_NARROW_SURFACE_SURFACE_TORUS_H

#include "narrow/surface/surface_ring.h"

/* Which of these pairs are apart (1), touch (0) or overlap (-1), exactly, where the placements
 * are known exactly and the pair is one of a ball; a half-space whose normal is exactly known; a
 * torus with a parallel axis; a box along whose axes the torus' axes are; otherwise
 * ABUT_SIGN_UNKNOWN. Rounding to nearest. */
int abut_torus_exact_sign(const abut_pair *pair);

/* An undecided pair whose distance is proved to be 0 meets: TOUCHING with proof TOLERANCE, as it may
 * also overlap. */
void abut_surface_judge_meeting(abut_check_result *out);

/* Verdict, distance, points and, where they touch, a contact. Rounding to nearest. */
void abut_torus_check(const abut_pair *pair, abut_check_result *out);

#endif
