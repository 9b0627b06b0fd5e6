/* SPDX-License-Identifier: MIT */
/* Regions live in chunks that double in size, so that none ever moves; two binary heaps hold
 * their numbers. A region that was taken out through one heap stays in the other until it comes
 * up there, and only then is its place free again. Ties go to the newest region: the search goes
 * deep before it goes wide. */
#include "ccd/minimise/minimise_queue.h"

#include "base/heap.h"

void abut_queue_open(abut_queue *q, abut_workspace *ws, bool by_upper, bool by_lower)
{
    *q = (abut_queue){ .ws = ws, .by_upper = by_upper, .by_lower = by_lower };
}

/* ---- the pool ---- */

static abut_region *region_at(const abut_queue *q, uint32_t index)
{
    const uint32_t shifted = index / ABUT_QUEUE_FIRST + 1;
    int chunk = 0;
    while (shifted >> (chunk + 1))
        ++chunk;
    return &q->chunks[chunk][index - ABUT_QUEUE_FIRST * ((1u << chunk) - 1)];
}

static bool pool_take(abut_queue *q, uint32_t *index)
{
    if (q->free_count) {
        *index = q->free[--q->free_count];
        return true;
    }
    uint32_t below = 0;
    for (int chunk = 0; chunk < ABUT_QUEUE_CHUNKS; ++chunk) {
        const uint32_t size = (uint32_t)ABUT_QUEUE_FIRST << chunk;
        if (q->used < below + size) {
            if (!q->chunks[chunk])
                q->chunks[chunk] = abut_workspace_take(q->ws, size, sizeof(abut_region));
            if (!q->chunks[chunk])
                return false;
            *index = q->used++;
            return true;
        }
        below += size;
    }
    return false;
}

/* The list of free places has always room for all places: it grows with pushes. */
static void pool_release(abut_queue *q, uint32_t index)
{
    abut_region *r = region_at(q, index);
    if (--r->held == 0)
        q->free[q->free_count++] = index;
}

/* ---- heaps ---- */

static bool before(const abut_heap_entry *a, const abut_heap_entry *b)
{
    return a->key != b->key ? a->key < b->key : (int32_t)(a->sequence - b->sequence) > 0;
}

ABUT_HEAP(heap, abut_heap_entry, before)

/* Drops what was taken through the other heap; NULL when it is empty. */
static abut_heap_entry *heap_top(abut_queue *q, abut_heap *h)
{
    while (h->count && region_at(q, h->entries[0].region)->taken) {
        const uint32_t index = h->entries[0].region;
        (void)heap_pop(h->entries, &h->count);
        pool_release(q, index);
    }
    return h->count ? &h->entries[0] : NULL;
}

static bool heap_reserve(abut_queue *q, abut_heap *h)
{
    abut_heap_entry *entries =
        abut_workspace_grow(q->ws, h->entries, h->count, &h->capacity, sizeof *h->entries);
    if (entries)
        h->entries = entries;
    return entries;
}

/* ---- the queue ---- */

bool abut_queue_push(abut_queue *q, const abut_region *r, ia time)
{
    uint32_t index;
    if ((q->by_upper && !heap_reserve(q, &q->upper)) || (q->by_lower && !heap_reserve(q, &q->lower)))
        return false;
    uint32_t *list = q->free;
    while (q->free_capacity <= q->used) { /* room for every place there will be after this push */
        list = abut_workspace_grow(q->ws, q->free, q->free_capacity, &q->free_capacity, sizeof *list);
        if (!list)
            return false;
        q->free = list;
    }
    if (!pool_take(q, &index))
        return false;
    abut_region *copy = region_at(q, index);
    *copy = *r;
    copy->taken = false;
    copy->held = (uint32_t)q->by_upper + (uint32_t)q->by_lower;
    ++q->sequence;
    if (q->by_upper)
        heap_push(q->upper.entries, &q->upper.count, &(abut_heap_entry){ ia_hi(time), q->sequence, index });
    if (q->by_lower)
        heap_push(q->lower.entries, &q->lower.count, &(abut_heap_entry){ ia_lo(time), q->sequence, index });
    ++q->count;
    return true;
}

bool abut_queue_pop(abut_queue *q, bool by_upper, abut_region *out)
{
    abut_heap *h = by_upper ? &q->upper : &q->lower;
    const abut_heap_entry *top = heap_top(q, h);
    if (!top)
        return false;
    const uint32_t index = top->region;
    abut_region *r = region_at(q, index);
    *out = *r;
    r->taken = true;
    (void)heap_pop(h->entries, &h->count);
    pool_release(q, index);
    --q->count;
    return true;
}

double abut_queue_earliest(abut_queue *q, const abut_problem *problems)
{
    if (q->by_lower) {
        const abut_heap_entry *top = heap_top(q, &q->lower);
        return top ? top->key : HUGE_VAL;
    }
    double earliest = HUGE_VAL;
    for (size_t i = 0; i < q->upper.count; ++i) {
        const abut_region *r = region_at(q, q->upper.entries[i].region);
        const double lo = ia_lo(r->x[problems[r->problem].unknowns - 1]);
        if (!r->taken && lo < earliest)
            earliest = lo;
    }
    return earliest;
}
