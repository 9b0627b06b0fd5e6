/* SPDX-License-Identifier: MIT */
/* What queries about all bodies share: options, candidates from the boxes, and asking about many
 * pairs on several threads with the answers passed on in order.
 *
 * Pairs are worked off in blocks: threads take pairs of a block one by one, then the caller's thread
 * passes the answers on. So memory does not grow with the number of pairs, and callbacks come from
 * one thread, in the order of the pairs, however many threads there are. */
#include "world/world.h"

#include "base/options.h"
#include "base/parallel.h"
#include "motion/motion.h"
#include "world/broad/aabb.h"
#include "world/broad/broad.h"

#include <stdatomic.h>
#include <string.h>

enum {
    BLOCK = 2048, /* pairs, at most */
    SHARE = 4     /* that a thread takes at once */
};

void abut_world_query_opts_init(abut_world_query_opts *opts)
{
    if (opts)
        *opts = (abut_world_query_opts){ .struct_size = sizeof *opts };
}

abut_status abut_world_ask(const abut_world *world, const abut_world_query_opts *opts, abut_world_asked *out)
{
    *out = (abut_world_asked){ .world = world };
    abut_world_query_opts_init(&out->opts);
    abut_check_opts_init(&out->check);
    abut_first_opts_init(&out->first);
    if (!abut_world_is_ready(world) || !abut_options_read(&out->opts, sizeof out->opts, opts) ||
        !abut_options_read(&out->check, sizeof out->check, out->opts.check) ||
        !abut_options_read(&out->first, sizeof out->first, out->opts.first) || !(out->opts.within >= 0) ||
        out->opts.threads < 0 || (out->opts.pair_count && !out->opts.pairs))
        return ABUT_ERR_ARGUMENT;
    for (size_t i = 0; out->opts.pairs && i < out->opts.pair_count; ++i) {
        const abut_body_id *pair = out->opts.pairs[i];
        if (!abut_world_has(world, pair[0]) || !abut_world_has(world, pair[1]) ||
            pair[0].index == pair[1].index)
            return ABUT_ERR_ARGUMENT;
    }
    out->alloc = world->alloc;
    out->own =
        (abut_pair_list){ .alloc = world->alloc,
                          .limit = world->opts.max_pairs ? world->opts.max_pairs : ABUT_BROAD_MAX_PAIRS };
    out->threads = abut_parallel_threads(out->opts.threads);
    out->check.cache = NULL;
    out->check.progress = NULL;
    out->first.progress = NULL;
    out->first.threads = 1;
    return ABUT_OK;
}

void abut_world_asked_clear(abut_world_asked *asked)
{
    abut_pair_list_clear(&asked->own);
    if (asked->given)
        abut_base_free(&asked->alloc, asked->given, asked->opts.pair_count, sizeof *asked->given);
    asked->given = NULL;
}

/* ---- candidates ---- */

static bool both_still(const abut_world *world, uint32_t a, uint32_t b)
{
    return abut_world_is_still(&world->slots[a]) && abut_world_is_still(&world->slots[b]);
}

bool abut_world_asks(const abut_world_asked *asked, uint32_t a, uint32_t b)
{
    return abut_world_wants(asked->world, a, b) && !(asked->opts.moving && both_still(asked->world, a, b));
}

abut_status abut_world_given(abut_world_asked *asked, bool culled)
{
    const abut_world *world = asked->world;
    const size_t count = asked->opts.pair_count;
    asked->listed = true;
    asked->given = abut_base_alloc(&asked->alloc, count, sizeof *asked->given);
    if (!asked->given)
        return ABUT_ERR_MEMORY;
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t a = asked->opts.pairs[i][0].index, b = asked->opts.pairs[i][1].index;
        if ((asked->opts.moving && both_still(world, a, b)) ||
            (culled && abut_aabb_gap(&world->boxes[a], &world->boxes[b]) > asked->opts.within))
            continue;
        asked->given[kept++] = (abut_box_pair){ a, b };
    }
    asked->pairs = asked->given;
    asked->pair_count = kept;
    return ABUT_OK;
}

/* Boxes larger by half the distance on all sides meet where the gap is no more than that. */
static abut_status wider_candidates(abut_world_asked *asked)
{
    const abut_world *world = asked->world;
    abut_aabb *boxes = abut_base_alloc(&asked->alloc, world->box_count, sizeof *boxes);
    abut_broad *broad = NULL;
    abut_broad_opts opts;
    abut_broad_opts_init(&opts);
    opts.max_pairs = world->opts.max_pairs;
    opts.threads = asked->threads;
    opts.sorted = true;
    abut_status status = boxes ? abut_broad_create(&opts, &asked->alloc, &broad) : ABUT_ERR_MEMORY;
    const double by = 0.5 * asked->opts.within + 0x1p-1074;
    for (size_t i = 0; !status && i < world->box_count; ++i)
        boxes[i] = world->slots[i].used ? abut_aabb_grow(&world->boxes[i], by) : abut_aabb_empty();
    const abut_box_pair *found = NULL;
    size_t count = 0;
    if (!status)
        status = abut_broad_update(broad, boxes, world->box_count, &found, &count);
    for (size_t i = 0; !status && i < count; ++i) {
        const uint32_t a = found[i].a, b = found[i].b;
        if (abut_world_asks(asked, a, b) &&
            abut_aabb_gap(&world->boxes[a], &world->boxes[b]) <= asked->opts.within &&
            !abut_pair_list_add(&asked->own, a, b))
            status = asked->own.status;
    }
    abut_broad_destroy(broad);
    if (boxes)
        abut_base_free(&asked->alloc, boxes, world->box_count, sizeof *boxes);
    asked->pairs = asked->own.items;
    asked->pair_count = asked->own.count;
    return status;
}

