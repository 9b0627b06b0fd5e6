/* SPDX-License-Identifier: MIT */
/* Bodies that are the common part of a few leaves {field <= 0}: the library's round and flat
 * ones. Their features are known beforehand; which leaves vanish on a feature is packed into its
 * `data`, one in each byte from the lowest. */
#ifndef ABUT_SURFACE_LEAVES_H
#define ABUT_SURFACE_LEAVES_H

#include "surface/body.h"

typedef struct abut_leaf_body {
    abut_surface_body base;
    int leaf_count;
    /* Field number k. All of `out` but the derivatives by the time. */
    bool (*leaf)(const struct abut_leaf_body *body, int k, ia3 x, int order, abut_field_jet *out);
    double size[4]; /* radii, halves of heights, ...: as the kind of body wants */
} abut_leaf_body;

enum { ABUT_LEAF_BITS = 8, ABUT_LEAF_MASK = 255 };

static inline const abut_leaf_body *abut_leaf_body_of(const abut_surface *s)
{
    return (const abut_leaf_body *)s->body;
}

static inline uint32_t abut_leaf_pack(int a, int b, int c)
{
    return (uint32_t)a | (uint32_t)b << ABUT_LEAF_BITS | (uint32_t)c << 2 * ABUT_LEAF_BITS;
}

static inline int abut_leaf_of(const abut_surface_feature *f, int i)
{
    return (int)(f->data >> (i * ABUT_LEAF_BITS) & ABUT_LEAF_MASK);
}

/* The methods field, on, inside, limit and stays of such bodies. */
bool abut_leaf_field(const abut_surface *s, const abut_surface_feature *f, int i, ia3 x, ia t, int order,
                     ia *scratch, abut_field_jet *out);
abut_truth abut_leaf_on(const abut_surface *s, const abut_surface_feature *f, ia3 x, ia t, ia *scratch);
abut_truth abut_leaf_inside(const abut_surface *s, ia3 x, ia t, ia *scratch);
abut_limit abut_leaf_limit(const abut_surface *s, const abut_surface_feature *f,
                           const abut_surface_feature *part, int i, ia3 x, ia t, ia *scratch);
bool abut_leaf_stays(const abut_surface *s, const abut_passage *path, ia *scratch);

/* Body and features from the workspace, features cleared but for kind and form; false when
 * memory is out. */
bool abut_leaf_open(const abut_surface_methods *methods, size_t feature_count, abut_workspace *ws,
                    abut_surface *out, abut_leaf_body **body, abut_surface_feature **features);

static inline ia3 abut_ia3_zero(void)
{
    return (ia3){ ia_point(0), ia_point(0), ia_point(0) };
}

/* What jets of bodies at rest have no other value for. */
static inline void abut_jet_clear(int order, abut_jet *out)
{
    if (order >= 1)
        out->u = out->v = out->t = out->n = abut_ia3_zero();
    if (order >= 2)
        out->uu = out->uv = out->vv = out->ut = out->vt = out->nu = out->nv = out->nt = abut_ia3_zero();
}

#endif
