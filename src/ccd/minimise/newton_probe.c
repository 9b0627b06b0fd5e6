/* SPDX-License-Identifier: MIT */
/* Newton's method in plain doubles. It proves nothing; but a contact that is known early, and
 * proved afterwards, spares all regions that come later (on two bumpy bodies about half of them),
 * and a point on a curve or region of contacts spares the long way down by bisection.
 *
 * The step is the shortest one that solves the linear equations as well as they can be solved,
 * so that it also converges where the Jacobian is singular because the zeros are not isolated.
 * Unknowns are measured in parts of their range, equations by the size of their gradient. */
#include "ccd/minimise/newton.h"

enum { N = ABUT_PROBLEM_UNKNOWNS, M = ABUT_PROBLEM_EQUATIONS, MAX_STEPS = 12 };

/* Parts of a range: the longest step, where steps are short enough, and where the last one must
 * have been. */
static const double longest = 0.1, converged = 1e-10, hopeful = 1e-7;

/* Added to the diagonal of A A^T: below this (squared) share of their size, equations count as
 * dependent. */
static const double dependent = 1e-12;

static double range_of(const abut_problem *p, int j)
{
    return p->box[j].hi - p->box[j].lo;
}

/* Gaussian elimination on the positive definite m x m matrix g; b becomes the solution. */
static bool solve_definite(int m, double g[M][M], double *b)
{
    for (int k = 0; k < m; ++k) {
        if (!(g[k][k] > 0))
            return false;
        for (int i = k + 1; i < m; ++i) {
            const double factor = g[i][k] / g[k][k];
            for (int j = k; j < m; ++j)
                g[i][j] -= factor * g[k][j];
            b[i] -= factor * b[k];
        }
    }
    for (int k = m - 1; k >= 0; --k) {
        for (int j = k + 1; j < m; ++j)
            b[k] -= g[k][j] * b[j];
        b[k] /= g[k][k];
    }
    return true;
}

/* The shortest way to the zeros of the linear equations, in parts of the ranges: -A^T (A A^T)^-1
 * f. */
static bool shortest_way(const abut_problem *p, const abut_system *s, double *way)
{
    double a[M][N], g[M][M], b[M];
    int m = 0;
    for (int i = 0; i < p->equations; ++i) {
        double size = 0, noise = 0;
        for (int j = 0; j < p->unknowns; ++j) {
            a[m][j] = ia_mid(s->jacobian[i][j]) * range_of(p, j);
            size = fmax(size, fabs(a[m][j]));
            noise = fmax(noise, ia_width(s->jacobian[i][j]) * range_of(p, j));
        }
        if (!(size > noise) || !(size < HUGE_VAL))
            continue; /* nothing but rounding, as of what is constant by symmetry */
        for (int j = 0; j < p->unknowns; ++j)
            a[m][j] /= size;
        /* zero up to rounding: near a double zero, rounding would lead far away */
        b[m++] = ia_contains_zero(s->f[i]) ? 0 : -ia_mid(s->f[i]) / size;
    }
    for (int i = 0; i < m; ++i)
        for (int k = 0; k < m; ++k) {
            g[i][k] = i == k ? dependent : 0;
            for (int j = 0; j < p->unknowns; ++j)
                g[i][k] += a[i][j] * a[k][j];
        }
    if (m == 0 || !solve_definite(m, g, b))
        return false;
    for (int j = 0; j < p->unknowns; ++j) {
        way[j] = 0;
        for (int i = 0; i < m; ++i)
            way[j] += a[i][j] * b[i];
    }
    return true;
}

/* One step from the point x, `times` as long as Newton's, no longer than `longest`, not out of the
 * range. `size` gets the largest part of its range that an unknown was to go. */
static bool step(abut_newton *n, double times, double *x, double *size)
{
    const abut_problem *p = n->problem;
    abut_system s;
    ia at[N];
    double way[N];
    for (int j = 0; j < p->unknowns; ++j)
        at[j] = ia_point(x[j]);
    abut_newton_enclose(n, at, 1, &s);
    if (!s.defined || !shortest_way(p, &s, way))
        return false;
    *size = 0;
    for (int j = 0; j < p->unknowns; ++j)
        *size = fabs(way[j]) > *size ? fabs(way[j]) : *size;
    if (!(*size < HUGE_VAL))
        return false;
    const double factor = times * *size > longest ? longest / *size : times;
    for (int j = 0; j < p->unknowns; ++j) {
        const double next = x[j] + factor * way[j] * range_of(p, j);
        x[j] = next < p->box[j].lo ? p->box[j].lo : next > p->box[j].hi ? p->box[j].hi : next;
    }
    return true;
}

static bool halves(double size, double last)
{
    return size > 0.4 * last && size < 0.6 * last;
}

bool abut_newton_probe(abut_newton *n, const double *start, double before, double *x, double *size)
{
    const abut_problem *p = n->problem;
    const int time = p->unknowns - 1;
    bool doubled = false;
    *size = HUGE_VAL;
    n->twofold = false;
    for (int j = 0; j < p->unknowns; ++j)
        x[j] = start[j] < p->box[j].lo ? p->box[j].lo : start[j] > p->box[j].hi ? p->box[j].hi : start[j];
    double last = HUGE_VAL;
    for (int count = 0; count < MAX_STEPS && !(*size < converged); ++count) {
        const double before_last = last;
        last = *size;
        /* Towards a double zero each step goes half of the way. */
        doubled = !doubled && halves(last, before_last);
        n->twofold = n->twofold || doubled;
        if (!step(n, doubled ? 2 : 1, x, size) ||
            (*size < 1e-3 && !(x[time] - *size * range_of(p, time) < before)))
            return false;
        if (count > 3 && *size > 0.5 * last && !halves(*size, last))
            return *size < hopeful; /* as near as rounding lets it come, or astray */
    }
    return *size < hopeful;
}
