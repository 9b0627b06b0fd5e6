/* SPDX-License-Identifier: MIT */
/* The hull of points in space, one point after another, by exact signs.
 *
 * Each point still to come waits at one triangle that it sees (it is on the outer side of its
 * plane); a point that sees none is in the hull of those added so far, and is forgotten. Adding a
 * point removes the triangles it sees and joins it to the rim of the hole; the points that waited
 * at removed triangles search for a new one. In shuffled order this takes O(n log n) steps on
 * average: K. L. Clarkson and P. W. Shor, Applications of random sampling in computational geometry
 * II, Discrete & Computational Geometry 4 (1989).
 *
 * To see is strict, by abut_orient3d, so no rounding enters and there is no tolerance. Points on
 * the plane of a triangle need no special case:
 * - A point outside the hull sees a triangle strictly, though it may lie in the planes of others.
 * - Seen from the point, the triangles seen map one to one onto the hull's shadow, which is convex;
 *   of a polygon seen edge-on its near side belongs to the rim, since the triangles before that are
 *   seen. So the hole is a disc with a simple rim.
 * - A new triangle has an area: were the point on the line of a rim edge, it would be in the plane
 *   of the removed triangle there, and not see it.
 *
 * A point that waited at a removed triangle examines the new ones only. Let it be outside the
 * new hull. Either all triangles it saw were removed; then what it sees is new. Or it saw some
 * that stay; then, as what it saw hangs together, it saw both sides of some rim edge e, the
 * removed one F and the staying one G. In the plane across e let G lie at angle 0 and F at f <
 * pi; the added point is at an angle in (f, pi], the waiting one in (pi, pi + f): outside the
 * new triangle over e. */
#include "abut/predicates.h"
#include "shape/hull/hull_build.h"

typedef struct work_triangle {
    abut_hull_triangle t;
    uint32_t waiting; /* first of the points that see it */
    uint32_t mark;    /* number of the last point it was examined for; 0 when removed */
    bool seen;
} work_triangle;

typedef struct work {
    const abut_vec3 *points;
    work_triangle *triangles;
    uint32_t *free_list, free_count; /* of numbers of triangles */
    /* of a point: the next one waiting with it; the triangle it waits at */
    uint32_t *next, *seat;
    uint32_t *hole, hole_count; /* triangles seen */
    uint32_t *rim, rim_count;   /* new triangles */
    uint32_t *from;             /* of a rim point: the new triangle whose edge begins there */
    uint32_t stamp;
} work;

static bool sees(const work *w, uint32_t triangle, uint32_t point)
{
    const uint32_t *v = w->triangles[triangle].t.v;
    return abut_orient3d(w->points[v[0]], w->points[v[1]], w->points[v[2]], w->points[point]) < 0;
}

static void seat(work *w, uint32_t point, const uint32_t *among, uint32_t count)
{
    w->seat[point] = ABUT_HULL_NONE;
    for (uint32_t i = 0; i < count; ++i) {
        if (!sees(w, among[i], point))
            continue;
        w->seat[point] = among[i];
        w->next[point] = w->triangles[among[i]].waiting;
        w->triangles[among[i]].waiting = point;
        return;
    }
}

static uint32_t new_triangle(work *w, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t i = w->free_list[--w->free_count];
    w->triangles[i] =
        (work_triangle){ .t = { .v = { a, b, c } }, .waiting = ABUT_HULL_NONE, .mark = w->stamp };
    return i;
}

static int edge_from(const abut_hull_triangle *t, uint32_t v)
{
    return t->v[0] == v ? 0 : t->v[1] == v ? 1 : 2;
}

/* Fills w->hole with the triangles that the point sees, which hang together. */
static void find_hole(work *w, uint32_t point)
{
    ++w->stamp;
    const uint32_t start = w->seat[point];
    w->triangles[start].mark = w->stamp;
    w->triangles[start].seen = true;
    w->hole[0] = start;
    w->hole_count = 1;
    for (uint32_t i = 0; i < w->hole_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            const uint32_t other = w->triangles[w->hole[i]].t.across[k];
            if (w->triangles[other].mark == w->stamp)
                continue;
            w->triangles[other].mark = w->stamp;
            w->triangles[other].seen = sees(w, other, point);
            if (w->triangles[other].seen)
                w->hole[w->hole_count++] = other;
        }
    }
}

