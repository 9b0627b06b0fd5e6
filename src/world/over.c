/* SPDX-License-Identifier: MIT */
/* Queries about all bodies over a range of time: the first contact, and all intervals of contact.
 *
 * The first contact is searched for slab of time by slab. Boxes over a whole range are of little use
 * where bodies cross each other's paths: then the first half is examined alone, and so on, until
 * boxes leave a number of pairs that is linear in the bodies. The pairs of a slab go into one query
 * (ccd/surface_set.c), and slabs after the one with the first contact are never examined. A contact
 * at the border of two slabs belongs to the earlier one, since times are closed. */
#include "world/world.h"

#include "abut/ellipsoid.h"
#include "narrow/ellipsoid/ellipsoid_place.h"
#include "world/broad/aabb.h"

#include <string.h>

enum {
    USUAL = 8,    /* pairs a body that a slab may have without being cut */
    HALVINGS = 24 /* of the range, at most */
};

/* ---- bodies of the pairs ---- */

typedef struct first_run {
    abut_world_asked asked;
    abut_interval range;
    /* of the slab */
    abut_aabb *boxes;
    abut_broad *broad;
    abut_pair_list pairs;
    /* bodies in pairs, numbered from 0 */
    uint32_t *number; /* of each slot */
    abut_body *bodies;
    uint32_t *slots; /* of each body */
    abut_motion **made;
    size_t body_count;
    abut_workspace ws;
    abut_set_point *points;
    size_t capacity;
    abut_set_result *out;
    abut_body_id *missing;
} first_run;

static void drop_bodies(first_run *run)
{
    for (size_t i = 0; i < run->body_count; ++i)
        abut_motion_release(run->made[i]);
    run->body_count = 0;
}

static abut_status number_body(first_run *run, uint32_t slot)
{
    const abut_world_slot *s = &run->asked.world->slots[slot];
    abut_world_motion at;
    if (run->number[slot] != UINT32_MAX)
        return ABUT_OK;
    const abut_status status = abut_world_motion_of(s, &run->asked.alloc, &at);
    if (status)
        return status;
    run->number[slot] = (uint32_t)run->body_count;
    run->slots[run->body_count] = slot;
    run->made[run->body_count] = at.made;
    run->bodies[run->body_count++] = (abut_body){ s->body.shape, at.motion };
    return ABUT_OK;
}

static abut_status number_bodies(first_run *run, const abut_box_pair *pairs, size_t count)
{
    drop_bodies(run);
    memset(run->number, 0xff, run->asked.world->slot_count * sizeof *run->number);
    abut_status status = ABUT_OK;
    for (size_t i = 0; i < count && !status; ++i) {
        status = number_body(run, pairs[i].a);
        if (!status)
            status = number_body(run, pairs[i].b);
    }
    return status;
}

/* The query does not say which pair it has no method for: an iteration each finds out. */
static void name_missing(first_run *run, const abut_box_pair *pairs, size_t count)
{
    abut_first_opts opts = run->asked.first;
    opts.time = run->range;
    opts.max_iterations = 1;
    for (size_t i = 0; run->missing && i < count; ++i) {
        const abut_body *a = &run->bodies[run->number[pairs[i].a]],
                        *b = &run->bodies[run->number[pairs[i].b]];
        abut_first_result r;
        if (abut_first_contact(a->shape, a->motion, b->shape, b->motion, &opts, &run->ws, &r) !=
            ABUT_ERR_UNSUPPORTED)
            continue;
        run->missing[0] = abut_world_id(run->asked.world, pairs[i].a);
        run->missing[1] = abut_world_id(run->asked.world, pairs[i].b);
        return;
    }
}

/* One query about the pairs, over a slab. */
static abut_status ask_slab(first_run *run, const abut_box_pair *pairs, size_t count, abut_interval slab,
                            abut_set_result *out)
{
    abut_first_opts opts = run->asked.first;
    opts.time = slab;
    opts.progress = run->asked.opts.progress;
    opts.progress_ctx = run->asked.opts.progress_ctx;
    opts.threads = run->asked.threads;
    abut_status status = number_bodies(run, pairs, count);
    if (status)
        return status;
    uint32_t *numbers = abut_base_alloc(&run->asked.alloc, 2 * count, sizeof *numbers);
    if (!numbers)
        return ABUT_ERR_MEMORY;
    for (size_t i = 0; i < count; ++i) {
        numbers[2 * i] = run->number[pairs[i].a];
        numbers[2 * i + 1] = run->number[pairs[i].b];
    }
    status = abut_first_contact_set(run->bodies, run->body_count, numbers, count, &opts, &run->ws,
                                    run->points, run->capacity, out);
    abut_base_free(&run->asked.alloc, numbers, 2 * count, sizeof *numbers);
    if (status == ABUT_ERR_UNSUPPORTED)
        name_missing(run, pairs, count);
    const size_t written = out->point_count < run->capacity ? out->point_count : run->capacity;
    for (size_t i = 0; !status && i < written; ++i) {
        run->points[i].a = run->slots[run->points[i].a];
        run->points[i].b = run->slots[run->points[i].b];
    }
    return status;
}

