/* SPDX-License-Identifier: MIT */
/* Building the index of a polyhedron; see index.h.
 *
 * First planes parallel to the axes part the triangles near the median, at a border of triangles where that
 * cuts few of them, as long as a region has more than a few and the parting pays. Then planes of triangles,
 * chosen among a few candidates by how much they cut and how evenly they part (phase of faces); each has a
 * tree of lines for the entities in its plane (phase of edges), and each line a tree of places on it (phase
 * of vertices). Pieces (index_piece.h) say which entities reach into a region.
 *
 * In a plane the lines are those of edges that lie in it, and the cuts of triangles that pass through it.
 * Diagonals of faces that are exactly planar are no entities, and there are no others: what the paper takes
 * out again in its third step (pseudo-edges and pseudo-vertices) is never made, so the size of the tree is
 * that of the reduced one. What is cut by planes is cut here too, and counted in docs/polyhedra.md. */
#include "base/memory.h"
#include "brep/index_piece.h"

#include <float.h>
#include <stdlib.h>
#include <time.h>

/* Regions with more triangles than this are parted by the axes. */
enum { FEW = 8, CANDIDATES = 6, SAMPLES = 32, DEEPEST = 400 };

typedef struct builder {
    const abut_index_def *def;
    const abut_vec3 *vertices;
    const uint32_t *triangles;
    abut_index *index;
    abut_allocator alloc;
    ABUT_ARRAY(uint32_t) list; /* triangles of regions, one above the other */
    ABUT_ARRAY(piece) pieces;  /* the same for pieces */
    uint32_t *triangle_edges;  /* edge k of triangle t at 3 t + k */
    uint32_t *edge_stamp, *vertex_stamp, stamp;
    double slack;
    bool failed;
} builder;

/* ---- nodes and leaves ---- */

static int32_t add_leaf(builder *b, uint64_t label)
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

static int32_t add_node(builder *b, const abut_index_node *node)
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

static int32_t add_run(builder *b, const abut_index_run *run)
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

static int dominant(abut_vec3 n)
{
    int k = fabs(n.y) > fabs(n.x) ? 1 : 0;
    return fabs(n.z) > fabs(abut_part3(n, k)) ? 2 : k;
}

static abut_vec3 unit(int axis)
{
    return abut_v3(axis == 0, axis == 1, axis == 2);
}

static piece_cutter plane_of(const builder *b, uint32_t triangle)
{
    const uint32_t *t = b->triangles + 3 * (size_t)triangle;
    const abut_vec3 p = b->vertices[t[0]], q = abut_sub(b->vertices[t[1]], p),
                    r = abut_sub(b->vertices[t[2]], p);
    piece_cutter c = { .test = { .kind = ABUT_INDEX_PLANE, .u.vertices = { t[0], t[1], t[2] } }, .o = p };
    c.n = abut_unit_or(abut_cross(q, r), abut_v3(1, 0, 0));
    return c;
}

static piece_cutter line_of(const builder *b, uint32_t u, uint32_t v, int axis)
{
    const abut_vec3 p = b->vertices[u], e = abut_sub(b->vertices[v], p);
    piece_cutter c = { .test = { .kind = ABUT_INDEX_LINE, .axis = (uint8_t)axis, .u.vertices = { u, v, 0 } },
                       .o = p };
    c.n = abut_unit_or(abut_cross(unit(axis), e), abut_v3(1, 0, 0));
    return c;
}

static piece_cutter place_of(const builder *b, uint32_t v, int axis)
{
    return (
        piece_cutter){ .test = { .kind = ABUT_INDEX_PLACE, .axis = (uint8_t)axis, .u.vertices = { v, 0, 0 } },
                       .n = unit(axis),
                       .o = b->vertices[v] };
}

/* ---- which side pieces are on ---- */

static int sign_at(const builder *b, const piece_cutter *c, uint32_t vertex)
{
    return abut_index_side(&c->test, b->vertices, b->vertices[vertex]);
}

/* The vertices of what a piece is of; their number. */
static int vertices_of(const builder *b, const piece *p, uint32_t out[3])
{
    const uint32_t *from = p->kind == PIECE_TRIANGLE || p->kind == PIECE_CUT
                               ? b->triangles + 3 * (size_t)p->id
                               : b->def->edge_ends + 2 * (size_t)p->id;
    const int count = p->kind == PIECE_POINT ? 1 : p->kind == PIECE_TRIANGLE || p->kind == PIECE_CUT ? 3 : 2;
    for (int k = 0; k < count; ++k)
        out[k] = p->kind == PIECE_POINT ? p->id : from[k];
    return count;
}

