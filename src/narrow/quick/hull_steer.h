/* SPDX-License-Identifier: MIT */
/* GJK for two hulls of up to 32 vertices in floats: it finds the way, and says nothing that is
 * proved. Inline, for quick_hulls.c; AVX2 and FMA.
 *
 * Each step of GJK waits for the one before, from the direction to the support points, to the
 * nearest point of the simplex, to the direction: so what counts is how many operations are in a
 * row. All vertices of b are placed once, so that both bodies are searched along the same direction
 * and points come from memory. A search puts the number of each vertex into the last bits of its
 * value: the largest value then has its place in it. The faces, edges and the corner that the
 * nearest point may lie in are tried side by side in eight lanes, for simplices of any size alike.
 *
 * Points are s = x - y, those of -K of convex.h, and directions v = -s, as of K. Lengths are in
 * units that make the size of a 1/2 to 1. */
#ifndef ABUT_NARROW_QUICK_HULL_STEER_H
#define ABUT_NARROW_QUICK_HULL_STEER_H

#include "narrow/distance/convex.h"
#include "shape/hull/hull_scan.h"

#include <string.h>

#if ABUT_HULL_HAVE_SCAN

#define WIDE static inline __attribute__((always_inline))

/* Hulls that are taken. */
WIDE bool is_steered(const abut_core *core)
{
    return core->kind == ABUT_CORE_HULL && core->hull->floats && core->scale == 1 &&
           core->hull->vertex_count <= ABUT_HULL_BLOCK;
}

#include "base/avx2_begin.h"

enum { STEER_POINTS = ABUT_HULL_BLOCK, STEER_ROUNDS = 16 };

typedef struct steer {
    /* -y for all y of b, as the floats of a hull */
    float b[3 * STEER_POINTS] __attribute__((aligned(32)));
    const float *a; /* the floats of a */
    double unit;    /* lengths times this are in units of the floats */
    double ratio;   /* |y - t| <= ratio */
    double far;     /* |t| <= far */
} steer;

typedef struct vector {
    __m256 x, y, z;
} vector;

/* Values of all vertices along a direction. */
typedef struct values {
    __m256 a[4], b[4];
} values;

/* Points of the simplex in lanes 0 to 2 and, the same, 4 to 6; which lanes are in use, and where
 * the points come from. */
typedef struct corners {
    vector p;
    __m256 used;
    __m256i from; /* places of the vertices of a, and of b times 256 */
    uint32_t count;
} corners;

WIDE vector spread(float x, float y, float z)
{
    return (vector){ _mm256_set1_ps(x), _mm256_set1_ps(y), _mm256_set1_ps(z) };
}

WIDE __m256 dots(vector a, vector b)
{
    return _mm256_fmadd_ps(a.z, b.z, _mm256_fmadd_ps(a.y, b.y, _mm256_mul_ps(a.x, b.x)));
}

WIDE vector crosses(vector a, vector b)
{
    return (vector){ _mm256_fmsub_ps(a.y, b.z, _mm256_mul_ps(a.z, b.y)),
                     _mm256_fmsub_ps(a.z, b.x, _mm256_mul_ps(a.x, b.z)),
                     _mm256_fmsub_ps(a.x, b.y, _mm256_mul_ps(a.y, b.x)) };
}

WIDE vector less(vector a, vector b)
{
    return (vector){ _mm256_sub_ps(a.x, b.x), _mm256_sub_ps(a.y, b.y), _mm256_sub_ps(a.z, b.z) };
}

WIDE vector times(__m256 s, vector a)
{
    return (vector){ _mm256_mul_ps(s, a.x), _mm256_mul_ps(s, a.y), _mm256_mul_ps(s, a.z) };
}

WIDE __m256 next_lane(__m256 a)
{
    return _mm256_permute_ps(a, 0xc9);
}

WIDE vector next(vector a)
{
    return (vector){ next_lane(a.x), next_lane(a.y), next_lane(a.z) };
}

/* ---- placing ---- */

typedef double both __attribute__((vector_size(16)));

/* Where the bodies are. m: the rotations of a, and of b in a's frame, side by side. */
typedef struct placed {
    double m[18] __attribute__((aligned(32)));
    abut_vec3 t; /* origin of b in a's frame */
    double error;
} placed;

