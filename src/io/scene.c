/* SPDX-License-Identifier: MIT */
/* Scenes: the top of the file (version, time, shapes, objects, pairs, query), and what a scene
 * answers.
 *
 * A scene is built in place and destroyed whole when anything fails, so there is one way out.
 * Names are found by binary search in a sorted list, made when all objects are there; that is
 * also where repeated names show. */
#include "abut/scene.h"
#include "abut/query.h"

#include "base/memory.h"
#include "base/sort.h"
#include "expr/names.h"
#include "io/scene_data.h"
#include "io/scene_file.h"
#include "io/scene_reader.h"
#include "io/scene_stream.h"
#include "math/nearest.h"
#include "motion/motion.h"
#include "shape/shape.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- objects ---- */

static bool check_name(abut_io_reader *r, const char *name)
{
    for (const char *c = name; *c; ++c)
        if ((unsigned char)*c < 32 || *c == 127)
            return abut_io_fail_key(r, "name", ABUT_ERR_VALUE, "a name may not hold control characters");
    return true;
}

/* Shapes that are a few numbers: where an equal one was read lately, that one. Scenes of 10^5 equal
 * balls then have one. */
static void share_simple(abut_io_reader *r, abut_shape **shape)
{
    const abut_shape *const own = *shape;
    if (own->type > ABUT_SHAPE_ELLIPSOID)
        return;
    uint64_t hash = (uint64_t)own->type, bits[3], others[3] = { 0 };
    memcpy(bits, &own->u.box, sizeof bits);
    for (int i = 0; i < 3; ++i)
        hash = (hash ^ bits[i]) * 0x9E3779B97F4A7C15u;
    abut_shape **const kept = &r->simple[hash >> 52];
    if (*kept)
        memcpy(others, &(*kept)->u.box, sizeof others);
    if (*kept && (*kept)->type == own->type && others[0] == bits[0] && others[1] == bits[1] &&
        others[2] == bits[2]) {
        abut_shape_release(*shape);
        *shape = abut_shape_retain(*kept);
        return;
    }
    abut_shape_release(*kept);
    *kept = abut_shape_retain(*shape);
}

static bool read_object(abut_io_reader *r, json_t *value, scene_object *out)
{
    const char *name;
    if (!abut_io_as_object(r, value) ||
        !abut_io_check_keys(r, value, ABUT_IO_KEYS("name", "shape", "pose", "motion", "parent", "group")) ||
        !abut_io_string(r, value, "name", &name) || !check_name(r, name))
        return false;
    out->name = abut_base_strdup(&r->alloc, name);
    if (!out->name)
        return abut_io_fail_memory(r);
    if (abut_io_get(value, "group")) {
        const char *group;
        if (!abut_io_string(r, value, "group", &group))
            return false;
        out->group = abut_base_strdup(&r->alloc, group);
        if (!out->group)
            return abut_io_fail_memory(r);
    }

    json_t *parent = abut_io_get(value, "parent");
    if (parent) {
        const char *text;
        abut_io_enter_key(r, "parent");
        if (!abut_io_as_string(r, parent, &text))
            return false;
        abut_io_leave(r);
        out->parent_name = abut_base_strdup(&r->alloc, text);
        if (!out->parent_name)
            return abut_io_fail_memory(r);
    }

    json_t *shape = abut_io_need(r, value, "shape");
    if (!shape)
        return false;
    abut_io_enter_key(r, "shape");
    if (!abut_io_read_shape(r, shape, &out->shape))
        return false;
    share_simple(r, &out->shape);
    abut_io_leave(r);

    json_t *pose = abut_io_get(value, "pose"), *motion = abut_io_get(value, "motion");
    if (pose && motion)
        return abut_io_fail_key(
            r, "motion", ABUT_ERR_VALUE,
            "an object has a \"pose\" or a \"motion\", not both (most motions say the pose themselves)");
    if (motion) {
        abut_io_enter_key(r, "motion");
        r->moved = out->shape;
        if (!abut_io_read_motion(r, motion, &out->motion))
            return false;
        abut_io_leave(r);
    } else if (pose) {
        abut_io_enter_key(r, "pose");
        if (!abut_io_read_pose(r, pose, &out->motion))
            return false;
        abut_io_leave(r);
    } else {
        abut_error error;
        const abut_placement identity = { 0 };
        return abut_io_created(r, abut_motion_create_static(&identity, &r->alloc, &out->motion, &error),
                               &error, "pose");
    }
    return true;
}

