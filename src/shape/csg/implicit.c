/* SPDX-License-Identifier: MIT */
/* Implicit solids: creators. Their surface is that of a combination (csg.c): of one leaf, or of smooth parts
 * where the formula has kinks that make edges of the body. */
#include "expr/split.h"
#include "math/vec3.h"
#include "shape/csg/csg.h"

static abut_status fail_release(abut_shape *shape, abut_status status)
{
    abut_shape_release(shape);
    return status;
}

static abut_status compile(abut_shape *shape, abut_error *error)
{
    const abut_status status = abut_tape_compile(shape->u.implicit.f, &shape->alloc, &shape->u.implicit.tape);
    if (status == ABUT_ERR_MEMORY)
        return abut_base_fail_memory(error);
    return status ? abut_base_fail(error, status, -1, "the expressions are too large") : ABUT_OK;
}

/* Finding edges and corners takes time with the number of parts, so large formulas stay whole. */
enum { SPLIT_NODES = 4096 };

static abut_status split(abut_shape *shape, abut_error *error)
{
    abut_split *made = abut_base_alloc_zero(&shape->alloc, 1, sizeof *made);
    if (!made)
        return abut_base_fail_memory(error);
    shape->u.implicit.split = made;
    if (abut_expr_split(shape->u.implicit.f, SPLIT_NODES, made))
        return abut_base_fail_memory(error);
    if (made->part_count == 0) {
        abut_base_free(&shape->alloc, made, 1, sizeof *made);
        shape->u.implicit.split = NULL;
    }
    return ABUT_OK;
}

static abut_status begin_implicit(abut_aabb bounds, const abut_allocator *alloc, abut_shape **out,
                                  abut_error *error)
{
    if (!abut_is_finite3(bounds.lo) || !abut_is_finite3(bounds.hi) || !(bounds.lo.x < bounds.hi.x) ||
        !(bounds.lo.y < bounds.hi.y) || !(bounds.lo.z < bounds.hi.z))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "the bounds must be finite and ascending");
    abut_shape *shape = abut_shape_new(ABUT_SHAPE_IMPLICIT, alloc);
    if (!shape)
        return abut_base_fail_memory(error);
    shape->bounds = bounds;
    *out = shape;
    return ABUT_OK;
}

static abut_status finish_implicit(abut_shape *shape, abut_shape **out, abut_error *error)
{
    abut_status status = ABUT_OK;
    if (shape->u.implicit.f)
        status = compile(shape, error);
    if (!status && shape->u.implicit.f)
        status = split(shape, error);
    if (!status)
        status = abut_shape_keep_csg(shape, error);
    if (status)
        return fail_release(shape, status);
    *out = shape;
    return ABUT_OK;
}

abut_status abut_shape_create_implicit(const char *f, abut_aabb bounds, const abut_allocator *alloc,
                                       abut_shape **out, abut_error *error)
{
    abut_base_clear(error);
    if (!out || !f)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "an implicit shape needs f");
    *out = NULL;
    abut_shape *shape = NULL;
    abut_status status = begin_implicit(bounds, alloc, &shape, error);
    if (status)
        return status;
    const abut_expr_source text = { "f", f };
    static const char *const variables[4] = { "x", "y", "z", "t" };
    status = abut_expr_parse(&text, 1, variables, 4, NULL, 0, &shape->alloc, &shape->u.implicit.f, error);
    return status ? fail_release(shape, status) : finish_implicit(shape, out, error);
}

abut_status abut_shape_create_implicit_graph(const abut_graph *graph, abut_node f, abut_aabb bounds,
                                             const abut_allocator *alloc, abut_shape **out, abut_error *error)
{
    abut_base_clear(error);
    if (!out)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "nowhere to put the shape");
    *out = NULL;
    abut_shape *shape = NULL;
    abut_status status = begin_implicit(bounds, alloc, &shape, error);
    if (status)
        return status;
    status = abut_graph_finish(graph, &f, 1, 4, &shape->alloc, &shape->u.implicit.f, error);
    return status ? fail_release(shape, status) : finish_implicit(shape, out, error);
}

abut_status abut_shape_create_implicit_inclusion(abut_inclusion_fn f, void *ctx, bool depends_on_time,
                                                 abut_aabb bounds, const abut_allocator *alloc,
                                                 abut_shape **out, abut_error *error)
{
    abut_base_clear(error);
    if (!out || !f)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "an implicit shape needs a function");
    *out = NULL;
    abut_shape *shape = NULL;
    const abut_status status = begin_implicit(bounds, alloc, &shape, error);
    if (status)
        return status;
    shape->u.implicit.inclusion = (abut_inclusion){ f, ctx, 4, 1 };
    shape->u.implicit.inclusion_deforms = depends_on_time;
    return finish_implicit(shape, out, error);
}
