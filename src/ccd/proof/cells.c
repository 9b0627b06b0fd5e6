/* SPDX-License-Identifier: MIT */
/* The walk through the cells of a stretch of time; see cells.h. */
#include "ccd/proof/cells.h"

#include "interval/ia.h"

/* The smallest doubles are 1074 halvings from 1, and no time is worth as many from the largest. */
enum { DEPTH = 1100 };

typedef struct walk {
    double at, hi; /* decided up to here, and where it ends */
    double ends[DEPTH];
    int depth; /* of the cells to come: at to ends[depth - 1], and so on */
} walk;

static ABUT_NOINLINE void burst(const abut_cells *c, walk *w)
{
    abut_moving *m = c->m;
    for (int i = 0; i < ABUT_CELLS_BURST && w->depth > 0; ++i) {
        const double end = w->ends[w->depth - 1], mid = 0.5 * w->at + 0.5 * end;
        if (m->counters->iterations++ >= m->max_iterations) {
            m->stop = ABUT_STOP_BUDGET;
            c->give_up(c->state, w->at, w->hi);
            w->depth = 0;
            return;
        }
        if (!c->decide(c->state, w->at, end)) {
            if (w->depth < DEPTH && mid > w->at && mid < end) {
                w->ends[w->depth++] = mid;
                continue;
            }
            c->give_up(c->state, w->at, end);
        }
        w->at = end;
        --w->depth;
    }
}

bool abut_cells_walk(const abut_cells *c, double lo, double hi)
{
    abut_moving *m = c->m;
    walk w;
    w.at = lo;
    w.hi = w.ends[0] = hi;
    w.depth = 1;
    m->inexact = true;
    while (w.depth > 0) {
        const abut_rounding saved = abut_rounding_enter();
        burst(c, &w);
        abut_rounding_leave(saved);
        if (!c->hand_on(c->state))
            return false;
        if (m->progress &&
            !m->progress(m->progress_ctx, (w.at - m->range.lo) / (m->range.hi - m->range.lo))) {
            m->cancelled = true;
            return false;
        }
    }
    return true;
}
