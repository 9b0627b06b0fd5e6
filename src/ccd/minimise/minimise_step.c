/* SPDX-License-Identifier: MIT */
/* One region of the minimiser: enclose the system over it, drop it if nothing can be there,
 * narrow it by a Newton step, accept it if a zero is proved or if it is small in space and time,
 * otherwise cut it. Reads nothing that another region of the same round may change. */
#include "ccd/minimise/minimise_step.h"

#include "ccd/minimise/newton.h"

enum { N = ABUT_PROBLEM_UNKNOWNS };

/* Unknowns on which the equations hardly depend are cut as well once the others are this much
 * finer; where the time is sharpened at poles, these get very fine. */
static const double neglect = 0x1p-20, neglect_sharp = 0x1p-44;

/* What an equation still counts for cutting where it is nowhere near to excluding the box. */
static const double centred = 0.03;

/* The later half of a region that is cut by the time waits, perhaps for ever: that is worth
 * something. */
static const double time_first = 2;

/* Where bodies graze each other the gap grows with the square of the time from the touch: regions
 * before it are refused once they are short against that time. */
static const double graze_time = 16;

static double widest_side(const ia3 *place)
{
    return fmax(ia_width(place->x), fmax(ia_width(place->y), ia_width(place->z)));
}

static bool narrow_enough(const abut_minimise_round *round, const ia3 *place, double spread, ia time)
{
    return fmax(widest_side(place), spread) <= round->small && ia_width(time) <= round->narrow;
}

/* How near an equation is to excluding zero from the box: 0 where its enclosure is centred
 * there, 1 where zero is at an end. */
static double off_centre(ia f)
{
    const double width = ia_width(f);
    const double off = fabs(ia_hi(f) + ia_lo(f));
    return width > 0 && width < HUGE_VAL ? off / width : 0;
}

/* How much each unknown matters: section 3.2's sum of the sizes of its derivatives, but each
 * equation measured by what it can vary over the whole range, as some are lengths and others
 * products of them, and those in front that are nearest to excluding the box. On two bumpy
 * bodies that takes a third of the regions of the plain sum. False: no cut makes any equation
 * narrower. */
static bool weigh(const abut_minimise_round *round, const abut_problem *p, const abut_system *s, const ia *x,
                  double *weight)
{
    const double least = round->narrow < round->opts->duration ? neglect_sharp : neglect;
    double most = 0;
    for (int j = 0; j < N; ++j)
        weight[j] = 0;
    for (int i = 0; s->defined && i < p->equations; ++i) {
        const double off = off_centre(s->f[i]), share = centred + off * off * off * off;
        double total = 0;
        for (int j = 0; j < p->unknowns; ++j)
            total += ia_mag(s->jacobian[i][j]) * (p->box[j].hi - p->box[j].lo);
        /* what it can vary by is nothing but rounding */
        if (!(total > fmax(0x1p-1000, 0x1p-30 * ia_width(s->f[i]))) || !(total < HUGE_VAL))
            continue;
        for (int j = 0; j < p->unknowns; ++j)
            weight[j] += share * ia_mag(s->jacobian[i][j]) / total;
    }
    double helps = 0;
    for (int j = 0; j < p->unknowns; ++j)
        helps = fmax(helps, weight[j] * ia_width(x[j]));
    weight[p->unknowns - 1] *= time_first;
    for (int j = 0; j < p->unknowns; ++j) {
        const double whole = weight[j] * (p->box[j].hi - p->box[j].lo);
        most = whole > most ? whole : most;
    }
    for (int j = 0; j < p->unknowns; ++j) {
        const double range = p->box[j].hi - p->box[j].lo;
        weight[j] += range > 0 ? least * (most > 0 ? most : 1) / range : 0;
    }
    return helps > 0;
}

static bool divisible(ia x)
{
    const double middle = ia_mid(x);
    return ia_lo(x) < middle && middle < ia_hi(x);
}

/* Whether the earlier half of a region holds nothing. Where faces of both bodies are in one plane no
 * equation gets narrower by a cut, but where features end may tell: regions that begin clearly before
 * a contact are not parked beside its samples, and each of their parts in space would have to be cut
 * by the time alone. */
static bool begins_empty(abut_newton *n, const abut_minimise_round *round, const ia *x)
{
    const int time = n->problem->unknowns - 1;
    ia half[N];
    abut_system s;
    if (ia_width(x[time]) <= round->narrow || !divisible(x[time]))
        return false;
    memcpy(half, x, sizeof half);
    half[time] = ia_make(ia_lo(x[time]), ia_mid(x[time]));
    abut_newton_enclose(n, half, 1, &s);
    return !abut_newton_possible(n->problem, &s);
}

