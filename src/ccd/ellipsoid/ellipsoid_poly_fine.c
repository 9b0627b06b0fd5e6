/* SPDX-License-Identifier: MIT */
/* A part of F(u, t) from coefficients that are pairs of doubles; see ellipsoid_poly_build.h. */
#include "ccd/ellipsoid/ellipsoid_poly.h"

#include "motion/leg.h"
#include "narrow/pair/exact.h"

typedef dd num;

/* Sums 3 u^2, products 7 u^2, quotients 15 u^2 with u = 2^-53 (narrow/exact.h). */
#define EPS 0x1p-102
/* Low parts below 2^-1022 are lost. */
#define TINY 0x1p-900

static inline num num_from(double x)
{
    return (dd){ x, 0 };
}

static inline double num_double(num x)
{
    return x.h;
}

static inline num num_neg(num x)
{
    return dd_neg(x);
}

static inline num num_add(num x, num y)
{
    return dd_add(x, y);
}

static inline num num_sub(num x, num y)
{
    return dd_sub(x, y);
}

static inline num num_mul(num x, num y)
{
    return dd_mul(x, y);
}

static inline num num_div(num x, num y)
{
    return dd_div(x, y);
}

#include "ccd/ellipsoid/ellipsoid_poly_build.h"

/* Coefficients over [0, 1] become those over [from, to]. */
static void part(num *b, int n, double from, double to)
{
    if (to < 1) {
        const num at = num_from(to), rest = num_sub(num_from(1), at);
        for (int level = 1; level <= n; ++level)
            for (int i = n; i >= level; --i)
                b[i] = num_add(num_mul(rest, b[i - 1]), num_mul(at, b[i]));
    }
    if (from > 0) {
        const num at = num_div(num_from(from), num_from(to)), rest = num_sub(num_from(1), at);
        for (int level = 1; level <= n; ++level)
            for (int i = 0; i + level <= n; ++i)
                b[i] = num_add(num_mul(rest, b[i]), num_mul(at, b[i + 1]));
    }
}

bool abut_ellipsoids_patch_fine(const abut_ellipsoids *e, double lo, double hi, double s0, double s1,
                                double u0, double u1, abut_form_patch *out)
{
    num c[MOST + 1][5], line[MOST + 1];
    double size = 0, rounded = 0;
    if (!build(e, lo, hi, &out->degree, c, &out->error, out->regular))
        return false;
    const int n = out->degree;
    for (int i = 0; i <= n; ++i) {
        for (int j = 0; j < 5; ++j)
            size = fmax(size, fabs(c[i][j].h));
        part(c[i], 4, u0, u1);
    }
    for (int j = 0; j < 5; ++j) {
        for (int i = 0; i <= n; ++i)
            line[i] = c[i][j];
        part(line, n, s0, s1);
        for (int i = 0; i <= n; ++i) {
            out->c[i][j] = line[i].h;
            rounded = fmax(rounded, fabs(line[i].l));
        }
    }
    for (int i = 0; i <= n; ++i)
        out->c[i][5] = 0;
    /* As in restrict_to, for both directions; the places of the second cuts are rounded once. */
    out->error = 1.001 * (out->error + 48 * (n + 4) * EPS * size + rounded);
    out->s0 = s0;
    out->s1 = s1;
    out->u0 = u0;
    out->u1 = u1;
    return true;
}
