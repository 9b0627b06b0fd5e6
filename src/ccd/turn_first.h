/* SPDX-License-Identifier: MIT */
/* The first contact of two bodies that turn at constant rates, where it is clear: found first, proved afterwards. */
#ifndef ABUT_CCD_TURN_FIRST_H
#define ABUT_CCD_TURN_FIRST_H

#include "ccd/moving.h"

/* Answers a query for one contact over the common range of both motions; false, and *out untouched, where that is not clear, or this is not the way for such bodies and
 * motions. Needs rounding to nearest. */
bool abut_turn_first(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                     const abut_motion *motion_b, abut_first_result *out);

#endif
