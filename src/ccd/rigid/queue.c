/* SPDX-License-Identifier: MIT */
/* A binary heap; see queue.h. Ties are broken by numbers, so that the order in which pairs are
 * taken does not depend on how they came in. */
#include "ccd/rigid/queue.h"

#include "base/heap.h"

static bool is_before(const abut_rigid_item *x, const abut_rigid_item *y)
{
    if (x->lo != y->lo)
        return x->lo < y->lo;
    if (x->depth != y->depth)
        return x->depth > y->depth;
    if (x->a != y->a)
        return x->a < y->a;
    return x->b < y->b;
}

ABUT_HEAP(heap, abut_rigid_item, is_before)

bool abut_rigid_push(abut_rigid_queue *queue, const abut_rigid_item *item)
{
    if (!ABUT_ARRAY_RESERVE(&queue->alloc, &queue->heap, 1))
        return false;
    heap_push(queue->heap.items, &queue->heap.count, item);
    return true;
}

abut_rigid_item abut_rigid_pop(abut_rigid_queue *queue)
{
    return heap_pop(queue->heap.items, &queue->heap.count);
}