/* Whether a row by itself narrows an unknown of the box to half: the others matter less than
 * that by it. So it is with planes that stay parallel, and the time. */
static bool solves(const abut_problem *p, const ia *row, const ia *x)
{
    double all = 0;
    for (int j = 0; j < p->unknowns; ++j)
        all += ia_mag(row[j]) * ia_width(x[j]);
    for (int j = 0; j < p->unknowns; ++j) {
        const double own = ia_mig(row[j]) * ia_width(x[j]);
        if (own > 0 && all - ia_mag(row[j]) * ia_width(x[j]) < 0.5 * own)
            return true;
    }
    return false;
}

/* Whether a Newton step can be expected to narrow the region at all: entries of the Jacobian
 * that hold zero do nothing. */
static bool worth_a_step(const abut_problem *p, const abut_system *s, const ia *x)
{
    const int least = p->unknowns > 2 ? 2 : 1;
    int count = 0;
    for (int i = 0; i < p->equations; ++i) {
        for (int j = 0; j < p->unknowns; ++j)
            count += !ia_contains_zero(s->jacobian[i][j]);
        if (count >= least)
            return true;
    }
    for (int i = 0; count > 0 && i < p->equations; ++i)
        if (solves(p, s->jacobian[i], x))
            return true;
    return false;
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
static bool accept_zero(const abut_minimise_round *round, const abut_problem *p, const abut_system *at,
                        bool one, abut_found *found)
{
    bool inside = true;
    for (int j = 0; j < p->unknowns; ++j) {
        const ia range = ia_from(p->box[j]);
        if (ia_is_empty(ia_intersect(found->x[j], range)))
            return false;
        inside = inside && (p->wraps[j] || ia_subset(found->x[j], range));
    }
    const ia time = found->x[p->unknowns - 1];
    if (ia_lo(time) > round->limit)
        return false;
    found->place = at->place;
    found->isolated = true;
    found->point = found->dropped = false;
    found->unique = one;
    found->holds = one && inside && at->holds > 0;
    /* At the very start bodies may part; there the inequalities must hold. */
    found->common = found->holds || (one && inside && at->common && ia_lo(time) > p->box[p->unknowns - 1].lo);
    return true;
}

static void accept_small(const abut_region *r, abut_step *out)
{
    out->kind = ABUT_STEP_FOUND;
    out->found.place = r->place;
    out->found.isolated = out->found.unique = out->found.holds = out->found.common = false;
    out->found.point = out->found.dropped = false;
    memcpy(out->found.x, r->x, sizeof r->x);
}

static bool parked(const abut_minimise_round *round, const abut_problem *p, const abut_region *r,
                   abut_step *out)
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
    /* an empty one would mean that nothing is there; the equations will say so */
    return ia3_is_empty(both) ? b : both;
}

