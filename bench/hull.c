/* SPDX-License-Identifier: MIT */
/* Incremental hull, quadratic: a new point removes the triangles it sees and is joined to the
 * edges of the hole. Orientation is decided in long double, which the random points of the
 * workloads never exhaust (checked by Euler's formula at the end: n points give 2n - 4
 * triangles). */
#include "hull.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Six times the volume of the tetrahedron; positive when d is on the outer side of
 * counter-clockwise abc. */
static long double side(const double a[3], const double b[3], const double c[3], const double d[3])
{
    long double u[3], v[3], w[3];
    for (int i = 0; i < 3; ++i) {
        u[i] = (long double)b[i] - a[i];
        v[i] = (long double)c[i] - a[i];
        w[i] = (long double)d[i] - a[i];
    }
    return w[0] * (u[1] * v[2] - u[2] * v[1]) + w[1] * (u[2] * v[0] - u[0] * v[2]) +
           w[2] * (u[0] * v[1] - u[1] * v[0]);
}

static bool sees(const bench_hull *h, const uint32_t t[3], uint32_t p)
{
    return side(h->points[t[0]], h->points[t[1]], h->points[t[2]], h->points[p]) > 0;
}

void bench_hull_triangles(bench_hull *hull)
{
    const size_t n = hull->point_count, capacity = 2 * n;
    uint32_t(*triangles)[3] = bench_alloc(capacity, sizeof *triangles);
    unsigned char *hole = bench_alloc(n * n, 1); /* directed edges of the triangles seen */
    size_t count = 4;
    static const uint32_t start[4][3] = { { 0, 1, 2 }, { 0, 3, 1 }, { 0, 2, 3 }, { 1, 3, 2 } };
    memcpy(triangles, start, sizeof start);
    if (sees(hull, triangles[0], 3)) /* the first four points, turned the right way round */
        for (size_t i = 0; i < 4; ++i) {
            const uint32_t swap = triangles[i][1];
            triangles[i][1] = triangles[i][2];
            triangles[i][2] = swap;
        }
    for (uint32_t p = 4; p < n; ++p) {
        size_t kept = 0, seen = 0;
        uint32_t(*old)[3] = bench_alloc(count, sizeof *old);
        for (size_t i = 0; i < count; ++i)
            if (sees(hull, triangles[i], p)) {
                memcpy(old[seen++], triangles[i], sizeof *old);
                for (int k = 0; k < 3; ++k)
                    hole[triangles[i][k] * n + triangles[i][(k + 1) % 3]] = 1;
            } else {
                memmove(triangles[kept++], triangles[i], sizeof *triangles);
            }
        count = kept;
        for (size_t i = 0; i < seen; ++i)
            for (int k = 0; k < 3; ++k) {
                const uint32_t from = old[i][k], to = old[i][(k + 1) % 3];
                if (!hole[to * n + from]) { /* the neighbour stays: an edge of the hole */
                    if (count == capacity)
                        break;
                    triangles[count][0] = from;
                    triangles[count][1] = to;
                    triangles[count][2] = p;
                    ++count;
                }
            }
        for (size_t i = 0; i < seen; ++i)
            for (int k = 0; k < 3; ++k)
                hole[old[i][k] * n + old[i][(k + 1) % 3]] = 0;
        free(old);
    }
    free(hole);
    if (count != 2 * n - 4) {
        fprintf(stderr, "abut_bench: a hull of %zu points came out with %zu triangles\n", n, count);
        exit(3);
    }
    hull->triangles = triangles;
    hull->triangle_count = count;
}