static unsigned side_of(const builder *b, const piece_cutter *c, const piece *p)
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
static double score(const builder *b, size_t begin, size_t end, const piece_cutter *c)
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
static void take_side(builder *b, size_t begin, size_t end, const piece_cutter *c, const uint8_t *sides,
                      int sign)
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
            zero[k] = sign_at(b, c, v[k]) == 0;
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
static uint8_t *find_sides(builder *b, size_t begin, size_t end, const piece_cutter *c, size_t self)
{
    uint8_t *sides = abut_base_alloc(&b->alloc, end - begin, 1);
    if (!sides) {
        b->failed = true;
        return NULL;
    }
    for (size_t i = begin; i < end; ++i)
        sides[i - begin] = i == self ? IS_ON : (uint8_t)side_of(b, c, &b->pieces.items[i]);
    return sides;
}

/* ---- places on a line ---- */

typedef struct line_view {
    int axis;  /* coordinate that changes along it */
    int plane; /* axis along which the plane has an area */
} line_view;

static bool push_piece(builder *b, const piece *p)
{
    if (p->count > 0 && !ABUT_ARRAY_PUSH(&b->alloc, &b->pieces, *p))
        b->failed = true;
    return !b->failed;
}

/* EDGE pieces that lie on the line have `axis` 1. */
static bool is_spent(const piece *p)
{
    return p->kind == PIECE_EDGE && p->axis == 1 && (p->vertices_gone & 3) == 3;
}

static piece_cutter cutter_on_line(const builder *b, const piece *p, const line_view *view)
{
    const uint32_t *ends = b->def->edge_ends + 2 * (size_t)p->id;
    switch (p->kind) {
    case PIECE_EDGE:
        if (p->axis == 1)
            return place_of(b, ends[p->vertices_gone & 1 ? 1 : 0], view->axis);
        return line_of(b, ends[0], ends[1], view->plane);
    case PIECE_PIERCE: return line_of(b, ends[0], ends[1], p->axis);
    case PIECE_POINT: return place_of(b, p->id, view->axis);
    default: return plane_of(b, p->id);
    }
}

static int32_t build_line(builder *b, size_t begin, const line_view *view, int depth);

static int32_t build_places(builder *b, size_t begin, size_t end, const piece_cutter *c, size_t self,
                            const line_view *view, int depth)
{
    uint8_t *sides = find_sides(b, begin, end, c, self);
    abut_index_node node = c->test;
    node.on = add_leaf(b, c->test.kind == ABUT_INDEX_PLANE ? ABUT_INDEX_OPEN : 0);
    ++b->index->vertex_nodes;
    const int32_t at = add_node(b, &node);
    for (int sign = 1; sign >= -1 && !b->failed; sign -= 2) {
        const size_t top = b->pieces.count;
        /* an edge that lies on the line goes on from one of its ends */
        if (b->pieces.items[self].kind == PIECE_EDGE && b->pieces.items[self].axis == 1)
            sides[self - begin] = (uint8_t)side_of(b, c, &b->pieces.items[self]);
        take_side(b, begin, end, c, sides, sign);
        const int32_t child = b->failed ? ~0 : build_line(b, top, view, depth + 1);
        if (!b->failed)
            *(sign > 0 ? &b->index->nodes[at].above : &b->index->nodes[at].below) = child;
        b->pieces.count = top;
    }
    abut_base_free(&b->alloc, sides, end - begin, 1);
    return at;
}

/* Pieces from `begin` to the top of the stack. */
static int32_t build_line(builder *b, size_t begin, const line_view *view, int depth)
{
    size_t end = begin;
    for (size_t i = begin; i < b->pieces.count; ++i)
        if (!is_spent(&b->pieces.items[i]))
            b->pieces.items[end++] = b->pieces.items[i];
    b->pieces.count = end;
    if (begin == end)
        return add_leaf(b, 0);
    if (depth > DEEPEST)
        return add_leaf(b, ABUT_INDEX_OPEN);
    size_t best = begin;
    double least = DBL_MAX;
    const size_t step = (end - begin + CANDIDATES - 1) / CANDIDATES;
    for (size_t i = begin; i < end; i += step) {
        const piece_cutter c = cutter_on_line(b, &b->pieces.items[i], view);
        const double s = score(b, begin, end, &c);
        if (s < least) {
            least = s;
            best = i;
        }
    }
    const piece_cutter c = cutter_on_line(b, &b->pieces.items[best], view);
    return build_places(b, begin, end, &c, best, view, depth);
}

