/* SPDX-License-Identifier: MIT */
/* What is done with a finished graph: evaluation in doubles. The parser is in parse.c. */
#include "expr/expr.h"

#include "base/memory.h"

#include <math.h>

int abut_expr_operand_count(abut_expr_op op)
{
    switch (op) {
    case ABUT_EXPR_ADD:
    case ABUT_EXPR_SUBTRACT:
    case ABUT_EXPR_MULTIPLY:
    case ABUT_EXPR_DIVIDE:
    case ABUT_EXPR_POWER: return 2;
    case ABUT_EXPR_NEGATE: return 1;
#define ARGUMENTS(name, text, arguments) \
    case ABUT_EXPR_##name: return arguments;
        ABUT_EXPR_FUNCTION_LIST(ARGUMENTS)
#undef ARGUMENTS
    case ABUT_EXPR_NUMBER:
    case ABUT_EXPR_PI:
    case ABUT_EXPR_VARIABLE:
    case ABUT_EXPR_OP_COUNT: break;
    }
    return 0;
}

void abut_expr_destroy(abut_expr *expr)
{
    if (!expr)
        return;
    const abut_allocator alloc = expr->alloc;
    abut_base_free(&alloc, expr->nodes, expr->node_count, sizeof *expr->nodes);
    abut_base_free(&alloc, expr->roots, expr->root_count, sizeof *expr->roots);
    abut_base_free(&alloc, expr, 1, sizeof *expr);
}

/* Unlike fmin and fmax these hand on a NaN: what is undefined stays so. */
static double smaller(double a, double b)
{
    return a < b || isnan(a) ? a : b;
}

static double larger(double a, double b)
{
    return a > b || isnan(a) ? a : b;
}

static double apply(const abut_expr_node *node, double a, double b, const double *variables)
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
    case ABUT_EXPR_MIN: return smaller(a, b);
    case ABUT_EXPR_MAX: return larger(a, b);
    case ABUT_EXPR_OP_COUNT: break;
    }
    return NAN;
}

void abut_expr_evaluate(const abut_expr *expr, const double *variables, double *out)
{
    double slots[ABUT_EXPR_MAX_SLOTS];
    for (size_t i = 0; i < expr->node_count; ++i) {
        const abut_expr_node *node = &expr->nodes[i];
        const int operands = abut_expr_operand_count((abut_expr_op)node->op);
        const double a = operands > 0 ? slots[expr->nodes[node->a].slot] : 0;
        const double b = operands > 1 ? slots[expr->nodes[node->b].slot] : 0;
        slots[node->slot] = apply(node, a, b, variables);
    }
    for (size_t i = 0; i < expr->root_count; ++i) /* roots are nodes, so their slots are filled */
        /* cppcheck-suppress uninitvar */
        out[i] = slots[expr->nodes[expr->roots[i]].slot];
}
