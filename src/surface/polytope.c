/* SPDX-License-Identifier: MIT */
/* Convex polytopes as surface bodies: faces by the fields of their planes, edges and vertices by
 * their points (edges by two planes, too).
 *
 * The plane of a face goes through its first three corners; its normal is enclosed once, which
 * is a few ulp wide, and fields and normals use the enclosure. Outside or on the plane of any
 * face is outside or on the body; so `inside` and `on` examine all planes. The body is the hull
 * of its vertices exactly; planes of polygons with more corners contain the others because the
 * hull found them coplanar. */
#include "surface/leaves.h"

typedef struct polytope_body {
    abut_surface_body base;
    const abut_surface_polytope_def *def;
    ia3 *normals; /* of each face, outward, of any length */
    ia3 bounds;
} polytope_body;

static inline const polytope_body *polytope_of(const abut_surface *s)
{
    return (const polytope_body *)s->body;
}

static ia3 corner(const polytope_body *body, uint32_t vertex)
{
    const abut_surface_polytope_def *d = body->def;
    return (ia3){ ia_point(d->x[vertex]), ia_point(d->y[vertex]), ia_point(d->z[vertex]) };
}

static ia3 face_corner(const polytope_body *body, uint32_t face, uint32_t i)
{
    return corner(body, body->def->face_corners[body->def->face_begin[face] + i]);
}

/* n . (x - a), with a the first corner: no offset, whose rounding would count. */
static ia plane(const polytope_body *body, uint32_t face, ia3 x)
{
    return ia3_dot(body->normals[face], ia3_sub(x, face_corner(body, face, 0)));
}

/* Face i < 2 beside an edge, or the only one of a face. */
static uint32_t face_of(const polytope_body *body, const abut_surface_feature *f, int i)
{
    return f->dimension == 2 ? f->data : body->def->edges[f->data].face[i];
}

static bool field(const abut_surface *s, const abut_surface_feature *f, int i, ia3 x, ia t, int order,
                  ia *scratch, abut_field_jet *out)
{
    (void)t;
    (void)scratch;
    const polytope_body *body = polytope_of(s);
    const uint32_t face = face_of(body, f, i);
    out->f = plane(body, face, x);
    out->t = ia_point(0);
    out->gt = abut_ia3_zero();
    if (order >= 1)
        out->g = body->normals[face];
    for (int k = 0; order >= 2 && k < 6; ++k)
        out->h[k] = ia_point(0);
    return true;
}

static abut_truth on(const abut_surface *s, const abut_surface_feature *f, ia3 x, ia t, ia *scratch)
{
    (void)t;
    (void)scratch;
    const polytope_body *body = polytope_of(s);
    const uint32_t first = face_of(body, f, 0), second = face_of(body, f, f->field_count - 1);
    abut_truth truth = ABUT_EVERYWHERE;
    for (uint32_t k = 0; k < body->def->face_count; ++k) {
        if (k == first || k == second)
            continue;
        const ia value = plane(body, k, x);
        if (ia_lo(value) > 0)
            return ABUT_NOWHERE;
        if (ia_hi(value) > 0)
            truth = ABUT_SOMEWHERE;
    }
    return truth;
}

static abut_truth inside(const abut_surface *s, ia3 x, ia t, ia *scratch)
{
    (void)t;
    (void)scratch;
    const polytope_body *body = polytope_of(s);
    abut_truth truth = ABUT_EVERYWHERE;
    for (uint32_t k = 0; k < body->def->face_count; ++k) {
        const ia value = plane(body, k, x);
        if (ia_lo(value) > 0)
            return ABUT_NOWHERE;
        if (ia_hi(value) >= 0)
            truth = ABUT_SOMEWHERE;
    }
    return truth;
}

static bool stays(const abut_surface *s, const abut_passage *path, ia *scratch)
{
    (void)scratch;
    const polytope_body *body = polytope_of(s);
    for (uint32_t k = 0; k < body->def->face_count; ++k) {
        const abut_field_jet over = { .f = plane(body, k, path->x), .g = body->normals[k], .t = ia_point(0) };
        if (!(ia_hi(abut_passage_field(path, plane(body, k, path->middle), &over)) < 0))
            return false;
    }
    return true;
}

