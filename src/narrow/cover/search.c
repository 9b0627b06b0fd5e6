/* SPDX-License-Identifier: MIT */
/* The search: pairs of cells in a heap, the one with the least lower bound first, as in narrow/brep.
 *
 * A pair leaves the search where its bound is no less than the best distance found (less the
 * tolerance), or where it is proved apart and the normals say that the nearest points of two bodies
 * that are apart are not in it. What is left bounds the distance of the boundaries from below; points
 * of both bodies bound it from above. Where cells overlap, points of one are asked whether they are
 * inside the other, and so are points around a crossing of two surfaces, at many distances. */
#include "base/heap.h"
#include "math/vec3.h"
#include "narrow/cover/cover.h"

/* ATTEMPTS: questions about points in all; TOUCHING: iterations after a touch is found, in which an
 * overlap is searched for elsewhere. */
enum { ATTEMPTS = 600, TOUCHING = 400, BETWEEN_SAMPLES = 24, CROSSINGS = 8, PROOFS = 64, DEEPENED = 200 };

/* Of the size of a cell: that halving it makes its normals known better counts for so much. */
static const double loose_part = 0.004;

typedef struct entry {
    double key; /* the lower bound; below zero for cells that overlap, larger ones first */
    double low;
    abut_cover_cell *p, *q;
    bool looked; /* points were tried, and every bound */
} entry;

typedef struct search {
    abut_cover_body *body;
    double slack, swell;
    const abut_brep_goal *goal;
    abut_workspace *ws;
    entry *heap;
    size_t count, capacity;
    double high, low; /* of the cells: swell is not yet taken off */
    int attempts, crossings, proofs, deepened;
    double sampled, deepest; /* sizes of the pairs at which that was tried last */
    uint64_t touching, next_sample;
    abut_cover_answer *out;
} search;

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

/* ---- points ---- */

/* Bounds above which nothing more needs to be known; of the cells. */
static double enough(const search *s)
{
    const abut_brep_goal *g = s->goal;
    const double high = s->high - s->swell;
    if (g->verdict_only)
        return s->swell + g->clearance + 2 * s->slack;
    if (!(high < INFINITY))
        return s->swell + g->cutoff + 2 * s->slack;
    /* Small distances to a quarter at least, so that bodies that are apart are found to be. */
    const double tolerance = fmin(fmax(g->tolerance, g->relative * high), 0.25 * high);
    const double least = high - fmax(tolerance, 2 * s->slack);
    return s->swell + fmax(fmin(least, g->cutoff + 2 * s->slack), 2 * s->slack);
}

static void found_inside(search *s, abut_vec3 p)
{
    s->out->inside = true;
    s->out->point[0] = s->out->point[1] = p;
}

/* x, a point of body `own`: is it inside the other one? */
static bool ask(search *s, int own, abut_vec3 x)
{
    const abut_cover_body *other = &s->body[1 - own];
    if (s->body[own].rounded || other->rounded || !other->solid || s->attempts >= ATTEMPTS)
        return false;
    ++s->attempts;
    if (abut_cover_side(other, x, 4 * s->slack) >= 0)
        return false;
    found_inside(s, x);
    s->out->of[own] = true;
    s->out->of[1 - own] = true;
    return true;
}

/* A direction out of the material at a cell. */
static bool normal_of(search *s, int own, const abut_cover_cell *c, abut_vec3 p, abut_vec3 *out)
{
    if (c->two || c->at.kind < ABUT_CELL_PLANE)
        return false;
    if (!s->body[own].charts) {
        *out = abut_part_normal(abut_cover_part(&s->body[own], c), p);
        return true;
    }
    *out = c->at.axis[2];
    return true;
}

/* The boundaries seem to meet at x: points at many distances, inward of both; of sheets, points of the
 * sheet inward of the other. */
