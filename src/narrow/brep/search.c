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
#include "base/heap.h"
#include "math/vec3.h"
#include "narrow/brep/brep.h"

#include <string.h>

typedef struct entry {
    double key; /* the lower bound; below zero for cells that overlap, larger ones first */
    double low;
    abut_cell *p, *q;
} entry;

/* TOUCHING: iterations after a touch is found, in which an overlap elsewhere is searched for. */
enum { BLOCK = 32, ATTEMPTS = 400, TOUCHING = 3000, CROSSINGS = 6, BEFORE_WHOLES = 1000, WHOLES = 8 };

/* A bound of all cells of two parts. */
typedef struct whole_bound {
    uint32_t p, q;
    double low;
} whole_bound;

typedef struct search {
    abut_brep_body *body;
    double slack;
    const abut_brep_goal *goal;
    abut_workspace *ws;
    entry *heap;
    size_t count, capacity;
    abut_cell *block;
    size_t used;
    double enough;    /* bounds above this need not be known better: enough_for() the best distance */
    double high, low; /* best distance found; least bound of what was left out for its size */
    int attempts, crossings;
    uint64_t touching;
    /* From the best point of the first body to that of the second: a direction along which much is apart. */
    bool has_axis;
    abut_vec3 axis;
    int whole_count;
    whole_bound whole[WHOLES];
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
    const abut_part *part = abut_brep_part(b, number);
    abut_cell_root(part, number, s->goal->rounding, c);
    /* A triangle covers some of its face, and its sample is not worth a look at the profile. */
    if (part->kind == ABUT_CELL_TRIANGLE && part->trim)
        c->state = ABUT_CELL_MIXED;
    else if (part->trim && !abut_brep_trim(b, part, s->slack, c))
        *out = NULL;
    else if (!part->trim)
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
    const abut_part *part = abut_brep_part(b, c->part);
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

static bool before(const entry *a, const entry *b)
{
    return a->key < b->key;
}

ABUT_HEAP(heap, entry, before)

static bool push(search *s, entry e)
{
    entry *grown = abut_workspace_grow(s->ws, s->heap, s->count, &s->capacity, sizeof e);
    if (!grown)
        return false;
    s->heap = grown;
    heap_push(s->heap, &s->count, &e);
    return true;
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
            sum = abut_sub(sum, abut_part_normal(abut_brep_part(b, part->side[i]), p));
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
    for (int i = 0; i < 8 && step > s->slack; ++i, step *= 0.125) {
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

/* Does x, a point of p that belongs to the body, show that the bodies overlap? */
static void examine_point(search *s, abut_brep_body *bp, const abut_part *pp, abut_vec3 x, abut_brep_body *bq,
                          const abut_part *pq, const abut_cell *q, double limit)
{
    if (!pq->face || s->attempts >= ATTEMPTS)
        return;
    const double off = abut_part_offset(pq, x);
    if (!(off < -2 * s->slack) || -off > limit)
        return;
    const abut_vec3 foot = abut_cell_project(pq, q, x), w = abut_sub(foot, x);
    if (abut_dot(w, w) > 1.21 * off * off && pq->kind != ABUT_CELL_ELLIPSOID)
        return;
    try_inside(s, bp, pp, bq, x, -off);
}

/* The boundaries meet at x, on both parts: points at many distances from it, inward of both. */
static void try_around(search *s, const abut_part *pp, const abut_part *pq, abut_vec3 x)
{
    abut_brep_body *a = &s->body[0], *b = &s->body[1];
    const abut_vec3 in = inward(a, pp, x), to = inward(b, pq, x), none = { 0, 0, 0 };
    const double size = abut_smaller(a->size, b->size);
    static const double share[3] = { 0.5, 0.15, 0.85 };
    for (int i = 0; i < 3; ++i) {
        const abut_vec3 sum = abut_add(abut_scale(share[i], in), abut_scale(1 - share[i], to));
        if (abut_dot(sum, sum) < 1e-6)
            continue;
        const abut_vec3 u = abut_unit_or(sum, none);
        for (double step = 0.25 * size; step > s->slack; step *= 0.25) {
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

/* The samples of both cells. limit: samples deeper than that are not tried. */
static void examine_both(search *s, const abut_part *pp, const abut_cell *p, const abut_part *pq,
                         const abut_cell *q, double limit)
{
    if (p->sampled)
        examine_point(s, &s->body[0], pp, p->sample, &s->body[1], pq, q, limit);
    if (!s->out->inside && q->sampled)
        examine_point(s, &s->body[1], pq, q->sample, &s->body[0], pp, p, limit);
}

/* Points of the cells that are near to each other. */
static void examine_near(search *s, const abut_part *pp, const abut_cell *p, const abut_part *pq,
                         const abut_cell *q, const abut_vec3 at[2])
{
    if (is_valid(&s->body[0], pp, p, at[0]))
        examine_point(s, &s->body[0], pp, at[0], &s->body[1], pq, q, INFINITY);
    if (!s->out->inside && is_valid(&s->body[1], pq, q, at[1]))
        examine_point(s, &s->body[1], pq, at[1], &s->body[0], pp, p, INFINITY);
}

/* Bounds above which nothing more needs to be known. */
static double enough_for(const search *s)
{
    const abut_brep_goal *g = s->goal;
    if (g->verdict_only)
        return g->clearance + 2 * s->slack;
    if (!(s->high < INFINITY))
        return g->cutoff + 2 * s->slack;
    /* Small distances to a quarter at least, so that bodies that are apart are found to be. */
    const double tolerance = abut_smaller(abut_larger(g->tolerance, g->relative * s->high), 0.25 * s->high);
    const double least = s->high - abut_larger(tolerance, s->slack);
    /* A touch says nothing of what happens elsewhere: cells that may overlap stay in the search. */
    return abut_larger(abut_smaller(least, g->cutoff + 2 * s->slack), 2 * s->slack);
}

static void take(search *s, const abut_cell *p, const abut_cell *q, abut_vec3 x, abut_vec3 y, double away)
{
    s->high = away;
    s->enough = enough_for(s);
    s->out->has_points = true;
    s->out->point[0] = x;
    s->out->point[1] = y;
    s->out->part[0] = p->part;
    s->out->part[1] = q->part;
    const abut_vec3 d = abut_sub(y, x);
    s->has_axis = away > 4 * s->slack;
    if (s->has_axis)
        s->axis = abut_scale(1 / away, d);
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
    const bool gain = away < s->high - s->goal->tolerance;
    take(s, p, q, x, y, away);
    if (away <= 4 * s->slack && s->crossings++ < CROSSINGS)
        try_around(s, pp, pq, x);
    abut_vec3 at[2] = { x, y };
    if (!gain || s->goal->verdict_only || !s->has_axis || !abut_brep_polish(pp, pq, at))
        return;
    const abut_vec3 e = abut_sub(at[1], at[0]);
    const double nearer = sqrt(abut_dot(e, e));
    if (nearer < s->high && nearer > 4 * s->slack && abut_brep_on_face(&s->body[0], pp, at[0]) &&
        abut_brep_on_face(&s->body[1], pq, at[1]))
        take(s, p, q, at[0], at[1], nearer);
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
    /* The centre of a sphere at once. */
    const bool ball = q->kind == ABUT_CELL_TORUS && pq->major == 0;
    abut_vec3 x = p->sampled ? p->sample : p->center, y = ball ? pq->o : abut_cell_project(pq, q, x);
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

typedef struct pair {
    const abut_part *pp, *pq;
    abut_cell *p, *q;
    double low;
    int critical; /* -1: not asked yet */
} pair;

/* The gap of the cells along the direction between the best points. */
static double along_axis(const search *s, const pair *e)
{
    if (!s->has_axis)
        return -INFINITY;
    const abut_vec3 u = s->axis;
    const double top = e->pp ? abut_cell_support(e->pp, e->p, u, s->goal->rounding)
                             : abut_dot(e->p->center, u) + abut_cell_extent(e->p, u);
    const double low = e->pq ? -abut_cell_support(e->pq, e->q, abut_scale(-1, u), s->goal->rounding)
                             : abut_dot(e->q->center, u) - abut_cell_extent(e->q, u);
    return low - top;
}

/* Is the pair done with: too far apart, or apart and not critical? */
static bool is_done(search *s, pair *e)
{
    if (e->low >= s->enough)
        return true;
    if (!(e->low > 2 * s->slack))
        return false;
    if (e->critical < 0)
        e->critical = abut_brep_is_critical(e->pp, e->p, e->pq, e->q);
    if (e->critical)
        return false;
    /* They may have passed each other: then no boundary is nearer than this. */
    if (s->high < INFINITY)
        examine_both(s, e->pp, e->p, e->pq, e->q, 1.01 * s->high);
    e->low = INFINITY;
    return true;
}

/* Two cells of faces or edges: bounds in the order of their cost, until one is enough. */
static bool bound_leaves(search *s, pair *e)
{
    if (is_done(s, e))
        return true;
    e->low = abut_larger(e->low, abut_brep_bound_parts(e->pp, e->p, e->pq, e->q, s->enough));
    if (is_done(s, e))
        return true;
    abut_vec3 at[2];
    sample(s, e->pp, e->p, e->pq, e->q, at);
    if (s->out->inside)
        return true;
    e->low = abut_larger(e->low,
                         abut_brep_bound_toward(e->pp, e->p, e->pq, e->q, at[0], at[1], s->goal->rounding));
    if (is_done(s, e))
        return true;
    if (e->low <= s->slack)
        examine_near(s, e->pp, e->p, e->pq, e->q, at);
    if (e->low <= s->slack && !s->out->inside)
        examine_both(s, e->pp, e->p, e->pq, e->q, INFINITY);
    return s->out->inside;
}

static bool enter(search *s, abut_cell *p, abut_cell *q)
{
    const bool leaves = p->kind != ABUT_CELL_GROUP && q->kind != ABUT_CELL_GROUP;
    pair e = { .pp = p->kind == ABUT_CELL_GROUP ? NULL : abut_brep_part(&s->body[0], p->part),
               .pq = q->kind == ABUT_CELL_GROUP ? NULL : abut_brep_part(&s->body[1], q->part),
               .p = p,
               .q = q,
               .critical = -1 };
    ++s->out->counters.evaluations;
    e.low = along_axis(s, &e);
    if (e.low < s->enough)
        e.low = abut_larger(e.low, abut_brep_bound(p, q, s->enough));
    if (leaves ? bound_leaves(s, &e) : e.low >= s->enough) {
        s->low = abut_smaller(s->low, e.low);
        return true;
    }
    const double key = e.low > 0 ? e.low : -(p->radius + q->radius);
    return push(s, (entry){ key, e.low, p, q });
}

/* Of a cell and a much smaller one: does the first reach farther along the direction between them? What is flat
 * that way leaves the bound to the other, however wide it is. */
static bool is_deeper(const abut_cell *p, const abut_cell *q)
{
    const abut_vec3 d = abut_sub(q->center, p->center);
    return abut_cell_extent(p, d) >= abut_cell_extent(q, d);
}

/* Cells of such different sizes are compared by depth. */
static const double much = 32;

static bool split_pair(search *s, const entry *e)
{
    const bool p_can = can_split(s, e->p), q_can = can_split(s, e->q);
    if (!p_can && !q_can) {
        s->low = abut_smaller(s->low, e->low);
        return true;
    }
    const bool p_group = e->p->kind == ABUT_CELL_GROUP, q_group = e->q->kind == ABUT_CELL_GROUP;
    const double rp = e->p->radius, rq = e->q->radius;
    bool first = rp >= rq;
    /* Of two groups of like size the one with fewer parts: its parts are soon known, and most of them are
     * found to be apart from all of the other. */
    if (p_group && q_group && rp < 2 * rq && rq < 2 * rp)
        first = s->body[0].features->nodes[e->p->part].count <= s->body[1].features->nodes[e->q->part].count;
    if (p_group != q_group)
        first = p_group ? rp > 0.5 * rq : !(rq > 0.5 * rp);
    /* A small group is opened: its parts have normals, which leave out most of what a large cell meets. */
    if (!(p_group && q_group) && e->low > 0 && (rp > much * rq || rq > much * rp))
        first = p_group != q_group ? p_group : is_deeper(e->p, e->q);
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

/* Once many pairs of cells were split: a bound of their parts. Of a few pairs of parts only. */
static double bound_of_whole(search *s, const entry *e)
{
    if (s->out->counters.iterations < BEFORE_WHOLES || e->p->kind == ABUT_CELL_GROUP ||
        e->q->kind == ABUT_CELL_GROUP)
        return -INFINITY;
    for (int i = 0; i < s->whole_count; ++i)
        if (s->whole[i].p == e->p->part && s->whole[i].q == e->q->part)
            return s->whole[i].low;
    if (s->whole_count == WHOLES)
        return -INFINITY;
    const double low = abut_brep_tori_bound(abut_brep_part(&s->body[0], e->p->part),
                                            abut_brep_part(&s->body[1], e->q->part));
    if (!(low > -INFINITY))
        return low;
    s->whole[s->whole_count++] = (whole_bound){ e->p->part, e->q->part, low - 2 * s->goal->rounding };
    return s->whole[s->whole_count - 1].low;
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
    s.enough = enough_for(&s);
    abut_cell *p, *q;
    if (!prepare(&s) || !enter_reference(&s, &body[0], root_of(body[0].features), &p) ||
        !enter_reference(&s, &body[1], root_of(body[1].features), &q))
        return ABUT_ERR_MEMORY;
    if (p && q && !enter(&s, p, q))
        return ABUT_ERR_MEMORY;
    while (s.count > 0 && !out->inside) {
        entry e = heap_pop(s.heap, &s.count);
        const bool within = goal->verdict_only && s.high + 2 * slack < goal->clearance;
        s.touching += s.high <= 4 * slack;
        if (s.touching == 1 && goal->prove && goal->prove(goal->ctx)) {
            out->proved = true;
            break;
        }
        out->spent = out->counters.iterations++ >= goal->budget || s.touching > TOUCHING;
        if (e.low >= s.enough || within || out->spent) {
            s.low = abut_smaller(s.low, e.low);
            break;
        }
        e.low = abut_larger(e.low, bound_of_whole(&s, &e));
        if (e.low >= s.enough) {
            s.low = abut_smaller(s.low, e.low);
            continue;
        }
        if (!split_pair(&s, &e))
            return ABUT_ERR_MEMORY;
    }
    for (size_t i = 0; i < s.count; ++i)
        s.low = abut_smaller(s.low, s.heap[i].low);
    out->low = abut_smaller(s.low, s.high);
    out->high = s.high;
    return ABUT_OK;
}
