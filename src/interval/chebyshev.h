/* SPDX-License-Identifier: MIT */
/* Enclosures of Chebyshev series c_0/2 + sum c_k T_k over intervals in [-1, 1]. */
#ifndef ABUT_INTERVAL_CHEBYSHEV_H
#define ABUT_INTERVAL_CHEBYSHEV_H

#include "interval/ia.h"

/* Kernel. T_0 ... T_(count - 1) over x, which must lie in [-1, 1]: their ranges, but for
 * rounding. */
void abut_chebyshev_ranges(ia x, size_t count, ia *ranges);

/* Kernel. The series over what the ranges were made for; count >= 0 coefficients. */
static inline ia abut_chebyshev_sum(const abut_interval *c, size_t count, const ia *ranges)
{
    if (count == 0)
        return ia_point(0);
    ia sum = ia_scale(0.5, ia_from(c[0]));
    for (size_t k = 1; k < count; ++k)
        sum = ia_add(sum, ia_mul(ia_from(c[k]), ranges[k]));
    return sum;
}

/* Kernel. The same in one call, for any number of coefficients. */
ia abut_chebyshev_enclose(const abut_interval *c, size_t count, ia x);

#endif
