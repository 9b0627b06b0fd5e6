/* SPDX-License-Identifier: MIT */
/* The vertices of a hull as Qhull (C. B. Barber, D. P. Dobkin, H. Huhdanpaa, The quickhull
 * algorithm for convex hulls, ACM TOMS 22, 1996) finds them, in doubles: fast, and right but for
 * rounding. hull_grow.c adds them first, so that it meets few points that do not stay, and proves
 * the rest.
 *
 * Qhull judges flatness by the largest coordinate, so it is given the points in a frame that makes
 * them round: the differences to the first corner along orthogonal axes through four corners of a
 * solid, in units of the set's extent along each. That is an affine map, which keeps vertices, and
 * takes care of extreme sizes and of sets that are nearly flat.
 *
 * Where points lie in one plane Qhull would merge facets, in time quadratic in the corners of a
 * polygon: minutes for a prism of 20000 points. Its options forbid that, and it gives up there; adding all
 * points in shuffled order takes a fraction of a second.
 *
 * Qhull prints what it has to say to a FILE, which may not be NULL; here it is a small buffer in
 * memory, which takes what fits. Its errors come back as a number from qh_new_qhull, which holds
 * the target of its longjmp. Its own memory is the C library's, not the caller's allocator's; it
 * is all given back, and where it is short Qhull ends with an error as well. */
#define _POSIX_C_SOURCE 200809L /* fmemopen */

#include "bv/qhull.h"
#include "math/nearest.h"
#include "math/vec3.h"
#include "shape/hull/hull_build.h"

/* b - a times a power of two. Half of each first, so that nothing overflows. */
static abut_vec3 difference(abut_vec3 a, abut_vec3 b, int exponent)
{
    return abut_v3(ldexp(0.5 * b.x - 0.5 * a.x, exponent), ldexp(0.5 * b.y - 0.5 * a.y, exponent),
                   ldexp(0.5 * b.z - 0.5 * a.z, exponent));
}

/* 3 * count coordinates of the points in the frame described above. */
static void make_round(const abut_vec3 *points, uint32_t count, const uint32_t first[4], double *out)
{
    double largest = 0;
    for (uint32_t i = 0; i < count; ++i)
        largest = fmax(largest, abut_max_norm(difference(points[first[0]], points[i], 0)));
    int exponent;
    (void)frexp(largest, &exponent);
    abut_vec3 axis[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    for (int i = 0; i < 3; ++i) {
        abut_vec3 e = difference(points[first[0]], points[first[i + 1]], -exponent);
        for (int again = 0; again < 2; ++again) /* the second round takes off what rounding left */
            for (int j = 0; j < i; ++j)
                e = abut_madd(e, -abut_dot(axis[j], e), axis[j]);
        axis[i] = abut_unit_or(e, axis[i]);
    }
    double extent[3] = { 0, 0, 0 };
    for (uint32_t i = 0; i < count; ++i) {
        const abut_vec3 p = difference(points[first[0]], points[i], -exponent);
        for (int k = 0; k < 3; ++k) {
            out[3 * (size_t)i + (size_t)k] = abut_dot(axis[k], p);
            extent[k] = fmax(extent[k], fabs(out[3 * (size_t)i + (size_t)k]));
        }
    }
    for (size_t i = 0; i < 3 * (size_t)count; ++i)
        out[i] /= extent[i % 3] > 0 ? extent[i % 3] : 1;
}

static ABUT_MATH_NOINLINE uint32_t run_qhull(double *coordinates, uint32_t count, FILE *sink,
                                             uint32_t *vertices)
{
    qhT qhull, *qh = &qhull;        /* Qhull's macros want that name */
    char command[] = "qhull Q0 Pp"; /* Q0: gives up rather than merge facets, see above */
    uint32_t found = 0;
    qh_zero(qh, sink);
    if (qh_new_qhull(qh, 3, (int)count, coordinates, False, command, NULL, sink) == 0) {
        const vertexT *vertex;
        FORALLvertices
        {
            const int id = qh_pointid(qh, vertex->point);
            if (id >= 0 && found < count)
                vertices[found++] = (uint32_t)id;
        }
    }
    int long_blocks, long_bytes;
    /* the long blocks; one by one (qh_ALL) it trips over what an error left half made */
    qh_freeqhull(qh, !qh_ALL);
    qh_memfreeshort(qh, &long_blocks, &long_bytes);
    return found;
}

uint32_t abut_hull_propose(const abut_vec3 *points, uint32_t count, const uint32_t first[4],
                           abut_workspace *ws, uint32_t *vertices)
{
    char buffer[64];
    double *coordinates = count < INT_MAX / 16 ? abut_workspace_take(ws, count, 3 * sizeof(double)) : NULL;
    FILE *sink = coordinates ? fmemopen(buffer, sizeof buffer, "w") : NULL;
    if (!sink)
        return 0;
    const abut_nearest saved = abut_nearest_enter();
    make_round(points, count, first, coordinates);
    const uint32_t found = run_qhull(coordinates, count, sink, vertices);
    abut_nearest_leave(saved);
    (void)fclose(sink);
    return found;
}
