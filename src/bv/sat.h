/* SPDX-License-Identifier: MIT */
/* Two boxes by separating axes (S. Gottschalk, M. C. Lin, D. Manocha, OBBTree, 1996): the three
 * of each and the nine products of their edges. In the frame of the first box, which is at the
 * origin: c[i][j] = axis i of a . axis j of b, t the centre of b. No division and no root
 * decides whether they are apart. Where edges are parallel their product is near zero, and so
 * are both sides of its comparison, but for errors that the margin covers: no case needs care.
 * Zero half sizes are a rectangle, a segment, or a point. */
#ifndef ABUT_BV_SAT_H
#define ABUT_BV_SAT_H

#include <math.h>
#include <stdbool.h>

typedef struct abut_sat {
    double c[3][3], t[3], a[3], b[3];
    double m[3][3]; /* |c|, by abut_sat_sizes */
} abut_sat;

/* Of intervals along axis i of a, j of b, and the product of the two: the gap, which is negative
 * where they overlap. */
static inline double abut_sat_gap_a(const abut_sat *s, int i)
{
    return fabs(s->t[i]) - (s->a[i] + s->b[0] * s->m[i][0] + s->b[1] * s->m[i][1] + s->b[2] * s->m[i][2]);
}

static inline double abut_sat_gap_b(const abut_sat *s, int j)
{
    return fabs(s->t[0] * s->c[0][j] + s->t[1] * s->c[1][j] + s->t[2] * s->c[2][j]) -
           (s->b[j] + s->a[0] * s->m[0][j] + s->a[1] * s->m[1][j] + s->a[2] * s->m[2][j]);
}

static inline double abut_sat_gap_edges(const abut_sat *s, int i, int j)
{
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    return fabs(s->t[i2] * s->c[i1][j] - s->t[i1] * s->c[i2][j]) -
           (s->a[i1] * s->m[i2][j] + s->a[i2] * s->m[i1][j] + s->b[j1] * s->m[i][j2] +
            s->b[j2] * s->m[i][j1]);
}

static inline void abut_sat_row_sizes(abut_sat *s, int i)
{
    for (int j = 0; j < 3; ++j)
        s->m[i][j] = fabs(s->c[i][j]);
}

static inline void abut_sat_sizes(abut_sat *s)
{
    for (int i = 0; i < 3; ++i)
        abut_sat_row_sizes(s, i);
}

/* Some gap along an axis of b or an edge product is larger than `margin`. An edge product is at
 * most of unit length, so that its gap is at most the distance as well. */
static inline bool abut_sat_apart_after_a(const abut_sat *s, double margin)
{
    for (int j = 0; j < 3; ++j)
        if (abut_sat_gap_b(s, j) > margin)
            return true;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (abut_sat_gap_edges(s, i, j) > margin)
                return true;
    return false;
}

/* Some gap is larger than `margin`. */
static inline bool abut_sat_apart(abut_sat *s, double margin)
{
    abut_sat_sizes(s);
    for (int i = 0; i < 3; ++i)
        if (abut_sat_gap_a(s, i) > margin)
            return true;
    return abut_sat_apart_after_a(s, margin);
}

static inline double abut_sat_square(double gap)
{
    return gap > 0 ? gap * gap : 0;
}

/* At most the distance of the boxes, but for `margin`: of b to the box around it along a's axes,
 * the other way round, or the gap along an edge product. */
static inline double abut_sat_lower(abut_sat *s, double margin)
{
    abut_sat_sizes(s);
    double square_a = 0, square_b = 0;
    for (int i = 0; i < 3; ++i) {
        square_a += abut_sat_square(abut_sat_gap_a(s, i) - margin);
        square_b += abut_sat_square(abut_sat_gap_b(s, i) - margin);
    }
    double best = square_a > square_b ? square_a : square_b;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const double gap = abut_sat_gap_edges(s, i, j) - margin;
            /* squared, not too small */
            const double length = 1 + 0x1p-40 - s->c[i][j] * s->c[i][j];
            if (gap > 0 && gap * gap > best * length)
                best = gap * gap / length;
        }
    return sqrt(best) * (1 - 0x1p-50);
}

#endif