/* False: the region is decided. Otherwise it was narrowed. */
static bool newton(abut_newton *n, const abut_minimise_round *round, const abut_system *s, abut_region *r,
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

static void box_about(const abut_problem *p, const double *x, const double *half, ia *out)
{
    for (int j = 0; j < p->unknowns; ++j) {
        const ia box = ia_add(ia_point(x[j]), ia_make(-half[j], half[j]));
        out[j] = ia_intersect(box, ia_from(p->box[j])); /* x is in it */
    }
}

/* Searches for an isolated solution where the Newton step points to, if that is clearly earlier
 * than what is known. */
static bool probe_isolated(abut_newton *n, const abut_minimise_round *round, const abut_newton_view *view,
                           abut_found *out)
{
    const abut_problem *p = n->problem;
    const int time = p->unknowns - 1;
    const double before = round->soonest - 1e-6 * (p->box[time].hi - p->box[time].lo);
    double x[N], half[N], size;
    abut_system at;
    ia box[N];
    if (!view->likely || !(view->start[time] < before) ||
        !abut_newton_probe(n, view->start, before, x, &size))
        return false;
    for (int j = 0; j < p->unknowns; ++j)
        half[j] = 4 * size * (p->box[j].hi - p->box[j].lo);
    box_about(p, x, half, box);
    return abut_newton_isolate(n, box, out->within, out->x, &at) == ABUT_ZEROS_ONE &&
           accept_zero(round, p, &at, true, out) && out->holds;
}

/* The part of a region that is small enough to be accepted, in space and time. */
static double small_part(const abut_minimise_round *round, const ia3 *place, double spread, ia time)
{
    const double by_space = round->small / fmax(widest_side(place), spread);
    const double by_time = round->narrow / ia_width(time);
    return by_space < by_time ? by_space : by_time;
}

/* The box about x in the proportions of the region that is small enough to be accepted; `s`
 * encloses the system over it. False: nothing can be there. */
static bool small_box(abut_newton *n, const abut_minimise_round *round, const abut_region *r, double spread,
                      const double *x, ia *box, abut_system *s)
{
    const abut_problem *p = n->problem;
    const int time = p->unknowns - 1;
    double half[N], share = 0.25 * small_part(round, &r->place, spread, r->x[time]);
    /* Where the time does not matter, as with bodies at rest, samples in ever narrower regions
     * would each be a little earlier than all before, which then do not count any more. */
    double duration = 0.25 * round->narrow;
    for (int tries = 0; tries < 3; ++tries, share *= 0.125, duration *= 0.125) {
        for (int j = 0; j < p->unknowns; ++j)
            half[j] = fmax(share * ia_width(r->x[j]), 0x1p-50 * fabs(x[j]));
        half[time] = fmax(half[time], duration);
        box_about(p, x, half, box);
        abut_newton_enclose(n, box, 1, s);
        if (!abut_newton_possible(p, s))
            return false;
        if (narrow_enough(round, &s->place, s->spread, box[time]))
            return true;
    }
    return false;
}

/* Whether a sample at the middle of the region would represent all of it, and there is none near
 * there. */
static bool wants_sample(const abut_minimise_round *round, const abut_problem *p, const abut_region *r)
{
    const ia3 *place = &r->place;
    const double x = ia_width(place->x), y = ia_width(place->y), z = ia_width(place->z);
    const ia3 middle = { ia_point(ia_mid(place->x)), ia_point(ia_mid(place->y)), ia_point(ia_mid(place->z)) };
    const bool late = round->soonest == HUGE_VAL || ia_lo(r->x[p->unknowns - 1]) > round->park_from;
    return late && 0.5 * sqrt(x * x + y * y + z * z) < 0.95 * round->opts->separation &&
           !abut_samples_near(round->samples, &middle, p->group);
}

/* Whether a sample at `at` is near the middle of a region. */
static bool stands_for(const abut_minimise_round *round, const ia3 *at, const ia3 *place)
{
    const double x = ia_mid(at->x) - ia_mid(place->x), y = ia_mid(at->y) - ia_mid(place->y),
                 z = ia_mid(at->z) - ia_mid(place->z), within = round->opts->separation;
    return x * x + y * y + z * z < within * within;
}

/* A solution in a region that may be on a curve or region of contacts: at the point that Newton
 * steps come to from its middle. It is proved if it is isolated after all, and accepted like any
 * region that is small enough if not. */
static bool probe_sample(abut_newton *n, const abut_minimise_round *round, const abut_region *r,
                         double spread, abut_found *out)
{
    const abut_problem *p = n->problem;
    double start[N], x[N], size;
    abut_system s, at;
    abut_newton_view view;
    ia box[N], wide[N];
    if (!wants_sample(round, p, r))
        return false;
    for (int j = 0; j < p->unknowns; ++j)
        start[j] = ia_mid(r->x[j]);
    if (!abut_newton_probe(n, start, round->grazing ? round->limit + round->narrow : round->limit, x, &size))
        return false;
    for (int j = 0; j < p->unknowns; ++j)
        if (!n->twofold && !(fabs(x[j] - start[j]) <= ia_width(r->x[j])))
            return false; /* it went elsewhere */
    if (!small_box(n, round, r, spread, x, box, &s) || !s.defined)
        return false;
    memcpy(wide, box, sizeof box);
    if (!abut_newton_narrow(n, &s, box, &view))
        return false;
    if (n->twofold && !stands_for(round, &s.place, &r->place))
        return false;
    memcpy(out->x, box, sizeof box);
    if (view.regular) {
        const abut_zeros zeros = abut_newton_isolate(n, box, out->within, out->x, &at);
        if (zeros != ABUT_ZEROS_UNKNOWN)
            return zeros != ABUT_ZEROS_NONE && accept_zero(round, p, &at, zeros == ABUT_ZEROS_ONE, out);
        memcpy(out->x, box, sizeof box);
    }
    /* Near a zero that is double in time there is more that cannot be distinguished from a zero. The wider
     * time holds both, and spares that each sample is a little earlier than those before. At a
     * simple zero the step leaves next to nothing of the time. */
    out->twofold = n->twofold && ia_width(box[p->unknowns - 1]) > 0x1p-10 * round->narrow;
    if (out->twofold)
        memcpy(out->x, wide, sizeof wide);
    out->place = s.place;
    out->isolated = out->unique = out->holds = out->common = false;
    out->point = out->dropped = false;
    return true;
}

static void probe(abut_newton *n, const abut_minimise_round *round, const abut_region *r, double spread,
                  const abut_newton_view *view, abut_step *out)
{
    if (!round->probe || round->opts->accept_all)
        return;
    const uint64_t evaluations = n->evaluations;
    out->probed = probe_isolated(n, round, view, &out->probe) ||
                  (!view->regular && probe_sample(n, round, r, spread, &out->probe));
    out->probe_evaluations = n->evaluations - evaluations;
}

/* What is left of a region that is neither decided nor small: itself again if it became much
 * smaller, or its halves. */
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

/* The system over the region, and where in space that is; false where it holds no solution. */
static bool enclose_region(abut_newton *n, abut_region *r, abut_system *s)
{
    abut_newton_enclose(n, r->x, 1, s);
    if (!abut_newton_possible(n->problem, s))
        return false;
    r->place = r->placed ? intersect3(r->place, s->place) : s->place;
    r->placed = true;
    return true;
}

static void examine(abut_newton *n, const abut_minimise_round *round, abut_region *r, abut_step *out)
{
    const abut_problem *p = n->problem;
    const int time = p->unknowns - 1;
    abut_system s;
    abut_newton_view view;
    double weight[N], before, after;
    if (!enclose_region(n, r, &s))
        return;
    if (parked(round, p, r, out))
        return;
    if (!weigh(round, p, &s, r->x, weight) && s.defined && begins_empty(n, round, r->x))
        weight[time] = HUGE_VAL;
    const bool small =
        widest_unknown(p, weight, r->x, &before) < 0 || narrow_enough(round, &r->place, s.spread, r->x[time]);
    const bool iterates = n->method == ABUT_NEWTON_AUTO || n->method == ABUT_NEWTON_LINEAR;
    const bool smooth = n->method != ABUT_NEWTON_NONE && s.defined && (small || worth_a_step(p, &s, r->x));
    if (smooth) {
        if (!newton(n, round, &s, r, &view, out))
            return;
        probe(n, round, r, s.spread, &view, out);
    }
    const int unknown = widest_unknown(p, weight, r->x, &after);
    if (small || unknown < 0)
        accept_small(r, out);
    else
        go_on(r, unknown, after < n->improvement * before, smooth && iterates ? &view : NULL, out);
}

/* Whether nothing is left of the region before the limit is all that is asked. A region that is
 * small in space and narrow in time, and still may hold a solution, is as good as found. */
static void sharpen(abut_newton *n, const abut_minimise_round *round, abut_region *r, abut_step *out)
{
    const abut_problem *p = n->problem;
    const int time = p->unknowns - 1;
    abut_system s;
    abut_newton_view view;
    double weight[N], before, after;
    if (!enclose_region(n, r, &s))
        return;
    (void)weigh(round, p, &s, r->x, weight);
    if (round->grazing)
        weight[time] *= graze_time;
    widest_unknown(p, weight, r->x, &before);
    const bool steps = s.defined && worth_a_step(p, &s, r->x);
    if (s.defined && p->times) {
        r->x[time] = ia_intersect(r->x[time], p->times(p->ctx, r->x, &s, n->thread));
        ++n->evaluations;
        if (ia_is_empty(r->x[time]))
            return;
    }
    if (steps && !abut_newton_narrow(n, &s, r->x, &view))
        return;
    const int unknown = widest_unknown(p, weight, r->x, &after);
    if (unknown < 0 || narrow_enough(round, &r->place, s.spread, r->x[time]))
        accept_small(r, out);
    else
        go_on(r, unknown, after < n->improvement * before, steps ? &view : NULL, out);
}

ABUT_NOINLINE void abut_minimise_step(const abut_minimise_round *round, const abut_region *region, int thread,
                                      abut_step *out)
{
    const abut_minimise_opts *opts = round->opts;
    const abut_problem *p = &round->problems[region->problem];
    abut_newton n = {
        .problem = p, .method = opts->newton, .improvement = opts->improvement, .thread = thread
    };
    abut_region r = *region;
    out->kind = ABUT_STEP_DROPPED;
    out->probed = false;
    out->probe_evaluations = 0;
    out->found.twofold = out->probe.twofold = false;
    out->found.problem = out->probe.problem = r.problem;
    ia *const t = &r.x[p->unknowns - 1];
    *t = ia_make(ia_lo(*t), ia_hi(*t) < round->limit ? ia_hi(*t) : round->limit);
    if (round->sharpen && !ia_is_empty(*t))
        sharpen(&n, round, &r, out);
    else if (!ia_is_empty(*t) && !parked(round, p, &r, out))
        examine(&n, round, &r, out);
    out->evaluations = n.evaluations;
    out->extra = n.extra;
}
