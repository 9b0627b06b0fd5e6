/* SPDX-License-Identifier: MIT */
/* Triangle meshes: creation, new places for their vertices, what their hierarchies are.
 *
 * A mesh is any list of triangles. Only numbers are checked: finite coordinates, indices in
 * range; cracks, doubles and triangles that are a segment or a point are what they are. A solid
 * one is also proved closed, oriented and turned outward (connect.c). What a mesh is made for is
 * asked often and what joins it is asked seldom, so a surface's edges and every mesh's pieces
 * are found when they are asked for. */
#include "abut/mesh.h"
#include "base/options.h"
#include "bvh/bvh.h"
#include "shape/arrays.h"
#include "shape/connect.h"

#include <inttypes.h>
#include <string.h>

void abut_mesh_opts_init(abut_mesh_opts *opts)
{
    if (opts)
        *opts = (abut_mesh_opts){ .struct_size = sizeof *opts };
}

abut_status abut_shape_create_mesh(const abut_vec3 *vertices, size_t vertex_count, const uint32_t *triangles,
                                   size_t triangle_count, bool solid, const abut_allocator *alloc,
                                   abut_shape **out, abut_error *error)
{
    abut_mesh_opts opts;
    abut_mesh_opts_init(&opts);
    opts.solid = solid;
    return abut_shape_create_mesh_with(vertices, vertex_count, triangles, triangle_count, &opts, alloc, out,
                                       error);
}

static abut_status check_opts(const abut_mesh_opts *opts, abut_error *error)
{
    if ((unsigned)opts->volume >= ABUT_VOLUME_COUNT)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "there is no bounding volume %d",
                              (int)opts->volume);
    if ((unsigned)opts->builder >= ABUT_BUILDER_COUNT)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "there is no builder %d", (int)opts->builder);
    if ((unsigned)opts->covariance >= ABUT_COVARIANCE_COUNT)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "there is no covariance %d",
                              (int)opts->covariance);
    return ABUT_OK;
}

abut_status abut_check_triangles(const uint32_t *triangles, size_t count, size_t vertex_count,
                                 abut_error *error)
{
    if (count > ABUT_MOST_CORNERS / 3)
        return abut_base_fail(error, ABUT_ERR_LIMIT, -1, "%zu triangles are more than the %zu allowed", count,
                              ABUT_MOST_CORNERS / 3);
    uint32_t largest = 0;
    for (size_t i = 0; i < 3 * count; ++i)
        largest = triangles[i] > largest ? triangles[i] : largest;
    if (largest < vertex_count)
        return ABUT_OK;
    size_t i = 0;
    while (triangles[i] < vertex_count)
        ++i;
    return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)(i / 3),
                          "face %zu names vertex %" PRIu32 ", but there are only %zu (counted from 0)", i / 3,
                          triangles[i], vertex_count);
}

static abut_status fill_mesh(abut_shape *shape, const abut_vec3 *vertices, const uint32_t *triangles,
                             const abut_mesh_opts *opts, abut_error *error)
{
    abut_faceted_data *mesh = &shape->u.faceted;
    mesh->vertices = abut_copy_items(&shape->alloc, vertices, mesh->vertex_count, sizeof *vertices);
    mesh->corners = abut_copy_items(&shape->alloc, triangles, mesh->corner_count, sizeof *triangles);
    if (!mesh->vertices || !mesh->corners)
        return abut_base_fail_memory(error);
    if (mesh->solid) {
        const abut_status status = abut_shape_connect(mesh, &shape->bounds, &shape->alloc, error);
        if (status)
            return status;
    }
    const abut_bvh_def tree = { .vertices = mesh->vertices,
                                .triangles = mesh->corners,
                                .vertex_count = mesh->vertex_count,
                                .triangle_count = mesh->face_count,
                                .volume = opts->volume,
                                .builder = opts->builder,
                                .covariance = opts->covariance };
    mesh->tree = abut_bvh_create(&tree, &shape->alloc);
    return mesh->tree ? ABUT_OK : abut_base_fail_memory(error);
}

