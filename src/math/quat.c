/* SPDX-License-Identifier: MIT */
/* Quaternions as rotations, in plain doubles.
 *
 * Method: the angle always comes from atan2 of the lengths of the two parts, never from acos, which
 * loses half the digits near 0 and near pi. Quaternions of any size are accepted: they are scaled
 * by a power of two first, which is exact.
 *
 * Surprise: the shorter way between two rotations that are half a turn apart is a tie; it is
 * broken by the signs of the quaternions as they were given (docs/notes/motion-enclosures.md). */
#include "math/vec3.h"

static double largest(abut_quat q)
{
    return fmax(fmax(fabs(q.w), fabs(q.x)), fmax(fabs(q.y), fabs(q.z)));
}

static bool is_rotation(abut_quat q)
{
    return isfinite(q.w) && isfinite(q.x) && isfinite(q.y) && isfinite(q.z) && largest(q) > 0;
}

static abut_quat times(double s, abut_quat q)
{
    return (abut_quat){ s * q.w, s * q.x, s * q.y, s * q.z };
}

/* Same direction, largest component in [1/2, 1); q is a rotation. Two steps, since 2^1074 is not
 * a double. */
static abut_quat near_one(abut_quat q)
{
    int exponent;
    (void)frexp(largest(q), &exponent);
    const int half = exponent / 2;
    return times(ldexp(1, half - exponent), times(ldexp(1, -half), q));
}

abut_quat abut_quat_identity(void)
{
    return (abut_quat){ 1, 0, 0, 0 };
}

abut_quat abut_quat_normalize(abut_quat q)
{
    if (!is_rotation(q))
        return abut_quat_identity();
    const abut_quat s = near_one(q);
    const double length = sqrt(abut_quat_dot(s, s));
    return (abut_quat){ s.w / length, s.x / length, s.y / length, s.z / length };
}

abut_quat abut_quat_from_axis_angle(abut_vec3 axis, double radians)
{
    const abut_vec3 none = { 0, 0, 0 };
    const abut_vec3 unit = abut_unit_or(axis, none);
    if (abut_max_norm(unit) == 0 || !isfinite(radians) || !abut_is_finite3(axis))
        return abut_quat_identity();
    const abut_vec3 v = abut_scale(sin(radians / 2), unit);
    return (abut_quat){ cos(radians / 2), v.x, v.y, v.z };
}

void abut_quat_to_axis_angle(abut_quat q, abut_vec3 *axis, double *radians)
{
    abut_vec3 no_axis;
    double no_radians;
    axis = axis ? axis : &no_axis;
    radians = radians ? radians : &no_radians;
    *axis = (abut_vec3){ 1, 0, 0 };
    *radians = 0;
    if (!is_rotation(q))
        return;
    /* Not near_one: a vector part of 1e-300 beside w = 1 must survive. Only lengths that would
     * overflow are scaled. */
    if (largest(q) > 0x1p1000)
        q = times(0x1p-100, q);
    if (q.w < 0)
        q = times(-1, q);
    const abut_vec3 v = { q.x, q.y, q.z };
    *axis = abut_unit_or(v, *axis);
    *radians = 2 * atan2(abut_length(v), q.w);
}

abut_mat3 abut_quat_to_mat3(abut_quat q)
{
    if (!is_rotation(q))
        return abut_mat3_identity();
    const abut_quat p = near_one(q);
    const double s = 2 / abut_quat_dot(p, p);
    const double xx = s * p.x * p.x, yy = s * p.y * p.y, zz = s * p.z * p.z;
    const double xy = s * p.x * p.y, xz = s * p.x * p.z, yz = s * p.y * p.z;
    const double wx = s * p.w * p.x, wy = s * p.w * p.y, wz = s * p.w * p.z;
    return (abut_mat3){ { { 1 - (yy + zz), xy - wz, xz + wy },
                          { xy + wz, 1 - (xx + zz), yz - wx },
                          { xz - wy, yz + wx, 1 - (xx + yy) } } };
}

/* Shepperd's method: divide by the largest of the four components, found from the trace and the
 * diagonal. */
static abut_quat shepperd(const abut_mat3 *a)
{
    const double x = a->m[0][0], y = a->m[1][1], z = a->m[2][2];
    const double four[4] = { 1 + x + y + z, 1 + x - y - z, 1 - x + y - z, 1 - x - y + z };
    int best = 0;
    for (int i = 1; i < 4; ++i)
        if (four[i] > four[best])
            best = i;
    const double sx = a->m[2][1] - a->m[1][2], sy = a->m[0][2] - a->m[2][0], sz = a->m[1][0] - a->m[0][1];
    const double xy = a->m[0][1] + a->m[1][0], xz = a->m[0][2] + a->m[2][0], yz = a->m[1][2] + a->m[2][1];
    const abut_quat rows[4] = {
        { four[0], sx, sy, sz }, { sx, four[1], xy, xz }, { sy, xy, four[2], yz }, { sz, xz, yz, four[3] }
    };
    return abut_quat_normalize(rows[best]);
}

/* Shepperd's answer depends on which component was largest when m is off by rounding. What is
 * left of m after undoing it is I + symmetric + skew, all small; turning by the skew part
 * removes it to second order, and the nearest rotation is the one that leaves none. */
abut_quat abut_quat_from_mat3(const abut_mat3 *m)
{
    if (!m)
        return abut_quat_identity();
    abut_quat q = shepperd(m);
    for (int pass = 0; pass < 2; ++pass) {
        const abut_mat3 r = abut_quat_to_mat3(q), undo = abut_mat3_transpose(&r);
        const abut_mat3 left = abut_mat3_mul(&undo, m);
        const abut_quat turn = { 1, (left.m[2][1] - left.m[1][2]) / 4, (left.m[0][2] - left.m[2][0]) / 4,
                                 (left.m[1][0] - left.m[0][1]) / 4 };
        q = abut_quat_normalize(abut_quat_mul(q, turn));
    }
    return q;
}

abut_quat abut_quat_slerp(abut_quat a, abut_quat b, double s)
{
    a = abut_quat_normalize(a);
    b = abut_quat_normalize(b);
    abut_quat turn = abut_quat_mul(abut_quat_conjugate(a), b);
    if (turn.w < 0)
        turn = times(-1, turn);
    const abut_vec3 v = { turn.x, turn.y, turn.z };
    const double half = atan2(abut_length(v), turn.w);
    const abut_vec3 part = abut_scale(sin(s * half), abut_unit_or(v, abut_v3(0, 0, 0)));
    return abut_quat_normalize(abut_quat_mul(a, (abut_quat){ cos(s * half), part.x, part.y, part.z }));
}
