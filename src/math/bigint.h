/* SPDX-License-Identifier: MIT */
/* Exact integers in memory of the caller: 64-bit limbs, least first, and a signed length whose sign
 * is the number's.
 *
 * A number is (limbs, n): |n| limbs, the top one not zero; n = 0 is zero. Functions return the
 * result's signed length and write at most the number of limbs said; nothing is allocated and
 * nothing can fail, because callers know their sizes beforehand. */
#ifndef ABUT_MATH_BIGINT_H
#define ABUT_MATH_BIGINT_H

#include <stdbool.h>
#include <stdint.h>

/* A double is less than 2^1024 and a multiple of 2^-1074: that many limbs hold it at any common
 * exponent, shifted. */
enum { ABUT_Z_DOUBLE_LIMBS = 34 };

/* x = m 2^e with odd m, for finite x; m = 0 gives e = 0. */
void abut_z_split_double(double x, int64_t *m, int *e);
/* r = x / 2^e, where e is at most the exponent of x's lowest bit; ABUT_Z_DOUBLE_LIMBS limbs for
 * e >= -1074. */
int abut_z_from_double(uint64_t *r, double x, int e);
int abut_z_from_int(uint64_t *r, int64_t x);
/* Nearest double to a 2^e, as high and low part, and a bound on |a 2^e - high - low|; all finite
 * input, results that overflow become infinite. */
double abut_z_to_double(const uint64_t *a, int an, int e, double *low, double *error);

/* max(|an|, |bn|) + 1 limbs; r may be a or b. */
int abut_z_add(uint64_t *r, const uint64_t *a, int an, const uint64_t *b, int bn);
/* |an| + |bn| limbs; r must not overlap. */
int abut_z_mul(uint64_t *r, const uint64_t *a, int an, const uint64_t *b, int bn);
/* |an| + bits / 64 + 1 limbs; r may be a. */
int abut_z_shl(uint64_t *r, const uint64_t *a, int an, int bits);
/* Exact where the low bits are zero, else rounded toward zero; r may be a. */
int abut_z_shr(uint64_t *r, const uint64_t *a, int an, int bits);

int abut_z_bits(const uint64_t *a, int an);           /* length of |a| in bits */
int abut_z_trailing_zeros(const uint64_t *a, int an); /* of a != 0 */
int abut_z_compare(const uint64_t *a, int an, const uint64_t *b, int bn);
/* in [0, modulus), modulus < 2^63 */
uint64_t abut_z_mod(const uint64_t *a, int an, uint64_t modulus);

static inline int abut_z_sign(int an)
{
    return (an > 0) - (an < 0);
}

#endif
