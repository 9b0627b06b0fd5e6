/* SPDX-License-Identifier: MIT */
/* Implicit solids and Boolean combinations of them: fields, and which of their zeros are on the
 * solid.
 *
 * A face is the zero set of a leaf, a crease of two, a corner of three; of each only that part
 * counts where the solid really changes there. That is decided by evaluating the tree in three-valued
 * logic: the leaves that vanish are tried inside and outside in all combinations (the worlds, eight
 * at once as bits), the others are inside, outside or unknown by the enclosures of their fields. A
 * wall (leaf and sign) bounds the solid if in some world turning its leaf from inside to outside
 * takes the solid away (sign +) or brings it (sign -, a subtracted leaf); a feature counts where
 * all of its walls do.
 *
 * Sources: T. Duff, SIGGRAPH 1992 (intervals over CSG trees); Snyder et al. 1993, section 2.2
 * (restricted equality constraints). */
#include "surface/csg.h"

enum { variables = 4, stride2 = 15, all_worlds = 255 };

/* Worlds in which leaf i of a set is inside. */
static const uint8_t worlds_of[3] = { 0xaa, 0xcc, 0xf0 };

static inline const abut_csg_body *csg_of(const abut_surface *s)
{
    return (const abut_csg_body *)s->body;
}

abut_csg_worlds abut_csg_evaluate(const abut_csg_body *body, const uint32_t *set, uint32_t count,
                                  const uint8_t *state)
{
    abut_csg_worlds stack[ABUT_CSG_MAX_NESTING + 1];
    size_t top = 0;
    for (size_t i = 0; i < body->def.token_count; ++i) {
        const abut_csg_token token = body->def.tokens[i];
        abut_csg_worlds *last = &stack[top ? top - 1 : 0]; /* of every step but a leaf */
        switch (token.step) {
        case ABUT_CSG_STEP_LEAF: {
            abut_csg_worlds w = { state[token.leaf] == ABUT_CSG_OUT ? 0 : all_worlds,
                                  state[token.leaf] == ABUT_CSG_IN ? 0 : all_worlds };
            for (uint32_t k = 0; k < count; ++k)
                if (set[k] == token.leaf)
                    w = (abut_csg_worlds){ worlds_of[k], (uint8_t)~worlds_of[k] };
            stack[top++] = w;
            break;
        }
        case ABUT_CSG_STEP_NOT: *last = (abut_csg_worlds){ last->out, last->in }; break;
        case ABUT_CSG_STEP_AND:
            last[-1].in &= last->in;
            last[-1].out |= last->out;
            --top;
            break;
        default:
            last[-1].in |= last->in;
            last[-1].out &= last->out;
            --top;
            break;
        }
    }
    return stack[0];
}

abut_truth abut_csg_bounds_by(const abut_csg_body *body, const abut_csg_set *set, const uint8_t *state)
{
    uint32_t leaves[3];
    for (uint32_t i = 0; i < set->count; ++i)
        leaves[i] = body->walls[set->wall[i]].leaf;
    const abut_csg_worlds w = abut_csg_evaluate(body, leaves, set->count, state);
    const uint8_t surely_in = (uint8_t)~w.out, surely_out = (uint8_t)~w.in;
    abut_truth truth = ABUT_EVERYWHERE;
    for (uint32_t i = 0; i < set->count; ++i) {
        const uint8_t inside = worlds_of[i], shift = (uint8_t)(1u << i);
        const bool added = body->walls[set->wall[i]].sign > 0;
        /* Worlds with leaf i inside, in which the solid is there (or not, of a subtracted leaf),
         * and the other way about once it is outside. */
        const uint8_t with = (uint8_t)(inside & (added ? w.in : w.out));
        const uint8_t without = (uint8_t)((added ? w.out : w.in) << shift & inside);
        const uint8_t surely_with = (uint8_t)(inside & (added ? surely_in : surely_out));
        const uint8_t surely_without = (uint8_t)((added ? surely_out : surely_in) << shift & inside);
        if (!(with & without))
            return ABUT_NOWHERE;
        if (!(surely_with & surely_without))
            truth = ABUT_SOMEWHERE;
    }
    return truth;
}

