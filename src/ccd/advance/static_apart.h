/* SPDX-License-Identifier: MIT */
/* Stretches of separation of bodies that have a static method; see static_apart.c. */
#ifndef ABUT_CCD_ADVANCE_STATIC_APART_H
#define ABUT_CCD_ADVANCE_STATIC_APART_H

#include "ccd/proof/moving.h"

struct abut_cover_cache;

/* Bodies that are apart at t: are they proved to be so until that other time, which may be earlier? reach:
 * how far points of one may move in the frame of the other; budget: pairs of cells. */
abut_status abut_static_stays_apart(const abut_moving *m, struct abut_cover_cache *cover, double t,
                                    double until, double reach, uint64_t budget, bool *apart);
/* How fast two near points approach along the normal, which leads from a to b; in doubles, a guess. */
double abut_static_closing(const abut_moving *m, double t, abut_vec3 point_a, abut_vec3 point_b,
                           abut_vec3 normal);

/* Until when bodies that touch at the start, at most, are proved to be apart after it; the start where nothing is
 * proved (static_part.c). reach: of the bodies from their origins. */
double abut_static_parts_until(const abut_moving *m, const double reach[2]);

#endif
