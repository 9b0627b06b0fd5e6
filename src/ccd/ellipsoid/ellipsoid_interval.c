/* SPDX-License-Identifier: MIT */
/* Two ellipsoids on any paths, by enclosures of F(u, t) and its derivative by t (see
 * ellipsoid_form.h).
 *
 * Time is split from left to right. Over a cell of time, F is a polynomial of degree 4 in u with
 * interval coefficients. The bodies are apart over the cell when F > 0 at one u, and overlap
 * when F < 0 at all u. Otherwise let U hold all u at which F is not proved negative: where dF/dt
 * keeps its sign on U, the greatest value of F rises or falls over the whole cell, which has one
 * change at most, and the signs at the ends tell the rest. A cell in which the greatest value of
 * F differs from zero by no more than the rounding errors of one evaluation is unknown:
 * splitting it would not help. */
#include "ccd/ellipsoid/ellipsoid_scan.h"
#include "ccd/proof/cells.h"

enum { CELLS = ABUT_CELLS_BURST + 1, CELL_CHANGE = -1 };

typedef struct state {
    abut_moving *m;
    const abut_ellipsoids *e;
    abut_runs *runs;
    int count;
    struct {
        int cell; /* abut_run_cell, or CELL_CHANGE */
        double lo, hi;
        abut_change change;
    } cells[CELLS];
} state;

/* What is known at one instant: the sign of the greatest value of F, and doubles that steer. */
typedef struct sample {
    int sign;
    double peak, value, slope, noise;
} sample;

static void add(state *s, int cell, double lo, double hi)
{
    s->cells[s->count].cell = cell;
    s->cells[s->count].lo = lo;
    s->cells[s->count++].hi = hi;
}

static void evaluate(const state *s, double t, bool with_slope, sample *out)
{
    abut_ellipsoid_jet a, b, va, vb;
    abut_quartic f, slope;
    const ia time = ia_point(t);
    abut_ellipsoid_over(s->e, 0, time, &a, with_slope ? &va : NULL);
    abut_ellipsoid_over(s->e, 1, time, &b, with_slope ? &vb : NULL);
    abut_ellipsoids_form(s->e, &a, &b, &f);
    ++s->m->counters->evaluations;
    const int shift = abut_quartic_centre(&f);
    abut_quartic_shift(&f, shift);
    out->peak = abut_quartic_peak(&f);
    const ia value = abut_quartic_at(&f, ia_point(out->peak));
    out->value = ia_mid(value);
    out->noise = ia_width(value);
    out->sign = abut_quartic_sign(&f, out->peak);
    if (with_slope) {
        abut_ellipsoids_form_slope(s->e, &a, &b, &va, &vb, &slope);
        abut_quartic_shift(&slope, shift);
        out->slope = ia_mid(abut_quartic_at(&slope, ia_point(out->peak)));
    }
}

static double ulp(double t)
{
    return ia_up(fabs(t)) - fabs(t);
}

/* How far the change is open, and where to. */
static ia open_part(const abut_change *c)
{
    return ia_make(c->has_left ? c->left : c->lo, c->has_right ? c->right : c->hi);
}

/* Proves signs on both sides of t, which is near the change, from `reach` away on. */
static void examine_beside(const state *s, abut_change *c, double t, double reach)
{
    for (int side = 0; side < 2; ++side) {
        double away = reach;
        for (int i = 0; i < 48; ++i, away *= 2) {
            const ia open = open_part(c);
            const double probe = side ? t + away : t - away;
            sample at;
            if (!(probe > ia_lo(open) && probe < ia_hi(open)))
                break;
            evaluate(s, probe, false, &at);
            abut_change_learn(c, probe, at.sign);
            if (at.sign != 0)
                break;
        }
    }
}

/* Brings left and right together. Newton's method steers; each new end is proved. */
static void narrow(const state *s, abut_change *c, double t)
{
    const double lo = c->lo, hi = c->hi;
    double reach = 0;
    for (int i = 0; i < 60; ++i) {
        const ia open = open_part(c);
        if (!(ia_width(open) > 4 * ulp(t)) || ia_width(open) <= s->m->accuracy)
            return;
        sample at;
        evaluate(s, t, true, &at);
        abut_change_learn(c, t, at.sign);
        const double step = at.value / at.slope;
        reach = fabs(at.noise / at.slope) + 2 * ulp(t);
        const double next = t - step;
        /* Deep inside each other F is greatest at an end of u, and may have no slope there. */
        const bool decided = at.sign == 0 || (isfinite(reach) && fabs(step) <= reach);
        t = next > ia_lo(open) && next < ia_hi(open) ? next
            : decided                                ? fmin(fmax(next, lo), hi)
                                                     : ia_mid(open);
        if (decided)
            break;
    }
    examine_beside(s, c, t, reach > 0 && isfinite(reach) ? reach : 2 * ulp(t));
}

/* Signs at the ends, as far as they are not known; then in between. */
static ABUT_NOINLINE void decide_change(const state *s, abut_change *c, double guess, double reach)
{
    sample at;
    if (c->touch)
        return;
    if (!c->has_left) {
        evaluate(s, c->lo, false, &at);
        abut_change_learn(c, c->lo, at.sign);
    }
    if (!c->has_right) {
        evaluate(s, c->hi, false, &at);
        abut_change_learn(c, c->hi, at.sign);
    }
    if ((c->has_left && c->left == c->hi) || (c->has_right && c->right == c->lo))
        return;
    if (reach > 0)
        examine_beside(s, c, guess, reach);
    if (!(reach > 0 && abut_change_width(c) <= 4 * reach))
        narrow(s, c, guess);
}

