/* SPDX-License-Identifier: MIT */
/* One thing against all bodies, through the tree of their boxes: the bodies nearest to a point, hits of
 * a ray, what is in a box, a shape that moves through the world. */
#include "world/world.h"

#include "base/sort.h"
#include "math/nearest.h"
#include "world/broad/aabb.h"

#include <math.h>
#include <string.h>

/* A shape at rest in the world against a body at the start of the time committed. */
static abut_status check_shape(const abut_world *world, const abut_shape *shape, uint32_t slot,
                               abut_workspace *ws, abut_check_result *out)
{
    const abut_world_body *body = &world->slots[slot].body;
    return body->motion ? abut_check_at(shape, NULL, body->shape, body->motion, world->time.lo, NULL, ws, out)
                        : abut_check(shape, NULL, body->shape, &body->pose, NULL, ws, out);
}

/* ---- the nearest bodies ---- */

typedef struct near_run {
    const abut_world *world;
    abut_aabb at;
    const abut_shape *point;
    abut_workspace ws;
    size_t k;
    abut_world_neighbour *out;
    size_t count;
} near_run;

static double near_bound(void *ctx, const abut_aabb *box)
{
    return abut_aabb_gap(&((const near_run *)ctx)->at, box);
}

static abut_status near_leaf(void *ctx, uint32_t id, double bound, double *limit)
{
    near_run *run = ctx;
    abut_check_result r;
    abut_world_neighbour found = { .id = abut_world_id(run->world, id) };
    found.status = check_shape(run->world, run->point, id, &run->ws, &r);
    if (found.status && !abut_world_is_of_pair(found.status))
        return found.status;
    found.distance = found.status ? (abut_interval){ bound, INFINITY } : r.distance;
    if (!found.status)
        found.distance.lo = abut_max2(found.distance.lo, abut_min2(bound, found.distance.hi));
    size_t at = run->count;
    while (at > 0 && run->out[at - 1].distance.hi > found.distance.hi)
        --at;
    if (at == run->k)
        return ABUT_OK;
    if (run->count < run->k)
        ++run->count;
    memmove(run->out + at + 1, run->out + at, (run->count - 1 - at) * sizeof *run->out);
    run->out[at] = found;
    if (run->count == run->k)
        *limit = run->out[run->k - 1].distance.hi;
    return ABUT_OK;
}

abut_status abut_world_near_point(const abut_world *world, abut_vec3 point, size_t k,
                                  abut_world_neighbour *out, size_t *count)
{
    if (count)
        *count = 0;
    if (!count || !abut_world_is_ready(world) || (k > 0 && !out) || !isfinite(point.x) ||
        !isfinite(point.y) || !isfinite(point.z))
        return ABUT_ERR_ARGUMENT;
    if (k == 0)
        return ABUT_OK;
    const abut_tree *tree = abut_world_tree(world);
    abut_shape *shape = NULL;
    abut_status status =
        tree ? abut_shape_create_point(point, 0, &world->alloc, &shape, NULL) : ABUT_ERR_MEMORY;
    if (status)
        return status;
    near_run run = { .world = world, .at = { point, point }, .point = shape, .k = k, .out = out };
    abut_workspace_open(&run.ws, &world->alloc);
    status = abut_tree_search(tree, near_bound, near_leaf, &run, INFINITY);
    abut_workspace_close(&run.ws);
    abut_shape_release(shape);
    *count = status ? 0 : run.count;
    return status;
}

/* ---- rays ---- */

typedef struct ray_run {
    const abut_world *world;
    abut_vec3 origin, direction;
    double max_t;
    bool first_only;
    ABUT_ARRAY(abut_world_hit) hits;
} ray_run;

/* The least t >= 0 at which the ray may be in the box, which is taken a little larger: some ulp of all
 * numbers that go into it. */
