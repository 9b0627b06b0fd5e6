/* SPDX-License-Identifier: MIT */
/* abut's kernels as a contender, for whichever rounding strategy ia.h was compiled with. */
#ifndef ABUT_BENCH_INTERVAL_LOOPS_H
#define ABUT_BENCH_INTERVAL_LOOPS_H

#include "interval/ia.h"
#include "interval_job.h"

#include <stdlib.h>

typedef struct kernel_state {
    const interval_job *job;
    interval_ends out[INTERVAL_COUNT];
    ia *a, *b, *r;
} kernel_state;

#define LOOP_1(function)                     \
    for (int i = 0; i < INTERVAL_COUNT; ++i) \
        s->r[i] = function(s->a[i]);         \
    break
#define LOOP_2(function)                      \
    for (int i = 0; i < INTERVAL_COUNT; ++i)  \
        s->r[i] = function(s->a[i], s->b[i]); \
    break

static ABUT_NOINLINE void kernel_loops(kernel_state *s)
{
    switch (s->job->op) {
    case INTERVAL_ADD: LOOP_2(ia_add);
    case INTERVAL_SUB: LOOP_2(ia_sub);
    case INTERVAL_MUL: LOOP_2(ia_mul);
    case INTERVAL_DIV: LOOP_2(ia_div);
    case INTERVAL_SQRT: LOOP_1(ia_sqrt);
    case INTERVAL_EXP: LOOP_1(ia_exp);
    case INTERVAL_LOG: LOOP_1(ia_log);
    case INTERVAL_SIN: LOOP_1(ia_sin);
    case INTERVAL_COS: LOOP_1(ia_cos);
    case INTERVAL_ATAN: LOOP_1(ia_atan);
    case INTERVAL_OPS: break;
    }
}

static double kernel_run(void *state, int which)
{
    kernel_state *s = (kernel_state *)state;
    (void)which;
    const abut_rounding saved = abut_rounding_enter();
    kernel_loops(s);
    abut_rounding_leave(saved);
    return ia_hi(s->r[INTERVAL_COUNT - 1]);
}

static void *kernel_prepare(void *data, int which)
{
    (void)which;
    kernel_state *s = (kernel_state *)bench_alloc(1, sizeof *s);
    s->job = (const interval_job *)data;
    s->a = (ia *)bench_alloc(INTERVAL_COUNT, sizeof *s->a);
    s->b = (ia *)bench_alloc(INTERVAL_COUNT, sizeof *s->b);
    s->r = (ia *)bench_alloc(INTERVAL_COUNT, sizeof *s->r);
    for (int i = 0; i < INTERVAL_COUNT; ++i) {
        s->a[i] = ia_make(s->job->a[i].lo, s->job->a[i].hi);
        s->b[i] = ia_make(s->job->b[i].lo, s->job->b[i].hi);
    }
    return s;
}

static void kernel_read(kernel_state *s)
{
    for (int i = 0; i < INTERVAL_COUNT; ++i)
        s->out[i] = (interval_ends){ ia_lo(s->r[i]), ia_hi(s->r[i]) };
}

static uint64_t kernel_wrong(void *state, int which)
{
    kernel_state *s = (kernel_state *)state;
    (void)which;
    kernel_read(s);
    return interval_judge(s->job, s->out);
}

static void kernel_count(void *state, int which, bench_counters *counters)
{
    kernel_state *s = (kernel_state *)state;
    (void)which;
    kernel_read(s);
    bench_count(counters, "excess_ulps", interval_mean_excess(s->job, s->out));
}

static void kernel_finish(void *state, int which)
{
    kernel_state *s = (kernel_state *)state;
    (void)which;
    free(s->a);
    free(s->b);
    free(s->r);
    free(s);
}

static const bench_contender kernel_contender = { .name = "abut",
                                                  .prepare = kernel_prepare,
                                                  .run = kernel_run,
                                                  .wrong = kernel_wrong,
                                                  .count = kernel_count,
                                                  .finish = kernel_finish };

#endif
