/* SPDX-License-Identifier: MIT */
/* Division by an interval that holds zero. */
#include "interval/divide.h"

int ia_div_split(ia a, ia b, ia out[2])
{
    if (!ia_contains_zero(b)) {
        out[0] = ia_div(a, b);
        return 1;
    }
    const double b_lo = ia_lo(b), b_hi = ia_hi(b), a_lo = ia_lo(a), a_hi = ia_hi(a);
    if (b_lo == 0 && b_hi == 0)
        return 0;
    if (a_lo == 0 && a_hi == 0) {
        out[0] = ia_point(0);
        return 1;
    }
    if (a_lo <= 0 && a_hi >= 0 && b_lo < 0 && b_hi > 0) {
        out[0] = ia_entire();
        return 1;
    }
    /* The quotients by the negative and by the positive part of b. Either runs to infinity,
     * unless a ends at zero there. */
    int count = 0;
    const ia parts[2] = { ia_neg(a), a }; /* over the negative part: -a / -b */
    const double sizes[2] = { -b_lo, b_hi };
    ia by_part[2];
    for (int i = 0; i < 2; ++i) {
        if (!(sizes[i] > 0))
            continue;
        const ia p = parts[i], size = ia_make(sizes[i] < HUGE_VAL ? sizes[i] : DBL_MAX, sizes[i]);
        const ia least = ia_div(p, size);
        by_part[count++] = ia_make(ia_lo(p) < 0          ? -HUGE_VAL
                                   : sizes[i] < HUGE_VAL ? ia_lo(least)
                                                         : 0,
                                   ia_hi(p) > 0          ? HUGE_VAL
                                   : sizes[i] < HUGE_VAL ? ia_hi(least)
                                                         : 0);
    }
    if (count == 2 && ia_lo(by_part[0]) > ia_lo(by_part[1])) {
        out[0] = by_part[1];
        out[1] = by_part[0];
    } else {
        out[0] = by_part[0];
        if (count == 2)
            out[1] = by_part[1];
    }
    return count;
}

ia ia_div_by_zero(ia a, ia b)
{
    ia parts[2];
    const int count = ia_div_split(a, b, parts);
    return count == 0 ? ia_empty() : count == 1 ? parts[0] : ia_hull(parts[0], parts[1]);
}
