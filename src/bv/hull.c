/* SPDX-License-Identifier: MIT */
/* Moments of hulls, for axes only: nothing here bounds anything, so that plain doubles do.
 *
 * In space by Qhull (C. B. Barber, D. P. Dobkin, H. Huhdanpaa, The quickhull algorithm for
 * convex hulls, ACM TOMS 22, 1996), which judges flatness by the largest coordinate and is
 * therefore given points in units of the extents along their axes. Its memory is the C
 * library's; where it is short Qhull ends with an error, as it does where it finds the points
 * flat. In a plane by the lower and upper chain over sorted points (A. M. Andrew, 1979). */
#define _POSIX_C_SOURCE 200809L /* fmemopen */

#include "base/sort.h"
#include "bv/qhull.h"
#include "bv/volume.h"
#include "math/vec3.h"

void abut_bv_scratch_open(abut_bv_scratch *scratch)
{
    scratch->sink = fmemopen(scratch->said, sizeof scratch->said, "w");
}

void abut_bv_scratch_close(abut_bv_scratch *scratch)
{
    if (scratch->sink)
        (void)fclose(scratch->sink);
    scratch->sink = NULL;
}

/* Qhull's vertices or triangles, seen from the first point. */
static bool add_hull(qhT *qh, const abut_vec3 *points, size_t count, bool area, abut_bv_moments *m)
{
    vertexT *vertex, **vertexp;
    facetT *facet;
    if (!area) {
        FORALLvertices
        {
            const int id = qh_pointid(qh, vertex->point);
            if (id >= 0 && (size_t)id < count)
                abut_bv_moments_point(m, 1, abut_sub(points[id], points[0]));
        }
        return m->weight > 0;
    }
    FORALLfacets
    {
        abut_vec3 corner[3] = { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } };
        int found = 0;
        FOREACHvertex_(facet->vertices)
        {
            const int id = qh_pointid(qh, vertex->point);
            if (id >= 0 && (size_t)id < count && found < 3)
                corner[found++] = abut_sub(points[id], points[0]);
        }
        if (found == 3)
            abut_bv_moments_triangle(m, corner[0], corner[1], corner[2]);
    }
    return m->weight > 0;
}

static bool solid_hull(const abut_vec3 *points, size_t count, bool area, const abut_mat3 *axes,
                       const double extent[3], const abut_bv_scratch *scratch, abut_bv_moments *m)
{
    if (count > INT_MAX / 16)
        return false;
    double *x = scratch->coordinates;
    for (size_t i = 0; i < count; ++i) {
        const abut_vec3 p = abut_mul_t(axes, abut_sub(points[i], points[0]));
        x[3 * i] = p.x / extent[0], x[3 * i + 1] = p.y / extent[1], x[3 * i + 2] = p.z / extent[2];
    }
    qhT qhull, *qh = &qhull; /* Qhull's macros want that name */
    char command[] = "qhull Qt Pp";
    qh_zero(qh, scratch->sink);
    const bool found = qh_new_qhull(qh, 3, (int)count, x, False, command, NULL, scratch->sink) == 0 &&
                       add_hull(qh, points, count, area, m);
    int long_blocks, long_bytes;
    qh_freeqhull(qh, !qh_ALL); /* not qh_ALL: it trips over what an error left half made */
    qh_memfreeshort(qh, &long_blocks, &long_bytes);
    return found;
}

typedef struct flat_point {
    double x, y;
} flat_point;

static bool before(void *ctx, const void *a, const void *b)
{
    (void)ctx;
    const flat_point *p = a, *q = b;
    return p->x < q->x || (p->x == q->x && p->y < q->y);
}

static bool turns_left(flat_point a, flat_point b, flat_point c)
{
    return (b.x - a.x) * (c.y - a.y) > (b.y - a.y) * (c.x - a.x);
}

/* Corners of the hull of sorted points as numbers; returns how many. `stack` takes count + 1. */
static size_t chains(const flat_point *p, size_t count, uint32_t *stack)
{
    size_t used = 0;
    for (size_t i = 0; i < count; ++i) {
        while (used >= 2 && !turns_left(p[stack[used - 2]], p[stack[used - 1]], p[i]))
            --used;
        stack[used++] = (uint32_t)i;
    }
    const size_t lower = used + 1;
    for (size_t i = count - 1; i-- > 0;) {
        while (used >= lower && !turns_left(p[stack[used - 2]], p[stack[used - 1]], p[i]))
            --used;
        stack[used++] = (uint32_t)i;
    }
    return used - 1; /* the first point closes the ring */
}

static abut_vec3 lift(const abut_mat3 *axes, flat_point p)
{
    return abut_mul(axes, abut_v3(p.x, p.y, 0));
}

static bool flat_hull(const abut_vec3 *points, size_t count, bool area, const abut_mat3 *axes,
                      const abut_bv_scratch *scratch, abut_bv_moments *m)
{
    if (count > UINT32_MAX / 4)
        return false;
    /* Three doubles a point: two are its coordinates, the third has room for two numbers. */
    flat_point *p = (flat_point *)scratch->coordinates;
    void *behind = scratch->coordinates + 2 * count;
    uint32_t *stack = behind;
    for (size_t i = 0; i < count; ++i) {
        const abut_vec3 q = abut_mul_t(axes, abut_sub(points[i], points[0]));
        p[i] = (flat_point){ q.x, q.y };
    }
    abut_base_sort(p, count, sizeof *p, before, NULL);
    const size_t corners = chains(p, count, stack);
    for (size_t i = 0; i < corners && !area; ++i)
        abut_bv_moments_point(m, 1, lift(axes, p[stack[i]]));
    for (size_t i = 2; i < corners && area; ++i)
        abut_bv_moments_triangle(m, lift(axes, p[stack[0]]), lift(axes, p[stack[i - 1]]),
                                 lift(axes, p[stack[i]]));
    return m->weight > 0;
}

bool abut_bv_hull_moments(const abut_vec3 *points, size_t count, bool area, const abut_mat3 *axes,
                          const double extent[3], const abut_bv_scratch *scratch, abut_bv_moments *m)
{
    return extent[2] > 0 ? solid_hull(points, count, area, axes, extent, scratch, m)
                         : flat_hull(points, count, area, axes, scratch, m);
}
