/* SPDX-License-Identifier: MIT */
/* Two ellipsoids whose F(u, t) is a polynomial (ellipsoid_poly.h): all stretches of contact by
 * subdivision.
 *
 * A patch is F over all u (or all that matter) and a stretch of time, in Bernstein form: its
 * coefficients bound it. Apart: F > 0 along one u, chosen where F is greatest in the middle. Deep:
 * the greatest coefficients over time bound F by a polynomial of u alone, which is negative. One
 * change: dF/dt keeps its sign on the part U of u outside which that bound is negative, so that the
 * directions of the gradient there lie in a half-plane and no loop of F = 0 fits in. Otherwise the
 * patch is halved. What is smaller than the error of the coefficients is examined again with twice
 * the digits, and then by intervals.
 *
 * Surprise: times are handed on as doubles t, while the patch knows fractions s = (t - lo) / (hi
 * - lo), which are rounded; what F changes by over that rounding is counted as an error of the
 * patch. */
#include "ccd/ellipsoid/ellipsoid_patch.h"

enum { DEPTH = 26, ZOOMS = 2 };

/* ---- doubles of degree 4 ---- */

/* What a few cuts of a quartic in doubles may be off by, of its largest coefficient: 60
 * roundings. */
static const double cut_error = 0x1p-46;

static double size_of(const double c[5])
{
    double size = 0;
    for (int j = 0; j < 5; ++j)
        size = fmax(size, fabs(c[j]));
    return size;
}

static void cut4(const double c[5], double u, double left[5], double right[5])
{
    double x[5] = { c[0], c[1], c[2], c[3], c[4] };
    const double v = 1 - u;
    for (int level = 4; level >= 0; --level) {
        left[4 - level] = x[0];
        right[level] = x[level];
        for (int i = 0; i < level; ++i)
            x[i] = v * x[i] + u * x[i + 1];
    }
}

static bool is_below(const double c[5])
{
    return c[0] < 0 && c[1] < 0 && c[2] < 0 && c[3] < 0 && c[4] < 0;
}

/* See ellipsoid_quartic.c: concave, and below zero by the tangent at the end where it is
 * greatest. */
static bool is_below_part(const double c[5], int peak_end, int depth)
{
    if (is_below(c))
        return true;
    if (!(c[0] < 0 && c[4] < 0))
        return false;
    if (c[0] + c[2] <= 2 * c[1] && c[1] + c[3] <= 2 * c[2] && c[2] + c[4] <= 2 * c[3]) {
        const double rise = peak_end ? c[3] - c[4] : c[1] - c[0];
        if (c[peak_end ? 4 : 0] + 4 * fmax(rise, 0) < 0)
            return true;
    }
    double left[5], right[5];
    if (depth == 0)
        return false;
    cut4(c, 0.5, left, right);
    return is_below_part(left, peak_end, depth - 1) && is_below_part(right, peak_end, depth - 1);
}

/* Negative on all of it, for h an upper bound with room for rounding. */
static bool is_negative(const double h[5], double peak)
{
    double left[5], right[5];
    if (is_below(h))
        return true;
    cut4(h, peak, left, right);
    return is_below_part(left, 1, 4) && is_below_part(right, 0, 4);
}

static void part4(const double c[5], double from, double to, double out[5])
{
    double ignored[5], x[5];
    cut4(c, to, x, ignored);
    cut4(x, to > 0 ? from / to : 0, ignored, out);
}

/* The part of [0, 1] around the peak outside which h is negative. */
static void find_cap(const double h[5], double peak, double *from, double *to)
{
    double p[5];
    *from = 0;
    *to = 1;
    for (int i = 0; i < 12; ++i) {
        const double mid = 0.5 * (*from + peak);
        part4(h, *from, mid, p);
        if (!(mid > *from) || !is_below_part(p, 1, 1))
            break;
        *from = mid;
    }
    for (int i = 0; i < 12; ++i) {
        const double mid = 0.5 * (*to + peak);
        part4(h, mid, *to, p);
        if (!(mid < *to) || !is_below_part(p, 0, 1))
            break;
        *to = mid;
    }
}

/* ---- patches ---- */

/* Only the part of u in which F may not be negative is examined from here on. Two cuts of four
 * means each, the second at a place that is rounded. */
