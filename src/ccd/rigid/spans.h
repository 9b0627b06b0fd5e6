/* SPDX-License-Identifier: MIT */
/* Sets of stretches of time, disjoint and ascending. */
#ifndef ABUT_CCD_RIGID_SPANS_H
#define ABUT_CCD_RIGID_SPANS_H

#include "base/memory.h"

typedef struct abut_time_span {
    double lo, hi;
    bool certain; /* there is contact somewhere in it */
} abut_time_span;

typedef struct abut_spans {
    abut_allocator alloc;
    ABUT_ARRAY(abut_time_span) list;
} abut_spans;

/* Joins what it meets; false when memory is out. */
bool abut_spans_add(abut_spans *spans, abut_time_span add);
/* The span that holds t, or the first one after it; NULL where there is none. */
const abut_time_span *abut_spans_at(const abut_spans *spans, double t);

#endif
