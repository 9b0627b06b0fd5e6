/* SPDX-License-Identifier: MIT */
/* First contact among many bodies of any kinds.
 *
 * Boxes through time by sort and sweep, then boxes by pieces of time and bounding balls, dismiss
 * most pairs. Pairs with a curved surface go into one queue together; all others are asked in blocks,
 * those that may meet soonest first, and each no further than the first contact known when its block
 * began. The pairs of a block are asked on several threads; blocks do not depend on their number, so
 * neither do answers.
 * The answers join so:
 *  - a pair that penetrates at the start makes it `overlapping`: nothing is earlier than the start;
 *  - else the first contact lies in [least lo, least hi] of what is proved to meet;
 *  - an undecided pair that may meet no later than that makes the whole undecided, one that meets
 *   later does not matter;
 *  - without either, all pairs are proved separate. A point is listed when its time begins no
 *   later than `simultaneity` after the end of the first contact's: it may be simultaneous. */
#include "abut/ellipsoid.h"
#include "base/options.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "ccd/compound.h"
#include "ccd/surface/surface_scene.h"
#include "math/nearest.h"
#include "narrow/compound.h"
#include "narrow/ellipsoid/ellipsoid_place.h"
#include "narrow/explain.h"
#include "shape/shape.h"

#include <stdatomic.h>

/* What one pair, or all surfaces together, came to. */
typedef struct set_answer {
    abut_first_verdict verdict;
    abut_proof proof;
    abut_stop stop;
    abut_interval time;
} set_answer;

typedef struct set_pair {
    uint32_t a, b;
    size_t order; /* of the caller, or by a and b */
    abut_interval time;
} set_pair;

typedef struct set_point {
    size_t answer, pair, order;
    abut_set_point point;
} set_point;

typedef struct set_run {
    const abut_body *bodies;
    size_t body_count;
    abut_first_opts opts;
    abut_interval range;
    abut_workspace *ws;
    abut_surface_scene scene;
    bool *has_surface;
    set_pair *pairs; /* those that bounds did not dismiss */
    size_t pair_count, pair_capacity;
    set_answer *answers;
    size_t answer_count;
    set_point *points;
    size_t point_count, point_capacity;
    double limit; /* nothing later matters */
    abut_status status;
    abut_set_result *out;
    double done, share; /* of the work: before, and of what is asked now */
} set_run;

static void add_point(set_run *run, const set_pair *pair, abut_first_verdict verdict,
                      const abut_first_point *at)
{
    set_point *const points =
        abut_workspace_grow(run->ws, run->points, run->point_count, &run->point_capacity, sizeof *points);
    if (!points) {
        run->status = ABUT_ERR_MEMORY;
        return;
    }
    run->points = points;
    points[run->point_count] = (set_point){ .answer = run->answer_count,
                                            .pair = pair->order,
                                            .order = run->point_count,
                                            .point = { pair->a, pair->b, verdict, *at } };
    ++run->point_count;
}

/* Not by one ulp where t is 0: no solver can work with times of 1e-324. */
static double a_little_after(const set_run *run, double t)
{
    return fmax(nextafter(t, HUGE_VAL), t + 0x1p-50 * (run->range.hi - run->range.lo));
}

static void add_answer(set_run *run, const set_answer *answer)
{
    run->answers[run->answer_count++] = *answer;
    if (answer->verdict == ABUT_FIRST_OVERLAPPING)
        run->limit = run->range.lo;
    else if (answer->verdict == ABUT_FIRST_CONTACT)
        run->limit = fmin(run->limit, a_little_after(run, answer->time.hi + run->opts.simultaneity));
}

static void count(set_run *run, const abut_counters *counters)
{
    run->out->counters.iterations += counters->iterations;
    run->out->counters.evaluations += counters->evaluations;
    run->out->counters.exact += counters->exact;
}

/* ---- bodies and pairs ---- */

static bool read_range(set_run *run)
{
    const abut_first_opts *const o = &run->opts;
    run->range = o->time;
    if (isnan(run->range.lo) && isnan(run->range.hi)) {
        run->range = (abut_interval){ -INFINITY, INFINITY };
        for (size_t i = 0; i < run->body_count; ++i) {
            if (!run->bodies[i].motion)
                continue;
            const abut_interval each = abut_motion_get_range(run->bodies[i].motion);
            run->range = (abut_interval){ fmax(run->range.lo, each.lo), fmin(run->range.hi, each.hi) };
        }
        if (isinf(run->range.lo) && isinf(run->range.hi))
            run->range = (abut_interval){ 0, 1 };
    }
    run->limit = run->range.hi;
    run->opts.time = run->range;
    return run->range.lo < run->range.hi && !isinf(run->range.lo) && !isinf(run->range.hi) &&
           o->simultaneity >= 0 && o->separation >= 0 && o->accuracy >= 0 && abut_surface_opts_ok(o);
}

