/* SPDX-License-Identifier: MIT */
/* Box and half-space as surface bodies.
 *
 * Faces of the box have the other two coordinates as parameters, edges the one along them;
 * numbers are those of abut_contact. A half-space has no parametric form, because it has no end. */
#include "surface/leaves.h"

/* ---- box: size = halves; leaf 2 axis + (positive side) ---- */

static ia *component(ia3 *a, int axis)
{
    return axis == 0 ? &a->x : axis == 1 ? &a->y : &a->z;
}

static ia3 along(int axis, double length)
{
    ia3 out = abut_ia3_zero();
    *component(&out, axis) = ia_point(length);
    return out;
}

/* The two other axes, ascending. */
static void others(int axis, int *first, int *second)
{
    *first = axis == 0 ? 1 : 0;
    *second = axis == 2 ? 1 : 2;
}

static bool box_jet(const abut_surface *s, const abut_surface_feature *f, const ia *parameters, ia t,
                    int order, ia *scratch, abut_jet *out)
{
    (void)t;
    (void)scratch;
    const double *half = abut_leaf_body_of(s)->size;
    const int id = (int)f->id;
    int a, b;
    abut_jet_clear(order, out);
    if (f->dimension == 0) {
        for (int axis = 0; axis < 3; ++axis)
            *component(&out->p, axis) = ia_point(id >> axis & 1 ? half[axis] : -half[axis]);
        return true;
    }
    const int axis = f->dimension == 1 ? id >> 2 : id >> 1;
    others(axis, &a, &b);
    if (f->dimension == 1) {
        *component(&out->p, axis) = parameters[0];
        *component(&out->p, a) = ia_point(id & 1 ? half[a] : -half[a]);
        *component(&out->p, b) = ia_point(id & 2 ? half[b] : -half[b]);
        if (order >= 1)
            out->u = along(axis, 1);
        return true;
    }
    const double sign = id & 1 ? 1 : -1;
    *component(&out->p, axis) = ia_point(sign * half[axis]);
    *component(&out->p, a) = parameters[0];
    *component(&out->p, b) = parameters[1];
    if (order >= 1) {
        out->u = along(a, 1);
        out->v = along(b, 1);
        out->n = along(axis, sign);
    }
    return true;
}

static void box_normals(const abut_surface *s, const abut_surface_feature *f, const ia *parameters, ia t,
                        ia *scratch, ia3 *out)
{
    (void)s;
    (void)parameters;
    (void)t;
    (void)scratch;
    for (int i = 0; i < f->normal_count; ++i) {
        const int leaf = abut_leaf_of(f, i);
        out[i] = along(leaf >> 1, leaf & 1 ? 1 : -1);
    }
}

static bool box_leaf(const abut_leaf_body *body, int k, ia3 x, int order, abut_field_jet *out)
{
    const int axis = k >> 1;
    const double sign = k & 1 ? 1 : -1;
    out->f = ia_sub(ia_scale(sign, *component(&x, axis)), ia_point(body->size[axis]));
    if (order >= 1)
        out->g = along(axis, sign);
    for (int i = 0; order >= 2 && i < 6; ++i)
        out->h[i] = ia_point(0);
    return true;
}

static ia3 box_bounds(const abut_surface *s, ia t, ia *scratch)
{
    (void)t;
    (void)scratch;
    const double *half = abut_leaf_body_of(s)->size;
    return (ia3){ ia_make(-half[0], half[0]), ia_make(-half[1], half[1]), ia_make(-half[2], half[2]) };
}

static const abut_surface_methods box_methods = { .jet = box_jet,
                                                  .normals = box_normals,
                                                  .field = abut_leaf_field,
                                                  .on = abut_leaf_on,
                                                  .inside = abut_leaf_inside,
                                                  .bounds = box_bounds,
                                                  .limit = abut_leaf_limit,
                                                  .stays = abut_leaf_stays };

abut_status abut_surface_box(abut_vec3 half, abut_workspace *ws, abut_surface *out)
{
    abut_leaf_body *body;
    abut_surface_feature *f;
    if (!abut_leaf_open(&box_methods, 6 + 12 + 8, ws, out, &body, &f))
        return ABUT_ERR_MEMORY;
    body->leaf_count = 6;
    body->leaf = box_leaf;
    body->size[0] = half.x;
    body->size[1] = half.y;
    body->size[2] = half.z;
    const double *size = body->size;
    int a, b;
    for (int i = 0; i < 6; ++i, ++f) {
        others(i >> 1, &a, &b);
        f->kind = ABUT_FEATURE_FACE;
        f->dimension = 2;
        f->id = i;
        f->range[0] = (abut_interval){ -size[a], size[a] };
        f->range[1] = (abut_interval){ -size[b], size[b] };
        f->data = (uint32_t)i;
    }
    for (int i = 0; i < 12; ++i, ++f) {
        const int axis = i >> 2;
        others(axis, &a, &b);
        f->kind = ABUT_FEATURE_EDGE;
        f->dimension = 1;
        f->id = i;
        f->range[0] = (abut_interval){ -size[axis], size[axis] };
        f->field_count = f->normal_count = 2;
        f->data = abut_leaf_pack(2 * a + (i & 1), 2 * b + (i >> 1 & 1), 0);
    }
    for (int i = 0; i < 8; ++i, ++f) {
        f->kind = ABUT_FEATURE_VERTEX;
        f->id = i;
        f->field_count = f->normal_count = 3;
        f->data = abut_leaf_pack(i & 1, 2 + (i >> 1 & 1), 4 + (i >> 2 & 1));
    }
    return ABUT_OK;
}

/* ---- half-space: size = normal, offset ---- */

static bool halfspace_leaf(const abut_leaf_body *body, int k, ia3 x, int order, abut_field_jet *out)
{
    (void)k;
    const double *n = body->size;
    const ia sum = ia_add(ia_add(ia_scale(n[0], x.x), ia_scale(n[1], x.y)), ia_scale(n[2], x.z));
    out->f = ia_sub(sum, ia_point(n[3]));
    if (order >= 1)
        out->g = (ia3){ ia_point(n[0]), ia_point(n[1]), ia_point(n[2]) };
    for (int i = 0; order >= 2 && i < 6; ++i)
        out->h[i] = ia_point(0);
    return true;
}

static ia3 halfspace_bounds(const abut_surface *s, ia t, ia *scratch)
{
    (void)s;
    (void)t;
    (void)scratch;
    return (ia3){ ia_entire(), ia_entire(), ia_entire() };
}

static const abut_surface_methods halfspace_methods = { .field = abut_leaf_field,
                                                        .on = abut_leaf_on,
                                                        .inside = abut_leaf_inside,
                                                        .bounds = halfspace_bounds,
                                                        .limit = abut_leaf_limit,
                                                        .stays = abut_leaf_stays };

abut_status abut_surface_halfspace(abut_vec3 normal, double offset, abut_workspace *ws, abut_surface *out)
{
    abut_leaf_body *body;
    abut_surface_feature *f;
    if (!abut_leaf_open(&halfspace_methods, 1, ws, out, &body, &f))
        return ABUT_ERR_MEMORY;
    body->leaf_count = 1;
    body->leaf = halfspace_leaf;
    body->size[0] = normal.x;
    body->size[1] = normal.y;
    body->size[2] = normal.z;
    body->size[3] = offset;
    f->kind = ABUT_FEATURE_FACE;
    f->dimension = 2;
    f->parametric = false;
    return ABUT_OK;
}
