/* SPDX-License-Identifier: MIT */
/* Where a line enters and leaves a cylinder, a cone or an ellipsoid; see line.h and
 * docs/notes/rays.md.
 *
 * Each is { Q <= 0 } with Q = sum of s_i k_i^2 x_i^2 - K^2, cut by a slab L <= x_2 <= U for
 * cylinder and cone:
 *     cylinder   x^2 + y^2 - r^2                          -h <= z <= h
 *     cone       H^2 (x^2 + y^2) - r^2 w^2                 0 <= w <= H, w the depth below the apex
 *     ellipsoid  sum of (r_j r_k x_i)^2 - (r_0 r_1 r_2)^2
 * Along the line Q = a t^2 + 2 b t + c, and by Lagrange's identity b^2 - a c = a K^2 - sum s_i
 * s_j (k_i k_j m_ij)^2 with the line's moments m: no cancellation but between the last two.
 * Pairs of doubles give the roots where all signs are clear, exact numbers (big.h) where
 * they are not. Whether a plane of the slab cuts before or after a root is decided by the sign of Q
 * where the line meets the plane, a polynomial in the data: exact again wherever the two
 * parameters are too close to compare. */
#include "math/vec3.h"
#include "narrow/pair/big.h"
#include "narrow/ray/line.h"

typedef struct quadric {
    int n; /* coordinates that count */
    abut_terms o[3], d[3];
    double factor[3][2]; /* k_i is their product */
    double last;         /* s_2; the others are 1 */
    double k[3];         /* K is their product */
} quadric;

typedef enum kind {
    EMPTY,
    ALL,     /* and on the boundary all along where c = 0 */
    BETWEEN, /* t[0] <= t <= t[1] */
    OUTSIDE, /* t <= t[0] or t >= t[1] */
    BEFORE,  /* t <= t[0] */
    AFTER    /* t >= t[0] */
} kind;

typedef struct roots {
    kind where;
    dd t[2];
    int a, b, c;  /* signs */
    bool twice;   /* t[0] = t[1] */
    double error; /* of both */
} roots;

static double sign_of(const quadric *q, int i)
{
    return i == 2 ? q->last : 1;
}

/* ---- exact ---- */

static void exact_factors(const quadric *q, abut_big k_sq[3], abut_big *K_sq)
{
    abut_big x, y, z;
    for (int i = 0; i < q->n; ++i) {
        abut_big_double(q->factor[i][0], &x);
        abut_big_double(q->factor[i][1], &y);
        abut_big_mul(&x, &y, &z);
        abut_big_mul(&z, &z, &k_sq[i]);
    }
    abut_big_double(q->k[0], &x);
    abut_big_double(q->k[1], &y);
    abut_big_mul(&x, &y, &z);
    abut_big_double(q->k[2], &x);
    abut_big_mul(&x, &z, &y);
    abut_big_mul(&y, &y, K_sq);
}

static void exact_coefficients(const quadric *q, abut_big *a, abut_big *b, abut_big *c)
{
    abut_big k_sq[3], K_sq, o, d, x;
    exact_factors(q, k_sq, &K_sq);
    abut_big_clear(a);
    abut_big_clear(b);
    abut_big_clear(c);
    for (int i = 0; i < q->n; ++i) {
        const int sign = sign_of(q, i) < 0 ? -1 : 1;
        abut_big_terms(&q->o[i], &o);
        abut_big_terms(&q->d[i], &d);
        abut_big_mul(&d, &d, &x);
        abut_big_add_product(&x, &k_sq[i], sign, a);
        abut_big_mul(&o, &d, &x);
        abut_big_add_product(&x, &k_sq[i], sign, b);
        abut_big_mul(&o, &o, &x);
        abut_big_add_product(&x, &k_sq[i], sign, c);
    }
    abut_big_add(&K_sq, -1, c);
}

static dd scale(dd x, int exponent)
{
    return (dd){ ldexp(x.h, exponent), ldexp(x.l, exponent) };
}

/* Kind and roots from signs; D >= 0. `small` and `large` are the roots in size, of the same sign
 * as -b and as written. */
static roots arrange(int a, int b, int c, bool twice, dd near, dd far)
{
    roots r = { .a = a, .b = b, .c = c, .twice = twice, .where = a > 0 ? BETWEEN : OUTSIDE };
    const bool order = near.h < far.h || (near.h == far.h && near.l <= far.l);
    r.t[0] = order ? near : far;
    r.t[1] = order ? far : near;
    return r;
}

