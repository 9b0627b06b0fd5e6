/* SPDX-License-Identifier: MIT */
/* Shapes of a scene file given by many points: in the scene itself, or in a mesh file beside it. */
#include "io/scene_shape.h"

#include "abut/mesh.h"
#include "abut/polyhedron.h"

#include <math.h>
#include <string.h>

enum { MAX_COUNT = 1 << 30 }; /* columns, rows: keeps their product in 64 bits */

char *abut_io_resolve(abut_io_reader *r, const char *file)
{
    const char *slash = strrchr(r->name, '/');
    const size_t folder = file[0] == '/' || !slash ? 0 : (size_t)(slash - r->name) + 1, length = strlen(file);
    char *path = abut_workspace_take(&r->ws, folder + length + 1, 1);
    if (!path) {
        abut_io_fail_memory(r);
        return NULL;
    }
    memcpy(path, r->name, folder);
    memcpy(path + folder, file, length + 1);
    return path;
}

/* Every coordinate times the factor, rounded to nearest; too large is an error. */
static bool scale_mesh(abut_io_reader *r, double scale, abut_mesh_data *mesh)
{
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        abut_vec3 *v = &mesh->vertices[i];
        *v = (abut_vec3){ scale * v->x, scale * v->y, scale * v->z };
        if (isfinite(v->x) && isfinite(v->y) && isfinite(v->z))
            continue;
        abut_mesh_data_clear(mesh);
        return abut_io_fail_key(r, "scale", ABUT_ERR_VALUE, "vertex %zu is not finite at this scale", i);
    }
    return true;
}

bool abut_io_load_mesh(abut_io_reader *r, json_t *o, bool faces, abut_mesh_data *out)
{
    const char *file;
    double scale = 1;
    if (!abut_io_string(r, o, "file", &file) ||
        (abut_io_get(o, "scale") && !abut_io_number(r, o, "scale", ABUT_IO_POSITIVE, &scale)))
        return false;
    const char *path = abut_io_resolve(r, file);
    if (!path)
        return false;
    abut_error error;
    const abut_status status = abut_mesh_load(path, &r->alloc, out, &error);
    if (status == ABUT_OK && faces && out->face_count == 0) {
        abut_mesh_data_clear(out);
        return abut_io_fail_key(r, "file", ABUT_ERR_VALUE,
                                "\"%.80s\": the file has no faces; at least one is needed here", path);
    }
    if (status == ABUT_OK)
        return scale == 1 || scale_mesh(r, scale, out);
    if (status == ABUT_ERR_MEMORY)
        return abut_io_fail_memory(r);
    const abut_status ours = status == ABUT_ERR_ARGUMENT ? ABUT_ERR_VALUE : status;
    if (error.line > 0)
        return abut_io_fail_key(r, "file", ours, "\"%.80s\", line %d: %s", path, (int)error.line, error.text);
    return abut_io_fail_key(r, "file", ours, "\"%.80s\": %s", path, error.text);
}

/* Is the shape given by a file? Fails when it is given by a list as well. */
static bool by_file(abut_io_reader *r, json_t *o, const char *list, const char *more, bool *is)
{
    *is = abut_io_get(o, "file");
    const bool listed = abut_io_get(o, list) || (more && abut_io_get(o, more));
    if (*is && listed)
        return abut_io_fail(r, ABUT_ERR_VALUE, "there are both a \"file\" and \"%s\"; one of them must go",
                            abut_io_get(o, list) ? list : more);
    if (!*is && !listed)
        return abut_io_fail(r, ABUT_ERR_VALUE, "the key \"%s\" or \"file\" is missing here", list);
    if (!*is && abut_io_get(o, "scale"))
        return abut_io_fail_key(r, "scale", ABUT_ERR_VALUE, "only the vertices of a \"file\" have a scale");
    return true;
}

bool abut_io_read_convex(abut_io_reader *r, json_t *o, abut_shape **out)
{
    double margin = 0;
    bool is_file;
    abut_error error;
    if (!abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "points", "file", "scale", "margin")) ||
        !by_file(r, o, "points", NULL, &is_file))
        return false;
    if (abut_io_get(o, "margin") && !abut_io_number(r, o, "margin", ABUT_IO_NOT_NEGATIVE, &margin))
        return false;
    if (is_file) {
        abut_mesh_data mesh;
        if (!abut_io_load_mesh(r, o, false, &mesh))
            return false;
        const abut_status status =
            abut_shape_create_convex(mesh.vertices, mesh.vertex_count, margin, &r->alloc, out, &error);
        abut_mesh_data_clear(&mesh);
        return abut_io_created(r, status, &error, "convex shape");
    }
    abut_vec3 *points;
    size_t count;
    return abut_io_points(r, o, "points", 1, &points, &count) &&
           abut_io_created(r, abut_shape_create_convex(points, count, margin, &r->alloc, out, &error), &error,
                           "convex shape");
}

