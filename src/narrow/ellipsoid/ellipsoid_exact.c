/* SPDX-License-Identifier: MIT */
/* The relation of two ellipsoids, by the characteristic polynomial in exact integers.
 *
 * With squares P = L L^T and t from a's centre to b's, the characteristic polynomial is, up to its
 * sign,
 *     Q(l) = d3 l^4 + c3 l^3 - c2 l^2 + c1 l + d0,    c_k = e_(k-1) - d_(k-1) - d_k,
 *     det(Pa + m Pb) = d0 + d1 m + d2 m^2 + d3 m^3,   t . adj(Pa + m Pb) t = e0 + e1 m + e2 m^2,
 * made of products of six lengths, without an inverse. At least two of its roots are positive; so
 * its discriminant and Descartes' rule, which is exact for polynomials whose roots are all real,
 * tell two negative roots (separate), a double one (touching) and none. One in the other: where the
 * two largest (smallest) roots lie beside the roots of det(l Pb - Pa). All of it is derived in
 * docs/notes/ellipsoids-static.md. Sources: W. Wang, J. Wang, M.-S. Kim, An algebraic condition for
 * the separation of two ellipsoids, CAGD 18 (2001); Y.-K. Choi et al., Real-time continuous
 * collision detection for moving ellipsoids under affine deformation, appendix A; for the cases of
 * a quartic with a multiple root E. L. Rees, Graphical discussion of the roots of a quartic
 * equation, American Mathematical Monthly 29 (1922).
 *
 * Surprise: rotations of quaternions cost nothing but length. R(q) / |q|^2 is rational, and all
 * lengths are multiplied by both |q|^2. */
#include "narrow/ellipsoid/ellipsoid_exact.h"

#include "narrow/ellipsoid/ellipsoid_big.h"
#include "narrow/pair/gap.h"

typedef struct sym {
    big xx, yy, zz, xy, xz, yz;
} sym;

/* Both bodies in one unit of length. */
typedef struct matrices {
    big a[9], b[9], t[3];
} matrices;

/* Coefficients, the constant first. */
typedef struct poly {
    int degree;
    big c[5];
} poly;

/* (u + sqrt w) / den, den > 0. */
typedef struct surd {
    big u, w, den;
} surd;

/* ---- from doubles ---- */

static void affine_entries(const abut_affine *m, double out[12])
{
    for (int i = 0; i < 9; ++i)
        out[i] = m->linear.m[i / 3][i % 3];
    out[9] = m->translation.x;
    out[10] = m->translation.y;
    out[11] = m->translation.z;
}

/* Of the unit of time on a path. */
static int time_exponent(const abut_ellipsoid_path *path)
{
    const double times[3] = { path->t0, path->t1, path->t };
    return big_exponent(times, 3, 2000);
}

/* Of the unit of the linear part, its factors apart from the radii. */
static int linear_exponent(const abut_ellipsoid_given *g)
{
    double x[12];
    if (g->posed)
        return 0;
    const size_t count = g->path ? g->path->count : 1;
    int lowest = 2000;
    for (size_t i = 0; i < count; ++i) {
        affine_entries(g->path ? &g->path->b[i] : &g->map, x);
        lowest = big_exponent(x, 9, lowest);
    }
    return lowest;
}

/* Of the unit of length. */
static int given_exponent(const abut_ellipsoid_given *g, int lowest)
{
    const double radii[3] = { g->radii.x, g->radii.y, g->radii.z };
    const int own = linear_exponent(g) + big_exponent(radii, 3, 2000);
    lowest = own < lowest ? own : lowest;
    const abut_vec3 c = g->posed ? g->pose.position : g->map.translation;
    const double centre[3] = { c.x, c.y, c.z };
    if (!g->path)
        return big_exponent(centre, 3, lowest);
    for (size_t i = 0; i < g->path->count; ++i) {
        const int unit = g->path->steady && i > 0 ? time_exponent(g->path) : 0;
        double x[12];
        affine_entries(&g->path->b[i], x);
        lowest = big_exponent(x + 9, 3, lowest - unit) + unit;
    }
    return lowest;
}

