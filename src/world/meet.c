/* SPDX-License-Identifier: MIT */
/* Queries about all bodies at one instant: pairs that meet or come near, and the nearest pair. */
#include "world/world.h"

#include "world/broad/aabb.h"

typedef struct meet_run {
    abut_world_asked asked;
    bool all; /* separate pairs, too */
    abut_world_pair_fn found;
    void *ctx;
    abut_world_result *out;
} meet_run;

typedef struct meet_item {
    abut_status status;
    abut_check_result check;
} meet_item;

abut_status abut_world_check(const abut_world_asked *asked, uint32_t i, uint32_t j, abut_workspace *ws,
                             abut_check_result *out)
{
    const abut_world_slot *a = &asked->world->slots[i], *b = &asked->world->slots[j];
    if (!a->body.motion && !b->body.motion)
        return abut_check(a->body.shape, &a->body.pose, b->body.shape, &b->body.pose, &asked->check, ws, out);
    abut_world_motion at_a, at_b = { NULL, NULL };
    abut_status status = abut_world_motion_of(a, &asked->alloc, &at_a);
    if (!status)
        status = abut_world_motion_of(b, &asked->alloc, &at_b);
    if (!status)
        status = abut_check_at(a->body.shape, at_a.motion, b->body.shape, at_b.motion, asked->world->time.lo,
                               &asked->check, ws, out);
    abut_motion_release(at_a.made);
    abut_motion_release(at_b.made);
    return status;
}

static abut_status compute(void *ctx, size_t index, abut_workspace *ws, void *into)
{
    const meet_run *run = ctx;
    meet_item *item = into;
    const abut_box_pair pair = run->asked.pairs[index];
    item->status = abut_world_check(&run->asked, pair.a, pair.b, ws, &item->check);
    return abut_world_is_of_pair(item->status) ? ABUT_OK : item->status;
}

/* Proved farther apart than asked for. */
static bool is_apart(const meet_run *run, const meet_item *item)
{
    const double within = run->asked.opts.within;
    return !item->status && item->check.verdict == ABUT_SEPARATE &&
           (within == 0 || item->check.distance.lo > within);
}

static bool is_open(const meet_run *run, const meet_item *item)
{
    const double within = run->asked.opts.within;
    return item->check.verdict == ABUT_UNDECIDED ||
           (within > 0 && item->check.distance.lo <= within && item->check.distance.hi > within);
}

static abut_status emit(void *ctx, size_t index, void *from)
{
    const meet_run *run = ctx;
    const meet_item *item = from;
    const abut_box_pair pair = run->asked.pairs[index];
    abut_world_count(&run->out->counters, &item->check.counters);
    if (!run->all && is_apart(run, item))
        return ABUT_OK;
    ++run->out->found;
    run->out->failed += item->status != ABUT_OK;
    run->out->undecided += !item->status && is_open(run, item);
    return !run->found || run->found(run->ctx, abut_world_id(run->asked.world, pair.a),
                                     abut_world_id(run->asked.world, pair.b), item->status, &item->check)
               ? ABUT_OK
               : ABUT_ERR_CANCELLED;
}

static abut_status ask(const abut_world *world, const abut_world_query_opts *opts, bool all,
                       abut_world_pair_fn found, void *ctx, abut_world_result *out)
{
    abut_world_result unwanted;
    meet_run run = { .all = all, .found = found, .ctx = ctx, .out = out ? out : &unwanted };
    *run.out = (abut_world_result){ 0 };
    abut_status status = abut_world_ask(world, opts, &run.asked);
    if (status)
        return status;
    status = all ? abut_world_given(&run.asked, false) : abut_world_candidates(&run.asked);
    const abut_world_job job = { .size = sizeof(meet_item), .compute = compute, .emit = emit, .ctx = &run };
    return abut_world_run_asked(&run.asked, status, job, run.out);
}

abut_status abut_world_meeting(const abut_world *world, const abut_world_query_opts *opts,
                               abut_world_pair_fn found, void *ctx, abut_world_result *out)
{
    return ask(world, opts, false, found, ctx, out);
}

