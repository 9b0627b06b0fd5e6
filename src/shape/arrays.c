/* SPDX-License-Identifier: MIT */
/* Lists of points as they come in: one pass finds their box and whether all of them are finite. */
#include "shape/arrays.h"
#include "math/vec3.h"

#include <string.h>

/* Four points are twelve coordinates, x y z x y z ...: as many running bounds keep the loop free
 * of shuffles, so that compilers make vectors of it. x * 0 is 0 for finite x and NaN otherwise. */
enum { LANES = 12 };

static bool bound_points(const abut_vec3 *points, size_t count, abut_aabb *box)
{
    double lo[LANES], hi[LANES], spoiled[LANES] = { 0 };
    const double first[3] = { points[0].x, points[0].y, points[0].z };
    for (int k = 0; k < LANES; ++k)
        lo[k] = hi[k] = first[k % 3];
    size_t i = 0;
    for (; i + LANES / 3 <= count; i += LANES / 3) {
        const abut_vec3 *p = points + i;
        const double v[LANES] = { p[0].x, p[0].y, p[0].z, p[1].x, p[1].y, p[1].z,
                                  p[2].x, p[2].y, p[2].z, p[3].x, p[3].y, p[3].z };
        for (int k = 0; k < LANES; ++k) {
            lo[k] = v[k] < lo[k] ? v[k] : lo[k];
            hi[k] = v[k] > hi[k] ? v[k] : hi[k];
            spoiled[k] += v[k] * 0;
        }
    }
    for (; i < count; ++i) {
        const double v[3] = { points[i].x, points[i].y, points[i].z };
        for (int k = 0; k < 3; ++k) {
            lo[k] = v[k] < lo[k] ? v[k] : lo[k];
            hi[k] = v[k] > hi[k] ? v[k] : hi[k];
            spoiled[k] += v[k] * 0;
        }
    }
    double bad = 0;
    for (int k = 0; k < LANES; ++k) {
        lo[k % 3] = lo[k] < lo[k % 3] ? lo[k] : lo[k % 3];
        hi[k % 3] = hi[k] > hi[k % 3] ? hi[k] : hi[k % 3];
        bad += spoiled[k];
    }
    *box = (abut_aabb){ { lo[0], lo[1], lo[2] }, { hi[0], hi[1], hi[2] } };
    return bad == 0;
}

abut_status abut_check_points(const abut_vec3 *points, size_t count, const char *what, abut_aabb *box,
                              abut_error *error)
{
    if (count > ABUT_MOST_VERTICES)
        return abut_base_fail(error, ABUT_ERR_LIMIT, -1, "%zu points are more than the %zu allowed", count,
                              ABUT_MOST_VERTICES);
    if (bound_points(points, count, box))
        return ABUT_OK;
    size_t i = 0;
    while (i + 1 < count && abut_is_finite3(points[i]))
        ++i;
    return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)i, "%s %zu has a coordinate that is not finite",
                          what, i);
}

void *abut_copy_items(const abut_allocator *alloc, const void *items, size_t count, size_t size)
{
    void *memory = abut_base_alloc(alloc, count, size);
    if (memory && count > 0)
        memcpy(memory, items, count * size);
    return memory;
}

abut_status abut_shape_fail(abut_shape *shape, abut_status status)
{
    abut_shape_release(shape);
    return status;
}
