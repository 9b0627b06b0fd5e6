/* SPDX-License-Identifier: MIT */
/* Lists of intervals of contact. */
#ifndef ABUT_TEST_INTERVALS_H
#define ABUT_TEST_INTERVALS_H

#include "abut/query.h"

/* 1: within an interval, whatever its ends are; 0: outside of all; -1: at an end. */
static inline int interval_around(const abut_contact_interval *items, size_t count, double t)
{
    for (size_t i = 0; i < count; ++i) {
        const abut_contact_interval *const x = &items[i];
        if (x->enter.hi <= t && t <= x->exit.lo)
            return 1;
        if (x->enter.lo <= t && t <= x->exit.hi)
            return -1;
    }
    return 0;
}

#endif
