/* SPDX-License-Identifier: MIT */
/* The operations of terms and tapes, on intervals and on doubles, for folding and for the
 * interpreters alike. */
#ifndef ABUT_EXPR_TAPE_OPS_H
#define ABUT_EXPR_TAPE_OPS_H

#include "interval/ia.h"

typedef enum abut_term_op {
    ABUT_TERM_CONSTANT = 0, /* a: which one */
    ABUT_TERM_VARIABLE,     /* a: which one */
    ABUT_TERM_NEGATE,
    ABUT_TERM_ADD, /* a number comes first, here and in products */
    ABUT_TERM_SUBTRACT,
    ABUT_TERM_MULTIPLY,
    ABUT_TERM_DIVIDE,
    ABUT_TERM_SQUARE,
    ABUT_TERM_WHOLE_POWER, /* b >= 3: the exponent */
    ABUT_TERM_POWER,
    ABUT_TERM_SQRT,
    ABUT_TERM_EXP,
    ABUT_TERM_LOG,
    ABUT_TERM_SIN,
    ABUT_TERM_COS,
    ABUT_TERM_TAN,
    ABUT_TERM_ASIN,
    ABUT_TERM_ACOS,
    ABUT_TERM_ATAN,
    ABUT_TERM_ABS,
    ABUT_TERM_MIN,
    ABUT_TERM_MAX,
    ABUT_TERM_CIRCLE, /* sqrt(1 - a^2) */
    ABUT_TERM_SIGN,   /* derivative of abs */
    ABUT_TERM_KINK,   /* that of sign: 0, but anything where sign jumps */
    ABUT_TERM_CHOOSE, /* a where c < 0, b where c > 0 */
    ABUT_TERM_OP_COUNT
} abut_term_op;

/* A number: an enclosure (kept as two doubles, since memory may be aligned for no more), and the
 * nearest double, or what doubles make of it. */
typedef struct abut_constant {
    double minus_lo, hi;
    double value;
} abut_constant;

static inline ia abut_constant_box(const abut_constant *c)
{
    return (ia){ { c->minus_lo, c->hi } };
}

/* ---- intervals; each clears *defined where the operation is undefined somewhere in its
 * arguments, and then encloses what is defined ---- */

static inline ia abut_op_keep(ia a)
{
    return __builtin_expect(ia_is_empty(a), 0) ? ia_entire() : a;
}

static inline ia abut_op_divide(ia a, ia b, bool *defined)
{
    if (__builtin_expect(ia_contains_zero(b), 0)) {
        *defined = false;
        return abut_op_keep(ia_div_by_zero(a, b));
    }
    return ia_div(a, b);
}

static inline ia abut_op_sqrt(ia a, bool *defined)
{
    if (__builtin_expect(ia_lo(a) < 0, 0)) {
        *defined = false;
        return abut_op_keep(ia_sqrt(a));
    }
    return ia_sqrt(a);
}

static inline ia abut_op_log(ia a, bool *defined)
{
    if (__builtin_expect(!(ia_lo(a) > 0), 0))
        *defined = false;
    return abut_op_keep(ia_log(a));
}

static inline ia abut_op_tan(ia a, bool *defined)
{
    const ia r = ia_tan(a);
    if (__builtin_expect(!ia_is_finite(r), 0))
        *defined = false;
    return r;
}

static inline ia abut_op_arc(ia a, bool sine, bool *defined)
{
    if (__builtin_expect(!(ia_mag(a) <= 1), 0))
        *defined = false;
    return abut_op_keep(sine ? ia_asin(a) : ia_acos(a));
}

/* x^n, n >= 2, in pairs: with p = (-lo, hi) the signed power p |p|^(n-1), every product rounded
 * up, is an upper bound at either end whatever its sign. Even powers take (-mig, mag) instead.
 * Within n ulp or so; long ones are left to ia_pown. */
