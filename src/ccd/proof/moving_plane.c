/* SPDX-License-Identifier: MIT */
/* Planes that bound the gap of two moving bodies; see moving_plane.h and docs/notes/advancement.md,
 * which derives the constants. */
#include "ccd/proof/moving_plane.h"

static const double u = 0x1p-53;

/* Squares of what is tiny underflow, and a length of 0 bounds nothing. */
static double length(abut_vec3 a)
{
    const double square = abut_dot(a, a);
    return square > 0x1p-900 ? sqrt(square) : abut_length(a);
}

double abut_core_reach(const abut_core *core, abut_vec3 d, uint32_t *hint)
{
    const double *h = core->h;
    switch (core->kind) {
    case ABUT_CORE_POINT: return 0;
    case ABUT_CORE_SEGMENT: return h[2] * fabs(d.z);
    case ABUT_CORE_BOX: return h[0] * fabs(d.x) + h[1] * fabs(d.y) + h[2] * fabs(d.z);
    case ABUT_CORE_CYLINDER: return h[0] * sqrt(d.x * d.x + d.y * d.y) + h[2] * fabs(d.z);
    case ABUT_CORE_CONE: {
        const double rim = h[0] * sqrt(d.x * d.x + d.y * d.y) - h[2] * d.z, apex = h[2] * d.z;
        return rim > apex ? rim : apex;
    }
    case ABUT_CORE_ELLIPSOID: return length(abut_v3(h[0] * d.x, h[1] * d.y, h[2] * d.z));
    case ABUT_CORE_HULL: return core->scale * abut_hull_support_bound(core->hull, d, *hint);
    default: {
        const abut_vec3 p = abut_core_support(core, d, hint);
        return abut_dot(d, p);
    }
    }
}

/* The direction may be of any length. */
abut_vec3 abut_moving_plane_support_scaled(const abut_core *core, abut_vec3 d, uint32_t *hint)
{
    int exponent;
    if (core->kind != ABUT_CORE_ELLIPSOID)
        return abut_core_support(core, d, hint);
    (void)frexp(core->size, &exponent);
    return abut_core_support(core, abut_scale(ldexp(1, exponent < -1000 ? 1000 : -exponent), d), hint);
}

static abut_vec3 negate(abut_vec3 a)
{
    return abut_v3(-a.x, -a.y, -a.z);
}

/* Bounds n . x'' of the points x of a body that turns at a constant rate about a fixed axis:
 * |R''^T n| is the angular speed times |R'^T n|, and that does not change. */
static double bend_along(const abut_core *core, const abut_stance *at, abut_vec3 along)
{
    return at->bend > 0 ? core->size * at->speed * (length(along) + at->turn_rate + 8 * u * at->speed) : 0;
}

void abut_moving_plane_between(const abut_core *a, const abut_stance *at_a, const abut_core *b,
                               const abut_stance *at_b, abut_vec3 n, abut_vec3 dn, double sense,
                               abut_moving_plane *out)
{
    const abut_vec3 d = abut_sub(at_b->c, at_a->c), v = abut_sub(at_b->v, at_a->v);
    const double radii = a->radius + b->radius, far = length(d);
    out->a = a;
    out->b = b;
    out->hint_a = out->hint_b = 0;
    out->reach = INFINITY;
    out->slope = 0;
    out->a0 = abut_mul_t(&at_a->r, n);
    out->b0 = negate(abut_mul_t(&at_b->r, n));
    out->turns = at_a->speed > 0 || at_b->speed > 0;
    out->k0 = abut_dot(n, d) - radii;
    out->k1 = sense * abut_dot(n, v);
    const double sizes = a->size + b->size,
                 still = at_a->shift + at_b->shift + a->size * at_a->turn + b->size * at_b->turn;
    out->e0 = still + u * (10 * far + 8 * radii + 20 * sizes) + a->error + b->error + 0x1p-1060;
    const double drift = at_a->shift_rate + at_b->shift_rate + 10 * u * (length(at_a->v) + length(at_b->v));
    out->e1 = abut_stance_slack(at_a, n, a->size) + abut_stance_slack(at_b, n, b->size) +
              10 * u * (length(at_a->v) + length(at_b->v)) + 0x1p-1060;
    out->bend = out->twist = 0;
    if (!out->turns)
        return;
    const double turning = length(dn) * (1 + 8 * u), speeds = a->size * at_a->speed + b->size * at_b->speed;
    out->k1 += sense * (abut_dot(dn, d) - radii * abut_dot(n, dn)); /* dn need not be across n */
    const abut_vec3 along_a = abut_mul_t(&at_a->dr, n), along_b = abut_mul_t(&at_b->dr, n);
    out->a1 = abut_scale(sense, abut_add(along_a, abut_mul_t(&at_a->r, dn)));
    out->b1 = abut_scale(-sense, abut_add(along_b, abut_mul_t(&at_b->r, dn)));
    out->e1 += a->size * 30 * u * at_a->speed + a->error * (at_a->speed + turning) +
               b->size * 30 * u * at_b->speed + b->error * (at_b->speed + turning) +
               turning * (still + u * (10 * far + 30 * sizes + 16 * radii));
    const double own = bend_along(a, at_a, along_a) + bend_along(b, at_b, along_b);
    out->bend = own * (1 + 8 * u);
    if (turning > 0) { /* the direction is no longer than 2 within the reach */
        out->reach = 1 / turning;
        out->bend = (own + turning * (2 * (length(v) + drift + speeds + a->size * at_a->turn_rate +
                                           b->size * at_b->turn_rate) +
                                      radii * turning)) *
                    (1 + 16 * u);
        out->twist = turning * (a->size * at_a->bend + b->size * at_b->bend) * (1 + 16 * u);
    }
}

