/* SPDX-License-Identifier: MIT */
/* Boxes of bodies in the world: any shape under any pose, and over any time of a motion.
 *
 * A convex core reaches max d . x over its points along each axis of the world, with d the row of
 * the rotation: one evaluation of the support mapping a side. Everything else has the box around
 * its turned box. Over time the placement is enclosed by a matrix in the middle and a bound of what
 * it may be off by, piece by piece where it turns far. All sums are rounded outward or padded by
 * more than their rounding:
 *  - the rows of a rotation from a quaternion are off by less than 2^-48 each, in the 2-norm;
 *  - so along d a body of size s reaches at most 2^-46 s further than computed, sums included.
 *
 * Large hulls climb to their extreme vertices from those of the last time, and the fixed cube around
 * a body that turns is J. Cohen, M. Lin, D. Manocha, M. Ponamgi, I-COLLIDE (1995), section 3.2. */
#include "world/bounds.h"

#include "ccd/deform/deform.h"
#include "math/nearest.h"
#include "math/vec3.h"
#include "motion/motion.h"
#include "shape/shape.h"
#include "world/broad/aabb.h"

#include <math.h>

/* A placement for this purpose: matrix, what it may be off by in the Frobenius norm, and the
 * box of the translation. */
typedef struct placed {
    abut_mat3 m;
    double off;
    abut_vec3 lo, hi;
    bool identity; /* m is exactly that */
    bool rigid;
    bool cube;
    abut_extremes *extremes; /* may be NULL */
} placed;

static const abut_aabb everything = { { -INFINITY, -INFINITY, -INFINITY }, { INFINITY, INFINITY, INFINITY } };

static double *part(abut_vec3 *v, int i)
{
    return i == 0 ? &v->x : i == 1 ? &v->y : &v->z;
}

static double get(const abut_vec3 *v, int i)
{
    return i == 0 ? v->x : i == 1 ? v->y : v->z;
}

/* Neither end may be lost to an overflow that made a NaN. */
static abut_aabb sound(abut_aabb box)
{
    for (int i = 0; i < 3; ++i) {
        double *lo = part(&box.lo, i), *hi = part(&box.hi, i);
        *lo = isnan(*lo) || *lo == INFINITY ? -INFINITY : *lo;
        *hi = isnan(*hi) || *hi == -INFINITY ? INFINITY : *hi;
    }
    return box;
}

static void hull(abut_aabb *box, const abut_aabb *more)
{
    for (int i = 0; i < 3; ++i) {
        *part(&box->lo, i) = fmin(get(&box->lo, i), get(&more->lo, i));
        *part(&box->hi, i) = fmax(get(&box->hi, i), get(&more->hi, i));
    }
}

/* ---- a placement and a shape ---- */

/* Without a rotation only the sums are rounded. */
static abut_aabb shifted(const abut_aabb *local, const placed *at)
{
    abut_aabb out;
    for (int i = 0; i < 3; ++i) {
        *part(&out.hi, i) = abut_shape_add_up(get(&local->hi, i), get(&at->hi, i));
        *part(&out.lo, i) = -abut_shape_add_up(-get(&local->lo, i), -get(&at->lo, i));
    }
    return sound(out);
}

/* Of a side's sum, computed as `reach` from numbers of these sizes. */
static double pad(double size, double off, double norm, double centre)
{
    return size * (off * (1 + 0x1p-40) + norm * 0x1p-46) + 0x1p-50 * (fabs(centre) + norm * size) + 0x1p-1060;
}

static double row_length(const abut_mat3 *m, int i)
{
    return sqrt(m->m[i][0] * m->m[i][0] + m->m[i][1] * m->m[i][1] + m->m[i][2] * m->m[i][2]);
}

