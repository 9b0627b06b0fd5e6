/* SPDX-License-Identifier: MIT */
/* Polynomials over a ring of numbers, and curves put into surfaces in them. Included by substitute.c once for
 * each kind of number, with NUM its type, R(name) the name of an instance's function, and
 *
 *     num_from(r, interval)   false where the ring has no such number
 *     num_add num_sub num_mul (r, a, b), r may be a or b
 *     num_whole(r, n)         a small integer
 *     num_root(r, a)          square root; false where the ring has none
 *
 * A curve has homogeneous coordinates X / W, polynomials in t. With D = X - p W a surface is
 *     plane     a . D                                  sphere   D . D - r^2 W^2
 *     cylinder  |D x a|^2 - r^2 |a|^2 W^2              cone     |D x a|^2 - k^2 (a . D)^2
 *     torus     |a|^2 (D . D + (R^2 - r^2) W^2)^2 - 4 R^2 W^2 |D x a|^2
 *     quadric   (X, W)' M (X, W)
 * Axes appear by their squares alone, so that they need not be of unit length. */

typedef struct R(poly) {
    int degree;
    NUM c[ABUT_SUBSTITUTE_DEGREE + 1];
} R(poly);

typedef struct R(vector) {
    NUM x, y, z;
} R(vector);

typedef struct R(curve) {
    R(poly) x[3], w;
} R(curve);

static void R(constant)(R(poly) * r, const NUM *c)
{
    r->degree = 0;
    r->c[0] = *c;
}

/* r = a + b, or a - b; r may be a or b. */
static void R(sum)(R(poly) * r, const R(poly) * a, const R(poly) * b, bool minus)
{
    NUM zero;
    num_whole(&zero, 0);
    const int an = a->degree, bn = b->degree, n = an > bn ? an : bn;
    for (int i = 0; i <= n; ++i) {
        const NUM *u = i <= an ? &a->c[i] : &zero, *v = i <= bn ? &b->c[i] : &zero;
        if (minus)
            num_sub(&r->c[i], u, v);
        else
            num_add(&r->c[i], u, v);
    }
    r->degree = n;
}

/* r is neither a nor b. */
static void R(product)(R(poly) * r, const R(poly) * a, const R(poly) * b)
{
    NUM term;
    r->degree = a->degree + b->degree;
    for (int i = 0; i <= r->degree; ++i)
        num_whole(&r->c[i], 0);
    for (int i = 0; i <= a->degree; ++i)
        for (int j = 0; j <= b->degree; ++j) {
            num_mul(&term, &a->c[i], &b->c[j]);
            num_add(&r->c[i + j], &r->c[i + j], &term);
        }
}

static void R(scaled)(R(poly) * r, const R(poly) * a, const NUM *s)
{
    for (int i = 0; i <= a->degree; ++i)
        num_mul(&r->c[i], &a->c[i], s);
    r->degree = a->degree;
}

static bool R(vector_from)(R(vector) * r, const abut_interval_vec3 *v)
{
    const bool x = num_from(&r->x, v->x), y = num_from(&r->y, v->y), z = num_from(&r->z, v->z);
    return x && y && z;
}

static const NUM *R(part)(const R(vector) * v, int i)
{
    return i == 0 ? &v->x : i == 1 ? &v->y : &v->z;
}

static NUM *R(part_of)(R(vector) * v, int i)
{
    return i == 0 ? &v->x : i == 1 ? &v->y : &v->z;
}

static void R(square_norm)(NUM *r, const R(vector) * v)
{
    NUM term;
    num_mul(r, &v->x, &v->x);
    num_mul(&term, &v->y, &v->y);
    num_add(r, r, &term);
    num_mul(&term, &v->z, &v->z);
    num_add(r, r, &term);
}

/* a[j] b[k] - a[k] b[j] */
static void R(minor)(NUM *r, const R(vector) * a, const R(vector) * b, int j, int k)
{
    NUM term;
    num_mul(r, R(part)(a, j), R(part)(b, k));
    num_mul(&term, R(part)(a, k), R(part)(b, j));
    num_sub(r, r, &term);
}

/* L c (1 + t^2) + L x (1 - t^2) + 2 t (a cross x), over L (1 + t^2), with x = p[1] - c and L = |a|; x is turned
 * half about where the chart is. */
