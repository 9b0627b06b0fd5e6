/* SPDX-License-Identifier: MIT */
/* The door to both kinds of trees: creation, and who walks what. */
#include "base/memory.h"
#include "bvh/tree.h"

#include <math.h>

abut_bvh *abut_bvh_create(const abut_bvh_def *def, const abut_allocator *alloc)
{
    const abut_allocator own = abut_base_allocator(alloc);
    abut_bvh *tree = abut_base_alloc_zero(&own, 1, sizeof *tree);
    if (!tree)
        return NULL;
    tree->alloc = own;
    tree->def = *def;
    if (def->volume == ABUT_VOLUME_AUTO)
        tree->wide = abut_wide_create(&tree->def, &own);
    else
        tree->binary = abut_binary_create(&tree->def, &own);
    return tree;
}

void abut_bvh_destroy(abut_bvh *tree)
{
    if (!tree)
        return;
    const abut_allocator alloc = tree->alloc;
    if (tree->wide)
        abut_wide_destroy(tree->wide, &alloc);
    if (tree->binary)
        abut_binary_destroy(tree->binary, &alloc);
    abut_base_free(&alloc, tree, 1, sizeof *tree);
}

void abut_bvh_refit(abut_bvh *tree, const abut_vec3 *vertices)
{
    tree->def.vertices = vertices;
    if (tree->wide)
        abut_wide_refit(tree->wide, &tree->def);
    else if (tree->binary)
        abut_binary_refit(tree->binary, &tree->def);
}

void abut_bvh_get_info(const abut_bvh *tree, abut_hierarchy_info *out)
{
    *out = (abut_hierarchy_info){ .volume = tree->def.volume, .builder = tree->def.builder };
    if (tree->wide)
        abut_wide_get_info(tree->wide, out);
    else if (tree->binary)
        abut_binary_get_info(tree->binary, out);
}

/* ---- every pair, until the trees are there ---- */

static size_t side_count(const abut_bvh_side *side)
{
    return side->tree ? side->tree->def.triangle_count : 1;
}

static bool all_pairs(const abut_bvh_walk *walk, abut_bvh_pairs_fn leaf, void *ctx)
{
    abut_bvh_pair batch[ABUT_BVH_BATCH];
    size_t count = 0;
    for (size_t i = 0; i < side_count(&walk->a); ++i)
        for (size_t j = 0; j < side_count(&walk->b); ++j) {
            batch[count++] = (abut_bvh_pair){ (uint32_t)i, (uint32_t)j };
            if (count == ABUT_BVH_BATCH) {
                if (!leaf(ctx, batch, count))
                    return false;
                count = 0;
            }
        }
    return count == 0 || leaf(ctx, batch, count);
}

abut_status abut_bvh_overlap(const abut_bvh_walk *walk, double reach, abut_bvh_pairs_fn leaf, void *ctx)
{
    const abut_bvh *a = walk->a.tree, *b = walk->b.tree;
    if (a->wide && (!b || b->wide)) {
        abut_wide_overlap(walk, reach, leaf, ctx);
        return ABUT_OK;
    }
    if (a->binary && (!b || (b->binary && a->def.volume == b->def.volume)))
        return abut_binary_overlap(walk, reach, leaf, ctx);
    all_pairs(walk, leaf, ctx);
    return ABUT_OK;
}

typedef struct near_all {
    abut_bvh_near_fn leaf;
    void *ctx;
    double bound;
} near_all;

static bool near_batch(void *ctx, const abut_bvh_pair *pairs, size_t count)
{
    near_all *all = ctx;
    all->bound = all->leaf(all->ctx, pairs, count, all->bound);
    return all->bound >= 0;
}

double abut_bvh_nearest(const abut_bvh_walk *walk, double bound, abut_bvh_near_fn leaf, void *ctx)
{
    const abut_bvh *a = walk->a.tree, *b = walk->b.tree;
    if (a->wide && (!b || b->wide))
        return abut_wide_nearest(walk, bound, leaf, ctx);
    if (a->binary && (!b || (b->binary && a->def.volume == b->def.volume)))
        return abut_binary_nearest(walk, bound, leaf, ctx);
    near_all all = { leaf, ctx, bound };
    all_pairs(walk, near_batch, &all);
    return INFINITY;
}

void abut_bvh_self(const abut_bvh *tree, double reach, abut_mesh_counters *counters, abut_bvh_pairs_fn leaf,
                   void *ctx)
{
    if (tree->wide) {
        abut_wide_self(tree, reach, counters, leaf, ctx);
        return;
    }
    if (tree->binary) {
        abut_binary_self(tree, reach, counters, leaf, ctx);
        return;
    }
    for (size_t i = 0; i < tree->def.triangle_count; ++i)
        for (size_t j = i + 1; j < tree->def.triangle_count; ++j) {
            const abut_bvh_pair pair = { (uint32_t)i, (uint32_t)j };
            if (!leaf(ctx, &pair, 1))
                return;
        }
}
