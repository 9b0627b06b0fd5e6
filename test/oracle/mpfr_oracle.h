/* SPDX-License-Identifier: MIT */
/* Referee for intervals: MPFR. The tightest doubles around f(x) come from one evaluation with 53
 * bits rounded down and MPFR's own word on whether that was exact; a double is a lower bound of
 * f(x) if and only if it is at most `below`. */
#ifndef ABUT_ORACLE_MPFR_H
#define ABUT_ORACLE_MPFR_H

#include <stdbool.h>

typedef enum oracle_function {
    ORACLE_ADD,
    ORACLE_SUB,
    ORACLE_MUL,
    ORACLE_DIV,
    ORACLE_POW,
    ORACLE_ATAN2,
    ORACLE_SQR,
    ORACLE_SQRT,
    ORACLE_EXP,
    ORACLE_LOG,
    ORACLE_SIN,
    ORACLE_COS,
    ORACLE_TAN,
    ORACLE_ASIN,
    ORACLE_ACOS,
    ORACLE_ATAN,
    ORACLE_FUNCTIONS
} oracle_function;

typedef struct oracle_bounds {
    double below, above; /* equal where f is a double; NaN outside the domain */
} oracle_bounds;

/* y only for the functions of two arguments (ORACLE_ATAN2: angle of (y, x) as atan2(x argument,
 * y argument)). */
oracle_bounds oracle_mpfr(oracle_function f, double x, double y);
oracle_bounds oracle_mpfr_pown(double x, long n);

/* Doubles near k pi/2, k = 1 .. 2^exponent-ish: the double nearest to k pi/2. */
double oracle_mpfr_near_half_pi(double k);
/* The mantissas m < 2^53 for which m 2^exponent comes closest to a multiple of pi/2, by
 * continued fractions: the best `wanted` of them, as doubles m 2^exponent. Returns how many. */
int oracle_mpfr_worst_for_half_pi(int exponent, int wanted, double *out);

#endif
