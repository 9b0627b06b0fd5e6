/* SPDX-License-Identifier: MIT */
/* Cylinders and cones: their distance, by Newton's method on the sphere of directions with the
 * kinks of sides and slants in the model (cylinders.h).
 *
 * Caps and bases, where s(n) has a peak, are tried first: the nearest point is on one when the
 * other body's point above it is inside its rim. Otherwise a step from unit n maximises the model
 * over its tangent plane, with s added to M: on the sphere second derivatives are those of n . t -
 * S_a - S_b less s. The shares sigma of the step say which points of both lines face each other:
 * with them the distance of the points is above s(n) by the square of what is left of the slope, so
 * that both bounds meet a step before the direction converges.
 *
 * Plain doubles steer; lo is certified by abut_convex_separation, and the witnesses are computed
 * in the frames of their bodies, as support points are. */
#include "narrow/distance/curved_piece.h"
#include "narrow/distance/cylinders.h"
#include "narrow/distance/refine.h"

/* No step is begun after so many evaluations, or so many more from another start; one takes 17 at
 * most. At the top s is rounding, but the points may still be off: a few more steps straighten
 * them. */
enum {
    MOST_STEPS = 16,
    MOST_CUTS = 5,
    MOST_LOOKS = 28,
    MOST_AGAIN = 20,
    MOST_DEEP = 40,
    MOST_TOPS = 5,
    MOST_TURNS = 2
};

/* Of a direction: this near to an axis it is along it. */
#define FLUSH 0x1p-40
#define AXIAL 0x1p-26

typedef struct direction {
    abut_vec3 n;
    double s;
    abut_cylinders_view view[2];
} direction;

typedef struct climber {
    const abut_convex_pair *pair;
    abut_cylinders_body body[2];
    uint32_t evaluations, most; /* done; no step is begun with more */
    abut_convex_answer *out;
} climber;

static inline __attribute__((always_inline)) void evaluate(climber *k, abut_vec3 n, direction *out)
{
    out->n = n;
    ++k->evaluations;
    out->s = abut_dot(n, k->pair->t) - abut_cylinders_evaluate(&k->body[0], n, &out->view[0]) -
             abut_cylinders_evaluate(&k->body[1], n, &out->view[1]);
}

static inline abut_vec3 stepped(const direction *at, const abut_vec3 e[2], const double d[2], double part)
{
    const abut_vec3 n = abut_madd(abut_madd(at->n, part * d[0], e[0]), part * d[1], e[1]);
    return abut_scale(1 / sqrt(abut_dot(n, n)), n);
}

/* The point of a core with the share sigma, seen along d in its own frame; sign: of what sigma
 * is 1 for along z. */
static abut_vec3 point_of(const abut_cylinders_body *b, abut_vec3 d, double sigma, double sign)
{
    const double square = d.x * d.x + d.y * d.y;
    const double c = square > 0 ? (b->mean - 0.5 * sigma * b->apex) / sqrt(square) : 0;
    return abut_v3(c * d.x, c * d.y, sign * sigma * b->h);
}

/* The point of the disc with that height and radius that is nearest to where p is over it. */
static abut_vec3 on_disc(abut_vec3 p, double r, double z)
{
    const double square = p.x * p.x + p.y * p.y, part = square > r * r ? r / sqrt(square) : 1;
    return abut_v3(part * p.x, part * p.y, z);
}

/* The other body's point for a cap of body i along its axis d: where its own disc is on the
 * plane, the one nearest to the axis of body i, which passes through `axis`. */
static abut_vec3 point_over(const abut_cylinders_body *b, abut_vec3 d, double sigma, abut_vec3 axis)
{
    const double r = b->mean - 0.5 * sigma * b->apex;
    return d.x * d.x + d.y * d.y > FLUSH * FLUSH ? point_of(b, d, sigma, 1) : on_disc(axis, r, sigma * b->h);
}

/* Certified bounds from n and the shares. cap: of the body whose cap the nearest point is on, or
 * -1. */
