/* SPDX-License-Identifier: MIT */
/* Building the index: adding nodes, the functions that nodes have, and parting pieces by them. */
#include "brep/index_build.h"

#include <float.h>
#include <stdlib.h>

/* ---- nodes and leaves ---- */

int32_t abut_index_add_leaf(abut_index_builder *b, uint64_t label)
{
    abut_index *x = b->index;
    if (b->failed ||
        !abut_base_grow(&b->alloc, (void **)&x->leaves, &x->leaf_room, x->leaf_count, 1, sizeof *x->leaves)) {
        b->failed = true;
        return ~0;
    }
    atomic_init(&x->leaves[x->leaf_count].label, label);
    return ~(int32_t)x->leaf_count++;
}

int32_t abut_index_add_node(abut_index_builder *b, const abut_index_node *node)
{
    abut_index *x = b->index;
    if (b->failed ||
        !abut_base_grow(&b->alloc, (void **)&x->nodes, &x->node_room, x->node_count, 1, sizeof *x->nodes)) {
        b->failed = true;
        return ~0;
    }
    x->nodes[x->node_count] = *node;
    return (int32_t)x->node_count++;
}

int32_t abut_index_add_run(abut_index_builder *b, const abut_index_run *run)
{
    abut_index *x = b->index;
    if (b->failed ||
        !abut_base_grow(&b->alloc, (void **)&x->runs, &x->run_room, x->run_count, 1, sizeof *x->runs)) {
        b->failed = true;
        return 0;
    }
    x->runs[x->run_count] = *run;
    return (int32_t)x->run_count++;
}

/* ---- functions ---- */

piece_cutter abut_index_plane_of(const abut_index_builder *b, uint32_t triangle)
{
    const uint32_t *t = b->triangles + 3 * (size_t)triangle;
    const abut_vec3 p = b->vertices[t[0]], q = abut_sub(b->vertices[t[1]], p),
                    r = abut_sub(b->vertices[t[2]], p);
    piece_cutter c = { .test = { .kind = ABUT_INDEX_PLANE, .u.vertices = { t[0], t[1], t[2] } }, .o = p };
    c.n = abut_unit_or(abut_cross(q, r), abut_v3(1, 0, 0));
    return c;
}

piece_cutter abut_index_line_of(const abut_index_builder *b, uint32_t u, uint32_t v, int axis)
{
    const abut_vec3 p = b->vertices[u], e = abut_sub(b->vertices[v], p);
    piece_cutter c = { .test = { .kind = ABUT_INDEX_LINE, .axis = (uint8_t)axis, .u.vertices = { u, v, 0 } },
                       .o = p };
    c.n = abut_unit_or(abut_cross(abut_index_unit(axis), e), abut_v3(1, 0, 0));
    return c;
}

piece_cutter abut_index_place_of(const abut_index_builder *b, uint32_t v, int axis)
{
    return (
        piece_cutter){ .test = { .kind = ABUT_INDEX_PLACE, .axis = (uint8_t)axis, .u.vertices = { v, 0, 0 } },
                       .n = abut_index_unit(axis),
                       .o = b->vertices[v] };
}

/* ---- which side pieces are on ---- */

/* The vertices of what a piece is of; their number. */
static int vertices_of(const abut_index_builder *b, const piece *p, uint32_t out[3])
{
    const uint32_t *from = p->kind == PIECE_TRIANGLE || p->kind == PIECE_CUT
                               ? b->triangles + 3 * (size_t)p->id
                               : b->def->edge_ends + 2 * (size_t)p->id;
    const int count = p->kind == PIECE_POINT ? 1 : p->kind == PIECE_TRIANGLE || p->kind == PIECE_CUT ? 3 : 2;
    for (int k = 0; k < count; ++k)
        out[k] = p->kind == PIECE_POINT ? p->id : from[k];
    return count;
}

unsigned abut_index_piece_sides(const abut_index_builder *b, const piece_cutter *c, const piece *p)
{
    unsigned side = 0;
    for (int i = 0; i < p->count; ++i) {
        const unsigned at = corner_side(c, b->vertices, &p->corner[i], b->slack);
        side |= at;
        if (at == (CAN_ABOVE | CAN_BELOW))
            side |= IS_ON;
    }
    if ((side & CAN_ABOVE) && (side & CAN_BELOW))
        side |= IS_ON;
    return side;
}

