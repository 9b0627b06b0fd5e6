/* SPDX-License-Identifier: MIT */
/* Contacts of two triangles by entity where they touch exactly, and nothing but exact signs decides.
 *
 * A point that two solids have in common is in one entity of each: its vertex, the inside of its edge, or of
 * its face. So a vertex is reported with the one entity of the other solid that holds it, and two edges only
 * where they cross between their ends, or have a stretch of a line in common; there are no clusters. Signs
 * are those of triangle_signs.h: for poses, turned ones included, every corner is a rational number. Only
 * the points that are reported are rounded. */
#include "narrow/polyhedron/touch.h"
#include "narrow/triangle/triangle_signs.h"

/* Corners 0 to 2 are those of a's triangle, 3 to 5 those of b's. */
typedef struct looker {
    touch *t;
    abut_triangle_signs *s;
    uint32_t triangle[2];
} looker;

/* An axis along which three corners have an area, and its sign; -1: they are on a line. */
static int axis_of(abut_triangle_signs *s, int i, int j, int k, int *turn)
{
    const abut_vec3 n = abut_cross(abut_sub(s->p[j], s->p[i]), abut_sub(s->p[k], s->p[i]));
    const double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    const int first = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    for (int m = 0; m < 3; ++m) {
        const int axis = (first + m) % 3;
        *turn = abut_triangle_area(s, i, j, k, axis);
        if (*turn != 0)
            return axis;
    }
    return -1;
}

/* ---- vertices ---- */

static void examine_vertex(looker *l, int side, int k)
{
    touch *t = l->t;
    const int v = 3 * side + k, o = 3 * !side;
    int turn, zeros = 0, zero[3] = { 0, 0, 0 };
    if (abut_triangle_volume(l->s, o, o + 1, o + 2, v) != 0)
        return;
    const int axis = axis_of(l->s, o, o + 1, o + 2, &turn);
    if (axis < 0) /* a mesh may have triangles without an area: their neighbours hold the vertex */
        return;
    for (int m = 0; m < 3; ++m) {
        const int at = turn * abut_triangle_area(l->s, o + m, o + (m + 1) % 3, v, axis);
        if (at < 0)
            return;
        if (at == 0)
            zero[zeros++] = m;
    }
    const abut_faceted_data *own = t->mesh[side], *other = t->mesh[!side];
    const uint32_t vertex = abut_mesh_welded(own, own->corners[3 * (size_t)l->triangle[side] + (size_t)k]);
    abut_feature feature = ABUT_FEATURE_FACE;
    uint32_t id = touch_face_of(t, !side, l->triangle[!side]), edge;
    if (zeros == 1 && touch_edge_of(t, !side, l->triangle[!side], zero[0], &edge)) {
        feature = ABUT_FEATURE_EDGE;
        id = edge;
    } else if (zeros == 2) { /* the corner that both sides have */
        const int corner = zero[0] == 0 && zero[1] == 2 ? 0 : zero[1];
        feature = ABUT_FEATURE_VERTEX;
        id = abut_mesh_welded(other, other->corners[3 * (size_t)l->triangle[!side] + (size_t)corner]);
    }
    const touch_contact c = touch_contact_of(side, ABUT_FEATURE_VERTEX, vertex, feature, id, l->s->p[v]);
    touch_record(t, &c);
}

/* ---- edges ---- */

/* Two triangles in one plane with opposite normals and on the same side of a line that both have an edge
 * on. */
