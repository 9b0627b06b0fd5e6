/* SPDX-License-Identifier: MIT */
/* Shapes of a scene file, one function a type. Sizes are checked here although the library checks them again, so that the
 * message has the path of the number and not just of the shape. */
#include "base/memory.h"
#include "io/scene_reader.h"

#include <string.h>

enum {
    MAX_CSG_DEPTH = 32,   /* of csg shapes inside csg shapes */
    MAX_COUNT = 1 << 30,  /* columns, rows */
    MAX_DEGREE = 1 << 10, /* the library allows less; this keeps products of degrees small */
};

/* A creator without details of its own failed, though each number was fine. */
static bool created_simply(abut_io_reader *r, abut_status status, const char *what)
{
    return abut_io_created(r, status, NULL, what);
}

/* ---- solids given by a few numbers ---- */

static bool read_sphere(abut_io_reader *r, const json_t *o, abut_shape **out)
{
    double radius;
    return abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "radius")) &&
           abut_io_number(r, o, "radius", ABUT_IO_POSITIVE, &radius) &&
           created_simply(r, abut_shape_create_sphere(radius, &r->alloc, out), "sphere");
}

static bool read_box(abut_io_reader *r, const json_t *o, abut_shape **out)
{
    abut_vec3 half;
    return abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "half")) &&
           abut_io_vec3(r, o, "half", ABUT_IO_POSITIVE, &half) &&
           created_simply(r, abut_shape_create_box(half, &r->alloc, out), "box");
}

static bool read_radius_height(abut_io_reader *r, const json_t *o, abut_io_rule height_rule, double *radius,
                               double *height)
{
    return abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "radius", "height")) &&
           abut_io_number(r, o, "radius", ABUT_IO_POSITIVE, radius) &&
           abut_io_number(r, o, "height", height_rule, height);
}

static bool read_capsule(abut_io_reader *r, const json_t *o, abut_shape **out)
{
    double radius, height;
    return read_radius_height(r, o, ABUT_IO_NOT_NEGATIVE, &radius, &height) &&
           created_simply(r, abut_shape_create_capsule(radius, height, &r->alloc, out), "capsule");
}

static bool read_cylinder(abut_io_reader *r, const json_t *o, abut_shape **out)
{
    double radius, height;
    return read_radius_height(r, o, ABUT_IO_POSITIVE, &radius, &height) &&
           created_simply(r, abut_shape_create_cylinder(radius, height, &r->alloc, out), "cylinder");
}

static bool read_cone(abut_io_reader *r, const json_t *o, abut_shape **out)
{
    double radius, height;
    return read_radius_height(r, o, ABUT_IO_POSITIVE, &radius, &height) &&
           created_simply(r, abut_shape_create_cone(radius, height, &r->alloc, out), "cone");
}

static bool read_ellipsoid(abut_io_reader *r, const json_t *o, abut_shape **out)
{
    abut_vec3 radii;
    return abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "radii")) &&
           abut_io_vec3(r, o, "radii", ABUT_IO_POSITIVE, &radii) &&
           created_simply(r, abut_shape_create_ellipsoid(radii, &r->alloc, out), "ellipsoid");
}

static bool read_torus(abut_io_reader *r, const json_t *o, abut_shape **out)
{
    double major, minor;
    if (!abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "major", "minor")) ||
        !abut_io_number(r, o, "major", ABUT_IO_POSITIVE, &major) ||
        !abut_io_number(r, o, "minor", ABUT_IO_POSITIVE, &minor))
        return false;
    if (!(major > minor))
        return abut_io_fail_key(r, "minor", ABUT_ERR_VALUE,
                                "this is %.9g; it must be less than \"major\", %.9g", minor, major);
    return created_simply(r, abut_shape_create_torus(major, minor, &r->alloc, out), "torus");
}

