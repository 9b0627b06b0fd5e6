/* SPDX-License-Identifier: MIT */
/* depth_grid.c for AVX2, chosen there at run time. */
#if defined(__x86_64__) && !defined(__AVX2__)
/* What the file is made of comes first: only what is defined here may need the unit. */
#include "narrow/depth/depth_disc.h"
#include <immintrin.h>

#include "base/avx2_begin.h"

#define GRID_AVX2 1
#include "narrow/depth/depth_grid_work.h"

abut_disc_end abut_grid_prove_avx2(const abut_disc *d, double *r, abut_vec3 u, double cap, uint32_t most,
                                   abut_vec3 *at, uint32_t *evaluations)
{
    return prove(d, r, u, cap, most, at, evaluations);
}
#include "base/avx2_end.h"
#else
typedef int abut_grid_needs_no_other; /* depth_grid.c is for AVX2 itself, or there is none */
#endif
