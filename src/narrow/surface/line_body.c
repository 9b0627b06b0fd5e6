/* SPDX-License-Identifier: MIT */
/* Lines and points of surface bodies: the torus exactly (line_torus.c), all others by their faces
 * (line_surface.c).
 *
 * Crossings that lie within rounding of each other are one hit: a line through an edge or a seam
 * meets several faces there, and one that is tangent leaves a few boxes undecided. Where the
 * doubt is wide, the line runs in a face: it hits where that begins and ends. What is between
 * hits is decided by its middle. */
#include "narrow/surface/line_body.h"

#include "math/vec3.h"
#include "narrow/surface/line_surface.h"
#include "narrow/surface/line_torus.h"

enum { MOST = 512 };

/* of the line's length in the body: within it crossings are one hit */
static const double near = 0x1p-36;

/* ---- the torus ---- */

static abut_status through_torus(const abut_shape *shape, const abut_line *line, abut_field_hit *hits,
                                 size_t capacity, size_t *count)
{
    abut_torus_hits t;
    if (!abut_line_through_torus(shape, line, &t))
        return ABUT_ERR_UNSUPPORTED;
    bool inside = false;
    *count = (size_t)t.count;
    for (int i = 0; i < t.count; ++i) {
        inside = inside != !t.touches[i];
        if ((size_t)i < capacity)
            hits[i] = (abut_field_hit){ t.end[i], inside ? ABUT_WHERE_IN : ABUT_WHERE_OUT, -1 };
    }
    return ABUT_OK;
}

/* ---- all others ---- */

typedef struct line_in_body {
    const abut_place *place;
    abut_vec3 from, direction;
    const abut_vec3 *to;
    const abut_line *line;
    abut_placed_surface s;
    abut_line_crossing *crossings;
    size_t count;
    bool complete;
    abut_where *before; /* NULL: it is not asked what the line is in */
    ia3 o, d;
} line_in_body;

static ia3 to_local(const abut_place *place, ia3 x, bool rounded)
{
    const ia33 r = rounded ? ia33_point(&place->mid.linear) : ia33_from(&place->enclosure.linear);
    const ia33 back = ia33_transpose(&r);
    return ia33_mul3(&back, x);
}

/* Where only rounded placements are known, their doubles are taken. */
static bool is_rounded(const abut_place *place)
{
    return !place->stated && !place->axes && place->enclosure.linear.m[0][0].lo == 0 &&
           place->enclosure.linear.m[0][0].hi == 0 && place->mid.linear.m[0][0] != 0;
}

static ABUT_NOINLINE void find_crossings(line_in_body *l)
{
    static const abut_interval all = { -DBL_MAX, DBL_MAX };
    const bool rounded = is_rounded(l->place);
    const ia3 from = ia3_point(l->from);
    const ia3 at =
        rounded ? ia3_point(l->place->mid.translation) : ia3_from(&l->place->enclosure.translation);
    ia3 off = ia3_sub(from, at);
    if (l->line->moved) {
        const abut_vec3 p = l->line->offset, t = l->place->mid.translation;
        const ia wide = ia_make(1 - 0x1p-52, 1 + 0x1p-52);
        off = ia3_add(
            (ia3){ ia_mul(ia_point(p.x), wide), ia_mul(ia_point(p.y), wide), ia_mul(ia_point(p.z), wide) },
            ia3_sub(ia3_point(t), at));
    }
    l->o = to_local(l->place, off, rounded);
    l->d = to_local(l->place, l->to ? ia3_sub(ia3_point(*l->to), from) : ia3_point(l->direction), rounded);
    l->count = abut_line_cross_surface(&l->s, l->o, l->d, all, l->crossings, MOST, &l->complete);
}

static double middle(abut_interval a)
{
    return 0.5 * a.lo + 0.5 * a.hi;
}

typedef struct query {
    const line_in_body *l;
    double t;
    abut_truth where;
} query;

/* Before the first hit and behind the last: in material that fills all but a part of space, too. */
static abut_where where_far(const abut_surface *s)
{
    return s->unknown_side ? ABUT_WHERE_UNKNOWN : s->solid && s->outside ? ABUT_WHERE_IN : ABUT_WHERE_OUT;
}

