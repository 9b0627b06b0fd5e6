/* SPDX-License-Identifier: MIT */
/* The box of an implicit solid or Boolean combination, where it cuts the solid: the solid is what
 * of it is in the closed box, so that the sides of the box that it reaches through are faces, as
 * planes that the whole is intersected with.
 *
 * A side is left out where the fields show that no interior point of the solid is on it: then
 * what of the solid is in the box ends on the side at most where a field vanishes, and has no
 * other boundary there. Rectangles of the side are halved until that is seen; where it is not,
 * after a limited search, the side becomes a face: it costs time then, no truth. Of solids that
 * deform nothing is known beforehand: their box must hold them at all times that are asked
 * about. */
#include "surface/csg.h"

enum { SIDES = 6, STACK = 64, BOXES = 1 << 10, ORDER1 = 5, ORDER2 = 15 };

/* {sign x <= offset} for the coordinate `axis`. */
typedef struct side {
    int axis;
    double sign, offset;
} side;

static bool enclose_side(const void *ctx, const ia *box, int order, ia *scratch, ia *out)
{
    (void)scratch;
    const side *s = ctx;
    out[0] = ia_sub(ia_scale(s->sign, box[s->axis]), ia_point(s->offset));
    const int used = order >= 2 ? ORDER2 : order == 1 ? ORDER1 : 1;
    for (int i = 1; i < used; ++i)
        out[i] = ia_point(i == 1 + s->axis ? s->sign : 0);
    return true;
}

/* Whether interior points of the solid may be in the box; fields that are nowhere negative there
 * have none. */
static bool may_be_inside(const abut_csg_body *body, ia3 x, uint8_t *state, ia *scratch)
{
    const ia box[4] = { x.x, x.y, x.z, ia_point(0) };
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

static bool is_cut(const abut_csg_body *body, const side *s, uint8_t *state, ia *scratch)
{
    ia3 stack[STACK];
    ia *const fixed[3] = { &stack[0].x, &stack[0].y, &stack[0].z };
    int n = 1;
    stack[0] = body->bounds;
    *fixed[s->axis] = ia_point(s->sign * s->offset);
    for (int boxes = 0; n > 0; ++boxes) {
        const ia3 x = stack[--n];
        if (!may_be_inside(body, x, state, scratch))
            continue;
        const ia3 middle = { ia_point(ia_mid(x.x)), ia_point(ia_mid(x.y)), ia_point(ia_mid(x.z)) };
        if (boxes >= BOXES || n + 2 > STACK || may_be_inside(body, middle, state, scratch))
            return true;
        const double w[3] = { ia_width(x.x), ia_width(x.y), ia_width(x.z) };
        const int k = w[0] >= w[1] && w[0] >= w[2] ? 0 : w[1] >= w[2] ? 1 : 2;
        for (int i = 0; i < 2; ++i) {
            ia *const parts[3] = { &stack[n].x, &stack[n].y, &stack[n].z };
            stack[n] = x;
            *parts[k] = i ? ia_make(ia_mid(*parts[k]), ia_hi(*parts[k]))
                          : ia_make(ia_lo(*parts[k]), ia_mid(*parts[k]));
            ++n;
        }
    }
    return false;
}

static ABUT_NOINLINE size_t find_cuts(const abut_csg_body *body, side *sides, uint8_t *state, ia *scratch)
{
    const abut_aabb *b = &body->def.bounds;
    const side all[SIDES] = { { 0, -1, -b->lo.x }, { 0, 1, b->hi.x },   { 1, -1, -b->lo.y },
                              { 1, 1, b->hi.y },   { 2, -1, -b->lo.z }, { 2, 1, b->hi.z } };
    size_t count = 0;
    for (int i = 0; i < SIDES; ++i)
        if (is_cut(body, &all[i], state, scratch))
            sides[count++] = all[i];
    return count;
}

/* Beyond a side that is a face of its own there is nothing anyway: fields may be looked at a
 * little further, so that points on the side are not at the end of all. */
static void widen(abut_csg_body *body, const side *s)
{
    ia *const sides[3] = { &body->bounds.x, &body->bounds.y, &body->bounds.z };
    ia *const x = sides[s->axis];
    const double margin = 0x1p-20 * ia_width(*x);
    *x = s->sign > 0 ? ia_make(ia_lo(*x), ia_hi(*x) + margin) : ia_make(ia_lo(*x) - margin, ia_hi(*x));
}

abut_status abut_csg_cut(abut_csg_body *body, abut_workspace *ws, abut_workspace *temporary)
{
    const size_t n = body->def.leaf_count, tokens = body->def.token_count;
    side *const sides = abut_workspace_take(ws, SIDES, sizeof *sides);
    uint8_t *const state = abut_workspace_take(temporary, n + 1, 1);
    ia *const scratch = abut_workspace_take(temporary, body->map_scratch + ORDER2 + 1, sizeof *scratch);
    if (!sides || !state || !scratch)
        return ABUT_ERR_MEMORY;
    if (body->def.deforms || ia3_is_empty(body->bounds))
        return ABUT_OK;
    const abut_rounding saved = abut_rounding_enter();
    const size_t count = find_cuts(body, sides, state, scratch);
    abut_rounding_leave(saved);
    if (count == 0)
        return ABUT_OK;
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
    const abut_rounding again = abut_rounding_enter();
    for (size_t i = 0; i < count; ++i)
        widen(body, &sides[i]);
    abut_rounding_leave(again);
    return ABUT_OK;
}
