/* SPDX-License-Identifier: MIT */
/* Height fields as bodies of triangles. The material is all that is below the surface, without an
 * end, so that its boundary has walls around the rectangle of the grid. They are cut off at
 * `bottom`, which is below the other body: what is nearest to a wall is no deeper than that body.
 *
 * Triangles 2 c and 2 c + 1 are the two of cell c, as shape/heightfield.h says; behind them come the
 * walls, two triangles below each side of the grid: those at the first row, at the last row, at the
 * first column, at the last column. Normals lead out of the material. Vertex v + columns rows is the
 * one at the bottom below v. */
#include "narrow/facets/facets.h"
#include "shape/heightfield.h"

/* Cells along each axis whose planes are examined one by one. */
enum { CLOSE = 6 };

static const abut_heightfield_data *field_of(const abut_facets *f)
{
    return &f->shape->u.heightfield;
}

/* The coordinate (2 i - count + 1) d / 2, within two ulp. */
static abut_interval coordinate(size_t i, size_t count, double d)
{
    const double x = 0.5 * (2 * (double)i - (double)count + 1) * d, off = fabs(x) * 0x1p-51;
    return (abut_interval){ x - off, x + off };
}

/* Sides of the grid below which there is a wall, in the order of their numbers. */
static size_t side_count(const abut_heightfield_data *h)
{
    return 2 * (h->columns - 1) + 2 * (h->rows - 1);
}

/* The two ends of a side, with the field to their left. */
static void side_ends(const abut_heightfield_data *h, size_t side, size_t from[2], size_t to[2])
{
    const size_t cx = h->columns - 1, cy = h->rows - 1;
    const bool along_x = side < 2 * cx;
    const size_t k = along_x ? side % cx : (side - 2 * cx) % cy;
    const bool last = along_x ? side >= cx : side - 2 * cx >= cy;
    const size_t lo[2] = { along_x ? k : last ? cx : 0, along_x ? (last ? cy : 0) : k };
    const size_t hi[2] = { along_x ? k + 1 : lo[0], along_x ? lo[1] : k + 1 };
    const bool upward = along_x != last;
    memcpy(from, upward ? lo : hi, sizeof lo);
    memcpy(to, upward ? hi : lo, sizeof lo);
}

static void wall_box(const abut_facets *f, size_t side, abut_interval_vec3 *box)
{
    const abut_heightfield_data *h = field_of(f);
    size_t from[2], to[2];
    side_ends(h, side, from, to);
    const abut_interval x[2] = { coordinate(from[0], h->columns, h->dx),
                                 coordinate(to[0], h->columns, h->dx) };
    const abut_interval y[2] = { coordinate(from[1], h->rows, h->dy), coordinate(to[1], h->rows, h->dy) };
    box->x = (abut_interval){ fmin(x[0].lo, x[1].lo), fmax(x[0].hi, x[1].hi) };
    box->y = (abut_interval){ fmin(y[0].lo, y[1].lo), fmax(y[0].hi, y[1].hi) };
    box->z = (abut_interval){ f->bottom, fmax(abut_heightfield_height(h, from[0], from[1]),
                                              abut_heightfield_height(h, to[0], to[1])) };
}

typedef struct block {
    int level;
    size_t i, j;
} block;

/* Blocks of the pyramid that are nearer than *reach: cells are added to `list`, or where it is NULL
 * *reach becomes the distance of the nearest. */
static void descend(const abut_facets *f, const abut_interval_vec3 *box, double *reach, abut_facet_list *list)
{
    const abut_heightfield_data *h = field_of(f);
    const size_t cx = h->columns - 1, cy = h->rows - 1;
    block stack[4 * ABUT_HEIGHTFIELD_LEVELS];
    int n = 1;
    stack[0] = (block){ h->pyramid->levels, 0, 0 };
    while (n > 0) {
        const block b = stack[--n];
        const size_t size = (size_t)1 << b.level, i0 = b.i << b.level, j0 = b.j << b.level;
        const size_t i1 = i0 + size < cx ? i0 + size : cx, j1 = j0 + size < cy ? j0 + size : cy;
        const abut_range z = abut_heightfield_range(h, b.level, b.i, b.j);
        const abut_interval_vec3 around = {
            { coordinate(i0, h->columns, h->dx).lo, coordinate(i1, h->columns, h->dx).hi },
            { coordinate(j0, h->rows, h->dy).lo, coordinate(j1, h->rows, h->dy).hi },
            { z.lo, z.hi }
        };
        const double distance = abut_facet_box_distance(&around, box);
        if (distance > *reach || (!list && distance == *reach))
            continue;
        if (b.level == 0 && list) {
            const size_t cell = j0 * cx + i0;
            abut_facet_list_add(list, (uint32_t)(2 * cell));
            abut_facet_list_add(list, (uint32_t)(2 * cell + 1));
        } else if (b.level == 0) {
            *reach = distance;
        }
        for (int k = 0; k < 4 && b.level > 0; ++k) {
            const block child = { b.level - 1, 2 * b.i + (size_t)(k & 1), 2 * b.j + (size_t)(k >> 1) };
            if (child.i < abut_heightfield_blocks(cx, child.level) &&
                child.j < abut_heightfield_blocks(cy, child.level))
                stack[n++] = child;
        }
    }
}