static void restrict_u(abut_form_patch *p, const double cap[2])
{
    const double width = p->u1 - p->u0, from = p->u0 + cap[0] * width - 0x1p-50,
                 to = p->u0 + cap[1] * width + 0x1p-50;
    double size = 0;
    if (cap[1] - cap[0] > 0.7)
        return;
    for (int i = 0; i <= p->degree; ++i) {
        double part[5];
        size = fmax(size, size_of(p->c[i]));
        part4(p->c[i], cap[0], cap[1], part);
        memcpy(p->c[i], part, sizeof part);
    }
    p->error += 40 * 0x1p-53 * size;
    p->u0 = fmax(p->u0, from);
    p->u1 = fmin(p->u1, to);
}

/* p becomes its right half. Each of degree + 1 levels of means is off by an ulp of the largest
 * coefficient at most. */
static void halve(abut_form_patch *p, abut_form_patch *left)
{
    const int n = p->degree;
    double size = 0;
    double(*x)[6] = p->c;
    for (int i = 0; i <= n; ++i)
        for (int j = 0; j < 6; ++j)
            size = fabs(x[i][j]) > size ? fabs(x[i][j]) : size;
    p->error += n * 0x1p-53 * size;
    left->error = p->error;
    left->degree = n;
    left->u0 = p->u0;
    left->u1 = p->u1;
    left->s0 = p->s0;
    left->s1 = p->s0 = 0.5 * p->s0 + 0.5 * p->s1;
    for (int level = 0; level <= n; ++level) {
        for (int j = 0; j < 6; ++j)
            left->c[level][j] = x[0][j];
        for (int i = 0; i + level < n; ++i)
            for (int j = 0; j < 6; ++j)
                x[i][j] = 0.5 * (x[i][j] + x[i + 1][j]);
    }
}

/* Of dF/ds over the patch: the largest change from row to row bounds it. */
double abut_patch_shift_error(const abut_patch_walk *w, const abut_form_patch *p)
{
    double most = 0;
    if (w->inexact == 0)
        return 0;
    for (int i = 0; i < p->degree; ++i)
        for (int j = 0; j < 5; ++j)
            most = fmax(most, fabs(p->c[i + 1][j] - p->c[i][j]));
    return 2 * w->inexact * p->degree * (most + 2 * p->error) / (p->s1 - p->s0);
}

/* cap: where F may not be negative, as fractions of the patch's u. */
abut_patch_outcome abut_patch_decide(const abut_patch_walk *w, const abut_form_patch *p, double cap[2])
{
    const int n = p->degree;
    double h[5] = { -HUGE_VAL, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL }, size = 0, b[5];
    for (int i = 0; i <= n; ++i)
        for (int j = 0; j < 5; ++j) {
            h[j] = p->c[i][j] > h[j] ? p->c[i][j] : h[j];
            size = fabs(p->c[i][j]) > size ? fabs(p->c[i][j]) : size;
        }
    const double error = p->error + abut_patch_shift_error(w, p) + cut_error * size_of(h);
    for (int j = 0; j < 5; ++j)
        h[j] += error;
    if (is_below(h))
        return ABUT_PATCH_DEEP;
    abut_patch_basis(abut_peak(p->c[n / 2]), b);
    bool positive = true;
    for (int i = 0; i <= n && positive; ++i)
        positive = abut_patch_along(p->c[i], b) > error + 0x1p-48 * size;
    if (positive)
        return ABUT_PATCH_APART;
    const double peak = abut_peak(h);
    if (is_negative(h, peak))
        return ABUT_PATCH_DEEP;
    find_cap(h, peak, &cap[0], &cap[1]);
    /* dF/ds on U, without its factor n / (s1 - s0): between the polynomials of the least and the
     * greatest differences. */
    double fall[5] = { HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL };
    double rise[5] = { -HUGE_VAL, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL }, part[5];
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < 5; ++j) {
            const double d = p->c[i + 1][j] - p->c[i][j];
            fall[j] = d < fall[j] ? d : fall[j];
            rise[j] = d > rise[j] ? d : rise[j];
        }
    double least = HUGE_VAL, most = -HUGE_VAL;
    if (n > 0) {
        part4(fall, cap[0], cap[1], part);
        for (int j = 0; j < 5; ++j)
            least = part[j] < least ? part[j] : least;
        part4(rise, cap[0], cap[1], part);
        for (int j = 0; j < 5; ++j)
            most = part[j] > most ? part[j] : most;
    }
    const double off = 2.001 * error + cut_error * fmax(size_of(fall), size_of(rise));
    if (n == 0) /* nothing changes, and the sign is within the error */
        return ABUT_PATCH_LOST;
    if (least > off || most < -off)
        return least > off ? ABUT_PATCH_RISING : ABUT_PATCH_FALLING;
    /* Nothing to be seen at this precision: all that F does along the peak is within its error. */
    double reach = 0;
    abut_patch_basis(peak, b);
    for (int i = 0; i <= n; ++i)
        reach = fmax(reach, fabs(abut_patch_along(p->c[i], b)));
    /* Nor will it ever be seen that they are deep, where F at an end of u, which is always
     * negative, is within the error. */
    double first = 0, last = 0;
    for (int i = 0; i <= n; ++i) {
        first = fmax(first, fabs(p->c[i][0]));
        last = fmax(last, fabs(p->c[i][4]));
    }
    const bool blind = (p->u0 == 0 && first <= 2 * error) || (p->u1 == 1 && last <= 2 * error);
    return blind || reach <= 4 * error ? ABUT_PATCH_LOST : ABUT_PATCH_SPLIT;
}

