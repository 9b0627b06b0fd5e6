/* SPDX-License-Identifier: MIT */
/* Polynomials among the roots.
 *
 * Finding them: every node that is a polynomial with numbers as coefficients is kept as a list of
 * terms (exponents, enclosed coefficient), until it grows too long or its degree too high; sums,
 * products, whole powers and quotients by numbers lead from list to list.
 *
 * Bounding: in one variable of degree d, the monomial x^j has over [a, b] the Bernstein
 * coefficients
 *     B_i = sum over k of C(i, k) C(d - i, j - k) / C(d, j) b^k a^(j - k),   i = 0 .. d
 * (its polar form at d - i times a and i times b: L. Ramshaw, "Blossoming", 1987). That matrix
 * is applied along each variable of the tensor of coefficients in turn; the polynomial lies in
 * the hull of the results, which are its values at the corners and differ from its values
 * between by the square of the size of the box. */
#include "expr/tape_poly.h"

#include "base/memory.h"
#include "expr/tape_ops.h"
#include "math/binomial.h"

#include <string.h>

/* MAX_WORK: comparisons of exponents in all, so that long expressions cost no more than their
 * tapes; MAX_KEPT: terms in all. */
enum { DEGREE = ABUT_TAPE_MAX_DEGREE, MAX_MONOMIALS = 256, MAX_WORK = 1 << 22, MAX_KEPT = 1 << 17 };

typedef struct monomial {
    uint8_t e[ABUT_TAPE_MAX_VARIABLES];
    double minus_lo, hi;
} monomial;

/* A node: `count` terms at `terms`; NULL where it is no polynomial, or a long one. */
typedef struct poly {
    monomial *terms;
    size_t count;
} poly;

typedef struct finder {
    const abut_allocator *alloc;
    poly *nodes;
    monomial sum[MAX_MONOMIALS]; /* the one being made */
    size_t count, work, kept;
    bool fits;
} finder;

static ia coefficient(const monomial *m)
{
    return (ia){ { m->minus_lo, m->hi } };
}

/* Kernel, as all that computes below. */
static void add_term(finder *f, const monomial *m, ia c)
{
    size_t i = 0;
    while (i < f->count && memcmp(f->sum[i].e, m->e, sizeof m->e) != 0)
        ++i;
    f->work += i + 1;
    f->fits = f->fits && f->work < MAX_WORK;
    if (i == f->count) {
        for (int k = 0; k < ABUT_TAPE_MAX_VARIABLES; ++k)
            f->fits = f->fits && m->e[k] <= DEGREE;
        if (i == MAX_MONOMIALS || !f->fits) {
            f->fits = false;
            return;
        }
        f->sum[f->count++] = *m;
    } else {
        c = ia_add(c, coefficient(&f->sum[i]));
    }
    f->sum[i].minus_lo = c.v[0];
    f->sum[i].hi = c.v[1];
}

static void add_scaled(finder *f, const poly *p, ia s)
{
    for (size_t i = 0; i < p->count && f->fits; ++i)
        add_term(f, &p->terms[i], ia_mul(s, coefficient(&p->terms[i])));
}

static void add_product(finder *f, const monomial *a, size_t a_count, const poly *b)
{
    for (size_t i = 0; i < a_count && f->fits; ++i)
        for (size_t j = 0; j < b->count && f->fits; ++j) {
            monomial m = a[i];
            for (int k = 0; k < ABUT_TAPE_MAX_VARIABLES; ++k)
                m.e[k] = (uint8_t)(m.e[k] + b->terms[j].e[k]); /* both at most DEGREE */
            add_term(f, &m, ia_mul(coefficient(&a[i]), coefficient(&b->terms[j])));
        }
}

static void add_number(finder *f, ia c)
{
    const monomial one = { .hi = 0 };
    add_term(f, &one, c);
}

static bool is_number(const poly *p, ia *c)
{
    static const uint8_t none[ABUT_TAPE_MAX_VARIABLES] = { 0 };
    if (!p->terms || p->count != 1 || memcmp(p->terms[0].e, none, sizeof none) != 0)
        return false;
    *c = coefficient(&p->terms[0]);
    return true;
}

static void add_power(finder *f, const poly *a, int n)
{
    monomial before[MAX_MONOMIALS];
    add_number(f, ia_point(1));
    for (int i = 0; i < n && f->fits; ++i) {
        const size_t count = f->count;
        memcpy(before, f->sum, count * sizeof *before);
        f->count = 0;
        add_product(f, before, count, a);
    }
}

