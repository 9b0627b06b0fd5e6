/* SPDX-License-Identifier: MIT */
/* Pairs with a CAD solid. */
#ifndef ABUT_NARROW_BREP_SOLIDS_H
#define ABUT_NARROW_BREP_SOLIDS_H

#include "narrow/pair/pair.h"

/* A solid against a solid or any body with features, in either order. */
abut_status abut_narrow_solids(const abut_pair *pair, abut_workspace *ws, abut_check_result *out);
/* Both bodies hold all points within the result of *point, a point of the world, which is moved to
 * where that is large; 0 where it is not inside both. */
double abut_solids_common_depth(const abut_pair *pair, abut_vec3 *point);

#endif