abut_csg_state abut_csg_examine(const abut_csg_body *body, uint32_t leaf, ia3 x, ia t, ia *scratch)
{
    const ia box[variables] = { x.x, x.y, x.z, t };
    const abut_map *map = &body->def.leaves[leaf];
    const bool defined = map->enclose(map->ctx, box, 0, scratch + stride2, scratch);
    if (!defined || ia_is_empty(*scratch))
        return ABUT_CSG_UNKNOWN;
    return ia_hi(*scratch) < 0 ? ABUT_CSG_IN : ia_lo(*scratch) > 0 ? ABUT_CSG_OUT : ABUT_CSG_UNKNOWN;
}

abut_truth abut_csg_within(const abut_csg_body *body, ia3 x)
{
    if (ia3_is_empty(ia3_intersect(x, body->bounds)))
        return ABUT_NOWHERE;
    return ia_subset(x.x, body->bounds.x) && ia_subset(x.y, body->bounds.y) && ia_subset(x.z, body->bounds.z)
               ? ABUT_EVERYWHERE
               : ABUT_SOMEWHERE;
}

static abut_truth both(abut_truth a, abut_truth b)
{
    return a < b ? a : b;
}

bool abut_csg_field(const abut_csg_body *body, uint32_t number, ia3 x, ia t, int order, ia *scratch,
                    abut_field_jet *out)
{
    const abut_csg_wall wall = body->walls[number];
    const abut_map *map = &body->def.leaves[wall.leaf];
    const ia box[variables] = { x.x, x.y, x.z, t };
    static const uint8_t second[6] = { 5, 6, 7, 9, 10, 12 };
    ia *v = scratch;
    const bool defined = map->enclose(map->ctx, box, order, scratch + stride2, v);
    const int used = order == 0 ? 1 : order == 1 ? 1 + variables : stride2;
    if (wall.sign < 0)
        for (int k = 0; k < used; ++k)
            v[k] = ia_neg(v[k]);
    out->f = v[0];
    if (order >= 1) {
        out->g = (ia3){ v[1], v[2], v[3] };
        out->t = v[4];
    }
    if (order >= 2) {
        for (int k = 0; k < 6; ++k)
            out->h[k] = v[second[k]];
        out->gt = (ia3){ v[8], v[11], v[13] };
    }
    return defined;
}

static bool field(const abut_surface *s, const abut_surface_feature *f, int i, ia3 x, ia t, int order,
                  ia *scratch, abut_field_jet *out)
{
    const abut_csg_body *body = csg_of(s);
    return abut_csg_field(body, body->sets[f->data].wall[i], x, t, order, scratch, out);
}

uint8_t *abut_csg_states(const abut_csg_body *body, ia *scratch)
{
    return (uint8_t *)(scratch + stride2 + body->map_scratch);
}

static bool vanishes(const abut_csg_body *body, const abut_csg_set *set, uint32_t leaf)
{
    for (uint32_t i = 0; i < set->count; ++i)
        if (body->walls[set->wall[i]].leaf == leaf)
            return true;
    return false;
}

/* What is known of the leaves over a box, for the points where those of the set vanish. */
static uint8_t *examine_around(const abut_csg_body *body, const abut_csg_set *set, ia3 x, ia t, ia *scratch)
{
    uint8_t *state = abut_csg_states(body, scratch);
    for (uint32_t k = 0; k < body->def.leaf_count; ++k)
        state[k] =
            (uint8_t)(vanishes(body, set, k) ? ABUT_CSG_UNKNOWN : abut_csg_examine(body, k, x, t, scratch));
    return state;
}

