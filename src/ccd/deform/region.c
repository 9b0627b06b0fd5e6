/* SPDX-License-Identifier: MIT */
/* The hierarchy of regions: neighbours are merged level by level, best shape first, where the shape
 * of a region is the root of its area over the length of its contour (P. Volino in Collision
 * Detection and Proximity Queries, SIGGRAPH 2004 course, "Building mesh hierarchies"). First pairs,
 * then what is left joins a pair next to it, so that a region has two or three children.
 *
 * What has no neighbour to merge with (separate parts, regions with one large neighbour) is paired
 * along a space-filling curve once a level makes too little progress: a level leaves at most three
 * quarters of the regions. So the depth is below 80 for any mesh; such regions are not connected,
 * which costs time only.
 *
 * Lengths and areas steer and prove nothing. */
#include "ccd/deform/deform.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

typedef struct draft {
    uint32_t child[3];
    uint32_t count, level;
    double area, length; /* of the contour */
    double centre[3];
} draft;

typedef struct border {
    uint32_t a, b; /* drafts, a < b */
    double shared; /* length */
    double score;
} border;

typedef struct builder {
    abut_deform *m;
    const abut_vec3 *vertices;
    draft *drafts;
    size_t count, room;
    border *borders;
    size_t border_count, border_room;
    uint32_t *alive, *parent; /* of the level; of each draft, NONE: none yet */
    size_t alive_count;
    ABUT_ARRAY(uint32_t) links; /* 2 a link: a draft and its neighbour at the level it was made at */
} builder;

/* ---- the triangles ---- */

static double length_of(const double d[3])
{
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

static void minus(const abut_vec3 *p, const abut_vec3 *q, double d[3])
{
    d[0] = p->x - q->x;
    d[1] = p->y - q->y;
    d[2] = p->z - q->z;
}

static double edge_length(const builder *b, uint32_t edge)
{
    double d[3];
    minus(&b->vertices[b->m->edges[2 * edge]], &b->vertices[b->m->edges[2 * edge + 1]], d);
    return length_of(d);
}

static void add_triangle(builder *b, uint32_t t)
{
    const uint32_t *c = b->m->triangles + 3 * (size_t)t;
    const abut_vec3 *p = &b->vertices[c[0]], *q = &b->vertices[c[1]], *r = &b->vertices[c[2]];
    double u[3], v[3], w[3];
    minus(q, p, u);
    minus(r, p, v);
    minus(r, q, w);
    const double n[3] = { u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0] };
    b->drafts[t] = (draft){ .area = 0.5 * length_of(n),
                            .length = length_of(u) + length_of(v) + length_of(w),
                            .centre = { p->x / 3 + q->x / 3 + r->x / 3, p->y / 3 + q->y / 3 + r->y / 3,
                                        p->z / 3 + q->z / 3 + r->z / 3 } };
    b->alive[t] = t;
}

/* Borders of triangles: over each edge from one triangle to the next. */
static void find_borders(builder *b, uint32_t *last)
{
    const abut_deform *m = b->m;
    memset(last, 0xff, (m->edge_count ? m->edge_count : 1) * sizeof *last);
    for (uint32_t i = 0; i < 3 * m->triangle_count; ++i) {
        const uint32_t e = m->sides[i] >> 1, t = i / 3;
        if (e == ABUT_DEFORM_NO_EDGE)
            continue;
        if (last[e] != ABUT_DEFORM_NONE && last[e] != t)
            b->borders[b->border_count++] = (border){ last[e], t, edge_length(b, e), 0 };
        last[e] = t;
    }
}

/* ---- one level ---- */

static bool by_ends(void *ctx, const void *x, const void *y)
{
    const border *p = x, *q = y;
    (void)ctx;
    return p->a != q->a ? p->a < q->a : p->b < q->b;
}

static bool by_score(void *ctx, const void *x, const void *y)
{
    const border *p = x, *q = y;
    return p->score != q->score ? p->score > q->score : by_ends(ctx, x, y);
}

