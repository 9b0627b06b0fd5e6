/* SPDX-License-Identifier: MIT */
/* sin, cos and tan of intervals, both ends at once.
 *
 * Method: x = k pi/64 + r with |r| < 0.0247, and sin(x) = S cos(r) + C sin(r) with S, C from a
 * table over the whole circle in two doubles each. Only S + C r is computed in two doubles; the
 * rest is below 2^-10 of the result, in plain doubles. Up to 32768 the reduction subtracts k times
 * pi/64 in three parts; beyond, and for results so close to zero that this would lose digits, it
 * multiplies the integer mantissa by the bits of 2/pi that matter (Payne and Hanek, SIGNUM 1983).
 * Which monotone piece an end lies on is read off k and the sign of r, so that an interior extremum
 * is never missed and never invented. Bounds on all errors: docs/notes/interval-elementary.md.
 *
 * Surprise: nothing here depends on the rounding mode; see twofold.h. */
#include "interval/tables.h"
#include "interval/twofold.h"

/* Of |s|; derived in docs/notes/interval-elementary.md. */
#define SIN_ERROR 0x1p-59

#define FAST_LIMIT 32768.0
/* Below this sin(x) = x up to less than an ulp, and x^3 would underflow. */
#define TINY 0x1p-300

typedef struct reduced {
    int k[2]; /* modulo 128 matters */
    twofold r;
} reduced;

static uint32_t two_over_pi_bits(int first)
{
    /* 32 bits of 2/pi from the bit of weight 2^-(first + 1) on; zeros before the binary point. */
    uint64_t window = 0;
    const int word = first >> 5;
    for (int i = word; i < word + 2; ++i)
        window = window << 32 | (i >= 0 ? abut_interval_two_over_pi[i] : 0);
    return (uint32_t)(window >> (32 - (first & 31)));
}

/* One finite x, not zero, in integers: x 2/pi mod 4 as a fraction of 256 bits, of which the
 * mantissa's error leaves at least 200; the nearest any double comes to a multiple of pi/2 is
 * about 2^-61, so more than 130 significant bits are left. */
static void reduce_exactly(double x, int *k, double *high, double *low)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int biased = (int)(bits >> 52 & 0x7ff);
    const uint64_t mantissa = ((uint64_t)bits & 0xfffffffffffff) | 0x10000000000000;
    const int exponent = biased - 1075; /* x = mantissa 2^exponent; arguments here are normal */
    uint32_t product[8] = { 0 };        /* least significant word first */
    uint64_t carry_low = 0, carry_high = 0;
    for (int i = 0; i < 8; ++i) {
        /* The most significant bit of the 256 gets the weight 2^1 when multiplied by 2^exponent. */
        const uint64_t w = two_over_pi_bits(exponent - 2 + 32 * (7 - i));
        const uint64_t a = w * (mantissa & 0xffffffff) + carry_low;
        const uint64_t b = w * (mantissa >> 32) + carry_high;
        product[i] = (uint32_t)a;
        carry_low = (a >> 32) + (b & 0xffffffff);
        carry_high = b >> 32;
    }
    /* The top 7 bits count pi/64; the rest is a fraction, made signed. */
    int cell = (int)(product[7] >> 25);
    const bool round_up = product[7] >> 24 & 1;
    product[7] &= 0x1ffffff;
    if (round_up) {
        ++cell;
        uint64_t carry = 1;
        for (int i = 0; i < 8; ++i) {
            carry += (uint32_t)~product[i];
            product[i] = (uint32_t)carry;
            carry >>= 32;
        }
        product[7] &= 0x1ffffff;
    }
    int top = 7;
    while (top > 3 && product[top] == 0)
        --top;
    uint64_t a = (uint64_t)product[top] << 32 | product[top - 1];
    uint64_t b = (uint64_t)product[top - 2] << 32 | product[top - 3];
    int scale = 32 * (top - 7) + 7; /* a 2^-64 2^scale is the fraction */
    while (!(a >> 63)) {
        a = a << 1 | b >> 63;
        b <<= 1;
        --scale;
    }
    const double h = (double)(int64_t)(a >> 11) * twofold_power_of_two(scale - 53);
    const double l = (double)(int64_t)((a & 2047) << 42 | b >> 22) * twofold_power_of_two(scale - 106);
    const bool flip = (x < 0) != round_up;
    *k = x < 0 ? -cell : cell;
    *high = flip ? -h : h;
    *low = flip ? -l : l;
}

