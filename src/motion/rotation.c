/* SPDX-License-Identifier: MIT */
/* What a stated rotation really is, in intervals.
 *
 * Method: degrees are reduced to [-45, 45] by fmod and remainder, which are exact, before pi enters; at 0, 30 and 45 the sine and
 * cosine are 0, 1/2 and roots. A quaternion's matrix is R(q) / |q|^2, which needs no square root. An axis along a
 * coordinate is exact whatever its length.
 *
 * Surprise: the sign of the quaternion is that of the statement (360 degrees is -1), because it breaks the tie of half turns. */
#include "motion/rotation.h"

#include "math/vec3.h"
#include "motion/kernel.h"

static bool finite_quat(abut_quat q)
{
    return isfinite(q.w) && isfinite(q.x) && isfinite(q.y) && isfinite(q.z);
}

abut_status abut_motion_check_placement(const abut_placement *placement, const char *what, int64_t index,
                                        abut_error *error)
{
    if (!placement)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, index, "%s is missing", what);
    if (!abut_is_finite3(placement->position))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, index, "the position of %s must be finite", what);
    const abut_rotation *r = &placement->rotation;
    switch (r->kind) {
    case ABUT_ROTATION_IDENTITY: return ABUT_OK;
    case ABUT_ROTATION_QUATERNION: {
        const abut_quat q = r->quaternion;
        if (!finite_quat(q) || (q.w == 0 && q.x == 0 && q.y == 0 && q.z == 0))
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, index,
                                  "the quaternion of %s must be finite and not zero", what);
        return ABUT_OK;
    }
    case ABUT_ROTATION_RADIANS:
    case ABUT_ROTATION_DEGREES:
        if (!abut_is_finite3(r->axis) || abut_max_norm(r->axis) == 0)
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, index,
                                  "the rotation axis of %s must be finite and not zero", what);
        if (!isfinite(r->angle))
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, index, "the rotation angle of %s must be finite",
                                  what);
        return ABUT_OK;
    }
    return abut_base_fail(error, ABUT_ERR_ARGUMENT, index, "the rotation of %s is of no known kind", what);
}

/* No turn at all, and the quaternion +1. */
static bool is_identity(const abut_rotation *r)
{
    const abut_quat q = r->quaternion;
    switch (r->kind) {
    case ABUT_ROTATION_IDENTITY: return true;
    case ABUT_ROTATION_QUATERNION: return q.x == 0 && q.y == 0 && q.z == 0 && q.w > 0;
    default: return r->angle == 0;
    }
}

bool abut_motion_same_rotation(const abut_rotation *a, const abut_rotation *b)
{
    if (is_identity(a) || is_identity(b))
        return is_identity(a) && is_identity(b);
    if (a->kind != b->kind)
        return false;
    const abut_quat p = a->quaternion, q = b->quaternion;
    if (a->kind == ABUT_ROTATION_QUATERNION)
        return p.w == q.w && p.x == q.x && p.y == q.y && p.z == q.z;
    return a->axis.x == b->axis.x && a->axis.y == b->axis.y && a->axis.z == b->axis.z && a->angle == b->angle;
}

/* Cosine and sine of `scale` (1 or 1/2) times an angle in degrees. */
static void degrees(double angle, double scale, ia *c, ia *s)
{
    const double d = angle * scale;
    if (fabs(angle) < 1e-300) { /* half of it might not be a double */
        const ia radians = ia_mul(ia_scale(scale, ia_div(ia_point(angle), ia_point(180))), ia_pi());
        *c = ia_cos(radians);
        *s = ia_sin(radians);
        return;
    }
    const double turn = fmod(d, 360), r = remainder(turn, 90);
    const int quarter = (int)((turn - r) / 90) & 3;
    ia rc, rs;
    if (r == 0) {
        rc = ia_point(1);
        rs = ia_point(0);
    } else if (fabs(r) == 30) {
        rc = ia_scale(0.5, ia_sqrt(ia_point(3)));
        rs = ia_point(0.5);
    } else if (fabs(r) == 45) {
        rc = rs = ia_sqrt(ia_point(0.5));
    } else {
        const ia radians = ia_mul(ia_div(ia_point(fabs(r)), ia_point(180)), ia_pi());
        rc = ia_cos(radians);
        rs = ia_sin(radians);
    }
    if (r < 0)
        rs = ia_neg(rs);
    *c = quarter == 0 ? rc : quarter == 1 ? ia_neg(rs) : quarter == 2 ? ia_neg(rc) : rs;
    *s = quarter == 0 ? rs : quarter == 1 ? rc : quarter == 2 ? ia_neg(rs) : ia_neg(rc);
}

