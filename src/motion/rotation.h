/* SPDX-License-Identifier: MIT */
/* Rotations as the user states them, enclosed. */
#ifndef ABUT_MOTION_ROTATION_H
#define ABUT_MOTION_ROTATION_H

#include "base/error.h"
#include "motion/ball.h"
#include "motion/motion.h"

typedef struct ia4 {
    ia w, x, y, z;
} ia4;

/* Fills *error and returns its status unless the placement is finite and its rotation is one.
 * `what` names it. */
abut_status abut_motion_check_placement(const abut_placement *placement, const char *what, int64_t index,
                                        abut_error *error);
/* The same statement, hence the same rotation; false says nothing. */
bool abut_motion_same_rotation(const abut_rotation *a, const abut_rotation *b);

/* Kernels. The unit quaternion has the sign of the statement: (cos, sin axis) of half the angle
 * as given, or q / |q|. */
void abut_motion_rotation_quat(const abut_rotation *rotation, ball4 *out);
void abut_motion_rotation_matrix(const abut_rotation *rotation, ball33 *out);
/* a / |a| for any a but 0; exact along a coordinate. */
ball3 abut_motion_unit(abut_vec3 a);
/* R(q) / |q|^2 of any quaternions; entries [-1, 1] where q may be zero. */
void abut_motion_quat_matrix(const ia4 *q, ia33 *out);

#endif