/* Corners of a face, each the number of a vertex. */
static bool read_corners(abut_io_reader *r, json_t *face, size_t vertex_count, uint32_t *out)
{
    for (size_t i = 0; i < json_array_size(face); ++i) {
        uint64_t index;
        json_t *value = json_array_get(face, i);
        abut_io_enter_index(r, i);
        if (!abut_io_as_integer(r, value, 0, UINT32_MAX, &index))
            return false;
        if (index >= vertex_count)
            return abut_io_fail(r, ABUT_ERR_VALUE, "there is no vertex %llu; they are numbered from 0 to %zu",
                                (unsigned long long)index, vertex_count - 1);
        out[i] = (uint32_t)index;
        abut_io_leave(r);
    }
    return true;
}

static bool read_triangles(abut_io_reader *r, json_t *o, size_t vertex_count, uint32_t **out, size_t *count)
{
    json_t *list = abut_io_need(r, o, "triangles");
    if (!list)
        return false;
    abut_io_enter_key(r, "triangles");
    if (!abut_io_as_list(r, list, 1, "triangles [i, j, k]", count))
        return false;
    *out = abut_workspace_take(&r->ws, *count, 3 * sizeof **out);
    if (!*out)
        return abut_io_fail_memory(r);
    for (size_t i = 0; i < *count; ++i) {
        json_t *triangle = json_array_get(list, i);
        abut_io_enter_index(r, i);
        if (!abut_io_as_array(r, triangle, 3, "vertex numbers") ||
            !read_corners(r, triangle, vertex_count, *out + 3 * i))
            return false;
        abut_io_leave(r);
    }
    abut_io_leave(r);
    return true;
}

/* The faces of a file as triangles: a face of more than three corners is split from its first
 * corner. */
static bool split_faces(abut_io_reader *r, const abut_mesh_data *mesh, uint32_t **out, size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < mesh->face_count; ++i)
        *count += mesh->face_sizes[i] < 3 ? 0 : mesh->face_sizes[i] - 2;
    *out = abut_workspace_take(&r->ws, *count, 3 * sizeof **out);
    if (!*out)
        return abut_io_fail_memory(r);
    uint32_t *to = *out;
    const uint32_t *corner = mesh->indices;
    for (size_t i = 0; i < mesh->face_count; corner += mesh->face_sizes[i++]) {
        for (uint32_t k = 2; k < mesh->face_sizes[i]; ++k) {
            *to++ = corner[0];
            *to++ = corner[k - 1];
            *to++ = corner[k];
        }
    }
    return true;
}

/* One of the words, where the key is there. */
static bool read_choice(abut_io_reader *r, json_t *o, const char *key, const char *what,
                        const char *const *words, size_t *out)
{
    return !abut_io_get(o, key) || abut_io_word(r, o, key, what, words, out);
}

/* "solid", and how the hierarchy is made. */
static bool read_mesh_opts(abut_io_reader *r, json_t *o, abut_mesh_opts *opts)
{
    static const char *const covariances[] = { "vertices", "hull", "hull-area", NULL };
    const char *volumes[ABUT_VOLUME_COUNT + 1] = { NULL }, *builders[ABUT_BUILDER_COUNT + 1] = { NULL };
    for (int i = 0; i < ABUT_VOLUME_COUNT; ++i)
        volumes[i] = abut_volume_name((abut_volume)i);
    for (int i = 0; i < ABUT_BUILDER_COUNT; ++i)
        builders[i] = abut_builder_name((abut_builder)i);
    abut_mesh_opts_init(opts);
    json_t *solid = abut_io_get(o, "solid");
    if (solid && !json_is_boolean(solid))
        return abut_io_fail_key(r, "solid", ABUT_ERR_VALUE, "this must be true or false");
    opts->solid = json_is_true(solid);
    size_t volume = ABUT_VOLUME_AUTO, builder = ABUT_BUILDER_AUTO, covariance = ABUT_COVARIANCE_VERTICES;
    if (!read_choice(r, o, "volume", "volume", volumes, &volume) ||
        !read_choice(r, o, "builder", "builder", builders, &builder) ||
        !read_choice(r, o, "covariance", "covariance", covariances, &covariance))
        return false;
    opts->volume = (abut_volume)volume;
    opts->builder = (abut_builder)builder;
    opts->covariance = (abut_covariance)covariance;
    return true;
}

