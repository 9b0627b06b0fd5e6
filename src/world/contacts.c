/* SPDX-License-Identifier: MIT */
/* Step by step: events of pairs, and contact manifolds of all pairs with what is remembered of each
 * pair from the step before. */
#include "world/world.h"

#include "base/heap.h"
#include "math/vec3.h"
#include "world/broad/aabb.h"

#include <math.h>

abut_status abut_world_events(const abut_world *world, abut_world_event_fn event, void *ctx)
{
    if (!abut_world_is_ready(world) || !event)
        return ABUT_ERR_ARGUMENT;
    for (size_t i = 0; i < world->pairs.count; ++i) {
        const abut_box_pair p = world->pairs.items[i];
        if (!event(ctx, world->persists[i] ? ABUT_PAIR_PERSIST : ABUT_PAIR_BEGIN, abut_world_id(world, p.a),
                   abut_world_id(world, p.b)))
            return ABUT_ERR_CANCELLED;
    }
    for (size_t i = 0; i < world->ended.count; ++i)
        if (!event(ctx, ABUT_PAIR_END, world->ended.items[i].a, world->ended.items[i].b))
            return ABUT_ERR_CANCELLED;
    return ABUT_OK;
}

/* ---- manifolds ---- */

typedef struct contacts_run {
    abut_world_asked asked;
    abut_cache *caches; /* of the world's pairs, or NULL: other pairs are asked about */
    abut_world_contacts_fn found;
    void *ctx;
    abut_world_result *out;
} contacts_run;

typedef struct contacts_item {
    abut_status status;
    abut_check_result check;
} contacts_item;

static abut_status compute(void *ctx, size_t index, abut_workspace *ws, void *into)
{
    const contacts_run *run = ctx;
    contacts_item *item = into;
    abut_world_asked asked = run->asked;
    asked.check.cache = run->caches ? &run->caches[index] : NULL;
    item->status =
        abut_world_check(&asked, run->asked.pairs[index].a, run->asked.pairs[index].b, ws, &item->check);
    return abut_world_is_of_pair(item->status) ? ABUT_OK : item->status;
}

/* From the features that meet: FNV-1a over their numbers. */
static uint64_t contact_id(abut_body_id a, abut_body_id b, const abut_contact *c)
{
    const uint64_t words[] = { (uint64_t)a.index << 32 | a.generation,
                               (uint64_t)b.index << 32 | b.generation,
                               (uint64_t)c->features[0] << 32 | (uint64_t)c->features[1],
                               (uint64_t)c->ids[0],
                               (uint64_t)c->ids[1],
                               (uint64_t)(uint32_t)c->parts[0] << 32 | (uint32_t)c->parts[1] };
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        for (int k = 0; k < 64; k += 8)
            hash = (hash ^ (words[i] >> k & 0xff)) * 0x100000001b3u;
    return hash ? hash : 1;
}

static int make_contacts(abut_body_id a, abut_body_id b, const abut_check_result *r, abut_world_contact *out)
{
    int count = 0;
    const bool deep = r->verdict == ABUT_PENETRATING;
    const double separation = deep ? (r->has_depth ? -(0.5 * r->depth.lo + 0.5 * r->depth.hi) : 0)
                                   : 0.5 * r->distance.lo + 0.5 * r->distance.hi;
    for (; count < r->contact_count; ++count) {
        const abut_contact *c = &r->contacts[count];
        out[count] = (abut_world_contact){ .id = contact_id(a, b, c),
                                           .point_a = abut_madd(c->point, -0.5 * separation, c->normal),
                                           .point_b = abut_madd(c->point, 0.5 * separation, c->normal),
                                           .normal = c->normal,
                                           .separation = separation,
                                           .contact = *c };
    }
    if (!count && r->has_points && r->has_normal) { /* apart, or known by its nearest points alone */
        const abut_contact none = { .point = r->point_a, .normal = r->normal, .ids = { -1, -1 } };
        out[count++] = (abut_world_contact){ .id = contact_id(a, b, &none),
                                             .point_a = r->point_a,
                                             .point_b = r->point_b,
                                             .normal = r->normal,
                                             .separation = separation,
                                             .contact = none };
    }
    return count;
}

static abut_status emit(void *ctx, size_t index, void *from)
{
    const contacts_run *run = ctx;
    const contacts_item *item = from;
    const abut_box_pair pair = run->asked.pairs[index];
    const abut_check_result *r = &item->check;
    if (item->status) {
        ++run->out->failed;
        return ABUT_OK;
    }
    abut_world_count(&run->out->counters, &r->counters);
    run->out->undecided += r->verdict == ABUT_UNDECIDED;
    if (r->verdict == ABUT_UNDECIDED ||
        (r->verdict == ABUT_SEPARATE &&
         !(r->distance.lo <= run->asked.opts.within && run->asked.opts.within > 0)))
        return ABUT_OK;
    abut_world_contact contacts[ABUT_CHECK_CONTACTS];
    const abut_body_id a = abut_world_id(run->asked.world, pair.a),
                       b = abut_world_id(run->asked.world, pair.b);
    const int count = make_contacts(a, b, r, contacts);
    ++run->out->found;
    return !run->found || run->found(run->ctx, a, b, r, contacts, count) ? ABUT_OK : ABUT_ERR_CANCELLED;
}

