/* SPDX-License-Identifier: MIT */
/* Decimal to double, correctly rounded, in integer arithmetic alone.
 *
 * Why not strtod: it follows the locale (a comma for the point), follows the caller's rounding
 * mode, wants a terminating zero, and is several times slower.
 *
 * Method: the first 19 significant digits make an integer w, so that the number is w 10^q or lies
 * between that and (w+1) 10^q. With q = 28 k + j, 0 <= j < 28, the product m = w 5^j is exact in
 * 128 bits, and 5^(28 k) is known to 128 bits as C + theta, 0 <= theta < 1. The upper half T of the
 * 256-bit product m C then satisfies
 *     T <= m (C + theta) / 2^128 < T + 2
 * (one for what the lower half drops, one for theta m / 2^128 < 1). Unless a midpoint between two
 * doubles lies in that gap, T decides. Otherwise (ties, and a few of the numbers with more than 19
 * digits) the decimal is compared with the midpoint in big integers. The idea of deciding by a
 * truncated power and falling back when it cannot is Clinger's (How to read floating point numbers
 * accurately, 1990); the split of the power in two tables is ours.
 *
 * Surprise: a midpoint has 64 low bits of zero once T is normalised to 128 bits, because a
 * double keeps at most 53 bits, so the test for ambiguity is that the low word is within a few
 * units of wrapping. */
#include "io/mesh/mesh_number.h"

#include "io/mesh/mesh_powers.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* (hi 2^64 + lo) 2^exponent, top bit of hi set. */
typedef struct wide {
    uint64_t hi, lo;
    int exponent;
} wide;

/* The parts of a number in text. first..last spans its digits and point. */
typedef struct decimal {
    const char *first, *last;
    int64_t exponent; /* as written after the e, saturated */
    uint64_t w;       /* first 19 significant digits */
    int64_t q;        /* the number is w 10^q, or a little more when truncated */
    bool negative, truncated;
} decimal;

#if defined(__SIZEOF_INT128__)
__extension__ typedef unsigned __int128 uint128;

static inline uint64_t multiply(uint64_t a, uint64_t b, uint64_t *low)
{
    const uint128 product = (uint128)a * b;
    *low = (uint64_t)product;
    return (uint64_t)(product >> 64);
}
#else
static inline uint64_t multiply(uint64_t a, uint64_t b, uint64_t *low)
{
    const uint64_t a0 = a & 0xffffffffu, a1 = a >> 32, b0 = b & 0xffffffffu, b1 = b >> 32;
    const uint64_t p00 = a0 * b0, p01 = a0 * b1, p10 = a1 * b0;
    const uint64_t middle = (p00 >> 32) + (p01 & 0xffffffffu) + (p10 & 0xffffffffu);
    *low = (middle << 32) | (p00 & 0xffffffffu);
    return a1 * b1 + (p01 >> 32) + (p10 >> 32) + (middle >> 32);
}
#endif

static inline int leading_zeros(uint64_t x)
{
#if defined(__GNUC__)
    return __builtin_clzll(x);
#else
    int count = 0;
    while (!(x >> 63)) {
        x <<= 1;
        ++count;
    }
    return count;
#endif
}

static inline wide normalised(uint64_t hi, uint64_t lo, int exponent)
{
    if (!hi)
        return (wide){ lo << leading_zeros(lo), 0, exponent - 64 - leading_zeros(lo) };
    const int shift = leading_zeros(hi);
    if (!shift)
        return (wide){ hi, lo, exponent };
    return (wide){ hi << shift | lo >> (64 - shift), lo << shift, exponent - shift };
}

