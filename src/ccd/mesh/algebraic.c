/* SPDX-License-Identifier: MIT */
/* Exact signs at roots of polynomials of degree at most 3; see algebraic.h.
 *
 * Roots are isolated by halving: de Casteljau's construction in integers, and Descartes' rule of
 * signs on the Bernstein coefficients. Multiple roots are taken out first; for a rational
 * polynomial of degree at most 3 they are rational, and so is what is left.
 *
 * The sign of q at a root of f: (1) all coefficients of q have one sign; (2) its value in doubles
 * with an error bound; (3) at a rational root, its value in integers; (4) zero exactly if the
 * greatest common divisor of f and q vanishes there, which is seen from pseudo-remainders; (5)
 * otherwise the interval is halved until q has one sign on it.
 *
 * Sources: G. E. Collins, A. G. Akritas, Polynomial real root isolation using Descartes' rule of
 * signs, 1976; J. M. Lane, R. F. Riesenfeld, Bounds on a polynomial, 1981. */
#include "ccd/mesh/algebraic.h"

#include "math/bigint.h"

#include <math.h>
#include <string.h>

typedef abut_alg_number number;
typedef abut_alg_polynomial polynomial;

/* ---- numbers ---- */

static int size_of(int n)
{
    return n < 0 ? -n : n;
}