static bool try_around(search *s, abut_cover_cell *p, abut_cover_cell *q, abut_vec3 x)
{
    abut_cover_cell *cell[2] = { p, q };
    abut_vec3 n[2];
    bool has[2];
    const abut_vec3 none = { 0, 0, 0 };
    for (int i = 0; i < 2; ++i) {
        has[i] = normal_of(s, i, cell[i], x, &n[i]);
        if (!has[i])
            n[i] = none;
    }
    const double size = fmin(s->body[0].size, s->body[1].size);
    static const double share[3] = { 0.5, 0.15, 0.85 };
    for (int i = 0; i < 3; ++i) {
        const abut_vec3 sum = abut_add(abut_scale(-share[i], n[0]), abut_scale(share[i] - 1, n[1]));
        if (abut_dot(sum, sum) < 1e-6)
            continue;
        const abut_vec3 u = abut_unit_or(sum, none);
        for (double step = 0.25 * fmin(size, 1e6); step > 16 * s->slack; step *= 0.25) {
            abut_vec3 y = abut_madd(x, step, u);
            int side[2] = { 0, 0 };
            for (int k = 0; k < 2; ++k)
                side[k] = s->body[k].solid ? abut_cover_side(&s->body[k], y, 4 * s->slack) : 0;
            s->attempts += 2;
            if (side[0] < 0 && side[1] < 0) {
                found_inside(s, y);
                s->out->of[0] = s->out->of[1] = true;
                return true;
            }
            for (int k = 0; k < 2; ++k)
                if (!s->body[k].solid && side[1 - k] < 0 &&
                    abut_cover_project(&s->body[k], cell[k], y, s->slack, &y) && ask(s, k, y))
                    return true;
        }
    }
    return false;
}

/* Bodies that overlap by little: points that are deepest in the other one. They are the nearest points
 * after the second body has been moved away from the first by more than they overlap, and alternating
 * projections find those; the direction is that between them. */
static bool try_deepest(search *s, const entry *e, abut_vec3 x, abut_vec3 y)
{
    abut_vec3 u;
    if (!normal_of(s, 0, e->p, x, &u)) {
        if (!normal_of(s, 1, e->q, y, &u))
            return false;
        u = abut_scale(-1, u);
    }
    const double shift = 0.25 * fmin(fmin(s->body[0].size, s->body[1].size), 1e6);
    double depth = 0;
    for (int i = 0; i < 8; ++i) {
        if (!abut_cover_project(&s->body[1], e->q, abut_madd(x, -shift, u), s->slack, &y))
            return false;
        const abut_vec3 away = abut_madd(y, shift, u);
        if (!abut_cover_project(&s->body[0], e->p, away, s->slack, &x))
            return false;
        u = abut_unit_or(abut_sub(away, x), u);
        depth = abut_dot(abut_sub(x, y), u);
    }
    if (!(depth > 8 * s->slack))
        return false;
    if (!s->body[0].solid || !s->body[1].solid)
        return ask(s, s->body[0].solid, s->body[0].solid ? y : x);
    const abut_vec3 middle = abut_scale(0.5, abut_add(x, y));
    s->attempts += 2;
    if (abut_cover_side(&s->body[0], middle, s->slack) >= 0 ||
        abut_cover_side(&s->body[1], middle, s->slack) >= 0)
        return false;
    found_inside(s, middle);
    s->out->of[0] = s->out->of[1] = true;
    return true;
}

/* Sheets that cross, or a sheet and the boundary of a solid. */
static bool try_crossing(search *s, const entry *e, const abut_vec3 at[2])
{
    const int curved = s->body[0].charts ? 0 : 1;
    if (s->body[curved].charts == s->body[1 - curved].charts || s->body[curved].rounded ||
        s->proofs >= PROOFS || (s->body[0].solid && s->body[1].solid))
        return false;
    ++s->proofs;
    const bool over_time = s->body[0].cache != NULL;
    if (!abut_cover_crosses(&s->body[curved], curved ? e->q : e->p, &s->body[1 - curved],
                            curved ? e->p : e->q, at[1 - curved], s->slack, over_time ? &s->out->reach : NULL,
                            &s->out->crossing))
        return false;
    s->out->crossing.curved = curved;
    /* A point of the sheet inside the solid says more of how long that lasts. */
    if (over_time && (s->body[0].solid || s->body[1].solid) && try_around(s, e->p, e->q, at[curved]))
        return true;
    found_inside(s, at[curved]);
    return true;
}

void abut_cover_name_cell(const abut_cover_body *body, const abut_cover_cell *c, abut_feature *feature,
                          int64_t *id)
{
    *feature = c->at.kind >= ABUT_CELL_PLANE   ? ABUT_FEATURE_FACE
               : c->at.kind == ABUT_CELL_POINT ? ABUT_FEATURE_VERTEX
                                               : ABUT_FEATURE_EDGE;
    if (body->charts) {
        *id = body->surface.surface.features[c->feature].id;
        return;
    }
    const uint32_t entity = body->parts.features->parts[c->at.part].entity;
    *id = entity == ABUT_PART_NONE ? -1 : (int64_t)entity;
}

static bool is_leaf(const abut_cover_cell *c)
{
    return c->at.kind != ABUT_CELL_GROUP;
}

/* How large the cells are that points have to be searched for in: not those of which the nearest point is
 * known without halving them. */