/* Ties by number, so that of two equal names the later one is found second. */
static bool name_before(void *ctx, const void *a, const void *b)
{
    const scene_object *objects = ctx;
    const size_t i = *(const size_t *)a, j = *(const size_t *)b;
    const int order = strcmp(objects[i].name, objects[j].name);
    return order < 0 || (order == 0 && i < j);
}

static bool sort_names(abut_io_reader *r, abut_scene *scene)
{
    for (size_t i = 0; i < scene->object_count; ++i)
        scene->by_name[i] = i;
    abut_base_sort(scene->by_name, scene->object_count, sizeof *scene->by_name, name_before, scene->objects);
    for (size_t i = 1; i < scene->object_count; ++i) {
        const size_t first = scene->by_name[i - 1], second = scene->by_name[i];
        if (strcmp(scene->objects[first].name, scene->objects[second].name) != 0)
            continue;
        abut_io_enter_index(r, second);
        return abut_io_fail_key(r, "name", ABUT_ERR_VALUE, "the name \"%.80s\" is that of object %zu already",
                                scene->objects[second].name, first);
    }
    return true;
}

/* Expressions must be defined all the time of the scene: nothing could be proved about a body
 * that is not there. */
static bool check_defined(abut_io_reader *r, const scene_object *object, abut_interval time)
{
    abut_error error;
    const char *key = "shape";
    abut_status status = abut_shape_defined_over(object->shape, time, &error);
    if (!status && abut_motion_get_type(object->motion) != ABUT_MOTION_STATIC) {
        key = "motion";
        status = abut_motion_defined_over(object->motion, time, &error);
    }
    if (status == ABUT_ERR_MEMORY)
        return abut_io_fail_memory(r);
    if (status)
        return abut_io_fail_key(r, key, ABUT_ERR_VALUE, "%s", error.text);
    return true;
}

static bool find_object(abut_io_reader *r, const abut_scene *scene, const char *name, size_t *out)
{
    const int64_t found = abut_scene_find(scene, name);
    if (found >= 0) {
        *out = (size_t)found;
        return true;
    }
    abut_expr_guess guess = { .wanted = name, .length = strlen(name) };
    for (size_t i = 0; i < scene->object_count; ++i)
        abut_expr_guess_offer(&guess, scene->objects[i].name);
    if (guess.best)
        return abut_io_fail(r, ABUT_ERR_VALUE, "there is no object \"%.80s\", did you mean \"%s\"?", name,
                            guess.best);
    return abut_io_fail(r, ABUT_ERR_VALUE, "there is no object \"%.80s\"", name);
}

bool abut_io_read_object_name(abut_io_reader *r, const abut_scene *scene, json_t *value, size_t *out)
{
    const char *name;
    return abut_io_as_string(r, value, &name) && find_object(r, scene, name, out);
}

/* ---- parents ---- */

/* The world's is not read: what does not move and stands where the world does. */
static bool is_identity(const abut_motion *motion)
{
    abut_affine at;
    if (abut_motion_get_type(motion) != ABUT_MOTION_STATIC || abut_motion_at(motion, 0, &at))
        return false;
    const abut_mat3 *m = &at.linear;
    for (int i = 0; i < 9; ++i)
        if (m->m[i / 3][i % 3] != (i % 4 == 0))
            return false;
    return at.translation.x == 0 && at.translation.y == 0 && at.translation.z == 0;
}