/* w 10^q for w > 0, -343 <= q <= 308; truncated, by less than 4 units of lo, unless *exact. */
static inline wide scaled(uint64_t w, int q, bool *exact)
{
    const int k = (q - MESH_POWER_STEP * MESH_POWER_LOWEST) / MESH_POWER_STEP + MESH_POWER_LOWEST;
    uint64_t lo;
    const uint64_t hi = multiply(w, mesh_small_powers[q - MESH_POWER_STEP * k], &lo);
    const wide m = normalised(hi, lo, q);
    *exact = k == 0;
    if (*exact)
        return m;
    const uint64_t c1 = mesh_great_powers[k - MESH_POWER_LOWEST].hi;
    const uint64_t c0 = mesh_great_powers[k - MESH_POWER_LOWEST].lo;
    uint64_t low01, low10, low00, low11;
    const uint64_t high01 = multiply(m.lo, c1, &low01), high10 = multiply(m.hi, c0, &low10);
    const uint64_t high00 = multiply(m.lo, c0, &low00);
    uint64_t high11 = multiply(m.hi, c1, &low11);
    (void)low00;
    /* Word 1 of the product only matters for its carry into word 2. */
    const uint64_t sum = low01 + low10, word1 = sum + high00;
    const uint64_t carry1 = (uint64_t)(sum < low01) + (uint64_t)(word1 < sum);
    const uint64_t part = low11 + high01;
    high11 += part < high01;
    const uint64_t part2 = part + high10;
    high11 += part2 < high10;
    const uint64_t word2 = part2 + carry1;
    high11 += word2 < carry1;
    return normalised(high11, word2, m.exponent + mesh_great_powers[k - MESH_POWER_LOWEST].exponent + 128);
}

enum { MANTISSA_BITS = 53, LEAST_EXPONENT = -1074, GREATEST_EXPONENT = 971 };
#define INFINITE_BITS (UINT64_C(0x7ff) << 52)

/* The bits of the double nearest to v, ties to even; `more`: a little more than v. */
static inline uint64_t nearest(wide v, bool more)
{
    /* The double is mantissa 2^x: x such that 53 bits are kept, or the least there is. */
    int x = v.exponent + 128 - MANTISSA_BITS;
    int drop = 64 - MANTISSA_BITS;
    if (x < LEAST_EXPONENT) {
        drop += LEAST_EXPONENT - x;
        x = LEAST_EXPONENT;
        if (drop > 64)
            return 0; /* less than a quarter of the least double */
    }
    const uint64_t kept = drop == 64 ? 0 : v.hi >> drop;
    const uint64_t half = UINT64_C(1) << (drop - 1), dropped = v.hi & (half | (half - 1));
    const bool up = dropped > half || (dropped == half && (v.lo || more || (kept & 1)));
    const uint64_t mantissa = kept + up;
    if (x > GREATEST_EXPONENT)
        return INFINITE_BITS;
    /* Added, not or-ed: the leading bit of a normal mantissa, or a carry out of it, makes the
     * exponent field right, also from the subnormal to the normal ones and from the largest to
     * infinity. */
    return ((uint64_t)(x - LEAST_EXPONENT) << 52) + mantissa;
}

/* ---- the slow path: big integers ---- */

/* A midpoint between two doubles has at most 767 significant digits, so that further ones only
 * matter by being zero or not. Then the sizes: the digits take 801 log2(10) < 2662 bits, a power
 * 5^1144 < 2657 bits, a mantissa 54, and shifts by up to 2046 happen to the shorter side only;
 * 5120 bits hold everything. */
enum { MOST_DIGITS = 800, LIMBS = 160 };

typedef struct big {
    int count;
    uint32_t limbs[LIMBS];
} big;

static void big_multiply_add(big *b, uint32_t factor, uint32_t term)
{
    uint64_t carry = term;
    for (int i = 0; i < b->count; ++i) {
        carry += (uint64_t)b->limbs[i] * factor;
        b->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) {
        assert(b->count < LIMBS);
        b->limbs[b->count++] = (uint32_t)carry;
    }
}

static void big_multiply_five(big *b, int64_t power)
{
    for (; power >= 13; power -= 13)
        big_multiply_add(b, 1220703125u, 0); /* 5^13 */
    for (; power > 0; --power)
        big_multiply_add(b, 5, 0);
}