static bool R(circle)(const R(vector) p[4], bool turned, R(curve) * out)
{
    R(vector) x;
    NUM length, term;
    R(square_norm)(&term, &p[2]);
    if (!num_root(&length, &term))
        return false;
    for (int i = 0; i < 3; ++i)
        num_sub(R(part_of)(&x, i), R(part)(turned ? &p[0] : &p[1], i), R(part)(turned ? &p[1] : &p[0], i));
    for (int i = 0; i < 3; ++i) {
        R(poly) *q = &out->x[i];
        NUM middle, arm;
        num_mul(&middle, R(part)(&p[0], i), &length);
        num_mul(&arm, R(part)(&x, i), &length);
        num_add(&q->c[0], &middle, &arm);
        num_sub(&q->c[2], &middle, &arm);
        R(minor)(&term, &p[2], &x, (i + 1) % 3, (i + 2) % 3);
        num_add(&q->c[1], &term, &term);
        q->degree = 2;
    }
    out->w.degree = 2;
    out->w.c[0] = out->w.c[2] = length;
    num_whole(&out->w.c[1], 0);
    return true;
}

/* a + 2 t (w b - a) + t^2 (a - 2 w b + c) */
static void R(conic)(const NUM *a, const NUM *b, const NUM *c, R(poly) * out)
{
    NUM term;
    out->degree = 2;
    out->c[0] = *a;
    num_sub(&term, b, a);
    num_add(&out->c[1], &term, &term);
    num_sub(&term, c, b);
    num_sub(&term, &term, b);
    num_add(&out->c[2], a, &term);
}

/* p0 + 3 t (p1 - p0) + 3 t^2 (p0 - 2 p1 + p2) + t^3 (p3 - p0 + 3 (p1 - p2)) */
static void R(cubic)(const R(vector) p[4], int i, R(poly) * out)
{
    NUM three, d1, d2, d3;
    num_whole(&three, 3);
    out->degree = 3;
    out->c[0] = *R(part)(&p[0], i);
    num_sub(&d1, R(part)(&p[1], i), R(part)(&p[0], i));
    num_sub(&d2, R(part)(&p[2], i), R(part)(&p[1], i));
    num_sub(&d3, R(part)(&p[3], i), R(part)(&p[2], i));
    num_mul(&out->c[1], &three, &d1);
    num_sub(&d1, &d2, &d1); /* second differences */
    num_sub(&d2, &d3, &d2);
    num_mul(&out->c[2], &three, &d1);
    num_sub(&out->c[3], &d2, &d1);
}

static bool R(curve_of)(const abut_enclosed_curve *c, R(curve) * out)
{
    R(vector) p[4];
    NUM one, weight, heavy;
    const int points = c->kind == ABUT_SOLID_EDGE_LINE ? 2 : c->kind == ABUT_SOLID_EDGE_SPLINE ? 4 : 3;
    for (int i = 0; i < points; ++i)
        if (!R(vector_from)(&p[i], &c->p[i]))
            return false;
    num_whole(&one, 1);
    switch (c->kind) {
    case ABUT_SOLID_EDGE_LINE:
        for (int i = 0; i < 3; ++i) {
            out->x[i].degree = 1;
            out->x[i].c[0] = *R(part)(&p[0], i);
            num_sub(&out->x[i].c[1], R(part)(&p[1], i), R(part)(&p[0], i));
        }
        R(constant)(&out->w, &one);
        return true;
    case ABUT_SOLID_EDGE_CIRCLE: return R(circle)(p, c->turned, out);
    case ABUT_SOLID_EDGE_CONIC:
        if (!num_from(&weight, c->weight))
            return false;
        for (int i = 0; i < 3; ++i) {
            num_mul(&heavy, &weight, R(part)(&p[1], i));
            R(conic)(R(part)(&p[0], i), &heavy, R(part)(&p[2], i), &out->x[i]);
        }
        R(conic)(&one, &weight, &one, &out->w);
        return true;
    case ABUT_SOLID_EDGE_SPLINE:
        for (int i = 0; i < 3; ++i)
            R(cubic)(p, i, &out->x[i]);
        R(constant)(&out->w, &one);
        return true;
    default: return false;
    }
}