/* ---- lines in a plane ---- */

/* What of a piece is within the slack of the zero set. */
static void thin(const builder *b, const piece_cutter *c, piece *p)
{
    piece_clip(p, c, 1, b->slack);
    piece_clip(p, c, -1, b->slack);
}

/* The outermost corners of a piece that are on an edge, as a piece of that edge; count 0 where it is not
 * there. */
static piece on_edge(const builder *b, const piece *of, uint32_t u, uint32_t v)
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

/* The triangle whose cut is the line: its edges that pass through the plane end what is on the line. */
static void push_pierces(builder *b, const piece *cut, const piece_cutter *plane)
{
    const uint32_t *t = b->triangles + 3 * (size_t)cut->id;
    const piece_cutter own = plane_of(b, cut->id);
    for (int k = 0; k < 3; ++k) {
        const uint32_t u = t[k], v = t[(k + 1) % 3];
        if (sign_at(b, plane, u) * sign_at(b, plane, v) >= 0)
            continue;
        piece p = on_edge(b, cut, u, v);
        p.kind = PIECE_PIERCE;
        p.id = b->triangle_edges[3 * (size_t)cut->id + (size_t)k];
        p.axis = (uint8_t)dominant(own.n);
        if (!push_piece(b, &p))
            return;
    }
}

static piece_cutter cutter_in_plane(const builder *b, const piece *p, int axis)
{
    const uint32_t *ends = b->def->edge_ends + 2 * (size_t)p->id;
    if (p->kind == PIECE_EDGE)
        return line_of(b, ends[0], ends[1], axis);
    return p->kind == PIECE_POINT ? place_of(b, p->id, (axis + 1) % 3) : plane_of(b, p->id);
}

/* Is the cut of a triangle on the line, whatever plane it is in? Three planes through one line that are all
 * different escape this; leaves behind planes of cuts keep nothing, for their sake. */
static bool is_along(const builder *b, const piece *cut, const piece_cutter *line)
{
    const uint32_t *t = b->triangles + 3 * (size_t)cut->id;
    if (line->test.kind == ABUT_INDEX_LINE) {
        const piece_cutter own = plane_of(b, cut->id);
        return sign_at(b, &own, line->test.u.vertices[0]) == 0 &&
               sign_at(b, &own, line->test.u.vertices[1]) == 0;
    }
    return sign_at(b, line, t[0]) == 0 && sign_at(b, line, t[1]) == 0 && sign_at(b, line, t[2]) == 0;
}

/* An edge that ends at the line meets it in that vertex only. Count 0 where that is not in the region. */
static piece end_on_line(const builder *b, const piece *edge, int end)
{
    const uint32_t vertex = b->def->edge_ends[2 * (size_t)edge->id + (size_t)end];
    piece p = on_edge(b, edge, vertex, vertex);
    p.kind = PIECE_POINT;
    p.id = vertex;
    if (edge->vertices_gone >> end & 1)
        p.count = 0;
    return p;
}

/* Is the vertex on the line already: as another point, or an end of an edge? */
static bool is_listed(const builder *b, size_t top, uint32_t vertex)
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
static void take_on_line(builder *b, const piece *from, const piece_cutter *c, const piece_cutter *plane,
                         bool self, int pass, size_t top)
{
    piece p = *from;
    if (p.kind == PIECE_CUT && (self || is_along(b, &p, c))) {
        if (pass == 0)
            push_pierces(b, &p, plane);
        return;
    }
    if (p.kind == PIECE_EDGE) {
        const uint32_t *ends = b->def->edge_ends + 2 * (size_t)p.id;
        const int s = sign_at(b, c, ends[0]), t = sign_at(b, c, ends[1]);
        p.axis = s == 0 && t == 0;
        if ((s == 0) != (t == 0))
            p = end_on_line(b, from, s != 0);
    }
    if ((p.kind == PIECE_POINT) != (pass == 1) || p.count == 0 || is_spent(&p) ||
        (pass == 1 && is_listed(b, top, p.id)))
        return;
    if (p.kind != PIECE_EDGE || !p.axis)
        thin(b, c, &p);
    (void)push_piece(b, &p);
}

