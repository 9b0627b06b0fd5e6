/* SPDX-License-Identifier: MIT */
/* Whether a point is in a bounding volume, in long double, by what the layouts in bv/volume.h
 * mean. */
#ifndef ABUT_ORACLE_VOLUME_CONTAINS_H
#define ABUT_ORACLE_VOLUME_CONTAINS_H

#include "bv/volume.h"
#include "oracle/triangle_brute.h"

static inline void volume_axes(const float *q, brute_point axes[3])
{
    const long double w = q[0], x = q[1], y = q[2], z = q[3], s = 2 / (w * w + x * x + y * y + z * z);
    axes[0] = (brute_point){ { 1 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y) } };
    axes[1] = (brute_point){ { s * (x * y - w * z), 1 - s * (x * x + z * z), s * (y * z + w * x) } };
    axes[2] = (brute_point){ { s * (x * z + w * y), s * (y * z - w * x), 1 - s * (x * x + y * y) } };
}

static inline brute_point brute_of(const float *x)
{
    return (brute_point){ { x[0], x[1], x[2] } };
}

/* How far p is outside of the volume, in some sense that is zero or less inside. */
static inline long double volume_outside(const abut_bv_kind *kind, const float *v, brute_point p)
{
    brute_point axes[3];
    long double most = -INFINITY;
    switch (kind->volume) {
    case ABUT_VOLUME_SPHERE: return brute_length(brute_minus(p, brute_of(v))) - v[3];
    case ABUT_VOLUME_AABB:
        for (int k = 0; k < 3; ++k)
            most = fmaxl(most, fmaxl(v[k] - p.x[k], p.x[k] - v[3 + k]));
        return most;
    case ABUT_VOLUME_OBB:
        volume_axes(v, axes);
        for (int k = 0; k < 3; ++k)
            most = fmaxl(most, fabsl(brute_dot(axes[k], brute_minus(p, brute_of(v + 4)))) - v[7 + k]);
        return most;
    case ABUT_VOLUME_LINE_SPHERE: return brute_point_segment(p, brute_of(v), brute_of(v + 3)) - v[6];
    case ABUT_VOLUME_RECTANGLE_SPHERE: {
        volume_axes(v, axes);
        const brute_point d = brute_minus(p, brute_of(v + 4));
        const long double x = fmaxl(fabsl(brute_dot(axes[0], d)) - v[7], 0),
                          y = fmaxl(fabsl(brute_dot(axes[1], d)) - v[8], 0);
        const long double z = brute_dot(axes[2], d);
        return sqrtl(x * x + y * y + z * z) - v[9];
    }
    default: {
        const int8_t(*d)[3];
        const size_t half = abut_bv_kdop_directions(kind->volume, &d);
        for (size_t i = 0; i < half; ++i) {
            const long double x = d[i][0] * p.x[0] + d[i][1] * p.x[1] + d[i][2] * p.x[2];
            most = fmaxl(most, fmaxl(x - v[i], -x - v[half + i]));
        }
        return most;
    }
    }
}

#endif
