/* SPDX-License-Identifier: MIT */
/* Building the index of a polyhedron; see index.h.
 *
 * First planes parallel to the axes part the triangles near the median, at a border of triangles where that
 * cuts few of them, as long as a region has more than a few and the parting pays. Then planes of triangles
 * (index_planes.c, phase of faces); each has a tree of lines for the entities in its plane (phase of edges),
 * and each line a tree of places on it (index_lines.c, phase of vertices). Pieces (index_piece.h) say which
 * entities reach into a region. */
#include "brep/index_build.h"

#include <float.h>
#include <time.h>

/* Triangles whose borders are tried as planes parallel to the axes. */
enum { SAMPLES = 32 };

/* ---- axes ---- */

static void range_of(const abut_index_builder *b, uint32_t triangle, int axis, double *lo, double *hi)
{
    const uint32_t *t = b->triangles + 3 * (size_t)triangle;
    const double p = abut_part3(b->vertices[t[0]], axis), q = abut_part3(b->vertices[t[1]], axis),
                 r = abut_part3(b->vertices[t[2]], axis);
    *lo = fmin(p, fmin(q, r));
    *hi = fmax(p, fmax(q, r));
}

/* A region between planes parallel to the axes: sides 2 axis (low) and 2 axis + 1; a side that is open does
 * not belong to it. */
typedef struct region {
    double side[6];
    unsigned open;
} region;

typedef struct axis_cut {
    int axis;
    bool split; /* with a child of its own for the plane; otherwise it belongs to what is above */
    double at, cost;
} axis_cut;

/* What a plane costs: triangles on both sides, the worse side once more, and those that it cuts where it
 * has a tree of its own. */
static void try_cut(const abut_index_builder *b, size_t begin, size_t end, int axis, double at, bool split,
                    axis_cut *best)
{
    size_t above = 0, below = 0, cut = 0;
    for (size_t i = begin; i < end; ++i) {
        double lo, hi;
        range_of(b, b->list.items[i], axis, &lo, &hi);
        above += split ? hi > at : hi >= at;
        below += lo < at;
        cut += lo < at && hi > at;
    }
    const size_t all = end - begin, most = above > below ? above : below;
    const double cost = (double)(above + below) + (double)most + (split ? 3.0 * (double)cut : 0);
    if (10 * most <= 9 * all && cost < best->cost)
        *best = (axis_cut){ axis, split, at, cost };
}

static void insert_sample(double *sample, int count, double value)
{
    int k = count;
    for (; k > 0 && sample[k - 1] > value; --k)
        sample[k] = sample[k - 1];
    sample[k] = value;
}

/* Near the median of some triangles: between them, and at their borders. */
static void try_axis(const abut_index_builder *b, size_t begin, size_t end, int axis, axis_cut *best)
{
    double middle[SAMPLES + 1] = { 0 }, border[2 * SAMPLES + 2] = { 0 };
    int count = 0;
    const size_t step = (end - begin + SAMPLES - 1) / SAMPLES;
    for (size_t i = begin; i < end; i += step, ++count) {
        double lo, hi;
        range_of(b, b->list.items[i], axis, &lo, &hi);
        insert_sample(middle, count, 0.5 * lo + 0.5 * hi);
        insert_sample(border, 2 * count, lo);
        insert_sample(border, 2 * count + 1, hi);
    }
    try_cut(b, begin, end, axis, middle[count / 2], false, best);
    double last = middle[count / 2];
    const bool few = end - begin <= 4 * SAMPLES;
    for (int i = few ? count / 2 : 4 * count / 5;
         i < (few ? 3 * count / 2 + 1 : 6 * count / 5 + 1) && i < 2 * count; ++i) {
        if (border[i] != last)
            try_cut(b, begin, end, axis, border[i], true, best);
        last = border[i];
    }
}

/* A triangle as a piece, cut by the sides of its region. */
static piece piece_in(const abut_index_builder *b, uint32_t triangle, const region *in)
{
    const uint32_t *t = b->triangles + 3 * (size_t)triangle;
    piece p = { .id = triangle, .kind = PIECE_TRIANGLE, .count = 3 };
    for (int k = 0; k < 3; ++k)
        p.corner[k] = (piece_corner){ b->vertices[t[k]], t[k], t[k] };
    for (int side = 0; side < 6; ++side) {
        const int axis = side / 2;
        if (!isfinite(in->side[side]))
            continue;
        const piece_cutter c = { .n = abut_index_unit(axis),
                                 .o = abut_scale(in->side[side], abut_index_unit(axis)) };
        piece_clip(&p, &c, side % 2 ? -1 : 1, b->slack);
        if (!(in->open >> side & 1))
            continue;
        bool on[3];
        for (int k = 0; k < 3; ++k)
            on[k] = abut_part3(b->vertices[t[k]], axis) == in->side[side];
        for (int k = 0; k < 3; ++k) {
            p.vertices_gone |= (uint8_t)(on[k] << k);
            p.edges_gone |= (uint8_t)((on[k] && on[(k + 1) % 3]) << k);
        }
    }
    return p;
}

