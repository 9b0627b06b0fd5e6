/* SPDX-License-Identifier: MIT */
/* The signed gap between a ball and something simple: positive apart, zero touching, negative
 * the depth. Sign exact, enclosure a few ulp wide, a point where the value is a double. See
 * docs/notes/sphere-pairs.md. */
#ifndef ABUT_NARROW_PAIR_GAP_H
#define ABUT_NARROW_PAIR_GAP_H

#include "narrow/pair/exact.h"

/* An exact sum of a few doubles, such as the difference of two coordinates. */
typedef struct abut_terms {
    int count;
    double t[4];
} abut_terms;

typedef struct abut_gap {
    abut_interval value;
    int sign;   /* -1, 0, 1 or ABUT_SIGN_UNKNOWN */
    bool exact; /* expansions were needed */
} abut_gap;

static inline abut_terms abut_terms_difference(double a, double b)
{
    return b != 0 ? (abut_terms){ 2, { a, -b } } : (abut_terms){ 1, { a } };
}

static inline void abut_terms_push(abut_terms *x, double t)
{
    x->t[x->count++] = t;
}

static inline void abut_terms_negate(abut_terms *x)
{
    for (int i = 0; i < x->count; ++i)
        x->t[i] = -x->t[i];
}

/* Nearest pair, absolute error 2^-105 times the sum of the terms' sizes (none for two terms). */
dd abut_terms_value(const abut_terms *x);
int abut_terms_sign(const abut_terms *x);
void abut_terms_exact(const abut_terms *x, abut_exact *out);
double abut_terms_size(const abut_terms *x);

/* Lengths are brought to where squares neither overflow nor underflow: the power of two to
 * divide by, 0 for the usual sizes. */
int abut_gap_exponent(double largest);
/* x / 2^exponent; *lossy is set when bits are lost, or so few are left that products of them
 * would lose some. */
double abut_gap_shrink(double x, int exponent, bool *lossy);

/* |v| - s, with s >= 0. */
abut_gap abut_gap_norm(const abut_terms v[3], const abut_terms *s, bool lossy);
/* |p - q| - (r + s) for lengths of the usual sizes when the first of the three steps (gap.c) is
 * enough; false when it is not. */
bool abut_gap_balls(const double p[3], const double q[3], double r, double s, abut_gap *out);
/* x - s. */
abut_gap abut_gap_linear(const abut_terms *x, const abut_terms *s);
/* Sign of n . p - offset. */
int abut_plane_side(const double n[3], const abut_terms p[3], double offset);
/* (n . p - offset) / |n| - r, for max |n_i| in [1, 2). */
abut_gap abut_gap_plane(const double n[3], const abut_terms p[3], double offset, double r, bool lossy);

/* x in units of 2^exponent; *lossy where that is so large or small that a product of six such
 * factors may lose its low parts. */
static inline double abut_gap_fit(double x, int exponent, bool *lossy)
{
    const double y = ldexp(x, -exponent);
    if (x != 0 && !(fabs(y) >= 0x1p-120 && fabs(y) <= 0x1p120))
        *lossy = true;
    return y;
}

#endif
