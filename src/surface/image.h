/* SPDX-License-Identifier: MIT */
/* What all parametric images share: bounds, normals from derivatives. */
#ifndef ABUT_SURFACE_IMAGE_H
#define ABUT_SURFACE_IMAGE_H

#include "surface/surface.h"

/* Kernel. An enclosure of the image of a box of u and v. */
typedef void (*abut_image_fn)(const void *ctx, const ia box[2], ia *scratch, ia3 *out);

/* Kernel. A box around the image of the ranges, at most a thousandth of `size` wider than need
 * be at any side where the budget allows. grid: first cut into so many pieces each way. work: of
 * an enclosure. */
ia3 abut_image_bounds(abut_image_fn image, const void *ctx, const abut_interval range[2], double size,
                      int grid, size_t work, ia *scratch);

/* Kernel. Piece i of count of a range; neighbours share their ends, the first and last have
 * those of the range. */
static inline ia abut_piece_of(abut_interval range, int i, int count)
{
    const double step = (range.hi - range.lo) / count;
    return ia_make(i == 0 ? range.lo : fmin(range.lo + i * step, range.hi),
                   i == count - 1 ? range.hi : fmin(range.lo + (i + 1) * step, range.hi));
}

/* n and its derivatives from those of the point. */
static inline void abut_jet_normal(int order, bool turned, abut_jet *j)
{
    if (order < 1)
        return;
    const ia3 u = j->u, v = turned ? ia3_neg(j->v) : j->v;
    j->n = ia3_cross(u, v);
    if (order < 2)
        return;
    const ia3 uv = turned ? ia3_neg(j->uv) : j->uv, vv = turned ? ia3_neg(j->vv) : j->vv;
    const ia3 vt = turned ? ia3_neg(j->vt) : j->vt;
    j->nu = ia3_add(ia3_cross(j->uu, v), ia3_cross(u, uv));
    j->nv = ia3_add(ia3_cross(j->uv, v), ia3_cross(u, vv));
    j->nt = ia3_add(ia3_cross(j->ut, v), ia3_cross(u, vt));
}

/* The normal at a pole has the direction of its derivative away from it; `side` 2k + 1 is the
 * end, 2k the start, of parameter k. Where nothing is known, or it vanishes to higher order, any
 * direction. */
static inline ia3 abut_jet_pole_normal(const abut_jet *j, int side)
{
    const ia3 away = side >> 1 ? j->nv : j->nu;
    const ia any = ia_make(-1, 1);
    if (ia_contains_zero(away.x) && ia_contains_zero(away.y) && ia_contains_zero(away.z))
        return (ia3){ any, any, any };
    return side & 1 ? ia3_neg(away) : away;
}

#endif
