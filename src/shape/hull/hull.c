/* SPDX-License-Identifier: MIT */
/* Making hulls; see hull.h. Points at the same place become one; the dimension of what is left
 * is found by exact signs, and so is the hull: of a line its two ends, of a plane Andrew's chain
 * (A. M. Andrew, Another efficient algorithm for convex hulls in two dimensions, Information
 * Processing Letters 9, 1979) in a projection along an axis, of space the triangles of
 * hull_grow.c, of which neighbours in one plane are joined to polygons. Doubles only choose what
 * to try first. */
#include "shape/hull/hull.h"

#include "abut/predicates.h"
#include "base/memory.h"
#include "base/sort.h"
#include "math/expansion.h"
#include "math/nearest.h"
#include "math/vec3.h"
#include "shape/hull/hull_build.h"

#include <string.h>

/* More points than this are refused: triangles are counted in 32 bits, four for a point. */
static const size_t most_points = (size_t)1 << 29;
/* With fewer points Qhull is not asked: what it could save is less than it costs. */
static const uint32_t few = 32;

/* What a hull is made from and of: distinct points and, by their numbers, the polygons of its
 * surface. */
typedef struct draft {
    abut_workspace *ws;
    const abut_vec3 *given; /* by the user */
    abut_vec3 *points;      /* maybe times a power of two */
    uint32_t *point_of;     /* the user's number, the smallest at that place */
    uint32_t count;
    int dimension;
    bool ask_qhull;
    uint32_t first[4]; /* dimension + 1 corners of a simplex with an inside */
    uint32_t *face_begin, *corners, face_count;
    uint32_t *vertices, vertex_count; /* ascending */
} draft;

/* ---- distinct points ---- */

static bool before_in_space(void *ctx, const void *pa, const void *pb)
{
    const abut_vec3 *points = *(const abut_vec3 *const *)ctx;
    const uint32_t i = *(const uint32_t *)pa, j = *(const uint32_t *)pb;
    const abut_vec3 a = points[i], b = points[j];
    if (a.x != b.x)
        return a.x < b.x;
    if (a.y != b.y)
        return a.y < b.y;
    return a.z != b.z ? a.z < b.z : i < j;
}

