/* SPDX-License-Identifier: MIT */
/* Wide trees. */
#include "bvh/tree.h"

#include <math.h>

abut_wide *abut_wide_create(const abut_bvh_def *def, const abut_allocator *alloc)
{
    (void)def;
    (void)alloc;
    return NULL;
}

void abut_wide_destroy(abut_wide *tree, const abut_allocator *alloc)
{
    (void)tree;
    (void)alloc;
}

void abut_wide_refit(abut_wide *tree, const abut_bvh_def *def)
{
    (void)tree;
    (void)def;
}

void abut_wide_get_info(const abut_wide *tree, abut_hierarchy_info *out)
{
    (void)tree;
    (void)out;
}

void abut_wide_overlap(const abut_bvh_walk *walk, double reach, abut_bvh_pairs_fn leaf, void *ctx)
{
    (void)walk;
    (void)reach;
    (void)leaf;
    (void)ctx;
}

double abut_wide_nearest(const abut_bvh_walk *walk, double bound, abut_bvh_near_fn leaf, void *ctx)
{
    (void)walk;
    (void)bound;
    (void)leaf;
    (void)ctx;
    return INFINITY;
}

void abut_wide_self(const abut_bvh *tree, double reach, abut_mesh_counters *counters, abut_bvh_pairs_fn leaf,
                    void *ctx)
{
    (void)tree;
    (void)reach;
    (void)counters;
    (void)leaf;
    (void)ctx;
}
