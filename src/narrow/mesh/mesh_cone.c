/* SPDX-License-Identifier: MIT */
/* Whether a point or a ray is strictly inside a wedge or a cone of a solid, by signs of four
 * corners. What of a face is degenerate or folded back onto its neighbour, and a surface that
 * comes back to its own vertex, is not decided. */
#include "narrow/mesh/mesh_cone.h"

#include "abut/predicates.h"
#include "math/vec3.h"
#include "narrow/triangle/triangle_signs.h"

/* ---- wedges ---- */

static int turn_of(abut_vec3 from, abut_vec3 to, abut_vec3 p, abut_vec3 q)
{
    return -abut_orient3d(from, to, p, q); /* + where q is counter-clockwise of p */
}

/* Third corner of a face with the edge (welded ends p and q). */
static bool third(const abut_faceted_data *mesh, uint32_t face, uint32_t p, uint32_t q, abut_vec3 *out)
{
    for (int k = 0; k < 3; ++k) {
        const uint32_t v = mesh->weld[mesh->corners[3 * (size_t)face + (size_t)k]];
        if (v != p && v != q) {
            *out = mesh->vertices[v];
            return true;
        }
    }
    return false;
}

/* q and r in a plane with the line: on the same side of it? For those that are not on it. */
static bool same_side(abut_vec3 from, abut_vec3 to, abut_vec3 q, abut_vec3 r)
{
    for (int axis = 0; axis < 3; ++axis) {
        const int s = abut_triangle_turn(from, to, q, axis);
        if (s != 0)
            return s == abut_triangle_turn(from, to, r, axis);
    }
    return false;
}

/* False where the faces there are degenerate, or lie on each other. */
static bool wedge_set(abut_vec3 from, abut_vec3 to, abut_vec3 start, abut_vec3 end, abut_mesh_wedge *out)
{
    *out = (abut_mesh_wedge){ from, to, start, end, turn_of(from, to, start, end) };
    if (abut_collinear(from, to, start) || abut_collinear(from, to, end))
        return false;
    return out->turn != 0 || !same_side(from, to, start, end);
}

bool abut_mesh_wedge_at(const abut_faceted_data *mesh, uint32_t face, int k, abut_mesh_wedge *out)
{
    const uint32_t *corner = mesh->corners + 3 * (size_t)face;
    const uint32_t p = mesh->weld[corner[k]], q = mesh->weld[corner[(k + 1) % 3]];
    const int64_t edge = abut_edge_find(mesh, p, q);
    abut_vec3 start, end;
    if (edge < 0)
        return false;
    const uint32_t *faces = mesh->edge_faces + 2 * edge;
    const uint32_t with = p < q ? faces[0] : faces[1], against = p < q ? faces[1] : faces[0];
    return third(mesh, against, p, q, &start) && third(mesh, with, p, q, &end) &&
           wedge_set(mesh->vertices[p], mesh->vertices[q], start, end, out);
}

void abut_mesh_wedge_reverse(abut_mesh_wedge *w)
{
    *w = (abut_mesh_wedge){ w->to, w->from, w->end, w->start, w->turn };
}

/* Strictly between them, by the sides against both. */
static bool between_faces(int turn, int start, int end)
{
    if (turn > 0)
        return start > 0 && end < 0;
    return turn == 0 ? start > 0 : !(end >= 0 && start <= 0);
}

int abut_mesh_in_wedge(const abut_mesh_pair *pair, const abut_mesh_wedge *w, abut_vec3 p)
{
    const abut_vec3 at_start[3] = { w->from, w->to, w->start }, at_end[3] = { w->from, w->to, w->end };
    const int s = abut_triangle_side_of_a(&pair->frame, at_start, p),
              e = abut_triangle_side_of_a(&pair->frame, at_end, p);
    if (s == ABUT_TRIANGLE_UNKNOWN || e == ABUT_TRIANGLE_UNKNOWN)
        return ABUT_MESH_UNTOLD;
    return between_faces(w->turn, s, e);
}

/* ---- cones ---- */