static abut_truth on(const abut_surface *s, const abut_surface_feature *f, ia3 x, ia t, ia *scratch)
{
    const abut_csg_body *body = csg_of(s);
    const abut_csg_set *set = &body->sets[f->data];
    const abut_truth near = abut_csg_within(body, x);
    if (near == ABUT_NOWHERE || body->def.leaf_count == 1)
        return near;
    return both(near, abut_csg_bounds_by(body, set, examine_around(body, set, x, t, scratch)));
}

/* A wall ends a feature if the feature bounds the solid nowhere beyond it. */
static abut_limit limit(const abut_surface *s, const abut_surface_feature *f,
                        const abut_surface_feature *part, int i, ia3 x, ia t, ia *scratch)
{
    const abut_csg_body *body = csg_of(s);
    const abut_csg_set *set = &body->sets[f->data];
    const uint32_t number = body->sets[part->data].wall[i];
    const abut_csg_wall wall = body->walls[number];
    for (uint32_t k = 0; k < set->count; ++k)
        if (set->wall[k] == number)
            return ABUT_LIMIT_VANISHES;
    if (vanishes(body, set, wall.leaf))
        return ABUT_LIMIT_NONE;
    uint8_t *state = examine_around(body, set, x, t, scratch);
    state[wall.leaf] = (uint8_t)(wall.sign > 0 ? ABUT_CSG_OUT : ABUT_CSG_IN);
    return abut_csg_bounds_by(body, set, state) == ABUT_NOWHERE ? ABUT_LIMIT_ENDS : ABUT_LIMIT_NONE;
}

static int walls(const abut_surface *s, const abut_surface_feature *f, ia3 x, ia t, ia *scratch,
                 uint32_t out[ABUT_FEATURE_MAX_WALLS])
{
    const abut_csg_body *body = csg_of(s);
    const abut_csg_set *set = &body->sets[f->data];
    uint8_t *state = examine_around(body, set, x, t, scratch);
    int count = 0;
    for (uint32_t k = 0; k < body->wall_count && count < ABUT_FEATURE_MAX_WALLS; ++k) {
        const abut_csg_wall wall = body->walls[k];
        if (state[wall.leaf] != ABUT_CSG_UNKNOWN || vanishes(body, set, wall.leaf))
            continue;
        state[wall.leaf] = (uint8_t)(wall.sign > 0 ? ABUT_CSG_OUT : ABUT_CSG_IN);
        if (abut_csg_bounds_by(body, set, state) == ABUT_NOWHERE)
            out[count++] = k;
        state[wall.leaf] = ABUT_CSG_UNKNOWN;
    }
    return count;
}

static bool wall_field(const abut_surface *s, uint32_t wall, ia3 x, ia t, int order, ia *scratch,
                       abut_field_jet *out)
{
    return abut_csg_field(csg_of(s), wall, x, t, order, scratch, out);
}

/* Where the leaves that are not known are few, all their combinations are tried: a leaf that occurs more
 * than once, as that of flush faces does, is the same each time. */
static abut_csg_worlds evaluate_all(const abut_csg_body *body, const uint8_t *state)
{
    uint32_t open[3], count = 0;
    for (uint32_t k = 0; k < body->def.leaf_count; ++k)
        if (state[k] == ABUT_CSG_UNKNOWN) {
            if (count == 3)
                return abut_csg_evaluate(body, NULL, 0, state);
            open[count++] = k;
        }
    return abut_csg_evaluate(body, open, count, state);
}

static abut_truth inside(const abut_surface *s, ia3 x, ia t, ia *scratch)
{
    const abut_csg_body *body = csg_of(s);
    const abut_truth near = abut_csg_within(body, x);
    if (near == ABUT_NOWHERE)
        return near;
    uint8_t *state = abut_csg_states(body, scratch);
    for (uint32_t k = 0; k < body->def.leaf_count; ++k)
        state[k] = (uint8_t)abut_csg_examine(body, k, x, t, scratch);
    const abut_csg_worlds w = evaluate_all(body, state);
    return both(near, !w.out ? ABUT_EVERYWHERE : !w.in ? ABUT_NOWHERE : ABUT_SOMEWHERE);
}

