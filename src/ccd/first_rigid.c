/* SPDX-License-Identifier: MIT */
/* Where meshes touch first: points, normals, features and numbers of all contacts at that time.
 *
 * The search lists pairs of pieces that meet then, or may. Each is a contact of two convex bodies,
 * and is reported as such: a point, or samples of a line or region (first_region.c). Pieces that share
 * a vertex or an edge tell the same place several times; it is kept once, with the lowest features
 * that name it there. Nothing here is proved: the time is. */
#include "ccd/first_region.h"
#include "ccd/proof/samples.h"
#include "ccd/rigid/scan.h"
#include "math/nearest.h"
#include "narrow/distance/convex.h"
#include "narrow/triangle/point_triangle.h"

/* Pairs that are examined, and points that are kept. */
enum { MOST_PAIRS = 4096, MOST_POINTS = 512 };

/* Over the size of the smaller body: what is one place, and what touches. */
static const double close = 1e-7;

typedef struct gathered {
    abut_first_state *s;
    const abut_rigid_contact *now;
    abut_affine at[2];
    double near, apart; /* lengths: one place; spacing of samples */
    int count;
    abut_first_point points[MOST_POINTS];
} gathered;

static double size_of(const abut_shape *shape)
{
    const abut_aabb box = abut_shape_bounds(shape);
    return fmax(box.hi.x - box.lo.x, fmax(box.hi.y - box.lo.y, box.hi.z - box.lo.z));
}

/* Features are ordered vertex, edge, face: the first that is at p, within `near`. */
static void name_feature(const abut_rigid_part *part, abut_part_node node, const abut_affine *at,
                         abut_vec3 world, double near, abut_feature *feature, int64_t *id)
{
    *id = -1;
    if (!abut_part_is_mesh(part))
        return;
    abut_vec3 t[3];
    const uint32_t face = abut_part_face(node), *corner = part->mesh->corners + 3 * (size_t)face;
    const abut_vec3 p = abut_mul_t(&at->linear, abut_sub(world, at->translation));
    abut_mesh_corners(part->mesh, face, t);
    for (int k = 0; k < 3; ++k)
        if (abut_length(abut_sub(p, t[k])) <= near) {
            *feature = ABUT_FEATURE_VERTEX;
            *id = abut_mesh_welded(part->mesh, corner[k]);
            return;
        }
    for (int k = 0; k < 3; ++k) {
        const abut_vec3 e = abut_sub(t[(k + 1) % 3], t[k]), d = abut_sub(p, t[k]);
        const abut_vec3 c = abut_cross(e, d);
        if (abut_dot(c, c) > near * near * abut_dot(e, e))
            continue;
        *feature = ABUT_FEATURE_EDGE;
        *id = part->mesh->solid ? abut_edge_find(part->mesh, abut_mesh_welded(part->mesh, corner[k]),
                                                 abut_mesh_welded(part->mesh, corner[(k + 1) % 3]))
                                : -1;
        return;
    }
    *feature = ABUT_FEATURE_FACE;
    *id = face;
}

/* A place near the piece of that node, as far as that can be reported. */
static bool is_on(const abut_rigid_part *part, abut_part_node node, const abut_affine *at, abut_vec3 world,
                  double near)
{
    const abut_vec3 p = abut_mul_t(&at->linear, abut_sub(world, at->translation));
    if (part->kind == ABUT_PART_BODY && part->shape->core.kind != ABUT_CORE_USER)
        return abut_core_excess(&part->shape->core, p) - part->shape->core.radius <= near;
    if (!abut_part_is_mesh(part))
        return true;
    abut_vec3 t[3];
    int ignored;
    abut_mesh_corners(part->mesh, abut_part_face(node), t);
    for (int k = 0; k < 3; ++k)
        t[k] = abut_sub(t[k], p);
    if (abut_length(abut_point_edges(t, &ignored)) <= near)
        return true;
    /* inside all edges, and in the plane */
    const abut_vec3 n = abut_cross(abut_sub(t[1], t[0]), abut_sub(t[2], t[0]));
    for (int k = 0; k < 3; ++k)
        if (abut_dot(abut_cross(t[k], t[(k + 1) % 3]), n) < 0)
            return false;
    return fabs(abut_dot(t[0], n)) <= near * abut_length(n);
}

