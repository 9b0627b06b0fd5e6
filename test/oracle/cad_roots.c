/* SPDX-License-Identifier: MIT */
/* See cad_roots.h. */
#include "oracle/cad_roots.h"

#include <math.h>

enum { MOST = 14, BITS = 160 };

typedef struct poly {
    int degree; /* -1: zero */
    mpq_t c[MOST];
} poly;

static void poly_init(poly *p)
{
    p->degree = -1;
    for (int i = 0; i < MOST; ++i)
        mpq_init(p->c[i]);
}

static void poly_clear(poly *p)
{
    for (int i = 0; i < MOST; ++i)
        mpq_clear(p->c[i]);
}

static void poly_trim(poly *p)
{
    while (p->degree >= 0 && mpq_sgn(p->c[p->degree]) == 0)
        --p->degree;
}

static void poly_set(poly *r, const poly *p)
{
    r->degree = p->degree;
    for (int i = 0; i <= p->degree; ++i)
        mpq_set(r->c[i], p->c[i]);
}

/* Divides by the size of the leading coefficient, which keeps the numbers short. */
static void poly_normalise(poly *p)
{
    mpq_t s;
    if (p->degree < 0)
        return;
    mpq_init(s);
    mpq_abs(s, p->c[p->degree]);
    for (int i = 0; i <= p->degree; ++i)
        mpq_div(p->c[i], p->c[i], s);
    mpq_clear(s);
}

static void poly_derive(poly *r, const poly *p)
{
    mpq_t k;
    mpq_init(k);
    r->degree = p->degree - 1;
    for (int i = 1; i <= p->degree; ++i) {
        mpq_set_si(k, i, 1);
        mpq_mul(r->c[i - 1], p->c[i], k);
    }
    if (p->degree <= 0)
        r->degree = -1;
    mpq_clear(k);
}

/* r = a mod b, quotient where q is not NULL. */
static void poly_divide(poly *r, poly *q, const poly *a, const poly *b)
{
    mpq_t f, t;
    mpq_init(f);
    mpq_init(t);
    poly_set(r, a);
    if (q) {
        q->degree = a->degree - b->degree;
        for (int i = 0; i <= q->degree; ++i)
            mpq_set_si(q->c[i], 0, 1);
    }
    while (r->degree >= b->degree) {
        const int shift = r->degree - b->degree;
        mpq_div(f, r->c[r->degree], b->c[b->degree]);
        if (q)
            mpq_set(q->c[shift], f);
        for (int i = 0; i < b->degree; ++i) {
            mpq_mul(t, f, b->c[i]);
            mpq_sub(r->c[i + shift], r->c[i + shift], t);
        }
        --r->degree;
        poly_trim(r);
    }
    mpq_clear(f);
    mpq_clear(t);
}

static void poly_gcd(poly *r, const poly *a, const poly *b)
{
    poly u, v, w;
    poly_init(&u);
    poly_init(&v);
    poly_init(&w);
    poly_set(&u, a);
    poly_set(&v, b);
    while (v.degree >= 0) {
        poly_divide(&w, NULL, &u, &v);
        poly_normalise(&w);
        poly_set(&u, &v);
        poly_set(&v, &w);
    }
    poly_set(r, &u);
    poly_clear(&u);
    poly_clear(&v);
    poly_clear(&w);
}

static void poly_at(mpq_t r, const poly *p, const mpq_t t)
{
    mpq_set_si(r, 0, 1);
    for (int i = p->degree; i >= 0; --i) {
        mpq_mul(r, r, t);
        mpq_add(r, r, p->c[i]);
    }
}

static int poly_sign(const poly *p, const mpq_t t)
{
    mpq_t v;
    mpq_init(v);
    poly_at(v, p, t);
    const int sign = mpq_sgn(v);
    mpq_clear(v);
    return sign;
}

typedef struct chain {
    int count;
    poly p[MOST];
} chain;