static inline ia abut_op_whole_power(ia a, int n)
{
    if (n > 32)
        return ia_pown(a, n);
    const ia_pair p = n % 2 ? a.v : (ia_pair){ -ia_mig(a), ia_mag(a) }, size = ia_pair_abs(p);
    ia_pair r = p;
    for (int bit = 30 - __builtin_clz((unsigned)n); bit >= 0; --bit) {
        r = ia_pair_mul_up(r, ia_pair_abs(r));
        if (n >> bit & 1)
            r = ia_pair_mul_up(r, size);
    }
    return (ia){ r };
}

/* For a > 0, and a = 0 with b > 0. Elsewhere a power exists for single exponents only: 0^0 is 1,
 * and of negative numbers nothing is said. */
static inline ia abut_op_power(ia a, ia b, bool *defined)
{
    if (__builtin_expect(ia_lo(a) < 0 || (ia_lo(a) == 0 && ia_lo(b) <= 0), 0)) {
        *defined = false;
        if (ia_lo(a) < 0)
            return ia_entire();
        return abut_op_keep(ia_contains_zero(b) ? ia_hull(ia_pow(a, b), ia_point(1)) : ia_pow(a, b));
    }
    return abut_op_keep(ia_pow(a, b));
}

/* sqrt((1 - x)(1 + x)) falls with |x|; 1 - x is where digits would be lost, and it is exact or
 * nearly so. */
static inline ia abut_op_circle(ia a, bool *defined)
{
    double far = ia_mag(a), near = ia_mig(a);
    if (__builtin_expect(!(far <= 1), 0)) {
        *defined = false;
        far = 1;
        near = near <= 1 ? near : 1;
    }
    const ia one = ia_point(1), f = ia_point(far), n = ia_point(near);
    const ia least = ia_sqrt(ia_mul(ia_sub(one, f), ia_add(one, f)));
    const ia most = ia_sqrt(ia_mul(ia_sub(one, n), ia_add(one, n)));
    return ia_make(ia_lo(least), ia_hi(most));
}

static inline ia abut_op_sign(ia a)
{
    return ia_make(ia_lo(a) > 0 ? 1 : -1, ia_hi(a) < 0 ? -1 : 1);
}

static inline ia abut_op_kink(ia a)
{
    return ia_contains_zero(a) ? ia_entire() : ia_point(0);
}

static inline ia abut_op_choose(ia c, ia a, ia b)
{
    return ia_hi(c) < 0 ? a : ia_lo(c) > 0 ? b : ia_hull(a, b);
}

/* ---- doubles ---- */

static inline double abut_op_whole_power_at(double a, int n)
{
    if (n > 32)
        return pow(a, n);
    double r = a;
    for (int bit = 30 - __builtin_clz((unsigned)n); bit >= 0; --bit) {
        r *= r;
        if (n >> bit & 1)
            r *= a;
    }
    return r;
}

/* NaN is handed on. */
static inline double abut_op_min_at(double a, double b)
{
    return a < b || isnan(a) ? a : b;
}

static inline double abut_op_max_at(double a, double b)
{
    return a > b || isnan(a) ? a : b;
}

static inline double abut_op_sign_at(double a)
{
    return (a > 0) - (a < 0);
}

/* Any term but variables; `n` is the exponent of a whole power. The folding of numbers uses
 * these two. */
