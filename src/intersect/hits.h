/* SPDX-License-Identifier: MIT */
/* Hits of one piece of a curve on a surface, for curves whose points are rational functions of a parameter. */
#ifndef ABUT_INTERSECT_HITS_H
#define ABUT_INTERSECT_HITS_H

#include "abut/intersect.h"
#include "intersect/substitute.h"

enum { ABUT_PIECE_HITS = ABUT_SUBSTITUTE_DEGREE };

typedef struct abut_piece_hits {
    bool contained, decided, exact;
    int degree, count;
    abut_curve_hit hit[ABUT_PIECE_HITS];
} abut_piece_hits;

/* `whole`: of a circle, all of it; otherwise it ends at `to`, which other kinds of curves do not read. */
void abut_intersect_piece(const abut_enclosed_curve *curve, bool whole, const abut_interval_vec3 *to,
                          const abut_enclosed_surface *surface, abut_piece_hits *out);

#endif
