/* SPDX-License-Identifier: MIT */
/* The first contact of two ellipsoids whose F(u, t) is a polynomial, by Bezier shooting (Choi et
 * al., section 4).
 *
 * From a time when they are apart, along the u where F is greatest then, to the first root of F(u,
 * .): there they are still apart, at another u. The roots converge to the first contact
 * quadratically. Each shot proves its stretch by the signs of the coefficients of F(u, .). At the
 * end the patch around the contact is proved to have one change; where that fails, and where the
 * roots do not converge, subdivision takes over from where they got to.
 *
 * `sampled` examines 16 times for one at which the bodies overlap, shoots back from the last one
 * before it to prove that nothing was missed, and starts there; `shooting` starts at the
 * beginning. */
#include "ccd/ellipsoid/ellipsoid_patch.h"

enum { SHOTS = 16, SAMPLES = 16, NEWTON = 8 };

/* F along one u over a stretch of the patch, in Bernstein form; all of it is off by `error` at
 * most. */
typedef struct shot {
    int n;
    double error;
    double r[ABUT_PATCH_MOST + 1];
} shot;

/* Sums of five products, each rounded a few times. */
static void place_shot(const abut_form_patch *p, double s, double shift, shot *out)
{
    double q[6], b[5], size = 0;
    abut_patch_row(p, s, q);
    abut_patch_basis(abut_peak(q), b);
    out->n = p->degree;
    for (int i = 0; i <= p->degree; ++i) {
        out->r[i] = abut_patch_along(p->c[i], b);
        for (int j = 0; j < 5; ++j)
            size = fabs(p->c[i][j]) > size ? fabs(p->c[i][j]) : size;
    }
    out->error = p->error + shift + 0x1p-49 * size;
}

static double size_of(const shot *x)
{
    double size = 0;
    for (int i = 0; i <= x->n; ++i)
        size = fabs(x->r[i]) > size ? fabs(x->r[i]) : size;
    return size;
}

/* n levels of means, each rounded three times. */
static void keep_right(shot *x, double s)
{
    if (s == 0)
        return;
    x->error += 3 * x->n * 0x1p-53 * size_of(x);
    for (int level = 1; level <= x->n; ++level)
        for (int i = 0; i + level <= x->n; ++i)
            x->r[i] = (1 - s) * x->r[i] + s * x->r[i + 1];
}

static void keep_left(shot *x, double s)
{
    if (s == 1)
        return;
    x->error += 3 * x->n * 0x1p-53 * size_of(x);
    for (int level = 1; level <= x->n; ++level)
        for (int i = x->n; i >= level; --i)
            x->r[i] = (1 - s) * x->r[i - 1] + s * x->r[i];
}

static bool is_miss(const shot *x)
{
    for (int i = 0; i <= x->n; ++i)
        if (!(x->r[i] > x->error))
            return false;
    return true;
}

/* Where the polygon of the coefficients first goes below zero, then Newton's method: near the
 * first root. */
static double first_root(const shot *x, double *slope)
{
    int k = 1;
    while (k < x->n && x->r[k] > 0)
        ++k;
    double at = x->r[k] > 0 ? 1 : (k - 1 + x->r[k - 1] / (x->r[k - 1] - x->r[k])) / x->n;
    *slope = 0;
    for (int i = 0; i < NEWTON; ++i) {
        double c[ABUT_PATCH_MOST + 1];
        for (int j = 0; j <= x->n; ++j)
            c[j] = x->r[j];
        for (int level = 1; level < x->n; ++level)
            for (int j = 0; j + level <= x->n; ++j)
                c[j] = (1 - at) * c[j] + at * c[j + 1];
        const double f = x->n > 0 ? (1 - at) * c[0] + at * c[1] : c[0];
        *slope = x->n * (c[1] - c[0]);
        const double next = at - f / *slope;
        if (!(*slope < 0) || !(next > 0))
            return at;
        const double step = fabs(next - at);
        at = next < 1 ? next : 1;
        if (step <= 1e-12 || fabs(f) <= x->error)
            return at;
    }
    return at;
}

