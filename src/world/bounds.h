/* SPDX-License-Identifier: MIT */
/* Boxes of bodies, with what a world keeps of each from one commit to the next. */
#ifndef ABUT_WORLD_BOUNDS_H
#define ABUT_WORLD_BOUNDS_H

#include "abut/world.h"

/* The extreme vertices along each axis and against it, of a hull that supports climb to: where the
 * next search begins. Any numbers will do. */
typedef struct abut_extremes {
    uint32_t at[6];
} abut_extremes;

/* Do searches of this shape begin anywhere? */
bool abut_bounds_climb(const abut_shape *shape);

/* abut_shape_world_bounds and abut_shape_world_bounds_over with a kind of box. `extremes`: read and
 * written; may be NULL. */
abut_status abut_bounds_at(const abut_shape *shape, const abut_pose *pose, abut_box_kind kind,
                           abut_extremes *extremes, abut_aabb *out);
abut_status abut_bounds_over(const abut_shape *shape, const abut_motion *motion, abut_interval time,
                             abut_box_kind kind, abut_extremes *extremes, abut_aabb *out);

#endif
