/* SPDX-License-Identifier: MIT */
/* Contacts that last, of any two bodies under rigid motions: a point of one body whose place in the
 * frame of the other, enclosed over the time, lies inside it.
 *
 * Points of a solid are those of a grid over its bounds that are inside it; points of a sheet are its
 * vertices and the middles of its triangles. Points that have served once are tried first. */
#include "ccd/advance/static_hold.h"
#include "math/vec3.h"
#include "narrow/cover/pairs.h"
#include "narrow/surface/surface_pair.h"

enum { GRID = 9, SHEET = 96, KEPT = 8 };

bool abut_static_deforms(const abut_shape *shape)
{
    return shape->surface && shape->surface->deforms;
}

static bool has_triangles(const abut_shape *shape)
{
    return shape->type == ABUT_SHAPE_MESH || shape->type == ABUT_SHAPE_POLYHEDRON;
}

static abut_status open_body(const abut_shape *shape, const abut_motion *motion, abut_interval range,
                             abut_workspace *ws, abut_static_body *out)
{
    double ignored;
    *out = (abut_static_body){ .shape = shape };
    if (shape->type == ABUT_SHAPE_HEIGHTFIELD || has_triangles(shape)) {
        const abut_interval_vec3 any = { { 0, 0 }, { 0, 0 }, { 0, 0 } };
        if (has_triangles(shape))
            abut_facets_of_mesh(shape, &out->facets);
        else
            abut_facets_of_field(shape, &any, &out->facets);
        out->by_facets = true;
        out->solid = out->facets.solid;
    } else if (abut_shape_solid(shape)) {
        out->by_solid = out->solid = true;
    } else {
        /* What is in the spine of a rounded shape is in the shape. */
        const bool round = shape->type == ABUT_SHAPE_CONVEX || shape->type == ABUT_SHAPE_SWEPT;
        const abut_status status = round ? abut_shape_spine(shape, ws, &out->surface, &ignored)
                                         : abut_shape_surface(shape, ws, &out->surface);
        if (status == ABUT_ERR_MEMORY)
            return status;
        out->solid = !status && out->surface.solid && !out->surface.outside;
        out->scratch = abut_workspace_take(ws, out->surface.scratch + 1, sizeof *out->scratch);
        if (!out->scratch)
            return ABUT_ERR_MEMORY;
    }
    return abut_side_make(&out->surface, motion, range, &out->side);
}

abut_status abut_static_hold_open(const abut_moving *m, abut_static_hold *out)
{
    *out = (abut_static_hold){ .m = m };
    abut_workspace_open(&out->ws, &m->a->alloc);
    (void)abut_workspace_begin(&out->ws);
    const abut_status status = open_body(m->a, m->motion_a, m->range, &out->ws, &out->body[0]);
    return status ? status : open_body(m->b, m->motion_b, m->range, &out->ws, &out->body[1]);
}

void abut_static_hold_close(abut_static_hold *hold)
{
    abut_workspace_close(&hold->ws);
}

static abut_truth inside(const abut_static_body *body, ia3 x)
{
    return !body->solid      ? ABUT_NOWHERE
           : body->by_solid  ? abut_cover_solid_inside(body->shape, x)
           : body->by_facets ? body->facets.methods->inside(&body->facets, x)
                             : abut_surface_inside_over(&body->surface, x, ia_point(0), body->scratch);
}

static ABUT_NOINLINE void lasts_kernel(const abut_static_hold *h, int of, const abut_vec3 *p,
                                       const abut_interval *time, bool *out)
{
    abut_relative over;
    abut_relative_over(&h->body[of].side, &h->body[1 - of].side, ia_from(*time), &over);
    *out = over.defined &&
           inside(&h->body[1 - of], abut_relative_point(&over, ia3_point(*p)).x) == ABUT_EVERYWHERE;
}

/* Whether a point of one body, in its frame, is in the other all that time. */
static bool lasts(const abut_static_hold *h, int of, abut_vec3 p, abut_interval time)
{
    bool out = false;
    const abut_rounding saved = abut_rounding_enter();
    lasts_kernel(h, of, &p, &time, &out);
    abut_rounding_leave(saved);
    return out;
}

static ABUT_NOINLINE void own_kernel(const abut_static_body *b, const abut_vec3 *p, bool *out)
{
    *out = inside(b, ia3_point(*p)) == ABUT_EVERYWHERE;
}

