/* SPDX-License-Identifier: MIT */
/* Bounds of parametric images by subdivision: cells whose enclosure sticks out of what points
 * prove that the box must contain are cut again. */
#include "surface/image.h"

enum { max_depth = 8, max_cells = 4097 };

typedef struct bounding {
    abut_image_fn image;
    const void *ctx;
    ia *scratch;
    double room;
    uint64_t cells;   /* still to be cut */
    ia3 inner, outer; /* contains points of the image; contains the image so far */
} bounding;

static void examine(bounding *b, double u, double v)
{
    const ia box[2] = { ia_point(u), ia_point(v) };
    ia3 at;
    b->image(b->ctx, box, b->scratch, &at);
    if (!ia3_is_empty(at))
        b->inner = ia3_hull(b->inner, at);
}

static bool fits(ia a, ia inner, double room)
{
    return ia_lo(a) >= ia_lo(inner) - room && ia_hi(a) <= ia_hi(inner) + room;
}

static void bound_cell(bounding *b, ia u, ia v, int depth)
{
    const ia box[2] = { u, v };
    ia3 over;
    b->image(b->ctx, box, b->scratch, &over);
    b->cells -= b->cells > 0;
    if (ia3_is_empty(over))
        return;
    examine(b, ia_mid(u), ia_mid(v));
    if (depth == 0 || b->cells == 0 ||
        (fits(over.x, b->inner.x, b->room) && fits(over.y, b->inner.y, b->room) &&
         fits(over.z, b->inner.z, b->room))) {
        b->outer = ia3_hull(b->outer, over);
        return;
    }
    for (int i = 0; i < 4; ++i)
        bound_cell(b, i & 1 ? ia_make(ia_mid(u), ia_hi(u)) : ia_make(ia_lo(u), ia_mid(u)),
                   i & 2 ? ia_make(ia_mid(v), ia_hi(v)) : ia_make(ia_lo(v), ia_mid(v)), depth - 1);
}

ia3 abut_image_bounds(abut_image_fn image, const void *ctx, const abut_interval range[2], double size,
                      int grid, size_t work, ia *scratch)
{
    const ia3 nothing = { ia_empty(), ia_empty(), ia_empty() };
    bounding b = { image, ctx, scratch, 1e-3 * size, abut_work_budget(max_cells, work), nothing, nothing };
    for (int i = 0; i < grid; ++i)
        for (int j = 0; j < grid; ++j) {
            const ia u = abut_piece_of(range[0], i, grid), v = abut_piece_of(range[1], j, grid);
            examine(&b, ia_lo(u), ia_lo(v));
            examine(&b, ia_hi(u), ia_hi(v));
        }
    for (int i = 0; i < grid; ++i)
        for (int j = 0; j < grid; ++j)
            bound_cell(&b, abut_piece_of(range[0], i, grid), abut_piece_of(range[1], j, grid), max_depth);
    return b.outer;
}