static double size_of(const search *s, const entry *e)
{
    const double p = abut_cover_is_flat(&s->body[0], e->p) ? 0 : e->p->at.radius,
                 q = abut_cover_is_flat(&s->body[1], e->q) ? 0 : e->q->at.radius;
    return p + q;
}

/* Points of both cells near to each other, by alternating projections. */
static bool sample(search *s, const entry *e, abut_vec3 at[2])
{
    abut_vec3 x = e->p->at.center, y = e->q->at.center;
    double before = INFINITY;
    bool valid[2] = { false, false };
    for (int i = 0; i < 4; ++i) {
        abut_vec3 p = x, q;
        valid[0] = abut_cover_project(&s->body[0], e->p, y, s->slack, &p);
        if (!valid[0] && s->body[0].charts)
            return false;
        valid[1] = abut_cover_project(&s->body[1], e->q, p, s->slack, &q);
        if (!valid[1] && s->body[1].charts)
            return false;
        x = p;
        y = q;
        const abut_vec3 d = abut_sub(y, x);
        const double square = abut_dot(d, d);
        if (square > 0.99 * before)
            break;
        before = square;
    }
    at[0] = x;
    at[1] = y;
    const abut_vec3 d = abut_sub(y, x);
    const double away = abut_length(d);
    const bool meets = away <= 64 * s->slack && s->crossings < CROSSINGS && s->swell == 0;
    if (valid[0] && valid[1] && (away < s->high || meets)) {
        if (away < s->high) {
            s->high = away;
            s->out->has_points = true;
            s->out->point[0] = x;
            s->out->point[1] = y;
            abut_cover_name_cell(&s->body[0], e->p, &s->out->feature[0], &s->out->id[0]);
            abut_cover_name_cell(&s->body[1], e->q, &s->out->feature[1], &s->out->id[1]);
        }
        if (meets) {
            ++s->crossings;
            if (try_around(s, e->p, e->q, x))
                return true;
        }
    }
    if (e->low <= s->slack && s->swell == 0) {
        if ((valid[0] && !e->p->asked && ask(s, 0, x)) || (valid[1] && !e->q->asked && ask(s, 1, y)))
            return true;
        e->p->asked = e->q->asked = true;
        if (away <= e->p->at.radius + e->q->at.radius && try_crossing(s, e, at))
            return true;
        const double size = size_of(s, e);
        if (size < 0.6 * s->deepest && (s->body[0].solid || s->body[1].solid)) {
            s->deepest = size;
            if (try_deepest(s, e, x, y))
                return true;
        }
    }
    return true;
}

/* ---- the loop ---- */

static void flip(abut_cell *c)
{
    c->normal = abut_scale(-1, c->normal);
}

bool abut_cover_may_cross(const abut_cover_body *body, const abut_cover_cell *edge, const abut_part *part,
                          const abut_cell *face)
{
    if (!body->faceted || edge->at.kind != ABUT_CELL_SEGMENT || face->kind < ABUT_CELL_PLANE || face->wide ||
        !(face->cone_cos > 0)) /* normals of more than half of the directions */
        return true;
    return fabs(abut_dot(part->z, face->normal)) <= face->cone_sin + 1e-6;
}

/* The nearest point of a flat part, which is convex, to points within r of p is within r of the one nearest
 * to p. */
static void close_to(abut_cover_body *own, const abut_cover_cell *flat, const abut_cell *other, double slack,
                     abut_cell *out)
{
    const abut_vec3 at = abut_cell_project(abut_cover_part(own, flat), &flat->at, other->center);
    const double radius = other->radius + 8 * slack;
    if (radius < out->radius) {
        out->center = at;
        out->radius = radius;
    }
}

bool abut_cover_is_critical(abut_cover_body body[2], const abut_cover_cell *cp, const abut_cover_cell *cq,
                            double slack)
{
    static const abut_part plain = { .kind = ABUT_CELL_PLANE };
    const abut_part *pp = body[0].charts ? &plain : abut_cover_part(&body[0], cp);
    const abut_part *pq = body[1].charts ? &plain : abut_cover_part(&body[1], cq);
    if (!abut_cover_may_cross(&body[0], cp, pp, &cq->at) || !abut_cover_may_cross(&body[1], cq, pq, &cp->at))
        return false;
    for (int i = 0; i < (cp->two ? 2 : 1); ++i)
        for (int k = 0; k < (cq->two ? 2 : 1); ++k) {
            abut_cell p = cp->at, q = cq->at;
            if (abut_cover_is_flat(&body[0], cp))
                close_to(&body[0], cp, &q, slack, &p);
            else if (abut_cover_is_flat(&body[1], cq))
                close_to(&body[1], cq, &p, slack, &q);
            if (i)
                flip(&p);
            if (k)
                flip(&q);
            if (abut_brep_is_critical(cp->two ? &plain : pp, &p, cq->two ? &plain : pq, &q))
                return true;
        }
    return false;
}

