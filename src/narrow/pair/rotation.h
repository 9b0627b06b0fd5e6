/* SPDX-License-Identifier: MIT */
/* Rotations of poses in plain doubles, with error bounds known beforehand. u = 2^-53. Rounding
 * is to nearest. */
#ifndef ABUT_NARROW_PAIR_ROTATION_H
#define ABUT_NARROW_PAIR_ROTATION_H

#include "narrow/pair/pair.h"

#include "math/vec3.h"

#define ABUT_ALWAYS_INLINE static inline __attribute__((always_inline))

/* A quaternion with two parts of different sizes, both not 0: none of the 24 rotations that map
 * axes to axes, which are exact. */
ABUT_ALWAYS_INLINE bool abut_quick_is_turned(abut_quat q)
{
    const double w = fabs(q.w), x = fabs(q.x), y = fabs(q.y), z = fabs(q.z);
    const double wx = w > x ? w : x, yz = y > z ? y : z, most = wx > yz ? wx : yz;
    return (w != 0 && w != most) | (x != 0 && x != most) | (y != 0 && y != most) | (z != 0 && z != most);
}

/* Not a NaN, not infinite, not zero; false for some huge ones as well. */
ABUT_ALWAYS_INLINE bool abut_quick_is_usable(abut_quat q)
{
    const double size = fabs(q.w) + fabs(q.x) + fabs(q.y) + fabs(q.z);
    return size > 0 && size <= 0x1p1000;
}

/* |q|^2, off by 3 u of itself; far from where products of it overflow or underflow when
 * abut_quick_norm_is_usual. */
ABUT_ALWAYS_INLINE double abut_quick_norm(abut_quat q)
{
    return (q.w * q.w + q.x * q.x) + (q.y * q.y + q.z * q.z);
}

ABUT_ALWAYS_INLINE bool abut_quick_norm_is_usual(double n)
{
    return n >= 0x1p-100 && n <= 0x1p100;
}

/* |q|^2 R(q): entries off by 3 u |q|^2 on the diagonal and 2 u |q|^2 beside it, 7.15 u |q|^2 in
 * the Frobenius norm. */
ABUT_ALWAYS_INLINE void abut_quick_matrix(abut_quat q, double m[3][3])
{
    const double ww = q.w * q.w, xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    const double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z, xy = q.x * q.y, xz = q.x * q.z,
                 yz = q.y * q.z;
    m[0][0] = (ww + xx) - (yy + zz);
    m[0][1] = 2 * (xy - wz);
    m[0][2] = 2 * (xz + wy);
    m[1][0] = 2 * (xy + wz);
    m[1][1] = (ww + yy) - (xx + zz);
    m[1][2] = 2 * (yz - wx);
    m[2][0] = 2 * (xz - wy);
    m[2][1] = 2 * (yz + wx);
    m[2][2] = (ww + zz) - (xx + yy);
}

/* Numbers of two bodies side by side. */
typedef double abut_quick_both __attribute__((vector_size(16)));

/* The same for two quaternions, and their |q|^2. */
ABUT_ALWAYS_INLINE abut_quick_both abut_quick_matrices(abut_quat p, abut_quat q, abut_quick_both m[3][3])
{
    const abut_quick_both w = { p.w, q.w }, x = { p.x, q.x }, y = { p.y, q.y }, z = { p.z, q.z };
    const abut_quick_both ww = w * w, xx = x * x, yy = y * y, zz = z * z, two = { 2, 2 };
    const abut_quick_both wx = w * x, wy = w * y, wz = w * z, xy = x * y, xz = x * z, yz = y * z;
    m[0][0] = (ww + xx) - (yy + zz);
    m[0][1] = two * (xy - wz);
    m[0][2] = two * (xz + wy);
    m[1][0] = two * (xy + wz);
    m[1][1] = (ww + yy) - (xx + zz);
    m[1][2] = two * (yz - wx);
    m[2][0] = two * (xz - wy);
    m[2][1] = two * (yz + wx);
    m[2][2] = (ww + zz) - (xx + yy);
    return (ww + xx) + (yy + zz);
}

/* s times the z axis of the rotation, for s = h / |q|^2: off by 4.2 u (the three entries) + 3
 * (|q|^2) + 2 (the quotient and the product), below 10 u h. */
ABUT_ALWAYS_INLINE abut_vec3 abut_quick_axis(abut_quat q, double s)
{
    return abut_v3(2 * (q.x * q.z + q.w * q.y) * s, 2 * (q.y * q.z - q.w * q.x) * s,
                   ((q.w * q.w + q.z * q.z) - (q.x * q.x + q.y * q.y)) * s);
}

#endif