/* Of an ellipsoid that is flattened at some time there is no answer, be it far from all others
 * or not. */
static abut_status check_places(set_run *run, const uint32_t *pairs, size_t pair_count)
{
    bool *const asked = abut_workspace_take(run->ws, run->body_count + 1, sizeof *asked);
    if (!asked)
        return ABUT_ERR_MEMORY;
    for (size_t i = 0; i < run->body_count; ++i)
        asked[i] = !pairs && run->body_count > 1;
    for (size_t i = 0; pairs && i < 2 * pair_count; ++i)
        asked[pairs[i]] = true;
    for (size_t i = 0; i < run->body_count; ++i) {
        const abut_body *const body = &run->bodies[i];
        abut_interval at;
        bool singular;
        if (asked[i] && abut_is_ellipsoid(body->shape) && body->motion &&
            !abut_motion_is_rigid(body->motion) &&
            !abut_ellipsoid_find_singular(body->motion, &run->range, &singular, &at) && singular)
            return ABUT_ERR_VALUE;
    }
    return ABUT_OK;
}

/* Surfaces only where a pair may need them: when there is a curved body at all. */
static abut_status make_bodies(set_run *run)
{
    bool any = false;
    for (size_t i = 0; i < run->body_count; ++i)
        any = any || abut_surface_wanted(run->bodies[i].shape, run->bodies[i].shape);
    run->scene = (abut_surface_scene){ .body_count = run->body_count, .range = run->range };
    run->scene.bodies = abut_workspace_take(run->ws, run->body_count + 1, sizeof *run->scene.bodies);
    run->has_surface = abut_workspace_take(run->ws, run->body_count + 1, sizeof *run->has_surface);
    if (!run->scene.bodies || !run->has_surface)
        return ABUT_ERR_MEMORY;
    for (size_t i = 0; i < run->body_count; ++i) {
        const abut_body *const body = &run->bodies[i];
        abut_surface_parts *const parts = &run->scene.bodies[i];
        const abut_status status =
            any ? abut_surface_parts_make(body->shape, body->motion, run->range, run->ws, parts)
                : ABUT_ERR_UNSUPPORTED;
        run->has_surface[i] = status == ABUT_OK;
        if (status == ABUT_ERR_UNSUPPORTED) {
            const abut_aabb box = abut_shape_bounds(body->shape);
            *parts = (abut_surface_parts){ .shape = body->shape, .motion = body->motion };
            parts->cull = (abut_cull_body){
                .motion = body->motion,
                .local = { { box.lo.x, box.hi.x }, { box.lo.y, box.hi.y }, { box.lo.z, box.hi.z } }
            };
            abut_cull_prepare(&parts->cull, run->range);
        } else if (status) {
            return status;
        }
    }
    return ABUT_OK;
}

static void add_pair(set_run *run, uint32_t a, uint32_t b, size_t order)
{
    abut_interval time;
    if (run->status ||
        !abut_cull_time(&run->scene.bodies[a].cull, &run->scene.bodies[b].cull, run->range, &time))
        return;
    set_pair *const pairs =
        abut_workspace_grow(run->ws, run->pairs, run->pair_count, &run->pair_capacity, sizeof *pairs);
    if (!pairs) {
        run->status = ABUT_ERR_MEMORY;
        return;
    }
    run->pairs = pairs;
    pairs[run->pair_count++] = (set_pair){ a, b, order, time };
}

static void add_swept(void *ctx, uint32_t a, uint32_t b)
{
    set_run *const run = ctx;
    add_pair(run, a, b, (size_t)a * run->body_count + b);
}

static bool pair_before(void *ctx, const void *left, const void *right)
{
    const set_pair *const x = left, *const y = right;
    (void)ctx;
    return x->time.lo != y->time.lo ? x->time.lo < y->time.lo : x->order < y->order;
}

