/* SPDX-License-Identifier: MIT */
/* The floating-point filter of vertex-face and edge-edge queries: what doubles with error bounds
 * can decide.
 *
 * The cubic p = det(r1, r2, r3) in Bernstein form: coefficients of one sign mean no contact (M.
 * Tang, D. Manocha, R. Tong, Fast continuous collision detection using deforming non-penetration
 * filters, I3D 2010). Then one plane that may keep the features apart, which spares half of the
 * roots. Then the roots are isolated by subdivision, from left to right; each is
 * found by Halley's method and enclosed by two signs, and the side tests are taken there. Whatever
 * is not clear, roots next to 0 or 1 or to each other included, is left open.
 *
 * Error bounds. u = 2^-53; M_k is the largest size of a coordinate k of r1, r2, r3 at both ends,
 * which holds at all times; M = M_x M_y M_z. Each term of p has one factor from each axis. The
 * end coefficients have 6 terms of 8 roundings, below 50 u M; the inner ones 18 terms of 12,
 * below 220 u M, and a third of that as Bernstein coefficients, which are at most 6 M. A
 * subdivision rounds 3 times at most 3 times, 54 u M; there are at most 8. So BOUND = 1024 u M
 * is above all errors, and above that of the homogeneous form at a given time: 74 u M from the
 * coefficients and 72 u M from evaluation. All M_k are between 2^-300 and 2^300, so nothing
 * over- or underflows that matters, not even where subnormal numbers are flushed to zero: that
 * is off by 2^-1022 of one factor, and the bounds are above 2^-950.
 *
 * Corners that are only known to within blur_k on axis k: r1, r2, r3 are off by e_k M_k there, with
 * e_k = 2 blur_k / M_k, which must be small. All Bernstein coefficients of p, and p itself, have 6
 * terms, so they are off by 6 M (e_x + e_y + e_z) and a little; `doubt` is 7 (e_x + e_y + e_z). */
#include "ccd/mesh/impact.h"

#include "math/expansion.h"
#include "math/nearest.h"

#include <math.h>
#include <string.h>

#define BOUND 0x1p-43

typedef struct piece {
    double b[4]; /* Bernstein coefficients */
    double from, to;
    int depth;
} piece;

/* Positions that are not quite those meant; false where they are off by too much. */
static ABUT_MATH_NOINLINE bool blur(const double by[3], abut_impact_moving *m)
{
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        m->off[k] = 2.0625 * by[k] / m->size[k];
        sum += m->off[k];
    }
    m->doubt = 7 * sum;
    return m->doubt < 0x1p-16;
}

static inline bool prepare(const abut_impact_query *q, const abut_impact_corners *c, abut_impact_moving *m)
{
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 3; ++i)
            m->r[i][k] = abut_lanes_sub(c->v[i + 1][k], c->v[0][k]);
        abut_lanes size =
            abut_lanes_max(abut_lanes_max(abut_lanes_abs(m->r[0][k]), abut_lanes_abs(m->r[1][k])),
                           abut_lanes_abs(m->r[2][k]));
        size = abut_lanes_max(size, abut_lanes_swap(size));
        m->size[k] = abut_lanes_start(size);
    }
    m->product = m->size[0] * m->size[1] * m->size[2];
    double least = m->size[0] < m->size[1] ? m->size[0] : m->size[1];
    double most = m->size[0] < m->size[1] ? m->size[1] : m->size[0];
    least = m->size[2] < least ? m->size[2] : least;
    most = m->size[2] > most ? m->size[2] : most;
    m->doubt = m->off[0] = m->off[1] = m->off[2] = 0;
    if (q->blur[0] + q->blur[1] + q->blur[2] > 0 && !blur(q->blur, m))
        return false;
    return least >= 0x1p-300 && most <= 0x1p300;
}

/* Does a plane that does not turn keep the features apart? Its normal is what joins their middles,
 * halfway in time. Distances to it change linearly, so both ends of the time suffice, as for boxes. A
 * dot product of the normal with r1, r2 or r3 is off by less than 8 u of the sum of |n_k| M_k. */
