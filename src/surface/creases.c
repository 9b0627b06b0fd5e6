/* SPDX-License-Identifier: MIT */
/* Which leaves of a Boolean combination bound the solid, and which two and three of them meet on
 * it.
 *
 * The box of the solid is halved along its longest side, again and again. In each box the fields
 * of the leaves are enclosed: one whose sign is known over a box has it in all parts of it, and
 * takes no further part. A box is done when no wall of the leaves left can bound the solid
 * there, when one leaf is left (its faces are noted), or when a few are left: then all pairs
 * and triples that three-valued logic allows are noted, where a step of Newton's method in intervals
 * does not show that they have no common zero there, or none on the solid. Nothing that exists is left out; what is
 * noted in vain costs time later, no truth. Of solids that deform nothing is known
 * beforehand: every pair and triple that the tree allows is noted, unless they are made for a
 * stretch of time. */
#include "base/sort.h"
#include "surface/csg.h"

#include <math.h>

enum {
    least_depth = 12,
    most_depth = 18,
    few = 4,
    max_boxes = 1 << 12,
    max_sets = 1 << 16,
    max_tries = 256,
    max_work = 1 << 21,
    HALVINGS = 18
};

typedef struct search {
    const abut_csg_body *body;
    abut_workspace *temporary;
    ia *scratch;
    ia time;
    /* of sets found: three wall numbers + 1, 21 bits each, the largest first; 0: none. A hash table,
     * of a power of two entries, at most half full */
    uint64_t *keys;
    size_t count, capacity;
    size_t boxes;
    size_t tries; /* of one set in one box */
    size_t work;  /* of all, in leaves: in the end, sets are noted as they come */
    double least; /* of sides that are worth halving */
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

static uint64_t key_of(const abut_csg_set *set)
{
    uint64_t key = 0;
    for (uint32_t i = set->count; i-- > 0;)
        key = key << 21 | (set->wall[i] + 1);
    return key;
}

/* Where the key is in the table, or where it goes. */
static size_t slot_of(const search *s, uint64_t key)
{
    uint64_t h = key * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
    size_t i = (size_t)h & (s->capacity - 1);
    while (s->keys[i] && s->keys[i] != key)
        i = (i + 1) & (s->capacity - 1);
    return i;
}

static bool is_noted(const search *s, const abut_csg_set *set)
{
    return s->keys[slot_of(s, key_of(set))] != 0;
}

static void note(search *s, const abut_csg_set *set)
{
    const uint64_t key = key_of(set);
    const size_t i = slot_of(s, key);
    if (s->keys[i])
        return;
    if (2 * s->count >= s->capacity) {
        s->status = ABUT_ERR_LIMIT;
        return;
    }
    s->keys[i] = key;
    ++s->count;
}

/* Notes all that the walls may make, wherever they are. */
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

/* ---- where the walls of a set may meet in a box ---- */

/* A leaf over a box: its value in the middle, its gradient all over it. */
typedef struct slope {
    ia f, g[3];
    bool defined;
} slope;

typedef struct local_box {
    ia3 x;
    double middle[3];
} local_box;

static local_box box_about(ia3 x)
{
    return (local_box){ x, { ia_mid(x.x), ia_mid(x.y), ia_mid(x.z) } };
}

static slope slope_of(const search *s, uint32_t wall, const local_box *b)
{
    enum { STRIDE = 15 };
    const abut_map *const map = &s->body->def.leaves[s->body->walls[wall].leaf];
    const ia at[4] = { ia_point(b->middle[0]), ia_point(b->middle[1]), ia_point(b->middle[2]),
                       ia_point(ia_mid(s->time)) };
    const ia over[4] = { b->x.x, b->x.y, b->x.z, s->time };
    ia *const v = s->scratch;
    slope out = { .defined = map->enclose(map->ctx, at, 0, v + STRIDE, v) && !ia_is_empty(v[0]) };
    out.f = v[0];
    out.defined = out.defined && map->enclose(map->ctx, over, 1, v + STRIDE, v);
    for (int k = 0; k < 3; ++k) {
        out.g[k] = v[1 + k];
        out.defined = out.defined && ia_is_finite(v[1 + k]);
    }
    /* Over a stretch of time, the middle is that of the time, too. */
    if (out.defined)
        out.f = ia_add(out.f, ia_mul(v[4], ia_sub(s->time, at[3])));
    out.defined = out.defined && ia_is_finite(out.f);
    return out;
}

static double steepness(const slope *w, int axis)
{
    return ia_mid(w->g[axis]);
}

/* Rows of an approximate inverse of the slopes by `axes`, as many as walls; false: none. */
static bool invert(const slope *const *walls, const int *axes, int n, double out[3][3])
{
    double a[3][6] = { { 0 } };
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j)
            a[i][j] = steepness(walls[i], axes[j]);
        a[i][n + i] = 1;
    }
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i)
            best = fabs(a[i][k]) > fabs(a[best][k]) ? i : best;
        if (!(fabs(a[best][k]) > 0))
            return false;
        for (int j = 0; j < 2 * n; ++j) {
            const double swap = a[k][j];
            a[k][j] = a[best][j];
            a[best][j] = swap;
        }
        const double pivot = a[k][k];
        for (int j = 0; j < 2 * n; ++j)
            a[k][j] /= pivot;
        for (int i = 0; i < n; ++i) {
            const double part = a[i][k];
            for (int j = 0; i != k && j < 2 * n; ++j)
                a[i][j] -= part * a[k][j];
        }
    }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            if (!isfinite(out[i][j] = a[i][n + j]))
                return false;
    return true;
}

