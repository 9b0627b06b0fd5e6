/* SPDX-License-Identifier: MIT */
/* exp, log, real and integer powers of intervals, both ends at once.
 *
 * exp: x = k ln(2)/64 + r, |r| < 0.0055; exp(x) = 2^(k/64) (1 + r + r^2 (...)) with the first two
 * terms in two doubles. log: x = 2^e m with m in [0.6875, 1.375); c close to 1/m from a table, of
 * 10 bits; r = m c - 1 exactly, |r| <= 2^-7;
 *      log(x) = e ln(2) - ln(c) + r - r^2/2 + r^3 (...) with all but the cubic in two doubles.
 * pow: exp(y log(x)) with the logarithm and the product in two doubles, at the four corners of the
 * box. pown: powers of the mantissa in two doubles, the exponent in an integer; exact when every
 * product was.
 *
 * Bounds on all errors: docs/notes/interval-elementary.md. Nothing here depends on the rounding
 * mode; see twofold.h. */
#include "interval/tables.h"
#include "interval/twofold.h"

/* Relative; derived in docs/notes/interval-elementary.md. */
#define EXP_ERROR  0x1p-63
#define LOG_ERROR  0x1p-63
#define POWN_ERROR 0x1p-63

/* b 2^n, still bounds, for values near 1; n beyond +-2000 is no different from that. Only the
 * second factor can overflow or underflow. */
static ABUT_NOINLINE twofold_bounds scale_far(twofold_bounds b, const int n[2])
{
    int first[2], second[2];
    for (int i = 0; i < 2; ++i) {
        first[i] = n[i] > 1000 ? 1000 : n[i] < -1000 ? -1000 : n[i];
        second[i] = n[i] - first[i];
        second[i] = second[i] > 1000 ? 1000 : second[i] < -1000 ? -1000 : second[i];
    }
    const ia_pair f = { twofold_power_of_two(first[0]), twofold_power_of_two(first[1]) };
    const ia_pair g = { twofold_power_of_two(second[0]), twofold_power_of_two(second[1]) };
    return (twofold_bounds){ ia_pair_scale_up(b.up * f, g), ia_pair_scale_up(b.opposite_up * f, g) };
}

/* The values are positive. */
static inline twofold_bounds scale(twofold_bounds b, const int n[2])
{
    if (__builtin_expect((unsigned)(n[0] + 1000) <= 2000 && (unsigned)(n[1] + 1000) <= 2000, 1)) {
        const ia_pair factor = { twofold_power_of_two(n[0]), twofold_power_of_two(n[1]) };
        return (twofold_bounds){ b.up * factor, b.opposite_up * factor };
    }
    b = scale_far(b, n);
    b.opposite_up = ia_pair_min(b.opposite_up, ia_pair_of(-0.0));
    return b;
}

