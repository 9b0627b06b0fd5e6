/* SPDX-License-Identifier: MIT */
/* The hull of a point set: vertices, their neighbours, faces, and three searches for the vertex
 * furthest along a direction.
 *
 * The body is the hull of all the points the user gave, exactly: dimension, vertices, edges and
 * polygons are decided by exact signs, whatever the sizes. So the largest d . v over the
 * vertices is the support value, and a vertex none of whose neighbours is further along d is
 * furthest of all. */
#ifndef ABUT_SHAPE_HULL_HULL_H
#define ABUT_SHAPE_HULL_HULL_H

#include "abut/shape.h"
#include "base/error.h"

/* A hierarchy begins at `ABUT_HULL_MANY` vertices; each level keeps one vertex in
 * ABUT_HULL_THINNING. */
enum { ABUT_HULL_MANY = 512, ABUT_HULL_THINNING = 8, ABUT_HULL_LEVELS = 8 };

/* Up to this many vertices are kept as floats, too, in blocks that are examined together. */
enum { ABUT_HULL_FLOATS = 512, ABUT_HULL_BLOCK = 32 };

typedef struct abut_hull {
    int dimension; /* 0: a point, 1: a segment, 2: a flat polygon, 3: a solid */
    uint32_t vertex_count;
    uint32_t padded_count; /* of x, y, z: a multiple of 8, the rest repeats vertex 0 */
    double *x, *y, *z;     /* coordinates as given */
    /* the user's index of each vertex, ascending: the smallest of those at the same place */
    uint32_t *point_of;
    /* neighbours of vertex i: links[link_begin[i]] … links[link_begin[i + 1] - 1] */
    uint32_t *link_begin;
    uint32_t *links; /* along the edges of the hull */
    /* how many edges have their lower end below vertex i; NULL: not counted */
    uint32_t *edge_begin;
    /* the face to the left of each link, seen from outside; NULL: not known, or there are no
     * faces */
    uint32_t *link_face;
    /* dimension 3: coplanar triangles are one polygon; dimension 2: the two sides; else 0 */
    uint32_t face_count;
    abut_vec3 *face_normal;              /* unit, outward, rounded */
    uint32_t *face_begin, *face_corners; /* counter-clockwise from outside */
    uint32_t edge_count;
    /* the hull of a sample of the vertices, for large ones: its point_of are vertices of this */
    struct abut_hull *coarser;
    double size; /* no point is further from the origin of the frame; rounded up */
    /* times the power of two that makes size 1/2 to 1, in the order of hull_support.c; NULL:
     * none */
    float *floats;
    /* where there are floats: x, y, z, 0 of each vertex in 32 bytes of one line of the cache */
    double *rows;
    void *scan_block; /* what floats and rows are in; NULL: none */
} abut_hull;

/* NULL and the error when memory is out or the points are too many. The points are finite and at
 * least one. */
abut_hull *abut_hull_create(const abut_vec3 *points, size_t count, const abut_allocator *alloc,
                            abut_status *status, abut_error *error);
void abut_hull_destroy(abut_hull *hull, const abut_allocator *alloc);

/* hull_support.c: how many bytes for floats and rows this processor has use for, wherever the
 * block begins; and fills them in. */
size_t abut_hull_scan_bytes(const abut_hull *hull);
void abut_hull_set_floats(abut_hull *hull);

/* The searches get the direction in registers: passed in memory, a vector written by halves and
 * read as a whole stalls for longer than a search takes. */
uint32_t abut_hull_support_xyz(const abut_hull *hull, double x, double y, double z, uint32_t start);
uint32_t abut_hull_scan_xyz(const abut_hull *hull, double x, double y, double z);
uint64_t abut_hull_scan_blocks(const abut_hull *a, double ax, double ay, double az, const abut_hull *b,
                               double bx, double by, double bz);
uint32_t abut_hull_climb_xyz(const abut_hull *hull, double x, double y, double z, uint32_t start);
uint32_t abut_hull_descend_xyz(const abut_hull *hull, double x, double y, double z);
double abut_hull_support_bound_xyz(const abut_hull *hull, double x, double y, double z, uint32_t start);
double abut_hull_found_bound_xyz(const abut_hull *hull, double x, double y, double z, uint32_t found);

