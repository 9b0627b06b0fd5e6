/* SPDX-License-Identifier: MIT */
/* Numbers that know their error.
 *
 * Rump's expression at (77617, 33096) gives 1.17260… in single, double and quadruple precision
 * alike, which agreement of digits makes look certain; its value is -0.827396… . Intervals do
 * not guess: the enclosure that they give is wide, and says so, and the true value lies in it.
 * Source of the expression: S. M. Rump, "Algorithms for verified inclusions: theory and
 * practice", in Reliability in Computing, 1988. */
#include <abut/abut.h>
#include <stdio.h>

static abut_interval number(double x)
{
    return abut_interval_point(x);
}

/* 333.75 b^6 + a^2 (11 a^2 b^2 - b^6 - 121 b^4 - 2) + 5.5 b^8 + a / (2b) */
static abut_interval rump(abut_interval a, abut_interval b)
{
    const abut_interval a2 = abut_interval_sqr(a), b2 = abut_interval_sqr(b);
    const abut_interval b4 = abut_interval_pown(b, 4), b6 = abut_interval_pown(b, 6);
    abut_interval inner = abut_interval_mul(number(11), abut_interval_mul(a2, b2));
    inner = abut_interval_sub(inner, b6);
    inner = abut_interval_sub(inner, abut_interval_mul(number(121), b4));
    inner = abut_interval_sub(inner, number(2));
    abut_interval sum = abut_interval_mul(number(333.75), b6);
    sum = abut_interval_add(sum, abut_interval_mul(a2, inner));
    sum = abut_interval_add(sum, abut_interval_mul(number(5.5), abut_interval_pown(b, 8)));
    return abut_interval_add(sum, abut_interval_div(a, abut_interval_mul(number(2), b)));
}

int main(void)
{
    const abut_interval tenth = abut_interval_div(number(1), number(10));
    abut_interval sum = number(0);
    for (int i = 0; i < 10; ++i)
        sum = abut_interval_add(sum, tenth);
    printf("ten times a tenth lies in [%.17g, %.17g]\n", sum.lo, sum.hi);

    const abut_interval half = abut_interval_sin(abut_interval_asin(number(0.5)));
    printf("sin(asin(0.5)) lies in [%.17g, %.17g]\n", half.lo, half.hi);

    const abut_interval value = rump(number(77617), number(33096));
    printf("Rump's expression lies in [%g, %g]: nothing is known, and that is said\n", value.lo, value.hi);

    const bool right = abut_interval_contains(sum, 1) && abut_interval_width(sum) < 1e-14 &&
                       abut_interval_contains(half, 0.5) && abut_interval_width(half) < 1e-14 &&
                       abut_interval_contains(value, -0.82739605994682136814);
    return right ? 0 : 1;
}