/* t = 2^s x turns a, b, c into numbers near 1, but for b, which may be larger. */
static roots solve_exact(const quadric *q)
{
    abut_big a, b, c, D;
    exact_coefficients(q, &a, &b, &c);
    const int sa = abut_big_sign(&a), sb = abut_big_sign(&b), sc = abut_big_sign(&c);
    if (sa == 0 && sb == 0)
        return (roots){ .where = sc <= 0 ? ALL : EMPTY, .c = sc };
    if (sa == 0) {
        dd t = abut_big_quotient(&c, &b);
        t = scale(dd_neg(t), -1);
        return (roots){
            .where = sb > 0 ? BEFORE : AFTER, .b = sb, .c = sc, .t = { t, t }, .error = 0x1p-90 * fabs(t.h)
        };
    }
    abut_big_mul(&b, &b, &D);
    abut_big_add_product(&a, &c, -1, &D);
    const int sD = abut_big_sign(&D);
    if (sD < 0)
        return (roots){ .where = sa > 0 ? EMPTY : ALL, .a = sa, .b = sb, .c = sc };
    roots r;
    const dd middle = dd_neg(abut_big_quotient(&b, &a));
    if (sD == 0)
        r = arrange(sa, sb, sc, true, middle, middle);
    else if (sc == 0) {
        const dd zero = { 0, 0 };
        r = arrange(sa, sb, sc, false, zero, scale(middle, 1));
    } else {
        int ea, eb, ec, eD;
        const dd va = abut_big_value(&a, &ea), vc = abut_big_value(&c, &ec);
        dd vb = abut_big_value(&b, &eb), vD = abut_big_value(&D, &eD);
        /* A = a 2^(2 s - ec + ea), B = b 2^(s - ec + eb): the square of the latter, and D, are
         * 2^(2 s - 2 ec + ...). Even exponents under the root. */
        const int s = (ec - ea) / 2;
        const dd A = scale(va, ea + 2 * s - ec);
        vb = scale(vb, sb ? eb + s - ec : 0);
        if (eD % 2 != 0) {
            vD = scale(vD, 1);
            --eD;
        }
        const dd root = scale(dd_sqrt(vD), eD / 2 + s - ec);
        const dd sum = sb > 0 ? dd_neg(dd_add(vb, root)) : dd_sub(root, vb);
        r = arrange(sa, sb, sc, false, scale(dd_div(vc, sum), s), scale(dd_div(sum, A), s));
    }
    r.error = 0x1p-80 * fmax(fabs(r.t[0].h), fabs(r.t[1].h));
    return r;
}

/* ---- pairs of doubles ---- */

/* False where a sign is not clear. */
static bool solve_quickly(const quadric *q, roots *out)
{
    static const double clear = 0x1p-44;
    dd x[3], y[3], a = { 0, 0 }, b = a, c = a, minors = a;
    double size_a = 0, size_b = 0, size_c = 0, size_m = 0;
    for (int i = 0; i < q->n; ++i) {
        const dd k = dd_two_product(q->factor[i][0], q->factor[i][1]);
        x[i] = dd_mul(k, abut_terms_value(&q->o[i]));
        y[i] = dd_mul(k, abut_terms_value(&q->d[i]));
        const double s = sign_of(q, i);
        const dd yy = dd_sqr(y[i]), xx = dd_sqr(x[i]), xy = dd_mul(x[i], y[i]);
        a = s > 0 ? dd_add(a, yy) : dd_sub(a, yy);
        b = s > 0 ? dd_add(b, xy) : dd_sub(b, xy);
        c = s > 0 ? dd_add(c, xx) : dd_sub(c, xx);
        size_a += yy.h;
        size_b += fabs(xy.h);
        size_c += xx.h;
    }
    const dd K = dd_mul(dd_two_product(q->k[0], q->k[1]), (dd){ q->k[2], 0 }), K_sq = dd_sqr(K);
    c = dd_sub(c, K_sq);
    size_c += K_sq.h;
    for (int i = 0; i < q->n; ++i)
        for (int j = i + 1; j < q->n; ++j) {
            const dd p = dd_mul(x[i], y[j]), r = dd_mul(x[j], y[i]), square = dd_sqr(dd_sub(p, r));
            minors = sign_of(q, j) > 0 ? dd_add(minors, square) : dd_sub(minors, square);
            const double size = fabs(p.h) + fabs(r.h);
            size_m += size * size;
        }
    const dd D = dd_sub(dd_mul(a, K_sq), minors);
    const double size_D = size_a * K_sq.h + size_m;
    /* Squares of what is below 2^-200 would lose bits. */
    if (!(fabs(a.h) > clear * size_a) || !(fabs(c.h) > clear * size_c) || !(fabs(D.h) > clear * size_D) ||
        !(size_a > 0x1p-400) || !(size_c > 0x1p-400) || !(size_D > 0x1p-800))
        return false;
    if (D.h < 0) {
        *out = (roots){ .where = a.h > 0 ? EMPTY : ALL, .a = a.h > 0 ? 1 : -1, .c = c.h > 0 ? 1 : -1 };
        return true;
    }
    const dd root = dd_sqrt(D);
    if (!(fabs(b.h) + root.h > clear * size_b))
        return false;
    const dd sum = b.h > 0 ? dd_neg(dd_add(b, root)) : dd_sub(root, b);
    *out =
        arrange(a.h > 0 ? 1 : -1, b.h > 0 ? 1 : -1, c.h > 0 ? 1 : -1, false, dd_div(c, sum), dd_div(sum, a));
    /* D is off by 2^-97 of its size and not below 2^-44 of it, so its root by 2^-76 of the root
     * of that. */
    out->error = 0x1p-72 * (sqrt(size_D) + size_b) / fabs(a.h) + 0x1p-72 * fabs(out->t[1].h - out->t[0].h);
    return true;
}

