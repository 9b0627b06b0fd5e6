/* SPDX-License-Identifier: MIT */
/* Outward-rounded intervals. Every result contains every value the operation takes on points of its
 * arguments.
 *
 * An interval is [lo, hi] with lo <= hi; either end may be infinite (an infinite end is a bound,
 * never a member). Empty is lo > hi, always returned as [+inf, -inf]; an operation on an empty
 * interval is empty (but the hull with it changes nothing). NaN ends count as "nothing known":
 * they are read as the entire line; [+inf, +inf], as after an overflow, is read as the numbers
 * that large. Functions may be called in any rounding mode, and restore it with the rest of the
 * floating-point state. How tight results are: docs/numeric-contract.md. */
#ifndef ABUT_INTERVAL_H
#define ABUT_INTERVAL_H

#include "abut/math.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct abut_interval {
    double lo, hi;
} abut_interval;

typedef struct abut_interval_vec3 {
    abut_interval x, y, z;
} abut_interval_vec3;

typedef struct abut_interval_mat3 {
    abut_interval m[3][3];
} abut_interval_mat3;

typedef struct abut_interval_affine {
    abut_interval_mat3 linear;
    abut_interval_vec3 translation;
} abut_interval_affine;

ABUT_API abut_interval abut_interval_point(double x);
ABUT_API abut_interval abut_interval_empty(void);
ABUT_API abut_interval abut_interval_entire(void);
ABUT_API bool abut_interval_is_empty(abut_interval a);
ABUT_API bool abut_interval_contains(abut_interval a, double x);
ABUT_API bool abut_interval_subset(abut_interval a, abut_interval of_b);

ABUT_API abut_interval abut_interval_add(abut_interval a, abut_interval b);
ABUT_API abut_interval abut_interval_sub(abut_interval a, abut_interval b);
ABUT_API abut_interval abut_interval_mul(abut_interval a, abut_interval b);
/* Hull of the quotients. b = [0,0] gives empty; b with 0 in its interior the entire line, unless
 * a = [0,0]; b with 0 at an end a half-line, unless a has both signs. */
ABUT_API abut_interval abut_interval_div(abut_interval a, abut_interval b);
/* The quotients as up to two intervals, ascending, as when b has 0 in its interior; returns how
 * many (0, 1 or 2). */
ABUT_API int abut_interval_div_split(abut_interval a, abut_interval b, abut_interval out[2]);
ABUT_API abut_interval abut_interval_neg(abut_interval a);
ABUT_API abut_interval abut_interval_sqr(abut_interval a);
/* Integer power; n < 0 is 1 / a^-n. */
ABUT_API abut_interval abut_interval_pown(abut_interval a, int n);
/* Real power exp(b log a), on the part of a that is >= 0 (0^b is 0 for b > 0 and nothing for b
 * <= 0). */
ABUT_API abut_interval abut_interval_pow(abut_interval a, abut_interval b);
/* Parts of the argument outside the domain are dropped; nothing left is empty. */
ABUT_API abut_interval abut_interval_sqrt(abut_interval a);
ABUT_API abut_interval abut_interval_exp(abut_interval a);
ABUT_API abut_interval abut_interval_log(abut_interval a);
ABUT_API abut_interval abut_interval_sin(abut_interval a);
ABUT_API abut_interval abut_interval_cos(abut_interval a);
/* The entire line when a pole is inside. */
ABUT_API abut_interval abut_interval_tan(abut_interval a);
ABUT_API abut_interval abut_interval_asin(abut_interval a);
ABUT_API abut_interval abut_interval_acos(abut_interval a);
ABUT_API abut_interval abut_interval_atan(abut_interval a);
ABUT_API abut_interval abut_interval_abs(abut_interval a);
ABUT_API abut_interval abut_interval_min(abut_interval a, abut_interval b);
ABUT_API abut_interval abut_interval_max(abut_interval a, abut_interval b);
ABUT_API abut_interval abut_interval_intersect(abut_interval a, abut_interval b);
ABUT_API abut_interval abut_interval_hull(abut_interval a, abut_interval b);

