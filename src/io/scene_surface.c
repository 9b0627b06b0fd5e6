/* SPDX-License-Identifier: MIT */
/* Smooth shapes of a scene file: parametric, Bezier and implicit surfaces, and what csg makes of
 * these and other solids. */
#include "io/scene_shape.h"

#include <string.h>

enum {
    MAX_CSG_DEPTH = 32,   /* of csg shapes inside csg shapes; part of the format */
    MAX_DEGREE = 1 << 10, /* the library allows less; this keeps products of degrees small */
};

static bool read_range(abut_io_reader *r, json_t *o, const char *key, double out[2])
{
    json_t *value = abut_io_need(r, o, key);
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

static bool read_wrap(abut_io_reader *r, json_t *o, bool wraps[2])
{
    json_t *list = abut_io_get(o, "wrap");
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
static bool read_lets(abut_io_reader *r, json_t *o, const abut_let **out, size_t *count)
{
    json_t *table = abut_io_get(o, "let");
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
    for (void *i = json_object_iter(table); i; i = json_object_iter_next(table, i)) {
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

bool abut_io_read_parametric(abut_io_reader *r, json_t *o, abut_shape **out)
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

static bool read_degree(abut_io_reader *r, json_t *o, abut_nurbs_surface *out)
{
    uint64_t degree[2];
    json_t *value = abut_io_need(r, o, "degree");
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
    return true;
}

/* "knots" of one direction: the i-th list of two. */
static bool read_knots(abut_io_reader *r, json_t *lists, size_t i, int degree, const double **out,
                       size_t *count)
{
    double *knots;
    const size_t beside = (size_t)degree + 1;
    abut_io_enter_index(r, i);
    if (!abut_io_as_numbers(r, json_array_get(lists, i), 1, ABUT_IO_ANY, &knots, count))
        return false;
    if (*count < 2 * beside)
        return abut_io_fail(r, ABUT_ERR_VALUE, "there are %zu knots; degree %d needs at least %zu", *count,
                            degree, 2 * beside);
    *out = knots;
    *count -= beside;
    abut_io_leave(r);
    return true;
}

/* The numbers of control points in each direction: as the knots ask for; without knots degree +
 * 1. */
static bool read_counts(abut_io_reader *r, json_t *o, abut_nurbs_surface *out)
{
    json_t *lists = abut_io_get(o, "knots");
    out->count_u = (size_t)out->degree_u + 1;
    out->count_v = (size_t)out->degree_v + 1;
    out->knots_u = out->knots_v = NULL;
    if (!lists)
        return true;
    abut_io_enter_key(r, "knots");
    if (!abut_io_as_array(r, lists, 2, "lists of knots") ||
        !read_knots(r, lists, 0, out->degree_u, &out->knots_u, &out->count_u) ||
        !read_knots(r, lists, 1, out->degree_v, &out->knots_v, &out->count_v))
        return false;
    abut_io_leave(r);
    return true;
}

/* "degree", "points", "weights", "knots" of an object, which may have further keys. */
static bool read_patch(abut_io_reader *r, json_t *o, abut_nurbs_surface *out)
{
    size_t count;
    abut_vec3 *points;
    if (!read_degree(r, o, out) || !read_counts(r, o, out) ||
        !abut_io_points(r, o, "points", 1, &points, &count))
        return false;
    const size_t needed = out->count_u * out->count_v;
    const char *const with = out->knots_u ? " with these knots" : "";
    if (count != needed)
        return abut_io_fail_key(r, "points", ABUT_ERR_VALUE,
                                "there are %zu points; degree [%d, %d]%s needs %zu", count, out->degree_u,
                                out->degree_v, with, needed);
    out->points = points;
    out->weights = NULL;
    json_t *value = abut_io_get(o, "weights");
    if (!value)
        return true;
    double *weights;
    abut_io_enter_key(r, "weights");
    if (!abut_io_as_numbers(r, value, 1, ABUT_IO_POSITIVE, &weights, &count))
        return false;
    if (count != needed)
        return abut_io_fail(r, ABUT_ERR_VALUE, "there are %zu weights; degree [%d, %d]%s needs %zu", count,
                            out->degree_u, out->degree_v, with, needed);
    abut_io_leave(r);
    out->weights = weights;
    return true;
}

/* The knots of a plain patch: 0 ... 0 1 ... 1. */
static const double *plain_knots(abut_io_reader *r, size_t count)
{
    double *knots = abut_workspace_take(&r->ws, 2 * count, sizeof *knots);
    for (size_t i = 0; knots && i < 2 * count; ++i)
        knots[i] = i < count ? 0 : 1;
    return knots;
}

static bool create_patches(abut_io_reader *r, abut_nurbs_surface *list, size_t count, const char *what,
                           abut_shape **out)
{
    abut_error error;
    bool knots = false;
    for (size_t i = 0; i < count; ++i)
        knots = knots || list[i].knots_u;
    if (!knots) {
        abut_bezier_patch *patches = abut_workspace_take(&r->ws, count, sizeof *patches);
        if (!patches)
            return abut_io_fail_memory(r);
        for (size_t i = 0; i < count; ++i)
            patches[i] =
                (abut_bezier_patch){ list[i].degree_u, list[i].degree_v, list[i].points, list[i].weights };
        return abut_io_created(r, abut_shape_create_bezier(patches, count, &r->alloc, out, &error), &error,
                               what);
    }
    for (size_t i = 0; i < count; ++i)
        if (!list[i].knots_u) {
            list[i].knots_u = plain_knots(r, list[i].count_u);
            list[i].knots_v = plain_knots(r, list[i].count_v);
            if (!list[i].knots_u || !list[i].knots_v)
                return abut_io_fail_memory(r);
        }
    return abut_io_created(r, abut_shape_create_nurbs(list, count, &r->alloc, out, &error), &error, what);
}

bool abut_io_read_bezier(abut_io_reader *r, json_t *o, abut_shape **out)
{
    json_t *list = abut_io_get(o, "patches");
    if (!list) {
        abut_nurbs_surface patch;
        return abut_io_check_keys(r, o,
                                  ABUT_IO_KEYS("type", "degree", "points", "weights", "knots", "patches")) &&
               read_patch(r, o, &patch) && create_patches(r, &patch, 1, "patch", out);
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
    abut_nurbs_surface *patches = abut_workspace_take(&r->ws, count, sizeof *patches);
    if (!patches)
        return abut_io_fail_memory(r);
    for (size_t i = 0; i < count; ++i) {
        json_t *patch = json_array_get(list, i);
        abut_io_enter_index(r, i);
        if (!abut_io_as_object(r, patch) ||
            !abut_io_check_keys(r, patch, ABUT_IO_KEYS("degree", "points", "weights", "knots")) ||
            !read_patch(r, patch, &patches[i]))
            return false;
        abut_io_leave(r);
    }
    abut_io_leave(r);
    return create_patches(r, patches, count, "bezier shape", out);
}

bool abut_io_read_implicit(abut_io_reader *r, json_t *o, abut_shape **out)
{
    const char *f;
    abut_vec3 corners[2];
    abut_error error;
    if (!abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "f", "bounds")) || !abut_io_string(r, o, "f", &f))
        return false;
    json_t *value = abut_io_need(r, o, "bounds");
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

/* A shape, or {"shape": ..., "pose": ...}; `out` holds references from then on. */
static bool read_operand(abut_io_reader *r, json_t *value, abut_csg_operand *out, abut_motion **at)
{
    json_t *inner = json_is_object(value) && !abut_io_get(value, "type") ? abut_io_get(value, "shape") : NULL;
    if (!inner)
        return abut_io_read_shape(r, value, &out->shape);
    if (!abut_io_check_keys(r, value, ABUT_IO_KEYS("shape", "pose")))
        return false;
    abut_io_enter_key(r, "shape");
    if (!abut_io_read_shape(r, inner, &out->shape))
        return false;
    abut_io_leave(r);
    json_t *pose = abut_io_get(value, "pose");
    if (!pose)
        return true;
    abut_io_enter_key(r, "pose");
    if (!abut_io_read_pose(r, pose, at))
        return false;
    out->at = *at;
    abut_io_leave(r);
    return true;
}

/* Operands hold references that must be given back, so this one cannot simply return. */
static bool read_operands(abut_io_reader *r, json_t *list, abut_csg_operand *of, abut_motion **at,
                          size_t count)
{
    int height = 0;
    for (size_t i = 0; i < count; ++i) {
        abut_io_enter_index(r, i);
        if (!read_operand(r, json_array_get(list, i), &of[i], &at[i]))
            return false;
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

static bool create_csg(abut_io_reader *r, abut_csg_op op, const abut_csg_operand *of, size_t count,
                       abut_shape **out)
{
    abut_error error;
    if (r->csg_height > MAX_CSG_DEPTH)
        return too_deep(r);
    const abut_status status = abut_shape_create_csg_placed(op, of, count, &r->alloc, out, &error);
    if (status && error.index >= 0) {
        abut_io_enter_key(r, "of");
        abut_io_enter_index(r, (size_t)error.index);
    }
    return abut_io_created(r, status, &error, "csg shape");
}

/* Nesting is limited both in the file (csg_depth), and through names of the table (csg_height). */
bool abut_io_read_csg(abut_io_reader *r, json_t *o, abut_shape **out)
{
    size_t op, count;
    if (r->csg_depth >= MAX_CSG_DEPTH)
        return too_deep(r);
    if (!abut_io_check_keys(r, o, ABUT_IO_KEYS("type", "op", "of")) ||
        !abut_io_word(r, o, "op", "operation", ABUT_IO_KEYS("union", "intersection", "difference"), &op))
        return false;
    json_t *list = abut_io_need(r, o, "of");
    if (!list)
        return false;
    abut_io_enter_key(r, "of");
    if (!abut_io_as_list(r, list, op == 2 ? 2 : 1, "shapes", &count))
        return false;
    abut_csg_operand *of = abut_workspace_take(&r->ws, count, sizeof *of);
    abut_motion **at = abut_workspace_take(&r->ws, count, sizeof *at);
    if (!of || !at)
        return abut_io_fail_memory(r);
    memset(of, 0, count * sizeof *of);
    memset(at, 0, count * sizeof *at);
    ++r->csg_depth;
    bool ok = read_operands(r, list, of, at, count);
    --r->csg_depth;
    if (ok) {
        abut_io_leave(r);
        ok = create_csg(r, (abut_csg_op)(ABUT_CSG_UNION + (int)op), of, count, out);
    }
    for (size_t i = 0; i < count; ++i) {
        abut_shape_release(of[i].shape);
        abut_motion_release(at[i]);
    }
    return ok;
}