/* ---- planes of the slab against roots ---- */

typedef struct cut {
    abut_terms over, under; /* t = over / under */
    dd t;
} cut;

static cut cut_at(const quadric *q, double level)
{
    cut c = { .over = q->o[2], .under = q->d[2] };
    abut_terms_negate(&c.over);
    abut_terms_push(&c.over, level);
    c.t = abut_terms_sign(&c.over) == 0 ? (dd){ 0, 0 }
                                        : dd_div(abut_terms_value(&c.over), abut_terms_value(&c.under));
    return c;
}

/* Sign of (t of the cut) - (root `which`, 0 or 1), by the sign of Q and of its derivative at the
 * cut. */
static int exact_order(const quadric *q, const roots *r, const cut *at, int which)
{
    abut_big a, b, c, n, m, x, value, slope;
    exact_coefficients(q, &a, &b, &c);
    abut_big_terms(&at->over, &n);
    abut_big_terms(&at->under, &m);
    abut_big_clear(&slope); /* a n + b m */
    abut_big_add_product(&a, &n, 1, &slope);
    abut_big_add_product(&b, &m, 1, &slope);
    abut_big_clear(&value); /* n (a n + b m) + m (b n + c m) */
    abut_big_add_product(&n, &slope, 1, &value);
    abut_big_clear(&x);
    abut_big_add_product(&b, &n, 1, &x);
    abut_big_add_product(&c, &m, 1, &x);
    abut_big_add_product(&m, &x, 1, &value);
    const int Q = abut_big_sign(&value);
    if (r->a == 0)
        return Q * r->b;
    const int side = abut_big_sign(&slope) * abut_big_sign(&m) * r->a, outside = Q * r->a;
    if (outside < 0)
        return which == 0 ? 1 : -1;
    if (outside > 0)
        return side;
    return side < 0 ? (which == 0 ? 0 : -1) : side > 0 ? (which == 0 ? 1 : 0) : 0;
}

static int order(const quadric *q, const roots *r, const cut *at, int which)
{
    const dd gap = dd_sub(at->t, r->t[which]);
    if (fabs(gap.h) > r->error + 0x1p-80 * (fabs(at->t.h) + fabs(r->t[which].h)))
        return gap.h > 0 ? 1 : -1;
    return exact_order(q, r, at, which);
}

/* ---- the bodies ---- */

enum { SIDE = 1, LOW = 2, HIGH = 4 }; /* faces: the quadric, the slab's planes */

typedef struct span {
    int count;
    int faces[2]; /* that bound it at each end */
    int flat;     /* planes it runs in */
    bool along;   /* it runs in the quadric */
    dd t[2];
} span;

/* The part of the quadric's set that a slab may meet: one interval, of which an end may be
 * missing. */
static bool bounds_of(const roots *r, int direction, bool has[2], int which[2])
{
    has[0] = has[1] = false;
    which[0] = 0;
    which[1] = 1;
    switch (r->where) {
    case EMPTY: return false;
    case ALL: return true;
    case BETWEEN: has[0] = has[1] = true; return true;
    case OUTSIDE: /* a cone, steeply: the nappe below its apex */
        has[direction > 0 ? 0 : 1] = true;
        which[0] = 1;
        which[1] = 0;
        return true;
    case BEFORE: has[1] = true; return true;
    default: has[0] = true; return true;
    }
}

