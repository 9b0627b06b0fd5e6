/* SPDX-License-Identifier: MIT */
/* Best-first search in a tree of boxes: what has the least lower bound is examined first, so that
 * no leaf is whose bound exceeds the answer (Hjaltason and Samet, "Distance browsing in spatial
 * databases", 1999). Ties go by ids: the order does not depend on the shape of the tree. */
#include "world/broad/tree.h"

#include "base/heap.h"
#include "world/broad/aabb.h"

/* b is NONE where one node stands alone. Leaves have their ids in a and b. */
typedef struct item {
    double bound;
    int32_t a, b;
    bool leaf;
} item;

typedef ABUT_ARRAY(item) item_list;

static bool is_first(const item *x, const item *y)
{
    if (x->bound != y->bound)
        return x->bound < y->bound;
    if (x->leaf != y->leaf) /* what is in a node may have a lower id than the leaf */
        return !x->leaf;
    return x->a != y->a ? x->a < y->a : x->b < y->b;
}

ABUT_HEAP(heap, item, is_first)

static bool push(const abut_allocator *alloc, item_list *h, item added)
{
    if (!ABUT_ARRAY_RESERVE(alloc, h, 1))
        return false;
    heap_push(h->items, &h->count, &added);
    return true;
}

abut_status abut_tree_search(const abut_tree *tree, abut_tree_bound_fn bound, abut_tree_leaf_fn leaf,
                             void *ctx, double limit)
{
    item_list h = { 0 };
    abut_status status = ABUT_OK;
    int32_t next[2] = { tree->root, ABUT_TREE_NONE };
    for (;;) {
        for (int i = 0; i < 2 && !status; ++i) {
            if (next[i] == ABUT_TREE_NONE)
                continue;
            const abut_tree_node *n = &tree->nodes[next[i]];
            const double at = bound(ctx, &n->box);
            const bool is_leaf = n->height == 0;
            if (at <= limit && at < INFINITY &&
                !push(&tree->alloc, &h,
                      (item){ at, is_leaf ? (int32_t)n->id : next[i], ABUT_TREE_NONE, is_leaf }))
                status = ABUT_ERR_MEMORY;
        }
        if (status || h.count == 0)
            break;
        const item first = heap_pop(h.items, &h.count);
        if (first.bound > limit)
            break;
        next[0] = next[1] = ABUT_TREE_NONE;
        if (first.leaf) {
            status = leaf(ctx, (uint32_t)first.a, first.bound, &limit);
        } else {
            next[0] = tree->nodes[first.a].child[0];
            next[1] = tree->nodes[first.a].child[1];
        }
    }
    ABUT_ARRAY_FREE(&tree->alloc, &h);
    return status;
}

/* ---- pairs ---- */

typedef struct pair_run {
    const abut_tree *tree;
    item_list h;
    double limit;
    bool failed;
} pair_run;

static void push_pair(pair_run *run, int32_t i, int32_t j)
{
    const abut_tree_node *a = &run->tree->nodes[i], *b = &run->tree->nodes[j];
    if (i == j && a->height == 0)
        return;
    const double gap = i == j ? 0 : abut_aabb_gap(&a->box, &b->box);
    const bool leaf = a->height == 0 && b->height == 0;
    item added = { gap, i, j, leaf };
    if (leaf) {
        added.a = (int32_t)(a->id < b->id ? a->id : b->id);
        added.b = (int32_t)(a->id < b->id ? b->id : a->id);
    }
    if (gap <= run->limit && !push(&run->tree->alloc, &run->h, added))
        run->failed = true;
}

static void split_pair(pair_run *run, const item *first)
{
    const abut_tree_node *a = &run->tree->nodes[first->a], *b = &run->tree->nodes[first->b];
    if (first->a == first->b) {
        push_pair(run, a->child[0], a->child[0]);
        push_pair(run, a->child[1], a->child[1]);
        push_pair(run, a->child[0], a->child[1]);
    } else if (a->height >= b->height) {
        push_pair(run, a->child[0], first->b);
        push_pair(run, a->child[1], first->b);
    } else {
        push_pair(run, first->a, b->child[0]);
        push_pair(run, first->a, b->child[1]);
    }
}

abut_status abut_tree_search_pairs(const abut_tree *tree, abut_tree_pair_fn pair, void *ctx, double limit)
{
    pair_run run = { .tree = tree, .limit = limit };
    abut_status status = ABUT_OK;
    if (tree->root != ABUT_TREE_NONE)
        push_pair(&run, tree->root, tree->root);
    while (!status && !run.failed && run.h.count > 0) {
        const item first = heap_pop(run.h.items, &run.h.count);
        if (first.bound > run.limit)
            break;
        if (first.leaf)
            status = pair(ctx, (uint32_t)first.a, (uint32_t)first.b, first.bound, &run.limit);
        else
            split_pair(&run, &first);
    }
    ABUT_ARRAY_FREE(&tree->alloc, &run.h);
    return run.failed ? ABUT_ERR_MEMORY : status;
}
