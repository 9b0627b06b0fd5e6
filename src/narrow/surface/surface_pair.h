/* SPDX-License-Identifier: MIT */
/* The relation of two surface bodies at one instant. */
#ifndef ABUT_NARROW_SURFACE_SURFACE_PAIR_H
#define ABUT_NARROW_SURFACE_SURFACE_PAIR_H

#include "narrow/pair/pair.h"
#include "narrow/surface/surface_gap.h"

/* For solvers over time: SEPARATE, PENETRATING (of sheets: TOUCHING) or UNDECIDED at time t,
 * with no more work than that takes. Motions NULL: the identity; ABUT_ERR_UNSUPPORTED where one
 * may be singular. Rounding to nearest. */
abut_status abut_surface_verdict_at(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                                    const abut_motion *motion_b, double t, abut_workspace *ws,
                                    abut_verdict *verdict);

/* From the gap and the verdict to a result: proof, distance, points, clearance. a and b in the
 * frame of a. */
void abut_surface_report(const abut_pair *pair, const abut_placed_surface *a, const abut_placed_surface *b,
                         const abut_surface_gap *gap, abut_verdict verdict, abut_check_result *out);

/* Kernel. Whether the points of a box, in the frame of the body, are inside it at all times of
 * t; also of solids without fields, where boxes are small. */
abut_truth abut_surface_inside_over(const abut_surface *s, ia3 x, ia t, ia *scratch, uint64_t *boxes);
/* Kernel: of a body of faces, whether it is proved that none of them meets the box at any time of t. */
bool abut_surface_keeps_off(const abut_surface *s, ia3 x, ia t, ia *scratch);

/* Whether some connected part of the boundary of x is inside y, given that the boundaries are at
 * least `apart` > 0 apart: 1 proved, 0 proved that none is, -1 not known. *spot: a place of it,
 * where x is a sheet. Enters the kernel itself. */
int abut_surface_contains(const abut_placed_surface *y, const abut_placed_surface *x, double apart,
                          uint64_t max_boxes, abut_surface_spot *spot);

/* Fields that are positive nowhere in a body, over a box: at its middle, and their gradients all
 * over it. */
enum { ABUT_WALLS_MOST = 6 };

typedef struct abut_walls {
    ia middle[ABUT_WALLS_MOST];
    ia3 slope[ABUT_WALLS_MOST];
    int count;
} abut_walls;

/* Kernel. In the frame of the body, which is known by fields. */
void abut_walls_over(const abut_surface *s, ia3 x, ia3 middle, ia t, ia *scratch, abut_walls *out);
/* Kernel. Whether the bodies have no point in common in the box, by one field or by a sum of two.
 * All in one frame; `away`: the box, from its middle. */
bool abut_walls_part(const abut_walls *a, const abut_walls *b, ia3 away);

/* Whether they have a point in common: 1 proved (in both interiors, or on a sheet), 0 proved
 * that they have none, -1 not known, as always where neither is known by fields. With far less
 * work than the distance takes (surface_common.c). *spot: where, on a sheet. Enters the kernel
 * itself. */
int abut_surface_common(const abut_placed_surface *a, const abut_placed_surface *b, uint64_t max_boxes,
                        abut_surface_spot *spot);

#endif