static bool read_halfspace(abut_io_reader *r, const json_t *o, abut_shape **out)
{
    abut_vec3 normal;
    double offset;
    if (!abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "normal", "offset")) ||
        !abut_io_vec3(r, o, "normal", ABUT_IO_ANY, &normal) ||
        !abut_io_number(r, o, "offset", ABUT_IO_ANY, &offset))
        return false;
    if (normal.x == 0 && normal.y == 0 && normal.z == 0)
        return abut_io_fail_key(r, "normal", ABUT_ERR_VALUE, "this normal is zero; it must have a direction");
    return created_simply(r, abut_shape_create_halfspace(normal, offset, &r->alloc, out), "halfspace");
}

/* ---- shapes given by many points, or by a file ---- */

/* A name relative to the folder of the scene file. */
static char *resolve(abut_io_reader *r, const char *file)
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

static bool load_mesh(abut_io_reader *r, const json_t *o, abut_mesh_data *out)
{
    const char *file;
    if (!abut_io_string(r, o, "file", &file))
        return false;
    const char *path = resolve(r, file);
    if (!path)
        return false;
    abut_error error;
    const abut_status status = abut_mesh_load(path, &r->alloc, out, &error);
    if (status == ABUT_OK)
        return true;
    if (status == ABUT_ERR_MEMORY)
        return abut_io_fail_memory(r);
    const abut_status ours = status == ABUT_ERR_ARGUMENT ? ABUT_ERR_VALUE : status;
    if (error.line > 0)
        return abut_io_fail_key(r, "file", ours, "\"%.80s\", line %d: %s", path, (int)error.line, error.text);
    return abut_io_fail_key(r, "file", ours, "\"%.80s\": %s", path, error.text);
}

/* Is the shape given by a file? Fails when it is given by a list as well. */
static bool by_file(abut_io_reader *r, const json_t *o, const char *list, const char *more, bool *is)
{
    *is = abut_io_get(o, "file");
    const bool listed = abut_io_get(o, list) || (more && abut_io_get(o, more));
    if (*is && listed)
        return abut_io_fail(r, ABUT_ERR_VALUE, "there are both a \"file\" and \"%s\"; one of them must go",
                            abut_io_get(o, list) ? list : more);
    if (!*is && !listed)
        return abut_io_fail(r, ABUT_ERR_VALUE, "the key \"%s\" or \"file\" is missing here", list);
    return true;
}

