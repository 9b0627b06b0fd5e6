/* SPDX-License-Identifier: MIT */
/* Real roots of polynomials with double coefficients, fast and certified.
 * p(x) = c[0] + c[1] x + ... + c[degree] x^degree; leading coefficients may be zero. */
#ifndef ABUT_POLYNOMIAL_H
#define ABUT_POLYNOMIAL_H

#include "abut/interval.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ABUT_POLYNOMIAL_MAX_DEGREE 32

/* Closed form with polishing, degree <= 4: all real roots, ascending, a multiple root once; returns how many.
 * Returns -1 when p is the zero polynomial, when the degree is out of range, or a coefficient is not finite. */
ABUT_API int abut_polynomial_roots_closed(const double *c, int degree, double roots[4]);

/* Bernstein subdivision on [lo, hi], any degree <= ABUT_POLYNOMIAL_MAX_DEGREE: roots ascending, multiple ones once.
 * Both ends may be infinite. Plain double arithmetic; -1 as above. */
ABUT_API int abut_polynomial_roots_bernstein(const double *c, int degree, double lo, double hi,
                                             double *roots);

typedef enum abut_root_kind {
    ABUT_ROOT_SIMPLE = 1, /* exactly one root, of multiplicity 1 */
    ABUT_ROOT_MULTIPLE,   /* exactly one distinct root, of multiplicity `multiplicity` >= 2 */
    ABUT_ROOT_CLUSTER     /* not resolved: between 0 and `multiplicity` roots counted with multiplicity */
} abut_root_kind;

/* Enclosures of different roots do not overlap (two may share an end only if that end is not a root). */
typedef struct abut_root {
    abut_interval x;
    abut_root_kind kind;
    int multiplicity;
} abut_root;

/* Certified: every real root in [lo, hi] lies in exactly one of the returned enclosures, ascending; each enclosure is
 * what its kind says. Enclosures are at most a few ulp wide where arithmetic allows, else at most `width` wide when
 * width > 0. Returns how many (at most `degree`), or -1 as above. Falls back from doubles to intervals to exact
 * integers; CLUSTER appears only when the exact stage would cost more than its fixed budget. */
ABUT_API int abut_polynomial_roots_certified(const double *c, int degree, double lo, double hi, double width,
                                             abut_root *roots);

#ifdef __cplusplus
}
#endif

#endif
