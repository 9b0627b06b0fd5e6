/* SPDX-License-Identifier: MIT */
/* Bodies made of Bezier patches: jets and normals of faces, edges and vertices, and what they
 * bound.
 *
 * Closed and consistently oriented patches are a solid (seams.c), turned so that their normals
 * lead out of it (shells.c). Edges and vertices where the normals of both sides agree in many
 * points are `smooth`: the body is so there, too, but the parameters of a face end. */
#include "surface/patches.h"

#include <stdio.h>

static const abut_interval unit = { 0, 1 };

static bool patch_jet(const abut_patches_body *body, uint32_t patch, const ia *box, int order, ia *scratch,
                      abut_jet *out)
{
    const bool defined = abut_patch_jet(&body->patches[patch], box, order, scratch, out);
    if (order >= 1)
        out->t = abut_ia3_zero();
    if (order >= 2)
        out->ut = out->vt = abut_ia3_zero();
    abut_jet_normal(order, body->turned[patch], out);
    return defined;
}

static void place_side(int side, ia along, ia box[2])
{
    box[side >> 1] = ia_point(side & 1);
    box[!(side >> 1)] = along;
}

static bool jet(const abut_surface *s, const abut_surface_feature *f, const ia *parameters, ia t, int order,
                ia *scratch, abut_jet *out)
{
    (void)t;
    const abut_patches_body *body = abut_patches_of(s);
    if (f->dimension == 2)
        return patch_jet(body, f->data, parameters, order, scratch, out);
    abut_jet_clear(order, out);
    if (f->dimension == 0) {
        out->p = ia3_point(body->vertices[f->data].point);
        return true;
    }
    const abut_patch_side *side = &body->edges[f->data].side[0];
    const bool by_u = side->side >> 1; /* the parameter that runs along it */
    ia box[2];
    abut_jet face;
    place_side(side->side, parameters[0], box);
    const bool defined = abut_patch_jet(&body->patches[side->patch], box, order, scratch, &face);
    out->p = face.p;
    if (order >= 1)
        out->u = by_u ? face.u : face.v;
    if (order >= 2)
        out->uu = by_u ? face.uu : face.vv;
    return defined;
}

/* ---- normals ---- */

static ia3 normal_at(const abut_patches_body *body, uint32_t patch, const ia *box, ia *scratch)
{
    abut_jet at;
    patch_jet(body, patch, box, 1, scratch, &at);
    return at.n;
}

static ia3 pole_normal(const abut_patches_body *body, uint32_t patch, int side, ia along, ia *scratch)
{
    abut_jet at;
    ia box[2];
    place_side(side, along, box);
    patch_jet(body, patch, box, 2, scratch, &at);
    return abut_jet_pole_normal(&at, side);
}

static ia3 place_normal(const abut_patches_body *body, const abut_patch_place *place, ia along, ia *scratch)
{
    if (place->pole)
        return pole_normal(body, place->patch, place->corner, along, scratch);
    const ia box[2] = { ia_point(place->corner & 1), ia_point(place->corner >> 1) };
    return normal_at(body, place->patch, box, scratch);
}

/* Poles in as many pieces as there is room for; what exceeds the room goes into the last set. */
static int pieces_at(const abut_patches_body *body, const abut_patch_vertex *vertex)
{
    uint32_t poles = 0;
    for (uint32_t i = 0; i < vertex->count; ++i)
        poles += body->places[vertex->first + i].pole;
    const uint32_t corners = vertex->count - poles;
    if (poles == 0 || corners + 2 * poles > ABUT_FEATURE_MAX_NORMALS)
        return 1;
    return (int)((ABUT_FEATURE_MAX_NORMALS - corners) / poles);
}

static int vertex_normals(const abut_patches_body *body, const abut_patch_vertex *vertex, ia *scratch,
                          ia3 *out)
{
    const int pieces = pieces_at(body, vertex);
    int count = 0;
    for (uint32_t i = 0; i < vertex->count; ++i) {
        const abut_patch_place *place = &body->places[vertex->first + i];
        for (int k = 0; k < (place->pole ? pieces : 1); ++k) {
            const ia3 n = place_normal(body, place, abut_piece_of(unit, k, pieces), scratch);
            if (count < ABUT_FEATURE_MAX_NORMALS)
                out[count++] = n;
            else
                out[count - 1] = ia3_hull(out[count - 1], n);
        }
    }
    return count;
}

static ia3 edge_normal(const abut_patches_body *body, const abut_patch_side *side, ia along, ia *scratch)
{
    ia box[2];
    place_side(side->side, side->reversed ? ia_sub(ia_point(1), along) : along, box);
    return normal_at(body, side->patch, box, scratch);
}

static void normals(const abut_surface *s, const abut_surface_feature *f, const ia *parameters, ia t,
                    ia *scratch, ia3 *out)
{
    (void)t;
    const abut_patches_body *body = abut_patches_of(s);
    if (f->dimension == 2) {
        *out = normal_at(body, f->data, parameters, scratch);
    } else if (f->dimension == 1) {
        const abut_patch_edge *edge = &body->edges[f->data];
        for (int i = 0; i < edge->count; ++i)
            out[i] = edge_normal(body, &edge->side[i], parameters[0], scratch);
    } else {
        vertex_normals(body, &body->vertices[f->data], scratch, out);
    }
}