/* Once the bodies are deep the first contact is known. */
static bool emit(abut_patch_walk *w, abut_run_cell cell, double lo, double hi)
{
    if (!abut_runs_add(w->runs, cell, lo, hi, false))
        return false;
    return !abut_patch_is_enough(w, cell, hi);
}

/* The polynomial of u at the fraction s of the patch, in doubles: the ratio of neighbouring
 * powers is s / (1 - s), or its inverse. */
void abut_patch_row(const abut_form_patch *p, double s, double q[6])
{
    const int n = p->degree;
    const bool late = s > 0.5;
    const double r = late ? (1 - s) / s : s / (1 - s), x = late ? s : 1 - s;
    const double *choose = abut_binomial[n];
    double scale = 1;
    for (int j = 0; j < 6; ++j)
        q[j] = p->c[late ? 0 : n][j];
    for (int i = n - 1; i >= 0; --i) {
        const double *c = p->c[late ? n - i : i];
        for (int j = 0; j < 6; ++j)
            q[j] = q[j] * r + choose[i] * c[j];
        scale *= x;
    }
    for (int j = 0; j < 6; ++j)
        q[j] *= scale;
}

static double peak_at(const abut_form_patch *p, double s)
{
    double q[6], b[5];
    abut_patch_row(p, s, q);
    abut_patch_basis(abut_peak(q), b);
    return abut_patch_along(q, b);
}

/* Where the greatest value of F over u is zero, about, on a patch on which it rises or falls:
 * the rule of Illinois. */
static double find_root(const abut_form_patch *p)
{
    double lo = 0, hi = 1, f_lo = peak_at(p, 0), f_hi = peak_at(p, 1), s = 0.5;
    int side = 0;
    for (int i = 0; i < 40; ++i) {
        if ((f_lo > 0) == (f_hi > 0))
            return fabs(f_lo) < fabs(f_hi) ? lo : hi;
        s = lo + (hi - lo) * (f_lo / (f_lo - f_hi));
        if (!(s > lo && s < hi))
            return s <= lo ? lo : hi;
        const double f = peak_at(p, s);
        if (hi - lo < 0x1p-50 || fabs(f) <= 0.125 * p->error)
            return s;
        if ((f > 0) == (f_lo > 0)) {
            lo = s;
            f_lo = f;
            f_hi *= side == 1 ? 0.5 : 1;
            side = 1;
        } else {
            hi = s;
            f_hi = f;
            f_lo *= side == -1 ? 0.5 : 1;
            side = -1;
        }
    }
    return s;
}

/* What a value of the patch at a time may be off by: its own error, that of the time as a
 * fraction of the patch, rounded twice, and of Horner's scheme. */
static double value_error(const abut_patch_walk *w, const abut_form_patch *p)
{
    double size = 0, most = 0;
    for (int i = 0; i <= p->degree; ++i) {
        size = fmax(size, size_of(p->c[i]));
        for (int j = 0; j < 5 && i > 0; ++j)
            most = fmax(most, fabs(p->c[i][j] - p->c[i - 1][j]));
    }
    return p->error + abut_patch_shift_error(w, p) + 0x1p-51 * p->degree * (most + 2 * p->error) +
           ((4 * p->degree + 8) * 0x1p-53 + cut_error) * size;
}

