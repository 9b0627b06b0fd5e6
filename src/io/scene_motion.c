/* SPDX-License-Identifier: MIT */
/* Poses and motions of a scene file, one function a motion type.
 *
 * A rotation is handed on as it is stated (quaternion, degrees or radians), because enclosures
 * are of what was stated. A `matrix` is allowed only as an object's pose: what lies between two
 * general matrices is no rigid motion. */
#include "io/scene_reader.h"
#include "io/scene_shape.h"

#include <math.h>

/* ---- poses ---- */

/* How far the norm of a quaternion may be off before it is taken for a mistake. Part of the
 * format. */
static const double quaternion_slack = 1e-3;

static bool read_quaternion(abut_io_reader *r, json_t *value, abut_rotation *out)
{
    double q[4];
    if (!abut_io_as_array(r, value, 4, "numbers [w, x, y, z]"))
        return false;
    for (size_t i = 0; i < 4; ++i) {
        abut_io_enter_index(r, i);
        if (!abut_io_as_number(r, json_array_get(value, i), ABUT_IO_ANY, &q[i]))
            return false;
        abut_io_leave(r);
    }
    const double norm = hypot(hypot(q[0], q[1]), hypot(q[2], q[3]));
    if (!(fabs(norm - 1) <= quaternion_slack))
        return abut_io_fail(r, ABUT_ERR_VALUE, "this quaternion has norm %.9g; it must be 1 within 1e-3",
                            norm);
    out->kind = ABUT_ROTATION_QUATERNION;
    out->quaternion = (abut_quat){ q[0], q[1], q[2], q[3] };
    return true;
}

static bool read_axis(abut_io_reader *r, json_t *object, abut_vec3 *out)
{
    if (!abut_io_vec3(r, object, "axis", ABUT_IO_ANY, out))
        return false;
    if (out->x == 0 && out->y == 0 && out->z == 0)
        return abut_io_fail_key(r, "axis", ABUT_ERR_VALUE, "this axis is zero; it must have a direction");
    return true;
}

static bool read_rotation(abut_io_reader *r, json_t *value, abut_rotation *out)
{
    if (json_is_array(value))
        return read_quaternion(r, value, out);
    if (!json_is_object(value))
        return abut_io_fail(
            r, ABUT_ERR_VALUE,
            "a rotation is a quaternion [w, x, y, z] or {\"axis\": [x, y, z], \"degrees\": d} "
            "or {\"axis\": [x, y, z], \"radians\": r}");
    if (!abut_io_check_keys(r, value, ABUT_IO_KEYS("axis", "degrees", "radians")) ||
        !read_axis(r, value, &out->axis))
        return false;
    const bool degrees = abut_io_get(value, "degrees"), radians = abut_io_get(value, "radians");
    if (degrees == radians)
        return abut_io_fail(r, ABUT_ERR_VALUE,
                            "a rotation about an axis needs either \"degrees\" or \"radians\"");
    out->kind = degrees ? ABUT_ROTATION_DEGREES : ABUT_ROTATION_RADIANS;
    return abut_io_number(r, value, degrees ? "degrees" : "radians", ABUT_IO_ANY, &out->angle);
}

/* {"position": ..., "rotation": ...}, both optional. */
static bool as_placement(abut_io_reader *r, json_t *value, abut_placement *out)
{
    *out = (abut_placement){ 0 };
    if (!abut_io_as_object(r, value))
        return false;
    if (abut_io_get(value, "matrix"))
        return abut_io_fail_key(
            r, "matrix", ABUT_ERR_VALUE,
            "a matrix is allowed only as the \"pose\" of an object; for one that changes there is "
            "the motion \"affine\"");
    if (!abut_io_check_keys(r, value, ABUT_IO_KEYS("position", "rotation")))
        return false;
    if (abut_io_get(value, "position") && !abut_io_vec3(r, value, "position", ABUT_IO_ANY, &out->position))
        return false;
    json_t *rotation = abut_io_get(value, "rotation");
    if (!rotation)
        return true;
    abut_io_enter_key(r, "rotation");
    if (!read_rotation(r, rotation, &out->rotation))
        return false;
    abut_io_leave(r);
    return true;
}