static inline bool is_parted(const abut_impact_query *q, const abut_impact_moving *m)
{
    abut_lanes p[3];
    double margin = 0x1p-900;
    for (int i = 0; i < 3; ++i)
        p[i] = abut_lanes_set(0, 0);
    for (int k = 0; k < 3; ++k) {
        abut_lanes n = abut_lanes_add(m->r[1][k], m->r[2][k]);
        n = q->edges ? abut_lanes_sub(n, m->r[0][k]) : abut_lanes_add(n, m->r[0][k]);
        n = abut_lanes_add(n, abut_lanes_swap(n));
        for (int i = 0; i < 3; ++i)
            p[i] = abut_lanes_add(p[i], abut_lanes_mul(n, m->r[i][k]));
        margin += fabs(abut_lanes_start(n)) * m->size[k] * (0x1p-48 + m->off[k]);
    }
    const abut_lanes near = abut_lanes_min(p[1], p[2]), zero = abut_lanes_set(0, 0);
    const abut_lanes gap =
        q->edges ? abut_lanes_sub(near, abut_lanes_max(p[0], zero)) : abut_lanes_min(near, p[0]);
    return abut_lanes_less(abut_lanes_set(margin, margin), gap);
}

static inline double bound_of(const abut_impact_moving *m)
{
    return (BOUND + m->doubt) * m->product;
}

/* x y - z w */
static inline abut_lanes minor(abut_lanes x, abut_lanes y, abut_lanes z, abut_lanes w)
{
    return abut_lanes_sub(abut_lanes_mul(x, y), abut_lanes_mul(z, w));
}

static inline abut_lanes dot(const abut_lanes x[3], const abut_lanes y[3])
{
    return abut_lanes_add(abut_lanes_add(abut_lanes_mul(x[0], y[0]), abut_lanes_mul(x[1], y[1])),
                          abut_lanes_mul(x[2], y[2]));
}

static inline void make_cubic(const abut_impact_moving *m, abut_impact_cubic *p)
{
    const abut_lanes *r1 = m->r[0], *r2 = m->r[1], *r3 = m->r[2];
    /* r2 x r3, homogeneous: first and last coefficient in `ends`, the middle one in both lanes
     * of `middle`. */
    abut_lanes ends[3], middle[3], other[3], swapped[3];
    for (int k = 0; k < 3; ++k) {
        other[k] = abut_lanes_swap(r3[k]);
        swapped[k] = abut_lanes_swap(r1[k]);
    }
    for (int k = 0; k < 3; ++k) {
        const int u = k == 2 ? 0 : k + 1, v = k == 0 ? 2 : k - 1;
        ends[k] = minor(r2[u], r3[v], r2[v], r3[u]);
        middle[k] = minor(r2[u], other[v], r2[v], other[u]);
        middle[k] = abut_lanes_add(middle[k], abut_lanes_swap(middle[k]));
    }
    const abut_lanes outer = dot(r1, ends), inner = abut_lanes_add(dot(swapped, ends), dot(r1, middle));
    p->c[0] = abut_lanes_start(outer);
    p->c[1] = abut_lanes_start(inner);
    p->c[2] = abut_lanes_end(inner);
    p->c[3] = abut_lanes_end(outer);
}

static void make_powers(abut_impact_cubic *p)
{
    const double *c = p->c;
    p->p[0] = c[0];
    p->p[1] = c[1] - 3 * c[0];
    p->p[2] = c[2] - 2 * c[1] + 3 * c[0];
    p->p[3] = (c[3] - c[2]) + (c[1] - c[0]);
}

static double value_of(const abut_impact_cubic *p, double t)
{
    const double s = 1 - t, *c = p->c;
    return s * s * (s * c[0] + t * c[1]) + t * t * (s * c[2] + t * c[3]);
}

static double slope_of(const abut_impact_cubic *p, double t)
{
    return p->p[1] + t * (2 * p->p[2] + 3 * t * p->p[3]);
}

/* Where s p is least in a piece with ends of sign s, as a fraction of it; the middle where that
 * is not clear. */