static void big_shift(big *b, int64_t bits)
{
    const int words = (int)(bits / 32);
    big_multiply_add(b, UINT32_C(1) << (bits % 32), 0);
    assert(b->count + words <= LIMBS);
    memmove(b->limbs + words, b->limbs, (size_t)b->count * sizeof *b->limbs);
    memset(b->limbs, 0, (size_t)words * sizeof *b->limbs);
    b->count += words;
}

static int big_compare(const big *a, const big *b)
{
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (int i = a->count - 1; i >= 0; --i) {
        if (a->limbs[i] != b->limbs[i])
            return a->limbs[i] < b->limbs[i] ? -1 : 1;
    }
    return 0;
}

/* The sign of the decimal less the midpoint between the double of these bits and the next one. */
static int compare_to_midpoint(const decimal *d, uint64_t bits)
{
    big left = { 0 }, right = { 0 };
    int64_t power = d->exponent;
    int digits = 0;
    bool point = false, rest = false;
    for (const char *p = d->first; p < d->last; ++p) {
        if (*p == '.') {
            point = true;
            continue;
        }
        const bool taken = digits < MOST_DIGITS;
        if (taken) {
            big_multiply_add(&left, 10, (uint32_t)(*p - '0'));
            digits += left.count > 0;
        } else {
            rest |= *p != '0';
        }
        power += (int64_t)!taken - (int64_t)point;
    }
    if (rest) {
        big_multiply_add(&left, 10, 1);
        --power;
    }

    const uint64_t biased = bits >> 52, fraction = bits & ((UINT64_C(1) << 52) - 1);
    const uint64_t mantissa = biased ? fraction | UINT64_C(1) << 52 : fraction;
    const int x = LEAST_EXPONENT + (biased ? (int)biased - 1 : 0);
    big_multiply_add(&right, 1, (uint32_t)((2 * mantissa + 1) >> 32));
    big_shift(&right, 32);
    big_multiply_add(&right, 1, (uint32_t)(2 * mantissa + 1));

    big_multiply_five(power >= 0 ? &left : &right, power >= 0 ? power : -power);
    const int64_t shift = power - (x - 1);
    big_shift(shift >= 0 ? &left : &right, shift >= 0 ? shift : -shift);
    return big_compare(&left, &right);
}

static uint64_t nearest_slowly(const decimal *d, wide v)
{
    bool exact;
    wide above = scaled(d->w + d->truncated, (int)d->q, &exact);
    above.lo += 8;
    if (above.lo < 8 && !++above.hi)
        above = (wide){ UINT64_C(1) << 63, 0, above.exponent + 1 };
    const uint64_t low = nearest(v, false), high = nearest(above, true);
    if (low == high)
        return low;
    /* The gap is at most 2^-59 of the number, far less than between two midpoints: high is low +
     * 1. */
    const int side = compare_to_midpoint(d, low);
    return side < 0 || (side == 0 && !(low & 1)) ? low : low + 1;
}

/* The bits of the double nearest to the decimal, without its sign. */
static inline uint64_t convert(const decimal *d)
{
    /* 10^19 10^-344 is less than half the least double, 10^309 more than any. */
    if (d->w == 0 || d->q < -343)
        return 0;
    if (d->q > 308)
        return INFINITE_BITS;
    bool exact;
    const wide v = scaled(d->w, (int)d->q, &exact);
    if (!d->truncated && (exact || v.lo + 8 > 16))
        return nearest(v, !exact);
    return nearest_slowly(d, v);
}

static inline unsigned digit_at(const char *p)
{
    return (unsigned)(unsigned char)*p - '0';
}

/* Eight digits at once: when all eight bytes are digits, their value, in three multiplications
 * instead of eight in a row. Each step joins neighbours: 10 a + b in 16 bits, 100 a + b in 32,
 * 10000 a + b in 64. */