static double nearest(const abut_facets *f, const abut_interval_vec3 *box)
{
    double least = INFINITY;
    descend(f, box, &least, NULL);
    for (size_t side = 0; side < side_count(field_of(f)); ++side) {
        abut_interval_vec3 wall;
        wall_box(f, side, &wall);
        least = fmin(least, abut_facet_box_distance(&wall, box));
    }
    return least;
}

static void collect(const abut_facets *f, const abut_interval_vec3 *box, double reach, abut_facet_list *out)
{
    descend(f, box, &reach, out);
    for (size_t side = 0; side < side_count(field_of(f)); ++side) {
        abut_interval_vec3 wall;
        wall_box(f, side, &wall);
        for (uint32_t k = 0; k < 2 && abut_facet_box_distance(&wall, box) <= reach; ++k)
            abut_facet_list_add(out, f->top_count + (uint32_t)(2 * side) + k);
    }
}

static abut_facet_corner corner_at(const abut_facets *f, size_t i, size_t j, bool bottom)
{
    const abut_heightfield_data *h = field_of(f);
    const double z = bottom ? f->bottom : abut_heightfield_height(h, i, j);
    return (
        abut_facet_corner){ (uint32_t)(j * h->columns + i + (bottom ? h->columns * h->rows : 0)),
                            { coordinate(i, h->columns, h->dx), coordinate(j, h->rows, h->dy), { z, z } } };
}

static void corners(const abut_facets *f, uint32_t face, abut_facet_corner out[3])
{
    const abut_heightfield_data *h = field_of(f);
    if (face < f->top_count) {
        const size_t cx = h->columns - 1, i = face / 2 % cx, j = face / 2 / cx;
        const bool second = face & 1;
        out[0] = corner_at(f, i, j, false);
        out[1] = second ? corner_at(f, i + 1, j + 1, false) : corner_at(f, i + 1, j, false);
        out[2] = second ? corner_at(f, i, j + 1, false) : corner_at(f, i + 1, j + 1, false);
        return;
    }
    size_t from[2], to[2];
    const size_t wall = face - f->top_count;
    side_ends(h, wall / 2, from, to);
    out[0] = corner_at(f, to[0], to[1], false);
    out[1] = wall & 1 ? corner_at(f, from[0], from[1], true) : corner_at(f, from[0], from[1], false);
    out[2] = wall & 1 ? corner_at(f, to[0], to[1], true) : corner_at(f, from[0], from[1], true);
}

/* Cells that an interval of coordinates may touch; false: beyond the grid. *whole: it is all
 * over the grid. */
static bool cells_over(abut_interval x, size_t count, double d, size_t *from, size_t *to, bool *whole)
{
    const abut_interval lo = coordinate(0, count, d), hi = coordinate(count - 1, count, d);
    const double half = 0.5 * ((double)count - 1), last = (double)count - 2;
    if (x.hi < lo.lo || x.lo > hi.hi)
        return false;
    *whole = *whole && x.lo > lo.hi && x.hi < hi.lo;
    const double a = floor(x.lo / d + half) - 1, b = floor(x.hi / d + half) + 1;
    *from = (size_t)fmin(fmax(a, 0), last);
    *to = (size_t)fmin(fmax(b, 0), last);
    return true;
}

