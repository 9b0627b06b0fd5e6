/* SPDX-License-Identifier: MIT */
/* The queue of regions: Figure 6 of the paper, for many problems at once.
 *
 * `soonest` is the paper's u: the least upper bound of the time of an accepted region, proved or
 * not. Regions that begin later than soonest + epsilon do not count. A region near a sample is
 * parked, not forgotten: its time still counts for `earliest`, and it comes back when the samples
 * it may have been parked for turn out to be too late.
 *
 * A sample can be refuted afterwards (find_points). What was discarded for being later than it
 * is then searched again: the search restarts at the time up to which it is complete. */
#include "ccd/minimise/minimise_threads.h"

/* Regions of a round at most. A round is as large as the queue makes it, whatever the number of
 * threads, so that the answer does not depend on that. */
enum { ROUND = 16, WAITING_PER_REGION = 16 };

/* Evaluations that a solution found by looking ahead spares, roughly. */
enum { PROBE_SPARES = 20 };

/* The second pass: samples that it examines, and iterations for all of them. */
enum { MOST_POINTS = 32, POINT_ITERATIONS = 20000 };

/* How much smaller regions get, in the second pass, before a sample counts as one that may be
 * real, and iterations for one sample. Near singular points, as apexes, a region of the usual
 * size is no sign of a solution. */
static const double point_scale = 0x1p-20;
enum { DEEPEN_ITERATIONS = 4000 };

/* The third pass: regions of one problem that are taken one by one, and iterations beside as
 * many again as the first pass took. Where bodies graze each other more of them gain little. */
enum { FEW_REGIONS = 32, SHARPEN_LEAST = 20000 };

/* So many enclosures of positions alone take as long as an iteration. */
enum { EXTRA_OF_ONE = 32 };

/* Iterations without an earlier solution after which regions near a sample are parked whatever
 * their time is. Where bodies graze each other along a curve, the gap grows with the square of the
 * time from the touch, and regions before it are refused only once they are tiny. What they are
 * worth is left to the third pass, which has its own bounds and its own limit. */
enum { GRAZE_ITERATIONS = 4000 };

/* How often the search may restart behind samples that were refuted. */
enum { MOST_RESTARTS = 64 };

typedef struct minimiser {
    const abut_problem *problems;
    size_t problem_count;
    abut_minimise_opts opts;
    abut_workspace *ws;
    abut_queue queue;
    abut_found *found;
    size_t found_count, found_capacity;
    uint32_t *isolated; /* of each problem: number of the newest isolated solution plus 1 */
    abut_samples samples;
    abut_region *parked;
    size_t parked_count, parked_capacity;
    double soonest;
    bool grazes;       /* a sample at a double zero was accepted */
    uint64_t improved; /* `spent` when soonest was last found to be clearly earlier */
    double from;       /* no solution is earlier: the search starts here */
    bool pointing;     /* the second pass: see find_points */
    bool deepening;    /* in it: see deepen */
    bool sharpening;   /* the third pass: see sharpen */
    double accepted;   /* soonest, before the third pass */
    abut_found *left;  /* regions that the second pass accepted for one sample */
    size_t left_count, left_capacity;
    abut_samples no_samples;
    uint64_t spent; /* the cost of all iterations */
    uint64_t most;  /* what this pass may have spent, all before it included */
    abut_counters counters;
    uint64_t turn;
    uint64_t probe_evaluations, probes, next_report;
    abut_region *regions; /* of the round */
    abut_step *steps;
    abut_rounding outside;
} minimiser;

static bool opts_read(const abut_minimise_opts *from, abut_minimise_opts *to)
{
    *to = *from;
    if (!(to->simultaneity >= 0) || !(to->separation > 0) || !(to->accuracy > 0) || !(to->duration > 0) ||
        to->threads < 1 || (unsigned)to->newton >= ABUT_NEWTON_COUNT ||
        (unsigned)to->order >= ABUT_ORDER_COUNT)
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
    return m->sharpening ? m->soonest - 0.5 * m->opts.sharpness : m->soonest + m->opts.simultaneity;
}

/* Half the width of the stretch of time in which samples thin out others: they may be wider than
 * epsilon. */
static double slack(const minimiser *m)
{
    return fmax(m->opts.simultaneity, 2 * m->opts.duration);
}

static bool is_grazing(const minimiser *m)
{
    return m->grazes && m->spent - m->improved > GRAZE_ITERATIONS && !m->pointing && m->opts.sharpness > 0;
}

