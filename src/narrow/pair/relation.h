/* SPDX-License-Identifier: MIT */
/* What the exact proofs share: numbers of cores that are exact along a local axis. */
#ifndef ABUT_NARROW_PAIR_RELATION_H
#define ABUT_NARROW_PAIR_RELATION_H

#include "shape/shape.h"

/* Of a polytope; 0 for round cores. */
static inline uint32_t abut_placed_vertices(const abut_core *core)
{
    switch (core->kind) {
    case ABUT_CORE_POINT: return 1;
    case ABUT_CORE_SEGMENT: return 2;
    case ABUT_CORE_BOX: return 8;
    case ABUT_CORE_HULL: return core->hull->vertex_count;
    default: return 0;
    }
}

/* Furthest local coordinate of the core along sign * local axis i, times that sign: exact. */
static inline double abut_placed_reach(const abut_core *core, int i, double sign)
{
    switch (core->kind) {
    case ABUT_CORE_POINT: return 0;
    case ABUT_CORE_SEGMENT: return i == 2 ? core->h[2] : 0;
    case ABUT_CORE_HULL: {
        double most = -INFINITY;
        for (uint32_t k = 0; k < core->hull->vertex_count; ++k) {
            const double value = sign * abut_part3(abut_core_vertex(core, k), i);
            most = value > most ? value : most;
        }
        return most;
    }
    default: return core->h[i]; /* h[0] = h[1] for round bodies; a cone reaches h[2] both ways */
    }
}

/* The radius of a swept shape is a sum that is rounded up; it is exact when both parts come
 * back. */
static inline bool abut_placed_has_exact_radius(const abut_shape *shape, const abut_core *core)
{
    if (shape->type != ABUT_SHAPE_SWEPT)
        return true;
    const double inner = shape->u.swept.of->core.radius, margin = shape->u.swept.margin;
    return shape->u.swept.of->type != ABUT_SHAPE_SWEPT && core->radius - inner == margin &&
           core->radius - margin == inner;
}

#endif
