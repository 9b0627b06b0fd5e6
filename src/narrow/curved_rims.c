/* SPDX-License-Identifier: MIT */
/* Cylinders and cones: their distance, by Newton's method on the sphere of directions with the kinks of sides and slants in the model (rims.h).
 *
 * Caps and bases, where s(n) has a peak, are tried first: the nearest point is on one when the other body's point above it is inside its rim. Otherwise a step from unit n maximises the model
 * over its tangent plane, with s added to M: on the sphere second derivatives are those of n . t - S_a - S_b less s. The shares sigma of the step say which points of both lines face each other: with them the distance of the points
 * is above s(n) by the square of what is left of the slope, so that both bounds meet a step before the direction settles.
 *
 * Plain doubles steer; lo is certified by abut_convex_separation, and the witnesses are computed in the frames of their bodies, as support points are. */
#include "narrow/curved_piece.h"
#include "narrow/refine.h"
#include "narrow/rims.h"

/* No step is begun after so many looks; one takes 15 at most. */
enum { MOST_STEPS = 16, MOST_CUTS = 5, MOST_LOOKS = 20, MOST_DEEP = 40 };

typedef struct aim {
    abut_vec3 n;
    double s;
    abut_rims_view view[2];
} aim;

typedef struct climber {
    const abut_convex_pair *pair;
    abut_rims_body body[2];
    uint32_t looks;
} climber;

static inline __attribute__((always_inline)) void look(climber *k, abut_vec3 n, aim *out)
{
    out->n = n;
    ++k->looks;
    out->s = abut_dot(n, k->pair->t) - abut_rims_look(&k->body[0], n, &out->view[0]) -
             abut_rims_look(&k->body[1], n, &out->view[1]);
}

static inline abut_vec3 stepped(const aim *at, const abut_vec3 e[2], const double d[2], double part)
{
    const abut_vec3 n = abut_madd(abut_madd(at->n, part * d[0], e[0]), part * d[1], e[1]);
    return abut_scale(1 / sqrt(abut_dot(n, n)), n);
}

/* The point of a core with the share sigma, seen along d in its own frame; sign: of what sigma is 1 for along z. */
static abut_vec3 point_of(const abut_rims_body *b, abut_vec3 d, double sigma, double sign)
{
    const double square = d.x * d.x + d.y * d.y;
    const double c = square > 0 ? (b->mean - 0.5 * sigma * b->apex) / sqrt(square) : 0;
    return abut_v3(c * d.x, c * d.y, sign * sigma * b->h);
}

/* Certified bounds from n and the shares. cap: of the body whose cap the nearest point is on, or -1. */
static void set_bounds(const climber *k, abut_vec3 n, const double sigma[2], int cap, abut_convex_answer *out)
{
    const abut_convex_pair *pair = k->pair;
    const abut_vec3 m = abut_mul_t(&pair->r, n), back = abut_v3(-m.x, -m.y, -m.z);
    abut_convex_point p = { .a = 0 };
    out->lo = abut_convex_separation(pair, n, &p);
    out->normal = n;
    abut_vec3 x = point_of(&k->body[0], n, sigma[0], 1);
    abut_vec3 local = point_of(&k->body[1], back, sigma[1], 1);
    abut_vec3 y = abut_add(abut_mul(&pair->r, local), pair->t);
    if (cap == 0) {
        x = abut_v3(y.x, y.y, x.z);
    } else if (cap == 1) {
        const abut_vec3 over = abut_mul_t(&pair->r, abut_sub(x, pair->t));
        y = abut_add(abut_mul(&pair->r, abut_v3(over.x, over.y, local.z)), pair->t);
    }
    const abut_vec3 w = abut_sub(y, x);
    out->hi = sqrt(abut_dot(w, w)) * (1 + 0x1p-50) + pair->error;
    out->x = x;
    out->y = y;
}

/* ---- a point of both ---- */

