/* SPDX-License-Identifier: MIT */
/* Newton's method in plain doubles. It proves nothing; but a contact that is known early, and proved afterwards, spares all regions that come later: on two bumpy bodies
 * it saves about half of them. */
#include "ccd/newton.h"

#include "interval/linear.h"

enum { N = ABUT_PROBLEM_UNKNOWNS, M = ABUT_PROBLEM_EQUATIONS, MAX_STEPS = 12 };

/* Parts of a range: the longest step, where steps are short enough, and where the last one must have been. */
static const double longest = 0.1, converged = 1e-9, hopeful = 1e-6;

static double range_of(const abut_problem *p, int j)
{
    return p->box[j].hi - p->box[j].lo;
}

/* One step from the point x, no longer than `longest`, not out of the range. `size` gets the largest part of its range that an unknown was to go. */
static bool step(abut_newton *n, double *x, double *size)
{
    const abut_problem *p = n->problem;
    const int unknowns = p->unknowns;
    abut_system s;
    ia at[N];
    double middle[M * N], inverse[N * N], way[N];
    int chosen[N];
    for (int j = 0; j < unknowns; ++j)
        at[j] = ia_point(x[j]);
    abut_newton_enclose(n, at, 1, &s);
    if (!s.defined)
        return false;
    for (int i = 0; i < p->equations; ++i)
        for (int j = 0; j < unknowns; ++j)
            middle[i * unknowns + j] = ia_mid(s.jacobian[i][j]);
    if (!abut_linear_invert_roughly(p->equations, unknowns, middle, chosen, inverse))
        return false;
    *size = 0;
    for (int j = 0; j < unknowns; ++j) {
        way[j] = 0;
        for (int k = 0; k < unknowns; ++k)
            way[j] -= inverse[j * unknowns + k] * ia_mid(s.f[chosen[k]]);
        const double part = range_of(p, j) > 0 ? fabs(way[j]) / range_of(p, j) : 0;
        *size = part > *size ? part : *size;
    }
    if (!(*size < HUGE_VAL))
        return false;
    const double factor = *size > longest ? longest / *size : 1;
    for (int j = 0; j < unknowns; ++j) {
        const double next = x[j] + factor * way[j];
        x[j] = next < p->box[j].lo ? p->box[j].lo : next > p->box[j].hi ? p->box[j].hi : next;
    }
    return true;
}

bool abut_newton_probe(abut_newton *n, const double *start, double before, ia *out)
{
    const abut_problem *p = n->problem;
    const int time = p->unknowns - 1;
    double x[N], size = HUGE_VAL;
    if (p->equations < p->unknowns)
        return false;
    for (int j = 0; j < p->unknowns; ++j)
        x[j] = start[j] < p->box[j].lo ? p->box[j].lo : start[j] > p->box[j].hi ? p->box[j].hi : start[j];
    for (int count = 0; count < MAX_STEPS && !(size < converged); ++count)
        if (!step(n, x, &size) || (size < 1e-3 && !(x[time] < before)))
            return false;
    if (!(size < hopeful))
        return false;
    for (int j = 0; j < p->unknowns; ++j) {
        const double by = 4 * size * range_of(p, j);
        out[j] = ia_add(ia_point(x[j]), ia_make(-by, by));
    }
    return true;
}