void abut_moving_plane_above(const abut_core *a, const abut_stance *at_a, const abut_shape *halfspace,
                             const abut_stance *at_b, double sense, double reach, abut_moving_plane *out)
{
    const abut_vec3 normal = halfspace->u.halfspace.normal, other = { 0, 0, 1 };
    const abut_vec3 unit = abut_unit_or(normal, other);
    const double offset = halfspace->u.halfspace.offset / abut_length(normal);
    const abut_vec3 n = abut_mul(&at_b->r, unit), n1 = abut_mul(&at_b->dr, unit);
    const abut_vec3 d = abut_sub(at_a->c, at_b->c), v = abut_sub(at_a->v, at_b->v);
    const abut_vec3 along = abut_mul_t(&at_a->dr, n);
    const double size = a->size, far = length(d) + size, skew = at_b->turn + 20 * u;
    const double drift = at_a->shift_rate + at_b->shift_rate;
    /* Bounds of the speed of any point, of the normal's, and of how its speed changes. */
    const double fast =
        (length(v) + drift + size * at_a->speed) * (1 + 8 * u) + 8 * u * (length(at_a->v) + length(at_b->v));
    const double turning = (length(n1) + at_b->turn_rate + 8 * u * at_b->speed) * (1 + 8 * u);
    const double swing = at_b->bend > 0 ? turning * at_b->speed : 0;
    out->a = a;
    out->b = NULL;
    out->hint_a = out->hint_b = 0;
    /* Where the swing counts a point gets no further than it is away. */
    out->reach = swing > 0 && !(reach * fast < far) ? far / fast : reach;
    const double span = far + out->reach * fast;
    out->slope = 0;
    out->turns = at_a->speed > 0 || at_b->speed > 0;
    out->a0 = negate(abut_mul_t(&at_a->r, n));
    out->a1 = abut_scale(-sense, abut_add(abut_mul_t(&at_a->r, n1), along));
    out->k0 = abut_dot(n, d) - offset - a->radius;
    out->k1 = sense * (abut_dot(n1, d) + abut_dot(n, v));
    out->e0 = at_a->shift + at_b->shift + skew * far + size * (at_a->turn + 20 * u) +
              8 * u * (fabs(offset) + a->radius) + a->error + 0x1p-1060;
    out->e1 = abut_stance_slack(at_a, n, size) + abut_stance_slack(at_b, n, 0) +
              skew * (drift + size * at_a->turn_rate) + (at_b->turn_rate + at_b->speed * skew) * span +
              at_b->speed * (at_a->shift + at_b->shift) + skew * (length(at_a->v) + length(at_b->v)) +
              size * at_a->speed * (at_b->turn + 40 * u) + size * at_b->speed * (at_a->turn + 40 * u) +
              a->error * (at_a->speed + at_b->speed) + 0x1p-1060;
    out->twist = 0;
    out->bend = (2 * turning * fast + swing * span + bend_along(a, at_a, along) + size * at_a->bend * skew) *
                (1 + 16 * u);
}