/* a . D */
static void R(along)(R(poly) * r, const R(vector) * a, const R(poly) d[3])
{
    R(poly) term;
    R(scaled)(r, &d[0], &a->x);
    R(scaled)(&term, &d[1], &a->y);
    R(sum)(r, r, &term, false);
    R(scaled)(&term, &d[2], &a->z);
    R(sum)(r, r, &term, false);
}

static void R(add_square)(R(poly) * r, const R(poly) * a)
{
    R(poly) term;
    R(product)(&term, a, a);
    R(sum)(r, r, &term, false);
}

/* |D cross a|^2 */
static void R(across)(R(poly) * r, const R(vector) * a, const R(poly) d[3])
{
    R(poly) term, other;
    R(constant)(r, &a->x);
    num_whole(&r->c[0], 0);
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        R(scaled)(&term, &d[j], R(part)(a, k));
        R(scaled)(&other, &d[k], R(part)(a, j));
        R(sum)(&term, &term, &other, true);
        R(add_square)(r, &term);
    }
}

static bool R(quadric)(const abut_enclosed_surface *s, const R(curve) * c, R(poly) * out)
{
    R(poly) row, term;
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            NUM m;
            if (!num_from(&m, s->matrix[i][j]))
                return false;
            R(scaled)(j ? &term : &row, j < 3 ? &c->x[j] : &c->w, &m);
            if (j)
                R(sum)(&row, &row, &term, false);
        }
        R(product)(&term, &row, i < 3 ? &c->x[i] : &c->w);
        if (i)
            R(sum)(out, out, &term, false);
        else
            *out = term;
    }
    return true;
}

/* The equation along the curve, and of a cone the height above its apex. */
static bool R(equation)(const abut_enclosed_surface *s, const R(curve) * c, R(poly) * out, R(poly) * height)
{
    if (s->kind == ABUT_SOLID_QUADRIC)
        return R(quadric)(s, c, out);
    R(vector) at, axis = { 0 };
    R(poly) d[3], term, ww;
    NUM radius, minor, size, four;
    const bool round = s->kind == ABUT_SOLID_SPHERE;
    if (!R(vector_from)(&at, &s->point) || (!round && !R(vector_from)(&axis, &s->axis)))
        return false;
    for (int i = 0; i < 3; ++i) {
        R(scaled)(&term, &c->w, R(part)(&at, i));
        R(sum)(&d[i], &c->x[i], &term, true);
    }
    if (s->kind == ABUT_SOLID_PLANE) {
        R(along)(out, &axis, d);
        return true;
    }
    if (!num_from(&radius, s->kind == ABUT_SOLID_CONE ? s->tangent : s->radius))
        return false;
    num_mul(&radius, &radius, &radius);
    if (s->kind == ABUT_SOLID_CONE) {
        R(across)(out, &axis, d);
        R(along)(height, &axis, d);
        R(product)(&term, height, height);
        R(scaled)(&term, &term, &radius);
        R(sum)(out, out, &term, true);
        return true;
    }
    R(product)(&ww, &c->w, &c->w);
    if (!round)
        R(square_norm)(&size, &axis);
    if (s->kind == ABUT_SOLID_CYLINDER) {
        R(across)(out, &axis, d);
        num_mul(&size, &size, &radius);
        R(scaled)(&term, &ww, &size);
        R(sum)(out, out, &term, true);
        return true;
    }
    R(product)(&term, &d[0], &d[0]);
    R(add_square)(&term, &d[1]);
    R(add_square)(&term, &d[2]);
    if (round) {
        R(scaled)(out, &ww, &radius);
        R(sum)(out, &term, out, true);
        return true;
    }
    if (s->kind != ABUT_SOLID_TORUS || !num_from(&minor, s->minor))
        return false;
    num_mul(&minor, &minor, &minor);
    num_sub(&minor, &radius, &minor);
    R(scaled)(out, &ww, &minor);
    R(sum)(&term, &term, out, false);
    R(product)(out, &term, &term);
    R(scaled)(out, out, &size);
    num_whole(&four, 4);
    num_mul(&radius, &radius, &four);
    R(poly) cross;
    R(across)(&cross, &axis, d);
    R(scaled)(&ww, &ww, &radius);
    R(product)(&term, &ww, &cross);
    R(sum)(out, out, &term, true);
    return true;
}
