/* SPDX-License-Identifier: MIT */
/* Boundaries that are apart: is a part of one body inside the other? One point of each connected part
 * of its boundary tells: of the shells of a solid, of the pieces of a mesh, of the features of a
 * surface. An implicit body may have any number of parts (narrow/surface/surface_inside.c finds
 * them); it asks the other body about boxes. */
#include "math/nearest.h"
#include "math/vec3.h"
#include "narrow/cover/cover.h"
#include "narrow/cover/pairs.h"
#include "narrow/surface/surface_pair.h"
#include "surface/body.h"

enum { BOXES = 4000 };

/* A body as a surface that is nothing but its inside. */
typedef struct asked {
    const abut_cover_body *body;
    double slack;
} asked;

static double half_of(ia x)
{
    return 0.5 * (ia_hi(x) - ia_lo(x));
}

static ABUT_NOINLINE int side_near(const asked *a, abut_vec3 mid, double radius)
{
    return abut_cover_side(a->body, mid, radius + a->slack);
}

/* Kernel. */
static abut_truth inside_box(const void *ctx, ia3 x)
{
    const double half[3] = { half_of(x.x), half_of(x.y), half_of(x.z) };
    const double radius = sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]) * (1 + 0x1p-40);
    const abut_vec3 mid = ia3_mid(x);
    if (!(radius < INFINITY))
        return ABUT_SOMEWHERE;
    const abut_nearest saved = abut_nearest_enter();
    const int side = side_near(ctx, mid, radius);
    abut_nearest_leave(saved);
    return side < 0 ? ABUT_EVERYWHERE : side > 0 ? ABUT_NOWHERE : ABUT_SOMEWHERE;
}

static ABUT_NOINLINE int solid_side(const abut_shape *shape, abut_vec3 mid, abut_vec3 half, double radius)
{
    const abut_solid *solid = abut_shape_solid(shape);
    const double slack = 4 * ABUT_CELL_SLACK * (solid->features.scale + abut_max_norm(mid)) + solid->doubt;
    const int side = abut_brep_side(shape, mid, radius + slack);
    return side == 0 && abut_brep_holds_box(shape, mid, half, slack) ? -1 : side;
}

abut_truth abut_cover_solid_inside(const abut_shape *shape, ia3 x)
{
    const abut_vec3 half = { half_of(x.x), half_of(x.y), half_of(x.z) }, mid = ia3_mid(x);
    const double radius = abut_length(half) * (1 + 0x1p-40);
    if (!(radius < INFINITY) || !abut_is_finite3(mid))
        return ABUT_SOMEWHERE;
    const abut_nearest saved = abut_nearest_enter();
    const int side = solid_side(shape, mid, half, radius);
    abut_nearest_leave(saved);
    return side < 0 ? ABUT_EVERYWHERE : side > 0 ? ABUT_NOWHERE : ABUT_SOMEWHERE;
}

static ABUT_NOINLINE void set_bounds(const abut_cover_body *body, double slack, abut_placed_surface *s)
{
    const abut_aabb b = body->shape->bounds;
    const ia grown = ia_make(-slack, slack);
    const ia3 box = { ia_add(ia_make(b.lo.x, b.hi.x), grown), ia_add(ia_make(b.lo.y, b.hi.y), grown),
                      ia_add(ia_make(b.lo.z, b.hi.z), grown) };
    const ia_affine map = { ia33_point(&body->map.linear), ia3_point(body->map.translation) };
    s->bounds = body->moved ? ia_affine_apply(&map, box) : box;
    s->bounds = ia3_add(s->bounds, (ia3){ grown, grown, grown });
    s->place = (ia_affine){ ia33_identity(), { ia_point(0), ia_point(0), ia_point(0) } };
    s->covectors = ia33_identity();
}

