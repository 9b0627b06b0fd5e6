/* SPDX-License-Identifier: MIT */
/* Small values: vectors, rotations, poses, boxes. Plain double arithmetic, nothing here is
 * certified. */
#ifndef ABUT_MATH_H
#define ABUT_MATH_H

#include "abut/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct abut_vec3 {
    double x, y, z;
} abut_vec3;

/* w + xi + yj + zk. A rotation is any quaternion of non-zero norm; (0,0,0,0) is none. */
typedef struct abut_quat {
    double w, x, y, z;
} abut_quat;

/* Rows: m[i][j] is row i, column j. */
typedef struct abut_mat3 {
    double m[3][3];
} abut_mat3;

/* x -> rotation x + position. */
typedef struct abut_pose {
    abut_vec3 position;
    abut_quat rotation;
} abut_pose;

/* x -> linear x + translation. */
typedef struct abut_affine {
    abut_mat3 linear;
    abut_vec3 translation;
} abut_affine;

typedef struct abut_aabb {
    abut_vec3 lo, hi;
} abut_aabb;

ABUT_API abut_pose abut_pose_identity(void);
/* b_in_a, c_in_b -> c_in_a. */
ABUT_API abut_pose abut_pose_compose(abut_pose b_in_a, abut_pose c_in_b);
ABUT_API abut_pose abut_pose_inverse(abut_pose b_in_a);
ABUT_API abut_vec3 abut_pose_apply(abut_pose b_in_a, abut_vec3 point_in_b);
ABUT_API abut_affine abut_affine_from_pose(abut_pose pose);

ABUT_API abut_quat abut_quat_identity(void);
/* Unit quaternion; the zero quaternion and those that are not finite give the identity. */
ABUT_API abut_quat abut_quat_normalize(abut_quat q);
/* The axis need not be of unit length; a zero axis gives the identity. */
ABUT_API abut_quat abut_quat_from_axis_angle(abut_vec3 axis, double radians);
/* Angle in [0, pi], axis of unit length ((1,0,0) when the angle is 0); accurate near 0, near pi
 * and at pi. */
ABUT_API void abut_quat_to_axis_angle(abut_quat q, abut_vec3 *axis, double *radians);
ABUT_API abut_mat3 abut_quat_to_mat3(abut_quat q);
/* The rotation nearest to m in the least-squares sense, when m is a rotation up to rounding. */
ABUT_API abut_quat abut_quat_from_mat3(const abut_mat3 *m);
/* Constant angular velocity from a (s = 0) to b (s = 1), the shorter way. */
ABUT_API abut_quat abut_quat_slerp(abut_quat a, abut_quat b, double s);

/* Eigenvalues in ascending order and the matching unit eigenvectors (columns of `vectors`, a
 * rotation) of a symmetric matrix; only its upper triangle is read. */
ABUT_API void abut_mat3_symmetric_eigen(const abut_mat3 *a, abut_vec3 *values, abut_mat3 *vectors);

#ifdef __cplusplus
}
#endif

#endif
