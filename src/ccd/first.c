/* SPDX-License-Identifier: MIT */
/* The public queries over time: options, the pair table, and results from runs of contact. */
#include "ccd/first.h"
#include "abut/ellipsoid.h"
#include "base/options.h"
#include "ccd/advance/turn_first.h"
#include "ccd/crossing.h"
#include "ccd/proof/exact_touch.h"
#include "ccd/quick_first.h"
#include "ccd/surface/surface_scene.h"
#include "ccd/time_unit.h"
#include "math/nearest.h"
#include "math/vec3.h"
#include "narrow/distance/convex.h"

/* Ellipsoids have a method that sees grazes more clearly: a walk that takes longer than this
 * (some twenty steps are usual) is along one. */
static const uint64_t short_walk = 256;

void abut_first_opts_init(abut_first_opts *opts)
{
    if (opts)
        *opts = (abut_first_opts){ .struct_size = sizeof *opts, .time = { NAN, NAN } };
}

const char *abut_first_method_name(abut_first_method method)
{
    static const char *const names[ABUT_METHOD_COUNT] = { "auto",  "advancement", "raycast", "halving",
                                                          "brent", "shooting",    "sampled" };
    return method >= 0 && method < ABUT_METHOD_COUNT ? names[method] : "unknown";
}

/* The time asked for, or that of both motions; false where there is none, or another number of
 * the options makes no sense. */
static bool read_range(const abut_first_opts *opts, const abut_motion *motion_a, const abut_motion *motion_b,
                       abut_interval *range)
{
    *range = opts->time;
    if (isnan(range->lo) && isnan(range->hi)) {
        const abut_interval all = { -INFINITY, INFINITY };
        const abut_interval ra = motion_a ? abut_motion_get_range(motion_a) : all;
        const abut_interval rb = motion_b ? abut_motion_get_range(motion_b) : all;
        *range = (abut_interval){ fmax(ra.lo, rb.lo), fmin(ra.hi, rb.hi) };
        if (isinf(range->lo) && isinf(range->hi))
            *range = (abut_interval){ 0, 1 };
    }
    return range->lo < range->hi && !isinf(range->lo) && !isinf(range->hi) && opts->simultaneity >= 0 &&
           opts->separation >= 0 && opts->accuracy >= 0;
}

/* Fills m from the arguments; the method in *method, or NULL where there is none. */
static abut_status prepare(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                           const abut_motion *motion_b, const abut_first_opts *opts, bool wants_first,
                           abut_counters *counters, abut_moving *m, abut_moving_fn *method)
{
    bool swapped;
    if (opts->method < 0 || opts->method >= ABUT_METHOD_COUNT)
        return ABUT_ERR_ARGUMENT;
    *method = abut_ccd_find_pair(a->type, b->type, &swapped);
    if (opts->method == ABUT_METHOD_SHOOTING || opts->method == ABUT_METHOD_SAMPLED)
        *method = abut_is_ellipsoid(a) && abut_is_ellipsoid(b) ? abut_ellipsoids_scan : NULL;
    else if (opts->method != ABUT_METHOD_AUTO)
        *method = *method && *method != abut_field_scan ? abut_advance_scan : *method;
    else if (abut_first_is_still(motion_a) && abut_first_is_still(motion_b) &&
             abut_narrow_find_pair(a->type, b->type, &swapped))
        *method = abut_still_scan;
    else if (abut_first_takes_ellipsoids(a, motion_a, b, motion_b, wants_first))
        *method = abut_ellipsoids_scan;
    const bool walks =
        *method == abut_advance_scan || *method == abut_ellipsoids_scan || *method == abut_field_scan;
    const uint64_t usual = walks ? ABUT_WALK_ITERATIONS : ABUT_BALL_ITERATIONS;
    *m = (abut_moving){ .a = swapped ? b : a,
                        .b = swapped ? a : b,
                        .motion_a = swapped ? motion_b : motion_a,
                        .motion_b = swapped ? motion_a : motion_b,
                        .accuracy = opts->accuracy,
                        .method = opts->method,
                        .max_iterations = opts->max_iterations ? opts->max_iterations : usual,
                        .progress = opts->progress,
                        .progress_ctx = opts->progress_ctx,
                        .counters = counters };
    if (!read_range(opts, motion_a, motion_b, &m->range))
        return ABUT_ERR_ARGUMENT;
    if (!*method)
        return ABUT_ERR_UNSUPPORTED;
    if (*method == abut_field_scan && m->b->core.kind == ABUT_CORE_NONE)
        return ABUT_ERR_UNSUPPORTED;
    if (*method == abut_advance_scan) { /* swept shapes may hold what has no core */
        const bool above = m->b->type == ABUT_SHAPE_HALFSPACE;
        if (m->a->core.kind == ABUT_CORE_NONE || (!above && m->b->core.kind == ABUT_CORE_NONE))
            return ABUT_ERR_UNSUPPORTED;
    }
    return ABUT_OK;
}