/* Beyond the wall there is nothing of the solid in the box. */
static bool needed(const abut_surface *s, const abut_surface_feature *f, ia3 x, ia t, ia *scratch)
{
    const abut_csg_body *body = csg_of(s);
    if (body->def.leaf_count == 1)
        return true;
    const abut_csg_wall wall = body->walls[body->sets[f->data].wall[0]];
    uint8_t *state = abut_csg_states(body, scratch);
    for (uint32_t k = 0; k < body->def.leaf_count; ++k)
        state[k] = (uint8_t)(k == wall.leaf ? ABUT_CSG_UNKNOWN : abut_csg_examine(body, k, x, t, scratch));
    state[wall.leaf] = (uint8_t)(wall.sign > 0 ? ABUT_CSG_OUT : ABUT_CSG_IN);
    return !abut_csg_evaluate(body, NULL, 0, state).in;
}

/* State of a leaf all along a path. */
static abut_csg_state examine_along(const abut_csg_body *body, uint32_t leaf, const abut_passage *path,
                                    ia *scratch)
{
    const abut_map *const map = &body->def.leaves[leaf];
    const ia middle[variables] = { path->middle.x, path->middle.y, path->middle.z, path->middle_t };
    const ia box[variables] = { path->x.x, path->x.y, path->x.z, path->t };
    if (!map->enclose(map->ctx, middle, 0, scratch + stride2, scratch))
        return ABUT_CSG_UNKNOWN;
    const ia first = scratch[0];
    if (!map->enclose(map->ctx, box, 1, scratch + stride2, scratch))
        return ABUT_CSG_UNKNOWN;
    const abut_field_jet over = { .f = scratch[0],
                                  .g = { scratch[1], scratch[2], scratch[3] },
                                  .t = scratch[4] };
    const ia value = abut_passage_field(path, first, &over);
    if (ia_is_empty(value))
        return ABUT_CSG_UNKNOWN;
    return ia_hi(value) < 0 ? ABUT_CSG_IN : ia_lo(value) > 0 ? ABUT_CSG_OUT : ABUT_CSG_UNKNOWN;
}

static bool stays(const abut_surface *s, const abut_passage *path, ia *scratch)
{
    const abut_csg_body *body = csg_of(s);
    if (abut_csg_within(body, path->x) != ABUT_EVERYWHERE)
        return false;
    uint8_t *const state = abut_csg_states(body, scratch);
    for (uint32_t k = 0; k < body->def.leaf_count; ++k)
        state[k] = (uint8_t)examine_along(body, k, path, scratch);
    return !abut_csg_evaluate(body, NULL, 0, state).out;
}

bool abut_surface_csg_decide(const abut_surface *s, abut_vec3 x, double t, ia *scratch,
                             abut_csg_decision *out)
{
    const abut_csg_body *const body = csg_of(s);
    abut_csg_decision stack[ABUT_CSG_MAX_NESTING + 1];
    size_t top = 0;
    for (size_t i = 0; i < body->def.token_count; ++i) {
        const abut_csg_token token = body->def.tokens[i];
        abut_csg_decision *const last = &stack[top ? top - 1 : 0];
        if (token.step == ABUT_CSG_STEP_LEAF) {
            const abut_map *const map = &body->def.leaves[token.leaf];
            const ia box[variables] = { ia_point(x.x), ia_point(x.y), ia_point(x.z), ia_point(t) };
            if (!map->enclose(map->ctx, box, 1, scratch + stride2, scratch) || ia_is_empty(scratch[0]))
                return false;
            stack[top++] = (abut_csg_decision){
                ia_mid(scratch[0]), { ia_mid(scratch[1]), ia_mid(scratch[2]), ia_mid(scratch[3]) }, map
            };
        } else if (token.step == ABUT_CSG_STEP_NOT) {
            const abut_vec3 g = last->gradient;
            *last = (abut_csg_decision){ -last->value, { -g.x, -g.y, -g.z }, last->leaf };
        } else {
            if (token.step == ABUT_CSG_STEP_AND ? last->value > last[-1].value : last->value < last[-1].value)
                last[-1] = *last;
            --top;
        }
    }
    *out = stack[0];
    return true;
}

