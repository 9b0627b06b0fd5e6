/* SPDX-License-Identifier: MIT */
/* The two kinds of trees behind bvh.h. */
#ifndef ABUT_BVH_TREE_H
#define ABUT_BVH_TREE_H

#include "bvh/bvh.h"

typedef struct abut_wide abut_wide;
typedef struct abut_binary abut_binary;

struct abut_bvh {
    abut_allocator alloc;
    abut_bvh_def def;
    abut_wide *wide; /* one of these */
    abut_binary *binary;
};

abut_wide *abut_wide_create(const abut_bvh_def *def, const abut_allocator *alloc);
void abut_wide_destroy(abut_wide *tree, const abut_allocator *alloc);
void abut_wide_refit(abut_wide *tree, const abut_bvh_def *def);
void abut_wide_get_info(const abut_wide *tree, abut_hierarchy_info *out);
/* a is wide; b is wide or a box. */
void abut_wide_overlap(const abut_bvh_walk *walk, double reach, abut_bvh_pairs_fn leaf, void *ctx);
double abut_wide_nearest(const abut_bvh_walk *walk, double bound, abut_bvh_near_fn leaf, void *ctx);
void abut_wide_self(const abut_bvh *tree, double reach, abut_mesh_counters *counters, abut_bvh_pairs_fn leaf,
                    void *ctx);

abut_binary *abut_binary_create(const abut_bvh_def *def, const abut_allocator *alloc);
void abut_binary_destroy(abut_binary *tree, const abut_allocator *alloc);
void abut_binary_refit(abut_binary *tree, const abut_bvh_def *def);
void abut_binary_get_info(const abut_binary *tree, abut_hierarchy_info *out);
/* a is binary; b is a binary tree of the same volume, or a box. */
abut_status abut_binary_overlap(const abut_bvh_walk *walk, double reach, abut_bvh_pairs_fn leaf, void *ctx);
double abut_binary_nearest(const abut_bvh_walk *walk, double bound, abut_bvh_near_fn leaf, void *ctx);
void abut_binary_self(const abut_bvh *tree, double reach, abut_mesh_counters *counters,
                      abut_bvh_pairs_fn leaf, void *ctx);

/* Trees that do not go together, a binary one among them. */
void abut_mixed_overlap(const abut_bvh_walk *walk, double reach, abut_bvh_pairs_fn leaf, void *ctx);
double abut_mixed_nearest(const abut_bvh_walk *walk, double bound, abut_bvh_near_fn leaf, void *ctx);

#endif
