/* SPDX-License-Identifier: MIT */
/* Real roots of polynomials of degree at most 4, fast.
 *
 * Method: x is scaled by a power of two that makes the leading coefficient the largest, or nearly
 * so. Quadratics in closed form without cancellation, the discriminant in twice the precision (W.
 * Kahan, On the cost of floating-point computation without extra-precise arithmetic, 2004). Cubics:
 * turning points from the quadratic of the derivative tell how many roots there are and separate
 * them; Cardano's (one root) or Viete's (three) formula gives them, Newton polishes. Quartics:
 * turning points from the cubic of the derivative, the start from the parabola at the turning
 * point, Newton polishes.
 *
 * Surprise: the textbook discriminants of cubic and quartic decide the number of roots by a
 * difference of large numbers; the value of the polynomial at its turning points decides the
 * same with the smallest error that doubles allow, and a value that rounding cannot tell from
 * zero is a multiple root. */
#include "abut/polynomial.h"

#include "math/expansion.h"
#include "math/nearest.h"

#include <math.h>

#define U 0x1p-53
/* After scaling |c_i / c_n| < 2, so that roots are below 2 max |c_i / c_n|^(1 / (n - i)) < 4
 * (Fujiwara), and those of the derivatives too (Gauss and Lucas). */
#define BOUND 4.0

static double value_at(const double *c, int n, double x, double *slope)
{
    double v = c[n], d = 0;
    for (int i = n; i-- > 0;) {
        d = d * x + v;
        v = v * x + c[i];
    }
    *slope = d;
    return v;
}

/* Sign of p at x, 0 where rounding can hide it: 2n roundings of the value, and as much again for
 * the rounding of x itself, which as a turning point has a slope near zero. */
static int sign_at(const double *c, int n, double x)
{
    double v = c[n], size = fabs(v);
    for (int i = n; i-- > 0;) {
        v = v * x + c[i];
        size = size * fabs(x) + fabs(c[i]);
    }
    const double bound = (4 * n + 2) * U * size;
    return v > bound ? 1 : v < -bound ? -1 : 0;
}

/* The root between a and b, where p has sign_a next to a and the other sign next to b. */
static double polish(const double *c, int n, double a, double b, int sign_a, double start)
{
    double x = start;
    if (!(x > a && x < b))
        x = 0.5 * (a + b);
    double last_step = INFINITY;
    for (int round = 0; round < 200; ++round) {
        double slope;
        const double v = value_at(c, n, x, &slope);
        if (v == 0)
            return x;
        if ((v > 0) == (sign_a > 0))
            a = x;
        else
            b = x;
        double next = x - v / slope;
        if (!(next >= a && next <= b)) {
            next = 0.5 * (a + b);
            if (next == a || next == b)
                return x;
        }
        const double step = fabs(next - x);
        if (step <= 4 * U * fabs(x) || (step >= last_step && step <= 64 * U * fabs(x)))
            return next;
        last_step = step;
        x = next;
    }
    return x;
}

static int quadratic(const double *c, double *roots)
{
    /* c2 x^2 + 2 h x + c0; discriminant h^2 - c2 c0, each product with its error. */
    const double h = 0.5 * c[1];
    double hh_low, cc_low;
    const double hh = abut_two_product(h, h, &hh_low), cc = abut_two_product(c[2], c[0], &cc_low);
    const double d = (hh - cc) + (hh_low - cc_low);
    if (d < 0)
        return 0;
    if (d == 0) {
        roots[0] = -h / c[2];
        return 1;
    }
    const double q = -(h + copysign(sqrt(d), h));
    const double r = q / c[2], s = c[0] / q;
    roots[0] = r < s ? r : s;
    roots[1] = r < s ? s : r;
    return 2;
}

/* Closed-form starting values for the roots of a cubic, ascending where there are three. */
static int cubic_starts(const double *c, double *starts)
{
    const double a = c[2] / c[3] / 3, b = c[1] / c[3], e = c[0] / c[3];
    /* t^3 + 3 p t + 2 q, x = t - a */
    const double p = b / 3 - a * a, q = 0.5 * (a * (2 * a * a - b) + e);
    const double d = q * q + p * p * p;
    if (d >= 0) {
        const double u = cbrt(fabs(q) + sqrt(d)), t = u == 0 ? 0 : u - p / u;
        starts[0] = (q > 0 ? -t : t) - a;
        return 1;
    }
    const double r = sqrt(-p), angle = acos(fmax(-1, fmin(1, -q / (r * r * r)))) / 3;
    const double third = 2.0943951023931954923; /* 2 pi / 3 */
    starts[0] = 2 * r * cos(angle + third) - a;
    starts[1] = 2 * r * cos(angle - third) - a;
    starts[2] = 2 * r * cos(angle) - a;
    return 3;
}

