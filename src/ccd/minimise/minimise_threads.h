/* SPDX-License-Identifier: MIT */
/* Threads that do the regions of a round. */
#ifndef ABUT_CCD_MINIMISE_MINIMISE_THREADS_H
#define ABUT_CCD_MINIMISE_MINIMISE_THREADS_H

#include "ccd/minimise/minimise_step.h"

#include <pthread.h>
#include <stdatomic.h>

enum { ABUT_CREW_MOST = 64 };

typedef struct abut_thread_pool abut_thread_pool;

typedef struct abut_thread_pool_member {
    abut_thread_pool *pool;
    int number; /* 1 or more; 0 is the caller */
    pthread_t thread;
} abut_thread_pool_member;

struct abut_thread_pool {
    int hired; /* beside the caller */
    abut_thread_pool_member members[ABUT_CREW_MOST];
    pthread_mutex_t lock;
    pthread_cond_t bell;
    atomic_int asleep;
    atomic_bool over;
    /* Number of the round in the upper half, then 16 bits for the number of its tasks and 16 for
     * the next one to take: whoever takes a task knows which it is, even one who comes late, and
     * nobody needs to wait for those who took none. */
    atomic_uint_fast64_t tasks;
    atomic_uint done; /* tasks of the round that are finished */
    uint32_t rounds;
    const abut_minimise_round *round;
    const abut_region *regions;
    abut_step *steps;
};

/* Starts `threads` - 1 threads, or as many as there can be; the answer is the same with any
 * number. */
void abut_thread_pool_open(abut_thread_pool *c, int threads);
void abut_thread_pool_close(abut_thread_pool *c);
/* Kernel. steps[i] from regions[i]. */
void abut_thread_pool_round(abut_thread_pool *c, const abut_minimise_round *round, const abut_region *regions,
                            abut_step *steps, unsigned count);

#endif