/* Pieces on the zero set of a line, for build_line; from the top of the stack. */
static void take_line(builder *b, size_t begin, size_t end, const piece_cutter *c, const uint8_t *sides,
                      size_t self, const piece_cutter *plane)
{
    const size_t top = b->pieces.count;
    for (int pass = 0; pass < 2; ++pass)
        for (size_t i = begin; i < end && !b->failed; ++i)
            if (sides[i - begin] & IS_ON) {
                const piece p = b->pieces.items[i];
                take_on_line(b, &p, c, plane, i == self, pass, top);
            }
}

static int32_t build_plane(builder *b, size_t begin, const piece_cutter *plane, int depth);

/* The child for the line itself. */
static int32_t build_on_line(builder *b, size_t top, const piece_cutter *c, const piece_cutter *plane,
                             abut_index_node *node, int depth)
{
    if (b->failed)
        return ~0;
    const abut_vec3 along = abut_cross(c->n, plane->n);
    line_view view = { dominant(along), dominant(plane->n) };
    if (c->test.kind == ABUT_INDEX_LINE) {
        const uint32_t *v = c->test.u.vertices;
        view.axis = dominant(abut_sub(b->vertices[v[1]], b->vertices[v[0]]));
    }
    const piece *only = &b->pieces.items[top];
    if (b->pieces.count == top + 1 && only->kind == PIECE_EDGE && only->axis == 1) {
        const uint32_t *ends = b->def->edge_ends + 2 * (size_t)only->id;
        const bool up =
            abut_part3(b->vertices[ends[0]], view.axis) < abut_part3(b->vertices[ends[1]], view.axis);
        const abut_index_run run = { .u = ends[!up],
                                     .v = ends[up],
                                     .before = add_leaf(b, 0),
                                     .after = add_leaf(b, 0),
                                     .edge = only->id,
                                     .axis = (uint8_t)view.axis };
        node->run = true;
        return add_run(b, &run);
    }
    return build_line(b, top, &view, depth + 1);
}

static int32_t build_lines(builder *b, size_t begin, size_t end, const piece_cutter *c, size_t self,
                           const piece_cutter *plane, int depth)
{
    uint8_t *sides = find_sides(b, begin, end, c, self);
    if (b->failed)
        return ~0;
    abut_index_node node = c->test;
    size_t top = b->pieces.count;
    ++b->index->edge_nodes;
    take_line(b, begin, end, c, sides, self, plane);
    node.on = build_on_line(b, top, c, plane, &node, depth);
    b->pieces.count = top;
    const int32_t at = add_node(b, &node);
    for (int sign = 1; sign >= -1 && !b->failed; sign -= 2) {
        top = b->pieces.count;
        take_side(b, begin, end, c, sides, sign);
        const int32_t child = b->failed ? ~0 : build_plane(b, top, plane, depth + 1);
        if (!b->failed)
            *(sign > 0 ? &b->index->nodes[at].above : &b->index->nodes[at].below) = child;
        b->pieces.count = top;
    }
    abut_base_free(&b->alloc, sides, end - begin, 1);
    return at;
}

/* The line through a vertex of a piece along which a coordinate is constant: with many edges in a plane these
 * part more evenly than the lines of edges (a convex face has all others on one side). */
static piece_cutter halving_line(const builder *b, const piece *p, int axis)
{
    const uint32_t vertex = p->kind == PIECE_POINT ? p->id : b->def->edge_ends[2 * (size_t)p->id];
    return place_of(b, vertex, axis);
}

static int32_t build_plane(builder *b, size_t begin, const piece_cutter *plane, int depth)
{
    const size_t end = b->pieces.count;
    if (begin == end)
        return add_leaf(b, 0);
    if (depth > DEEPEST)
        return add_leaf(b, ABUT_INDEX_OPEN);
    const int axis = dominant(plane->n);
    piece_cutter best = { .o = { 0, 0, 0 } };
    size_t self = SIZE_MAX;
    double least = DBL_MAX;
    const size_t step = (end - begin + CANDIDATES - 1) / CANDIDATES;
    for (size_t i = begin; i < end; i += step) {
        const piece *p = &b->pieces.items[i];
        piece_cutter c = cutter_in_plane(b, p, axis);
        double s = score(b, begin, end, &c) + (p->kind == PIECE_EDGE ? 0 : 2);
        if (s < least) {
            least = s;
            best = c;
            self = i;
        }
        for (int k = 1; k <= 2 && end - begin > FEW && (p->kind == PIECE_EDGE || p->kind == PIECE_POINT);
             ++k) {
            c = halving_line(b, p, (axis + k) % 3);
            s = score(b, begin, end, &c) + 2;
            if (s < least) {
                least = s;
                best = c;
                self = SIZE_MAX;
            }
        }
    }
    return build_lines(b, begin, end, &best, self, plane, depth);
}

