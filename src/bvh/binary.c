/* SPDX-License-Identifier: MIT */
/* Binary trees: made top down or bottom up, refitted.
 *
 * Every volume is fitted to the corners of all triangles below it when the tree is made. A refit
 * must be linear in time: it fits nodes with few triangles to their corners again, and others to
 * the volumes four levels below, which loosens them a little (AABBs and k-DOPs to their
 * children, for their union is as good). It takes axes from the scatter of what it fits, never
 * from hulls, and allocates nothing. */
#include "bvh/binary.h"

#include "base/memory.h"
#include "math/vec3.h"

#include <stdatomic.h>

/* Up to this many triangles a refit fits to corners. A corner is then touched log2 of it times
 * at most where the tree is balanced. */
enum { REFIT_CORNERS = 32 };

static void corners_of(const abut_bvh_def *def, const abut_bv_local *local, size_t triangle, abut_vec3 out[3])
{
    for (size_t k = 0; k < 3; ++k)
        out[k] = abut_bv_to_local(local, def->vertices[def->triangles[3 * triangle + k]]);
}

static abut_bv_frame frame_of(const abut_bvh_def *def)
{
    abut_aabb box = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
    for (size_t i = 0; i < 3 * def->triangle_count; ++i) {
        const abut_vec3 p = def->vertices[def->triangles[i]];
        box.lo = abut_v3(p.x < box.lo.x ? p.x : box.lo.x, p.y < box.lo.y ? p.y : box.lo.y,
                         p.z < box.lo.z ? p.z : box.lo.z);
        box.hi = abut_v3(p.x > box.hi.x ? p.x : box.hi.x, p.y > box.hi.y ? p.y : box.hi.y,
                         p.z > box.hi.z ? p.z : box.hi.z);
    }
    return abut_bv_frame_of(&box);
}

static float *node_at(const abut_binary *tree, uint32_t node)
{
    return tree->nodes + (size_t)node * tree->view.stride;
}

static void set_link(const abut_binary *tree, uint32_t node, uint32_t link)
{
    memcpy(node_at(tree, node) + tree->view.stride - 1, &link, sizeof link);
}

/* ---- making ---- */

typedef struct task {
    size_t lo, hi;
    uint32_t node, cluster;
    unsigned depth;
} task;

typedef struct maker {
    abut_binary *tree;
    const abut_bvh_def *def;
    abut_binary_build build;
    abut_binary_cluster *clusters; /* bottom up only */
    abut_bv_scratch scratch;
} maker;

static void release(maker *m, const abut_allocator *alloc)
{
    const size_t n = m->build.count;
    if (m->build.corners)
        abut_base_free(alloc, m->build.corners, n, 3 * sizeof *m->build.corners);
    if (m->build.ids)
        abut_base_free(alloc, m->build.ids, n, sizeof *m->build.ids);
    if (m->build.keys)
        abut_base_free(alloc, m->build.keys, n, sizeof *m->build.keys);
    if (m->clusters)
        abut_base_free(alloc, m->clusters, 2 * n - 1, sizeof *m->clusters);
    if (m->scratch.coordinates)
        abut_base_free(alloc, m->scratch.coordinates, n, 9 * sizeof(double));
    abut_bv_scratch_close(&m->scratch);
}

static bool prepare(maker *m, const abut_allocator *alloc)
{
    const size_t n = m->build.count;
    const bool hull = m->tree->view.kind->oriented && m->def->covariance != ABUT_COVARIANCE_VERTICES;
    const bool bottom_up = m->tree->builder == ABUT_BUILDER_BOTTOM_UP;
    m->build.corners = abut_base_alloc(alloc, n, 3 * sizeof *m->build.corners);
    m->build.ids = abut_base_alloc(alloc, n, sizeof *m->build.ids);
    m->build.keys = abut_base_alloc(alloc, n, sizeof *m->build.keys);
    m->clusters = bottom_up ? abut_base_alloc(alloc, 2 * n - 1, sizeof *m->clusters) : NULL;
    m->scratch.coordinates = hull ? abut_base_alloc(alloc, n, 9 * sizeof(double)) : NULL;
    if (!m->build.corners || !m->build.ids || !m->build.keys || (bottom_up && !m->clusters) ||
        (hull && !m->scratch.coordinates))
        return false;
    if (hull)
        abut_bv_scratch_open(&m->scratch);
    const abut_bv_local local = abut_bv_local_of(&m->tree->view.frame);
    for (size_t i = 0; i < n; ++i) {
        corners_of(m->def, &local, i, m->build.corners + 3 * i);
        m->build.ids[i] = (uint32_t)i;
    }
    return true;
}

