/* SPDX-License-Identifier: MIT */
/* Recursive descent from text to graph; the grammar is in expr.h.
 *
 * Surprise: strtod must not be asked in the caller's locale, where 1.5 may end at the point, so
 * numbers are scanned here and converted by strtod_l in the C locale, which rounds correctly.
 * glibc's newlocale gives that locale without allocating. */
#define _GNU_SOURCE /* newlocale, strtod_l */
#include "base/error.h"
#include "base/memory.h"
#include "expr/expr.h"
#include "expr/graph.h"
#include "expr/names.h"
#include "math/nearest.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The names in force, the same for all texts but for how many lets are defined yet. */
typedef struct scope {
    const char *const *variables;
    size_t variable_count;
    const abut_expr_source *lets;
    size_t let_count, let_defined;
    uint32_t *let_nodes;
} scope;

typedef struct parser {
    abut_expr_graph *graph;
    const scope *names;
    locale_t c_locale;
    const char *text;
    size_t at; /* offset of the next character */
    int depth;
    abut_status status; /* the first failure; then all functions return at once */
    abut_error *error;
} parser;

static const struct {
    const char *name;
    abut_expr_op op;
    int arguments;
} functions[] = {
#define FUNCTION(op, name, arguments) { name, ABUT_EXPR_##op, arguments },
    ABUT_EXPR_FUNCTION_LIST(FUNCTION)
#undef FUNCTION
};
enum { FUNCTION_COUNT = sizeof functions / sizeof *functions };

/* ---- errors ---- */

/* Copies text[from, to) to out, whatever is no printable ASCII as a question mark. */
static size_t copy_printable(char *out, const char *text, size_t from, size_t to)
{
    for (size_t i = from; i < to; ++i)
        *out++ = text[i] >= 32 && text[i] < 127 ? text[i] : '?';
    return to - from;
}

/* The message, the column, and the text around it: `unknown name "sinn" at column 3:
 * 2*[sinn](u)`. */
static void fail_at(parser *p, abut_status status, size_t from, size_t to, const char *message)
{
    enum { AROUND = 24, MARKED = 24 };
    if (p->status != ABUT_OK)
        return;
    p->status = status;
    const size_t length = strlen(p->text);
    const size_t start = from > AROUND ? from - AROUND : 0;
    const size_t marked = to - from > MARKED ? from + MARKED : to;
    const size_t end = length - marked > AROUND ? marked + AROUND : length;
    char excerpt[2 * AROUND + MARKED + 16];
    size_t n = 0;
    if (start > 0)
        n += copy_printable(excerpt + n, "...", 0, 3);
    n += copy_printable(excerpt + n, p->text, start, from);
    excerpt[n++] = '[';
    n += copy_printable(excerpt + n, p->text, from, marked);
    excerpt[n++] = ']';
    n += copy_printable(excerpt + n, p->text, marked, end);
    if (end < length)
        n += copy_printable(excerpt + n, "...", 0, 3);
    excerpt[n] = 0;
    abut_base_fail(p->error, status, (int64_t)from, "%s at column %zu: %s", message, from + 1, excerpt);
}

#define FAIL_AT(p, status, from, to, ...)                         \
    do {                                                          \
        char fail_message[200];                                   \
        snprintf(fail_message, sizeof fail_message, __VA_ARGS__); \
        fail_at((p), (status), (from), (to), fail_message);       \
    } while (0)

/* ---- characters ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name_part(char c)
{
    return is_name_start(c) || is_digit(c);
}

/* The next character that is no space; 0 at the end. */
static char peek(parser *p)
{
    while (p->text[p->at] == ' ' || p->text[p->at] == '\t' || p->text[p->at] == '\n' ||
           p->text[p->at] == '\r')
        ++p->at;
    return p->text[p->at];
}

/* The end of the token that starts at `from`, to be marked in messages. */
static size_t token_end(const char *text, size_t from)
{
    size_t end = from;
    while (is_name_part(text[end]) || text[end] == '.')
        ++end;
    if (end > from || !text[end])
        return end;
    ++end;
    while ((text[end] & 0xc0) == 0x80) /* the rest of a UTF-8 character */
        ++end;
    return end;
}

/* ---- the grammar ---- */

static uint32_t sum(parser *p);

static uint32_t add_node(parser *p, abut_expr_op op, uint32_t a, uint32_t b, double value)
{
    uint32_t node = 0;
    if (p->status != ABUT_OK)
        return 0;
    const abut_status status = abut_expr_graph_add(p->graph, op, a, b, value, &node);
    if (status == ABUT_ERR_LIMIT)
        FAIL_AT(p, status, p->at, p->at, "the expressions have more than %d operations", ABUT_EXPR_MAX_NODES);
    else if (status != ABUT_OK)
        p->status = abut_base_fail_memory(p->error);
    return node;
}