/* ---- planes ---- */

/* Is an edge of a triangle in the plane only a diagonal of a face that is planar there? */
static bool is_seam(const builder *b, uint32_t edge, const piece_cutter *plane)
{
    if (b->def->edge_of[edge] <= INT32_MAX)
        return false;
    for (int side = 0; side < 2; ++side)
        for (int k = 0; k < 3; ++k)
            if (sign_at(
                    b, plane,
                    b->triangles[3 * (size_t)b->def->edge_triangles[2 * edge + (size_t)side] + (size_t)k]))
                return false;
    return true;
}

static void push_edge(builder *b, const piece *of, int k, const piece_cutter *plane)
{
    const uint32_t edge = b->triangle_edges[3 * (size_t)of->id + (size_t)k];
    if (of->edges_gone >> k & 1 || b->edge_stamp[edge] == b->stamp || is_seam(b, edge, plane))
        return;
    const uint32_t *ends = b->def->edge_ends + 2 * (size_t)edge;
    piece p = on_edge(b, of, ends[0], ends[1]);
    if (p.count == 0)
        return;
    const bool turned = b->triangles[3 * (size_t)of->id + (size_t)k] != ends[0];
    const unsigned first = of->vertices_gone >> k & 1, second = of->vertices_gone >> (k + 1) % 3 & 1;
    p.kind = PIECE_EDGE;
    p.id = edge;
    p.vertices_gone = (uint8_t)(turned ? second | first << 1 : first | second << 1);
    b->edge_stamp[edge] = b->stamp;
    b->vertex_stamp[ends[0]] = b->vertex_stamp[ends[1]] = b->stamp;
    (void)push_piece(b, &p);
}

static void push_vertex(builder *b, const piece *of, int k)
{
    const uint32_t vertex = b->triangles[3 * (size_t)of->id + (size_t)k];
    if (of->vertices_gone >> k & 1 || b->vertex_stamp[vertex] == b->stamp)
        return;
    piece p = on_edge(b, of, vertex, vertex);
    p.kind = PIECE_POINT;
    p.id = vertex;
    if (p.count > 0)
        b->vertex_stamp[vertex] = b->stamp;
    (void)push_piece(b, &p);
}

/* What triangles have in a plane: edges and cuts first, then vertices that none of them ends at. */
static void take_plane(builder *b, size_t begin, size_t end, const piece_cutter *c, const uint8_t *sides)
{
    ++b->stamp;
    for (int pass = 0; pass < 2; ++pass)
        for (size_t i = begin; i < end && !b->failed; ++i) {
            if (!(sides[i - begin] & IS_ON))
                continue;
            const piece p = b->pieces.items[i];
            const uint32_t *t = b->triangles + 3 * (size_t)p.id;
            int s[3];
            for (int k = 0; k < 3; ++k)
                s[k] = sign_at(b, c, t[k]);
            for (int k = 0; k < 3; ++k) {
                if (pass == 0 && s[k] == 0 && s[(k + 1) % 3] == 0)
                    push_edge(b, &p, k, c);
                if (pass == 1 && s[k] == 0 && (s[(k + 1) % 3] || s[(k + 2) % 3]))
                    push_vertex(b, &p, k);
            }
            const bool crosses = (s[0] > 0 || s[1] > 0 || s[2] > 0) && (s[0] < 0 || s[1] < 0 || s[2] < 0);
            if (pass == 0 && crosses) {
                piece cut = p;
                cut.kind = PIECE_CUT;
                thin(b, c, &cut);
                (void)push_piece(b, &cut);
            }
        }
}