static void chain_make(chain *s, const poly *p)
{
    for (int i = 0; i < MOST; ++i)
        poly_init(&s->p[i]);
    poly_set(&s->p[0], p);
    poly_derive(&s->p[1], p);
    s->count = p->degree > 0 ? 2 : 1;
    while (s->count > 1 && s->count < MOST) {
        poly *r = &s->p[s->count];
        poly_divide(r, NULL, &s->p[s->count - 2], &s->p[s->count - 1]);
        if (r->degree < 0)
            break;
        for (int i = 0; i <= r->degree; ++i)
            mpq_neg(r->c[i], r->c[i]);
        poly_normalise(r);
        ++s->count;
    }
}

static void chain_clear(chain *s)
{
    for (int i = 0; i < MOST; ++i)
        poly_clear(&s->p[i]);
}

static int changes(const chain *s, const mpq_t t)
{
    int last = 0, count = 0;
    for (int i = 0; i < s->count; ++i) {
        const int sign = poly_sign(&s->p[i], t);
        if (sign && last && sign != last)
            ++count;
        if (sign)
            last = sign;
    }
    return count;
}

/* Roots in (lo, hi]. */
static int roots_in(const chain *s, const mpq_t lo, const mpq_t hi)
{
    return changes(s, lo) - changes(s, hi);
}

/* ---- points of curves ---- */

typedef struct setting {
    const abut_solid_edge *edge;
    const abut_solid_surface *surface;
    mpq_t length; /* of the circle's axis */
    abut_vec3 from, to;
    const abut_vec3 *cubic;
} setting;

static double part(abut_vec3 v, int i)
{
    return i == 0 ? v.x : i == 1 ? v.y : v.z;
}

static void set_product(mpq_t r, const mpq_t a, double b)
{
    mpq_t t;
    mpq_init(t);
    mpq_set_d(t, b);
    mpq_mul(r, a, t);
    mpq_clear(t);
}

/* Bernstein sum, weights w[0..n]; the denominator's weights come with value 1. */
static void bezier(mpq_t r, int n, mpq_t *value, const mpq_t t)
{
    mpq_t level[4], u, a;
    mpq_init(u);
    mpq_init(a);
    for (int i = 0; i <= n; ++i) {
        mpq_init(level[i]);
        mpq_set(level[i], value[i]);
    }
    mpq_set_si(u, 1, 1);
    mpq_sub(u, u, t);
    for (int k = n; k > 0; --k)
        for (int i = 0; i < k; ++i) {
            mpq_mul(level[i], level[i], u);
            mpq_mul(a, level[i + 1], t);
            mpq_add(level[i], level[i], a);
        }
    mpq_set(r, level[0]);
    for (int i = 0; i <= n; ++i)
        mpq_clear(level[i]);
    mpq_clear(u);
    mpq_clear(a);
}

