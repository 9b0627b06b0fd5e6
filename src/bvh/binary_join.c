/* SPDX-License-Identifier: MIT */
/* Joining triangles bottom up, level by level: like the merging of regions of a mesh (P. Volino, N.
 * Magnenat-Thalmann), candidates are taken in the order of how well they fit together, and each
 * cluster joins one other a level. But neighbours are found by place, so that soups without common
 * edges do as well: clusters are kept along a Morton curve through their centres, and each is a
 * candidate with the next few. What fits best is the least area of the common box.
 *
 * Two clusters that stay single in a level are further apart than the window of candidates, so
 * that at most one in WINDOW + 1 does: n clusters become at most n / 2 (1 + 1 / (WINDOW + 1)) +
 * 1, and 2^30 triangles are one cluster after 45 levels. */
#include "bvh/binary.h"

#include "base/memory.h"
#include "base/sort.h"
#include "math/vec3.h"

enum { WINDOW = 3 };

typedef struct placed {
    uint64_t code;
    uint32_t id;
} placed;

typedef struct group {
    float lo[3], hi[3]; /* rounded: they only steer */
    uint32_t cluster;
} group;

typedef struct candidate {
    float area;
    uint32_t first, second;
} candidate;

typedef struct joiner {
    abut_binary_cluster *clusters;
    group *groups;
    candidate *candidates;
    bool *taken;
    size_t count;
    uint32_t next;
} joiner;

/* Spreads 21 bits to every third one. */
static uint64_t spread(uint64_t x)
{
    x = (x | x << 32) & 0x1f00000000ffffu;
    x = (x | x << 16) & 0x1f0000ff0000ffu;
    x = (x | x << 8) & 0x100f00f00f00f00fu;
    x = (x | x << 4) & 0x10c30c30c30c30c3u;
    return (x | x << 2) & 0x1249249249249249u;
}

/* Of -1 .. 1. */
static uint64_t cell(double x)
{
    const double scaled = (x + 1) * 0x1p20;
    return scaled > 0 ? (scaled < 0x1fffff ? (uint64_t)scaled : 0x1fffff) : 0;
}

static bool earlier(void *ctx, const void *a, const void *b)
{
    (void)ctx;
    const placed *p = a, *q = b;
    return p->code < q->code || (p->code == q->code && p->id < q->id);
}

static bool better(void *ctx, const void *a, const void *b)
{
    (void)ctx;
    const candidate *p = a, *q = b;
    if (p->area != q->area)
        return p->area < q->area;
    return p->first < q->first || (p->first == q->first && p->second < q->second);
}

static void sort_along_curve(const abut_binary_build *build, placed *order)
{
    for (size_t i = 0; i < build->count; ++i) {
        const abut_vec3 *p = build->corners + 3 * i;
        const abut_vec3 centre = abut_scale(1.0 / 3, abut_add(p[0], abut_add(p[1], p[2])));
        order[i] =
            (placed){ spread(cell(centre.x)) << 2 | spread(cell(centre.y)) << 1 | spread(cell(centre.z)),
                      (uint32_t)i };
    }
    abut_base_sort(order, build->count, sizeof *order, earlier, NULL);
}

static group group_of(const abut_vec3 p[3], uint32_t cluster)
{
    group g = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY }, cluster };
    for (int c = 0; c < 3; ++c) {
        const float x[3] = { (float)p[c].x, (float)p[c].y, (float)p[c].z };
        for (int k = 0; k < 3; ++k) {
            g.lo[k] = x[k] < g.lo[k] ? x[k] : g.lo[k];
            g.hi[k] = x[k] > g.hi[k] ? x[k] : g.hi[k];
        }
    }
    return g;
}

static group together(const group *a, const group *b, uint32_t cluster)
{
    group g = *a;
    for (int k = 0; k < 3; ++k) {
        g.lo[k] = b->lo[k] < g.lo[k] ? b->lo[k] : g.lo[k];
        g.hi[k] = b->hi[k] > g.hi[k] ? b->hi[k] : g.hi[k];
    }
    g.cluster = cluster;
    return g;
}

static float area_of(const group *g)
{
    const float x = g->hi[0] - g->lo[0], y = g->hi[1] - g->lo[1], z = g->hi[2] - g->lo[2];
    return x * y + y * z + z * x;
}

/* One level; the groups that it leaves are in the order of the curve again. */
static void join_level(joiner *j)
{
    size_t found = 0;
    for (size_t i = 0; i < j->count; ++i) {
        j->taken[i] = false;
        for (size_t k = i + 1; k < j->count && k <= i + WINDOW; ++k) {
            const group both = together(&j->groups[i], &j->groups[k], 0);
            j->candidates[found++] = (candidate){ area_of(&both), (uint32_t)i, (uint32_t)k };
        }
    }
    abut_base_sort(j->candidates, found, sizeof *j->candidates, better, NULL);
    for (size_t i = 0; i < found; ++i) {
        const candidate *c = &j->candidates[i];
        if (j->taken[c->first] || j->taken[c->second])
            continue;
        j->taken[c->first] = j->taken[c->second] = true;
        group *a = &j->groups[c->first], *b = &j->groups[c->second];
        j->clusters[j->next] =
            (abut_binary_cluster){ a->cluster, b->cluster,
                                   j->clusters[a->cluster].size + j->clusters[b->cluster].size };
        *a = together(a, b, j->next++);
        b->cluster = UINT32_MAX;
    }
    size_t kept = 0;
    for (size_t i = 0; i < j->count; ++i)
        if (j->groups[i].cluster != UINT32_MAX)
            j->groups[kept++] = j->groups[i];
    j->count = kept;
}

bool abut_binary_join(const abut_binary_build *build, const abut_allocator *alloc,
                      abut_binary_cluster *clusters)
{
    const size_t n = build->count;
    joiner j = { .clusters = clusters, .count = n, .next = (uint32_t)n };
    placed *order = abut_base_alloc(alloc, n, sizeof *order);
    j.groups = abut_base_alloc(alloc, n, sizeof *j.groups);
    j.candidates = abut_base_alloc(alloc, n, WINDOW * sizeof *j.candidates);
    j.taken = abut_base_alloc(alloc, n, sizeof *j.taken);
    const bool done = order && j.groups && j.candidates && j.taken;
    if (done) {
        sort_along_curve(build, order);
        for (size_t i = 0; i < n; ++i) {
            const uint32_t id = order[i].id;
            clusters[id] = (abut_binary_cluster){ 0, 0, 1 };
            j.groups[i] = group_of(build->corners + 3 * (size_t)id, id);
        }
        while (j.count > 1)
            join_level(&j);
    }
    if (order)
        abut_base_free(alloc, order, n, sizeof *order);
    if (j.groups)
        abut_base_free(alloc, j.groups, n, sizeof *j.groups);
    if (j.candidates)
        abut_base_free(alloc, j.candidates, n, WINDOW * sizeof *j.candidates);
    if (j.taken)
        abut_base_free(alloc, j.taken, n, sizeof *j.taken);
    return done;
}
