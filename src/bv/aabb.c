/* SPDX-License-Identifier: MIT */
/* Boxes along the axes of the tree: oriented boxes whose rotation is the same for the whole
 * walk. */
#include "bv/sat.h"
#include "bv/volume.h"
#include "math/vec3.h"

static void fit(const abut_vec3 *points, const double *radii, size_t count, const abut_mat3 *axes, float *out)
{
    (void)axes;
    double lo[3] = { INFINITY, INFINITY, INFINITY }, hi[3] = { -INFINITY, -INFINITY, -INFINITY };
    for (size_t i = 0; i < count; ++i) {
        const double r = radii ? radii[i] : 0, p[3] = { points[i].x, points[i].y, points[i].z };
        for (int k = 0; k < 3; ++k) {
            lo[k] = p[k] - r < lo[k] ? p[k] - r : lo[k];
            hi[k] = p[k] + r > hi[k] ? p[k] + r : hi[k];
        }
    }
    for (int k = 0; k < 3; ++k) {
        out[k] = abut_bv_down(lo[k] - ABUT_BV_SLACK);
        out[3 + k] = abut_bv_up(hi[k] + ABUT_BV_SLACK);
    }
}

static void merge(const float *a, const float *b, float *out)
{
    for (int k = 0; k < 3; ++k) {
        out[k] = a[k] < b[k] ? a[k] : b[k];
        out[3 + k] = a[3 + k] > b[3 + k] ? a[3 + k] : b[3 + k];
    }
}

static double size(const float *v)
{
    return (double)(v[3] - v[0]) + (double)(v[4] - v[1]) + (double)(v[5] - v[2]);
}

static void place(const abut_bv_pair *pair, const float *b, abut_bv_placed *out)
{
    double middle[3];
    for (int k = 0; k < 3; ++k) {
        middle[k] = 0.5 * pair->scale_b * ((double)b[k] + b[3 + k]);
        out->half[k] = 0.5 * pair->scale_b * ((double)b[3 + k] - b[k]);
    }
    out->centre = abut_add(pair->t, abut_mul(&pair->r, abut_v3(middle[0], middle[1], middle[2])));
}

static inline void set(const abut_bv_pair *pair, const float *a, const abut_bv_placed *b, abut_sat *s)
{
    const double h = 0.5 * pair->scale_a, centre[3] = { b->centre.x, b->centre.y, b->centre.z };
    for (int i = 0; i < 3; ++i) {
        s->t[i] = centre[i] - h * ((double)a[i] + a[3 + i]);
        s->a[i] = h * ((double)a[3 + i] - a[i]);
        s->b[i] = b->half[i];
        for (int j = 0; j < 3; ++j)
            s->c[i][j] = pair->r.m[i][j];
    }
}

static bool apart(const abut_bv_pair *pair, const float *a, const abut_bv_placed *b, double reach)
{
    abut_sat s;
    set(pair, a, b, &s);
    return abut_sat_apart(&s, pair->margin + reach);
}

static double lower(const abut_bv_pair *pair, const float *a, const abut_bv_placed *b)
{
    abut_sat s;
    set(pair, a, b, &s);
    return abut_sat_lower(&s, pair->margin);
}

const abut_bv_kind abut_bv_aabb = { .volume = ABUT_VOLUME_AABB,
                                    .floats = 6,
                                    .fit = fit,
                                    .merge = merge,
                                    .size = size,
                                    .place = place,
                                    .apart = apart,
                                    .lower = lower };