static abut_aabb core_box(const abut_core *core, const placed *at)
{
    const double size = abut_shape_add_up(core->size, core->radius);
    const bool user = core->kind == ABUT_CORE_USER;
    uint32_t hints[2] = { 0, 0 };
    abut_aabb out;
    for (int i = 0; i < 3; ++i) {
        uint32_t *hint = at->extremes ? at->extremes->at + 2 * i : hints;
        const abut_vec3 d = abut_v3(at->m.m[i][0], at->m.m[i][1], at->m.m[i][2]);
        const double norm = row_length(&at->m, i), swept = core->radius * norm;
        double up = size * norm, down = up;
        if (!user && core->kind != ABUT_CORE_POINT && norm > 0x1p-100) {
            up = abut_dot(d, abut_core_support(core, d, &hint[0])) + core->error * norm + swept;
            const abut_vec3 back = abut_scale(-1, d);
            down = abut_dot(back, abut_core_support(core, back, &hint[1])) + core->error * norm + swept;
        }
        up += pad(size, at->off, norm, get(&at->hi, i));
        down += pad(size, at->off, norm, get(&at->lo, i));
        if (at->rigid) { /* whatever it turns by */
            up = fmin(up, size * (1 + 0x1p-50));
            down = fmin(down, size * (1 + 0x1p-50));
        }
        *part(&out.hi, i) = abut_shape_add_up(get(&at->hi, i), up);
        *part(&out.lo, i) = -abut_shape_add_up(-get(&at->lo, i), down);
    }
    return sound(out);
}

/* The box around a turned box; where that is not finite, around nothing that the rotation mixes in. */
static abut_aabb turned_box(const abut_aabb *local, const placed *at)
{
    abut_vec3 centre = { 0, 0, 0 }, half = { 0, 0, 0 };
    double reach = 0;
    for (int j = 0; j < 3; ++j) {
        const double lo = get(&local->lo, j), hi = get(&local->hi, j), c = 0.5 * lo + 0.5 * hi;
        if (!isfinite(lo) || !isfinite(hi))
            return everything;
        *part(&centre, j) = c;
        *part(&half, j) = fmax(hi - c, c - lo) * (1 + 0x1p-50);
        reach += fmax(fabs(lo), fabs(hi));
    }
    abut_aabb out;
    for (int i = 0; i < 3; ++i) {
        const double *row = at->m.m[i];
        const double c = row[0] * centre.x + row[1] * centre.y + row[2] * centre.z;
        double h = fabs(row[0]) * half.x + fabs(row[1]) * half.y + fabs(row[2]) * half.z;
        const double norm = row_length(&at->m, i);
        h += pad(reach, at->off, norm, fmax(fabs(get(&at->lo, i)), fabs(get(&at->hi, i))));
        double up = c + h, down = h - c;
        if (at->rigid) {
            up = fmin(up, reach * (1 + 0x1p-50));
            down = fmin(down, reach * (1 + 0x1p-50));
        }
        *part(&out.hi, i) = abut_shape_add_up(get(&at->hi, i), up);
        *part(&out.lo, i) = -abut_shape_add_up(-get(&at->lo, i), down);
    }
    return sound(out);
}

/* A half-space is bounded along an axis only where its normal is along it. */
static abut_aabb halfspace_box(const abut_shape *shape, const placed *at)
{
    const abut_vec3 n = shape->u.halfspace.normal;
    const double offset = shape->u.halfspace.offset;
    abut_aabb out = everything;
    for (int i = 0; at->identity && i < 3; ++i) {
        const double c = get(&n, i);
        if (c == 0 || get(&n, (i + 1) % 3) != 0 || get(&n, (i + 2) % 3) != 0)
            continue;
        const double edge = offset / c, wide = fabs(edge) * 0x1p-50 + 0x1p-1060;
        if (c > 0)
            *part(&out.hi, i) = abut_shape_add_up(get(&at->hi, i), edge + wide);
        else
            *part(&out.lo, i) = -abut_shape_add_up(-get(&at->lo, i), wide - edge);
    }
    return sound(out);
}

/* Sizes for which support mappings hold; see shape/core.h. */
static bool has_core(const abut_core *core)
{
    return core->kind != ABUT_CORE_NONE && core->size < 0x1p150 &&
           (core->size > 0x1p-150 || core->kind == ABUT_CORE_POINT) && core->radius < 0x1p150;
}

/* The cube that holds it however it turns about the centre of its box: of a ball about the origin
 * where that is smaller. */
