/* SPDX-License-Identifier: MIT */
/* The search: pairs of cells in a heap, the pair with the least lower bound first.
 *
 * A pair leaves the search where its bound is no less than the best distance found (less the
 * tolerance), or where it is proved apart and the normals say that the nearest points of the two
 * bodies are not in it. What is left when the heap is empty proves the distance of the boundaries
 * from below; points on both prove it from above. Where boundaries may meet, points of one that lie
 * under a face of the other are tried: a point a little further in is inside both, and that is
 * proved by the membership tests of both bodies (side.c), not by the search.
 *
 * The criterion of normals (a nearest pair is a common normal of two faces, or a normal of one at an
 * edge of the other) may only be used for cells that are apart: where cells overlap nothing is
 * known of their normals. */
#include "math/vec3.h"
#include "narrow/brep/brep.h"

#include <string.h>

typedef struct entry {
    double key; /* the lower bound; below zero for cells that overlap, larger ones first */
    double low;
    abut_cell *p, *q;
} entry;

/* TOUCHING: iterations after a touch is found, in which an overlap elsewhere is searched for. */
enum { BLOCK = 32, ATTEMPTS = 400, TOUCHING = 3000, CROSSINGS = 6 };

typedef struct search {
    abut_brep_body *body;
    double slack;
    const abut_brep_goal *goal;
    abut_workspace *ws;
    entry *heap;
    size_t count, capacity;
    abut_cell *block;
    size_t used;
    double high, low; /* best distance found; least bound of what was left out for its size */
    int attempts, crossings;
    uint64_t touching;
    abut_brep_answer *out;
} search;

/* ---- cells ---- */

static abut_cell *new_cell(search *s)
{
    if (!s->block || s->used == BLOCK) {
        s->block = abut_workspace_take(s->ws, BLOCK, sizeof *s->block);
        s->used = 0;
        if (!s->block)
            return NULL;
    }
    return &s->block[s->used++];
}

static const abut_part *part_of(abut_brep_body *b, uint32_t number)
{
    if (!b->moved)
        return &b->features->parts[number];
    if (!b->placed[number]) {
        abut_part_place(&b->features->parts[number], &b->map, &b->parts[number]);
        b->placed[number] = true;
    }
    return &b->parts[number];
}

static void fit_group(const search *s, const abut_brep_body *b, uint32_t number, abut_cell *c)
{
    const abut_aabb *box = &b->features->nodes[number].box;
    const abut_vec3 mid = abut_scale(0.5, abut_add(box->lo, box->hi)),
                    half = abut_scale(0.5, abut_sub(box->hi, box->lo));
    c->kind = ABUT_CELL_GROUP;
    c->part = number;
    c->state = ABUT_CELL_IN;
    c->split = false;
    c->wide = true;
    c->has_skeleton = false;
    c->sampled = false;
    c->half[0] = half.x + s->goal->rounding;
    c->half[1] = half.y + s->goal->rounding;
    c->half[2] = half.z + s->goal->rounding;
    c->radius = sqrt(c->half[0] * c->half[0] + c->half[1] * c->half[1] + c->half[2] * c->half[2]);
    c->center = b->moved ? abut_affine_apply(&b->map, mid) : mid;
    for (int i = 0; i < 3; ++i)
        c->axis[i] =
            abut_v3(b->moved ? b->map.linear.m[0][i] : i == 0, b->moved ? b->map.linear.m[1][i] : i == 1,
                    b->moved ? b->map.linear.m[2][i] : i == 2);
}

/* The cell of a node or part of the tree; *out NULL where it holds nothing. */
static bool enter_reference(search *s, abut_brep_body *b, int32_t reference, abut_cell **out)
{
    abut_cell *c = new_cell(s);
    if (!c)
        return false;
    *out = c;
    if (reference >= 0) {
        fit_group(s, b, (uint32_t)reference, c);
        return true;
    }
    const uint32_t number = (uint32_t)~reference;
    const abut_part *part = part_of(b, number);
    abut_cell_root(part, number, s->goal->rounding, c);
    if (part->trim) {
        if (!abut_brep_trim(b, part, s->slack, c))
            *out = NULL;
    } else
        c->sampled = true;
    return true;
}