static void quat_matrix(big_room *r, const big q[4], big m[9], big *weight)
{
    big s[4][4];
    for (int i = 0; i < 4; ++i)
        for (int j = i; j < 4; ++j)
            s[i][j] = big_mul(r, q[i], q[j]);
    const big ww = s[0][0], xx = s[1][1], yy = s[2][2], zz = s[3][3];
    *weight = big_add(r, big_add(r, ww, xx), big_add(r, yy, zz));
    m[0] = big_sub(r, big_add(r, ww, xx), big_add(r, yy, zz));
    m[4] = big_sub(r, big_add(r, ww, yy), big_add(r, xx, zz));
    m[8] = big_sub(r, big_add(r, ww, zz), big_add(r, xx, yy));
    const big xy = s[1][2], xz = s[1][3], yz = s[2][3], wx = s[0][1], wy = s[0][2], wz = s[0][3];
    m[1] = big_times(r, 2, big_sub(r, xy, wz));
    m[3] = big_times(r, 2, big_add(r, xy, wz));
    m[2] = big_times(r, 2, big_add(r, xz, wy));
    m[6] = big_times(r, 2, big_sub(r, xz, wy));
    m[5] = big_times(r, 2, big_sub(r, yz, wx));
    m[7] = big_times(r, 2, big_add(r, yz, wx));
}

/* The weights of the coefficients of a path, whose sum is *weight. */
enum { MOST_ON_PATH = 16 };

static void path_weights(big_room *r, const abut_ellipsoid_path *path, big at[MOST_ON_PATH], big *weight)
{
    const int unit = time_exponent(path), n = (int)path->count - 1;
    const big start = big_double(r, path->t0, unit), p = big_sub(r, big_double(r, path->t, unit), start);
    at[0] = *weight = big_int(r, 1);
    if (path->steady) {
        at[1] = p;
        return;
    }
    const big q = big_sub(r, big_double(r, path->t1, unit), start), rest = big_sub(r, q, p);
    int64_t choose = 1;
    for (int i = 1; i <= n; ++i) {
        choose = choose * (n + 1 - i) / i;
        at[i] = big_times(r, choose, p);
        for (int k = 1; k < i; ++k)
            at[i] = big_mul(r, at[i], p);
    }
    for (int i = 0; i <= n; ++i) {
        for (int k = i; k < n; ++k)
            at[i] = big_mul(r, at[i], rest);
        *weight = i > 0 ? big_mul(r, *weight, q) : *weight;
    }
}

/* Entry j of the coefficients, in units 2^e, where that of a steady one is in units of time. */
static big on_path(big_room *r, const abut_ellipsoid_path *path, const big at[MOST_ON_PATH], int j, int e)
{
    const int mark = r->used, unit = path->steady ? time_exponent(path) : 0;
    big sum = big_zero;
    for (size_t i = 0; i < path->count; ++i) {
        double x[12];
        affine_entries(&path->b[i], x);
        if (x[j] != 0)
            sum = big_add(r, sum, big_mul(r, at[i], big_double(r, x[j], i > 0 ? e - unit : e)));
    }
    return big_keep(r, mark, sum);
}

/* In units 2^e, times a weight. */
static void load(big_room *r, const abut_ellipsoid_given *g, int e, big linear[9], big centre[3], big *weight)
{
    const double q[4] = { g->pose.rotation.w, g->pose.rotation.x, g->pose.rotation.y, g->pose.rotation.z };
    const double radii[3] = { g->radii.x, g->radii.y, g->radii.z };
    const abut_vec3 c = g->posed ? g->pose.position : g->map.translation;
    const double at[3] = { c.x, c.y, c.z };
    const int unit = linear_exponent(g);
    big m[9], along[MOST_ON_PATH];
    if (g->path) {
        path_weights(r, g->path, along, weight);
        for (int i = 0; i < 9; ++i)
            m[i] = on_path(r, g->path, along, i, unit);
    } else if (g->posed) {
        const int own = big_exponent(q, 4, 2000);
        big parts[4];
        for (int i = 0; i < 4; ++i)
            parts[i] = big_double(r, q[i], own);
        quat_matrix(r, parts, m, weight);
    } else {
        double x[12];
        affine_entries(&g->map, x);
        for (int i = 0; i < 9; ++i)
            m[i] = big_double(r, x[i], unit);
        *weight = big_int(r, 1);
    }
    for (int i = 0; i < 9; ++i)
        linear[i] = big_mul(r, m[i], big_double(r, radii[i % 3], e - unit));
    for (int i = 0; i < 3; ++i)
        centre[i] =
            g->path ? on_path(r, g->path, along, 9 + i, e) : big_mul(r, *weight, big_double(r, at[i], e));
}

