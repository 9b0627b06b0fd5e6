/* SPDX-License-Identifier: MIT */
/* Numbers of more than 53 bits, for closed forms: pairs of doubles with error bounds, and exact
 * expansions.
 *
 * A pair h + l has |l| <= ulp(h) / 2. With u = 2^-53 the operations have these relative errors (M.
 * Joldes, J.-M. Muller, V. Popescu, Tight and rigorous error bounds for basic building blocks of
 * double-word arithmetic, 2017; square root: V. Lefevre et al., 2023): sum 3 u^2 (cancellation
 * included), product 7 u^2, quotient 15 u^2, square root 4 u^2.
 *
 * An abut_exact is an expansion (math/expansion.h) of fixed size: exact as long as nothing
 * overflows and no factor is smaller than 2^-480 in size. All of this needs rounding to nearest. */
#ifndef ABUT_NARROW_PAIR_EXACT_H
#define ABUT_NARROW_PAIR_EXACT_H

#include "abut/interval.h"
#include "math/expansion.h"

typedef struct abut_pair_number {
    double h, l;
} dd;

static inline dd dd_two_sum(double a, double b)
{
    dd s;
    s.h = abut_two_sum(a, b, &s.l);
    return s;
}

/* Needs |a| >= |b| or a = 0. */
static inline dd dd_fast_sum(double a, double b)
{
    const double s = a + b;
    return (dd){ s, b - (s - a) };
}

static inline dd dd_two_product(double a, double b)
{
    dd p;
    p.h = abut_two_product(a, b, &p.l);
    return p;
}

static inline dd dd_add(dd a, dd b)
{
    const dd s = dd_two_sum(a.h, b.h), t = dd_two_sum(a.l, b.l);
    const dd v = dd_fast_sum(s.h, s.l + t.h);
    return dd_fast_sum(v.h, t.l + v.l);
}

static inline dd dd_neg(dd a)
{
    return (dd){ -a.h, -a.l };
}

static inline dd dd_sub(dd a, dd b)
{
    return dd_add(a, dd_neg(b));
}

static inline dd dd_mul(dd a, dd b)
{
    const dd p = dd_two_product(a.h, b.h);
    return dd_fast_sum(p.h, p.l + (a.h * b.l + a.l * b.h));
}

static inline dd dd_sqr(dd a)
{
    const dd p = dd_two_product(a.h, a.h);
    return dd_fast_sum(p.h, p.l + 2 * (a.h * a.l));
}

static inline dd dd_div(dd a, dd b)
{
    const double q = a.h / b.h;
    const dd r = dd_sub(a, dd_mul((dd){ q, 0 }, b));
    return dd_fast_sum(q, r.h / b.h);
}

static inline dd dd_sqrt(dd a)
{
    if (!(a.h > 0))
        return (dd){ 0, 0 };
    const double s = sqrt(a.h);
    const dd p = dd_two_product(s, s);
    return dd_fast_sum(s, ((a.h - p.h) - p.l + a.l) / (2 * s));
}

/* The largest number here is the squared distance of a line from a point when both its ends are
 * differences: three squares of 16 terms, 3 * 2 * 16 * 16, and a product of 24 and 2 terms. */
enum { ABUT_EXACT_CAPACITY = 1664 };

typedef struct abut_exact {
    int count;
    double c[ABUT_EXACT_CAPACITY];
} abut_exact;

/* A factor below this size may lose bits by underflow. */
#define ABUT_EXACT_TINY 0x1p-480

static inline void abut_exact_clear(abut_exact *e)
{
    e->count = 0;
}

static inline int abut_exact_sign(const abut_exact *e)
{
    return abut_expansion_sign(e->count, e->c);
}

void abut_exact_add(abut_exact *e, int count, const double *c);
static inline void abut_exact_add_double(abut_exact *e, double b)
{
    abut_exact_add(e, b != 0, &b);
}

/* out = out + a b, or out - a b; out is neither a nor b. */
void abut_exact_add_product(const abut_exact *a, const abut_exact *b, abut_exact *out);
void abut_exact_sub_product(const abut_exact *a, const abut_exact *b, abut_exact *out);
/* The nearest pair, relative error 2^-104; *all (may be NULL) says whether it is the whole
 * number. */
dd abut_exact_value(const abut_exact *e, bool *all);

/* Outward rounded h + l -+ error. */
abut_interval abut_exact_interval(dd value, double error);
/* Outward rounded interval times 2^exponent. */
abut_interval abut_exact_scale(abut_interval a, int exponent);

#endif