/* Gives a cell its children. */
static bool expand(search *s, abut_brep_body *b, abut_cell *c)
{
    if (c->split)
        return true;
    c->split = true;
    c->child[0] = c->child[1] = NULL;
    if (c->kind == ABUT_CELL_GROUP) {
        const abut_feature_node *node = &b->features->nodes[c->part];
        return enter_reference(s, b, node->child[0], &c->child[0]) &&
               enter_reference(s, b, node->child[1], &c->child[1]);
    }
    const abut_part *part = part_of(b, c->part);
    abut_cell halves[2];
    abut_cell_split(part, c, halves);
    for (int i = 0; i < 2; ++i) {
        abut_cell_fit(part, s->goal->rounding, &halves[i]);
        if (halves[i].state == ABUT_CELL_IN)
            halves[i].sampled = true;
        else if (!abut_brep_trim(b, part, s->slack, &halves[i]))
            continue;
        abut_cell *child = new_cell(s);
        if (!child)
            return false;
        *child = halves[i];
        c->child[i] = child;
    }
    return true;
}

static bool can_split(const search *s, const abut_cell *c)
{
    return c->kind == ABUT_CELL_GROUP || (c->kind != ABUT_CELL_POINT && c->radius > 8 * s->slack);
}

/* ---- heap ---- */

static bool push(search *s, entry e)
{
    if (s->count == s->capacity) {
        const size_t capacity = s->capacity ? 2 * s->capacity : 128;
        entry *heap = abut_workspace_take(s->ws, capacity, sizeof *heap);
        if (!heap)
            return false;
        if (s->count)
            memcpy(heap, s->heap, s->count * sizeof *heap);
        s->heap = heap;
        s->capacity = capacity;
    }
    size_t i = s->count++;
    while (i > 0 && s->heap[(i - 1) / 2].key > e.key) {
        s->heap[i] = s->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    s->heap[i] = e;
    return true;
}

static entry pop(search *s)
{
    const entry top = s->heap[0], last = s->heap[--s->count];
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= s->count)
            break;
        if (child + 1 < s->count && s->heap[child + 1].key < s->heap[child].key)
            ++child;
        if (s->heap[child].key >= last.key)
            break;
        s->heap[i] = s->heap[child];
        i = child;
    }
    if (s->count)
        s->heap[i] = last;
    return top;
}

/* ---- samples ---- */

static abut_vec3 to_local(const abut_brep_body *b, abut_vec3 p)
{
    return b->moved ? abut_mul_t(&b->map.linear, abut_sub(p, b->map.translation)) : p;
}

/* A direction into the material at a point of a cell. */
static abut_vec3 inward(abut_brep_body *b, const abut_part *part, abut_vec3 p)
{
    if (part->face)
        return abut_scale(-1, abut_part_normal(part, p));
    abut_vec3 sum = { 0, 0, 0 };
    for (int i = 0; i < 2; ++i)
        if (part->side[i] != ABUT_PART_NONE)
            sum = abut_sub(sum, abut_part_normal(part_of(b, part->side[i]), p));
    return abut_unit_or(sum, abut_v3(0, 0, 0));
}

/* x, on the boundary of `own`, is `deep` below a face of `other`: a point further in is tried. */
static void try_inside(search *s, abut_brep_body *own, const abut_part *part, abut_brep_body *other,
                       abut_vec3 x, double deep)
{
    const abut_vec3 in = inward(own, part, x);
    /* The face may be far below while another one is near: steps get short quickly. */
    double step = 0.5 * deep;
    ++s->attempts;
    for (int i = 0; i < 8 && step > 2 * s->slack; ++i, step *= 0.125) {
        const abut_vec3 p = abut_madd(x, step, in);
        if (abut_brep_side(other->shape, to_local(other, p), s->slack) >= 0)
            continue;
        if (abut_brep_side(own->shape, to_local(own, p), s->slack) < 0) {
            s->out->inside = true;
            s->out->point[0] = s->out->point[1] = p;
            return;
        }
    }
}

static bool is_valid(abut_brep_body *b, const abut_part *part, const abut_cell *c, abut_vec3 p)
{
    return c->state == ABUT_CELL_IN || abut_brep_on_face(b, part, p);
}

/* Does a sample of p show that the bodies overlap? */
static void examine_inside(search *s, abut_brep_body *bp, const abut_part *pp, const abut_cell *p,
                           abut_brep_body *bq, const abut_part *pq, const abut_cell *q, double limit)
{
    if (!pq->face || !p->sampled || s->attempts >= ATTEMPTS)
        return;
    const double off = abut_part_offset(pq, p->sample);
    if (!(off < -8 * s->slack) || -off > limit)
        return;
    const abut_vec3 foot = abut_cell_project(pq, q, p->sample), w = abut_sub(foot, p->sample);
    if (abut_dot(w, w) > 1.21 * off * off && pq->kind != ABUT_CELL_ELLIPSOID)
        return;
    try_inside(s, bp, pp, bq, p->sample, -off);
}

