/* SPDX-License-Identifier: MIT */
/* The usual ray against a simple shape in plain doubles. */
#ifndef ABUT_NARROW_RAY_QUICK_RAY_H
#define ABUT_NARROW_RAY_QUICK_RAY_H

#include "abut/query.h"
#include "shape/shape.h"

typedef struct abut_ray_query {
    abut_vec3 origin, direction;
    bool all; /* the whole line, t < 0 too */
    abut_ray_hit *hits;
    size_t capacity;
} abut_ray_query;

/* The hits of a ray or line, where nothing is undecided; false says nothing, not even that the
 * pose is valid. Needs rounding to nearest. */
bool abut_narrow_quick_ray(const abut_shape *shape, const abut_pose *pose, const abut_ray_query *query,
                           size_t *count);

#endif
