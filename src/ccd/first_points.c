/* SPDX-License-Identifier: MIT */
/* Where bodies touch first: the points, normals and features that go with a time of first
 * contact. */
#include "abut/ellipsoid.h"
#include "ccd/cast/linear_cast.h"
#include "ccd/first.h"
#include "ccd/first_entities.h"
#include "math/vec3.h"
#include "narrow/distance/convex.h"

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

/* The static method's point of two balls, without the rest of it, which is known once the time
 * is. */
static bool find_touch_of_balls(const abut_first_state *s, double t, abut_first_point *out)
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

/* A point of both convex bodies that overlap: `guess`, the middle of the way out, unless one of
 * them is so far inside the other that it is not. */
static abut_vec3 find_common(const abut_first_state *s, double t, abut_vec3 guess)
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

/* False where the placement is known too poorly for a point: a plane that spins so fast that no
 * double states its placement. */
static bool find_touch(const abut_first_state *s, double t, abut_first_point *out)
{
    abut_check_result check;
    if (abut_check_at(s->a, s->motion_a, s->b, s->motion_b, t, NULL, NULL, &check) || !check.has_normal ||
        !(check.has_points || check.contact_count > 0))
        return false;
    out->point = check.has_points ? middle(check.point_a, check.point_b) : check.contacts[0].point;
    if (s->out->verdict == ABUT_FIRST_OVERLAPPING)
        out->point = find_common(s, t, out->point);
    out->normal = check.normal;
    if (check.contact_count > 0) {
        /* none where the middle of the time enclosure is a little early */
        out->features[0] = check.contacts[0].features[0];
        out->features[1] = check.contacts[0].features[1];
    }
    return true;
}

/* A point of both ellipsoids, and which way the static check would part them; of those that are
 * deformed, how they would touch if they shrank alike. */
static bool find_common_of_ellipsoids(const abut_first_state *s, double t, abut_first_point *out)
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
    if (!abut_first_is_deforming(s->row, s->motion_a, s->motion_b) && find_touch(s, t, &seen))
        out->normal = seen.normal;
    else if (abut_ellipsoids_set(s->a, s->motion_a, t, s->b, s->motion_b, t, &e) ||
             !abut_ellipsoids_touch(&e, t, &ignored, &out->normal))
        out->normal = abut_unit_or(abut_sub(at_b.translation, at_a.translation), abut_v3(1, 0, 0));
    return true;
}

static bool find_touch_of_ellipsoids(const abut_first_state *s, double t, abut_first_point *out)
{
    abut_ellipsoids e;
    if (s->out->verdict == ABUT_FIRST_OVERLAPPING)
        return abut_is_ellipsoid(s->a) && abut_is_ellipsoid(s->b) && find_common_of_ellipsoids(s, t, out);
    return abut_first_takes_second(s->row, s->motion_a, s->motion_b, true) &&
           !abut_ellipsoids_set(s->a, s->motion_a, t, s->b, s->motion_b, t, &e) &&
           abut_ellipsoids_touch(&e, t, &out->point, &out->normal);
}

/* What the solver saw there. What it saw on its way may be another place. */
static bool find_touch_seen(const abut_first_state *s, abut_interval time, abut_first_point *out)
{
    const abut_moving_touch *touch = &s->moving->touch;
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
static bool find_touch_in_field(const abut_first_state *s, abut_interval time, abut_first_point *out)
{
    abut_counters spent = { 0 };
    abut_moving m = *s->moving;
    if (s->out->verdict != ABUT_FIRST_OVERLAPPING || m.a->type != ABUT_SHAPE_HEIGHTFIELD || m.touch.known ||
        m.b->core.kind == ABUT_CORE_NONE)
        return false;
    m.first_only = m.wants_first = true;
    m.counters = &spent;
    m.max_iterations = ABUT_WALK_ITERATIONS;
    m.progress = NULL;
    if (abut_field_scan(&m, ignore_run, NULL))
        return false;
    abut_first_state again = *s;
    again.moving = &m;
    return find_touch_seen(&again, time, out);
}

/* A ball touches a convex body in one point, and so do ellipsoids each other; a height field has
 * many places. What else touches in one only is not proved. */
static bool is_point_of_contact(const abut_first_state *s)
{
    if (abut_is_ellipsoid(s->a) && abut_is_ellipsoid(s->b))
        return true;
    if (s->a->type == ABUT_SHAPE_HEIGHTFIELD || s->b->type == ABUT_SHAPE_HEIGHTFIELD)
        return false;
    return !s->moving->touch.known && (s->a->type == ABUT_SHAPE_SPHERE || s->b->type == ABUT_SHAPE_SPHERE);
}

void abut_first_keep_point(abut_first_state *s, const abut_first_point *point)
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

/* Of cylinders and cones, what touches at the point is decided by the normal. */
static void name_rims(const abut_first_state *s, double t, abut_first_point *point)
{
    for (int i = 0; i < 2; ++i) {
        const abut_shape *shape = i ? s->b : s->a;
        const abut_motion *motion = i ? s->motion_b : s->motion_a;
        abut_affine at = { .linear = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } };
        if (motion && abut_motion_at(motion, t, &at))
            return;
        const double z = abut_mul_t(&at.linear, point->normal).z;
        point->features[i] = abut_linear_cast_feature(&shape->core, i ? -z : z, point->features[i]);
    }
}