/* Caches for the world's own pairs, from the first time on. */
static bool make_caches(abut_world *world)
{
    if (world->caches)
        return true;
    world->caches = abut_base_alloc_zero(&world->alloc, world->pairs.count, sizeof *world->caches);
    world->cache_count = world->pairs.count;
    return world->caches != NULL;
}

abut_status abut_world_contacts(abut_world *world, const abut_world_query_opts *opts,
                                abut_world_contacts_fn found, void *ctx, abut_world_result *out)
{
    abut_world_result unwanted;
    contacts_run run = { .found = found, .ctx = ctx, .out = out ? out : &unwanted };
    *run.out = (abut_world_result){ 0 };
    abut_status status = abut_world_ask(world, opts, &run.asked);
    if (status)
        return status;
    status = abut_world_candidates(&run.asked);
    if (!status && run.asked.pairs == world->pairs.items) {
        if (make_caches(world))
            run.caches = world->caches;
        else
            status = ABUT_ERR_MEMORY;
    }
    const abut_world_job job = {
        .size = sizeof(contacts_item), .compute = compute, .emit = emit, .ctx = &run
    };
    return abut_world_run_asked(&run.asked, status, job, run.out);
}

/* ---- schedule ---- */

double abut_impact_bound(double distance, double speed, double acceleration)
{
    if (!(distance > 0))
        return 0;
    if (!(speed > 0) && !(acceleration > 0))
        return INFINITY;
    /* 2 d / (v + sqrt(v^2 + 2 a d)): no difference of nearly equal numbers, and d / v for a = 0. Sizes
     * whose squares leave the range of doubles are shrunk first: bounds scale as lengths do. */
    const double size = fmax(speed, fmax(distance, acceleration));
    const double s = size > 0x1p400 || size < 0x1p-400 ? exp2(-floor(log2(size))) : 1;
    const double v = speed * s, a = acceleration * s, d = distance * s;
    const double bound = 2 * d / (v + sqrt(v * v + 2 * a * d));
    return bound * (1 - 0x1p-49);
}

typedef struct impact {
    double at;
    abut_box_pair pair;
} impact;

static bool impact_before(const impact *x, const impact *y)
{
    return x->at != y->at ? x->at < y->at
                          : abut_world_key(x->pair.a, x->pair.b) < abut_world_key(y->pair.a, y->pair.b);
}

ABUT_HEAP(heap, impact, impact_before)

/* A bound of the speed of any point of the body over the time. */
static double speed_of(const abut_world_slot *slot, abut_interval time)
{
    const abut_aabb b = abut_shape_bounds(slot->body.shape);
    const double reach = hypot(hypot(fmax(fabs(b.lo.x), fabs(b.hi.x)), fmax(fabs(b.lo.y), fabs(b.hi.y))),
                               fmax(fabs(b.lo.z), fabs(b.hi.z))) *
                         (1 + 0x1p-48);
    double speed = INFINITY;
    if (abut_world_is_still(slot))
        return 0;
    if (!isfinite(reach) || abut_shape_deforms(slot->body.shape) ||
        abut_motion_travel_bound(slot->body.motion, time, reach, NULL, &speed) != ABUT_OK)
        return INFINITY;
    return speed;
}

static abut_status find_impacts(abut_world_asked *asked, impact *impacts, size_t *count)
{
    const abut_world *world = asked->world;
    abut_workspace ws;
    abut_workspace_open(&ws, &asked->alloc);
    abut_status status = ABUT_OK;
    *count = 0;
    for (size_t i = 0; i < asked->pair_count && !status; ++i) {
        const abut_box_pair p = asked->pairs[i];
        const double va = speed_of(&world->slots[p.a], world->time),
                     vb = speed_of(&world->slots[p.b], world->time);
        const double speed = (va + vb) * (1 + 0x1p-50);
        abut_check_result r;
        status = abut_world_check(asked, p.a, p.b, &ws, &r);
        double distance = r.distance.lo;
        if (abut_world_is_of_pair(status)) {
            status = ABUT_OK;
            distance = 0;
        }
        const double wait = isinf(speed) ? 0 : abut_impact_bound(distance, speed, 0);
        const double at = nextafter(world->time.lo + wait, -INFINITY);
        if (!status && (wait == 0 || at <= world->time.hi))
            heap_push(impacts, count, &(impact){ wait == 0 ? world->time.lo : fmax(at, world->time.lo), p });
    }
    abut_workspace_close(&ws);
    return status;
}

abut_status abut_world_schedule(const abut_world *world, const abut_world_query_opts *opts,
                                abut_world_impact_fn next, void *ctx)
{
    abut_world_asked asked;
    abut_status status = abut_world_ask(world, opts, &asked);
    if (status || !next)
        return status ? status : ABUT_ERR_ARGUMENT;
    status = abut_world_candidates(&asked);
    const size_t room = asked.pair_count;
    impact *impacts = NULL;
    size_t count = 0;
    if (!status) {
        impacts = abut_base_alloc(&asked.alloc, room, sizeof *impacts);
        status = impacts ? find_impacts(&asked, impacts, &count) : ABUT_ERR_MEMORY;
    }
    while (!status && count > 0) {
        const impact first = heap_pop(impacts, &count);
        if (!next(ctx, abut_world_id(world, first.pair.a), abut_world_id(world, first.pair.b), first.at))
            break;
    }
    if (impacts)
        abut_base_free(&asked.alloc, impacts, room, sizeof *impacts);
    abut_world_asked_clear(&asked);
    return status;
}