static bool read_convex(abut_io_reader *r, const json_t *o, abut_shape **out)
{
    double margin = 0;
    bool is_file;
    abut_error error;
    if (!abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "points", "file", "margin")) ||
        !by_file(r, o, "points", NULL, &is_file))
        return false;
    if (abut_io_get(o, "margin") && !abut_io_number(r, o, "margin", ABUT_IO_NOT_NEGATIVE, &margin))
        return false;
    if (is_file) {
        abut_mesh_data mesh;
        if (!load_mesh(r, o, &mesh))
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
static bool read_corners(abut_io_reader *r, const json_t *face, size_t vertex_count, uint32_t *out)
{
    for (size_t i = 0; i < json_array_size(face); ++i) {
        uint64_t index;
        const json_t *value = json_array_get(face, i);
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

static bool read_triangles(abut_io_reader *r, const json_t *o, size_t vertex_count, uint32_t **out,
                           size_t *count)
{
    const json_t *list = abut_io_need(r, o, "triangles");
    if (!list)
        return false;
    abut_io_enter_key(r, "triangles");
    if (!abut_io_as_list(r, list, 1, "triangles [i, j, k]", count))
        return false;
    *out = abut_workspace_take(&r->ws, *count, 3 * sizeof **out);
    if (!*out)
        return abut_io_fail_memory(r);
    for (size_t i = 0; i < *count; ++i) {
        const json_t *triangle = json_array_get(list, i);
        abut_io_enter_index(r, i);
        if (!abut_io_as_array(r, triangle, 3, "vertex numbers") ||
            !read_corners(r, triangle, vertex_count, *out + 3 * i))
            return false;
        abut_io_leave(r);
    }
    abut_io_leave(r);
    return true;
}

/* The faces of a file as triangles: a face of more than three corners is split from its first corner. */
static bool split_faces(abut_io_reader *r, const abut_mesh_data *mesh, uint32_t **out, size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < mesh->face_count; ++i)
        *count += mesh->face_sizes[i] < 3 ? 0 : mesh->face_sizes[i] - 2;
    if (*count == 0)
        return abut_io_fail_key(r, "file", ABUT_ERR_VALUE,
                                "the file has no faces; a mesh needs at least one");
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

static bool read_mesh(abut_io_reader *r, const json_t *o, abut_shape **out)
{
    bool is_file;
    abut_error error;
    if (!abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "vertices", "triangles", "file", "solid")) ||
        !by_file(r, o, "vertices", "triangles", &is_file))
        return false;
    const json_t *solid_value = abut_io_get(o, "solid");
    if (solid_value && !json_is_boolean(solid_value))
        return abut_io_fail_key(r, "solid", ABUT_ERR_VALUE, "this must be true or false");
    const bool solid = json_is_true(solid_value);
    abut_vec3 *vertices;
    uint32_t *triangles;
    size_t vertex_count, count;
    if (!is_file)
        return abut_io_points(r, o, "vertices", 3, &vertices, &vertex_count) &&
               read_triangles(r, o, vertex_count, &triangles, &count) &&
               abut_io_created(r,
                               abut_shape_create_mesh(vertices, vertex_count, triangles, count, solid,
                                                      &r->alloc, out, &error),
                               &error, "mesh");
    abut_mesh_data mesh;
    if (!load_mesh(r, o, &mesh))
        return false;
    const bool ok = split_faces(r, &mesh, &triangles, &count) &&
                    abut_io_created(r,
                                    abut_shape_create_mesh(mesh.vertices, mesh.vertex_count, triangles, count,
                                                           solid, &r->alloc, out, &error),
                                    &error, "mesh");
    abut_mesh_data_clear(&mesh);
    return ok;
}

static bool read_faces(abut_io_reader *r, const json_t *o, abut_mesh_data *to)
{
    const json_t *list = abut_io_need(r, o, "faces");
    if (!list)
        return false;
    abut_io_enter_key(r, "faces");
    if (!abut_io_as_list(r, list, 1, "faces [i, j, k, ...]", &to->face_count))
        return false;
    to->face_sizes = abut_workspace_take(&r->ws, to->face_count, sizeof *to->face_sizes);
    if (!to->face_sizes)
        return abut_io_fail_memory(r);
    to->index_count = 0;
    for (size_t i = 0; i < to->face_count; ++i) {
        size_t size;
        abut_io_enter_index(r, i);
        if (!abut_io_as_list(r, json_array_get(list, i), 3, "vertex numbers", &size))
            return false;
        abut_io_leave(r);
        to->face_sizes[i] = (uint32_t)size;
        to->index_count += size;
    }
    uint32_t *corner = to->indices = abut_workspace_take(&r->ws, to->index_count, sizeof *to->indices);
    if (!corner)
        return abut_io_fail_memory(r);
    for (size_t i = 0; i < to->face_count; corner += to->face_sizes[i++]) {
        abut_io_enter_index(r, i);
        if (!read_corners(r, json_array_get(list, i), to->vertex_count, corner))
            return false;
        abut_io_leave(r);
    }
    abut_io_leave(r);
    return true;
}

static bool create_polyhedron(abut_io_reader *r, const abut_mesh_data *m, abut_shape **out)
{
    abut_error error;
    return abut_io_created(r,
                           abut_shape_create_polyhedron(m->vertices, m->vertex_count, m->face_sizes,
                                                        m->face_count, m->indices, m->index_count, &r->alloc,
                                                        out, &error),
                           &error, "polyhedron");
}

static bool read_polyhedron(abut_io_reader *r, const json_t *o, abut_shape **out)
{
    bool is_file;
    abut_mesh_data mesh;
    if (!abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "vertices", "faces", "file")) ||
        !by_file(r, o, "vertices", "faces", &is_file))
        return false;
    if (!is_file)
        return abut_io_points(r, o, "vertices", 4, &mesh.vertices, &mesh.vertex_count) &&
               read_faces(r, o, &mesh) && create_polyhedron(r, &mesh, out);
    if (!load_mesh(r, o, &mesh))
        return false;
    const bool ok = create_polyhedron(r, &mesh, out);
    abut_mesh_data_clear(&mesh);
    return ok;
}

