/* SPDX-License-Identifier: MIT */
/* Bounding volumes of CAD solids (extrude, revolve, solid): farthest distances, extents, the smallest
 * enclosing ball and a small enclosing box, all certified to contain the solid. After Schoemer,
 * Reichel, Warken 2002, section 4. Other shapes are ABUT_ERR_UNSUPPORTED. */
#ifndef ABUT_SOLID_BOUNDS_H
#define ABUT_SOLID_BOUNDS_H

#include "abut/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The greatest distance of a point of the solid from `from`, enclosed, and a point of the solid that has
 * the lower one (NULL: not wanted). */
ABUT_API abut_status abut_solid_farthest(const abut_shape *shape, abut_vec3 from, abut_interval *distance,
                                         abut_vec3 *point);
/* The least and the greatest product of a point of the solid with the direction, which is not zero, over
 * its length; enclosed. */
ABUT_API abut_status abut_solid_extent(const abut_shape *shape, abut_vec3 direction, abut_interval *least,
                                       abut_interval *greatest);

typedef struct abut_solid_ball {
    abut_vec3 center;
    double radius;        /* the ball contains the solid */
    double least;         /* no smaller ball than this one does */
    uint64_t evaluations; /* of the farthest distance */
} abut_solid_ball;

/* The smallest enclosing ball, a convex problem: radius and least agree to 1e-9 of the radius and twice the
 * tolerance. */
ABUT_API abut_status abut_solid_enclosing_ball(const abut_shape *shape, abut_solid_ball *out);

typedef struct abut_solid_obb {
    abut_vec3 center;
    abut_vec3 axis[3]; /* orthonormal up to rounding, which `half` covers */
    abut_vec3 half;
    double volume;
    uint64_t evaluations; /* of boxes */
    int starts, minima;   /* directions that were tried, and how many improved on those before */
} abut_solid_obb;

/* A small enclosing box: the best local minimum of the volume from several starts. Without NLopt only the
 * starts themselves are tried. */
ABUT_API abut_status abut_solid_enclosing_box(const abut_shape *shape, abut_solid_obb *out);

#ifdef __cplusplus
}
#endif

#endif
