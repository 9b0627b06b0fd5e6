/* SPDX-License-Identifier: MIT */
/* Bodies that turn many times: how long they are apart whatever their angles are. */
#ifndef ABUT_CCD_ADVANCE_FULL_TURN_H
#define ABUT_CCD_ADVANCE_FULL_TURN_H

#include "ccd/proof/instant.h"

/* As abut_instant_clear, along a unit vector n (over a half-space that of the instant) with each
 * body swept through a whole turn about its axis: 0 where those meet, where a body does not turn
 * about a fixed axis, or where a half-space turns. */
double abut_full_turn_clear(const abut_scene_pair *pair, const abut_instant *at, abut_vec3 n, double room,
                            abut_counters *counters);

#endif
