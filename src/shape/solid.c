/* SPDX-License-Identifier: MIT */
/* Shapes that are CAD solids: creation and what they are made of. The solid and all of its memory
 * live in the shape's workspace. */
#include "solid/solid.h"
#include "math/nearest.h"
#include "shape/arrays.h"

typedef struct request {
    abut_shape_type type;
    const abut_solid_def *def;
    const abut_profile_loop *outer, *holes;
    size_t hole_count;
    double height, tolerance;
} request;

static ABUT_MATH_NOINLINE abut_status build(const request *r, abut_workspace *keep, abut_solid *solid,
                                            abut_error *error)
{
    switch (r->type) {
    case ABUT_SHAPE_EXTRUDE:
        return abut_solid_build_extrude(r->outer, r->holes, r->hole_count, r->height, r->tolerance, keep,
                                        solid, error);
    case ABUT_SHAPE_REVOLVE: return abut_solid_build_revolve(r->outer, r->tolerance, keep, solid, error);
    default: return abut_solid_build(r->def, keep, solid, error);
    }
}

static abut_status create(const request *r, const abut_allocator *alloc, abut_shape **out, abut_error *error)
{
    abut_base_clear(error);
    if (!out)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "nowhere to put the shape");
    *out = NULL;
    abut_shape *shape = abut_shape_new(r->type, alloc);
    if (!shape)
        return abut_base_fail_memory(error);
    abut_workspace_open(&shape->keep, &shape->alloc);
    shape->u.solid = abut_workspace_take(&shape->keep, 1, sizeof *shape->u.solid);
    if (!shape->u.solid)
        return abut_shape_fail(shape, abut_base_fail_memory(error));
    const abut_nearest saved = abut_nearest_enter();
    const abut_status status = build(r, &shape->keep, shape->u.solid, error);
    abut_nearest_leave(saved);
    if (status)
        return abut_shape_fail(shape, status);
    shape->bounds = shape->u.solid->bounds;
    *out = shape;
    return ABUT_OK;
}

abut_status abut_shape_create_extrude(const abut_profile_loop *outer, const abut_profile_loop *holes,
                                      size_t hole_count, double height, double tolerance,
                                      const abut_allocator *alloc, abut_shape **out, abut_error *error)
{
    const request r = { .type = ABUT_SHAPE_EXTRUDE,
                        .outer = outer,
                        .holes = holes,
                        .hole_count = hole_count,
                        .height = height,
                        .tolerance = tolerance };
    return create(&r, alloc, out, error);
}

abut_status abut_shape_create_revolve(const abut_profile_loop *profile, double tolerance,
                                      const abut_allocator *alloc, abut_shape **out, abut_error *error)
{
    const request r = { .type = ABUT_SHAPE_REVOLVE, .outer = profile, .tolerance = tolerance };
    return create(&r, alloc, out, error);
}

abut_status abut_shape_create_solid(const abut_solid_def *def, const abut_allocator *alloc, abut_shape **out,
                                    abut_error *error)
{
    const request r = { .type = ABUT_SHAPE_SOLID, .def = def };
    return create(&r, alloc, out, error);
}

const abut_solid *abut_shape_solid(const abut_shape *shape)
{
    switch (abut_shape_get_type(shape)) {
    case ABUT_SHAPE_EXTRUDE:
    case ABUT_SHAPE_REVOLVE:
    case ABUT_SHAPE_SOLID: return shape->u.solid;
    default: return NULL;
    }
}

/* Nodes from the root to the deepest leaf; children come before their parents. */
static size_t height_of(const abut_features *f)
{
    size_t most = 0;
    for (size_t i = 0; i < f->node_count; ++i) {
        /* Halves are equal, so that the first child is as deep as any, but for one. */
        size_t height = 1;
        for (int32_t at = (int32_t)i; f->nodes[at].child[1] >= 0; at = f->nodes[at].child[1])
            ++height;
        most = height > most ? height : most;
    }
    return f->count ? most + 1 : 0;
}

abut_status abut_solid_get_info(const abut_shape *shape, abut_solid_info *out)
{
    if (out)
        *out = (abut_solid_info){ 0 };
    if (!shape || !out)
        return ABUT_ERR_ARGUMENT;
    const abut_solid *solid = abut_shape_solid(shape);
    if (!solid)
        return ABUT_ERR_UNSUPPORTED;
    const abut_solid_def *def = &solid->def;
    out->vertices = def->vertex_count;
    out->edges = def->edge_count;
    out->shells = solid->shell_count;
    out->tolerance = solid->tolerance;
    out->volume = solid->volume;
    out->area = solid->area;
    out->features = solid->features.count;
    out->nodes = solid->features.node_count;
    out->height = height_of(&solid->features);
    for (size_t i = 0; i < def->face_count; ++i) {
        const abut_solid_surface_kind kind = def->surfaces[def->faces[i].surface].kind;
        ++out->faces_by_kind[kind];
        out->faces += kind != ABUT_SOLID_NO_SURFACE;
    }
    out->faces_by_kind[0] = 0;
    for (size_t i = 0; i < def->edge_count; ++i)
        ++out->edges_by_kind[def->edges[i].kind];
    return ABUT_OK;
}

/* The solid of a shape that has more than `index` of something. */
static abut_status find(const abut_shape *shape, const void *out, const abut_solid **solid)
{
    if (!shape || !out)
        return ABUT_ERR_ARGUMENT;
    *solid = abut_shape_solid(shape);
    return *solid ? ABUT_OK : ABUT_ERR_UNSUPPORTED;
}

abut_status abut_solid_get_vertex(const abut_shape *shape, size_t index, abut_vec3 *out)
{
    const abut_solid *solid;
    const abut_status status = find(shape, out, &solid);
    if (status || index >= solid->def.vertex_count)
        return status ? status : ABUT_ERR_ARGUMENT;
    *out = solid->def.vertices[index];
    return ABUT_OK;
}

abut_status abut_solid_get_edge(const abut_shape *shape, size_t index, abut_solid_edge *out)
{
    const abut_solid *solid;
    const abut_status status = find(shape, out, &solid);
    if (status || index >= solid->def.edge_count)
        return status ? status : ABUT_ERR_ARGUMENT;
    *out = solid->def.edges[index];
    return ABUT_OK;
}

abut_status abut_solid_get_face(const abut_shape *shape, size_t index, abut_solid_face *out,
                                abut_solid_surface *surface)
{
    const abut_solid *solid;
    const abut_status status = find(shape, out, &solid);
    if (status || !surface || index >= solid->def.face_count)
        return status ? status : ABUT_ERR_ARGUMENT;
    *out = solid->def.faces[index];
    *surface = solid->def.surfaces[out->surface];
    return ABUT_OK;
}
