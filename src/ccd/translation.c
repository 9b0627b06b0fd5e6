/* SPDX-License-Identifier: MIT */
/* Meshes that translate and slide along each other, face on face or edge on edge.
 *
 * Nothing separates such bodies and nothing of them overlaps, so that the search over cells of time
 * (ccd/rigid) proves contact at some instants only, and leaves its begin and end wide. But the
 * vertices of a mesh that does not turn move linearly: it is a deforming mesh (ccd/deform), for which
 * contact of surfaces is decided exactly. Solids touch first where their surfaces do. Later they may
 * meet with surfaces apart, one inside the other; that cannot change while surfaces are apart, so one
 * instant of each gap tells. This takes longer than the search, and is done where that was not
 * enough. Boxes and convex hulls are taken for the meshes of their faces. */
#include "base/memory.h"
#include "ccd/deform/deform.h"
#include "ccd/first.h"
#include "math/vec3.h"
#include "motion/leg.h"
#include "narrow/mesh/mesh.h"
#include "shape/shape.h"

#include <math.h>

/* ---- boxes and hulls as meshes ---- */

static abut_shape *mesh_of_box(const abut_vec3 *half)
{
    static const uint32_t faces[36] = { 0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1,
                                        2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3 };
    abut_vec3 v[8];
    abut_shape *out = NULL;
    for (int i = 0; i < 8; ++i)
        v[i] = abut_v3(i & 4 ? half->x : -half->x, i & 2 ? half->y : -half->y, i & 1 ? half->z : -half->z);
    return abut_shape_create_mesh(v, 8, faces, 12, true, NULL, &out, NULL) ? NULL : out;
}

/* Its polygons are flat exactly, so fans of triangles are the same surface. */
static abut_shape *mesh_of_hull(const abut_hull *hull)
{
    const abut_allocator alloc = abut_base_allocator(NULL);
    if (hull->dimension != 3 || hull->face_count == 0)
        return NULL;
    const size_t vertices = hull->vertex_count,
                 corners = 3 * (hull->face_begin[hull->face_count] - 2 * (size_t)hull->face_count);
    abut_vec3 *v = abut_base_alloc(&alloc, vertices, sizeof *v);
    uint32_t *t = abut_base_alloc(&alloc, corners, sizeof *t);
    abut_shape *out = NULL;
    size_t count = 0;
    for (size_t i = 0; v && t && i < vertices; ++i)
        v[i] = abut_v3(hull->x[i], hull->y[i], hull->z[i]);
    for (uint32_t f = 0; v && t && f < hull->face_count; ++f)
        for (uint32_t k = hull->face_begin[f] + 1; k + 1 < hull->face_begin[f + 1]; ++k) {
            t[count++] = hull->face_corners[hull->face_begin[f]];
            t[count++] = hull->face_corners[k];
            t[count++] = hull->face_corners[k + 1];
        }
    if (v && t && abut_shape_create_mesh(v, vertices, t, count / 3, true, NULL, &out, NULL))
        out = NULL;
    if (v)
        abut_base_free(&alloc, v, vertices, sizeof *v);
    if (t)
        abut_base_free(&alloc, t, corners, sizeof *t);
    return out;
}

/* The mesh of a body, itself if it is one; NULL where there is none. *made is to be released. */
static const abut_shape *mesh_of(const abut_shape *shape, abut_shape **made)
{
    *made = NULL;
    if (shape->type == ABUT_SHAPE_MESH)
        return shape;
    if (shape->type == ABUT_SHAPE_BOX)
        *made = mesh_of_box(&shape->u.box.half);
    else if (shape->type == ABUT_SHAPE_CONVEX && shape->core.radius == 0 && shape->core.hull)
        *made = mesh_of_hull(shape->core.hull);
    return *made;
}

static bool is_solid(const abut_shape *shape)
{
    return shape->type != ABUT_SHAPE_MESH || shape->u.faceted.solid;
}

static bool has_faces(const abut_shape *shape)
{
    return shape->type == ABUT_SHAPE_MESH || shape->type == ABUT_SHAPE_BOX ||
           shape->type == ABUT_SHAPE_CONVEX;
}

