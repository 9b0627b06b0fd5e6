/* SPDX-License-Identifier: MIT */
/* The public queries over time: options, the pair table, and results from runs of contact. */
#include "abut/ellipsoid.h"
#include "base/options.h"
#include "ccd/ellipsoid_scan.h"
#include "ccd/pace.h"
#include "ccd/pair_table.h"
#include "ccd/quick_first.h"
#include "ccd/slide.h"
#include "ccd/surface_scene.h"
#include "ccd/turn_first.h"
#include "math/nearest.h"
#include "math/vec3.h"
#include "narrow/convex.h"

/* About a second of work: a step of a walk with convex bodies or of the search for zeros of F takes 10 to 20 us, one with balls less than 1. */
static const uint64_t ball_iterations = 1000000, walk_iterations = 50000;
/* Ellipsoids have a method that sees grazes more clearly: a walk that takes longer than this (some twenty steps are usual) is along one. */
static const uint64_t short_walk = 256;

void abut_first_opts_init(abut_first_opts *opts)
{
    *opts = (abut_first_opts){ .struct_size = sizeof *opts, .time = { NAN, NAN } };
}

const char *abut_first_method_name(abut_first_method method)
{
    static const char *const names[ABUT_METHOD_COUNT] = { "auto",  "advancement", "raycast", "halving",
                                                          "brent", "shooting",    "sampled" };
    return method >= 0 && method < ABUT_METHOD_COUNT ? names[method] : "unknown";
}

static bool is_still(const abut_motion *motion)
{
    return !motion || abut_motion_get_type(motion) == ABUT_MOTION_STATIC;
}

static bool is_rigid(const abut_motion *motion)
{
    return !motion || abut_motion_is_rigid(motion);
}

/* Ellipsoids and balls that are deformed. */
static bool is_deforming(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                         const abut_motion *motion_b)
{
    return abut_is_ellipsoid(a) && abut_is_ellipsoid(b) && !(is_rigid(motion_a) && is_rigid(motion_b));
}

static bool is_of(const abut_motion *motion, abut_motion_type type)
{
    return motion && abut_motion_get_type(motion) == type;
}

/* Their own method is the only one for those that are deformed. For others it finds all intervals sooner than the walk of convex bodies does, and the first
 * contact where F is a polynomial although they turn: `nlerp`. Two balls have a method of their own. */
static bool takes_ellipsoids(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                             const abut_motion *motion_b, bool wants_first)
{
    const bool balls = a->type == ABUT_SHAPE_SPHERE && b->type == ABUT_SHAPE_SPHERE;
    const bool rational = (is_of(motion_a, ABUT_MOTION_NLERP) || is_still(motion_a)) &&
                          (is_of(motion_b, ABUT_MOTION_NLERP) || is_still(motion_b));
    return is_deforming(a, motion_a, b, motion_b) ||
           ((!wants_first || rational) && !balls && abut_is_ellipsoid(a) && abut_is_ellipsoid(b));
}

/* The time asked for, or that of both motions; false where there is none, or another number of the options makes no sense. */
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
    else if (is_still(motion_a) && is_still(motion_b) && abut_narrow_find_pair(a->type, b->type, &swapped))
        *method = abut_still_scan;
    else if (takes_ellipsoids(a, motion_a, b, motion_b, wants_first))
        *method = abut_ellipsoids_scan;
    const bool walks =
        *method == abut_advance_scan || *method == abut_ellipsoids_scan || *method == abut_field_scan;
    const uint64_t usual = walks ? walk_iterations : ball_iterations;
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

typedef struct first_state {
    const abut_shape *a, *b;
    const abut_motion *motion_a, *motion_b;
    const abut_first_opts *opts;
    abut_interval range;
    abut_first_result *out;
    const abut_moving *moving;
    bool swapped; /* moving has them the other way round */
} first_state;

/* Where the origin is at t, rounded, if it moves on a line. */
static bool find_origin(const abut_motion *motion, double t, abut_vec3 *out)
{
    abut_motion_line line = { .t0 = -INFINITY };
    if (motion && !abut_motion_origin_line(motion, t, &line))
        return false;
    *out = line.from;
    if (isinf(line.t0) || isinf(line.t1))
        return true;
    *out = line.by_rate
               ? abut_madd(line.from, t - line.t0, line.rate)
               : abut_madd(line.from, (t - line.t0) / (line.t1 - line.t0), abut_sub(line.to, line.from));
    return true;
}