/* ---- slabs ---- */

/* ABUT_ERR_LIMIT: more than the limit. */
static abut_status slab_pairs(first_run *run, abut_interval slab)
{
    const abut_world *world = run->asked.world;
    for (size_t i = 0; i < world->slot_count; ++i) {
        run->boxes[i] = abut_aabb_empty();
        const abut_status status =
            world->slots[i].used ? abut_world_box(&world->slots[i], slab, NULL, &run->boxes[i]) : ABUT_OK;
        if (status)
            return status;
    }
    const abut_box_pair *found;
    size_t count;
    abut_status status = abut_broad_update(run->broad, run->boxes, world->slot_count, &found, &count);
    run->pairs.count = 0;
    for (size_t i = 0; !status && i < count; ++i)
        if (abut_world_asks(&run->asked, found[i].a, found[i].b) &&
            !abut_pair_list_add(&run->pairs, found[i].a, found[i].b))
            status = run->pairs.status;
    return status;
}

static void join_slab(first_run *run, const abut_set_result *slab, bool first)
{
    abut_set_result *out = run->out;
    const abut_set_result before = *out;
    *out = *slab;
    if (first)
        return;
    abut_world_count(&out->counters, &before.counters);
    out->pairs += before.pairs;
    out->culled += before.culled;
    /* that nothing was earlier */
    if (out->proof != ABUT_PROOF_NONE && before.proof < out->proof)
        out->proof = before.proof;
}

static abut_status walk(first_run *run)
{
    const abut_interval range = run->range;
    const double shortest = (range.hi - range.lo) / ((uint64_t)1 << HALVINGS);
    double lo = range.lo, width = 0.5 * (range.hi - range.lo);
    for (bool first = true;; first = false) {
        abut_interval slab = { lo, range.hi - lo > 1.5 * width ? lo + width : range.hi };
        abut_status status;
        while ((status = slab_pairs(run, slab)) == ABUT_ERR_LIMIT && width > shortest) {
            width *= 0.5;
            slab.hi = lo + width;
        }
        if (status)
            return status;
        abut_set_result found;
        status = ask_slab(run, run->pairs.items, run->pairs.count, slab, &found);
        if (status)
            return status;
        const double last = found.time.hi + run->asked.first.simultaneity;
        if (found.verdict == ABUT_FIRST_CONTACT && last > slab.hi && slab.hi < range.hi) {
            /* Others may be simultaneous with it beyond the slab. */
            slab.hi = fmin(nextafter(last, INFINITY), range.hi);
            status = slab_pairs(run, slab);
            if (!status)
                status = ask_slab(run, run->pairs.items, run->pairs.count, slab, &found);
            if (status)
                return status;
        }
        join_slab(run, &found, first);
        if (found.verdict != ABUT_FIRST_SEPARATE || slab.hi >= range.hi)
            return ABUT_OK;
        lo = slab.hi;
        if (run->pairs.count < run->pairs.limit / 4)
            width *= 2;
    }
}

static abut_status make_room(first_run *run)
{
    const abut_allocator *alloc = &run->asked.alloc;
    const size_t n = run->asked.world->slot_count;
    run->number = abut_base_alloc(alloc, n, sizeof *run->number);
    run->bodies = abut_base_alloc(alloc, n, sizeof *run->bodies);
    run->slots = abut_base_alloc(alloc, n, sizeof *run->slots);
    run->made = abut_base_alloc(alloc, n, sizeof *run->made);
    return run->number && run->bodies && run->slots && run->made ? ABUT_OK : ABUT_ERR_MEMORY;
}

static void give_room(first_run *run)
{
    const abut_allocator *alloc = &run->asked.alloc;
    const size_t n = run->asked.world->slot_count;
    if (run->made)
        drop_bodies(run);
    if (run->number)
        abut_base_free(alloc, run->number, n, sizeof *run->number);
    if (run->bodies)
        abut_base_free(alloc, run->bodies, n, sizeof *run->bodies);
    if (run->slots)
        abut_base_free(alloc, run->slots, n, sizeof *run->slots);
    if (run->made)
        abut_base_free(alloc, run->made, n, sizeof *run->made);
    if (run->boxes)
        abut_base_free(alloc, run->boxes, n, sizeof *run->boxes);
    abut_pair_list_clear(&run->pairs);
    abut_broad_destroy(run->broad);
}

