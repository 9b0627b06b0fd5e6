/* SPDX-License-Identifier: MIT */
/* 3x3 matrices and affine maps in plain doubles. */
#include "math/vec3.h"

abut_mat3 abut_mat3_identity(void)
{
    return (abut_mat3){ { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
}

abut_mat3 abut_mat3_mul(const abut_mat3 *a, const abut_mat3 *b)
{
    abut_mat3 c;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            c.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
    return c;
}

abut_mat3 abut_mat3_transpose(const abut_mat3 *a)
{
    abut_mat3 c;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            c.m[i][j] = a->m[j][i];
    return c;
}

/* Rows of the transposed matrix of cofactors, times the determinant's reciprocal, are the
 * inverse's columns. */
static abut_vec3 row(const abut_mat3 *a, int i)
{
    return abut_v3(a->m[i][0], a->m[i][1], a->m[i][2]);
}

double abut_mat3_det(const abut_mat3 *a)
{
    return abut_dot(row(a, 0), abut_cross(row(a, 1), row(a, 2)));
}

bool abut_mat3_inverse(const abut_mat3 *a, abut_mat3 *out)
{
    const double det = abut_mat3_det(a);
    const double scale = 1 / det;
    if (det == 0 || !isfinite(det) || !isfinite(scale))
        return false;
    const abut_vec3 c[3] = { abut_cross(row(a, 1), row(a, 2)), abut_cross(row(a, 2), row(a, 0)),
                             abut_cross(row(a, 0), row(a, 1)) };
    for (int j = 0; j < 3; ++j) {
        out->m[0][j] = scale * c[j].x;
        out->m[1][j] = scale * c[j].y;
        out->m[2][j] = scale * c[j].z;
    }
    return true;
}

abut_affine abut_affine_identity(void)
{
    return (abut_affine){ .linear = abut_mat3_identity() };
}

abut_affine abut_affine_compose(const abut_affine *b_in_a, const abut_affine *c_in_b)
{
    return (abut_affine){ .linear = abut_mat3_mul(&b_in_a->linear, &c_in_b->linear),
                          .translation = abut_affine_apply(b_in_a, c_in_b->translation) };
}