/* Sorts them, joins those of the same two regions. */
static void join_borders(builder *b)
{
    size_t kept = 0;
    abut_base_sort(b->borders, b->border_count, sizeof *b->borders, by_ends, NULL);
    for (size_t i = 0; i < b->border_count; ++i) {
        const border x = b->borders[i];
        if (kept > 0 && b->borders[kept - 1].a == x.a && b->borders[kept - 1].b == x.b)
            b->borders[kept - 1].shared += x.shared;
        else
            b->borders[kept++] = x;
    }
    b->border_count = kept;
}

/* Neighbours of the regions that this level made. */
static bool link_level(builder *b, uint32_t level)
{
    for (size_t i = 0; i < b->border_count; ++i)
        for (int side = 0; side < 2; ++side) {
            const uint32_t p = side ? b->borders[i].b : b->borders[i].a,
                           q = side ? b->borders[i].a : b->borders[i].b;
            if (b->drafts[p].level != level)
                continue;
            if (!ABUT_ARRAY_PUSH(&b->m->alloc, &b->links, p) || !ABUT_ARRAY_PUSH(&b->m->alloc, &b->links, q))
                return false;
        }
    return true;
}

static void absorb(builder *b, uint32_t group, uint32_t x, double shared)
{
    draft *g = &b->drafts[group];
    const draft *d = &b->drafts[x];
    const double all = g->area + d->area, f = all > 0 ? d->area / all : 0.5;
    for (int k = 0; k < 3; ++k)
        g->centre[k] += f * (d->centre[k] - g->centre[k]);
    g->length = fmax(g->length + d->length - 2 * shared, 0);
    g->area = all;
    g->child[g->count++] = x;
    b->parent[x] = group;
}

static void pair_up(builder *b, uint32_t x, uint32_t y, double shared, uint32_t level)
{
    const uint32_t group = (uint32_t)b->count++;
    b->drafts[group] = (draft){ .level = level };
    memcpy(b->drafts[group].centre, b->drafts[x].centre, sizeof b->drafts[x].centre);
    b->parent[group] = ABUT_DEFORM_NONE;
    absorb(b, group, x, 0);
    absorb(b, group, y, shared);
}

typedef struct place {
    uint64_t code;
    uint32_t draft;
} place;

static bool by_code(void *ctx, const void *x, const void *y)
{
    const place *p = x, *q = y;
    (void)ctx;
    return p->code != q->code ? p->code < q->code : p->draft < q->draft;
}

/* Pairs the regions that found no partner, along a Morton curve. */
static bool pair_rest(builder *b, uint32_t level)
{
    place *places = abut_base_alloc(&b->m->alloc, b->alive_count, sizeof *places);
    double lo[3] = { INFINITY, INFINITY, INFINITY }, hi[3] = { -INFINITY, -INFINITY, -INFINITY };
    size_t count = 0;
    if (!places)
        return false;
    for (size_t i = 0; i < b->alive_count; ++i) {
        const uint32_t x = b->alive[i];
        if (b->parent[x] != ABUT_DEFORM_NONE)
            continue;
        places[count++].draft = x;
        for (int k = 0; k < 3; ++k) {
            lo[k] = fmin(lo[k], b->drafts[x].centre[k]);
            hi[k] = fmax(hi[k], b->drafts[x].centre[k]);
        }
    }
    for (size_t i = 0; i < count; ++i) {
        places[i].code = 0;
        for (int k = 0; k < 3; ++k) {
            const double f = (b->drafts[places[i].draft].centre[k] - lo[k]) / (hi[k] - lo[k]);
            uint64_t cell = f > 0 ? f < 1 ? (uint64_t)(f * 0x1p20) : 0xfffff : 0;
            for (int bit = 0; bit < 20; ++bit)
                places[i].code |= (cell >> bit & 1) << (3 * bit + k);
        }
    }
    abut_base_sort(places, count, sizeof *places, by_code, NULL);
    for (size_t i = 0; i + 1 < count; i += 2)
        pair_up(b, places[i].draft, places[i + 1].draft, 0, level);
    abut_base_free(&b->m->alloc, places, b->alive_count, sizeof *places);
    return true;
}