/* Roots of p from its turning points, ascending: between two of them there is one root or none. */
static int between_turns(const double *c, int n, const double *turn, int turns, double *roots)
{
    double starts[3];
    const int started = n == 3 ? cubic_starts(c, starts) : 0;
    int count = 0, last_sign = (c[n] > 0) == (n % 2 == 0) ? 1 : -1; /* far left */
    double last = -BOUND;
    for (int i = 0; i <= turns; ++i) {
        const double x = i < turns ? turn[i] : BOUND;
        const int sign = i < turns ? sign_at(c, n, x) : c[n] > 0 ? 1 : -1;
        if (last_sign * sign < 0) {
            double start = NAN;
            for (int k = 0; k < started; ++k)
                if (starts[k] > last && starts[k] < x)
                    start = starts[k];
            if (isnan(start) && turns > 0 && (i == 0 || i == turns)) {
                /* The parabola at the turning point; it lies outside the root or near it. */
                const double at = i == 0 ? x : last;
                double bend = n * (n - 1) * c[n], slope;
                for (int k = n - 1; k >= 2; --k)
                    bend = bend * at + k * (k - 1) * c[k];
                const double reach = sqrt(fabs(2 * value_at(c, n, at, &slope) / bend));
                start = i == 0 ? at - reach : at + reach;
            }
            roots[count++] = polish(c, n, last, x, last_sign, start);
        } else if (i < turns && sign == 0) {
            /* Touching turning points in a row are one root: the polynomial is monotonic between
             * them. */
            if (last_sign == 0 && count > 0)
                roots[count - 1] = 0.5 * (roots[count - 1] + x);
            else
                roots[count++] = x;
        }
        last = x;
        last_sign = sign;
    }
    return count;
}

static int solve_scaled(const double *c, int n, double *roots)
{
    if (n == 0)
        return 0;
    if (n == 1) {
        roots[0] = -c[0] / c[1];
        return 1;
    }
    if (n == 2)
        return quadratic(c, roots);
    double derivative[4] = { 0 }, turn[3];
    for (int i = 1; i <= n; ++i)
        derivative[i - 1] = i * c[i];
    return between_turns(c, n, turn, solve_scaled(derivative, n - 1, turn), roots);
}

static int exponent_of(double x)
{
    int e;
    frexp(x, &e);
    return e;
}

static ABUT_MATH_NOINLINE int solve(const double *c, int n, double *roots)
{
    /* Roots at zero are taken out: what is left can be scaled. */
    int zeros = 0;
    while (c[zeros] == 0)
        ++zeros;
    c += zeros;
    n -= zeros;
    /* |c_i / c_n| <= 2^(k (n - i)), or a little more. */
    const int lead = exponent_of(c[n]);
    int k = INT32_MIN, lowest = 0;
    for (int i = 0; i < n; ++i)
        if (c[i] != 0) {
            const int e = exponent_of(c[i]) - lead, d = n - i, up = e >= 0 ? (e + d - 1) / d : -(-e / d);
            k = up > k ? up : k;
        }
    double scaled[5];
    for (int i = 0; i <= n; ++i) {
        const int e = exponent_of(c[i]) - lead - k * (n - i);
        if (c[i] != 0 && e < lowest)
            lowest = e;
        scaled[i] = scalbn(c[i], -lead - k * (n - i));
    }
    int count;
    if (n > 0 && lowest < -400) { /* products of coefficients would underflow */
        count = abut_polynomial_roots_bernstein(c, n, -INFINITY, INFINITY, roots);
    } else {
        count = solve_scaled(scaled, n, roots);
        for (int i = 0; i < count; ++i)
            roots[i] = scalbn(roots[i], k);
    }
    if (zeros > 0) {
        int at = count++;
        for (; at > 0 && roots[at - 1] > 0; --at)
            roots[at] = roots[at - 1];
        roots[at] = 0;
    }
    return count;
}

int abut_polynomial_roots_closed(const double *c, int degree, double roots[4])
{
    if (!c || !roots || degree < 0 || degree > 4)
        return -1;
    for (int i = 0; i <= degree; ++i)
        if (!isfinite(c[i]))
            return -1;
    while (degree >= 0 && c[degree] == 0)
        --degree;
    if (degree < 0)
        return -1;
    const abut_nearest saved = abut_nearest_enter();
    const int count = solve(c, degree, roots);
    abut_nearest_leave(saved);
    return count;
}
