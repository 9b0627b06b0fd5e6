/* SPDX-License-Identifier: MIT */
/* The queue of regions: Figure 6 of the paper, for many problems at once.
 *
 * `soonest` is the paper's u: the least upper bound of the time of an accepted region, proved or not. Regions that begin later than soonest + epsilon do not count.
 * A region near a sample is parked, not forgotten: its time still counts for `earliest`, and it comes back when the samples it may have been parked for turn out to be too late. */
#include "ccd/minimise_step.h"

typedef struct minimiser {
    const abut_problem *problems;
    size_t problem_count;
    abut_minimise_opts opts;
    abut_workspace *ws;
    abut_queue queue;
    abut_found *found;
    size_t found_count, found_capacity;
    abut_samples samples;
    abut_region *parked;
    size_t parked_count, parked_capacity;
    double soonest;
    abut_counters counters;
    uint64_t turn;
    uint64_t probe_evaluations;
    abut_rounding outside;
} minimiser;

static bool opts_read(const abut_minimise_opts *from, abut_minimise_opts *to)
{
    *to = *from;
    if (!(to->simultaneity >= 0) || !(to->separation > 0) || !(to->accuracy > 0) || to->threads < 1 ||
        (unsigned)to->newton >= ABUT_NEWTON_COUNT || (unsigned)to->order >= ABUT_ORDER_COUNT)
        return false;
    if (!(to->improvement > 0 && to->improvement < 1))
        to->improvement = 0.9;
    return true;
}

static bool problem_ok(const abut_problem *p)
{
    bool ok = p->unknowns >= 1 && p->unknowns <= ABUT_PROBLEM_UNKNOWNS && p->equations >= 1 &&
              p->equations <= ABUT_PROBLEM_EQUATIONS && p->enclose;
    for (int j = 0; ok && j < p->unknowns; ++j)
        ok = p->box[j].lo <= p->box[j].hi && p->box[j].lo > -HUGE_VAL && p->box[j].hi < HUGE_VAL;
    return ok;
}

static ia time_of(const minimiser *m, uint32_t problem, const ia *x)
{
    return x[m->problems[problem].unknowns - 1];
}

static double limit(const minimiser *m)
{
    return m->soonest + m->opts.simultaneity;
}

/* Half the width of the stretch of time in which samples thin out others: the accuracy may be coarser than epsilon. */
static double slack(const minimiser *m)
{
    return m->opts.simultaneity > 2 * m->opts.accuracy ? m->opts.simultaneity : 2 * m->opts.accuracy;
}

static bool push(minimiser *m, const abut_region *r)
{
    const ia time = time_of(m, r->problem, r->x);
    return ia_lo(time) > limit(m) || abut_queue_push(&m->queue, r, time);
}

static bool open_problems(minimiser *m)
{
    for (size_t i = 0; i < m->problem_count; ++i) {
        abut_region r = { .problem = (uint32_t)i };
        for (int j = 0; j < m->problems[i].unknowns; ++j)
            r.x[j] = ia_from(m->problems[i].box[j]);
        if (!push(m, &r))
            return false;
    }
    return true;
}

/* ---- solutions ---- */

static bool subset(int n, const ia *a, const ia *of_b)
{
    for (int j = 0; j < n; ++j)
        if (!ia_subset(a[j], of_b[j]))
            return false;
    return true;
}

/* Whether the only zero that a and b can have is the same, be it across the seam of a closed unknown, where the same place has two names. */
static bool same_zero(const abut_problem *p, const abut_found *a, const abut_found *b)
{
    if (subset(p->unknowns, a->x, b->within) || subset(p->unknowns, b->x, a->within))
        return true;
    ia moved[ABUT_PROBLEM_UNKNOWNS];
    bool seam = false;
    for (int j = 0; j < p->unknowns; ++j) {
        moved[j] = a->x[j];
        const double apart = ia_mid(b->x[j]) - ia_mid(a->x[j]), period = p->box[j].hi - p->box[j].lo;
        if (p->wraps[j] && fabs(apart) > 0.5 * period) {
            moved[j] = ia_add(moved[j], ia_point(apart > 0 ? period : -period));
            seam = true;
        }
    }
    return seam && subset(p->unknowns, moved, b->within);
}

/* An isolated zero that is known already; the time of both names is kept. */
static bool known_zero(minimiser *m, const abut_found *f)
{
    const abut_problem *p = &m->problems[f->problem];
    for (size_t i = 0; i < m->found_count; ++i) {
        abut_found *other = &m->found[i];
        if (other->problem == f->problem && other->isolated && same_zero(p, f, other)) {
            ia *t = &other->x[p->unknowns - 1];
            const ia mine = f->x[p->unknowns - 1], both = ia_intersect(*t, mine);
            *t = ia_is_empty(both)                          ? ia_hull(*t, mine)
                 : subset(p->unknowns, f->x, other->within) ? both
                                                            : ia_hull(*t, mine);
            other->holds = other->holds || f->holds;
            return true;
        }
    }
    return false;
}

