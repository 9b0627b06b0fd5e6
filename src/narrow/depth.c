/* SPDX-License-Identifier: MIT */
#include "narrow/convex.h"

void abut_convex_depth(const abut_convex_pair *pair, const abut_simplex *simplex, abut_convex_answer *out)
{
    (void)pair, (void)simplex, (void)out;
}
