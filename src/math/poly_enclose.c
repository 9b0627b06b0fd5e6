/* SPDX-License-Identifier: MIT */
/* Signs of a polynomial at doubles, and the enclosure of a single root between two of them.
 *
 * Method: Newton finds where the root is, a compensated Horner scheme (twice the precision) decides
 * the signs around it, and the caller's exact arithmetic the few that even that leaves open. Error
 * bounds: docs/notes/polynomial-roots.md.
 *
 * Source: S. Graillat, P. Langlois and N. Louvet, Algorithms for accurate, validated and fast
 * polynomial evaluation, 2009. */
#include "math/expansion.h"
#include "math/poly_piece.h"

/* ---- signs at points ---- */

/* Plain Horner. A term goes through at most 2n roundings; the bound itself is computed with as
 * few. */
int abut_poly_plain_sign(const abut_poly_piece *f, double y, double *value)
{
    const int n = f->n;
    double v = f->c[n], size = fabs(v), extra = 0;
    for (int i = n; i-- > 0;) {
        v = v * y + f->c[i];
        size = size * y + fabs(f->c[i]);
    }
    if (f->has_error)
        for (int i = n + 1; i-- > 0;)
            extra = extra * y + f->error[i];
    if (f->has_low)
        extra += size * 0x1p-51;
    const double bound = (2 * n + 2) * 1.02 * ABUT_POLY_U * size + 1.02 * extra + ABUT_POLY_TINY;
    *value = v;
    return v > bound ? 1 : v < -bound ? -1 : ABUT_SIGN_UNKNOWN;
}

/* Compensated Horner: s + correction is p(y) but for the rounding of the correction, whose terms
 * are at most 2n + 3 roundings away from what they should be, and their sizes sum to `size`.
 * Exactly zero is known where no operation rounded. */
static int double_sign(const abut_poly_piece *f, double y, double *value)
{
    const int n = f->n;
    double s = f->c[n], correction = 0, size = 0, extra = 0, smallest = 1;
    bool rounded = f->has_error; /* not "size is zero": that may have underflowed */
    if (f->has_low) {
        correction = f->low[n];
        size = fabs(correction);
        rounded = true;
    }
    for (int i = n; i-- > 0;) {
        double product_error, sum_error;
        const double product = abut_two_product(s, y, &product_error);
        if (s != 0 && fabs(product) < smallest)
            smallest = fabs(product);
        s = abut_two_sum(product, f->c[i], &sum_error);
        double term = product_error + sum_error, term_size = fabs(product_error) + fabs(sum_error);
        if (f->has_low) {
            term += f->low[i];
            term_size += fabs(f->low[i]);
        }
        correction = correction * y + term;
        size = size * y + term_size;
        rounded = rounded || term_size != 0;
    }
    if (f->has_error)
        for (int i = n + 1; i-- > 0;)
            extra = extra * y + f->error[i];
    const double v = s + correction;
    *value = v;
    if (v == 0 && !rounded && smallest > 0x1p-900)
        return 0;
    const double bound = (2 * n + 4) * 1.05 * ABUT_POLY_U * size + 1.05 * extra + ABUT_POLY_TINY;
    return v > bound ? 1 : v < -bound ? -1 : ABUT_SIGN_UNKNOWN;
}

int abut_poly_best_sign(const abut_poly_piece *f, double y, double *value)
{
    const int sign = double_sign(f, y, value);
    if (sign != ABUT_SIGN_UNKNOWN || !f->opts->exact)
        return sign;
    return f->opts->exact(f->opts->ctx, f->side * y, f->k);
}

/* ---- one simple root between ya and yb ---- */

/* A double near the root; rough if Newton does not converge. Steps double the number of right
 * bits, so where an accurate step follows it is enough that the last one was below 2^-25. */
static ABUT_POLY_INLINE double newton_of(const abut_poly_piece *f, double ya, double yb, int sign_a,
                                         double start, const int n)
{
    double x = start;
    const double enough = f->opts->approximate ? 0x1p-50 : 0x1p-25;
    if (!(x > ya && x < yb))
        x = 0.5 * (ya + yb);
    for (int round = 0; round < 80; ++round) {
        double v = f->c[n], d = 0;
        for (int i = n; i-- > 0;) {
            d = d * x + v;
            v = v * x + f->c[i];
        }
        if (v == 0)
            return x;
        if (v > 0 ? sign_a > 0 : sign_a < 0)
            ya = x;
        else
            yb = x;
        double next = x - v / d;
        /* Far from a root among roots of other sizes Newton only halves x: halve the exponent
         * instead. */
        if (!(next >= ya && next <= yb) || (round > 2 && yb > 64 * ya && ya > 0)) {
            next = ya > 0 && yb > 4 * ya ? sqrt(ya * yb) : 0.5 * (ya + yb);
            if (next == ya || next == yb)
                return x;
        }
        const bool converged = fabs(next - x) <= enough * x;
        x = next;
        if (converged)
            return x;
    }
    return x;
}