static void load_both(big_room *r, const abut_ellipsoid_given *a, const abut_ellipsoid_given *b, matrices *s)
{
    const int e = given_exponent(b, given_exponent(a, 2000));
    big ca[3], cb[3], wa, wb;
    load(r, a, e, s->a, ca, &wa);
    load(r, b, e, s->b, cb, &wb);
    for (int i = 0; i < 9; ++i) {
        s->a[i] = big_mul(r, s->a[i], wb);
        s->b[i] = big_mul(r, s->b[i], wa);
    }
    for (int i = 0; i < 3; ++i)
        s->t[i] = big_sub(r, big_mul(r, cb[i], wa), big_mul(r, ca[i], wb));
}

/* ---- the polynomials ---- */

/* L L^T */
static sym square(big_room *r, const big m[9])
{
    return (sym){ big_dot(r, m, m),     big_dot(r, m + 3, m + 3), big_dot(r, m + 6, m + 6),
                  big_dot(r, m, m + 3), big_dot(r, m, m + 6),     big_dot(r, m + 3, m + 6) };
}

static sym adjugate(big_room *r, const sym *p)
{
    return (sym){
        big_mul2(r, p->yy, p->zz, big_neg(p->yz), p->yz), big_mul2(r, p->xx, p->zz, big_neg(p->xz), p->xz),
        big_mul2(r, p->xx, p->yy, big_neg(p->xy), p->xy), big_mul2(r, p->xz, p->yz, big_neg(p->xy), p->zz),
        big_mul2(r, p->xy, p->yz, big_neg(p->xz), p->yy), big_mul2(r, p->xy, p->xz, big_neg(p->xx), p->yz)
    };
}

static sym sum(big_room *r, const sym *p, const sym *q)
{
    return (sym){ big_add(r, p->xx, q->xx), big_add(r, p->yy, q->yy), big_add(r, p->zz, q->zz),
                  big_add(r, p->xy, q->xy), big_add(r, p->xz, q->xz), big_add(r, p->yz, q->yz) };
}

/* The trace of the product. */
static big trace(big_room *r, const sym *p, const sym *q)
{
    const int mark = r->used;
    const big on = big_add(r, big_mul2(r, p->xx, q->xx, p->yy, q->yy), big_mul(r, p->zz, q->zz));
    const big off = big_add(r, big_mul2(r, p->xy, q->xy, p->xz, q->xz), big_mul(r, p->yz, q->yz));
    return big_keep(r, mark, big_add(r, on, big_times(r, 2, off)));
}

static big determinant(big_room *r, const sym *p, const sym *adj)
{
    const int mark = r->used;
    return big_keep(r, mark,
                    big_add(r, big_mul2(r, p->xx, adj->xx, p->xy, adj->xy), big_mul(r, p->xz, adj->xz)));
}

static sym outer(big_room *r, const big t[3])
{
    return (sym){ big_mul(r, t[0], t[0]), big_mul(r, t[1], t[1]), big_mul(r, t[2], t[2]),
                  big_mul(r, t[0], t[1]), big_mul(r, t[0], t[2]), big_mul(r, t[1], t[2]) };
}

/* d: of det(Pa + m Pb); q: the characteristic polynomial. */
static void characteristic(big_room *r, const matrices *s, big d[4], poly *q)
{
    const sym pa = square(r, s->a), pb = square(r, s->b), both = sum(r, &pa, &pb), tt = outer(r, s->t);
    const sym aa = adjugate(r, &pa), ab = adjugate(r, &pb), ac = adjugate(r, &both);
    d[0] = determinant(r, &pa, &aa);
    d[1] = trace(r, &aa, &pb);
    d[2] = trace(r, &ab, &pa);
    d[3] = determinant(r, &pb, &ab);
    const big e0 = trace(r, &aa, &tt), e2 = trace(r, &ab, &tt);
    const big e1 = big_sub(r, trace(r, &ac, &tt), big_add(r, e0, e2));
    q->degree = 4;
    q->c[4] = d[3];
    q->c[3] = big_sub(r, e2, big_add(r, d[2], d[3]));
    q->c[2] = big_sub(r, big_add(r, d[1], d[2]), e1);
    q->c[1] = big_sub(r, e0, big_add(r, d[0], d[1]));
    q->c[0] = d[0];
}

