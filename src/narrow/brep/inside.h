/* SPDX-License-Identifier: MIT */
/* Explicit solids and hulls: faces, cells, membership. */
#ifndef ABUT_NARROW_BREP_INSIDE_H
#define ABUT_NARROW_BREP_INSIDE_H

#include "narrow/brep/brep.h"

/* As abut_brep_side. */
int abut_brep_explicit_side(const abut_solid *solid, abut_vec3 p, double slack);
/* Signed distance from the planes of a hull. */
double abut_brep_hull_distance(const abut_shape *shape, abut_vec3 p);
/* p in the solid's frame. */
bool abut_brep_explicit_on_face(const abut_solid *solid, uint32_t face, abut_vec3 p);
bool abut_brep_explicit_trim(const abut_brep_body *body, const abut_part *placed, double slack,
                             abut_cell *cell);

/* All t at which the line at + t along crosses the part's surface, ascending; -1 where the line touches
 * it, or runs in it, as far as doubles tell. */
int abut_brep_line_roots(const abut_part *part, abut_vec3 at, abut_vec3 along, double t[4]);

#endif