/* As abut_convex_pair_from_poses, number by number. */
WIDE bool place(const abut_core *a, const abut_pose *at_a, const abut_core *b, const abut_pose *at_b,
                placed *out)
{
    const abut_quat p = at_a->rotation, q = abut_quat_mul(abut_quat_conjugate(p), at_b->rotation);
    const both w = { p.w, q.w }, x = { p.x, q.x }, y = { p.y, q.y }, z = { p.z, q.z };
    const both ww = w * w, xx = x * x, yy = y * y, zz = z * z;
    const both wx = w * x, wy = w * y, wz = w * z, xy = x * y, xz = x * z, yz = y * z;
    const both n = (ww + xx) + (yy + zz), one = { 1, 1 }, s = one / n, two = { 2, 2 };
    const both m[9] = {
        s * ((ww + xx) - (yy + zz)), s * (two * (xy - wz)),       s * (two * (xz + wy)),
        s * (two * (xy + wz)),       s * ((ww + yy) - (xx + zz)), s * (two * (yz - wx)),
        s * (two * (xz - wy)),       s * (two * (yz + wx)),       s * ((ww + zz) - (xx + yy))
    };
    for (int i = 0; i < 9; ++i)
        _mm_store_pd(out->m + 2 * i, m[i]);
    const abut_vec3 d = abut_sub(at_b->position, at_a->position);
    const double square = abut_dot(d, d);
    out->t =
        abut_v3(m[0][0] * d.x + m[3][0] * d.y + m[6][0] * d.z, m[1][0] * d.x + m[4][0] * d.y + m[7][0] * d.z,
                m[2][0] * d.x + m[5][0] * d.y + m[8][0] * d.z);
    out->error = 0x1p-53 * (32 * sqrt(square) + 12 * a->size + 56 * b->size + 4 * (a->radius + b->radius)) +
                 a->error + b->error;
    return n[0] >= 0x1p-100 && n[0] <= 0x1p100 && n[1] >= 0x1p-200 && n[1] <= 0x1p200 && square <= 0x1p280 &&
           a->size >= 0x1p-140 && a->size <= 0x1p140;
}

/* 2^-e for the e that frexp would give. */
WIDE double unit_of(const abut_hull *hull)
{
    uint64_t bits;
    double unit;
    memcpy(&bits, &hull->size, sizeof bits);
    bits = (2045 - (bits >> 52)) << 52;
    memcpy(&unit, &bits, sizeof unit);
    return unit;
}

/* m: the rotation of b in a's frame, m[i][j] at 2 (3 i + j) + 1, beside something else; t: where
 * its origin is. False where one body is much smaller than the other or than their distance:
 * there floats have too few digits. */
WIDE bool place_bodies(const abut_hull *a, const abut_hull *b, const double m[18], abut_vec3 t, steer *k)
{
    enum { Y = STEER_POINTS, Z = 2 * STEER_POINTS };
    k->unit = unit_of(a);
    k->ratio = k->unit / unit_of(b);
    k->far = (fabs(t.x) + fabs(t.y) + fabs(t.z)) * k->unit;
    if (!(k->ratio >= 0.0625 && k->ratio <= 16 && k->far <= 64))
        return false;
    k->a = a->floats;
    const __m256d ratio = _mm256_set1_pd(k->ratio);
    float r[20] __attribute__((aligned(16)));
    for (int i = 0; i < 16; i += 4)
        _mm_store_ps(r + i, _mm256_cvtpd_ps(_mm256_mul_pd(ratio, _mm256_load_pd(m + i))));
    r[17] = (float)(k->ratio * m[17]);
    const float at[3] = { (float)(k->unit * t.x), (float)(k->unit * t.y), (float)(k->unit * t.z) };
    const float *f = b->floats;
    for (int i = 0; i < 3; ++i) {
        const __m256 x = _mm256_broadcast_ss(r + 6 * i + 1), y = _mm256_broadcast_ss(r + 6 * i + 3),
                     z = _mm256_broadcast_ss(r + 6 * i + 5), s = _mm256_broadcast_ss(at + i);
        for (int q = 0; q < STEER_POINTS; q += 8)
            _mm256_store_ps(
                k->b + i * STEER_POINTS + q,
                _mm256_fnmadd_ps(z, _mm256_load_ps(f + Z + q),
                                 _mm256_fnmadd_ps(y, _mm256_load_ps(f + Y + q),
                                                  _mm256_fnmsub_ps(x, _mm256_load_ps(f + q), s))));
    }
    return true;
}

/* ---- searches ---- */

WIDE void values_along(const float *f, vector d, __m256 value[4])
{
    for (int q = 0; q < 4; ++q)
        value[q] = _mm256_fmadd_ps(d.z, _mm256_load_ps(f + 2 * STEER_POINTS + 8 * q),
                                   _mm256_fmadd_ps(d.y, _mm256_load_ps(f + STEER_POINTS + 8 * q),
                                                   _mm256_mul_ps(d.x, _mm256_load_ps(f + 8 * q))));
}

