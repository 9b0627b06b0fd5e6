/* SPDX-License-Identifier: MIT */
/* Common points of three surfaces: those of an intersection curve and a surface. */
#ifndef ABUT_INTERSECT_POINTS_H
#define ABUT_INTERSECT_POINTS_H

#include "abut/intersect.h"

enum { ABUT_COMMON_POINTS = 32 };

typedef struct abut_common_points {
    bool contained; /* the third surface holds the whole curve of the first two */
    bool decided;
    int degree, count;
    abut_curve_hit hit[ABUT_COMMON_POINTS];
} abut_common_points;

/* Hits ascend by x + y / 2 + z / 4 of their boxes' middles. */
void abut_points_of_three(const abut_solid_surface *const s[3], abut_common_points *out);

#endif
