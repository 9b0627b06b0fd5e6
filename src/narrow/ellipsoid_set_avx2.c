/* SPDX-License-Identifier: MIT */
/* Batches of pairs of ellipsoids for AVX2. Chosen at run time (ellipsoid_set.c). */
#if defined(__x86_64__)
/* What the file is made of comes first: only what is defined here may need the unit. */
#include "narrow/ellipsoid_set.h"
#include <immintrin.h>
#include <math.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
#define ELLIPSOID_AVX2 1
#include "narrow/ellipsoid_batch.h"

void abut_ellipsoid_decide_avx2(const abut_ellipsoid_job *job)
{
    decide_all(job);
}
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
