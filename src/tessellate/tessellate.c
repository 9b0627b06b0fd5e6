/* SPDX-License-Identifier: MIT */
/* abut_shape_tessellate: the table of methods. One more kind of shape is one function and its row. */
#include "tessellate/tessellate.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/options.h"

static const abut_tess_fn methods[ABUT_SHAPE_TYPE_COUNT] = {
    [ABUT_SHAPE_SPHERE] = abut_tess_round,
    [ABUT_SHAPE_BOX] = abut_tess_box,
    [ABUT_SHAPE_CAPSULE] = abut_tess_round,
    [ABUT_SHAPE_CYLINDER] = abut_tess_round,
    [ABUT_SHAPE_CONE] = abut_tess_round,
    [ABUT_SHAPE_ELLIPSOID] = abut_tess_ellipsoid,
    [ABUT_SHAPE_TORUS] = abut_tess_torus,
    [ABUT_SHAPE_HALFSPACE] = abut_tess_halfspace,
    [ABUT_SHAPE_CONVEX] = abut_tess_convex,
    [ABUT_SHAPE_MESH] = abut_tess_mesh,
    [ABUT_SHAPE_POLYHEDRON] = abut_tess_polyhedron,
    [ABUT_SHAPE_HEIGHTFIELD] = abut_tess_heightfield,
    [ABUT_SHAPE_PARAMETRIC] = abut_tess_surface,
    [ABUT_SHAPE_BEZIER] = abut_tess_surface,
    [ABUT_SHAPE_IMPLICIT] = abut_tess_implicit,
    [ABUT_SHAPE_CSG] = abut_tess_implicit,
    [ABUT_SHAPE_EXTRUDE] = abut_tess_solid,
    [ABUT_SHAPE_REVOLVE] = abut_tess_solid,
    [ABUT_SHAPE_SOLID] = abut_tess_solid,
    [ABUT_SHAPE_SWEPT] = abut_tess_round,
    [ABUT_SHAPE_SUPPORT] = abut_tess_convex,
    [ABUT_SHAPE_COMPOUND] = abut_tess_compound,
};

void abut_tess_any(abut_tess *t, const abut_shape *shape)
{
    if (methods[shape->type])
        methods[shape->type](t, shape);
    else
        abut_tess_fail(t, ABUT_ERR_UNSUPPORTED);
}

void abut_tessellate_opts_init(abut_tessellate_opts *opts)
{
    if (opts)
        *opts =
            (abut_tessellate_opts){ .struct_size = sizeof *opts, .window = { { -1, -1, -1 }, { 1, 1, 1 } } };
}

/* Extent of the part of the bounds that is finite, of the window where none is. */
static double extent_of(const abut_shape *shape, const abut_tessellate_opts *opts)
{
    const abut_aabb b = shape->bounds, w = opts->window;
    const double sizes[6] = { b.hi.x - b.lo.x, b.hi.y - b.lo.y, b.hi.z - b.lo.z,
                              w.hi.x - w.lo.x, w.hi.y - w.lo.y, w.hi.z - w.lo.z };
    double largest = 0;
    for (int i = 0; i < 6 && (i < 3 || largest == 0); ++i)
        if (isfinite(sizes[i]))
            largest = fmax(largest, sizes[i]);
    return largest > 0 ? largest : 1;
}

static abut_status check(const abut_shape *shape, const abut_tessellate_opts *o, abut_error *error)
{
    const abut_aabb w = o->window;
    if (!(o->tolerance >= 0) || !isfinite(o->tolerance))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "the tolerance must be finite and not negative");
    if (!isfinite(o->time) || !isfinite(o->span.lo) || !isfinite(o->span.hi) || isnan(o->crease))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "times and the crease angle must be finite");
    if (!abut_is_finite3(w.lo) || !abut_is_finite3(w.hi) ||
        !(w.lo.x < w.hi.x && w.lo.y < w.hi.y && w.lo.z < w.hi.z))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "the window must be a box of finite size");
    if (o->vertices && (shape->type != ABUT_SHAPE_MESH || o->vertex_count != shape->u.faceted.vertex_count))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1,
                              "vertices are for a mesh, and must be as many as it has");
    return ABUT_OK;
}

/* Arrays of exactly the size that they are freed with. */
static bool hand_over(abut_tess *t, abut_tessellation *out)
{
    out->vertex_count = t->vertices.count;
    out->triangle_count = t->triangles.count / 3;
    out->edge_count = t->edges.count / 2;
    out->solid = t->solid;
    out->alloc = *t->alloc;
    const struct {
        void **to;
        const void *from;
        size_t count, size;
    } parts[4] = {
        { (void **)&out->vertices, t->vertices.items, t->vertices.count, sizeof(abut_vec3) },
        { (void **)&out->normals, t->normals.items, t->normals.count, sizeof(abut_vec3) },
        { (void **)&out->triangles, t->triangles.items, t->triangles.count, sizeof(uint32_t) },
        { (void **)&out->edges, t->edges.items, t->edges.count, sizeof(uint32_t) },
    };
    bool fine = true;
    for (int i = 0; i < 4 && fine; ++i) {
        *parts[i].to = abut_base_alloc(t->alloc, parts[i].count, parts[i].size);
        fine = *parts[i].to != NULL;
        if (fine && parts[i].count)
            memcpy(*parts[i].to, parts[i].from, parts[i].count * parts[i].size);
    }
    return fine;
}

abut_status abut_shape_tessellate(const abut_shape *shape, const abut_tessellate_opts *opts,
                                  const abut_allocator *alloc, abut_tessellation *out, abut_error *error)
{
    abut_base_clear(error);
    if (!out)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "nowhere to put the triangles");
    *out = (abut_tessellation){ .vertices = NULL };
    if (!shape)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "there is no shape");
    const abut_allocator memory = abut_base_allocator(alloc);
    abut_tess t = { .alloc = &memory, .solid = true, .error = error };
    abut_tessellate_opts_init(&t.opts);
    if (!abut_options_read(&t.opts, sizeof t.opts, opts))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "the options were not initialised");
    const abut_status bad = check(shape, &t.opts, error);
    if (bad)
        return bad;
    t.tolerance = t.opts.tolerance > 0 ? t.opts.tolerance : extent_of(shape, &t.opts) / 1000;
    abut_workspace_open(&t.ws, &memory);
    abut_tess_any(&t, shape);
    abut_workspace_close(&t.ws);
    if (!t.status && !hand_over(&t, out))
        t.status = ABUT_ERR_MEMORY;
    ABUT_ARRAY_FREE(t.alloc, &t.vertices);
    ABUT_ARRAY_FREE(t.alloc, &t.normals);
    ABUT_ARRAY_FREE(t.alloc, &t.triangles);
    ABUT_ARRAY_FREE(t.alloc, &t.edges);
    if (t.status) {
        abut_tessellation_clear(out);
        return abut_base_fail(error, t.status, -1, "%s", abut_status_text(t.status));
    }
    return ABUT_OK;
}

void abut_tessellation_clear(abut_tessellation *tessellation)
{
    if (!tessellation)
        return;
    const abut_tessellation t = *tessellation;
    if (t.alloc.release) {
        abut_base_free(&t.alloc, t.vertices, t.vertex_count, sizeof *t.vertices);
        abut_base_free(&t.alloc, t.normals, t.vertex_count, sizeof *t.normals);
        abut_base_free(&t.alloc, t.triangles, 3 * t.triangle_count, sizeof *t.triangles);
        abut_base_free(&t.alloc, t.edges, 2 * t.edge_count, sizeof *t.edges);
    }
    *tessellation = (abut_tessellation){ .vertices = NULL };
}
