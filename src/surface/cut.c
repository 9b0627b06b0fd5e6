/* SPDX-License-Identifier: MIT */
/* The box of an implicit solid or Boolean combination, where it cuts the solid: the solid is what
 * of it is in the closed box, so that the sides of the box that it reaches through are faces, as
 * planes that the whole is intersected with.
 *
 * A side is left out where the fields show that no interior point of the solid is on it: then
 * what of the solid is in the box ends on the side at most where a field vanishes, and has no
 * other boundary there. Rectangles of the side are halved until that is seen; where it is not,
 * after a limited search, the side becomes a face: it costs time then, no truth. Solids that
 * deform are cut when they are asked about, for the time that they are asked about, which is
 * halved as the sides are. */
#include "surface/csg.h"

enum {
    SIDES = ABUT_CSG_SIDES,
    STACK = 64,
    BOXES = 1 << 10,
    ORDER1 = 5,
    ORDER2 = 15,
    SHRINK_BOXES = 128,
    SHRINK_STEPS = 10
};

/* A rectangle of a side over a stretch of time. */
typedef struct region {
    ia3 x;
    ia t;
} region;

static bool enclose_side(const void *ctx, const ia *box, int order, ia *scratch, ia *out)
{
    (void)scratch;
    const abut_csg_side *s = ctx;
    out[0] = ia_sub(ia_scale(s->sign, box[s->axis]), ia_point(s->offset));
    const int used = order >= 2 ? ORDER2 : order == 1 ? ORDER1 : 1;
    for (int i = 1; i < used; ++i)
        out[i] = ia_point(i == 1 + s->axis ? s->sign : 0);
    return true;
}

/* Whether interior points of the solid may be in the box; fields that are nowhere negative there
 * have none. */
static bool may_be_inside(const abut_csg_body *body, const region *r, uint8_t *state, ia *scratch)
{
    const ia box[4] = { r->x.x, r->x.y, r->x.z, r->t };
    for (size_t i = 0; i < body->def.leaf_count; ++i) {
        const abut_map *map = &body->def.leaves[i];
        const bool defined = map->enclose(map->ctx, box, 0, scratch + ORDER2, scratch);
        state[i] = !defined || ia_is_empty(*scratch) ? ABUT_CSG_UNKNOWN
                   : ia_lo(*scratch) >= 0            ? ABUT_CSG_OUT
                   : ia_hi(*scratch) < 0             ? ABUT_CSG_IN
                                                     : ABUT_CSG_UNKNOWN;
    }
    return abut_csg_evaluate(body, NULL, 0, state).in != 0;
}

static bool is_cut(const abut_csg_body *body, const abut_csg_side *s, int budget, uint8_t *state, ia *scratch)
{
    region stack[STACK];
    const ia time = ia_from(body->def.time);
    ia *const fixed[3] = { &stack[0].x.x, &stack[0].x.y, &stack[0].x.z };
    const double whole[4] = { ia_width(body->bounds.x), ia_width(body->bounds.y), ia_width(body->bounds.z),
                              ia_width(time) };
    int n = 1;
    stack[0] = (region){ body->bounds, time };
    *fixed[s->axis] = ia_point(s->sign * s->offset);
    for (int boxes = 0; n > 0; ++boxes) {
        const region r = stack[--n];
        if (!may_be_inside(body, &r, state, scratch))
            continue;
        const region middle = { { ia_point(ia_mid(r.x.x)), ia_point(ia_mid(r.x.y)), ia_point(ia_mid(r.x.z)) },
                                ia_point(ia_mid(r.t)) };
        if (boxes >= budget || n + 2 > STACK || may_be_inside(body, &middle, state, scratch))
            return true;
        const double w[4] = { ia_width(r.x.x), ia_width(r.x.y), ia_width(r.x.z), ia_width(r.t) };
        int k = 0;
        for (int i = 1; i < 4; ++i)
            if (w[i] * whole[k] > w[k] * whole[i] || !(whole[k] > 0))
                k = i;
        for (int i = 0; i < 2; ++i) {
            ia *const parts[4] = { &stack[n].x.x, &stack[n].x.y, &stack[n].x.z, &stack[n].t };
            stack[n] = r;
            *parts[k] = i ? ia_make(ia_mid(*parts[k]), ia_hi(*parts[k]))
                          : ia_make(ia_lo(*parts[k]), ia_mid(*parts[k]));
            ++n;
        }
    }
    return false;
}

