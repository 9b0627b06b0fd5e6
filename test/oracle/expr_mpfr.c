/* SPDX-License-Identifier: MIT */
#include "expr_mpfr.h"

#include <limits.h>
#include <stdlib.h>

enum { BITS = 320 };

typedef oracle_hyper hyper;

static void hyper_init(hyper *h)
{
    for (int k = 0; k < 4; ++k)
        mpfr_init2(h->part[k], BITS);
}

static void hyper_clear(hyper *h)
{
    for (int k = 0; k < 4; ++k)
        mpfr_clear(h->part[k]);
}

static void hyper_number(hyper *h, double x)
{
    mpfr_set_d(h->part[0], x, MPFR_RNDN);
    for (int k = 1; k < 4; ++k)
        mpfr_set_zero(h->part[k], 1);
}

static bool hyper_flat(const hyper *h)
{
    return mpfr_zero_p(h->part[1]) && mpfr_zero_p(h->part[2]) && mpfr_zero_p(h->part[3]);
}

static void hyper_product(hyper *r, const hyper *x, const hyper *y)
{
    hyper t;
    mpfr_t u;
    hyper_init(&t);
    mpfr_init2(u, BITS);
    mpfr_mul(t.part[0], x->part[0], y->part[0], MPFR_RNDN);
    for (int k = 1; k < 3; ++k) {
        mpfr_mul(t.part[k], x->part[0], y->part[k], MPFR_RNDN);
        mpfr_mul(u, x->part[k], y->part[0], MPFR_RNDN);
        mpfr_add(t.part[k], t.part[k], u, MPFR_RNDN);
    }
    mpfr_mul(t.part[3], x->part[0], y->part[3], MPFR_RNDN);
    for (int k = 1; k < 4; ++k) {
        mpfr_mul(u, x->part[k], y->part[3 - k], MPFR_RNDN);
        mpfr_add(t.part[3], t.part[3], u, MPFR_RNDN);
    }
    for (int k = 0; k < 4; ++k)
        mpfr_swap(r->part[k], t.part[k]);
    hyper_clear(&t);
    mpfr_clear(u);
}

/* f(x) from f, f', f'' at x's first part. */
static void hyper_function(hyper *r, const hyper *x, const mpfr_t f, const mpfr_t f1, const mpfr_t f2)
{
    mpfr_t bend, u;
    mpfr_init2(bend, BITS);
    mpfr_init2(u, BITS);
    mpfr_mul(bend, x->part[1], x->part[2], MPFR_RNDN);
    mpfr_mul(bend, bend, f2, MPFR_RNDN);
    mpfr_mul(u, x->part[3], f1, MPFR_RNDN);
    mpfr_add(bend, bend, u, MPFR_RNDN);
    mpfr_mul(r->part[1], x->part[1], f1, MPFR_RNDN);
    mpfr_mul(r->part[2], x->part[2], f1, MPFR_RNDN);
    mpfr_set(r->part[3], bend, MPFR_RNDN);
    mpfr_set(r->part[0], f, MPFR_RNDN);
    mpfr_clear(bend);
    mpfr_clear(u);
}

/* A value where derivatives do not exist. */
static void hyper_value_only(hyper *r, const hyper *x, const mpfr_t f, oracle_at *at)
{
    if (!hyper_flat(x))
        at->smooth = false;
    mpfr_set(r->part[0], f, MPFR_RNDN);
    for (int k = 1; k < 4; ++k)
        mpfr_set_zero(r->part[k], 1);
}

static void hyper_reciprocal(hyper *r, const hyper *x, oracle_at *at)
{
    mpfr_t f, f1, f2;
    if (mpfr_zero_p(x->part[0])) {
        at->defined = false;
        return;
    }
    mpfr_inits2(BITS, f, f1, f2, (mpfr_ptr)0);
    mpfr_ui_div(f, 1, x->part[0], MPFR_RNDN);
    mpfr_sqr(f1, f, MPFR_RNDN);
    mpfr_mul(f2, f1, f, MPFR_RNDN);
    mpfr_mul_ui(f2, f2, 2, MPFR_RNDN);
    mpfr_neg(f1, f1, MPFR_RNDN);
    hyper_function(r, x, f, f1, f2);
    mpfr_clears(f, f1, f2, (mpfr_ptr)0);
}

