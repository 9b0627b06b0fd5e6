/* SPDX-License-Identifier: MIT */
/* Compounds at one instant, through their parts. */
#ifndef ABUT_NARROW_COMPOUND_H
#define ABUT_NARROW_COMPOUND_H

#include "narrow/pair/place.h"
#include "shape/shape.h"

#include "abut/query.h"

static inline bool abut_is_compound(const abut_shape *shape)
{
    return shape->type == ABUT_SHAPE_COMPOUND;
}

/* The parts of a body, each with its motion in the world; of a body that is no compound itself. */
typedef struct abut_parts {
    size_t count;
    const abut_shape **shapes;
    abut_motion **motions; /* NULL: the identity; to be released */
} abut_parts;

/* Memory from the workspace, which must outlive them; abut_parts_clear in any case. `motion` may be
 * NULL. */
abut_status abut_parts_of(const abut_shape *shape, const abut_motion *motion, abut_workspace *ws,
                          abut_parts *out);
void abut_parts_clear(abut_parts *parts);

/* As the public functions of the same name; one of the two is a compound. */
abut_status abut_compound_check_at(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                                   const abut_motion *motion_b, double t, const abut_check_opts *opts,
                                   abut_workspace *ws, abut_check_result *out);
abut_status abut_compound_check(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                const abut_pose *pose_b, const abut_check_opts *opts, abut_workspace *ws,
                                abut_check_result *out);
abut_status abut_compound_distance(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                   const abut_pose *pose_b, const abut_distance_opts *opts,
                                   abut_workspace *ws, abut_distance_result *out);
abut_status abut_compound_overlap(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                  const abut_pose *pose_b, const abut_overlap_opts *opts, abut_workspace *ws,
                                  abut_overlap_result *out);
/* compound_depth.c. A ball holds a part. out->depth is [a lower bound, infinity] at first; has_depth
 * says whether an upper bound was found. */
typedef struct abut_part_ball {
    abut_vec3 centre;
    double radius; /* of the part about it, and of what the centre may be off by; infinite: unknown */
} abut_part_ball;
void abut_compound_depth_by_balls(const abut_part_ball *a, size_t a_count, const abut_part_ball *b,
                                  size_t b_count, abut_check_result *out);
abut_status abut_compound_depth(const abut_parts *a, const abut_parts *b, double t,
                                const abut_check_opts *opts, abut_workspace *ws, abut_check_result *out);
/* compound_point.c */
abut_status abut_compound_segment(const abut_shape *shape, const abut_stated *stated, abut_vec3 from,
                                  abut_vec3 to, abut_piece *pieces, size_t capacity, size_t *count);
abut_status abut_compound_cast(const abut_shape *shape, const abut_stated *stated, bool line,
                               abut_vec3 origin, abut_vec3 direction, abut_ray_hit *hits, size_t capacity,
                               size_t *count);
abut_status abut_compound_classify(const abut_shape *shape, const abut_stated *stated, abut_vec3 point,
                                   abut_piece *out);

#endif
