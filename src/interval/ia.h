/* SPDX-License-Identifier: MIT */
/* Interval arithmetic for kernels: type `ia`, inline operations, one rounding set-up for a whole
 * solve.
 *
 *     const abut_rounding saved = abut_rounding_enter();
 *     kernel(in, out);                    // a separate ABUT_NOINLINE function that takes pointers
 *     abut_rounding_leave(saved);
 *
 * All ia_ operations must run between enter and leave. Plain doubles computed there may be rounded
 * upward: they may steer, never bound; the exact predicates need rounding to nearest and must be
 * called outside. The kernel must be a separate, never inlined function, because compilers move
 * arithmetic across a change of rounding mode.
 *
 * An interval [lo, hi] is held as the pair (-lo, hi), so that both ends round the same way, up. Two
 * strategies for "up", with the same names and the same results to within an ulp, are chosen when
 * compiling: ia_upward.h    the processor's upward mode, set by abut_rounding_enter (x86 with SSE2;
 * the default there, because it is
 *                  measured to be 2 to 5 times faster);
 * ia_portable.h  rounding to nearest, then a step to the next double where the error-free transform
 * says that the
 *                  result was rounded down (ABUT_INTERVAL_PORTABLE, and wherever there is no SSE2).
 *
 * Arguments of arithmetic must not be empty: test with ia_is_empty after ia_intersect. With
 * arguments that are not empty no result holds a NaN, whatever is infinite. Empty is lo > hi;
 * set operations accept it. Functions with a domain (sqrt, log, asin, acos, pow, div by [0,0])
 * drop what is outside it and return ia_empty() when nothing is left. */
#ifndef ABUT_INTERVAL_IA_H
#define ABUT_INTERVAL_IA_H

#include "abut/interval.h"

#include <float.h>
#include <math.h>
#include <string.h>

#if defined(__FAST_MATH__)
#error "abut's certified arithmetic cannot be compiled with -ffast-math"
#endif
#if FLT_EVAL_METHOD != 0
#error "abut's certified arithmetic needs doubles that are computed as doubles"
#endif

#if defined(__SSE2__)
#include <emmintrin.h>
#elif !defined(ABUT_INTERVAL_PORTABLE)
#define ABUT_INTERVAL_PORTABLE
#endif

#if defined(__GNUC__) && !defined(__clang__)
/* noipa: the compiler must not look inside and conclude that the call may move across the change
 * of mode. */
#define ABUT_NOINLINE __attribute__((noipa))
#else
#define ABUT_NOINLINE __attribute__((noinline))
#endif

/* Two doubles in one register, and what comparing them gives: all ones or all zeros in each
 * half. */
typedef double ia_pair __attribute__((vector_size(16)));
typedef long long ia_mask __attribute__((vector_size(16)));

/* (-lo, hi) */
typedef struct ia {
    ia_pair v;
} ia;

typedef struct ia3 {
    ia x, y, z;
} ia3;

typedef struct ia33 {
    ia m[3][3];
} ia33;

/* ---- pairs ---- */

static inline ia_pair ia_pair_of(double both)
{
    return (ia_pair){ both, both };
}

static inline ia_pair ia_pair_swap(ia_pair a)
{
    return __builtin_shufflevector(a, a, 1, 0);
}

static inline ia_pair ia_pair_first(ia_pair a)
{
    return __builtin_shufflevector(a, a, 0, 0);
}

static inline ia_pair ia_pair_second(ia_pair a)
{
    return __builtin_shufflevector(a, a, 1, 1);
}

static inline ia_pair ia_pair_and(ia_pair a, ia_mask m)
{
    return (ia_pair)((ia_mask)a & m);
}

/* m ? a : b in each half */
static inline ia_pair ia_pair_select(ia_mask m, ia_pair a, ia_pair b)
{
    return (ia_pair)((ia_mask)b ^ (((ia_mask)a ^ (ia_mask)b) & m));
}

static inline ia_pair ia_pair_abs(ia_pair a)
{
    return ia_pair_and(a, (ia_mask){ INT64_MAX, INT64_MAX });
}

#if defined(__SSE2__)
static inline ia_pair ia_pair_max(ia_pair a, ia_pair b)
{
    return _mm_max_pd(a, b);
}

static inline ia_pair ia_pair_min(ia_pair a, ia_pair b)
{
    return _mm_min_pd(a, b);
}

static inline ia_pair ia_pair_sqrt(ia_pair a)
{
    return _mm_sqrt_pd(a);
}