static abut_status as_surface(const asked *a, abut_workspace *ws, abut_placed_surface *out)
{
    static const uint32_t none[3] = { 0, 0, 0 };
    static const abut_interval_vec3 origin = { { 0, 0 }, { 0, 0 }, { 0, 0 } };
    abut_surface_facets_def *def = abut_workspace_take(ws, 1, sizeof *def);
    if (!def)
        return ABUT_ERR_MEMORY;
    *out = (abut_placed_surface){ .t = 0 };
    const abut_rounding saved = abut_rounding_enter();
    set_bounds(a->body, a->slack, out);
    abut_rounding_leave(saved);
    *def = (abut_surface_facets_def){ .vertices = &origin,
                                      .points = none,
                                      .edges = none,
                                      .triangles = none,
                                      .bounds = ia3_to(out->bounds),
                                      .inside = inside_box,
                                      .ctx = a };
    return abut_surface_facets(def, ws, &out->surface);
}

static int charts_in(const abut_cover_body *other, const abut_cover_body *own, double slack, double apart,
                     abut_workspace *ws, abut_status *status)
{
    const asked a = { other, slack };
    abut_placed_surface wrapped;
    abut_surface_spot spot = { 0 };
    if (!other->charts) {
        *status = as_surface(&a, ws, &wrapped);
        if (*status)
            return -1;
    }
    return abut_surface_contains(other->charts ? &other->surface : &wrapped, &own->surface, apart, BOXES,
                                 &spot);
}

/* The points within slack of p, in the frame of own: 1 inside of other, 0 outside, -1 undecided. */
static int point_in(const abut_cover_body *other, const abut_cover_body *own, abut_vec3 p, double slack)
{
    const int side = abut_cover_side(other, own->moved ? abut_affine_apply(&own->map, p) : p, slack);
    return side < 0 ? 1 : side > 0 ? 0 : -1;
}

static ABUT_NOINLINE void fetch(const abut_facets *f, uint32_t face, abut_facet_corner out[3])
{
    f->methods->corners(f, face, out);
}

static int pieces_in(const abut_cover_body *other, const abut_cover_body *own, double slack,
                     abut_status *status)
{
    const abut_facets *f = &own->facets;
    size_t count;
    int found = 0;
    if (!f->methods->part_count(f, &count)) {
        *status = ABUT_ERR_MEMORY;
        return -1;
    }
    for (size_t i = 0; i < count && found != 1; ++i) {
        abut_facet_corner c[3];
        const uint32_t face = f->methods->part(f, i);
        const abut_rounding saved = abut_rounding_enter();
        fetch(f, face, c);
        abut_rounding_leave(saved);
        int where = -1;
        for (int k = 0; k < 3 && where < 0; ++k)
            where = point_in(other, own, abut_v3(c[k].at.x.lo, c[k].at.y.lo, c[k].at.z.lo), slack);
        found = where == 1 ? 1 : where < 0 ? -1 : found;
    }
    return found;
}

static int shells_in(const abut_cover_body *other, const abut_cover_body *own, double slack)
{
    const abut_brep_body *b = &own->parts;
    const uint32_t *first = b->solid && b->solid->form == ABUT_SOLID_EXPLICIT ? b->solid->shell_first : NULL;
    const size_t shells = first ? b->solid->shell_count : 1;
    int found = 0;
    for (size_t i = 0; i < shells && found != 1; ++i) {
        const abut_part *part = &b->features->parts[first ? first[i] : 0];
        abut_cell cell;
        abut_cell_root(part, 0, 0, &cell);
        abut_vec3 p = cell.sample;
        const bool known = !part->trim || abut_brep_boundary_point(b, part, &p);
        const int where = known ? point_in(other, own, p, slack) : -1;
        found = where == 1 ? 1 : where < 0 ? -1 : found;
    }
    return found;
}

int abut_cover_contains(const abut_cover_body *other, const abut_cover_body *own, double slack, double apart,
                        abut_workspace *ws, abut_status *status)
{
    if (own->empty || other->empty)
        return 0;
    if (other->charts) {
        if (other->surface.surface.unknown_side)
            return -1;
        if (!other->surface.surface.solid)
            return 0;
    } else if (!other->solid) {
        return 0;
    }
    return own->charts    ? charts_in(other, own, slack, apart, ws, status)
           : own->faceted ? pieces_in(other, own, slack, status)
                          : shells_in(other, own, slack);
}