static void set_bounds(const climber *k, abut_vec3 n, const double sigma[2], int cap, abut_convex_answer *out)
{
    const abut_convex_pair *pair = k->pair;
    const abut_vec3 m = abut_mul_t(&pair->r, n), back = abut_v3(-m.x, -m.y, -m.z);
    abut_convex_point p = { .a = 0 };
    out->lo = abut_convex_separation(pair, n, &p);
    out->normal = n;
    abut_vec3 x, y;
    if (cap == 1) {
        x = point_over(&k->body[0], n, sigma[0], pair->t);
        const abut_vec3 over = abut_mul_t(&pair->r, abut_sub(x, pair->t));
        y = on_disc(over, k->body[1].r, sigma[1] * k->body[1].h);
    } else if (cap == 0) {
        y = point_over(&k->body[1], back, sigma[1], abut_mul_t(&pair->r, abut_scale(-1, pair->t)));
    } else {
        x = point_of(&k->body[0], n, sigma[0], 1);
        y = point_of(&k->body[1], back, sigma[1], 1);
    }
    y = abut_add(abut_mul(&pair->r, y), pair->t);
    if (cap == 0)
        x = on_disc(y, k->body[0].r, sigma[0] * k->body[0].h);
    const abut_vec3 w = abut_sub(y, x);
    out->hi = sqrt(abut_dot(w, w)) * (1 + 0x1p-50) + pair->error;
    out->x = x;
    out->y = y;
}

/* ---- a point of both ---- */

/* They overlap, by a common point: hi < 0, and the same as for the distance otherwise. */
static bool prove_overlap(const climber *k, const direction *at, const double sigma[2], int cap,
                          abut_convex_answer *out)
{
    abut_cylinders_common where;
    set_bounds(k, at->n, sigma, cap, out);
    abut_cylinders_find_common(k->body, at->view, sigma, cap, at->n, &where);
    if (abut_convex_common_point(k->pair, abut_cylinders_place_common(&where, at->n, out->x, out->y)))
        out->hi = -k->pair->error;
    return out->hi < 0;
}

/* ---- caps ---- */

/* The cap of body i with that sense: whether the other body's first point along it is inside its
 * rim, so that s has a local maximum there. If not, `across` is how it lies beside the axis (of
 * caps on each other: from rim to rim). */
static bool try_cap(climber *k, int i, double sense, direction *out, double sigma[2], abut_vec3 *across)
{
    const abut_cylinders_body *b = &k->body[i], *c = &k->body[1 - i];
    const abut_cylinders_view *v = &out->view[1 - i];
    evaluate(k, abut_scale(sense, b->axis), out);
    double end = v->diff < 0 ? -1 : 1;
    const bool flush = !(v->flat > FLUSH);
    if (!flush && fabs(v->diff) <= k->pair->error) {
        /* a line on the plane: its point nearest to the axis */
        const abut_vec3 mid = abut_madd(k->pair->t, -c->mean, v->u),
                        line = abut_madd(abut_scale(2 * c->h, c->axis), -c->apex, v->u);
        const abut_vec3 off = abut_madd(mid, -abut_dot(mid, b->axis), b->axis);
        end = abut_cylinders_clamp(2 * abut_dot(off, line) / abut_dot(line, line));
    }
    const double r = c->mean - 0.5 * end * c->apex;
    sigma[1 - i] = end;
    sigma[i] = sense;
    const abut_vec3 p =
        abut_sub(k->pair->t, flush ? abut_scale(end * c->h, c->axis) : abut_cylinders_point(c, v, end));
    *across = abut_madd(p, -abut_dot(p, b->axis), b->axis);
    const double square = abut_dot(*across, *across), reach = b->r + (flush ? r : 0);
    if (square <= reach * reach * (1 - 0x1p-40))
        return true;
    if (flush && r > 0)
        *across = abut_scale(1 - r / sqrt(square), *across);
    return false;
}

/* Whether n points nearly at a cap of body i. */
static bool has_cap(const climber *k, int i, abut_vec3 n, double near, double *sense)
{
    const double along = abut_dot(n, k->body[i].axis);
    *sense = along < 0 ? -1 : 1;
    return fabs(along) > near && !(k->body[i].apex > 0 && along > 0);
}

