/* SPDX-License-Identifier: MIT */
/* The motion of vertices of a scene file: keys with all positions of the object's mesh, in the scene, in
 * a mesh file, or those of the mesh itself. */
#include "io/scene_reader.h"
#include "io/scene_shape.h"
#include "shape/shape.h"

#include <string.h>

static bool check_count(abut_io_reader *r, const char *key, size_t count, size_t wanted)
{
    return count == wanted ||
           abut_io_fail_key(r, key, ABUT_ERR_VALUE,
                            "there are %zu vertices here, but the mesh has %zu; every key needs as many",
                            count, wanted);
}

/* From a file, whose faces do not count. */
static bool read_file(abut_io_reader *r, json_t *key, size_t wanted, const abut_vec3 **out)
{
    abut_mesh_data mesh;
    if (!abut_io_load_mesh(r, key, false, &mesh))
        return false;
    bool ok = check_count(r, "file", mesh.vertex_count, wanted);
    if (ok) {
        abut_vec3 *copy = abut_workspace_take(&r->ws, wanted, sizeof *copy);
        ok = copy || abut_io_fail_memory(r);
        if (ok)
            memcpy(copy, mesh.vertices, wanted * sizeof *copy);
        *out = copy;
    }
    abut_mesh_data_clear(&mesh);
    return ok;
}

static bool read_key(abut_io_reader *r, json_t *key, const abut_faceted_data *mesh, abut_vertex_key *out)
{
    if (!abut_io_as_object(r, key) ||
        !abut_io_check_keys(r, key, ABUT_IO_KEYS("t", "vertices", "file", "scale")) ||
        !abut_io_number(r, key, "t", ABUT_IO_ANY, &out->t))
        return false;
    const bool listed = abut_io_get(key, "vertices"), file = abut_io_get(key, "file");
    out->vertices = mesh->vertices;
    out->vertex_count = mesh->vertex_count;
    if (listed && file)
        return abut_io_fail(r, ABUT_ERR_VALUE,
                            "there are both a \"file\" and \"vertices\"; one of them must go");
    if (!file && abut_io_get(key, "scale"))
        return abut_io_fail_key(r, "scale", ABUT_ERR_VALUE, "only the vertices of a \"file\" have a scale");
    if (file)
        return read_file(r, key, mesh->vertex_count, &out->vertices);
    if (!listed)
        return true;
    abut_vec3 *vertices;
    size_t count;
    if (!abut_io_points(r, key, "vertices", 1, &vertices, &count) ||
        !check_count(r, "vertices", count, mesh->vertex_count))
        return false;
    out->vertices = vertices;
    return true;
}

/* Keys ascend and cover the scene's time. */
static bool check_time(abut_io_reader *r, const abut_vertex_key *keys, size_t i, size_t count)
{
    if (i > 0 && !(keys[i - 1].t < keys[i].t))
        return abut_io_fail_key(r, "t", ABUT_ERR_VALUE,
                                "this is %.17g; it must be later than the key before, %.17g", keys[i].t,
                                keys[i - 1].t);
    if (i == 0 && keys[i].t > r->t0)
        return abut_io_fail_key(
            r, "t", ABUT_ERR_VALUE,
            "the first key is at %.17g; it must not be after the start of the scene's time, %.17g", keys[i].t,
            r->t0);
    if (i + 1 == count && keys[i].t < r->t1)
        return abut_io_fail_key(
            r, "t", ABUT_ERR_VALUE,
            "the last key is at %.17g; it must not be before the end of the scene's time, %.17g", keys[i].t,
            r->t1);
    return true;
}

bool abut_io_read_vertices(abut_io_reader *r, json_t *object, abut_motion **out)
{
    abut_error error;
    size_t count;
    if (!abut_io_check_keys(r, object, ABUT_IO_KEYS("type", "keys")))
        return false;
    if (!r->moved || r->moved->type != ABUT_SHAPE_MESH)
        return abut_io_fail_key(r, "type", ABUT_ERR_VALUE,
                                "a motion of vertices is for an object whose shape is a \"mesh\"");
    const abut_faceted_data *mesh = &r->moved->u.faceted;
    if (mesh->solid)
        return abut_io_fail_key(
            r, "type", ABUT_ERR_VALUE,
            "a motion of vertices is for a mesh that is a surface; this one is \"solid\"");
    json_t *value = abut_io_need(r, object, "keys");
    if (!value)
        return false;
    abut_io_enter_key(r, "keys");
    if (!abut_io_as_list(r, value, 2, "keys {\"t\": time, \"vertices\": [[x, y, z], ...]}", &count))
        return false;
    abut_vertex_key *keys = abut_workspace_take(&r->ws, count, sizeof *keys);
    if (!keys)
        return abut_io_fail_memory(r);
    for (size_t i = 0; i < count; ++i) {
        abut_io_enter_index(r, i);
        if (!read_key(r, json_array_get(value, i), mesh, &keys[i]) || !check_time(r, keys, i, count))
            return false;
        abut_io_leave(r);
    }
    if (!abut_io_created(r, abut_motion_create_vertices(keys, count, &r->alloc, out, &error), &error,
                         "motion"))
        return false;
    abut_io_leave(r);
    return true;
}
