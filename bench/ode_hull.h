/* SPDX-License-Identifier: MIT */
/* A hull as ODE takes it: planes, points and polygons, which the caller keeps while its geom
 * lives. */
#ifndef ABUT_BENCH_ODE_HULL_H
#define ABUT_BENCH_ODE_HULL_H

#include "bench.h"
#include "hull.h"

#include <ode/ode.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct ode_hull {
    dReal *planes, *points;
    unsigned *polygons;
} ode_hull;

static inline void ode_hull_make(const bench_hull *hull, ode_hull *out)
{
    out->points = bench_alloc(3 * hull->point_count, sizeof *out->points);
    out->planes = bench_alloc(4 * hull->triangle_count, sizeof *out->planes);
    out->polygons = bench_alloc(4 * hull->triangle_count, sizeof *out->polygons);
    for (size_t i = 0; i < hull->point_count; ++i)
        for (int k = 0; k < 3; ++k)
            out->points[3 * i + (size_t)k] = hull->points[i][k];
    for (size_t i = 0; i < hull->triangle_count; ++i) {
        const uint32_t *t = hull->triangles[i];
        const double *a = hull->points[t[0]], *b = hull->points[t[1]], *c = hull->points[t[2]];
        double n[3];
        for (int k = 0; k < 3; ++k) {
            const int u = (k + 1) % 3, v = (k + 2) % 3;
            n[k] = (b[u] - a[u]) * (c[v] - a[v]) - (b[v] - a[v]) * (c[u] - a[u]);
        }
        const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int k = 0; k < 3; ++k)
            out->planes[4 * i + (size_t)k] = n[k] / length;
        out->planes[4 * i + 3] = (n[0] * a[0] + n[1] * a[1] + n[2] * a[2]) / length;
        out->polygons[4 * i] = 3;
        memcpy(out->polygons + 4 * i + 1, t, 3 * sizeof *t);
    }
}

static inline void ode_hull_free(ode_hull *hull)
{
    free(hull->planes);
    free(hull->points);
    free(hull->polygons);
}

#endif