static ABUT_NOINLINE void examine(query *q)
{
    const ia3 x = ia3_add(q->l->o, ia3_scale(ia_point(q->t), q->l->d));
    q->where = abut_surface_classify(&q->l->s, x);
}

/* Behind a hit and before the next: sides of a crossing where it is proved, else the middle. */
static abut_where where_between(const line_in_body *l, double from, double to)
{
    if (!l->s.surface.solid)
        return where_far(&l->s.surface);
    query q = { .l = l, .t = 0.5 * from + 0.5 * to };
    const abut_rounding saved = abut_rounding_enter();
    examine(&q);
    abut_rounding_leave(saved);
    return q.where == ABUT_EVERYWHERE ? ABUT_WHERE_IN
           : q.where == ABUT_NOWHERE  ? ABUT_WHERE_OUT
                                      : ABUT_WHERE_UNKNOWN;
}

static void put(const line_in_body *l, abut_field_hit *hits, size_t capacity, size_t *count,
                const abut_line_crossing *c, double t)
{
    if (*count < capacity)
        hits[*count] = (abut_field_hit){ { t == 0 ? 0 : t, ABUT_FEATURE_FACE, c->face->id, c->normal },
                                         where_far(&l->s.surface),
                                         -1 };
    ++*count;
}

static void join(const line_in_body *l, abut_field_hit *hits, size_t capacity, size_t *count)
{
    *count = 0;
    if (l->before)
        *l->before = where_far(&l->s.surface);
    if (l->count == 0)
        return;
    const double length = l->crossings[l->count - 1].t.hi - l->crossings[0].t.lo;
    size_t i = 0;
    while (i < l->count) {
        abut_interval run = l->crossings[i].t;
        const abut_line_crossing *best = &l->crossings[i];
        const double reach = near * fmax(length, fabs(run.lo));
        size_t j = i + 1;
        for (; j < l->count && l->crossings[j].t.lo <= run.hi + reach; ++j) {
            run.hi = fmax(run.hi, l->crossings[j].t.hi);
            if (l->crossings[j].certain && !best->certain)
                best = &l->crossings[j];
        }
        const size_t first = *count;
        if (run.hi - run.lo > 16 * reach) { /* along a face */
            put(l, hits, capacity, count, &l->crossings[i], run.lo);
            if (first < capacity) {
                hits[first].after = ABUT_WHERE_FACE;
                hits[first].after_id = best->face->id;
            }
            put(l, hits, capacity, count, &l->crossings[j - 1], run.hi);
        } else
            put(l, hits, capacity, count, best, best->certain ? middle(best->t) : middle(run));
        i = j;
    }
    for (size_t k = 0; l->before && k + 1 < *count && k + 1 < capacity; ++k)
        if (hits[k].after != ABUT_WHERE_FACE)
            hits[k].after = where_between(l, hits[k].at.t, hits[k + 1].at.t);
}

static abut_status through_faces(const abut_shape *shape, line_in_body *l, abut_workspace *ws,
                                 abut_field_hit *hits, size_t capacity, size_t *count)
{
    const abut_status status = abut_placed_surface_make(shape, l->place->t, ws, &l->s);
    if (status)
        return status;
    l->crossings = abut_workspace_take(ws, MOST, sizeof *l->crossings);
    if (!l->crossings)
        return ABUT_ERR_MEMORY;
    const abut_rounding saved = abut_rounding_enter();
    find_crossings(l);
    abut_rounding_leave(saved);
    join(l, hits, capacity, count);
    return l->complete ? ABUT_OK : ABUT_ERR_LIMIT;
}

