/* SPDX-License-Identifier: MIT */
/* Floating-point expansions; see expansion.h. */
#include "math/expansion.h"

#include <string.h>

static int compress2(double high, double low, double x[2])
{
    int n = 0;
    if (low != 0)
        x[n++] = low;
    if (high != 0)
        x[n++] = high;
    return n;
}

int abut_expansion_sum2(double a, double b, double x[2])
{
    double low;
    const double high = abut_two_sum(a, b, &low);
    return compress2(high, low, x);
}

int abut_expansion_product2(double a, double b, double x[2])
{
    double low;
    const double high = abut_two_product(a, b, &low);
    return compress2(high, low, x);
}

/* Shewchuk's fast expansion sum: merge by size, then carry one running sum upward. */
int abut_expansion_sum(int en, const double *e, int fn, const double *f, double *h)
{
    int i = 0, j = 0, n = 0;
    double q = 0;
    while (i < en || j < fn) {
        const double next = j >= fn || (i < en && fabs(e[i]) < fabs(f[j])) ? e[i++] : f[j++];
        double low;
        q = abut_two_sum(q, next, &low);
        if (low != 0)
            h[n++] = low;
    }
    if (q != 0)
        h[n++] = q;
    return n;
}

int abut_expansion_scale(int en, const double *e, double s, double *h)
{
    int n = 0;
    double q = 0;
    for (int i = 0; i < en; ++i) {
        double product_low, low;
        const double product = abut_two_product(e[i], s, &product_low);
        q = abut_two_sum(q, product_low, &low);
        if (low != 0)
            h[n++] = low;
        q = abut_two_sum(product, q, &low);
        if (low != 0)
            h[n++] = low;
    }
    if (q != 0)
        h[n++] = q;
    return n;
}

/* The sum of f[j] e, one at a time; scratch and h take turns in holding it. */
int abut_expansion_product(int en, const double *e, int fn, const double *f, double *h, double *scratch)
{
    enum { MAX_PART = 256 };
    double part[MAX_PART];
    double *sum = h, *other = scratch;
    int n = 0;
    for (int j = 0; j < fn; ++j) {
        for (int start = 0; start < en; start += MAX_PART / 2) {
            const int count = en - start < MAX_PART / 2 ? en - start : MAX_PART / 2;
            const int parts = abut_expansion_scale(count, e + start, f[j], part);
            n = abut_expansion_sum(n, sum, parts, part, other);
            double *const filled = other;
            other = sum;
            sum = filled;
        }
    }
    if (sum != h)
        memcpy(h, sum, (size_t)n * sizeof *h);
    return n;
}
