/* SPDX-License-Identifier: MIT */
/* Rounding strategy "upward": the processor rounds up from abut_rounding_enter to
 * abut_rounding_leave, and -lo and hi go through one SSE2 instruction. Included by ia.h only.
 *
 * The control register also gets denormals back (a caller may have flushed them to zero, which
 * is no enclosure) and all exceptions masked. Leaving restores the caller's register exactly,
 * his sticky flags included. */
#ifndef ABUT_INTERVAL_IA_UPWARD_H
#define ABUT_INTERVAL_IA_UPWARD_H

typedef struct abut_rounding {
    unsigned saved;
} abut_rounding;

static inline abut_rounding abut_rounding_enter(void)
{
    const abut_rounding state = { _mm_getcsr() };
    _mm_setcsr(_MM_MASK_MASK | _MM_ROUND_UP);
    return state;
}

static inline void abut_rounding_leave(abut_rounding state)
{
    _mm_setcsr(state.saved);
}

static inline ia_pair ia_pair_add_up(ia_pair a, ia_pair b)
{
    return a + b;
}

static inline ia_pair ia_pair_mul_up(ia_pair a, ia_pair b)
{
    return a * b;
}

static inline ia_pair ia_pair_scale_up(ia_pair a, ia_pair power)
{
    return a * power;
}

static inline ia_pair ia_pair_div_up(ia_pair a, ia_pair b)
{
    return a / b;
}

/* (lo, hi) -> (-sqrt(lo) rounded down, sqrt(hi) rounded up), both >= 0. The root rounded up is
 * exact if and only if its square, rounded up, is the argument; otherwise the root rounded down
 * is one step below it. */
static inline ia_pair ia_sqrt_ends(ia_pair ends)
{
    const ia_pair root = ia_pair_sqrt(ends);
    const ia_mask inexact = root * root > ends;
    const ia_pair below = (ia_pair)((ia_mask)root + inexact);
    return (ia_pair){ -below[0], root[1] };
}

#endif
