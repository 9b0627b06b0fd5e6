/* SPDX-License-Identifier: MIT */
/* The spines whose offsets are a torus, a capsule and a ball: a circle, a segment with its ends, a
 * point. All within a radius of it is the body, so that distances from the body are distances
 * from its spine less the radius, with fewer unknowns. Spines have features but no inside. */
#include "surface/body.h"
#include "surface/leaves.h"

typedef struct spine {
    abut_surface_body base;
    double size; /* radius of the circle, half length of the segment */
    bool is_circle;
    abut_surface_feature features[3];
} spine;

static bool spine_jet(const abut_surface *s, const abut_surface_feature *f, const ia *parameters, ia t,
                      int order, ia *scratch, abut_jet *out)
{
    (void)t;
    (void)scratch;
    const spine *body = (const spine *)(const void *)s->body;
    const ia zero = ia_point(0);
    abut_jet_clear(order, out);
    if (f->dimension == 0) {
        out->p = (ia3){ zero, zero, ia_point(f->id == 0 ? -body->size : body->size) };
        return true;
    }
    if (!body->is_circle) {
        out->p = (ia3){ zero, zero, parameters[0] };
        if (order >= 1)
            out->u = (ia3){ zero, zero, ia_point(1) };
        return true;
    }
    ia sine, cosine;
    ia_sin_cos(parameters[0], &sine, &cosine);
    const ia x = ia_scale(body->size, cosine), y = ia_scale(body->size, sine);
    out->p = (ia3){ x, y, zero };
    if (order >= 1)
        out->u = (ia3){ ia_neg(y), x, zero };
    if (order >= 2)
        out->uu = (ia3){ ia_neg(x), ia_neg(y), zero };
    return true;
}

/* Of the circle: x^2 + y^2 - size^2 and z. */
static bool spine_field(const abut_surface *s, const abut_surface_feature *f, int i, ia3 x, ia t, int order,
                        ia *scratch, abut_field_jet *out)
{
    (void)f;
    (void)t;
    (void)scratch;
    const spine *body = (const spine *)(const void *)s->body;
    const ia zero = ia_point(0), two = ia_point(i == 0 ? 2 : 0);
    out->f = i == 0 ? ia_sub(ia_add(ia_sqr(x.x), ia_sqr(x.y)), ia_sqr(ia_point(body->size))) : x.z;
    if (order >= 1) {
        out->g =
            i == 0 ? (ia3){ ia_scale(2, x.x), ia_scale(2, x.y), zero } : (ia3){ zero, zero, ia_point(1) };
        out->t = zero;
    }
    if (order >= 2) {
        out->h[0] = out->h[3] = two;
        out->h[1] = out->h[2] = out->h[4] = out->h[5] = zero;
        out->gt = abut_ia3_zero();
    }
    return true;
}

static abut_truth spine_on(const abut_surface *s, const abut_surface_feature *f, ia3 x, ia t, ia *scratch)
{
    (void)s;
    (void)f;
    (void)x;
    (void)t;
    (void)scratch;
    return ABUT_EVERYWHERE;
}

static ia3 spine_bounds(const abut_surface *s, ia t, ia *scratch)
{
    (void)t;
    (void)scratch;
    const spine *body = (const spine *)(const void *)s->body;
    const ia zero = ia_point(0), size = ia_make(-body->size, body->size);
    return body->is_circle ? (ia3){ size, size, zero } : (ia3){ zero, zero, size };
}

static const abut_surface_methods spine_methods = {
    .jet = spine_jet, .field = spine_field, .on = spine_on, .bounds = spine_bounds
};

static spine *spine_open(double size, size_t count, abut_workspace *ws, abut_surface *out)
{
    spine *body = abut_workspace_take(ws, 1, sizeof *body);
    if (!body)
        return NULL;
    *body = (spine){ .base = { &spine_methods }, .size = size };
    *out = (abut_surface){ .features = body->features, .feature_count = count, .body = &body->base };
    for (size_t i = 0; i < count; ++i)
        body->features[i] = (abut_surface_feature){ .kind = ABUT_FEATURE_VERTEX, .parametric = true };
    return body;
}

static void make_edge(abut_surface_feature *f, double lo, double hi, bool closed)
{
    f->kind = ABUT_FEATURE_EDGE;
    f->dimension = 1;
    f->range[0] = (abut_interval){ lo, hi };
    f->wraps[0] = closed;
}

abut_status abut_surface_circle(double radius, abut_workspace *ws, abut_surface *out)
{
    spine *body = spine_open(radius, 1, ws, out);
    if (!body)
        return ABUT_ERR_MEMORY;
    body->is_circle = true;
    body->features[0].field_count = 2;
    make_edge(&body->features[0], 0, 0x1.921fb54442d19p+2, true); /* a double above 2 pi */
    return ABUT_OK;
}

abut_status abut_surface_segment(double half, abut_workspace *ws, abut_surface *out)
{
    spine *body = spine_open(half, half > 0 ? 3 : 1, ws, out);
    if (!body)
        return ABUT_ERR_MEMORY;
    if (half > 0) {
        make_edge(&body->features[2], -half, half, false);
        body->features[1].id = 1;
    }
    return ABUT_OK;
}
