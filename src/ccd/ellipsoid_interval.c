/* SPDX-License-Identifier: MIT */
/* Two ellipsoids on any paths, by enclosures of F(u, t) and its derivative by t (see ellipsoid_form.h).
 *
 * Time is split from left to right. Over a cell of time, F is a polynomial of degree 4 in u with interval coefficients. The bodies are apart over the cell
 * when F > 0 at one u, and overlap when F < 0 at all u. Otherwise let U hold all u at which F is not proved negative: where dF/dt keeps its sign on U, the
 * greatest value of F rises or falls over the whole cell, which has one change at most, and the signs at the ends tell the rest. A cell in which the greatest
 * value of F differs from zero by no more than the rounding errors of one evaluation is unknown: splitting it would not help. */
#include "ccd/ellipsoid_scan.h"

enum { BURST = 16, CELLS = 6 * BURST, DEPTH = 80 };

typedef struct state {
    abut_moving *m;
    const abut_ellipsoids *e;
    double lo, hi, at;
    int first, last; /* signs at lo and hi from the static method */
    double ends[DEPTH];
    int depth;
    int count;
    struct {
        abut_cell cell;
        double lo, hi;
    } cells[CELLS];
} state;

/* What is known at one instant: the sign of the greatest value of F, and doubles that steer. */
typedef struct sample {
    int sign;
    double peak, value, slope, noise;
} sample;

static void add(state *s, abut_cell cell, double lo, double hi)
{
    s->cells[s->count].cell = cell;
    s->cells[s->count].lo = lo;
    s->cells[s->count++].hi = hi;
}

static void look(const state *s, double t, bool with_slope, sample *out)
{
    abut_ellipsoid_jet a, b, va, vb;
    abut_quartic f, slope;
    const ia time = ia_point(t);
    abut_ellipsoid_over(s->e, 0, time, &a, with_slope ? &va : NULL);
    abut_ellipsoid_over(s->e, 1, time, &b, with_slope ? &vb : NULL);
    abut_ellipsoids_form(s->e, &a, &b, &f);
    ++s->m->counters->evaluations;
    out->peak = abut_quartic_peak(&f);
    const ia value = abut_quartic_at(&f, ia_point(out->peak));
    out->value = ia_mid(value);
    out->noise = ia_width(value);
    out->sign = abut_quartic_sign(&f, out->peak);
    if (with_slope) {
        abut_ellipsoids_form_slope(s->e, &a, &b, &va, &vb, &slope);
        out->slope = ia_mid(abut_quartic_at(&slope, ia_point(out->peak)));
    }
}

/* 1, -1, or ABUT_SIGN_UNKNOWN; 0 only where the static method proves that they touch. */
static int sign_at(const state *s, double t)
{
    if (t == s->lo && s->first != ABUT_SIGN_UNKNOWN)
        return s->first;
    if (t == s->hi && s->last != ABUT_SIGN_UNKNOWN)
        return s->last;
    sample at;
    look(s, t, false, &at);
    return at.sign != 0 ? at.sign : ABUT_SIGN_UNKNOWN;
}

static double ulp(double t)
{
    return ia_up(fabs(t)) - fabs(t);
}

/* Over a cell in which the greatest value of F rises (rising = 1) or falls throughout: up to `left` its sign is proved to be -rising, from `right` on to be
 * rising; either may be missing. */
typedef struct spot {
    int rising;
    bool has_left, has_right;
    double left, right;
} spot;

static void learn(spot *c, double t, int sign)
{
    if (sign == -c->rising && !(c->has_left && c->left >= t)) {
        c->has_left = true;
        c->left = t;
    } else if (sign == c->rising && !(c->has_right && c->right <= t)) {
        c->has_right = true;
        c->right = t;
    }
}

