/* SPDX-License-Identifier: MIT */
/* The signed gap of ball against point, segment, box or plane; see gap.h.
 *
 * Method, cheap first: the gap in pairs of doubles, with an error E below 2^-98 of the sizes that
 * went in. When the gap is larger than 2^-44 of them, E is far below its ulp: done. Otherwise the
 * sign comes from expansions, and the value from
 *     |v| - s = (|v|^2 - s^2) / (|v| + s)
 * whose numerator is exact and whose denominator has no cancellation. Derivations:
 * docs/notes/sphere-pairs.md.
 *
 * Surprise: an enclosure can contain a double only by chance or because the gap is that double.
 * When the pair says "perhaps", an exact comparison of squares decides, and the enclosure
 * becomes the point. */
#include "narrow/pair/gap.h"

/* Error of the pair arithmetic below relative to the sum of the sizes of all terms. Lengths: 2
 * u^2 for each coordinate, 7 u^2 for its square, 3 u^2 for each of two sums; halved by the root,
 * which adds 4 u^2; 3 u^2 for the difference: under 16 u^2 = 2^-102. Planes: 2 + 7 + 9 for the
 * dot product, 15 for the quotient, 10 for the length: under 48 u^2 < 2^-100. */
static const double norm_error = 0x1p-99, plane_error = 0x1p-98;
static const double clear_gap = 0x1p-44;

dd abut_terms_value(const abut_terms *x)
{
    if (x->count == 1)
        return (dd){ x->t[0], 0 };
    dd s = dd_two_sum(x->t[0], x->t[1]);
    for (int i = 2; i < x->count; ++i) {
        const dd next = dd_two_sum(s.h, x->t[i]);
        s = dd_two_sum(next.h, s.l + next.l);
    }
    return s;
}

void abut_terms_exact(const abut_terms *x, abut_exact *out)
{
    abut_exact_clear(out);
    for (int i = 0; i < x->count; ++i)
        abut_exact_add_double(out, x->t[i]);
}

int abut_terms_sign(const abut_terms *x)
{
    if (x->count <= 2) {
        const double s = x->count == 1 ? x->t[0] : x->t[0] + x->t[1];
        return (s > 0) - (s < 0);
    }
    const dd value = abut_terms_value(x);
    double size = 0;
    for (int i = 0; i < x->count; ++i)
        size += fabs(x->t[i]);
    if (fabs(value.h) > 0x1p-100 * size)
        return value.h > 0 ? 1 : -1;
    abut_exact e;
    abut_terms_exact(x, &e);
    return abut_exact_sign(&e);
}

double abut_terms_size(const abut_terms *x)
{
    double size = 0;
    for (int i = 0; i < x->count; ++i)
        size += fabs(x->t[i]);
    return size;
}

int abut_gap_exponent(double largest)
{
    if (largest >= 0x1p-200 && largest <= 0x1p400)
        return 0;
    int exponent;
    (void)frexp(largest, &exponent);
    return exponent < -600 ? -1000 : exponent - 400; /* a power of two that is a double */
}

double abut_gap_shrink(double x, int exponent, bool *lossy)
{
    const double y = exponent == 0 ? x : ldexp(x, -exponent);
    /* 2^60 above what products can bear, because differences of such numbers leave smaller ones. */
    if (x != 0 && fabs(y) < ABUT_EXACT_TINY * 0x1p60)
        *lossy = true;
    return y;
}

abut_gap abut_gap_linear(const abut_terms *x, const abut_terms *s)
{
    abut_exact e;
    abut_terms_exact(x, &e);
    for (int i = 0; i < s->count; ++i)
        abut_exact_add_double(&e, -s->t[i]);
    const int sign = abut_exact_sign(&e);
    bool all;
    const dd value = abut_exact_value(&e, &all);
    return (abut_gap){ .value = abut_exact_interval(value, all ? 0 : 0x1p-104 * fabs(value.h)),
                       .sign = sign };
}

