/* SPDX-License-Identifier: MIT */
/* Bodies of the search by covers: how each kind of shape becomes one, its first cells and their halves,
 * and what is inside it. */
#include "math/vec3.h"
#include "narrow/cover/cover.h"
#include "narrow/cover/pairs.h"
#include "narrow/surface/surface_pair.h"
#include "shape/heightfield.h"

#include <string.h>

enum { BLOCK = 32 };

static bool is_triangles(const abut_shape *s)
{
    return abut_shape_has_triangles(s->type) || s->type == ABUT_SHAPE_HEIGHTFIELD;
}

/* By its surface, or by its spine. */
static bool is_charts(const abut_shape *s)
{
    switch (s->type) {
    case ABUT_SHAPE_PARAMETRIC:
    case ABUT_SHAPE_BEZIER:
    case ABUT_SHAPE_IMPLICIT:
    case ABUT_SHAPE_CSG: return true;
    case ABUT_SHAPE_SWEPT: return s->u.swept.of->type != ABUT_SHAPE_SUPPORT;
    case ABUT_SHAPE_CONVEX: return !abut_brep_is_body(s);
    default: return false;
    }
}

bool abut_cover_takes(const abut_shape *s)
{
    return is_triangles(s) || is_charts(s) || abut_brep_is_body(s);
}

/* ---- where they are ---- */

static double width(abut_interval i)
{
    return i.hi - i.lo;
}

static bool turns(const abut_shape *s)
{
    return s->type != ABUT_SHAPE_SPHERE;
}

/* How far a point at the distance `reach` from the body's origin may be from where the middle of the
 * placement puts it. */
static double blur(const abut_shape *shape, const abut_place *at, double reach)
{
    double turn = 0;
    for (int i = 0; i < 3 && turns(shape); ++i)
        for (int j = 0; j < 3; ++j)
            turn = fmax(turn, width(at->enclosure.linear.m[i][j]));
    const double shift = fmax(width(at->enclosure.translation.x),
                              fmax(width(at->enclosure.translation.y), width(at->enclosure.translation.z)));
    return 2 * (3 * turn * reach + shift);
}

static abut_affine relative(const abut_pair *pair)
{
    const abut_place *a = pair->at_a, *b = pair->at_b;
    const abut_mat3 turn_a = turns(pair->a) ? a->mid.linear : abut_mat3_identity();
    const abut_mat3 turn_b = turns(pair->b) ? b->mid.linear : abut_mat3_identity();
    const abut_mat3 inverse = abut_mat3_transpose(&turn_a);
    return (abut_affine){ abut_mat3_mul(&inverse, &turn_b),
                          abut_mul(&inverse, abut_sub(b->mid.translation, a->mid.translation)) };
}

static abut_affine inverse_of(const abut_affine *map)
{
    return (abut_affine){ abut_mat3_transpose(&map->linear),
                          abut_scale(-1, abut_mul_t(&map->linear, map->translation)) };
}

/* A box around the bounds of a shape after a rigid map, a little larger than it need be. */
static abut_interval_vec3 box_after(const abut_aabb *b, const abut_affine *map)
{
    const abut_vec3 mid = abut_scale(0.5, abut_add(b->lo, b->hi)),
                    half = abut_scale(0.5, abut_sub(b->hi, b->lo));
    abut_interval_vec3 any = { { -INFINITY, INFINITY }, { -INFINITY, INFINITY }, { -INFINITY, INFINITY } };
    if (!abut_is_finite3(mid) || !abut_is_finite3(half))
        return any;
    const abut_vec3 at = abut_affine_apply(map, mid);
    const double h[3] = { half.x, half.y, half.z }, c[3] = { at.x, at.y, at.z };
    abut_interval *out[3] = { &any.x, &any.y, &any.z };
    const double size = abut_max_norm(at) + abut_max_norm(mid) + abut_max_norm(half);
    for (int i = 0; i < 3; ++i) {
        double r = 0x1p-40 * size;
        for (int j = 0; j < 3; ++j)
            r += fabs(map->linear.m[i][j]) * h[j];
        *out[i] = (abut_interval){ c[i] - r, c[i] + r };
    }
    return any;
}

/* What is below a height field has no end; against another one only so much of it counts (fields.c). A body
 * that deforms has bounds of its own at each time. */