static void find_corner(const abut_rims_body *b, const abut_rims_view *v, double sigma, bool cap, double sign,
                        abut_vec3 n, abut_rims_corner *out)
{
    const double slant = sqrt(4 * b->h * b->h + b->apex * b->apex);
    out->tangent = abut_v3(0, 0, 0);
    out->face = cap || fabs(sigma) < 1;
    out->rim = !out->face && !(b->apex > 0 && sigma > 0);
    if (out->face) {
        out->in = abut_scale(-sign, n);
        return;
    }
    if (!out->rim) { /* an apex */
        out->in = abut_scale(-sign * slant / b->apex, b->axis);
        return;
    }
    /* The normals of cap and side: +-axis, and u or (2 h u + r axis) / slant. */
    const abut_vec3 side =
        b->apex > 0 ? abut_scale(1 / slant, abut_madd(abut_scale(2 * b->h, v->u), b->r, b->axis)) : v->u;
    const abut_vec3 sum = abut_madd(side, sigma, b->axis);
    out->in = abut_scale(-sign / (1 - b->apex / slant), sum);
    out->tangent = abut_cross(b->axis, v->u);
}

/* A face has the inward direction -n, an edge one that leads away from both of its faces at unit speed, an apex its axis. b is seen from behind. */
void abut_rims_find_common(const abut_rims_body body[2], const abut_rims_view view[2], const double sigma[2],
                           int cap, abut_vec3 n, abut_rims_common *out)
{
    find_corner(&body[0], &view[0], sigma[0], cap == 0, 1, n, &out->at[0]);
    find_corner(&body[1], &view[1], sigma[1], cap == 1, -1, n, &out->at[1]);
    out->needed = abut_dot(n, abut_sub(out->at[1].in, out->at[0].in));
    out->crossing = false;
    if (out->at[0].rim && out->at[1].rim) {
        out->across = abut_cross(out->at[0].tangent, out->at[1].tangent);
        out->crossing = abut_dot(out->across, out->across) > 0x1p-20;
    }
}

/* Where a rim crosses a rim the point is shifted along both, so that it is below all four faces. */
abut_vec3 abut_rims_place_common(const abut_rims_common *c, abut_vec3 n, abut_vec3 x, abut_vec3 y)
{
    const abut_rims_corner *a = &c->at[0], *b = &c->at[1];
    const abut_vec3 w = abut_sub(y, x);
    const double deep = -abut_dot(w, n) / c->needed;
    if (a->face && !b->face)
        return abut_madd(y, deep, b->in);
    if (!c->crossing)
        return b->face && !a->face ? abut_madd(x, deep, a->in) : abut_madd(x, 0.5, w);
    const abut_vec3 left = abut_madd(w, -deep, abut_sub(a->in, b->in));
    const double along = abut_dot(abut_cross(left, b->tangent), c->across) / abut_dot(c->across, c->across);
    return abut_madd(abut_madd(x, deep, a->in), along, a->tangent);
}

/* They overlap, by a common point: hi < 0, and the same as for the distance otherwise. */
static bool prove_overlap(const climber *k, const aim *at, const double sigma[2], int cap,
                          abut_convex_answer *out)
{
    abut_rims_common where;
    set_bounds(k, at->n, sigma, cap, out);
    abut_rims_find_common(k->body, at->view, sigma, cap, at->n, &where);
    if (abut_convex_common_point(k->pair, abut_rims_place_common(&where, at->n, out->x, out->y)))
        out->hi = -k->pair->error;
    return out->hi < 0;
}

/* ---- caps ---- */

