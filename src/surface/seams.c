/* SPDX-License-Identifier: MIT */
/* Where Bezier patches meet: sides with equal control points and weights, in the same or the opposite order, are one edge; corners at equal points one vertex.
 *
 * Only equal numbers count, as everywhere in abut: nothing is welded by a tolerance. A side whose points are all equal is a pole: no edge, but a place at the vertex.
 * Three or more sides along one curve stay edges of their own, and the body is a sheet. */
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

/* A side with a number that does not depend on its direction, so that equal curves have equal ones. */
typedef struct keyed_side {
    double key;
    uint32_t patch;
    uint32_t side;
} keyed_side;

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

/* +1 where the parameter of a side runs around the patch as its normal wants it, -1 where against. */
static int turn_of(int side)
{
    return side == 2 || side == 1 ? 1 : -1;
}

static abut_patch_edge make_edge(const abut_patches_body *body, const keyed_side *a, const keyed_side *b)
{
    abut_patch_edge edge = { { { a->patch, (uint8_t)a->side, false } }, 1 };
    if (b) {
        const bool reversed = !same_curve(&body->patches[a->patch], (int)a->side, &body->patches[b->patch],
                                          (int)b->side, false);
        edge.side[1] = (abut_patch_side){ b->patch, (uint8_t)b->side, reversed };
        edge.count = 2;
    }
    return edge;
}

static bool meet(const abut_patches_body *body, const keyed_side *a, const keyed_side *b)
{
    const abut_patch *p = &body->patches[a->patch], *q = &body->patches[b->patch];
    return same_curve(p, (int)a->side, q, (int)b->side, false) ||
           same_curve(p, (int)a->side, q, (int)b->side, true);
}

/* Edges among sides [from, to) of one key. Sides done are marked by side = 4. */
static void join_group(abut_patches_body *body, keyed_side *sides, size_t from, size_t to)
{
    for (size_t i = from; i < to; ++i) {
        if (sides[i].side == 4)
            continue;
        size_t partner = i, partners = 0;
        for (size_t j = from; j < to; ++j)
            if (j != i && sides[j].side != 4 && meet(body, &sides[i], &sides[j])) {
                partner = j;
                ++partners;
            }
        body->edges[body->edge_count++] = make_edge(body, &sides[i], partners == 1 ? &sides[partner] : NULL);
        const abut_patch_edge *edge = &body->edges[body->edge_count - 1];
        const bool consistent =
            partners == 1 &&
            (turn_of((int)sides[i].side) == turn_of((int)sides[partner].side)) == edge->side[1].reversed;
        body->closed = body->closed && consistent;
        if (partners == 1) {
            sides[partner].side = 4;
        } else if (partners > 1) { /* all of them stay alone */
            for (size_t j = i + 1; j < to; ++j)
                if (sides[j].side != 4 && meet(body, &sides[i], &sides[j])) {
                    body->edges[body->edge_count++] = make_edge(body, &sides[j], NULL);
                    sides[j].side = 4;
                }
        }
        sides[i].side = 4;
    }
}

static abut_status join_sides(abut_patches_body *body, abut_workspace *ws, abut_workspace *temporary)
{
    keyed_side *sides = abut_workspace_take(temporary, 4 * body->patch_count, sizeof *sides);
    body->edges = abut_workspace_take(ws, 4 * body->patch_count, sizeof *body->edges);
    if (!sides || !body->edges)
        return ABUT_ERR_MEMORY;
    size_t count = 0;
    for (uint32_t i = 0; i < body->patch_count; ++i)
        for (uint32_t side = 0; side < 4; ++side)
            if (!is_pole(&body->patches[i], (int)side))
                sides[count++] = (keyed_side){ key_of(&body->patches[i], (int)side), i, side };
    abut_base_sort(sides, count, sizeof *sides, side_before, NULL);
    body->closed = true;
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && sides[to].key == sides[from].key; ++to)
            ;
        join_group(body, sides, from, to);
    }
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

abut_status abut_patches_join(abut_patches_body *body, abut_workspace *ws, abut_workspace *temporary)
{
    const abut_status status = join_sides(body, ws, temporary);
    return status ? status : join_corners(body, ws, temporary);
}
