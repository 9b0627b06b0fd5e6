/* SPDX-License-Identifier: MIT */
/* Vectors and matrices in plain doubles, inline. */
#ifndef ABUT_MATH_VEC3_H
#define ABUT_MATH_VEC3_H

#include "abut/math.h"

#include <math.h>

static inline abut_vec3 abut_v3(double x, double y, double z)
{
    return (abut_vec3){ x, y, z };
}

static inline abut_vec3 abut_add(abut_vec3 a, abut_vec3 b)
{
    return (abut_vec3){ a.x + b.x, a.y + b.y, a.z + b.z };
}

static inline abut_vec3 abut_sub(abut_vec3 a, abut_vec3 b)
{
    return (abut_vec3){ a.x - b.x, a.y - b.y, a.z - b.z };
}

static inline abut_vec3 abut_scale(double s, abut_vec3 a)
{
    return (abut_vec3){ s * a.x, s * a.y, s * a.z };
}

/* a + s b */
static inline abut_vec3 abut_madd(abut_vec3 a, double s, abut_vec3 b)
{
    return (abut_vec3){ a.x + s * b.x, a.y + s * b.y, a.z + s * b.z };
}

static inline double abut_dot(abut_vec3 a, abut_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline abut_vec3 abut_cross(abut_vec3 a, abut_vec3 b)
{
    return (abut_vec3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

static inline bool abut_is_finite3(abut_vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

/* Largest coordinate in size. */
static inline double abut_max_norm(abut_vec3 a)
{
    return fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
}

/* Length without overflow or underflow on the way. */
static inline double abut_length(abut_vec3 a)
{
    const double m = abut_max_norm(a);
    if (!(m > 0) || isinf(m))
        return m;
    const abut_vec3 s = { a.x / m, a.y / m, a.z / m };
    return m * sqrt(abut_dot(s, s));
}

/* Unit vector along a, for any size of a; `otherwise` where a is zero or not finite. */
static inline abut_vec3 abut_unit_or(abut_vec3 a, abut_vec3 otherwise)
{
    const double m = abut_max_norm(a);
    if (!(m > 0) || !abut_is_finite3(a))
        return otherwise;
    const abut_vec3 s = { a.x / m, a.y / m, a.z / m };
    return abut_scale(1 / sqrt(abut_dot(s, s)), s);
}

static inline abut_vec3 abut_mul(const abut_mat3 *m, abut_vec3 a)
{
    return (abut_vec3){ m->m[0][0] * a.x + m->m[0][1] * a.y + m->m[0][2] * a.z,
                        m->m[1][0] * a.x + m->m[1][1] * a.y + m->m[1][2] * a.z,
                        m->m[2][0] * a.x + m->m[2][1] * a.y + m->m[2][2] * a.z };
}

/* Transpose times vector: the inverse rotation when m is one. */
static inline abut_vec3 abut_mul_t(const abut_mat3 *m, abut_vec3 a)
{
    return (abut_vec3){ m->m[0][0] * a.x + m->m[1][0] * a.y + m->m[2][0] * a.z,
                        m->m[0][1] * a.x + m->m[1][1] * a.y + m->m[2][1] * a.z,
                        m->m[0][2] * a.x + m->m[1][2] * a.y + m->m[2][2] * a.z };
}

abut_mat3 abut_mat3_identity(void);
abut_mat3 abut_mat3_mul(const abut_mat3 *a, const abut_mat3 *b);
abut_mat3 abut_mat3_transpose(const abut_mat3 *a);
double abut_mat3_det(const abut_mat3 *a);
/* false, and nothing written, where the determinant is zero or not finite. */
bool abut_mat3_inverse(const abut_mat3 *a, abut_mat3 *out);

static inline abut_vec3 abut_affine_apply(const abut_affine *b_in_a, abut_vec3 p)
{
    return abut_add(abut_mul(&b_in_a->linear, p), b_in_a->translation);
}

abut_affine abut_affine_identity(void);
abut_affine abut_affine_compose(const abut_affine *b_in_a, const abut_affine *c_in_b);

static inline abut_quat abut_quat_mul(abut_quat a, abut_quat b)
{
    return (abut_quat){ a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w };
}

static inline abut_quat abut_quat_conjugate(abut_quat q)
{
    return (abut_quat){ q.w, -q.x, -q.y, -q.z };
}

static inline double abut_quat_dot(abut_quat a, abut_quat b)
{
    return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline double abut_part3(abut_vec3 v, int i)
{
    return i == 0 ? v.x : i == 1 ? v.y : v.z;
}

/* Orthonormal columns to a few ulp, of which the first is the unit vector x. */
static inline abut_mat3 abut_basis_along(abut_vec3 x)
{
    const double ax = fabs(x.x), ay = fabs(x.y), az = fabs(x.z);
    const abut_vec3 other = ax <= ay && ax <= az ? abut_v3(1, 0, 0)
                            : ay <= az           ? abut_v3(0, 1, 0)
                                                 : abut_v3(0, 0, 1);
    const abut_vec3 y = abut_unit_or(abut_cross(other, x), abut_v3(0, 1, 0)), z = abut_cross(x, y);
    return (abut_mat3){ { { x.x, y.x, z.x }, { x.y, y.y, z.y }, { x.z, y.z, z.z } } };
}

#endif
