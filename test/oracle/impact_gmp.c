/* SPDX-License-Identifier: MIT */
/* See impact_gmp.h. */
#include "oracle/impact_gmp.h"

#include <gmp.h>
#include <math.h>
#include <stdlib.h>

/* ---- polynomials in powers of t ---- */

enum { MAX_DEGREE = 8 };

typedef struct poly {
    int degree; /* -1: zero */
    mpz_t c[MAX_DEGREE + 1];
} poly;

static void poly_init(poly *p)
{
    p->degree = -1;
    for (int i = 0; i <= MAX_DEGREE; ++i)
        mpz_init(p->c[i]);
}

static void poly_clear(poly *p)
{
    for (int i = 0; i <= MAX_DEGREE; ++i)
        mpz_clear(p->c[i]);
}

static void poly_trim(poly *p)
{
    p->degree = MAX_DEGREE;
    while (p->degree >= 0 && mpz_sgn(p->c[p->degree]) == 0)
        --p->degree;
}

static void poly_copy(poly *r, const poly *a)
{
    for (int i = 0; i <= MAX_DEGREE; ++i)
        mpz_set(r->c[i], a->c[i]);
    r->degree = a->degree;
}

static void poly_sub(poly *r, const poly *a, const poly *b)
{
    for (int i = 0; i <= MAX_DEGREE; ++i)
        mpz_sub(r->c[i], a->c[i], b->c[i]);
    poly_trim(r);
}

/* r += sign a b */
static void poly_accumulate(poly *r, const poly *a, const poly *b, int sign)
{
    for (int i = 0; i <= a->degree; ++i)
        for (int j = 0; j <= b->degree; ++j) {
            if (sign > 0)
                mpz_addmul(r->c[i + j], a->c[i], b->c[j]);
            else
                mpz_submul(r->c[i + j], a->c[i], b->c[j]);
        }
    poly_trim(r);
}

static void poly_derive(poly *r, const poly *a)
{
    for (int i = 0; i < MAX_DEGREE; ++i)
        mpz_mul_si(r->c[i], a->c[i + 1], i + 1);
    mpz_set_si(r->c[MAX_DEGREE], 0);
    poly_trim(r);
}

static void poly_make_primitive(poly *p)
{
    mpz_t g;
    mpz_init(g);
    for (int i = 0; i <= p->degree; ++i)
        mpz_gcd(g, g, p->c[i]);
    if (mpz_sgn(g) > 0)
        for (int i = 0; i <= p->degree; ++i)
            mpz_divexact(p->c[i], p->c[i], g);
    mpz_clear(g);
}

/* The remainder of a by b, times a positive number. */
static void poly_remainder(poly *r, const poly *a, const poly *b)
{
    poly_copy(r, a);
    mpz_t top, lead;
    mpz_inits(top, lead, NULL);
    mpz_set(lead, b->c[b->degree]);
    while (r->degree >= b->degree) {
        const int shift = r->degree - b->degree;
        mpz_set(top, r->c[r->degree]);
        if (mpz_sgn(lead) < 0)
            mpz_neg(top, top);
        for (int i = 0; i <= r->degree; ++i) {
            mpz_mul(r->c[i], r->c[i], lead);
            if (mpz_sgn(lead) < 0)
                mpz_neg(r->c[i], r->c[i]);
        }
        for (int i = 0; i <= b->degree; ++i)
            mpz_submul(r->c[i + shift], top, b->c[i]);
        poly_trim(r);
    }
    poly_make_primitive(r);
    mpz_clears(top, lead, NULL);
}

/* a / b where b divides a, up to a constant. */
static void poly_quotient(poly *q, const poly *a, const poly *b)
{
    poly r;
    poly_init(&r);
    poly_copy(&r, a);
    for (int i = 0; i <= MAX_DEGREE; ++i)
        mpz_set_si(q->c[i], 0);
    mpz_t top;
    mpz_init(top);
    while (r.degree >= b->degree) {
        const int shift = r.degree - b->degree;
        mpz_set(top, r.c[r.degree]);
        for (int i = 0; i <= MAX_DEGREE; ++i) {
            mpz_mul(r.c[i], r.c[i], b->c[b->degree]);
            mpz_mul(q->c[i], q->c[i], b->c[b->degree]);
        }
        mpz_add(q->c[shift], q->c[shift], top);
        for (int i = 0; i <= b->degree; ++i)
            mpz_submul(r.c[i + shift], top, b->c[i]);
        poly_trim(&r);
    }
    poly_trim(q);
    poly_make_primitive(q);
    mpz_clear(top);
    poly_clear(&r);
}

