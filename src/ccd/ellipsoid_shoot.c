/* SPDX-License-Identifier: MIT */
/* Two ellipsoids whose F(u, t) is a polynomial (ellipsoid_poly.h): all stretches of contact by subdivision, the first contact by shooting.
 *
 * A patch is F over all u (or all that matter) and a stretch of time, in Bernstein form: its coefficients bound it. Apart: F > 0 along one u, chosen where F is
 * greatest in the middle. Deep: the greatest coefficients over time bound F by a polynomial of u alone, which is negative. One change: dF/dt keeps its sign on
 * the part U of u outside which that bound is negative, so that the directions of the gradient there lie in a half-plane and no loop of F = 0 fits in.
 * Otherwise the patch is halved. What is smaller than the error of the coefficients is looked at again with twice the digits, and then by intervals.
 *
 * Shooting (Choi et al., section 4): from a time when they are apart, along the u where F is greatest, to the first root of F(u, .), which is where they are still
 * apart at another u; the roots converge to the first contact quadratically. Each shot proves its stretch by the signs of coefficients.
 *
 * Surprise: times are handed on as doubles t, while the patch knows fractions s = (t - lo) / (hi - lo), which are rounded; what F changes by over that rounding
 * is counted as an error of the patch. */
#include "ccd/ellipsoid_poly.h"
#include "ccd/ellipsoid_scan.h"

enum { DEPTH = 26, ZOOMS = 2 };

typedef struct walk_state {
    abut_moving *m;
    const abut_ellipsoids *e;
    abut_runs *runs;
    double lo, hi, width;
    double inexact; /* what a fraction of time may be off by */
} walk_state;

/* ---- doubles of degree 4 ---- */

/* What a few cuts of a quartic in doubles may be off by, of its largest coefficient: 60 roundings. */
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

/* See ellipsoid_quartic.c: concave, and below zero by the tangent at the end where it is greatest. */
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

/* Each of degree + 1 levels of means is off by an ulp of the largest coefficient at most. */
static void halve(const abut_patch *p, abut_patch *left, abut_patch *right)
{
    const int n = p->degree;
    double size = 0;
    *left = *right = *p;
    left->s1 = right->s0 = 0.5 * p->s0 + 0.5 * p->s1;
    double(*x)[6] = right->c;
    for (int i = 0; i <= n; ++i)
        for (int j = 0; j < 5; ++j)
            size = fmax(size, fabs(x[i][j]));
    for (int level = 1; level <= n; ++level) {
        for (int i = 0; i + level <= n; ++i)
            for (int j = 0; j < 6; ++j)
                x[i][j] = 0.5 * (x[i][j] + x[i + 1][j]);
        for (int j = 0; j < 6; ++j)
            left->c[level][j] = x[0][j];
    }
    left->error = right->error = p->error + n * 0x1p-53 * size;
}

typedef enum outcome { APART, DEEP, RISING, FALLING, SPLIT, LOST } outcome;

/* Basis functions of degree 4. */
static void basis(double u, double b[5])
{
    const double v = 1 - u, uu = u * u, vv = v * v;
    b[0] = vv * vv;
    b[1] = 4 * u * v * vv;
    b[2] = 6 * uu * vv;
    b[3] = 4 * uu * u * v;
    b[4] = uu * uu;
}

static double along(const double c[6], const double b[5])
{
    return c[0] * b[0] + c[1] * b[1] + c[2] * b[2] + c[3] * b[3] + c[4] * b[4];
}

/* Of dF/ds over the patch: the largest change from row to row bounds it. */
static double shift_error(const walk_state *w, const abut_patch *p)
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
static outcome settle(const walk_state *w, const abut_patch *p, double cap[2])
{
    const int n = p->degree;
    double h[5] = { -HUGE_VAL, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL }, size = 0, b[5];
    for (int i = 0; i <= n; ++i)
        for (int j = 0; j < 5; ++j) {
            h[j] = p->c[i][j] > h[j] ? p->c[i][j] : h[j];
            size = fabs(p->c[i][j]) > size ? fabs(p->c[i][j]) : size;
        }
    const double error = p->error + shift_error(w, p) + cut_error * size_of(h);
    for (int j = 0; j < 5; ++j)
        h[j] += error;
    if (is_below(h))
        return DEEP;
    basis(abut_peak(p->c[n / 2]), b);
    bool positive = true;
    for (int i = 0; i <= n && positive; ++i)
        positive = along(p->c[i], b) > error + 0x1p-48 * size;
    if (positive)
        return APART;
    const double peak = abut_peak(h);
    if (is_negative(h, peak))
        return DEEP;
    find_cap(h, peak, &cap[0], &cap[1]);
    /* dF/ds on U, without its factor n / (s1 - s0). */
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (int i = 0; i < n; ++i) {
        double d[5], part[5];
        for (int j = 0; j < 5; ++j)
            d[j] = p->c[i + 1][j] - p->c[i][j];
        part4(d, cap[0], cap[1], part);
        for (int j = 0; j < 5; ++j) {
            least = fmin(least, part[j]);
            most = fmax(most, part[j]);
        }
    }
    const double off = 2.001 * error + cut_error * fmax(most, -least);
    if (n > 0 && (least > off || most < -off))
        return least > off ? RISING : FALLING;
    /* Nothing to be seen at this precision: all that F does along the peak is within its error. */
    double reach = 0;
    basis(peak, b);
    for (int i = 0; i <= n; ++i)
        reach = fmax(reach, fabs(along(p->c[i], b)));
    return reach <= 4 * error ? LOST : SPLIT;
}