static void cross(const quadric *q, const double slab[2], span *out)
{
    *out = (span){ .count = 0 };
    roots r;
    if (!solve_quickly(q, &r))
        r = solve_exact(q);
    const int direction = slab ? abut_terms_sign(&q->d[2]) : 0;
    bool has[2];
    int which[2];
    if (!bounds_of(&r, direction, has, which))
        return;
    out->along = r.where == ALL && r.c == 0;
    if (slab && direction == 0) {
        for (int i = 0; i < 2; ++i) {
            abut_terms beyond = q->o[2];
            abut_terms_push(&beyond, -slab[i]);
            const int side = abut_terms_sign(&beyond) * (i == 0 ? -1 : 1);
            if (side > 0)
                return;
            if (side == 0)
                out->flat |= i == 0 ? LOW : HIGH;
        }
    }
    for (int i = 0; i < 2; ++i) {
        out->t[i] = r.t[which[i]];
        out->faces[i] = has[i] ? SIDE : 0;
    }
    bool touches = has[0] && has[1] && r.twice;
    if (slab && direction != 0) {
        cut cuts[2];
        for (int i = 0; i < 2; ++i)
            cuts[i] = cut_at(q, slab[(direction > 0) == (i == 1)]);
        /* Against the far end first: beyond it there is nothing, at it a touch. */
        for (int i = 0; i < 2; ++i) {
            if (!has[1 - i])
                continue;
            const int past = order(q, &r, &cuts[i], which[1 - i]) * (i == 0 ? 1 : -1);
            if (past > 0)
                return;
            touches |= past == 0;
        }
        for (int i = 0; i < 2; ++i) {
            const int face = ((direction > 0) == (i == 1)) ? HIGH : LOW;
            const int later = has[i] ? order(q, &r, &cuts[i], which[i]) * (i == 0 ? 1 : -1) : 1;
            if (later >= 0) {
                out->faces[i] = later == 0 ? out->faces[i] | face : face;
                out->t[i] = cuts[i].t;
            }
        }
    }
    out->count = touches ? 1 : 2;
    if (touches) { /* one point, all faces at once: the t that is a quotient is the better one */
        const int all = out->faces[0] | out->faces[1];
        if (!(out->faces[0] & (LOW | HIGH)) && (out->faces[1] & (LOW | HIGH)))
            out->t[0] = out->t[1];
        out->faces[0] = out->faces[1] = all | SIDE;
    }
}

static double shrink(double x, int exponent)
{
    return ldexp(x, -exponent);
}

static abut_vec3 point_at(const abut_line *line, dd t)
{
    double p[3];
    for (int i = 0; i < 3; ++i)
        p[i] = dd_add(abut_terms_value(&line->o[i]), dd_mul(t, abut_terms_value(&line->d[i]))).h;
    return abut_v3(p[0], p[1], p[2]);
}

static double unscale(const abut_line *line, dd t)
{
    return ldexp(t.h, line->length_exponent - line->direction_exponent);
}

static void set_cylinder(const abut_line *line, double r, quadric *q)
{
    *q = (quadric){ .n = 2, .last = 1, .k = { r, 1, 1 }, .factor = { { 1, 1 }, { 1, 1 }, { 0, 0 } } };
    for (int i = 0; i < 3; ++i) {
        q->o[i] = line->o[i];
        q->d[i] = line->d[i];
    }
}

static abut_line_end cylinder_end(const abut_line *line, dd t, int faces, int flat)
{
    const int all = faces | flat;
    abut_line_end e = { .t = unscale(line, t), .feature = ABUT_FEATURE_FACE };
    const bool side = all & SIDE, cap = all & (LOW | HIGH);
    e.feature = side && cap ? ABUT_FEATURE_EDGE : ABUT_FEATURE_FACE;
    e.id = side && cap ? (all & LOW ? 0 : 1) : side ? 0 : (all & LOW ? 1 : 2);
    if (faces & SIDE) {
        abut_vec3 p = point_at(line, t);
        p.z = 0;
        e.outward = abut_unit_or(p, abut_v3(1, 0, 0));
    } else
        e.outward = abut_v3(0, 0, faces & LOW ? -1 : 1);
    return e;
}

