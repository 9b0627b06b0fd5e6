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
#include "io/scene_file.h"
#include "io/scene_links.h"
#include "io/scene_reader.h"
#include "math/nearest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct scene_object {
    char *name;
    abut_shape *shape;
    abut_motion *motion; /* in the world, once all parents are known */
    size_t parent;       /* ABUT_IO_NONE: none */
    char *group;         /* NULL: none */
} scene_object;

typedef struct scene_pair {
    size_t a, b;
} scene_pair;

struct abut_scene {
    abut_allocator alloc;
    abut_interval time;
    scene_object *objects;
    size_t object_count, object_capacity; /* filled so far, and allocated */
    /* object_capacity of them: objects in the order of their names */
    size_t *by_name;
    bool all_pairs;
    scene_pair *pairs;
    size_t pair_count, pair_capacity;
    abut_io_links links; /* where not all pairs are asked for by default */
    abut_scene_query query;
    char *method;
};

/* ---- objects ---- */

static bool check_name(abut_io_reader *r, const char *name)
{
    for (const char *c = name; *c; ++c)
        if ((unsigned char)*c < 32 || *c == 127)
            return abut_io_fail_key(r, "name", ABUT_ERR_VALUE, "a name may not hold control characters");
    return true;
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

    json_t *shape = abut_io_need(r, value, "shape");
    if (!shape)
        return false;
    abut_io_enter_key(r, "shape");
    if (!abut_io_read_shape(r, shape, &out->shape))
        return false;
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

static bool read_object_name(abut_io_reader *r, const abut_scene *scene, json_t *value, size_t *out)
{
    const char *name;
    if (!abut_io_as_string(r, value, &name))
        return false;
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
    abut_motion *const links[2] = { parent->motion, object->motion };
    abut_motion *chain = NULL;
    abut_error error;
    if (is_identity(parent->motion))
        return true;
    if (is_identity(object->motion))
        chain = abut_motion_retain(parent->motion);
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

/* Names of parents to numbers, motions to the world's frame. */
static bool read_parents(abut_io_reader *r, json_t *list, abut_scene *scene)
{
    bool any = false;
    for (size_t i = 0; i < scene->object_count; ++i) {
        json_t *parent = abut_io_get(json_array_get(list, i), "parent");
        scene->objects[i].parent = ABUT_IO_NONE;
        if (!parent)
            continue;
        any = true;
        abut_io_enter_index(r, i);
        abut_io_enter_key(r, "parent");
        if (!read_object_name(r, scene, parent, &scene->objects[i].parent))
            return false;
        abut_io_leave(r);
        abut_io_leave(r);
    }
    return !any || resolve_parents(r, scene);
}

/* ---- pairs by default ---- */

static bool link_pairs(abut_io_reader *r, abut_scene *scene)
{
    const size_t count = scene->object_count;
    bool any = false;
    for (size_t i = 0; i < count && !any; ++i)
        any = scene->objects[i].parent != ABUT_IO_NONE || scene->objects[i].group;
    if (!any)
        return true;
    size_t *parent = abut_workspace_take(&r->ws, count, sizeof *parent);
    const char **group = abut_workspace_take(&r->ws, count, sizeof *group);
    if (!parent || !group)
        return abut_io_fail_memory(r);
    for (size_t i = 0; i < count; ++i) {
        parent[i] = scene->objects[i].parent;
        group[i] = scene->objects[i].group;
    }
    return abut_io_links_make(&scene->alloc, count, parent, group, &scene->links) || abut_io_fail_memory(r);
}

static bool read_objects(abut_io_reader *r, json_t *root, abut_scene *scene)
{
    json_t *list = abut_io_need(r, root, "objects");
    size_t count;
    if (!list)
        return false;
    abut_io_enter_key(r, "objects");
    if (!abut_io_as_list(r, list, 1, "objects", &count))
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
        if (!read_object(r, json_array_get(list, i), &scene->objects[i]) ||
            !check_defined(r, &scene->objects[i], scene->time))
            return false;
        abut_io_leave(r);
    }
    if (!sort_names(r, scene) || !read_parents(r, list, scene))
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

typedef struct pair_key {
    size_t low, high, number;
} pair_key;

static bool key_before(void *ctx, const void *x, const void *y)
{
    (void)ctx;
    const pair_key *a = x, *b = y;
    if (a->low != b->low)
        return a->low < b->low;
    return a->high != b->high ? a->high < b->high : a->number < b->number;
}

static bool check_repeated_pairs(abut_io_reader *r, const abut_scene *scene)
{
    pair_key *keys = abut_workspace_take(&r->ws, scene->pair_count, sizeof *keys);
    if (!keys)
        return abut_io_fail_memory(r);
    for (size_t i = 0; i < scene->pair_count; ++i) {
        const scene_pair p = scene->pairs[i];
        keys[i] = (pair_key){ p.a < p.b ? p.a : p.b, p.a < p.b ? p.b : p.a, i };
    }
    abut_base_sort(keys, scene->pair_count, sizeof *keys, key_before, NULL);
    for (size_t i = 1; i < scene->pair_count; ++i) {
        if (keys[i].low != keys[i - 1].low || keys[i].high != keys[i - 1].high)
            continue;
        abut_io_enter_index(r, keys[i].number);
        return abut_io_fail(r, ABUT_ERR_VALUE, "this pair is in the list already, as number %zu",
                            keys[i - 1].number);
    }
    return true;
}

static bool read_pairs(abut_io_reader *r, json_t *root, abut_scene *scene)
{
    json_t *list = abut_io_get(root, "pairs");
    size_t count;
    scene->all_pairs = !list;
    if (!list)
        return link_pairs(r, scene);
    abut_io_enter_key(r, "pairs");
    if (!abut_io_as_list(r, list, 0, "pairs of names", &count))
        return false;
    scene->pairs = abut_base_alloc(&scene->alloc, count, sizeof *scene->pairs);
    if (!scene->pairs)
        return abut_io_fail_memory(r);
    scene->pair_capacity = count;
    for (size_t i = 0; i < count; ++i) {
        json_t *pair = json_array_get(list, i);
        size_t ends[2];
        abut_io_enter_index(r, i);
        if (!abut_io_as_array(r, pair, 2, "names of objects"))
            return false;
        for (size_t k = 0; k < 2; ++k) {
            abut_io_enter_index(r, k);
            if (!read_object_name(r, scene, json_array_get(pair, k), &ends[k]))
                return false;
            abut_io_leave(r);
        }
        if (ends[0] == ends[1])
            return abut_io_fail(r, ABUT_ERR_VALUE, "a pair needs two objects; this is \"%.80s\" with itself",
                                scene->objects[ends[0]].name);
        scene->pairs[scene->pair_count++] = (scene_pair){ ends[0], ends[1] };
        abut_io_leave(r);
    }
    if (!check_repeated_pairs(r, scene))
        return false;
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
           abut_io_check_keys(r, root, ABUT_IO_KEYS("abut", "time", "shapes", "objects", "pairs", "query")) &&
           read_time(r, root, scene) && read_table(r, root) && read_objects(r, root, scene) &&
           read_pairs(r, root, scene) && read_query(r, root, scene);
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
    json_t *root;
    abut_status status = abut_io_parse_json(text ? text : "", length, name, &root, error);
    if (status != ABUT_OK)
        return status;

    abut_io_reader r = { .name = name, .text = text, .length = length, .error = error };
    r.alloc = abut_base_allocator(alloc);
    abut_workspace_open(&r.ws, &r.alloc);
    const abut_workspace_mark mark = abut_workspace_begin(&r.ws);
    abut_scene *scene = abut_base_alloc_zero(&r.alloc, 1, sizeof *scene);
    if (!scene) {
        abut_io_fail_memory(&r);
    } else {
        scene->alloc = r.alloc;
        read_scene(&r, root, scene);
    }
    for (size_t i = 0; i < r.shape_count; ++i)
        abut_shape_release(r.shapes[i].shape);
    abut_workspace_end(&r.ws, mark);
    abut_workspace_close(&r.ws);
    json_decref(root);
    if (r.status != ABUT_OK)
        abut_scene_destroy(scene);
    else
        *out = scene;
    return r.status;
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
        abut_shape_release(scene->objects[i].shape);
        abut_motion_release(scene->objects[i].motion);
    }
    abut_base_free(&alloc, scene->objects, scene->object_capacity, sizeof *scene->objects);
    abut_base_free(&alloc, scene->by_name, scene->object_capacity, sizeof *scene->by_name);
    abut_base_free(&alloc, scene->pairs, scene->pair_capacity, sizeof *scene->pairs);
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

/* n (n - 1) / 2 without overflow before the division. */
static size_t triangle(size_t n)
{
    return n % 2 ? n * ((n - 1) / 2) : n / 2 * (n - 1);
}

size_t abut_scene_pair_count(const abut_scene *scene)
{
    if (!scene)
        return 0;
    if (!scene->all_pairs)
        return scene->pair_count;
    if (scene->links.count)
        return abut_io_links_pair_count(&scene->links);
    return scene->object_count ? triangle(scene->object_count) : 0;
}

void abut_scene_get_pair(const abut_scene *scene, size_t index, size_t *a, size_t *b)
{
    size_t unwanted;
    a = a ? a : &unwanted;
    b = b ? b : &unwanted;
    *a = *b = 0;
    const size_t count = abut_scene_pair_count(scene);
    if (index >= count)
        return;
    const size_t n = scene->object_count;
    if (!scene->all_pairs) {
        *a = scene->pairs[index].a;
        *b = scene->pairs[index].b;
        return;
    }
    if (scene->links.count) {
        abut_io_links_get_pair(&scene->links, index, a, b);
        return;
    }
    /* Pairs are in the order (0,1) (0,2) ... (1,2) ...; counted from the end, with objects
     * counted from the end too, those of larger object k are triangle(k) and following. The root
     * finds k up to rounding. */
    const size_t from_end = count - 1 - index;
    size_t k = (size_t)((1 + sqrt(1 + 8 * (double)from_end)) / 2);
    while (triangle(k) > from_end)
        --k;
    while (triangle(k + 1) <= from_end)
        ++k;
    *a = n - 1 - k;
    *b = n - 1 - (from_end - triangle(k));
}

abut_scene_query abut_scene_get_query(const abut_scene *scene)
{
    const abut_scene_query nothing = { .simultaneity = (double)NAN,
                                       .separation = (double)NAN,
                                       .accuracy = (double)NAN };
    return scene ? scene->query : nothing;
}