static bool same_place(abut_vec3 a, abut_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool before_number(void *ctx, const void *a, const void *b)
{
    (void)ctx;
    return *(const uint32_t *)a < *(const uint32_t *)b;
}

/* A power of two that brings points of extreme size near 1, where exact signs take less time; 1
 * where that is not needed, or would lose digits to underflow. */
static double moderate(const abut_vec3 *points, uint32_t count)
{
    double largest = 0, smallest = INFINITY;
    for (uint32_t i = 0; i < count; ++i) {
        const double p[3] = { fabs(points[i].x), fabs(points[i].y), fabs(points[i].z) };
        for (int k = 0; k < 3; ++k) {
            largest = p[k] > largest ? p[k] : largest;
            smallest = p[k] > 0 && p[k] < smallest ? p[k] : smallest;
        }
    }
    int exponent;
    (void)frexp(largest, &exponent);
    const bool extreme = exponent > 200 || exponent < -200;
    /* Digits go down to 2^-52 of the smallest, and must stay above 2^-1074. */
    return extreme && exponent > -1000 && smallest / largest > 0x1p-600 ? ldexp(1, -exponent) : 1;
}

/* Keeps one of the points at each place, in the user's order. */
static bool make_distinct(draft *d, const abut_vec3 *points, uint32_t count)
{
    d->given = points;
    d->points = abut_workspace_take(d->ws, count, sizeof *d->points);
    d->point_of = abut_workspace_take(d->ws, count, sizeof *d->point_of);
    if (!d->points || !d->point_of)
        return false;
    for (uint32_t i = 0; i < count; ++i)
        d->point_of[i] = i;
    abut_base_sort(d->point_of, count, sizeof *d->point_of, before_in_space, &points);
    d->count = 1;
    for (uint32_t i = 1; i < count; ++i)
        if (!same_place(points[d->point_of[i]], points[d->point_of[d->count - 1]]))
            d->point_of[d->count++] = d->point_of[i];
    abut_base_sort(d->point_of, d->count, sizeof *d->point_of, before_number, NULL);
    const double scale = moderate(points, count);
    for (uint32_t i = 0; i < d->count; ++i)
        d->points[i] = abut_scale(scale, points[d->point_of[i]]);
    return true;
}

/* ---- dimension ---- */

/* Half of b - a in units of 2^exponent. */
static abut_vec3 half_difference(abut_vec3 a, abut_vec3 b, int exponent)
{
    return abut_v3(ldexp(0.5 * b.x - 0.5 * a.x, -exponent), ldexp(0.5 * b.y - 0.5 * a.y, -exponent),
                   ldexp(0.5 * b.z - 0.5 * a.z, -exponent));
}

static bool raises(const draft *d, uint32_t i)
{
    const abut_vec3 *p = d->points;
    const uint32_t *f = d->first;
    switch (d->dimension) {
    case 0: return i != f[0];
    case 1: return !abut_collinear(p[f[0]], p[f[1]], p[i]);
    default: return abut_orient3d(p[f[0]], p[f[1]], p[f[2]], p[i]) != 0;
    }
}

/* One more corner for the simplex: of the points that raise its dimension one far away, by
 * doubles; any at all where doubles point to none. */
static bool raise(draft *d)
{
    double largest = 0;
    for (uint32_t i = 0; i < d->count; ++i)
        largest = fmax(largest, abut_max_norm(half_difference(d->points[d->first[0]], d->points[i], 0)));
    int exponent;
    (void)frexp(largest, &exponent);
    abut_vec3 a = { 0, 0, 0 }, n = { 0, 0, 0 };
    if (d->dimension >= 1)
        a = abut_unit_or(half_difference(d->points[d->first[0]], d->points[d->first[1]], exponent), a);
    if (d->dimension >= 2)
        n = abut_cross(a, half_difference(d->points[d->first[0]], d->points[d->first[2]], exponent));
    uint32_t best = d->first[0];
    double most = -1;
    for (uint32_t i = 0; i < d->count; ++i) {
        const abut_vec3 p = half_difference(d->points[d->first[0]], d->points[i], exponent);
        const abut_vec3 off = d->dimension == 0 ? p : abut_cross(a, p);
        const double far = d->dimension < 2 ? abut_dot(off, off) : fabs(abut_dot(n, p));
        if (far > most) {
            most = far;
            best = i;
        }
    }
    if (!raises(d, best))
        for (best = 0; best < d->count && !raises(d, best);)
            ++best;
    if (best == d->count)
        return false;
    d->first[++d->dimension] = best;
    return true;
}

/* ---- flat sets ---- */

typedef struct projection {
    const abut_vec3 *points;
    int u, v; /* the coordinates kept */
} projection;

static void project(const projection *to, uint32_t i, double out[2])
{
    const double p[3] = { to->points[i].x, to->points[i].y, to->points[i].z };
    out[0] = p[to->u];
    out[1] = p[to->v];
}

static bool before_in_plane(void *ctx, const void *pa, const void *pb)
{
    double a[2], b[2];
    project((const projection *)ctx, *(const uint32_t *)pa, a);
    project((const projection *)ctx, *(const uint32_t *)pb, b);
    return a[0] != b[0] ? a[0] < b[0] : a[1] < b[1];
}

static int turn(const projection *to, uint32_t i, uint32_t j, uint32_t k)
{
    double a[2], b[2], c[2];
    project(to, i, a);
    project(to, j, b);
    project(to, k, c);
    return abut_orient2d(a, b, c);
}

/* Both sides of the polygon as faces. A plane that is not upright over two axes projects onto
 * them one to one; the three corners of the simplex tell. */
static bool flat_hull(draft *d)
{
    const uint32_t n = d->count;
    uint32_t *order = abut_workspace_take(d->ws, n, sizeof *order);
    uint32_t *chain = abut_workspace_take(d->ws, 2 * (size_t)n + 2, sizeof *chain);
    d->corners = abut_workspace_take(d->ws, 2 * (size_t)n, sizeof *d->corners);
    d->face_begin = abut_workspace_take(d->ws, 3, sizeof *d->face_begin);
    if (!order || !chain || !d->corners || !d->face_begin)
        return false;
    projection to = { d->points, 1, 2 };
    for (int skip = 0; skip < 3; ++skip) {
        to.u = (skip + 1) % 3;
        to.v = (skip + 2) % 3;
        if (turn(&to, d->first[0], d->first[1], d->first[2]) != 0)
            break;
    }
    for (uint32_t i = 0; i < n; ++i)
        order[i] = i;
    abut_base_sort(order, n, sizeof *order, before_in_plane, &to);
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; ++i) { /* below */
        while (count >= 2 && turn(&to, chain[count - 2], chain[count - 1], order[i]) <= 0)
            --count;
        chain[count++] = order[i];
    }
    const uint32_t below = count + 1;
    for (uint32_t i = n - 1; i-- > 0;) { /* above, back to the first */
        while (count >= below && turn(&to, chain[count - 2], chain[count - 1], order[i]) <= 0)
            --count;
        chain[count++] = order[i];
    }
    --count;
    d->face_count = 2;
    for (uint32_t i = 0; i < count; ++i) {
        d->corners[i] = chain[i];
        d->corners[count + i] = chain[count - 1 - i];
    }
    for (uint32_t i = 0; i < 3; ++i)
        d->face_begin[i] = i * count;
    return true;
}

