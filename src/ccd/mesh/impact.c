/* SPDX-License-Identifier: MIT */
/* Vertex-face and edge-edge queries: checks of the input, and the steps from the cheapest to the exact one. */
#include "ccd/mesh/impact.h"

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

static bool all_finite(const abut_vec3 *start, const abut_vec3 *end)
{
    const double *s = &start[0].x, *e = &end[0].x;
    /* x - x is zero, and NaN for what is not finite; several sums at a time, since one would wait for itself. */
    double sum[6] = { 0 };
    for (int i = 0; i < 12; i += 6)
        for (int k = 0; k < 6; ++k)
            sum[k] += (s[i + k] - s[i + k]) + (e[i + k] - e[i + k]);
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + (sum[4] + sum[5]) == 0;
}

/* Separate, with nothing else to say. */
static void set_apart(const abut_impact_opts *opts, abut_impact_result *out)
{
    out->verdict = ABUT_FIRST_SEPARATE;
    out->proof = ABUT_PROOF_EXACT;
    out->stop = opts->t_max < 1 ? ABUT_STOP_CUTOFF : ABUT_STOP_DONE;
}

/* Everything behind the boxes, with rounding to nearest. */
static ABUT_MATH_NOINLINE abut_status decide(const abut_impact_query *q, const abut_impact_opts *opts,
                                             abut_impact_step *step, abut_impact_result *out)
{
    abut_impact_found found;
    *step = abut_impact_filter(q, opts->t_max, opts->accuracy, &found);
    out->counters.iterations = found.times;
    out->counters.evaluations = found.signs;
    if (*step != ABUT_IMPACT_OPEN && !found.contact) {
        set_apart(opts, out);
        return ABUT_OK;
    }
    if (*step != ABUT_IMPACT_OPEN && !opts->intervals) {
        out->verdict = ABUT_FIRST_CONTACT;
        out->proof = ABUT_PROOF_EXACT;
        out->time = found.time;
    } else {
        *step = ABUT_IMPACT_EXACT;
        const abut_status status = abut_impact_exact(q, opts, out);
        if (status)
            return status;
        if (out->verdict == ABUT_FIRST_SEPARATE)
            set_apart(opts, out);
    }
    if (out->verdict == ABUT_FIRST_CONTACT)
        abut_impact_place(q, out);
    return ABUT_OK;
}

static ABUT_MATH_NOINLINE abut_status decide_nearest(const abut_impact_query *q, const abut_impact_opts *opts,
                                                     abut_impact_step *step, abut_impact_result *out)
{
    const abut_nearest saved = abut_nearest_enter();
    const abut_status status = decide(q, opts, step, out);
    abut_nearest_leave(saved);
    return status;
}

/* One query whose input is finite. */
static abut_status run(const abut_impact_query *q, const abut_impact_opts *opts, abut_impact_step *step,
                       abut_impact_result *out)
{
    *out = (abut_impact_result){ .verdict = ABUT_FIRST_UNDECIDED };
    *step = ABUT_IMPACT_BOXES;
    if (!all_finite(q->start, q->end))
        return ABUT_ERR_ARGUMENT;
    if (q->edges ? abut_impact_apart_edge_edge(q->start, q->end)
                 : abut_impact_apart_vertex_face(q->start, q->end)) {
        set_apart(opts, out);
        return ABUT_OK;
    }
    const abut_status status = decide_nearest(q, opts, step, out);
    if (status)
        *out = (abut_impact_result){ .verdict = ABUT_FIRST_UNDECIDED };
    return status;
}

static abut_status one(const abut_vec3 *start, const abut_vec3 *end, bool edges, const abut_impact_opts *opts,
                       abut_impact_result *out)
{
    abut_impact_opts known;
    abut_impact_step step;
    if (!out)
        return ABUT_ERR_ARGUMENT;
    if (!start || !end || !read_options(&known, opts)) {
        *out = (abut_impact_result){ .verdict = ABUT_FIRST_UNDECIDED };
        return ABUT_ERR_ARGUMENT;
    }
    return run(&(abut_impact_query){ start, end, edges }, &known, &step, out);
}

static void tally(abut_impact_stats *stats, abut_impact_step step, bool contact)
{
    ++stats->queries;
    stats->boxes += step == ABUT_IMPACT_BOXES;
    stats->coplanarity += step == ABUT_IMPACT_COPLANARITY;
    stats->roots += step == ABUT_IMPACT_ROOTS;
    stats->exact += step == ABUT_IMPACT_EXACT;
    stats->contacts += contact;
}

static abut_status batch(const abut_vec3 *start, const abut_vec3 *end, size_t count, bool edges,
                         const abut_impact_opts *opts, abut_impact_result *out, abut_impact_stats *stats)
{
    abut_impact_opts known;
    const bool valid =
        (count == 0 || (start && end && out)) && read_options(&known, opts) && !known.intervals;
    abut_status status = valid ? ABUT_OK : ABUT_ERR_ARGUMENT;
    size_t i = 0;
    for (; i < count && status == ABUT_OK; ++i) {
        abut_impact_step step;
        status = run(&(abut_impact_query){ start + 4 * i, end + 4 * i, edges }, &known, &step, &out[i]);
        const bool contact = status == ABUT_OK && out[i].verdict == ABUT_FIRST_CONTACT;
        if (status == ABUT_OK && stats)
            tally(stats, step, contact);
        if (contact && known.earliest)
            known.t_max = out[i].time.hi;
    }
    for (; i < count && out; ++i)
        out[i] = (abut_impact_result){ .verdict = ABUT_FIRST_UNDECIDED };
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
    return batch(start, end, count, false, opts, out, stats);
}

abut_status abut_edge_edge_contact_batch(const abut_vec3 *start, const abut_vec3 *end, size_t count,
                                         const abut_impact_opts *opts, abut_impact_result *out,
                                         abut_impact_stats *stats)
{
    return batch(start, end, count, true, opts, out, stats);
}