static double valley(const double b[4], double s)
{
    const double d0 = s * (b[1] - b[0]), d1 = s * (b[2] - b[1]), d2 = s * (b[3] - b[2]);
    if (d0 < 0 && d2 > 0) {
        const double x = (sqrt(d1 * d1 - d0 * d2) - d1) / d2, f = x / (1 + x);
        if (f > 0x1p-10 && f < 1 - 0x1p-10)
            return f;
    }
    return 0.5;
}

static void split(const piece *p, double f, piece *left, piece *right)
{
    const double g = 1 - f, *b = p->b;
    const double b01 = g * b[0] + f * b[1], b12 = g * b[1] + f * b[2], b23 = g * b[2] + f * b[3];
    const double b012 = g * b01 + f * b12, b123 = g * b12 + f * b23, middle = g * b012 + f * b123;
    const double t = p->from + f * (p->to - p->from);
    *right = (piece){ { middle, b123, b23, b[3] }, t, p->to, p->depth + 1 };
    *left = (piece){ { b[0], b01, b012, middle }, p->from, t, p->depth + 1 };
}

/* A root between lo and hi, where p has the signs `sign` and -sign: Halley's method from t, which has
 * one division a step as Newton's has, halving where it leaves the bracket. */
typedef struct search {
    double lo, hi, t, sign;
    double step; /* the last one */
} search;

static void approach(const abut_impact_cubic *p, search *s, double last, int steps)
{
    const double *c = p->p;
    for (int i = 0; i < steps; ++i) {
        const double t = s->t, f = c[0] + t * (c[1] + t * (c[2] + t * c[3])), slope = slope_of(p, t),
                     bend = c[2] + 3 * t * c[3];
        if (f * s->sign > 0)
            s->lo = t;
        else
            s->hi = t;
        double next = t - f * slope / (slope * slope - f * bend);
        if (!(next > s->lo && next < s->hi)) {
            if (next == t || f == 0)
                return;
            next = 0.5 * (s->lo + s->hi);
        }
        s->t = next;
        s->step = fabs(next - t);
        if (s->step <= last)
            return;
    }
}

/* ---- the time to a few ulp ---- */

/* Sums of two doubles, two of them at a time (T. J. Dekker, 1971). */
typedef struct double2 {
    abut_lanes h, l;
} double2;

static inline double2 sum2(double2 x, double2 y)
{
    const abut_lanes s = abut_lanes_add(x.h, y.h), v = abut_lanes_sub(s, x.h);
    abut_lanes e = abut_lanes_add(abut_lanes_sub(x.h, abut_lanes_sub(s, v)), abut_lanes_sub(y.h, v));
    e = abut_lanes_add(e, abut_lanes_add(x.l, y.l));
    const abut_lanes h = abut_lanes_add(s, e);
    return (double2){ h, abut_lanes_sub(e, abut_lanes_sub(h, s)) };
}

static inline double2 minus(double2 x)
{
    const abut_lanes zero = abut_lanes_set(0, 0);
    return (double2){ abut_lanes_sub(zero, x.h), abut_lanes_sub(zero, x.l) };
}

/* x - y, exactly. */
static inline double2 difference2(abut_lanes x, abut_lanes y)
{
    const abut_lanes s = abut_lanes_sub(x, y), v = abut_lanes_sub(s, x);
    return (double2){ s, abut_lanes_sub(abut_lanes_sub(x, abut_lanes_sub(s, v)), abut_lanes_add(y, v)) };
}

/* Veltkamp's upper halves. */
static inline abut_lanes upper(abut_lanes x)
{
    const abut_lanes c = abut_lanes_mul(abut_lanes_set(134217729, 134217729), x);
    return abut_lanes_sub(c, abut_lanes_sub(c, x));
}

