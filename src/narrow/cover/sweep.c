/* SPDX-License-Identifier: MIT */
/* Two bodies that are apart at an instant: do their boundaries stay apart while the second moves?
 *
 * Pairs of cells, halved until each is proved apart. Over a stretch of time of length h the points of a
 * cell of the second body move by s V, 0 <= s <= h, where V is in the enclosure of their velocities over
 * the whole stretch (the mean value theorem): by s v along the velocity v of the cell's middle, and by no
 * more than h e off that. Along a unit vector u, from the first cell to the second, a gap g at the
 * instant is at least  g + min(0, h v . u) - h e  all that time. So motion along the boundaries costs
 * nothing but e, which is of second order in h and in the size of the cell, and bodies that approach
 * are proved to be apart almost until they touch.
 *
 * Where boundaries that are apart first touch, their normals are opposite: pairs of faces whose normals
 * are not, all that time, are left out, and edges that are not across the normals of a face. */
#include "math/vec3.h"
#include "narrow/cover/cover.h"
#include "narrow/cover/pairs.h"

typedef struct couple {
    abut_cover_cell *p, *q;
} couple;

typedef struct sweep {
    abut_cover_body *body;
    abut_workspace *ws;
    double slack, need;  /* what gaps must exceed */
    double sine, cosine; /* of the angle of the turn */
    /* The displacement of a point y of the second body over the stretch: m y + d, each entry known but
     * for `blur` and `off`. */
    abut_mat3 m, blur;
    abut_vec3 d, off;
    double turn; /* points r apart are displaced by amounts that differ by turn r */
    couple *stack;
    size_t count, capacity;
    uint64_t left;
    abut_counters *counters;
} sweep;

static double middle(abut_interval a)
{
    return 0.5 * a.lo + 0.5 * a.hi;
}

static double around(abut_interval a)
{
    return 0.5 * (a.hi - a.lo) * (1 + 1e-12) + 1e-15 * fmax(fabs(a.lo), fabs(a.hi));
}

static bool set_motion(sweep *s, const abut_cover_motion *motion)
{
    const double h = motion->backward ? -motion->duration : motion->duration, size = motion->duration;
    double square = 0;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            const abut_interval x = motion->turn.m[i][k];
            const double most = fmax(fabs(x.lo), fabs(x.hi));
            s->m.m[i][k] = h * middle(x);
            s->blur.m[i][k] = size * around(x);
            square += most * most;
        }
    const abut_interval_vec3 *c = &motion->shift;
    s->d = abut_scale(h, abut_v3(middle(c->x), middle(c->y), middle(c->z)));
    s->off = abut_scale(size, abut_v3(around(c->x), around(c->y), around(c->z)));
    /* Q' = [w] Q, and the squares of the entries of [w] add up to 2 w . w. */
    s->turn = size * sqrt(0.5 * square) * (1 + 1e-12);
    s->sine = s->turn < 1 ? sin(s->turn) + 1e-12 : 1;
    s->cosine = s->turn < 1 ? cos(s->turn) - 1e-12 : 0;
    return isfinite(s->turn) && isfinite(abut_length(s->d)) && isfinite(abut_length(s->off));
}

typedef struct course {
    abut_vec3 d;       /* of the middle of the cell */
    double floor, off; /* how far from that its middle, and its other points may be displaced */
} course;

static double dot_abs(const double a[3], abut_vec3 y)
{
    return a[0] * fabs(y.x) + a[1] * fabs(y.y) + a[2] * fabs(y.z);
}

/* Of points of the second body within `radius` of x. */
static course course_of(const sweep *s, abut_vec3 x, double radius)
{
    const abut_affine *map = &s->body[1].map;
    const abut_vec3 y = s->body[1].moved ? abut_mul_t(&map->linear, abut_sub(x, map->translation)) : x;
    const abut_vec3 d = abut_add(abut_mul(&s->m, y), s->d);
    const abut_vec3 off = abut_add(
        abut_v3(dot_abs(s->blur.m[0], y), dot_abs(s->blur.m[1], y), dot_abs(s->blur.m[2], y)), s->off);
    const double floor = abut_length(off) * (1 + 1e-12) + 1e-12 * abut_length(d) + s->turn * s->slack;
    return (course){ d, floor, floor + s->turn * radius };
}

