/* SPDX-License-Identifier: MIT */
/* A growing list of pairs of boxes with a limit, and sorting it. */
#ifndef ABUT_WORLD_BROAD_PAIR_LIST_H
#define ABUT_WORLD_BROAD_PAIR_LIST_H

#include "abut/world.h"
#include "base/memory.h"

typedef struct abut_pair_list {
    abut_allocator alloc;
    abut_box_pair *items;
    size_t count, capacity, limit;
    size_t room; /* the smaller of capacity and limit */
    /* ABUT_ERR_LIMIT once there would be more than `limit`, ABUT_ERR_MEMORY once there is no room;
     * nothing is added from then on */
    abut_status status;
} abut_pair_list;

bool abut_pair_list_grow(abut_pair_list *list);
void abut_pair_list_clear(abut_pair_list *list);
/* Adds all of `more` behind. */
bool abut_pair_list_append(abut_pair_list *list, const abut_pair_list *more);
/* Ascending by a, then b, in time linear in both for `slots` boxes; false when memory is out. */
bool abut_pair_list_sort(abut_pair_list *list, size_t slots);

/* In either order; false when nothing can be added any more. */
static inline bool abut_pair_list_add(abut_pair_list *list, uint32_t a, uint32_t b)
{
    if (list->count >= list->room && !abut_pair_list_grow(list))
        return false;
    list->items[list->count++] = a < b ? (abut_box_pair){ a, b } : (abut_box_pair){ b, a };
    return true;
}

#endif
