/* SPDX-License-Identifier: MIT */
/* Pairs of nodes that may meet, the soonest first. */
#ifndef ABUT_CCD_RIGID_QUEUE_H
#define ABUT_CCD_RIGID_QUEUE_H

#include "base/memory.h"

typedef struct abut_rigid_item {
    double lo, hi; /* when they may meet, within the cell */
    uint64_t a, b; /* nodes */
    uint32_t cell;
    uint32_t depth; /* of equals, the deeper is first: leaves tell more */
} abut_rigid_item;

typedef struct abut_rigid_queue {
    abut_allocator alloc;
    ABUT_ARRAY(abut_rigid_item) heap;
} abut_rigid_queue;

/* False when memory is out. */
bool abut_rigid_push(abut_rigid_queue *queue, const abut_rigid_item *item);
/* The queue is not empty. */
abut_rigid_item abut_rigid_pop(abut_rigid_queue *queue);

#endif
