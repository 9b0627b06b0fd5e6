/* SPDX-License-Identifier: MIT */
/* Bodies swept by a translation, and the searches for the time of first contact that are built
 * on them. */
#ifndef ABUT_CCD_CAST_SWEEP_H
#define ABUT_CCD_CAST_SWEEP_H

#include "ccd/proof/instant.h"

/* K swept by v: all w + s v, 0 <= s <= 1. */
typedef struct abut_swept_pair {
    const abut_convex_pair *pair;
    abut_vec3 v;  /* in a's frame */
    double error; /* of a point of it */
    abut_sweep_form form;
} abut_swept_pair;

/* Where the first contact over [lo, hi] may be, for bodies that translate: a direction that
 * separates them until just before it. Steers only. */
bool abut_sweep_search(const abut_scene_pair *pair, abut_first_method method, double lo, double hi,
                       abut_counters *counters, abut_vec3 *n);

#endif
