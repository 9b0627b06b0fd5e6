/* SPDX-License-Identifier: MIT */
/* The public pair queries at one instant, by the rows of the pair table: filter, posed method,
 * placed method. All of it runs in rounding to nearest. */
#include "base/options.h"
#include "math/nearest.h"
#include "math/vec3.h"
#include "motion/motion.h"
#include "narrow/compound.h"
#include "narrow/ellipsoid/ellipsoid_place.h"
#include "narrow/explain.h"
#include "narrow/pair_table.h"
#include "narrow/push_out.h"

#include <math.h>

void abut_check_opts_init(abut_check_opts *opts)
{
    if (opts)
        *opts = (abut_check_opts){ .struct_size = sizeof *opts };
}

void abut_overlap_opts_init(abut_overlap_opts *opts)
{
    if (opts)
        *opts = (abut_overlap_opts){ .struct_size = sizeof *opts };
}

void abut_distance_opts_init(abut_distance_opts *opts)
{
    if (opts)
        *opts = (abut_distance_opts){ .struct_size = sizeof *opts, .cutoff = INFINITY };
}

static const abut_pose identity = { { 0, 0, 0 }, { 1, 0, 0, 0 } };

/* All but the contacts, which are most of it, and of which none is filled in. */
static void clear(abut_check_result *out)
{
    memset(out, 0, offsetof(abut_check_result, contacts));
    out->counters = (abut_counters){ 0 };
}

/* The pair in the order of its row. */
static inline abut_posed_pair order(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                    const abut_pose *pose_b, bool swapped, const abut_ask *ask)
{
    const abut_pose *at_a = pose_a ? pose_a : &identity, *at_b = pose_b ? pose_b : &identity;
    return swapped ? (abut_posed_pair){ b, a, at_b, at_a, ask } : (abut_posed_pair){ a, b, at_a, at_b, ask };
}

/* What the filter leaves. */
static ABUT_MATH_NOINLINE abut_status run(const abut_pair_row *row, const abut_posed_pair *pair,
                                          abut_workspace *ws, abut_check_result *out)
{
    abut_status status = ABUT_OK;
    clear(out);
    if (row->posed) {
        if (row->posed(pair, ws, out, &status))
            return status;
        clear(out);
    }
    abut_place at_a, at_b;
    status = abut_posed_place(pair, &at_a, &at_b);
    if (status)
        return status;
    const abut_pair placed = { pair->a, pair->b, &at_a, &at_b, pair->ask };
    const bool cleared = row->cleared && pair->ask->want == ABUT_WANT_VERDICT && pair->ask->clearance > 0;
    status = abut_narrow_run_placed(cleared ? row->cleared : row->placed, &placed, ws, out);
    if (status || pair->ask->want != ABUT_WANT_ALL)
        return status;
    const abut_stated at[2] = { { .pose = pair->at_a }, { .pose = pair->at_b } };
    const abut_stated *const stated[2] = { &at[0], &at[1] };
    return abut_narrow_push_out(row, &placed, stated, ws, out);
}

/* ---- check ---- */

static bool read_check(const abut_check_opts *opts, abut_ask *ask)
{
    abut_check_opts known = { .struct_size = sizeof known };
    if (!abut_options_read(&known, sizeof known, opts) || known.max_contacts < 0 ||
        known.max_contacts > ABUT_CHECK_CONTACTS || !(known.relative >= 0) ||
        known.method < ABUT_CHECK_AUTO || known.method >= ABUT_CHECK_METHOD_COUNT)
        return false;
    *ask = (abut_ask){ .want = ABUT_WANT_ALL,
                       .relative = known.relative,
                       .max_contacts = known.max_contacts,
                       .max_iterations = known.max_iterations,
                       .method = known.method,
                       .cache = known.cache };
    return true;
}

static bool filter_check(const abut_pair_row *row, const abut_posed_pair *p, abut_check_result *out)
{
    return row->filter_check && row->filter_check(p->a, p->at_a, p->b, p->at_b, p->ask->max_contacts, out);
}

