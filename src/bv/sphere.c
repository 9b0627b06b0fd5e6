/* SPDX-License-Identifier: MIT */
/* Spheres. The centre is found by steps towards the furthest point, each shorter than the one
 * before (M. Badoiu, K. L. Clarkson, Smaller core-sets for balls, 2003), from the middle of the
 * box; the radius is what that centre needs. */
#include "bv/volume.h"
#include "math/vec3.h"

/* The ball furthest out: its number and how far it reaches. */
static size_t furthest(const abut_vec3 *points, const double *radii, size_t count, abut_vec3 centre,
                       double *reach)
{
    size_t found = 0;
    if (!radii) {
        double best = 0;
        for (size_t i = 0; i < count; ++i) {
            const abut_vec3 d = abut_sub(points[i], centre);
            const double square = abut_dot(d, d);
            if (square > best)
                best = square, found = i;
        }
        *reach = sqrt(best);
        return found;
    }
    *reach = -1;
    for (size_t i = 0; i < count; ++i) {
        const abut_vec3 d = abut_sub(points[i], centre);
        const double far = sqrt(abut_dot(d, d)) + radii[i];
        if (far > *reach)
            *reach = far, found = i;
    }
    return found;
}

static void fit(const abut_vec3 *points, const double *radii, size_t count, const abut_mat3 *axes, float *out)
{
    (void)axes;
    abut_vec3 lo = points[0], hi = points[0];
    for (size_t i = 1; i < count; ++i) {
        const abut_vec3 p = points[i];
        lo = abut_v3(p.x < lo.x ? p.x : lo.x, p.y < lo.y ? p.y : lo.y, p.z < lo.z ? p.z : lo.z);
        hi = abut_v3(p.x > hi.x ? p.x : hi.x, p.y > hi.y ? p.y : hi.y, p.z > hi.z ? p.z : hi.z);
    }
    abut_vec3 centre = abut_scale(0.5, abut_add(lo, hi)), best = centre;
    double least = INFINITY;
    const int steps = count > 1000 ? 4 : 24;
    for (int i = 0; i <= steps; ++i) {
        double reach;
        const size_t k = furthest(points, radii, count, centre, &reach);
        if (reach < least)
            least = reach, best = centre;
        const abut_vec3 d = abut_sub(points[k], centre);
        const double length = sqrt(abut_dot(d, d));
        if (!(length > 0))
            break;
        /* A quarter of the classical step, for the start is good already. */
        centre = abut_madd(centre, 0.25 * reach / ((i + 2) * length), d);
    }
    out[0] = abut_bv_round(best.x), out[1] = abut_bv_round(best.y), out[2] = abut_bv_round(best.z);
    (void)furthest(points, radii, count, abut_v3(out[0], out[1], out[2]), &least);
    out[3] = abut_bv_up(least + ABUT_BV_SLACK);
}

static size_t corners(const float *v, abut_vec3 *out, double *radius)
{
    out[0] = abut_v3(v[0], v[1], v[2]);
    *radius = v[3];
    return 1;
}

static double size(const float *v)
{
    return v[3];
}

static void place(const abut_bv_pair *pair, const float *b, abut_bv_placed *out)
{
    const double s = pair->scale_b;
    out->centre = abut_add(pair->t, abut_mul(&pair->r, abut_v3(s * b[0], s * b[1], s * b[2])));
    out->half[0] = s * b[3];
}

static abut_vec3 between(const abut_bv_pair *pair, const float *a, const abut_bv_placed *b)
{
    const double s = pair->scale_a;
    return abut_v3(b->centre.x - s * a[0], b->centre.y - s * a[1], b->centre.z - s * a[2]);
}

static bool apart(const abut_bv_pair *pair, const float *a, const abut_bv_placed *b, double reach)
{
    const abut_vec3 d = between(pair, a, b);
    const double r = pair->scale_a * a[3] + b->half[0] + pair->margin + reach;
    return abut_dot(d, d) > r * r;
}

static double lower(const abut_bv_pair *pair, const float *a, const abut_bv_placed *b)
{
    const abut_vec3 d = between(pair, a, b);
    return sqrt(abut_dot(d, d)) - (pair->scale_a * a[3] + b->half[0] + pair->margin);
}

const abut_bv_kind abut_bv_sphere = { .volume = ABUT_VOLUME_SPHERE,
                                      .floats = 4,
                                      .fit = fit,
                                      .corners = corners,
                                      .size = size,
                                      .place = place,
                                      .apart = apart,
                                      .lower = lower };
