/* SPDX-License-Identifier: MIT */
/* Interval + - * / sqrt exp log sin cos atan on arrays of intervals of mixed signs and widths.
 *
 * Rows "sin": abut's kernel functions, the rounding mode set once around the array. Rows "sin,
 * public": abut_interval_sin, which sets and restores the mode in every call. Rows "sin,
 * portable" (cases_interval_portable.c): the strategy that needs no rounding modes. Peers:
 * Boost.Interval as it comes, Boost.Interval with its protection off and the mode set once, MPFI
 * with 53 bits. */
#include "interval_loops.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const op_names[INTERVAL_OPS] = { "+",   "-",   "*",   "/",   "sqrt",
                                                    "exp", "log", "sin", "cos", "atan" };

static int64_t order(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits < 0 ? INT64_MIN - bits : bits;
}

uint64_t interval_judge(const interval_job *job, const interval_ends *found)
{
    uint64_t wrong = 0;
    for (int i = 0; job->judged && i < INTERVAL_COUNT; ++i)
        wrong += !(found[i].lo <= job->needed[i].lo && found[i].hi >= job->needed[i].hi);
    return wrong;
}

double interval_mean_excess(const interval_job *job, const interval_ends *found)
{
    double total = 0;
    for (int i = 0; job->judged && i < INTERVAL_COUNT; ++i)
        total += (double)(order(job->needed[i].lo) - order(found[i].lo)) +
                 (double)(order(found[i].hi) - order(job->needed[i].hi));
    return total / INTERVAL_COUNT;
}

#if !defined(BENCH_HAVE_MPFI)
void interval_referee(interval_job *job)
{
    job->judged = false;
}

int interval_contenders_mpfi(bench_contender *out)
{
    (void)out;
    return 0;
}
#endif
#if !defined(BENCH_HAVE_BOOST)
int interval_contenders_boost(bench_contender *out)
{
    (void)out;
    return 0;
}
#endif

/* Middles of both signs in [-size, size], widths from 1e-6 to 1 of the size, as a subdivision
 * meets them. */
static interval_ends random_interval(bench_random *r, double size)
{
    const double middle = bench_uniform(r, -size, size);
    const double width = size * pow(10, bench_uniform(r, -6, 0));
    return (interval_ends){ middle - 0.5 * width, middle + 0.5 * width };
}

static void *setup(const bench_case *c, bool quick, uint64_t *questions)
{
    (void)quick;
    interval_job *job = bench_alloc(1, sizeof *job);
    bench_random r = { 12 };
    job->op = (interval_op)c->number;
    *questions = INTERVAL_COUNT;
    for (int i = 0; i < INTERVAL_COUNT; ++i) {
        const bool angle = job->op == INTERVAL_SIN || job->op == INTERVAL_COS || job->op == INTERVAL_ATAN;
        interval_ends a = random_interval(&r, angle ? 10 : 4), b = random_interval(&r, 4);
        if (job->op == INTERVAL_SQRT || job->op == INTERVAL_LOG) /* their domain */
            while (!(a.lo > 0))
                a = random_interval(&r, 4);
        if (job->op == INTERVAL_DIV) /* either sign, without zero: with it everyone takes a short way out */
            while (b.lo <= 0 && b.hi >= 0)
                b = random_interval(&r, 4);
        job->a[i] = a;
        job->b[i] = b;
    }
    interval_referee(job);
    return job;
}

void interval_add_cases(const char *suffix, const bench_contender *abut)
{
    for (int op = 0; op < INTERVAL_OPS; ++op) {
        char *name = bench_alloc(1, 32);
        snprintf(name, 32, "%s%s", op_names[op], suffix);
        bench_case c = {
            .family = "interval", .name = name, .number = op, .setup = setup, .teardown = free, .abut = *abut
        };
        const int boost = interval_contenders_boost(c.peers);
        interval_contenders_mpfi(c.peers + boost);
        bench_add(&c);
    }
}

/* The public functions, one call an interval. */
typedef struct public_state {
    const interval_job *job;
    abut_interval a[INTERVAL_COUNT], b[INTERVAL_COUNT], r[INTERVAL_COUNT];
} public_state;

static double public_run(void *state, int which)
{
    public_state *s = state;
    (void)which;
    switch (s->job->op) {
    case INTERVAL_ADD: LOOP_2(abut_interval_add);
    case INTERVAL_SUB: LOOP_2(abut_interval_sub);
    case INTERVAL_MUL: LOOP_2(abut_interval_mul);
    case INTERVAL_DIV: LOOP_2(abut_interval_div);
    case INTERVAL_SQRT: LOOP_1(abut_interval_sqrt);
    case INTERVAL_EXP: LOOP_1(abut_interval_exp);
    case INTERVAL_LOG: LOOP_1(abut_interval_log);
    case INTERVAL_SIN: LOOP_1(abut_interval_sin);
    case INTERVAL_COS: LOOP_1(abut_interval_cos);
    case INTERVAL_ATAN: LOOP_1(abut_interval_atan);
    case INTERVAL_OPS: break;
    }
    return s->r[INTERVAL_COUNT - 1].hi;
}

static void *public_prepare(void *data, int which)
{
    (void)which;
    public_state *s = bench_alloc(1, sizeof *s);
    s->job = data;
    memcpy(s->a, s->job->a, sizeof s->a);
    memcpy(s->b, s->job->b, sizeof s->b);
    return s;
}

static uint64_t public_wrong(void *state, int which)
{
    public_state *s = state;
    static interval_ends found[INTERVAL_COUNT];
    (void)which;
    memcpy(found, s->r, sizeof found);
    return interval_judge(s->job, found);
}

static void public_finish(void *state, int which)
{
    (void)which;
    free(state);
}

void bench_register_interval(void);
void bench_register_interval(void)
{
    const bench_contender public_contender = { .name = "abut",
                                               .prepare = public_prepare,
                                               .run = public_run,
                                               .wrong = public_wrong,
                                               .finish = public_finish };
    interval_add_cases("", &kernel_contender);
    interval_add_cases(", public", &public_contender);
}