/* Brings left and right together. Newton's method steers; each new end is proved. */
static void narrow(const state *s, double lo, double hi, double t, spot *c)
{
    double reach = 0;
    for (int i = 0; i < 60; ++i) {
        const double from = c->has_left ? c->left : lo, to = c->has_right ? c->right : hi;
        if (!(to - from > 4 * ulp(t)) || to - from <= s->m->accuracy)
            return;
        sample at;
        look(s, t, true, &at);
        learn(c, t, at.sign);
        const double step = at.value / at.slope;
        reach = fabs(at.noise / at.slope) + 2 * ulp(t);
        const double next = t - step;
        const bool settled = at.sign == 0 || fabs(step) <= reach;
        t = next > from && next < to ? next : settled ? fmin(fmax(next, lo), hi) : 0.5 * from + 0.5 * to;
        if (settled)
            break;
    }
    if (!(reach > 0))
        reach = 2 * ulp(t);
    for (int side = 0; side < 2; ++side) {
        double away = reach;
        for (int i = 0; i < 48; ++i, away *= 2) {
            const double from = c->has_left ? c->left : lo, to = c->has_right ? c->right : hi;
            const double probe = side ? t + away : t - away;
            sample at;
            if (!(probe > from && probe < to))
                break;
            look(s, probe, false, &at);
            learn(c, probe, at.sign);
            if (at.sign != 0)
                break;
        }
    }
}

static void settle_monotone(state *s, double lo, double hi, int rising, double guess)
{
    spot c = { .rising = rising };
    const abut_cell before = rising > 0 ? ABUT_CELL_DEEP : ABUT_CELL_APART;
    const abut_cell after = rising > 0 ? ABUT_CELL_APART : ABUT_CELL_DEEP;
    const int first = sign_at(s, lo), last = sign_at(s, hi);
    if (first == 0) {
        add(s, ABUT_CELL_TOUCH, lo, lo);
        add(s, after, lo, hi);
        return;
    }
    if (last == 0) {
        add(s, before, lo, hi);
        add(s, ABUT_CELL_TOUCH, hi, hi);
        return;
    }
    learn(&c, lo, first == ABUT_SIGN_UNKNOWN ? 0 : first);
    learn(&c, hi, last == ABUT_SIGN_UNKNOWN ? 0 : last);
    if (!(c.has_left && c.left == hi) && !(c.has_right && c.right == lo))
        narrow(s, lo, hi, guess, &c);
    if (c.has_left)
        add(s, before, lo, c.left);
    const double from = c.has_left ? c.left : lo, to = c.has_right ? c.right : hi;
    if (c.has_left && c.has_right)
        add(s, ABUT_CELL_CROSS, from, to);
    else if (from < to) {
        add(s, ABUT_CELL_UNKNOWN, from, to);
        if (s->m->stop == ABUT_STOP_DONE)
            s->m->stop = ABUT_STOP_TOLERANCE;
    }
    if (c.has_right)
        add(s, after, to, hi);
}

/* One cell; false: split it. */
static bool settle(state *s, double lo, double hi)
{
    abut_ellipsoid_jet a, b, va, vb;
    abut_quartic_terms f = { .count = 1 };
    const double mid = 0.5 * lo + 0.5 * hi;
    const ia t = ia_make(lo, hi);
    ia cap;
    f.off[0] = ia_sub(t, ia_point(mid));
    abut_ellipsoid_over(s->e, 0, ia_point(mid), &a, NULL);
    abut_ellipsoid_over(s->e, 1, ia_point(mid), &b, NULL);
    abut_ellipsoids_form(s->e, &a, &b, &f.centre);
    abut_ellipsoid_over(s->e, 0, t, &a, &va);
    abut_ellipsoid_over(s->e, 1, t, &b, &vb);
    abut_ellipsoids_form_slope(s->e, &a, &b, &va, &vb, &f.slope[0]);
    s->m->counters->evaluations += 2;
    const int sign = abut_quartic_settle(&f, &cap);
    if (sign != 0) {
        add(s, sign > 0 ? ABUT_CELL_APART : ABUT_CELL_DEEP, lo, hi);
        return true;
    }
    const ia drift = abut_quartic_over(&f.slope[0], cap);
    if (ia_sign(drift) != 0) {
        settle_monotone(s, lo, hi, ia_sign(drift), mid);
        return true;
    }
    const ia at_peak = abut_quartic_at(&f.centre, ia_point(abut_quartic_peak(&f.centre)));
    const bool lost = ia_contains_zero(at_peak) && ia_mag(ia_mul(drift, f.off[0])) <= ia_width(at_peak);
    if (hi - lo > fmax(4 * ulp(mid), s->m->accuracy) && !lost)
        return false;
    add(s, ABUT_CELL_UNKNOWN, lo, hi);
    if (s->m->stop == ABUT_STOP_DONE)
        s->m->stop = ABUT_STOP_TOLERANCE;
    return true;
}

