/* SPDX-License-Identifier: MIT */
/* The vertex of a hull that is furthest along a direction. */
#include "math/vec3.h"
#include "shape/hull.h"

uint32_t abut_hull_scan(const abut_hull *hull, abut_vec3 d)
{
    uint32_t best = 0;
    double most = -INFINITY;
    for (uint32_t i = 0; i < hull->vertex_count; ++i) {
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

bool abut_hull_prepare(abut_hull *hull, const abut_allocator *alloc)
{
    (void)hull;
    (void)alloc;
    return true;
}

void abut_hull_unprepare(abut_hull *hull, const abut_allocator *alloc)
{
    (void)hull;
    (void)alloc;
}
