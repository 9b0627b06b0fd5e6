/* SPDX-License-Identifier: MIT */
/* Rigid placements in plain doubles. A pose's quaternion may have any length but zero; what
 * comes out has length 1. */
#include "math/vec3.h"

abut_pose abut_pose_identity(void)
{
    return (abut_pose){ { 0, 0, 0 }, { 1, 0, 0, 0 } };
}

abut_pose abut_pose_compose(abut_pose b_in_a, abut_pose c_in_b)
{
    const abut_quat q =
        abut_quat_mul(abut_quat_normalize(b_in_a.rotation), abut_quat_normalize(c_in_b.rotation));
    return (abut_pose){ abut_pose_apply(b_in_a, c_in_b.position), abut_quat_normalize(q) };
}

abut_pose abut_pose_inverse(abut_pose b_in_a)
{
    const abut_mat3 r = abut_quat_to_mat3(b_in_a.rotation);
    return (abut_pose){ abut_scale(-1, abut_mul_t(&r, b_in_a.position)),
                        abut_quat_conjugate(abut_quat_normalize(b_in_a.rotation)) };
}

abut_vec3 abut_pose_apply(abut_pose b_in_a, abut_vec3 point_in_b)
{
    const abut_affine m = abut_affine_from_pose(b_in_a);
    return abut_affine_apply(&m, point_in_b);
}

abut_affine abut_affine_from_pose(abut_pose pose)
{
    return (abut_affine){ abut_quat_to_mat3(pose.rotation), pose.position };
}