static bool read_heightfield(abut_io_reader *r, const json_t *o, abut_shape **out)
{
    uint64_t columns, rows;
    double *spacing, *heights;
    size_t count;
    abut_error error;
    if (!abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "columns", "rows", "spacing", "heights")) ||
        !abut_io_integer(r, o, "columns", 2, MAX_COUNT, &columns) ||
        !abut_io_integer(r, o, "rows", 2, MAX_COUNT, &rows))
        return false;
    const json_t *value = abut_io_need(r, o, "spacing");
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
                            json_array_size(value), (unsigned long long)(columns * rows));
    if (!abut_io_as_numbers(r, value, 4, ABUT_IO_ANY, &heights, &count))
        return false;
    abut_io_leave(r);
    return abut_io_created(r,
                           abut_shape_create_heightfield((size_t)columns, (size_t)rows, spacing[0],
                                                         spacing[1], heights, &r->alloc, out, &error),
                           &error, "height field");
}

/* ---- surfaces ---- */

static bool read_range(abut_io_reader *r, const json_t *o, const char *key, double out[2])
{
    const json_t *value = abut_io_need(r, o, key);
    if (!value)
        return false;
    abut_io_enter_key(r, key);
    if (!abut_io_as_array(r, value, 2, "numbers [lo, hi]"))
        return false;
    for (size_t i = 0; i < 2; ++i) {
        abut_io_enter_index(r, i);
        if (!abut_io_as_number(r, json_array_get(value, i), ABUT_IO_ANY, &out[i]))
            return false;
        abut_io_leave(r);
    }
    if (!(out[0] < out[1]))
        return abut_io_fail(r, ABUT_ERR_VALUE, "this is [%.9g, %.9g]; the first must be less than the second",
                            out[0], out[1]);
    abut_io_leave(r);
    return true;
}

static bool read_wrap(abut_io_reader *r, const json_t *o, bool wraps[2])
{
    const json_t *list = abut_io_get(o, "wrap");
    size_t count;
    if (!list)
        return true;
    abut_io_enter_key(r, "wrap");
    if (!abut_io_as_list(r, list, 0, "\"u\" and \"v\"", &count))
        return false;
    for (size_t i = 0; i < count; ++i) {
        const char *word;
        abut_io_enter_index(r, i);
        if (!abut_io_as_string(r, json_array_get(list, i), &word))
            return false;
        const int which = strcmp(word, "u") == 0 ? 0 : strcmp(word, "v") == 0 ? 1 : 2;
        if (which == 2 || wraps[which])
            return abut_io_fail(r, ABUT_ERR_VALUE,
                                "this is \"%.40s\"; \"u\" and \"v\" are allowed, each once", word);
        wraps[which] = true;
        abut_io_leave(r);
    }
    abut_io_leave(r);
    return true;
}

