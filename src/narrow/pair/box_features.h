/* SPDX-License-Identifier: MIT */
/* Numbers of a box's features: vertex = (x > 0) + 2 (y > 0) + 4 (z > 0); face = 2 axis +
 * (positive side); edge = 4 axis + the bits of the other two axes in order. */
#ifndef ABUT_NARROW_PAIR_BOX_FEATURES_H
#define ABUT_NARROW_PAIR_BOX_FEATURES_H

#include "abut/query.h"

/* The feature where the faces of the axes in `axes` (bits, not none) meet, on the sides given by
 * `positive`. */
static inline abut_feature abut_box_feature(int axes, const bool positive[3], int64_t *id)
{
    switch (axes) {
    case 1: *id = positive[0]; return ABUT_FEATURE_FACE;
    case 2: *id = 2 + positive[1]; return ABUT_FEATURE_FACE;
    case 4: *id = 4 + positive[2]; return ABUT_FEATURE_FACE;
    case 6: *id = positive[1] + 2 * positive[2]; return ABUT_FEATURE_EDGE;
    case 5: *id = 4 + positive[0] + 2 * positive[2]; return ABUT_FEATURE_EDGE;
    case 3: *id = 8 + positive[0] + 2 * positive[1]; return ABUT_FEATURE_EDGE;
    default: *id = positive[0] + 2 * positive[1] + 4 * positive[2]; return ABUT_FEATURE_VERTEX;
    }
}

#endif
