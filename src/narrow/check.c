/* SPDX-License-Identifier: MIT */
/* The public pair queries at one instant: placements, then the pair table. All of it runs in rounding to nearest. */
#include "math/nearest.h"
#include "narrow/options.h"
#include "narrow/pair.h"

#include <math.h>

void abut_check_opts_init(abut_check_opts *opts)
{
    *opts = (abut_check_opts){ .struct_size = sizeof *opts };
}

void abut_distance_opts_init(abut_distance_opts *opts)
{
    *opts = (abut_distance_opts){ .struct_size = sizeof *opts, .cutoff = INFINITY };
}

static ABUT_MATH_NOINLINE abut_status check_poses(const abut_shape *a, const abut_pose *pose_a,
                                                  const abut_shape *b, const abut_pose *pose_b,
                                                  abut_workspace *ws, abut_check_result *out)
{
    abut_place at_a, at_b;
    abut_status status = abut_place_from_pose(pose_a, a->type != ABUT_SHAPE_SPHERE, &at_a);
    if (!status)
        status = abut_place_from_pose(pose_b, b->type != ABUT_SHAPE_SPHERE, &at_b);
    if (status)
        return status;
    const abut_pair pair = { a, b, &at_a, &at_b };
    return abut_narrow_run_pair(&pair, ws, out);
}

static ABUT_MATH_NOINLINE abut_status check_motions(const abut_shape *a, const abut_motion *motion_a,
                                                    const abut_shape *b, const abut_motion *motion_b,
                                                    double t, abut_workspace *ws, abut_check_result *out)
{
    bool swapped;
    if (!abut_narrow_find_pair(a->type, b->type, &swapped))
        return ABUT_ERR_UNSUPPORTED;
    abut_place at_a, at_b;
    abut_status status = abut_place_from_motion(motion_a, t, &at_a);
    if (!status)
        status = abut_place_from_motion(motion_b, t, &at_b);
    if (status)
        return status;
    const abut_pair pair = { a, b, &at_a, &at_b };
    return abut_narrow_run_pair(&pair, ws, out);
}

/* All but the contacts, which are most of it, and of which none is filled in. */
static void clear(abut_check_result *out)
{
    memset(out, 0, offsetof(abut_check_result, contacts));
    out->counters = (abut_counters){ 0 };
}

abut_status abut_check(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                       const abut_pose *pose_b, const abut_check_opts *opts, abut_workspace *ws,
                       abut_check_result *out)
{
    abut_check_opts known; /* none of them means anything to these methods */
    if (!a || !b || !out || !abut_options_read(&known, sizeof known, opts))
        return ABUT_ERR_ARGUMENT;
    if (abut_nearest_is_set() && abut_narrow_quick(a, pose_a, b, pose_b, out))
        return ABUT_OK;
    clear(out);
    const abut_nearest saved = abut_nearest_enter();
    const abut_status status = check_poses(a, pose_a, b, pose_b, ws, out);
    abut_nearest_leave(saved);
    if (status)
        clear(out);
    return status;
}

abut_status abut_check_at(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                          const abut_motion *motion_b, double t, const abut_check_opts *opts,
                          abut_workspace *ws, abut_check_result *out)
{
    abut_check_opts known;
    if (!a || !b || !out || !isfinite(t) || !abut_options_read(&known, sizeof known, opts))
        return ABUT_ERR_ARGUMENT;
    clear(out);
    const abut_nearest saved = abut_nearest_enter();
    const abut_status status = check_motions(a, motion_a, b, motion_b, t, ws, out);
    abut_nearest_leave(saved);
    if (status)
        clear(out);
    return status;
}

abut_status abut_distance(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                          const abut_pose *pose_b, const abut_distance_opts *opts, abut_workspace *ws,
                          abut_distance_result *out)
{
    abut_distance_opts known = { .cutoff = INFINITY };
    if (!a || !b || !out || !abut_options_read(&known, sizeof known, opts) || isnan(known.cutoff))
        return ABUT_ERR_ARGUMENT;
    abut_check_result check; /* cleared by abut_check where it fails */
    const abut_status status = abut_check(a, pose_a, b, pose_b, NULL, ws, &check);
    out->verdict = check.verdict;
    out->proof = check.proof;
    out->stop = check.distance.lo > known.cutoff ? ABUT_STOP_CUTOFF : check.stop;
    out->distance = check.distance;
    out->has_points = check.has_points;
    out->point_a = check.point_a;
    out->point_b = check.point_b;
    out->normal = check.normal;
    out->counters = check.counters;
    return status;
}
