/* SPDX-License-Identifier: MIT */
/* Exact dyadic numbers n 2^e on the stack, for signs that polynomials of high degree in the data
 * decide: lines against quadrics and hulls. Their size in bits does not grow with the number of
 * terms, as that of an expansion does, and no product underflows.
 *
 * A line is scaled so that lengths and direction are at most 1; what is not zero is at least
 * 2^-1074. A product of 14 such numbers has at most 15100 bits. What goes beyond the room (it
 * does not for any line) keeps the larger part, as a rounded number does. Signs of corners of
 * turned triangles (triangle_exact.c) need 31512 bits, for quaternions and coordinates whose
 * parts differ by 2^2000. */
#ifndef ABUT_NARROW_PAIR_BIG_H
#define ABUT_NARROW_PAIR_BIG_H

#include "math/bigint.h"
#include "narrow/pair/gap.h"

enum { ABUT_BIG_LIMBS = 512 };

typedef struct abut_big {
    int n, e; /* signed length in limbs, exponent */
    uint64_t c[ABUT_BIG_LIMBS];
} abut_big;

void abut_big_double(double x, abut_big *out);
void abut_big_terms(const abut_terms *x, abut_big *out);
/* out may be neither a nor b. */
void abut_big_mul(const abut_big *a, const abut_big *b, abut_big *out);
/* out = out + sign a b; out may be neither. */
void abut_big_add_product(const abut_big *a, const abut_big *b, int sign, abut_big *out);
void abut_big_add(const abut_big *a, int sign, abut_big *out);

static inline void abut_big_clear(abut_big *x)
{
    x->n = 0;
    x->e = 0;
}

static inline int abut_big_sign(const abut_big *x)
{
    return (x->n > 0) - (x->n < 0);
}

/* Relative error 2^-104, in [1, 2) in size; times 2^*exponent. */
dd abut_big_value(const abut_big *x, int *exponent);
dd abut_big_quotient(const abut_big *over, const abut_big *under);

#endif