static abut_aabb bounds_of(const abut_cover_body *own, const abut_shape *s, const abut_shape *for_shape,
                           const abut_affine *map)
{
    abut_aabb b = own->charts ? own->bounds : s->bounds;
    if (s->type == ABUT_SHAPE_HEIGHTFIELD && for_shape->type == ABUT_SHAPE_HEIGHTFIELD)
        b.lo.z = s->u.heightfield.pyramid->whole.lo - abut_cover_fields_reach(s, for_shape, map);
    return b;
}

/* ---- opening ---- */

/* The largest coordinate of the triangles. */
static double scale_of_triangles(const abut_shape *s)
{
    abut_aabb b = s->bounds;
    if (s->type == ABUT_SHAPE_HEIGHTFIELD) /* which goes down without an end */
        b.lo.z = s->u.heightfield.pyramid->whole.lo;
    return fmax(abut_max_norm(b.lo), abut_max_norm(b.hi));
}

static abut_status open_parts(abut_cover_body *body, const abut_interval_vec3 *other, abut_cover_use use,
                              abut_workspace *ws)
{
    abut_brep_body *p = &body->parts;
    *p = (abut_brep_body){ .shape = body->shape, .solid = abut_shape_solid(body->shape) };
    p->moved = body->moved;
    p->map = body->map;
    p->size = body->size;
    abut_status status = ABUT_OK;
    if (is_triangles(body->shape)) {
        if (body->shape->type == ABUT_SHAPE_HEIGHTFIELD)
            abut_facets_of_field(body->shape, other, &body->facets);
        else
            abut_facets_of_mesh(body->shape, &body->facets);
        body->faceted = true;
        body->solid = body->facets.solid;
        if (use == ABUT_COVER_INSIDE) {
            body->scale = scale_of_triangles(body->shape);
            return ABUT_OK;
        }
        if (abut_cover_is_large(body->shape))
            return abut_cover_open_large(body, ws);
        status = abut_cover_take_triangles(body, other, ws);
    } else if (p->solid) {
        p->features = &p->solid->features;
        body->solid = true;
    } else {
        const abut_vec3 lo = { other->x.lo, other->y.lo, other->z.lo },
                        hi = { other->x.hi, other->y.hi, other->z.hi };
        const bool bounded = abut_is_finite3(lo) && abut_is_finite3(hi);
        const abut_vec3 centre = bounded ? abut_scale(0.5, abut_add(lo, hi)) : abut_v3(0, 0, 0);
        const double reach = bounded ? 1.1 * abut_length(abut_sub(hi, lo)) : 1;
        if (!bounded && body->shape->type == ABUT_SHAPE_HALFSPACE)
            return ABUT_ERR_UNSUPPORTED;
        status = abut_brep_convert(body->shape, centre, reach, ws, &p->own);
        p->features = &p->own;
        body->solid = true;
    }
    if (status)
        return status;
    body->scale = p->features->scale;
    body->empty = p->features->count == 0;
    p->parts = abut_workspace_take(ws, p->features->count + 1, sizeof *p->parts);
    p->placed = abut_workspace_take(ws, p->features->count + 1, sizeof *p->placed);
    if (!p->parts || !p->placed)
        return ABUT_ERR_MEMORY;
    memset(p->placed, 0, p->features->count * sizeof *p->placed);
    return ABUT_OK;
}

static ABUT_NOINLINE void relate(const abut_pair *pair, abut_placed_surface *s)
{
    abut_surface_relate(pair->at_a, turns(pair->a), pair->at_b, turns(pair->b), s);
}

static ABUT_NOINLINE void find_bounds(const abut_placed_surface *s, abut_aabb *out)
{
    const ia3 b = s->bounds;
    *out = (abut_aabb){ { ia_lo(b.x), ia_lo(b.y), ia_lo(b.z) }, { ia_hi(b.x), ia_hi(b.y), ia_hi(b.z) } };
}

