/* SPDX-License-Identifier: MIT */
/* The penetration depth of any pair, by separating translations.
 *
 * The depth is the length of the shortest translation of b after which the bodies have no more in common
 * than their boundaries. Every translation that parts them bounds it from above, and whether one does is
 * decided by the method of the pair, which proves it. So the upper bound is certified, whatever leads to
 * it; the lower bound is that of the method, or 0.
 *
 * The search starts outside: along an axis of either body, or from centre to centre, by as much as the
 * boxes of the bodies overlap there. With the distance d and the unit normal n of the nearest points at a
 * translation v that parts them, two steps make v shorter:
 *  - towards the bodies, by d / (n . v/|v|): bodies that are convex near there stay apart. Should they not,
 *    by the lower bound of d, after which any bodies are still apart (conservative advancement, in
 *    translations);
 *  - where d is next to nothing, to n (n . v), the shortest v on the far side of the plane between them, as
 *    far as they stay apart.
 * It ends in a local minimum of |v|, and the best of a few starts counts. */
#include "narrow/push_out.h"

#include "math/vec3.h"
#include "narrow/cover/pairs.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { DIRECTIONS = 14, STARTS = 3, SLOW_STARTS = 2, EVALUATIONS = 8 };

/* Of searches at one translation: a looser bound of the distance will do. */
static const uint64_t usual_budget = 500, covered_budget = 1000;
/* Of |v|: the distance at which the search takes bodies to be in contact, and what it leaves of it. Next to
 * contact every method is at its slowest. */
static const double near_enough = 1e-3, left_over = 2.5e-4;

typedef struct search {
    abut_pair_fn method;
    const abut_pair *pair;
    abut_workspace *ws;
    abut_check_result *out;  /* counters are added here */
    abut_cover_cache *cover; /* or NULL */
    abut_aabb box[2];        /* of both, in their frames */
    int patience;            /* that many times twice the budget */
    bool fine;               /* a tight bound of the distance, once */
    abut_status status;
} search;

/* A translation of b that parts the bodies, with the nearest points then. */
typedef struct parted {
    abut_vec3 by;
    double length;
    abut_interval gap; /* the distance there */
    abut_vec3 normal, point_a, point_b;
    abut_proof proof;
    abut_contact nearest; /* the features of the nearest points, where the method tells */
} parted;

typedef struct direction {
    abut_vec3 along;
    double length; /* of the translation that parts the boxes */
} direction;

/* ---- placements ---- */

static abut_interval widen(abut_interval x, double by)
{
    return (abut_interval){ nextafter(x.lo + by, -INFINITY), nextafter(x.hi + by, INFINITY) };
}

/* The placement translated by about `by`; *moved is the translation that it has undergone, to rounding. */
static bool translate(const abut_place *from, const abut_shape *shape, abut_vec3 by, abut_place *to,
                      abut_vec3 *moved)
{
    if (from->stated) {
        abut_pose pose = from->pose;
        pose.position = abut_add(pose.position, by);
        *moved = abut_sub(pose.position, from->pose.position);
        const bool turns = shape->type != ABUT_SHAPE_SPHERE;
        if (abut_place_from_pose(&pose, turns, to))
            return false;
        to->t = from->t;
        return true;
    }
    *to = *from;
    *moved = by;
    if (from->mapped) {
        to->map.translation = abut_add(from->map.translation, by);
        *moved = by = abut_sub(to->map.translation, from->map.translation);
    }
    to->points = false;
    to->mid.translation = abut_add(to->mid.translation, by);
    abut_interval_vec3 *x = &to->enclosure.translation;
    *x = (abut_interval_vec3){ widen(x->x, by.x), widen(x->y, by.y), widen(x->z, by.z) };
    return true;
}

/* ---- directions ---- */

/* How far the body reaches along a direction of the world: of its box. Infinite where it has no end. */
static double reach(const abut_shape *shape, const abut_aabb *box, const abut_place *at, abut_vec3 along)
{
    const abut_vec3 u = abut_mul_t(&at->mid.linear, along);
    double sum = abut_dot(at->mid.translation, along);
    if (shape->type == ABUT_SHAPE_HALFSPACE) {
        const double length = abut_length(shape->u.halfspace.normal);
        const bool outward = abut_dot(u, shape->u.halfspace.normal) > length * (1 - 1e-12);
        return outward ? sum + shape->u.halfspace.offset / length : INFINITY;
    }
    for (int i = 0; i < 3; ++i) {
        const double part = abut_part3(u, i);
        if (fabs(part) > 1e-12) /* the axes of a body that has no end along the others */
            sum += part * abut_part3(part > 0 ? box->hi : box->lo, i);
    }
    return sum;
}