/* strtod_l rounds as the caller of the library does; a number means the nearest double. */
static double nearest_value(const char *text, locale_t c_locale)
{
    char *stopped = NULL;
    const abut_nearest_library saved = abut_nearest_enter_library();
    const double value = strtod_l(text, &stopped, c_locale);
    abut_nearest_leave_library(saved);
    return value;
}

static uint32_t number(parser *p)
{
    const char *text = p->text;
    const size_t from = p->at;
    size_t end = from, digits = 0;
    while (is_digit(text[end]))
        ++end, ++digits;
    if (text[end] == '.') {
        ++end;
        while (is_digit(text[end]))
            ++end, ++digits;
    }
    bool complete = digits > 0;
    if (complete && (text[end] == 'e' || text[end] == 'E')) {
        ++end;
        if (text[end] == '+' || text[end] == '-')
            ++end;
        complete = is_digit(text[end]);
        while (is_digit(text[end]))
            ++end;
    }
    if (!complete || is_name_part(text[end]) || text[end] == '.') {
        FAIL_AT(p, ABUT_ERR_SYNTAX, from, end + (text[end] == '.' || is_name_part(text[end])),
                "this is no number (decimal, as 12, 0.5 or 1e-3; a product needs its *)");
        return 0;
    }
    const double value = nearest_value(text + from, p->c_locale);
    if (!isfinite(value)) {
        FAIL_AT(p, ABUT_ERR_VALUE, from, end, "the number is too large for a double");
        return 0;
    }
    p->at = end;
    return add_node(p, ABUT_EXPR_NUMBER, 0, 0, value);
}

static bool same(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && memcmp(name, text, length) == 0;
}

static void unknown_name(parser *p, size_t from, size_t length)
{
    abut_expr_guess guess = { .wanted = p->text + from, .length = length };
    for (size_t i = 0; i < p->names->variable_count; ++i)
        abut_expr_guess_offer(&guess, p->names->variables[i]);
    for (size_t i = 0; i < p->names->let_defined; ++i)
        abut_expr_guess_offer(&guess, p->names->lets[i].name);
    for (size_t i = 0; i < FUNCTION_COUNT; ++i)
        abut_expr_guess_offer(&guess, functions[i].name);
    abut_expr_guess_offer(&guess, "pi");
    const int shown = length > 40 ? 40 : (int)length;
    if (guess.best)
        FAIL_AT(p, ABUT_ERR_SYNTAX, from, from + length, "unknown name \"%.*s\", did you mean \"%.40s\"?",
                shown, p->text + from, guess.best);
    else
        FAIL_AT(p, ABUT_ERR_SYNTAX, from, from + length, "unknown name \"%.*s\"", shown, p->text + from);
}

/* After its name: "(" sum { "," sum } ")". */
static uint32_t call(parser *p, size_t function, size_t from, size_t end)
{
    const int wanted = functions[function].arguments;
    if (peek(p) != '(') {
        FAIL_AT(p, ABUT_ERR_SYNTAX, from, end, "the function %s needs its argument in parentheses",
                functions[function].name);
        return 0;
    }
    ++p->at;
    uint32_t arguments[2] = { 0, 0 };
    int given = 0;
    if (peek(p) != ')') {
        do {
            const uint32_t argument = sum(p);
            if (given < 2)
                arguments[given] = argument;
            ++given;
        } while (p->status == ABUT_OK && peek(p) == ',' && ++p->at);
    }
    if (p->status != ABUT_OK)
        return 0;
    if (peek(p) != ')')
        FAIL_AT(p, ABUT_ERR_SYNTAX, p->at, token_end(p->text, p->at), "missing \")\" of %s( from column %zu",
                functions[function].name, from + 1);
    else if (given != wanted)
        FAIL_AT(p, ABUT_ERR_SYNTAX, from, p->at + 1, "%s takes %d argument%s, here are %d",
                functions[function].name, wanted, wanted == 1 ? "" : "s", given);
    p->at += p->status == ABUT_OK;
    return add_node(p, functions[function].op, arguments[0], arguments[1], 0);
}