static int poly_sign_at(const poly *p, const mpq_t t)
{
    mpz_t value, power;
    mpz_inits(value, power, NULL);
    mpz_set_si(power, 1);
    for (int i = p->degree; i >= 0; --i) {
        mpz_mul(value, value, mpq_numref(t));
        mpz_addmul(value, p->c[i], power);
        mpz_mul(power, power, mpq_denref(t));
    }
    const int sign = mpz_sgn(value);
    mpz_clears(value, power, NULL);
    return sign;
}

/* ---- Sturm sequences ---- */

typedef struct chain {
    int length;
    poly p[MAX_DEGREE + 3];
} chain;

static void chain_make(chain *s, const poly *f, const poly *g)
{
    for (int i = 0; i < MAX_DEGREE + 3; ++i)
        poly_init(&s->p[i]);
    poly_copy(&s->p[0], f);
    poly_copy(&s->p[1], g);
    s->length = g->degree >= 0 ? 2 : 1;
    while (s->length >= 2 && s->p[s->length - 1].degree > 0) {
        poly *r = &s->p[s->length];
        poly_remainder(r, &s->p[s->length - 2], &s->p[s->length - 1]);
        if (r->degree < 0)
            break;
        for (int i = 0; i <= r->degree; ++i)
            mpz_neg(r->c[i], r->c[i]);
        ++s->length;
    }
}

static void chain_clear(chain *s)
{
    for (int i = 0; i < MAX_DEGREE + 3; ++i)
        poly_clear(&s->p[i]);
}

static int chain_changes(const chain *s, const mpq_t t)
{
    int changes = 0, last = 0;
    for (int i = 0; i < s->length; ++i) {
        const int sign = poly_sign_at(&s->p[i], t);
        changes += sign != 0 && sign == -last;
        last = sign ? sign : last;
    }
    return changes;
}

/* Without multiple roots. */
static void poly_square_free(poly *r, const poly *f)
{
    poly d;
    poly_init(&d);
    poly_derive(&d, f);
    chain s;
    chain_make(&s, f, &d);
    const poly *g = &s.p[s.length - 1];
    if (g->degree > 0)
        poly_quotient(r, f, g);
    else
        poly_copy(r, f);
    chain_clear(&s);
    poly_clear(&d);
}

/* ---- times ---- */

/* A rational time (lo = hi), or the one root of f, which has no multiple ones, between lo and
 * hi, where f is not zero. */
typedef struct event {
    poly f;
    mpq_t lo, hi;
    bool contact;
} event;

enum { MAX_EVENTS = 256, MAX_POLYS = 64, MAX_TERMS = 8 };

/* a product of conditions: all signs are allowed by their masks, bit sign + 1 */
typedef struct term {
    int count;
    int poly[MAX_TERMS], mask[MAX_TERMS];
} term;

struct oracle_impact {
    int poly_count, term_count, event_count;
    poly polys[MAX_POLYS];
    term terms[8];
    event events[MAX_EVENTS];
    bool coplanar;
};

static int sign_at(const poly *q, const event *e)
{
    if (q->degree < 0)
        return 0;
    if (mpq_equal(e->lo, e->hi))
        return poly_sign_at(q, e->lo);
    poly d, g;
    poly_init(&d);
    poly_init(&g);
    poly_derive(&d, &e->f);
    poly_accumulate(&g, &d, q, 1);
    chain s;
    chain_make(&s, &e->f, &g);
    const int sign = chain_changes(&s, e->lo) - chain_changes(&s, e->hi);
    chain_clear(&s);
    poly_clear(&d);
    poly_clear(&g);
    return sign;
}

static bool formula(const oracle_impact *o, const event *e)
{
    for (int i = 0; i < o->term_count; ++i) {
        bool all = true;
        for (int k = 0; k < o->terms[i].count && all; ++k)
            all = o->terms[i].mask[k] >> (sign_at(&o->polys[o->terms[i].poly[k]], e) + 1) & 1;
        if (all)
            return true;
    }
    return false;
}

static event *new_event(oracle_impact *o, const poly *f)
{
    event *e = &o->events[o->event_count++];
    if (o->event_count > MAX_EVENTS)
        abort();
    poly_init(&e->f);
    if (f)
        poly_copy(&e->f, f);
    mpq_inits(e->lo, e->hi, NULL);
    return e;
}

