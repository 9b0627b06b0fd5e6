/* SPDX-License-Identifier: MIT */
/* Roots that are polynomials of small degree in the variables: found when a tape is compiled,
 * bounded over a box by Bernstein coefficients. */
#ifndef ABUT_EXPR_TAPE_POLY_H
#define ABUT_EXPR_TAPE_POLY_H

#include "expr/tape.h"

enum { ABUT_TAPE_MAX_DEGREE = 10, ABUT_TAPE_MAX_COEFFICIENTS = 729 };

/* Coefficients of x_0^i x_1^j ..., the last variable fastest. */
typedef struct abut_tape_poly {
    uint32_t variables;
    uint32_t degree[ABUT_TAPE_MAX_VARIABLES];
    uint32_t count;
    struct abut_tape_bounds {
        double minus_lo, hi;
    } * coefficients; /* NULL: no polynomial, or too large a one */
} abut_tape_poly;

/* One for each root of the expression. ABUT_ERR_MEMORY. */
abut_status abut_tape_find_polys(const abut_expr *expr, const abut_allocator *alloc, abut_tape_poly **out);
void abut_tape_free_polys(abut_tape_poly *polys, size_t count, const abut_allocator *alloc);

/* Kernel. The hull of the Bernstein coefficients over a finite box; `work` has room for p->count
 * entries. */
ia abut_tape_poly_range(const abut_tape_poly *p, const ia *box, ia *work);

#endif