static abut_status open_charts(const abut_pair *pair, abut_cover_body *body, abut_workspace *ws)
{
    abut_placed_surface *s = &body->surface;
    const abut_place *at = body->moved ? pair->at_b : pair->at_a;
    const bool round = body->shape->type == ABUT_SHAPE_SWEPT || body->shape->type == ABUT_SHAPE_CONVEX;
    const abut_status status = round ? abut_placed_spine_make(body->shape, at->t, ws, s)
                                     : abut_placed_surface_over(body->shape, at->t, at->span, ws, s);
    if (status)
        return status;
    body->here = *s;
    if (s->surface.deforms || s->surface.outside) { /* not those of the material */
        const abut_rounding saved = abut_rounding_enter();
        find_bounds(s, &body->bounds);
        abut_rounding_leave(saved);
    }
    body->charts = true;
    body->rounded = round && s->swell > 0;
    body->swell = round ? s->swell : 0;
    body->solid = s->surface.solid || body->rounded;
    body->empty = s->surface.feature_count == 0 || body->bounds.lo.x > body->bounds.hi.x;
    body->scale = fmax(abut_max_norm(body->bounds.lo), abut_max_norm(body->bounds.hi));
    body->size = abut_max_norm(abut_sub(body->bounds.hi, body->bounds.lo));
    if (body->moved) {
        const abut_rounding saved = abut_rounding_enter();
        relate(pair, s);
        abut_rounding_leave(saved);
    }
    return ABUT_OK;
}

static abut_interval grown(abut_interval x, double by)
{
    return (abut_interval){ x.lo - by, x.hi + by };
}

static abut_status open_body(const abut_pair *pair, bool second, const abut_affine *map, double reach,
                             abut_cover_use use, abut_workspace *ws, abut_cover_body body[2])
{
    const abut_shape *shape = second ? pair->b : pair->a, *other = second ? pair->a : pair->b;
    const abut_affine identity = abut_affine_identity(), back = inverse_of(map);
    abut_cover_body *own = &body[second];
    own->shape = shape;
    own->moved = second;
    own->map = second ? *map : identity;
    own->bounds = shape->bounds;
    own->size = abut_max_norm(abut_sub(shape->bounds.hi, shape->bounds.lo));
    if (is_charts(shape))
        return open_charts(pair, own, ws);
    const abut_aabb bounds = bounds_of(&body[!second], other, shape, map);
    abut_interval_vec3 around = box_after(&bounds, second ? &back : map);
    around = (abut_interval_vec3){ grown(around.x, reach), grown(around.y, reach), grown(around.z, reach) };
    return open_parts(own, &around, use, ws);
}

abut_status abut_cover_open(const abut_pair *pair, abut_workspace *ws, abut_cover_body body[2], double *slack)
{
    return abut_cover_open_within(pair, 0, ABUT_COVER_BOUNDARY, ws, body, slack);
}

abut_status abut_cover_open_within(const abut_pair *pair, double reach, abut_cover_use use,
                                   abut_workspace *ws, abut_cover_body body[2], double *slack)
{
    const abut_affine map = relative(pair);
    memset(body, 0, 2 * sizeof *body);
    const bool second_first = is_charts(pair->b); /* which may tell where it is only once it is open */
    abut_status status = open_body(pair, second_first, &map, reach, use, ws, body);
    if (!status)
        status = open_body(pair, !second_first, &map, reach, use, ws, body);
    if (status)
        return status;
    const double away = abut_length(map.translation), a = body[0].scale, b = body[1].scale;
    *slack = ABUT_CELL_SLACK * 2 * (a + b + away) + blur(pair->a, pair->at_a, 2 * (b + away)) +
             blur(pair->b, pair->at_b, 2 * b);
    /* An ellipsoid may stand for the image of another one, and be off by so much. */
    *slack += (pair->a->type == ABUT_SHAPE_ELLIPSOID ? pair->a->core.error : 0) +
              (pair->b->type == ABUT_SHAPE_ELLIPSOID ? pair->b->core.error : 0) +
              (pair->ask ? pair->ask->blur : 0);
    for (int i = 0; i < 2; ++i)
        *slack += body[i].parts.solid ? body[i].parts.solid->doubt : 0;
    if (!abut_brep_can_measure(a) || !abut_brep_can_measure(b) || !(away < 1e60))
        *slack = INFINITY;
    for (int i = 0; i < 2; ++i) {
        body[i].slack = *slack;
        body[i].own_slack = ABUT_CELL_SLACK * body[i].scale;
        body[i].slot = i;
        if (pair->ask && pair->ask->cover && !body[i].surface.surface.deforms)
            body[i].cache = pair->ask->cover;
    }
    return ABUT_OK;
}

/* ---- cells ---- */

enum { KEPT = 30000 }; /* cells */

abut_cover_cache *abut_cover_cache_create(const abut_allocator *alloc)
{
    abut_cover_cache *cache = abut_base_alloc(alloc, 1, sizeof *cache);
    if (cache) {
        *cache = (abut_cover_cache){ .alloc = *alloc };
        abut_workspace_open(&cache->ws, &cache->alloc);
        cache->mark = abut_workspace_begin(&cache->ws);
    }
    return cache;
}

