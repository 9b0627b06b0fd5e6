/* SPDX-License-Identifier: MIT */
/* Walks through wide trees. Included once for each vector unit.
 *
 * A walk keeps pairs of things whose boxes may meet. It takes one, opens the larger of the two if that is a node, and tests the box of the other against the
 * eight in it at once. Depth is at most WIDE_LEVELS on each side, and opening leaves at most seven more pairs than there were (a node with itself: 35). */
#include "bvh/wide_test.h"

enum { STACK = 2 * WIDE_LEVELS * 7 + WIDE_LEVELS * 35 + 8, BEAM = 64, PROBE_STEPS = 200 };

typedef struct ref_pair {
    uint32_t a, b;
} ref_pair;

static inline const wide_head *other_head(const wide_walk *w, uint32_t ref)
{
    return w->b ? wide_head_of(w->b, ref) : &w->box;
}

static inline bool other_is_leaf(const wide_walk *w, uint32_t ref)
{
    return !w->b || wide_is_leaf(w->b, ref);
}

/* ---- candidates ---- */

/* The first batches are small, for who wants only one. */
typedef struct batch {
    abut_bvh_pair pairs[ABUT_BVH_BATCH];
    size_t count, limit;
    abut_bvh_pairs_fn leaf;
    void *ctx;
} batch;

static bool batch_send(batch *out)
{
    const size_t count = out->count;
    out->count = 0;
    out->limit = out->limit * 2 < ABUT_BVH_BATCH ? out->limit * 2 : ABUT_BVH_BATCH;
    return count == 0 || out->leaf(out->ctx, out->pairs, count);
}

static inline bool batch_add(batch *out, uint32_t a, uint32_t b)
{
    out->pairs[out->count++] = (abut_bvh_pair){ a, b };
    return out->count < ABUT_BVH_BATCH || batch_send(out);
}

/* Bits of the triangles of a leaf beyond its count are not there. */
static inline unsigned lanes_of(const wide_head *head)
{
    return (1U << head->count) - 1;
}

static bool leaves_overlap(const wide_walk *w, uint32_t ref_a, uint32_t ref_b, double reach, bool self,
                           batch *out)
{
    const wide_leaf *a = &w->a->leaves[ref_a], *b = &w->b->leaves[ref_b];
    facing g;
    face(&w->from_a, &a->head, &b->head, w->slack, &g);
    const float length = (float)(reach * g.unit), margin = length + g.rounding;
    facets own, other;
    lanes gap[3];
    other_facets(&g, b, &other);
    beyond_own(&g, &other, gap);
    const unsigned lanes_b = within(gap, margin) & lanes_of(&b->head);
    if (!lanes_b)
        return true;
    own_facets(a, g.k_own, &own);
    beyond_other(&g, &own, gap);
    unsigned lanes_a = within(gap, margin) & lanes_of(&a->head);
    if (!lanes_a)
        return true;
    facet_list list;
    list_facets(&own, &list);
    for (; lanes_a; lanes_a &= lanes_a - 1) {
        const int i = __builtin_ctz(lanes_a);
        const unsigned want = self && ref_a == ref_b ? lanes_b & (~1U << i) : lanes_b;
        for (unsigned bits = test_facet(&list, i, &other, want, length, g.rounding); bits; bits &= bits - 1) {
            uint32_t x = a->id[i], y = b->id[__builtin_ctz(bits)];
            if (self && x > y) {
                const uint32_t t = x;
                x = y;
                y = t;
            }
            if (!batch_add(out, x, y))
                return false;
        }
    }
    return out->count < out->limit || batch_send(out);
}

static bool box_overlap(const wide_walk *w, uint32_t ref, double reach, batch *out)
{
    const wide_leaf *leaf = &w->a->leaves[ref];
    facing g;
    face(&w->from_b, &w->box, &leaf->head, w->slack, &g);
    const lanes near = near_box_facets(&g, leaf);
    unsigned bits = ~v_bits(v_above(near, v_all((float)(reach * g.unit)))) & lanes_of(&leaf->head);
    for (; bits; bits &= bits - 1)
        if (!batch_add(out, leaf->id[__builtin_ctz(bits)], 0))
            return false;
    return out->count < out->limit || batch_send(out);
}