static void stated_angle(const abut_rotation *r, double scale, ia *c, ia *s)
{
    if (r->kind == ABUT_ROTATION_DEGREES) {
        degrees(r->angle, scale, c, s);
        return;
    }
    const ia angle = ia_scale(scale, ia_point(r->angle));
    *c = ia_cos(angle);
    *s = ia_sin(angle);
}

/* A power of two near 1 / size, and never infinite. */
static double near_reciprocal(double size)
{
    int exponent;
    (void)frexp(size, &exponent);
    return ldexp(1, exponent < -1000 ? 1000 : exponent > 1000 ? -1000 : -exponent);
}

static ia3 unit_axis(abut_vec3 a)
{
    const int zeros = (a.x == 0) + (a.y == 0) + (a.z == 0);
    if (zeros == 2)
        return ia3_point((abut_vec3){ a.x == 0 ? 0 : copysign(1, a.x), a.y == 0 ? 0 : copysign(1, a.y),
                                      a.z == 0 ? 0 : copysign(1, a.z) });
    const ia3 v = ia3_scale(ia_point(near_reciprocal(abut_max_norm(a))), ia3_point(a));
    const ia length = ia_sqrt(ia3_sqr_norm(v));
    return (ia3){ ia_div(v.x, length), ia_div(v.y, length), ia_div(v.z, length) };
}

static ia4 near_one(abut_quat q)
{
    const double f = near_reciprocal(fmax(fmax(fabs(q.w), fabs(q.x)), fmax(fabs(q.y), fabs(q.z))));
    return (ia4){ ia_scale(f, ia_point(q.w)), ia_scale(f, ia_point(q.x)), ia_scale(f, ia_point(q.y)),
                  ia_scale(f, ia_point(q.z)) };
}

static ia norm_sq(const ia4 *q)
{
    return ia_add(ia_add(ia_sqr(q->w), ia_sqr(q->x)), ia_add(ia_sqr(q->y), ia_sqr(q->z)));
}

void abut_motion_rotation_quat(const abut_rotation *rotation, ia4 *out)
{
    if (is_identity(rotation)) {
        *out = (ia4){ ia_point(1), ia_point(0), ia_point(0), ia_point(0) };
    } else if (rotation->kind == ABUT_ROTATION_QUATERNION) {
        const ia4 q = near_one(rotation->quaternion);
        const ia length = ia_sqrt(norm_sq(&q));
        *out = (ia4){ ia_div(q.w, length), ia_div(q.x, length), ia_div(q.y, length), ia_div(q.z, length) };
    } else {
        ia c, s;
        stated_angle(rotation, 0.5, &c, &s);
        const ia3 v = ia3_scale(s, unit_axis(rotation->axis));
        *out = (ia4){ c, v.x, v.y, v.z };
    }
}