/* ---- solids ---- */

/* All points, those that Qhull takes for vertices first, each part shuffled: in sorted order
 * growing could take quadratic time. */
static uint32_t *make_order(const draft *d)
{
    const uint32_t n = d->count;
    uint32_t *order = abut_workspace_take(d->ws, n, sizeof *order);
    bool *listed = abut_workspace_take(d->ws, n, sizeof *listed);
    if (!order || !listed)
        return NULL;
    memset(listed, 0, n * sizeof *listed);
    const uint32_t proposed = d->ask_qhull ? abut_hull_propose(d->points, n, d->first, d->ws, order) : 0;
    for (uint32_t i = 0; i < proposed; ++i)
        listed[order[i]] = true;
    uint32_t count = proposed;
    for (uint32_t i = 0; i < n; ++i)
        if (!listed[i])
            order[count++] = i;
    uint64_t random = 0x9e3779b97f4a7c15u;
    for (uint32_t i = n; i-- > 1;) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const uint32_t from = i < proposed ? 0 : proposed;
        const uint32_t j = from + (uint32_t)((random >> 32) % (i - from + 1)), swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
    return order;
}

/* Numbers the planes: group[i] is that of triangle i. */
static uint32_t find_planes(const draft *d, const abut_hull_triangle *t, uint32_t count, uint32_t *group,
                            uint32_t *stack)
{
    uint32_t groups = 0;
    memset(group, 0xff, count * sizeof *group);
    for (uint32_t i = 0; i < count; ++i) {
        if (group[i] != ABUT_HULL_NONE)
            continue;
        uint32_t top = 0;
        group[i] = groups;
        stack[top++] = i;
        while (top > 0) {
            const abut_hull_triangle *a = &t[stack[--top]];
            for (int k = 0; k < 3; ++k) {
                const uint32_t other = a->across[k];
                if (group[other] != ABUT_HULL_NONE)
                    continue;
                const uint32_t *v = t[other].v;
                /* the shared edge begins here in the other */
                const uint32_t from = a->v[(k + 1) % 3];
                const uint32_t tip = v[0] == from ? v[2] : v[1] == from ? v[0] : v[1];
                if (abut_coplanar(d->points[a->v[0]], d->points[a->v[1]], d->points[a->v[2]],
                                  d->points[tip])) {
                    group[other] = groups;
                    stack[top++] = other;
                }
            }
        }
        ++groups;
    }
    return groups;
}

/* Walks round the polygon of the plane to which edge k of triangle i belongs; appends those
 * corners where three planes or more meet. */
static void walk_polygon(draft *d, const abut_hull_triangle *t, const uint32_t *group, const uint32_t *planes,
                         uint32_t i, int k, uint32_t *count)
{
    const uint32_t start = i, start_edge = (uint32_t)k;
    do {
        if (planes[t[i].v[k]] >= 3)
            d->corners[(*count)++] = t[i].v[k];
        const uint32_t at = t[i].v[(k + 1) % 3];
        k = (k + 1) % 3;
        while (group[t[i].across[k]] == group[i]) {
            i = t[i].across[k];
            k = t[i].v[0] == at ? 0 : t[i].v[1] == at ? 1 : 2;
        }
    } while (i != start || (uint32_t)k != start_edge);
}