void abut_cover_cache_destroy(abut_cover_cache *cache)
{
    if (!cache)
        return;
    abut_workspace_end(&cache->ws, cache->mark);
    abut_workspace_close(&cache->ws);
    const abut_allocator alloc = cache->alloc;
    abut_base_free(&alloc, cache, 1, sizeof *cache);
}

abut_cover_seen abut_cover_cache_seen(const abut_cover_cache *cache)
{
    return cache->seen;
}

void abut_cover_cache_forget(abut_cover_cache *cache)
{
    cache->seen = (abut_cover_seen){ .common = false };
}

/* Begins a search: all that is kept, or nothing where that is too much. */
static void begin_kept(abut_cover_body *body)
{
    abut_cover_cache *c = body->cache;
    if (!c)
        return;
    if (c->count > KEPT) {
        abut_workspace_end(&c->ws, c->mark);
        c->mark = abut_workspace_begin(&c->ws);
        memset(c->slots, 0, sizeof c->slots);
        c->count = 0;
    }
    body->stamp = ++c->stamp;
    if (c->slots[body->slot].shape != body->shape)
        return;
    body->root = c->slots[body->slot].root;
    body->block = c->slots[body->slot].block;
    body->used = c->slots[body->slot].used;
}

void abut_cover_end(abut_cover_body *body)
{
    abut_cover_cache *c = body->cache;
    if (!c || !body->charts)
        return;
    c->slots[body->slot].shape = body->shape;
    c->slots[body->slot].root = body->root;
    c->slots[body->slot].block = body->block;
    c->slots[body->slot].used = body->used;
}

void abut_cover_place(const abut_cover_body *body, abut_cover_cell *c)
{
    if (!body->charts || c->stamp == body->stamp)
        return;
    const abut_cover_box *o = &c->own;
    c->stamp = body->stamp;
    c->asked = false;
    c->at.center = body->moved ? abut_affine_apply(&body->map, o->center) : o->center;
    c->at.normal = body->moved ? abut_mul(&body->map.linear, o->normal) : o->normal;
    for (int i = 0; i < 3; ++i) {
        c->at.axis[i] = body->moved ? abut_mul(&body->map.linear, o->axis[i]) : o->axis[i];
        c->at.half[i] = o->half[i] + body->slack;
    }
    c->at.radius = o->radius + 2 * body->slack;
}

abut_cover_cell *abut_cover_new(abut_cover_body *body, abut_workspace *ws)
{
    abut_cover_cache *cache = body->charts ? body->cache : NULL;
    if (cache) {
        ws = &cache->ws;
        ++cache->count;
    }
    if (!body->block || body->used == BLOCK) {
        body->block = abut_workspace_take(ws, BLOCK, sizeof *body->block);
        body->used = 0;
        if (!body->block)
            return NULL;
    }
    abut_cover_cell *c = &body->block[body->used++];
    memset(c, 0, sizeof *c);
    return c;
}

static ABUT_NOINLINE void range_of(const abut_placed_surface *s, const abut_surface_feature *f,
                                   abut_cover_cell *c)
{
    ia q[3];
    abut_chart_range(s, f, q);
    for (int k = 0; k < abut_chart_unknowns(f); ++k)
        c->q[k] = ia_to(q[k]);
}

/* A cell around others, in the directions of the axes. */
static void surround(abut_cover_cell *const *cells, size_t count, abut_cover_box *out)
{
    double lo[3] = { INFINITY, INFINITY, INFINITY }, hi[3] = { -INFINITY, -INFINITY, -INFINITY };
    for (size_t i = 0; i < count; ++i) {
        const abut_cover_box *c = &cells[i]->own;
        const double centre[3] = { c->center.x, c->center.y, c->center.z };
        for (int k = 0; k < 3; ++k) {
            double r = 0;
            for (int j = 0; j < 3; ++j) {
                const double a[3] = { c->axis[j].x, c->axis[j].y, c->axis[j].z };
                r += fabs(a[k]) * c->half[j];
            }
            r = fmin(r, c->radius) * (1 + 1e-12);
            lo[k] = fmin(lo[k], centre[k] - r);
            hi[k] = fmax(hi[k], centre[k] + r);
        }
    }
    out->center = abut_v3(0.5 * (lo[0] + hi[0]), 0.5 * (lo[1] + hi[1]), 0.5 * (lo[2] + hi[2]));
    double square = 0;
    for (int k = 0; k < 3; ++k) {
        out->axis[k] = abut_v3(k == 0, k == 1, k == 2);
        out->half[k] = 0.5 * (hi[k] - lo[k]) * (1 + 1e-12);
        square += out->half[k] * out->half[k];
    }
    out->radius = sqrt(square) * (1 + 1e-12);
}

