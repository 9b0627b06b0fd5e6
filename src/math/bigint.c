/* SPDX-License-Identifier: MIT */
/* Exact integers; see bigint.h. Schoolbook methods: the numbers here have tens of limbs, not
 * thousands. */
#include "math/bigint.h"

#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

static int size_of(int n)
{
    return n < 0 ? -n : n;
}

static int with_sign_of(int size, int n)
{
    return n < 0 ? -size : size;
}

static int trim(const uint64_t *a, int n)
{
    while (n > 0 && a[n - 1] == 0)
        --n;
    return n;
}

void abut_z_split_double(double x, int64_t *m, int *e)
{
    if (x == 0) {
        *m = 0;
        *e = 0;
        return;
    }
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int64_t mantissa = (int64_t)(bits & 0xfffffffffffffu);
    int exponent = (int)(bits >> 52 & 0x7ff);
    if (exponent == 0)
        exponent = 1; /* denormal */
    else
        mantissa |= INT64_C(1) << 52;
    const int zeros = __builtin_ctzll((uint64_t)mantissa);
    mantissa >>= zeros;
    *m = bits >> 63 ? -mantissa : mantissa;
    *e = exponent - 1075 + zeros;
}

int abut_z_from_int(uint64_t *r, int64_t x)
{
    if (x == 0)
        return 0;
    r[0] = x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
    return x < 0 ? -1 : 1;
}

int abut_z_from_double(uint64_t *r, double x, int e)
{
    int64_t m;
    int own;
    abut_z_split_double(x, &m, &own);
    const int n = abut_z_from_int(r, m);
    return n == 0 ? 0 : abut_z_shl(r, r, n, own - e);
}

/* The 64 bits of a below bit `top`, left-aligned. */
static uint64_t window(const uint64_t *a, int n, int top)
{
    uint64_t w = 0;
    const int from = top - 64; /* lowest bit wanted, may be negative */
    for (int part = 0; part < 2; ++part) {
        const int limb = (from >> 6) + part, shift = from & 63;
        const uint64_t v = limb >= 0 && limb < n ? a[limb] : 0;
        if (part == 0)
            w |= v >> shift;
        else if (shift)
            w |= v << (64 - shift);
    }
    return w;
}

double abut_z_to_double(const uint64_t *a, int an, int e, double *low, double *error)
{
    const int bits = abut_z_bits(a, an);
    *low = *error = 0;
    if (bits == 0)
        return 0;
    /* 53 bits, cut off, are the high part; the next 53, cut off, the low part; the rest is less
     * than one unit of those. */
    const double sign = an < 0 ? -1 : 1;
    const int n = size_of(an);
    const double high_part = (double)(window(a, n, bits) >> 11),
                 low_part = (double)(window(a, n, bits - 53) >> 11);
    const double high = ldexp(sign * high_part, bits - 53 + e);
    *low = ldexp(sign * low_part, bits - 106 + e);
    if (bits > 106)
        *error = ldexp(1, bits - 106 + e);
    if (bits - 106 + e < -1074) /* parts may be rounded to denormals, by at most half a unit each */
        *error += 0x1p-1073;
    return high;
}

static int add_sizes(uint64_t *r, const uint64_t *a, int an, const uint64_t *b, int bn)
{
    if (an < bn) {
        const uint64_t *t = a;
        a = b;
        b = t;
        const int tn = an;
        an = bn;
        bn = tn;
    }
    uint64_t carry = 0;
    int i = 0;
    for (; i < bn; ++i) {
        const wide s = (wide)a[i] + b[i] + carry;
        r[i] = (uint64_t)s;
        carry = (uint64_t)(s >> 64);
    }
    for (; i < an; ++i) {
        const wide s = (wide)a[i] + carry;
        r[i] = (uint64_t)s;
        carry = (uint64_t)(s >> 64);
    }
    if (carry)
        r[i++] = carry;
    return i;
}

