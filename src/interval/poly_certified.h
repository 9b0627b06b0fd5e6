/* SPDX-License-Identifier: MIT */
/* Certified real roots of polynomials whose coefficients are not doubles: exact sums of doubles,
 * or intervals. What is returned, and what is asked of lo, hi, width and roots, is as for
 * abut_polynomial_roots_certified (abut/polynomial.h). No allocation; some 60 KiB of stack where
 * coefficients are exact, 8 KiB for intervals. */
#ifndef ABUT_INTERVAL_POLY_CERTIFIED_H
#define ABUT_INTERVAL_POLY_CERTIFIED_H

#include "abut/polynomial.h"

/* Coefficient i is the exact sum of the per_coefficient doubles from terms[i * per_coefficient]
 * on, such as an expansion padded with zeros (math/expansion.h). At most
 * ABUT_POLY_MAX_COMPONENTS each. */
#define ABUT_POLY_MAX_COMPONENTS 64
int abut_poly_roots_expansion(const double *terms, int per_coefficient, int degree, double lo, double hi,
                              double width, abut_root *roots);

/* Coefficients anywhere in the intervals c: each statement holds for every polynomial among
 * them. There is no exact stage, so roots that the intervals do not separate are a CLUSTER. lo
 * and hi are finite. -1 also where all intervals hold zero, so that the zero polynomial is among
 * them. */
int abut_poly_roots_interval(const abut_interval *c, int degree, double lo, double hi, double width,
                             abut_root *roots);

#endif