/* As narrow as doubles allow, or nearly. */
static bool is_decided(const abut_convex_pair *pair, const abut_convex_answer *out)
{
    return out->hi - out->lo <= 4 * pair->error + 0x1p-46 * out->hi;
}

/* The slope of what is examined along `way`, of n of any length. */
static double slope_along(const climber *k, const direction *at, abut_vec3 way)
{
    const double sigma[2] = { at->view[0].diff < 0 ? -1 : 1, at->view[1].diff < 0 ? -1 : 1 };
    const abut_vec3 w =
        abut_sub(abut_sub(k->pair->t, abut_cylinders_point(&k->body[0], &at->view[0], sigma[0])),
                 abut_cylinders_point(&k->body[1], &at->view[1], sigma[1]));
    return abut_dot(w, way);
}

/* On the kink of body i, which is a circle about its axis, by that part of the step. Along the
 * axis there is no u, and the sum is not unit by itself. */
static abut_vec3 stepped_around(const climber *k, int i, const direction *at, abut_vec3 way, double part)
{
    const abut_cylinders_body *b = &k->body[i];
    const abut_vec3 u = at->view[i].u, tau = abut_cross(b->axis, u);
    const double q = 0.5 * part * abut_dot(way, tau) * at->view[i].per_flat, one = 1 / (1 + q * q);
    const double slant = 1 / sqrt(4 * b->h * b->h + b->apex * b->apex);
    const abut_vec3 turned = abut_madd(abut_scale((1 - q * q) * one, u), 2 * q * one, tau);
    return abut_unit_or(abut_madd(abut_scale(2 * b->h * slant, turned), b->apex * slant, b->axis), at->n);
}

/* Where a full step did not rise. Over n + T d, not normalised, what is examined is concave: it
 * is below its tangents at both ends, and where they meet is a place to look. On the kink of a
 * cone, which is curved, the step follows it. */
__attribute__((noinline)) static bool step_shorter(climber *k, const abut_cylinders_step *step,
                                                   const abut_vec3 e[2], const direction *at, direction *next)
{
    const bool on_a = fabs(step->sigma[0]) < 1, on_b = fabs(step->sigma[1]) < 1;
    const abut_vec3 way = abut_madd(abut_scale(step->d[0], e[0]), step->d[1], e[1]);
    const double rise = slope_along(k, at, way), square = abut_dot(way, way);
    double part = 1, fall = slope_along(k, next, way), s_end = next->s * sqrt(1 + square);
    if (on_a != on_b && k->body[on_b].apex > 0)
        for (int i = 0; i < MOST_TURNS; ++i) {
            evaluate(k, stepped_around(k, on_b, at, way, i ? 0.25 : 1), next);
            if (next->s > at->s)
                return true;
        }
    for (int i = 0; i < MOST_CUTS; ++i) {
        const double meet = (s_end - part * fall - at->s) / (rise - fall);
        part = !(meet > 0.02 * part) ? 0.25 * part : meet < 0.7 * part ? meet : 0.7 * part;
        evaluate(k, stepped(at, e, step->d, part), next);
        if (next->s > at->s)
            return true;
        fall = slope_along(k, next, way);
        s_end = next->s * sqrt(1 + part * part * square);
    }
    return false;
}

/* From a direction near the axis of body i's cap. With n = axis + p the rim is r |p|, which
 * bends as fast as p is short: it is kept as it is, and only the other body is replaced by its
 * curvature and its kink. `from`: what s has to be above. */
