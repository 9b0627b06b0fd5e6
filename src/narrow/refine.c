/* SPDX-License-Identifier: MIT */
#include "narrow/refine.h"

bool abut_convex_refine(const abut_convex_pair *pair, abut_convex_answer *out)
{
    (void)pair, (void)out;
    return false;
}

bool abut_convex_refine_depth(const abut_convex_pair *pair, abut_convex_answer *out)
{
    (void)pair, (void)out;
    return false;
}
