/* SPDX-License-Identifier: MIT */
/* Touching within tolerance.
 *
 * Bodies that touch cannot be distinguished by enclosures from bodies that are the last digit apart, or overlap by
 * it; exact predicates know some touches, where placements are exact. What is left is `touching` with proof
 * `tolerance` where the bodies are proved to come within ABUT_WITHIN of the size of the smaller one, and neither
 * a gap nor an overlap is proved, although all of the search was made: overlaps deeper than that are found by it,
 * and of convex bodies the depth is bounded. `distance` stays the enclosure that it is. They are never
 * `separate` by tolerance. */
#include "narrow/within.h"

#include "math/vec3.h"
#include "motion/motion.h"

#include <math.h>

/* Of a body without an end: infinite. */
static double size_of(const abut_shape *shape, const abut_motion *motion, double t)
{
    const abut_aabb *const box = &shape->bounds;
    const double d[3] = { box->hi.x - box->lo.x, box->hi.y - box->lo.y, box->hi.z - box->lo.z };
    if (!motion || motion->rigid)
        return fmax(d[0], fmax(d[1], d[2]));
    abut_affine at;
    double size = 0;
    if (abut_motion_at(motion, t, &at))
        return 0;
    for (int i = 0; i < 3; ++i) {
        double sum = 0;
        for (int k = 0; k < 3; ++k)
            sum += d[k] > 0 ? fabs(at.linear.m[i][k]) * d[k] : 0;
        size = fmax(size, sum);
    }
    return size;
}

double abut_within_size(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                        const abut_motion *motion_b, double t)
{
    const double of_a = size_of(a, motion_a, t), of_b = size_of(b, motion_b, t);
    /* A point has no size: that of the other body counts. */
    return of_a > 0 && of_b > 0 ? fmin(of_a, of_b) : fmax(of_a, of_b);
}

void abut_within_judge(double size, const abut_ask *ask, bool convex, abut_check_result *out)
{
    const double most = ABUT_WITHIN * size;
    /* A search cut short by its caller proves no less, but overlaps may have escaped it. */
    const bool cut = ask->max_iterations > 0 && out->stop == ABUT_STOP_BUDGET;
    if (out->verdict != ABUT_UNDECIDED || ask->clearance > 0 || cut || !isfinite(most) ||
        !(out->distance.hi <= most) || (convex && !(out->depth.hi <= most)))
        return;
    out->verdict = ABUT_TOUCHING;
    out->proof = ABUT_PROOF_TOLERANCE;
    out->stop = ABUT_STOP_TOLERANCE;
}

static bool is_inside(const abut_shape *shape, const abut_stated *at, abut_vec3 p)
{
    abut_piece piece;
    const abut_status status = at->by_motion ? abut_classify_point_at(shape, at->motion, at->t, p, &piece)
                                             : abut_classify_point(shape, at->pose, p, &piece);
    return !status && piece.where == ABUT_WHERE_IN;
}

/* Points of the box of each body, which are far inside of most. */
bool abut_within_shares(const abut_shape *a, const abut_stated *at_a, const abut_shape *b,
                        const abut_stated *at_b)
{
    enum { POINTS = 9 };
    const abut_shape *const shape[2] = { a, b };
    const abut_stated *const at[2] = { at_a, at_b };
    for (int i = 0; i < 2 * POINTS; ++i) {
        const int k = i % 2, n = i / 2;
        const abut_aabb box = shape[k]->bounds;
        const abut_vec3 mid = abut_scale(0.5, abut_add(box.lo, box.hi)), d = abut_sub(box.hi, box.lo);
        const double by = n == 0 ? 0 : 0.296875;
        abut_affine place = abut_affine_identity();
        if (!isfinite(abut_dot(d, d)) ||
            (at[k]->by_motion && at[k]->motion && abut_motion_at(at[k]->motion, at[k]->t, &place)))
            continue;
        if (!at[k]->by_motion)
            place = abut_affine_from_pose(*at[k]->pose);
        const abut_vec3 local = { mid.x + (n & 1 ? by : -by) * d.x, mid.y + (n & 2 ? by : -by) * d.y,
                                  mid.z + (n & 4 ? by : -by) * d.z },
                        p = abut_affine_apply(&place, local);
        if (is_inside(shape[k], at[k], p) && is_inside(shape[!k], at[!k], p))
            return true;
    }
    return false;
}
