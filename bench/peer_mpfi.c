/* SPDX-License-Identifier: MIT */
/* MPFI with 53 bits, and the referee of the interval cases by MPFR.
 *
 * The referee: f at the ends of the arguments, at their middles and, for sine and cosine, at the
 * doubles nearest to the extrema, each as the tightest pair of doubles around the true value; a
 * right result holds all of them. */
#include "interval_job.h"

#include <math.h>
#include <mpfi.h>
#include <stdlib.h>

static interval_ends tightest(interval_op op, double x, double y)
{
    mpfr_t a, b, r;
    int inexact = 0;
    mpfr_inits2(53, a, b, r, (mpfr_ptr)0);
    mpfr_set_d(a, x, MPFR_RNDN);
    mpfr_set_d(b, y, MPFR_RNDN);
    switch (op) {
    case INTERVAL_ADD: inexact = mpfr_add(r, a, b, MPFR_RNDD); break;
    case INTERVAL_SUB: inexact = mpfr_sub(r, a, b, MPFR_RNDD); break;
    case INTERVAL_MUL: inexact = mpfr_mul(r, a, b, MPFR_RNDD); break;
    case INTERVAL_DIV: inexact = mpfr_div(r, a, b, MPFR_RNDD); break;
    case INTERVAL_SQRT: inexact = mpfr_sqrt(r, a, MPFR_RNDD); break;
    case INTERVAL_EXP: inexact = mpfr_exp(r, a, MPFR_RNDD); break;
    case INTERVAL_LOG: inexact = mpfr_log(r, a, MPFR_RNDD); break;
    case INTERVAL_SIN: inexact = mpfr_sin(r, a, MPFR_RNDD); break;
    case INTERVAL_COS: inexact = mpfr_cos(r, a, MPFR_RNDD); break;
    case INTERVAL_ATAN: inexact = mpfr_atan(r, a, MPFR_RNDD); break;
    case INTERVAL_OPS: break;
    }
    interval_ends out;
    out.lo = mpfr_get_d(r, MPFR_RNDD);
    if (inexact)
        mpfr_nextabove(r);
    out.hi = mpfr_get_d(r, MPFR_RNDU);
    mpfr_clears(a, b, r, (mpfr_ptr)0);
    return out;
}

static void need(interval_job *job, int i, double x, double y)
{
    const interval_ends t = tightest(job->op, x, y);
    interval_ends *n = &job->needed[i];
    n->lo = fmin(n->lo, t.lo);
    n->hi = fmax(n->hi, t.hi);
}

void interval_referee(interval_job *job)
{
    job->judged = true;
    for (int i = 0; i < INTERVAL_COUNT; ++i) {
        const interval_ends a = job->a[i], b = job->b[i];
        job->needed[i] = (interval_ends){ INFINITY, -INFINITY };
        for (int j = 0; j < 9; ++j) {
            const double xs[3] = { a.lo, a.hi, 0.5 * (a.lo + a.hi) },
                         ys[3] = { b.lo, b.hi, 0.5 * (b.lo + b.hi) };
            need(job, i, xs[j % 3], ys[j / 3]);
        }
        if (job->op == INTERVAL_SIN || job->op == INTERVAL_COS)
            for (int k = -40; k <= 40; ++k) {
                const double x = k * 1.57079632679489661923;
                if (x >= a.lo && x <= a.hi)
                    need(job, i, x, 0);
            }
    }
}

typedef struct mpfi_state {
    const interval_job *job;
    mpfi_t a[INTERVAL_COUNT], b[INTERVAL_COUNT], r[INTERVAL_COUNT];
} mpfi_state;

static void *prepare(void *data, int which)
{
    (void)which;
    mpfi_state *s = bench_alloc(1, sizeof *s);
    s->job = data;
    for (int i = 0; i < INTERVAL_COUNT; ++i) {
        mpfi_init2(s->a[i], 53);
        mpfi_init2(s->b[i], 53);
        mpfi_init2(s->r[i], 53);
        mpfi_interv_d(s->a[i], s->job->a[i].lo, s->job->a[i].hi);
        mpfi_interv_d(s->b[i], s->job->b[i].lo, s->job->b[i].hi);
    }
    return s;
}

#define LOOP_1(function)                     \
    for (int i = 0; i < INTERVAL_COUNT; ++i) \
        function(s->r[i], s->a[i]);          \
    break
#define LOOP_2(function)                     \
    for (int i = 0; i < INTERVAL_COUNT; ++i) \
        function(s->r[i], s->a[i], s->b[i]); \
    break

static double run(void *state, int which)
{
    mpfi_state *s = state;
    (void)which;
    switch (s->job->op) {
    case INTERVAL_ADD: LOOP_2(mpfi_add);
    case INTERVAL_SUB: LOOP_2(mpfi_sub);
    case INTERVAL_MUL: LOOP_2(mpfi_mul);
    case INTERVAL_DIV: LOOP_2(mpfi_div);
    case INTERVAL_SQRT: LOOP_1(mpfi_sqrt);
    case INTERVAL_EXP: LOOP_1(mpfi_exp);
    case INTERVAL_LOG: LOOP_1(mpfi_log);
    case INTERVAL_SIN: LOOP_1(mpfi_sin);
    case INTERVAL_COS: LOOP_1(mpfi_cos);
    case INTERVAL_ATAN: LOOP_1(mpfi_atan);
    case INTERVAL_OPS: break;
    }
    return mpfr_get_d(&s->r[INTERVAL_COUNT - 1]->right, MPFR_RNDU);
}

static void read_ends(mpfi_state *s, interval_ends *out)
{
    for (int i = 0; i < INTERVAL_COUNT; ++i)
        out[i] =
            (interval_ends){ mpfr_get_d(&s->r[i]->left, MPFR_RNDD), mpfr_get_d(&s->r[i]->right, MPFR_RNDU) };
}

static uint64_t wrong(void *state, int which)
{
    mpfi_state *s = state;
    static interval_ends found[INTERVAL_COUNT];
    (void)which;
    read_ends(s, found);
    return interval_judge(s->job, found);
}

static void finish(void *state, int which)
{
    mpfi_state *s = state;
    (void)which;
    for (int i = 0; i < INTERVAL_COUNT; ++i) {
        mpfi_clear(s->a[i]);
        mpfi_clear(s->b[i]);
        mpfi_clear(s->r[i]);
    }
    free(s);
}

int interval_contenders_mpfi(bench_contender *out)
{
    *out = (bench_contender){
        .name = "MPFI 53 bits", .prepare = prepare, .run = run, .wrong = wrong, .finish = finish
    };
    return 1;
}
