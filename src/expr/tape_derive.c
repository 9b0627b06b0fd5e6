/* SPDX-License-Identifier: MIT */
/* From an expression to terms for its values and derivatives, node by node: the chain and product
 * rules for a jet (value, gradient, half of the symmetric second derivative) whose entries are
 * terms. A zero entry is the term zero, and whatever is multiplied by it never comes into being.
 *
 * Forms are chosen to count a variable as few times as can be: derivatives of c/b, powers, roots
 * from b alone, not from the value. */
#include "expr/tape_program.h"

enum { MAX_PAIRS = ABUT_TAPE_MAX_VARIABLES * (ABUT_TAPE_MAX_VARIABLES + 1) / 2 };

typedef struct jet {
    uint32_t v, g[ABUT_TAPE_MAX_VARIABLES], h[MAX_PAIRS];
    uint32_t base; /* the node of which this is a whole power, itself where it is none */
    int exponent;
} jet;

typedef struct deriver {
    abut_tape_terms *t;
    uint32_t variables, pairs;
    jet *jets; /* of the nodes of the expression */
    int first[MAX_PAIRS], second[MAX_PAIRS];
} deriver;

static uint32_t mul(const deriver *d, uint32_t a, uint32_t b)
{
    return abut_term_multiply(d->t, a, b);
}

static uint32_t add(const deriver *d, uint32_t a, uint32_t b)
{
    return abut_term_add(d->t, a, b);
}

static uint32_t sub(const deriver *d, uint32_t a, uint32_t b)
{
    return abut_term_subtract(d->t, a, b);
}

static uint32_t divide(const deriver *d, uint32_t a, uint32_t b)
{
    return a == ABUT_TERM_ZERO ? a : abut_term_divide(d->t, a, b);
}

static uint32_t negate(const deriver *d, uint32_t a)
{
    return abut_term_negate(d->t, a);
}

static uint32_t scale(const deriver *d, double s, uint32_t a)
{
    return abut_term_scale(d->t, s, a);
}

static uint32_t whole_power(const deriver *d, uint32_t a, int n)
{
    return abut_term_whole_power(d->t, a, n);
}

static uint32_t apply(const deriver *d, abut_term_op op, uint32_t a)
{
    return abut_term_apply(d->t, op, a, 0, 0);
}

static bool is_flat(const deriver *d, const jet *j)
{
    for (uint32_t i = 0; i < d->variables; ++i)
        if (j->g[i] != ABUT_TERM_ZERO)
            return false;
    return true;
}

/* f(a) with f' = d1, f'' = d2 at a. */
static void chain(const deriver *d, const jet *a, uint32_t d1, uint32_t d2, jet *out)
{
    for (uint32_t i = 0; i < d->variables; ++i)
        out->g[i] = mul(d, d1, a->g[i]);
    for (uint32_t k = 0; k < d->pairs; ++k)
        out->h[k] = add(d, mul(d, d2, mul(d, a->g[d->first[k]], a->g[d->second[k]])), mul(d, d1, a->h[k]));
}

/* f(a, b), with all its derivatives. */
static void chain_two(const deriver *d, const jet *a, const jet *b, const uint32_t d1[2],
                      const uint32_t d2[3], jet *out)
{
    for (uint32_t i = 0; i < d->variables; ++i)
        out->g[i] = add(d, mul(d, d1[0], a->g[i]), mul(d, d1[1], b->g[i]));
    for (uint32_t k = 0; k < d->pairs; ++k) {
        const int i = d->first[k], j = d->second[k];
        const uint32_t cross = add(d, mul(d, a->g[i], b->g[j]), mul(d, a->g[j], b->g[i]));
        uint32_t h = add(d, mul(d, d1[0], a->h[k]), mul(d, d1[1], b->h[k]));
        h = add(d, h, mul(d, d2[0], mul(d, a->g[i], a->g[j])));
        h = add(d, h, mul(d, d2[1], cross));
        out->h[k] = add(d, h, mul(d, d2[2], mul(d, b->g[i], b->g[j])));
    }
}

static void derive_sum(const deriver *d, const jet *a, const jet *b, bool minus, jet *out)
{
    for (uint32_t i = 0; i < d->variables; ++i)
        out->g[i] = minus ? sub(d, a->g[i], b->g[i]) : add(d, a->g[i], b->g[i]);
    for (uint32_t k = 0; k < d->pairs; ++k)
        out->h[k] = minus ? sub(d, a->h[k], b->h[k]) : add(d, a->h[k], b->h[k]);
}

