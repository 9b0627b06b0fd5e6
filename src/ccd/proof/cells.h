/* SPDX-License-Identifier: MIT */
/* Time from left to right by intervals: a cell is decided, or halved and its left half examined
 * first. */
#ifndef ABUT_CCD_PROOF_CELLS_H
#define ABUT_CCD_PROOF_CELLS_H

#include "ccd/proof/moving.h"

/* Cells are handed on after so many, in the caller's rounding mode: what is done with them may
 * be his code. */
enum { ABUT_CELLS_BURST = 16 };

typedef struct abut_cells {
    abut_moving *m;
    void *state; /* of the functions */
    /* Kernel (see interval/ia.h): one cell; false: split it. */
    bool (*decide)(void *state, double lo, double hi);
    /* Kernel: nothing will be known of this one. */
    void (*give_up)(void *state, double lo, double hi);
    /* All that was decided since; false when no more are wanted. */
    bool (*hand_on)(void *state);
} abut_cells;

/* Over [lo, hi], where both motions are smooth; false when no more cells are wanted. */
bool abut_cells_walk(const abut_cells *cells, double lo, double hi);

#endif
