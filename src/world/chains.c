/* SPDX-License-Identifier: MIT */
/* Articulated chains in the broad phase: a chain is one box there, and a hierarchy over its parts
 * takes over where that meets another.
 *
 * Parts are taken in the order of their indices, in which neighbours along a chain are usually near
 * each other, so the hierarchy is a balanced binary tree over that order, made anew at each commit
 * in time linear in the parts: leaves first, as a heap in an array. */
#include "world/chains.h"

#include "base/sort.h"
#include "world/broad/aabb.h"

typedef struct member {
    uint32_t chain, slot;
} member;

/* A chain, or one body: parts first .. first + count - 1 and nodes 2 first .. (a body has none). */
typedef struct entry {
    size_t first, count;
} entry;

typedef struct chain_run {
    const abut_world *world;
    const abut_aabb *boxes;
    abut_pair_list *out;
    member *members; /* all bodies, those of one chain together */
    size_t member_count;
    entry *entries;
    abut_aabb *entry_boxes;
    size_t entry_count;
    /* of an entry with n parts, from 2 first on: node 1 is the root, 2k and 2k + 1 the children of
     * k, n .. 2n - 1 the leaves, in a ring of parts when n is no power of two */
    abut_aabb *nodes;
} chain_run;

static bool is_before(void *ctx, const void *x, const void *y)
{
    const member *a = x, *b = y;
    (void)ctx;
    return a->chain != b->chain ? a->chain < b->chain : a->slot < b->slot;
}

static bool make_room(chain_run *run)
{
    const abut_allocator *alloc = &run->world->alloc;
    const size_t n = run->world->slot_count;
    run->members = abut_base_alloc(alloc, n, sizeof *run->members);
    run->entries = abut_base_alloc(alloc, n, sizeof *run->entries);
    run->entry_boxes = abut_base_alloc(alloc, n, sizeof *run->entry_boxes);
    run->nodes = abut_base_alloc(alloc, 2 * n, sizeof *run->nodes);
    return run->members && run->entries && run->entry_boxes && run->nodes;
}

static void give_room(chain_run *run)
{
    const abut_allocator *alloc = &run->world->alloc;
    const size_t n = run->world->slot_count;
    if (run->members)
        abut_base_free(alloc, run->members, n, sizeof *run->members);
    if (run->entries)
        abut_base_free(alloc, run->entries, n, sizeof *run->entries);
    if (run->entry_boxes)
        abut_base_free(alloc, run->entry_boxes, n, sizeof *run->entry_boxes);
    if (run->nodes)
        abut_base_free(alloc, run->nodes, 2 * n, sizeof *run->nodes);
}

static uint32_t slot_of(const chain_run *run, const entry *e, size_t part)
{
    return run->members[e->first + part].slot;
}

static const abut_aabb *node(const chain_run *run, const entry *e, size_t k)
{
    return &run->nodes[2 * e->first + k];
}

static void build(chain_run *run, const entry *e)
{
    abut_aabb *nodes = run->nodes + 2 * e->first;
    for (size_t i = 0; i < e->count; ++i)
        nodes[e->count + i] = run->boxes[slot_of(run, e, i)];
    for (size_t k = e->count - 1; k > 0; --k)
        nodes[k] = abut_aabb_hull(&nodes[2 * k], &nodes[2 * k + 1]);
}

static void make_entries(chain_run *run)
{
    const abut_world *world = run->world;
    for (uint32_t i = 0; i < world->slot_count; ++i)
        if (world->slots[i].used && !abut_aabb_is_empty(&run->boxes[i]))
            run->members[run->member_count++] = (member){ world->slots[i].body.chain, i };
    bool sorted = true;
    for (size_t i = 1; i < run->member_count && sorted; ++i)
        sorted = is_before(NULL, &run->members[i - 1], &run->members[i]);
    if (!sorted)
        abut_base_sort(run->members, run->member_count, sizeof *run->members, is_before, NULL);
    for (size_t i = 0; i < run->member_count;) {
        const uint32_t chain = run->members[i].chain;
        entry e = { i, 1 };
        while (chain && i + e.count < run->member_count && run->members[i + e.count].chain == chain)
            ++e.count;
        build(run, &e);
        run->entry_boxes[run->entry_count] = *node(run, &e, 1);
        run->entries[run->entry_count++] = e;
        i += e.count;
    }
}

/* Pairs of leaves below node i of one and j of another; of itself where they are the same. The larger
 * node, by its place in the tree, is opened: depth is at most the sum of both. */
static bool visit(chain_run *run, const entry *a, size_t i, const entry *b, size_t j)
{
    if (!abut_aabb_meet(node(run, a, i), node(run, b, j)))
        return true;
    if (i >= a->count && j >= b->count)
        return abut_pair_list_add(run->out, slot_of(run, a, i - a->count), slot_of(run, b, j - b->count));
    if (j >= b->count || (i < a->count && i < j))
        return visit(run, a, 2 * i, b, j) && visit(run, a, 2 * i + 1, b, j);
    return visit(run, a, i, b, 2 * j) && visit(run, a, i, b, 2 * j + 1);
}

static bool visit_itself(chain_run *run, const entry *a, size_t i)
{
    return i >= a->count || (visit_itself(run, a, 2 * i) && visit_itself(run, a, 2 * i + 1) &&
                             visit(run, a, 2 * i, a, 2 * i + 1));
}

static abut_status find(chain_run *run)
{
    const abut_box_pair *found;
    size_t count;
    make_entries(run);
    const abut_status status =
        abut_broad_update(run->world->broad, run->entry_boxes, run->entry_count, &found, &count);
    if (status)
        return status;
    for (size_t i = 0; i < count; ++i)
        if (!visit(run, &run->entries[found[i].a], 1, &run->entries[found[i].b], 1))
            return run->out->status;
    for (size_t i = 0; i < run->entry_count; ++i)
        if (!visit_itself(run, &run->entries[i], 1))
            return run->out->status;
    return abut_pair_list_sort(run->out, run->world->slot_count) ? ABUT_OK : ABUT_ERR_MEMORY;
}

abut_status abut_chains_pairs(const abut_world *world, const abut_aabb *boxes, abut_pair_list *out)
{
    chain_run run = { .world = world, .boxes = boxes, .out = out };
    const abut_status status = make_room(&run) ? find(&run) : ABUT_ERR_MEMORY;
    give_room(&run);
    return status;
}