static ABUT_NOINLINE void reduce_hard(ia_pair x, reduced *out)
{
    ia_pair high, low;
    for (int i = 0; i < 2; ++i) {
        double h = 0, l = 0;
        out->k[i] = 0;
        if (x[i] > -0.024 && x[i] < 0.024) {
            high[i] = x[i];
            low[i] = 0;
            continue;
        }
        reduce_exactly(x[i], &out->k[i], &h, &l);
        const twofold f = { ia_pair_of(h), ia_pair_of(l) };
        const twofold step = { ia_pair_of(abut_interval_pi64_high), ia_pair_of(abut_interval_pi64_low) };
        const twofold r = twofold_product(f, step);
        high[i] = r.high[0];
        low[i] = r.low[0];
    }
    out->r = (twofold){ high, low };
}

/* Whether first - second + a third part is good relative to itself, or need not be: the
 * difference was exact, or the sum of two doubles was one, and it is so large that the error of
 * the third part, below |k| 2^-125, is less than 2^-63 of it. Ends of boxes are often the
 * doubles next to a multiple of pi/2, where all that holds. */
static bool near_is_good(int k, double first, double second, double difference)
{
    if (k == 0 || (k & 31) != 0)
        return true;
    const double a = fabs(first), b = fabs(second);
    const bool exact = a >= b || (2 * a >= b && (first > 0) == (second > 0));
    return exact && fabs(difference) >= fabs((double)k) * 0x1p-62;
}

/* x finite */
static inline reduced reduce(ia_pair x)
{
    reduced out;
    if (__builtin_expect(ia_mask_bits(ia_pair_abs(x) < ia_pair_of(FAST_LIMIT)) != 3, 0)) {
        reduce_hard(x, &out);
        return out;
    }
    /* Truncation does not depend on the rounding mode. */
    const ia_mask sign = { INT64_MIN, INT64_MIN };
    const ia_pair half = (ia_pair)(((ia_mask)x & sign) | (ia_mask)ia_pair_of(0.5));
    const ia_pair y = x * ia_pair_of(abut_interval_pi64_inverse) + half;
#if defined(__SSE2__)
    const __m128i whole = _mm_cvttpd_epi32(y);
    const ia_pair k = _mm_cvtepi32_pd(whole);
    out.k[0] = _mm_cvtsi128_si32(whole);
    out.k[1] = _mm_cvtsi128_si32(_mm_srli_si128(whole, 4));
#else
    out.k[0] = (int)y[0];
    out.k[1] = (int)y[1];
    const ia_pair k = { out.k[0], out.k[1] };
#endif
    const ia_pair first = x - k * ia_pair_of(abut_interval_pi64_one); /* exact */
    const twofold r = twofold_add(first, -(k * ia_pair_of(abut_interval_pi64_two)));
    /* k times the third part may be 2^-54: only after this sum is the product of r and its low
     * part negligible. */
    out.r = twofold_add(r.high, r.low - k * ia_pair_of(abut_interval_pi64_three));
    /* Close to a multiple of pi/2 the result's own size, or the side of the extremum, hangs on
     * the last bits of r. */
    const int near = ia_mask_bits(ia_pair_abs(first) < ia_pair_of(0x1p-16));
    if (__builtin_expect(near != 0, 0) &&
        (((near & 1) && !near_is_good(out.k[0], first[0], k[0] * abut_interval_pi64_two, r.high[0])) ||
         ((near & 2) && !near_is_good(out.k[1], first[1], k[1] * abut_interval_pi64_two, r.high[1]))))
        reduce_hard(x, &out);
    return out;
}

/* sin((k + offset) pi/64 + r) */
static inline twofold sin_at(const reduced *x, int offset)
{
    const unsigned j0 = (unsigned)(x->k[0] + offset) & 127, j1 = (unsigned)(x->k[1] + offset) & 127;
    const double *s0 = abut_interval_sin_table[j0], *s1 = abut_interval_sin_table[j1];
    const double *c0 = abut_interval_sin_table[j0 + 32], *c1 = abut_interval_sin_table[j1 + 32];
    const ia_pair sh = { s0[0], s1[0] }, sl = { s0[1], s1[1] }, ch = { c0[0], c1[0] }, cl = { c0[1], c1[1] };
    const ia_pair r = x->r.high, z = r * r;
    /* Taylor: the first terms left out are r^11/11! and r^10/10!. */
    const ia_pair s3 = ia_pair_of(-0.16666666666666667), s5 = ia_pair_of(8.3333333333333333e-3);
    const ia_pair s7 = ia_pair_of(-1.9841269841269841e-4), s9 = ia_pair_of(2.7557319223985891e-6);
    const ia_pair c2 = ia_pair_of(-0.5), c4 = ia_pair_of(4.1666666666666667e-2);
    const ia_pair c6 = ia_pair_of(-1.3888888888888889e-3), c8 = ia_pair_of(2.4801587301587302e-5);
    const ia_pair sin_rest = r * z * (s3 + z * (s5 + z * (s7 + z * s9)));
    const ia_pair cos_rest = z * (c2 + z * (c4 + z * (c6 + z * c8)));
    const twofold line = twofold_mul(ch, r);
    const twofold sum = twofold_add(sh, line.high);
    const ia_pair small = ((sl + line.low) + sum.low) + (cl * r + ch * x->r.low);
    return (twofold){ sum.high, (small + ch * sin_rest) + sh * cos_rest };
}

