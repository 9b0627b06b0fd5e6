/* SPDX-License-Identifier: MIT */
/* The pieces of a segment in, on and outside a polyhedron, in order.
 *
 * The tree of boxes finds the triangles near the segment. Every one that it meets gives a parameter where it
 * passes through, or a stretch where it runs in the triangle's plane. Which part of a triangle a parameter is
 * on follows from exact signs. So the order of all parameters, which of them are equal, and the entity at each
 * are exact for segments between doubles in the solid's frame.
 *
 * Between parameters the segment is on what a stretch there is in, or off the boundary: then the plane of a
 * triangle that it passes at one end tells the side, or the index where it starts; failing that, it is where
 * its middle is, if no triangle is within rounding of that, else unknown. Cutting the segment at every node of
 * the ternary index, as the paper does, gives the same pieces; it was slower for every size of solid
 * (docs/benchmarks.md), since the index cuts space where nothing is. Neighbours that are the same are
 * joined (section 2.4 of Vanecek's paper; its figure 3 is a test). */
#include "narrow/polyhedron/segment.h"
#include "abut/predicates.h"
#include "base/sort.h"
#include "narrow/mesh/mesh_point.h"

static abut_vec3 vertex(const segment_walker *w, uint32_t v)
{
    return w->mesh->vertices[v];
}

/* ---- one triangle ---- */

static int turn(const segment_walker *w, int axis, uint32_t a, uint32_t b, abut_vec3 x)
{
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    const abut_vec3 u = vertex(w, a), v = vertex(w, b);
    const double p[2] = { abut_part3(u, i), abut_part3(u, j) }, q[2] = { abut_part3(v, i), abut_part3(v, j) },
                 r[2] = { abut_part3(x, i), abut_part3(x, j) };
    return abut_orient2d(p, q, r);
}

static void push(segment_walker *w, const segment_meeting *m)
{
    if (!ABUT_ARRAY_PUSH(&w->alloc, &w->list, *m))
        w->failed = true;
}

/* The segment is in the plane of the triangle. */
static void run_in(segment_walker *w, uint32_t triangle, const uint32_t v[3])
{
    int axis = 0, sign = 0;
    for (int k = 0; k < 3 && sign == 0; ++k) {
        axis = k;
        sign = turn(w, k, v[0], v[1], vertex(w, v[2]));
    }
    segment_meeting m = {
        .from = segment_start(), .to = segment_end(), .triangle = triangle, .along = -1, .stretch = true
    };
    for (int k = 0; k < 3; ++k) {
        const uint32_t a = v[k], b = v[(k + 1) % 3];
        const int g = sign * turn(w, axis, a, b, w->p), h = sign * turn(w, axis, a, b, w->q);
        if ((g < 0 && h <= 0) || (g <= 0 && h < 0)) {
            if (g < 0 && h < 0)
                return;
            /* touches this side's line with one end only */
            segment_place *at = g == 0 ? &m.to : &m.from;
            *at = g == 0 ? segment_start() : segment_end();
            if (segment_compare(w, &m.from, &m.to) > 0)
                return;
            continue;
        }
        if (g == 0 && h == 0)
            m.along = k;
        if (g >= 0 && h >= 0)
            continue;
        segment_place at = { .kind = AT_LINE, .axis = axis, .v = { a, b, 0 } };
        segment_place_set(w, &at);
        if (g < 0 && segment_compare(w, &at, &m.from) > 0)
            m.from = at;
        if (h < 0 && segment_compare(w, &at, &m.to) < 0)
            m.to = at;
    }
    if (segment_compare(w, &m.from, &m.to) <= 0)
        push(w, &m);
}

