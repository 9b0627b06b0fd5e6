/* SPDX-License-Identifier: MIT */
/* Rays and points against compounds.
 *
 * A crossing of a part's boundary is one of the union's unless the point is inside another part, or on
 * a face of one that faces it: where two parts are flush the ray goes from one to the other without
 * leaving the union. A face that two parts share is crossed once. As with all rays what happens within
 * rounding of an edge is not proved.
 *
 * A point is in the union where it is in a part, out where it is out of all, and on its boundary where
 * one part alone has it there. On the boundaries of several it may be inside: unknown.
 *
 * A segment has pieces in each part; the ends of all of them cut it into stretches, and each stretch
 * and each end is what those of the parts are together. Ends within rounding of each other are one. */
#include "narrow/compound.h"

#include "base/sort.h"
#include "math/vec3.h"
#include "motion/motion.h"

#include <math.h>

typedef struct part_hit {
    abut_ray_hit hit;
    size_t part;
} part_hit;

/* The parts of a compound where it is placed, and their memory. */
typedef struct placed_parts {
    abut_workspace ws;
    abut_workspace_mark mark;
    abut_motion *made;
    abut_parts parts;
    double t;
} placed_parts;

typedef struct ray_run {
    const abut_parts *parts;
    double t; /* of the placement */
    abut_vec3 origin, direction;
    abut_allocator alloc;
    ABUT_ARRAY(part_hit) hits;
} ray_run;

/* close_parts in any case. */
static abut_status open_parts(const abut_shape *shape, const abut_stated *stated, placed_parts *out)
{
    *out = (placed_parts){ .t = stated->by_motion ? stated->t : 0 };
    abut_workspace_open(&out->ws, NULL);
    out->mark = abut_workspace_begin(&out->ws);
    const abut_motion *motion = stated->motion;
    if (!stated->by_motion && stated->pose) {
        const abut_placement at = abut_placement_from_pose(*stated->pose);
        const abut_status status = abut_motion_create_static(&at, NULL, &out->made, NULL);
        if (status)
            return status;
        motion = out->made;
    }
    return abut_parts_of(shape, motion, &out->ws, &out->parts);
}

static void close_parts(placed_parts *p)
{
    abut_parts_clear(&p->parts);
    abut_workspace_end(&p->ws, p->mark);
    abut_workspace_close(&p->ws);
    abut_motion_release(p->made);
}

/* All hits of a part; `back`: those behind the origin. */
static abut_status cast_part(ray_run *run, size_t part, bool back)
{
    const abut_vec3 direction = back ? abut_scale(-1, run->direction) : run->direction;
    abut_ray_hit few[16], *hits = few;
    size_t capacity = 16, count;
    abut_status status = abut_cast_ray_at(run->parts->shapes[part], run->parts->motions[part], run->t,
                                          run->origin, direction, hits, capacity, &count);
    if (!status && count > capacity) {
        capacity = count;
        hits = abut_base_alloc(&run->alloc, capacity, sizeof *hits);
        status = hits ? abut_cast_ray_at(run->parts->shapes[part], run->parts->motions[part], run->t,
                                         run->origin, direction, hits, capacity, &count)
                      : ABUT_ERR_MEMORY;
    }
    for (size_t i = 0; !status && i < count && i < capacity; ++i) {
        part_hit added = { hits[i], part };
        if (back && hits[i].t == 0)
            continue;
        if (back)
            added.hit.t = -added.hit.t;
        if (!ABUT_ARRAY_PUSH(&run->alloc, &run->hits, added))
            status = ABUT_ERR_MEMORY;
    }
    if (hits != few && hits)
        abut_base_free(&run->alloc, hits, capacity, sizeof *hits);
    return status;
}

static bool hit_before(void *ctx, const void *x, const void *y)
{
    const part_hit *a = x, *b = y;
    (void)ctx;
    return a->hit.t != b->hit.t ? a->hit.t < b->hit.t : a->part < b->part;
}

/* Whether a hit of part `part` at nearly the same place hides it: one that faces it, or an equal one of
 * a part with a lower number. */
static bool is_hidden(const ray_run *run, const part_hit *own, size_t part)
{
    const double near = 1e-12 * (1 + fabs(own->hit.t));
    for (size_t i = 0; i < run->hits.count; ++i) {
        const part_hit *other = &run->hits.items[i];
        if (other->part != part || !(fabs(other->hit.t - own->hit.t) <= near))
            continue;
        const double cosine = abut_dot(own->hit.normal, other->hit.normal);
        if (cosine < -1 + 1e-9 || part < own->part)
            return true;
    }
    return false;
}

