/* SPDX-License-Identifier: MIT */
/* CAD solids of a scene file: profiles to extrude or revolve, and explicit descriptions. */
#include "io/scene_shape.h"

#include "abut/solid_file.h"

#include <string.h>

static bool read_tolerance(abut_io_reader *r, json_t *o, double *out)
{
    *out = 0;
    return !abut_io_get(o, "tolerance") || abut_io_number(r, o, "tolerance", ABUT_IO_POSITIVE, out);
}

/* ---- profiles ---- */

/* [x, y] or [x, y, bulge] */
static bool read_corner(abut_io_reader *r, json_t *value, abut_profile_vertex *out)
{
    double *numbers;
    size_t count;
    if (!abut_io_as_numbers(r, value, 2, ABUT_IO_ANY, &numbers, &count))
        return false;
    if (count > 3)
        return abut_io_fail(r, ABUT_ERR_VALUE, "a corner is [x, y] or [x, y, bulge]; this has %zu numbers",
                            count);
    *out = (abut_profile_vertex){ numbers[0], numbers[1], count > 2 ? numbers[2] : 0 };
    return true;
}

static bool read_loop(abut_io_reader *r, json_t *value, abut_profile_loop *out)
{
    size_t count;
    if (!abut_io_as_list(r, value, 2, "corners [x, y] or [x, y, bulge]", &count))
        return false;
    abut_profile_vertex *vertices = abut_workspace_take(&r->ws, count, sizeof *vertices);
    if (!vertices)
        return abut_io_fail_memory(r);
    for (size_t i = 0; i < count; ++i) {
        abut_io_enter_index(r, i);
        if (!read_corner(r, json_array_get(value, i), &vertices[i]))
            return false;
        abut_io_leave(r);
    }
    *out = (abut_profile_loop){ vertices, count };
    return true;
}

static bool read_profile(abut_io_reader *r, json_t *o, abut_profile_loop *out)
{
    json_t *value = abut_io_need(r, o, "profile");
    if (!value)
        return false;
    abut_io_enter_key(r, "profile");
    if (!read_loop(r, value, out))
        return false;
    abut_io_leave(r);
    return true;
}

static bool read_holes(abut_io_reader *r, json_t *o, abut_profile_loop **out, size_t *count)
{
    json_t *value = abut_io_get(o, "holes");
    *out = NULL;
    *count = 0;
    if (!value)
        return true;
    abut_io_enter_key(r, "holes");
    if (!abut_io_as_list(r, value, 0, "loops", count))
        return false;
    *out = abut_workspace_take(&r->ws, *count, sizeof **out);
    if (!*out)
        return abut_io_fail_memory(r);
    for (size_t i = 0; i < *count; ++i) {
        abut_io_enter_index(r, i);
        if (!read_loop(r, json_array_get(value, i), &(*out)[i]))
            return false;
        abut_io_leave(r);
    }
    abut_io_leave(r);
    return true;
}

bool abut_io_read_extrude(abut_io_reader *r, json_t *o, abut_shape **out)
{
    abut_profile_loop outer, *holes;
    size_t hole_count;
    double height, tolerance;
    abut_error error;
    return abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "profile", "holes", "height", "tolerance")) &&
           read_profile(r, o, &outer) && read_holes(r, o, &holes, &hole_count) &&
           abut_io_number(r, o, "height", ABUT_IO_POSITIVE, &height) && read_tolerance(r, o, &tolerance) &&
           abut_io_created(r,
                           abut_shape_create_extrude(&outer, holes, hole_count, height, tolerance, &r->alloc,
                                                     out, &error),
                           &error, "extrude");
}

bool abut_io_read_revolve(abut_io_reader *r, json_t *o, abut_shape **out)
{
    abut_profile_loop profile;
    double tolerance;
    abut_error error;
    return abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "profile", "tolerance")) &&
           read_profile(r, o, &profile) && read_tolerance(r, o, &tolerance) &&
           abut_io_created(r, abut_shape_create_revolve(&profile, tolerance, &r->alloc, out, &error), &error,
                           "revolve");
}

/* ---- explicit solids ---- */

/* Reads the elements of a list one by one into an array of items. */
typedef bool (*read_item_fn)(abut_io_reader *r, json_t *value, void *item);