static int32_t build_space(builder *b, size_t begin, int depth)
{
    const size_t end = b->pieces.count;
    if (b->failed || begin == end)
        return add_leaf(b, 0);
    if (depth > DEEPEST)
        return add_leaf(b, ABUT_INDEX_OPEN);
    size_t best = begin;
    double least = DBL_MAX;
    const size_t step = (end - begin + CANDIDATES - 1) / CANDIDATES;
    for (size_t i = begin; i < end; i += step) {
        const piece_cutter c = plane_of(b, b->pieces.items[i].id);
        const double s = score(b, begin, end, &c);
        if (s < least) {
            least = s;
            best = i;
        }
    }
    const piece_cutter c = plane_of(b, b->pieces.items[best].id);
    uint8_t *sides = find_sides(b, begin, end, &c, best);
    if (b->failed)
        return ~0;
    abut_index_node node = c.test;
    ++b->index->face_nodes;
    take_plane(b, begin, end, &c, sides);
    node.on = b->failed ? ~0 : build_plane(b, end, &c, depth + 1);
    b->pieces.count = end;
    const int32_t at = add_node(b, &node);
    for (int sign = 1; sign >= -1 && !b->failed; sign -= 2) {
        take_side(b, begin, end, &c, sides, sign);
        const int32_t child = build_space(b, end, depth + 1);
        if (!b->failed)
            *(sign > 0 ? &b->index->nodes[at].above : &b->index->nodes[at].below) = child;
        b->pieces.count = end;
    }
    abut_base_free(&b->alloc, sides, end - begin, 1);
    return at;
}

/* ---- axes ---- */

static void range_of(const builder *b, uint32_t triangle, int axis, double *lo, double *hi)
{
    const uint32_t *t = b->triangles + 3 * (size_t)triangle;
    const double p = abut_part3(b->vertices[t[0]], axis), q = abut_part3(b->vertices[t[1]], axis),
                 r = abut_part3(b->vertices[t[2]], axis);
    *lo = fmin(p, fmin(q, r));
    *hi = fmax(p, fmax(q, r));
}

/* A region between planes parallel to the axes: sides 2 axis (low) and 2 axis + 1; a side that is open does
 * not belong to it. */
typedef struct region {
    double side[6];
    unsigned open;
} region;

typedef struct axis_cut {
    int axis;
    bool split; /* with a child of its own for the plane; otherwise it belongs to what is above */
    double at, cost;
} axis_cut;

/* What a plane costs: triangles on both sides, the worse side once more, and those that it cuts where it
 * has a tree of its own. */
static void try_cut(const builder *b, size_t begin, size_t end, int axis, double at, bool split,
                    axis_cut *best)
{
    size_t above = 0, below = 0, cut = 0;
    for (size_t i = begin; i < end; ++i) {
        double lo, hi;
        range_of(b, b->list.items[i], axis, &lo, &hi);
        above += split ? hi > at : hi >= at;
        below += lo < at;
        cut += lo < at && hi > at;
    }
    const size_t all = end - begin, most = above > below ? above : below;
    const double cost = (double)(above + below) + (double)most + (split ? 3.0 * (double)cut : 0);
    if (10 * most <= 9 * all && cost < best->cost)
        *best = (axis_cut){ axis, split, at, cost };
}

static void insert_sample(double *sample, int count, double value)
{
    int k = count;
    for (; k > 0 && sample[k - 1] > value; --k)
        sample[k] = sample[k - 1];
    sample[k] = value;
}

/* Near the median of some triangles: between them, and at their borders. */
static void try_axis(const builder *b, size_t begin, size_t end, int axis, axis_cut *best)
{
    double middle[SAMPLES + 1] = { 0 }, border[2 * SAMPLES + 2] = { 0 };
    int count = 0;
    const size_t step = (end - begin + SAMPLES - 1) / SAMPLES;
    for (size_t i = begin; i < end; i += step, ++count) {
        double lo, hi;
        range_of(b, b->list.items[i], axis, &lo, &hi);
        insert_sample(middle, count, 0.5 * lo + 0.5 * hi);
        insert_sample(border, 2 * count, lo);
        insert_sample(border, 2 * count + 1, hi);
    }
    try_cut(b, begin, end, axis, middle[count / 2], false, best);
    double last = middle[count / 2];
    const bool few = end - begin <= 4 * SAMPLES;
    for (int i = few ? count / 2 : 4 * count / 5;
         i < (few ? 3 * count / 2 + 1 : 6 * count / 5 + 1) && i < 2 * count; ++i) {
        if (border[i] != last)
            try_cut(b, begin, end, axis, border[i], true, best);
        last = border[i];
    }
}

/* A triangle as a piece, cut by the sides of its region. */
static piece piece_in(const builder *b, uint32_t triangle, const region *in)
{
    const uint32_t *t = b->triangles + 3 * (size_t)triangle;
    piece p = { .id = triangle, .kind = PIECE_TRIANGLE, .count = 3 };
    for (int k = 0; k < 3; ++k)
        p.corner[k] = (piece_corner){ b->vertices[t[k]], t[k], t[k] };
    for (int side = 0; side < 6; ++side) {
        const int axis = side / 2;
        if (!isfinite(in->side[side]))
            continue;
        const piece_cutter c = { .n = unit(axis), .o = abut_scale(in->side[side], unit(axis)) };
        piece_clip(&p, &c, side % 2 ? -1 : 1, b->slack);
        if (!(in->open >> side & 1))
            continue;
        bool on[3];
        for (int k = 0; k < 3; ++k)
            on[k] = abut_part3(b->vertices[t[k]], axis) == in->side[side];
        for (int k = 0; k < 3; ++k) {
            p.vertices_gone |= (uint8_t)(on[k] << k);
            p.edges_gone |= (uint8_t)((on[k] && on[(k + 1) % 3]) << k);
        }
    }
    return p;
}