static abut_status is_crossing(const ray_run *run, const part_hit *own, bool *out)
{
    *out = true;
    for (size_t k = 0; k < run->parts->count && *out; ++k) {
        abut_piece where;
        if (k == own->part)
            continue;
        const abut_status status = abut_classify_point_at(run->parts->shapes[k], run->parts->motions[k],
                                                          run->t, own->hit.point, &where);
        if (status)
            return status;
        *out = where.where != ABUT_WHERE_IN && !is_hidden(run, own, k);
    }
    return ABUT_OK;
}

static abut_status cast_parts(ray_run *run, bool line, abut_ray_hit *hits, size_t capacity, size_t *count)
{
    abut_status status = ABUT_OK;
    for (size_t i = 0; i < run->parts->count && !status; ++i) {
        status = cast_part(run, i, false);
        if (!status && line)
            status = cast_part(run, i, true);
    }
    abut_base_sort(run->hits.items, run->hits.count, sizeof *run->hits.items, hit_before, NULL);
    for (size_t i = 0; i < run->hits.count && !status; ++i) {
        bool crossing = false;
        status = is_crossing(run, &run->hits.items[i], &crossing);
        if (!status && crossing) {
            if (*count < capacity)
                hits[*count] = run->hits.items[i].hit;
            ++*count;
        }
    }
    return status;
}

abut_status abut_compound_cast(const abut_shape *shape, const abut_stated *stated, bool line,
                               abut_vec3 origin, abut_vec3 direction, abut_ray_hit *hits, size_t capacity,
                               size_t *count)
{
    placed_parts p;
    abut_status status = open_parts(shape, stated, &p);
    ray_run run = {
        .parts = &p.parts, .t = p.t, .origin = origin, .direction = direction, .alloc = p.ws.alloc
    };
    *count = 0;
    if (!status)
        status = cast_parts(&run, line, hits, capacity, count);
    ABUT_ARRAY_FREE(&run.alloc, &run.hits);
    close_parts(&p);
    if (status)
        *count = 0;
    return status;
}

abut_status abut_compound_classify(const abut_shape *shape, const abut_stated *stated, abut_vec3 point,
                                   abut_piece *out)
{
    placed_parts p;
    abut_status status = open_parts(shape, stated, &p);
    abut_piece found = { .where = ABUT_WHERE_OUT, .id = -1, .point = point };
    for (size_t i = 0; !status && i < p.parts.count && found.where != ABUT_WHERE_IN; ++i) {
        abut_piece each;
        status = abut_classify_point_at(p.parts.shapes[i], p.parts.motions[i], p.t, point, &each);
        if (each.where == ABUT_WHERE_IN || found.where == ABUT_WHERE_OUT)
            found = each;
        else if (each.where != ABUT_WHERE_OUT)
            found = (abut_piece){ .where = ABUT_WHERE_UNKNOWN, .id = -1, .point = point };
    }
    close_parts(&p);
    if (!status)
        *out = found;
    return status;
}

/* ---- segments ---- */

/* The pieces of one part, and how far the walk is. */
typedef struct part_pieces {
    abut_piece *items;
    size_t count;
} part_pieces;

typedef struct segment_run {
    abut_vec3 from, to;
    part_pieces *of; /* of each part */
    size_t part_count;
    double *ends;
    size_t end_count;
    abut_piece *pieces;
    size_t capacity, count;
} segment_run;

static const double near_end = 0x1p-40;

static abut_status split_part(segment_run *run, const abut_parts *parts, size_t i, double t,
                              abut_workspace *ws)
{
    for (size_t capacity = 16;;) {
        abut_piece *items = abut_workspace_take(ws, capacity, sizeof *items);
        size_t count;
        if (!items)
            return ABUT_ERR_MEMORY;
        const abut_status status = abut_classify_segment_at(parts->shapes[i], parts->motions[i], t, run->from,
                                                            run->to, items, capacity, &count);
        if (status)
            return status;
        if (count <= capacity) {
            run->of[i] = (part_pieces){ items, count };
            run->end_count += 2 * count;
            return ABUT_OK;
        }
        capacity = count;
    }
}

/* Ascending, each once but for rounding. */
static void collect_ends(segment_run *run)
{
    size_t n = 0;
    for (size_t i = 0; i < run->part_count; ++i)
        for (size_t k = 0; k < run->of[i].count; ++k) {
            run->ends[n++] = run->of[i].items[k].from;
            run->ends[n++] = run->of[i].items[k].to;
        }
    abut_base_sort_doubles(run->ends, n);
    run->end_count = 0;
    for (size_t i = 0; i < n; ++i)
        if (run->end_count == 0 || run->ends[i] - run->ends[run->end_count - 1] > near_end)
            run->ends[run->end_count++] = run->ends[i];
    if (run->end_count > 1 && run->ends[run->end_count - 1] >= 1 - near_end)
        run->ends[run->end_count - 1] = 1;
}