static abut_vec3 middle(abut_vec3 a, abut_vec3 b)
{
    return abut_v3(0.5 * a.x + 0.5 * b.x, 0.5 * a.y + 0.5 * b.y, 0.5 * a.z + 0.5 * b.z);
}

/* The static method's point of two balls, without the rest of it, which is known once the time is. */
static bool find_touch_of_balls(const first_state *s, double t, abut_first_point *out)
{
    abut_vec3 p, q;
    if (s->a->type != ABUT_SHAPE_SPHERE || s->b->type != ABUT_SHAPE_SPHERE ||
        !find_origin(s->motion_a, t, &p) || !find_origin(s->motion_b, t, &q))
        return false;
    const abut_vec3 outward = abut_unit_or(abut_sub(p, q), abut_v3(1, 0, 0));
    out->point =
        middle(abut_madd(p, -s->a->u.sphere.radius, outward), abut_madd(q, s->b->u.sphere.radius, outward));
    out->normal = abut_sub(abut_v3(0, 0, 0), outward);
    return true;
}

/* A point of both convex bodies that overlap: `guess`, the middle of the way out, unless one of them is so far inside the other that it is not. */
static abut_vec3 find_common(const first_state *s, double t, abut_vec3 guess)
{
    abut_place at_a, at_b;
    if (s->a->core.kind == ABUT_CORE_NONE || s->b->core.kind == ABUT_CORE_NONE ||
        abut_place_from_motion(s->motion_a, t, &at_a) || abut_place_from_motion(s->motion_b, t, &at_b))
        return guess;
    const abut_pair places = { s->a, s->b, &at_a, &at_b, NULL };
    abut_convex_scratch scratch;
    abut_convex_pair pair;
    uint32_t supports = 0;
    int exponent;
    abut_convex_pair_from_places(&places, &scratch, &exponent, &pair);
    if (exponent) /* of sizes near the end of the doubles */
        return guess;
    const abut_affine *const frame = &pair.frame;
    const abut_vec3 own = abut_mul_t(&frame->linear, abut_sub(guess, frame->translation));
    const abut_vec3 found = abut_convex_crossing(&pair, own, &supports);
    s->out->counters.evaluations += supports;
    return abut_affine_apply(frame, found);
}

/* False where the placement is known too poorly for a point: a plane that spins so fast that no double says how it stands. */
static bool find_touch(const first_state *s, double t, abut_first_point *out)
{
    abut_check_result check;
    if (abut_check_at(s->a, s->motion_a, s->b, s->motion_b, t, NULL, NULL, &check) || !check.has_normal ||
        !(check.has_points || check.contact_count > 0))
        return false;
    out->point = check.has_points ? middle(check.point_a, check.point_b) : check.contacts[0].point;
    if (s->out->verdict == ABUT_FIRST_OVERLAPPING)
        out->point = find_common(s, t, out->point);
    out->normal = check.normal;
    if (check.contact_count > 0) { /* none where the middle of the time enclosure is a little early */
        out->features[0] = check.contacts[0].features[0];
        out->features[1] = check.contacts[0].features[1];
    }
    return true;
}

/* A point of both ellipsoids, and which way the static check would part them; of those that are deformed, how they would touch if they shrank alike. */
static bool find_common_of_ellipsoids(const first_state *s, double t, abut_first_point *out)
{
    abut_affine at_a, at_b;
    abut_ellipsoid_result common;
    abut_ellipsoids e;
    abut_vec3 ignored;
    abut_first_point seen;
    if (abut_ellipsoid_from_shape(s->a, s->motion_a, t, &at_a) ||
        abut_ellipsoid_from_shape(s->b, s->motion_b, t, &at_b) ||
        abut_ellipsoid_relate(&at_a, &at_b, &common) || !common.has_point)
        return false;
    out->point = common.point;
    if (!is_deforming(s->a, s->motion_a, s->b, s->motion_b) && find_touch(s, t, &seen))
        out->normal = seen.normal;
    else if (abut_ellipsoids_set(s->a, s->motion_a, t, s->b, s->motion_b, t, &e) ||
             !abut_ellipsoids_touch(&e, t, &ignored, &out->normal))
        out->normal = abut_unit_or(abut_sub(at_b.translation, at_a.translation), abut_v3(1, 0, 0));
    return true;
}

