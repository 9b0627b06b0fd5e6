/* SPDX-License-Identifier: MIT */
/* Sets of pairs; see the header. Linear probing; erasing moves up what follows, so that there are no
 * marks of what was erased. */
#include "world/broad/pair_set.h"

#include <string.h>

static uint64_t key_of(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static size_t home_of(uint64_t key, size_t capacity)
{
    key *= 0x9E3779B97F4A7C15u; /* Fibonacci hashing */
    return (size_t)(key >> 32) & (capacity - 1);
}

static size_t place_of(const abut_pair_set *set, uint64_t key)
{
    size_t at = home_of(key, set->capacity);
    while (set->keys[at] && set->keys[at] != key)
        at = (at + 1) & (set->capacity - 1);
    return at;
}

void abut_pair_set_clear(abut_pair_set *set)
{
    abut_base_shrink(&set->alloc, set->keys, set->capacity, sizeof *set->keys);
    set->keys = NULL;
    set->count = set->capacity = 0;
}

void abut_pair_set_empty(abut_pair_set *set)
{
    if (set->keys)
        memset(set->keys, 0, set->capacity * sizeof *set->keys);
    set->count = 0;
}

static bool grow(abut_pair_set *set)
{
    abut_pair_set larger = { .alloc = set->alloc,
                             .count = set->count,
                             .capacity = set->capacity ? 2 * set->capacity : 64 };
    larger.keys = abut_base_alloc_zero(&set->alloc, larger.capacity, sizeof *larger.keys);
    if (!larger.keys)
        return false;
    for (size_t i = 0; i < set->capacity; ++i)
        if (set->keys[i])
            larger.keys[place_of(&larger, set->keys[i])] = set->keys[i];
    abut_base_shrink(&set->alloc, set->keys, set->capacity, sizeof *set->keys);
    *set = larger;
    return true;
}

bool abut_pair_set_add(abut_pair_set *set, uint32_t a, uint32_t b)
{
    if (2 * (set->count + 1) > set->capacity && !grow(set))
        return false;
    const uint64_t key = key_of(a, b);
    const size_t at = place_of(set, key);
    set->count += set->keys[at] == 0;
    set->keys[at] = key;
    return true;
}

void abut_pair_set_remove(abut_pair_set *set, uint32_t a, uint32_t b)
{
    if (set->count == 0)
        return;
    const size_t mask = set->capacity - 1;
    size_t at = place_of(set, key_of(a, b));
    if (set->keys[at] == 0)
        return;
    for (size_t next = (at + 1) & mask; set->keys[next]; next = (next + 1) & mask) {
        const size_t home = home_of(set->keys[next], set->capacity);
        if (((next - home) & mask) >= ((next - at) & mask)) {
            set->keys[at] = set->keys[next];
            at = next;
        }
    }
    set->keys[at] = 0;
    --set->count;
}

abut_status abut_pair_set_list(const abut_pair_set *set, abut_pair_list *out)
{
    for (size_t i = 0; i < set->capacity; ++i)
        if (set->keys[i] && !abut_pair_list_add(out, (uint32_t)(set->keys[i] >> 32), (uint32_t)set->keys[i]))
            return out->status;
    return ABUT_OK;
}
