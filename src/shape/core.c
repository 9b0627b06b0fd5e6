/* SPDX-License-Identifier: MIT */
/* Cores of convex shapes; see core.h.
 *
 * The error of a support point, in units u = 2^-53 of the core's size. The vertices of a box and
 * a segment are exact, and the right ones; a hull's may be beaten by another by the rounding of
 * two values, 2 * 3.01 u. A cylinder and a cone: the square of |d_xy| is off by 2 u of itself,
 * its root by 1.5 u, the quotient and the product make that 3.5 u; and a cone may prefer the
 * apex to the rim where both are within 5 u of one another. An ellipsoid: e by u, the square by
 * 5 u, its root by 3 u, the inverse by 4 u, the two products and e itself make 7 u for each
 * coordinate. Scaling all coordinates alike moves a point by as much of its length, and its
 * value by as much of itself. 8 u covers all of them. */
#include "shape/core.h"

#include "shape/shape.h"

static const double u = 0x1p-53;

/* An upper bound of the length. */
static double length_up(double x, double y, double z)
{
    return abut_length(abut_v3(x, y, z)) * (1 + 0x1p-48);
}

/* ---- a ball inside ---- */

/* Lower bound of how far the origin is behind the plane of a face of a hull, from three corners
 * a, b, c, counter-clockwise from outside. The normal (b - a) x (c - a) is off by less than 6 u
 * of the product of the edges' lengths, by which its length and its product with a are off in
 * turn; 20 u has room for the rounding of these. */
static double face_margin(abut_vec3 a, abut_vec3 b, abut_vec3 c)
{
    const abut_vec3 e = abut_sub(b, a), f = abut_sub(c, a), n = abut_cross(e, f);
    const double length = sqrt(abut_dot(n, n)), spread = sqrt(abut_dot(e, e) * abut_dot(f, f));
    const double slack = 20 * u * spread;
    if (!(length > 2 * slack))
        return -INFINITY;
    return (abut_dot(n, a) - slack * sqrt(abut_dot(a, a))) / length * (1 - 0x1p-50);
}

/* The faces are a closed surface, so that a point behind all of them is inside. */
static double hull_inner(const abut_hull *hull)
{
    if (hull->dimension < 3 || !(hull->size > 0x1p-150 && hull->size < 0x1p150))
        return -INFINITY;
    double least = INFINITY;
    for (uint32_t i = 0; i < hull->face_count; ++i) {
        const uint32_t *corner = hull->face_corners + hull->face_begin[i];
        const uint32_t count = hull->face_begin[i + 1] - hull->face_begin[i];
        const double margin =
            face_margin(abut_hull_vertex(hull, corner[0]), abut_hull_vertex(hull, corner[count / 3]),
                        abut_hull_vertex(hull, corner[2 * count / 3]));
        least = margin < least ? margin : least;
    }
    return least > 0 ? least : -INFINITY;
}

static double inner_of(const abut_core *core)
{
    const double least = fmin(core->h[0], fmin(core->h[1], core->h[2]));
    switch (core->kind) {
    case ABUT_CORE_POINT:
    case ABUT_CORE_SEGMENT: return 0;
    case ABUT_CORE_BOX:
    case ABUT_CORE_CYLINDER:
    case ABUT_CORE_ELLIPSOID: return least;
    case ABUT_CORE_CONE: /* the side is h_z r / sqrt(r^2 + 4 h_z^2) away */
        return fmin(core->h[2],
                    core->h[0] / (2 * abut_length(abut_v3(core->h[0] / (2 * core->h[2]), 1, 0)))) *
               (1 - 0x1p-40);
    case ABUT_CORE_HULL: return hull_inner(core->hull);
    default: return -INFINITY;
    }
}

/* The largest ball in a cone touches side and base; the least around it passes through the apex
 * and the rim, or has the rim for its equator. Whatever their centres are after rounding, their
 * radii are those about these centres. */
static void set_balls(abut_core *core)
{
    const double r = core->h[0], h = core->h[2];
    abut_core_round *o = &core->round;
    if (core->kind == ABUT_CORE_CYLINDER) {
        *o = (abut_core_round){ 0, fmin(r, h), 0, core->size, r, 1, 0, 1 / r, 1 / h, 1 / h };
        return;
    }
    const double slant = abut_length(abut_v3(r, 2 * h, 0)), sine = r / slant, cosine = 2 * h / slant;
    const double in = 2 * h * (r / (r + slant)) - h,
                 out = 2 * h > r ? h - 0.5 * (2 * h + r * (r / (2 * h))) : -h;
    const double side = (h - in) * sine, base = h + in;
    *o = (abut_core_round){ in,       fmin(side, base) * (1 - 0x1p-40),
                            out,      fmax(h - out, abut_length(abut_v3(r, out + h, 0))) * (1 + 0x1p-48),
                            0,        cosine,
                            sine,     1 / side,
                            1 / base, 1 / (h - in) };
}

static void set_round(abut_core *core, abut_core_kind kind, const abut_shape *shape)
{
    core->kind = kind;
    core->h[0] = core->h[1] = shape->u.round.radius;
    core->h[2] = 0.5 * shape->u.round.height;
    core->size = length_up(core->h[0], core->h[2], 0);
    set_balls(core);
}

