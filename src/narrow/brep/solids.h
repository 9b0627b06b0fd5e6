/* SPDX-License-Identifier: MIT */
/* Pairs with a CAD solid. */
#ifndef ABUT_NARROW_BREP_SOLIDS_H
#define ABUT_NARROW_BREP_SOLIDS_H

#include "narrow/brep/brep.h"

/* A solid against a solid or any body with features, in either order. */
abut_status abut_narrow_solids(const abut_pair *pair, abut_workspace *ws, abut_check_result *out);
/* Bound of all that rounding, placements and tolerances change; b's place in a is `map`. */
double abut_solids_slack(const abut_pair *pair, const abut_brep_body body[2], const abut_affine *map);

/* A point of the boundary of the body, on a trimmed face, in its own frame. */
bool abut_brep_boundary_point(const abut_brep_body *body, const abut_part *part, abut_vec3 *out);

#endif
