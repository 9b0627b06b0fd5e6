/* SPDX-License-Identifier: MIT */
/* Floating-point expansions: an exact number as a sum of doubles, smallest first, that do not
 * overlap.
 *
 * Source: J. R. Shewchuk, Adaptive precision floating-point arithmetic and fast robust geometric
 * predicates, Discrete & Computational Geometry 18 (1997); T. J. Dekker, A floating-point technique
 * for extending the available precision, Numerische Mathematik 18 (1971).
 *
 * All of it needs rounding to nearest (math/nearest.h), and is exact as long as nothing
 * overflows and no product's error underflows: every product in (2^-968, 2^996) in size, or
 * zero. Results have no zero components; the number zero has length 0. All inputs and outputs
 * are strongly non-overlapping, which the linear-time sum needs. */
#ifndef ABUT_MATH_EXPANSION_H
#define ABUT_MATH_EXPANSION_H

#include <math.h>

/* The sign of an exact number is -1, 0 or 1, or this where it could not be found. */
enum { ABUT_SIGN_UNKNOWN = 2 };

/* s + e = a + b exactly. */
static inline double abut_two_sum(double a, double b, double *e)
{
    const double s = a + b, bb = s - a;
    *e = (a - (s - bb)) + (b - bb);
    return s;
}

/* p + e = a * b exactly. */
static inline double abut_two_product(double a, double b, double *e)
{
    const double p = a * b;
#if defined(__FMA__)
    *e = __builtin_fma(a, b, -p);
#else
    /* Veltkamp: the halves of 26 bits have exact products. */
    const double ca = 134217729.0 * a, cb = 134217729.0 * b; /* 2^27 + 1 */
    const double ah = ca - (ca - a), bh = cb - (cb - b);
    const double al = a - ah, bl = b - bh;
    *e = al * bl - (((p - ah * bh) - al * bh) - ah * bl);
#endif
    return p;
}

/* x = a - b, a + b or a * b as an expansion; returns its length, at most 2. */
int abut_expansion_sum2(double a, double b, double x[2]);
int abut_expansion_product2(double a, double b, double x[2]);

/* h = e + f, length at most en + fn; h = s e, at most 2 en; h = e f, at most 2 en fn. h overlaps
 * no input. The product works in `scratch`, as long as h. */
int abut_expansion_sum(int en, const double *e, int fn, const double *f, double *h);
int abut_expansion_scale(int en, const double *e, double s, double *h);
int abut_expansion_product(int en, const double *e, int fn, const double *f, double *h, double *scratch);

static inline void abut_expansion_negate(int en, double *e)
{
    for (int i = 0; i < en; ++i)
        e[i] = -e[i];
}

static inline int abut_expansion_sign(int en, const double *e)
{
    return en == 0 ? 0 : e[en - 1] > 0 ? 1 : -1;
}

#endif
