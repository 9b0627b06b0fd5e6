/* SPDX-License-Identifier: MIT */
/* The values of an expression's graph in doubles, node by node, by the C library: what tapes, and the parser, are
 * compared with. */
#ifndef TEST_EVALUATE_GRAPH_H
#define TEST_EVALUATE_GRAPH_H

#include "expr/expr.h"

#include <math.h>
#include <stdlib.h>

/* Unlike fmin and fmax these hand on a NaN: what is undefined stays so. */
static inline double evaluate_smaller(double a, double b)
{
    return a < b || isnan(a) ? a : b;
}

static inline double evaluate_larger(double a, double b)
{
    return a > b || isnan(a) ? a : b;
}

static inline double evaluate_node(const abut_expr_node *node, double a, double b, const double *variables)
{
    switch ((abut_expr_op)node->op) {
    case ABUT_EXPR_NUMBER: return node->value;
    case ABUT_EXPR_PI: return 0x1.921fb54442d18p+1;
    case ABUT_EXPR_VARIABLE: return variables[node->a];
    case ABUT_EXPR_ADD: return a + b;
    case ABUT_EXPR_SUBTRACT: return a - b;
    case ABUT_EXPR_MULTIPLY: return a * b;
    case ABUT_EXPR_DIVIDE: return a / b;
    case ABUT_EXPR_POWER: return pow(a, b);
    case ABUT_EXPR_NEGATE: return -a;
    case ABUT_EXPR_SQRT: return sqrt(a);
    case ABUT_EXPR_EXP: return exp(a);
    case ABUT_EXPR_LOG: return log(a);
    case ABUT_EXPR_SIN: return sin(a);
    case ABUT_EXPR_COS: return cos(a);
    case ABUT_EXPR_TAN: return tan(a);
    case ABUT_EXPR_ASIN: return asin(a);
    case ABUT_EXPR_ACOS: return acos(a);
    case ABUT_EXPR_ATAN: return atan(a);
    case ABUT_EXPR_ABS: return fabs(a);
    case ABUT_EXPR_MIN: return evaluate_smaller(a, b);
    case ABUT_EXPR_MAX: return evaluate_larger(a, b);
    case ABUT_EXPR_OP_COUNT: break;
    }
    return NAN;
}

static inline void evaluate_graph(const abut_expr *expr, const double *variables, double *out)
{
    double *values = malloc(expr->node_count * sizeof *values);
    if (!values)
        abort();
    for (size_t i = 0; i < expr->node_count; ++i) {
        const abut_expr_node *node = &expr->nodes[i];
        const int operands = abut_expr_operand_count((abut_expr_op)node->op);
        values[i] = evaluate_node(node, operands > 0 ? values[node->a] : 0,
                                  operands > 1 ? values[node->b] : 0, variables);
    }
    for (size_t i = 0; i < expr->root_count; ++i)
        out[i] = values[expr->roots[i]];
    free(values);
}

#endif
