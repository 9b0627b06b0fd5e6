/* SPDX-License-Identifier: MIT */
/* The first contact of two bodies that turn at constant rates, where it is clear: found first,
 * proved afterwards. */
#ifndef ABUT_CCD_ADVANCE_TURN_FIRST_H
#define ABUT_CCD_ADVANCE_TURN_FIRST_H

#include "ccd/proof/moving.h"

/* Over `time` (NaN: the common range); false, and *out not to be used, where that is not clear,
 * or arguments are wrong. The time of contact is narrowed further while it is wider than
 * `accuracy`, at some cost. Needs rounding to nearest. */
bool abut_turn_first(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                     const abut_motion *motion_b, const abut_interval *time, double accuracy,
                     abut_first_result *out);

#endif
