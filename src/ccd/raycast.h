/* SPDX-License-Identifier: MIT */
/* Two convex bodies of which neither turns: the first contact by one ray against their difference. */
#ifndef ABUT_CCD_RAYCAST_H
#define ABUT_CCD_RAYCAST_H

#include "ccd/sight.h"

typedef enum abut_raycast_end {
    ABUT_RAYCAST_UNSURE, /* nothing proved: take the long way */
    ABUT_RAYCAST_MISS,   /* apart over the whole piece */
    ABUT_RAYCAST_HIT     /* apart until hit.lo, overlapping at hit.hi */
} abut_raycast_end;

/* Over [lo, hi], a smooth piece of both paths. *at: the bodies at the hit, but for its sign. */
abut_raycast_end abut_raycast(const abut_scene_pair *pair, double lo, double hi, abut_counters *counters,
                              abut_interval *hit, abut_sight *at);

#endif