static inline abut_status ask_check(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                    const abut_pose *pose_b, const abut_check_opts *opts, abut_workspace *ws,
                                    abut_check_result *out)
{
    abut_ask ask;
    if (!a || !b || !out || !read_check(opts, &ask)) {
        if (out)
            clear(out);
        return ABUT_ERR_ARGUMENT;
    }
    bool swapped;
    const abut_pair_row *row = abut_narrow_find_row(a->type, b->type, &swapped);
    if (!row && (abut_is_compound(a) || abut_is_compound(b)))
        return abut_compound_check(a, pose_a, b, pose_b, opts, ws, out);
    const abut_posed_pair pair = order(a, pose_a, b, pose_b, swapped, &ask);
    abut_status status = row ? ABUT_OK : ABUT_ERR_UNSUPPORTED;
    const bool nearest = abut_nearest_is_set();
    if (row && !(nearest && filter_check(row, &pair, out))) {
        const abut_nearest saved = abut_nearest_enter();
        if (nearest || !filter_check(row, &pair, out))
            status = abut_cores_status(run(row, &pair, ws, out), &a->core, &b->core);
        abut_nearest_leave(saved);
    }
    if (status)
        clear(out);
    else if (swapped)
        abut_narrow_mirror(out);
    return status;
}

static ABUT_MATH_NOINLINE abut_status check_motions(const abut_shape *a, const abut_motion *motion_a,
                                                    const abut_shape *b, const abut_motion *motion_b,
                                                    double t, const abut_ask *ask, abut_workspace *ws,
                                                    abut_check_result *out)
{
    bool swapped;
    if (!abut_narrow_has_pair(a->type, b->type))
        return ABUT_ERR_UNSUPPORTED;
    abut_shape image_a, image_b;
    const abut_shape *body_a = a, *body_b = b;
    abut_place at_a, at_b;
    abut_status status = abut_place_of(a, motion_a, t, &image_a, &at_a, &body_a);
    if (!status)
        status = abut_place_of(b, motion_b, t, &image_b, &at_b, &body_b);
    if (status)
        return status;
    /* Some methods take shapes for what they are given as, and a stand-in is not quite that. */
    const abut_pair_row *row = abut_narrow_row_of(body_a, body_b, body_a != a || body_b != b, &swapped);
    if (!row)
        return ABUT_ERR_UNSUPPORTED;
    abut_pair pair = { body_a, body_b, &at_a, &at_b, ask };
    const abut_stated at[2] = { { .motion = motion_a, .t = t, .by_motion = true },
                                { .motion = motion_b, .t = t, .by_motion = true } };
    const abut_stated *stated[2] = { body_a == a ? &at[0] : NULL, body_b == b ? &at[1] : NULL };
    if (swapped) {
        const abut_stated *first = stated[0];
        pair = (abut_pair){ body_b, body_a, &at_b, &at_a, ask };
        stated[0] = stated[1];
        stated[1] = first;
    }
    status = abut_narrow_run_placed(row->placed, &pair, ws, out);
    if (!status)
        status = abut_narrow_push_out(row, &pair, stated, ws, out);
    if (!status && swapped)
        abut_narrow_mirror(out);
    return status;
}

static inline abut_status ask_check_at(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                                       const abut_motion *motion_b, double t, const abut_check_opts *opts,
                                       abut_workspace *ws, abut_check_result *out)
{
    abut_ask ask;
    if (!out)
        return ABUT_ERR_ARGUMENT;
    clear(out);
    if (!a || !b || !isfinite(t) || !read_check(opts, &ask))
        return ABUT_ERR_ARGUMENT;
    if (abut_is_compound(a) || abut_is_compound(b))
        return abut_compound_check_at(a, motion_a, b, motion_b, t, opts, ws, out);
    if (motion_a && motion_a->ops->check)
        return motion_a->ops->check(a, motion_a, b, motion_b, t, opts, ws, out);
    if (motion_b && motion_b->ops->check)
        return motion_b->ops->check(a, motion_a, b, motion_b, t, opts, ws, out);
    const abut_nearest saved = abut_nearest_enter();
    const abut_status status =
        abut_cores_status(check_motions(a, motion_a, b, motion_b, t, &ask, ws, out), &a->core, &b->core);
    abut_nearest_leave(saved);
    if (status)
        clear(out);
    return status;
}

static abut_vec3 placed(const abut_affine *at, abut_vec3 p)
{
    return abut_affine_apply(at, p);
}

static abut_vec3 turned(const abut_affine *at, abut_vec3 n)
{
    return abut_mul(&at->linear, n);
}

