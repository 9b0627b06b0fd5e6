/* SPDX-License-Identifier: MIT */
/* The public pair queries at one instant: placements, then the pair table. All of it runs in
 * rounding to nearest. */
#include "base/options.h"
#include "math/nearest.h"
#include "narrow/convex/closed.h"
#include "narrow/convex/plane.h"
#include "narrow/ellipsoid/ellipsoid_place.h"
#include "narrow/mesh/mesh.h"

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

/* A ball's rotation does not count, and is not enclosed. */
static abut_status place_both(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                              const abut_pose *pose_b, abut_place *at_a, abut_place *at_b)
{
    const abut_status status = abut_place_from_pose(pose_a, a->type != ABUT_SHAPE_SPHERE, at_a);
    return status ? status : abut_place_from_pose(pose_b, b->type != ABUT_SHAPE_SPHERE, at_b);
}

static ABUT_MATH_NOINLINE abut_status check_poses(const abut_shape *a, const abut_pose *pose_a,
                                                  const abut_shape *b, const abut_pose *pose_b,
                                                  const abut_ask *ask, abut_workspace *ws,
                                                  abut_check_result *out)
{
    abut_place at_a, at_b;
    const abut_status status = place_both(a, pose_a, b, pose_b, &at_a, &at_b);
    if (status)
        return status;
    const abut_pair pair = { a, b, &at_a, &at_b, ask };
    return abut_narrow_run_pair(&pair, ws, out);
}

static ABUT_MATH_NOINLINE abut_status check_motions(const abut_shape *a, const abut_motion *motion_a,
                                                    const abut_shape *b, const abut_motion *motion_b,
                                                    double t, const abut_ask *ask, abut_workspace *ws,
                                                    abut_check_result *out)
{
    bool swapped;
    if (!abut_narrow_find_pair(a->type, b->type, &swapped))
        return ABUT_ERR_UNSUPPORTED;
    abut_shape stand_a, stand_b;
    const abut_shape *body_a = a, *body_b = b;
    abut_place at_a, at_b;
    abut_status status = abut_place_of(a, motion_a, t, &stand_a, &at_a, &body_a);
    if (!status)
        status = abut_place_of(b, motion_b, t, &stand_b, &at_b, &body_b);
    if (status)
        return status;
    /* Surfaces are taken for what they are given as, and a stand-in is not quite what it stands
     * for. */
    if ((body_a != a || body_b != b) &&
        abut_narrow_find_pair(body_a->type, body_b->type, &swapped) == abut_narrow_surfaces)
        return ABUT_ERR_UNSUPPORTED;
    const abut_pair pair = { body_a, body_b, &at_a, &at_b, ask };
    return abut_narrow_run_pair(&pair, ws, out);
}

/* All but the contacts, which are most of it, and of which none is filled in. */
static void clear(abut_check_result *out)
{
    memset(out, 0, offsetof(abut_check_result, contacts));
    out->counters = (abut_counters){ 0 };
}

static bool is_exact(const abut_pose *pose)
{
    return !pose || !abut_quick_is_turned(pose->rotation);
}

/* Closed forms for poses that are not exact, where they decide. */
static bool solve_closed(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                         const abut_pose *pose_b, bool swapped, const abut_ask *ask, abut_check_result *out)
{
    abut_convex_pair pair;
    abut_convex_answer answer;
    if ((is_exact(pose_a) && is_exact(pose_b)) ||
        !(swapped ? abut_convex_pair_from_poses(b, pose_b, a, pose_a, &pair)
                  : abut_convex_pair_from_poses(a, pose_a, b, pose_b, &pair)) ||
        !abut_closed_solve(&pair, ask, &answer))
        return false;
    abut_convex_finish(&pair, &answer, ask, 0, out);
    if (swapped)
        abut_narrow_mirror(out);
    return out->verdict != ABUT_UNDECIDED;
}

/* A convex body against a half-space, likewise. */
static bool solve_plane(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                        const abut_pose *pose_b, bool swapped, const abut_ask *ask, abut_check_result *out)
{
    if (is_exact(pose_a) && is_exact(pose_b))
        return false;
    if (!swapped)
        return abut_plane_poses(a, pose_a, b, pose_b, ask, out);
    if (!abut_plane_poses(b, pose_b, a, pose_a, ask, out))
        return false;
    if (ask->want != ABUT_WANT_VERDICT)
        abut_narrow_mirror(out);
    return true;
}

