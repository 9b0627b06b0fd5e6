/* SPDX-License-Identifier: MIT */
/* Binary trees. */
#include "bvh/tree.h"

#include <math.h>

abut_binary *abut_binary_create(const abut_bvh_def *def, const abut_allocator *alloc)
{
    (void)def;
    (void)alloc;
    return NULL;
}

void abut_binary_destroy(abut_binary *tree, const abut_allocator *alloc)
{
    (void)tree;
    (void)alloc;
}

void abut_binary_refit(abut_binary *tree, const abut_bvh_def *def)
{
    (void)tree;
    (void)def;
}

void abut_binary_get_info(const abut_binary *tree, abut_hierarchy_info *out)
{
    (void)tree;
    (void)out;
}

abut_status abut_binary_overlap(const abut_bvh_walk *walk, double reach, abut_bvh_pairs_fn leaf, void *ctx)
{
    (void)walk;
    (void)reach;
    (void)leaf;
    (void)ctx;
    return ABUT_OK;
}

double abut_binary_nearest(const abut_bvh_walk *walk, double bound, abut_bvh_near_fn leaf, void *ctx)
{
    (void)walk;
    (void)bound;
    (void)leaf;
    (void)ctx;
    return INFINITY;
}

void abut_binary_self(const abut_bvh *tree, double reach, abut_mesh_counters *counters,
                      abut_bvh_pairs_fn leaf, void *ctx)
{
    (void)tree;
    (void)reach;
    (void)counters;
    (void)leaf;
    (void)ctx;
}