static void isolate(oracle_impact *o, const poly *f, const chain *s, const mpq_t lo, const mpq_t hi)
{
    /* Roots in (lo, hi); f is not zero at lo and hi. */
    const int count = chain_changes(s, lo) - chain_changes(s, hi);
    if (count == 0)
        return;
    if (count == 1) {
        event *e = new_event(o, f);
        mpq_set(e->lo, lo);
        mpq_set(e->hi, hi);
        return;
    }
    mpq_t middle, width;
    mpq_inits(middle, width, NULL);
    mpq_sub(width, hi, lo);
    /* A cut at an odd place, moved on while it is a root. */
    mpq_set_ui(middle, 17, 37);
    mpq_mul(middle, middle, width);
    mpq_add(middle, middle, lo);
    for (unsigned i = 0; poly_sign_at(f, middle) == 0; ++i) {
        mpq_set_ui(middle, 5 + i, 13 + 2 * i);
        mpq_mul(middle, middle, width);
        mpq_add(middle, middle, lo);
    }
    isolate(o, f, s, lo, middle);
    isolate(o, f, s, middle, hi);
    mpq_clears(middle, width, NULL);
}

/* Roots of p in the open interval (0, 1) become events. */
static void add_roots(oracle_impact *o, const poly *p)
{
    if (p->degree < 1)
        return;
    poly f, d;
    poly_init(&f);
    poly_init(&d);
    poly_square_free(&f, p);
    mpq_t zero, one;
    mpq_inits(zero, one, NULL);
    mpq_set_ui(one, 1, 1);
    for (int end = 0; end < 2; ++end) /* take out the roots at 0 and 1 */
        if (poly_sign_at(&f, end ? one : zero) == 0) {
            poly g, q;
            poly_init(&g);
            poly_init(&q);
            mpz_set_si(g.c[0], -end);
            mpz_set_si(g.c[1], 1);
            g.degree = 1;
            poly_quotient(&q, &f, &g);
            poly_copy(&f, &q);
            poly_clear(&g);
            poly_clear(&q);
        }
    if (f.degree > 0) {
        poly_derive(&d, &f);
        chain s;
        chain_make(&s, &f, &d);
        isolate(o, &f, &s, zero, one);
        chain_clear(&s);
    }
    mpq_clears(zero, one, NULL);
    poly_clear(&f);
    poly_clear(&d);
}

/* ---- the formula ---- */

static poly *new_poly(oracle_impact *o)
{
    if (o->poly_count == MAX_POLYS)
        abort();
    poly *p = &o->polys[o->poly_count++];
    poly_init(p);
    return p;
}

static int index_of(const oracle_impact *o, const poly *p)
{
    return (int)(p - o->polys);
}

typedef struct vector {
    poly x[3];
} vector;

static void vector_init(vector *v)
{
    for (int k = 0; k < 3; ++k)
        poly_init(&v->x[k]);
}

static void vector_clear(vector *v)
{
    for (int k = 0; k < 3; ++k)
        poly_clear(&v->x[k]);
}

static void vector_sub(vector *r, const vector *a, const vector *b)
{
    for (int k = 0; k < 3; ++k)
        poly_sub(&r->x[k], &a->x[k], &b->x[k]);
}

/* r is zero before. */
static void cross(vector *r, const vector *a, const vector *b)
{
    for (int k = 0; k < 3; ++k) {
        poly_accumulate(&r->x[k], &a->x[(k + 1) % 3], &b->x[(k + 2) % 3], 1);
        poly_accumulate(&r->x[k], &a->x[(k + 2) % 3], &b->x[(k + 1) % 3], -1);
    }
}

static void dot(poly *r, const vector *a, const vector *b)
{
    for (int k = 0; k < 3; ++k)
        poly_accumulate(r, &a->x[k], &b->x[k], 1);
}

enum { NEGATIVE = 1, ZERO = 2, POSITIVE = 4 };

static void require(oracle_impact *o, term *t, const poly *p, int mask)
{
    t->poly[t->count] = index_of(o, p);
    t->mask[t->count++] = mask;
}