static void pass_through(segment_walker *w, uint32_t triangle, const uint32_t v[3], int sp, int sq)
{
    int least = 1, most = -1, zeros = 0, zero[3] = { 0, 0, 0 };
    for (int k = 0; k < 3; ++k) {
        const int s = abut_orient3d(w->p, w->q, vertex(w, v[k]), vertex(w, v[(k + 1) % 3]));
        least = s < least ? s : least;
        most = s > most ? s : most;
        if (s == 0)
            zero[zeros++] = k;
    }
    if (least < 0 && most > 0)
        return;
    segment_meeting m = { .triangle = triangle, .part = 6, .along = -1, .side = sq != 0 ? -sq : sp };
    m.from = (segment_place){ .kind = AT_PLANE, .v = { v[0], v[1], v[2] } };
    if (sp == 0)
        m.from = segment_start();
    else if (sq == 0)
        m.from = segment_end();
    else
        segment_place_set(w, &m.from);
    m.to = m.from;
    if (zeros == 1)
        m.part = 3 + zero[0];
    else if (zeros == 2) /* the corner that both sides have */
        m.part = zero[0] == 0 && zero[1] == 2 ? 0 : zero[1];
    push(w, &m);
}

static bool meet_batch(void *ctx, const abut_bvh_pair *pairs, size_t count)
{
    segment_walker *w = ctx;
    for (size_t i = 0; i < count && !w->failed; ++i) {
        const uint32_t *v = w->mesh->corners + 3 * (size_t)pairs[i].a;
        const abut_vec3 a = vertex(w, v[0]), b = vertex(w, v[1]), c = vertex(w, v[2]);
        const int sp = abut_orient3d(a, b, c, w->p), sq = abut_orient3d(a, b, c, w->q);
        if (sp == 0 && sq == 0)
            run_in(w, pairs[i].a, v);
        else if (sp * sq <= 0)
            pass_through(w, pairs[i].a, v, sp, sq);
    }
    return !w->failed;
}

/* All triangles near the segment, by a box around it. */
static void find_meetings(segment_walker *w)
{
    const abut_vec3 d = abut_sub(w->q, w->p), x = abut_unit_or(d, abut_v3(1, 0, 0)),
                    y = abut_unit_or(abut_cross(fabs(x.x) < 0.7 ? abut_v3(1, 0, 0) : abut_v3(0, 1, 0), x), x),
                    z = abut_cross(x, y);
    const double reach = abut_max_norm(w->p) + abut_max_norm(w->q);
    const abut_bv_relative still = { .r = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } },
                                     .error = 0x1p-44 * reach };
    const abut_bv_box box = { .centre = abut_scale(0.5, abut_add(w->p, w->q)),
                              .half = { 0.5 * abut_length(d) + 0x1p-44 * reach, 0, 0 },
                              .axes = { { { x.x, y.x, z.x }, { x.y, y.y, z.y }, { x.z, y.z, z.z } } } };
    abut_mesh_counters counters = { 0 };
    const abut_bvh_walk walk = {
        .a = { .tree = w->mesh->tree }, .b = { .box = box }, .b_in_a = &still, .counters = &counters
    };
    (void)abut_bvh_overlap(&walk, 0, meet_batch, w);
}

/* ---- entities ---- */

static int rank(const abut_piece *p)
{
    return p->where == ABUT_WHERE_VERTEX ? 0
           : p->where == ABUT_WHERE_EDGE ? 1
           : p->where == ABUT_WHERE_FACE ? 2
                                         : 3;
}

static abut_piece part_of(const segment_walker *w, uint32_t triangle, int part)
{
    const uint32_t *v = w->mesh->corners + 3 * (size_t)triangle;
    abut_piece out = { .where = ABUT_WHERE_FACE, .id = triangle };
    if (part < 3) {
        out.where = ABUT_WHERE_VERTEX;
        out.id = abut_mesh_welded(w->mesh, v[part]);
    } else if (part < 6) {
        out.where = ABUT_WHERE_EDGE;
        out.id = abut_edge_find(w->mesh, abut_mesh_welded(w->mesh, v[part - 3]),
                                abut_mesh_welded(w->mesh, v[(part - 2) % 3]));
    }
    abut_entity_of_piece(w->shape, &out);
    return out;
}