/* The point, and the denominator to multiply by. */
static void curve_point(const setting *s, const mpq_t t, mpq_t x[3], mpq_t w)
{
    const abut_solid_edge *e = s->edge;
    mpq_t v[4];
    for (int i = 0; i < 4; ++i)
        mpq_init(v[i]);
    mpq_set_si(w, 1, 1);
    if (e->kind == ABUT_SOLID_EDGE_LINE || e->kind == ABUT_SOLID_EDGE_SPLINE) {
        const int n = e->kind == ABUT_SOLID_EDGE_LINE ? 1 : 3;
        for (int i = 0; i < 3; ++i) {
            for (int k = 0; k <= n; ++k)
                mpq_set_d(v[k], n == 3 ? part(s->cubic[k], i) : part(k ? s->to : s->from, i));
            bezier(x[i], n, v, t);
        }
    } else if (e->kind == ABUT_SOLID_EDGE_CONIC) {
        mpq_set_si(v[0], 1, 1);
        mpq_set_d(v[1], e->weight);
        mpq_set_si(v[2], 1, 1);
        bezier(w, 2, v, t);
        for (int i = 0; i < 3; ++i) {
            mpq_set_d(v[0], part(s->from, i));
            mpq_set_d(v[1], part(e->control, i));
            set_product(v[1], v[1], e->weight);
            mpq_set_d(v[2], part(s->to, i));
            bezier(x[i], 2, v, t);
            mpq_div(x[i], x[i], w);
        }
    } else {
        /* cos = (1 - t^2) / (1 + t^2), sin = 2 t / (1 + t^2) */
        mpq_t cosine, sine, arm[3];
        mpq_init(cosine);
        mpq_init(sine);
        mpq_mul(cosine, t, t);
        mpq_set_si(v[0], 1, 1);
        mpq_add(w, v[0], cosine);
        mpq_sub(cosine, v[0], cosine);
        mpq_div(cosine, cosine, w);
        mpq_add(sine, t, t);
        mpq_div(sine, sine, w);
        for (int i = 0; i < 3; ++i) {
            mpq_init(arm[i]);
            mpq_set_d(arm[i], part(s->from, i));
            mpq_set_d(v[0], part(e->center, i));
            mpq_sub(arm[i], arm[i], v[0]);
        }
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            set_product(v[1], arm[k], part(e->axis, j));
            set_product(v[2], arm[j], part(e->axis, k));
            mpq_sub(v[1], v[1], v[2]);
            mpq_div(v[1], v[1], s->length);
            mpq_mul(v[1], v[1], sine);
            mpq_mul(v[2], arm[i], cosine);
            mpq_set_d(x[i], part(e->center, i));
            mpq_add(x[i], x[i], v[1]);
            mpq_add(x[i], x[i], v[2]);
        }
        for (int i = 0; i < 3; ++i)
            mpq_clear(arm[i]);
        mpq_clear(cosine);
        mpq_clear(sine);
    }
    for (int i = 0; i < 4; ++i)
        mpq_clear(v[i]);
}

/* ---- the surface ---- */

static int surface_degree(const abut_solid_surface *s)
{
    return s->kind == ABUT_SOLID_PLANE ? 1 : s->kind == ABUT_SOLID_TORUS ? 4 : 2;
}

/* Height over the point along the axis (times its length), and squared distances from the point and, times
 * |axis|^2, from the axis. */
static void measures(const abut_solid_surface *s, mpq_t x[3], mpq_t height, mpq_t square, mpq_t off,
                     mpq_t size)
{
    mpq_t d, a, t;
    mpq_init(d);
    mpq_init(a);
    mpq_init(t);
    mpq_set_si(height, 0, 1);
    mpq_set_si(square, 0, 1);
    mpq_set_si(size, 0, 1);
    for (int i = 0; i < 3; ++i) {
        mpq_set_d(d, part(s->point, i));
        mpq_sub(d, x[i], d);
        mpq_set_d(a, part(s->axis, i));
        mpq_mul(t, d, a);
        mpq_add(height, height, t);
        mpq_mul(t, d, d);
        mpq_add(square, square, t);
        mpq_mul(t, a, a);
        mpq_add(size, size, t);
    }
    mpq_mul(off, square, size);
    mpq_mul(t, height, height);
    mpq_sub(off, off, t);
    mpq_clear(d);
    mpq_clear(a);
    mpq_clear(t);
}

