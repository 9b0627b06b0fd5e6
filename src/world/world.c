/* SPDX-License-Identifier: MIT */
/* Bodies of a world: adding, changing, removing; which pairs are asked about. */
#include "world/world.h"

#include "base/options.h"
#include "motion/motion.h"
#include "world/broad/aabb.h"

#include <string.h>

void abut_world_opts_init(abut_world_opts *opts)
{
    if (opts)
        *opts = (abut_world_opts){ .struct_size = sizeof *opts, .threads = 1, .relative = true };
}

void abut_world_body_init(abut_world_body *body)
{
    if (body)
        *body = (abut_world_body){ .pose = { { 0, 0, 0 }, { 1, 0, 0, 0 } }, .layers = 1, .mask = UINT32_MAX };
}

abut_status abut_world_create(const abut_world_opts *opts, const abut_allocator *alloc, abut_world **out)
{
    abut_world_opts known;
    if (!out)
        return ABUT_ERR_ARGUMENT;
    *out = NULL;
    abut_world_opts_init(&known);
    if (!abut_options_read(&known, sizeof known, opts))
        return ABUT_ERR_ARGUMENT;
    const abut_allocator own = abut_base_allocator(alloc);
    abut_broad_opts broad;
    abut_broad_opts_init(&broad);
    broad.method = known.broad;
    broad.max_pairs = known.max_pairs;
    broad.threads = known.threads;
    broad.sorted = true;
    abut_world *world = abut_base_alloc_zero(&own, 1, sizeof *world);
    if (!world)
        return ABUT_ERR_MEMORY;
    world->alloc = world->pairs.alloc = own;
    world->opts = known;
    abut_tree_open(&world->tree, &own);
    abut_status status = abut_broad_create(&broad, &own, &world->broad);
    if (!status && pthread_mutex_init(&world->lock, NULL) != 0) {
        abut_broad_destroy(world->broad);
        status = ABUT_ERR_MEMORY;
    }
    if (status) {
        abut_base_free(&own, world, 1, sizeof *world);
        return status;
    }
    *out = world;
    return ABUT_OK;
}

static void drop_body(abut_world_body *body)
{
    abut_shape_release(body->shape);
    abut_motion_release(body->motion);
    body->shape = NULL;
    body->motion = NULL;
}

void abut_world_destroy(abut_world *world)
{
    if (!world)
        return;
    const abut_allocator alloc = world->alloc;
    for (size_t i = 0; i < world->slot_count; ++i)
        if (world->slots[i].used)
            drop_body(&world->slots[i].body);
    abut_base_shrink(&alloc, world->slots, world->slot_capacity, sizeof *world->slots);
    abut_base_shrink(&alloc, world->free, world->free_capacity, sizeof *world->free);
    abut_base_shrink(&alloc, world->boxes, world->box_capacity, sizeof *world->boxes);
    abut_base_shrink(&alloc, world->extremes, world->extremes_capacity, sizeof *world->extremes);
    abut_base_shrink(&alloc, world->overrides.items, world->overrides.capacity,
                     sizeof *world->overrides.items);
    abut_world_drop_history(world);
    abut_pair_list_clear(&world->pairs);
    abut_tree_close(&world->tree);
    abut_broad_destroy(world->broad);
    pthread_mutex_destroy(&world->lock);
    abut_base_free(&alloc, world, 1, sizeof *world);
}

/* ---- ids ---- */

bool abut_world_has(const abut_world *world, abut_body_id id)
{
    return world && id.index < world->slot_count && id.generation != 0 && world->slots[id.index].used &&
           world->slots[id.index].generation == id.generation;
}

static abut_world_slot *slot_of(abut_world *world, abut_body_id id)
{
    return abut_world_has(world, id) ? &world->slots[id.index] : NULL;
}

size_t abut_world_body_count(const abut_world *world)
{
    return world ? world->body_count : 0;
}

uint32_t abut_world_index_end(const abut_world *world)
{
    return world ? (uint32_t)world->slot_count : 0;
}

abut_body_id abut_world_id_at(const abut_world *world, uint32_t index)
{
    const abut_body_id none = { 0, 0 };
    return world && index < world->slot_count && world->slots[index].used ? abut_world_id(world, index)
                                                                          : none;
}

abut_status abut_world_get(const abut_world *world, abut_body_id id, abut_world_body *out)
{
    if (!out || !abut_world_has(world, id))
        return ABUT_ERR_ARGUMENT;
    *out = world->slots[id.index].body;
    return ABUT_OK;
}

bool abut_world_is_ready(const abut_world *world)
{
    return world && world->committed && !world->pending;
}

