/* SPDX-License-Identifier: MIT */
/* Sturm's theorem: with p0 = p, p1 = p', p(k+1) = -(p(k-1) mod p(k)), the number of distinct
 * roots in (a, b] is the number of sign changes at a minus that at b, also where p has multiple
 * roots, as long as a and b are none. Here remainders are replaced by positive multiples of them
 * with integer coefficients. For ends that may be roots everything is first divided by the last
 * member, the greatest common divisor. Multiplicities: the chain of that divisor counts again
 * what is at least double. */
#include "oracle/sturm.h"

#include <gmp.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TERMS = 40 };

typedef struct zpoly {
    int degree;
    mpz_t c[MAX_TERMS];
} zpoly;

struct sturm {
    int members;
    zpoly *member[MAX_TERMS]; /* of the chain of the square-free part */
    sturm *repeated;          /* what is left of multiple roots, or NULL */
};

static zpoly *zpoly_new(int degree)
{
    zpoly *p = malloc(sizeof *p);
    p->degree = degree;
    for (int i = 0; i <= degree; ++i)
        mpz_init(p->c[i]);
    return p;
}

static void zpoly_free(zpoly *p, int allocated_degree)
{
    for (int i = 0; i <= allocated_degree; ++i)
        mpz_clear(p->c[i]);
    free(p);
}

static void make_primitive(zpoly *p)
{
    mpz_t g;
    mpz_init(g);
    for (int i = 0; i <= p->degree && mpz_cmp_ui(g, 1) != 0; ++i)
        mpz_gcd(g, g, p->c[i]);
    if (mpz_cmp_ui(g, 1) > 0)
        for (int i = 0; i <= p->degree; ++i)
            mpz_divexact(p->c[i], p->c[i], g);
    mpz_clear(g);
}

static zpoly *derivative(const zpoly *p)
{
    zpoly *d = zpoly_new(p->degree - 1);
    for (int i = 1; i <= p->degree; ++i)
        mpz_mul_si(d->c[i - 1], p->c[i], i);
    make_primitive(d);
    return d;
}

/* A positive multiple of -(a mod b), primitive; NULL if that is zero. */
static zpoly *next_member(const zpoly *a, const zpoly *b)
{
    zpoly *r = zpoly_new(a->degree);
    for (int i = 0; i <= a->degree; ++i)
        mpz_neg(r->c[i], a->c[i]);
    mpz_t lead_size, top;
    mpz_inits(lead_size, top, NULL);
    const int lead_sign = mpz_sgn(b->c[b->degree]);
    mpz_abs(lead_size, b->c[b->degree]);
    int degree = a->degree;
    while (degree >= b->degree) {
        mpz_set(top, r->c[degree]);
        for (int i = 0; i < degree; ++i)
            mpz_mul(r->c[i], r->c[i], lead_size);
        if (lead_sign < 0)
            mpz_neg(top, top);
        for (int i = 0; i < b->degree; ++i)
            mpz_submul(r->c[degree - b->degree + i], top, b->c[i]);
        mpz_set_ui(r->c[degree], 0);
        --degree;
    }
    mpz_clears(lead_size, top, NULL);
    for (int i = degree + 1; i <= a->degree; ++i)
        mpz_clear(r->c[i]);
    const int allocated = degree;
    while (degree >= 0 && mpz_sgn(r->c[degree]) == 0)
        --degree;
    if (degree < 0) {
        zpoly_free(r, allocated);
        return NULL;
    }
    for (int i = degree + 1; i <= allocated; ++i)
        mpz_clear(r->c[i]);
    r->degree = degree;
    make_primitive(r);
    return r;
}

/* a / b, which is exact over the integers because b is primitive. */
static zpoly *exact_quotient(const zpoly *a, const zpoly *b)
{
    zpoly *rest = zpoly_new(a->degree), *q = zpoly_new(a->degree - b->degree);
    for (int i = 0; i <= a->degree; ++i)
        mpz_set(rest->c[i], a->c[i]);
    for (int shift = q->degree; shift >= 0; --shift) {
        mpz_divexact(q->c[shift], rest->c[shift + b->degree], b->c[b->degree]);
        for (int i = 0; i <= b->degree; ++i)
            mpz_submul(rest->c[shift + i], q->c[shift], b->c[i]);
    }
    zpoly_free(rest, a->degree);
    return q;
}

