/* SPDX-License-Identifier: MIT */
/* What two solids that touch have in common beyond points: polygons of faces on faces, segments of edges in
 * faces and of edges on edges. What is in one plane is decided by exact signs where there is no band; shapes
 * and sizes are in doubles.
 *
 * Triangles of two faces that lie on each other are cut by each other, and the convex pieces are joined
 * where their hull has no more area than they have together: two convex faces give one polygon. Edges that
 * only border such a polygon are no regions of their own. */
#include "base/sort.h"
#include "narrow/polyhedron/touch.h"

enum { CORNERS = 64 };

typedef struct polygon {
    uint32_t faces[2];
    int count;
    double area;
    abut_vec3 n;
    abut_vec3 p[CORNERS];
} polygon;

typedef struct stretch {
    abut_feature features[2];
    uint32_t ids[2];
    double lo, hi; /* along the edge of `side`, from its first end */
    int side;
} stretch;

typedef struct gathering {
    touch *t;
    ABUT_ARRAY(polygon) polygons;
    ABUT_ARRAY(stretch) stretches;
    bool failed;
} gathering;

static double area_of(const polygon *g)
{
    abut_vec3 sum = { 0, 0, 0 };
    for (int i = 2; i < g->count; ++i)
        sum = abut_add(sum, abut_cross(abut_sub(g->p[i - 1], g->p[0]), abut_sub(g->p[i], g->p[0])));
    return 0.5 * abut_length(sum);
}

/* What of the polygon is left of the line from a to b, seen against n. */
static void clip(polygon *g, abut_vec3 a, abut_vec3 b, abut_vec3 n)
{
    const abut_vec3 inward = abut_unit_or(abut_cross(n, abut_sub(b, a)), n);
    polygon out = *g;
    out.count = 0;
    for (int i = 0; i < g->count; ++i) {
        const abut_vec3 p = g->p[i], q = g->p[(i + 1) % g->count];
        const double dp = abut_dot(inward, abut_sub(p, a)), dq = abut_dot(inward, abut_sub(q, a));
        if (dp >= 0 && out.count < CORNERS)
            out.p[out.count++] = p;
        if ((dp < 0) != (dq < 0) && out.count < CORNERS)
            out.p[out.count++] = abut_madd(p, dp / (dp - dq), abut_sub(q, p));
    }
    *g = out;
}

/* Convex hull of the corners in the plane, counter-clockwise against n, without corners on its sides. */
static void hull(polygon *g, double near)
{
    const abut_vec3 x = abut_unit_or(
                        abut_cross(fabs(g->n.x) < 0.7 ? abut_v3(1, 0, 0) : abut_v3(0, 1, 0), g->n), g->n),
                    y = abut_cross(g->n, x);
    polygon out = *g;
    out.count = 0;
    int first = 0;
    for (int i = 1; i < g->count; ++i) {
        const double d = abut_dot(abut_sub(g->p[i], g->p[first]), x);
        if (d < -near || (d <= near && abut_dot(abut_sub(g->p[i], g->p[first]), y) < 0))
            first = i;
    }
    int at = first;
    do { /* gift wrapping */
        out.p[out.count++] = g->p[at];
        int next = -1;
        for (int i = 0; i < g->count; ++i) {
            const abut_vec3 d = abut_sub(g->p[i], g->p[at]);
            if (abut_length(d) <= near)
                continue;
            if (next < 0) {
                next = i;
                continue;
            }
            const abut_vec3 e = abut_sub(g->p[next], g->p[at]);
            const double turn = abut_dot(abut_cross(e, d), g->n), slack = near * abut_length(e);
            if (turn < -slack || (turn <= slack && abut_dot(d, d) > abut_dot(e, e)))
                next = i;
        }
        at = next;
    } while (at >= 0 && abut_length(abut_sub(g->p[at], g->p[first])) > near && out.count < CORNERS);
    *g = out;
}

/* Two pieces as one where that adds no area. */
static bool merge(polygon *into, const polygon *other, double near)
{
    polygon both = *into;
    if (both.count + other->count > CORNERS)
        return false;
    for (int i = 0; i < other->count; ++i)
        both.p[both.count++] = other->p[i];
    hull(&both, near);
    both.area = area_of(&both);
    if (both.area > (into->area + other->area) * (1 + 1e-9))
        return false;
    *into = both;
    return true;
}

