/* SPDX-License-Identifier: MIT */
/* Rounding strategy "portable": everything is rounded to nearest, the error of each operation is
 * found by an error-free transform, and the result is stepped to the next double above when it is
 * too small. Exact results stay exact, and the others are the same as with directed rounding.
 * Included by ia.h only.
 *
 * Sources: Knuth's TwoSum and Dekker's product (T. J. Dekker, Numer. Math. 18, 1971). Surprise:
 * where the transform is not exact (close to underflow and overflow) its error is not finite or
 * is not examined, and the result is always stepped up; so bounds stay right there, though not
 * the tightest. */
#ifndef ABUT_INTERVAL_IA_PORTABLE_H
#define ABUT_INTERVAL_IA_PORTABLE_H

/* Rounding to nearest must be in force. Where it can be changed, the caller's state is saved and
 * restored. */
#if defined(__SSE2__)
typedef struct abut_rounding {
    unsigned saved;
} abut_rounding;

static inline abut_rounding abut_rounding_enter(void)
{
    const abut_rounding state = { _mm_getcsr() };
    _mm_setcsr(_MM_MASK_MASK | _MM_ROUND_NEAREST);
    return state;
}

static inline void abut_rounding_leave(abut_rounding state)
{
    _mm_setcsr(state.saved);
}
#else
#include <fenv.h>

typedef struct abut_rounding {
    fenv_t saved;
} abut_rounding;

static inline abut_rounding abut_rounding_enter(void)
{
    abut_rounding state;
    feholdexcept(&state.saved);
#if defined(FE_TONEAREST)
    fesetround(FE_TONEAREST);
#endif
    return state;
}

static inline void abut_rounding_leave(abut_rounding state)
{
    fesetenv(&state.saved);
}
#endif

/* The next double above where m is set and a < inf. */
static inline ia_pair ia_pair_step_up(ia_mask m, ia_pair a)
{
    a += ia_pair_of(0); /* -0 -> 0 */
    const ia_mask direction = (a < ia_pair_of(0)) | (ia_mask){ 1, 1 };
    return (ia_pair)((ia_mask)a + (direction & m & (a < ia_pair_of(HUGE_VAL))));
}

/* An upper end that overflowed to minus infinity. */
static inline ia_pair ia_pair_no_minus_infinity(ia_pair a)
{
    return ia_pair_max(a, ia_pair_of(-DBL_MAX));
}

static inline ia_pair ia_pair_add_up(ia_pair a, ia_pair b)
{
    const ia_pair sum = a + b, b_seen = sum - a;
    const ia_pair error = (a - (sum - b_seen)) + (b - b_seen);
    return ia_pair_no_minus_infinity(ia_pair_step_up(~(error <= ia_pair_of(0)), sum));
}

/* Products below this may have errors that are no doubles: (2^-485)^2 with error terms down to
 * 2^-104 of it. */
#define IA_PRODUCT_TINY 0x1p-968

/* Where a value with this error (the true value minus the rounded one) is known not to be too
 * small. An error that is NaN or infinite is no error at all but an overflow in its computation. */
static inline ia_mask ia_pair_not_low(ia_pair error)
{
    return (error <= ia_pair_of(0)) & (error > ia_pair_of(-HUGE_VAL));
}

/* 0 times infinity gives NaN: the caller knows what that means. */
static inline ia_pair ia_pair_mul_up(ia_pair a, ia_pair b)
{
    const ia_pair zero = ia_pair_of(0), product = a * b;
    const ia_mask uncertain = ia_pair_abs(product) < ia_pair_of(IA_PRODUCT_TINY);
    const ia_mask low = ~ia_pair_not_low(ia_pair_mul_error(a, b, product)) | uncertain;
    /* A negative product that underflows to zero is bounded by zero. */
    const ia_mask bounded = (product == zero) & ((a < zero) ^ (b < zero));
    const ia_pair up = ia_pair_step_up(low & ~bounded & (a != zero) & (b != zero), product);
    return ia_pair_select(up == up, ia_pair_no_minus_infinity(up), product);
}

/* `power` is a power of two: only overflow and underflow are inexact, and scaling back shows
 * them. */
static inline ia_pair ia_pair_scale_up(ia_pair a, ia_pair power)
{
    const ia_pair product = a * power;
    return ia_pair_step_up(product / power < a, product);
}

/* b > 0. The remainder a - quotient b is a double when nothing underflows. */
static inline ia_pair ia_pair_div_up(ia_pair a, ia_pair b)
{
    const ia_pair zero = ia_pair_of(0), quotient = a / b, back = quotient * b;
    const ia_pair remainder = (a - back) - ia_pair_mul_error(quotient, b, back);
    const ia_mask uncertain = (ia_pair_abs(back) < ia_pair_of(IA_PRODUCT_TINY)) |
                              (ia_pair_abs(quotient) < ia_pair_of(IA_PRODUCT_TINY));
    const ia_mask low = ~ia_pair_not_low(remainder) | uncertain;
    const ia_mask bounded = (quotient == zero) & (a <= zero);
    return ia_pair_no_minus_infinity(ia_pair_step_up(low & ~bounded & (b < ia_pair_of(HUGE_VAL)), quotient));
}

/* (lo, hi) -> (-sqrt(lo) rounded down, sqrt(hi) rounded up), both >= 0. Small and large
 * arguments are scaled by 2^600 so that the error of the square is a double. */
static inline ia_pair ia_sqrt_ends(ia_pair ends)
{
    const ia_pair one = ia_pair_of(1);
    const ia_mask small = ends<ia_pair_of(0x1p-500), large = ends> ia_pair_of(0x1p500);
    const ia_pair factor =
        ia_pair_select(small, ia_pair_of(0x1p600), ia_pair_select(large, ia_pair_of(0x1p-600), one));
    const ia_pair back =
        ia_pair_select(small, ia_pair_of(0x1p-300), ia_pair_select(large, ia_pair_of(0x1p300), one));
    const ia_pair scaled = ends * factor, root = ia_pair_sqrt(scaled), square = root * root;
    const ia_pair excess = (square - scaled) + ia_pair_mul_error(root, root, square);
    const ia_pair up = ia_pair_step_up(excess < ia_pair_of(0), root);
    const ia_pair down = (ia_pair)((ia_mask)root + (excess > ia_pair_of(0)));
    return (ia_pair){ -down[0], up[1] } * back;
}

#endif