static sturm *chain_of(zpoly *p)
{
    sturm *s = calloc(1, sizeof *s);
    make_primitive(p);
    s->member[s->members++] = p;
    if (p->degree == 0)
        return s;
    zpoly *next = derivative(p);
    while (next) {
        s->member[s->members++] = next;
        next = next->degree > 0 ? next_member(s->member[s->members - 2], next) : NULL;
    }
    zpoly *last = s->member[s->members - 1];
    if (last->degree == 0)
        return s;
    zpoly *g = zpoly_new(last->degree);
    for (int i = 0; i <= last->degree; ++i)
        mpz_set(g->c[i], last->c[i]);
    for (int i = 0; i < s->members; ++i) {
        zpoly *q = exact_quotient(s->member[i], g);
        zpoly_free(s->member[i], s->member[i]->degree);
        s->member[i] = q;
    }
    s->repeated = chain_of(g);
    return s;
}

sturm *sturm_create(const double *terms, int per, int degree)
{
    int lowest = 5000;
    for (int i = 0; i < (degree + 1) * per; ++i)
        if (terms[i] != 0) {
            int e;
            frexp(terms[i], &e);
            lowest = e - 53 < lowest ? e - 53 : lowest;
        }
    zpoly *p = zpoly_new(degree);
    mpz_t t;
    mpz_init(t);
    for (int i = 0; i < (degree + 1) * per; ++i)
        if (terms[i] != 0) {
            int e;
            mpz_set_d(t, ldexp(frexp(terms[i], &e), 53));
            mpz_mul_2exp(t, t, (mp_bitcnt_t)(e - 53 - lowest));
            mpz_add(p->c[i / per], p->c[i / per], t);
        }
    mpz_clear(t);
    while (p->degree > 0 && mpz_sgn(p->c[p->degree]) == 0)
        mpz_clear(p->c[p->degree--]);
    return chain_of(p);
}

void sturm_destroy(sturm *s)
{
    if (!s)
        return;
    for (int i = 0; i < s->members; ++i)
        zpoly_free(s->member[i], s->member[i]->degree);
    sturm_destroy(s->repeated);
    free(s);
}

static int sign_at(const zpoly *p, double x)
{
    const int n = p->degree;
    if (isinf(x))
        return x < 0 && n & 1 ? -mpz_sgn(p->c[n]) : mpz_sgn(p->c[n]);
    if (x == 0)
        return mpz_sgn(p->c[0]);
    int e;
    mpz_t m, sum, t;
    mpz_inits(m, sum, t, NULL);
    mpz_set_d(m, ldexp(frexp(x, &e), 53));
    e -= 53;
    const mp_bitcnt_t twos = mpz_scan1(m, 0);
    mpz_tdiv_q_2exp(m, m, twos);
    e += (int)twos;
    mpz_set(sum, p->c[n]);
    for (int i = n; i-- > 0;) {
        mpz_mul(sum, sum, m);
        if (e > 0) {
            mpz_mul_2exp(sum, sum, (mp_bitcnt_t)e);
            mpz_add(sum, sum, p->c[i]);
        } else {
            mpz_mul_2exp(t, p->c[i], (mp_bitcnt_t)(-e * (n - i)));
            mpz_add(sum, sum, t);
        }
    }
    const int sign = mpz_sgn(sum);
    mpz_clears(m, sum, t, NULL);
    return sign;
}

static int changes_at(const sturm *s, double x)
{
    int changes = 0, last = 0;
    for (int i = 0; i < s->members; ++i) {
        const int sign = sign_at(s->member[i], x);
        if (sign != 0) {
            changes += last != 0 && sign != last;
            last = sign;
        }
    }
    return changes;
}

int sturm_distinct(const sturm *s, double lo, double hi)
{
    const bool at_lo = !isinf(lo) && sign_at(s->member[0], lo) == 0;
    if (lo == hi)
        return at_lo;
    return changes_at(s, lo) - changes_at(s, hi) + at_lo;
}

int sturm_with_multiplicity(const sturm *s, double lo, double hi)
{
    return sturm_distinct(s, lo, hi) + (s->repeated ? sturm_with_multiplicity(s->repeated, lo, hi) : 0);
}

int sturm_sign(const sturm *s, double x)
{
    const int sign = sign_at(s->member[0], x);
    return s->repeated ? sign * sturm_sign(s->repeated, x) : sign;
}
