/* SPDX-License-Identifier: MIT */
/* Lists of pairs; see the header. Sorting is by counting: pairs are first dealt out by their second
 * number, then, keeping that order, by their first. */
#include "world/broad/pair_list.h"

#include <string.h>

static bool reserve(abut_pair_list *list, size_t more)
{
    if (!abut_base_grow(&list->alloc, (void **)&list->items, &list->capacity, list->count, more,
                        sizeof *list->items)) {
        list->status = ABUT_ERR_MEMORY;
        return false;
    }
    list->room = list->capacity < list->limit ? list->capacity : list->limit;
    return true;
}

bool abut_pair_list_grow(abut_pair_list *list)
{
    if (list->status)
        return false;
    if (list->count >= list->limit) {
        list->status = ABUT_ERR_LIMIT;
        return false;
    }
    const size_t left = list->limit - list->count, more = list->count < 256 ? 256 : list->count;
    return reserve(list, more < left ? more : left);
}

void abut_pair_list_clear(abut_pair_list *list)
{
    abut_base_shrink(&list->alloc, list->items, list->capacity, sizeof *list->items);
    list->items = NULL;
    list->count = list->capacity = list->room = 0;
}

bool abut_pair_list_append(abut_pair_list *list, const abut_pair_list *more)
{
    if (!list->status && more->status)
        list->status = more->status;
    if (!list->status && more->count > list->limit - list->count)
        list->status = ABUT_ERR_LIMIT;
    if (list->status)
        return false;
    if (!more->count)
        return true;
    if (!reserve(list, more->count))
        return false;
    memcpy(list->items + list->count, more->items, more->count * sizeof *list->items);
    list->count += more->count;
    return true;
}

static void deal(const abut_box_pair *from, abut_box_pair *to, size_t count, size_t *starts, size_t slots,
                 bool by_first)
{
    memset(starts, 0, (slots + 1) * sizeof *starts);
    for (size_t i = 0; i < count; ++i)
        ++starts[(by_first ? from[i].a : from[i].b) + 1];
    for (size_t s = 0; s < slots; ++s)
        starts[s + 1] += starts[s];
    for (size_t i = 0; i < count; ++i)
        to[starts[by_first ? from[i].a : from[i].b]++] = from[i];
}

/* Few pairs among many boxes: dealing them out would walk through all boxes. */
static void insert_sorted(abut_box_pair *items, size_t count)
{
    for (size_t i = 1; i < count; ++i) {
        const abut_box_pair kept = items[i];
        size_t at = i;
        for (;
             at > 0 && (items[at - 1].a > kept.a || (items[at - 1].a == kept.a && items[at - 1].b > kept.b));
             --at)
            items[at] = items[at - 1];
        items[at] = kept;
    }
}

bool abut_pair_list_sort(abut_pair_list *list, size_t slots)
{
    if (list->count <= 32) {
        insert_sorted(list->items, list->count);
        return true;
    }
    size_t *starts = abut_base_alloc(&list->alloc, slots + 1, sizeof *starts);
    abut_box_pair *other = abut_base_alloc(&list->alloc, list->count, sizeof *other);
    const bool ok = starts && other;
    if (ok) {
        deal(list->items, other, list->count, starts, slots, false);
        deal(other, list->items, list->count, starts, slots, true);
    }
    if (other)
        abut_base_free(&list->alloc, other, list->count, sizeof *other);
    if (starts)
        abut_base_free(&list->alloc, starts, slots + 1, sizeof *starts);
    return ok;
}