static int rank(const abut_first_point *p)
{
    return (int)(p->features[0] == ABUT_FEATURE_VERTEX) + (int)(p->features[1] == ABUT_FEATURE_VERTEX);
}

static bool is_earlier(const abut_first_point *p, const abut_first_point *q)
{
    for (int i = 0; i < 2; ++i)
        if (p->ids[i] != q->ids[i])
            return p->ids[i] < q->ids[i];
    return false;
}

static void gather(void *ctx, const abut_first_point *found)
{
    gathered *g = ctx;
    const abut_rigid_contacts *list = g->s->moving->contacts;
    abut_first_point point = *found;
    const int swap = g->s->swapped;
    if (!is_on(&list->a, g->now->a, &g->at[0], point.point, 4 * g->near) ||
        !is_on(&list->b, g->now->b, &g->at[1], point.point, 4 * g->near))
        return;
    point.has_ids = true;
    name_feature(&list->a, g->now->a, &g->at[0], point.point, g->near, &point.features[swap],
                 &point.ids[swap]);
    name_feature(&list->b, g->now->b, &g->at[1], point.point, g->near, &point.features[!swap],
                 &point.ids[!swap]);
    abut_entity_of(list->a.shape, &point.features[swap], &point.ids[swap]);
    abut_entity_of(list->b.shape, &point.features[!swap], &point.ids[!swap]);
    for (int i = 0; i < g->count; ++i) {
        abut_first_point *old = &g->points[i];
        const double d = abut_length(abut_sub(old->point, point.point));
        const bool same_way = abut_dot(old->normal, point.normal) > 0.999;
        if (d <= 4 * g->near) {
            if (rank(&point) > rank(old) || (rank(&point) == rank(old) && is_earlier(&point, old)))
                *old = point;
            return;
        }
        if (same_way && old->kind == ABUT_CONTACT_SAMPLED && point.kind == ABUT_CONTACT_SAMPLED &&
            d < 0.5 * g->apart)
            return;
    }
    if (g->count < MOST_POINTS)
        g->points[g->count++] = point;
}

/* A point of contact of two pieces, as the walk saw it. */
static bool find_seen(const gathered *g, const abut_rigid_contact *c, double t, abut_first_point *out)
{
    const abut_first_state *s = g->s;
    const abut_rigid_contacts *list = s->moving->contacts;
    if (!c->touch.known || fabs(c->touch.t - t) > 1e-9 * (s->range.hi - s->range.lo) ||
        !is_on(&list->a, c->a, &g->at[0], c->touch.point, 4 * g->near) ||
        !is_on(&list->b, c->b, &g->at[1], c->touch.point, 4 * g->near))
        return false;
    out->point = c->touch.point;
    out->normal = s->swapped ? abut_scale(-1, c->touch.normal) : c->touch.normal;
    return true;
}

/* The same by the static method. */
static bool find_there(const abut_first_state *sub, double t, double near, abut_first_point *out)
{
    abut_place at_a, at_b;
    abut_check_result check = { .verdict = ABUT_UNDECIDED };
    if (abut_place_from_motion(sub->motion_a, t, &at_a) || abut_place_from_motion(sub->motion_b, t, &at_b))
        return false;
    const abut_pair pair = { sub->a, sub->b, &at_a, &at_b, NULL };
    if (abut_narrow_run_pair(&pair, NULL, &check) || check.distance.lo > near || !check.has_normal ||
        !(check.has_points || check.contact_count > 0))
        return false;
    out->normal = check.normal;
    out->point =
        check.has_points ? abut_scale(0.5, abut_add(check.point_a, check.point_b)) : check.contacts[0].point;
    return true;
}

/* Pieces without thickness leave open which way the normal points: at a first contact the bodies
 * close in. */