/* One cell; false: split it. */
static bool decide(void *ctx, double lo, double hi)
{
    state *s = ctx;
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
    int sign = abut_quartic_decide(&f, &cap);
    /* What matters may be crowded against an end of u. */
    for (int i = 0; i < 3 && sign == 0 && (ia_hi(cap) < 0.125 || ia_lo(cap) > 0.875); ++i) {
        const double middle = ia_mid(cap), ratio = middle / (1 - middle);
        const int shift = (int)fmin(fmax(floor(log2(ratio)), -40), 40);
        abut_quartic_shift(&f.centre, shift);
        abut_quartic_shift(&f.slope[0], shift);
        sign = abut_quartic_decide(&f, &cap);
    }
    if (sign != 0) {
        add(s, sign > 0 ? ABUT_CELL_APART : ABUT_CELL_DEEP, lo, hi);
        return true;
    }
    const ia drift = abut_quartic_over(&f.slope[0], cap);
    if (ia_sign(drift) != 0) {
        s->cells[s->count].change = (abut_change){ .rising = ia_sign(drift), .lo = lo, .hi = hi };
        add(s, CELL_CHANGE, lo, hi);
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

static void give_up(void *ctx, double lo, double hi)
{
    add(ctx, ABUT_CELL_UNKNOWN, lo, hi);
}

void abut_ellipsoids_learn_ends(const abut_moving *m, abut_change *c)
{
    const int first =
        c->lo == m->range.lo && !c->has_left ? abut_ellipsoids_exact_sign(m, c->lo) : ABUT_SIGN_UNKNOWN;
    const int last =
        c->hi == m->range.hi && !c->has_right ? abut_ellipsoids_exact_sign(m, c->hi) : ABUT_SIGN_UNKNOWN;
    if (first == 0 || last == 0)
        c->touch = first == 0 ? -1 : 1;
    if (first != ABUT_SIGN_UNKNOWN && first != 0)
        abut_change_learn(c, c->lo, first);
    if (last != ABUT_SIGN_UNKNOWN && last != 0)
        abut_change_learn(c, c->hi, last);
}

void abut_ellipsoids_narrow(abut_moving *m, const abut_ellipsoids *e, abut_change *change, double guess,
                            double reach)
{
    const state s = { .m = m, .e = e };
    const abut_rounding saved = abut_rounding_enter();
    decide_change(&s, change, guess, reach);
    abut_rounding_leave(saved);
}

/* The number with the fewest digits in [lo, hi]. */
static double roundest(double lo, double hi)
{
    double step = ldexp(1, ilogb(fmax(fabs(lo), fabs(hi))) + 1), t = lo;
    for (int i = 0; i < 60; ++i, step *= 0.5) {
        t = ceil(lo / step) * step;
        if (t <= hi)
            return t;
    }
    return lo;
}

/* A touch at one instant cannot be distinguished from a miss by intervals, but by exact arithmetic if it
 * comes at a time that a double states. */
static bool hand_on_unknown(const abut_moving *m, double lo, double hi, abut_runs *runs)
{
    const double t = roundest(lo, hi);
    const int sign = abut_ellipsoids_exact_sign(m, t);
    if (sign != 0 && sign != -1)
        return abut_runs_add(runs, ABUT_CELL_UNKNOWN, lo, hi, false);
    ++m->counters->exact;
    return (lo == t || abut_runs_add(runs, ABUT_CELL_UNKNOWN, lo, t, false)) &&
           abut_runs_add(runs, sign == 0 ? ABUT_CELL_TOUCH : ABUT_CELL_DEEP, t, t, true) &&
           (hi == t || abut_runs_add(runs, ABUT_CELL_UNKNOWN, t, hi, false));
}

static bool hand_on(void *ctx)
{
    state *s = ctx;
    abut_moving *m = s->m;
    abut_runs *runs = s->runs;
    const int count = s->count;
    s->count = 0;
    for (int i = 0; i < count; ++i) {
        abut_change *c = &s->cells[i].change;
        bool deep = s->cells[i].cell == ABUT_CELL_DEEP;
        if (s->cells[i].cell == CELL_CHANGE) {
            abut_ellipsoids_learn_ends(m, c);
            abut_ellipsoids_narrow(m, s->e, c, 0.5 * c->lo + 0.5 * c->hi, 0);
            if (!abut_ellipsoids_hand_on(m, c, runs))
                return false;
            deep = c->rising < 0;
        } else if (s->cells[i].cell == ABUT_CELL_UNKNOWN) {
            if (!hand_on_unknown(m, s->cells[i].lo, s->cells[i].hi, runs))
                return false;
        } else if (!abut_runs_add(runs, (abut_run_cell)s->cells[i].cell, s->cells[i].lo, s->cells[i].hi,
                                  false))
            return false;
        if (m->first_only && deep && runs->open && runs->run.certain) {
            abut_runs_cut(runs, s->cells[i].hi);
            return false;
        }
    }
    return true;
}

bool abut_ellipsoids_solve_interval(abut_moving *m, const abut_ellipsoids *e, double lo, double hi,
                                    abut_runs *runs)
{
    state s;
    s.m = m;
    s.e = e;
    s.runs = runs;
    s.count = 0;
    const abut_cells cells = { m, &s, decide, give_up, hand_on };
    return abut_cells_walk(&cells, lo, hi);
}