double abut_cover_bound(abut_cover_body body[2], const abut_cover_cell *p, const abut_cover_cell *q,
                        double slack, double enough)
{
    const double low = abut_brep_bound(&p->at, &q->at, enough);
    if (low >= enough || body[0].charts == body[1].charts || !is_leaf(p) || !is_leaf(q))
        return low;
    if (abut_cover_is_flat(&body[0], p))
        return fmax(low, abut_cover_flat_bound(&body[0], p, &q->at, slack, enough));
    if (abut_cover_is_flat(&body[1], q))
        return fmax(low, abut_cover_flat_bound(&body[1], q, &p->at, slack, enough));
    return low;
}

static bool enter(search *s, abut_cover_cell *p, abut_cover_cell *q)
{
    ++s->out->counters.evaluations;
    abut_cover_place(&s->body[0], p);
    abut_cover_place(&s->body[1], q);
    entry e = { .low = abut_cover_bound(s->body, p, q, s->slack, enough(s)), .p = p, .q = q };
    if (e.low >= enough(s)) {
        s->low = fmin(s->low, e.low);
        return true;
    }
    if (is_leaf(p) && is_leaf(q) && (s->goal->apart || e.low > 2 * s->slack) &&
        !abut_cover_is_critical(s->body, p, q, s->slack))
        return true;
    e.key = e.low > 0 ? e.low : -(p->at.radius + q->at.radius);
    return push(s, e);
}

/* All that can be known of a pair without halving it. */
static void examine(search *s, entry *e)
{
    abut_vec3 at[2];
    e->looked = true;
    /* Points of charts take longer than the halving of a few cells. */
    const double size = size_of(s, e);
    const bool charts = s->body[0].charts || s->body[1].charts;
    const bool far = s->high > 1.2 * e->low && s->out->counters.iterations >= s->next_sample;
    if (charts && e->low > s->slack && s->high < INFINITY && !(size < 0.5 * s->sampled) && !far)
        return;
    s->sampled = fmin(s->sampled, size);
    s->next_sample = s->out->counters.iterations + BETWEEN_SAMPLES;
    const bool sampled = sample(s, e, at);
    if (s->out->inside || !sampled || s->body[0].charts || s->body[1].charts)
        return;
    const abut_part *pp = abut_cover_part(&s->body[0], e->p), *pq = abut_cover_part(&s->body[1], e->q);
    e->low = fmax(e->low, abut_brep_bound_parts(pp, &e->p->at, pq, &e->q->at, enough(s)));
    if (e->low < enough(s))
        e->low = fmax(e->low, abut_brep_bound_toward(pp, &e->p->at, pq, &e->q->at, at[0], at[1], s->slack));
}

/* How far off the bound of a cell may be: mostly by how far it reaches toward the other one, which of a cell of
 * a face is of second order in its size, and of an edge across the way is not. */
static double looseness(const abut_cell *c, abut_vec3 way)
{
    return abut_cell_extent(c, way) + loose_part * c->radius;
}

static bool is_looser(const entry *e)
{
    const abut_vec3 d = abut_sub(e->q->at.center, e->p->at.center);
    const double n = abut_length(d);
    if (!(e->low > 0) || !(n > 0))
        return e->p->at.radius >= e->q->at.radius;
    const abut_vec3 way = abut_scale(1 / n, d);
    return looseness(&e->p->at, way) >= looseness(&e->q->at, way);
}

