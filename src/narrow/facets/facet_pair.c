/* SPDX-License-Identifier: MIT */
/* A body of triangles (a) against a curved surface (b), at one instant, in the frame of a.
 *
 * A cover of the curved body by boxes (facet_cover.c) tells about how far the triangles are. Those
 * within reach of it become a surface body, and the search of surface_gap.c encloses the gap. Where
 * it finds no two points within that reach, the reach was too short, and more triangles are taken.
 * What is left out is farther away than two points that are known, so that it changes nothing.
 *
 * Boundaries that are apart leave two questions: whether a connected part of the triangles is inside
 * the curved body, which one vertex of each part tells, and whether a part of that is inside a solid
 * of triangles (surface_inside.c). */
#include "narrow/facets/facets.h"
#include "narrow/surface/line_surface.h"
#include "narrow/surface/surface_pair.h"

enum { ROUNDS = 8 };

static const uint64_t usual_boxes = 16000;

typedef struct bodies {
    abut_facets facets;
    abut_placed_surface a, b; /* a: of the triangles that were taken */
    abut_facet_list list;
    abut_workspace *ws;
} bodies;

static ABUT_NOINLINE void relate(const abut_pair *pair, abut_placed_surface *b, abut_interval_vec3 *around)
{
    abut_surface_relate(pair->at_a, true, pair->at_b, true, b);
    const ia3 box = ia_affine_apply(&b->place, b->bounds);
    const ia swell = ia_make(-b->swell, b->swell);
    *around = ia3_to(ia3_add(box, (ia3){ swell, swell, swell }));
}

static abut_status open_bodies(const abut_pair *pair, abut_workspace *ws, bodies *s)
{
    abut_interval_vec3 around;
    const abut_status status = abut_placed_spine_make(pair->b, pair->at_b->t, ws, &s->b);
    if (status)
        return status;
    /* Only bodies that have one are examined by their spines. */
    s->b.spine = s->b.swell > 0;
    const abut_rounding saved = abut_rounding_enter();
    relate(pair, &s->b, &around);
    abut_rounding_leave(saved);
    if (pair->a->type == ABUT_SHAPE_HEIGHTFIELD)
        abut_facets_of_field(pair->a, &around, &s->facets);
    else
        abut_facets_of_mesh(pair->a, &s->facets);
    const size_t words = s->facets.face_count / 64 + 1;
    s->ws = ws;
    s->list = (abut_facet_list){ .ws = ws, .marks = abut_workspace_take(ws, words, sizeof(uint64_t)) };
    if (!s->list.marks)
        return ABUT_ERR_MEMORY;
    memset(s->list.marks, 0, words * sizeof(uint64_t));
    return ABUT_OK;
}

/* The search, and where nearest points are no isolated ones, the bounds for such. */
static abut_status search(bodies *s, const abut_surface_gap_opts *opts, abut_surface_gap *gap)
{
    const abut_status status = abut_surface_find_gap(&s->a, &s->b, opts, s->ws, gap);
    if (status || gap->meets || gap->stop != ABUT_STOP_BUDGET)
        return status;
    const abut_surface_gap first = *gap;
    abut_surface_gap_opts flat = *opts;
    flat.flat = true;
    flat.known = &first;
    flat.max_boxes = 2 * opts->max_boxes;
    const abut_status again = abut_surface_find_gap(&s->a, &s->b, &flat, s->ws, gap);
    if (!again && !gap->meets && gap->gap.lo < first.gap.lo)
        gap->gap.lo = fmin(first.gap.lo, gap->gap.hi);
    return again;
}

/* The gap between the boundaries. */
static abut_status find_gap(bodies *s, const abut_surface_gap_opts *opts, abut_surface_gap *gap)
{
    abut_facet_cover cover;
    abut_status status = abut_facet_cover_make(&s->facets, &s->b, s->ws, &cover);
    *gap = (abut_surface_gap){ .gap = { 0, INFINITY }, .stop = ABUT_STOP_BUDGET };
    if (status || cover.count == 0) {
        gap->gap.lo = cover.count == 0 ? INFINITY : 0; /* there is nothing of b */
        gap->stop = ABUT_STOP_DONE;
        return status;
    }
    const double nearest = cover.cells[0].lower, apart = nearest - s->b.swell;
    double reach = nearest + cover.cells[0].diameter;
    if (apart * (1 - 0x1p-50) > opts->cutoff) {
        gap->gap.lo = apart * (1 - 0x1p-50);
        gap->stop = ABUT_STOP_CUTOFF;
        return ABUT_OK;
    }
    uint64_t boxes = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        for (size_t i = 0; i < cover.count; ++i)
            if (cover.cells[i].lower <= reach)
                s->facets.methods->collect(&s->facets, &cover.cells[i].box, reach, &s->list);
        if (s->list.memory)
            return ABUT_ERR_MEMORY;
        status = abut_facet_surface(&s->facets, &s->list, s->ws, &s->a);
        if (!status)
            status = search(s, opts, gap);
        boxes += gap->counters.iterations;
        gap->counters.iterations = boxes;
        if (status || gap->meets || gap->spine_upper <= reach || s->list.count == s->facets.face_count)
            return status;
        /* Nothing that was left out is nearer than `reach`. */
        const double known = (reach - s->b.swell) * (1 - 0x1p-50);
        gap->gap.lo = fmax(fmin(gap->gap.lo, known), 0);
        reach = gap->spine_upper < INFINITY ? gap->spine_upper : 2 * reach;
    }
    return ABUT_OK;
}