/* ---- first contact ---- */

/* An end of the time of a first contact, by proofs at single times: those before it are free. */
static bool narrow_by_looks(const abut_first_state *s, abut_interval *time)
{
    const abut_exact_touch looks = { s->a, s->b, s->motion_a, s->motion_b };
    double t;
    if (isnan(s->wide) || !abut_exact_touch_early(&looks, *time, time->lo > s->range.lo, &t))
        return false;
    time->hi = t;
    return true;
}

/* Flat bodies that meet for an instant only. */
static bool pass_through(abut_first_state *s, const abut_exact_touch *looks)
{
    abut_first_result *out = s->out;
    abut_crossing found;
    if (!abut_crossing_knows(looks) || !abut_crossing_find(looks, out->time, s->range, &found))
        return false;
    out->verdict = ABUT_FIRST_CONTACT;
    out->proof = ABUT_PROOF_INTERVAL;
    out->stop = ABUT_STOP_DONE;
    out->time = found.time;
    const abut_first_point point = { .time = found.time,
                                     .point = found.point,
                                     .normal = found.normal,
                                     .kind = ABUT_CONTACT_ISOLATED,
                                     .features = { found.features[0], found.features[1] } };
    if (!abut_first_add_region(s, found.time.lo, &point))
        abut_first_keep_point(s, &point);
    return true;
}

/* What the method left open. */
static void settle(abut_first_state *s)
{
    abut_first_result *out = s->out;
    const abut_exact_touch looks = { s->a, s->b, s->motion_a, s->motion_b };
    const bool starts = out->time.lo <= s->range.lo;
    double t = s->range.lo;
    if (isnan(s->wide) || out->verdict != ABUT_FIRST_UNDECIDED ||
        (out->stop == ABUT_STOP_BUDGET && s->opts->max_iterations > 0)) /* a budget of the user's is one */
        return;
    const abut_verdict start = starts ? abut_exact_touch_at(&looks, t) : ABUT_SEPARATE;
    if (start == ABUT_PENETRATING) {
        out->verdict = ABUT_FIRST_OVERLAPPING;
        out->time = (abut_interval){ t, t };
    } else if (pass_through(s, &looks) || start == ABUT_UNDECIDED) { /* which may be an overlap */
        return;
    } else if (narrow_by_looks(s, &out->time)) {
        out->verdict = ABUT_FIRST_CONTACT;
        t = out->time.hi;
    } else {
        return;
    }
    out->proof = ABUT_PROOF_INTERVAL;
    out->stop = ABUT_STOP_DONE;
    abut_first_add_points_at(s, t);
}

