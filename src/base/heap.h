/* SPDX-License-Identifier: MIT */
/* Binary heaps (Williams, "Algorithm 232: Heapsort", 1964): the first item by an order of the caller's
 * is at items[0]. A macro, since the order is compared in the innermost loop and has to be inlined.
 * The order in which items come out depends on the order they came in, unless `before` has no ties. */
#ifndef ABUT_BASE_HEAP_H
#define ABUT_BASE_HEAP_H

#include <stddef.h>

/* Defines, for items of `type` ordered by bool before(const type *, const type *),
 *   NAME_push(items, &count, x)   adds *x, for which there is room;
 *   NAME_pop(items, &count)       takes the first one out of a heap that is not empty. */
#define ABUT_HEAP(name, type, before)                                           \
    static inline void name##_push(type *items, size_t *count, const type *x)   \
    {                                                                           \
        size_t at = (*count)++;                                                 \
        for (; at > 0 && before(x, &items[(at - 1) / 2]); at = (at - 1) / 2)    \
            items[at] = items[(at - 1) / 2];                                    \
        items[at] = *x;                                                         \
    }                                                                           \
    static inline type name##_pop(type *items, size_t *count)                   \
    {                                                                           \
        const type first = items[0], last = items[--*count];                    \
        size_t at = 0;                                                          \
        for (size_t child; (child = 2 * at + 1) < *count; at = child) {         \
            if (child + 1 < *count && before(&items[child + 1], &items[child])) \
                ++child;                                                        \
            if (!before(&items[child], &last))                                  \
                break;                                                          \
            items[at] = items[child];                                           \
        }                                                                       \
        items[at] = last;                                                       \
        return first;                                                           \
    }

#endif
