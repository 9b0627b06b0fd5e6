/* SPDX-License-Identifier: MIT */
/* Signs of corners of two triangles, by doubles where they suffice and else exactly. Corners 0,
 * 1, 2 are those of a, 3, 4, 5 those of b. */
#ifndef ABUT_NARROW_TRIANGLE_TRIANGLE_SIGNS_H
#define ABUT_NARROW_TRIANGLE_TRIANGLE_SIGNS_H

#include "narrow/pair/big.h"
#include "narrow/triangle/triangle.h"

typedef struct abut_triangle_signs {
    const abut_triangle_frame *frame;
    const abut_vec3 *a, *b; /* as given; b in its own frame */
    abut_vec3 p[6];         /* in a's frame, those of b within `error` */
    double c[6][3];         /* the same by axes */
    double error;
    bool plain;         /* p is exact */
    bool exact;         /* exact arithmetic was needed */
    unsigned char axes; /* bit k: coordinate k of p is exact; KNOWN once that was found out */
    /* `weight` and `corner` are known: b's corners in a's frame are corner / weight */
    bool ready;
    abut_big weight, corner[3][3];
} abut_triangle_signs;

void abut_triangle_signs_set(const abut_triangle_frame *frame, const abut_vec3 a[3], const abut_vec3 b[3],
                             abut_triangle_signs *out);
/* ABUT_TRIANGLE_UNKNOWN only where the frame is not exact. det(j - i, k - i, l - i); positive
 * where l is on the side of ijk from which they run counter-clockwise. */
int abut_triangle_volume(abut_triangle_signs *s, int i, int j, int k, int l);
/* Area of ijk seen along an axis: component `axis` of (j - i) x (k - i). */
int abut_triangle_area(abut_triangle_signs *s, int i, int j, int k, int axis);
/* Coordinate `axis` of i - j. */
int abut_triangle_order(abut_triangle_signs *s, int i, int j, int axis);

#endif