static bool read_items(abut_io_reader *r, json_t *o, const char *key, bool needed, size_t size,
                       read_item_fn read, void **out, size_t *count)
{
    json_t *list = needed ? abut_io_need(r, o, key) : abut_io_get(o, key);
    *out = NULL;
    *count = 0;
    if (!list)
        return !needed;
    abut_io_enter_key(r, key);
    if (!abut_io_as_list(r, list, needed, "objects", count))
        return false;
    *out = abut_workspace_take(&r->ws, *count, size);
    if (!*out)
        return abut_io_fail_memory(r);
    memset(*out, 0, *count * size);
    for (size_t i = 0; i < *count; ++i) {
        abut_io_enter_index(r, i);
        if (!read(r, json_array_get(list, i), (char *)*out + i * size))
            return false;
        abut_io_leave(r);
    }
    abut_io_leave(r);
    return true;
}

static bool read_matrix(abut_io_reader *r, json_t *o, double out[4][4])
{
    json_t *rows = abut_io_need(r, o, "matrix");
    if (!rows)
        return false;
    abut_io_enter_key(r, "matrix");
    if (!abut_io_as_array(r, rows, 4, "rows of four numbers"))
        return false;
    for (size_t i = 0; i < 4; ++i) {
        double *numbers;
        size_t count;
        abut_io_enter_index(r, i);
        json_t *row = json_array_get(rows, i);
        if (!abut_io_as_array(r, row, 4, "numbers") ||
            !abut_io_as_numbers(r, row, 4, ABUT_IO_ANY, &numbers, &count))
            return false;
        memcpy(out[i], numbers, sizeof out[i]);
        abut_io_leave(r);
    }
    abut_io_leave(r);
    return true;
}

static bool read_surface(abut_io_reader *r, json_t *o, void *item)
{
    static const char *const kinds[] = {
#define NAME(name, text) text,
        ABUT_SOLID_SURFACE_LIST(NAME)
#undef NAME
            NULL
    };
    abut_solid_surface *s = item;
    size_t kind;
    if (!abut_io_as_object(r, o) || !abut_io_word(r, o, "type", "surface type", kinds, &kind))
        return false;
    s->kind = (abut_solid_surface_kind)(kind + 1);
    switch (s->kind) {
    case ABUT_SOLID_PLANE: {
        double offset;
        if (!abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "normal", "offset")) ||
            !abut_io_vec3(r, o, "normal", ABUT_IO_ANY, &s->axis) ||
            !abut_io_number(r, o, "offset", ABUT_IO_ANY, &offset))
            return false;
        /* The point of the plane nearest to the origin. */
        const double n = s->axis.x * s->axis.x + s->axis.y * s->axis.y + s->axis.z * s->axis.z;
        if (!(n > 0))
            return abut_io_fail_key(r, "normal", ABUT_ERR_VALUE, "the normal must not be zero");
        s->point =
            (abut_vec3){ s->axis.x * (offset / n), s->axis.y * (offset / n), s->axis.z * (offset / n) };
        return true;
    }
    case ABUT_SOLID_SPHERE:
        return abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "center", "radius")) &&
               abut_io_vec3(r, o, "center", ABUT_IO_ANY, &s->point) &&
               abut_io_number(r, o, "radius", ABUT_IO_POSITIVE, &s->radius);
    case ABUT_SOLID_CYLINDER:
        return abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "point", "axis", "radius")) &&
               abut_io_vec3(r, o, "point", ABUT_IO_ANY, &s->point) &&
               abut_io_vec3(r, o, "axis", ABUT_IO_ANY, &s->axis) &&
               abut_io_number(r, o, "radius", ABUT_IO_POSITIVE, &s->radius);
    case ABUT_SOLID_CONE:
        return abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "apex", "axis", "tangent")) &&
               abut_io_vec3(r, o, "apex", ABUT_IO_ANY, &s->point) &&
               abut_io_vec3(r, o, "axis", ABUT_IO_ANY, &s->axis) &&
               abut_io_number(r, o, "tangent", ABUT_IO_POSITIVE, &s->tangent);
    case ABUT_SOLID_TORUS:
        return abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "center", "axis", "major", "minor")) &&
               abut_io_vec3(r, o, "center", ABUT_IO_ANY, &s->point) &&
               abut_io_vec3(r, o, "axis", ABUT_IO_ANY, &s->axis) &&
               abut_io_number(r, o, "major", ABUT_IO_POSITIVE, &s->radius) &&
               abut_io_number(r, o, "minor", ABUT_IO_POSITIVE, &s->minor);
    default: return abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "matrix")) && read_matrix(r, o, s->matrix);
    }
}

