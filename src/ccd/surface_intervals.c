/* SPDX-License-Identifier: MIT */
/* All intervals of contact of two surface bodies.
 *
 * From a time at which they are apart, the first contact ends what is proved apart. Behind it they are looked at one instant after the other, at distances that grow,
 * until they are proved apart again; from there the first contact backwards in time ends the interval. What is apart is proved so, and both ends are as good
 * as the solver's; that the contact lasts in between is known at the instants looked at only, so that an answer with intervals is within tolerance. An answer without
 * any is a proof. */
#include "ccd/surface_scene.h"

#include "math/nearest.h"

/* Instants of the range that are looked at behind a contact, and rounds in all. */
enum { instants = 64, max_rounds = 1000 };

typedef struct walk {
    abut_surface_scene scene; /* two bodies, one pair */
    abut_surface_parts bodies[2];
    abut_surface_pair pair;
    const abut_first_opts *opts;
    abut_workspace *ws;
    abut_interval range;
    abut_contact_interval *items;
    size_t capacity;
    abut_intervals_result *out;

} walk;

static void emit(walk *w, abut_interval enter, abut_interval exit)
{
    if (w->out->count < w->capacity)
        w->items[w->out->count] = (abut_contact_interval){ enter, exit };
    ++w->out->count;
}

/* First contact in [from, to], or the last one; times forward. */
static abut_status search(walk *w, double from, double to, bool last, abut_surface_answer *out)
{
    bool possible = false;
    abut_first_opts opts = *w->opts;
    opts.simultaneity = 0;
    w->scene.range = (abut_interval){ from, to };
    w->scene.reversed = last;
    for (int i = 0; i < 2; ++i)
        abut_cull_prepare(&w->bodies[i].cull, w->scene.range);
    abut_status status = abut_surface_pair_make(&w->scene, 0, 1, &w->pair, &possible);
    w->scene.pair_count = possible;
    if (!status)
        status = abut_surface_solve(&w->scene, &opts, w->ws, out);
    if (status)
        return status;
    if (last)
        out->time = (abut_interval){ -out->time.hi, -out->time.lo };
    w->out->counters.iterations += out->counters.iterations;
    w->out->counters.evaluations += out->counters.evaluations;
    if (out->stop == ABUT_STOP_BUDGET)
        w->out->stop = ABUT_STOP_BUDGET;
    return ABUT_OK;
}

static abut_surface_start look_at(walk *w, double t)
{
    ++w->out->counters.evaluations;
    return abut_surface_start_of(&w->scene, &w->pair, t, w->ws);
}

/* The first instant behind `from` at which they are seen apart; the end of the range where there is none, and *apart false. */
static double find_apart(walk *w, double from, bool *apart)
{
    const double end = w->range.hi, widest = (end - w->range.lo) / instants;
    double step = widest * 0x1p-16;
    for (double t = from; t < end; step = fmin(2 * step, widest)) {
        t = t + step < end ? t + step : end;
        *apart = look_at(w, t) == ABUT_START_APART;
        if (*apart)
            return t;
    }
    *apart = false;
    return end;
}

/* Takes one interval of contact that begins in `enter`; *at is where they are apart again. */
static abut_status take_contact(walk *w, abut_interval enter, double *at)
{
    bool apart = false;
    const double from = enter.hi, end = w->range.hi;
    const double seen = find_apart(w, from, &apart);
    *at = end;
    if (!apart) {
        emit(w, enter, (abut_interval){ end, end });
        return ABUT_OK;
    }
    *at = seen;
    abut_surface_answer last;
    const abut_status status = search(w, enter.lo < seen ? enter.lo : w->range.lo, seen, true, &last);
    if (status)
        return status;
    abut_interval exit = { enter.lo, fmax(enter.hi, enter.lo) };
    if (last.verdict == ABUT_FIRST_CONTACT || last.verdict == ABUT_FIRST_UNDECIDED)
        exit = (abut_interval){ fmax(last.time.lo, enter.lo), fmax(last.time.hi, enter.lo) };
    emit(w, enter, exit);
    return ABUT_OK;
}

static abut_status walk_through(walk *w)
{
    double t = w->range.lo;
    abut_surface_answer first;
    for (int round = 0; t < w->range.hi; ++round) {
        if (round == max_rounds) {
            w->out->stop = ABUT_STOP_BUDGET;
            emit(w, (abut_interval){ t, w->range.hi }, (abut_interval){ t, w->range.hi });
            break;
        }
        abut_status status = search(w, t, w->range.hi, false, &first);
        if (status)
            return status;
        if (first.verdict == ABUT_FIRST_SEPARATE)
            break;
        if (first.verdict == ABUT_FIRST_UNDECIDED) {
            emit(w, first.time, (abut_interval){ first.time.lo, w->range.hi });
            break;
        }
        status = take_contact(w, first.time, &t);
        if (status)
            return status;
    }
    w->out->proof = w->out->count > 0 ? ABUT_PROOF_TOLERANCE : ABUT_PROOF_INTERVAL;
    if (w->out->count > 0 && w->out->stop == ABUT_STOP_DONE)
        w->out->stop = ABUT_STOP_TOLERANCE;
    return ABUT_OK;
}

static abut_status open_walk(walk *w, const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                             const abut_motion *motion_b)
{
    abut_status status = abut_surface_parts_make(a, motion_a, w->range, w->ws, &w->bodies[0]);
    if (!status)
        status = abut_surface_parts_make(b, motion_b, w->range, w->ws, &w->bodies[1]);
    w->scene = (abut_surface_scene){
        .bodies = w->bodies, .body_count = 2, .pairs = &w->pair, .pair_count = 1, .range = w->range
    };
    w->pair = (abut_surface_pair){ .a = 0, .b = 1 };
    return status;
}

abut_status abut_surface_intervals(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                                   const abut_motion *motion_b, const abut_first_opts *opts,
                                   abut_interval range, abut_workspace *ws, abut_contact_interval *intervals,
                                   size_t capacity, abut_intervals_result *out)
{
    abut_workspace own;
    if (opts->method != ABUT_METHOD_AUTO)
        return ABUT_ERR_UNSUPPORTED;
    if (!ws)
        abut_workspace_open(&own, NULL);
    walk w = { .opts = opts, .ws = ws ? ws : &own, .range = range, .items = intervals, .capacity = capacity };
    w.out = out;
    const abut_workspace_mark mark = abut_workspace_begin(w.ws);
    const abut_nearest saved = abut_nearest_enter();
    abut_status status = open_walk(&w, a, motion_a, b, motion_b);
    if (!status)
        status = walk_through(&w);
    abut_nearest_leave(saved);
    abut_workspace_end(w.ws, mark);
    if (!ws)
        abut_workspace_close(&own);
    if (status)
        *out = (abut_intervals_result){ .proof = ABUT_PROOF_NONE };
    return status;
}