/* Which part of a triangle a stretch is on at a segment_place between its ends, or at one of them. */
static int part_at(const segment_walker *w, const segment_meeting *m, const segment_place *at)
{
    const uint32_t *v = w->mesh->corners + 3 * (size_t)m->triangle;
    int axis = 0, sign = 0, zeros = 0, zero[3] = { 0, 0, 0 };
    for (int k = 0; k < 3 && sign == 0; ++k) {
        axis = k;
        sign = turn(w, k, v[0], v[1], vertex(w, v[2]));
    }
    for (int k = 0; k < 3; ++k) {
        const int g = turn(w, axis, v[k], v[(k + 1) % 3], w->p),
                  h = turn(w, axis, v[k], v[(k + 1) % 3], w->q);
        bool on = g == 0 && h == 0;
        if (g == 0 && h != 0) {
            const segment_place start = segment_start();
            on = segment_compare(w, at, &start) == 0;
        } else if (h == 0 && g != 0) {
            const segment_place end = segment_end();
            on = segment_compare(w, at, &end) == 0;
        } else if (g * h < 0) {
            segment_place cut = { .kind = AT_LINE, .axis = axis, .v = { v[k], v[(k + 1) % 3], 0 } };
            segment_place_set(w, &cut);
            on = segment_compare(w, at, &cut) == 0;
        }
        if (on)
            zero[zeros++] = k;
    }
    if (zeros == 0)
        return 6;
    if (zeros == 1)
        return 3 + zero[0];
    return zero[0] == 0 && zero[1] == 2 ? 0 : zero[1];
}

static abut_piece entity_at(const segment_walker *w, const segment_place *at)
{
    abut_piece best = { .where = ABUT_WHERE_OUT, .id = -1 };
    for (size_t i = 0; i < w->list.count; ++i) {
        const segment_meeting *m = &w->list.items[i];
        if (segment_compare(w, &m->from, at) > 0 || segment_compare(w, &m->to, at) < 0)
            continue;
        const abut_piece p = part_of(w, m->triangle, m->stretch ? part_at(w, m, at) : m->part);
        if (rank(&p) < rank(&best))
            best = p;
    }
    return best;
}

/* Off the boundary: where a point between is, if all around it are there. */
static abut_where side_between(const segment_walker *w, double from, double to)
{
    static const double at[3] = { 0.5, 0.25, 0.75 };
    const double slack = 0x1p-48 * (abut_max_norm(w->p) + abut_max_norm(w->q));
    for (int i = 0; i < 3; ++i) {
        const double t = from + at[i] * (to - from);
        const abut_vec3 m = abut_add(abut_scale(1 - t, w->p), abut_scale(t, w->q));
        const abut_where where = abut_mesh_where_near(w->shape, m, slack);
        if (where != ABUT_WHERE_UNKNOWN)
            return where;
    }
    return ABUT_WHERE_UNKNOWN;
}

/* Off the boundary, exactly: beside a place where the segment passes the inside of a triangle, or at its start. */
static abut_where side_beside(const segment_walker *w, const segment_place *from, const segment_place *to)
{
    for (size_t i = 0; i < w->list.count; ++i) {
        const segment_meeting *m = &w->list.items[i];
        if (m->stretch || m->part != 6)
            continue;
        if (segment_compare(w, &m->from, from) == 0)
            return m->side > 0 ? ABUT_WHERE_OUT : ABUT_WHERE_IN;
        if (segment_compare(w, &m->from, to) == 0)
            return m->side > 0 ? ABUT_WHERE_IN : ABUT_WHERE_OUT;
    }
    if (from->kind == AT_START && w->mesh->polyhedron) {
        abut_piece at;
        abut_polyhedron_where(w->shape, w->p, &at);
        return at.where == ABUT_WHERE_IN || at.where == ABUT_WHERE_OUT ? at.where : ABUT_WHERE_UNKNOWN;
    }
    return ABUT_WHERE_UNKNOWN;
}

