/* SPDX-License-Identifier: MIT */
/* Small operations on boxes that the files of this module share. Boxes are closed; an empty one has
 * lo > hi along some axis, or a NaN. */
#ifndef ABUT_WORLD_BROAD_AABB_H
#define ABUT_WORLD_BROAD_AABB_H

#include "abut/math.h"

#include <math.h>

static inline bool abut_aabb_is_empty(const abut_aabb *a)
{
    return !(a->lo.x <= a->hi.x && a->lo.y <= a->hi.y && a->lo.z <= a->hi.z);
}

static inline abut_aabb abut_aabb_empty(void)
{
    return (abut_aabb){ { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
}

static inline bool abut_aabb_meet(const abut_aabb *a, const abut_aabb *b)
{
    return a->lo.x <= b->hi.x && b->lo.x <= a->hi.x && a->lo.y <= b->hi.y && b->lo.y <= a->hi.y &&
           a->lo.z <= b->hi.z && b->lo.z <= a->hi.z;
}

static inline bool abut_aabb_holds(const abut_aabb *a, const abut_aabb *b)
{
    return a->lo.x <= b->lo.x && b->hi.x <= a->hi.x && a->lo.y <= b->lo.y && b->hi.y <= a->hi.y &&
           a->lo.z <= b->lo.z && b->hi.z <= a->hi.z;
}

static inline double abut_min2(double a, double b)
{
    return a < b ? a : b;
}

static inline double abut_max2(double a, double b)
{
    return a > b ? a : b;
}

static inline abut_aabb abut_aabb_hull(const abut_aabb *a, const abut_aabb *b)
{
    return (abut_aabb){
        { abut_min2(a->lo.x, b->lo.x), abut_min2(a->lo.y, b->lo.y), abut_min2(a->lo.z, b->lo.z) },
        { abut_max2(a->hi.x, b->hi.x), abut_max2(a->hi.y, b->hi.y), abut_max2(a->hi.z, b->hi.z) }
    };
}

/* Larger by at least `by` on all sides; exactly the same for 0. */
static inline abut_aabb abut_aabb_grow(const abut_aabb *a, double by)
{
    if (by == 0)
        return *a;
    return (abut_aabb){ { nextafter(a->lo.x - by, -INFINITY), nextafter(a->lo.y - by, -INFINITY),
                          nextafter(a->lo.z - by, -INFINITY) },
                        { nextafter(a->hi.x + by, INFINITY), nextafter(a->hi.y + by, INFINITY),
                          nextafter(a->hi.z + by, INFINITY) } };
}

/* A lower bound of the distance of any two points of them: rounded down by more than its rounding. */
static inline double abut_aabb_gap(const abut_aabb *a, const abut_aabb *b)
{
    const double x = abut_max2(0, abut_max2(a->lo.x - b->hi.x, b->lo.x - a->hi.x));
    const double y = abut_max2(0, abut_max2(a->lo.y - b->hi.y, b->lo.y - a->hi.y));
    const double z = abut_max2(0, abut_max2(a->lo.z - b->hi.z, b->lo.z - a->hi.z));
    const double most = abut_max2(x, abut_max2(y, z));
    if (!(most > 0))
        return 0;
    /* Squares of the largest doubles overflow, of the smallest vanish: the largest part does then. */
    const double length = most < 0x1p500 && most > 0x1p-500 ? sqrt(x * x + y * y + z * z) : most;
    return length * (1 - 0x1p-50);
}

#endif