/* The coordinates that two walls determine best by the others: those with the largest minor. */
static void choose_axes(const slope *const *walls, int n, int *axes)
{
    double most = -1;
    axes[0] = 0, axes[1] = 1, axes[2] = 2;
    for (int k = 0; n == 2 && k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const double minor = fabs(steepness(walls[0], i) * steepness(walls[1], j) -
                                  steepness(walls[0], j) * steepness(walls[1], i));
        if (minor > most) {
            most = minor;
            axes[0] = i, axes[1] = j, axes[2] = k;
        }
    }
}

/* By the mean value theorem, common zeros x satisfy f + G (x - m) = 0, and so do they after any
 * multiplication: solved for the coordinates on the axes. False: there are none in the box. */
static bool contract(const slope *const *walls, int n, local_box *b)
{
    ia *const sides[3] = { &b->x.x, &b->x.y, &b->x.z };
    double inverse[3][3];
    int axes[3];
    ia from[3];
    for (int i = 0; i < n; ++i)
        if (!walls[i]->defined)
            return true;
    choose_axes(walls, n, axes);
    if (!invert(walls, axes, n, inverse))
        return true;
    for (int k = 0; k < 3; ++k)
        from[k] = ia_sub(*sides[k], ia_point(b->middle[k]));
    for (int i = 0; i < n; ++i) {
        ia sum = ia_point(0);
        for (int r = 0; r < n; ++r)
            sum = ia_sub(sum, ia_scale(inverse[i][r], walls[r]->f));
        for (int k = 0; k < 3; ++k) {
            ia rest = ia_point(axes[i] == k ? -1 : 0);
            for (int r = 0; r < n; ++r)
                rest = ia_add(rest, ia_scale(inverse[i][r], walls[r]->g[k]));
            sum = ia_sub(sum, ia_mul(rest, from[k]));
        }
        const ia narrowed = ia_intersect(from[axes[i]], sum);
        if (ia_is_empty(narrowed))
            return false;
        from[axes[i]] = narrowed;
        const ia end = ia_intersect(*sides[axes[i]], ia_add(narrowed, ia_point(b->middle[axes[i]])));
        if (ia_is_empty(end))
            return false;
        *sides[axes[i]] = end;
    }
    return true;
}

static double largest_side(ia3 x, int *axis)
{
    const double w[3] = { ia_width(x.x), ia_width(x.y), ia_width(x.z) };
    *axis = w[0] >= w[1] && w[0] >= w[2] ? 0 : w[1] >= w[2] ? 1 : 2;
    return w[*axis];
}

/* Whether the walls of the set may meet in the box on the solid, by all of them: the box is narrowed to
 * where they may, and halved a few times. `known`: their slopes over it, or NULL. */
static bool may_meet(search *s, const abut_csg_set *set, const slope *const *known, const uint8_t *state,
                     uint8_t *own, ia3 x, int halvings)
{
    slope again[3];
    const slope *walls[3];
    const size_t leaves = s->body->def.leaf_count;
    const int n = (int)set->count;
    local_box b = box_about(x);
    int axis;
    if (abut_csg_bounds_by(s->body, set, state) == ABUT_NOWHERE)
        return false;
    ++s->tries;
    s->work += leaves;
    for (int i = 0; i < n; ++i) {
        if (!known)
            again[i] = slope_of(s, set->wall[i], &b);
        walls[i] = known ? known[i] : &again[i];
    }
    const double before = largest_side(x, &axis);
    if (!contract(walls, n, &b))
        return false;
    for (uint32_t i = 0; i < leaves; ++i)
        own[i] = state[i] != ABUT_CSG_UNKNOWN
                     ? state[i]
                     : (uint8_t)abut_csg_examine(s->body, i, b.x, s->time, s->scratch);
    for (int i = 0; i < n; ++i)
        if (own[s->body->walls[set->wall[i]].leaf] != ABUT_CSG_UNKNOWN)
            return false;
    if (abut_csg_bounds_by(s->body, set, own) == ABUT_NOWHERE)
        return false;
    const double after = largest_side(b.x, &axis);
    if (halvings == 0 || s->tries > max_tries || s->work > max_work || !(after > s->least))
        return true;
    if (after < 0.25 * before) /* narrowed as it is, for less than a halving */
        return may_meet(s, set, NULL, own, own + leaves, b.x, halvings - 1);
    for (int i = 0; i < 2; ++i) {
        ia3 half = b.x;
        ia *const sides[3] = { &half.x, &half.y, &half.z };
        const double middle = ia_mid(*sides[axis]);
        *sides[axis] = i ? ia_make(middle, ia_hi(*sides[axis])) : ia_make(ia_lo(*sides[axis]), middle);
        if (may_meet(s, set, NULL, own, own + leaves, half, halvings - 1))
            return true;
    }
    return false;
}

