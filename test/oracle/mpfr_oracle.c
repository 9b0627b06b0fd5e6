/* SPDX-License-Identifier: MIT */
#include "oracle/mpfr_oracle.h"

#include <math.h>
#include <mpfr.h>
#include <stdlib.h>

static bool ready;
static mpfr_t arg_x, arg_y, value, wide_a, wide_b, wide_c;

static void make_ready(void)
{
    if (ready)
        return;
    mpfr_inits2(53, arg_x, arg_y, value, (mpfr_ptr)0);
    mpfr_inits2(2400, wide_a, wide_b, wide_c, (mpfr_ptr)0);
    ready = true;
}

static oracle_bounds enclose(int inexact)
{
    oracle_bounds out;
    out.below = mpfr_get_d(value, MPFR_RNDD);
    if (inexact != 0)
        mpfr_nextabove(value);
    out.above = mpfr_get_d(value, MPFR_RNDU);
    return out;
}

oracle_bounds oracle_mpfr(oracle_function f, double x, double y)
{
    int inexact = 0;
    make_ready();
    mpfr_set_d(arg_x, x, MPFR_RNDN);
    mpfr_set_d(arg_y, y, MPFR_RNDN);
    switch (f) {
    case ORACLE_ADD: inexact = mpfr_add(value, arg_x, arg_y, MPFR_RNDD); break;
    case ORACLE_SUB: inexact = mpfr_sub(value, arg_x, arg_y, MPFR_RNDD); break;
    case ORACLE_MUL: inexact = mpfr_mul(value, arg_x, arg_y, MPFR_RNDD); break;
    case ORACLE_DIV: inexact = mpfr_div(value, arg_x, arg_y, MPFR_RNDD); break;
    case ORACLE_POW: inexact = mpfr_pow(value, arg_x, arg_y, MPFR_RNDD); break;
    case ORACLE_ATAN2: inexact = mpfr_atan2(value, arg_x, arg_y, MPFR_RNDD); break;
    case ORACLE_SQR: inexact = mpfr_sqr(value, arg_x, MPFR_RNDD); break;
    case ORACLE_SQRT: inexact = mpfr_sqrt(value, arg_x, MPFR_RNDD); break;
    case ORACLE_EXP: inexact = mpfr_exp(value, arg_x, MPFR_RNDD); break;
    case ORACLE_LOG: inexact = mpfr_log(value, arg_x, MPFR_RNDD); break;
    case ORACLE_SIN: inexact = mpfr_sin(value, arg_x, MPFR_RNDD); break;
    case ORACLE_COS: inexact = mpfr_cos(value, arg_x, MPFR_RNDD); break;
    case ORACLE_TAN: inexact = mpfr_tan(value, arg_x, MPFR_RNDD); break;
    case ORACLE_ASIN: inexact = mpfr_asin(value, arg_x, MPFR_RNDD); break;
    case ORACLE_ACOS: inexact = mpfr_acos(value, arg_x, MPFR_RNDD); break;
    case ORACLE_ATAN: inexact = mpfr_atan(value, arg_x, MPFR_RNDD); break;
    case ORACLE_FUNCTIONS: return (oracle_bounds){ NAN, NAN };
    }
    return enclose(inexact);
}

oracle_bounds oracle_mpfr_pown(double x, long n)
{
    make_ready();
    mpfr_set_d(arg_x, x, MPFR_RNDN);
    return enclose(mpfr_pow_si(value, arg_x, n, MPFR_RNDD));
}

double oracle_mpfr_near_half_pi(double k)
{
    make_ready();
    mpfr_const_pi(wide_a, MPFR_RNDN);
    mpfr_div_2ui(wide_a, wide_a, 1, MPFR_RNDN);
    mpfr_mul_d(wide_a, wide_a, k, MPFR_RNDN);
    return mpfr_get_d(wide_a, MPFR_RNDN);
}

/* With r = 2^exponent 2/pi, m r is near an integer exactly when m is the denominator of a
 * convergent of r (or a multiple of one): walk the continued fraction while the denominators fit
 * in 53 bits, and keep the last ones, scaled up to 53 bits. */
int oracle_mpfr_worst_for_half_pi(int exponent, int wanted, double *out)
{
    make_ready();
    mpfr_const_pi(wide_a, MPFR_RNDN);
    mpfr_ui_div(wide_a, 2, wide_a, MPFR_RNDN);
    mpfr_mul_2si(wide_a, wide_a, exponent, MPFR_RNDN);
    double before = 0, last = 1; /* denominators */
    double found[128];
    int count = 0;
    /* The integer part does not matter for denominators: start with the fraction. */
    mpfr_frac(wide_a, wide_a, MPFR_RNDN);
    for (int i = 0; i < 120 && !mpfr_zero_p(wide_a); ++i) {
        mpfr_ui_div(wide_a, 1, wide_a, MPFR_RNDN);
        mpfr_floor(wide_b, wide_a);
        const double quotient = mpfr_get_d(wide_b, MPFR_RNDN);
        mpfr_sub(wide_a, wide_a, wide_b, MPFR_RNDN);
        const double next = quotient * last + before;
        if (!(next < 0x1p53))
            break;
        before = last;
        last = next;
        found[count++] = last;
    }
    int kept = 0;
    for (int i = count - 1; i >= 0 && kept < wanted; --i)
        out[kept++] = ldexp(found[i], exponent);
    return kept;
}
