/* SPDX-License-Identifier: MIT */
/* Small interval vectors and matrices for this room's kernels, and the slope form that makes
 * enclosures tight. */
#ifndef ABUT_MOTION_KERNEL_H
#define ABUT_MOTION_KERNEL_H

#include "motion/motion.h"

/* [n]x a: the cross product of n with each column. */
static inline ia33 box_cross33(ia3 n, const ia33 *a)
{
    ia33 out;
    for (int j = 0; j < 3; ++j) {
        const ia3 c = ia3_cross(n, (ia3){ a->m[0][j], a->m[1][j], a->m[2][j] });
        out.m[0][j] = c.x;
        out.m[1][j] = c.y;
        out.m[2][j] = c.z;
    }
    return out;
}

/* The twelve entries as one array, for what is done entry by entry. */
enum { box_entries = 12 };

static inline ia *box_entry(ia_affine *b, int i)
{
    return i < 9     ? &b->linear.m[i / 3][i % 3]
           : i == 9  ? &b->translation.x
           : i == 10 ? &b->translation.y
                     : &b->translation.z;
}

static inline const ia *box_entry_of(const ia_affine *b, int i)
{
    return i < 9     ? &b->linear.m[i / 3][i % 3]
           : i == 9  ? &b->translation.x
           : i == 10 ? &b->translation.y
                     : &b->translation.z;
}

/* a and b both hold the value; should rounding have left no common point, a alone is right. */
static inline ia box_meet(ia a, ia b)
{
    const ia both = ia_intersect(a, b);
    return ia_is_empty(both) ? a : both;
}

static inline ia box_within_one(ia a)
{
    return box_meet(a, ia_make(-1, 1));
}

/* The range of a continuous, piecewise differentiable g over an interval of width w (an upper
 * bound), from its values ga and gb at the ends and an enclosure [L, U] of its derivative. Where L
 * < 0 < U the graph lies below the two lines that leave the ends with slopes U and L and above
 * those with slopes L and U; they meet at
 *     (U gb - L ga - U L w) / (U - L)   and   (U ga - L gb + U L w) / (U - L),
 * which is within w^2 |g''| of the true range. The bounds grow with ga, gb, U, -L and w, so
 * upper bounds of them may be put in. */
static inline ia box_slope_range(ia ga, ia gb, ia slope, ia w)
{
    const ia ends = ia_hull(ga, gb);
    if (ia_lo(slope) >= 0 || ia_hi(slope) <= 0)
        return ends;
    if (!ia_is_finite(slope))
        return ia_entire();
    const ia up = ia_point(ia_hi(slope)), down = ia_point(ia_lo(slope)), spread = ia_sub(up, down);
    const ia reach = ia_mul(ia_mul(up, down), ia_point(ia_hi(w)));
    const ia above = ia_div(
        ia_sub(ia_sub(ia_mul(up, ia_point(ia_hi(gb))), ia_mul(down, ia_point(ia_hi(ga)))), reach), spread);
    const ia below = ia_div(
        ia_add(ia_sub(ia_mul(up, ia_point(ia_lo(ga))), ia_mul(down, ia_point(ia_lo(gb)))), reach), spread);
    return ia_hull(ends, ia_make(fmin(ia_lo(below), ia_lo(ends)), fmax(ia_hi(above), ia_hi(ends))));
}

/* Intersects each entry of `box`, an enclosure over a time interval of width w, with the slope
 * form. */
static inline void box_tighten(ia_affine *box, const ia_affine *at_lo, const ia_affine *at_hi,
                               const ia_affine *velocity, ia w)
{
    for (int i = 0; i < box_entries; ++i) {
        ia *g = box_entry(box, i);
        *g = box_meet(
            box_slope_range(*box_entry_of(at_lo, i), *box_entry_of(at_hi, i), *box_entry_of(velocity, i), w),
            *g);
    }
}

static inline double box_mid(abut_interval a)
{
    return 0.5 * a.lo + 0.5 * a.hi;
}

#endif
