/* SPDX-License-Identifier: MIT */
/* The floating-point filter of vertex-face and edge-edge queries: what doubles with error bounds can decide.
 *
 * The cubic p = det(r1, r2, r3) in Bernstein form: coefficients of one sign mean no contact (M. Tang, D. Manocha, R. Tong, Fast continuous collision detection using deforming
 * non-penetration filters, I3D 2010). Otherwise its roots are isolated by subdivision, from left to right; each is found by Newton's method and enclosed by two signs, and the side tests
 * are taken there. Whatever is not clear, roots next to 0 or 1 or to each other included, is left open.
 *
 * Error bounds. u = 2^-53; M_k is the largest size of a coordinate k of r1, r2, r3 at both ends, which holds at all times; M = M_x M_y M_z. Each term of p has one factor from each axis. The
 * end coefficients have 6 terms of 8 roundings, below 50 u M; the inner ones 18 terms of 12, below 220 u M, and a third of that as Bernstein coefficients, which are at most 6 M. A
 * subdivision rounds 3 times at most 3 times, 54 u M; there are at most 8. So BOUND = 1024 u M is above all errors, and above that of the homogeneous form at a given time: 74 u M from
 * the coefficients and 72 u M from evaluation. All M_k are between 2^-300 and 2^300, so nothing over- or underflows that matters, not
 * even where subnormal numbers are flushed to zero: that is off by 2^-1022 of one factor, and the bounds are above 2^-950. */
#include "ccd/mesh/impact.h"

#include "math/expansion.h"

#include <math.h>
#include <string.h>

#define BOUND 0x1p-43

typedef struct moving {
    abut_lanes r[3][3]; /* r1, r2, r3 at the start and at the end, rounded */
    double size[3];     /* M_x, M_y, M_z */
    double product;     /* M */
} moving;

typedef struct cubic {
    double c[4]; /* homogeneous */
    double p[4]; /* powers of t: these only steer, but for the slope */
} cubic;

typedef struct piece {
    double b[4]; /* Bernstein coefficients */
    double from, to;
    int depth;
} piece;

static bool prepare(const abut_impact_corners *c, moving *m)
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
    return least >= 0x1p-300 && most <= 0x1p300;
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

