/* SPDX-License-Identifier: MIT */
/* Convex bodies of which one is translated along a line: see convex_line.c. */
#ifndef ABUT_CCD_PROOF_CONVEX_LINE_H
#define ABUT_CCD_PROOF_CONVEX_LINE_H

#include "ccd/proof/exact_touch.h"

typedef enum abut_convex_line {
    ABUT_LINE_NONE,  /* not known */
    ABUT_LINE_MOVES, /* the times at which they meet are one interval: between two of them there is no gap */
    ABUT_LINE_STILL  /* and that is all the time, or never */
} abut_convex_line;

abut_convex_line abut_convex_line_of(const abut_exact_touch *s, abut_interval time);

#endif
