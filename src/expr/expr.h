/* SPDX-License-Identifier: MIT */
/* Expressions: text in, an immutable flat graph out.
 *
 * The graph is one array of nodes, operands before their users, with one root for each text, so
 * that the three coordinates of a surface share their `let` names and every repeated subexpression.
 * Grammar, loosest first:
 *
 *     sum     = product { ("+" | "-") product }         left to right
 *     product = unary { ("*" | "/") unary }             left to right
 *     unary   = "-" unary | power
 *     power   = primary [ "^" unary ]                   right to left: 2^3^2 = 2^9, -x^2 = -(x^2),
 *       2^-3 = 1/8
 *     primary = number | "pi" | name | function "(" sum { "," sum } ")" | "(" sum ")"
 *
 * Numbers are decimal (12, .5, 1e-3) and mean the nearest double, as everywhere in scene files;
 * `pi` means the real number and stays a node of its own. Nothing is folded except the sign of a
 * number, because folding would round. */
#ifndef ABUT_EXPR_EXPR_H
#define ABUT_EXPR_EXPR_H

#include "abut/base.h"

/* Enum name, name in the text, number of arguments. */
#define ABUT_EXPR_FUNCTION_LIST(X) \
    X(SQRT, "sqrt", 1)             \
    X(EXP, "exp", 1)               \
    X(LOG, "log", 1)               \
    X(SIN, "sin", 1)               \
    X(COS, "cos", 1)               \
    X(TAN, "tan", 1)               \
    X(ASIN, "asin", 1)             \
    X(ACOS, "acos", 1)             \
    X(ATAN, "atan", 1)             \
    X(ABS, "abs", 1)               \
    X(MIN, "min", 2)               \
    X(MAX, "max", 2)

typedef enum abut_expr_op {
    ABUT_EXPR_NUMBER = 0, /* value */
    ABUT_EXPR_PI,
    ABUT_EXPR_VARIABLE, /* a: which one */
    ABUT_EXPR_ADD,      /* a and b, here and below: indices of the operands */
    ABUT_EXPR_SUBTRACT,
    ABUT_EXPR_MULTIPLY,
    ABUT_EXPR_DIVIDE,
    ABUT_EXPR_POWER,
    ABUT_EXPR_NEGATE,
#define ABUT_EXPR_ENUM(name, text, arguments) ABUT_EXPR_##name,
    ABUT_EXPR_FUNCTION_LIST(ABUT_EXPR_ENUM)
#undef ABUT_EXPR_ENUM
        ABUT_EXPR_OP_COUNT
} abut_expr_op;

/* 0, 1 or 2 operands. */
int abut_expr_operand_count(abut_expr_op op);

typedef struct abut_expr_node {
    double value;
    uint32_t a, b; /* 0 where unused */
    uint16_t op;   /* abut_expr_op */
} abut_expr_node;

/* Limits, so that hostile text costs neither the stack nor the machine: beyond them
 * ABUT_ERR_LIMIT. */
enum {
    ABUT_EXPR_MAX_TEXT = 1 << 20, /* bytes */
    ABUT_EXPR_MAX_DEPTH = 200,    /* of nested parentheses, functions, signs and powers */
    ABUT_EXPR_MAX_NODES = 1 << 16,
    ABUT_EXPR_MAX_LIVE = 1024, /* values needed at the same time */
    ABUT_EXPR_MAX_LETS = 1000
};

typedef struct abut_expr {
    abut_expr_node *nodes;
    size_t node_count;
    uint32_t *roots; /* node of each text */
    size_t root_count;
    size_t variable_count;
    abut_allocator alloc;
} abut_expr;

/* `name` says where a text comes from: error.path is that name for a text ("x", "position[0]")
 * and "let.NAME" for a let, so that whoever read the text from a larger thing can put his own
 * path before it. */
typedef struct abut_expr_source {
    const char *name, *text;
} abut_expr_source;

/* Each let may use the variables and the lets before it, each text all of them. A let that is
 * not used costs nothing, but must be right. On failure *out is NULL; error.text has the column
 * and the text with the place marked by [ ], error.index is the offset of that place in the
 * text, error.path as above. ABUT_ERR_SYNTAX: not an expression, or names wrong; ABUT_ERR_VALUE:
 * a number that is not finite; ABUT_ERR_LIMIT. */
abut_status abut_expr_parse(const abut_expr_source *texts, size_t text_count, const char *const *variables,
                            size_t variable_count, const abut_expr_source *lets, size_t let_count,
                            const abut_allocator *alloc, abut_expr **out, abut_error *error);
/* NULL does nothing. */
void abut_expr_destroy(abut_expr *expr);

#endif