/* The point p is on the segment from a to b. */
static void on_segment(oracle_impact *o, const vector *p, const vector *a, const vector *b)
{
    vector x, y, c;
    vector_init(&x);
    vector_init(&y);
    vector_init(&c);
    vector_sub(&x, a, p);
    vector_sub(&y, b, p);
    cross(&c, &x, &y);
    term *t = &o->terms[o->term_count++];
    t->count = 0;
    for (int k = 0; k < 3; ++k) {
        poly *q = new_poly(o);
        poly_copy(q, &c.x[k]);
        require(o, t, q, ZERO);
    }
    poly *q = new_poly(o);
    dot(q, &x, &y);
    require(o, t, q, NEGATIVE | ZERO);
    vector_clear(&x);
    vector_clear(&y);
    vector_clear(&c);
}

/* n . (a x b) */
static poly *triple(oracle_impact *o, const vector *n, const vector *a, const vector *b)
{
    vector c;
    vector_init(&c);
    cross(&c, a, b);
    poly *p = new_poly(o);
    dot(p, n, &c);
    vector_clear(&c);
    return p;
}

/* Corner `i` as a polynomial, in units of 2^e: start + t (end - start). */
static void set_corner(vector *v, const abut_vec3 *start, const abut_vec3 *end, int e)
{
    const double s[3] = { start->x, start->y, start->z }, f[3] = { end->x, end->y, end->z };
    for (int k = 0; k < 3; ++k) {
        mpq_t q;
        mpq_init(q);
        for (int i = 0; i < 2; ++i) {
            mpq_set_d(q, i ? f[k] : s[k]);
            mpq_mul_2exp(q, q, (mp_bitcnt_t)e);
            mpz_set(v->x[k].c[i], mpq_numref(q));
        }
        mpz_sub(v->x[k].c[1], v->x[k].c[1], v->x[k].c[0]);
        poly_trim(&v->x[k]);
        mpq_clear(q);
    }
}

/* How many halvings make all coordinates integers. */
static int fraction_bits(const abut_vec3 *p)
{
    int bits = 0;
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3; ++k) {
            const double x = k == 0 ? p[i].x : k == 1 ? p[i].y : p[i].z;
            mpq_t q;
            mpq_init(q);
            mpq_set_d(q, x);
            const int own = (int)mpz_sizeinbase(mpq_denref(q), 2) - 1;
            bits = own > bits ? own : bits;
            mpq_clear(q);
        }
    return bits;
}

oracle_impact *oracle_impact_create(const abut_vec3 start[4], const abut_vec3 end[4], bool edges)
{
    oracle_impact *o = calloc(1, sizeof *o);
    vector x[4], d[6];
    for (int i = 0; i < 4; ++i)
        vector_init(&x[i]);
    for (int i = 0; i < 6; ++i)
        vector_init(&d[i]);
    const int a = fraction_bits(start), b = fraction_bits(end);
    for (int i = 0; i < 4; ++i)
        set_corner(&x[i], &start[i], &end[i], a > b ? a : b);

    term *plane = &o->terms[o->term_count++];
    poly *p;
    if (edges) {
        /* p0 + alpha d = q0 + beta e: alpha = (w x e) . n / n . n, beta = (w x d) . n / n . n, w
         * = q0 - p0. */
        vector *dd = &d[0], *ee = &d[1], *w = &d[2], *n = &d[3];
        vector_sub(dd, &x[1], &x[0]);
        vector_sub(ee, &x[3], &x[2]);
        vector_sub(w, &x[2], &x[0]);
        cross(n, dd, ee);
        p = new_poly(o);
        dot(p, w, n);
        poly *nn = new_poly(o), *alpha = triple(o, n, w, ee), *beta = triple(o, n, w, dd);
        dot(nn, n, n);
        poly *alpha1 = new_poly(o), *beta1 = new_poly(o);
        poly_sub(alpha1, nn, alpha);
        poly_sub(beta1, nn, beta);
        require(o, plane, p, ZERO);
        require(o, plane, nn, POSITIVE);
        require(o, plane, alpha, ZERO | POSITIVE);
        require(o, plane, beta, ZERO | POSITIVE);
        require(o, plane, alpha1, ZERO | POSITIVE);
        require(o, plane, beta1, ZERO | POSITIVE);
        on_segment(o, &x[0], &x[2], &x[3]);
        on_segment(o, &x[1], &x[2], &x[3]);
        on_segment(o, &x[2], &x[0], &x[1]);
        on_segment(o, &x[3], &x[0], &x[1]);
    } else {
        vector *ab = &d[0], *bc = &d[1], *ca = &d[2], *n = &d[3], *ap = &d[4], *other = &d[5];
        vector_sub(ab, &x[2], &x[1]);
        vector_sub(bc, &x[3], &x[2]);
        vector_sub(ca, &x[1], &x[3]);
        cross(n, ab, bc);
        vector_sub(ap, &x[0], &x[1]);
        p = new_poly(o);
        dot(p, ap, n);
        poly *nn = new_poly(o);
        dot(nn, n, n);
        require(o, plane, p, ZERO);
        require(o, plane, nn, POSITIVE);
        require(o, plane, triple(o, n, ab, ap), ZERO | POSITIVE);
        vector_sub(other, &x[0], &x[2]);
        require(o, plane, triple(o, n, bc, other), ZERO | POSITIVE);
        vector_sub(other, &x[0], &x[3]);
        require(o, plane, triple(o, n, ca, other), ZERO | POSITIVE);
        on_segment(o, &x[0], &x[1], &x[2]);
        on_segment(o, &x[0], &x[2], &x[3]);
        on_segment(o, &x[0], &x[3], &x[1]);
    }
    o->coplanar = p->degree < 0;
    for (int end_of = 0; end_of < 2; ++end_of) {
        event *e = new_event(o, NULL);
        mpq_set_ui(e->lo, (unsigned long)end_of, 1);
        mpq_set(e->hi, e->lo);
    }
    if (o->coplanar) {
        const int count = o->poly_count;
        for (int i = 0; i < count; ++i)
            add_roots(o, &o->polys[i]);
    } else {
        add_roots(o, p);
    }
    for (int i = 0; i < o->event_count; ++i)
        o->events[i].contact = formula(o, &o->events[i]);
    for (int i = 0; i < 4; ++i)
        vector_clear(&x[i]);
    for (int i = 0; i < 6; ++i)
        vector_clear(&d[i]);
    return o;
}