static bool solid_hull(draft *d)
{
    const uint32_t *order = make_order(d);
    uint32_t count = 0;
    const abut_hull_triangle *t =
        order ? abut_hull_grow(d->points, d->count, d->first, order, d->ws, &count) : NULL;
    if (!t)
        return false;
    uint32_t *group = abut_workspace_take(d->ws, count, sizeof *group);
    uint32_t *stack = abut_workspace_take(d->ws, count, sizeof *stack);
    /* that meet in a point */
    uint32_t *planes = abut_workspace_take(d->ws, d->count, sizeof *planes);
    d->corners = abut_workspace_take(d->ws, 3 * (size_t)count, sizeof *d->corners);
    d->face_begin = abut_workspace_take(d->ws, (size_t)count + 1, sizeof *d->face_begin);
    if (!group || !stack || !planes || !d->corners || !d->face_begin)
        return false;
    const uint32_t groups = find_planes(d, t, count, group, stack);
    memset(planes, 0, d->count * sizeof *planes);
    for (uint32_t i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k)
            planes[t[i].v[k]] += group[t[i].across[k]] != group[i];
    uint32_t corners = 0;
    bool *done = (bool *)stack;
    memset(done, 0, groups * sizeof *done);
    for (uint32_t i = 0; i < count; ++i) {
        for (int k = 0; k < 3 && !done[group[i]]; ++k) {
            if (group[t[i].across[k]] == group[i])
                continue;
            done[group[i]] = true;
            d->face_begin[d->face_count++] = corners;
            walk_polygon(d, t, group, planes, i, k, &corners);
        }
    }
    d->face_begin[d->face_count] = corners;
    return true;
}

/* ---- from the draft to the hull ---- */

/* Those points that are corners of a polygon, or the ends of a line, or the only one; *number of
 * each by its number in the draft. */
static bool find_vertices(draft *d, uint32_t **number)
{
    d->vertices = abut_workspace_take(d->ws, d->count, sizeof *d->vertices);
    *number = abut_workspace_take(d->ws, d->count, sizeof **number);
    if (!d->vertices || !*number)
        return false;
    memset(*number, d->dimension >= 2 ? 0 : 1, d->count * sizeof **number);
    if (d->dimension >= 2)
        for (uint32_t i = 0; i < d->face_begin[d->face_count]; ++i)
            (*number)[d->corners[i]] = 1;
    if (d->dimension == 1) {
        uint32_t lo = 0, hi = 0;
        for (uint32_t i = 1; i < d->count; ++i) {
            lo = before_in_space(&d->points, &i, &lo) ? i : lo;
            hi = before_in_space(&d->points, &hi, &i) ? i : hi;
        }
        memset(*number, 0, d->count * sizeof **number);
        (*number)[lo] = (*number)[hi] = 1;
    }
    for (uint32_t i = 0; i < d->count; ++i)
        if ((*number)[i]) {
            (*number)[i] = d->vertex_count;
            d->vertices[d->vertex_count++] = i;
        }
    return true;
}

/* a - o without error, as near + rest, times a power of two of its own that makes it of size 1. */
typedef struct side {
    double near[3], rest[3];
} side;

static side make_side(abut_vec3 o, abut_vec3 a, double scale)
{
    const double from[3] = { scale * o.x, scale * o.y, scale * o.z },
                 to[3] = { scale * a.x, scale * a.y, scale * a.z };
    side s;
    for (int i = 0; i < 3; ++i)
        s.near[i] = abut_two_sum(to[i], -from[i], &s.rest[i]);
    int exponent;
    (void)frexp(fmax(fabs(s.near[0]), fmax(fabs(s.near[1]), fabs(s.near[2]))), &exponent);
    for (int i = 0; i < 3; ++i) {
        s.near[i] = ldexp(s.near[i], -exponent);
        s.rest[i] = ldexp(s.rest[i], -exponent);
    }
    return s;
}

