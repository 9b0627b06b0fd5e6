/* SPDX-License-Identifier: MIT */
/* A CAD solid against another one, or against any body that has features: the search, then
 * containment, then the answer in world space.
 *
 * Boundaries that are proved apart leave three cases: apart, one inside the other, or (several
 * shells) a mixture. Interiors meet exactly where a point of one boundary is inside the other body,
 * so one point of each shell is asked for. */
#include "math/vec3.h"
#include "narrow/brep/brep.h"
#include "narrow/brep/facetest.h"
#include "narrow/brep/polygonal.h"
#include "narrow/brep/solids.h"
#include "narrow/brep/touch.h"

#include <float.h>

static double width(abut_interval i)
{
    return i.hi - i.lo;
}

/* How far a point at the distance `reach` from the body's origin may be from where the middle of the
 * placement puts it. */
static double blur(const abut_shape *shape, const abut_place *at, double reach)
{
    /* A ball's rotation does not count, and need not be enclosed. */
    const bool turns = shape->type != ABUT_SHAPE_SPHERE;
    double turn = 0, shift = 0;
    for (int i = 0; i < 3 && turns; ++i)
        for (int j = 0; j < 3; ++j)
            turn = fmax(turn, width(at->enclosure.linear.m[i][j]));
    shift = fmax(width(at->enclosure.translation.x),
                 fmax(width(at->enclosure.translation.y), width(at->enclosure.translation.z)));
    return 2 * (3 * turn * reach + shift);
}

/* b in the frame of a. */
static abut_affine relative(const abut_pair *pair)
{
    abut_affine out;
    const abut_place *a = pair->at_a, *b = pair->at_b;
    const abut_mat3 turn_a = pair->a->type == ABUT_SHAPE_SPHERE ? abut_mat3_identity() : a->mid.linear;
    const abut_mat3 turn_b = pair->b->type == ABUT_SHAPE_SPHERE ? abut_mat3_identity() : b->mid.linear;
    const abut_mat3 inverse = abut_mat3_transpose(&turn_a);
    out.linear = abut_mat3_mul(&inverse, &turn_b);
    out.translation = abut_mul(&inverse, abut_sub(b->mid.translation, a->mid.translation));
    return out;
}

static double size_of(const abut_shape *s)
{
    return abut_max_norm(abut_sub(s->bounds.hi, s->bounds.lo));
}

/* A ball around the bounds of a shape, in its frame. */
static void ball_of(const abut_shape *s, abut_vec3 *centre, double *radius)
{
    *centre = abut_scale(0.5, abut_add(s->bounds.lo, s->bounds.hi));
    *radius = 0.51 * abut_length(abut_sub(s->bounds.hi, s->bounds.lo));
}

static abut_status make_body(const abut_shape *shape, const abut_shape *other, const abut_affine *other_here,
                             abut_workspace *ws, abut_brep_body *out)
{
    *out = (abut_brep_body){ .shape = shape, .solid = abut_shape_solid(shape), .size = size_of(shape) };
    if (out->solid) {
        out->features = &out->solid->shown;
        return ABUT_OK;
    }
    abut_vec3 centre = { 0, 0, 0 };
    double radius = 1;
    if (shape->type == ABUT_SHAPE_HALFSPACE) {
        ball_of(other, &centre, &radius);
        centre = abut_affine_apply(other_here, centre);
    }
    const abut_status status = abut_brep_convert(shape, centre, 2 * radius, ws, &out->own);
    out->features = &out->own;
    return status;
}

/* A point of the boundary of each shell of `own`, searched for inside of `other`: -1 one is inside, 1
 * none is, 0 undecided. */
