/* SPDX-License-Identifier: MIT */
#include "oracle/moving_pair.h"

#include <stdlib.h>

enum { PREC = 8000 };

/* w position = at + t rate */
typedef struct line {
    mpfr_t at[3], rate[3], w;
} line;

static void set_line(const oracle_path *p, line *out)
{
    const double from[3] = { p->from.x, p->from.y, p->from.z }, to[3] = { p->to.x, p->to.y, p->to.z };
    const double rate[3] = { p->rate.x, p->rate.y, p->rate.z };
    mpfr_t x;
    mpfr_inits2(PREC, x, out->w, (mpfr_ptr)0);
    mpfr_set_d(out->w, p->by_rate ? 1 : p->t1, MPFR_RNDN);
    if (!p->by_rate)
        mpfr_sub_d(out->w, out->w, p->t0, MPFR_RNDN);
    for (int i = 0; i < 3; ++i) {
        mpfr_inits2(PREC, out->at[i], out->rate[i], (mpfr_ptr)0);
        mpfr_set_d(out->rate[i], p->by_rate ? rate[i] : to[i], MPFR_RNDN);
        if (!p->by_rate)
            mpfr_sub_d(out->rate[i], out->rate[i], from[i], MPFR_RNDN);
        mpfr_mul_d(out->at[i], out->w, from[i], MPFR_RNDN);
        mpfr_mul_d(x, out->rate[i], p->t0, MPFR_RNDN);
        mpfr_sub(out->at[i], out->at[i], x, MPFR_RNDN);
    }
    mpfr_clear(x);
}

static void clear_line(line *l)
{
    for (int i = 0; i < 3; ++i)
        mpfr_clears(l->at[i], l->rate[i], (mpfr_ptr)0);
    mpfr_clear(l->w);
}

static void add_product(mpfr_t sum, mpfr_t a, mpfr_t b, mpfr_t scratch)
{
    mpfr_mul(scratch, a, b, MPFR_RNDN);
    mpfr_add(sum, sum, scratch, MPFR_RNDN);
}

