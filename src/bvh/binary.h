/* SPDX-License-Identifier: MIT */
/* Binary trees, inside: their nodes, how they are parted and walked.
 *
 * One triangle a leaf. Nodes lie in one array: the root, then for each inner node its two
 * children side by side, depth first. So whatever is below a node is one run of the array, the
 * first child has an odd number and the second the next one, and children come after their
 * parents. A node is the floats of its volume and one word: the number of its first child, or
 * that of its triangle with the top bit set. */
#ifndef ABUT_BVH_BINARY_H
#define ABUT_BVH_BINARY_H

#include "bv/volume.h"
#include "bvh/tree.h"

#include <string.h>

#define ABUT_BINARY_LEAF 0x80000000u

/* Nodes to walk: a tree's, or the one of a box. */
typedef struct abut_binary_view {
    const abut_bv_kind *kind;
    const float *nodes;
    uint32_t stride; /* floats from node to node */
    abut_bv_frame frame;
} abut_binary_view;

struct abut_binary {
    abut_binary_view view; /* its nodes are those below */
    float *nodes;
    size_t node_count;
    uint64_t serial; /* of no other tree */
    abut_builder builder;
    unsigned depth; /* levels below the root */
};

static inline const float *abut_binary_node(const abut_binary_view *view, uint32_t node)
{
    return view->nodes + (size_t)node * view->stride;
}

static inline uint32_t abut_binary_link(const abut_binary_view *view, uint32_t node)
{
    uint32_t link;
    memcpy(&link, abut_binary_node(view, node) + view->stride - 1, sizeof link);
    return link;
}

/* Numbers of at most `most` triangles below a node, and how many there are; 0 where there are
 * more. */
size_t abut_binary_triangles(const abut_binary_view *view, uint32_t node, size_t most, uint32_t *out);

/* ---- building ---- */

/* Triangles in the order of the tree as far as it is made: their corners in the local frame,
 * their numbers. */
typedef struct abut_binary_build {
    abut_vec3 *corners; /* three each */
    uint32_t *ids;
    double *keys; /* scratch, one each */
    size_t count;
} abut_binary_build;

/* Parts lo .. hi - 1 in two and returns where the second part begins. Along the axes in their
 * order, see mesh.h; in the middle where no axis parts them, or where a part would be too large
 * for the levels that are left. */
size_t abut_binary_part(abut_binary_build *build, abut_builder builder, size_t lo, size_t hi,
                        const abut_mat3 *axes, unsigned levels_left);

/* Joins triangles to clusters. Cluster i < count is triangle i; count + i joins two earlier
 * ones; the last one is all. */
typedef struct abut_binary_cluster {
    uint32_t first, second, size;
} abut_binary_cluster;

/* Fills 2 count - 1 clusters; false when memory is out. */
bool abut_binary_join(const abut_binary_build *build, const abut_allocator *alloc,
                      abut_binary_cluster *clusters);

/* ---- walking ---- */

typedef struct abut_binary_walk {
    abut_binary_view a, b;
    abut_bv_pair pair;
    abut_bv_placed placed;
    uint32_t placed_node; /* of b, that `placed` is; UINT32_MAX: none */
    double reach;         /* in the pair's units */
    abut_descent descent;
    abut_mesh_counters *counters;
    float box[ABUT_BV_FLOATS + 1]; /* the node of a box */
} abut_binary_walk;

typedef struct abut_binary_nodes {
    uint32_t a, b;
} abut_binary_nodes;

/* Whether two nodes may be within reach. */
bool abut_binary_meet(abut_binary_walk *w, uint32_t a, uint32_t b);
/* The pairs of nodes that make up a pair, by the rule of descent: 2 or 4, or none for two
 * leaves. Siblings are neighbours in the list. */
size_t abut_binary_open(const abut_binary_walk *w, uint32_t a, uint32_t b, abut_binary_nodes out[4]);

/* Candidates on their way to the callback, the first few by themselves, for who wants only one. */
typedef struct abut_binary_batch {
    abut_bvh_pairs_fn leaf;
    void *ctx;
    size_t count, sent;
    abut_bvh_pair pairs[ABUT_BVH_BATCH];
} abut_binary_batch;

/* False: the callback wants no more. */
bool abut_binary_batch_flush(abut_binary_batch *batch);
bool abut_binary_batch_add(abut_binary_batch *batch, uint32_t a, uint32_t b);

/* The walk with a front: binary trees on both sides. */
abut_status abut_binary_front_overlap(const abut_bvh_walk *walk, abut_binary_walk *w, abut_bvh_pairs_fn leaf,
                                      void *ctx);

#endif