static ABUT_NOINLINE void walk(state *s)
{
    abut_moving *m = s->m;
    for (int i = 0; i < BURST && s->depth > 0; ++i) {
        const double end = s->ends[s->depth - 1], mid = 0.5 * s->at + 0.5 * end;
        if (m->counters->iterations++ >= m->max_iterations) {
            m->stop = ABUT_STOP_BUDGET;
            add(s, ABUT_CELL_UNKNOWN, s->at, s->hi);
            s->depth = 0;
            return;
        }
        if (settle(s, s->at, end)) {
            s->at = end;
            --s->depth;
        } else if (s->depth < DEPTH && mid > s->at && mid < end)
            s->ends[s->depth++] = mid;
        else {
            add(s, ABUT_CELL_UNKNOWN, s->at, end);
            s->at = end;
            --s->depth;
        }
    }
}

static bool hand_on(const state *s, abut_runs *runs)
{
    for (int i = 0; i < s->count; ++i)
        if (!abut_runs_add(runs, s->cells[i].cell, s->cells[i].lo, s->cells[i].hi, false))
            return false;
    return true;
}

static ABUT_NOINLINE void change_kernel(state *s, int rising, double guess)
{
    settle_monotone(s, s->lo, s->hi, rising, guess);
}

bool abut_ellipsoids_settle_change(abut_moving *m, const abut_ellipsoids *e, const abut_change *change,
                                   double guess, abut_runs *runs)
{
    state s;
    s.m = m;
    s.e = e;
    s.lo = change->lo;
    s.hi = change->hi;
    s.first = change->first != 0    ? change->first
              : s.lo == m->range.lo ? abut_moving_sign_at(m, s.lo)
                                    : ABUT_SIGN_UNKNOWN;
    s.last = change->last != 0     ? change->last
             : s.hi == m->range.hi ? abut_moving_sign_at(m, s.hi)
                                   : ABUT_SIGN_UNKNOWN;
    s.count = 0;
    const abut_rounding saved = abut_rounding_enter();
    change_kernel(&s, change->rising, guess);
    abut_rounding_leave(saved);
    return hand_on(&s, runs);
}

bool abut_ellipsoids_solve_interval(abut_moving *m, const abut_ellipsoids *e, double lo, double hi,
                                    abut_runs *runs)
{
    state s;
    s.m = m;
    s.e = e;
    s.lo = s.at = lo;
    s.hi = hi;
    s.first = abut_moving_sign_at(m, lo);
    s.last = abut_moving_sign_at(m, hi);
    s.ends[0] = hi;
    s.depth = 1;
    m->inexact = true;
    while (s.depth > 0) {
        s.count = 0;
        const abut_rounding saved = abut_rounding_enter();
        walk(&s);
        abut_rounding_leave(saved);
        if (!hand_on(&s, runs))
            return false;
        if (m->first_only && s.count > 0 && s.cells[s.count - 1].cell == ABUT_CELL_DEEP && runs->open &&
            runs->run.certain) {
            abut_runs_cut(runs, s.cells[s.count - 1].hi);
            return false;
        }
        if (m->progress &&
            !m->progress(m->progress_ctx, (s.at - m->range.lo) / (m->range.hi - m->range.lo))) {
            m->cancelled = true;
            return false;
        }
    }
    return true;
}