static ABUT_NOINLINE void find_kernel(finder *f, const abut_expr_node *node)
{
    const int operands = abut_expr_operand_count((abut_expr_op)node->op);
    const poly *a = &f->nodes[operands > 0 ? node->a : 0], *b = &f->nodes[operands > 1 ? node->b : 0];
    ia number = ia_point(0);
    f->count = 0;
    f->fits = f->work < MAX_WORK && (operands < 1 || a->terms) && (operands < 2 || b->terms);
    if (!f->fits)
        return;
    switch ((abut_expr_op)node->op) {
    case ABUT_EXPR_NUMBER: add_number(f, ia_point(node->value)); break;
    case ABUT_EXPR_PI: add_number(f, ia_pi()); break;
    case ABUT_EXPR_VARIABLE: {
        monomial x = { .hi = 0 };
        x.e[node->a] = 1;
        add_term(f, &x, ia_point(1));
        break;
    }
    case ABUT_EXPR_ADD:
    case ABUT_EXPR_SUBTRACT:
        add_scaled(f, a, ia_point(1));
        add_scaled(f, b, ia_point(node->op == ABUT_EXPR_ADD ? 1 : -1));
        break;
    case ABUT_EXPR_NEGATE: add_scaled(f, a, ia_point(-1)); break;
    case ABUT_EXPR_MULTIPLY: add_product(f, a->terms, a->count, b); break;
    case ABUT_EXPR_DIVIDE:
        f->fits = is_number(b, &number) && !ia_contains_zero(number);
        for (size_t i = 0; i < a->count && f->fits; ++i)
            add_term(f, &a->terms[i], ia_div(coefficient(&a->terms[i]), number));
        break;
    case ABUT_EXPR_POWER:
        f->fits = is_number(b, &number) && ia_is_point(number) && ia_lo(number) >= 0 &&
                  ia_lo(number) <= DEGREE && ia_lo(number) == (int)ia_lo(number);
        if (f->fits)
            add_power(f, a, (int)ia_lo(number));
        break;
    default: f->fits = false; break;
    }
}

static abut_status keep_node(finder *f, poly *out)
{
    *out = (poly){ NULL, 0 };
    f->kept += f->count;
    if (!f->fits || f->kept > MAX_KEPT)
        return ABUT_OK;
    out->terms = abut_base_alloc(f->alloc, f->count, sizeof *out->terms);
    if (!out->terms)
        return ABUT_ERR_MEMORY;
    out->count = f->count;
    memcpy(out->terms, f->sum, f->count * sizeof *out->terms);
    return ABUT_OK;
}

/* From a list of terms to a dense tensor. Numbers and straight lines are as tight without. */
static abut_status keep_root(const poly *p, size_t variables, const abut_allocator *alloc,
                             abut_tape_poly *out)
{
    size_t count = 1, highest = 0;
    *out = (abut_tape_poly){ .variables = (uint32_t)variables };
    for (size_t i = 0; p->terms && i < p->count; ++i) {
        size_t total = 0;
        for (size_t k = 0; k < variables; ++k) {
            total += p->terms[i].e[k];
            if (p->terms[i].e[k] > out->degree[k])
                out->degree[k] = p->terms[i].e[k];
        }
        highest = total > highest ? total : highest;
        if (!(p->terms[i].minus_lo < HUGE_VAL && p->terms[i].hi < HUGE_VAL))
            return ABUT_OK;
    }
    for (size_t k = 0; k < variables; ++k)
        count *= out->degree[k] + 1;
    if (highest < 2 || count > ABUT_TAPE_MAX_COEFFICIENTS)
        return ABUT_OK;
    out->coefficients = abut_base_alloc_zero(alloc, count, sizeof *out->coefficients);
    if (!out->coefficients)
        return ABUT_ERR_MEMORY;
    out->count = (uint32_t)count;
    for (size_t i = 0; i < p->count; ++i) {
        size_t at = 0;
        for (size_t k = 0; k < variables; ++k)
            at = at * (out->degree[k] + 1) + p->terms[i].e[k];
        out->coefficients[at].minus_lo = p->terms[i].minus_lo;
        out->coefficients[at].hi = p->terms[i].hi;
    }
    return ABUT_OK;
}

static abut_status find_all(finder *f, const abut_expr *expr, abut_tape_poly *out)
{
    abut_status status = ABUT_OK;
    for (size_t i = 0; i < expr->node_count && status == ABUT_OK; ++i) {
        const abut_rounding saved = abut_rounding_enter();
        find_kernel(f, &expr->nodes[i]);
        abut_rounding_leave(saved);
        status = keep_node(f, &f->nodes[i]);
    }
    for (size_t r = 0; r < expr->root_count && status == ABUT_OK; ++r)
        status = keep_root(&f->nodes[expr->roots[r]], expr->variable_count, f->alloc, &out[r]);
    return status;
}

