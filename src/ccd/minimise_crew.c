/* SPDX-License-Identifier: MIT */
/* Rounds last some ten microseconds, so the members wait for the next one by looking again and again for about that long, and only then go to sleep. */
#include "ccd/minimise_crew.h"

#include <sched.h>

enum { LOOKS = 4000, LOOKS_BEFORE_YIELD = 200 };

static void pause_briefly(void)
{
#if defined(__SSE2__)
    _mm_pause();
#endif
}

static void work(abut_crew *c, int number)
{
    for (;;) {
        const unsigned i = atomic_fetch_add(&c->next, 1);
        if (i >= c->count)
            return;
        abut_minimise_step(c->round, &c->regions[i], number, &c->steps[i]);
    }
}

/* Waits until a round after `done` has begun; false: there will be none. */
static bool await_round(abut_crew *c, unsigned done)
{
    for (int i = 0; i < LOOKS; ++i) {
        if (atomic_load(&c->rounds) != done)
            break;
        pause_briefly();
    }
    pthread_mutex_lock(&c->lock);
    while (atomic_load(&c->rounds) == done && !c->over)
        pthread_cond_wait(&c->bell, &c->lock);
    const bool on = !c->over;
    pthread_mutex_unlock(&c->lock);
    return on;
}

static void *member_main(void *arg)
{
    const abut_crew_member *m = arg;
    const abut_rounding saved = abut_rounding_enter();
    for (unsigned done = 0; await_round(m->crew, done); ++done) {
        work(m->crew, m->number);
        atomic_fetch_sub(&m->crew->busy, 1);
    }
    abut_rounding_leave(saved);
    return NULL;
}

void abut_crew_open(abut_crew *c, int threads)
{
    c->hired = 0;
    c->over = false;
    atomic_init(&c->rounds, 0);
    atomic_init(&c->next, 0);
    atomic_init(&c->busy, 0);
    if (threads <= 1 || pthread_mutex_init(&c->lock, NULL))
        return;
    if (pthread_cond_init(&c->bell, NULL)) {
        pthread_mutex_destroy(&c->lock);
        return;
    }
    while (c->hired < threads - 1 && c->hired < ABUT_CREW_MOST) {
        abut_crew_member *m = &c->members[c->hired];
        *m = (abut_crew_member){ .crew = c, .number = c->hired + 1 };
        if (pthread_create(&m->thread, NULL, member_main, m))
            break;
        ++c->hired;
    }
    if (!c->hired) {
        pthread_cond_destroy(&c->bell);
        pthread_mutex_destroy(&c->lock);
    }
}

void abut_crew_close(abut_crew *c)
{
    if (!c->hired)
        return;
    pthread_mutex_lock(&c->lock);
    c->over = true;
    pthread_cond_broadcast(&c->bell);
    pthread_mutex_unlock(&c->lock);
    for (int i = 0; i < c->hired; ++i)
        pthread_join(c->members[i].thread, NULL);
    pthread_cond_destroy(&c->bell);
    pthread_mutex_destroy(&c->lock);
    c->hired = 0;
}

void abut_crew_round(abut_crew *c, const abut_round *round, const abut_region *regions, abut_step *steps,
                     unsigned count)
{
    if (!c->hired || count < 2) {
        for (unsigned i = 0; i < count; ++i)
            abut_minimise_step(round, &regions[i], 0, &steps[i]);
        return;
    }
    c->round = round;
    c->regions = regions;
    c->steps = steps;
    c->count = count;
    atomic_store(&c->next, 0);
    atomic_store(&c->busy, c->hired);
    pthread_mutex_lock(&c->lock);
    atomic_fetch_add(&c->rounds, 1);
    pthread_cond_broadcast(&c->bell);
    pthread_mutex_unlock(&c->lock);
    work(c, 0);
    for (int i = 0; atomic_load(&c->busy); ++i)
        if (i < LOOKS_BEFORE_YIELD)
            pause_briefly();
        else
            sched_yield();
}
