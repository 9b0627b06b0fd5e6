/* SPDX-License-Identifier: MIT */
/* Broad phases that keep something from one set of boxes to the next. Each adds all pairs of boxes that
 * meet to `out`, which comes empty; after an error they start anew. */
#ifndef ABUT_WORLD_BROAD_PERSIST_H
#define ABUT_WORLD_BROAD_PERSIST_H

#include "world/broad/batch.h"
#include "world/broad/pair_set.h"

/* sweep.c: three sorted lists, mended by insertion sort. */
typedef struct abut_sweep abut_sweep;
abut_sweep *abut_sweep_create(const abut_allocator *alloc);
void abut_sweep_destroy(abut_sweep *sweep);
abut_status abut_sweep_update(abut_sweep *sweep, const abut_aabb *boxes, size_t count, abut_batch *batch,
                              abut_pair_list *out);

/* fat_tree.c: a tree of boxes that are larger by a margin, and changed only where a box leaves its own. */
typedef struct abut_fat_tree abut_fat_tree;
abut_fat_tree *abut_fat_tree_create(const abut_allocator *alloc);
void abut_fat_tree_destroy(abut_fat_tree *tree);
abut_status abut_fat_tree_update(abut_fat_tree *tree, const abut_aabb *boxes, size_t count, double margin,
                                 abut_pair_list *out);

/* hash_grid.c: a table of cells that boxes are entered in. */
typedef struct abut_hash_grid abut_hash_grid;
abut_hash_grid *abut_hash_grid_create(const abut_allocator *alloc);
void abut_hash_grid_destroy(abut_hash_grid *grid);
abut_status abut_hash_grid_update(abut_hash_grid *grid, const abut_aabb *boxes, size_t count,
                                  abut_pair_list *out);

/* plane.c: rectangles in a coordinate plane, by an interval tree along the sweep. Keeps nothing. */
abut_status abut_plane_pairs(const abut_aabb *boxes, size_t count, abut_pair_list *out);

#endif
