/* SPDX-License-Identifier: MIT */
/* Compounds over time. Unions meet where parts meet (narrow/compound.c says why), so the first contact
 * is the first of all pairs of parts: one query about the set of all parts, with one queue. A touch at
 * the start from which a pair of parts parts again is no contact of that pair, and so none of the bodies
 * unless another pair has one. The intervals of contact are the union of those of the pairs. */
#include "ccd/compound.h"

#include "base/sort.h"
#include "narrow/compound.h"

#include <math.h>
#include <string.h>

/* ---- sets ---- */

typedef struct expansion {
    abut_parts *of; /* a body */
    size_t made;
    size_t *begin; /* of the parts of each body, and the end */
    abut_body *parts;
    uint32_t *owner, *pairs;
    size_t pair_count;
} expansion;

static abut_status expand_bodies(const abut_body *bodies, size_t count, abut_workspace *ws, expansion *e)
{
    e->of = abut_workspace_take(ws, count, sizeof *e->of);
    e->begin = abut_workspace_take(ws, count + 1, sizeof *e->begin);
    if (!e->of || !e->begin)
        return ABUT_ERR_MEMORY;
    size_t total = 0;
    for (e->made = 0; e->made < count;) {
        const size_t i = e->made++;
        const abut_status status = abut_parts_of(bodies[i].shape, bodies[i].motion, ws, &e->of[i]);
        if (status)
            return status;
        e->begin[i] = total;
        total += e->of[i].count;
    }
    e->begin[count] = total;
    e->parts = abut_workspace_take(ws, total, sizeof *e->parts);
    e->owner = abut_workspace_take(ws, total, sizeof *e->owner);
    if (!e->parts || !e->owner || total > UINT32_MAX)
        return ABUT_ERR_MEMORY;
    for (size_t i = 0; i < count; ++i)
        for (size_t k = 0; k < e->of[i].count; ++k) {
            e->parts[e->begin[i] + k] = (abut_body){ e->of[i].shapes[k], e->of[i].motions[k] };
            e->owner[e->begin[i] + k] = (uint32_t)i;
        }
    return ABUT_OK;
}

static size_t pair_parts(const expansion *e, size_t a, size_t b)
{
    return e->of[a].count * e->of[b].count;
}

static void add_pair(expansion *e, size_t a, size_t b)
{
    for (size_t i = e->begin[a]; i < e->begin[a + 1]; ++i)
        for (size_t k = e->begin[b]; k < e->begin[b + 1]; ++k) {
            e->pairs[2 * e->pair_count] = (uint32_t)i;
            e->pairs[2 * e->pair_count++ + 1] = (uint32_t)k;
        }
}

/* Parts of one body are no pairs. */
static abut_status expand_pairs(size_t body_count, const uint32_t *pairs, size_t pair_count,
                                abut_workspace *ws, expansion *e)
{
    size_t total = 0;
    for (size_t i = 0; pairs && i < pair_count; ++i)
        total += pair_parts(e, pairs[2 * i], pairs[2 * i + 1]);
    for (size_t a = 0; !pairs && a < body_count; ++a)
        for (size_t b = a + 1; b < body_count; ++b)
            total += pair_parts(e, a, b);
    e->pairs = abut_workspace_take(ws, 2 * total + 1, sizeof *e->pairs);
    if (!e->pairs)
        return ABUT_ERR_MEMORY;
    for (size_t i = 0; pairs && i < pair_count; ++i)
        add_pair(e, pairs[2 * i], pairs[2 * i + 1]);
    for (size_t a = 0; !pairs && a < body_count; ++a)
        for (size_t b = a + 1; b < body_count; ++b)
            add_pair(e, a, b);
    return ABUT_OK;
}

static void name_owner(const expansion *e, uint32_t *body, int32_t *part)
{
    const uint32_t owner = e->owner[*body];
    *part = (int32_t)(*body - e->begin[owner]);
    *body = owner;
}

abut_status abut_compound_first_set(const abut_body *bodies, size_t body_count, const uint32_t *pairs,
                                    size_t pair_count, const abut_first_opts *opts, abut_workspace *ws,
                                    abut_set_point *points, size_t capacity, abut_set_result *out)
{
    expansion e = { .made = 0 };
    const abut_workspace_mark mark = abut_workspace_begin(ws);
    abut_status status = expand_bodies(bodies, body_count, ws, &e);
    if (!status)
        status = expand_pairs(body_count, pairs, pair_count, ws, &e);
    if (!status)
        status = abut_first_contact_set(e.parts, e.begin[body_count], e.pairs, e.pair_count, opts, ws, points,
                                        capacity, out);
    for (size_t i = 0; !status && i < out->point_count && i < capacity; ++i) {
        name_owner(&e, &points[i].a, &points[i].at.parts[0]);
        name_owner(&e, &points[i].b, &points[i].at.parts[1]);
    }
    for (size_t i = 0; i < e.made; ++i)
        abut_parts_clear(&e.of[i]);
    abut_workspace_end(ws, mark);
    return status;
}

/* ---- pairs ---- */

static void give_points(const abut_ccd_query *q, const abut_set_point *points, size_t count,
                        abut_first_result *out)
{
    out->point_count = 0;
    for (size_t i = 0; i < count; ++i) {
        if (!points[i].at.kind) /* only its time is known */
            continue;
        if (out->point_count < ABUT_FIRST_CONTACTS)
            out->points[out->point_count] = points[i].at;
        ++out->point_count;
    }
    for (size_t i = 0; i < count && out->point_count > ABUT_FIRST_CONTACTS && q->opts->on_point; ++i)
        if (points[i].at.kind)
            q->opts->on_point(q->opts->on_point_ctx, &points[i].at);
}

