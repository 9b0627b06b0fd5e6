/* SPDX-License-Identifier: MIT */
/* The order of triangles in a wide tree: groups of 8, of 64, of 512 ... that are near each other. Included once for each vector unit.
 *
 * Parted again and again at a multiple of the largest group that is smaller, across the axis on which the centres spread most, so that all groups
 * are full but the last. Where to part is found by counting how many are below a guess, among all or, where they are many, in a sample; a guess that
 * is not quite right leaves a few in the middle, which are parted in turn. Items go to and fro between two arrays, each once in every
 * parting, without branches. Any order makes a right tree: that rounds are bounded costs nothing but speed. */
#include "bvh/wide.h"

#include <float.h>
#include <string.h>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

/* Keys that are counted at once: 8 kB. SAMPLE of more are looked at, and parted SPARE of their number to either side of where the place seems to be, about
 * three deviations of a median of so many. */
enum { FEW = 16, SEEN = 2048, SAMPLE = 1024, SPARE = SAMPLE / 20, GUESSES = 24, ROUNDS = 40 };

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

/* From `low` on to below `high`. */
typedef struct bracket {
    float low, high;
} bracket;

/* The axis on which items spread most, and from where to where. Not from a sample: where two axes are alike the same one is to be taken by all. */
static int widest(const wide_item *items, size_t count, bracket *range)
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
    *range = (bracket){ low[axis], high[axis] };
    return axis;
}

/* Coordinates of every step-th item, filled up to a multiple of 8 with what no guess exceeds. */
static size_t take_keys(const wide_item *items, size_t count, size_t step, int axis, float *keys)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i += step)
        keys[n++] = items[i].at[axis];
    for (size_t i = n; i % 8; ++i)
        keys[i] = FLT_MAX;
    return n;
}

static inline size_t count_below(const float *keys, size_t count, float x)
{
    int32_t below[8] = { 0 };
    for (size_t i = 0; i < count; i += 8)
        for (int k = 0; k < 8; ++k)
            below[k] += keys[i + k] < x;
    int32_t sum = 0;
    for (int k = 0; k < 8; ++k)
        sum += below[k];
    return (size_t)sum;
}

/* Narrows the range until `left` keys are below both ends, or not more than `most` within. By halving, and by guesses as if keys lay evenly. */
static bracket narrow(const float *keys, size_t count, size_t left, size_t most, bracket b)
{
    size_t below = 0, within = count;
    for (int i = 0; i < GUESSES && within - below > most; ++i) {
        const float even = ((float)(left - below) + 0.5F) / ((float)(within - below) + 1);
        const float guess = b.low + (b.high - b.low) * ((i & 1) ? 0.5F : even);
        if (!(guess > b.low && guess < b.high))
            break;
        const size_t n = count_below(keys, count, guess);
        if (n == left)
            return (bracket){ guess, guess };
        if (n < left) {
            b.low = guess;
            below = n;
        } else {
            b.high = guess;
            within = n;
        }
    }
    return b;
}

/* Items below the bracket to the front of `to`, those from its end on to the back, the others between; `from` is used up. */
static void spread_items(wide_item *from, wide_item *to, size_t count, int axis, bracket b, size_t *front,
                         size_t *middle)
{
    size_t first = 0, between = 0, last = count - 1;
    if (b.low == b.high) {
        for (size_t i = 0; i < count; ++i) {
            const quad item = quad_of(&from[i]);
            const bool below = from[i].at[axis] < b.low;
            memcpy(&to[first], &item, sizeof item);
            memcpy(&to[last], &item, sizeof item);
            first += below;
            last -= !below;
        }
    } else {
        for (size_t i = 0; i < count; ++i) {
            const quad item = quad_of(&from[i]);
            const float x = from[i].at[axis];
            const bool below = x < b.low, above = x >= b.high;
            memcpy(&to[first], &item, sizeof item);
            memcpy(&to[last], &item, sizeof item);
            memcpy(&from[between], &item, sizeof item);
            first += below;
            last -= above;
            between += !(below | above);
        }
        memcpy(to + first, from, between * sizeof *to);
    }
    *front = first;
    *middle = between;
}

/* At most FEW items, in the order of their coordinates: for each, how many are below it. */
static void sort_few(const wide_item *from, wide_item *to, size_t count, int axis)
{
    float key[FEW];
    int32_t below[FEW] = { 0 };
    uint8_t taken[FEW] = { 0 };
    for (size_t i = 0; i < FEW; ++i)
        key[i] = i < count ? from[i].at[axis] : FLT_MAX;
    for (int k = 0; k < FEW; ++k)
        for (int i = 0; i < FEW; ++i)
            below[i] += key[k] < key[i];
    for (size_t i = 0; i < count; ++i)
        to[below[i] + taken[below[i]]++] = from[i];
}

static bracket choose_bracket(const wide_item *items, size_t count, size_t left, int axis, bracket range)
{
    float keys[SEEN + 8];
    if (count <= SEEN)
        return narrow(keys, take_keys(items, count, 1, axis, keys), left, 2, range);
    const size_t n = take_keys(items, count, count / SAMPLE, axis, keys);
    const size_t place = (size_t)((double)left / (double)count * (double)n);
    const bracket low = narrow(keys, n, place > SPARE ? place - SPARE : 0, SPARE / 2, range);
    const bracket high = narrow(keys, n, place + SPARE < n ? place + SPARE : n, SPARE / 2, range);
    return (bracket){ low.low, high.high };
}

/* The first `left` of `to` are not above the others; `from` is used up. What holds the place after a round goes on to the next. */
static void part(wide_item *from, wide_item *to, size_t count, size_t left, int axis, bracket range)
{
    for (int round = 0; round < ROUNDS; ++round) {
        if (count <= FEW) {
            sort_few(from, to, count, axis);
            return;
        }
        const bracket b = choose_bracket(from, count, left, axis, range);
        size_t front, middle;
        spread_items(from, to, count, axis, b, &front, &middle);
        if (left == front || left == front + middle)
            return;
        if (left < front) {
            range.high = b.low;
            count = front;
        } else if (left < front + middle) {
            range = b;
            left -= front;
            from += front;
            to += front;
            count = middle;
        } else {
            range.low = b.high;
            left -= front + middle;
            from += front + middle;
            to += front + middle;
            count -= front + middle;
        }
        memcpy(from, to, count * sizeof *to);
    }
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
        size_t group = WIDE;
        while (group * WIDE < n)
            group *= WIDE;
        const size_t groups = (n + group - 1) / group, left = (groups + 1) / 2 * group;
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
