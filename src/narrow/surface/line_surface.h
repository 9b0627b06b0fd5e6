/* SPDX-License-Identifier: MIT */
/* Where a line crosses the faces of a surface body; see line_surface.c. */
#ifndef ABUT_NARROW_SURFACE_LINE_SURFACE_H
#define ABUT_NARROW_SURFACE_LINE_SURFACE_H

#include "narrow/surface/surface_chart.h"

/* A place where the line meets a face. */
typedef struct abut_line_crossing {
    abut_interval t;
    const abut_surface_feature *face;
    bool certain;     /* proved: exactly one transversal crossing, inside the face */
    int sign;         /* certain: 1 where the line leaves the body, -1 where it enters */
    abut_vec3 normal; /* outward, unit, in the body's frame */
    abut_interval q[2],
        unique[2]; /* parameters, and the box in which there is no other; t for implicit faces */
} abut_line_crossing;

/* All points o + t d with t in `range`, in the frame of the body, that are on its faces: each is
 * in one of the crossings, ascending by t. Those that are not certain are as narrow as rounding
 * lets them be, or what the budget left; *complete is false where there are more than the
 * capacity. Kernel. */
size_t abut_line_cross_surface(const abut_placed_surface *s, ia3 o, ia3 d, abut_interval range,
                               abut_line_crossing *out, size_t capacity, bool *complete);

/* Kernel. Where a point (a narrow box) of the body's frame stands: EVERYWHERE inside, NOWHERE,
 * or SOMEWHERE: not known. Of sheets there is no inside. */
abut_truth abut_surface_classify(const abut_placed_surface *s, ia3 x);

#endif