static abut_status first_in(const abut_ccd_query *q, abut_workspace *ws, abut_first_result *out)
{
    const abut_body bodies[2] = { { q->a, q->motion_a }, { q->b, q->motion_b } };
    const uint32_t pair[2] = { 0, 1 };
    abut_first_opts opts = *q->opts;
    opts.time = q->range;
    opts.on_point = NULL;
    abut_set_result whole = { .point_count = 32 };
    abut_set_point *points = NULL;
    for (size_t capacity = 0; whole.point_count > capacity;) {
        capacity = whole.point_count;
        points = abut_workspace_take(ws, capacity, sizeof *points);
        if (!points)
            return ABUT_ERR_MEMORY;
        const abut_status status =
            abut_compound_first_set(bodies, 2, pair, 1, &opts, ws, points, capacity, &whole);
        if (status)
            return status;
    }
    out->verdict = whole.verdict;
    out->proof = whole.proof;
    out->stop = whole.stop;
    out->time = whole.time;
    out->counters = whole.counters;
    give_points(q, points, whole.point_count, out);
    return ABUT_OK;
}

/* In a workspace of its own, as on_point of a set of bodies takes memory from the query's. */
abut_status abut_compound_first(const abut_ccd_query *query, abut_first_result *out)
{
    abut_workspace own;
    abut_workspace_open(&own, query->ws ? &query->ws->alloc : NULL);
    const abut_workspace_mark mark = abut_workspace_begin(&own);
    const abut_status status = first_in(query, &own, out);
    abut_workspace_end(&own, mark);
    abut_workspace_close(&own);
    return status;
}

/* ---- intervals ---- */

typedef struct gathered {
    abut_allocator alloc;
    ABUT_ARRAY(abut_contact_interval) list;
    abut_intervals_result *out;
} gathered;

static abut_status gather(const abut_ccd_query *q, const abut_parts *a, size_t i, const abut_parts *b,
                          size_t k, gathered *g)
{
    abut_intervals_result r = { .count = 16 };
    const size_t before = g->list.count;
    abut_first_opts opts = *q->opts;
    opts.time = q->range;
    for (size_t room = 0; r.count > room;) {
        room = r.count;
        if (!ABUT_ARRAY_RESERVE(&g->alloc, &g->list, room))
            return ABUT_ERR_MEMORY;
        const abut_status status =
            abut_contact_intervals(a->shapes[i], a->motions[i], b->shapes[k], b->motions[k], &opts, q->ws,
                                   g->list.items + before, room, &r);
        if (status)
            return status;
    }
    g->list.count = before + r.count;
    g->out->proof = r.proof < g->out->proof ? r.proof : g->out->proof;
    g->out->stop = r.stop > g->out->stop ? r.stop : g->out->stop;
    g->out->counters.iterations += r.counters.iterations;
    g->out->counters.evaluations += r.counters.evaluations;
    g->out->counters.exact += r.counters.exact;
    return ABUT_OK;
}

static bool enters_before(void *ctx, const void *x, const void *y)
{
    const abut_contact_interval *a = x, *b = y;
    (void)ctx;
    return a->enter.lo != b->enter.lo ? a->enter.lo < b->enter.lo : a->exit.hi < b->exit.hi;
}

/* Joins what overlaps, in place. Where it is not known whether one contact ends before the next begins,
 * as when a body slides over the seam of two parts, they are one within tolerance. */
static void join(gathered *g)
{
    abut_contact_interval *items = g->list.items;
    size_t kept = 0;
    abut_base_sort(items, g->list.count, sizeof *items, enters_before, NULL);
    for (size_t i = 0; i < g->list.count; ++i) {
        abut_contact_interval *last = kept ? &items[kept - 1] : NULL;
        const abut_contact_interval next = items[i];
        if (!last || next.enter.lo > last->exit.hi) {
            items[kept++] = next;
            continue;
        }
        if (next.enter.hi > last->exit.lo && g->out->proof > ABUT_PROOF_TOLERANCE)
            g->out->proof = ABUT_PROOF_TOLERANCE;
        last->enter.hi = fmin(last->enter.hi, next.enter.hi);
        last->exit.lo = fmax(last->exit.lo, next.exit.lo);
        last->exit.hi = fmax(last->exit.hi, next.exit.hi);
    }
    g->list.count = kept;
}

static abut_status gather_all(const abut_ccd_query *q, abut_workspace *ws, gathered *g)
{
    abut_parts a, b = { .count = 0 };
    abut_status status = abut_parts_of(q->a, q->motion_a, ws, &a);
    if (!status)
        status = abut_parts_of(q->b, q->motion_b, ws, &b);
    for (size_t i = 0; i < a.count && !status; ++i)
        for (size_t k = 0; k < b.count && !status; ++k)
            status = gather(q, &a, i, &b, k, g);
    abut_parts_clear(&a);
    abut_parts_clear(&b);
    return status;
}

abut_status abut_compound_intervals(const abut_ccd_query *query, abut_contact_interval *intervals,
                                    size_t capacity, abut_intervals_result *out)
{
    abut_workspace own;
    abut_workspace_open(&own, query->ws ? &query->ws->alloc : NULL);
    const abut_workspace_mark mark = abut_workspace_begin(&own);
    *out = (abut_intervals_result){ .proof = ABUT_PROOF_EXACT };
    gathered g = { .alloc = own.alloc, .out = out };
    const abut_status status = gather_all(query, &own, &g);
    if (!status) {
        join(&g);
        out->count = g.list.count;
        const size_t written = out->count < capacity ? out->count : capacity;
        if (written)
            memcpy(intervals, g.list.items, written * sizeof *intervals);
    }
    ABUT_ARRAY_FREE(&g.alloc, &g.list);
    abut_workspace_end(&own, mark);
    abut_workspace_close(&own);
    return status;
}
