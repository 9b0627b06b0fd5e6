/* SPDX-License-Identifier: MIT */
/* Building F(u, t) in Bernstein form; included by ellipsoid_poly.c with doubles and by
 * ellipsoid_poly_fine.c with pairs of doubles. The including file defines the type `num`, its
 * operations, and EPS, a bound of the relative error of each.
 *
 * A polynomial of degree n in s is held by the coefficients a_i of s^i (1 - s)^(n - i): products
 * are then convolutions. With b_i = a_i / binomial(n, i), the coefficients in the Bernstein
 * basis, |p| = max |b_i| bounds p on [0, 1], and |p q| <= |p| |q|, because the coefficients of a
 * product are means of products. So one number, `error`, bounds what all of a polynomial is off
 * by, and costs a few operations for each product. Rational motions bring a denominator w; what
 * is built is F (w_a w_b)^2. */

enum { MOST = ABUT_PATCH_MOST, MOST_LOADED = 5 };

typedef struct poly {
    int n;
    double size, error; /* |p| of the coefficients held, and |p - what is meant| */
    num a[MOST + 1];
} poly;

typedef struct body {
    poly m[3][3], k[3][3], c[3]; /* m[j], k[j]: columns; times the denominator */
    poly det, w;
} body;

static void measure(poly *p)
{
    const double *weight = abut_binomial[p->n];
    double size = 0;
    for (int i = 0; i <= p->n; ++i) {
        const double x = fabs(num_double(p->a[i])) / weight[i];
        size = x > size ? x : size;
    }
    p->size = (1 + 0x1p-50) * size;
}

static void set_constant(poly *p, double x)
{
    p->n = 0;
    p->a[0] = num_from(x);
    p->size = fabs(x);
    p->error = 0;
}

/* From Bernstein coefficients, each off by `error` at most. */
static void set_bernstein(poly *p, int n, const num *b, double error)
{
    const double *weight = abut_binomial[n];
    p->n = n;
    for (int i = 0; i <= n; ++i)
        p->a[i] = num_mul(num_from(weight[i]), b[i]);
    measure(p);
    p->error = error + 2 * EPS * p->size;
}

/* A sum of n + 1 products is off by n + 2 times EPS of the sum of their sizes. */
static void multiply(const poly *p, const poly *q, poly *out)
{
    const int n = p->n + q->n, terms = (p->n < q->n ? p->n : q->n) + 1;
    for (int i = 0; i <= n; ++i)
        out->a[i] = num_from(0);
    for (int i = 0; i <= p->n; ++i) {
        const num x = p->a[i];
        for (int j = 0; j <= q->n; ++j)
            out->a[i + j] = num_add(out->a[i + j], num_mul(x, q->a[j]));
    }
    out->n = n;
    out->error = 1.001 * (p->size * q->error + q->size * p->error + p->error * q->error) +
                 (terms + 2) * EPS * (p->size * q->size) + TINY;
    measure(out);
}

static void elevate(const poly *p, int n, poly *out)
{
    poly one = { .n = n - p->n, .size = 1 };
    const double *b = abut_binomial[one.n];
    for (int i = 0; i <= one.n; ++i)
        one.a[i] = num_from(b[i]);
    multiply(p, &one, out);
}

/* acc += sign p, whatever their degrees; an acc of degree -1 is zero. */
static void accumulate(poly *acc, const poly *p, double sign)
{
    poly raised;
    if (acc->n >= 0 && acc->n < p->n) {
        elevate(acc, p->n, &raised);
        *acc = raised;
    } else if (p->n < acc->n) {
        elevate(p, acc->n, &raised);
        p = &raised;
    }
    if (acc->n < 0) {
        acc->n = p->n;
        acc->size = acc->error = 0;
        for (int i = 0; i <= p->n; ++i)
            acc->a[i] = num_from(0);
    }
    for (int i = 0; i <= p->n; ++i)
        acc->a[i] = num_add(acc->a[i], sign < 0 ? num_neg(p->a[i]) : p->a[i]);
    acc->error = 1.001 * (acc->error + p->error) + EPS * (acc->size + p->size);
    measure(acc);
}

