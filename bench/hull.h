/* SPDX-License-Identifier: MIT */
/* Triangles of the hull of a few points in general position, by adding them one at a time. */
#ifndef ABUT_BENCH_HULL_H
#define ABUT_BENCH_HULL_H

#include "workload.h"

/* Fills in triangles and triangle_count from the points, all of which must be vertices of their
 * hull, no four on a plane. */
void bench_hull_triangles(bench_hull *hull);

#endif
