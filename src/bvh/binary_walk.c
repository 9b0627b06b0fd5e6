/* SPDX-License-Identifier: MIT */
/* Walks through binary trees: two of the same volume, a tree and a box, a tree and itself.
 *
 * A box is a tree of one node, its volume fitted to the corners of the box. Pairs of nodes are
 * tested before they are kept, so that the stack holds only pairs that must be opened; a level
 * leaves one pair behind on it where one node is opened, three where both are. */
#include "bvh/binary.h"

#include "math/vec3.h"

enum { STACK = 4 * ABUT_BVH_DEPTH + 8 };

static bool is_leaf(uint32_t link)
{
    return (link & ABUT_BINARY_LEAF) != 0;
}

/* The one node of a box. */
static void set_box(const abut_bv_box *box, const abut_bv_kind *kind, float *node, abut_binary_view *view)
{
    const double largest = fmax(box->half.x, fmax(box->half.y, box->half.z));
    const abut_aabb point = { box->centre, box->centre };
    *view = (abut_binary_view){ kind, node, kind->floats + 1, abut_bv_frame_of(&point) };
    if (largest > 0) {
        (void)frexp(largest, &view->frame.exponent);
        ++view->frame.exponent; /* no corner is further out than twice the largest side */
    }
    const abut_bv_frame local_frame = { { 0, 0, 0 }, view->frame.exponent };
    const abut_bv_local local = abut_bv_local_of(&local_frame);
    const abut_vec3 half = abut_bv_to_local(&local, box->half);
    abut_vec3 corners[8];
    for (int i = 0; i < 8; ++i)
        corners[i] = abut_mul(&box->axes, abut_v3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y,
                                                  i & 4 ? half.z : -half.z));
    abut_mat3 axes = box->axes;
    double extent[3];
    if (kind->oriented)
        abut_bv_sort_axes(corners, 8, &axes, extent);
    kind->fit(corners, NULL, 8, &axes, node);
    const uint32_t link = ABUT_BINARY_LEAF;
    memcpy(node + kind->floats, &link, sizeof link);
}

static void begin(abut_binary_walk *w, const abut_bv_relative *b_in_a, double reach)
{
    abut_bv_pair_set(w->a.kind, &w->a.frame, &w->b.frame, b_in_a, &w->pair);
    w->placed_node = UINT32_MAX;
    w->reach = abut_bv_pair_length(&w->pair, reach);
}

static void begin_walk(const abut_bvh_walk *walk, double reach, abut_binary_walk *out)
{
    out->a = walk->a.tree->binary->view;
    if (walk->b.tree)
        out->b = walk->b.tree->binary->view;
    else
        set_box(&walk->b.box, out->a.kind, out->box, &out->b);
    out->descent = walk->descent;
    out->counters = walk->counters;
    begin(out, walk->b_in_a, reach);
}

static void place(abut_binary_walk *w, uint32_t b)
{
    if (w->placed_node == b)
        return;
    w->a.kind->place(&w->pair, abut_binary_node(&w->b, b), &w->placed);
    w->placed_node = b;
    ++w->counters->updates;
}

bool abut_binary_meet(abut_binary_walk *w, uint32_t a, uint32_t b)
{
    ++w->counters->volume_tests;
    if (w->pair.far)
        return !(w->pair.apart > w->reach);
    place(w, b);
    return !w->a.kind->apart(&w->pair, abut_binary_node(&w->a, a), &w->placed, w->reach);
}

size_t abut_binary_open(const abut_binary_walk *w, uint32_t a, uint32_t b, abut_binary_nodes out[4])
{
    const uint32_t below_a = abut_binary_link(&w->a, a), below_b = abut_binary_link(&w->b, b);
    bool open_a = !is_leaf(below_a), open_b = !is_leaf(below_b);
    if (open_a && open_b && w->descent == ABUT_DESCENT_LARGER) {
        open_a = w->a.kind->size(abut_binary_node(&w->a, a)) * w->pair.scale_a >=
                 w->a.kind->size(abut_binary_node(&w->b, b)) * w->pair.scale_b;
        open_b = !open_a;
    }
    const uint32_t first_a = open_a ? below_a : a, first_b = open_b ? below_b : b;
    size_t count = 0;
    for (uint32_t j = 0; j < (open_b ? 2 : 1) && (open_a || open_b); ++j)
        for (uint32_t i = 0; i < (open_a ? 2 : 1); ++i)
            out[count++] = (abut_binary_nodes){ first_a + i, first_b + j };
    return count;
}

bool abut_binary_batch_flush(abut_binary_batch *batch)
{
    const size_t count = batch->count;
    batch->count = 0;
    batch->sent += count;
    return count == 0 || batch->leaf(batch->ctx, batch->pairs, count);
}

bool abut_binary_batch_add(abut_binary_batch *batch, uint32_t a, uint32_t b)
{
    batch->pairs[batch->count++] = (abut_bvh_pair){ a & ~ABUT_BINARY_LEAF, b & ~ABUT_BINARY_LEAF };
    if (batch->count < ABUT_BVH_BATCH && batch->count <= batch->sent)
        return true;
    return abut_binary_batch_flush(batch);
}

/* ---- all within reach ---- */