/* At the start, at least: what turns is not worth the making of a hierarchy. */
static bool translates(const abut_motion *motion, double t)
{
    if (!motion || abut_first_is_still(motion))
        return true;
    const abut_leg *leg = abut_motion_leg(motion, t);
    return leg && !leg->spin.turns;
}

static bool is_asked(const abut_shape *a, const abut_shape *b, const abut_motion *motion_a,
                     const abut_motion *motion_b, double t, const abut_first_opts *opts)
{
    return opts->method == ABUT_METHOD_AUTO && translates(motion_a, t) && translates(motion_b, t) &&
           has_faces(a) && has_faces(b) && (a->type == ABUT_SHAPE_MESH || b->type == ABUT_SHAPE_MESH);
}

/* What these methods are asked with: nothing that a caller sees. */
static abut_first_opts plain_options(const abut_first_opts *opts)
{
    abut_first_opts plain = *opts;
    plain.method = ABUT_METHOD_AUTO;
    plain.simultaneity = 0;
    plain.on_point = NULL;
    plain.progress = NULL;
    return plain;
}

/* ---- the first contact ---- */

enum { MOST_POINTS = 256 };

/* One place is reported once, with the lowest features that name it there. */
typedef struct places {
    double near; /* length */
    size_t count;
    abut_first_point points[MOST_POINTS];
} places;

/* Numbers as first contacts of meshes have them. */
static int64_t number_of(const abut_faceted_data *mesh, const abut_deform *topology, abut_feature feature,
                         int64_t id)
{
    uint32_t ends[2];
    if (feature == ABUT_FEATURE_VERTEX)
        return abut_mesh_welded(mesh, (uint32_t)id);
    if (feature != ABUT_FEATURE_EDGE)
        return id;
    if (!mesh->solid || !topology || abut_deform_get_edge(topology, (size_t)id, ends))
        return -1;
    return abut_edge_find(mesh, abut_mesh_welded(mesh, ends[0]), abut_mesh_welded(mesh, ends[1]));
}

static int rank(const abut_first_point *p)
{
    return (int)(p->features[0] == ABUT_FEATURE_VERTEX) + (int)(p->features[1] == ABUT_FEATURE_VERTEX);
}

static void take_point(void *ctx, const abut_first_point *point)
{
    places *p = ctx;
    for (size_t i = 0; i < p->count; ++i)
        if (abut_length(abut_sub(p->points[i].point, point->point)) <= p->near) {
            if (rank(point) > rank(&p->points[i]))
                p->points[i] = *point;
            return;
        }
    if (p->count < MOST_POINTS)
        p->points[p->count++] = *point;
}

static double size_of(const abut_shape *shape)
{
    const abut_aabb box = abut_shape_bounds(shape);
    return fmax(box.hi.x - box.lo.x, fmax(box.hi.y - box.lo.y, box.hi.z - box.lo.z));
}

/* Edges are numbered by the topology of a mesh, which deforming meshes number in their own way. */
static abut_deform *topology_of(const abut_faceted_data *mesh, const abut_allocator *alloc)
{
    abut_deform *m = NULL;
    if (mesh->solid &&
        abut_deform_new(mesh->vertices, mesh->vertex_count, mesh->corners, mesh->face_count, alloc, &m, NULL))
        return NULL;
    return m;
}

static void hand_on(abut_first_state *s, places *p, const abut_allocator *alloc)
{
    const abut_shape *of[2] = { s->a, s->b };
    abut_deform *topology[2] = { NULL, NULL };
    for (int k = 0; k < 2; ++k)
        if (of[k]->type == ABUT_SHAPE_MESH)
            topology[k] = topology_of(&of[k]->u.faceted, alloc);
    s->out->point_count = 0;
    for (size_t i = 0; i < p->count; ++i) {
        abut_first_point *point = &p->points[i];
        point->unique = false; /* of these features, but not of the bodies */
        for (int k = 0; k < 2; ++k)
            point->ids[k] = of[k]->type == ABUT_SHAPE_MESH
                                ? number_of(&of[k]->u.faceted, topology[k], point->features[k], point->ids[k])
                                : -1;
        abut_first_keep_point(s, point);
    }
    for (int k = 0; k < 2; ++k)
        abut_deform_destroy(topology[k]);
}