static ia3 bounds(const abut_surface *s, ia t, ia *scratch)
{
    (void)t;
    (void)scratch;
    return csg_of(s)->bounds;
}

/* ---- the tips of cones ---- */

static bool apex_jet(const abut_surface *s, const abut_surface_feature *f, const ia *parameters, ia t,
                     int order, ia *scratch, abut_jet *out)
{
    const abut_csg_body *const body = csg_of(s);
    const ia3 none = { ia_point(0), ia_point(0), ia_point(0) };
    (void)parameters;
    (void)t;
    (void)scratch;
    out->p = ia3_from(&body->apexes[f->data - body->set_count].at);
    if (order >= 1)
        out->u = out->v = out->t = out->n = none;
    if (order >= 2)
        out->uu = out->uv = out->vv = out->ut = out->vt = out->nu = out->nv = out->nt = none;
    return true;
}

static void apex_normals(const abut_surface *s, const abut_surface_feature *f, const ia *parameters, ia t,
                         ia *scratch, ia3 *out)
{
    const abut_csg_body *const body = csg_of(s);
    const abut_csg_apex *const apex = &body->apexes[f->data - body->set_count];
    (void)parameters;
    (void)t;
    (void)scratch;
    abut_field_apex_normals(&body->def.leaves[apex->leaf], apex->sign, out);
}

/* Those that are on the solid for certain, as a tip of it. */
static ABUT_NOINLINE void find_apexes(abut_csg_body *body, ia *scratch)
{
    for (uint32_t i = 0; i < body->wall_count; ++i) {
        const abut_csg_wall wall = body->walls[i];
        ia3 at;
        if (abut_field_apex(&body->def.leaves[wall.leaf], &at) != wall.sign ||
            abut_csg_within(body, at) != ABUT_EVERYWHERE)
            continue;
        const abut_csg_set set = { { i }, 1 };
        if (abut_csg_bounds_by(body, &set, examine_around(body, &set, at, ia_point(0), scratch)) ==
            ABUT_EVERYWHERE)
            body->apexes[body->apex_count++] = (abut_csg_apex){ ia3_to(at), wall.leaf, wall.sign };
    }
}

/* Walls are known. */
static abut_status list_apexes(abut_csg_body *body, abut_workspace *ws, abut_workspace *temporary)
{
    const size_t states = (body->def.leaf_count + sizeof(ia) - 1) / sizeof(ia);
    ia *const scratch = abut_workspace_take(temporary, stride2 + body->map_scratch + states, sizeof *scratch);
    body->apexes = abut_workspace_take(ws, body->wall_count, sizeof *body->apexes);
    if (!scratch || !body->apexes)
        return ABUT_ERR_MEMORY;
    if (body->def.deforms || ia3_is_empty(body->bounds))
        return ABUT_OK;
    const abut_rounding saved = abut_rounding_enter();
    find_apexes(body, scratch);
    abut_rounding_leave(saved);
    return ABUT_OK;
}

static const abut_surface_methods csg_methods = { .jet = apex_jet,
                                                  .normals = apex_normals,
                                                  .field = field,
                                                  .on = on,
                                                  .inside = inside,
                                                  .bounds = bounds,
                                                  .limit = limit,
                                                  .stays = stays,
                                                  .needed = needed,
                                                  .walls = walls,
                                                  .wall_field = wall_field };