static uint32_t name(parser *p)
{
    const scope *names = p->names;
    const size_t from = p->at;
    while (is_name_part(p->text[p->at]))
        ++p->at;
    const char *word = p->text + from;
    const size_t length = p->at - from;
    for (size_t i = 0; i < FUNCTION_COUNT; ++i)
        if (same(functions[i].name, word, length))
            return call(p, i, from, from + length);

    const size_t end = p->at;
    if (peek(p) == '(') {
        abut_expr_guess guess = { .wanted = word, .length = length };
        for (size_t i = 0; i < FUNCTION_COUNT; ++i)
            abut_expr_guess_offer(&guess, functions[i].name);
        const int shown = length > 40 ? 40 : (int)length;
        if (guess.best)
            FAIL_AT(p, ABUT_ERR_SYNTAX, from, end, "\"%.*s\" is not a function, did you mean \"%s\"?", shown,
                    word, guess.best);
        else
            FAIL_AT(p, ABUT_ERR_SYNTAX, from, end, "\"%.*s\" is not a function (a product needs its *)",
                    shown, word);
        return 0;
    }
    if (same("pi", word, length))
        return add_node(p, ABUT_EXPR_PI, 0, 0, 0);
    for (size_t i = 0; i < names->variable_count; ++i)
        if (same(names->variables[i], word, length))
            return add_node(p, ABUT_EXPR_VARIABLE, (uint32_t)i, 0, 0);
    for (size_t i = 0; i < names->let_count; ++i) {
        if (!same(names->lets[i].name, word, length))
            continue;
        if (i < names->let_defined)
            return names->let_nodes[i];
        FAIL_AT(p, ABUT_ERR_SYNTAX, from, end,
                i == names->let_defined ? "\"%.40s\" is defined by itself"
                                        : "\"%.40s\" is defined later; a let may use those before it",
                names->lets[i].name);
        return 0;
    }
    unknown_name(p, from, length);
    return 0;
}

static uint32_t primary(parser *p)
{
    const char c = peek(p);
    if (is_digit(c) || c == '.')
        return number(p);
    if (is_name_start(c))
        return name(p);
    if (c == '(') {
        const size_t opened = p->at++;
        const uint32_t inner = sum(p);
        if (p->status == ABUT_OK && peek(p) != ')')
            FAIL_AT(p, ABUT_ERR_SYNTAX, p->at, token_end(p->text, p->at),
                    "missing \")\" for the \"(\" at column %zu", opened + 1);
        p->at += p->status == ABUT_OK;
        return inner;
    }
    FAIL_AT(p, ABUT_ERR_SYNTAX, p->at, token_end(p->text, p->at),
            c == 0     ? "the expression ends where a number, a name or \"(\" is needed"
            : c == '+' ? "there is no sign +; a number, a name or \"(\" is needed"
                       : "a number, a name or \"(\" is needed");
    return 0;
}

/* "-" unary | power, power = primary [ "^" unary ]. Every recursion passes here, so this is
 * where depth is counted. */
static uint32_t unary(parser *p)
{
    if (p->status != ABUT_OK)
        return 0;
    const char c = peek(p);
    if (++p->depth > ABUT_EXPR_MAX_DEPTH) {
        FAIL_AT(p, ABUT_ERR_LIMIT, p->at, token_end(p->text, p->at),
                "the expression is nested deeper than %d", ABUT_EXPR_MAX_DEPTH);
        return 0;
    }
    uint32_t node;
    if (c == '-') {
        ++p->at;
        node = unary(p);
        if (p->status == ABUT_OK && p->graph->nodes[node].op == ABUT_EXPR_NUMBER)
            node = add_node(p, ABUT_EXPR_NUMBER, 0, 0, -p->graph->nodes[node].value);
        else
            node = add_node(p, ABUT_EXPR_NEGATE, node, 0, 0);
    } else {
        node = primary(p);
        if (p->status == ABUT_OK && peek(p) == '^') {
            ++p->at;
            const uint32_t exponent = unary(p);
            node = add_node(p, ABUT_EXPR_POWER, node, exponent, 0);
        }
    }
    --p->depth;
    return node;
}

static uint32_t product(parser *p)
{
    uint32_t left = unary(p);
    while (p->status == ABUT_OK) {
        const char c = peek(p);
        if (c != '*' && c != '/')
            break;
        ++p->at;
        const uint32_t right = unary(p);
        left = add_node(p, c == '*' ? ABUT_EXPR_MULTIPLY : ABUT_EXPR_DIVIDE, left, right, 0);
    }
    return left;
}

static uint32_t sum(parser *p)
{
    uint32_t left = product(p);
    while (p->status == ABUT_OK) {
        const char c = peek(p);
        if (c != '+' && c != '-')
            break;
        ++p->at;
        const uint32_t right = product(p);
        left = add_node(p, c == '+' ? ABUT_EXPR_ADD : ABUT_EXPR_SUBTRACT, left, right, 0);
    }
    return left;
}