/* The cap of body i with that sense: whether the other body's first point along it is inside its rim, so that s has a local maximum there. If not, `way` is where it lies across, of unit length (zero where that is not known). */
static bool try_cap(climber *k, int i, double sense, aim *out, double sigma[2], abut_vec3 *way)
{
    const abut_rims_body *b = &k->body[i];
    const int other = 1 - i;
    const abut_rims_view *v = &out->view[other];
    *way = abut_v3(0, 0, 0);
    look(k, abut_scale(sense, b->axis), out);
    if (!(v->flat > 0x1p-20))
        return false;
    sigma[other] = v->diff < 0 ? -1 : 1;
    sigma[i] = sense;
    const abut_vec3 p = abut_sub(k->pair->t, abut_rims_point(&k->body[other], v, sigma[other]));
    const abut_vec3 across = abut_madd(p, -abut_dot(p, b->axis), b->axis);
    const double square = abut_dot(across, across);
    if (square <= b->r * b->r * (1 - 0x1p-40))
        return true;
    *way = abut_scale(1 / sqrt(square), across);
    return false;
}

/* Whether n looks nearly at a cap of body i. */
static bool has_cap(const climber *k, int i, abut_vec3 n, double near, double *sense)
{
    const double along = abut_dot(n, k->body[i].axis);
    *sense = along < 0 ? -1 : 1;
    return fabs(along) > near && !(k->body[i].apex > 0 && along > 0);
}

/* As narrow as doubles allow, or nearly. */
static bool is_settled(const abut_convex_pair *pair, const abut_convex_answer *out)
{
    return out->hi - out->lo <= 4 * pair->error + 0x1p-46 * out->hi;
}

/* Where a full step did not rise. */
static bool step_shorter(climber *k, const abut_rims_model *m, const double solid[3],
                         const abut_rims_step *step, const abut_vec3 e[2], const aim *at, aim *next)
{
    abut_rims_step s = *step;
    const double kink[2] = { at->view[0].diff + (next->view[0].diff - s.diff[0]),
                             at->view[1].diff + (next->view[1].diff - s.diff[1]) };
    if (k->body[0].apex + k->body[1].apex > 0 && abut_rims_solve(m, solid, kink, &s)) {
        look(k, stepped(at, e, s.d, 1), next);
        if (next->s > at->s)
            return true;
    }
    double part = 1;
    for (int i = 0; i < MOST_CUTS; ++i) {
        look(k, stepped(at, e, step->d, part *= 0.25), next);
        if (next->s > at->s)
            return true;
    }
    return false;
}

/* From the plane of a cap to where s is smooth and higher than `from`. */
static bool leave_cap(climber *k, abut_vec3 top, abut_vec3 way, double from, aim *next)
{
    double angle = 0.5;
    for (int j = 0; j < 3 && abut_dot(way, way) > 0; ++j, angle *= 0.125) {
        const abut_vec3 n = abut_madd(top, angle, way);
        look(k, abut_scale(1 / sqrt(abut_dot(n, n)), n), next);
        if (next->s > from)
            return true;
    }
    return false;
}

/* A climb that came near the peak of a cap: over it. *peak: it is the top. */
static bool pass_cap(climber *k, const aim *at, aim *next, bool *peak)
{
    *peak = false;
    for (int i = 0; i < 2; ++i) {
        abut_vec3 way;
        aim top;
        double sense, sigma[2];
        if (!has_cap(k, i, at->n, 0.9, &sense))
            continue;
        const bool inside = try_cap(k, i, sense, &top, sigma, &way);
        if (!(top.s > at->s))
            continue;
        if (inside) {
            *next = top;
            *peak = true;
            return true;
        }
        if (leave_cap(k, top.n, way, at->s, next))
            return true;
    }
    return false;
}

