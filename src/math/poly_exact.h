/* SPDX-License-Identifier: MIT */
/* Polynomials with integer coefficients (math/bigint.h), for what doubles cannot decide: exact
 * signs, multiplicities, and isolation of roots however close. All memory comes from a fixed
 * block and all work is counted: when either runs out the answer is "not known", never a wrong
 * one. */
#ifndef ABUT_MATH_POLY_EXACT_H
#define ABUT_MATH_POLY_EXACT_H

#include "math/poly_isolate.h"

/* 32 KiB on the caller's stack; work in products of limbs, about a nanosecond each. */
enum { ABUT_ZPOLY_LIMBS = 4096 };
#define ABUT_ZPOLY_WORK 20000000

typedef struct abut_zpoly_memory {
    int used;
    int64_t work_left;
    uint64_t limbs[ABUT_ZPOLY_LIMBS];
} abut_zpoly_memory;

/* Coefficient i has the signed length size[i] and starts at limbs + i * stride. */
typedef struct abut_zpoly {
    int degree, stride;
    int size[ABUT_POLY_TERMS];
    uint64_t *limbs;
} abut_zpoly;

/* The polynomial whose i-th coefficient is the sum of terms[i * per_coefficient ...], up to a
 * common power of two. Leading coefficients that sum to zero are dropped (degree -1: all do).
 * False where memory is out. */
bool abut_zpoly_from_doubles(abut_zpoly_memory *mem, const double *terms, int per_coefficient, int degree,
                             abut_zpoly *out);
/* The same polynomial, up to a power of two, as doubles with bounds. */
void abut_zpoly_round(const abut_zpoly *p, abut_poly *out);

/* Sign at y 2^k; ABUT_SIGN_UNKNOWN where memory or work is out. */
int abut_zpoly_sign(abut_zpoly_memory *mem, const abut_zpoly *p, double y, int k);

/* p = constant * factor[1] * factor[2]^2 * ..., with factors that have no multiple roots and no
 * common ones. Returns the largest multiplicity, 0 where memory or work is out. factor[i].degree
 * is 0 for multiplicities that do not occur; if p has no multiple roots, 1 is returned and
 * factor[1] is p. */
int abut_zpoly_factor(abut_zpoly_memory *mem, const abut_zpoly *p, abut_zpoly factor[ABUT_POLY_TERMS]);

/* Roots in [lo, hi], both finite, of p without multiple roots and with p(0) != 0 or 0 outside:
 * appended to items, of which there are `count`, ascending, all with this multiplicity. Returns
 * the new count, at most `capacity`. */
int abut_zpoly_isolate(abut_zpoly_memory *mem, const abut_zpoly *p, double lo, double hi, int multiplicity,
                       abut_poly_item *items, int count, int capacity);

#endif
