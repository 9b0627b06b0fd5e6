/* SPDX-License-Identifier: MIT */
/* Contacts that last, of any two bodies under rigid motions: a point of one body whose place in the
 * frame of the other, enclosed over the time, lies inside it.
 *
 * Points are those that static methods found, nearest or in common: where bodies are apart, a little
 * further in, so that they are in the body and meet the other one almost as long as the bodies do. Of
 * rounded bodies a point of each spine: they meet while those are near enough. Else, points of a solid
 * are those of a grid over its bounds that are inside it, and points of a sheet its vertices. Points
 * that have served are tried first. */
#include "ccd/advance/static_hold.h"
#include "math/vec3.h"
#include "narrow/cover/pairs.h"
#include "narrow/surface/surface_pair.h"

#include <string.h>

enum { GRID = 9, SHEET = 96, SLOW_GRIDS = 6, FEW_CORNERS = 8 };

static bool has_triangles(const abut_shape *shape)
{
    return shape->type == ABUT_SHAPE_MESH || shape->type == ABUT_SHAPE_POLYHEDRON;
}

static abut_status open_body(const abut_shape *shape, const abut_motion *motion, abut_interval range,
                             const abut_static_change *change, abut_workspace *ws, abut_static_body *out)
{
    double swell = 0;
    *out = (abut_static_body){ .shape = shape, .itself = change->itself, .bounds = change->bounds };
    if (motion && motion->ops->vertex_over) { /* a sheet; its points are known in the world */
        out->vertices = motion;
        motion = NULL;
    }
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
        const abut_status status = round ? abut_shape_spine(shape, ws, &out->surface, &swell)
                                         : abut_shape_surface_over(shape, range, ws, &out->surface);
        if (status == ABUT_ERR_MEMORY)
            return status;
        if (!status && !round && !out->surface.solid && !out->surface.deforms) {
            const abut_status made = abut_placed_surface_make(shape, 0, ws, &out->sheet);
            if (made == ABUT_ERR_MEMORY)
                return made;
            out->placed = !made;
        }
        out->scratch = abut_workspace_take(ws, out->surface.scratch + 1, sizeof *out->scratch);
        if (!out->scratch)
            return ABUT_ERR_MEMORY;
        if (!status && out->itself)
            (void)abut_surface_orient(&out->surface, range, out->scratch);
        out->solid = !status && out->surface.solid && !out->surface.outside;
    }
    out->thick = out->solid || swell > 0;
    return abut_side_make(&out->surface, motion, range, &out->side);
}

void abut_static_hold_close(abut_static_hold *hold)
{
    abut_workspace_close(&hold->ws);
}

static abut_truth inside(const abut_static_body *body, ia3 x, ia t)
{
    return !body->solid      ? ABUT_NOWHERE
           : body->by_solid  ? abut_cover_solid_inside(body->shape, x)
           : body->by_facets ? body->facets.methods->inside(&body->facets, x)
           : *body->boxes >= body->most
               ? ABUT_SOMEWHERE
               : abut_surface_inside_over(&body->surface, x, t, body->scratch, body->boxes);
}

/* Both ways, where asked for. */
typedef struct course {
    abut_relative way[2]; /* of points of body 0 and of 1 */
    bool known[2];
} course;

/* Kernel. Where the point is in the frame of its body, and that it is a point of it at all times of t. */
static bool own_over(const abut_static_body *b, const abut_static_witness *w, ia t, ia3 *out)
{
    if (w->by.kind != ABUT_STATIC_FIXED)
        return abut_static_point_over(b, &w->by, t, out);
    *out = ia3_point(w->point[w->of]);
    return !b->itself || inside(b, *out, t) == ABUT_EVERYWHERE;
}

/* Kernel. A point that is fixed in one body, on its way through the other: bodies slide faster than they get
 * deeper, and next to the begin of a contact a box around the way reaches beyond the surface soon. */