static abut_aabb cube_box(const abut_shape *shape, const placed *at)
{
    const abut_aabb *b = &shape->bounds;
    abut_aabb centre = { { 0, 0, 0 }, { 0, 0, 0 } };
    double square = 0;
    for (int j = 0; j < 3; ++j) {
        const double lo = get(&b->lo, j), hi = get(&b->hi, j), c = 0.5 * lo + 0.5 * hi;
        const double half = fmax(hi - c, c - lo) * (1 + 0x1p-50);
        if (!isfinite(lo) || !isfinite(hi))
            return everything;
        *part(&centre.lo, j) = *part(&centre.hi, j) = c;
        square += half * half;
    }
    /* a square that is lost to underflow is below 2^-1020, its root below 2^-510 */
    double radius = sqrt(square) * (1 + 0x1p-50) + 0x1p-500;
    if (has_core(&shape->core) && shape->core.size + shape->core.radius <= radius) {
        radius = abut_shape_add_up(shape->core.size, shape->core.radius);
        centre = (abut_aabb){ { 0, 0, 0 }, { 0, 0, 0 } };
    }
    const bool fixed = at->identity || (centre.lo.x == 0 && centre.lo.y == 0 && centre.lo.z == 0);
    abut_aabb out = fixed ? shifted(&centre, at) : turned_box(&centre, at);
    for (int i = 0; i < 3; ++i) {
        *part(&out.hi, i) = abut_shape_add_up(get(&out.hi, i), radius);
        *part(&out.lo, i) = -abut_shape_add_up(-get(&out.lo, i), radius);
    }
    return sound(out);
}

static abut_aabb placed_box(const abut_shape *shape, const placed *at)
{
    if (shape->type == ABUT_SHAPE_HALFSPACE)
        return halfspace_box(shape, at);
    if (at->cube && at->rigid)
        return cube_box(shape, at);
    if (at->identity)
        return shifted(&shape->bounds, at);
    return has_core(&shape->core) ? core_box(&shape->core, at) : turned_box(&shape->bounds, at);
}

/* ---- poses ---- */

static bool read_pose(const abut_pose *pose, placed *out)
{
    const abut_quat q = pose->rotation;
    const abut_vec3 p = pose->position;
    *out = (placed){ .lo = p, .hi = p, .rigid = true };
    if (!isfinite(p.x) || !isfinite(p.y) || !isfinite(p.z) || !isfinite(q.w) || !isfinite(q.x) ||
        !isfinite(q.y) || !isfinite(q.z) || (q.w == 0 && q.x == 0 && q.y == 0 && q.z == 0))
        return false;
    out->identity = q.x == 0 && q.y == 0 && q.z == 0;
    if (!out->identity)
        out->m = abut_quat_to_mat3(q);
    return true;
}

static ABUT_MATH_NOINLINE bool pose_box(const abut_shape *shape, const abut_pose *pose, abut_box_kind kind,
                                        abut_extremes *extremes, abut_aabb *out)
{
    placed at;
    if (!read_pose(pose, &at))
        return false;
    at.cube = kind == ABUT_BOX_CUBE;
    at.extremes = extremes;
    *out = placed_box(shape, &at);
    return true;
}

bool abut_bounds_climb(const abut_shape *shape)
{
    return shape->core.kind == ABUT_CORE_HULL && !abut_hull_is_scanned(shape->core.hull);
}

abut_status abut_bounds_at(const abut_shape *shape, const abut_pose *pose, abut_box_kind kind,
                           abut_extremes *extremes, abut_aabb *out)
{
    static const abut_pose identity = { { 0, 0, 0 }, { 1, 0, 0, 0 } };
    if (!shape || !out)
        return ABUT_ERR_ARGUMENT;
    const abut_nearest saved = abut_nearest_enter();
    const bool ok = pose_box(shape, pose ? pose : &identity, kind, extremes, out);
    abut_nearest_leave(saved);
    if (!ok)
        *out = everything;
    return ok ? ABUT_OK : ABUT_ERR_ARGUMENT;
}

abut_status abut_shape_world_bounds(const abut_shape *shape, const abut_pose *pose, abut_aabb *out)
{
    return abut_bounds_at(shape, pose, ABUT_BOX_TIGHT, NULL, out);
}

/* ---- motions ---- */

static bool is_identity(const abut_interval_mat3 *m)
{
    for (int i = 0; i < 9; ++i)
        if (m->m[i / 3][i % 3].lo != (i % 4 == 0) || m->m[i / 3][i % 3].hi != (i % 4 == 0))
            return false;
    return true;
}

static abut_status enclose(const abut_motion *motion, abut_interval time, placed *out)
{
    abut_interval_affine at;
    const abut_status status = abut_motion_enclose(motion, time, &at);
    if (status)
        return status;
    *out = (placed){ .lo = { at.translation.x.lo, at.translation.y.lo, at.translation.z.lo },
                     .hi = { at.translation.x.hi, at.translation.y.hi, at.translation.z.hi },
                     .rigid = abut_motion_is_rigid(motion),
                     .identity = is_identity(&at.linear) };
    out->off = abut_motion_middle(&at.linear, &out->m);
    return ABUT_OK;
}

