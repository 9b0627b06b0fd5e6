/* SPDX-License-Identifier: MIT */
/* Bodies that are both at rest: what the static method says of one instant holds for the whole
 * range, in one cell. So every pair with a static method has an answer over time. */
#include "ccd/proof/moving.h"

static abut_run_cell cell_of(abut_verdict verdict)
{
    switch (verdict) {
    case ABUT_SEPARATE: return ABUT_CELL_APART;
    case ABUT_TOUCHING: return ABUT_CELL_TOUCH;
    case ABUT_PENETRATING: return ABUT_CELL_DEEP;
    default: return ABUT_CELL_UNKNOWN;
    }
}

abut_status abut_still_scan(abut_moving *m, abut_run_fn emit, void *ctx)
{
    abut_check_result result;
    const abut_status status =
        abut_check_at(m->a, m->motion_a, m->b, m->motion_b, m->range.lo, NULL, NULL, &result);
    if (status)
        return status;
    *m->counters = result.counters;
    m->inexact = result.proof != ABUT_PROOF_EXACT;
    m->stop = result.stop;
    abut_runs runs;
    abut_runs_begin(&runs, m->range, m->accuracy, emit, ctx);
    (void)abut_runs_add(&runs,
                        cell_of(result.proof == ABUT_PROOF_TOLERANCE ? ABUT_UNDECIDED : result.verdict),
                        m->range.lo, m->range.hi, !m->inexact);
    abut_runs_end(&runs);
    return ABUT_OK;
}
