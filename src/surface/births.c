/* SPDX-License-Identifier: MIT */
/* Where parts of an implicit solid or Boolean combination that deforms may appear or vanish.
 *
 * With its negations pushed down to the leaves the tree is a monotone formula of walls {F <= 0}:
 * the solid is the union, over the prime implicants of the formula, of the intersections of
 * their walls. Where a part appears, the time is least among the points of one such
 * intersection, so that multipliers m >= 0, not all zero, make the sum of m grad F vanish over
 * walls of that implicant that are zero there; four of them are enough in space (Caratheodory).
 * So these are the sets of up to four walls that may belong to one prime implicant. Two walls
 * may if an "and" joins an occurrence of one to an occurrence of the other; an "or" between them
 * never needs both. docs/notes/contact-of-surfaces.md */
#include "surface/csg.h"

enum { max_walls = 1024, max_leaf_tokens = 4096, max_births = 1 << 15 };

static const uint32_t no_wall = UINT32_MAX;

typedef struct tree {
    const abut_csg_body *body;
    size_t wall_count;
    uint32_t *wall;  /* of each token that is a leaf: the wall that it stands for */
    uint32_t *begin; /* first token of the operand that each token completes */
    uint8_t *turned; /* under an odd number of negations */
    uint8_t *joined; /* wall_count^2: an "and" joins them */
} tree;

/* Without the sides of the box, which births know by other means: where coordinates are at an end of
 * their ranges. */
static size_t token_count_of(const abut_csg_body *body)
{
    return body->def.token_count - 2 * body->cut_count;
}

/* Walls come in the order of their leaves, so that the sides are last. */
static size_t wall_count_of(const abut_csg_body *body)
{
    size_t n = body->wall_count;
    while (n > 0 && body->walls[n - 1].leaf >= body->def.leaf_count - body->cut_count)
        --n;
    return n;
}

static uint32_t wall_of(const abut_csg_body *body, uint32_t leaf, bool turned)
{
    for (uint32_t i = 0; i < body->wall_count; ++i)
        if (body->walls[i].leaf == leaf && (body->walls[i].sign < 0) == turned)
            return i;
    return no_wall;
}

/* Signs from the root down, extents from the leaves up. */
static void read_tree(tree *r, uint32_t *stack)
{
    const abut_csg_token *const tokens = r->body->def.tokens;
    const size_t n = token_count_of(r->body);
    size_t top = 0;
    stack[top++] = 0;
    for (size_t i = n; i-- > 0;) {
        const uint8_t turned = (uint8_t)stack[--top];
        r->turned[i] = turned;
        if (tokens[i].step == ABUT_CSG_STEP_LEAF)
            continue;
        if (tokens[i].step == ABUT_CSG_STEP_NOT) {
            stack[top++] = !turned;
        } else {
            stack[top++] = turned;
            stack[top++] = turned;
        }
    }
    top = 0;
    for (size_t i = 0; i < n; ++i) {
        r->wall[i] = no_wall;
        if (tokens[i].step == ABUT_CSG_STEP_LEAF) {
            r->wall[i] = wall_of(r->body, tokens[i].leaf, r->turned[i]);
            stack[top++] = (uint32_t)i;
        } else if (tokens[i].step != ABUT_CSG_STEP_NOT) {
            --top;
        }
        r->begin[i] = stack[top - 1];
    }
}

static void join(tree *r, size_t first, size_t middle, size_t end)
{
    const size_t n = r->wall_count;
    for (size_t i = first; i < middle; ++i)
        for (size_t j = middle; j < end && r->wall[i] != no_wall; ++j)
            if (r->wall[j] != no_wall)
                r->joined[r->wall[i] * n + r->wall[j]] = r->joined[r->wall[j] * n + r->wall[i]] = 1;
}

static void find_joined(tree *r)
{
    const abut_csg_token *const tokens = r->body->def.tokens;
    for (size_t i = 0; i < token_count_of(r->body); ++i) {
        if (tokens[i].step == (uint32_t)(r->turned[i] ? ABUT_CSG_STEP_OR : ABUT_CSG_STEP_AND))
            join(r, r->begin[i], r->begin[i - 1], i);
    }
}

static bool fits(const tree *r, const abut_csg_birth *set, uint32_t wall)
{
    const abut_csg_wall *const walls = r->body->walls;
    for (uint32_t i = 0; i < set->count; ++i)
        if (!r->joined[set->wall[i] * r->wall_count + wall] || walls[set->wall[i]].leaf == walls[wall].leaf)
            return false;
    return true;
}

/* Counts the sets that begin with `set`, and lists them where there is a list. */
static void list_sets(const tree *r, const abut_csg_birth *set, abut_csg_birth *list, size_t *count)
{
    const uint32_t from = set->count ? set->wall[set->count - 1] + 1 : 0;
    for (uint32_t i = from; i < r->wall_count && *count < max_births; ++i) {
        if (!fits(r, set, i))
            continue;
        abut_csg_birth longer = *set;
        longer.wall[longer.count++] = i;
        if (list)
            list[*count] = longer;
        ++*count;
        if (longer.count < ABUT_CSG_BIRTH_WALLS)
            list_sets(r, &longer, list, count);
    }
}

