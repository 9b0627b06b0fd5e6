/* SPDX-License-Identifier: MIT */
/* Hulls of point sets; see hull.h. */
#include "shape/hull.h"

#include "base/memory.h"
#include "math/vec3.h"

abut_hull *abut_hull_create(const abut_vec3 *points, size_t count, const abut_allocator *alloc,
                            abut_status *status, abut_error *error)
{
    (void)error;
    abut_hull *hull = abut_base_alloc(alloc, 1, sizeof *hull);
    *status = ABUT_ERR_MEMORY;
    if (!hull)
        return NULL;
    *hull =
        (abut_hull){ .dimension = 3, .vertex_count = (uint32_t)count, .candidate_count = (uint32_t)count };
    hull->padded_count = (uint32_t)(count + 7) / 8 * 8;
    hull->x = abut_base_alloc(alloc, hull->padded_count, sizeof(double));
    hull->y = abut_base_alloc(alloc, hull->padded_count, sizeof(double));
    hull->z = abut_base_alloc(alloc, hull->padded_count, sizeof(double));
    hull->point_of = abut_base_alloc(alloc, hull->padded_count, sizeof(uint32_t));
    if (!hull->x || !hull->y || !hull->z || !hull->point_of) {
        abut_hull_destroy(hull, alloc);
        return NULL;
    }
    for (uint32_t i = 0; i < hull->padded_count; ++i) {
        const uint32_t j = i < count ? i : 0;
        hull->x[i] = points[j].x;
        hull->y[i] = points[j].y;
        hull->z[i] = points[j].z;
        hull->point_of[i] = j;
        hull->size = fmax(hull->size, abut_length(points[j]) * (1 + 0x1p-48));
    }
    *status = ABUT_OK;
    return hull;
}

void abut_hull_destroy(abut_hull *hull, const abut_allocator *alloc)
{
    if (!hull)
        return;
    abut_base_free(alloc, hull->x, hull->padded_count, sizeof(double));
    abut_base_free(alloc, hull->y, hull->padded_count, sizeof(double));
    abut_base_free(alloc, hull->z, hull->padded_count, sizeof(double));
    abut_base_free(alloc, hull->point_of, hull->padded_count, sizeof(uint32_t));
    abut_base_free(alloc, hull, 1, sizeof *hull);
}

uint32_t abut_hull_scan(const abut_hull *hull, abut_vec3 d)
{
    uint32_t best = 0;
    double most = -INFINITY;
    for (uint32_t i = 0; i < hull->candidate_count; ++i) {
        const double value = abut_dot(d, abut_hull_vertex(hull, i));
        if (value > most) {
            most = value;
            best = i;
        }
    }
    return best;
}

uint32_t abut_hull_climb(const abut_hull *hull, abut_vec3 d, uint32_t start)
{
    (void)start;
    return abut_hull_scan(hull, d);
}

uint32_t abut_hull_descend(const abut_hull *hull, abut_vec3 d)
{
    return abut_hull_scan(hull, d);
}

uint32_t abut_hull_support(const abut_hull *hull, abut_vec3 d, uint32_t start)
{
    (void)start;
    return abut_hull_scan(hull, d);
}

double abut_hull_support_bound(const abut_hull *hull, abut_vec3 d, uint32_t start)
{
    (void)start;
    return abut_dot(d, abut_hull_vertex(hull, abut_hull_scan(hull, d))) +
           0x1p-51 * abut_length(d) * hull->size;
}