/* Diagonal (w^2 + x^2 - y^2 - z^2) / |q|^2, others 2 (xy -+ wz) / |q|^2. */
void abut_motion_quat_matrix(const ia4 *q, ia33 *out)
{
    const ia n = norm_sq(q);
    if (!(ia_lo(n) > 0) || !ia_is_finite(n)) {
        for (int i = 0; i < 9; ++i)
            out->m[i / 3][i % 3] = ia_make(-1, 1);
        return;
    }
    const ia ww = ia_sqr(q->w), xx = ia_sqr(q->x), yy = ia_sqr(q->y), zz = ia_sqr(q->z);
    const ia xy = ia_mul(q->x, q->y), xz = ia_mul(q->x, q->z), yz = ia_mul(q->y, q->z);
    const ia wx = ia_mul(q->w, q->x), wy = ia_mul(q->w, q->y), wz = ia_mul(q->w, q->z);
    const ia top[3][3] = {
        { ia_sub(ia_add(ww, xx), ia_add(yy, zz)), ia_scale(2, ia_sub(xy, wz)), ia_scale(2, ia_add(xz, wy)) },
        { ia_scale(2, ia_add(xy, wz)), ia_sub(ia_add(ww, yy), ia_add(xx, zz)), ia_scale(2, ia_sub(yz, wx)) },
        { ia_scale(2, ia_sub(xz, wy)), ia_scale(2, ia_add(yz, wx)), ia_sub(ia_add(ww, zz), ia_add(xx, yy)) }
    };
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out->m[i][j] = box_within_one(ia_div(top[i][j], n));
}

void abut_motion_rotation_matrix(const abut_rotation *rotation, ia33 *out)
{
    if (is_identity(rotation) || rotation->kind == ABUT_ROTATION_QUATERNION) {
        const abut_quat one = { 1, 0, 0, 0 };
        const ia4 q = near_one(is_identity(rotation) ? one : rotation->quaternion);
        abut_motion_quat_matrix(&q, out);
        return;
    }
    /* cos + (1 - cos) n n^T + sin [n]x */
    ia c, s;
    stated_angle(rotation, 1, &c, &s);
    const ia3 n = unit_axis(rotation->axis);
    const ia v = ia_sub(ia_point(1), c);
    const ia xy = ia_mul(v, ia_mul(n.x, n.y)), xz = ia_mul(v, ia_mul(n.x, n.z)),
             yz = ia_mul(v, ia_mul(n.y, n.z));
    const ia sx = ia_mul(s, n.x), sy = ia_mul(s, n.y), sz = ia_mul(s, n.z);
    *out = (ia33){ { { ia_add(c, ia_mul(v, ia_sqr(n.x))), ia_sub(xy, sz), ia_add(xz, sy) },
                     { ia_add(xy, sz), ia_add(c, ia_mul(v, ia_sqr(n.y))), ia_sub(yz, sx) },
                     { ia_sub(xz, sy), ia_add(yz, sx), ia_add(c, ia_mul(v, ia_sqr(n.z))) } } };
    for (int i = 0; i < 9; ++i)
        out->m[i / 3][i % 3] = box_within_one(out->m[i / 3][i % 3]);
}

abut_placement abut_placement_from_pose(abut_pose pose)
{
    return (abut_placement){ .position = pose.position,
                             .rotation = { .kind = ABUT_ROTATION_QUATERNION, .quaternion = pose.rotation } };
}

abut_pose abut_placement_to_pose(const abut_placement *placement)
{
    abut_pose pose = { placement->position, abut_quat_identity() };
    const abut_rotation *r = &placement->rotation;
    if (r->kind == ABUT_ROTATION_QUATERNION) {
        pose.rotation = abut_quat_normalize(r->quaternion);
    } else if (r->kind == ABUT_ROTATION_RADIANS) {
        pose.rotation = abut_quat_from_axis_angle(r->axis, r->angle);
    } else if (r->kind == ABUT_ROTATION_DEGREES) {
        /* pi enters after the reduction: -360 .. 360 degrees are quaternions of different signs, hence 720. */
        pose.rotation = abut_quat_from_axis_angle(r->axis, fmod(r->angle, 720) / 180 * 0x1.921fb54442d18p+1);
    }
    return pose;
}
