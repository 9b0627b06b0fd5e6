/* SPDX-License-Identifier: MIT */
/* Filters chosen by the cores of two shapes, for swept shapes, whose type does not tell what they
 * are; and distances of bodies that meet. */
#include "narrow/quick/quick.h"

static bool is_round(const abut_shape *shape)
{
    return shape->core.kind == ABUT_CORE_CYLINDER || shape->core.kind == ABUT_CORE_CONE;
}

bool abut_quick_distance_meeting(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                 const abut_pose *pose_b, abut_filter_overlap_fn overlap,
                                 const abut_distance_opts *opts, abut_distance_result *out)
{
    if (opts->with_depth || a->core.radius + b->core.radius > 0 ||
        overlap(a, pose_a, b, pose_b, 0, opts->cache) != ABUT_PENETRATING)
        return false;
    *out = (abut_distance_result){ .verdict = ABUT_PENETRATING,
                                   .proof = ABUT_PROOF_INTERVAL,
                                   .stop = opts->cutoff < 0 ? ABUT_STOP_CUTOFF : ABUT_STOP_DONE,
                                   .counters = { .iterations = 1, .evaluations = 1 } };
    return true;
}

bool abut_quick_distance_cores(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                               const abut_pose *pose_b, const abut_distance_opts *opts,
                               abut_distance_result *out)
{
    if (a->core.kind == ABUT_CORE_HULL && b->core.kind == ABUT_CORE_HULL)
        return abut_quick_distance_hulls(a, pose_a, b, pose_b, opts, out);
    return is_round(a) && is_round(b) && abut_quick_distance_cylinders(a, pose_a, b, pose_b, opts, out);
}

abut_verdict abut_quick_overlap_cores(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                      const abut_pose *pose_b, double clearance, abut_cache *cache)
{
    const abut_core_kind ka = a->core.kind, kb = b->core.kind;
    const abut_core_kind first = ka < kb ? ka : kb, last = ka < kb ? kb : ka;
    abut_filter_overlap_fn filter = NULL;
    if (first == ABUT_CORE_POINT && last == ABUT_CORE_POINT)
        filter = abut_quick_overlap_balls;
    else if (first == ABUT_CORE_SEGMENT && last == ABUT_CORE_SEGMENT)
        filter = abut_quick_overlap_capsules;
    else if (first != ABUT_CORE_NONE && last <= ABUT_CORE_BOX)
        filter = abut_quick_overlap_simple;
    else if (first == ABUT_CORE_HULL && last == ABUT_CORE_HULL)
        filter = abut_quick_overlap_hulls;
    else if (first == ABUT_CORE_ELLIPSOID && last == ABUT_CORE_ELLIPSOID)
        filter = abut_quick_overlap_ellipsoids;
    else if (first >= ABUT_CORE_CYLINDER && last <= ABUT_CORE_CONE)
        filter = abut_quick_overlap_round;
    return filter ? filter(a, pose_a, b, pose_b, clearance, cache) : ABUT_UNDECIDED;
}