static void surface_value(const abut_solid_surface *s, mpq_t x[3], mpq_t r)
{
    mpq_t height, square, off, size, t;
    mpq_init(height);
    mpq_init(square);
    mpq_init(off);
    mpq_init(size);
    mpq_init(t);
    if (s->kind != ABUT_SOLID_QUADRIC)
        measures(s, x, height, square, off, size);
    mpq_set_d(t, s->kind == ABUT_SOLID_CONE ? s->tangent : s->radius);
    mpq_mul(t, t, t);
    switch (s->kind) {
    case ABUT_SOLID_PLANE: mpq_set(r, height); break;
    case ABUT_SOLID_SPHERE: mpq_sub(r, square, t); break;
    case ABUT_SOLID_CYLINDER:
        mpq_mul(t, t, size);
        mpq_sub(r, off, t);
        break;
    case ABUT_SOLID_CONE:
        mpq_mul(t, t, height);
        mpq_mul(t, t, height);
        mpq_sub(r, off, t);
        break;
    case ABUT_SOLID_TORUS: {
        /* (square + R^2 - r^2)^2 = 4 R^2 off / size */
        mpq_t minor;
        mpq_init(minor);
        mpq_set_d(minor, s->minor);
        mpq_mul(minor, minor, minor);
        mpq_add(r, square, t);
        mpq_sub(r, r, minor);
        mpq_mul(r, r, r);
        mpq_mul(t, t, off);
        mpq_div(t, t, size);
        mpq_set_si(minor, 4, 1);
        mpq_mul(t, t, minor);
        mpq_sub(r, r, t);
        mpq_clear(minor);
        break;
    }
    default:
        mpq_set_si(r, 0, 1);
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j) {
                mpq_set_d(t, s->matrix[i][j]);
                if (i < 3)
                    mpq_mul(t, t, x[i]);
                if (j < 3)
                    mpq_mul(t, t, x[j]);
                mpq_add(r, r, t);
            }
    }
    mpq_clear(height);
    mpq_clear(square);
    mpq_clear(off);
    mpq_clear(size);
    mpq_clear(t);
}

/* The polynomial of degree `degree` through its values at 0, 1/16, 2/16, ...: Newton's differences. */
static void interpolate(const setting *s, int surface_power, int degree, poly *out)
{
    mpq_t y[MOST], x[3], w, t, k;
    for (int i = 0; i < 3; ++i)
        mpq_init(x[i]);
    mpq_init(w);
    mpq_init(t);
    mpq_init(k);
    for (int i = 0; i <= degree; ++i) {
        mpq_init(y[i]);
        mpq_set_si(t, i, 16);
        mpq_canonicalize(t);
        curve_point(s, t, x, w);
        surface_value(s->surface, x, y[i]);
        for (int j = 0; j < surface_power; ++j)
            mpq_mul(y[i], y[i], w);
    }
    for (int j = 1; j <= degree; ++j)
        for (int i = degree; i >= j; --i) {
            mpq_sub(y[i], y[i], y[i - 1]);
            mpq_set_si(k, 16, (unsigned long)j);
            mpq_canonicalize(k);
            mpq_mul(y[i], y[i], k);
        }
    out->degree = degree;
    for (int i = 0; i <= degree; ++i)
        mpq_set_si(out->c[i], 0, 1);
    for (int j = degree; j >= 0; --j) {
        /* out = out (t - j / 16) + y[j] */
        mpq_set_si(k, j, 16);
        mpq_canonicalize(k);
        for (int i = degree; i >= 0; --i) {
            mpq_mul(t, out->c[i], k);
            mpq_neg(out->c[i], t);
            if (i > 0)
                mpq_add(out->c[i], out->c[i], out->c[i - 1]);
        }
        mpq_add(out->c[0], out->c[0], y[j]);
    }
    poly_trim(out);
    for (int i = 0; i <= degree; ++i)
        mpq_clear(y[i]);
    for (int i = 0; i < 3; ++i)
        mpq_clear(x[i]);
    mpq_clear(w);
    mpq_clear(t);
    mpq_clear(k);
}

/* ---- roots ---- */

static void new_root(cad_roots *out, cad_root **r)
{
    *r = &out->root[out->count++];
    out->made = out->count;
    mpq_init((*r)->lo);
    mpq_init((*r)->hi);
    for (int i = 0; i < 3; ++i)
        mpq_init((*r)->point[i]);
    (*r)->far = false;
    (*r)->multiplicity = 1;
    (*r)->nappe = 1;
}