/* Easy cases first, then those that the convex solvers decide for poses, then everything. */
static ABUT_MATH_NOINLINE abut_status run(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                          const abut_pose *pose_b, const abut_ask *ask, abut_workspace *ws,
                                          abut_check_result *out)
{
    bool swapped;
    const abut_pair_fn method = abut_narrow_find_pair(a->type, b->type, &swapped);
    clear(out);
    if (method == abut_narrow_closed || method == abut_narrow_round || method == abut_narrow_convex) {
        const bool is_closed =
            method == abut_narrow_round || (a->core.kind <= ABUT_CORE_BOX && b->core.kind <= ABUT_CORE_BOX);
        if (is_closed ? solve_closed(a, pose_a, b, pose_b, swapped, ask, out)
                      : abut_narrow_convex_poses(a, pose_a, b, pose_b, ask, out))
            return ABUT_OK;
        clear(out);
    }
    if (method == abut_narrow_plane) {
        if (solve_plane(a, pose_a, b, pose_b, swapped, ask, out))
            return ABUT_OK;
        clear(out);
    }
    return check_poses(a, pose_a, b, pose_b, ask, ws, out);
}

static bool read_check(const abut_check_opts *opts, abut_ask *ask)
{
    abut_check_opts known = { .struct_size = sizeof known };
    if (!abut_options_read(&known, sizeof known, opts) || known.max_contacts < 0 ||
        known.max_contacts > ABUT_CHECK_CONTACTS || !(known.relative >= 0))
        return false;
    *ask = (abut_ask){ .want = ABUT_WANT_ALL,
                       .relative = known.relative,
                       .max_contacts = known.max_contacts,
                       .max_iterations = known.max_iterations,
                       .cache = known.cache };
    return true;
}

abut_status abut_check(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                       const abut_pose *pose_b, const abut_check_opts *opts, abut_workspace *ws,
                       abut_check_result *out)
{
    abut_ask ask;
    if (!a || !b || !out || !read_check(opts, &ask)) {
        if (out)
            clear(out);
        return ABUT_ERR_ARGUMENT;
    }
    const bool nearest = abut_nearest_is_set();
    if (nearest && abut_narrow_quick_check(a, pose_a, b, pose_b, ask.max_contacts, out))
        return ABUT_OK;
    abut_status status = ABUT_OK;
    const abut_nearest saved = abut_nearest_enter();
    if (nearest || !abut_narrow_quick_check(a, pose_a, b, pose_b, ask.max_contacts, out))
        status = abut_cores_status(run(a, pose_a, b, pose_b, &ask, ws, out), &a->core, &b->core);
    abut_nearest_leave(saved);
    if (status)
        clear(out);
    return status;
}

abut_status abut_check_at(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                          const abut_motion *motion_b, double t, const abut_check_opts *opts,
                          abut_workspace *ws, abut_check_result *out)
{
    abut_ask ask;
    if (!out)
        return ABUT_ERR_ARGUMENT;
    clear(out);
    if (!a || !b || !isfinite(t) || !read_check(opts, &ask))
        return ABUT_ERR_ARGUMENT;
    const abut_nearest saved = abut_nearest_enter();
    const abut_status status =
        abut_cores_status(check_motions(a, motion_a, b, motion_b, t, &ask, ws, out), &a->core, &b->core);
    abut_nearest_leave(saved);
    if (status)
        clear(out);
    return status;
}

static bool is_convex(const abut_shape *shape)
{
    return shape->core.kind != ABUT_CORE_NONE || shape->type == ABUT_SHAPE_HALFSPACE;
}

/* Below zero where they penetrate, minus infinity where it is not known how deep. */
static abut_interval signed_distance(const abut_shape *a, const abut_shape *b, const abut_check_result *check)
{
    if (check->verdict == ABUT_PENETRATING)
        return check->has_depth ? (abut_interval){ -check->depth.hi, -check->depth.lo }
                                : (abut_interval){ -INFINITY, 0 };
    if (check->verdict == ABUT_UNDECIDED)
        return (abut_interval){ is_convex(a) && is_convex(b) ? 0 - check->depth.hi : -INFINITY,
                                check->distance.hi };
    return check->distance;
}