static inline bool read_eight(const char *p, uint64_t *value)
{
    uint64_t chunk = 0;
    for (int i = 0; i < 8; ++i)
        chunk |= (uint64_t)(unsigned char)p[i] << 8 * i;
    /* The upper half of each byte is 3, and stays 3 when 6 is added: '0' to '9'. */
    const uint64_t upper = UINT64_C(0xf0f0f0f0f0f0f0f0), threes = UINT64_C(0x3030303030303030);
    if ((chunk & upper) != threes || ((chunk + UINT64_C(0x0606060606060606)) & upper) != threes)
        return false;
    chunk &= UINT64_C(0x0f0f0f0f0f0f0f0f);
    chunk = (chunk * (10 << 8 | 1) >> 8) & UINT64_C(0x00ff00ff00ff00ff);
    chunk = (chunk * (100 << 16 | 1) >> 16) & UINT64_C(0x0000ffff0000ffff);
    *value = chunk * ((UINT64_C(10000) << 32) | 1) >> 32;
    return true;
}

/* Appends digits to *w until it has `most`, and returns where they end. */
static inline const char *read_digits(const char *p, const char *end, int most, uint64_t *w)
{
    const char *const start = p;
    uint64_t eight;
    while (end - p >= 8 && p - start + 8 <= most && read_eight(p, &eight)) {
        *w = *w * 100000000u + eight;
        p += 8;
    }
    while (p < end && digit_at(p) <= 9 && p - start < most)
        *w = *w * 10 + digit_at(p++);
    return p;
}

const char *abut_io_read_double(const char *text, const char *end, double *value)
{
    enum { FIRST_DIGITS = 19 };
    decimal d = { 0 };
    const char *p = text;
    if (p < end && (*p == '-' || *p == '+'))
        d.negative = *p++ == '-';
    d.first = p;
    while (p < end && *p == '0')
        ++p;
    const char *const start = p;
    uint64_t w = 0;
    p = read_digits(p, end, FIRST_DIGITS, &w);
    const int count = (int)(p - start);
    bool truncated = false;
    int64_t q = 0;
    while (p < end && digit_at(p) <= 9) {
        truncated |= *p++ != '0';
        ++q;
    }
    bool any = p > d.first;
    if (p < end && *p == '.') {
        const char *point = p++;
        if (!count) {
            while (p < end && *p == '0')
                ++p;
        }
        p = read_digits(p, end, FIRST_DIGITS - count, &w);
        q -= p - point - 1;
        while (p < end && digit_at(p) <= 9)
            truncated |= *p++ != '0';
        any |= p > point + 1;
    }
    if (!any)
        return NULL;
    d.last = p;
    if (p < end && ((*p | 32) == 'e' || (*p | 32) == 'd')) {
        /* Saturated far beyond what a gigabyte of digits could make up for. */
        const char *e = p + 1;
        const bool minus = e < end && *e == '-';
        if (e < end && (*e == '-' || *e == '+'))
            ++e;
        if (e < end && digit_at(e) <= 9) {
            int64_t exponent = 0;
            for (; e < end && digit_at(e) <= 9; ++e) {
                if (exponent < INT64_C(1) << 40)
                    exponent = exponent * 10 + digit_at(e);
            }
            d.exponent = minus ? -exponent : exponent;
            p = e;
        }
    }
    d.w = w;
    d.q = q + d.exponent;
    d.truncated = truncated;
    const uint64_t bits = convert(&d) | (uint64_t)d.negative << 63;
    memcpy(value, &bits, sizeof bits);
    return p;
}

const char *abut_io_read_integer(const char *text, const char *end, int64_t *value)
{
    const char *p = text;
    const bool minus = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        ++p;
    if (p >= end || digit_at(p) > 9)
        return NULL;
    int64_t found = 0;
    for (; p < end && digit_at(p) <= 9; ++p)
        found = found > (INT64_MAX - 9) / 10 ? INT64_MAX : found * 10 + (int64_t)digit_at(p);
    *value = minus ? -found : found;
    return p;
}