static bool merge_level(builder *b, uint32_t level)
{
    const size_t before = b->count;
    size_t merged = 0;
    for (size_t i = 0; i < b->border_count; ++i) {
        border *x = &b->borders[i];
        const draft *p = &b->drafts[x->a], *q = &b->drafts[x->b];
        x->score = sqrt(p->area + q->area) / (p->length + q->length - 2 * x->shared);
        if (!(x->score >= 0 && x->score < INFINITY))
            x->score = 0;
    }
    abut_base_sort(b->borders, b->border_count, sizeof *b->borders, by_score, NULL);
    for (size_t i = 0; i < b->border_count; ++i) {
        const border x = b->borders[i];
        if (b->parent[x.a] == ABUT_DEFORM_NONE && b->parent[x.b] == ABUT_DEFORM_NONE) {
            pair_up(b, x.a, x.b, x.shared, level);
            merged += 2;
        }
    }
    for (size_t i = 0; i < b->border_count; ++i) {
        const border x = b->borders[i];
        const uint32_t ga = b->parent[x.a], gb = b->parent[x.b];
        if ((ga == ABUT_DEFORM_NONE) == (gb == ABUT_DEFORM_NONE))
            continue;
        const uint32_t group = ga == ABUT_DEFORM_NONE ? gb : ga;
        if (b->drafts[group].count < 3) {
            absorb(b, group, ga == ABUT_DEFORM_NONE ? x.a : x.b, x.shared);
            ++merged;
        }
    }
    const size_t left = b->alive_count - merged + (b->count - before);
    if (4 * left > 3 * b->alive_count && !pair_rest(b, level))
        return false;
    size_t kept = 0;
    for (size_t i = 0; i < b->alive_count; ++i)
        if (b->parent[b->alive[i]] == ABUT_DEFORM_NONE)
            b->alive[kept++] = b->alive[i];
    for (size_t i = before; i < b->count; ++i)
        b->alive[kept++] = (uint32_t)i;
    b->alive_count = kept;
    size_t borders = 0;
    for (size_t i = 0; i < b->border_count; ++i) {
        border x = b->borders[i];
        const uint32_t ga = b->parent[x.a] == ABUT_DEFORM_NONE ? x.a : b->parent[x.a],
                       gb = b->parent[x.b] == ABUT_DEFORM_NONE ? x.b : b->parent[x.b];
        if (ga == gb)
            continue;
        x.a = ga < gb ? ga : gb;
        x.b = ga < gb ? gb : ga;
        b->borders[borders++] = x;
    }
    b->border_count = borders;
    join_borders(b);
    return link_level(b, level);
}

/* ---- the result ---- */

/* Numbers nodes from the root on, children side by side; number[draft] is the node. */
static void number_nodes(const builder *b, uint32_t *number)
{
    abut_deform *m = b->m;
    uint32_t *order = b->parent; /* no longer needed: drafts by node */
    size_t done = 0, count = 1;
    order[0] = b->alive[0];
    for (; done < count; ++done) {
        const draft *d = &b->drafts[order[done]];
        number[order[done]] = (uint32_t)done;
        m->nodes[done] =
            (abut_deform_node){ .child = d->count ? (uint32_t)count << 2 | d->count : order[done] << 2 };
        m->regions[done] = (abut_deform_region){ .level = d->level };
        for (uint32_t i = 0; i < d->count; ++i)
            order[count++] = d->child[i];
    }
}

/* Leaves from left to right: first the size of each region, then where it begins. */
static void number_leaves(abut_deform *m)
{
    for (size_t i = m->node_count; i-- > 0;) {
        uint32_t size = 0;
        const uint32_t count = abut_deform_child_count(&m->nodes[i]);
        const uint32_t child = abut_deform_first_child(&m->nodes[i]);
        for (uint32_t k = 0; k < count; ++k)
            size += m->regions[child + k].leaf_end;
        m->regions[i].leaf_end = count ? size : 1;
    }
    for (size_t i = 0; i < m->node_count; ++i) {
        uint32_t at = m->regions[i].first_leaf;
        const uint32_t count = abut_deform_child_count(&m->nodes[i]);
        const uint32_t child = abut_deform_first_child(&m->nodes[i]);
        m->regions[i].leaf_end += at;
        for (uint32_t k = 0; k < count; ++k) {
            m->regions[child + k].first_leaf = at;
            at += m->regions[child + k].leaf_end;
        }
    }
}

