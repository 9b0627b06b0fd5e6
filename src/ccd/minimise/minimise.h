/* SPDX-License-Identifier: MIT */
/* The constrained minimiser of Snyder, Woodbury, Fleischer, Currin, Barr (SIGGRAPH 1993), section
 * 3: the earliest time at which a system of equations and inequalities in up to five unknowns, of
 * which the last is the time, has a solution, and all solutions that are simultaneous with it. Many
 * problems share one queue, so that nothing is spent on what comes later than the first solution of
 * any.
 *
 * The solver knows nothing of surfaces: a problem is a function that encloses its system over a
 * box. */
#ifndef ABUT_CCD_MINIMISE_MINIMISE_H
#define ABUT_CCD_MINIMISE_MINIMISE_H

#include "abut/query.h"
#include "base/workspace.h"
#include "interval/ia3.h"

enum { ABUT_PROBLEM_UNKNOWNS = 5, ABUT_PROBLEM_EQUATIONS = 6 };

/* What a problem says of a box x. */
typedef struct abut_system {
    ia f[ABUT_PROBLEM_EQUATIONS];
    ia jacobian[ABUT_PROBLEM_EQUATIONS][ABUT_PROBLEM_UNKNOWNS]; /* order 1 */
    /* Contains where the solutions in the box are, in the world: the distance map. */
    ia3 place;
    /* How far apart the two points that should coincide can be, for a box that may hold a
     * solution: a length. A region is accepted without proof only when this is small. */
    double spread;
    /* The inequalities: -1 nowhere in the box, +1 everywhere, 0 not known. */
    int holds;
    /* A zero of the equations in the box is a common point of the bodies, whether or not the
     * inequalities hold. It bounds the time of the first solution from above. */
    bool common;
    /* More equations than unknowns: bits of as many equations as there are unknowns whose common
     * zeros in this box are zeros of all; 0: none are known to be enough, and the existence of a
     * zero cannot be proved. Ignored where the numbers are equal. */
    unsigned sufficient;
    /* Enclosures of positions alone that this one took besides: of faces along rays. */
    uint64_t extra;
    /* false: the functions are not defined (or differentiable) all over the box: no Newton step,
     * no proof */
    bool defined;
} abut_system;

typedef struct abut_problem {
    int unknowns, equations; /* x[unknowns - 1] is the time */
    abut_interval box[ABUT_PROBLEM_UNKNOWNS];
    /* boxes that are widened may leave the range there: a closed parameter */
    bool wraps[ABUT_PROBLEM_UNKNOWNS];
    /* of solutions that are one point in space and time, but cannot be proved to be one, that of
     * the problem with the least rank is given */
    int rank;
    uint64_t cost; /* of an iteration, in those of max_iterations; 0: 1 */
    /* samples thin out others of their own group only: one for each pair of bodies */
    uint32_t group;
    /* Kernel. order 0: f, place, holds; order 1: and the jacobian, which need not be filled
     * where some f excludes zero or the inequalities hold nowhere, unless the box is a point:
     * there all f and the jacobian are wanted. Boxes may be wider than `box` by a twentieth at
     * either side. May run in several threads at once; `thread` < the number of them says which,
     * for scratch memory. `out` comes with spread 0, holds 0, common false, sufficient 0,
     * extra 0, defined true. */
    void (*enclose)(const void *ctx, const ia *x, int order, int thread, abut_system *out);
    /* Kernel; may be NULL. A narrower enclosure of the times of the zeros in the box, over which
     * `s` (order 1, defined) encloses the system; empty: there are none. Asked where solutions
     * are no points, and Newton steps narrow little. */
    ia (*times)(const void *ctx, const ia *x, const abut_system *s, int thread);
    const void *ctx;
} abut_problem;

typedef struct abut_solution {
    size_t problem;
    abut_interval x[ABUT_PROBLEM_UNKNOWNS];
    abut_interval_vec3 place;
    bool unique; /* exactly one zero of the equations in x (polished to a few ulp), proved */
    bool holds;  /* and the inequalities are proved there: it is a contact */
    bool common; /* unique, in the range, and proved to be a point of both bodies */
    /* not unique, but no other solution is nearer than the separation, up to the accuracy */
    bool point;
} abut_solution;

typedef struct abut_minimise_opts {
    double simultaneity; /* epsilon */
    double separation;   /* delta, > 0: spacing of samples */
    /* > 0, a length: regions are accepted without proof once `place` and `spread` are no wider. */
    double accuracy;
    /* > 0, a time: and their times are no wider than this. */
    double duration;
    /* > 0, a time: goal for the width of the time of the first solution where that is not
     * isolated; 0: none. */
    double sharpness;
    /* a Newton step is worth repeating when it shrinks a box at least by this factor; 0: 0.9 */
    double improvement;
    abut_newton_method newton;
    abut_queue_order order;
    uint64_t max_iterations; /* each counts as its problem's cost */
    int threads;             /* 1 or more; the answer does not depend on it */
    /* every region that is small enough counts, none is discarded for being near another: for
     * the paper's comparison */
    bool accept_all;
    abut_progress_fn progress;
    void *progress_ctx;
} abut_minimise_opts;

typedef struct abut_minimum {
    abut_stop stop;
    /* No solution of any problem is earlier than earliest; INFINITY: proved that there is none
     * at all. */
    double earliest;
    /* A solution with `holds` or `common` proves that there is one no later than latest;
     * INFINITY where none is proved. */
    double latest;
    abut_solution *solutions; /* ascending by problem and x; from the workspace */
    size_t solution_count;
    abut_counters counters; /* iterations: regions examined; evaluations: enclosures */
} abut_minimum;

/* Status ABUT_ERR_MEMORY, ABUT_ERR_CANCELLED, ABUT_ERR_ARGUMENT. Called with rounding to
 * nearest; enters the rounding mode itself. */
abut_status abut_minimise(const abut_problem *problems, size_t problem_count, const abut_minimise_opts *opts,
                          abut_workspace *ws, abut_minimum *out);

#endif