/* What a part has at an end, or in the stretch around s: a piece that is a point there comes first. */
static const abut_piece *piece_at(const part_pieces *of, double s, bool end)
{
    const abut_piece *found = NULL;
    for (size_t k = 0; k < of->count; ++k) {
        const abut_piece *p = &of->items[k];
        const bool point = p->from == p->to;
        if (point && end && fabs(p->from - s) <= near_end)
            return p;
        if (!point && p->from - near_end <= s && s <= p->to + near_end &&
            (!found || (p->from <= s && s <= p->to)))
            found = p;
    }
    return found;
}

/* Together: in one part is in, on the boundary of one alone is there. */
static abut_piece unite(const segment_run *run, double s, bool end)
{
    abut_piece all = { .where = ABUT_WHERE_OUT, .id = -1 };
    for (size_t i = 0; i < run->part_count && all.where != ABUT_WHERE_IN; ++i) {
        const abut_piece *p = piece_at(&run->of[i], s, end);
        const abut_piece each = p ? *p : (abut_piece){ .where = ABUT_WHERE_UNKNOWN, .id = -1 };
        if (each.where == ABUT_WHERE_IN || all.where == ABUT_WHERE_OUT)
            all = each;
        else if (each.where != ABUT_WHERE_OUT)
            all = (abut_piece){ .where = ABUT_WHERE_UNKNOWN, .id = -1 };
    }
    return all;
}

static void push_piece(segment_run *run, abut_piece p, double from, double to)
{
    abut_piece *last = run->count > 0 && run->count <= run->capacity ? &run->pieces[run->count - 1] : NULL;
    p.from = from;
    p.to = to;
    if (from == to)
        p.point =
            abut_v3((1 - from) * run->from.x + from * run->to.x, (1 - from) * run->from.y + from * run->to.y,
                    (1 - from) * run->from.z + from * run->to.z);
    if (last && last->from < last->to && last->where == p.where && last->id == p.id) {
        last->to = to; /* the boundary of a part inside another ends nothing */
        return;
    }
    if (run->count < run->capacity)
        run->pieces[run->count] = p;
    ++run->count;
}

static void join_pieces(segment_run *run)
{
    for (size_t i = 0; i < run->end_count; ++i) {
        const double s = run->ends[i];
        const abut_piece at = unite(run, s, true);
        const bool open = at.where == ABUT_WHERE_IN || at.where == ABUT_WHERE_OUT;
        /* a point that is in or out belongs to the stretches beside it */
        if (!open)
            push_piece(run, at, s, s);
        if (i + 1 < run->end_count)
            push_piece(run, unite(run, 0.5 * s + 0.5 * run->ends[i + 1], false), s, run->ends[i + 1]);
    }
}

static abut_status split_parts(segment_run *run, const abut_parts *parts, double t, abut_workspace *ws)
{
    run->of = abut_workspace_take(ws, parts->count, sizeof *run->of);
    run->part_count = parts->count;
    abut_status status = run->of ? ABUT_OK : ABUT_ERR_MEMORY;
    for (size_t i = 0; i < parts->count && !status; ++i)
        status = split_part(run, parts, i, t, ws);
    if (status)
        return status;
    run->ends = abut_workspace_take(ws, run->end_count, sizeof *run->ends);
    /* stretches that are joined must be seen, wherever the caller's room ends */
    const size_t room = run->end_count + 2;
    abut_piece *all = abut_workspace_take(ws, 2 * room, sizeof *all), *given = run->pieces;
    if (!run->ends || !all)
        return ABUT_ERR_MEMORY;
    collect_ends(run);
    const size_t capacity = run->capacity;
    run->pieces = all;
    run->capacity = 2 * room;
    join_pieces(run);
    for (size_t i = 0; i < run->count && i < capacity; ++i)
        given[i] = all[i];
    return ABUT_OK;
}

abut_status abut_compound_segment(const abut_shape *shape, const abut_stated *stated, abut_vec3 from,
                                  abut_vec3 to, abut_piece *pieces, size_t capacity, size_t *count)
{
    placed_parts p;
    segment_run run = { .from = from, .to = to, .pieces = pieces, .capacity = capacity };
    abut_status status = open_parts(shape, stated, &p);
    if (!status)
        status = split_parts(&run, &p.parts, p.t, &p.ws);
    *count = status ? 0 : run.count;
    close_parts(&p);
    return status;
}