static bool set_neighbours(builder *b, const uint32_t *number)
{
    abut_deform *m = b->m;
    const size_t count = b->links.count / 2;
    m->neighbours = abut_base_alloc(&m->alloc, count, sizeof *m->neighbours);
    m->neighbour_count = count;
    if (!m->neighbours)
        return false;
    for (size_t i = 0; i < count; ++i)
        ++m->regions[number[b->links.items[2 * i]]].neighbour_end;
    uint32_t at = 0;
    for (size_t i = 0; i < m->node_count; ++i) {
        const uint32_t own = m->regions[i].neighbour_end;
        m->regions[i].neighbour = m->regions[i].neighbour_end = at;
        at += own;
    }
    for (size_t i = 0; i < count; ++i)
        m->neighbours[m->regions[number[b->links.items[2 * i]]].neighbour_end++] =
            number[b->links.items[2 * i + 1]];
    return true;
}

static size_t net(const uint32_t **p, const uint32_t *end, uint32_t edge, int *forward)
{
    size_t used = 0;
    for (; *p < end && **p >> 1 == edge; ++*p, ++used)
        *forward += **p & 1 ? -1 : 1;
    return used;
}

/* Two chains, their edges ascending, without what they have both ways; returns the length. */
static size_t join_chains(const uint32_t *p, size_t pn, const uint32_t *q, size_t qn, uint32_t *out)
{
    const uint32_t *const pe = p + pn, *const qe = q + qn;
    size_t count = 0;
    while (p < pe || q < qe) {
        const uint32_t ep = p < pe ? *p >> 1 : ABUT_DEFORM_NONE, eq = q < qe ? *q >> 1 : ABUT_DEFORM_NONE;
        const uint32_t edge = ep < eq ? ep : eq;
        int forward = 0;
        (void)net(&p, pe, edge, &forward);
        (void)net(&q, qe, edge, &forward);
        for (int i = 0; i < (forward < 0 ? -forward : forward); ++i)
            out[count++] = 2 * edge + (forward < 0);
    }
    return count;
}

static size_t triangle_chain(const abut_deform *m, uint32_t t, uint32_t *out)
{
    size_t count = 0, kept = 0;
    for (int i = 0; i < 3; ++i) {
        const uint32_t side = m->sides[3 * (size_t)t + (size_t)i];
        if (side >> 1 == ABUT_DEFORM_NO_EDGE)
            continue;
        size_t at = count++;
        for (; at > 0 && out[at - 1] > side; --at)
            out[at] = out[at - 1];
        out[at] = side;
    }
    for (size_t i = 0; i < count; ++i) { /* a triangle with two equal corners runs there and back */
        if (kept > 0 && (out[kept - 1] ^ out[i]) == 1)
            --kept;
        else
            out[kept++] = out[i];
    }
    return kept;
}