/* From the frame of a common parent to the world. */
static void leave_frame(const abut_affine *at, abut_check_result *out)
{
    if (out->has_points) {
        out->point_a = placed(at, out->point_a);
        out->point_b = placed(at, out->point_b);
    }
    out->normal = turned(at, out->normal);
    for (int i = 0; i < out->contact_count; ++i) {
        out->contacts[i].point = placed(at, out->contacts[i].point);
        out->contacts[i].normal = turned(at, out->contacts[i].normal);
    }
}

/* Bodies that hang on the same parent are related as they are in its frame, in which less of their placements has
 * to be enclosed, or nothing: what touches in it does so wherever the parent is. */
static bool check_in_frame(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                           const abut_motion *motion_b, double t, const abut_check_opts *opts,
                           abut_workspace *ws, abut_check_result *out)
{
    abut_motion_split split;
    abut_affine at;
    if (!a || !b || !out || !isfinite(t) ||
        abut_motion_split_common(motion_a, motion_b, (abut_interval){ t, t }, &a->alloc, &split) ||
        !split.common)
        return false;
    const bool done = !abut_motion_at(split.common, t, &at) &&
                      !ask_check_at(a, split.rest[0], b, split.rest[1], t, opts, ws, out);
    if (done)
        leave_frame(&at, out);
    abut_motion_split_clear(&split);
    return done;
}

/* ---- distance ---- */

/* Below zero where they penetrate, minus infinity where it is not known how deep. */
static abut_interval signed_distance(const abut_pair_row *row, const abut_check_result *check)
{
    if (check->verdict == ABUT_PENETRATING)
        return check->has_depth ? (abut_interval){ -check->depth.hi, -check->depth.lo }
                                : (abut_interval){ -INFINITY, 0 };
    if (check->verdict == ABUT_UNDECIDED)
        return (abut_interval){ row->can & ABUT_PAIR_CONVEX ? 0 - check->depth.hi : -INFINITY,
                                check->distance.hi };
    return check->distance;
}

/* What the filter leaves. */
static ABUT_MATH_NOINLINE abut_status distance(const abut_pair_row *row, const abut_shape *a,
                                               const abut_pose *pose_a, const abut_shape *b,
                                               const abut_pose *pose_b, bool swapped,
                                               const abut_distance_opts *opts, abut_workspace *ws,
                                               abut_distance_result *out)
{
    abut_ask ask = {
        .want = ABUT_WANT_DISTANCE, .cutoff = opts->cutoff, .relative = opts->relative, .cache = opts->cache
    };
    abut_check_result check; /* which is large: run clears what counts */
    abut_status status = ABUT_OK;
    /* Only methods for distances know a cutoff. Convex bodies are not solved twice for it: a filter
     * has dealt with most that are apart, and one solver finds distance and depth. */
    const bool first = !opts->with_depth || (opts->cutoff < INFINITY && !(row->can & ABUT_PAIR_CONVEX));
    const abut_posed_pair pair = order(a, pose_a, b, pose_b, swapped, &ask);
    bool done = false;
    if (first) {
        status = run(row, &pair, ws, &check);
        done = status || !opts->with_depth || check.verdict == ABUT_SEPARATE;
    }
    if (!done) {
        ask.want = ABUT_WANT_ALL;
        ask.no_contacts = true;
        status = run(row, &pair, ws, &check);
    }
    if (status)
        return status;
    out->verdict = check.verdict;
    out->proof = check.proof;
    out->distance = opts->with_depth ? signed_distance(row, &check) : check.distance;
    out->stop = out->distance.lo > opts->cutoff ? ABUT_STOP_CUTOFF : check.stop;
    out->has_points = check.has_points;
    out->point_a = check.point_a;
    out->point_b = check.point_b;
    out->normal = check.normal;
    out->counters = check.counters;
    return ABUT_OK;
}

static bool filter_distance(const abut_pair_row *row, const abut_posed_pair *p,
                            const abut_distance_opts *opts, abut_distance_result *out)
{
    return row->filter_distance && row->filter_distance(p->a, p->at_a, p->b, p->at_b, opts, out);
}

static void mirror_distance(abut_distance_result *out)
{
    const abut_vec3 zero = { 0, 0, 0 }, point = out->point_a;
    out->point_a = out->point_b;
    out->point_b = point;
    out->normal = abut_sub(zero, out->normal);
}