/* ---- signs of a polynomial and its derivatives at a point ---- */

static int surd_sign(big_room *r, big u, big v, big w)
{
    const int su = big_sign(u), sv = big_sign(w) ? big_sign(v) : 0;
    if (su == 0 || sv == 0 || su == sv)
        return su ? su : sv;
    return su * big_sign(big_sub(r, big_mul(r, u, u), big_mul(r, big_mul(r, v, v), w)));
}

/* Of the k-th derivative, by Horner's rule for the numerator u + v sqrt w. */
static int sign_at(big_room *r, const poly *p, int k, const surd *x)
{
    const int mark = r->used;
    big u = big_zero, v = big_zero, power = big_int(r, 1);
    for (int i = p->degree; i >= k; --i) {
        int64_t factor = 1;
        for (int j = 0; j < k; ++j)
            factor *= i - j;
        /* In the order in which they are kept. */
        const big next_power = i > k ? big_mul(r, power, x->den) : big_zero;
        const big next_v = x->w.n ? big_copy(r, big_add(r, u, big_mul(r, v, x->u))) : big_zero;
        const big product = big_add(r, big_mul(r, u, x->u), big_mul(r, v, x->w));
        const big next_u = big_add(r, product, big_times(r, factor, big_mul(r, p->c[i], power)));
        power = big_keep(r, mark, next_power);
        v = big_keep(r, r->used, next_v);
        u = big_keep(r, r->used, next_u);
    }
    const int sign = surd_sign(r, u, v, x->w);
    r->used = mark;
    return sign;
}

/* How many roots are larger than x, with their multiplicity, when all are real: the changes of
 * sign among the derivatives. */
static int roots_above(big_room *r, const poly *p, const surd *x)
{
    int changes = 0, last = 1; /* the leading coefficient is positive */
    for (int k = p->degree - 1; k >= 0; --k) {
        const int sign = sign_at(r, p, k, x);
        changes += sign != 0 && sign != last;
        last = sign ? sign : last;
    }
    return changes;
}

/* ---- the quartic ---- */

typedef struct quartic {
    int discriminant; /* its sign */
    bool real;        /* all roots are */
    bool triple;      /* a root of multiplicity 3 or 4 */
    bool twice;       /* two double ones */
    big p, q, r;      /* of y^4 + p y^2 + q y + r, y = 4 A x + B; where the discriminant is 0 */
} quartic;

/* 16 A C - 6 B^2, 8 B (B^2 - 4 A C) + 64 A^2 D, B^2 (16 A C - 3 B^2) - 64 A^2 B D + 256 A^3 E. */
static void depress(big_room *r, const poly *f, quartic *out)
{
    const big a = f->c[4], b = f->c[3], c = f->c[2], d = f->c[1], e = f->c[0];
    int mark = r->used;
    big bb = big_mul(r, b, b), ac = big_mul(r, a, c);
    out->p = big_keep(r, mark, big_sub(r, big_times(r, 16, ac), big_times(r, 6, bb)));
    mark = r->used;
    bb = big_mul(r, b, b);
    ac = big_mul(r, a, c);
    const big cubic = big_mul(r, b, big_sub(r, bb, big_times(r, 4, ac))),
              last = big_mul(r, a, big_mul(r, a, d));
    out->q = big_keep(r, mark, big_add(r, big_times(r, 8, cubic), big_times(r, 64, last)));
    mark = r->used;
    bb = big_mul(r, b, b);
    ac = big_mul(r, a, c);
    const big first = big_mul(r, bb, big_sub(r, big_times(r, 16, ac), big_times(r, 3, bb)));
    const big aa = big_mul(r, a, a), second = big_mul(r, big_mul(r, aa, b), d),
              third = big_mul(r, big_mul(r, aa, a), e);
    const big sum_of = big_sub(r, big_times(r, 256, third), big_times(r, 64, second));
    out->r = big_keep(r, mark, big_add(r, first, sum_of));
}

