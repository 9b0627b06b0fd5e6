/* SPDX-License-Identifier: MIT */
/* Sorting in place without allocating: O(n log n) always, the same result on every machine. Not
 * stable: make ties impossible in `before` where their order matters. */
#ifndef ABUT_BASE_SORT_H
#define ABUT_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>

typedef bool (*abut_before_fn)(void *ctx, const void *a, const void *b);

/* Items of at most ABUT_SORT_MAX_ITEM bytes; larger ones are sorted by index. */
enum { ABUT_SORT_MAX_ITEM = 256 };

void abut_base_sort(void *items, size_t count, size_t size, abut_before_fn before, void *ctx);
void abut_base_sort_doubles(double *values, size_t count);

#endif
