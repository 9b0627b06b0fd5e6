/* SPDX-License-Identifier: MIT */
/* What a stated rotation really is, in intervals.
 *
 * Method: degrees are reduced to [-45, 45] by fmod and remainder, which are exact, before pi
 * enters; at 0, 30 and 45 the sine and cosine are 0, 1/2 and roots. A quaternion's matrix is R(q) /
 * |q|^2, which needs no square root. An axis along a coordinate is exact whatever its length, and
 * so are all turns that map axes to axes, however they are stated.
 *
 * Surprise: the sign of the quaternion is that of the statement (360 degrees is -1), because it
 * breaks the tie of half turns. */
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
static void degrees(double angle, double scale, ball *c, ball *s)
{
    const double d = angle * scale;
    if (fabs(angle) < 1e-300) { /* half of it might not be a double */
        const ia radians = ia_mul(ia_scale(scale, ia_div(ia_point(angle), ia_point(180))), ia_pi());
        *c = ball_from(ia_cos(radians));
        *s = ball_from(ia_sin(radians));
        return;
    }
    const double turn = fmod(d, 360), r = remainder(turn, 90);
    const int quarter = (int)((turn - r) / 90) & 3;
    ball rc = ball_point(1), rs = ball_point(0);
    if (fabs(r) == 30) {
        rc = ball_sqrt(ball_point(0.75));
        rs = ball_point(0.5);
    } else if (fabs(r) == 45) {
        rc = rs = ball_sqrt(ball_point(0.5));
    } else if (r != 0) {
        abut_ball_sin_cos(ball_mul(ball_div(ball_point(fabs(r)), ball_point(180)), abut_ball_pi()), &rs, &rc);
    }
    if (r < 0)
        rs = ball_neg(rs);
    *c = quarter == 0 ? rc : quarter == 1 ? ball_neg(rs) : quarter == 2 ? ball_neg(rc) : rs;
    *s = quarter == 0 ? rs : quarter == 1 ? rc : quarter == 2 ? ball_neg(rs) : ball_neg(rc);
}

static void stated_angle(const abut_rotation *r, double scale, ball *c, ball *s)
{
    if (r->kind == ABUT_ROTATION_DEGREES) {
        degrees(r->angle, scale, c, s);
        return;
    }
    if (fabs(r->angle) < 1e-300) {
        const ia angle = ia_scale(scale, ia_point(r->angle));
        *c = ball_from(ia_cos(angle));
        *s = ball_from(ia_sin(angle));
        return;
    }
    abut_ball_sin_cos(ball_point(r->angle * scale), s, c);
}

/* A power of two near 1 / size, and never infinite. */
static double near_reciprocal(double size)
{
    int exponent;
    (void)frexp(size, &exponent);
    return ldexp(1, exponent < -1000 ? 1000 : exponent > 1000 ? -1000 : -exponent);
}

/* f x for a power of two f; off by at most the smallest double where it underflows. */
static ball scaled(double f, double x)
{
    return (ball){ f * x, 0, f * x / f == x ? 0 : 0x1p-1073 };
}

ball3 abut_motion_unit(abut_vec3 a)
{
    if ((a.x == 0) + (a.y == 0) + (a.z == 0) == 2)
        return (ball3){ ball_point(a.x == 0 ? 0 : copysign(1, a.x)),
                        ball_point(a.y == 0 ? 0 : copysign(1, a.y)),
                        ball_point(a.z == 0 ? 0 : copysign(1, a.z)) };
    const double f = near_reciprocal(abut_max_norm(a));
    const ball3 v = { scaled(f, a.x), scaled(f, a.y), scaled(f, a.z) };
    const ball length = ball_sqrt(ball3_dot(v, v));
    return (ball3){ ball_div(v.x, length), ball_div(v.y, length), ball_div(v.z, length) };
}

/* The same rotation by a quaternion near 1 in size; one of small integers where all its parts
 * but the zeros are equally large, so that the 24 turns that map axes to axes, and their like,
 * come out exact whatever length they were given. */
