/* SPDX-License-Identifier: MIT */
/* A torus against a body that surface_ring.c takes; see surface_torus.c. */
#ifndef ABUT_NARROW_SURFACE_SURFACE_TORUS_H
#define ABUT_NARROW_SURFACE_SURFACE_TORUS_H

#include "narrow/surface/surface_ring.h"

/* Verdict, distance, points and, where they touch, a contact. Rounding to nearest. */
void abut_torus_check(const abut_pair *pair, abut_check_result *out);

#endif