static bool jet(const abut_surface *s, const abut_surface_feature *f, const ia *parameters, ia t, int order,
                ia *scratch, abut_jet *out)
{
    (void)t;
    (void)scratch;
    const polytope_body *body = polytope_of(s);
    abut_jet_clear(order, out);
    if (f->dimension == 0) {
        out->p = corner(body, f->data);
        return true;
    }
    const abut_polytope_edge *edge = &body->def->edges[f->data];
    const ia3 from = corner(body, edge->from), way = ia3_sub(corner(body, edge->to), from);
    out->p = ia3_add(from, ia3_scale(parameters[0], way));
    if (order >= 1)
        out->u = way;
    return true;
}

static void normals(const abut_surface *s, const abut_surface_feature *f, const ia *parameters, ia t,
                    ia *scratch, ia3 *out)
{
    (void)parameters;
    (void)t;
    (void)scratch;
    const polytope_body *body = polytope_of(s);
    const abut_surface_polytope_def *d = body->def;
    if (f->dimension == 1) {
        out[0] = body->normals[d->edges[f->data].face[0]];
        out[1] = body->normals[d->edges[f->data].face[1]];
        return;
    }
    int count = 0; /* what exceeds the room goes into the last set */
    for (uint32_t k = d->vertex_begin[f->data]; k < d->vertex_begin[f->data + 1]; ++k) {
        const ia3 n = body->normals[d->vertex_faces[k]];
        if (count < f->normal_count)
            out[count++] = n;
        else
            out[count - 1] = ia3_hull(out[count - 1], n);
    }
}

static ia3 bounds(const abut_surface *s, ia t, ia *scratch)
{
    (void)t;
    (void)scratch;
    return polytope_of(s)->bounds;
}

static const abut_surface_methods polytope_methods = { .jet = jet,
                                                       .normals = normals,
                                                       .field = field,
                                                       .on = on,
                                                       .inside = inside,
                                                       .bounds = bounds,
                                                       .stays = stays };

static ABUT_NOINLINE void prepare_kernel(polytope_body *body)
{
    body->bounds = (ia3){ ia_empty(), ia_empty(), ia_empty() };
    for (uint32_t i = 0; i < body->def->vertex_count; ++i)
        body->bounds = ia3_hull(body->bounds, corner(body, i));
    for (uint32_t i = 0; i < body->def->face_count; ++i) {
        const ia3 a = face_corner(body, i, 0);
        body->normals[i] =
            ia3_cross(ia3_sub(face_corner(body, i, 1), a), ia3_sub(face_corner(body, i, 2), a));
    }
}

abut_status abut_surface_polytope(const abut_surface_polytope_def *def, abut_workspace *ws, abut_surface *out)
{
    const size_t count = (size_t)def->face_count + def->edge_count + def->vertex_count;
    polytope_body *body = abut_workspace_take(ws, 1, sizeof *body);
    abut_surface_feature *f = abut_workspace_take(ws, count, sizeof *f);
    ia3 *planes = abut_workspace_take(ws, def->face_count, sizeof *planes);
    if (!body || !f || !planes)
        return ABUT_ERR_MEMORY;
    *body = (polytope_body){ .base = { &polytope_methods }, .def = def, .normals = planes };
    const abut_rounding saved = abut_rounding_enter();
    prepare_kernel(body);
    abut_rounding_leave(saved);
    *out = (abut_surface){
        .features = f, .feature_count = count, .solid = true, .implicit = true, .body = &body->base
    };
    for (uint32_t i = 0; i < def->face_count; ++i)
        *f++ = (abut_surface_feature){
            .kind = ABUT_FEATURE_FACE, .dimension = 2, .field_count = 1, .normal_count = 1, .id = i, .data = i
        };
    for (uint32_t i = 0; i < def->edge_count; ++i)
        *f++ = (abut_surface_feature){ .kind = ABUT_FEATURE_EDGE,
                                       .dimension = 1,
                                       .parametric = true,
                                       .field_count = 2,
                                       .range = { { 0, 1 } },
                                       .normal_count = 2,
                                       .id = def->edges[i].id,
                                       .data = i };
    for (uint32_t i = 0; i < def->vertex_count; ++i) {
        const uint32_t faces = def->vertex_begin[i + 1] - def->vertex_begin[i];
        *f++ = (abut_surface_feature){ .kind = ABUT_FEATURE_VERTEX,
                                       .parametric = true,
                                       .normal_count = faces < ABUT_FEATURE_MAX_NORMALS
                                                           ? (int)faces
                                                           : ABUT_FEATURE_MAX_NORMALS,
                                       .id = def->point_of[i],
                                       .data = i };
    }
    return ABUT_OK;
}
