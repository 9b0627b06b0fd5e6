/* SPDX-License-Identifier: MIT */
/* Four doubles at a time for depth_grid_work.h: AVX2 where GRID_AVX2 is set, vectors of GNU C
 * elsewhere, with the same results. */
#ifndef ABUT_NARROW_DEPTH_DEPTH_GRID_LANES_H
#define ABUT_NARROW_DEPTH_DEPTH_GRID_LANES_H

#include <math.h>
#include <stdint.h>

#if GRID_AVX2
#include <immintrin.h>
#endif

/* Everything is in line, so that nothing is passed in a register that may not be there. */
#define WIDE static inline __attribute__((always_inline))

typedef double lanes __attribute__((vector_size(32)));
typedef int64_t lane_mask __attribute__((vector_size(32)));

WIDE lanes v_all(double x)
{
    return (lanes){ x, x, x, x };
}

/* a where m, b elsewhere. */
WIDE lanes v_pick(lane_mask m, lanes a, lanes b)
{
#if GRID_AVX2
    return _mm256_blendv_pd(b, a, (__m256d)m);
#else
    return (lanes)((m & (lane_mask)a) | (~m & (lane_mask)b));
#endif
}

WIDE lanes v_min(lanes a, lanes b)
{
    return v_pick(a < b, a, b);
}

WIDE lanes v_max(lanes a, lanes b)
{
    return v_pick(a > b, a, b);
}

WIDE lanes v_sqrt(lanes a)
{
#if GRID_AVX2
    return _mm256_sqrt_pd(a);
#else
    return (lanes){ sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3]) };
#endif
}

/* A bit a lane. */
WIDE unsigned v_bits(lane_mask m)
{
#if GRID_AVX2
    return (unsigned)_mm256_movemask_pd((__m256d)m);
#else
    return (unsigned)((m[0] & 1) | (m[1] & 2) | (m[2] & 4) | (m[3] & 8));
#endif
}

/* Rows become columns. */
WIDE void v_turn(lanes r[4])
{
#if GRID_AVX2
    const lanes ab0 = _mm256_unpacklo_pd(r[0], r[1]), ab1 = _mm256_unpackhi_pd(r[0], r[1]),
                cd0 = _mm256_unpacklo_pd(r[2], r[3]), cd1 = _mm256_unpackhi_pd(r[2], r[3]);
    r[0] = _mm256_permute2f128_pd(ab0, cd0, 0x20);
    r[1] = _mm256_permute2f128_pd(ab1, cd1, 0x20);
    r[2] = _mm256_permute2f128_pd(ab0, cd0, 0x31);
    r[3] = _mm256_permute2f128_pd(ab1, cd1, 0x31);
#else
    const lanes a = r[0], b = r[1], c = r[2], d = r[3];
    for (int i = 0; i < 4; ++i)
        r[i] = (lanes){ a[i], b[i], c[i], d[i] };
#endif
}

#endif
