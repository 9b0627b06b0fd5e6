/* SPDX-License-Identifier: MIT */
/* Shapes that a few numbers describe. Sizes are positive and finite; a zero size would be a
 * shape of lower dimension, for which "penetrating" has no meaning, and belongs to `convex`.
 * Bounds are exact, or rounded outward where a sum is inexact. */
#include "math/vec3.h"
#include "shape/shape.h"

static bool is_size(double x)
{
    return x > 0 && isfinite(x);
}

/* Half of a height is an end of the body, so it has to be a double: all but denormal heights
 * have one. */
static bool is_height(double x)
{
    return is_size(x) && x >= 0x1p-1021;
}

static abut_aabb symmetric_box(double x, double y, double z)
{
    return (abut_aabb){ { -x, -y, -z }, { x, y, z } };
}

/* A shape of that type, or NULL with the status set. */
static abut_shape *begin(abut_shape_type type, bool valid, const abut_allocator *alloc, abut_shape **out,
                         abut_status *status)
{
    abut_shape *shape = NULL;
    if (!out || !valid)
        *status = ABUT_ERR_ARGUMENT;
    else if (!(shape = abut_shape_new(type, alloc)))
        *status = ABUT_ERR_MEMORY;
    else
        *status = ABUT_OK;
    if (out)
        *out = shape;
    return shape;
}

abut_status abut_shape_create_sphere(double radius, const abut_allocator *alloc, abut_shape **out)
{
    abut_status status;
    abut_shape *shape = begin(ABUT_SHAPE_SPHERE, is_size(radius), alloc, out, &status);
    if (shape) {
        shape->u.sphere.radius = radius;
        shape->bounds = symmetric_box(radius, radius, radius);
        abut_core_set(shape);
    }
    return status;
}

abut_status abut_shape_create_box(abut_vec3 half, const abut_allocator *alloc, abut_shape **out)
{
    abut_status status;
    abut_shape *shape =
        begin(ABUT_SHAPE_BOX, is_size(half.x) && is_size(half.y) && is_size(half.z), alloc, out, &status);
    if (shape) {
        shape->u.box.half = half;
        shape->bounds = symmetric_box(half.x, half.y, half.z);
        abut_core_set(shape);
    }
    return status;
}

abut_status abut_shape_create_capsule(double radius, double height, const abut_allocator *alloc,
                                      abut_shape **out)
{
    abut_status status;
    abut_shape *shape =
        begin(ABUT_SHAPE_CAPSULE, is_size(radius) && (height == 0 || is_height(height)), alloc, out, &status);
    if (shape) {
        shape->u.round.radius = radius;
        shape->u.round.height = fabs(height);
        shape->bounds = symmetric_box(
            radius, radius, abut_shape_add_up(radius, abut_shape_mul_up(shape->u.round.height, 0.5)));
        abut_core_set(shape);
    }
    return status;
}

static abut_status create_round(abut_shape_type type, double radius, double height,
                                const abut_allocator *alloc, abut_shape **out)
{
    abut_status status;
    abut_shape *shape = begin(type, is_size(radius) && is_height(height), alloc, out, &status);
    if (shape) {
        shape->u.round.radius = radius;
        shape->u.round.height = height;
        shape->bounds = symmetric_box(radius, radius, abut_shape_mul_up(height, 0.5));
        abut_core_set(shape);
    }
    return status;
}

abut_status abut_shape_create_cylinder(double radius, double height, const abut_allocator *alloc,
                                       abut_shape **out)
{
    return create_round(ABUT_SHAPE_CYLINDER, radius, height, alloc, out);
}

abut_status abut_shape_create_cone(double radius, double height, const abut_allocator *alloc,
                                   abut_shape **out)
{
    return create_round(ABUT_SHAPE_CONE, radius, height, alloc, out);
}

abut_status abut_shape_create_ellipsoid(abut_vec3 radii, const abut_allocator *alloc, abut_shape **out)
{
    abut_status status;
    abut_shape *shape = begin(ABUT_SHAPE_ELLIPSOID, is_size(radii.x) && is_size(radii.y) && is_size(radii.z),
                              alloc, out, &status);
    if (shape) {
        shape->u.ellipsoid.radii = radii;
        shape->bounds = symmetric_box(radii.x, radii.y, radii.z);
        abut_core_set(shape);
    }
    return status;
}

abut_status abut_shape_create_torus(double major, double minor, const abut_allocator *alloc, abut_shape **out)
{
    abut_status status;
    abut_shape *shape =
        begin(ABUT_SHAPE_TORUS, is_size(major) && is_size(minor) && major > minor, alloc, out, &status);
    if (shape) {
        shape->u.torus.major = major;
        shape->u.torus.minor = minor;
        const double reach = abut_shape_add_up(major, minor);
        shape->bounds = symmetric_box(reach, reach, minor);
    }
    return status;
}

abut_status abut_shape_create_halfspace(abut_vec3 normal, double offset, const abut_allocator *alloc,
                                        abut_shape **out)
{
    abut_status status;
    abut_shape *shape =
        begin(ABUT_SHAPE_HALFSPACE, abut_is_finite3(normal) && abut_max_norm(normal) > 0 && isfinite(offset),
              alloc, out, &status);
    if (shape) {
        shape->u.halfspace.normal = normal;
        shape->u.halfspace.offset = offset;
        shape->bounds = symmetric_box(INFINITY, INFINITY, INFINITY);
    }
    return status;
}
