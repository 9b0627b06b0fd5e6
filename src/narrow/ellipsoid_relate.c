/* SPDX-License-Identifier: MIT */
/* How two ellipsoids stand, by their characteristic polynomial. */
#include "abut/ellipsoid.h"

const char *abut_ellipsoid_relation_name(abut_ellipsoid_relation relation)
{
    static const char *const names[] = { "unknown", "separate", "touching", "crossing",
                                         "a in b",  "b in a",   "equal" };
    return relation >= 0 && relation <= ABUT_ELLIPSOIDS_EQUAL ? names[relation] : "unknown";
}

abut_status abut_ellipsoid_relate(const abut_affine *a, const abut_affine *b, abut_ellipsoid_result *out)
{
    (void)a;
    (void)b;
    (void)out;
    return ABUT_ERR_UNSUPPORTED;
}

abut_status abut_ellipsoid_from_shape(const abut_shape *shape, const abut_motion *motion, double t,
                                      abut_affine *out)
{
    (void)shape;
    (void)motion;
    (void)t;
    (void)out;
    return ABUT_ERR_UNSUPPORTED;
}
