/* SPDX-License-Identifier: MIT */
/* Exact dyadic numbers; see big.h. */
#include "narrow/pair/big.h"

#include <math.h>
#include <string.h>

static int size_of(int n)
{
    return n < 0 ? -n : n;
}

/* Zero limbs at the low end go into the exponent, so that numbers stay as short as they can be. */
static void trim(abut_big *x)
{
    const int n = size_of(x->n);
    int zeros = 0;
    while (zeros < n && x->c[zeros] == 0)
        ++zeros;
    if (zeros == 0)
        return;
    memmove(x->c, x->c + zeros, (size_t)(n - zeros) * sizeof *x->c);
    x->n += x->n < 0 ? zeros : -zeros;
    x->e += 64 * zeros;
}

void abut_big_double(double x, abut_big *out)
{
    int64_t m;
    abut_z_split_double(x, &m, &out->e);
    out->n = abut_z_from_int(out->c, m);
}

void abut_big_add(const abut_big *a, int sign, abut_big *out)
{
    if (a->n == 0)
        return;
    const int an = sign < 0 ? -a->n : a->n;
    if (out->n == 0) {
        memcpy(out->c, a->c, (size_t)size_of(an) * sizeof *a->c);
        out->n = an;
        out->e = a->e;
        return;
    }
    const abut_big *high = a->e >= out->e ? a : out;
    const int shift = high->e - (a->e >= out->e ? out->e : a->e);
    if (size_of(high->n) + shift / 64 + 3 > ABUT_BIG_LIMBS) {
        if (high == a) {
            abut_big_clear(out);
            abut_big_add(a, sign, out);
        }
        return;
    }
    if (high == a) {
        uint64_t shifted[ABUT_BIG_LIMBS];
        const int n = abut_z_shl(shifted, a->c, an, shift);
        out->n = abut_z_add(out->c, out->c, out->n, shifted, n);
    } else {
        out->n = abut_z_shl(out->c, out->c, out->n, shift);
        out->e = a->e;
        out->n = abut_z_add(out->c, out->c, out->n, a->c, an);
    }
    if (out->n == 0)
        out->e = 0;
    trim(out);
}

void abut_big_terms(const abut_terms *x, abut_big *out)
{
    abut_big_clear(out);
    for (int i = 0; i < x->count; ++i) {
        abut_big t;
        abut_big_double(x->t[i], &t);
        abut_big_add(&t, 1, out);
    }
}

void abut_big_mul(const abut_big *a, const abut_big *b, abut_big *out)
{
    int an = size_of(a->n), bn = size_of(b->n);
    const uint64_t *ac = a->c, *bc = b->c;
    int e = a->e + b->e;
    for (; an + bn > ABUT_BIG_LIMBS; e += 64) {
        if (an > bn) {
            ++ac;
            --an;
        } else {
            ++bc;
            --bn;
        }
    }
    out->e = e;
    out->n = abut_z_mul(out->c, ac, a->n < 0 ? -an : an, bc, b->n < 0 ? -bn : bn);
    if (out->n == 0)
        out->e = 0;
    trim(out);
}

void abut_big_add_product(const abut_big *a, const abut_big *b, int sign, abut_big *out)
{
    abut_big p;
    abut_big_mul(a, b, &p);
    abut_big_add(&p, sign, out);
}

dd abut_big_value(const abut_big *x, int *exponent)
{
    *exponent = 0;
    if (x->n == 0)
        return (dd){ 0, 0 };
    double low, error;
    const int bits = abut_z_bits(x->c, x->n);
    *exponent = bits - 1 + x->e;
    const double high = abut_z_to_double(x->c, x->n, 1 - bits, &low, &error);
    return dd_fast_sum(high, low);
}

dd abut_big_quotient(const abut_big *over, const abut_big *under)
{
    int eo, eu;
    const dd o = abut_big_value(over, &eo), u = abut_big_value(under, &eu);
    if (o.h == 0)
        return o;
    const dd t = dd_div(o, u);
    return (dd){ ldexp(t.h, eo - eu), ldexp(t.l, eo - eu) };
}
