/* SPDX-License-Identifier: MIT */
/* Wide trees: making, refitting, and the common units of a walk. */
#include "bvh/wide.h"

#include "base/memory.h"
#include "math/vec3.h"

#include <string.h>

int abut_wide_force_plain = 0;

const wide_functions *abut_wide_functions(void)
{
#if defined(__x86_64__)
    if (!abut_wide_force_plain && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &abut_wide_avx2;
#endif
    return &abut_wide_plain;
}

/* ---- making ---- */

/* Exponent of a power of two above |x|, kept where its reciprocal is a number. */
static int exponent_above(double x)
{
    int e = -1000;
    if (x > 0)
        (void)frexp(x, &e);
    return e < -1000 ? -1000 : e;
}

/* Units of a vertex array. */
static void measure(abut_wide *tree, const abut_bvh_def *def)
{
    abut_vec3 lo = def->vertices[def->triangles[0]], hi = lo;
    for (size_t i = 0; i < def->vertex_count; ++i) {
        const abut_vec3 v = def->vertices[i];
        lo.x = v.x < lo.x ? v.x : lo.x;
        lo.y = v.y < lo.y ? v.y : lo.y;
        lo.z = v.z < lo.z ? v.z : lo.z;
        hi.x = v.x > hi.x ? v.x : hi.x;
        hi.y = v.y > hi.y ? v.y : hi.y;
        hi.z = v.z > hi.z ? v.z : hi.z;
    }
    tree->centre = abut_v3(0.5 * lo.x + 0.5 * hi.x, 0.5 * lo.y + 0.5 * hi.y, 0.5 * lo.z + 0.5 * hi.z);
    const abut_vec3 half = { 0.5 * hi.x - 0.5 * lo.x, 0.5 * hi.y - 0.5 * lo.y, 0.5 * hi.z - 0.5 * lo.z };
    tree->exponent = exponent_above(abut_max_norm(half));
}

/* Numbers of leaves and nodes, and where their levels begin. */
static void count_levels(abut_wide *tree, size_t triangles)
{
    size_t n = (triangles + WIDE - 1) / WIDE, begin = 0;
    tree->leaf_count = (uint32_t)n;
    for (tree->levels = 0;; n = (n + WIDE - 1) / WIDE) {
        tree->level_begin[tree->levels++] = (uint32_t)begin;
        begin += n;
        if (n == 1)
            break;
    }
    tree->level_begin[tree->levels] = (uint32_t)begin;
    tree->node_count = (uint32_t)begin - tree->leaf_count;
    tree->root = (uint32_t)begin - 1;
}

static void link_levels(abut_wide *tree, const wide_item *items, size_t triangles)
{
    for (uint32_t i = 0; i < tree->leaf_count; ++i) {
        wide_leaf *leaf = &tree->leaves[i];
        const size_t left = triangles - (size_t)i * WIDE;
        const uint32_t count = left < WIDE ? (uint32_t)left : WIDE;
        uint32_t id[WIDE];
        for (uint32_t k = 0; k < WIDE; ++k)
            id[k] = items[(size_t)i * WIDE + (k < count ? k : count - 1)].id;
        leaf->head.count = count;
        memcpy(leaf->id, id, sizeof id);
    }
    for (int level = 1; level < tree->levels; ++level)
        for (uint32_t i = tree->level_begin[level]; i < tree->level_begin[level + 1]; ++i) {
            wide_node *node = wide_node_of(tree, i);
            node->first = tree->level_begin[level - 1] + (i - tree->level_begin[level]) * WIDE;
            const uint32_t left = tree->level_begin[level] - node->first;
            node->head.count = left < WIDE ? left : WIDE;
        }
}

static void centres(const abut_wide *tree, const abut_bvh_def *def, wide_item *items)
{
    const double scale = ldexp(1, -tree->exponent);
    for (size_t i = 0; i < def->triangle_count; ++i) {
        const uint32_t *t = def->triangles + 3 * i;
        const abut_vec3 a = def->vertices[t[0]], b = def->vertices[t[1]], c = def->vertices[t[2]];
        const abut_vec3 o = tree->centre;
        items[i] =
            (wide_item){ { (float)(((a.x - o.x) * scale + (b.x - o.x) * scale) + (c.x - o.x) * scale),
                           (float)(((a.y - o.y) * scale + (b.y - o.y) * scale) + (c.y - o.y) * scale),
                           (float)(((a.z - o.z) * scale + (b.z - o.z) * scale) + (c.z - o.z) * scale) },
                         (uint32_t)i };
    }
}

abut_wide *abut_wide_create(const abut_bvh_def *def, const abut_allocator *alloc)
{
    abut_wide *tree = abut_base_alloc_zero(alloc, 1, sizeof *tree);
    if (!tree)
        return NULL;
    count_levels(tree, def->triangle_count);
    const size_t leaves = tree->leaf_count * sizeof(wide_leaf), nodes = tree->node_count * sizeof(wide_node);
    tree->bytes = leaves + nodes + 64;
    tree->memory = abut_base_alloc(alloc, tree->bytes, 1);
    if (!tree->memory) {
        abut_base_free(alloc, tree, 1, sizeof *tree);
        return NULL;
    }
    char *begin = (char *)tree->memory + (64 - (uintptr_t)tree->memory % 64);
    tree->nodes = (wide_node *)(void *)begin;
    tree->leaves = (wide_leaf *)(void *)(begin + nodes);
    /* Items are ordered where the leaves will be, at the end, and scratch is at the beginning: a
     * leaf is larger than its items, and what is not yet linked is never overwritten. */
    wide_item *items = (wide_item *)(void *)(begin + nodes + leaves) - def->triangle_count;
    measure(tree, def);
    centres(tree, def, items);
    abut_wide_functions()->order(items, (wide_item *)(void *)tree->leaves, def->triangle_count);
    link_levels(tree, items, def->triangle_count);
    abut_wide_functions()->fit(tree, def);
    return tree;
}

void abut_wide_destroy(abut_wide *tree, const abut_allocator *alloc)
{
    abut_base_free(alloc, tree->memory, tree->bytes, 1);
    abut_base_free(alloc, tree, 1, sizeof *tree);
}

void abut_wide_refit(abut_wide *tree, const abut_bvh_def *def)
{
    measure(tree, def);
    abut_wide_functions()->fit(tree, def);
}

void abut_wide_get_info(const abut_wide *tree, abut_hierarchy_info *out)
{
    out->nodes = (size_t)tree->leaf_count + tree->node_count;
    out->leaves = tree->leaf_count;
    out->depth = (size_t)tree->levels;
    out->bytes = tree->bytes + sizeof *tree;
}

/* ---- walks ---- */

static int largest(int a, int b)
{
    return a > b ? a : b;
}

static abut_vec3 scaled(abut_vec3 v, int exponent)
{
    return (abut_vec3){ ldexp(v.x, exponent), ldexp(v.y, exponent), ldexp(v.z, exponent) };
}

static void set_view(wide_view *view, const abut_mat3 *r, bool turned, abut_vec3 d, double k_own,
                     double k_other)
{
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            view->r[i][k] = turned ? r->m[k][i] : r->m[i][k];
            view->rows[i][k] = (float)view->r[i][k];
        }
    for (int i = 0; i < 3; ++i)
        view->rows[i][3] = 0;
    view->d[0] = d.x;
    view->d[1] = d.y;
    view->d[2] = d.z;
    view->k_own = k_own;
    view->k_other = k_other;
}

