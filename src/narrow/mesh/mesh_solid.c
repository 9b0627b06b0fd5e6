/* SPDX-License-Identifier: MIT */
/* Where a point lies against a mesh, decided exactly by signs of orientations.
 *
 * On the surface: the point is in the plane of a triangle, and inside its picture in a
 * coordinate plane that does not squash it. Inside: a ray along an axis, to where the mesh ends
 * soonest, is counted through the triangles with signs. A triangle counts as often as its
 * border, seen along the axis, goes round the point; each edge contributes by the half-open rule
 * of a second ray in that picture, and the same but for its sign when run through the other way.
 * So what two triangles share cancels wherever the ray passes, and no case is special: edges,
 * corners, triangles seen edge-on, degenerate ones. */
#include "abut/predicates.h"
#include "math/vec3.h"
#include "narrow/mesh/mesh.h"

double abut_mesh_size(const abut_shape *mesh)
{
    const abut_vec3 far = { fmax(fabs(mesh->bounds.lo.x), fabs(mesh->bounds.hi.x)),
                            fmax(fabs(mesh->bounds.lo.y), fabs(mesh->bounds.hi.y)),
                            fmax(fabs(mesh->bounds.lo.z), fabs(mesh->bounds.hi.z)) };
    return (1 + 0x1p-48) * abut_length(far);
}

/* The two coordinates that are left when `axis` is dropped, in cyclic order. */
static void drop(abut_vec3 v, int axis, double out[2])
{
    out[0] = axis == 0 ? v.y : axis == 1 ? v.z : v.x;
    out[1] = axis == 0 ? v.z : axis == 1 ? v.x : v.y;
}

static bool same(abut_vec3 p, abut_vec3 q)
{
    return p.x == q.x && p.y == q.y && p.z == q.z;
}

static bool between(double x, double p, double q)
{
    return (p <= x && x <= q) || (q <= x && x <= p);
}

/* Is p on the closed segment? */
static bool on_segment(abut_vec3 p, abut_vec3 from, abut_vec3 to)
{
    return between(p.x, from.x, to.x) && between(p.y, from.y, to.y) && between(p.z, from.z, to.z) &&
           abut_collinear(from, to, p);
}

int abut_mesh_part_at(const abut_vec3 t[3], abut_vec3 p)
{
    for (int k = 0; k < 3; ++k)
        if (same(p, t[k]))
            return k;
    if (abut_orient3d(t[0], t[1], t[2], p) != 0)
        return -1;
    for (int k = 0; k < 3; ++k)
        if (!same(t[k], t[(k + 1) % 3]) && on_segment(p, t[k], t[(k + 1) % 3]))
            return 3 + k;
    double q[2], c[3][2];
    for (int axis = 0; axis < 3; ++axis) {
        for (int k = 0; k < 3; ++k)
            drop(t[k], axis, c[k]);
        const int turn = abut_orient2d(c[0], c[1], c[2]);
        if (turn == 0)
            continue;
        drop(p, axis, q);
        for (int k = 0; k < 3; ++k)
            if (abut_orient2d(c[k], c[(k + 1) % 3], q) != turn)
                return -1;
        return 6;
    }
    return -1; /* a degenerate triangle has no inside */
}

/* ---- walks with one box ---- */

static const abut_bv_relative in_place = { .r = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } };

static void walk_box(const abut_shape *mesh, abut_vec3 centre, abut_vec3 half, double error,
                     abut_mesh_counters *counters, abut_bvh_pairs_fn leaf, void *ctx)
{
    abut_bv_relative relative = in_place;
    relative.error = error;
    const abut_bvh_walk walk = { .a = { .tree = mesh->u.faceted.tree },
                                 .b = { .box = { centre, half, in_place.r } },
                                 .b_in_a = &relative,
                                 .counters = counters };
    (void)abut_bvh_overlap(&walk, 0, leaf, ctx); /* only fronts take memory */
}

/* ---- on the surface ---- */

typedef struct spot_search {
    const abut_faceted_data *mesh;
    abut_vec3 p;
    abut_mesh_counters *counters;
    abut_mesh_spot *out;
} spot_search;

static int64_t part_id(const abut_faceted_data *mesh, uint32_t face, int part)
{
    const uint32_t *corner = mesh->corners + 3 * (size_t)face;
    if (part == 6)
        return face;
    if (part < 3)
        return abut_mesh_welded(mesh, corner[part]);
    return mesh->solid ? abut_edge_find(mesh, abut_mesh_welded(mesh, corner[part - 3]),
                                        abut_mesh_welded(mesh, corner[(part - 2) % 3]))
                       : -1;
}

static const abut_where part_where[3] = { ABUT_WHERE_VERTEX, ABUT_WHERE_EDGE, ABUT_WHERE_FACE };

/* Vertex before edge before face, then the smallest face: the same whatever the order of the
 * walk. */
static bool spot_better(int kind, uint32_t face, const abut_mesh_spot *than)
{
    for (int k = 0; k < 3; ++k)
        if (part_where[k] == than->where)
            return kind < k || (kind == k && (int64_t)face < than->face);
    return true;
}

