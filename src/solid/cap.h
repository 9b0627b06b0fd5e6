/* SPDX-License-Identifier: MIT */
/* The plane region of a profile as triangles with a curved side. */
#ifndef ABUT_SOLID_CAP_H
#define ABUT_SOLID_CAP_H

#include "solid/profile.h"

/* Corners counter-clockwise. bulge: the side from corner 0 to corner 1 is an arc about `center`, beyond
 * the chord (1) or short of it (-1); 0: all sides are straight. */
typedef struct abut_cap_triangle {
    abut_xy corner[3], center;
    double radius;
    int bulge;
} abut_cap_triangle;

/* Triangles that cover the region; *count 0 where it has too many sides for that, or their chords cross
 * even when halved. False when memory is out. */
bool abut_cap_triangles(const abut_profile *profile, abut_workspace *keep, abut_cap_triangle **out,
                        size_t *count);

#endif