/* Bit 0 for the first half, bit 1 for the second. */
static inline int ia_mask_bits(ia_mask m)
{
    return _mm_movemask_pd((__m128d)m);
}

/* Where either is NaN. */
static inline ia_mask ia_unordered(ia_pair a, ia_pair b)
{
    return (ia_mask)_mm_cmpunord_pd(a, b);
}

/* All ones where the sign bit is set: of each half, and of one half for both. */
static inline ia_mask ia_signs(ia_pair a)
{
    return (ia_mask)_mm_shuffle_epi32(_mm_srai_epi32((__m128i)a, 31), _MM_SHUFFLE(3, 3, 1, 1));
}

static inline ia_mask ia_sign_of_first(ia_pair a)
{
    return (ia_mask)_mm_shuffle_epi32(_mm_srai_epi32((__m128i)a, 31), _MM_SHUFFLE(1, 1, 1, 1));
}

static inline ia_mask ia_sign_of_second(ia_pair a)
{
    return (ia_mask)_mm_shuffle_epi32(_mm_srai_epi32((__m128i)a, 31), _MM_SHUFFLE(3, 3, 3, 3));
}
#else
static inline ia_pair ia_pair_max(ia_pair a, ia_pair b)
{
    return ia_pair_select(a > b, a, b);
}

static inline ia_pair ia_pair_min(ia_pair a, ia_pair b)
{
    return ia_pair_select(a < b, a, b);
}

static inline ia_pair ia_pair_sqrt(ia_pair a)
{
    return (ia_pair){ sqrt(a[0]), sqrt(a[1]) };
}

static inline int ia_mask_bits(ia_mask m)
{
    return (int)((m[0] & 1) | (m[1] & 2));
}

static inline ia_mask ia_unordered(ia_pair a, ia_pair b)
{
    return (a != a) | (b != b);
}

static inline ia_mask ia_signs(ia_pair a)
{
    return (ia_mask)a < (ia_mask){ 0, 0 };
}

static inline ia_mask ia_sign_of_first(ia_pair a)
{
    return ia_signs(ia_pair_first(a));
}

static inline ia_mask ia_sign_of_second(ia_pair a)
{
    return ia_signs(ia_pair_second(a));
}
#endif

/* a b - product, exactly, for a b rounded to `product` in any mode, unless something underflows
 * or overflows (then it may be off, or NaN). Dekker's product; see twofold.h. */
static inline ia_pair ia_pair_mul_error(ia_pair a, ia_pair b, ia_pair product)
{
    const ia_mask half = { 1 << 26, 1 << 26 }, kept = { -(1 << 27), -(1 << 27) };
    const ia_pair ah = (ia_pair)(((ia_mask)a + half) & kept), al = a - ah;
    const ia_pair bh = (ia_pair)(((ia_mask)b + half) & kept), bl = b - bh;
    return ((ah * bh - product) + ah * bl + al * bh) + al * bl;
}

/* ---- making and reading ---- */

static inline double ia_lo(ia a)
{
    return -a.v[0];
}

static inline double ia_hi(ia a)
{
    return a.v[1];
}

static inline ia ia_make(double lo, double hi)
{
    return (ia){ { -lo, hi } };
}

/* x must be finite. */
static inline ia ia_point(double x)
{
    return (ia){ { -x, x } };
}

static inline ia ia_empty(void)
{
    return (ia){ { -HUGE_VAL, -HUGE_VAL } };
}

static inline ia ia_entire(void)
{
    return (ia){ { HUGE_VAL, HUGE_VAL } };
}

static inline ia ia_from(abut_interval a)
{
    return ia_make(a.lo, a.hi);
}

static inline abut_interval ia_to(ia a)
{
    return (abut_interval){ ia_lo(a), ia_hi(a) };
}

/* A public interval as abut/interval.h reads it: NaN ends give the entire line; [inf, inf],
 * which is no number at all but comes from an overflow, gives the numbers that large. Otherwise
 * like ia_from. */
static inline ia ia_read(const abut_interval *a)
{
    if (!(a->lo == a->lo) || !(a->hi == a->hi))
        return ia_entire();
    if (a->lo > a->hi)
        return ia_empty();
    return ia_make(a->lo < DBL_MAX ? a->lo : DBL_MAX, a->hi > -DBL_MAX ? a->hi : -DBL_MAX);
}

