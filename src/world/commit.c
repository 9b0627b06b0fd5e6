/* SPDX-License-Identifier: MIT */
/* Commit: boxes of what changed or moves, then the broad phase, then the filters. All of it is made
 * beside what the last commit found, and takes its place at the end, so that a failure changes
 * nothing. */
#include "world/world.h"

#include "base/parallel.h"
#include "world/broad/aabb.h"
#include "world/broad/broad.h"
#include "world/chains.h"
#include "world/relative.h"

#include <stdatomic.h>
#include <string.h>

enum { ALONE = 4096 }; /* bodies from which threads pay */

abut_status abut_world_box(const abut_world_slot *slot, abut_interval time, abut_extremes *extremes,
                           abut_aabb *out)
{
    const abut_world_body *body = &slot->body;
    return body->motion ? abut_bounds_over(body->shape, body->motion, time, body->box, extremes, out)
                        : abut_bounds_at(body->shape, &body->pose, body->box, extremes, out);
}

/* What searches begin with may be lost: then they begin anywhere. */
static void make_extremes(abut_world *world)
{
    const size_t have = world->extremes_capacity;
    bool wanted = have > 0;
    for (size_t i = 0; i < world->slot_count && !wanted; ++i)
        wanted = world->slots[i].used && abut_bounds_climb(world->slots[i].body.shape);
    if (wanted && world->slot_count > have &&
        abut_base_grow(&world->alloc, (void **)&world->extremes, &world->extremes_capacity, have,
                       world->slot_count - have, sizeof *world->extremes))
        memset(world->extremes + have, 0, (world->extremes_capacity - have) * sizeof *world->extremes);
}

typedef struct box_run {
    const abut_world *world;
    abut_aabb *boxes;
    abut_interval time;
    bool same_time;
    int threads;
    atomic_int failed; /* the first status of any thread */
} box_run;

static void make_boxes(void *ctx, int index)
{
    box_run *run = ctx;
    const abut_world *world = run->world;
    size_t begin, end;
    abut_parallel_share(world->slot_count, run->threads, index, &begin, &end);
    for (size_t i = begin; i < end; ++i) {
        const abut_world_slot *slot = &world->slots[i];
        abut_status status = ABUT_OK;
        if (!slot->used)
            run->boxes[i] = abut_aabb_empty();
        else if (!slot->changed && i < world->box_count && (run->same_time || abut_world_is_still(slot)))
            run->boxes[i] = world->boxes[i];
        else
            status = abut_world_box(
                slot, run->time, i < world->extremes_capacity ? &world->extremes[i] : NULL, &run->boxes[i]);
        if (status) {
            int none = ABUT_OK;
            atomic_compare_exchange_strong(&run->failed, &none, status);
            return;
        }
    }
}

static abut_status filter_pairs(const abut_world *world, const abut_box_pair *found, size_t count,
                                abut_world_relative *relative, abut_pair_list *out)
{
    for (size_t i = 0; i < count; ++i)
        if (abut_world_wants(world, found[i].a, found[i].b) &&
            (!relative || abut_relative_may_meet(relative, found[i].a, found[i].b)) &&
            !abut_pair_list_add(out, found[i].a, found[i].b))
            return out->status;
    return ABUT_OK;
}

/* The pairs of these boxes that are asked about. */
static abut_status find_pairs(abut_world *world, const abut_aabb *boxes, abut_interval time,
                              abut_pair_list *out)
{
    const abut_box_pair *found = NULL;
    size_t count = 0;
    abut_pair_list of_chains = { .alloc = world->alloc,
                                 .limit =
                                     world->opts.max_pairs ? world->opts.max_pairs : ABUT_BROAD_MAX_PAIRS };
    abut_status status;
    if (world->chained) {
        status = abut_chains_pairs(world, boxes, &of_chains);
        found = of_chains.items;
        count = of_chains.count;
    } else {
        status = abut_broad_update(world->broad, boxes, world->slot_count, &found, &count);
    }
    abut_world_relative relative = { .flights = NULL };
    const bool ranged = world->opts.relative && time.lo < time.hi;
    if (!status && ranged && count > 0)
        status = abut_relative_open(&relative, world, time);
    if (!status)
        status = filter_pairs(world, found, count, ranged ? &relative : NULL, out);
    abut_relative_close(&relative);
    abut_pair_list_clear(&of_chains);
    return status;
}

/* ---- what became of the pairs ---- */

typedef struct history {
    uint8_t *persists;
    abut_cache *caches;
    ABUT_ARRAY(abut_world_ended) ended;
} history;

static bool is_before(abut_box_pair x, abut_box_pair y)
{
    return x.a != y.a ? x.a < y.a : x.b < y.b;
}

