/* SPDX-License-Identifier: MIT */
/* Rays and points against compounds.
 *
 * A crossing of a part's boundary is one of the union's unless the point is inside another part, or on
 * a face of one that faces it: where two parts are flush the ray goes from one to the other without
 * leaving the union. A face that two parts share is crossed once. As with all rays what happens within
 * rounding of an edge is not proved.
 *
 * A point is in the union where it is in a part, out where it is out of all, and on its boundary where
 * one part alone has it there. On the boundaries of several it may be inside: unknown. */
#include "narrow/compound.h"

#include "base/sort.h"
#include "math/vec3.h"
#include "motion/motion.h"

#include <math.h>

typedef struct part_hit {
    abut_ray_hit hit;
    size_t part;
} part_hit;

typedef struct ray_run {
    const abut_parts *parts;
    double t; /* of the placement */
    abut_vec3 origin, direction;
    abut_allocator alloc;
    ABUT_ARRAY(part_hit) hits;
} ray_run;

static abut_status stated_motion(const abut_stated *stated, abut_motion **made, const abut_motion **out)
{
    *made = NULL;
    *out = stated->motion;
    if (stated->by_motion || !stated->pose)
        return ABUT_OK;
    const abut_placement at = abut_placement_from_pose(*stated->pose);
    const abut_status status = abut_motion_create_static(&at, NULL, made, NULL);
    *out = *made;
    return status;
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
    abut_motion *made;
    const abut_motion *motion;
    abut_status status = stated_motion(stated, &made, &motion);
    if (status)
        return status;
    abut_workspace ws;
    abut_workspace_open(&ws, NULL);
    const abut_workspace_mark mark = abut_workspace_begin(&ws);
    abut_parts parts;
    status = abut_parts_of(shape, motion, &ws, &parts);
    ray_run run = { .parts = &parts,
                    .t = stated->by_motion ? stated->t : 0,
                    .origin = origin,
                    .direction = direction,
                    .alloc = ws.alloc };
    *count = 0;
    if (!status)
        status = cast_parts(&run, line, hits, capacity, count);
    ABUT_ARRAY_FREE(&run.alloc, &run.hits);
    abut_parts_clear(&parts);
    abut_workspace_end(&ws, mark);
    abut_workspace_close(&ws);
    abut_motion_release(made);
    if (status)
        *count = 0;
    return status;
}

abut_status abut_compound_classify(const abut_shape *shape, const abut_stated *stated, abut_vec3 point,
                                   abut_piece *out)
{
    abut_motion *made;
    const abut_motion *motion;
    abut_status status = stated_motion(stated, &made, &motion);
    if (status)
        return status;
    abut_workspace ws;
    abut_workspace_open(&ws, NULL);
    const abut_workspace_mark mark = abut_workspace_begin(&ws);
    abut_parts parts;
    status = abut_parts_of(shape, motion, &ws, &parts);
    abut_piece found = { .where = ABUT_WHERE_OUT, .id = -1, .point = point };
    for (size_t i = 0; i < parts.count && !status && found.where != ABUT_WHERE_IN; ++i) {
        abut_piece each;
        status = abut_classify_point_at(parts.shapes[i], parts.motions[i], stated->by_motion ? stated->t : 0,
                                        point, &each);
        if (each.where == ABUT_WHERE_IN || found.where == ABUT_WHERE_OUT)
            found = each;
        else if (each.where != ABUT_WHERE_OUT)
            found = (abut_piece){ .where = ABUT_WHERE_UNKNOWN, .id = -1, .point = point };
    }
    abut_parts_clear(&parts);
    abut_workspace_end(&ws, mark);
    abut_workspace_close(&ws);
    abut_motion_release(made);
    if (!status)
        *out = found;
    return status;
}
