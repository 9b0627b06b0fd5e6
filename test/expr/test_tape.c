/* SPDX-License-Identifier: MIT */
/* Tapes against MPFR: random graphs over random boxes, all values and derivatives at random
 * points of the box must be in the enclosures; then what is known by hand: domains, kinks,
 * powers, numbers, sharing. */
#include "../oracle/expr_mpfr.h"
#include "expr/graph.h"
#include "expr/tape.h"
#include "expr/tape_program.h"
#include "support/evaluate_graph.h"
#include "support/failing_allocator.h"

static const char *const names[] = { "x", "y", "z", "t" };

/* ---- helpers ---- */

static abut_expr *parsed(const char *const *texts, size_t count, size_t variables)
{
    abut_expr_source sources[8];
    abut_expr *expr;
    abut_error error;
    for (size_t i = 0; i < count; ++i)
        sources[i] = (abut_expr_source){ "f", texts[i] };
    TEST_CHECK(abut_expr_parse(sources, count, names, variables, NULL, 0, NULL, &expr, &error) == ABUT_OK,
               "%s: %s", texts[0], error.text);
    return expr;
}

static abut_tape *compiled(const abut_expr *expr)
{
    abut_tape *tape;
    const abut_status status = abut_tape_compile(expr, NULL, &tape);
    TEST_CHECK(status == ABUT_OK, "status %d", (int)status);
    return tape;
}

/* For failures. */
static void show(const abut_expr *expr)
{
    for (size_t i = 0; i < expr->node_count; ++i) {
        const abut_expr_node *node = &expr->nodes[i];
        print_error("%zu: op %d (%u, %u) %a\n", i, (int)node->op, node->a, node->b, node->value);
    }
    for (size_t i = 0; i < expr->root_count; ++i)
        print_error("root %zu: node %u\n", i, expr->roots[i]);
}

#define CHECK_OF(expr, condition, ...)      \
    do {                                    \
        if (!(condition)) {                 \
            show(expr);                     \
            TEST_CHECK(false, __VA_ARGS__); \
        }                                   \
    } while (0)

enum { MAX_RESULTS = 8 * 15 };

enum { NATURAL = 0, FORMS = 16 }; /* sums of abut_tape_form */

static ABUT_NOINLINE bool enclose_kernel(const abut_tape *tape, const abut_interval *box, size_t variables,
                                         int order, int forms, ia *scratch, ia *boxes, abut_interval *out)
{
    ia in[4];
    for (size_t i = 0; i < variables; ++i)
        in[i] = ia_from(box[i]);
    const bool defined = forms == NATURAL ? abut_tape_enclose(tape, in, order, scratch, boxes)
                                          : abut_tape_enclose_tight(tape, in, order, forms, scratch, boxes);
    const size_t count = abut_tape_root_count(tape) * abut_tape_stride(variables, order);
    for (size_t i = 0; i < count; ++i)
        out[i] = ia_to(boxes[i]);
    return defined;
}

static bool enclosed_by(const abut_tape *tape, const abut_interval *box, size_t variables, int order,
                        int forms, abut_interval *out)
{
    ia boxes[MAX_RESULTS];
    const size_t size = forms ? abut_tape_scratch_tight(tape, order) : abut_tape_scratch(tape, order);
    ia *scratch = aligned_alloc(16, 16 * (size + 1));
    assert_non_null(scratch);
    const abut_rounding saved = abut_rounding_enter();
    const bool defined = enclose_kernel(tape, box, variables, order, forms, scratch, boxes, out);
    abut_rounding_leave(saved);
    free(scratch);
    const size_t count = abut_tape_root_count(tape) * abut_tape_stride(variables, order);
    for (size_t i = 0; i < count; ++i)
        TEST_CHECK(out[i].lo <= out[i].hi, "result %zu is [%a, %a]", i, out[i].lo, out[i].hi);
    return defined;
}

static bool enclosed(const abut_tape *tape, const abut_interval *box, size_t variables, int order,
                     abut_interval *out)
{
    return enclosed_by(tape, box, variables, order, NATURAL, out);
}

/* ---- random graphs ---- */

static double some_number(test_random *r)
{
    static const double special[] = { 0, 1, -1, 2, 3, 0.5, -2, 10, 0.1, 1e-300, 1e300, 0x1p-1074, DBL_MAX };
    switch (test_below(r, 4)) {
    case 0: return special[test_below(r, sizeof special / sizeof *special)];
    case 1: return test_log_uniform(r, -20, 20);
    case 2: return test_log_uniform(r, -600, 600);
    default: return test_uniform(r, -3, 3);
    }
}

static uint32_t add_node(abut_expr_graph *graph, abut_expr_op op, uint32_t a, uint32_t b, double value)
{
    uint32_t out;
    const int operands = abut_expr_operand_count(op);
    const abut_status status = abut_expr_graph_add(
        graph, op, operands > 0 || op == ABUT_EXPR_VARIABLE ? a : 0, operands > 1 ? b : 0, value, &out);
    assert_int_equal(status, ABUT_OK);
    return out;
}