/* For a polynomial with at least two real roots. */
static quartic study(big_room *r, const poly *f)
{
    quartic out = { 0 };
    int mark = r->used;
    const big a = f->c[4], b = f->c[3], c = f->c[2], d = f->c[1], e = f->c[0];
    const big ae = big_mul(r, a, e), bd = big_mul(r, b, d), cc = big_mul(r, c, c);
    const big i = big_add(r, big_sub(r, big_times(r, 12, ae), big_times(r, 3, bd)), cc);
    /* C (72 A E + 9 B D - 2 C^2) - 27 (A D^2 + E B^2) */
    const big inner = big_sub(r, big_add(r, big_times(r, 72, ae), big_times(r, 9, bd)), big_times(r, 2, cc));
    const big ends = big_add(r, big_mul(r, a, big_mul(r, d, d)), big_mul(r, e, big_mul(r, b, b)));
    const big j = big_sub(r, big_mul(r, c, inner), big_times(r, 27, ends));
    const big cube = big_mul(r, i, big_mul(r, i, i));
    out.discriminant = big_sign(big_sub(r, big_times(r, 4, cube), big_mul(r, j, j)));
    out.real = out.discriminant > 0;
    out.triple = out.discriminant == 0 && i.n == 0;
    r->used = mark;
    if (out.discriminant != 0)
        return out;
    depress(r, f, &out);
    mark = r->used;
    const int more = big_sign(big_sub(r, big_times(r, 4, out.r), big_mul(r, out.p, out.p)));
    r->used = mark;
    out.real = out.triple || (big_sign(out.p) < 0 && more <= 0);
    out.twice = !out.triple && more == 0;
    return out;
}

/* x = (y - B) / (4 A) for y = num / den; den of any sign. */
static surd from_depressed(big_room *r, const poly *f, big num, big den)
{
    if (den.n < 0) {
        num = big_neg(num);
        den = big_neg(den);
    }
    return (surd){ big_sub(r, num, big_mul(r, f->c[3], den)), big_zero,
                   big_times(r, 4, big_mul(r, f->c[4], den)) };
}

/* The double root y = -q (p^2 + 12 r) / (2 p^3 - 8 p r + 9 q^2), where it is the only multiple
 * one. */
static void double_root(big_room *r, const quartic *k, big *num, big *den)
{
    int mark = r->used;
    big pp = big_mul(r, k->p, k->p);
    *num = big_keep(r, mark, big_neg(big_mul(r, k->q, big_add(r, pp, big_times(r, 12, k->r)))));
    mark = r->used;
    pp = big_mul(r, k->p, k->p);
    const big first = big_mul(r, k->p, big_sub(r, big_times(r, 2, pp), big_times(r, 8, k->r)));
    *den = big_keep(r, mark, big_add(r, first, big_times(r, 9, big_mul(r, k->q, k->q))));
}

/* ---- one in the other ---- */

/* Is a in b, for Q with positive roots r1 <= r2 <= r3 <= r4 <= 1 and s the largest root of det(l
 * Pb - Pa)? */
typedef enum contained { OUT, TOUCHES_INSIDE, INSIDE } contained;

/* Where r3 < r4: a is in b when s <= r3, and s is not in (r3, r4): any number between will tell.
 * It is found by halving, the exponent first. */
static contained by_halving(big_room *r, const poly *f, const poly *cubic)
{
    enum { MOST_EXPONENT = 1 << 15, MOST_HALVINGS = 1 << 16 };
    const int mark = r->used;
    const big one = big_int(r, 1);
    surd m = { one, big_zero, big_zero };
    int above = 0, from = 0, to = 1;
    /* r4 > 2^-to, r4 <= 2^-from */
    for (; to < MOST_EXPONENT && !r->full; to *= 2) {
        const int inner = r->used;
        m.den = big_shl(r, one, to);
        above = roots_above(r, f, &m);
        r->used = inner;
        if (above)
            break;
        from = to;
    }
    while (to - from > 1 && !r->full) {
        const int middle = from + (to - from) / 2, inner = r->used;
        m.den = big_shl(r, one, middle);
        above = roots_above(r, f, &m);
        r->used = inner;
        *(above ? &to : &from) = middle;
    }
    /* r4 is in (low, low + 1] / 2^bits. */
    big low = one;
    int bits = to;
    for (int step = 0; step < MOST_HALVINGS && !r->full; ++step) {
        const int inner = r->used;
        m.u = step ? big_add(r, big_times(r, 2, low), one) : low;
        bits += step > 0;
        m.den = big_shl(r, one, bits);
        above = roots_above(r, f, &m);
        if (above == 1 && sign_at(r, f, 0, &m) < 0) {
            const bool is =
                sign_at(r, cubic, 0, &m) > 0 && sign_at(r, cubic, 1, &m) > 0 && sign_at(r, cubic, 2, &m) > 0;
            r->used = mark;
            return is ? INSIDE : OUT;
        }
        r->used = inner;
        if (step) {
            const big twice = big_times(r, 2, low);
            low = above ? big_add(r, twice, one) : twice;
        }
        low = big_keep(r, mark + abs(one.n), low);
    }
    r->full = true;
    return OUT;
}

