/* SPDX-License-Identifier: MIT */
/* Curves put into surfaces, in intervals and in exact numbers; the formulas are in ring.h. */
#include "intersect/substitute.h"

#include "intersect/number.h"

#include <math.h>

/* ---- intervals ---- */

static inline bool interval_from(ia *r, abut_interval x)
{
    *r = ia_from(x);
    return true;
}

static inline bool interval_root(ia *r, const ia *a)
{
    *r = ia_sqrt(*a);
    return !ia_is_empty(*r);
}

#define NUM              ia
#define R(name)          interval_##name
#define num_from(r, x)   interval_from(r, x)
#define num_whole(r, n)  (*(r) = ia_point(n))
#define num_add(r, a, b) (*(r) = ia_add(*(a), *(b)))
#define num_sub(r, a, b) (*(r) = ia_sub(*(a), *(b)))
#define num_mul(r, a, b) (*(r) = (a) == (b) ? ia_sqr(*(a)) : ia_mul(*(a), *(b)))
#define num_root(r, a)   interval_root(r, a)
#include "intersect/ring.h"
#undef NUM
#undef R
#undef num_from
#undef num_whole
#undef num_add
#undef num_sub
#undef num_mul
#undef num_root

static void write_poly(const interval_poly *p, abut_interval *c)
{
    for (int i = 0; i <= p->degree; ++i)
        c[i] = ia_to(p->c[i]);
}

static ABUT_NOINLINE void substitute(const abut_enclosed_curve *curve, const abut_enclosed_surface *surface,
                                     abut_substituted *out)
{
    interval_curve c;
    interval_poly p, height = { .degree = -1 };
    *out = (abut_substituted){ .degree = -1 };
    if (!interval_curve_of(curve, &c))
        return;
    for (int i = 0; i < 3; ++i)
        write_poly(&c.x[i], out->point[i]);
    write_poly(&c.w, out->weight);
    out->curve_degree = c.x[0].degree;
    if (!interval_equation(surface, &c, &p, &height))
        return;
    out->degree = p.degree;
    write_poly(&p, out->c);
    write_poly(&height, out->height);
}

void abut_substitute(const abut_enclosed_curve *curve, const abut_enclosed_surface *surface,
                     abut_substituted *out)
{
    const abut_rounding saved = abut_rounding_enter();
    substitute(curve, surface, out);
    abut_rounding_leave(saved);
}

static ia horner(const abut_interval *c, int degree, ia t)
{
    ia v = ia_from(c[degree]);
    for (int i = degree; i-- > 0;)
        v = ia_add(ia_mul(v, t), ia_from(c[i]));
    return v;
}

static ABUT_NOINLINE void point_at(const abut_substituted *s, const abut_interval *at,
                                   abut_interval_vec3 *out)
{
    const ia t = ia_from(*at), w = horner(s->weight, s->curve_degree, t);
    ia3 p;
    p.x = ia_div(horner(s->point[0], s->curve_degree, t), w);
    p.y = ia_div(horner(s->point[1], s->curve_degree, t), w);
    p.z = ia_div(horner(s->point[2], s->curve_degree, t), w);
    *out = ia3_to(p);
}

abut_interval_vec3 abut_substituted_point(const abut_substituted *s, abut_interval t)
{
    abut_interval_vec3 out;
    const abut_rounding saved = abut_rounding_enter();
    point_at(s, &t, &out);
    abut_rounding_leave(saved);
    return out;
}

/* ---- exact numbers ---- */

static bool exact_from(abut_number *r, abut_interval x)
{
    abut_number_from(r, x.lo);
    return x.lo == x.hi && !abut_number_is_bad(r);
}

/* The root where it is a double. */
static bool exact_root(abut_number *r, const abut_number *a)
{
    double terms[ABUT_SUBSTITUTE_TERMS];
    if (abut_number_sign(a) <= 0 || abut_number_sign(a) == 2)
        return false;
    /* By an even power of two to where the sum is neither large nor small. */
    const int even = abut_number_top(a) & ~1;
    if (!abut_number_split(a, -even, terms, ABUT_SUBSTITUTE_TERMS))
        return false;
    double sum = 0;
    for (int i = 0; i < ABUT_SUBSTITUTE_TERMS; ++i)
        sum += terms[i];
    abut_number square;
    abut_number_from(r, ldexp(sqrt(sum), even / 2));
    abut_number_mul(&square, r, r);
    abut_number_sub(&square, &square, a);
    return abut_number_sign(&square) == 0;
}

#define NUM              abut_number
#define R(name)          exact_##name
#define num_from(r, x)   exact_from(r, x)
#define num_whole(r, n)  abut_number_from(r, n)
#define num_add(r, a, b) abut_number_add(r, a, b)
#define num_sub(r, a, b) abut_number_sub(r, a, b)
#define num_mul(r, a, b) abut_number_mul(r, a, b)
#define num_root(r, a)   exact_root(r, a)
#include "intersect/ring.h"

/* Terms of a polynomial, scaled to a top of 2^900 or so; the degree without leading zeros, -2 where it does not
 * fit. */
static int split(const exact_poly *p, double (*terms)[ABUT_SUBSTITUTE_TERMS])
{
    int degree = -1, top = INT32_MIN;
    for (int i = 0; i <= p->degree; ++i) {
        const int sign = abut_number_sign(&p->c[i]);
        if (sign == 2)
            return -2;
        if (sign == 0)
            continue;
        degree = i;
        top = abut_number_top(&p->c[i]) > top ? abut_number_top(&p->c[i]) : top;
    }
    for (int i = 0; i <= degree; ++i)
        if (!abut_number_split(&p->c[i], 900 - top, terms[i], ABUT_SUBSTITUTE_TERMS))
            return -2;
    return degree;
}

