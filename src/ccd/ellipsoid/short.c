/* SPDX-License-Identifier: MIT */
/* Short exact numbers; see short.h. Sums and products are expansions (math/expansion.h),
 * compressed to as few components as there are stretches of 53 bits in them (Shewchuk's
 * compress). */
#include "ccd/ellipsoid/short.h"

#include "math/expansion.h"

static abut_short compress(int n, double *e)
{
    abut_short out; /* not cleared: only the components that count are ever read */
    out.count = 0;
    if (n == 0)
        return out;
    int bottom = n - 1;
    double q = e[bottom], low;
    for (int i = n - 2; i >= 0; --i) {
        q = abut_two_sum(q, e[i], &low);
        if (low != 0) {
            e[bottom--] = q;
            q = low;
        }
    }
    e[bottom] = q;
    for (int i = bottom + 1; i < n; ++i) {
        q = abut_two_sum(e[i], q, &low);
        if (low != 0) {
            if (out.count == ABUT_SHORT_MAX - 1) {
                out.count = -1;
                return out;
            }
            out.c[out.count++] = low;
        }
    }
    if (q != 0)
        out.c[out.count++] = q;
    return out;
}

abut_short abut_short_from(double a)
{
    abut_short out;
    out.count = a != 0;
    out.c[0] = a;
    return out;
}

abut_short abut_short_difference(double a, double b)
{
    abut_short out;
    out.count = abut_expansion_sum2(a, -b, out.c);
    return out;
}

abut_short abut_short_add(const abut_short *a, const abut_short *b)
{
    if (a->count < 0 || b->count < 0)
        return (abut_short){ .count = -1 };
    double sum[2 * ABUT_SHORT_MAX];
    return compress(abut_expansion_sum(a->count, a->c, b->count, b->c, sum), sum);
}

abut_short abut_short_sub(const abut_short *a, const abut_short *b)
{
    abut_short minus = *b;
    if (minus.count > 0)
        abut_expansion_negate(minus.count, minus.c);
    return abut_short_add(a, &minus);
}

abut_short abut_short_mul(const abut_short *a, const abut_short *b)
{
    if (a->count < 0 || b->count < 0)
        return (abut_short){ .count = -1 };
    double product[2 * ABUT_SHORT_MAX * ABUT_SHORT_MAX], scratch[2 * ABUT_SHORT_MAX * ABUT_SHORT_MAX];
    const int n = abut_expansion_product(a->count, a->c, b->count, b->c, product, scratch);
    return compress(n, product);
}

int abut_short_sign(const abut_short *a)
{
    return abut_expansion_sign(a->count, a->c);
}