static bool placement(abut_io_reader *r, json_t *object, const char *key, abut_placement *out)
{
    json_t *value = abut_io_need(r, object, key);
    if (!value)
        return false;
    abut_io_enter_key(r, key);
    if (!as_placement(r, value, out))
        return false;
    abut_io_leave(r);
    return true;
}

/* [[a, b, c, x], [...], [...]] */
static bool as_matrix(abut_io_reader *r, json_t *value, abut_affine *out)
{
    double m[3][4];
    if (!abut_io_as_array(r, value, 3, "rows [a, b, c, x]"))
        return false;
    for (size_t i = 0; i < 3; ++i) {
        json_t *row = json_array_get(value, i);
        abut_io_enter_index(r, i);
        if (!abut_io_as_array(r, row, 4, "numbers"))
            return false;
        for (size_t j = 0; j < 4; ++j) {
            abut_io_enter_index(r, j);
            if (!abut_io_as_number(r, json_array_get(row, j), ABUT_IO_ANY, &m[i][j]))
                return false;
            abut_io_leave(r);
        }
        abut_io_leave(r);
        for (size_t j = 0; j < 3; ++j)
            out->linear.m[i][j] = m[i][j];
    }
    out->translation = (abut_vec3){ m[0][3], m[1][3], m[2][3] };
    return true;
}

bool abut_io_read_pose(abut_io_reader *r, json_t *value, abut_motion **out)
{
    abut_error error;
    json_t *matrix = json_is_object(value) ? abut_io_get(value, "matrix") : NULL;
    if (!matrix) {
        abut_placement at;
        return as_placement(r, value, &at) &&
               abut_io_created(r, abut_motion_create_static(&at, &r->alloc, out, &error), &error, "pose");
    }
    if (abut_io_get(value, "position") || abut_io_get(value, "rotation"))
        return abut_io_fail(r, ABUT_ERR_VALUE,
                            "a pose has either a \"matrix\" or \"position\" and \"rotation\"");
    if (!abut_io_check_keys(r, value, ABUT_IO_KEYS("matrix")))
        return false;
    abut_affine at;
    abut_io_enter_key(r, "matrix");
    if (!as_matrix(r, matrix, &at) ||
        !abut_io_created(r, abut_motion_create_static_affine(&at, &r->alloc, out, &error), &error, "matrix"))
        return false;
    abut_io_leave(r);
    return true;
}

/* ---- motions ---- */

typedef abut_status (*create_between)(double t0, double t1, const abut_placement *from,
                                      const abut_placement *to, const abut_allocator *alloc,
                                      abut_motion **out, abut_error *error);

static bool read_between(abut_io_reader *r, json_t *object, create_between create, abut_motion **out)
{
    abut_placement from, to;
    abut_error error;
    return abut_io_check_keys(r, object, ABUT_IO_KEYS("type", "from", "to")) &&
           placement(r, object, "from", &from) && placement(r, object, "to", &to) &&
           abut_io_created(r, create(r->t0, r->t1, &from, &to, &r->alloc, out, &error), &error, "motion");
}

static bool read_linear(abut_io_reader *r, json_t *object, abut_motion **out)
{
    return read_between(r, object, abut_motion_create_linear, out);
}

static bool read_screw(abut_io_reader *r, json_t *object, abut_motion **out)
{
    return read_between(r, object, abut_motion_create_screw, out);
}

static bool read_nlerp(abut_io_reader *r, json_t *object, abut_motion **out)
{
    return read_between(r, object, abut_motion_create_nlerp, out);
}

/* All three are optional, as in any pose, but one of the velocities must be there. */
static bool read_velocity(abut_io_reader *r, json_t *object, abut_motion **out)
{
    abut_placement at = { 0 };
    abut_vec3 linear = { 0 }, angular = { 0 };
    abut_error error;
    if (!abut_io_check_keys(r, object, ABUT_IO_KEYS("type", "pose", "linear", "angular")))
        return false;
    if (!abut_io_get(object, "linear") && !abut_io_get(object, "angular"))
        return abut_io_fail(r, ABUT_ERR_VALUE, "a velocity motion needs \"linear\" or \"angular\" or both");
    if (abut_io_get(object, "pose") && !placement(r, object, "pose", &at))
        return false;
    if (abut_io_get(object, "linear") && !abut_io_vec3(r, object, "linear", ABUT_IO_ANY, &linear))
        return false;
    if (abut_io_get(object, "angular") && !abut_io_vec3(r, object, "angular", ABUT_IO_ANY, &angular))
        return false;
    return abut_io_created(
        r, abut_motion_create_velocity(r->t0, r->t1, &at, linear, angular, &r->alloc, out, &error), &error,
        "motion");
}