/* The object's motion in the world, from that of its parent, which is in the world already. */
static bool hang_on(abut_io_reader *r, const scene_object *parent, scene_object *object)
{
    /* what hangs on a mesh that deforms is in the frame in which its vertices are given */
    abut_motion *const links[2] = { abut_motion_frame(parent->motion), object->motion };
    abut_motion *chain = NULL;
    abut_error error;
    if (!links[0] || is_identity(links[0]))
        return true;
    if (is_identity(object->motion))
        chain = abut_motion_retain(links[0]);
    else if (!abut_io_created(r, abut_motion_create_chain(links, 2, &r->alloc, &chain, &error), &error,
                              "parent"))
        return false;
    abut_motion_release(object->motion);
    object->motion = chain;
    return true;
}

static bool fail_cycle(abut_io_reader *r, const abut_scene *scene, size_t object)
{
    const size_t parent = scene->objects[object].parent;
    abut_io_enter_index(r, object);
    if (parent == object)
        return abut_io_fail_key(r, "parent", ABUT_ERR_VALUE, "the object \"%.80s\" is its own parent",
                                scene->objects[object].name);
    return abut_io_fail_key(r, "parent", ABUT_ERR_VALUE,
                            "the parents of \"%.80s\" lead back to it, by \"%.80s\": a cycle",
                            scene->objects[object].name, scene->objects[parent].name);
}

/* Parents first: each object is hung on its parent once that is done. */
static bool resolve_parents(abut_io_reader *r, abut_scene *scene)
{
    enum { WAITING, ON_THE_WAY, DONE };
    const size_t count = scene->object_count;
    size_t *way = abut_workspace_take(&r->ws, count, sizeof *way);
    unsigned char *state = abut_workspace_take(&r->ws, count, sizeof *state);
    if (!way || !state)
        return abut_io_fail_memory(r);
    memset(state, WAITING, count);
    for (size_t i = 0; i < count; ++i) {
        size_t length = 0, at = i;
        while (at != ABUT_IO_NONE && state[at] == WAITING) {
            state[at] = ON_THE_WAY;
            way[length++] = at;
            at = scene->objects[at].parent;
        }
        if (at != ABUT_IO_NONE && state[at] == ON_THE_WAY)
            return fail_cycle(r, scene, at);
        while (length > 0) {
            scene_object *object = &scene->objects[way[--length]];
            state[way[length]] = DONE;
            if (object->parent == ABUT_IO_NONE)
                continue;
            abut_io_enter_index(r, way[length]);
            if (!hang_on(r, &scene->objects[object->parent], object))
                return false;
            abut_io_leave(r);
        }
    }
    return true;
}

/* Turns and mirror images of the axes are placements for every shape. */
static bool keeps_axes(const abut_affine *at)
{
    int rows = 0;
    for (int j = 0; j < 3; ++j) {
        int ones = 0, others = 0;
        for (int i = 0; i < 3; ++i) {
            const double e = at->linear.m[i][j];
            ones += fabs(e) == 1;
            others += e != 0 && fabs(e) != 1;
            rows |= fabs(e) == 1 ? 1 << i : 0;
        }
        if (ones != 1 || others)
            return false;
    }
    return rows == 7;
}

/* A shape at rest under a matrix, which is no placement for its kind, becomes a shape of its own. That of a
 * parent is the frame of others, and stays. */