static abut_status split_pair(search *s, const entry *e)
{
    bool p_can = abut_cover_splits(e->p, s->slack), q_can = abut_cover_splits(e->q, s->slack);
    if (s->body[0].charts != s->body[1].charts && is_leaf(e->p) && is_leaf(e->q)) {
        /* How far a flat part is from a box is known: to halve it says nothing more. */
        p_can = p_can && (q_can || !abut_cover_is_flat(&s->body[0], e->p));
        q_can = q_can && (p_can || !abut_cover_is_flat(&s->body[1], e->q));
    }
    if (!p_can && !q_can) {
        s->low = fmin(s->low, e->low);
        return ABUT_OK;
    }
    const bool p_group = !is_leaf(e->p), q_group = !is_leaf(e->q);
    bool first = p_group || q_group ? e->p->at.radius >= e->q->at.radius : is_looser(e);
    if (p_group != q_group)
        first =
            p_group ? e->p->at.radius > 0.5 * e->q->at.radius : !(e->q->at.radius > 0.5 * e->p->at.radius);
    if (s->body[0].charts != s->body[1].charts && !p_group && !q_group) {
        if (abut_cover_is_flat(&s->body[0], e->p))
            first = false;
        else if (abut_cover_is_flat(&s->body[1], e->q))
            first = true;
    }
    if (!p_can || !q_can)
        first = p_can;
    abut_cover_cell *c = first ? e->p : e->q;
    const abut_status status = abut_cover_expand(&s->body[!first], c, s->slack, s->ws);
    if (status)
        return status;
    for (int i = 0; i < 2; ++i)
        if (c->child[i] && !enter(s, first ? c->child[i] : e->p, first ? e->q : c->child[i]))
            return ABUT_ERR_MEMORY;
    return ABUT_OK;
}

/* Over time: how long they will meet is worth knowing, so deeper places are searched for. */
static bool may_deepen(search *s)
{
    if (!s->body[0].cache || s->deepened++ >= DEEPENED)
        return false;
    const double least = fmax(0, s->count > 0 ? s->heap[0].key : s->high);
    return s->swell - s->high < 0.6 * (s->swell - least);
}

/* Are they known to meet: rounded bodies whose spines are near, or a common point? */
static bool meets(search *s)
{
    if (!s->out->inside && s->swell > 0 && s->high + 2 * s->slack < s->swell && !may_deepen(s)) {
        s->out->inside = true;
        s->out->linked = true;
        s->out->link[0] = s->out->point[0];
        s->out->link[1] = s->out->point[1];
        s->out->point[0] = s->out->point[1]; /* both are within the rounding of the other */
    }
    return s->out->inside;
}

static abut_status run(search *s)
{
    const abut_brep_goal *g = s->goal;
    while (s->count > 0 && !meets(s)) {
        entry e = heap_pop(s->heap, &s->count);
        const bool within = g->verdict_only && s->high - s->swell + 2 * s->slack < g->clearance;
        s->touching += s->high - s->swell <= 64 * s->slack;
        s->out->spent = s->out->counters.iterations >= g->budget || s->touching > TOUCHING;
        s->out->counters.iterations += !s->out->spent;
        if (e.low >= enough(s) || within || s->out->spent) {
            s->low = fmin(s->low, e.low);
            break;
        }
        if (is_leaf(e.p) && is_leaf(e.q) && !e.looked) {
            examine(s, &e);
            if (s->out->inside)
                break;
            if ((s->goal->apart || e.low > 2 * s->slack) &&
                !abut_cover_is_critical(s->body, e.p, e.q, s->slack))
                continue;
            if (e.low >= enough(s)) {
                s->low = fmin(s->low, e.low);
                continue;
            }
            if (e.low > 0 && s->count > 0 && e.low > s->heap[0].key) {
                e.key = e.low;
                if (!push(s, e))
                    return ABUT_ERR_MEMORY;
                continue;
            }
        }
        const abut_status status = split_pair(s, &e);
        if (status)
            return status;
    }
    return ABUT_OK;
}

abut_status abut_cover_search(abut_cover_body body[2], double slack, const abut_brep_goal *goal,
                              abut_workspace *ws, abut_cover_answer *out)
{
    *out = (abut_cover_answer){ .id = { -1, -1 } };
    search s = { .body = body,
                 .slack = slack,
                 .swell = body[0].swell + body[1].swell,
                 .goal = goal,
                 .ws = ws,
                 .high = INFINITY,
                 .low = INFINITY,
                 .sampled = INFINITY,
                 .deepest = INFINITY,
                 .out = out };
    for (int i = 0; i < 2; ++i) {
        const abut_status status = abut_cover_begin(&body[i], slack, ws);
        if (status)
            return status;
    }
    if (!body[0].empty && !body[1].empty) {
        if (!enter(&s, body[0].root, body[1].root))
            return ABUT_ERR_MEMORY;
        const abut_status status = run(&s);
        abut_cover_end(&body[0]);
        abut_cover_end(&body[1]);
        if (status)
            return status;
    }
    s.deepened = DEEPENED;
    (void)meets(&s);
    for (size_t i = 0; i < s.count; ++i)
        s.low = fmin(s.low, s.heap[i].low);
    out->low = fmin(s.low, s.high) - s.swell * (1 + 0x1p-50);
    out->high = s.high - s.swell;
    return ABUT_OK;
}