static int shells_inside(const abut_brep_body *own, const abut_brep_body *other, double slack, abut_vec3 *at)
{
    const abut_features *f = own->features;
    int result = 1;
    const uint32_t *first =
        own->solid && own->solid->form == ABUT_SOLID_EXPLICIT ? own->solid->shell_first : NULL;
    const size_t shells = first ? own->solid->shell_count : 1;
    for (size_t i = 0; i < shells; ++i) {
        const abut_part *part = &f->parts[first ? first[i] : 0];
        abut_cell cell;
        abut_cell_root(part, 0, 0, &cell);
        abut_vec3 p = cell.sample;
        if (part->trim && !abut_brep_boundary_point(own, part, &p)) {
            result = 0;
            continue;
        }
        const abut_vec3 here = own->moved ? abut_affine_apply(&own->map, p) : p;
        const abut_vec3 there =
            other->moved ? abut_mul_t(&other->map.linear, abut_sub(here, other->map.translation)) : here;
        const int side = abut_brep_side(other->shape, there, slack);
        if (side < 0) {
            *at = here;
            return -1;
        }
        result = side == 0 ? 0 : result;
    }
    return result;
}

static abut_vec3 to_world(const abut_pair *pair, abut_vec3 p)
{
    const abut_affine *mid = &pair->at_a->mid;
    return pair->a->type == ABUT_SHAPE_SPHERE ? abut_add(p, mid->translation) : abut_affine_apply(mid, p);
}

static void set_ids(const abut_brep_body *body, uint32_t part, abut_feature *feature, int64_t *id)
{
    const abut_part *p = &body->features->parts[part];
    *feature = p->face                      ? ABUT_FEATURE_FACE
               : p->kind == ABUT_CELL_POINT ? ABUT_FEATURE_VERTEX
                                            : ABUT_FEATURE_EDGE;
    *id = p->entity;
}

static void finish_inside(const abut_pair *pair, const abut_brep_answer *found, abut_check_result *out)
{
    out->verdict = ABUT_PENETRATING;
    out->proof = ABUT_PROOF_INTERVAL;
    out->stop = ABUT_STOP_DONE;
    out->distance = (abut_interval){ 0, 0 };
    out->depth = (abut_interval){ 0, INFINITY };
    out->has_normal = true;
    out->normal =
        abut_unit_or(abut_sub(pair->at_b->mid.translation, pair->at_a->mid.translation), abut_v3(1, 0, 0));
    out->contact_count = 1;
    out->contacts[0] = (abut_contact){ .point = to_world(pair, found->point[0]),
                                       .normal = out->normal,
                                       .features = { ABUT_FEATURE_NONE, ABUT_FEATURE_NONE },
                                       .ids = { -1, -1 } };
}

static void finish_apart(const abut_pair *pair, const abut_brep_body body[2], const abut_brep_answer *found,
                         double slack, double rounding, abut_check_result *out)
{
    const abut_ask *ask = pair->ask;
    /* The distance of the bodies as they are described; others within the tolerances, and within the enclosures
     * of the placements, are off by no more than the slack. */
    const double room = slack + rounding, low = fmax(0, found->low - room);
    out->distance = (abut_interval){ low, found->high + room };
    out->verdict = low > 0 ? ABUT_SEPARATE : ABUT_UNDECIDED;
    out->proof = low > 0 ? ABUT_PROOF_INTERVAL : ABUT_PROOF_NONE;
    out->stop = found->spent ? ABUT_STOP_BUDGET : ABUT_STOP_TOLERANCE;
    if (low > 0 && !found->spent)
        out->stop = ABUT_STOP_DONE;
    if (!(found->high < INFINITY))
        out->distance.hi = ask && ask->want == ABUT_WANT_VERDICT ? fmax(low, DBL_MAX) : INFINITY;
    if (!found->has_points)
        return;
    out->has_points = true;
    out->point_a = to_world(pair, found->point[0]);
    out->point_b = to_world(pair, found->point[1]);
    const abut_vec3 d = abut_sub(out->point_b, out->point_a);
    out->has_normal = found->high > 4 * (low > 0 ? rounding : slack);
    out->normal = abut_unit_or(d, abut_v3(1, 0, 0));
    out->contact_count = (!ask || ask->want == ABUT_WANT_ALL) && out->has_normal && low == 0;
    out->contacts[0].point = abut_scale(0.5, abut_add(out->point_a, out->point_b));
    out->contacts[0].normal = out->normal;
    set_ids(&body[0], found->part[0], &out->contacts[0].features[0], &out->contacts[0].ids[0]);
    set_ids(&body[1], found->part[1], &out->contacts[0].features[1], &out->contacts[0].ids[1]);
}