static abut_status first_by_slabs(first_run *run)
{
    abut_broad_opts opts;
    abut_broad_opts_init(&opts);
    opts.threads = run->asked.threads;
    opts.sorted = true;
    run->pairs = (abut_pair_list){ .alloc = run->asked.alloc, .limit = run->asked.own.limit };
    opts.max_pairs = (size_t)USUAL * run->asked.world->body_count + 1024;
    run->boxes = abut_base_alloc(&run->asked.alloc, run->asked.world->slot_count, sizeof *run->boxes);
    const abut_status status =
        run->boxes ? abut_broad_create(&opts, &run->asked.alloc, &run->broad) : ABUT_ERR_MEMORY;
    return status ? status : walk(run);
}

/* Of an ellipsoid that is flattened at some time there is no answer, be it far from all others or
 * not. */
static abut_status check_place(const first_run *run, uint32_t slot)
{
    const abut_world_body *body = &run->asked.world->slots[slot].body;
    abut_interval at;
    bool singular = false;
    if (!run->asked.world->slots[slot].used || !body->motion || abut_motion_is_rigid(body->motion) ||
        !abut_is_ellipsoid(body->shape))
        return ABUT_OK;
    return !abut_ellipsoid_find_singular(body->motion, &run->range, &singular, &at) && singular
               ? ABUT_ERR_VALUE
               : ABUT_OK;
}

static abut_status check_places(const first_run *run)
{
    const abut_world_query_opts *opts = &run->asked.opts;
    abut_status status = ABUT_OK;
    for (uint32_t i = 0; !opts->pairs && i < run->asked.world->slot_count && !status; ++i)
        status = check_place(run, i);
    for (size_t i = 0; opts->pairs && i < 2 * opts->pair_count && !status; ++i)
        status = check_place(run, opts->pairs[i / 2][i % 2].index);
    return status;
}

abut_status abut_world_first(const abut_world *world, const abut_world_query_opts *opts,
                             abut_set_point *points, size_t capacity, abut_set_result *out,
                             abut_body_id missing[2])
{
    if (missing)
        missing[0] = missing[1] = (abut_body_id){ 0, 0 };
    if (!out)
        return ABUT_ERR_ARGUMENT;
    *out = (abut_set_result){ .verdict = ABUT_FIRST_UNDECIDED };
    first_run run = { .points = points, .capacity = capacity, .out = out, .missing = missing };
    abut_status status = abut_world_ask(world, opts, &run.asked);
    if (status || (capacity > 0 && !points) || !(world->time.lo < world->time.hi))
        return status ? status : ABUT_ERR_ARGUMENT;
    run.range = world->time;
    abut_workspace_open(&run.ws, &run.asked.alloc);
    status = make_room(&run);
    if (!status)
        status = check_places(&run);
    if (!status)
        status = abut_world_candidates(&run.asked);
    if (!status) {
        const size_t few = (size_t)USUAL * world->body_count + 1024;
        status = run.asked.opts.pairs || run.asked.pair_count <= few
                     ? ask_slab(&run, run.asked.pairs, run.asked.pair_count, run.range, out)
                     : first_by_slabs(&run);
    }
    /* What boxes dismiss alone is known by enclosures. */
    const bool any = run.asked.opts.pairs ? run.asked.opts.pair_count > 0 : world->body_count > 1;
    if (!status && out->verdict == ABUT_FIRST_SEPARATE && out->pairs == 0 && any)
        out->proof = ABUT_PROOF_INTERVAL;
    give_room(&run);
    abut_world_asked_clear(&run.asked);
    abut_workspace_close(&run.ws);
    if (status)
        *out =
            (abut_set_result){ .stop = status == ABUT_ERR_CANCELLED ? ABUT_STOP_CANCELLED : ABUT_STOP_DONE };
    return status;
}

/* ---- all intervals ---- */

typedef struct intervals_run {
    abut_world_asked asked;
    abut_world_intervals_fn found;
    void *ctx;
    abut_world_result *out;
} intervals_run;

typedef struct intervals_item {
    abut_status status;
    abut_contact_interval *of;
    size_t capacity;
    abut_intervals_result result;
} intervals_item;

/* Curved bodies cost much, and their boxes tell of some; a motion that is not rigid may be an error. */
static bool boxes_part(const intervals_run *run, const abut_world_slot *a, const abut_world_slot *b)
{
    const abut_world *const world = run->asked.world;
    if (!a->body.shape->surface && !b->body.shape->surface)
        return false;
    if ((a->body.motion && !abut_motion_is_rigid(a->body.motion)) ||
        (b->body.motion && !abut_motion_is_rigid(b->body.motion)))
        return false;
    return abut_aabb_gap(&world->boxes[a - world->slots], &world->boxes[b - world->slots]) > 0;
}