/* `count` lists of coefficients, each possibly empty. */
static bool read_series(abut_io_reader *r, json_t *object, const char *key, size_t count, abut_series *out)
{
    json_t *value = abut_io_need(r, object, key);
    if (!value)
        return false;
    abut_io_enter_key(r, key);
    if (!abut_io_as_array(r, value, count, "lists of coefficients"))
        return false;
    for (size_t i = 0; i < count; ++i) {
        double *c;
        abut_io_enter_index(r, i);
        if (!abut_io_as_numbers(r, json_array_get(value, i), 0, ABUT_IO_ANY, &c, &out[i].count))
            return false;
        out[i].c = c;
        abut_io_leave(r);
    }
    abut_io_leave(r);
    return true;
}

static bool read_chebyshev(abut_io_reader *r, json_t *object, abut_motion **out)
{
    abut_series position[3], quaternion[4] = { { NULL, 0 } };
    abut_error error;
    if (!abut_io_check_keys(r, object, ABUT_IO_KEYS("type", "position", "quaternion")) ||
        !read_series(r, object, "position", 3, position))
        return false;
    if (abut_io_get(object, "quaternion")) {
        if (!read_series(r, object, "quaternion", 4, quaternion))
            return false;
        /* To the library four empty lists are the identity; in a file they are a mistake. */
        if (quaternion[0].count + quaternion[1].count + quaternion[2].count + quaternion[3].count == 0)
            return abut_io_fail_key(r, "quaternion", ABUT_ERR_VALUE,
                                    "all four lists are empty; leave the key out to have no rotation");
    }
    return abut_io_created(
        r, abut_motion_create_chebyshev(r->t0, r->t1, position, quaternion, &r->alloc, out, &error), &error,
        "motion");
}

static bool read_affine(abut_io_reader *r, json_t *object, abut_motion **out)
{
    abut_error error;
    size_t count;
    if (!abut_io_check_keys(r, object, ABUT_IO_KEYS("type", "matrices")))
        return false;
    json_t *value = abut_io_need(r, object, "matrices");
    if (!value)
        return false;
    abut_io_enter_key(r, "matrices");
    if (!abut_io_as_list(r, value, 1, "matrices of 3 rows [a, b, c, x]", &count))
        return false;
    abut_affine *matrices = abut_workspace_take(&r->ws, count, sizeof *matrices);
    if (!matrices)
        return abut_io_fail_memory(r);
    for (size_t i = 0; i < count; ++i) {
        abut_io_enter_index(r, i);
        if (!as_matrix(r, json_array_get(value, i), &matrices[i]))
            return false;
        abut_io_leave(r);
    }
    if (!abut_io_created(r, abut_motion_create_affine(r->t0, r->t1, matrices, count, &r->alloc, out, &error),
                         &error, "motion"))
        return false;
    abut_io_leave(r);
    return true;
}

static bool read_expression(abut_io_reader *r, json_t *object, abut_motion **out)
{
    const char *position[3], *radians = NULL;
    abut_vec3 axis = { 0, 0, 1 };
    abut_error error;
    if (!abut_io_check_keys(r, object, ABUT_IO_KEYS("type", "position", "rotation")))
        return false;
    json_t *value = abut_io_need(r, object, "position");
    if (!value)
        return false;
    abut_io_enter_key(r, "position");
    if (!abut_io_as_array(r, value, 3, "strings, expressions in t"))
        return false;
    for (size_t i = 0; i < 3; ++i) {
        abut_io_enter_index(r, i);
        if (!abut_io_as_string(r, json_array_get(value, i), &position[i]))
            return false;
        abut_io_leave(r);
    }
    abut_io_leave(r);
    json_t *rotation = abut_io_get(object, "rotation");
    if (rotation) {
        abut_io_enter_key(r, "rotation");
        if (!abut_io_as_object(r, rotation) ||
            !abut_io_check_keys(r, rotation, ABUT_IO_KEYS("axis", "radians")) ||
            !read_axis(r, rotation, &axis) || !abut_io_string(r, rotation, "radians", &radians))
            return false;
        abut_io_leave(r);
    }
    return abut_io_created(
        r, abut_motion_create_expression(r->t0, r->t1, position, axis, radians, &r->alloc, out, &error),
        &error, "motion");
}