static uint32_t whole_text(parser *p)
{
    if (strlen(p->text) > ABUT_EXPR_MAX_TEXT) {
        p->status = abut_base_fail(p->error, ABUT_ERR_LIMIT, -1, "the expression is longer than %d bytes",
                                   ABUT_EXPR_MAX_TEXT);
        return 0;
    }
    if (!peek(p)) {
        p->status = abut_base_fail(p->error, ABUT_ERR_SYNTAX, 0, "the expression is empty");
        return 0;
    }
    const uint32_t root = sum(p);
    const char c = peek(p);
    if (p->status == ABUT_OK && c)
        FAIL_AT(p, ABUT_ERR_SYNTAX, p->at, token_end(p->text, p->at),
                c == ')'   ? "there is no \"(\" for this \")\""
                : c == ',' ? "a comma is allowed between the arguments of min and max only"
                : c == '*' || is_name_part(c) || c == '(' ? "an operator (+ - * / ^) is needed before this"
                                                          : "this character is not allowed in an expression");
    return root;
}

/* ---- names ---- */

/* NULL, or what is wrong with the name of let number i. */
static const char *bad_let_name(const scope *names, size_t i)
{
    const char *word = names->lets[i].name;
    if (!is_name_start(word[0]))
        return "starts with no letter";
    for (const char *c = word; *c; ++c)
        if (!is_name_part(*c))
            return "has characters other than letters, digits and _";
    if (strcmp(word, "pi") == 0)
        return "is the constant pi";
    for (size_t k = 0; k < FUNCTION_COUNT; ++k)
        if (strcmp(word, functions[k].name) == 0)
            return "is a function";
    for (size_t k = 0; k < names->variable_count; ++k)
        if (strcmp(word, names->variables[k]) == 0)
            return "is a variable here";
    for (size_t k = 0; k < i; ++k)
        if (strcmp(word, names->lets[k].name) == 0)
            return "is defined twice";
    return NULL;
}

static void set_path(abut_error *error, const char *before, const char *word)
{
    if (error)
        snprintf(error->path, sizeof error->path, "%s%s", before, word);
}

static abut_status parse_text(abut_expr_graph *graph, const scope *names, locale_t c_locale, const char *text,
                              uint32_t *out, abut_error *error)
{
    parser p = { .graph = graph, .names = names, .c_locale = c_locale, .text = text, .error = error };
    *out = whole_text(&p);
    return p.status;
}

static abut_status parse_all(abut_expr_graph *graph, scope *names, locale_t c_locale,
                             const abut_expr_source *texts, size_t text_count, uint32_t *roots,
                             abut_error *error)
{
    for (size_t i = 0; i < names->let_count; ++i) {
        const char *wrong = bad_let_name(names, i);
        const abut_status status =
            wrong ? abut_base_fail(error, ABUT_ERR_SYNTAX, -1, "the let name \"%.60s\" %s",
                                   names->lets[i].name, wrong)
                  : parse_text(graph, names, c_locale, names->lets[i].text, &names->let_nodes[i], error);
        if (status != ABUT_OK) {
            set_path(error, "let.", names->lets[i].name);
            return status;
        }
        ++names->let_defined;
    }
    for (size_t i = 0; i < text_count; ++i) {
        const abut_status status = parse_text(graph, names, c_locale, texts[i].text, &roots[i], error);
        if (status != ABUT_OK) {
            set_path(error, "", texts[i].name);
            return status;
        }
    }
    return ABUT_OK;
}

abut_status abut_expr_parse(const abut_expr_source *texts, size_t text_count, const char *const *variables,
                            size_t variable_count, const abut_expr_source *lets, size_t let_count,
                            const abut_allocator *alloc, abut_expr **out, abut_error *error)
{
    *out = NULL;
    abut_base_clear(error);
    if (let_count > ABUT_EXPR_MAX_LETS)
        return abut_base_fail(error, ABUT_ERR_LIMIT, -1, "there are more than %d lets", ABUT_EXPR_MAX_LETS);
    const abut_allocator memory = abut_base_allocator(alloc);
    const locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    abut_expr_graph graph;
    abut_expr_graph_open(&graph, &memory);
    uint32_t *roots = abut_base_alloc(&memory, text_count, sizeof *roots);
    uint32_t *let_nodes = abut_base_alloc(&memory, let_count, sizeof *let_nodes);
    abut_status status = ABUT_ERR_MEMORY;
    if (roots && let_nodes && c_locale) {
        scope names = { variables, variable_count, lets, let_count, 0, let_nodes };
        status = parse_all(&graph, &names, c_locale, texts, text_count, roots, error);
        if (status == ABUT_OK) {
            status = abut_expr_graph_finish(&graph, roots, text_count, variable_count, out);
            if (status == ABUT_ERR_LIMIT)
                abut_base_fail(error, status, -1, "the expressions need more than %d values at the same time",
                               ABUT_EXPR_MAX_LIVE);
        }
    }
    if (status == ABUT_ERR_MEMORY)
        abut_base_fail_memory(error);
    abut_base_free(&memory, roots, text_count, sizeof *roots);
    abut_base_free(&memory, let_nodes, let_count, sizeof *let_nodes);
    abut_expr_graph_close(&graph);
    if (c_locale)
        freelocale(c_locale);
    return status;
}