/* Puts the children of the bits on the stack, the one that overlaps most on top. */
static inline size_t push_children(ref_pair *stack, size_t count, unsigned bits, lanes gap, uint32_t first,
                                   uint32_t other, bool of_a)
{
    float gaps[WIDE];
    v_store(gaps, gap);
    size_t best = count;
    float least = INFINITY;
    for (; bits; bits &= bits - 1) {
        const int lane = __builtin_ctz(bits);
        const uint32_t child = first + (uint32_t)lane;
        if (gaps[lane] < least) {
            least = gaps[lane];
            best = count;
        }
        stack[count++] = of_a ? (ref_pair){ child, other } : (ref_pair){ other, child };
    }
    if (best < count) {
        const ref_pair top = stack[count - 1];
        stack[count - 1] = stack[best];
        stack[best] = top;
    }
    return count;
}

static void walk_overlap(const wide_walk *w, double reach, abut_mesh_counters *counters,
                         abut_bvh_pairs_fn leaf, void *ctx)
{
    batch out = { .limit = 1, .leaf = leaf, .ctx = ctx };
    const double length = ldexp(reach, -w->exponent) * (1 + WIDE_ROUNDING), margin = length + w->slack;
    ref_pair stack[STACK];
    size_t count = 0;
    uint64_t tests = 0, updates = 0;
    bool go = true;
    stack[count++] = (ref_pair){ w->a->root, w->b ? w->b->root : 0 };
    while (go && count) {
        const ref_pair p = stack[--count];
        const bool leaf_a = wide_is_leaf(w->a, p.a), leaf_b = other_is_leaf(w, p.b);
        if (leaf_a && leaf_b) {
            go = w->b ? leaves_overlap(w, p.a, p.b, length, false, &out) : box_overlap(w, p.a, length, &out);
            continue;
        }
        const wide_head *a = wide_head_of(w->a, p.a), *b = other_head(w, p.b);
        const bool open_a =
            !leaf_a && (leaf_b || w->from_a.k_own * (double)a->radius >= w->from_b.k_own * (double)b->radius);
        const wide_node *node = open_a ? wide_node_of(w->a, p.a) : wide_node_of(w->b, p.b);
        const seen s = open_a ? see(&w->from_b, b, a) : see(&w->from_a, a, b);
        lanes gap;
        const unsigned bits = test_boxes(&s, node, margin, &gap);
        tests += node->head.count;
        ++updates;
        count = push_children(stack, count, bits, gap, node->first, open_a ? p.b : p.a, open_a);
    }
    if (go)
        batch_send(&out);
    counters->volume_tests += tests;
    counters->updates += updates;
}

/* Pairs of one tree. A pair of a node with itself gives each child with itself and with those after it. */
static void walk_self(const wide_walk *w, double reach, abut_mesh_counters *counters, abut_bvh_pairs_fn leaf,
                      void *ctx)
{
    batch out = { .limit = 1, .leaf = leaf, .ctx = ctx };
    const double length = ldexp(reach, -w->exponent) * (1 + WIDE_ROUNDING), margin = length + w->slack;
    ref_pair stack[STACK];
    size_t count = 0;
    uint64_t tests = 0, updates = 0;
    bool go = true;
    stack[count++] = (ref_pair){ w->a->root, w->a->root };
    while (go && count) {
        const ref_pair p = stack[--count];
        const bool leaf_a = wide_is_leaf(w->a, p.a), leaf_b = wide_is_leaf(w->a, p.b);
        if (leaf_a && leaf_b) {
            go = leaves_overlap(w, p.a, p.b, length, true, &out);
            continue;
        }
        const wide_head *a = wide_head_of(w->a, p.a), *b = wide_head_of(w->a, p.b);
        lanes gap;
        if (p.a == p.b) {
            const wide_node *node = wide_node_of(w->a, p.a);
            for (uint32_t i = 0; i < node->head.count; ++i) {
                const seen s = see(&w->from_a, wide_head_of(w->a, node->first + i), a);
                const unsigned bits = test_boxes(&s, node, margin, &gap) & (~0U << (i + 1));
                stack[count++] = (ref_pair){ node->first + i, node->first + i };
                count = push_children(stack, count, bits, gap, node->first, node->first + i, false);
            }
            tests += (uint64_t)node->head.count * (node->head.count - 1) / 2;
            updates += node->head.count;
            continue;
        }
        const bool open_a = !leaf_a && (leaf_b || a->radius >= b->radius);
        const wide_node *node = wide_node_of(w->a, open_a ? p.a : p.b);
        const seen s = open_a ? see(&w->from_a, b, a) : see(&w->from_a, a, b);
        const unsigned bits = test_boxes(&s, node, margin, &gap);
        tests += node->head.count;
        ++updates;
        count = push_children(stack, count, bits, gap, node->first, open_a ? p.b : p.a, open_a);
    }
    if (go)
        batch_send(&out);
    counters->volume_tests += tests;
    counters->updates += updates;
}