static void orient(const gathered *g, double t, abut_first_point *like)
{
    const abut_moving *m = g->s->moving;
    abut_vec3 v[2] = { { 0, 0, 0 }, { 0, 0, 0 } };
    for (int k = 0; k < 2; ++k) {
        const abut_motion *motion = k ? m->motion_b : m->motion_a;
        abut_affine rate;
        if (!motion || abut_motion_velocity_at(motion, t, &rate))
            continue;
        const abut_vec3 own = abut_mul_t(&g->at[k].linear, abut_sub(like->point, g->at[k].translation));
        v[k] = abut_add(abut_mul(&rate.linear, own), rate.translation);
    }
    const abut_vec3 closing = g->s->swapped ? abut_sub(v[1], v[0]) : abut_sub(v[0], v[1]);
    if (abut_dot(closing, like->normal) < -1e-7 * abut_length(closing))
        like->normal = abut_scale(-1, like->normal);
}

static void add_pair(gathered *g, const abut_rigid_contact *c, abut_interval time)
{
    abut_first_state *s = g->s;
    const abut_rigid_contacts *list = s->moving->contacts;
    abut_part_piece piece_a, piece_b;
    abut_part_piece_of(&list->a, c->a, &piece_a);
    abut_part_piece_of(&list->b, c->b, &piece_b);
    abut_first_opts opts = *s->opts;
    abut_first_result ignored = { .point_count = 0 };
    abut_first_state sub = *s;
    opts.on_point = gather;
    opts.on_point_ctx = g;
    opts.separation = g->apart;
    sub.opts = &opts;
    sub.out = &ignored;
    sub.a = s->swapped ? piece_b.shape : piece_a.shape;
    sub.b = s->swapped ? piece_a.shape : piece_b.shape;
    /* A pair may meet at the first contact, or a little later. */
    const bool later = c->certain && c->time.lo > time.hi;
    const abut_interval when = later ? c->time : time;
    const double t = 0.5 * when.lo + 0.5 * when.hi;
    abut_first_point like = { .time = when, .kind = ABUT_CONTACT_ISOLATED };
    g->now = c;
    for (int k = 0; k < 2; ++k) {
        const abut_motion *motion = k ? s->moving->motion_b : s->moving->motion_a;
        g->at[k] = (abut_affine){ .linear = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } };
        if (motion && abut_motion_at(motion, t, &g->at[k]))
            return;
    }
    like.features[0] = like.features[1] = ABUT_FEATURE_FACE;
    if (!find_seen(g, c, t, &like) && !find_there(&sub, t, g->near, &like))
        return;
    orient(g, t, &like);
    if (!abut_first_add_region(&sub, t, &like))
        gather(g, &like);
}

static void join_regions(gathered *g)
{
    for (int i = 0; i < g->count; ++i)
        for (int k = 0; k < g->count; ++k)
            abut_join_sample(&g->points[i], &g->points[k], g->apart);
}

ABUT_MATH_NOINLINE bool abut_first_add_rigid(abut_first_state *s, abut_interval time)
{
    const abut_rigid_contacts *list = s->moving->contacts;
    const abut_allocator *alloc = &list->alloc;
    if (list->list.count == 0)
        return false;
    gathered *g = abut_base_alloc(alloc, 1, sizeof *g);
    if (!g) /* the time stands without the points */
        return false;
    g->s = s;
    g->count = 0;
    const double size_a = size_of(s->a), size_b = size_of(s->b);
    /* half-spaces have no size, and a mesh may be a point */
    g->near =
        fmax(close * fmin(size_a, size_b), isfinite(fmax(size_a, size_b)) ? 1e-11 * fmax(size_a, size_b) : 0);
    g->apart = abut_first_separation(s);
    int tried = 0;
    for (size_t i = 0; i < list->list.count && tried < MOST_PAIRS; ++i) {
        const abut_rigid_contact *c = &list->list.items[i];
        if (c->time.lo > time.hi + s->opts->simultaneity)
            continue;
        ++tried;
        add_pair(g, c, time);
    }
    join_regions(g);
    for (int i = 0; i < g->count; ++i)
        abut_first_keep_point(s, &g->points[i]);
    const bool any = g->count > 0;
    abut_base_free(alloc, g, 1, sizeof *g);
    return any;
}