static bool stays(const abut_static_hold *h, const abut_static_witness *w, ia3 own, const abut_relative *over)
{
    const abut_static_body *b = &h->body[1 - w->of];
    const abut_relative_side *one = &h->body[w->of].side, *two = &b->side;
    const ia middle = ia_point(ia_mid(over->t));
    const bool fixed =
        w->by.kind == ABUT_STATIC_FIXED || (!h->body[w->of].itself && !h->body[w->of].vertices);
    if (!fixed || b->by_solid || b->by_facets || !b->solid || !b->surface.implicit)
        return false;
    abut_relative r = *over, then;
    abut_relative_rates(one, two, &r);
    abut_relative_over(one, two, middle, &then);
    if (!r.rates_known || !then.defined)
        return false;
    const abut_moved m = abut_relative_point(&r, own);
    const abut_passage path = { .t = over->t,
                                .x = m.x,
                                .rate = abut_relative_velocity(&r, &m, own, abut_relative_zero()),
                                .middle_t = middle,
                                .middle = abut_relative_point(&then, own).x };
    return abut_surface_stays(&b->surface, &path, b->scratch);
}

/* Kernel. */
static bool lasts_over(const abut_static_hold *h, const abut_static_witness *w, ia time, course *c)
{
    abut_relative *over = &c->way[w->of];
    if (!c->known[w->of])
        abut_relative_over(&h->body[w->of].side, &h->body[1 - w->of].side, time, over);
    c->known[w->of] = true;
    ia3 own;
    if (!over->defined || !own_over(&h->body[w->of], w, time, &own))
        return false;
    const ia blur = ia_make(-w->blur, w->blur);
    const ia3 off = { blur, blur, blur };
    own = ia3_add(own, off);
    const ia3 x = abut_relative_point(over, own).x;
    if (!(w->swell > 0))
        return inside(&h->body[1 - w->of], x, time) == ABUT_EVERYWHERE || stays(h, w, own, over);
    const ia3 d = ia3_sub(x, ia3_add(ia3_point(w->point[1 - w->of]), off));
    return over->rigid && ia_hi(ia3_sqr_norm(d)) < ia_lo(ia_sqr(ia_point(w->swell)));
}

static ABUT_NOINLINE void first_that_lasts(const abut_static_hold *h, const abut_static_witness *w,
                                           size_t count, const abut_interval *time, size_t *out)
{
    course middle = { .known = { false, false } }, all = { .known = { false, false } };
    const ia t = ia_from(*time), mid = ia_point(0.5 * time->lo + 0.5 * time->hi);
    *out = 0;
    while (*out < count && !(lasts_over(h, &w[*out], mid, &middle) && lasts_over(h, &w[*out], t, &all)))
        ++*out;
}

/* Which of the points last all that time; count: none. */
static size_t search(const abut_static_hold *h, const abut_static_witness *w, size_t count,
                     abut_interval time)
{
    size_t out = count;
    const abut_rounding saved = abut_rounding_enter();
    first_that_lasts(h, w, count, &time, &out);
    abut_rounding_leave(saved);
    return out;
}

/* Whether a point of one body, in its frame, is in the other all that time. */
static bool lasts(const abut_static_hold *h, int of, abut_vec3 p, abut_interval time)
{
    const abut_static_witness w = { .of = of, .point = { p, p } };
    return search(h, &w, 1, time) == 0;
}

static ABUT_NOINLINE void own_kernel(const abut_static_body *b, const abut_vec3 *p, double t, bool *out)
{
    *out = inside(b, ia3_point(*p), ia_point(t)) == ABUT_EVERYWHERE;
}

/* Whether a point of its frame is in a solid, at that time. */
static bool is_own(const abut_static_body *b, abut_vec3 p, double t)
{
    bool out = false;
    const abut_rounding saved = abut_rounding_enter();
    own_kernel(b, &p, t, &out);
    abut_rounding_leave(saved);
    return out;
}

/* In front of the others, of which the last leaves where there are too many. */
static void keep(abut_static_hold *h, const abut_static_witness *w)
{
    const size_t count = h->count < ABUT_STATIC_WITNESSES ? h->count : ABUT_STATIC_WITNESSES - 1;
    memmove(h->witness + 1, h->witness, count * sizeof *w);
    h->witness[0] = *w;
    h->count = count + 1;
}

static bool try_witness(abut_static_hold *h, const abut_static_witness *w, abut_interval time)
{
    if (search(h, w, 1, time) > 0)
        return false;
    keep(h, w);
    return true;
}

