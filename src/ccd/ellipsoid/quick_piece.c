/* SPDX-License-Identifier: MIT */
/* Two balls on straight lines, where it is clear whether and when they meet: exact_piece.c in plain
 * doubles for misses and in pairs of doubles for hits, with error bounds known beforehand. In any
 * doubt (near a graze, a contact near an end of the piece, a time that may be a double) it answers
 * nothing, and the exact coefficients are made.
 *
 * With D and V the differences of the centres and velocities at the piece's begin, R the sum of the
 * radii, the gap has the sign of
 *     q(s) = a s^2 + 2 b s + c,   a = |V|^2, b = D . V, c = |D|^2 - R^2,   s the time since then.
 * P and W are the sums of the sizes of all that went into D and R, and into V; u = 2^-53. Errors
 * (narrow/exact.h): V 20 u^2 W (a quotient 16, a sum 3), D 30 u^2 P, so a 64 u^2 W^2, b 64 u^2 P
 * W, c 96 u^2 P^2, and b^2 - a c less than 2^9 u^2 P^2 W^2. */
#include "ccd/ellipsoid/moving_ball.h"
#include "math/nearest.h"
#include "math/vec3.h"

#include <string.h>

static bool find_line(const abut_motion *motion, double t, abut_motion_line *out)
{
    *out = (abut_motion_line){ .t0 = -INFINITY, .t1 = INFINITY };
    return !motion || abut_motion_origin_line(motion, t, out);
}

static bool is_fixed(const abut_motion_line *line)
{
    return isinf(line->t0) || isinf(line->t1);
}

/* ---- misses, in plain doubles ---- */

typedef struct rough_path {
    abut_vec3 at, rate;
    double size, speed;
} rough_path;

static double sum_of_sizes(abut_vec3 a)
{
    return fabs(a.x) + fabs(a.y) + fabs(a.z);
}

static rough_path find_rough(const abut_motion_line *line, double t)
{
    rough_path p = { .at = line->from };
    if (!is_fixed(line)) {
        p.rate = line->by_rate ? line->rate
                               : abut_scale(1 / (line->t1 - line->t0), abut_sub(line->to, line->from));
        const abut_vec3 moved = abut_scale(t - line->t0, p.rate);
        p.at = abut_add(line->from, moved);
        p.size = sum_of_sizes(moved);
        p.speed = sum_of_sizes(p.rate);
    }
    p.size += sum_of_sizes(line->from);
    return p;
}

/* q in plain doubles. */
typedef struct rough_gap {
    double a, b, c, P, W;
} rough_gap;

/* The rates are off by 4 u of their sizes, the positions by 7 u, the differences by 5 u W and 8
 * u P, so a by 14 u W^2, b by 17 u P W, c by 24 u P^2 and the discriminant by 80 u P^2 W^2; at a
 * later time P is P + W s. 2^-45 is 256 u. */
static inline bool is_clearly_apart(const rough_gap *g, double s)
{
    const double margin = 0x1p-45, a = g->a, b = g->b, c = g->c, P = g->P, W = g->W;
    if (b * b - a * c < -margin * ((P * W) * (P * W)))
        return true; /* never as near as the radii: a >= 0 and a c > b^2 */
    if (c > margin * (P * P) && b > margin * (P * W))
        return true; /* apart, and parting */
    const double Q = P + W * s;
    if (!(Q <= 0x1p200))
        return false;
    /* Apart and still closing in at the end. */
    return c + s * (2 * b + s * a) > margin * (Q * Q) && b + s * a < -margin * (Q * W);
}

static inline bool is_usual(double x)
{
    return x >= 0x1p-200 && x <= 0x1p200;
}

bool abut_moving_clearly_apart(const abut_motion_line *line_a, const abut_motion_line *line_b, double radii,
                               double lo, double hi)
{
    const rough_path x = find_rough(line_a, lo), y = find_rough(line_b, lo);
    const double P = x.size + y.size + radii, W = x.speed + y.speed;
    if (!is_usual(P) || !is_usual(W))
        return false;
    const abut_vec3 d = abut_sub(x.at, y.at), v = abut_sub(x.rate, y.rate);
    const rough_gap g = { abut_dot(v, v), abut_dot(d, v), abut_dot(d, d) - radii * radii, P, W };
    return is_clearly_apart(&g, hi - lo);
}

/* ---- hits, in pairs ---- */

typedef struct path {
    dd at[3], rate[3];
    double size, speed; /* of what they were made of */
} path;

