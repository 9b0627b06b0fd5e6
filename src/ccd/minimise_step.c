/* SPDX-License-Identifier: MIT */
/* One region of the minimiser: enclose the system over it, drop it if nothing can be there, narrow it by a Newton step, accept it if a zero is proved or if it is
 * small in space and time, otherwise cut it. Reads nothing that another region of the same round may change. */
#include "ccd/minimise_step.h"

#include "ccd/newton.h"

enum { N = ABUT_PROBLEM_UNKNOWNS };

/* Unknowns on which the equations hardly depend are cut as well once the others are this much finer. */
static const double neglect = 0x1p-20;

static bool narrow_enough(const abut_round *round, const ia3 *place, ia time)
{
    const double most = round->opts->accuracy;
    return ia_width(place->x) <= most && ia_width(place->y) <= most && ia_width(place->z) <= most &&
           ia_width(time) <= most;
}

static double finite_or(double x, double otherwise)
{
    return x < DBL_MAX ? x : otherwise;
}

/* How much each unknown matters: section 3.2's sum of the sizes of its derivatives. */
static void weigh(const abut_problem *p, const abut_system *s, double *weight)
{
    double most = 0;
    for (int j = 0; j < p->unknowns; ++j) {
        weight[j] = 0;
        for (int i = 0; s->defined && i < p->equations; ++i)
            weight[j] += finite_or(ia_mag(s->jacobian[i][j]), 0);
        weight[j] = finite_or(weight[j], 0);
        const double whole = weight[j] * (p->box[j].hi - p->box[j].lo);
        most = whole > most ? whole : most;
    }
    most = most > 0 && most < DBL_MAX ? most : 1;
    for (int j = 0; j < p->unknowns; ++j) {
        const double range = p->box[j].hi - p->box[j].lo;
        weight[j] += range > 0 ? neglect * most / range : 0;
    }
}

static bool divisible(ia x)
{
    const double middle = ia_mid(x);
    return ia_lo(x) < middle && middle < ia_hi(x);
}

/* The unknown to cut by; -1 where no double lies between the ends of any. */
static int widest_unknown(const abut_problem *p, const double *weight, const ia *x, double *width)
{
    int best = -1;
    *width = 0;
    for (int j = 0; j < p->unknowns; ++j) {
        const double scaled = weight[j] * ia_width(x[j]);
        if (divisible(x[j]) && (best < 0 || scaled > *width)) {
            best = j;
            *width = scaled;
        }
    }
    return best;
}

/* Both halves lose at once what the Newton step's linear form excludes from them. */
static void cut(const abut_region *r, int unknown, const abut_newton_view *view, abut_step *out)
{
    const ia x = r->x[unknown];
    const double middle = ia_mid(x);
    const ia halves[2] = { ia_make(ia_lo(x), middle), ia_make(middle, ia_hi(x)) };
    out->kind = ABUT_STEP_CUT;
    out->count = 0;
    for (int i = 0; i < 2; ++i) {
        abut_region *part = &out->parts[out->count];
        *part = *r;
        part->x[unknown] = halves[i];
        if (!view || abut_newton_narrow_part(view, part->x))
            ++out->count;
    }
}

/* A zero that is isolated in found->x: where is it in the range, and does it count? */
static bool accept_zero(const abut_round *round, const abut_problem *p, const abut_system *at, bool one,
                        abut_found *found)
{
    bool inside = true;
    for (int j = 0; j < p->unknowns; ++j) {
        const ia range = ia_from(p->box[j]);
        if (ia_is_empty(ia_intersect(found->x[j], range)))
            return false;
        inside = inside && (p->wraps[j] || ia_subset(found->x[j], range));
    }
    if (ia_lo(found->x[p->unknowns - 1]) > round->limit)
        return false;
    found->place = at->place;
    found->isolated = true;
    found->unique = one;
    found->holds = one && inside && at->holds > 0;
    return true;
}

static void accept_small(const abut_region *r, abut_step *out)
{
    out->kind = ABUT_STEP_FOUND;
    out->found.place = r->place;
    out->found.isolated = out->found.unique = out->found.holds = false;
    memcpy(out->found.x, r->x, sizeof r->x);
}

static bool parked(const abut_round *round, const abut_problem *p, const abut_region *r, abut_step *out)
{
    if (round->opts->accept_all || !r->placed || !(ia_lo(r->x[p->unknowns - 1]) > round->park_from) ||
        !abut_samples_near(round->samples, &r->place, p->group))
        return false;
    out->kind = ABUT_STEP_PARKED;
    out->count = 1;
    out->parts[0] = *r;
    return true;
}