static bool set_contours(abut_deform *m)
{
    ABUT_ARRAY(uint32_t) all = { 0 };
    size_t longest = 3;
    bool fine = true;
    uint32_t *scratch = NULL;
    size_t scratch_room = 0;
    for (size_t i = m->node_count; i-- > 0 && fine;) {
        const uint32_t count = abut_deform_child_count(&m->nodes[i]);
        const uint32_t child = abut_deform_first_child(&m->nodes[i]);
        size_t most = count ? 0 : 3;
        for (uint32_t k = 0; k < count; ++k)
            most += m->regions[child + k].contour_end - m->regions[child + k].contour;
        if (most > scratch_room) {
            if (scratch)
                abut_base_free(&m->alloc, scratch, scratch_room, sizeof *scratch);
            scratch = abut_base_alloc(&m->alloc, scratch_room = 2 * most, sizeof *scratch);
            fine = scratch;
        }
        fine = fine && ABUT_ARRAY_RESERVE(&m->alloc, &all, most);
        if (!fine)
            break;
        uint32_t *out = all.items + all.count;
        size_t length = 0;
        if (!count) {
            length = triangle_chain(m, child, out);
        } else {
            const abut_deform_region *r = &m->regions[child];
            length = join_chains(all.items + r[0].contour, r[0].contour_end - r[0].contour,
                                 all.items + r[1].contour, r[1].contour_end - r[1].contour,
                                 count == 3 ? scratch : out);
            if (count == 3)
                length = join_chains(scratch, length, all.items + r[2].contour,
                                     r[2].contour_end - r[2].contour, out);
        }
        m->regions[i].contour = (uint32_t)all.count;
        all.count += length;
        m->regions[i].contour_end = (uint32_t)all.count;
        longest = length > longest ? length : longest;
        fine = all.count < 0x7fffffff;
    }
    if (scratch)
        abut_base_free(&m->alloc, scratch, scratch_room, sizeof *scratch);
    m->contours = all.items;
    m->contour_count = all.capacity;
    m->chain_room = 2 * longest;
    return fine;
}

static abut_status finish(builder *b)
{
    abut_deform *m = b->m;
    const size_t room = b->room;
    m->node_count = b->count;
    m->nodes = abut_base_alloc(&m->alloc, m->node_count, sizeof *m->nodes);
    m->regions = abut_base_alloc(&m->alloc, m->node_count, sizeof *m->regions);
    uint32_t *number = abut_base_alloc(&m->alloc, room, sizeof *number);
    bool fine = m->nodes && m->regions && number;
    if (fine) {
        number_nodes(b, number);
        number_leaves(m);
        fine = set_neighbours(b, number) && set_contours(m);
    }
    if (number)
        abut_base_free(&m->alloc, number, room, sizeof *number);
    return fine ? ABUT_OK : ABUT_ERR_MEMORY;
}

abut_status abut_deform_merge(abut_deform *m, const abut_vec3 *vertices, abut_error *error)
{
    const size_t n = m->triangle_count;
    builder b = { .m = m, .vertices = vertices, .room = 2 * n, .border_room = 3 * n };
    b.drafts = abut_base_alloc(&m->alloc, b.room, sizeof *b.drafts);
    b.borders = abut_base_alloc(&m->alloc, b.border_room, sizeof *b.borders);
    b.parent = abut_base_alloc(&m->alloc, b.room, sizeof *b.parent);
    b.alive = abut_base_alloc(&m->alloc, n, sizeof *b.alive);
    uint32_t *last = abut_base_alloc(&m->alloc, m->edge_count, sizeof *last);
    bool fine = b.drafts && b.borders && b.parent && b.alive && last;
    if (fine) {
        memset(b.parent, 0xff, b.room * sizeof *b.parent);
        for (uint32_t t = 0; t < n; ++t)
            add_triangle(&b, t);
        b.count = b.alive_count = n;
        find_borders(&b, last);
        join_borders(&b);
        fine = link_level(&b, 0);
        for (uint32_t level = 1; fine && b.alive_count > 1; ++level)
            fine = merge_level(&b, level);
        fine = fine && finish(&b) == ABUT_OK;
    }
    if (b.drafts)
        abut_base_free(&m->alloc, b.drafts, b.room, sizeof *b.drafts);
    if (b.borders)
        abut_base_free(&m->alloc, b.borders, b.border_room, sizeof *b.borders);
    if (b.parent)
        abut_base_free(&m->alloc, b.parent, b.room, sizeof *b.parent);
    if (b.alive)
        abut_base_free(&m->alloc, b.alive, n, sizeof *b.alive);
    if (last)
        abut_base_free(&m->alloc, last, m->edge_count, sizeof *last);
    ABUT_ARRAY_FREE(&m->alloc, &b.links);
    return fine ? ABUT_OK : abut_base_fail_memory(error);
}
