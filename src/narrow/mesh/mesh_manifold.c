/* SPDX-License-Identifier: MIT */
/* Contacts of a mesh and a convex body that meet; see mesh_convex.h.
 *
 * Each triangle that meets the body is asked for points first along its own normal (outward in a
 * solid, towards the body's middle on a surface): what of the body's side that faces the triangle
 * lies over it and below its plane. Where nothing does, an edge or corner of the triangle is what
 * meets, and the direction comes from the convex solvers. Points at one place count once, with the
 * deepest; of all of them the deepest is kept, the one furthest from it, and those that spread
 * furthest. Nothing of that depends on the order in which triangles come.
 *
 * Where they only touch, a direction counts when it parts a triangle from the whole body: the wall
 * under the edge of a table does not, though a box on the table is in its plane. Normals of
 * triangles that part come first, and what they agree on is the normal of all; where none does, as
 * at the tip of a mesh, the direction of the solvers that parts most.
 *
 * These points are for people and engines; nothing here is certified. */
#include "narrow/mesh/mesh_convex.h"

#include "math/vec3.h"

/* a before b: deeper, then the lower face, then the place in its list. */
static bool is_before(const abut_mesh_place *a, const abut_mesh_place *b)
{
    if (a->depth != b->depth)
        return a->depth > b->depth;
    return a->face != b->face ? a->face < b->face : a->number < b->number;
}

/* Keeps the deepest, in order. */
static void keep(abut_mesh_places *list, const abut_mesh_place *p)
{
    int at = list->count;
    if (at == ABUT_MESH_FACES) {
        if (!is_before(p, &list->items[at - 1]))
            return;
        --at;
    } else
        ++list->count;
    for (; at > 0 && is_before(p, &list->items[at - 1]); --at)
        list->items[at] = list->items[at - 1];
    list->items[at] = *p;
}

static abut_vec3 facing(const abut_mesh_site *s, const abut_convex_pair *pair)
{
    const abut_vec3 n = s->hull.face_normal[0];
    if (s->mesh->solid || abut_dot(n, abut_add(s->middle, pair->t)) >= 0)
        return n;
    return s->hull.face_normal[1];
}

/* Along the triangle's own normal. */
static int by_plane(const abut_convex_pair *pair, abut_vec3 n, double depth[ABUT_CHECK_CONTACTS],
                    abut_contact contacts[ABUT_CHECK_CONTACTS])
{
    const abut_convex_answer answer = { .normal = n, .x = { NAN, NAN, NAN }, .y = { NAN, NAN, NAN } };
    const int count = abut_convex_manifold(pair, &answer, ABUT_CHECK_CONTACTS, contacts);
    if (count == 0 || isnan(contacts[0].point.x)) /* one point, that of the answer: there was none else */
        return 0;
    const abut_vec3 corner = abut_hull_vertex(pair->a->hull, 0);
    for (int i = 0; i < count; ++i)
        depth[i] = 2 * abut_dot(n, abut_sub(corner, contacts[i].point));
    return count;
}

/* Along the direction in which they part soonest. *slip: how far the two points that it is reported
 * by are apart across that direction: small, unless the search went astray, as between parallel
 * edges. */
static int by_solver(const abut_convex_pair *pair, bool solid, double depth[ABUT_CHECK_CONTACTS],
                     abut_contact contacts[ABUT_CHECK_CONTACTS], double *slip)
{
    abut_convex_answer answer;
    abut_simplex simplex = { .count = 0 };
    const abut_gjk_end end = abut_gjk_distance(pair, INFINITY, NULL, &simplex, &answer);
    if (end == ABUT_GJK_MEETING || end == ABUT_GJK_NEAR)
        abut_convex_depth(pair, &simplex, &answer);
    const abut_vec3 n = pair->a->hull->face_normal[0];
    if (!(fabs(abut_dot(answer.normal, answer.normal) - 1) < 1e-6))
        answer.normal = n;
    if (solid && abut_dot(answer.normal, n) < 0)
        answer.normal = n; /* inward is no way out */
    *slip = abut_length(abut_cross(answer.normal, abut_sub(answer.y, answer.x)));
    const int count = abut_convex_manifold(pair, &answer, ABUT_CHECK_CONTACTS, contacts);
    for (int i = 0; i < count; ++i)
        depth[i] = pair->radii - answer.lo;
    return count;
}

static void keep_all(abut_mesh_site *s, const abut_convex_pair *pair, uint32_t face, int count,
                     const double depth[ABUT_CHECK_CONTACTS], abut_contact contacts[ABUT_CHECK_CONTACTS])
{
    const uint32_t *corners = s->mesh->corners + 3 * (size_t)face;
    for (int i = 0; i < count; ++i) {
        abut_contact *c = &contacts[i];
        if (!abut_is_finite3(c->point) || isnan(depth[i]))
            continue;
        if (c->features[0] == ABUT_FEATURE_FACE)
            c->ids[0] = face;
        else if (c->features[0] == ABUT_FEATURE_VERTEX && c->ids[0] >= 0 && c->ids[0] < 3)
            c->ids[0] = abut_mesh_welded(s->mesh, corners[c->ids[0]]);
        else
            c->ids[0] = -1;
        c->point = abut_sub(c->point, pair->t);
        const abut_mesh_place place = { *c, depth[i], face, i };
        keep(&s->places, &place);
    }
}