/* At the root, which is exact where hi is one. */
static void describe(const setting *s, const poly *square_free, cad_root *r)
{
    mpq_t x[3], w, t, height, square, off, size, bound;
    for (int i = 0; i < 3; ++i)
        mpq_init(x[i]);
    mpq_inits(w, t, height, square, off, size, bound, NULL);
    const bool exact = poly_sign(square_free, r->hi) == 0;
    mpq_set(t, r->hi);
    if (!exact) {
        mpq_add(t, t, r->lo);
        mpq_div_2exp(t, t, 1);
    }
    curve_point(s, t, x, w);
    for (int i = 0; i < 3; ++i)
        mpq_set(r->point[i], x[i]);
    r->at = mpq_get_d(t);
    if (s->surface->kind == ABUT_SOLID_CONE) {
        measures(s->surface, x, height, square, off, size);
        mpq_set_d(bound, exact ? 0 : 0x1p-60);
        mpq_abs(t, height);
        r->nappe = mpq_cmp(t, bound) <= 0 ? 0 : mpq_sgn(height);
    }
    for (int i = 0; i < 3; ++i)
        mpq_clear(x[i]);
    mpq_clears(w, t, height, square, off, size, bound, NULL);
}

static void isolate(const chain *s, const mpq_t lo, const mpq_t hi, int roots, cad_roots *out)
{
    if (roots == 0)
        return;
    mpq_t mid, width, goal;
    mpq_inits(mid, width, goal, NULL);
    mpq_sub(width, hi, lo);
    mpq_set_si(goal, 1, 1);
    mpq_div_2exp(goal, goal, BITS);
    if (roots == 1 && poly_sign(&s->p[0], lo) != 0) {
        /* By the sign of the polynomial alone, whose roots are simple. */
        cad_root *r;
        const int sign = poly_sign(&s->p[0], lo);
        mpq_t a, b;
        mpq_inits(a, b, NULL);
        mpq_set(a, lo);
        mpq_set(b, hi);
        for (mpq_sub(width, b, a); mpq_cmp(width, goal) >= 0; mpq_sub(width, b, a)) {
            mpq_add(mid, a, b);
            mpq_div_2exp(mid, mid, 1);
            mpq_set(poly_sign(&s->p[0], mid) == sign ? a : b, mid);
        }
        new_root(out, &r);
        mpq_set(r->lo, a);
        mpq_set(r->hi, b);
        mpq_clears(a, b, NULL);
    } else if (roots == 1 && mpq_cmp(width, goal) < 0) {
        cad_root *r;
        new_root(out, &r);
        mpq_set(r->lo, lo);
        mpq_set(r->hi, hi);
    } else {
        mpq_add(mid, lo, hi);
        mpq_div_2exp(mid, mid, 1);
        const int left = roots_in(s, lo, mid);
        isolate(s, lo, mid, left, out);
        isolate(s, mid, hi, roots - left, out);
    }
    mpq_clears(mid, width, goal, NULL);
}

