/* SPDX-License-Identifier: MIT */
#include "narrow/convex.h"

abut_gjk_end abut_gjk_distance(const abut_convex_pair *pair, double cutoff, const abut_vec3 *axis,
                               abut_simplex *simplex, abut_convex_answer *out)
{
    (void)pair, (void)cutoff, (void)axis, (void)simplex;
    *out = (abut_convex_answer){ .lo = -INFINITY, .hi = INFINITY };
    return ABUT_GJK_NEAR;
}

int abut_gjk_compare(const abut_convex_pair *pair, double limit, abut_vec3 *axis, abut_simplex *simplex,
                     abut_convex_answer *out)
{
    (void)limit, (void)axis;
    (void)abut_gjk_distance(pair, INFINITY, NULL, simplex, out);
    return 0;
}
