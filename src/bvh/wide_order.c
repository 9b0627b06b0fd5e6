/* SPDX-License-Identifier: MIT */
/* The order of triangles in a wide tree: groups of 8, of 64, of 512 ... that are near each other.
 *
 * Parted again and again at a multiple of the largest group that is smaller, across the axis on which the centres spread most, so that all groups
 * are full but the last. Where to part is found by counting in bins, and within the bin that holds the place again; 64 or fewer are
 * sorted by counting for each how many are below it, which takes no branches. */
#include "bvh/wide.h"

#include <float.h>
#include <string.h>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

enum { FEW = 64, BINS = 256 };

typedef float quad __attribute__((vector_size(16)));

static inline quad quad_of(const wide_item *item)
{
    quad q;
    memcpy(&q, item, sizeof q);
    return q;
}

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

static int widest(const wide_item *items, size_t count, float *lo, float *hi)
{
    /* Two at a time: a minimum waits for the one before. */
    quad low = quad_of(items), high = low, low2 = low, high2 = low;
    for (size_t i = 0; i + 1 < count; i += 2) {
        widen(&low, &high, quad_of(&items[i]));
        widen(&low2, &high2, quad_of(&items[i + 1]));
    }
    widen(&low, &high, quad_of(&items[count - 1]));
    widen(&low, &high, low2);
    widen(&low, &high, high2);
    const quad spread = high - low;
    int axis = spread[1] > spread[0] ? 1 : 0;
    axis = spread[2] > spread[axis] ? 2 : axis;
    *lo = low[axis];
    *hi = high[axis];
    return axis;
}

/* At most FEW items, in the order of their coordinates. */
static void sort_few(wide_item *items, size_t count, int axis)
{
    float key[FEW];
    wide_item old[FEW];
    uint8_t taken[FEW] = { 0 };
    for (size_t i = 0; i < count; ++i) {
        key[i] = items[i].at[axis];
        old[i] = items[i];
    }
    for (size_t i = count; i < FEW; ++i)
        key[i] = FLT_MAX;
    const size_t padded = (count + 7) / 8 * 8;
    for (size_t i = 0; i < count; ++i) {
        const float x = key[i];
        int32_t below = 0;
        for (size_t k = 0; k < padded; ++k)
            below += key[k] < x;
        items[(size_t)below + taken[below]++] = old[i];
    }
}

/* One round: those below the bin of the place `left` go to the front, those above to the end; *begin and *count are what remains between. */
static void part_by_bins(wide_item *items, wide_item *scratch, size_t left, int axis, float lo, float scale,
                         int most, size_t *begin, size_t *count)
{
    wide_item *from = items + *begin;
    const size_t n = *count;
    uint32_t bins[BINS];
    memset(bins, 0, (size_t)most * sizeof *bins);
    for (size_t i = 0; i < n; ++i)
        ++bins[(int)((from[i].at[axis] - lo) * scale)];
    size_t below = 0;
    int bin = 0;
    for (; bin < most - 1 && below + bins[bin] <= left - *begin; ++bin)
        below += bins[bin];
    size_t front = 0, middle = 0, end = 0;
    for (size_t i = 0; i < n; ++i) {
        const wide_item item = from[i];
        const int at = (int)((item.at[axis] - lo) * scale);
        from[front] = item;
        front += at < bin;
        scratch[end] = item;
        end += at > bin;
        scratch[n - 1 - middle] = item;
        middle += at == bin;
    }
    memcpy(from + front, scratch + (n - middle), middle * sizeof *from);
    memcpy(from + front + middle, scratch, end * sizeof *from);
    *begin += front;
    *count = middle;
}

/* The first `left` are not above the others. Each round makes the range of values 64 times smaller at least; floats that differ are told apart after 30
 * rounds. */
static void part(wide_item *items, wide_item *scratch, size_t n, size_t left, int axis, float lo, float hi)
{
    size_t begin = 0, count = n;
    while (count > FEW && left > begin && left < begin + count) {
        const int most = count < 2048 ? BINS / 4 : BINS;
        const float scale = ((float)most - 0.01F) / (hi - lo);
        if (!(scale < FLT_MAX))
            return;
        part_by_bins(items, scratch, left, axis, lo, scale, most, &begin, &count);
        lo = FLT_MAX;
        hi = -FLT_MAX;
        for (size_t i = begin; i < begin + count; ++i) {
            const float x = items[i].at[axis];
            lo = x < lo ? x : lo;
            hi = x > hi ? x : hi;
        }
    }
    if (count <= FEW)
        sort_few(items + begin, count, axis);
}

void abut_wide_order(wide_item *items, wide_item *scratch, size_t count)
{
    struct {
        size_t begin, count;
    } stack[3 * WIDE_LEVELS + 8];
    size_t depth = 0;
    stack[depth].begin = 0;
    stack[depth++].count = count;
    while (depth) {
        const size_t begin = stack[--depth].begin, n = stack[depth].count;
        if (n <= WIDE)
            continue;
        size_t group = WIDE;
        while (group * WIDE < n)
            group *= WIDE;
        const size_t groups = (n + group - 1) / group, left = (groups + 1) / 2 * group;
        float lo, hi;
        const int axis = widest(items + begin, n, &lo, &hi);
        part(items + begin, scratch, n, left, axis, lo, hi);
        stack[depth].begin = begin;
        stack[depth++].count = left;
        stack[depth].begin = begin + left;
        stack[depth++].count = n - left;
    }
}
