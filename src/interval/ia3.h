/* SPDX-License-Identifier: MIT */
/* Interval 3-vectors and 3x3 matrices for kernels; the rules of ia.h hold. */
#ifndef ABUT_INTERVAL_IA3_H
#define ABUT_INTERVAL_IA3_H

#include "interval/ia.h"

static inline ia3 ia3_make(ia x, ia y, ia z)
{
    return (ia3){ x, y, z };
}

static inline ia3 ia3_point(abut_vec3 a)
{
    return (ia3){ ia_point(a.x), ia_point(a.y), ia_point(a.z) };
}

static inline ia3 ia3_from(const abut_interval_vec3 *a)
{
    return (ia3){ ia_from(a->x), ia_from(a->y), ia_from(a->z) };
}

static inline abut_interval_vec3 ia3_to(ia3 a)
{
    return (abut_interval_vec3){ ia_to(a.x), ia_to(a.y), ia_to(a.z) };
}

static inline bool ia3_is_empty(ia3 a)
{
    return ia_is_empty(a.x) || ia_is_empty(a.y) || ia_is_empty(a.z);
}

static inline ia3 ia3_neg(ia3 a)
{
    return (ia3){ ia_neg(a.x), ia_neg(a.y), ia_neg(a.z) };
}

static inline ia3 ia3_add(ia3 a, ia3 b)
{
    return (ia3){ ia_add(a.x, b.x), ia_add(a.y, b.y), ia_add(a.z, b.z) };
}

static inline ia3 ia3_sub(ia3 a, ia3 b)
{
    return (ia3){ ia_sub(a.x, b.x), ia_sub(a.y, b.y), ia_sub(a.z, b.z) };
}

static inline ia3 ia3_scale(ia s, ia3 a)
{
    return (ia3){ ia_mul(s, a.x), ia_mul(s, a.y), ia_mul(s, a.z) };
}

static inline ia3 ia3_hull(ia3 a, ia3 b)
{
    return (ia3){ ia_hull(a.x, b.x), ia_hull(a.y, b.y), ia_hull(a.z, b.z) };
}

static inline ia3 ia3_intersect(ia3 a, ia3 b)
{
    return (ia3){ ia_intersect(a.x, b.x), ia_intersect(a.y, b.y), ia_intersect(a.z, b.z) };
}

static inline abut_vec3 ia3_mid(ia3 a)
{
    return (abut_vec3){ ia_mid(a.x), ia_mid(a.y), ia_mid(a.z) };
}

static inline ia ia3_part(ia3 a, int i)
{
    return i == 0 ? a.x : i == 1 ? a.y : a.z;
}

static inline ia ia3_dot(ia3 a, ia3 b)
{
    return ia_add(ia_add(ia_mul(a.x, b.x), ia_mul(a.y, b.y)), ia_mul(a.z, b.z));
}

static inline ia ia3_sqr_norm(ia3 a)
{
    return ia_add(ia_add(ia_sqr(a.x), ia_sqr(a.y)), ia_sqr(a.z));
}

static inline ia3 ia3_cross(ia3 a, ia3 b)
{
    return (ia3){ ia_sub(ia_mul(a.y, b.z), ia_mul(a.z, b.y)), ia_sub(ia_mul(a.z, b.x), ia_mul(a.x, b.z)),
                  ia_sub(ia_mul(a.x, b.y), ia_mul(a.y, b.x)) };
}

static inline ia33 ia33_identity(void)
{
    const ia zero = ia_point(0), one = ia_point(1);
    return (ia33){ { { one, zero, zero }, { zero, one, zero }, { zero, zero, one } } };
}

static inline ia33 ia33_point(const abut_mat3 *a)
{
    ia33 out;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out.m[i][j] = ia_point(a->m[i][j]);
    return out;
}

static inline ia33 ia33_from(const abut_interval_mat3 *a)
{
    ia33 out;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out.m[i][j] = ia_from(a->m[i][j]);
    return out;
}

static inline abut_interval_mat3 ia33_to(const ia33 *a)
{
    abut_interval_mat3 out;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out.m[i][j] = ia_to(a->m[i][j]);
    return out;
}

static inline ia33 ia33_add(const ia33 *a, const ia33 *b)
{
    ia33 out;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out.m[i][j] = ia_add(a->m[i][j], b->m[i][j]);
    return out;
}

static inline ia33 ia33_sub(const ia33 *a, const ia33 *b)
{
    ia33 out;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out.m[i][j] = ia_sub(a->m[i][j], b->m[i][j]);
    return out;
}

static inline ia33 ia33_scale(ia s, const ia33 *a)
{
    ia33 out;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out.m[i][j] = ia_mul(s, a->m[i][j]);
    return out;
}

static inline ia33 ia33_transpose(const ia33 *a)
{
    ia33 out;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out.m[i][j] = a->m[j][i];
    return out;
}

static inline ia3 ia33_row(const ia33 *a, int i)
{
    return (ia3){ a->m[i][0], a->m[i][1], a->m[i][2] };
}

/* Matrix times vector. */
static inline ia3 ia33_mul3(const ia33 *a, ia3 b)
{
    return (ia3){ ia3_dot(ia33_row(a, 0), b), ia3_dot(ia33_row(a, 1), b), ia3_dot(ia33_row(a, 2), b) };
}

/* Rows are the cross products of the other rows: M^-T det M. */
static inline ia33 ia33_cofactors(const ia33 *m)
{
    ia33 out;
    for (int i = 0; i < 3; ++i) {
        const ia3 row = ia3_cross(ia33_row(m, (i + 1) % 3), ia33_row(m, (i + 2) % 3));
        out.m[i][0] = row.x;
        out.m[i][1] = row.y;
        out.m[i][2] = row.z;
    }
    return out;
}

static inline ia ia33_determinant(const ia33 *m)
{
    return ia3_dot(ia33_row(m, 0), ia3_cross(ia33_row(m, 1), ia33_row(m, 2)));
}

static inline ia33 ia33_entire(void)
{
    ia33 out;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out.m[i][j] = ia_entire();
    return out;
}

/* By cofactors. False where some matrix of the enclosure may be singular; the result is then
 * entire. */
static inline bool ia33_invert(const ia33 *m, ia33 *out)
{
    const ia det = ia33_determinant(m);
    if (ia_contains_zero(det) || !ia_is_finite(det)) {
        *out = ia33_entire();
        return false;
    }
    const ia33 c = ia33_cofactors(m);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out->m[i][j] = ia_div(c.m[j][i], det);
    return true;
}

/* Matrix times matrix. */
static inline ia33 ia33_mul(const ia33 *a, const ia33 *b)
{
    ia33 out;
    for (int j = 0; j < 3; ++j) {
        const ia3 column = { b->m[0][j], b->m[1][j], b->m[2][j] };
        for (int i = 0; i < 3; ++i)
            out.m[i][j] = ia3_dot(ia33_row(a, i), column);
    }
    return out;
}

/* x -> linear x + translation */
typedef struct ia_affine {
    ia33 linear;
    ia3 translation;
} ia_affine;

static inline ia_affine ia_affine_from(const abut_interval_affine *a)
{
    return (ia_affine){ ia33_from(&a->linear), ia3_from(&a->translation) };
}

static inline abut_interval_affine ia_affine_to(const ia_affine *a)
{
    return (abut_interval_affine){ ia33_to(&a->linear), ia3_to(a->translation) };
}

static inline ia3 ia_affine_apply(const ia_affine *a, ia3 x)
{
    return ia3_add(ia33_mul3(&a->linear, x), a->translation);
}

#endif
