/* SPDX-License-Identifier: MIT */
/* Membership in explicit solids, proved for every solid within the tolerance. */
#ifndef ABUT_SOLID_MEMBER_H
#define ABUT_SOLID_MEMBER_H

#include "solid/solid.h"

/* Where the points within `slack` of p (in the solid's frame) are: -1 all inside, 1 all outside, 0
 * undecided. */
int abut_member_side(const abut_solid *solid, abut_vec3 p, double slack);
/* Lower bound of the distance of p from the boundary, at most `most`; distances below `least` are not told
 * apart from 0. */
double abut_member_clearance(const abut_solid *solid, abut_vec3 p, double most, double least);
/* Whether all faces are turned outward, by rays from outside, which enter and leave the material in turn.
 * Needs the features. An error names a face that is turned the wrong way, or of which it is not decided. */
abut_status abut_member_check_orientation(const abut_solid *solid, abut_workspace *keep, abut_error *error);

#endif