static double along(const abut_cover_cell *c, int k)
{
    return k == 0 ? c->own.center.x : k == 1 ? c->own.center.y : c->own.center.z;
}

/* A tree of cells: halves across the longest side of what is around them. */
static abut_cover_cell *join(abut_cover_body *body, abut_cover_cell **cells, size_t count, abut_workspace *ws)
{
    if (count == 1)
        return cells[0];
    abut_cover_cell *g = abut_cover_new(body, ws);
    if (!g)
        return NULL;
    surround(cells, count, &g->own);
    g->at = (abut_cell){ .kind = ABUT_CELL_GROUP, .state = ABUT_CELL_IN, .wide = true };
    int k = g->own.half[1] > g->own.half[0];
    k = g->own.half[2] > g->own.half[k] ? 2 : k;
    const double mid = along(g, k);
    size_t left = 0;
    for (size_t i = 0; i < count; ++i)
        if (along(cells[i], k) < mid) {
            abut_cover_cell *c = cells[i];
            cells[i] = cells[left];
            cells[left++] = c;
        }
    if (left == 0 || left == count)
        left = count / 2;
    g->opened = true;
    g->child[0] = join(body, cells, left, ws);
    g->child[1] = join(body, cells + left, count - left, ws);
    return g->child[0] && g->child[1] ? g : NULL;
}

static abut_status begin_charts(abut_cover_body *body, abut_workspace *ws)
{
    const abut_surface *s = &body->surface.surface;
    abut_cover_cell **cells = abut_workspace_take(ws, s->feature_count, sizeof *cells);
    size_t count = 0;
    if (!cells)
        return ABUT_ERR_MEMORY;
    for (size_t i = 0; i < s->feature_count; ++i) {
        abut_cover_cell *c = abut_cover_new(body, ws);
        if (!c)
            return ABUT_ERR_MEMORY;
        c->feature = (uint32_t)i;
        c->two = !s->solid && s->features[i].dimension == 2;
        const abut_rounding saved = abut_rounding_enter();
        range_of(&body->surface, &s->features[i], c);
        abut_rounding_leave(saved);
        if (abut_cover_fit_chart(body, c))
            cells[count++] = c;
    }
    body->empty = count == 0;
    body->root = count ? join(body, cells, count, ws) : NULL;
    return count && !body->root ? ABUT_ERR_MEMORY : ABUT_OK;
}

abut_status abut_cover_begin(abut_cover_body *body, double slack, abut_workspace *ws)
{
    body->stamp = 1;
    if (body->charts)
        begin_kept(body);
    if (body->empty || body->root)
        return ABUT_OK;
    if (body->charts)
        return begin_charts(body, ws);
    if (body->order)
        return abut_cover_begin_large(body, slack, ws);
    const abut_features *f = body->parts.features;
    const abut_status status =
        abut_cover_enter_part(body, f->node_count ? (int32_t)f->node_count - 1 : ~0, slack, ws, &body->root);
    body->empty = !body->root;
    return status;
}

bool abut_cover_splits(const abut_cover_cell *c, double slack)
{
    return c->at.kind == ABUT_CELL_GROUP ||
           ((c->at.kind != ABUT_CELL_POINT || c->space) && c->at.radius > 8 * slack);
}

static abut_status halve_chart(abut_cover_body *body, abut_cover_cell *cell, abut_workspace *ws)
{
    const int k = cell->along;
    const double mid = 0.5 * cell->q[k].lo + 0.5 * cell->q[k].hi;
    for (int i = 0; i < 2; ++i) {
        abut_cover_cell *c = abut_cover_new(body, ws);
        if (!c)
            return ABUT_ERR_MEMORY;
        c->feature = cell->feature;
        c->two = cell->two;
        memcpy(c->q, cell->q, sizeof c->q);
        if (i)
            c->q[k].lo = mid;
        else
            c->q[k].hi = mid;
        if (abut_cover_fit_chart(body, c))
            cell->child[i] = c;
    }
    return ABUT_OK;
}