static inline double2 product2(double2 x, double2 y)
{
    const abut_lanes p = abut_lanes_mul(x.h, y.h), xh = upper(x.h), yh = upper(y.h),
                     xl = abut_lanes_sub(x.h, xh), yl = abut_lanes_sub(y.h, yh);
    abut_lanes e = abut_lanes_sub(abut_lanes_mul(xh, yh), p); /* exact, in this order */
    e = abut_lanes_add(e, abut_lanes_mul(xl, yh));
    e = abut_lanes_add(e, abut_lanes_mul(xh, yl));
    e = abut_lanes_add(e, abut_lanes_mul(xl, yl));
    e = abut_lanes_add(e, abut_lanes_add(abut_lanes_mul(x.h, y.l), abut_lanes_mul(x.l, y.h)));
    const abut_lanes h = abut_lanes_add(p, e);
    return (double2){ h, abut_lanes_sub(e, abut_lanes_sub(h, p)) };
}

static inline double2 swap2(double2 x)
{
    return (double2){ abut_lanes_swap(x.h), abut_lanes_swap(x.l) };
}

static inline double2 first2(double2 x)
{
    const double h = abut_lanes_start(x.h), l = abut_lanes_start(x.l);
    return (double2){ abut_lanes_set(h, h), abut_lanes_set(l, l) };
}

/* Two coordinates at time t of corners relative to the first one, given at the start and at the
 * end. */
static inline double2 position2(abut_lanes start, abut_lanes start0, abut_lanes end, abut_lanes end0,
                                double t)
{
    const double2 a = difference2(start, start0), d = sum2(difference2(end, end0), minus(a));
    return sum2(a, product2(d, (double2){ abut_lanes_set(t, t), abut_lanes_set(0, 0) }));
}

/* p at t, with an error below 2^-94 M: some 30 operations with errors of 2^-102 of numbers up to
 * 5 M each, in 6 terms. */
static double residual(const abut_impact_query *q, double t)
{
    const abut_vec3 *s = q->start, *e = q->end;
    const abut_lanes s0 = abut_lanes_set(s[0].x, s[0].y), e0 = abut_lanes_set(e[0].x, e[0].y);
    double2 xy[3], z[3];
    for (int i = 0; i < 3; ++i)
        xy[i] = position2(abut_lanes_set(s[i + 1].x, s[i + 1].y), s0, abut_lanes_set(e[i + 1].x, e[i + 1].y),
                          e0, t);
    const abut_lanes sz = abut_lanes_set(s[0].z, s[0].z), ez = abut_lanes_set(e[0].z, e[0].z);
    z[0] = first2(position2(abut_lanes_set(s[1].z, s[1].z), sz, abut_lanes_set(e[1].z, e[1].z), ez, t));
    const double2 other =
        position2(abut_lanes_set(s[2].z, s[3].z), sz, abut_lanes_set(e[2].z, e[3].z), ez, t);
    z[1] = first2(other);
    z[2] = first2(swap2(other));
    /* r2 x r3: (-y, x) components, and z in the first lane. */
    const double2 across = sum2(product2(xy[1], z[2]), minus(product2(xy[2], z[1])));
    const double2 both = product2(xy[1], swap2(xy[2])), up = sum2(both, minus(swap2(both)));
    const double2 sides = product2(swap2(xy[0]), across), top = product2(z[0], up);
    /* The lanes of `sides` are y1 (-n_y) and x1 n_x. */
    const double2 sum = sum2(sum2(swap2(sides), minus(sides)), top);
    return abut_lanes_start(sum.h);
}

/* Neighbours of a positive double below 2. */
static double neighbour(double x, int64_t steps)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits += steps;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The root is within `delta` of t; narrows it to neighbours of a double by one step of Newton's
 * method with an enclosure of the slope. */
static bool refine(const abut_impact_query *q, const abut_impact_moving *m, const abut_impact_cubic *p,
                   double t, double delta, abut_interval *time)
{
    /* The slope is off by less than 2^-39 M, and its derivative is at most 432 M. */
    const double slope = slope_of(p, t), vary = m->product * (0x1p-39 + 432 * delta);
    if (!(fabs(slope) > 64 * vary))
        return false;
    const double step = -residual(q, t) / slope;
    /* Relative error of the step: the slope's, and three roundings; then the residual's own
     * error. */
    const double doubt =
        fabs(step) * (1.1 * vary / fabs(slope) + 0x1p-50) + 0x1.1p-94 * m->product / fabs(slope);
    double low;
    const double high = abut_two_sum(t, step, &low);
    if (!(high > 0 && high < 1))
        return false;
    time->lo = time->hi = high;
    for (int64_t i = 1; i <= 2 && low - doubt < time->lo - high; ++i)
        time->lo = neighbour(high, -i);
    for (int64_t i = 1; i <= 2 && low + doubt > time->hi - high; ++i)
        time->hi = neighbour(high, i);
    return low - doubt >= time->lo - high && low + doubt <= time->hi - high && time->hi <= 1;
}

