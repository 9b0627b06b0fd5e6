/* SPDX-License-Identifier: MIT */
/* Expressions with kinks by their smooth parts: random ones of sums, multiples, abs, min and max take the
 * value that the program makes of the parts, judged by the interpreter of the graph; parts have no kinks;
 * what is no such expression stays whole. */
#include "expr/graph.h"
#include "expr/split.h"
#include "support/evaluate_graph.h"
#include "support/test.h"

enum { MOST_NODES = 4096, DEPTH = 4, TEXT = 1 << 14 };

static const char *const names[4] = { "x", "y", "z", "t" };

static abut_expr *parse(const char *text)
{
    const abut_expr_source source = { "f", text };
    abut_expr *out = NULL;
    abut_error error;
    const abut_status status = abut_expr_parse(&source, 1, names, 4, NULL, 0, NULL, &out, &error);
    TEST_CHECK(status == ABUT_OK, "%s: %s", text, error.text);
    return out;
}

static double value(const abut_split *s, const double x[4])
{
    double stack[ABUT_SPLIT_STEPS];
    int top = 0;
    for (size_t i = 0; i < s->step_count; ++i) {
        if (s->steps[i].op == ABUT_SPLIT_PART) {
            evaluate_graph(s->parts[s->steps[i].part], x, &stack[top++]);
        } else {
            --top;
            stack[top - 1] = s->steps[i].op == ABUT_SPLIT_MAX ? fmax(stack[top - 1], stack[top])
                                                              : fmin(stack[top - 1], stack[top]);
        }
    }
    assert_int_equal(top, 1);
    return stack[0];
}

static void check_parts(const abut_split *s)
{
    for (size_t i = 0; i < s->part_count; ++i)
        for (size_t k = 0; k < s->parts[i]->node_count; ++k) {
            const int op = s->parts[i]->nodes[k].op;
            assert_true(op != ABUT_EXPR_ABS && op != ABUT_EXPR_MIN && op != ABUT_EXPR_MAX);
        }
}

/* Writes a random expression; all of it can be split. */
static size_t write_any(test_random *r, char *to, int depth)
{
    static const char *const smooth[8] = { "x",     "y-0.5", "z*x",    "t",
                                           "x^2/3", "0.25",  "sin(y)", "sqrt(x^2+y^2+1)" };
    if (depth == 0)
        return (size_t)sprintf(to, "%s", smooth[test_bits(r) % 8]);
    static const char *const forms[12][2] = { { "abs(", ")" },  { "-(", ")" },    { "2.5*(", ")" },
                                              { "-pi*(", ")" }, { "(", ")/0.3" }, { "(", ")/(-4)" },
                                              { "(", ")*0.5" }, { "(", ")+1" },   { "min(", ")" },
                                              { "max(", ")" },  { "(", ")" },     { "(", ")" } };
    static const char *const between[4] = { ",", ",", ")+(", ")-(" };
    const unsigned form = (unsigned)(test_bits(r) % 12);
    size_t n = (size_t)sprintf(to, "%s", forms[form][0]);
    n += write_any(r, to + n, depth - 1);
    if (form >= 8) {
        n += (size_t)sprintf(to + n, "%s", between[form - 8]);
        n += write_any(r, to + n, depth - 1 - (int)(test_bits(r) % (unsigned)depth));
    }
    return n + (size_t)sprintf(to + n, "%s", forms[form][1]);
}

static void values_are_the_same(void **state)
{
    (void)state;
    static char text[TEXT];
    unsigned split = 0, cases = 0;
    for (uint64_t seed = 0; seed < test_count(2000); ++seed) {
        test_random r = test_seed(seed);
        write_any(&r, text, DEPTH);
        abut_expr *f = parse(text);
        abut_split s;
        assert_int_equal(abut_expr_split(f, MOST_NODES, &s), ABUT_OK);
        ++cases;
        split += s.part_count > 1;
        check_parts(&s);
        for (int i = 0; i < 20 && s.part_count > 0; ++i) {
            double x[4], expected;
            for (int k = 0; k < 4; ++k)
                x[k] = i < 4 ? (double)(i - 1) / 2 : test_uniform(&r, -2, 2);
            evaluate_graph(f, x, &expected);
            TEST_NEAR(value(&s, x), expected, 1e-11 * (1 + fabs(expected)), "seed %" PRIu64 ": %s", seed,
                      text);
        }
        abut_split_release(&s);
        abut_expr_destroy(f);
    }
    TEST_CHECK(split > cases / 3, "%u of %u", split, cases);
}

static size_t parts_of(const char *text)
{
    abut_expr *f = parse(text);
    abut_split s;
    assert_int_equal(abut_expr_split(f, MOST_NODES, &s), ABUT_OK);
    const size_t n = s.part_count;
    abut_split_release(&s);
    abut_expr_destroy(f);
    return n;
}

static void what_is_split(void **state)
{
    (void)state;
    assert_int_equal(parts_of("x^2+y^2-1"), 0);
    assert_int_equal(parts_of("abs(x)-1"), 2);
    assert_int_equal(parts_of("max(max(abs(x)/0.6,abs(y)/0.4),abs(z)/0.5)-1"), 6);
    assert_int_equal(parts_of("abs(x)+abs(y)+abs(z)-1"), 8);
    assert_int_equal(parts_of("max(x,x)"), 1);
    assert_int_equal(parts_of("3-2*min(x,max(y,z))"), 3);
}

static void what_stays_whole(void **state)
{
    (void)state;
    assert_int_equal(parts_of("abs(x)*y-1"), 0);
    assert_int_equal(parts_of("abs(x)^3+y^2-1"), 0);
    assert_int_equal(parts_of("sqrt(max(x,0)^2+y^2)-1"), 0);
    assert_int_equal(parts_of("1/max(x,1)-y"), 0);
    assert_int_equal(parts_of("0*abs(x)+y"), 0);
    assert_int_equal(parts_of("abs(x)/0+y"), 0);
    /* too many */
    assert_int_equal(parts_of("abs(x)+abs(y)+abs(z)+abs(t)+abs(x+y)+abs(x-y)-1"), 0);
    char deep[1200] = "";
    for (int i = 0; i < 150; ++i)
        strcat(deep, "abs(");
    strcat(deep, "x");
    for (int i = 0; i < 150; ++i)
        strcat(deep, ")");
    assert_int_equal(parts_of(deep), 0);
}

/* Kinks do not make an expression depend on what is not in it. */
static void tapes_know_what_they_depend_on(void **state)
{
    (void)state;
    static const char *const texts[3] = { "max(x,y)-1", "abs(min(x,z)*y)", "max(x,max(y,-z))^2" };
    for (int i = 0; i < 3; ++i) {
        abut_expr *f = parse(texts[i]);
        abut_tape *tape = NULL;
        assert_int_equal(abut_tape_compile(f, NULL, &tape), ABUT_OK);
        assert_false(abut_tape_depends_on(tape, 3));
        assert_true(abut_tape_depends_on(tape, 0));
        abut_tape_destroy(tape);
        abut_expr_destroy(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_the_same),
        cmocka_unit_test(what_is_split),
        cmocka_unit_test(what_stays_whole),
        cmocka_unit_test(tapes_know_what_they_depend_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
