/* SPDX-License-Identifier: MIT */
/* Fronts: where a walk through two binary trees ended, as the start of the next one.
 *
 * A front is a list of pairs of nodes whose products part the product of the two trees: every pair
 * of triangles is below exactly one of them. It begins as the pair of the roots. A walk tests each
 * pair of the list: one that meets is opened, and what it opens to takes its place; two neighbours
 * in the list that are apart and have one node in common and siblings as the other (a sibling is
 * the next node, see binary.h) may be replaced by the pair of the common node and the parent, where
 * that is apart as well. Both steps keep the parting, whatever the volumes are and whichever node
 * the rule of descent opens, so that a refit or another placement leaves a front valid.
 *
 * A walk writes a new list and keeps the old one until it is done: where memory runs out the
 * front is as before. */
#include "bvh/binary.h"

#include "base/memory.h"

typedef struct entry {
    abut_binary_nodes nodes;
    bool apart;
} entry;

typedef ABUT_ARRAY(entry) entries;
typedef ABUT_ARRAY(uint32_t) numbers;

struct abut_front {
    abut_allocator alloc;
    uint64_t serial_a, serial_b; /* of the trees it belongs to; 0: none yet */
    entries list, next;
    numbers parents_a, parents_b; /* of nodes 2 i + 1 and 2 i + 2 */
};

abut_status abut_front_create(const abut_allocator *alloc, abut_front **out)
{
    if (!out)
        return ABUT_ERR_ARGUMENT;
    *out = NULL;
    const abut_allocator own = abut_base_allocator(alloc);
    abut_front *front = abut_base_alloc_zero(&own, 1, sizeof *front);
    if (!front)
        return ABUT_ERR_MEMORY;
    front->alloc = own;
    *out = front;
    return ABUT_OK;
}

void abut_front_destroy(abut_front *front)
{
    if (!front)
        return;
    const abut_allocator alloc = front->alloc;
    ABUT_ARRAY_FREE(&alloc, &front->list);
    ABUT_ARRAY_FREE(&alloc, &front->next);
    ABUT_ARRAY_FREE(&alloc, &front->parents_a);
    ABUT_ARRAY_FREE(&alloc, &front->parents_b);
    abut_base_free(&alloc, front, 1, sizeof *front);
}

static bool set_parents(const abut_allocator *alloc, const abut_binary *tree, numbers *parents)
{
    parents->count = 0;
    const size_t pairs = tree->node_count / 2;
    if (pairs > 0 && !ABUT_ARRAY_RESERVE(alloc, parents, pairs))
        return false;
    for (size_t i = 0; i < tree->node_count; ++i) {
        const uint32_t link = abut_binary_link(&tree->view, (uint32_t)i);
        if (!(link & ABUT_BINARY_LEAF))
            parents->items[link / 2] = (uint32_t)i;
    }
    parents->count = pairs;
    return true;
}

/* For these trees, anew where it was for others. */
static bool claim(abut_front *front, const abut_binary *a, const abut_binary *b)
{
    if (front->serial_a == a->serial && front->serial_b == b->serial)
        return true;
    front->serial_a = front->serial_b = 0;
    front->list.count = 0;
    const entry roots = { { 0, 0 }, false };
    if (!set_parents(&front->alloc, a, &front->parents_a) ||
        !set_parents(&front->alloc, b, &front->parents_b) ||
        !ABUT_ARRAY_PUSH(&front->alloc, &front->list, roots))
        return false;
    front->serial_a = a->serial;
    front->serial_b = b->serial;
    return true;
}

/* The node above two siblings, in whatever order; false for others. */
static bool above(const numbers *parents, uint32_t x, uint32_t y, uint32_t *out)
{
    const uint32_t first = x < y ? x : y, second = x < y ? y : x;
    if (first % 2 == 0 || second != first + 1)
        return false;
    *out = parents->items[first / 2];
    return true;
}

/* Replaces the last two pairs of the new list by the one above, as long as that is apart. */
static void raise_last(abut_front *front, abut_binary_walk *w)
{
    while (front->next.count >= 2) {
        entry *last = front->next.items + front->next.count - 1, *before = last - 1;
        abut_binary_nodes up = last->nodes;
        if (!last->apart || !before->apart)
            return;
        const bool siblings = last->nodes.b == before->nodes.b
                                  ? above(&front->parents_a, before->nodes.a, last->nodes.a, &up.a)
                                  : last->nodes.a == before->nodes.a &&
                                        above(&front->parents_b, before->nodes.b, last->nodes.b, &up.b);
        if (!siblings || abut_binary_meet(w, up.a, up.b))
            return;
        --front->next.count;
        *before = (entry){ up, true };
    }
}

/* One pair of the old list, down to where it ends. Depth first, so that siblings are neighbours
 * in the new list. */
typedef enum outcome { DONE, STOPPED, NO_MEMORY } outcome;

static outcome lower_pair(abut_front *front, abut_binary_walk *w, abut_binary_nodes top,
                          abut_binary_batch *batch)
{
    abut_binary_nodes stack[4 * ABUT_BVH_DEPTH + 8];
    size_t used = 0;
    stack[used++] = top;
    while (used > 0) {
        const abut_binary_nodes pair = stack[--used];
        const bool meet = abut_binary_meet(w, pair.a, pair.b);
        abut_binary_nodes below[4];
        const size_t count = meet ? abut_binary_open(w, pair.a, pair.b, below) : 0;
        for (size_t i = count; i-- > 0;)
            stack[used++] = below[i];
        if (count > 0)
            continue;
        const entry end = { pair, !meet };
        if (!ABUT_ARRAY_PUSH(&front->alloc, &front->next, end))
            return NO_MEMORY;
        if (!meet)
            raise_last(front, w);
        else if (!abut_binary_batch_add(batch, abut_binary_link(&w->a, pair.a),
                                        abut_binary_link(&w->b, pair.b)))
            return STOPPED;
    }
    return DONE;
}

abut_status abut_binary_front_overlap(const abut_bvh_walk *walk, abut_binary_walk *w, abut_bvh_pairs_fn leaf,
                                      void *ctx)
{
    abut_front *front = walk->front;
    if (!claim(front, walk->a.tree->binary, walk->b.tree->binary))
        return ABUT_ERR_MEMORY;
    abut_binary_batch batch = { .leaf = leaf, .ctx = ctx };
    front->next.count = 0;
    for (size_t i = 0; i < front->list.count; ++i) {
        const outcome o = lower_pair(front, w, front->list.items[i].nodes, &batch);
        if (o == NO_MEMORY)
            return ABUT_ERR_MEMORY;
        if (o == STOPPED) /* the old list stays: it is as good a parting as any */
            return ABUT_OK;
    }
    (void)abut_binary_batch_flush(&batch);
    const entries old = front->list;
    front->list = front->next;
    front->next = old;
    return ABUT_OK;
}