void abut_mesh_manifold_add(abut_mesh_site *s, uint32_t face)
{
    abut_convex_pair pair;
    abut_contact contacts[ABUT_CHECK_CONTACTS];
    double depth[ABUT_CHECK_CONTACTS], slip;
    abut_mesh_site_pair(s, face, &pair);
    int count = by_plane(&pair, facing(s, &pair), depth, contacts);
    if (count == 0)
        count = by_solver(&pair, s->mesh->solid, depth, contacts, &slip);
    keep_all(s, &pair, face, count, depth, contacts);
}

/* ---- triangles that only touch ---- */

void abut_mesh_manifold_touch(abut_mesh_site *s, uint32_t face)
{
    int at = s->touched;
    if (at == ABUT_MESH_FACES) {
        if (face > s->touch[at - 1])
            return;
        --at;
    } else
        ++s->touched;
    for (; at > 0 && face < s->touch[at - 1]; --at)
        s->touch[at] = s->touch[at - 1];
    s->touch[at] = face;
}

/* How far the triangle reaches into the body along n; <= 0 where that parts them. */
static double reach_along(const abut_convex_pair *pair, abut_vec3 n)
{
    abut_convex_point p = { .a = 0, .b = 0 };
    abut_convex_support(pair, n, &p);
    return pair->radii - abut_dot(n, p.w);
}

/* Exact where they touch, up to the rounding of normals. */
static bool is_parted(const abut_convex_pair *pair, abut_vec3 n)
{
    return reach_along(pair, n) <= 1e-11 * (pair->a->size + pair->b->size + pair->b->radius);
}

/* The direction of the solvers that leaves the least of all triangles in the body. */
static abut_vec3 least_reach(abut_mesh_site *s)
{
    abut_vec3 best = { 0, 0, 1 };
    double least = INFINITY;
    for (int i = 0; i < s->touched; ++i) {
        abut_convex_pair pair;
        abut_contact contacts[ABUT_CHECK_CONTACTS];
        double depth[ABUT_CHECK_CONTACTS], slip, most = -INFINITY;
        abut_mesh_site_pair(s, s->touch[i], &pair);
        if (by_solver(&pair, s->mesh->solid, depth, contacts, &slip) == 0)
            continue;
        const abut_vec3 n = contacts[0].normal;
        for (int j = 0; j < s->touched && most < least; ++j) {
            abut_mesh_site_pair(s, s->touch[j], &pair);
            most = fmax(most, reach_along(&pair, n));
        }
        if (most < least) {
            least = most;
            best = n;
        }
    }
    return best;
}

/* What the triangles that part agree on: the sum of their directions, each taken once. */
static abut_vec3 parting(abut_mesh_site *s)
{
    abut_vec3 sum = { 0, 0, 0 }, seen[ABUT_CHECK_CONTACTS];
    int count = 0;
    for (int i = 0; i < s->touched; ++i) {
        abut_convex_pair pair;
        abut_mesh_site_pair(s, s->touch[i], &pair);
        const abut_vec3 n = facing(s, &pair);
        bool fresh = count < ABUT_CHECK_CONTACTS;
        for (int j = 0; j < count && fresh; ++j)
            fresh = abut_dot(n, seen[j]) < 1 - 1e-6;
        if (!fresh || !is_parted(&pair, n))
            continue;
        seen[count++] = n;
        sum = abut_add(sum, n);
    }
    if (count == 0)
        return least_reach(s);
    return abut_max_norm(sum) > 1e-3 ? abut_unit_or(sum, seen[0]) : seen[0];
}

/* Contacts of a triangle that touches: along its own normal, along that of all, or as the
 * solvers say. */
static void add_touching(abut_mesh_site *s, uint32_t face, abut_vec3 common)
{
    abut_convex_pair pair;
    abut_contact contacts[ABUT_CHECK_CONTACTS];
    double depth[ABUT_CHECK_CONTACTS], slip = 0;
    abut_mesh_site_pair(s, face, &pair);
    abut_vec3 n = facing(s, &pair);
    const bool own = is_parted(&pair, n);
    if (!own)
        n = common;
    const bool parted = own || is_parted(&pair, n);
    int count = parted ? by_plane(&pair, n, depth, contacts) : 0;
    if (count == 0)
        count = by_solver(&pair, s->mesh->solid, depth, contacts, &slip);
    const bool astray = count > 0 && (!(slip <= 1e-7 * (pair.a->size + pair.b->size)) ||
                                      !is_parted(&pair, contacts[0].normal));
    for (int i = 0; i < count; ++i) {
        depth[i] = astray ? -1 : own ? 0 : -0x1p-1000; /* after those of faces */
        if (parted)
            contacts[i].normal = n;
    }
    keep_all(s, &pair, face, count, depth, contacts);
}