static void derive_whole_power(const deriver *d, const jet *base, int n, jet *out)
{
    if (n == 0)
        return;
    const uint32_t d1 = scale(d, n, whole_power(d, base->v, n - 1));
    /* From n = 2^27 on the product need not be a double; it is folded as an enclosure. */
    const uint32_t factor = scale(d, n, abut_term_number(d->t, (double)n - 1));
    const uint32_t d2 = n == 1 ? ABUT_TERM_ZERO : mul(d, factor, whole_power(d, base->v, n - 2));
    chain(d, base, d1, d2, out);
}

static void derive_product(const deriver *d, const jet *a, const jet *b, jet *out)
{
    for (uint32_t i = 0; i < d->variables; ++i)
        out->g[i] = add(d, mul(d, a->v, b->g[i]), mul(d, a->g[i], b->v));
    for (uint32_t k = 0; k < d->pairs; ++k) {
        const int i = d->first[k], j = d->second[k];
        const uint32_t cross = i == j ? scale(d, 2, mul(d, a->g[i], b->g[i]))
                                      : add(d, mul(d, a->g[i], b->g[j]), mul(d, a->g[j], b->g[i]));
        out->h[k] = add(d, add(d, mul(d, a->v, b->h[k]), mul(d, a->h[k], b->v)), cross);
    }
}

/* q = a / b: b q = a, differentiated once and twice. */
static void derive_quotient(const deriver *d, const jet *a, const jet *b, jet *out)
{
    if (is_flat(d, a)) {
        chain(d, b, negate(d, divide(d, a->v, whole_power(d, b->v, 2))),
              divide(d, scale(d, 2, a->v), whole_power(d, b->v, 3)), out);
        return;
    }
    for (uint32_t i = 0; i < d->variables; ++i)
        out->g[i] = divide(d, sub(d, a->g[i], mul(d, out->v, b->g[i])), b->v);
    for (uint32_t k = 0; k < d->pairs; ++k) {
        const int i = d->first[k], j = d->second[k];
        const uint32_t cross = i == j ? scale(d, 2, mul(d, out->g[i], b->g[i]))
                                      : add(d, mul(d, out->g[i], b->g[j]), mul(d, out->g[j], b->g[i]));
        out->h[k] = divide(d, sub(d, sub(d, a->h[k], cross), mul(d, out->v, b->h[k])), b->v);
    }
}

static void derive_function(const deriver *d, abut_expr_op op, const jet *a, jet *out)
{
    const uint32_t x = a->v, f = out->v, one = ABUT_TERM_ONE;
    uint32_t d1 = one, d2 = ABUT_TERM_ZERO;
    switch (op) {
    case ABUT_EXPR_NEGATE: d1 = negate(d, one); break;
    case ABUT_EXPR_SQRT:
        d1 = divide(d, abut_term_number(d->t, 0.5), f);
        d2 = scale(d, -2, whole_power(d, d1, 3));
        break;
    case ABUT_EXPR_EXP: d1 = d2 = f; break;
    case ABUT_EXPR_LOG:
        d1 = divide(d, one, x);
        d2 = negate(d, whole_power(d, d1, 2));
        break;
    case ABUT_EXPR_SIN:
        d1 = apply(d, ABUT_TERM_COS, x);
        d2 = negate(d, f);
        break;
    case ABUT_EXPR_COS:
        d1 = negate(d, apply(d, ABUT_TERM_SIN, x));
        d2 = negate(d, f);
        break;
    case ABUT_EXPR_TAN:
        d1 = add(d, one, whole_power(d, f, 2));
        d2 = scale(d, 2, mul(d, f, d1));
        break;
    case ABUT_EXPR_ASIN:
    case ABUT_EXPR_ACOS:
        d1 = divide(d, one, apply(d, ABUT_TERM_CIRCLE, x));
        d2 = mul(d, x, whole_power(d, d1, 3));
        if (op == ABUT_EXPR_ACOS) {
            d1 = negate(d, d1);
            d2 = negate(d, d2);
        }
        break;
    case ABUT_EXPR_ATAN:
        d1 = divide(d, one, add(d, one, whole_power(d, x, 2)));
        d2 = scale(d, -2, mul(d, x, whole_power(d, d1, 2)));
        break;
    case ABUT_EXPR_ABS:
        d1 = apply(d, ABUT_TERM_SIGN, x);
        d2 = apply(d, ABUT_TERM_KINK, x);
        break;
    default: break;
    }
    chain(d, a, d1, d2, out);
}

/* x^b, b whole and too long for an int; b - 1 and b - 2 need not be doubles. For b > 0 the
 * derivatives are b |x|^(b - 1) and b (b - 1) |x|^(b - 2), times the sign of x where the
 * exponent is odd; so the power never leaves its domain. For b < 0 it is 1 / x^-b. */