/* What the quick way leaves. */
static ABUT_MATH_NOINLINE abut_status distance(const abut_shape *a, const abut_pose *pose_a,
                                               const abut_shape *b, const abut_pose *pose_b,
                                               const abut_distance_opts *opts, abut_workspace *ws,
                                               abut_distance_result *out)
{
    abut_ask ask = {
        .want = ABUT_WANT_DISTANCE, .cutoff = opts->cutoff, .relative = opts->relative, .cache = opts->cache
    };
    abut_check_result check; /* which is large: run clears what counts */
    abut_status status = ABUT_OK;
    const bool first =
        !opts->with_depth || opts->cutoff < INFINITY; /* which only methods for distances know */
    if (first)
        status = run(a, pose_a, b, pose_b, &ask, ws, &check);
    if (opts->with_depth && !status && !(first && check.verdict == ABUT_SEPARATE)) {
        ask.want = ABUT_WANT_ALL;
        ask.no_contacts = true;
        status = run(a, pose_a, b, pose_b, &ask, ws, &check);
    }
    out->verdict = check.verdict;
    out->proof = check.proof;
    out->distance = opts->with_depth && !status ? signed_distance(a, b, &check) : check.distance;
    out->stop = out->distance.lo > opts->cutoff ? ABUT_STOP_CUTOFF : check.stop;
    out->has_points = check.has_points;
    out->point_a = check.point_a;
    out->point_b = check.point_b;
    out->normal = check.normal;
    out->counters = check.counters;
    return status;
}

/* In plain doubles, with error bounds known beforehand. */
ABUT_ALWAYS_INLINE bool quick_distance(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                       const abut_pose *pose_b, const abut_distance_opts *opts,
                                       abut_distance_result *out)
{
    return abut_narrow_quick_distance(a, pose_a, b, pose_b, opts->cutoff, opts->with_depth, out) ||
           abut_narrow_quick_boxes(a, pose_a, b, pose_b, opts->cutoff, opts->with_depth, opts->cache, out) ||
           (opts->cutoff == INFINITY && !opts->with_depth &&
            abut_narrow_quick_hulls(a, pose_a, b, pose_b, opts->cache, out)) ||
           (!opts->with_depth &&
            abut_narrow_quick_cylinders(a, pose_a, b, pose_b, opts->cutoff, opts->cache, out));
}

/* Where the mode was changed before: the same answer in every one. */
static ABUT_MATH_NOINLINE bool quick_distance_now(const abut_shape *a, const abut_pose *pose_a,
                                                  const abut_shape *b, const abut_pose *pose_b,
                                                  const abut_distance_opts *opts, abut_distance_result *out)
{
    return quick_distance(a, pose_a, b, pose_b, opts, out);
}

abut_status abut_distance(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                          const abut_pose *pose_b, const abut_distance_opts *opts, abut_workspace *ws,
                          abut_distance_result *out)
{
    abut_distance_opts known = { .struct_size = sizeof known, .cutoff = INFINITY };
    if (!a || !b || !out || !abut_options_read(&known, sizeof known, opts) || isnan(known.cutoff) ||
        !(known.relative >= 0)) {
        if (out)
            *out = (abut_distance_result){ 0 };
        return ABUT_ERR_ARGUMENT;
    }
    const bool nearest = abut_nearest_is_set();
    if (nearest && quick_distance(a, pose_a, b, pose_b, &known, out))
        return ABUT_OK;
    abut_status status = ABUT_OK;
    const abut_nearest saved = abut_nearest_enter();
    if (nearest || !quick_distance_now(a, pose_a, b, pose_b, &known, out))
        status = abut_cores_status(distance(a, pose_a, b, pose_b, &known, ws, out), &a->core, &b->core);
    abut_nearest_leave(saved);
    if (status)
        *out = (abut_distance_result){ 0 };
    return status;
}

static void decide(abut_verdict verdict, abut_overlap_result *out)
{
    out->verdict = verdict;
    out->proof = ABUT_PROOF_INTERVAL;
    out->stop = ABUT_STOP_DONE;
}

