/* SPDX-License-Identifier: MIT */
/* Convex pieces of a height field; see field_piece.h.
 *
 * Vertices of the grid are products that are not doubles in general, and the pieces have them
 * rounded: `error` of the core says so, and exact predicates must not be asked. These take a
 * swept shape of a swept shape for one whose size is not known exactly (narrow/convex/upright.h): that
 * is what such a piece calls itself. Normals are taken from the slopes, not from the corners:
 * then they are right to a few ulp, however thin a triangle is, as common.c wants them. */
#include "ccd/mesh/field_piece.h"

static const double u = 0x1p-53;

double abut_field_grid(const abut_heightfield_data *field, int axis, size_t i)
{
    const size_t count = axis == 0 ? field->columns : field->rows;
    return (2 * (double)i - (double)(count - 1)) * (0.5 * (axis == 0 ? field->dx : field->dy));
}

static bool is_exact(const abut_heightfield_data *field, int axis, size_t i)
{
    const size_t count = axis == 0 ? field->columns : field->rows;
    const double half = 0.5 * (axis == 0 ? field->dx : field->dy);
    const double x = abut_field_grid(field, axis, i);
    return half >= 0x1p-900 && fma(2 * (double)i - (double)(count - 1), half, -x) == 0;
}

abut_field_block abut_field_block_at(const abut_heightfield_data *field, int level, size_t i, size_t j)
{
    const size_t across = field->columns - 1, along = field->rows - 1;
    const size_t i1 = (i + 1) << level, j1 = (j + 1) << level;
    const abut_range range = abut_heightfield_range(field, level, i, j);
    return (abut_field_block){ .level = level,
                               .i = i,
                               .j = j,
                               .i0 = i << level,
                               .i1 = i1 < across ? i1 : across,
                               .j0 = j << level,
                               .j1 = j1 < along ? j1 : along,
                               .lo = range.lo,
                               .hi = range.hi };
}

static abut_vec3 vertex(const abut_heightfield_data *field, size_t i, size_t j)
{
    return abut_v3(abut_field_grid(field, 0, i), abut_field_grid(field, 1, j),
                   abut_heightfield_height(field, i, j));
}

abut_vec3 abut_field_triangle(const abut_heightfield_data *field, size_t i, size_t j, int which,
                              abut_vec3 corner[3])
{
    corner[0] = vertex(field, i, j);
    corner[1] = which ? vertex(field, i + 1, j + 1) : vertex(field, i + 1, j);
    corner[2] = which ? vertex(field, i, j + 1) : vertex(field, i + 1, j + 1);
    const double h0 = corner[0].z, h1 = corner[1].z, h2 = corner[2].z;
    const double along_x = (which ? h1 - h2 : h1 - h0) / field->dx,
                 along_y = (which ? h2 - h0 : h2 - h1) / field->dy;
    return abut_unit_or(abut_v3(-along_x, -along_y, 1), abut_v3(NAN, NAN, NAN));
}

/* Links and faces of a prism over n corners: top, bottom, sides. */
static void connect(abut_field_piece *p, uint32_t n)
{
    for (uint32_t v = 0; v < n; ++v) {
        const uint32_t next = (v + 1) % n, last = (v + n - 1) % n;
        const uint32_t top[3] = { next, last, v + n }, bottom[3] = { n + next, n + last, v };
        const uint32_t side[4] = { next, v, v + n, next + n };
        for (uint32_t k = 0; k < 3; ++k) {
            p->links[3 * v + k] = top[k];
            p->links[3 * (v + n) + k] = bottom[k];
        }
        p->face_corners[v] = v;
        p->face_corners[n + v] = 2 * n - 1 - v;
        for (uint32_t k = 0; k < 4; ++k)
            p->face_corners[2 * n + 4 * v + k] = side[k];
        p->face_begin[2 + v] = 2 * n + 4 * v;
    }
    p->face_begin[0] = 0;
    p->face_begin[1] = n;
    p->face_begin[2 + n] = 6 * n;
    for (uint32_t v = 0; v <= 2 * n; ++v)
        p->link_begin[v] = 3 * v;
}

/* Outward, in the order of the corners. */
static void set_walls(const abut_heightfield_data *field, int which, abut_vec3 *out)
{
    const abut_vec3 cut = abut_unit_or(abut_v3(-field->dy, field->dx, 0), abut_v3(NAN, NAN, NAN));
    const abut_vec3 west = { -1, 0, 0 }, east = { 1, 0, 0 }, south = { 0, -1, 0 }, north = { 0, 1, 0 };
    out[0] = which == 1 ? abut_v3(-cut.x, -cut.y, 0) : south;
    out[1] = which == 1 ? north : east;
    out[2] = which == 0 ? cut : which == 1 ? west : north;
    if (which == 2)
        out[3] = west;
}