/* a_i b_j - a_j b_i, right to an ulp whatever cancels. */
static double minor_of(const side *a, const side *b, int i, int j)
{
    double e[4][2], left[8], right[8], all[16], scratch[8], sum = 0;
    const int n0 = abut_expansion_sum2(a->near[i], a->rest[i], e[0]),
              n1 = abut_expansion_sum2(b->near[j], b->rest[j], e[1]),
              n2 = abut_expansion_sum2(a->near[j], a->rest[j], e[2]),
              n3 = abut_expansion_sum2(b->near[i], b->rest[i], e[3]);
    const int nl = abut_expansion_product(n0, e[0], n1, e[1], left, scratch);
    const int nr = abut_expansion_product(n2, e[2], n3, e[3], right, scratch);
    abut_expansion_negate(nr, right);
    const int n = abut_expansion_sum(nl, left, nr, right, all);
    for (int k = 0; k < n; ++k)
        sum += all[k];
    return sum;
}

/* Outward unit normal of a polygon: at the corner whose angle is nearest to a right one. */
static abut_vec3 normal_of(const draft *d, const uint32_t *corner, uint32_t count)
{
    double largest = 0, most = -1;
    for (uint32_t i = 0; i < count; ++i)
        largest = fmax(largest, abut_max_norm(d->points[corner[i]]));
    const double scale = largest > 0x1p1000 ? 0.5 : largest < 0x1p-800 ? 0x1p200 : 1;
    side best_a = { { 0 }, { 0 } }, best_b = best_a;
    abut_vec3 n = { 0, 0, 0 };
    for (uint32_t i = 0; i < count; ++i) {
        const abut_vec3 o = d->points[corner[i]];
        const side a = make_side(o, d->points[corner[i + 1 < count ? i + 1 : 0]], scale);
        const side b = make_side(o, d->points[corner[i > 0 ? i - 1 : count - 1]], scale);
        const abut_vec3 c =
            abut_cross(abut_v3(a.near[0], a.near[1], a.near[2]), abut_v3(b.near[0], b.near[1], b.near[2]));
        const double square = abut_dot(c, c); /* of the sine, nearly */
        if (square > most) {
            most = square;
            best_a = a;
            best_b = b;
            n = c;
        }
    }
    if (most < 0.01) /* `near` is right to u, so n is to a few u of 1 */
        n = abut_v3(minor_of(&best_a, &best_b, 1, 2), minor_of(&best_a, &best_b, 2, 0),
                    minor_of(&best_a, &best_b, 0, 1));
    return abut_unit_or(n, abut_v3(0, 0, 1));
}

static bool alloc_hull(abut_hull *hull, const abut_allocator *alloc)
{
    hull->x = abut_base_alloc(alloc, hull->padded_count, sizeof(double));
    hull->y = abut_base_alloc(alloc, hull->padded_count, sizeof(double));
    hull->z = abut_base_alloc(alloc, hull->padded_count, sizeof(double));
    hull->point_of = abut_base_alloc(alloc, hull->padded_count, sizeof(uint32_t));
    hull->link_begin = abut_base_alloc_zero(alloc, (size_t)hull->vertex_count + 1, sizeof(uint32_t));
    hull->links = abut_base_alloc(alloc, 2 * (size_t)hull->edge_count, sizeof(uint32_t));
    hull->edge_begin = abut_base_alloc(alloc, hull->vertex_count, sizeof(uint32_t));
    hull->link_face = abut_base_alloc_zero(alloc, 2 * (size_t)hull->edge_count, sizeof(uint32_t));
    hull->face_normal = abut_base_alloc(alloc, hull->face_count, sizeof(abut_vec3));
    hull->face_begin = abut_base_alloc_zero(alloc, (size_t)hull->face_count + 1, sizeof(uint32_t));
    hull->face_corners = abut_base_alloc(alloc, 2 * (size_t)hull->edge_count, sizeof(uint32_t));
    const size_t scan_bytes = abut_hull_scan_bytes(hull);
    if (scan_bytes > 0) {
        hull->scan_block = abut_base_alloc(alloc, scan_bytes, 1);
        if (!hull->scan_block)
            return false;
    }
    return hull->x && hull->y && hull->z && hull->point_of && hull->link_begin && hull->links &&
           hull->edge_begin && hull->link_face && hull->face_normal && hull->face_begin && hull->face_corners;
}

