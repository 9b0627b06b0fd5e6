/* SPDX-License-Identifier: MIT */
/* Triangles as a surface body: those of a mesh or of a height field that matter to a search.
 *
 * A triangle with the corners a, b, c is the image of the unit square under
 *     p(u, v) = a + u ((b - a) + v (c - b)),
 * which collapses to a at u = 0; its normal is constant, and enclosed once. Edges and vertices have
 * features of their own, since the searches search for nearest points inside of features only.
 * Whether the triangles bound material, and which points are in it, is the owner's to say: a few
 * triangles of a mesh do not know. */
#include "surface/leaves.h"

typedef struct facets_body {
    abut_surface_body base;
    const abut_surface_facets_def *def;
    ia3 *normals; /* of each triangle */
} facets_body;

static inline const facets_body *facets_of(const abut_surface *s)
{
    return (const facets_body *)s->body;
}

static ia3 corner(const facets_body *body, uint32_t vertex)
{
    return ia3_from(&body->def->vertices[vertex]);
}

static bool jet(const abut_surface *s, const abut_surface_feature *f, const ia *parameters, ia t, int order,
                ia *scratch, abut_jet *out)
{
    (void)t;
    (void)scratch;
    const facets_body *body = facets_of(s);
    abut_jet_clear(order, out);
    if (f->dimension == 0) {
        out->p = corner(body, body->def->points[f->data]);
        return true;
    }
    if (f->dimension == 1) {
        const uint32_t *ends = body->def->edges + 2 * (size_t)f->data;
        const ia3 from = corner(body, ends[0]), along = ia3_sub(corner(body, ends[1]), from);
        out->p = ia3_add(from, ia3_scale(parameters[0], along));
        if (order >= 1)
            out->u = along;
        return true;
    }
    const uint32_t *c = body->def->triangles + 3 * (size_t)f->data;
    const ia3 a = corner(body, c[0]), b = corner(body, c[1]);
    const ia3 across = ia3_sub(corner(body, c[2]), b);
    const ia3 along = ia3_add(ia3_sub(b, a), ia3_scale(parameters[1], across));
    out->p = ia3_add(a, ia3_scale(parameters[0], along));
    if (order >= 1) {
        out->u = along;
        out->v = ia3_scale(parameters[0], across);
        out->n = body->normals[f->data];
    }
    if (order >= 2)
        out->uv = across;
    return true;
}

static void normals(const abut_surface *s, const abut_surface_feature *f, const ia *parameters, ia t,
                    ia *scratch, ia3 *out)
{
    (void)parameters;
    (void)t;
    (void)scratch;
    const ia any = ia_make(-1, 1);
    *out = f->dimension == 2 ? facets_of(s)->normals[f->data] : (ia3){ any, any, any };
}

static abut_truth on(const abut_surface *s, const abut_surface_feature *f, ia3 x, ia t, ia *scratch)
{
    (void)s;
    (void)f;
    (void)x;
    (void)t;
    (void)scratch;
    return ABUT_SOMEWHERE;
}

static abut_truth inside(const abut_surface *s, ia3 x, ia t, ia *scratch)
{
    (void)t;
    (void)scratch;
    const abut_surface_facets_def *def = facets_of(s)->def;
    return def->inside ? def->inside(def->ctx, x) : ABUT_NOWHERE;
}

static ia3 bounds(const abut_surface *s, ia t, ia *scratch)
{
    (void)t;
    (void)scratch;
    return ia3_from(&facets_of(s)->def->bounds);
}

static ABUT_NOINLINE void find_normals(facets_body *body)
{
    const abut_surface_facets_def *def = body->def;
    for (size_t i = 0; i < def->triangle_count; ++i) {
        const uint32_t *c = def->triangles + 3 * i;
        const ia3 a = corner(body, c[0]);
        body->normals[i] = ia3_cross(ia3_sub(corner(body, c[1]), a), ia3_sub(corner(body, c[2]), a));
    }
}

static void set_features(const abut_surface_facets_def *def, abut_surface_feature *f)
{
    static const abut_feature kinds[3] = { ABUT_FEATURE_VERTEX, ABUT_FEATURE_EDGE, ABUT_FEATURE_FACE };
    const size_t counts[3] = { def->point_count, def->edge_count, def->triangle_count };
    const int64_t *const ids[3] = { def->point_ids, def->edge_ids, def->triangle_ids };
    for (int dimension = 0; dimension < 3; ++dimension)
        for (size_t i = 0; i < counts[dimension]; ++i)
            *f++ = (abut_surface_feature){ .kind = kinds[dimension],
                                           .dimension = dimension,
                                           .parametric = true,
                                           .range = { { 0, 1 }, { 0, 1 } },
                                           .normal_count = 1,
                                           .id = ids[dimension] ? ids[dimension][i] : -1,
                                           .data = (uint32_t)i };
}

abut_status abut_surface_facets(const abut_surface_facets_def *def, abut_workspace *ws, abut_surface *out)
{
    static const abut_surface_methods methods = {
        .jet = jet, .normals = normals, .on = on, .inside = inside, .bounds = bounds
    };
    const size_t count = def->point_count + def->edge_count + def->triangle_count;
    facets_body *body = abut_workspace_take(ws, 1, sizeof *body);
    ia3 *n = abut_workspace_take(ws, def->triangle_count + 1, sizeof *n);
    abut_surface_feature *features = abut_workspace_take(ws, count + 1, sizeof *features);
    if (!body || !n || !features)
        return ABUT_ERR_MEMORY;
    *body = (facets_body){ { &methods }, def, n };
    set_features(def, features);
    const abut_rounding saved = abut_rounding_enter();
    find_normals(body);
    abut_rounding_leave(saved);
    *out = (abut_surface){ .features = features,
                           .feature_count = count,
                           .solid = def->inside != NULL,
                           .implicit = def->inside != NULL,
                           .body = &body->base };
    return ABUT_OK;
}