/* The boundaries meet at x, on both parts: points at many distances from it, inward of both. */
static void try_around(search *s, const abut_part *pp, const abut_part *pq, abut_vec3 x)
{
    abut_brep_body *a = &s->body[0], *b = &s->body[1];
    const abut_vec3 in = inward(a, pp, x), to = inward(b, pq, x), none = { 0, 0, 0 };
    const double size = fmin(a->size, b->size);
    static const double share[3] = { 0.5, 0.15, 0.85 };
    for (int i = 0; i < 3; ++i) {
        const abut_vec3 sum = abut_add(abut_scale(share[i], in), abut_scale(1 - share[i], to));
        if (abut_dot(sum, sum) < 1e-6)
            continue;
        const abut_vec3 u = abut_unit_or(sum, none);
        for (double step = 0.25 * size; step > 16 * s->slack; step *= 0.25) {
            const abut_vec3 p = abut_madd(x, step, u);
            if (abut_brep_side(a->shape, to_local(a, p), s->slack) < 0 &&
                abut_brep_side(b->shape, to_local(b, p), s->slack) < 0) {
                s->out->inside = true;
                s->out->point[0] = s->out->point[1] = p;
                return;
            }
        }
    }
}

/* limit: samples deeper than that are not tried. */
static void examine_both(search *s, const abut_part *pp, const abut_cell *p, const abut_part *pq,
                         const abut_cell *q, double limit)
{
    examine_inside(s, &s->body[0], pp, p, &s->body[1], pq, q, limit);
    if (!s->out->inside)
        examine_inside(s, &s->body[1], pq, q, &s->body[0], pp, p, limit);
}

/* Points of both parts; they count where both belong to the bodies. */
static void consider(search *s, const abut_part *pp, const abut_cell *p, const abut_part *pq,
                     const abut_cell *q, abut_vec3 x, abut_vec3 y)
{
    const abut_vec3 d = abut_sub(y, x);
    const double away = sqrt(abut_dot(d, d));
    if (!(away < s->high) && !(away <= 4 * s->slack && s->crossings < CROSSINGS))
        return;
    if (!is_valid(&s->body[0], pp, p, x) || !is_valid(&s->body[1], pq, q, y))
        return;
    s->high = away;
    s->out->has_points = true;
    s->out->point[0] = x;
    s->out->point[1] = y;
    s->out->part[0] = p->part;
    s->out->part[1] = q->part;
    if (away <= 4 * s->slack && s->crossings++ < CROSSINGS)
        try_around(s, pp, pq, x);
}

/* Points of both cells near to each other, by alternating projections; the distance where both belong
 * to the bodies. */
static void sample(search *s, const abut_part *pp, abut_cell *p, const abut_part *pq, abut_cell *q,
                   abut_vec3 at[2])
{
    abut_vec3 seeds[2];
    const int count = abut_brep_ring_seeds(pp, p, pq, q, seeds);
    for (int i = 0; i < count; ++i) {
        const abut_vec3 near = abut_cell_project(pp, p, seeds[i]), y = abut_cell_project(pq, q, near);
        consider(s, pp, p, pq, q, abut_cell_project(pp, p, y), y);
    }
    abut_vec3 x = p->sampled ? p->sample : p->center, y = abut_cell_project(pq, q, x);
    double before = INFINITY;
    for (int i = 0; i < 4; ++i) {
        x = abut_cell_project(pp, p, y);
        y = abut_cell_project(pq, q, x);
        const abut_vec3 d = abut_sub(y, x);
        const double square = abut_dot(d, d);
        if (square > 0.9999 * before)
            break;
        before = square;
    }
    at[0] = x;
    at[1] = y;
    consider(s, pp, p, pq, q, x, y);
}

/* ---- the loop ---- */

/* Bounds above which nothing more needs to be known. */
static double enough(const search *s)
{
    const abut_brep_goal *g = s->goal;
    if (g->verdict_only)
        return g->clearance + 2 * s->slack;
    if (!(s->high < INFINITY))
        return g->cutoff + 2 * s->slack;
    /* Small distances to a quarter at least, so that bodies that are apart are found to be. */
    const double tolerance = fmin(fmax(g->tolerance, g->relative * s->high), 0.25 * s->high);
    const double least = s->high - fmax(tolerance, s->slack);
    /* A touch says nothing of what happens elsewhere: cells that may overlap stay in the search. */
    return fmax(fmin(least, g->cutoff + 2 * s->slack), 2 * s->slack);
}

