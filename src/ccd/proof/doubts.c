/* SPDX-License-Identifier: MIT */
/* What a walk left open of contacts over time: proofs at single times, where exact predicates know some; between
 * two of those convex bodies that are translated stay in contact; and the static check, within tolerance. */
#include "ccd/proof/doubts.h"

#include "ccd/proof/convex_line.h"
#include "ccd/proof/within.h"

/* That many are examined, by proofs and within tolerance. */
enum { MOST_DOUBTS = 64, MOST_WITHIN = 8 };

static bool is_rigid(const abut_motion *motion)
{
    return !motion || abut_motion_is_rigid(motion);
}

bool abut_doubts_wide(const abut_contact_interval *item, double most)
{
    return item->enter.hi - item->enter.lo > most || item->exit.hi - item->exit.lo > most;
}

/* Hardly anything is known of how long it lasts. */
static bool is_vague(const abut_doubts *d, const abut_contact_interval *item)
{
    return abut_doubts_wide(item, 1e-6 * (d->moving->range.hi - d->moving->range.lo)) &&
           item->enter.hi >= item->exit.lo;
}

/* When a contact that is not proved to be one is proved at single times. *whole: and all the time between. */
static bool narrow_interval(const abut_doubts *d, abut_contact_interval *item, bool *whole)
{
    const abut_interval time = { item->enter.lo, item->exit.hi };
    double t;
    *whole = false;
    if (!is_rigid(d->touch.motion_a) || !is_rigid(d->touch.motion_b) ||
        !abut_exact_touch_early(&d->touch, time, true, &t))
        return false;
    item->enter.hi = t;
    if (abut_exact_touch_late(&d->touch, (abut_interval){ t, time.hi }, &t))
        item->exit.lo = t;
    const abut_convex_line line =
        item->enter.hi <= item->exit.lo ? abut_convex_line_of(&d->touch, time) : ABUT_LINE_NONE;
    if (line == ABUT_LINE_STILL)
        *item = (abut_contact_interval){ { time.lo, time.lo }, { time.hi, time.hi } };
    *whole = line != ABUT_LINE_NONE;
    return true;
}

/* A contact that is none for certain, or of which it is hardly known when it begins or ends. */
void abut_doubts_take(abut_doubts *d, const abut_run *run, abut_contact_interval *item)
{
    const bool proved = run->certain && run->whole;
    abut_contact_interval found = *item;
    bool whole;
    if (proved && !is_vague(d, item))
        return;
    if (++d->count > MOST_DOUBTS) {
        d->doubtful = d->doubtful || !proved;
        d->open = d->open || !run->certain;
        return;
    }
    const bool instants = narrow_interval(d, &found, &whole);
    if (instants && (whole || !proved))
        *item = found;
    if (whole && !is_vague(d, item))
        return;
    d->doubtful = d->doubtful || !(proved || whole);
    if (run->certain && !run->may_part) /* what is left of it is between proofs */
        return;
    const bool spent = d->moving->stop == ABUT_STOP_BUDGET;
    const abut_interval time = { item->enter.lo, item->exit.hi };
    if (d->count > MOST_WITHIN || (spent && d->limited) ||
        !abut_within_interval(&d->touch, time, d->moving->range, spent, &found)) {
        d->open = d->open || !(run->certain || instants);
        return;
    }
    found.enter.hi = instants ? fmin(found.enter.hi, item->enter.hi) : found.enter.hi;
    found.exit.lo = instants ? fmax(found.exit.lo, item->exit.lo) : found.exit.lo;
    *item = found;
    d->doubtful = true;
}
