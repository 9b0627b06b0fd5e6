/* SPDX-License-Identifier: MIT */
/* Ellipsoids over stretches of time and the function F of a pair of them; see ellipsoid_form.h. */
#include "ccd/ellipsoid/ellipsoid_form.h"

#include "ccd/ellipsoid/ellipsoid_singular.h"
#include "math/vec3.h"

/* ---- set-up ---- */

/* |det M| and the largest entry of M, about, at time t. */
static abut_status size_up(const abut_motion *motion, double t, abut_vec3 radii, double *det, double *size)
{
    abut_affine at = { .linear = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } };
    const abut_status status = motion ? abut_motion_at(motion, t, &at) : ABUT_OK;
    double(*m)[3] = at.linear.m;
    const abut_vec3 x = abut_v3(m[0][0], m[1][0], m[2][0]), y = abut_v3(m[0][1], m[1][1], m[2][1]),
                    z = abut_v3(m[0][2], m[1][2], m[2][2]);
    *det = fabs(abut_dot(abut_cross(x, y), z));
    *size = fmax(abut_max_norm(x) * radii.x, fmax(abut_max_norm(y) * radii.y, abut_max_norm(z) * radii.z));
    return status;
}

static double power_of_two(double exponent)
{
    return ldexp(1, (int)fmin(fmax(floor(exponent + 0.5), -1000), 1000));
}

/* Within its range, with enclosures there. */
static abut_status check_motion(const abut_motion *motion, abut_interval range)
{
    if (!motion)
        return ABUT_OK;
    const abut_interval own = abut_motion_get_range(motion);
    if (!(own.lo <= range.lo && range.hi <= own.hi))
        return ABUT_ERR_ARGUMENT;
    if (!motion->ops->enclose || !motion->ops->enclose_velocity)
        return ABUT_ERR_UNSUPPORTED;
    if (motion->type != ABUT_MOTION_EXPRESSION && motion->type != ABUT_MOTION_CHAIN)
        return ABUT_OK;
    abut_interval_affine ignored;
    const abut_status status = abut_motion_enclose(motion, range, &ignored);
    return status ? status : abut_motion_enclose_velocity(motion, range, &ignored);
}

abut_status abut_ellipsoids_set(const abut_shape *a, const abut_motion *motion_a, double t_a,
                                const abut_shape *b, const abut_motion *motion_b, double t_b,
                                abut_ellipsoids *out)
{
    *out = (abut_ellipsoids){ .radii = { abut_ellipsoid_radii(a), abut_ellipsoid_radii(b) },
                              .motion = { motion_a, motion_b } };
    const double t[2] = { t_a, t_b };
    double log_det[2], size[2];
    for (int i = 0; i < 2; ++i) {
        const abut_vec3 r = out->radii[i];
        double det;
        out->rigid[i] = !out->motion[i] || abut_motion_is_rigid(out->motion[i]);
        const abut_status status = size_up(out->motion[i], t[i], r, &det, &size[i]);
        if (status)
            return status;
        log_det[i] = log2(r.x) + log2(r.y) + log2(r.z) + log2(det);
    }
    const double largest = fmax(size[0], size[1]);
    out->unit = largest > 0 ? power_of_two(-log2(largest)) : 1;
    out->balance =
        isfinite(log_det[0]) && isfinite(log_det[1]) ? power_of_two(0.5 * (log_det[1] - log_det[0])) : 1;
    for (int i = 0; i < 2; ++i)
        out->radii[i] = abut_scale(out->unit, out->radii[i]);
    return ABUT_OK;
}

abut_status abut_ellipsoids_prepare(const abut_shape *a, const abut_motion *motion_a, abut_interval range_a,
                                    const abut_shape *b, const abut_motion *motion_b, abut_interval range_b,
                                    abut_ellipsoids *out)
{
    abut_status status = check_motion(motion_a, range_a);
    if (!status)
        status = check_motion(motion_b, range_b);
    if (!status)
        status = abut_ellipsoids_set(a, motion_a, 0.5 * range_a.lo + 0.5 * range_a.hi, b, motion_b,
                                     0.5 * range_b.lo + 0.5 * range_b.hi, out);
    return status;
}

