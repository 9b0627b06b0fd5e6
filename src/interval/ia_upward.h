/* SPDX-License-Identifier: MIT */
/* Rounding strategy "upward": the processor rounds up from abut_rounding_enter to abut_rounding_leave, and -lo and hi go
 * through one SSE2 instruction. Included by ia.h only.
 *
 * The control register also gets denormals back (a caller may have flushed them to zero, which is no enclosure) and all
 * exceptions masked. Leaving restores the caller's register exactly, his sticky flags included. */
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

/* All eight products, without a branch on signs: with a = (p, q) and b = (r, s), that is [-p, q] and [-r, s], the upper ends
 * of the four products of ends are (ps, pr), (qr, qs), (-pr, -ps), (-qs, -qr). A NaN is 0 times infinity and means 0. */
static inline ia ia_mul(ia a, ia b)
{
    const ia_pair p = ia_pair_first(a.v), q = ia_pair_second(a.v), turned = ia_pair_swap(b.v);
    ia_pair u = p * turned, v = q * b.v, w = -p * b.v, x = -q * turned;
    if (__builtin_expect(ia_mask_bits((ia_mask)_mm_or_pd(_mm_cmpunord_pd(u, v), _mm_cmpunord_pd(w, x))), 0)) {
        u = ia_pair_and(u, u == u);
        v = ia_pair_and(v, v == v);
        w = ia_pair_and(w, w == w);
        x = ia_pair_and(x, x == x);
    }
    return (ia){ ia_pair_max(ia_pair_max(u, v), ia_pair_max(w, x)) };
}

/* (lo, hi) -> (-sqrt(lo) rounded down, sqrt(hi) rounded up), both >= 0. The root rounded up is exact if and only if its
 * square, rounded up, is the argument; otherwise the root rounded down is one step below it. */
static inline ia_pair ia_sqrt_ends(ia_pair ends)
{
    const ia_pair root = ia_pair_sqrt(ends);
    const ia_mask inexact = root * root > ends;
    const ia_pair below = (ia_pair)((ia_mask)root + inexact);
    return (ia_pair){ -below[0], root[1] };
}

#endif
