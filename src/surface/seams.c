/* SPDX-License-Identifier: MIT */
/* Where Bezier patches meet: sides with equal control points and weights, in the same or the
 * opposite order, are one edge; corners at equal points one vertex.
 *
 * Only equal numbers count, as everywhere in abut: nothing is welded by a tolerance. A side
 * whose points are all equal is a pole: no edge, but a place at the vertex. Patches with a side
 * that meets no other are taken away, again and again; what is left over is closed. Shells are
 * the parts that hang together by edges. Where more than two sides lie along one curve, those of
 * one shell are its edge, so that shells may touch along edges; in a sheet they stay edges of
 * their own. Closed shells beside open patches, and curves where it is open which sides belong
 * together, are errors: as a sheet they would have no inside. */
#include "base/sort.h"
#include "surface/patches.h"

/* Control point i of a side, in the direction of its parameter. */
static int side_degree(const abut_patch *p, int side)
{
    return side < 2 ? p->net[0].n : p->net[0].m;
}

static size_t side_index(const abut_patch *p, int side, int i)
{
    const int m = p->net[0].m, n = p->net[0].n;
    const int at = side & 1 ? (side < 2 ? m : n) : 0;
    return side < 2 ? (size_t)(i * (m + 1) + at) : (size_t)(at * (m + 1) + i);
}

