/* SPDX-License-Identifier: MIT */
/* Convex shapes made of few points, of other shapes, or of a function of the user.
 *
 * Margins of shapes swept again and again add up, each sum rounded up: the body is the one with
 * that sum, at most an ulp per sweep larger than the margins say. */
#include "math/nearest.h"
#include "math/vec3.h"
#include "shape/shape.h"

#include <float.h>

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
    if (corners)
        return abut_shape_create_convex(corners, 3, margin, alloc, out, error);
    if (out)
        *out = NULL;
    return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "a triangle needs three corners");
}

static abut_aabb grown(const abut_aabb *box, double margin)
{
    return (abut_aabb){ { -abut_shape_add_up(-box->lo.x, margin), -abut_shape_add_up(-box->lo.y, margin),
                          -abut_shape_add_up(-box->lo.z, margin) },
                        { abut_shape_add_up(box->hi.x, margin), abut_shape_add_up(box->hi.y, margin),
                          abut_shape_add_up(box->hi.z, margin) } };
}

static ABUT_MATH_NOINLINE void set_swept(abut_shape *shape, abut_shape *of, double margin)
{
    /* Of a swept shape only what it sweeps is kept, so that no chain gets long. */
    const bool again = of->type == ABUT_SHAPE_SWEPT;
    shape->u.swept.of = abut_shape_retain(again ? of->u.swept.of : of);
    shape->u.swept.margin = again ? abut_shape_add_up(of->u.swept.margin, margin) : margin;
    shape->bounds = grown(&of->bounds, margin);
    abut_core_set(shape);
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
    if (of->core.radius + margin > DBL_MAX / 2)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "the margins add up to more than %g",
                              DBL_MAX / 2);
    abut_shape *shape = abut_shape_new(ABUT_SHAPE_SWEPT, alloc);
    if (!shape)
        return abut_base_fail_memory(error);
    const abut_nearest saved = abut_nearest_enter();
    set_swept(shape, of, margin);
    abut_nearest_leave(saved);
    *out = shape;
    return ABUT_OK;
}

/* ---- bodies given by a function ---- */

/* The axes, first; the other directions from the centre of a cube to its edges and corners; some
 * that have nothing to do with those, and two that are long and short. */
enum { TRIED = 36, AXES = 6 };
static const abut_vec3 tried[TRIED] = {
    { 1, 0, 0 },           { -1, 0, 0 },        { 0, 1, 0 },         { 0, -1, 0 },       { 0, 0, 1 },
    { 0, 0, -1 },          { 1, 1, 0 },         { 1, -1, 0 },        { -1, 1, 0 },       { -1, -1, 0 },
    { 1, 0, 1 },           { 1, 0, -1 },        { -1, 0, 1 },        { -1, 0, -1 },      { 0, 1, 1 },
    { 0, 1, -1 },          { 0, -1, 1 },        { 0, -1, -1 },       { 1, 1, 1 },        { 1, 1, -1 },
    { 1, -1, 1 },          { 1, -1, -1 },       { -1, 1, 1 },        { -1, 1, -1 },      { -1, -1, 1 },
    { -1, -1, -1 },        { 0.9, 0.3, 0.2 },   { -0.2, 0.9, -0.3 }, { 0.3, -0.2, 0.9 }, { -0.8, -0.5, 0.1 },
    { 0.1, -0.8, -0.5 },   { -0.5, 0.1, -0.8 }, { 0.6, -0.7, 0.4 },  { 1e-5, -1, 1e-3 }, { 3e4, 2e4, -5e4 },
    { -7e-5, 2e-5, 4e-5 },
};

#define DIRECTION        "(%g, %g, %g)"
#define DIRECTION_OF(i_) tried[i_].x, tried[i_].y, tried[i_].z

/* For points within e = def->error of a body whose values are missed by e at most, d_j . p_i <=
 * d_j . p_j + 2 e |d_j|. A body that states no error is still granted 16 u of its radius for
 * rounding, which the solvers grant as well. */
