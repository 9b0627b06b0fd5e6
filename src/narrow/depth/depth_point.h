/* SPDX-License-Identifier: MIT */
/* What a single point of one core proves: K holds the other core less that point, so that no
 * direction is shallower than the point is deep in it. Closed forms, by the nearest of planes,
 * side and slant. */
#ifndef ABUT_NARROW_DEPTH_DEPTH_POINT_H
#define ABUT_NARROW_DEPTH_DEPTH_POINT_H

#include "narrow/distance/convex.h"

/* How deep a point is in a core, to a few roundings; -infinity where there is no closed form. */
static inline double abut_depth_of_point(const abut_core *core, abut_vec3 p)
{
    const double *h = core->h, flat = sqrt(p.x * p.x + p.y * p.y);
    double x, y;
    switch (core->kind) {
    case ABUT_CORE_BOX:
        x = h[0] - fabs(p.x);
        y = h[1] - fabs(p.y);
        y = h[2] - fabs(p.z) < y ? h[2] - fabs(p.z) : y;
        break;
    case ABUT_CORE_CYLINDER:
        x = h[0] - flat;
        y = h[2] - fabs(p.z);
        break;
    case ABUT_CORE_CONE:
        x = (h[0] * (h[2] - p.z) - 2 * h[2] * flat) / sqrt(4 * h[2] * h[2] + h[0] * h[0]);
        y = h[2] + p.z;
        break;
    default: return -INFINITY;
    }
    return x < y ? x : y;
}

/* What a point x of a and a point y of b, each in all directions, make the depth at least; both
 * to a few roundings. */
static inline double abut_depth_by_point(const abut_convex_pair *pair, abut_vec3 x, abut_vec3 y)
{
    const double in_a = abut_depth_of_point(pair->a, y),
                 in_b = abut_depth_of_point(pair->b, abut_mul_t(&pair->r, abut_sub(x, pair->t)));
    return in_a > in_b ? in_a : in_b;
}

#endif
