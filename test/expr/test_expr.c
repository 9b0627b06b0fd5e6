/* SPDX-License-Identifier: MIT */
/* Referees: C's own arithmetic on expressions written by hand; and random trees, evaluated here
 * by recursion without any sharing or slots, then printed with no more parentheses than the
 * grammar needs, and parsed back. */
#include "expr/expr.h"
#include "expr/names.h"
#include "support/evaluate_graph.h"
#include "support/failing_allocator.h"

#include <locale.h>

static const char *const xyt[] = { "x", "y", "t" };

static abut_status parse_one(const char *text, const abut_expr_source *lets, size_t let_count,
                             abut_expr **out, abut_error *error)
{
    const abut_expr_source source = { "f", text };
    return abut_expr_parse(&source, 1, xyt, 3, lets, let_count, NULL, out, error);
}

static double value_of(const char *text, double x, double y, double t)
{
    abut_expr *expr;
    abut_error error;
    TEST_CHECK(parse_one(text, NULL, 0, &expr, &error) == ABUT_OK, "%s: %s", text, error.text);
    assert_string_equal(error.text, "");
    const double variables[3] = { x, y, t };
    double value;
    evaluate_graph(expr, variables, &value);
    abut_expr_destroy(expr);
    return value;
}

static bool same_double(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static void values_are_those_of_c(void **state)
{
    (void)state;
    /* volatile: the compiler must not fold */
    const volatile double vx = 1.25, vy = -0.75, vt = 3.5;
    const double x = vx, y = vy, t = vt, pi = 0x1.921fb54442d18p+1;
    const struct {
        const char *text;
        double value;
    } cases[] = {
        { "1", 1 },
        { " 12.5 ", 12.5 },
        { ".5", 0.5 },
        { "5.", 5 },
        { "1e-3", 1e-3 },
        { "1E+3", 1e3 },
        { "0.1", 0.1 },
        { "1.7976931348623157e308", DBL_MAX },
        { "4.9406564584124654e-324", 0x1p-1074 },
        { "1e-999", 0 },
        { "9007199254740993", 9007199254740992.0 }, /* a tie, to even */
        { "9007199254740993.00000000000000000000001", 9007199254740994.0 },
        { "123456789012345678901234567890", 123456789012345678901234567890.0 },
        { "pi", pi },
        { "x", x },
        { "-x", -x },
        { "--x", x },
        { "-0", -0.0 },
        { "x+y-t", x + y - t },
        { "x-(y-t)", x - (y - t) },
        { "x-y-t", (x - y) - t },
        { "x/y/t", (x / y) / t },
        { "x/y*t", (x / y) * t },
        { "x+y*t", x + y * t },
        { "(x+y)*t", (x + y) * t },
        { "x*-y", x * -y },
        { "x--y", x - -y },
        { "2^3^2", 512 },
        { "(2^3)^2", 64 },
        { "-2^2", -4 },
        { "(-2)^2", 4 },
        { "2^-3", 0.125 },
        { "2^-3^2", 1.0 / 512 },
        { "-2^-2", -0.25 },
        { "2*3^2", 18 },
        { "-x^2*y", -(x * x) * y },
        { "sqrt(x)", sqrt(x) },
        { "exp(x)", exp(x) },
        { "log(x)", log(x) },
        { "sin(x)", sin(x) },
        { "cos(x)", cos(x) },
        { "tan(x)", tan(x) },
        { "asin(y)", asin(y) },
        { "acos(y)", acos(y) },
        { "atan(x)", atan(x) },
        { "abs(y)", fabs(y) },
        { "min(x,y)", y },
        { "max( x , y )", x },
        { "min(y,x)", y },
        { "max(y,x)", x },
        { "sin(x)^2+cos(x)^2", pow(sin(x), 2) + pow(cos(x), 2) },
        { "sqrt(y)", NAN },
        { "log(0)", -INFINITY },
        { "1/0", INFINITY },
        { "min(sqrt(y),1)", NAN },
        { "max(1,sqrt(y))", NAN },
        { "2 *\t( x\n+ 1\r)", 2 * (x + 1) },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const double found = value_of(cases[i].text, x, y, t);
        TEST_CHECK(same_double(found, cases[i].value), "%s = %a, expected %a", cases[i].text, found,
                   cases[i].value);
    }
}

static void wrong_texts_are_explained(void **state)
{
    (void)state;
    const struct {
        const char *text;
        abut_status status;
        int column; /* 0: none */
        const char *says;
    } cases[] = {
        { "", ABUT_ERR_SYNTAX, 1, "empty" },
        { "  ", ABUT_ERR_SYNTAX, 1, "empty" },
        { "1+", ABUT_ERR_SYNTAX, 3, "ends where a number, a name or \"(\" is needed at column 3: 1+[]" },
        { "*2", ABUT_ERR_SYNTAX, 1, "a number, a name or \"(\" is needed at column 1: [*]2" },
        { "+2", ABUT_ERR_SYNTAX, 1, "there is no sign +" },
        { "(1+2", ABUT_ERR_SYNTAX, 5, "missing \")\" for the \"(\" at column 1 at column 5: (1+2[]" },
        { "1+2)", ABUT_ERR_SYNTAX, 4, "no \"(\" for this \")\"" },
        { "sin(x", ABUT_ERR_SYNTAX, 6, "missing \")\" of sin( from column 1" },
        { "sin x", ABUT_ERR_SYNTAX, 1, "sin needs its argument in parentheses" },
        { "sin", ABUT_ERR_SYNTAX, 1, "sin needs its argument in parentheses" },
        { "sin()", ABUT_ERR_SYNTAX, 1, "sin takes 1 argument, here are 0" },
        { "sin(x,y)", ABUT_ERR_SYNTAX, 1, "sin takes 1 argument, here are 2" },
        { "min(x)", ABUT_ERR_SYNTAX, 1, "min takes 2 arguments, here are 1" },
        { "1+max(x,y,t)", ABUT_ERR_SYNTAX, 3,
          "max takes 2 arguments, here are 3 at column 3: 1+[max(x,y,t)]" },
        { "x,y", ABUT_ERR_SYNTAX, 2, "comma" },
        { "2*sinn(x)", ABUT_ERR_SYNTAX, 3,
          "\"sinn\" is not a function, did you mean \"sin\"? at column 3: 2*[sinn](x)" },
        { "sqr(x)", ABUT_ERR_SYNTAX, 1, "did you mean \"sqrt\"?" },
        { "foo(x)", ABUT_ERR_SYNTAX, 1, "\"foo\" is not a function (" },
        { "x(2)", ABUT_ERR_SYNTAX, 1, "\"x\" is not a function" },
        { "Pi", ABUT_ERR_SYNTAX, 1, "did you mean \"pi\"?" },
        { "alpha", ABUT_ERR_SYNTAX, 1, "unknown name \"alpha\"" },
        { "2x", ABUT_ERR_SYNTAX, 1, "a product needs its *" },
        { "2(x)", ABUT_ERR_SYNTAX, 2, "an operator (+ - * / ^) is needed before this" },
        { "x 2", ABUT_ERR_SYNTAX, 3, "an operator" },
        { "0x10", ABUT_ERR_SYNTAX, 1, "this is no number" },
        { "1e", ABUT_ERR_SYNTAX, 1, "this is no number" },
        { "1.2.3", ABUT_ERR_SYNTAX, 1, "this is no number" },
        { ".", ABUT_ERR_SYNTAX, 1, "this is no number" },
        { "1e999", ABUT_ERR_VALUE, 1, "too large for a double" },
        { "2+1e309*x", ABUT_ERR_VALUE, 3, "too large for a double at column 3: 2+[1e309]*x" },
        { "x = 2", ABUT_ERR_SYNTAX, 3, "not allowed in an expression" },
        { "x**2", ABUT_ERR_SYNTAX, 3, "a number, a name" },
        { "x\xc2\xb2", ABUT_ERR_SYNTAX, 2, "not allowed in an expression at column 2: x[??]" },
        { "inf", ABUT_ERR_SYNTAX, 1, "unknown name \"inf\"" },
        { "nan", ABUT_ERR_SYNTAX, 1, "unknown name \"nan\", did you mean \"tan\"?" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        abut_expr *expr = (abut_expr *)&expr;
        abut_error error;
        const abut_status status = parse_one(cases[i].text, NULL, 0, &expr, &error);
        TEST_CHECK(status == cases[i].status && error.status == status && !expr, "%s: %d, %s", cases[i].text,
                   status, error.text);
        TEST_CHECK(strstr(error.text, cases[i].says), "%s: %s", cases[i].text, error.text);
        TEST_CHECK(error.index == cases[i].column - 1, "%s: index %d", cases[i].text, (int)error.index);
        assert_string_equal(error.path, "f");
        assert_int_equal(parse_one(cases[i].text, NULL, 0, &expr, NULL), status);
    }
}

static void lets_are_shared_and_ordered(void **state)
{
    (void)state;
    const abut_expr_source lets[] = { { "a", "x+1" }, { "b", "a*a" }, { "unused", "sqrt(b)" } };
    const abut_expr_source texts[] = { { "f", "b+a" }, { "g", "a*a" }, { "h", "7" } };
    abut_expr *expr;
    abut_error error;
    assert_int_equal(abut_expr_parse(texts, 3, xyt, 3, lets, 3, NULL, &expr, &error), ABUT_OK);
    /* x, 1, x+1, a*a, b+a, 7; nothing twice, nothing unused */
    assert_int_equal(expr->node_count, 6);
    double out[3];
    evaluate_graph(expr, (const double[3]){ 2, 0, 0 }, out);
    assert_true(out[0] == 12 && out[1] == 9 && out[2] == 7);
    abut_expr_destroy(expr);
    abut_expr_destroy(NULL);

    const struct {
        abut_expr_source lets[2];
        const char *path, *says;
    } wrong[] = {
        { { { "a", "b" }, { "b", "1" } }, "let.a", "\"b\" is defined later" },
        { { { "a", "a+1" }, { "b", "1" } }, "let.a", "\"a\" is defined by itself" },
        { { { "a", "1" }, { "a", "2" } }, "let.a", "is defined twice" },
        { { { "a", "1" }, { "x", "2" } }, "let.x", "is a variable" },
        { { { "sin", "1" }, { "b", "2" } }, "let.sin", "is a function" },
        { { { "pi", "3" }, { "b", "2" } }, "let.pi", "is the constant pi" },
        { { { "", "3" }, { "b", "2" } }, "let.", "starts with no letter" },
        { { { "2a", "3" }, { "b", "2" } }, "let.2a", "starts with no letter" },
        { { { "a-b", "3" }, { "b", "2" } }, "let.a-b", "other than letters" },
        { { { "a", "3*" }, { "b", "2" } }, "let.a", "at column 3: 3*[]" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        assert_int_equal(parse_one("1", wrong[i].lets, 2, &expr, &error), ABUT_ERR_SYNTAX);
        TEST_CHECK(strcmp(error.path, wrong[i].path) == 0 && strstr(error.text, wrong[i].says),
                   "case %zu: %s: %s", i, error.path, error.text);
    }
    const abut_expr_source radius = { "radius", "2" };
    assert_int_equal(parse_one("radios*2", &radius, 1, &expr, &error), ABUT_ERR_SYNTAX);
    assert_non_null(strstr(error.text, "did you mean \"radius\"?"));
}

/* Text of n copies of `unit` between `before` and `after`. */
static char *repeated(const char *before, const char *unit, size_t n, const char *after)
{
    const size_t length = strlen(unit);
    char *text = malloc(strlen(before) + n * length + strlen(after) + 1);
    strcpy(text, before);
    char *end = text + strlen(before);
    for (size_t i = 0; i < n; ++i, end += length)
        memcpy(end, unit, length);
    strcpy(end, after);
    return text;
}

static void hostile_texts_end_in_errors(void **state)
{
    (void)state;
    const struct {
        const char *before, *unit;
        size_t count;
        const char *after;
        abut_status status;
    } cases[] = {
        { "", "(", 199, "x", ABUT_ERR_SYNTAX },      { "", "(", 1000000, "x", ABUT_ERR_LIMIT },
        { "", "-", 1000000, "x", ABUT_ERR_LIMIT },   { "", "x^", 500000, "x", ABUT_ERR_LIMIT },
        { "", "sin(", 250000, "x", ABUT_ERR_LIMIT }, { "", "x+", 500000, "x", ABUT_ERR_LIMIT },
        { "", " ", 2000000, "x", ABUT_ERR_LIMIT },   { "x", "+x", 60000, "", ABUT_OK },
        { "x", "*x", 60000, "", ABUT_OK },           { "0.", "3", 1000000, "", ABUT_OK },
        { "", "a", 1000000, "", ABUT_ERR_SYNTAX },   { "min(x,", "x,", 500000, "x)", ABUT_ERR_SYNTAX },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char *text = repeated(cases[i].before, cases[i].unit, cases[i].count, cases[i].after);
        abut_expr *expr;
        abut_error error;
        const abut_status status = parse_one(text, NULL, 0, &expr, &error);
        TEST_CHECK(status == cases[i].status, "case %zu: status %d, %s", i, status, error.text);
        abut_expr_destroy(expr);
        free(text);
    }
    /* Depth 199 is allowed. */
    char text[1000] = "";
    for (int i = 0; i < 199; ++i)
        strcat(text, "(");
    strcat(text, "x");
    for (int i = 0; i < 199; ++i)
        strcat(text, ")");
    assert_true(value_of(text, 3, 0, 0) == 3);
}

/* 2000 products, all needed before the first of them is used again: more values alive than there
 * are slots. */
static void too_many_values_at_once_are_refused(void **state)
{
    (void)state;
    enum { COUNT = 2000 };
    static char text[COUNT * 24];
    char *end = text;
    end += sprintf(end, "(x");
    for (int i = 1; i <= COUNT; ++i)
        end += sprintf(end, "+sin(%d)", i);
    end += sprintf(end, ")*(x");
    for (int i = COUNT; i > 0; --i) /* in the other order, or the sums would be one and the same */
        end += sprintf(end, "+sin(%d)", i);
    sprintf(end, ")");
    abut_expr *expr;
    abut_error error;
    assert_int_equal(parse_one(text, NULL, 0, &expr, &error), ABUT_ERR_LIMIT);
    assert_non_null(strstr(error.text, "at the same time"));
}

/* ---- random trees ---- */

typedef struct tree {
    int op; /* an abut_expr_op, chosen here; the code under test never sees it */
    double value;
    struct tree *a, *b;
} tree;

static tree pool[4000];
static size_t pool_used;

static tree *random_tree(test_random *r, int depth)
{
    tree *node = &pool[pool_used++];
    memset(node, 0, sizeof *node);
    if (depth == 0 || test_below(r, 6) == 0) {
        node->op = (int)test_below(r, 3);
        node->value = node->op == ABUT_EXPR_NUMBER     ? fabs(test_log_uniform(r, -20, 20))
                      : node->op == ABUT_EXPR_VARIABLE ? (double)test_below(r, 3)
                                                       : 0;
        return node;
    }
    node->op = ABUT_EXPR_ADD + (int)test_below(r, ABUT_EXPR_OP_COUNT - ABUT_EXPR_ADD);
    node->a = random_tree(r, depth - 1);
    const bool binary = node->op <= ABUT_EXPR_POWER || node->op >= ABUT_EXPR_MIN;
    if (binary) /* now and then the same thing twice, to be shared */
        node->b = test_below(r, 4) == 0 ? node->a : random_tree(r, depth - 1);
    return node;
}

static double tree_value(const tree *n, const double *v)
{
    const double a = n->a ? tree_value(n->a, v) : 0, b = n->b ? tree_value(n->b, v) : 0;
    const abut_expr_node node = { .value = n->value, .a = (uint32_t)n->value, .op = (uint16_t)n->op };
    return evaluate_node(&node, a, b, v);
}

/* level: how tightly the surroundings bind. 0 sum, 1 product, 2 operand of a product's right or
 * sum's right, 3 base of a power. */
static void print_tree(const tree *n, int level, char **out)
{
    static const char *const functions[] = { "sqrt", "exp",  "log",  "sin", "cos", "tan",
                                             "asin", "acos", "atan", "abs", "min", "max" };
    const int own = n->op == ABUT_EXPR_ADD || n->op == ABUT_EXPR_SUBTRACT      ? 0
                    : n->op == ABUT_EXPR_MULTIPLY || n->op == ABUT_EXPR_DIVIDE ? 1
                    : n->op == ABUT_EXPR_NEGATE || n->op == ABUT_EXPR_POWER    ? 2
                                                                               : 3;
    const bool parentheses = own < level;
    if (parentheses)
        *out += sprintf(*out, "(");
    if (n->op == ABUT_EXPR_NUMBER)
        *out += sprintf(*out, "%.17g", n->value);
    else if (n->op == ABUT_EXPR_PI)
        *out += sprintf(*out, "pi");
    else if (n->op == ABUT_EXPR_VARIABLE)
        *out += sprintf(*out, "%s", xyt[(int)n->value]);
    else if (n->op == ABUT_EXPR_NEGATE) {
        *out += sprintf(*out, "-");
        print_tree(n->a, 2, out);
    } else if (n->op == ABUT_EXPR_POWER) {
        print_tree(n->a, 3, out);
        *out += sprintf(*out, "^");
        print_tree(n->b, 2, out);
    } else if (own < 2) {
        print_tree(n->a, own, out);
        *out += sprintf(*out, " %c ", "+-*/"[n->op - ABUT_EXPR_ADD]);
        print_tree(n->b, own + 1, out);
    } else {
        *out += sprintf(*out, "%s(", functions[n->op - ABUT_EXPR_SQRT]);
        print_tree(n->a, 0, out);
        if (n->b) {
            *out += sprintf(*out, ",");
            print_tree(n->b, 0, out);
        }
        *out += sprintf(*out, ")");
    }
    if (parentheses)
        *out += sprintf(*out, ")");
}

static void random_trees_come_back(void **state)
{
    (void)state;
    static char text[1 << 18];
    for (uint64_t seed = 0; seed < test_count(100000); ++seed) {
        test_random r = test_seed(seed);
        pool_used = 0;
        const tree *root = random_tree(&r, 1 + (int)test_below(&r, 7));
        char *end = text;
        print_tree(root, 0, &end);
        const double v[3] = { test_log_uniform(&r, -5, 5), test_log_uniform(&r, -5, 5),
                              test_log_uniform(&r, -30, 30) };
        const double expected = tree_value(root, v), found = value_of(text, v[0], v[1], v[2]);
        TEST_CHECK(same_double(found, expected), "seed %" PRIu64 ": %s = %a, expected %a at %a %a %a", seed,
                   text, found, expected, v[0], v[1], v[2]);
    }
}

static void random_bytes_never_crash(void **state)
{
    (void)state;
    static const char alphabet[] = "((((()))),,+-*/^^..0123456789eExytpi sincoatqrblgmx\t\n\xc3\x01=";
    for (uint64_t seed = 0; seed < test_count(200000); ++seed) {
        test_random r = test_seed(seed);
        char text[64];
        const unsigned length = test_below(&r, sizeof text - 1);
        for (unsigned i = 0; i < length; ++i)
            text[i] = alphabet[test_below(&r, sizeof alphabet - 1)];
        text[length] = 0;
        char *copy = malloc(length + 1); /* exactly as long, for the address sanitizer */
        memcpy(copy, text, length + 1);
        abut_expr *expr;
        abut_error error;
        const abut_status status = parse_one(copy, NULL, 0, &expr, &error);
        TEST_CHECK((status == ABUT_OK) == (expr != NULL) && error.status == status, "seed %" PRIu64, seed);
        abut_expr_destroy(expr);
        free(copy);
    }
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    const abut_expr_source lets[] = { { "a", "sin(x)*cos(x)" }, { "b", "a+sqrt(abs(y))" } };
    static char text[4000];
    char *end = text;
    end += sprintf(end, "a*b");
    for (int i = 0; i < 100; ++i)
        end += sprintf(end, "+%d*x", i);
    const abut_expr_source texts[] = { { "f", text }, { "g", "a^b" } };
    abut_status status = ABUT_OK;
    TEST_EVERY_ALLOCATION_FAILS(
        alloc,
        {
            abut_expr *expr;
            abut_error error;
            status = abut_expr_parse(texts, 2, xyt, 3, lets, 2, &alloc, &expr, &error);
            assert_int_equal(error.status, status);
            abut_expr_destroy(expr);
        },
        status)
    assert_int_equal(status, ABUT_OK);
}

static void numbers_do_not_depend_on_the_locale(void **state)
{
    (void)state;
    static const char *const comma_locales[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE",
                                                 "fr_FR" };
    bool found = false;
    for (size_t i = 0; i < sizeof comma_locales / sizeof *comma_locales && !found; ++i)
        found = setlocale(LC_NUMERIC, comma_locales[i]) != NULL;
    if (!found)
        skip();
    const double value = value_of("1.5", 0, 0, 0);
    setlocale(LC_NUMERIC, "C");
    assert_true(value == 1.5);
}

static void guesses_are_close(void **state)
{
    (void)state;
    static const char *const known[] = { "radius", "height", "half", "type", "major", "minor" };
    const struct {
        const char *wanted, *best;
    } cases[] = { { "raduis", "radius" }, { "radi", NULL },    { "Radius", "radius" }, { "hieght", "height" },
                  { "typ", "type" },      { "halve", "half" }, { "mino", "minor" },    { "zzz", NULL },
                  { "h", NULL },          { "", NULL } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        abut_expr_guess guess = { .wanted = cases[i].wanted, .length = strlen(cases[i].wanted) };
        for (size_t k = 0; k < sizeof known / sizeof *known; ++k)
            abut_expr_guess_offer(&guess, known[k]);
        TEST_CHECK(cases[i].best ? guess.best && strcmp(guess.best, cases[i].best) == 0 : !guess.best,
                   "%s: %s", cases[i].wanted, guess.best ? guess.best : "nothing");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_of_c),
        cmocka_unit_test(wrong_texts_are_explained),
        cmocka_unit_test(lets_are_shared_and_ordered),
        cmocka_unit_test(hostile_texts_end_in_errors),
        cmocka_unit_test(too_many_values_at_once_are_refused),
        cmocka_unit_test(random_trees_come_back),
        cmocka_unit_test(random_bytes_never_crash),
        cmocka_unit_test(every_failing_allocation_is_survived),
        cmocka_unit_test(numbers_do_not_depend_on_the_locale),
        cmocka_unit_test(guesses_are_close),
    };
    return cmocka_run_group_tests_name("expr", tests, NULL, NULL);
}
