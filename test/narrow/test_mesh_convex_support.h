/* SPDX-License-Identifier: MIT */
/* What tests of meshes against convex bodies share. */
#ifndef ABUT_TEST_MESH_CONVEX_SUPPORT_H
#define ABUT_TEST_MESH_CONVEX_SUPPORT_H

#include "oracle/voxel_mesh.h"
#include "support/places.h"

typedef struct tally {
    unsigned all, undecided, touching, penetrating, separate;
} tally;

static inline void count_verdict(tally *t, abut_verdict v)
{
    ++t->all;
    t->undecided += v == ABUT_UNDECIDED;
    t->touching += v == ABUT_TOUCHING;
    t->penetrating += v == ABUT_PENETRATING;
    t->separate += v == ABUT_SEPARATE;
}

static inline void turn_point(abut_quat q, const long double v[3], long double out[3])
{
    const long double w = q.w, x = q.x, y = q.y, z = q.z, n = w * w + x * x + y * y + z * z;
    out[0] =
        ((w * w + x * x - y * y - z * z) * v[0] + 2 * (x * y - w * z) * v[1] + 2 * (x * z + w * y) * v[2]) /
        n;
    out[1] =
        (2 * (x * y + w * z) * v[0] + (w * w - x * x + y * y - z * z) * v[1] + 2 * (y * z - w * x) * v[2]) /
        n;
    out[2] =
        (2 * (x * z - w * y) * v[0] + 2 * (y * z + w * x) * v[1] + (w * w - x * x - y * y + z * z) * v[2]) /
        n;
}

#endif