/* ---- the nearest ---- */

/* Measured: smaller weights look at too much, larger ones ask the wrong leaves. */
#define PROBE_WEIGHT 0.17

typedef struct near_pair {
    uint32_t a, b;
    double low; /* they are at least this far apart */
} near_pair;

typedef struct near_walk {
    const wide_walk *w;
    abut_bvh_near_fn leaf;
    void *ctx;
    double bound; /* in lengths of the caller */
    double most;  /* in units, rounded up: what is above it is further than the bound */
    float limit;  /* the same as a float */
    bool left_out;
    abut_mesh_counters *counters;
} near_walk;

static void near_bound(near_walk *n, double bound)
{
    n->bound = bound;
    const double units = ldexp(bound, -n->w->exponent);
    n->most = units * (1 + 0x1p-50) + 0x1p-140;
    n->limit = units < 0x1p100 ? (float)(units * (1 + 0x1p-23) + 0x1p-140) : INFINITY;
}

/* Pairs of two leaves. */
typedef struct near_list {
    abut_bvh_pair pairs[WIDE * WIDE];
    double low[WIDE * WIDE];
    uint32_t count;
} near_list;

/* Adds the pairs of the bits whose distance, at least `base` + low, may be within the limit. */
static inline void list_add(near_walk *n, near_list *list, unsigned bits, double base, lanes low, uint32_t a,
                            const uint32_t *ids_b)
{
    float lows[WIDE];
    v_store(lows, low);
    for (; bits; bits &= bits - 1) {
        const int lane = __builtin_ctz(bits);
        const double all = base + (double)lows[lane];
        if (all > n->most) {
            n->left_out = true;
            continue;
        }
        list->pairs[list->count] = (abut_bvh_pair){ a, ids_b[lane] };
        list->low[list->count++] = all;
    }
}

/* Hands them over, the one that seems nearest first. */
static bool list_send(near_walk *n, near_list *list)
{
    while (list->count) {
        uint32_t best = 0;
        for (uint32_t i = 1; i < list->count; ++i)
            best = list->low[i] < list->low[best] ? i : best;
        if (list->low[best] > n->most) {
            n->left_out = true;
            return true;
        }
        const abut_bvh_pair pair = list->pairs[best];
        --list->count;
        list->pairs[best] = list->pairs[list->count];
        list->low[best] = list->low[list->count];
        near_bound(n, n->leaf(n->ctx, &pair, 1, n->bound));
        if (n->bound < 0)
            return false;
    }
    return true;
}

static bool near_box(near_walk *n, uint32_t ref)
{
    static const uint32_t none[WIDE] = { 0 };
    const wide_walk *w = n->w;
    const wide_leaf *leaf = &w->a->leaves[ref];
    near_list list = { .count = 0 };
    facing g;
    face(&w->from_b, &w->box, &leaf->head, w->slack, &g);
    float low[WIDE];
    v_store(low, v_mul(v_all((float)(1 / g.unit)), near_box_facets(&g, leaf)));
    for (uint32_t i = 0; i < leaf->head.count; ++i)
        list_add(n, &list, 1, 0, v_all(low[i]), leaf->id[i], none);
    return list_send(n, &list);
}