/* Kernel. The heights over the part of a box that is in a cell. */
static void heights_in(const abut_heightfield_data *h, size_t i, size_t j, ia3 box, double *lo, double *hi)
{
    const abut_interval x0 = coordinate(i, h->columns, h->dx), y0 = coordinate(j, h->rows, h->dy);
    const ia unit = ia_make(0, 1);
    const ia x = ia_intersect(ia_div(ia_sub(box.x, ia_from(x0)), ia_point(h->dx)), unit);
    const ia y = ia_intersect(ia_div(ia_sub(box.y, ia_from(y0)), ia_point(h->dy)), unit);
    if (ia_is_empty(x) || ia_is_empty(y))
        return;
    const ia a = ia_point(abut_heightfield_height(h, i, j)),
             b = ia_point(abut_heightfield_height(h, i + 1, j)),
             c = ia_point(abut_heightfield_height(h, i, j + 1)),
             d = ia_point(abut_heightfield_height(h, i + 1, j + 1));
    for (int k = 0; k < 2; ++k) {
        if (k ? ia_hi(y) < ia_lo(x) : ia_hi(x) < ia_lo(y))
            continue;
        const ia dx = k ? ia_sub(d, c) : ia_sub(b, a), dy = k ? ia_sub(c, a) : ia_sub(d, b);
        const ia z = ia_add(a, ia_add(ia_mul(dx, x), ia_mul(dy, y)));
        *lo = fmin(*lo, ia_lo(z));
        *hi = fmax(*hi, ia_hi(z));
    }
}

static abut_truth inside(const void *ctx, ia3 x)
{
    const abut_facets *f = ctx;
    const abut_heightfield_data *h = field_of(f);
    const abut_interval_vec3 box = ia3_to(x);
    size_t from[2], to[2];
    bool whole = true;
    if (box.z.lo > h->pyramid->whole.hi || !cells_over(box.x, h->columns, h->dx, &from[0], &to[0], &whole) ||
        !cells_over(box.y, h->rows, h->dy, &from[1], &to[1], &whole))
        return ABUT_NOWHERE;
    abut_range z = abut_heightfield_range_over(h, from, to);
    if (box.z.lo <= z.hi && box.z.hi >= z.lo && to[0] - from[0] < CLOSE && to[1] - from[1] < CLOSE) {
        abut_range close = { INFINITY, -INFINITY };
        for (size_t j = from[1]; j <= to[1]; ++j)
            for (size_t i = from[0]; i <= to[0]; ++i)
                heights_in(h, i, j, x, &close.lo, &close.hi);
        z = (abut_range){ fmax(z.lo, close.lo), fmin(z.hi, close.hi) };
    }
    return box.z.lo > z.hi ? ABUT_NOWHERE : whole && box.z.hi < z.lo ? ABUT_EVERYWHERE : ABUT_SOMEWHERE;
}

static int64_t vertex_id(const abut_facets *f, uint32_t vertex)
{
    const abut_heightfield_data *h = field_of(f);
    return vertex < h->columns * h->rows ? (int64_t)vertex : -1;
}

static int64_t edge_id(const abut_facets *f, uint32_t from, uint32_t to)
{
    (void)f;
    (void)from;
    (void)to;
    return -1;
}

static int64_t face_id(const abut_facets *f, uint32_t face)
{
    return face < f->top_count ? (int64_t)face : -1;
}

static bool part_count(const abut_facets *f, size_t *count)
{
    (void)f;
    *count = 1;
    return true;
}

static uint32_t part(const abut_facets *f, size_t i)
{
    (void)f;
    (void)i;
    return 0;
}

void abut_facets_of_field(const abut_shape *field, const abut_interval_vec3 *other, abut_facets *out)
{
    static const abut_facet_methods methods = { nearest, collect, corners,    inside, vertex_id,
                                                edge_id, face_id, part_count, part };
    const abut_heightfield_data *h = &field->u.heightfield;
    const abut_range z = h->pyramid->whole;
    const abut_interval x = coordinate(h->columns - 1, h->columns, h->dx),
                        y = coordinate(h->rows - 1, h->rows, h->dy);
    const double low = fmin(z.lo, other->z.lo);
    *out = (abut_facets){ .methods = &methods,
                          .shape = field,
                          .bounds = { { -x.hi, x.hi }, { -y.hi, y.hi }, { -INFINITY, z.hi } },
                          .solid = true,
                          .bottom = low - (x.hi + y.hi) - 0.25 * fabs(low) };
    out->top_count = (uint32_t)(2 * (h->columns - 1) * (h->rows - 1));
    out->face_count = out->top_count + 2 * side_count(h);
}
