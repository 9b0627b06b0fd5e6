/* SPDX-License-Identifier: MIT */
/* Four doubles at a time: AVX2 where ELLIPSOID_AVX2 is set, vectors of GNU C elsewhere. */
#ifndef ABUT_NARROW_ELLIPSOID_ELLIPSOID_LANES_H
#define ABUT_NARROW_ELLIPSOID_ELLIPSOID_LANES_H

#include <math.h>
#include <stdint.h>

#if ELLIPSOID_AVX2

#include <immintrin.h>

typedef __m256d lanes;

static inline lanes v_all(double x)
{
    return _mm256_set1_pd(x);
}
static inline lanes v_add(lanes a, lanes b)
{
    return _mm256_add_pd(a, b);
}
static inline lanes v_sub(lanes a, lanes b)
{
    return _mm256_sub_pd(a, b);
}
static inline lanes v_mul(lanes a, lanes b)
{
    return _mm256_mul_pd(a, b);
}
static inline lanes v_div(lanes a, lanes b)
{
    return _mm256_div_pd(a, b);
}
static inline lanes v_sqrt(lanes a)
{
    return _mm256_sqrt_pd(a);
}
/* a b + c, c - a b */
static inline lanes v_madd(lanes a, lanes b, lanes c)
{
    return _mm256_fmadd_pd(a, b, c);
}
static inline lanes v_less(lanes a, lanes b, lanes c)
{
    return _mm256_fnmadd_pd(a, b, c);
}
/* A bit a lane: a > b, false where either is NaN. */
static inline unsigned v_above(lanes a, lanes b)
{
    return (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_GT_OQ));
}
static inline void v_store(double out[4], lanes a)
{
    _mm256_storeu_pd(out, a);
}
/* Four numbers in a row of each of four records. */
static inline void v_gather(const double *const from[4], int at, lanes out[4])
{
    const lanes a = _mm256_loadu_pd(from[0] + at), b = _mm256_loadu_pd(from[1] + at),
                c = _mm256_loadu_pd(from[2] + at), d = _mm256_loadu_pd(from[3] + at);
    const lanes ab0 = _mm256_unpacklo_pd(a, b), ab1 = _mm256_unpackhi_pd(a, b),
                cd0 = _mm256_unpacklo_pd(c, d), cd1 = _mm256_unpackhi_pd(c, d);
    out[0] = _mm256_permute2f128_pd(ab0, cd0, 0x20);
    out[1] = _mm256_permute2f128_pd(ab1, cd1, 0x20);
    out[2] = _mm256_permute2f128_pd(ab0, cd0, 0x31);
    out[3] = _mm256_permute2f128_pd(ab1, cd1, 0x31);
}

#else

typedef double lanes_half __attribute__((vector_size(16)));
typedef struct lanes {
    lanes_half a, b;
} lanes;

static inline lanes v_all(double x)
{
    return (lanes){ { x, x }, { x, x } };
}
static inline lanes v_add(lanes a, lanes b)
{
    return (lanes){ a.a + b.a, a.b + b.b };
}
static inline lanes v_sub(lanes a, lanes b)
{
    return (lanes){ a.a - b.a, a.b - b.b };
}
static inline lanes v_mul(lanes a, lanes b)
{
    return (lanes){ a.a * b.a, a.b * b.b };
}
static inline lanes v_div(lanes a, lanes b)
{
    return (lanes){ a.a / b.a, a.b / b.b };
}
static inline lanes v_sqrt(lanes a)
{
    return (lanes){ { sqrt(a.a[0]), sqrt(a.a[1]) }, { sqrt(a.b[0]), sqrt(a.b[1]) } };
}
static inline lanes v_madd(lanes a, lanes b, lanes c)
{
    return v_add(v_mul(a, b), c);
}
static inline lanes v_less(lanes a, lanes b, lanes c)
{
    return v_sub(c, v_mul(a, b));
}
static inline unsigned v_above(lanes a, lanes b)
{
    return (unsigned)(a.a[0] > b.a[0]) | (unsigned)(a.a[1] > b.a[1]) << 1 | (unsigned)(a.b[0] > b.b[0]) << 2 |
           (unsigned)(a.b[1] > b.b[1]) << 3;
}
static inline void v_store(double out[4], lanes a)
{
    out[0] = a.a[0];
    out[1] = a.a[1];
    out[2] = a.b[0];
    out[3] = a.b[1];
}
static inline void v_gather(const double *const from[4], int at, lanes out[4])
{
    for (int i = 0; i < 4; ++i)
        out[i] = (lanes){ { from[0][at + i], from[1][at + i] }, { from[2][at + i], from[3][at + i] } };
}

#endif

#endif