static int32_t leave_axes(builder *b, size_t begin, size_t end, const region *in, int depth)
{
    const size_t top = b->pieces.count;
    for (size_t i = begin; i < end && !b->failed; ++i) {
        const piece p = piece_in(b, b->list.items[i], in);
        (void)push_piece(b, &p);
    }
    const int32_t node = b->failed ? ~0 : build_space(b, top, depth);
    b->pieces.count = top;
    return node;
}

/* The tree of lines in a plane parallel to the axes. */
static int32_t build_cut(builder *b, size_t begin, size_t end, const region *in, const axis_cut *cut,
                         int depth)
{
    const size_t top = b->pieces.count;
    const piece_cutter c = { .test = { .kind = ABUT_INDEX_AXIS, .axis = (uint8_t)cut->axis, .u.at = cut->at },
                             .n = unit(cut->axis),
                             .o = abut_scale(cut->at, unit(cut->axis)) };
    for (size_t i = begin; i < end && !b->failed; ++i) {
        double lo, hi;
        range_of(b, b->list.items[i], cut->axis, &lo, &hi);
        if (lo > cut->at || hi < cut->at)
            continue;
        const piece p = piece_in(b, b->list.items[i], in);
        (void)push_piece(b, &p);
    }
    const size_t last = b->pieces.count;
    uint8_t *sides = b->failed ? NULL : find_sides(b, top, last, &c, SIZE_MAX);
    if (sides)
        take_plane(b, top, last, &c, sides);
    const int32_t node = b->failed ? ~0 : build_plane(b, last, &c, depth + 1);
    b->pieces.count = top;
    abut_base_free(&b->alloc, sides, last - top, 1);
    return node;
}

static int32_t build_region(builder *b, size_t begin, const region *in, int depth)
{
    const size_t end = b->list.count;
    axis_cut cut = { .axis = -1, .cost = DBL_MAX };
    for (int k = 0; k < 3 && end - begin > FEW && depth < DEEPEST / 2; ++k)
        try_axis(b, begin, end, k, &cut);
    if (cut.axis < 0)
        return leave_axes(b, begin, end, in, depth);
    const abut_index_node node = { .kind = ABUT_INDEX_AXIS, .axis = (uint8_t)cut.axis, .u.at = cut.at };
    const int32_t index = add_node(b, &node);
    ++b->index->axis_nodes;
    if (cut.split) {
        const int32_t on = build_cut(b, begin, end, in, &cut, depth);
        if (!b->failed)
            b->index->nodes[index].on = on;
    }
    for (int sign = 1; sign >= -1 && !b->failed; sign -= 2) {
        for (size_t i = begin; i < end && !b->failed; ++i) {
            double lo, hi;
            range_of(b, b->list.items[i], cut.axis, &lo, &hi);
            const bool has = sign < 0 ? lo < cut.at : cut.split ? hi > cut.at : hi >= cut.at;
            if (has && !ABUT_ARRAY_PUSH(&b->alloc, &b->list, b->list.items[i]))
                b->failed = true;
        }
        region half = *in;
        const int side = 2 * cut.axis + (sign < 0);
        half.side[side] = cut.at;
        if (sign < 0 || cut.split)
            half.open |= 1u << side;
        else
            half.open &= ~(1u << side);
        const int32_t child = b->failed ? ~0 : build_region(b, end, &half, depth + 1);
        if (!b->failed)
            *(sign > 0 ? &b->index->nodes[index].above : &b->index->nodes[index].below) = child;
        b->list.count = end;
    }
    if (!b->failed && !cut.split) /* half open */
        b->index->nodes[index].on = b->index->nodes[index].above;
    return index;
}

/* ---- the whole ---- */

typedef struct heights {
    uint64_t leaves, sum;
    size_t most;
} heights;

