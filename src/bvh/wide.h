/* SPDX-License-Identifier: MIT */
/* Wide trees from inside: what a node and a leaf hold, and the two sets of functions that work on
 * them.
 *
 * Eight triangles to a leaf, eight children to a node, every level full but for its end; a tree is
 * an order of the triangles, and all else follows from their number. Things are numbered level by
 * level: leaves first, the root last. Child i of a node is its `first` + i.
 *
 * Lengths are in units of the tree, 2^exponent, from its centre, so that no coordinate exceeds
 * 1. A leaf and a node have an origin in doubles, the middle of their box, and keep what is
 * below them in floats relative to it: the floats are right to 2^-24 of the size of that leaf or
 * node, not of the tree. */
#ifndef ABUT_BVH_WIDE_H
#define ABUT_BVH_WIDE_H

#include "bvh/tree.h"

enum { WIDE = 8, WIDE_LEVELS = 12 };

/* A box alone, as it is needed when it is the one that is tested against eight. */
typedef struct wide_head {
    double origin[3]; /* middle of the box */
    /* no corner of the box, and of those of the children, is further from the origin */
    float radius;
    uint32_t count;   /* of triangles or children */
    float axes[3][4]; /* axes[k][i]: coordinate k of axis i; a quad for vector units */
    float half[4];
} wide_head;

typedef struct wide_node {
    wide_head head;
    float centre[3][WIDE];  /* of the children's boxes, from the origin */
    float axes[3][3][WIDE]; /* axes[i][k]: coordinate k of axis i */
    float half[3][WIDE];
    uint32_t first, unused[7];
} wide_node;

typedef struct wide_leaf {
    wide_head head;
    /* corner[c][i]: corner c along axis i of the box, from the origin; lanes beyond count repeat
     * the last one */
    float corner[3][3][WIDE];
    uint32_t id[WIDE];
} wide_leaf;

struct abut_wide {
    wide_leaf *leaves;
    wide_node *nodes;
    uint32_t leaf_count, node_count, root;
    uint32_t level_begin[WIDE_LEVELS + 1]; /* numbers of the first thing of a level, 0: leaves */
    int levels;
    int exponent;
    abut_vec3 centre;
    void *memory;
    size_t bytes;
};

static inline bool wide_is_leaf(const abut_wide *tree, uint32_t ref)
{
    return ref < tree->leaf_count;
}

static inline wide_node *wide_node_of(const abut_wide *tree, uint32_t ref)
{
    return tree->nodes + (ref - tree->leaf_count);
}

static inline wide_head *wide_head_of(const abut_wide *tree, uint32_t ref)
{
    return wide_is_leaf(tree, ref) ? &tree->leaves[ref].head : &wide_node_of(tree, ref)->head;
}

/* How things of the other side are seen from this side, both in the common units of a walk,
 * 2^exponent: p -> r p k_other + d, and own points times k_own. Origins are doubles, and
 * differences of origins are taken in doubles. */
typedef struct wide_view {
    double r[3][3], d[3];
    double k_own, k_other;
    float rows[3][4]; /* r again */
} wide_view;

typedef struct wide_walk {
    const abut_wide *a, *b; /* b NULL: a box */
    wide_head box;
    wide_view from_a, from_b;
    double slack; /* what the placement may be off by, in units */
    int exponent; /* of the common unit */
} wide_walk;

/* A triangle to be put in order: its centre, times 3. */
typedef struct wide_item {
    float at[3];
    uint32_t id;
} wide_item;

typedef struct wide_functions {
    /* scratch has room for as many */
    void (*order)(wide_item *items, wide_item *scratch, size_t count);
    void (*fit)(abut_wide *tree, const abut_bvh_def *def);
    void (*overlap)(const wide_walk *walk, double reach, abut_mesh_counters *counters, abut_bvh_pairs_fn leaf,
                    void *ctx);
    double (*nearest)(const wide_walk *walk, double bound, abut_mesh_counters *counters,
                      abut_bvh_near_fn leaf, void *ctx);
    void (*self)(const wide_walk *walk, double reach, abut_mesh_counters *counters, abut_bvh_pairs_fn leaf,
                 void *ctx);
} wide_functions;

extern const wide_functions abut_wide_plain;
#if defined(__x86_64__)
extern const wide_functions abut_wide_avx2;
#endif
/* For tests: 0 chooses by the processor, 1 takes plain C. */
extern int abut_wide_force_plain;
const wide_functions *abut_wide_functions(void);

#endif