static void derive_long_power(const deriver *d, const jet *a, uint32_t b, bool odd, jet *out)
{
    double exponent = 0;
    if (d->t->status != ABUT_OK || !abut_term_is_point(d->t, b, &exponent))
        return;
    if (exponent < 0) {
        const jet one = { .v = ABUT_TERM_ONE };
        jet power = { .v = abut_term_power(d->t, a->v, negate(d, b)) };
        derive_long_power(d, a, negate(d, b), odd, &power);
        derive_quotient(d, &one, &power, out);
        return;
    }
    const uint32_t size = apply(d, ABUT_TERM_ABS, a->v), sign = apply(d, ABUT_TERM_SIGN, a->v);
    const uint32_t less = sub(d, b, ABUT_TERM_ONE), least = sub(d, b, abut_term_number(d->t, 2));
    uint32_t d1 = mul(d, b, abut_term_apply(d->t, ABUT_TERM_POWER, size, less, 0));
    uint32_t d2 = mul(d, mul(d, b, less), abut_term_apply(d->t, ABUT_TERM_POWER, size, least, 0));
    if (odd)
        d2 = mul(d, sign, d2);
    else
        d1 = mul(d, sign, d1);
    chain(d, a, d1, d2, out);
}

static void derive_power(const deriver *d, const jet *a, const jet *b, jet *out)
{
    double exponent;
    bool odd;
    if (d->t->status == ABUT_OK && abut_term_is_long_whole(d->t, b->v, &odd)) {
        derive_long_power(d, a, b->v, odd, out);
        return;
    }
    if (d->t->status == ABUT_OK && abut_term_is_point(d->t, b->v, &exponent) && exponent == 0.5) {
        derive_function(d, ABUT_EXPR_SQRT, a, out);
        return;
    }
    const uint32_t once_less = abut_term_power(d->t, a->v, sub(d, b->v, ABUT_TERM_ONE));
    const uint32_t by_a = mul(d, b->v, once_less);
    const uint32_t by_aa = mul(d, mul(d, b->v, sub(d, b->v, ABUT_TERM_ONE)),
                               abut_term_power(d->t, a->v, sub(d, b->v, abut_term_number(d->t, 2))));
    if (is_flat(d, b)) {
        chain(d, a, by_a, by_aa, out);
        return;
    }
    const uint32_t log = apply(d, ABUT_TERM_LOG, a->v), by_b = mul(d, log, out->v), by_bb = mul(d, log, by_b);
    if (is_flat(d, a)) {
        chain(d, b, by_b, by_bb, out);
        return;
    }
    const uint32_t by_ab = mul(d, once_less, add(d, ABUT_TERM_ONE, mul(d, b->v, log)));
    chain_two(d, a, b, (uint32_t[2]){ by_a, by_b }, (uint32_t[3]){ by_aa, by_ab, by_bb }, out);
}

/* One that is the same on both sides does not depend on the sides. */
static uint32_t choose(const deriver *d, uint32_t a, uint32_t b, uint32_t c)
{
    return a == b ? a : abut_term_apply(d->t, ABUT_TERM_CHOOSE, a, b, c);
}

/* min(a, b): those of the lesser one; where they cross, the second derivative holds a jump of (a
 * - b)_i (a - b)_j. */
static void derive_choice(const deriver *d, const jet *a, const jet *b, bool larger, jet *out)
{
    const uint32_t c = larger ? sub(d, b->v, a->v) : sub(d, a->v, b->v), kink = apply(d, ABUT_TERM_KINK, c);
    for (uint32_t i = 0; i < d->variables; ++i)
        out->g[i] = choose(d, a->g[i], b->g[i], c);
    for (uint32_t k = 0; k < d->pairs; ++k) {
        const int i = d->first[k], j = d->second[k];
        const uint32_t jump = mul(d, sub(d, a->g[i], b->g[i]), sub(d, a->g[j], b->g[j]));
        out->h[k] = add(d, choose(d, a->h[k], b->h[k], c), mul(d, kink, jump));
    }
}

