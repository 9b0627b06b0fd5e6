/* SPDX-License-Identifier: MIT */
/* Building the index: the tree of lines in a plane (phase of edges), and of places on a line (phase of
 * vertices).
 *
 * In a plane the lines are those of edges that lie in it, and the cuts of triangles that pass through it.
 * Diagonals of faces that are exactly planar are no entities, and there are no others: what the paper takes
 * out again in its third step (pseudo-edges and pseudo-vertices) is never made, so the size of the tree is
 * that of the reduced one. What is cut by planes is cut here too, and counted in docs/polyhedra.md. */
#include "brep/index_build.h"

#include <float.h>

/* ---- places on a line ---- */

typedef struct line_view {
    int axis;  /* coordinate that changes along it */
    int plane; /* axis along which the plane has an area */
} line_view;

/* EDGE pieces that lie on the line have `axis` 1. */
static bool is_spent(const piece *p)
{
    return p->kind == PIECE_EDGE && p->axis == 1 && (p->vertices_gone & 3) == 3;
}

static piece_cutter cutter_on_line(const abut_index_builder *b, const piece *p, const line_view *view)
{
    const uint32_t *ends = b->def->edge_ends + 2 * (size_t)p->id;
    switch (p->kind) {
    case PIECE_EDGE:
        if (p->axis == 1)
            return abut_index_place_of(b, ends[p->vertices_gone & 1 ? 1 : 0], view->axis);
        return abut_index_line_of(b, ends[0], ends[1], view->plane);
    case PIECE_PIERCE: return abut_index_line_of(b, ends[0], ends[1], p->axis);
    case PIECE_POINT: return abut_index_place_of(b, p->id, view->axis);
    default: return abut_index_plane_of(b, p->id);
    }
}

static int32_t build_line(abut_index_builder *b, size_t begin, const line_view *view, int depth);

static int32_t build_places(abut_index_builder *b, size_t begin, size_t end, const piece_cutter *c,
                            size_t self, const line_view *view, int depth)
{
    uint8_t *sides = abut_index_find_sides(b, begin, end, c, self);
    abut_index_node node = c->test;
    node.on = abut_index_add_leaf(b, c->test.kind == ABUT_INDEX_PLANE ? ABUT_INDEX_OPEN : 0);
    ++b->index->vertex_nodes;
    const int32_t at = abut_index_add_node(b, &node);
    for (int sign = 1; sign >= -1 && !b->failed; sign -= 2) {
        const size_t top = b->pieces.count;
        /* an edge that lies on the line goes on from one of its ends */
        if (b->pieces.items[self].kind == PIECE_EDGE && b->pieces.items[self].axis == 1)
            sides[self - begin] = (uint8_t)abut_index_piece_sides(b, c, &b->pieces.items[self]);
        abut_index_take_side(b, begin, end, c, sides, sign);
        const int32_t child = b->failed ? ~0 : build_line(b, top, view, depth + 1);
        if (!b->failed)
            *(sign > 0 ? &b->index->nodes[at].above : &b->index->nodes[at].below) = child;
        b->pieces.count = top;
    }
    abut_base_free(&b->alloc, sides, end - begin, 1);
    return at;
}

/* Pieces from `begin` to the top of the stack. */
static int32_t build_line(abut_index_builder *b, size_t begin, const line_view *view, int depth)
{
    size_t end = begin;
    for (size_t i = begin; i < b->pieces.count; ++i)
        if (!is_spent(&b->pieces.items[i]))
            b->pieces.items[end++] = b->pieces.items[i];
    b->pieces.count = end;
    if (begin == end)
        return abut_index_add_leaf(b, 0);
    if (depth > ABUT_INDEX_DEEPEST)
        return abut_index_add_leaf(b, ABUT_INDEX_OPEN);
    size_t best = begin;
    double least = DBL_MAX;
    const size_t step = (end - begin + ABUT_INDEX_CANDIDATES - 1) / ABUT_INDEX_CANDIDATES;
    for (size_t i = begin; i < end; i += step) {
        const piece_cutter c = cutter_on_line(b, &b->pieces.items[i], view);
        const double s = abut_index_score(b, begin, end, &c);
        if (s < least) {
            least = s;
            best = i;
        }
    }
    const piece_cutter c = cutter_on_line(b, &b->pieces.items[best], view);
    return build_places(b, begin, end, &c, best, view, depth);
}

/* ---- lines in a plane ---- */

