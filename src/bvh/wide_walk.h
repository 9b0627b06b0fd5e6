/* SPDX-License-Identifier: MIT */
/* Walks through wide trees. Included once for each vector unit.
 *
 * A walk keeps pairs of things whose boxes may meet. It takes one, opens the larger of the two
 * if that is a node, and tests the box of the other against the eight in it at once; a leaf much
 * larger than a node is taken apart into triangles (wide_single.h). Depth is at most WIDE_LEVELS
 * on each side, and opening leaves at most seven more pairs than there were (a node with itself:
 * 35). */
#include "bvh/wide_single.h"

enum { STACK = 2 * WIDE_LEVELS * 7 + WIDE_LEVELS * 35 + 16, BEAM = 64, PROBE_STEPS = 200 };

typedef struct ref_pair {
    uint32_t a, b;
} ref_pair;

/* Of a node, a leaf, or the leaf of a triangle; where there is no tree, of the box. */
static inline const wide_head *head_of(const wide_walk *w, const abut_wide *tree, uint32_t ref)
{
    return !tree ? &w->box : is_single(ref) ? &tree->leaves[single_leaf(ref)].head : wide_head_of(tree, ref);
}

static inline bool is_node(const abut_wide *tree, uint32_t ref)
{
    return tree && ref >= tree->leaf_count && !is_single(ref);
}

/* What two things come to: one of them is opened, or a leaf is taken apart. */
typedef struct opening {
    const wide_view *view; /* from the one that stays */
    const abut_wide *own;  /* its tree, or NULL: a box */
    const wide_head *head; /* and its box */
    const wide_node *node; /* what is opened, or only examined where a leaf is taken apart */
    uint32_t stays, ref;   /* the one and the other */
    bool of_a;             /* the node is a's */
    bool apart;            /* the leaf that would stay is taken apart */
    double size_own, size; /* radii */
} opening;

/* The larger of two is opened, if it is a node; a leaf that is much larger than a node is taken
 * apart. */
static inline opening open_larger(const wide_walk *w, uint32_t a, uint32_t b)
{
    const bool node_a = is_node(w->a, a), node_b = is_node(w->b, b);
    const wide_head *head_a = head_of(w, w->a, a), *head_b = head_of(w, w->b, b);
    const double size_a = w->from_a.k_own * (double)head_a->radius,
                 size_b = w->from_b.k_own * (double)head_b->radius;
    opening o;
    o.of_a = node_a && (!node_b || size_a >= size_b);
    if (o.of_a)
        o = (opening){ &w->from_b, w->b, head_b, wide_node_of(w->a, a), b, a, true, false, size_b, size_a };
    else
        o = (opening){ &w->from_a, w->a, head_a, wide_node_of(w->b, b), a, b, false, false, size_a, size_b };
    o.apart = o.own && wide_is_leaf(o.own, o.stays) && o.size_own > APART * o.size;
    return o;
}

/* ---- candidates ---- */

/* The first batches are small, for who wants only one. */
typedef struct batch {
    abut_bvh_pair pairs[ABUT_BVH_BATCH];
    size_t count, limit;
    bool self; /* the smaller number first */
    abut_bvh_pairs_fn leaf;
    void *ctx;
} batch;

static inline void batch_begin(batch *out, bool self, abut_bvh_pairs_fn leaf, void *ctx)
{
    out->count = 0;
    out->limit = 1;
    out->self = self;
    out->leaf = leaf;
    out->ctx = ctx;
}

static bool batch_send(batch *out)
{
    const size_t count = out->count;
    out->count = 0;
    out->limit = out->limit * 2 < ABUT_BVH_BATCH ? out->limit * 2 : ABUT_BVH_BATCH;
    return count == 0 || out->leaf(out->ctx, out->pairs, count);
}

static inline bool batch_add(batch *out, uint32_t a, uint32_t b)
{
    out->pairs[out->count++] = out->self && a > b ? (abut_bvh_pair){ b, a } : (abut_bvh_pair){ a, b };
    return out->count < ABUT_BVH_BATCH || batch_send(out);
}

