/* SPDX-License-Identifier: MIT */
/* Walks through two hierarchies, or one and itself: within a region, then between its children. A
 * region, or two of them, that the curvature criterion proves free of self-contact is not opened.
 * Two triangles with a common vertex have tests of their own, cheaper than those of features:
 *   a common edge, which they run through in opposite directions, and a common direction of their
 *     masks: seen along it both are counter-clockwise, so they are on the two sides of the edge;
 *   a common vertex: a plane through it, with a fixed normal, that has them on its two sides. */
#include "ccd/deform/deform.h"

#include <math.h>

static inline bool overlap(const abut_deform_node *p, const abut_deform_node *q, double reach)
{
    return (p->lo[0] <= q->hi[0] + reach) & (q->lo[0] <= p->hi[0] + reach) & (p->lo[1] <= q->hi[1] + reach) &
           (q->lo[1] <= p->hi[1] + reach) & (p->lo[2] <= q->hi[2] + reach) & (q->lo[2] <= p->hi[2] + reach);
}

static uint64_t triangles_in(const abut_deform *m, uint32_t node)
{
    return m->regions[node].leaf_end - m->regions[node].first_leaf;
}

/* Corners and sides of two triangles of one mesh that are the same. Returns how many corners, and
 * the place of the last of them in each. */
static int common_corners(const uint32_t *a, const uint32_t *b, int *in_a, int *in_b)
{
    int count = 0;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            if (a[i] == b[k]) {
                *in_a = i;
                *in_b = k;
                ++count;
            }
    return count;
}

static inline double dot(const double n[3], abut_vec3 p, abut_vec3 o)
{
    return n[0] * (p.x - o.x) + n[1] * (p.y - o.y) + n[2] * (p.z - o.z);
}

/* Corners i of a and k of b are the same vertex; the others are strictly on the two sides of a
 * plane through it, at both ends and so at all times. */
static bool parted_at_vertex(const abut_deform *m, const uint32_t *a, int i, const uint32_t *b, int k)
{
    const uint32_t v = a[i], pa[2] = { a[(i + 1) % 3], a[(i + 2) % 3] },
                   pb[2] = { b[(k + 1) % 3], b[(k + 2) % 3] };
    double n[3] = { 0, 0, 0 };
    for (int w = 0; w < 2; ++w)
        for (int j = 0; j < 2; ++j) {
            const abut_vec3 p = m->x[w][pa[j]], q = m->x[w][pb[j]];
            n[0] += p.x - q.x;
            n[1] += p.y - q.y;
            n[2] += p.z - q.z;
        }
    const double size = fabs(n[0]) + fabs(n[1]) + fabs(n[2]);
    for (int w = 0; w < 2; ++w) {
        const abut_vec3 o = m->x[w][v];
        for (int j = 0; j < 2; ++j) {
            /* Off by 5 u times the sizes; n is what it is. */
            const abut_vec3 p = m->x[w][pa[j]], q = m->x[w][pb[j]];
            const double sp = fabs(p.x - o.x) + fabs(p.y - o.y) + fabs(p.z - o.z);
            const double sq = fabs(q.x - o.x) + fabs(q.y - o.y) + fabs(q.z - o.z);
            if (!(dot(n, p, o) > 0x1p-48 * size * sp + 0x1p-1000) ||
                !(dot(n, q, o) < -0x1p-48 * size * sq - 0x1p-1000))
                return false;
        }
        if (!m->moves)
            break;
    }
    return true;
}

/* Is this pair of triangles of one mesh proved free of contacts by simple means? */
static bool are_free(const abut_deform_walk *w, const abut_deform_node *p, const abut_deform_node *q)
{
    const abut_deform *m = w->a;
    const uint32_t ta = abut_deform_first_child(p), tb = abut_deform_first_child(q);
    const uint32_t *a = m->triangles + 3 * (size_t)ta, *b = m->triangles + 3 * (size_t)tb;
    int i = 0, k = 0;
    const int count = common_corners(a, b, &i, &k);
    if (count == 1)
        return parted_at_vertex(m, a, i, b, k);
    if (count != 2 || !(p->mask & q->mask))
        return false;
    for (int s = 0; s < 3; ++s)
        for (int t = 0; t < 3; ++t)
            if ((m->sides[3 * (size_t)ta + (size_t)s] ^ m->sides[3 * (size_t)tb + (size_t)t]) == 1)
                return true;
    return false;
}

static void leaf(abut_deform_walk *w, const abut_deform_node *p, const abut_deform_node *q)
{
    if (w->curvature && are_free(w, p, q)) {
        ++w->counters->skipped_pairs;
        return;
    }
    ++w->counters->triangle_pairs;
    if (!w->leaf(w->ctx, abut_deform_first_child(p), abut_deform_first_child(q)))
        w->ended = true;
}

static bool try_flat(abut_deform_walk *w, uint32_t a, uint32_t b, uint32_t mask)
{
    if (!w->curvature || !mask)
        return false;
    ++w->counters->curvature_tests;
    if (!abut_deform_is_flat(w->a, a, b, mask))
        return false;
    const uint64_t n = triangles_in(w->a, a);
    ++w->counters->curvature_skips;
    w->counters->skipped_pairs += b == ABUT_DEFORM_NONE ? n * (n - 1) / 2 : n * triangles_in(w->a, b);
    return true;
}

/* Regions this small are opened rather than tried. */
enum { SMALL = 8 };

static void between(abut_deform_walk *w, uint32_t a, uint32_t b)
{
    const abut_deform_node *p = &w->a->nodes[a], *q = &w->b->nodes[b];
    const uint32_t pc = abut_deform_child_count(p), qc = abut_deform_child_count(q);
    ++w->counters->volume_tests;
    if (!overlap(p, q, w->reach))
        return;
    if (!pc && !qc) {
        leaf(w, p, q);
        return;
    }
    const uint64_t na = triangles_in(w->a, a), nb = triangles_in(w->b, b);
    if (w->a == w->b && na + nb >= SMALL && try_flat(w, a, b, p->mask & q->mask))
        return;
    if (na >= nb)
        for (uint32_t i = 0; i < pc && !w->ended; ++i)
            between(w, abut_deform_first_child(p) + i, b);
    else
        for (uint32_t i = 0; i < qc && !w->ended; ++i)
            between(w, a, abut_deform_first_child(q) + i);
}

static void within(abut_deform_walk *w, uint32_t a)
{
    const abut_deform_node *p = &w->a->nodes[a];
    const uint32_t count = abut_deform_child_count(p), child = abut_deform_first_child(p);
    if (!count || try_flat(w, a, ABUT_DEFORM_NONE, p->mask))
        return;
    for (uint32_t i = 0; i < count && !w->ended; ++i)
        within(w, child + i);
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t k = i + 1; k < count && !w->ended; ++k)
            between(w, child + i, child + k);
}

void abut_deform_run_walk(abut_deform_walk *w)
{
    w->curvature = w->curvature && w->a == w->b && w->a->has_masks;
    w->ended = false;
    if (w->a == w->b)
        within(w, 0);
    else
        between(w, 0, 0);
}