static double time_of(const walk_state *w, double s)
{
    return s <= 0 ? w->lo : s >= 1 ? w->hi : fmin(w->lo + s * w->width, w->hi);
}

static bool emit(walk_state *w, abut_cell cell, double lo, double hi)
{
    return abut_runs_add(w->runs, cell, lo, hi, false);
}

/* Where the greatest value of F over u is zero, about, on a patch on which it rises or falls. */
static double find_root(const abut_patch *p)
{
    double lo = 0, hi = 1, f_lo = 0, f_hi = 0;
    for (int i = 0; i < 40; ++i) {
        double s = i == 0 ? 0 : i == 1 ? 1 : lo + (hi - lo) * (f_lo / (f_lo - f_hi));
        if (!(s >= 0 && s <= 1))
            return 0.5;
        double x[ABUT_PATCH_MOST + 1][6];
        memcpy(x, p->c, sizeof(x[0]) * (size_t)(p->degree + 1));
        for (int level = 1; level <= p->degree; ++level)
            for (int k = 0; k + level <= p->degree; ++k)
                for (int j = 0; j < 6; ++j)
                    x[k][j] = (1 - s) * x[k][j] + s * x[k + 1][j];
        double b[5];
        basis(abut_peak(x[0]), b);
        const double f = along(x[0], b);
        if (i == 0)
            f_lo = f;
        else if (i == 1)
            f_hi = f;
        else if ((f > 0) == (f_lo > 0)) {
            const bool again = i > 2 && lo > 0;
            lo = s;
            f_lo = f;
            f_hi *= again ? 0.5 : 1; /* Illinois */
        } else {
            const bool again = i > 2 && hi < 1;
            hi = s;
            f_hi = f;
            f_lo *= again ? 0.5 : 1;
        }
        if (i >= 1 && ((f_lo > 0) == (f_hi > 0)))
            return fabs(f_lo) < fabs(f_hi) ? lo : hi;
        if (i > 1 && (hi - lo < 1e-15 || fabs(f) <= p->error))
            return s;
    }
    return 0.5 * (lo + hi);
}

static bool settle_change(walk_state *w, const abut_patch *p, bool rises)
{
    const double lo = time_of(w, p->s0), hi = time_of(w, p->s1);
    const double s = p->s0 + (p->s1 - p->s0) * find_root(p);
    return abut_ellipsoids_settle_change(w->m, w->e, lo, hi, rises ? 1 : -1,
                                         fmin(fmax(time_of(w, s), lo), hi), w->runs);
}

static bool walk(walk_state *w, const abut_patch *whole, int zooms);

/* With twice the digits over what is left of u, or by intervals. */
static bool look_closer(walk_state *w, const abut_patch *p, const double cap[2], int zooms)
{
    if (zooms < ZOOMS) {
        abut_patch fine;
        const double u0 = p->u0 + cap[0] * (p->u1 - p->u0), u1 = p->u0 + cap[1] * (p->u1 - p->u0);
        if (abut_ellipsoids_patch_fine(w->e, w->lo, w->hi, p->s0, p->s1, u0, u1, &fine) &&
            fine.error < 0.25 * p->error)
            return walk(w, &fine, zooms + 1);
    }
    return abut_ellipsoids_solve_interval(w->m, w->e, time_of(w, p->s0), time_of(w, p->s1), w->runs);
}

static bool walk(walk_state *w, const abut_patch *whole, int zooms)
{
    abut_patch stack[DEPTH];
    abut_moving *m = w->m;
    int depth = 1;
    stack[0] = *whole;
    while (depth > 0) {
        abut_patch *p = &stack[depth - 1];
        const double lo = time_of(w, p->s0), hi = time_of(w, p->s1);
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
        outcome found = settle(w, p, cap);
        if (found == SPLIT && (depth == DEPTH || !(hi - lo > 8 * 0x1p-52 * fmax(fabs(lo), fabs(hi)))))
            found = LOST;
        bool wanted = true;
        switch (found) {
        case APART: wanted = emit(w, ABUT_CELL_APART, lo, hi); break;
        case DEEP: wanted = emit(w, ABUT_CELL_DEEP, lo, hi); break;
        case RISING:
        case FALLING: wanted = settle_change(w, p, found == RISING); break;
        case LOST: wanted = look_closer(w, p, cap, zooms); break;
        case SPLIT: {
            const abut_patch both = *p;
            halve(&both, &stack[depth], p);
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

bool abut_ellipsoids_solve_patch(abut_moving *m, const abut_ellipsoids *e, const abut_patch *patch, double lo,
                                 double hi, abut_runs *runs)
{
    walk_state w = { .m = m, .e = e, .runs = runs, .lo = lo, .hi = hi, .width = hi - lo };
    /* t = lo + s width is rounded three times; nothing is where lo = 0 and the width is a power of two. */
    int exponent;
    if (lo != 0 || frexp(w.width, &exponent) != 0.5)
        w.inexact = 4 * 0x1p-53 * (1 + fmax(fabs(lo), fabs(hi)) / w.width);
    m->inexact = true;
    return walk(&w, patch, 0);
}