static double newton(const abut_poly_piece *f, double ya, double yb, int sign_a, double start)
{
    switch (f->n) {
    case 1: return newton_of(f, ya, yb, sign_a, start, 1);
    case 2: return newton_of(f, ya, yb, sign_a, start, 2);
    case 3: return newton_of(f, ya, yb, sign_a, start, 3);
    case 4: return newton_of(f, ya, yb, sign_a, start, 4);
    default: return newton_of(f, ya, yb, sign_a, start, f->n);
    }
}

/* Nobody can decide the signs near the root: step away from it until they are certain. */
static void enclose_loosely(const abut_poly_piece *f, double root, double *ya, double *yb, int sign_a)
{
    double value;
    const int64_t r = piece_bits_of(root);
    for (int64_t step = 1; r - step > piece_bits_of(*ya); step *= 2)
        if (double_sign(f, piece_from_bits(r - step), &value) == sign_a) {
            *ya = piece_from_bits(r - step);
            break;
        }
    for (int64_t step = 1; r + step < piece_bits_of(*yb); step *= 2)
        if (double_sign(f, piece_from_bits(r + step), &value) == -sign_a) {
            *yb = piece_from_bits(r + step);
            break;
        }
}

/* Narrows [*ya, *yb], at whose ends (or just inside) the signs are sign_a and -sign_a, until it
 * is one double, or two adjacent ones, or as narrow as asked for. Positive doubles are ordered
 * like their bit patterns. */
void abut_poly_enclose(const abut_poly_piece *f, double *ya, double *yb, int sign_a, double start)
{
    double value, slope_value;
    double root = newton(f, *ya, *yb, sign_a, start);
    if (f->opts->approximate) {
        *ya = *yb = root;
        return;
    }
    const double width = f->opts->width > 0 ? piece_scale(f->opts->width, -f->k) : 0;
    if (width > 0) {
        const double half = width * 0.49; /* leaves room for the rounding of root +- half */
        if (half > 0x1p-44 * root && root - half > *ya && root + half < *yb &&
            abut_poly_plain_sign(f, root - half, &value) == sign_a &&
            abut_poly_plain_sign(f, root + half, &value) == -sign_a) {
            *ya = root - half;
            *yb = root + half;
            return;
        }
    }
    /* One more step with the accurate value. */
    if (root > *ya && root < *yb) {
        double_sign(f, root, &value);
        double slope = 0;
        slope_value = f->c[f->n];
        for (int i = f->n; i-- > 0;) {
            slope = slope * root + slope_value;
            slope_value = slope_value * root + f->c[i];
        }
        const double better = root - value / slope;
        if (better > *ya && better < *yb)
            root = better;
    }
    if (!(root > *ya))
        root = piece_from_bits(piece_bits_of(*ya) + 1);
    if (!(root < *yb))
        root = piece_from_bits(piece_bits_of(*yb) - 1);
    if (!(root > *ya && root < *yb))
        return;
    int sign = abut_poly_best_sign(f, root, &value);
    if (sign == ABUT_SIGN_UNKNOWN) {
        enclose_loosely(f, root, ya, yb, sign_a);
        return;
    }
    if (sign == 0) {
        *ya = *yb = root;
        return;
    }
    int64_t a = piece_bits_of(*ya), b = piece_bits_of(*yb);
    const int64_t r = piece_bits_of(root);
    const int direction = sign == sign_a ? 1 : -1;
    *(direction > 0 ? &a : &b) = r;
    for (int64_t step = 1;; step *= 2) {
        const int64_t x = r + direction * step;
        if (x <= a || x >= b)
            break;
        sign = abut_poly_best_sign(f, piece_from_bits(x), &value);
        if (sign == 0) {
            *ya = *yb = piece_from_bits(x);
            return;
        }
        *(sign == sign_a ? &a : &b) = x;
        if ((sign == sign_a) != (direction > 0))
            break;
    }
    while (b - a > 1 && !(piece_from_bits(b) - piece_from_bits(a) <= width)) {
        const int64_t x = a + (b - a) / 2;
        sign = abut_poly_best_sign(f, piece_from_bits(x), &value);
        if (sign == 0) {
            a = b = x;
            break;
        }
        if (sign == ABUT_SIGN_UNKNOWN)
            break;
        *(sign == sign_a ? &a : &b) = x;
    }
    *ya = piece_from_bits(a);
    *yb = piece_from_bits(b);
}
