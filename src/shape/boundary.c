/* SPDX-License-Identifier: MIT */
/* The surface of each shape that has one. */
#include "shape/shape.h"
#include "surface/surface.h"

abut_status abut_shape_surface(const abut_shape *shape, abut_workspace *ws, abut_surface *out)
{
    (void)shape;
    (void)ws;
    *out = (abut_surface){ .feature_count = 0 };
    return ABUT_ERR_UNSUPPORTED;
}
