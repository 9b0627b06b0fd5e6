/* SPDX-License-Identifier: MIT */
/* Closed forms for pairs of cores. They enclose the gap and find the witnesses as
 * abut_convex_solve does (convex.h); where rounding leaves a closed form with a wide enclosure,
 * they let the general solvers do it. */
#ifndef ABUT_NARROW_CONVEX_CLOSED_H
#define ABUT_NARROW_CONVEX_CLOSED_H

#include "narrow/distance/convex.h"

/* False, and nothing written, where there is no closed form for the two kinds of cores. */
bool abut_closed_solve(const abut_convex_pair *pair, const abut_ask *ask, abut_convex_answer *out);

/* Two segments, or a segment and a point. */
void abut_closed_segments(const abut_convex_pair *pair, abut_convex_answer *out);
/* A box against a box, a segment or a point, which are boxes without some of their extents. */
void abut_closed_boxes(const abut_convex_pair *pair, const abut_ask *ask, abut_convex_answer *out);
/* A cylinder or a cone (a) against a point (b). */
void abut_closed_round(const abut_convex_pair *pair, abut_convex_answer *out);

/* A point and a box or a segment, and two segments, clearly apart: the gap enclosed, witnesses,
 * and the feature of K on which they lie. False for all others. */
bool abut_closed_nearest(const abut_convex_pair *pair, abut_simplex *simplex, abut_convex_answer *out);

/* Makes an answer agree with a sign known exactly, clearance included, so that what follows from
 * it (contacts) is made for the right verdict. */
void abut_closed_agree(const abut_convex_pair *pair, const abut_ask *ask, int exponent, int sign,
                       abut_convex_answer *answer);
/* Verdict, distance and depth from a gap known exactly, in units of 2^exponent. */
void abut_closed_set_exact(abut_gap gap, int exponent, abut_check_result *out);

#endif
