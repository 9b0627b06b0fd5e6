/* SPDX-License-Identifier: MIT */
/* abut_shape_load_mesh: from a file to a shape in one call. */
#include "abut/scene.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

/* The faces as triangles: one of more than three corners is split from its first corner, as in
 * scenes. */
static uint32_t *split_faces(const abut_mesh_data *mesh, size_t count, const abut_allocator *alloc)
{
    uint32_t *const out = abut_base_alloc(alloc, count, 3 * sizeof *out), *to = out;
    const uint32_t *corner = mesh->indices;
    for (size_t i = 0; out && i < mesh->face_count; corner += mesh->face_sizes[i++])
        for (uint32_t k = 2; k < mesh->face_sizes[i]; ++k) {
            *to++ = corner[0];
            *to++ = corner[k - 1];
            *to++ = corner[k];
        }
    return out;
}

static void name_file(abut_error *error, const char *file)
{
    const size_t length = strlen(file), most = error ? sizeof error->file - 1 : 0;
    if (error && !error->file[0])
        memcpy(error->file, file + (length > most ? length - most : 0), (length > most ? most : length) + 1);
}

abut_status abut_shape_load_mesh(const char *file, const abut_mesh_opts *opts, const abut_allocator *alloc,
                                 abut_shape **out, abut_error *error)
{
    abut_base_clear(error);
    if (!out)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "nowhere to put the shape");
    *out = NULL;
    if (!file)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "there is no file name");
    const abut_allocator memory = abut_base_allocator(alloc);
    abut_mesh_data mesh;
    abut_status status = abut_mesh_load(file, &memory, &mesh, error);
    if (status)
        return status;
    size_t count = 0;
    for (size_t i = 0; i < mesh.face_count; ++i)
        count += mesh.face_sizes[i] - 2;
    uint32_t *const triangles = count ? split_faces(&mesh, count, &memory) : NULL;
    if (!count)
        status =
            abut_base_fail(error, ABUT_ERR_VALUE, -1, "the file has no faces; at least one is needed here");
    else if (!triangles)
        status = abut_base_fail_memory(error);
    else
        status = abut_shape_create_mesh_with(mesh.vertices, mesh.vertex_count, triangles, count, opts, alloc,
                                             out, error);
    if (triangles)
        abut_base_free(&memory, triangles, count, 3 * sizeof *triangles);
    abut_mesh_data_clear(&mesh);
    if (status)
        name_file(error, file);
    return status;
}
