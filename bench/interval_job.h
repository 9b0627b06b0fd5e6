/* SPDX-License-Identifier: MIT */
/* What the interval cases ask of their contenders: the same operation on arrays of intervals
 * that fit in the second-level cache. Everyone keeps its operands and results in its own
 * representation; `prepare` converts, `run` only computes. */
#ifndef ABUT_BENCH_INTERVAL_JOB_H
#define ABUT_BENCH_INTERVAL_JOB_H

#include "bench.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum interval_op {
    INTERVAL_ADD,
    INTERVAL_SUB,
    INTERVAL_MUL,
    INTERVAL_DIV,
    INTERVAL_SQRT,
    INTERVAL_EXP,
    INTERVAL_LOG,
    INTERVAL_SIN,
    INTERVAL_COS,
    INTERVAL_ATAN,
    INTERVAL_OPS
} interval_op;

/* Enough that branch predictors cannot learn the signs by heart. */
enum { INTERVAL_COUNT = 4096 };

typedef struct interval_ends {
    double lo, hi;
} interval_ends;

typedef struct interval_job {
    interval_op op;
    interval_ends a[INTERVAL_COUNT], b[INTERVAL_COUNT];
    /* What a right result must hold, from MPFR; judged says whether MPFR was there. */
    interval_ends needed[INTERVAL_COUNT];
    bool judged;
} interval_job;

/* How many of the results do not hold what they must. */
uint64_t interval_judge(const interval_job *job, const interval_ends *found);
/* Mean width of the results, in ulps of what is needed. */
double interval_mean_excess(const interval_job *job, const interval_ends *found);

/* In peer_mpfi.c, which links MPFR: fills needed and judged. */
void interval_referee(interval_job *job);

/* Contenders; each returns how many it put at `out`. */
int interval_contenders_boost(bench_contender *out);
int interval_contenders_mpfi(bench_contender *out);

/* Adds one case for each operation; `suffix` tells apart which abut contends. */
void interval_add_cases(const char *suffix, const bench_contender *abut);

#ifdef __cplusplus
}
#endif

#endif
