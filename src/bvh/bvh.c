/* SPDX-License-Identifier: MIT */
/* The interface of both kinds of trees: creation, and who walks what. */
#include "base/memory.h"
#include "bvh/tree.h"

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
    if (!tree->wide && !tree->binary) {
        abut_bvh_destroy(tree);
        return NULL;
    }
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
    else
        abut_binary_refit(tree->binary, &tree->def);
}

void abut_bvh_get_info(const abut_bvh *tree, abut_hierarchy_info *out)
{
    *out = (abut_hierarchy_info){ .volume = tree->def.volume, .builder = tree->def.builder };
    if (tree->wide)
        abut_wide_get_info(tree->wide, out);
    else
        abut_binary_get_info(tree->binary, out);
}

/* Of one kind, so that they can be walked together. */
static bool both_wide(const abut_bvh_walk *walk)
{
    return walk->a.tree->wide && (!walk->b.tree || walk->b.tree->wide);
}

static bool both_binary(const abut_bvh_walk *walk)
{
    const abut_bvh *a = walk->a.tree, *b = walk->b.tree;
    return a->binary && (!b || (b->binary && a->def.volume == b->def.volume));
}

abut_status abut_bvh_overlap(const abut_bvh_walk *walk, double reach, abut_bvh_pairs_fn leaf, void *ctx)
{
    if (both_binary(walk))
        return abut_binary_overlap(walk, reach, leaf, ctx);
    if (both_wide(walk))
        abut_wide_overlap(walk, reach, leaf, ctx);
    else
        abut_mixed_overlap(walk, reach, leaf, ctx);
    return ABUT_OK;
}

double abut_bvh_nearest(const abut_bvh_walk *walk, double bound, abut_bvh_near_fn leaf, void *ctx)
{
    if (both_binary(walk))
        return abut_binary_nearest(walk, bound, leaf, ctx);
    if (both_wide(walk))
        return abut_wide_nearest(walk, bound, leaf, ctx);
    return abut_mixed_nearest(walk, bound, leaf, ctx);
}

void abut_bvh_self(const abut_bvh *tree, double reach, abut_mesh_counters *counters, abut_bvh_pairs_fn leaf,
                   void *ctx)
{
    if (tree->wide)
        abut_wide_self(tree, reach, counters, leaf, ctx);
    else
        abut_binary_self(tree, reach, counters, leaf, ctx);
}