void oracle_impact_destroy(oracle_impact *o)
{
    for (int i = 0; i < o->poly_count; ++i)
        poly_clear(&o->polys[i]);
    for (int i = 0; i < o->event_count; ++i) {
        poly_clear(&o->events[i].f);
        mpq_clears(o->events[i].lo, o->events[i].hi, NULL);
    }
    free(o);
}

bool oracle_impact_contact(const oracle_impact *o)
{
    for (int i = 0; i < o->event_count; ++i)
        if (o->events[i].contact)
            return true;
    return false;
}

bool oracle_impact_coplanar(const oracle_impact *o)
{
    return o->coplanar;
}

/* Is the time of the event below, at or above t? */
static int compare(const event *e, double t)
{
    mpq_t at;
    mpq_init(at);
    mpq_set_d(at, t);
    int order;
    if (mpq_cmp(e->lo, at) >= 0) { /* at the ends of an open interval the root is beyond */
        order = mpq_equal(e->lo, e->hi) ? mpq_cmp(e->lo, at) : 1;
    } else if (mpq_cmp(e->hi, at) <= 0) {
        order = mpq_equal(e->lo, e->hi) ? mpq_cmp(e->hi, at) : -1;
    } else { /* one sign change in between */
        const int sign = poly_sign_at(&e->f, at);
        order = sign == 0 ? 0 : sign == poly_sign_at(&e->f, e->lo) ? 1 : -1;
    }
    mpq_clear(at);
    return order > 0 ? 1 : order < 0 ? -1 : 0;
}

bool oracle_impact_first_in(const oracle_impact *o, double lo, double hi)
{
    bool inside = false;
    for (int i = 0; i < o->event_count; ++i)
        if (o->events[i].contact) {
            if (compare(&o->events[i], lo) < 0)
                return false;
            inside = inside || compare(&o->events[i], hi) <= 0;
        }
    return inside;
}

int oracle_impact_events(const oracle_impact *o, double lo, double hi)
{
    int count = 0;
    for (int i = 0; i < o->event_count; ++i)
        count += o->events[i].contact && compare(&o->events[i], lo) >= 0 && compare(&o->events[i], hi) <= 0;
    return count;
}

bool oracle_impact_at(const oracle_impact *o, double t)
{
    event e;
    poly_init(&e.f);
    mpq_inits(e.lo, e.hi, NULL);
    mpq_set_d(e.lo, t);
    mpq_set(e.hi, e.lo);
    const bool contact = formula(o, &e);
    poly_clear(&e.f);
    mpq_clears(e.lo, e.hi, NULL);
    return contact;
}