static void link_add(abut_mesh_link *l, uint32_t face)
{
    abut_vec3 t[3];
    abut_mesh_corners(l->mesh, face, t);
    const int k = abut_mesh_same(t[0], l->v)   ? 0
                  : abut_mesh_same(t[1], l->v) ? 1
                  : abut_mesh_same(t[2], l->v) ? 2
                                               : -1;
    if (k < 0) { /* a surface that comes back to its own vertex is more than one cone */
        l->fails = l->fails || abut_mesh_part_at(t, l->v) >= 0;
        return;
    }
    if (abut_collinear(t[0], t[1], t[2])) {
        const uint32_t *corner = l->mesh->corners + 3 * (size_t)face;
        const uint32_t a = l->mesh->weld[corner[0]], b = l->mesh->weld[corner[1]],
                       c = l->mesh->weld[corner[2]];
        /* what welding collapsed has no part in the surface */
        l->fails = l->fails || (a != b && b != c && c != a);
        return;
    }
    if (l->count == ABUT_MESH_LINK) {
        l->fails = true;
        return;
    }
    l->p[l->count] = t[(k + 1) % 3];
    l->q[l->count++] = t[(k + 2) % 3];
}

static bool link_batch(void *ctx, const abut_bvh_pair *pairs, size_t count)
{
    abut_mesh_link *l = ctx;
    for (size_t i = 0; i < count; ++i)
        link_add(l, pairs[i].a);
    return !l->fails;
}

void abut_mesh_link_set(const abut_faceted_data *mesh, abut_vec3 v, abut_mesh_counters *counters,
                        abut_mesh_link *out)
{
    static const abut_bv_relative in_place = { .r = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } };
    const abut_bvh_walk walk = { .a = { .tree = mesh->tree },
                                 .b = { .box = { .centre = v, .axes = in_place.r } },
                                 .b_in_a = &in_place,
                                 .counters = counters };
    out->mesh = mesh;
    out->v = v;
    out->count = 0;
    out->fails = false;
    (void)abut_bvh_overlap(&walk, 0, link_batch, out);
    out->fails = out->fails || out->count < 3;
}

/* det(x, y, d) with d from v to b's point. */
static int side(const abut_mesh_pair *pair, abut_vec3 v, abut_vec3 x, abut_vec3 y, abut_vec3 d)
{
    const abut_vec3 t[3] = { v, x, y };
    return abut_triangle_side_of_a(&pair->frame, t, d);
}

bool abut_mesh_off_plane(abut_vec3 v, abut_vec3 x, abut_vec3 y, abut_vec3 *out)
{
    const double h =
        abut_max_norm(abut_sub(x, v)) + abut_max_norm(abut_sub(y, v)) + 0x1p-40 * abut_max_norm(v);
    for (int axis = 0; axis < 3; ++axis) {
        *out = abut_add(v, abut_v3(axis == 0 ? h : 0, axis == 1 ? h : 0, axis == 2 ? h : 0));
        if (abut_is_finite3(*out) && abut_orient3d(v, x, y, *out) != 0)
            return true;
    }
    return false;
}

/* d in the plane of v, x, y: is it in the closed sector from x to y? */
static int in_sector(const abut_mesh_pair *pair, abut_vec3 v, abut_vec3 x, abut_vec3 y, abut_vec3 d)
{
    abut_vec3 r;
    if (!abut_mesh_off_plane(v, x, y, &r))
        return ABUT_MESH_UNTOLD;
    const int up = -abut_orient3d(v, x, y, r), at_x = -side(pair, v, x, r, d), at_y = side(pair, v, y, r, d);
    return up * at_x >= 0 && up * at_y >= 0;
}

/* The same for d moved by next to nothing towards r, a point of a. */
static int side_moved(const abut_mesh_pair *pair, abut_vec3 v, abut_vec3 x, abut_vec3 y, abut_vec3 d,
                      abut_vec3 r)
{
    const int s = side(pair, v, x, y, d);
    return s != 0 ? s : abut_orient3d(x, y, r, v);
}

/* Does the great arc from a to d, moved towards r, cross that from x to y? -1: r is not general
 * enough. s4 is det(x, y, d). */
static int arcs_cross(const abut_mesh_pair *pair, abut_vec3 v, abut_vec3 a, abut_vec3 d, abut_vec3 r,
                      abut_vec3 x, abut_vec3 y, int s4)
{
    const int s3 = -abut_orient3d(v, x, y, a);
    if (s3 * s4 >= 0)
        return 0;
    const int s1 = -side_moved(pair, v, a, x, d, r), s2 = -side_moved(pair, v, a, y, d, r);
    if (s1 == 0 || s2 == 0)
        return ABUT_MESH_UNTOLD;
    return s1 != s2 && s2 == s3;
}

