/* SPDX-License-Identifier: MIT */
/* Gathering cells into runs; see runs.h. A run begins and ends with "soft" cells, in which the contact begins or ends at an instant that is
 * only enclosed (cross, graze, unknown), or with firm ones (deep, touch), which begin and end sharply. */
#include "ccd/runs.h"

void abut_runs_begin(abut_runs *runs, abut_interval range, abut_run_fn emit, void *ctx)
{
    *runs = (abut_runs){ .range = range, .emit = emit, .ctx = ctx };
}

/* `over`: it is known to end there. */
static void close_run(abut_runs *runs, double end, bool over)
{
    abut_run *run = &runs->run;
    runs->open = false;
    run->enter = (abut_interval){ runs->begin, runs->leading ? end : runs->soft_end };
    run->exit = (abut_interval){ runs->leading ? runs->begin : runs->soft_begin, end };
    run->whole = run->certain && !runs->doubt_inside;
    run->touch_only = over && run->certain && runs->begin == end;
    if (!runs->emit(runs->ctx, run))
        runs->stopped = true;
}

bool abut_runs_add(abut_runs *runs, abut_cell cell, double lo, double hi, bool exact)
{
    if (runs->stopped)
        return false;
    if (cell == ABUT_CELL_APART) {
        if (runs->open)
            close_run(runs, lo, true);
        return !runs->stopped;
    }
    const bool soft = cell == ABUT_CELL_CROSS || cell == ABUT_CELL_GRAZE || cell == ABUT_CELL_UNKNOWN;
    if (!runs->open) {
        runs->open = true;
        runs->leading = true;
        runs->begin = runs->soft_end = runs->soft_begin = lo;
        runs->doubt_inside = false;
        runs->run = (abut_run){ .exact = true, .begins_open = lo == runs->range.lo };
        runs->run.deep_start = runs->run.begins_open && cell == ABUT_CELL_DEEP;
        runs->run.unknown_start = cell == ABUT_CELL_UNKNOWN && !runs->touching;
    }
    runs->run.exact = runs->run.exact && exact;
    runs->run.certain = runs->run.certain || cell != ABUT_CELL_UNKNOWN;
    if (soft) {
        if (runs->leading)
            runs->soft_end = hi;
    } else {
        /* An unknown stretch between firm ones may be a gap. */
        if (!runs->leading && runs->soft_begin < lo)
            runs->doubt_inside = true;
        runs->leading = false;
        runs->soft_begin = hi;
    }
    return true;
}

void abut_runs_end(abut_runs *runs)
{
    if (runs->open && !runs->stopped)
        close_run(runs, runs->range.hi, true);
}

void abut_runs_cut(abut_runs *runs, double t)
{
    if (runs->open && !runs->stopped)
        close_run(runs, t, false);
    runs->stopped = true;
}
