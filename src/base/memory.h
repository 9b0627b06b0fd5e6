/* SPDX-License-Identifier: MIT */
/* Checked allocation through an allocator value, and growable arrays. */
#ifndef ABUT_BASE_MEMORY_H
#define ABUT_BASE_MEMORY_H

#include "abut/base.h"

/* The caller's allocator, or malloc and free where it is NULL. */
abut_allocator abut_base_allocator(const abut_allocator *alloc);

/* count * size bytes, not cleared; NULL when that overflows or memory is out. A count of 0 gives
 * a valid block of one item, so that NULL always means failure; give the same count back to
 * abut_base_free. */
void *abut_base_alloc(const abut_allocator *alloc, size_t count, size_t size);
void *abut_base_alloc_zero(const abut_allocator *alloc, size_t count, size_t size);
void abut_base_free(const abut_allocator *alloc, void *memory, size_t count, size_t size);
char *abut_base_strdup(const abut_allocator *alloc, const char *text);
void abut_base_strfree(const abut_allocator *alloc, char *text);

/* A growable array: ABUT_ARRAY(double) values = { 0 }; then values.items[0 .. values.count - 1]. */
#define ABUT_ARRAY(type)        \
    struct {                    \
        type *items;            \
        size_t count, capacity; \
    }

/* Room for `more` further items; false (nothing changed) when memory is out. */
#define ABUT_ARRAY_RESERVE(alloc, array, more)                                                    \
    abut_base_grow((alloc), (void **)&(array)->items, &(array)->capacity, (array)->count, (more), \
                   sizeof *(array)->items)
/* Appends; false (nothing changed) when memory is out. */
#define ABUT_ARRAY_PUSH(alloc, array, value) \
    (ABUT_ARRAY_RESERVE(alloc, array, 1) ? ((array)->items[(array)->count++] = (value), true) : false)
#define ABUT_ARRAY_FREE(alloc, array)                                                      \
    (abut_base_shrink((alloc), (array)->items, (array)->capacity, sizeof *(array)->items), \
     (array)->items = NULL, (array)->count = (array)->capacity = 0)

bool abut_base_grow(const abut_allocator *alloc, void **items, size_t *capacity, size_t count, size_t more,
                    size_t size);
void abut_base_shrink(const abut_allocator *alloc, void *items, size_t capacity, size_t size);

#endif