static bool read_index(abut_io_reader *r, json_t *o, const char *key, uint32_t *out)
{
    uint64_t index;
    if (!abut_io_integer(r, o, key, 0, UINT32_MAX - 1, &index))
        return false;
    *out = (uint32_t)index;
    return true;
}

static bool read_surface_pair(abut_io_reader *r, json_t *o, uint32_t out[2])
{
    json_t *list = abut_io_need(r, o, "surfaces");
    if (!list)
        return false;
    abut_io_enter_key(r, "surfaces");
    if (!abut_io_as_array(r, list, 2, "surface numbers"))
        return false;
    for (size_t i = 0; i < 2; ++i) {
        uint64_t index;
        abut_io_enter_index(r, i);
        if (!abut_io_as_integer(r, json_array_get(list, i), 0, UINT32_MAX - 1, &index))
            return false;
        out[i] = (uint32_t)index;
        abut_io_leave(r);
    }
    abut_io_leave(r);
    return true;
}

static bool read_edge(abut_io_reader *r, json_t *o, void *item)
{
    static const char *const kinds[] = {
#define NAME(name, text) text,
        ABUT_SOLID_EDGE_LIST(NAME)
#undef NAME
            NULL
    };
    abut_solid_edge *e = item;
    size_t kind;
    if (!abut_io_as_object(r, o) || !abut_io_word(r, o, "type", "edge type", kinds, &kind) ||
        !read_index(r, o, "from", &e->from) || !read_index(r, o, "to", &e->to))
        return false;
    e->kind = (abut_solid_edge_kind)(kind + 1);
    switch (e->kind) {
    case ABUT_SOLID_EDGE_LINE: return abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "from", "to"));
    case ABUT_SOLID_EDGE_CIRCLE:
        return abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "from", "to", "center", "axis")) &&
               abut_io_vec3(r, o, "center", ABUT_IO_ANY, &e->center) &&
               abut_io_vec3(r, o, "axis", ABUT_IO_ANY, &e->axis);
    case ABUT_SOLID_EDGE_CONIC:
        return abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "from", "to", "control", "weight")) &&
               abut_io_vec3(r, o, "control", ABUT_IO_ANY, &e->control) &&
               abut_io_number(r, o, "weight", ABUT_IO_POSITIVE, &e->weight);
    case ABUT_SOLID_EDGE_INTERSECTION:
        return abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "from", "to", "surfaces", "through")) &&
               read_surface_pair(r, o, e->surfaces) &&
               abut_io_vec3(r, o, "through", ABUT_IO_ANY, &e->through);
    default: {
        abut_vec3 *points;
        if (!abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "from", "to", "points")) ||
            !abut_io_points(r, o, "points", 4, &points, &e->point_count))
            return false;
        e->points = points;
        return true;
    }
    }
}

/* [edge, sense] */
static bool read_coedge(abut_io_reader *r, json_t *value, abut_solid_coedge *out)
{
    double *numbers;
    size_t count;
    if (!abut_io_as_array(r, value, 2, "numbers: an edge and its sense, 1 or -1") ||
        !abut_io_as_numbers(r, value, 2, ABUT_IO_ANY, &numbers, &count))
        return false;
    if (!(numbers[0] >= 0 && numbers[0] < UINT32_MAX) || numbers[0] != (double)(uint32_t)numbers[0])
        return abut_io_fail(r, ABUT_ERR_VALUE, "%.9g is not the number of an edge", numbers[0]);
    if (numbers[1] != 1 && numbers[1] != -1)
        return abut_io_fail(r, ABUT_ERR_VALUE, "the sense of an edge is 1 or -1, not %.9g", numbers[1]);
    *out = (abut_solid_coedge){ (uint32_t)numbers[0], (int)numbers[1] };
    return true;
}