/* Times are in units of the line's duration when `unit`: that saves quotients. */
static void find_path(const abut_motion_line *line, double t, bool unit, path *out)
{
    const double from[3] = { line->from.x, line->from.y, line->from.z };
    const double to[3] = { line->to.x, line->to.y, line->to.z };
    const double rate[3] = { line->rate.x, line->rate.y, line->rate.z };
    const bool fixed = is_fixed(line);
    dd since = { 0, 0 }, lasts = { 1, 0 };
    if (!fixed) {
        since = dd_two_sum(t, -line->t0);
        lasts = dd_two_sum(line->t1, -line->t0);
        if (unit && since.h != 0)
            since = dd_div(since, lasts);
    }
    out->size = out->speed = 0;
    for (int i = 0; i < 3; ++i) {
        out->at[i] = (dd){ from[i], 0 };
        out->rate[i] = (dd){ 0, 0 };
        out->size += fabs(from[i]);
        if (fixed)
            continue;
        const dd whole = dd_two_sum(to[i], -from[i]);
        out->rate[i] = line->by_rate ? (dd){ rate[i], 0 } : unit ? whole : dd_div(whole, lasts);
        out->speed += fabs(out->rate[i].h);
        if (since.h == 0)
            continue;
        const dd moved = dd_mul(since, out->rate[i]);
        out->at[i] = dd_add(out->at[i], moved);
        out->size += fabs(moved.h);
    }
}

static dd dot(const dd a[3], const dd b[3])
{
    return dd_add(dd_add(dd_mul(a[0], b[0]), dd_mul(a[1], b[1])), dd_mul(a[2], b[2]));
}

/* The time `from` + s `unit`, for s off by `error`, between two adjacent doubles; false where
 * that is not sure. */
static bool enclose_time(double from, dd s, dd unit, double error, abut_interval *out)
{
    const dd later = dd_mul(s, unit), t = dd_add((dd){ from, 0 }, later);
    const double e = error * unit.h + 0x1p-102 * (fabs(from) + fabs(later.h));
    if (!(fabs(t.l) > e))
        return false;
    *out = t.l > 0 ? (abut_interval){ t.h, nextafter(t.h, INFINITY) }
                   : (abut_interval){ nextafter(t.h, -INFINITY), t.h };
    return true;
}

/* -1 before [lo, hi], 1 after it, 0 inside, 2 where that is not clear. */
static int place_of(abut_interval t, double lo, double hi)
{
    return t.hi < lo ? -1 : t.lo > hi ? 1 : t.lo > lo && t.hi < hi ? 0 : 2;
}

/* The times at which the gap is 0, and where they lie; see place_of. */
typedef struct roots {
    abut_interval at[2];
    int first, last;
} roots;

typedef enum found { FOUND_NOTHING, FOUND_APART, FOUND_ROOTS } found;

/* first_only: where they close in, the second root is not wanted; it lies behind the first. */
static inline found find_roots(const abut_motion_line *line_a, const abut_motion_line *line_b, dd radii,
                               double lo, double hi, bool first_only, roots *out)
{
    if (abut_moving_clearly_apart(line_a, line_b, radii.h, lo, hi))
        return FOUND_APART;
    const abut_motion_line *mover = is_fixed(line_a) ? line_b : line_a;
    const bool unit = !is_fixed(mover) && !line_a->by_rate && !line_b->by_rate &&
                      (is_fixed(line_b) || (line_b->t0 == mover->t0 && line_b->t1 == mover->t1));
    const dd lasts = unit ? dd_two_sum(mover->t1, -mover->t0) : (dd){ 1, 0 };
    path x, y;
    find_path(line_a, lo, unit, &x);
    find_path(line_b, lo, unit, &y);
    const double P = x.size + y.size + radii.h, W = x.speed + y.speed;
    if (!is_usual(P) || !is_usual(W))
        return FOUND_NOTHING;
    dd d[3], v[3];
    for (int i = 0; i < 3; ++i) {
        d[i] = dd_sub(x.at[i], y.at[i]);
        v[i] = dd_sub(x.rate[i], y.rate[i]);
    }
    const dd a = dot(v, v), b = dot(d, v), c = dd_sub(dot(d, d), dd_sqr(radii));
    const dd disc = dd_sub(dd_sqr(b), dd_mul(a, c));
    const double scale = (P * W) * (P * W);
    if (disc.h < -0x1p-90 * scale) /* no root at all: apart, for a >= 0 and a c > b^2 */
        return FOUND_APART;
    if (!(disc.h > 0x1p-30 * scale && a.h > 0x1p-20 * (W * W)))
        return FOUND_NOTHING;
    /* The discriminant is known to 2^-67, its root to 2^-68, and so is f = |b| + root, which is
     * not smaller and has b's 2^6 u^2 P W < 2^-85 of it besides; a to 2^-80. So f / a is known
     * to 2^-66, and c / f up to what c is off by as well. */
    const bool closing = b.h < 0;
    const dd f = dd_add(closing ? dd_neg(b) : b, dd_sqrt(disc));
    const dd near = dd_div(c, f);
    const double error_near = 0x1p-66 * fabs(near.h) + 0x1p-98 * (P * P) / f.h;
    abut_interval *root = out->at;
    if (first_only && closing) {
        if (!enclose_time(lo, near, lasts, error_near, &root[0]))
            return FOUND_NOTHING;
        out->first = place_of(root[0], lo, hi);
        out->last = 1;
        return out->first == 2 ? FOUND_NOTHING : FOUND_ROOTS;
    }
    const dd far = dd_div(f, a);
    const double error_far = 0x1p-66 * fabs(far.h);
    if (!enclose_time(lo, closing ? near : dd_neg(far), lasts, closing ? error_near : error_far, &root[0]) ||
        !enclose_time(lo, closing ? far : dd_neg(near), lasts, closing ? error_far : error_near, &root[1]) ||
        !(root[0].hi < root[1].lo))
        return FOUND_NOTHING;
    out->first = place_of(root[0], lo, hi);
    out->last = place_of(root[1], lo, hi);
    return out->first == 2 || out->last == 2 ? FOUND_NOTHING : FOUND_ROOTS;
}