static void hyper_divide(hyper *r, const hyper *x, const hyper *y, oracle_at *at)
{
    hyper inverse;
    mpfr_t direct;
    hyper_init(&inverse);
    mpfr_init2(direct, BITS);
    mpfr_div(direct, x->part[0], y->part[0], MPFR_RNDN); /* exact where the quotient is short */
    hyper_number(&inverse, 0);
    hyper_reciprocal(&inverse, y, at);
    hyper_product(r, x, &inverse);
    if (at->defined)
        mpfr_set(r->part[0], direct, MPFR_RNDN);
    hyper_clear(&inverse);
    mpfr_clear(direct);
}

static void hyper_whole_power(hyper *r, const hyper *x, long n, oracle_at *at)
{
    hyper product, factor;
    hyper_init(&product);
    hyper_init(&factor);
    hyper_number(&product, 1);
    for (int k = 0; k < 4; ++k)
        mpfr_set(factor.part[k], x->part[k], MPFR_RNDN);
    for (unsigned long m = (unsigned long)labs(n); m; m /= 2) {
        if (m % 2)
            hyper_product(&product, &product, &factor);
        hyper_product(&factor, &factor, &factor);
    }
    if (n < 0)
        hyper_reciprocal(&product, &product, at);
    for (int k = 0; k < 4; ++k)
        mpfr_set(r->part[k], product.part[k], MPFR_RNDN);
    hyper_clear(&product);
    hyper_clear(&factor);
}

static void hyper_unary(hyper *r, abut_expr_op op, const hyper *x, oracle_at *at)
{
    mpfr_t f, f1, f2, u;
    const int sign = mpfr_sgn(x->part[0]);
    mpfr_inits2(BITS, f, f1, f2, u, (mpfr_ptr)0);
    bool singular = false;
    mpfr_srcptr a = x->part[0];
    switch (op) {
    case ABUT_EXPR_NEGATE:
        mpfr_neg(f, a, MPFR_RNDN);
        mpfr_set_si(f1, -1, MPFR_RNDN);
        mpfr_set_zero(f2, 1);
        break;
    case ABUT_EXPR_SQRT:
        mpfr_sqrt(f, a, MPFR_RNDN);
        singular = sign == 0;
        mpfr_rec_sqrt(f1, a, MPFR_RNDN);
        mpfr_div_ui(f1, f1, 2, MPFR_RNDN);
        mpfr_div(f2, f1, a, MPFR_RNDN);
        mpfr_div_si(f2, f2, -2, MPFR_RNDN);
        break;
    case ABUT_EXPR_EXP:
        mpfr_exp(f, a, MPFR_RNDN);
        mpfr_set(f1, f, MPFR_RNDN);
        mpfr_set(f2, f, MPFR_RNDN);
        break;
    case ABUT_EXPR_LOG:
        at->defined = at->defined && sign > 0;
        mpfr_log(f, a, MPFR_RNDN);
        mpfr_ui_div(f1, 1, a, MPFR_RNDN);
        mpfr_sqr(f2, f1, MPFR_RNDN);
        mpfr_neg(f2, f2, MPFR_RNDN);
        break;
    case ABUT_EXPR_SIN:
        mpfr_sin_cos(f, f1, a, MPFR_RNDN);
        mpfr_neg(f2, f, MPFR_RNDN);
        break;
    case ABUT_EXPR_COS:
        mpfr_sin_cos(f1, f, a, MPFR_RNDN);
        mpfr_neg(f1, f1, MPFR_RNDN);
        mpfr_neg(f2, f, MPFR_RNDN);
        break;
    case ABUT_EXPR_TAN:
        mpfr_tan(f, a, MPFR_RNDN);
        mpfr_sec(f1, a, MPFR_RNDN);
        mpfr_sqr(f1, f1, MPFR_RNDN);
        mpfr_mul(f2, f1, f, MPFR_RNDN);
        mpfr_mul_ui(f2, f2, 2, MPFR_RNDN);
        break;
    case ABUT_EXPR_ASIN:
    case ABUT_EXPR_ACOS:
        if (op == ABUT_EXPR_ASIN)
            mpfr_asin(f, a, MPFR_RNDN);
        else
            mpfr_acos(f, a, MPFR_RNDN);
        mpfr_sqr(u, a, MPFR_RNDN);
        mpfr_ui_sub(u, 1, u, MPFR_RNDN);
        singular = mpfr_zero_p(u) != 0;
        mpfr_rec_sqrt(f1, u, MPFR_RNDN);
        mpfr_mul(f2, f1, a, MPFR_RNDN);
        mpfr_div(f2, f2, u, MPFR_RNDN);
        if (op == ABUT_EXPR_ACOS) {
            mpfr_neg(f1, f1, MPFR_RNDN);
            mpfr_neg(f2, f2, MPFR_RNDN);
        }
        break;
    case ABUT_EXPR_ATAN:
        mpfr_atan(f, a, MPFR_RNDN);
        mpfr_sqr(u, a, MPFR_RNDN);
        mpfr_add_ui(u, u, 1, MPFR_RNDN);
        mpfr_ui_div(f1, 1, u, MPFR_RNDN);
        mpfr_sqr(f2, f1, MPFR_RNDN);
        mpfr_mul(f2, f2, a, MPFR_RNDN);
        mpfr_mul_si(f2, f2, -2, MPFR_RNDN);
        break;
    case ABUT_EXPR_ABS:
        mpfr_abs(f, a, MPFR_RNDN);
        mpfr_set_si(f1, sign, MPFR_RNDN);
        mpfr_set_zero(f2, 1);
        if (sign == 0 && !hyper_flat(x))
            at->kinked = true;
        break;
    default: mpfr_set_nan(f); break;
    }
    if (mpfr_nan_p(f))
        at->defined = false;
    if (singular && at->defined)
        hyper_value_only(r, x, f, at);
    else
        hyper_function(r, x, f, f1, f2);
    mpfr_clears(f, f1, f2, u, (mpfr_ptr)0);
}

