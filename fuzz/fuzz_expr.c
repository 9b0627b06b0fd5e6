/* SPDX-License-Identifier: MIT */
/* The expression parser on any text: lines before the last are lets named a, b, c, ..., the last line is the expression. */
#include "../src/expr/expr.h" /* internal: the harness links the static library */
#include "fuzz.h"

#include <string.h>

enum { MAX_LETS = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const variables[] = { "x", "y", "z", "t" };
    static const char *const names[MAX_LETS] = { "a", "b", "c", "d", "e1", "f_", "g", "h" };
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = 0;
    abut_expr_source lets[MAX_LETS];
    size_t let_count = 0;
    char *last = text;
    for (char *line = strchr(last, '\n'); line && let_count < MAX_LETS; line = strchr(last, '\n')) {
        *line = 0;
        lets[let_count] = (abut_expr_source){ names[let_count], last };
        ++let_count;
        last = line + 1;
    }
    const abut_expr_source source = { "f", last };
    abut_expr *expr;
    abut_error error;
    const abut_status status =
        abut_expr_parse(&source, 1, variables, 4, lets, let_count, NULL, &expr, &error);
    FUZZ_REQUIRE(status == error.status && (status == ABUT_OK) == (expr != NULL));
    if (expr) {
        double value;
        abut_expr_evaluate(expr, (const double[4]){ 0.5, -2, 1e9, 0 }, &value);
        for (size_t i = 0; i < expr->node_count; ++i) {
            const abut_expr_node *node = &expr->nodes[i];
            const int operands = abut_expr_operand_count((abut_expr_op)node->op);
            FUZZ_REQUIRE(node->slot < expr->slot_count);
            FUZZ_REQUIRE((operands < 1 || node->a < i) && (operands < 2 || node->b < i));
        }
        abut_expr_destroy(expr);
    }
    free(text);
    return 0;
}
