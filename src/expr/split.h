/* SPDX-License-Identifier: MIT */
/* Expressions with kinks as combinations of smooth ones; see split.c. */
#ifndef ABUT_EXPR_SPLIT_H
#define ABUT_EXPR_SPLIT_H

#include "expr/tape.h"

enum { ABUT_SPLIT_PARTS = 24, ABUT_SPLIT_STEPS = 2 * 64 - 1 };

/* A step of a program in Polish order behind the operands: a part, or what joins the last two. */
typedef enum abut_split_op { ABUT_SPLIT_PART = 0, ABUT_SPLIT_MAX, ABUT_SPLIT_MIN } abut_split_op;

typedef struct abut_split_step {
    uint32_t op, part;
} abut_split_step;

/* An expression that takes, wherever it is defined, the value that its program makes of its parts. */
typedef struct abut_split {
    abut_expr *parts[ABUT_SPLIT_PARTS]; /* owned, with their tapes; no abs, min or max in them */
    abut_tape *tapes[ABUT_SPLIT_PARTS];
    size_t part_count; /* 0: the expression has no kinks, or is none of these */
    abut_split_step steps[ABUT_SPLIT_STEPS];
    size_t step_count;
} abut_split;

/* Splits an expression of one value. most_nodes: of all parts together; beyond it there are none.
 * ABUT_ERR_MEMORY. */
abut_status abut_expr_split(const abut_expr *f, size_t most_nodes, abut_split *out);
void abut_split_release(abut_split *s);

#endif