static bool enter(search *s, abut_cell *p, abut_cell *q)
{
    const bool leaves = p->kind != ABUT_CELL_GROUP && q->kind != ABUT_CELL_GROUP;
    const abut_part *pp = p->kind == ABUT_CELL_GROUP ? NULL : part_of(&s->body[0], p->part);
    const abut_part *pq = q->kind == ABUT_CELL_GROUP ? NULL : part_of(&s->body[1], q->part);
    ++s->out->counters.evaluations;
    double low = abut_brep_bound(p, q, enough(s));
    if (low < enough(s) && leaves) {
        if (low > 2 * s->slack && !abut_brep_is_critical(pp, p, pq, q)) {
            /* They may have passed each other: then no boundary is nearer than this. */
            examine_both(s, pp, p, pq, q, 1.01 * s->high);
            return true;
        }
        abut_vec3 at[2];
        sample(s, pp, p, pq, q, at);
        if (s->out->inside)
            return true;
        low = fmax(low, abut_brep_bound_parts(pp, p, pq, q, at[0], at[1], s->goal->rounding, enough(s)));
        if (low > 2 * s->slack && !abut_brep_is_critical(pp, p, pq, q)) {
            examine_both(s, pp, p, pq, q, 1.01 * s->high);
            return true;
        }
        if (low <= s->slack) {
            examine_both(s, pp, p, pq, q, INFINITY);
            if (s->out->inside)
                return true;
        }
    }
    if (low >= enough(s)) {
        s->low = fmin(s->low, low);
        return true;
    }
    const double key = low > 0 ? low : -(p->radius + q->radius);
    return push(s, (entry){ key, low, p, q });
}

static bool split_pair(search *s, const entry *e)
{
    const bool p_can = can_split(s, e->p), q_can = can_split(s, e->q);
    if (!p_can && !q_can) {
        s->low = fmin(s->low, e->low);
        return true;
    }
    const bool p_group = e->p->kind == ABUT_CELL_GROUP, q_group = e->q->kind == ABUT_CELL_GROUP;
    bool first = e->p->radius >= e->q->radius;
    if (p_group != q_group)
        first = p_group ? e->p->radius > 0.5 * e->q->radius : !(e->q->radius > 0.5 * e->p->radius);
    if (!p_can || !q_can)
        first = p_can;
    abut_cell *c = first ? e->p : e->q;
    if (!expand(s, &s->body[!first], c))
        return false;
    for (int i = 0; i < 2 && !s->out->inside; ++i)
        if (c->child[i] && !enter(s, first ? c->child[i] : e->p, first ? e->q : c->child[i]))
            return false;
    return true;
}

static bool prepare(search *s)
{
    for (int i = 0; i < 2; ++i) {
        abut_brep_body *b = &s->body[i];
        if (!b->moved)
            continue;
        b->parts = abut_workspace_take(s->ws, b->features->count, sizeof *b->parts);
        b->placed = abut_workspace_take(s->ws, b->features->count, sizeof *b->placed);
        if (!b->parts || !b->placed)
            return false;
        memset(b->placed, 0, b->features->count * sizeof *b->placed);
    }
    return true;
}

static int32_t root_of(const abut_features *f)
{
    return f->node_count ? (int32_t)f->node_count - 1 : ~0;
}

abut_status abut_brep_search(abut_brep_body body[2], double slack, const abut_brep_goal *goal,
                             abut_workspace *ws, abut_brep_answer *out)
{
    *out = (abut_brep_answer){ 0 };
    search s = {
        .body = body, .slack = slack, .goal = goal, .ws = ws, .high = INFINITY, .low = INFINITY, .out = out
    };
    abut_cell *p, *q;
    if (!prepare(&s) || !enter_reference(&s, &body[0], root_of(body[0].features), &p) ||
        !enter_reference(&s, &body[1], root_of(body[1].features), &q))
        return ABUT_ERR_MEMORY;
    if (p && q && !enter(&s, p, q))
        return ABUT_ERR_MEMORY;
    while (s.count > 0 && !out->inside) {
        const entry e = pop(&s);
        const bool within = goal->verdict_only && s.high + 2 * slack < goal->clearance;
        s.touching += s.high <= 4 * slack;
        if (s.touching == 1 && goal->prove && goal->prove(goal->ctx)) {
            out->proved = true;
            break;
        }
        out->spent = out->counters.iterations++ >= goal->budget || s.touching > TOUCHING;
        if (e.low >= enough(&s) || within || out->spent) {
            s.low = fmin(s.low, e.low);
            break;
        }
        if (!split_pair(&s, &e))
            return ABUT_ERR_MEMORY;
    }
    for (size_t i = 0; i < s.count; ++i)
        s.low = fmin(s.low, s.heap[i].low);
    out->low = fmin(s.low, s.high);
    out->high = s.high;
    return ABUT_OK;
}
