/* SPDX-License-Identifier: MIT */
/* What the creators of shapes given as lists of numbers share. */
#ifndef ABUT_SHAPE_ARRAYS_H
#define ABUT_SHAPE_ARRAYS_H

#include "shape/shape.h"

/* Vertices are numbered by 32 bits, and the last number represents none. */
#define ABUT_MOST_VERTICES ((size_t)UINT32_MAX - 1)

/* All coordinates are finite; `what` ("vertex") is for the error. *box receives the box of the
 * points. count >= 1. */
abut_status abut_check_points(const abut_vec3 *points, size_t count, const char *what, abut_aabb *box,
                              abut_error *error);
/* A copy of count items, or NULL when memory is out. */
void *abut_copy_items(const abut_allocator *alloc, const void *items, size_t count, size_t size);
/* Releases the shape and returns the status. */
abut_status abut_shape_fail(abut_shape *shape, abut_status status);

#endif