abut_status abut_csg_find_births(abut_csg_body *body, abut_workspace *ws, abut_workspace *temporary)
{
    const size_t n = token_count_of(body), walls = wall_count_of(body);
    size_t leaves = 0;
    for (size_t i = 0; i < n; ++i)
        leaves += body->def.tokens[i].step == ABUT_CSG_STEP_LEAF;
    body->births_left_out = walls > max_walls || leaves > max_leaf_tokens;
    if (body->births_left_out || ia3_is_empty(body->bounds))
        return ABUT_OK;
    tree r = { .body = body, .wall_count = walls };
    r.wall = abut_workspace_take(temporary, n, sizeof *r.wall);
    r.begin = abut_workspace_take(temporary, n, sizeof *r.begin);
    r.turned = abut_workspace_take(temporary, n, 1);
    r.joined = abut_workspace_take(temporary, walls * walls, 1);
    uint32_t *const stack = abut_workspace_take(temporary, n + 1, sizeof *stack);
    if (!r.wall || !r.begin || !r.turned || !r.joined || !stack)
        return ABUT_ERR_MEMORY;
    memset(r.joined, 0, walls * walls);
    read_tree(&r, stack);
    find_joined(&r);
    const abut_csg_birth none = { .count = 0 };
    size_t count = 0;
    list_sets(&r, &none, NULL, &count);
    body->births_left_out = count >= max_births;
    body->births = abut_workspace_take(ws, count + 1, sizeof *body->births);
    if (!body->births)
        return ABUT_ERR_MEMORY;
    list_sets(&r, &none, body->births, &body->birth_count);
    return ABUT_OK;
}

/* ---- surface.h ---- */

static const abut_csg_body *csg_of(const abut_surface *s)
{
    return (const abut_csg_body *)s->body;
}

int abut_birth_field_count(const abut_surface *s, size_t birth)
{
    return (int)csg_of(s)->births[birth].count;
}

bool abut_birth_field(const abut_surface *s, size_t birth, int i, ia3 x, ia t, int order, ia *scratch,
                      abut_field_jet *out)
{
    const abut_csg_body *const body = csg_of(s);
    return abut_csg_field(body, body->births[birth].wall[i], x, t, order, scratch, out);
}

/* Of the tree without the sides of the box. */
static abut_truth is_in(const abut_csg_body *body, const uint8_t *state)
{
    abut_csg_body uncut = *body;
    uncut.def.token_count = token_count_of(body);
    const abut_csg_worlds w = abut_csg_evaluate(&uncut, NULL, 0, state);
    return !w.out ? ABUT_EVERYWHERE : !w.in ? ABUT_NOWHERE : ABUT_SOMEWHERE;
}

ia3 abut_birth_bounds(const abut_surface *s)
{
    const abut_aabb *const b = &csg_of(s)->def.bounds;
    return (ia3){ ia_make(b->lo.x, b->hi.x), ia_make(b->lo.y, b->hi.y), ia_make(b->lo.z, b->hi.z) };
}

/* The walls of the set hold, as they are zero; the others by their fields. */
abut_truth abut_birth_on(const abut_surface *s, size_t birth, ia3 x, ia t, ia *scratch)
{
    const abut_csg_body *const body = csg_of(s);
    const abut_csg_birth *const set = &body->births[birth];
    const size_t leaves = body->def.leaf_count - body->cut_count;
    const abut_truth near = abut_csg_within(body, x);
    if (near == ABUT_NOWHERE || leaves == 1)
        return near;
    uint8_t *const state = abut_csg_states(body, scratch);
    for (uint32_t k = 0; k < leaves; ++k) {
        int sign = 0;
        for (uint32_t i = 0; i < set->count; ++i)
            sign = body->walls[set->wall[i]].leaf == k ? body->walls[set->wall[i]].sign : sign;
        state[k] = (uint8_t)(sign > 0   ? ABUT_CSG_IN
                             : sign < 0 ? ABUT_CSG_OUT
                                        : abut_csg_examine(body, k, x, t, scratch));
    }
    const abut_truth in = is_in(body, state);
    return in < near ? in : near;
}

bool abut_birth_inside(const abut_surface *s, ia3 x, ia t, ia *scratch)
{
    const abut_csg_body *const body = csg_of(s);
    const ia3 all = abut_birth_bounds(s);
    uint8_t *const state = abut_csg_states(body, scratch);
    if (!ia_subset(x.x, all.x) || !ia_subset(x.y, all.y) || !ia_subset(x.z, all.z))
        return false;
    for (uint32_t k = 0; k < body->def.leaf_count - body->cut_count; ++k)
        state[k] = (uint8_t)abut_csg_examine(body, k, x, t, scratch);
    return is_in(body, state) == ABUT_EVERYWHERE;
}
