/* SPDX-License-Identifier: MIT */
/* Curved bodies: solvers that use curvature. Pairs, answers and signs are those of convex.h;
 * derivations are in docs/notes/curved-pairs.md. */
#ifndef ABUT_NARROW_DISTANCE_REFINE_H
#define ABUT_NARROW_DISTANCE_REFINE_H

#include "narrow/distance/convex.h"

/* ---- solvers (curved_ellipsoid.c, curved_cylinders.c, refine.c) ---- */

/* Two ellipsoids: 1 when the cores' gap is proved > limit >= 0, -1 when proved < limit, 0 where
 * it is too close to tell. The enclosure in *out is certified whatever is returned; normal and
 * points only where they were needed. */
int abut_ellipsoid_compare(const abut_convex_pair *pair, double limit, abut_convex_answer *out);
/* Two ellipsoids, or an ellipsoid and a point; axis: a direction thought to part them, or NULL.
 * True when the enclosure is certified, as narrow as doubles allow and lo > 0. Otherwise *out
 * holds a coarser one, certified all the same: hi < 0 where they were proved to overlap. */
bool abut_ellipsoid_distance(const abut_convex_pair *pair, const abut_vec3 *axis, abut_convex_answer *out);
/* Cylinders and cones: from *axis (or, for NULL, the line of centres where that parts them). As
 * abut_curved_distance; false with hi < 0 where they were proved to overlap, and otherwise with
 * nothing but the work done and a direction to go on from. */
bool abut_cylinders_distance(const abut_convex_pair *pair, const abut_vec3 *axis, abut_convex_answer *out);
/* curved_axis.c: the point of a core nearest to q, in its frame, to rounding; false where there
 * is no formula. */
bool abut_curved_nearest(const abut_core *core, abut_vec3 q, abut_vec3 *p);
/* curved_axis.c: a better direction than d, which points nearly along the axis of a cylinder or
 * cone at a cap. q, bend: the other body's point and second derivatives along x and y, in the
 * frame of the core; s: what there is along d. */
abut_vec3 abut_curved_about_axis(const abut_core *core, abut_vec3 d, abut_vec3 q, const double bend[3],
                                 double s);
/* Any pair but two polytopes: from *axis (or, for NULL, the line of centres), when that parts
 * the cores. True when the enclosure is as narrow as doubles allow; false, mostly at once, where
 * it is not, and *out holds what is certified all the same. */
bool abut_curved_distance(const abut_convex_pair *pair, const abut_vec3 *axis, abut_convex_answer *out);
/* The same for a pair that GJK left undecided: from what it found and from the line of centres.
 * The gap may be of either sign, but about 0. */
bool abut_curved_decide(const abut_convex_pair *pair, abut_convex_answer *out);
/* Cores that overlap: climbs from out->normal to the nearest local maximum of s(n), that is, a
 * locally least depth. Raises out->lo where the climb did and sets normal and points with it;
 * out->hi is left alone. True when lo got better or the normal was found stationary. */
bool abut_convex_refine_depth(const abut_convex_pair *pair, abut_convex_answer *out);
/* The same for cylinders and cones; the second where their caps are known not to be better than
 * out->normal. */
bool abut_cylinders_depth(const abut_convex_pair *pair, abut_convex_answer *out);
bool abut_cylinders_descend(const abut_convex_pair *pair, abut_convex_answer *out);

#endif
