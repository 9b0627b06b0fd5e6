/* SPDX-License-Identifier: MIT */
/* Do the insides of two solids meet close to a point that both surfaces have in common? Proof that
 * these questions suffice: docs/notes/solid-meshes.md.
 *
 * Close to such a point x a solid is a cone: the half-space behind a face, the wedge between the
 * two faces of an edge, the cone over the faces round a vertex. What triangles that cross, or lie
 * on each other the same way round, say is known already. Left are, by what of a and b holds x, an
 * edge in a face: the wedge must lie on the outer side; two edges that cross: both wedges must be
 * convex, on different sides of the plane of the edges; two edges along each other: the sectors
 * between their faces, seen along them, must not overlap; a vertex and anything: a ray of the
 * border of one cone strictly inside the other; where borders meet, one of the other cases tells.
 * Every question is a sign of four corners, three of them of one mesh and one of the other, or two
 * and two.
 *
 * Not decided, -1: where a face at the point is degenerate or folded back onto its neighbour, or
 * where the surface comes back to its own vertex. */
#include "abut/predicates.h"
#include "narrow/mesh/mesh_cone.h"
#include "narrow/triangle/triangle_signs.h"

enum { NO_SIDE = 2 };

/* ---- a vertex of b and a triangle of a ---- */

/* By the lines of the edges that a point not outside of a triangle is on; two meet at a corner:
 * edges 0 and 1 at 1, 1 and 2 at 2, 2 and 0 at 0. */
static int part_of_zeros(const int side[3])
{
    const int zeros = (side[0] == 0) + (side[1] == 0) + (side[2] == 0),
              on = (side[1] == 0) + 2 * (side[2] == 0);
    return zeros == 0 ? 6 : zeros == 1 ? 3 + on : on == 1 ? 1 : on == 3 ? 2 : 0;
}

/* Part of triangle a (0..2 corners, 3..5 edges, 6 inside) that holds corner c of b; -1: none.
 * For exact frames. */
static int part_holding(abut_triangle_signs *s, int c)
{
    if (abut_triangle_volume(s, 0, 1, 2, c) != 0)
        return -1;
    for (int axis = 0; axis < 3; ++axis) {
        const int turn = abut_triangle_area(s, 0, 1, 2, axis);
        if (turn == 0)
            continue;
        int t[3];
        for (int k = 0; k < 3; ++k) {
            t[k] = turn * abut_triangle_area(s, k, (k + 1) % 3, c, axis);
            if (t[k] < 0)
                return -1;
        }
        return part_of_zeros(t);
    }
    return -1;
}

typedef struct corner_pair {
    abut_mesh_pair *pair, *turned;
    abut_mesh_decided *decided;
    bool swapped; /* a is the second of the two solids */
    uint32_t i, j;
    const abut_vec3 *a, *b;
} corner_pair;

static int join(int x, int y)
{
    return x > 0 || y > 0 ? 1 : x < 0 || y < 0 ? -1 : 0;
}

/* Rays of a's border from the corner of b on part of a's triangle: one of each loop. */
static int rays_of_part(const corner_pair *c, int part, const abut_mesh_link *at_a,
                        abut_vec3 rays[ABUT_MESH_LINK])
{
    if (part < 3 && !at_a->fails)
        return abut_mesh_loop_rays(at_a, rays);
    rays[0] = part == 6 ? c->a[0] : part >= 3 ? c->a[part - 3] : c->a[(part + 1) % 3];
    return 1;
}

static int ray_in_part(const corner_pair *c, int part, const abut_mesh_link *at_a, const abut_mesh_wedge *w,
                       abut_vec3 ray)
{
    if (part == 6)
        return abut_triangle_side_of_a(&c->pair->frame, c->a, ray) < 0;
    return part >= 3 ? abut_mesh_in_wedge(c->pair, w, ray) : abut_mesh_in_cone(c->pair, at_a, ray);
}

