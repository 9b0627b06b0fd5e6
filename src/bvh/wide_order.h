/* SPDX-License-Identifier: MIT */
/* The order of triangles in a wide tree: groups of 8, of 64, of 512 ... that are near each other.
 * Included once for each vector unit.
 *
 * Parted again and again at a multiple of the largest group that is smaller, across the axis on
 * which the centres spread most, so that all groups are full but the last. The coordinate that
 * stands where the two parts meet is found exactly, among all or, where they are many, among
 * those that a sample says are near it; then items go to and fro between two arrays, each once
 * in every parting, without branches. Few items are ranked instead, each compared with each. Any
 * order makes a right tree: that rounds are bounded costs nothing but speed. */
#include "bvh/wide.h"

#include <float.h>
#include <math.h>
#include <string.h>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif
#if WIDE_AVX2
#include <immintrin.h>
#endif

/* FEW items are ranked. SEEN keys are examined as they are: 8 kB. Of more a sample of SAMPLE
 * is, and those of all are taken that are SPARE of the sample to either side of where the place
 * seems to be, about three deviations of a median of so many. Below LAST keys the one searched for
 * is found by comparing each with each. */
enum { FEW = 64, SEEN = 2048, SAMPLE = 1024, SPARE = SAMPLE / 20, LAST = 32, GUESSES = 4, ROUNDS = 64 };

typedef float quad __attribute__((vector_size(16)));

static inline quad quad_of(const wide_item *item)
{
    quad q;
    memcpy(&q, item, sizeof q);
    return q;
}

/* ---- how far items spread ---- */

/* From `low` on to below `high`. */
typedef struct bracket {
    float low, high;
} bracket;

/* The number in the last place may look like anything. */
static inline void widen(quad *lo, quad *hi, quad x)
{
#if defined(__SSE__)
    *lo = _mm_min_ps(x, *lo);
    *hi = _mm_max_ps(x, *hi);
#else
    for (int k = 0; k < 3; ++k) {
        (*lo)[k] = x[k] < (*lo)[k] ? x[k] : (*lo)[k];
        (*hi)[k] = x[k] > (*hi)[k] ? x[k] : (*hi)[k];
    }
#endif
}

/* The axis on which items spread most, and from where to where, both included. Not from a
 * sample: where two axes are alike the same one is to be taken by all. */
static int widest(const wide_item *items, size_t count, bracket *range)
{
    quad low = quad_of(items), high = low;
    size_t i = 0;
#if WIDE_AVX2
    /* Four at a time: a minimum waits for the one before. */
    __m256 lo[2], hi[2];
    lo[0] = lo[1] = hi[0] = hi[1] = _mm256_set_m128(low, low);
    for (; i + 4 <= count; i += 4)
        for (int k = 0; k < 2; ++k) {
            const __m256 x = _mm256_loadu_ps(items[i + 2 * (size_t)k].at);
            lo[k] = _mm256_min_ps(x, lo[k]);
            hi[k] = _mm256_max_ps(x, hi[k]);
        }
    for (int k = 0; k < 2; ++k) {
        low = _mm_min_ps(low, _mm_min_ps(_mm256_castps256_ps128(lo[k]), _mm256_extractf128_ps(lo[k], 1)));
        high = _mm_max_ps(high, _mm_max_ps(_mm256_castps256_ps128(hi[k]), _mm256_extractf128_ps(hi[k], 1)));
    }
#endif
    for (; i < count; ++i)
        widen(&low, &high, quad_of(&items[i]));
    const quad spread = high - low;
    int axis = spread[1] > spread[0] ? 1 : 0;
    axis = spread[2] > spread[axis] ? 2 : axis;
    *range = (bracket){ low[axis], high[axis] };
    return axis;
}

/* ---- few items ---- */

typedef int16_t words __attribute__((vector_size(32)));

/* Ranks of n keys that are all different; n is 16, 32 or FEW, and known to the compiler. */
static inline void rank_keys(const int16_t *key, int16_t *rank, int n)
{
    words k[4] = { { 0 } }, a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };
    memcpy(k, key, (size_t)n * sizeof *key);
    const words ka = k[0], kb = k[1], kc = k[2], kd = k[3];
    for (int i = 0; i < n; ++i) {
        const words one = (words){ 0 } + key[i];
        a -= one < ka;
        if (n > 16)
            b -= one < kb;
        if (n > 32) {
            c -= one < kc;
            d -= one < kd;
        }
    }
    k[0] = a;
    k[1] = b;
    k[2] = c;
    k[3] = d;
    memcpy(rank, k, (size_t)n * sizeof *rank);
}

