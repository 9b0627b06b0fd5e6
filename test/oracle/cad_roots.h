/* SPDX-License-Identifier: MIT */
/* Referee for common points of a curve and a surface: exact rational arithmetic (GMP). The equation of the surface
 * is evaluated at rational points of the curve and interpolated; roots are counted by Sturm chains, multiplicities
 * by repeated greatest common divisors. Shares nothing with the library. */
#ifndef ABUT_TEST_ORACLE_CAD_ROOTS_H
#define ABUT_TEST_ORACLE_CAD_ROOTS_H

#include "abut/intersect.h"

#include <gmp.h>

enum { CAD_ROOTS_MOST = 13 };

/* The root is in (lo, hi], which is less than 2^-160 wide; `at` is its nearest double. Of a circle t =
 * tan(angle / 2), and `far` is the point opposite of the first end, where t is infinite. */
typedef struct cad_root {
    mpq_t lo, hi;
    double at;
    bool far;
    int multiplicity;
    int nappe; /* of a cone: 1 above the apex, 0 at it, -1 below */
    mpq_t point[3];
} cad_root;

typedef struct cad_roots {
    bool contained; /* in the surface, of a cone in both nappes together */
    int count, made;
    cad_root root[CAD_ROOTS_MOST];
} cad_roots;

/* Of a spline the cubic `piece`. The length of a circle's axis is rounded at 2^-600 where it is irrational. All
 * real roots, on the edge or not, ascending, with `far` as the last one. */
void cad_roots_find(const abut_curve *curve, uint32_t piece, const abut_solid_surface *surface,
                    cad_roots *out);
void cad_roots_clear(cad_roots *roots);

#endif
