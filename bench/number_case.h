/* SPDX-License-Identifier: MIT */
/* What the polynomial and predicate cases share with their peers. */
#ifndef ABUT_BENCH_NUMBER_CASE_H
#define ABUT_BENCH_NUMBER_CASE_H

#include "bench.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { POLYNOMIALS = 512, POLYNOMIAL_MAX_DEGREE = 12 };

/* Polynomials with known numbers of real roots, well separated or multiple. */
typedef struct polynomial_job {
    int degree;
    bool multiple; /* every real root but one is double */
    double c[POLYNOMIALS][POLYNOMIAL_MAX_DEGREE + 1];
    int roots[POLYNOMIALS];
} polynomial_job;

/* Four points each, and the true orientation of abc seen from d. */
enum { ORIENTATIONS = 2048 };
typedef struct orientation_job {
    double p[ORIENTATIONS][12];
    int sign[ORIENTATIONS];
} orientation_job;

/* CGAL's univariate algebraic kernel, and its exact predicates; return how many contenders were
 * filled in. */
int bench_cgal_polynomials(bench_contender *out);
int bench_cgal_orientations(bench_contender *out);

#ifdef __cplusplus
}
#endif

#endif