static bool step_about_axis(climber *k, int i, double sense, const direction *at, double from,
                            direction *next)
{
    const abut_cylinders_body *b = &k->body[i], *c = &k->body[1 - i];
    const abut_cylinders_view *v = &at->view[1 - i];
    const abut_vec3 axis = abut_scale(sense, b->axis);
    const double per_along = 1 / abut_dot(at->n, axis);
    const abut_vec3 here = abut_sub(abut_scale(per_along, at->n), axis);
    /* Across the axis: the tangent of the other rim, its point without the kink's part, the
     * gradient of the kink. */
    abut_vec3 tau = abut_cross(c->axis, v->u), q = abut_madd(k->pair->t, -c->mean, v->u),
              a = abut_madd(abut_scale(2 * c->h, c->axis), -c->apex, v->u);
    tau = abut_madd(tau, -abut_dot(tau, axis), axis);
    q = abut_madd(q, -abut_dot(q, axis), axis);
    a = abut_madd(a, -abut_dot(a, axis), axis);
    const double length = abut_dot(tau, tau), kink = v->diff * per_along - abut_dot(a, here),
                 square = abut_dot(a, a), round = v->per_flat * length / per_along;
    const abut_vec3 along = abut_scale(length > 0 ? 1 / sqrt(length) : 0, tau);
    const double sign = v->diff < 0 ? -1 : 1, far = sqrt(abut_dot(here, here));
    const abut_vec3 w = abut_madd(abut_madd(q, -0.5 * sign, a), far > 0 ? -b->r / far : 0, here);
    const double least = 0x1p-7 * sqrt(abut_dot(w, w)), soft = at->s > least ? at->s : least;
    double share = sign;
    abut_vec3 p = { 0, 0, 0 };
    for (int j = 0; j < (c->apex > 0 ? 3 : 1); ++j) {
        /* the share on a kink is that of the rim in the bend */
        const double bend = (c->mean - 0.5 * share * c->apex) * round;
        const abut_vec3 g =
            abut_add(q, abut_madd(abut_scale(soft, here), bend * abut_dot(along, here), along));
        p = abut_cylinders_about_axis(abut_madd(g, -0.5 * sign, a), soft, bend, along, b->r);
        if (!(sign * (kink + abut_dot(a, p)) < 0 && square > 0))
            break;
        /* It ends on the kink, a line. */
        const abut_vec3 foot = abut_scale(-kink / square, a),
                        way = abut_scale(1 / sqrt(square), abut_cross(axis, a));
        const double part = abut_dot(along, way), n = soft + bend * part * part;
        const double slope = abut_dot(g, way) - bend * part * abut_dot(along, foot);
        p = abut_madd(foot, abut_cylinders_on_line(slope, n, b->r, fabs(kink) / sqrt(square)), way);
        const double size = sqrt(abut_dot(p, p));
        const abut_vec3 left = abut_sub(g, abut_madd(abut_scale(soft + (size > 0 ? b->r / size : 0), p),
                                                     bend * abut_dot(along, p), along));
        share = abut_cylinders_clamp(2 * abut_dot(left, a) / square);
    }
    double part = 1;
    for (int j = 0; j < 2; ++j, part *= 0.125) {
        const abut_vec3 n = abut_madd(axis, part, p);
        evaluate(k, abut_scale(1 / sqrt(abut_dot(n, n)), n), next);
        if (next->s > from)
            return true;
    }
    return false;
}

/* A climb that came near the peak of a cap: over it. *peak: the body whose cap is the top, with
 * its shares, or -1. */
__attribute__((noinline)) static bool pass_cap(climber *k, const direction *at, direction *next, int *peak,
                                               double sigma[2])
{
    *peak = -1;
    for (int i = 0; i < 2; ++i) {
        abut_vec3 across;
        direction top;
        double sense, shares[2];
        if (!has_cap(k, i, at->n, 0.9, &sense))
            continue;
        const bool inside = try_cap(k, i, sense, &top, shares, &across);
        if (inside && top.s > at->s) {
            *next = top;
            *peak = i;
            sigma[0] = shares[0];
            sigma[1] = shares[1];
            return true;
        }
        if ((at->view[i].flat < 0.25 && step_about_axis(k, i, sense, at, at->s, next)) ||
            (top.s > at->s && step_about_axis(k, i, sense, &top, at->s, next)))
            return true;
    }
    return false;
}

/* Whether the nearest point is on that cap, or so near to its rim that this makes no difference. */
static bool is_cap_end(climber *k, int i, double sense, direction *top, double sigma[2], abut_vec3 *across)
{
    if (try_cap(k, i, sense, top, sigma, across))
        return true;
    const double r = k->body[i].r;
    abut_convex_answer out;
    if (!(top->s > 0 && abut_dot(*across, *across) <= r * r * (1 + 0x1p-16)))
        return false;
    set_bounds(k, top->n, sigma, i, &out);
    return is_decided(k->pair, &out);
}

