/* SPDX-License-Identifier: MIT */
/* Triangles of planar faces with holes, in O(n log n), with exact signs.
 *
 * A face is seen along the axis in which its normal is largest, so that its corners are doubles in a
 * plane. A sweep from left to right splits it into monotone pieces, which a stack cuts into triangles
 * (M. Garey, D. Johnson, F. Preparata, R. Tarjan, Triangulating a simple polygon, 1978; M. de Berg et
 * al., Computational Geometry, chapter 3). Vertices are in lexicographic order, which is a sweep line
 * that is turned a little: vertical sides need no care. All decisions are signs of abut_orient2d, so
 * that the result depends on nothing but the corners; it has no triangle without area, and every corner
 * of the face is a corner of a triangle.
 *
 * Surprise: loops that cross are not searched for. They either upset the sweep, or end in triangles that
 * are turned the wrong way, or in too few; all of these are seen. What still passes is found by the test
 * of the whole solid with itself (self.c). */
#include "abut/predicates.h"
#include "base/error.h"
#include "base/sort.h"
#include "brep/polyhedron.h"
#include "math/vec3.h"

#include <inttypes.h>

#define NONE ABUT_BREP_NONE

/* A corner of the face in the plane of the sweep. */
typedef struct node {
    double at[2];
    uint32_t vertex;
    uint32_t previous, next; /* in its loop */
    uint32_t diagonals;      /* first in the list of those that leave here; NONE */
    uint32_t helper;         /* of the side that starts here, while the sweep line meets it */
    bool merge;
} node;

/* One direction of a diagonal. */
typedef struct diagonal {
    uint32_t to;
    uint32_t more; /* next in the list of its corner, counter-clockwise from the corner's next side */
    bool used;
} diagonal;

typedef struct sweep {
    node *nodes;
    uint32_t count;
    uint32_t *order;
    uint32_t *status; /* sides with the face above them, from below; named by their start */
    uint32_t status_count;
    diagonal *diagonals;
    uint32_t diagonal_count, diagonal_room;
    uint32_t *piece, *stack;
    uint32_t *triangles; /* where the next goes */
    uint32_t *end;
    bool failed;
} sweep;

static int turn(const sweep *s, uint32_t a, uint32_t b, uint32_t c)
{
    return abut_orient2d(s->nodes[a].at, s->nodes[b].at, s->nodes[c].at);
}

static bool before(const sweep *s, uint32_t a, uint32_t b)
{
    const double *p = s->nodes[a].at, *q = s->nodes[b].at;
    return p[0] < q[0] || (p[0] == q[0] && p[1] < q[1]);
}

static bool node_before(void *ctx, const void *a, const void *b)
{
    return before(ctx, *(const uint32_t *)a, *(const uint32_t *)b);
}

/* ---- diagonals ---- */

/* Counter-clockwise from the side that leaves v: is p met before q? */
static bool angle_before(const sweep *s, uint32_t v, uint32_t p, uint32_t q)
{
    const uint32_t next = s->nodes[v].next;
    const int half_p = turn(s, v, next, p), half_q = turn(s, v, next, q);
    if (half_p != half_q)
        return half_p > half_q;
    return turn(s, v, p, q) > 0;
}

static void push_diagonal(sweep *s, uint32_t from, uint32_t to)
{
    const uint32_t index = s->diagonal_count++;
    uint32_t *place = &s->nodes[from].diagonals;
    while (*place != NONE && angle_before(s, from, s->diagonals[*place].to, to))
        place = &s->diagonals[*place].more;
    s->diagonals[index] = (diagonal){ to, *place, false };
    *place = index;
}

static void add_diagonal(sweep *s, uint32_t a, uint32_t b)
{
    if (s->diagonal_count + 2 > s->diagonal_room) {
        s->failed = true;
        return;
    }
    push_diagonal(s, a, b);
    push_diagonal(s, b, a);
}

/* ---- the sweep ---- */