static bool stretch(abut_io_reader *r, scene_object *object)
{
    const abut_shape_type type = abut_shape_get_type(object->shape);
    abut_affine at;
    abut_shape *shape;
    abut_error error;
    abut_motion *still;
    if (abut_motion_get_type(object->motion) != ABUT_MOTION_STATIC || abut_motion_is_rigid(object->motion) ||
        type == ABUT_SHAPE_SPHERE || type == ABUT_SHAPE_ELLIPSOID || abut_motion_at(object->motion, 0, &at) ||
        keeps_axes(&at))
        return true;
    abut_io_enter_key(r, "pose");
    const abut_status status = abut_shape_create_transformed(object->shape, &at, &r->alloc, &shape, &error);
    if (status == ABUT_ERR_UNSUPPORTED) { /* queries say so */
        abut_io_leave(r);
        return true;
    }
    if (!abut_io_created(r, status, &error, "matrix"))
        return false;
    abut_shape_release(object->shape);
    object->shape = shape;
    const abut_placement identity = { { 0, 0, 0 }, { 0 } };
    if (!abut_io_created(r, abut_motion_create_static(&identity, &r->alloc, &still, &error), &error, "pose"))
        return false;
    abut_motion_release(object->motion);
    object->motion = still;
    abut_io_leave(r);
    return true;
}

static bool stretch_all(abut_io_reader *r, abut_scene *scene)
{
    bool *const carries = abut_workspace_take(&r->ws, scene->object_count, sizeof *carries);
    if (!carries)
        return abut_io_fail_memory(r);
    memset(carries, 0, scene->object_count * sizeof *carries);
    for (size_t i = 0; i < scene->object_count; ++i)
        if (scene->objects[i].parent != ABUT_IO_NONE)
            carries[scene->objects[i].parent] = true;
    for (size_t i = 0; i < scene->object_count; ++i) {
        if (carries[i])
            continue;
        abut_io_enter_index(r, i);
        if (!stretch(r, &scene->objects[i]))
            return false;
        abut_io_leave(r);
    }
    return true;
}

/* Names of parents to numbers, motions to the world's frame. */
static bool read_parents(abut_io_reader *r, abut_scene *scene)
{
    bool any = false;
    for (size_t i = 0; i < scene->object_count; ++i) {
        scene_object *const object = &scene->objects[i];
        object->parent = ABUT_IO_NONE;
        if (!object->parent_name)
            continue;
        any = true;
        abut_io_enter_index(r, i);
        abut_io_enter_key(r, "parent");
        if (!find_object(r, scene, object->parent_name, &object->parent))
            return false;
        abut_io_leave(r);
        abut_io_leave(r);
        abut_base_strfree(&r->alloc, object->parent_name);
        object->parent_name = NULL;
    }
    return stretch_all(r, scene) && (!any || resolve_parents(r, scene));
}

/* Object `index`, from the list or from its own piece of the text. */
static bool read_numbered(abut_io_reader *r, json_t *list, size_t index, abut_scene *scene)
{
    json_t *own = NULL;
    if (r->stream) {
        own = abut_io_stream_get(r->stream, r->text, index);
        r->retry = !own;
        if (!own)
            return abut_io_fail_memory(r); /* which nobody sees: the whole is read again */
    }
    const bool ok = read_object(r, own ? own : json_array_get(list, index), &scene->objects[index]) &&
                    check_defined(r, &scene->objects[index], scene->time);
    json_decref(own);
    return ok;
}

static bool read_objects(abut_io_reader *r, json_t *root, abut_scene *scene)
{
    json_t *list = abut_io_need(r, root, "objects");
    size_t count;
    if (!list)
        return false;
    abut_io_enter_key(r, "objects");
    if (r->stream)
        count = r->stream->count;
    else if (!abut_io_as_list(r, list, 1, "objects", &count))
        return false;
    scene->objects = abut_base_alloc_zero(&scene->alloc, count, sizeof *scene->objects);
    scene->by_name = abut_base_alloc(&scene->alloc, count, sizeof *scene->by_name);
    scene->object_capacity = count;
    if (!scene->objects || !scene->by_name)
        return abut_io_fail_memory(r);
    for (size_t i = 0; i < count; ++i) {
        /* from here on, whatever the object holds is destroyed with the scene */
        ++scene->object_count;
        abut_io_enter_index(r, i);
        if (!read_numbered(r, list, i, scene))
            return false;
        abut_io_leave(r);
    }
    if (!sort_names(r, scene) || !read_parents(r, scene))
        return false;
    abut_io_leave(r);
    return true;
}

