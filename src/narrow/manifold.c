/* SPDX-License-Identifier: MIT */
#include "narrow/convex.h"

int abut_convex_manifold(const abut_convex_pair *pair, const abut_convex_answer *answer, int most,
                         abut_contact *contacts)
{
    (void)pair, (void)answer, (void)most, (void)contacts;
    return 0;
}