static double ray_bound(void *ctx, const abut_aabb *box)
{
    const ray_run *run = ctx;
    const double o[3] = { run->origin.x, run->origin.y, run->origin.z };
    const double d[3] = { run->direction.x, run->direction.y, run->direction.z };
    const double lo[3] = { box->lo.x, box->lo.y, box->lo.z }, hi[3] = { box->hi.x, box->hi.y, box->hi.z };
    double from = 0, to = INFINITY;
    for (int i = 0; i < 3; ++i) {
        const double slack =
            0x1p-48 * (fabs(o[i]) + abut_min2(fabs(lo[i]) + fabs(hi[i]), 0x1p1000)) + 0x1p-1050;
        if (d[i] == 0) {
            if (o[i] < lo[i] - slack || o[i] > hi[i] + slack)
                return INFINITY;
            continue;
        }
        const double a = (lo[i] - slack - o[i]) / d[i], b = (hi[i] + slack - o[i]) / d[i];
        from = abut_max2(from, abut_min2(a, b));
        to = abut_min2(to, abut_max2(a, b));
    }
    const double entry = from * (1 - 0x1p-48);
    return entry <= to * (1 + 0x1p-48) ? entry : INFINITY;
}

static abut_status cast_body(const ray_run *run, uint32_t id, abut_ray_hit *hits, size_t capacity,
                             size_t *count)
{
    const abut_world_body *body = &run->world->slots[id].body;
    return body->motion
               ? abut_cast_ray_at(body->shape, body->motion, run->world->time.lo, run->origin, run->direction,
                                  hits, capacity, count)
               : abut_cast_ray(body->shape, &body->pose, run->origin, run->direction, hits, capacity, count);
}

static abut_status ray_leaf(void *ctx, uint32_t id, double bound, double *limit)
{
    enum { FEW = 16 };
    ray_run *run = ctx;
    const abut_allocator *alloc = &run->world->alloc;
    abut_ray_hit few[FEW], *hits = few;
    size_t count, capacity = FEW;
    (void)bound;
    abut_status status = cast_body(run, id, hits, capacity, &count);
    if (!status && count > capacity) {
        capacity = count;
        hits = abut_base_alloc(alloc, capacity, sizeof *hits);
        status = hits ? cast_body(run, id, hits, capacity, &count) : ABUT_ERR_MEMORY;
    }
    for (size_t i = 0; !status && i < count && i < capacity && hits[i].t <= run->max_t; ++i) {
        const abut_world_hit added = { abut_world_id(run->world, id), hits[i] };
        if (!ABUT_ARRAY_PUSH(alloc, &run->hits, added))
            status = ABUT_ERR_MEMORY;
        if (run->first_only) {
            *limit = abut_min2(*limit, hits[i].t);
            break;
        }
    }
    if (hits && hits != few)
        abut_base_free(alloc, hits, capacity, sizeof *hits);
    return status;
}

static bool hit_before(void *ctx, const void *x, const void *y)
{
    const abut_world_hit *a = x, *b = y;
    (void)ctx;
    return a->hit.t != b->hit.t ? a->hit.t < b->hit.t : a->id.index < b->id.index;
}

static ABUT_MATH_NOINLINE abut_status search_ray(const abut_tree *tree, ray_run *run)
{
    return abut_tree_search(tree, ray_bound, ray_leaf, run, run->max_t);
}