static uint32_t tame_node(abut_expr_graph *graph, test_random *r)
{
    static const abut_expr_op often[] = { ABUT_EXPR_ADD,      ABUT_EXPR_SUBTRACT, ABUT_EXPR_MULTIPLY,
                                          ABUT_EXPR_MULTIPLY, ABUT_EXPR_SIN,      ABUT_EXPR_COS };
    const uint32_t a = test_below(r, (unsigned)graph->node_count),
                   b = test_below(r, (unsigned)graph->node_count);
    if (test_below(r, 3) > 0)
        return add_node(graph, often[test_below(r, sizeof often / sizeof *often)], a, b, 0);
    if (test_below(r, 6) == 0) { /* a whole power, or a broken one */
        static const double exponents[] = { 2,          3,      4,     5,      7,       12,         40,
                                            41,         -1,     -2,    -3,     0,       1,          0.5,
                                            1.5,        -0.5,   2.5,   1e-3,   0x1p30,  0x1p30 + 1, 0x1p31,
                                            1e9 + 7,    1e10,   -1e10, 1e15,   -0x1p31, 1e15 + 1,   -1e12 - 1,
                                            0x1p53 - 1, 0x1p60, 1e300, 1e5 + 1 };
        const uint32_t n = add_node(graph, ABUT_EXPR_NUMBER, 0, 0,
                                    exponents[test_below(r, sizeof exponents / sizeof *exponents)]);
        return add_node(graph, ABUT_EXPR_POWER, a, n, 0);
    }
    const abut_expr_op op = (abut_expr_op)(ABUT_EXPR_ADD + test_below(r, ABUT_EXPR_OP_COUNT - ABUT_EXPR_ADD));
    return add_node(graph, op, a, b, 0);
}

static abut_expr *random_expression(test_random *r, size_t variables, size_t roots)
{
    abut_expr_graph graph;
    const abut_allocator alloc = abut_base_allocator(NULL);
    abut_expr_graph_open(&graph, &alloc);
    for (uint32_t i = 0; i < variables; ++i)
        add_node(&graph, ABUT_EXPR_VARIABLE, i, 0, 0);
    const unsigned numbers = 1 + test_below(r, 3), operations = 1 + test_below(r, test_below(r, 4) ? 8 : 25);
    for (unsigned i = 0; i < numbers; ++i)
        add_node(&graph, ABUT_EXPR_NUMBER, 0, 0, test_below(r, 2) ? some_number(r) : test_uniform(r, -3, 3));
    if (test_below(r, 3) == 0)
        add_node(&graph, ABUT_EXPR_PI, 0, 0, 0);
    for (unsigned i = 0; i < operations; ++i)
        tame_node(&graph, r);
    uint32_t at[4];
    for (size_t i = 0; i < roots; ++i)
        at[i] = (uint32_t)graph.node_count - 1 - (i ? test_below(r, (unsigned)graph.node_count) : 0);
    abut_expr *expr;
    const abut_status status = abut_expr_graph_finish(&graph, at, roots, variables, &expr);
    assert_int_equal(status, ABUT_OK);
    abut_expr_graph_close(&graph);
    return expr;
}

static abut_interval random_interval(test_random *r)
{
    static const double places[] = {
        0,    1,         -1,         0.5,       2,    1.5707963267948966, 3.1415926535897931,
        1e22, 0x1p-1074, -0x1p-1074, 0x1p-1022, 1e-8, 1 - 0x1p-53,        -1 - 0x1p-52
    };
    double mid = test_below(r, 3) == 0    ? places[test_below(r, sizeof places / sizeof *places)]
                 : test_below(r, 10) == 0 ? test_log_uniform(r, -300, 300)
                                          : test_uniform(r, -4, 4);
    const unsigned kind = test_below(r, 6);
    if (kind == 0)
        return (abut_interval){ mid, mid };
    if (kind == 1) {
        double hi = mid;
        for (unsigned i = 1 + test_below(r, 3); i > 0; --i)
            hi = nextafter(hi, INFINITY);
        return (abut_interval){ mid, hi };
    }
    const double width = exp2(test_uniform(r, kind == 2 ? -40 : -8, 2));
    return test_below(r, 3) == 0 ? (abut_interval){ mid, mid + width }
                                 : (abut_interval){ mid - width, mid + width };
}

static double point_in(test_random *r, abut_interval a)
{
    const unsigned kind = test_below(r, 4);
    if (kind == 0)
        return a.lo;
    if (kind == 1)
        return a.hi;
    const double x = a.lo + test_uniform(r, 0, 1) * (a.hi - a.lo);
    return x < a.lo ? a.lo : x > a.hi ? a.hi : x;
}

static void check_part(uint64_t seed, const abut_expr *expr, const char *what, const double *x,
                       abut_interval found, mpfr_srcptr wanted, long scale)
{
    if (!oracle_expr_contains(found.lo, found.hi, wanted, scale)) {
        char text[120];
        mpfr_snprintf(text, sizeof text, "%.40Rg", wanted);
        show(expr);
        TEST_FAIL("seed %" PRIu64 ": %s at (%a, %a, %a, %a): [%a, %a] does not hold %s", seed, what, x[0],
                  x[1], x[2], x[3], found.lo, found.hi, text);
    }
}

static void check_point(uint64_t seed, oracle_expr *oracle, const double *x, const bool defined[3],
                        abut_interval results[3][MAX_RESULTS])
{
    const size_t n = oracle->expr->variable_count, roots = oracle->expr->root_count;
    size_t pair = 0;
    for (size_t i = 0; i < n; ++i)
        for (size_t j = i; j < n; ++j, ++pair) {
            const oracle_at at = oracle_expr_evaluate(oracle, x, i, j);
            for (int order = 0; order < 3; ++order)
                CHECK_OF(oracle->expr, at.defined || at.beyond || !defined[order],
                         "seed %" PRIu64 ": undefined at (%a, %a, %a, %a)", seed, x[0], x[1], x[2], x[3]);
            if (!at.defined || at.beyond)
                return;
            for (size_t k = 0; k < roots; ++k)
                for (int order = 0; order < 3; ++order) {
                    const abut_interval *f = results[order] + k * abut_tape_stride(n, order);
                    check_part(seed, oracle->expr, "value", x, f[0], oracle_expr_root(oracle, k, 0),
                               at.scale);
                    if (!at.smooth)
                        continue;
                    if (order > 0)
                        check_part(seed, oracle->expr, "derivative", x, f[1 + i],
                                   oracle_expr_root(oracle, k, 1), at.scale);
                    if (order > 1)
                        check_part(seed, oracle->expr, "second derivative", x, f[1 + n + pair],
                                   oracle_expr_root(oracle, k, 3), at.scale);
                }
        }
}

