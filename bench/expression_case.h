/* SPDX-License-Identifier: MIT */
/* What the expression cases ask: enclosures of two bumpy bodies that turn and move, with their
 * derivatives, over boxes of (u, v, t). */
#ifndef ABUT_BENCH_EXPRESSION_CASE_H
#define ABUT_BENCH_EXPRESSION_CASE_H

#include "interval_job.h"

#ifdef __cplusplus
extern "C" {
#endif

/* r = 1 + height sin(k u) sin(l v); (r cos(u) sin(v), r sin(u) sin(v), r cos(v)), turned about z
 * by `turn` t, moved by `move` t. */
typedef struct expression_body {
    double height, k, l, turn, move[3];
} expression_body;

enum {
    EXPRESSION_BOXES = 256,
    EXPRESSION_ROOTS = 3,
    EXPRESSION_RESULTS = 2 * EXPRESSION_ROOTS * 10 /* both bodies, in the layout of expr/tape.h */
};

typedef struct expression_job {
    int order;
    expression_body bodies[2];
    /* u, v of the first, u, v of the second, t */
    interval_ends box[EXPRESSION_BOXES][5];
    /* The middle of the box, and everything there. */
    double middle[EXPRESSION_BOXES][5];
    double truth[EXPRESSION_BOXES][EXPRESSION_RESULTS];
} expression_job;

static inline int expression_stride(int order)
{
    return order == 0 ? 1 : order == 1 ? 4 : 10;
}

/* How many boxes have a result that misses the truth. */
uint64_t expression_judge(const expression_job *job, interval_ends (*found)[EXPRESSION_RESULTS]);

int expression_contenders_boost(bench_contender *out);

#ifdef __cplusplus
}
#endif

#endif
