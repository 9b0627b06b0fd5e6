/* SPDX-License-Identifier: MIT */
/* Exact dyadic numbers; see number.h. The integers are those of math/bigint.h. */
#include "intersect/number.h"

#include "math/bigint.h"

#include <math.h>
#include <string.h>

/* A number of either length. */
typedef struct view {
    int *size, *exponent;
    uint64_t *limb;
    int capacity;
} view;

typedef struct source {
    int size, exponent;
    const uint64_t *limb;
} source;

enum { MOST = ABUT_LONG_LIMBS + 2 };

static int length_of(int n)
{
    return n < 0 ? -n : n;
}

static void set_bad(view r)
{
    *r.size = ABUT_NUMBER_BAD;
    *r.exponent = 0;
}

/* Takes |n| limbs with exponent e, which may be even. */
static void take(view r, uint64_t *limbs, int n, int e)
{
    if (n == 0) {
        *r.size = *r.exponent = 0;
        return;
    }
    const int zeros = abut_z_trailing_zeros(limbs, n);
    if (zeros > 0)
        n = abut_z_shr(limbs, limbs, n, zeros);
    if (length_of(n) > r.capacity) {
        set_bad(r);
        return;
    }
    memcpy(r.limb, limbs, (size_t)length_of(n) * sizeof *limbs);
    *r.size = n;
    *r.exponent = e + zeros;
}

static void from_double(view r, double x)
{
    if (!isfinite(x)) {
        set_bad(r);
        return;
    }
    int64_t m;
    abut_z_split_double(x, &m, r.exponent);
    *r.size = abut_z_from_int(r.limb, m);
}

static void add(view r, source a, source b)
{
    if (a.size == ABUT_NUMBER_BAD || b.size == ABUT_NUMBER_BAD) {
        set_bad(r);
        return;
    }
    if (a.size == 0 || b.size == 0) {
        const source keep = a.size == 0 ? b : a;
        memmove(r.limb, keep.limb, (size_t)length_of(keep.size) * sizeof *r.limb);
        *r.size = keep.size;
        *r.exponent = keep.exponent;
        return;
    }
    if (a.exponent < b.exponent) {
        const source t = a;
        a = b;
        b = t;
    }
    const int shift = a.exponent - b.exponent;
    if (length_of(a.size) + shift / 64 + 1 > r.capacity) {
        set_bad(r);
        return;
    }
    uint64_t shifted[MOST], sum[MOST];
    const int n = abut_z_shl(shifted, a.limb, a.size, shift);
    take(r, sum, abut_z_add(sum, shifted, n, b.limb, b.size), b.exponent);
}

static void multiply(view r, source a, source b)
{
    if (a.size == ABUT_NUMBER_BAD || b.size == ABUT_NUMBER_BAD ||
        length_of(a.size) + length_of(b.size) > r.capacity + 1) {
        set_bad(r);
        return;
    }
    uint64_t product[MOST];
    take(r, product, abut_z_mul(product, a.limb, a.size, b.limb, b.size), a.exponent + b.exponent);
}

static source negated(source a)
{
    if (a.size != ABUT_NUMBER_BAD)
        a.size = -a.size;
    return a;
}

static bool split(source a, int shift, double *terms, int capacity)
{
    memset(terms, 0, (size_t)capacity * sizeof *terms);
    if (a.size == ABUT_NUMBER_BAD)
        return false;
    if (a.size == 0)
        return true;
    const int n = length_of(a.size), e = a.exponent + shift;
    if (e < -1074 || e + abut_z_bits(a.limb, a.size) > 1000)
        return false;
    const double sign = a.size < 0 ? -1 : 1;
    int used = 0;
    /* Half a limb at a time: 32 bits are a double at any exponent down to the denormals. */
    for (int i = 0; i < 2 * n; ++i) {
        const uint32_t half = (uint32_t)(a.limb[i / 2] >> (i % 2 ? 32 : 0));
        if (half == 0)
            continue;
        if (used == capacity)
            return false;
        terms[used++] = ldexp(sign * half, e + 32 * i);
    }
    return true;
}

#define VIEW(r, limbs) ((view){ &(r)->size, &(r)->exponent, (r)->limb, limbs })
#define SOURCE(a)      ((source){ (a)->size, (a)->exponent, (a)->limb })

void abut_number_from(abut_number *r, double x)
{
    from_double(VIEW(r, ABUT_NUMBER_LIMBS), x);
}

void abut_long_from(abut_long *r, double x)
{
    from_double(VIEW(r, ABUT_LONG_LIMBS), x);
}

void abut_number_add(abut_number *r, const abut_number *a, const abut_number *b)
{
    add(VIEW(r, ABUT_NUMBER_LIMBS), SOURCE(a), SOURCE(b));
}

void abut_long_add(abut_long *r, const abut_long *a, const abut_long *b)
{
    add(VIEW(r, ABUT_LONG_LIMBS), SOURCE(a), SOURCE(b));
}

void abut_number_sub(abut_number *r, const abut_number *a, const abut_number *b)
{
    add(VIEW(r, ABUT_NUMBER_LIMBS), SOURCE(a), negated(SOURCE(b)));
}

void abut_long_sub(abut_long *r, const abut_long *a, const abut_long *b)
{
    add(VIEW(r, ABUT_LONG_LIMBS), SOURCE(a), negated(SOURCE(b)));
}

void abut_number_mul(abut_number *r, const abut_number *a, const abut_number *b)
{
    multiply(VIEW(r, ABUT_NUMBER_LIMBS), SOURCE(a), SOURCE(b));
}

void abut_long_mul(abut_long *r, const abut_long *a, const abut_long *b)
{
    multiply(VIEW(r, ABUT_LONG_LIMBS), SOURCE(a), SOURCE(b));
}

int abut_number_top(const abut_number *a)
{
    return a->exponent + abut_z_bits(a->limb, a->size) - 1;
}

int abut_long_top(const abut_long *a)
{
    return a->exponent + abut_z_bits(a->limb, a->size) - 1;
}

bool abut_number_split(const abut_number *a, int shift, double *terms, int capacity)
{
    return split(SOURCE(a), shift, terms, capacity);
}

bool abut_long_split(const abut_long *a, int shift, double *terms, int capacity)
{
    return split(SOURCE(a), shift, terms, capacity);
}

void abut_long_enclose(const abut_long *a, int shift, double *lo, double *hi)
{
    double low, error;
    const double high = abut_z_to_double(a->limb, a->size, a->exponent + shift, &low, &error);
    /* The low part is less than a unit of the high one, and the error less than one of the low one. */
    *lo = *hi = high;
    if (a->size != 0 && fabs(high) < 0x1p-960) {
        *lo = -0x1p-959;
        *hi = 0x1p-959;
    } else if (low != 0 || error > 0)
        *(high < 0 ? lo : hi) = nextafter(high, high < 0 ? -INFINITY : INFINITY);
}