/* Each edge is in two polygons, once each way: the edges from a vertex are those of its polygons
 * that begin there. */
static void fill_links(abut_hull *hull)
{
    uint32_t *begin = hull->link_begin;
    if (hull->dimension == 1) {
        hull->links[0] = 1;
        hull->links[1] = 0;
        begin[1] = 1;
        begin[2] = 2;
        return;
    }
    const uint32_t corners = hull->face_begin[hull->face_count];
    for (uint32_t i = 0; i < corners; ++i)
        ++begin[hull->face_corners[i] + 1];
    for (uint32_t i = 0; i < hull->vertex_count; ++i)
        begin[i + 1] += begin[i];
    for (uint32_t f = 0; f < hull->face_count; ++f) {
        const uint32_t from = hull->face_begin[f], to = hull->face_begin[f + 1];
        for (uint32_t i = from; i < to; ++i) {
            const uint32_t link = begin[hull->face_corners[i]]++;
            hull->links[link] = hull->face_corners[i + 1 < to ? i + 1 : from];
            hull->link_face[link] = f;
        }
    }
    /* each had moved on to the next one's */
    memmove(begin + 1, begin, hull->vertex_count * sizeof *begin);
    begin[0] = 0;
}

static void count_edges(abut_hull *hull)
{
    uint32_t edges = 0;
    for (uint32_t v = 0; v < hull->vertex_count; ++v) {
        hull->edge_begin[v] = edges;
        for (uint32_t k = hull->link_begin[v]; k < hull->link_begin[v + 1]; ++k)
            edges += hull->links[k] > v;
    }
}

static abut_hull *finish(draft *d, const abut_allocator *alloc)
{
    uint32_t *number;
    if (!find_vertices(d, &number))
        return NULL;
    abut_hull *hull = abut_base_alloc(alloc, 1, sizeof *hull);
    if (!hull)
        return NULL;
    const uint32_t corners = d->dimension >= 2 ? d->face_begin[d->face_count] : 0;
    *hull = (abut_hull){ .dimension = d->dimension,
                         .vertex_count = d->vertex_count,
                         .padded_count = (d->vertex_count + 7) / 8 * 8,
                         .face_count = d->face_count,
                         .edge_count = d->dimension == 1 ? 1 : corners / 2 };
    if (!alloc_hull(hull, alloc)) {
        abut_hull_destroy(hull, alloc);
        return NULL;
    }
    for (uint32_t i = 0; i < hull->padded_count; ++i) {
        const uint32_t j = d->vertices[i < d->vertex_count ? i : 0];
        const abut_vec3 p = d->given[d->point_of[j]];
        hull->x[i] = p.x;
        hull->y[i] = p.y;
        hull->z[i] = p.z;
        hull->point_of[i] = d->point_of[j];
        hull->size = fmax(hull->size, abut_length(p) * (1 + 0x1p-48));
    }
    for (uint32_t i = 0; i < corners; ++i)
        hull->face_corners[i] = number[d->corners[i]];
    for (uint32_t f = 0; f < d->face_count; ++f) {
        const uint32_t begin = d->face_begin[f], end = d->face_begin[f + 1];
        hull->face_begin[f + 1] = end;
        hull->face_normal[f] = normal_of(d, d->corners + begin, end - begin);
    }
    fill_links(hull);
    count_edges(hull);
    if (hull->scan_block)
        abut_hull_set_floats(hull);
    return hull;
}

/* convex_position: all points are known to be vertices. */
static ABUT_MATH_NOINLINE abut_hull *build(abut_workspace *ws, const abut_vec3 *points, uint32_t count,
                                           bool convex_position, const abut_allocator *alloc)
{
    draft d = { .ws = ws, .ask_qhull = !convex_position && count > few };
    if (!make_distinct(&d, points, count))
        return NULL;
    while (d.dimension < 3 && raise(&d))
        ;
    if (d.dimension == 2 && !flat_hull(&d))
        return NULL;
    if (d.dimension == 3 && !solid_hull(&d))
        return NULL;
    return finish(&d, alloc);
}

