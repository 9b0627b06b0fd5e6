/* SPDX-License-Identifier: MIT */
/* Interval Newton steps on the systems of minimise.h: narrowing a box, proving that it has one zero, enclosing that zero as narrowly as doubles allow.
 * Everything here is a kernel. */
#ifndef ABUT_CCD_NEWTON_H
#define ABUT_CCD_NEWTON_H

#include "ccd/minimise.h"

typedef struct abut_newton {
    const abut_problem *problem;
    abut_newton_method method;
    double improvement;
    int thread;
    uint64_t evaluations;
} abut_newton;

typedef enum abut_zeros {
    ABUT_ZEROS_UNKNOWN = 0,
    ABUT_ZEROS_NONE,
    ABUT_ZEROS_ONE,
    ABUT_ZEROS_AT_MOST_ONE /* more equations than unknowns: of a square part that has one zero */
} abut_zeros;

/* Encloses the system over x. */
void abut_newton_enclose(abut_newton *n, const ia *x, int order, abut_system *out);
/* False: proved that none of the equations' common zeros is in the box, or that the inequalities hold nowhere in it. */
bool abut_newton_possible(const abut_problem *p, const abut_system *s);

/* Narrows x, over which `s` (order 1, defined) encloses the system, to what may hold zeros. False: there are none. `regular`: the Jacobian is so near to a regular
 * matrix all over x that abut_newton_isolate is worth its cost. */
bool abut_newton_narrow(abut_newton *n, const abut_system *s, ia *x, bool *regular);

/* Counts the zeros in a box `within` that is a little wider than x. With ONE and AT_MOST_ONE all zeros of x are that one, `zero` encloses it, and `at_zero` the system
 * there. x is narrowed on the way. */
abut_zeros abut_newton_isolate(abut_newton *n, ia *x, ia *within, ia *zero, abut_system *at_zero);

#endif
