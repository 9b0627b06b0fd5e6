/* SPDX-License-Identifier: MIT */
/* The real roots of a polynomial, with proof.
 *
 * p(x) = (x - 1)^2 (x^2 - 2) = x^4 - 2x^3 - x^2 + 4x - 2 has a double root at 1 and simple roots
 * at -sqrt 2 and sqrt 2. A numerical solver finds one, two or no roots near 1, depending on its
 * rounding; the certified one says that there is exactly one, and that it is double. */
#include <abut/abut.h>
#include <stdio.h>

int main(void)
{
    const double p[] = { -2, 4, -1, -2, 1 };
    static const char *const kinds[] = { "", "simple", "multiple", "cluster" };
    abut_root roots[4];
    const int count = abut_polynomial_roots_certified(p, 4, -10, 10, 0, roots);
    for (int i = 0; i < count; ++i)
        printf("%-8s root, multiplicity %d, in [%.17g, %.17g]\n", kinds[roots[i].kind], roots[i].multiplicity,
               roots[i].x.lo, roots[i].x.hi);

    const bool right = count == 3 && roots[0].kind == ABUT_ROOT_SIMPLE &&
                       roots[1].kind == ABUT_ROOT_MULTIPLE && roots[1].multiplicity == 2 &&
                       abut_interval_contains(roots[1].x, 1) && roots[2].kind == ABUT_ROOT_SIMPLE;
    /* The square of the last enclosure holds 2. */
    return right && abut_interval_contains(abut_interval_sqr(roots[2].x), 2) ? 0 : 1;
}
