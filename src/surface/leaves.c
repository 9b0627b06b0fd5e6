/* SPDX-License-Identifier: MIT */
/* Fields and insides of bodies that are the common part of a few leaves. */
#include "surface/leaves.h"

bool abut_leaf_field(const abut_surface *s, const abut_surface_feature *f, int i, ia3 x, ia t, int order,
                     ia *scratch, abut_field_jet *out)
{
    (void)t;
    (void)scratch;
    const abut_leaf_body *body = abut_leaf_body_of(s);
    out->t = ia_point(0);
    out->gt = abut_ia3_zero();
    return body->leaf(body, abut_leaf_of(f, i), x, order, out);
}

abut_truth abut_leaf_on(const abut_surface *s, const abut_surface_feature *f, ia3 x, ia t, ia *scratch)
{
    (void)t;
    (void)scratch;
    const abut_leaf_body *body = abut_leaf_body_of(s);
    abut_truth truth = ABUT_EVERYWHERE;
    for (int k = 0; k < body->leaf_count; ++k) {
        bool vanishes = false;
        for (int i = 0; i < f->field_count; ++i)
            vanishes = vanishes || abut_leaf_of(f, i) == k;
        if (vanishes)
            continue;
        abut_field_jet jet;
        body->leaf(body, k, x, 0, &jet);
        if (ia_lo(jet.f) > 0)
            return ABUT_NOWHERE;
        if (ia_hi(jet.f) > 0)
            truth = ABUT_SOMEWHERE;
    }
    return truth;
}

/* All leaves are to be inside at once. */
abut_limit abut_leaf_limit(const abut_surface *s, const abut_surface_feature *f,
                           const abut_surface_feature *part, int i, ia3 x, ia t, ia *scratch)
{
    (void)s;
    (void)x;
    (void)t;
    (void)scratch;
    for (int k = 0; k < f->field_count; ++k)
        if (abut_leaf_of(f, k) == abut_leaf_of(part, i))
            return ABUT_LIMIT_VANISHES;
    return ABUT_LIMIT_ENDS;
}

abut_truth abut_leaf_inside(const abut_surface *s, ia3 x, ia t, ia *scratch)
{
    (void)t;
    (void)scratch;
    const abut_leaf_body *body = abut_leaf_body_of(s);
    abut_truth truth = ABUT_EVERYWHERE;
    for (int k = 0; k < body->leaf_count; ++k) {
        abut_field_jet jet;
        body->leaf(body, k, x, 0, &jet);
        if (ia_lo(jet.f) > 0)
            return ABUT_NOWHERE;
        if (ia_hi(jet.f) >= 0)
            truth = ABUT_SOMEWHERE;
    }
    return truth;
}

bool abut_leaf_stays(const abut_surface *s, const abut_passage *path, ia *scratch)
{
    (void)scratch;
    const abut_leaf_body *body = abut_leaf_body_of(s);
    for (int k = 0; k < body->leaf_count; ++k) {
        abut_field_jet middle, over;
        over.t = ia_point(0);
        body->leaf(body, k, path->middle, 0, &middle);
        body->leaf(body, k, path->x, 1, &over);
        if (!(ia_hi(abut_passage_field(path, middle.f, &over)) < 0))
            return false;
    }
    return true;
}

bool abut_leaf_open(const abut_surface_methods *methods, size_t feature_count, abut_workspace *ws,
                    abut_surface *out, abut_leaf_body **body, abut_surface_feature **features)
{
    *body = abut_workspace_take(ws, 1, sizeof **body);
    *features = abut_workspace_take(ws, feature_count, sizeof **features);
    if (!*body || !*features)
        return false;
    **body = (abut_leaf_body){ .base = { methods } };
    for (size_t i = 0; i < feature_count; ++i)
        (*features)[i] = (abut_surface_feature){ .parametric = true, .field_count = 1, .normal_count = 1 };
    *out = (abut_surface){ .features = *features,
                           .feature_count = feature_count,
                           .solid = true,
                           .implicit = true,
                           .body = &(*body)->base };
    return true;
}