/* ---- one inside the other, where boundaries are apart ---- */

static ABUT_NOINLINE void classify_part(const bodies *s, uint32_t face, abut_truth *out)
{
    abut_facet_corner corners[3];
    s->facets.methods->corners(&s->facets, face, corners);
    *out = ABUT_SOMEWHERE;
    for (int k = 0; k < 3 && *out == ABUT_SOMEWHERE; ++k)
        *out = abut_surface_classify(&s->b, abut_placed_local(&s->b, ia3_from(&corners[k].at)));
}

/* 1 a part of the triangles is in b, 0 none is, -1 not known. */
static int part_in_surface(const bodies *s, abut_status *status)
{
    size_t count;
    if (s->b.spine || !(s->b.surface.solid || s->b.surface.unknown_side))
        return 0;
    if (s->b.surface.unknown_side)
        return -1;
    if (!s->facets.methods->part_count(&s->facets, &count)) {
        *status = ABUT_ERR_MEMORY;
        return -1;
    }
    int found = 0;
    for (size_t i = 0; i < count && found != 1; ++i) {
        abut_truth where;
        const uint32_t face = s->facets.methods->part(&s->facets, i);
        const abut_rounding saved = abut_rounding_enter();
        classify_part(s, face, &where);
        abut_rounding_leave(saved);
        found = where == ABUT_EVERYWHERE ? 1 : where == ABUT_SOMEWHERE ? -1 : found;
    }
    return found;
}

static abut_verdict verdict_of(bodies *s, abut_surface_gap *gap, uint64_t budget, abut_status *status)
{
    const bool solid_b = s->b.surface.solid || s->b.surface.unknown_side || s->b.spine;
    const abut_verdict meeting = s->facets.solid && solid_b ? ABUT_PENETRATING : ABUT_TOUCHING;
    if (gap->meets)
        return meeting;
    if (!(gap->gap.lo > 0))
        return ABUT_UNDECIDED;
    const int in_b = part_in_surface(s, status);
    const int in_a = in_b == 1 || !s->facets.solid
                         ? 0
                         : abut_surface_contains(&s->a, &s->b, gap->gap.lo, budget, &gap->spot);
    return in_b == 1 || in_a == 1 ? meeting : in_b == 0 && in_a == 0 ? ABUT_SEPARATE : ABUT_UNDECIDED;
}

static abut_status solve(const abut_pair *pair, abut_workspace *ws, abut_check_result *out)
{
    const abut_ask usual = { .want = ABUT_WANT_ALL }, *ask = pair->ask ? pair->ask : &usual;
    const bool verdict_only = ask->want == ABUT_WANT_VERDICT;
    bodies s;
    abut_status status = open_bodies(pair, ws, &s);
    if (status)
        return status;
    const abut_surface_gap_opts opts = {
        .cutoff = verdict_only                      ? ask->clearance
                  : ask->want == ABUT_WANT_DISTANCE ? ask->cutoff
                                                    : INFINITY,
        .near = verdict_only ? ask->clearance : 0,
        .relative = verdict_only ? 0 : ask->relative / (1 + ask->relative),
        .max_boxes =
            ask->max_iterations ? ask->max_iterations : abut_work_budget(usual_boxes, 4 * s.b.surface.work),
    };
    abut_surface_gap gap;
    status = find_gap(&s, &opts, &gap);
    if (status)
        return status;
    /* A surface for containment alone, where no triangle was within reach. */
    if (s.list.count == 0)
        status = abut_facet_surface(&s.facets, &s.list, ws, &s.a);
    const abut_verdict verdict = status ? ABUT_UNDECIDED : verdict_of(&s, &gap, opts.max_boxes, &status);
    if (!status)
        abut_surface_report(pair, &s.a, &s.b, &gap, verdict, out);
    return status;
}

abut_status abut_narrow_facets(const abut_pair *pair, abut_workspace *ws, abut_check_result *out)
{
    return abut_pair_with_scratch(solve, pair, ws, out);
}