/* Where r3 = r4: that root if it is larger than the others. Its multiplicity in Q must exceed
 * that in the cubic: at most `most` there, and none of the cubic's roots may be larger. */
static contained at_double(big_room *r, const poly *cubic, const surd *x, int most)
{
    for (int k = 0; k < 3; ++k) {
        const int sign = sign_at(r, cubic, k, x);
        if (sign < 0 || (k >= most && sign == 0))
            return OUT;
    }
    return TOUCHES_INSIDE;
}

static contained contains(big_room *r, const poly *f, const quartic *k, const big d[4])
{
    const poly cubic = { 3, { big_neg(d[0]), d[1], big_neg(d[2]), d[3] } };
    if (k->discriminant > 0)
        return by_halving(r, f, &cubic);
    if (k->triple) {
        if (k->p.n == 0) {
            const surd x = from_depressed(r, f, big_zero, big_int(r, 1));
            return at_double(r, &cubic, &x, 3);
        }
        if (big_sign(k->q) < 0)
            return by_halving(r, f, &cubic);
        const surd x = from_depressed(r, f, big_times(r, -3, k->q), big_times(r, 4, k->p));
        return at_double(r, &cubic, &x, 2);
    }
    if (k->twice) { /* y = sqrt(-2 p) / 2 */
        const surd x = { big_times(r, -2, f->c[3]), big_times(r, -2, k->p), big_times(r, 8, f->c[4]) };
        return at_double(r, &cubic, &x, 1);
    }
    big num, den;
    double_root(r, k, &num, &den);
    const int mark = r->used;
    const int height =
        big_sign(big_add(r, big_times(r, 6, big_mul(r, num, num)), big_mul(r, k->p, big_mul(r, den, den))));
    r->used = mark;
    if (big_sign(num) * big_sign(den) <= 0 || height <= 0)
        return by_halving(r, f, &cubic);
    const surd x = from_depressed(r, f, num, den);
    return at_double(r, &cubic, &x, 1);
}

/* No root of det(l Pb - Pa) is larger than 1: Pa <= Pb, without which a is not in b. */
static bool is_smaller(big_room *r, const big d[4])
{
    const big even = big_add(r, d[3], d[1]), odd = big_add(r, d[2], d[0]);
    const big slope = big_sub(r, big_add(r, big_times(r, 3, d[3]), d[1]), big_times(r, 2, d[2]));
    const big bend = big_sub(r, big_times(r, 3, d[3]), d[2]);
    return big_sign(big_sub(r, even, odd)) >= 0 && big_sign(slope) >= 0 && big_sign(bend) >= 0;
}

static abut_ellipsoid_exact_relation find_nested(big_room *r, const matrices *s, const poly *f,
                                                 const quartic *k, const big d[4])
{
    const big back[4] = { d[3], d[2], d[1], d[0] };
    const bool a_fits = is_smaller(r, d), b_fits = is_smaller(r, back);
    if (a_fits && b_fits) { /* one form and size */
        const bool equal = !s->t[0].n && !s->t[1].n && !s->t[2].n;
        return (abut_ellipsoid_exact_relation){ equal ? ABUT_ELLIPSOIDS_EQUAL : ABUT_ELLIPSOIDS_CROSSING,
                                                false };
    }
    contained how = OUT;
    if (a_fits)
        how = contains(r, f, k, d);
    else if (b_fits) {
        /* The other way round the roots are 1 / l. */
        const poly turned = { 4, { f->c[4], f->c[3], f->c[2], f->c[1], f->c[0] } };
        const quartic other = study(r, &turned);
        how = contains(r, &turned, &other, back);
    }
    if (how == OUT)
        return (abut_ellipsoid_exact_relation){ ABUT_ELLIPSOIDS_CROSSING, false };
    return (abut_ellipsoid_exact_relation){ a_fits ? ABUT_ELLIPSOIDS_A_IN_B : ABUT_ELLIPSOIDS_B_IN_A,
                                            how == TOUCHES_INSIDE };
}