static int add_direction(const search *s, abut_vec3 along, direction *list, int count)
{
    const abut_vec3 none = { 0, 0, 0 };
    const abut_vec3 unit = abut_unit_or(along, none);
    const abut_vec3 back = abut_scale(-1, unit);
    const double length = reach(s->pair->a, &s->box[0], s->pair->at_a, unit) +
                          reach(s->pair->b, &s->box[1], s->pair->at_b, back);
    if (abut_dot(unit, unit) < 0.5 || !isfinite(length) || !(length > 0))
        return count;
    int at = count;
    for (; at > 0 && list[at - 1].length > length; --at)
        list[at] = list[at - 1];
    list[at] = (direction){ unit, length };
    return count + 1;
}

static int find_directions(const search *s, direction list[DIRECTIONS])
{
    const abut_pair *p = s->pair;
    int count = 0;
    if (p->a->type == ABUT_SHAPE_HALFSPACE)
        return add_direction(s, abut_mul(&p->at_a->mid.linear, p->a->u.halfspace.normal), list, count);
    if (p->b->type == ABUT_SHAPE_HALFSPACE) {
        const abut_vec3 inward = abut_scale(-1, p->b->u.halfspace.normal);
        return add_direction(s, abut_mul(&p->at_b->mid.linear, inward), list, count);
    }
    for (int body = 0; body < 2; ++body)
        for (int i = 0; i < 6; ++i) {
            const double sign = i < 3 ? 1 : -1;
            const abut_vec3 axis =
                abut_v3(i % 3 == 0 ? sign : 0, i % 3 == 1 ? sign : 0, i % 3 == 2 ? sign : 0);
            const abut_place *at = body ? p->at_b : p->at_a;
            count = add_direction(s, abut_mul(&at->mid.linear, axis), list, count);
        }
    const abut_aabb *a = &s->box[0], *b = &s->box[1];
    const abut_vec3 from = abut_affine_apply(&p->at_a->mid, abut_scale(0.5, abut_add(a->lo, a->hi)));
    const abut_vec3 to = abut_affine_apply(&p->at_b->mid, abut_scale(0.5, abut_add(b->lo, b->hi)));
    if (abut_is_finite3(from) && abut_is_finite3(to))
        count = add_direction(s, abut_sub(to, from), list, count);
    return count;
}

/* ---- the search ---- */

static uint64_t usual_boxes(const search *s)
{
    const abut_shape *const a = s->pair->a, *const b = s->pair->b;
    const size_t work = (a->surface ? a->surface->work : 0) + (b->surface ? b->surface->work : 0);
    return abut_work_budget(s->cover ? covered_budget : usual_budget, 4 * work) << s->patience;
}

/* Whether that translation is proved to part them. */
static bool try(search *s, abut_vec3 by, parted *out)
{
    const abut_pair *p = s->pair;
    const abut_ask ask = { .want = ABUT_WANT_DISTANCE,
                           .cutoff = INFINITY,
                           .relative = s->fine ? 0 : 0.25,
                           .no_contacts = true, /* nor the depth, where they still meet */
                           .max_iterations = p->ask && p->ask->max_iterations ? p->ask->max_iterations
                                             : s->fine ? 0 /* the usual one of the method */
                                                       : usual_boxes(s),
                           .cover = s->cover };
    abut_place at_b;
    abut_check_result r;
    memset(&r, 0, sizeof r);
    if (!translate(p->at_b, p->b, by, &at_b, &out->by))
        return false;
    const abut_pair moved = { p->a, p->b, p->at_a, &at_b, &ask };
    s->status = abut_narrow_run_placed(s->method, &moved, s->ws, &r);
    s->out->counters.iterations += r.counters.iterations;
    s->out->counters.evaluations += r.counters.evaluations;
    if (s->status || (r.verdict != ABUT_SEPARATE && r.verdict != ABUT_TOUCHING) ||
        r.proof < ABUT_PROOF_INTERVAL || !r.has_points)
        return false;
    out->length = abut_length(out->by);
    out->gap = r.distance;
    out->point_a = r.point_a;
    out->point_b = abut_sub(r.point_b, out->by);
    out->proof = r.proof;
    out->nearest = r.contacts[0]; /* zeros where the method says nothing */
    if (r.contact_count == 0) {
        abut_entity_of(p->a, &out->nearest.features[0], &out->nearest.ids[0]);
        abut_entity_of(p->b, &out->nearest.features[1], &out->nearest.ids[1]);
    }
    const abut_vec3 none = { 0, 0, 0 };
    out->normal = r.has_normal ? r.normal : abut_unit_or(abut_sub(r.point_b, r.point_a), none);
    return out->length > 0;
}