bool abut_moving_quick_piece(abut_moving *m, double lo, double hi, abut_runs *runs, bool *wanted)
{
    abut_motion_line line_a, line_b;
    roots r;
    if (m->b->type != ABUT_SHAPE_SPHERE || !find_line(m->motion_a, lo, &line_a) ||
        !find_line(m->motion_b, lo, &line_b))
        return false;
    const dd radii = dd_two_sum(m->a->u.sphere.radius, m->b->u.sphere.radius);
    const found end = find_roots(&line_a, &line_b, radii, lo, hi, false, &r);
    if (end == FOUND_NOTHING)
        return false;
    ++m->counters->iterations;
    ++m->counters->evaluations;
    if (end == FOUND_APART) {
        *wanted = abut_runs_add(runs, ABUT_CELL_APART, lo, hi, true);
        return true;
    }
    double at = lo;
    *wanted = true;
    for (int i = 0; i < 2; ++i) {
        if ((i == 0 ? r.first : r.last) != 0)
            continue;
        *wanted = *wanted &&
                  abut_runs_add(runs, i == 0 ? ABUT_CELL_APART : ABUT_CELL_DEEP, at, r.at[i].lo, true) &&
                  abut_runs_add(runs, ABUT_CELL_CROSS, r.at[i].lo, r.at[i].hi, true);
        at = r.at[i].hi;
    }
    const bool deep = r.first <= 0 && r.last > 0;
    *wanted = *wanted && abut_runs_add(runs, deep ? ABUT_CELL_DEEP : ABUT_CELL_APART, at, hi, true);
    return true;
}

static abut_vec3 origin_at(const abut_motion_line *line, double t)
{
    if (is_fixed(line))
        return line->from;
    return line->by_rate ? abut_madd(line->from, t - line->t0, line->rate)
                         : abut_madd(line->from, (t - line->t0) / (line->t1 - line->t0),
                                     abut_sub(line->to, line->from));
}

/* ---- the first contact by one step of Newton's method ----
 *
 * Where centres at the begin and rates are doubles, D and V are pairs without error, and q(s) at a
 * double s needs far fewer operations than the roots of q: s from plain doubles, then one step
 * delta = -q / q', which leaves an error far below an ulp of s. With Q = P + W s, P and W now of D
 * and V themselves: X = D + s V as a pair is off by 16 u^2 Q (low parts below 4 u Q, four sums of
 * them), q by 2^9 u^2 Q^2 (what the squares have of that, sums of low parts below 16 u Q^2), g = q'
 * / 2 = X . V by 16 u Q W. For true values q + 2 g x + a x^2 = 0 at the root s + x, and where W^2
 * |delta| < 2^-4 |g| the root near s has |x| < 1.1 |delta| and is the one where the gap falls, so
 * that x is off from delta by less than
 *     (2^-48 Q W |delta| + 2^-96 Q^2 + 2 W^2 delta^2) / |g|    for |g| > 2^-20 Q W. */

typedef struct start {
    const abut_vec3 *from, *rate;
} start;