static abut_status make_pairs(set_run *run, const uint32_t *pairs, size_t pair_count)
{
    run->out->pairs = pair_count;
    if (pairs) {
        for (size_t i = 0; i < pair_count; ++i)
            add_pair(run, pairs[2 * i], pairs[2 * i + 1], i);
    } else {
        run->out->pairs = run->body_count < 2 ? 0 : run->body_count * (run->body_count - 1) / 2;
        if (run->body_count > 1) {
            abut_cull_body *const culls = abut_workspace_take(run->ws, run->body_count, sizeof *culls);
            if (!culls)
                return ABUT_ERR_MEMORY;
            for (size_t i = 0; i < run->body_count; ++i)
                culls[i] = run->scene.bodies[i].cull;
            if (!abut_cull_sweep(culls, run->body_count, run->ws, add_swept, run))
                return ABUT_ERR_MEMORY;
        }
    }
    run->out->culled = run->out->pairs - run->pair_count;
    abut_base_sort(run->pairs, run->pair_count, sizeof *run->pairs, pair_before, NULL);
    run->answers = abut_workspace_take(run->ws, run->pair_count + 1, sizeof *run->answers);
    return !run->answers ? ABUT_ERR_MEMORY : run->status;
}

/* ---- pairs that have a method of their own ---- */

/* The caller's progress, over all pairs. */
static bool pass_progress(void *ctx, double fraction)
{
    const set_run *const run = ctx;
    const double part = fraction >= 0 && fraction <= 1 ? fraction : 0;
    return run->opts.progress(run->opts.progress_ctx, run->done + run->share * part);
}

static abut_first_opts opts_with_progress(set_run *run)
{
    abut_first_opts opts = run->opts;
    if (opts.progress) {
        opts.progress = pass_progress;
        opts.progress_ctx = run;
    }
    return opts;
}

static bool is_curved_pair(const set_run *run, const set_pair *pair)
{
    return run->has_surface[pair->a] && run->has_surface[pair->b] &&
           abut_surface_wanted(run->bodies[pair->a].shape, run->bodies[pair->b].shape);
}

/* A pair of the block and what came of it. */
typedef struct set_item {
    const set_pair *pair;
    abut_status status;
    abut_first_result result;
    ABUT_ARRAY(abut_first_point) points; /* through the callback */
    const abut_allocator *alloc;
    bool full;
} set_item;

enum { BLOCK = 64 };

typedef struct set_block {
    set_run *run;
    set_item items[BLOCK];
    size_t count;
    atomic_size_t next;
    atomic_bool stop;
    abut_workspace spaces[ABUT_PARALLEL_MOST];
    int threads;
} set_block;

static void take_point(void *ctx, const abut_first_point *point)
{
    set_item *const item = ctx;
    if (!item->full && !ABUT_ARRAY_PUSH(item->alloc, &item->points, *point))
        item->full = true;
}

/* Progress comes from the calling thread, which is number 0. */
static void ask_pairs(void *ctx, int index)
{
    set_block *const block = ctx;
    set_run *const run = block->run;
    while (!atomic_load(&block->stop)) {
        const size_t i = atomic_fetch_add(&block->next, 1);
        if (i >= block->count)
            return;
        set_item *const item = &block->items[i];
        const abut_body *const a = &run->bodies[item->pair->a], *const b = &run->bodies[item->pair->b];
        abut_first_opts opts = opts_with_progress(run);
        if (index > 0)
            opts.progress = NULL;
        if (block->count > 1)
            opts.threads = 1;
        opts.on_point = take_point;
        opts.on_point_ctx = item;
        if (run->limit > run->range.lo && run->limit < run->range.hi)
            opts.time.hi = run->limit;
        item->alloc = &block->spaces[index].alloc;
        item->status = abut_first_contact(a->shape, a->motion, b->shape, b->motion, &opts,
                                          &block->spaces[index], &item->result);
        if (!item->status && item->full)
            item->status = ABUT_ERR_MEMORY;
        if (item->status)
            atomic_store(&block->stop, true);
    }
}

static void take_item(set_run *run, const set_item *item)
{
    const abut_first_result *const r = &item->result;
    const size_t before = run->point_count;
    count(run, &r->counters);
    /* Points come through the callback when they are too many for the result, and may come so
     * always. */
    for (size_t i = 0; i < item->points.count; ++i)
        add_point(run, item->pair, r->verdict, &item->points.items[i]);
    if (run->point_count == before)
        for (size_t i = 0; i < r->point_count && i < ABUT_FIRST_CONTACTS; ++i)
            add_point(run, item->pair, r->verdict, &r->points[i]);
    if (run->point_count == before && r->verdict != ABUT_FIRST_SEPARATE) {
        const abut_first_point none = { .time = r->time };
        add_point(run, item->pair, r->verdict, &none);
    }
    const set_answer answer = { r->verdict, r->proof, r->stop, r->time };
    add_answer(run, &answer);
}

