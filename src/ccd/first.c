/* SPDX-License-Identifier: MIT */
/* The public queries over time: options, the pair table, and results from runs of contact. */
#include "ccd/first.h"
#include "abut/ellipsoid.h"
#include "base/options.h"
#include "ccd/advance/turn_first.h"
#include "ccd/compound.h"
#include "ccd/deform/deform.h"
#include "ccd/proof/crossing.h"
#include "ccd/proof/exact_touch.h"
#include "ccd/proof/frame.h"
#include "ccd/quick_first.h"
#include "ccd/rigid/scan.h"
#include "ccd/surface/surface_scene.h"
#include "ccd/time_unit.h"
#include "math/nearest.h"
#include "math/vec3.h"
#include "narrow/compound.h"
#include "narrow/distance/convex.h"
#include "narrow/explain.h"

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

/* Which walk of the row a query takes. */
typedef struct choice {
    abut_moving_fn scan;
    uint64_t max_iterations;
    bool has_second; /* the second method sees more clearly where this one leaves it open */
    bool lists;      /* the walk lists all contacts of the first time */
} choice;

static abut_status choose(const abut_ccd_row *row, const abut_ccd_query *q, bool wants_first, choice *out)
{
    const abut_first_method method = q->opts->method;
    *out = (choice){ .max_iterations = ABUT_WALK_ITERATIONS };
    if (method == ABUT_METHOD_AUTO && abut_first_rests(q->a, q->motion_a) &&
        abut_first_rests(q->b, q->motion_b) && abut_narrow_has_pair(q->a->type, q->b->type)) {
        out->scan = abut_still_scan;
        out->max_iterations = ABUT_BALL_ITERATIONS;
    } else if (!row) {
        return ABUT_ERR_UNSUPPORTED;
    } else if (method == ABUT_METHOD_SHOOTING || method == ABUT_METHOD_SAMPLED) {
        out->scan = row->second;
    } else if (method > ABUT_METHOD_ADVANCEMENT && row->can & ABUT_CCD_CONTACTS) {
        return ABUT_ERR_UNSUPPORTED;
    } else if (method != ABUT_METHOD_AUTO) {
        out->scan = row->steps ? row->steps : row->scan;
        /* Steps of pairs without a method of their own are as long, whatever they are called. */
        if (row->max_iterations < out->max_iterations)
            out->max_iterations = row->max_iterations;
        out->lists = row->can & ABUT_CCD_CONTACTS;
    } else if (abut_first_takes_second(row, q->motion_a, q->motion_b, wants_first)) {
        out->scan = row->second;
    } else {
        out->scan = row->scan;
        out->max_iterations = row->max_iterations;
        out->has_second = row->can & ABUT_CCD_SECOND;
        out->lists = row->can & ABUT_CCD_CONTACTS;
    }
    return out->scan ? ABUT_OK : ABUT_ERR_UNSUPPORTED;
}

/* The pair in the order of the row. */
static abut_moving make_moving(const abut_ccd_query *q, const choice *by, abut_counters *counters)
{
    bool swapped;
    (void)abut_ccd_find_row(q->a->type, q->b->type, &swapped);
    const uint64_t own = q->opts->max_iterations;
    return (abut_moving){ .a = swapped ? q->b : q->a,
                          .b = swapped ? q->a : q->b,
                          .motion_a = swapped ? q->motion_b : q->motion_a,
                          .motion_b = swapped ? q->motion_a : q->motion_b,
                          .range = q->range,
                          .accuracy = q->opts->accuracy,
                          .simultaneity = q->opts->simultaneity,
                          .ws = q->ws,
                          .method = q->opts->method,
                          .max_iterations = own ? own : by->max_iterations,
                          .progress = q->opts->progress,
                          .progress_ctx = q->opts->progress_ctx,
                          .counters = counters };
}

/* ---- first contact ---- */

/* An end of the time of a first contact, by proofs at single times: those before it are free. */
static bool narrow_exactly(const abut_first_state *s, abut_interval *time)
{
    const abut_exact_touch touch = { s->a, s->b, s->motion_a, s->motion_b };
    double t;
    if (isnan(s->wide) || !abut_exact_touch_early(&touch, *time, time->lo > s->range.lo, &t))
        return false;
    time->hi = t;
    return true;
}