static void add_polygon(gathering *g, const touch_pair *pair)
{
    touch *t = g->t;
    abut_vec3 a[3], b[3];
    polygon piece = { .faces = { touch_face_of(t, 0, pair->a), touch_face_of(t, 1, pair->b) }, .count = 3 };
    if (t->exact && !touch_is_flush(t, pair->a, pair->b))
        return;
    touch_triangle(t, 0, pair->a, a);
    touch_triangle(t, 1, pair->b, b);
    piece.n = abut_mesh_triangle_normal(a);
    if (abut_dot(piece.n, abut_mesh_triangle_normal(b)) > -1 + 1e-9)
        return;
    for (int k = 0; k < 3; ++k)
        if (fabs(abut_dot(piece.n, abut_sub(b[k], a[0]))) >
            2 * t->near + 1e-9 * abut_length(abut_sub(b[k], a[0])))
            return;
    for (int k = 0; k < 3; ++k)
        piece.p[k] = a[k];
    for (int k = 0; k < 3 && piece.count > 0; ++k) /* b runs the other way round */
        clip(&piece, b[(k + 1) % 3], b[k], piece.n);
    if (piece.count < 3)
        return;
    hull(&piece, t->near);
    piece.area = area_of(&piece);
    if (piece.count < 3 || !(piece.area > t->near * t->near))
        return;
    if (!ABUT_ARRAY_PUSH(&t->alloc, &g->polygons, piece))
        g->failed = true;
}

static bool polygon_before(void *ctx, const void *a, const void *b)
{
    const polygon *items = ctx;
    const polygon *p = &items[*(const uint32_t *)a], *q = &items[*(const uint32_t *)b];
    for (int k = 0; k < 2; ++k)
        if (p->faces[k] != q->faces[k])
            return p->faces[k] < q->faces[k];
    return *(const uint32_t *)a < *(const uint32_t *)b;
}

/* Pieces of the same two faces, joined as far as that goes; `order` has their numbers, and dead ones have no
 * corners afterwards. */
static void join_pieces(gathering *g, const uint32_t *order, size_t count)
{
    bool again = true;
    while (again) {
        again = false;
        for (size_t i = 0; i < count; ++i)
            for (size_t k = i + 1; k < count; ++k) {
                polygon *p = &g->polygons.items[order[i]], *q = &g->polygons.items[order[k]];
                if (p->count && q->count && merge(p, q, g->t->near)) {
                    q->count = 0;
                    again = true;
                }
            }
    }
}

/* ---- edges ---- */

static bool has_polygon(const gathering *g, int side, uint32_t edge, uint32_t face_other)
{
    uint32_t triangles[2];
    touch_edge_triangles(g->t, side, edge, triangles);
    for (int k = 0; k < 2; ++k)
        for (size_t i = 0; i < g->polygons.count; ++i) {
            const polygon *p = &g->polygons.items[i];
            if (p->faces[side] == touch_face_of(g->t, side, triangles[k]) && p->faces[!side] == face_other)
                return true;
        }
    return false;
}

