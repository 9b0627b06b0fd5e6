/* SPDX-License-Identifier: MIT */
/* The floating-point filters in front of the solvers: clear cases by plain doubles, with error
 * bounds known beforehand. */
#ifndef ABUT_NARROW_QUICK_QUICK_H
#define ABUT_NARROW_QUICK_QUICK_H

#include "narrow/pair/rotation.h"

/* For each pair of shapes that has one: the whole of a query, proved, or false (UNDECIDED), and
 * nothing written that counts. All of them are rows of narrow/pair_table.c. Poses are not NULL and
 * need not be valid: a filter answers nothing then. Rounding is to nearest. */
typedef bool (*abut_filter_check_fn)(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                     const abut_pose *pose_b, int max_contacts, abut_check_result *out);
typedef bool (*abut_filter_distance_fn)(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                        const abut_pose *pose_b, const abut_distance_opts *opts,
                                        abut_distance_result *out);
/* Only whether two bodies are nearer than the clearance: SEPARATE or PENETRATING. These take the
 * shapes in either order. */
typedef abut_verdict (*abut_filter_overlap_fn)(const abut_shape *a, const abut_pose *pose_a,
                                               const abut_shape *b, const abut_pose *pose_b, double clearance,
                                               abut_cache *cache);

#define ABUT_FILTER_CHECK(NAME)                                                                     \
    bool abut_quick_check_##NAME(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b, \
                                 const abut_pose *pose_b, int max_contacts, abut_check_result *out)
#define ABUT_FILTER_DISTANCE(NAME)                                                                     \
    bool abut_quick_distance_##NAME(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b, \
                                    const abut_pose *pose_b, const abut_distance_opts *opts,           \
                                    abut_distance_result *out)
#define ABUT_FILTER_OVERLAP(NAME)                                                                          \
    abut_verdict abut_quick_overlap_##NAME(const abut_shape *a, const abut_pose *pose_a,                   \
                                           const abut_shape *b, const abut_pose *pose_b, double clearance, \
                                           abut_cache *cache)

/* quick.c: a ball (a) against another shape, two capsules. */
ABUT_FILTER_CHECK(balls);
ABUT_FILTER_CHECK(ball_box);
ABUT_FILTER_CHECK(ball_capsule);
ABUT_FILTER_CHECK(ball_halfspace);
ABUT_FILTER_CHECK(capsules);
ABUT_FILTER_DISTANCE(balls);
ABUT_FILTER_DISTANCE(ball_box);
ABUT_FILTER_DISTANCE(ball_capsule);
ABUT_FILTER_DISTANCE(ball_halfspace);
ABUT_FILTER_DISTANCE(capsules);
/* quick_boxes.c */
ABUT_FILTER_DISTANCE(boxes);
/* quick_hulls.c: of up to 32 vertices, or with a cache of up to 320. */
ABUT_FILTER_DISTANCE(hulls);
/* quick_cylinders.c: cylinders and cones. */
ABUT_FILTER_DISTANCE(cylinders);
/* quick_cores.c: by the cores, for shapes of which the type does not tell. */
ABUT_FILTER_DISTANCE(cores);
ABUT_FILTER_OVERLAP(cores);
/* quick_overlap.c: balls; cores that are points, segments and boxes. */
ABUT_FILTER_OVERLAP(balls);
ABUT_FILTER_OVERLAP(simple);
/* quick_capsules.c, ellipsoid_quick.c, quick_hulls_overlap.c; quick_round.c: cylinders and cones. */
ABUT_FILTER_OVERLAP(capsules);
ABUT_FILTER_OVERLAP(ellipsoids);
ABUT_FILTER_OVERLAP(hulls);
ABUT_FILTER_OVERLAP(round);

/* ---- shared by filters of distances ---- */

/* Origins nearer than half-way from where balls inside the cores touch to where balls around them
 * do: then what bodies that are apart are asked first is mostly asked in vain. */
ABUT_ALWAYS_INLINE bool abut_quick_is_likely_to_meet(const abut_core *a, const abut_pose *pose_a,
                                                     const abut_core *b, const abut_pose *pose_b)
{
    const abut_vec3 d = abut_sub(pose_b->position, pose_a->position);
    const double in_a = a->inner > 0 ? a->inner : 0, in_b = b->inner > 0 ? b->inner : 0;
    const double half_way = 0.5 * (in_a + in_b + a->size + b->size);
    return abut_dot(d, d) < half_way * half_way;
}

/* quick_cores.c: bodies without radii that meet are at distance 0, without points; false with
 * depth, and where the filter does not say that they meet. */
bool abut_quick_distance_meeting(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                 const abut_pose *pose_b, abut_filter_overlap_fn overlap,
                                 const abut_distance_opts *opts, abut_distance_result *out);

#endif
