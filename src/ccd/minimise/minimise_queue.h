/* SPDX-License-Identifier: MIT */
/* The regions that the minimiser has still to examine: a pool of them in the workspace, and
 * heaps by the upper and by the lower bound of the time. */
#ifndef ABUT_CCD_MINIMISE_MINIMISE_QUEUE_H
#define ABUT_CCD_MINIMISE_MINIMISE_QUEUE_H

#include "ccd/minimise/minimise.h"

typedef struct abut_region {
    ia x[ABUT_PROBLEM_UNKNOWNS];
    ia3 place; /* contains where its solutions are; from the region it was cut out of */
    uint32_t problem;
    uint32_t held; /* heaps that hold it; the queue's own */
    bool taken;
    bool placed; /* place is known */
} abut_region;

enum { ABUT_QUEUE_CHUNKS = 26, ABUT_QUEUE_FIRST = 64 };

typedef struct abut_heap_entry {
    double key;
    uint32_t sequence, region;
} abut_heap_entry;

typedef struct abut_heap {
    abut_heap_entry *entries;
    size_t count, capacity;
} abut_heap;

typedef struct abut_queue {
    abut_workspace *ws;
    abut_region *chunks[ABUT_QUEUE_CHUNKS]; /* chunk k has ABUT_QUEUE_FIRST * 2^k regions */
    uint32_t used;                          /* of all chunks */
    uint32_t *free;
    size_t free_count, free_capacity;
    abut_heap upper, lower;
    bool by_upper, by_lower; /* which heaps are kept */
    uint32_t sequence;
    size_t count; /* regions waiting */
} abut_queue;

void abut_queue_open(abut_queue *q, abut_workspace *ws, bool by_upper, bool by_lower);
/* Copies it in; `time` is its interval of time. False: memory is out. */
bool abut_queue_push(abut_queue *q, const abut_region *r, ia time);
/* Takes out the region with the least upper (or lower) bound, of equal ones the newest. Only by
 * a heap that is kept. False: none left. */
bool abut_queue_pop(abut_queue *q, bool by_upper, abut_region *out);
/* Least lower bound of the time of all regions; INFINITY when there are none. */
double abut_queue_earliest(abut_queue *q, const abut_problem *problems);

#endif