/* exp(x) = result 2^n, to EXP_ERROR; x beyond 800 counts as 800. */
static inline twofold exp_at(twofold x, int n[2])
{
    const ia_mask sign = { INT64_MIN, INT64_MIN };
    /* Beyond 800 there is only overflow or underflow. */
    const ia_mask far = ia_pair_abs(x.high) > ia_pair_of(800);
    x.high = ia_pair_max(ia_pair_min(x.high, ia_pair_of(800)), ia_pair_of(-800));
    x.low = ia_pair_and(x.low, ~far);
    const ia_pair half = (ia_pair)(((ia_mask)x.high & sign) | (ia_mask)ia_pair_of(0.5));
    const ia_pair y = x.high * ia_pair_of(abut_interval_ln2_64_inverse) + half;
    int k[2];
#if defined(__SSE2__)
    const __m128i whole = _mm_cvttpd_epi32(y); /* truncation does not depend on the rounding mode */
    const ia_pair kd = _mm_cvtepi32_pd(whole);
    k[0] = _mm_cvtsi128_si32(whole);
    k[1] = _mm_cvtsi128_si32(_mm_srli_si128(whole, 4));
#else
    k[0] = (int)y[0];
    k[1] = (int)y[1];
    const ia_pair kd = { k[0], k[1] };
#endif
    const ia_pair first = x.high - kd * ia_pair_of(abut_interval_ln2_64_one); /* exact */
    const twofold r2 = twofold_add(first, -(kd * ia_pair_of(abut_interval_ln2_64_two)));
    /* x.low may be as large as 2^-44: only after this sum is the product of r and its low part
     * negligible. */
    const twofold r3 = twofold_add(r2.high, r2.low + x.low);
    const ia_pair r = r3.high, r_low = r3.low;

    const double *t0 = abut_interval_exp2_table[k[0] & 63], *t1 = abut_interval_exp2_table[k[1] & 63];
    const ia_pair th = { t0[0], t1[0] }, tl = { t0[1], t1[1] };
    /* Taylor up to r^6; the next term, r^7/5040, is below 2^-65. */
    const ia_pair e2 = ia_pair_of(0.5), e3 = ia_pair_of(0.16666666666666667),
                  e4 = ia_pair_of(4.1666666666666667e-2);
    const ia_pair e5 = ia_pair_of(8.3333333333333333e-3), e6 = ia_pair_of(1.3888888888888889e-3);
    const ia_pair rest = r * r * (e2 + r * (e3 + r * (e4 + r * (e5 + r * e6))));
    const twofold line = twofold_mul(th, r);
    const twofold sum = twofold_add(th, line.high);
    /* The shift rounds down, as the mask does. */
    n[0] = (k[0] - (k[0] & 63)) / 64;
    n[1] = (k[1] - (k[1] & 63)) / 64;
    return (twofold){ sum.high, (((tl + line.low) + sum.low) + tl * r) + th * (rest + r_low) };
}

/* exp(x) where x is known to within `error` (absolute, small); exp(x) = 1 exactly where `exact`. */
static inline twofold_bounds exp_bounds(twofold x, ia_pair error, ia_mask exact)
{
    int n[2];
    const twofold value = exp_at(x, n);
    const ia_pair relative = error + ia_pair_of(EXP_ERROR);
    return scale(twofold_bound(value, ia_pair_and(value.high * relative, ~exact)), n);
}

ia ia_exp(ia a)
{
    const ia_pair x = { ia_lo(a), ia_hi(a) };
    return twofold_rising(exp_bounds((twofold){ x, ia_pair_of(0) }, ia_pair_of(0), x == ia_pair_of(0)));
}

/* log of positive finite numbers, to LOG_ERROR. */
static inline twofold log_at(ia_pair x)
{
    ia_pair m, c, e, logc_high, logc_low;
    for (int i = 0; i < 2; ++i) {
        int64_t bits;
        double xi = x[i], mi;
        int64_t shift = 0;
        if (__builtin_expect(xi < DBL_MIN, 0)) {
            xi *= 0x1p54;
            shift = -54;
        }
        memcpy(&bits, &xi, sizeof bits);
        const int64_t from_start = bits - 0x3fe6000000000000;
        const int64_t exponent =
            from_start >= 0 ? from_start >> 52 : -((-from_start + 0xfffffffffffff) >> 52);
        bits -= exponent * (1LL << 52);
        memcpy(&mi, &bits, sizeof mi);
        const double *row = abut_interval_log_table[(bits - 0x3fe6000000000000) >> 45];
        m[i] = mi;
        c[i] = row[0];
        e[i] = (double)(exponent + shift);
        logc_high[i] = row[1];
        logc_low[i] = row[2];
    }
    const twofold p = twofold_mul(m, c);
    const twofold r = twofold_add(p.high - ia_pair_of(1), p.low);
    const ia_pair rh = r.high;
    const twofold square = twofold_mul(rh, rh);
    const twofold head = twofold_add(rh, ia_pair_of(-0.5) * square.high);
    /* Taylor up to r^9; the next term, r^10/10, is below 2^-66 of r. */
    const ia_pair l3 = ia_pair_of(0.33333333333333333), l4 = ia_pair_of(-0.25), l5 = ia_pair_of(0.2);
    const ia_pair l6 = ia_pair_of(-0.16666666666666667), l7 = ia_pair_of(0.14285714285714286);
    const ia_pair l8 = ia_pair_of(-0.125), l9 = ia_pair_of(0.11111111111111111);
    const ia_pair cubic =
        rh * square.high * (l3 + rh * (l4 + rh * (l5 + rh * (l6 + rh * (l7 + rh * (l8 + rh * l9))))));
    /* Multiples of 2^-42 below 2^10: the sum is exact. */
    const ia_pair base = e * ia_pair_of(abut_interval_ln2_high) + logc_high;
    const twofold sum = twofold_add(base, head.high);
    const ia_pair small = (e * ia_pair_of(abut_interval_ln2_low) + logc_low) + sum.low;
    const ia_pair low = (small + (head.low + (r.low - ia_pair_of(0.5) * square.low - rh * r.low))) + cubic;
    return twofold_add(sum.high, low);
}

