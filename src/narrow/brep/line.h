/* SPDX-License-Identifier: MIT */
/* Lines, points and segments against CAD solids. */
#ifndef ABUT_NARROW_BREP_LINE_H
#define ABUT_NARROW_BREP_LINE_H

#include "narrow/pair/pair.h"

/* Crossings of the line from + t along with the boundary, ascending in t, one for each point. Normals
 * are outward, in the world. At most `capacity` are written; *count is the number of all. */
abut_status abut_solids_cast(const abut_shape *shape, const abut_place *place, abut_vec3 from,
                             abut_vec3 along, bool all, abut_ray_hit *out, size_t capacity, size_t *count);
/* Where a point of the world is: everything but from, to and point. What is within rounding of the
 * boundary is on it where the placement is exact, and unknown elsewhere. */
abut_piece abut_solids_classify(const abut_shape *shape, const abut_place *place, abut_vec3 point);

#endif
