/* SPDX-License-Identifier: MIT */
/* The frame of a common parent: the query is asked about what is left of both motions, and its points are carried
 * to the world by where the parent is at their time. */
#include "ccd/proof/frame.h"
#include "math/vec3.h"

#include <math.h>

void abut_frame_leave(const abut_frame *f, abut_first_point *p)
{
    abut_affine at;
    const double t = fmin(fmax(0.5 * p->time.lo + 0.5 * p->time.hi, f->opts.time.lo), f->opts.time.hi);
    if (abut_motion_at(f->split.common, t, &at))
        return;
    p->point = abut_affine_apply(&at, p->point);
    p->normal = abut_mul(&at.linear, p->normal);
    for (int i = 0; i < 2; ++i)
        p->normals[i] = abut_mul(&at.linear, p->normals[i]);
}

static void pass_on(void *ctx, const abut_first_point *point)
{
    const abut_frame *f = ctx;
    abut_first_point p = *point;
    abut_frame_leave(f, &p);
    f->on_point(f->on_point_ctx, &p);
}

bool abut_frame_enter(const abut_motion *a, const abut_motion *b, const abut_first_opts *opts,
                      const abut_allocator *alloc, abut_frame *f)
{
    /* Points that are tracked are given in the world. */
    if (opts->tracked_count > 0 || abut_motion_split_common(a, b, opts->time, alloc, &f->split) ||
        !f->split.common)
        return false;
    f->opts = *opts;
    f->opts.struct_size = sizeof f->opts;
    f->opts.error = NULL;
    f->on_point = opts->on_point;
    f->on_point_ctx = opts->on_point_ctx;
    if (f->on_point) {
        f->opts.on_point = pass_on;
        f->opts.on_point_ctx = f;
    }
    return true;
}