/* Towards the bodies along the translation. */
static bool shorten(search *s, parted *at, int *left)
{
    const abut_vec3 along = abut_scale(1 / at->length, at->by);
    const double slope = abut_dot(along, at->normal), rest = left_over * at->length;
    const double steps[2] = { (at->gap.hi - rest) / fmax(slope, 0.2), at->gap.lo - rest };
    parted next;
    for (int i = 0; i < 2 && steps[i] > 0 && --*left >= 0; ++i) {
        const double step = fmin(steps[i], at->length * (1 - 1e-9));
        if (try(s, abut_scale(at->length - step, along), &next)) {
            *at = next;
            return true;
        }
        if (s->status)
            return false;
    }
    return false;
}

/* Along the plane between the bodies, to where it is nearest. */
static bool turn(search *s, parted *at, int *left)
{
    const double far = abut_dot(at->by, at->normal);
    const abut_vec3 foot = abut_scale(far * (1 + left_over), at->normal);
    parted next;
    if (far <= 0 || far > at->length * (1 - 4 * near_enough))
        return false;
    for (double share = 1; share > 0.1; share *= 0.5) {
        if (--*left < 0)
            return false;
        const abut_vec3 to = abut_madd(abut_scale(1 - share, at->by), share, foot);
        if (try(s, to, &next) && next.length < at->length) {
            *at = next;
            return true;
        }
        if (s->status)
            return false;
    }
    return false;
}

static bool descend(search *s, const direction *start, parted *at)
{
    int left = EVALUATIONS;
    /* Just out of their boxes bodies may touch by flat faces, which not every method tells. */
    static const double longer[3] = { 1 + 1e-9, 1.05, 1.6 };
    bool out = false;
    for (int i = 0; i < 3 && !out && !s->status; ++i) {
        s->patience = i; /* without a place to start there is no depth at all */
        out = try(s, abut_scale(start->length * longer[i], start->along), at);
    }
    s->patience = 0;
    if (!out)
        return false;
    while (!s->status && (at->gap.hi > near_enough * at->length ? shorten(s, at, &left) : turn(s, at, &left)))
        ;
    return !s->status;
}

/* ---- what is said of it ---- */

/* The vertex, edge or face where a short segment through the boundary crosses it. */
static void name_feature(const abut_shape *shape, const abut_stated *stated, abut_vec3 point,
                         abut_vec3 outward, abut_contact *contact, int side)
{
    const abut_vec3 size = abut_sub(shape->bounds.hi, shape->bounds.lo);
    double largest = abut_max_norm(point);
    for (int i = 0; i < 3; ++i)
        if (isfinite(abut_part3(size, i)))
            largest = fmax(largest, abut_part3(size, i));
    for (double step = 1e-6 * largest; step < 1e-3 * largest; step *= 16) {
        const abut_vec3 from = abut_madd(point, step, outward), to = abut_madd(point, -step, outward);
        abut_piece pieces[8];
        size_t count = 0;
        const abut_status status =
            stated->by_motion
                ? abut_classify_segment_at(shape, stated->motion, stated->t, from, to, pieces, 8, &count)
                : abut_classify_segment(shape, stated->pose, from, to, pieces, 8, &count);
        for (size_t i = 0; !status && i < count && i < 8; ++i)
            if (pieces[i].where >= ABUT_WHERE_VERTEX) {
                contact->features[side] =
                    (abut_feature)(ABUT_FEATURE_VERTEX + (pieces[i].where - ABUT_WHERE_VERTEX));
                contact->ids[side] = pieces[i].id;
                return;
            }
    }
}

/* What balls about a common point show from below, where the method knew nothing. */
static double least_depth(const search *s, const parted *best)
{
    const abut_check_result *out = s->out;
    const abut_pair *p = s->pair;
    if (out->depth.lo > 0)
        return out->depth.lo;
    /* that of a contact, then between the points that will touch, its middle first */
    static const double share[7] = { 0.5, 0.25, 0.75, 0.1, 0.9, 0.02, 0.98 };
    abut_vec3 points[8];
    int count = 0;
    if (out->contact_count > 0)
        points[count++] = out->contacts[0].point;
    for (int i = 0; i < 7; ++i)
        points[count++] = abut_madd(best->point_a, share[i], abut_sub(best->point_b, best->point_a));
    const double least = abut_cover_depth_at(p, s->ws, points, count);
    return fmax(least, 0);
}

/* Contacts of a method stay where it names the feature of a body at least; those of some have points alone. */
static bool is_named(const abut_contact *c)
{
    return c->features[0] != ABUT_FEATURE_NONE || c->features[1] != ABUT_FEATURE_NONE;
}

/* Away from a half-space the distance grows by as much as the translation is long: what that is more than the
 * distance is the depth. */
