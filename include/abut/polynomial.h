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

/* Closed forms with polishing, degree <= 4: all real roots, ascending, a multiple root once
 * (roots closer than rounding can tell count as one); returns how many. Roots beyond the range
 * of doubles come as 0 or infinity. Returns -1 when p is the zero polynomial, when the degree is
 * out of range, or a coefficient is not finite. */
ABUT_API int abut_polynomial_roots_closed(const double *c, int degree, double roots[4]);

/* Bernstein subdivision on [lo, hi], any degree <= ABUT_POLYNOMIAL_MAX_DEGREE: roots ascending,
 * multiple ones once. Both ends may be infinite. Plain double arithmetic: roots too close for it
 * count as one multiple root, and so may a pair of complex ones that close to the real line.
 * `roots` has room for `degree` entries; -1 as above, and when lo > hi or one of them is NaN. */
ABUT_API int abut_polynomial_roots_bernstein(const double *c, int degree, double lo, double hi,
                                             double *roots);

typedef enum abut_root_kind {
    ABUT_ROOT_SIMPLE = 1, /* exactly one root, of multiplicity 1 */
    ABUT_ROOT_MULTIPLE,   /* exactly one distinct root, of multiplicity `multiplicity` >= 2 */
    ABUT_ROOT_CLUSTER     /* between 0 and `multiplicity` roots counted with multiplicity; see below */
} abut_root_kind;

/* Enclosures of different roots do not overlap (two may share an end only if that end is not a
 * root). */
typedef struct abut_root {
    abut_interval x;
    abut_root_kind kind;
    int multiplicity;
} abut_root;

/* Certified: every real root in [lo, hi] lies in exactly one of the returned enclosures,
 * ascending; each enclosure is what its kind says, and lies in [lo, hi]. Both ends may be
 * infinite. The enclosure of a SIMPLE or MULTIPLE root is the root itself, [x, x], where that is
 * a double, and else two adjacent doubles; where `width` > 0 and the root is SIMPLE, it may stop
 * at any enclosure at most `width` wide, which is faster. (Among denormal numbers it may be a
 * few doubles wide; a root beyond all doubles is enclosed by the largest of them and infinity.)
 * CLUSTER appears where several roots lie between the same two doubles, so that their enclosures
 * could not be disjoint, and where the fixed budget of the exact stage (some 20 ms, 32 KiB) does
 * not suffice: pairs of roots, real or not, closer than about 2^-190 of their size, or high
 * degree together with coefficients hundreds of orders of magnitude apart. `roots` has room for
 * `degree` entries. Returns how many, or -1 as above, and when lo > hi or one of them is NaN.
 * Any rounding mode; no allocation; less than 64 KiB of stack. Falls back from doubles with
 * error bounds to exact integers. */
ABUT_API int abut_polynomial_roots_certified(const double *c, int degree, double lo, double hi, double width,
                                             abut_root *roots);

#ifdef __cplusplus
}
#endif

#endif