abut_status abut_tape_find_polys(const abut_expr *expr, const abut_allocator *alloc, abut_tape_poly **out)
{
    finder *f = abut_base_alloc_zero(alloc, 1, sizeof *f);
    poly *nodes = abut_base_alloc_zero(alloc, expr->node_count, sizeof *nodes);
    abut_tape_poly *polys = abut_base_alloc_zero(alloc, expr->root_count, sizeof *polys);
    abut_status status = ABUT_ERR_MEMORY;
    if (f && nodes && polys) {
        f->alloc = alloc;
        f->nodes = nodes;
        status = find_all(f, expr, polys);
    }
    for (size_t i = 0; nodes && i < expr->node_count; ++i)
        abut_base_free(alloc, nodes[i].terms, nodes[i].count, sizeof *nodes[i].terms);
    abut_base_free(alloc, nodes, expr->node_count, sizeof *nodes);
    abut_base_free(alloc, f, 1, sizeof *f);
    if (status != ABUT_OK) {
        abut_tape_free_polys(polys, expr->root_count, alloc);
        polys = NULL;
    }
    *out = polys;
    return status;
}

void abut_tape_free_polys(abut_tape_poly *polys, size_t count, const abut_allocator *alloc)
{
    for (size_t i = 0; polys && i < count; ++i)
        abut_base_free(alloc, polys[i].coefficients, polys[i].count, sizeof *polys[i].coefficients);
    abut_base_free(alloc, polys, count, sizeof *polys);
}

/* ---- bounding ---- */

/* B_i of x^j over [a, b], at m[j][i], j > 0; those of 1 are all 1. */
static void make_matrix(uint32_t d, ia x, ia m[DEGREE + 1][DEGREE + 1])
{
    ia a[DEGREE + 1], b[DEGREE + 1];
    a[0] = b[0] = ia_point(1);
    a[1] = ia_point(ia_lo(x));
    b[1] = ia_point(ia_hi(x));
    for (uint32_t k = 2; k <= d; ++k) {
        a[k] = abut_op_whole_power(a[1], (int)k);
        b[k] = abut_op_whole_power(b[1], (int)k);
    }
    for (uint32_t j = 1; j <= d; ++j)
        for (uint32_t i = 0; i <= d; ++i) {
            ia sum = ia_point(0);
            for (uint32_t k = i + j > d ? i + j - d : 0; k <= i && k <= j; ++k)
                sum = ia_add(
                    sum, ia_scale(abut_binomial[i][k] * abut_binomial[d - i][j - k], ia_mul(b[k], a[j - k])));
            m[j][i] = j < d ? ia_div(sum, ia_point(abut_binomial[d][j])) : sum;
        }
}

static bool is_zero(ia c)
{
    return c.v[0] == 0 && c.v[1] == 0;
}

/* From powers to Bernstein, for n numbers `step` apart. */
static void transform(uint32_t n, uint32_t step, ia m[DEGREE + 1][DEGREE + 1], ia *c)
{
    ia line[DEGREE + 1];
    uint32_t highest = 0;
    for (uint32_t j = 0; j < n; ++j)
        if (!is_zero(c[j * step]))
            highest = j;
    for (uint32_t i = 0; i < n; ++i)
        line[i] = c[0];
    for (uint32_t j = 1; j <= highest; ++j)
        if (!is_zero(c[j * step]))
            for (uint32_t i = 0; i < n; ++i)
                line[i] = ia_add(line[i], ia_mul(m[j][i], c[j * step]));
    for (uint32_t i = 0; i < n; ++i)
        c[i * step] = line[i];
}

ia abut_tape_poly_range(const abut_tape_poly *p, const ia *box, ia *work)
{
    ia m[DEGREE + 1][DEGREE + 1];
    for (uint32_t i = 0; i < p->count; ++i)
        work[i] = (ia){ { p->coefficients[i].minus_lo, p->coefficients[i].hi } };
    uint32_t inner = 1; /* distance of neighbours along the variable; the last one is fastest */
    for (uint32_t v = p->variables; v-- > 0;) {
        const uint32_t n = p->degree[v] + 1;
        if (n == 1)
            continue;
        make_matrix(n - 1, box[v], m);
        for (uint32_t outer = 0; outer < p->count; outer += n * inner)
            for (uint32_t at = outer; at < outer + inner; ++at)
                transform(n, inner, m, work + at);
        inner *= n;
    }
    ia range = work[0];
    for (uint32_t i = 1; i < p->count; ++i)
        range = ia_hull(range, work[i]);
    return range;
}
