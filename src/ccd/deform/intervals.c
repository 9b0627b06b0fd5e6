/* SPDX-License-Identifier: MIT */
/* All intervals of contact of meshes under motions of vertices.
 *
 * The stretches of time in which features meet, of all pairs, split the time. In between no features
 * meet, so that no triangles begin or cease to cross there: one time in each gap tells, by exact signs,
 * whether they cross in all of it. */
#include "ccd/deform/deform.h"

#include "base/memory.h"
#include "base/sort.h"

#include <math.h>

enum { STRETCHES = 16 };

typedef struct gathering {
    abut_deform_scene scene;
    abut_deform_ask ask;
    abut_contact_interval room[STRETCHES];
    ABUT_ARRAY(abut_contact_interval) stretches; /* of the piece */
    ABUT_ARRAY(abut_contact_interval) all;       /* of all pieces */
    abut_deform_counters counters;
    bool doubtful, inexact, no_memory;
} gathering;

static bool take(void *ctx, const abut_impact_query *query, const abut_deform_contact *contact,
                 const abut_impact_result *r)
{
    (void)query;
    gathering *g = ctx;
    (void)contact;
    for (size_t i = 0; i < r->interval_count && !g->no_memory; ++i) {
        abut_contact_interval x = g->room[i < STRETCHES ? i : STRETCHES - 1];
        g->no_memory = !ABUT_ARRAY_PUSH(&g->scene.alloc, &g->stretches, x);
    }
    return !g->no_memory;
}

static bool before(void *ctx, const void *x, const void *y)
{
    const abut_contact_interval *p = x, *q = y;
    (void)ctx;
    return p->enter.lo != q->enter.lo ? p->enter.lo < q->enter.lo : p->exit.hi < q->exit.hi;
}

static void unite(abut_contact_interval *x, const abut_contact_interval *y)
{
    x->enter = (abut_interval){ fmin(x->enter.lo, y->enter.lo), fmin(x->enter.hi, y->enter.hi) };
    x->exit = (abut_interval){ fmax(x->exit.lo, y->exit.lo), fmax(x->exit.hi, y->exit.hi) };
}

/* Those that overlap, or may, become one. */
static void join_stretches(gathering *g)
{
    size_t kept = 0;
    abut_base_sort(g->stretches.items, g->stretches.count, sizeof *g->stretches.items, before, NULL);
    for (size_t i = 0; i < g->stretches.count; ++i) {
        const abut_contact_interval x = g->stretches.items[i];
        if (kept > 0 && x.enter.lo <= g->stretches.items[kept - 1].exit.hi)
            unite(&g->stretches.items[kept - 1], &x);
        else
            g->stretches.items[kept++] = x;
    }
    g->stretches.count = kept;
}

/* Adds an interval in the unit of the piece, joined with what ends where it begins. */
static void add(gathering *g, const abut_contact_interval *x)
{
    const abut_contact_interval y = { abut_deform_time(&g->scene, x->enter),
                                      abut_deform_time(&g->scene, x->exit) };
    abut_contact_interval *last = g->all.count ? &g->all.items[g->all.count - 1] : NULL;
    if (last && y.enter.lo <= last->exit.hi)
        unite(last, &y);
    else
        g->no_memory = !ABUT_ARRAY_PUSH(&g->scene.alloc, &g->all, y);
}

/* The gaps of a piece: do triangles cross there? */
static abut_status fill_gaps(gathering *g)
{
    const size_t count = g->stretches.count;
    abut_contact_interval open = { { 0, 0 }, { 0, 0 } };
    bool is_open = false;
    double from = 0;
    for (size_t i = 0; i <= count && !g->no_memory; ++i) {
        const abut_contact_interval *x = i < count ? &g->stretches.items[i] : NULL;
        const double to = x ? x->enter.lo : 1;
        int crossing = 0;
        if (to > from) {
            const double t = 0.5 * from + 0.5 * to;
            const abut_status status = abut_deform_crossing_at(&g->scene, t, &crossing);
            if (status)
                return status;
            if (crossing < 0)
                g->doubtful = true;
        } else {
            crossing = is_open;
        }
        if (crossing && !is_open) { /* only at the start: elsewhere contact begins with a stretch */
            open.enter = (abut_interval){ from, from };
            open.exit = (abut_interval){ to, to };
            is_open = true;
        } else if (!crossing && is_open) {
            add(g, &open);
            is_open = false;
        }
        if (x && is_open)
            unite(&open, x);
        else if (x)
            open = *x;
        if (x)
            from = x->exit.hi;
        else if (is_open && to > from)
            open.exit = (abut_interval){ 1, 1 };
        is_open = is_open || x;
    }
    if (is_open)
        add(g, &open);
    return ABUT_OK;
}

