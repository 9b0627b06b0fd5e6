/* SPDX-License-Identifier: MIT */
/* Real roots of a polynomial by Bernstein subdivision in doubles with proved error bounds: what
 * it calls certain is certain. The caller runs rounding to nearest (math/nearest.h).
 * Derivations: docs/notes/polynomial-roots.md. */
#ifndef ABUT_MATH_POLY_ISOLATE_H
#define ABUT_MATH_POLY_ISOLATE_H

#include "abut/polynomial.h"
#include "math/expansion.h"

enum {
    ABUT_POLY_TERMS = ABUT_POLYNOMIAL_MAX_DEGREE + 1,
    ABUT_POLY_MAX_ITEMS = 2 * ABUT_POLYNOMIAL_MAX_DEGREE + 8
};

/* The i-th coefficient lies within error[i] of c[i] + low[i], and |low[i]| <= 2^-52 |c[i]|. */
typedef struct abut_poly {
    int degree;
    bool has_low, has_error; /* otherwise `low`, `error` are not read */
    double c[ABUT_POLY_TERMS], low[ABUT_POLY_TERMS], error[ABUT_POLY_TERMS];
} abut_poly;

/* What is known of [a, b]: exactly one root, of multiplicity `multiplicity`; or nothing more
 * than that there are at most `multiplicity` roots, counted so. A sign at an end is 0 where it
 * is not known. Infinite ends represent numbers beyond the doubles. */
typedef struct abut_poly_item {
    double a, b;
    bool decided;
    int multiplicity;
    int sign_a, sign_b;
} abut_poly_item;

/* The sign of the true polynomial at y 2^k: -1, 0, 1, or ABUT_SIGN_UNKNOWN. */
typedef int (*abut_poly_sign_fn)(void *ctx, double y, int k);

typedef struct abut_poly_isolate_opts {
    double width;     /* enclosures at most so wide will do; 0: as narrow as doubles allow */
    bool approximate; /* decided enclosures shrink to the best double, without proof */
    /* NULL: there is nobody to ask, signs that rounding errors hide stay hidden */
    abut_poly_sign_fn exact;
    void *ctx;
} abut_poly_isolate_opts;

/* Roots in [lo, hi], lo <= hi, of p, degree >= 0, coefficients finite and not all zero: items
 * ascending, disjoint except for ends that are no roots; every root is in one. Infinite lo or hi
 * need a leading coefficient that is certainly not zero. Returns how many, at most
 * ABUT_POLY_MAX_ITEMS. */
int abut_poly_isolate(const abut_poly *p, double lo, double hi, const abut_poly_isolate_opts *opts,
                      abut_poly_item *items);

/* Joins items that overlap, or touch where a root may be; keeps their order. Returns how many
 * are left. */
int abut_poly_join(abut_poly_item *items, int count);

#endif