/* ---- pairs ---- */

static bool is_leaf(const abut_cover_cell *c)
{
    return c->at.kind != ABUT_CELL_GROUP;
}

/* The cone of normals, with all turns over the stretch. */
static void widen(const sweep *s, abut_cell *c)
{
    const double cosine = c->cone_cos * s->cosine - c->cone_sin * s->sine;
    c->cone_sin = c->cone_sin * s->cosine + c->cone_cos * s->sine;
    c->cone_cos = cosine;
    c->wide = c->wide || !(cosine > 0) || !(s->cosine > 0);
}

/* May they be the first to touch, as far as normals tell? */
static bool may_touch(sweep *s, const couple *e)
{
    static const abut_part plain = { .kind = ABUT_CELL_PLANE };
    abut_cell p = e->p->at, q = e->q->at;
    const abut_part *pp = s->body[0].charts ? &plain : abut_cover_part(&s->body[0], e->p);
    const abut_part *pq = s->body[1].charts ? &plain : abut_cover_part(&s->body[1], e->q);
    widen(s, &p);
    widen(s, &q);
    if (!abut_cover_may_cross(&s->body[0], e->p, pp, &q) || !abut_cover_may_cross(&s->body[1], e->q, pq, &p))
        return false;
    /* Both sides of what has two. */
    const abut_vec3 from_p[2] = { p.normal, abut_scale(-1, p.normal) },
                    from_q[2] = { q.normal, abut_scale(-1, q.normal) };
    for (int i = 0; i < (e->p->two ? 2 : 1); ++i)
        for (int k = 0; k < (e->q->two ? 2 : 1); ++k) {
            p.normal = from_p[i];
            q.normal = from_q[k];
            if (abut_brep_may_oppose(e->p->two ? &plain : pp, &p, e->q->two ? &plain : pq, &q))
                return true;
        }
    return false;
}

/* Is there that much of a gap along u all the time? */
static bool parts(const sweep *s, const abut_cell *p, const abut_cell *q, const course *c, abut_vec3 u)
{
    const double n = abut_length(u);
    const double gap = abut_dot(abut_sub(q->center, p->center), u) + fmin(0, abut_dot(c->d, u)) -
                       abut_cell_extent(p, u) - abut_cell_extent(q, u);
    return n > 0 && gap > (s->need + c->off) * n;
}

/* Along the way between near points of the one cell and of the other on its way, found by alternating
 * projections, and along the normals of both. */
static bool is_parted(const sweep *s, const abut_cell *p, const abut_cell *q, const course *c)
{
    const double square = abut_dot(c->d, c->d);
    abut_vec3 y = q->center, x = abut_cell_nearest(p, y), u = abut_sub(y, x);
    double along = 0;
    for (int i = 0; i < 4; ++i) {
        if (square > 0) {
            along -= abut_dot(u, c->d) / square;
            along = along < 0 ? 0 : along > 1 ? 1 : along;
        }
        const abut_vec3 shift = abut_scale(along, c->d);
        y = abut_add(abut_cell_nearest(q, abut_sub(x, shift)), shift);
        u = abut_sub(y, x);
        if (parts(s, p, q, c, u))
            return true;
        x = abut_cell_nearest(p, y);
        u = abut_sub(y, x);
    }
    for (int i = 0; i < 2; ++i) {
        const abut_vec3 w = i ? q->axis[2] : p->axis[2];
        if (parts(s, p, q, c, w) || parts(s, p, q, c, abut_scale(-1, w)))
            return true;
    }
    return false;
}