static bool find_touch_of_ellipsoids(const first_state *s, double t, abut_first_point *out)
{
    abut_ellipsoids e;
    if (s->out->verdict == ABUT_FIRST_OVERLAPPING)
        return abut_is_ellipsoid(s->a) && abut_is_ellipsoid(s->b) && find_common_of_ellipsoids(s, t, out);
    return takes_ellipsoids(s->a, s->motion_a, s->b, s->motion_b, true) &&
           !abut_ellipsoids_set(s->a, s->motion_a, t, s->b, s->motion_b, t, &e) &&
           abut_ellipsoids_touch(&e, t, &out->point, &out->normal);
}

/* What the solver saw there. What it saw on its way may be another place. */
static bool find_touch_seen(const first_state *s, abut_interval time, abut_first_point *out)
{
    const abut_touch *touch = &s->moving->touch;
    const double near = 1e-11 * (s->range.hi - s->range.lo) + 4 * (time.hi - time.lo);
    if (!touch->known || s->out->point_count > 0 ||
        !(touch->t >= time.lo - near && touch->t <= time.hi + near))
        return false;
    const abut_vec3 zero = { 0, 0, 0 };
    out->point = touch->point;
    out->normal = s->swapped ? abut_sub(zero, touch->normal) : touch->normal;
    out->features[0] = touch->features[s->swapped];
    out->features[1] = touch->features[!s->swapped];
    return true;
}

static bool ignore_run(void *ctx, const abut_run *run)
{
    (void)ctx;
    (void)run;
    return false;
}

/* A body at rest in a height field: the static check knows of no point of both. */
static bool find_touch_in_field(const first_state *s, abut_interval time, abut_first_point *out)
{
    abut_counters spent = { 0 };
    abut_moving m = *s->moving;
    if (s->out->verdict != ABUT_FIRST_OVERLAPPING || m.a->type != ABUT_SHAPE_HEIGHTFIELD || m.touch.known ||
        m.b->core.kind == ABUT_CORE_NONE)
        return false;
    m.first_only = m.wants_first = true;
    m.counters = &spent;
    m.max_iterations = walk_iterations;
    m.progress = NULL;
    if (abut_field_scan(&m, ignore_run, NULL))
        return false;
    first_state again = *s;
    again.moving = &m;
    return find_touch_seen(&again, time, out);
}

/* A ball touches a convex body in one point, and so do ellipsoids each other; a height field has many places. What else touches in one only is not proved. */
static bool is_point_of_contact(const first_state *s)
{
    if (abut_is_ellipsoid(s->a) && abut_is_ellipsoid(s->b))
        return true;
    if (s->a->type == ABUT_SHAPE_HEIGHTFIELD || s->b->type == ABUT_SHAPE_HEIGHTFIELD)
        return false;
    return !s->moving->touch.known && (s->a->type == ABUT_SHAPE_SPHERE || s->b->type == ABUT_SHAPE_SPHERE);
}

static void keep_point(first_state *s, const abut_first_point *point)
{
    abut_first_result *out = s->out;
    /* Placements of which next to nothing is known have no points. */
    if (!abut_is_finite3(point->point) || !(fabs(abut_dot(point->normal, point->normal) - 1) < 1e-6))
        return;
    if (out->point_count < ABUT_FIRST_CONTACTS)
        out->points[out->point_count] = *point;
    ++out->point_count;
    if (s->opts->on_point)
        s->opts->on_point(s->opts->on_point_ctx, point);
}

/* Edges or faces may lie on each other at the point. */
static bool may_be_several(const first_state *s, double t, const abut_first_point *point)
{
    abut_affine at_a = { .linear = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } }, at_b = at_a;
    if (point->unique || (s->motion_a && abut_motion_at(s->motion_a, t, &at_a)) ||
        (s->motion_b && abut_motion_at(s->motion_b, t, &at_b)))
        return false;
    const abut_vec3 n = point->normal, along_a = abut_mul_t(&at_a.linear, n);
    const abut_vec3 along_b = abut_mul_t(&at_b.linear, abut_v3(-n.x, -n.y, -n.z));
    return abut_slide_may_be_several(&s->a->core, &along_a, &s->b->core, &along_b, point->features) &&
           !abut_slide_lines_cross(&s->a->core, &at_a.linear, &s->b->core, &at_b.linear, n);
}