void abut_field_piece_make(const abut_heightfield_data *field, const abut_field_block *block, int which,
                           double bottom, bool within, abut_field_piece *out)
{
    const uint32_t n = which == 2 ? 4 : 3;
    abut_vec3 top[4];
    if (which == 2) {
        top[0] = vertex(field, block->i0, block->j0);
        top[1] = vertex(field, block->i1, block->j0);
        top[2] = vertex(field, block->i1, block->j1);
        top[3] = vertex(field, block->i0, block->j1);
        for (int k = 0; k < 4; ++k)
            top[k].z = block->hi;
        out->face_normal[0] = abut_v3(0, 0, 1);
    } else
        out->face_normal[0] = abut_field_triangle(field, block->i0, block->j0, which, top);
    double size = 0;
    for (uint32_t k = 0; k < 8; ++k) {
        const uint32_t v = k < 2 * n ? k : 0;
        out->x[k] = top[v % n].x;
        out->y[k] = top[v % n].y;
        out->z[k] = v < n ? top[v].z : bottom;
        out->point_of[k] = v;
        size = fmax(size, abut_length(abut_v3(out->x[k], out->y[k], out->z[k])));
    }
    connect(out, n);
    out->face_normal[1] = abut_v3(0, 0, -1);
    set_walls(field, which, out->face_normal + 2);
    size *= 1 + 0x1p-48;
    out->hull = (abut_hull){ .dimension = 3,
                             .vertex_count = 2 * n,
                             .padded_count = 8,
                             .x = out->x,
                             .y = out->y,
                             .z = out->z,
                             .point_of = out->point_of,
                             .link_begin = out->link_begin,
                             .links = out->links,
                             .face_count = n + 2,
                             .face_normal = out->face_normal,
                             .face_begin = out->face_begin,
                             .face_corners = out->face_corners,
                             .edge_count = 3 * n,
                             .size = size };
    const bool exact = within || (is_exact(field, 0, block->i0) && is_exact(field, 0, block->i1) &&
                                  is_exact(field, 1, block->j0) && is_exact(field, 1, block->j1));
    memset(&out->shape, 0, sizeof out->shape);
    out->shape.type = exact ? ABUT_SHAPE_CONVEX : ABUT_SHAPE_SWEPT;
    out->shape.core = (abut_core){ .kind = ABUT_CORE_HULL,
                                   .size = size,
                                   .inner = -INFINITY,
                                   .error = (exact ? 8 : 10) * u * size,
                                   .scale = 1,
                                   .hull = &out->hull };
    if (exact) {
        out->shape.u.convex.hull = &out->hull;
    } else {
        out->shape.u.swept.of = &out->shape;
        out->shape.u.swept.margin = INFINITY; /* which nobody reads */
    }
}

/* ---- over time ---- */

/* By the placements over all of the time, and by those in its middle and the rates. */
static ia3 moved_over(const abut_field_view *view, ia3 p, ia t)
{
    abut_relative over, at;
    const ia middle = ia_point(ia_mid(t));
    abut_relative_over(&view->body, &view->ground, t, &over);
    const abut_moved all = abut_relative_point(&over, p);
    if (ia_is_point(t))
        return all.x;
    abut_relative_rates(&view->body, &view->ground, &over);
    if (!over.rates_known)
        return all.x;
    abut_relative_over(&view->body, &view->ground, middle, &at);
    const ia3 rate = abut_relative_velocity(&over, &all, p, abut_relative_zero());
    const ia3 centred = ia3_add(abut_relative_point(&at, p).x, ia3_scale(ia_sub(t, middle), rate));
    const ia3 both = ia3_intersect(all.x, centred);
    return ia3_is_empty(both) ? all.x : both;
}

static ABUT_NOINLINE void reach_kernel(const abut_field_view *view, const abut_interval *time,
                                       abut_interval_vec3 *out)
{
    *out = ia3_to(moved_over(view, ia3_from(&view->box), ia_from(*time)));
}

abut_interval_vec3 abut_field_reach(const abut_field_view *view, abut_interval time)
{
    abut_interval_vec3 out;
    const abut_rounding saved = abut_rounding_enter();
    reach_kernel(view, &time, &out);
    abut_rounding_leave(saved);
    return out;
}