/* At most FEW items, in the order of their coordinates to a thousandth of the range, and of
 * their places where those are the same. */
static void sort_few(const wide_item *from, wide_item *to, size_t count, int axis, bracket range)
{
    _Alignas(32) int16_t key[FEW], rank[FEW];
    const float width = range.high - range.low;
    const float scale = width > 0x1p-100F ? 1023 / width : 0;
    for (size_t i = 0; i < count; ++i)
        key[i] = (int16_t)(((int)((from[i].at[axis] - range.low) * scale) * FEW + (int)i) - 32768);
    const size_t full = count <= 16 ? 16 : count <= 32 ? 32 : FEW;
    for (size_t i = count; i < full; ++i)
        key[i] = INT16_MAX;
    if (full == 16)
        rank_keys(key, rank, 16);
    else if (full == 32)
        rank_keys(key, rank, 32);
    else
        rank_keys(key, rank, FEW);
    for (size_t i = 0; i < count; ++i) {
        const quad item = quad_of(&from[i]);
        memcpy(&to[rank[i]], &item, sizeof item);
    }
}

/* ---- the coordinate that stands at a place ---- */

/* Coordinates of every step-th item. */
static size_t take_keys(const wide_item *items, size_t count, size_t step, int axis, float *keys)
{
    size_t n = 0;
    if (step == 1) { /* of this compilers make vectors */
        for (; n < count; ++n)
            keys[n] = items[n].at[axis];
        return n;
    }
    for (size_t i = 0; i < count; i += step)
        keys[n++] = items[i].at[axis];
    return n;
}

#if WIDE_AVX2
static inline __m128 four_keys(const wide_item *items, int axis)
{
    return _mm_set_ps(items[3].at[axis], items[2].at[axis], items[1].at[axis], items[0].at[axis]);
}

/* Writes those of the four that are in the bracket, and anything after them. */
static inline size_t write_within(__m128 x, __m128 low, __m128 high, float *keys)
{
    static const int32_t to_front[16][4] = {
        { 0, 0, 0, 0 }, { 0, 0, 0, 0 }, { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 2, 0, 0, 0 }, { 0, 2, 0, 0 },
        { 1, 2, 0, 0 }, { 0, 1, 2, 0 }, { 3, 0, 0, 0 }, { 0, 3, 0, 0 }, { 1, 3, 0, 0 }, { 0, 1, 3, 0 },
        { 2, 3, 0, 0 }, { 0, 2, 3, 0 }, { 1, 2, 3, 0 }, { 0, 1, 2, 3 },
    };
    const __m128 within = _mm_andnot_ps(_mm_cmplt_ps(x, low), _mm_cmplt_ps(x, high));
    const unsigned bits = (unsigned)_mm_movemask_ps(within);
    _mm_storeu_ps(keys, _mm_permutevar_ps(x, _mm_loadu_si128((const __m128i *)(const void *)to_front[bits])));
    return 0x4332322132212110u >> 4 * bits & 7;
}
#endif

/* Those in the bracket; how many are below it. */
static size_t take_within(const wide_item *items, size_t count, int axis, bracket b, float *keys,
                          size_t *under)
{
    size_t n = 0, below = 0, i = 0;
#if WIDE_AVX2
    const __m128 low = _mm_set1_ps(b.low), high = _mm_set1_ps(b.high);
    __m128i sum = _mm_setzero_si128();
    for (; i + 4 <= count; i += 4) {
        const __m128 x = four_keys(items + i, axis);
        sum = _mm_sub_epi32(sum, _mm_castps_si128(_mm_cmplt_ps(x, low)));
        n += write_within(x, low, high, keys + n);
    }
    for (int k = 0; k < 4; ++k)
        below += (uint32_t)((const int32_t *)(const void *)&sum)[k];
#endif
    for (; i < count; ++i) {
        const float x = items[i].at[axis];
        keys[n] = x;
        n += (x >= b.low) & (x < b.high);
        below += x < b.low;
    }
    *under = below;
    return n;
}

static size_t count_below(const float *keys, size_t count, float x)
{
    int32_t below[16] = { 0 };
    size_t i = 0;
    for (; i + 16 <= count; i += 16)
        for (int k = 0; k < 16; ++k)
            below[k] += keys[i + (size_t)k] < x;
    int32_t sum = 0;
    for (int k = 0; k < 16; ++k)
        sum += below[k];
    for (; i < count; ++i)
        sum += keys[i] < x;
    return (size_t)sum;
}

/* The numbers of floats, in their order; 0 and -0 have one. */
static int32_t number_of(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits < 0 ? INT32_MIN - bits : bits;
}

