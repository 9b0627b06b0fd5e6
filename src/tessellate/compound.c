/* SPDX-License-Identifier: MIT */
/* Compounds: the triangles of every part, placed. Where parts overlap, those inside are there too. */
#include "tessellate/tessellate.h"

#include "abut/motion.h"

/* A box about the window in the frame of a part. */
static abut_aabb window_of(abut_aabb w, const abut_affine *part)
{
    const abut_vec3 middle = abut_scale(0.5, abut_add(w.lo, w.hi));
    const double reach = abut_length(abut_sub(w.hi, middle));
    const abut_vec3 c = abut_mul_t(&part->linear, abut_sub(middle, part->translation));
    const abut_vec3 r = abut_v3(reach, reach, reach);
    return (abut_aabb){ abut_sub(c, r), abut_add(c, r) };
}

void abut_tess_compound(abut_tess *t, const abut_shape *shape)
{
    const abut_aabb window = t->opts.window;
    for (size_t k = 0; k < shape->u.compound.count && !t->status; ++k) {
        const abut_compound_member *part = &shape->u.compound.parts[k];
        abut_affine at = abut_affine_identity();
        const abut_status status = part->at ? abut_motion_at(part->at, 0, &at) : ABUT_OK;
        if (status) {
            abut_tess_fail(t, status);
            return;
        }
        const size_t first = t->vertices.count;
        t->opts.window = window_of(window, &at);
        abut_tess_any(t, part->shape);
        for (size_t i = first; i < t->vertices.count; ++i) {
            t->vertices.items[i] = abut_affine_apply(&at, t->vertices.items[i]);
            t->normals.items[i] = abut_mul(&at.linear, t->normals.items[i]);
        }
    }
    t->opts.window = window;
}
