/* SPDX-License-Identifier: MIT */
/* All places where two bodies that are nearly in contact touch: one point of each place that stands
 * alone, and points spread over curves and regions.
 *
 * Three walks down all pairs of cells that may be within `near` of each other: corners (vertices, ends
 * of edges, edges across each other), then edges on faces, then faces. Small pairs are asked for a pair
 * of points (alternating projections), and halved as long as none is found. A place is alone where no
 * such pair is found in a shell around it, whose radius is where surfaces of the size of the bodies,
 * tangent to each other, are farther apart. Once a place is known to be of a curve or region, cells
 * within the spacing of it are left out, so that the work is a multiple of the number of points. In
 * doubles: what touches is found within `near`, not proved. It ends where a second or so is spent. */
#include "math/vec3.h"
#include "narrow/cover/cover.h"

enum {
    BUCKETS = 4096,
    MOST_PAIRS = 1000000,
    MOST_PROJECTIONS = 200000, /* onto small expressions */
    PROJECTIONS = 16,
    POLISH = 400,
    POLISH_CHARTS = 60,
    FEW = 30,
    TRIES = 24
};

typedef struct couple {
    abut_cover_cell *p, *q;
} couple;

typedef struct place {
    abut_cover_contact at;
    double gap;
    double reach; /* of places that are alone: what is nearer is the same place */
    bool alone;
    int next; /* in its bucket; -1: none */
} place;

typedef struct gathering {
    abut_cover_body *body;
    double slack, swell, size;
    double near;   /* of the cells: with the swell of rounded bodies */
    double spaced; /* points of a region */
    double tilt;   /* by which the gaps of one region differ */
    double fine;   /* radii of a pair of cells that is looked at */
    double shell;  /* around places: inside it all is the same place */
    double least;  /* radii that are not halved further */
    abut_workspace *ws;
    couple *stack;
    size_t count, capacity;
    place *places;
    int place_count, most;
    int *bucket;          /* of places, by cubes as wide as `spaced`; -1: none */
    uint64_t pairs, left; /* visited; evaluations of charts that may follow, where one is a projection */
} gathering;

typedef enum judged { DROP, SPLIT, STOP } judged;
typedef judged (*judge_fn)(gathering *g, void *ctx, couple c);

static bool push(gathering *g, couple c)
{
    if (g->count == g->capacity) {
        const size_t room = g->capacity ? 2 * g->capacity : 256;
        couple *more = abut_workspace_take(g->ws, room, sizeof *more);
        if (!more)
            return false;
        for (size_t i = 0; i < g->count; ++i)
            more[i] = g->stack[i];
        g->stack = more;
        g->capacity = room;
    }
    g->stack[g->count++] = c;
    return true;
}

/* False where what the evaluations of charts may take is used up, too. */
static bool pay(gathering *g, int i)
{
    if (!g->body[i].charts)
        return true;
    g->left -= g->left > 0;
    return g->left > 0;
}

static bool project(gathering *g, int i, abut_cover_cell *c, abut_vec3 p, abut_vec3 *out)
{
    return pay(g, i) && abut_cover_project(&g->body[i], c, p, g->slack, out);
}

static bool is_leaf(const abut_cover_cell *c)
{
    return c->at.kind != ABUT_CELL_GROUP;
}

/* 0 a vertex, 1 an edge, 2 a face */
static int dimension_of(const abut_cover_cell *c)
{
    return c->at.kind >= ABUT_CELL_PLANE ? 2 : c->at.kind == ABUT_CELL_POINT ? 0 : 1;
}

static bool is_flat(gathering *g, int i, const abut_cover_cell *c)
{
    if (g->body[i].charts || c->at.kind == ABUT_CELL_GROUP)
        return false;
    switch (c->at.kind) {
    case ABUT_CELL_POINT:
    case ABUT_CELL_SEGMENT:
    case ABUT_CELL_PLANE:
    case ABUT_CELL_TRIANGLE: return true;
    case ABUT_CELL_CONE: return abut_cover_part(&g->body[i], c)->rise == 0; /* a disc */
    default: return false;
    }
}