/* The largest in lanes 0 to 3, with its place in the last five bits. Not a number: no vertex. */
WIDE __m128 coded_top(const __m256 value[4])
{
    const __m256 rest = _mm256_castsi256_ps(_mm256_set1_epi32(~31)), none = _mm256_set1_ps(-INFINITY);
    __m256 coded[4];
    for (int q = 0; q < 4; ++q)
        coded[q] =
            _mm256_or_ps(_mm256_and_ps(value[q], rest),
                         _mm256_castsi256_ps(_mm256_setr_epi32(8 * q, 8 * q + 1, 8 * q + 2, 8 * q + 3,
                                                               8 * q + 4, 8 * q + 5, 8 * q + 6, 8 * q + 7)));
    const __m256 top = _mm256_max_ps(_mm256_max_ps(coded[1], _mm256_max_ps(coded[0], none)),
                                     _mm256_max_ps(coded[3], _mm256_max_ps(coded[2], none)));
    return _mm_max_ps(_mm256_castps256_ps128(top), _mm256_extractf128_ps(top, 1));
}

/* Places of the vertices that are furthest along d, nearly: of a, and of b times 256. */
WIDE uint32_t search(const steer *k, vector d, values *out)
{
    values_along(k->a, d, out->a);
    values_along(k->b, d, out->b);
    const __m128 a = coded_top(out->a), b = coded_top(out->b);
    const __m128 two = _mm_max_ps(_mm_unpacklo_ps(a, b), _mm_unpackhi_ps(a, b));
    const __m128 top = _mm_max_ps(two, _mm_permute_ps(two, 0x4e));
    const uint64_t code = (uint64_t)_mm_cvtsi128_si64(_mm_castps_si128(top));
    return (uint32_t)(code & 31) | (uint32_t)(code >> 24 & 31 << 8);
}

WIDE vector point_at(const steer *k, uint32_t from)
{
    const float *a = k->a + (from & 255), *b = k->b + (from >> 8);
    return (vector){
        _mm256_add_ps(_mm256_broadcast_ss(a), _mm256_broadcast_ss(b)),
        _mm256_add_ps(_mm256_broadcast_ss(a + STEER_POINTS), _mm256_broadcast_ss(b + STEER_POINTS)),
        _mm256_add_ps(_mm256_broadcast_ss(a + 2 * STEER_POINTS), _mm256_broadcast_ss(b + 2 * STEER_POINTS))
    };
}

/* The number of the vertex at a place, and back: see abut_hull_set_floats. */
WIDE uint32_t vertex_at(uint32_t at)
{
    return (at & 3) | (at >> 3) << 2 | (at & 4) << 2;
}

WIDE uint32_t place_of(uint32_t vertex)
{
    return (vertex & 3) | (vertex & 12) << 1 | (vertex & 16) >> 2;
}

/* ---- the nearest point ---- */

typedef struct feature {
    vector v;      /* minus the nearest point, in all lanes */
    __m256 square; /* of its length, in all lanes */
    /* 0 … 2: the face to the corners in this lane and the next; 4 … 6: the edge; 7: the new
     * point */
    uint32_t which;
    bool holds; /* the origin is inside, to rounding */
} feature;

WIDE __m256 spread_least(__m256 a)
{
    a = _mm256_min_ps(a, _mm256_permute2f128_ps(a, a, 1));
    a = _mm256_min_ps(a, _mm256_permute_ps(a, 0x4e));
    return _mm256_min_ps(a, _mm256_permute_ps(a, 0xb1));
}

WIDE __m256 pick(__m256 face, __m256 edge)
{
    return _mm256_blend_ps(face, edge, 0xf0);
}

/* Of the simplex and the point a: faces in the lower lanes, edges and the corner in the upper
 * ones. */
