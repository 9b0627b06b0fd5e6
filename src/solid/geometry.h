/* SPDX-License-Identifier: MIT */
/* Geometry of explicit solids. */
#ifndef ABUT_SOLID_GEOMETRY_H
#define ABUT_SOLID_GEOMETRY_H

#include "solid/curve.h"

/* Faces and edges as features, and the bounds. */
abut_status abut_solid_make_features(abut_solid *solid, const abut_curves *curves, abut_workspace *keep,
                                     abut_error *error);

#endif