/* Whether the sine falls at phase (k + offset) pi/64 + r: from a maximum at 32 to a minimum at
 * 96. */
static inline bool falls(const reduced *x, int i, int offset)
{
    int from_maximum = x->k[i] + offset - 32;
    from_maximum -= (from_maximum & 63) == 0 && x->r.high[i] < 0;
    return (from_maximum & 64) == 0;
}

/* 0 < |x| < TINY: sin(x) lies between x and the next double towards 0. */
static void bound_tiny(ia_pair x, twofold_bounds *b)
{
    for (int i = 0; i < 2; ++i)
        if (x[i] != 0 && fabs(x[i]) < TINY) {
            b->up[i] = x[i] > 0 ? x[i] : ia_up(x[i]);
            b->opposite_up[i] = x[i] < 0 ? -x[i] : ia_up(-x[i]);
        }
}

/* Over the ends x, reduced, that are less than 6.28 apart. */
static inline ia sine_over(ia_pair x, double width, const reduced *at, int offset)
{
    const twofold s = sin_at(at, offset);
    /* At 0 both sine and cosine are exact. */
    twofold_bounds b =
        twofold_bound(s, ia_pair_and(ia_pair_abs(s.high) * ia_pair_of(SIN_ERROR), x != ia_pair_of(0)));
    if (offset == 0 && __builtin_expect(ia_mask_bits(ia_pair_abs(x) < ia_pair_of(TINY)) != 0, 0))
        bound_tiny(x, &b);
    ia_pair out = { b.opposite_up[0] > b.opposite_up[1] ? b.opposite_up[0] : b.opposite_up[1],
                    b.up[0] > b.up[1] ? b.up[0] : b.up[1] };
    const bool falls_first = falls(at, 0, offset), falls_last = falls(at, 1, offset);
    if (falls_first != falls_last)
        out[falls_first ? 0 : 1] = 1; /* one extremum inside: a minimum if it was falling */
    else if (width > 0x1.921fb54442d18p+1)
        out = ia_pair_of(1); /* wider than pi, yet on pieces of the same kind: both extrema */
    return (ia){ ia_pair_min(out, ia_pair_of(1)) };
}

static inline ia sine(ia a, int offset)
{
    const ia_pair x = { ia_lo(a), ia_hi(a) };
    const double width = ia_width(a);
    if (!(width < 6.28)) /* also where an end is infinite */
        return ia_make(-1, 1);
    const reduced at = reduce(x);
    return sine_over(x, width, &at, offset);
}

void ia_sin_cos(ia a, ia *sin, ia *cos)
{
    const ia_pair x = { ia_lo(a), ia_hi(a) };
    const double width = ia_width(a);
    *sin = *cos = ia_make(-1, 1);
    if (!(width < 6.28))
        return;
    const reduced at = reduce(x);
    *sin = sine_over(x, width, &at, 0);
    *cos = sine_over(x, width, &at, 32);
}

ia ia_sin(ia a)
{
    return sine(a, 0);
}

ia ia_cos(ia a)
{
    return sine(a, 32);
}

/* On one piece between poles, at phase 32 modulo 64, tan rises. */
ia ia_tan(ia a)
{
    const ia_pair x = { ia_lo(a), ia_hi(a) };
    const double width = ia_width(a);
    if (!(width < 3.2))
        return ia_entire();
    const reduced at = reduce(x);
    /* The sine falls on every second piece between poles; two pieces apart is more than pi. */
    if (falls(&at, 0, 0) != falls(&at, 1, 0) || width > 0x1.921fb54442d18p+1)
        return ia_entire();
    const twofold s = sin_at(&at, 0), c = sin_at(&at, 32);
    const twofold q = twofold_quotient(twofold_add(s.high, s.low), twofold_add(c.high, c.low));
    /* Two sine errors and a quotient of 2^-98. */
    twofold_bounds b = twofold_bound(q, ia_pair_abs(q.high) * ia_pair_of(2.125 * SIN_ERROR));
    for (int i = 0; i < 2; ++i)
        if (fabs(x[i]) < TINY) {
            b.up[i] = x[i] > 0 ? ia_up(x[i]) : x[i];
            b.opposite_up[i] = x[i] < 0 ? ia_up(-x[i]) : -x[i];
        }
    return twofold_rising(b);
}