/* ---- kernels ---- */

static ia3 column(const ia33 *a, int j, double scale)
{
    return (ia3){ ia_scale(scale, a->m[0][j]), ia_scale(scale, a->m[1][j]), ia_scale(scale, a->m[2][j]) };
}

static ia3 scale3(double s, ia3 a)
{
    return (ia3){ ia_scale(s, a.x), ia_scale(s, a.y), ia_scale(s, a.z) };
}

static const ia_affine *place_over(const abut_motion *motion, ia t, ia_affine *at, ia_affine *velocity)
{
    if (motion) {
        (void)abut_motion_placement_over(motion, t, at);
        if (velocity)
            (void)abut_motion_velocity_over(motion, t, velocity);
        return at;
    }
    const ia zero = ia_point(0);
    *at = (ia_affine){ ia33_identity(), { zero, zero, zero } };
    if (velocity) {
        *velocity = *at;
        for (int i = 0; i < 9; ++i)
            velocity->linear.m[i / 3][i % 3] = zero;
    }
    return at;
}

void abut_ellipsoid_over(const abut_ellipsoids *e, int which, ia t, abut_ellipsoid_jet *at,
                         abut_ellipsoid_jet *slope)
{
    ia_affine place, velocity;
    place_over(e->motion[which], t, &place, slope ? &velocity : NULL);
    const double r[3] = { e->radii[which].x, e->radii[which].y, e->radii[which].z };
    const ia radius[3] = { ia_point(r[0]), ia_point(r[1]), ia_point(r[2]) };
    for (int j = 0; j < 3; ++j) {
        at->m[j] = column(&place.linear, j, r[j]);
        if (slope)
            slope->m[j] = column(&velocity.linear, j, r[j]);
    }
    at->c = scale3(e->unit, place.translation);
    if (slope)
        slope->c = scale3(e->unit, velocity.translation);
    if (e->rigid[which]) { /* the cofactors of a rotation are the rotation */
        at->det = ia_mul(ia_mul(radius[0], radius[1]), radius[2]);
        for (int j = 0; j < 3; ++j) {
            const ia area = ia_mul(radius[(j + 1) % 3], radius[(j + 2) % 3]);
            at->k[j] = ia3_scale(area, column(&place.linear, j, 1));
            if (slope)
                slope->k[j] = ia3_scale(area, column(&velocity.linear, j, 1));
        }
        if (slope)
            slope->det = ia_point(0);
        return;
    }
    for (int j = 0; j < 3; ++j) {
        const ia3 p = at->m[(j + 1) % 3], q = at->m[(j + 2) % 3];
        at->k[j] = ia3_cross(p, q);
        if (slope)
            slope->k[j] = ia3_add(ia3_cross(slope->m[(j + 1) % 3], q), ia3_cross(p, slope->m[(j + 2) % 3]));
    }
    at->det = ia3_dot(at->m[0], at->k[0]);
    if (slope)
        slope->det = ia_add(ia3_dot(slope->m[0], at->k[0]), ia3_dot(at->m[0], slope->k[0]));
}

/* From the coefficients of u^j (1 - u)^(4 - j) to those in the Bernstein basis, balanced. */
static void finish(const abut_ellipsoids *e, ia det_a, ia det_b, ia reach_a, ia reach_b, ia mixed_ab,
                   ia mixed_ba, ia cross, abut_quartic *out)
{
    static const double weight[5] = { 1, 4, 6, 4, 1 };
    const ia raw[5] = { ia_neg(det_b), ia_sub(ia_sub(reach_b, det_b), mixed_ba),
                        ia_sub(ia_sub(cross, mixed_ab), mixed_ba), ia_sub(ia_sub(reach_a, det_a), mixed_ab),
                        ia_neg(det_a) };
    double power = 1;
    for (int j = 0; j < 5; ++j, power *= e->balance) {
        const ia scaled = ia_scale(power, raw[j]);
        out->c[j] = j == 0 || j == 4 ? scaled : ia_div(scaled, ia_point(weight[j]));
    }
}

