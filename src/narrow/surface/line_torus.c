/* SPDX-License-Identifier: MIT */
/* A line o + t d through a torus about the z axis: the roots of
 *     (|x|^2 + R^2 - r^2)^2 - 4 R^2 (x^2 + y^2),
 * a polynomial of degree four in t. Its coefficients are computed exactly and its roots
 * certified, with their multiplicities, so that a tangent line touches and does not cross,
 * however it lies. */
#include "narrow/surface/line_torus.h"

#include "interval/poly_certified.h"
#include "math/vec3.h"
#include "narrow/pair/big.h"

enum { DEGREE = 4, PARTS = ABUT_POLY_MAX_COMPONENTS };

/* k x y added to out; k is a small whole number. */
static void add_product(double k, const abut_big *x, const abut_big *y, abut_big *out)
{
    abut_big factor, scaled;
    abut_big_double(k, &factor);
    abut_big_mul(&factor, x, &scaled);
    abut_big_add_product(&scaled, y, 1, out);
}

/* Coefficients of |o + t d|^2 over the first n axes. */
static void square(const abut_line *line, int n, abut_big out[3])
{
    for (int i = 0; i < 3; ++i)
        abut_big_clear(&out[i]);
    for (int i = 0; i < n; ++i) {
        abut_big o, d;
        abut_big_terms(&line->o[i], &o);
        abut_big_terms(&line->d[i], &d);
        add_product(1, &o, &o, &out[0]);
        add_product(2, &o, &d, &out[1]);
        add_product(1, &d, &d, &out[2]);
    }
}

/* Doubles whose sum it is; false where there are too many. */
static bool to_parts(abut_big *x, double *parts)
{
    for (int i = 0; i < PARTS; ++i) {
        parts[i] = 0;
        if (abut_big_sign(x) == 0)
            continue;
        int exponent;
        const dd value = abut_big_value(x, &exponent);
        parts[i] = ldexp(value.h, exponent);
        if (parts[i] == 0 || !isfinite(parts[i]))
            return false;
        abut_big part;
        abut_big_double(-parts[i], &part);
        abut_big_add(&part, 1, x);
    }
    return abut_big_sign(x) == 0;
}

static abut_vec3 point_at(const abut_line *line, double t)
{
    double p[3];
    for (int i = 0; i < 3; ++i)
        p[i] = dd_add(abut_terms_value(&line->o[i]), dd_mul((dd){ t, 0 }, abut_terms_value(&line->d[i]))).h;
    return abut_v3(p[0], p[1], p[2]);
}

static abut_vec3 normal_at(double major, abut_vec3 p)
{
    const double away = hypot(p.x, p.y);
    if (!(away > 0))
        return abut_v3(0, 0, 1);
    const double s = 1 - major / away;
    return abut_unit_or(abut_v3(s * p.x, s * p.y, p.z), abut_v3(0, 0, 1));
}

bool abut_line_through_torus(const abut_shape *shape, const abut_line *line, abut_torus_hits *out)
{
    const double major = ldexp(shape->u.torus.major, -line->length_exponent);
    const double minor = ldexp(shape->u.torus.minor, -line->length_exponent);
    abut_big q[3], w[3], r, four, c[DEGREE + 1], x;
    *out = (abut_torus_hits){ .count = 0 };
    square(line, 3, q);
    square(line, 2, w);
    abut_big_double(major, &x);
    abut_big_clear(&four); /* 4 R^2 */
    add_product(4, &x, &x, &four);
    add_product(1, &x, &x, &q[0]);
    abut_big_double(minor, &r);
    add_product(-1, &r, &r, &q[0]);
    for (int i = 0; i <= DEGREE; ++i) {
        abut_big_clear(&c[i]);
        for (int j = 0; j < 3; ++j)
            if (i - j >= 0 && i - j < 3)
                abut_big_add_product(&q[j], &q[i - j], 1, &c[i]);
        if (i < 3)
            abut_big_add_product(&four, &w[i], -1, &c[i]);
    }
    out->start = abut_big_sign(&c[0]);
    double parts[(DEGREE + 1) * PARTS];
    for (int i = 0; i <= DEGREE; ++i)
        if (!to_parts(&c[i], parts + i * PARTS))
            return false;
    abut_root roots[DEGREE];
    const int count = abut_poly_roots_expansion(parts, PARTS, DEGREE, -INFINITY, INFINITY, 0, roots);
    if (count < 0)
        return false;
    for (int i = 0; i < count; ++i) {
        const double t = 0.5 * roots[i].x.lo + 0.5 * roots[i].x.hi;
        out->end[out->count] = (abut_line_end){
            .t = ldexp(t, line->length_exponent - line->direction_exponent),
            .feature = ABUT_FEATURE_FACE,
            .id = 0,
            .outward = normal_at(major, point_at(line, t)),
        };
        out->touches[out->count++] = roots[i].kind != ABUT_ROOT_SIMPLE && roots[i].multiplicity % 2 == 0;
    }
    return true;
}