/* Number of sides in the status that are below v; fails where v is on one. */
static uint32_t below(sweep *s, uint32_t v)
{
    uint32_t lo = 0, hi = s->status_count;
    while (lo < hi) {
        const uint32_t mid = lo + (hi - lo) / 2, side = s->status[mid];
        const int sign = turn(s, side, s->nodes[side].next, v);
        if (sign == 0)
            s->failed = true;
        if (sign > 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void insert(sweep *s, uint32_t side)
{
    const uint32_t at = below(s, side);
    for (uint32_t i = s->status_count++; i > at; --i)
        s->status[i] = s->status[i - 1];
    s->status[at] = side;
    s->nodes[side].helper = side;
}

/* The side that ends at v leaves the status: it is searched by its start, where it has the order that it
 * was put in with. */
static void leave(sweep *s, uint32_t v)
{
    const uint32_t side = s->nodes[v].previous;
    if (s->nodes[s->nodes[side].helper].merge)
        add_diagonal(s, v, s->nodes[side].helper);
    uint32_t lo = 0, hi = s->status_count;
    while (lo < hi) { /* v is the right end of its side and above or on all that are below */
        const uint32_t mid = lo + (hi - lo) / 2, other = s->status[mid];
        if (other == side) {
            lo = mid;
            break;
        }
        if (turn(s, other, s->nodes[other].next, v) > 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo >= s->status_count || s->status[lo] != side) {
        s->failed = true;
        return;
    }
    for (uint32_t i = lo + 1; i < s->status_count; ++i)
        s->status[i - 1] = s->status[i];
    --s->status_count;
}

/* v becomes the helper of the side below it; with a diagonal to the last one where that must have one, or
 * v itself. */
static void help(sweep *s, uint32_t v, bool always)
{
    const uint32_t count = below(s, v);
    if (count == 0 || s->failed) {
        s->failed = true;
        return;
    }
    node *side = &s->nodes[s->status[count - 1]];
    if (always || s->nodes[side->helper].merge)
        add_diagonal(s, v, side->helper);
    side->helper = v;
}

static void visit(sweep *s, uint32_t v)
{
    node *at = &s->nodes[v];
    const bool from_left = before(s, at->previous, v), to_left = before(s, at->next, v);
    const int sign = turn(s, at->previous, v, at->next);
    if (from_left && !to_left) { /* the face is above */
        leave(s, v);
        insert(s, v);
    } else if (!from_left && to_left) { /* below */
        help(s, v, false);
    } else if (sign == 0) { /* the two sides lie on each other */
        s->failed = true;
    } else if (!from_left) {
        if (sign < 0)
            help(s, v, true);
        insert(s, v);
    } else {
        leave(s, v);
        at->merge = sign < 0;
        if (at->merge)
            help(s, v, false);
    }
}

/* ---- monotone pieces ---- */

static void emit(sweep *s, uint32_t a, uint32_t b, uint32_t c)
{
    if (s->triangles == s->end || turn(s, a, b, c) <= 0) {
        s->failed = true;
        return;
    }
    *s->triangles++ = s->nodes[a].vertex;
    *s->triangles++ = s->nodes[b].vertex;
    *s->triangles++ = s->nodes[c].vertex;
}

/* upper: c comes after b, b after a from left to right on a chain with the piece below it. */
static void emit_on(sweep *s, uint32_t a, uint32_t b, uint32_t c, bool upper)
{
    if (upper)
        emit(s, c, b, a);
    else
        emit(s, a, b, c);
}

/* Are three corners nearly on a line? Vertices in the middle of an edge are, after rounding: a triangle of
 * them would lie in both faces of the edge. */
static bool is_flat(const sweep *s, uint32_t a, uint32_t b, uint32_t c)
{
    const double *p = s->nodes[a].at, *q = s->nodes[b].at, *r = s->nodes[c].at;
    const double ux = q[0] - p[0], uy = q[1] - p[1], vx = r[0] - q[0], vy = r[1] - q[1];
    return fabs(ux * vy - uy * vx) <= 1e-7 * hypot(ux, uy) * hypot(vx, vy);
}

static void cut_piece(sweep *s, uint32_t count)
{
    const uint32_t *piece = s->piece;
    uint32_t left = 0, right = 0;
    for (uint32_t i = 1; i < count; ++i) {
        left = before(s, piece[i], piece[left]) ? i : left;
        right = before(s, piece[right], piece[i]) ? i : right;
    }
    /* The lower chain runs on from the left end, the upper one back from it. */
    uint32_t *stack = s->stack, depth = 0;
    bool top_upper = false;
    uint32_t low = left, high = left;
    stack[depth++] = piece[left];
    for (uint32_t k = 1; k < count && !s->failed; ++k) {
        const uint32_t next_low = (low + 1) % count, next_high = (high + count - 1) % count;
        const bool upper = low == right || (high != right && before(s, piece[next_high], piece[next_low]));
        const uint32_t v = upper ? piece[next_high] : piece[next_low];
        const bool last = k == count - 1;
        low = upper ? low : next_low;
        high = upper ? next_high : high;
        if (last || (depth > 1 && upper != top_upper)) {
            for (uint32_t i = 1; i < depth; ++i)
                emit_on(s, stack[i - 1], stack[i], v, top_upper);
            stack[0] = stack[depth - 1];
            depth = 1;
        } else {
            while (depth > 1) {
                const int sign = turn(s, stack[depth - 2], stack[depth - 1], v);
                if ((upper ? sign >= 0 : sign <= 0) || is_flat(s, stack[depth - 2], stack[depth - 1], v))
                    break;
                emit_on(s, stack[depth - 2], stack[depth - 1], v, upper);
                --depth;
            }
        }
        stack[depth++] = v;
        top_upper = upper;
    }
}

/* Where the piece that came to v goes on: the last direction before the one it came from. `from` is the
 * diagonal that leads back, NONE where it came along the loop. Returns the diagonal taken, or NONE for
 * the side. */
static uint32_t onward(const sweep *s, uint32_t v, uint32_t came_from)
{
    uint32_t best = NONE;
    for (uint32_t d = s->nodes[v].diagonals; d != NONE; d = s->diagonals[d].more) {
        if (s->diagonals[d].to == came_from)
            break;
        best = d;
    }
    return best;
}

/* Follows one piece from a side or a diagonal that leaves `start`. */
static uint32_t trace(sweep *s, uint32_t start, uint32_t first)
{
    uint32_t count = 0, v = start, d = first;
    do {
        if (count == s->count) {
            s->failed = true;
            return 0;
        }
        s->piece[count++] = v;
        if (d != NONE)
            s->diagonals[d].used = true;
        const bool along = d == NONE;
        const uint32_t to = along ? s->nodes[v].next : s->diagonals[d].to;
        d = onward(s, to, along ? NONE : v);
        v = to;
    } while (v != start || d != first);
    return count;
}

/* Cuts the piece that begins at v along a diagonal, or NONE: along the loop. Sides are marked as seen by
 * `helper`. */
static void take_piece(sweep *s, uint32_t v, uint32_t first)
{
    const uint32_t count = trace(s, v, first);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t p = s->piece[i], q = s->piece[i + 1 < count ? i + 1 : 0];
        if (s->nodes[p].next == q)
            s->nodes[p].helper = 1;
    }
    cut_piece(s, count);
}

static void cut_pieces(sweep *s)
{
    for (uint32_t v = 0; v < s->count; ++v)
        s->nodes[v].helper = 0;
    for (uint32_t v = 0; v < s->count && !s->failed; ++v) {
        if (s->nodes[v].helper == 0)
            take_piece(s, v, NONE);
        for (uint32_t d = s->nodes[v].diagonals; d != NONE && !s->failed; d = s->diagonals[d].more)
            if (!s->diagonals[d].used)
                take_piece(s, v, d);
    }
}

/* ---- faces ---- */

typedef struct face_view {
    int axis[2]; /* of the vertices, seen so that the face is counter-clockwise */
} face_view;

size_t abut_brep_triangle_count(const abut_brep *brep, uint32_t face)
{
    const abut_brep_face *f = &brep->faces[face];
    size_t corners = 0;
    for (uint32_t l = f->begin; l < f->end; ++l)
        corners += brep->loops[l].end - brep->loops[l].begin;
    const size_t loops = f->end - f->begin;
    return loops == 0 || corners + 2 * loops < 5 ? 0 : corners + 2 * loops - 4;
}

/* The sum of cross products is twice the area vector of the loops, concave or not (Newell). Coordinates
 * are taken relative to a corner and in units of the solid's size, so that nothing overflows and no
 * digits are lost far from the origin. */
static abut_status view_face(const abut_brep *brep, const abut_vec3 *vertices, uint32_t face, double size,
                             double planarity, face_view *view, abut_error *error)
{
    const abut_brep_face *f = &brep->faces[face];
    const abut_vec3 at = vertices[abut_brep_start(brep, brep->loops[f->begin].begin)];
    abut_vec3 area = { 0, 0, 0 };
    double magnitude = 0;
    size_t corners = 0;
    for (uint32_t l = f->begin; l < f->end; ++l)
        for (uint32_t c = brep->loops[l].begin; c < brep->loops[l].end; ++c, ++corners) {
            const abut_vec3 v = vertices[abut_brep_start(brep, c)],
                            w = vertices[abut_brep_start(brep, abut_brep_next(brep, c))];
            const abut_vec3 p = { v.x / size - at.x / size, v.y / size - at.y / size,
                                  v.z / size - at.z / size },
                            q = { w.x / size - at.x / size, w.y / size - at.y / size,
                                  w.z / size - at.z / size };
            area = abut_add(area, abut_cross(p, q));
            magnitude += abut_length(p) * abut_length(q);
        }
    const double length = abut_length(area);
    if (!(length > (double)corners * 4e-16 * magnitude))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, face,
                              "face %" PRIu32 " has no area: its corners lie on a line", face);
    for (uint32_t l = f->begin; l < f->end; ++l)
        for (uint32_t c = brep->loops[l].begin; c < brep->loops[l].end; ++c) {
            const abut_vec3 v = vertices[abut_brep_start(brep, c)];
            const abut_vec3 p = { v.x / size - at.x / size, v.y / size - at.y / size,
                                  v.z / size - at.z / size };
            const double off = fabs(abut_dot(area, p)) / length;
            if (off > planarity)
                return abut_base_fail(
                    error, ABUT_ERR_ARGUMENT, face,
                    "face %" PRIu32 " is not planar: vertex %" PRIu32 " is %g off the plane, "
                    "and the limit is %g (%g of the solid's size)",
                    face, abut_brep_start(brep, c), off * size, planarity * size, planarity);
        }
    const double n[3] = { area.x, area.y, area.z };
    int k = fabs(n[1]) > fabs(n[0]) ? 1 : 0;
    k = fabs(n[2]) > fabs(n[k]) ? 2 : k;
    view->axis[n[k] > 0 ? 0 : 1] = (k + 1) % 3;
    view->axis[n[k] > 0 ? 1 : 0] = (k + 2) % 3;
    return ABUT_OK;
}

/* Loops as nodes; the number of loops that run counter-clockwise, by the turn at their first vertex in
 * the order of the sweep. */
static int fill_nodes(sweep *s, const abut_brep *brep, const abut_vec3 *vertices, uint32_t face,
                      const face_view *view)
{
    int outer = 0;
    s->count = 0;
    for (uint32_t l = brep->faces[face].begin; l < brep->faces[face].end; ++l) {
        const uint32_t first = s->count;
        uint32_t left = first;
        for (uint32_t c = brep->loops[l].begin; c < brep->loops[l].end; ++c, ++s->count) {
            const uint32_t vertex = abut_brep_start(brep, c);
            s->nodes[s->count] = (node){ .at = { abut_part3(vertices[vertex], view->axis[0]),
                                                 abut_part3(vertices[vertex], view->axis[1]) },
                                         .vertex = vertex,
                                         .previous = s->count - 1,
                                         .next = s->count + 1,
                                         .diagonals = NONE };
            left = before(s, s->count, left) ? s->count : left;
        }
        s->nodes[first].previous = s->count - 1;
        s->nodes[s->count - 1].next = first;
        outer += turn(s, s->nodes[left].previous, left, s->nodes[left].next) > 0;
    }
    return outer;
}

static abut_status cut_face(sweep *s, uint32_t face, abut_error *error)
{
    s->status_count = s->diagonal_count = 0;
    s->failed = false;
    for (uint32_t i = 0; i < s->count; ++i)
        s->order[i] = i;
    abut_base_sort(s->order, s->count, sizeof *s->order, node_before, s);
    for (uint32_t i = 1; i < s->count; ++i)
        if (!before(s, s->order[i - 1], s->order[i]))
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, face,
                                  "face %" PRIu32 " touches itself at vertex %" PRIu32, face,
                                  s->nodes[s->order[i]].vertex);
    for (uint32_t i = 0; i < s->count && !s->failed; ++i)
        visit(s, s->order[i]);
    if (!s->failed)
        cut_pieces(s);
    if (s->failed || s->triangles != s->end)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, face, "face %" PRIu32 " crosses or touches itself",
                              face);
    return ABUT_OK;
}

