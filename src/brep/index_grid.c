/* SPDX-License-Identifier: MIT */
/* Where points enter the index: a grid over the solid's box, each cell with the first node that the cell is
 * not wholly on one side of, with the leaf that holds all of it, or, where no face comes near it, with a leaf
 * of its own.
 *
 * The upper part of the tree asks the same of all points of a cell, and most cells of a solid with many faces
 * are in one leaf or far from all of them. Cells are filled block by block: a block without triangles, or in
 * one leaf, is done; others are halved and go on from the node where the block was cut. Boxes of cells are
 * taken 2^-40 of the largest coordinate larger than they are, which is more than the rounding of a point's cell
 * and of the planes' values, and a side counts only where it is beyond an error bound; so exactness is as
 * before. */
#include "base/memory.h"
#include "brep/index.h"
#include "math/vec3.h"

#include <float.h>

/* No more cells along an axis, nor in all. */
enum { ALONG = 256, CELLS = 1 << 21 };

typedef struct filler {
    abut_index *index;
    const abut_vec3 *vertices;
    const uint32_t *triangles;
    abut_vec3 lo, cell;
    double slack;
    ABUT_ARRAY(uint32_t) list; /* triangles of blocks, one above the other */
    bool failed;
} filler;

/* May a triangle have a point in a box? */
static bool is_near(const filler *f, uint32_t triangle, abut_vec3 middle, abut_vec3 half)
{
    const uint32_t *t = f->triangles + 3 * (size_t)triangle;
    for (int k = 0; k < 3; ++k) {
        const double p = abut_part3(f->vertices[t[0]], k), q = abut_part3(f->vertices[t[1]], k),
                     r = abut_part3(f->vertices[t[2]], k), lo = p < q ? p : q, hi = p > q ? p : q,
                     at = abut_part3(middle, k), reach = abut_part3(half, k);
        if ((lo < r ? lo : r) > at + reach || (hi > r ? hi : r) < at - reach)
            return false;
    }
    return true;
}

/* The triangles of a block from those of the block around it, from `begin` to the top. */
static void keep_near(filler *f, size_t begin, abut_vec3 middle, abut_vec3 half)
{
    const size_t end = f->list.count;
    for (size_t i = begin; i < end && !f->failed; ++i)
        if (is_near(f, f->list.items[i], middle, half) &&
            !ABUT_ARRAY_PUSH(&f->index->alloc, &f->list, f->list.items[i]))
            f->failed = true;
}

static int32_t new_leaf(filler *f)
{
    abut_index *x = f->index;
    if (!abut_base_grow(&x->alloc, (void **)&x->leaves, &x->leaf_room, x->leaf_count, 1, sizeof *x->leaves)) {
        f->failed = true;
        return ~0;
    }
    atomic_init(&x->leaves[x->leaf_count].label, 0);
    return ~(int32_t)x->leaf_count++;
}

/* +1 above, -1 below, 0 neither for sure: of all points of a box. */
static int box_side(const abut_index_node *node, const abut_vec3 *vertices, abut_vec3 middle, abut_vec3 half)
{
    const uint32_t *v = node->u.vertices;
    if (node->kind == ABUT_INDEX_AXIS) {
        const double at = abut_part3(middle, node->axis), reach = abut_part3(half, node->axis);
        return at - reach > node->u.at ? 1 : at + reach < node->u.at ? -1 : 0;
    }
    if (node->kind != ABUT_INDEX_PLANE)
        return 0;
    const abut_vec3 a = vertices[v[0]], p = abut_sub(vertices[v[1]], a), q = abut_sub(vertices[v[2]], a),
                    n = abut_cross(p, q), d = abut_sub(middle, a);
    const double value = abut_dot(n, d), reach = fabs(n.x) * half.x + fabs(n.y) * half.y + fabs(n.z) * half.z,
                 error =
                     0x1p-44 * abut_max_norm(p) * abut_max_norm(q) * (abut_max_norm(d) + abut_max_norm(half));
    if (!(error < 0x1p960)) /* sizes at the end of the doubles */
        return 0;
    return value - reach > error + DBL_MIN ? 1 : value + reach < -error - DBL_MIN ? -1 : 0;
}

