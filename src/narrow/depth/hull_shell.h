/* SPDX-License-Identifier: MIT */
/* The growing polytope of two hulls (depth_hulls.c): a closed surface of triangles over points of
 * K, for AVX2. To be included where that unit is switched on.
 *
 * Faces know their corners, not their neighbours. The rim of those that see a point are the
 * edges that are not there the other way round; since each edge of the surface is there once
 * each way and no vertex may be twice on a rim, it stays so. */
#ifndef ABUT_NARROW_DEPTH_HULL_SHELL_H
#define ABUT_NARROW_DEPTH_HULL_SHELL_H

#include "abut/predicates.h"
#include "narrow/distance/convex.h"
#include "shape/hull/hull_scan.h"

#include <string.h>

#define WIDE static inline __attribute__((always_inline))

enum { POINTS = 64, LANES = 4, FACES = 128, AT_ONCE = 4, TRIES = 3 };

/* What fills up a group of four; a place for a point that is no corner. */
enum { NO_FACE = FACES, SPARE = POINTS + 1 };

/* Below this sine of an angle the normal of a triangle is mostly rounding. */
static const double thin = 0x1p-40;

typedef struct plane_block {
    double x[LANES], y[LANES], z[LANES]; /* normals, unit to rounding */
    /* least n . v of the corners, to rounding; infinity: no face */
    double d[LANES];
} plane_block;

typedef struct shell {
    plane_block plane[FACES / LANES];
    double w[POINTS + 2][LANES]; /* points of K, and 0 */
    /* bytes a, b, c, a, counter-clockwise from outside */
    uint32_t corner[FACES + 1];
    uint8_t of_a[POINTS + 2], of_b[POINTS + 2]; /* vertices that the points are differences of */
    const abut_hull *a, *b;
    __m256d column[3], row[3], t; /* how b is placed */
    double error;
    uint32_t point_count, face_count, supports;
    bool around; /* proved: the surface winds around the origin */
    /* The least f = max over K of u . w seen. */
    double f;
    __m256d u;
    uint32_t best; /* the point found there */
} shell;

/* A face and its distance. */
typedef struct nearest {
    double d;
    uint32_t face;
} nearest;

WIDE __m256d spread(__m256d a, const int lane)
{
    return lane == 0   ? _mm256_permute4x64_pd(a, 0x00)
           : lane == 1 ? _mm256_permute4x64_pd(a, 0x55)
                       : _mm256_permute4x64_pd(a, 0xaa);
}

/* In the order of abut_dot; the last lane is not examined. */
WIDE double dot(__m256d a, __m256d b)
{
    const __m256d p = _mm256_mul_pd(a, b);
    return p[0] + p[1] + p[2];
}

WIDE __m256d combine(const __m256d v[3], __m256d x, __m256d y, __m256d z)
{
    return _mm256_add_pd(_mm256_add_pd(_mm256_mul_pd(v[0], x), _mm256_mul_pd(v[1], y)),
                         _mm256_mul_pd(v[2], z));
}

/* ---- planes ---- */

typedef struct four {
    __m256d x, y, z;
} four;

typedef struct four_planes {
    four n;
    __m256d d;
    unsigned wide; /* bit k: triangle k is not too thin for its normal */
    /* bit k: it is counter-clockwise seen from the origin, which is behind it: proved */
    unsigned sure;
} four_planes;

WIDE four take_four(const double *a, const double *b, const double *c, const double *d)
{
    const __m256d r0 = _mm256_load_pd(a), r1 = _mm256_load_pd(b), r2 = _mm256_load_pd(c),
                  r3 = _mm256_load_pd(d);
    const __m256d lo = _mm256_unpacklo_pd(r0, r1), hi = _mm256_unpackhi_pd(r0, r1),
                  lo2 = _mm256_unpacklo_pd(r2, r3), hi2 = _mm256_unpackhi_pd(r2, r3);
    return (four){ _mm256_permute2f128_pd(lo, lo2, 0x20), _mm256_permute2f128_pd(hi, hi2, 0x20),
                   _mm256_permute2f128_pd(lo, lo2, 0x31) };
}

WIDE four all_four(__m256d w)
{
    return (four){ spread(w, 0), spread(w, 1), spread(w, 2) };
}

