/* SPDX-License-Identifier: MIT */
/* Shapes given as lists of numbers: point sets, polyhedra, height fields; meshes are in mesh.c.
 * Everything is checked before anything is kept, and copied: the caller's arrays may go. An
 * error names the first offending element and what is allowed. */
#include "math/vec3.h"
#include "shape/arrays.h"
#include "shape/connect.h"
#include "shape/heightfield.h"

#include <float.h>
#include <inttypes.h>

/* A vertex may lie off the plane of its polygon by this part of the solid's largest extent. Text
 * files carry six or more digits of coordinates as large as the solid, so exact coplanarity
 * would refuse nearly every polygon with more than three corners; a corner further off than the
 * sixth digit is a modelling error that the user should hear of. */
static const double planarity = 1e-6;

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

/* Corners in range, at least three of them distinct, no two neighbours equal (a vertex may come
 * twice, as on both sides of a slit that leads to a hole). */
static abut_status check_face(const uint32_t *corners, size_t count, size_t face, size_t vertex_count,
                              abut_error *error)
{
    if (count < 3)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)face,
                              "face %zu has %zu corners, fewer than 3", face, count);
    for (size_t i = 0; i < count; ++i) {
        if (corners[i] >= vertex_count)
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)face,
                                  "face %zu names vertex %" PRIu32
                                  ", but there are only %zu (counted from 0)",
                                  face, corners[i], vertex_count);
        if (corners[i] == corners[(i + 1) % count])
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)face,
                                  "face %zu names vertex %" PRIu32 " twice in a row", face, corners[i]);
    }
    for (size_t i = 2; i < count; ++i)
        if (corners[i] != corners[0] && corners[i] != corners[1])
            return ABUT_OK;
    return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)face, "face %zu has only two distinct corners",
                          face);
}

/* The sum of cross products is twice the polygon's area vector for any polygon, concave or slit
 * (Newell). Coordinates are taken relative to a corner and in units of the solid's size, so that
 * nothing overflows and no digits are lost far from the origin. */
static abut_status check_planar(const abut_faceted_data *mesh, size_t face, double size, abut_error *error)
{
    const size_t begin = abut_face_begin(mesh, face), count = abut_face_end(mesh, face) - begin;
    const abut_vec3 at = mesh->vertices[mesh->corners[begin]];
    abut_vec3 area = { 0, 0, 0 }, before = { 0, 0, 0 };
    double magnitude = 0;
    for (size_t i = 1; i < count; ++i) {
        const abut_vec3 v = mesh->vertices[mesh->corners[begin + i]];
        const abut_vec3 p = { v.x / size - at.x / size, v.y / size - at.y / size, v.z / size - at.z / size };
        area = abut_add(area, abut_cross(before, p));
        magnitude += abut_length(before) * abut_length(p);
        before = p;
    }
    const double length = abut_length(area);
    if (!(length > (double)count * 4e-16 * magnitude))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)face,
                              "face %zu has no area: its corners lie on a line", face);
    for (size_t i = 1; i < count; ++i) {
        const abut_vec3 v = mesh->vertices[mesh->corners[begin + i]];
        const abut_vec3 p = { v.x / size - at.x / size, v.y / size - at.y / size, v.z / size - at.z / size };
        const double off = fabs(abut_dot(area, p)) / length;
        if (off > planarity)
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)face,
                                  "face %zu is not planar: vertex %" PRIu32 " is %g off the plane, and the "
                                  "limit is %g (%g of the solid's size)",
                                  face, mesh->corners[begin + i], off * size, planarity * size, planarity);
    }
    return ABUT_OK;
}

abut_status abut_shape_create_polyhedron(const abut_vec3 *vertices, size_t vertex_count,
                                         const uint32_t *face_sizes, size_t face_count,
                                         const uint32_t *indices, size_t index_count,
                                         const abut_allocator *alloc, abut_shape **out, abut_error *error)
{
    abut_base_clear(error);
    if (!out)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "nowhere to put the shape");
    *out = NULL;
    if (!vertices || !face_sizes || !indices || vertex_count == 0 || face_count == 0)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "a polyhedron needs vertices and faces");
    if (face_count > ABUT_MOST_FACES || index_count > ABUT_MOST_CORNERS)
        return abut_base_fail(error, ABUT_ERR_LIMIT, -1,
                              "%zu faces with %zu corners are more than the %zu and %zu allowed", face_count,
                              index_count, ABUT_MOST_FACES, ABUT_MOST_CORNERS);
    abut_aabb box;
    abut_status status = abut_check_points(vertices, vertex_count, "vertex", &box, error);
    size_t used = 0;
    for (size_t i = 0; !status && i < face_count; ++i) {
        if (face_sizes[i] > index_count - used)
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)i,
                                  "face %zu has %" PRIu32 " corners, but only %zu indices are left", i,
                                  face_sizes[i], index_count - used);
        status = check_face(indices + used, face_sizes[i], i, vertex_count, error);
        used += face_sizes[i];
    }
    if (!status && used != index_count)
        status =
            abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "%zu indices belong to no face", index_count - used);
    if (status)
        return status;

    abut_shape *shape = abut_shape_new(ABUT_SHAPE_POLYHEDRON, alloc);
    if (!shape)
        return abut_base_fail_memory(error);
    abut_faceted_data *mesh = &shape->u.faceted;
    mesh->vertex_count = vertex_count;
    mesh->face_count = face_count;
    mesh->corner_count = index_count;
    mesh->solid = true;
    mesh->vertices = abut_copy_items(&shape->alloc, vertices, vertex_count, sizeof *vertices);
    mesh->corners = abut_copy_items(&shape->alloc, indices, index_count, sizeof *indices);
    mesh->face_starts = abut_base_alloc(&shape->alloc, face_count + 1, sizeof *mesh->face_starts);
    if (!mesh->vertices || !mesh->corners || !mesh->face_starts)
        return abut_shape_fail(shape, abut_base_fail_memory(error));
    mesh->face_starts[0] = 0;
    for (size_t i = 0; i < face_count; ++i)
        mesh->face_starts[i + 1] = mesh->face_starts[i] + face_sizes[i];
    shape->bounds = box;
    const double size = fmin(abut_max_norm(abut_sub(shape->bounds.hi, shape->bounds.lo)), DBL_MAX);
    for (size_t i = 0; !status && i < face_count; ++i)
        status = check_planar(mesh, i, size, error);
    if (!status)
        status = abut_shape_connect(mesh, &shape->bounds, &shape->alloc, error);
    if (status)
        return abut_shape_fail(shape, status);
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