/* Whether a point of its frame is in a solid. */
static bool is_own(const abut_static_body *b, abut_vec3 p)
{
    bool out = false;
    const abut_rounding saved = abut_rounding_enter();
    own_kernel(b, &p, &out);
    abut_rounding_leave(saved);
    return out;
}

static void keep(abut_static_hold *h, int of, abut_vec3 p)
{
    const int i = h->count < KEPT ? h->count++ : 0;
    h->points[i] = p;
    h->of[i] = of;
}

static bool try_point(abut_static_hold *h, int of, abut_vec3 p, abut_interval time)
{
    if (!lasts(h, of, p, time))
        return false;
    keep(h, of, p);
    return true;
}

static bool place_at(const abut_motion *motion, double t, abut_affine *out)
{
    *out = abut_affine_identity();
    return !motion || abut_motion_at(motion, t, out) == ABUT_OK;
}

static abut_vec3 to_world(const abut_affine *place, abut_vec3 p)
{
    return abut_add(abut_mul(&place->linear, p), place->translation);
}

static abut_vec3 to_local(const abut_affine *place, abut_vec3 p)
{
    return abut_mul_t(&place->linear, abut_sub(p, place->translation));
}

void abut_static_hold_note(abut_static_hold *h, double t, abut_vec3 point_a, abut_vec3 point_b)
{
    abut_affine a, b;
    if (!place_at(h->m->motion_a, t, &a) || !place_at(h->m->motion_b, t, &b))
        return;
    const int i = h->near_count++ % KEPT;
    h->near[i][0] = to_local(&a, point_a);
    h->near[i][1] = to_local(&b, point_b);
}

/* Between two points that were nearest before or after the contact: the bodies overlap there, and
 * by as much as the points have passed each other. */
static bool try_near(abut_static_hold *h, abut_interval time)
{
    const double middle = 0.5 * time.lo + 0.5 * time.hi;
    abut_affine at[2];
    if (!h->body[0].solid || !h->body[1].solid || !place_at(h->m->motion_a, middle, &at[0]) ||
        !place_at(h->m->motion_b, middle, &at[1]))
        return false;
    for (int i = 0; i < h->near_count && i < KEPT; ++i)
        for (int k = 1; k < 4; ++k) {
            const abut_vec3 a = to_world(&at[0], h->near[i][0]), b = to_world(&at[1], h->near[i][1]);
            const abut_vec3 p = abut_madd(a, 0.25 * k, abut_sub(b, a));
            for (int of = 0; of < 2; ++of) {
                const abut_vec3 own = to_local(&at[of], p);
                if (is_own(&h->body[of], own) && try_point(h, of, own, time))
                    return true;
            }
        }
    return false;
}

/* Of a solid: in the part of its bounds that the other may reach. */
static bool try_grid(abut_static_hold *h, int of, abut_interval time)
{
    const abut_static_body *b = &h->body[of];
    const abut_vec3 lo = b->shape->bounds.lo, hi = b->shape->bounds.hi;
    const double middle = 0.5 * time.lo + 0.5 * time.hi;
    const abut_interval instant = { middle, middle };
    if (!abut_is_finite3(lo) || !abut_is_finite3(hi))
        return false;
    for (int i = 0; i < GRID * GRID * GRID; ++i) {
        const int k = i * 364 % (GRID * GRID * GRID); /* 364 and 729 have no common factor: all over it */
        const int at[3] = { k % GRID, k / GRID % GRID, k / (GRID * GRID) };
        const abut_vec3 p = { lo.x + (hi.x - lo.x) * (at[0] + 0.5) / GRID,
                              lo.y + (hi.y - lo.y) * (at[1] + 0.5) / GRID,
                              lo.z + (hi.z - lo.z) * (at[2] + 0.5) / GRID };
        if (lasts(h, of, p, instant) && is_own(b, p) && try_point(h, of, p, time))
            return true;
    }
    return false;
}

/* Of a mesh: vertices and middles of triangles, which are points of it, solid or not. A middle is
 * rounded; of a sheet only vertices count. */
static bool try_mesh(abut_static_hold *h, int of, abut_interval time)
{
    const abut_faceted_data *mesh = &h->body[of].shape->u.faceted;
    const size_t step = mesh->vertex_count / SHEET + 1;
    for (size_t i = 0; i < mesh->vertex_count; i += step)
        if (try_point(h, of, mesh->vertices[i], time))
            return true;
    return false;
}

