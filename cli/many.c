/* SPDX-License-Identifier: MIT */
/* Many objects: the world behind a scene, and which pairs it is asked about.
 *
 * Object i of the scene is the body with the index i. Groups, parents and exclusions of the scene are
 * those of the world, so that no list of all pairs is made: a scene of 10^5 objects has 5 10^9. Where
 * the scene or --pair lists pairs, the world is asked about that list. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* ---- groups ---- */

typedef struct group_entry {
    const char *name;
    size_t object;
} group_entry;

static int by_group(const void *a, const void *b)
{
    const group_entry *x = a, *y = b;
    const int order = strcmp(x->name, y->name);
    return order ? order : (x->object > y->object) - (x->object < y->object);
}

/* Numbers from 1 for the groups of objects; 0 where there is none. NULL when memory is out. */
static uint32_t *number_groups(const cli_session *session)
{
    const size_t count = abut_scene_object_count(session->scene);
    uint32_t *numbers = calloc(count + 1, sizeof *numbers);
    group_entry *entries = malloc((count + 1) * sizeof *entries);
    size_t n = 0;
    for (size_t i = 0; entries && i < count; ++i) {
        const char *const name = abut_scene_get_object(session->scene, i).group;
        if (name)
            entries[n++] = (group_entry){ name, i };
    }
    if (entries && n)
        qsort(entries, n, sizeof *entries, by_group);
    uint32_t last = 0;
    for (size_t k = 0; numbers && entries && k < n; ++k) {
        last += k == 0 || strcmp(entries[k].name, entries[k - 1].name) != 0;
        numbers[entries[k].object] = last;
    }
    const bool ok = entries != NULL;
    free(entries);
    if (!ok) {
        free(numbers);
        return NULL;
    }
    return numbers;
}

/* ---- the world ---- */

/* Objects that no listed pair asks about stand anywhere: they may not move at that time at all. */
static bool *find_asked(const cli_session *session)
{
    bool *asked = calloc(abut_scene_object_count(session->scene) + 1, sizeof *asked);
    for (size_t i = 0; asked && i < session->pair_count; ++i)
        asked[session->pairs[i].a] = asked[session->pairs[i].b] = true;
    return asked;
}

static abut_status add_bodies(cli_many *many)
{
    const cli_session *const session = many->session;
    const size_t count = abut_scene_object_count(session->scene);
    uint32_t *const groups = number_groups(session);
    bool *const asked = session->listed ? find_asked(session) : NULL;
    abut_status status = groups && (asked || !session->listed) ? ABUT_OK : ABUT_ERR_MEMORY;
    for (size_t i = 0; i < count && !status; ++i) {
        const abut_scene_object object = abut_scene_get_object(session->scene, i);
        abut_world_body body;
        abut_body_id id;
        abut_world_body_init(&body);
        /* The scene has its own references, and outlives the world. */
        const union {
            const abut_shape *read;
            abut_shape *shape;
        } shape = { object.shape };
        const union {
            const abut_motion *read;
            abut_motion *motion;
        } motion = { object.motion };
        body.shape = shape.shape;
        body.motion = !asked || asked[i] ? motion.motion : NULL;
        body.group = groups[i];
        status = abut_world_add(many->world, &body, &id);
    }
    free(groups);
    free(asked);
    return status;
}

static abut_body_id id_of(const cli_many *many, size_t object)
{
    return abut_world_id_at(many->world, (uint32_t)object);
}

static abut_status add_exclusions(cli_many *many)
{
    const abut_scene *const scene = many->session->scene;
    abut_status status = ABUT_OK;
    for (size_t i = 0; i < abut_scene_object_count(scene) && !status; ++i) {
        const int64_t parent = abut_scene_get_object(scene, i).parent;
        if (parent >= 0)
            status = abut_world_exclude(many->world, id_of(many, i), id_of(many, (size_t)parent));
    }
    for (size_t i = 0; i < abut_scene_excluded_count(scene) && !status; ++i) {
        size_t a, b;
        abut_scene_get_excluded(scene, i, &a, &b);
        status = abut_world_exclude(many->world, id_of(many, a), id_of(many, b));
    }
    return status;
}

static bool is_still(const cli_many *many, size_t object)
{
    const abut_scene_object o = abut_scene_get_object(many->session->scene, object);
    return abut_motion_get_type(o.motion) == ABUT_MOTION_STATIC && !abut_shape_deforms(o.shape);
}

/* ---- how many pairs there are ---- */