/* By placements. Of the methods in the table some know no clearance; these two do, and take
 * balls as well. */
static ABUT_MATH_NOINLINE abut_status overlap_places(const abut_shape *a, const abut_pose *pose_a,
                                                     const abut_shape *b, const abut_pose *pose_b,
                                                     const abut_ask *ask, abut_workspace *ws,
                                                     abut_check_result *out)
{
    abut_place at_a, at_b;
    const abut_status status = place_both(a, pose_a, b, pose_b, &at_a, &at_b);
    if (status)
        return status;
    const abut_pair pair = { a, b, &at_a, &at_b, ask }, reversed = { b, a, &at_b, &at_a, ask };
    const abut_core_kind ka = a->core.kind, kb = b->core.kind;
    if (ask->clearance > 0) {
        if (b->type == ABUT_SHAPE_HALFSPACE && ka != ABUT_CORE_NONE)
            return abut_narrow_plane(&pair, ws, out);
        if (a->type == ABUT_SHAPE_HALFSPACE && kb != ABUT_CORE_NONE)
            return abut_narrow_plane(&reversed, ws, out);
        if (ka != ABUT_CORE_NONE && ka <= ABUT_CORE_BOX && kb != ABUT_CORE_NONE && kb <= ABUT_CORE_BOX)
            return abut_narrow_closed(&pair, ws, out);
    }
    return abut_narrow_run_pair(&pair, ws, out);
}

/* What the quick way leaves: cores by the solvers, then everything, exact predicates included. */
static ABUT_MATH_NOINLINE abut_status overlap(const abut_shape *a, const abut_pose *pose_a,
                                              const abut_shape *b, const abut_pose *pose_b, double clearance,
                                              abut_cache *cache, abut_workspace *ws, abut_overlap_result *out)
{
    const abut_ask ask = { .want = ABUT_WANT_VERDICT, .clearance = clearance, .cache = cache };
    abut_check_result check;
    abut_status status;
    if (a->type == ABUT_SHAPE_MESH && b->type == ABUT_SHAPE_MESH &&
        abut_mesh_overlap_poses(a, pose_a, b, pose_b, clearance, cache, ws, out, &status))
        return status;
    abut_convex_pair pair;
    const int balls = abut_convex_compare_balls(a, pose_a, b, pose_b, clearance);
    if (balls) {
        decide(balls > 0 ? ABUT_SEPARATE : ABUT_PENETRATING, out);
        return ABUT_OK;
    }
    clear(&check);
    if (abut_convex_pair_from_poses(a, pose_a, b, pose_b, &pair)) {
        abut_convex_answer answer = { .supports = 0 };
        pair.error += 0x1p-52 * clearance; /* for the rounding of the sum with it */
        const int side = abut_convex_compare(&pair, clearance, cache, &answer);
        out->counters = (abut_counters){ .iterations = answer.iterations, .evaluations = answer.supports };
        if (side) {
            const bool flat = clearance == 0 && (abut_core_is_flat(pair.a) || abut_core_is_flat(pair.b));
            decide(side > 0 ? ABUT_SEPARATE : flat ? ABUT_TOUCHING : ABUT_PENETRATING, out);
            return ABUT_OK;
        }
    } else if (a->type == ABUT_SHAPE_HALFSPACE || b->type == ABUT_SHAPE_HALFSPACE) {
        const bool swapped = a->type == ABUT_SHAPE_HALFSPACE;
        const abut_shape *body = swapped ? b : a;
        if (body->core.kind != ABUT_CORE_NONE &&
            (swapped ? abut_plane_poses(b, pose_b, a, pose_a, &ask, &check)
                     : abut_plane_poses(a, pose_a, b, pose_b, &ask, &check))) {
            out->counters = check.counters;
            decide(check.verdict, out);
            return ABUT_OK;
        }
        clear(&check);
    }
    status = overlap_places(a, pose_a, b, pose_b, &ask, ws, &check);
    if (status)
        return status;
    if (check.verdict == ABUT_UNDECIDED && clearance == 0 && a->core.kind != ABUT_CORE_NONE &&
        b->core.kind != ABUT_CORE_NONE) {
        /* The solvers of depths know of more proofs. */
        const abut_ask all = { .want = ABUT_WANT_ALL, .no_contacts = true };
        status = run(a, pose_a, b, pose_b, &all, ws, &check);
        if (status)
            return status;
    }
    out->verdict = check.verdict;
    out->proof = check.verdict == ABUT_UNDECIDED ? ABUT_PROOF_NONE : check.proof;
    out->stop = check.stop;
    out->counters = check.counters;
    return ABUT_OK;
}