static inline abut_status ask_distance(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                       const abut_pose *pose_b, const abut_distance_opts *opts,
                                       abut_workspace *ws, abut_distance_result *out)
{
    abut_distance_opts known = { .struct_size = sizeof known, .cutoff = INFINITY };
    if (!a || !b || !out || !abut_options_read(&known, sizeof known, opts) || isnan(known.cutoff) ||
        !(known.relative >= 0)) {
        if (out)
            *out = (abut_distance_result){ 0 };
        return ABUT_ERR_ARGUMENT;
    }
    bool swapped;
    const abut_pair_row *row = abut_narrow_find_row(a->type, b->type, &swapped);
    if (!row && (abut_is_compound(a) || abut_is_compound(b)))
        return abut_compound_distance(a, pose_a, b, pose_b, &known, ws, out);
    const abut_posed_pair pair = order(a, pose_a, b, pose_b, swapped, NULL);
    abut_status status = row ? ABUT_OK : ABUT_ERR_UNSUPPORTED;
    const bool nearest = abut_nearest_is_set();
    if (row && !(nearest && filter_distance(row, &pair, &known, out))) {
        const abut_nearest saved = abut_nearest_enter();
        if (nearest || !filter_distance(row, &pair, &known, out))
            status = abut_cores_status(distance(row, a, pose_a, b, pose_b, swapped, &known, ws, out),
                                       &a->core, &b->core);
        abut_nearest_leave(saved);
    }
    if (status)
        *out = (abut_distance_result){ 0 };
    else if (swapped)
        mirror_distance(out);
    return status;
}

/* ---- overlap ---- */

/* What the filter leaves. */
static ABUT_MATH_NOINLINE abut_status overlap(const abut_pair_row *row, const abut_shape *a,
                                              const abut_pose *pose_a, const abut_shape *b,
                                              const abut_pose *pose_b, bool swapped,
                                              const abut_overlap_opts *opts, abut_workspace *ws,
                                              abut_overlap_result *out)
{
    const abut_ask ask = {
        .want = ABUT_WANT_VERDICT, .clearance = opts->clearance, .method = opts->method, .cache = opts->cache
    };
    abut_check_result check;
    abut_posed_pair pair = order(a, pose_a, b, pose_b, swapped, &ask);
    abut_status status = run(row, &pair, ws, &check);
    if (!status && check.verdict == ABUT_UNDECIDED && opts->clearance == 0 &&
        row->can & ABUT_PAIR_DEPTH_PROVES) {
        const abut_ask all = { .want = ABUT_WANT_ALL, .no_contacts = true };
        pair.ask = &all;
        status = run(row, &pair, ws, &check);
    }
    if (status)
        return status;
    out->verdict = check.verdict;
    out->proof = check.verdict == ABUT_UNDECIDED ? ABUT_PROOF_NONE : check.proof;
    out->stop = check.stop;
    out->counters = check.counters;
    return ABUT_OK;
}

static inline bool filter_overlap(const abut_pair_row *row, const abut_shape *a, const abut_pose *pose_a,
                                  const abut_shape *b, const abut_pose *pose_b, const abut_overlap_opts *opts,
                                  abut_overlap_result *out)
{
    const abut_verdict verdict =
        row->filter_overlap ? row->filter_overlap(a, pose_a ? pose_a : &identity, b,
                                                  pose_b ? pose_b : &identity, opts->clearance, opts->cache)
                            : ABUT_UNDECIDED;
    if (verdict == ABUT_UNDECIDED)
        return false;
    out->verdict = verdict;
    out->proof = ABUT_PROOF_INTERVAL;
    out->stop = ABUT_STOP_DONE;
    out->counters = (abut_counters){ .evaluations = 1 };
    return true;
}

static inline abut_status ask_overlap(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                      const abut_pose *pose_b, const abut_overlap_opts *opts,
                                      abut_workspace *ws, abut_overlap_result *out)
{
    abut_overlap_opts known = { .struct_size = sizeof known };
    if (!a || !b || !out || !abut_options_read(&known, sizeof known, opts) || !(known.clearance >= 0) ||
        isinf(known.clearance) || known.method < ABUT_CHECK_AUTO || known.method >= ABUT_CHECK_METHOD_COUNT) {
        if (out)
            *out = (abut_overlap_result){ 0 };
        return ABUT_ERR_ARGUMENT;
    }
    bool swapped;
    const abut_pair_row *row = abut_narrow_find_row(a->type, b->type, &swapped);
    const bool nearest = abut_nearest_is_set();
    if (row && nearest && filter_overlap(row, a, pose_a, b, pose_b, &known, out))
        return ABUT_OK;
    *out = (abut_overlap_result){ 0 };
    if (!row)
        return abut_is_compound(a) || abut_is_compound(b)
                   ? abut_compound_overlap(a, pose_a, b, pose_b, &known, ws, out)
                   : ABUT_ERR_UNSUPPORTED;
    abut_status status = ABUT_OK;
    const abut_nearest saved = abut_nearest_enter();
    if (nearest || !filter_overlap(row, a, pose_a, b, pose_b, &known, out))
        status = abut_cores_status(overlap(row, a, pose_a, b, pose_b, swapped, &known, ws, out), &a->core,
                                   &b->core);
    abut_nearest_leave(saved);
    if (status)
        *out = (abut_overlap_result){ 0 };
    return status;
}

