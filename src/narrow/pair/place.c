/* SPDX-License-Identifier: MIT */
/* Placements as enclosures; see place.h.
 *
 * Surprise: a quarter turn given as the quaternion (0.7071…, 0.7071…, 0, 0) is exact, because
 * only the ratio of its parts counts. The 24 rotations that map axes to axes are found by
 * comparing sizes, before any arithmetic. */
#include "narrow/pair/place.h"

#include "interval/ia.h"
#include "math/vec3.h"
#include "motion/motion.h"
#include "motion/rotation.h"

static abut_interval point(double x)
{
    return (abut_interval){ x, x };
}

/* Local axes that are exactly along axes of the world: columns with one entry of 1 or -1 and two
 * of 0. (The row then is exact too, for a rotation; it is examined all the same, since motions
 * need not be rigid.) */
static void find_axes(abut_place *place)
{
    int used = 0;
    for (int j = 0; j < 3; ++j) {
        int found = -1;
        bool exact = true;
        for (int i = 0; i < 3; ++i) {
            const abut_interval e = place->enclosure.linear.m[i][j];
            exact = exact && e.lo == e.hi && (e.lo == 0 || (fabs(e.lo) == 1 && found < 0));
            if (e.lo != 0)
                found = i;
        }
        for (int k = 0; exact && found >= 0 && k < 3; ++k) {
            const abut_interval e = place->enclosure.linear.m[found][k];
            exact = k == j || (e.lo == 0 && e.hi == 0);
        }
        exact = exact && found >= 0;
        place->axis[j] = (signed char)(exact ? found : -1);
        place->sign[j] = exact ? place->enclosure.linear.m[found][j].lo : 0;
        if (exact)
            used |= 1 << found;
    }
    place->axes = used == 7;
}

/* A quaternion whose parts are 0 or of one size, and of which there are 1, 2 or 4: one of the 24
 * (up to its length). */
static bool set_axis_rotation(abut_quat q, abut_place *place)
{
    const double part[4] = { q.w, q.x, q.y, q.z };
    double size = 0;
    int s[4], count = 0;
    for (int i = 0; i < 4; ++i) {
        s[i] = (part[i] > 0) - (part[i] < 0);
        if (s[i] == 0)
            continue;
        if (count++ == 0)
            size = fabs(part[i]);
        else if (fabs(part[i]) != size)
            return false;
    }
    if (count == 3)
        return false;
    const int w = s[0], x = s[1], y = s[2], z = s[3], n = count;
    const int m[9] = { w * w + x * x - y * y - z * z, 2 * (x * y - w * z),
                       2 * (x * z + w * y),           2 * (x * y + w * z),
                       w * w - x * x + y * y - z * z, 2 * (y * z - w * x),
                       2 * (x * z - w * y),           2 * (y * z + w * x),
                       w * w - x * x - y * y + z * z };
    for (int i = 0; i < 9; ++i) {
        const int entry = m[i] / n; /* 0, 1 or -1 */
        const double e = entry;
        place->mid.linear.m[i / 3][i % 3] = e;
        place->enclosure.linear.m[i / 3][i % 3] = point(e);
        if (e != 0) {
            place->axis[i % 3] = (signed char)(i / 3);
            place->sign[i % 3] = e;
        }
    }
    place->axes = true;
    return true;
}

/* A quaternion with parts 0, 1 or -1 that turns axes to axes as the place says; false for a
 * mirror image. */
static bool axis_quat(const abut_place *place, abut_quat *out)
{
    for (int code = 1; code < 81; ++code) {
        const int part[4] = { code % 3 - 1, code / 3 % 3 - 1, code / 9 % 3 - 1, code / 27 - 1 };
        const abut_quat q = { part[0], part[1], part[2], part[3] };
        abut_place turned;
        bool same = (q.w != 0 || q.x != 0 || q.y != 0 || q.z != 0) && set_axis_rotation(q, &turned);
        for (int i = 0; same && i < 3; ++i)
            same = turned.axis[i] == place->axis[i] && turned.sign[i] == place->sign[i];
        if (same) {
            *out = q;
            return true;
        }
    }
    return false;
}

static void find_stated(const abut_motion *motion, abut_place *place)
{
    place->stated = abut_motion_stated_pose(motion, &place->pose);
    if (place->stated || !place->axes || !place->points)
        return;
    place->stated = axis_quat(place, &place->pose.rotation);
    place->pose.position = place->mid.translation;
}

/* Points stay what they are: halving the smallest doubles would lose them. */
static double middle(abut_interval a)
{
    return a.lo == a.hi ? a.lo : 0.5 * a.lo + 0.5 * a.hi;
}

static void find_mid(abut_place *place)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            place->mid.linear.m[i][j] = middle(place->enclosure.linear.m[i][j]);
    const abut_interval_vec3 *t = &place->enclosure.translation;
    place->mid.translation = abut_v3(middle(t->x), middle(t->y), middle(t->z));
    place->points = t->x.lo == t->x.hi && t->y.lo == t->y.hi && t->z.lo == t->z.hi;
}