/* n points so nearly along an axis that the rim has no tangent to speak of: the body whose cap
 * the nearest point is on, or -1, with a better direction in *next if there is one. */
__attribute__((noinline)) static int leave_axis(climber *k, const direction *at, direction *next,
                                                double sigma[2])
{
    next->s = -INFINITY;
    for (int i = 0; i < 2; ++i) {
        abut_vec3 across;
        direction top;
        double sense;
        if (!(at->view[i].flat < AXIAL) || !has_cap(k, i, at->n, 0.9, &sense))
            continue;
        if (is_cap_end(k, i, sense, &top, sigma, &across)) {
            *next = top;
            return i;
        }
        if (step_about_axis(k, i, sense, &top, at->s, next))
            return -1;
    }
    return -1;
}

/* A maximum of s < 0 on the sphere may be none of the plane, where what is examined is concave:
 * a step with hardly any shift. False where that does not rise either. */
__attribute__((noinline)) static bool step_in_plane(const climber *k, const direction *at, double shift,
                                                    abut_cylinders_model *m, abut_cylinders_step *s)
{
    const double kink[2] = { at->view[0].diff, at->view[1].diff };
    abut_cylinders_shift(m, shift);
    if (!abut_cylinders_solve(m, m->m, m->det, kink, s) ||
        !(s->gain > 0x1p-4 * -at->s + 0.25 * k->pair->error))
        return false;
    const double size = s->d[0] * s->d[0] + s->d[1] * s->d[1];
    if (size > 4) {
        s->d[0] *= 2 / sqrt(size);
        s->d[1] *= 2 / sqrt(size);
    }
    return true;
}

/* Climbs from at[0] to where both bounds meet; returns where it ends, NULL where it gets stuck.
 * *cap: the body whose cap that is on, or -1. */
static direction *climb(climber *k, direction at[2], double sigma[2], int *cap)
{
    const double error = k->pair->error;
    int tops = 0;
    direction *p = &at[0], *next = &at[1];
    abut_cylinders_step s = { .sigma = { p->view[0].diff < 0 ? -1 : 1, p->view[1].diff < 0 ? -1 : 1 } };
    for (int i = 0; i < MOST_STEPS && k->evaluations < k->most; ++i) {
        if (p->view[0].flat < AXIAL || p->view[1].flat < AXIAL) {
            *cap = leave_axis(k, p, next, sigma);
            if (*cap >= 0)
                return next;
            if (next->s > p->s) {
                direction *swap = p;
                p = next;
                next = swap;
                s.sigma[0] = p->view[0].diff < 0 ? -1 : 1;
                s.sigma[1] = p->view[1].diff < 0 ? -1 : 1;
            }
        }
        const double kink[2] = { p->view[0].diff, p->view[1].diff };
        abut_vec3 e[2];
        abut_cylinders_model m;
        abut_tangent_basis(p->n, e);
        abut_cylinders_build(k->body, p->view, k->pair->t, e, s.sigma, &m);
        /* The points are w apart, which is s and the slope with the last shares. */
        const double w0 = m.g[0] - 0.5 * (s.sigma[0] * m.a[0][0] + s.sigma[1] * m.a[1][0]),
                     w1 = m.g[1] - 0.5 * (s.sigma[0] * m.a[0][1] + s.sigma[1] * m.a[1][1]);
        const double far = 0.01 * (p->s * p->s + w0 * w0 + w1 * w1),
                     shift = p->s > 0 && p->s * p->s > far ? p->s : sqrt(far);
        abut_cylinders_shift(&m, shift);
        if (!abut_cylinders_solve(&m, m.m, m.det, kink, &s))
            return NULL;
        sigma[0] = s.sigma[0];
        sigma[1] = s.sigma[1];
        if (p->s <= 0 && !(s.gain > 0x1p-4 * -p->s + 0.25 * error)) {
            if (prove_overlap(k, p, sigma, -1, k->out) || !step_in_plane(k, p, 0x1p-7 * shift, &m, &s))
                return p;
            sigma[0] = s.sigma[0];
            sigma[1] = s.sigma[1];
        }
        /* The slope that is left is M d: its square over 2 s is what the points are further
         * apart than s. */
        const double r0 = m.m[0] * s.d[0] + m.m[1] * s.d[1], r1 = m.m[1] * s.d[0] + m.m[2] * s.d[1];
        const double kinks = fabs(s.sigma[0]) < 1 ? fabs(kink[0]) : 0,
                     other = fabs(s.sigma[1]) < 1 ? fabs(kink[1]) : 0;
        if (p->s > 0 && r0 * r0 + r1 * r1 <= p->s * error && kinks + other <= error)
            return p;
        evaluate(k, stepped(p, e, s.d, 1), next);
        const bool top = s.gain < error && next->s > p->s - error && tops < MOST_TOPS;
        tops += top;
        if (!(next->s > p->s) && !top) {
            if (pass_cap(k, p, next, cap, sigma)) {
                if (*cap >= 0)
                    return next;
            } else if (!step_shorter(k, &s, e, p, next)) {
                return s.gain < 16 * error ? p : NULL;
            }
        }
        direction *swap = p;
        p = next;
        next = swap;
    }
    return NULL;
}

