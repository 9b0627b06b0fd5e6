/* SPDX-License-Identifier: MIT */
/* The fifteen axes of the separating axis test for two boxes: S. Gottschalk, M. Lin, D. Manocha,
 * OBBTree, SIGGRAPH 1996. */
#ifndef ABUT_NARROW_PAIR_BOX_AXES_H
#define ABUT_NARROW_PAIR_BOX_AXES_H

#include <math.h>
#include <stdbool.h>

typedef struct abut_boxes {
    double r[3][3], s[3][3]; /* rotation of b in a's frame, and its absolute values */
    double t[3];
    const double *a, *b; /* half sizes */
} abut_boxes;

/* Separation along axis 0…14, times the axis' length, which is at most 1: a's three, b's three,
 * then a's i times b's j at 6 + 3 i + j. */
static inline __attribute__((always_inline)) double abut_boxes_separation(const abut_boxes *x, int axis)
{
    if (axis < 3)
        return fabs(x->t[axis]) -
               (x->a[axis] + (x->s[axis][0] * x->b[0] + x->s[axis][1] * x->b[1] + x->s[axis][2] * x->b[2]));
    if (axis < 6) {
        const int j = axis - 3;
        return fabs(x->t[0] * x->r[0][j] + x->t[1] * x->r[1][j] + x->t[2] * x->r[2][j]) -
               (x->b[j] + (x->s[0][j] * x->a[0] + x->s[1][j] * x->a[1] + x->s[2][j] * x->a[2]));
    }
    const int i = (axis - 6) / 3, j = (axis - 6) % 3;
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    return fabs(x->t[i2] * x->r[i1][j] - x->t[i1] * x->r[i2][j]) -
           ((x->a[i1] * x->s[i2][j] + x->a[i2] * x->s[i1][j]) +
            (x->b[j1] * x->s[i][j2] + x->b[j2] * x->s[i][j1]));
}

/* The nine of edges, written out: the loop is not unrolled everywhere, and with the indices
 * known each is a handful of products. */
static inline __attribute__((always_inline)) void abut_boxes_edges(const abut_boxes *x, double out[9])
{
    out[0] = abut_boxes_separation(x, 6);
    out[1] = abut_boxes_separation(x, 7);
    out[2] = abut_boxes_separation(x, 8);
    out[3] = abut_boxes_separation(x, 9);
    out[4] = abut_boxes_separation(x, 10);
    out[5] = abut_boxes_separation(x, 11);
    out[6] = abut_boxes_separation(x, 12);
    out[7] = abut_boxes_separation(x, 13);
    out[8] = abut_boxes_separation(x, 14);
}

static inline __attribute__((always_inline)) void abut_boxes_faces(const abut_boxes *x, double out[6])
{
    out[0] = abut_boxes_separation(x, 0);
    out[1] = abut_boxes_separation(x, 1);
    out[2] = abut_boxes_separation(x, 2);
    out[3] = abut_boxes_separation(x, 3);
    out[4] = abut_boxes_separation(x, 4);
    out[5] = abut_boxes_separation(x, 5);
}

/* Edges that are nearly parallel decide nothing beyond what the faces do: turning b by the angle
 * between them makes them parallel, and moves the gap and the faces' separations by that angle
 * times D + s_a + 2 s_b at most. So this much is to be added to the best of the faces; angle <=
 * 1.6 sin, whose square is off by 40 u. `size` is s_a + s_b, and D <= size here. */
static inline double abut_boxes_parallel_slack(const abut_boxes *x, int edge, double size)
{
    const int i = edge / 3, j = edge % 3;
    const double p = x->r[(i + 1) % 3][j], q = x->r[(i + 2) % 3][j];
    return 5 * size * (sqrt(p * p + q * q) + 40 * 0x1p-53);
}

/* Whether they overlap along all axes, for the largest separation of a face, which is below
 * -error, and those of edges, all off by `error` at most. */
static inline bool abut_boxes_meet(const abut_boxes *x, double face, const double edges[9], double error,
                                   double size)
{
    for (int i = 0; i < 9; ++i)
        if (!(edges[i] < -error) && !(face < -(error + abut_boxes_parallel_slack(x, i, size))))
            return false;
    return true;
}

#endif