static float float_of(int32_t number)
{
    const int32_t bits = number < 0 ? INT32_MIN - number : number;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static float next_above(float x)
{
    return float_of(number_of(x) + 1);
}

/* A bracket of keys, and how many of all are below its ends. */
typedef struct hold {
    bracket b;
    size_t below, within;
} hold;

/* A float inside; there is one. As if keys lay evenly, or halfway by the numbers of floats,
 * which ends after 32 times whatever they are. */
static float guess_inside(const hold *h, float place, bool halve)
{
    const float share = (place - (float)h->below) / (float)(h->within - h->below);
    const float guess = h->b.low + (h->b.high - h->b.low) * share;
    if (!halve && guess > h->b.low && guess < h->b.high)
        return guess;
    return float_of((int32_t)(((int64_t)number_of(h->b.low) + number_of(h->b.high)) >> 1));
}

static bool is_open(const hold *h)
{
    return (int64_t)number_of(h->b.high) - number_of(h->b.low) > 1;
}

/* Narrows a bracket to where `place` is, down to `most` keys, from both sides: guesses err by
 * about the root of the number. */
static void narrow(const float *keys, size_t count, size_t place, size_t most, int guesses, hold *h)
{
    for (int i = 0; i < guesses && h->within - h->below > most && is_open(h); ++i) {
        const float aside = sqrtf((float)(h->within - h->below)) * ((i & 1) ? 0.75F : -0.75F);
        const float guess = guess_inside(h, (float)place + 0.5F + aside, i % 3 == 2);
        const size_t n = count_below(keys, count, guess);
        if (n <= place) {
            h->b.low = guess;
            h->below = n;
        } else {
            h->b.high = guess;
            h->within = n;
        }
    }
}

/* Keys of the bracket to the front. */
static size_t keep_within(float *keys, size_t count, bracket b)
{
    size_t n = 0, i = 0;
#if WIDE_AVX2
    const __m128 low = _mm_set1_ps(b.low), high = _mm_set1_ps(b.high);
    for (; i + 4 <= count; i += 4)
        n += write_within(_mm_loadu_ps(keys + i), low, high, keys + n);
#endif
    for (; i < count; ++i) {
        const float x = keys[i];
        keys[n] = x;
        n += (x >= b.low) & (x < b.high);
    }
    return n;
}

/* The key at `place` in the order of all, and how many are below it and how many are like it. */
static float key_at(float *keys, size_t count, size_t place, bracket range, size_t *below, size_t *alike)
{
    hold h = { { range.low, next_above(range.high) }, 0, count };
    size_t under = 0;
    for (int round = 0; round < ROUNDS && count > LAST && is_open(&h); ++round) {
        narrow(keys, count, place, count / 8 > LAST ? count / 8 : LAST, GUESSES, &h);
        count = keep_within(keys, count, h.b);
        under += h.below;
        place -= h.below;
        h.below = 0;
        h.within = count;
    }
    for (size_t i = 0; i < count; ++i) {
        size_t less = 0, same = 0;
        for (size_t k = 0; k < count; ++k) {
            less += keys[k] < keys[i];
            same += keys[k] == keys[i];
        }
        if (less <= place && place < less + same) {
            *below = under + less;
            *alike = same;
            return keys[i];
        }
    }
    *below = under;
    *alike = count;
    return h.b.low;
}

/* ---- parting ---- */

/* The next free places from the front and behind those from the back. */
typedef struct hole {
    size_t first, last;
} hole;

/* Items below x to the front of the hole, the others to its back, in reverse. */
static hole spread_items(const wide_item *from, size_t count, int axis, float x, wide_item *to, hole h)
{
    const wide_item *const end = from + count;
    wide_item *first = to + h.first, *last = to + h.last;
#if WIDE_AVX2
    /* Two at a time, as long as what is written at one end cannot reach the other. */
    const size_t room = h.last - h.first < 4 ? 0 : (h.last - h.first) / 2 - 1,
                 pairs = count / 2 < room ? count / 2 : room;
    const __m256 limit = _mm256_set1_ps(x);
    const __m256i lane = _mm256_set1_epi32(axis);
    const unsigned both = 0x11U << axis;
    for (const wide_item *const stop = from + 2 * pairs; from < stop; from += 2) {
        const __m256 two = _mm256_loadu_ps(from->at);
        const __m256 below = _mm256_cmp_ps(two, limit, _CMP_LT_OQ);
        const __m256 turned = _mm256_permute2f128_ps(two, two, 1);
        /* The first one is below: as they are. Else the other may be, and if not it comes
         * before. */
        const __m256 sorted = _mm256_blendv_ps(turned, two, _mm256_permutevar8x32_ps(below, lane));
        _mm256_storeu_ps(first->at, sorted);
        _mm256_storeu_ps(last[-2].at, sorted);
        const int n = __builtin_popcount((unsigned)_mm256_movemask_ps(below) & both);
        first += n;
        last += n - 2;
    }
#endif
    for (; from < end; ++from) {
        const quad item = quad_of(from);
        const bool below = from->at[axis] < x;
        memcpy(first, &item, sizeof item);
        memcpy(last - 1, &item, sizeof item);
        first += below;
        last -= !below;
    }
    return (hole){ (size_t)(first - to), (size_t)(last - to) };
}

/* The place after that of the n-th item that is at x. */
static size_t behind_alike(const wide_item *items, size_t count, int axis, float x, size_t n)
{
    size_t i = 0;
#if WIDE_AVX2
    const __m128 at = _mm_set1_ps(x);
    for (; i + 4 <= count; i += 4) {
        const unsigned bits = (unsigned)_mm_movemask_ps(_mm_cmpeq_ps(four_keys(items + i, axis), at));
        const size_t more = 0x4332322132212110u >> 4 * bits & 7;
        if (more >= n)
            break;
        n -= more;
    }
#endif
    while (i < count && n > 0)
        n -= items[i++].at[axis] == x;
    return i;
}

/* Where the sample says that the place is: SPARE of it to either side. */
static bracket examine_sample(const wide_item *items, size_t count, size_t place, int axis, bracket range)
{
    float keys[SEEN];
    const size_t n = take_keys(items, count, count / SAMPLE, axis, keys);
    const size_t at = (size_t)((double)place / (double)count * (double)n);
    hold low = { { range.low, next_above(range.high) }, 0, n }, high = low;
    narrow(keys, n, at > SPARE ? at - SPARE : 0, SPARE / 2, 12, &low);
    narrow(keys, n, at + SPARE < n ? at + SPARE : n - 1, SPARE / 2, 12, &high);
    return (bracket){ low.b.low, high.b.high };
}

/* The first `left` of `to` are not above the others. */
static void part(const wide_item *from, wide_item *to, size_t count, size_t left, int axis, bracket range)
{
    if (count <= FEW) {
        sort_few(from, to, count, axis, range);
        return;
    }
    float some[SEEN], *keys = some, x;
    size_t n = 0, under = 0, below, alike;
    if (count > SEEN) {
        keys = (float *)(void *)to; /* room for four a place, and for what is written beyond */
        const bracket b = examine_sample(from, count, left, axis, range);
        n = take_within(from, count, axis, b, keys, &under);
        range = (bracket){ b.low, b.high };
    }
    if (n == 0 || left < under || left >= under + n) {
        under = 0;
        n = take_keys(from, count, 1, axis, keys);
        if (count > SEEN)
            range = (bracket){ -FLT_MAX, FLT_MAX };
    }
    x = key_at(keys, n, left - under, range, &below, &alike);
    below += under;
    /* Of those that are at x, the first so many go to the front: up to there what is at x is
     * below. */
    size_t mixed = 0;
    if (below < left)
        mixed = below + alike == left ? count : behind_alike(from, count, axis, x, left - below);
    const hole rest = spread_items(from, mixed, axis, next_above(x), to, (hole){ 0, count });
    spread_items(from + mixed, count - mixed, axis, x, to, rest);
}

static void order_items(wide_item *items, wide_item *scratch, size_t count)
{
    struct {
        size_t begin, count;
        bool moved; /* to scratch */
    } stack[3 * WIDE_LEVELS + 8];
    size_t depth = 0;
    stack[depth].begin = 0;
    stack[depth].count = count;
    stack[depth++].moved = false;
    while (depth) {
        const size_t begin = stack[--depth].begin, n = stack[depth].count;
        const bool moved = stack[depth].moved;
        if (n <= WIDE) {
            for (size_t i = begin; moved && i < begin + n; ++i)
                items[i] = scratch[i];
            continue;
        }
        wide_item *from = (moved ? scratch : items) + begin, *to = (moved ? items : scratch) + begin;
        int group = 3; /* the exponent of its size */
        while ((size_t)WIDE << group < n)
            group += 3;
        const size_t groups = ((n - 1) >> group) + 1, left = (groups + 1) / 2 << group;
        bracket range;
        const int axis = widest(from, n, &range);
        part(from, to, n, left, axis, range);
        stack[depth].begin = begin;
        stack[depth].count = left;
        stack[depth++].moved = !moved;
        stack[depth].begin = begin + left;
        stack[depth].count = n - left;
        stack[depth++].moved = !moved;
    }
}