WIDE __m256d dot_four(four a, four b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* n = e x g is off by 6 u |e| |g|, and n . w, which is the determinant of the corners, by 3.1 u
 * |n| |w| more: together below 2^-49 |e| |g| |w|. 2^-1000 is for what underflows. */
WIDE four_planes planes_of(four a, four b, four w)
{
    const four e = { a.x - w.x, a.y - w.y, a.z - w.z }, g = { b.x - w.x, b.y - w.y, b.z - w.z };
    const four c = { e.y * g.z - e.z * g.y, e.z * g.x - e.x * g.z, e.x * g.y - e.y * g.x };
    const __m256d square = dot_four(c, c), sizes = dot_four(e, e) * dot_four(g, g);
    const __m256d s = 1 / _mm256_sqrt_pd(square), at_w = dot_four(c, w);
    const __m256d least = _mm256_min_pd(_mm256_min_pd(dot_four(c, a), dot_four(c, b)), at_w);
    const __m256d sure =
        _mm256_and_pd(_mm256_cmp_pd(at_w * at_w, sizes * dot_four(w, w) * 0x1p-98 + 0x1p-1000, _CMP_GT_OQ),
                      _mm256_cmp_pd(at_w, _mm256_setzero_pd(), _CMP_GT_OQ));
    return (
        four_planes){ { s * c.x, s * c.y, s * c.z },
                      s * least,
                      (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(square, sizes * (thin * thin), _CMP_GT_OQ)),
                      (unsigned)_mm256_movemask_pd(sure) };
}

WIDE void put_block(shell *s, uint32_t block, const four_planes *p)
{
    plane_block *to = &s->plane[block];
    _mm256_store_pd(to->x, p->n.x);
    _mm256_store_pd(to->y, p->n.y);
    _mm256_store_pd(to->z, p->n.z);
    _mm256_store_pd(to->d, p->d);
}

/* Three corners in the bytes of a word, with the first once more, so that each edge is in two
 * that follow each other. */
WIDE uint32_t corners_of(uint32_t a, uint32_t b, uint32_t c)
{
    return a | b << 8 | c << 16 | a << 24;
}

/* ---- the least distance ---- */

/* In each lane the least seen and where. */
typedef struct record {
    __m256d key, place;
} record;

WIDE void note(record *r, __m256d key, __m256d place)
{
    r->place = _mm256_blendv_pd(r->place, place, _mm256_cmp_pd(key, r->key, _CMP_LT_OQ));
    r->key = _mm256_min_pd(key, r->key);
}

WIDE __m256d spread_least(__m256d a)
{
    a = _mm256_min_pd(a, _mm256_permute2f128_pd(a, a, 1));
    return _mm256_min_pd(a, _mm256_permute_pd(a, 5));
}

WIDE nearest first_of(const record *r)
{
    const __m256d key = spread_least(r->key);
    const unsigned equal = (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(r->key, key, _CMP_EQ_OQ));
    double place[LANES];
    _mm256_storeu_pd(place, r->place);
    return (nearest){ _mm256_cvtsd_f64(key), (uint32_t)place[__builtin_ctz(equal | 8)] };
}

static abut_vec3 point_of(const double w[LANES])
{
    return abut_v3(w[0], w[1], w[2]);
}

/* As abut_polytope_prove, for a surface whose least d is above 2 error. */
static bool prove(const shell *s)
{
    const abut_vec3 zero = { 0, 0, 0 };
    bool some = false;
    for (uint32_t i = 0; i < s->face_count; ++i) {
        const uint32_t c = s->corner[i];
        if (s->plane[i / LANES].d[i % LANES] == INFINITY)
            continue;
        const int sign = abut_orient3d(point_of(s->w[c & 255]), point_of(s->w[c >> 8 & 255]),
                                       point_of(s->w[c >> 16 & 255]), zero);
        if (sign < 0)
            return false;
        some |= sign > 0;
    }
    return some;
}

/* ---- growth ---- */

/* Faces to remove, in whose places those of the fan come, and edges of their rim; tail and head
 * of an edge are the bytes of a number. Both are filled up to groups of eight. */
typedef struct rim {
    uint32_t edges;
    uint8_t face[FACES + 2 * LANES];
    uint16_t edge[3 * FACES + 2 * LANES];
} rim;

/* The faces that see w, and the nearest of the others. Sixteen at once, so that the number of
 * rounds can be foreseen. */
WIDE void find_seen(const shell *s, four w, uint64_t seen[2], record *others)
{
    const __m256d slack = _mm256_set1_pd(s->error), none = _mm256_set1_pd(INFINITY),
                  low = _mm256_set1_pd(s->around ? 2 * s->error : -INFINITY), step = _mm256_set1_pd(LANES);
    __m256d place = _mm256_set_pd(3, 2, 1, 0);
    record r = { none, place };
    seen[0] = seen[1] = 0;
    for (uint32_t i = 0; i < s->face_count; i += AT_ONCE * LANES) {
        const plane_block *p = &s->plane[i / LANES];
        uint32_t bits = 0;
        for (int k = 0; k < AT_ONCE; ++k, ++p, place += step) {
            const four n = { _mm256_load_pd(p->x), _mm256_load_pd(p->y), _mm256_load_pd(p->z) };
            const __m256d d = _mm256_load_pd(p->d);
            const __m256d sees = _mm256_and_pd(_mm256_cmp_pd(dot_four(n, w), d + slack, _CMP_GT_OQ),
                                               _mm256_cmp_pd(d, low, _CMP_GT_OQ));
            bits |= (uint32_t)_mm256_movemask_pd(sees) << k * LANES;
            note(&r, _mm256_blendv_pd(d, none, sees), place);
        }
        seen[i / 64] |= (uint64_t)bits << i % 64;
    }
    *others = r;
}

/* The rim is what edges are not there the other way round. False where a vertex is twice on it,
 * or there is no room. */
static __attribute__((noinline)) bool find_any_rim(shell *s, const uint64_t seen[2], rim *r)
{
    uint64_t away[POINTS] = { 0 }, tails = 0; /* ends of the edges that leave a vertex */
    uint32_t removed = 0, edges = 0;
    for (uint32_t word = 0; word < 2; ++word)
        for (uint64_t left = seen[word]; left; left &= left - 1)
            r->face[removed++] = (uint8_t)(word * 64 + (uint32_t)__builtin_ctzll(left));
    for (uint32_t k = 0; k < removed; ++k)
        for (int i = 0; i < 3; ++i) {
            const uint32_t edge = s->corner[r->face[k]] >> 8 * i & 0xffff;
            away[edge & 255] |= (uint64_t)1 << (edge >> 8);
        }
    for (uint32_t k = 0; k < removed; ++k)
        for (int i = 0; i < 3; ++i) {
            const uint32_t edge = s->corner[r->face[k]] >> 8 * i & 0xffff;
            const uint64_t single = ~(away[edge >> 8] >> (edge & 255)) & 1;
            r->edge[edges] = (uint16_t)edge;
            edges += (uint32_t)single;
            tails |= single << (edge & 255);
        }
    if (edges < 3 || (uint32_t)__builtin_popcountll(tails) != edges ||
        s->face_count + edges > FACES + removed)
        return false;
    for (uint32_t k = edges; k < removed; ++k)
        s->plane[r->face[k] / LANES].d[r->face[k] % LANES] = INFINITY;
    for (uint32_t k = removed; k < edges; ++k)
        r->face[k] = (uint8_t)s->face_count++;
    for (uint32_t k = edges; k % (2 * LANES); ++k) {
        r->face[k] = r->face[0];
        r->edge[k] = r->edge[0];
    }
    r->edges = edges;
    return true;
}

/* The same for up to four of the first 64 faces, as nearly always: each edge is compared with
 * those of the other three. Where they are no disc, with two edges more than faces, false is for
 * the other way. */
WIDE bool find_rim(shell *s, uint64_t seen, rim *r)
{
    static const uint32_t kept[LANES + 1] = { 0, 0x00010005, 0x00110055, 0x01110555, 0x11115555 };
    const uint32_t removed = (uint32_t)__builtin_popcountll(seen), count = s->face_count;
    if (removed > LANES || count > 62)
        return false;
    uint64_t faces = 0; /* a byte each */
    uint32_t corner[LANES];
    for (int k = 0; k < LANES; ++k, seen &= seen - 1) {
        const uint32_t face = seen ? (uint32_t)__builtin_ctzll(seen) : NO_FACE;
        corner[k] = s->corner[face];
        faces |= (uint64_t)face << 8 * k;
    }
    /* Lane k of the corners is a, b, c, a of face k, or zeros. Numbers: a b and b c of each
     * face, then c a of each, and nothing. */
    const __m128i corners = _mm_set_epi32((int)corner[3], (int)corner[2], (int)corner[1], (int)corner[0]);
    const __m256i both = _mm256_broadcastsi128_si256(corners);
    const __m256i edge =
        _mm256_shuffle_epi8(both, _mm256_setr_epi8(0, 1, 1, 2, 4, 5, 5, 6, 8, 9, 9, 10, 12, 13, 13, 14, 2, 3,
                                                   -1, -1, 6, 7, -1, -1, 10, 11, -1, -1, 14, 15, -1, -1));
    __m256i twice = _mm256_setzero_si256();
    for (int j = 0; j < 3; ++j) {
        /* Edge j backwards, of face k in both halves of lane k; then of the next ones. */
        const __m256i back = _mm256_shuffle_epi8(
            both, _mm256_add_epi8(_mm256_set1_epi8((char)j),
                                  _mm256_setr_epi8(1, 0, 1, 0, 5, 4, 5, 4, 9, 8, 9, 8, 13, 12, 13, 12, 1, 0,
                                                   1, 0, 5, 4, 5, 4, 9, 8, 9, 8, 13, 12, 13, 12)));
        const __m256i one = _mm256_cmpeq_epi16(edge, _mm256_shuffle_epi32(back, 0x39)),
                      two = _mm256_cmpeq_epi16(edge, _mm256_shuffle_epi32(back, 0x4e)),
                      three = _mm256_cmpeq_epi16(edge, _mm256_shuffle_epi32(back, 0x93));
        twice = _mm256_or_si256(twice, _mm256_or_si256(one, _mm256_or_si256(two, three)));
    }
    /* Two bits for each number, of which one is kept; those of faces that are none are left out. */
    uint32_t single = ~(uint32_t)_mm256_movemask_epi8(twice) & kept[removed];
    uint16_t number[16];
    _mm256_storeu_si256((__m256i *)(void *)number, edge);
    if ((uint32_t)__builtin_popcount(single) != removed + 2)
        return false;
    uint64_t tails = 0;
    const uint32_t first = (uint32_t)__builtin_ctz(single) / 2, edges = removed + 2;
    for (uint32_t i = 0; i < edges; i += LANES)
        for (uint32_t k = i; k < i + LANES; ++k, single &= single - 1) {
            const uint16_t e = number[single ? (uint32_t)__builtin_ctz(single) / 2 : first];
            r->edge[k] = e;
            tails |= (uint64_t)1 << (e & 255);
        }
    const uint64_t first_face = (faces & 255) * 0x0101010101010101u;
    faces &= ((uint64_t)1 << 8 * removed) - 1;
    faces |= (uint64_t)(count | (count + 1) << 8) << 8 * removed | first_face << 8 * edges;
    if ((uint32_t)__builtin_popcountll(tails) != edges)
        return false;
    memcpy(r->face, &faces, sizeof faces);
    r->edges = edges;
    s->face_count = count + 2;
    return true;
}

/* Four faces from edges to the point w, number `apex`: written to their places. */
WIDE four_planes put_four(shell *s, const uint16_t edge[LANES], const uint8_t face[LANES], four w,
                          uint32_t apex)
{
    const four a = take_four(s->w[edge[0] & 255], s->w[edge[1] & 255], s->w[edge[2] & 255],
                             s->w[edge[3] & 255]),
               b = take_four(s->w[edge[0] >> 8], s->w[edge[1] >> 8], s->w[edge[2] >> 8], s->w[edge[3] >> 8]);
    const four_planes p = planes_of(a, b, w);
    for (int i = 0; i < LANES; ++i) {
        plane_block *to = &s->plane[face[i] / LANES];
        const uint32_t lane = face[i] % LANES;
        to->x[lane] = p.n.x[i];
        to->y[lane] = p.n.y[i];
        to->z[lane] = p.n.z[i];
        to->d[lane] = p.d[i];
        s->corner[face[i]] = corners_of(edge[i] & 255, edge[i] >> 8, apex);
    }
    return p;
}

/* Replaces the faces that see point `point_count` by a fan to it; *next: the nearest face then.
 * False where that is not to be done here. */
WIDE bool grow(shell *s, __m256d w, nearest *next)
{
    rim r;
    uint64_t seen[2];
    record others;
    if (!(next->d > 2 * s->error))
        s->around = false; /* it is removed all the same: the winding is to be proved anew */
    const four at = all_four(w);
    find_seen(s, at, seen, &others);
    if (s->point_count == POINTS || (!find_rim(s, seen[0], &r) && !find_any_rim(s, seen, &r)))
        return false;
    const uint32_t apex = s->point_count++;
    *next = first_of(&others);
    unsigned wide = 15;
    for (uint32_t k = 0; k < r.edges; k += LANES) {
        const four_planes p = put_four(s, r.edge + k, r.face + k, at, apex);
        wide &= p.wide;
        const __m256d least = spread_least(p.d);
        const unsigned equal = (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(p.d, least, _CMP_EQ_OQ));
        const double d = _mm256_cvtsd_f64(least);
        const uint32_t face = r.face[k + (uint32_t)__builtin_ctz(equal | 1u << 3)];
        next->face = d < next->d ? face : next->face;
        next->d = d < next->d ? d : next->d;
    }
    return wide == 15;
}

#endif