/* Corner k of b's triangle is on a part of a's. */
static int vertex_decides(const corner_pair *c, int k, int part)
{
    abut_mesh_link at_a, at_b;
    abut_mesh_wedge w;
    abut_vec3 rays[ABUT_MESH_LINK];
    const bool fails = part >= 3 && part < 6 && !abut_mesh_wedge_at(c->pair->mesh_a, c->i, part - 3, &w);
    abut_mesh_link_set(c->pair->mesh_b, c->b[k], &c->pair->counters, &at_b);
    if (part < 3)
        abut_mesh_link_set(c->pair->mesh_a, c->a[part], &c->pair->counters, &at_a);
    int found = fails ? ABUT_MESH_UNTOLD : 0, count = 1;
    if (at_b.fails)
        rays[0] = c->b[(k + 1) % 3];
    else
        count = abut_mesh_loop_rays(&at_b, rays);
    for (int r = 0; r < count && found <= 0 && !fails; ++r)
        found = join(found, ray_in_part(c, part, &at_a, &w, rays[r]));
    count = rays_of_part(c, part, &at_a, rays);
    for (int r = 0; r < count && found <= 0; ++r)
        found = join(found, abut_mesh_in_cone(c->turned, &at_b, rays[r]));
    return found;
}

/* ---- what has been decided ---- */

static bool key_of(const corner_pair *c, int k, int part, abut_mesh_contact_key *out)
{
    const abut_faceted_data *mesh = c->pair->mesh_a, *other = c->pair->mesh_b;
    const uint32_t *corner = mesh->corners + 3 * (size_t)c->i;
    const uint32_t vertex = other->weld[other->corners[3 * (size_t)c->j + (size_t)k]];
    *out = (abut_mesh_contact_key){ .feature = 2 * (uint64_t)c->i + c->swapped, .vertex = vertex, .kind = 3 };
    if (part < 3) { /* the same from both sides */
        const uint32_t own = mesh->weld[corner[part]];
        *out = (abut_mesh_contact_key){ c->swapped ? 2 * (uint64_t)vertex : 2 * (uint64_t)own,
                                        c->swapped ? own : vertex, 1 };
    } else if (part < 6) {
        const int64_t edge =
            abut_edge_find(mesh, mesh->weld[corner[part - 3]], mesh->weld[corner[(part - 2) % 3]]);
        *out = (abut_mesh_contact_key){ 2 * (uint64_t)edge + c->swapped, vertex, 2 };
        return edge >= 0;
    }
    return true;
}

static int vertex_meets(const corner_pair *c, int k, int part)
{
    abut_mesh_contact_key key;
    const bool has_key = key_of(c, k, part, &key);
    if (has_key && abut_mesh_is_decided(c->decided, &key))
        return 0;
    const int found = vertex_decides(c, k, part);
    if (has_key && found == 0)
        abut_mesh_decide(c->decided, &key);
    return found;
}

/* ---- an edge of b in a face of a ---- */

/* An edge is asked about for one of its faces only, the first: whatever touches there touches
 * both. Not for a degenerate one, which is not asked. */
static bool is_first(const abut_faceted_data *mesh, uint32_t face, int k)
{
    const uint32_t *corner = mesh->corners + 3 * (size_t)face;
    const int64_t edge = abut_edge_find(mesh, mesh->weld[corner[k]], mesh->weld[corner[(k + 1) % 3]]);
    if (edge < 0)
        return true;
    const uint32_t *faces = mesh->edge_faces + 2 * edge, other = faces[0] == face ? faces[1] : faces[0];
    abut_vec3 t[3];
    abut_mesh_corners(mesh, other, t);
    return face < other || abut_collinear(t[0], t[1], t[2]);
}

/* Does the edge of b from corner p to q (in a's plane) run through the inside of triangle a? */
static bool runs_through(abut_triangle_signs *s, int p, int q)
{
    for (int axis = 0; axis < 3; ++axis) {
        const int turn = abut_triangle_area(s, 0, 1, 2, axis);
        if (turn == 0)
            continue;
        bool left = false, right = false;
        for (int k = 0; k < 3; ++k) {
            if (turn * abut_triangle_area(s, k, (k + 1) % 3, p, axis) <= 0 &&
                turn * abut_triangle_area(s, k, (k + 1) % 3, q, axis) <= 0)
                return false;
            const int t = abut_triangle_area(s, p, q, k, axis);
            left = left || t > 0;
            right = right || t < 0;
        }
        return left && right;
    }
    return false;
}

static int edge_in_face(const corner_pair *c, int k)
{
    abut_mesh_wedge w;
    if (!abut_mesh_wedge_at(c->pair->mesh_b, c->j, k, &w))
        return ABUT_MESH_UNTOLD;
    if (w.turn < 0)
        return 1;
    return abut_triangle_side_of_a(&c->pair->frame, c->a, w.start) < 0 ||
           abut_triangle_side_of_a(&c->pair->frame, c->a, w.end) < 0;
}