/* The scalar product of two columns. */
static void dot(const poly p[3], const poly q[3], poly *out)
{
    poly x;
    multiply(&p[0], &q[0], out);
    for (int i = 1; i < 3; ++i) {
        multiply(&p[i], &q[i], &x);
        accumulate(out, &x, 1);
    }
}

static void cross(const poly p[3], const poly q[3], poly out[3])
{
    for (int i = 0; i < 3; ++i) {
        poly x;
        multiply(&p[(i + 1) % 3], &q[(i + 2) % 3], &out[i]);
        multiply(&p[(i + 2) % 3], &q[(i + 1) % 3], &x);
        accumulate(&out[i], &x, -1);
    }
}

/* acc += p^2 */
static void add_square(poly *acc, const poly *p)
{
    poly x;
    multiply(p, p, &x);
    accumulate(acc, &x, 1);
}

/* ---- motions ---- */

/* Coefficients b of degree n over the time from t0 to t1 are those over [lo, hi] afterwards.
 * Each of two cuts is a chain of n means, each rounded thrice, at a place that is off by 8 EPS,
 * which moves the coefficients by 2 n times that: 24 n EPS in all, twice. */
static double restrict_to(num *b, int n, double t0, double t1, double lo, double hi)
{
    double size = 0;
    for (int i = 0; i <= n; ++i)
        size = fmax(size, fabs(num_double(b[i])));
    if (n == 0 || (lo == t0 && hi == t1))
        return 0;
    const num whole = num_sub(num_from(t1), num_from(t0));
    if (hi != t1) {
        const num at = num_div(num_sub(num_from(hi), num_from(t0)), whole), rest = num_sub(num_from(1), at);
        for (int level = 1; level <= n; ++level)
            for (int i = n; i >= level; --i)
                b[i] = num_add(num_mul(rest, b[i - 1]), num_mul(at, b[i]));
    }
    if (lo != t0) {
        const num at = num_div(num_sub(num_from(lo), num_from(t0)), num_sub(num_from(hi), num_from(t0)));
        const num rest = num_sub(num_from(1), at);
        for (int level = 1; level <= n; ++level)
            for (int i = 0; i + level <= n; ++i)
                b[i] = num_add(num_mul(rest, b[i]), num_mul(at, b[i + 1]));
    }
    return 48 * n * EPS * size;
}

typedef struct span {
    double t0, t1, lo, hi;
} span;

/* scale times the polynomial over a motion's time with Bernstein coefficients b. */
static void load(poly *p, int n, num *b, double error, double scale, const span *s)
{
    double size = 0;
    const double moved = restrict_to(b, n, s->t0, s->t1, s->lo, s->hi);
    for (int i = 0; i <= n; ++i) {
        b[i] = num_mul(num_from(scale), b[i]);
        size = fmax(size, fabs(num_double(b[i])));
    }
    set_bernstein(p, n, b, 1.001 * fabs(scale) * (error + moved) + EPS * size);
}

static double entry(const abut_affine *a, int i, int j)
{
    return j < 3    ? a->linear.m[i][j]
           : i == 0 ? a->translation.x
           : i == 1 ? a->translation.y
                    : a->translation.z;
}

static bool load_affine(const abut_ellipsoids *e, int which, const abut_affine *matrices, size_t count,
                        const span *s, body *out)
{
    const double r[3] = { e->radii[which].x, e->radii[which].y, e->radii[which].z };
    if (count > MOST_LOADED + 1)
        return false;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 4; ++j) {
            num b[MOST_LOADED + 1];
            for (size_t k = 0; k < count; ++k)
                b[k] = num_from(entry(&matrices[k], i, j));
            load(j < 3 ? &out->m[j][i] : &out->c[i], (int)count - 1, b, 0, j < 3 ? r[j] : e->unit, s);
        }
    set_constant(&out->w, 1);
    return true;
}

