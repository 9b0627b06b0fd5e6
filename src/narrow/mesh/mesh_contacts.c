/* SPDX-License-Identifier: MIT */
/* All pairs of triangles that meet, of two meshes or of one with itself.
 *
 * A pair is one number of 64 bits, a above b above how they meet, so that sorting numbers sorts
 * pairs. They gather in the workspace; when twice as many are there as the caller has room for, the
 * greater half goes. Ends of segments are computed for what is handed out only.
 *
 * Surprise: for the kinds of meeting only two bits are left (triangles are fewer than 2^31), and
 * unknown takes the code of none. */
#include "narrow/mesh/mesh.h"

#include "base/options.h"
#include "base/workspace.h"
#include "math/nearest.h"
#include "math/vec3.h"
#include "narrow/mesh/mesh_self.h"

#include <string.h>

void abut_contacts_opts_init(abut_contacts_opts *opts)
{
    if (opts)
        *opts = (abut_contacts_opts){ .struct_size = sizeof *opts };
}

enum { UNKNOWN_CODE = 0, ROOM = 256 };

static uint64_t pack(uint32_t a, uint32_t b, abut_meet meet)
{
    return (uint64_t)a << 33 | (uint64_t)b << 2 | (unsigned)(meet < 0 ? UNKNOWN_CODE : meet);
}

static uint32_t pair_a(uint64_t key)
{
    return (uint32_t)(key >> 33);
}

static uint32_t pair_b(uint64_t key)
{
    return (uint32_t)(key >> 2) & 0x7fffffffu;
}

static abut_meet pair_meet(uint64_t key)
{
    return (key & 3) == UNKNOWN_CODE ? ABUT_MEET_UNKNOWN : (abut_meet)(key & 3);
}

typedef struct listing {
    abut_mesh_pair *pair;
    const abut_contacts_opts *opts;
    abut_workspace *ws;
    bool self;
    size_t capacity;
    uint64_t *keys, *spare;
    size_t count, room;
    size_t met, unknown;
    abut_triangle_contact batch[ABUT_BVH_BATCH];
    size_t batched;
    bool cancelled, no_memory;
} listing;

/* ---- sorting ---- */

static void sort_few(uint64_t *keys, size_t count)
{
    for (size_t i = 1; i < count; ++i) {
        const uint64_t key = keys[i];
        size_t k = i;
        for (; k > 0 && keys[k - 1] > key; --k)
            keys[k] = keys[k - 1];
        keys[k] = key;
    }
}

/* By bytes, least first, leaving out those in which all are equal. */
static void sort_keys(listing *list)
{
    const size_t count = list->count;
    uint64_t differs = 0;
    if (count <= 48) {
        sort_few(list->keys, count);
        return;
    }
    for (size_t i = 1; i < count; ++i)
        differs |= list->keys[i] ^ list->keys[0];
    for (int shift = 0; shift < 64; shift += 8) {
        if ((differs >> shift & 0xff) == 0)
            continue;
        size_t starts[257] = { 0 };
        for (size_t i = 0; i < count; ++i)
            ++starts[(list->keys[i] >> shift & 0xff) + 1];
        for (int i = 1; i < 256; ++i)
            starts[i] += starts[i - 1];
        for (size_t i = 0; i < count; ++i)
            list->spare[starts[list->keys[i] >> shift & 0xff]++] = list->keys[i];
        uint64_t *keys = list->keys;
        list->keys = list->spare;
        list->spare = keys;
    }
}

/* ---- gathering ---- */

static bool grow(listing *list)
{
    const size_t room = list->room ? 2 * list->room : ROOM;
    uint64_t *keys = abut_workspace_take(list->ws, room, sizeof *keys);
    uint64_t *spare = abut_workspace_take(list->ws, room, sizeof *spare);
    if (!keys || !spare)
        return false;
    if (list->count > 0)
        memcpy(keys, list->keys, list->count * sizeof *keys);
    list->keys = keys;
    list->spare = spare;
    list->room = room;
    return true;
}

static bool push(listing *list, uint64_t key)
{
    if (list->capacity == 0)
        return true;
    if (list->count == list->room) {
        if (list->room / 2 >= list->capacity && list->room > 0) {
            sort_keys(list);
            list->count = list->capacity;
        } else if (!grow(list)) {
            list->no_memory = true;
            return false;
        }
    }
    list->keys[list->count++] = key;
    return true;
}

