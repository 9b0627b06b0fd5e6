/* SPDX-License-Identifier: MIT */
/* Which leaves of a Boolean combination bound the solid, and which two and three of them meet on
 * it.
 *
 * The box of the solid is halved along its longest side, again and again. In each box the fields
 * of the leaves are enclosed: one whose sign is known over a box has it in all parts of it, and
 * takes no further part. A box is done when no wall of the leaves left can bound the solid
 * there, when one leaf is left (its faces are noted), or when it is small enough: then all pairs
 * and triples that three-valued logic allows are noted. Nothing that exists is left out; what is
 * noted in vain costs time later, no truth. The search is repeated with smaller boxes as long as
 * that leaves fewer, and their number stays low. Of solids that deform nothing is known
 * beforehand: every pair and triple that the tree allows is noted, unless they are made for a
 * stretch of time. */
#include "base/sort.h"
#include "surface/csg.h"

enum { least_depth = 9, most_depth = 24, max_boxes = 1 << 12, max_sets = 1 << 16 };

typedef struct search {
    const abut_csg_body *body;
    abut_workspace *temporary;
    ia *scratch;
    ia time;
    /* of sets found: three wall numbers + 1, 21 bits each, the largest first; 0: none */
    uint64_t *keys;
    size_t count, capacity;
    size_t boxes;
    int depth; /* of the smallest boxes */
    abut_status status;
} search;

/* ---- walls ---- */

/* Signs with which each leaf occurs: bit 0 for +, bit 1 for -. The tokens are read backwards, so
 * that an operator comes before its operands. */
static abut_status leaf_signs(const abut_csg_body *body, abut_workspace *temporary, uint8_t *signs)
{
    uint8_t *pending = abut_workspace_take(temporary, body->def.token_count + 1, 1);
    if (!pending)
        return ABUT_ERR_MEMORY;
    size_t top = 0;
    pending[top++] = 0;
    for (size_t i = body->def.token_count; i-- > 0;) {
        const abut_csg_token token = body->def.tokens[i];
        const uint8_t turned = pending[--top];
        if (token.step == ABUT_CSG_STEP_LEAF) {
            signs[token.leaf] |= (uint8_t)(1u << turned);
        } else if (token.step == ABUT_CSG_STEP_NOT) {
            pending[top++] = !turned;
        } else {
            pending[top++] = turned;
            pending[top++] = turned;
        }
    }
    return ABUT_OK;
}

static abut_status find_walls(abut_csg_body *body, abut_workspace *ws, abut_workspace *temporary)
{
    const size_t n = body->def.leaf_count;
    uint8_t *signs = abut_workspace_take(temporary, n, 1);
    body->walls = abut_workspace_take(ws, 2 * n, sizeof *body->walls);
    if (!signs || !body->walls)
        return ABUT_ERR_MEMORY;
    memset(signs, 0, n);
    const abut_status status = leaf_signs(body, temporary, signs);
    for (size_t i = 0; i < n && !status; ++i)
        for (int turned = 0; turned < 2; ++turned)
            if (signs[i] >> turned & 1)
                body->walls[body->wall_count++] = (abut_csg_wall){ (uint32_t)i, turned ? -1 : 1 };
    return status;
}

/* ---- sets ---- */

static bool key_before(void *ctx, const void *a, const void *b)
{
    (void)ctx;
    return *(const uint64_t *)a < *(const uint64_t *)b;
}

static void drop_doubles(search *s)
{
    size_t kept = 0;
    abut_base_sort(s->keys, s->count, sizeof *s->keys, key_before, NULL);
    for (size_t i = 0; i < s->count; ++i)
        if (kept == 0 || s->keys[i] != s->keys[kept - 1])
            s->keys[kept++] = s->keys[i];
    s->count = kept;
}

static void note(search *s, const abut_csg_set *set)
{
    uint64_t key = 0;
    for (uint32_t i = set->count; i-- > 0;)
        key = key << 21 | (set->wall[i] + 1);
    if (s->count == s->capacity) {
        drop_doubles(s);
        if (s->count > s->capacity / 2) {
            s->status = ABUT_ERR_LIMIT;
            return;
        }
    }
    s->keys[s->count++] = key;
}

/* Notes what the walls of the leaves left may make. */
static void note_sets(search *s, const uint32_t *walls, size_t count, const uint8_t *state)
{
    for (size_t i = 0; i < count && !s->status; ++i) {
        abut_csg_set set = { { walls[i] }, 1 };
        if (abut_csg_bounds_by(s->body, &set, state) == ABUT_NOWHERE)
            continue;
        note(s, &set);
        for (size_t j = i + 1; j < count && !s->status; ++j) {
            if (s->body->walls[walls[j]].leaf == s->body->walls[walls[i]].leaf)
                continue;
            set = (abut_csg_set){ { walls[i], walls[j] }, 2 };
            if (abut_csg_bounds_by(s->body, &set, state) == ABUT_NOWHERE)
                continue;
            note(s, &set);
            for (size_t k = j + 1; k < count && !s->status; ++k) {
                if (s->body->walls[walls[k]].leaf == s->body->walls[walls[j]].leaf)
                    continue;
                set = (abut_csg_set){ { walls[i], walls[j], walls[k] }, 3 };
                if (abut_csg_bounds_by(s->body, &set, state) != ABUT_NOWHERE)
                    note(s, &set);
            }
        }
    }
}