/* ---- the other members of a scene ---- */

static bool read_version(abut_io_reader *r, json_t *root)
{
    double version;
    if (!abut_io_number(r, root, "abut", ABUT_IO_ANY, &version))
        return false;
    if (version != 1)
        return abut_io_fail_key(r, "abut", ABUT_ERR_VALUE,
                                "this is format version %.9g; version 1 is the one there is", version);
    return true;
}

static bool read_time(abut_io_reader *r, json_t *root, abut_scene *scene)
{
    json_t *value = abut_io_get(root, "time");
    double t[2] = { 0, 1 };
    if (value) {
        abut_io_enter_key(r, "time");
        if (!abut_io_as_array(r, value, 2, "numbers [start, end]"))
            return false;
        for (size_t i = 0; i < 2; ++i) {
            abut_io_enter_index(r, i);
            if (!abut_io_as_number(r, json_array_get(value, i), ABUT_IO_ANY, &t[i]))
                return false;
            abut_io_leave(r);
        }
        if (!(t[0] < t[1]) || !isfinite(t[1] - t[0]))
            return abut_io_fail(
                r, ABUT_ERR_VALUE,
                "this is [%.17g, %.17g]; the start must be before the end, and the length finite", t[0],
                t[1]);
        abut_io_leave(r);
    }
    scene->time = (abut_interval){ t[0], t[1] };
    r->t0 = t[0];
    r->t1 = t[1];
    return true;
}

/* A shape in the table may name those above it. */
static bool read_table(abut_io_reader *r, json_t *root)
{
    r->table = abut_io_get(root, "shapes");
    if (!r->table)
        return true;
    abut_io_enter_key(r, "shapes");
    if (!abut_io_as_object(r, r->table))
        return false;
    r->shapes = abut_workspace_take(&r->ws, json_object_size(r->table), sizeof *r->shapes);
    if (!r->shapes)
        return abut_io_fail_memory(r);
    json_t *const table = r->table;
    for (void *i = json_object_iter(table); i; i = json_object_iter_next(table, i)) {
        abut_io_named_shape named = { .name = json_object_iter_key(i) };
        abut_io_enter_key(r, named.name);
        if (!named.name[0])
            return abut_io_fail(r, ABUT_ERR_VALUE, "the name of a shape may not be empty");
        if (!abut_io_read_shape(r, json_object_iter_value(i), &named.shape))
            return false;
        named.csg_height = r->csg_height;
        r->shapes[r->shape_count++] = named;
        abut_io_leave(r);
    }
    abut_io_leave(r);
    return true;
}

static bool check_method(abut_io_reader *r, const char *name)
{
    char known[128] = ""; /* seven words of 11 letters at most */
    size_t length = 0;
    for (int i = 0; i < ABUT_METHOD_COUNT; ++i) {
        const char *const other = abut_first_method_name((abut_first_method)i);
        if (strcmp(name, other) == 0)
            return true;
        if (length < sizeof known)
            length +=
                (size_t)snprintf(known + length, sizeof known - length, "%s%s", i > 0 ? ", " : "", other);
    }
    return abut_io_fail_key(r, "method", ABUT_ERR_VALUE, "there is no method '%s'; there are: %s", name,
                            known);
}