/* ---- two edges ---- */

static bool on_line(abut_triangle_signs *s, int p, int q, int r)
{
    return abut_triangle_area(s, p, q, r, 0) == 0 && abut_triangle_area(s, p, q, r, 1) == 0 &&
           abut_triangle_area(s, p, q, r, 2) == 0;
}

/* Edges on one line: do they have a segment in common? *along: do they run the same way? */
static bool overlap_on_line(abut_triangle_signs *s, int p, int q, int r, int t, bool *along)
{
    for (int axis = 0; axis < 3; ++axis) {
        const int order = abut_triangle_order(s, q, p, axis);
        if (order == 0)
            continue;
        *along = abut_triangle_order(s, t, r, axis) == order;
        const int first = *along ? r : t, last = *along ? t : r;
        return abut_triangle_order(s, q, first, axis) == order &&
               abut_triangle_order(s, last, p, axis) == order;
    }
    return false;
}

/* Edges in one plane and not on one line: do their insides cross? */
static bool cross_in_plane(abut_triangle_signs *s, int p, int q, int r, int t)
{
    for (int axis = 0; axis < 3; ++axis) {
        const int s1 = abut_triangle_area(s, p, q, r, axis), s2 = abut_triangle_area(s, p, q, t, axis);
        if (s1 == 0 && s2 == 0)
            continue;
        return s1 * s2 < 0 && abut_triangle_area(s, r, t, p, axis) * abut_triangle_area(s, r, t, q, axis) < 0;
    }
    return false;
}

/* On which side of the plane of both edges the wedge lies, seen so that b's edge is
 * counter-clockwise of a's, +1 in front: 0 where it is on both. `w` is of the pair's a. */
static int wedge_side(const abut_mesh_pair *pair, const abut_mesh_wedge *w, abut_vec3 end)
{
    const abut_vec3 at_start[3] = { w->from, w->to, w->start }, at_end[3] = { w->from, w->to, w->end };
    const int s = -abut_triangle_side_of_a(&pair->frame, at_start, end),
              e = -abut_triangle_side_of_a(&pair->frame, at_end, end);
    if (w->turn < 0)
        return 0;
    if (w->turn > 0)
        return s >= 0 && e >= 0 ? 1 : s <= 0 && e <= 0 ? -1 : 0;
    if (s != 0)
        return 0; /* a flat wedge that the plane cuts */
    /* The solid is behind the face at `end`: behind the plane where b's edge goes to that side
     * of a's edge. */
    abut_vec3 r;
    if (!abut_mesh_off_plane(w->from, w->to, w->end, &r))
        return NO_SIDE;
    const abut_vec3 upright[3] = { w->from, w->to, r };
    const int face = -abut_orient3d(w->from, w->to, r, w->end);
    return face == abut_triangle_side_of_a(&pair->frame, upright, end) ? -1 : 1;
}

static int edges_cross(const corner_pair *c, int k, int m)
{
    abut_mesh_wedge wa, wb;
    if (!abut_mesh_wedge_at(c->pair->mesh_a, c->i, k, &wa) ||
        !abut_mesh_wedge_at(c->pair->mesh_b, c->j, m, &wb))
        return ABUT_MESH_UNTOLD;
    const int a = wedge_side(c->pair, &wa, wb.to), b = -wedge_side(c->turned, &wb, wa.to);
    if (a == NO_SIDE || b == -NO_SIDE)
        return ABUT_MESH_UNTOLD;
    return a * b >= 0; /* apart only on different sides */
}

/* Counter-clockwise sign of b's u seen from a's w round a's edge. */
static int turn_mixed(const corner_pair *c, const abut_mesh_wedge *w, abut_vec3 p, abut_vec3 u)
{
    const abut_vec3 t[3] = { w->from, w->to, p };
    return abut_triangle_side_of_a(&c->pair->frame, t, u);
}

/* p of a and u of b, in a plane with the edge: on the same side of it? */
static int same_side_mixed(const corner_pair *c, const abut_mesh_wedge *w, abut_vec3 p, abut_vec3 u)
{
    abut_vec3 r;
    if (!abut_mesh_off_plane(w->from, w->to, p, &r))
        return ABUT_MESH_UNTOLD;
    const abut_vec3 t[3] = { w->from, w->to, r };
    return -abut_orient3d(w->from, w->to, r, p) == abut_triangle_side_of_a(&c->pair->frame, t, u);
}