/* As abut/interval.h returns it: empty is [inf, -inf], and there is no -0. */
static inline abut_interval ia_write(ia a)
{
    if (!(ia_lo(a) <= ia_hi(a)))
        return (abut_interval){ HUGE_VAL, -HUGE_VAL };
    return (abut_interval){ ia_lo(a) + 0.0, ia_hi(a) + 0.0 };
}

/* The next double above, and below; infinite ends stay. Right in every rounding mode. */
static inline double ia_up(double x)
{
    int64_t bits;
    if (!(x < HUGE_VAL))
        return x;
    if (x == 0)
        return 0x1p-1074;
    memcpy(&bits, &x, sizeof bits);
    bits += bits < 0 ? -1 : 1;
    memcpy(&x, &bits, sizeof bits);
    return x;
}

static inline double ia_down(double x)
{
    return -ia_up(-x);
}

static inline bool ia_is_empty(ia a)
{
    return !(ia_lo(a) <= ia_hi(a));
}

static inline bool ia_is_point(ia a)
{
    return ia_lo(a) == ia_hi(a);
}

static inline bool ia_is_finite(ia a)
{
    return a.v[0] < HUGE_VAL && a.v[1] < HUGE_VAL;
}

static inline bool ia_contains(ia a, double x)
{
    return ia_lo(a) <= x && x <= ia_hi(a);
}

static inline bool ia_contains_zero(ia a)
{
    return ia_mask_bits(a.v >= ia_pair_of(0)) == 3;
}

/* a in b */
static inline bool ia_subset(ia a, ia of_b)
{
    return ia_is_empty(a) || ia_mask_bits(a.v <= of_b.v) == 3;
}

/* a in the interior of b; an infinite end of both counts as interior. */
static inline bool ia_interior(ia a, ia of_b)
{
    return ia_is_empty(a) || ia_mask_bits((a.v < of_b.v) | (of_b.v == ia_pair_of(HUGE_VAL))) == 3;
}

static inline bool ia_is_positive(ia a)
{
    return ia_lo(a) > 0;
}

static inline bool ia_is_negative(ia a)
{
    return ia_hi(a) < 0;
}

static inline bool ia_is_nonnegative(ia a)
{
    return ia_lo(a) >= 0;
}

static inline bool ia_is_nonpositive(ia a)
{
    return ia_hi(a) <= 0;
}

/* 1 where all of a is positive, -1 where all is negative, 0 where that is not known. */
static inline int ia_sign(ia a)
{
    return ia_is_positive(a) - ia_is_negative(a);
}

/* Largest and smallest absolute value in a. */
static inline double ia_mag(ia a)
{
    return a.v[0] > a.v[1] ? a.v[0] : a.v[1];
}

static inline double ia_mig(ia a)
{
    return ia_lo(a) > 0 ? ia_lo(a) : ia_hi(a) < 0 ? -ia_hi(a) : 0;
}

/* A finite double inside a, near its middle; see abut_interval_mid. */
static inline double ia_mid(ia a)
{
    const double lo = ia_lo(a), hi = ia_hi(a);
    if (!ia_is_finite(a))
        return lo > -HUGE_VAL ? DBL_MAX : hi < HUGE_VAL ? -DBL_MAX : 0;
    const double mid = 0.5 * lo + 0.5 * hi;
    return mid < lo ? lo : mid > hi ? hi : mid;
}

/* ---- sets ---- */

static inline ia ia_hull(ia a, ia b)
{
    return (ia){ ia_pair_max(a.v, b.v) };
}

static inline ia ia_intersect(ia a, ia b)
{
    return (ia){ ia_pair_min(a.v, b.v) };
}

static inline ia ia_neg(ia a)
{
    return (ia){ ia_pair_swap(a.v) };
}

static inline ia ia_min(ia a, ia b)
{
    return (ia){ ia_pair_select((ia_mask){ -1, 0 }, ia_pair_max(a.v, b.v), ia_pair_min(a.v, b.v)) };
}

static inline ia ia_max(ia a, ia b)
{
    return (ia){ ia_pair_select((ia_mask){ -1, 0 }, ia_pair_min(a.v, b.v), ia_pair_max(a.v, b.v)) };
}

static inline ia ia_abs(ia a)
{
    return ia_make(ia_mig(a), ia_mag(a));
}

/* ---- arithmetic: from the strategy come abut_rounding, abut_rounding_enter,
 * abut_rounding_leave, ia_pair_add_up, ia_pair_mul_up, ia_pair_scale_up, ia_pair_div_up,
 * ia_sqrt_ends ---- */