/* Pairs are taken in order, and each is finished once begun: what comes before the first failure is
 * there whichever thread fails. */
static abut_status ask_block(set_block *block)
{
    set_run *const run = block->run;
    atomic_init(&block->next, 0);
    atomic_init(&block->stop, false);
    abut_parallel_run(block->count < (size_t)block->threads ? (int)block->count : block->threads, ask_pairs,
                      block);
    abut_status status = ABUT_OK;
    for (size_t i = 0; i < block->count; ++i) {
        set_item *const item = &block->items[i];
        status = status ? status : item->status;
        if (!status)
            take_item(run, item);
        if (item->alloc)
            ABUT_ARRAY_FREE(item->alloc, &item->points);
    }
    return status ? status : run->status;
}

/* Blocks of 1, 2, 4 … pairs: the first ones, which may meet soonest, spare the others much. */
static abut_status ask_blocks(set_block *block)
{
    set_run *const run = block->run;
    abut_status status = ABUT_OK;
    size_t room = 1;
    for (size_t i = 0; i < run->pair_count && !status;) {
        block->count = 0;
        run->done = (double)i / (double)run->pair_count;
        for (; i < run->pair_count && block->count < room; ++i) {
            const set_pair *const pair = &run->pairs[i];
            /* Proved apart until then. */
            if (!is_curved_pair(run, pair) && !(pair->time.lo > run->limit))
                block->items[block->count++] = (set_item){ .pair = pair };
        }
        run->share = (double)i / (double)run->pair_count - run->done;
        if (block->count)
            status = ask_block(block);
        room = room < BLOCK ? 2 * room : BLOCK;
    }
    return status;
}

static abut_status ask_others(set_run *run)
{
    set_block *const block = abut_workspace_take(run->ws, 1, sizeof *block);
    if (!block)
        return ABUT_ERR_MEMORY;
    block->run = run;
    block->threads = run->opts.threads > 0 ? abut_parallel_threads(run->opts.threads) : 1;
    for (int t = 0; t < block->threads; ++t)
        abut_workspace_open(&block->spaces[t], &run->ws->alloc);
    const abut_status status = ask_blocks(block);
    for (int t = 0; t < block->threads; ++t)
        abut_workspace_close(&block->spaces[t]);
    return status;
}

/* ---- pairs of surfaces ---- */

static abut_status add_surface_pair(set_run *run, const set_pair *pair)
{
    bool possible = false;
    abut_surface_pair *const next = &run->scene.pairs[run->scene.pair_count];
    const abut_status status = abut_surface_pair_make(&run->scene, pair->a, pair->b, next, &possible);
    if (status || !possible || next->time.lo > run->limit)
        return status;
    next->time.hi = fmin(next->time.hi, run->limit);
    next->order = pair->order;
    ++run->scene.pair_count;
    return ABUT_OK;
}

static abut_status ask_surfaces(set_run *run)
{
    size_t curved = 0;
    for (size_t i = 0; i < run->pair_count; ++i)
        curved += is_curved_pair(run, &run->pairs[i]);
    if (!curved)
        return ABUT_OK;
    run->scene.pairs = abut_workspace_take(run->ws, curved, sizeof *run->scene.pairs);
    if (!run->scene.pairs)
        return ABUT_ERR_MEMORY;
    for (size_t i = 0; i < run->pair_count; ++i)
        if (is_curved_pair(run, &run->pairs[i])) {
            const abut_status status = add_surface_pair(run, &run->pairs[i]);
            if (status)
                return status;
        }
    abut_surface_answer found;
    run->done = 1 - (double)curved / (double)run->pair_count;
    run->share = 1 - run->done;
    const abut_first_opts opts = opts_with_progress(run);
    const abut_status status = abut_surface_solve(&run->scene, &opts, run->ws, &found);
    if (status)
        return status;
    count(run, &found.counters);
    for (size_t i = 0; i < found.point_count; ++i) {
        const set_pair pair = { found.points[i].a, found.points[i].b, found.orders[i], run->range };
        add_point(run, &pair, found.verdict, &found.points[i].at);
    }
    const set_answer answer = { found.verdict, found.proof, found.stop, found.time };
    add_answer(run, &answer);
    return run->status;
}

/* ---- joining ---- */