/* New triangles from the rim to the point; those of the hole go. */
static void close_hole(work *w, uint32_t point)
{
    w->rim_count = 0;
    for (uint32_t i = 0; i < w->hole_count; ++i) {
        const abut_hull_triangle t = w->triangles[w->hole[i]].t;
        for (int k = 0; k < 3; ++k) {
            const uint32_t other = t.across[k];
            if (w->triangles[other].seen && w->triangles[other].mark == w->stamp)
                continue;
            const uint32_t a = t.v[k], b = t.v[(k + 1) % 3], fresh = new_triangle(w, a, b, point);
            w->triangles[fresh].t.across[0] = other;
            w->triangles[other].t.across[edge_from(&w->triangles[other].t, b)] = fresh;
            w->from[a] = fresh;
            w->rim[w->rim_count++] = fresh;
        }
    }
    for (uint32_t i = 0; i < w->rim_count; ++i) {
        const uint32_t after = w->from[w->triangles[w->rim[i]].t.v[1]];
        w->triangles[w->rim[i]].t.across[1] = after;
        w->triangles[after].t.across[2] = w->rim[i];
    }
}

static void add(work *w, uint32_t point)
{
    find_hole(w, point);
    close_hole(w, point);
    w->seat[point] = ABUT_HULL_NONE;
    for (uint32_t i = 0; i < w->hole_count; ++i) {
        uint32_t waiting = w->triangles[w->hole[i]].waiting;
        while (waiting != ABUT_HULL_NONE) {
            const uint32_t next = w->next[waiting];
            if (waiting != point)
                seat(w, waiting, w->rim, w->rim_count);
            waiting = next;
        }
        w->triangles[w->hole[i]].mark = 0;
        w->free_list[w->free_count++] = w->hole[i];
    }
}

static void begin(work *w, uint32_t count, const uint32_t first[4])
{
    static const int corner[4][3] = { { 0, 1, 2 }, { 0, 3, 1 }, { 0, 2, 3 }, { 1, 3, 2 } };
    static const int across[4][3] = { { 1, 3, 2 }, { 2, 3, 0 }, { 0, 3, 1 }, { 1, 2, 0 } };
    uint32_t v[4] = { first[0], first[1], first[2], first[3] };
    if (abut_orient3d(w->points[v[0]], w->points[v[1]], w->points[v[2]], w->points[v[3]]) < 0) {
        v[0] = first[1];
        v[1] = first[0];
    }
    uint32_t all[4];
    w->stamp = 1;
    for (int i = 0; i < 4; ++i)
        all[i] = new_triangle(w, v[corner[i][0]], v[corner[i][1]], v[corner[i][2]]);
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3; ++k)
            w->triangles[all[i]].t.across[k] = all[across[i][k]];
    for (uint32_t p = 0; p < count; ++p)
        if (p == v[0] || p == v[1] || p == v[2] || p == v[3])
            w->seat[p] = ABUT_HULL_NONE;
        else
            seat(w, p, all, 4);
}

abut_hull_triangle *abut_hull_grow(const abut_vec3 *points, uint32_t count, const uint32_t first[4],
                                   const uint32_t *order, abut_workspace *ws, uint32_t *triangle_count)
{
    /* A closed surface on n points has at most 2n - 4 triangles; while a hole is closed the old
     * ones are still there. */
    const uint32_t capacity = 4 * count;
    work w = { .points = points, .stamp = 0 };
    abut_hull_triangle *out = abut_workspace_take(ws, capacity, sizeof *out);
    w.triangles = abut_workspace_take(ws, capacity, sizeof *w.triangles);
    w.free_list = abut_workspace_take(ws, capacity, sizeof *w.free_list);
    w.hole = abut_workspace_take(ws, capacity, sizeof *w.hole);
    w.rim = abut_workspace_take(ws, capacity, sizeof *w.rim);
    w.next = abut_workspace_take(ws, count, sizeof *w.next);
    w.seat = abut_workspace_take(ws, count, sizeof *w.seat);
    w.from = abut_workspace_take(ws, count, sizeof *w.from);
    if (!out || !w.triangles || !w.free_list || !w.hole || !w.rim || !w.next || !w.seat || !w.from)
        return NULL;
    for (uint32_t i = 0; i < capacity; ++i) {
        w.free_list[i] = capacity - 1 - i;
        w.triangles[i].mark = 0;
    }
    w.free_count = capacity;
    begin(&w, count, first);
    for (uint32_t i = 0; i < count; ++i)
        if (w.seat[order[i]] != ABUT_HULL_NONE)
            add(&w, order[i]);

    uint32_t kept = 0; /* numbers without gaps */
    for (uint32_t i = 0; i < capacity; ++i)
        if (w.triangles[i].mark != 0)
            w.hole[i] = kept++;
    for (uint32_t i = 0; i < capacity; ++i) {
        if (w.triangles[i].mark == 0)
            continue;
        abut_hull_triangle *t = &out[w.hole[i]];
        *t = w.triangles[i].t;
        for (int k = 0; k < 3; ++k)
            t->across[k] = w.hole[t->across[k]];
    }
    *triangle_count = kept;
    return out;
}
