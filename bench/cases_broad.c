/* SPDX-License-Identifier: MIT */
/* W7: all overlapping pairs among many moving boxes, step after step; a question is one step,
 * the writing of the new boxes included. Coherent motion is .05 a step; in the rows "random" boxes
 * are anywhere at each step, which leaves nothing to keep from the last one. */
#include "peers.h"

#include <abut/world.h>

#include <stdlib.h>

typedef struct broad_case {
    const char *name;
    size_t count;
    double density;
    bool random;
} broad_case;

static const broad_case broad_cases[] = {
    { "W7 N=1000 dens=10%", 1000, .1, false },
    { "W7 N=10000 dens=10%", 10000, .1, false },
    { "W7 N=100000 dens=10%", 100000, .1, false },
    { "W7 N=1000000 dens=10%", 1000000, .1, false },
    { "W7 N=1000 dens=100%", 1000, 1, false },
    { "W7 N=10000 dens=100%", 10000, 1, false },
    { "W7 N=100000 dens=100%", 100000, 1, false },
    { "W7 N=1000 dens=10% random", 1000, .1, true },
    { "W7 N=10000 dens=10% random", 10000, .1, true },
    { "W7 N=100000 dens=10% random", 100000, .1, true },
    { "W7 N=1000000 dens=10% random", 1000000, .1, true },
};

static void *setup(const bench_case *c, bool quick, uint64_t *questions)
{
    const broad_case *which = c->param;
    if (quick && which->count > 1000)
        return NULL;
    bench_boxes *boxes = bench_alloc(1, sizeof *boxes);
    bench_boxes_make(boxes, which->count, which->density, !which->random);
    *questions = BENCH_STEPS;
    return boxes;
}

static void teardown(void *data)
{
    bench_boxes_clear(data);
    free(data);
}

/* ---- abut ---- */

typedef struct abut_state {
    bench_answers answers; /* first: judge.c reads it */
    abut_aabb *boxes;
    abut_broad *broad;
    uint64_t pairs;
} abut_state;

static void *prepare(void *data, int variant)
{
    const bench_boxes *job = data;
    abut_broad_opts opts;
    abut_state *s = bench_alloc(1, sizeof *s);
    bench_answers_init(&s->answers, job, 1);
    s->boxes = bench_alloc(job->count, sizeof *s->boxes);
    abut_broad_opts_init(&opts);
    opts.method = (abut_broad_method)variant;
    if (abut_broad_create(&opts, NULL, &s->broad)) {
        bench_answers_clear(&s->answers);
        free(s->boxes);
        free(s);
        return NULL;
    }
    return s;
}

static double run(void *state, int variant)
{
    (void)variant;
    abut_state *s = state;
    const bench_boxes *job = s->answers.job;
    s->pairs = 0;
    for (size_t step = 0; step < BENCH_STEPS; ++step) {
        const double(*lo)[3] = (const double(*)[3])(job->lo + step * job->count);
        const double(*hi)[3] = (const double(*)[3])(job->hi + step * job->count);
        for (size_t i = 0; i < job->count; ++i)
            s->boxes[i] = (abut_aabb){ { lo[i][0], lo[i][1], lo[i][2] }, { hi[i][0], hi[i][1], hi[i][2] } };
        const abut_box_pair *pairs;
        size_t found = 0;
        if (abut_broad_update(s->broad, s->boxes, job->count, &pairs, &found) == ABUT_OK)
            s->pairs += found;
    }
    s->answers.value[0] = (double)s->pairs;
    return (double)s->pairs;
}

static void count(void *state, int variant, bench_counters *counters)
{
    const abut_state *s = state;
    (void)variant;
    bench_count(counters, "pairs", (double)s->pairs / BENCH_STEPS);
}

static void finish(void *state, int variant)
{
    (void)variant;
    abut_state *s = state;
    abut_broad_destroy(s->broad);
    bench_answers_clear(&s->answers);
    free(s->boxes);
    free(s);
}

void bench_register_broad(void);
void bench_register_broad(void)
{
    for (size_t i = 0; i < sizeof broad_cases / sizeof *broad_cases; ++i) {
        bench_case c = { .family = "broad",
                         .name = broad_cases[i].name,
                         .param = &broad_cases[i],
                         .setup = setup,
                         .teardown = teardown,
                         .abut = { .variant = ABUT_BROAD_AUTO,
                                   .prepare = prepare,
                                   .run = run,
                                   .wrong = bench_boxes_wrong,
                                   .count = count,
                                   .finish = finish } };
        int used = 0;
        /* FCL takes 0.4 s a step for 10^4 boxes at random places, and it, Bullet and CGAL are 10 to 20
         * times slower than abut at 10^5: beyond that a row would take an hour. */
        const bool patient = broad_cases[i].count <= (broad_cases[i].random ? 10000 : 100000);
        (void)patient;
#ifdef BENCH_HAVE_FCL
        used += patient ? bench_fcl_boxes(c.peers + used, BENCH_PEERS - used) : 0;
#endif
#ifdef BENCH_HAVE_BULLET
        used += patient ? bench_bullet_boxes(c.peers + used, BENCH_PEERS - used) : 0;
#endif
#ifdef BENCH_HAVE_CGAL
        used += broad_cases[i].count <= 100000 ? bench_cgal_boxes(c.peers + used, BENCH_PEERS - used) : 0;
#endif
#ifdef BENCH_HAVE_EMBREE
        used += bench_embree_boxes(c.peers + used, BENCH_PEERS - used);
#endif
        (void)used;
        bench_add(&c);
    }
}