typedef struct prover {
    const abut_pair *pair;
    abut_workspace *ws;
    bool asked, proved, polygonal; /* polygonal: `found` is the answer */
    abut_status status;
    abut_brep_contact touch;
    abut_check_result found;
} prover;

static bool prove(void *ctx)
{
    prover *p = ctx;
    if (p->asked)
        return p->proved;
    p->asked = true;
    p->proved = abut_brep_touch(p->pair, &p->touch);
    if (!p->proved) {
        p->found = (abut_check_result){ .verdict = ABUT_UNDECIDED };
        p->status = abut_brep_ask_polygonal(p->pair, p->ws, &p->polygonal, &p->found);
        p->proved = p->polygonal;
    }
    return p->proved;
}

/* The part of a body that a point of the world is on, a face before an edge. */
static bool part_at(const abut_pair *pair, const abut_brep_body *body, abut_vec3 world, double slack,
                    uint32_t *part)
{
    const abut_vec3 d = abut_sub(world, pair->at_a->mid.translation);
    abut_vec3 p = pair->a->type == ABUT_SHAPE_SPHERE ? d : abut_mul_t(&pair->at_a->mid.linear, d);
    if (body->moved)
        p = abut_mul_t(&body->map.linear, abut_sub(p, body->map.translation));
    bool found = false;
    for (uint32_t i = 0; i < body->features->count; ++i) {
        const abut_part *q = &body->features->parts[i];
        abut_cell root;
        abut_cell_root(q, i, 0, &root);
        const abut_vec3 off = abut_sub(abut_cell_project(q, &root, p), p);
        if (abut_length(off) > 16 * slack || (found && !q->face))
            continue;
        found = true;
        *part = i;
        if (q->face)
            break;
    }
    return found;
}

static void finish_touching(const abut_pair *pair, const abut_brep_body body[2], double slack,
                            const abut_brep_contact *touch, abut_check_result *out)
{
    out->verdict = ABUT_TOUCHING;
    out->proof = ABUT_PROOF_EXACT;
    out->stop = ABUT_STOP_DONE;
    out->distance = out->depth = (abut_interval){ 0, 0 };
    out->has_points = out->has_normal = true;
    out->point_a = out->point_b = touch->point;
    out->normal = touch->normal;
    out->contact_count = 1;
    out->contacts[0] = (abut_contact){ .point = touch->point, .normal = touch->normal, .ids = { -1, -1 } };
    for (int i = 0; i < 2; ++i) {
        uint32_t part = 0;
        if (part_at(pair, &body[i], touch->point, slack, &part))
            set_ids(&body[i], part, &out->contacts[0].features[i], &out->contacts[0].ids[i]);
    }
}

static double slack_of(const abut_pair *pair, const abut_brep_body body[2], const abut_affine *map,
                       double *rounding)
{
    const double reach_a = body[0].features->scale, reach_b = body[1].features->scale;
    const double away = abut_length(map->translation);
    const double scale = 2 * (reach_a + reach_b + away);
    double slack = *rounding = ABUT_CELL_SLACK * scale;
    slack += blur(pair->a, pair->at_a, 2 * (reach_b + away)) + blur(pair->b, pair->at_b, 2 * reach_b);
    for (int i = 0; i < 2; ++i)
        slack += body[i].solid ? body[i].solid->doubt : 0;
    return slack;
}

/* How many common points of faces are tried for a point inside both bodies. */
enum { FACE_ATTEMPTS = 24 };

