/* SPDX-License-Identifier: MIT */
/* Threads for one call; see the header. A thread that cannot be started is no error: the caller does
 * its work as well. */
#define _POSIX_C_SOURCE 200809L
#include "base/parallel.h"

#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

typedef struct helper {
    pthread_t thread;
    void (*work)(void *ctx, int index);
    void *ctx;
    int index;
    bool runs;
} helper;

static void *start(void *argument)
{
    const helper *h = argument;
    h->work(h->ctx, h->index);
    return NULL;
}

void abut_parallel_run(int count, void (*work)(void *ctx, int index), void *ctx)
{
    helper helpers[ABUT_PARALLEL_MOST];
    for (int i = 1; i < count; ++i) {
        helpers[i] = (helper){ .work = work, .ctx = ctx, .index = i };
        helpers[i].runs = pthread_create(&helpers[i].thread, NULL, start, &helpers[i]) == 0;
    }
    work(ctx, 0);
    for (int i = 1; i < count; ++i)
        if (helpers[i].runs)
            pthread_join(helpers[i].thread, NULL);
        else
            work(ctx, i);
}

int abut_parallel_threads(int asked)
{
    long count = asked;
    if (asked <= 0)
        count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > ABUT_PARALLEL_MOST ? ABUT_PARALLEL_MOST : (int)count;
}