/* ---- one root ---- */

/* 1: contact there; -1: none; 0: not known. */
static int inside(const abut_impact_query *q, const abut_impact_moving *m, double t, double delta)
{
    const double s = 1 - t;
    double r[3][3], n[3];
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            r[i][k] = s * abut_lanes_start(m->r[i][k]) + t * abut_lanes_end(m->r[i][k]);
    int best = 0;
    for (int k = 0; k < 3; ++k) { /* normal of the face, or of both edges; steers only */
        const int u = k == 2 ? 0 : k + 1, v = k == 0 ? 2 : k - 1;
        n[k] = q->edges
                   ? r[0][u] * (r[2][v] - r[1][v]) - r[0][v] * (r[2][u] - r[1][u])
                   : (r[1][u] - r[0][u]) * (r[2][v] - r[0][v]) - (r[1][v] - r[0][v]) * (r[2][u] - r[0][u]);
        n[k] = fabs(n[k]) * m->size[k];
        best = n[k] > n[best] ? k : best;
    }
    const int u = best == 2 ? 0 : best + 1, v = best == 0 ? 2 : best - 1;
    const double c12 = r[0][u] * r[1][v] - r[0][v] * r[1][u], c13 = r[0][u] * r[2][v] - r[0][v] * r[2][u],
                 c23 = r[1][u] * r[2][v] - r[1][v] * r[2][u];
    /* Each coordinate is off by 4 u M_k and each product rounds: 20 u; they change by at most 8
     * per unit of time. */
    const double error = m->size[u] * m->size[v] * (0x1p-48 + 8.5 * delta + 2.125 * (m->off[u] + m->off[v]));
    return q->edges ? abut_impact_inside_edge_edge(c12, c13, c23, error)
                    : abut_impact_inside_vertex_face(c12, c13, c23, error);
}

/* Is the only root of a piece within `reach` of t? */
static bool is_near(const abut_impact_cubic *p, const piece *where, double bound, double t, double reach)
{
    const double sign = where->b[0] < 0 ? -1 : 1, before = t - reach, after = t + reach;
    /* The ends of a piece inside [0, 1] are rounded themselves. */
    return before > where->from + 0x1p-50 && after < where->to - 0x1p-50 &&
           value_of(p, before) * sign > bound && value_of(p, after) * sign < -bound;
}

/* What there is at the only root of a piece: 1: contact, -1: none, 0: not known; *t, and how far
 * from it the root is at most. Where a coarse enclosure of the root shows that it is no contact,
 * that is all. */
static int examine(const abut_impact_query *q, const abut_impact_moving *m, const abut_impact_cubic *p,
                   const piece *where, double bound, double *t, double *delta)
{
    const double *b = where->b;
    search s = { where->from, where->to, where->from + (where->to - where->from) * (b[0] / (b[0] - b[3])),
                 b[0] < 0 ? -1 : 1, 1 };
    approach(p, &s, 0x1p-50, 2);
    /* After a step h the error is about h^3. */
    double reach = 8 * s.step * s.step * s.step + 0x1p-20;
    int in = 0;
    if (reach < 0.125 && is_near(p, where, bound, s.t, reach)) {
        in = inside(q, m, s.t, reach);
        if (in < 0) {
            *t = s.t;
            *delta = reach;
            return -1;
        }
    }
    for (int round = 0; round < 2; ++round) {
        /* The first time until the next step would be below rounding, then until it is. */
        approach(p, &s, round == 0 ? 0x1p-18 : 0x1p-50, 40);
        *t = s.t;
        reach = 0.5 * bound / fabs(slope_of(p, s.t)) + 0x1p-51;
        for (int i = 0; i < 3; ++i, reach *= 4)
            if (is_near(p, where, bound, s.t, reach)) {
                *delta = reach + 0x1p-52;
                return in > 0 ? in : inside(q, m, s.t, *delta);
            }
    }
    return 0;
}