/* The points of the static check at t, when the bodies are proved to touch; false where there is no more than one. */
static bool add_manifold_at(first_state *s, double t, const abut_first_point *like)
{
    abut_place at_a, at_b;
    abut_check_result check = { .verdict = ABUT_UNDECIDED };
    if (abut_place_from_motion(s->motion_a, t, &at_a) || abut_place_from_motion(s->motion_b, t, &at_b))
        return false;
    const abut_pair pair = { s->a, s->b, &at_a, &at_b, NULL };
    if (abut_narrow_run_pair(&pair, NULL, &check) || check.contact_count < 2 || !check.has_normal ||
        !(abut_dot(check.normal, like->normal) > 0.999))
        return false;
    for (size_t i = 0; i < (size_t)check.contact_count; ++i) {
        const abut_contact *contact = &check.contacts[i];
        abut_first_point point = *like;
        point.point = contact->point;
        point.kind = ABUT_CONTACT_SAMPLED;
        point.unique = false;
        point.features[0] = contact->features[0];
        point.features[1] = contact->features[1];
        keep_point(s, &point);
    }
    return true;
}

/* At the end of the time, or a few times its width later, where the check cannot tell so early. */
static bool add_manifold(first_state *s, abut_interval time, const abut_first_point *like)
{
    const double width = time.hi - time.lo;
    for (double part = 0; part <= 64; part = part > 0 ? 8 * part : 1) {
        const double t = time.hi + part * width;
        if (t <= s->range.hi && add_manifold_at(s, t, like))
            return true;
    }
    return false;
}

/* Witness point and normal at one time; a time enclosure is a few ulp wide, and so is what they move in it. */
static void add_point(first_state *s, const abut_run *run, abut_interval time)
{
    const double t = time.lo == time.hi ? time.lo : 0.5 * time.lo + 0.5 * time.hi;
    abut_first_point point = { .time = time,
                               .kind = ABUT_CONTACT_ISOLATED,
                               .unique = run->certain && !run->deep_start && is_point_of_contact(s),
                               .features = { ABUT_FEATURE_FACE, ABUT_FEATURE_FACE } };
    if (!find_touch_seen(s, time, &point) && !find_touch_in_field(s, time, &point) &&
        !find_touch_of_ellipsoids(s, t, &point) && !find_touch_of_balls(s, t, &point) &&
        !find_touch(s, t, &point))
        return;
    /* A body without interior that runs through the other at the start has more than that in common with it. */
    if (point.features[0] == ABUT_FEATURE_NONE && point.features[1] == ABUT_FEATURE_NONE)
        point.unique = false;
    if (run->certain && !run->deep_start && may_be_several(s, time.hi, &point) &&
        add_manifold(s, time, &point))
        return;
    keep_point(s, &point);
}

static bool take_first(void *ctx, const abut_run *run)
{
    first_state *s = ctx;
    abut_first_result *out = s->out;
    if (out->verdict == ABUT_FIRST_CONTACT) { /* looking for others at nearly the same time */
        if (!run->certain || run->enter.lo > out->time.hi + s->opts->simultaneity)
            return false;
        add_point(s, run, run->enter);
        return true;
    }
    if (run->begins_open && run->touch_only)
        return true; /* they touch at the start and part */
    out->time = run->enter;
    out->proof = run->exact ? ABUT_PROOF_EXACT : ABUT_PROOF_INTERVAL;
    if (run->deep_start) {
        out->verdict = ABUT_FIRST_OVERLAPPING;
        out->time = (abut_interval){ s->range.lo, s->range.lo };
        add_point(s, run, out->time);
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
    add_point(s, run, run->enter);
    return s->opts->simultaneity > 0;
}

static ABUT_MATH_NOINLINE abut_status find_first(abut_moving *m, abut_moving_fn method, first_state *s)
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
    first_state s = { a, b, motion_a, motion_b, known, m.range, out, &m, m.a != a };
    const abut_nearest saved = abut_nearest_enter();
    const abut_moving whole = m;
    const bool has_other = known->method == ABUT_METHOD_AUTO && method == abut_advance_scan &&
                           abut_is_ellipsoid(a) && abut_is_ellipsoid(b);
    if (has_other && m.max_iterations > short_walk)
        m.max_iterations = short_walk;
    status = find_first(&m, method, &s);
    if (has_other && !status && out->verdict == ABUT_FIRST_UNDECIDED) {
        m = whole;
        m.max_iterations = known->max_iterations ? known->max_iterations : walk_iterations;
        out->stop = ABUT_STOP_DONE;
        out->time = (abut_interval){ 0, 0 };
        out->point_count = 0;
        status = find_first(&m, abut_ellipsoids_scan, &s);
    }
    if (has_other && !status && is_wide(a, b, whole.range.hi - whole.range.lo, known->accuracy, out))
        narrow_time(a, motion_a, b, motion_b, out);
    abut_nearest_leave(saved);
    if (status)
        give_up(status, out);
    return status;
}