static bool read_query(abut_io_reader *r, json_t *root, abut_scene *scene)
{
    abut_scene_query *query = &scene->query;
    query->simultaneity = query->separation = query->accuracy = (double)NAN;
    json_t *table = abut_io_get(root, "query");
    if (!table)
        return true;
    abut_io_enter_key(r, "query");
    if (!abut_io_as_object(r, table) ||
        !abut_io_check_keys(
            r, table, ABUT_IO_KEYS("simultaneity", "separation", "accuracy", "max_iterations", "method")))
        return false;
    const struct {
        const char *key;
        double *out;
    } numbers[] = { { "simultaneity", &query->simultaneity },
                    { "separation", &query->separation },
                    { "accuracy", &query->accuracy } };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        if (abut_io_get(table, numbers[i].key) &&
            !abut_io_number(r, table, numbers[i].key, ABUT_IO_NOT_NEGATIVE, numbers[i].out))
            return false;
    if (abut_io_get(table, "max_iterations") &&
        !abut_io_integer(r, table, "max_iterations", 1, (uint64_t)1 << 53, &query->max_iterations))
        return false;
    const char *method;
    if (abut_io_get(table, "method")) {
        if (!abut_io_string(r, table, "method", &method) || !check_method(r, method))
            return false;
        scene->method = abut_base_strdup(&r->alloc, method);
        if (!scene->method)
            return abut_io_fail_memory(r);
        query->method = scene->method;
    }
    abut_io_leave(r);
    return true;
}

/* ---- reading ---- */

static bool read_scene(abut_io_reader *r, json_t *root, abut_scene *scene)
{
    return abut_io_as_object(r, root) && read_version(r, root) &&
           abut_io_check_keys(
               r, root, ABUT_IO_KEYS("abut", "time", "shapes", "objects", "pairs", "exclude", "query")) &&
           read_time(r, root, scene) && read_table(r, root) && read_objects(r, root, scene) &&
           abut_io_read_pairs(r, root, scene) && read_query(r, root, scene);
}

/* Takes the document. *retry: the pieces of the stream are not what they seem. */
static abut_status read_document(abut_io_reader *r, json_t *root, abut_scene **out)
{
    abut_workspace_open(&r->ws, &r->alloc);
    const abut_workspace_mark mark = abut_workspace_begin(&r->ws);
    abut_scene *scene = abut_base_alloc_zero(&r->alloc, 1, sizeof *scene);
    if (!scene) {
        abut_io_fail_memory(r);
    } else {
        scene->alloc = r->alloc;
        read_scene(r, root, scene);
    }
    for (size_t i = 0; i < r->shape_count; ++i)
        abut_shape_release(r->shapes[i].shape);
    for (size_t i = 0; i < sizeof r->simple / sizeof *r->simple; ++i)
        abut_shape_release(r->simple[i]);
    abut_workspace_end(&r->ws, mark);
    abut_workspace_close(&r->ws);
    json_decref(root);
    if (r->status != ABUT_OK)
        abut_scene_destroy(scene);
    else
        *out = scene;
    return r->status;
}

/* Many objects, one by one; false where the text has to be parsed as a whole. */
static bool parse_stream(const abut_io_reader *start, abut_scene **out, abut_status *status)
{
    abut_io_stream stream;
    if (!abut_io_stream_open(&stream, start->text, start->length, &start->alloc))
        return false;
    abut_io_reader r = *start;
    r.stream = &stream;
    json_t *root = abut_io_stream_rest(&stream, r.text, r.length);
    if (root)
        *status = read_document(&r, root, out);
    abut_io_stream_close(&stream);
    return root && !r.retry;
}

static ABUT_MATH_NOINLINE abut_status parse(const char *text, size_t length, const char *name,
                                            const abut_allocator *alloc, abut_scene **out, abut_error *error)
{
    if (length > ABUT_IO_SCENE_FILE_LIMIT) {
        abut_base_fail(error, ABUT_ERR_LIMIT, -1,
                       "the text is larger than 256 MiB, the most a scene may have");
        abut_io_set_file(error, name);
        return ABUT_ERR_LIMIT;
    }
    abut_io_reader r = { .name = name, .text = text, .length = length, .error = error };
    r.alloc = abut_base_allocator(alloc);
    abut_status status;
    if (parse_stream(&r, out, &status))
        return status;
    abut_base_clear(error);
    json_t *root;
    status = abut_io_parse_json(text ? text : "", length, name, &root, error);
    return status ? status : read_document(&r, root, out);
}

