/* SPDX-License-Identifier: MIT */
/* Shapes of a scene file: the table of all types, those given by a few numbers, and shapes by
 * name. Sizes are checked here although the library checks them again, so that the message has
 * the path of the number and not just of the shape. */
#include "io/scene_shape.h"

#include <string.h>

/* A creator without details of its own failed, though each number was fine. */
static bool created_simply(abut_io_reader *r, abut_status status, const char *what)
{
    return abut_io_created(r, status, NULL, what);
}

/* ---- solids given by a few numbers ---- */

static bool read_sphere(abut_io_reader *r, json_t *o, abut_shape **out)
{
    double radius;
    return abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "radius")) &&
           abut_io_number(r, o, "radius", ABUT_IO_POSITIVE, &radius) &&
           created_simply(r, abut_shape_create_sphere(radius, &r->alloc, out), "sphere");
}

static bool read_box(abut_io_reader *r, json_t *o, abut_shape **out)
{
    abut_vec3 half;
    return abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "half")) &&
           abut_io_vec3(r, o, "half", ABUT_IO_POSITIVE, &half) &&
           created_simply(r, abut_shape_create_box(half, &r->alloc, out), "box");
}

static bool read_radius_height(abut_io_reader *r, json_t *o, abut_io_rule height_rule, double *radius,
                               double *height)
{
    return abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "radius", "height")) &&
           abut_io_number(r, o, "radius", ABUT_IO_POSITIVE, radius) &&
           abut_io_number(r, o, "height", height_rule, height);
}

static bool read_capsule(abut_io_reader *r, json_t *o, abut_shape **out)
{
    double radius, height;
    return read_radius_height(r, o, ABUT_IO_NOT_NEGATIVE, &radius, &height) &&
           created_simply(r, abut_shape_create_capsule(radius, height, &r->alloc, out), "capsule");
}

static bool read_cylinder(abut_io_reader *r, json_t *o, abut_shape **out)
{
    double radius, height;
    return read_radius_height(r, o, ABUT_IO_POSITIVE, &radius, &height) &&
           created_simply(r, abut_shape_create_cylinder(radius, height, &r->alloc, out), "cylinder");
}

static bool read_cone(abut_io_reader *r, json_t *o, abut_shape **out)
{
    double radius, height;
    return read_radius_height(r, o, ABUT_IO_POSITIVE, &radius, &height) &&
           created_simply(r, abut_shape_create_cone(radius, height, &r->alloc, out), "cone");
}

static bool read_ellipsoid(abut_io_reader *r, json_t *o, abut_shape **out)
{
    abut_vec3 radii;
    return abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "radii")) &&
           abut_io_vec3(r, o, "radii", ABUT_IO_POSITIVE, &radii) &&
           created_simply(r, abut_shape_create_ellipsoid(radii, &r->alloc, out), "ellipsoid");
}

static bool read_torus(abut_io_reader *r, json_t *o, abut_shape **out)
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

static bool read_halfspace(abut_io_reader *r, json_t *o, abut_shape **out)
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

/* ---- any shape ---- */

/* What can go wrong once the margin is read is the fault of what is swept. */
static bool read_swept(abut_io_reader *r, json_t *o, abut_shape **out)
{
    enum { DEEPEST = 32 };
    double margin;
    abut_error error;
    if (r->csg_depth >= DEEPEST)
        return abut_io_fail(r, ABUT_ERR_LIMIT, "swept shapes are nested deeper than %d", DEEPEST);
    if (!abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "of", "margin")) ||
        !abut_io_number(r, o, "margin", ABUT_IO_NOT_NEGATIVE, &margin))
        return false;
    json_t *of = abut_io_need(r, o, "of");
    if (!of)
        return false;
    abut_shape *core = NULL;
    abut_io_enter_key(r, "of");
    ++r->csg_depth;
    bool ok = abut_io_read_shape(r, of, &core);
    --r->csg_depth;
    if (ok) {
        ok = abut_io_created(r, abut_shape_create_swept(core, margin, &r->alloc, out, &error), &error,
                             "swept shape");
        abut_shape_release(core);
        r->csg_height = 0;
    }
    abut_io_leave(r);
    return ok;
}

