/* SPDX-License-Identifier: MIT */
/* Ranges of Chebyshev polynomials over intervals, by their values at the ends and a table of where
 * they are 1 or -1.
 *
 * Source: J. M. Snyder, A. R. Woodbury, K. Fleischer, B. Currin, A. H. Barr, SIGGRAPH 1993,
 * appendix B. The range of each T_k is exact but for rounding; the sum over a series is not, as its
 * terms do not take their extremes together.
 *
 * Values: T_(k+1) = 2 x T_k - T_(k-1) in plain doubles. A step is off by at most 3 * 2^-52 (two
 * roundings, of a number that is at most 2 and one that is at most 1), and an error made in step
 * k acts on T_n times U_(n-k)(x), which is at most n - k + 1 and at most 1 / sqrt(1 - x^2). The
 * sum is at most 3 * 2^-52 (n - 1) times the smaller of n / 2 and 1 / sqrt(1 - x^2); a hundredth
 * more covers the roundings of the bound. Table: entries are off by at most 2^-54; what is
 * within 2^-52 of an end counts as inside, where T_k is 1 or -1 up to rounding anyway. On narrow
 * intervals, where that would show, T_k = cos(k acos x). acos of libm only says where in the
 * table to begin to look. */
#include "interval/chebyshev.h"
#include "interval/tables.h"

enum { tabulated = 64 };

/* Below this width the error of the values at the ends, up to 2^-40, would show. */
static const double narrow = 0x1p-24;

/* How the extremes in (-1, 1) of T_n, n >= 2, lie to [lo, hi]: the number of those below lo, and
 * below or at hi. Guesses lead the search. */
static int count_below(const double *row, int size, double x, bool or_at, int guess)
{
    int i = guess < 0 ? 0 : guess > size ? size : guess;
    while (i > 0 && (or_at ? row[i - 1] > x : row[i - 1] >= x))
        --i;
    while (i < size && (or_at ? row[i] <= x : row[i] < x))
        ++i;
    return i;
}

/* T_k = cos(k acos x) from `first` on: slower, but right to a few k ulp also near 1 and -1. */
static void by_cosines(ia x, size_t first, size_t count, ia *ranges)
{
    const ia angle = ia_acos(x);
    for (size_t k = first; k < count; ++k)
        ranges[k] = ia_intersect(ia_cos(ia_scale((double)k, angle)), ia_make(-1, 1));
}

void abut_chebyshev_ranges(ia x, size_t count, ia *ranges)
{
    const double lo = fmax(ia_lo(x), -1), hi = fmin(ia_hi(x), 1), near = 0x1p-52;
    const double inverse_pi = 0.31830988618379067;
    const double angle_lo = acos(lo) * inverse_pi, angle_hi = acos(hi) * inverse_pi;
    const ia_pair at = { lo, hi }, twice = at + at;
    const ia_pair rest = (ia_pair_of(1) - at) * (ia_pair_of(1) + at),
                  steepness = ia_pair_of(1) / ia_pair_sqrt(rest);
    ia_pair before = ia_pair_of(1), value = at;
    if (count > 0)
        ranges[0] = ia_point(1);
    if (count > 1)
        ranges[1] = x;
    if (ia_width(x) < narrow) {
        by_cosines(x, 2, count, ranges);
        return;
    }
    for (size_t k = 2; k < count && k < tabulated; ++k) {
        const ia_pair next = twice * value - before;
        const int n = (int)k, size = n - 1;
        const double *row = abut_interval_chebyshev_extrema + (n - 1) * (n - 2) / 2;
        before = value;
        value = next;
        /* Entry j is at the angle (n - 1 - j) pi/n. */
        const int from = count_below(row, size, lo - near, false, n - 1 - (int)(n * angle_lo));
        const int to = count_below(row, size, hi + near, true, n - 1 - (int)(n * angle_hi));
        const ia_pair error =
            ia_pair_of(4.04 * 0x1p-52 * (n - 1)) * ia_pair_min(ia_pair_of(0.5 * n), steepness);
        const ia_pair below = next - error, above = next + error; /* whose rounding is the fourth */
        ia range = ia_hull(ia_make(below[0], above[0]), ia_make(below[1], above[1]));
        if (to - from >= 2)
            range = ia_make(-1, 1);
        else if (to - from == 1)
            range = ia_hull(range, ia_point((n - 1 - from) & 1 ? -1 : 1));
        ranges[k] = ia_intersect(range, ia_make(-1, 1));
    }
    if (count > tabulated)
        by_cosines(x, tabulated, count, ranges);
}

ia abut_chebyshev_enclose(const abut_interval *c, size_t count, ia x)
{
    ia ranges[tabulated];
    abut_chebyshev_ranges(x, count < tabulated ? count : tabulated, ranges);
    ia sum = abut_chebyshev_sum(c, count < tabulated ? count : tabulated, ranges);
    if (count <= tabulated)
        return sum;
    const ia angle = ia_acos(x);
    for (size_t k = tabulated; k < count; ++k)
        sum = ia_add(sum, ia_mul(ia_from(c[k]), ia_cos(ia_scale((double)k, angle))));
    return sum;
}