abut_status abut_world_bounds(const abut_world *world, abut_body_id id, abut_aabb *out)
{
    if (!out || !abut_world_is_ready(world) || !abut_world_has(world, id))
        return ABUT_ERR_ARGUMENT;
    *out = world->boxes[id.index];
    return ABUT_OK;
}

size_t abut_world_pair_count(const abut_world *world)
{
    return abut_world_is_ready(world) ? world->pairs.count : 0;
}

/* ---- changes ---- */

static bool pose_ok(const abut_pose *p)
{
    const abut_quat q = p->rotation;
    return isfinite(p->position.x) && isfinite(p->position.y) && isfinite(p->position.z) && isfinite(q.w) &&
           isfinite(q.x) && isfinite(q.y) && isfinite(q.z) && (q.w != 0 || q.x != 0 || q.y != 0 || q.z != 0);
}

static bool take_slot(abut_world *world, uint32_t *out)
{
    if (world->free_count) {
        *out = world->free[--world->free_count];
        return true;
    }
    /* Room in the list of free slots too: removing must not need memory. */
    if (world->slot_count >= INT32_MAX ||
        !abut_base_grow(&world->alloc, (void **)&world->slots, &world->slot_capacity, world->slot_count, 1,
                        sizeof *world->slots) ||
        !abut_base_grow(&world->alloc, (void **)&world->free, &world->free_capacity, world->slot_count, 1,
                        sizeof *world->free))
        return false;
    world->slots[world->slot_count] = (abut_world_slot){ .generation = 0 };
    *out = (uint32_t)world->slot_count++;
    return true;
}

abut_status abut_world_add(abut_world *world, const abut_world_body *body, abut_body_id *id)
{
    if (id)
        *id = (abut_body_id){ 0, 0 };
    if (!world || !body || !body->shape || !id || (!body->motion && !pose_ok(&body->pose)) ||
        (body->box != ABUT_BOX_TIGHT && body->box != ABUT_BOX_CUBE))
        return ABUT_ERR_ARGUMENT;
    uint32_t index;
    if (!take_slot(world, &index))
        return ABUT_ERR_MEMORY;
    abut_world_slot *slot = &world->slots[index];
    uint32_t generation = slot->generation + 1;
    *slot = (abut_world_slot){ .body = *body,
                               .generation = generation ? generation : 1,
                               .committed = slot->committed,
                               .used = true,
                               .changed = true };
    abut_shape_retain(body->shape);
    abut_motion_retain(body->motion);
    ++world->body_count;
    world->chained += body->chain != 0;
    world->pending = true;
    *id = abut_world_id(world, index);
    return ABUT_OK;
}

static void mark(abut_world *world, abut_world_slot *slot)
{
    slot->changed = true;
    world->pending = true;
}

abut_status abut_world_move(abut_world *world, abut_body_id id, const abut_pose *pose)
{
    abut_world_slot *slot = slot_of(world, id);
    if (!slot || !pose || !pose_ok(pose))
        return ABUT_ERR_ARGUMENT;
    abut_motion_release(slot->body.motion);
    slot->body.motion = NULL;
    slot->body.pose = *pose;
    mark(world, slot);
    return ABUT_OK;
}

abut_status abut_world_set_motion(abut_world *world, abut_body_id id, abut_motion *motion)
{
    abut_world_slot *slot = slot_of(world, id);
    if (!slot || !motion)
        return ABUT_ERR_ARGUMENT;
    abut_motion_retain(motion);
    abut_motion_release(slot->body.motion);
    slot->body.motion = motion;
    mark(world, slot);
    return ABUT_OK;
}

abut_status abut_world_set_shape(abut_world *world, abut_body_id id, abut_shape *shape)
{
    abut_world_slot *slot = slot_of(world, id);
    if (!slot || !shape)
        return ABUT_ERR_ARGUMENT;
    abut_shape_retain(shape);
    abut_shape_release(slot->body.shape);
    slot->body.shape = shape;
    mark(world, slot);
    return ABUT_OK;
}

abut_status abut_world_set_filter(abut_world *world, abut_body_id id, uint32_t group, uint32_t layers,
                                  uint32_t mask)
{
    abut_world_slot *slot = slot_of(world, id);
    if (!slot)
        return ABUT_ERR_ARGUMENT;
    slot->body.group = group;
    slot->body.layers = layers;
    slot->body.mask = mask;
    world->pending = true;
    return ABUT_OK;
}

/* ---- overrides ---- */

static size_t hash_of(uint64_t key, size_t capacity)
{
    key *= 0x9E3779B97F4A7C15u; /* Fibonacci hashing */
    return (size_t)(key >> 32) & (capacity - 1);
}