abut_status abut_world_check_pairs(const abut_world *world, const abut_world_query_opts *opts,
                                   abut_world_pair_fn found, void *ctx, abut_world_result *out)
{
    return ask(world, opts, true, found, ctx, out);
}

/* ---- the nearest pair ---- */

typedef struct nearest_run {
    abut_world_asked asked;
    abut_workspace ws;
    abut_world_nearest_result *out;
    double open; /* least lower bound of pairs that are not decided */
} nearest_run;

/* Keeps the pair whose distance is known to be least; what has no answer is kept where nothing
 * better is. */
static abut_status try_pair(nearest_run *run, uint32_t a, uint32_t b, double gap, double *limit)
{
    abut_world_nearest_result *out = run->out;
    abut_check_result check;
    const abut_status status = abut_world_check(&run->asked, a, b, &run->ws, &check);
    if (status && !abut_world_is_of_pair(status))
        return status;
    ++out->checked;
    abut_interval distance = check.distance;
    if (status)
        distance = (abut_interval){ gap, INFINITY };
    else if (check.verdict != ABUT_UNDECIDED)
        distance.lo = abut_max2(distance.lo, abut_min2(gap, distance.hi));
    run->open = abut_min2(run->open, distance.lo);
    const bool better = !out->has_pair || (out->status && !status) ||
                        (!out->status == !status && (distance.hi < out->check.distance.hi ||
                                                     (status && distance.lo < out->distance.lo)));
    if (better) {
        out->has_pair = true;
        out->a = abut_world_id(run->asked.world, a);
        out->b = abut_world_id(run->asked.world, b);
        out->status = status;
        out->check = check;
        out->distance = distance;
    }
    if (!status)
        *limit = abut_min2(*limit, distance.hi);
    /* Nothing is nearer than what is proved to meet. */
    if (!status && (check.verdict == ABUT_TOUCHING || check.verdict == ABUT_PENETRATING)) {
        run->open = 0;
        *limit = -1;
    }
    return ABUT_OK;
}

static abut_status visit(void *ctx, uint32_t a, uint32_t b, double gap, double *limit)
{
    nearest_run *run = ctx;
    return abut_world_asks(&run->asked, a, b) ? try_pair(run, a, b, gap, limit) : ABUT_OK;
}

/* Those the caller gave: one by one, nearest boxes first would need them sorted; a gap beyond the
 * best distance dismisses them as well. */
static abut_status visit_given(nearest_run *run, double *limit)
{
    abut_status status = abut_world_given(&run->asked, true);
    for (size_t i = 0; !status && i < run->asked.pair_count; ++i) {
        const abut_box_pair p = run->asked.pairs[i];
        const double gap = abut_aabb_gap(&run->asked.world->boxes[p.a], &run->asked.world->boxes[p.b]);
        if (gap <= *limit)
            status = try_pair(run, p.a, p.b, gap, limit);
    }
    return status;
}

abut_status abut_world_nearest(const abut_world *world, const abut_world_query_opts *opts,
                               abut_world_nearest_result *out)
{
    if (!out)
        return ABUT_ERR_ARGUMENT;
    *out = (abut_world_nearest_result){ .distance = { INFINITY, INFINITY } };
    nearest_run run = { .out = out, .open = INFINITY };
    abut_status status = abut_world_ask(world, opts, &run.asked);
    if (status)
        return status;
    if (!(run.asked.opts.within > 0))
        run.asked.opts.within = INFINITY;
    double limit = run.asked.opts.within;
    abut_workspace_open(&run.ws, &run.asked.alloc);
    if (run.asked.opts.pairs) {
        status = visit_given(&run, &limit);
    } else {
        const abut_tree *tree = abut_world_tree(world);
        status = tree ? abut_tree_search_pairs(tree, visit, &run, limit) : ABUT_ERR_MEMORY;
    }
    abut_workspace_close(&run.ws);
    abut_world_asked_clear(&run.asked);
    if (status)
        *out = (abut_world_nearest_result){ .distance = { INFINITY, INFINITY } };
    else if (out->has_pair)
        out->distance.lo = abut_min2(out->distance.lo, run.open);
    return status;
}
