/* SPDX-License-Identifier: MIT */
/* A line through a torus; see line_torus.c. */
#ifndef ABUT_NARROW_SURFACE_LINE_TORUS_H
#define ABUT_NARROW_SURFACE_LINE_TORUS_H

#include "narrow/ray/line.h"

typedef struct abut_torus_hits {
    int count;
    abut_line_end end[4]; /* ascending */
    bool touches[4];      /* a touch: the line is on the same side before and after */
    int start;            /* where the point t = 0 is: -1 inside, 0 on the boundary, 1 outside */
} abut_torus_hits;

/* False where the numbers are too far apart in size for the exact polynomial. */
bool abut_line_through_torus(const abut_shape *shape, const abut_line *line, abut_torus_hits *out);

#endif