WIDE feature find_nearest(const corners *c, vector a)
{
    const __m256 zero = _mm256_setzero_ps(), far = _mm256_set1_ps(0x1p100f), one = _mm256_set1_ps(1);
    const vector e = less(c->p, a), n = crosses(e, next(e)), g = crosses(a, e), to_edge = crosses(g, e);
    const __m256 ee = dots(e, e), ae = dots(a, e), nn = dots(n, n), height = dots(n, a), ng = dots(n, g),
                 gn = dots(n, next(g));
    /* Over the face: twice the areas beyond its edges, which sum up to nn. */
    const __m256 in_face =
        _mm256_and_ps(_mm256_and_ps(_mm256_cmp_ps(ng, zero, _CMP_GT_OQ), _mm256_cmp_ps(gn, zero, _CMP_LT_OQ)),
                      _mm256_and_ps(_mm256_cmp_ps(_mm256_sub_ps(ng, gn), nn, _CMP_LT_OQ),
                                    _mm256_and_ps(c->used, next_lane(c->used))));
    const __m256 in_edge = _mm256_and_ps(_mm256_and_ps(_mm256_cmp_ps(ae, zero, _CMP_LT_OQ), c->used),
                                         _mm256_cmp_ps(_mm256_add_ps(ae, ee), zero, _CMP_GT_OQ));
    const __m256 corner = _mm256_castsi256_ps(_mm256_setr_epi32(0, 0, 0, 0, 0, 0, 0, -1));
    const __m256 valid = _mm256_or_ps(pick(in_face, in_edge), corner);
    const __m256 per = _mm256_div_ps(one, _mm256_blend_ps(pick(nn, ee), one, 0x80));
    const __m256 part = _mm256_blend_ps(pick(_mm256_mul_ps(height, height), dots(g, g)), dots(a, a), 0x80);
    const __m256 rest = _mm256_castsi256_ps(_mm256_set1_epi32(~7)),
                 lane = _mm256_castsi256_ps(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    const __m256 square =
        _mm256_or_ps(_mm256_and_ps(_mm256_blendv_ps(far, _mm256_mul_ps(part, per), valid), rest), lane);
    const __m256 least = spread_least(square);
    const __m256 minus = _mm256_sub_ps(zero, height);
    const vector up = {
        _mm256_blend_ps(pick(_mm256_mul_ps(minus, n.x), to_edge.x), _mm256_sub_ps(zero, a.x), 0x80),
        _mm256_blend_ps(pick(_mm256_mul_ps(minus, n.y), to_edge.y), _mm256_sub_ps(zero, a.y), 0x80),
        _mm256_blend_ps(pick(_mm256_mul_ps(minus, n.z), to_edge.z), _mm256_sub_ps(zero, a.z), 0x80)
    };
    const vector v = times(per, up);
    const __m256i at = _mm256_castps_si256(least); /* permuting examines three bits */
    feature f;
    f.v = (vector){ _mm256_permutevar8x32_ps(v.x, at), _mm256_permutevar8x32_ps(v.y, at),
                    _mm256_permutevar8x32_ps(v.z, at) };
    f.square = least;
    f.which = (uint32_t)_mm_cvtsi128_si32(_mm256_castsi256_si128(at)) & 7;
    /* Inside of a face is where its third corner is; to rounding, the volume is the same in all
     * three lanes. */
    const __m256 volume = dots(e, next(n));
    f.holds = c->count == 3 && (_mm256_movemask_ps(_mm256_xor_ps(volume, height)) & 7) == 7;
    return f;
}

#define STEER_PUT(i)                                                                                      \
    {                                                                                                     \
        (i) == 0 ? -1 : 0, (i) == 1 ? -1 : 0, (i) == 2 ? -1 : 0, 0, (i) == 0 ? -1 : 0, (i) == 1 ? -1 : 0, \
            (i) == 2 ? -1 : 0, 0                                                                          \
    }
#define STEER_TWO(i)                                                                                      \
    {                                                                                                     \
        (i) != 1 ? -1 : 0, (i) != 2 ? -1 : 0, (i) != 0 ? -1 : 0, 0, (i) != 1 ? -1 : 0, (i) != 2 ? -1 : 0, \
            (i) != 0 ? -1 : 0, 0                                                                          \
    }
#define STEER_ALL                    \
    {                                \
        -1, -1, -1, 0, -1, -1, -1, 0 \
    }

/* The new point goes to the lane after those that are kept, in the order round. By feature: that
 * lane, and all that are then in use. */
WIDE void keep(corners *c, uint32_t which, vector a, uint32_t from)
{
    static const int32_t put[8][8]
        __attribute__((aligned(32))) = { STEER_PUT(2), STEER_PUT(0), STEER_PUT(1), STEER_PUT(0),
                                         STEER_PUT(1), STEER_PUT(2), STEER_PUT(0), STEER_PUT(0) };
    static const int32_t used[8][8]
        __attribute__((aligned(32))) = { STEER_ALL,    STEER_ALL,    STEER_ALL,    STEER_PUT(0),
                                         STEER_TWO(0), STEER_TWO(1), STEER_TWO(2), STEER_PUT(0) };
    static const uint8_t count[8] = { 3, 3, 3, 1, 2, 2, 2, 1 };
    const __m256 here = _mm256_load_ps((const float *)(const void *)put[which]);
    c->p = (vector){ _mm256_blendv_ps(c->p.x, a.x, here), _mm256_blendv_ps(c->p.y, a.y, here),
                     _mm256_blendv_ps(c->p.z, a.z, here) };
    c->from = _mm256_blendv_epi8(c->from, _mm256_set1_epi32((int)from), _mm256_castps_si256(here));
    c->used = _mm256_load_ps((const float *)(const void *)used[which]);
    c->count = count[which];
}

#include "base/avx2_end.h"

#endif

#endif
