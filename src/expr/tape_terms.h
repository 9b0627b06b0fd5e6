/* SPDX-License-Identifier: MIT */
/* Terms: a graph of single numbers, in which the values of an expression and all its derivatives
 * are nodes side by side. Equal terms are one, numbers are folded, and what is known to be zero is
 * not there; so sparsity and shared work need no rules of their own. Used while a tape is compiled.
 *
 * Every rewriting is an identity of real numbers that also never widens an enclosure. Where one
 * drops an operand that may be undefined, the operand is kept as a check (unless derivatives are
 * being built: what they drop is also part of the value). */
#ifndef ABUT_EXPR_TAPE_TERMS_H
#define ABUT_EXPR_TAPE_TERMS_H

#include "base/memory.h"
#include "expr/tape_ops.h"

typedef struct abut_term {
    uint16_t op;
    bool partial; /* it, or something below, is undefined somewhere */
    uint32_t a, b, c;
} abut_term;

typedef struct abut_tape_terms {
    abut_allocator alloc;
    ABUT_ARRAY(abut_term) terms; /* operands before their users */
    ABUT_ARRAY(abut_constant) constants;
    ABUT_ARRAY(uint32_t) checks;
    uint32_t *table; /* open addressing: index + 1 of a term */
    size_t table_size;
    bool deriving;
    abut_status status; /* the first failure; indices are then meaningless but harmless */
} abut_tape_terms;

enum { ABUT_TERM_ZERO = 0, ABUT_TERM_ONE = 1 }; /* the first two terms of every graph */

void abut_terms_open(abut_tape_terms *t, const abut_allocator *alloc);
void abut_terms_close(abut_tape_terms *t);

uint32_t abut_term_number(abut_tape_terms *t, double x);
uint32_t abut_term_pi(abut_tape_terms *t);
uint32_t abut_term_variable(abut_tape_terms *t, uint32_t which);
uint32_t abut_term_negate(abut_tape_terms *t, uint32_t a);
uint32_t abut_term_add(abut_tape_terms *t, uint32_t a, uint32_t b);
uint32_t abut_term_subtract(abut_tape_terms *t, uint32_t a, uint32_t b);
uint32_t abut_term_multiply(abut_tape_terms *t, uint32_t a, uint32_t b);
uint32_t abut_term_divide(abut_tape_terms *t, uint32_t a, uint32_t b);
uint32_t abut_term_whole_power(abut_tape_terms *t, uint32_t a, int n);
uint32_t abut_term_power(abut_tape_terms *t, uint32_t a, uint32_t b);
/* Functions of one or two arguments, and choose(c, a, b): a where c < 0, b where c > 0. */
uint32_t abut_term_apply(abut_tape_terms *t, abut_term_op op, uint32_t a, uint32_t b, uint32_t c);
/* The term with that operation if it is there already; UINT32_MAX otherwise. */
uint32_t abut_term_find(const abut_tape_terms *t, abut_term_op op, uint32_t a);

static inline uint32_t abut_term_scale(abut_tape_terms *t, double s, uint32_t a)
{
    return abut_term_multiply(t, abut_term_number(t, s), a);
}

static inline const abut_constant *abut_term_constant(const abut_tape_terms *t, uint32_t a)
{
    const abut_term *term = &t->terms.items[a];
    return term->op == ABUT_TERM_CONSTANT ? &t->constants.items[term->a] : NULL;
}

/* A number that is a double exactly. */
static inline bool abut_term_is_point(const abut_tape_terms *t, uint32_t a, double *x)
{
    const abut_constant *c = abut_term_constant(t, a);
    if (!c || c->hi != -c->minus_lo)
        return false;
    *x = c->hi;
    return true;
}

/* A whole number that abut_term_whole_power takes. */
static inline bool abut_term_is_whole(const abut_tape_terms *t, uint32_t a, int *n)
{
    double x;
    if (!abut_term_is_point(t, a, &x) || !(fabs(x) <= 1073741824))
        return false;
    *n = (int)x;
    return *n == x;
}

/* Any other whole number: *odd is its parity. Doubles from 2^53 on are even. */
static inline bool abut_term_is_long_whole(const abut_tape_terms *t, uint32_t a, bool *odd)
{
    double x;
    int n;
    if (abut_term_is_whole(t, a, &n) || !abut_term_is_point(t, a, &x) || !(fabs(x) < HUGE_VAL) ||
        x != floor(x))
        return false;
    *odd = fmod(x, 2) != 0;
    return true;
}

#endif