static ia3 bounds(const abut_surface *s, ia t, ia *scratch)
{
    (void)t;
    (void)scratch;
    return abut_patches_of(s)->bounds;
}

static const abut_surface_methods patches_methods = { .jet = jet, .normals = normals, .bounds = bounds };

/* ---- making ---- */

typedef struct making {
    abut_patches_body *body;
    abut_surface_feature *features;
    ia *scratch;
    bool solid;
} making;

typedef struct patch_image {
    const abut_patches_body *body;
    uint32_t patch;
} patch_image;

static void image_of(const void *ctx, const ia box[2], ia *scratch, ia3 *out)
{
    const patch_image *image = (const patch_image *)ctx;
    abut_jet at;
    abut_patch_jet(&image->body->patches[image->patch], box, 0, scratch, &at);
    *out = at.p;
}

static double span(ia3 a)
{
    return fmax(ia_width(a.x), fmax(ia_width(a.y), ia_width(a.z)));
}

static ABUT_NOINLINE void find_bounds(const making *m)
{
    abut_patches_body *body = m->body;
    const abut_interval range[2] = { unit, unit };
    const ia whole[2] = { ia_from(unit), ia_from(unit) };
    for (int pass = 0; pass < 2; ++pass) { /* first roughly, for the size */
        ia3 out = { ia_empty(), ia_empty(), ia_empty() }, one;
        for (uint32_t i = 0; i < body->patch_count; ++i) {
            const patch_image image = { body, i };
            if (pass == 0)
                image_of(&image, whole, m->scratch, &one);
            else
                one = abut_image_bounds(image_of, &image, range, body->size, 1, 0, m->scratch);
            out = ia3_hull(out, one);
        }
        body->bounds = out;
        body->size = span(out);
    }
}

/* Whether sets of normals are one direction, as far as doubles can tell. */
static bool agree(const ia3 *n, int count)
{
    for (int i = 1; i < count; ++i) {
        const double size = ia_lo(ia3_sqr_norm(n[0])), other = ia_lo(ia3_sqr_norm(n[i]));
        const double cross = ia_hi(ia3_sqr_norm(ia3_cross(n[0], n[i])));
        if (!(size > 0 && other > 0 && cross <= 1e-20 * size * other && ia_lo(ia3_dot(n[0], n[i])) > 0))
            return false;
    }
    return true;
}

static bool edge_is_smooth(const making *m, const abut_patch_edge *edge)
{
    enum { samples = 17 };
    for (int i = 0; i < samples && edge->count == 2; ++i) {
        const ia along = ia_point((double)i / (samples - 1));
        const ia3 n[2] = { edge_normal(m->body, &edge->side[0], along, m->scratch),
                           edge_normal(m->body, &edge->side[1], along, m->scratch) };
        if (!agree(n, 2))
            return false;
    }
    return edge->count == 2;
}

/* A vertex is smooth where all normals agree and the faces go all around it: in a solid. */
static bool vertex_is_smooth(const making *m, const abut_patch_vertex *vertex)
{
    enum { samples = 9 };
    ia3 n[2];
    if (!m->solid)
        return false;
    n[0] = place_normal(m->body, &m->body->places[vertex->first], ia_point(0.5), m->scratch);
    for (uint32_t i = 0; i < vertex->count; ++i) {
        const abut_patch_place *place = &m->body->places[vertex->first + i];
        for (int k = 0; k < (place->pole ? samples : 1); ++k) {
            n[1] = place_normal(m->body, place, ia_point((double)k / (samples - 1)), m->scratch);
            if (!agree(n, 2))
                return false;
        }
    }
    return true;
}

static ABUT_NOINLINE void study_kernel(making *m)
{
    abut_patches_body *body = m->body;
    m->solid = body->closed;
    abut_surface_feature *f = m->features;
    for (uint32_t i = 0; i < body->patch_count; ++i)
        *f++ = (abut_surface_feature){ .kind = ABUT_FEATURE_FACE,
                                       .dimension = 2,
                                       .parametric = true,
                                       .range = { unit, unit },
                                       .normal_count = 1,
                                       .id = i,
                                       .data = i };
    for (uint32_t i = 0; i < body->edge_count; ++i)
        *f++ = (abut_surface_feature){ .kind = ABUT_FEATURE_EDGE,
                                       .dimension = 1,
                                       .parametric = true,
                                       .range = { unit },
                                       .smooth = edge_is_smooth(m, &body->edges[i]),
                                       .normal_count = body->edges[i].count,
                                       .id = i,
                                       .data = i };
    for (uint32_t i = 0; i < body->vertex_count; ++i) {
        ia3 n[ABUT_FEATURE_MAX_NORMALS];
        *f++ =
            (abut_surface_feature){ .kind = ABUT_FEATURE_VERTEX,
                                    .parametric = true,
                                    .smooth = vertex_is_smooth(m, &body->vertices[i]),
                                    .normal_count = vertex_normals(body, &body->vertices[i], m->scratch, n),
                                    .id = i,
                                    .data = i };
    }
}