static bool far_leaves(near_walk *n, const wide_leaf *a, const wide_leaf *b, const double d[3], double sizes)
{
    const wide_walk *w = n->w;
    far_view f;
    look_far(&w->from_a, &a->head, d, sizes, w->slack, &f);
    float back[3], there[3], beyond_a[WIDE];
    for (int k = 0; k < 3; ++k) {
        back[k] = -f.own[k];
        there[k] = f.other[0] * b->head.axes[0][k] + f.other[1] * b->head.axes[1][k] +
                   f.other[2] * b->head.axes[2][k];
    }
    v_store(beyond_a, far_facets(a, back, (float)w->from_a.k_own));
    const lanes beyond_b = far_facets(b, there, (float)w->from_a.k_other);
    near_list list;
    list.count = 0;
    for (uint32_t i = 0; i < a->head.count; ++i)
        list_add(n, &list, lanes_of(&b->head), f.distance, v_add(beyond_b, v_all(beyond_a[i])), a->id[i],
                 b->id);
    return list_send(n, &list);
}

static bool near_leaves(near_walk *n, uint32_t ref_a, uint32_t ref_b)
{
    const wide_walk *w = n->w;
    const wide_leaf *a = &w->a->leaves[ref_a], *b = &w->b->leaves[ref_b];
    double d[3];
    origin_difference(&w->from_a, &a->head, &b->head, d);
    const double sizes =
        w->from_a.k_own * (double)a->head.radius + w->from_a.k_other * (double)b->head.radius;
    if (is_far(d, sizes))
        return far_leaves(n, a, b, d, sizes);
    facing g;
    face(&w->from_a, &a->head, &b->head, w->slack, &g);
    const float limit = (float)(g.unit * (double)n->limit), enough = limit + g.rounding;
    /* First the triangles against the box of the other leaf. */
    facets own, other;
    lanes gap[3];
    other_facets(&g, b, &other);
    beyond_own(&g, &other, gap);
    const unsigned lanes_b = lanes_of(&b->head) & ~v_bits(v_above(length_of(gap), v_all(enough)));
    own_facets(a, g.k_own, &own);
    beyond_other(&g, &own, gap);
    unsigned lanes_a = lanes_of(&a->head) & ~v_bits(v_above(length_of(gap), v_all(enough)));
    n->left_out |= lanes_b != lanes_of(&b->head) || lanes_a != lanes_of(&a->head);
    if (!lanes_a || !lanes_b)
        return true;
    facet_list each;
    list_facets(&own, &each);
    near_list list;
    list.count = 0;
    for (; lanes_a; lanes_a &= lanes_a - 1) {
        const int i = __builtin_ctz(lanes_a);
        const lanes low = near_facet(&each, i, &other, lanes_b, limit, g.rounding);
        list_add(n, &list, lanes_b, 0, v_mul(v_all((float)(1 / g.unit)), low), a->id[i], b->id);
    }
    return list_send(n, &list);
}

/* Opens the larger of two things; lower bounds of the distances from the other to its children. Bits of those within the limit. */
typedef struct opened {
    double low[WIDE];
    uint32_t first, other;
    bool of_a;
    double size;
} opened;