static inline ia abut_op_apply(abut_term_op op, ia a, ia b, ia c, int n, bool *defined)
{
    switch (op) {
    case ABUT_TERM_NEGATE: return ia_neg(a);
    case ABUT_TERM_ADD: return ia_add(a, b);
    case ABUT_TERM_SUBTRACT: return ia_sub(a, b);
    case ABUT_TERM_MULTIPLY: return ia_mul(a, b);
    case ABUT_TERM_DIVIDE: return abut_op_divide(a, b, defined);
    case ABUT_TERM_SQUARE: return ia_sqr(a);
    case ABUT_TERM_WHOLE_POWER: return ia_pown(a, n);
    case ABUT_TERM_POWER: return abut_op_power(a, b, defined);
    case ABUT_TERM_SQRT: return abut_op_sqrt(a, defined);
    case ABUT_TERM_EXP: return ia_exp(a);
    case ABUT_TERM_LOG: return abut_op_log(a, defined);
    case ABUT_TERM_SIN: return ia_sin(a);
    case ABUT_TERM_COS: return ia_cos(a);
    case ABUT_TERM_TAN: return abut_op_tan(a, defined);
    case ABUT_TERM_ASIN: return abut_op_arc(a, true, defined);
    case ABUT_TERM_ACOS: return abut_op_arc(a, false, defined);
    case ABUT_TERM_ATAN: return ia_atan(a);
    case ABUT_TERM_ABS: return ia_abs(a);
    case ABUT_TERM_MIN: return ia_min(a, b);
    case ABUT_TERM_MAX: return ia_max(a, b);
    case ABUT_TERM_CIRCLE: return abut_op_circle(a, defined);
    case ABUT_TERM_SIGN: return abut_op_sign(a);
    case ABUT_TERM_KINK: return abut_op_kink(a);
    case ABUT_TERM_CHOOSE: return abut_op_choose(c, a, b);
    case ABUT_TERM_CONSTANT:
    case ABUT_TERM_VARIABLE:
    case ABUT_TERM_OP_COUNT: break;
    }
    return ia_entire();
}

static inline double abut_op_apply_at(abut_term_op op, double a, double b, double c, int n)
{
    switch (op) {
    case ABUT_TERM_NEGATE: return -a;
    case ABUT_TERM_ADD: return a + b;
    case ABUT_TERM_SUBTRACT: return a - b;
    case ABUT_TERM_MULTIPLY: return a * b;
    case ABUT_TERM_DIVIDE: return a / b;
    case ABUT_TERM_SQUARE: return a * a;
    case ABUT_TERM_WHOLE_POWER: return abut_op_whole_power_at(a, n);
    case ABUT_TERM_POWER: return pow(a, b);
    case ABUT_TERM_SQRT: return sqrt(a);
    case ABUT_TERM_EXP: return exp(a);
    case ABUT_TERM_LOG: return log(a);
    case ABUT_TERM_SIN: return sin(a);
    case ABUT_TERM_COS: return cos(a);
    case ABUT_TERM_TAN: return tan(a);
    case ABUT_TERM_ASIN: return asin(a);
    case ABUT_TERM_ACOS: return acos(a);
    case ABUT_TERM_ATAN: return atan(a);
    case ABUT_TERM_ABS: return fabs(a);
    case ABUT_TERM_MIN: return abut_op_min_at(a, b);
    case ABUT_TERM_MAX: return abut_op_max_at(a, b);
    case ABUT_TERM_CIRCLE: return sqrt((1 - a) * (1 + a));
    case ABUT_TERM_SIGN: return abut_op_sign_at(a);
    case ABUT_TERM_KINK: return 0;
    case ABUT_TERM_CHOOSE: return c < 0 ? a : b;
    case ABUT_TERM_CONSTANT:
    case ABUT_TERM_VARIABLE:
    case ABUT_TERM_OP_COUNT: break;
    }
    return NAN;
}

static inline int abut_term_operand_count(abut_term_op op)
{
    switch (op) {
    case ABUT_TERM_CONSTANT:
    case ABUT_TERM_VARIABLE: return 0;
    case ABUT_TERM_ADD:
    case ABUT_TERM_SUBTRACT:
    case ABUT_TERM_MULTIPLY:
    case ABUT_TERM_DIVIDE:
    case ABUT_TERM_POWER:
    case ABUT_TERM_MIN:
    case ABUT_TERM_MAX: return 2;
    case ABUT_TERM_CHOOSE: return 3;
    default: return 1;
    }
}

#endif
