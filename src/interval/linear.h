/* SPDX-License-Identifier: MIT */
/* Small interval linear systems for kernels; what abut/interval.h offers is made of these.
 * Matrices are row by row, `stride` entries apart. */
#ifndef ABUT_INTERVAL_LINEAR_H
#define ABUT_INTERVAL_LINEAR_H

#include "interval/ia.h"

/* Kernel. Row/column iteration (Linear_Solve of the paper's Figure 8) on any number of rows and
 * columns: narrows x to the solutions of m x = b in it. False: proved that there are none. Stops
 * when a pass shrinks the widest component by less than the factor `improvement`, or after
 * max_passes. */
bool abut_linear_iterate(int rows, int columns, const ia *m, int stride, const ia *b, double improvement,
                         int max_passes, ia *x);

/* Kernel. Gaussian elimination: m x = b for each of the `sides` columns of b (`sides` apart); b
 * becomes the enclosure of the solutions, m is destroyed. False: a pivot holds zero, b is
 * spoilt. True also proves that no matrix in m is singular. */
bool abut_linear_eliminate(int n, ia *m, int stride, int sides, ia *b);

/* Plain doubles in any rounding mode: chooses n of the rows of the rows x n matrix a (by
 * elimination with row pivoting) and gives the inverse of that square part, out[n * n], whose
 * column k belongs to the row chosen[k]. a is destroyed. False where there is none that is
 * finite. Steers only. */
bool abut_linear_invert_roughly(int rows, int n, double *a, int *chosen, double *out);

#endif
