/* SPDX-License-Identifier: MIT */
/* Batches of pairs of ellipsoids in plain C. */
#define ELLIPSOID_AVX2 0
#include "narrow/ellipsoid/ellipsoid_batch.h"

void abut_ellipsoid_decide_plain(const abut_ellipsoid_job *job)
{
    decide_all(job);
}
