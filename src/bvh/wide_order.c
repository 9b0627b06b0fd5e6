/* SPDX-License-Identifier: MIT */
/* The order of triangles in a wide tree: groups of 8, of 64, of 512 ... that are near each other.
 *
 * Parted again and again at a multiple of the largest group that is smaller, across the axis on which the centres spread most, so that all groups
 * are full but the last. */
#include "bvh/wide.h"

#include <float.h>

static inline void swap(wide_item *a, wide_item *b)
{
    const wide_item t = *a;
    *a = *b;
    *b = t;
}

static int widest(const wide_item *items, size_t count)
{
    float lo[3] = { FLT_MAX, FLT_MAX, FLT_MAX }, hi[3] = { -FLT_MAX, -FLT_MAX, -FLT_MAX };
    for (size_t i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k) {
            const float x = items[i].at[k];
            lo[k] = x < lo[k] ? x : lo[k];
            hi[k] = x > hi[k] ? x : hi[k];
        }
    const float x = hi[0] - lo[0], y = hi[1] - lo[1], z = hi[2] - lo[2];
    return x >= y && x >= z ? 0 : (y >= z ? 1 : 2);
}

/* Quickselect: the first `left` are not above the others. */
static void part(wide_item *items, size_t count, size_t left, int axis)
{
    size_t lo = 0, hi = count - 1;
    while (lo < hi) {
        const float a = items[lo].at[axis], b = items[lo + (hi - lo) / 2].at[axis], c = items[hi].at[axis];
        const float pivot = a < b ? (b < c ? b : (a < c ? c : a)) : (a < c ? a : (b < c ? c : b));
        size_t i = lo, j = hi;
        while (i <= j) {
            while (items[i].at[axis] < pivot)
                ++i;
            while (items[j].at[axis] > pivot)
                --j;
            if (i <= j) {
                swap(&items[i], &items[j]);
                ++i;
                if (j == 0)
                    break;
                --j;
            }
        }
        if (left <= j)
            hi = j;
        else if (left >= i)
            lo = i;
        else
            return;
    }
}

void abut_wide_order(wide_item *items, size_t count)
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
        part(items + begin, n, left, widest(items + begin, n));
        stack[depth].begin = begin;
        stack[depth++].count = left;
        stack[depth].begin = begin + left;
        stack[depth++].count = n - left;
    }
}