static inline void make_cubic(const moving *m, cubic *p)
{
    const abut_lanes *r1 = m->r[0], *r2 = m->r[1], *r3 = m->r[2];
    /* r2 x r3, homogeneous: first and last coefficient in `ends`, the middle one in both lanes of `middle`. */
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

static void make_powers(cubic *p)
{
    const double *c = p->c;
    p->p[0] = c[0];
    p->p[1] = c[1] - 3 * c[0];
    p->p[2] = c[2] - 2 * c[1] + 3 * c[0];
    p->p[3] = (c[3] - c[2]) + (c[1] - c[0]);
}

static double value_of(const cubic *p, double t)
{
    const double s = 1 - t, *c = p->c;
    return s * s * (s * c[0] + t * c[1]) + t * t * (s * c[2] + t * c[3]);
}

static double slope_of(const cubic *p, double t)
{
    return p->p[1] + t * (2 * p->p[2] + 3 * t * p->p[3]);
}

/* Where s p is least in a piece with ends of sign s, as a fraction of it; the middle where that is not clear. */
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

/* A root between lo and hi, where p has the signs `sign` and -sign: Newton's method from t, halving where it leaves the bracket. */
typedef struct search {
    double lo, hi, t, sign;
    double step; /* the last one */
} search;

static void approach(const cubic *p, search *s, int steps)
{
    const double *c = p->p;
    for (int i = 0; i < steps; ++i) {
        const double t = s->t, f = c[0] + t * (c[1] + t * (c[2] + t * c[3])), slope = slope_of(p, t);
        if (f * s->sign > 0)
            s->lo = t;
        else
            s->hi = t;
        double next = t - f / slope;
        if (!(next > s->lo && next < s->hi)) {
            if (next == t || f == 0)
                return;
            next = 0.5 * (s->lo + s->hi);
        }
        s->t = next;
        s->step = fabs(next - t);
        if (s->step <= 0x1p-50)
            return;
    }
}

/* ---- the time to a few ulp ---- */

typedef struct pair2 {
    double h, l;
} pair2;

static inline pair2 pair_sum(pair2 x, pair2 y)
{
    double e;
    const double s = abut_two_sum(x.h, y.h, &e);
    e += x.l + y.l;
    const double h = s + e;
    return (pair2){ h, e - (h - s) };
}

static inline pair2 pair_product(pair2 x, pair2 y)
{
    double e;
    const double p = abut_two_product(x.h, y.h, &e);
    e += x.h * y.l + x.l * y.h;
    const double h = p + e;
    return (pair2){ h, e - (h - p) };
}

static inline pair2 pair_minor(pair2 a, pair2 b, pair2 c, pair2 d)
{
    const pair2 bc = pair_product(b, c);
    return pair_sum(pair_product(a, d), (pair2){ -bc.h, -bc.l });
}

/* p at t, with an error below 2^-94 M: some 30 operations with errors of 2^-102 of numbers up to 5 M each, in 6 terms. */
static double residual(const abut_impact_query *q, double t)
{
    const double *s = &q->start[0].x, *e = &q->end[0].x;
    pair2 r[3][3], time = { t, 0 };
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            pair2 a, b, d;
            a.h = abut_two_sum(s[3 * i + 3 + k], -s[k], &a.l);
            b.h = abut_two_sum(e[3 * i + 3 + k], -e[k], &b.l);
            d = pair_sum(b, (pair2){ -a.h, -a.l });
            r[i][k] = pair_sum(a, pair_product(d, time));
        }
    const pair2 x = pair_product(r[0][0], pair_minor(r[1][1], r[1][2], r[2][1], r[2][2])),
                y = pair_product(r[0][1], pair_minor(r[1][2], r[1][0], r[2][2], r[2][0])),
                z = pair_product(r[0][2], pair_minor(r[1][0], r[1][1], r[2][0], r[2][1]));
    const pair2 sum = pair_sum(pair_sum(x, y), z);
    return sum.h;
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

/* The root is within `delta` of t; narrows it to neighbours of a double by one step of Newton's method with an enclosure of the slope. */
static bool refine(const abut_impact_query *q, const moving *m, const cubic *p, double t, double delta,
                   abut_interval *time)
{
    /* The slope is off by less than 2^-39 M, and its derivative is at most 432 M. */
    const double slope = slope_of(p, t), vary = m->product * (0x1p-39 + 432 * delta);
    if (!(fabs(slope) > 64 * vary))
        return false;
    const double step = -residual(q, t) / slope;
    /* Relative error of the step: the slope's, and three roundings; then the residual's own error. */
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
static int inside(const abut_impact_query *q, const moving *m, double t, double delta)
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
    /* Each coordinate is off by 4 u M_k and each product rounds: 20 u; they change by at most 8 per unit of time. */
    const double error = m->size[u] * m->size[v] * (0x1p-48 + 8.5 * delta);
    return q->edges ? abut_impact_inside_edge_edge(c12, c13, c23, error)
                    : abut_impact_inside_vertex_face(c12, c13, c23, error);
}

/* Is the only root of a piece within `reach` of t? */
static bool is_near(const cubic *p, const piece *where, double bound, double t, double reach)
{
    const double sign = where->b[0] < 0 ? -1 : 1, before = t - reach, after = t + reach;
    /* The ends of a piece inside [0, 1] are rounded themselves. */
    return before > where->from + 0x1p-50 && after < where->to - 0x1p-50 &&
           value_of(p, before) * sign > bound && value_of(p, after) * sign < -bound;
}

/* What there is at the only root of a piece: 1: contact, -1: none, 0: not known; *t, and how far from it the root is at most. Where a coarse enclosure of the root shows that it is
 * no contact, that is all. */
static int look(const abut_impact_query *q, const moving *m, const cubic *p, const piece *where, double bound,
                double *t, double *delta)
{
    const double *b = where->b;
    search s = { where->from, where->to, where->from + (where->to - where->from) * (b[0] / (b[0] - b[3])),
                 b[0] < 0 ? -1 : 1, 1 };
    approach(p, &s, 2);
    /* After a step h the error is about h^2. */
    double reach = 4 * s.step * s.step + 0x1p-20;
    if (reach < 0.125 && is_near(p, where, bound, s.t, reach) && inside(q, m, s.t, reach) < 0) {
        *t = s.t;
        *delta = reach;
        return -1;
    }
    approach(p, &s, 40);
    *t = s.t;
    reach = 0.5 * bound / fabs(slope_of(p, s.t)) + 0x1p-51;
    for (int i = 0; i < 3; ++i, reach *= 4)
        if (is_near(p, where, bound, s.t, reach)) {
            *delta = reach + 0x1p-52;
            return inside(q, m, s.t, *delta);
        }
    return 0;
}

abut_impact_step abut_impact_filter(const abut_impact_query *q, const abut_impact_corners *corners,
                                    double t_max, double accuracy, abut_impact_found *found)
{
    moving m;
    cubic p;
    *found = (abut_impact_found){ .contact = false };
    if (!prepare(corners, &m))
        return ABUT_IMPACT_OPEN;
    make_cubic(&m, &p);
    const double bound = BOUND * m.product;
    piece stack[10];
    int top = 1;
    stack[0] = (piece){ { p.c[0], p.c[1] * (1.0 / 3), p.c[2] * (1.0 / 3), p.c[3] }, 0, 1, 0 };
    {
        const double *b = stack[0].b;
        if ((b[0] > bound && b[1] > bound && b[2] > bound && b[3] > bound) ||
            (b[0] < -bound && b[1] < -bound && b[2] < -bound && b[3] < -bound))
            return ABUT_IMPACT_COPLANARITY;
        /* Also turns away what is not a number. */
        if (!(fabs(b[0]) > bound && fabs(b[3]) > bound))
            return ABUT_IMPACT_OPEN;
    }
    make_powers(&p);
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
        if (!crosses || !(b[1] * s > bound || b[2] * s < -bound)) { /* may have more than one root */
            if (here.depth == 8)
                return ABUT_IMPACT_OPEN;
            piece right;
            split(&here, crosses ? 0.5 : valley(b, s), &stack[top + 1], &right);
            stack[top] = right;
            top += 2;
            continue;
        }
        double t, delta;
        const int in = look(q, &m, &p, &here, bound, &t, &delta);
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
        if (2 * delta > accuracy && !refine(q, &m, &p, t, delta, &found->time))
            return ABUT_IMPACT_OPEN;
        if (found->time.lo > t_max)
            found->contact = false;
        else if (found->time.hi > t_max)
            return ABUT_IMPACT_OPEN;
        break;
    }
    return ABUT_IMPACT_ROOTS;
}