static inline bool find_start(const abut_motion *motion, double lo, start *out)
{
    static const abut_vec3 zero = { 0, 0, 0 };
    *out = (start){ &zero, &zero };
    if (!motion)
        return true;
    const abut_motion_track *track = &motion->track;
    out->from = &track->from;
    out->rate = &track->rate;
    return track->straight && track->rate_error == 0 && (motion->t0 == lo || !(track->rate_size > 0));
}

/* x, y, z, and the sum of the radii in the last: it goes the way of the others. */
typedef struct lanes {
    double h[4], l[4];
} lanes;

static inline void subtract(const abut_vec3 *a, const abut_vec3 *b, lanes *out)
{
    const double p[3] = { a->x, a->y, a->z }, q[3] = { b->x, b->y, b->z };
    for (int i = 0; i < 3; ++i)
        out->h[i] = abut_two_sum(p[i], -q[i], &out->l[i]);
}

/* d + s v. */
static inline void move(const lanes *d, double s, const lanes *v, lanes *out)
{
    for (int i = 0; i < 4; ++i) {
        double off, gone;
        const double way = abut_two_product(s, v->h[i], &off);
        out->h[i] = abut_two_sum(d->h[i], way, &gone);
        out->l[i] = gone + (off + (s * v->l[i] + d->l[i]));
    }
}

/* x^2 + y^2 + z^2 - R^2. */
static inline double gap_of(const lanes *x)
{
    double h[4], l[4], a, b, c;
    for (int i = 0; i < 4; ++i) {
        double off;
        h[i] = abut_two_product(x->h[i], x->h[i], &off);
        l[i] = off + 2 * (x->h[i] * x->l[i]);
    }
    const double xy = abut_two_sum(h[0], h[1], &a), zr = abut_two_sum(h[2], -h[3], &b);
    const double all = abut_two_sum(xy, zr, &c);
    return all + ((c + (a + b)) + ((l[0] + l[1]) + (l[2] - l[3])));
}

/* The neighbour of x, neither 0 nor infinite, above or below it. */
static inline double step(double x, bool up)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits += (x > 0) == up ? 1 : -1;
    memcpy(&x, &bits, sizeof x);
    return x;
}

typedef struct touch {
    abut_interval time;
    double s;    /* since lo, about */
    abut_vec3 d; /* of the centres, from a to b, then */
} touch;

/* FOUND_ROOTS: a contact inside (lo, hi) that is the first. */
static inline found find_touch(const start *a, const start *b, dd radii, double lo, double hi, touch *out)
{
    lanes d, v, x;
    subtract(b->from, a->from, &d);
    subtract(b->rate, a->rate, &v);
    d.h[3] = radii.h;
    d.l[3] = radii.l;
    v.h[3] = v.l[3] = 0;
    const abut_vec3 apart = { d.h[0], d.h[1], d.h[2] }, speed = { v.h[0], v.h[1], v.h[2] };
    const double P = sum_of_sizes(apart) + radii.h, W = sum_of_sizes(speed);
    if (!is_usual(P) || !is_usual(W))
        return FOUND_NOTHING;
    const rough_gap g = { abut_dot(speed, speed), abut_dot(apart, speed),
                          abut_dot(apart, apart) - radii.h * radii.h, P, W };
    if (is_clearly_apart(&g, hi - lo))
        return FOUND_APART;
    const double disc = g.b * g.b - g.a * g.c;
    if (!(g.b < 0 && disc > 0 && g.c > 0))
        return FOUND_NOTHING;
    const double s = g.c / (sqrt(disc) - g.b), Q = P + W * s;
    move(&d, s, &v, &x);
    const double q = gap_of(&x), rate = x.h[0] * v.h[0] + x.h[1] * v.h[1] + x.h[2] * v.h[2];
    if (!(rate < -0x1p-20 * (Q * W)))
        return FOUND_NOTHING;
    const double delta = q / (-2 * rate);
    if (!(W * W * fabs(delta) < -0x1p-4 * rate))
        return FOUND_NOTHING;
    const double error =
        (0x1p-48 * (Q * W) * fabs(delta) + 0x1p-96 * (Q * Q) + 2 * (W * delta) * (W * delta)) / -rate;
    const dd since = dd_two_sum(s, delta), t = lo == 0 ? since : dd_add((dd){ lo, 0 }, since);
    if (!(fabs(t.l) > error + 0x1p-102 * (fabs(lo) + s)) || !(fabs(t.h) > 0x1p-900))
        return FOUND_NOTHING;
    out->time = t.l > 0 ? (abut_interval){ t.h, step(t.h, true) } : (abut_interval){ step(t.h, false), t.h };
    if (!(out->time.lo > lo && out->time.hi < hi))
        return FOUND_NOTHING;
    out->s = since.h;
    out->d = abut_madd(abut_v3(x.h[0], x.h[1], x.h[2]), delta, speed);
    return FOUND_ROOTS;
}

