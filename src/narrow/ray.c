/* SPDX-License-Identifier: MIT */
/* abut_cast_ray for the shapes with a closed form. A ray that starts on the boundary has a hit at t = 0. A ray that runs in a face of a box
 * or along the side of a capsule hits where it enters and leaves that face; one that runs in the boundary of a half-space has no hit,
 * because it never crosses. */
#include "math/nearest.h"
#include "math/vec3.h"
#include "narrow/line.h"

static ABUT_MATH_NOINLINE abut_status cast(const abut_shape *shape, const abut_stated *stated,
                                           abut_vec3 origin, abut_vec3 direction, abut_ray_hit *hits,
                                           size_t capacity, size_t *count)
{
    abut_place place;
    abut_status status = abut_place_from_stated(stated, shape->type != ABUT_SHAPE_SPHERE, &place);
    if (status == ABUT_ERR_UNSUPPORTED)
        status = abut_place_rounded(stated->motion, stated->t, &place);
    if (status)
        return status;
    abut_line line;
    abut_line_hit hit;
    abut_line_make(shape, &place, origin, NULL, direction, &line);
    if (!abut_line_through(shape, &line, &hit))
        return ABUT_ERR_UNSUPPORTED;
    for (int i = 0; i < hit.count; ++i) {
        const double t = hit.end[i].t;
        if (!(t >= 0) || isinf(t))
            continue;
        if (*count < capacity)
            hits[*count] = (abut_ray_hit){ .t = fabs(t),
                                           .point = abut_madd(origin, t, direction),
                                           .normal = abut_add(abut_place_turn(&place, hit.end[i].outward),
                                                              abut_v3(0, 0, 0)) }; /* no -0 */
        ++*count;
    }
    return ABUT_OK;
}

static abut_status start(const abut_shape *shape, const abut_stated *stated, abut_vec3 origin,
                         abut_vec3 direction, abut_ray_hit *hits, size_t capacity, size_t *count)
{
    if (!shape || !count || (capacity > 0 && !hits) || !abut_is_finite3(origin) ||
        !abut_is_finite3(direction) || !(abut_max_norm(direction) > 0))
        return ABUT_ERR_ARGUMENT;
    *count = 0;
    const abut_nearest saved = abut_nearest_enter();
    const abut_status status = cast(shape, stated, origin, direction, hits, capacity, count);
    abut_nearest_leave(saved);
    return status;
}

abut_status abut_cast_ray(const abut_shape *shape, const abut_pose *pose, abut_vec3 origin,
                          abut_vec3 direction, abut_ray_hit *hits, size_t capacity, size_t *count)
{
    const abut_stated stated = { .pose = pose };
    return start(shape, &stated, origin, direction, hits, capacity, count);
}

abut_status abut_cast_ray_at(const abut_shape *shape, const abut_motion *motion, double t, abut_vec3 origin,
                             abut_vec3 direction, abut_ray_hit *hits, size_t capacity, size_t *count)
{
    if (!isfinite(t))
        return ABUT_ERR_ARGUMENT;
    const abut_stated stated = { .motion = motion, .t = t, .by_motion = true };
    return start(shape, &stated, origin, direction, hits, capacity, count);
}