static ia3 intersect3(ia3 a, ia3 b)
{
    const ia3 both = { ia_intersect(a.x, b.x), ia_intersect(a.y, b.y), ia_intersect(a.z, b.z) };
    return ia3_is_empty(both)
               ? b
               : both; /* an empty one would mean that nothing is there; the equations will say so */
}

/* False: the region is settled. Otherwise it was narrowed. */
static bool newton(abut_newton *n, const abut_round *round, const abut_system *s, abut_region *r,
                   abut_newton_view *view, abut_step *out)
{
    if (!abut_newton_narrow(n, s, r->x, view))
        return false;
    if (!view->regular)
        return true;
    abut_system at;
    const abut_zeros zeros = abut_newton_isolate(n, r->x, out->found.within, out->found.x, &at);
    if ((zeros == ABUT_ZEROS_ONE || zeros == ABUT_ZEROS_AT_MOST_ONE) &&
        accept_zero(round, n->problem, &at, zeros == ABUT_ZEROS_ONE, &out->found))
        out->kind = ABUT_STEP_FOUND;
    return zeros == ABUT_ZEROS_UNKNOWN;
}

/* Looks for a solution where the Newton step points to, if that is clearly earlier than what is known. */
static void probe(abut_newton *n, const abut_round *round, const abut_newton_view *view, abut_step *out)
{
    const abut_problem *p = n->problem;
    const int time = p->unknowns - 1;
    const double before = round->soonest - 1e-6 * (p->box[time].hi - p->box[time].lo);
    if (!round->probe || !view->likely || !(view->start[time] < before))
        return;
    const uint64_t evaluations = n->evaluations;
    abut_system at;
    ia x[N];
    out->probed = abut_newton_probe(n, view->start, before, x) &&
                  abut_newton_isolate(n, x, out->probe.within, out->probe.x, &at) == ABUT_ZEROS_ONE &&
                  accept_zero(round, p, &at, true, &out->probe) && out->probe.holds;
    out->probe_evaluations = n->evaluations - evaluations;
}

/* What is left of a region that is neither settled nor small: itself again if it became much smaller, or its halves. */
static void go_on(const abut_region *r, int unknown, bool shrunk, const abut_newton_view *view,
                  abut_step *out)
{
    if (!shrunk) {
        cut(r, unknown, view, out);
        return;
    }
    out->kind = ABUT_STEP_CUT;
    out->count = 1;
    out->parts[0] = *r;
}

static void look_at(abut_newton *n, const abut_round *round, abut_region *r, abut_step *out)
{
    const abut_problem *p = n->problem;
    const int time = p->unknowns - 1;
    abut_system s;
    abut_newton_view view;
    double weight[N], before, after;
    abut_newton_enclose(n, r->x, 1, &s);
    if (!abut_newton_possible(p, &s))
        return;
    r->place = r->placed ? intersect3(r->place, s.place) : s.place;
    r->placed = true;
    if (parked(round, p, r, out))
        return;
    weigh(p, &s, weight);
    const bool small =
        widest_unknown(p, weight, r->x, &before) < 0 || narrow_enough(round, &r->place, r->x[time]);
    const bool smooth = n->method != ABUT_NEWTON_NONE && s.defined;
    if (smooth) {
        if (!newton(n, round, &s, r, &view, out))
            return;
        probe(n, round, &view, out);
    }
    const int unknown = widest_unknown(p, weight, r->x, &after);
    if (small || unknown < 0)
        accept_small(r, out);
    else
        go_on(r, unknown, after < n->improvement * before, smooth ? &view : NULL, out);
}

ABUT_NOINLINE void abut_minimise_step(const abut_round *round, const abut_region *region, int thread,
                                      abut_step *out)
{
    const abut_minimise_opts *opts = round->opts;
    const abut_problem *p = &round->problems[region->problem];
    abut_newton n = { p, opts->newton, opts->improvement, thread, 0 };
    abut_region r = *region;
    out->kind = ABUT_STEP_DROPPED;
    out->probed = false;
    out->probe_evaluations = 0;
    out->found.problem = out->probe.problem = r.problem;
    ia *const t = &r.x[p->unknowns - 1];
    *t = ia_make(ia_lo(*t), ia_hi(*t) < round->limit ? ia_hi(*t) : round->limit);
    if (!ia_is_empty(*t) && !parked(round, p, &r, out))
        look_at(&n, round, &r, out);
    out->evaluations = n.evaluations;
}
