/* SPDX-License-Identifier: MIT */
/* A scaled piece of a half-line, between poly_isolate.c, which subdivides it, and
 * poly_enclose.c, which encloses the single roots found. */
#ifndef ABUT_MATH_POLY_PIECE_H
#define ABUT_MATH_POLY_PIECE_H

#include "math/poly_isolate.h"

#include <math.h>
#include <string.h>

#define ABUT_POLY_U    0x1p-53
#define ABUT_POLY_TINY 0x1p-1000 /* covers what underflows; not denormal, because that would be slow */
/* Known degrees let the compiler unroll the loops of small polynomials, which makes them several
 * times faster. */
#define ABUT_POLY_INLINE inline __attribute__((always_inline))

/* One piece: f(y) = 2^-m p(side 2^k y) for 0 <= y <= 1. */
typedef struct abut_poly_piece {
    int n;
    bool has_low, has_error;
    double c[ABUT_POLY_TERMS], low[ABUT_POLY_TERMS], error[ABUT_POLY_TERMS];
    double side;
    int k;
    const abut_poly_isolate_opts *opts;
    const double *inverse_binomial;
    int nodes_left;
} abut_poly_piece;

/* Signs of f at y: by plain Horner; by all means there are. ABUT_SIGN_UNKNOWN where they do not
 * suffice. *value gets f(y), about. */
int abut_poly_plain_sign(const abut_poly_piece *f, double y, double *value);
int abut_poly_best_sign(const abut_poly_piece *f, double y, double *value);

/* Narrows [*ya, *yb], at whose ends (or just inside) the signs are sign_a and -sign_a, and which
 * holds one root, until it is one double, or two adjacent ones, or as narrow as asked for.
 * `start` is a guess. */
void abut_poly_enclose(const abut_poly_piece *f, double *ya, double *yb, int sign_a, double start);

/* floor(log2 |x|) for x != 0, denormals included. */
static inline int piece_exponent_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int e = (int)(bits >> 52 & 0x7ff);
    return e ? e - 1023 : ilogb(x);
}

static inline double piece_power_of_two(int e) /* -1022 <= e <= 1023 */
{
    const uint64_t bits = (uint64_t)(e + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline double piece_scale(double x, int e)
{
    return e >= -1022 && e <= 1023 ? x * piece_power_of_two(e) : scalbn(x, e);
}

static inline int64_t piece_bits_of(double x)
{
    int64_t b;
    memcpy(&b, &x, sizeof b);
    return b;
}

static inline double piece_from_bits(int64_t b)
{
    double x;
    memcpy(&x, &b, sizeof x);
    return x;
}

#endif