void oracle_moving_contact(const oracle_path *pa, double radius, const oracle_path *pb, double other_radius,
                           abut_vec3 normal, double offset, double lo, double hi, oracle_contact *out)
{
    line a, b;
    mpfr_t q[3], x, y, at, rate, w;
    mpfr_clear_flags();
    set_line(pa, &a);
    set_line(pb, &b);
    mpfr_inits2(PREC, q[0], q[1], q[2], x, y, at, rate, w, (mpfr_ptr)0);
    for (int i = 0; i < 3; ++i)
        mpfr_set_zero(q[i], 1);
    mpfr_mul(w, a.w, b.w, MPFR_RNDN);
    const double n[3] = { normal.x, normal.y, normal.z };
    for (int i = 0; i < 3; ++i) {
        mpfr_mul(at, a.at[i], b.w, MPFR_RNDN);
        mpfr_mul(x, b.at[i], a.w, MPFR_RNDN);
        mpfr_sub(at, at, x, MPFR_RNDN);
        mpfr_mul(rate, a.rate[i], b.w, MPFR_RNDN);
        mpfr_mul(x, b.rate[i], a.w, MPFR_RNDN);
        mpfr_sub(rate, rate, x, MPFR_RNDN);
        if (other_radius >= 0) {
            add_product(q[0], at, at, x);
            add_product(q[1], at, rate, x); /* half of it */
            add_product(q[2], rate, rate, x);
        } else {
            mpfr_mul_d(x, at, n[i], MPFR_RNDN);
            mpfr_add(q[0], q[0], x, MPFR_RNDN);
            mpfr_mul_d(x, rate, n[i], MPFR_RNDN);
            mpfr_add(q[1], q[1], x, MPFR_RNDN);
        }
    }
    out->graze = false;
    if (other_radius >= 0) {
        mpfr_set_d(x, radius, MPFR_RNDN);
        mpfr_add_d(x, x, other_radius, MPFR_RNDN);
        mpfr_mul(x, x, w, MPFR_RNDN);
        mpfr_sqr(x, x, MPFR_RNDN);
        mpfr_sub(q[0], q[0], x, MPFR_RNDN);
        /* y = q1^2 - q2 q0 */
        mpfr_sqr(y, q[1], MPFR_RNDN);
        mpfr_mul(x, q[2], q[0], MPFR_RNDN);
        mpfr_sub(y, y, x, MPFR_RNDN);
        if (mpfr_inexflag_p())
            abort();
        if (mpfr_zero_p(q[2])) { /* no relative motion */
            out->count = mpfr_sgn(q[0]) > 0 ? 0 : 2;
            mpfr_set_d(out->enter, lo, MPFR_RNDN);
            mpfr_set_d(out->exit, hi, MPFR_RNDN);
        } else if (mpfr_sgn(y) < 0)
            out->count = 0;
        else {
            out->graze = mpfr_zero_p(y);
            out->count = 2;
            mpfr_sqrt(y, y, MPFR_RNDN);
            mpfr_add(x, q[1], y, MPFR_RNDN);
            mpfr_neg(x, x, MPFR_RNDN);
            mpfr_div(out->enter, x, q[2], MPFR_RNDN);
            mpfr_sub(x, y, q[1], MPFR_RNDN);
            mpfr_div(out->exit, x, q[2], MPFR_RNDN);
        }
    } else {
        mpfr_mul_d(x, w, offset, MPFR_RNDN);
        mpfr_sub(q[0], q[0], x, MPFR_RNDN);
        mpfr_set_zero(y, 1);
        for (int i = 0; i < 3; ++i) {
            mpfr_set_d(x, n[i], MPFR_RNDN);
            mpfr_sqr(x, x, MPFR_RNDN);
            mpfr_add(y, y, x, MPFR_RNDN);
        }
        mpfr_sqrt(y, y, MPFR_RNDN);
        mpfr_mul_d(y, y, radius, MPFR_RNDN);
        mpfr_mul(y, y, w, MPFR_RNDN);
        mpfr_sub(q[0], q[0], y, MPFR_RNDN); /* q0 + q1 t <= 0 is contact */
        out->count = 2;
        mpfr_set_d(out->enter, lo, MPFR_RNDN);
        mpfr_set_d(out->exit, hi, MPFR_RNDN);
        if (mpfr_zero_p(q[1]))
            out->count = mpfr_sgn(q[0]) > 0 ? 0 : 2;
        else {
            mpfr_div(x, q[0], q[1], MPFR_RNDN);
            mpfr_neg(mpfr_sgn(q[1]) < 0 ? out->enter : out->exit, x, MPFR_RNDN);
        }
    }
    /* The start of the range, then its ends. */
    out->start = 1;
    if (out->count) {
        const int after = mpfr_cmp_d(out->enter, lo), before = mpfr_cmp_d(out->exit, lo);
        out->start = after > 0 || before < 0 ? 1 : after == 0 || before == 0 ? 0 : -1;
        /* No relative motion: the sign is the same throughout. */
        if ((other_radius >= 0 && mpfr_zero_p(q[2])) || (other_radius < 0 && mpfr_zero_p(q[1])))
            out->start = mpfr_sgn(q[0]);
        else if (other_radius < 0 && after == 0 && mpfr_sgn(q[1]) > 0)
            out->start = before == 0 ? 0 : -1; /* enter is only the start of the range */
        if (mpfr_cmp_d(out->exit, lo) < 0 || mpfr_cmp_d(out->enter, hi) > 0)
            out->count = 0;
        if (mpfr_cmp_d(out->enter, lo) < 0)
            mpfr_set_d(out->enter, lo, MPFR_RNDN);
        if (mpfr_cmp_d(out->exit, hi) > 0)
            mpfr_set_d(out->exit, hi, MPFR_RNDN);
        if (out->count && mpfr_equal_p(out->enter, out->exit))
            out->count = 1;
    }
    mpfr_clears(q[0], q[1], q[2], x, y, at, rate, w, (mpfr_ptr)0);
    clear_line(&a);
    clear_line(&b);
}
