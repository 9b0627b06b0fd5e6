/* SPDX-License-Identifier: MIT */
/* A dynamic tree of fat boxes: each leaf is larger than its box by a margin, and moves only when the
 * box leaves it (as in Box2D, Bullet's dbvt and others). The pairs of leaves that meet are kept; a leaf
 * that moves is asked for again. What is reported are the pairs of boxes themselves.
 *
 * The margin is the caller's, or what boxes move in four steps, but no more than half a box: fat boxes
 * of boxes that jump about would meet all others. Where many leaves have to move, a tree is made anew. */
#include "world/broad/persist.h"

#include "world/broad/aabb.h"
#include "world/broad/tree.h"

#include <string.h>

struct abut_fat_tree {
    abut_allocator alloc;
    abut_tree tree;
    abut_pair_set set; /* of leaves that meet */
    abut_aabb *last;   /* boxes of the last call */
    size_t count, capacity;
    bool valid;
};

abut_fat_tree *abut_fat_tree_create(const abut_allocator *alloc)
{
    abut_fat_tree *t = abut_base_alloc_zero(alloc, 1, sizeof *t);
    if (!t)
        return NULL;
    t->alloc = t->set.alloc = *alloc;
    abut_tree_open(&t->tree, alloc);
    return t;
}

void abut_fat_tree_destroy(abut_fat_tree *t)
{
    if (!t)
        return;
    const abut_allocator alloc = t->alloc;
    abut_tree_close(&t->tree);
    abut_pair_set_clear(&t->set);
    abut_base_shrink(&alloc, t->last, t->capacity, sizeof *t->last);
    abut_base_free(&alloc, t, 1, sizeof *t);
}

/* The mean of how far the least corners moved, along any axis. */
static double mean_step(const abut_fat_tree *t, const abut_aabb *boxes, size_t count)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < count && i < t->count; ++i) {
        const double x = fabs(boxes[i].lo.x - t->last[i].lo.x) + fabs(boxes[i].lo.y - t->last[i].lo.y) +
                         fabs(boxes[i].lo.z - t->last[i].lo.z);
        if (x < 0x1p100) {
            sum += x;
            ++n;
        }
    }
    return n ? sum / (double)n : 0;
}

static double mean_side(const abut_aabb *boxes, size_t count)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < count; ++i) {
        const double x = boxes[i].hi.x - boxes[i].lo.x;
        if (x >= 0 && x < 0x1p100) {
            sum += x;
            ++n;
        }
    }
    return n ? sum / (double)n : 0;
}

static abut_status start_anew(abut_fat_tree *t, const abut_aabb *boxes, size_t count, double margin,
                              const abut_pair_list *out)
{
    abut_aabb *fat = abut_base_alloc(&t->alloc, count, sizeof *fat);
    t->valid = false;
    if (!fat)
        return ABUT_ERR_MEMORY;
    for (size_t i = 0; i < count; ++i)
        fat[i] = abut_aabb_is_empty(&boxes[i]) ? boxes[i] : abut_aabb_grow(&boxes[i], margin);
    abut_pair_set_empty(&t->set);
    /* Fat boxes may have more pairs than boxes; but where they have many a box, keeping them does not
     * pay, and a million coincident boxes would fill the memory with them. */
    const size_t most = 32 * count + 65536;
    abut_pair_list all = { .alloc = t->alloc, .limit = out->limit < most / 4 ? 4 * out->limit : most };
    bool ok = abut_tree_build(&t->tree, fat, count);
    if (ok) {
        abut_tree_self_pairs(&t->tree, &all);
        ok = !all.status;
    }
    for (size_t i = 0; i < all.count && ok; ++i)
        ok = abut_pair_set_add(&t->set, all.items[i].a, all.items[i].b);
    const abut_status status = all.status == ABUT_ERR_LIMIT ? ABUT_ERR_LIMIT : ok ? ABUT_OK : ABUT_ERR_MEMORY;
    abut_pair_list_clear(&all);
    abut_base_free(&t->alloc, fat, count, sizeof *fat);
    t->valid = !status;
    return status;
}

