/* SPDX-License-Identifier: MIT */
/* Exact dyadic numbers of bounded size, for coefficients of polynomials: sums and products of doubles.
 * A number that would not fit is `bad`, and so is all that is computed from it: nothing is rounded, and
 * nothing can fail otherwise. */
#ifndef ABUT_INTERSECT_NUMBER_H
#define ABUT_INTERSECT_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

enum { ABUT_NUMBER_LIMBS = 36, ABUT_LONG_LIMBS = 80 };

/* limb times 2^exponent; |size| limbs, with the sign of the number; bad: size is ABUT_NUMBER_BAD. Numbers other
 * than 0 are odd multiples of their power of two. */
typedef struct abut_number {
    int size, exponent;
    uint64_t limb[ABUT_NUMBER_LIMBS];
} abut_number;

/* The same with room for determinants. */
typedef struct abut_long {
    int size, exponent;
    uint64_t limb[ABUT_LONG_LIMBS];
} abut_long;

#define ABUT_NUMBER_BAD INT32_MAX

void abut_number_from(abut_number *r, double x);
void abut_long_from(abut_long *r, double x);
/* r may be a or b. */
void abut_number_add(abut_number *r, const abut_number *a, const abut_number *b);
void abut_number_sub(abut_number *r, const abut_number *a, const abut_number *b);
void abut_number_mul(abut_number *r, const abut_number *a, const abut_number *b);
void abut_long_add(abut_long *r, const abut_long *a, const abut_long *b);
void abut_long_sub(abut_long *r, const abut_long *a, const abut_long *b);
void abut_long_mul(abut_long *r, const abut_long *a, const abut_long *b);

static inline bool abut_number_is_bad(const abut_number *a)
{
    return a->size == ABUT_NUMBER_BAD;
}

/* -1, 0, 1; 2 for a bad one. */
static inline int abut_number_sign(const abut_number *a)
{
    return a->size == ABUT_NUMBER_BAD ? 2 : (a->size > 0) - (a->size < 0);
}

static inline int abut_long_sign(const abut_long *a)
{
    return a->size == ABUT_NUMBER_BAD ? 2 : (a->size > 0) - (a->size < 0);
}

/* The number 2^shift a as doubles that do not overlap, padded with zeros; false where `capacity` of them, or
 * their range, does not suffice. */
bool abut_number_split(const abut_number *a, int shift, double *terms, int capacity);
bool abut_long_split(const abut_long *a, int shift, double *terms, int capacity);
/* Position of the highest bit, of numbers other than 0. */
int abut_number_top(const abut_number *a);
int abut_long_top(const abut_long *a);
/* Enclosure of 2^shift a, a few units wide; not of a bad one. */
void abut_long_enclose(const abut_long *a, int shift, double *lo, double *hi);

#endif