static bool same_point(abut_vec3 a, abut_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool is_pole(const abut_patch *p, int side)
{
    const abut_vec3 first = p->points[side_index(p, side, 0)];
    for (int i = 1; i <= side_degree(p, side); ++i)
        if (!same_point(p->points[side_index(p, side, i)], first))
            return false;
    return true;
}

static double weight_of(const abut_patch *p, size_t i)
{
    return p->rational ? p->weights[i] : 1;
}

static bool same_curve(const abut_patch *a, int side_a, const abut_patch *b, int side_b, bool reversed)
{
    const int degree = side_degree(a, side_a);
    if (degree != side_degree(b, side_b))
        return false;
    for (int i = 0; i <= degree; ++i) {
        const size_t k = side_index(a, side_a, i), l = side_index(b, side_b, reversed ? degree - i : i);
        if (!same_point(a->points[k], b->points[l]) || weight_of(a, k) != weight_of(b, l))
            return false;
    }
    return true;
}

/* ---- edges ---- */

/* A side with a number that does not depend on its direction, so that equal curves have equal
 * ones. */
typedef struct keyed_side {
    double key;
    uint32_t patch;
    uint32_t side;
    uint32_t curve;   /* equal for equal curves */
    uint32_t partner; /* the side it makes an edge with; NONE */
} keyed_side;

static const uint32_t NONE = UINT32_MAX;

static bool side_before(void *ctx, const void *a, const void *b)
{
    (void)ctx;
    const keyed_side *x = (const keyed_side *)a, *y = (const keyed_side *)b;
    if (x->key != y->key)
        return x->key < y->key;
    return x->patch != y->patch ? x->patch < y->patch : x->side < y->side;
}

static double key_of(const abut_patch *p, int side)
{
    const abut_vec3 a = p->points[side_index(p, side, 0)];
    const abut_vec3 b = p->points[side_index(p, side, side_degree(p, side))];
    return (a.x / 4 + b.x / 4) + 0.618 * (a.y / 4 + b.y / 4) + 0.382 * (a.z / 4 + b.z / 4);
}

/* +1 where the parameter of a side runs around the patch as its normal wants it, -1 where
 * against. */
static int turn_of(int side)
{
    return side == 2 || side == 1 ? 1 : -1;
}

static bool meet(const abut_patches_body *body, const keyed_side *a, const keyed_side *b)
{
    const abut_patch *p = &body->patches[a->patch], *q = &body->patches[b->patch];
    return same_curve(p, (int)a->side, q, (int)b->side, false) ||
           same_curve(p, (int)a->side, q, (int)b->side, true);
}

typedef struct joining {
    abut_patches_body *body;
    keyed_side *sides;
    size_t side_count;
    uint32_t curve_count;
    uint32_t *all, *left; /* sides on each curve; those of patches that are left */
    uint32_t *index;      /* of the sides of each patch */
    bool *gone;           /* patches that are part of no closed shell */
    uint8_t *unlike;      /* sides of each patch whose neighbours are turned the other way */
    uint32_t *parent;     /* of patches, in trees of patches that hang together */
    abut_seam_trouble *trouble;
} joining;

/* End of the sides that have the key of `from`. */
static size_t group_end(const joining *m, size_t from)
{
    size_t to = from + 1;
    while (to < m->side_count && m->sides[to].key == m->sides[from].key)
        ++to;
    return to;
}

static void number_curves(joining *m)
{
    for (size_t from = 0, to; from < m->side_count; from = to) {
        to = group_end(m, from);
        for (size_t i = from; i < to; ++i) {
            if (m->sides[i].curve != NONE)
                continue;
            const uint32_t curve = m->sides[i].curve = m->curve_count++;
            m->all[curve] = 1;
            for (size_t j = i + 1; j < to; ++j)
                if (m->sides[j].curve == NONE && meet(m->body, &m->sides[i], &m->sides[j])) {
                    m->sides[j].curve = curve;
                    ++m->all[curve];
                }
        }
    }
    for (uint32_t i = 0; i < m->curve_count; ++i)
        m->left[i] = m->all[i];
}

static bool has_free_side(const joining *m, uint32_t patch)
{
    for (int side = 0; side < 4; ++side) {
        const uint32_t at = m->index[4 * patch + side];
        if (at != NONE && m->left[m->sides[at].curve] == 1)
            return true;
    }
    return false;
}

/* Takes away patches with a side that meets no other, again and again: what is left over is
 * closed, or has closed parts. */
static void take_open_away(joining *m, uint32_t *stack)
{
    size_t n = 0;
    for (uint32_t i = 0; i < m->body->patch_count; ++i)
        if (has_free_side(m, i)) {
            m->gone[i] = true;
            stack[n++] = i;
        }
    while (n > 0) {
        const uint32_t patch = stack[--n];
        for (int side = 0; side < 4; ++side) {
            const uint32_t at = m->index[4 * patch + side];
            if (at == NONE || --m->left[m->sides[at].curve] != 1)
                continue;
            const size_t to = m->side_count;
            size_t k = at; /* the side left over has the same key: beside it in the order */
            while (k > 0 && m->sides[k - 1].key == m->sides[at].key)
                --k;
            for (; k < to && m->sides[k].key == m->sides[at].key; ++k)
                if (m->sides[k].curve == m->sides[at].curve && !m->gone[m->sides[k].patch]) {
                    m->gone[m->sides[k].patch] = true;
                    stack[n++] = m->sides[k].patch;
                }
        }
    }
}

static uint32_t root_of(const joining *m, uint32_t patch)
{
    while (m->parent[patch] != patch)
        patch = m->parent[patch] = m->parent[m->parent[patch]];
    return patch;
}

static void make_partners(joining *m, size_t i, size_t j)
{
    m->sides[i].partner = (uint32_t)j;
    m->sides[j].partner = (uint32_t)i;
    m->parent[root_of(m, m->sides[i].patch)] = root_of(m, m->sides[j].patch);
}

/* Curves with two sides, of all patches or of those that are left, are edges. */
static void pair_sides(joining *m)
{
    for (size_t from = 0, to; from < m->side_count; from = to) {
        to = group_end(m, from);
        for (size_t i = from; i < to; ++i)
            for (size_t j = i + 1; j < to; ++j) {
                const uint32_t curve = m->sides[i].curve;
                if (m->sides[j].curve == curve && m->sides[i].partner == NONE &&
                    m->sides[j].partner == NONE &&
                    (m->all[curve] == 2 ||
                     (m->left[curve] == 2 && !m->gone[m->sides[i].patch] && !m->gone[m->sides[j].patch])))
                    make_partners(m, i, j);
            }
    }
}

/* Where more meet, two of one shell are its edge: shells may touch along edges. False where that
 * leaves it open which they are. */
static bool pair_crowded(joining *m)
{
    for (size_t from = 0, to; from < m->side_count; from = to) {
        to = group_end(m, from);
        for (size_t i = from; i < to; ++i) {
            size_t found = i, count = 0;
            if (m->sides[i].partner != NONE || m->gone[m->sides[i].patch])
                continue;
            for (size_t j = from; j < to; ++j)
                if (j != i && m->sides[j].curve == m->sides[i].curve && !m->gone[m->sides[j].patch] &&
                    root_of(m, m->sides[j].patch) == root_of(m, m->sides[i].patch)) {
                    found = j;
                    ++count;
                }
            if (count != 1) {
                *m->trouble = (abut_seam_trouble){ ABUT_SEAM_CROWDED, m->sides[i].patch };
                return false;
            }
            make_partners(m, i, found);
        }
    }
    return true;
}

/* ---- shells ---- */

static bool runs_against(const joining *m, const keyed_side *a, const keyed_side *b)
{
    return !same_curve(&m->body->patches[a->patch], (int)a->side, &m->body->patches[b->patch], (int)b->side,
                       false);
}

/* A shell that is closed, but whose patches are not turned alike: the patch that most of its neighbours
 * are turned against; NONE. `closed`: of the patch that represents a shell. */
static uint32_t find_unlike(const joining *m, const bool *closed)
{
    uint32_t worst = NONE;
    for (uint32_t i = 0; i < m->body->patch_count; ++i)
        if (m->unlike[i] && closed[root_of(m, i)] && (worst == NONE || m->unlike[i] > m->unlike[worst]))
            worst = i;
    return worst;
}

/* Numbers the shells. All of them are closed: a solid; none is: a sheet. Anything between is an error, and so
 * are closed shells whose patches are not turned alike. */
static void number_shells(joining *m)
{
    abut_patches_body *body = m->body;
    /* of the patch that represents a shell; from here on that of others is not asked for */
    bool *all_meet = m->gone;
    uint32_t open = NONE, closed = NONE;
    for (uint32_t i = 0; i < body->patch_count; ++i) {
        if (m->gone[i])
            open = i;
        all_meet[i] = true;
    }
    for (size_t i = 0; i < m->side_count; ++i) {
        const keyed_side *a = &m->sides[i];
        if (a->partner == NONE || a->partner < i)
            continue;
        const keyed_side *b = &m->sides[a->partner];
        if ((turn_of((int)a->side) == turn_of((int)b->side)) != runs_against(m, a, b)) {
            ++m->unlike[a->patch];
            ++m->unlike[b->patch];
        }
    }
    for (size_t i = 0; i < m->side_count; ++i) /* an open side leaves the whole of it open */
        if (m->sides[i].partner == NONE)
            all_meet[root_of(m, m->sides[i].patch)] = false;
    for (uint32_t i = 0; i < body->patch_count; ++i) {
        if (all_meet[root_of(m, i)])
            closed = closed == NONE ? i : closed;
        else
            open = i;
        if (root_of(m, i) == i)
            body->shell[i] = (uint32_t)body->shell_count++;
    }
    for (uint32_t i = 0; i < body->patch_count; ++i)
        body->shell[i] = body->shell[root_of(m, i)];
    body->closed = open == NONE;
    if (open != NONE && closed != NONE)
        *m->trouble = (abut_seam_trouble){ ABUT_SEAM_MIXED, open };
    const uint32_t unlike = find_unlike(m, all_meet);
    if (unlike != NONE)
        *m->trouble = (abut_seam_trouble){ ABUT_SEAM_UNLIKE, unlike };
}

static void make_edges(joining *m)
{
    abut_patches_body *body = m->body;
    for (size_t i = 0; i < m->side_count; ++i) {
        const keyed_side *a = &m->sides[i];
        if (a->partner != NONE && a->partner < i)
            continue;
        abut_patch_edge *edge = &body->edges[body->edge_count++];
        *edge = (abut_patch_edge){ { { a->patch, (uint8_t)a->side, false } }, 1 };
        if (a->partner == NONE)
            continue;
        const keyed_side *b = &m->sides[a->partner];
        edge->side[1] = (abut_patch_side){ b->patch, (uint8_t)b->side, runs_against(m, a, b) };
        edge->count = 2;
    }
}

static abut_status join_sides(abut_patches_body *body, abut_workspace *ws, abut_workspace *temporary,
                              abut_seam_trouble *trouble)
{
    const size_t n = body->patch_count, most = 4 * n;
    joining m = { .body = body, .trouble = trouble };
    m.sides = abut_workspace_take(temporary, most, sizeof *m.sides);
    m.all = abut_workspace_take(temporary, most, sizeof *m.all);
    m.left = abut_workspace_take(temporary, most, sizeof *m.left);
    m.index = abut_workspace_take(temporary, most, sizeof *m.index);
    m.gone = abut_workspace_take(temporary, n, sizeof *m.gone);
    m.unlike = abut_workspace_take(temporary, n, sizeof *m.unlike);
    m.parent = abut_workspace_take(temporary, n, sizeof *m.parent);
    uint32_t *stack = abut_workspace_take(temporary, n, sizeof *stack);
    body->edges = abut_workspace_take(ws, most, sizeof *body->edges);
    body->shell = abut_workspace_take(ws, n, sizeof *body->shell);
    if (!m.sides || !m.all || !m.left || !m.index || !m.gone || !m.unlike || !m.parent || !stack ||
        !body->edges || !body->shell)
        return ABUT_ERR_MEMORY;
    for (uint32_t i = 0; i < n; ++i) {
        m.gone[i] = false;
        m.unlike[i] = 0;
        m.parent[i] = i;
        for (uint32_t side = 0; side < 4; ++side) {
            m.index[4 * i + side] = NONE;
            if (!is_pole(&body->patches[i], (int)side))
                m.sides[m.side_count++] =
                    (keyed_side){ key_of(&body->patches[i], (int)side), i, side, NONE, NONE };
        }
    }
    abut_base_sort(m.sides, m.side_count, sizeof *m.sides, side_before, NULL);
    for (size_t i = 0; i < m.side_count; ++i)
        m.index[4 * m.sides[i].patch + m.sides[i].side] = (uint32_t)i;
    number_curves(&m);
    take_open_away(&m, stack);
    pair_sides(&m);
    if (pair_crowded(&m))
        number_shells(&m);
    make_edges(&m);
    return ABUT_OK;
}

/* ---- vertices ---- */

typedef struct keyed_place {
    abut_vec3 at;
    abut_patch_place place;
} keyed_place;

static bool place_before(void *ctx, const void *a, const void *b)
{
    (void)ctx;
    const keyed_place *x = (const keyed_place *)a, *y = (const keyed_place *)b;
    if (x->at.x != y->at.x)
        return x->at.x < y->at.x;
    if (x->at.y != y->at.y)
        return x->at.y < y->at.y;
    if (x->at.z != y->at.z)
        return x->at.z < y->at.z;
    if (x->place.patch != y->place.patch)
        return x->place.patch < y->place.patch;
    if (x->place.pole != y->place.pole)
        return y->place.pole;
    return x->place.corner < y->place.corner;
}

/* Corners that are not an end of a pole, and poles. */
static size_t list_places(const abut_patches_body *body, keyed_place *out)
{
    size_t count = 0;
    for (uint32_t i = 0; i < body->patch_count; ++i) {
        const abut_patch *p = &body->patches[i];
        bool pole[4];
        for (int side = 0; side < 4; ++side) {
            pole[side] = is_pole(p, side);
            if (pole[side])
                out[count++] = (keyed_place){ p->points[side_index(p, side, 0)], { i, (uint8_t)side, true } };
        }
        for (int corner = 0; corner < 4; ++corner) {
            const int u_side = corner & 1, v_side = 2 + (corner >> 1);
            if (!pole[u_side] && !pole[v_side])
                out[count++] =
                    (keyed_place){ p->points[side_index(p, u_side, corner >> 1 ? side_degree(p, u_side) : 0)],
                                   { i, (uint8_t)corner, false } };
        }
    }
    return count;
}

static abut_status join_corners(abut_patches_body *body, abut_workspace *ws, abut_workspace *temporary)
{
    const size_t most = 4 * body->patch_count;
    keyed_place *list = abut_workspace_take(temporary, most, sizeof *list);
    body->places = abut_workspace_take(ws, most, sizeof *body->places);
    body->vertices = abut_workspace_take(ws, most, sizeof *body->vertices);
    if (!list || !body->places || !body->vertices)
        return ABUT_ERR_MEMORY;
    const size_t count = list_places(body, list);
    abut_base_sort(list, count, sizeof *list, place_before, NULL);
    body->place_count = count;
    for (size_t i = 0; i < count; ++i) {
        body->places[i] = list[i].place;
        if (i == 0 || !same_point(list[i].at, list[i - 1].at))
            body->vertices[body->vertex_count++] = (abut_patch_vertex){ list[i].at, (uint32_t)i, 0 };
        ++body->vertices[body->vertex_count - 1].count;
    }
    return ABUT_OK;
}

abut_status abut_patches_join(abut_patches_body *body, abut_workspace *ws, abut_workspace *temporary,
                              abut_seam_trouble *trouble)
{
    const abut_status status = join_sides(body, ws, temporary, trouble);
    return status ? status : join_corners(body, ws, temporary);
}