static void note_corners(search *s, const uint32_t *walls, size_t count, size_t i, size_t j,
                         const slope *slopes, const uint8_t *state, uint8_t *own, const local_box *b)
{
    for (size_t k = j + 1; k < count && !s->status; ++k) {
        const abut_csg_set set = { { walls[i], walls[j], walls[k] }, 3 };
        const slope *const three[3] = { &slopes[i], &slopes[j], &slopes[k] };
        if (s->body->walls[walls[k]].leaf == s->body->walls[walls[j]].leaf)
            continue;
        s->tries = 0;
        if (!is_noted(s, &set) && may_meet(s, &set, three, state, own, b->x, HALVINGS))
            note(s, &set);
    }
}

/* Notes what the walls of the leaves left may make in a box. */
static void note_local_sets(search *s, const uint32_t *walls, size_t count, const uint8_t *state, ia3 x)
{
    const abut_workspace_mark mark = abut_workspace_begin(s->temporary);
    slope *const slopes = abut_workspace_take(s->temporary, count, sizeof *slopes);
    uint8_t *const own = abut_workspace_take(s->temporary, s->body->def.leaf_count, HALVINGS + 1);
    const local_box whole = box_about(x);
    if (!slopes || !own)
        s->status = ABUT_ERR_MEMORY;
    for (size_t i = 0; i < count && !s->status; ++i)
        slopes[i] = slope_of(s, walls[i], &whole);
    for (size_t i = 0; i < count && !s->status; ++i) {
        abut_csg_set set = { { walls[i] }, 1 };
        if (abut_csg_bounds_by(s->body, &set, state) == ABUT_NOWHERE)
            continue;
        note(s, &set);
        for (size_t j = i + 1; j < count && !s->status; ++j) {
            const slope *const two[2] = { &slopes[i], &slopes[j] };
            if (s->body->walls[walls[j]].leaf == s->body->walls[walls[i]].leaf)
                continue;
            set = (abut_csg_set){ { walls[i], walls[j] }, 2 };
            s->tries = 0;
            if (!is_noted(s, &set) && !may_meet(s, &set, two, state, own, whole.x, HALVINGS))
                continue;
            note(s, &set);
            note_corners(s, walls, count, i, j, slopes, state, own, &whole);
        }
    }
    abut_workspace_end(s->temporary, mark);
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
        const bool last =
            depth >= most_depth || (depth >= least_depth && leaves <= few) || s->boxes > max_boxes;
        if (leaves == 1 || (leaves > 1 && last)) {
            note_local_sets(s, walls, wall_count, state, x);
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
    int axis;
    s->least = 0x1p-24 * largest_side(s->body->bounds, &axis);
    search_box(s, s->body->bounds, unknown, 0);
}

/* Room for all sets that there can be, or as many as are allowed. */
static size_t room_for(const abut_csg_body *body)
{
    const double w = (double)body->wall_count, most = w + w * w / 2 + w * w * w / 6;
    size_t room = 16;
    while (room < 4 * max_sets && (double)room < 2 * most + 4)
        room *= 2;
    return room;
}

static abut_status gather(search *s, abut_csg_body *body, abut_workspace *ws)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->capacity; ++i)
        if (s->keys[i])
            s->keys[kept++] = s->keys[i];
    abut_base_sort(s->keys, kept, sizeof *s->keys, key_before, NULL);
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
    search s = { .body = body, .temporary = temporary, .time = ia_from(body->def.time) };
    abut_status status = find_walls(body, ws, temporary);
    s.capacity = room_for(body);
    uint8_t *unknown = abut_workspace_take(temporary, n, 1);
    uint32_t *walls = abut_workspace_take(temporary, body->wall_count, sizeof *walls);
    s.keys = abut_workspace_take(temporary, s.capacity, sizeof *s.keys);
    s.scratch = abut_workspace_take(temporary, body->map_scratch + 16, sizeof *s.scratch);
    if (status || !unknown || !walls || !s.keys || !s.scratch)
        return ABUT_ERR_MEMORY;
    memset(unknown, ABUT_CSG_UNKNOWN, n);
    memset(s.keys, 0, s.capacity * sizeof *s.keys);
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