static int sign_of(const number *x)
{
    return abut_z_sign(x->n);
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the numbers are written there */
void abut_alg_begin(abut_alg *a, uint64_t *limbs, int slots, int slot)
{
    *a = (abut_alg){ .limbs = limbs, .slots = slots, .slot = slot };
}

number abut_alg_new(abut_alg *a)
{
    if (a->used == a->slots) { /* the first slot, so that there is one to write to */
        a->failed = true;
        return (number){ 0, a->limbs };
    }
    return (number){ 0, a->limbs + (ptrdiff_t)a->slot * a->used++ };
}

/* Room for a result of that many limbs? */
static bool fits(abut_alg *a, number *r, int64_t limbs)
{
    if (limbs <= a->slot)
        return true;
    a->failed = true;
    r->n = 0;
    return false;
}

void abut_alg_set_double(abut_alg *a, number *r, double x, int e)
{
    int64_t m;
    int own;
    abut_z_split_double(x, &m, &own);
    r->n = 0;
    if (m != 0 && fits(a, r, (int64_t)(own - e) / 64 + 3))
        r->n = abut_z_from_double(r->d, x, e);
}

static void set_integer(number *r, int64_t x)
{
    r->n = abut_z_from_int(r->d, x);
}

static void copy(number *r, const number *x)
{
    r->n = x->n;
    memcpy(r->d, x->d, (size_t)size_of(x->n) * sizeof *x->d);
}

static void sum(abut_alg *a, number *r, const number *x, const number *y, int y_size)
{
    const int xs = size_of(x->n), ys = size_of(y_size);
    if (fits(a, r, (xs > ys ? xs : ys) + 1))
        r->n = abut_z_add(r->d, x->d, x->n, y->d, y_size);
}

void abut_alg_add(abut_alg *a, number *r, const number *x, const number *y)
{
    sum(a, r, x, y, y->n);
}

void abut_alg_sub(abut_alg *a, number *r, const number *x, const number *y)
{
    sum(a, r, x, y, -y->n);
}

void abut_alg_mul(abut_alg *a, number *r, const number *x, const number *y)
{
    if (fits(a, r, size_of(x->n) + size_of(y->n)))
        r->n = abut_z_mul(r->d, x->d, x->n, y->d, y->n);
}

void abut_alg_add_product(abut_alg *a, number *r, const number *x, const number *y)
{
    const int before = a->used;
    number product = abut_alg_new(a);
    abut_alg_mul(a, &product, x, y);
    abut_alg_add(a, r, r, &product);
    a->used = before;
}

void abut_alg_sub_product(abut_alg *a, number *r, const number *x, const number *y)
{
    const int before = a->used;
    number product = abut_alg_new(a);
    abut_alg_mul(a, &product, x, y);
    abut_alg_sub(a, r, r, &product);
    a->used = before;
}

static void scale(abut_alg *a, number *r, int64_t factor)
{
    uint64_t limb;
    const number f = { abut_z_from_int(&limb, factor), &limb };
    const int before = a->used;
    number product = abut_alg_new(a);
    abut_alg_mul(a, &product, r, &f);
    copy(r, &product);
    a->used = before;
}

static void shift_left(abut_alg *a, number *r, int bits)
{
    if (bits > 0 && fits(a, r, size_of(r->n) + (int64_t)bits / 64 + 1))
        r->n = abut_z_shl(r->d, r->d, r->n, bits);
}

/* ---- polynomials ---- */

bool abut_alg_is_zero(const polynomial *f)
{
    for (int i = 0; i <= f->degree; ++i)
        if (f->c[i].n != 0)
            return false;
    return true;
}

static polynomial new_polynomial(abut_alg *a, int degree)
{
    polynomial f = { .degree = degree };
    for (int i = 0; i <= degree; ++i)
        f.c[i] = abut_alg_new(a);
    return f;
}

void abut_alg_round(const polynomial *f, double c[4])
{
    int bits = 0;
    for (int i = 0; i < 4; ++i)
        c[i] = 0;
    for (int i = 0; i <= f->degree; ++i) {
        const int own = abut_z_bits(f->c[i].d, f->c[i].n);
        bits = own > bits ? own : bits;
    }
    for (int i = 0; i <= f->degree; ++i) {
        double low, error;
        c[i] = abut_z_to_double(f->c[i].d, f->c[i].n, -bits, &low, &error);
    }
}

/* The common sign of all coefficients that are not zero; 0 where they differ, or all are zero. */
static int common_sign(const polynomial *f)
{
    int sign = 0;
    for (int i = 0; i <= f->degree; ++i) {
        const int own = sign_of(&f->c[i]);
        if (own != 0 && own == -sign)
            return 0;
        sign = own ? own : sign;
    }
    return sign;
}

static int sign_changes(const polynomial *f)
{
    int changes = 0, last = 0;
    for (int i = 0; i <= f->degree; ++i) {
        const int own = sign_of(&f->c[i]);
        changes += own != 0 && own == -last;
        last = own ? own : last;
    }
    return changes;
}

/* Without factors t and 1 - t; shares the numbers. */
static polynomial stripped(const polynomial *f)
{
    polynomial g = *f;
    while (g.degree > 0 && g.c[g.degree].n == 0)
        --g.degree;
    while (g.degree > 0 && g.c[0].n == 0) {
        for (int i = 0; i < g.degree; ++i)
            g.c[i] = g.c[i + 1];
        --g.degree;
    }
    return g;
}

/* Sign of f where 1 - t : t = s : u, both positive. */
static int sign_at_ratio(abut_alg *a, const polynomial *f, const number *s, const number *u)
{
    const int before = a->used, n = f->degree;
    number value = abut_alg_new(a), power = abut_alg_new(a), next = abut_alg_new(a);
    copy(&value, &f->c[n]);
    set_integer(&power, 1);
    for (int i = n; i-- > 0;) { /* value u + c[i] s^(n-i) */
        abut_alg_mul(a, &next, &power, s);
        copy(&power, &next);
        abut_alg_mul(a, &next, &value, u);
        copy(&value, &next);
        abut_alg_add_product(a, &value, &f->c[i], &power);
    }
    a->used = before;
    return sign_of(&value);
}

/* Sign of f at the root of the linear polynomial g, whose coefficients have different signs. */
static int sign_at_linear(abut_alg *a, const polynomial *f, const polynomial *g)
{
    const number s = { size_of(g->c[1].n), g->c[1].d }, u = { size_of(g->c[0].n), g->c[0].d };
    return sign_at_ratio(a, f, &s, &u);
}

/* x - f(x) / g(x) in the variable x = t / (1 - t): the pseudo-remainder of f by g, g's last
 * coefficient not zero. Degrees are kept; leading coefficients may come out as zero, and are
 * dropped. The zero polynomial has degree 0. */
static polynomial pseudo_remainder(abut_alg *a, const polynomial *f, const polynomial *g)
{
    polynomial r = new_polynomial(a, f->degree);
    const int before = a->used;
    number next = abut_alg_new(a), top = abut_alg_new(a);
    for (int i = 0; i <= f->degree; ++i)
        copy(&r.c[i], &f->c[i]);
    for (int d = f->degree; d >= g->degree; --d) {
        copy(&top, &r.c[d]);
        for (int i = 0; i < d; ++i) {
            abut_alg_mul(a, &next, &r.c[i], &g->c[g->degree]);
            copy(&r.c[i], &next);
        }
        for (int i = 0; i < g->degree; ++i)
            abut_alg_sub_product(a, &r.c[d - g->degree + i], &top, &g->c[i]);
        r.degree = d - 1;
    }
    while (r.degree > 0 && r.c[r.degree].n == 0)
        --r.degree;
    a->used = before;
    return r;
}

/* ---- halving ---- */

/* Bernstein coefficients of f on [0, 1], times a constant. */
static polynomial bernstein(abut_alg *a, const polynomial *f)
{
    polynomial b = new_polynomial(a, f->degree);
    for (int i = 0; i <= f->degree; ++i) {
        copy(&b.c[i], &f->c[i]);
        if (f->degree > 1 && (i == 0 || i == f->degree))
            scale(a, &b.c[i], f->degree);
    }
    return b;
}

static int sign_in_middle(abut_alg *a, const polynomial *b)
{
    const int before = a->used, n = b->degree;
    number value = abut_alg_new(a);
    abut_alg_add(a, &value, &b->c[0], &b->c[n]);
    if (n == 2) {
        abut_alg_add(a, &value, &value, &b->c[1]);
        abut_alg_add(a, &value, &value, &b->c[1]);
    } else if (n == 3) {
        number inner = abut_alg_new(a);
        abut_alg_add(a, &inner, &b->c[1], &b->c[2]);
        for (int i = 0; i < 3; ++i)
            abut_alg_add(a, &value, &value, &inner);
    }
    a->used = before;
    return sign_of(&value);
}

/* Coefficients on one half, times 2^degree. */
static void halve(abut_alg *a, polynomial *b, bool right)
{
    const int n = b->degree;
    for (int j = 1; j <= n; ++j) {
        if (right)
            for (int i = 0; i <= n - j; ++i)
                abut_alg_add(a, &b->c[i], &b->c[i], &b->c[i + 1]);
        else
            for (int i = n; i >= j; --i)
                abut_alg_add(a, &b->c[i], &b->c[i], &b->c[i - 1]);
    }
    for (int i = 0; i <= n; ++i)
        shift_left(a, &b->c[i], right ? i : n - i);
}

static void step_into(abut_alg *a, number *m, int *level, bool right)
{
    shift_left(a, m, 1);
    if (right) {
        uint64_t one = 1;
        const number unit = { 1, &one };
        abut_alg_add(a, m, m, &unit);
    }
    ++*level;
}

/* The linear polynomial 2^level t - m, in homogeneous form. */
static polynomial linear_at(abut_alg *a, const number *m, int level)
{
    polynomial g = new_polynomial(a, 1);
    copy(&g.c[0], m);
    g.c[0].n = -g.c[0].n;
    set_integer(&g.c[1], 1);
    shift_left(a, &g.c[1], level);
    abut_alg_sub(a, &g.c[1], &g.c[1], m);
    return g;
}

static void make_rational(abut_alg_root *root, const polynomial *g)
{
    root->f = *g;
    root->level = 0;
    root->m.n = 0;
}

/* One more halving of the root's interval. Turns the root into a rational one where the middle
 * is it, and returns false. */
static bool narrow(abut_alg *a, abut_alg_root *root)
{
    /* The sign right of the lower end: that of the first coefficient that is not zero. */
    int first = 0;
    for (int i = 0; i <= root->piece.degree && first == 0; ++i)
        first = sign_of(&root->piece.c[i]);
    const int middle = sign_in_middle(a, &root->piece);
    if (middle == 0) {
        number m = root->m;
        step_into(a, &m, &root->level, true);
        const polynomial g = linear_at(a, &m, root->level);
        make_rational(root, &g);
        return false;
    }
    const bool right = middle == first;
    halve(a, &root->piece, right);
    step_into(a, &root->m, &root->level, right);
    return !a->failed;
}

/* ---- enclosures in doubles ---- */

static double next_up(double x)
{
    return nextafter(x, INFINITY);
}

/* Value in homogeneous form and a bound on its error, c being rounded once each. */
static double value_at(const double c[4], int degree, double t, double *error)
{
    const double s = 1 - t;
    double value = c[degree], size = fabs(c[degree]), power = 1;
    for (int i = degree; i-- > 0;) {
        power *= s;
        value = value * t + c[i] * power;
        size = size * t + fabs(c[i]) * power;
    }
    /* At most 3 products and sums a term, s rounded up to 3 times, the coefficient once: below
     * 16 u. */
    *error = 0x1p-48 * size + 0x1p-990;
    return value;
}

/* Exact sign at a double in (0, 1). */
static int sign_at_double(abut_alg *a, const polynomial *f, const double c[4], double t)
{
    double error;
    const double value = value_at(c, f->degree, t, &error);
    if (fabs(value) > error)
        return value > 0 ? 1 : -1;
    const int before = a->used;
    int64_t m;
    int e;
    abut_z_split_double(t, &m, &e);
    number u = abut_alg_new(a), s = abut_alg_new(a);
    set_integer(&u, m);
    set_integer(&s, 1);
    shift_left(a, &s, -e);
    abut_alg_sub(a, &s, &s, &u);
    const int sign = sign_at_ratio(a, f, &s, &u);
    a->used = before;
    return sign;
}

/* A guess at the root of c in (lo, hi), where the sign right of lo is `first`: halving and
 * secants, in doubles. */
static double guess(const double c[4], int degree, double lo, double hi, int first)
{
    double error, flo = value_at(c, degree, lo, &error) * first,
                  fhi = value_at(c, degree, hi, &error) * first;
    for (int i = 0; i < 200; ++i) {
        double t = 0.5 * (lo + hi);
        if (i % 3 != 2 && flo > 0 && fhi < 0) {
            const double secant = lo + (hi - lo) * (flo / (flo - fhi));
            if (secant > lo && secant < hi)
                t = secant;
        }
        if (!(t > lo && t < hi))
            break;
        const double value = value_at(c, degree, t, &error) * first;
        if (fabs(value) <= 0.0625 * error)
            return t;
        if (value > 0) {
            lo = t;
            flo = value;
            fhi *= i % 3 != 2 ? 0.5 : 1; /* Illinois */
        } else {
            hi = t;
            fhi = value;
            flo *= i % 3 != 2 ? 0.5 : 1;
        }
    }
    return 0.5 * (lo + hi);
}

/* m / 2^level, cut off; *up is not below (m + 1) / 2^level. */
static double dyadic(abut_alg *a, const number *m, int level, double *up)
{
    const int before = a->used, bits = abut_z_bits(m->d, m->n);
    /* Units of the result: 53 bits, and not below 2^-1074. */
    int drop = bits - 53 > 0 ? bits - 53 : 0;
    if (level - drop > 1074)
        drop = level - 1074;
    number cut = abut_alg_new(a);
    cut.n = abut_z_shr(cut.d, m->d, m->n, drop);
    const double value = cut.n ? (double)cut.d[0] : 0;
    a->used = before;
    *up = ldexp(value + 1, drop - level);
    return ldexp(value, drop - level);
}

static void enclose(abut_alg *a, abut_alg_root *root)
{
    const polynomial *f = &root->f;
    double lo = 0, hi = 1;
    int first = sign_of(&f->c[0]);
    if (f->degree > 1) {
        lo = dyadic(a, &root->m, root->level, &hi);
        first = 0;
        for (int i = 0; i <= root->piece.degree && first == 0; ++i)
            first = sign_of(&root->piece.c[i]);
        if (root->level > 50) { /* close to another root: its ends are no doubles */
            while (hi > next_up(next_up(lo)) && !a->failed) {
                if (!narrow(a, root)) {
                    if (!a->failed)
                        enclose(a, root);
                    return;
                }
                lo = dyadic(a, &root->m, root->level, &hi);
            }
            root->lo = lo;
            root->hi = hi;
            return;
        }
    }
    double c[4];
    abut_alg_round(f, c);
    double g = guess(c, f->degree, lo, hi, first);
    if (!(g > lo && g < hi))
        g = 0.5 * (lo + hi);
    /* Steps of 1, 2, 4, ... ulp away from the guess until the root is passed, then halving
     * between doubles. */
    double step = next_up(g) - g;
    int sign = sign_at_double(a, f, c, g);
    const bool above = sign == first;
    while (sign != 0 && (sign == first) == above && !a->failed) {
        double t;
        if (above) {
            lo = g;
            t = g + step;
            if (!(t < hi))
                break;
        } else {
            hi = g;
            t = g - step;
            if (!(t > lo))
                break;
        }
        g = t;
        step *= 2;
        sign = sign_at_double(a, f, c, g);
    }
    if (sign != 0 && (sign == first) != above) {
        if (above)
            hi = g;
        else
            lo = g;
    }
    while (sign != 0 && !a->failed) {
        if (next_up(lo) == hi)
            break;
        g = 0.5 * (lo + hi);
        if (lo < 0.25 * hi) { /* halve the exponents, not the numbers */
            g = sqrt(lo > 0 ? lo : 0x1p-1074) * sqrt(hi);
            if (!(g > lo && g < hi))
                g = 0.5 * (lo + hi);
        }
        if (!(g > lo && g < hi))
            break;
        sign = sign_at_double(a, f, c, g);
        if (sign == first)
            lo = g;
        else
            hi = g;
    }
    root->lo = sign == 0 ? g : lo;
    root->hi = sign == 0 ? g : hi;
}

/* ---- roots ---- */

/* A root of a linear polynomial, if it is in (0, 1). */
static int add_linear(abut_alg *a, const polynomial *g, abut_alg_root *out, int count)
{
    if (sign_of(&g->c[0]) * sign_of(&g->c[1]) >= 0)
        return count;
    abut_alg_root *root = &out[count];
    *root = (abut_alg_root){ .place = ABUT_ALG_INSIDE, .f = *g, .m = abut_alg_new(a) };
    enclose(a, root);
    return count + 1;
}

/* Multiple roots: 0, not known to be there; else their number of distinct roots as linear
 * polynomials in g[2]. */
static int multiple_roots(abut_alg *a, const polynomial *f, polynomial g[2])
{
    g[0] = new_polynomial(a, 1);
    g[1] = new_polynomial(a, 1);
    const int before = a->used;
    int found = 0;
    if (f->degree == 2) {
        number d = abut_alg_new(a), four = abut_alg_new(a);
        abut_alg_mul(a, &d, &f->c[1], &f->c[1]);
        abut_alg_mul(a, &four, &f->c[0], &f->c[2]);
        shift_left(a, &four, 2);
        if (abut_z_compare(d.d, d.n, four.d, four.n) == 0) {
            copy(&g[0].c[0], &f->c[1]);
            copy(&g[0].c[1], &f->c[2]);
            scale(a, &g[0].c[1], 2);
            found = 1;
        }
    } else if (f->degree == 3) {
        polynomial slope = new_polynomial(a, 2);
        for (int i = 0; i < 3; ++i) {
            copy(&slope.c[i], &f->c[i + 1]);
            scale(a, &slope.c[i], i + 1);
        }
        const polynomial r = pseudo_remainder(a, f, &slope);
        if (r.degree == 0 && r.c[0].n == 0) { /* threefold: x = -c2 / (3 c3) */
            copy(&g[0].c[0], &f->c[2]);
            copy(&g[0].c[1], &slope.c[2]);
            found = 1;
        } else if (r.degree == 1) {
            /* The derivative at -r0 / r1 (of any sign): s0 r1^2 - s1 r0 r1 + s2 r0^2. */
            number value = abut_alg_new(a), square = abut_alg_new(a);
            abut_alg_mul(a, &square, &r.c[1], &r.c[1]);
            abut_alg_mul(a, &value, &slope.c[0], &square);
            abut_alg_mul(a, &square, &r.c[0], &r.c[1]);
            abut_alg_sub_product(a, &value, &slope.c[1], &square);
            abut_alg_mul(a, &square, &r.c[0], &r.c[0]);
            abut_alg_add_product(a, &value, &slope.c[2], &square);
            if (value.n == 0) { /* twofold there; the sum of all three roots is -c2 / c3 */
                copy(&g[0].c[0], &r.c[0]);
                copy(&g[0].c[1], &r.c[1]);
                abut_alg_mul(a, &g[1].c[0], &r.c[0], &f->c[3]);
                scale(a, &g[1].c[0], -2);
                abut_alg_add_product(a, &g[1].c[0], &f->c[2], &r.c[1]);
                abut_alg_mul(a, &g[1].c[1], &r.c[1], &f->c[3]);
                found = 2;
            }
        }
    }
    a->used = before;
    return found;
}

typedef struct part {
    polynomial piece;
    number m;
    int level;
} part;

static void overwrite(part *p, const part *from)
{
    for (int i = 0; i <= from->piece.degree; ++i)
        copy(&p->piece.c[i], &from->piece.c[i]);
    copy(&p->m, &from->m);
    p->level = from->level;
}

static part new_part(abut_alg *a, const part *from)
{
    part p = { new_polynomial(a, from->piece.degree), abut_alg_new(a), 0 };
    overwrite(&p, from);
    return p;
}

int abut_alg_roots(abut_alg *a, const polynomial *given, abut_alg_root *out, int count)
{
    const polynomial f = stripped(given);
    if (f.degree == 0 || common_sign(&f) != 0)
        return count;
    if (f.degree == 1)
        return add_linear(a, &f, out, count);
    /* Parts that may hold roots: their sign changes sum up to at most 3, so there are never more
     * than 2 of them with the 2 or 3 that need halving. */
    part parts[4];
    int open = 1;
    parts[0] = (part){ bernstein(a, &f), abut_alg_new(a), 0 };
    if (sign_changes(&f) > 1) {
        polynomial g[2];
        const int multiple = multiple_roots(a, &f, g);
        for (int i = 0; i < multiple; ++i)
            count = add_linear(a, &g[i], out, count);
        if (multiple > 0)
            return count;
    }
    while (open > 0 && !a->failed) {
        part *p = &parts[open - 1];
        const int changes = sign_changes(&p->piece);
        if (changes == 0) {
            --open;
        } else if (changes == 1) {
            --open;
            out[count] = (abut_alg_root){
                .place = ABUT_ALG_INSIDE, .f = f, .piece = p->piece, .m = p->m, .level = p->level
            };
            enclose(a, &out[count++]);
        } else {
            const int before = a->used;
            part right = new_part(a, p);
            bool keep = false;
            if (sign_in_middle(a, &p->piece) == 0) {
                part middle = new_part(a, p);
                step_into(a, &middle.m, &middle.level, true);
                const polynomial g = linear_at(a, &middle.m, middle.level);
                count = add_linear(a, &g, out, count);
                keep = true;
            }
            halve(a, &p->piece, false);
            step_into(a, &p->m, &p->level, false);
            halve(a, &right.piece, true);
            step_into(a, &right.m, &right.level, true);
            if (sign_changes(&right.piece) != 0 && sign_changes(&p->piece) != 0) {
                parts[open++] = right;
            } else {
                if (sign_changes(&p->piece) == 0)
                    overwrite(p, &right);
                if (!keep) /* so that many halvings do not use up the block */
                    a->used = before;
            }
        }
    }
    return count;
}

void abut_alg_time(abut_alg *a, double t, abut_alg_root *out)
{
    *out = (abut_alg_root){ .place = t == 0 ? ABUT_ALG_START : ABUT_ALG_END, .lo = t, .hi = t };
    if (t > 0 && t < 1) {
        number m = abut_alg_new(a);
        int64_t odd;
        int e;
        abut_z_split_double(t, &odd, &e);
        set_integer(&m, odd);
        out->place = ABUT_ALG_INSIDE;
        out->f = linear_at(a, &m, -e);
    }
}

/* ---- signs ---- */

/* q on the interval of the root. */
static polynomial bring_down(abut_alg *a, const polynomial *q, const abut_alg_root *root)
{
    polynomial b = bernstein(a, q);
    for (int i = root->level; i-- > 0 && !a->failed;) {
        const bool bit = i / 64 < root->m.n && (root->m.d[i / 64] >> (i % 64) & 1);
        halve(a, &b, bit);
    }
    return b;
}

/* Do the signs of g at the ends of the root's interval differ? g divides f, so that it is not
 * zero there unless the end is another root of f. */
static bool changes_sign(abut_alg *a, const polynomial *g, const abut_alg_root *root)
{
    const polynomial b = bring_down(a, g, root);
    return sign_changes(&b) % 2 == 1;
}

/* Is q, without factors t and 1 - t and of degree 1 or 2, zero at the root of a polynomial of
 * degree 2 or 3? */
static bool vanishes(abut_alg *a, const polynomial *q, const abut_alg_root *root)
{
    const polynomial *f = &root->f;
    if (q->degree == 1)
        return sign_of(&q->c[0]) * sign_of(&q->c[1]) < 0 && sign_at_linear(a, f, q) == 0 &&
               changes_sign(a, q, root);
    const polynomial r = pseudo_remainder(a, f, q);
    if (r.degree == 0)
        return r.c[0].n == 0 && changes_sign(a, q, root); /* q divides f */
    return sign_of(&r.c[0]) * sign_of(&r.c[1]) < 0 && sign_at_linear(a, q, &r) == 0 &&
           changes_sign(a, &r, root);
}

int abut_alg_sign(abut_alg *a, const polynomial *given, abut_alg_root *root)
{
    ++a->signs;
    if (root->place == ABUT_ALG_START)
        return sign_of(&given->c[0]);
    if (root->place == ABUT_ALG_END)
        return sign_of(&given->c[given->degree]);
    const polynomial q = stripped(given);
    const int common = common_sign(&q);
    if (common != 0 || q.degree == 0)
        return common;
    double c[4], error, size = 0;
    abut_alg_round(&q, c);
    const double t = root->lo, value = value_at(c, q.degree, t, &error);
    for (int i = 0; i <= q.degree; ++i)
        size += fabs(c[i]);
    /* The derivative is at most degree times the sum of sizes. */
    if (fabs(value) > error + 4 * size * (root->hi - root->lo))
        return value > 0 ? 1 : -1;
    const int before = a->used;
    int sign = 2;
    if (root->f.degree > 1) {
        if (vanishes(a, &q, root)) {
            sign = 0;
        } else {
            polynomial b = bring_down(a, &q, root);
            while (sign == 2 && !a->failed) {
                const int own = common_sign(&b);
                if (own != 0) {
                    sign = own;
                    break;
                }
                const int level = root->level;
                if (!narrow(a, root)) {
                    /* keeps the slots of the new polynomial */
                    if (root->f.degree == 1 && !a->failed)
                        return sign_at_linear(a, &q, &root->f);
                    break;
                }
                halve(a, &b, root->m.n != 0 && root->level > level && (root->m.d[0] & 1));
            }
        }
    } else {
        sign = sign_at_linear(a, &q, &root->f);
    }
    a->used = before;
    return sign == 2 ? 0 : sign;
}
