/* SPDX-License-Identifier: MIT */
/* Surfaces that shapes keep. */
#ifndef ABUT_SHAPE_BOUNDARY_H
#define ABUT_SHAPE_BOUNDARY_H

#include "shape/shape.h"

/* Makes the surface of an implicit or csg shape at shape->surface, in shape->keep. */
abut_status abut_shape_keep_csg(abut_shape *shape, abut_error *error);

#endif
