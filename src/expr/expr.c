/* SPDX-License-Identifier: MIT */
/* Finished graphs. The parser is in parse.c. */
#include "expr/expr.h"

#include "base/memory.h"

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
