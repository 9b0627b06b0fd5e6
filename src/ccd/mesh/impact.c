/* SPDX-License-Identifier: MIT */
/* Vertex-face and edge-edge queries: checks of the input, and the steps from the cheapest to the
 * exact one. */
#include "ccd/mesh/impact.h"
#include "ccd/mesh/boxes.h"

#include "base/options.h"
#include "math/nearest.h"

#include <math.h>

void abut_impact_opts_init(abut_impact_opts *opts)
{
    if (opts)
        *opts = (abut_impact_opts){ .struct_size = sizeof *opts, .t_max = 1 };
}

static bool read_options(abut_impact_opts *known, const abut_impact_opts *given)
{
    abut_impact_opts_init(known);
    return abut_options_read(known, sizeof *known, given) && known->t_max >= 0 && known->t_max <= 1 &&
           known->accuracy >= 0 && (known->intervals || known->interval_capacity == 0);
}

static ABUT_MATH_NOINLINE bool all_finite(const abut_vec3 x[4])
{
    for (int i = 0; i < 4; ++i)
        if (!isfinite(x[i].x) || !isfinite(x[i].y) || !isfinite(x[i].z))
            return false;
    return true;
}

/* Nothing known. Field by field: a compiler clears a struct of this size by a string
 * instruction, which takes longer than the boxes. */
static inline void clear(abut_impact_result *out)
{
    out->verdict = ABUT_FIRST_UNDECIDED;
    out->proof = ABUT_PROOF_NONE;
    out->stop = ABUT_STOP_DONE;
    out->time.lo = out->time.hi = 0;
    out->point.x = out->point.y = out->point.z = 0;
    out->normal.x = out->normal.y = out->normal.z = 0;
    out->parameters[0] = out->parameters[1] = 0;
    out->coplanar = false;
    out->interval_count = 0;
    out->counters.iterations = out->counters.evaluations = out->counters.exact = 0;
}

/* Separate, with nothing else to say. */
static void set_apart(const abut_impact_opts *opts, abut_impact_result *out)
{
    out->verdict = ABUT_FIRST_SEPARATE;
    out->proof = ABUT_PROOF_EXACT;
    out->stop = opts->t_max < 1 ? ABUT_STOP_CUTOFF : ABUT_STOP_DONE;
}

/* What the first step of the filter left; *step is what it said. */
static abut_status finish(const abut_impact_query *q, abut_impact_state *state, const abut_impact_opts *opts,
                          abut_impact_step *step, abut_impact_result *out)
{
    abut_impact_found found = { .contact = false };
    const bool blurred = q->blur[0] + q->blur[1] + q->blur[2] > 0;
    if (*step == ABUT_IMPACT_ROOTS) {
        *step = abut_impact_search(q, state, opts->t_max, blurred ? INFINITY : opts->accuracy, &found);
        out->counters.iterations = found.times;
        out->counters.evaluations = found.signs;
    }
    if (*step != ABUT_IMPACT_OPEN && !found.contact) {
        set_apart(opts, out);
        if (blurred && !q->wide)
            out->proof = ABUT_PROOF_INTERVAL;
        return ABUT_OK;
    }
    if (blurred && !q->wide) {
        if (*step == ABUT_IMPACT_OPEN) {
            out->time.hi = opts->t_max;
            return ABUT_OK;
        }
        out->verdict = ABUT_FIRST_CONTACT;
        out->proof = ABUT_PROOF_INTERVAL;
        out->time = found.time;
    } else if (*step != ABUT_IMPACT_OPEN && !blurred && !opts->intervals) {
        out->verdict = ABUT_FIRST_CONTACT;
        out->proof = ABUT_PROOF_EXACT;
        out->time = found.time;
    } else {
        *step = ABUT_IMPACT_EXACT;
        /* Doubles are compared there whatever their size: flushing to zero, which the filter can
         * do with, must be off. */
        const abut_nearest saved = abut_nearest_enter();
        const abut_status status = abut_impact_exact(q, opts, out);
        abut_nearest_leave(saved);
        if (status)
            return status;
        if (out->verdict == ABUT_FIRST_SEPARATE)
            set_apart(opts, out);
    }
    if (out->verdict == ABUT_FIRST_CONTACT)
        abut_impact_place(q, out);
    return ABUT_OK;
}

/* Everything behind the boxes, with rounding to nearest. */
static ABUT_MATH_NOINLINE abut_status decide(const abut_impact_query *q, const abut_impact_opts *opts,
                                             abut_impact_step *step, abut_impact_result *out)
{
    abut_impact_corners corners;
    abut_impact_state state;
    abut_impact_load(q->start, q->end, &corners);
    *step = abut_impact_begin(q, &corners, &state);
    const abut_status status = finish(q, &state, opts, step, out);
    if (status)
        clear(out);
    return status;
}

abut_status abut_impact_run(const abut_impact_query *q, const abut_impact_opts *opts, abut_impact_result *out)
{
    abut_impact_step step;
    clear(out);
    return decide(q, opts, &step, out);
}

