/* SPDX-License-Identifier: MIT */
/* Gathering cells into runs; see runs.h. A run begins and ends with "soft" cells, in which the
 * contact begins or ends at an instant that is only enclosed (cross, graze, unknown), or with firm
 * ones (deep, touch), which begin and end sharply.
 *
 * Where the gap is lost in rounding, next to the begin and the end of a contact, proofs may
 * succeed and fail in turn. So unknown stretches close to a soft end are counted to it; farther
 * inside each may be a gap, and the run is undecided. An instant of separation next to an unknown
 * stretch splits nothing: both parts would share that instant, and one of them may be none. A
 * doubt that is parted from a contact by a short proof of separation only is of the same kind:
 * the end of the contact takes it in, which stays true. For that, runs are held back until what
 * follows is too far off. */
#include "ccd/proof/runs.h"

#include <math.h>
#include <string.h>

/* How much wider than it need be an end may become, and still as narrow as promised: a part of the
 * range; and of the goal for times, and of the roundings of times, at which walks stop to halve cells,
 * as many as may follow each other. */
static const double slack = 0x1p-40, cells = 4, rounding = 16 * 0x1p-53;

void abut_runs_begin(abut_runs *runs, abut_interval range, double accuracy, abut_run_fn emit, void *ctx)
{
    memset(runs, 0, offsetof(abut_runs, held)); /* which is most of it, and counted */
    runs->range = range;
    runs->most = fmax(fmax(slack * (range.hi - range.lo), cells * accuracy),
                      rounding * fmax(fabs(range.lo), fabs(range.hi)));
    runs->emit = emit;
    runs->ctx = ctx;
}

/* The first `count` of those held back. */
static void give_out(abut_runs *runs, int count)
{
    for (int i = 0; i < count && !runs->stopped; ++i)
        runs->stopped = !runs->emit(runs->ctx, &runs->held[i]);
    runs->held_count -= count;
    for (int i = 0; i < runs->held_count; ++i)
        runs->held[i] = runs->held[count + i];
}

/* How many of those held back are too far off to become one with a run at t or later. */
static int count_far(const abut_runs *runs, double t)
{
    int count = 0;
    while (count < runs->held_count &&
           t - (runs->held[count].certain ? runs->held_end : runs->held[count].enter.lo) > runs->most)
        ++count;
    return count;
}

/* At the begin of the range, and for touches, it counts how a run begins or ends: those stay as
 * they are. */
static void hand_on(abut_runs *runs, const abut_run *run)
{
    abut_run next = *run;
    give_out(runs, count_far(runs, run->certain ? run->enter.lo : run->exit.hi));
    const int count = runs->held_count;
    if (count > 0 && !run->certain && (runs->held[0].certain || count == ABUT_RUNS_HELD)) {
        abut_run *last = &runs->held[count - 1];
        last->exit.hi = run->exit.hi;
        if (!last->certain) /* one doubt for two, as there is no room */
            last->enter.hi = run->exit.hi;
        last->exact = last->exact && run->exact;
        return;
    }
    if (count > 0 && run->certain && !runs->held[0].certain) {
        next.enter.lo = runs->held[0].enter.lo;
        next.exact = false;
        next.touch_only = false;
        runs->held_count = 0;
    }
    if (run->certain) {
        give_out(runs, runs->held_count);
        runs->held_end = run->exit.hi;
    }
    runs->held[runs->held_count++] = next;
    if (run->certain ? run->touch_only || run->may_part : run->begins_open)
        give_out(runs, runs->held_count);
}

/* `over`: it is known to end there. */
static void close_run(abut_runs *runs, double end, bool over)
{
    abut_run *run = &runs->run;
    runs->open = runs->instant = false;
    if (runs->has_tail && !runs->leading) {
        if (runs->soft_begin < end && end - runs->tail <= runs->most)
            runs->soft_begin = runs->tail;
        else
            runs->doubt_inside = true;
    }
    run->enter = (abut_interval){ runs->begin, runs->leading ? end : runs->soft_end };
    run->exit = (abut_interval){ runs->leading ? runs->begin : runs->soft_begin, end };
    run->whole = run->certain && !runs->doubt_inside;
    run->touch_only = over && run->certain && runs->begin == end;
    run->may_part = runs->start_doubt > runs->begin && runs->soft_begin == runs->begin;
    if (runs->start_doubt > runs->begin && !run->may_part) /* they may part, and meet again */
        run->enter.hi = runs->start_doubt;
    hand_on(runs, run);
}

/* An unknown stretch between firm ones. */
static void add_doubt(abut_runs *runs, double lo, double hi)
{
    const double most = runs->most;
    if (runs->soft_end > runs->begin && hi - runs->begin <= most) {
        runs->soft_end = hi;
    } else if (!runs->has_tail) {
        runs->has_tail = true;
        runs->tail = lo;
    } else if (hi - runs->tail > most) {
        runs->doubt_inside = true;
    }
}

bool abut_runs_add(abut_runs *runs, abut_run_cell cell, double lo, double hi, bool exact)
{
    if (runs->stopped)
        return false;
    if (cell == ABUT_CELL_APART) {
        runs->instant = runs->open && lo == hi;
        if (runs->open && lo < hi)
            close_run(runs, lo, true);
        if (runs->held_count > 0 && !runs->open)
            give_out(runs, count_far(runs, hi));
        return !runs->stopped;
    }
    if (runs->instant && cell != ABUT_CELL_UNKNOWN && runs->run.certain) {
        close_run(runs, lo, true);
        if (runs->stopped)
            return false;
    }
    runs->instant = false;
    const bool soft = cell == ABUT_CELL_CROSS || cell == ABUT_CELL_GRAZE || cell == ABUT_CELL_UNKNOWN;
    if (!runs->open) {
        runs->open = true;
        runs->leading = true;
        runs->begin = runs->soft_end = runs->soft_begin = runs->start_doubt = lo;
        runs->doubt_inside = runs->has_tail = false;
        runs->run = (abut_run){ .exact = true, .begins_open = lo == runs->range.lo };
        runs->run.deep_start = runs->run.begins_open && cell == ABUT_CELL_DEEP;
        runs->run.unknown_start = cell == ABUT_CELL_UNKNOWN && !runs->touching;
    }
    runs->run.exact = runs->run.exact && exact;
    runs->run.certain = runs->run.certain || cell != ABUT_CELL_UNKNOWN;
    if (soft) {
        if (runs->leading)
            runs->soft_end = hi;
        else if (cell == ABUT_CELL_UNKNOWN && runs->run.begins_open && runs->soft_begin == runs->begin)
            runs->start_doubt = hi;
    } else {
        if (!runs->leading && runs->soft_begin < lo)
            add_doubt(runs, runs->soft_begin, lo);
        runs->leading = false;
        runs->soft_begin = hi;
    }
    return true;
}

void abut_runs_end(abut_runs *runs)
{
    if (runs->open && !runs->stopped)
        close_run(runs, runs->range.hi, true);
    give_out(runs, runs->held_count);
}

void abut_runs_cut(abut_runs *runs, double t)
{
    if (runs->open && !runs->stopped)
        close_run(runs, t, false);
    give_out(runs, runs->held_count);
    runs->stopped = true;
}
