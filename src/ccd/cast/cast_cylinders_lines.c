/* SPDX-License-Identifier: MIT */
/* Cylinders and cones that translate and meet with a side or a slant on the plane of contact; see
 * cast_cylinders.h.
 *
 * Four of five such pairs do. The unit normals of a side or slant are a circle about the axis, n =
 * kappa axis + c (x e1 + y e2), on which linear functions are waves of one angle. So with the other
 * body's end (of its rim, or its apex) held fast there is one unknown, and the time is N / Z, with
 *     N = n . (t - end axis') - mean c - m F,  Z = n.z,  F = sqrt(1 - A^2),  A = n . axis',
 * where N' Z - N Z' = 0: Newton's method takes two or three steps of a third of what the planes of
 * cast_cylinders.c take. For cylinders, that is the slope of a concave function. With lines of both on
 * the plane its normal is known: both waves at once leave two directions.
 *
 * What comes out is where they meet if the other body is at that end, and the point on the line
 * within it; if not, the search goes on. A step beyond the horizon, Z = 0, means a miss, for
 * which the plane there is tried. */
#include "ccd/cast/cast_cylinders.h"

enum { MOST_STEPS = 8 };

typedef struct circle {
    double kappa, c;
    abut_vec3 axis, e1, e2;
} circle;

/* A linear function on the circle: its mean, and what goes with x and y. */
typedef struct wave {
    double mean, cosine, sine;
} wave;

static inline wave wave_of(const circle *o, abut_vec3 v)
{
    return (wave){ o->kappa * abut_dot(v, o->axis), o->c * abut_dot(v, o->e1), o->c * abut_dot(v, o->e2) };
}

/* Where diff = 0, along = kappa and flat = c. */
static inline void find_slopes(const abut_cylinders_body *b, double *kappa, double *c)
{
    *kappa = 0;
    *c = 1;
    if (b->apex > 0) {
        const double per_slant = 1 / sqrt(b->apex * b->apex + 4 * b->h * b->h);
        *kappa = b->apex * per_slant;
        *c = 2 * b->h * per_slant;
    }
}

static inline void set_view(double flat, double diff, abut_vec3 u, abut_cylinders_view *out)
{
    out->flat = flat;
    out->diff = diff;
    out->u = u;
}

/* The end of the other body. */
typedef struct tip {
    const abut_cylinders_body *body;
    double sigma, end, m;
} tip;

/* At (x, y) of the circle, where the other body has the parts `along` and `flat` of n, and the
 * time is `f`. */
static bool take(const abut_cylinders_climber *k, const circle *o, int i, const tip *other, double x,
                 double y, double along, double flat, double per_flat, double f, abut_cylinders_meeting *out)
{
    const abut_cylinders_body *b = &k->body[i], *p = other->body;
    const abut_vec3 u = abut_madd(abut_scale(x, o->e1), y, o->e2);
    const abut_vec3 n = abut_madd(abut_scale(o->c, u), o->kappa, o->axis);
    const abut_vec3 w = abut_scale(per_flat, abut_madd(n, -along, p->axis));
    const abut_vec3 point = abut_madd(abut_scale(other->m, w), other->end, p->axis);
    const double diff = 2 * p->h * along - p->apex * flat;
    const double high = abut_dot(abut_sub(abut_v3(k->t.x, k->t.y, k->t.z - f), point), o->axis);
    if (!(fabs(high) < b->h) || !(diff * other->sigma > 0))
        return false;
    const double sigma = high / b->h;
    const abut_vec3 own = abut_madd(abut_scale(b->mean - 0.5 * sigma * b->apex, u), high, o->axis);
    out->n = n;
    out->sigma[i] = sigma;
    out->sigma[1 - i] = other->sigma;
    set_view(o->c, 0, u, &out->view[i]);
    set_view(flat, diff, w, &out->view[1 - i]);
    out->x = i ? point : own;
    out->y = abut_sub(k->t, i ? own : point);
    out->cap = -1;
    return true;
}

/* The normal between (x, y), where it still searches ahead by z, and (x1, y1), where it hardly
 * does: along the horizon. */
static bool passes(const abut_cylinders_climber *k, const circle *o, double x, double y, double z, double x1,
                   double y1, double z1)
{
    const double part = z > 0 ? z / (z - z1) : 1;
    const abut_vec3 u = abut_madd(abut_scale(x + part * (x1 - x), o->e1), y + part * (y1 - y), o->e2);
    const abut_vec3 n = abut_madd(abut_scale(o->c, u), o->kappa, o->axis);
    return abut_cylinders_parts(k, abut_v3(n.x, n.y, 0));
}