static bool faces_rest_here(const touch *t, uint32_t f, uint32_t g, const uint32_t ends_a[2],
                            const uint32_t ends_b[2])
{
    abut_triangle_signs s;
    abut_vec3 a[3], b[3];
    int turn, off_a = -1, off_b = -1;
    abut_mesh_corners(t->mesh[0], f, a);
    abut_mesh_corners(t->mesh[1], g, b);
    abut_triangle_signs_set(&t->pair->frame, a, b, &s);
    for (int k = 0; k < 3; ++k) {
        if (abut_triangle_volume(&s, 0, 1, 2, 3 + k) != 0)
            return false;
        const uint32_t u = abut_mesh_welded(t->mesh[0], t->mesh[0]->corners[3 * (size_t)f + (size_t)k]),
                       v = abut_mesh_welded(t->mesh[1], t->mesh[1]->corners[3 * (size_t)g + (size_t)k]);
        off_a = u != ends_a[0] && u != ends_a[1] ? k : off_a;
        off_b = v != ends_b[0] && v != ends_b[1] ? 3 + k : off_b;
    }
    const int axis = axis_of(&s, 0, 1, 2, &turn);
    if (axis < 0 || off_a < 0 || off_b < 0 || abut_triangle_area(&s, 3, 4, 5, axis) != -turn)
        return false;
    const int i = (off_a + 1) % 3, j = (off_a + 2) % 3;
    return abut_triangle_area(&s, i, j, off_b, axis) == turn;
}

static bool faces_rest(const touch *t, uint32_t edge_a, uint32_t edge_b)
{
    uint32_t f[2], g[2], ends_a[2], ends_b[2];
    touch_edge_triangles(t, 0, edge_a, f);
    touch_edge_triangles(t, 1, edge_b, g);
    touch_edge_ends(t, 0, edge_a, ends_a);
    touch_edge_ends(t, 1, edge_b, ends_b);
    for (int i = 0; i < 4; ++i)
        if (faces_rest_here(t, f[i / 2], g[i % 2], ends_a, ends_b))
            return true;
    return false;
}

/* Corners i, j and p, q are on one line. */
static bool is_stretch(abut_triangle_signs *s, int i, int j, int p, int q)
{
    int axis = 0, up = 0;
    for (; axis < 3 && up == 0; ++axis)
        up = abut_triangle_order(s, j, i, axis);
    --axis;
    const int same = abut_triangle_order(s, q, p, axis) * up;
    const int from = same > 0 ? p : q, to = same > 0 ? q : p;
    return abut_triangle_order(s, to, i, axis) == up && abut_triangle_order(s, j, from, axis) == up;
}

/* Sides k of a's triangle and m of b's. */
static touch_meeting meet_sides(looker *l, int k, int m)
{
    abut_triangle_signs *s = l->s;
    const int i = k, j = (k + 1) % 3, p = 3 + m, q = 3 + (m + 1) % 3;
    if (abut_triangle_volume(s, i, j, p, q) != 0)
        return TOUCH_APART;
    int turn, axis = axis_of(s, i, j, p, &turn);
    if (axis < 0)
        axis = axis_of(s, i, j, q, &turn);
    if (axis < 0)
        return is_stretch(s, i, j, p, q) ? TOUCH_ALONG : TOUCH_APART;
    return abut_triangle_area(s, i, j, p, axis) * abut_triangle_area(s, i, j, q, axis) < 0 &&
                   abut_triangle_area(s, p, q, i, axis) * abut_triangle_area(s, p, q, j, axis) < 0
               ? TOUCH_CROSSING
               : TOUCH_APART;
}

static void examine_sides(looker *l, int k, int m, uint32_t edge_a, uint32_t edge_b)
{
    const touch_meeting how = meet_sides(l, k, m);
    if (how == TOUCH_APART || (how == TOUCH_ALONG && faces_rest(l->t, edge_a, edge_b)))
        return;
    const abut_vec3 *p = l->s->p, a[2] = { p[k], p[(k + 1) % 3] }, b[2] = { p[3 + m], p[3 + (m + 1) % 3] };
    touch_contact c = touch_contact_of(0, ABUT_FEATURE_EDGE, edge_a, ABUT_FEATURE_EDGE, edge_b,
                                       how == TOUCH_ALONG ? touch_middle(a, b) : touch_crossing(a, b));
    c.along = how == TOUCH_ALONG;
    touch_record(l->t, &c);
}

