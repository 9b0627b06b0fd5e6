/* SPDX-License-Identifier: MIT */
/* Times the contenders of a case; the method is stated in bench.h. */
#include "program.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#define MAX_ROUNDS  15
#define MIN_ROUNDS  3
#define CONTENDERS  (1 + BENCH_PEERS)
#define CASE_BUDGET 4e9 /* ns of timed rounds a case may take before rounds are left out */

typedef struct runner {
    const bench_contender *who;
    bench_time *time;
    void *state;
    uint64_t repeats;
    double samples[MAX_ROUNDS];
} runner;

/* Processor time of the whole process: other programs do not count, and work in another thread
 * does. */
static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* One batch; ns for one run. */
static double run_batch(runner *r)
{
    double sum = 0;
    const double start = now_ns();
    for (uint64_t i = 0; i < r->repeats; ++i)
        sum += r->who->run(r->state, r->who->variant);
    const double end = now_ns();
    bench_sink(sum);
    return (end - start) / (double)r->repeats;
}

/* Warms up, judges, and finds how many runs make a batch. Returns the time of a batch. */
static double warm_up(runner *r, double batch_ns)
{
    r->repeats = 1;
    double once = run_batch(r);
    const bench_contender *who = r->who;
    if (who->wrong) {
        r->time->judged = true;
        r->time->wrong = who->wrong(r->state, who->variant);
    }
    if (who->count)
        who->count(r->state, who->variant, &r->time->counters);
    if (once < 25 * batch_ns)
        once = run_batch(r); /* the first one was cold */
    if (once < batch_ns)
        r->repeats = (uint64_t)ceil(batch_ns / fmax(once, 1));
    return once * (double)r->repeats;
}

static void start(runner *r, const bench_contender *who, bench_time *time, void *data)
{
    *r = (runner){ .who = who, .time = time };
    if (!who->run)
        return;
    r->state = who->prepare ? who->prepare(data, who->variant) : data;
    time->present = r->state != NULL;
}

static void finish(runner *r, void *data)
{
    if (r->state && r->who->finish && (r->who->prepare || r->state != data))
        r->who->finish(r->state, r->who->variant);
}

void bench_measure(const bench_case *c, bool quick, bench_row *row)
{
    *row = (bench_row){ .c = c, .questions = 1, .counts = -1 };
    void *data = c->setup ? c->setup(c, quick, &row->questions) : NULL;
    if (!data || row->questions == 0) {
        if (data && c->teardown)
            c->teardown(data);
        return;
    }
    row->ran = true;

    runner *runners = bench_alloc(CONTENDERS, sizeof *runners);
    start(&runners[0], &c->abut, &row->abut, data);
    for (int i = 0; i < BENCH_PEERS; ++i)
        start(&runners[1 + i], &c->peers[i], &row->peers[i], data);

    int active[CONTENDERS], active_count = 0;
    double round_ns = 0;
    for (int i = 0; i < CONTENDERS; ++i)
        if (runners[i].state) {
            active[active_count++] = i;
            round_ns += warm_up(&runners[i], quick ? 2e5 : 2e6);
        }

    int rounds = MIN_ROUNDS;
    if (!quick && round_ns > 0)
        rounds = (int)fmin(MAX_ROUNDS, fmax(MIN_ROUNDS, CASE_BUDGET / round_ns));
    for (int round = 0; round < rounds; ++round)
        for (int i = 0; i < active_count; ++i) {
            runner *r = &runners[active[(i + round) % active_count]];
            r->samples[round] = run_batch(r);
        }

    for (int i = 0; i < active_count; ++i) {
        runner *r = &runners[active[i]];
        qsort(r->samples, (size_t)rounds, sizeof r->samples[0], by_value);
        r->time->median_ns = r->samples[rounds / 2] / (double)row->questions;
        r->time->least_ns = r->samples[0] / (double)row->questions;
    }
    for (int i = 0; i < BENCH_PEERS; ++i) {
        const bench_time *t = &row->peers[i];
        if (t->present && !(t->judged && t->wrong) &&
            (row->counts < 0 || t->median_ns < row->peers[row->counts].median_ns))
            row->counts = i;
    }
    for (int i = 0; i < CONTENDERS; ++i)
        finish(&runners[i], data);
    free(runners);
    if (c->teardown)
        c->teardown(data);
}
