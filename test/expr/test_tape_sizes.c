/* SPDX-License-Identifier: MIT */
/* Expressions of all sizes, up to several thousand nodes, and of all shapes: every order is
 * evaluated with exactly as much scratch as is asked for, with guards behind it; under
 * AddressSanitizer there are none, and nothing behind it is there. Short programs are ordered
 * otherwise than long ones, so the need does not grow with the order or with the size. The
 * values are judged by the interpreter of the graph itself. */
#include "expr/expr.h"
#include "expr/tape.h"
#include "support/evaluate_graph.h"
#include "support/test.h"

enum { VARIABLES = 4, MAX_ROOTS = 3, RESULTS = MAX_ROOTS * 15, MAX_LETS = 1000, TEXT = 1 << 19 };

#if defined(__SANITIZE_ADDRESS__)
enum { GUARDS = 0, STEPS = 1 };
#else
enum { GUARDS = 8, STEPS = 3 };
#endif

static const char *const names[VARIABLES] = { "x", "y", "z", "t" };

typedef enum form { WAVES, PRODUCTS, QUOTIENTS, NESTED_LETS, SHARED_LETS, MANY_SINES, CHOICES, FORMS } form;

typedef struct source {
    char *roots[MAX_ROOTS];
    size_t root_count;
    char let_names[MAX_LETS][8];
    char let_texts[MAX_LETS][64];
    abut_expr_source lets[MAX_LETS];
    size_t let_count;
} source;

static void let(source *s, const char *format, unsigned i)
{
    if (s->let_count == MAX_LETS)
        return;
    snprintf(s->let_names[s->let_count], sizeof *s->let_names, "a%zu", s->let_count);
    snprintf(s->let_texts[s->let_count], sizeof *s->let_texts, format, i, i);
    s->lets[s->let_count] = (abut_expr_source){ s->let_names[s->let_count], s->let_texts[s->let_count] };
    ++s->let_count;
}

/* One root of about `size` operations. */
static void write_root(source *s, form f, unsigned size, char *text)
{
    static const char *const terms[FORMS] = {
        [WAVES] = "+0.01*sin(%u*x)*cos(%u*y)",         [PRODUCTS] = "+(x+%u)*(y-%u)*z*t",
        [QUOTIENTS] = "+sqrt(%u+x^2)/(%u+exp(y*z))",   [MANY_SINES] = "+sin(%u*x+y)*z-t*cos(%u*z)",
        [CHOICES] = "+min(x*%u,max(y,z-%u))*abs(t-x)",
    };
    size_t at = (size_t)sprintf(text, "x^2+y^2+z^2-1");
    if (f == NESTED_LETS || f == SHARED_LETS) {
        let(s, f == NESTED_LETS ? "x*y" : "x+y*%u", 1);
        for (unsigned i = 1; i < size && i < MAX_LETS; ++i)
            let(s, f == NESTED_LETS ? i % 2 ? "sin(a%u)" : "cos(a%u)+z" : "a%u*(1+t)-sin(a%u)/8", i - 1);
        for (size_t i = s->let_count; i-- > (f == NESTED_LETS ? s->let_count - 1 : 0);)
            at += (size_t)sprintf(text + at, "+a%zu", i);
        return;
    }
    for (unsigned i = 0; i < size / 6 + 1 && at + 100 < TEXT; ++i)
        at += (size_t)sprintf(text + at, terms[f], i + 1, i + 2);
}

typedef struct guarded {
    unsigned char *memory;
    size_t size;
} guarded;

static void *guard(guarded *g, size_t entries, size_t entry)
{
    g->size = entries * entry;
    g->memory = aligned_alloc(16, (g->size + GUARDS * 16 + 15) & ~(size_t)15);
    assert_non_null(g->memory);
    memset(g->memory, 0xA5, (g->size + GUARDS * 16 + 15) & ~(size_t)15);
    return g->memory;
}

static void unguard(guarded *g, const char *what)
{
    for (size_t i = g->size; i < g->size + (size_t)GUARDS * 16; ++i)
        TEST_CHECK(g->memory[i] == 0xA5, "%s: byte %zu behind the scratch was written", what, i - g->size);
    free(g->memory);
}

static ABUT_NOINLINE void enclose(const abut_tape *tape, const double *x, double off, int order, int forms,
                                  ia *scratch, abut_interval *out)
{
    ia in[VARIABLES], results[RESULTS];
    for (int i = 0; i < VARIABLES; ++i)
        in[i] = ia_make(x[i], x[i] + off);
    if (forms)
        (void)abut_tape_enclose_tight(tape, in, order, forms, scratch, results);
    else
        (void)abut_tape_enclose(tape, in, order, scratch, results);
    for (size_t i = 0; i < abut_tape_root_count(tape) * abut_tape_stride(VARIABLES, order); ++i)
        out[i] = ia_to(results[i]);
}

/* All orders with the scratch of the highest, as surfaces do, and each with its own; natural and
 * tight. */