static bool push(minimiser *m, const abut_region *r)
{
    const ia time = time_of(m, r->problem, r->x);
    return ia_lo(time) > limit(m) || abut_queue_push(&m->queue, r, time);
}

static bool open_problems(minimiser *m)
{
    abut_queue_open(&m->queue, m->ws, m->opts.order != ABUT_ORDER_LOWER, m->opts.order != ABUT_ORDER_UPPER);
    for (size_t i = 0; i < m->problem_count; ++i) {
        const abut_problem *const p = &m->problems[i];
        abut_region r = { .problem = (uint32_t)i };
        for (int j = 0; j < p->unknowns; ++j)
            r.x[j] = ia_from(p->box[j]);
        ia *const time = &r.x[p->unknowns - 1];
        m->isolated[i] = 0;
        if (ia_hi(*time) < m->from)
            continue;
        *time = ia_make(fmax(ia_lo(*time), m->from), ia_hi(*time));
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

/* Whether the same zero: in the box in which the other is alone. */
static bool same_zero(const abut_problem *p, const abut_found *a, const abut_found *b)
{
    return subset(p->unknowns, a->x, b->within) || subset(p->unknowns, b->x, a->within);
}

/* Whether a, moved by the periods of closed unknowns, is the zero b: near a seam the same place
 * has two names. */
static bool same_across_seam(const abut_problem *p, const abut_found *a, const abut_found *b)
{
    ia moved[ABUT_PROBLEM_UNKNOWNS];
    bool seam = false;
    for (int j = 0; j < p->unknowns; ++j) {
        const double apart = ia_mid(b->x[j]) - ia_mid(a->x[j]), period = p->box[j].hi - p->box[j].lo;
        moved[j] = a->x[j];
        if (p->wraps[j] && fabs(apart) > 0.5 * period) {
            moved[j] = ia_add(moved[j], ia_point(apart > 0 ? period : -period));
            seam = true;
        }
    }
    return seam && subset(p->unknowns, moved, b->within);
}

/* Whether an isolated zero is known already. Across a seam, where periods are rounded, the time
 * of both names is kept. */
static bool known_zero(minimiser *m, const abut_found *f)
{
    const abut_problem *p = &m->problems[f->problem];
    for (uint32_t i = m->isolated[f->problem]; i; i = m->found[i - 1].next) {
        abut_found *other = &m->found[i - 1];
        ia *time = &other->x[p->unknowns - 1];
        const bool seam = same_across_seam(p, f, other);
        if (!seam && !same_zero(p, f, other))
            continue;
        if (seam)
            *time = ia_hull(*time, f->x[p->unknowns - 1]);
        else
            other->unique = other->unique || f->unique;
        other->holds = other->holds || f->holds;
        other->common = other->common || f->common;
        return true;
    }
    return false;
}

/* Samples that are too late now thin out nothing any more, and what is parked is examined
 * again. */
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
    abut_samples_rebuild(&m->samples);
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
    abut_region *list =
        abut_workspace_grow(m->ws, m->parked, m->parked_count, &m->parked_capacity, sizeof *list);
    if (!list)
        return false;
    m->parked = list;
    list[m->parked_count++] = *r;
    return true;
}

/* A region that is small enough, but was met by a sample of the same round. */
static bool met_by_sample(const minimiser *m, const abut_found *f)
{
    return !m->opts.accept_all &&
           (is_grazing(m) || ia_lo(time_of(m, f->problem, f->x)) > m->soonest - slack(m)) &&
           abut_samples_near(&m->samples, &f->place, m->problems[f->problem].group);
}

static bool park_found(minimiser *m, const abut_found *f)
{
    abut_region r = { .place = f->place, .problem = f->problem, .placed = true };
    memcpy(r.x, f->x, sizeof r.x);
    return park(m, &r);
}

static bool add_found(minimiser *m, const abut_found *f)
{
    abut_found *list = abut_workspace_grow(m->ws, m->found, m->found_count, &m->found_capacity, sizeof *list);
    if (!list)
        return false;
    m->found = list;
    const uint32_t number = (uint32_t)m->found_count++;
    list[number] = *f;
    if (f->isolated) {
        list[number].next = m->isolated[f->problem];
        m->isolated[f->problem] = number + 1;
    }
    return true;
}

static bool accept(minimiser *m, const abut_found *f)
{
    const ia time = time_of(m, f->problem, f->x);
    if (ia_lo(time) > limit(m) || (f->isolated && known_zero(m, f)))
        return true;
    if (!f->isolated && met_by_sample(m, f))
        return park_found(m, f);
    if (!add_found(m, f) ||
        (!f->isolated && !abut_samples_add(&m->samples, &f->place, m->problems[f->problem].group,
                                           (uint32_t)m->found_count - 1)))
        return false;
    m->grazes = m->grazes || f->twofold;
    if (!(ia_hi(time) < m->soonest))
        return true;
    if (ia_hi(time) < m->soonest - slack(m))
        m->improved = m->spent;
    m->soonest = ia_hi(time);
    return drop_late_samples(m);
}

/* What is left of a region of the third pass is as small as wanted: the first solution is no
 * later than that, as far as can be decided. */
static bool leave(minimiser *m, const abut_found *f)
{
    m->soonest = fmin(m->soonest, ia_hi(time_of(m, f->problem, f->x)));
    return park_found(m, f);
}

/* What the second pass accepts: zeros that are isolated as ever, and small regions for
 * find_point. */
static bool keep(minimiser *m, const abut_found *f)
{
    if (f->isolated)
        return ia_lo(time_of(m, f->problem, f->x)) > limit(m) || known_zero(m, f) || add_found(m, f);
    abut_found *left = abut_workspace_grow(m->ws, m->left, m->left_count, &m->left_capacity, sizeof *left);
    if (!left)
        return false;
    m->left = left;
    left[m->left_count++] = *f;
    return true;
}

static bool take_found(minimiser *m, const abut_found *f)
{
    return m->sharpening ? leave(m, f) : m->pointing ? keep(m, f) : accept(m, f);
}

static uint64_t cost_of(const minimiser *m, uint32_t problem)
{
    const uint64_t cost = m->problems[problem].cost;
    return cost ? cost : 1;
}

static bool merge(minimiser *m, const abut_step *s)
{
    m->counters.evaluations += s->evaluations;
    m->probe_evaluations += s->probe_evaluations;
    m->counters.iterations += s->evaluations > 0; /* parked without a look: none */
    m->spent += s->evaluations > 0 ? cost_of(m, s->found.problem) * (1 + s->extra / EXTRA_OF_ONE) : 0;
    m->probes += s->probed;
    if (s->probed && !accept(m, &s->probe))
        return false;
    switch (s->kind) {
    case ABUT_STEP_PARKED: return park(m, &s->parts[0]);
    case ABUT_STEP_FOUND: return take_found(m, &s->found);
    case ABUT_STEP_CUT:
        for (int i = 0; i < s->count; ++i)
            if (!push(m, &s->parts[i]))
                return false;
        return true;
    default: return true;
    }
}

/* ---- the loop ---- */

/* Whether the next region is taken by its upper bound: always when all that waits is within
 * reach of the soonest solution, so that only samples are left to find. */
static bool next_by_upper(minimiser *m)
{
    if (m->sharpening)
        return m->turn++ % 4 == 3;
    if (m->opts.order != ABUT_ORDER_AUTO)
        return m->opts.order == ABUT_ORDER_UPPER;
    return abut_queue_earliest(&m->queue, m->problems) > m->soonest - slack(m) || m->turn++ % 4 == 3;
}

/* Looking ahead may cost a tenth of all, less when something is known already, and what it
 * spares. */
static abut_minimise_round begin_round(const minimiser *m)
{
    const uint64_t share = m->counters.evaluations / (m->soonest < HUGE_VAL ? 32 : 10);
    return (abut_minimise_round){ .problems = m->problems,
                                  .opts = &m->opts,
                                  .samples = m->pointing ? &m->no_samples : &m->samples,
                                  .soonest = m->soonest,
                                  .limit = limit(m),
                                  .park_from = is_grazing(m) ? -HUGE_VAL : m->soonest - slack(m),
                                  .grazing = is_grazing(m),
                                  .sharpen = m->sharpening,
                                  .small = m->deepening ? point_scale * m->opts.accuracy : m->opts.accuracy,
                                  .narrow = m->pointing || m->sharpening
                                                ? fmin(0.5 * m->opts.sharpness, m->opts.duration)
                                                : m->opts.duration,
                                  .probe = !m->pointing &&
                                           m->probe_evaluations <= 50 + share + PROBE_SPARES * m->probes };
}

static bool inside_known(const minimiser *m, const abut_region *r)
{
    for (uint32_t i = m->isolated[r->problem]; i; i = m->found[i - 1].next)
        if (subset(m->problems[r->problem].unknowns, r->x, m->found[i - 1].within))
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

/* Regions for a round; none: the queue is empty, or the budget is spent. */
static unsigned fill_round(minimiser *m)
{
    const size_t wanted = m->queue.count / WAITING_PER_REGION;
    const size_t most = wanted < 1 ? 1 : wanted > ROUND ? ROUND : wanted;
    uint64_t spent = m->spent;
    unsigned count = 0;
    while (count < most && spent < m->most && take_next(m, &m->regions[count]))
        spent += cost_of(m, m->regions[count++].problem);
    return count;
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
    if (!m->opts.progress || m->spent < m->next_report)
        return true;
    m->next_report = m->spent + 256;
    const double made = progress_made(m);
    abut_rounding_leave(m->outside);
    const bool on = m->opts.progress(m->opts.progress_ctx, made);
    m->outside = abut_rounding_enter();
    return on;
}

/* Until the queue is empty, or the budget of this pass is spent. */
static abut_status work_off(minimiser *m, abut_thread_pool *pool)
{
    for (;;) {
        if (!go_on(m))
            return ABUT_ERR_CANCELLED;
        const unsigned count = fill_round(m);
        if (!count)
            return ABUT_OK;
        const abut_minimise_round round = begin_round(m);
        abut_thread_pool_round(pool, &round, m->regions, m->steps, count);
        for (unsigned i = 0; i < count; ++i)
            if (!merge(m, &m->steps[i]))
                return ABUT_ERR_MEMORY;
    }
}

/* ---- the second pass: samples that are points ---- */

/* The sample and what was parked near it go back into the queue. */
static bool reopen(minimiser *m, size_t sample)
{
    const abut_found *f = &m->found[m->samples.list[sample].found];
    abut_region r = { .place = f->place, .problem = f->problem, .placed = true };
    memcpy(r.x, f->x, sizeof r.x);
    size_t kept = 0;
    bool ok = push(m, &r);
    for (size_t i = 0; i < m->parked_count; ++i) {
        const abut_region *each = &m->parked[i];
        if (each->placed &&
            abut_samples_near_one(&m->samples, sample, &each->place, m->problems[each->problem].group))
            ok = ok && push(m, each);
        else
            m->parked[kept++] = *each;
    }
    m->parked_count = kept;
    return ok;
}

static bool is_point(const minimiser *m, const ia3 *place, ia time)
{
    const double most = 8 * m->opts.accuracy;
    return ia_width(place->x) <= most && ia_width(place->y) <= most && ia_width(place->z) <= most &&
           ia_width(time) <= 8 * m->opts.duration;
}

/* All that is left near a sample, together with zeros that were found to be alone there: is it
 * in one place? Then it is one contact, of the features that say most about it. */
static void decide(minimiser *m, abut_found *sample)
{
    ia3 place = sample->place;
    ia time = time_of(m, sample->problem, sample->x);
    const abut_found *best = NULL;
    for (size_t i = 0; i < m->left_count; ++i) {
        const abut_found *each = &m->left[i];
        place = best ? ia3_hull(place, each->place) : each->place;
        time = best ? ia_hull(time, time_of(m, each->problem, each->x)) : time_of(m, each->problem, each->x);
        if (!best || m->problems[each->problem].rank < m->problems[best->problem].rank)
            best = each;
    }
    if (!best) { /* refuted: what solutions were near it are known zeros now */
        sample->dropped = true;
        return;
    }
    if (!is_point(m, &place, time))
        return;
    for (size_t i = 0; i < m->found_count; ++i) {
        const abut_found *each = &m->found[i];
        const ia3 both = ia3_hull(place, each->place);
        const ia each_time = time_of(m, each->problem, each->x);
        if (each->isolated && ia_lo(each_time) <= limit(m) &&
            m->problems[each->problem].group == m->problems[sample->problem].group &&
            is_point(m, &both, ia_hull(time, each_time)))
            sample->dropped = sample->dropped || each->common ||
                              m->problems[each->problem].rank <= m->problems[best->problem].rank;
    }
    sample->point = true;
    sample->problem = best->problem;
    sample->place = best->place;
    memcpy(sample->x, best->x, sizeof sample->x);
    sample->x[m->problems[best->problem].unknowns - 1] = time;
}

static bool put_back(minimiser *m)
{
    abut_region r;
    for (size_t i = 0; i < m->left_count; ++i)
        if (!park_found(m, &m->left[i]))
            return false;
    while (abut_queue_pop(&m->queue, true, &r))
        if (!park(m, &r))
            return false;
    return true;
}

/* What is left near a sample, cut further; what is then still undecided is left again. */
static abut_status deepen(minimiser *m, abut_thread_pool *pool)
{
    const uint64_t most = m->most;
    abut_region r;
    for (size_t i = 0; i < m->left_count; ++i) {
        const abut_found *f = &m->left[i];
        r = (abut_region){ .place = f->place, .problem = f->problem, .placed = true };
        memcpy(r.x, f->x, sizeof r.x);
        if (!push(m, &r))
            return ABUT_ERR_MEMORY;
    }
    m->left_count = 0;
    m->deepening = true;
    m->most = m->spent + DEEPEN_ITERATIONS;
    m->most = m->most < most ? m->most : most;
    const abut_status status = work_off(m, pool);
    m->deepening = false;
    m->most = most;
    while (!status && abut_queue_pop(&m->queue, true, &r)) {
        abut_found f = { .place = r.place, .problem = r.problem };
        memcpy(f.x, r.x, sizeof f.x);
        if (!keep(m, &f))
            return ABUT_ERR_MEMORY;
    }
    return status;
}

/* At poles, and where vertices meet, equations are singular or more than the unknowns; a contact
 * there is a point, but cannot be proved to be one. An isolated sample is examined
 * again with all that was parked near it. */
static abut_status find_points(minimiser *m, abut_thread_pool *pool)
{
    if (!(m->opts.sharpness > 0) || m->opts.accept_all || m->opts.newton == ABUT_NEWTON_NONE ||
        m->queue.count)
        return ABUT_OK;
    abut_status status = ABUT_OK;
    m->pointing = true;
    m->no_samples = (abut_samples){ .ws = m->ws, .separation = m->opts.separation };
    int points = 0;
    const uint64_t most = m->spent + POINT_ITERATIONS;
    m->most = most < m->opts.max_iterations ? most : m->opts.max_iterations;
    for (size_t i = 0; i < m->samples.count && points < MOST_POINTS && !status; ++i) {
        if (!abut_samples_alone(&m->samples, i))
            continue;
        const uint32_t found = m->samples.list[i].found;
        ++points;
        m->left_count = 0;
        abut_queue_open(&m->queue, m->ws, true, true);
        if (!reopen(m, i))
            return ABUT_ERR_MEMORY;
        status = work_off(m, pool);
        if (!status && !m->queue.count && (status = deepen(m, pool)) == ABUT_OK)
            decide(m, &m->found[found]);
        if (!put_back(m))
            return ABUT_ERR_MEMORY;
    }
    m->pointing = false;
    return status;
}

/* ---- the third pass: the time of solutions that are not isolated ---- */

/* One region of a problem for the third pass: with many of them the box around all, which is as
 * a rule refused in fewer steps than they are. */
static bool gather(minimiser *m, abut_region *boxes, uint32_t *counts, const abut_region *r)
{
    abut_region *const box = &boxes[r->problem];
    if (counts[r->problem]++ < FEW_REGIONS)
        return push(m, r);
    if (counts[r->problem] == FEW_REGIONS + 1)
        *box = *r;
    for (int j = 0; j < m->problems[r->problem].unknowns; ++j)
        box->x[j] = ia_hull(box->x[j], r->x[j]);
    box->placed = false;
    return true;
}

/* Everything that may hold a solution before the limit: what is parked, and what was accepted
 * without being alone. */
static bool gather_all(minimiser *m)
{
    abut_region *boxes = abut_workspace_take(m->ws, m->problem_count + 1, sizeof *boxes);
    uint32_t *counts = abut_workspace_take(m->ws, m->problem_count + 1, sizeof *counts);
    if (!boxes || !counts)
        return false;
    memset(counts, 0, m->problem_count * sizeof *counts);
    for (size_t i = 0; i < m->parked_count; ++i)
        if (!gather(m, boxes, counts, &m->parked[i]))
            return false;
    m->parked_count = 0;
    for (size_t i = 0; i < m->found_count; ++i) {
        const abut_found *f = &m->found[i];
        abut_region r = { .place = f->place, .problem = f->problem, .placed = true };
        memcpy(r.x, f->x, sizeof r.x);
        if (!f->isolated && !gather(m, boxes, counts, &r))
            return false;
    }
    for (size_t i = 0; i < m->problem_count; ++i)
        if (counts[i] > FEW_REGIONS && !push(m, &boxes[i]))
            return false;
    return true;
}

/* Whether something may hold a solution that is clearly earlier than the soonest. */
static bool is_blunt(const minimiser *m)
{
    for (size_t i = 0; i < m->parked_count; ++i)
        if (ia_lo(time_of(m, m->parked[i].problem, m->parked[i].x)) <= limit(m))
            return true;
    for (size_t i = 0; i < m->found_count; ++i)
        if (!m->found[i].isolated && ia_lo(time_of(m, m->found[i].problem, m->found[i].x)) <= limit(m))
            return true;
    return false;
}

/* Solutions on curves and regions, and at places where the equations are singular, were accepted
 * with a time as wide as the accuracy, and regions near them were parked with any time within
 * epsilon. The first time of all is one number: what can hold a solution clearly earlier than
 * the soonest is refused, or cut until it is as narrow in time as wanted. */
static abut_status sharpen(minimiser *m, abut_thread_pool *pool)
{
    if (!(m->opts.sharpness > 0) || m->opts.accept_all || m->opts.newton == ABUT_NEWTON_NONE ||
        !(m->soonest < HUGE_VAL) || m->queue.count)
        return ABUT_OK;
    const uint64_t most = m->spent + SHARPEN_LEAST + (m->grazes ? 0 : m->spent);
    m->most = most < m->opts.max_iterations ? most : m->opts.max_iterations;
    m->accepted = m->soonest;
    m->sharpening = true; /* is_blunt goes by the new limit */
    m->sharpening = is_blunt(m);
    if (!m->sharpening)
        return ABUT_OK;
    abut_queue_open(&m->queue, m->ws, true, true);
    return gather_all(m) ? work_off(m, pool) : ABUT_ERR_MEMORY;
}

/* Whether regions were discarded on the strength of a sample that is refuted now: all that is
 * left is later than it. A sample that was replaced by a zero in it is none of those. */
static bool relied_on_refuted(const minimiser *m)
{
    double left = HUGE_VAL;
    for (size_t i = 0; i < m->found_count; ++i)
        if (!m->found[i].dropped)
            left = fmin(left, ia_hi(time_of(m, m->found[i].problem, m->found[i].x)));
    for (size_t i = 0; i < m->parked_count; ++i)
        left = fmin(left, ia_hi(time_of(m, m->parked[i].problem, m->parked[i].x)));
    return left > m->soonest;
}

/* Regions that begin before soonest + epsilon were all searched. */
static bool restart(minimiser *m)
{
    m->from = fmax(m->from, m->soonest);
    m->soonest = HUGE_VAL;
    m->grazes = false;
    m->most = m->opts.max_iterations;
    m->found_count = m->parked_count = m->samples.count = 0;
    abut_samples_rebuild(&m->samples);
    return open_problems(m);
}

/* Until the samples that the search relied on survive. */
static abut_status search(minimiser *m, abut_thread_pool *pool, abut_stop *stop)
{
    for (int restarts = 0;; ++restarts) {
        abut_status status = work_off(m, pool);
        *stop = m->queue.count ? ABUT_STOP_BUDGET : ABUT_STOP_DONE;
        if (!status)
            status = find_points(m, pool);
        if (status || *stop || !(m->soonest < HUGE_VAL) || !relied_on_refuted(m))
            return status;
        if (!restart(m))
            return ABUT_ERR_MEMORY;
        if (restarts == MOST_RESTARTS) {
            *stop = ABUT_STOP_BUDGET; /* the queue holds all that is left */
            return ABUT_OK;
        }
    }
}

static ABUT_NOINLINE void run(minimiser *m, abut_thread_pool *pool, abut_stop *stop, abut_status *status)
{
    *status = ABUT_ERR_MEMORY;
    m->regions = abut_workspace_take(m->ws, ROUND, sizeof *m->regions);
    m->steps = abut_workspace_take(m->ws, ROUND, sizeof *m->steps);
    m->isolated = abut_workspace_take(m->ws, m->problem_count + 1, sizeof *m->isolated);
    if (!m->regions || !m->steps || !m->isolated || !open_problems(m))
        return;
    *status = search(m, pool, stop);
    if (!*status)
        *status = sharpen(m, pool);
    if (*status == ABUT_ERR_CANCELLED)
        *stop = ABUT_STOP_CANCELLED;
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

/* A sample that was taken before the same zero was proved to be alone. */
static bool proved_since(const minimiser *m, const abut_found *f, double last)
{
    const int n = m->problems[f->problem].unknowns;
    for (uint32_t i = f->isolated ? 0 : m->isolated[f->problem]; i; i = m->found[i - 1].next)
        if (subset(n, f->x, m->found[i - 1].within) &&
            ia_lo(time_of(m, f->problem, m->found[i - 1].x)) <= last)
            return true;
    return false;
}

/* The third pass counts back from the soonest, perhaps to before the beginning. */
static double clamp_to_start(const minimiser *m, double earliest)
{
    double start = HUGE_VAL;
    for (size_t i = 0; i < m->problem_count; ++i)
        start = least(start, m->problems[i].box[m->problems[i].unknowns - 1].lo);
    return start < HUGE_VAL && earliest < start ? start : earliest;
}

static ABUT_NOINLINE bool answer(minimiser *m, abut_minimum *out)
{
    out->counters = m->counters;
    /* The third pass may have found that the soonest is earlier than it was; samples represent
     * what was found before. */
    const double last = (m->sharpening ? m->accepted : m->soonest) + m->opts.simultaneity;
    out->earliest = abut_queue_earliest(&m->queue, m->problems);
    if (m->sharpening)
        out->earliest = least(out->earliest, limit(m));
    for (size_t i = 0; i < m->parked_count; ++i)
        out->earliest = least(out->earliest, ia_lo(time_of(m, m->parked[i].problem, m->parked[i].x)));
    out->solutions = abut_workspace_take(m->ws, m->found_count + 1, sizeof *out->solutions);
    if (!out->solutions)
        return false;
    for (size_t i = 0; i < m->found_count; ++i) {
        const abut_found *f = &m->found[i];
        const ia time = time_of(m, f->problem, f->x);
        if (f->dropped || ia_lo(time) > last || proved_since(m, f, last))
            continue;
        abut_solution *s = &out->solutions[out->solution_count++];
        *s = (abut_solution){ .problem = f->problem,
                              .place = ia3_to(f->place),
                              .unique = f->unique,
                              .holds = f->holds,
                              .common = f->common,
                              .point = f->point || f->isolated };
        for (int j = 0; j < m->problems[f->problem].unknowns; ++j)
            s->x[j] = ia_write(f->x[j]);
        if (f->isolated || !m->sharpening) /* otherwise it was examined once more */
            out->earliest = least(out->earliest, ia_lo(time));
        if (f->common)
            out->latest = least(out->latest, ia_hi(time));
    }
    out->earliest = clamp_to_start(m, out->earliest) + 0.0; /* no -0 */
    sort_solutions(out, m->problems);
    return true;
}

abut_status abut_minimise(const abut_problem *problems, size_t problem_count, const abut_minimise_opts *opts,
                          abut_workspace *ws, abut_minimum *out)
{
    minimiser m = {
        .problems = problems, .problem_count = problem_count, .ws = ws, .soonest = HUGE_VAL, .from = -HUGE_VAL
    };
    abut_status status = ABUT_OK;
    *out = (abut_minimum){ .earliest = -HUGE_VAL, .latest = HUGE_VAL };
    if (!opts_read(opts, &m.opts) || problem_count > UINT32_MAX)
        return ABUT_ERR_ARGUMENT;
    for (size_t i = 0; i < problem_count; ++i)
        if (!problem_ok(&problems[i]))
            return ABUT_ERR_ARGUMENT;
    m.most = m.opts.max_iterations;
    m.samples = (abut_samples){ .ws = ws, .separation = m.opts.separation };
    abut_thread_pool pool;
    abut_thread_pool_open(&pool, m.opts.threads);
    m.outside = abut_rounding_enter();
    run(&m, &pool, &out->stop, &status);
    if (status != ABUT_ERR_MEMORY && !answer(&m, out))
        status = ABUT_ERR_MEMORY;
    abut_rounding_leave(m.outside);
    abut_thread_pool_close(&pool);
    if (status == ABUT_ERR_MEMORY) /* nothing is known */
        *out = (abut_minimum){ .earliest = -HUGE_VAL, .latest = HUGE_VAL };
    return status;
}
