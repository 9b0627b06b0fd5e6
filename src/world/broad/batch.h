/* SPDX-License-Identifier: MIT */
/* The one-shot broad phase: all pairs of boxes that meet, from nothing but the boxes. */
#ifndef ABUT_WORLD_BROAD_BATCH_H
#define ABUT_WORLD_BROAD_BATCH_H

#include "world/broad/pair_list.h"

/* Memory that is kept from call to call. Zero-initialised but for `alloc`. */
typedef struct abut_batch {
    abut_allocator alloc;
    void *memory;
    size_t size;
} abut_batch;

void abut_batch_clear(abut_batch *batch);

/* Adds all pairs to `out`, which comes empty, in an order that depends on the boxes only. */
abut_status abut_batch_pairs(abut_batch *batch, const abut_aabb *boxes, size_t count, int threads,
                             abut_pair_list *out);

#endif
