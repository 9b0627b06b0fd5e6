/* SPDX-License-Identifier: MIT */
/* When a motion flattens what it moves: zeros of the determinant of its linear part.
 *
 * Time is split from left to right until the determinant, enclosed with its derivative, keeps
 * its sign. A stretch that is as short as doubles allow, or in which the determinant is as small
 * as its rounding errors, is taken for singular: an ellipsoid that flat has no certain boundary. */
#include "ccd/ellipsoid/ellipsoid_singular.h"

#include "abut/ellipsoid.h"

enum { DEPTH = 64, MOST = 20000 };

static ia3 column(const ia33 *a, int j)
{
    return (ia3){ a->m[0][j], a->m[1][j], a->m[2][j] };
}

static ia determinant(const ia33 *a)
{
    return ia3_dot(column(a, 0), ia3_cross(column(a, 1), column(a, 2)));
}

/* Of the determinant of a, which changes by v. */
static ia determinant_slope(const ia33 *a, const ia33 *v)
{
    const ia3 x = column(a, 0), y = column(a, 1), z = column(a, 2);
    return ia_add(ia3_dot(column(v, 0), ia3_cross(y, z)),
                  ia_add(ia3_dot(column(v, 1), ia3_cross(z, x)), ia3_dot(column(v, 2), ia3_cross(x, y))));
}

/* 1: no zero over t, 0: split it, -1: cannot be distinguished from zero. */
static int decide(const abut_motion *motion, ia t)
{
    ia_affine over, velocity, middle;
    const double mid = ia_mid(t);
    (void)abut_motion_placement_over(motion, t, &over);
    (void)abut_motion_velocity_over(motion, t, &velocity);
    (void)abut_motion_placement_over(motion, ia_point(mid), &middle);
    const ia centre = determinant(&middle.linear), slope = determinant_slope(&over.linear, &velocity.linear);
    const ia mean = ia_add(centre, ia_mul(slope, ia_sub(t, ia_point(mid))));
    const ia det = ia_intersect(determinant(&over.linear), mean);
    if (!ia_contains_zero(det) && !ia_is_empty(det))
        return 1;
    const double least = 2 * (ia_up(fabs(mid)) - fabs(mid));
    const bool noise = ia_contains_zero(centre) && ia_width(det) <= 4 * ia_width(centre);
    return noise || ia_width(t) <= least ? -1 : 0;
}

static ABUT_NOINLINE bool search(const abut_motion *motion, const abut_interval *range, abut_interval *at)
{
    double ends[DEPTH] = { range->hi }, from = range->lo;
    int depth = 1;
    for (int i = 0; depth > 0; ++i) {
        const double end = ends[depth - 1], mid = 0.5 * from + 0.5 * end;
        const int found = decide(motion, ia_make(from, end));
        if (found > 0) {
            from = end;
            --depth;
        } else if (found < 0 || depth == DEPTH || i == MOST || !(mid > from && mid < end)) {
            *at = (abut_interval){ from, end };
            return true;
        } else
            ends[depth++] = mid;
    }
    return false;
}

bool abut_ellipsoid_singular_within(const abut_motion *motion, abut_interval range, abut_interval *at)
{
    if (abut_motion_is_rigid(motion))
        return false;
    const abut_rounding saved = abut_rounding_enter();
    const bool found = search(motion, &range, at);
    abut_rounding_leave(saved);
    return found;
}

abut_status abut_ellipsoid_find_singular(const abut_motion *motion, const abut_interval *range, bool *found,
                                         abut_interval *at)
{
    if (!motion || !range || !found || !at)
        return ABUT_ERR_ARGUMENT;
    const abut_interval own = abut_motion_get_range(motion);
    if (!(range->lo <= range->hi && own.lo <= range->lo && range->hi <= own.hi) || isinf(range->lo) ||
        isinf(range->hi))
        return ABUT_ERR_ARGUMENT;
    abut_interval_affine ignored;
    *found = false;
    *at = (abut_interval){ NAN, NAN };
    if (abut_motion_is_rigid(motion))
        return ABUT_OK;
    abut_status status = abut_motion_enclose(motion, *range, &ignored);
    if (!status)
        status = abut_motion_enclose_velocity(motion, *range, &ignored);
    if (!status)
        *found = abut_ellipsoid_singular_within(motion, *range, at);
    return status;
}