static int32_t leave_axes(abut_index_builder *b, size_t begin, size_t end, const region *in, int depth)
{
    const size_t top = b->pieces.count;
    for (size_t i = begin; i < end && !b->failed; ++i) {
        const piece p = piece_in(b, b->list.items[i], in);
        (void)abut_index_push(b, &p);
    }
    const int32_t node = b->failed ? ~0 : abut_index_build_space(b, top, depth);
    b->pieces.count = top;
    return node;
}

/* The tree of lines in a plane parallel to the axes. */
static int32_t build_cut(abut_index_builder *b, size_t begin, size_t end, const region *in,
                         const axis_cut *cut, int depth)
{
    const size_t top = b->pieces.count;
    const piece_cutter c = { .test = { .kind = ABUT_INDEX_AXIS, .axis = (uint8_t)cut->axis, .u.at = cut->at },
                             .n = abut_index_unit(cut->axis),
                             .o = abut_scale(cut->at, abut_index_unit(cut->axis)) };
    for (size_t i = begin; i < end && !b->failed; ++i) {
        double lo, hi;
        range_of(b, b->list.items[i], cut->axis, &lo, &hi);
        if (lo > cut->at || hi < cut->at)
            continue;
        const piece p = piece_in(b, b->list.items[i], in);
        (void)abut_index_push(b, &p);
    }
    const size_t last = b->pieces.count;
    uint8_t *sides = b->failed ? NULL : abut_index_find_sides(b, top, last, &c, SIZE_MAX);
    if (sides)
        abut_index_take_plane(b, top, last, &c, sides);
    const int32_t node = b->failed ? ~0 : abut_index_build_plane(b, last, &c, depth + 1);
    b->pieces.count = top;
    abut_base_free(&b->alloc, sides, last - top, 1);
    return node;
}

static int32_t build_region(abut_index_builder *b, size_t begin, const region *in, int depth)
{
    const size_t end = b->list.count;
    axis_cut cut = { .axis = -1, .cost = DBL_MAX };
    for (int k = 0; k < 3 && end - begin > ABUT_INDEX_FEW && depth < ABUT_INDEX_DEEPEST / 2; ++k)
        try_axis(b, begin, end, k, &cut);
    if (cut.axis < 0)
        return leave_axes(b, begin, end, in, depth);
    const abut_index_node node = { .kind = ABUT_INDEX_AXIS, .axis = (uint8_t)cut.axis, .u.at = cut.at };
    const int32_t index = abut_index_add_node(b, &node);
    ++b->index->axis_nodes;
    if (cut.split) {
        const int32_t on = build_cut(b, begin, end, in, &cut, depth);
        if (!b->failed)
            b->index->nodes[index].on = on;
    }
    for (int sign = 1; sign >= -1 && !b->failed; sign -= 2) {
        for (size_t i = begin; i < end && !b->failed; ++i) {
            double lo, hi;
            range_of(b, b->list.items[i], cut.axis, &lo, &hi);
            const bool has = sign < 0 ? lo < cut.at : cut.split ? hi > cut.at : hi >= cut.at;
            if (has && !ABUT_ARRAY_PUSH(&b->alloc, &b->list, b->list.items[i]))
                b->failed = true;
        }
        region half = *in;
        const int side = 2 * cut.axis + (sign < 0);
        half.side[side] = cut.at;
        if (sign < 0 || cut.split)
            half.open |= 1u << side;
        else
            half.open &= ~(1u << side);
        const int32_t child = b->failed ? ~0 : build_region(b, end, &half, depth + 1);
        if (!b->failed)
            *(sign > 0 ? &b->index->nodes[index].above : &b->index->nodes[index].below) = child;
        b->list.count = end;
    }
    if (!b->failed && !cut.split) /* half open */
        b->index->nodes[index].on = b->index->nodes[index].above;
    return index;
}

/* ---- the whole ---- */

typedef struct heights {
    uint64_t leaves, sum;
    size_t most;
} heights;