static bool create_mesh(abut_io_reader *r, const abut_vec3 *vertices, size_t vertex_count,
                        const uint32_t *triangles, size_t count, const abut_mesh_opts *opts, abut_shape **out)
{
    abut_error error;
    return abut_io_created(
        r,
        abut_shape_create_mesh_with(vertices, vertex_count, triangles, count, opts, &r->alloc, out, &error),
        &error, "mesh");
}

bool abut_io_read_mesh(abut_io_reader *r, json_t *o, abut_shape **out)
{
    bool is_file;
    abut_mesh_opts opts;
    if (!abut_io_check_keys(r, o,
                            ABUT_IO_KEYS("type", "vertices", "triangles", "file", "scale", "solid", "volume",
                                         "builder", "covariance")) ||
        !by_file(r, o, "vertices", "triangles", &is_file) || !read_mesh_opts(r, o, &opts))
        return false;
    abut_vec3 *vertices;
    uint32_t *triangles;
    size_t vertex_count, count;
    if (!is_file)
        return abut_io_points(r, o, "vertices", 1, &vertices, &vertex_count) &&
               read_triangles(r, o, vertex_count, &triangles, &count) &&
               create_mesh(r, vertices, vertex_count, triangles, count, &opts, out);
    abut_mesh_data mesh;
    if (!abut_io_load_mesh(r, o, true, &mesh))
        return false;
    const bool ok = split_faces(r, &mesh, &triangles, &count) &&
                    create_mesh(r, mesh.vertices, mesh.vertex_count, triangles, count, &opts, out);
    abut_mesh_data_clear(&mesh);
    return ok;
}

/* Faces as loops of corners, in the reader's memory. */
typedef struct face_list {
    size_t face_count, loop_count, index_count;
    uint32_t *face_loops, *loop_sizes, *indices;
    uint32_t *next_size, *next_index; /* where the second pass writes */
} face_list;

/* A loop: counted, or with room for it read. */
static bool take_loop(abut_io_reader *r, json_t *loop, size_t vertex_count, face_list *to)
{
    size_t size;
    if (!abut_io_as_list(r, loop, 3, "vertex numbers", &size))
        return false;
    if (!to->next_size) {
        ++to->loop_count;
        to->index_count += size;
        return true;
    }
    if (!read_corners(r, loop, vertex_count, to->next_index))
        return false;
    *to->next_size++ = (uint32_t)size;
    to->next_index += size;
    return true;
}

/* A list of vertices, or an object with a loop and holes. */
static bool take_face(abut_io_reader *r, json_t *face, size_t vertex_count, face_list *to, uint32_t *loops)
{
    *loops = 1;
    if (!json_is_object(face))
        return take_loop(r, face, vertex_count, to);
    if (!abut_io_check_keys(r, face, ABUT_IO_KEYS("loop", "holes")))
        return false;
    json_t *outer = abut_io_need(r, face, "loop"), *holes = abut_io_get(face, "holes");
    if (!outer)
        return false;
    abut_io_enter_key(r, "loop");
    if (!take_loop(r, outer, vertex_count, to))
        return false;
    abut_io_leave(r);
    if (!holes)
        return true;
    size_t count;
    abut_io_enter_key(r, "holes");
    if (!abut_io_as_list(r, holes, 0, "holes [[i, j, k, ...], ...]", &count))
        return false;
    for (size_t i = 0; i < count; ++i) {
        abut_io_enter_index(r, i);
        if (!take_loop(r, json_array_get(holes, i), vertex_count, to))
            return false;
        abut_io_leave(r);
    }
    abut_io_leave(r);
    *loops += (uint32_t)count;
    return true;
}

static bool take_faces(abut_io_reader *r, json_t *list, size_t vertex_count, face_list *to)
{
    for (size_t i = 0; i < to->face_count; ++i) {
        abut_io_enter_index(r, i);
        if (!take_face(r, json_array_get(list, i), vertex_count, to, &to->face_loops[i]))
            return false;
        abut_io_leave(r);
    }
    return true;
}