/* Cells of features, by their own near points and how far they reach along the way between those. */
static bool is_parted_by_parts(sweep *s, const couple *e, const course *c)
{
    const abut_part *pp = abut_cover_part(&s->body[0], e->p), *pq = abut_cover_part(&s->body[1], e->q);
    const abut_cell *p = &e->p->at, *q = &e->q->at;
    const double square = abut_dot(c->d, c->d);
    abut_vec3 x = p->center, y = q->center;
    double along = 0;
    for (int i = 0; i < 3; ++i) {
        const abut_vec3 shift = abut_scale(along, c->d);
        x = abut_cell_project(pp, p, abut_add(y, shift));
        y = abut_cell_project(pq, q, abut_sub(x, shift));
        const abut_vec3 u = abut_sub(abut_add(y, shift), x);
        const double n = abut_length(u);
        if (!(n > 0))
            return false;
        const abut_vec3 way = abut_scale(1 / n, u);
        const double gap = -abut_cell_support(pq, q, abut_scale(-1, way), s->slack) -
                           abut_cell_support(pp, p, way, s->slack) + fmin(0, abut_dot(c->d, way));
        if (gap > (s->need + c->off) * (1 + 1e-12))
            return true;
        if (square > 0) {
            along = abut_dot(abut_sub(x, y), c->d) / square;
            along = along < 0 ? 0 : along > 1 ? 1 : along;
        }
    }
    return false;
}

/* A flat part, which is not halved, and a cell of charts. */
static bool is_flat_parted(sweep *s, const couple *e, bool flat_p)
{
    if (flat_p) {
        const course c = course_of(s, e->q->at.center, e->q->at.radius);
        return abut_cover_flat_parts(&s->body[0], e->p, &e->q->at, c.d, abut_length(c.d) + c.off, c.off,
                                     s->need);
    }
    /* Of the part that moves only points count that may come near: r from the cell, they move by no more than
     * its middle and turn r. */
    const abut_cell *p = &e->p->at;
    if (!(s->turn < 0.5))
        return false;
    const course near = course_of(s, p->center, 0);
    const double radius =
        (p->radius + s->need + abut_length(near.d) + near.floor) / (1 - s->turn) * (1 + 1e-12);
    const course c = course_of(s, p->center, radius);
    return abut_cover_flat_parts(&s->body[1], e->q, p, abut_scale(-1, c.d), abut_length(c.d) + c.off, c.off,
                                 s->need);
}

/* ---- the search ---- */

static bool push(sweep *s, couple e)
{
    couple *grown = abut_workspace_grow(s->ws, s->stack, s->count, &s->capacity, sizeof e);
    if (!grown)
        return false;
    s->stack = grown;
    s->stack[s->count++] = e;
    return true;
}

typedef enum state { PARTED, OPEN, STUCK } state;

static state examine(sweep *s, const couple *e, int *first)
{
    const abut_cell *p = &e->p->at, *q = &e->q->at;
    const bool leaves = is_leaf(e->p) && is_leaf(e->q);
    const bool flat_p = leaves && s->body[1].charts && abut_cover_is_flat(&s->body[0], e->p),
               flat_q = leaves && s->body[0].charts && abut_cover_is_flat(&s->body[1], e->q);
    const course c = course_of(s, q->center, q->radius);
    const double most = s->need + abut_length(c.d) + c.off;
    const double low = abut_brep_bound(p, q, most);
    ++s->counters->evaluations;
    if (low > most)
        return PARTED;
    if (leaves && !may_touch(s, e))
        return PARTED;
    if (flat_p || flat_q ? is_flat_parted(s, e, flat_p) : is_parted(s, p, q, &c))
        return PARTED;
    if (leaves && !s->body[0].charts && !s->body[1].charts && is_parted_by_parts(s, e, &c))
        return PARTED;
    const bool p_can = abut_cover_splits(e->p, s->slack), q_can = abut_cover_splits(e->q, s->slack);
    /* Cells smaller than what is not known of their way say no more when they are halved. */
    const double size = (flat_p ? 0 : p->radius) + (flat_q ? 0 : q->radius);
    if ((!p_can && !q_can) || (leaves && size < 2 * c.floor) || (flat_p && !q_can) || (flat_q && !p_can))
        return STUCK;
    *first = flat_q;
    if (flat_p || flat_q)
        return OPEN;
    const bool p_group = !is_leaf(e->p), q_group = !is_leaf(e->q);
    const bool larger = p_group != q_group ? p_group : p->radius >= q->radius;
    *first = p_can && q_can ? larger : p_can;
    return OPEN;
}