double abut_moving_plane_at(abut_moving_plane *f, double s)
{
    double value = (f->k0 + s * f->k1) - (f->e0 + s * f->e1);
    if (!f->turns) {
        value -= abut_core_reach(f->a, f->a0, &f->hint_a);
        return f->b ? value - abut_core_reach(f->b, f->b0, &f->hint_b) : value;
    }
    value -= 0.5 * (f->bend + f->twist * s) * s * s;
    value -= abut_core_reach(f->a, abut_madd(f->a0, s, f->a1), &f->hint_a);
    return f->b ? value - abut_core_reach(f->b, abut_madd(f->b0, s, f->b1), &f->hint_b) : value;
}

/* F and its slope, in doubles that steer. */
static double evaluate(abut_moving_plane *f, double s, double *slope)
{
    const abut_vec3 da = abut_madd(f->a0, s, f->a1);
    const abut_vec3 x = abut_moving_plane_support(f->a, da, &f->hint_a);
    double value =
        (f->k0 + s * f->k1) - (f->e0 + s * f->e1) - 0.5 * (f->bend + f->twist * s) * s * s - abut_dot(da, x);
    *slope = f->k1 - f->e1 - (f->bend + 1.5 * f->twist * s) * s - abut_dot(f->a1, x);
    if (f->b) {
        const abut_vec3 db = abut_madd(f->b0, s, f->b1);
        const abut_vec3 y = abut_moving_plane_support(f->b, db, &f->hint_b);
        value -= abut_dot(db, y);
        *slope -= abut_dot(f->b1, y);
    }
    return value;
}

/* No support changes: F is a straight line. */
static double step_straight(abut_moving_plane *f, double most)
{
    const double value = abut_moving_plane_at(f, 0), slope = f->k1 - f->e1;
    f->slope = slope;
    if (!(value > 0))
        return 0;
    if (value + most * slope * (1 + 8 * u) > value * 8 * u)
        return most;
    /* 16 u leaves room for the rounding of the line's value and of the quotient */
    const double s = value / -slope * (1 - 16 * u);
    return s < most ? s : most;
}

/* Newton's method on F = target from the right, where F is concave: each iterate is still right
 * of the root, so that it converges to a value just below the target. */
double abut_moving_plane_step(abut_moving_plane *f, double most)
{
    if (most > f->reach)
        most = f->reach;
    if (!f->turns)
        return step_straight(f, most);
    const double first = abut_moving_plane_at(f, 0);
    double slope;
    const double start = evaluate(f, 0, &slope);
    f->slope = slope;
    if (!(first > 0))
        return 0;
    const double target = fmin(0.5 * first, f->e0 + 0x1p-40 * first);
    /* F lies below its second-order form at 0. */
    double s = most;
    const double room = start - target;
    if (f->bend > 0 || slope < 0) {
        const double root = sqrt(slope * slope + 2 * f->bend * room);
        const double bound = slope < 0 ? 2 * room / (root - slope) : (slope + root) / f->bend;
        if (bound < s)
            s = bound;
    }
    double value = start;
    for (int i = 0; i < 8; ++i) {
        value = evaluate(f, s, &slope);
        if (value > 0.25 * target || !(slope < 0))
            break;
        const double next = s + (value - target) / -slope;
        if (!(next > 0) || !(next < s))
            break;
        s = next;
    }
    if (abut_moving_plane_at(f, s) > 0)
        return s;
    /* By concavity the chord is below F: from s as it is now, which the last step of Newton's
     * method may have changed by much. */
    for (int i = 0; i < 4; ++i) {
        value = evaluate(f, s, &slope);
        s = s * (start - target) / (start - fmin(value, 0)) * (i == 0 ? 1 : 0.5);
        if (!(s > 0))
            return 0;
        if (abut_moving_plane_at(f, s) > 0)
            return s;
    }
    return 0;
}

double abut_moving_plane_end(double t, double s)
{
    double next = t + s * (1 - 16 * u);
    for (int i = 0; i < 4 && fabs(next - t) * (1 + 4 * u) > fabs(s) && next != t; ++i)
        next = nextafter(next, t);
    return fabs(next - t) * (1 + 4 * u) > fabs(s) ? t : next;
}
