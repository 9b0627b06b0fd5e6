/* SPDX-License-Identifier: MIT */
/* The first contact of balls and capsules with each other, and of balls with boxes, that turn at
 * constant rates, where it is clear. */
#ifndef ABUT_CCD_ADVANCE_TURN_ROUND_H
#define ABUT_CCD_ADVANCE_TURN_ROUND_H

#include "ccd/proof/moving.h"

/* Points and segments with balls; a point with a ball and a box. Not two points. */
bool abut_turn_round_knows(const abut_core *a, const abut_core *b);
/* As abut_turn_first, for a range within that of both motions, which are straight
 * (motion->track). */
bool abut_turn_round(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                     const abut_motion *motion_b, double lo, double hi, double accuracy,
                     abut_first_result *out);

#endif
