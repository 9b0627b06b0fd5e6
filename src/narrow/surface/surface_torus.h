/* SPDX-License-Identifier: MIT */
/* A torus against a body that surface_ring.c takes; see surface_torus.c. */
#ifndef ABUT_NARROW_SURFACE_SURFACE_TORUS_H
#define ABUT_NARROW_SURFACE_SURFACE_TORUS_H

#include "narrow/surface/surface_ring.h"

/* An undecided pair whose distance is proved to be 0 meets: TOUCHING with proof TOLERANCE, as it may
 * also overlap. */
void abut_surface_judge_meeting(abut_check_result *out);

/* Verdict, distance, points and, where they touch, a contact. Rounding to nearest. */
void abut_torus_check(const abut_pair *pair, abut_check_result *out);

#endif
