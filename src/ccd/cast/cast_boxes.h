/* SPDX-License-Identifier: MIT */
/* What the axes of two boxes say about when they meet (cast_boxes.c), and the two ways to have
 * them say it. */
#ifndef ABUT_CCD_CAST_CAST_BOXES_H
#define ABUT_CCD_CAST_CAST_BOXES_H

#include "ccd/cast/linear_cast.h"

/* What all axes say. */
typedef struct abut_linear_cast_times {
    double clear, in, out, parted;
    int axis; /* that gave `clear`; -1: none */
} abut_linear_cast_times;

/* True when the axes prove a miss over a stretch of that length. */
bool abut_linear_cast_axes_avx2(const abut_linear_cast *cast, double most, abut_linear_cast_times *out);

#endif