/* A constant that is enclosed. */
static num middle(abut_interval x, double *error)
{
    const double mid = 0.5 * x.lo + 0.5 * x.hi;
    *error = fmax(*error, (1 + 0x1p-50) * fmax(x.hi - mid, mid - x.lo));
    return num_from(mid);
}

static void load_fixed(const abut_ellipsoids *e, int which, const abut_interval_affine *at, body *out)
{
    const double r[3] = { e->radii[which].x, e->radii[which].y, e->radii[which].z };
    const span none = { 0, 1, 0, 1 };
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double error = 0;
            num b[1] = { middle(at->linear.m[i][j], &error) };
            load(&out->m[j][i], 0, b, error, r[j], &none);
        }
        double error = 0;
        num b[1] = { middle(i == 0   ? at->translation.x
                            : i == 1 ? at->translation.y
                                     : at->translation.z,
                            &error) };
        load(&out->c[i], 0, b, error, e->unit, &none);
    }
    set_constant(&out->w, 1);
}

/* The origin on a line. */
static void load_line(const abut_ellipsoids *e, const abut_leg *leg, const span *s, body *out)
{
    const double from[3] = { leg->from.x, leg->from.y, leg->from.z },
                 to[3] = { leg->to.x, leg->to.y, leg->to.z };
    const double rate[3] = { leg->rate.x, leg->rate.y, leg->rate.z };
    for (int i = 0; i < 3; ++i) {
        num b[2] = { num_from(from[i]), num_from(to[i]) };
        double error = 0;
        if (leg->by_rate) {
            const num whole = num_sub(num_from(s->t1), num_from(s->t0)),
                      way = num_mul(whole, num_from(rate[i]));
            b[1] = num_add(b[0], way);
            error = 4 * EPS * (fabs(from[i]) + fabs(num_double(way)));
        }
        load(&out->c[i], 1, b, error, e->unit, s);
    }
}

/* Turning as x = 1 - s + s cos a, y = s sin a: w = x^2 + y^2, w R = w R0 + 2 x y M1 + 2 y^2 M2,
 * where a slow turn keeps y / |rate| and M1, M2 times the rate and its square (motion/spin.h).
 * All from intervals an ulp wide, so doubles will do. */
static ABUT_NOINLINE void turn_coefficients(const abut_spin *spin, abut_interval w[3],
                                            abut_interval r[3][3][3])
{
    const ia hc = ia_from(spin->half_cos), hs = ia_from(spin->half_sin), two = ia_point(2);
    const ia ss = ia_sqr(hs), full = spin->slow ? ia_mul(ia_from(spin->rate_sq), ss) : ss;
    /* Bernstein coefficients of degree 2; the middle one is half that of 2 s (1 - s). */
    const ia wc[3] = { ia_point(1), hc, ia_add(ia_sqr(hc), full) };
    const ia sine[3] = { ia_point(0), hs, ia_mul(two, ia_mul(hc, hs)) };
    const ia vers = ia_mul(two, ss);
    for (int k = 0; k < 3; ++k)
        w[k] = ia_to(wc[k]);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const ia r0 = ia_from(spin->start.m[i][j]), m1 = ia_from(spin->m1.m[i][j]);
            const ia m2 = ia_from(spin->m2.m[i][j]);
            for (int k = 0; k < 3; ++k) {
                ia x = ia_add(ia_mul(wc[k], r0), ia_mul(sine[k], m1));
                if (k == 2)
                    x = ia_add(x, ia_mul(vers, m2));
                r[i][j][k] = ia_to(x);
            }
        }
}

static void load_turning(const abut_ellipsoids *e, int which, const abut_spin *spin, const span *s, body *out)
{
    const double radius[3] = { e->radii[which].x, e->radii[which].y, e->radii[which].z };
    abut_interval w[3], r[3][3][3];
    const abut_rounding saved = abut_rounding_enter();
    turn_coefficients(spin, w, r);
    abut_rounding_leave(saved);
    num b[3];
    double error = 0;
    for (int k = 0; k < 3; ++k)
        b[k] = middle(w[k], &error);
    load(&out->w, 2, b, error, 1, s);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            error = 0;
            for (int k = 0; k < 3; ++k)
                b[k] = middle(r[i][j][k], &error);
            load(&out->m[j][i], 2, b, error, radius[j], s);
        }
}

