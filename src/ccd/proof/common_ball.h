/* SPDX-License-Identifier: MIT */
/* Overlaps that last, by a point of each body: balls about both lie in the bodies, and the bodies
 * overlap while these balls do. Only how fast the points move counts, not how far the bodies
 * reach: a long body that turns moves fast at its far end, and slowly where the other one is. */
#ifndef ABUT_CCD_PROOF_COMMON_BALL_H
#define ABUT_CCD_PROOF_COMMON_BALL_H

#include "ccd/proof/instant.h"

typedef struct abut_common_ball {
    abut_vec3 a, b; /* the centres, each in the frame of its body */
    /* certified, at the instant: the radii of both balls, less the distance of their centres */
    double overlap;
} abut_common_ball;

/* Two cores that overlap at that instant, whose rates are known. False where no such balls are
 * found, or where their centres are hardly slower than `speed`. */
bool abut_common_ball_find(const abut_scene_pair *pair, const abut_instant *at, double speed,
                           abut_common_ball *out);
/* How long the balls overlap, either way in time, as far as the rates hold: `reach`, which is also
 * the most. */
double abut_common_ball_lasts(const abut_common_ball *ball, const abut_instant *at, double reach);

#endif
