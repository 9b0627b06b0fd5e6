/* SPDX-License-Identifier: MIT */
/* abut on vertex-face and edge-edge queries (W9 and the public ones): one call a query, through
 * the public interface, with first time, point and normal. */
#include "peers.h"

#include <abut/triangle.h>

#include <stdlib.h>
#include <time.h>

typedef struct impact_state {
    bench_answers answers; /* first: judge.c reads it */
    abut_vec3 *start, *end;
    uint64_t exact, times;
} impact_state;

static abut_vec3 vector(const double x[3])
{
    return (abut_vec3){ x[0], x[1], x[2] };
}

static void *prepare(void *data, int variant)
{
    const bench_elements *job = data;
    (void)variant;
    impact_state *s = bench_alloc(1, sizeof *s);
    bench_answers_init(&s->answers, job, job->count);
    s->start = bench_alloc(4 * job->count, sizeof *s->start);
    s->end = bench_alloc(4 * job->count, sizeof *s->end);
    for (size_t i = 0; i < 4 * job->count; ++i) {
        s->start[i] = vector(job->elements[i / 4].from[i % 4]);
        s->end[i] = vector(job->elements[i / 4].to[i % 4]);
    }
    return s;
}

static double run(void *state, int variant)
{
    impact_state *s = state;
    const bench_elements *job = s->answers.job;
    (void)variant;
    s->exact = s->times = 0;
    for (size_t i = 0; i < job->count; ++i) {
        abut_impact_result r;
        const abut_status status = job->edges
                                       ? abut_edge_edge_contact(s->start + 4 * i, s->end + 4 * i, NULL, &r)
                                       : abut_vertex_face_contact(s->start + 4 * i, s->end + 4 * i, NULL, &r);
        s->answers.value[i] = status == ABUT_OK && r.verdict == ABUT_FIRST_CONTACT;
        s->exact += r.counters.exact;
        s->times += r.counters.iterations;
    }
    return bench_answers_sum(&s->answers, job->count);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The longest query, in microseconds: each is asked several times, and its shortest time counts. */
static double worst_of(const impact_state *s)
{
    const bench_elements *job = s->answers.job;
    double worst = 0;
    for (size_t i = 0; i < job->count; ++i) {
        double least = 1;
        for (int k = 0; k < 5; ++k) {
            abut_impact_result r;
            const double from = seconds();
            if (job->edges)
                abut_edge_edge_contact(s->start + 4 * i, s->end + 4 * i, NULL, &r);
            else
                abut_vertex_face_contact(s->start + 4 * i, s->end + 4 * i, NULL, &r);
            const double took = seconds() - from;
            least = took < least ? took : least;
        }
        worst = least > worst ? least : worst;
    }
    return 1e6 * worst;
}

static void count(void *state, int variant, bench_counters *counters)
{
    const impact_state *s = state;
    const bench_elements *job = s->answers.job;
    (void)variant;
    bench_count(counters, "times", (double)s->times / (double)job->count);
    bench_count(counters, "exact", (double)s->exact / (double)job->count);
    bench_count(counters, "worst", worst_of(s));
}

static void finish(void *state, int variant)
{
    impact_state *s = state;
    (void)variant;
    bench_answers_clear(&s->answers);
    free(s->start);
    free(s->end);
    free(s);
}

bench_contender bench_abut_elements(void)
{
    return (bench_contender){
        .prepare = prepare, .run = run, .wrong = bench_elements_wrong, .count = count, .finish = finish
    };
}