static bool read_edge_loop(abut_io_reader *r, json_t *value, abut_solid_loop *out)
{
    size_t count;
    if (!abut_io_as_list(r, value, 1, "[edge, sense]", &count))
        return false;
    abut_solid_coedge *coedges = abut_workspace_take(&r->ws, count, sizeof *coedges);
    if (!coedges)
        return abut_io_fail_memory(r);
    for (size_t i = 0; i < count; ++i) {
        abut_io_enter_index(r, i);
        if (!read_coedge(r, json_array_get(value, i), &coedges[i]))
            return false;
        abut_io_leave(r);
    }
    *out = (abut_solid_loop){ coedges, count };
    return true;
}

static bool read_face(abut_io_reader *r, json_t *o, void *item)
{
    abut_solid_face *f = item;
    double outward = 1;
    if (!abut_io_as_object(r, o) || !abut_io_check_keys(r, o, ABUT_IO_KEYS("surface", "outward", "loops")) ||
        !read_index(r, o, "surface", &f->surface) || !abut_io_number(r, o, "outward", ABUT_IO_ANY, &outward))
        return false;
    if (outward != 1 && outward != -1)
        return abut_io_fail_key(r, "outward", ABUT_ERR_VALUE, "this is %.9g; it must be 1 or -1", outward);
    f->outward = (int)outward;
    json_t *loops = abut_io_get(o, "loops");
    if (!loops)
        return true;
    abut_io_enter_key(r, "loops");
    if (!abut_io_as_list(r, loops, 0, "loops", &f->loop_count))
        return false;
    abut_solid_loop *out = abut_workspace_take(&r->ws, f->loop_count, sizeof *out);
    if (!out)
        return abut_io_fail_memory(r);
    for (size_t i = 0; i < f->loop_count; ++i) {
        abut_io_enter_index(r, i);
        if (!read_edge_loop(r, json_array_get(loops, i), &out[i]))
            return false;
        abut_io_leave(r);
    }
    f->loops = out;
    abut_io_leave(r);
    return true;
}

/* A STEP or BREP file, and which of the solids in it. */
static bool read_solid_file(abut_io_reader *r, json_t *o, abut_shape **out)
{
    const char *file;
    uint64_t part = 0;
    double tolerance;
    abut_error error;
    if (!abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "file", "part", "tolerance")) ||
        !abut_io_string(r, o, "file", &file) || !read_tolerance(r, o, &tolerance))
        return false;
    json_t *number = abut_io_get(o, "part");
    if (number) {
        abut_io_enter_key(r, "part");
        if (!abut_io_as_integer(r, number, 0, UINT32_MAX, &part))
            return false;
        abut_io_leave(r);
    }
    const char *path = abut_io_resolve(r, file);
    if (!path)
        return false;
    const abut_status status = abut_shape_load_solid(path, number ? (size_t)part : ABUT_SOLID_ONLY_PART,
                                                     tolerance, &r->alloc, out, &error);
    if (status == ABUT_OK)
        return true;
    if (status == ABUT_ERR_MEMORY)
        return abut_io_fail_memory(r);
    return abut_io_fail_key(r, "file", status == ABUT_ERR_ARGUMENT ? ABUT_ERR_VALUE : status, "\"%.80s\": %s",
                            path, error.text);
}

bool abut_io_read_solid(abut_io_reader *r, json_t *o, abut_shape **out)
{
    if (abut_io_get(o, "file"))
        return read_solid_file(r, o, out);
    abut_solid_def def = { 0 };
    void *surfaces, *edges, *faces;
    abut_vec3 *vertices = NULL;
    abut_error error;
    if (!abut_io_check_keys(r, o,
                            ABUT_IO_KEYS("type", "surfaces", "vertices", "edges", "faces", "tolerance")) ||
        !read_items(r, o, "surfaces", true, sizeof(abut_solid_surface), read_surface, &surfaces,
                    &def.surface_count) ||
        (abut_io_get(o, "vertices") && !abut_io_points(r, o, "vertices", 0, &vertices, &def.vertex_count)) ||
        !read_items(r, o, "edges", false, sizeof(abut_solid_edge), read_edge, &edges, &def.edge_count) ||
        !read_items(r, o, "faces", true, sizeof(abut_solid_face), read_face, &faces, &def.face_count) ||
        !read_tolerance(r, o, &def.tolerance))
        return false;
    def.surfaces = surfaces;
    def.vertices = vertices;
    def.edges = edges;
    def.faces = faces;
    return abut_io_created(r, abut_shape_create_solid(&def, &r->alloc, out, &error), &error, "solid");
}