static abut_status make_features(const abut_csg_body *body, abut_workspace *ws, abut_surface *out)
{
    const size_t count = body->set_count + body->apex_count;
    abut_surface_feature *features = abut_workspace_take(ws, count, sizeof *features);
    int64_t next[4] = { 0 };
    if (!features)
        return ABUT_ERR_MEMORY;
    for (size_t i = 0; i < body->set_count; ++i) {
        const int dimension = 3 - (int)body->sets[i].count;
        static const abut_feature kinds[3] = { ABUT_FEATURE_VERTEX, ABUT_FEATURE_EDGE, ABUT_FEATURE_FACE };
        features[i] = (abut_surface_feature){ .kind = kinds[dimension],
                                              .dimension = dimension,
                                              .field_count = 3 - dimension,
                                              .normal_count = 3 - dimension,
                                              .id = next[dimension]++,
                                              .data = (uint32_t)i };
    }
    for (size_t i = body->set_count; i < count; ++i)
        features[i] = (abut_surface_feature){ .kind = ABUT_FEATURE_VERTEX,
                                              .parametric = true,
                                              .normal_count = ABUT_FEATURE_MAX_NORMALS,
                                              .id = next[0]++,
                                              .data = (uint32_t)i };
    out->features = features;
    out->feature_count = count;
    return ABUT_OK;
}

/* Memory for good from `ws`, for the searches from `temporary`. */
static abut_status make(const abut_surface_csg_def *def, abut_workspace *ws, abut_workspace *temporary,
                        abut_surface *out)
{
    *out = (abut_surface){ .solid = true, .implicit = true, .deforms = def->deforms };
    abut_csg_body *body = abut_workspace_take(ws, 1, sizeof *body);
    if (!body)
        return ABUT_ERR_MEMORY;
    *body = (abut_csg_body){ .base = { &csg_methods }, .def = *def };
    size_t most = 0;
    const abut_aabb *b = &def->bounds;
    body->bounds = (ia3){ ia_make(b->lo.x, b->hi.x), ia_make(b->lo.y, b->hi.y), ia_make(b->lo.z, b->hi.z) };
    for (size_t i = 0; i < def->leaf_count; ++i) {
        if (def->leaves[i].scratch > body->map_scratch)
            body->map_scratch = def->leaves[i].scratch;
        most = def->leaves[i].work > most ? def->leaves[i].work : most;
        out->work += def->leaves[i].work / 4;
    }
    out->work += most - most / 4; /* one with its derivatives, of the others values only */
    out->body = &body->base;
    abut_status status = def->uncut ? ABUT_OK : abut_csg_cut(body, ws, temporary);
    out->scratch = stride2 + body->map_scratch + (body->def.leaf_count + sizeof(ia) - 1) / sizeof(ia);
    if (!status)
        status = abut_csg_find(body, ws, temporary);
    if (!status)
        status = list_apexes(body, ws, temporary);
    if (!status && def->deforms)
        status = abut_csg_find_births(body, ws, temporary);
    out->birth_count = body->birth_count;
    out->births_left_out = body->births_left_out;
    return status ? status : make_features(body, ws, out);
}

abut_status abut_surface_csg(const abut_surface_csg_def *def, abut_workspace *ws, abut_surface *out,
                             abut_error *error)
{
    abut_workspace temporary;
    abut_workspace_open(&temporary, &ws->alloc);
    (void)abut_workspace_begin(&temporary); /* so that what is within is not the outermost */
    const abut_status status = make(def, ws, &temporary, out);
    abut_workspace_close(&temporary);
    if (status == ABUT_ERR_LIMIT)
        return abut_base_fail(error, status, -1, "the solid has too many creases and corners");
    return status ? abut_base_fail_memory(error) : ABUT_OK;
}

abut_status abut_surface_csg_over(const abut_surface *made, abut_interval time, abut_workspace *ws,
                                  abut_surface *out)
{
    abut_csg_body body = *csg_of(made);
    abut_csg_side sides[ABUT_CSG_SIDES];
    size_t count;
    *out = *made;
    if (body.def.uncut)
        return ABUT_OK;
    body.def.timed = true;
    body.def.time = time;
    const abut_status status = abut_csg_find_cuts(&body, sides, &count, ws);
    return status || count == 0 ? status : make(&body.def, ws, ws, out);
}