/* The normal of body i's side, or slant, that examines the other's centre. */
static bool side_of(const climber *k, int i, abut_vec3 *n)
{
    const abut_cylinders_body *b = &k->body[i];
    const abut_vec3 t = k->pair->t, across = abut_madd(t, -abut_dot(t, b->axis), b->axis);
    const double square = abut_dot(across, across), slant = 4 * b->h * b->h + b->apex * b->apex;
    if (!(square > 0x1p-20 * abut_dot(t, t)))
        return false;
    /* Unit to 2^-43 only, since `across` may be small. */
    const abut_vec3 near =
        abut_madd(abut_scale(2 * b->h / sqrt(square * slant), across), b->apex / sqrt(slant), b->axis);
    *n = abut_scale(1 / sqrt(abut_dot(near, near)), near);
    return true;
}

/* The best of a direction, caps if wanted, sides and sides that cross. The body whose cap that
 * is, with its shares, where it is a maximum; -1 otherwise. */
static int choose_start(climber *k, abut_vec3 n, bool caps, direction *best, double sigma[2])
{
    bool peak = false;
    abut_vec3 side[3];
    direction top;
    int sides = 0, cap = -1;
    evaluate(k, n, best);
    for (int i = 0; i < 2; ++i) {
        const abut_cylinders_body *b = &k->body[i];
        const double sense = b->apex > 0 || abut_dot(k->pair->t, b->axis) < 0 ? -1 : 1;
        abut_vec3 across;
        direction next;
        double shares[2];
        const bool inside = caps && try_cap(k, i, sense, &next, shares, &across);
        if (caps && next.s > best->s) {
            *best = top = next;
            sigma[0] = shares[0];
            sigma[1] = shares[1];
            peak = inside;
            cap = i;
        }
        sides += side_of(k, i, &side[sides]);
    }
    const abut_vec3 c = abut_cross(k->body[0].axis, k->body[1].axis);
    const double square = abut_dot(c, c);
    if (square > 0x1p-10 && k->body[0].apex + k->body[1].apex <= 0)
        side[sides++] = abut_scale((abut_dot(c, k->pair->t) < 0 ? -1 : 1) / sqrt(square), c);
    for (int i = 0; i < sides; ++i) {
        direction next;
        evaluate(k, side[i], &next);
        if (next.s > best->s) {
            *best = next;
            peak = false;
            cap = -1;
        }
    }
    if (!peak && cap >= 0)
        (void)step_about_axis(k, cap, abut_dot(top.n, k->body[cap].axis) < 0 ? -1 : 1, &top, -INFINITY, best);
    return peak ? cap : -1;
}

/* Where the direction is known better than the points: each moves to the one that is nearest to
 * the other. */