abut_status abut_shape_create_mesh_with(const abut_vec3 *vertices, size_t vertex_count,
                                        const uint32_t *triangles, size_t triangle_count,
                                        const abut_mesh_opts *given, const abut_allocator *alloc,
                                        abut_shape **out, abut_error *error)
{
    abut_mesh_opts opts;
    abut_mesh_opts_init(&opts);
    abut_base_clear(error);
    if (!out)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "nowhere to put the shape");
    *out = NULL;
    if (!vertices || !triangles || vertex_count == 0 || triangle_count == 0)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "a mesh needs vertices and triangles");
    abut_aabb box;
    if (!abut_options_read(&opts, sizeof opts, given))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1,
                              "the options are not set up: abut_mesh_opts_init does that");
    abut_status status = check_opts(&opts, error);
    if (!status)
        status = abut_check_points(vertices, vertex_count, "vertex", &box, error);
    if (!status)
        status = abut_check_triangles(triangles, triangle_count, vertex_count, error);
    if (status)
        return status;

    abut_shape *shape = abut_shape_new(ABUT_SHAPE_MESH, alloc);
    if (!shape)
        return abut_base_fail_memory(error);
    shape->bounds = box;
    shape->u.faceted.vertex_count = vertex_count;
    shape->u.faceted.face_count = triangle_count;
    shape->u.faceted.corner_count = 3 * triangle_count;
    shape->u.faceted.solid = opts.solid;
    status = fill_mesh(shape, vertices, triangles, &opts, error);
    if (status)
        return abut_shape_fail(shape, status);
    *out = shape;
    return ABUT_OK;
}

/* A solid stays closed as long as its welded vertices stay together. */
static abut_status check_solid(const abut_faceted_data *mesh, const abut_vec3 *vertices, const abut_aabb *box,
                               abut_error *error)
{
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        const uint32_t to = mesh->weld[i];
        if (vertices[i].x != vertices[to].x || vertices[i].y != vertices[to].y ||
            vertices[i].z != vertices[to].z)
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)i,
                                  "vertex %zu has left vertex %" PRIu32
                                  ", with which it was one when the solid was made",
                                  i, to);
    }
    return abut_check_outward(mesh, vertices, box, error);
}

abut_status abut_shape_update_mesh(abut_shape *shape, const abut_vec3 *vertices, size_t vertex_count,
                                   abut_error *error)
{
    abut_base_clear(error);
    if (!shape || shape->type != ABUT_SHAPE_MESH)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "only a mesh can be updated");
    if (atomic_load_explicit(&shape->references, memory_order_acquire) != 1)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1,
                              "the mesh has other owners, who would see it change");
    abut_faceted_data *mesh = &shape->u.faceted;
    if (!vertices || vertex_count != mesh->vertex_count)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "%zu vertices are given, but the mesh has %zu",
                              vertices ? vertex_count : 0, mesh->vertex_count);
    abut_aabb box;
    abut_status status = abut_check_points(vertices, vertex_count, "vertex", &box, error);
    if (!status && mesh->solid)
        status = check_solid(mesh, vertices, &box, error);
    if (status)
        return status;
    memcpy(mesh->vertices, vertices, vertex_count * sizeof *vertices);
    shape->bounds = box;
    abut_bvh_refit(mesh->tree, mesh->vertices);
    return ABUT_OK;
}

abut_status abut_shape_get_triangle(const abut_shape *shape, size_t triangle, abut_vec3 *corners)
{
    if (!shape || !corners || shape->type != ABUT_SHAPE_MESH || triangle >= shape->u.faceted.face_count)
        return ABUT_ERR_ARGUMENT;
    const abut_faceted_data *mesh = &shape->u.faceted;
    for (int k = 0; k < 3; ++k)
        corners[k] = mesh->vertices[mesh->corners[3 * triangle + k]];
    return ABUT_OK;
}

static size_t bytes_of(const abut_shape *shape)
{
    const abut_faceted_data *mesh = &shape->u.faceted;
    size_t bytes = sizeof *shape + mesh->vertex_count * sizeof *mesh->vertices +
                   mesh->corner_count * sizeof *mesh->corners;
    if (mesh->weld)
        bytes += mesh->vertex_count * sizeof *mesh->weld;
    if (mesh->edge_ends)
        bytes += 2 * mesh->edge_count * (sizeof *mesh->edge_ends + sizeof *mesh->edge_faces);
    const abut_mesh_pieces *pieces = atomic_load_explicit(&mesh->pieces, memory_order_acquire);
    if (pieces)
        bytes += sizeof *pieces + pieces->count * sizeof *pieces->first +
                 mesh->face_count * sizeof *pieces->of_face;
    return bytes;
}

abut_status abut_shape_get_hierarchy(const abut_shape *mesh, abut_hierarchy_info *out)
{
    if (!mesh || !out || mesh->type != ABUT_SHAPE_MESH)
        return ABUT_ERR_ARGUMENT;
    abut_bvh_get_info(mesh->u.faceted.tree, out);
    out->total_bytes = out->bytes + bytes_of(mesh);
    return ABUT_OK;
}
