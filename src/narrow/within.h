/* SPDX-License-Identifier: MIT */
/* Touching within tolerance: one rule for all pairs and queries (within.c). */
#ifndef ABUT_NARROW_WITHIN_H
#define ABUT_NARROW_WITHIN_H

#include "narrow/pair_table.h"

/* How far apart bodies may be that touch within tolerance, as part of the size of the smaller one. */
#define ABUT_WITHIN 0x1p-30

/* The larger size of the smaller body's box at t; INFINITY where neither has an end, 0 where nothing is known. */
double abut_within_size(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                        const abut_motion *motion_b, double t);
/* Undecided bodies that near count as touching. `ask` and `convex`, whether their depth is bounded in *out:
 * of the search that *out comes from. */
void abut_within_judge(double size, const abut_ask *ask, bool convex, abut_check_result *out);
/* Whether a point inside of both is found in a few tries: one body inside the other, or the same twice. */
bool abut_within_shares(const abut_shape *a, const abut_stated *at_a, const abut_shape *b,
                        const abut_stated *at_b);

#endif