bool abut_substitute_exact(const abut_enclosed_curve *curve, const abut_enclosed_surface *surface,
                           abut_substituted_exact *out)
{
    exact_curve c;
    exact_poly p, height;
    height.degree = -1;
    if (!exact_curve_of(curve, &c) || !exact_equation(surface, &c, &p, &height))
        return false;
    out->degree = split(&p, out->terms);
    out->height_degree = split(&height, out->height);
    return out->degree >= -1 && out->height_degree >= -1;
}

static void add_terms(abut_number *sum, const double *terms)
{
    abut_number term;
    for (int j = 0; j < ABUT_SUBSTITUTE_TERMS && terms[j] != 0; ++j) {
        abut_number_from(&term, terms[j]);
        abut_number_add(sum, sum, &term);
    }
}

int abut_substituted_sign(const abut_substituted_exact *p, double t)
{
    abut_number value, at;
    abut_number_from(&at, t);
    abut_number_from(&value, 0);
    for (int i = p->degree; i >= 0; --i) {
        abut_number_mul(&value, &value, &at);
        add_terms(&value, p->terms[i]);
    }
    return abut_number_sign(&value);
}

bool abut_substituted_apex(const abut_substituted_exact *p)
{
    if (p->degree > 2 || p->height_degree != 1)
        return false;
    /* The height is 0 at t = -h0 / h1; there f h1^2 is (f2 (-h0) + f1 h1) (-h0) + f0 h1 h1. */
    abut_number value, term, h0, h1;
    abut_number_from(&h0, 0);
    abut_number_from(&h1, 0);
    add_terms(&h0, p->height[0]);
    add_terms(&h1, p->height[1]);
    abut_number_from(&term, 0);
    abut_number_sub(&h0, &term, &h0);
    abut_number_from(&value, 0);
    abut_number power = { 0 };
    abut_number_from(&power, 1);
    for (int i = p->degree; i >= 0; --i) {
        abut_number c;
        abut_number_from(&c, 0);
        add_terms(&c, p->terms[i]);
        abut_number_mul(&value, &value, &h0);
        abut_number_mul(&term, &c, &power);
        abut_number_add(&value, &value, &term);
        abut_number_mul(&power, &power, &h1);
    }
    return abut_number_sign(&value) == 0;
}

int abut_on_surface_exact(const abut_enclosed_surface *surface, abut_vec3 p)
{
    exact_curve c;
    exact_poly value, height;
    const double x[3] = { p.x, p.y, p.z };
    for (int i = 0; i < 3; ++i) {
        c.x[i].degree = 0;
        if (!exact_from(&c.x[i].c[0], (abut_interval){ x[i], x[i] }))
            return -1;
    }
    c.w.degree = 0;
    exact_from(&c.w.c[0], (abut_interval){ 1, 1 });
    height.degree = -1;
    if (!exact_equation(surface, &c, &value, &height))
        return -1;
    const int sign = abut_number_sign(&value.c[0]),
              up = height.degree < 0 ? 1 : abut_number_sign(&height.c[0]);
    return sign == 2 || up == 2 ? -1 : sign == 0 && up >= 0;
}

static void difference(exact_vector *r, const exact_vector *a, const exact_vector *b)
{
    for (int i = 0; i < 3; ++i)
        abut_number_sub(exact_part_of(r, i), exact_part(a, i), exact_part(b, i));
}

static int dot_sign(const exact_vector *a, const exact_vector *b)
{
    abut_number sum, term;
    abut_number_from(&sum, 0);
    for (int i = 0; i < 3; ++i) {
        abut_number_mul(&term, exact_part(a, i), exact_part(b, i));
        abut_number_add(&sum, &sum, &term);
    }
    return abut_number_sign(&sum);
}

bool abut_on_circle_exact(const abut_enclosed_curve *circle, abut_vec3 q)
{
    exact_vector c, a, axis, at, x, d;
    abut_number r, s;
    const abut_interval_vec3 v = { { q.x, q.x }, { q.y, q.y }, { q.z, q.z } };
    if (!exact_vector_from(&c, &circle->p[0]) || !exact_vector_from(&a, &circle->p[1]) ||
        !exact_vector_from(&axis, &circle->p[2]) || !exact_vector_from(&at, &v))
        return false;
    difference(&x, &a, &c);
    difference(&d, &at, &c);
    exact_square_norm(&r, &x);
    exact_square_norm(&s, &d);
    abut_number_sub(&r, &r, &s);
    return dot_sign(&axis, &x) == 0 && dot_sign(&axis, &d) == 0 && abut_number_sign(&r) == 0;
}

/* ---- surfaces as the user gave them ---- */

static abut_interval number(double x)
{
    return (abut_interval){ x, x };
}

void abut_enclosed_surface_from(abut_enclosed_surface *out, const abut_solid_surface *s)
{
    out->kind = s->kind;
    out->point = (abut_interval_vec3){ number(s->point.x), number(s->point.y), number(s->point.z) };
    out->axis = (abut_interval_vec3){ number(s->axis.x), number(s->axis.y), number(s->axis.z) };
    out->radius = number(s->radius);
    out->minor = number(s->minor);
    out->tangent = number(s->tangent);
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            out->matrix[i][j] = number(s->matrix[i][j]);
}