/* The roots of p from left to right, until one is a contact. Apart from the first steps, which
 * are all that most queries take. */
abut_impact_step abut_impact_search(const abut_impact_query *q, abut_impact_state *state, double t_max,
                                    double accuracy, abut_impact_found *found)
{
    const abut_impact_moving *m = &state->moving;
    abut_impact_cubic *p = &state->cubic;
    const double bound = bound_of(m);
    *found = (abut_impact_found){ .contact = false };
    piece stack[10];
    int top = 1;
    stack[0] = (piece){ { p->c[0], p->c[1] * (1.0 / 3), p->c[2] * (1.0 / 3), p->c[3] }, 0, 1, 0 };
    make_powers(p);
    while (top > 0) {
        const piece here = stack[--top];
        const double *b = here.b;
        if (here.from > t_max)
            break;
        if (!(fabs(b[0]) > bound && fabs(b[3]) > bound))
            return ABUT_IMPACT_OPEN;
        const double s = b[0] < 0 ? -1 : 1;
        const bool crosses = b[3] * s < 0;
        if (!crosses && b[1] * s > bound && b[2] * s > bound)
            continue;
        if (!crosses || !(b[1] * s > bound || b[2] * s < -bound)) {
            /* may have more than one root */
            if (here.depth == 8)
                return ABUT_IMPACT_OPEN;
            piece right;
            split(&here, crosses ? 0.5 : valley(b, s), &stack[top + 1], &right);
            stack[top] = right;
            top += 2;
            continue;
        }
        double t, delta;
        const int in = examine(q, m, p, &here, bound, &t, &delta);
        ++found->times;
        found->signs += 3;
        if (in == 0)
            return ABUT_IMPACT_OPEN;
        if (t - delta > t_max)
            break;
        if (in < 0)
            continue;
        found->contact = true;
        found->time = (abut_interval){ t - delta, t + delta };
        if (2 * delta > accuracy && !refine(q, m, p, t, delta, &found->time))
            return ABUT_IMPACT_OPEN;
        if (found->time.lo > t_max)
            found->contact = false;
        else if (found->time.hi > t_max)
            return ABUT_IMPACT_OPEN;
        break;
    }
    return ABUT_IMPACT_ROOTS;
}

abut_impact_step abut_impact_begin(const abut_impact_query *q, const abut_impact_corners *corners,
                                   abut_impact_state *state)
{
    abut_impact_moving *m = &state->moving;
    if (!prepare(q, corners, m))
        return ABUT_IMPACT_OPEN;
    make_cubic(m, &state->cubic);
    const double bound = bound_of(m), inner = 3 * bound, *c = state->cubic.c;
    if (((c[0] > bound) & (c[1] > inner) & (c[2] > inner) & (c[3] > bound)) |
        ((c[0] < -bound) & (c[1] < -inner) & (c[2] < -inner) & (c[3] < -bound)))
        return ABUT_IMPACT_COPLANARITY;
    if (is_parted(q, m))
        return ABUT_IMPACT_BOXES;
    /* Also turns away what is not a number. */
    return fabs(c[0]) > bound && fabs(c[3]) > bound ? ABUT_IMPACT_ROOTS : ABUT_IMPACT_OPEN;
}

int abut_impact_side_filter(const abut_impact_query *q, const abut_impact_corners *corners, double t)
{
    abut_impact_moving m;
    abut_impact_cubic p;
    if (!prepare(q, corners, &m))
        return ABUT_IMPACT_UNKNOWN;
    make_cubic(&m, &p);
    const double value = value_of(&p, t), bound = bound_of(&m);
    return value > bound ? 1 : value < -bound ? -1 : ABUT_IMPACT_UNKNOWN;
}
