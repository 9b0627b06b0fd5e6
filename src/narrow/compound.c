/* SPDX-License-Identifier: MIT */
/* Compounds: unions of rigidly joined solids, asked about through their parts.
 *
 * Parts are regular closed sets (the closures of their interiors), and so is their union. Hence
 *  - two unions have a common point exactly where two of their parts have;
 *  - the interior of a union is that of its parts but for faces in which they touch, which have no
 *   volume, while the common points of two interiors have some: two unions penetrate exactly where two
 *   of their parts do. Where they only touch, no contact of two parts is inside a union, since the other
 *   body would have interior points there, too;
 *  - the distance is the least of all pairs of parts.
 * The depth is not: what parts one pair may push another together. compound_depth.c encloses it.
 *
 * A part is placed by a chain of motions, body first, so that placements are enclosed as any other. Pairs
 * of parts whose bounding balls are farther apart than a distance that is proved already are left out. */
#include "narrow/compound.h"

#include "base/options.h"
#include "math/vec3.h"
#include "motion/motion.h"

#include <math.h>

/* ---- creation ---- */

static double reach_of(const abut_shape *shape)
{
    const abut_aabb b = shape->bounds;
    const double x = fmax(fabs(b.lo.x), fabs(b.hi.x)), y = fmax(fabs(b.lo.y), fabs(b.hi.y)),
                 z = fmax(fabs(b.lo.z), fabs(b.hi.z));
    return hypot(hypot(x, y), z) * (1 + 0x1p-48);
}

static bool is_solid(const abut_shape *shape)
{
    return shape->type != ABUT_SHAPE_COMPOUND && !(shape->type == ABUT_SHAPE_MESH && !shape->u.faceted.solid);
}

static abut_status check_part(const abut_compound_part *part, size_t i, abut_error *error)
{
    if (!part->shape)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)i, "part %zu has no shape", i);
    if (abut_is_compound(part->shape))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)i, "part %zu is a compound itself", i);
    if (!is_solid(part->shape))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)i,
                              "part %zu is a surface; the parts of a compound are solids", i);
    if (part->at && (part->at->type != ABUT_MOTION_STATIC || !part->at->rigid))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)i,
                              "part %zu has a placement that moves or deforms it", i);
    return ABUT_OK;
}

static ABUT_NOINLINE void part_box(const abut_interval_affine *at, const abut_aabb *local,
                                   abut_interval_vec3 *out)
{
    const ia3 box = { ia_make(local->lo.x, local->hi.x), ia_make(local->lo.y, local->hi.y),
                      ia_make(local->lo.z, local->hi.z) };
    const ia_affine place = ia_affine_from(at);
    *out = ia3_to(ia_affine_apply(&place, box));
}

static void add_bounds(abut_shape *shape, const abut_compound_part *part)
{
    abut_interval_vec3 box;
    abut_interval_affine at;
    abut_aabb *all = &shape->bounds;
    const abut_aabb local = part->shape->bounds;
    box = (abut_interval_vec3){ { local.lo.x, local.hi.x },
                                { local.lo.y, local.hi.y },
                                { local.lo.z, local.hi.z } };
    if (part->at && abut_motion_enclose(part->at, (abut_interval){ 0, 0 }, &at) == ABUT_OK) {
        const abut_rounding saved = abut_rounding_enter();
        part_box(&at, &local, &box);
        abut_rounding_leave(saved);
    }
    all->lo = (abut_vec3){ fmin(all->lo.x, box.x.lo), fmin(all->lo.y, box.y.lo), fmin(all->lo.z, box.z.lo) };
    all->hi = (abut_vec3){ fmax(all->hi.x, box.x.hi), fmax(all->hi.y, box.y.hi), fmax(all->hi.z, box.z.hi) };
}

