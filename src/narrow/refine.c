/* SPDX-License-Identifier: MIT */
#include "narrow/convex.h"

bool abut_convex_refine(const abut_convex_pair *pair, abut_convex_answer *out)
{
    (void)pair, (void)out;
    return false;
}