static bool take_first(void *ctx, const abut_run *run)
{
    abut_first_state *s = ctx;
    abut_first_result *out = s->out;
    if (out->verdict == ABUT_FIRST_CONTACT) { /* looking for others at nearly the same time */
        if (!run->certain || run->enter.lo > out->time.hi + s->opts->simultaneity)
            return false;
        abut_first_add_point(s, run, run->enter);
        return true;
    }
    if (run->begins_open && run->touch_only)
        return true; /* they touch at the start and part */
    out->time = run->enter;
    out->proof = run->exact ? ABUT_PROOF_EXACT : ABUT_PROOF_INTERVAL;
    if (run->deep_start) {
        out->verdict = ABUT_FIRST_OVERLAPPING;
        out->time = (abut_interval){ s->range.lo, s->range.lo };
        abut_first_add_point(s, run, out->time);
        return false;
    }
    if (run->may_part)
        out->time.hi = run->exit.hi;
    if (!run->certain || run->may_part || (run->begins_open && run->unknown_start)) {
        out->verdict = ABUT_FIRST_UNDECIDED;
        out->proof = ABUT_PROOF_NONE;
        out->stop = ABUT_STOP_TOLERANCE;
        return false;
    }
    out->verdict = ABUT_FIRST_CONTACT;
    if (out->time.hi - out->time.lo > s->wide)
        (void)narrow_by_looks(s, &out->time);
    abut_first_add_point(s, run, out->time);
    return s->opts->simultaneity > 0;
}

static ABUT_MATH_NOINLINE abut_status find_first(abut_moving *m, abut_moving_fn method, abut_first_state *s)
{
    s->range = m->range;
    s->out->verdict = ABUT_FIRST_SEPARATE;
    const abut_status status = method(m, take_first, s);
    abut_first_result *out = s->out;
    if (out->verdict == ABUT_FIRST_SEPARATE)
        out->proof = m->inexact ? ABUT_PROOF_INTERVAL : ABUT_PROOF_EXACT;
    if (out->verdict == ABUT_FIRST_UNDECIDED && m->stop == ABUT_STOP_BUDGET)
        out->stop = ABUT_STOP_BUDGET;
    return status;
}

/* All but the points, which are most of it: only those that are counted mean anything. */
static void clear(abut_first_result *out)
{
    memset(out, 0, offsetof(abut_first_result, points));
    out->counters = (abut_counters){ 0 };
}

/* What was found until then is not the answer. */
static void give_up(abut_status status, abut_first_result *out)
{
    clear(out);
    out->stop = status == ABUT_ERR_CANCELLED ? ABUT_STOP_CANCELLED : ABUT_STOP_DONE;
}

static bool take_narrower(void *ctx, const abut_run *run)
{
    if (run->certain && !run->begins_open)
        *(abut_interval *)ctx = run->enter;
    return false;
}

/* Thin ellipsoids: planes and points leave the time of contact wider than the signs of F do. */
static ABUT_MATH_NOINLINE void narrow_time(const abut_shape *a, const abut_motion *motion_a,
                                           const abut_shape *b, const abut_motion *motion_b,
                                           abut_first_result *out)
{
    abut_counters spent = { 0 };
    abut_interval best = out->time;
    abut_moving m = { .a = a,
                      .b = b,
                      .motion_a = motion_a,
                      .motion_b = motion_b,
                      .range = out->time,
                      .first_only = true,
                      .wants_first = true,
                      .max_iterations = short_walk,
                      .counters = &spent };
    if (abut_ellipsoids_scan(&m, take_narrower, &best))
        return;
    out->time = best;
    for (size_t i = 0; i < out->point_count; ++i)
        out->points[i].time = best;
}

static bool is_wide(const abut_shape *a, const abut_shape *b, double length, double accuracy,
                    const abut_first_result *out)
{
    return out->verdict == ABUT_FIRST_CONTACT && out->point_count <= 1 &&
           out->time.hi - out->time.lo > fmax(1e-12 * length, accuracy) && abut_is_ellipsoid(a) &&
           abut_is_ellipsoid(b) && !(a->type == ABUT_SHAPE_SPHERE && b->type == ABUT_SHAPE_SPHERE);
}

