/* SPDX-License-Identifier: MIT */
/* A binary tree of boxes.
 *
 * Building splits at the median of the centres along the axis of their largest spread: the height is
 * the logarithm of the count whatever the boxes, coincident ones included. Insertion descends to the
 * sibling that costs the least surface and rotates on the way up (as in Box2D's dynamic tree, after
 * Presson and Catto), which keeps the height logarithmic. Areas steer only. */
#include "world/broad/tree.h"

#include "world/broad/aabb.h"

void abut_tree_open(abut_tree *tree, const abut_allocator *alloc)
{
    *tree = (abut_tree){ .alloc = *alloc, .root = ABUT_TREE_NONE, .free = ABUT_TREE_NONE };
}

void abut_tree_close(abut_tree *tree)
{
    abut_base_shrink(&tree->alloc, tree->nodes, tree->capacity, sizeof *tree->nodes);
    abut_base_shrink(&tree->alloc, tree->leaf_of, tree->id_capacity, sizeof *tree->leaf_of);
    abut_tree_open(tree, &tree->alloc);
}

static void add_free(abut_tree *tree, size_t from)
{
    for (size_t i = tree->capacity; i > from; --i) {
        tree->nodes[i - 1].parent = tree->free;
        tree->nodes[i - 1].height = -1;
        tree->free = (int32_t)(i - 1);
    }
}

static bool grow_nodes(abut_tree *tree, size_t more)
{
    const size_t before = tree->capacity;
    if (before + more > INT32_MAX / 2 || !abut_base_grow(&tree->alloc, (void **)&tree->nodes, &tree->capacity,
                                                         before, more, sizeof *tree->nodes))
        return false;
    add_free(tree, before);
    return true;
}

static bool grow_ids(abut_tree *tree, size_t count)
{
    const size_t before = tree->id_capacity;
    if (count <= before)
        return true;
    if (!abut_base_grow(&tree->alloc, (void **)&tree->leaf_of, &tree->id_capacity, before, count - before,
                        sizeof *tree->leaf_of))
        return false;
    for (size_t i = before; i < tree->id_capacity; ++i)
        tree->leaf_of[i] = ABUT_TREE_NONE;
    return true;
}

static int32_t take_node(abut_tree *tree)
{
    const int32_t at = tree->free;
    tree->free = tree->nodes[at].parent;
    return at;
}

static void give_node(abut_tree *tree, int32_t at)
{
    tree->nodes[at].parent = tree->free;
    tree->nodes[at].height = -1;
    tree->free = at;
}

/* ---- building ---- */

typedef struct build_run {
    abut_tree *tree;
    const abut_aabb *boxes;
    uint32_t *ids;
} build_run;

/* Twice the centre; of a box without end along the axis 0, which steers as well as anything. */
static double centre(const abut_aabb *b, int axis)
{
    const double sum = axis == 0 ? b->lo.x + b->hi.x : axis == 1 ? b->lo.y + b->hi.y : b->lo.z + b->hi.z;
    return isfinite(sum) ? sum : 0;
}

static int split_axis(const build_run *run, size_t begin, size_t end)
{
    double best = -1;
    int axis = 0;
    for (int i = 0; i < 3; ++i) {
        double lo = INFINITY, hi = -INFINITY;
        for (size_t k = begin; k < end; ++k) {
            const double c = centre(&run->boxes[run->ids[k]], i);
            lo = abut_min2(lo, c);
            hi = abut_max2(hi, c);
        }
        if (hi - lo > best) {
            best = hi - lo;
            axis = i;
        }
    }
    return axis;
}

/* Ties by id, so that there are none. */
static bool comes_before(const build_run *run, int axis, uint32_t a, uint32_t b)
{
    const double x = centre(&run->boxes[a], axis), y = centre(&run->boxes[b], axis);
    return x != y ? x < y : a < b;
}

static void swap_ids(uint32_t *a, uint32_t *b)
{
    const uint32_t t = *a;
    *a = *b;
    *b = t;
}

/* Quickselect with the median of three. */
static void select_middle(const build_run *run, int axis, size_t begin, size_t end, size_t middle)
{
    uint32_t *ids = run->ids;
    while (end - begin > 2) {
        const size_t mid = begin + (end - begin) / 2, last = end - 1;
        if (comes_before(run, axis, ids[mid], ids[begin]))
            swap_ids(&ids[mid], &ids[begin]);
        if (comes_before(run, axis, ids[last], ids[begin]))
            swap_ids(&ids[last], &ids[begin]);
        if (comes_before(run, axis, ids[last], ids[mid]))
            swap_ids(&ids[last], &ids[mid]);
        const uint32_t pivot = ids[mid];
        size_t i = begin, j = last;
        for (;;) {
            while (comes_before(run, axis, ids[i], pivot))
                ++i;
            while (comes_before(run, axis, pivot, ids[j]))
                --j;
            if (i >= j)
                break;
            swap_ids(&ids[i++], &ids[j--]);
        }
        if (i == j)
            ++i;
        if (middle < i)
            end = i;
        else
            begin = i;
    }
    if (end - begin == 2 && comes_before(run, axis, ids[begin + 1], ids[begin]))
        swap_ids(&ids[begin], &ids[begin + 1]);
}