/* Flat bodies that meet for an instant only. */
static bool pass_through(abut_first_state *s, const abut_exact_touch *touch)
{
    abut_first_result *out = s->out;
    abut_crossing found;
    if (!abut_crossing_knows(touch) || !abut_crossing_find(touch, out->time, s->range, &found))
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
static void decide(abut_first_state *s)
{
    abut_first_result *out = s->out;
    const abut_exact_touch touch = { s->a, s->b, s->motion_a, s->motion_b };
    const bool starts = out->time.lo <= s->range.lo;
    double t = s->range.lo;
    if (isnan(s->wide) || out->verdict != ABUT_FIRST_UNDECIDED ||
        (out->stop == ABUT_STOP_BUDGET && s->opts->max_iterations > 0)) /* a budget of the user's is one */
        return;
    if (abut_translation_first(s))
        return;
    const abut_verdict start = starts ? abut_exact_touch_at(&touch, t) : ABUT_SEPARATE;
    if (start == ABUT_PENETRATING) {
        out->verdict = ABUT_FIRST_OVERLAPPING;
        out->time = (abut_interval){ t, t };
    } else if (pass_through(s, &touch) || start == ABUT_UNDECIDED) { /* which may be an overlap */
        return;
    } else if (narrow_exactly(s, &out->time)) {
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
    if (out->verdict == ABUT_FIRST_CONTACT) { /* searching for others at nearly the same time */
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
    if (out->time.hi - out->time.lo > s->wide) {
        if (abut_translation_first(s))
            return false;
        (void)narrow_exactly(s, &out->time);
    }
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
static ABUT_MATH_NOINLINE void narrow_time(const abut_ccd_row *row, const abut_ccd_query *q,
                                           abut_first_result *out)
{
    abut_counters spent = { 0 };
    abut_interval best = out->time;
    abut_moving m = { .a = q->a,
                      .b = q->b,
                      .motion_a = q->motion_a,
                      .motion_b = q->motion_b,
                      .range = out->time,
                      .first_only = true,
                      .wants_first = true,
                      .max_iterations = short_walk,
                      .counters = &spent };
    if (row->second(&m, take_narrower, &best))
        return;
    out->time = best;
    for (size_t i = 0; i < out->point_count; ++i)
        out->points[i].time = best;
}

static bool is_wide(const abut_ccd_query *q, const abut_first_result *out)
{
    return out->verdict == ABUT_FIRST_CONTACT && out->point_count <= 1 &&
           out->time.hi - out->time.lo > fmax(1e-12 * (q->range.hi - q->range.lo), q->opts->accuracy);
}

/* In whatever unit of time. */
static ABUT_MATH_NOINLINE abut_status find_by_scan(const abut_ccd_row *row, const abut_ccd_query *q,
                                                   abut_first_result *out)
{
    choice by;
    abut_status status = choose(row, q, true, &by);
    if (status)
        return status;
    const abut_first_opts *opts = q->opts;
    abut_moving m = make_moving(q, &by, &out->counters);
    m.wants_first = true;
    m.first_only = opts->simultaneity <= 0;
    abut_rigid_contacts contacts = { .list = { 0 } };
    if (by.lists)
        m.contacts = &contacts;
    const bool rigid = abut_first_is_rigid(q->motion_a) && abut_first_is_rigid(q->motion_b) &&
                       !abut_shape_deforms(q->a) && !abut_shape_deforms(q->b);
    abut_first_state s = { .a = q->a,
                           .b = q->b,
                           .motion_a = q->motion_a,
                           .motion_b = q->motion_b,
                           .opts = opts,
                           .range = q->range,
                           .out = out,
                           .moving = &m,
                           .row = row,
                           .swapped = m.a != q->a,
                           .wide = rigid ? 1e-9 * (q->range.hi - q->range.lo) + opts->accuracy : NAN };
    const abut_nearest saved = abut_nearest_enter();
    const abut_moving whole = m;
    if (by.has_second && m.max_iterations > short_walk)
        m.max_iterations = short_walk;
    status = find_first(&m, by.scan, &s);
    if (by.has_second && !status && out->verdict == ABUT_FIRST_UNDECIDED) {
        m = whole;
        out->stop = ABUT_STOP_DONE;
        out->time = (abut_interval){ 0, 0 };
        out->point_count = 0;
        status = find_first(&m, row->second, &s);
    }
    if (by.has_second && !status && is_wide(q, out))
        narrow_time(row, q, out);
    if (!status)
        decide(&s);
    abut_nearest_leave(saved);
    if (m.contacts)
        ABUT_ARRAY_FREE(&contacts.alloc, &contacts.list);
    return status;
}

/* False where the query is asked as it is: shapes that deform have their own times. */
static bool begin_unit(const abut_ccd_query *q, abut_time_unit *unit)
{
    return !abut_shape_deforms(q->a) && !abut_shape_deforms(q->b) &&
           abut_time_unit_begin(q->motion_a, q->motion_b, q->opts, q->range, unit);
}

/* Where the range is so long or short that another unit of time is needed, in that. */
abut_status abut_first_by_scan(const abut_ccd_row *row, const abut_ccd_query *query, abut_first_result *out)
{
    abut_time_unit unit;
    if (!begin_unit(query, &unit))
        return find_by_scan(row, query, out);
    const abut_ccd_query scaled = { .a = query->a,
                                    .b = query->b,
                                    .motion_a = unit.motion_a,
                                    .motion_b = unit.motion_b,
                                    .opts = &unit.opts,
                                    .range = unit.opts.time,
                                    .ws = query->ws };
    const abut_status status = find_by_scan(row, &scaled, out);
    if (!status)
        abut_time_unit_end(&unit, out);
    return status;
}

/* By the floating-point filters: bodies that translate, bodies that turn; where nothing is asked for
 * that they do not know of. Their times are about as narrow as the walk's. */
static ABUT_MATH_NOINLINE bool filter(const abut_ccd_row *row, const abut_ccd_query *q,
                                      abut_first_result *out)
{
    const abut_first_opts *opts = q->opts;
    if (!row->filters || opts->method != ABUT_METHOD_AUTO || opts->simultaneity != 0 || opts->progress ||
        (opts->max_iterations > 0 && opts->max_iterations < short_walk))
        return false;
    const double accuracy = opts->accuracy > 0 ? opts->accuracy : INFINITY;
    if (!abut_quick_first(q->a, q->motion_a, q->b, q->motion_b, &opts->time, out) &&
        !abut_turn_first(q->a, q->motion_a, q->b, q->motion_b, &opts->time, accuracy, out))
        return false;
    if (row->can & ABUT_CCD_SECOND && is_wide(q, out))
        narrow_time(row, q, out);
    for (size_t i = 0; i < out->point_count && opts->on_point; ++i)
        opts->on_point(opts->on_point_ctx, &out->points[i]);
    return true;
}

/* Meshes whose vertices move: exactly where they meet another mesh that is at rest or translates. */
static abut_status first_deforming(const abut_ccd_row *row, const abut_ccd_query *q, abut_first_result *out)
{
    const abut_status status =
        abut_deform_first_contact(q->a, q->motion_a, q->b, q->motion_b, q->opts, q->range, false, out);
    if (status != ABUT_ERR_UNSUPPORTED)
        return status;
    clear(out);
    return abut_first_by_scan(row, q, out);
}

static abut_status deforming_intervals(const abut_ccd_row *row, const abut_ccd_query *q,
                                       abut_contact_interval *intervals, size_t capacity,
                                       abut_intervals_result *out)
{
    const abut_status status = abut_deform_intervals(q->a, q->motion_a, q->b, q->motion_b, q->opts, q->range,
                                                     false, intervals, capacity, out);
    if (status != ABUT_ERR_UNSUPPORTED)
        return status;
    *out = (abut_intervals_result){ .proof = ABUT_PROOF_NONE };
    return abut_intervals_by_scan(row, q, intervals, capacity, out);
}

static bool is_deformed(const abut_motion *motion)
{
    return motion && !motion->rigid;
}

/* The row that serves the motions, too: the general one for those that are not rigid where methods know none
 * such. */
static const abut_ccd_row *row_for(const abut_ccd_row *row, const abut_ccd_query *q)
{
    const bool deformed = is_deformed(q->motion_a) || is_deformed(q->motion_b);
    const bool serves = row && row->can & ABUT_CCD_DEFORMED && !abut_deform_wanted(q->motion_a, q->motion_b);
    return deformed && !serves ? &abut_ccd_general : row;
}

/* Apart from the filters, which have no use for all the room that this takes. */
static ABUT_MATH_NOINLINE abut_status find_carefully(const abut_ccd_row *row, const abut_ccd_query *q,
                                                     abut_first_result *out)
{
    clear(out);
    const abut_ccd_first_fn method = abut_deform_wanted(q->motion_a, q->motion_b) ? first_deforming
                                     : row                                        ? row->first
                                                                                  : abut_first_by_scan;
    const abut_status status = abut_cores_status(method(row, q, out), &q->a->core, &q->b->core);
    if (!status)
        return ABUT_OK;
    give_up(status, out);
    /* A velocity that is not finite, as that of sqrt(t) at 0: surfaces need none. (Of placements
     * that deform, it is a singular one.) In a workspace of their own, as on_point of a set of
     * bodies takes memory from this one. */
    if (status == ABUT_ERR_VALUE && q->opts->method == ABUT_METHOD_AUTO && abut_first_is_rigid(q->motion_a) &&
        abut_first_is_rigid(q->motion_b) && abut_surface_opts_ok(q->opts) &&
        abut_surface_first(q->a, q->motion_a, q->b, q->motion_b, q->opts, q->range, NULL, out) == ABUT_OK)
        return ABUT_OK;
    return status;
}

/* Options, the range and the row. False: an argument is wrong. */
static bool read_query(const abut_first_opts *opts, abut_first_opts *known, abut_ccd_query *q,
                       const abut_ccd_row **row)
{
    bool swapped;
    *known = (abut_first_opts){ .struct_size = sizeof *known, .time = { NAN, NAN } };
    if (!q->a || !q->b || !abut_options_read(known, sizeof *known, opts) || known->method < 0 ||
        known->method >= ABUT_METHOD_COUNT || !read_range(known, q->motion_a, q->motion_b, &q->range))
        return false;
    *row = row_for(abut_ccd_find_row(q->a->type, q->b->type, &swapped), q);
    q->opts = known;
    return true;
}

static inline abut_status ask_first_contact(const abut_shape *a, const abut_motion *motion_a,
                                            const abut_shape *b, const abut_motion *motion_b,
                                            const abut_first_opts *opts, abut_workspace *ws,
                                            abut_first_result *out)
{
    abut_first_opts known;
    const abut_ccd_row *row;
    abut_ccd_query q = { .a = a, .b = b, .motion_a = motion_a, .motion_b = motion_b, .ws = ws };
    if (!out)
        return ABUT_ERR_ARGUMENT;
    if (!read_query(opts, &known, &q, &row)) {
        clear(out);
        return ABUT_ERR_ARGUMENT;
    }
    if (abut_is_compound(a) || abut_is_compound(b)) {
        clear(out);
        const abut_status status = abut_compound_first(&q, out);
        if (status)
            give_up(status, out);
        return status;
    }
    const abut_nearest saved = abut_nearest_enter();
    const bool done = row && filter(row, &q, out);
    abut_nearest_leave(saved);
    return done ? ABUT_OK : find_carefully(row, &q, out);
}

/* ---- all intervals ---- */

enum { MOST_DOUBTS = 64 }; /* that are examined more closely */

typedef struct intervals_state {
    abut_contact_interval *items;
    size_t capacity;
    abut_intervals_result *out;
    bool doubtful;
    abut_exact_touch touch;
    int doubts;
} intervals_state;

/* When a contact that is not proved to be one is proved at single times. */
static void narrow_interval(intervals_state *s, abut_contact_interval *item)
{
    const abut_interval time = { item->enter.lo, item->exit.hi };
    double t;
    if (++s->doubts > MOST_DOUBTS || !abut_first_is_rigid(s->touch.motion_a) ||
        !abut_first_is_rigid(s->touch.motion_b) || !abut_exact_touch_early(&s->touch, time, true, &t))
        return;
    item->enter.hi = t;
    if (abut_exact_touch_late(&s->touch, (abut_interval){ t, time.hi }, &t))
        item->exit.lo = t;
}

static bool take_interval(void *ctx, const abut_run *run)
{
    intervals_state *s = ctx;
    abut_contact_interval item = { run->enter, run->exit };
    if (!run->certain)
        narrow_interval(s, &item);
    if (s->out->count < s->capacity)
        s->items[s->out->count] = item;
    ++s->out->count;
    s->doubtful = s->doubtful || !run->certain || !run->whole;
    return true;
}

static ABUT_MATH_NOINLINE abut_status find_intervals(const abut_ccd_row *row, const abut_ccd_query *q,
                                                     intervals_state *s)
{
    choice by;
    abut_status status = choose(row, q, false, &by);
    if (status)
        return status;
    abut_moving m = make_moving(q, &by, &s->out->counters);
    s->touch = (abut_exact_touch){ q->a, q->b, q->motion_a, q->motion_b };
    const abut_nearest saved = abut_nearest_enter();
    status = by.scan(&m, take_interval, s);
    abut_nearest_leave(saved);
    s->out->proof = s->doubtful ? ABUT_PROOF_TOLERANCE : m.inexact ? ABUT_PROOF_INTERVAL : ABUT_PROOF_EXACT;
    s->out->stop = s->doubtful ? m.stop : ABUT_STOP_DONE;
    bool wide = s->doubtful;
    const double most = 1e-9 * (q->range.hi - q->range.lo) + q->opts->accuracy;
    for (size_t i = 0; i < s->out->count && i < s->capacity && !wide; ++i)
        wide = s->items[i].enter.hi - s->items[i].enter.lo > most ||
               s->items[i].exit.hi - s->items[i].exit.lo > most;
    if (!status && wide && row && row->can & ABUT_CCD_CONTACTS)
        (void)abut_translation_intervals(q, s->items, s->capacity, s->out);
    return status;
}

abut_status abut_intervals_by_scan(const abut_ccd_row *row, const abut_ccd_query *query,
                                   abut_contact_interval *intervals, size_t capacity,
                                   abut_intervals_result *out)
{
    intervals_state s = { .items = intervals, .capacity = capacity, .out = out };
    abut_time_unit unit;
    if (!begin_unit(query, &unit))
        return find_intervals(row, query, &s);
    const abut_ccd_query scaled = { .a = query->a,
                                    .b = query->b,
                                    .motion_a = unit.motion_a,
                                    .motion_b = unit.motion_b,
                                    .opts = &unit.opts,
                                    .range = unit.opts.time,
                                    .ws = query->ws };
    const abut_status status = find_intervals(row, &scaled, &s);
    for (size_t i = 0; i < out->count && i < capacity; ++i) {
        intervals[i].enter = abut_time_unit_back(&unit, intervals[i].enter);
        intervals[i].exit = abut_time_unit_back(&unit, intervals[i].exit);
    }
    return status;
}

static inline abut_status ask_contact_intervals(const abut_shape *a, const abut_motion *motion_a,
                                                const abut_shape *b, const abut_motion *motion_b,
                                                const abut_first_opts *opts, abut_workspace *ws,
                                                abut_contact_interval *intervals, size_t capacity,
                                                abut_intervals_result *out)
{
    abut_first_opts known;
    const abut_ccd_row *row;
    abut_ccd_query q = { .a = a, .b = b, .motion_a = motion_a, .motion_b = motion_b, .ws = ws };
    if (!out)
        return ABUT_ERR_ARGUMENT;
    *out = (abut_intervals_result){ .proof = ABUT_PROOF_NONE };
    if ((capacity > 0 && !intervals) || !read_query(opts, &known, &q, &row))
        return ABUT_ERR_ARGUMENT;
    const abut_ccd_intervals_fn method = abut_deform_wanted(motion_a, motion_b) ? deforming_intervals
                                         : row                                  ? row->intervals
                                                                                : abut_intervals_by_scan;
    const bool parts = abut_is_compound(a) || abut_is_compound(b);
    const abut_status status =
        parts ? abut_compound_intervals(&q, intervals, capacity, out)
              : abut_cores_status(method(row, &q, intervals, capacity, out), &a->core, &b->core);
    if (status)
        *out = (abut_intervals_result){ .stop = status == ABUT_ERR_CANCELLED ? ABUT_STOP_CANCELLED
                                                                             : ABUT_STOP_DONE };
    return status;
}

/* ---- in the frame of a common parent ---- */

/* With the time of the query, as what is left of the motions may have another range, or none. */
static bool enter_frame(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                        const abut_motion *motion_b, const abut_first_opts *opts, abut_frame *f)
{
    /* Most motions are no chains. */
    if (!a || !b || !motion_a || !motion_b ||
        (motion_a != motion_b && motion_a->type != ABUT_MOTION_CHAIN && motion_b->type != ABUT_MOTION_CHAIN))
        return false;
    abut_first_opts known = { .struct_size = sizeof known, .time = { NAN, NAN } };
    return abut_options_read(&known, sizeof known, opts) &&
           read_range(&known, motion_a, motion_b, &known.time) &&
           abut_frame_enter(motion_a, motion_b, &known, &a->alloc, f);
}

static bool first_in_frame(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                           const abut_motion *motion_b, const abut_first_opts *opts, abut_workspace *ws,
                           abut_first_result *out)
{
    abut_frame f;
    if (!out || !enter_frame(a, motion_a, b, motion_b, opts, &f))
        return false;
    const abut_status status = ask_first_contact(a, f.split.rest[0], b, f.split.rest[1], &f.opts, ws, out);
    for (size_t i = 0; !status && i < out->point_count && i < ABUT_FIRST_CONTACTS; ++i)
        abut_frame_leave(&f, &out->points[i]);
    abut_motion_split_clear(&f.split);
    return !status;
}

static bool intervals_in_frame(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                               const abut_motion *motion_b, const abut_first_opts *opts, abut_workspace *ws,
                               abut_contact_interval *intervals, size_t capacity, abut_intervals_result *out)
{
    abut_frame f;
    if (!out || !enter_frame(a, motion_a, b, motion_b, opts, &f))
        return false;
    const abut_status status =
        ask_contact_intervals(a, f.split.rest[0], b, f.split.rest[1], &f.opts, ws, intervals, capacity, out);
    abut_motion_split_clear(&f.split);
    return !status;
}

/* ---- with the reason of a failure ---- */

static abut_status explain(abut_status status, const abut_first_opts *opts, abut_asked *asked)
{
    if (status == ABUT_OK || !opts)
        return status;
    abut_first_opts known = { .struct_size = sizeof known, .time = { NAN, NAN } };
    asked->no_options = !abut_options_read(&known, sizeof known, opts);
    asked->allowed = "it must be at least 0";
    asked->wrong = !(known.simultaneity >= 0) ? "simultaneity"
                   : !(known.separation >= 0) ? "separation"
                   : !(known.accuracy >= 0)   ? "accuracy"
                                              : NULL;
    if (known.method < 0 || known.method >= ABUT_METHOD_COUNT) {
        asked->wrong = "method";
        asked->allowed = "there is no such method";
    }
    asked->time = known.time;
    if (isnan(known.time.lo) && isnan(known.time.hi)) {
        /* the common range of the motions */
        const abut_motion *const of[2] = { asked->motion_a, asked->motion_b };
        asked->time = (abut_interval){ -INFINITY, INFINITY };
        for (int i = 0; i < 2; ++i)
            if (of[i]) {
                const abut_interval range = abut_motion_get_range(of[i]);
                asked->time =
                    (abut_interval){ fmax(asked->time.lo, range.lo), fmin(asked->time.hi, range.hi) };
            }
        if (isinf(asked->time.lo))
            asked->time = (abut_interval){ 0, 1 };
        else if (!(asked->time.lo < asked->time.hi))
            return abut_explain_argument(ABUT_ERROR_OF(opts), status, "motion_b",
                                         "the motions have no time in common");
    }
    return abut_explain(ABUT_ERROR_OF(opts), status, asked);
}

abut_status abut_first_contact(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                               const abut_motion *motion_b, const abut_first_opts *opts, abut_workspace *ws,
                               abut_first_result *out)
{
    abut_asked asked = {
        .a = a, .b = b, .motions = true, .motion_a = motion_a, .motion_b = motion_b, .out = out
    };
    if (first_in_frame(a, motion_a, b, motion_b, opts, ws, out))
        return ABUT_OK;
    return explain(ask_first_contact(a, motion_a, b, motion_b, opts, ws, out), opts, &asked);
}

abut_status abut_contact_intervals(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                                   const abut_motion *motion_b, const abut_first_opts *opts,
                                   abut_workspace *ws, abut_contact_interval *intervals, size_t capacity,
                                   abut_intervals_result *out)
{
    abut_asked asked = {
        .a = a, .b = b, .motions = true, .motion_a = motion_a, .motion_b = motion_b, .out = out
    };
    if (intervals_in_frame(a, motion_a, b, motion_b, opts, ws, intervals, capacity, out))
        return ABUT_OK;
    return explain(ask_contact_intervals(a, motion_a, b, motion_b, opts, ws, intervals, capacity, out), opts,
                   &asked);
}
