/* SPDX-License-Identifier: MIT */
/* Rays and lines against one shape (line.h, line_field.h). A ray that starts on the boundary has
 * a hit at t = 0. A ray that runs in a face of a box or along the side of a capsule hits where
 * it enters and leaves that face; one that runs in the boundary of a half-space has no hit,
 * because it never crosses. */
#include "math/nearest.h"
#include "math/vec3.h"
#include "narrow/brep/line.h"
#include "narrow/compound.h"
#include "narrow/ellipsoid/ellipsoid_place.h"
#include "narrow/mesh/line_mesh.h"
#include "narrow/ray/quick_ray.h"
#include "narrow/surface/line_body.h"

typedef struct caster {
    abut_place place;
    abut_mat3 frame; /* of the normals that the lines give */
    abut_vec3 origin, direction;
    abut_line line;
    bool all; /* the whole line, t < 0 too */
    abut_ray_hit *hits;
    size_t capacity, count;
} caster;

static void push(caster *c, const abut_line_end *end)
{
    const double t = abut_line_parameter(&c->line, end->t);
    if (!(c->all || t >= 0) || isinf(t))
        return;
    if (c->count < c->capacity)
        c->hits[c->count] =
            (abut_ray_hit){ .t = t == 0 ? 0 : t, /* no -0 */
                            .point = c->line.moved
                                         ? abut_madd(abut_add(c->place.mid.translation, c->line.offset),
                                                     end->t, c->direction)
                                         : abut_madd(c->origin, t, c->direction),
                            .normal = abut_add(abut_mul(&c->frame, end->outward), abut_v3(0, 0, 0)) };
    ++c->count;
}

static void push_hit(caster *c, const abut_line_hit *hit)
{
    for (int i = 0; i < hit->count; ++i)
        push(c, &hit->end[i]);
}

static void push_field(void *ctx, const abut_field_hit *hit)
{
    push(ctx, &hit->at);
}

static abut_status cast_body(const abut_shape *shape, caster *c)
{
    enum { MOST = 256 };
    abut_field_hit hits[MOST];
    size_t count;
    const abut_status status = abut_line_through_body(shape, &c->place, c->origin, NULL, c->direction,
                                                      &c->line, NULL, hits, MOST, &count);
    if (status)
        return status;
    for (size_t i = 0; i < count && i < MOST; ++i)
        push(c, &hits[i].at);
    return count > MOST ? ABUT_ERR_LIMIT : ABUT_OK;
}

static ABUT_MATH_NOINLINE abut_status cast(const abut_shape *shape, const abut_stated *stated, caster *c)
{
    abut_shape image;
    const abut_shape *body = shape;
    abut_status status =
        stated->by_motion ? abut_place_of(shape, stated->motion, stated->t, &image, &c->place, &body)
                          : abut_place_from_pose(stated->pose, shape->type != ABUT_SHAPE_SPHERE, &c->place);
    if (status == ABUT_ERR_UNSUPPORTED)
        status = abut_place_rounded(stated->motion, stated->t, &c->place);
    if (status)
        return status;
    /* Nobody turns lines into the frame of a ball (line.c) or of an ellipsoid under a map. */
    c->frame = body != shape || shape->type == ABUT_SHAPE_SPHERE ? abut_mat3_identity() : c->place.mid.linear;
    abut_line_hit hit;
    if (body != shape) {
        abut_ellipsoid_through(body, &c->place, c->origin, NULL, c->direction, &hit);
        push_hit(c, &hit);
        return ABUT_OK;
    }
    if (abut_shape_solid(shape))
        return abut_solids_cast(shape, &c->place, c->origin, c->direction, c->all, c->hits, c->capacity,
                                &c->count);
    abut_line_approach(shape, &c->place, c->origin, NULL, c->direction, &c->line);
    c->line.unnamed = true;
    if (shape->type == ABUT_SHAPE_HEIGHTFIELD) {
        (void)abut_line_through_field(shape, &c->line, !c->all && !c->line.moved, push_field, c);
        return ABUT_OK;
    }
    if (abut_shape_has_triangles(shape->type)) {
        abut_where before;
        abut_line_through_mesh(shape, &c->line, !c->all && !c->line.moved, &before, push_field, c);
        return ABUT_OK;
    }
    if (abut_is_surface_body(shape->type))
        return cast_body(shape, c);
    if (!abut_line_through(shape, &c->line, &hit))
        return ABUT_ERR_UNSUPPORTED;
    push_hit(c, &hit);
    return ABUT_OK;
}

/* Separate, so that what the quick way answers does not pay for the room that this takes. */
static ABUT_MATH_NOINLINE abut_status careful(const abut_shape *shape, const abut_stated *stated,
                                              const abut_ray_query *q, size_t *count)
{
    caster c;
    c.origin = q->origin;
    c.direction = q->direction;
    c.all = q->all;
    c.hits = q->hits;
    c.capacity = q->capacity;
    c.count = 0;
    c.line.moved = false;
    c.line.base = (dd){ 0, 0 };
    const abut_nearest saved = abut_nearest_enter();
    const abut_status status = abut_cores_status(cast(shape, stated, &c), &shape->core, &shape->core);
    abut_nearest_leave(saved);
    *count = status ? 0 : c.count;
    return status;
}

static abut_status start(const abut_shape *shape, const abut_stated *stated, const abut_ray_query *q,
                         size_t *count)
{
    const abut_vec3 d = q->direction;
    if (!count)
        return ABUT_ERR_ARGUMENT;
    *count = 0;
    if (!shape || (q->capacity > 0 && !q->hits) || !abut_is_finite3(q->origin) || !abut_is_finite3(d) ||
        !isfinite(stated->t) || (d.x == 0 && d.y == 0 && d.z == 0))
        return ABUT_ERR_ARGUMENT;
    if (abut_is_compound(shape))
        return abut_compound_cast(shape, stated, q->all, q->origin, d, q->hits, q->capacity, count);
    if (!stated->by_motion && abut_nearest_is_set() && abut_narrow_quick_ray(shape, stated->pose, q, count))
        return ABUT_OK;
    return careful(shape, stated, q, count);
}

abut_status abut_cast_ray(const abut_shape *shape, const abut_pose *pose, abut_vec3 origin,
                          abut_vec3 direction, abut_ray_hit *hits, size_t capacity, size_t *count)
{
    const abut_stated stated = { .pose = pose };
    const abut_ray_query q = { origin, direction, false, hits, capacity };
    return start(shape, &stated, &q, count);
}

abut_status abut_cast_line(const abut_shape *shape, const abut_pose *pose, abut_vec3 origin,
                           abut_vec3 direction, abut_ray_hit *hits, size_t capacity, size_t *count)
{
    const abut_stated stated = { .pose = pose };
    const abut_ray_query q = { origin, direction, true, hits, capacity };
    return start(shape, &stated, &q, count);
}

abut_status abut_cast_ray_at(const abut_shape *shape, const abut_motion *motion, double t, abut_vec3 origin,
                             abut_vec3 direction, abut_ray_hit *hits, size_t capacity, size_t *count)
{
    const abut_stated stated = { .motion = motion, .t = t, .by_motion = true };
    const abut_ray_query q = { origin, direction, false, hits, capacity };
    return start(shape, &stated, &q, count);
}
