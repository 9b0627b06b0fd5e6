/* SPDX-License-Identifier: MIT */
/* The same function on several threads. POSIX threads, as in ccd/minimise, not OpenMP: ThreadSanitizer
 * does not see the barriers of GCC's OpenMP library and reports races that are none, and a library
 * that starts a thread pool of its own inside a host program is a surprise. */
#ifndef ABUT_BASE_PARALLEL_H
#define ABUT_BASE_PARALLEL_H

#include <stddef.h>

enum { ABUT_PARALLEL_MOST = 64 };

/* Calls `work` with 0 .. count - 1, each on a thread of its own where one can be had (the caller's
 * takes 0), and returns when all are done. */
void abut_parallel_run(int count, void (*work)(void *ctx, int index), void *ctx);

/* Threads asked for (0: one for each processor that is there) to at least 1, at most MOST. */
int abut_parallel_threads(int asked);

/* The share of `index` of 0 .. count - 1: [*begin, *end). */
static inline void abut_parallel_share(size_t total, int count, int index, size_t *begin, size_t *end)
{
    const size_t each = total / (size_t)count, more = total % (size_t)count, i = (size_t)index;
    *begin = each * i + (i < more ? i : more);
    *end = *begin + each + (i < more);
}

#endif