/* Cofactors and determinant. Of a rigid map the cofactor column j is column j times r_k r_l /
 * r_j, where it need not be multiplied out. */
static void complete(const abut_ellipsoids *e, int which, body *out)
{
    const double r[3] = { e->radii[which].x, e->radii[which].y, e->radii[which].z };
    if (!e->rigid[which]) {
        for (int j = 0; j < 3; ++j)
            cross(out->m[(j + 1) % 3], out->m[(j + 2) % 3], out->k[j]);
        dot(out->m[0], out->k[0], &out->det);
        return;
    }
    for (int j = 0; j < 3; ++j) {
        poly scale;
        set_constant(&scale, 0);
        scale.a[0] = num_div(num_mul(num_from(r[(j + 1) % 3]), num_from(r[(j + 2) % 3])), num_from(r[j]));
        measure(&scale);
        scale.error = 3 * EPS * scale.size;
        for (int i = 0; i < 3; ++i)
            multiply(&scale, &out->m[j][i], &out->k[j][i]);
    }
    poly volume;
    set_constant(&volume, 0);
    volume.a[0] = num_mul(num_mul(num_from(r[0]), num_from(r[1])), num_from(r[2]));
    measure(&volume);
    volume.error = 2 * EPS * volume.size;
    multiply(&volume, &out->w, &out->det);
}

static bool load_body(const abut_ellipsoids *e, int which, double lo, double hi, body *out)
{
    const abut_motion *motion = e->motion[which];
    const abut_interval one = { 1, 1 }, zero = { 0, 0 };
    abut_interval_affine at = { { { { one, zero, zero }, { zero, one, zero }, { zero, zero, one } } },
                                { zero, zero, zero } };
    if (e->held[which]) {
        load_fixed(e, which, e->held[which], out);
        complete(e, which, out);
        return true;
    }
    size_t count;
    const abut_affine *matrices = motion ? abut_motion_affine_matrices(motion, &count) : NULL;
    const abut_leg *leg = motion ? abut_motion_leg(motion, lo) : NULL;
    if (matrices) {
        const span s = { motion->t0, motion->t1, lo, hi };
        if (!load_affine(e, which, matrices, count, &s, out))
            return false;
    } else if (leg) {
        const span s = { leg->t0, leg->t1, lo, hi };
        if (leg->screws || (leg->spin.turns && !leg->spin.rational))
            return false;
        at.linear = leg->spin.start;
        load_fixed(e, which, &at, out);
        load_line(e, leg, &s, out);
        if (leg->spin.turns)
            load_turning(e, which, &leg->spin, &s, out);
    } else {
        if (motion && (motion->type != ABUT_MOTION_STATIC ||
                       abut_motion_enclose(motion, (abut_interval){ lo, hi }, &at)))
            return false;
        load_fixed(e, which, &at, out);
    }
    complete(e, which, out);
    return true;
}

/* ---- F ---- */

typedef struct parts {
    poly det_a, det_b, reach_a, reach_b, mixed_ab, mixed_ba, cross;
} parts;

/* acc times the square of w, which is often 1. */
static void times_square(poly *acc, const poly *w)
{
    poly square, product;
    if (w->n == 0)
        return;
    multiply(w, w, &square);
    multiply(acc, &square, &product);
    *acc = product;
}

static int degree_of(const body *a, const body *b, const poly d[3])
{
    const int m_a = a->m[0][0].n, m_b = b->m[0][0].n, k_a = a->k[0][0].n, k_b = b->k[0][0].n, c = d[0].n;
    const int all[] = { a->det.n + b->w.n, k_a + c + b->w.n, k_a + m_b,        m_a + k_b,
                        c + m_a + m_b,     k_b + c + a->w.n, b->det.n + a->w.n };
    int most = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        most = all[i] > most ? all[i] : most;
    return 2 * most;
}