static void check_tape(const char *what, const abut_tape *tape, const abut_expr *expr)
{
    static const double x[VARIABLES] = { 0.3, 0.7, -0.2, 0.4 };
    const size_t roots = abut_tape_root_count(tape);
    double value[MAX_ROOTS], plain[RESULTS];
    abut_interval found[RESULTS];
    guarded g;
    evaluate_graph(expr, x, value);
    for (int most = 0; most < 3; ++most)
        for (int order = 0; order <= most; ++order)
            for (int kind = 0; kind < 3; ++kind) {
                const int forms =
                    kind == 2 ? ABUT_TAPE_MEAN_VALUE | ABUT_TAPE_MONOTONE | ABUT_TAPE_BERNSTEIN : 0;
                const size_t size =
                    forms ? abut_tape_scratch_tight(tape, most) : abut_tape_scratch(tape, most);
                if (kind == 0) {
                    abut_tape_evaluate(tape, x, order, guard(&g, size, sizeof(double)), plain);
                } else {
                    ia *scratch = guard(&g, size, sizeof(ia));
                    const abut_rounding saved = abut_rounding_enter();
                    enclose(tape, x, kind == 2 ? 0x1p-10 : 0, order, forms, scratch, found);
                    abut_rounding_leave(saved);
                }
                unguard(&g, what);
                for (size_t r = 0; r < roots; ++r) {
                    const size_t at = r * abut_tape_stride(VARIABLES, order);
                    const double slack = 1e-9 * (1 + fabs(value[r]));
                    if (!isfinite(value[r]))
                        continue;
                    if (kind == 0)
                        TEST_CHECK(fabs(plain[at] - value[r]) <= slack, "%s, order %d: %.17g, not %.17g",
                                   what, order, plain[at], value[r]);
                    else
                        TEST_CHECK(found[at].lo - slack <= value[r] && value[r] <= found[at].hi + slack,
                                   "%s, order %d: %.17g is not in [%.17g, %.17g]", what, order, value[r],
                                   found[at].lo, found[at].hi);
                }
            }
}

static void check_size(source *s, form f, unsigned size, size_t roots)
{
    char what[80];
    abut_expr_source texts[MAX_ROOTS];
    abut_expr *expr;
    abut_tape *tape;
    abut_error error;
    s->let_count = 0;
    for (size_t r = 0; r < roots; ++r) {
        if (r > 0 && (f == NESTED_LETS || f == SHARED_LETS))
            sprintf(s->roots[r], "a%zu*z+x", s->let_count / (r + 1));
        else
            write_root(s, f, size, s->roots[r]);
        texts[r] = (abut_expr_source){ "f", s->roots[r] };
    }
    snprintf(what, sizeof what, "form %d, size %u, %zu roots", (int)f, size, roots);
    abut_status status =
        abut_expr_parse(texts, roots, names, VARIABLES, s->lets, s->let_count, NULL, &expr, &error);
    if (status == ABUT_ERR_LIMIT) /* more values at a time than allowed */
        return;
    TEST_CHECK(status == ABUT_OK, "%s: %s", what, error.text);
    status = abut_tape_compile(expr, NULL, &tape);
    TEST_CHECK(status == ABUT_OK || status == ABUT_ERR_LIMIT, "%s: status %d", what, (int)status);
    if (tape)
        check_tape(what, tape, expr);
    abut_tape_destroy(tape);
    abut_expr_destroy(expr);
}

static void all_sizes(void **state)
{
    (void)state;
    source *s = calloc(1, sizeof *s);
    assert_non_null(s);
    for (int r = 0; r < MAX_ROOTS; ++r)
        assert_non_null(s->roots[r] = malloc(TEXT));
    for (int f = 0; f < FORMS; ++f)
        for (unsigned size = 3; size < 9000; size += size / STEPS + 1)
            check_size(s, (form)f, size, size % 2 ? 1 : 3);
    for (int r = 0; r < MAX_ROOTS; ++r)
        free(s->roots[r]);
    free(s);
}

static size_t work_of(const char *text)
{
    const abut_expr_source texts[1] = { { "f", text } };
    abut_expr *expr;
    abut_tape *tape;
    assert_int_equal(abut_expr_parse(texts, 1, names, VARIABLES, NULL, 0, NULL, &expr, NULL), ABUT_OK);
    assert_int_equal(abut_tape_compile(expr, NULL, &tape), ABUT_OK);
    const size_t work = abut_tape_work(tape);
    abut_tape_destroy(tape);
    abut_expr_destroy(expr);
    return work;
}

/* Budgets go by it: small expressions count one, others in proportion to their length. */
static void work_grows_with_the_length(void **state)
{
    (void)state;
    assert_int_equal(abut_work_cost(work_of("x^2+y^2+z^2-1")), 1);
    assert_int_equal(abut_work_cost(work_of("(x^2+y^2+z^2+3)^2-16*(x^2+y^2)+0.1*sin(5*x)*cos(3*z)")), 1);
    assert_int_equal(abut_work_budget(40000, 100), 40000);
    assert_int_equal(abut_work_budget(40000, 1000000000), 16);
    char *text = malloc(TEXT);
    assert_non_null(text);
    size_t at = (size_t)sprintf(text, "x"), work[2] = { 0 };
    for (int half = 0; half < 2; ++half) {
        for (int i = 1; i <= 500; ++i)
            at += (size_t)sprintf(text + at, "+sin(%d*x)*exp(y*%d)", i + 500 * half, i + 500 * half);
        work[half] = work_of(text);
    }
    free(text);
    TEST_CHECK(work[0] > 500 * 32 && work[1] > 19 * work[0] / 10 && work[1] < 21 * work[0] / 10, "%zu, %zu",
               work[0], work[1]);
    TEST_CHECK(abut_work_budget(300000, work[0]) * (work[0] / 1024) <= 300000, "%zu", work[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(all_sizes),
                                        cmocka_unit_test(work_grows_with_the_length) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