static bool point_before(void *ctx, const void *left, const void *right)
{
    const set_point *const x = *(const set_point *const *)left, *const y = *(const set_point *const *)right;
    (void)ctx;
    return x->pair != y->pair ? x->pair < y->pair : x->order < y->order;
}

static abut_status give_points(set_run *run, bool overlapping, double limit, abut_set_point *points,
                               size_t capacity)
{
    const set_point **const kept = abut_workspace_take(run->ws, run->point_count + 1, sizeof *kept);
    size_t n = 0;
    if (!kept)
        return ABUT_ERR_MEMORY;
    for (size_t i = 0; i < run->point_count; ++i) {
        const set_point *const each = &run->points[i];
        if (overlapping ? run->answers[each->answer].verdict == ABUT_FIRST_OVERLAPPING
                        : each->point.at.time.lo <= limit)
            kept[n++] = each;
    }
    abut_base_sort(kept, n, sizeof *kept, point_before, NULL);
    for (size_t i = 0; i < n && i < capacity; ++i)
        points[i] = kept[i]->point;
    run->out->point_count = n;
    return ABUT_OK;
}

/* The weakest link: of the overlapping pairs, or of all that were asked, since each is needed to
 * say that nothing is earlier. What bounds dismiss is certain, and lowers no grade; alone it is
 * known by enclosures. */
static abut_proof weakest(const set_run *run, bool overlapping)
{
    abut_proof proof = run->out->culled && run->answer_count == 0 ? ABUT_PROOF_INTERVAL : ABUT_PROOF_EXACT;
    for (size_t i = 0; i < run->answer_count; ++i) {
        const set_answer *const each = &run->answers[i];
        if (overlapping && each->verdict != ABUT_FIRST_OVERLAPPING)
            continue;
        /* That an undecided pair meets no earlier than its time says is known by enclosures. */
        const abut_proof own = each->verdict == ABUT_FIRST_UNDECIDED && each->proof == ABUT_PROOF_NONE
                                   ? ABUT_PROOF_INTERVAL
                                   : each->proof;
        proof = own < proof ? own : proof;
    }
    return proof;
}

static abut_status join(set_run *run, abut_set_point *points, size_t capacity)
{
    bool overlapping = false, contact = false, undecided = false;
    abut_interval time = { HUGE_VAL, HUGE_VAL };
    abut_set_result *const out = run->out;
    for (size_t i = 0; i < run->answer_count; ++i) {
        const set_answer *const each = &run->answers[i];
        overlapping = overlapping || each->verdict == ABUT_FIRST_OVERLAPPING;
        if (each->verdict == ABUT_FIRST_CONTACT) {
            contact = true;
            time = (abut_interval){ fmin(time.lo, each->time.lo), fmin(time.hi, each->time.hi) };
        }
    }
    double undecided_hi = -HUGE_VAL;
    for (size_t i = 0; i < run->answer_count; ++i) {
        const set_answer *const each = &run->answers[i];
        if (each->verdict != ABUT_FIRST_UNDECIDED || each->time.lo > time.hi)
            continue;
        undecided = true;
        time.lo = fmin(time.lo, each->time.lo);
        undecided_hi = fmax(undecided_hi, each->time.hi);
    }
    if (undecided && !contact)
        time.hi = undecided_hi;
    /* One ulp upwards: the sum may have been rounded down, and a point just inside must stay. */
    const double limit = nextafter(time.hi + run->opts.simultaneity, HUGE_VAL);
    for (size_t i = 0; i < run->answer_count && !overlapping; ++i)
        if (run->answers[i].stop > out->stop && run->answers[i].time.lo <= limit &&
            run->answers[i].verdict != ABUT_FIRST_SEPARATE)
            out->stop = run->answers[i].stop;
    out->verdict = overlapping ? ABUT_FIRST_OVERLAPPING
                   : undecided ? ABUT_FIRST_UNDECIDED
                   : contact   ? ABUT_FIRST_CONTACT
                               : ABUT_FIRST_SEPARATE;
    out->proof = out->verdict == ABUT_FIRST_UNDECIDED ? ABUT_PROOF_NONE : weakest(run, overlapping);
    if (overlapping)
        out->time = (abut_interval){ run->range.lo, run->range.lo };
    else if (undecided || contact)
        out->time = time;
    return give_points(run, overlapping, limit, points, capacity);
}

