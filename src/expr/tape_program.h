/* SPDX-License-Identifier: MIT */
/* What is inside a tape: for each order of derivatives a program of instructions on slots, which
 * ends with the results in slots. */
#ifndef ABUT_EXPR_TAPE_PROGRAM_H
#define ABUT_EXPR_TAPE_PROGRAM_H

#include "expr/tape.h"
#include "expr/tape_poly.h"
#include "expr/tape_terms.h"

/* Instructions are the operations of terms, and these where an operand is a number or two
 * operations go together. */
enum {
    ABUT_TAPE_LOAD = ABUT_TERM_OP_COUNT, /* d = number c */
    ABUT_TAPE_ADD_NUMBER,                /* number c + a */
    ABUT_TAPE_SUBTRACT_FROM,             /* number c - a */
    ABUT_TAPE_MULTIPLY_NUMBER,           /* number c * a */
    /* the same with a positive double, and with the opposite of one */
    ABUT_TAPE_SCALE,
    ABUT_TAPE_SCALE_NEGATE,
    ABUT_TAPE_MULTIPLY_ADD,           /* a b + c */
    ABUT_TAPE_MULTIPLY_SUBTRACT,      /* a b - c */
    ABUT_TAPE_MULTIPLY_SUBTRACT_FROM, /* c - a b */
    ABUT_TAPE_SIN_COS,                /* d = sin(a), slot c = cos(a) */
    ABUT_TAPE_END,
    ABUT_TAPE_OP_COUNT
};

typedef struct abut_tape_step {
    uint16_t op, d, a, b; /* slots */
    uint32_t c;           /* slot, number or exponent */
} abut_tape_step;

#define ABUT_TAPE_NUMBER 0x80000000u /* marks a result that is a number */

typedef struct abut_tape_program {
    abut_tape_step *steps; /* the last is ABUT_TAPE_END */
    size_t step_count, step_capacity, slot_count;
    uint32_t *results; /* slots or numbers, in the layout of the results */
    size_t result_count;
} abut_tape_program;

struct abut_tape {
    abut_allocator alloc;
    size_t variable_count, root_count;
    bool depends[ABUT_TAPE_MAX_VARIABLES];
    abut_constant *constants;
    size_t constant_count;
    abut_tape_program programs[3];
    struct abut_tape_poly *polys; /* one for each root; without coefficients where it is none */
};

/* Terms of all roots with first and second derivatives, in the layout of order 2; roots has room
 * for them. */
abut_status abut_tape_derive(const abut_expr *expr, abut_tape_terms *terms, uint32_t *roots);

/* The program that computes those results, and whatever has to be checked. */
abut_status abut_tape_program_make(const abut_tape_terms *terms, size_t variable_count,
                                   const uint32_t *results, size_t result_count, const abut_allocator *alloc,
                                   abut_tape_program *program);
void abut_tape_program_free(abut_tape_program *program, const abut_allocator *alloc);

#endif