/* Climbs from at[0] to where both bounds meet; returns where it ends, NULL where it gets stuck. */
static aim *climb(climber *k, aim at[2], double sigma[2])
{
    const double error = k->pair->error;
    aim *p = &at[0], *next = &at[1];
    abut_rims_step s = { .sigma = { p->view[0].diff < 0 ? -1 : 1, p->view[1].diff < 0 ? -1 : 1 } };
    for (int i = 0; i < MOST_STEPS && k->looks < MOST_LOOKS; ++i) {
        const double kink[2] = { p->view[0].diff, p->view[1].diff };
        abut_vec3 e[2];
        abut_rims_model m;
        abut_tangent_basis(p->n, e);
        const abut_vec3 w =
            abut_sub(abut_sub(k->pair->t, abut_rims_point(&k->body[0], &p->view[0], s.sigma[0])),
                     abut_rims_point(&k->body[1], &p->view[1], s.sigma[1]));
        const double far = 0.01 * abut_dot(w, w), shift = p->s > 0 && p->s * p->s > far ? p->s : sqrt(far);
        abut_rims_build(k->body, p->view, k->pair->t, e, shift, s.sigma, &m);
        if (!abut_rims_solve(&m, m.m, kink, &s))
            return NULL;
        sigma[0] = s.sigma[0];
        sigma[1] = s.sigma[1];
        /* The slope that is left is M d: its square over 2 s is what the points are further apart than s. */
        const double r0 = m.m[0] * s.d[0] + m.m[1] * s.d[1], r1 = m.m[1] * s.d[0] + m.m[2] * s.d[1];
        const double kinks = fabs(s.sigma[0]) < 1 ? fabs(kink[0]) : 0,
                     other = fabs(s.sigma[1]) < 1 ? fabs(kink[1]) : 0;
        if (p->s > 0 && r0 * r0 + r1 * r1 <= p->s * error && kinks + other <= error)
            return p;
        if (p->s <= 0 && !(s.gain > 0x1p-4 * -p->s + 0.25 * error))
            return p; /* they overlap */
        look(k, stepped(p, e, s.d, 1), next);
        bool peak;
        if (!(next->s > p->s) && !pass_cap(k, p, next, &peak) && !step_shorter(k, &m, m.m, &s, e, p, next))
            return s.gain < 16 * error ? p : NULL;
        aim *swap = p;
        p = next;
        next = swap;
    }
    return NULL;
}

bool abut_rims_distance(const abut_convex_pair *pair, const abut_vec3 *axis, abut_convex_answer *out)
{
    climber k = { .pair = pair };
    aim at[2];
    double sigma[2];
    abut_rims_begin(pair, k.body);
    *out = (abut_convex_answer){ .lo = -INFINITY, .hi = INFINITY };
    out->normal = abut_unit_or(axis ? *axis : pair->t, abut_v3(1, 0, 0));
    look(&k, out->normal, &at[0]);
    int cap = -1;
    for (int i = 0; i < 2 && cap < 0; ++i) {
        double sense;
        abut_vec3 way;
        if (has_cap(&k, i, at[0].n, 0.6, &sense) && try_cap(&k, i, sense, &at[1], sigma, &way) &&
            (at[1].s > 0 || prove_overlap(&k, &at[1], sigma, i, out)))
            cap = i;
    }
    const aim *end = cap >= 0 ? &at[1] : climb(&k, at, sigma);
    out->supports = out->iterations = k.looks + 1;
    if (!end || out->hi < 0)
        return false;
    if (end->s > 0)
        set_bounds(&k, end->n, sigma, cap, out);
    else
        (void)prove_overlap(&k, end, sigma, cap, out);
    return end->s > 0 && is_settled(pair, out);
}

/* ---- overlapping ---- */