/* The triangle whose cut is the line: its edges that pass through the plane end what is on the line. */
static void push_pierces(abut_index_builder *b, const piece *cut, const piece_cutter *plane)
{
    const uint32_t *t = b->triangles + 3 * (size_t)cut->id;
    const piece_cutter own = abut_index_plane_of(b, cut->id);
    for (int k = 0; k < 3; ++k) {
        const uint32_t u = t[k], v = t[(k + 1) % 3];
        if (abut_index_sign_at(b, plane, u) * abut_index_sign_at(b, plane, v) >= 0)
            continue;
        piece p = abut_index_on_edge(b, cut, u, v);
        p.kind = PIECE_PIERCE;
        p.id = b->triangle_edges[3 * (size_t)cut->id + (size_t)k];
        p.axis = (uint8_t)abut_index_dominant(own.n);
        if (!abut_index_push(b, &p))
            return;
    }
}

static piece_cutter cutter_in_plane(const abut_index_builder *b, const piece *p, int axis)
{
    const uint32_t *ends = b->def->edge_ends + 2 * (size_t)p->id;
    if (p->kind == PIECE_EDGE)
        return abut_index_line_of(b, ends[0], ends[1], axis);
    return p->kind == PIECE_POINT ? abut_index_place_of(b, p->id, (axis + 1) % 3)
                                  : abut_index_plane_of(b, p->id);
}

/* Is the cut of a triangle on the line, whatever plane it is in? Three planes through one line that are all
 * different escape this; leaves behind planes of cuts keep nothing, for their sake. */
static bool is_along(const abut_index_builder *b, const piece *cut, const piece_cutter *line)
{
    const uint32_t *t = b->triangles + 3 * (size_t)cut->id;
    if (line->test.kind == ABUT_INDEX_LINE) {
        const piece_cutter own = abut_index_plane_of(b, cut->id);
        return abut_index_sign_at(b, &own, line->test.u.vertices[0]) == 0 &&
               abut_index_sign_at(b, &own, line->test.u.vertices[1]) == 0;
    }
    return abut_index_sign_at(b, line, t[0]) == 0 && abut_index_sign_at(b, line, t[1]) == 0 &&
           abut_index_sign_at(b, line, t[2]) == 0;
}

/* An edge that ends at the line meets it in that vertex only. Count 0 where that is not in the region. */
static piece end_on_line(const abut_index_builder *b, const piece *edge, int end)
{
    const uint32_t vertex = b->def->edge_ends[2 * (size_t)edge->id + (size_t)end];
    piece p = abut_index_on_edge(b, edge, vertex, vertex);
    p.kind = PIECE_POINT;
    p.id = vertex;
    if (edge->vertices_gone >> end & 1)
        p.count = 0;
    return p;
}

/* Is the vertex on the line already: as another point, or an end of an edge? */
static bool is_listed(const abut_index_builder *b, size_t top, uint32_t vertex)
{
    for (size_t i = top; i < b->pieces.count; ++i) {
        const piece *p = &b->pieces.items[i];
        if (p->kind == PIECE_POINT && p->id == vertex)
            return true;
        if (p->kind == PIECE_EDGE && p->axis == 1 &&
            (b->def->edge_ends[2 * (size_t)p->id] == vertex ||
             b->def->edge_ends[2 * (size_t)p->id + 1] == vertex))
            return true;
    }
    return false;
}

/* A piece that touches the line. Points come in the second pass. */
static void take_on_line(abut_index_builder *b, const piece *from, const piece_cutter *c,
                         const piece_cutter *plane, bool self, int pass, size_t top)
{
    piece p = *from;
    if (p.kind == PIECE_CUT && (self || is_along(b, &p, c))) {
        if (pass == 0)
            push_pierces(b, &p, plane);
        return;
    }
    if (p.kind == PIECE_EDGE) {
        const uint32_t *ends = b->def->edge_ends + 2 * (size_t)p.id;
        const int s = abut_index_sign_at(b, c, ends[0]), t = abut_index_sign_at(b, c, ends[1]);
        p.axis = s == 0 && t == 0;
        if ((s == 0) != (t == 0))
            p = end_on_line(b, from, s != 0);
    }
    if ((p.kind == PIECE_POINT) != (pass == 1) || p.count == 0 || is_spent(&p) ||
        (pass == 1 && is_listed(b, top, p.id)))
        return;
    if (p.kind != PIECE_EDGE || !p.axis)
        abut_index_thin(b, c, &p);
    (void)abut_index_push(b, &p);
}

/* Pieces on the zero set of a line, for build_line; from the top of the stack. */
static void take_line(abut_index_builder *b, size_t begin, size_t end, const piece_cutter *c,
                      const uint8_t *sides, size_t self, const piece_cutter *plane)
{
    const size_t top = b->pieces.count;
    for (int pass = 0; pass < 2; ++pass)
        for (size_t i = begin; i < end && !b->failed; ++i)
            if (sides[i - begin] & IS_ON) {
                const piece p = b->pieces.items[i];
                take_on_line(b, &p, c, plane, i == self, pass, top);
            }
}

