/* SPDX-License-Identifier: MIT */
/* Faces and edges of explicit solids as parts. The domain of a face is what its edges span in the
 * surface's parameters, or the whole surface; its loops cut the face out of that (trim.c). */
#include "math/vec3.h"
#include "solid/geometry.h"

#include <math.h>
#include <string.h>

static void set_frame(abut_part *p, const abut_solid_surface *s)
{
    p->o = s->point;
    p->z = s->axis;
    p->x = abut_unit_or(abut_cross(p->z, fabs(p->z.x) < 0.6 ? abut_v3(1, 0, 0) : abut_v3(0, 1, 0)),
                        abut_v3(1, 0, 0));
    p->y = abut_cross(p->z, p->x);
}

/* Extent of the edges of a face along a direction, from its point o. */
static void span(const abut_solid *solid, const abut_curves *curves, size_t face, abut_vec3 o, abut_vec3 axis,
                 double *lo, double *hi)
{
    const abut_solid_face *f = &solid->def.faces[face];
    *lo = INFINITY;
    *hi = -INFINITY;
    for (size_t l = 0; l < f->loop_count; ++l)
        for (size_t k = 0; k < f->loops[l].count; ++k) {
            const uint32_t edge = f->loops[l].coedges[k].edge;
            for (size_t i = curves->starts[edge]; i < curves->starts[edge + 1]; ++i) {
                abut_cell cell;
                abut_cell_root(&curves->parts[i], 0, 0, &cell);
                const double at = abut_dot(abut_sub(cell.center, o), axis);
                double reach = 0;
                for (int j = 0; j < 3; ++j)
                    reach += fabs(abut_dot(cell.axis[j], axis)) * cell.half[j];
                *lo = fmin(*lo, at - reach);
                *hi = fmax(*hi, at + reach);
            }
        }
}

static abut_status face_part(abut_solid *solid, const abut_curves *curves, size_t face, abut_part *p,
                             abut_error *error)
{
    const abut_solid_face *f = &solid->def.faces[face];
    const abut_solid_surface *s = &solid->def.surfaces[f->surface];
    *p = (abut_part){ .face = true,
                      .sense = f->outward,
                      .trim = f->loop_count ? ABUT_TRIM_LOOPS : ABUT_TRIM_NONE,
                      .entity = (uint32_t)face,
                      .side = { ABUT_PART_NONE, ABUT_PART_NONE },
                      .a = { 1, 0, -1, 0 },
                      .b = { 1, 0, 0, 1 },
                      .radius = s->radius };
    set_frame(p, s);
    double lo, hi;
    switch (s->kind) {
    case ABUT_SOLID_PLANE:
        p->kind = ABUT_CELL_PLANE;
        span(solid, curves, face, p->o, p->x, &p->u0, &p->u1);
        span(solid, curves, face, p->o, p->y, &p->v0, &p->v1);
        return ABUT_OK;
    case ABUT_SOLID_CYLINDER:
        p->kind = ABUT_CELL_CYLINDER;
        span(solid, curves, face, p->o, p->z, &p->v0, &p->v1);
        return ABUT_OK;
    case ABUT_SOLID_CONE: {
        const double w = 1 / sqrt(1 + s->tangent * s->tangent);
        p->kind = ABUT_CELL_CONE;
        p->slope = s->tangent * w;
        p->rise = w;
        span(solid, curves, face, p->o, p->z, &lo, &hi);
        if (lo < -solid->tolerance)
            return abut_base_fail(error, ABUT_ERR_VALUE, (int64_t)face,
                                  "face %zu, on a cone, reaches behind the apex", face);
        p->v1 = hi / w;
        return ABUT_OK;
    }
    case ABUT_SOLID_SPHERE: p->kind = ABUT_CELL_TORUS; return ABUT_OK;
    case ABUT_SOLID_TORUS:
        p->kind = ABUT_CELL_TORUS;
        p->major = s->radius;
        p->radius = s->minor;
        p->b = (abut_arc_range){ 1, 0, -1, 0 };
        return ABUT_OK;
    default:
        return abut_base_fail(error, ABUT_ERR_UNSUPPORTED, (int64_t)face,
                              "face %zu lies on a quadric that is not supported", face);
    }
}

abut_status abut_solid_make_features(abut_solid *solid, const abut_curves *curves, abut_workspace *keep,
                                     abut_error *error)
{
    const abut_solid_def *def = &solid->def;
    abut_features *features = &solid->features;
    const size_t most = def->face_count + curves->count;
    features->parts = abut_workspace_take(keep, most, sizeof *features->parts);
    if (!features->parts)
        return abut_base_fail_memory(error);
    for (size_t i = 0; i < def->face_count; ++i) {
        const abut_status status = face_part(solid, curves, i, &features->parts[i], error);
        if (status)
            return status;
    }
    if (curves->count)
        memcpy(features->parts + def->face_count, curves->parts, curves->count * sizeof *features->parts);
    features->count = most;
    abut_aabb box = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
    for (size_t i = 0; i < most; ++i) {
        abut_part *p = &features->parts[i];
        if (!p->face) {
            p->side[0] = solid->sides[p->entity].face[0];
            p->side[1] = solid->sides[p->entity].face[1];
        }
        abut_cell cell;
        abut_cell_root(p, 0, 0, &cell);
        abut_vec3 r = { 0, 0, 0 };
        for (int k = 0; k < 3; ++k) {
            r.x += fabs(cell.axis[k].x) * cell.half[k];
            r.y += fabs(cell.axis[k].y) * cell.half[k];
            r.z += fabs(cell.axis[k].z) * cell.half[k];
        }
        const abut_vec3 lo = abut_sub(cell.center, r), hi = abut_add(cell.center, r);
        box.lo = abut_v3(fmin(box.lo.x, lo.x), fmin(box.lo.y, lo.y), fmin(box.lo.z, lo.z));
        box.hi = abut_v3(fmax(box.hi.x, hi.x), fmax(box.hi.y, hi.y), fmax(box.hi.z, hi.z));
        features->scale =
            fmax(features->scale, abut_max_norm(p->o) + fabs(p->radius) + fabs(p->major) + fabs(p->v1));
    }
    features->scale = fmax(features->scale, fmax(abut_max_norm(box.lo), abut_max_norm(box.hi)));
    const double grow = solid->tolerance + 1e-13 * features->scale;
    const abut_vec3 g = { grow, grow, grow };
    solid->bounds = (abut_aabb){ abut_sub(box.lo, g), abut_add(box.hi, g) };
    return abut_features_build(features, keep) ? ABUT_OK : abut_base_fail_memory(error);
}