static bool try_point(abut_static_hold *h, int of, abut_vec3 p, abut_interval time)
{
    const abut_static_witness w = { .of = of, .point = { p, p } };
    return try_witness(h, &w, time);
}

/* Where a body is, and back to its frame. */
typedef struct placed {
    abut_affine at;
    abut_mat3 back;
} placed;

static bool place_at(const abut_motion *motion, double t, placed *out)
{
    out->at = abut_affine_identity();
    const bool moves = motion && !motion->ops->vertex_over;
    if (moves && abut_motion_at(motion, t, &out->at))
        return false;
    out->back = abut_mat3_transpose(&out->at.linear);
    return !moves || motion->rigid || abut_mat3_inverse(&out->at.linear, &out->back);
}

static abut_vec3 to_local(const placed *p, abut_vec3 x)
{
    return abut_mul(&p->back, abut_sub(x, p->at.translation));
}

/* A point of the grid over a solid that is inside it, of those nearest to its middle. */
static void find_core(abut_static_hold *h, int of)
{
    const abut_static_body *b = &h->body[of];
    const abut_vec3 lo = b->bounds.lo, hi = b->bounds.hi;
    const abut_vec3 mid = abut_scale(0.5, abut_add(lo, hi)), half = abut_scale(0.5, abut_sub(hi, lo));
    if (!b->solid || !abut_is_finite3(mid) || !abut_is_finite3(half))
        return;
    for (int ring = 0; ring < 4; ++ring)
        for (int i = 0; i < 27; ++i) {
            const int layer = i / 9;
            const double x = i % 3 - 1, y = i / 3 % 3 - 1, z = layer - 1;
            const double part = 0.3 * ring;
            const abut_vec3 p =
                abut_add(mid, abut_v3(part * x * half.x, part * y * half.y, part * z * half.z));
            if (is_own(b, p, h->m->range.lo)) {
                h->core[of] = p;
                h->has_core[of] = true;
                return;
            }
        }
}

abut_status abut_static_hold_open(const abut_moving *m, const abut_static_change change[2],
                                  abut_static_hold *out)
{
    *out = (abut_static_hold){ .m = m };
    abut_workspace_open(&out->ws, &m->a->alloc);
    (void)abut_workspace_begin(&out->ws);
    abut_status status = open_body(m->a, m->motion_a, m->range, &change[0], &out->ws, &out->body[0]);
    if (!status)
        status = open_body(m->b, m->motion_b, m->range, &change[1], &out->ws, &out->body[1]);
    abut_static_hold_allow(out, UINT64_MAX);
    for (int i = 0; i < 2 && !status; ++i)
        find_core(out, i);
    return status;
}

void abut_static_hold_allow(abut_static_hold *hold, uint64_t boxes)
{
    for (int i = 0; i < 2; ++i) {
        hold->body[i].boxes = &hold->boxes;
        hold->body[i].most = boxes < UINT64_MAX - hold->boxes ? hold->boxes + boxes : UINT64_MAX;
    }
}

/* Points of a solid beside p, against the normal and toward its core. */
static void keep_beside(abut_static_hold *h, int of, abut_vec3 p, abut_vec3 inward, double t)
{
    static const double share[] = { 1e-5, 1e-8, 1e-11 };
    const abut_vec3 extent = abut_sub(h->body[of].bounds.hi, h->body[of].bounds.lo);
    const double unit = fmin(abut_max_norm(extent), 1 + 1e3 * abut_max_norm(p));
    const abut_vec3 none = { 0, 0, 0 };
    for (int i = 0; i < 2; ++i) {
        if (i == 1 && !h->has_core[of])
            break;
        const abut_vec3 way = abut_unit_or(i ? abut_sub(h->core[of], p) : inward, none);
        for (size_t k = 0; k < sizeof share / sizeof *share; ++k) {
            abut_static_witness w = { .of = of };
            w.point[of] = abut_madd(p, share[k] * unit, way);
            if (is_own(&h->body[of], w.point[of], t))
                keep(h, &w);
        }
    }
}

