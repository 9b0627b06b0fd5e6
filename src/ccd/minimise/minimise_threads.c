/* SPDX-License-Identifier: MIT */
/* Rounds last some ten microseconds, so the members wait for the next one by looking again and
 * again for about that long, and only then go to sleep. */
#include "ccd/minimise/minimise_threads.h"

#include <sched.h>

/* FEWEST: regions of a round that are worth sharing. */
enum { LOOKS = 4000, LOOKS_BEFORE_YIELD = 200, FEWEST = 4 };

static void pause_briefly(void)
{
#if defined(__SSE2__)
    _mm_pause();
#endif
}

static uint32_t round_of(uint64_t tasks)
{
    return (uint32_t)(tasks >> 32);
}

static bool all_taken(uint64_t tasks)
{
    return (tasks & 0xffff) >= (tasks >> 16 & 0xffff);
}

/* A task that is taken keeps its round alive: the caller waits for it, so that what the threads
 * points to stays. */
static void work(abut_thread_pool *c, int number)
{
    while (!all_taken(atomic_load(&c->tasks))) {
        const uint64_t tasks = atomic_fetch_add(&c->tasks, 1);
        if (all_taken(tasks))
            return;
        const unsigned i = (unsigned)(tasks & 0xffff);
        abut_minimise_step(c->round, &c->regions[i], number, &c->steps[i]);
        atomic_fetch_add(&c->done, 1);
    }
}

/* Waits until a round other than `last` has begun; false: there will be none. */
static bool await_round(abut_thread_pool *c, uint32_t last)
{
    for (int i = 0; i < LOOKS; ++i) {
        if (atomic_load(&c->over))
            return false;
        if (round_of(atomic_load(&c->tasks)) != last)
            return true;
        pause_briefly();
    }
    pthread_mutex_lock(&c->lock);
    atomic_fetch_add(&c->asleep, 1);
    while (round_of(atomic_load(&c->tasks)) == last && !atomic_load(&c->over))
        pthread_cond_wait(&c->bell, &c->lock);
    atomic_fetch_sub(&c->asleep, 1);
    pthread_mutex_unlock(&c->lock);
    return !atomic_load(&c->over);
}

static void *member_main(void *arg)
{
    const abut_thread_pool_member *m = arg;
    const abut_rounding saved = abut_rounding_enter();
    for (uint32_t last = 0; await_round(m->pool, last);) {
        last = round_of(atomic_load(&m->pool->tasks));
        work(m->pool, m->number);
    }
    abut_rounding_leave(saved);
    return NULL;
}

static void ring(abut_thread_pool *c)
{
    pthread_mutex_lock(&c->lock);
    pthread_cond_broadcast(&c->bell);
    pthread_mutex_unlock(&c->lock);
}

void abut_thread_pool_open(abut_thread_pool *c, int threads)
{
    c->hired = 0;
    c->rounds = 0;
    atomic_init(&c->over, false);
    atomic_init(&c->asleep, 0);
    atomic_init(&c->tasks, 0);
    atomic_init(&c->done, 0);
    if (threads <= 1 || pthread_mutex_init(&c->lock, NULL))
        return;
    if (pthread_cond_init(&c->bell, NULL)) {
        pthread_mutex_destroy(&c->lock);
        return;
    }
    while (c->hired < threads - 1 && c->hired < ABUT_CREW_MOST) {
        abut_thread_pool_member *m = &c->members[c->hired];
        *m = (abut_thread_pool_member){ .pool = c, .number = c->hired + 1 };
        if (pthread_create(&m->thread, NULL, member_main, m))
            break;
        ++c->hired;
    }
    if (!c->hired) {
        pthread_cond_destroy(&c->bell);
        pthread_mutex_destroy(&c->lock);
    }
}

void abut_thread_pool_close(abut_thread_pool *c)
{
    if (!c->hired)
        return;
    atomic_store(&c->over, true);
    ring(c);
    for (int i = 0; i < c->hired; ++i)
        pthread_join(c->members[i].thread, NULL);
    pthread_cond_destroy(&c->bell);
    pthread_mutex_destroy(&c->lock);
    c->hired = 0;
}

void abut_thread_pool_round(abut_thread_pool *c, const abut_minimise_round *round, const abut_region *regions,
                            abut_step *steps, unsigned count)
{
    if (!c->hired || count < FEWEST) {
        for (unsigned i = 0; i < count; ++i)
            abut_minimise_step(round, &regions[i], 0, &steps[i]);
        return;
    }
    c->round = round;
    c->regions = regions;
    c->steps = steps;
    atomic_store(&c->done, 0);
    atomic_store(&c->tasks, (uint64_t)++c->rounds << 32 | (uint64_t)count << 16);
    if (atomic_load(&c->asleep))
        ring(c);
    work(c, 0);
    for (int i = 0; atomic_load(&c->done) < count; ++i)
        if (i < LOOKS_BEFORE_YIELD)
            pause_briefly();
        else
            sched_yield();
}
