/* SPDX-License-Identifier: MIT */
/* Smooth shapes: parametric and Bezier surfaces. */
#include "expr/expr.h"
#include "math/vec3.h"
#include "shape/shape.h"
#include "surface/body.h"

#include <string.h>

enum { MAX_BEZIER_DEGREE = 31 };

static abut_status fail_release(abut_shape *shape, abut_status status)
{
    abut_shape_release(shape);
    return status;
}

static bool is_range(const double range[2])
{
    return isfinite(range[0]) && isfinite(range[1]) && range[0] < range[1];
}

static abut_status parse_with_lets(const abut_expr_source *texts, size_t text_count,
                                   const char *const *variables, size_t variable_count, const abut_let *lets,
                                   size_t let_count, const abut_allocator *alloc, abut_expr **out,
                                   abut_error *error)
{
    if (let_count > ABUT_EXPR_MAX_LETS)
        return abut_base_fail(error, ABUT_ERR_LIMIT, -1, "%zu lets are more than the %d allowed", let_count,
                              ABUT_EXPR_MAX_LETS);
    abut_expr_source *sources = abut_base_alloc(alloc, let_count, sizeof *sources);
    if (!sources)
        return abut_base_fail_memory(error);
    for (size_t i = 0; i < let_count; ++i)
        sources[i] = (abut_expr_source){ lets[i].name, lets[i].expression };
    const abut_status status =
        abut_expr_parse(texts, text_count, variables, variable_count, sources, let_count, alloc, out, error);
    abut_base_free(alloc, sources, let_count, sizeof *sources);
    return status;
}

static abut_status compile(const abut_expr *expr, const abut_allocator *alloc, abut_tape **out,
                           abut_error *error)
{
    const abut_status status = abut_tape_compile(expr, alloc, out);
    if (status == ABUT_ERR_MEMORY)
        return abut_base_fail_memory(error);
    return status ? abut_base_fail(error, status, -1, "the expressions are too large") : ABUT_OK;
}

/* Room for the surface that the shape keeps. */
static bool open_surface(abut_shape *shape)
{
    abut_workspace_open(&shape->keep, &shape->alloc);
    shape->surface = abut_workspace_take(&shape->keep, 1, sizeof *shape->surface);
    return shape->surface != NULL;
}

static ABUT_NOINLINE void bounds_kernel(const abut_surface *surface, ia *scratch, abut_aabb *out)
{
    const ia3 box = abut_surface_bounds(surface, ia_point(0), scratch);
    out->lo = abut_v3(ia_lo(box.x), ia_lo(box.y), ia_lo(box.z));
    out->hi = abut_v3(ia_hi(box.x), ia_hi(box.y), ia_hi(box.z));
}

/* Finds the features and the bounds. */
static abut_status finish_parametric(abut_shape *shape, abut_map map, bool deforms, abut_shape **out,
                                     abut_error *error)
{
    if (!open_surface(shape))
        return fail_release(shape, abut_base_fail_memory(error));
    const double *u = shape->u.parametric.u, *v = shape->u.parametric.v;
    const abut_surface_parametric_def def = {
        .map = map,
        .range = { { u[0], u[1] }, { v[0], v[1] } },
        .wraps = { shape->u.parametric.wrap_u, shape->u.parametric.wrap_v },
        .normal_in = shape->u.parametric.normal_in,
        .deforms = deforms,
    };
    const abut_status status = abut_surface_parametric(&def, &shape->keep, shape->surface, error);
    if (status)
        return fail_release(shape, status);
    if (!deforms && !shape->surface->outside) {
        const abut_rounding saved = abut_rounding_enter();
        bounds_kernel(shape->surface, NULL, &shape->bounds);
        abut_rounding_leave(saved);
    }
    *out = shape;
    return ABUT_OK;
}

static abut_status finish_parametric_tape(abut_shape *shape, abut_shape **out, abut_error *error)
{
    const abut_status status =
        compile(shape->u.parametric.position, &shape->alloc, &shape->u.parametric.tape, error);
    if (status)
        return fail_release(shape, status);
    const abut_tape *tape = shape->u.parametric.tape;
    return finish_parametric(shape, abut_map_of_tape(tape), abut_tape_depends_on(tape, 2), out, error);
}