/* ---- the whole ---- */

static abut_ellipsoid_exact_relation find_relation(big_room *r, const abut_ellipsoid_given *a,
                                                   const abut_ellipsoid_given *b, bool nested)
{
    const abut_ellipsoid_exact_relation crossing = { ABUT_ELLIPSOIDS_CROSSING, false };
    const abut_ellipsoid_exact_relation separate = { ABUT_ELLIPSOIDS_SEPARATE, false };
    const abut_ellipsoid_exact_relation touching = { ABUT_ELLIPSOIDS_TOUCHING, false };
    matrices s;
    big d[4];
    poly f;
    load_both(r, a, b, &s);
    characteristic(r, &s, d, &f);
    /* Changes of sign of Q(-m): 2 where one of these holds, else 0. */
    const bool negative = f.c[1].n > 0 || f.c[2].n < 0 || f.c[3].n > 0;
    if (!negative && !nested)
        return crossing;
    const quartic k = study(r, &f);
    if (!k.real)
        return crossing;
    if (!negative)
        return nested ? find_nested(r, &s, &f, &k, d) : crossing;
    if (k.discriminant > 0)
        return separate;
    if (k.twice || k.triple)
        return touching;
    big num, den;
    double_root(r, &k, &num, &den);
    const surd x = from_depressed(r, &f, num, den);
    return x.u.n < 0 ? touching : separate;
}

/* Numbers are mostly short. What does not fit here is tried with more. */
static bool try_relation(big_room *room, const abut_ellipsoid_given *a, const abut_ellipsoid_given *b,
                         bool nested, abut_ellipsoid_exact_relation *out)
{
    *out = find_relation(room, a, b, nested);
    if (room->full)
        *out = (abut_ellipsoid_exact_relation){ ABUT_ELLIPSOIDS_UNKNOWN, false };
    return !room->full;
}

static __attribute__((noinline)) bool try_short(const abut_ellipsoid_given *a, const abut_ellipsoid_given *b,
                                                bool nested, abut_ellipsoid_exact_relation *out)
{
    uint64_t limbs[3072]; /* 24 KiB */
    big_room room = { .size = 3072, .limbs = limbs };
    return try_relation(&room, a, b, nested, out);
}

static __attribute__((noinline)) bool try_long(const abut_ellipsoid_given *a, const abut_ellipsoid_given *b,
                                               bool nested, abut_ellipsoid_exact_relation *out)
{
    uint64_t limbs[65536]; /* 512 KiB */
    big_room room = { .size = 65536, .limbs = limbs };
    return try_relation(&room, a, b, nested, out);
}

abut_ellipsoid_exact_relation abut_ellipsoid_exact(const abut_ellipsoid_given *a,
                                                   const abut_ellipsoid_given *b, bool nested)
{
    abut_ellipsoid_exact_relation out;
    if (!try_short(a, b, nested, &out))
        (void)try_long(a, b, nested, &out);
    return out;
}

/* ---- a determinant, a ball, a plane, a point ---- */

static big determinant9(big_room *r, const big m[9])
{
    const big x = big_mul2(r, m[4], m[8], big_neg(m[5]), m[7]);
    const big y = big_mul2(r, m[5], m[6], big_neg(m[3]), m[8]);
    const big z = big_mul2(r, m[3], m[7], big_neg(m[4]), m[6]);
    const big minors[3] = { x, y, z };
    return big_dot(r, m, minors);
}

int abut_ellipsoid_exact_determinant(const abut_mat3 *m)
{
    uint64_t limbs[1024]; /* three factors of 34 limbs, products of two and three, with room */
    big_room room = { .size = 1024, .limbs = limbs };
    double x[9];
    big entry[9];
    for (int i = 0; i < 9; ++i)
        x[i] = m->m[i / 3][i % 3];
    const int e = big_exponent(x, 9, 2000);
    for (int i = 0; i < 9; ++i)
        entry[i] = big_double(&room, x[i], e);
    return big_sign(determinant9(&room, entry));
}