static void find_roots(const setting *s, const poly *p, int full, cad_roots *out)
{
    poly g, d, square_free, rest;
    chain chains;
    mpq_t lo, hi, t;
    poly_init(&g);
    poly_init(&d);
    poly_init(&square_free);
    poly_init(&rest);
    mpq_inits(lo, hi, t, NULL);
    poly_derive(&d, p);
    poly_gcd(&g, p, &d);
    poly_divide(&rest, &square_free, p, &g);
    chain_make(&chains, &square_free);
    /* A power of two beyond the Cauchy bound: 1 + max |c_i / c_n|. */
    mpq_set_si(hi, 2, 1);
    for (int i = 0; i < square_free.degree; ++i) {
        mpq_div(t, square_free.c[i], square_free.c[square_free.degree]);
        mpq_abs(t, t);
        mpq_add(hi, hi, t);
    }
    mpz_set_ui(mpq_numref(lo), 1);
    mpz_set_ui(mpq_denref(lo), 1);
    while (mpq_cmp(lo, hi) < 0)
        mpq_mul_2exp(lo, lo, 1);
    mpq_set(hi, lo);
    mpq_neg(lo, lo);
    isolate(&chains, lo, hi, roots_in(&chains, lo, hi), out);
    for (int i = 0; i < out->count; ++i)
        describe(s, &square_free, &out->root[i]);
    chain_clear(&chains);
    /* Roots of the greatest common divisor are of a higher multiplicity. */
    while (g.degree > 0) {
        poly_derive(&d, &g);
        poly_gcd(&rest, &g, &d);
        poly_divide(&d, &square_free, &g, &rest);
        chain_make(&chains, &square_free);
        for (int i = 0; i < out->count; ++i)
            out->root[i].multiplicity += roots_in(&chains, out->root[i].lo, out->root[i].hi);
        chain_clear(&chains);
        poly_set(&g, &rest);
    }
    if (p->degree < full) {
        cad_root *r;
        new_root(out, &r);
        r->far = true;
        r->multiplicity = full - p->degree;
        r->at = HUGE_VAL;
        for (int i = 0; i < 3; ++i) {
            mpq_set_d(r->point[i], part(s->edge->center, i));
            mpq_add(r->point[i], r->point[i], r->point[i]);
            mpq_set_d(t, part(s->from, i));
            mpq_sub(r->point[i], r->point[i], t);
        }
        if (s->surface->kind == ABUT_SOLID_CONE) {
            mpq_t square, off, size;
            mpq_inits(square, off, size, NULL);
            measures(s->surface, r->point, t, square, off, size);
            r->nappe = mpq_sgn(t);
            mpq_clears(square, off, size, NULL);
        }
    }
    poly_clear(&g);
    poly_clear(&d);
    poly_clear(&square_free);
    poly_clear(&rest);
    mpq_clears(lo, hi, t, NULL);
}

/* The square root of the sum of squares, exact where it is rational with a small enough denominator. */
static void axis_length(abut_vec3 axis, mpq_t r)
{
    mpq_t t;
    mpz_t n;
    mpq_init(t);
    mpz_init(n);
    mpq_set_si(r, 0, 1);
    for (int i = 0; i < 3; ++i) {
        mpq_set_d(t, part(axis, i));
        mpq_mul(t, t, t);
        mpq_add(r, r, t);
    }
    mpq_mul_2exp(r, r, 2 * 600);
    mpz_tdiv_q(n, mpq_numref(r), mpq_denref(r));
    mpz_sqrt(n, n);
    mpq_set_z(r, n);
    mpq_div_2exp(r, r, 600);
    mpq_clear(t);
    mpz_clear(n);
}

void cad_roots_find(const abut_curve *curve, uint32_t piece, const abut_solid_surface *surface,
                    cad_roots *out)
{
    setting s = { .edge = &curve->edge, .surface = surface };
    poly p;
    *out = (cad_roots){ 0 };
    poly_init(&p);
    mpq_init(s.length);
    const bool spline = s.edge->kind == ABUT_SOLID_EDGE_SPLINE,
               circle = s.edge->kind == ABUT_SOLID_EDGE_CIRCLE;
    if (spline)
        s.cubic = s.edge->points + 3 * piece;
    else {
        s.from = curve->vertices[s.edge->from];
        s.to = curve->vertices[s.edge->to];
    }
    if (circle)
        axis_length(s.edge->axis, s.length);
    const int power = surface_degree(surface), of_curve = spline                                 ? 3
                                                          : s.edge->kind == ABUT_SOLID_EDGE_LINE ? 1
                                                                                                 : 2;
    interpolate(&s, power, power * of_curve, &p);
    out->contained = p.degree < 0;
    if (!out->contained)
        find_roots(&s, &p, circle ? power * of_curve : -1, out);
    mpq_clear(s.length);
    poly_clear(&p);
}

void cad_roots_clear(cad_roots *roots)
{
    for (int i = 0; i < roots->made; ++i) {
        mpq_clear(roots->root[i].lo);
        mpq_clear(roots->root[i].hi);
        for (int k = 0; k < 3; ++k)
            mpq_clear(roots->root[i].point[k]);
    }
    roots->count = roots->made = 0;
}