static int by_key(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t pair_key(size_t a, size_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static size_t triangle(size_t n)
{
    return n % 2 ? n * ((n - 1) / 2) : n / 2 * (n ? n - 1 : 0);
}

/* Pairs by default of two objects that stand still: all but those of one group, and of the others
 * those of parents and exclusions. False when memory is out. */
static bool count_still(const cli_many *many, size_t *out)
{
    const abut_scene *const scene = many->session->scene;
    const size_t count = abut_scene_object_count(scene), excluded = abut_scene_excluded_count(scene);
    uint32_t *const groups = number_groups(many->session);
    size_t *const members = calloc(count + 1, sizeof *members);
    uint64_t *const keys = malloc((count + excluded + 1) * sizeof *keys);
    const bool ok = groups && members && keys;
    size_t still = 0, n = 0, others = 0;
    for (size_t i = 0; ok && i < count; ++i) {
        const int64_t parent = abut_scene_get_object(scene, i).parent;
        if (!is_still(many, i))
            continue;
        ++still;
        ++members[groups[i]];
        if (parent >= 0 && is_still(many, (size_t)parent) && !(groups[i] && groups[i] == groups[parent]))
            keys[n++] = pair_key(i, (size_t)parent);
    }
    for (size_t i = 0; ok && i < excluded; ++i) {
        size_t a, b;
        abut_scene_get_excluded(scene, i, &a, &b);
        if (is_still(many, a) && is_still(many, b) && !(groups[a] && groups[a] == groups[b]))
            keys[n++] = pair_key(a, b);
    }
    if (ok && n)
        qsort(keys, n, sizeof *keys, by_key);
    for (size_t i = 0; ok && i < n; ++i)
        others += i == 0 || keys[i] != keys[i - 1];
    *out = triangle(still) - others;
    for (size_t g = 1; ok && g <= count; ++g)
        *out -= triangle(members[g]);
    free(groups);
    free(members);
    free(keys);
    return ok;
}

/* Those that the scene or --pair lists. */
static int list_pairs(cli_many *many)
{
    const cli_session *const session = many->session;
    const size_t count = session->pair_count;
    many->list = malloc((count + 1) * sizeof *many->list);
    if (!many->list)
        return cli_out_of_memory();
    for (size_t i = 0; i < count; ++i) {
        const cli_pair pair = session->pairs[i];
        if (CLI_GIVEN(session->args, MOVING) && is_still(many, pair.a) && is_still(many, pair.b))
            continue;
        many->list[many->list_count][0] = id_of(many, pair.a);
        many->list[many->list_count++][1] = id_of(many, pair.b);
    }
    many->considered = many->list_count;
    return CLI_DONE;
}

static int count_pairs(cli_many *many)
{
    many->considered = abut_scene_pair_count(many->session->scene);
    if (CLI_GIVEN(many->session->args, MOVING)) {
        size_t still;
        if (!count_still(many, &still))
            return cli_out_of_memory();
        many->considered -= still;
    }
    return CLI_DONE;
}

int cli_many_open(cli_many *many, cli_session *session, abut_interval time)
{
    abut_world_opts opts;
    *many = (cli_many){ .session = session };
    abut_world_opts_init(&opts);
    opts.threads = (int)session->args->threads;
    abut_status status = abut_world_create(&opts, NULL, &many->world);
    if (!status)
        status = add_bodies(many);
    const bool listed = session->listed;
    if (!status && !listed)
        status = add_exclusions(many);
    if (!status)
        status = abut_world_commit(many->world, time);
    if (status == ABUT_ERR_LIMIT) {
        cli_message("%s: more than %zu pairs of objects may meet: too many to be asked about", session->file,
                    (size_t)1 << 26);
        return CLI_FAILED;
    }
    if (status)
        return cli_session_failed(session, status);
    abut_world_query_opts_init(&many->query);
    many->query.threads = (int)session->args->threads;
    many->query.moving = CLI_GIVEN(session->args, MOVING);
    many->query.first = &session->first;
    if (session->to_terminal) {
        many->query.progress = cli_session_progress_fn;
        many->query.progress_ctx = session;
    }
    session->together = true;
    const int code = listed ? list_pairs(many) : count_pairs(many);
    if (listed) {
        many->query.pairs = (const abut_body_id(*)[2])many->list;
        many->query.pair_count = many->list_count;
    }
    session->considered = many->considered;
    return code;
}

void cli_many_close(cli_many *many)
{
    abut_world_destroy(many->world);
    free(many->list);
    *many = (cli_many){ .session = NULL };
}