static bool is_bent(gathering *g, int i, const abut_cover_cell *c)
{
    return dimension_of(c) == 2 && !is_flat(g, i, c);
}

/* ---- walking down pairs of cells ---- */

static bool may_touch(gathering *g, couple c)
{
    abut_cover_place(&g->body[0], c.p);
    abut_cover_place(&g->body[1], c.q);
    const double low = abut_cover_bound(g->body, c.p, c.q, g->slack, g->near);
    return low < g->near &&
           (!is_leaf(c.p) || !is_leaf(c.q) || abut_cover_is_critical(g->body, c.p, c.q, g->slack));
}

/* The pairs within `start`, depth first. */
static abut_status descend(gathering *g, couple start, judge_fn judge, void *ctx)
{
    const size_t base = g->count;
    if (!push(g, start))
        return ABUT_ERR_MEMORY;
    while (g->count > base) {
        const couple c = g->stack[--g->count];
        if (++g->pairs > MOST_PAIRS || g->left == 0)
            break;
        if (!may_touch(g, c))
            continue;
        const judged what = judge(g, ctx, c);
        if (what == STOP)
            break;
        const bool p_can = abut_cover_splits(c.p, g->slack), q_can = abut_cover_splits(c.q, g->slack);
        if (what == DROP || (!p_can && !q_can))
            continue;
        /* Points are spread over the first body: small cells of it, large ones of the other, where those bound
         * well. */
        const double room = is_bent(g, 0, c.p) || is_bent(g, 1, c.q) ? 1 : 4;
        const bool first = !q_can || (p_can && room * c.p->at.radius >= c.q->at.radius);
        abut_cover_cell *cell = first ? c.p : c.q;
        (void)pay(g, !first);
        const abut_status status = abut_cover_expand(&g->body[!first], cell, g->slack, g->ws);
        if (status)
            return status;
        for (int i = 0; i < 2; ++i)
            if (cell->child[i] &&
                !push(g, first ? (couple){ cell->child[i], c.q } : (couple){ c.p, cell->child[i] }))
                return ABUT_ERR_MEMORY;
    }
    g->count = base;
    return ABUT_OK;
}

static double radius_of(couple c)
{
    return c.p->at.radius + c.q->at.radius;
}

/* ---- points ---- */

/* Ends of the edge that a cell of features is a part of, where they are in the cell. */
static int ends_of(gathering *g, int i, const abut_cover_cell *c, abut_vec3 out[2])
{
    int count = 0;
    if (g->body[i].charts || dimension_of(c) != 1)
        return 0;
    const abut_part *part = abut_cover_part(&g->body[i], c);
    if (part->kind == ABUT_CELL_SEGMENT || part->kind == ABUT_CELL_CUBIC) {
        const bool cubic = part->kind == ABUT_CELL_CUBIC;
        if (c->at.v0 == part->v0)
            out[count++] = cubic ? part->points[0] : abut_madd(part->o, part->v0, part->z);
        if (c->at.v1 == part->v1)
            out[count++] = cubic ? part->points[3] : abut_madd(part->o, part->v1, part->z);
    } else if (part->kind == ABUT_CELL_ARC && part->a.cos_half > -1) {
        const abut_arc_range *r = &part->a;
        for (int k = -1; k < 2; k += 2) {
            const double x = r->c * r->cos_half - k * r->s * r->sin_half,
                         y = r->s * r->cos_half + k * r->c * r->sin_half;
            const abut_vec3 end =
                abut_madd(abut_madd(part->o, part->radius * x, part->x), part->radius * y, part->y);
            if (abut_length(abut_sub(end, c->at.center)) <= c->at.radius)
                out[count++] = end;
        }
    }
    return count;
}

/* Of an edge, near x. */
static abut_vec3 direction_of(gathering *g, int i, const abut_cover_cell *c, abut_vec3 x)
{
    const abut_vec3 about = c->at.axis[0];
    if (g->body[i].charts)
        return about;
    const abut_part *part = abut_cover_part(&g->body[i], c);
    return part->kind == ABUT_CELL_SEGMENT ? part->z
           : part->kind == ABUT_CELL_ARC   ? abut_unit_or(abut_cross(part->z, abut_sub(x, part->o)), about)
                                           : about;
}