static bool try_hull(abut_static_hold *h, int of, abut_interval time)
{
    const abut_convex_data *c = &h->body[of].shape->u.convex;
    for (size_t i = 0; i < c->point_count && i < SHEET; ++i)
        if (try_point(h, of, c->points[i], time))
            return true;
    return false;
}

static bool try_field(abut_static_hold *h, int of, abut_interval time)
{
    const abut_heightfield_data *f = &h->body[of].shape->u.heightfield;
    const size_t count = f->columns * f->rows, step = count / SHEET + 1;
    for (size_t k = 0; k < count; k += step) {
        const size_t i = k % f->columns, j = k / f->columns;
        /* A little below the vertex, so that rounding does not count. */
        const double z = f->heights[k], low = z - 0x1p-40 * (fabs(z) + f->dx + f->dy);
        const abut_vec3 p = { 0.5 * (2 * (double)i - (double)f->columns + 1) * f->dx * (1 - 0x1p-40),
                              0.5 * (2 * (double)j - (double)f->rows + 1) * f->dy * (1 - 0x1p-40), low };
        if (is_own(&h->body[of], p) && try_point(h, of, p, time))
            return true;
    }
    return false;
}

static bool try_body(abut_static_hold *h, int of, abut_interval time)
{
    const abut_static_body *b = &h->body[of];
    if (!h->body[1 - of].solid)
        return false;
    return (has_triangles(b->shape) && b->shape->u.faceted.vertex_count && try_mesh(h, of, time)) ||
           (b->shape->type == ABUT_SHAPE_CONVEX && try_hull(h, of, time)) ||
           (b->shape->type == ABUT_SHAPE_HEIGHTFIELD && try_field(h, of, time)) ||
           (b->solid && try_grid(h, of, time));
}

/* Which way the endless part of a body leads: into a half-space, below a height field. */
static bool endless(const abut_shape *s, abut_vec3 *out)
{
    if (s->type == ABUT_SHAPE_HALFSPACE)
        *out = s->u.halfspace.normal;
    else if (s->type == ABUT_SHAPE_HEIGHTFIELD)
        *out = abut_v3(0, 0, 1);
    else
        return false;
    return true;
}

/* Two bodies without an end, one of them a half-space of normal m: the ray along -n of the other ends
 * up in it where m . n > 0, and a half-space across n in any case unless n and m are opposite. */
static ABUT_NOINLINE void endless_kernel(const abut_static_hold *h, const abut_vec3 *n, const abut_vec3 *m,
                                         const abut_interval *time, bool *out)
{
    abut_relative over;
    abut_relative_over(&h->body[0].side, &h->body[1].side, ia_from(*time), &over);
    const ia3 turned = over.turns ? ia33_mul3(&over.q, ia3_point(*n)) : ia3_point(*n), other = ia3_point(*m);
    const bool both = h->body[0].shape->type == h->body[1].shape->type;
    const ia along = ia3_dot(turned, other);
    const ia3 cross = ia3_cross(turned, other);
    const bool skew = !ia_contains_zero(cross.x) || !ia_contains_zero(cross.y) || !ia_contains_zero(cross.z);
    *out = over.defined && over.rigid && (both ? ia_lo(along) > 0 || skew : ia_lo(along) > 0);
}

static bool endless_meet(const abut_static_hold *h, abut_interval time)
{
    const abut_shape *a = h->body[0].shape, *b = h->body[1].shape;
    abut_vec3 n, m;
    bool out = false;
    if ((a->type != ABUT_SHAPE_HALFSPACE && b->type != ABUT_SHAPE_HALFSPACE) || !endless(a, &n) ||
        !endless(b, &m))
        return false;
    /* Below a field leads -z, which enters the half-space where z . m > 0. */
    const abut_rounding saved = abut_rounding_enter();
    endless_kernel(h, &n, &m, &time, &out);
    abut_rounding_leave(saved);
    return out;
}

bool abut_static_holds(abut_static_hold *h, abut_interval time)
{
    h->deep = h->body[0].solid && h->body[1].solid;
    if (endless_meet(h, time))
        return true;
    for (int i = 0; i < h->count; ++i)
        if (lasts(h, h->of[i], h->points[i], time))
            return true;
    return try_near(h, time) || try_body(h, 0, time) || try_body(h, 1, time);
}