/* One box: natural and tighter enclosures of all orders, against some points. Counts boxes where
 * all is defined. */
static void check_box(uint64_t seed, test_random *r, const abut_tape *tape, oracle_expr *oracle,
                      uint64_t *whole)
{
    const size_t variables = oracle->expr->variable_count, roots = oracle->expr->root_count;
    abut_interval box[4], natural[3][MAX_RESULTS], tight[3][MAX_RESULTS];
    bool defined[3];
    for (size_t i = 0; i < variables; ++i)
        box[i] = random_interval(r);
    const int forms = 1 + (int)test_below(r, FORMS - 1);
    for (int order = 0; order < 3; ++order) {
        defined[order] = enclosed(tape, box, variables, order, natural[order]);
        const bool same = enclosed_by(tape, box, variables, order, forms, tight[order]) == defined[order];
        TEST_CHECK(same, "seed %" PRIu64, seed);
        for (size_t k = 0; k < roots * abut_tape_stride(variables, order); ++k)
            TEST_CHECK(natural[order][k].lo <= tight[order][k].lo &&
                           tight[order][k].hi <= natural[order][k].hi,
                       "seed %" PRIu64 ": result %zu is wider", seed, k);
    }
    TEST_CHECK(defined[0] >= defined[1] && defined[1] >= defined[2], "seed %" PRIu64, seed);
    *whole += defined[2];
    for (int points = 0; points < 2; ++points) {
        double x[4] = { 0 };
        for (size_t i = 0; i < variables; ++i)
            x[i] = point_in(r, box[i]);
        check_point(seed, oracle, x, defined, natural);
        check_point(seed, oracle, x, defined, tight);
    }
}

static void random_graphs_are_enclosed(void **state)
{
    (void)state;
    const uint64_t count = test_count(9000);
    uint64_t whole = 0;
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        const size_t variables = 1 + test_below(&r, 4), roots = 1 + test_below(&r, 3);
        abut_expr *expr = random_expression(&r, variables, roots);
        abut_tape *tape = compiled(expr);
        oracle_expr oracle;
        oracle_expr_open(&oracle, expr);
        for (int boxes = 0; boxes < 2; ++boxes)
            check_box(seed, &r, tape, &oracle, &whole);
        oracle_expr_close(&oracle);
        abut_tape_destroy(tape);
        abut_expr_destroy(expr);
    }
    TEST_CHECK(whole > count / 3, "only %" PRIu64 " of %" PRIu64 " boxes are defined all over", whole,
               2 * count);
}

/* Sums, products, powers and quotients by numbers. */
static abut_expr *random_polynomial(test_random *r, size_t variables)
{
    abut_expr_graph graph;
    const abut_allocator alloc = abut_base_allocator(NULL);
    abut_expr_graph_open(&graph, &alloc);
    for (uint32_t i = 0; i < variables; ++i)
        add_node(&graph, ABUT_EXPR_VARIABLE, i, 0, 0);
    const unsigned operations = 2 + test_below(r, 8);
    for (unsigned i = 0; i < operations; ++i) {
        const uint32_t a = test_below(r, (unsigned)graph.node_count),
                       b = test_below(r, (unsigned)graph.node_count);
        const uint32_t n =
            add_node(&graph, ABUT_EXPR_NUMBER, 0, 0, test_below(r, 2) ? test_uniform(r, -3, 3) : 3);
        switch (test_below(r, 6)) {
        case 0: add_node(&graph, ABUT_EXPR_ADD, a, b, 0); break;
        case 1: add_node(&graph, ABUT_EXPR_SUBTRACT, a, b, 0); break;
        case 2: add_node(&graph, ABUT_EXPR_MULTIPLY, a, b, 0); break;
        case 3:
            add_node(&graph, ABUT_EXPR_POWER, a, add_node(&graph, ABUT_EXPR_NUMBER, 0, 0, test_below(r, 4)),
                     0);
            break;
        case 4: add_node(&graph, ABUT_EXPR_DIVIDE, a, n, 0); break;
        default: add_node(&graph, ABUT_EXPR_ADD, add_node(&graph, ABUT_EXPR_MULTIPLY, n, a, 0), b, 0); break;
        }
    }
    const uint32_t root = (uint32_t)graph.node_count - 1;
    abut_expr *expr;
    assert_int_equal(abut_expr_graph_finish(&graph, &root, 1, variables, &expr), ABUT_OK);
    abut_expr_graph_close(&graph);
    return expr;
}

static void polynomials_are_found_and_enclosed(void **state)
{
    (void)state;
    const uint64_t count = test_count(3000);
    uint64_t whole = 0, found = 0;
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        abut_expr *expr = random_polynomial(&r, 1 + test_below(&r, 4));
        abut_tape *tape = compiled(expr);
        oracle_expr oracle;
        oracle_expr_open(&oracle, expr);
        found += abut_tape_is_polynomial(tape, 0);
        check_box(seed, &r, tape, &oracle, &whole);
        oracle_expr_close(&oracle);
        abut_tape_destroy(tape);
        abut_expr_destroy(expr);
    }
    TEST_CHECK(found > count / 20, "%" PRIu64 " of %" PRIu64 " are polynomials of small degree", found,
               count);
}