/* Puts the triangles in the order of the clusters. */
static void order_by_clusters(maker *m, const abut_bv_local *local)
{
    uint32_t stack[2 * ABUT_BVH_DEPTH];
    size_t used = 0, placed = 0;
    stack[used++] = (uint32_t)(2 * m->build.count - 2);
    while (used > 0) {
        const uint32_t cluster = stack[--used];
        if (cluster < m->build.count) {
            m->build.ids[placed] = cluster;
            corners_of(m->def, local, cluster, m->build.corners + 3 * placed++);
            continue;
        }
        stack[used++] = m->clusters[cluster].second;
        stack[used++] = m->clusters[cluster].first;
    }
}

/* Fits one node, and returns where its triangles are parted. */
static size_t make_node(maker *m, const task *t)
{
    const abut_bv_kind *kind = m->tree->view.kind;
    const abut_vec3 *corners = m->build.corners + 3 * t->lo;
    const size_t count = t->hi - t->lo;
    abut_mat3 axes = abut_mat3_identity();
    double extent[3];
    if (kind->oriented)
        abut_bv_axes(corners, 3 * count, m->def->covariance, &m->scratch, &axes, extent);
    else
        abut_bv_sort_axes(corners, 3 * count, &axes, extent);
    kind->fit(corners, NULL, 3 * count, &axes, node_at(m->tree, t->node));
    if (count == 1)
        return t->hi;
    if (m->clusters)
        return t->lo + m->clusters[m->clusters[t->cluster].first].size;
    return abut_binary_part(&m->build, m->tree->builder, t->lo, t->hi, &axes, ABUT_BVH_DEPTH - 2 - t->depth);
}

static void make_nodes(maker *m)
{
    task stack[ABUT_BVH_DEPTH + 2];
    size_t used = 0;
    uint32_t next = 1;
    stack[used++] = (task){ 0, m->build.count, 0, (uint32_t)(2 * m->build.count - 2), 0 };
    while (used > 0) {
        const task t = stack[--used];
        const size_t part = make_node(m, &t);
        if (t.depth > m->tree->depth)
            m->tree->depth = t.depth;
        if (part == t.hi) {
            set_link(m->tree, t.node, ABUT_BINARY_LEAF | m->build.ids[t.lo]);
            continue;
        }
        set_link(m->tree, t.node, next);
        const abut_binary_cluster *c = m->clusters ? &m->clusters[t.cluster] : NULL;
        stack[used++] = (task){ part, t.hi, next + 1, c ? c->second : 0, t.depth + 1 };
        stack[used++] = (task){ t.lo, part, next, c ? c->first : 0, t.depth + 1 };
        next += 2;
    }
}

static bool make(abut_binary *tree, const abut_bvh_def *def, const abut_allocator *alloc)
{
    maker m = { .tree = tree, .def = def, .build = { .count = def->triangle_count } };
    bool made = prepare(&m, alloc);
    if (made && m.clusters) {
        const abut_bv_local local = abut_bv_local_of(&tree->view.frame);
        made = abut_binary_join(&m.build, alloc, m.clusters);
        if (made)
            order_by_clusters(&m, &local);
    }
    if (made)
        make_nodes(&m);
    release(&m, alloc);
    return made;
}

abut_binary *abut_binary_create(const abut_bvh_def *def, const abut_allocator *alloc)
{
    static atomic_uint_fast64_t serials;
    const abut_bv_kind *kind = abut_bv_kind_of(def->volume);
    if (!kind || def->triangle_count == 0 || def->triangle_count > 1u << 30)
        return NULL;
    abut_binary *tree = abut_base_alloc_zero(alloc, 1, sizeof *tree);
    if (!tree)
        return NULL;
    tree->view = (abut_binary_view){ kind, NULL, kind->floats + 1, frame_of(def) };
    tree->node_count = 2 * def->triangle_count - 1;
    tree->builder = def->builder == ABUT_BUILDER_AUTO ? ABUT_BUILDER_SAH : def->builder;
    tree->serial = atomic_fetch_add(&serials, 1) + 1;
    tree->nodes = abut_base_alloc(alloc, tree->node_count, tree->view.stride * sizeof(float));
    tree->view.nodes = tree->nodes;
    if (!tree->nodes || !make(tree, def, alloc)) {
        abut_binary_destroy(tree, alloc);
        return NULL;
    }
    return tree;
}