/* Points of both cells near to each other; the smaller gaps the better. */
static bool approach(gathering *g, couple c, abut_vec3 at[2], double *gap)
{
    double before = INFINITY;
    for (int i = 0; i < PROJECTIONS; ++i) {
        if (!project(g, 0, c.p, at[1], &at[0]) || !project(g, 1, c.q, at[0], &at[1]))
            return false;
        *gap = abut_length(abut_sub(at[1], at[0]));
        if (*gap < g->near || *gap > 0.999 * before)
            break;
        before = *gap;
    }
    return *gap < g->near;
}

/* Out of the body at x, as the foot of points that are off it tells; about n. */
static abut_vec3 normal_at(gathering *g, int i, abut_cover_cell *c, abut_vec3 x, abut_vec3 n)
{
    if (!g->body[i].charts) {
        const abut_vec3 own = abut_part_normal(abut_cover_part(&g->body[i], c), x);
        return abut_dot(own, n) < 0 ? abut_scale(-1, own) : own;
    }
    for (int k = 0; k < 2; ++k) {
        abut_vec3 foot;
        const abut_vec3 off = abut_madd(x, 0.01 * g->size, n);
        if (!project(g, i, c, off, &foot))
            break;
        n = abut_unit_or(abut_sub(off, foot), n);
    }
    return n;
}

/* From a to b: across the face of either, or both edges, or along the way between points that are far enough
 * from each other; `like` where there is none of these. */
static abut_vec3 normal_of(gathering *g, couple c, const abut_vec3 at[2], abut_vec3 like)
{
    const abut_vec3 between = abut_sub(at[1], at[0]);
    const bool face[2] = { dimension_of(c.p) == 2, dimension_of(c.q) == 2 };
    if (g->swell == 0 && dimension_of(c.p) == 1 && dimension_of(c.q) == 1) {
        const abut_vec3 n = abut_cross(direction_of(g, 0, c.p, at[0]), direction_of(g, 1, c.q, at[1]));
        /* the bodies are apart */
        const double side =
            fabs(abut_dot(n, between)) > 8 * g->slack ? abut_dot(n, between) : abut_dot(n, like);
        if (abut_dot(n, n) > 0.01)
            return abut_unit_or(side < 0 ? abut_scale(-1, n) : n, like);
    }
    if (g->swell > 0 || (!face[0] && !face[1] && abut_length(between) > 1e4 * g->slack))
        return abut_unit_or(between, like);
    if (!face[0] && !face[1])
        return like;
    const int i = !face[0];
    abut_cover_cell *cell = i ? c.q : c.p;
    const abut_vec3 out = abut_scale(i ? -1 : 1, cell->at.normal);
    /* a face of a sheet has two sides */
    const abut_vec3 way = cell->two && abut_dot(out, like) < 0 ? abut_scale(-1, out) : out;
    return abut_scale(i ? -1 : 1, normal_at(g, i, cell, at[i], abut_scale(i ? -1 : 1, way)));
}

/* An edge is named as the vertex at its end. */
static void name(gathering *g, couple c, abut_cover_contact *out)
{
    for (int i = 0; i < 2; ++i) {
        const abut_cover_cell *cell = i ? c.q : c.p;
        abut_vec3 end[2];
        int64_t id;
        abut_cover_name_cell(&g->body[i], cell, &out->feature[i], &id);
        for (int k = ends_of(g, i, cell, end) - 1; k >= 0; --k)
            if (abut_length(abut_sub(end[k], out->point[i])) <= 1e-9 * g->size)
                out->feature[i] = ABUT_FEATURE_VERTEX;
    }
}

/* Flat faces in one plane are beside each other: points may go on from one to the next. */
static bool goes_on(const gathering *g, int i, const abut_cover_cell *c)
{
    return !g->body[i].charts && (c->at.kind == ABUT_CELL_TRIANGLE || c->at.kind == ABUT_CELL_PLANE);
}