static ia grid_over(const abut_heightfield_data *field, int axis, size_t i)
{
    const size_t count = axis == 0 ? field->columns : field->rows;
    return ia_mul(ia_point(2 * (double)i - (double)(count - 1)),
                  ia_scale(0.5, ia_point(axis == 0 ? field->dx : field->dy)));
}

/* The cells that x lies in: no more than three, and x strictly between the walls. */
static bool cells_of(const abut_heightfield_data *field, int axis, ia x, size_t *from, size_t *to)
{
    const size_t cells = (axis == 0 ? field->columns : field->rows) - 1;
    const double step = axis == 0 ? field->dx : field->dy;
    if (!ia_is_finite(x) || !(ia_lo(x) > ia_hi(grid_over(field, axis, 0))) ||
        !(ia_hi(x) < ia_lo(grid_over(field, axis, cells))))
        return false;
    const double guess = floor((ia_mid(x) - ia_mid(grid_over(field, axis, 0))) / step);
    const size_t at = guess > 0 ? guess < (double)(cells - 1) ? (size_t)guess : cells - 1 : 0;
    *from = at;
    *to = at + 1;
    if (!(ia_hi(grid_over(field, axis, *from)) < ia_lo(x)) && *from > 0)
        --*from;
    if (!(ia_lo(grid_over(field, axis, *to)) > ia_hi(x)) && *to < cells)
        ++*to;
    return ia_hi(grid_over(field, axis, *from)) <= ia_lo(x) && ia_lo(grid_over(field, axis, *to)) >= ia_hi(x);
}

/* The part of the place that is over this cell is below the triangles that it is over. */
static bool below_cell(const abut_heightfield_data *field, size_t i, size_t j, ia3 p)
{
    const ia gx = grid_over(field, 0, i), gy = grid_over(field, 1, j);
    const ia dx = ia_point(field->dx), dy = ia_point(field->dy);
    const ia x = ia_intersect(ia_sub(p.x, gx), ia_hull(ia_point(0), dx));
    const ia y = ia_intersect(ia_sub(p.y, gy), ia_hull(ia_point(0), dy));
    if (ia_is_empty(x) || ia_is_empty(y))
        return true;
    const int side = ia_sign(ia_sub(ia_mul(dy, x), ia_mul(dx, y)));
    for (int which = 0; which < 2; ++which) {
        if ((which == 0 && side < 0) || (which == 1 && side > 0))
            continue;
        const ia h0 = ia_point(abut_heightfield_height(field, i, j)),
                 h1 = ia_point(abut_heightfield_height(field, i + 1, j + 1)),
                 h2 = ia_point(which ? abut_heightfield_height(field, i, j + 1)
                                     : abut_heightfield_height(field, i + 1, j));
        const ia along_x = ia_div(which ? ia_sub(h1, h2) : ia_sub(h2, h0), dx),
                 along_y = ia_div(which ? ia_sub(h2, h0) : ia_sub(h1, h2), dy);
        const ia height = ia_add(h0, ia_add(ia_mul(along_x, x), ia_mul(along_y, y)));
        if (!(ia_hi(p.z) < ia_lo(height)))
            return false;
    }
    return true;
}

static ABUT_NOINLINE void holds_kernel(const abut_field_view *view, const abut_vec3 *p, double slip,
                                       const abut_interval *time, bool *out)
{
    const ia off = ia_make(-slip, slip);
    const ia3 own = { ia_add(ia_point(p->x), off), ia_add(ia_point(p->y), off), ia_add(ia_point(p->z), off) };
    const ia3 at = moved_over(view, own, ia_from(*time));
    size_t from[2] = { 0, 0 }, to[2] = { 0, 0 };
    *out =
        cells_of(view->field, 0, at.x, &from[0], &to[0]) && cells_of(view->field, 1, at.y, &from[1], &to[1]);
    for (size_t j = from[1]; *out && j < to[1]; ++j)
        for (size_t i = from[0]; *out && i < to[0]; ++i)
            *out = below_cell(view->field, i, j, at);
}

bool abut_field_holds(const abut_field_view *view, abut_vec3 p, double slip, abut_interval time)
{
    bool out;
    const abut_rounding saved = abut_rounding_enter();
    holds_kernel(view, &p, slip, &time, &out);
    abut_rounding_leave(saved);
    return out;
}
