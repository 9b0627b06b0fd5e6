/* SPDX-License-Identifier: MIT */
/* A binary heap; see queue.h. Ties are broken by numbers, so that the order in which pairs are
 * taken does not depend on how they came in. */
#include "ccd/rigid/queue.h"

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

bool abut_rigid_push(abut_rigid_queue *queue, const abut_rigid_item *item)
{
    if (!ABUT_ARRAY_RESERVE(&queue->alloc, &queue->heap, 1))
        return false;
    abut_rigid_item *heap = queue->heap.items;
    size_t i = queue->heap.count++;
    while (i > 0) {
        const size_t up = (i - 1) / 2;
        if (!is_before(item, &heap[up]))
            break;
        heap[i] = heap[up];
        i = up;
    }
    heap[i] = *item;
    return true;
}

abut_rigid_item abut_rigid_pop(abut_rigid_queue *queue)
{
    abut_rigid_item *heap = queue->heap.items;
    const abut_rigid_item top = heap[0], last = heap[--queue->heap.count];
    const size_t count = queue->heap.count;
    size_t i = 0;
    for (;;) {
        size_t down = 2 * i + 1;
        if (down >= count)
            break;
        if (down + 1 < count && is_before(&heap[down + 1], &heap[down]))
            ++down;
        if (!is_before(&heap[down], &last))
            break;
        heap[i] = heap[down];
        i = down;
    }
    heap[i] = last;
    return top;
}