void touch_look_exactly(touch *t, uint32_t i, uint32_t j)
{
    abut_triangle_signs s;
    abut_vec3 a[3], b[3];
    abut_mesh_corners(t->mesh[0], i, a);
    abut_mesh_corners(t->mesh[1], j, b);
    abut_triangle_signs_set(&t->pair->frame, a, b, &s);
    looker l = { t, &s, { i, j } };
    for (int k = 0; k < 3; ++k) {
        examine_vertex(&l, 0, k);
        examine_vertex(&l, 1, k);
    }
    uint32_t ea[3], eb[3];
    bool has_a[3], has_b[3];
    for (int k = 0; k < 3; ++k) {
        has_a[k] = touch_edge_of(t, 0, i, k, &ea[k]);
        has_b[k] = touch_edge_of(t, 1, j, k, &eb[k]);
    }
    for (int k = 0; k < 9; ++k)
        if (has_a[k / 3] && has_b[k % 3])
            examine_sides(&l, k / 3, k % 3, ea[k / 3], eb[k % 3]);
}

/* Faces that are not exactly planar can touch where an edge crosses a diagonal, or two diagonals do. */
void touch_look_at_diagonals(touch *t, uint32_t i, uint32_t j)
{
    abut_triangle_signs s;
    abut_vec3 a[3], b[3];
    abut_mesh_corners(t->mesh[0], i, a);
    abut_mesh_corners(t->mesh[1], j, b);
    abut_triangle_signs_set(&t->pair->frame, a, b, &s);
    looker l = { t, &s, { i, j } };
    for (int n = 0; n < 9; ++n) {
        const int k = n / 3, m = n % 3;
        uint32_t ids[2];
        const bool edge_a = touch_edge_of(t, 0, i, k, &ids[0]), edge_b = touch_edge_of(t, 1, j, m, &ids[1]);
        if ((edge_a && edge_b) || meet_sides(&l, k, m) != TOUCH_CROSSING)
            continue;
        const abut_vec3 p[2] = { s.p[k], s.p[(k + 1) % 3] }, q[2] = { s.p[3 + m], s.p[3 + (m + 1) % 3] };
        const touch_contact c = touch_contact_of(
            0, edge_a ? ABUT_FEATURE_EDGE : ABUT_FEATURE_FACE, edge_a ? ids[0] : touch_face_of(t, 0, i),
            edge_b ? ABUT_FEATURE_EDGE : ABUT_FEATURE_FACE, edge_b ? ids[1] : touch_face_of(t, 1, j),
            touch_crossing(p, q));
        touch_record(t, &c);
    }
}

/* ---- for regions ---- */

bool touch_is_flush(const touch *t, uint32_t i, uint32_t j)
{
    abut_triangle_signs s;
    abut_vec3 a[3], b[3];
    int turn;
    abut_mesh_corners(t->mesh[0], i, a);
    abut_mesh_corners(t->mesh[1], j, b);
    abut_triangle_signs_set(&t->pair->frame, a, b, &s);
    for (int k = 0; k < 3; ++k)
        if (abut_triangle_volume(&s, 0, 1, 2, 3 + k) != 0)
            return false;
    const int axis = axis_of(&s, 0, 1, 2, &turn);
    return axis >= 0 && abut_triangle_area(&s, 3, 4, 5, axis) == -turn;
}

bool touch_is_edge_in_plane(const touch *t, int side, uint32_t own, int k, uint32_t other)
{
    abut_triangle_signs s;
    abut_vec3 a[3], b[3];
    abut_mesh_corners(t->mesh[0], side == 0 ? own : other, a);
    abut_mesh_corners(t->mesh[1], side == 0 ? other : own, b);
    abut_triangle_signs_set(&t->pair->frame, a, b, &s);
    const int o = 3 * !side;
    return abut_triangle_volume(&s, o, o + 1, o + 2, 3 * side + k) == 0 &&
           abut_triangle_volume(&s, o, o + 1, o + 2, 3 * side + (k + 1) % 3) == 0;
}