/* ---- with the reason of a failure ---- */

static abut_status explain_check(abut_asked *asked, abut_status status, const abut_check_opts *opts)
{
    abut_check_opts known = { .struct_size = sizeof known };
    asked->no_options = !abut_options_read(&known, sizeof known, opts);
    if (known.max_contacts < 0 || known.max_contacts > ABUT_CHECK_CONTACTS) {
        asked->wrong = "max_contacts";
        asked->allowed = "it must be from 0 to 8";
    } else if (!(known.relative >= 0)) {
        asked->wrong = "relative";
        asked->allowed = "it must be at least 0";
    }
    return abut_explain(ABUT_ERROR_OF(opts), status, asked);
}

abut_status abut_check(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                       const abut_pose *pose_b, const abut_check_opts *opts, abut_workspace *ws,
                       abut_check_result *out)
{
    const abut_status status = ask_check(a, pose_a, b, pose_b, opts, ws, out);
    if (status == ABUT_OK || !opts)
        return status;
    abut_asked asked = { .a = a, .b = b, .pose_a = pose_a, .pose_b = pose_b, .out = out };
    return explain_check(&asked, status, opts);
}

abut_status abut_check_at(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                          const abut_motion *motion_b, double t, const abut_check_opts *opts,
                          abut_workspace *ws, abut_check_result *out)
{
    if (check_in_frame(a, motion_a, b, motion_b, t, opts, ws, out))
        return ABUT_OK;
    const abut_status status = ask_check_at(a, motion_a, b, motion_b, t, opts, ws, out);
    if (status == ABUT_OK || !opts)
        return status;
    abut_asked asked = { .a = a,
                         .b = b,
                         .motions = true,
                         .motion_a = motion_a,
                         .motion_b = motion_b,
                         .time = { t, t },
                         .out = out };
    return explain_check(&asked, status, opts);
}

abut_status abut_distance(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                          const abut_pose *pose_b, const abut_distance_opts *opts, abut_workspace *ws,
                          abut_distance_result *out)
{
    const abut_status status = ask_distance(a, pose_a, b, pose_b, opts, ws, out);
    if (status == ABUT_OK || !opts)
        return status;
    abut_distance_opts known = { .struct_size = sizeof known };
    abut_asked asked = { .a = a, .b = b, .pose_a = pose_a, .pose_b = pose_b, .out = out };
    asked.no_options = !abut_options_read(&known, sizeof known, opts);
    asked.wrong = isnan(known.cutoff) ? "cutoff" : !(known.relative >= 0) ? "relative" : NULL;
    asked.allowed = isnan(known.cutoff) ? "it must be a number" : "it must be at least 0";
    return abut_explain(ABUT_ERROR_OF(opts), status, &asked);
}

abut_status abut_overlap(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                         const abut_pose *pose_b, const abut_overlap_opts *opts, abut_workspace *ws,
                         abut_overlap_result *out)
{
    const abut_status status = ask_overlap(a, pose_a, b, pose_b, opts, ws, out);
    if (status == ABUT_OK || !opts)
        return status;
    abut_overlap_opts known = { .struct_size = sizeof known };
    abut_asked asked = { .a = a, .b = b, .pose_a = pose_a, .pose_b = pose_b, .out = out };
    asked.no_options = !abut_options_read(&known, sizeof known, opts);
    asked.wrong = !(known.clearance >= 0) || isinf(known.clearance) ? "clearance" : NULL;
    asked.allowed = "it must be finite and at least 0";
    return abut_explain(ABUT_ERROR_OF(opts), status, &asked);
}