void abut_binary_destroy(abut_binary *tree, const abut_allocator *alloc)
{
    if (!tree)
        return;
    if (tree->nodes)
        abut_base_free(alloc, tree->nodes, tree->node_count, tree->view.stride * sizeof(float));
    abut_base_free(alloc, tree, 1, sizeof *tree);
}

/* ---- afterwards ---- */

size_t abut_binary_triangles(const abut_binary_view *view, uint32_t node, size_t most, uint32_t *out)
{
    const uint32_t link = abut_binary_link(view, node);
    if (link & ABUT_BINARY_LEAF) {
        out[0] = link & ~ABUT_BINARY_LEAF;
        return 1;
    }
    size_t found = 0, open = 2; /* nodes of the run that are still to come */
    for (uint32_t i = link; open > 0; ++i) {
        const uint32_t below = abut_binary_link(view, i);
        if (!(below & ABUT_BINARY_LEAF)) {
            ++open;
            if (found + open > most)
                return 0;
            continue;
        }
        if (found == most)
            return 0;
        out[found++] = below & ~ABUT_BINARY_LEAF;
        --open;
    }
    return found;
}

/* To the volumes some levels below, which were fitted before; to the two children where their
 * union is as good. */
static void merge_below(const abut_binary *tree, uint32_t node)
{
    const abut_bv_kind *kind = tree->view.kind;
    uint32_t nodes[ABUT_BV_MERGE] = { node };
    size_t count = 1;
    for (size_t room = kind->merge ? 2 : ABUT_BV_MERGE; 2 * count <= room;) {
        const size_t before = count;
        for (size_t i = 0; i < before; ++i) {
            const uint32_t link = abut_binary_link(&tree->view, nodes[i]);
            if (link & ABUT_BINARY_LEAF)
                continue;
            nodes[i] = link;
            nodes[count++] = link + 1;
        }
        if (count == before)
            break;
    }
    const float *volumes[ABUT_BV_MERGE];
    for (size_t i = 0; i < count; ++i)
        volumes[i] = node_at(tree, nodes[i]);
    abut_bv_merge(kind, volumes, count, node_at(tree, node));
}

static void refit_node(const abut_binary *tree, const abut_bvh_def *def, const abut_bv_local *local,
                       uint32_t node)
{
    const abut_bv_kind *kind = tree->view.kind;
    uint32_t below[REFIT_CORNERS];
    const size_t most = kind->merge ? 1 : REFIT_CORNERS;
    const size_t count = abut_binary_triangles(&tree->view, node, most, below);
    if (count == 0) {
        merge_below(tree, node);
        return;
    }
    abut_vec3 corners[3 * REFIT_CORNERS];
    for (size_t i = 0; i < count; ++i)
        corners_of(def, local, below[i], corners + 3 * i);
    abut_mat3 axes = abut_mat3_identity();
    double extent[3];
    if (kind->oriented)
        abut_bv_axes(corners, 3 * count, ABUT_COVARIANCE_VERTICES, NULL, &axes, extent);
    kind->fit(corners, NULL, 3 * count, &axes, node_at(tree, node));
}

void abut_binary_refit(abut_binary *tree, const abut_bvh_def *def)
{
    tree->view.frame = frame_of(def);
    const abut_bv_local local = abut_bv_local_of(&tree->view.frame);
    for (size_t i = tree->node_count; i-- > 0;)
        refit_node(tree, def, &local, (uint32_t)i);
}

void abut_binary_get_info(const abut_binary *tree, abut_hierarchy_info *out)
{
    out->builder = tree->builder;
    out->nodes = tree->node_count;
    out->leaves = (tree->node_count + 1) / 2;
    out->depth = tree->depth;
    out->bytes = sizeof *tree + tree->node_count * tree->view.stride * sizeof(float);
}
