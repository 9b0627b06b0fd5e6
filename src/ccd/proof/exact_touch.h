/* SPDX-License-Identifier: MIT */
/* Touches without overlap, which no enclosure of a gap proves: bodies that slide or roll on each
 * other, or graze. Where placements are exact, exact predicates do, and a proof at one instant
 * is as good as one over a stretch: the first contact is no later. */
#ifndef ABUT_CCD_PROOF_EXACT_TOUCH_H
#define ABUT_CCD_PROOF_EXACT_TOUCH_H

#include "narrow/pair/pair.h"

typedef struct abut_exact_touch {
    const abut_shape *a, *b;
    const abut_motion *motion_a, *motion_b;
} abut_exact_touch;

/* Their relation at t, as far as it is proved. */
abut_verdict abut_exact_touch_at(const abut_exact_touch *s, double t);
/* An early time within `time` at which they are proved to meet: not its beginning, unless
 * `at_begin`. False: none was found. */
bool abut_exact_touch_early(const abut_exact_touch *s, abut_interval time, bool at_begin, double *t);
/* The same for a late time. */
bool abut_exact_touch_late(const abut_exact_touch *s, abut_interval time, double *t);

#endif