/* x^n for a whole n of any length: n x^(n - 1) and n (n - 1) x^(n - 2) from powers of MPFR's
 * own. */
static void hyper_long_power(hyper *r, const hyper *x, mpfr_srcptr n, oracle_at *at)
{
    mpfr_t f, f1, f2, less;
    if (mpfr_zero_p(x->part[0]) && mpfr_sgn(n) < 0) {
        at->defined = false;
        return;
    }
    mpfr_inits2(BITS, f, f1, f2, (mpfr_ptr)0);
    mpfr_init2(less, 1200); /* whole doubles less 2 are exact */
    mpfr_pow(f, x->part[0], n, MPFR_RNDN);
    mpfr_sub_ui(less, n, 1, MPFR_RNDN);
    mpfr_pow(f1, x->part[0], less, MPFR_RNDN);
    mpfr_mul(f1, f1, n, MPFR_RNDN);
    mpfr_mul(f2, n, less, MPFR_RNDN);
    mpfr_sub_ui(less, n, 2, MPFR_RNDN);
    mpfr_pow(less, x->part[0], less, MPFR_RNDN);
    mpfr_mul(f2, f2, less, MPFR_RNDN);
    hyper_function(r, x, f, f1, f2);
    mpfr_clears(f, f1, f2, less, (mpfr_ptr)0);
}

static void hyper_power(hyper *r, const hyper *x, const hyper *y, oracle_at *at)
{
    if (hyper_flat(y) && mpfr_integer_p(y->part[0]) && mpfr_cmpabs_ui(y->part[0], 1 << 16) <= 0) {
        hyper_whole_power(r, x, mpfr_get_si(y->part[0], MPFR_RNDN), at);
        return;
    }
    if (hyper_flat(y) && mpfr_integer_p(y->part[0])) {
        hyper_long_power(r, x, y->part[0], at);
        return;
    }
    const int sign = mpfr_sgn(x->part[0]);
    mpfr_t direct;
    mpfr_init2(direct, BITS);
    if (sign < 0 || (sign == 0 && mpfr_sgn(y->part[0]) <= 0)) {
        at->defined = false;
    } else if (sign == 0) {
        mpfr_set_zero(direct, 1);
        hyper_value_only(r, x, direct, at);
        at->smooth = at->smooth && hyper_flat(y);
    } else {
        mpfr_pow(direct, x->part[0], y->part[0], MPFR_RNDN);
        hyper_unary(r, ABUT_EXPR_LOG, x, at);
        hyper_product(r, r, y);
        hyper_unary(r, ABUT_EXPR_EXP, r, at);
        mpfr_set(r->part[0], direct, MPFR_RNDN);
    }
    mpfr_clear(direct);
}

static void hyper_choice(hyper *r, const hyper *x, const hyper *y, bool larger, oracle_at *at)
{
    const int order = mpfr_cmp(x->part[0], y->part[0]);
    const hyper *from = (order < 0) != larger ? x : y;
    if (order == 0)
        for (int k = 1; k < 4; ++k)
            if (mpfr_cmp(x->part[k], y->part[k]) != 0)
                at->kinked = true;
    for (int k = 0; k < 4; ++k)
        mpfr_set(r->part[k], from->part[k], MPFR_RNDN);
}