/* By the pair's method, in whatever unit of time. */
static ABUT_MATH_NOINLINE abut_status find_by_pair(const abut_shape *a, const abut_motion *motion_a,
                                                   const abut_shape *b, const abut_motion *motion_b,
                                                   const abut_first_opts *known, abut_first_result *out)
{
    abut_moving m;
    abut_moving_fn method;
    abut_status status = prepare(a, motion_a, b, motion_b, known, true, &out->counters, &m, &method);
    if (status)
        return status;
    m.wants_first = true;
    m.first_only = known->simultaneity <= 0;
    const double wide = 1e-9 * (m.range.hi - m.range.lo) + known->accuracy;
    abut_first_state s = {
        a,        b,
        motion_a, motion_b,
        known,    m.range,
        out,      &m,
        m.a != a, abut_first_is_rigid(motion_a) && abut_first_is_rigid(motion_b) ? wide : NAN
    };
    const abut_nearest saved = abut_nearest_enter();
    const abut_moving whole = m;
    const bool has_other = known->method == ABUT_METHOD_AUTO && method == abut_advance_scan &&
                           abut_is_ellipsoid(a) && abut_is_ellipsoid(b);
    if (has_other && m.max_iterations > short_walk)
        m.max_iterations = short_walk;
    status = find_first(&m, method, &s);
    if (has_other && !status && out->verdict == ABUT_FIRST_UNDECIDED) {
        m = whole;
        m.max_iterations = known->max_iterations ? known->max_iterations : ABUT_WALK_ITERATIONS;
        out->stop = ABUT_STOP_DONE;
        out->time = (abut_interval){ 0, 0 };
        out->point_count = 0;
        status = find_first(&m, abut_ellipsoids_scan, &s);
    }
    if (has_other && !status && is_wide(a, b, whole.range.hi - whole.range.lo, known->accuracy, out))
        narrow_time(a, motion_a, b, motion_b, out);
    if (!status)
        settle(&s);
    abut_nearest_leave(saved);
    if (status)
        give_up(status, out);
    return status;
}

/* The same where the range is so long or short that another unit of time is needed. False: it is
 * not. */
static ABUT_MATH_NOINLINE bool find_in_unit(const abut_shape *a, const abut_motion *motion_a,
                                            const abut_shape *b, const abut_motion *motion_b,
                                            const abut_first_opts *known, abut_interval range,
                                            abut_first_result *out, abut_status *status)
{
    abut_time_unit pace;
    if (!abut_time_unit_begin(motion_a, motion_b, known, range, &pace))
        return false;
    *status = find_by_pair(a, pace.motion_a, b, pace.motion_b, &pace.opts, out);
    if (!*status)
        abut_time_unit_end(&pace, out);
    return true;
}

/* Apart from the quick answers, which have no use for all the room that this takes. */
static ABUT_MATH_NOINLINE abut_status find_carefully(const abut_shape *a, const abut_motion *motion_a,
                                                     const abut_shape *b, const abut_motion *motion_b,
                                                     const abut_first_opts *opts, abut_workspace *ws,
                                                     abut_first_result *out)
{
    abut_first_opts known;
    abut_interval range;
    abut_first_opts_init(&known);
    if (!out)
        return ABUT_ERR_ARGUMENT;
    clear(out);
    if (!a || !b || !abut_options_read(&known, sizeof known, opts) ||
        !read_range(&known, motion_a, motion_b, &range))
        return ABUT_ERR_ARGUMENT;
    if (abut_surface_wanted(a, b)) {
        if (!abut_surface_opts_ok(&known))
            return ABUT_ERR_ARGUMENT;
        const abut_status found = abut_surface_first(a, motion_a, b, motion_b, &known, range, ws, out);
        if (found)
            give_up(found, out);
        return found;
    }
    abut_status status;
    if (!find_in_unit(a, motion_a, b, motion_b, &known, range, out, &status))
        status = find_by_pair(a, motion_a, b, motion_b, &known, out);
    status = abut_cores_status(status, &a->core, &b->core);
    if (status == ABUT_ERR_ARGUMENT)
        give_up(status, out);
    /* A velocity that is not finite, as that of sqrt(t) at 0: surfaces need none. (Of placements
     * that deform, it is a singular one.) In a workspace of their own, as on_point of a set of
     * bodies takes memory from this one. */
    if (status == ABUT_ERR_VALUE && known.method == ABUT_METHOD_AUTO && abut_first_is_rigid(motion_a) &&
        abut_first_is_rigid(motion_b) && abut_surface_opts_ok(&known) &&
        abut_surface_first(a, motion_a, b, motion_b, &known, range, NULL, out) == ABUT_OK)
        return ABUT_OK;
    return status;
}