void abut_core_set(abut_shape *shape)
{
    abut_core core = { .kind = ABUT_CORE_NONE, .scale = 1 };
    double extra = 0;
    switch (shape->type) {
    case ABUT_SHAPE_SPHERE:
        core.kind = ABUT_CORE_POINT;
        core.radius = shape->u.sphere.radius;
        break;
    case ABUT_SHAPE_BOX:
        core.kind = ABUT_CORE_BOX;
        core.h[0] = shape->u.box.half.x;
        core.h[1] = shape->u.box.half.y;
        core.h[2] = shape->u.box.half.z;
        core.size = length_up(core.h[0], core.h[1], core.h[2]);
        break;
    case ABUT_SHAPE_CAPSULE:
        core.kind = shape->u.round.height > 0 ? ABUT_CORE_SEGMENT : ABUT_CORE_POINT;
        core.radius = shape->u.round.radius;
        core.h[2] = core.size = 0.5 * shape->u.round.height;
        break;
    case ABUT_SHAPE_CYLINDER: set_round(&core, ABUT_CORE_CYLINDER, shape); break;
    case ABUT_SHAPE_CONE: set_round(&core, ABUT_CORE_CONE, shape); break;
    case ABUT_SHAPE_ELLIPSOID:
        core.kind = ABUT_CORE_ELLIPSOID;
        core.h[0] = shape->u.ellipsoid.radii.x;
        core.h[1] = shape->u.ellipsoid.radii.y;
        core.h[2] = shape->u.ellipsoid.radii.z;
        core.size = abut_max_norm(shape->u.ellipsoid.radii);
        break;
    case ABUT_SHAPE_CONVEX:
        core.kind = ABUT_CORE_HULL;
        core.radius = shape->u.convex.margin;
        core.swept = core.radius > 0;
        core.hull = shape->u.convex.hull;
        core.size = core.hull->size;
        break;
    case ABUT_SHAPE_SUPPORT:
        core.kind = ABUT_CORE_USER;
        core.user = &shape->u.support;
        core.size = shape->u.support.def.radius;
        extra = shape->u.support.def.error;
        break;
    case ABUT_SHAPE_SWEPT:
        core = shape->u.swept.of->core;
        core.radius = abut_shape_add_up(core.radius, shape->u.swept.margin);
        core.swept = core.swept || shape->u.swept.margin > 0;
        extra = core.error;
        break;
    default: break;
    }
    core.error = shape->type == ABUT_SHAPE_SWEPT ? extra : 8 * u * core.size + extra;
    if (shape->type != ABUT_SHAPE_SWEPT)
        core.inner = inner_of(&core);
    shape->core = core;
}

abut_core abut_core_shrink(const abut_core *core, int exponent)
{
    abut_core out = *core;
    out.radius = ldexp(core->radius, -exponent);
    out.size = ldexp(core->size, -exponent);
    out.inner = -INFINITY;
    out.error = ldexp(core->error, -exponent);
    for (int i = 0; i < 3; ++i)
        out.h[i] = ldexp(core->h[i], -exponent);
    out.scale = ldexp(core->scale, -exponent);
    return out;
}

abut_vec3 abut_core_support_user(const abut_core *core, const abut_vec3 *d)
{
    abut_core_user *user = core->user;
    abut_vec3 p = { 0, 0, 0 };
    if (!user)
        return p;
    const abut_support_def *def = &user->def;
    def->support(def->ctx, d, &p);
    if (!(abut_max_norm(p) <= (def->radius + def->error) * (1 + 0x1p-40)) || !abut_is_finite3(p)) {
        atomic_store_explicit(&user->failed, true, memory_order_relaxed);
        return abut_v3(0, 0, 0);
    }
    return abut_scale(core->scale, p);
}

/* Of a point in the plane of the axis, at (side, z), which the cone meets in a triangle. */
static double cone_excess(double r, double h, double side, double z)
{
    const double slant = sqrt(r * r + 4 * h * h), below = -h - z,
                 beside = (2 * h * side - r * (h - z)) / slant;
    if (below <= 0 && beside <= 0)
        return fmax(below, beside);
    double least = INFINITY;
    if (below > 0)
        least = hypot(fmax(side - r, 0), below);
    if (beside > 0) {
        const double at = fmin(fmax((2 * h * (z + h) - r * (side - r)) / (slant * slant), 0), 1);
        least = fmin(least, hypot(side - r * (1 - at), z + h - 2 * h * at));
    }
    return least;
}

static double hull_excess(const abut_core *core, abut_vec3 p)
{
    const abut_hull *hull = core->hull;
    double most = hull->face_count > 0 ? -INFINITY : INFINITY;
    for (uint32_t i = 0; i < hull->face_count; ++i) {
        const abut_vec3 corner = abut_core_vertex(core, hull->face_corners[hull->face_begin[i]]);
        most = fmax(most, abut_dot(hull->face_normal[i], abut_sub(p, corner)));
    }
    return most;
}

double abut_core_excess(const abut_core *core, abut_vec3 p)
{
    const double *h = core->h, side = sqrt(p.x * p.x + p.y * p.y), z = fabs(p.z);
    switch (core->kind) {
    case ABUT_CORE_POINT: return abut_length(p);
    case ABUT_CORE_SEGMENT: return hypot(side, fmax(0, z - h[2]));
    case ABUT_CORE_BOX: {
        const double a = fabs(p.x) - h[0], b = fabs(p.y) - h[1], c = z - h[2], most = fmax(a, fmax(b, c));
        return most <= 0 ? most : abut_length(abut_v3(fmax(a, 0), fmax(b, 0), fmax(c, 0)));
    }
    case ABUT_CORE_CYLINDER: {
        const double a = side - h[0], c = z - h[2];
        return a > 0 && c > 0 ? hypot(a, c) : fmax(a, c);
    }
    case ABUT_CORE_CONE: return cone_excess(h[0], h[2], side, p.z);
    case ABUT_CORE_ELLIPSOID:
        return (abut_length(abut_v3(p.x / h[0], p.y / h[1], p.z / h[2])) - 1) * fmin(h[0], fmin(h[1], h[2]));
    case ABUT_CORE_HULL: return hull_excess(core, p);
    default: return INFINITY;
    }
}