static void hyper_node(const oracle_expr *o, const abut_expr_node *node, hyper *r, const double *x, size_t i,
                       size_t j, oracle_at *at)
{
    const hyper *a = &o->nodes[node->a], *b = &o->nodes[node->b];
    switch ((abut_expr_op)node->op) {
    case ABUT_EXPR_NUMBER: hyper_number(r, node->value); break;
    case ABUT_EXPR_PI:
        hyper_number(r, 0);
        mpfr_const_pi(r->part[0], MPFR_RNDN);
        break;
    case ABUT_EXPR_VARIABLE:
        hyper_number(r, x[node->a]);
        mpfr_set_ui(r->part[1], node->a == i, MPFR_RNDN);
        mpfr_set_ui(r->part[2], node->a == j, MPFR_RNDN);
        break;
    case ABUT_EXPR_ADD:
        for (int k = 0; k < 4; ++k)
            mpfr_add(r->part[k], a->part[k], b->part[k], MPFR_RNDN);
        break;
    case ABUT_EXPR_SUBTRACT:
        for (int k = 0; k < 4; ++k)
            mpfr_sub(r->part[k], a->part[k], b->part[k], MPFR_RNDN);
        break;
    case ABUT_EXPR_MULTIPLY: hyper_product(r, a, b); break;
    case ABUT_EXPR_DIVIDE: hyper_divide(r, a, b, at); break;
    case ABUT_EXPR_POWER: hyper_power(r, a, b, at); break;
    case ABUT_EXPR_MIN: hyper_choice(r, a, b, false, at); break;
    case ABUT_EXPR_MAX: hyper_choice(r, a, b, true, at); break;
    default: hyper_unary(r, (abut_expr_op)node->op, a, at); break;
    }
}

void oracle_expr_open(oracle_expr *o, const abut_expr *expr)
{
    mpfr_set_emax(1 << 14); /* beyond the doubles, yet such that reducing an angle stays cheap */
    mpfr_set_emin(-(1 << 14));
    o->expr = expr;
    o->nodes = malloc((expr->node_count ? expr->node_count : 1) * sizeof *o->nodes);
    if (!o->nodes)
        abort();
    for (size_t i = 0; i < expr->node_count; ++i)
        hyper_init(&o->nodes[i]);
}

void oracle_expr_close(oracle_expr *o)
{
    for (size_t i = 0; i < o->expr->node_count; ++i)
        hyper_clear(&o->nodes[i]);
    free(o->nodes);
}

oracle_at oracle_expr_evaluate(oracle_expr *o, const double *x, size_t i, size_t j)
{
    oracle_at at = { .defined = true, .smooth = true, .scale = LONG_MIN };
    mpfr_clear_flags();
    for (size_t k = 0; k < o->expr->node_count && at.defined; ++k) {
        hyper_node(o, &o->expr->nodes[k], &o->nodes[k], x, i, j, &at);
        at.beyond = mpfr_overflow_p() || mpfr_underflow_p();
        if (at.beyond)
            return at;
        if (at.defined && mpfr_nan_p(o->nodes[k].part[0]))
            at.defined = false;
        for (int part = 0; part < 4; ++part)
            if (mpfr_regular_p(o->nodes[k].part[part]) && mpfr_get_exp(o->nodes[k].part[part]) > at.scale)
                at.scale = mpfr_get_exp(o->nodes[k].part[part]);
    }
    if (at.kinked)
        at.smooth = false;
    return at;
}

mpfr_srcptr oracle_expr_root(const oracle_expr *o, size_t root, int part)
{
    return o->nodes[o->expr->roots[root]].part[part];
}

bool oracle_expr_contains(double lo, double hi, mpfr_srcptr value, long scale)
{
    mpfr_t low, high, slack;
    if (mpfr_nan_p(value) || mpfr_inf_p(value)) /* a derivative where there is none */
        return true;
    mpfr_inits2(BITS, low, high, slack, (mpfr_ptr)0);
    mpfr_set_ui_2exp(slack, scale > LONG_MIN, scale > LONG_MIN ? scale - 250 : 0, MPFR_RNDN);
    mpfr_sub(low, value, slack, MPFR_RNDD);
    mpfr_add(high, value, slack, MPFR_RNDU);
    const bool inside = mpfr_cmp_d(high, lo) >= 0 && mpfr_cmp_d(low, hi) <= 0;
    mpfr_clears(low, high, slack, (mpfr_ptr)0);
    return inside;
}
