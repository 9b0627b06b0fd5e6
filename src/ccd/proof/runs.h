/* SPDX-License-Identifier: MIT */
/* From signs over time to intervals of contact. A solver walks through the time range and
 * reports cells, each adjoining the last; this gathers the cells between two stretches of
 * separation into a run. */
#ifndef ABUT_CCD_PROOF_RUNS_H
#define ABUT_CCD_PROOF_RUNS_H

#include "abut/query.h"

typedef enum abut_run_cell {
    ABUT_CELL_APART,  /* proved separate inside the cell */
    ABUT_CELL_DEEP,   /* proved penetrating inside the cell */
    ABUT_CELL_TOUCH,  /* proved touching all over the cell, which may be one instant */
    ABUT_CELL_CROSS,  /* exactly one change between apart and deep somewhere in the cell */
    ABUT_CELL_GRAZE,  /* apart but for exactly one instant somewhere in the cell */
    ABUT_CELL_UNKNOWN /* nothing proved */
} abut_run_cell;

typedef struct abut_run {
    abut_interval enter, exit;
    bool certain;       /* contact is proved */
    bool whole;         /* and proved to last from enter to exit */
    bool deep_start;    /* begins with a proved penetration: only at the start of the range */
    bool touch_only;    /* nothing but proved touching at one instant */
    bool begins_open;   /* begins with the range */
    bool unknown_start; /* with a cell of which nothing is proved */
    bool may_part;      /* touching at the start is proved, and nothing after it */
    bool exact;
} abut_run;

/* Returns false to stop. */
typedef bool (*abut_run_fn)(void *ctx, const abut_run *run);

enum { ABUT_RUNS_HELD = 8 };

typedef struct abut_runs {
    abut_interval range;
    double most; /* how much wider an end may become */
    abut_run_fn emit;
    void *ctx;
    bool open;    /* inside a run */
    bool stopped; /* emit asked to */
    bool leading; /* only soft cells so far */
    bool doubt_inside;
    bool has_tail; /* an unknown stretch, from `tail` on, which may be part of the end */
    bool instant;  /* the last cell was an instant of separation */
    /* set by a solver: touching at the start is proved, so that contact there is not undecided if
     * it lasts */
    bool touching;
    double tail;
    /* up to here nothing is proved but a touch at the instant of the start; else the begin of
     * the run */
    double start_doubt;
    /* of the run; end of leading and begin of trailing soft cells */
    double begin, soft_end, soft_begin;
    abut_run run;
    /* Runs that ended, and may still become part of the next or take it in: one contact, or
     * doubts. */
    int held_count;
    double held_end; /* of that contact, before it took in any */
    abut_run held[ABUT_RUNS_HELD];
} abut_runs;

/* `accuracy`: the goal for times, below which cells are not halved; 0: none. */
void abut_runs_begin(abut_runs *runs, abut_interval range, double accuracy, abut_run_fn emit, void *ctx);
/* False when no further cells are wanted. `exact`: known by exact arithmetic. */
bool abut_runs_add(abut_runs *runs, abut_run_cell cell, double lo, double hi, bool exact);
void abut_runs_end(abut_runs *runs);
/* Ends the run at t, where it may go on: for those who only want to know how it begins. No
 * further cells may follow. */
void abut_runs_cut(abut_runs *runs, double t);

#endif