#if defined(ABUT_INTERVAL_PORTABLE)
#include "interval/ia_portable.h"
#else
#include "interval/ia_upward.h"
#endif

static inline ia ia_add(ia a, ia b)
{
    return (ia){ ia_pair_add_up(a.v, b.v) };
}

static inline ia ia_sub(ia a, ia b)
{
    return (ia){ ia_pair_add_up(a.v, ia_pair_swap(b.v)) };
}

/* Without a branch on signs: with a = (p, q), that is [-p, q], each end of a is multiplied by
 * the end of b that takes the product further out. For -p that gives |p| b, or |p| (-b) where -p
 * is negative; for q it gives |q| b, or |q| (-b) where q is negative; the farther of the two
 * counts at either end. A NaN is 0 times infinity and means 0. */
static inline ia ia_mul(ia a, ia b)
{
    const ia_pair minus_b = ia_pair_swap(b.v), size = ia_pair_abs(a.v);
    ia_pair u = ia_pair_mul_up(ia_pair_first(size), ia_pair_select(ia_sign_of_first(a.v), b.v, minus_b));
    ia_pair v = ia_pair_mul_up(ia_pair_second(size), ia_pair_select(ia_sign_of_second(a.v), minus_b, b.v));
    if (__builtin_expect(ia_mask_bits(ia_unordered(u, v)), 0)) {
        u = ia_pair_and(u, u == u);
        v = ia_pair_and(v, v == v);
    }
    return (ia){ ia_pair_max(u, v) };
}

/* s a; s must be finite */
static inline ia ia_scale(double s, ia a)
{
    const ia_pair factor = ia_pair_of(s);
    const ia_pair turned = ia_pair_select(factor < ia_pair_of(0), ia_pair_swap(a.v), a.v);
    const ia_pair product = ia_pair_mul_up(ia_pair_abs(factor), turned);
    return (ia){ ia_pair_and(product, product == product) }; /* 0 times an infinite end is 0 */
}

static inline ia ia_sqr(ia a)
{
    const double mag = ia_mag(a), mig = ia_mig(a);
    return (ia){ ia_pair_mul_up((ia_pair){ -mig, mag }, (ia_pair){ mig, mag }) };
}

/* hi - lo rounded up; 0 if empty. */
static inline double ia_width(ia a)
{
    return ia_is_empty(a) ? 0 : ia_pair_add_up(a.v, ia_pair_swap(a.v))[1];
}

/* The division by an interval that holds zero: see abut_interval_div. */
ia ia_div_by_zero(ia a, ia b);

static inline ia ia_div(ia a, ia b)
{
    if (ia_contains_zero(b))
        return ia_div_by_zero(a, b);
    /* Turn the signs of both so that b is positive: a negative b swaps the ends of a. Then each
     * end of a is divided by the end of b that takes the quotient further out: the nearer to
     * zero where -lo or hi is positive, the farther otherwise. */
    const ia_mask negative = ia_sign_of_second(b.v);
    const ia_pair n = ia_pair_select(negative, ia_pair_swap(a.v), a.v), size = ia_pair_abs(b.v);
    const ia_mask other = ia_signs(n) ^ negative;
    return (ia){ ia_pair_div_up(n, ia_pair_select(other, ia_pair_second(size), ia_pair_first(size))) };
}

static inline ia ia_sqrt(ia a)
{
    if (ia_hi(a) < 0)
        return ia_empty();
    return (ia){ ia_sqrt_ends(ia_pair_max((ia_pair){ ia_lo(a), ia_hi(a) }, ia_pair_of(0))) };
}

ia ia_sin(ia a);
ia ia_cos(ia a);
/* Both, to the last bit; the work they share is done once. */
void ia_sin_cos(ia a, ia *sin, ia *cos);
/* The entire line when a pole is inside. */
ia ia_tan(ia a);
ia ia_asin(ia a);
ia ia_acos(ia a);
ia ia_atan(ia a);
/* Angle of the point (x, y) in [-pi, pi]; hulls that cross the cut or hold the origin give [-pi,
 * pi]. */
ia ia_atan2(ia y, ia x);
ia ia_exp(ia a);
ia ia_log(ia a);
ia ia_pown(ia a, int n);
ia ia_pow(ia a, ia b);

static inline ia ia_pi(void)
{
    return ia_make(0x1.921fb54442d18p+1, 0x1.921fb54442d19p+1);
}

#endif