typedef struct leaf_run {
    abut_fat_tree *t;
    uint32_t own;
    bool remove;
    bool ok;
} leaf_run;

static bool visit(void *ctx, uint32_t id)
{
    leaf_run *run = ctx;
    if (id == run->own)
        return true;
    if (run->remove)
        abut_pair_set_remove(&run->t->set, run->own, id);
    else
        run->ok = abut_pair_set_add(&run->t->set, run->own, id);
    return run->ok;
}

/* Out of the tree, with its pairs. */
static void take_out(abut_fat_tree *t, uint32_t id)
{
    leaf_run run = { t, id, true, true };
    const abut_aabb box = *abut_tree_box(&t->tree, id);
    (void)abut_tree_meeting(&t->tree, &box, visit, &run);
    abut_tree_remove(&t->tree, id);
}

static bool put_in(abut_fat_tree *t, uint32_t id, const abut_aabb *box, double margin)
{
    leaf_run run = { t, id, false, true };
    const abut_aabb fat = abut_aabb_grow(box, margin);
    return abut_tree_meeting(&t->tree, &fat, visit, &run) && abut_tree_insert(&t->tree, id, &fat);
}

static bool change_leaves(abut_fat_tree *t, const abut_aabb *boxes, size_t count, double margin)
{
    for (size_t i = 0; i < count || i < t->count; ++i) {
        const uint32_t id = (uint32_t)i;
        const bool was = abut_tree_has(&t->tree, id), is = i < count && !abut_aabb_is_empty(&boxes[i]);
        if (was && is && abut_aabb_holds(abut_tree_box(&t->tree, id), &boxes[i]))
            continue;
        if (was)
            take_out(t, id);
        if (is && !put_in(t, id, &boxes[i], margin))
            return false;
    }
    return true;
}

/* Have more than a quarter left their fat boxes, or come and gone? */
static bool many_leave(const abut_fat_tree *t, const abut_aabb *boxes, size_t count)
{
    size_t leave = 0;
    for (size_t i = 0; i < count; ++i) {
        const bool was = abut_tree_has(&t->tree, (uint32_t)i), is = !abut_aabb_is_empty(&boxes[i]);
        leave += was != is || (was && !abut_aabb_holds(abut_tree_box(&t->tree, (uint32_t)i), &boxes[i]));
    }
    return 4 * leave > count;
}

static abut_status report(const abut_fat_tree *t, const abut_aabb *boxes, abut_pair_list *out)
{
    for (size_t i = 0; i < t->set.capacity; ++i) {
        const uint64_t key = t->set.keys[i];
        const uint32_t a = (uint32_t)(key >> 32), b = (uint32_t)key;
        if (key && abut_aabb_meet(&boxes[a], &boxes[b]) && !abut_pair_list_add(out, a, b))
            return out->status;
    }
    return ABUT_OK;
}

abut_status abut_fat_tree_update(abut_fat_tree *t, const abut_aabb *boxes, size_t count, double margin,
                                 abut_pair_list *out)
{
    if (!(margin > 0)) {
        const double step = t->valid ? mean_step(t, boxes, count) : 0, side = mean_side(boxes, count);
        margin = step > 0 ? abut_min2(4 * step, 0.5 * side) : 0.1 * side;
    }
    abut_status status = ABUT_OK;
    const bool few = t->valid && count <= 2 * t->count && t->count <= 2 * count;
    if (!few || many_leave(t, boxes, count) || !change_leaves(t, boxes, count, margin))
        status = start_anew(t, boxes, count, margin, out);
    if (status == ABUT_ERR_LIMIT)
        return abut_tree_pairs(boxes, count, out);
    if (!status && count > t->capacity &&
        !abut_base_grow(&t->alloc, (void **)&t->last, &t->capacity, t->capacity, count - t->capacity,
                        sizeof *t->last))
        status = ABUT_ERR_MEMORY;
    if (!status) {
        if (count)
            memcpy(t->last, boxes, count * sizeof *boxes);
        t->count = count;
        status = report(t, boxes, out);
    }
    t->valid = !status;
    return status;
}