/* ---- a few of them ---- */

static double square(abut_vec3 a)
{
    return abut_dot(a, a);
}

/* Places that are one: the deepest stays, which comes first. */
static void merge(abut_mesh_places *list, double close)
{
    int kept = 0;
    for (int i = 0; i < list->count; ++i) {
        bool fresh = true;
        for (int j = 0; j < kept && fresh; ++j)
            fresh =
                square(abut_sub(list->items[i].contact.point, list->items[j].contact.point)) > close * close;
        if (fresh)
            list->items[kept++] = list->items[i];
    }
    list->count = kept;
}

/* How much p adds: its distance from those that are kept, as a point, from their line, from all. */
static double worth(const abut_mesh_places *list, int count, abut_vec3 p)
{
    const abut_vec3 first = list->items[0].contact.point;
    if (count == 1)
        return square(abut_sub(p, first));
    if (count == 2)
        return square(abut_cross(abut_sub(list->items[1].contact.point, first), abut_sub(p, first)));
    double least = INFINITY;
    for (int i = 0; i < count; ++i) {
        const double d = square(abut_sub(p, list->items[i].contact.point));
        least = d < least ? d : least;
    }
    return least;
}

static void spread(abut_mesh_places *list, int most)
{
    for (int k = 1; k < most && k < list->count; ++k) {
        int best = k;
        double value = -1;
        for (int i = k; i < list->count; ++i) {
            const double v = worth(list, k, list->items[i].contact.point);
            if (v > value) {
                best = i;
                value = v;
            }
        }
        const abut_mesh_place moved = list->items[best];
        for (int i = best; i > k; --i)
            list->items[i] = list->items[i - 1];
        list->items[k] = moved;
    }
    list->count = list->count < most ? list->count : most;
}

/* Where one has no inside, contacts are points of both: on the triangle, where what lies over it
 * is in the body; else some point of the two. */
static void move_into_both(abut_mesh_site *s)
{
    for (int k = 0; k < s->places.count; ++k) {
        abut_mesh_place *const p = &s->places.items[k];
        abut_convex_pair pair;
        uint32_t supports = 0;
        abut_mesh_site_pair(s, p->face, &pair);
        const abut_vec3 on = abut_madd(p->contact.point, 0.5 * p->depth, p->contact.normal);
        const abut_vec3 both = abut_convex_crossing(&pair, abut_add(on, pair.t), &supports);
        p->contact.point = abut_sub(both, pair.t);
        p->depth = 0;
        s->supports += supports;
    }
}

void abut_mesh_manifold(abut_mesh_site *s, const abut_ask *ask, abut_check_result *out)
{
    const int most = ask && ask->max_contacts > 0 ? ask->max_contacts : 4;
    const abut_core *core = s->base.b;
    const abut_vec3 zero = { 0, 0, 0 };
    const bool only_touch = s->touched > 0 && s->places.count == 0;
    const abut_vec3 common = only_touch ? parting(s) : zero;
    for (int i = 0; only_touch && i < s->touched; ++i)
        add_touching(s, s->touch[i], common);
    while (only_touch && s->places.count > 1 && s->places.items[s->places.count - 1].depth == -1)
        --s->places.count;
    merge(&s->places, 1e-7 * (core->size + core->radius));
    spread(&s->places, most);
    if (out->verdict == ABUT_TOUCHING && !only_touch) {
        move_into_both(s);
        merge(&s->places, 1e-7 * (core->size + core->radius));
    }
    for (int k = 0; k < s->places.count; ++k) {
        out->contacts[k] = s->places.items[k].contact;
        out->contacts[k].point = abut_mesh_site_world(s, s->places.items[k].contact.point);
        out->contacts[k].normal = abut_add(abut_mul(&s->base.frame.linear, out->contacts[k].normal), zero);
    }
    out->contact_count = s->places.count;
    if (s->places.count == 0)
        return;
    const abut_mesh_place *deepest = &s->places.items[0];
    const double half = only_touch ? 0 : 0.5 * deepest->depth;
    out->has_normal = out->has_points = true;
    out->normal =
        only_touch ? abut_add(abut_mul(&s->base.frame.linear, common), zero) : out->contacts[0].normal;
    out->point_a = abut_mesh_site_world(s, abut_madd(deepest->contact.point, half, deepest->contact.normal));
    out->point_b = abut_mesh_site_world(s, abut_madd(deepest->contact.point, -half, deepest->contact.normal));
}