static double piece_end(abut_interval time, int i, int count)
{
    if (i == count)
        return time.hi;
    const double t = time.lo + (time.hi - time.lo) * ((double)i / count);
    return fmin(fmax(t, time.lo), time.hi);
}

/* Over all pieces, each so short that it turns by little. */
static ABUT_MATH_NOINLINE abut_status motion_box(const abut_shape *shape, const abut_motion *motion,
                                                 abut_interval time, abut_box_kind kind,
                                                 abut_extremes *extremes, abut_aabb *out)
{
    enum { MOST = 16 };
    placed at;
    abut_status status = enclose(motion, time, &at);
    if (status)
        return status;
    at.cube = kind == ABUT_BOX_CUBE;
    at.extremes = extremes;
    *out = placed_box(shape, &at);
    /* A row of a rotation is off by 2 at most, so that this is a number that an int can hold. */
    const int count = at.off > 0.05 && time.lo < time.hi ? (int)fmin(MOST, ceil(8 * at.off)) : 1;
    if (count <= 1 || (at.cube && at.rigid && shape->type != ABUT_SHAPE_HALFSPACE))
        return ABUT_OK;
    abut_aabb all = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
    for (int i = 0; i < count; ++i) {
        const abut_interval piece = { piece_end(time, i, count), piece_end(time, i + 1, count) };
        status = enclose(motion, piece, &at);
        if (status)
            return status;
        at.extremes = extremes;
        const abut_aabb box = placed_box(shape, &at);
        hull(&all, &box);
    }
    for (int i = 0; i < 3; ++i) { /* both hold it */
        *part(&out->lo, i) = fmax(get(&out->lo, i), get(&all.lo, i));
        *part(&out->hi, i) = fmin(get(&out->hi, i), get(&all.hi, i));
    }
    return ABUT_OK;
}

/* Vertices between two keys are in the hull of their places at the keys. */
static abut_aabb vertices_box(const abut_vertices_motion *vertices, const abut_motion *motion,
                              abut_interval time)
{
    abut_aabb out = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
    const size_t count = abut_vertices_count(vertices);
    for (double t = time.lo;;) {
        const double next = fmin(abut_motion_next_break(motion, t), time.hi);
        const abut_vec3 *keys[2];
        double times[2];
        abut_vertices_keys(vertices, t, next, times, keys);
        for (size_t k = 0; k < 2; ++k)
            for (size_t i = 0; i < count; ++i) {
                const abut_aabb point = { keys[k][i], keys[k][i] };
                hull(&out, &point);
            }
        if (next >= time.hi || next <= t)
            return out;
        t = next;
    }
}

abut_status abut_bounds_over(const abut_shape *shape, const abut_motion *motion, abut_interval time,
                             abut_box_kind kind, abut_extremes *extremes, abut_aabb *out)
{
    abut_pose pose;
    if (!shape || !out || !(time.lo <= time.hi) || !isfinite(time.lo) || !isfinite(time.hi))
        return ABUT_ERR_ARGUMENT;
    if (!motion)
        return abut_bounds_at(shape, NULL, kind, extremes, out);
    *out = everything;
    const abut_interval range = abut_motion_get_range(motion);
    if (time.lo < range.lo || time.hi > range.hi)
        return ABUT_ERR_ARGUMENT;
    const abut_vertices_motion *vertices = abut_vertices_of(motion);
    if (vertices) {
        *out = vertices_box(vertices, motion, time);
        return ABUT_OK;
    }
    if (abut_motion_stated_pose(motion, &pose))
        return abut_bounds_at(shape, &pose, kind, extremes, out);
    const abut_nearest saved = abut_nearest_enter();
    const abut_status status = motion_box(shape, motion, time, kind, extremes, out);
    abut_nearest_leave(saved);
    if (status)
        *out = everything;
    return status == ABUT_ERR_UNSUPPORTED ? ABUT_OK : status;
}

abut_status abut_shape_world_bounds_over(const abut_shape *shape, const abut_motion *motion,
                                         abut_interval time, abut_aabb *out)
{
    return abut_bounds_over(shape, motion, time, ABUT_BOX_TIGHT, NULL, out);
}