static bool add_sample(minimiser *m, size_t found)
{
    abut_samples *s = &m->samples;
    const abut_found *f = &m->found[found];
    abut_sample *list = abut_queue_grow(m->ws, s->list, s->count, &s->capacity, sizeof *list);
    if (!list)
        return false;
    s->list = list;
    list[s->count++] = (abut_sample){ { ia_mid(f->place.x), ia_mid(f->place.y), ia_mid(f->place.z) },
                                      m->problems[f->problem].group,
                                      (uint32_t)found };
    return true;
}

/* Samples that are too late now thin out nothing any more, and what is parked is looked at again. */
static bool drop_late_samples(minimiser *m)
{
    size_t kept = 0;
    for (size_t i = 0; i < m->samples.count; ++i) {
        const abut_found *f = &m->found[m->samples.list[i].found];
        if (ia_lo(time_of(m, f->problem, f->x)) <= limit(m))
            m->samples.list[kept++] = m->samples.list[i];
    }
    if (kept == m->samples.count)
        return true;
    m->samples.count = kept;
    for (size_t i = 0; i < m->parked_count; ++i)
        if (!push(m, &m->parked[i]))
            return false;
    m->parked_count = 0;
    return true;
}

static bool park(minimiser *m, const abut_region *r)
{
    if (ia_lo(time_of(m, r->problem, r->x)) > limit(m))
        return true;
    abut_region *list = abut_queue_grow(m->ws, m->parked, m->parked_count, &m->parked_capacity, sizeof *list);
    if (!list)
        return false;
    m->parked = list;
    list[m->parked_count++] = *r;
    return true;
}

static bool accept(minimiser *m, const abut_found *f)
{
    const ia time = time_of(m, f->problem, f->x);
    if (ia_lo(time) > limit(m) || (f->isolated && known_zero(m, f)))
        return true;
    abut_found *list = abut_queue_grow(m->ws, m->found, m->found_count, &m->found_capacity, sizeof *list);
    if (!list)
        return false;
    m->found = list;
    list[m->found_count++] = *f;
    if (!f->isolated && !add_sample(m, m->found_count - 1))
        return false;
    if (ia_hi(time) < m->soonest) {
        m->soonest = ia_hi(time);
        return drop_late_samples(m);
    }
    return true;
}

static bool merge(minimiser *m, const abut_step *s)
{
    m->counters.evaluations += s->evaluations;
    m->probe_evaluations += s->probe_evaluations;
    if (s->probed && !accept(m, &s->probe))
        return false;
    switch (s->kind) {
    case ABUT_STEP_PARKED: return park(m, &s->parts[0]);
    case ABUT_STEP_FOUND: return accept(m, &s->found);
    case ABUT_STEP_CUT:
        for (int i = 0; i < s->count; ++i)
            if (!push(m, &s->parts[i]))
                return false;
        return true;
    default: return true;
    }
}

/* ---- the loop ---- */

/* Whether the next region is taken by its upper bound. */
static bool next_by_upper(minimiser *m)
{
    if (m->opts.order != ABUT_ORDER_AUTO)
        return m->opts.order == ABUT_ORDER_UPPER;
    if (abut_queue_earliest(&m->queue, m->problems) > m->soonest - slack(m))
        return true;
    return m->turn++ % 4 == 3;
}

/* Looking ahead may cost a tenth of all. */
static abut_round begin_round(const minimiser *m)
{
    return (abut_round){ .problems = m->problems,
                         .opts = &m->opts,
                         .samples = &m->samples,
                         .soonest = m->soonest,
                         .limit = limit(m),
                         .park_from = m->soonest - slack(m),
                         .probe = m->probe_evaluations <= 50 + m->counters.evaluations / 10 };
}

static bool inside_known(const minimiser *m, const abut_region *r)
{
    for (size_t i = 0; i < m->found_count; ++i)
        if (m->found[i].problem == r->problem && m->found[i].isolated &&
            subset(m->problems[r->problem].unknowns, r->x, m->found[i].within))
            return true;
    return false;
}

static bool take_next(minimiser *m, abut_region *r)
{
    while (abut_queue_pop(&m->queue, next_by_upper(m), r))
        if (ia_lo(time_of(m, r->problem, r->x)) <= limit(m) && !inside_known(m, r))
            return true;
    return false;
}

static double progress_made(minimiser *m)
{
    const abut_problem *p = &m->problems[0];
    const abut_interval range = p->box[p->unknowns - 1];
    if (m->opts.order == ABUT_ORDER_UPPER || !(range.hi > range.lo))
        return -1;
    const double part = (abut_queue_earliest(&m->queue, m->problems) - range.lo) / (range.hi - range.lo);
    return part < 0 ? 0 : part < 1 ? part : 1;
}

