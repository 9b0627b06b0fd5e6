/* SPDX-License-Identifier: MIT */
/* Sets of stretches of time; see spans.h. */
#include "ccd/rigid/spans.h"

#include <math.h>
#include <string.h>

/* Number of the first span that ends at t or later. */
static size_t find(const abut_spans *s, double t)
{
    size_t lo = 0, hi = s->list.count;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (s->list.items[mid].hi < t)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

bool abut_spans_add(abut_spans *s, abut_time_span add)
{
    const size_t from = find(s, add.lo);
    size_t to = from;
    while (to < s->list.count && s->list.items[to].lo <= add.hi) {
        const abut_time_span *old = &s->list.items[to++];
        add = (abut_time_span){ fmin(add.lo, old->lo), fmax(add.hi, old->hi), add.certain || old->certain };
    }
    if (to == from && !ABUT_ARRAY_RESERVE(&s->alloc, &s->list, 1))
        return false;
    abut_time_span *items = s->list.items;
    memmove(&items[from + 1], &items[to], (s->list.count - to) * sizeof *items);
    items[from] = add;
    s->list.count = s->list.count + 1 - (to - from);
    return true;
}

const abut_time_span *abut_spans_at(const abut_spans *s, double t)
{
    const size_t i = find(s, t);
    return i < s->list.count ? &s->list.items[i] : NULL;
}