static bool search_spot(void *ctx, const abut_bvh_pair *pairs, size_t count)
{
    spot_search *search = ctx;
    search->counters->triangle_tests += count;
    for (size_t i = 0; i < count; ++i) {
        abut_vec3 t[3];
        abut_mesh_corners(search->mesh, pairs[i].a, t);
        const int part = abut_mesh_part_at(t, search->p);
        if (part < 0)
            continue;
        const int kind = part / 3;
        if (spot_better(kind, pairs[i].a, search->out))
            *search->out = (abut_mesh_spot){ .where = part_where[kind],
                                             .id = part_id(search->mesh, pairs[i].a, part),
                                             .face = pairs[i].a,
                                             .part = part % 3 };
    }
    return true;
}

/* ---- inside ---- */

typedef struct ray_count {
    const abut_faceted_data *mesh;
    abut_vec3 p;
    int axis, sense; /* of the ray: -1 down the axis, +1 up */
    abut_mesh_counters *counters;
    int winding;
} ray_count;

/* How often the border of the triangle goes round q in the picture along the axis. */
static int go_round(const abut_vec3 t[3], const double q[2], int axis)
{
    int around = 0;
    for (int k = 0; k < 3; ++k) {
        double u[2], v[2];
        drop(t[k], axis, u);
        drop(t[(k + 1) % 3], axis, v);
        if ((u[1] <= q[1]) == (v[1] <= q[1]))
            continue;
        const bool up = u[1] <= q[1];
        /* the half line from q to the right crosses the edge where q is on its left, taken
         * upward; on the edge itself it does not */
        if ((up ? abut_orient2d(u, v, q) : abut_orient2d(v, u, q)) > 0)
            around += up ? 1 : -1;
    }
    return around;
}

static bool count_ray(void *ctx, const abut_bvh_pair *pairs, size_t count)
{
    ray_count *ray = ctx;
    double q[2];
    drop(ray->p, ray->axis, q);
    ray->counters->triangle_tests += count;
    for (size_t i = 0; i < count; ++i) {
        abut_vec3 t[3];
        abut_mesh_corners(ray->mesh, pairs[i].a, t);
        const int around = go_round(t, q, ray->axis);
        if (around == 0)
            continue;
        /* Its normal has the sign of `around` along the axis; orient3d is +1 for points below
         * (behind) the plane. The ray meets it where the point is on the side that examines it. */
        const int behind = abut_orient3d(t[0], t[1], t[2], ray->p);
        if (behind == around * ray->sense)
            ray->winding += around * ray->sense;
    }
    return true;
}

/* The end of the box that is nearest to p along an axis. */
static void choose_ray(const abut_aabb *box, ray_count *ray)
{
    double least = INFINITY;
    ray->sense = 1;
    for (int axis = 0; axis < 3; ++axis) {
        const double at = abut_part3(ray->p, axis);
        const double below = at - abut_part3(box->lo, axis), above = abut_part3(box->hi, axis) - at;
        if (fmin(below, above) < least) {
            least = fmin(below, above);
            ray->axis = axis;
            ray->sense = below < above ? -1 : 1;
        }
    }
}

static bool in_box(const abut_aabb *box, abut_vec3 p)
{
    return p.x >= box->lo.x && p.x <= box->hi.x && p.y >= box->lo.y && p.y <= box->hi.y && p.z >= box->lo.z &&
           p.z <= box->hi.z;
}

int abut_mesh_winding(const abut_shape *mesh, abut_vec3 p, abut_mesh_counters *counters)
{
    if (!in_box(&mesh->bounds, p))
        return 0;
    ray_count ray = { .mesh = &mesh->u.faceted, .p = p, .counters = counters };
    choose_ray(&mesh->bounds, &ray);
    /* From p to the end of the box: its middle and half its length are off by two roundings
     * each, less than 2^-51 of the larger end. */
    const double at = abut_part3(p, ray.axis),
                 end = abut_part3(ray.sense > 0 ? mesh->bounds.hi : mesh->bounds.lo, ray.axis);
    const double middle = 0.5 * at + 0.5 * end, length = fabs(0.5 * end - 0.5 * at);
    const abut_vec3 half = { ray.axis == 0 ? length : 0, ray.axis == 1 ? length : 0,
                             ray.axis == 2 ? length : 0 };
    const abut_vec3 centre = { ray.axis == 0 ? middle : p.x, ray.axis == 1 ? middle : p.y,
                               ray.axis == 2 ? middle : p.z };
    walk_box(mesh, centre, half, 0x1p-50 * fmax(fabs(at), fabs(end)) + 0x1p-1060, counters, count_ray, &ray);
    return ray.winding;
}

void abut_mesh_where(const abut_shape *mesh, abut_vec3 p, abut_mesh_counters *counters, abut_mesh_spot *out)
{
    *out = (abut_mesh_spot){ .where = ABUT_WHERE_OUT, .id = -1, .face = -1, .part = -1 };
    if (!in_box(&mesh->bounds, p))
        return;
    const abut_vec3 none = { 0, 0, 0 };
    spot_search search = { &mesh->u.faceted, p, counters, out };
    walk_box(mesh, p, none, 0, counters, search_spot, &search);
    if (out->where != ABUT_WHERE_OUT || !mesh->u.faceted.solid)
        return;
    out->winding = abut_mesh_winding(mesh, p, counters);
    if (out->winding > 0)
        out->where = ABUT_WHERE_IN;
}
