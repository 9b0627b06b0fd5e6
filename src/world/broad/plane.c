/* SPDX-License-Identifier: MIT */
/* Boxes as rectangles in a coordinate plane (the two-dimensional variant of I-COLLIDE, section 4.2):
 * a plane sweeps along x; the boxes that it cuts have their y intervals in an interval tree; a box that
 * begins asks for all intervals that overlap its own, O(log n + k), and what is found is compared
 * along z. No lists of one axis with many intervals on top of each other.
 *
 * The interval tree (Edelsbrunner 1983) is a balanced tree over the ranks of the y ends. A box waits at
 * the highest node whose rank lies in its y interval. A query walks down to its own ends: at nodes left
 * of it what ends late enough is reported, at nodes right of it what begins early enough, and all in
 * between. Lists at a node are linked and not sorted: what a node's list is asked for is bounded by the
 * extremes that each node keeps of its subtree, so that subtrees without an answer are left out. */
#include "world/broad/persist.h"

#include "base/sort.h"
#include "world/broad/aabb.h"

typedef struct plane_event {
    double at;
    uint32_t owner; /* twice the box, plus 1 for an end */
} plane_event;

/* A node stands for the rank in its middle; children by halving. */
typedef struct plane_run {
    const abut_aabb *boxes;
    double *ranks; /* y ends, ascending */
    size_t rank_count;
    uint32_t *first;         /* a node: its list, plus 1 */
    size_t *waiting;         /* a node: boxes in it and below */
    uint32_t *next, *before; /* a box: neighbours in its list, plus 1 */
    uint32_t *node;          /* a box: where it waits */
    abut_pair_list *out;
} plane_run;

static bool event_before(void *ctx, const void *x, const void *y)
{
    const plane_event *a = x, *b = y;
    (void)ctx;
    if (a->at != b->at)
        return a->at < b->at;
    /* begins first: boxes are closed */
    return (a->owner & 1) != (b->owner & 1) ? (a->owner & 1) < (b->owner & 1) : a->owner < b->owner;
}

/* Finds where an interval waits, counting it in on the way (by = 1) or out (by = -1). */
static size_t descend(const plane_run *run, double lo, double hi, int by)
{
    size_t begin = 0, end = run->rank_count;
    for (;;) {
        const size_t mid = begin + (end - begin) / 2;
        run->waiting[mid] += (size_t)by;
        if (hi < run->ranks[mid])
            end = mid;
        else if (lo > run->ranks[mid])
            begin = mid + 1;
        else
            return mid;
    }
}

static void put_in(const plane_run *run, uint32_t box)
{
    const size_t node = descend(run, run->boxes[box].lo.y, run->boxes[box].hi.y, 1);
    run->node[box] = (uint32_t)node;
    run->before[box] = 0;
    run->next[box] = run->first[node];
    if (run->first[node])
        run->before[run->first[node] - 1] = box + 1;
    run->first[node] = box + 1;
}

static void take_out(const plane_run *run, uint32_t box)
{
    const size_t node = descend(run, run->boxes[box].lo.y, run->boxes[box].hi.y, -1);
    if (run->before[box])
        run->next[run->before[box] - 1] = run->next[box];
    else
        run->first[node] = run->next[box];
    if (run->next[box])
        run->before[run->next[box] - 1] = run->before[box];
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the logarithm of the ranks. */
static bool report(const plane_run *run, size_t begin, size_t end, uint32_t box)
{
    if (begin >= end)
        return true;
    const size_t mid = begin + (end - begin) / 2;
    if (run->waiting[mid] == 0)
        return true;
    const abut_aabb *own = &run->boxes[box];
    for (uint32_t i = run->first[mid]; i; i = run->next[i - 1])
        if (abut_aabb_meet(own, &run->boxes[i - 1]) && !abut_pair_list_add(run->out, box, i - 1))
            return false;
    return (!(own->lo.y <= run->ranks[mid]) || report(run, begin, mid, box)) &&
           (!(own->hi.y >= run->ranks[mid]) || report(run, mid + 1, end, box));
}

static abut_status sweep(const plane_run *run, const plane_event *events, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        const uint32_t box = events[i].owner >> 1;
        if (events[i].owner & 1) {
            take_out(run, box);
        } else {
            if (!report(run, 0, run->rank_count, box))
                return run->out->status;
            put_in(run, box);
        }
    }
    return ABUT_OK;
}

abut_status abut_plane_pairs(const abut_aabb *boxes, size_t count, abut_pair_list *out)
{
    if (count >= UINT32_MAX / 2)
        return ABUT_ERR_LIMIT;
    const abut_allocator *alloc = &out->alloc;
    plane_run run = { .boxes = boxes, .out = out };
    plane_event *events = abut_base_alloc(alloc, 2 * count, sizeof *events);
    run.ranks = abut_base_alloc(alloc, count, sizeof *run.ranks);
    run.first = abut_base_alloc_zero(alloc, count, sizeof *run.first);
    run.waiting = abut_base_alloc_zero(alloc, count, sizeof *run.waiting);
    run.next = abut_base_alloc_zero(alloc, count, sizeof *run.next);
    run.before = abut_base_alloc_zero(alloc, count, sizeof *run.before);
    run.node = abut_base_alloc_zero(alloc, count, sizeof *run.node);
    abut_status status = ABUT_ERR_MEMORY;
    if (events && run.ranks && run.first && run.waiting && run.next && run.before && run.node) {
        size_t n = 0;
        for (uint32_t i = 0; i < count; ++i)
            if (!abut_aabb_is_empty(&boxes[i])) {
                events[2 * n] = (plane_event){ boxes[i].lo.x, 2 * i };
                events[2 * n + 1] = (plane_event){ boxes[i].hi.x, 2 * i + 1 };
                run.ranks[n++] = boxes[i].lo.y; /* each interval holds its own begin */
            }
        run.rank_count = n;
        abut_base_sort_doubles(run.ranks, n);
        abut_base_sort(events, 2 * n, sizeof *events, event_before, NULL);
        status = sweep(&run, events, 2 * n);
    }
    abut_base_free(alloc, events, 2 * count, sizeof *events);
    abut_base_free(alloc, run.ranks, count, sizeof *run.ranks);
    abut_base_free(alloc, run.first, count, sizeof *run.first);
    abut_base_free(alloc, run.waiting, count, sizeof *run.waiting);
    abut_base_free(alloc, run.next, count, sizeof *run.next);
    abut_base_free(alloc, run.before, count, sizeof *run.before);
    abut_base_free(alloc, run.node, count, sizeof *run.node);
    return status;
}