static bool read_overlap(const abut_overlap_opts *opts, abut_overlap_opts *known)
{
    return abut_options_read(known, sizeof *known, opts) && known->clearance >= 0 && !isinf(known->clearance);
}

ABUT_ALWAYS_INLINE bool quick_overlap(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                      const abut_pose *pose_b, double clearance, abut_cache *cache,
                                      abut_overlap_result *out)
{
    const abut_verdict verdict = abut_narrow_quick_overlap(a, pose_a, b, pose_b, clearance, cache);
    if (verdict == ABUT_UNDECIDED)
        return false;
    out->counters = (abut_counters){ .evaluations = 1 };
    decide(verdict, out);
    return true;
}

static ABUT_MATH_NOINLINE bool quick_overlap_now(const abut_shape *a, const abut_pose *pose_a,
                                                 const abut_shape *b, const abut_pose *pose_b,
                                                 double clearance, abut_cache *cache,
                                                 abut_overlap_result *out)
{
    return quick_overlap(a, pose_a, b, pose_b, clearance, cache, out);
}

static ABUT_MATH_NOINLINE abut_status overlap_any(const abut_shape *a, const abut_pose *pose_a,
                                                  const abut_shape *b, const abut_pose *pose_b,
                                                  const abut_overlap_opts *opts, abut_workspace *ws,
                                                  abut_overlap_result *out)
{
    double clearance = 0;
    abut_cache *cache = NULL;
    abut_overlap_opts known = { .struct_size = sizeof known };
    if (!a || !b || !out || (opts && !read_overlap(opts, &known))) {
        if (out)
            *out = (abut_overlap_result){ 0 };
        return ABUT_ERR_ARGUMENT;
    }
    if (opts) {
        clearance = known.clearance;
        cache = known.cache;
    }
    const bool nearest = abut_nearest_is_set();
    if (nearest && quick_overlap(a, pose_a, b, pose_b, clearance, cache, out))
        return ABUT_OK;
    *out = (abut_overlap_result){ 0 };
    abut_status status = ABUT_OK;
    const abut_nearest saved = abut_nearest_enter();
    if (nearest || !quick_overlap_now(a, pose_a, b, pose_b, clearance, cache, out))
        status =
            abut_cores_status(overlap(a, pose_a, b, pose_b, clearance, cache, ws, out), &a->core, &b->core);
    abut_nearest_leave(saved);
    if (status)
        *out = (abut_overlap_result){ 0 };
    return status;
}

static ABUT_MATH_NOINLINE abut_status overlap_capsules(const abut_shape *a, const abut_pose *pose_a,
                                                       const abut_shape *b, const abut_pose *pose_b,
                                                       abut_workspace *ws, abut_overlap_result *out)
{
    const abut_verdict verdict = abut_capsules_quick_overlap(&a->core, pose_a, &b->core, pose_b, 0);
    if (verdict == ABUT_UNDECIDED)
        return overlap_any(a, pose_a, b, pose_b, NULL, ws, out);
    out->counters = (abut_counters){ .evaluations = 1 };
    decide(verdict, out);
    return ABUT_OK;
}

/* Capsules have a door of their own: of the 17 ns that they take through the other one, a tenth
 * goes into passing arguments on. */
abut_status abut_overlap(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                         const abut_pose *pose_b, const abut_overlap_opts *opts, abut_workspace *ws,
                         abut_overlap_result *out)
{
    if (a && b && out && pose_a && pose_b && !opts && a->core.kind == ABUT_CORE_SEGMENT &&
        b->core.kind == ABUT_CORE_SEGMENT && abut_nearest_is_set())
        return overlap_capsules(a, pose_a, b, pose_b, ws, out);
    return overlap_any(a, pose_a, b, pose_b, opts, ws, out);
}