/* A shape without its functions. */
static abut_status begin_parametric(const abut_domain *domain, const abut_allocator *alloc, abut_shape **out,
                                    abut_error *error)
{
    if (!is_range(domain->u) || !is_range(domain->v))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1,
                              "the ranges of u and v must be finite and ascending");
    abut_shape *shape = abut_shape_new(ABUT_SHAPE_PARAMETRIC, alloc);
    if (!shape)
        return abut_base_fail_memory(error);
    for (int i = 0; i < 2; ++i) {
        shape->u.parametric.u[i] = domain->u[i];
        shape->u.parametric.v[i] = domain->v[i];
    }
    shape->u.parametric.wrap_u = domain->wrap_u;
    shape->u.parametric.wrap_v = domain->wrap_v;
    shape->u.parametric.normal_in = domain->normal_in;
    shape->bounds = (abut_aabb){ { -INFINITY, -INFINITY, -INFINITY }, { INFINITY, INFINITY, INFINITY } };
    *out = shape;
    return ABUT_OK;
}

abut_status abut_shape_create_parametric(const abut_parametric_def *def, const abut_allocator *alloc,
                                         abut_shape **out, abut_error *error)
{
    abut_base_clear(error);
    if (!out || !def || !def->x || !def->y || !def->z || (def->let_count > 0 && !def->lets))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "a parametric shape needs x, y and z");
    *out = NULL;
    for (size_t i = 0; i < def->let_count; ++i)
        if (!def->lets[i].name || !def->lets[i].expression)
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)i,
                                  "let %zu has no name or no expression", i);
    const abut_domain domain = {
        { def->u[0], def->u[1] }, { def->v[0], def->v[1] }, def->wrap_u, def->wrap_v, def->normal_in
    };
    abut_shape *shape = NULL;
    abut_status status = begin_parametric(&domain, alloc, &shape, error);
    if (status)
        return status;
    const abut_expr_source texts[3] = { { "x", def->x }, { "y", def->y }, { "z", def->z } };
    static const char *const variables[3] = { "u", "v", "t" };
    status = parse_with_lets(texts, 3, variables, 3, def->lets, def->let_count, &shape->alloc,
                             &shape->u.parametric.position, error);
    return status ? fail_release(shape, status) : finish_parametric_tape(shape, out, error);
}

abut_status abut_shape_create_parametric_graph(const abut_graph *graph, const abut_node position[3],
                                               const abut_domain *domain, const abut_allocator *alloc,
                                               abut_shape **out, abut_error *error)
{
    abut_base_clear(error);
    if (!out || !domain)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "a parametric shape needs a domain");
    *out = NULL;
    abut_shape *shape = NULL;
    abut_status status = begin_parametric(domain, alloc, &shape, error);
    if (status)
        return status;
    status = abut_graph_finish(graph, position, 3, 3, &shape->alloc, &shape->u.parametric.position, error);
    return status ? fail_release(shape, status) : finish_parametric_tape(shape, out, error);
}

abut_status abut_shape_make_parametric(struct abut_expr *position, const abut_domain *domain,
                                       const abut_allocator *alloc, abut_shape **out, abut_error *error)
{
    abut_shape *shape = NULL;
    const abut_status status = begin_parametric(domain, alloc, &shape, error);
    if (status) {
        abut_expr_destroy(position);
        return status;
    }
    shape->u.parametric.position = position;
    return finish_parametric_tape(shape, out, error);
}

abut_status abut_shape_create_parametric_inclusion(abut_inclusion_fn position, void *ctx,
                                                   bool depends_on_time, const abut_domain *domain,
                                                   const abut_allocator *alloc, abut_shape **out,
                                                   abut_error *error)
{
    abut_base_clear(error);
    if (!out || !domain || !position)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1,
                              "a parametric shape needs a domain and a function");
    *out = NULL;
    abut_shape *shape = NULL;
    const abut_status status = begin_parametric(domain, alloc, &shape, error);
    if (status)
        return status;
    shape->u.parametric.inclusion = (abut_inclusion){ position, ctx, 3, 3 };
    return finish_parametric(shape, abut_map_of_inclusion(&shape->u.parametric.inclusion), depends_on_time,
                             out, error);
}

static abut_status check_patch(const abut_bezier_patch *patch, size_t index, abut_error *error)
{
    if (patch->degree_u < 1 || patch->degree_v < 1 || patch->degree_u > MAX_BEZIER_DEGREE ||
        patch->degree_v > MAX_BEZIER_DEGREE)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)index,
                              "patch %zu has degree [%d, %d]; both must be from 1 to %d", index,
                              patch->degree_u, patch->degree_v, MAX_BEZIER_DEGREE);
    if (!patch->points)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)index, "patch %zu has no points", index);
    const size_t count = (size_t)(patch->degree_u + 1) * (size_t)(patch->degree_v + 1);
    for (size_t i = 0; i < count; ++i) {
        if (!abut_is_finite3(patch->points[i]))
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)i,
                                  "point %zu of patch %zu has a coordinate that is not finite", i, index);
        if (patch->weights && !(patch->weights[i] > 0 && isfinite(patch->weights[i])))
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)i,
                                  "weight %zu of patch %zu is not positive and finite", i, index);
    }
    return ABUT_OK;
}