abut_status abut_line_through_body(const abut_shape *shape, const abut_place *place, abut_vec3 from,
                                   const abut_vec3 *to, abut_vec3 direction, const abut_line *line,
                                   abut_where *before, abut_field_hit *hits, size_t capacity, size_t *count)
{
    *count = 0;
    if (before)
        *before = ABUT_WHERE_OUT;
    if (shape->type == ABUT_SHAPE_TORUS && through_torus(shape, line, hits, capacity, count) == ABUT_OK)
        return ABUT_OK;
    line_in_body l = {
        .place = place, .from = from, .to = to, .direction = direction, .line = line, .before = before
    };
    abut_workspace ws;
    abut_workspace_open(&ws, &shape->alloc);
    const abut_workspace_mark mark = abut_workspace_begin(&ws);
    const abut_status status = through_faces(shape, &l, &ws, hits, capacity, count);
    abut_workspace_end(&ws, mark);
    abut_workspace_close(&ws);
    return status;
}

/* ---- points ---- */

typedef struct point_query {
    const abut_placed_surface *s;
    const abut_place *place;
    abut_vec3 point;
    abut_piece *out;
} point_query;

static abut_where where_of(abut_feature feature)
{
    return feature == ABUT_FEATURE_VERTEX ? ABUT_WHERE_VERTEX
           : feature == ABUT_FEATURE_EDGE ? ABUT_WHERE_EDGE
                                          : ABUT_WHERE_FACE;
}

static bool is_zero(ia x)
{
    return ia_lo(x) == 0 && ia_hi(x) == 0;
}

/* A feature whose fields are all exactly 0 there. */
static bool is_on_feature(const point_query *q, const abut_surface_feature *f, ia3 x)
{
    const abut_placed_surface *s = q->s;
    for (int i = 0; i < f->field_count; ++i) {
        abut_field_jet jet;
        if (!abut_feature_field(&s->surface, f, i, x, ia_point(s->t), 0, s->scratch, &jet) || !is_zero(jet.f))
            return false;
    }
    return f->field_count > 0 &&
           abut_feature_on(&s->surface, f, x, ia_point(s->t), s->scratch) != ABUT_NOWHERE;
}

static ABUT_NOINLINE void classify_kernel(const point_query *q)
{
    const ia3 at = ia3_from(&q->place->enclosure.translation);
    const ia3 x = to_local(q->place, ia3_sub(ia3_point(q->point), at), false);
    const abut_truth where = abut_surface_classify(q->s, x);
    if (where != ABUT_SOMEWHERE) {
        q->out->where = where == ABUT_EVERYWHERE ? ABUT_WHERE_IN : ABUT_WHERE_OUT;
        return;
    }
    for (int k = 0; k < 3; ++k) /* the least of them */
        for (size_t i = 0; i < q->s->surface.feature_count; ++i) {
            const abut_surface_feature *f = &q->s->surface.features[i];
            if (f->dimension != k || !is_on_feature(q, f, x))
                continue;
            q->out->where = where_of(f->kind);
            q->out->id = f->id;
            return;
        }
}

abut_status abut_body_classify(const abut_shape *shape, const abut_place *place, abut_vec3 point,
                               abut_piece *out)
{
    *out = (abut_piece){ .id = -1, .point = point };
    if (shape->type == ABUT_SHAPE_TORUS && place->points && place->axes) {
        abut_line line;
        abut_torus_hits hits;
        abut_line_make(shape, place, point, NULL, abut_v3(0.625, 0.375, 0.75), &line);
        (void)abut_line_through_torus(shape, &line, &hits);
        out->where = hits.start < 0 ? ABUT_WHERE_IN : hits.start > 0 ? ABUT_WHERE_OUT : ABUT_WHERE_FACE;
        out->id = hits.start == 0 ? 0 : -1;
        return ABUT_OK;
    }
    abut_workspace ws;
    abut_placed_surface s;
    abut_workspace_open(&ws, &shape->alloc);
    const abut_workspace_mark mark = abut_workspace_begin(&ws);
    const abut_status status = abut_placed_surface_make(shape, place->t, &ws, &s);
    if (!status) {
        const point_query q = { &s, place, point, out };
        const abut_rounding saved = abut_rounding_enter();
        classify_kernel(&q);
        abut_rounding_leave(saved);
    }
    abut_workspace_end(&ws, mark);
    abut_workspace_close(&ws);
    return status;
}