/* Cells from `from` up to, without, `to`. Triangles near them are among those from `begin` to the top. */
static void fill(filler *f, const int32_t from[3], const int32_t to[3], int32_t at, size_t begin)
{
    abut_index_grid *grid = &f->index->grid;
    const abut_vec3 middle = abut_v3(f->lo.x + f->cell.x * (0.5 * (from[0] + to[0])),
                                     f->lo.y + f->cell.y * (0.5 * (from[1] + to[1])),
                                     f->lo.z + f->cell.z * (0.5 * (from[2] + to[2]))),
                    half = abut_v3(f->cell.x * (0.5 * (to[0] - from[0])) + f->slack,
                                   f->cell.y * (0.5 * (to[1] - from[1])) + f->slack,
                                   f->cell.z * (0.5 * (to[2] - from[2])) + f->slack);
    while (at >= 0) {
        const int side = box_side(&f->index->nodes[at], f->vertices, middle, half);
        if (side == 0)
            break;
        at = side > 0 ? f->index->nodes[at].above : f->index->nodes[at].below;
    }
    const size_t end = f->list.count;
    if (at >= 0)
        keep_near(f, begin, middle, half);
    if (f->failed)
        return;
    if (at >= 0 && f->list.count == end)
        at = new_leaf(f);
    int axis = 0;
    for (int k = 1; k < 3; ++k)
        if (to[k] - from[k] > to[axis] - from[axis])
            axis = k;
    if (at < 0 || to[axis] - from[axis] == 1) {
        for (int32_t z = from[2]; z < to[2]; ++z)
            for (int32_t y = from[1]; y < to[1]; ++y)
                for (int32_t x = from[0]; x < to[0]; ++x)
                    grid->cells[((size_t)z * (size_t)grid->n[1] + (size_t)y) * (size_t)grid->n[0] +
                                (size_t)x] = at;
        return;
    }
    int32_t first[3] = { to[0], to[1], to[2] }, second[3] = { from[0], from[1], from[2] };
    first[axis] = second[axis] = from[axis] + (to[axis] - from[axis]) / 2;
    fill(f, from, first, at, end);
    fill(f, second, to, at, end);
    f->list.count = end;
}

bool abut_index_add_grid(abut_index *index, const abut_index_def *def)
{
    const abut_aabb *box = &def->of.box;
    abut_index_grid *grid = &index->grid;
    const abut_vec3 extent = abut_sub(box->hi, box->lo);
    const double wanted = fmin(CELLS, fmax(512, 16 * (double)index->node_count)),
                 side = cbrt(extent.x / wanted * extent.y * extent.z),
                 size = fmax(abut_max_norm(box->lo), abut_max_norm(box->hi));
    if (!(side > 0) || !isfinite(side)) /* no grid: points enter at the root */
        return true;
    size_t count = 1;
    double scale[3];
    for (int k = 0; k < 3; ++k) {
        const double cells = fmin(ALONG, fmax(1, floor(abut_part3(extent, k) / side)));
        grid->n[k] = (int32_t)cells;
        scale[k] = cells / abut_part3(extent, k);
        count *= (size_t)grid->n[k];
        if (!isfinite(scale[k]) || count > 2 * (size_t)CELLS)
            return true;
    }
    filler f = { .index = index,
                 .vertices = def->of.vertices,
                 .triangles = def->of.triangles,
                 .lo = box->lo,
                 .cell = { extent.x / grid->n[0], extent.y / grid->n[1], extent.z / grid->n[2] },
                 .slack = 0x1p-40 * size };
    const int32_t none[3] = { 0, 0, 0 };
    grid->cells = abut_base_alloc(&index->alloc, count, sizeof *grid->cells);
    if (!grid->cells)
        return false;
    grid->count = count;
    grid->lo = box->lo;
    grid->scale = abut_v3(scale[0], scale[1], scale[2]);
    f.failed = !ABUT_ARRAY_RESERVE(&index->alloc, &f.list, def->triangle_count);
    for (size_t i = 0; !f.failed && i < def->triangle_count; ++i)
        f.list.items[f.list.count++] = (uint32_t)i;
    if (!f.failed)
        fill(&f, none, grid->n, index->root, 0);
    ABUT_ARRAY_FREE(&index->alloc, &f.list);
    return !f.failed;
}
