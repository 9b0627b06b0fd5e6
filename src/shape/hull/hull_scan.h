/* SPDX-License-Identifier: MIT */
/* All vertices of a hull along a direction, in floats, eight at a time: inline, for loops that ask
 * for one support point after the other.
 *
 * Of the values in floats those that come near the largest are kept, mostly one, and doubles
 * choose among them: what comes out is what doubles alone would give (docs/notes/gjk.md has the
 * bound). Only for hulls with `floats`, which there are on processors with AVX2 and FMA. */
#ifndef ABUT_SHAPE_HULL_HULL_SCAN_H
#define ABUT_SHAPE_HULL_HULL_SCAN_H

#include "shape/hull/hull.h"

#if defined(__x86_64__)
#define ABUT_HULL_HAVE_SCAN 1
#include <immintrin.h>
#include <math.h>

#define ABUT_SCAN_INLINE static inline __attribute__((target("avx2,fma"), always_inline))

/* A direction in all lanes, and how far below the largest value one may be that is the largest
 * in truth. */
typedef struct abut_scan_along {
    __m256 x, y, z, slack;
} abut_scan_along;

/* `size`: at least the sum of the sizes of the coordinates. */
ABUT_SCAN_INLINE abut_scan_along abut_scan_begin(double x, double y, double z, double size)
{
    return (abut_scan_along){ _mm256_set1_ps((float)x), _mm256_set1_ps((float)y), _mm256_set1_ps((float)z),
                              _mm256_set1_ps((float)(0x1p-20 * size)) };
}

/* Of the vertices in `seen` of a block the one with the largest value, in doubles, if that is
 * more than *most; of equal ones the one that a scan of eight lanes would give. */
static inline void abut_scan_choose(const abut_hull *hull, double x, double y, double z, uint32_t block,
                                    uint32_t seen, double *most, uint32_t *best)
{
    for (; seen; seen &= seen - 1) {
        const uint32_t i = block * ABUT_HULL_BLOCK + (uint32_t)__builtin_ctz(seen);
        const double *v = hull->rows + 4 * (size_t)i;
        const double value = x * v[0] + y * v[1] + z * v[2];
        if (value > *most || (value == *most && i % 8 < *best % 8)) {
            *most = value;
            *best = i;
        }
    }
}

/* The values of a block, and the largest in each lane: max gives its second where the first is
 * not a number. */
ABUT_SCAN_INLINE __m256 abut_scan_values(const float *f, const abut_scan_along *d, __m256 value[4])
{
    enum { Y = ABUT_HULL_BLOCK, Z = 2 * ABUT_HULL_BLOCK };
    for (int k = 0; k < 4; ++k, f += 8)
        value[k] = _mm256_fmadd_ps(
            d->z, _mm256_loadu_ps(f + Z),
            _mm256_fmadd_ps(d->y, _mm256_loadu_ps(f + Y), _mm256_mul_ps(d->x, _mm256_loadu_ps(f))));
    const __m256 none = _mm256_set1_ps(-INFINITY);
    return _mm256_max_ps(_mm256_max_ps(value[1], _mm256_max_ps(value[0], none)),
                         _mm256_max_ps(value[3], _mm256_max_ps(value[2], none)));
}

/* The largest of all lanes, in all of them. */
ABUT_SCAN_INLINE __m256 abut_scan_largest(__m256 a)
{
    a = _mm256_max_ps(a, _mm256_permute2f128_ps(a, a, 1));
    a = _mm256_max_ps(a, _mm256_permute_ps(a, 0x4e));
    return _mm256_max_ps(a, _mm256_permute_ps(a, 0xb1));
}

ABUT_SCAN_INLINE __m256i abut_scan_is_near(__m256 value, __m256 least)
{
    return _mm256_castps_si256(_mm256_cmp_ps(value, least, _CMP_GE_OQ));
}

/* The vertices of a block with values that may be the largest. */
ABUT_SCAN_INLINE uint32_t abut_scan_near(const __m256 value[4], __m256 least)
{
    const __m256i low = _mm256_packs_epi32(abut_scan_is_near(value[0], least),
                                           abut_scan_is_near(value[1], least)),
                  high = _mm256_packs_epi32(abut_scan_is_near(value[2], least),
                                            abut_scan_is_near(value[3], least));
    return (uint32_t)_mm256_movemask_epi8(_mm256_packs_epi16(low, high));
}

/* A hull of one block: the vertices that may be the top, and the one of them that is. */
ABUT_SCAN_INLINE uint32_t abut_scan_block(const abut_hull *hull, const abut_scan_along *d)
{
    __m256 value[4];
    const __m256 top = abut_scan_largest(abut_scan_values(hull->floats, d, value));
    return abut_scan_near(value, _mm256_sub_ps(top, d->slack));
}

static inline uint32_t abut_scan_decide(const abut_hull *hull, double x, double y, double z, uint32_t seen)
{
    if ((seen & (seen - 1)) == 0)
        return (uint32_t)__builtin_ctz(seen);
    uint32_t best = 0;
    double highest = -INFINITY;
    abut_scan_choose(hull, x, y, z, 0, seen, &highest, &best);
    return best;
}

/* The top of any hull with floats; *d is made of x, y, z. */
ABUT_SCAN_INLINE uint32_t abut_scan_hull(const abut_hull *hull, const abut_scan_along *d, double x, double y,
                                         double z)
{
    enum { BLOCK = ABUT_HULL_BLOCK, MOST_BLOCKS = ABUT_HULL_FLOATS / BLOCK };
    const uint32_t blocks = (hull->vertex_count + BLOCK - 1) / BLOCK;
    if (blocks == 1)
        return abut_scan_decide(hull, x, y, z, abut_scan_block(hull, d));
    uint32_t best = 0;
    double highest = -INFINITY;
    __m256 value[MOST_BLOCKS][4], top_of[MOST_BLOCKS], most = _mm256_set1_ps(-INFINITY);
    for (uint32_t i = 0; i < blocks; ++i) {
        top_of[i] = abut_scan_values(hull->floats + (size_t)i * 3 * BLOCK, d, value[i]);
        most = _mm256_max_ps(top_of[i], most);
    }
    const __m256 least = _mm256_sub_ps(abut_scan_largest(most), d->slack);
    uint32_t near = 0;
    for (uint32_t i = 0; i < blocks; ++i)
        near |= (uint32_t)(_mm256_movemask_epi8(abut_scan_is_near(top_of[i], least)) != 0) << i;
    for (; near; near &= near - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(near), seen = abut_scan_near(value[i], least);
        if (((near & (near - 1)) | (seen & (seen - 1))) == 0 && highest == -INFINITY)
            return i * BLOCK + (uint32_t)__builtin_ctz(seen);
        abut_scan_choose(hull, x, y, z, i, seen, &highest, &best);
    }
    return best;
}
#else
#define ABUT_HULL_HAVE_SCAN 0
#endif

#endif