/* M with each eigenvalue raised to a part of the depth: across an edge the bodies may be round, while along it there is no curvature. */
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
static aim *climb_deep(climber *k, aim at[2], double sigma[2])
{
    const double error = k->pair->error;
    aim *p = &at[0], *next = &at[1];
    abut_rims_step s = { .sigma = { p->view[0].diff < 0 ? -1 : 1, p->view[1].diff < 0 ? -1 : 1 } };
    for (int i = 0; i < MOST_STEPS && k->looks < MOST_DEEP; ++i) {
        const double kink[2] = { p->view[0].diff, p->view[1].diff }, least = 0.002 * fabs(p->s) + error;
        double solid[3];
        abut_vec3 e[2];
        abut_rims_model m;
        abut_tangent_basis(p->n, e);
        abut_rims_build(k->body, p->view, k->pair->t, e, p->s, s.sigma, &m);
        make_solid(m.m, least, solid);
        const bool solved = abut_rims_solve(&m, solid, kink, &s);
        sigma[0] = s.sigma[0];
        sigma[1] = s.sigma[1];
        if (!solved || !(s.gain > 0x1p-4 * error))
            return p;
        const double size = s.d[0] * s.d[0] + s.d[1] * s.d[1];
        if (size > 1) {
            s.d[0] /= sqrt(size);
            s.d[1] /= sqrt(size);
        }
        look(k, stepped(p, e, s.d, 1), next);
        bool peak = false;
        if (!(next->s > p->s) && !pass_cap(k, p, next, &peak) && !step_shorter(k, &m, solid, &s, e, p, next))
            return p;
        if (peak)
            return next;
        aim *swap = p;
        p = next;
        next = swap;
    }
    return p;
}

/* The normal of body i's side, or slant, that looks at the other's centre. */
static bool side_of(const climber *k, int i, abut_vec3 *n)
{
    const abut_rims_body *b = &k->body[i];
    const abut_vec3 t = k->pair->t, across = abut_madd(t, -abut_dot(t, b->axis), b->axis);
    const double square = abut_dot(across, across), slant = 4 * b->h * b->h + b->apex * b->apex;
    if (!(square > 0x1p-20 * abut_dot(t, t)))
        return false;
    *n = abut_madd(abut_scale(2 * b->h / sqrt(square * slant), across), b->apex / sqrt(slant), b->axis);
    return true;
}

/* The best of a direction, caps if wanted, sides and sides that cross. True when it is a cap's and a maximum. */
static bool choose_start(climber *k, abut_vec3 n, bool caps, aim *best)
{
    bool peak = false;
    abut_vec3 top = { 0, 0, 0 }, way = top, side[3];
    int sides = 0;
    look(k, n, best);
    for (int i = 0; i < 2; ++i) {
        const abut_rims_body *b = &k->body[i];
        const double sense = b->apex > 0 || abut_dot(k->pair->t, b->axis) < 0 ? -1 : 1;
        abut_vec3 across;
        aim next;
        double sigma[2];
        const bool inside = caps && try_cap(k, i, sense, &next, sigma, &across);
        if (caps && next.s > best->s) {
            *best = next;
            peak = inside;
            top = next.n;
            way = across;
        }
        sides += side_of(k, i, &side[sides]);
    }
    const abut_vec3 c = abut_cross(k->body[0].axis, k->body[1].axis);
    const double square = abut_dot(c, c);
    if (square > 0x1p-10 && k->body[0].apex + k->body[1].apex <= 0)
        side[sides++] = abut_scale((abut_dot(c, k->pair->t) < 0 ? -1 : 1) / sqrt(square), c);
    for (int i = 0; i < sides; ++i) {
        aim next;
        look(k, side[i], &next);
        if (next.s > best->s) {
            *best = next;
            peak = false;
            way = abut_v3(0, 0, 0);
        }
    }
    if (!peak)
        (void)leave_cap(k, top, way, -INFINITY, best);
    return peak;
}