abut_status abut_world_candidates(abut_world_asked *asked)
{
    const abut_world *world = asked->world;
    if (asked->opts.pairs)
        return abut_world_given(asked, true);
    if (asked->opts.within > 0)
        return wider_candidates(asked);
    asked->pairs = world->pairs.items;
    asked->pair_count = world->pairs.count;
    if (!asked->opts.moving)
        return ABUT_OK;
    for (size_t i = 0; i < world->pairs.count; ++i) {
        const abut_box_pair p = world->pairs.items[i];
        if (!both_still(world, p.a, p.b) && !abut_pair_list_add(&asked->own, p.a, p.b))
            return asked->own.status;
    }
    asked->pairs = asked->own.items;
    asked->pair_count = asked->own.count;
    return ABUT_OK;
}

/* ---- motions ---- */

abut_status abut_world_motion_of(const abut_world_slot *slot, const abut_allocator *alloc,
                                 abut_world_motion *out)
{
    *out = (abut_world_motion){ .motion = slot->body.motion };
    if (out->motion)
        return ABUT_OK;
    const abut_placement at = abut_placement_from_pose(slot->body.pose);
    const abut_status status = abut_motion_create_static(&at, alloc, &out->made, NULL);
    out->motion = out->made;
    return status;
}

/* ---- many pairs ---- */

typedef struct block_run {
    const abut_world_job *job;
    abut_workspace spaces[ABUT_PARALLEL_MOST];
    char *items;
    abut_status *states;
    size_t first, count; /* of the block */
    atomic_size_t next;
    atomic_bool stop;
} block_run;

static void work(void *ctx, int index)
{
    block_run *run = ctx;
    const abut_world_job *job = run->job;
    while (!atomic_load(&run->stop)) {
        const size_t from = atomic_fetch_add(&run->next, SHARE);
        for (size_t i = from; i < from + SHARE; ++i) {
            if (i >= run->count)
                return;
            run->states[i] =
                job->compute(job->ctx, run->first + i, &run->spaces[index], run->items + i * job->size);
            if (run->states[i])
                atomic_store(&run->stop, true);
        }
    }
}

/* Shares are taken in order, and each is finished once begun: what comes before the first failure is
 * there whichever thread fails. */
static abut_status emit_block(block_run *run)
{
    const abut_world_job *job = run->job;
    abut_status status = ABUT_OK;
    for (size_t i = 0; i < run->count; ++i) {
        if (!status)
            status = run->states[i];
        if (!status)
            status = job->emit(job->ctx, run->first + i, run->items + i * job->size);
        if (job->drop)
            job->drop(job->ctx, run->items + i * job->size);
    }
    return status;
}

static abut_status run_job(const abut_world_job *job)
{
    const size_t block = job->count < BLOCK ? job->count : BLOCK;
    block_run *run = abut_base_alloc_zero(job->alloc, 1, sizeof *run);
    if (!run)
        return ABUT_ERR_MEMORY;
    run->job = job;
    run->items = abut_base_alloc(job->alloc, block, job->size);
    run->states = abut_base_alloc(job->alloc, block, sizeof *run->states);
    abut_status status = run->items && run->states ? ABUT_OK : ABUT_ERR_MEMORY;
    for (int t = 0; t < job->threads; ++t)
        abut_workspace_open(&run->spaces[t], job->alloc);
    for (run->first = 0; !status && run->first < job->count; run->first += run->count) {
        if (job->progress && !job->progress(job->progress_ctx, (double)run->first / (double)job->count)) {
            status = ABUT_ERR_CANCELLED;
            break;
        }
        run->count = job->count - run->first < block ? job->count - run->first : block;
        memset(run->items, 0, run->count * job->size);
        memset(run->states, 0, run->count * sizeof *run->states);
        atomic_init(&run->next, 0);
        atomic_init(&run->stop, false);
        abut_parallel_run(run->count < 2 * SHARE ? 1 : job->threads, work, run);
        status = emit_block(run);
    }
    for (int t = 0; t < job->threads; ++t)
        abut_workspace_close(&run->spaces[t]);
    if (run->items)
        abut_base_free(job->alloc, run->items, block, job->size);
    if (run->states)
        abut_base_free(job->alloc, run->states, block, sizeof *run->states);
    abut_base_free(job->alloc, run, 1, sizeof *run);
    return status;
}

abut_status abut_world_run_asked(abut_world_asked *asked, abut_status status, abut_world_job job,
                                 abut_world_result *out)
{
    out->candidates = asked->pair_count;
    job.count = asked->pair_count;
    job.threads = asked->threads;
    job.alloc = &asked->alloc;
    job.progress = asked->opts.progress;
    job.progress_ctx = asked->opts.progress_ctx;
    if (!status)
        status = run_job(&job);
    abut_world_asked_clear(asked);
    if (status)
        *out = (abut_world_result){ 0 };
    return status;
}