static abut_status run_piece(gathering *g)
{
    g->stretches.count = 0;
    g->ask = (abut_deform_ask){ .a = g->scene.a.mesh,
                                .b = abut_deform_other(&g->scene),
                                .features = true,
                                .t_max = 1,
                                .stretches = true,
                                .counters = &g->counters,
                                .take = take,
                                .ctx = g };
    abut_impact_opts_init(&g->ask.opts);
    g->ask.opts.intervals = g->room;
    g->ask.opts.interval_capacity = STRETCHES;
    abut_status status = abut_deform_run_ask(&g->ask, true);
    if (status)
        return status;
    g->inexact = g->inexact || g->ask.inexact;
    if (g->ask.undecided) { /* possible contact, as far as is known at any time of the piece */
        const abut_contact_interval x = { { g->ask.undecided_time.lo, g->ask.undecided_time.hi },
                                          { g->ask.undecided_time.lo, g->ask.undecided_time.hi } };
        g->doubtful = true;
        g->no_memory = g->no_memory || !ABUT_ARRAY_PUSH(&g->scene.alloc, &g->stretches, x);
    }
    if (g->no_memory)
        return ABUT_ERR_MEMORY;
    join_stretches(g);
    status = fill_gaps(g);
    return status ? status : g->no_memory ? ABUT_ERR_MEMORY : ABUT_OK;
}

static abut_status run(gathering *g, const abut_first_opts *opts, abut_interval range)
{
    for (double t = range.lo; t < range.hi;) {
        const double next = abut_deform_next(&g->scene, t, range.hi);
        if (opts->progress && !opts->progress(opts->progress_ctx, (t - range.lo) / (range.hi - range.lo)))
            return ABUT_ERR_CANCELLED;
        abut_status status = abut_deform_place(&g->scene, (abut_interval){ t, next });
        if (!status)
            status = run_piece(g);
        if (status)
            return status;
        t = next;
    }
    return ABUT_OK;
}

abut_status abut_deform_intervals(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                                  const abut_motion *motion_b, const abut_first_opts *opts,
                                  abut_interval range, bool solids, abut_contact_interval *intervals,
                                  size_t capacity, abut_intervals_result *out)
{
    gathering g = { .doubtful = false };
    if (opts->method != ABUT_METHOD_AUTO)
        return ABUT_ERR_UNSUPPORTED;
    abut_status status = abut_deform_open(&g.scene, a, motion_a, b, motion_b, range, solids);
    if (!status)
        status = run(&g, opts, range);
    if (!status) {
        for (size_t i = 0; i < g.all.count && i < capacity; ++i)
            intervals[i] = g.all.items[i];
        out->count = g.all.count;
        out->proof = g.doubtful ? ABUT_PROOF_TOLERANCE : g.inexact ? ABUT_PROOF_INTERVAL : ABUT_PROOF_EXACT;
        out->stop = g.doubtful ? ABUT_STOP_TOLERANCE : ABUT_STOP_DONE;
        out->counters = (abut_counters){ .iterations = g.counters.triangle_pairs,
                                         .evaluations = g.counters.feature_tests,
                                         .exact = g.counters.exact };
    }
    ABUT_ARRAY_FREE(&g.scene.alloc, &g.stretches);
    ABUT_ARRAY_FREE(&g.scene.alloc, &g.all);
    abut_deform_close(&g.scene);
    return status;
}