/* R(q) / |q|^2; the scale is a power of two that brings q near 1. */
static ABUT_NOINLINE void enclose_rotation(const abut_quat *q, double scale, abut_interval_mat3 *out)
{
    const ia4 scaled = { ia_scale(scale, ia_point(q->w)), ia_scale(scale, ia_point(q->x)),
                         ia_scale(scale, ia_point(q->y)), ia_scale(scale, ia_point(q->z)) };
    ia33 r;
    abut_motion_quat_matrix(&scaled, &r);
    *out = ia33_to(&r);
}

static bool is_identity(abut_quat q)
{
    return q.x == 0 && q.y == 0 && q.z == 0;
}

/* Axes along axes; the enclosure of the linear part only where `all`, since nobody reads that of
 * a ball. */
static void set_identity(abut_place *place, bool all)
{
    static const abut_mat3 identity = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
    place->mid.linear = identity;
    place->axes = true;
    for (int i = 0; i < 3; ++i) {
        place->axis[i] = (signed char)i;
        place->sign[i] = 1;
    }
    for (int i = 0; all && i < 9; ++i)
        place->enclosure.linear.m[i / 3][i % 3] = point(i % 4 == 0);
}

/* The rotation is about the axis k: it stays. */
static void fix_axis(abut_place *place, int k)
{
    for (int i = 0; i < 3; ++i) {
        place->enclosure.linear.m[i][k] = place->enclosure.linear.m[k][i] = point(i == k);
        place->mid.linear.m[i][k] = place->mid.linear.m[k][i] = i == k;
    }
    place->axis[k] = (signed char)k;
    place->sign[k] = 1;
}

static void set_rotation(abut_quat q, double size, abut_place *place)
{
    int exponent;
    (void)frexp(size, &exponent);
    const double scale = ldexp(1, exponent < -1000 ? 1000 : -exponent);
    const abut_rounding saved = abut_rounding_enter();
    enclose_rotation(&q, scale, &place->enclosure.linear);
    abut_rounding_leave(saved);
    for (int i = 0; i < 9; ++i)
        place->mid.linear.m[i / 3][i % 3] = middle(place->enclosure.linear.m[i / 3][i % 3]);
    place->axes = false;
    for (int k = 0; k < 3; ++k)
        place->axis[k] = -1;
    if ((q.x == 0) + (q.y == 0) + (q.z == 0) == 2)
        fix_axis(place, q.x != 0 ? 0 : q.y != 0 ? 1 : 2);
}

abut_status abut_place_from_pose(const abut_pose *pose, bool turns, abut_place *out)
{
    abut_vec3 at = { 0, 0, 0 };
    out->t = 0;
    out->span = point(0);
    out->mapped = false;
    if (!pose)
        set_identity(out, turns);
    else {
        const abut_quat q = pose->rotation;
        const double size = abut_max_norm(abut_v3(q.x, q.y, q.z));
        if (!abut_is_finite3(pose->position) || !isfinite(q.w) || !isfinite(q.x) || !isfinite(q.y) ||
            !isfinite(q.z) || (q.w == 0 && is_identity(q)))
            return ABUT_ERR_ARGUMENT;
        at = pose->position;
        if (!turns || is_identity(q))
            set_identity(out, turns);
        else if (!set_axis_rotation(q, out))
            set_rotation(q, size > fabs(q.w) ? size : fabs(q.w), out);
    }
    out->enclosure.translation = (abut_interval_vec3){ point(at.x), point(at.y), point(at.z) };
    out->mid.translation = at;
    out->points = true;
    out->stated = turns;
    out->pose.position = at;
    out->pose.rotation = pose ? pose->rotation : (abut_quat){ 1, 0, 0, 0 };
    return ABUT_OK;
}

abut_status abut_place_from_motion(const abut_motion *motion, double t, abut_place *out)
{
    if (!motion) {
        const abut_status identity = abut_place_from_pose(NULL, true, out);
        out->t = t;
        return identity;
    }
    out->t = t;
    out->span = point(t);
    out->mapped = false;
    const abut_status status = abut_motion_enclose(motion, point(t), &out->enclosure);
    if (status)
        return status;
    find_mid(out);
    find_axes(out);
    find_stated(motion, out);
    return out->axes || abut_motion_is_rigid(motion) ? ABUT_OK : ABUT_ERR_UNSUPPORTED;
}

abut_status abut_place_rounded(const abut_motion *motion, double t, abut_place *out)
{
    if (!abut_motion_is_rigid(motion))
        return ABUT_ERR_UNSUPPORTED;
    out->points = out->axes = out->stated = out->mapped = false;
    out->t = t;
    out->span = point(t);
    return abut_motion_at(motion, t, &out->mid);
}

abut_status abut_place_from_stated(const abut_stated *stated, bool turns, abut_place *out)
{
    return stated->by_motion ? abut_place_from_motion(stated->motion, stated->t, out)
                             : abut_place_from_pose(stated->pose, turns, out);
}

abut_vec3 abut_place_to_local(const abut_place *place, abut_vec3 p)
{
    return abut_mul_t(&place->mid.linear, abut_sub(p, place->mid.translation));
}

abut_vec3 abut_place_turn(const abut_place *place, abut_vec3 direction)
{
    return abut_mul(&place->mid.linear, direction);
}