static bool finds_places(const abut_first_state *s)
{
    return s->row && s->row->can & ABUT_CCD_COVERS;
}

/* The whole of a contact, of which one point is known. */
static void keep_contact(abut_first_state *s, double t, abut_first_point *point)
{
    if (finds_places(s) && abut_first_add_touching(s, point->time, point))
        return;
    name_rims(s, t, point);
    if (point->unique || !abut_first_add_region(s, t, point))
        abut_first_keep_point(s, point);
}

typedef struct entity_keeper {
    abut_first_state *s;
    abut_interval time;
} entity_keeper;

static void keep_entity(void *ctx, const abut_contact *contact)
{
    const entity_keeper *k = ctx;
    const abut_first_point point = { .time = k->time,
                                     .point = contact->point,
                                     .normal = contact->normal,
                                     .kind = ABUT_CONTACT_ISOLATED,
                                     .features = { contact->features[0], contact->features[1] },
                                     .has_ids = true,
                                     .ids = { contact->ids[0], contact->ids[1] } };
    abut_first_keep_point(k->s, &point);
}

static bool add_entities(abut_first_state *s, abut_interval time, double t)
{
    entity_keeper keeper = { s, time };
    return abut_first_entities(s->a, s->motion_a, s->b, s->motion_b, t, keep_entity, &keeper);
}

void abut_first_add_point(abut_first_state *s, const abut_run *run, abut_interval time)
{
    const double t = time.lo == time.hi ? time.lo : 0.5 * time.lo + 0.5 * time.hi;
    abut_first_point point = { .time = time,
                               .kind = ABUT_CONTACT_ISOLATED,
                               .unique = run->certain && !run->deep_start && is_point_of_contact(s),
                               .ids = { -1, -1 },
                               .features = { ABUT_FEATURE_FACE, ABUT_FEATURE_FACE } };
    if (time.lo == time.hi && run->certain && !run->deep_start && add_entities(s, time, t))
        return;
    if (s->moving->contacts && !run->deep_start && abut_first_add_rigid(s, time))
        return;
    const bool lasts = run->certain && !run->deep_start;
    if (!find_touch_seen(s, time, &point) && !find_touch_in_field(s, time, &point) &&
        !find_touch_of_ellipsoids(s, t, &point) && !find_touch_of_balls(s, t, &point) &&
        !find_touch(s, t, &point)) {
        if (lasts && finds_places(s))
            (void)abut_first_add_touching(s, time, &point);
        return;
    }
    /* A body without interior that runs through the other at the start has more than that in
     * common with it. */
    if (point.features[0] == ABUT_FEATURE_NONE && point.features[1] == ABUT_FEATURE_NONE)
        point.unique = false;
    if (lasts)
        keep_contact(s, t, &point);
    else
        abut_first_keep_point(s, &point);
}

void abut_first_add_points_at(abut_first_state *s, double t)
{
    abut_check_result check;
    s->out->point_count = 0;
    if (s->out->verdict == ABUT_FIRST_CONTACT && add_entities(s, s->out->time, t))
        return;
    if (abut_check_at(s->a, s->motion_a, s->b, s->motion_b, t, NULL, NULL, &check))
        return;
    if (!check.has_normal || check.contact_count == 0)
        return;
    const abut_contact *seen = &check.contacts[0];
    abut_first_point point = { .time = s->out->time,
                               .point = seen->point,
                               .normal = check.normal,
                               .kind = ABUT_CONTACT_ISOLATED,
                               .features = { seen->features[0], seen->features[1] } };
    if (s->out->verdict == ABUT_FIRST_CONTACT)
        keep_contact(s, t, &point);
    else
        abut_first_keep_point(s, &point);
}
