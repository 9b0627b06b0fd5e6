/* SPDX-License-Identifier: MIT */
/* One region of the minimiser: enclose the system over it, drop it if nothing can be there, narrow it by a Newton step, accept it if a zero is proved or if it is
 * small in space and time, otherwise cut it. Reads nothing that another region of the same round may change. */
#include "ccd/minimise_step.h"

#include "ccd/newton.h"

enum { N = ABUT_PROBLEM_UNKNOWNS };

/* Unknowns on which the equations hardly depend are cut as well once the others are this much finer. */
static const double neglect = 0x1p-20;

static double farthest(ia side, double from)
{
    const double below = from - ia_lo(side), above = ia_hi(side) - from;
    return below > above ? below : above;
}

bool abut_samples_near(const abut_samples *s, const ia3 *place, uint32_t group)
{
    const double most = s->separation * s->separation;
    for (size_t i = 0; i < s->count; ++i) {
        const abut_vec3 at = s->list[i].at;
        const double x = farthest(place->x, at.x), y = farthest(place->y, at.y), z = farthest(place->z, at.z);
        if (s->list[i].group == group && x * x + y * y + z * z < most)
            return true;
    }
    return false;
}

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

static void cut(const abut_region *r, int unknown, abut_step *out)
{
    const ia x = r->x[unknown];
    const double middle = ia_mid(x);
    out->kind = ABUT_STEP_CUT;
    out->count = 2;
    out->parts[0] = out->parts[1] = *r;
    out->parts[0].x[unknown] = ia_make(ia_lo(x), middle);
    out->parts[1].x[unknown] = ia_make(middle, ia_hi(x));
}

/* A proved zero: where is it in the range, and does it count? */
static void accept_zero(const abut_round *round, const abut_problem *p, const abut_system *at, bool one,
                        abut_step *out)
{
    abut_found *f = &out->found;
    bool inside = true;
    out->kind = ABUT_STEP_DROPPED;
    for (int j = 0; j < p->unknowns; ++j) {
        const ia range = ia_from(p->box[j]);
        if (ia_is_empty(ia_intersect(f->x[j], range)))
            return;
        inside = inside && (p->wraps[j] || ia_subset(f->x[j], range));
    }
    if (ia_lo(f->x[p->unknowns - 1]) > round->limit)
        return;
    f->place = at->place;
    f->isolated = true;
    f->unique = one;
    f->holds = one && inside && at->holds > 0;
    out->kind = ABUT_STEP_FOUND;
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
                   abut_step *out)
{
    bool regular;
    out->kind = ABUT_STEP_DROPPED;
    if (!abut_newton_narrow(n, s, r->x, &regular))
        return false;
    if (!regular)
        return true;
    abut_system at;
    const abut_zeros zeros = abut_newton_isolate(n, r->x, out->found.within, out->found.x, &at);
    if (zeros == ABUT_ZEROS_ONE || zeros == ABUT_ZEROS_AT_MOST_ONE)
        accept_zero(round, n->problem, &at, zeros == ABUT_ZEROS_ONE, out);
    return zeros == ABUT_ZEROS_UNKNOWN;
}

void abut_minimise_step(const abut_round *round, const abut_region *region, int thread, abut_step *out)
{
    const abut_minimise_opts *opts = round->opts;
    const abut_problem *p = &round->problems[region->problem];
    const int time = p->unknowns - 1;
    abut_newton n = { p, opts->newton, opts->improvement, thread, 0 };
    abut_region r = *region;
    abut_system s;
    double weight[N], before, after;

    out->kind = ABUT_STEP_DROPPED;
    out->evaluations = 0;
    out->found.problem = r.problem;
    r.x[time] = ia_make(ia_lo(r.x[time]), ia_hi(r.x[time]) < round->limit ? ia_hi(r.x[time]) : round->limit);
    if (ia_is_empty(r.x[time]) || parked(round, p, &r, out))
        return;
    abut_newton_enclose(&n, r.x, 1, &s);
    out->evaluations = n.evaluations;
    if (!abut_newton_possible(p, &s))
        return;
    r.place = r.placed ? intersect3(r.place, s.place) : s.place;
    r.placed = true;
    if (parked(round, p, &r, out))
        return;
    weigh(p, &s, weight);
    const int old = widest_unknown(p, weight, r.x, &before);
    const bool small = old < 0 || narrow_enough(round, &r.place, r.x[time]);
    if (opts->newton != ABUT_NEWTON_NONE && s.defined) {
        const bool open = newton(&n, round, &s, &r, out);
        out->evaluations = n.evaluations;
        if (!open)
            return;
    }
    const int unknown = widest_unknown(p, weight, r.x, &after);
    if (small || unknown < 0) {
        accept_small(&r, out);
    } else if (after < opts->improvement * before) {
        out->kind = ABUT_STEP_CUT;
        out->count = 1;
        out->parts[0] = r;
    } else {
        cut(&r, unknown, out);
    }
}