static ABUT_MATH_NOINLINE abut_status find_first(set_run *run, const uint32_t *pairs, size_t pair_count,
                                                 abut_set_point *points, size_t capacity)
{
    abut_status status = check_places(run, pairs, pair_count);
    if (!status)
        status = make_bodies(run);
    if (!status)
        status = make_pairs(run, pairs, pair_count);
    if (!status)
        status = ask_others(run);
    if (!status)
        status = ask_surfaces(run);
    return status ? status : join(run, points, capacity);
}

static bool arguments_ok(const abut_body *bodies, size_t body_count, const uint32_t *pairs, size_t pair_count)
{
    if ((body_count > 0 && !bodies) || body_count > UINT32_MAX)
        return false;
    for (size_t i = 0; i < body_count; ++i)
        if (!bodies[i].shape)
            return false;
    for (size_t i = 0; pairs && i < pair_count; ++i)
        if (pairs[2 * i] >= body_count || pairs[2 * i + 1] >= body_count || pairs[2 * i] == pairs[2 * i + 1])
            return false;
    return true;
}

static bool has_compound(const abut_body *bodies, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (abut_is_compound(bodies[i].shape))
            return true;
    return false;
}

static abut_status ask_set(const abut_body *bodies, size_t body_count, const uint32_t *pairs,
                           size_t pair_count, const abut_first_opts *opts, abut_workspace *ws,
                           abut_set_point *points, size_t capacity, abut_set_result *out)
{
    set_run run = { .bodies = bodies, .body_count = body_count, .out = out };
    abut_workspace own;
    abut_first_opts_init(&run.opts);
    if (!out)
        return ABUT_ERR_ARGUMENT;
    *out = (abut_set_result){ .verdict = ABUT_FIRST_UNDECIDED };
    if ((capacity > 0 && !points) || !arguments_ok(bodies, body_count, pairs, pair_count) ||
        !abut_options_read(&run.opts, sizeof run.opts, opts) || !read_range(&run))
        return ABUT_ERR_ARGUMENT;
    if (!ws)
        abut_workspace_open(&own, NULL);
    run.ws = ws ? ws : &own;
    const abut_workspace_mark mark = abut_workspace_begin(run.ws);
    const abut_nearest saved = abut_nearest_enter();
    const abut_status status = has_compound(bodies, body_count)
                                   ? abut_compound_first_set(bodies, body_count, pairs, pair_count, &run.opts,
                                                             run.ws, points, capacity, out)
                                   : find_first(&run, pairs, pair_count, points, capacity);
    abut_nearest_leave(saved);
    abut_workspace_end(run.ws, mark);
    if (!ws)
        abut_workspace_close(&own);
    if (status)
        *out =
            (abut_set_result){ .stop = status == ABUT_ERR_CANCELLED ? ABUT_STOP_CANCELLED : ABUT_STOP_DONE };
    return status;
}

/* Why it failed, by the first pair that does not go. */
static abut_status explain_set(abut_status status, const abut_body *bodies, size_t body_count,
                               const uint32_t *pairs, size_t pair_count, const abut_first_opts *opts,
                               const abut_set_result *out)
{
    abut_error *const error = ABUT_ERROR_OF(opts);
    if (!error)
        return status;
    if (status == ABUT_ERR_ARGUMENT && !arguments_ok(bodies, body_count, pairs, pair_count))
        return abut_explain_argument(error, status, "bodies",
                                     "a body has no shape, or a pair has a number that is no body");
    const abut_first_opts one = *opts;
    for (size_t i = 0; pairs && i < pair_count; ++i) {
        const abut_body *const a = &bodies[pairs[2 * i]], *const b = &bodies[pairs[2 * i + 1]];
        abut_first_result r;
        abut_first_opts brief = one;
        brief.max_iterations = 1;
        brief.on_point = NULL;
        if (status != ABUT_ERR_MEMORY && status != ABUT_ERR_CANCELLED &&
            abut_first_contact(a->shape, a->motion, b->shape, b->motion, &brief, NULL, &r) == status)
            return status;
    }
    return abut_explain_argument(error, status, out ? "" : "out", abut_status_text(status));
}

abut_status abut_first_contact_set(const abut_body *bodies, size_t body_count, const uint32_t *pairs,
                                   size_t pair_count, const abut_first_opts *opts, abut_workspace *ws,
                                   abut_set_point *points, size_t capacity, abut_set_result *out)
{
    const abut_status status =
        ask_set(bodies, body_count, pairs, pair_count, opts, ws, points, capacity, out);
    if (status == ABUT_OK || !opts)
        return status;
    return explain_set(status, bodies, body_count, pairs, pair_count, opts, out);
}