/* Merges the old and the new pairs, both ascending; pairs of bodies that were replaced are new ones. */
static bool compare_pairs(const abut_world *world, const abut_pair_list *now, history *out)
{
    const abut_pair_list *then = &world->pairs;
    out->persists = abut_base_alloc_zero(&world->alloc, now->count, 1);
    if (world->caches)
        out->caches = abut_base_alloc_zero(&world->alloc, now->count, sizeof *out->caches);
    if (!out->persists || (world->caches && !out->caches))
        return false;
    size_t j = 0;
    for (size_t i = 0; i < then->count; ++i) {
        const abut_box_pair old = then->items[i];
        const abut_world_slot *a = &world->slots[old.a], *b = &world->slots[old.b];
        while (j < now->count && is_before(now->items[j], old))
            ++j;
        const bool same = j < now->count && now->items[j].a == old.a && now->items[j].b == old.b &&
                          a->generation == a->committed && b->generation == b->committed;
        if (same) {
            out->persists[j] = 1;
            if (world->caches)
                out->caches[j] = world->caches[i];
            continue;
        }
        const abut_world_ended ended = { { old.a, a->committed }, { old.b, b->committed } };
        if (!ABUT_ARRAY_PUSH(&world->alloc, &out->ended, ended))
            return false;
    }
    return true;
}

static void drop_history(const abut_allocator *alloc, history *h, size_t count)
{
    if (h->persists)
        abut_base_free(alloc, h->persists, count, 1);
    if (h->caches)
        abut_base_free(alloc, h->caches, count, sizeof *h->caches);
    ABUT_ARRAY_FREE(alloc, &h->ended);
}

void abut_world_drop_history(abut_world *world)
{
    if (world->persists)
        abut_base_free(&world->alloc, world->persists, world->persists_count, 1);
    if (world->caches)
        abut_base_free(&world->alloc, world->caches, world->cache_count, sizeof *world->caches);
    ABUT_ARRAY_FREE(&world->alloc, &world->ended);
    world->persists = NULL;
    world->caches = NULL;
}

static void take_history(abut_world *world, const history *h, size_t count)
{
    abut_world_drop_history(world);
    world->persists = h->persists;
    world->caches = h->caches;
    world->persists_count = world->cache_count = count;
    world->ended.items = h->ended.items;
    world->ended.count = h->ended.count;
    world->ended.capacity = h->ended.capacity;
}

abut_status abut_world_commit(abut_world *world, abut_interval time)
{
    if (!world || !(time.lo <= time.hi) || !isfinite(time.lo) || !isfinite(time.hi))
        return ABUT_ERR_ARGUMENT;
    abut_aabb *boxes = abut_base_alloc(&world->alloc, world->slot_count, sizeof *boxes);
    if (!boxes)
        return ABUT_ERR_MEMORY;
    const size_t count = world->slot_count;
    make_extremes(world);
    box_run run = { .world = world,
                    .boxes = boxes,
                    .time = time,
                    .same_time = world->committed && world->time.lo == time.lo && world->time.hi == time.hi,
                    .threads = count < ALONE ? 1 : abut_parallel_threads(world->opts.threads) };
    atomic_init(&run.failed, ABUT_OK);
    abut_parallel_run(run.threads, make_boxes, &run);
    abut_status status = (abut_status)atomic_load(&run.failed);
    abut_pair_list pairs = { .alloc = world->alloc, .limit = SIZE_MAX };
    if (!status)
        status = find_pairs(world, boxes, time, &pairs);
    history what = { .persists = NULL };
    if (!status && !compare_pairs(world, &pairs, &what))
        status = ABUT_ERR_MEMORY;
    if (status) {
        drop_history(&world->alloc, &what, pairs.count);
        abut_pair_list_clear(&pairs);
        abut_base_free(&world->alloc, boxes, count, sizeof *boxes);
        return status;
    }
    take_history(world, &what, pairs.count);
    abut_pair_list_clear(&world->pairs);
    world->pairs = pairs;
    abut_base_shrink(&world->alloc, world->boxes, world->box_capacity, sizeof *world->boxes);
    world->boxes = boxes;
    world->box_count = count;
    world->box_capacity = count ? count : 1;
    for (size_t i = 0; i < count; ++i) {
        world->slots[i].changed = false;
        world->slots[i].committed = world->slots[i].used ? world->slots[i].generation : 0;
    }
    world->time = time;
    world->committed = true;
    world->pending = false;
    world->has_tree = false;
    return ABUT_OK;
}

const abut_tree *abut_world_tree(const abut_world *world)
{
    /* What is built here is a cache: the world is the same before and after. */
    const union {
        const abut_world *read;
        abut_world *world;
    } same = { world };
    abut_world *own = same.world;
    pthread_mutex_lock(&own->lock);
    if (!own->has_tree)
        own->has_tree = abut_tree_build(&own->tree, own->boxes, own->box_count);
    const bool ok = own->has_tree;
    pthread_mutex_unlock(&own->lock);
    return ok ? &own->tree : NULL;
}