/* Bits of the triangles of a leaf beyond its count are not there. */
static inline unsigned lanes_of(const wide_head *head)
{
    return (1U << head->count) - 1;
}

static bool leaves_overlap(const wide_walk *w, uint32_t ref_a, uint32_t ref_b, double reach, batch *out)
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
        const unsigned want = out->self && ref_a == ref_b ? lanes_b & (~1U << i) : lanes_b;
        for (unsigned bits = test_facet(&list, i, &other, want, length, g.rounding); bits; bits &= bits - 1)
            if (!batch_add(out, a->id[i], b->id[__builtin_ctz(bits)]))
                return false;
    }
    return out->count < out->limit || batch_send(out);
}

/* A triangle, of a or of b, and a leaf of the other. */
static bool single_overlap(const wide_walk *w, ref_pair p, double reach, batch *out)
{
    const bool of_a = is_single(p.a);
    const uint32_t single = of_a ? p.a : p.b;
    const wide_leaf *own = of_a ? &w->a->leaves[single_leaf(single)] : &w->b->leaves[single_leaf(single)];
    const wide_leaf *leaf = of_a ? &w->b->leaves[p.b] : &w->a->leaves[p.a];
    facing g;
    face(of_a ? &w->from_a : &w->from_b, &own->head, &leaf->head, w->slack, &g);
    facets other;
    other_facets(&g, leaf, &other);
    facet_list one;
    const int lane = single_lane(single);
    list_single(own, lane, g.k_own, &one);
    unsigned bits =
        test_facet(&one, lane, &other, lanes_of(&leaf->head), (float)(reach * g.unit), g.rounding);
    for (; bits; bits &= bits - 1) {
        const uint32_t x = own->id[lane], y = leaf->id[__builtin_ctz(bits)];
        if (!batch_add(out, of_a ? x : y, of_a ? y : x))
            return false;
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
                                   uint32_t step, uint32_t other, bool of_a)
{
    float gaps[WIDE];
    v_store(gaps, gap);
    size_t best = count;
    float least = INFINITY;
    for (; bits; bits &= bits - 1) {
        const int lane = __builtin_ctz(bits);
        const uint32_t child = first + (uint32_t)lane * step;
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

/* Bits of what an opening leaves, children of the node or triangles of the leaf. */
static inline unsigned test_opening(const wide_walk *w, const opening *o, double length, double margin,
                                    lanes *gap)
{
    if (!o->apart && !is_single(o->stays)) {
        const seen s = see(o->view, o->head, &o->node->head);
        return test_boxes(&s, o->node, margin, gap);
    }
    facets t;
    lanes half[3];
    if (o->apart) {
        const wide_leaf *leaf = &o->own->leaves[o->stays];
        facing g;
        face(o->of_a ? &w->from_a : &w->from_b, &o->node->head, &leaf->head, w->slack, &g);
        see_facets(&g, leaf, &t, half);
        return test_facet_boxes(&t, half, lanes_of(&leaf->head), (float)(length * g.unit), g.rounding, gap);
    }
    double unit;
    float rounding;
    see_single(o->view, &o->own->leaves[single_leaf(o->stays)], single_lane(o->stays), o->node, w->slack, &t,
               half, &unit, &rounding);
    return test_facet_boxes(&t, half, lanes_of(&o->node->head), (float)(length * unit), rounding, gap);
}

static size_t push_opening(ref_pair *stack, size_t count, const opening *o, unsigned bits, lanes gap)
{
    return o->apart ? push_children(stack, count, bits, gap, SINGLE | o->stays, 1U << SINGLE_SHIFT, o->ref,
                                    !o->of_a)
                    : push_children(stack, count, bits, gap, o->node->first, 1, o->stays, o->of_a);
}

/* A node with itself: each child with itself and with those after it. */
static size_t open_self(const wide_walk *w, uint32_t ref, double margin, ref_pair *stack, size_t count)
{
    const wide_node *node = wide_node_of(w->a, ref);
    for (uint32_t i = 0; i < node->head.count; ++i) {
        const seen s = see(&w->from_a, wide_head_of(w->a, node->first + i), &node->head);
        lanes gap;
        const unsigned bits = test_boxes(&s, node, margin, &gap) & (~0U << (i + 1));
        stack[count++] = (ref_pair){ node->first + i, node->first + i };
        count = push_children(stack, count, bits, gap, node->first, 1, node->first + i, false);
    }
    return count;
}

static void walk_pairs(const wide_walk *w, double reach, abut_mesh_counters *counters, batch *out)
{
    const double length = ldexp(reach, -w->exponent) * (1 + WIDE_ROUNDING), margin = length + w->slack;
    ref_pair stack[STACK];
    size_t count = 0;
    uint64_t tests = 0, updates = 0;
    bool go = true;
    stack[count++] = (ref_pair){ w->a->root, w->b ? w->b->root : 0 };
    while (go && count) {
        const ref_pair p = stack[--count];
        if (!is_node(w->a, p.a) && !is_node(w->b, p.b)) {
            go = !w->b                              ? box_overlap(w, p.a, length, out)
                 : is_single(p.a) || is_single(p.b) ? single_overlap(w, p, length, out)
                                                    : leaves_overlap(w, p.a, p.b, length, out);
            continue;
        }
        if (out->self && p.a == p.b) {
            const uint64_t children = wide_node_of(w->a, p.a)->head.count;
            tests += children * (children - 1) / 2;
            updates += children;
            count = open_self(w, p.a, margin, stack, count);
            continue;
        }
        const opening o = open_larger(w, p.a, p.b);
        lanes gap;
        const unsigned bits = test_opening(w, &o, length, margin, &gap);
        tests += o.apart ? o.head->count : o.node->head.count;
        ++updates;
        count = push_opening(stack, count, &o, bits, gap);
    }
    if (go)
        batch_send(out);
    counters->volume_tests += tests;
    counters->updates += updates;
}

static void walk_overlap(const wide_walk *w, double reach, abut_mesh_counters *counters,
                         abut_bvh_pairs_fn leaf, void *ctx)
{
    batch out;
    batch_begin(&out, false, leaf, ctx);
    walk_pairs(w, reach, counters, &out);
}

/* Pairs of one tree. */
static void walk_self(const wide_walk *w, double reach, abut_mesh_counters *counters, abut_bvh_pairs_fn leaf,
                      void *ctx)
{
    batch out;
    batch_begin(&out, true, leaf, ctx);
    walk_pairs(w, reach, counters, &out);
}

/* ---- the nearest ---- */

/* Measured: smaller weights examine too much, larger ones ask the wrong leaves. */
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
    examine_far(&w->from_a, &a->head, d, sizes, w->slack, &f);
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

/* A triangle, of a or of b, and a leaf of the other. */
static bool near_single(near_walk *n, uint32_t ref_a, uint32_t ref_b)
{
    const wide_walk *w = n->w;
    const bool of_a = is_single(ref_a);
    const uint32_t single = of_a ? ref_a : ref_b;
    const wide_leaf *own = of_a ? &w->a->leaves[single_leaf(single)] : &w->b->leaves[single_leaf(single)];
    const wide_leaf *leaf = of_a ? &w->b->leaves[ref_b] : &w->a->leaves[ref_a];
    const int lane = single_lane(single);
    facing g;
    face(of_a ? &w->from_a : &w->from_b, &own->head, &leaf->head, w->slack, &g);
    facets other;
    other_facets(&g, leaf, &other);
    facet_list one;
    list_single(own, lane, g.k_own, &one);
    const unsigned bits = lanes_of(&leaf->head);
    const lanes low = near_facet(&one, lane, &other, bits, (float)(g.unit * (double)n->limit), g.rounding);
    near_list list;
    list.count = 0;
    list_add(n, &list, bits, 0, v_mul(v_all((float)(1 / g.unit)), low), own->id[lane], leaf->id);
    for (uint32_t i = 0; i < list.count && !of_a; ++i)
        list.pairs[i] = (abut_bvh_pair){ list.pairs[i].b, list.pairs[i].a };
    return list_send(n, &list);
}

static bool near_bottom(near_walk *n, near_pair p)
{
    return !n->w->b                           ? near_box(n, p.a)
           : is_single(p.a) || is_single(p.b) ? near_single(n, p.a, p.b)
                                              : near_leaves(n, p.a, p.b);
}

/* What an opening leaves, with lower bounds of the distances. */
typedef struct opened {
    double low[WIDE];
    uint32_t first, step, other;
    bool of_a;
    double size; /* of both, more or less */
} opened;

/* Lower bounds of an opening: the sum of what is returned and of *base. */
static lanes near_opening(const wide_walk *w, opening *o, double *base)
{
    double d[3], unit;
    *base = 0;
    if (is_single(o->stays)) { /* never far, or not by much: it was part of a leaf that was not */
        facets t;
        lanes half[3];
        float rounding;
        see_single(o->view, &o->own->leaves[single_leaf(o->stays)], single_lane(o->stays), o->node, w->slack,
                   &t, half, &unit, &rounding);
        return v_mul(v_all((float)(1 / unit)), near_facet_boxes(&t, half, rounding));
    }
    origin_difference(o->view, o->head, &o->node->head, d);
    if (is_far(d, o->size_own + o->size)) {
        far_view f;
        o->apart = false;
        examine_far(o->view, o->head, d, o->size_own + o->size, w->slack, &f);
        *base = f.distance;
        return far_boxes(o->view, o->head, o->node, &f);
    }
    if (o->apart) {
        const wide_leaf *leaf = &o->own->leaves[o->stays];
        facing g;
        facets t;
        lanes half[3];
        face(o->of_a ? &w->from_a : &w->from_b, &o->node->head, &leaf->head, w->slack, &g);
        see_facets(&g, leaf, &t, half);
        return v_mul(v_all((float)(1 / g.unit)), near_facet_boxes(&t, half, g.rounding));
    }
    const seen s = see_in(o->view, o->head, &o->node->head, d, 1);
    return near_boxes(&s, o->node, w->slack);
}

/* Bits of those within the limit. */
static unsigned near_open(near_walk *n, near_pair p, opened *out)
{
    opening o = open_larger(n->w, p.a, p.b);
    double base;
    float lows[WIDE];
    v_store(lows, near_opening(n->w, &o, &base));
    const wide_head *head = o.apart ? o.head : &o.node->head;
    unsigned bits = 0;
    for (uint32_t i = 0; i < head->count; ++i) {
        out->low[i] = base + (double)lows[i];
        bits |= (unsigned)!(out->low[i] > n->most) << i;
    }
    out->first = o.apart ? SINGLE | o.stays : o.node->first;
    out->step = o.apart ? 1U << SINGLE_SHIFT : 1;
    out->other = o.apart ? o.ref : o.stays;
    out->of_a = o.of_a != o.apart;
    out->size = o.apart ? 0.4 * o.size_own + o.size : o.size_own + 0.4 * o.size;
    n->left_out |= bits != lanes_of(head);
    n->counters->volume_tests += head->count;
    ++n->counters->updates;
    return bits;
}

static inline near_pair child_of(const opened *o, int lane)
{
    const uint32_t child = o->first + (uint32_t)lane * o->step;
    return o->of_a ? (near_pair){ child, o->other, o->low[lane] }
                   : (near_pair){ o->other, child, o->low[lane] };
}

static bool at_bottom(const near_walk *n, near_pair p)
{
    return !is_node(n->w->a, p.a) && !is_node(n->w->b, p.b);
}

/* Searches for a pair of leaves that are near each other, by a search that keeps the few pairs that
 * promise most, and asks it first: with a good bound from the start the walk itself saves up to
 * a third. Distances are expected to exceed their lower bounds by a part of the sizes. */
static bool near_probe(near_walk *n, near_pair root, near_pair *asked)
{
    near_pair best[BEAM]; /* the most promising last; `low` is what is expected */
    size_t count = 0;
    best[count++] = root;
    for (int step = 0; step < PROBE_STEPS && count; ++step) {
        const near_pair p = best[--count];
        if (at_bottom(n, p)) {
            *asked = p;
            return near_bottom(n, p);
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
        if (at_bottom(&n, p)) {
            if (p.a != asked.a || p.b != asked.b)
                go = near_bottom(&n, p);
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
