/* SPDX-License-Identifier: MIT */
/* How far the origin is from a triangle, enclosed. For points and balls against meshes, where it is
 * the innermost loop.
 *
 * The nearest point is found by the regions of C. Ericson, Real-Time Collision Detection, 2005,
 * 5.1.5: that only steers. Whatever weights come out of it, x is a point of the triangle to
 * rounding, so that |x| bounds the distance from above; the plane through x across it bounds it
 * from below by the least of n . corner, and the plane of the triangle does, too. Corners come
 * relative to the point, each off by at most u of itself; with L the largest length of a corner,
 * x is off by 8 u L, n . corner by 8 u L. */
#ifndef ABUT_NARROW_TRIANGLE_POINT_TRIANGLE_H
#define ABUT_NARROW_TRIANGLE_POINT_TRIANGLE_H

#include "math/vec3.h"

typedef struct abut_point_triangle {
    double lo, hi; /* of the distance */
    abut_vec3 x;   /* nearest point */
    int part;      /* that it is on: 0..2 corners, 3..5 edges, 6 inside */
} abut_point_triangle;

/* Where doubles leave a wide enclosure: with pairs of them (point_triangle.c). slack: as below. */
void abut_point_triangle_careful(const abut_vec3 t[3], double slack, abut_point_triangle *out);

/* Of sizes whose squares' squares leave the doubles: the same in other units. */
bool abut_point_triangle_extreme(const abut_vec3 t[3], double below, abut_point_triangle *out);

/* Nearest point of a segment; *part: 0, 1 or 2 for inside. */
static inline abut_vec3 abut_point_segment(abut_vec3 a, abut_vec3 b, int *part)
{
    const abut_vec3 e = abut_sub(b, a);
    const double along = -abut_dot(a, e), square = abut_dot(e, e);
    if (!(along > 0)) {
        *part = 0;
        return a;
    }
    if (!(along < square)) {
        *part = 1;
        return b;
    }
    *part = 2;
    return abut_madd(a, along / square, e);
}

/* By its three edges: for what has next to no area, and for those that were misjudged. */
static inline abut_vec3 abut_point_edges(const abut_vec3 t[3], int *part)
{
    abut_vec3 best = t[0];
    double least = INFINITY;
    *part = 0;
    for (int k = 0; k < 3; ++k) {
        int end = 0;
        const int next = k == 2 ? 0 : k + 1;
        const abut_vec3 x = abut_point_segment(t[k], t[next], &end);
        const double square = abut_dot(x, x);
        if (square < least) {
            least = square;
            best = x;
            *part = end == 0 ? k : end == 1 ? next : 3 + k;
        }
    }
    return best;
}

static inline abut_vec3 abut_point_regions(const abut_vec3 t[3], abut_vec3 ab, abut_vec3 ac, int *part)
{
    const double d1 = -abut_dot(ab, t[0]), d2 = -abut_dot(ac, t[0]);
    if (d1 <= 0 && d2 <= 0) {
        *part = 0;
        return t[0];
    }
    const double d3 = -abut_dot(ab, t[1]), d4 = -abut_dot(ac, t[1]);
    if (d3 >= 0 && d4 <= d3) {
        *part = 1;
        return t[1];
    }
    const double d5 = -abut_dot(ab, t[2]), d6 = -abut_dot(ac, t[2]);
    if (d6 >= 0 && d5 <= d6) {
        *part = 2;
        return t[2];
    }
    const double vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        *part = 3;
        return abut_madd(t[0], d1 / (d1 - d3), ab);
    }
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        *part = 4;
        return abut_madd(t[1], (d4 - d3) / ((d4 - d3) + (d5 - d6)), abut_sub(t[2], t[1]));
    }
    if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        *part = 5;
        return abut_madd(t[0], d2 / (d2 - d6), ac);
    }
    if (!(va >= 0 && vb >= 0 && vc >= 0 && va + vb + vc > 0)) /* rounding: no weights then */
        return abut_point_edges(t, part);
    const double over = 1 / (va + vb + vc);
    *part = 6;
    return abut_madd(abut_madd(t[0], vb * over, ab), vc * over, ac);
}

/* Lower bound by the plane across x. */
static inline double abut_point_below(const abut_vec3 t[3], abut_vec3 x, double length, double slack)
{
    const double a = abut_dot(x, t[0]), b = abut_dot(x, t[1]), c = abut_dot(x, t[2]);
    double least = a < b ? a : b;
    least = c < least ? c : least;
    return least / length - slack;
}

/* Of any finite corners. Squares that underflow beside the largest are nothing that counts.
 * `below`: nothing is asked of triangles that are further away than this; then only lo > below
 * is reported and false returned. */
static inline bool abut_point_triangle_set(const abut_vec3 t[3], double below, abut_point_triangle *out)
{
    const abut_vec3 ab = abut_sub(t[1], t[0]), ac = abut_sub(t[2], t[0]), n = abut_cross(ab, ac);
    const double sa = abut_dot(t[0], t[0]), sb = abut_dot(t[1], t[1]), sc = abut_dot(t[2], t[2]);
    double most = sa > sb ? sa : sb;
    most = sc > most ? sc : most;
    if (!(most > 0x1p-400 && most < 0x1p400))
        return abut_point_triangle_extreme(t, below, out);
    const double reach = sqrt(most), slack = 0x1p-49 * reach, normal = sqrt(abut_dot(n, n)),
                 height = fabs(abut_dot(n, t[0]));
    /* n is off by 6 u |ab| |ac|, and |ab|, |ac| are at most 2 reach. */
    const double loose = 0x1p-48 * most;
    double lo = 0;
    if (normal > 16 * loose) {
        lo = height / normal - reach * (loose / normal) * 2 - slack;
        if (lo > below) {
            out->lo = lo;
            return false;
        }
    }
    abut_vec3 x =
        normal > 0x1p-40 * most ? abut_point_regions(t, ab, ac, &out->part) : abut_point_edges(t, &out->part);
    const double length = sqrt(abut_dot(x, x)),
                 other = length > 0 ? abut_point_below(t, x, length, slack) : 0;
    lo = other > lo ? other : lo;
    out->x = x;
    out->lo = lo > 0 ? lo : 0;
    out->hi = length + slack;
    if (!(out->hi - lo <= 8 * slack) && out->lo <= below)
        abut_point_triangle_careful(t, slack, out);
    return true;
}

#endif