/* How well a function parts pieces, in doubles; small is good. */
double abut_index_score(const abut_index_builder *b, size_t begin, size_t end, const piece_cutter *c)
{
    int above = 0, below = 0, both = 0;
    for (size_t i = begin; i < end; ++i) {
        const piece *p = &b->pieces.items[i];
        bool up = false, down = false;
        for (int k = 0; k < p->count; ++k) {
            const double h = cutter_height(c, p->corner[k].at);
            up = up || h > b->slack;
            down = down || h < -b->slack;
        }
        above += up && !down;
        below += down && !up;
        both += up && down;
    }
    return 4.0 * both + abs(above - below);
}

/* The pieces of a range on one side, cut there, above all others on the stack. */
void abut_index_take_side(abut_index_builder *b, size_t begin, size_t end, const piece_cutter *c,
                          const uint8_t *sides, int sign)
{
    for (size_t i = begin; i < end && !b->failed; ++i) {
        if (!(sides[i - begin] & (sign > 0 ? CAN_ABOVE : CAN_BELOW)))
            continue;
        if (!ABUT_ARRAY_RESERVE(&b->alloc, &b->pieces, 1)) {
            b->failed = true;
            return;
        }
        piece *to = &b->pieces.items[b->pieces.count];
        *to = b->pieces.items[i];
        uint32_t v[3];
        const int count = vertices_of(b, to, v);
        bool zero[3] = { false, false, false };
        for (int k = 0; k < count; ++k)
            zero[k] = abut_index_sign_at(b, c, v[k]) == 0;
        for (int k = 0; k < count; ++k) {
            to->vertices_gone |= (uint8_t)(zero[k] << k);
            to->edges_gone |= (uint8_t)((zero[k] && zero[(k + 1) % 3]) << k);
        }
        if ((sides[i - begin] & (CAN_ABOVE | CAN_BELOW)) == (CAN_ABOVE | CAN_BELOW))
            piece_clip(to, c, sign, b->slack);
        b->pieces.count += to->count > 0;
    }
}

/* Sides of all pieces of a range, to be freed; `self` is on the zero set by definition. */
uint8_t *abut_index_find_sides(abut_index_builder *b, size_t begin, size_t end, const piece_cutter *c,
                               size_t self)
{
    uint8_t *sides = abut_base_alloc(&b->alloc, end - begin, 1);
    if (!sides) {
        b->failed = true;
        return NULL;
    }
    for (size_t i = begin; i < end; ++i)
        sides[i - begin] = i == self ? IS_ON : (uint8_t)abut_index_piece_sides(b, c, &b->pieces.items[i]);
    return sides;
}

bool abut_index_push(abut_index_builder *b, const piece *p)
{
    if (p->count > 0 && !ABUT_ARRAY_PUSH(&b->alloc, &b->pieces, *p))
        b->failed = true;
    return !b->failed;
}

/* What of a piece is within the slack of the zero set. */
void abut_index_thin(const abut_index_builder *b, const piece_cutter *c, piece *p)
{
    piece_clip(p, c, 1, b->slack);
    piece_clip(p, c, -1, b->slack);
}

/* The outermost corners of a piece that are on an edge, as a piece of that edge; count 0 where it is not
 * there. */
piece abut_index_on_edge(const abut_index_builder *b, const piece *of, uint32_t u, uint32_t v)
{
    piece out = { .count = 0 };
    const abut_vec3 along = abut_sub(b->vertices[v], b->vertices[u]);
    double lo = DBL_MAX, hi = -DBL_MAX;
    for (int i = 0; i < of->count; ++i) {
        const piece_corner *p = &of->corner[i];
        if ((p->u != u && p->u != v) || (p->v != u && p->v != v))
            continue;
        const double at = abut_dot(along, abut_sub(p->at, b->vertices[u]));
        if (at < lo) {
            lo = at;
            out.corner[0] = *p;
        }
        if (at > hi) {
            hi = at;
            out.corner[1] = *p;
        }
        out.count = 2;
    }
    if (out.count == 2 && u == v)
        out.count = 1;
    return out;
}