static ABUT_NOINLINE size_t find_cuts(const abut_csg_body *body, abut_csg_side *sides, uint8_t *state,
                                      ia *scratch)
{
    const abut_aabb *b = &body->def.bounds;
    const abut_csg_side all[SIDES] = { { 0, -1, -b->lo.x }, { 0, 1, b->hi.x },   { 1, -1, -b->lo.y },
                                       { 1, 1, b->hi.y },   { 2, -1, -b->lo.z }, { 2, 1, b->hi.z } };
    size_t count = 0, work = 0;
    for (size_t i = 0; i < body->def.leaf_count; ++i)
        work += body->def.leaves[i].work;
    /* What a shape is made with may take longer than what a query begins with. */
    const int budget = body->def.deforms ? (int)abut_work_budget(BOXES, work) : BOXES;
    for (int i = 0; i < SIDES; ++i)
        if (is_cut(body, &all[i], budget, state, scratch))
            sides[count++] = all[i];
    return count;
}

/* Beyond a side that is a face of its own there is nothing anyway: fields may be examined a
 * little further, so that points on the side are not at the end of all. */
static void widen(abut_csg_body *body, const abut_csg_side *s)
{
    ia *const sides[3] = { &body->bounds.x, &body->bounds.y, &body->bounds.z };
    ia *const x = sides[s->axis];
    const double margin = 0x1p-20 * ia_width(*x);
    *x = s->sign > 0 ? ia_make(ia_lo(*x), ia_hi(*x) + margin) : ia_make(ia_lo(*x) - margin, ia_hi(*x));
}

abut_status abut_csg_find_cuts(const abut_csg_body *body, abut_csg_side *sides, size_t *count,
                               abut_workspace *temporary)
{
    uint8_t *const state = abut_workspace_take(temporary, body->def.leaf_count + 1, 1);
    ia *const scratch = abut_workspace_take(temporary, body->map_scratch + ORDER2 + 1, sizeof *scratch);
    *count = 0;
    if (!state || !scratch)
        return ABUT_ERR_MEMORY;
    if (ia3_is_empty(body->bounds))
        return ABUT_OK;
    const abut_rounding saved = abut_rounding_enter();
    *count = find_cuts(body, sides, state, scratch);
    abut_rounding_leave(saved);
    return ABUT_OK;
}

abut_status abut_csg_cut(abut_csg_body *body, abut_workspace *ws, abut_workspace *temporary)
{
    const size_t n = body->def.leaf_count, tokens = body->def.token_count;
    abut_csg_side *const sides = abut_workspace_take(ws, SIDES, sizeof *sides);
    size_t count;
    if (!sides)
        return ABUT_ERR_MEMORY;
    if (body->def.deforms && !body->def.timed)
        return ABUT_OK;
    const abut_status status = abut_csg_find_cuts(body, sides, &count, temporary);
    if (status || count == 0)
        return status;
    abut_map *const leaves = abut_workspace_take(ws, n + count, sizeof *leaves);
    abut_csg_token *const steps = abut_workspace_take(ws, tokens + 2 * count, sizeof *steps);
    if (!leaves || !steps)
        return ABUT_ERR_MEMORY;
    memcpy(leaves, body->def.leaves, n * sizeof *leaves);
    memcpy(steps, body->def.tokens, tokens * sizeof *steps);
    for (size_t i = 0; i < count; ++i) {
        leaves[n + i] = (abut_map){ .enclose = enclose_side, .ctx = &sides[i] };
        steps[tokens + 2 * i] = (abut_csg_token){ ABUT_CSG_STEP_LEAF, (uint32_t)(n + i) };
        steps[tokens + 2 * i + 1] = (abut_csg_token){ ABUT_CSG_STEP_AND, 0 };
    }
    body->def.leaves = leaves;
    body->def.leaf_count = n + count;
    body->def.tokens = steps;
    body->def.token_count = tokens + 2 * count;
    body->cut_count = count;
    const abut_rounding again = abut_rounding_enter();
    for (size_t i = 0; i < count; ++i)
        widen(body, &sides[i]);
    abut_rounding_leave(again);
    return ABUT_OK;
}

