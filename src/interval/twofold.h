/* SPDX-License-Identifier: MIT */
/* Sums of two doubles (high + low, |low| at most an ulp or so of high), two at a time, for the
 * elementary functions.
 *
 * Everything here holds in every rounding mode, so that the elementary functions are the same code
 * under both rounding strategies; their error bounds count 2^-52 (a whole ulp) for every operation.
 * add  Fast2Sum: in radix 2 with any rounding the first difference is exact, and the second is
 * rounded once; so
 *        high + low = a + b up to 2^-52 of low, that is 2^-104 of high (Boldo, Graillat, Muller,
 *          "On the robustness of the
 *        2Sum and Fast2Sum algorithms", ACM TOMS 2017). Needs |a| >= |b| or a = 0.
 * mul  Dekker's product. The factors are split by rounding their bit patterns to 26 bits with
 * integer instructions, which no
 *        rounding mode can disturb; each partial sum is then an integer below 2^53 in its unit, so
 *          that the error term is
 *        exact, whichever way the product was rounded. */
#ifndef ABUT_INTERVAL_TWOFOLD_H
#define ABUT_INTERVAL_TWOFOLD_H

#include "interval/ia.h"

typedef struct twofold {
    ia_pair high, low;
} twofold;

/* a + b for |a| >= |b| or a = 0 */
static inline twofold twofold_add(ia_pair a, ia_pair b)
{
    const ia_pair high = a + b;
    return (twofold){ high, b - (high - a) };
}

static inline twofold twofold_mul(ia_pair a, ia_pair b)
{
    const ia_pair high = a * b;
    return (twofold){ high, ia_pair_mul_error(a, b, high) };
}

/* Products and quotients of twofolds, each to 2^-98 of the result: a dozen roundings of terms
 * below 2^-51 of it. */
static inline twofold twofold_product(twofold a, twofold b)
{
    const twofold p = twofold_mul(a.high, b.high);
    return twofold_add(p.high, p.low + (a.high * b.low + a.low * b.high));
}

static inline twofold twofold_quotient(twofold a, twofold b)
{
    const ia_pair q = a.high / b.high;
    const twofold back = twofold_mul(q, b.high);
    const ia_pair rest = ((a.high - back.high) - back.low) + (a.low - q * b.low);
    return twofold_add(q, rest / b.high);
}

static inline twofold twofold_negate_where(ia_mask m, twofold a)
{
    return (twofold){ ia_pair_select(m, -a.high, a.high), ia_pair_select(m, -a.low, a.low) };
}

static inline twofold twofold_select(ia_mask m, twofold a, twofold b)
{
    return (twofold){ ia_pair_select(m, a.high, b.high), ia_pair_select(m, a.low, b.low) };
}

/* Upper bounds of the two values, and of their opposites, when each is known to within `error`. */
typedef struct twofold_bounds {
    ia_pair up, opposite_up;
} twofold_bounds;

static inline twofold_bounds twofold_bound(twofold a, ia_pair error)
{
    return (twofold_bounds){ ia_pair_add_up(a.high, error + a.low), ia_pair_add_up(-a.high, error - a.low) };
}

/* The interval from the bound of the first value to the bound of the second. */
static inline ia twofold_rising(twofold_bounds b)
{
    return (ia){ __builtin_shufflevector(b.opposite_up, b.up, 0, 3) };
}

/* 2^n for -1022 <= n <= 1023 */
static inline double twofold_power_of_two(int n)
{
    const int64_t bits = (int64_t)(n + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#endif