/* Jansson gives the members in the order of the file. */
static bool read_lets(abut_io_reader *r, const json_t *o, const abut_let **out, size_t *count)
{
    const json_t *table = abut_io_get(o, "let");
    *out = NULL;
    *count = 0;
    if (!table)
        return true;
    abut_io_enter_key(r, "let");
    if (!abut_io_as_object(r, table))
        return false;
    abut_let *lets = abut_workspace_take(&r->ws, json_object_size(table), sizeof *lets);
    if (!lets)
        return abut_io_fail_memory(r);
    json_t *const t =
        (json_t *)(uintptr_t)table; /* its iterators take a mutable object, but change nothing */
    for (void *i = json_object_iter(t); i; i = json_object_iter_next(t, i)) {
        abut_let *let = &lets[(*count)++];
        let->name = json_object_iter_key(i);
        abut_io_enter_key(r, let->name);
        if (!abut_io_as_string(r, json_object_iter_value(i), &let->expression))
            return false;
        abut_io_leave(r);
    }
    abut_io_leave(r);
    *out = lets;
    return true;
}

static bool read_parametric(abut_io_reader *r, const json_t *o, abut_shape **out)
{
    abut_parametric_def def = { 0 };
    bool wraps[2] = { false, false };
    size_t side = 0;
    abut_error error;
    if (!abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "x", "y", "z", "u", "v", "let", "wrap", "normal")) ||
        !abut_io_string(r, o, "x", &def.x) || !abut_io_string(r, o, "y", &def.y) ||
        !abut_io_string(r, o, "z", &def.z) || !read_range(r, o, "u", def.u) ||
        !read_range(r, o, "v", def.v) || !read_wrap(r, o, wraps) ||
        !read_lets(r, o, &def.lets, &def.let_count))
        return false;
    if (abut_io_get(o, "normal") && !abut_io_word(r, o, "normal", "side", ABUT_IO_KEYS("out", "in"), &side))
        return false;
    def.wrap_u = wraps[0];
    def.wrap_v = wraps[1];
    def.normal_in = side == 1;
    return abut_io_created(r, abut_shape_create_parametric(&def, &r->alloc, out, &error), &error,
                           "parametric shape");
}

/* "degree", "points", "weights" of an object, which may have further keys. */
static bool read_patch(abut_io_reader *r, const json_t *o, abut_bezier_patch *out)
{
    uint64_t degree[2];
    size_t count;
    const json_t *value = abut_io_need(r, o, "degree");
    if (!value)
        return false;
    abut_io_enter_key(r, "degree");
    if (!abut_io_as_array(r, value, 2, "whole numbers [m, n]"))
        return false;
    for (size_t i = 0; i < 2; ++i) {
        abut_io_enter_index(r, i);
        if (!abut_io_as_integer(r, json_array_get(value, i), 1, MAX_DEGREE, &degree[i]))
            return false;
        abut_io_leave(r);
    }
    abut_io_leave(r);
    out->degree_u = (int)degree[0];
    out->degree_v = (int)degree[1];
    const size_t needed = (size_t)((degree[0] + 1) * (degree[1] + 1));
    abut_vec3 *points;
    if (!abut_io_points(r, o, "points", 1, &points, &count))
        return false;
    if (count != needed)
        return abut_io_fail_key(r, "points", ABUT_ERR_VALUE,
                                "there are %zu points; degree [%d, %d] needs %zu", count, out->degree_u,
                                out->degree_v, needed);
    out->points = points;
    out->weights = NULL;
    value = abut_io_get(o, "weights");
    if (!value)
        return true;
    double *weights;
    abut_io_enter_key(r, "weights");
    if (!abut_io_as_numbers(r, value, 1, ABUT_IO_POSITIVE, &weights, &count))
        return false;
    if (count != needed)
        return abut_io_fail(r, ABUT_ERR_VALUE, "there are %zu weights; degree [%d, %d] needs %zu", count,
                            out->degree_u, out->degree_v, needed);
    abut_io_leave(r);
    out->weights = weights;
    return true;
}

