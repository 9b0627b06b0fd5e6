/* SPDX-License-Identifier: MIT */
/* Exact matrices of planes and quadrics; see matrix.h. */
#include "intersect/matrix.h"

#include <math.h>

static void number(abut_long *r, double x)
{
    abut_long_from(r, x);
}

/* r = r + a b */
static void add_product(abut_long *r, const abut_long *a, const abut_long *b)
{
    abut_long t;
    abut_long_mul(&t, a, b);
    abut_long_add(r, r, &t);
}

/* With the symmetric 3 by 3 matrix q: (x - p)' q (x - p) + k. */
static void centred(const abut_long q[3][3], const abut_long p[3], const abut_long *k, abut_exact_matrix *out)
{
    abut_long zero, sum;
    number(&zero, 0);
    out->m[3][3] = *k;
    for (int i = 0; i < 3; ++i) {
        number(&sum, 0);
        for (int j = 0; j < 3; ++j) {
            out->m[i][j] = q[i][j];
            add_product(&sum, &q[i][j], &p[j]);
        }
        add_product(&out->m[3][3], &sum, &p[i]);
        abut_long_sub(&out->m[i][3], &zero, &sum);
        out->m[3][i] = out->m[i][3];
    }
}

bool abut_matrix_exact(const abut_solid_surface *s, abut_exact_matrix *out)
{
    const double at[3] = { s->point.x, s->point.y, s->point.z },
                 axis[3] = { s->axis.x, s->axis.y, s->axis.z };
    abut_long p[3], a[3], q[3][3], k, size, t;
    if (s->kind == ABUT_SOLID_TORUS)
        return false;
    if (s->kind == ABUT_SOLID_QUADRIC) {
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j)
                number(&out->m[i][j], s->matrix[i][j]);
        return true;
    }
    number(&size, 0);
    number(&k, 0);
    for (int i = 0; i < 3; ++i) {
        number(&p[i], at[i]);
        number(&a[i], axis[i]);
        add_product(&size, &a[i], &a[i]);
    }
    if (s->kind == ABUT_SOLID_PLANE) {
        /* 2 (a x - a p) */
        number(&t, 0);
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j)
                out->m[i][j] = i == 3 && j < 3 ? a[j] : j == 3 && i < 3 ? a[i] : t;
        for (int i = 0; i < 3; ++i)
            add_product(&k, &a[i], &p[i]);
        abut_long_add(&k, &k, &k);
        abut_long_sub(&out->m[3][3], &t, &k);
        return abut_long_sign(&out->m[3][3]) != 2;
    }
    number(&t, s->kind == ABUT_SOLID_CONE ? s->tangent : s->radius);
    abut_long_mul(&t, &t, &t);
    const abut_long square = t;
    if (s->kind == ABUT_SOLID_SPHERE)
        number(&size, 1);
    /* sphere: 1; cylinder: |a|^2 - a a'; cone: |a|^2 - (1 + k^2) a a' */
    abut_long factor;
    number(&factor, s->kind == ABUT_SOLID_SPHERE ? 0 : 1);
    if (s->kind == ABUT_SOLID_CONE)
        abut_long_add(&factor, &factor, &square);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            abut_long_mul(&t, &a[i], &a[j]);
            abut_long_mul(&t, &t, &factor);
            if (i == j)
                q[i][j] = size;
            else
                number(&q[i][j], 0);
            abut_long_sub(&q[i][j], &q[i][j], &t);
        }
    if (s->kind != ABUT_SOLID_CONE) {
        abut_long_mul(&t, &square, &size);
        abut_long_sub(&k, &k, &t);
    }
    centred((const abut_long(*)[3])q, p, &k, out);
    return abut_long_sign(&out->m[3][3]) != 2;
}

bool abut_matrix_is_plane(const abut_exact_matrix *a)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j <= i; ++j)
            if (abut_long_sign(&a->m[i][j]) != 0)
                return false;
    return true;
}