/* The box as the only leaf of a tree with its centre and its unit. */
static void set_box(const abut_bv_box *box, wide_head *out, int *exponent)
{
    *exponent = exponent_above(abut_max_norm(box->half));
    const abut_vec3 h = scaled(box->half, -*exponent);
    *out = (wide_head){ .count = 1 };
    const double half[3] = { h.x, h.y, h.z };
    float square = 0;
    for (int i = 0; i < 3; ++i) {
        out->half[i] = (float)(half[i] * (1 + 0x1p-20));
        square += out->half[i] * out->half[i];
        for (int k = 0; k < 3; ++k)
            out->axes[k][i] = (float)box->axes.m[k][i];
    }
    out->radius = sqrtf(square) * (1 + 0x1p-20F);
}

/* false: nothing can be known about where they are, everything counts. */
static void set_walk(const abut_bvh_walk *walk, wide_walk *out)
{
    const abut_bv_relative *rel = walk->b_in_a;
    out->a = walk->a.tree->wide;
    out->b = walk->b.tree ? walk->b.tree->wide : NULL;
    int exponent_b;
    abut_vec3 centre_b;
    if (out->b) {
        exponent_b = out->b->exponent;
        centre_b = out->b->centre;
    } else {
        set_box(&walk->b.box, &out->box, &exponent_b);
        centre_b = walk->b.box.centre;
    }
    /* Where the centre of b is from that of a: first in units in which nothing overflows, then
     * in those of the walk, in which it is less than 2^60. */
    const double far =
        fmax(abut_max_norm(rel->t), fmax(abut_max_norm(centre_b), abut_max_norm(out->a->centre)));
    const int safe = exponent_above(far) + 2;
    const abut_vec3 cb = scaled(centre_b, -safe);
    const abut_vec3 d =
        abut_sub(abut_add(abut_mul(&rel->r, cb), scaled(rel->t, -safe)), scaled(out->a->centre, -safe));
    const int own = largest(out->a->exponent, exponent_b);
    out->exponent = largest(own, exponent_above(abut_max_norm(d)) + safe - 60);
    const double k_a = ldexp(1, out->a->exponent - out->exponent), k_b = ldexp(1, exponent_b - out->exponent);
    const abut_vec3 at = scaled(d, safe - out->exponent);
    /* Sums above: 8 roundings of numbers below 2; below: origins and differences in doubles, of
     * numbers below 2^60 + 2. */
    out->slack = (ldexp(rel->error, -out->exponent) + ldexp(0x1p-48, safe - out->exponent)) * 2 +
                 0x1p-46 * (1 + abut_max_norm(at)) + 0x1p-100;
    if (!(out->slack < 0x1p100))
        out->slack = INFINITY;
    set_view(&out->from_a, &rel->r, false, at, k_a, k_b);
    const abut_vec3 back = { -(rel->r.m[0][0] * at.x + rel->r.m[1][0] * at.y + rel->r.m[2][0] * at.z),
                             -(rel->r.m[0][1] * at.x + rel->r.m[1][1] * at.y + rel->r.m[2][1] * at.z),
                             -(rel->r.m[0][2] * at.x + rel->r.m[1][2] * at.y + rel->r.m[2][2] * at.z) };
    set_view(&out->from_b, &rel->r, true, back, k_b, k_a);
}

static void set_self_walk(const abut_wide *tree, wide_walk *out)
{
    static const abut_mat3 one = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
    *out = (wide_walk){ .a = tree, .b = tree, .exponent = tree->exponent, .slack = 0x1p-48 };
    set_view(&out->from_a, &one, false, abut_v3(0, 0, 0), 1, 1);
    out->from_b = out->from_a;
}

void abut_wide_overlap(const abut_bvh_walk *walk, double reach, abut_bvh_pairs_fn leaf, void *ctx)
{
    wide_walk w;
    set_walk(walk, &w);
    abut_wide_functions()->overlap(&w, reach, walk->counters, leaf, ctx);
}

double abut_wide_nearest(const abut_bvh_walk *walk, double bound, abut_bvh_near_fn leaf, void *ctx)
{
    wide_walk w;
    set_walk(walk, &w);
    return abut_wide_functions()->nearest(&w, bound, walk->counters, leaf, ctx);
}

void abut_wide_self(const abut_bvh *tree, double reach, abut_mesh_counters *counters, abut_bvh_pairs_fn leaf,
                    void *ctx)
{
    wide_walk w;
    set_self_walk(tree->wide, &w);
    abut_wide_functions()->self(&w, reach, counters, leaf, ctx);
}