abut_status abut_brep_bodies(const abut_pair *pair, abut_workspace *ws, abut_brep_body body[2], double *slack,
                             double *rounding)
{
    const abut_affine map = relative(pair);
    const abut_affine back = { abut_mat3_transpose(&map.linear),
                               abut_scale(-1, abut_mul_t(&map.linear, map.translation)) };
    abut_status status = make_body(pair->a, pair->b, &map, ws, &body[0]);
    if (!status)
        status = make_body(pair->b, pair->a, &back, ws, &body[1]);
    if (status)
        return status;
    body[1].moved = true;
    body[1].map = map;
    *slack = slack_of(pair, body, &map, rounding);
    if (!abut_brep_can_measure(body[0].features->scale) || !abut_brep_can_measure(body[1].features->scale) ||
        !(abut_length(map.translation) < 1e60))
        *slack = INFINITY;
    return ABUT_OK;
}

/* The face test, for a proof that the bodies overlap: *inside. */
static abut_status by_faces(const abut_pair *pair, abut_brep_body body[2], double slack, abut_workspace *ws,
                            abut_brep_answer *found)
{
    abut_brep_faces faces;
    const abut_status status = abut_brep_faces_meet(pair, body, slack, FACE_ATTEMPTS, ws, &faces);
    if (status)
        return status;
    found->inside = faces.inside;
    found->point[0] = faces.witness;
    found->counters.evaluations = faces.edges;
    found->counters.iterations = faces.pairs;
    if (faces.meeting == ABUT_BREP_APART)
        found->inside = shells_inside(&body[0], &body[1], slack, &found->point[0]) < 0 ||
                        shells_inside(&body[1], &body[0], slack, &found->point[0]) < 0;
    return ABUT_OK;
}

static abut_status run(const abut_pair *pair, abut_workspace *ws, abut_check_result *out)
{
    abut_brep_body body[2];
    double slack, rounding;
    abut_status status = abut_brep_bodies(pair, ws, body, &slack, &rounding);
    if (status || !isfinite(slack))
        return status;
    const abut_ask all = { 0 }, *ask = pair->ask ? pair->ask : &all;
    const bool verdict = ask->want == ABUT_WANT_VERDICT;
    const double size = fmin(body[0].size, body[1].size);
    prover p;
    p.pair = pair;
    p.ws = ws;
    p.asked = p.proved = p.polygonal = false;
    p.status = ABUT_OK;
    const abut_brep_goal goal = { .rounding = rounding,
                                  .clearance = verdict ? ask->clearance : 0,
                                  .verdict_only = verdict,
                                  .tolerance = 2e-7 * (isfinite(size) ? size : fmax(body[0].size, 1)),
                                  .relative = ask->relative,
                                  .cutoff = ask->want == ABUT_WANT_DISTANCE ? ask->cutoff : INFINITY,
                                  .budget = ask->max_iterations ? ask->max_iterations : 40000,
                                  .prove = verdict && ask->clearance > 0 ? NULL : prove,
                                  .ctx = &p };
    abut_brep_answer found = { 0 };
    abut_counters faces = { 0 };
    if (ask->method == ABUT_CHECK_FACETEST && body[0].solid && body[1].solid && goal.clearance == 0) {
        status = by_faces(pair, body, slack, ws, &found);
        out->counters = faces = found.counters;
        if (status || found.inside) {
            if (!status)
                finish_inside(pair, &found, out);
            return status;
        }
    }
    status = abut_brep_search(body, slack, &goal, ws, &found);
    if (!status && !found.inside && !(found.low > 2 * slack) && goal.prove)
        (void)prove(&p);
    if (!status)
        status = p.status;
    if (status)
        return status;
    found.counters.iterations += faces.iterations;
    found.counters.evaluations += faces.evaluations;
    out->counters = found.counters;
    if (p.polygonal) {
        p.found.counters = found.counters;
        *out = p.found;
        return ABUT_OK;
    }
    if (p.proved) {
        finish_touching(pair, body, slack, &p.touch, out);
        return ABUT_OK;
    }
    int shells = 1;
    if (!found.inside && found.low > 2 * slack) {
        const int a = shells_inside(&body[0], &body[1], slack, &found.point[0]);
        const int b = a < 0 ? a : shells_inside(&body[1], &body[0], slack, &found.point[0]);
        shells = a < 0 || b < 0 ? -1 : a > 0 && b > 0;
        found.inside = shells < 0;
    }
    if (found.inside) {
        finish_inside(pair, &found, out);
        return ABUT_OK;
    }
    if (shells == 0)
        found.low = 0;
    finish_apart(pair, body, &found, slack, rounding, out);
    if (verdict && ask->clearance > 0) {
        const bool more = out->distance.lo > ask->clearance, less = out->distance.hi < ask->clearance;
        out->verdict = more ? ABUT_SEPARATE : less ? ABUT_PENETRATING : ABUT_UNDECIDED;
        out->proof = more || less ? ABUT_PROOF_INTERVAL : ABUT_PROOF_NONE;
    }
    return ABUT_OK;
}

