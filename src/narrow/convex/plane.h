/* SPDX-License-Identifier: MIT */
/* A convex body against a half-space. */
#ifndef ABUT_NARROW_CONVEX_PLANE_H
#define ABUT_NARROW_CONVEX_PLANE_H

#include "narrow/distance/convex.h"
#include "narrow/quick/quick.h"

/* The axis of the world that the plane of a half-space is across, exactly; -1 where there is
 * none. */
int abut_plane_axis(const abut_shape *halfspace, const abut_place *place);

#endif
