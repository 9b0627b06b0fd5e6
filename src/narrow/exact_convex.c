/* SPDX-License-Identifier: MIT */
#include "narrow/convex.h"

int abut_convex_exact_sign(const abut_pair *pair, const abut_convex_pair *convex,
                           const abut_convex_answer *answer)
{
    (void)pair, (void)convex, (void)answer;
    return ABUT_SIGN_UNKNOWN;
}
