/* SPDX-License-Identifier: MIT */
/* Elementary functions of intervals: first, simple version. Ends through libm (below 1 ulp in glibc), widened by 4 ulp. */
#include "interval/ia.h"

static ia widen(double lo, double hi)
{
    for (int i = 0; i < 4; ++i) {
        lo = ia_down(lo);
        hi = ia_up(hi);
    }
    return ia_make(lo, hi);
}

ia ia_div(ia a, ia b)
{
    if (ia_contains(b, 0))
        return ia_make(-INFINITY, INFINITY);
    const double p = ia_lo(a) / ia_lo(b), q = ia_lo(a) / ia_hi(b), r = ia_hi(a) / ia_lo(b),
                 s = ia_hi(a) / ia_hi(b);
    return ia_make(ia_down(fmin(fmin(p, q), fmin(r, s))), ia_up(fmax(fmax(p, q), fmax(r, s))));
}

ia ia_sqrt(ia a)
{
    const ia r = ia_make(ia_down(sqrt(fmax(ia_lo(a), 0))), ia_up(sqrt(fmax(ia_hi(a), 0))));
    return ia_make(fmax(0, ia_lo(r)), ia_hi(r));
}

ia ia_pi(void)
{
    return ia_make(0x1.921fb54442d18p+1, 0x1.921fb54442d19p+1);
}

ia ia_cos(ia a)
{
    const double pi = 3.14159265358979323846;
    if (!(ia_hi(a) - ia_lo(a) < 6.28) || fabs(ia_lo(a)) > 1e6)
        return ia_make(-1, 1);
    const double c0 = cos(ia_lo(a)), c1 = cos(ia_hi(a));
    ia r = widen(fmin(c0, c1), fmax(c0, c1));
    const double from = ia_lo(a) / pi - 1e-9, to = ia_hi(a) / pi + 1e-9;
    for (double n = ceil(from); n <= to; ++n)
        r = ia_hull(r, ia_point(fmod(n, 2) == 0 ? 1 : -1));
    return ia_intersect(r, ia_make(-1, 1));
}

ia ia_sin(ia a)
{
    const double pi = 3.14159265358979323846;
    if (!(ia_hi(a) - ia_lo(a) < 6.28) || fabs(ia_lo(a)) > 1e6)
        return ia_make(-1, 1);
    const double c0 = sin(ia_lo(a)), c1 = sin(ia_hi(a));
    ia r = widen(fmin(c0, c1), fmax(c0, c1));
    const double from = ia_lo(a) / pi - 0.5 - 1e-9, to = ia_hi(a) / pi - 0.5 + 1e-9;
    for (double n = ceil(from); n <= to; ++n)
        r = ia_hull(r, ia_point(fmod(n, 2) == 0 ? 1 : -1));
    return ia_intersect(r, ia_make(-1, 1));
}

ia ia_tan(ia a)
{
    return ia_div(ia_sin(a), ia_cos(a));
}

ia ia_asin(ia a)
{
    return widen(asin(fmax(-1, ia_lo(a))), asin(fmin(1, ia_hi(a))));
}

ia ia_acos(ia a)
{
    return ia_intersect(widen(acos(fmin(1, ia_hi(a))), acos(fmax(-1, ia_lo(a)))), ia_make(0, ia_hi(ia_pi())));
}

ia ia_atan(ia a)
{
    return widen(atan(ia_lo(a)), atan(ia_hi(a)));
}

ia ia_atan2(ia y, ia x)
{
    if ((ia_contains(x, 0) && ia_contains(y, 0)) || (ia_lo(x) < 0 && ia_lo(y) < 0 && ia_hi(y) >= 0))
        return ia_make(-ia_hi(ia_pi()), ia_hi(ia_pi()));
    const double ys[2] = { ia_lo(y) + 0.0, ia_hi(y) + 0.0 }, xs[2] = { ia_lo(x), ia_hi(x) };
    double lo = INFINITY, hi = -INFINITY;
    for (int i = 0; i < 4; ++i) {
        const double angle = atan2(ys[i & 1], xs[i >> 1]);
        lo = fmin(lo, angle);
        hi = fmax(hi, angle);
    }
    return widen(lo, hi);
}

ia ia_exp(ia a)
{
    const ia r = widen(exp(ia_lo(a)), exp(ia_hi(a)));
    return ia_make(fmax(0, ia_lo(r)), ia_hi(r));
}

ia ia_log(ia a)
{
    return widen(log(fmax(0, ia_lo(a))), log(fmax(0, ia_hi(a))));
}

ia ia_pown(ia a, int n)
{
    if (n < 0)
        return ia_div(ia_point(1), ia_pown(a, -n));
    ia r = ia_point(1);
    if (n % 2 == 0) {
        a = ia_sqr(a);
        n /= 2;
    }
    for (int i = 0; i < n; ++i)
        r = ia_mul(r, a);
    return r;
}

ia ia_pow(ia a, ia b)
{
    return ia_exp(ia_mul(b, ia_log(a)));
}
