/* SPDX-License-Identifier: MIT */
/* Referee: how near two ellipsoids of a step are to touching at an instant, in long double, by
 * the contact function of Perram and Wertheim and golden sections. */
#ifndef ABUT_ORACLE_ELLIPSOID_FACTOR_H
#define ABUT_ORACLE_ELLIPSOID_FACTOR_H

#include "abut/ellipsoid.h"

#include <math.h>

typedef struct ref_body {
    long double centre[3], spread[3][3]; /* R D^2 R^T */
} ref_body;

static inline void ref_place(const abut_moving_ellipsoid *e, long double t, ref_body *out)
{
    const double *p = &e->from.rotation.w, *q = &e->to.rotation.w;
    long double a = 0, b = 0, ab = 0, r[4], size = 0;
    for (int i = 0; i < 4; ++i) {
        a += (long double)p[i] * p[i];
        b += (long double)q[i] * q[i];
        ab += (long double)p[i] * q[i];
    }
    a = sqrtl(a);
    b = ab < 0 ? -sqrtl(b) : sqrtl(b);
    for (int i = 0; i < 4; ++i) {
        r[i] = (1 - t) * (p[i] / a) + t * (q[i] / b);
        size += r[i] * r[i];
    }
    const long double w = r[0], x = r[1], y = r[2], z = r[3];
    const long double m[3][3] = {
        { w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y) },
        { 2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x) },
        { 2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z },
    };
    const double *radii = &e->radii.x, *from = &e->from.position.x, *to = &e->to.position.x;
    for (int i = 0; i < 3; ++i) {
        out->centre[i] = (1 - t) * from[i] + t * to[i];
        for (int j = 0; j < 3; ++j) {
            out->spread[i][j] = 0;
            for (int k = 0; k < 3; ++k)
                out->spread[i][j] += m[i][k] * m[j][k] / (size * size) * radii[k] * radii[k];
        }
    }
}

/* l (1 - l) d ((1 - l) A + l B)^-1 d by elimination. */
static inline long double ref_value(const ref_body *a, const ref_body *b, long double l)
{
    long double m[3][4], value = 0;
    for (int i = 0; i < 3; ++i) {
        m[i][3] = b->centre[i] - a->centre[i];
        for (int j = 0; j < 3; ++j)
            m[i][j] = (1 - l) * a->spread[i][j] + l * b->spread[i][j];
    }
    for (int k = 0; k < 3; ++k) {
        /* no pivots: it is positive definite. d M^-1 d is the sum of the squares over the
              * pivots */
        value += m[k][3] * m[k][3] / m[k][k];
        for (int i = k + 1; i < 3; ++i) {
            const long double f = m[i][k] / m[k][k];
            for (int j = k; j < 4; ++j)
                m[i][j] -= f * m[k][j];
        }
    }
    return l * (1 - l) * value;
}

/* The factor by which both must be blown up about their centres until they touch, squared: the
 * greatest value over l. Its logarithm is concave. */
static inline long double ref_contact(const abut_moving_ellipsoid *ea, const abut_moving_ellipsoid *eb,
                                      long double t)
{
    ref_body a, b;
    ref_place(ea, t, &a);
    ref_place(eb, t, &b);
    long double lo = 0, hi = 1;
    const long double g = 0.618033988749894848L;
    long double x = hi - g * (hi - lo), y = lo + g * (hi - lo), fx = ref_value(&a, &b, x),
                fy = ref_value(&a, &b, y);
    for (int i = 0; i < 60; ++i)
        if (fx > fy) {
            hi = y;
            y = x;
            fy = fx;
            x = hi - g * (hi - lo);
            fx = ref_value(&a, &b, x);
        } else {
            lo = x;
            x = y;
            fx = fy;
            y = lo + g * (hi - lo);
            fy = ref_value(&a, &b, y);
        }
    return fx > fy ? fx : fy;
}

#endif
