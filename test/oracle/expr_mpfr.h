/* SPDX-License-Identifier: MIT */
/* Referee for tapes: an expression graph at one point in MPFR with 320 bits, its derivatives by
 * hyper-dual numbers a + b e1 + c e2 + d e1 e2 with e1^2 = e2^2 = 0, one evaluation for each
 * pair of variables. J. A. Fike, J. J. Alonso, "The development of hyper-dual numbers for exact
 * second-derivative calculations", AIAA 2011-886. */
#ifndef ABUT_ORACLE_EXPR_MPFR_H
#define ABUT_ORACLE_EXPR_MPFR_H

#include "expr/expr.h"

#include <mpfr.h>

typedef struct oracle_hyper {
    mpfr_t part[4]; /* f, f_i, f_j, f_ij */
} oracle_hyper;

typedef struct oracle_at {
    bool defined; /* all values on the way exist */
    bool smooth;  /* and are differentiable twice there, as far as can be reported */
    bool kinked;  /* on a kink of abs, min or max */
    bool beyond;  /* a value on the way is too large or too small for MPFR: nothing is known */
    long scale;   /* no number on the way reaches 2^scale */
} oracle_at;

typedef struct oracle_expr {
    const abut_expr *expr;
    oracle_hyper *nodes;
} oracle_expr;

void oracle_expr_open(oracle_expr *o, const abut_expr *expr);
void oracle_expr_close(oracle_expr *o);

/* Fills the nodes for the point x and the pair (i, j) of variables. */
oracle_at oracle_expr_evaluate(oracle_expr *o, const double *x, size_t i, size_t j);
/* Part 0 .. 3 of a root; valid until the next evaluation. */
mpfr_srcptr oracle_expr_root(const oracle_expr *o, size_t root, int part);

/* Does [lo, hi] contain it? The referee's own rounding, 2^(scale - 250), is forgiven. */
bool oracle_expr_contains(double lo, double hi, mpfr_srcptr value, long scale);

#endif