abut_cylinders_found abut_cylinders_meet_on_line(const abut_cylinders_climber *k, abut_vec3 u, double flat,
                                                 const abut_cylinders_step *s, int i,
                                                 abut_cylinders_meeting *out)
{
    const abut_cylinders_body *b = &k->body[i], *p = &k->body[1 - i];
    const double sigma = s->sigma[1 - i];
    const tip other = { p, sigma, sigma * p->h, p->mean - 0.5 * sigma * p->apex };
    circle o = { .axis = b->axis, .e1 = u, .e2 = abut_cross(b->axis, u) };
    find_slopes(b, &o.kappa, &o.c);
    const wave t = wave_of(&o, abut_madd(k->t, -other.end, p->axis)), a = wave_of(&o, p->axis);
    const wave z = { o.kappa * b->axis.z, o.c * o.e1.z, o.c * o.e2.z };
    const double reach = b->mean * o.c;
    const double from_x = flat + (s->d[0] * o.e1.x + s->d[1] * o.e1.y),
                 from_y = s->d[0] * o.e2.x + s->d[1] * o.e2.y;
    const double from_square = from_x * from_x + from_y * from_y,
                 scale = sqrt(from_square) * (1 / from_square);
    double x = scale * from_x, y = scale * from_y, last_x = x, last_y = y, last_z = 0;
    bool converged = false;
    for (int step = 0; step <= MOST_STEPS; ++step) {
        /* Waves without their means are minus their second derivatives. */
        const double a1 = a.cosine * x + a.sine * y, da = a.sine * x - a.cosine * y, along = a.mean + a1;
        const double t1 = t.cosine * x + t.sine * y, dt = t.sine * x - t.cosine * y;
        const double z1 = z.cosine * x + z.sine * y, dz = z.sine * x - z.cosine * y, down = z.mean + z1;
        const double square = 1 - along * along;
        if (!(square > 0x1p-20))
            return ABUT_RIMS_LOST;
        const double per_square = 1 / square, across = sqrt(square), per_across = across * per_square,
                     part = other.m * per_across;
        const double value = t.mean + t1 - reach - other.m * across;
        if (converged)
            return take(k, &o, i, &other, x, y, along, across, per_across, value * (1 / down), out)
                       ? ABUT_RIMS_MET
                       : ABUT_RIMS_LOST;
        if (!(down > 0x1p-6))
            return passes(k, &o, last_x, last_y, last_z, x, y, down) ? ABUT_RIMS_PASSED : ABUT_RIMS_LOST;
        const double slope = dt + part * along * da, bend = part * (da * da * per_square - along * a1) - t1;
        const double rise = slope * down - value * dz, curve = bend * down + value * z1;
        if (!(curve < 0))
            return ABUT_RIMS_LOST;
        double turn = -rise / curve;
        if (!(fabs(turn) < 1))
            turn = copysign(1, turn);
        /* the next step would be of the order of its square */
        converged = turn * turn < 0x1p-32 * square;
        last_x = x;
        last_y = y;
        last_z = down;
        /* What the series for the turn leaves of the length is taken off with the next step. */
        const double fit = 1.5 - 0.5 * (x * x + y * y), unit_x = fit * x, unit_y = fit * y,
                     turn2 = turn * turn;
        const double cosine = 1 - turn2 * (0.5 - turn2 * (1.0 / 24)),
                     sine = turn * (1 - turn2 * (1.0 / 6 - turn2 * (1.0 / 120)));
        x = cosine * unit_x - sine * unit_y;
        y = cosine * unit_y + sine * unit_x;
    }
    return ABUT_RIMS_LOST;
}

abut_cylinders_found abut_cylinders_meet_on_lines(const abut_cylinders_climber *k, abut_vec3 side,
                                                  abut_cylinders_meeting *out)
{
    const abut_cylinders_body *b = k->body;
    double kappa[2], c[2];
    for (int i = 0; i < 2; ++i)
        find_slopes(&b[i], &kappa[i], &c[i]);
    /* n = alpha axis_a + beta axis_b + gamma w */
    const abut_vec3 w = abut_cross(b[0].axis, b[1].axis);
    const double g = abut_dot(b[0].axis, b[1].axis), square = abut_dot(w, w), inverse = 1 / square;
    const double alpha = inverse * (kappa[0] - g * kappa[1]), beta = inverse * (kappa[1] - g * kappa[0]);
    const double left = inverse * (1 - (alpha * kappa[0] + beta * kappa[1]));
    if (!(square > 0x1p-20 && left > 0))
        return ABUT_RIMS_LOST;
    const double gamma = copysign(sqrt(left), abut_dot(w, side));
    const abut_vec3 n = abut_madd(abut_madd(abut_scale(alpha, b[0].axis), beta, b[1].axis), gamma, w);
    if (!(n.z > 0x1p-6))
        return ABUT_RIMS_LOST;
    const double f = (abut_dot(n, k->t) - b[0].mean * c[0] - b[1].mean * c[1]) / n.z;
    /* q: less the middles of the lines */
    abut_vec3 line[2], q = abut_v3(k->t.x, k->t.y, k->t.z - f);
    for (int i = 0; i < 2; ++i) {
        const abut_vec3 across = abut_scale(1 / c[i], abut_madd(n, -kappa[i], b[i].axis));
        set_view(c[i], 0, across, &out->view[i]);
        line[i] = abut_madd(abut_scale(b[i].h, b[i].axis), -0.5 * b[i].apex, across);
        q = abut_madd(q, -b[i].mean, across);
    }
    const double per = 1 / abut_dot(n, abut_cross(line[0], line[1]));
    out->sigma[0] = per * abut_dot(n, abut_cross(q, line[1]));
    out->sigma[1] = per * abut_dot(n, abut_cross(line[0], q));
    if (!(fabs(out->sigma[0]) < 1 && fabs(out->sigma[1]) < 1))
        return ABUT_RIMS_LOST;
    out->n = n;
    out->x = abut_cylinders_point(&b[0], &out->view[0], out->sigma[0]);
    out->y = abut_sub(k->t, abut_cylinders_point(&b[1], &out->view[1], out->sigma[1]));
    out->cap = -1;
    return ABUT_RIMS_MET;
}