static void through_cylinder(const abut_shape *shape, const abut_line *line, abut_line_hit *out)
{
    const double half = 0.5 * shrink(shape->u.round.height, line->length_exponent);
    const double slab[2] = { -half, half };
    quadric q;
    span s;
    set_cylinder(line, shrink(shape->u.round.radius, line->length_exponent), &q);
    cross(&q, slab, &s);
    out->count = s.count;
    for (int i = 0; i < s.count; ++i)
        out->end[i] = cylinder_end(line, s.t[i], s.faces[i], s.along ? SIDE : s.flat);
    out->in_boundary = s.along || s.flat;
    out->feature = ABUT_FEATURE_FACE;
    out->id = s.along ? 0 : s.flat & LOW ? 1 : 2;
}

static abut_line_end cone_end(const abut_line *line, dd t, int faces, int flat, double r, double height)
{
    const int all = faces | flat; /* LOW: the apex, at depth 0; HIGH: the base */
    abut_line_end e = { .t = unscale(line, t), .id = 0, .outward = { 0, 0, 1 } };
    if (all & LOW) {
        e.feature = ABUT_FEATURE_VERTEX;
        return e;
    }
    const bool side = all & SIDE, base = all & HIGH;
    e.feature = side && base ? ABUT_FEATURE_EDGE : ABUT_FEATURE_FACE;
    e.id = side ? 0 : 1;
    if (faces & SIDE) {
        abut_vec3 p = point_at(line, t);
        p.z = 0;
        const abut_vec3 away = abut_unit_or(p, abut_v3(1, 0, 0));
        e.outward = abut_unit_or(abut_v3(height * away.x, height * away.y, r), away);
    } else
        e.outward = abut_v3(0, 0, -1);
    return e;
}

static void through_cone(const abut_shape *shape, const abut_line *line, abut_line_hit *out)
{
    const double height = shrink(shape->u.round.height, line->length_exponent);
    const double r = shrink(shape->u.round.radius, line->length_exponent);
    const double slab[2] = { 0, height };
    quadric q;
    span s;
    set_cylinder(line, 0, &q);
    q.n = 3;
    q.last = -1;
    q.factor[0][0] = q.factor[1][0] = height;
    q.factor[2][0] = r;
    q.factor[2][1] = 1;
    abut_terms_negate(&q.o[2]); /* depth below the apex */
    abut_terms_push(&q.o[2], 0.5 * height);
    abut_terms_negate(&q.d[2]);
    cross(&q, slab, &s);
    out->count = s.count;
    for (int i = 0; i < s.count; ++i)
        out->end[i] = cone_end(line, s.t[i], s.faces[i], s.along ? SIDE : s.flat, r, height);
    out->in_boundary = s.along || s.flat;
    out->feature = ABUT_FEATURE_FACE;
    out->id = s.along ? 0 : 1;
}

static void through_ellipsoid(const abut_shape *shape, const abut_line *line, abut_line_hit *out)
{
    const abut_vec3 radii = shape->u.ellipsoid.radii;
    int e;
    (void)frexp(abut_max_norm(radii), &e); /* only their ratios count in the factors */
    const double r[3] = { shrink(radii.x, e), shrink(radii.y, e), shrink(radii.z, e) };
    quadric q;
    span s;
    set_cylinder(line, 0, &q);
    q.n = 3;
    for (int i = 0; i < 3; ++i) {
        q.factor[i][0] = r[(i + 1) % 3];
        q.factor[i][1] = r[(i + 2) % 3];
    }
    q.k[0] = shrink(radii.x, line->length_exponent);
    q.k[1] = r[1];
    q.k[2] = r[2];
    cross(&q, NULL, &s);
    out->count = s.count;
    for (int i = 0; i < s.count; ++i) {
        const abut_vec3 p = point_at(line, s.t[i]);
        const abut_vec3 unit = { p.x / r[0], p.y / r[1], p.z / r[2] };
        const abut_vec3 n = { unit.x / r[0], unit.y / r[1], unit.z / r[2] };
        out->end[i] =
            (abut_line_end){ unscale(line, s.t[i]), ABUT_FEATURE_FACE, 0, abut_unit_or(n, abut_v3(1, 0, 0)) };
    }
}

void abut_line_through_quadric(const abut_shape *shape, const abut_line *line, abut_line_hit *out)
{
    switch (shape->type) {
    case ABUT_SHAPE_CYLINDER: through_cylinder(shape, line, out); break;
    case ABUT_SHAPE_CONE: through_cone(shape, line, out); break;
    default: through_ellipsoid(shape, line, out);
    }
}