/* The keys must reach over the scene's time: what an object does outside its keys is not for the
 * reader to invent. */
static bool check_cover(abut_io_reader *r, const abut_keyframe *keys, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        const bool starts = i > 0 || keys[i].t <= r->t0, ends = i + 1 < count || keys[i].t >= r->t1;
        const bool ascends = i == 0 || keys[i - 1].t < keys[i].t;
        if (starts && ends && ascends)
            continue;
        abut_io_enter_index(r, i);
        if (!ascends)
            return abut_io_fail_key(r, "t", ABUT_ERR_VALUE,
                                    "this is %.17g; it must be later than the key before, %.17g", keys[i].t,
                                    keys[i - 1].t);
        if (!starts)
            return abut_io_fail_key(
                r, "t", ABUT_ERR_VALUE,
                "the first key is at %.17g; it must not be after the start of the scene's time, %.17g",
                keys[i].t, r->t0);
        return abut_io_fail_key(
            r, "t", ABUT_ERR_VALUE,
            "the last key is at %.17g; it must not be before the end of the scene's time, %.17g", keys[i].t,
            r->t1);
    }
    return true;
}

static bool read_keyframes(abut_io_reader *r, json_t *object, abut_motion **out)
{
    abut_error error;
    size_t count;
    if (!abut_io_check_keys(r, object, ABUT_IO_KEYS("type", "keys")))
        return false;
    json_t *value = abut_io_need(r, object, "keys");
    if (!value)
        return false;
    abut_io_enter_key(r, "keys");
    if (!abut_io_as_list(r, value, 2, "keys {\"t\": time, \"pose\": pose}", &count))
        return false;
    abut_keyframe *keys = abut_workspace_take(&r->ws, count, sizeof *keys);
    if (!keys)
        return abut_io_fail_memory(r);
    for (size_t i = 0; i < count; ++i) {
        json_t *key = json_array_get(value, i);
        abut_io_enter_index(r, i);
        if (!abut_io_as_object(r, key) || !abut_io_check_keys(r, key, ABUT_IO_KEYS("t", "pose")) ||
            !abut_io_number(r, key, "t", ABUT_IO_ANY, &keys[i].t) || !placement(r, key, "pose", &keys[i].at))
            return false;
        abut_io_leave(r);
    }
    if (!check_cover(r, keys, count) ||
        !abut_io_created(r, abut_motion_create_keyframes(keys, count, &r->alloc, out, &error), &error,
                         "motion"))
        return false;
    abut_io_leave(r);
    return true;
}

typedef bool (*read_motion_fn)(abut_io_reader *r, json_t *object, abut_motion **out);

/* In the order of the names below it. */
static const read_motion_fn readers[] = { read_linear,     read_velocity,  read_screw,
                                          read_nlerp,      read_chebyshev, read_affine,
                                          read_expression, read_keyframes, abut_io_read_vertices };
static const char *const type_names[] = { "linear", "velocity",   "screw",     "nlerp",    "chebyshev",
                                          "affine", "expression", "keyframes", "vertices", NULL };

bool abut_io_read_motion(abut_io_reader *r, json_t *value, abut_motion **out)
{
    size_t type;
    const abut_workspace_mark mark = abut_workspace_begin(&r->ws);
    const bool ok = abut_io_as_object(r, value) &&
                    abut_io_word(r, value, "type", "motion type", type_names, &type) &&
                    readers[type](r, value, out);
    abut_workspace_end(&r->ws, mark);
    return ok;
}