static void set_contact(const listing *list, uint64_t key, abut_triangle_contact *out)
{
    *out = (abut_triangle_contact){ .a = pair_a(key), .b = pair_b(key), .meet = pair_meet(key) };
    if (list->opts->no_segments || out->meet == ABUT_MEET_UNKNOWN)
        return;
    const abut_mesh_pair *pair = list->pair;
    abut_vec3 a[3], b[3];
    abut_mesh_corners(pair->mesh_a, out->a, a);
    abut_mesh_corners(pair->mesh_b, out->b, b);
    abut_triangle_cut(&pair->frame, a, b, out->meet, &out->from, &out->to);
    out->from = abut_affine_apply(&pair->frame.world, out->from);
    out->to = abut_affine_apply(&pair->frame.world, out->to);
}

static bool flush(listing *list)
{
    if (list->batched > 0 &&
        !list->opts->on_contacts(list->opts->on_contacts_ctx, list->batch, list->batched))
        list->cancelled = true;
    list->batched = 0;
    return !list->cancelled;
}

/* False to end the walk. */
static bool add(listing *list, uint32_t a, uint32_t b, abut_meet meet)
{
    const uint64_t key = pack(a, b, meet);
    if (meet == ABUT_MEET_UNKNOWN)
        ++list->unknown;
    else
        ++list->met;
    if (list->opts->on_contacts) {
        set_contact(list, key, &list->batch[list->batched++]);
        if (list->batched == ABUT_BVH_BATCH && !flush(list))
            return false;
    }
    return push(list, key) && !(list->opts->any && meet != ABUT_MEET_UNKNOWN);
}

static bool list_batch(void *ctx, const abut_bvh_pair *pairs, size_t count)
{
    listing *list = ctx;
    for (size_t i = 0; i < count; ++i) {
        const abut_meet meet = abut_mesh_pair_meet(list->pair, pairs[i].a, pairs[i].b);
        if (meet != ABUT_MEET_NONE && !add(list, pairs[i].a, pairs[i].b, meet))
            return false;
    }
    return true;
}

static bool list_self(void *ctx, const abut_bvh_pair *pairs, size_t count)
{
    listing *list = ctx;
    abut_mesh_pair *pair = list->pair;
    for (size_t i = 0; i < count; ++i) {
        abut_vec3 a[3], b[3];
        const uint32_t p = pairs[i].a < pairs[i].b ? pairs[i].a : pairs[i].b,
                       q = pairs[i].a < pairs[i].b ? pairs[i].b : pairs[i].a;
        abut_mesh_corners(pair->mesh_a, p, a);
        abut_mesh_corners(pair->mesh_a, q, b);
        ++pair->counters.triangle_tests;
        const uint32_t *corners = pair->mesh_a->corners;
        if (abut_mesh_self_neighbours(a, b, corners + 3 * (size_t)p, corners + 3 * (size_t)q))
            continue;
        const abut_meet meet = abut_mesh_self_meet(&pair->frame, a, b, &pair->counters.exact);
        if (meet != ABUT_MEET_NONE && !add(list, p, q, meet))
            return false;
    }
    return true;
}

/* ---- the public functions ---- */

static void hand_out(listing *list, abut_triangle_contact *contacts)
{
    sort_keys(list);
    const size_t count = list->count < list->capacity ? list->count : list->capacity;
    for (size_t i = 0; i < count; ++i)
        set_contact(list, list->keys[i], &contacts[i]);
}

static abut_status run(listing *list, abut_triangle_contact *contacts, abut_contacts_result *out)
{
    const abut_workspace_mark mark = abut_workspace_begin(list->ws);
    abut_mesh_pair *pair = list->pair;
    abut_status status = ABUT_OK;
    if (list->self)
        abut_bvh_self(pair->mesh_a->tree, 0, &pair->counters, list_self, list);
    else {
        abut_bvh_walk walk = abut_mesh_pair_walk(pair);
        walk.descent = list->opts->descent;
        walk.front = list->opts->front;
        status = abut_bvh_overlap(&walk, 0, list_batch, list);
    }
    if (!status && list->no_memory)
        status = ABUT_ERR_MEMORY;
    if (!status) {
        (void)flush(list);
        hand_out(list, contacts);
        out->verdict = list->met ? ABUT_TOUCHING : list->unknown ? ABUT_UNDECIDED : ABUT_SEPARATE;
        out->proof = out->verdict == ABUT_UNDECIDED ? ABUT_PROOF_NONE
                     : pair->frame.exact            ? ABUT_PROOF_EXACT
                                                    : ABUT_PROOF_INTERVAL;
        out->stop = list->cancelled ? ABUT_STOP_CANCELLED : ABUT_STOP_DONE;
        out->count = list->met;
        out->unknown = list->unknown;
    }
    out->counters = pair->counters;
    abut_workspace_end(list->ws, mark);
    return status;
}

