/* SPDX-License-Identifier: MIT */
/* Ellipsoids and balls around points: what the files of that method share. Rounding is to
 * nearest. */
#ifndef ABUT_SHAPE_FIT_H
#define ABUT_SHAPE_FIT_H

#include "abut/ellipsoid.h"

/* The smallest ellipsoid around points of d coordinates, as far as doubles see it: (y - centre)
 * spread^-1 (y - centre) <= 1. */
typedef struct abut_fit_result {
    double centre[3], spread[3][3];
} abut_fit_result;

/* fit_weights.c. d is 1 to 3; `corners` are d + 1 points that are not in a space of fewer
 * dimensions, all coordinates are of size 1 or so. The volume is within the factor 1 + tolerance
 * of the smallest, unless the search gives up. */
void abut_fit_weights(const double (*points)[3], size_t count, int d, const size_t *corners, double tolerance,
                      abut_fit_result *out);

/* The exponent of a power of two above the size of the box, and its middle. */
int abut_fit_scale(const abut_aabb *box, abut_vec3 *middle);

/* The public functions for points that are known to be finite, with their box. Both return false
 * where the answer is no double; the first also where memory is out (*no_memory). */
bool abut_fit_ellipsoid(const abut_vec3 *points, size_t count, const abut_aabb *box, double tolerance,
                        const abut_allocator *alloc, abut_affine *out, bool *no_memory);
bool abut_fit_ball(const abut_vec3 *points, size_t count, const abut_aabb *box, abut_vec3 *centre,
                   double *radius);

#endif