/* The child for the line itself. */
static int32_t build_on_line(abut_index_builder *b, size_t top, const piece_cutter *c,
                             const piece_cutter *plane, abut_index_node *node, int depth)
{
    if (b->failed)
        return ~0;
    const abut_vec3 along = abut_cross(c->n, plane->n);
    line_view view = { abut_index_dominant(along), abut_index_dominant(plane->n) };
    if (c->test.kind == ABUT_INDEX_LINE) {
        const uint32_t *v = c->test.u.vertices;
        view.axis = abut_index_dominant(abut_sub(b->vertices[v[1]], b->vertices[v[0]]));
    }
    const piece *only = &b->pieces.items[top];
    if (b->pieces.count == top + 1 && only->kind == PIECE_EDGE && only->axis == 1) {
        const uint32_t *ends = b->def->edge_ends + 2 * (size_t)only->id;
        const bool up =
            abut_part3(b->vertices[ends[0]], view.axis) < abut_part3(b->vertices[ends[1]], view.axis);
        const abut_index_run run = { .u = ends[!up],
                                     .v = ends[up],
                                     .before = abut_index_add_leaf(b, 0),
                                     .after = abut_index_add_leaf(b, 0),
                                     .edge = only->id,
                                     .axis = (uint8_t)view.axis };
        node->run = true;
        return abut_index_add_run(b, &run);
    }
    return build_line(b, top, &view, depth + 1);
}

static int32_t build_lines(abut_index_builder *b, size_t begin, size_t end, const piece_cutter *c,
                           size_t self, const piece_cutter *plane, int depth)
{
    uint8_t *sides = abut_index_find_sides(b, begin, end, c, self);
    if (b->failed)
        return ~0;
    abut_index_node node = c->test;
    size_t top = b->pieces.count;
    ++b->index->edge_nodes;
    take_line(b, begin, end, c, sides, self, plane);
    node.on = build_on_line(b, top, c, plane, &node, depth);
    b->pieces.count = top;
    const int32_t at = abut_index_add_node(b, &node);
    for (int sign = 1; sign >= -1 && !b->failed; sign -= 2) {
        top = b->pieces.count;
        abut_index_take_side(b, begin, end, c, sides, sign);
        const int32_t child = b->failed ? ~0 : abut_index_build_plane(b, top, plane, depth + 1);
        if (!b->failed)
            *(sign > 0 ? &b->index->nodes[at].above : &b->index->nodes[at].below) = child;
        b->pieces.count = top;
    }
    abut_base_free(&b->alloc, sides, end - begin, 1);
    return at;
}

/* The line through a vertex of a piece along which a coordinate is constant: with many edges in a plane these
 * part more evenly than the lines of edges (a convex face has all others on one side). */
static piece_cutter halving_line(const abut_index_builder *b, const piece *p, int axis)
{
    const uint32_t vertex = p->kind == PIECE_POINT ? p->id : b->def->edge_ends[2 * (size_t)p->id];
    return abut_index_place_of(b, vertex, axis);
}

int32_t abut_index_build_plane(abut_index_builder *b, size_t begin, const piece_cutter *plane, int depth)
{
    const size_t end = b->pieces.count;
    if (begin == end)
        return abut_index_add_leaf(b, 0);
    if (depth > ABUT_INDEX_DEEPEST)
        return abut_index_add_leaf(b, ABUT_INDEX_OPEN);
    const int axis = abut_index_dominant(plane->n);
    piece_cutter best = { .o = { 0, 0, 0 } };
    size_t self = SIZE_MAX;
    double least = DBL_MAX;
    const size_t step = (end - begin + ABUT_INDEX_CANDIDATES - 1) / ABUT_INDEX_CANDIDATES;
    for (size_t i = begin; i < end; i += step) {
        const piece *p = &b->pieces.items[i];
        piece_cutter c = cutter_in_plane(b, p, axis);
        double s = abut_index_score(b, begin, end, &c) + (p->kind == PIECE_EDGE ? 0 : 2);
        if (s < least) {
            least = s;
            best = c;
            self = i;
        }
        for (int k = 1;
             k <= 2 && end - begin > ABUT_INDEX_FEW && (p->kind == PIECE_EDGE || p->kind == PIECE_POINT);
             ++k) {
            c = halving_line(b, p, (axis + k) % 3);
            s = abut_index_score(b, begin, end, &c) + 2;
            if (s < least) {
                least = s;
                best = c;
                self = SIZE_MAX;
            }
        }
    }
    return build_lines(b, begin, end, &best, self, plane, depth);
}
