/* SPDX-License-Identifier: MIT */
/* Referee for two placed triangles, in rationals by GMP. Both are placed in the world by q p q*
 * / |q|^2; one is cut by the half-spaces that make up the other, and what is left says how they
 * meet; the squared distance is the least over all pairs of features. */
#ifndef ABUT_ORACLE_TRIANGLE_GMP_H
#define ABUT_ORACLE_TRIANGLE_GMP_H

#include "abut/mesh.h"

#include <gmp.h>

/* What abut_triangle_meet must say. */
abut_meet oracle_triangle_meet(const abut_pose *pose_a, const abut_vec3 a[3], const abut_pose *pose_b,
                               const abut_vec3 b[3]);
/* Squared distance, exactly; `out` is initialised by the caller. */
void oracle_triangle_distance2(const abut_pose *pose_a, const abut_vec3 a[3], const abut_pose *pose_b,
                               const abut_vec3 b[3], mpq_t out);
/* Where a point of b is in a's frame, exactly; coordinates are initialised by the caller. */
void oracle_triangle_relative(const abut_pose *pose_a, const abut_pose *pose_b, abut_vec3 p, mpq_t out[3]);
/* Sign of x^2 - d2 for x >= 0. */
int oracle_compare_square(double x, const mpq_t d2);

#endif