/* With the meshes of both bodies. */
static bool find_first(abut_first_state *s, const abut_shape *a, const abut_shape *b)
{
    abut_first_result found = { .verdict = ABUT_FIRST_UNDECIDED }, *out = s->out;
    const abut_allocator alloc = abut_base_allocator(NULL);
    places *p = abut_base_alloc(&alloc, 1, sizeof *p);
    if (!p)
        return false;
    p->count = 0;
    p->near = 1e-9 * fmin(size_of(a), size_of(b));
    abut_first_opts opts = plain_options(s->opts);
    opts.simultaneity = s->opts->simultaneity;
    opts.on_point = take_point;
    opts.on_point_ctx = p;
    bool done = !abut_deform_first_contact(a, s->motion_a, b, s->motion_b, &opts, s->range, true, &found) &&
                found.verdict == ABUT_FIRST_CONTACT && found.proof != ABUT_PROOF_TOLERANCE;
    const abut_interval both = { fmax(out->time.lo, found.time.lo), fmin(out->time.hi, found.time.hi) };
    done = done && both.lo <= both.hi;
    if (done) {
        out->verdict = ABUT_FIRST_CONTACT;
        out->proof = found.proof;
        out->stop = ABUT_STOP_DONE;
        out->time = both;
        hand_on(s, p, &alloc);
    }
    abut_base_free(&alloc, p, 1, sizeof *p);
    return done;
}

/* Surfaces say all, unless one solid may be inside the other: not after a time when they are apart, nor
 * where they only touch at the start. */
static bool is_free(const abut_first_state *s)
{
    abut_check_result check;
    if (s->out->time.lo > s->range.lo || !(is_solid(s->a) || is_solid(s->b)))
        return true;
    return !abut_check_at(s->a, s->motion_a, s->b, s->motion_b, s->range.lo, NULL, NULL, &check) &&
           check.verdict == ABUT_TOUCHING && check.proof != ABUT_PROOF_TOLERANCE;
}

bool abut_translation_first(abut_first_state *s)
{
    if (!is_asked(s->a, s->b, s->motion_a, s->motion_b, s->range.lo, s->opts))
        return false;
    abut_shape *made[2];
    const abut_shape *a = mesh_of(s->a, &made[0]), *b = mesh_of(s->b, &made[1]);
    const bool done = a && b && is_free(s) && find_first(s, a, b);
    abut_shape_release(made[0]);
    abut_shape_release(made[1]);
    return done;
}

/* ---- all intervals ---- */

typedef struct list {
    abut_allocator alloc;
    ABUT_ARRAY(abut_contact_interval) items;
} list;

static void join(list *l, const abut_contact_interval *x, bool *memory)
{
    abut_contact_interval *last = l->items.count ? &l->items.items[l->items.count - 1] : NULL;
    if (!last || last->exit.hi < x->enter.lo) {
        *memory = ABUT_ARRAY_PUSH(&l->alloc, &l->items, *x);
        return;
    }
    last->exit.lo = fmax(last->exit.lo, x->exit.lo);
    last->exit.hi = fmax(last->exit.hi, x->exit.hi);
}

/* Is one inside the other, all the time from `from` to `to`, when their surfaces are apart? 1, 0, or
 * -1: not known. */
static int holds(const abut_ccd_query *q, double from, double to)
{
    abut_check_result check;
    const double t = 0.5 * from + 0.5 * to;
    if (abut_check_at(q->a, q->motion_a, q->b, q->motion_b, t, NULL, q->ws, &check) ||
        check.proof == ABUT_PROOF_TOLERANCE)
        return -1;
    return check.verdict == ABUT_UNDECIDED ? -1 : check.verdict != ABUT_SEPARATE;
}