/* Walls of the leaves that are unknown and may bound the solid; returns the number of their
 * leaves. */
static size_t live_walls(const search *s, const uint8_t *state, uint32_t *walls, size_t *count)
{
    size_t leaves = 0;
    uint32_t last = UINT32_MAX;
    *count = 0;
    for (uint32_t i = 0; i < s->body->wall_count; ++i) {
        const uint32_t leaf = s->body->walls[i].leaf;
        const abut_csg_set set = { { i }, 1 };
        if (state[leaf] != ABUT_CSG_UNKNOWN || abut_csg_bounds_by(s->body, &set, state) == ABUT_NOWHERE)
            continue;
        walls[(*count)++] = i;
        leaves += leaf != last;
        last = leaf;
    }
    return leaves;
}

static void search_box(search *s, ia3 x, const uint8_t *above, int depth)
{
    const size_t n = s->body->def.leaf_count;
    const abut_workspace_mark mark = abut_workspace_begin(s->temporary);
    uint8_t *state = abut_workspace_take(s->temporary, n, 1);
    uint32_t *walls = abut_workspace_take(s->temporary, s->body->wall_count, sizeof *walls);
    size_t wall_count;
    if (!state || !walls) {
        s->status = ABUT_ERR_MEMORY;
    } else {
        ++s->boxes;
        for (uint32_t i = 0; i < n; ++i)
            state[i] = above[i] != ABUT_CSG_UNKNOWN
                           ? above[i]
                           : (uint8_t)abut_csg_examine(s->body, i, x, s->time, s->scratch);
        const size_t leaves = live_walls(s, state, walls, &wall_count);
        if (leaves == 1 || (leaves > 1 && depth == s->depth)) {
            note_sets(s, walls, wall_count, state);
        } else if (leaves > 1) {
            ia3 halves[2] = { x, x };
            const double wx = ia_width(x.x), wy = ia_width(x.y), wz = ia_width(x.z);
            for (int i = 0; i < 2; ++i) {
                ia *side = wx >= wy && wx >= wz ? &halves[i].x : wy >= wz ? &halves[i].y : &halves[i].z;
                const double middle = ia_mid(*side);
                *side = i == 0 ? ia_make(ia_lo(*side), middle) : ia_make(middle, ia_hi(*side));
            }
            for (int i = 0; i < 2 && !s->status; ++i)
                search_box(s, halves[i], state, depth + 1);
        }
    }
    abut_workspace_end(s->temporary, mark);
}

static ABUT_NOINLINE void search_kernel(search *s, const uint8_t *unknown)
{
    size_t last = SIZE_MAX;
    for (s->depth = least_depth; s->depth <= most_depth && !s->status; s->depth += 3) {
        s->count = s->boxes = 0;
        search_box(s, s->body->bounds, unknown, 0);
        drop_doubles(s);
        if (s->count == last || 3 * s->boxes > max_boxes) /* a crease needs twice as many at the next depth */
            break;
        last = s->count;
    }
}

static abut_status gather(search *s, abut_csg_body *body, abut_workspace *ws)
{
    drop_doubles(s);
    body->sets = abut_workspace_take(ws, s->count, sizeof *body->sets);
    if (!body->sets)
        return ABUT_ERR_MEMORY;
    body->set_count = s->count;
    /* Keys ascend with the number of walls: faces, creases, corners. */
    for (size_t i = 0; i < s->count; ++i) {
        abut_csg_set *set = &body->sets[i];
        set->count = 0;
        for (uint64_t key = s->keys[i]; key; key >>= 21)
            set->wall[set->count++] = (uint32_t)(key & 0x1fffff) - 1;
    }
    return ABUT_OK;
}

abut_status abut_csg_find(abut_csg_body *body, abut_workspace *ws, abut_workspace *temporary)
{
    const size_t n = body->def.leaf_count;
    search s = { .body = body,
                 .temporary = temporary,
                 .time = ia_from(body->def.time),
                 .capacity = n == 1 ? 8 : 2 * max_sets };
    abut_status status = find_walls(body, ws, temporary);
    uint8_t *unknown = abut_workspace_take(temporary, n, 1);
    uint32_t *walls = abut_workspace_take(temporary, body->wall_count, sizeof *walls);
    s.keys = abut_workspace_take(temporary, s.capacity, sizeof *s.keys);
    s.scratch = abut_workspace_take(temporary, body->map_scratch + 16, sizeof *s.scratch);
    if (status || !unknown || !walls || !s.keys || !s.scratch)
        return ABUT_ERR_MEMORY;
    memset(unknown, ABUT_CSG_UNKNOWN, n);
    const bool empty = ia3_is_empty(body->bounds);
    if ((body->def.deforms && !body->def.timed) || n == 1) {
        for (uint32_t i = 0; i < body->wall_count; ++i)
            walls[i] = i;
        if (!empty)
            note_sets(&s, walls, body->wall_count, unknown);
    } else if (!empty) {
        const abut_rounding saved = abut_rounding_enter();
        search_kernel(&s, unknown);
        abut_rounding_leave(saved);
    }
    return s.status ? s.status : gather(&s, body, ws);
}
