/* SPDX-License-Identifier: MIT */
/* The expression parser on any text: lines before the last are lets named a, b, c, ..., the last
 * line is the expression; `~` and a character represent a long sum (grow.h). What is parsed is
 * compiled and enclosed over some boxes, with exactly as much scratch as is asked for: no result
 * is empty or NaN, and tighter forms are never wider. */
#include "../test/support/evaluate_graph.h"

#include "../src/expr/tape.h" /* internal: the harness links the static library */
#include "fuzz.h"
#include "grow.h"

#include <string.h>

enum { MAX_LETS = 8 };

static ABUT_NOINLINE void enclose(const abut_tape *tape, const abut_interval *box, int order, ia *scratch,
                                  ia *more)
{
    enum { RESULTS = 15 };
    ia in[4], natural[RESULTS], tight[RESULTS];
    for (int i = 0; i < 4; ++i)
        in[i] = ia_from(box[i]);
    const bool defined = abut_tape_enclose(tape, in, order, scratch, natural);
    const bool same = abut_tape_enclose_tight(tape, in, order,
                                              ABUT_TAPE_MEAN_VALUE | ABUT_TAPE_MONOTONE | ABUT_TAPE_BERNSTEIN,
                                              more, tight) == defined;
    FUZZ_REQUIRE(same);
    for (size_t i = 0; i < abut_tape_stride(4, order); ++i)
        FUZZ_REQUIRE(!ia_is_empty(natural[i]) && !ia_is_empty(tight[i]) && ia_subset(tight[i], natural[i]));
}

/* An order with the scratch of one that is at least as high. */
static void try_order(const abut_tape *tape, const abut_interval *box, int order, int most)
{
    ia *scratch = aligned_alloc(16, 16 * abut_tape_scratch(tape, most));
    ia *more = aligned_alloc(16, 16 * abut_tape_scratch_tight(tape, most));
    double value[15];
    if (scratch && more) {
        const abut_rounding saved = abut_rounding_enter();
        enclose(tape, box, order, scratch, more);
        abut_rounding_leave(saved);
        abut_tape_evaluate(tape, (const double[4]){ 0.5, -2, 1e9, 0 }, order, (double *)scratch, value);
    }
    free(scratch);
    free(more);
}

static void try_tape(const abut_expr *expr)
{
    static const abut_interval boxes[][4] = {
        { { 0.5, 0.5 }, { -2, -2 }, { 1e9, 1e9 }, { 0, 0 } },
        { { -1, 1 }, { 0, 3 }, { 1, 2 }, { 0.25, 0.5 } },
        { { -HUGE_VAL, HUGE_VAL }, { 0, HUGE_VAL }, { -DBL_MAX, DBL_MAX }, { 0, 0x1p-1074 } },
    };
    abut_tape *tape;
    const abut_status status = abut_tape_compile(expr, NULL, &tape);
    FUZZ_REQUIRE((status == ABUT_OK) == (tape != NULL));
    if (!tape)
        return;
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; ++i)
        for (int order = 0; order < 3; ++order)
            try_order(tape, boxes[i], order, i == 0 ? order : 2);
    abut_tape_destroy(tape);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const variables[] = { "x", "y", "z", "t" };
    static const char *const names[MAX_LETS] = { "a", "b", "c", "d", "e1", "f_", "g", "h" };
    static const char *const terms[] = { "+0.01*sin(%u*x)*cos(%u*y)", "+(x+%u)*(y-%u)*z*t",
                                         "+sqrt(%u+x^2)/(%u+exp(y*z))" };
    char *text = fuzz_grow((const char *)data, size, terms, 3, &size);
    if (!text)
        return 0;
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
        evaluate_graph(expr, (const double[4]){ 0.5, -2, 1e9, 0 }, &value);
        for (size_t i = 0; i < expr->node_count; ++i) {
            const abut_expr_node *node = &expr->nodes[i];
            const int operands = abut_expr_operand_count((abut_expr_op)node->op);
            FUZZ_REQUIRE((operands < 1 || node->a < i) && (operands < 2 || node->b < i));
        }
        try_tape(expr);
        abut_expr_destroy(expr);
    }
    free(text);
    return 0;
}