static double away(const couple *e)
{
    const abut_vec3 d = abut_sub(e->p->at.center, e->q->at.center);
    return abut_length(d) - e->p->at.radius - e->q->at.radius;
}

static abut_status halve(sweep *s, const couple *e, bool first)
{
    abut_cover_cell *c = first ? e->p : e->q;
    const abut_status status = abut_cover_expand(&s->body[!first], c, s->slack, s->ws);
    if (status)
        return status;
    couple half[2];
    int count = 0;
    for (int i = 0; i < 2; ++i)
        if (c->child[i]) {
            abut_cover_place(&s->body[!first], c->child[i]);
            half[count++] = first ? (couple){ c->child[i], e->q } : (couple){ e->p, c->child[i] };
        }
    /* The nearer one next: what cannot be proved is found soon. */
    const int nearer = count == 2 && away(&half[1]) < away(&half[0]);
    if (count == 2 && !push(s, half[!nearer]))
        return ABUT_ERR_MEMORY;
    return count == 0 || push(s, half[count == 2 ? nearer : 0]) ? ABUT_OK : ABUT_ERR_MEMORY;
}

static abut_status run(sweep *s, bool *apart)
{
    while (s->count > 0) {
        const couple e = s->stack[--s->count];
        int first = 0;
        if (s->left-- == 0)
            return ABUT_OK;
        const state found = examine(s, &e, &first);
        if (found == STUCK)
            return ABUT_OK;
        if (found == OPEN) {
            const abut_status status = halve(s, &e, first);
            if (status)
                return status;
        }
    }
    *apart = true;
    return ABUT_OK;
}

static abut_status solve(const abut_pair *pair, const abut_cover_motion *motion, abut_workspace *ws,
                         bool *apart, abut_counters *counters)
{
    abut_cover_body body[2];
    double slack;
    abut_status status = abut_cover_open_within(pair, motion->reach, ABUT_COVER_BOUNDARY, ws, body, &slack);
    if (status || !isfinite(slack))
        return status == ABUT_ERR_UNSUPPORTED ? ABUT_OK : status;
    sweep s = { .body = body,
                .ws = ws,
                .slack = slack,
                .need = body[0].swell + body[1].swell + 4 * slack,
                .left = motion->budget,
                .counters = counters };
    if (!set_motion(&s, motion))
        return ABUT_OK;
    for (int i = 0; i < 2; ++i) {
        status = abut_cover_begin(&body[i], slack, ws);
        if (status)
            return status;
    }
    if (body[0].empty || body[1].empty)
        return ABUT_OK;
    abut_cover_place(&body[0], body[0].root);
    abut_cover_place(&body[1], body[1].root);
    status = push(&s, (couple){ body[0].root, body[1].root }) ? run(&s, apart) : ABUT_ERR_MEMORY;
    abut_cover_end(&body[0]);
    abut_cover_end(&body[1]);
    return status;
}

abut_status abut_cover_stays_apart(const abut_pair *pair, const abut_cover_motion *motion, abut_workspace *ws,
                                   bool *apart, abut_counters *counters)
{
    abut_workspace own;
    *apart = false;
    if (!abut_cover_takes(pair->a) || !abut_cover_takes(pair->b) || pair->at_a->mapped ||
        pair->at_b->mapped || !(motion->reach < INFINITY))
        return ABUT_OK;
    if (!ws)
        abut_workspace_open(&own, &pair->a->alloc);
    abut_workspace *used = ws ? ws : &own;
    const abut_workspace_mark mark = abut_workspace_begin(used);
    const abut_status status = solve(pair, motion, used, apart, counters);
    abut_workspace_end(used, mark);
    if (!ws)
        abut_workspace_close(&own);
    return status;
}
