/* SPDX-License-Identifier: MIT */
/* Tapes: an expression graph compiled for evaluation. One pass gives all roots with their
 * derivatives, in doubles or enclosed over a box.
 *
 * Compiled once, immutable, shared between threads. Operations on numbers alone are done at compile
 * time, outward rounded; powers with whole exponents, squares and products of equal factors get
 * operations of their own; a node that does not depend on a variable carries no derivative by it.
 *
 * Results of one root r in n variables, `stride` = abut_tape_stride(n, order) entries at out[r *
 * stride]:
 *     order 0: value
 *     order 1: value, d/dx_0 ... d/dx_{n-1}
 *     order 2: the same, then d2/dx_i dx_j for i <= j, row by row: 00 01 .. 0(n-1) 11 12 ... (n (n
 *       + 1) / 2 of them) */
#ifndef ABUT_EXPR_TAPE_H
#define ABUT_EXPR_TAPE_H

#include "expr/expr.h"
#include "interval/ia.h"

enum { ABUT_TAPE_MAX_VARIABLES = 4 };

typedef struct abut_tape abut_tape;

/* ABUT_ERR_LIMIT: more than ABUT_TAPE_MAX_VARIABLES variables, or too large. */
abut_status abut_tape_compile(const abut_expr *expr, const abut_allocator *alloc, abut_tape **out);
void abut_tape_destroy(abut_tape *tape);

size_t abut_tape_root_count(const abut_tape *tape);
/* Whether any root depends on that variable. */
bool abut_tape_depends_on(const abut_tape *tape, size_t variable);

static inline size_t abut_tape_stride(size_t variables, int order)
{
    return 1 + (order > 0 ? variables : 0) + (order > 1 ? variables * (variables + 1) / 2 : 0);
}

/* Number of entries (ia, or double) of scratch that evaluations of that order and of all lower
 * ones need. Each order has a program of its own, and a lower one may need more than a higher
 * one: short programs are ordered for speed, long ones for few slots. */
size_t abut_tape_scratch(const abut_tape *tape, int order);

/* About how long an evaluation with all derivatives takes, in additions (2 ns or so). */
size_t abut_tape_work(const abut_tape *tape);

/* Budgets are counted in iterations on small expressions. An iteration on things that take this
 * work to evaluate counts one up to ABUT_WORK_OF_ITERATION, and in proportion beyond. */
enum { ABUT_WORK_OF_ITERATION = 1024 };

static inline uint64_t abut_work_cost(size_t work)
{
    const uint64_t nearest = (work + ABUT_WORK_OF_ITERATION / 2) / ABUT_WORK_OF_ITERATION;
    return nearest > 1 ? nearest : 1;
}

/* How many iterations of that work a budget buys; not less than a few, which answer what is
 * easy. */
static inline uint64_t abut_work_budget(uint64_t iterations, size_t work)
{
    enum { FEW = 16 };
    const uint64_t cost = work / ABUT_WORK_OF_ITERATION, bought = cost > 1 ? iterations / cost : iterations;
    return cost > 1 && bought < FEW ? FEW : bought;
}

/* Kernel. Encloses all roots and their derivatives over the box; false where some value is
 * undefined somewhere in the box (log of a negative number, division by 0, ...) or not
 * differentiable where derivatives are asked for (abs, min, max at the kink get the hull of both
 * sides, and count as differentiable almost everywhere: mean-value arguments stay right). The
 * enclosures are then those of what is defined, derivatives possibly entire. */
bool abut_tape_enclose(const abut_tape *tape, const ia *box, int order, ia *scratch, ia *out);

/* A place of the box at which some value is not defined, for certain; of the last variable, the
 * time, the least that is found. False: there is none, or it was not found (a surface that is
 * undefined only where no double is, as 1 / (x^2 - 2)). Rounding to nearest. */
bool abut_tape_find_undefined(const abut_tape *tape, const abut_interval *box, ia *scratch, double *at);

/* Ways to tighten an enclosure beyond the natural one; what each gains and costs:
 * docs/notes/expressions.md. */
typedef enum abut_tape_form {
    ABUT_TAPE_MEAN_VALUE =
        1, /* values from the middle and the gradient over the box; gradients so, too, in order 2 */
    /* values at the ends of variables in which a root is seen to be monotone */
    ABUT_TAPE_MONOTONE = 2,
    ABUT_TAPE_BERNSTEIN = 4, /* values of roots that are polynomials of small degree */
    ABUT_TAPE_UNTIL_SIGN = 8 /* no further form once no root can be zero */
} abut_tape_form;

/* Kernel. Like abut_tape_enclose, never wider, by the forms given (a sum of them); scratch:
 * abut_tape_scratch_tight entries. */
bool abut_tape_enclose_tight(const abut_tape *tape, const ia *box, int order, int forms, ia *scratch,
                             ia *out);
size_t abut_tape_scratch_tight(const abut_tape *tape, int order);
/* Whether ABUT_TAPE_BERNSTEIN can do anything for that root. */
bool abut_tape_is_polynomial(const abut_tape *tape, size_t root);

/* Plain doubles. */
void abut_tape_evaluate(const abut_tape *tape, const double *x, int order, double *scratch, double *out);

#endif
