/* SPDX-License-Identifier: MIT */
/* Interval Newton steps on the systems of minimise.h: narrowing a box, proving that it has one
 * zero, enclosing that zero as narrowly as doubles allow. Everything here is a kernel. */
#ifndef ABUT_CCD_MINIMISE_NEWTON_H
#define ABUT_CCD_MINIMISE_NEWTON_H

#include "ccd/minimise/minimise.h"

typedef struct abut_newton {
    const abut_problem *problem;
    abut_newton_method method;
    double improvement;
    int thread;
    uint64_t evaluations, extra;
    bool twofold; /* the last abut_newton_probe came to a double zero, as far as can be decided */
} abut_newton;

typedef enum abut_zeros {
    ABUT_ZEROS_UNKNOWN = 0,
    ABUT_ZEROS_NONE,
    ABUT_ZEROS_ONE,
    ABUT_ZEROS_AT_MOST_ONE /* more equations than unknowns: of a square part that has one zero */
} abut_zeros;

/* Encloses the system over x. */
void abut_newton_enclose(abut_newton *n, const ia *x, int order, abut_system *out);
/* False: proved that none of the equations' common zeros is in the box, or that the inequalities
 * hold nowhere in it. */
bool abut_newton_possible(const abut_problem *p, const abut_system *s);

/* jacobian (x - c) = b holds, for some matrix in the Jacobian, at every zero x in the box it was
 * made for. */
typedef struct abut_linear_form {
    int unknowns, equations;
    const ia (*jacobian)[ABUT_PROBLEM_UNKNOWNS]; /* of the abut_system it was made from */
    ia c[ABUT_PROBLEM_UNKNOWNS], b[ABUT_PROBLEM_EQUATIONS];
    double range[ABUT_PROBLEM_UNKNOWNS]; /* units of the unknowns: steers */
} abut_linear_form;

/* What a Newton step saw. */
typedef struct abut_newton_view {
    abut_linear_form form;
    /* the Jacobian is so near to a regular matrix all over the box that abut_newton_isolate is
     * worth its cost */
    bool regular;
    /* a plain Newton step leads to the point `start`, not far out of the box: abut_newton_probe
     * is worth its cost */
    bool likely;
    double start[ABUT_PROBLEM_UNKNOWNS];
} abut_newton_view;

/* Narrows x, over which `s` (order 1, defined) encloses the system, to what may hold zeros.
 * False: there are none. */
bool abut_newton_narrow(abut_newton *n, const abut_system *s, ia *x, abut_newton_view *view);
/* The same for a part of that box, without a new enclosure. */
bool abut_newton_narrow_part(const abut_newton_view *view, ia *x);

/* Counts the zeros in a box `within` that is a little wider than x. With ONE and AT_MOST_ONE all
 * zeros of x are that one, `zero` encloses it, and `at_zero` the system there. x is narrowed on
 * the way. */
abut_zeros abut_newton_isolate(abut_newton *n, ia *x, ia *within, ia *zero, abut_system *at_zero);

/* The point x that plain Newton steps from the point `start` come to, and the largest part of
 * its range that an unknown still went in the last one. Only while the time is before `before`.
 * Nothing is proved. */
bool abut_newton_probe(abut_newton *n, const double *start, double before, double *x, double *size);

#endif
