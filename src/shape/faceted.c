/* SPDX-License-Identifier: MIT */
/* Shapes given as lists of numbers: point sets, height fields; meshes are in mesh.c,
 * polyhedra in polyhedron.c.
 * Everything is checked before anything is kept, and copied: the caller's arrays may go. An
 * error names the first offending element and what is allowed. */
#include "math/vec3.h"
#include "shape/arrays.h"
#include "shape/heightfield.h"

abut_status abut_shape_create_convex(const abut_vec3 *points, size_t point_count, double margin,
                                     const abut_allocator *alloc, abut_shape **out, abut_error *error)
{
    abut_base_clear(error);
    if (!out)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "nowhere to put the shape");
    *out = NULL;
    if (!points || point_count == 0)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "a convex shape needs at least one point");
    if (!(margin >= 0) || isinf(margin))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "the margin must be finite and not negative");
    abut_aabb box;
    const abut_status status = abut_check_points(points, point_count, "point", &box, error);
    if (status)
        return status;

    abut_shape *shape = abut_shape_new(ABUT_SHAPE_CONVEX, alloc);
    if (!shape)
        return abut_base_fail_memory(error);
    shape->u.convex.margin = margin;
    shape->u.convex.point_count = point_count;
    shape->u.convex.points = abut_copy_items(&shape->alloc, points, point_count, sizeof *points);
    if (!shape->u.convex.points)
        return abut_shape_fail(shape, abut_base_fail_memory(error));
    abut_status hull_status;
    shape->u.convex.hull = abut_hull_create(points, point_count, &shape->alloc, &hull_status, error);
    if (!shape->u.convex.hull)
        return abut_shape_fail(shape, hull_status);
    abut_core_set(shape);
    shape->bounds.lo = abut_v3(-abut_shape_add_up(-box.lo.x, margin), -abut_shape_add_up(-box.lo.y, margin),
                               -abut_shape_add_up(-box.lo.z, margin));
    shape->bounds.hi = abut_v3(abut_shape_add_up(box.hi.x, margin), abut_shape_add_up(box.hi.y, margin),
                               abut_shape_add_up(box.hi.z, margin));
    *out = shape;
    return ABUT_OK;
}

abut_status abut_shape_create_heightfield(size_t columns, size_t rows, double dx, double dy,
                                          const double *heights, const abut_allocator *alloc,
                                          abut_shape **out, abut_error *error)
{
    abut_base_clear(error);
    if (!out)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "nowhere to put the shape");
    *out = NULL;
    if (columns < 2 || rows < 2 || !heights)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1,
                              "a height field needs at least 2 columns and 2 rows");
    if (columns > ABUT_MOST_VERTICES / rows)
        return abut_base_fail(error, ABUT_ERR_LIMIT, -1, "%zu columns of %zu rows are more than %zu heights",
                              columns, rows, ABUT_MOST_VERTICES);
    if (!(dx > 0) || !(dy > 0) || isinf(dx) || isinf(dy))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "the spacing must be positive and finite");
    if (fmin(dx, dy) < ABUT_FIELD_LEAST || (double)(columns - 1) * dx > ABUT_FIELD_MOST ||
        (double)(rows - 1) * dy > ABUT_FIELD_MOST)
        return abut_base_fail(
            error, ABUT_ERR_VALUE, -1,
            "the spacing of a height field must be at least 2^-505 (9.6e-153), and its width at "
            "most 2^505 (1.04e152)");
    double highest = -INFINITY;
    for (size_t i = 0; i < columns * rows; ++i) {
        if (!isfinite(heights[i]))
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)i, "height %zu is not finite", i);
        if (fabs(heights[i]) > ABUT_FIELD_MOST)
            return abut_base_fail(
                error, ABUT_ERR_VALUE, (int64_t)i,
                "height %zu is larger than 2^505 (1.04e152), the most that a field may have", i);
        highest = fmax(highest, heights[i]);
    }
    abut_shape *shape = abut_shape_new(ABUT_SHAPE_HEIGHTFIELD, alloc);
    if (!shape)
        return abut_base_fail_memory(error);
    shape->u.heightfield = (abut_heightfield_data){ columns, rows, dx, dy, NULL, NULL };
    shape->u.heightfield.heights = abut_copy_items(&shape->alloc, heights, columns * rows, sizeof *heights);
    if (!shape->u.heightfield.heights || !abut_heightfield_build(&shape->u.heightfield, &shape->alloc))
        return abut_shape_fail(shape, abut_base_fail_memory(error));
    const double x = abut_shape_mul_up(abut_shape_mul_up((double)(columns - 1), dx), 0.5);
    const double y = abut_shape_mul_up(abut_shape_mul_up((double)(rows - 1), dy), 0.5);
    shape->bounds = (abut_aabb){ { -x, -y, -INFINITY }, { x, y, highest } };
    *out = shape;
    return ABUT_OK;
}