/* The wedge at the edge from v to a of the link, running that way. */
static bool link_wedge(const abut_mesh_link *l, abut_vec3 a, abut_mesh_wedge *out)
{
    int with = -1, against = -1, count = 0;
    for (int i = 0; i < l->count; ++i) {
        if (abut_mesh_same(l->p[i], a)) {
            with = i;
            ++count;
        }
        if (abut_mesh_same(l->q[i], a)) {
            against = i;
            ++count;
        }
    }
    return count == 2 && with >= 0 && against >= 0 && wedge_set(l->v, a, l->p[against], l->q[with], out);
}

/* From one edge of the link: 1, 0, or -1 where this edge does not tell. */
static int in_cone_from(const abut_mesh_pair *pair, const abut_mesh_link *l, const int *s4, abut_vec3 a,
                        abut_vec3 d, abut_vec3 r)
{
    abut_mesh_wedge w;
    if (!link_wedge(l, a, &w))
        return ABUT_MESH_UNTOLD;
    const int start = side_moved(pair, w.from, w.to, w.start, d, r),
              end = side_moved(pair, w.from, w.to, w.end, d, r);
    if (start == 0 || end == 0)
        return ABUT_MESH_UNTOLD;
    bool inside = between_faces(w.turn, start, end);
    for (int i = 0; i < l->count; ++i) {
        if (abut_mesh_same(l->p[i], a) || abut_mesh_same(l->q[i], a))
            continue;
        const int crosses = arcs_cross(pair, l->v, a, d, r, l->p[i], l->q[i], s4[i]);
        if (crosses < 0)
            return ABUT_MESH_UNTOLD;
        inside = inside != (crosses > 0);
    }
    return inside;
}

/* A point in no special direction from the vertex. */
static abut_vec3 off_all(const abut_mesh_link *l, int which)
{
    static const abut_vec3 direction[3] = { { 0.613, 0.271, 0.847 },
                                            { -0.359, 0.743, 0.211 },
                                            { 0.157, -0.557, -0.919 } };
    double h = 0x1p-20 * abut_max_norm(l->v);
    for (int i = 0; i < l->count; ++i)
        h = fmax(h, abut_max_norm(abut_sub(l->p[i], l->v)));
    return abut_madd(l->v, h, direction[which]);
}

int abut_mesh_in_cone(const abut_mesh_pair *pair, const abut_mesh_link *l, abut_vec3 d)
{
    int s4[ABUT_MESH_LINK], moved[ABUT_MESH_LINK];
    if (l->fails)
        return ABUT_MESH_UNTOLD;
    for (int i = 0; i < l->count; ++i) {
        s4[i] = side(pair, l->v, l->p[i], l->q[i], d);
        const int on = s4[i] == 0 ? in_sector(pair, l->v, l->p[i], l->q[i], d) : 0;
        if (on != 0)
            return on < 0 ? ABUT_MESH_UNTOLD : 0;
    }
    for (int k = 0; k < 3; ++k) {
        const abut_vec3 r = off_all(l, k);
        bool general = abut_is_finite3(r);
        for (int i = 0; i < l->count && general; ++i) {
            moved[i] = s4[i] != 0 ? s4[i] : abut_orient3d(l->p[i], l->q[i], r, l->v);
            general = moved[i] != 0;
        }
        for (int i = 0; i < l->count && general; ++i) {
            const int inside = in_cone_from(pair, l, moved, l->p[i], d, r);
            if (inside >= 0)
                return inside;
        }
    }
    return ABUT_MESH_UNTOLD;
}

int abut_mesh_loop_rays(const abut_mesh_link *l, abut_vec3 rays[ABUT_MESH_LINK])
{
    bool seen[ABUT_MESH_LINK] = { false };
    int count = 0;
    for (int i = 0; i < l->count; ++i) {
        if (seen[i])
            continue;
        rays[count++] = l->p[i];
        for (int at = i; at >= 0;) {
            int next = -1;
            seen[at] = true;
            for (int j = 0; j < l->count && next < 0; ++j)
                if (!seen[j] && abut_mesh_same(l->p[j], l->q[at]))
                    next = j;
            at = next;
        }
    }
    return count;
}