/* The point of the boundary next to p, by parameters: it is one of the body whatever is rounded, and of solids without
 * fields it is known sooner than points inside. */
static void keep_on_boundary(abut_static_hold *h, int of, abut_vec3 p, double t)
{
    abut_static_witness w = { .of = of, .point = { p, p } };
    abut_static_point_find(&h->body[of], p, t, NULL, &h->ws, &w.by);
    if (w.by.kind == ABUT_STATIC_FACE)
        keep(h, &w);
}

void abut_static_hold_near(abut_static_hold *h, double t, const abut_cover_seen *seen)
{
    placed at[2];
    if (!place_at(h->m->motion_a, t, &at[0]) || !place_at(h->m->motion_b, t, &at[1]))
        return;
    const abut_vec3 p[2] = { to_local(&at[0], seen->point[0]), to_local(&at[1], seen->point[1]) };
    abut_static_crossing_keep(h, &seen->crossing, seen->blur);
    if (seen->swell > 0 && !seen->common) {
        const abut_static_witness w = { .point = { p[0], p[1] }, .blur = seen->blur, .swell = seen->swell };
        if (seen->of[0] && seen->of[1])
            keep(h, &w);
        return;
    }
    if (seen->common && !seen->crossing.known)
        abut_static_crossing_find(h, t, p);
    const abut_vec3 way = abut_sub(seen->point[1], seen->point[0]);
    for (int i = 0; i < 2; ++i) {
        const abut_static_witness w = { .of = i, .point = { p[0], p[1] }, .blur = seen->blur };
        const abut_static_witness own = { .of = i, .point = { p[0], p[1] } };
        if (h->body[1 - i].solid)
            keep_on_boundary(h, i, p[i], t);
        if (!seen->of[i])
            continue;
        if (!h->body[i].solid)
            keep(h, &w);
        else if (!seen->common)
            keep_beside(h, i, p[i], abut_mul(&at[i].back, i ? way : abut_scale(-1, way)), t);
        else if (is_own(&h->body[i], p[i], t))
            keep(h, &own);
    }
}

/* Points of the boundary go with it where the body deforms by itself, its vertices move, or it is a sheet;
 * of other solids they stay beside it. */
void abut_static_hold_follow(abut_static_hold *h, double t, const abut_cover_seen *seen,
                             const abut_static_instant *now)
{
    placed at[2];
    if (!place_at(h->m->motion_a, t, &at[0]) || !place_at(h->m->motion_b, t, &at[1]))
        return;
    const abut_vec3 p[2] = { to_local(&at[0], seen->point[0]), to_local(&at[1], seen->point[1]) };
    abut_static_crossing_keep(h, &seen->crossing, seen->blur);
    const abut_vec3 way = abut_sub(seen->point[1], seen->point[0]);
    for (int i = 0; i < 2; ++i) {
        const abut_static_body *b = &h->body[i];
        abut_static_witness w = { .of = i, .point = { p[0], p[1] }, .swell = seen->swell };
        abut_static_point_find(b, p[i], t, now->mesh[i], &h->ws, &w.by);
        if (w.by.kind != ABUT_STATIC_FIXED) {
            keep(h, &w);
            w.swell = 0;
        } else if (b->solid && !seen->common && !(seen->swell > 0)) {
            keep_beside(h, i, p[i], abut_mul(&at[i].back, i ? way : abut_scale(-1, way)), t);
        } else if (b->solid && is_own(b, p[i], t)) {
            w.swell = 0;
            keep(h, &w);
        }
    }
}

