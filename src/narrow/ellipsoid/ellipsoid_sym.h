/* SPDX-License-Identifier: MIT */
/* Symmetric matrices of three rows, in plain doubles. */
#ifndef ABUT_NARROW_ELLIPSOID_ELLIPSOID_SYM_H
#define ABUT_NARROW_ELLIPSOID_ELLIPSOID_SYM_H

#include "math/vec3.h"

typedef struct sym3 {
    double xx, yy, zz, xy, xz, yz;
} sym3;

static inline double abut_sym3_row(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* L L^T; entries are off by 3 u of the product of their rows' lengths. */
static inline sym3 abut_sym3_square(const abut_mat3 *m)
{
    const double *x = m->m[0], *y = m->m[1], *z = m->m[2];
    return (sym3){ abut_sym3_row(x, x), abut_sym3_row(y, y), abut_sym3_row(z, z),
                   abut_sym3_row(x, y), abut_sym3_row(x, z), abut_sym3_row(y, z) };
}

/* a + m b, l b - a, s a */
static inline sym3 abut_sym3_mix(const sym3 *a, double m, const sym3 *b)
{
    return (sym3){ a->xx + m * b->xx, a->yy + m * b->yy, a->zz + m * b->zz,
                   a->xy + m * b->xy, a->xz + m * b->xz, a->yz + m * b->yz };
}

static inline sym3 abut_sym3_mix_minus(double l, const sym3 *b, const sym3 *a)
{
    return (sym3){ l * b->xx - a->xx, l * b->yy - a->yy, l * b->zz - a->zz,
                   l * b->xy - a->xy, l * b->xz - a->xz, l * b->yz - a->yz };
}

static inline sym3 abut_sym3_scale(double s, const sym3 *a)
{
    return (sym3){ s * a->xx, s * a->yy, s * a->zz, s * a->xy, s * a->xz, s * a->yz };
}

static inline sym3 abut_sym3_adjugate(const sym3 *g)
{
    return (sym3){ g->yy * g->zz - g->yz * g->yz, g->xx * g->zz - g->xz * g->xz,
                   g->xx * g->yy - g->xy * g->xy, g->xz * g->yz - g->xy * g->zz,
                   g->xy * g->yz - g->xz * g->yy, g->xy * g->xz - g->xx * g->yz };
}

static inline double abut_sym3_determinant(const sym3 *g, const sym3 *adj)
{
    return g->xx * adj->xx + g->xy * adj->xy + g->xz * adj->xz;
}

static inline abut_vec3 abut_sym3_apply(const sym3 *g, abut_vec3 a)
{
    return abut_v3(g->xx * a.x + g->xy * a.y + g->xz * a.z, g->xy * a.x + g->yy * a.y + g->yz * a.z,
                   g->xz * a.x + g->yz * a.y + g->zz * a.z);
}

static inline double abut_sym3_determinant9(const abut_mat3 *m)
{
    const double *x = m->m[0], *y = m->m[1], *z = m->m[2];
    return x[0] * (y[1] * z[2] - y[2] * z[1]) + x[1] * (y[2] * z[0] - y[0] * z[2]) +
           x[2] * (y[0] * z[1] - y[1] * z[0]);
}

#endif