/* The part of a side of a triangle that lies in another triangle, along the edge. */
static void add_edge(gathering *g, int side, uint32_t own, int k, uint32_t other)
{
    touch *t = g->t;
    const abut_faceted_data *mesh = t->mesh[side];
    const uint32_t *v = mesh->corners + 3 * (size_t)own;
    const int64_t found =
        abut_edge_find(mesh, abut_mesh_welded(mesh, v[k]), abut_mesh_welded(mesh, v[(k + 1) % 3]));
    const uint32_t edge = found < 0          ? UINT32_MAX
                          : mesh->polyhedron ? mesh->polyhedron->edge_of[found]
                                             : (uint32_t)found;
    const uint32_t face = touch_face_of(t, !side, other);
    if (edge > INT32_MAX || (t->exact && !touch_is_edge_in_plane(t, side, own, k, other)))
        return;
    uint32_t ends[2];
    abut_vec3 q[3];
    touch_edge_ends(t, side, edge, ends);
    touch_triangle(t, !side, other, q);
    const abut_vec3 p0 = touch_vertex(t, side, ends[0]), p1 = touch_vertex(t, side, ends[1]),
                    n = abut_mesh_triangle_normal(q), u = abut_sub(p1, p0);
    if (fabs(abut_dot(n, abut_sub(p0, q[0]))) > t->near || fabs(abut_dot(n, abut_sub(p1, q[0]))) > t->near ||
        has_polygon(g, side, edge, face))
        return;
    double lo = 0, hi = 1;
    for (int i = 0; i < 3; ++i) {
        const abut_vec3 inward = abut_unit_or(abut_cross(n, abut_sub(q[(i + 1) % 3], q[i])), n);
        const double d0 = abut_dot(inward, abut_sub(p0, q[i])), d1 = abut_dot(inward, abut_sub(p1, q[i]));
        if (d0 < -t->near && d1 < -t->near)
            return;
        if (fabs(d0 - d1) <= t->near) /* along this side */
            continue;
        const double s = d0 / (d0 - d1);
        if (d0 < d1)
            lo = fmax(lo, s);
        else
            hi = fmin(hi, s);
    }
    if ((hi - lo) * abut_length(u) <= 2 * t->near)
        return;
    stretch s = { .lo = lo, .hi = hi, .side = side };
    s.features[side] = ABUT_FEATURE_EDGE;
    s.ids[side] = edge;
    s.features[!side] = ABUT_FEATURE_FACE;
    s.ids[!side] = face;
    if (!ABUT_ARRAY_PUSH(&t->alloc, &g->stretches, s))
        g->failed = true;
}

/* Two edges on one line, from the contacts. */
static void add_along(gathering *g, const touch_contact *c)
{
    const touch *t = g->t;
    uint32_t e[2], f[2];
    touch_edge_ends(t, 0, c->ids[0], e);
    touch_edge_ends(t, 1, c->ids[1], f);
    const abut_vec3 p0 = touch_vertex(t, 0, e[0]), u = abut_sub(touch_vertex(t, 0, e[1]), p0);
    const double s0 = abut_dot(abut_sub(touch_vertex(t, 1, f[0]), p0), u) / abut_dot(u, u),
                 s1 = abut_dot(abut_sub(touch_vertex(t, 1, f[1]), p0), u) / abut_dot(u, u);
    const stretch s = { .features = { ABUT_FEATURE_EDGE, ABUT_FEATURE_EDGE },
                        .ids = { c->ids[0], c->ids[1] },
                        .lo = fmax(0, fmin(s0, s1)),
                        .hi = fmin(1, fmax(s0, s1)) };
    if (!ABUT_ARRAY_PUSH(&t->alloc, &g->stretches, s))
        g->failed = true;
}

static bool stretch_before(void *ctx, const void *a, const void *b)
{
    (void)ctx;
    const stretch *p = a, *q = b;
    for (int k = 0; k < 2; ++k) {
        if (p->features[k] != q->features[k])
            return p->features[k] < q->features[k];
        if (p->ids[k] != q->ids[k])
            return p->ids[k] < q->ids[k];
    }
    return p->lo != q->lo ? p->lo < q->lo : p->hi < q->hi;
}

/* An edge in a face that also lies on an edge of that face is reported as two edges only. */
static bool is_doubled(const gathering *g, const stretch *s)
{
    for (size_t i = 0; s->features[!s->side] == ABUT_FEATURE_FACE && i < g->stretches.count; ++i) {
        const stretch *other = &g->stretches.items[i];
        if (other->features[0] != ABUT_FEATURE_EDGE || other->features[1] != ABUT_FEATURE_EDGE ||
            other->ids[s->side] != s->ids[s->side])
            continue;
        uint32_t triangles[2];
        touch_edge_triangles(g->t, !s->side, other->ids[!s->side], triangles);
        for (int k = 0; k < 2; ++k)
            if (touch_face_of(g->t, !s->side, triangles[k]) == s->ids[!s->side])
                return true;
    }
    return false;
}

/* ---- all ---- */

