/* SPDX-License-Identifier: MIT */
/* Eight floats at a time: AVX2 where WIDE_AVX2 is set, vectors of GNU C elsewhere. Included by
 * the two files that instantiate the walks. */
#ifndef ABUT_BVH_WIDE_LANES_H
#define ABUT_BVH_WIDE_LANES_H

#include <math.h>
#include <stdint.h>
#include <string.h>

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
#define LANES_FOLD(name, one)                                                                 \
    static inline float name(lanes a)                                                         \
    {                                                                                         \
        const __m128 four = one##_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1)); \
        const __m128 two = one##_ps(four, _mm_movehl_ps(four, four));                         \
        return _mm_cvtss_f32(one##_ss(two, _mm_movehdup_ps(two)));                            \
    }
LANES_FOLD(v_sum, _mm_add)
LANES_FOLD(v_least, _mm_min)
LANES_FOLD(v_most, _mm_max)
#undef LANES_FOLD

#else

/* Two vectors of four, by the compilers' own vectors: loops over eight would do, but sanitizers
 * make far too much code of them. */
typedef float lanes_half __attribute__((vector_size(16)));
typedef int32_t choice_half __attribute__((vector_size(16)));
typedef struct lanes {
    lanes_half a, b;
} lanes;
typedef struct choice {
    choice_half a, b;
} choice;

static inline lanes v_add(lanes x, lanes y)
{
    return (lanes){ x.a + y.a, x.b + y.b };
}
static inline lanes v_sub(lanes x, lanes y)
{
    return (lanes){ x.a - y.a, x.b - y.b };
}
static inline lanes v_mul(lanes x, lanes y)
{
    return (lanes){ x.a * y.a, x.b * y.b };
}
static inline lanes v_div(lanes x, lanes y)
{
    return (lanes){ x.a / y.a, x.b / y.b };
}
static inline choice v_above(lanes x, lanes y)
{
    return (choice){ x.a > y.a, x.b > y.b };
}
static inline choice v_either(choice x, choice y)
{
    return (choice){ x.a | y.a, x.b | y.b };
}
static inline lanes_half half_pick(choice_half c, lanes_half yes, lanes_half no)
{
    return (lanes_half)((c & (choice_half)yes) | (~c & (choice_half)no));
}
static inline lanes v_pick(choice c, lanes yes, lanes no)
{
    return (lanes){ half_pick(c.a, yes.a, no.a), half_pick(c.b, yes.b, no.b) };
}
static inline lanes v_min(lanes x, lanes y)
{
    return (lanes){ half_pick(x.a < y.a, x.a, y.a), half_pick(x.b < y.b, x.b, y.b) };
}
static inline lanes v_max(lanes x, lanes y)
{
    return (lanes){ half_pick(x.a > y.a, x.a, y.a), half_pick(x.b > y.b, x.b, y.b) };
}
static inline lanes v_all(float x)
{
    const lanes_half h = { x, x, x, x };
    return (lanes){ h, h };
}
static inline lanes v_load(const float *x)
{
    lanes r;
    memcpy(&r, x, sizeof r);
    return r;
}
static inline void v_store(float *x, lanes r)
{
    memcpy(x, &r, sizeof r);
}
static inline lanes v_madd(lanes x, lanes y, lanes z)
{
    return v_add(v_mul(x, y), z);
}
static inline lanes v_msub(lanes x, lanes y, lanes z)
{
    return v_sub(v_mul(x, y), z);
}
static inline lanes_half half_signs(lanes_half x)
{
    const choice_half sign = { INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN };
    return (lanes_half)((choice_half)x & sign);
}
/* x with the sign of y, for x >= 0 */
static inline lanes v_signed(lanes x, lanes y)
{
    return (lanes){ (lanes_half)((choice_half)x.a | (choice_half)half_signs(y.a)),
                    (lanes_half)((choice_half)x.b | (choice_half)half_signs(y.b)) };
}
static inline lanes v_sign(lanes x)
{
    return v_signed(v_all(1), x);
}
static inline lanes v_abs(lanes x)
{
    return (lanes){ (lanes_half)((choice_half)x.a ^ (choice_half)half_signs(x.a)),
                    (lanes_half)((choice_half)x.b ^ (choice_half)half_signs(x.b)) };
}
static inline lanes v_sqrt(lanes x)
{
    for (int i = 0; i < 4; ++i) {
        x.a[i] = sqrtf(x.a[i]);
        x.b[i] = sqrtf(x.b[i]);
    }
    return x;
}
static inline unsigned v_bits(choice x)
{
    unsigned bits = 0;
    for (int i = 0; i < 4; ++i)
        bits |= ((unsigned)x.a[i] & 1U) << i | ((unsigned)x.b[i] & 1U) << (i + 4);
    return bits;
}
static inline float v_sum(lanes x)
{
    const lanes_half s = x.a + x.b;
    return (s[0] + s[2]) + (s[1] + s[3]);
}
static inline float v_least(lanes x)
{
    const lanes_half s = half_pick(x.a < x.b, x.a, x.b);
    const float a = s[0] < s[1] ? s[0] : s[1], b = s[2] < s[3] ? s[2] : s[3];
    return a < b ? a : b;
}
static inline float v_most(lanes x)
{
    const lanes_half s = half_pick(x.a > x.b, x.a, x.b);
    const float a = s[0] > s[1] ? s[0] : s[1], b = s[2] > s[3] ? s[2] : s[3];
    return a > b ? a : b;
}

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
