/* SPDX-License-Identifier: MIT */
/* A tree of boxes: built at once by medians, changed leaf by leaf, searched. */
#ifndef ABUT_WORLD_BROAD_TREE_H
#define ABUT_WORLD_BROAD_TREE_H

#include "world/broad/pair_list.h"

enum { ABUT_TREE_NONE = -1 };

/* A leaf has no children; `id` is then its box's. */
typedef struct abut_tree_node {
    abut_aabb box;
    int32_t parent; /* of a free node: the next free one */
    int32_t child[2];
    uint32_t id;
    int32_t height; /* 0: a leaf */
} abut_tree_node;

typedef struct abut_tree {
    abut_allocator alloc;
    abut_tree_node *nodes;
    size_t capacity;
    int32_t root, free;
    size_t leaves;
    int32_t *leaf_of; /* the node of each id, or NONE */
    size_t id_capacity;
} abut_tree;

void abut_tree_open(abut_tree *tree, const abut_allocator *alloc);
void abut_tree_close(abut_tree *tree);

/* Anew, of all boxes that are not empty; false when memory is out (the tree is then empty). */
bool abut_tree_build(abut_tree *tree, const abut_aabb *boxes, size_t count);
/* `id` is not in the tree; false when memory is out: nothing changed. */
bool abut_tree_insert(abut_tree *tree, uint32_t id, const abut_aabb *box);
/* `id` is in the tree. */
void abut_tree_remove(abut_tree *tree, uint32_t id);

static inline bool abut_tree_has(const abut_tree *tree, uint32_t id)
{
    return id < tree->id_capacity && tree->leaf_of[id] != ABUT_TREE_NONE;
}

static inline const abut_aabb *abut_tree_box(const abut_tree *tree, uint32_t id)
{
    return &tree->nodes[tree->leaf_of[id]].box;
}

/* Calls `found` for every leaf whose box meets this one, until it returns false. */
typedef bool (*abut_tree_fn)(void *ctx, uint32_t id);
bool abut_tree_meeting(const abut_tree *tree, const abut_aabb *box, abut_tree_fn found, void *ctx);

/* Adds all pairs of leaves whose boxes meet. */
void abut_tree_self_pairs(const abut_tree *tree, abut_pair_list *out);
/* Of boxes, by a tree for this call only. */
abut_status abut_tree_pairs(const abut_aabb *boxes, size_t count, abut_pair_list *out);

/* tree_search.c: leaves in the order of a lower bound. `bound` gives one for all that is in a box
 * (infinite: not at all); `leaf` examines a leaf and may lower *limit. Ends when all bounds left
 * exceed *limit, or `leaf` fails. Leaves of equal bounds come in the order of their ids. */
typedef double (*abut_tree_bound_fn)(void *ctx, const abut_aabb *box);
typedef abut_status (*abut_tree_leaf_fn)(void *ctx, uint32_t id, double bound, double *limit);
abut_status abut_tree_search(const abut_tree *tree, abut_tree_bound_fn bound, abut_tree_leaf_fn leaf,
                             void *ctx, double limit);
/* Pairs of leaves in the order of the gap of their boxes, alike. */
typedef abut_status (*abut_tree_pair_fn)(void *ctx, uint32_t a, uint32_t b, double gap, double *limit);
abut_status abut_tree_search_pairs(const abut_tree *tree, abut_tree_pair_fn pair, void *ctx, double limit);

#endif
