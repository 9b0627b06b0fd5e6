/* SPDX-License-Identifier: MIT */
/* Referee for real roots: Sturm chains over exact integers (GMP). Shares nothing with the
 * library. */
#ifndef ABUT_TEST_ORACLE_STURM_H
#define ABUT_TEST_ORACLE_STURM_H

#include <stdbool.h>

typedef struct sturm sturm;

/* c[0] + c[1] x + ..., where each coefficient is the exact sum of `per` doubles; not all zero. */
sturm *sturm_create(const double *terms, int per, int degree);
void sturm_destroy(sturm *s);

/* Distinct real roots in the closed interval, whose ends may be infinite. */
int sturm_distinct(const sturm *s, double lo, double hi);
/* Roots counted with multiplicity. */
int sturm_with_multiplicity(const sturm *s, double lo, double hi);
/* Sign at a finite double. */
int sturm_sign(const sturm *s, double x);

#endif
