/* SPDX-License-Identifier: MIT */
/* The surface of each shape that has one. */
#include "shape/shape.h"
#include "surface/body.h"

abut_status abut_shape_surface(const abut_shape *shape, abut_workspace *ws, abut_surface *out)
{
    *out = (abut_surface){ .feature_count = 0 };
    switch (shape->type) {
    case ABUT_SHAPE_SPHERE: return abut_surface_sphere(shape->u.sphere.radius, ws, out);
    case ABUT_SHAPE_BOX: return abut_surface_box(shape->u.box.half, ws, out);
    case ABUT_SHAPE_CAPSULE:
        return abut_surface_capsule(shape->u.round.radius, shape->u.round.height, ws, out);
    case ABUT_SHAPE_CYLINDER:
        return abut_surface_cylinder(shape->u.round.radius, shape->u.round.height, ws, out);
    case ABUT_SHAPE_CONE: return abut_surface_cone(shape->u.round.radius, shape->u.round.height, ws, out);
    case ABUT_SHAPE_ELLIPSOID: return abut_surface_ellipsoid(shape->u.ellipsoid.radii, ws, out);
    case ABUT_SHAPE_TORUS: return abut_surface_torus(shape->u.torus.major, shape->u.torus.minor, ws, out);
    case ABUT_SHAPE_HALFSPACE:
        return abut_surface_halfspace(shape->u.halfspace.normal, shape->u.halfspace.offset, ws, out);
    default: return ABUT_ERR_UNSUPPORTED;
    }
}