/* Sum of squares minus the square of s + extra. */
static void norm_numerator(const abut_terms v[3], const abut_terms *s, double extra, abut_exact *square,
                           abut_exact *out)
{
    abut_exact x;
    abut_exact_clear(out);
    for (int i = 0; i < 3; ++i) {
        abut_terms_exact(&v[i], &x);
        abut_exact_add_product(&x, &x, out);
    }
    if (square)
        *square = *out;
    abut_terms_exact(s, &x);
    abut_exact_add_double(&x, extra);
    abut_exact_sub_product(&x, &x, out);
}

/* Narrows the enclosure of |v| - s to a point when the pair's leading part is exactly it. */
static abut_interval norm_enclosure(const abut_terms v[3], const abut_terms *s, dd value, double error,
                                    bool lossy)
{
    if (fabs(value.l) <= error && !lossy && fabs(value.h) > ABUT_EXACT_TINY) {
        abut_exact residue;
        norm_numerator(v, s, value.h, NULL, &residue);
        if (abut_exact_sign(&residue) == 0)
            return (abut_interval){ value.h, value.h };
    }
    return abut_exact_interval(value, error);
}

static abut_gap norm_exact(const abut_terms v[3], const abut_terms *s)
{
    abut_exact numerator, square, radius;
    norm_numerator(v, s, 0, &square, &numerator);
    const int sign = abut_exact_sign(&numerator);
    if (sign == 0)
        return (abut_gap){ .sign = 0, .exact = true };
    abut_terms_exact(s, &radius);
    const dd below = dd_add(dd_sqrt(abut_exact_value(&square, NULL)), abut_exact_value(&radius, NULL));
    const dd value = dd_div(abut_exact_value(&numerator, NULL), below);
    /* 4 + 15 + (2 + 4 + 3) u^2, relative. */
    return (abut_gap){ norm_enclosure(v, s, value, 0x1p-100 * fabs(value.h), false), sign, true };
}

abut_gap abut_gap_norm(const abut_terms v[3], const abut_terms *s, bool lossy)
{
    dd square = { 0, 0 };
    double size = abut_terms_size(s);
    int present = 0, which = 0;
    for (int i = 0; i < 3; ++i) {
        const dd x = abut_terms_value(&v[i]);
        if (x.h == 0 && (v[i].count < 3 || abut_terms_sign(&v[i]) == 0))
            continue;
        square = dd_add(square, dd_sqr(x));
        size += abut_terms_size(&v[i]);
        ++present;
        which = i;
    }
    if (present <= 1) {
        abut_terms x = v[which];
        if (abut_terms_sign(&x) < 0)
            abut_terms_negate(&x);
        return abut_gap_linear(&x, s);
    }
    const dd value = dd_sub(dd_sqrt(square), abut_terms_value(s));
    const double error = norm_error * size;
    if (fabs(value.h) <= clear_gap * size && !lossy)
        return norm_exact(v, s);
    const int sign = fabs(value.h) > 2 * error ? (value.h > 0 ? 1 : -1) : ABUT_SIGN_UNKNOWN;
    return (abut_gap){ .value = norm_enclosure(v, s, value, error, lossy), .sign = sign };
}

/* abut_gap_norm without its generality: two balls are what is asked most, and building the sums
 * would cost as much again. */
bool abut_gap_balls(const double p[3], const double q[3], double r, double s, abut_gap *out)
{
    dd square = { 0, 0 };
    double size = r + s;
    for (int i = 0; i < 3; ++i) {
        square = dd_add(square, dd_sqr(dd_two_sum(p[i], -q[i])));
        size += fabs(p[i]) + fabs(q[i]);
    }
    const dd value = dd_sub(dd_sqrt(square), dd_two_sum(r, s));
    const double error = norm_error * size;
    if (!(size >= 0x1p-200 && size <= 0x1p400) || !(fabs(value.h) > clear_gap * size) ||
        !(fabs(value.l) > error))
        return false;
    *out = (abut_gap){ .value = abut_exact_interval(value, error), .sign = value.h > 0 ? 1 : -1 };
    return true;
}

/* n . p - offset */
static void plane_height(const double n[3], const abut_terms p[3], double offset, abut_exact *out)
{
    abut_exact_clear(out);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < p[i].count; ++j) {
            const dd product = dd_two_product(n[i], p[i].t[j]);
            abut_exact_add_double(out, product.l);
            abut_exact_add_double(out, product.h);
        }
    abut_exact_add_double(out, -offset);
}