static bool overlap_below(abut_binary_walk *w, abut_binary_nodes top, abut_binary_batch *batch)
{
    abut_binary_nodes stack[STACK];
    size_t used = 0;
    stack[used++] = top;
    while (used > 0) {
        const abut_binary_nodes pair = stack[--used];
        abut_binary_nodes below[4];
        const size_t count = abut_binary_open(w, pair.a, pair.b, below);
        if (count == 0 &&
            !abut_binary_batch_add(batch, abut_binary_link(&w->a, pair.a), abut_binary_link(&w->b, pair.b)))
            return false;
        for (size_t i = 0; i < count; ++i)
            if (abut_binary_meet(w, below[i].a, below[i].b))
                stack[used++] = below[i];
    }
    return true;
}

abut_status abut_binary_overlap(const abut_bvh_walk *walk, double reach, abut_bvh_pairs_fn leaf, void *ctx)
{
    abut_binary_walk w;
    begin_walk(walk, reach, &w);
    if (walk->front && walk->b.tree)
        return abut_binary_front_overlap(walk, &w, leaf, ctx);
    abut_binary_batch batch = { .leaf = leaf, .ctx = ctx };
    if (abut_binary_meet(&w, 0, 0) && overlap_below(&w, (abut_binary_nodes){ 0, 0 }, &batch))
        (void)abut_binary_batch_flush(&batch);
    return ABUT_OK;
}

/* ---- nearest ---- */

typedef struct near_pair {
    abut_binary_nodes nodes;
    double lower;
} near_pair;

static double lower_of(abut_binary_walk *w, abut_binary_nodes pair)
{
    ++w->counters->volume_tests;
    if (w->pair.far)
        return w->pair.apart;
    place(w, pair.b);
    return w->a.kind->lower(&w->pair, abut_binary_node(&w->a, pair.a), &w->placed);
}

/* Furthest first, so that the nearest is on top of a stack. */
static void sort_near(near_pair *pairs, size_t count)
{
    for (size_t i = 1; i < count; ++i) {
        const near_pair moved = pairs[i];
        size_t k = i;
        for (; k > 0 && pairs[k - 1].lower < moved.lower; --k)
            pairs[k] = pairs[k - 1];
        pairs[k] = moved;
    }
}

double abut_binary_nearest(const abut_bvh_walk *walk, double bound, abut_bvh_near_fn leaf, void *ctx)
{
    abut_binary_walk w;
    begin_walk(walk, bound, &w);
    near_pair stack[STACK];
    size_t used = 0;
    double left_out = INFINITY;
    stack[used++] = (near_pair){ { 0, 0 }, lower_of(&w, (abut_binary_nodes){ 0, 0 }) };
    while (used > 0) {
        const near_pair top = stack[--used];
        if (top.lower > w.reach || bound < 0) {
            left_out = top.lower < left_out ? top.lower : left_out;
            continue;
        }
        abut_binary_nodes below[4];
        const size_t count = abut_binary_open(&w, top.nodes.a, top.nodes.b, below);
        if (count == 0) {
            const abut_bvh_pair pair = { abut_binary_link(&w.a, top.nodes.a) & ~ABUT_BINARY_LEAF,
                                         abut_binary_link(&w.b, top.nodes.b) & ~ABUT_BINARY_LEAF };
            bound = leaf(ctx, &pair, 1, bound);
            w.reach = abut_bv_pair_length(&w.pair, bound);
            continue;
        }
        for (size_t i = 0; i < count; ++i)
            stack[used + i] = (near_pair){ below[i], lower_of(&w, below[i]) };
        sort_near(stack + used, count);
        used += count;
    }
    return isinf(left_out) ? left_out : abut_bv_pair_lower(&w.pair, left_out);
}

/* ---- a tree and itself ---- */

static bool self_below(abut_binary_walk *w, abut_binary_batch *batch)
{
    abut_binary_nodes stack[2 * STACK];
    size_t used = 0;
    stack[used++] = (abut_binary_nodes){ 0, 0 };
    while (used > 0) {
        const abut_binary_nodes pair = stack[--used];
        if (pair.a == pair.b) { /* all pairs below one node */
            const uint32_t link = abut_binary_link(&w->a, pair.a);
            if (is_leaf(link))
                continue;
            stack[used++] = (abut_binary_nodes){ link, link };
            stack[used++] = (abut_binary_nodes){ link + 1, link + 1 };
            if (abut_binary_meet(w, link, link + 1))
                stack[used++] = (abut_binary_nodes){ link, link + 1 };
            continue;
        }
        abut_binary_nodes below[4];
        const size_t count = abut_binary_open(w, pair.a, pair.b, below);
        if (count == 0) {
            const uint32_t a = abut_binary_link(&w->a, pair.a), b = abut_binary_link(&w->a, pair.b);
            if (!abut_binary_batch_add(batch, a < b ? a : b, a < b ? b : a))
                return false;
        }
        for (size_t i = 0; i < count; ++i)
            if (abut_binary_meet(w, below[i].a, below[i].b))
                stack[used++] = below[i];
    }
    return true;
}

void abut_binary_self(const abut_bvh *tree, double reach, abut_mesh_counters *counters,
                      abut_bvh_pairs_fn leaf, void *ctx)
{
    const abut_bv_relative same = { { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } }, { 0, 0, 0 }, 0 };
    abut_binary_walk w = { .a = tree->binary->view, .b = tree->binary->view, .counters = counters };
    begin(&w, &same, reach);
    abut_binary_batch batch = { .leaf = leaf, .ctx = ctx };
    if (self_below(&w, &batch))
        (void)abut_binary_batch_flush(&batch);
}
