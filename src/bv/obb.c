/* SPDX-License-Identifier: MIT */
/* Oriented boxes: extents by projection on the given axes, as the floats of a quaternion keep
 * them. */
#include "bv/sat.h"
#include "bv/volume.h"
#include "math/vec3.h"

static void fit(const abut_vec3 *points, const double *radii, size_t count, const abut_mat3 *axes, float *out)
{
    abut_bv_quaternion(axes, out);
    const abut_mat3 q = abut_bv_rotation(out);
    double lo[3] = { INFINITY, INFINITY, INFINITY }, hi[3] = { -INFINITY, -INFINITY, -INFINITY };
    for (size_t i = 0; i < count; ++i) {
        const abut_vec3 p = abut_mul_t(&q, points[i]);
        const double r = radii ? radii[i] : 0, x[3] = { p.x, p.y, p.z };
        for (int k = 0; k < 3; ++k) {
            lo[k] = x[k] - r < lo[k] ? x[k] - r : lo[k];
            hi[k] = x[k] + r > hi[k] ? x[k] + r : hi[k];
        }
    }
    const abut_vec3 middle =
        abut_mul(&q, abut_v3(0.5 * (lo[0] + hi[0]), 0.5 * (lo[1] + hi[1]), 0.5 * (lo[2] + hi[2])));
    out[4] = abut_bv_round(middle.x), out[5] = abut_bv_round(middle.y), out[6] = abut_bv_round(middle.z);
    const abut_vec3 rounded = abut_mul_t(&q, abut_v3(out[4], out[5], out[6]));
    const double c[3] = { rounded.x, rounded.y, rounded.z };
    for (int k = 0; k < 3; ++k)
        out[7 + k] = abut_bv_up(fmax(hi[k] - c[k], c[k] - lo[k]) + ABUT_BV_SLACK);
}

static size_t corners(const float *v, abut_vec3 *out, double *radius)
{
    const abut_mat3 q = abut_bv_rotation(v);
    for (int i = 0; i < 8; ++i)
        out[i] =
            abut_add(abut_v3(v[4], v[5], v[6]),
                     abut_mul(&q, abut_v3(i & 1 ? v[7] : -v[7], i & 2 ? v[8] : -v[8], i & 4 ? v[9] : -v[9])));
    *radius = 0;
    return 8;
}

static double size(const float *v)
{
    return (double)v[7] + v[8] + v[9];
}

static void place(const abut_bv_pair *pair, const float *b, abut_bv_placed *out)
{
    const double s = pair->scale_b;
    const abut_mat3 q = abut_bv_rotation(b);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out->axes.m[i][j] =
                pair->r.m[i][0] * q.m[0][j] + pair->r.m[i][1] * q.m[1][j] + pair->r.m[i][2] * q.m[2][j];
    out->centre = abut_add(pair->t, abut_mul(&pair->r, abut_v3(s * b[4], s * b[5], s * b[6])));
    for (int k = 0; k < 3; ++k)
        out->half[k] = s * b[7 + k];
}

/* All but the products of axes, and one row of these. */
static inline abut_mat3 set_centres(const abut_bv_pair *pair, const float *a, const abut_bv_placed *b,
                                    abut_sat *s)
{
    const double u = pair->scale_a;
    const abut_mat3 q = abut_bv_rotation(a);
    const abut_vec3 t =
        abut_mul_t(&q, abut_v3(b->centre.x - u * a[4], b->centre.y - u * a[5], b->centre.z - u * a[6]));
    s->t[0] = t.x, s->t[1] = t.y, s->t[2] = t.z;
    for (int i = 0; i < 3; ++i) {
        s->a[i] = u * a[7 + i];
        s->b[i] = b->half[i];
    }
    return q;
}

static inline void set_row(const abut_mat3 *q, const abut_bv_placed *b, int i, abut_sat *s)
{
    for (int j = 0; j < 3; ++j)
        s->c[i][j] =
            q->m[0][i] * b->axes.m[0][j] + q->m[1][i] * b->axes.m[1][j] + q->m[2][i] * b->axes.m[2][j];
}

static bool apart(const abut_bv_pair *pair, const float *a, const abut_bv_placed *b, double reach)
{
    const double margin = pair->margin + reach;
    abut_sat s;
    const abut_mat3 q = set_centres(pair, a, b, &s);
    for (int i = 0; i < 3; ++i) {
        /* most are apart along one of these, before the other rows are needed */
        set_row(&q, b, i, &s);
        abut_sat_row_sizes(&s, i);
        if (abut_sat_gap_a(&s, i) > margin)
            return true;
    }
    return abut_sat_apart_after_a(&s, margin);
}

static double lower(const abut_bv_pair *pair, const float *a, const abut_bv_placed *b)
{
    abut_sat s;
    const abut_mat3 q = set_centres(pair, a, b, &s);
    for (int i = 0; i < 3; ++i)
        set_row(&q, b, i, &s);
    return abut_sat_lower(&s, pair->margin);
}

const abut_bv_kind abut_bv_obb = { .volume = ABUT_VOLUME_OBB,
                                   .floats = 10,
                                   .oriented = true,
                                   .fit = fit,
                                   .corners = corners,
                                   .size = size,
                                   .place = place,
                                   .apart = apart,
                                   .lower = lower };
