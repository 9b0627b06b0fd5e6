/* SPDX-License-Identifier: MIT */
/* Walking through the time range of a moving ball, piece by piece between the keys of the
 * motions: exactly where both origins move on straight lines, by intervals elsewhere. */
#include "ccd/ellipsoid/moving_ball.h"

static double next_break(const abut_motion *motion, double t, double end)
{
    return motion ? fmin(abut_motion_next_break(motion, t), end) : end;
}

abut_status abut_moving_scan(abut_moving *m, abut_run_fn emit, void *ctx)
{
    const abut_status status = abut_moving_check(m);
    if (status)
        return status;
    abut_runs runs;
    abut_runs_begin(&runs, m->range, m->accuracy, emit, ctx);
    bool wanted = true;
    for (double t = m->range.lo, next; wanted && t < m->range.hi; t = next) {
        next = next_break(m->motion_b, t, next_break(m->motion_a, t, m->range.hi));
        abut_exact_piece piece;
        double until = next;
        if (abut_moving_quick_piece(m, t, next, &runs, &wanted))
            continue;
        if (abut_moving_exact_piece(m, t, &until, &piece))
            wanted = abut_moving_solve_exact(m, &piece, t, next, &runs);
        else
            wanted = abut_moving_solve_interval(m, t, next, &runs);
    }
    if (m->cancelled)
        return ABUT_ERR_CANCELLED;
    abut_runs_end(&runs);
    return ABUT_OK;
}
