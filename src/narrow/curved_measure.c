/* SPDX-License-Identifier: MIT */
/* What the curvature of a core is and what it is at least. Along a great circle the support function obeys h'' + h = rho, the radius of curvature: for the
 * ellipsoid with semi-axes D, normal n, along unit m in the tangent plane and with k = n x m,
 *     rho = |D m x D n|^2 / |D n|^3 = (det D)^2 |D^-1 k|^2 / |D n|^3.
 * Bounds over a cap of normals: |D n'| <= |D n| + a_max angle, and turning k along with n changes |D^-1 k| by at most angle / a_min. */
#include "narrow/curved_piece.h"
#include "narrow/refine.h"

/* Takes all roundings below, each a few ulp, off a product of positive numbers. */
static const double down = 1 - 0x1p-45;

void abut_core_curvature(const abut_core *core, abut_vec3 n, const abut_vec3 basis[2], double out[3])
{
    uint32_t hint = 0;
    const abut_vec3 p = abut_core_support(core, n, &hint);
    out[0] = out[1] = out[2] = 0;
    abut_piece_bend(core, abut_piece_of(core, n, p), n, p, basis, 1, out);
}

static void extremes(const double h[3], double *least, double *largest)
{
    *least = fmin(h[0], fmin(h[1], h[2]));
    *largest = fmax(h[0], fmax(h[1], h[2]));
}

/* Least |D^-1 k| over unit k in the tangent plane, times a_min, to rounding: the root of the smaller eigenvalue of a 2 x 2 matrix. */
static double least_across(const double h[3], double a_min, abut_vec3 n)
{
    abut_vec3 basis[2], d[2];
    abut_tangent_basis(n, basis);
    for (int i = 0; i < 2; ++i)
        d[i] = abut_v3(basis[i].x * (a_min / h[0]), basis[i].y * (a_min / h[1]), basis[i].z * (a_min / h[2]));
    const double p = abut_dot(d[0], d[0]), q = abut_dot(d[0], d[1]), r = abut_dot(d[1], d[1]);
    const double half = 0.5 * (p - r), least = 0.5 * (p + r) - sqrt(half * half + q * q);
    return least > 0 ? sqrt(least) : 0;
}

double abut_core_curvature_least(const abut_core *core, abut_vec3 n, double angle)
{
    if (core->kind != ABUT_CORE_ELLIPSOID || !(angle >= 0))
        return 0;
    const double *h = core->h;
    double a_min, a_max;
    extremes(h, &a_min, &a_max);
    const double along = abut_length(abut_v3(h[0] * n.x, h[1] * n.y, h[2] * n.z));
    const double reach = fmin(a_max, along + a_max * angle) * (1 + 0x1p-45);
    /* The eigenvalue is off by a few ulp of 1, so its root by 2^-24 at most. */
    const double turned = least_across(h, a_min, n) - 0x1p-24 - angle;
    const double across = fmax(a_min / a_max, turned);
    /* (det D / reach)^2 (across / a_min)^2 / reach, each factor of moderate size. */
    const double middle = h[0] / reach * (h[1] / reach) * (h[2] / a_min) * across;
    const double least = middle * middle * reach * down * down;
    return least > 0 ? least : 0;
}

double abut_core_rolling_ball(const abut_core *core)
{
    if (core->kind != ABUT_CORE_ELLIPSOID)
        return 0;
    double a_min, a_max;
    extremes(core->h, &a_min, &a_max);
    return a_min / a_max * a_min * down;
}