abut_status abut_shape_create_compound(const abut_compound_part *parts, size_t count,
                                       const abut_allocator *alloc, abut_shape **out, abut_error *error)
{
    abut_base_clear(error);
    if (out)
        *out = NULL;
    if (!out || !parts || count == 0)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "a compound needs at least one part");
    for (size_t i = 0; i < count; ++i) {
        const abut_status status = check_part(&parts[i], i, error);
        if (status)
            return status;
    }
    abut_shape *shape = abut_shape_new(ABUT_SHAPE_COMPOUND, alloc);
    if (!shape)
        return abut_base_fail_memory(error);
    shape->u.compound.release = abut_motion_release;
    shape->u.compound.parts = abut_base_alloc(&shape->alloc, count, sizeof *shape->u.compound.parts);
    if (!shape->u.compound.parts) {
        abut_shape_release(shape);
        return abut_base_fail_memory(error);
    }
    shape->u.compound.count = count;
    shape->bounds = (abut_aabb){ { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
    for (size_t i = 0; i < count; ++i) {
        shape->u.compound.parts[i] =
            (abut_compound_member){ abut_shape_retain(parts[i].shape), abut_motion_retain(parts[i].at),
                                    reach_of(parts[i].shape) };
        add_bounds(shape, &parts[i]);
    }
    *out = shape;
    return ABUT_OK;
}

/* ---- parts in the world ---- */

static abut_motion *shared(const abut_motion *motion)
{
    return abut_motion_retain(abut_motion_unlocked(motion));
}

static abut_status place_part(const abut_motion *body, const abut_motion *part, const abut_allocator *alloc,
                              abut_motion **out)
{
    *out = NULL;
    if (!body || !part) {
        *out = shared(body ? body : part);
        return ABUT_OK;
    }
    abut_motion *const links[2] = { abut_motion_unlocked(body), abut_motion_unlocked(part) };
    return abut_motion_create_chain(links, 2, alloc, out, NULL);
}

abut_status abut_parts_of(const abut_shape *shape, const abut_motion *motion, abut_workspace *ws,
                          abut_parts *out)
{
    const size_t count = abut_is_compound(shape) ? shape->u.compound.count : 1;
    *out = (abut_parts){ .count = 0 };
    out->shapes = abut_workspace_take(ws, count, sizeof *out->shapes);
    out->motions = abut_workspace_take(ws, count, sizeof *out->motions);
    if (!out->shapes || !out->motions)
        return ABUT_ERR_MEMORY;
    for (; out->count < count; ++out->count) {
        const size_t i = out->count;
        const bool whole = !abut_is_compound(shape);
        out->shapes[i] = whole ? shape : shape->u.compound.parts[i].shape;
        const abut_status status =
            place_part(motion, whole ? NULL : shape->u.compound.parts[i].at, &ws->alloc, &out->motions[i]);
        if (status)
            return status;
    }
    return ABUT_OK;
}

void abut_parts_clear(abut_parts *parts)
{
    for (size_t i = 0; i < parts->count; ++i)
        abut_motion_release(parts->motions[i]);
    parts->count = 0;
}

/* ---- check ---- */

static void find_balls(const abut_parts *parts, double t, abut_part_ball *out)
{
    for (size_t i = 0; i < parts->count; ++i) {
        abut_interval_affine at = { .translation = { { 0, 0 }, { 0, 0 }, { 0, 0 } } };
        out[i] = (abut_part_ball){ .radius = INFINITY };
        const abut_motion *m = parts->motions[i];
        if (m && (!m->rigid || abut_motion_enclose(m, (abut_interval){ t, t }, &at) != ABUT_OK))
            continue;
        const abut_interval_vec3 c = at.translation;
        out[i].centre =
            abut_v3(0.5 * c.x.lo + 0.5 * c.x.hi, 0.5 * c.y.lo + 0.5 * c.y.hi, 0.5 * c.z.lo + 0.5 * c.z.hi);
        out[i].radius =
            reach_of(parts->shapes[i]) + (c.x.hi - c.x.lo) + (c.y.hi - c.y.lo) + (c.z.hi - c.z.lo);
    }
}

/* No two points of them are nearer; off by less than what is taken off. */
static double ball_gap(const abut_part_ball *a, const abut_part_ball *b)
{
    const abut_vec3 d = abut_sub(a->centre, b->centre);
    const double far = hypot(hypot(d.x, d.y), d.z),
                 size = fabs(a->centre.x) + fabs(a->centre.y) + fabs(a->centre.z) + fabs(b->centre.x) +
                        fabs(b->centre.y) + fabs(b->centre.z) + a->radius + b->radius;
    const double gap = far - a->radius - b->radius - 0x1p-46 * size;
    return gap > 0 ? gap : 0; /* not a number: unknown */
}

/* What the pairs of parts came to. */
typedef struct joint {
    abut_check_result *out;
    int most;      /* contacts */
    bool no_depth; /* it is not asked for */
    bool penetrates, touches, undecided;
    abut_proof weakest, penetration;
    abut_interval distance;
    double depth; /* no less than this */
} joint;

static void take_contacts(joint *j, const abut_check_result *r, int32_t a, int32_t b)
{
    for (int i = 0; i < r->contact_count && j->out->contact_count < j->most; ++i) {
        abut_contact *c = &j->out->contacts[j->out->contact_count++];
        *c = r->contacts[i];
        c->parts[0] = a;
        c->parts[1] = b;
    }
}

static void take_points(joint *j, const abut_check_result *r)
{
    j->out->has_points = r->has_points;
    j->out->has_normal = r->has_normal;
    j->out->point_a = r->point_a;
    j->out->point_b = r->point_b;
    j->out->normal = r->normal;
}

static void join(joint *j, const abut_check_result *r, int32_t a, int32_t b)
{
    abut_counters *c = &j->out->counters;
    c->iterations += r->counters.iterations;
    c->evaluations += r->counters.evaluations;
    c->exact += r->counters.exact;
    j->weakest = r->proof < j->weakest ? r->proof : j->weakest;
    if (r->stop > j->out->stop && r->verdict == ABUT_UNDECIDED)
        j->out->stop = r->stop;
    switch (r->verdict) {
    case ABUT_PENETRATING:
        if (!j->penetrates) /* contacts of bodies that merely touch do not count any more */
            j->out->contact_count = 0;
        j->penetration = r->proof > j->penetration ? r->proof : j->penetration;
        j->penetrates = true;
        j->depth = fmax(j->depth, r->has_depth ? r->depth.lo : 0);
        take_contacts(j, r, a, b);
        break;
    case ABUT_TOUCHING:
        if (!j->touches)
            take_points(j, r);
        j->touches = true;
        if (!j->penetrates)
            take_contacts(j, r, a, b);
        break;
    case ABUT_UNDECIDED: j->undecided = true; break;
    default:
        if (r->distance.hi < j->distance.hi && !j->touches)
            take_points(j, r);
        break;
    }
    j->distance.lo = fmin(j->distance.lo, r->distance.lo);
    j->distance.hi = fmin(j->distance.hi, r->distance.hi);
}

static void finish(joint *j)
{
    abut_check_result *out = j->out;
    const abut_interval none = { 0, 0 };
    if (j->penetrates) {
        out->verdict = ABUT_PENETRATING;
        out->proof = j->penetration;
        out->stop = ABUT_STOP_DONE;
        out->distance = none;
        return;
    }
    out->verdict = j->undecided ? ABUT_UNDECIDED : j->touches ? ABUT_TOUCHING : ABUT_SEPARATE;
    out->proof = j->undecided ? ABUT_PROOF_NONE : j->weakest;
    out->distance = j->touches ? none : j->distance;
    if (j->undecided) {
        out->has_points = out->has_normal = false;
        out->contact_count = 0;
    }
}

static abut_status check_parts(const abut_parts *a, const abut_parts *b, double t,
                               const abut_check_opts *opts, abut_workspace *ws, joint *j)
{
    abut_part_ball *balls_a = abut_workspace_take(ws, a->count, sizeof *balls_a),
                   *balls_b = abut_workspace_take(ws, b->count, sizeof *balls_b);
    if (!balls_a || !balls_b)
        return ABUT_ERR_MEMORY;
    find_balls(a, t, balls_a);
    find_balls(b, t, balls_b);
    for (size_t i = 0; i < a->count; ++i)
        for (size_t k = 0; k < b->count; ++k) {
            const double gap = ball_gap(&balls_a[i], &balls_b[k]);
            if (gap > 0 && gap > j->distance.hi)
                continue;
            abut_check_result r;
            const abut_status status =
                abut_check_at(a->shapes[i], a->motions[i], b->shapes[k], b->motions[k], t, opts, ws, &r);
            if (status)
                return status;
            join(j, &r, (int32_t)i, (int32_t)k);
        }
    if (!j->penetrates)
        return ABUT_OK;
    j->out->has_points = j->out->has_normal = false;
    if (j->no_depth)
        return ABUT_OK;
    j->out->depth = (abut_interval){ j->depth, INFINITY };
    abut_compound_depth_by_balls(balls_a, a->count, balls_b, b->count, j->out);
    return abut_compound_depth(a, b, t, opts, ws, j->out);
}

static abut_status check_joint(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                               const abut_motion *motion_b, double t, const abut_check_opts *opts,
                               abut_workspace *ws, joint *j)
{
    abut_check_opts known = { .struct_size = sizeof known };
    if (!abut_options_read(&known, sizeof known, opts) || known.max_contacts < 0 ||
        known.max_contacts > ABUT_CHECK_CONTACTS)
        return ABUT_ERR_ARGUMENT;
    known.cache = NULL; /* it is for one pair of shapes */
    abut_workspace own;
    if (!ws)
        abut_workspace_open(&own, NULL);
    abut_workspace *const space = ws ? ws : &own;
    const abut_workspace_mark mark = abut_workspace_begin(space);
    abut_parts parts_a, parts_b = { .count = 0 };
    *j->out = (abut_check_result){ 0 };
    j->most = known.max_contacts ? known.max_contacts : ABUT_CHECK_CONTACTS;
    j->weakest = ABUT_PROOF_EXACT;
    j->distance = (abut_interval){ INFINITY, INFINITY };
    abut_status status = abut_parts_of(a, motion_a, space, &parts_a);
    if (!status)
        status = abut_parts_of(b, motion_b, space, &parts_b);
    if (!status)
        status = check_parts(&parts_a, &parts_b, t, &known, space, j);
    abut_parts_clear(&parts_a);
    abut_parts_clear(&parts_b);
    abut_workspace_end(space, mark);
    if (!ws)
        abut_workspace_close(&own);
    if (status)
        *j->out = (abut_check_result){ 0 };
    else
        finish(j);
    return status;
}

abut_status abut_compound_check_at(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                                   const abut_motion *motion_b, double t, const abut_check_opts *opts,
                                   abut_workspace *ws, abut_check_result *out)
{
    joint j = { .out = out };
    return check_joint(a, motion_a, b, motion_b, t, opts, ws, &j);
}

/* ---- by poses ---- */

static abut_status motion_of(const abut_pose *pose, const abut_workspace *ws, abut_motion **out)
{
    *out = NULL;
    if (!pose)
        return ABUT_OK;
    const abut_placement at = abut_placement_from_pose(*pose);
    return abut_motion_create_static(&at, ws ? &ws->alloc : NULL, out, NULL);
}

static abut_status check_posed(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                               const abut_pose *pose_b, const abut_check_opts *opts, abut_workspace *ws,
                               joint *j)
{
    abut_motion *at_a, *at_b = NULL;
    abut_status status = motion_of(pose_a, ws, &at_a);
    if (!status)
        status = motion_of(pose_b, ws, &at_b);
    if (!status)
        status = check_joint(a, at_a, b, at_b, 0, opts, ws, j);
    abut_motion_release(at_a);
    abut_motion_release(at_b);
    return status;
}

abut_status abut_compound_check(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                const abut_pose *pose_b, const abut_check_opts *opts, abut_workspace *ws,
                                abut_check_result *out)
{
    joint j = { .out = out };
    *out = (abut_check_result){ 0 };
    return check_posed(a, pose_a, b, pose_b, opts, ws, &j);
}

abut_status abut_compound_distance(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                   const abut_pose *pose_b, const abut_distance_opts *opts,
                                   abut_workspace *ws, abut_distance_result *out)
{
    abut_check_opts check;
    abut_check_result r;
    joint j = { .out = &r, .no_depth = !opts->with_depth };
    abut_check_opts_init(&check);
    check.relative = opts->relative;
    *out = (abut_distance_result){ 0 };
    const abut_status status = check_posed(a, pose_a, b, pose_b, &check, ws, &j);
    if (status)
        return status;
    *out = (abut_distance_result){ .verdict = r.verdict,
                                   .proof = r.proof,
                                   .stop = r.stop,
                                   .distance = r.distance,
                                   .has_points = r.has_points,
                                   .point_a = r.point_a,
                                   .point_b = r.point_b,
                                   .normal = r.normal,
                                   .counters = r.counters };
    if (opts->with_depth && r.verdict == ABUT_PENETRATING)
        out->distance = (abut_interval){ r.has_depth ? -r.depth.hi : -INFINITY, -r.depth.lo };
    else if (opts->with_depth && r.verdict == ABUT_UNDECIDED)
        out->distance.lo = -INFINITY;
    if (out->distance.lo > opts->cutoff)
        out->stop = ABUT_STOP_CUTOFF;
    return ABUT_OK;
}

abut_status abut_compound_overlap(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                  const abut_pose *pose_b, const abut_overlap_opts *opts, abut_workspace *ws,
                                  abut_overlap_result *out)
{
    abut_check_result r;
    joint j = { .out = &r, .no_depth = true };
    *out = (abut_overlap_result){ 0 };
    const abut_status status = check_posed(a, pose_a, b, pose_b, NULL, ws, &j);
    if (status)
        return status;
    const double clearance = opts->clearance;
    *out = (abut_overlap_result){
        .verdict = r.verdict, .proof = r.proof, .stop = r.stop, .counters = r.counters
    };
    if (clearance > 0) {
        out->verdict = r.distance.lo > clearance                                  ? ABUT_SEPARATE
                       : r.distance.hi < clearance                                ? ABUT_PENETRATING
                       : r.distance.lo == clearance && r.distance.hi == clearance ? ABUT_TOUCHING
                                                                                  : ABUT_UNDECIDED;
        out->proof = out->verdict == ABUT_UNDECIDED ? ABUT_PROOF_NONE
                     : r.proof                      ? r.proof
                                                    : ABUT_PROOF_INTERVAL;
    }
    return ABUT_OK;
}
