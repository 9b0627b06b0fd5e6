/* SPDX-License-Identifier: MIT */
/* Curved bodies: solvers that use curvature, and what curvature proves. Pairs, answers and signs are those of convex.h; derivations are in
 * docs/notes/curved-pairs.md. */
#ifndef ABUT_NARROW_REFINE_H
#define ABUT_NARROW_REFINE_H

#include "narrow/convex.h"

/* ---- solvers (curved_ellipsoid.c, refine.c) ---- */

/* Two ellipsoids: 1 when the cores' gap is proved > limit >= 0, -1 when proved < limit, 0 where it is too close to tell. The enclosure in *out is
 * certified whatever is returned; normal and points only where they were needed. */
int abut_ellipsoid_compare(const abut_convex_pair *pair, double limit, abut_convex_answer *out);
/* Two ellipsoids, or an ellipsoid and a point; axis: a direction thought to part them, or NULL. True when the enclosure is certified, as narrow as doubles allow and lo > 0. Otherwise *out
 * holds a coarser one, certified all the same: hi < 0 where they were proved to overlap. */
bool abut_ellipsoid_distance(const abut_convex_pair *pair, const abut_vec3 *axis, abut_convex_answer *out);
/* Any pair but two polytopes: from *axis (or, for NULL, the line of centres), when that parts the cores. True when the enclosure is as narrow as
 * doubles allow; false, mostly at once, where it is not, and *out holds what is certified all the same. */
bool abut_curved_distance(const abut_convex_pair *pair, const abut_vec3 *axis, abut_convex_answer *out);
/* The same for a pair that GJK left in doubt: from what it found and from the line of centres. The gap may be of either sign, but about 0. */
bool abut_curved_settle(const abut_convex_pair *pair, abut_convex_answer *out);
/* Cores that overlap: climbs from out->normal to the nearest local maximum of s(n), that is, a locally least depth. Raises out->lo where the
 * climb did and sets normal and points with it; out->hi is left alone. True when lo got better or the normal was found stationary. */
bool abut_convex_refine_depth(const abut_convex_pair *pair, abut_convex_answer *out);

/* ---- curvature (curved_measure.c) ---- */

/* Second derivatives of the support function h of a core at unit n, in the tangent basis: out = { h_11, h_12, h_22 }, the radii of curvature
 * for bodies smooth there. Zero for corners, edges and faces (where h has no second derivative) and user's bodies. Plain doubles. */
void abut_core_curvature(const abut_core *core, abut_vec3 n, const abut_vec3 basis[2], double out[3]);
/* Certified: wherever the core has an outward unit normal within `angle` of n, its smallest radius of curvature is at least this. 0 for bodies
 * that are not smooth. */
double abut_core_curvature_least(const abut_core *core, abut_vec3 n, double angle);
/* Certified: a ball of this radius rolls freely inside the core (Blaschke): the core is a smaller convex body swept by such a ball. */
double abut_core_rolling_ball(const abut_core *core);

#endif