int abut_plane_side(const double n[3], const abut_terms p[3], double offset)
{
    dd height = { -offset, 0 };
    double size = fabs(offset);
    for (int i = 0; i < 3; ++i) {
        height = dd_add(height, dd_mul((dd){ n[i], 0 }, abut_terms_value(&p[i])));
        size += fabs(n[i]) * abut_terms_size(&p[i]);
    }
    if (fabs(height.h) > plane_error * size)
        return height.h > 0 ? 1 : -1;
    abut_exact exact;
    plane_height(n, p, offset, &exact);
    return abut_exact_sign(&exact);
}

/* height^2 - (r + extra)^2 |n|^2 */
static void plane_numerator(const abut_exact *height, const double n[3], double r, double extra,
                            abut_exact *out)
{
    abut_exact normal_sq, radius, radius_sq;
    abut_exact_clear(&normal_sq);
    for (int i = 0; i < 3; ++i) {
        const dd square = dd_two_product(n[i], n[i]);
        abut_exact_add_double(&normal_sq, square.l);
        abut_exact_add_double(&normal_sq, square.h);
    }
    abut_exact_clear(&radius);
    abut_exact_add_double(&radius, r);
    abut_exact_add_double(&radius, extra);
    abut_exact_clear(&radius_sq);
    abut_exact_add_product(&radius, &radius, &radius_sq);
    abut_exact_clear(out);
    abut_exact_add_product(height, height, out);
    abut_exact_sub_product(&radius_sq, &normal_sq, out);
}

abut_gap abut_gap_plane(const double n[3], const abut_terms p[3], double offset, double r, bool lossy)
{
    dd height = { -offset, 0 }, normal_sq = { 0, 0 };
    double size = fabs(offset) + r;
    for (int i = 0; i < 3; ++i) {
        height = dd_add(height, dd_mul((dd){ n[i], 0 }, abut_terms_value(&p[i])));
        normal_sq = dd_add(normal_sq, dd_two_product(n[i], n[i]));
        size += fabs(n[i]) * abut_terms_size(&p[i]);
    }
    const dd normal = dd_sqrt(normal_sq);
    dd value = dd_sub(dd_div(height, normal), (dd){ r, 0 });
    double error = plane_error * size;
    abut_gap gap = { .exact = false };
    gap.sign = fabs(value.h) > 2 * error ? (value.h > 0 ? 1 : -1) : ABUT_SIGN_UNKNOWN;
    const bool clear = fabs(value.h) > clear_gap * size;
    if (lossy || (clear && fabs(value.l) > error)) {
        gap.value = abut_exact_interval(value, error);
        return gap;
    }
    /* Near contact, or perhaps a double. */
    abut_exact exact_height, numerator;
    plane_height(n, p, offset, &exact_height);
    height = abut_exact_value(&exact_height, NULL);
    if (!clear) {
        gap.exact = true;
        gap.sign = -1; /* a centre on the plane or below it: no cancellation */
        value = dd_sub(dd_div(height, normal), (dd){ r, 0 });
        if (height.h > 0) {
            plane_numerator(&exact_height, n, r, 0, &numerator);
            gap.sign = abut_exact_sign(&numerator);
            if (gap.sign == 0)
                return gap;
            const dd below = dd_mul(normal, dd_add(height, dd_mul((dd){ r, 0 }, normal)));
            value = dd_div(abut_exact_value(&numerator, NULL), below);
        }
        error = 0x1p-99 * fabs(value.h);
    }
    gap.value = abut_exact_interval(value, error);
    if (fabs(value.l) <= error && fabs(value.h) > ABUT_EXACT_TINY) {
        const double foot = r + value.h; /* its sign is right, whatever is rounded */
        if ((foot > 0) - (foot < 0) == abut_exact_sign(&exact_height)) {
            plane_numerator(&exact_height, n, r, value.h, &numerator);
            if (abut_exact_sign(&numerator) == 0)
                gap.value = (abut_interval){ value.h, value.h };
        }
    }
    return gap;
}