ia ia_log(ia a)
{
    if (!(ia_hi(a) > 0))
        return ia_empty();
    const double lo = ia_lo(a) > 0 ? ia_lo(a) : 1, hi = ia_hi(a) < HUGE_VAL ? ia_hi(a) : 1;
    const twofold l = log_at((ia_pair){ lo, hi });
    ia out = twofold_rising(twofold_bound(l, ia_pair_abs(l.high) * ia_pair_of(LOG_ERROR)));
    if (!(ia_lo(a) > 0))
        out.v[0] = HUGE_VAL;
    if (!(ia_hi(a) < HUGE_VAL))
        out.v[1] = HUGE_VAL;
    return out;
}

/* x^y, x >= 0 and y either may be infinite; the limit where it is no number. */
static twofold_bounds pow_bounds(ia_pair x, ia_pair y)
{
    const ia_pair zero = ia_pair_of(0);
    const ia_mask unbounded = (x == zero) | (x == ia_pair_of(HUGE_VAL));
    twofold l = log_at(ia_pair_select(unbounded, ia_pair_of(1), x));
    /* Far enough for every y that is not zero: |y| >= 2^-1074. */
    const ia_pair far = ia_pair_select(x == zero, ia_pair_of(-DBL_MAX), ia_pair_of(DBL_MAX));
    const ia_mask exact = ((l.high == zero) & ~unbounded) | (y == zero);
    /* Any other logarithm is at least 2^-53, so that beyond 1e300 there is only overflow or
     * underflow. */
    y = ia_pair_max(ia_pair_min(y, ia_pair_of(1e300)), ia_pair_of(-1e300));
    twofold p = twofold_product(l, (twofold){ y, zero });
    const ia_mask sign = { INT64_MIN, INT64_MIN };
    const ia_pair limit = (ia_pair)((((ia_mask)far ^ (ia_mask)y) & sign) | (ia_mask)ia_pair_of(900));
    p.high = ia_pair_and(ia_pair_select(unbounded, limit, p.high), y != zero);
    p.low = ia_pair_and(p.low, ~unbounded & (y != zero));
    /* LOG_ERROR and what the product adds, of p; where that is far from small the result
     * overflows anyway. */
    const ia_pair error = ia_pair_min(ia_pair_abs(p.high), ia_pair_of(900)) * ia_pair_of(1.0625 * LOG_ERROR);
    return exp_bounds(p, error, exact);
}

ia ia_pow(ia a, ia b)
{
    if (ia_hi(a) < 0)
        return ia_empty();
    const double lo = ia_lo(a) > 0 ? ia_lo(a) : 0, hi = ia_hi(a);
    if (hi == 0)
        return ia_hi(b) > 0 ? ia_point(0) : ia_empty();
    const ia_pair x = { lo, hi }, y = { ia_lo(b), ia_hi(b) };
    const twofold_bounds p = pow_bounds(x, y), q = pow_bounds(x, ia_pair_swap(y));
    const ia_pair up = ia_pair_max(p.up, q.up), opposite_up = ia_pair_max(p.opposite_up, q.opposite_up);
    return ia_make(-(opposite_up[0] > opposite_up[1] ? opposite_up[0] : opposite_up[1]),
                   up[0] > up[1] ? up[0] : up[1]);
}