static uint32_t value_of(abut_tape_terms *t, const abut_expr_node *node, uint32_t a, uint32_t b)
{
    switch ((abut_expr_op)node->op) {
    case ABUT_EXPR_NUMBER: return abut_term_number(t, node->value);
    case ABUT_EXPR_PI: return abut_term_pi(t);
    case ABUT_EXPR_VARIABLE: return abut_term_variable(t, node->a);
    case ABUT_EXPR_ADD: return abut_term_add(t, a, b);
    case ABUT_EXPR_SUBTRACT: return abut_term_subtract(t, a, b);
    case ABUT_EXPR_MULTIPLY: return abut_term_multiply(t, a, b);
    case ABUT_EXPR_DIVIDE: return abut_term_divide(t, a, b);
    case ABUT_EXPR_POWER: return abut_term_power(t, a, b);
    case ABUT_EXPR_NEGATE: return abut_term_negate(t, a);
#define FUNCTION(name, text, arguments) \
    case ABUT_EXPR_##name: return abut_term_apply(t, ABUT_TERM_##name, a, (arguments) > 1 ? b : 0, 0);
        ABUT_EXPR_FUNCTION_LIST(FUNCTION)
#undef FUNCTION
    case ABUT_EXPR_OP_COUNT: break;
    }
    return ABUT_TERM_ZERO;
}

/* Which whole power of which node: x^3, x*x and x*x^2 are. */
static void find_base(const deriver *d, const abut_expr_node *node, uint32_t self, jet *out)
{
    out->base = self;
    out->exponent = 1;
    const jet *a = &d->jets[node->a], *b = &d->jets[node->b];
    int n;
    if (d->t->status != ABUT_OK)
        return;
    if (node->op == ABUT_EXPR_POWER && abut_term_is_whole(d->t, b->v, &n)) {
        const int64_t product = (int64_t)a->exponent * n;
        const bool joins = product >= -(1 << 30) && product <= 1 << 30;
        out->base = joins ? a->base : node->a;
        out->exponent = joins ? (int)product : n;
    } else if (node->op == ABUT_EXPR_MULTIPLY && a->base == b->base && a->exponent > 0 && b->exponent > 0 &&
               (int64_t)a->exponent + b->exponent <= 1 << 30) {
        out->base = a->base;
        out->exponent = a->exponent + b->exponent;
    }
}

static void derive_node(const deriver *d, const abut_expr_node *node, uint32_t self, jet *out)
{
    const int operands = abut_expr_operand_count((abut_expr_op)node->op);
    const jet *a = operands > 0 ? &d->jets[node->a] : NULL, *b = operands > 1 ? &d->jets[node->b] : NULL;
    *out = (jet){ .base = self, .exponent = 1 };
    d->t->deriving = false;
    out->v = value_of(d->t, node, a ? a->v : 0, b ? b->v : 0);
    d->t->deriving = true;
    if (node->op == ABUT_EXPR_VARIABLE)
        out->g[node->a] = ABUT_TERM_ONE;
    if (!a || (is_flat(d, a) && (!b || is_flat(d, b))))
        return;
    if (b)
        find_base(d, node, self, out);
    if (out->base != self) {
        derive_whole_power(d, &d->jets[out->base], out->exponent, out);
        return;
    }
    switch ((abut_expr_op)node->op) {
    case ABUT_EXPR_ADD: derive_sum(d, a, b, false, out); break;
    case ABUT_EXPR_SUBTRACT: derive_sum(d, a, b, true, out); break;
    case ABUT_EXPR_MULTIPLY: derive_product(d, a, b, out); break;
    case ABUT_EXPR_DIVIDE: derive_quotient(d, a, b, out); break;
    case ABUT_EXPR_POWER: derive_power(d, a, b, out); break;
    case ABUT_EXPR_MIN: derive_choice(d, a, b, false, out); break;
    case ABUT_EXPR_MAX: derive_choice(d, a, b, true, out); break;
    default: derive_function(d, (abut_expr_op)node->op, a, out); break;
    }
}

abut_status abut_tape_derive(const abut_expr *expr, abut_tape_terms *terms, uint32_t *roots)
{
    deriver d = { .t = terms, .variables = (uint32_t)expr->variable_count };
    for (uint32_t i = 0; i < d.variables; ++i)
        for (uint32_t j = i; j < d.variables; ++j) {
            d.first[d.pairs] = (int)i;
            d.second[d.pairs++] = (int)j;
        }
    d.jets = abut_base_alloc(&terms->alloc, expr->node_count, sizeof *d.jets);
    if (!d.jets)
        return ABUT_ERR_MEMORY;
    for (size_t i = 0; i < expr->node_count && terms->status == ABUT_OK; ++i)
        derive_node(&d, &expr->nodes[i], (uint32_t)i, &d.jets[i]);
    for (size_t r = 0; r < expr->root_count && terms->status == ABUT_OK; ++r) {
        const jet *j = &d.jets[expr->roots[r]];
        *roots++ = j->v;
        for (uint32_t i = 0; i < d.variables; ++i)
            *roots++ = j->g[i];
        for (uint32_t k = 0; k < d.pairs; ++k)
            *roots++ = j->h[k];
    }
    abut_base_free(&terms->alloc, d.jets, expr->node_count, sizeof *d.jets);
    return terms->status;
}
