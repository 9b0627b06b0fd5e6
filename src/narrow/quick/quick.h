/* SPDX-License-Identifier: MIT */
/* The floating-point filters in front of the solvers: clear cases by plain doubles, with error
 * bounds known beforehand. */
#ifndef ABUT_NARROW_QUICK_QUICK_H
#define ABUT_NARROW_QUICK_QUICK_H

#include "narrow/pair/rotation.h"

/* The whole of a query where that is easy (quick.c); false, and nothing written, where it is
 * not. */
bool abut_narrow_quick_check(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                             const abut_pose *pose_b, int max_contacts, abut_check_result *out);
bool abut_narrow_quick_distance(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                const abut_pose *pose_b, double cutoff, bool with_depth,
                                abut_distance_result *out);
/* The same for two boxes (quick_boxes.c), without depth only those that are apart. */
bool abut_narrow_quick_boxes(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                             const abut_pose *pose_b, double cutoff, bool with_depth, abut_cache *cache,
                             abut_distance_result *out);
/* The same for two cylinders or cones that are apart (quick_rims.c). */
bool abut_narrow_quick_cylinders(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                 const abut_pose *pose_b, double cutoff, abut_cache *cache,
                                 abut_distance_result *out);

/* The same for two hulls of up to 32 vertices that are clearly apart (quick_hulls.c), or with a
 * cache of up to 320. */
bool abut_narrow_quick_hulls(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                             const abut_pose *pose_b, abut_cache *cache, abut_distance_result *out);

/* Only whether two bodies are nearer than the clearance (quick_overlap.c): SEPARATE or
 * PENETRATING, both proved, or UNDECIDED, which says nothing, not even that the poses are valid
 * ones. */
abut_verdict abut_narrow_quick_overlap(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                       const abut_pose *pose_b, double clearance, abut_cache *cache);
/* The same for two capsules (quick_capsules.c). */
abut_verdict abut_capsules_quick_overlap(const abut_core *a, const abut_pose *at_a, const abut_core *b,
                                         const abut_pose *at_b, double clearance);
/* The same for two ellipsoids that are not swept (ellipsoid_quick.c). */
abut_verdict abut_ellipsoid_quick_overlap(const abut_core *a, const abut_pose *at_a, const abut_core *b,
                                          const abut_pose *at_b);
/* The same for two hulls (quick_hulls_overlap.c); remembers. */
abut_verdict abut_hulls_quick_overlap(const abut_core *a, const abut_pose *at_a, const abut_core *b,
                                      const abut_pose *at_b, double clearance, abut_cache *cache);
/* The same for cylinders and cones (quick_round.c). */
abut_verdict abut_round_quick_overlap(const abut_core *a, const abut_pose *at_a, const abut_core *b,
                                      const abut_pose *at_b, double clearance);

#endif