/* With a workspace of this call's own where the caller has none. */
static abut_status list_all(abut_mesh_pair *pair, bool self, const abut_contacts_opts *opts,
                            abut_workspace *ws, abut_triangle_contact *contacts, size_t capacity,
                            abut_contacts_result *out)
{
    abut_workspace own;
    if (!ws)
        abut_workspace_open(&own, NULL);
    listing list;
    memset(&list, 0, offsetof(listing, batch));
    list.pair = pair;
    list.opts = opts;
    list.ws = ws ? ws : &own;
    list.self = self;
    list.capacity = capacity;
    list.batched = 0;
    list.cancelled = list.no_memory = false;
    const abut_status status = run(&list, contacts, out);
    if (!ws)
        abut_workspace_close(&own);
    return status;
}

static bool read_opts(const abut_contacts_opts *opts, abut_contacts_opts *known,
                      const abut_triangle_contact *contacts, size_t capacity)
{
    abut_contacts_opts_init(known);
    return abut_options_read(known, sizeof *known, opts) && (contacts || capacity == 0) &&
           (unsigned)known->descent <= ABUT_DESCENT_BOTH;
}

static ABUT_MATH_NOINLINE abut_status contacts_of(const abut_shape *a, const abut_stated *at_a,
                                                  const abut_shape *b, const abut_stated *at_b,
                                                  const abut_contacts_opts *opts, abut_workspace *ws,
                                                  abut_triangle_contact *contacts, size_t capacity,
                                                  abut_contacts_result *out)
{
    abut_place place_a, place_b;
    abut_mesh_pair pair;
    if (!at_a->by_motion && abut_mesh_pair_quick(a, at_a->pose, b, at_b->pose, &pair))
        return list_all(&pair, false, opts, ws, contacts, capacity, out);
    abut_status status = abut_place_from_stated(at_a, true, &place_a);
    if (!status)
        status = abut_place_from_stated(at_b, true, &place_b);
    if (status)
        return status;
    const abut_pair places = { a, b, &place_a, &place_b, NULL };
    abut_mesh_pair_set(&places, &pair);
    return list_all(&pair, false, opts, ws, contacts, capacity, out);
}

static abut_status contacts_stated(const abut_shape *a, const abut_stated *at_a, const abut_shape *b,
                                   const abut_stated *at_b, const abut_contacts_opts *opts,
                                   abut_workspace *ws, abut_triangle_contact *contacts, size_t capacity,
                                   abut_contacts_result *out)
{
    abut_contacts_opts known;
    if (!a || !b || !out || !read_opts(opts, &known, contacts, capacity))
        return ABUT_ERR_ARGUMENT;
    *out = (abut_contacts_result){ 0 };
    if (a->type != ABUT_SHAPE_MESH || b->type != ABUT_SHAPE_MESH)
        return ABUT_ERR_UNSUPPORTED;
    const abut_nearest saved = abut_nearest_enter();
    const abut_status status = contacts_of(a, at_a, b, at_b, &known, ws, contacts, capacity, out);
    abut_nearest_leave(saved);
    return status;
}

abut_status abut_contacts(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                          const abut_pose *pose_b, const abut_contacts_opts *opts, abut_workspace *ws,
                          abut_triangle_contact *contacts, size_t capacity, abut_contacts_result *out)
{
    const abut_stated at_a = { .pose = pose_a }, at_b = { .pose = pose_b };
    return contacts_stated(a, &at_a, b, &at_b, opts, ws, contacts, capacity, out);
}

abut_status abut_contacts_at(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                             const abut_motion *motion_b, double t, const abut_contacts_opts *opts,
                             abut_workspace *ws, abut_triangle_contact *contacts, size_t capacity,
                             abut_contacts_result *out)
{
    if (!isfinite(t))
        return ABUT_ERR_ARGUMENT;
    const abut_stated at_a = { .motion = motion_a, .t = t, .by_motion = true },
                      at_b = { .motion = motion_b, .t = t, .by_motion = true };
    return contacts_stated(a, &at_a, b, &at_b, opts, ws, contacts, capacity, out);
}

abut_status abut_self_contacts(const abut_shape *mesh, const abut_contacts_opts *opts, abut_workspace *ws,
                               abut_triangle_contact *contacts, size_t capacity, abut_contacts_result *out)
{
    abut_contacts_opts known;
    if (!mesh || !out || !read_opts(opts, &known, contacts, capacity))
        return ABUT_ERR_ARGUMENT;
    *out = (abut_contacts_result){ 0 };
    if (mesh->type != ABUT_SHAPE_MESH)
        return ABUT_ERR_UNSUPPORTED;
    abut_mesh_pair pair = { .a = mesh, .b = mesh, .mesh_a = &mesh->u.faceted, .mesh_b = &mesh->u.faceted };
    const abut_nearest saved = abut_nearest_enter();
    abut_triangle_frame_identity(abut_mesh_size(mesh), &pair.frame);
    const abut_status status = list_all(&pair, true, &known, ws, contacts, capacity, out);
    abut_nearest_leave(saved);
    return status;
}
