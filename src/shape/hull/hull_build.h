/* SPDX-License-Identifier: MIT */
/* The steps of making a hull, between hull.c, hull_grow.c and hull_qhull.c. */
#ifndef ABUT_SHAPE_HULL_HULL_BUILD_H
#define ABUT_SHAPE_HULL_HULL_BUILD_H

#include "abut/math.h"
#include "base/workspace.h"

#define ABUT_HULL_NONE UINT32_MAX

/* A triangle of the surface, counter-clockwise from outside; across[i] is its neighbour beyond
 * the edge from v[i] to v[(i + 1) % 3]. */
typedef struct abut_hull_triangle {
    uint32_t v[3], across[3];
} abut_hull_triangle;

/* The triangulated hull of count distinct points, not all on one plane, by exact signs: every
 * point is in it, every triangle has an area, no two neighbours bend inward (coplanar ones are
 * left as they are). `first`: four corners of a solid. `order`: all points, in the order they
 * are added; best is vertices first, each part shuffled. NULL when memory is out. */
abut_hull_triangle *abut_hull_grow(const abut_vec3 *points, uint32_t count, const uint32_t first[4],
                                   const uint32_t *order, abut_workspace *ws, uint32_t *triangle_count);

/* What Qhull takes for the vertices, to rounding: writes their indices and returns how many, at
 * most `count`; 0 where it gives up or memory is out. `first` as above. */
uint32_t abut_hull_propose(const abut_vec3 *points, uint32_t count, const uint32_t first[4],
                           abut_workspace *ws, uint32_t *vertices);

#endif