/* L L^T is the square of the radius times the identity. A radius that is a double is as long as
 * its square's unit lets it be; the root that doubles find is off by less than 3 ulp. */
bool abut_ellipsoid_exact_ball(const abut_ellipsoid_given *a, double *radius)
{
    const double(*m)[3] = a->map.linear.m, x = m[0][0] * a->radii.x, y = m[0][1] * a->radii.y,
          z = m[0][2] * a->radii.z;
    const double near = sqrt(x * x + y * y + z * z);
    uint64_t limbs[2048];
    big_room r = { .size = 2048, .limbs = limbs };
    const int e = given_exponent(a, 2000);
    big linear[9], centre[3], weight;
    load(&r, a, e, linear, centre, &weight);
    const sym p = square(&r, linear);
    if (r.full || big_sign(p.xy) != 0 || big_sign(p.xz) != 0 || big_sign(p.yz) != 0 ||
        big_sign(big_sub(&r, p.xx, p.yy)) != 0 || big_sign(big_sub(&r, p.xx, p.zz)) != 0)
        return false;
    double at = near;
    for (int i = 0; i < 3; ++i)
        at = nextafter(at, 0);
    for (int i = 0; i < 7; ++i, at = nextafter(at, HUGE_VAL)) {
        if (!(at > 0 && isfinite(at)) || big_exponent(&at, 1, 2000) < e)
            continue;
        const int mark = r.used;
        const big root = big_double(&r, at, e), off = big_sub(&r, big_mul(&r, root, root), p.xx);
        if (!r.full && big_sign(off) == 0) {
            *radius = at;
            return true;
        }
        r.used = mark;
    }
    return false;
}

/* (n . c - offset)^2 against |L^T n|^2. */
int abut_ellipsoid_exact_plane(const abut_affine *map, abut_vec3 normal, double offset)
{
    uint64_t limbs[4096];
    big_room r = { .size = 4096, .limbs = limbs };
    const double n[3] = { normal.x, normal.y, normal.z };
    const int turn = big_exponent(n, 3, 2000);
    double x[12];
    affine_entries(map, x);
    const int unit = big_exponent(&offset, 1, big_exponent(x, 12, 2000) + turn) - turn;
    big along[3], column[3];
    for (int i = 0; i < 3; ++i)
        along[i] = big_double(&r, n[i], turn);
    for (int i = 0; i < 3; ++i)
        column[i] = big_double(&r, x[9 + i], unit);
    const big height = big_sub(&r, big_dot(&r, along, column), big_double(&r, offset, unit + turn));
    big rest = big_mul(&r, height, height);
    for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i)
            column[i] = big_double(&r, x[3 * i + j], unit);
        const big reach = big_dot(&r, along, column);
        rest = big_sub(&r, rest, big_mul(&r, reach, reach));
    }
    return !r.full && big_sign(rest) > 0 ? big_sign(height) : 0;
}

/* |adj(L) (p - c)|^2 against det(L)^2. */
int abut_ellipsoid_exact_point(const abut_ellipsoid_given *a, abut_vec3 p)
{
    uint64_t limbs[4096];
    big_room r = { .size = 4096, .limbs = limbs };
    const double at[3] = { p.x, p.y, p.z };
    const int e = big_exponent(at, 3, given_exponent(a, 2000));
    big m[9], c[3], w, d[3];
    load(&r, a, e, m, c, &w);
    for (int i = 0; i < 3; ++i)
        d[i] = big_sub(&r, big_mul(&r, w, big_double(&r, at[i], e)), c[i]);
    const big det = determinant9(&r, m);
    big square = big_mul(&r, det, big_neg(det));
    for (int j = 0; j < 3; ++j) {
        /* Cramer: column j replaced. */
        big changed[9];
        for (int i = 0; i < 9; ++i)
            changed[i] = i % 3 == j ? d[i / 3] : m[i];
        const big y = determinant9(&r, changed);
        square = big_add(&r, square, big_mul(&r, y, y));
    }
    return r.full ? ABUT_SIGN_UNKNOWN : big_sign(square);
}