/* x strictly between start and end of a sector that turns by `turn`: from the signs of x against
 * start and of end against x. */
static bool strictly_between(int turn, int from_start, int to_end)
{
    if (turn > 0)
        return from_start > 0 && to_end > 0;
    return turn == 0 ? from_start > 0 : !(to_end <= 0 && from_start <= 0);
}

static int edges_overlap(const corner_pair *c, int k, int m, bool along)
{
    abut_mesh_wedge wa, wb;
    if (!abut_mesh_wedge_at(c->pair->mesh_a, c->i, k, &wa) ||
        !abut_mesh_wedge_at(c->pair->mesh_b, c->j, m, &wb))
        return ABUT_MESH_UNTOLD;
    if (!along)
        abut_mesh_wedge_reverse(&wb);
    const int ss = turn_mixed(c, &wa, wa.start, wb.start), es = turn_mixed(c, &wa, wa.end, wb.start),
              se = turn_mixed(c, &wa, wa.start, wb.end);
    const int same_start = ss == 0 ? same_side_mixed(c, &wa, wa.start, wb.start) : 0;
    if (same_start != 0)
        return same_start; /* both begin with the same half-plane */
    return strictly_between(wa.turn, ss, -es) || strictly_between(wb.turn, -ss, se);
}

/* Edges that have a segment on one line in common, or cross. */
static int edges_decide(const corner_pair *c, int k, int m, bool on_one, bool along)
{
    if (!is_first(c->pair->mesh_a, c->i, k) || !is_first(c->pair->mesh_b, c->j, m))
        return 0;
    return on_one ? edges_overlap(c, k, m, along) : edges_cross(c, k, m);
}

static int edges_meet(const corner_pair *c, abut_triangle_signs *s, int k, int m)
{
    const int p = k, q = (k + 1) % 3, r = 3 + m, t = 3 + (m + 1) % 3;
    bool along = false;
    if (abut_triangle_volume(s, p, q, r, t) != 0)
        return 0;
    const bool on_one = on_line(s, p, q, r) && on_line(s, p, q, t);
    const bool meet = on_one ? overlap_on_line(s, p, q, r, t, &along) : cross_in_plane(s, p, q, r, t);
    return meet ? edges_decide(c, k, m, on_one, along) : 0;
}

/* ---- triangles in one plane ---- */

/* Signs of corners against lines of edges, all seen along one axis: everything about two
 * triangles in one plane. */
typedef struct flat_pair {
    int turn_a, turn_b;
    int of_b[3][3], of_a[3][3]; /* [edge of the other][corner] */
} flat_pair;

static void flat_set(abut_triangle_signs *s, flat_pair *out)
{
    int axis = 0;
    while (axis < 2 && abut_triangle_area(s, 0, 1, 2, axis) == 0)
        ++axis;
    out->turn_a = abut_triangle_area(s, 0, 1, 2, axis);
    out->turn_b = abut_triangle_area(s, 3, 4, 5, axis);
    for (int k = 0; k < 3; ++k)
        for (int m = 0; m < 3; ++m) {
            out->of_b[k][m] = abut_triangle_area(s, k, (k + 1) % 3, 3 + m, axis);
            out->of_a[k][m] = abut_triangle_area(s, 3 + k, 3 + (k + 1) % 3, m, axis);
        }
}

/* As part_holding and runs_through; b's corners against lines of a, and the other way round. */
static int flat_part(int turn, const int (*of_b)[3], int corner)
{
    const int side[3] = { turn * of_b[0][corner], turn * of_b[1][corner], turn * of_b[2][corner] };
    if (side[0] < 0 || side[1] < 0 || side[2] < 0)
        return -1;
    return part_of_zeros(side);
}

static bool flat_runs_through(int turn, const int (*of_b)[3], const int (*of_a)[3], int edge)
{
    const int *across = of_a[edge], p = edge, q = (edge + 1) % 3;
    for (int k = 0; k < 3; ++k)
        if (turn * of_b[k][p] <= 0 && turn * of_b[k][q] <= 0)
            return false;
    return (across[0] > 0 || across[1] > 0 || across[2] > 0) &&
           (across[0] < 0 || across[1] < 0 || across[2] < 0);
}