abut_status abut_world_cast_ray(const abut_world *world, abut_vec3 origin, abut_vec3 direction, double max_t,
                                bool first_only, abut_world_hit *hits, size_t capacity, size_t *count)
{
    const abut_vec3 d = direction;
    if (count)
        *count = 0;
    if (!count || !abut_world_is_ready(world) || (capacity > 0 && !hits) || !(max_t >= 0) ||
        !isfinite(origin.x) || !isfinite(origin.y) || !isfinite(origin.z) || !isfinite(d.x) ||
        !isfinite(d.y) || !isfinite(d.z) || (d.x == 0 && d.y == 0 && d.z == 0))
        return ABUT_ERR_ARGUMENT;
    const abut_tree *tree = abut_world_tree(world);
    if (!tree)
        return ABUT_ERR_MEMORY;
    ray_run run = {
        .world = world, .origin = origin, .direction = direction, .max_t = max_t, .first_only = first_only
    };
    const abut_nearest saved = abut_nearest_enter();
    const abut_status status = search_ray(tree, &run);
    abut_nearest_leave(saved);
    abut_base_sort(run.hits.items, run.hits.count, sizeof *run.hits.items, hit_before, NULL);
    if (!status) {
        *count = first_only && run.hits.count ? 1 : run.hits.count;
        for (size_t i = 0; i < *count && i < capacity; ++i)
            hits[i] = run.hits.items[i];
    }
    ABUT_ARRAY_FREE(&world->alloc, &run.hits);
    return status;
}

/* ---- a box ---- */

typedef struct box_run {
    const abut_world *world;
    ABUT_ARRAY(uint32_t) ids;
    bool failed;
} box_run;

static bool box_leaf(void *ctx, uint32_t id)
{
    box_run *run = ctx;
    run->failed = !ABUT_ARRAY_PUSH(&run->world->alloc, &run->ids, id);
    return !run->failed;
}

static bool id_before(void *ctx, const void *x, const void *y)
{
    (void)ctx;
    return *(const uint32_t *)x < *(const uint32_t *)y;
}

abut_status abut_world_in_box(const abut_world *world, const abut_aabb *box, abut_world_pair_fn found,
                              void *ctx)
{
    if (!box || !abut_world_is_ready(world) || abut_aabb_is_empty(box) || !isfinite(box->lo.x) ||
        !isfinite(box->lo.y) || !isfinite(box->lo.z) || !isfinite(box->hi.x) || !isfinite(box->hi.y) ||
        !isfinite(box->hi.z))
        return ABUT_ERR_ARGUMENT;
    /* Its corners are doubles, which a centre and half edges need not be. */
    abut_vec3 corners[8];
    for (int i = 0; i < 8; ++i)
        corners[i] = (abut_vec3){ i & 1 ? box->hi.x : box->lo.x, i & 2 ? box->hi.y : box->lo.y,
                                  i & 4 ? box->hi.z : box->lo.z };
    abut_shape *shape = NULL;
    const abut_tree *tree = abut_world_tree(world);
    abut_status status =
        tree ? abut_shape_create_convex(corners, 8, 0, &world->alloc, &shape, NULL) : ABUT_ERR_MEMORY;
    if (status)
        return status;
    box_run run = { .world = world };
    abut_workspace ws;
    abut_workspace_open(&ws, &world->alloc);
    (void)abut_tree_meeting(tree, box, box_leaf, &run);
    status = run.failed ? ABUT_ERR_MEMORY : ABUT_OK;
    abut_base_sort(run.ids.items, run.ids.count, sizeof *run.ids.items, id_before, NULL);
    for (size_t i = 0; i < run.ids.count && !status; ++i) {
        abut_check_result r;
        const abut_body_id none = { 0, 0 };
        const abut_status own = check_shape(world, shape, run.ids.items[i], &ws, &r);
        if (own && !abut_world_is_of_pair(own))
            status = own;
        else if ((own || r.verdict != ABUT_SEPARATE) && found &&
                 !found(ctx, abut_world_id(world, run.ids.items[i]), none, own, &r))
            status = ABUT_ERR_CANCELLED;
    }
    ABUT_ARRAY_FREE(&world->alloc, &run.ids);
    abut_workspace_close(&ws);
    abut_shape_release(shape);
    return status;
}

/* ---- a shape that moves ---- */

typedef struct cast_run {
    const abut_world *world;
    abut_body *bodies; /* the moving one first */
    uint32_t *pairs;
    abut_motion **made;
    size_t made_count;
    box_run near;
} cast_run;