static ABUT_MATH_NOINLINE abut_status try_support(const abut_support_def *def, abut_vec3 p[TRIED],
                                                  abut_error *error)
{
    const double slack = 16 * 0x1p-53 * def->radius;
    for (int i = 0; i < TRIED; ++i) {
        p[i] = abut_v3(0, 0, 0);
        def->support(def->ctx, &tried[i], &p[i]);
        if (!abut_is_finite3(p[i]))
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, i,
                                  "the support point for the direction " DIRECTION " is not finite",
                                  DIRECTION_OF(i));
        if (abut_length(p[i]) > def->radius + def->error + slack)
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, i,
                                  "the support point for the direction " DIRECTION
                                  " is %g from the origin, beyond the radius %g",
                                  DIRECTION_OF(i), abut_length(p[i]), def->radius);
    }
    for (int i = 0; i < AXES; ++i) {
        abut_vec3 again = { 0, 0, 0 };
        def->support(def->ctx, &tried[i], &again);
        if (again.x != p[i].x || again.y != p[i].y || again.z != p[i].z)
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, i,
                                  "asked again for the direction " DIRECTION
                                  ", the support function gives another point",
                                  DIRECTION_OF(i));
    }
    for (int j = 0; j < TRIED; ++j) {
        const double length = abut_length(tried[j]);
        for (int i = 0; i < TRIED; ++i) {
            const double further = abut_dot(tried[j], abut_sub(p[i], p[j])) / length;
            if (further > 2 * def->error + slack)
                return abut_base_fail(error, ABUT_ERR_ARGUMENT, j,
                                      "no convex body answers so: along " DIRECTION
                                      " the point for " DIRECTION
                                      " is further by %g than the support point, and the stated error is %g",
                                      DIRECTION_OF(j), DIRECTION_OF(i), further, def->error);
        }
    }
    return ABUT_OK;
}

/* What the axes' points and the radius say together. */
static ABUT_MATH_NOINLINE abut_aabb support_bounds(const abut_support_def *def, const abut_vec3 p[TRIED])
{
    const double r = def->radius, e = def->error;
    const double hi[3] = { abut_shape_add_up(p[0].x, e), abut_shape_add_up(p[2].y, e),
                           abut_shape_add_up(p[4].z, e) };
    const double lo[3] = { -abut_shape_add_up(-p[1].x, e), -abut_shape_add_up(-p[3].y, e),
                           -abut_shape_add_up(-p[5].z, e) };
    double box[2][3];
    for (int k = 0; k < 3; ++k) { /* rounding may have turned a flat one over */
        box[0][k] = fmax(fmin(lo[k], hi[k]), -r);
        box[1][k] = fmin(fmax(lo[k], hi[k]), r);
    }
    return (abut_aabb){ { box[0][0], box[0][1], box[0][2] }, { box[1][0], box[1][1], box[1][2] } };
}

abut_status abut_shape_create_support(const abut_support_def *def, const abut_allocator *alloc,
                                      abut_shape **out, abut_error *error)
{
    abut_base_clear(error);
    if (!out)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "nowhere to put the shape");
    *out = NULL;
    if (!def || !def->support)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "a support shape needs a function");
    if (!(def->error >= 0) || isinf(def->error))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "the error must be finite and not negative");
    if (!(def->radius > 0) || !(def->radius <= DBL_MAX / 8))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "the radius must be positive and at most %g",
                              DBL_MAX / 8);
    abut_vec3 p[TRIED];
    const abut_nearest saved = abut_nearest_enter();
    const abut_status status = try_support(def, p, error);
    abut_aabb bounds = { { 0, 0, 0 }, { 0, 0, 0 } };
    if (!status)
        bounds = support_bounds(def, p);
    abut_nearest_leave(saved);
    if (status)
        return status;
    abut_shape *shape = abut_shape_new(ABUT_SHAPE_SUPPORT, alloc);
    if (!shape)
        return abut_base_fail_memory(error);
    shape->u.support.def = *def;
    shape->bounds = bounds;
    abut_core_set(shape);
    *out = shape;
    return ABUT_OK;
}