static int flat_against(const corner_pair *c, int turn, const int (*of_b)[3], const int (*of_a)[3])
{
    int found = 0;
    for (int k = 0; k < 3 && found <= 0; ++k) {
        const int part = flat_part(turn, of_b, k);
        if (part >= 0)
            found = join(found, vertex_meets(c, k, part));
    }
    for (int k = 0; k < 3 && found <= 0; ++k)
        if (flat_runs_through(turn, of_b, of_a, k) && is_first(c->pair->mesh_b, c->j, k))
            found = join(found, edge_in_face(c, k));
    return found;
}

static int flat_edges(const corner_pair *c, const flat_pair *f, abut_triangle_signs *s, int k, int m)
{
    const int k1 = (k + 1) % 3, m1 = (m + 1) % 3;
    bool along = false;
    const bool on_one = f->of_b[k][m] == 0 && f->of_b[k][m1] == 0;
    const bool meet = on_one ? overlap_on_line(s, k, k1, 3 + m, 3 + m1, &along)
                             : f->of_b[k][m] * f->of_b[k][m1] < 0 && f->of_a[m][k] * f->of_a[m][k1] < 0;
    return meet ? edges_decide(c, k, m, on_one, along) : 0;
}

static int flat_decides(const corner_pair *c, const corner_pair *back, abut_triangle_signs *s)
{
    flat_pair f;
    flat_set(s, &f);
    const int(*of_a)[3] = (const int(*)[3])f.of_a, (*of_b)[3] = (const int(*)[3])f.of_b;
    int found = flat_against(c, f.turn_a, of_b, of_a);
    for (int k = 0; k < 9 && found <= 0; ++k)
        found = join(found, flat_edges(c, &f, s, k / 3, k % 3));
    return found > 0 ? 1 : join(found, flat_against(back, f.turn_b, of_a, of_b));
}

/* ---- all of them ---- */

/* Corners and edges of b's triangle against a's. */
static int b_against_a(const corner_pair *c, abut_triangle_signs *s)
{
    int found = 0;
    bool in_plane[3];
    for (int k = 0; k < 3; ++k) {
        in_plane[k] = abut_triangle_volume(s, 0, 1, 2, 3 + k) == 0;
        const int part = in_plane[k] ? part_holding(s, 3 + k) : -1;
        if (part >= 0)
            found = join(found, vertex_meets(c, k, part));
        if (found > 0)
            return 1;
    }
    for (int k = 0; k < 3; ++k)
        if (in_plane[k] && in_plane[(k + 1) % 3] && runs_through(s, 3 + k, 3 + (k + 1) % 3) &&
            is_first(c->pair->mesh_b, c->j, k))
            found = join(found, edge_in_face(c, k));
    return found;
}

int abut_mesh_solid_local(abut_mesh_pair *pair, abut_mesh_pair *turned, abut_mesh_decided *decided,
                          uint32_t i, uint32_t j)
{
    abut_vec3 a[3], b[3];
    abut_triangle_signs s;
    if (!pair->frame.exact)
        return ABUT_MESH_UNTOLD;
    abut_mesh_corners(pair->mesh_a, i, a);
    abut_mesh_corners(pair->mesh_b, j, b);
    /* What a degenerate triangle touches, a neighbour of it touches too. */
    if (abut_collinear(a[0], a[1], a[2]) || abut_collinear(b[0], b[1], b[2]))
        return 0;
    const corner_pair c = { pair, turned, decided, false, i, j, a, b },
                      back = { turned, pair, decided, true, j, i, b, a };
    abut_triangle_signs_set(&pair->frame, a, b, &s);
    if (abut_triangle_volume(&s, 0, 1, 2, 3) == 0 && abut_triangle_volume(&s, 0, 1, 2, 4) == 0 &&
        abut_triangle_volume(&s, 0, 1, 2, 5) == 0)
        return flat_decides(&c, &back, &s);
    int found = b_against_a(&c, &s);
    for (int k = 0; k < 9 && found <= 0; ++k)
        found = join(found, edges_meet(&c, &s, k / 3, k % 3));
    if (found > 0)
        return 1;
    abut_triangle_signs_set(&turned->frame, b, a, &s);
    return join(found, b_against_a(&back, &s));
}