/* One shot from s: as far as it is proved that they are apart; s where nothing is, 1 for a miss. */
static double shoot(const abut_form_patch *p, double s, double shift)
{
    shot x;
    place_shot(p, s, shift, &x);
    keep_right(&x, s);
    if (is_miss(&x))
        return 1;
    if (!(x.r[0] > x.error))
        return s;
    double slope, to = first_root(&x, &slope);
    to -= fmax(0x1p-50, slope < 0 ? 8 * x.error / -slope : 0);
    for (int i = 0; i < 6 && to > 0; ++i, to *= 0.5) {
        shot part = x;
        keep_left(&part, to);
        if (is_miss(&part)) /* rounded down: difference, product and sum are off by less than 2^-51 */
            return fmax(s, s + to * (1 - s) - 0x1p-51);
    }
    return s;
}

/* A start that is proved to be reached without a contact. */
static double sample(const abut_form_patch *p, double shift)
{
    double last = 0;
    for (int i = 1; i <= SAMPLES; ++i) {
        double q[6], b[5];
        abut_patch_row(p, (double)i / SAMPLES, q);
        abut_patch_basis(abut_peak(q), b);
        if (!(abut_patch_along(q, b) > 0))
            break;
        last = (double)i / SAMPLES;
    }
    if (last == 0)
        return 0;
    shot back;
    place_shot(p, last, shift, &back);
    keep_left(&back, last);
    return is_miss(&back) ? last : 0;
}

/* The patch over [s0, s1]. */
static void restrict_to(const abut_form_patch *p, double s0, double s1, abut_form_patch *out)
{
    const int n = p->degree;
    double size = 0;
    *out = *p;
    for (int i = 0; i <= n; ++i)
        for (int j = 0; j < 5; ++j)
            size = fabs(p->c[i][j]) > size ? fabs(p->c[i][j]) : size;
    if (s1 < 1)
        for (int level = 1; level <= n; ++level)
            for (int i = n; i >= level; --i)
                for (int j = 0; j < 6; ++j)
                    out->c[i][j] = (1 - s1) * out->c[i - 1][j] + s1 * out->c[i][j];
    const double at = s0 / s1;
    for (int level = 1; level <= n; ++level)
        for (int i = 0; i + level <= n; ++i)
            for (int j = 0; j < 6; ++j)
                out->c[i][j] = (1 - at) * out->c[i][j] + at * out->c[i + 1][j];
    /* Means as above, twice; the second place is rounded, which moves coefficients by 2 n ulp. */
    out->error = p->error + 8 * n * 0x1p-53 * size;
    out->s0 = s0;
    out->s1 = s1;
}

bool abut_patch_shoot(abut_patch_walk *w, const abut_form_patch *p)
{
    const double shift = abut_patch_shift_error(w, p);
    double s = w->m->method == ABUT_METHOD_SAMPLED ? sample(p, shift) : 0;
    for (int i = 0; i < SHOTS && s < 1; ++i) {
        ++w->m->counters->iterations;
        const double next = shoot(p, s, shift);
        const double gained = next - s;
        s = next;
        if (!(gained > 1e-9))
            break;
    }
    if (s > 0 && !abut_runs_add(w->runs, ABUT_CELL_APART, w->lo, abut_patch_time(w, s), false))
        return false;
    if (s >= 1)
        return true;
    /* One change near by, if what is examined is short enough. */
    abut_form_patch near;
    double cap[2];
    for (double h = 0x1p-5; h >= 0x1p-13; h *= 0x1p-4) {
        const double end = fmin(s + h, 1);
        restrict_to(p, s, end, &near);
        ++w->m->counters->iterations;
        if (abut_patch_decide(w, &near, cap) != ABUT_PATCH_FALLING)
            continue;
        if (!abut_patch_decide_change(w, &near, false))
            return false;
        if (end == 1)
            return true;
        s = end;
        break;
    }
    restrict_to(p, s, 1, &near);
    return abut_patch_solve(w, &near);
}
