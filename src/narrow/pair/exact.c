/* SPDX-License-Identifier: MIT */
/* Expansions of fixed size, and outward rounding of pairs; see exact.h. */
#include "narrow/pair/exact.h"

#include <string.h>

void abut_exact_add(abut_exact *e, int count, const double *c)
{
    double sum[ABUT_EXACT_CAPACITY];
    e->count = abut_expansion_sum(e->count, e->c, count, c, sum);
    memcpy(e->c, sum, (size_t)e->count * sizeof *sum);
}

static void add_product(const abut_exact *a, const abut_exact *b, bool negative, abut_exact *out)
{
    double product[ABUT_EXACT_CAPACITY], scratch[ABUT_EXACT_CAPACITY];
    /* What does not fit is the far end of a number of hundreds of digits, and only lines that
     * miss a capsule's cap by less than that could tell; it is dropped. */
    int na = a->count, nb = b->count;
    while (2 * na * nb > ABUT_EXACT_CAPACITY - out->count) {
        if (na > nb)
            --na;
        else
            --nb;
    }
    const int count =
        abut_expansion_product(na, a->c + (a->count - na), nb, b->c + (b->count - nb), product, scratch);
    if (negative)
        abut_expansion_negate(count, product);
    abut_exact_add(out, count, product);
}

void abut_exact_add_product(const abut_exact *a, const abut_exact *b, abut_exact *out)
{
    add_product(a, b, false, out);
}

void abut_exact_sub_product(const abut_exact *a, const abut_exact *b, abut_exact *out)
{
    add_product(a, b, true, out);
}

/* Shewchuk's compress, downward: each step leaves the exact sum of what it has seen as q plus
 * what is behind it, so the first two non-zero parts are the leading 106 bits, up to a carry
 * that the last sum decides. */
dd abut_exact_value(const abut_exact *e, bool *all)
{
    double parts[3] = { 0 };
    int count = 0;
    double q = e->count > 0 ? e->c[e->count - 1] : 0;
    int i = e->count - 2;
    for (; i >= 0 && count < 3; --i) {
        const dd s = dd_fast_sum(q, e->c[i]);
        q = s.h;
        if (s.l != 0) {
            parts[count++] = q;
            q = s.l;
        }
    }
    if (count < 3)
        parts[count++] = q;
    const dd low = dd_fast_sum(parts[1], parts[2]);
    const dd high = dd_fast_sum(parts[0], low.h);
    const dd value = dd_fast_sum(high.h, high.l + low.l);
    if (all)
        *all = i < 0 && count <= 2;
    return value;
}

abut_interval abut_exact_interval(dd value, double error)
{
    /* The two sums below are rounded: 1 + 2^-50 covers that of the error, the two-sum catches
     * the other. */
    const double e = error * (1 + 0x1p-50);
    const double below = value.l - e, above = value.l + e;
    const dd lo = dd_two_sum(value.h, below - fabs(below) * 0x1p-52);
    const dd hi = dd_two_sum(value.h, above + fabs(above) * 0x1p-52);
    if (error == 0 && value.l == 0)
        return (abut_interval){ value.h, value.h };
    return (abut_interval){ lo.l < 0 ? nextafter(lo.h, -INFINITY) : lo.h,
                            hi.l > 0 ? nextafter(hi.h, INFINITY) : hi.h };
}

abut_interval abut_exact_scale(abut_interval a, int exponent)
{
    if (exponent == 0)
        return a;
    abut_interval r = { ldexp(a.lo, exponent), ldexp(a.hi, exponent) };
    /* Only underflow and overflow round. */
    if (ldexp(r.lo, -exponent) != a.lo)
        r.lo = nextafter(r.lo, -INFINITY);
    if (ldexp(r.hi, -exponent) != a.hi)
        r.hi = nextafter(r.hi, INFINITY);
    return r;
}
