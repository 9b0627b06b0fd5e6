/* SPDX-License-Identifier: MIT */
/* Interval arithmetic for kernels: type `ia`, inline operations, one rounding set-up for a whole solve.
 *
 *     const abut_rounding saved = abut_rounding_enter();
 *     kernel(in, out);                    // a separate ABUT_NOINLINE function that takes pointers
 *     abut_rounding_leave(saved);
 *
 * All ia_ operations must run between enter and leave. Plain doubles computed there may be rounded upward: they may
 * steer, never bound; the exact predicates need rounding to nearest and must be called outside. The kernel must be a
 * separate, never inlined function, because compilers move arithmetic across a change of rounding mode.
 *
 * Represented values never contain NaN; an empty interval is lo > hi. */
#ifndef ABUT_INTERVAL_IA_H
#define ABUT_INTERVAL_IA_H

#include "abut/interval.h"

#include <math.h>

#if defined(__FAST_MATH__)
#error "abut's certified arithmetic cannot be compiled with -ffast-math"
#endif

#define ABUT_NOINLINE __attribute__((noinline))

typedef struct abut_rounding {
    unsigned saved;
} abut_rounding;

static inline abut_rounding abut_rounding_enter(void)
{
    return (abut_rounding){ 0 };
}

static inline void abut_rounding_leave(abut_rounding saved)
{
    (void)saved;
}

typedef struct ia {
    double lo, hi;
} ia;

typedef struct ia3 {
    ia x, y, z;
} ia3;

typedef struct ia33 {
    ia m[3][3];
} ia33;

static inline double ia_lo(ia a)
{
    return a.lo;
}

static inline double ia_hi(ia a)
{
    return a.hi;
}

static inline ia ia_make(double lo, double hi)
{
    return (ia){ lo, hi };
}

static inline ia ia_point(double x)
{
    return (ia){ x, x };
}

static inline ia ia_from(abut_interval a)
{
    return (ia){ a.lo, a.hi };
}

static inline abut_interval ia_to(ia a)
{
    return (abut_interval){ a.lo, a.hi };
}

static inline double ia_down(double x)
{
    return nextafter(x, -INFINITY);
}

static inline double ia_up(double x)
{
    return nextafter(x, INFINITY);
}

static inline bool ia_is_empty(ia a)
{
    return !(a.lo <= a.hi);
}

static inline bool ia_contains(ia a, double x)
{
    return a.lo <= x && x <= a.hi;
}

static inline ia ia_neg(ia a)
{
    return (ia){ -a.hi, -a.lo };
}

static inline ia ia_add(ia a, ia b)
{
    return (ia){ ia_down(a.lo + b.lo), ia_up(a.hi + b.hi) };
}

static inline ia ia_sub(ia a, ia b)
{
    return (ia){ ia_down(a.lo - b.hi), ia_up(a.hi - b.lo) };
}

static inline ia ia_mul(ia a, ia b)
{
    const double p = a.lo * b.lo, q = a.lo * b.hi, r = a.hi * b.lo, s = a.hi * b.hi;
    return (ia){ ia_down(fmin(fmin(p, q), fmin(r, s))), ia_up(fmax(fmax(p, q), fmax(r, s))) };
}

static inline ia ia_sqr(ia a)
{
    const double l = fabs(a.lo), h = fabs(a.hi);
    const double big = l > h ? l : h, small = a.lo <= 0 && a.hi >= 0 ? 0 : l < h ? l : h;
    return (ia){ small > 0 ? ia_down(small * small) : 0, ia_up(big * big) };
}

static inline ia ia_hull(ia a, ia b)
{
    return (ia){ fmin(a.lo, b.lo), fmax(a.hi, b.hi) };
}

static inline ia ia_intersect(ia a, ia b)
{
    return (ia){ fmax(a.lo, b.lo), fmin(a.hi, b.hi) };
}

ia ia_div(ia a, ia b);
ia ia_sqrt(ia a);
ia ia_sin(ia a);
ia ia_cos(ia a);
ia ia_tan(ia a);
ia ia_asin(ia a);
ia ia_acos(ia a);
ia ia_atan(ia a);
/* Angle of the point (x, y) in [-pi, pi]; hulls that cross the cut or hold the origin give [-pi, pi]. */
ia ia_atan2(ia y, ia x);
ia ia_exp(ia a);
ia ia_log(ia a);
ia ia_pown(ia a, int n);
ia ia_pow(ia a, ia b);
ia ia_pi(void);

static inline ia ia_scale(double s, ia a)
{
    return ia_mul(ia_point(s), a);
}

#endif