/* Of a solid: in the part of its bounds that the other may reach. */
static bool try_grid(abut_static_hold *h, int of, abut_interval time)
{
    const abut_static_body *b = &h->body[of];
    const abut_vec3 lo = b->bounds.lo, hi = b->bounds.hi;
    const double middle = 0.5 * time.lo + 0.5 * time.hi;
    const abut_interval instant = { middle, middle };
    if (!abut_is_finite3(lo) || !abut_is_finite3(hi))
        return false;
    /* Without fields each point takes a search over the faces. */
    const abut_static_body *o = &h->body[1 - of];
    const bool slow = (b->itself && !b->surface.implicit) || (o->itself && !o->surface.implicit);
    if (slow && ++h->grids > SLOW_GRIDS)
        return false;
    for (int i = 0; i < GRID * GRID * GRID; ++i) {
        const int k = i * 364 % (GRID * GRID * GRID); /* 364 and 729 have no common factor: all over it */
        const int at[3] = { k % GRID, k / GRID % GRID, k / (GRID * GRID) };
        const abut_vec3 p = { lo.x + (hi.x - lo.x) * (at[0] + 0.5) / GRID,
                              lo.y + (hi.y - lo.y) * (at[1] + 0.5) / GRID,
                              lo.z + (hi.z - lo.z) * (at[2] + 0.5) / GRID };
        if (lasts(h, of, p, instant) && is_own(b, p, middle) && try_point(h, of, p, time))
            return true;
    }
    return false;
}

/* Of a sheet: given parameters of its faces. */
static bool try_faces(abut_static_hold *h, int of, abut_interval time)
{
    const abut_surface *s = &h->body[of].surface;
    for (size_t i = 0; i < s->feature_count && i < SHEET; ++i) {
        const abut_surface_feature *f = &s->features[i];
        for (int k = 0; f->dimension == 2 && f->parametric && k < GRID * GRID; ++k) {
            const int j = k * 20 % (GRID * GRID); /* 20 and 81 have no common factor: all over it */
            const int row = j / GRID;
            const abut_interval u = f->range[0], v = f->range[1];
            const double x = u.lo + (u.hi - u.lo) * (j % GRID + 0.5) / GRID,
                         y = v.lo + (v.hi - v.lo) * (row + 0.5) / GRID;
            const abut_static_witness w = {
                .of = of, .by = { .kind = ABUT_STATIC_FACE, .feature = (uint32_t)i, .at = { x, y, 0 } }
            };
            if (try_witness(h, &w, time))
                return true;
        }
    }
    return false;
}

/* Of a mesh: vertices and middles of triangles, which are points of it, solid or not. A middle is
 * rounded; of a sheet only vertices count. */
static bool try_mesh(abut_static_hold *h, int of, abut_interval time)
{
    const abut_faceted_data *mesh = &h->body[of].shape->u.faceted;
    const size_t step = mesh->vertex_count / SHEET + 1;
    for (size_t i = 0; i < mesh->vertex_count; i += step) {
        const uint32_t v = (uint32_t)i;
        const abut_static_witness w = { .of = of,
                                        .by = { .kind = ABUT_STATIC_TRIANGLE, .corner = { v, v, v } } };
        if (h->body[of].vertices ? try_witness(h, &w, time) : try_point(h, of, mesh->vertices[i], time))
            return true;
    }
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
        if (is_own(&h->body[of], p, time.lo) && try_point(h, of, p, time))
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
           (b->solid ? try_grid(h, of, time) : b->surface.feature_count && try_faces(h, of, time));
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

/* A corner of a point, segment or flat hull, which are few: static methods tell where they meet, not by which
 * point of such a body. */
static bool corner_lasts(abut_static_hold *h, abut_interval time)
{
    for (int i = 0; i < 2; ++i) {
        const abut_static_body *b = &h->body[i];
        if (b->shape->type != ABUT_SHAPE_CONVEX || b->thick || !h->body[1 - i].solid)
            continue;
        const abut_convex_data *c = &b->shape->u.convex;
        for (size_t k = 0; k < c->point_count && k < FEW_CORNERS; ++k)
            if (try_point(h, i, c->points[k], time))
                return true;
    }
    return false;
}

bool abut_static_holds_still(abut_static_hold *h, abut_interval time)
{
    h->deep = h->body[0].thick && h->body[1].thick;
    const size_t found = search(h, h->witness, h->count, time);
    if (found < h->count) {
        const abut_static_witness w = h->witness[found];
        memmove(h->witness + 1, h->witness, found * sizeof w);
        h->witness[0] = w;
        return true;
    }
    return endless_meet(h, time) || abut_static_crossing_lasts(h, time) || corner_lasts(h, time);
}

bool abut_static_holds(abut_static_hold *h, abut_interval time)
{
    return abut_static_holds_still(h, time) || try_body(h, 0, time) || try_body(h, 1, time);
}