/* The caller's function runs as he called us, not in the rounding mode of kernels. */
static bool go_on(minimiser *m)
{
    if (!m->opts.progress || m->counters.iterations % 256 != 255)
        return true;
    const double made = progress_made(m);
    abut_rounding_leave(m->outside);
    const bool on = m->opts.progress(m->opts.progress_ctx, made);
    m->outside = abut_rounding_enter();
    return on;
}

static ABUT_NOINLINE void run(minimiser *m, abut_stop *stop, abut_status *status)
{
    abut_region r;
    abut_step step;
    *status = ABUT_ERR_MEMORY;
    if (!open_problems(m))
        return;
    while (take_next(m, &r)) {
        if (m->counters.iterations >= m->opts.max_iterations) {
            *stop = ABUT_STOP_BUDGET;
            if (!abut_queue_push(&m->queue, &r, time_of(m, r.problem, r.x)))
                return;
            break;
        }
        if (!go_on(m)) {
            *stop = ABUT_STOP_CANCELLED;
            *status = ABUT_ERR_CANCELLED;
            return;
        }
        const abut_round round = begin_round(m);
        ++m->counters.iterations;
        abut_minimise_step(&round, &r, 0, &step);
        if (!merge(m, &step))
            return;
    }
    *status = ABUT_OK;
}

/* ---- the answer ---- */

static int compare(const abut_minimum *out, const abut_problem *problems, size_t i, const abut_solution *b)
{
    const abut_solution *a = &out->solutions[i];
    if (a->problem != b->problem)
        return a->problem < b->problem ? -1 : 1;
    for (int j = 0; j < problems[a->problem].unknowns; ++j)
        if (a->x[j].lo != b->x[j].lo)
            return a->x[j].lo < b->x[j].lo ? -1 : 1;
    return 0;
}

static void sort_solutions(abut_minimum *out, const abut_problem *problems)
{
    for (size_t gap = out->solution_count / 2; gap; gap /= 2) /* Shell's sort: no recursion, no memory */
        for (size_t i = gap; i < out->solution_count; ++i) {
            const abut_solution kept = out->solutions[i];
            size_t at = i;
            for (; at >= gap && compare(out, problems, at - gap, &kept) > 0; at -= gap)
                out->solutions[at] = out->solutions[at - gap];
            out->solutions[at] = kept;
        }
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static ABUT_NOINLINE bool answer(minimiser *m, abut_minimum *out)
{
    out->counters = m->counters;
    out->earliest = abut_queue_earliest(&m->queue, m->problems);
    for (size_t i = 0; i < m->parked_count; ++i)
        out->earliest = least(out->earliest, ia_lo(time_of(m, m->parked[i].problem, m->parked[i].x)));
    out->solutions = abut_workspace_take(m->ws, m->found_count + 1, sizeof *out->solutions);
    if (!out->solutions)
        return false;
    for (size_t i = 0; i < m->found_count; ++i) {
        const abut_found *f = &m->found[i];
        const ia time = time_of(m, f->problem, f->x);
        if (ia_lo(time) > limit(m))
            continue;
        abut_solution *s = &out->solutions[out->solution_count++];
        *s = (abut_solution){
            .problem = f->problem, .place = ia3_to(f->place), .unique = f->unique, .holds = f->holds
        };
        for (int j = 0; j < m->problems[f->problem].unknowns; ++j)
            s->x[j] = ia_write(f->x[j]);
        out->earliest = least(out->earliest, ia_lo(time));
        if (f->holds)
            out->latest = least(out->latest, ia_hi(time));
    }
    sort_solutions(out, m->problems);
    return true;
}

abut_status abut_minimise(const abut_problem *problems, size_t problem_count, const abut_minimise_opts *opts,
                          abut_workspace *ws, abut_minimum *out)
{
    minimiser m = { .problems = problems, .problem_count = problem_count, .ws = ws, .soonest = HUGE_VAL };
    abut_status status = ABUT_OK;
    *out = (abut_minimum){ .earliest = HUGE_VAL, .latest = HUGE_VAL };
    if (!opts_read(opts, &m.opts) || problem_count > UINT32_MAX)
        return ABUT_ERR_ARGUMENT;
    for (size_t i = 0; i < problem_count; ++i)
        if (!problem_ok(&problems[i]))
            return ABUT_ERR_ARGUMENT;
    m.samples.separation = m.opts.separation;
    abut_queue_open(&m.queue, ws, m.opts.order != ABUT_ORDER_LOWER, m.opts.order != ABUT_ORDER_UPPER);
    m.outside = abut_rounding_enter();
    run(&m, &out->stop, &status);
    if (status == ABUT_OK && !answer(&m, out))
        status = ABUT_ERR_MEMORY;
    abut_rounding_leave(m.outside);
    return status;
}