static void measure_plane(search *s, parted *best, abut_interval *depth)
{
    parted at;
    if (s->pair->a->type != ABUT_SHAPE_HALFSPACE && s->pair->b->type != ABUT_SHAPE_HALFSPACE)
        return;
    s->fine = true;
    if (try(s, best->by, &at))
        *best = at;
    const double rounding = 0x1p-44 * best->length;
    depth->lo = fmax(depth->lo, best->length - best->gap.hi - rounding);
    depth->hi = fmin(depth->hi, fmax(best->length - best->gap.lo + rounding, depth->lo));
}

static void report(search *s, const abut_stated *const stated[2], parted *best)
{
    const abut_pair *pair = s->pair;
    abut_check_result *out = s->out;
    abut_interval plane = { 0, INFINITY };
    measure_plane(s, best, &plane);
    out->depth.lo = fmax(least_depth(s, best), plane.lo);
    out->has_depth = out->has_points = out->has_normal = true;
    /* What the method knew from below stays. */
    const double most = fmin(best->length * (1 + 8 * DBL_EPSILON) + DBL_MIN, plane.hi);
    out->depth = (abut_interval){ fmin(fmax(out->depth.lo, 0), most), most };
    out->point_a = best->point_a;
    out->point_b = best->point_b;
    out->normal = abut_scale(1 / best->length, best->by);
    if ((out->contact_count > 0 && is_named(&out->contacts[0])) || (pair->ask && pair->ask->no_contacts))
        return;
    /* A point that the method proved to be in both stays. */
    abut_contact *c = &out->contacts[0];
    const abut_vec3 common =
        out->contact_count > 0 ? c->point : abut_scale(0.5, abut_add(best->point_a, best->point_b));
    out->contact_count = 1;
    *c = (abut_contact){ .point = common, .normal = out->normal, .ids = { -1, -1 } };
    for (int i = 0; i < 2; ++i) {
        if (best->nearest.features[i] != ABUT_FEATURE_NONE && best->nearest.ids[i] >= 0) {
            c->features[i] = best->nearest.features[i];
            c->ids[i] = best->nearest.ids[i];
        } else if (stated[i]) {
            name_feature(i ? pair->b : pair->a, stated[i], i ? best->point_b : best->point_a,
                         i ? abut_scale(-1, best->normal) : best->normal, c, i);
        }
    }
}

/* Cells of these take long to make, and serve all searches. */
static bool has_cells(const abut_shape *s)
{
    return s->type == ABUT_SHAPE_IMPLICIT || s->type == ABUT_SHAPE_CSG || s->type == ABUT_SHAPE_PARAMETRIC ||
           abut_cover_is_large(s);
}

abut_status abut_narrow_push_out(const abut_pair_row *row, const abut_pair *pair,
                                 const abut_stated *const stated[2], abut_workspace *ws,
                                 abut_check_result *out)
{
    direction list[DIRECTIONS];
    parted best = { .length = INFINITY }, at;
    search s = { .method = row->placed, .pair = pair, .ws = ws, .out = out };
    if (out->verdict != ABUT_PENETRATING)
        return ABUT_OK;
    if (out->has_depth) {
        /* The points that end up touching, where the method knows but the translation. */
        if (!out->has_points && out->has_normal && isfinite(out->depth.hi) &&
            try(&s, abut_scale(out->depth.hi * (1 + 1e-9), out->normal), &at)) {
            out->has_points = true;
            out->point_a = at.point_a;
            out->point_b = at.point_b;
        }
        return s.status;
    }
    s.status = abut_narrow_push_box(pair->a, pair->at_a, ws, &s.box[0]);
    if (!s.status)
        s.status = abut_narrow_push_box(pair->b, pair->at_b, ws, &s.box[1]);
    if (s.status)
        return s.status;
    if (has_cells(pair->a) || has_cells(pair->b)) {
        s.cover = abut_cover_cache_create(&pair->a->alloc);
        if (!s.cover)
            return ABUT_ERR_MEMORY;
        if (abut_cover_takes(pair->a) && abut_cover_takes(pair->b))
            s.method = abut_narrow_cover;
    }
    const int count = find_directions(&s, list);
    const bool slow = pair->a->type == ABUT_SHAPE_PARAMETRIC || pair->b->type == ABUT_SHAPE_PARAMETRIC;
    const int starts = slow ? SLOW_STARTS : STARTS;
    for (int i = 0, used = 0; i < count && used < starts && !s.status; ++i) {
        bool seen = false;
        for (int k = 0; k < i; ++k)
            seen = seen || abut_dot(list[i].along, list[k].along) > 0.99;
        if (seen)
            continue;
        ++used;
        if (descend(&s, &list[i], &at) && at.length < best.length)
            best = at;
    }
    if (!s.status && best.length < INFINITY)
        report(&s, stated, &best);
    abut_cover_cache_destroy(s.cover);
    return s.status;
}
