/* SPDX-License-Identifier: MIT */
/* Batches of pairs of ellipsoids inside: what the two instances of the kernel get. */
#ifndef ABUT_NARROW_ELLIPSOID_ELLIPSOID_SET_H
#define ABUT_NARROW_ELLIPSOID_ELLIPSOID_SET_H

#include "abut/ellipsoid.h"

/* A body as 12 doubles: centre, radius of a ball around it, radius of one inside, P = L L^T as
 * xx yy zz xy xz yz, and one unused. The radii are rounded outward and inward, and NaN where
 * sizes are too extreme: then every comparison fails, and the pair is left to others. */
enum { ABUT_ELLIPSOID_RECORD = 12 };

typedef struct abut_ellipsoid_job {
    const double *records;
    const uint32_t *pairs;
    size_t count;
    uint8_t *verdicts; /* UNDECIDED where the kernel does not tell */
} abut_ellipsoid_job;

void abut_ellipsoid_decide_plain(const abut_ellipsoid_job *job);
#if defined(__x86_64__)
void abut_ellipsoid_decide_avx2(const abut_ellipsoid_job *job);
#endif
/* For tests: not 0: the plain one, whatever the machine has. */
extern int abut_ellipsoid_force_plain;

/* One pair for certain (ellipsoid_relate.c): neither singular, nothing but finite numbers.
 * *exact: doubles did not decide. */
abut_verdict abut_ellipsoid_decide(const abut_affine *a, const abut_affine *b, bool *exact);
/* Sign of the determinant of a map with finite entries; filtered. */
bool abut_ellipsoid_is_singular(const abut_affine *map);

#endif
