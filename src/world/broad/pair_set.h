/* SPDX-License-Identifier: MIT */
/* A set of pairs: an open hash table. */
#ifndef ABUT_WORLD_BROAD_PAIR_SET_H
#define ABUT_WORLD_BROAD_PAIR_SET_H

#include "world/broad/pair_list.h"

/* Key 0 is an empty place: a < b, so that no pair has it. Zero-initialised but for `alloc`. */
typedef struct abut_pair_set {
    abut_allocator alloc;
    uint64_t *keys;
    size_t count, capacity; /* a power of two */
} abut_pair_set;

void abut_pair_set_clear(abut_pair_set *set);
/* Without giving the memory back. */
void abut_pair_set_empty(abut_pair_set *set);
/* In either order; nothing happens where it is there already. False when memory is out. */
bool abut_pair_set_add(abut_pair_set *set, uint32_t a, uint32_t b);
/* Nothing happens where it is not there. */
void abut_pair_set_remove(abut_pair_set *set, uint32_t a, uint32_t b);
/* Adds all to the list, in the order of the table; its status when it cannot. */
abut_status abut_pair_set_list(const abut_pair_set *set, abut_pair_list *out);

#endif