static void find_parts(const body *a, const body *b, const poly d[3], parts *out)
{
    poly x, turned[3][3];
    for (int i = 0; i < 3; ++i)
        cross(d, a->m[i], turned[i]);
    out->reach_a.n = out->reach_b.n = out->mixed_ab.n = out->mixed_ba.n = out->cross.n = -1;
    for (int i = 0; i < 3; ++i) {
        dot(a->k[i], d, &x);
        add_square(&out->reach_a, &x);
        dot(b->k[i], d, &x);
        add_square(&out->reach_b, &x);
        for (int j = 0; j < 3; ++j) {
            dot(a->k[i], b->m[j], &x);
            add_square(&out->mixed_ab, &x);
            dot(a->m[i], b->k[j], &x);
            add_square(&out->mixed_ba, &x);
            dot(turned[i], b->m[j], &x);
            add_square(&out->cross, &x);
        }
    }
    multiply(&a->det, &a->det, &out->det_a);
    multiply(&b->det, &b->det, &out->det_b);
    times_square(&out->reach_a, &b->w);
    times_square(&out->det_a, &b->w);
    times_square(&out->reach_b, &a->w);
    times_square(&out->det_b, &a->w);
}

/* The determinant has no zero: all its coefficients have one sign. */
static bool is_regular(const poly *det)
{
    const double *choose = abut_binomial[det->n], sign = num_double(det->a[0]) < 0 ? -1 : 1;
    for (int i = 0; i <= det->n; ++i)
        if (!(sign * num_double(det->a[i]) > 1.001 * choose[i] * det->error))
            return false;
    return true;
}

/* The five columns, elevated to one degree, as numbers in the Bernstein basis; *error bounds
 * what each coefficient is off by. */
static bool build(const abut_ellipsoids *e, double lo, double hi, int *degree, num c[MOST + 1][5],
                  double *error, bool regular[2])
{
    body a, b;
    if (!load_body(e, 0, lo, hi, &a) || !load_body(e, 1, lo, hi, &b))
        return false;
    regular[0] = is_regular(&a.det);
    regular[1] = is_regular(&b.det);
    poly d[3];
    for (int i = 0; i < 3; ++i) {
        d[i] = b.c[i];
        accumulate(&d[i], &a.c[i], -1);
    }
    const int n = *degree = degree_of(&a, &b, d);
    if (n > MOST)
        return false;
    parts p;
    find_parts(&a, &b, d, &p);
    poly raw[5];
    for (int j = 0; j < 5; ++j)
        raw[j].n = -1;
    accumulate(&raw[0], &p.det_b, -1);
    accumulate(&raw[1], &p.reach_b, 1);
    accumulate(&raw[1], &p.det_b, -1);
    accumulate(&raw[1], &p.mixed_ba, -1);
    accumulate(&raw[2], &p.cross, 1);
    accumulate(&raw[2], &p.mixed_ab, -1);
    accumulate(&raw[2], &p.mixed_ba, -1);
    accumulate(&raw[3], &p.reach_a, 1);
    accumulate(&raw[3], &p.det_a, -1);
    accumulate(&raw[3], &p.mixed_ab, -1);
    accumulate(&raw[4], &p.det_a, -1);
    static const double weight[5] = { 1, 4, 6, 4, 1 };
    const double *choose = abut_binomial[n];
    double power = 1;
    *error = 0;
    for (int j = 0; j < 5; ++j, power *= e->balance) {
        poly raised;
        elevate(&raw[j], n, &raised);
        for (int i = 0; i <= n; ++i)
            c[i][j] = num_div(num_mul(num_from(power), raised.a[i]), num_from(choose[i] * weight[j]));
        *error = fmax(*error, power / weight[j] * (raised.error + 4 * EPS * raised.size));
    }
    *error *= 1.001;
    return isfinite(*error);
}