/* Where the key is, or the empty place where it would be. */
static size_t place_of(const abut_world_overrides *t, uint64_t key)
{
    size_t at = hash_of(key, t->capacity);
    while (t->items[at].key && t->items[at].key != key)
        at = (at + 1) & (t->capacity - 1);
    return at;
}

static bool make_override_room(abut_world *world)
{
    abut_world_overrides *t = &world->overrides;
    if (2 * (t->count + 1) <= t->capacity)
        return true;
    abut_world_overrides larger = { .count = t->count, .capacity = t->capacity ? 2 * t->capacity : 16 };
    larger.items = abut_base_alloc_zero(&world->alloc, larger.capacity, sizeof *larger.items);
    if (!larger.items)
        return false;
    for (size_t i = 0; i < t->capacity; ++i)
        if (t->items[i].key)
            larger.items[place_of(&larger, t->items[i].key)] = t->items[i];
    abut_base_shrink(&world->alloc, t->items, t->capacity, sizeof *t->items);
    *t = larger;
    return true;
}

/* Closes the gap: what follows and would no longer be found moves up. */
static void erase(abut_world_overrides *t, size_t at)
{
    const size_t mask = t->capacity - 1;
    for (size_t next = (at + 1) & mask; t->items[next].key; next = (next + 1) & mask) {
        const size_t home = hash_of(t->items[next].key, t->capacity);
        if (((next - home) & mask) >= ((next - at) & mask)) {
            t->items[at] = t->items[next];
            at = next;
        }
    }
    t->items[at].key = 0;
    --t->count;
}

static abut_status override(abut_world *world, abut_body_id a, abut_body_id b, bool include)
{
    if (!abut_world_has(world, a) || !abut_world_has(world, b) || a.index == b.index)
        return ABUT_ERR_ARGUMENT;
    if (!make_override_room(world))
        return ABUT_ERR_MEMORY;
    const uint64_t key = abut_world_key(a.index, b.index);
    abut_world_override *item = &world->overrides.items[place_of(&world->overrides, key)];
    world->overrides.count += item->key == 0;
    *item = (abut_world_override){ key, include };
    world->slots[a.index].overrides = world->slots[b.index].overrides = true;
    world->pending = true;
    return ABUT_OK;
}

abut_status abut_world_exclude(abut_world *world, abut_body_id a, abut_body_id b)
{
    return override(world, a, b, false);
}

abut_status abut_world_include(abut_world *world, abut_body_id a, abut_body_id b)
{
    return override(world, a, b, true);
}

abut_status abut_world_reset_pair(abut_world *world, abut_body_id a, abut_body_id b)
{
    if (!abut_world_has(world, a) || !abut_world_has(world, b) || a.index == b.index)
        return ABUT_ERR_ARGUMENT;
    if (world->overrides.capacity == 0)
        return ABUT_OK;
    const size_t at = place_of(&world->overrides, abut_world_key(a.index, b.index));
    if (world->overrides.items[at].key)
        erase(&world->overrides, at);
    world->pending = true;
    return ABUT_OK;
}

/* Erasing moves others into the place, so that it is examined again. */
static void forget_overrides(abut_world_overrides *t, uint32_t index)
{
    for (size_t i = 0; i < t->capacity;)
        if (t->items[i].key && (t->items[i].key >> 32 == index || (uint32_t)t->items[i].key == index)) {
            erase(t, i);
            i = i > 0 ? i - 1 : 0;
        } else {
            ++i;
        }
}

abut_status abut_world_remove(abut_world *world, abut_body_id id)
{
    abut_world_slot *slot = slot_of(world, id);
    if (!slot)
        return ABUT_ERR_ARGUMENT;
    if (slot->overrides)
        forget_overrides(&world->overrides, id.index);
    drop_body(&slot->body);
    world->chained -= slot->body.chain != 0;
    slot->used = slot->overrides = false;
    slot->changed = true;
    world->free[world->free_count++] = id.index;
    --world->body_count;
    world->pending = true;
    return ABUT_OK;
}

bool abut_world_wants(const abut_world *world, uint32_t a, uint32_t b)
{
    const abut_world_slot *x = &world->slots[a], *y = &world->slots[b];
    if (x->overrides && y->overrides) {
        const abut_world_override *item =
            &world->overrides.items[place_of(&world->overrides, abut_world_key(a, b))];
        if (item->key)
            return item->include;
    }
    const abut_world_body *p = &x->body, *q = &y->body;
    return !(p->group && p->group == q->group) && (p->layers & q->mask) && (q->layers & p->mask);
}

bool abut_world_is_still(const abut_world_slot *slot)
{
    const abut_world_body *b = &slot->body;
    return (!b->motion || b->motion->type == ABUT_MOTION_STATIC) && !abut_shape_deforms(b->shape);
}
