/* SPDX-License-Identifier: MIT */
/* Exact numbers of a few components, for the coefficients of motions on straight lines. An
 * operation whose result does not fit in ABUT_SHORT_MAX components (it spans more than 1200
 * bits) makes a number that is marked bad, and so is all that is made of it; the caller looks
 * once, at the end, and falls back on intervals. Rounding to nearest. */
#ifndef ABUT_CCD_ELLIPSOID_SHORT_H
#define ABUT_CCD_ELLIPSOID_SHORT_H

#include <stdbool.h>

enum { ABUT_SHORT_MAX = 24 };

typedef struct abut_short {
    int count; /* -1: bad */
    double c[ABUT_SHORT_MAX];
} abut_short;

abut_short abut_short_from(double a);
abut_short abut_short_difference(double a, double b);
abut_short abut_short_add(const abut_short *a, const abut_short *b);
abut_short abut_short_sub(const abut_short *a, const abut_short *b);
abut_short abut_short_mul(const abut_short *a, const abut_short *b);
/* -1, 0 or 1; not for bad numbers. */
int abut_short_sign(const abut_short *a);

#endif