abut_status abut_narrow_solids(const abut_pair *pair, abut_workspace *ws, abut_check_result *out)
{
    out->verdict = ABUT_UNDECIDED;
    out->stop = ABUT_STOP_TOLERANCE;
    out->distance = (abut_interval){ 0, INFINITY };
    if (!abut_brep_is_body(pair->a) || !abut_brep_is_body(pair->b) || pair->at_a->mapped ||
        pair->at_b->mapped)
        return ABUT_ERR_UNSUPPORTED;
    return abut_pair_with_scratch(run, pair, ws, out);
}

/* ---- balls inside both ---- */

typedef struct common {
    const abut_pair *pair;
    abut_affine map;
    double most;
} common;

static double doubt_of(const abut_shape *shape)
{
    const abut_solid *solid = abut_shape_solid(shape);
    return solid ? solid->doubt : 0;
}

/* In a's frame. */
static double depth_at(const common *c, abut_vec3 p)
{
    const double a = abut_brep_depth(c->pair->a, p, c->most);
    if (!(a > 0))
        return a;
    return fmin(
        a, abut_brep_depth(c->pair->b, abut_mul_t(&c->map.linear, abut_sub(p, c->map.translation)), c->most));
}

double abut_solids_common_depth(const abut_pair *pair, abut_vec3 *point)
{
    const abut_affine map = relative(pair);
    const abut_vec3 t = pair->at_a->mid.translation, world = abut_sub(*point, t);
    abut_vec3 p = pair->a->type == ABUT_SHAPE_SPHERE ? world : abut_mul_t(&pair->at_a->mid.linear, world);
    const double size_a = size_of(pair->a), size_b = size_of(pair->b), size = fmin(size_a, size_b);
    const common c = { pair, map, size };
    double best = depth_at(&c, p);
    /* Steps along the axes, halved where none helps. */
    int tries = 0;
    for (double step = 0.125 * size; step > 1e-3 * fmax(best, 1e-6 * size) && tries < 120;) {
        bool better = false;
        for (int i = 0; i < 6; ++i, ++tries) {
            const double s = i & 1 ? -step : step;
            const abut_vec3 q = abut_add(p, abut_v3(i < 2 ? s : 0, i / 2 == 1 ? s : 0, i > 3 ? s : 0));
            const double d = depth_at(&c, q);
            if (d > best) {
                best = d;
                p = q;
                better = true;
            }
        }
        if (!better)
            step *= 0.5;
    }
    *point = to_world(pair, p);
    const double reach = fmax(abut_max_norm(pair->a->bounds.hi), abut_max_norm(pair->a->bounds.lo)) +
                         abut_length(map.translation);
    const double far = isfinite(reach) ? reach : abut_length(p) + 1;
    const double slack = 4 * ABUT_CELL_SLACK * (far + size + abut_length(p)) +
                         blur(pair->a, pair->at_a, 4 * far) + blur(pair->b, pair->at_b, 4 * far);
    return fmax(0, best - slack - 2 * (doubt_of(pair->a) + doubt_of(pair->b)));
}
