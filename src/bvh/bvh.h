/* SPDX-License-Identifier: MIT */
/* Hierarchies of bounding volumes over triangles, and walks through one or two of them.
 *
 * A tree knows numbers of triangles and bounds; it decides nothing about triangles themselves.
 * Walks report candidates in batches to a callback, and the promise is one-sided: nothing that
 * counts is left out. So no answer that is built on them can depend on the kind of volume, the
 * builder, the descent, the vector unit, or the number of threads; only the counters do.
 *
 * Two kinds behind one interface: `wide` (ABUT_VOLUME_AUTO; oriented boxes in floats, several to a node,
 * for vector units) and `binary` (every other volume, every builder). Both sides of a pair walk may
 * be of different kinds. Bounds are kept in floats, rounded outward, relative to the middle of the
 * tree's box and in units of a power of two near its size, so that sizes from 1e-150 to 1e150 fit.
 *
 * Walks allocate nothing (fixed stacks; builders bound the depth by ABUT_BVH_DEPTH) but for
 * fronts. Rounding is to nearest. */
#ifndef ABUT_BVH_BVH_H
#define ABUT_BVH_BVH_H

#include "abut/mesh.h"
#include "bv/relative.h"

enum { ABUT_BVH_DEPTH = 64 };

typedef struct abut_bvh abut_bvh;

/* The arrays are referred to, not copied: they must outlive the tree. triangle_count >= 1. */
typedef struct abut_bvh_def {
    const abut_vec3 *vertices;
    const uint32_t *triangles; /* three vertex numbers each */
    size_t vertex_count, triangle_count;
    abut_volume volume;
    abut_builder builder;
    abut_covariance covariance;
} abut_bvh_def;

/* NULL when memory is out. */
abut_bvh *abut_bvh_create(const abut_bvh_def *def, const abut_allocator *alloc);
void abut_bvh_destroy(abut_bvh *tree);
/* The vertices have new places (or are a new array of as many): bounds again, in linear time;
 * the tree stays. */
void abut_bvh_refit(abut_bvh *tree, const abut_vec3 *vertices);
/* All but total_bytes. */
void abut_bvh_get_info(const abut_bvh *tree, abut_hierarchy_info *out);

typedef struct abut_bvh_pair {
    uint32_t a, b; /* numbers of triangles; b is 0 for a box */
} abut_bvh_pair;

/* The most candidates that are handed over at a time. */
enum { ABUT_BVH_BATCH = 64 };

/* One side of a walk: a tree, or where it is NULL one box, in the frame of its body. A point or
 * a line segment is a box too. */
typedef struct abut_bvh_side {
    const abut_bvh *tree;
    abut_bv_box box;
} abut_bvh_side;

typedef struct abut_bvh_walk {
    abut_bvh_side a, b;
    const abut_bv_relative *b_in_a; /* its error also covers the corners of a box */
    abut_descent descent;
    abut_front *front;            /* or NULL */
    abut_mesh_counters *counters; /* adds volume_tests and updates; never NULL */
} abut_bvh_walk;

/* Candidates: every pair of triangles that are nearer than or at `reach` >= 0 is handed over
 * exactly once, others may be. Returns false to end the walk. */
typedef bool (*abut_bvh_pairs_fn)(void *ctx, const abut_bvh_pair *pairs, size_t count);
/* ABUT_ERR_MEMORY only with a front. */
abut_status abut_bvh_overlap(const abut_bvh_walk *walk, double reach, abut_bvh_pairs_fn leaf, void *ctx);

/* Nearest first, more or less: every pair that is nearer than or at the bound that holds when
 * the walk comes by is handed over, and the bound is then what the callback returns: an upper
 * bound of the least distance, never more than it got. A negative one ends the walk. */
typedef double (*abut_bvh_near_fn)(void *ctx, const abut_bvh_pair *pairs, size_t count, double bound);
/* Returns a lower bound of the distance of all pairs that were left out, infinite where there
 * were none: with it a walk that asks less than it knows (bound / (1 + relative)) still has an
 * enclosure. */
double abut_bvh_nearest(const abut_bvh_walk *walk, double bound, abut_bvh_near_fn leaf, void *ctx);

/* Pairs a < b of triangles of one tree that are nearer than or at reach, each once. */
void abut_bvh_self(const abut_bvh *tree, double reach, abut_mesh_counters *counters, abut_bvh_pairs_fn leaf,
                   void *ctx);

#endif