/* The hull of a random sample of the vertices; its point_of are numbers of vertices. */
static abut_hull *thin_out(abut_workspace *ws, const abut_hull *hull, const abut_allocator *alloc)
{
    abut_vec3 *sample = abut_workspace_take(ws, hull->vertex_count, sizeof *sample);
    uint32_t *from = abut_workspace_take(ws, hull->vertex_count, sizeof *from), count = 0;
    if (!sample || !from)
        return NULL;
    for (uint32_t i = 0; i < hull->vertex_count; ++i) {
        uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u; /* splitmix64 */
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        if (i == 0 || (z ^ (z >> 31)) % ABUT_HULL_THINNING == 0) {
            sample[count] = abut_hull_vertex(hull, i);
            from[count++] = i;
        }
    }
    abut_hull *coarser = build(ws, sample, count, true, alloc);
    for (uint32_t i = 0; coarser && i < coarser->padded_count; ++i)
        coarser->point_of[i] = from[coarser->point_of[i]];
    return coarser;
}

abut_hull *abut_hull_create(const abut_vec3 *points, size_t count, const abut_allocator *alloc,
                            abut_status *status, abut_error *error)
{
    if (count > most_points) {
        *status = abut_base_fail(error, ABUT_ERR_LIMIT, -1,
                                 "%zu points are more than the %zu allowed for a hull", count, most_points);
        return NULL;
    }
    abut_workspace ws;
    abut_workspace_open(&ws, alloc);
    const abut_nearest saved = abut_nearest_enter();
    abut_hull *hull = build(&ws, points, (uint32_t)count, false, alloc), *level = hull;
    for (int i = 0; level && level->vertex_count >= ABUT_HULL_MANY && i < ABUT_HULL_LEVELS; ++i) {
        level->coarser = thin_out(&ws, level, alloc);
        level = level->coarser;
        if (!level) {
            abut_hull_destroy(hull, alloc);
            hull = NULL;
        }
    }
    abut_nearest_leave(saved);
    abut_workspace_close(&ws);
    *status = hull ? ABUT_OK : abut_base_fail_memory(error);
    return hull;
}

static void destroy_level(abut_hull *hull, const abut_allocator *alloc)
{
    abut_base_free(alloc, hull->x, hull->padded_count, sizeof(double));
    abut_base_free(alloc, hull->y, hull->padded_count, sizeof(double));
    abut_base_free(alloc, hull->z, hull->padded_count, sizeof(double));
    if (hull->scan_block)
        abut_base_free(alloc, hull->scan_block, abut_hull_scan_bytes(hull), 1);
    abut_base_free(alloc, hull->point_of, hull->padded_count, sizeof(uint32_t));
    abut_base_free(alloc, hull->link_begin, (size_t)hull->vertex_count + 1, sizeof(uint32_t));
    abut_base_free(alloc, hull->links, 2 * (size_t)hull->edge_count, sizeof(uint32_t));
    abut_base_free(alloc, hull->edge_begin, hull->vertex_count, sizeof(uint32_t));
    abut_base_free(alloc, hull->link_face, 2 * (size_t)hull->edge_count, sizeof(uint32_t));
    abut_base_free(alloc, hull->face_normal, hull->face_count, sizeof(abut_vec3));
    abut_base_free(alloc, hull->face_begin, (size_t)hull->face_count + 1, sizeof(uint32_t));
    abut_base_free(alloc, hull->face_corners, 2 * (size_t)hull->edge_count, sizeof(uint32_t));
    abut_base_free(alloc, hull, 1, sizeof *hull);
}

void abut_hull_destroy(abut_hull *hull, const abut_allocator *alloc)
{
    while (hull) {
        abut_hull *coarser = hull->coarser;
        destroy_level(hull, alloc);
        hull = coarser;
    }
}

int64_t abut_hull_edge(const abut_hull *hull, uint32_t i, uint32_t j)
{
    const uint32_t lo = i < j ? i : j, hi = i < j ? j : i;
    int64_t number = hull->edge_begin ? hull->edge_begin[lo] : 0;
    for (uint32_t v = hull->edge_begin ? lo : 0; v <= lo; ++v)
        for (uint32_t k = hull->link_begin[v]; k < hull->link_begin[v + 1]; ++k) {
            if (v == lo && hull->links[k] == hi)
                return number;
            number += hull->links[k] > v;
        }
    return -1;
}
