/* SPDX-License-Identifier: MIT */
/* Eight floats at a time: AVX2 where WIDE_AVX2 is set, loops elsewhere. Included by the two files that instantiate the walks. */
#ifndef ABUT_BVH_WIDE_LANES_H
#define ABUT_BVH_WIDE_LANES_H

#include <math.h>
#include <stdint.h>

#if WIDE_AVX2

#include <immintrin.h>

typedef __m256 lanes;
typedef __m256 choice; /* a truth value a lane */

#define LANES_OP2(name, call)                  \
    static inline lanes name(lanes a, lanes b) \
    {                                          \
        return call(a, b);                     \
    }
LANES_OP2(v_add, _mm256_add_ps)
LANES_OP2(v_sub, _mm256_sub_ps)
LANES_OP2(v_mul, _mm256_mul_ps)
LANES_OP2(v_div, _mm256_div_ps)
LANES_OP2(v_min, _mm256_min_ps)
LANES_OP2(v_max, _mm256_max_ps)
LANES_OP2(v_either, _mm256_or_ps)
#undef LANES_OP2

static inline lanes v_all(float x)
{
    return _mm256_set1_ps(x);
}
static inline lanes v_load(const float *x)
{
    return _mm256_loadu_ps(x);
}
static inline void v_store(float *x, lanes a)
{
    _mm256_storeu_ps(x, a);
}
/* a b + c */
static inline lanes v_madd(lanes a, lanes b, lanes c)
{
    return _mm256_fmadd_ps(a, b, c);
}
/* a b - c */
static inline lanes v_msub(lanes a, lanes b, lanes c)
{
    return _mm256_fmsub_ps(a, b, c);
}
static inline lanes v_abs(lanes a)
{
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0F), a);
}
static inline lanes v_sqrt(lanes a)
{
    return _mm256_sqrt_ps(a);
}
/* 1 or -1 */
static inline lanes v_sign(lanes a)
{
    return _mm256_or_ps(_mm256_and_ps(_mm256_set1_ps(-0.0F), a), _mm256_set1_ps(1));
}
/* a with the sign of b, for a >= 0 */
static inline lanes v_signed(lanes a, lanes b)
{
    return _mm256_or_ps(a, _mm256_and_ps(_mm256_set1_ps(-0.0F), b));
}
static inline lanes v_pick(choice c, lanes yes, lanes no)
{
    return _mm256_blendv_ps(no, yes, c);
}
static inline choice v_above(lanes a, lanes b)
{
    return _mm256_cmp_ps(a, b, _CMP_GT_OQ);
}
static inline unsigned v_bits(choice a)
{
    return (unsigned)_mm256_movemask_ps(a);
}

#else

typedef struct lanes {
    float v[8];
} lanes;
typedef struct choice {
    uint8_t v[8];
} choice;

#define LANES_EACH(type, expression) \
    do {                             \
        type r_;                     \
        for (int i = 0; i < 8; ++i)  \
            r_.v[i] = (expression);  \
        return r_;                   \
    } while (0)

static inline lanes v_add(lanes a, lanes b)
{
    LANES_EACH(lanes, a.v[i] + b.v[i]);
}
static inline lanes v_sub(lanes a, lanes b)
{
    LANES_EACH(lanes, a.v[i] - b.v[i]);
}
static inline lanes v_mul(lanes a, lanes b)
{
    LANES_EACH(lanes, a.v[i] * b.v[i]);
}
static inline lanes v_div(lanes a, lanes b)
{
    LANES_EACH(lanes, a.v[i] / b.v[i]);
}
static inline lanes v_min(lanes a, lanes b)
{
    LANES_EACH(lanes, a.v[i] < b.v[i] ? a.v[i] : b.v[i]);
}
static inline lanes v_max(lanes a, lanes b)
{
    LANES_EACH(lanes, a.v[i] > b.v[i] ? a.v[i] : b.v[i]);
}
static inline choice v_either(choice a, choice b)
{
    LANES_EACH(choice, (uint8_t)(a.v[i] | b.v[i]));
}
static inline lanes v_all(float x)
{
    LANES_EACH(lanes, x);
}
static inline lanes v_load(const float *x)
{
    LANES_EACH(lanes, x[i]);
}
static inline void v_store(float *x, lanes a)
{
    for (int i = 0; i < 8; ++i)
        x[i] = a.v[i];
}
static inline lanes v_madd(lanes a, lanes b, lanes c)
{
    LANES_EACH(lanes, a.v[i] * b.v[i] + c.v[i]);
}
static inline lanes v_msub(lanes a, lanes b, lanes c)
{
    LANES_EACH(lanes, a.v[i] * b.v[i] - c.v[i]);
}
static inline lanes v_abs(lanes a)
{
    LANES_EACH(lanes, fabsf(a.v[i]));
}
static inline lanes v_sqrt(lanes a)
{
    LANES_EACH(lanes, sqrtf(a.v[i]));
}
static inline lanes v_sign(lanes a)
{
    LANES_EACH(lanes, copysignf(1, a.v[i]));
}
static inline lanes v_signed(lanes a, lanes b)
{
    LANES_EACH(lanes, copysignf(a.v[i], b.v[i]));
}
static inline lanes v_pick(choice c, lanes yes, lanes no)
{
    LANES_EACH(lanes, c.v[i] ? yes.v[i] : no.v[i]);
}
static inline choice v_above(lanes a, lanes b)
{
    LANES_EACH(choice, a.v[i] > b.v[i]);
}
static inline unsigned v_bits(choice a)
{
    unsigned bits = 0;
    for (int i = 0; i < 8; ++i)
        bits |= (unsigned)a.v[i] << i;
    return bits;
}

#undef LANES_EACH
#endif

/* x a + y b + z c */
static inline lanes v_dot(lanes x, lanes a, lanes y, lanes b, lanes z, lanes c)
{
    return v_madd(x, a, v_madd(y, b, v_mul(z, c)));
}
/* One of three coordinates of a cross product: a d - b c. */
static inline lanes v_det(lanes a, lanes b, lanes c, lanes d)
{
    return v_msub(a, d, v_mul(b, c));
}

#endif