static ball4 near_one(abut_quat q)
{
    const double part[4] = { q.w, q.x, q.y, q.z };
    double size = 0;
    bool alike = true;
    for (int i = 0; i < 4; ++i) {
        alike = alike && (part[i] == 0 || size == 0 || fabs(part[i]) == size);
        size = fmax(size, fabs(part[i]));
    }
    ball b[4];
    const double f = near_reciprocal(size);
    for (int i = 0; i < 4; ++i)
        b[i] = alike ? ball_point((part[i] > 0) - (part[i] < 0)) : scaled(f, part[i]);
    return (ball4){ b[0], { b[1], b[2], b[3] } };
}

/* Multiples of 120 degrees about a space diagonal: half the angle is 60 k degrees, the parts of
 * the unit axis are 1 / sqrt 3, and the quaternion is one of integers: cos (60 k) = c / 2, sin
 * (60 k) / sqrt 3 = s / 2. */
static bool diagonal_turn(const abut_rotation *r, abut_quat *out)
{
    const abut_vec3 a = r->axis;
    const double turn = fmod(r->angle, 720);
    if (r->kind != ABUT_ROTATION_DEGREES || fabs(a.x) != fabs(a.y) || fabs(a.y) != fabs(a.z) ||
        fmod(turn, 120) != 0)
        return false;
    static const int c[6] = { 2, 1, -1, -2, -1, 1 }, s[6] = { 0, 1, 1, 0, -1, -1 };
    const int k = ((int)(turn / 120) + 6) % 6;
    *out = (abut_quat){ c[k], copysign(s[k], s[k] * a.x), copysign(s[k], s[k] * a.y),
                        copysign(s[k], s[k] * a.z) };
    return true;
}

static void unit_quat(abut_quat stated, ball4 *out)
{
    const ball4 q = near_one(stated);
    const ball length = ball_sqrt(ball_add(ball_mul(q.w, q.w), ball3_dot(q.v, q.v)));
    *out = (ball4){ ball_div(q.w, length),
                    { ball_div(q.v.x, length), ball_div(q.v.y, length), ball_div(q.v.z, length) } };
}

void abut_motion_rotation_quat(const abut_rotation *rotation, ball4 *out)
{
    const ball zero = ball_point(0);
    abut_quat integers;
    if (is_identity(rotation)) {
        *out = (ball4){ ball_point(1), { zero, zero, zero } };
    } else if (rotation->kind == ABUT_ROTATION_QUATERNION) {
        unit_quat(rotation->quaternion, out);
    } else if (diagonal_turn(rotation, &integers)) {
        unit_quat(integers, out);
    } else {
        ball c, s;
        stated_angle(rotation, 0.5, &c, &s);
        *out = (ball4){ c, ball3_scale(s, abut_motion_unit(rotation->axis)) };
    }
}

/* Column j of cos + (1 - cos) n n^T + sin [n]x is cos e + (1 - cos) n_j n + sin n x e. */
static ball3 turned_column(ball c, ball s, ball3 n, ball nj, ball3 e)
{
    const ball3 along = ball3_scale(ball_mul(ball_sub(ball_point(1), c), nj), n);
    const ball3 across = ball3_scale(s, ball3_cross(n, e)), still = ball3_scale(c, e);
    return (ball3){ ball_add(ball_add(still.x, along.x), across.x),
                    ball_add(ball_add(still.y, along.y), across.y),
                    ball_add(ball_add(still.z, along.z), across.z) };
}

/* Column j of R(q) / |q|^2: ((w^2 - v.v) e + 2 v_j v + 2 w v x e) / |q|^2. */
static ball3 quat_column(const ball4 *q, ball vj, ball3 e)
{
    const ball ww = ball_mul(q->w, q->w), vv = ball3_dot(q->v, q->v), size = ball_add(ww, vv),
               two = ball_point(2);
    const ball3 still = ball3_scale(ball_sub(ww, vv), e), along = ball3_scale(ball_mul(two, vj), q->v);
    const ball3 across = ball3_scale(ball_mul(two, q->w), ball3_cross(q->v, e));
    return (ball3){ ball_div(ball_add(ball_add(still.x, along.x), across.x), size),
                    ball_div(ball_add(ball_add(still.y, along.y), across.y), size),
                    ball_div(ball_add(ball_add(still.z, along.z), across.z), size) };
}

