/* SPDX-License-Identifier: MIT */
/* Points, segments and flat polygons that pass through each other: contacts of one instant,
 * which neither overlap nor an exact placement proves. */
#ifndef ABUT_CCD_PROOF_CROSSING_H
#define ABUT_CCD_PROOF_CROSSING_H

#include "ccd/proof/exact_touch.h"

typedef struct abut_crossing {
    abut_interval time;
    abut_vec3 point, normal; /* unit, from a to b */
    abut_feature features[2];
} abut_crossing;

/* Whether they are two such bodies without a margin, with few corners. */
bool abut_crossing_knows(const abut_exact_touch *s);
/* Proves that they meet around `time`, before which they are known to be apart; within `range`. */
bool abut_crossing_find(const abut_exact_touch *s, abut_interval time, abut_interval range,
                        abut_crossing *out);

#endif