static bool project_beyond(gathering *g, int i, abut_cover_cell *c, abut_vec3 p, abut_vec3 *out)
{
    if (!goes_on(g, i, c))
        return project(g, i, c, p, out);
    const abut_part *part = abut_cover_part(&g->body[i], c);
    *out = abut_madd(p, -abut_dot(abut_sub(p, part->o), part->z), part->z);
    return true;
}

/* Is x on a part of a body of features, below the cell? */
static bool is_on(gathering *g, int i, abut_cover_cell *c, abut_vec3 x)
{
    const double room = 1e-9 * g->size;
    abut_vec3 p;
    if (!c || abut_length(abut_sub(c->at.center, x)) > c->at.radius + room)
        return false;
    if (is_leaf(c))
        return project(g, i, c, x, &p) && abut_length(abut_sub(p, x)) <= room;
    return !abut_cover_expand(&g->body[i], c, g->slack, g->ws) &&
           (is_on(g, i, c->child[0], x) || is_on(g, i, c->child[1], x));
}

/* Moves the points to where the surfaces would meet first: the nearest points after the second body was
 * moved away by `shift` along the normal, which alternating projections find sooner than those of bodies
 * that touch. */
static bool polish_by(gathering *g, couple c, double shift, int iterations, double farthest,
                      abut_cover_contact *at, double *gap)
{
    abut_vec3 x = at->point[0], y = at->point[1], u = at->normal;
    for (int i = 0; i < iterations; ++i) {
        const abut_vec3 before = x;
        if (!project_beyond(g, 1, c.q, abut_madd(x, -shift, u), &y))
            return false;
        const abut_vec3 away = abut_madd(y, shift, u);
        if (!project_beyond(g, 0, c.p, away, &x))
            return false;
        u = abut_unit_or(abut_sub(away, x), u);
        if (abut_length(abut_sub(x, before)) < 1e-12 * g->size)
            break;
    }
    const double found = abut_length(abut_sub(y, x));
    if ((goes_on(g, 0, c.p) && !is_on(g, 0, g->body[0].root, x)) ||
        (goes_on(g, 1, c.q) && !is_on(g, 1, g->body[1].root, y)))
        return false;
    if (found > fmax(*gap, 8 * g->slack) || abut_length(abut_sub(x, at->point[0])) > farthest)
        return false;
    at->point[0] = x;
    at->point[1] = y;
    at->normal = u;
    *gap = found;
    return true;
}

static void polish(gathering *g, couple c, int most, double farthest, abut_cover_contact *at, double *gap)
{
    abut_cover_cell wide[2];
    if (g->swell == 0 && is_flat(g, 0, c.p) && is_flat(g, 1, c.q))
        return;
    abut_cover_widen(&g->body[0], c.p, &wide[0]);
    abut_cover_widen(&g->body[1], c.q, &wide[1]);
    const couple around = { &wide[0], &wide[1] };
    if (g->swell > 0) /* spines are apart already */
        (void)polish_by(g, around, 0, most, farthest, at, gap);
    else if (!polish_by(g, around, 0.5 * g->size, most, farthest, at, gap))
        (void)polish_by(g, around, 0.05 * g->size, most, farthest, at, gap);
}

/* A pair of points of the cells within `near`. Where a surface bends much, projections that alternate take so
 * long near a contact that they seem to end before it. */
static bool sample(gathering *g, couple c, abut_vec3 like, abut_cover_contact *at, double *gap)
{
    at->point[1] = c.q->at.center;
    *gap = INFINITY;
    if (approach(g, c, at->point, gap)) {
        at->normal = normal_of(g, c, at->point, like);
        return true;
    }
    if (!(*gap < INFINITY) || g->swell > 0 || (is_flat(g, 0, c.p) && is_flat(g, 1, c.q)))
        return false;
    at->normal = normal_of(g, c, at->point, like);
    return polish_by(g, c, 0.5 * g->size, FEW, radius_of(c), at, gap) && *gap < g->near;
}

static int polishing(const gathering *g)
{
    return g->swell == 0 && (g->body[0].charts || g->body[1].charts) ? POLISH_CHARTS : POLISH;
}

/* ---- places ---- */