/* Bodies that turn, where nothing is asked for that their quick way does not know of. Its
 * answers are no wider than the walk's. */
static ABUT_MATH_NOINLINE bool turn_by_options(const abut_shape *a, const abut_motion *motion_a,
                                               const abut_shape *b, const abut_motion *motion_b,
                                               const abut_first_opts *opts, abut_first_result *out)
{
    abut_first_opts known;
    abut_first_opts_init(&known);
    if (!abut_options_read(&known, sizeof known, opts) || known.method != ABUT_METHOD_AUTO ||
        known.simultaneity != 0 || !(known.separation >= 0) || !(known.accuracy >= 0) ||
        (known.max_iterations > 0 && known.max_iterations < short_walk) ||
        !abut_turn_first(a, motion_a, b, motion_b, &known.time, known.accuracy, out))
        return false;
    for (size_t i = 0; i < out->point_count && known.on_point; ++i)
        known.on_point(known.on_point_ctx, &out->points[i]);
    return true;
}

abut_status abut_first_contact(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                               const abut_motion *motion_b, const abut_first_opts *opts, abut_workspace *ws,
                               abut_first_result *out)
{
    /* What users' functions answer is looked at in the end: they go the other way. */
    if (a && b && out && a->core.kind != ABUT_CORE_USER && b->core.kind != ABUT_CORE_USER) {
        static const abut_interval all = { NAN, NAN };
        const abut_nearest saved = abut_nearest_enter();
        const bool done = opts ? turn_by_options(a, motion_a, b, motion_b, opts, out)
                               : abut_quick_first(a, motion_a, b, motion_b, &all, out) ||
                                     abut_turn_first(a, motion_a, b, motion_b, &all, INFINITY, out);
        if (done && !opts && is_wide(a, b, 0, 0, out)) {
            abut_first_opts usual;
            abut_interval range;
            abut_first_opts_init(&usual);
            if (read_range(&usual, motion_a, motion_b, &range) && is_wide(a, b, range.hi - range.lo, 0, out))
                narrow_time(a, motion_a, b, motion_b, out);
        }
        abut_nearest_leave(saved);
        if (done)
            return ABUT_OK;
    }
    return find_carefully(a, motion_a, b, motion_b, opts, ws, out);
}

/* ---- all intervals ---- */

enum { MOST_DOUBTS = 64 }; /* that are looked at more closely */

typedef struct intervals_state {
    abut_contact_interval *items;
    size_t capacity;
    abut_intervals_result *out;
    bool doubtful;
    abut_exact_touch looks;
    int doubts;
} intervals_state;

/* When a contact that is not proved to be one is proved at single times. */
static void look_closely(intervals_state *s, abut_contact_interval *item)
{
    const abut_interval time = { item->enter.lo, item->exit.hi };
    double t;
    if (++s->doubts > MOST_DOUBTS || !abut_first_is_rigid(s->looks.motion_a) ||
        !abut_first_is_rigid(s->looks.motion_b) || !abut_exact_touch_early(&s->looks, time, true, &t))
        return;
    item->enter.hi = t;
    if (abut_exact_touch_late(&s->looks, (abut_interval){ t, time.hi }, &t))
        item->exit.lo = t;
}