/* x^n for x >= 0, n != 0. */
static twofold_bounds pown_bounds(ia_pair x, int n)
{
    const unsigned size = n < 0 ? 0u - (unsigned)n : (unsigned)n;
    ia_pair m = ia_pair_of(1);
    int64_t e[2] = { 0, 0 }, total[2];
    for (int i = 0; i < 2; ++i) {
        if (!(x[i] > 0 && x[i] < HUGE_VAL))
            continue;
        double xi = x[i];
        if (xi < DBL_MIN) {
            xi *= 0x1p54;
            e[i] = -54;
        }
        int64_t bits;
        memcpy(&bits, &xi, sizeof bits);
        e[i] += (bits >> 52) - 1023;
        bits = (bits & 0xfffffffffffff) | 0x3ff0000000000000;
        memcpy(&xi, &bits, sizeof xi);
        m[i] = xi;
    }
    total[0] = e[0];
    total[1] = e[1];
    twofold power = { m, ia_pair_of(0) };
    ia_mask exact = { -1, -1 };
    for (int bit = 30 - __builtin_clz(size); bit >= 0; --bit) {
        power = twofold_product(power, power);
        exact &= power.low == ia_pair_of(0);
        const bool once_more = size >> bit & 1;
        if (once_more) {
            power = twofold_product(power, (twofold){ m, ia_pair_of(0) });
            exact &= power.low == ia_pair_of(0);
        }
        for (int i = 0; i < 2; ++i) {
            int64_t bits;
            const double high = power.high[i];
            memcpy(&bits, &high, sizeof bits);
            const int out = (int)(bits >> 52) - 1023;
            total[i] = 2 * total[i] + (once_more ? e[i] : 0) + out;
            power.high[i] *= twofold_power_of_two(-out);
            power.low[i] *= twofold_power_of_two(-out);
        }
    }
    if (n < 0) {
        const ia_pair one = ia_pair_of(1);
        exact &= (power.high == one);
        power = twofold_quotient((twofold){ one, ia_pair_of(0) }, power);
        total[0] = -total[0];
        total[1] = -total[1];
    }
    int shift[2];
    for (int i = 0; i < 2; ++i)
        shift[i] = total[i] > 3000 ? 3000 : total[i] < -3000 ? -3000 : (int)total[i];
    twofold_bounds b =
        scale(twofold_bound(power, ia_pair_and(power.high * ia_pair_of(POWN_ERROR), ~exact)), shift);
    for (int i = 0; i < 2; ++i) {
        if (x[i] > 0 && x[i] < HUGE_VAL)
            continue;
        const bool infinite = (x[i] > 0) == (n > 0);
        b.up[i] = infinite ? HUGE_VAL : 0;
        b.opposite_up[i] = infinite ? -DBL_MAX : 0;
    }
    return b;
}

ia ia_pown(ia a, int n)
{
    if (n == 0)
        return ia_point(1);
    if (n == 1)
        return a;
    if (n == 2)
        return ia_sqr(a);
    if (n < 0 && ia_lo(a) == 0 && ia_hi(a) == 0)
        return ia_empty();
    if (n % 2 == 0) {
        /* |x|^n rises with |x| for n > 0 and falls for n < 0 */
        const ia_pair sizes = { ia_mig(a), ia_mag(a) };
        return twofold_rising(pown_bounds(n > 0 ? sizes : ia_pair_swap(sizes), n));
    }
    if (n < 0 && ia_lo(a) < 0 && ia_hi(a) > 0)
        return ia_entire();
    const ia_pair ends = { ia_lo(a), ia_hi(a) };
    const twofold_bounds b = pown_bounds(ia_pair_abs(ends), n);
    /* An end that is zero belongs to the sign of the other one. */
    const bool negative[2] = { ends[0] < 0, ends[1] < 0 || (ends[1] == 0 && ends[0] < 0 && n < 0) };
    double lower[2], upper[2];
    for (int i = 0; i < 2; ++i) {
        lower[i] = negative[i] ? -b.up[i] : -b.opposite_up[i];
        upper[i] = negative[i] ? b.opposite_up[i] : b.up[i];
    }
    return n > 0 ? ia_make(lower[0], upper[1]) : ia_make(lower[1], upper[0]);
}