void abut_ellipsoids_form(const abut_ellipsoids *e, const abut_ellipsoid_jet *a, const abut_ellipsoid_jet *b,
                          abut_quartic *out)
{
    const ia3 d = ia3_sub(b->c, a->c);
    ia reach_a = ia_point(0), reach_b = reach_a, mixed_ab = reach_a, mixed_ba = reach_a, cross = reach_a;
    for (int i = 0; i < 3; ++i) {
        const ia3 x = ia3_cross(d, a->m[i]);
        reach_a = ia_add(reach_a, ia_sqr(ia3_dot(a->k[i], d)));
        reach_b = ia_add(reach_b, ia_sqr(ia3_dot(b->k[i], d)));
        for (int j = 0; j < 3; ++j) {
            mixed_ab = ia_add(mixed_ab, ia_sqr(ia3_dot(a->k[i], b->m[j])));
            mixed_ba = ia_add(mixed_ba, ia_sqr(ia3_dot(a->m[i], b->k[j])));
            cross = ia_add(cross, ia_sqr(ia3_dot(x, b->m[j])));
        }
    }
    finish(e, ia_sqr(a->det), ia_sqr(b->det), reach_a, reach_b, mixed_ab, mixed_ba, cross, out);
}

/* Twice p . q times its derivative, where p changes by vp and q by vq. */
static ia square_slope(ia3 p, ia3 vp, ia3 q, ia3 vq)
{
    return ia_scale(2, ia_mul(ia3_dot(p, q), ia_add(ia3_dot(vp, q), ia3_dot(p, vq))));
}

void abut_ellipsoids_form_slope(const abut_ellipsoids *e, const abut_ellipsoid_jet *a,
                                const abut_ellipsoid_jet *b, const abut_ellipsoid_jet *va,
                                const abut_ellipsoid_jet *vb, abut_quartic *out)
{
    const ia zero = ia_point(0);
    const ia3 none = { zero, zero, zero };
    const abut_ellipsoid_jet still = { { none, none, none }, { none, none, none }, none, zero };
    va = va ? va : &still;
    vb = vb ? vb : &still;
    const ia3 d = ia3_sub(b->c, a->c), vd = ia3_sub(vb->c, va->c);
    ia reach_a = zero, reach_b = zero, mixed_ab = zero, mixed_ba = zero, cross = zero;
    for (int i = 0; i < 3; ++i) {
        const ia3 x = ia3_cross(d, a->m[i]);
        const ia3 vx = ia3_add(ia3_cross(vd, a->m[i]), ia3_cross(d, va->m[i]));
        reach_a = ia_add(reach_a, square_slope(a->k[i], va->k[i], d, vd));
        reach_b = ia_add(reach_b, square_slope(b->k[i], vb->k[i], d, vd));
        for (int j = 0; j < 3; ++j) {
            mixed_ab = ia_add(mixed_ab, square_slope(a->k[i], va->k[i], b->m[j], vb->m[j]));
            mixed_ba = ia_add(mixed_ba, square_slope(a->m[i], va->m[i], b->k[j], vb->k[j]));
            cross = ia_add(cross, square_slope(x, vx, b->m[j], vb->m[j]));
        }
    }
    finish(e, ia_scale(2, ia_mul(a->det, va->det)), ia_scale(2, ia_mul(b->det, vb->det)), reach_a, reach_b,
           mixed_ab, mixed_ba, cross, out);
}

static ABUT_NOINLINE int centre_at(const abut_ellipsoids *e, double t)
{
    abut_ellipsoid_jet a, b;
    abut_quartic f;
    abut_ellipsoid_over(e, 0, ia_point(t), &a, NULL);
    abut_ellipsoid_over(e, 1, ia_point(t), &b, NULL);
    abut_ellipsoids_form(e, &a, &b, &f);
    return abut_quartic_centre(&f);
}

void abut_ellipsoids_rebalance(abut_ellipsoids *e, double t)
{
    const abut_rounding saved = abut_rounding_enter();
    const int k = centre_at(e, t);
    abut_rounding_leave(saved);
    e->balance = ldexp(e->balance, k);
}