/* Into memory that is on the stack first, as hundreds are rare and asking again is as much work. */
static abut_status find_intervals(const intervals_run *run, const abut_world_slot *a,
                                  const abut_world_slot *b, const abut_motion *at_a, const abut_motion *at_b,
                                  abut_workspace *ws, intervals_item *item)
{
    enum { FIRST = 512 };
    if (boxes_part(run, a, b)) {
        item->result = (abut_intervals_result){ .proof = ABUT_PROOF_INTERVAL };
        return ABUT_OK;
    }
    abut_contact_interval few[FIRST];
    abut_first_opts opts = run->asked.first;
    opts.time = run->asked.world->time;
    abut_status status = abut_contact_intervals(a->body.shape, at_a, b->body.shape, at_b, &opts, ws, few,
                                                FIRST, &item->result);
    for (bool again = false; !status; again = true) {
        const size_t count = item->result.count;
        if (again && count <= item->capacity)
            return ABUT_OK;
        if (item->of)
            abut_base_free(&run->asked.alloc, item->of, item->capacity, sizeof *item->of);
        item->capacity = count ? count : 1;
        item->of = abut_base_alloc(&run->asked.alloc, item->capacity, sizeof *item->of);
        if (!item->of)
            return ABUT_ERR_MEMORY;
        if (!again && count <= FIRST) {
            memcpy(item->of, few, count * sizeof *few);
            return ABUT_OK;
        }
        status = abut_contact_intervals(a->body.shape, at_a, b->body.shape, at_b, &opts, ws, item->of,
                                        item->capacity, &item->result);
    }
    return status;
}

static abut_status compute_intervals(void *ctx, size_t index, abut_workspace *ws, void *into)
{
    const intervals_run *run = ctx;
    intervals_item *item = into;
    const abut_box_pair pair = run->asked.pairs[index];
    const abut_world_slot *a = &run->asked.world->slots[pair.a], *b = &run->asked.world->slots[pair.b];
    abut_world_motion at_a, at_b = { NULL, NULL };
    item->status = abut_world_motion_of(a, &run->asked.alloc, &at_a);
    if (!item->status)
        item->status = abut_world_motion_of(b, &run->asked.alloc, &at_b);
    if (!item->status)
        item->status = find_intervals(run, a, b, at_a.motion, at_b.motion, ws, item);
    abut_motion_release(at_a.made);
    abut_motion_release(at_b.made);
    return abut_world_is_of_pair(item->status) ? ABUT_OK : item->status;
}

static abut_status emit_intervals(void *ctx, size_t index, void *from)
{
    const intervals_run *run = ctx;
    const intervals_item *item = from;
    const abut_box_pair pair = run->asked.pairs[index];
    abut_world_count(&run->out->counters, &item->result.counters);
    if (!item->status && item->result.count == 0 && !run->asked.listed)
        return ABUT_OK;
    ++run->out->found;
    run->out->failed += item->status != ABUT_OK;
    run->out->undecided += !item->status && item->result.stop == ABUT_STOP_BUDGET;
    return !run->found ||
                   run->found(run->ctx, abut_world_id(run->asked.world, pair.a),
                              abut_world_id(run->asked.world, pair.b), item->status, item->of, &item->result)
               ? ABUT_OK
               : ABUT_ERR_CANCELLED;
}

static void drop_intervals(void *ctx, void *from)
{
    const intervals_run *run = ctx;
    const intervals_item *item = from;
    if (item->of)
        abut_base_free(&run->asked.alloc, item->of, item->capacity, sizeof *item->of);
}

abut_status abut_world_intervals(const abut_world *world, const abut_world_query_opts *opts,
                                 abut_world_intervals_fn found, void *ctx, abut_world_result *out)
{
    abut_world_result unwanted;
    intervals_run run = { .found = found, .ctx = ctx, .out = out ? out : &unwanted };
    *run.out = (abut_world_result){ 0 };
    abut_status status = abut_world_ask(world, opts, &run.asked);
    if (status || !(world->time.lo < world->time.hi))
        return status ? status : ABUT_ERR_ARGUMENT;
    status = run.asked.opts.pairs ? abut_world_given(&run.asked, false) : abut_world_candidates(&run.asked);
    const abut_world_job job = { .size = sizeof(intervals_item),
                                 .compute = compute_intervals,
                                 .emit = emit_intervals,
                                 .drop = drop_intervals,
                                 .ctx = &run };
    return abut_world_run_asked(&run.asked, status, job, run.out);
}
