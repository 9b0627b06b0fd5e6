/* SPDX-License-Identifier: MIT */
/* Back to contact with a test at one instant and nothing else: samples from left to right until
 * one collides, then the step is narrowed. The sizes of the gaps steer (regula falsi, Illinois'
 * variant); every third step halves, so that a test that knows nothing but the sign costs no
 * more than halving does three times over. */
#include "abut/query.h"
#include "base/options.h"

#include <math.h>

void abut_backtrack_opts_init(abut_backtrack_opts *opts)
{
    if (opts)
        *opts = (abut_backtrack_opts){ .struct_size = sizeof *opts };
}

typedef struct bracket {
    double free, hit;         /* times */
    double gap_free, gap_hit; /* > 0, <= 0 */
} bracket;

/* The next time to test, strictly between; false where there is none. */
static bool choose(const bracket *b, int turn, double *t)
{
    const double middle = b->free + 0.5 * (b->hit - b->free), width = b->hit - b->free;
    double next = middle;
    if (turn % 3 != 2 && b->gap_hit < 0 && isfinite(b->gap_free) && isfinite(b->gap_hit)) {
        next = b->free + width * (b->gap_free / (b->gap_free - b->gap_hit));
        /* Not so near to an end that the other stays where it is. */
        const double least = 0x1p-52 * fmax(fabs(b->free), fabs(b->hit));
        if (!(next > b->free + least && next < b->hit - least))
            next = middle;
    }
    *t = next;
    return next > b->free && next < b->hit;
}

static abut_status search(abut_gap_fn test, void *ctx, abut_interval time, const abut_backtrack_opts *opts,
                          abut_backtrack_result *out)
{
    *out = (abut_backtrack_result){ .verdict = ABUT_FIRST_SEPARATE, .proof = ABUT_PROOF_TOLERANCE };
    const uint64_t steps = opts->steps ? opts->steps : 64;
    bracket b = { time.lo, time.lo, test(ctx, time.lo), 0 };
    out->counters.evaluations = 1;
    if (isnan(b.gap_free))
        return ABUT_ERR_VALUE;
    out->last_free = out->first_colliding = time.lo;
    if (!(b.gap_free > 0)) {
        out->verdict = ABUT_FIRST_OVERLAPPING;
        return ABUT_OK;
    }
    bool found = false;
    for (uint64_t i = 1; i <= steps && !found; ++i) {
        const double part = (double)i / (double)steps;
        const double t = i == steps ? time.hi : (1 - part) * time.lo + part * time.hi;
        const double gap = test(ctx, t);
        ++out->counters.evaluations;
        if (isnan(gap))
            return ABUT_ERR_VALUE;
        found = !(gap > 0);
        if (found) {
            b.hit = t;
            b.gap_hit = gap;
        } else {
            b.free = t;
            b.gap_free = gap;
        }
    }
    out->last_free = b.free;
    out->first_colliding = b.free;
    if (!found)
        return ABUT_OK;
    out->verdict = ABUT_FIRST_CONTACT;
    double t;
    for (int turn = 0; b.hit - b.free > opts->accuracy && choose(&b, turn, &t); ++turn) {
        const double gap = test(ctx, t);
        ++out->counters.evaluations;
        ++out->counters.iterations;
        if (isnan(gap))
            return ABUT_ERR_VALUE;
        if (gap > 0) {
            b.free = t;
            b.gap_free = gap;
            b.gap_hit *= 0.5;
        } else {
            b.hit = t;
            b.gap_hit = gap;
            b.gap_free *= 0.5;
        }
    }
    out->last_free = b.free;
    out->first_colliding = b.hit;
    return ABUT_OK;
}

abut_status abut_backtrack(abut_gap_fn test, void *ctx, abut_interval time, const abut_backtrack_opts *opts,
                           abut_backtrack_result *out)
{
    abut_backtrack_opts known;
    abut_backtrack_opts_init(&known);
    if (!out)
        return ABUT_ERR_ARGUMENT;
    *out = (abut_backtrack_result){ .verdict = ABUT_FIRST_UNDECIDED };
    if (!test || !abut_options_read(&known, sizeof known, opts) || !(known.accuracy >= 0) ||
        !(time.lo < time.hi) || !isfinite(time.lo) || !isfinite(time.hi))
        return ABUT_ERR_ARGUMENT;
    const abut_status status = search(test, ctx, time, &known, out);
    if (status)
        *out = (abut_backtrack_result){ .counters = out->counters };
    return status;
}