/* Is another pair of points there, in the shell around a place? */
typedef struct shell {
    abut_vec3 middle;
    double inner, outer;
    double gap; /* of the pair, at most */
    abut_vec3 like;
    int tries;
    bool found;
} shell;

static judged look_around(gathering *g, void *ctx, couple c)
{
    shell *s = ctx;
    const double p = abut_length(abut_sub(c.p->at.center, s->middle)),
                 q = abut_length(abut_sub(c.q->at.center, s->middle));
    if (p > s->outer + c.p->at.radius || q > s->outer + g->near + c.q->at.radius ||
        p + c.p->at.radius < s->inner)
        return DROP;
    if (!is_leaf(c.p) || !is_leaf(c.q) || radius_of(c) > 2 * s->inner)
        return SPLIT;
    abut_cover_contact at;
    double gap;
    if (sample(g, c, s->like, &at, &gap)) {
        if (gap > s->gap) /* most likely to the place itself */
            polish(g, c, POLISH_CHARTS, INFINITY, &at, &gap);
        const double d = abut_length(abut_sub(at.point[0], s->middle));
        if (gap <= s->gap && d <= s->inner) /* the same place */
            return radius_of(c) > 0.5 * s->inner ? SPLIT : DROP;
        /* where it takes so many, the surfaces are flat there */
        s->found = (gap <= s->gap && d < 2 * s->outer) || ++s->tries >= TRIES;
    }
    return s->found ? STOP : radius_of(c) > g->least ? SPLIT : DROP;
}

/* Smooth surfaces may be flatter where they touch than those of the size of the bodies: then a wider shell
 * tells. */
static abut_status is_alone(gathering *g, couple c, place *x)
{
    const bool flat = is_flat(g, 0, c.p) && is_flat(g, 1, c.q);
    const double inner[2] = { g->shell, fmax(g->shell, 0.1 * g->spaced) };
    for (int i = 0; i < (flat ? 1 : 2) && !x->alone; ++i) {
        shell s = { .middle = x->at.point[0],
                    .inner = inner[i],
                    .outer = 4 * inner[i],
                    .gap = x->gap + g->tilt,
                    .like = x->at.normal };
        const abut_status status = descend(g, (couple){ g->body[0].root, g->body[1].root }, look_around, &s);
        if (status)
            return status;
        x->alone = !s.found;
        x->reach = inner[i];
    }
    return ABUT_OK;
}

/* Of the cube that holds p, or one beside it. Far coordinates share the last cubes, which costs time alone. */
static int *bucket_of(const gathering *g, abut_vec3 p, int dx, int dy, int dz)
{
    const double at[3] = { p.x / g->spaced, p.y / g->spaced, p.z / g->spaced }, far = 1e15;
    const int beside[3] = { dx, dy, dz };
    uint64_t key = 0;
    for (int i = 0; i < 3; ++i) {
        const double x = floor(at[i] > far ? far : at[i] > -far ? at[i] : -far);
        key = (key ^ (uint64_t)((int64_t)x + beside[i])) * 0x9e3779b97f4a7c15u;
    }
    return &g->bucket[(key >> 32) % BUCKETS];
}

static bool covers(const place *k, abut_vec3 centre, double radius, double spaced)
{
    const abut_vec3 d = abut_sub(k->at.point[0], centre);
    const double room = (k->alone ? k->reach : spaced) - radius;
    return room > 0 && abut_dot(d, d) < room * room;
}

/* The place, if any, that is no farther than it covers from all of the ball; of those from `from` on. */
static place *covering(gathering *g, int from, abut_vec3 centre, double radius, double spaced)
{
    if (radius >= spaced)
        return NULL;
    for (int i = from; from > 0 && i < g->place_count; ++i)
        if (covers(&g->places[i], centre, radius, spaced))
            return &g->places[i];
    for (int n = 0; from == 0 && n < 27; ++n)
        for (int i = *bucket_of(g, centre, n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1); i >= 0;
             i = g->places[i].next)
            if (covers(&g->places[i], centre, radius, spaced))
                return &g->places[i];
    return NULL;
}