static int compare_sizes(const uint64_t *a, int an, const uint64_t *b, int bn)
{
    if (an != bn)
        return an < bn ? -1 : 1;
    for (int i = an; i-- > 0;)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* |a| >= |b| */
static int subtract_sizes(uint64_t *r, const uint64_t *a, int an, const uint64_t *b, int bn)
{
    uint64_t borrow = 0;
    int i = 0;
    for (; i < bn; ++i) {
        const wide d = (wide)a[i] - b[i] - borrow;
        r[i] = (uint64_t)d;
        borrow = (uint64_t)(d >> 64) & 1;
    }
    for (; i < an; ++i) {
        const wide d = (wide)a[i] - borrow;
        r[i] = (uint64_t)d;
        borrow = (uint64_t)(d >> 64) & 1;
    }
    return trim(r, an);
}

int abut_z_add(uint64_t *r, const uint64_t *a, int an, const uint64_t *b, int bn)
{
    const int as = size_of(an), bs = size_of(bn);
    if ((an < 0) == (bn < 0) || an == 0 || bn == 0)
        return with_sign_of(add_sizes(r, a, as, b, bs), an ? an : bn);
    const int order = compare_sizes(a, as, b, bs);
    if (order == 0)
        return 0;
    return order > 0 ? with_sign_of(subtract_sizes(r, a, as, b, bs), an)
                     : with_sign_of(subtract_sizes(r, b, bs, a, as), bn);
}

int abut_z_mul(uint64_t *r, const uint64_t *a, int an, const uint64_t *b, int bn)
{
    if (an == 0 || bn == 0)
        return 0;
    int as = size_of(an), bs = size_of(bn);
    if (as < bs) {
        const uint64_t *t = a;
        a = b;
        b = t;
        const int ts = as;
        as = bs;
        bs = ts;
    }
    for (int j = 0; j < bs; ++j) {
        uint64_t carry = 0;
        for (int i = 0; i < as; ++i) {
            const wide p = (wide)a[i] * b[j] + (j ? r[i + j] : 0) + carry;
            r[i + j] = (uint64_t)p;
            carry = (uint64_t)(p >> 64);
        }
        r[as + j] = carry;
    }
    const int n = trim(r, as + bs);
    return (an < 0) != (bn < 0) ? -n : n;
}

int abut_z_shl(uint64_t *r, const uint64_t *a, int an, int bits)
{
    if (an == 0)
        return 0;
    const int n = size_of(an), limbs = bits >> 6, shift = bits & 63;
    uint64_t above = 0;
    for (int i = n; i-- > 0;) {
        const uint64_t v = a[i];
        r[i + limbs + 1] = above | (shift ? v >> (64 - shift) : 0);
        above = shift ? v << shift : v;
    }
    r[limbs] = above;
    memset(r, 0, (size_t)limbs * sizeof *r);
    return with_sign_of(trim(r, n + limbs + 1), an);
}

int abut_z_shr(uint64_t *r, const uint64_t *a, int an, int bits)
{
    const int n = size_of(an), limbs = bits >> 6, shift = bits & 63;
    if (limbs >= n)
        return 0;
    for (int i = limbs; i < n; ++i) {
        const uint64_t next = i + 1 < n ? a[i + 1] : 0;
        r[i - limbs] = shift ? a[i] >> shift | next << (64 - shift) : a[i];
    }
    return with_sign_of(trim(r, n - limbs), an);
}

int abut_z_bits(const uint64_t *a, int an)
{
    const int n = size_of(an);
    return n == 0 ? 0 : 64 * n - __builtin_clzll(a[n - 1]);
}

int abut_z_trailing_zeros(const uint64_t *a, int an)
{
    int i = 0;
    (void)an;
    while (a[i] == 0)
        ++i;
    return 64 * i + __builtin_ctzll(a[i]);
}

int abut_z_compare(const uint64_t *a, int an, const uint64_t *b, int bn)
{
    if ((an < 0) != (bn < 0) || an == 0 || bn == 0)
        return (an > bn) - (an < bn);
    const int order = compare_sizes(a, size_of(an), b, size_of(bn));
    return an < 0 ? -order : order;
}

uint64_t abut_z_mod(const uint64_t *a, int an, uint64_t modulus)
{
    uint64_t rest = 0;
    for (int i = size_of(an); i-- > 0;)
        rest = (uint64_t)(((wide)rest << 64 | a[i]) % modulus);
    return an < 0 && rest ? modulus - rest : rest;
}