bool abut_matrix_reduce(const abut_exact_matrix *a, abut_exact_matrix *b)
{
    int row = -1, column = -1;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j <= i; ++j)
            if (abut_long_sign(&a->m[i][j]) % 2 != 0) {
                row = i;
                column = j;
            }
    if (row < 0)
        return false;
    const abut_long fa = a->m[row][column], fb = b->m[row][column];
    abut_exact_matrix r;
    abut_long t;
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            abut_long_mul(&r.m[i][j], &fa, &b->m[i][j]);
            abut_long_mul(&t, &fb, &a->m[i][j]);
            abut_long_sub(&r.m[i][j], &r.m[i][j], &t);
        }
    if (!abut_matrix_is_plane(&r) || abut_long_sign(&fb) % 2 == 0)
        return false;
    *b = r;
    return true;
}

/* The 2 by 2 minor of the entries u and v. */
static void minor_of(const abut_exact_matrix *a, const abut_exact_matrix *b, int u, int v, abut_long *r)
{
    abut_long t;
    abut_long_mul(r, &a->m[u / 4][u % 4], &b->m[v / 4][v % 4]);
    abut_long_mul(&t, &a->m[v / 4][v % 4], &b->m[u / 4][u % 4]);
    abut_long_sub(r, r, &t);
}

bool abut_matrix_depends(const abut_exact_matrix *a, const abut_exact_matrix *b, const abut_exact_matrix *c)
{
    abut_long d, cb, ac, sum, t;
    int u = 0, v = 0;
    bool found = false;
    for (int i = 0; i < 16 && !found; ++i)
        for (int j = i + 1; j < 16 && !found; ++j) {
            minor_of(a, b, i, j, &d);
            if (abut_long_sign(&d) % 2 != 0) {
                u = i;
                v = j;
                found = true;
            }
        }
    if (!found)
        return false;
    minor_of(a, b, u, v, &d);
    minor_of(c, b, u, v, &cb);
    minor_of(a, c, u, v, &ac);
    /* d c = cb a + ac b */
    for (int i = 0; i < 16; ++i) {
        abut_long_mul(&sum, &cb, &a->m[i / 4][i % 4]);
        add_product(&sum, &ac, &b->m[i / 4][i % 4]);
        abut_long_mul(&t, &d, &c->m[i / 4][i % 4]);
        abut_long_sub(&sum, &sum, &t);
        if (abut_long_sign(&sum) != 0)
            return false;
    }
    return true;
}

int abut_matrix_sign(const abut_exact_matrix *a, abut_vec3 p)
{
    abut_long x[4], sum, row;
    number(&x[0], p.x);
    number(&x[1], p.y);
    number(&x[2], p.z);
    number(&x[3], 1);
    number(&sum, 0);
    for (int i = 0; i < 4; ++i) {
        number(&row, 0);
        for (int j = 0; j < 4; ++j)
            add_product(&row, &a->m[i][j], &x[j]);
        add_product(&sum, &row, &x[i]);
    }
    return abut_long_sign(&sum);
}

bool abut_matrix_singular(const abut_exact_matrix m[3], abut_vec3 p)
{
    abut_long x[4], g[3][3], det, minor, t;
    number(&x[0], p.x);
    number(&x[1], p.y);
    number(&x[2], p.z);
    number(&x[3], 1);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            number(&g[i][j], 0);
            for (int k = 0; k < 4; ++k)
                add_product(&g[i][j], &m[i].m[j][k], &x[k]);
        }
    number(&det, 0);
    for (int j = 0; j < 3; ++j) {
        const int k = (j + 1) % 3, l = (j + 2) % 3;
        abut_long_mul(&minor, &g[1][k], &g[2][l]);
        abut_long_mul(&t, &g[1][l], &g[2][k]);
        abut_long_sub(&minor, &minor, &t);
        add_product(&det, &g[0][j], &minor);
    }
    return abut_long_sign(&det) == 0;
}