/* abut_hull_support examines all vertices: what it gives has the largest of all computed d . v. */
static inline bool abut_hull_is_scanned(const abut_hull *hull)
{
    return hull->vertex_count <= 320;
}

/* Scans of two hulls, each along a direction of its own: the vertex of a, and of b times 2^32. */
static inline uint64_t abut_hull_scan_two(const abut_hull *a, double ax, double ay, double az,
                                          const abut_hull *b, double bx, double by, double bz)
{
    if (a->floats && b->floats && a->vertex_count <= ABUT_HULL_BLOCK && b->vertex_count <= ABUT_HULL_BLOCK)
        return abut_hull_scan_blocks(a, ax, ay, az, b, bx, by, bz);
    return abut_hull_scan_xyz(a, ax, ay, az) | (uint64_t)abut_hull_scan_xyz(b, bx, by, bz) << 32;
}

static inline abut_vec3 abut_hull_vertex(const abut_hull *hull, uint32_t i)
{
    if (hull->rows) {
        const double *row = hull->rows + 4 * (size_t)i;
        return (abut_vec3){ row[0], row[1], row[2] };
    }
    return (abut_vec3){ hull->x[i], hull->y[i], hull->z[i] };
}

/* Asks for what says which faces are at a vertex; and, when that has come, for the faces, which
 * are thought to be examined soon: without waiting for them. */
static inline void abut_hull_prefetch_links(const abut_hull *hull, uint32_t vertex)
{
    __builtin_prefetch(&hull->link_begin[vertex]);
}

static inline void abut_hull_prefetch_fan(const abut_hull *hull, uint32_t vertex)
{
    if (hull->link_face)
        __builtin_prefetch(&hull->link_face[hull->link_begin[vertex]]);
}

static inline void abut_hull_prefetch_faces(const abut_hull *hull, uint32_t vertex)
{
    enum { SOME = 6 };
    if (!hull->link_face)
        return;
    const uint32_t begin = hull->link_begin[vertex], end = hull->link_begin[vertex + 1];
    for (uint32_t i = begin; i < end && i < begin + SOME; ++i) {
        const uint32_t face = hull->link_face[i];
        __builtin_prefetch(&hull->face_normal[face]);
        __builtin_prefetch(&hull->face_begin[face]);
    }
}

/* A vertex furthest along d, to rounding: the search that is fastest for the size. `start`:
 * where to begin to climb, any number (taken modulo the count). */
static inline uint32_t abut_hull_support(const abut_hull *hull, abut_vec3 d, uint32_t start)
{
    return abut_hull_support_xyz(hull, d.x, d.y, d.z, start);
}

/* The three searches by name; all give the same value d . v, to rounding. */
static inline uint32_t abut_hull_scan(const abut_hull *hull, abut_vec3 d)
{
    return abut_hull_scan_xyz(hull, d.x, d.y, d.z);
}

static inline uint32_t abut_hull_climb(const abut_hull *hull, abut_vec3 d, uint32_t start)
{
    return abut_hull_climb_xyz(hull, d.x, d.y, d.z, start);
}

static inline uint32_t abut_hull_descend(const abut_hull *hull, abut_vec3 d)
{
    return abut_hull_descend_xyz(hull, d.x, d.y, d.z);
}

/* Certified: max d . x over the body is at most this, and it exceeds the largest value by no
 * more than 10u |d| size. `start`: a vertex thought to be furthest. Rounding to nearest. */
static inline double abut_hull_support_bound(const abut_hull *hull, abut_vec3 d, uint32_t start)
{
    return abut_hull_support_bound_xyz(hull, d.x, d.y, d.z, start);
}

/* The same, `found` being what abut_hull_support gave for this very d. */
static inline double abut_hull_found_bound(const abut_hull *hull, abut_vec3 d, uint32_t found)
{
    return abut_hull_found_bound_xyz(hull, d.x, d.y, d.z, found);
}

/* The number of the edge between two vertices, edges counted by their lower vertex, then as that
 * lists them; -1: there is none. */
int64_t abut_hull_edge(const abut_hull *hull, uint32_t i, uint32_t j);

#endif
