/* SPDX-License-Identifier: MIT */
/* What the two halves of the referee share: vectors, arcs of profiles, and the triangles and walls of height fields. */
#ifndef ORACLE_PATCHWORK_PARTS_H
#define ORACLE_PATCHWORK_PARTS_H

#include "oracle/patchwork.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

static inline double max2(double a, double b)
{
    return a > b ? a : b;
}

static inline double min2(double a, double b)
{
    return a < b ? a : b;
}

static inline double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void sub(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = a[i] - b[i];
}

static inline double length(const double a[3])
{
    return sqrt(dot(a, a));
}

typedef struct patchwork_arc {
    double x, y, radius, from, sweep; /* counter-clockwise where sweep > 0 */
} patchwork_arc;

/* Of the side of a profile from p to q, which bulges. */
patchwork_arc patchwork_arc_of(const double *p, const double *q);
/* Of the numbers of a height field: corner k of a triangle (each cell is split from the first to the opposite
 * corner), the upper edge of a wall, and how many there are. */
void patchwork_field_corner(const double *n, int number, int k, double out[3]);
int patchwork_field_count(const double *n);
void patchwork_wall(const double *n, int k, double a[3], double b[3]);
int patchwork_wall_count(const double *n);

#endif
