/* SPDX-License-Identifier: MIT */
/* Stretches of time and how one body moves in the frame of the other over each: the range is
 * halved where it must be, and each stretch is enclosed once.
 *
 * With s the time since the middle of a cell, a point p of a is in the frame of b at
 *     x = c + s v + (q + s w) (p - middle),   up to off0 + off1 |p - middle|,
 * at all times of the cell. Certified; the doubles are used in rounding to nearest. */
#ifndef ABUT_CCD_RIGID_CELL_H
#define ABUT_CCD_RIGID_CELL_H

#include "base/memory.h"
#include "ccd/proof/relative.h"

typedef struct abut_motion_cell {
    double lo, hi, mid;
    abut_mat3 q, w;
    abut_vec3 c, v;
    double off0, off1; /* infinite where nothing is known */
    /* bound of |q(t) - q|, in the spectral norm: what a box turns */
    double turn;
    /* no less apart are the middles of both bodies at any time of the cell, however they turn */
    double apart;
    uint32_t left; /* number of the first half, the other follows; 0: not halved yet */
    bool last;     /* too short to be halved */
} abut_motion_cell;

typedef struct abut_motion_cells {
    abut_relative_side a, b;
    abut_vec3 middle, middle_b; /* of a and of b, each in its own frame */
    abut_allocator alloc;
    ABUT_ARRAY(abut_motion_cell) list; /* the first one is the whole range */
    bool failed;                       /* memory was out */
} abut_motion_cells;

abut_status abut_motion_cells_begin(const abut_motion *motion_a, const abut_motion *motion_b,
                                    abut_interval range, abut_vec3 middle_a, abut_vec3 middle_b,
                                    const abut_allocator *alloc, abut_motion_cells *out);
void abut_motion_cells_end(abut_motion_cells *cells);
/* Halves a cell; false where it is too short or memory is out (`failed`). */
bool abut_motion_cells_halve(abut_motion_cells *cells, uint32_t cell);

#endif