static void measure(const abut_index *x, int32_t at, size_t depth, heights *h)
{
    if (at < 0) {
        ++h->leaves;
        h->sum += depth;
        h->most = depth > h->most ? depth : h->most;
        return;
    }
    const abut_index_node *node = &x->nodes[at];
    measure(x, node->above, depth + 1, h);
    measure(x, node->below, depth + 1, h);
    if (node->kind == ABUT_INDEX_AXIS && node->on == node->above)
        return;
    if (!node->run) {
        measure(x, node->on, depth + 1, h);
        return;
    }
    h->leaves += 3; /* the edge and its vertices */
    h->sum += 3 * (depth + 1);
    measure(x, x->runs[node->on].before, depth + 1, h);
    measure(x, x->runs[node->on].after, depth + 1, h);
}

static bool list_edges(builder *b)
{
    const abut_index_def *def = b->def;
    b->triangle_edges = abut_base_alloc(&b->alloc, 3 * def->triangle_count, sizeof *b->triangle_edges);
    b->edge_stamp = abut_base_alloc_zero(&b->alloc, def->edge_count, sizeof *b->edge_stamp);
    if (!b->triangle_edges || !b->edge_stamp)
        return false;
    for (size_t e = 0; e < def->edge_count; ++e)
        for (int side = 0; side < 2; ++side) {
            const uint32_t t = def->edge_triangles[2 * e + (size_t)side];
            const uint32_t from = def->edge_ends[2 * e + (size_t)side]; /* the second runs the other way */
            for (size_t k = 0; k < 3; ++k)
                if (b->triangles[3 * (size_t)t + k] == from)
                    b->triangle_edges[3 * (size_t)t + k] = (uint32_t)e;
        }
    return true;
}

static void build(builder *b, size_t vertex_count)
{
    const abut_aabb box = b->def->of.box;
    const region all = { .side = { -INFINITY, INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY } };
    b->slack = 0x1p-36 * fmax(abut_max_norm(box.lo), abut_max_norm(box.hi));
    b->vertex_stamp = abut_base_alloc_zero(&b->alloc, vertex_count, sizeof *b->vertex_stamp);
    b->failed = !b->vertex_stamp || !list_edges(b) ||
                !ABUT_ARRAY_RESERVE(&b->alloc, &b->list, b->def->triangle_count);
    for (size_t i = 0; !b->failed && i < b->def->triangle_count; ++i)
        b->list.items[b->list.count++] = (uint32_t)i;
    if (!b->failed)
        b->index->root = build_region(b, 0, &all, 0);
    ABUT_ARRAY_FREE(&b->alloc, &b->list);
    ABUT_ARRAY_FREE(&b->alloc, &b->pieces);
    abut_base_free(&b->alloc, b->vertex_stamp, vertex_count, sizeof *b->vertex_stamp);
    abut_base_free(&b->alloc, b->triangle_edges, 3 * b->def->triangle_count, sizeof *b->triangle_edges);
    abut_base_free(&b->alloc, b->edge_stamp, b->def->edge_count, sizeof *b->edge_stamp);
}

static double seconds_now(void)
{
    struct timespec now;
    return timespec_get(&now, TIME_UTC) ? (double)now.tv_sec + 1e-9 * (double)now.tv_nsec : 0;
}

abut_index *abut_index_create(const abut_index_def *def, const abut_allocator *alloc)
{
    const double start = seconds_now();
    builder b = { .def = def,
                  .vertices = def->of.vertices,
                  .triangles = def->of.triangles,
                  .alloc = abut_base_allocator(alloc) };
    abut_index *index = b.index = abut_base_alloc_zero(&b.alloc, 1, sizeof *index);
    if (!index)
        return NULL;
    index->alloc = b.alloc;
    build(&b, def->of.brep->vertex_count);
    if (b.failed) {
        abut_index_destroy(index);
        return NULL;
    }
    heights h = { 0, 0, 0 };
    measure(index, index->root, 0, &h);
    index->height = h.most;
    index->average_height = (double)h.sum / (double)h.leaves;
    index->seconds = seconds_now() - start;
    return index;
}

void abut_index_destroy(abut_index *index)
{
    if (!index)
        return;
    const abut_allocator alloc = index->alloc;
    abut_base_shrink(&alloc, index->nodes, index->node_room, sizeof *index->nodes);
    abut_base_shrink(&alloc, index->runs, index->run_room, sizeof *index->runs);
    abut_base_shrink(&alloc, index->leaves, index->leaf_room, sizeof *index->leaves);
    abut_base_free(&alloc, index, 1, sizeof *index);
}
