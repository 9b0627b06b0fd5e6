/* SPDX-License-Identifier: MIT */
/* Convex shapes made of few points, of other shapes, or of a function of the user. */
#include "math/vec3.h"
#include "shape/shape.h"

abut_status abut_shape_create_point(abut_vec3 point, double margin, const abut_allocator *alloc,
                                    abut_shape **out, abut_error *error)
{
    return abut_shape_create_convex(&point, 1, margin, alloc, out, error);
}

abut_status abut_shape_create_segment(abut_vec3 from, abut_vec3 to, double margin,
                                      const abut_allocator *alloc, abut_shape **out, abut_error *error)
{
    const abut_vec3 ends[2] = { from, to };
    return abut_shape_create_convex(ends, 2, margin, alloc, out, error);
}

abut_status abut_shape_create_triangle(const abut_vec3 corners[3], double margin, const abut_allocator *alloc,
                                       abut_shape **out, abut_error *error)
{
    return abut_shape_create_convex(corners, corners ? 3 : 0, margin, alloc, out, error);
}

abut_status abut_shape_create_swept(abut_shape *of, double margin, const abut_allocator *alloc,
                                    abut_shape **out, abut_error *error)
{
    abut_base_clear(error);
    if (!out)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "nowhere to put the shape");
    *out = NULL;
    if (!of || of->core.kind == ABUT_CORE_NONE)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "only convex bodies of finite size can be swept");
    if (!(margin >= 0) || isinf(margin))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "the margin must be finite and not negative");
    abut_shape *shape = abut_shape_new(ABUT_SHAPE_SWEPT, alloc);
    if (!shape)
        return abut_base_fail_memory(error);
    shape->u.swept.of = abut_shape_retain(of);
    shape->u.swept.margin = margin;
    const abut_aabb *box = &of->bounds;
    shape->bounds.lo = abut_v3(-abut_shape_add_up(-box->lo.x, margin), -abut_shape_add_up(-box->lo.y, margin),
                               -abut_shape_add_up(-box->lo.z, margin));
    shape->bounds.hi = abut_v3(abut_shape_add_up(box->hi.x, margin), abut_shape_add_up(box->hi.y, margin),
                               abut_shape_add_up(box->hi.z, margin));
    abut_core_set(shape);
    *out = shape;
    return ABUT_OK;
}

abut_status abut_shape_create_support(const abut_support_def *def, const abut_allocator *alloc,
                                      abut_shape **out, abut_error *error)
{
    abut_base_clear(error);
    if (!out)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "nowhere to put the shape");
    *out = NULL;
    if (!def || !def->support || !(def->error >= 0) || !(def->radius > 0) || isinf(def->radius) ||
        isinf(def->error))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1,
                              "a support shape needs a function, an error >= 0 and a radius > 0");
    abut_shape *shape = abut_shape_new(ABUT_SHAPE_SUPPORT, alloc);
    if (!shape)
        return abut_base_fail_memory(error);
    shape->u.support = *def;
    const double r = def->radius;
    shape->bounds = (abut_aabb){ { -r, -r, -r }, { r, r, r } };
    abut_core_set(shape);
    *out = shape;
    return ABUT_OK;
}