__attribute__((noinline)) static bool straighten(const climber *k, abut_convex_answer *out)
{
    const abut_convex_pair *pair = k->pair;
    abut_vec3 x = out->x, y = out->y, p;
    for (int i = 0; i < MOST_TURNS && !is_decided(pair, out); ++i) {
        (void)abut_curved_nearest(pair->b, abut_mul_t(&pair->r, abut_sub(x, pair->t)), &p);
        y = abut_add(abut_mul(&pair->r, p), pair->t);
        (void)abut_curved_nearest(pair->a, y, &x);
        const abut_vec3 w = abut_sub(y, x);
        const double hi = sqrt(abut_dot(w, w)) * (1 + 0x1p-50) + pair->error;
        if (!(hi < out->hi))
            break;
        out->hi = hi;
        out->x = x;
        out->y = y;
    }
    return is_decided(pair, out);
}

/* From at[0]. Where that ends: 1 apart, with bounds that meet; -1 they overlap; 0 not known,
 * at[0] is the best direction. */
static int end_climb(climber *k, direction at[2], int cap, double sigma[2], abut_convex_answer *out)
{
    const direction *end = cap >= 0 ? &at[0] : climb(k, at, sigma, &cap);
    if (out->hi < 0)
        return -1;
    if (end && end->s > 0) {
        set_bounds(k, end->n, sigma, cap, out);
        if (is_decided(k->pair, out) || straighten(k, out))
            return 1;
    } else if (end && cap >= 0 && prove_overlap(k, end, sigma, cap, out)) {
        return -1;
    } else {
        out->lo = -INFINITY;
        out->hi = INFINITY;
    }
    if (at[1].s > at[0].s)
        at[0] = at[1];
    return 0;
}

/* The usual way first: as end_climb, with at[0] where that ended. */
static int walk(climber *k, direction at[2], double sigma[2], abut_convex_answer *out)
{
    abut_vec3 n = at[0].n;
    const bool there = abut_cylinders_walk(k->body, k->pair->t, k->pair->error, &n, sigma, &k->evaluations);
    n = abut_scale(1 / sqrt(abut_dot(n, n)), n);
    if (there) {
        set_bounds(k, n, sigma, -1, out);
        if (is_decided(k->pair, out))
            return 1;
        out->lo = -INFINITY;
        out->hi = INFINITY;
    }
    evaluate(k, n, &at[1]);
    if (at[1].s > at[0].s) {
        at[0] = at[1];
        at[1].s = -INFINITY;
    }
    return 0;
}

bool abut_cylinders_distance(const abut_convex_pair *pair, const abut_vec3 *axis, abut_convex_answer *out)
{
    climber k = { .pair = pair, .most = MOST_LOOKS, .out = out };
    direction at[2];
    double sigma[2];
    abut_cylinders_begin(pair, k.body);
    *out = (abut_convex_answer){ .lo = -INFINITY, .hi = INFINITY };
    out->normal = abut_unit_or(axis ? *axis : pair->t, abut_v3(1, 0, 0));
    evaluate(&k, out->normal, &at[0]);
    at[1].s = -INFINITY;
    int cap = -1;
    for (int i = 0; i < 2 && cap < 0; ++i) {
        double sense;
        abut_vec3 way;
        if (has_cap(&k, i, at[0].n, at[0].s > 0 ? 0.85 : 0.6, &sense) &&
            try_cap(&k, i, sense, &at[1], sigma, &way) &&
            (at[1].s > 0 || prove_overlap(&k, &at[1], sigma, i, out))) {
            cap = i;
            at[0] = at[1];
        }
    }
    int end = out->hi < 0 ? -1 : cap < 0 ? walk(&k, at, sigma, out) : 0;
    if (end == 0)
        end = end_climb(&k, at, cap, sigma, out);
    if (end == 0 && !(at[0].s > 0)) {
        /* A maximum of s < 0, or a long way from one: another start may be better. */
        const double best = at[0].s;
        k.most += MOST_AGAIN;
        cap = choose_start(&k, at[0].n, true, &at[0], sigma);
        at[1].s = -INFINITY;
        if (at[0].s > best)
            end = end_climb(&k, at, cap, sigma, out);
    }
    out->supports = out->iterations = k.evaluations + 1;
    if (end == 0 && !(out->hi < INFINITY))
        out->normal = at[0].n;
    return end > 0;
}

/* ---- overlapping ---- */

/* M with each eigenvalue raised to a part of the depth: across an edge the bodies may be round,
 * while along it there is no curvature. */