/* Keeps a copy; the box grows by the control points, whose hull contains the patch because
 * weights are positive. */
static bool copy_patch(const abut_bezier_patch *from, abut_patch_data *to, abut_aabb *box,
                       const abut_allocator *alloc)
{
    const size_t count = (size_t)(from->degree_u + 1) * (size_t)(from->degree_v + 1);
    to->degree_u = from->degree_u;
    to->degree_v = from->degree_v;
    to->points = abut_base_alloc(alloc, count, sizeof *to->points);
    if (!to->points)
        return false;
    memcpy(to->points, from->points, count * sizeof *to->points);
    if (from->weights) {
        to->weights = abut_base_alloc(alloc, count, sizeof *to->weights);
        if (!to->weights)
            return false;
        memcpy(to->weights, from->weights, count * sizeof *to->weights);
    }
    for (size_t i = 0; i < count; ++i) {
        const abut_vec3 p = from->points[i];
        box->lo = abut_v3(fmin(box->lo.x, p.x), fmin(box->lo.y, p.y), fmin(box->lo.z, p.z));
        box->hi = abut_v3(fmax(box->hi.x, p.x), fmax(box->hi.y, p.y), fmax(box->hi.z, p.z));
    }
    return true;
}

/* The surface; its bounds are tighter than those of the control points, but for rounding. */
static abut_status finish_bezier(abut_shape *shape, abut_error *error)
{
    const size_t count = shape->u.bezier.patch_count;
    if (!open_surface(shape))
        return abut_base_fail_memory(error);
    abut_patch_def *defs = abut_workspace_take(&shape->keep, count, sizeof *defs);
    if (!defs)
        return abut_base_fail_memory(error);
    for (size_t i = 0; i < count; ++i) {
        const abut_patch_data *p = &shape->u.bezier.patches[i];
        defs[i] = (abut_patch_def){ p->degree_u, p->degree_v, p->points, p->weights };
    }
    const abut_status status = abut_surface_patches(defs, count, &shape->keep, shape->surface, error);
    if (status)
        return status;
    abut_aabb tight;
    const abut_rounding saved = abut_rounding_enter();
    bounds_kernel(shape->surface, NULL, &tight);
    abut_rounding_leave(saved);
    abut_aabb *box = &shape->bounds;
    box->lo = abut_v3(fmax(box->lo.x, tight.lo.x), fmax(box->lo.y, tight.lo.y), fmax(box->lo.z, tight.lo.z));
    box->hi = abut_v3(fmin(box->hi.x, tight.hi.x), fmin(box->hi.y, tight.hi.y), fmin(box->hi.z, tight.hi.z));
    return ABUT_OK;
}

abut_status abut_shape_create_bezier(const abut_bezier_patch *patches, size_t patch_count,
                                     const abut_allocator *alloc, abut_shape **out, abut_error *error)
{
    abut_base_clear(error);
    if (!out)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "nowhere to put the shape");
    *out = NULL;
    if (!patches || patch_count == 0)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "a bezier shape needs at least one patch");
    for (size_t i = 0; i < patch_count; ++i) {
        const abut_status status = check_patch(&patches[i], i, error);
        if (status)
            return status;
    }
    abut_shape *shape = abut_shape_new(ABUT_SHAPE_BEZIER, alloc);
    if (!shape)
        return abut_base_fail_memory(error);
    shape->u.bezier.patch_count = patch_count;
    shape->u.bezier.patches = abut_base_alloc_zero(&shape->alloc, patch_count, sizeof(abut_patch_data));
    if (!shape->u.bezier.patches)
        return fail_release(shape, abut_base_fail_memory(error));
    shape->bounds = (abut_aabb){ { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
    for (size_t i = 0; i < patch_count; ++i)
        if (!copy_patch(&patches[i], &shape->u.bezier.patches[i], &shape->bounds, &shape->alloc))
            return fail_release(shape, abut_base_fail_memory(error));
    const abut_status status = finish_bezier(shape, error);
    if (status)
        return fail_release(shape, status);
    *out = shape;
    return ABUT_OK;
}
