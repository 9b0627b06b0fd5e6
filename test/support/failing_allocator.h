/* SPDX-License-Identifier: MIT */
/* An allocator that fails at the Nth request and counts what is outstanding, for "out of memory at
 * every point" loops:
 *
 *     TEST_EVERY_ALLOCATION_FAILS(alloc, {
 *         status = abut_thing_create(..., &alloc, &thing);      // run the operation with &alloc
 *         if (status == ABUT_OK) abut_thing_release(thing);
 *     }, status);
 *
 * repeats the block, letting allocation 0, 1, 2, ... fail, until it runs without reaching the
 * failing one. Each failed round must give ABUT_ERR_MEMORY, and every round must leave nothing
 * allocated. */
#ifndef ABUT_TEST_FAILING_ALLOCATOR_H
#define ABUT_TEST_FAILING_ALLOCATOR_H

#include "abut/base.h"
#include "support/test.h"

typedef struct test_failing {
    uint64_t fail_at, requests;
    size_t outstanding_bytes;
} test_failing;

static inline void *test_failing_reallocate(void *ctx, void *memory, size_t old_size, size_t new_size)
{
    test_failing *f = (test_failing *)ctx;
    if (f->requests++ == f->fail_at)
        return NULL;
    void *grown = realloc(memory, new_size);
    if (grown)
        f->outstanding_bytes += new_size - old_size;
    return grown;
}

static inline void test_failing_release(void *ctx, void *memory, size_t size)
{
    test_failing *f = (test_failing *)ctx;
    if (memory)
        f->outstanding_bytes -= size;
    free(memory);
}

#define TEST_EVERY_ALLOCATION_FAILS(alloc, block, status)                                               \
    for (uint64_t test_n = 0;; ++test_n) {                                                              \
        test_failing test_f = { .fail_at = test_n };                                                    \
        const abut_allocator alloc = { test_failing_reallocate, test_failing_release, &test_f };        \
        block;                                                                                          \
        TEST_CHECK(test_f.outstanding_bytes == 0, "%zu bytes leaked when allocation %" PRIu64 " fails", \
                   test_f.outstanding_bytes, test_n);                                                   \
        if (test_f.requests <= test_n)                                                                  \
            break;                                                                                      \
        TEST_CHECK((status) == ABUT_ERR_MEMORY || (status) == ABUT_OK,                                  \
                   "allocation %" PRIu64 " fails: status %d", test_n, (int)(status));                   \
    }

#endif
