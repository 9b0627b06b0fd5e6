/* SPDX-License-Identifier: MIT */
/* Binomial coefficients, exact: abut_binomial[n][k] for k <= n, 0 beyond. */
#ifndef ABUT_MATH_BINOMIAL_H
#define ABUT_MATH_BINOMIAL_H

enum { ABUT_BINOMIAL_MOST = 32 };

extern const double abut_binomial[ABUT_BINOMIAL_MOST + 1][ABUT_BINOMIAL_MOST + 1];

#endif