static void tell(const touch *t, const abut_touch_lists *lists, const abut_feature features[2],
                 const uint32_t ids[2], const abut_vec3 *points, size_t count, abut_touch_result *out)
{
    if (out->region_count < lists->region_capacity)
        lists->regions[out->region_count] = (abut_touch_region){ .features = { features[0], features[1] },
                                                                 .ids = { ids[0], ids[1] },
                                                                 .first = out->point_count,
                                                                 .count = count };
    ++out->region_count;
    for (size_t i = 0; i < count; ++i, ++out->point_count)
        if (out->point_count < lists->point_capacity)
            lists->points[out->point_count] = abut_affine_apply(&t->pair->frame.world, points[i]);
}

static bool tell_polygons(gathering *g, const abut_touch_lists *lists, abut_touch_result *out)
{
    const size_t count = g->polygons.count;
    uint32_t *order = abut_base_alloc(&g->t->alloc, count, sizeof *order);
    if (!order)
        return false;
    for (uint32_t i = 0; i < count; ++i)
        order[i] = i;
    abut_base_sort(order, count, sizeof *order, polygon_before, g->polygons.items);
    for (size_t i = 0, end; i < count; i = end) {
        const polygon *p = &g->polygons.items[order[i]];
        for (end = i + 1; end < count && g->polygons.items[order[end]].faces[0] == p->faces[0] &&
                          g->polygons.items[order[end]].faces[1] == p->faces[1];)
            ++end;
        join_pieces(g, order + i, end - i);
    }
    const abut_feature faces[2] = { ABUT_FEATURE_FACE, ABUT_FEATURE_FACE };
    for (size_t i = 0; i < count; ++i) {
        const polygon *p = &g->polygons.items[order[i]];
        if (p->count)
            tell(g->t, lists, faces, p->faces, p->p, (size_t)p->count, out);
    }
    abut_base_free(&g->t->alloc, order, count, sizeof *order);
    return true;
}

static void tell_stretches(gathering *g, const abut_touch_lists *lists, abut_touch_result *out)
{
    touch *t = g->t;
    stretch *items = g->stretches.items;
    abut_base_sort(items, g->stretches.count, sizeof *items, stretch_before, NULL);
    for (size_t i = 0; i < g->stretches.count;) {
        stretch s = items[i++];
        uint32_t ends[2];
        touch_edge_ends(t, s.side, s.ids[s.side], ends);
        const abut_vec3 p = touch_vertex(t, s.side, ends[0]),
                        u = abut_sub(touch_vertex(t, s.side, ends[1]), p);
        const double near = 2 * t->near / abut_length(u);
        for (; i < g->stretches.count && items[i].features[0] == s.features[0] &&
               items[i].features[1] == s.features[1] && items[i].ids[0] == s.ids[0] &&
               items[i].ids[1] == s.ids[1] && items[i].lo <= s.hi + near;
             ++i)
            s.hi = fmax(s.hi, items[i].hi);
        const abut_vec3 points[2] = { abut_madd(p, s.lo, u), abut_madd(p, s.hi, u) };
        if (!is_doubled(g, &s))
            tell(t, lists, s.features, s.ids, points, 2, out);
    }
}

bool touch_regions(touch *t, const abut_touch_lists *lists, abut_touch_result *out)
{
    gathering g = { .t = t };
    for (size_t i = 0; i < t->pairs.count && !g.failed; ++i)
        add_polygon(&g, &t->pairs.items[i]);
    for (size_t i = 0; i < t->found.count && !g.failed; ++i)
        if (t->found.items[i].along)
            add_along(&g, &t->found.items[i]);
    for (size_t i = 0; i < t->pairs.count; ++i)
        for (int k = 0; k < 3 && !g.failed; ++k) {
            add_edge(&g, 0, t->pairs.items[i].a, k, t->pairs.items[i].b);
            add_edge(&g, 1, t->pairs.items[i].b, k, t->pairs.items[i].a);
        }
    g.failed = g.failed || !tell_polygons(&g, lists, out);
    if (!g.failed)
        tell_stretches(&g, lists, out);
    ABUT_ARRAY_FREE(&t->alloc, &g.polygons);
    ABUT_ARRAY_FREE(&t->alloc, &g.stretches);
    return !g.failed;
}