static abut_status triangulate_face(sweep *s, const abut_brep *brep, const abut_vec3 *vertices, uint32_t face,
                                    double size, double planarity, abut_error *error)
{
    face_view view;
    if (s->triangles == s->end)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, face,
                              "face %" PRIu32 " has fewer than three corners at different places", face);
    const abut_status status = view_face(brep, vertices, face, size, planarity, &view, error);
    if (status)
        return status;
    const int outer = fill_nodes(s, brep, vertices, face, &view);
    if (outer != 1)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, face,
                              "face %" PRIu32 " has %d outer loops (counter-clockwise seen from outside, as "
                              "its area is); it needs one, and holes run clockwise",
                              face, outer);
    if (s->count == 3) {
        emit(s, 0, 1, 2);
        return ABUT_OK;
    }
    return cut_face(s, face, error);
}

static size_t most_corners(const abut_brep *brep)
{
    size_t most = 3;
    for (uint32_t f = 0; f < brep->face_count; ++f) {
        const size_t count = abut_brep_triangle_count(brep, f) + 2;
        most = count > most ? count : most;
    }
    return most;
}

abut_status abut_brep_triangulate(const abut_brep *brep, const abut_vec3 *vertices, double size,
                                  double planarity, abut_workspace *ws, uint32_t *triangles, uint32_t *starts,
                                  abut_error *error)
{
    const size_t most = most_corners(brep); /* at least as many as any face has */
    sweep s = { .diagonal_room = (uint32_t)(2 * most) };
    s.nodes = abut_workspace_take(ws, most, sizeof *s.nodes);
    s.order = abut_workspace_take(ws, most, sizeof *s.order);
    s.status = abut_workspace_take(ws, most, sizeof *s.status);
    s.diagonals = abut_workspace_take(ws, s.diagonal_room, sizeof *s.diagonals);
    s.piece = abut_workspace_take(ws, most, sizeof *s.piece);
    s.stack = abut_workspace_take(ws, most + 1, sizeof *s.stack);
    if (!s.nodes || !s.order || !s.status || !s.diagonals || !s.piece || !s.stack)
        return abut_base_fail_memory(error);
    starts[0] = 0;
    s.triangles = triangles;
    for (uint32_t f = 0; f < brep->face_count; ++f) {
        const size_t count = abut_brep_triangle_count(brep, f);
        s.end = s.triangles + 3 * count;
        const abut_status status = triangulate_face(&s, brep, vertices, f, size, planarity, error);
        if (status)
            return status;
        starts[f + 1] = starts[f] + (uint32_t)count;
    }
    return ABUT_OK;
}