static abut_status add_bodies(cast_run *run, bool still)
{
    for (size_t i = 0; i < run->near.ids.count; ++i) {
        const abut_world_slot *slot = &run->world->slots[run->near.ids.items[i]];
        abut_world_motion at;
        if (still && !abut_world_is_still(slot))
            return ABUT_ERR_ARGUMENT;
        const abut_status status = abut_world_motion_of(slot, &run->world->alloc, &at);
        if (status)
            return status;
        run->made[run->made_count++] = at.made;
        run->bodies[i + 1] = (abut_body){ slot->body.shape, at.motion };
        run->pairs[2 * i] = 0;
        run->pairs[2 * i + 1] = (uint32_t)(i + 1);
    }
    return ABUT_OK;
}

static abut_status cast_near(cast_run *run, const abut_first_opts *opts, bool still, abut_set_point *points,
                             size_t capacity, abut_set_result *out)
{
    const abut_allocator *alloc = &run->world->alloc;
    const size_t n = run->near.ids.count;
    abut_body moving = run->bodies[0];
    abut_body *bodies = abut_base_alloc(alloc, n + 1, sizeof *bodies);
    run->pairs = abut_base_alloc(alloc, 2 * n + 1, sizeof *run->pairs);
    run->made = abut_base_alloc(alloc, n + 1, sizeof *run->made);
    abut_status status = ABUT_ERR_MEMORY;
    if (bodies && run->pairs && run->made) {
        bodies[0] = moving;
        run->bodies = bodies;
        status = add_bodies(run, still);
        if (!status)
            status = abut_first_contact_set(bodies, n + 1, run->pairs, n, opts, NULL, points, capacity, out);
    }
    for (size_t i = 0; i < run->made_count; ++i)
        abut_motion_release(run->made[i]);
    for (size_t i = 0; !status && i < out->point_count && i < capacity; ++i) {
        points[i].a = UINT32_MAX;
        points[i].b = run->near.ids.items[points[i].b - 1];
    }
    abut_base_free(alloc, bodies, n + 1, sizeof *bodies);
    abut_base_free(alloc, run->pairs, 2 * n + 1, sizeof *run->pairs);
    abut_base_free(alloc, run->made, n + 1, sizeof *run->made);
    return status;
}

abut_status abut_world_cast_shape(const abut_world *world, const abut_shape *shape, const abut_motion *motion,
                                  const abut_first_opts *opts, abut_set_point *points, size_t capacity,
                                  abut_set_result *out)
{
    if (!out)
        return ABUT_ERR_ARGUMENT;
    *out = (abut_set_result){ .verdict = ABUT_FIRST_UNDECIDED };
    if (!abut_world_is_ready(world) || !shape || !motion || (capacity > 0 && !points))
        return ABUT_ERR_ARGUMENT;
    const bool instant = !(world->time.lo < world->time.hi);
    const abut_interval range = instant ? abut_motion_get_range(motion) : world->time;
    abut_world_query_opts query;
    abut_world_asked asked;
    abut_aabb box;
    abut_world_query_opts_init(&query);
    query.first = opts;
    abut_status status = abut_world_ask(world, &query, &asked);
    if (!status)
        status = abut_shape_world_bounds_over(shape, motion, range, &box);
    const abut_tree *tree = status ? NULL : abut_world_tree(world);
    if (status || !tree)
        return status ? status : ABUT_ERR_MEMORY;
    asked.first.time = range;
    abut_body moving = { shape, motion };
    cast_run run = { .world = world, .bodies = &moving, .near = { .world = world } };
    (void)abut_tree_meeting(tree, &box, box_leaf, &run.near);
    abut_base_sort(run.near.ids.items, run.near.ids.count, sizeof *run.near.ids.items, id_before, NULL);
    status =
        run.near.failed ? ABUT_ERR_MEMORY : cast_near(&run, &asked.first, instant, points, capacity, out);
    ABUT_ARRAY_FREE(&world->alloc, &run.near.ids);
    if (status)
        *out = (abut_set_result){ .stop = ABUT_STOP_DONE };
    return status;
}
