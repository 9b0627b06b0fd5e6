/* SPDX-License-Identifier: MIT */
/* Batches of pairs of ellipsoids for AVX2. Chosen at run time (ellipsoid_set.c). */
#if defined(__x86_64__)
/* What the file is made of comes first: only what is defined here may need the unit. */
#include "narrow/ellipsoid/ellipsoid_set.h"
#include <immintrin.h>
#include <math.h>

#include "base/avx2_begin.h"

#define ELLIPSOID_AVX2 1
#include "narrow/ellipsoid/ellipsoid_batch.h"

void abut_ellipsoid_decide_avx2(const abut_ellipsoid_job *job)
{
    decide_all(job);
}
#include "base/avx2_end.h"
#endif