/* A Chebyshev series c[0]/2 + sum of c[k] T_k(x), on the part of x in [-1, 1]; nothing left is
 * empty. NaN coefficients give the entire line. With it surfaces by series can be made of
 * inclusion functions (abut/shape.h). */
ABUT_API abut_interval abut_interval_chebyshev(const abut_interval *c, size_t count, abut_interval x);
/* Coefficients of the derivative of such a series: `count` of them, the last of which is 0. out
 * may not be c. */
ABUT_API void abut_interval_chebyshev_derive(const abut_interval *c, size_t count, abut_interval *out);

/* A finite double inside a (0 for the entire line, the largest finite number for half-lines far
 * out); NaN if empty. */
ABUT_API double abut_interval_mid(abut_interval a);
/* hi - lo rounded up; 0 if empty. */
ABUT_API double abut_interval_width(abut_interval a);
/* a = left ∪ right, sharing the midpoint. */
ABUT_API void abut_interval_bisect(abut_interval a, abut_interval *left, abut_interval *right);

/* Interval linear systems M x = b. Matrices are row by row. What is enclosed is the set of all x
 * that solve M x = b for some real matrix in M and some real vector in b. Sizes: 1 to
 * ABUT_INTERVAL_MAX_DIM rows and columns; other sizes give ABUT_LINEAR_SINGULAR. Outputs are
 * written only with ABUT_LINEAR_BOUNDED. */
#define ABUT_INTERVAL_MAX_DIM 8

typedef enum abut_interval_linear_status {
    ABUT_LINEAR_BOUNDED = 0, /* x encloses the solutions */
    ABUT_LINEAR_SINGULAR,    /* a pivot contains zero: nothing is known, outputs untouched */
    ABUT_LINEAR_NO_SOLUTION  /* proved: there is no solution (in the given start box) */
} abut_interval_linear_status;

/* Encloses the inverses of all matrices in the n x n matrix m, by LU decomposition with
 * pivoting. */
ABUT_API abut_interval_linear_status abut_interval_inverse(int n, const abut_interval *m,
                                                           abut_interval *inverse);
/* Same decomposition, one right-hand side. */
ABUT_API abut_interval_linear_status abut_interval_solve_lu(int n, const abut_interval *m,
                                                            const abut_interval *b, abut_interval *x);
/* Narrows the start box x to the solutions inside it, by solving each equation for each of its
 * unknowns in turn until a pass shrinks the widest component by less than the factor
 * `improvement` (0.9 is usual) or `max_passes` is reached. Rows and columns may differ in
 * number. */
ABUT_API abut_interval_linear_status abut_interval_solve_iterate(int rows, int columns,
                                                                 const abut_interval *m,
                                                                 const abut_interval *b, double improvement,
                                                                 int max_passes, abut_interval *x);

/* One Krawczyk-Moore step for F(x) = 0 in n unknowns over the box x: `f_at_mid` encloses F at
 * the point `mid` of x, `jacobian` encloses the derivatives over x. `next` receives K(x) ∩ x. */
typedef enum abut_krawczyk_status {
    ABUT_KRAWCZYK_UNKNOWN = 0, /* next holds every root that x holds */
    ABUT_KRAWCZYK_UNIQUE,      /* proved: x holds exactly one root, and next holds it */
    ABUT_KRAWCZYK_NONE         /* proved: x holds no root */
} abut_krawczyk_status;

ABUT_API abut_krawczyk_status abut_interval_krawczyk(int n, const abut_interval *x, const double *mid,
                                                     const abut_interval *f_at_mid,
                                                     const abut_interval *jacobian, abut_interval *next);

#ifdef __cplusplus
}
#endif

#endif