static unsigned near_open(near_walk *n, near_pair p, opened *out)
{
    const wide_walk *w = n->w;
    const bool leaf_a = wide_is_leaf(w->a, p.a), leaf_b = other_is_leaf(w, p.b);
    const wide_head *a = wide_head_of(w->a, p.a), *b = other_head(w, p.b);
    const double size_a = w->from_a.k_own * (double)a->radius, size_b = w->from_b.k_own * (double)b->radius;
    out->of_a = !leaf_a && (leaf_b || size_a >= size_b);
    out->other = out->of_a ? p.b : p.a;
    out->size = out->of_a ? size_a * 0.4 + size_b : size_a + size_b * 0.4;
    const wide_node *node = out->of_a ? wide_node_of(w->a, p.a) : wide_node_of(w->b, p.b);
    const wide_view *view = out->of_a ? &w->from_b : &w->from_a;
    const wide_head *own = out->of_a ? b : a;
    double d[3], base = 0;
    origin_difference(view, own, &node->head, d);
    lanes low;
    if (is_far(d, size_a + size_b)) {
        far_view f;
        look_far(view, own, d, size_a + size_b, w->slack, &f);
        base = f.distance;
        low = far_boxes(view, own, node, &f);
    } else {
        const seen s = see(view, own, &node->head);
        low = near_boxes(&s, node, w->slack);
    }
    float lows[WIDE];
    v_store(lows, low);
    unsigned bits = 0;
    for (uint32_t i = 0; i < node->head.count; ++i) {
        out->low[i] = base + (double)lows[i];
        bits |= (unsigned)!(out->low[i] > n->most) << i;
    }
    out->first = node->first;
    n->left_out |= bits != lanes_of(&node->head);
    n->counters->volume_tests += node->head.count;
    ++n->counters->updates;
    return bits;
}

static inline near_pair child_of(const opened *o, int lane)
{
    const uint32_t child = o->first + (uint32_t)lane;
    return o->of_a ? (near_pair){ child, o->other, o->low[lane] }
                   : (near_pair){ o->other, child, o->low[lane] };
}

static bool both_leaves(const near_walk *n, near_pair p)
{
    return wide_is_leaf(n->w->a, p.a) && other_is_leaf(n->w, p.b);
}

/* Looks for a pair of leaves that are near each other, by a search that keeps the few pairs that promise most, and asks it first: with a good
 * bound from the start the walk itself saves up to a third. Distances are expected to exceed their lower bounds by a part of the sizes. */
static bool near_probe(near_walk *n, near_pair root, near_pair *asked)
{
    near_pair best[BEAM]; /* the most promising last; `low` is what is expected */
    size_t count = 0;
    best[count++] = root;
    for (int step = 0; step < PROBE_STEPS && count; ++step) {
        const near_pair p = best[--count];
        if (both_leaves(n, p)) {
            *asked = p;
            return n->w->b ? near_leaves(n, p.a, p.b) : near_box(n, p.a);
        }
        opened o;
        for (unsigned bits = near_open(n, p, &o); bits; bits &= bits - 1) {
            near_pair c = child_of(&o, __builtin_ctz(bits));
            c.low += PROBE_WEIGHT * o.size;
            if (count == BEAM) {
                if (c.low >= best[0].low)
                    continue;
                memmove(best, best + 1, --count * sizeof *best);
            }
            size_t k = count++;
            for (; k > 0 && best[k - 1].low < c.low; --k)
                best[k] = best[k - 1];
            best[k] = c;
        }
    }
    return true;
}

static double walk_nearest(const wide_walk *w, double bound, abut_mesh_counters *counters,
                           abut_bvh_near_fn leaf, void *ctx)
{
    near_walk n = { .w = w, .leaf = leaf, .ctx = ctx, .counters = counters };
    near_bound(&n, bound);
    near_pair stack[STACK], asked = { UINT32_MAX, UINT32_MAX, 0 };
    size_t count = 0;
    stack[count++] = (near_pair){ w->a->root, w->b ? w->b->root : 0, 0 };
    bool go = near_probe(&n, stack[0], &asked);
    while (go && count) {
        const near_pair p = stack[--count];
        if (p.low > n.most) {
            n.left_out = true;
            continue;
        }
        if (both_leaves(&n, p)) {
            if (p.a != asked.a || p.b != asked.b)
                go = w->b ? near_leaves(&n, p.a, p.b) : near_box(&n, p.a);
            continue;
        }
        opened o;
        const size_t begin = count;
        for (unsigned bits = near_open(&n, p, &o); bits; bits &= bits - 1) {
            const near_pair c = child_of(&o, __builtin_ctz(bits));
            size_t k = count++;
            for (; k > begin && stack[k - 1].low < c.low; --k)
                stack[k] = stack[k - 1];
            stack[k] = c;
        }
    }
    if (!go)
        return 0;
    return n.left_out ? n.bound : INFINITY;
}