static bool read_faces(abut_io_reader *r, json_t *o, size_t vertex_count, face_list *to)
{
    json_t *list = abut_io_need(r, o, "faces");
    if (!list)
        return false;
    *to = (face_list){ 0 };
    abut_io_enter_key(r, "faces");
    if (!abut_io_as_list(r, list, 1, "faces [i, j, k, ...]", &to->face_count))
        return false;
    to->face_loops = abut_workspace_take(&r->ws, to->face_count, sizeof *to->face_loops);
    if (!to->face_loops)
        return abut_io_fail_memory(r);
    if (!take_faces(r, list, vertex_count, to))
        return false;
    to->next_size = to->loop_sizes = abut_workspace_take(&r->ws, to->loop_count, sizeof *to->loop_sizes);
    to->next_index = to->indices = abut_workspace_take(&r->ws, to->index_count, sizeof *to->indices);
    if (!to->loop_sizes || !to->indices)
        return abut_io_fail_memory(r);
    if (!take_faces(r, list, vertex_count, to))
        return false;
    abut_io_leave(r);
    return true;
}

static bool create_polyhedron(abut_io_reader *r, const abut_polyhedron_def *def, abut_shape **out)
{
    abut_error error;
    return abut_io_created(r, abut_shape_create_polyhedron_with(def, &r->alloc, out, &error), &error,
                           "polyhedron");
}

bool abut_io_read_polyhedron(abut_io_reader *r, json_t *o, abut_shape **out)
{
    bool is_file;
    abut_polyhedron_def def;
    abut_polyhedron_def_init(&def);
    if (!abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "vertices", "faces", "file", "scale", "merge")) ||
        !by_file(r, o, "vertices", "faces", &is_file))
        return false;
    json_t *merge = abut_io_get(o, "merge");
    if (merge && !json_is_boolean(merge))
        return abut_io_fail_key(r, "merge", ABUT_ERR_VALUE, "this must be true or false");
    def.merge = json_is_true(merge);
    if (!is_file) {
        abut_vec3 *vertices;
        face_list faces;
        if (!abut_io_points(r, o, "vertices", 4, &vertices, &def.vertex_count) ||
            !read_faces(r, o, def.vertex_count, &faces))
            return false;
        def.vertices = vertices;
        def.face_count = faces.face_count;
        def.face_loops = faces.face_loops;
        def.loop_count = faces.loop_count;
        def.loop_sizes = faces.loop_sizes;
        def.index_count = faces.index_count;
        def.indices = faces.indices;
        return create_polyhedron(r, &def, out);
    }
    abut_mesh_data mesh = { 0 };
    if (!abut_io_load_mesh(r, o, true, &mesh))
        return false;
    def.vertices = mesh.vertices;
    def.vertex_count = mesh.vertex_count;
    def.face_count = def.loop_count = mesh.face_count;
    def.loop_sizes = mesh.face_sizes;
    def.index_count = mesh.index_count;
    def.indices = mesh.indices;
    const bool ok = create_polyhedron(r, &def, out);
    abut_mesh_data_clear(&mesh);
    return ok;
}

bool abut_io_read_heightfield(abut_io_reader *r, json_t *o, abut_shape **out)
{
    uint64_t columns, rows;
    double *spacing, *heights;
    size_t count;
    abut_error error;
    if (!abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "columns", "rows", "spacing", "heights")) ||
        !abut_io_integer(r, o, "columns", 2, MAX_COUNT, &columns) ||
        !abut_io_integer(r, o, "rows", 2, MAX_COUNT, &rows))
        return false;
    json_t *value = abut_io_need(r, o, "spacing");
    if (!value)
        return false;
    abut_io_enter_key(r, "spacing");
    if (!abut_io_as_array(r, value, 2, "numbers [dx, dy]") ||
        !abut_io_as_numbers(r, value, 2, ABUT_IO_POSITIVE, &spacing, &count))
        return false;
    abut_io_leave(r);
    value = abut_io_need(r, o, "heights");
    if (!value)
        return false;
    abut_io_enter_key(r, "heights");
    if (json_is_array(value) && json_array_size(value) != columns * rows)
        return abut_io_fail(r, ABUT_ERR_VALUE, "there are %zu heights; columns times rows is %llu",
                            json_array_size(value), (unsigned long long)columns * (unsigned long long)rows);
    if (!abut_io_as_numbers(r, value, 4, ABUT_IO_ANY, &heights, &count))
        return false;
    abut_io_leave(r);
    return abut_io_created(r,
                           abut_shape_create_heightfield((size_t)columns, (size_t)rows, spacing[0],
                                                         spacing[1], heights, &r->alloc, out, &error),
                           &error, "height field");
}