static void refit(abut_tree *tree, int32_t at)
{
    abut_tree_node *n = &tree->nodes[at];
    const abut_tree_node *l = &tree->nodes[n->child[0]], *r = &tree->nodes[n->child[1]];
    n->box = abut_aabb_hull(&l->box, &r->box);
    n->height = 1 + (l->height > r->height ? l->height : r->height);
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the tree is high. */
static int32_t build(const build_run *run, size_t begin, size_t end)
{
    abut_tree *tree = run->tree;
    const int32_t at = take_node(tree);
    if (end - begin == 1) {
        const uint32_t id = run->ids[begin];
        tree->nodes[at] =
            (abut_tree_node){ .box = run->boxes[id], .child = { ABUT_TREE_NONE, ABUT_TREE_NONE }, .id = id };
        tree->leaf_of[id] = at;
        return at;
    }
    const size_t middle = begin + (end - begin) / 2;
    select_middle(run, split_axis(run, begin, end), begin, end, middle);
    const int32_t left = build(run, begin, middle), right = build(run, middle, end);
    tree->nodes[at].child[0] = left;
    tree->nodes[at].child[1] = right;
    tree->nodes[left].parent = tree->nodes[right].parent = at;
    refit(tree, at);
    return at;
}

bool abut_tree_build(abut_tree *tree, const abut_aabb *boxes, size_t count)
{
    uint32_t *ids = abut_base_alloc(&tree->alloc, count, sizeof *ids);
    size_t n = 0;
    tree->root = tree->free = ABUT_TREE_NONE;
    tree->leaves = 0;
    for (size_t i = 0; i < tree->id_capacity; ++i)
        tree->leaf_of[i] = ABUT_TREE_NONE;
    add_free(tree, 0);
    for (size_t i = 0; ids && i < count; ++i)
        if (!abut_aabb_is_empty(&boxes[i]))
            ids[n++] = (uint32_t)i;
    const bool ok =
        ids && grow_ids(tree, count) && (tree->capacity >= 2 * n || grow_nodes(tree, 2 * n - tree->capacity));
    if (ok && n) {
        const build_run run = { tree, boxes, ids };
        tree->root = build(&run, 0, n);
        tree->nodes[tree->root].parent = ABUT_TREE_NONE;
        tree->leaves = n;
    }
    if (ids)
        abut_base_free(&tree->alloc, ids, count, sizeof *ids);
    return ok;
}

/* ---- changing ---- */

static double area(const abut_aabb *b)
{
    const double x = b->hi.x - b->lo.x, y = b->hi.y - b->lo.y, z = b->hi.z - b->lo.z;
    return x * y + y * z + z * x;
}

static double joint_area(const abut_aabb *a, const abut_aabb *b)
{
    const abut_aabb both = abut_aabb_hull(a, b);
    return area(&both);
}

static int32_t choose_sibling(const abut_tree *tree, const abut_aabb *box)
{
    int32_t at = tree->root;
    while (tree->nodes[at].height > 0) {
        const abut_tree_node *n = &tree->nodes[at];
        const double joint = joint_area(&n->box, box), here = 2 * joint, down = 2 * (joint - area(&n->box));
        double cost[2];
        for (int i = 0; i < 2; ++i) {
            const abut_tree_node *c = &tree->nodes[n->child[i]];
            cost[i] = down + joint_area(&c->box, box) - (c->height > 0 ? area(&c->box) : 0);
        }
        if (here < cost[0] && here < cost[1])
            break;
        at = n->child[cost[1] < cost[0]];
    }
    return at;
}

static void replace_child(abut_tree *tree, int32_t parent, int32_t old, int32_t with)
{
    if (parent == ABUT_TREE_NONE)
        tree->root = with;
    else
        tree->nodes[parent].child[tree->nodes[parent].child[1] == old] = with;
    tree->nodes[with].parent = parent;
}

/* Where one child is higher by two, it takes the place of its parent; returns the node on top. */
static int32_t balance(abut_tree *tree, int32_t at)
{
    abut_tree_node *a = &tree->nodes[at];
    if (a->height < 2)
        return at;
    const int32_t difference = tree->nodes[a->child[1]].height - tree->nodes[a->child[0]].height;
    if (difference >= -1 && difference <= 1)
        return at;
    const int high = difference > 0;
    const int32_t up = a->child[high];
    abut_tree_node *u = &tree->nodes[up];
    const int taller = tree->nodes[u->child[1]].height > tree->nodes[u->child[0]].height;
    const int32_t stays = u->child[taller], moves = u->child[!taller];
    replace_child(tree, a->parent, at, up);
    u->child[0] = at;
    u->child[1] = stays;
    a->parent = up;
    a->child[high] = moves;
    tree->nodes[moves].parent = at;
    refit(tree, at);
    refit(tree, up);
    return up;
}

static void mend_upward(abut_tree *tree, int32_t at)
{
    while (at != ABUT_TREE_NONE) {
        refit(tree, at);
        at = tree->nodes[balance(tree, at)].parent;
    }
}

bool abut_tree_insert(abut_tree *tree, uint32_t id, const abut_aabb *box)
{
    if (!grow_ids(tree, (size_t)id + 1))
        return false;
    if ((tree->free == ABUT_TREE_NONE || tree->nodes[tree->free].parent == ABUT_TREE_NONE) &&
        !grow_nodes(tree, tree->capacity / 2 + 16))
        return false;
    const int32_t leaf = take_node(tree);
    tree->nodes[leaf] = (abut_tree_node){
        .box = *box, .parent = ABUT_TREE_NONE, .child = { ABUT_TREE_NONE, ABUT_TREE_NONE }, .id = id
    };
    tree->leaf_of[id] = leaf;
    ++tree->leaves;
    if (tree->root == ABUT_TREE_NONE) {
        tree->root = leaf;
        return true;
    }
    const int32_t sibling = choose_sibling(tree, box), parent = take_node(tree);
    const int32_t above = tree->nodes[sibling].parent;
    replace_child(tree, above, sibling, parent);
    tree->nodes[parent].child[0] = sibling;
    tree->nodes[parent].child[1] = leaf;
    tree->nodes[sibling].parent = tree->nodes[leaf].parent = parent;
    mend_upward(tree, parent);
    return true;
}

void abut_tree_remove(abut_tree *tree, uint32_t id)
{
    const int32_t leaf = tree->leaf_of[id], parent = tree->nodes[leaf].parent;
    tree->leaf_of[id] = ABUT_TREE_NONE;
    --tree->leaves;
    if (parent == ABUT_TREE_NONE) {
        tree->root = ABUT_TREE_NONE;
    } else {
        const int32_t sibling = tree->nodes[parent].child[tree->nodes[parent].child[0] == leaf];
        const int32_t above = tree->nodes[parent].parent;
        replace_child(tree, above, parent, sibling);
        give_node(tree, parent);
        mend_upward(tree, above);
    }
    give_node(tree, leaf);
}

/* ---- what meets ---- */

/* A stack as deep as twice the height, which is at most 1.44 log2 n for trees in balance. */
enum { STACK = 160 };

bool abut_tree_meeting(const abut_tree *tree, const abut_aabb *box, abut_tree_fn found, void *ctx)
{
    int32_t stack[STACK];
    int depth = 0;
    if (tree->root != ABUT_TREE_NONE)
        stack[depth++] = tree->root;
    while (depth > 0) {
        const abut_tree_node *n = &tree->nodes[stack[--depth]];
        if (!abut_aabb_meet(&n->box, box))
            continue;
        if (n->height == 0) {
            if (!found(ctx, n->id))
                return false;
        } else {
            stack[depth++] = n->child[1];
            stack[depth++] = n->child[0];
        }
    }
    return true;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the two subtrees are high. */
static bool join(const abut_tree *tree, int32_t i, int32_t j, abut_pair_list *out)
{
    const abut_tree_node *a = &tree->nodes[i], *b = &tree->nodes[j];
    if (!abut_aabb_meet(&a->box, &b->box))
        return true;
    if (a->height == 0 && b->height == 0)
        return abut_pair_list_add(out, a->id, b->id);
    if (a->height >= b->height)
        return join(tree, a->child[0], j, out) && join(tree, a->child[1], j, out);
    return join(tree, i, b->child[0], out) && join(tree, i, b->child[1], out);
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the tree is high. */
static bool join_self(const abut_tree *tree, int32_t at, abut_pair_list *out)
{
    const abut_tree_node *n = &tree->nodes[at];
    return n->height == 0 || (join_self(tree, n->child[0], out) && join_self(tree, n->child[1], out) &&
                              join(tree, n->child[0], n->child[1], out));
}

void abut_tree_self_pairs(const abut_tree *tree, abut_pair_list *out)
{
    if (tree->root != ABUT_TREE_NONE)
        (void)join_self(tree, tree->root, out);
}

abut_status abut_tree_pairs(const abut_aabb *boxes, size_t count, abut_pair_list *out)
{
    abut_tree tree;
    abut_tree_open(&tree, &out->alloc);
    if (abut_tree_build(&tree, boxes, count))
        abut_tree_self_pairs(&tree, out);
    else
        out->status = ABUT_ERR_MEMORY;
    abut_tree_close(&tree);
    return out->status;
}