static bool take_interval(void *ctx, const abut_run *run)
{
    intervals_state *s = ctx;
    abut_contact_interval item = { run->enter, run->exit };
    if (!run->certain)
        look_closely(s, &item);
    if (s->out->count < s->capacity)
        s->items[s->out->count] = item;
    ++s->out->count;
    s->doubtful = s->doubtful || !run->certain || !run->whole;
    return true;
}

static ABUT_MATH_NOINLINE abut_status find_intervals(const abut_shape *a, const abut_motion *motion_a,
                                                     const abut_shape *b, const abut_motion *motion_b,
                                                     const abut_first_opts *known, intervals_state *s)
{
    abut_moving m;
    abut_moving_fn method;
    abut_status status = prepare(a, motion_a, b, motion_b, known, false, &s->out->counters, &m, &method);
    if (status)
        return status;
    s->looks = (abut_exact_touch){ a, b, motion_a, motion_b };
    const abut_nearest saved = abut_nearest_enter();
    status = method(&m, take_interval, s);
    abut_nearest_leave(saved);
    s->out->proof = s->doubtful ? ABUT_PROOF_TOLERANCE : m.inexact ? ABUT_PROOF_INTERVAL : ABUT_PROOF_EXACT;
    s->out->stop = s->doubtful ? m.stop : ABUT_STOP_DONE;
    return status;
}

/* As find_at_pace. */
static ABUT_MATH_NOINLINE bool find_intervals_in_unit(const abut_shape *a, const abut_motion *motion_a,
                                                      const abut_shape *b, const abut_motion *motion_b,
                                                      const abut_first_opts *known, abut_interval range,
                                                      intervals_state *s, abut_status *status)
{
    abut_time_unit pace;
    if (!abut_time_unit_begin(motion_a, motion_b, known, range, &pace))
        return false;
    *status = find_intervals(a, pace.motion_a, b, pace.motion_b, &pace.opts, s);
    for (size_t i = 0; i < s->out->count && i < s->capacity; ++i) {
        s->items[i].enter = abut_time_unit_back(&pace, s->items[i].enter);
        s->items[i].exit = abut_time_unit_back(&pace, s->items[i].exit);
    }
    return true;
}

static void fail_intervals(abut_status status, abut_intervals_result *out)
{
    *out = (abut_intervals_result){ .stop =
                                        status == ABUT_ERR_CANCELLED ? ABUT_STOP_CANCELLED : ABUT_STOP_DONE };
}

abut_status abut_contact_intervals(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                                   const abut_motion *motion_b, const abut_first_opts *opts,
                                   abut_workspace *ws, abut_contact_interval *intervals, size_t capacity,
                                   abut_intervals_result *out)
{
    abut_first_opts known;
    abut_first_opts_init(&known);
    if (!out)
        return ABUT_ERR_ARGUMENT;
    *out = (abut_intervals_result){ .proof = ABUT_PROOF_NONE };
    if (!a || !b || (capacity > 0 && !intervals) || !abut_options_read(&known, sizeof known, opts))
        return ABUT_ERR_ARGUMENT;
    abut_status status;
    abut_interval range;
    if (!read_range(&known, motion_a, motion_b, &range))
        return ABUT_ERR_ARGUMENT;
    if (abut_surface_wanted(a, b)) {
        if (!abut_surface_opts_ok(&known))
            return ABUT_ERR_ARGUMENT;
        status =
            abut_surface_intervals(a, motion_a, b, motion_b, &known, range, ws, intervals, capacity, out);
    } else {
        intervals_state s = { .items = intervals, .capacity = capacity, .out = out };
        if (!find_intervals_in_unit(a, motion_a, b, motion_b, &known, range, &s, &status))
            status = find_intervals(a, motion_a, b, motion_b, &known, &s);
    }
    status = abut_cores_status(status, &a->core, &b->core);
    if (status)
        fail_intervals(status, out);
    return status;
}