/* ---- boxes around solids ---- */

/* Whether the search proves that no point of the solid is in the box. */
static bool is_free(const abut_csg_body *body, ia3 all, uint8_t *state, ia *scratch)
{
    ia3 stack[STACK];
    int n = 1;
    stack[0] = all;
    for (int boxes = 0; n > 0; ++boxes) {
        const ia3 x = stack[--n];
        for (uint32_t i = 0; i < body->def.leaf_count; ++i)
            state[i] = (uint8_t)abut_csg_examine(body, i, x, ia_point(0), scratch);
        const abut_csg_worlds w = abut_csg_evaluate(body, NULL, 0, state);
        if (!w.in)
            continue;
        if (!w.out || boxes >= SHRINK_BOXES || n + 2 > STACK)
            return false;
        const ia *const sides[3] = { &x.x, &x.y, &x.z };
        int k = 0;
        for (int i = 1; i < 3; ++i)
            k = ia_width(*sides[i]) > ia_width(*sides[k]) ? i : k;
        const double middle = ia_mid(*sides[k]);
        for (int i = 0; i < 2; ++i) {
            stack[n] = x;
            ia *const parts[3] = { &stack[n].x, &stack[n].y, &stack[n].z };
            *parts[k] = i ? ia_make(middle, ia_hi(*sides[k])) : ia_make(ia_lo(*sides[k]), middle);
            ++n;
        }
    }
    return true;
}

/* Each side moves in by halves of what is left, while the slab that is cut off is free. */
static ABUT_NOINLINE void shrink(const abut_csg_body *body, uint8_t *state, ia *scratch, abut_aabb *box)
{
    double *const ends[6] = { &box->lo.x, &box->hi.x, &box->lo.y, &box->hi.y, &box->lo.z, &box->hi.z };
    for (int k = 0; k < 6; ++k) {
        const bool high = k & 1;
        double step = 0.5 * (*ends[k | 1] - *ends[k & ~1]);
        for (int i = 0; i < SHRINK_STEPS && step > 0; ++i) {
            double end = high ? *ends[k] - step : *ends[k] + step;
            if (!(*ends[k & ~1] <= end && end <= *ends[k | 1]))
                break;
            ia3 slab = { ia_make(box->lo.x, box->hi.x), ia_make(box->lo.y, box->hi.y),
                         ia_make(box->lo.z, box->hi.z) };
            ia *const sides[3] = { &slab.x, &slab.y, &slab.z };
            *sides[k / 2] = high ? ia_make(end, *ends[k]) : ia_make(*ends[k], end);
            if (is_free(body, slab, state, scratch))
                *ends[k] = end;
            step *= 0.5;
        }
    }
}

abut_status abut_surface_csg_shrink(const abut_surface *s, abut_aabb *box, abut_workspace *temporary)
{
    const abut_csg_body *const body = (const abut_csg_body *)s->body;
    uint8_t *const state = abut_workspace_take(temporary, body->def.leaf_count + 1, 1);
    ia *const scratch = abut_workspace_take(temporary, body->map_scratch + ORDER2 + 1, sizeof *scratch);
    if (!state || !scratch)
        return ABUT_ERR_MEMORY;
    if (body->def.deforms || !(box->lo.x <= box->hi.x))
        return ABUT_OK;
    const abut_rounding saved = abut_rounding_enter();
    const ia3 all = { ia_make(box->lo.x, box->hi.x), ia_make(box->lo.y, box->hi.y),
                      ia_make(box->lo.z, box->hi.z) };
    if (is_free(body, all, state, scratch))
        *box = (abut_aabb){ { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
    else
        shrink(body, state, scratch, box);
    abut_rounding_leave(saved);
    return ABUT_OK;
}