/* The same of a cell, which keeps how many places it was compared with. */
static bool is_covered(gathering *g, abut_cover_cell *c, int stage, double spaced)
{
    int *from = &c->compared[stage > 0];
    if (*from >= 0) {
        const bool covered = covering(g, *from, c->at.center, c->at.radius, spaced) != NULL;
        *from = covered ? -1 : g->place_count;
    }
    return *from < 0;
}

typedef struct visit {
    abut_vec3 like;
    int stage; /* 0 corners, 1 edges, 2 faces */
    abut_status status;
} visit;

/* An edge that touches a face along its way is in the tangent plane there: one that leaves a wall whose border
 * it crosses does not touch the wall. */
static bool is_tangent(gathering *g, couple c, const abut_cover_contact *at)
{
    for (int i = 0; i < 2; ++i) {
        const abut_cover_cell *cell = i ? c.q : c.p;
        if (dimension_of(cell) == 1 && dimension_of(i ? c.p : c.q) == 2 &&
            at->feature[i] == ABUT_FEATURE_EDGE &&
            fabs(abut_dot(direction_of(g, i, cell, at->point[i]), at->normal)) > 0.02)
            return false;
    }
    return true;
}

static void add_place(gathering *g, visit *v, couple c, const abut_cover_contact *at, double gap,
                      double spaced)
{
    abut_cover_contact found = *at;
    name(g, c, &found);
    if (!is_tangent(g, c, &found))
        return;
    place *old = covering(g, 0, found.point[0], 0, spaced);
    if (old && old->alone && gap < 0.5 * old->gap - 4 * g->slack) {
        /* the same place, seen better; its name is that of the lowest features there */
        polish(g, c, polishing(g), g->shell, &found, &gap);
        old->at.point[0] = found.point[0];
        old->at.point[1] = found.point[1];
        old->at.normal = found.normal;
        old->gap = gap;
    }
    if (old || g->place_count == g->most)
        return;
    polish(g, c, polishing(g), g->shell, &found, &gap);
    place add = { .at = found, .gap = gap };
    bool near_region = false;
    for (int i = 0; i < g->place_count && !near_region; ++i)
        near_region = !g->places[i].alone &&
                      abut_length(abut_sub(g->places[i].at.point[0], found.point[0])) < 1.25 * g->spaced;
    if (!near_region)
        v->status = is_alone(g, c, &add);
    int *bucket = bucket_of(g, add.at.point[0], 0, 0, 0);
    add.next = *bucket;
    *bucket = g->place_count;
    g->places[g->place_count++] = add;
}

/* Vertices may be nearer to each other than other points. */
static void add_corners(gathering *g, visit *v, couple c)
{
    for (int i = 0; i < 2; ++i) {
        abut_vec3 end[2];
        abut_cover_contact at;
        for (int k = ends_of(g, i, i ? c.q : c.p, end) - 1; k >= 0; --k) {
            at.point[i] = end[k];
            if (!project(g, !i, i ? c.p : c.q, end[k], &at.point[!i]))
                continue;
            const double gap = abut_length(abut_sub(at.point[1], at.point[0]));
            at.normal = normal_of(g, c, at.point, v->like);
            if (gap < g->near && !v->status)
                add_place(g, v, c, &at, gap, 0.5 * g->spaced);
        }
    }
}

/* Too large a pair of cells to be asked for points. */
static bool is_large(const gathering *g, couple c)
{
    return fmax(2 * c.p->at.radius, 0.5 * c.q->at.radius) > g->fine;
}

/* Two edges side by side. */
static bool is_along(gathering *g, couple c)
{
    return fabs(abut_dot(direction_of(g, 0, c.p, c.p->at.center), direction_of(g, 1, c.q, c.q->at.center))) >
           0.99;
}