abut_status abut_impact_side(const abut_impact_query *q, double t, const abut_allocator *alloc, int *sign)
{
    abut_impact_corners corners;
    abut_impact_load(q->start, q->end, &corners);
    *sign = abut_impact_side_filter(q, &corners, t);
    if (*sign != ABUT_IMPACT_UNKNOWN || (q->blur[0] + q->blur[1] + q->blur[2] > 0 && !q->wide))
        return ABUT_OK;
    return abut_impact_side_exact(q, t, alloc, sign);
}

/* Behind the boxes, in any rounding mode. */
static ABUT_MATH_NOINLINE abut_status go_on(const abut_vec3 *start, const abut_vec3 *end, bool edges,
                                            const abut_impact_opts *opts, abut_impact_step *step,
                                            abut_impact_result *out)
{
    const abut_impact_query q = { .start = start, .end = end, .edges = edges };
    if (abut_nearest_is_set()) /* reading the mode would take longer than the filter's first step */
        return decide(&q, opts, step, out);
    const abut_nearest saved = abut_nearest_enter();
    const abut_status status = decide(&q, opts, step, out);
    abut_nearest_leave(saved);
    return status;
}

/* One query; inlined once for each kind. */
static inline __attribute__((always_inline)) abut_status run(const abut_vec3 *start, const abut_vec3 *end,
                                                             bool edges, const abut_impact_opts *opts,
                                                             abut_impact_step *step, abut_impact_result *out)
{
    bool finite;
    clear(out);
    const bool apart = abut_impact_apart(start, end, edges, &finite);
    if (!finite && !(all_finite(start) && all_finite(end)))
        return ABUT_ERR_ARGUMENT;
    if (!apart)
        return go_on(start, end, edges, opts, step, out);
    *step = ABUT_IMPACT_BOXES;
    set_apart(opts, out);
    return ABUT_OK;
}

static const abut_impact_opts defaults = { .struct_size = sizeof defaults, .t_max = 1 };

static inline __attribute__((always_inline)) abut_status one(const abut_vec3 *start, const abut_vec3 *end,
                                                             bool edges, const abut_impact_opts *opts,
                                                             abut_impact_result *out)
{
    abut_impact_opts known;
    abut_impact_step step;
    if (!out)
        return ABUT_ERR_ARGUMENT;
    if (!start || !end || (opts && !read_options(&known, opts))) {
        clear(out);
        return ABUT_ERR_ARGUMENT;
    }
    return run(start, end, edges, opts ? &known : &defaults, &step, out);
}

/* ---- batches ---- */

static void tally(abut_impact_stats *stats, abut_impact_step step, bool contact)
{
    ++stats->queries;
    stats->boxes += step == ABUT_IMPACT_BOXES;
    stats->coplanarity += step == ABUT_IMPACT_COPLANARITY;
    stats->roots += step == ABUT_IMPACT_ROOTS;
    stats->exact += step == ABUT_IMPACT_EXACT;
    stats->contacts += contact;
}

static inline __attribute__((always_inline)) abut_status run_batch(const abut_vec3 *start,
                                                                   const abut_vec3 *end, size_t count,
                                                                   bool edges, const abut_impact_opts *opts,
                                                                   abut_impact_result *out,
                                                                   abut_impact_stats *stats)
{
    abut_impact_opts known;
    const bool valid =
        (count == 0 || (start && end && out)) && read_options(&known, opts) && !known.intervals;
    abut_status status = valid ? ABUT_OK : ABUT_ERR_ARGUMENT;
    size_t i = 0;
    for (; i < count && status == ABUT_OK; ++i) {
        abut_impact_step step = ABUT_IMPACT_OPEN;
        status = run(start + 4 * i, end + 4 * i, edges, &known, &step, &out[i]);
        const bool contact = status == ABUT_OK && out[i].verdict == ABUT_FIRST_CONTACT;
        if (status == ABUT_OK && stats)
            tally(stats, step, contact);
        if (contact && known.earliest)
            known.t_max = out[i].time.hi;
    }
    for (; i < count && out; ++i)
        clear(&out[i]);
    return status;
}

abut_status abut_vertex_face_contact(const abut_vec3 start[4], const abut_vec3 end[4],
                                     const abut_impact_opts *opts, abut_impact_result *out)
{
    return one(start, end, false, opts, out);
}

abut_status abut_edge_edge_contact(const abut_vec3 start[4], const abut_vec3 end[4],
                                   const abut_impact_opts *opts, abut_impact_result *out)
{
    return one(start, end, true, opts, out);
}

abut_status abut_vertex_face_contact_batch(const abut_vec3 *start, const abut_vec3 *end, size_t count,
                                           const abut_impact_opts *opts, abut_impact_result *out,
                                           abut_impact_stats *stats)
{
    return run_batch(start, end, count, false, opts, out, stats);
}

abut_status abut_edge_edge_contact_batch(const abut_vec3 *start, const abut_vec3 *end, size_t count,
                                         const abut_impact_opts *opts, abut_impact_result *out,
                                         abut_impact_stats *stats)
{
    return run_batch(start, end, count, true, opts, out, stats);
}