static void make_solid(const double m[3], double least, double out[3])
{
    const double mean = 0.5 * (m[0] + m[2]), half = 0.5 * (m[0] - m[2]);
    const double spread = sqrt(half * half + m[1] * m[1]);
    const double low = mean - spread > least ? mean - spread : least;
    const double high = mean + spread > low ? mean + spread : low;
    const double ratio = spread > 0 ? 0.5 * (high - low) / spread : 0;
    out[0] = 0.5 * (high + low) + ratio * half;
    out[1] = ratio * m[1];
    out[2] = 0.5 * (high + low) - ratio * half;
}

/* Climbs from at[0] to a local maximum of s; sigma: the shares there. */
static direction *climb_deep(climber *k, direction at[2], double sigma[2])
{
    const double error = k->pair->error;
    direction *p = &at[0], *next = &at[1];
    abut_cylinders_step s = { .sigma = { p->view[0].diff < 0 ? -1 : 1, p->view[1].diff < 0 ? -1 : 1 } };
    for (int i = 0; i < MOST_STEPS && k->evaluations < MOST_DEEP; ++i) {
        const double kink[2] = { p->view[0].diff, p->view[1].diff }, least = 0.002 * fabs(p->s) + error;
        double solid[3];
        abut_vec3 e[2];
        abut_cylinders_model m;
        abut_tangent_basis(p->n, e);
        abut_cylinders_build(k->body, p->view, k->pair->t, e, s.sigma, &m);
        abut_cylinders_shift(&m, p->s);
        make_solid(m.m, least, solid);
        const double det = solid[0] * solid[2] - solid[1] * solid[1];
        const bool solved = abut_cylinders_solve(&m, solid, det, kink, &s);
        sigma[0] = s.sigma[0];
        sigma[1] = s.sigma[1];
        if (!solved || !(s.gain > 0x1p-4 * error))
            return p;
        const double size = s.d[0] * s.d[0] + s.d[1] * s.d[1];
        if (size > 1) {
            s.d[0] /= sqrt(size);
            s.d[1] /= sqrt(size);
        }
        evaluate(k, stepped(p, e, s.d, 1), next);
        int peak = -1;
        double shares[2];
        if (!(next->s > p->s) && !pass_cap(k, p, next, &peak, shares) && !step_shorter(k, &s, e, p, next))
            return p;
        if (peak >= 0)
            return next;
        direction *swap = p;
        p = next;
        next = swap;
    }
    return p;
}

static bool descend(const abut_convex_pair *pair, bool caps, abut_convex_answer *out)
{
    climber k = { .pair = pair };
    direction at[2];
    abut_cylinders_begin(pair, k.body);
    double sigma[2] = { 0, 0 };
    const bool peak = choose_start(&k, out->normal, caps, &at[0], sigma) >= 0;
    const direction *end = peak ? &at[0] : climb_deep(&k, at, sigma);
    abut_convex_point p = { .a = 0 };
    const double lo = abut_convex_separation(pair, end->n, &p);
    out->supports += k.evaluations + 1;
    out->iterations += k.evaluations;
    if (!(lo >= out->lo))
        return false;
    out->lo = lo;
    out->normal = end->n;
    out->x = p.x;
    out->y = p.y;
    if (peak)
        return true;
    /* The points that the shares give face each other, unless a cap was passed since. */
    const abut_vec3 m = abut_mul_t(&pair->r, end->n), x = point_of(&k.body[0], end->n, sigma[0], 1),
                    local = point_of(&k.body[1], abut_v3(-m.x, -m.y, -m.z), sigma[1], 1),
                    y = abut_add(abut_mul(&pair->r, local), pair->t);
    if (fabs(abut_dot(end->n, abut_sub(abut_sub(y, x), p.w))) <= 2 * pair->error) {
        out->x = x;
        out->y = y;
    }
    return true;
}

bool abut_cylinders_depth(const abut_convex_pair *pair, abut_convex_answer *out)
{
    return descend(pair, true, out);
}

bool abut_cylinders_descend(const abut_convex_pair *pair, abut_convex_answer *out)
{
    return descend(pair, false, out);
}