/* Reads part `index` of a compound into `out`, which holds references from then on. */
static bool read_part(abut_io_reader *r, json_t *value, abut_compound_part *out)
{
    json_t *shape, *pose;
    if (!abut_io_as_object(r, value) || !abut_io_check_keys(r, value, ABUT_IO_KEYS("shape", "pose")))
        return false;
    shape = abut_io_need(r, value, "shape");
    if (!shape)
        return false;
    abut_io_enter_key(r, "shape");
    ++r->csg_depth;
    const bool ok = abut_io_read_shape(r, shape, &out->shape);
    --r->csg_depth;
    if (!ok)
        return false;
    if (abut_shape_get_type(out->shape) == ABUT_SHAPE_COMPOUND)
        return abut_io_fail(r, ABUT_ERR_VALUE, "a part of a compound may not be a compound itself");
    abut_io_leave(r);
    pose = abut_io_get(value, "pose");
    if (!pose)
        return true;
    abut_io_enter_key(r, "pose");
    if (!abut_io_read_pose(r, pose, &out->at))
        return false;
    if (!abut_motion_is_rigid(out->at))
        return abut_io_fail(r, ABUT_ERR_VALUE,
                            "the parts of a compound are joined rigidly: this placement is not rigid");
    abut_io_leave(r);
    return true;
}

static bool read_compound(abut_io_reader *r, json_t *o, abut_shape **out)
{
    size_t count, i;
    abut_error error;
    if (!abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "of")))
        return false;
    json_t *list = abut_io_need(r, o, "of");
    if (!list)
        return false;
    abut_io_enter_key(r, "of");
    if (!abut_io_as_list(r, list, 1, "parts", &count))
        return false;
    abut_compound_part *parts = abut_workspace_take(&r->ws, count, sizeof *parts);
    if (!parts)
        return abut_io_fail_memory(r);
    memset(parts, 0, count * sizeof *parts);
    bool ok = true;
    for (i = 0; i < count && ok; ++i) {
        abut_io_enter_index(r, i);
        ok = read_part(r, json_array_get(list, i), &parts[i]);
        if (ok)
            abut_io_leave(r);
    }
    if (ok) {
        const abut_status status = abut_shape_create_compound(parts, count, &r->alloc, out, &error);
        if (status && error.index >= 0)
            abut_io_enter_index(r, (size_t)error.index);
        ok = abut_io_created(r, status, &error, "compound");
    }
    for (i = 0; i < count; ++i) {
        abut_shape_release(parts[i].shape);
        abut_motion_release(parts[i].at);
    }
    r->csg_height = 0;
    if (ok)
        abut_io_leave(r);
    return ok;
}

typedef bool (*read_shape_fn)(abut_io_reader *r, json_t *o, abut_shape **out);

/* In the order of abut_shape_type, from ABUT_SHAPE_SPHERE. A support shape, the last one, is a
 * function of a program: a file cannot hold one. */
static const read_shape_fn readers[] = { read_sphere,
                                         read_box,
                                         read_capsule,
                                         read_cylinder,
                                         read_cone,
                                         read_ellipsoid,
                                         read_torus,
                                         read_halfspace,
                                         abut_io_read_convex,
                                         abut_io_read_mesh,
                                         abut_io_read_polyhedron,
                                         abut_io_read_heightfield,
                                         abut_io_read_parametric,
                                         abut_io_read_bezier,
                                         abut_io_read_implicit,
                                         abut_io_read_csg,
                                         abut_io_read_extrude,
                                         abut_io_read_revolve,
                                         abut_io_read_solid,
                                         read_compound,
                                         read_swept };
static const char *const type_names[] = {
#define NAME(name, text) text,
    ABUT_SHAPE_LIST(NAME)
#undef NAME
        NULL
};
enum { READER_COUNT = sizeof readers / sizeof *readers };
_Static_assert(READER_COUNT == ABUT_SHAPE_SUPPORT - 1 && ABUT_SHAPE_SUPPORT == ABUT_SHAPE_TYPE_COUNT - 1,
               "one reader for each type but the last");

static bool read_name(abut_io_reader *r, json_t *value, abut_shape **out)
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

bool abut_io_read_shape(abut_io_reader *r, json_t *value, abut_shape **out)
{
    size_t type;
    if (json_is_string(value))
        return read_name(r, value, out);
    if (!json_is_object(value))
        return abut_io_fail(
            r, ABUT_ERR_VALUE,
            "a shape is an object with a \"type\", or the name of one in the \"shapes\" table");
    r->csg_height = 0;
    const char *names[READER_COUNT + 1] = { NULL };
    memcpy(names, type_names, READER_COUNT * sizeof *names);
    const abut_workspace_mark mark = abut_workspace_begin(&r->ws);
    const bool ok =
        abut_io_word(r, value, "type", "shape type", names, &type) && readers[type](r, value, out);
    abut_workspace_end(&r->ws, mark);
    return ok;
}
