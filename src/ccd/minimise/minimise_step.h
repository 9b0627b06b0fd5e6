/* SPDX-License-Identifier: MIT */
/* What the minimiser does with one region. */
#ifndef ABUT_CCD_MINIMISE_MINIMISE_STEP_H
#define ABUT_CCD_MINIMISE_MINIMISE_STEP_H

#include "ccd/minimise/minimise_queue.h"
#include "ccd/minimise/minimise_samples.h"

/* A solution that was accepted. */
typedef struct abut_found {
    ia x[ABUT_PROBLEM_UNKNOWNS];
    ia within[ABUT_PROBLEM_UNKNOWNS]; /* isolated: no other zero is in this box */
    ia3 place;
    uint32_t problem;
    uint32_t next; /* isolated one of the same problem: number plus 1, 0 at the end */
    bool isolated; /* at most one zero in `within`, and it is in x */
    bool unique;   /* exactly one */
    bool holds;    /* a solution for sure: unique, in the range, all inequalities hold */
    bool common;   /* unique, in the range, and a point of both bodies */
    bool point;    /* a sample near which there is no other solution */
    bool twofold;  /* a sample at a double zero: bodies graze there */
    bool dropped;  /* a sample of a solution that was proved to be alone since */
} abut_found;

typedef enum abut_step_kind {
    ABUT_STEP_DROPPED, /* no solution in it that counts */
    ABUT_STEP_PARKED,  /* near a sample, and not clearly earlier */
    ABUT_STEP_CUT,     /* into `count` parts */
    ABUT_STEP_FOUND
} abut_step_kind;

typedef struct abut_step {
    abut_step_kind kind;
    int count;
    abut_region parts[2]; /* PARKED: the first is the region itself */
    abut_found found;
    bool probed; /* a solution was found by looking ahead, and accepted: `probe` */
    abut_found probe;
    uint64_t evaluations, probe_evaluations, extra; /* the latter are among the former */
} abut_step;

/* What all steps of one round share. */
typedef struct abut_minimise_round {
    const abut_problem *problems;
    const abut_minimise_opts *opts; /* no defaults left in it */
    const abut_samples *samples;
    double soonest;   /* upper bound of the time of an accepted solution */
    double limit;     /* later solutions do not count */
    double park_from; /* regions that begin later may be parked */
    double small;     /* regions are small enough to be accepted: widths of their place */
    double narrow;    /* and of their time */
    bool grazing;     /* regions before the soonest hardly get fewer; any may be parked */
    bool probe;       /* there is work to spare for looking ahead */
    /* all solutions are found; that nothing comes before `limit` is to be proved */
    bool sharpen;
} abut_minimise_round;

/* Kernel. */
void abut_minimise_step(const abut_minimise_round *round, const abut_region *region, int thread,
                        abut_step *out);

#endif