/* A turn about a coordinate axis leaves it where it is. */
static void keep_axis(abut_vec3 axis, ball33 *out)
{
    if ((axis.x == 0) + (axis.y == 0) + (axis.z == 0) != 2)
        return;
    const int k = axis.x != 0 ? 0 : axis.y != 0 ? 1 : 2;
    for (int i = 0; i < 3; ++i) {
        ball3 *column = &out->column[i];
        *(k == 0 ? &column->x : k == 1 ? &column->y : &column->z) = ball_point(i == k);
    }
    out->column[k] = (ball3){ ball_point(k == 0), ball_point(k == 1), ball_point(k == 2) };
}

static void quat_matrix(abut_quat stated, ball33 *out)
{
    const ball zero = ball_point(0), one = ball_point(1);
    const ball4 q = near_one(stated);
    *out = (ball33){ { quat_column(&q, q.v.x, (ball3){ one, zero, zero }),
                       quat_column(&q, q.v.y, (ball3){ zero, one, zero }),
                       quat_column(&q, q.v.z, (ball3){ zero, zero, one }) } };
    keep_axis(abut_v3(stated.x, stated.y, stated.z), out);
}

/* Half a turn needs no root: it is the quaternion (0, axis). */
static bool is_half_turn(const abut_rotation *r)
{
    return r->kind == ABUT_ROTATION_DEGREES && fabs(fmod(r->angle, 360)) == 180;
}

void abut_motion_rotation_matrix(const abut_rotation *rotation, ball33 *out)
{
    const ball zero = ball_point(0), one = ball_point(1);
    const ball3 e[3] = { { one, zero, zero }, { zero, one, zero }, { zero, zero, one } };
    const abut_vec3 a = rotation->axis;
    abut_quat integers;
    if (is_identity(rotation)) {
        *out = (ball33){ { e[0], e[1], e[2] } };
    } else if (rotation->kind == ABUT_ROTATION_QUATERNION) {
        quat_matrix(rotation->quaternion, out);
    } else if (is_half_turn(rotation)) {
        quat_matrix((abut_quat){ 0, a.x, a.y, a.z }, out);
    } else if (diagonal_turn(rotation, &integers)) {
        quat_matrix(integers, out);
    } else {
        ball c, s;
        stated_angle(rotation, 1, &c, &s);
        const ball3 n = abut_motion_unit(a);
        *out = (ball33){ { turned_column(c, s, n, n.x, e[0]), turned_column(c, s, n, n.y, e[1]),
                           turned_column(c, s, n, n.z, e[2]) } };
        keep_axis(a, out);
    }
}

/* Diagonal (w^2 + x^2 - y^2 - z^2) / |q|^2, others 2 (xy -+ wz) / |q|^2. */
void abut_motion_quat_matrix(const ia4 *q, ia33 *out)
{
    const ia ww = ia_sqr(q->w), xx = ia_sqr(q->x), yy = ia_sqr(q->y), zz = ia_sqr(q->z);
    const ia n = ia_add(ia_add(ww, xx), ia_add(yy, zz));
    if (!(ia_lo(n) > 0) || !ia_is_finite(n)) {
        for (int i = 0; i < 9; ++i)
            out->m[i / 3][i % 3] = ia_make(-1, 1);
        return;
    }
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

abut_placement abut_placement_from_pose(abut_pose pose)
{
    return (abut_placement){ .position = pose.position,
                             .rotation = { .kind = ABUT_ROTATION_QUATERNION, .quaternion = pose.rotation } };
}

abut_pose abut_placement_to_pose(const abut_placement *placement)
{
    if (!placement)
        return abut_pose_identity();
    abut_pose pose = { placement->position, abut_quat_identity() };
    const abut_rotation *r = &placement->rotation;
    if (r->kind == ABUT_ROTATION_QUATERNION) {
        pose.rotation = abut_quat_normalize(r->quaternion);
    } else if (r->kind == ABUT_ROTATION_RADIANS) {
        pose.rotation = abut_quat_from_axis_angle(r->axis, r->angle);
    } else if (r->kind == ABUT_ROTATION_DEGREES) {
        /* pi enters after the reduction: -360 .. 360 degrees are quaternions of different signs,
         * hence 720. */
        pose.rotation = abut_quat_from_axis_angle(r->axis, fmod(r->angle, 720) / 180 * 0x1.921fb54442d18p+1);
    }
    return pose;
}