/* Jansson's numbers come from strtod, which rounds as the caller does, and so do shapes and motions
 * that are computed from them. */
static abut_status parse_nearest(const char *text, size_t length, const char *name,
                                 const abut_allocator *alloc, abut_scene **out, abut_error *error)
{
    const abut_nearest_library saved = abut_nearest_enter_library();
    const abut_status status = parse(text, length, name, alloc, out, error);
    abut_nearest_leave_library(saved);
    return status;
}

abut_status abut_scene_parse(const char *text, size_t length, const char *name, const abut_allocator *alloc,
                             abut_scene **out, abut_error *error)
{
    abut_base_clear(error);
    if (!out)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "text and out must not be NULL");
    *out = NULL;
    if (!text && length > 0)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "text and out must not be NULL");
    return parse_nearest(text, length, name ? name : "", alloc, out, error);
}

abut_status abut_scene_load(const char *file, const abut_allocator *alloc, abut_scene **out,
                            abut_error *error)
{
    abut_base_clear(error);
    if (out)
        *out = NULL;
    if (!out || !file)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "file and out must not be NULL");
    const abut_allocator allocator = abut_base_allocator(alloc);
    abut_io_text text;
    abut_status status = abut_io_read_text(file, &allocator, &text, error);
    if (status != ABUT_OK)
        return status;
    status = parse_nearest(text.bytes, text.count, file, alloc, out, error);
    abut_io_free_text(&allocator, &text);
    return status;
}

void abut_scene_destroy(abut_scene *scene)
{
    if (!scene)
        return;
    const abut_allocator alloc = scene->alloc;
    for (size_t i = 0; i < scene->object_count; ++i) {
        abut_base_strfree(&alloc, scene->objects[i].name);
        abut_base_strfree(&alloc, scene->objects[i].group);
        abut_base_strfree(&alloc, scene->objects[i].parent_name);
        abut_shape_release(scene->objects[i].shape);
        abut_motion_release(scene->objects[i].motion);
    }
    abut_base_free(&alloc, scene->objects, scene->object_capacity, sizeof *scene->objects);
    abut_base_free(&alloc, scene->by_name, scene->object_capacity, sizeof *scene->by_name);
    abut_base_free(&alloc, scene->pairs.items, scene->pairs.capacity, sizeof *scene->pairs.items);
    abut_base_free(&alloc, scene->excluded.items, scene->excluded.capacity, sizeof *scene->excluded.items);
    abut_base_strfree(&alloc, scene->method);
    abut_io_links_clear(&scene->links);
    abut_base_free(&alloc, scene, 1, sizeof *scene);
}

/* ---- what a scene answers ---- */

abut_interval abut_scene_time(const abut_scene *scene)
{
    return scene ? scene->time : (abut_interval){ 0, 0 };
}

size_t abut_scene_object_count(const abut_scene *scene)
{
    return scene ? scene->object_count : 0;
}

abut_scene_object abut_scene_get_object(const abut_scene *scene, size_t index)
{
    if (!scene || index >= scene->object_count)
        return (abut_scene_object){ 0 };
    const scene_object *object = &scene->objects[index];
    return (abut_scene_object){ object->name, object->shape, object->motion,
                                object->parent == ABUT_IO_NONE ? -1 : (int64_t)object->parent,
                                object->group };
}

int64_t abut_scene_find(const abut_scene *scene, const char *name)
{
    size_t lo = 0, hi = scene && name ? scene->object_count : 0;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        const int order = strcmp(scene->objects[scene->by_name[mid]].name, name);
        if (order == 0)
            return (int64_t)scene->by_name[mid];
        if (order < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return -1;
}

abut_scene_query abut_scene_get_query(const abut_scene *scene)
{
    const abut_scene_query nothing = { .simultaneity = (double)NAN,
                                       .separation = (double)NAN,
                                       .accuracy = (double)NAN };
    return scene ? scene->query : nothing;
}
