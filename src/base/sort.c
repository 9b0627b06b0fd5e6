/* SPDX-License-Identifier: MIT */
/* Insertion sort for a few items, heap sort for many. Heap sort is chosen over quicksort because
 * it has no bad inputs and needs no stack; nothing that is timed sorts generic items. */
#include "base/sort.h"

#include <assert.h>
#include <string.h>

enum { FEW = 16 };

static void insertion(unsigned char *items, size_t count, size_t size, abut_before_fn before, void *ctx)
{
    unsigned char held[ABUT_SORT_MAX_ITEM];
    for (size_t i = 1; i < count; ++i) {
        size_t j = i;
        while (j > 0 && before(ctx, items + i * size, items + (j - 1) * size))
            --j;
        if (j == i)
            continue;
        memcpy(held, items + i * size, size);
        memmove(items + (j + 1) * size, items + j * size, (i - j) * size);
        memcpy(items + j * size, held, size);
    }
}

/* Puts `held` into the hole at `root` of the heap of `count` items, largest on top. */
static void sift(unsigned char *items, size_t root, size_t count, size_t size, abut_before_fn before,
                 void *ctx, const unsigned char *held)
{
    for (;;) {
        size_t child = 2 * root + 1;
        if (child >= count)
            break;
        if (child + 1 < count && before(ctx, items + child * size, items + (child + 1) * size))
            ++child;
        if (!before(ctx, held, items + child * size))
            break;
        memcpy(items + root * size, items + child * size, size);
        root = child;
    }
    memcpy(items + root * size, held, size);
}

void abut_base_sort(void *items, size_t count, size_t size, abut_before_fn before, void *ctx)
{
    assert(size <= ABUT_SORT_MAX_ITEM);
    unsigned char *bytes = items;
    if (count <= FEW) {
        insertion(bytes, count, size, before, ctx);
        return;
    }
    unsigned char held[ABUT_SORT_MAX_ITEM];
    for (size_t root = count / 2; root-- > 0;) {
        memcpy(held, bytes + root * size, size);
        sift(bytes, root, count, size, before, ctx, held);
    }
    for (size_t last = count - 1; last > 0; --last) {
        memcpy(held, bytes + last * size, size);
        memcpy(bytes + last * size, bytes, size);
        sift(bytes, 0, last, size, before, ctx, held);
    }
}

static bool double_before(void *ctx, const void *a, const void *b)
{
    (void)ctx;
    return *(const double *)a < *(const double *)b;
}

void abut_base_sort_doubles(double *values, size_t count)
{
    abut_base_sort(values, count, sizeof *values, double_before, NULL);
}