/* Widths against the true ranges, where these are known. */
static void tight_forms_are_tight(void **state)
{
    (void)state;
    const struct {
        const char *text;
        int forms;
        abut_interval range; /* over [1, 1 + 2^-6] in x and [-1/4, 1/4] in y */
        double excess;       /* of the width */
    } cases[] = {
        { "x^3 - 3*x",
          ABUT_TAPE_BERNSTEIN,
          { -2, -1.9992637634277344 },
          1e-3 }, /* a double root of the derivative at 1 */
        { "x^2 - x", ABUT_TAPE_MONOTONE, { 0, 0x1.04p-6 }, 1e-10 },
        { "x^2 - x", ABUT_TAPE_MEAN_VALUE, { 0, 0x1.04p-6 }, 0.05 },
        { "x*y - x", ABUT_TAPE_MONOTONE, { -1.26953125, -0.75 }, 1e-10 },
        { "y^2 - y", ABUT_TAPE_BERNSTEIN, { -0.1875, 0.3125 }, 1e-10 },
        { "exp(x) - x", ABUT_TAPE_MONOTONE, { 1.7182818284590451, 1.7454635385501 }, 1e-10 },
    };
    const abut_interval box[2] = { { 1, 1 + 0x1p-6 }, { -0.25, 0.25 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        abut_expr *expr = parsed(&cases[i].text, 1, 2);
        abut_tape *tape = compiled(expr);
        abut_interval found;
        assert_true(enclosed_by(tape, box, 2, 0, cases[i].forms, &found));
        const abut_interval range = cases[i].range;
        const double excess = (found.hi - found.lo) / (range.hi - range.lo) - 1;
        TEST_CHECK(excess <= cases[i].excess, "%s: [%.17g, %.17g], %g too wide", cases[i].text, found.lo,
                   found.hi, excess);
        abut_tape_destroy(tape);
        abut_expr_destroy(expr);
    }
    const char *const no_polynomials[] = {
        "sin(x)", "x/y", "x^11", "x + 2*y", "x^0.5", "(x + y)^10*(x - y)^4"
    };
    for (size_t i = 0; i < sizeof no_polynomials / sizeof *no_polynomials; ++i) {
        abut_expr *expr = parsed(&no_polynomials[i], 1, 2);
        abut_tape *tape = compiled(expr);
        TEST_CHECK(!abut_tape_is_polynomial(tape, 0), "%s", no_polynomials[i]);
        abut_tape_destroy(tape);
        abut_expr_destroy(expr);
    }
}

/* The i-th Bernstein polynomial of degree d has the coefficients 0, 0, ..., 1, ..., 0. */
static void bernstein_polynomials_are_their_own_form(void **state)
{
    (void)state;
    for (int d = 2; d <= 10; ++d) {
        double c = 1; /* d over i */
        for (int i = 0; i <= d; c = c * (d - i) / (i + 1), ++i) {
            char text[80];
            const char *texts[1] = { text };
            snprintf(text, sizeof text, "%.17g*((x-1)/2)^%d*(1.5-x/2)^%d", c, i, d - i);
            abut_expr *expr = parsed(texts, 1, 2);
            abut_tape *tape = compiled(expr);
            const abut_interval box[2] = { { 1, 3 }, { 0, 1 } };
            abut_interval found;
            assert_true(enclosed_by(tape, box, 2, 0, ABUT_TAPE_BERNSTEIN, &found));
            TEST_CHECK(abut_tape_is_polynomial(tape, 0) && found.lo <= 0 && found.lo > -1e-9 &&
                           found.hi < 1 + 1e-9,
                       "%s: [%.17g, %.17g]", text, found.lo, found.hi);
            abut_tape_destroy(tape);
            abut_expr_destroy(expr);
        }
    }
}

/* ---- by hand ---- */

typedef struct one_case {
    const char *text;
    abut_interval x;
    bool defined[3];
    abut_interval value, slope;
} one_case;

#define ALL              \
    {                    \
        true, true, true \
    }
#define VALUE              \
    {                      \
        true, false, false \
    }
#define NONE                \
    {                       \
        false, false, false \
    }
#define ANY                 \
    {                       \
        -INFINITY, INFINITY \
    }

/* Contains it, and ends within 4 ulp of where that ends. */
static bool is_nearly(abut_interval found, abut_interval wanted)
{
    const bool low =
        found.lo == wanted.lo || (found.lo < wanted.lo && found.lo >= wanted.lo - 0x1p-50 * fabs(wanted.lo));
    const bool high =
        found.hi == wanted.hi || (found.hi > wanted.hi && found.hi <= wanted.hi + 0x1p-50 * fabs(wanted.hi));
    return isnan(wanted.lo) || (low && high);
}

/* Exact numbers, domains, kinks. */
static void single_cases(void **state)
{
    (void)state;
    static const one_case cases[] = {
        { "x^2", { -1, 2 }, ALL, { 0, 4 }, { -2, 4 } },
        { "x*x", { -1, 2 }, ALL, { 0, 4 }, { -2, 4 } },
        { "x*x*x", { -1, 2 }, ALL, { -1, 8 }, { 0, 12 } },
        { "x*x^2*x", { -1, 2 }, ALL, { 0, 16 }, { -4, 32 } },
        { "(x^2)^3", { -1, 2 }, ALL, { 0, 64 }, { -6, 192 } },
        { "x^-1", { 2, 4 }, ALL, { 0.25, 0.5 }, { -0.25, -0.0625 } },
        { "x^-2", { -1, 2 }, NONE, { 0.25, INFINITY }, ANY },
        { "x^0", { -1, 1 }, ALL, { 1, 1 }, { 0, 0 } },
        { "0^0 + x", { 3, 3 }, ALL, { 4, 4 }, { 1, 1 } },
        { "sqrt(x)^0", { -1, 4 }, { false, false, false }, { 1, 1 }, { 0, 0 } },
        { "0*sqrt(x)", { -1, 4 }, NONE, { 0, 0 }, { 0, 0 } },
        { "sqrt(x) - sqrt(x)", { 0, 4 }, ALL, { 0, 0 }, { 0, 0 } },
        { "0/x", { -1, 4 }, NONE, { 0, 0 }, { 0, 0 } },
        { "0/x", { 1, 4 }, ALL, { 0, 0 }, { 0, 0 } },
        { "x^0.5", { 0, 4 }, VALUE, { 0, 2 }, { 0.25, INFINITY } },
        { "x^1.5", { 0, 4 }, { true, true, false }, { 0, 8 }, { 0, 3 } },
        { "x^2.5", { 0, 4 }, ALL, { 0, 32 }, { 0, 20 } },
        { "x^2.5", { -1, 4 }, NONE, ANY, ANY },
        { "x^x", { 0, 1 }, NONE, { 0, 1 }, ANY },
        { "2^x", { -1, 3 }, { true, true, true }, { 0.5, 8 }, { NAN, NAN } },
        { "1/0", { 1, 1 }, NONE, ANY, { 0, 0 } },
        { "x + 0/0", { 1, 1 }, NONE, { NAN, NAN }, { 1, 1 } },
        { "log(0-1)*x", { 1, 1 }, NONE, ANY, ANY },
        { "sqrt(x)", { 1, 4 }, ALL, { 1, 2 }, { 0.25, 0.5 } },
        { "sqrt(x)", { -4, -1 }, NONE, ANY, ANY },
        { "log(x)", { 0, 1 }, NONE, { -INFINITY, 0 }, { 1, INFINITY } },
        { "tan(x)", { 1, 2 }, NONE, ANY, { 1, INFINITY } },
        { "asin(x)", { 0, 1 }, VALUE, { NAN, NAN }, { 1, INFINITY } },
        { "acos(x)", { 1, 1 }, VALUE, { 0, 0 }, ANY },
        { "acos(x)", { 2, 3 }, NONE, ANY, ANY },
        { "abs(x)", { -1, 2 }, ALL, { 0, 2 }, { -1, 1 } },
        { "abs(x)", { 0, 0 }, ALL, { 0, 0 }, { -1, 1 } },
        { "abs(x)", { 1, 2 }, ALL, { 1, 2 }, { 1, 1 } },
        { "abs(3*x)", { -2, -1 }, ALL, { 3, 6 }, { -3, -3 } },
        { "min(x, 2*x)", { -1, 2 }, ALL, { -2, 2 }, { 1, 2 } },
        { "min(x, 2*x)", { 1, 1.5 }, ALL, { 1, 1.5 }, { 1, 1 } },
        { "max(x, 2*x)", { -1.5, -1 }, ALL, { -1.5, -1 }, { 1, 1 } },
        { "max(x, 1)", { 1, 1 }, ALL, { 1, 1 }, { 0, 1 } },
        { "2*(3*x)", { 1, 1 }, ALL, { 6, 6 }, { 6, 6 } },
        { "x/4 + x/4", { 1, 1 }, ALL, { 0.5, 0.5 }, { 0.5, 0.5 } },
        { "x + x", { 1, 2 }, ALL, { 2, 4 }, { 2, 2 } },
        { "--x", { 1, 2 }, ALL, { 1, 2 }, { 1, 1 } },
        { "(0-x)^3", { 1, 2 }, ALL, { -8, -1 }, { -12, -3 } },
        { "1/x", { 1, 2 }, ALL, { 0.5, 1 }, { -1, -0.25 } },
        { "exp(0*x) + cos(0)", { 1, 2 }, ALL, { 2, 2 }, { 0, 0 } },
        { "x*1e308*100", { 1, 2 }, ALL, { DBL_MAX, INFINITY }, { DBL_MAX, INFINITY } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const one_case *c = &cases[i];
        abut_expr *expr = parsed(&c->text, 1, 1);
        abut_tape *tape = compiled(expr);
        for (int order = 0; order < 3; ++order) {
            abut_interval out[3];
            const bool defined = enclosed(tape, &c->x, 1, order, out);
            TEST_CHECK(defined == c->defined[order], "%s, order %d", c->text, order);
            TEST_CHECK(is_nearly(out[0], c->value), "%s is [%a, %a]", c->text, out[0].lo, out[0].hi);
            TEST_CHECK(order < 1 || is_nearly(out[1], c->slope), "the derivative of %s is [%a, %a]", c->text,
                       out[1].lo, out[1].hi);
        }
        abut_tape_destroy(tape);
        abut_expr_destroy(expr);
    }
}

static void check_at(const char *text, const abut_interval *box, const double *x)
{
    abut_expr *expr = parsed(&text, 1, 1);
    abut_tape *tape = compiled(expr);
    abut_interval results[3][MAX_RESULTS];
    bool defined[3];
    const double at[4] = { *x };
    oracle_expr oracle;
    oracle_expr_open(&oracle, expr);
    for (int order = 0; order < 3; ++order)
        defined[order] = enclosed(tape, box, 1, order, results[order]);
    check_point(0, &oracle, at, defined, results);
    oracle_expr_close(&oracle);
    abut_tape_destroy(tape);
    abut_expr_destroy(expr);
}

/* Whole exponents that fit no int: parity, derivatives and domain are those of any whole power. */
static void long_whole_exponents(void **state)
{
    (void)state;
    static const char *const exponents[] = { "1073741824",
                                             "1073741825",
                                             "2147483648",
                                             "2147483649",
                                             "4294967295",
                                             "1e15",
                                             "1000000000000001",
                                             "9007199254740991",
                                             "9007199254740992",
                                             "9007199254740994",
                                             "1e22",
                                             "1e300",
                                             "65537",
                                             "134217729",
                                             "1000000007",
                                             "(2^40+1)",
                                             "(-2^31-1)" };
    static const double bases[] = { 0, 1, -1, 0.5, -0.5, 2, -2, -1 - 0x1p-52, 1 - 0x1p-53, -1 + 0x1p-53 };
    for (size_t i = 0; i < sizeof exponents / sizeof *exponents; ++i)
        for (size_t k = 0; k < sizeof bases / sizeof *bases; ++k)
            for (int negative = 0; negative < 2; ++negative)
                for (int wide = 0; wide < 3; ++wide) {
                    char text[60];
                    snprintf(text, sizeof text, "x^%s%s", negative ? "-" : "", exponents[i]);
                    const double x = bases[k], off = wide == 0 ? 0 : wide == 1 ? 0x1p-50 : 0.75;
                    check_at(text, &(abut_interval){ x - off, x + off }, &x);
                }
    const char *const defined[] = { "x^2147483648", "x^2147483649", "x^1e300", "x^(1e15+1)" };
    for (size_t i = 0; i < sizeof defined / sizeof *defined; ++i) {
        abut_expr *expr = parsed(&defined[i], 1, 1);
        abut_tape *tape = compiled(expr);
        abut_interval out[3];
        ia scratch[64];
        double at;
        const abut_interval box = { -1, 1 };
        for (int order = 0; order < 3; ++order)
            TEST_CHECK(enclosed(tape, &box, 1, order, out), "%s, order %d", defined[i], order);
        assert_true(abut_tape_scratch(tape, 0) <= 64);
        TEST_CHECK(!abut_tape_find_undefined(tape, &box, scratch, &at), "%s", defined[i]);
        TEST_CHECK(out[0].lo == (i % 2 ? -1 : 0) && out[0].hi == 1, "%s: [%a, %a]", defined[i], out[0].lo,
                   out[0].hi);
        abut_tape_destroy(tape);
        abut_expr_destroy(expr);
    }
}

/* One function, at the ends of its domain, at the ends of the range of doubles, and where its
 * argument is hard to reduce. */
static void functions_at_their_limits(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "sqrt(x)",       "exp(x)",   "log(x)",      "sin(x)",      "cos(x)",    "tan(x)",      "asin(x)",
        "acos(x)",       "atan(x)",  "abs(x)",      "min(x,1)",    "max(x,0)",  "1/x",         "x/3",
        "1/x^2",         "x^3",      "x^-3",        "x^0.5",       "x^1.5",     "x^-0.5",      "x^0.1",
        "x^x",           "2^x",      "x^33",        "x^-40",       "x*x*x",     "x*1e300",     "x*1e-300",
        "sqrt(x^2)",     "log(1+x)", "sqrt(1-x^2)", "exp(-x^2)",   "tan(x/2)",  "atan(1/x)",   "asin(x)^2",
        "abs(x)^1.5",    "abs(x)*x", "min(x,x^2)",  "max(-x,x^3)", "x^1e9",     "exp(exp(x))", "log(log(x))",
        "sqrt(sqrt(x))", "cos(x)^2", "(x+1)^(x+1)", "x/(x^2+1)",   "acos(x/2)", "1/(x-1)"
    };
    static const double places[] = { 0,
                                     0x1p-1074,
                                     -0x1p-1074,
                                     0x1p-1022,
                                     1e-160,
                                     -1e-160,
                                     1e-8,
                                     0.5,
                                     1 - 0x1p-53,
                                     1,
                                     -1,
                                     1 + 0x1p-52,
                                     -1 - 0x1p-52,
                                     1.5707963267948966,
                                     3.1415926535897931,
                                     709.78271289338397,
                                     -745.13321910194122,
                                     -708.4,
                                     1e22,
                                     0x1p53,
                                     1e160,
                                     -1e160,
                                     6381956970095103 * 0x1p797, /* next to a multiple of pi / 2 */
                                     0x1p1023,
                                     DBL_MAX,
                                     -DBL_MAX };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
        for (size_t k = 0; k < sizeof places / sizeof *places; ++k) {
            const double x = places[k], up = nextafter(x, INFINITY), down = nextafter(x, -INFINITY);
            const abut_interval boxes[] = { { x, x },
                                            { x, fmin(up, DBL_MAX) },
                                            { fmax(down, -DBL_MAX), x },
                                            { x - 0.25, x + 0.25 },
                                            { fmin(0, x), fmax(0, x) },
                                            { x, DBL_MAX },
                                            { -DBL_MAX, x } };
            for (size_t b = 0; b < sizeof boxes / sizeof *boxes; ++b)
                check_at(texts[i], &boxes[b], &x);
        }
}

/* Zero times a number beyond all doubles is zero, in derivatives too. */
static void numbers_beyond_doubles(void **state)
{
    (void)state;
    const char *const text = "log(1e308*100*atan(y)) + 1e308*1e308*sin(y)";
    abut_expr *expr = parsed(&text, 1, 2);
    abut_tape *tape = compiled(expr);
    abut_interval out[6];
    for (int order = 0; order < 3; ++order) {
        enclosed(tape, (abut_interval[2]){ { -1, 1 }, { 1, 2 } }, 2, order, out);
        assert_true(order < 1 || (out[1].lo == 0 && out[1].hi == 0));
    }
    abut_tape_destroy(tape);
    abut_expr_destroy(expr);
}

/* Derivatives jump at a kink, so the second derivative must admit everything there, and nothing
 * elsewhere. */
static void second_derivatives_at_kinks(void **state)
{
    (void)state;
    const char *const texts[] = { "abs(x)", "min(x, y)", "max(3*x, y)", "abs(x) + y^2" };
    abut_expr *expr = parsed(texts, 4, 2);
    abut_tape *tape = compiled(expr);
    abut_interval out[4 * 6];
    assert_true(enclosed(tape, (abut_interval[2]){ { -1, 1 }, { 0, 5 } }, 2, 2, out));
    assert_true(out[3].lo == -INFINITY && out[3].hi == INFINITY);
    assert_true(out[4].lo == 0 && out[4].hi == 0); /* the kink of abs(x) is along y */
    for (int k = 3; k < 6; ++k)
        assert_true(out[6 + k].lo == -INFINITY && out[12 + k].hi == INFINITY);
    assert_true(out[18 + 5].lo == 2 && out[18 + 5].hi == 2);
    assert_true(enclosed(tape, (abut_interval[2]){ { 2, 3 }, { 4, 5 } }, 2, 2, out));
    for (int k = 3; k < 6; ++k)
        assert_true(out[6 + k].lo == 0 && out[6 + k].hi == 0 && out[12 + k].lo == 0 && out[12 + k].hi == 0);
    abut_tape_destroy(tape);
    abut_expr_destroy(expr);
}

/* The earliest place, by the last variable, at which something is not defined, also where the
 * value was folded away; none where all is well, at the ends of domains too. */
static void undefined_places_are_found(void **state)
{
    (void)state;
    const struct {
        const char *text;
        bool found;
        double at; /* y; NAN: not searched for, as no value depends on y */
    } cases[] = {
        { "sqrt(1 - y)", true, 1 },
        { "1/(y - 0.5)", true, 0.5 },
        { "1/(y - 0.3)^2", true, 0.3 },
        { "log(x - y)", true, 1 },
        { "asin(y)*0", true, NAN },
        { "(x - x)/(x - x)", true, 0 },
        { "(x - x)*log(y - 7)", true, 0 },
        { "(y - 1.5)^0.5", true, 0 },
        { "(abs(y - 0.5) + x - x)^-1.5", true, 0.5 },
        { "(x - 2*y)^2147483648 + (y - x)^2147483649", false, 0 },
        { "acos(1 + (x + y)^2)", true, 0 },
        { "1/(1.75 - max(x, y))", true, 0 },
        { "sqrt(y) + sqrt(2 - y)", false, 0 },
        { "1/sqrt(1 + (x - y)^2)", false, 0 },
        { "log(x) + sqrt(x - 1)", false, 0 },
        { "sqrt(x^2 - 2*x*y + y^2 + 0.001)", false, 0 },
        { "asin(sin(7*y)) + tan(0.7*y)", false, 0 },
        { "x^y + exp(y)/x", false, 0 },
    };
    const abut_interval box[2] = { { 1, 2 }, { 0, 2 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        abut_expr *expr = parsed(&cases[i].text, 1, 2);
        abut_tape *tape = compiled(expr);
        ia scratch[256];
        double at[2] = { NAN, NAN };
        assert_true(abut_tape_scratch(tape, 0) <= 256);
        const bool found = abut_tape_find_undefined(tape, box, scratch, at);
        TEST_CHECK(found == cases[i].found, "%s: found %d at %g, %g", cases[i].text, found, at[0], at[1]);
        TEST_CHECK(!found || !(fabs(at[1] - cases[i].at) > 1e-6), "%s: at %.17g, %.17g", cases[i].text, at[0],
                   at[1]);
        abut_tape_destroy(tape);
        abut_expr_destroy(expr);
    }
}

/* Numbers are folded, products with sums are one step, sine and cosine share one. */
static void programs_are_short(void **state)
{
    (void)state;
    const struct {
        const char *text;
        size_t steps[3];
    } cases[] = {
        { "3", { 0, 0, 0 } },
        { "x", { 0, 0, 0 } },
        { "2*3+4^2/3-pi", { 0, 0, 0 } },
        { "x+y", { 1, 1, 1 } },
        { "2*x+3*y-1", { 4, 4, 4 } },
        { "x*y+z", { 1, 1, 1 } },
        { "z-x*y", { 1, 3, 3 } }, /* -x, -y */
        { "sin(x)", { 1, 1, 2 } },
        { "sin(x)*cos(x)", { 2, 5, 8 } },
        { "sqrt(x^2+y^2)/sqrt(x^2+y^2)", { 5, 99, 999 } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        abut_expr *expr = parsed(&cases[i].text, 1, 4);
        abut_tape *tape = compiled(expr);
        for (int order = 0; order < 3; ++order)
            TEST_CHECK(tape->programs[order].step_count <= cases[i].steps[order] + 1,
                       "%s, order %d: %zu steps", cases[i].text, order, tape->programs[order].step_count);
        abut_tape_destroy(tape);
        abut_expr_destroy(expr);
    }
}

/* In doubles: values as the expression itself gives them, derivatives inside the enclosures
 * around the point. */
static void doubles_agree(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_count(3000); ++seed) {
        test_random r = test_seed(1000000 + seed);
        const size_t variables = 1 + test_below(&r, 4);
        abut_expr *expr = random_expression(&r, variables, 2);
        abut_tape *tape = compiled(expr);
        double x[4] = { 0 }, out[2 * 15], value[2];
        double *scratch = malloc((abut_tape_scratch(tape, 2) + 1) * sizeof *scratch);
        assert_non_null(scratch);
        abut_interval box[4], boxes[2 * 15];
        for (size_t i = 0; i < variables; ++i) {
            x[i] = test_uniform(&r, -2, 2);
            const double off = 1e-7 * (1 + fabs(x[i]));
            box[i] = (abut_interval){ x[i] - off, x[i] + off };
        }
        abut_tape_evaluate(tape, x, 2, scratch, out);
        evaluate_graph(expr, x, value);
        if (enclosed(tape, box, variables, 2, boxes))
            for (size_t k = 0; k < 2 * abut_tape_stride(variables, 2); ++k) {
                /* Rounding of small differences of large numbers is not what is tested here. */
                const double slack = 1e-9 * (fabs(boxes[k].lo) + fabs(boxes[k].hi)) + 1e-9;
                CHECK_OF(expr,
                         isnan(out[k]) || isinf(out[k]) ||
                             (boxes[k].lo - slack <= out[k] && out[k] <= boxes[k].hi + slack),
                         "seed %" PRIu64 ": result %zu is %a, not in [%a, %a]", seed, k, out[k], boxes[k].lo,
                         boxes[k].hi);
            }
        for (size_t i = 0; i < variables; ++i)
            box[i] = (abut_interval){ x[i], x[i] };
        enclosed(tape, box, variables, 0, boxes);
        for (size_t k = 0; k < 2; ++k) {
            const double found = out[k * abut_tape_stride(variables, 2)];
            CHECK_OF(expr,
                     !isfinite(value[k]) || fabs(value[k]) > 1e100 ||
                         fabs(found - value[k]) <=
                             2 * (boxes[k].hi - boxes[k].lo) + 1e-12 * (1 + fabs(value[k])),
                     "seed %" PRIu64 ": %a instead of %a", seed, found, value[k]);
        }
        free(scratch);
        abut_tape_destroy(tape);
        abut_expr_destroy(expr);
    }
}

/* A tape compiled by a caller who flushes denormals and rounds down is the same tape. */
static void the_state_of_the_caller_does_not_matter(void **state)
{
    (void)state;
    const char *const text = "x*4.9406564584124654e-324 + 1e-310*y + 0.1*3";
    const abut_interval box[2] = { { 0.5, 3 }, { 1, 2 } };
    abut_expr *expr = parsed(&text, 1, 2);
    abut_tape *plain = compiled(expr), *odd;
#if defined(__SSE2__)
    const unsigned saved = _mm_getcsr();
    _mm_setcsr(saved | 0xA040); /* flush to zero, denormals are zero, down */
    const abut_status status = abut_tape_compile(expr, NULL, &odd);
    const unsigned after = _mm_getcsr() & 0xE040;
    _mm_setcsr(saved);
    assert_int_equal(status, ABUT_OK);
    assert_int_equal(after, 0xA040);
#else
    assert_int_equal(abut_tape_compile(expr, NULL, &odd), ABUT_OK);
#endif
    abut_interval found[2][6];
    assert_true(enclosed(plain, box, 2, 2, found[0]) && enclosed(odd, box, 2, 2, found[1]));
    assert_memory_equal(found[0], found[1], sizeof found[0]);
    TEST_CHECK(found[0][1].lo == 0x1p-1074 && found[0][2].lo == 1e-310, "%a and %a", found[0][1].lo,
               found[0][2].lo);
    abut_tape_destroy(plain);
    abut_tape_destroy(odd);
    abut_expr_destroy(expr);
}

static void limits_and_memory(void **state)
{
    (void)state;
    const char *const texts[] = { "sin(x*y)^2/(1+exp(x))+min(x,y)*pi^x", "abs(x)-2*tan(y)+x^3+0*log(x)",
                                  "(x+y)^3-x/2" };
    abut_expr *expr = parsed(texts, 3, 2);
    abut_status status = ABUT_OK;
    TEST_EVERY_ALLOCATION_FAILS(
        alloc,
        {
            abut_tape *tape;
            status = abut_tape_compile(expr, &alloc, &tape);
            TEST_CHECK((status == ABUT_OK) == (tape != NULL), "status %d", (int)status);
            abut_tape_destroy(tape);
        },
        status);
    abut_tape *tape = compiled(expr);
    assert_true(abut_tape_depends_on(tape, 0) && abut_tape_depends_on(tape, 1));
    assert_false(abut_tape_depends_on(tape, 2));
    assert_int_equal(abut_tape_root_count(tape), 3);
    abut_tape_destroy(tape);
    abut_expr_destroy(expr);
    const abut_expr_source source = { "f", "e" };
    static const char *const five[] = { "a", "b", "c", "d", "e" };
    assert_int_equal(abut_expr_parse(&source, 1, five, 5, NULL, 0, NULL, &expr, NULL), ABUT_OK);
    assert_int_equal(abut_tape_compile(expr, NULL, &tape), ABUT_ERR_LIMIT);
    abut_expr_destroy(expr);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_cases),
        cmocka_unit_test(long_whole_exponents),
        cmocka_unit_test(numbers_beyond_doubles),
        cmocka_unit_test(functions_at_their_limits),
        cmocka_unit_test(second_derivatives_at_kinks),
        cmocka_unit_test(undefined_places_are_found),
        cmocka_unit_test(programs_are_short),
        cmocka_unit_test(doubles_agree),
        cmocka_unit_test(limits_and_memory),
        cmocka_unit_test(the_state_of_the_caller_does_not_matter),
        cmocka_unit_test(tight_forms_are_tight),
        cmocka_unit_test(bernstein_polynomials_are_their_own_form),
        cmocka_unit_test(polynomials_are_found_and_enclosed),
        cmocka_unit_test(random_graphs_are_enclosed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
