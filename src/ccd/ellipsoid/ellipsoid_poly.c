/* SPDX-License-Identifier: MIT */
/* F(u, t) in Bernstein form, in doubles; see ellipsoid_poly_build.h. */
#include "ccd/ellipsoid/ellipsoid_poly.h"

#include "motion/leg.h"

typedef double num;

#define EPS 0x1p-53
/* More than what underflow can take from a sum of products. */
#define TINY 0x1p-1000

static inline num num_from(double x)
{
    return x;
}

static inline double num_double(num x)
{
    return x;
}

static inline num num_neg(num x)
{
    return -x;
}

static inline num num_add(num x, num y)
{
    return x + y;
}

static inline num num_sub(num x, num y)
{
    return x - y;
}

static inline num num_mul(num x, num y)
{
    return x * y;
}

static inline num num_div(num x, num y)
{
    return x / y;
}

#include "ccd/ellipsoid/ellipsoid_poly_build.h"

bool abut_ellipsoids_patch(const abut_ellipsoids *e, double lo, double hi, abut_form_patch *out)
{
    num c[MOST + 1][5];
    if (!build(e, lo, hi, &out->degree, c, &out->error, out->regular))
        return false;
    out->s0 = out->u0 = 0;
    out->s1 = out->u1 = 1;
    for (int i = 0; i <= out->degree; ++i) {
        for (int j = 0; j < 5; ++j)
            out->c[i][j] = c[i][j];
        out->c[i][5] = 0;
    }
    return true;
}