static judged find_places(gathering *g, void *ctx, couple c)
{
    visit *v = ctx;
    const int p = dimension_of(c.p), q = dimension_of(c.q);
    if (!is_leaf(c.p) || !is_leaf(c.q))
        return SPLIT;
    const bool corner = p == 0 || q == 0 || (p == 1 && q == 1 && (is_large(g, c) || !is_along(g, c)));
    abut_vec3 end[2];
    if (v->stage == 0) {
        if (!corner && !(p == 1 && ends_of(g, 0, c.p, end)) && !(q == 1 && ends_of(g, 1, c.q, end)))
            return DROP;
    } else if (p == 0 || q == 0 || (p < q ? p : q) != v->stage) {
        return DROP;
    }
    if (g->place_count == g->most)
        return STOP;
    if (is_covered(g, c.p, v->stage, v->stage == 0 ? 0.5 * g->spaced : g->spaced))
        return DROP;
    if (is_large(g, c))
        return SPLIT;
    if (v->stage == 0)
        add_corners(g, v, c);
    abut_cover_contact at;
    double gap;
    if ((v->stage > 0 || corner) && !v->status && sample(g, c, v->like, &at, &gap))
        add_place(g, v, c, &at, gap, g->spaced);
    return v->status ? STOP : radius_of(c) > g->least ? SPLIT : DROP;
}

/* ---- all of it ---- */

static abut_status gather(gathering *g, abut_vec3 like)
{
    abut_status status = ABUT_OK;
    for (int stage = 0; stage < 3 && !status; ++stage) {
        visit v = { .like = like, .stage = stage };
        status = descend(g, (couple){ g->body[0].root, g->body[1].root }, find_places, &v);
        status = status ? status : v.status;
    }
    return status;
}

abut_status abut_cover_touching(const abut_pair *pair, const abut_cover_touching_opts *opts,
                                abut_workspace *ws, abut_cover_contact *out, int capacity, int *count)
{
    abut_cover_body body[2];
    double slack;
    *count = 0;
    if (!abut_cover_takes(pair->a) || !abut_cover_takes(pair->b))
        return ABUT_ERR_UNSUPPORTED;
    abut_status status = abut_cover_open(pair, ws, body, &slack);
    if (status || !isfinite(slack))
        return status ? status : ABUT_ERR_UNSUPPORTED;
    const double size = fmin(body[0].size, body[1].size);
    gathering g = { .body = body,
                    .slack = slack,
                    .swell = body[0].swell + body[1].swell,
                    .size = isfinite(size) ? size : opts->separation,
                    .spaced = 15.0 / 16 * opts->separation,
                    .fine = opts->separation,
                    .most = capacity,
                    .left = abut_work_budget(MOST_PROJECTIONS, abut_cover_work(pair)),
                    .ws = ws };
    const double gap = opts->near + 4 * slack + 1e-9 * g.size;
    g.tilt = opts->tilt + 16 * slack + 1e-12 * g.size;
    g.near = g.swell + gap;
    g.shell = fmin(8 * sqrt(gap * g.size), 0.25 * opts->separation);
    g.least = fmax(0.125 * g.shell, 16 * slack);
    g.places = abut_workspace_take(ws, (size_t)capacity + 1, sizeof *g.places);
    g.bucket = abut_workspace_take(ws, BUCKETS, sizeof *g.bucket);
    if (!g.places || !g.bucket)
        return ABUT_ERR_MEMORY;
    for (int i = 0; i < BUCKETS; ++i)
        g.bucket[i] = -1;
    for (int i = 0; i < 2 && !status; ++i)
        status = abut_cover_begin(&body[i], slack, ws);
    if (status || body[0].empty || body[1].empty)
        return status;
    const abut_vec3 like = opts->normal;
    const abut_mat3 *turn = &pair->at_a->mid.linear;
    const bool turns = pair->a->type != ABUT_SHAPE_SPHERE;
    status = gather(&g, turns ? abut_mul_t(turn, like) : like);
    for (int i = 0; i < g.place_count; ++i) {
        abut_cover_contact *at = &g.places[i].at;
        if (g.swell > 0) /* of spines: those of the bodies are further out */
            for (int k = 0; k < 2; ++k)
                at->point[k] = abut_madd(at->point[k], k ? -body[1].swell : body[0].swell, at->normal);
        for (int k = 0; k < 2; ++k)
            at->point[k] = abut_cover_to_world(pair, at->point[k]);
        at->normal = turns ? abut_mul(turn, at->normal) : at->normal;
        at->alone = g.places[i].alone;
        out[i] = *at;
    }
    *count = g.place_count;
    return status;
}