static abut_piece entity_between(const segment_walker *w, const segment_place *from, const segment_place *to)
{
    abut_piece best = { .where = ABUT_WHERE_OUT, .id = -1 };
    for (size_t i = 0; i < w->list.count; ++i) {
        const segment_meeting *m = &w->list.items[i];
        if (!m->stretch || segment_compare(w, &m->from, from) > 0 || segment_compare(w, &m->to, to) < 0)
            continue;
        const abut_piece p = part_of(w, m->triangle, m->along >= 0 ? 3 + m->along : 6);
        if (rank(&p) < rank(&best))
            best = p;
    }
    if (rank(&best) == 3) {
        best.where = side_beside(w, from, to);
        if (best.where == ABUT_WHERE_UNKNOWN)
            best.where = side_between(w, from->t, to->t);
    }
    return best;
}

/* ---- all pieces ---- */

static bool place_before(void *ctx, const void *a, const void *b)
{
    return segment_compare(ctx, a, b) < 0;
}

typedef struct joiner {
    abut_polyhedron_piece_fn sink;
    void *ctx;
    abut_piece held;
    bool has;
} joiner;

static void join(joiner *j, const abut_piece *p)
{
    if (j->has && j->held.where == p->where && j->held.id == p->id) {
        j->held.to = p->to;
        return;
    }
    if (j->has)
        j->sink(j->ctx, &j->held);
    j->held = *p;
    j->has = true;
}

static void tell(segment_walker *w, abut_polyhedron_piece_fn sink, void *ctx)
{
    joiner j = { .sink = sink, .ctx = ctx };
    segment_place *list = w->places.items;
    size_t count = 0;
    abut_base_sort(list, w->places.count, sizeof *list, place_before, w);
    for (size_t i = 0; i < w->places.count; ++i)
        if (count == 0 || segment_compare(w, &list[count - 1], &list[i]) != 0)
            list[count++] = list[i];
    double last = 0;
    for (size_t i = 0; i < count; ++i) {
        /* rounded parameters ascend as the exact ones do */
        list[i].t = fmin(1, fmax(last, list[i].t));
        last = list[i].t;
        abut_piece at = entity_at(w, &list[i]);
        at.from = at.to = list[i].t;
        if (at.where != ABUT_WHERE_OUT)
            join(&j, &at);
        if (i + 1 == count)
            break;
        abut_piece between = entity_between(w, &list[i], &list[i + 1]);
        between.from = list[i].t;
        between.to = fmin(1, fmax(last, list[i + 1].t));
        join(&j, &between);
    }
    if (j.has)
        sink(ctx, &j.held);
}

bool abut_polyhedron_segment(const abut_shape *shape, abut_vec3 p, abut_vec3 q, const abut_allocator *alloc,
                             abut_polyhedron_piece_fn sink, void *ctx)
{
    segment_walker w = { .shape = shape,
                         .mesh = &shape->u.faceted,
                         .p = p,
                         .q = q,
                         .size = fmax(abut_mesh_size(shape), fmax(abut_max_norm(p), abut_max_norm(q))),
                         .alloc = abut_base_allocator(alloc) };
    find_meetings(&w);
    const segment_place ends[2] = { segment_start(), segment_end() };
    for (int i = 0; i < 2 && !w.failed; ++i)
        w.failed = !ABUT_ARRAY_PUSH(&w.alloc, &w.places, ends[i]);
    for (size_t i = 0; i < w.list.count && !w.failed; ++i) {
        const segment_meeting *m = &w.list.items[i];
        w.failed = !ABUT_ARRAY_PUSH(&w.alloc, &w.places, m->from) ||
                   (m->stretch && !ABUT_ARRAY_PUSH(&w.alloc, &w.places, m->to));
    }
    const bool ok = !w.failed;
    if (ok)
        tell(&w, sink, ctx);
    ABUT_ARRAY_FREE(&w.alloc, &w.list);
    ABUT_ARRAY_FREE(&w.alloc, &w.places);
    return ok;
}