/* The same where the range is so long or short that another unit of time is needed. False: it is not. */
static ABUT_MATH_NOINLINE bool find_at_pace(const abut_shape *a, const abut_motion *motion_a,
                                            const abut_shape *b, const abut_motion *motion_b,
                                            const abut_first_opts *known, abut_interval range,
                                            abut_first_result *out, abut_status *status)
{
    abut_pace pace;
    if (!abut_pace_begin(motion_a, motion_b, known, range, &pace))
        return false;
    *status = find_by_pair(a, pace.motion_a, b, pace.motion_b, &pace.opts, out);
    if (!*status)
        abut_pace_end(&pace, out);
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
    if (!find_at_pace(a, motion_a, b, motion_b, &known, range, out, &status))
        status = find_by_pair(a, motion_a, b, motion_b, &known, out);
    /* A velocity that is not finite, as that of sqrt(t) at 0: surfaces need none. (Of placements that deform, it is a singular one.) In a workspace of their own, as on_point of a set of bodies takes memory from this one. */
    if (status == ABUT_ERR_VALUE && known.method == ABUT_METHOD_AUTO && is_rigid(motion_a) &&
        is_rigid(motion_b) && abut_surface_opts_ok(&known) &&
        abut_surface_first(a, motion_a, b, motion_b, &known, range, NULL, out) == ABUT_OK)
        return ABUT_OK;
    return status;
}

/* Bodies that turn, where nothing is asked for that their quick way does not know of. Its answers are no wider than the walk's. */
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
    bool done = false;
    if (a && b && out) {
        static const abut_interval all = { NAN, NAN };
        const abut_nearest saved = abut_nearest_enter();
        done = opts ? turn_by_options(a, motion_a, b, motion_b, opts, out)
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
    }
    const abut_status status = done ? ABUT_OK : find_carefully(a, motion_a, b, motion_b, opts, ws, out);
    if (status || !abut_cores_status(status, &a->core, &b->core))
        return status;
    clear(out);
    return ABUT_ERR_ARGUMENT;
}

/* ---- all intervals ---- */

typedef struct intervals_state {
    abut_contact_interval *items;
    size_t capacity;
    abut_intervals_result *out;
    bool doubtful;
} intervals_state;

static bool take_interval(void *ctx, const abut_run *run)
{
    intervals_state *s = ctx;
    if (s->out->count < s->capacity)
        s->items[s->out->count] = (abut_contact_interval){ run->enter, run->exit };
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
    const abut_nearest saved = abut_nearest_enter();
    status = method(&m, take_interval, s);
    abut_nearest_leave(saved);
    s->out->proof = s->doubtful ? ABUT_PROOF_TOLERANCE : m.inexact ? ABUT_PROOF_INTERVAL : ABUT_PROOF_EXACT;
    s->out->stop = s->doubtful ? m.stop : ABUT_STOP_DONE;
    return status;
}

/* As find_at_pace. */
static ABUT_MATH_NOINLINE bool find_intervals_at_pace(const abut_shape *a, const abut_motion *motion_a,
                                                      const abut_shape *b, const abut_motion *motion_b,
                                                      const abut_first_opts *known, abut_interval range,
                                                      intervals_state *s, abut_status *status)
{
    abut_pace pace;
    if (!abut_pace_begin(motion_a, motion_b, known, range, &pace))
        return false;
    *status = find_intervals(a, pace.motion_a, b, pace.motion_b, &pace.opts, s);
    for (size_t i = 0; i < s->out->count && i < s->capacity; ++i) {
        s->items[i].enter = abut_pace_back(&pace, s->items[i].enter);
        s->items[i].exit = abut_pace_back(&pace, s->items[i].exit);
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
        if (!find_intervals_at_pace(a, motion_a, b, motion_b, &known, range, &s, &status))
            status = find_intervals(a, motion_a, b, motion_b, &known, &s);
    }
    status = abut_cores_status(status, &a->core, &b->core);
    if (status)
        fail_intervals(status, out);
    return status;
}
