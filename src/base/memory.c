/* SPDX-License-Identifier: MIT */
#if defined(__linux__)
#define _DEFAULT_SOURCE /* madvise */
#endif
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

/* New pages cost half of what the tree of a large mesh does with them when they come one by one,
 * as they are touched: 2 to 3 us each. Asked for at once they take half of that. Pages of 2 MB
 * would take less still, but in virtual machines that give unused memory back to their host they
 * are the first to be gone: 90 MB of them took 15 ms or 300. */
static void *allocate(size_t size)
{
    void *memory = malloc(size);
#if defined(__linux__) && defined(MADV_POPULATE_WRITE)
    enum { PAGE = 4096, LARGE = 8 << 20 };
    if (memory && size >= LARGE) {
        char *first = (char *)memory + (PAGE - (uintptr_t)memory % PAGE) % PAGE;
        const size_t pages = (size - (size_t)(first - (char *)memory)) / PAGE;
        /* a wish; without it all is as before */
        (void)madvise(first, pages * PAGE, MADV_POPULATE_WRITE);
    }
#endif
    return memory;
}

static void *system_reallocate(void *ctx, void *memory, size_t old_size, size_t new_size)
{
    (void)ctx;
    (void)old_size;
    return memory ? realloc(memory, new_size) : allocate(new_size);
}

static void system_release(void *ctx, void *memory, size_t size)
{
    (void)ctx;
    (void)size;
    free(memory);
}

abut_allocator abut_base_allocator(const abut_allocator *alloc)
{
    static const abut_allocator system_allocator = { system_reallocate, system_release, NULL };
    return alloc ? *alloc : system_allocator;
}

/* Bytes for count items, at least one; 0 when the product overflows. */
static size_t bytes_for(size_t count, size_t size)
{
    const size_t at_least_one = count ? count : 1;
    return at_least_one > SIZE_MAX / 2 / size ? 0 : at_least_one * size;
}

void *abut_base_alloc(const abut_allocator *alloc, size_t count, size_t size)
{
    const size_t bytes = bytes_for(count, size);
    return bytes ? alloc->reallocate(alloc->ctx, NULL, 0, bytes) : NULL;
}

void *abut_base_alloc_zero(const abut_allocator *alloc, size_t count, size_t size)
{
    void *memory = abut_base_alloc(alloc, count, size);
    if (memory)
        memset(memory, 0, bytes_for(count, size));
    return memory;
}

void abut_base_free(const abut_allocator *alloc, void *memory, size_t count, size_t size)
{
    if (memory)
        alloc->release(alloc->ctx, memory, bytes_for(count, size));
}

char *abut_base_strdup(const abut_allocator *alloc, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = abut_base_alloc(alloc, size, 1);
    if (copy)
        memcpy(copy, text, size);
    return copy;
}

void abut_base_strfree(const abut_allocator *alloc, char *text)
{
    if (text)
        abut_base_free(alloc, text, strlen(text) + 1, 1);
}

bool abut_base_grow(const abut_allocator *alloc, void **items, size_t *capacity, size_t count, size_t more,
                    size_t size)
{
    if (more <= *capacity - count)
        return true;
    if (more > SIZE_MAX / 4 / size || count > SIZE_MAX / 4 / size)
        return false;
    size_t wanted = *capacity + *capacity / 2 + 8;
    if (wanted < count + more)
        wanted = count + more;
    void *grown = alloc->reallocate(alloc->ctx, *items, *capacity * size, wanted * size);
    if (!grown)
        return false;
    *items = grown;
    *capacity = wanted;
    return true;
}

void abut_base_shrink(const abut_allocator *alloc, void *items, size_t capacity, size_t size)
{
    if (items)
        alloc->release(alloc->ctx, items, capacity * size);
}