/* The sign of the greatest value of F at t; 0 where it is not clear. */
static int sign_at(const abut_patch_walk *w, const abut_form_patch *p, double t, double error)
{
    double q[6], b[5];
    const double s = ((t - w->lo) / w->width - p->s0) / (p->s1 - p->s0);
    abut_patch_row(p, fmin(fmax(s, 0), 1), q);
    const double peak = abut_peak(q);
    abut_patch_basis(peak, b);
    if (abut_patch_along(q, b) > error)
        return 1;
    for (int j = 0; j < 5; ++j)
        q[j] += error;
    return is_negative(q, peak) ? -1 : 0;
}

/* Where to search for a change, and what rounding moves it by, about. */
typedef struct guess {
    double at, reach;
} guess;

/* From the polynomial alone. */
static guess narrow(const abut_patch_walk *w, const abut_form_patch *p, abut_change *c)
{
    const double error = value_error(w, p), whole = p->s1 - p->s0;
    abut_change_learn(c, c->lo, sign_at(w, p, c->lo, error));
    abut_change_learn(c, c->hi, sign_at(w, p, c->hi, error));
    const double root = find_root(p), at = abut_patch_time(w, p->s0 + whole * root), h = 0x1p-12;
    const double s0 = fmax(root - h, 0), s1 = fmin(root + h, 1);
    const double slope = fabs(peak_at(p, s1) - peak_at(p, s0)) / ((s1 - s0) * whole * w->width);
    const double least = 2 * 0x1p-53 * fmax(fabs(c->lo), fabs(c->hi));
    for (int side = -1; side <= 1; side += 2) {
        double away = fmax(2 * error / slope, least);
        for (int i = 0; i < 12; ++i, away *= 2) {
            const double t = at + side * away;
            if (!(t > (c->has_left ? c->left : c->lo) && t < (c->has_right ? c->right : c->hi)))
                break;
            const int sign = sign_at(w, p, t, error);
            abut_change_learn(c, t, sign);
            if (sign != 0)
                break;
        }
    }
    double row[6];
    abut_patch_row(p, root, row);
    return (guess){ fmin(fmax(at, c->lo), c->hi), 96 * 0x1p-53 * size_of(row) / slope + least };
}

/* Narrow enough: 16 ulp of the largest time. */
static bool is_narrow(const abut_patch_walk *w, const abut_change *c)
{
    return abut_change_width(c) <= fmax(16 * 0x1p-52 * fmax(fabs(c->lo), fabs(c->hi)), w->m->accuracy);
}

/* With twice the digits, over the time that is left, u such that F is greatest in the middle
 * there; then over the part of u that matters in that time, which leaves numbers that are
 * smaller, and with them what they are rounded by. */
static void narrow_finely(const abut_patch_walk *w, double near, double error, abut_change *c)
{
    static const double sharp = 0x1p-42; /* of the range of time: a quarter of what is promised */
    abut_form_patch fine;
    abut_ellipsoids e = *w->e;
    double u0 = 0, u1 = 1, cap[2];
    abut_ellipsoids_rebalance(&e, near);
    if (e.balance != w->e->balance)
        error = HUGE_VAL;
    for (int i = 0; i < 4; ++i) {
        const double lo = c->has_left ? c->left : c->lo, hi = c->has_right ? c->right : c->hi;
        const double s0 = fmax((lo - w->lo) / w->width - 0x1p-50, 0),
                     s1 = fmin((hi - w->lo) / w->width + 0x1p-50, 1);
        if (!(s0 < s1) || !abut_ellipsoids_patch_fine(&e, w->lo, w->hi, s0, s1, u0, u1, &fine) ||
            !(fine.error < 0.25 * error))
            return;
        (void)narrow(w, &fine, c);
        if (is_narrow(w, c) || abut_change_width(c) <= sharp * w->width)
            return;
        const abut_patch_outcome found = abut_patch_decide(w, &fine, cap);
        if (found == ABUT_PATCH_APART || found == ABUT_PATCH_DEEP || !(cap[1] - cap[0] < 0.7))
            return;
        const double from = u0, width = u1 - u0;
        u0 = fmax(from + cap[0] * width - 0x1p-50, 0);
        u1 = fmin(from + cap[1] * width + 0x1p-50, 1);
        error = fine.error;
    }
}