static abut_status make_body(const abut_patch_def *patches, abut_patches_body *body, abut_workspace *ws,
                             abut_workspace *temporary, size_t *scratch, abut_seam_trouble *trouble)
{
    body->patches = abut_workspace_take(ws, body->patch_count, sizeof *body->patches);
    body->turned = abut_workspace_take(ws, body->patch_count, sizeof *body->turned);
    if (!body->patches || !body->turned)
        return ABUT_ERR_MEMORY;
    memset(body->turned, 0, body->patch_count * sizeof *body->turned);
    for (size_t i = 0; i < body->patch_count; ++i) {
        const abut_status status = abut_patch_make(&patches[i], ws, &body->patches[i]);
        if (status)
            return status;
        const size_t need = abut_patch_scratch(patches[i].degree_u, patches[i].degree_v);
        *scratch = need > *scratch ? need : *scratch;
    }
    return abut_patches_join(body, ws, temporary, trouble);
}

static const char *trouble_text(abut_seam_trouble_kind kind)
{
    switch (kind) {
    case ABUT_SEAM_CROWDED:
        return "more than two sides meet in an edge of patch %u, and which of them bound a solid together is "
               "not "
               "clear; faces that two solids share must be left out";
    case ABUT_SEAM_MIXED:
        return "some patches bound a solid, but patch %u has a side that meets no other, or is turned "
               "against "
               "its neighbours; make it a shape of its own, or turn it";
    case ABUT_SEAM_UNLIKE:
        return "all sides of the shell of patch %u meet, but the patch is turned against its neighbours; "
               "turn it "
               "(swap u and v), so that all of u x v lead to one side";
    case ABUT_SEAM_FLAT: return "the closed shell of patch %u encloses no volume that can be proved";
    case ABUT_SEAM_CROSSING: return "the closed shell of patch %u crosses itself or another one";
    case ABUT_SEAM_TWICE:
        return "the closed shell of patch %u is inside another that is turned the same way; turned the other "
               "way it is a cavity";
    default: return "patch %u is one of too many closed shells";
    }
}

static abut_status fail(const abut_seam_trouble *trouble, abut_error *error)
{
    char text[256];
    (void)snprintf(text, sizeof text, trouble_text(trouble->kind), (unsigned)trouble->patch);
    return abut_base_fail(error, trouble->kind == ABUT_SEAM_MANY ? ABUT_ERR_LIMIT : ABUT_ERR_VALUE,
                          (int64_t)trouble->patch, "%s", text);
}

abut_status abut_surface_patches(const abut_patch_def *patches, size_t count, abut_workspace *ws,
                                 abut_surface *out, abut_error *error)
{
    *out = (abut_surface){ .feature_count = 0 };
    abut_patches_body *body = abut_workspace_take(ws, 1, sizeof *body);
    if (!body)
        return abut_base_fail_memory(error);
    memset(body, 0, sizeof *body);
    body->base.methods = &patches_methods;
    body->patch_count = count;
    abut_workspace temporary;
    abut_seam_trouble trouble = { ABUT_SEAM_FINE, 0 };
    making m = { .body = body };
    abut_workspace_open(&temporary, &ws->alloc);
    abut_status status = make_body(patches, body, ws, &temporary, &out->scratch, &trouble);
    if (!status && trouble.kind == ABUT_SEAM_FINE) {
        m.scratch = abut_workspace_take(ws, out->scratch, sizeof *m.scratch);
        status = m.scratch ? ABUT_OK : ABUT_ERR_MEMORY;
    }
    if (!status && trouble.kind == ABUT_SEAM_FINE) {
        const abut_rounding saved = abut_rounding_enter();
        find_bounds(&m);
        abut_rounding_leave(saved);
        if (body->closed)
            status = abut_patches_orient(body, m.scratch, &temporary, &trouble);
    }
    abut_workspace_close(&temporary);
    if (status == ABUT_ERR_VALUE)
        return abut_base_fail(error, status, -1, "coordinates and weights are too large to be subtracted");
    if (status)
        return abut_base_fail_memory(error);
    if (trouble.kind != ABUT_SEAM_FINE)
        return fail(&trouble, error);
    out->feature_count = count + body->edge_count + body->vertex_count;
    m.features = abut_workspace_take(ws, out->feature_count, sizeof *m.features);
    if (!m.features)
        return abut_base_fail_memory(error);
    const abut_rounding saved = abut_rounding_enter();
    study_kernel(&m);
    abut_rounding_leave(saved);
    out->features = m.features;
    out->solid = m.solid;
    out->body = &body->base;
    /* Cutting a net down takes (m n (m + n)) / 4 additions or so. */
    for (size_t i = 0; i < count; ++i) {
        const size_t u = (size_t)patches[i].degree_u + 1, v = (size_t)patches[i].degree_v + 1;
        const size_t work = u * v * (u + v) / 4;
        out->work = work > out->work ? work : out->work;
    }
    return ABUT_OK;
}
