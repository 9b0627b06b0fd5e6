/* SPDX-License-Identifier: MIT */
/* The first contact of two bodies that translate, where it is clear, straight from what the
 * motions keep ready: no walk, no cells. */
#ifndef ABUT_CCD_QUICK_FIRST_H
#define ABUT_CCD_QUICK_FIRST_H

#include "ccd/proof/moving.h"

/* Answers a query for one contact by the fastest way, over `time` (NaN: the common range);
 * false, and *out untouched, where that is not clear, or arguments are wrong. Needs rounding to
 * nearest. */
bool abut_quick_first(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                      const abut_motion *motion_b, const abut_interval *time, abut_first_result *out);

#endif
