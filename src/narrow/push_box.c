/* SPDX-License-Identifier: MIT */
/* A box around a body at an instant, for directions in which to push another one out of it. Shapes say what
 * their bounds are; of fields these are whatever the caller gave, and of surfaces that deform they hold for
 * all times. So the sides of a box of fields are moved inward as long as cells of a grid next to them are
 * outside; surfaces that deform are enclosed at that time. Only steers. */
#include "narrow/push_out.h"
#include "narrow/surface/surface_pair.h"

enum { SLABS = 24, CELLS = 6 };

static double part_of(const double range[2], int i, int count)
{
    return i == count ? range[1] : range[0] + (range[1] - range[0]) * i / count;
}

/* Kernel. Is the part of the box between two heights along axis k all outside? */
static bool is_empty(const abut_placed_surface *s, double box[3][2], int k, const double slab[2])
{
    for (int i = 0; i < CELLS * CELLS; ++i) {
        ia x[3];
        const int at[2] = { i % CELLS, i / CELLS };
        for (int j = 0; j < 2; ++j) {
            const double *range = box[(k + 1 + j) % 3];
            x[(k + 1 + j) % 3] = ia_make(part_of(range, at[j], CELLS), part_of(range, at[j] + 1, CELLS));
        }
        x[k] = ia_make(slab[0], slab[1]);
        const ia3 cell = { x[0], x[1], x[2] };
        if (abut_surface_inside(&s->surface, cell, abut_placed_time(s), s->scratch) != ABUT_NOWHERE)
            return false;
    }
    return true;
}

static void tighten(const abut_placed_surface *s, double box[3][2])
{
    for (int k = 0; k < 3; ++k) {
        const double whole[2] = { box[k][0], box[k][1] };
        for (int i = 0; i < SLABS; ++i) {
            const double slab[2] = { part_of(whole, i, SLABS), part_of(whole, i + 1, SLABS) };
            if (!is_empty(s, box, k, slab))
                break;
            box[k][0] = slab[1];
        }
        for (int i = SLABS; i > 0 && box[k][1] > box[k][0]; --i) {
            const double slab[2] = { part_of(whole, i - 1, SLABS), part_of(whole, i, SLABS) };
            if (!is_empty(s, box, k, slab))
                break;
            box[k][1] = slab[0];
        }
    }
}

static ABUT_NOINLINE void find(const abut_placed_surface *s, abut_aabb *out)
{
    const ia3 b = s->bounds;
    double box[3][2] = { { ia_lo(b.x), ia_hi(b.x) }, { ia_lo(b.y), ia_hi(b.y) }, { ia_lo(b.z), ia_hi(b.z) } };
    bool finite = true;
    for (int k = 0; k < 3; ++k)
        finite = finite && isfinite(box[k][0]) && isfinite(box[k][1]);
    if (finite && s->surface.implicit)
        tighten(s, box);
    *out = (abut_aabb){ { box[0][0], box[1][0], box[2][0] }, { box[0][1], box[1][1], box[2][1] } };
}

abut_status abut_narrow_push_box(const abut_shape *shape, const abut_place *at, abut_workspace *ws,
                                 abut_aabb *out)
{
    *out = shape->bounds;
    if (!shape->surface || (!shape->surface->implicit && !shape->surface->deforms))
        return ABUT_OK;
    abut_workspace own;
    abut_placed_surface s;
    if (!ws)
        abut_workspace_open(&own, &shape->alloc);
    abut_workspace *used = ws ? ws : &own;
    const abut_workspace_mark mark = abut_workspace_begin(used);
    const abut_status status = abut_placed_surface_make(shape, at->t, used, &s);
    if (!status) {
        const abut_rounding saved = abut_rounding_enter();
        find(&s, out);
        abut_rounding_leave(saved);
    }
    abut_workspace_end(used, mark);
    if (!ws)
        abut_workspace_close(&own);
    return status;
}