static inline void answer(abut_first_result *out, bool apart)
{
    out->verdict = apart ? ABUT_FIRST_SEPARATE : ABUT_FIRST_CONTACT;
    out->proof = ABUT_PROOF_EXACT;
    out->stop = ABUT_STOP_DONE;
    out->counters = (abut_counters){ .iterations = 1, .evaluations = 1 };
    out->time = (abut_interval){ 0, 0 };
    out->point_count = 0;
}

/* The only contact point. */
static inline void answer_touch(abut_first_result *out, abut_interval time, abut_vec3 point, abut_vec3 normal)
{
    static const abut_vec3 zero = { 0, 0, 0 };
    abut_first_point *p = &out->points[0];
    answer(out, false);
    out->time = p->time = time;
    out->point_count = 1;
    p->point = point;
    p->normal = normal;
    p->kind = ABUT_CONTACT_ISOLATED;
    p->unique = true;
    p->features[0] = p->features[1] = ABUT_FEATURE_FACE;
    p->normals[0] = p->normals[1] = zero;
    p->parameters[0][0] = p->parameters[0][1] = p->parameters[1][0] = p->parameters[1][1] = 0;
    p->has_ids = false;
    p->ids[0] = p->ids[1] = 0;
}

/* The line from what stands with the motion itself, where that is all of it. */
static inline bool find_line_quickly(const abut_motion *motion, double t, abut_motion_line *out)
{
    if (!motion || !motion->track.straight || motion->track.rate_error != 0 ||
        motion->type == ABUT_MOTION_STATIC)
        return find_line(motion, t, out);
    out->t0 = motion->t0;
    out->t1 = motion->t1;
    out->from = out->to = motion->track.from;
    out->rate = motion->track.rate;
    out->by_rate = true;
    return true;
}

/* The roots in pairs, for all lines. */
static ABUT_MATH_NOINLINE bool find_by_roots(const abut_motion *motion_a, double ra,
                                             const abut_motion *motion_b, double rb, double lo, double hi,
                                             abut_first_result *out)
{
    abut_motion_line line_a, line_b;
    roots r;
    if (!find_line_quickly(motion_a, lo, &line_a) || !find_line_quickly(motion_b, lo, &line_b))
        return false;
    const found end = find_roots(&line_a, &line_b, dd_two_sum(ra, rb), lo, hi, true, &r);
    if (end == FOUND_NOTHING || (end == FOUND_ROOTS && r.first < 0 && r.last >= 0))
        return false;
    if (end == FOUND_APART || r.first != 0) {
        answer(out, true);
        return true;
    }
    const double t = 0.5 * r.at[0].lo + 0.5 * r.at[0].hi;
    const abut_vec3 p = origin_at(&line_a, t), q = origin_at(&line_b, t);
    const abut_vec3 n = abut_unit_or(abut_sub(q, p), abut_v3(1, 0, 0));
    const abut_vec3 x = abut_madd(p, ra, n), y = abut_madd(q, -rb, n);
    answer_touch(out, r.at[0], abut_scale(0.5, abut_add(x, y)), n);
    return true;
}

bool abut_moving_quick_balls(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                             const abut_motion *motion_b, double lo, double hi, abut_first_result *out)
{
    const double ra = a->core.radius, rb = b->core.radius;
    start at_a, at_b;
    touch at;
    found end = FOUND_NOTHING;
    if (find_start(motion_a, lo, &at_a) && find_start(motion_b, lo, &at_b))
        end = find_touch(&at_a, &at_b, dd_two_sum(ra, rb), lo, hi, &at);
    if (end == FOUND_NOTHING)
        return find_by_roots(motion_a, ra, motion_b, rb, lo, hi, out);
    if (end == FOUND_APART) {
        answer(out, true);
        return true;
    }
    const abut_vec3 n = abut_scale(1 / sqrt(abut_dot(at.d, at.d)), at.d);
    const abut_vec3 p = abut_madd(*at_a.from, at.s, *at_a.rate);
    const abut_vec3 x = abut_madd(p, ra, n), y = abut_madd(abut_add(p, at.d), -rb, n);
    answer_touch(out, at.time, abut_scale(0.5, abut_add(x, y)), n);
    return true;
}
