/* SPDX-License-Identifier: MIT */
/* Real roots in plain doubles, any degree: abut_poly_isolate (math/poly_isolate.h) finds where
 * each root is, and a Newton iteration that stays between certain signs finds it. Where rounding
 * errors hide how many roots there are, they are taken for one multiple root, and that is where
 * a derivative has a simple one, which is well-conditioned. */
#include "math/nearest.h"
#include "math/poly_isolate.h"

#include <math.h>
#include <string.h>

/* Where a polynomial that is nearly zero all over [a, b] has its root. Over an interval about a
 * root of multiplicity m that is as wide as rounding errors make it, the m-th term of the Taylor
 * series is the largest; the (m-1)-th derivative has a simple root there. */
static double multiple_root(const double *c, int degree, double a, double b)
{
    double t[ABUT_POLY_TERMS];
    double x = 0.5 * a + 0.5 * b;
    for (int round = 0; round < 20; ++round) {
        memcpy(t, c, (size_t)(degree + 1) * sizeof *c);
        for (int i = 0; i < degree; ++i)
            for (int j = degree - 1; j >= i; --j)
                t[j] += x * t[j + 1];
        int m = 1;
        double power = 0.5 * (b - a), largest = 0;
        for (int i = 1; i <= degree; ++i, power *= 0.5 * (b - a))
            if (fabs(t[i]) * power > largest) {
                largest = fabs(t[i]) * power;
                m = i;
            }
        /* p^(m-1) / (m-1)! and its derivative, m times the next coefficient */
        double next = x - t[m - 1] / (m * t[m]);
        next = !(next >= a) ? a : !(next <= b) ? b : next;
        if (fabs(next - x) <= 0x1p-51 * fabs(x))
            return next;
        x = next;
    }
    return x;
}

/* Is p at x too small to be distinguished from zero? */
static bool nearly_zero(const double *c, int degree, double x)
{
    double v = 0, size = 0;
    for (int i = degree; i >= 0; --i) {
        v = v * x + c[i];
        size = size * fabs(x) + fabs(c[i]);
    }
    return fabs(v) <= (4 * degree + 16) * 0x1p-53 * size;
}

static ABUT_MATH_NOINLINE int solve(const double *c, int degree, double lo, double hi, double *roots)
{
    abut_poly p;
    abut_poly_item items[ABUT_POLY_MAX_ITEMS];
    const abut_poly_isolate_opts opts = { .approximate = true };
    p.degree = degree;
    p.has_low = p.has_error = false;
    memcpy(p.c, c, (size_t)(degree + 1) * sizeof *c);
    const int found = abut_poly_isolate(&p, lo, hi, &opts, items);
    int count = 0;
    for (int i = 0; i < found && count < degree; ++i) {
        const abut_poly_item *item = &items[i];
        double x = item->a == item->b ? item->a
                   : isinf(item->a)   ? item->a
                   : isinf(item->b)   ? item->b
                                      : 0.5 * item->a + 0.5 * item->b;
        if (!item->decided && isfinite(x)) {
            x = multiple_root(c, degree, item->a, item->b);
            if (item->sign_a * item->sign_b >= 0 && !nearly_zero(c, degree, x))
                continue;
        }
        roots[count++] = x;
    }
    return count;
}

int abut_polynomial_roots_bernstein(const double *c, int degree, double lo, double hi, double *roots)
{
    if (!c || !roots || degree < 0 || degree > ABUT_POLYNOMIAL_MAX_DEGREE || !(lo <= hi) || lo == INFINITY ||
        hi == -INFINITY)
        return -1;
    bool zero = true;
    for (int i = 0; i <= degree; ++i) {
        if (!isfinite(c[i]))
            return -1;
        zero = zero && c[i] == 0;
    }
    if (zero)
        return -1;
    const abut_nearest saved = abut_nearest_enter();
    const int count = solve(c, degree, lo, hi, roots);
    abut_nearest_leave(saved);
    return count;
}