static bool descend(const abut_convex_pair *pair, bool caps, abut_convex_answer *out)
{
    climber k = { .pair = pair };
    aim at[2];
    abut_rims_begin(pair, k.body);
    double sigma[2] = { 0, 0 };
    const bool peak = choose_start(&k, out->normal, caps, &at[0]);
    const aim *end = peak ? &at[0] : climb_deep(&k, at, sigma);
    abut_convex_point p = { .a = 0 };
    const double lo = abut_convex_separation(pair, end->n, &p);
    out->supports += k.looks + 1;
    out->iterations += k.looks;
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

bool abut_rims_depth(const abut_convex_pair *pair, abut_convex_answer *out)
{
    return descend(pair, true, out);
}

bool abut_rims_descend(const abut_convex_pair *pair, abut_convex_answer *out)
{
    return descend(pair, false, out);
}

/* ---- turning ---- */

/* How the point of b, minus it from its centre, and its diff move for a fixed n while the axis turns by `spin`. */
static abut_vec3 rate_of_point(const abut_rims_body *b, const abut_rims_view *v, abut_vec3 n, double sigma,
                               abut_vec3 spin, double *diff)
{
    const double along = abut_dot(n, b->axis), rate = abut_dot(n, spin);
    const abut_vec3 p = abut_madd(abut_scale(-rate, b->axis), -along, spin); /* of the part across the axis */
    const double flat = abut_dot(v->u, p);
    const abut_vec3 u = abut_scale(v->per_flat, abut_madd(p, -flat, v->u));
    *diff = 2 * b->h * rate - b->apex * flat;
    return abut_madd(abut_scale(b->mean - 0.5 * sigma * b->apex, u), sigma * b->h, spin);
}

abut_vec3 abut_rims_turning(const abut_convex_pair *pair, abut_vec3 n, abut_vec3 v, abut_vec3 spin)
{
    climber k = { .pair = pair };
    aim at;
    abut_vec3 e[2];
    abut_rims_model m;
    abut_rims_begin(pair, k.body);
    look(&k, n, &at);
    if (at.view[0].flat < 0x1p-20) /* a cap turns with its body */
        return abut_v3(0, 0, 0);
    if (at.view[1].flat < 0x1p-20)
        return abut_cross(spin, n);
    const double kink[2] = { at.view[0].diff, at.view[1].diff };
    const double size = k.body[0].r + k.body[1].r, shift = at.s > 0x1p-20 * size ? at.s : 0x1p-20 * size;
    abut_rims_step s = { .sigma = { kink[0] < 0 ? -1 : 1, kink[1] < 0 ? -1 : 1 } };
    abut_tangent_basis(n, e);
    /* The shares weigh the curvature of cones, which gives the shares. */
    for (int i = 0; i < 2; ++i) {
        abut_rims_build(k.body, at.view, pair->t, e, shift, s.sigma, &m);
        if (!abut_rims_solve(&m, m.m, kink, &s))
            return abut_v3(0, 0, 0);
    }
    /* The same equations for rates: the slope changes by that of w. */
    const double sigma[2] = { s.sigma[0], s.sigma[1] };
    double rate[2] = { 0, 0 };
    const abut_vec3 w = abut_sub(
        v, rate_of_point(&k.body[1], &at.view[1], n, sigma[1], abut_cross(spin, k.body[1].axis), &rate[1]));
    m.g[0] = abut_dot(w, e[0]);
    m.g[1] = abut_dot(w, e[1]);
    const bool on_a = fabs(sigma[0]) < 1, on_b = fabs(sigma[1]) < 1;
    s.sigma[0] = s.sigma[1] = 0;
    if (!(on_a && on_b   ? abut_rims_on_kinks(&m, rate, &s)
          : on_a || on_b ? abut_rims_on_kink(&m, rate, on_b, &s)
                         : false)) {
        const double det = m.m[0] * m.m[2] - m.m[1] * m.m[1];
        if (on_a || on_b || !(det > 0))
            return abut_v3(0, 0, 0);
        s.d[0] = (m.m[2] * m.g[0] - m.m[1] * m.g[1]) / det;
        s.d[1] = (m.m[0] * m.g[1] - m.m[1] * m.g[0]) / det;
    }
    return abut_madd(abut_scale(s.d[0], e[0]), s.d[1], e[1]);
}