/* The intervals of the surfaces, and the gaps between them in which one solid is inside the other. */
static bool unite(const abut_ccd_query *q, const abut_contact_interval *of_surfaces, size_t count, list *l)
{
    double from = q->range.lo;
    bool memory = true;
    for (size_t i = 0; i <= count && memory; ++i) {
        const double to = i < count ? of_surfaces[i].enter.lo : q->range.hi;
        if (to > from) {
            const int inside = holds(q, from, to);
            if (inside < 0)
                return false;
            const abut_contact_interval gap = { { from, from }, { to, to } };
            if (inside)
                join(l, &gap, &memory);
        }
        if (i < count && memory) {
            join(l, &of_surfaces[i], &memory);
            from = of_surfaces[i].exit.hi;
        }
    }
    return memory;
}

/* The intervals of the surfaces, in memory of l. NULL where they are not certain. */
static abut_contact_interval *find_all(const abut_ccd_query *q, const abut_shape *a, const abut_shape *b,
                                       const abut_allocator *alloc, size_t *room,
                                       abut_intervals_result *found)
{
    const abut_first_opts opts = plain_options(q->opts);
    *room = 64;
    for (int round = 0; round < 2; ++round) {
        abut_contact_interval *all = abut_base_alloc(alloc, *room, sizeof *all);
        if (!all)
            return NULL;
        const abut_status status =
            abut_deform_intervals(a, q->motion_a, b, q->motion_b, &opts, q->range, true, all, *room, found);
        if (!status && found->count <= *room && found->proof != ABUT_PROOF_TOLERANCE)
            return all;
        abut_base_free(alloc, all, *room, sizeof *all);
        if (status || found->count <= *room)
            return NULL;
        *room = found->count;
    }
    return NULL;
}

static bool find_intervals(const abut_ccd_query *q, const abut_shape *a, const abut_shape *b,
                           abut_contact_interval *intervals, size_t capacity, abut_intervals_result *out)
{
    abut_intervals_result found = { .proof = ABUT_PROOF_NONE };
    list l = { .alloc = abut_base_allocator(NULL) };
    size_t room;
    abut_contact_interval *all = find_all(q, a, b, &l.alloc, &room, &found);
    if (!all)
        return false;
    const bool solids = is_solid(q->a) || is_solid(q->b);
    bool done = true;
    for (size_t i = 0; i < found.count && done && !solids; ++i)
        done = ABUT_ARRAY_PUSH(&l.alloc, &l.items, all[i]);
    if (solids)
        done = unite(q, all, found.count, &l);
    if (done) {
        for (size_t i = 0; i < l.items.count && i < capacity; ++i)
            intervals[i] = l.items.items[i];
        out->count = l.items.count;
        out->proof = found.proof;
        out->stop = ABUT_STOP_DONE;
    }
    abut_base_free(&l.alloc, all, room, sizeof *all);
    ABUT_ARRAY_FREE(&l.alloc, &l.items);
    return done;
}

bool abut_translation_intervals(const abut_ccd_query *q, abut_contact_interval *intervals, size_t capacity,
                                abut_intervals_result *out)
{
    const bool straight = is_asked(q->a, q->b, q->motion_a, q->motion_b, q->range.lo, q->opts);
    const bool spent = out->stop == ABUT_STOP_BUDGET && is_asked(q->a, q->b, NULL, NULL, 0, q->opts);
    if (!straight && !spent)
        return false;
    abut_shape *made[2];
    const abut_shape *a = mesh_of(q->a, &made[0]), *b = mesh_of(q->b, &made[1]);
    bool done = straight && a && b && find_intervals(q, a, b, intervals, capacity, out);
    /* Bodies that graze: as meshes, once the budget is spent on a box or hull. */
    abut_intervals_result found;
    if (!done && a && b && (made[0] || made[1]) && out->stop == ABUT_STOP_BUDGET &&
        q->opts->max_iterations == 0 &&
        !abut_contact_intervals(a, q->motion_a, b, q->motion_b, q->opts, q->ws, intervals, capacity,
                                &found)) {
        *out = found;
        done = true;
    }
    abut_shape_release(made[0]);
    abut_shape_release(made[1]);
    return done;
}