static bool read_bezier(abut_io_reader *r, const json_t *o, abut_shape **out)
{
    abut_error error;
    const json_t *list = abut_io_get(o, "patches");
    if (!list) {
        abut_bezier_patch patch;
        return abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "degree", "points", "weights", "patches")) &&
               read_patch(r, o, &patch) &&
               abut_io_created(r, abut_shape_create_bezier(&patch, 1, &r->alloc, out, &error), &error,
                               "patch");
    }
    if (abut_io_get(o, "degree") || abut_io_get(o, "points") || abut_io_get(o, "weights"))
        return abut_io_fail(
            r, ABUT_ERR_VALUE,
            "there are both \"patches\" and a patch of its own (\"degree\", \"points\"); one must go");
    size_t count;
    if (!abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "patches")))
        return false;
    abut_io_enter_key(r, "patches");
    if (!abut_io_as_list(r, list, 1, "patches", &count))
        return false;
    abut_bezier_patch *patches = abut_workspace_take(&r->ws, count, sizeof *patches);
    if (!patches)
        return abut_io_fail_memory(r);
    for (size_t i = 0; i < count; ++i) {
        const json_t *patch = json_array_get(list, i);
        abut_io_enter_index(r, i);
        if (!abut_io_as_object(r, patch) ||
            !abut_io_check_keys(r, patch, ABUT_IO_KEYS("degree", "points", "weights")) ||
            !read_patch(r, patch, &patches[i]))
            return false;
        abut_io_leave(r);
    }
    abut_io_leave(r);
    return abut_io_created(r, abut_shape_create_bezier(patches, count, &r->alloc, out, &error), &error,
                           "bezier shape");
}

static bool read_implicit(abut_io_reader *r, const json_t *o, abut_shape **out)
{
    const char *f;
    abut_vec3 corners[2];
    abut_error error;
    if (!abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "f", "bounds")) || !abut_io_string(r, o, "f", &f))
        return false;
    const json_t *value = abut_io_need(r, o, "bounds");
    if (!value)
        return false;
    abut_io_enter_key(r, "bounds");
    if (!abut_io_as_array(r, value, 2, "corners [x, y, z]"))
        return false;
    for (size_t i = 0; i < 2; ++i) {
        abut_io_enter_index(r, i);
        if (!abut_io_as_vec3(r, json_array_get(value, i), ABUT_IO_ANY, &corners[i]))
            return false;
        abut_io_leave(r);
    }
    const abut_aabb bounds = { corners[0], corners[1] };
    if (!(bounds.lo.x < bounds.hi.x && bounds.lo.y < bounds.hi.y && bounds.lo.z < bounds.hi.z))
        return abut_io_fail(r, ABUT_ERR_VALUE,
                            "each coordinate of the first corner must be less than that of the second");
    abut_io_leave(r);
    return abut_io_created(r, abut_shape_create_implicit(f, bounds, &r->alloc, out, &error), &error,
                           "implicit shape");
}

/* Operands hold references that must be given back, so this one cannot simply return. */
static bool read_operands(abut_io_reader *r, const json_t *list, abut_shape **of, size_t count, size_t *made)
{
    int height = 0;
    for (*made = 0; *made < count; ++*made) {
        abut_io_enter_index(r, *made);
        if (!abut_io_read_shape(r, json_array_get(list, *made), &of[*made]))
            return false;
        const abut_shape_type type = abut_shape_get_type(of[*made]);
        if (type != ABUT_SHAPE_IMPLICIT && type != ABUT_SHAPE_CSG) {
            abut_shape_release(of[*made]);
            return abut_io_fail(r, ABUT_ERR_VALUE, "this is a %s; csg is made of implicit and csg shapes",
                                abut_shape_type_name(type));
        }
        height = r->csg_height > height ? r->csg_height : height;
        abut_io_leave(r);
    }
    r->csg_height = height + 1;
    return true;
}

static bool too_deep(abut_io_reader *r)
{
    return abut_io_fail(r, ABUT_ERR_LIMIT, "csg shapes are nested deeper than %d", MAX_CSG_DEPTH);
}

