/* SPDX-License-Identifier: MIT */
/* The public interval functions under both rounding strategies, as tables of functions. */
#ifndef ABUT_TEST_VARIANTS_H
#define ABUT_TEST_VARIANTS_H

#include "abut/interval.h"

/* clang-format off */
#define VARIANT_UNARY(X) \
    X(neg) X(sqr) X(sqrt) X(exp) X(log) X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(abs)
#define VARIANT_BINARY(X) \
    X(add) X(sub) X(mul) X(div) X(pow) X(min) X(max) X(intersect) X(hull)
#define VARIANT_OTHERS(X) \
    X(point) X(is_empty) X(contains) X(subset) X(pown) X(div_split) X(mid) X(width) X(bisect) \
    X(inverse) X(solve_lu) X(solve_iterate) X(krawczyk)
/* clang-format on */

#define VARIANT_DECLARE_1(name) abut_interval portable_interval_##name(abut_interval);
#define VARIANT_DECLARE_2(name) abut_interval portable_interval_##name(abut_interval, abut_interval);
VARIANT_UNARY(VARIANT_DECLARE_1)
VARIANT_BINARY(VARIANT_DECLARE_2)
abut_interval portable_interval_point(double);
bool portable_interval_is_empty(abut_interval);
bool portable_interval_contains(abut_interval, double);
bool portable_interval_subset(abut_interval, abut_interval);
abut_interval portable_interval_pown(abut_interval, int);
int portable_interval_div_split(abut_interval, abut_interval, abut_interval[2]);
double portable_interval_mid(abut_interval);
double portable_interval_width(abut_interval);
void portable_interval_bisect(abut_interval, abut_interval *, abut_interval *);
abut_interval_linear_status portable_interval_inverse(int, const abut_interval *, abut_interval *);
abut_interval_linear_status portable_interval_solve_lu(int, const abut_interval *, const abut_interval *,
                                                       abut_interval *);
abut_interval_linear_status portable_interval_solve_iterate(int, int, const abut_interval *,
                                                            const abut_interval *, double, int,
                                                            abut_interval *);
abut_krawczyk_status portable_interval_krawczyk(int, const abut_interval *, const double *,
                                                const abut_interval *, const abut_interval *,
                                                abut_interval *);

typedef struct variant {
    const char *strategy;
#define VARIANT_FIELD_1(name) abut_interval (*name)(abut_interval);
#define VARIANT_FIELD_2(name) abut_interval (*name)(abut_interval, abut_interval);
    VARIANT_UNARY(VARIANT_FIELD_1)
    VARIANT_BINARY(VARIANT_FIELD_2)
    abut_interval (*point)(double);
    bool (*is_empty)(abut_interval);
    bool (*contains)(abut_interval, double);
    bool (*subset)(abut_interval, abut_interval);
    abut_interval (*pown)(abut_interval, int);
    int (*div_split)(abut_interval, abut_interval, abut_interval[2]);
    double (*mid)(abut_interval);
    double (*width)(abut_interval);
    void (*bisect)(abut_interval, abut_interval *, abut_interval *);
    abut_interval_linear_status (*inverse)(int, const abut_interval *, abut_interval *);
    abut_interval_linear_status (*solve_lu)(int, const abut_interval *, const abut_interval *,
                                            abut_interval *);
    abut_interval_linear_status (*solve_iterate)(int, int, const abut_interval *, const abut_interval *,
                                                 double, int, abut_interval *);
    abut_krawczyk_status (*krawczyk)(int, const abut_interval *, const double *, const abut_interval *,
                                     const abut_interval *, abut_interval *);
} variant;

#define VARIANT_COUNT 2

#define VARIANT_DEFAULT(name)  abut_interval_##name,
#define VARIANT_PORTABLE(name) portable_interval_##name,

static const variant variants[VARIANT_COUNT] = {
    { "default",
      VARIANT_UNARY(VARIANT_DEFAULT) VARIANT_BINARY(VARIANT_DEFAULT) VARIANT_OTHERS(VARIANT_DEFAULT) },
    { "portable",
      VARIANT_UNARY(VARIANT_PORTABLE) VARIANT_BINARY(VARIANT_PORTABLE) VARIANT_OTHERS(VARIANT_PORTABLE) },
};

#endif