static void measure(const abut_index *x, int32_t at, size_t depth, heights *h)
{
    if (at < 0) {
        ++h->leaves;
        h->sum += depth;
        h->most = depth > h->most ? depth : h->most;
        return;
    }
    const abut_index_node *node = &x->nodes[at];
    measure(x, node->above, depth + 1, h);
    measure(x, node->below, depth + 1, h);
    if (node->kind == ABUT_INDEX_AXIS && node->on == node->above)
        return;
    if (!node->run) {
        measure(x, node->on, depth + 1, h);
        return;
    }
    h->leaves += 3; /* the edge and its vertices */
    h->sum += 3 * (depth + 1);
    measure(x, x->runs[node->on].before, depth + 1, h);
    measure(x, x->runs[node->on].after, depth + 1, h);
}

static bool list_edges(abut_index_builder *b)
{
    const abut_index_def *def = b->def;
    b->triangle_edges = abut_base_alloc(&b->alloc, 3 * def->triangle_count, sizeof *b->triangle_edges);
    b->edge_stamp = abut_base_alloc_zero(&b->alloc, def->edge_count, sizeof *b->edge_stamp);
    if (!b->triangle_edges || !b->edge_stamp)
        return false;
    for (size_t e = 0; e < def->edge_count; ++e)
        for (int side = 0; side < 2; ++side) {
            const uint32_t t = def->edge_triangles[2 * e + (size_t)side];
            const uint32_t from = def->edge_ends[2 * e + (size_t)side]; /* the second runs the other way */
            for (size_t k = 0; k < 3; ++k)
                if (b->triangles[3 * (size_t)t + k] == from)
                    b->triangle_edges[3 * (size_t)t + k] = (uint32_t)e;
        }
    return true;
}

static void build(abut_index_builder *b, size_t vertex_count)
{
    const abut_aabb box = b->def->of.box;
    const region all = { .side = { -INFINITY, INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY } };
    b->slack = 0x1p-36 * fmax(abut_max_norm(box.lo), abut_max_norm(box.hi));
    b->vertex_stamp = abut_base_alloc_zero(&b->alloc, vertex_count, sizeof *b->vertex_stamp);
    b->failed = !b->vertex_stamp || !list_edges(b) ||
                !ABUT_ARRAY_RESERVE(&b->alloc, &b->list, b->def->triangle_count);
    for (size_t i = 0; !b->failed && i < b->def->triangle_count; ++i)
        b->list.items[b->list.count++] = (uint32_t)i;
    if (!b->failed)
        b->index->root = build_region(b, 0, &all, 0);
    ABUT_ARRAY_FREE(&b->alloc, &b->list);
    ABUT_ARRAY_FREE(&b->alloc, &b->pieces);
    abut_base_free(&b->alloc, b->vertex_stamp, vertex_count, sizeof *b->vertex_stamp);
    abut_base_free(&b->alloc, b->triangle_edges, 3 * b->def->triangle_count, sizeof *b->triangle_edges);
    abut_base_free(&b->alloc, b->edge_stamp, b->def->edge_count, sizeof *b->edge_stamp);
}

static double seconds_now(void)
{
    struct timespec now;
    return timespec_get(&now, TIME_UTC) ? (double)now.tv_sec + 1e-9 * (double)now.tv_nsec : 0;
}

abut_index *abut_index_create(const abut_index_def *def, const abut_allocator *alloc)
{
    const double start = seconds_now();
    abut_index_builder b = { .def = def,
                             .vertices = def->of.vertices,
                             .triangles = def->of.triangles,
                             .alloc = abut_base_allocator(alloc) };
    abut_index *index = b.index = abut_base_alloc_zero(&b.alloc, 1, sizeof *index);
    if (!index)
        return NULL;
    index->alloc = b.alloc;
    build(&b, def->of.brep->vertex_count);
    if (b.failed || !abut_index_add_grid(index, def)) {
        abut_index_destroy(index);
        return NULL;
    }
    heights h = { 0, 0, 0 };
    measure(index, index->root, 0, &h);
    index->height = h.most;
    index->average_height = (double)h.sum / (double)h.leaves;
    index->seconds = seconds_now() - start;
    return index;
}

void abut_index_destroy(abut_index *index)
{
    if (!index)
        return;
    const abut_allocator alloc = index->alloc;
    abut_base_shrink(&alloc, index->nodes, index->node_room, sizeof *index->nodes);
    abut_base_shrink(&alloc, index->runs, index->run_room, sizeof *index->runs);
    abut_base_shrink(&alloc, index->leaves, index->leaf_room, sizeof *index->leaves);
    abut_base_free(&alloc, index->grid.cells, index->grid.count, sizeof *index->grid.cells);
    abut_base_free(&alloc, index, 1, sizeof *index);
}