/* Nesting is limited both in the file (csg_depth), and through names of the table (csg_height). */
static bool read_csg(abut_io_reader *r, const json_t *o, abut_shape **out)
{
    size_t op, count, made = 0;
    abut_error error;
    if (r->csg_depth >= MAX_CSG_DEPTH)
        return too_deep(r);
    if (!abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "op", "of")) ||
        !abut_io_word(r, o, "op", "operation", ABUT_IO_KEYS("union", "intersection", "difference"), &op))
        return false;
    const json_t *list = abut_io_need(r, o, "of");
    if (!list)
        return false;
    abut_io_enter_key(r, "of");
    if (!abut_io_as_list(r, list, op == 2 ? 2 : 1, "implicit or csg shapes", &count))
        return false;
    abut_shape **of = abut_workspace_take(&r->ws, count, sizeof *of);
    if (!of)
        return abut_io_fail_memory(r);
    ++r->csg_depth;
    bool ok = read_operands(r, list, of, count, &made);
    --r->csg_depth;
    if (ok) {
        abut_io_leave(r);
        ok = r->csg_height > MAX_CSG_DEPTH
                 ? too_deep(r)
                 : abut_io_created(r,
                                   abut_shape_create_csg((abut_csg_op)(ABUT_CSG_UNION + (int)op), of, count,
                                                         &r->alloc, out, &error),
                                   &error, "csg shape");
    }
    while (made > 0)
        abut_shape_release(of[--made]);
    return ok;
}

/* ---- any shape ---- */

typedef bool (*read_shape_fn)(abut_io_reader *r, const json_t *o, abut_shape **out);

/* In the order of abut_shape_type, from ABUT_SHAPE_SPHERE. */
static const read_shape_fn readers[] = { read_sphere,     read_box,       read_capsule,    read_cylinder,
                                         read_cone,       read_ellipsoid, read_torus,      read_halfspace,
                                         read_convex,     read_mesh,      read_polyhedron, read_heightfield,
                                         read_parametric, read_bezier,    read_implicit,   read_csg };
static const char *const type_names[] = {
#define NAME(name, text) text,
    ABUT_SHAPE_LIST(NAME)
#undef NAME
        NULL
};
_Static_assert(sizeof readers / sizeof *readers == ABUT_SHAPE_TYPE_COUNT - 1, "one reader for each type");

static bool read_name(abut_io_reader *r, const json_t *value, abut_shape **out)
{
    const char *name;
    if (!abut_io_as_string(r, value, &name))
        return false;
    for (size_t i = 0; i < r->shape_count; ++i) {
        if (strcmp(r->shapes[i].name, name) == 0) {
            *out = abut_shape_retain(r->shapes[i].shape);
            r->csg_height = r->shapes[i].csg_height;
            return true;
        }
    }
    if (r->table && json_object_get(r->table, name))
        return abut_io_fail(r, ABUT_ERR_VALUE,
                            "the shape \"%.80s\" is not above this one in the \"shapes\" table", name);
    return abut_io_fail(r, ABUT_ERR_VALUE, "there is no \"%.80s\" in the scene's \"shapes\" table", name);
}

bool abut_io_read_shape(abut_io_reader *r, const json_t *value, abut_shape **out)
{
    size_t type;
    if (json_is_string(value))
        return read_name(r, value, out);
    if (!json_is_object(value))
        return abut_io_fail(
            r, ABUT_ERR_VALUE,
            "a shape is an object with a \"type\", or the name of one in the \"shapes\" table");
    r->csg_height = 0;
    const abut_workspace_mark mark = abut_workspace_begin(&r->ws);
    const bool ok =
        abut_io_word(r, value, "type", "shape type", type_names, &type) && readers[type](r, value, out);
    abut_workspace_end(&r->ws, mark);
    return ok;
}