static abut_status halve_part(abut_cover_body *body, abut_cover_cell *cell, double slack, abut_workspace *ws)
{
    const abut_part *part = abut_cover_part(body, cell);
    abut_cell halves[2];
    abut_cell_split(part, &cell->at, halves);
    for (int i = 0; i < 2; ++i) {
        abut_cell_fit(part, slack, &halves[i]);
        if (halves[i].state == ABUT_CELL_IN)
            halves[i].sampled = true;
        else if (!abut_brep_trim(&body->parts, part, slack, &halves[i]))
            continue;
        abut_cover_cell *c = abut_cover_new(body, ws);
        if (!c)
            return ABUT_ERR_MEMORY;
        c->at = halves[i];
        c->two = cell->two;
        cell->child[i] = c;
    }
    return ABUT_OK;
}

abut_status abut_cover_expand(abut_cover_body *body, abut_cover_cell *cell, double slack, abut_workspace *ws)
{
    if (cell->opened)
        return ABUT_OK;
    cell->opened = true;
    if (body->charts)
        return halve_chart(body, cell, ws);
    if (cell->at.kind != ABUT_CELL_GROUP)
        return halve_part(body, cell, slack, ws);
    if (body->order)
        return abut_cover_expand_large(body, cell, slack, ws);
    const abut_feature_node *node = &body->parts.features->nodes[cell->at.part];
    const abut_status status = abut_cover_enter_part(body, node->child[0], slack, ws, &cell->child[0]);
    return status ? status : abut_cover_enter_part(body, node->child[1], slack, ws, &cell->child[1]);
}

bool abut_cover_project(abut_cover_body *body, abut_cover_cell *cell, abut_vec3 p, double slack,
                        abut_vec3 *out)
{
    if (body->charts)
        return abut_cover_project_chart(body, cell, p, slack, out);
    const abut_part *part = abut_cover_part(body, cell);
    *out = abut_cell_project(part, &cell->at, p);
    return cell->at.state == ABUT_CELL_IN || abut_brep_on_face(&body->parts, part, *out);
}

void abut_cover_widen(abut_cover_body *body, const abut_cover_cell *cell, abut_cover_cell *out)
{
    *out = *cell;
    if (!body->charts) {
        abut_cell_root(abut_cover_part(body, cell), cell->at.part, body->slack, &out->at);
        if (abut_cover_part(body, cell)->trim)
            out->at.state = ABUT_CELL_MIXED;
        return;
    }
    const abut_surface_feature *f = &body->surface.surface.features[cell->feature];
    const abut_rounding saved = abut_rounding_enter();
    range_of(&body->surface, f, out);
    abut_rounding_leave(saved);
    for (int k = 0; k < abut_chart_unknowns(f); ++k) {
        const double w = 2 * width(cell->q[k]);
        out->q[k] =
            (abut_interval){ fmax(out->q[k].lo, cell->q[k].lo - w), fmin(out->q[k].hi, cell->q[k].hi + w) };
    }
}

/* ---- inside ---- */

static int side_of(abut_truth where)
{
    return where == ABUT_EVERYWHERE ? -1 : where == ABUT_NOWHERE ? 1 : 0;
}

static ABUT_NOINLINE void inside(const abut_cover_body *body, const abut_vec3 *p, double slack,
                                 abut_truth *out)
{
    const ia off = ia_make(-slack, slack);
    const ia3 box = ia3_add(ia3_point(*p), (ia3){ off, off, off });
    if (body->charts)
        *out = abut_surface_inside_over(&body->surface.surface, abut_placed_local(&body->surface, box),
                                        abut_placed_time(&body->surface), body->surface.scratch,
                                        body->surface.boxes);
    else
        *out = body->facets.methods->inside(&body->facets, box);
}

int abut_cover_side(const abut_cover_body *body, abut_vec3 p, double slack)
{
    if (!body->charts && !body->faceted) {
        const abut_vec3 local =
            body->moved ? abut_mul_t(&body->map.linear, abut_sub(p, body->map.translation)) : p;
        return abut_brep_side(body->shape, local, slack);
    }
    if (body->charts ? !(body->surface.surface.solid || body->surface.surface.unknown_side) : !body->solid)
        return 1;
    const abut_vec3 at =
        body->charts || !body->moved ? p : abut_mul_t(&body->map.linear, abut_sub(p, body->map.translation));
    abut_truth where;
    const abut_rounding saved = abut_rounding_enter();
    inside(body, &at, slack, &where);
    abut_rounding_leave(saved);
    return side_of(where);
}
