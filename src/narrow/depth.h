/* SPDX-License-Identifier: MIT */
/* Ways to the depth that need no polytope: tried first by abut_convex_depth. */
#ifndef ABUT_NARROW_DEPTH_H
#define ABUT_NARROW_DEPTH_H

#include "narrow/convex.h"

/* depth_ellipsoid.c: two ellipsoids, or one and a point. True when the depth is enclosed; otherwise nothing is written but the work done and, in
 * *normal, the direction of a locally least depth (zero where none was found). */
bool abut_depth_of_ellipsoids(const abut_convex_pair *pair, abut_convex_answer *out, abut_vec3 *normal);

#endif