bool abut_patch_decide_change(abut_patch_walk *w, const abut_form_patch *p, bool rises)
{
    abut_change c = { .rising = rises ? 1 : -1,
                      .lo = abut_patch_time(w, p->s0),
                      .hi = abut_patch_time(w, p->s1) };
    const guess near = narrow(w, p, &c);
    const double ulp = 0x1p-52 * fmax(fabs(c.lo), fabs(c.hi));
    abut_ellipsoids_learn_ends(w->m, &c);
    if (!is_narrow(w, &c))
        abut_ellipsoids_narrow(w->m, w->e, &c, near.at, near.reach <= 64 * ulp ? near.reach : 0);
    if (!is_narrow(w, &c) && abut_change_width(&c) > 256 * ulp)
        narrow_finely(w, near.at, p->error, &c);
    return abut_ellipsoids_hand_on(w->m, &c, w->runs) &&
           !(c.rising < 0 && abut_patch_is_enough(w, ABUT_CELL_DEEP, c.hi));
}

static bool walk(abut_patch_walk *w, const abut_form_patch *whole, int zooms);

/* With twice the digits over what is left of u, or by intervals. */
static bool examine_closer(abut_patch_walk *w, const abut_form_patch *p, const double cap[2], int zooms)
{
    if (zooms < ZOOMS) {
        abut_form_patch fine;
        const double u0 = p->u0 + cap[0] * (p->u1 - p->u0), u1 = p->u0 + cap[1] * (p->u1 - p->u0);
        /* Where rotations are only enclosed little is gained, and less than by intervals. */
        if (abut_ellipsoids_patch_fine(w->e, w->lo, w->hi, p->s0, p->s1, u0, u1, &fine) &&
            fine.error < 0x1p-10 * p->error)
            return walk(w, &fine, zooms + 1);
    }
    return abut_ellipsoids_solve_interval(w->m, w->e, abut_patch_time(w, p->s0), abut_patch_time(w, p->s1),
                                          w->runs);
}

static bool walk(abut_patch_walk *w, const abut_form_patch *whole, int zooms)
{
    abut_form_patch stack[DEPTH];
    abut_moving *m = w->m;
    int depth = 1;
    stack[0] = *whole;
    while (depth > 0) {
        abut_form_patch *p = &stack[depth - 1];
        const double lo = abut_patch_time(w, p->s0), hi = abut_patch_time(w, p->s1);
        double cap[2] = { 0, 1 };
        if (m->counters->iterations++ >= m->max_iterations) {
            m->stop = ABUT_STOP_BUDGET;
            emit(w, ABUT_CELL_UNKNOWN, lo, w->hi);
            return false;
        }
        if (m->progress && m->counters->iterations % 64 == 0 &&
            !m->progress(m->progress_ctx, (lo - m->range.lo) / (m->range.hi - m->range.lo))) {
            m->cancelled = true;
            return false;
        }
        abut_patch_outcome found = abut_patch_decide(w, p, cap);
        if (found == ABUT_PATCH_SPLIT &&
            (depth == DEPTH || !(hi - lo > 8 * 0x1p-52 * fmax(fabs(lo), fabs(hi)))))
            found = ABUT_PATCH_LOST;
        bool wanted = true;
        switch (found) {
        case ABUT_PATCH_APART: wanted = emit(w, ABUT_CELL_APART, lo, hi); break;
        case ABUT_PATCH_DEEP: wanted = emit(w, ABUT_CELL_DEEP, lo, hi); break;
        case ABUT_PATCH_RISING:
        case ABUT_PATCH_FALLING: wanted = abut_patch_decide_change(w, p, found == ABUT_PATCH_RISING); break;
        case ABUT_PATCH_LOST: wanted = examine_closer(w, p, cap, zooms); break;
        case ABUT_PATCH_SPLIT: {
            restrict_u(p, cap);
            halve(p, &stack[depth]);
            ++depth;
            continue;
        }
        }
        if (!wanted)
            return false;
        --depth;
    }
    return true;
}

void abut_patch_begin(abut_patch_walk *w, abut_moving *m, const abut_ellipsoids *e, double lo, double hi,
                      abut_runs *runs)
{
    *w = (abut_patch_walk){ .m = m, .e = e, .runs = runs, .lo = lo, .hi = hi, .width = hi - lo };
    /* t = lo + s width is rounded three times; nothing is where lo = 0 and the width is a power
     * of two. */
    int exponent;
    if (lo != 0 || frexp(w->width, &exponent) != 0.5)
        w->inexact = 4 * 0x1p-53 * (1 + fmax(fabs(lo), fabs(hi)) / w->width);
    m->inexact = true;
}

bool abut_patch_solve(abut_patch_walk *w, const abut_form_patch *patch)
{
    return walk(w, patch, 0);
}
