/* SPDX-License-Identifier: MIT */
/* Two meshes and the placement of one in the frame of the other; walks of both. The frame of
 * narrow/triangle.h is as narrow as doubles allow, and costs as much as a walk that soon ends;
 * where only a verdict is wanted, poses go into plain doubles with a wider bound, since exact
 * signs decide behind it. */
#include "math/vec3.h"
#include "narrow/mesh/mesh.h"
#include "narrow/quick/quick.h"

void abut_mesh_pair_set(const abut_pair *pair, abut_mesh_pair *out)
{
    out->a = pair->a;
    out->b = pair->b;
    out->at_a = pair->at_a;
    out->at_b = pair->at_b;
    out->mesh_a = &pair->a->u.faceted;
    out->mesh_b = &pair->b->u.faceted;
    out->counters = (abut_mesh_counters){ 0 };
    abut_triangle_frame_set(pair, abut_mesh_size(pair->b), &out->frame);
}

void abut_mesh_pair_turn(const abut_mesh_pair *pair, abut_mesh_pair *out)
{
    abut_pair places = { pair->b, pair->a, pair->at_b, pair->at_a, NULL };
    abut_place at_a, at_b;
    if (!pair->at_a) { /* poses that were found good */
        (void)abut_place_from_pose(&pair->frame.pose_a, true, &at_a);
        (void)abut_place_from_pose(&pair->frame.pose_b, true, &at_b);
        places.at_a = &at_b;
        places.at_b = &at_a;
    }
    abut_mesh_pair_set(&places, out);
    out->at_a = pair->at_b;
    out->at_b = pair->at_a;
}

/* ---- from poses ---- */

/* Rotation of q / |q|, n = |q|^2. */
static void set_rotation(abut_quat q, double n, abut_mat3 *out)
{
    const double s = 2 / n, x = s * q.x, y = s * q.y, z = s * q.z;
    const double xx = x * q.x, yy = y * q.y, zz = z * q.z, xy = x * q.y, xz = x * q.z, yz = y * q.z,
                 wx = x * q.w, wy = y * q.w, wz = z * q.w;
    *out = (abut_mat3){ { { 1 - (yy + zz), xy - wz, xz + wy },
                          { xy + wz, 1 - (xx + zz), yz - wx },
                          { xz - wy, yz + wx, 1 - (xx + yy) } } };
}

/* Nothing overflows or underflows on the way. */
static bool is_moderate(double norm)
{
    return norm > 0x1p-200 && norm < 0x1p200;
}

/* Error, in norms. Parts of q = conj(qa) qb are sums of four products, off by at most 4 u |q|
 * each: 8 u |q| altogether, 16 u of the rotation. n is off by 9 u and |q|^2 by 16 u, and s is
 * rounded: the matrix I + s (...) is off by 26 u of what differs from I, at most 52 u. Rounding
 * of its entries: 7 u on the diagonal, 3 u off it, 14 u in all; r p + t adds 5 u. Less than 88 u
 * |p|. For t: the difference u, n 5 u and so the matrix 10 u, its entries 14 u, the product 4 u:
 * less than 30 u |d|. */
bool abut_mesh_pair_quick(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                          const abut_pose *pose_b, abut_mesh_pair *out)
{
    if (!pose_a || !pose_b)
        return false;
    const abut_quat qa = pose_a->rotation, qb = pose_b->rotation;
    const double na = abut_quat_dot(qa, qa), nb = abut_quat_dot(qb, qb);
    /* Placements along the axes, and those that differ by a translation, have better frames. */
    if (!is_moderate(na) || !is_moderate(nb) || (!abut_quick_is_turned(qa) && !abut_quick_is_turned(qb)) ||
        (qa.w == qb.w && qa.x == qb.x && qa.y == qb.y && qa.z == qb.z))
        return false;
    abut_triangle_frame *f = &out->frame;
    const abut_vec3 d = abut_sub(pose_b->position, pose_a->position);
    const double far = fabs(d.x) + fabs(d.y) + fabs(d.z);
    set_rotation(qa, na, &f->world.linear);
    set_rotation(abut_quat_mul(abut_quat_conjugate(qa), qb), na * nb, &f->b_in_a.r);
    f->b_in_a.t = abut_mul_t(&f->world.linear, d);
    f->world.translation = pose_a->position;
    f->reach = abut_mesh_size(b);
    f->b_in_a.error = 96 * 0x1p-53 * (f->reach + far) * (1 + 0x1p-50) + 0x1p-1000;
    if (!(f->b_in_a.error < 0x1p900))
        return false;
    f->exact = true;
    f->plain = false;
    f->pose_a = *pose_a;
    f->pose_b = *pose_b;
    out->a = a;
    out->b = b;
    out->at_a = out->at_b = NULL;
    out->mesh_a = &a->u.faceted;
    out->mesh_b = &b->u.faceted;
    out->counters = (abut_mesh_counters){ 0 };
    return true;
}

abut_bvh_walk abut_mesh_pair_walk(abut_mesh_pair *pair)
{
    return (abut_bvh_walk){ .a = { .tree = pair->mesh_a->tree },
                            .b = { .tree = pair->mesh_b->tree },
                            .b_in_a = &pair->frame.b_in_a,
                            .counters = &pair->counters };
}

abut_meet abut_mesh_pair_meet(abut_mesh_pair *pair, uint32_t i, uint32_t j)
{
    abut_vec3 a[3], b[3];
    abut_mesh_corners(pair->mesh_a, i, a);
    abut_mesh_corners(pair->mesh_b, j, b);
    ++pair->counters.triangle_tests;
    return abut_triangle_meet(&pair->frame, a, b, &pair->counters.exact);
}
