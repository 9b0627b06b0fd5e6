/* SPDX-License-Identifier: MIT */
/* A world inside: bodies in slots, overrides of pairs, and what the last commit found. */
#ifndef ABUT_WORLD_WORLD_H
#define ABUT_WORLD_WORLD_H

#include "abut/world.h"
#include "base/memory.h"
#include "base/workspace.h"
#include "world/bounds.h"
#include "world/broad/tree.h"

#include <pthread.h>

typedef struct abut_world_slot {
    abut_world_body body;
    uint32_t generation; /* of the body that is there, or was last */
    uint32_t committed;  /* that at the last commit; 0: none */
    bool used;
    bool changed;   /* since the last commit */
    bool overrides; /* some pair with it has one */
} abut_world_slot;

/* A pair of the commit before that is no more. */
typedef struct abut_world_ended {
    abut_body_id a, b;
} abut_world_ended;

/* Pairs that are excluded or included: an open hash table. Key 0 is empty, since a < b. */
typedef struct abut_world_override {
    uint64_t key;
    bool include;
} abut_world_override;

typedef struct abut_world_overrides {
    abut_world_override *items;
    size_t count, capacity; /* a power of two */
} abut_world_overrides;

struct abut_world {
    abut_allocator alloc;
    abut_world_opts opts;
    abut_world_slot *slots;
    size_t slot_count, slot_capacity;
    uint32_t *free; /* slots that are not used, the last one first; room for all */
    size_t free_count, free_capacity;
    size_t body_count, chained; /* all, and those of chains */
    abut_world_overrides overrides;
    abut_broad *broad;
    /* of the last commit */
    bool committed, pending;
    abut_interval time;
    abut_aabb *boxes; /* a slot each; empty where there is no body */
    size_t box_count, box_capacity;
    abut_extremes *extremes; /* a slot each, where a body has a use for them; otherwise NULL */
    size_t extremes_capacity;
    abut_pair_list pairs; /* ascending, those that filters leave */
    uint8_t *persists;    /* a pair: was there at the commit before; room for pairs.count */
    size_t persists_count;
    ABUT_ARRAY(abut_world_ended) ended;
    abut_cache *caches; /* a pair, where contacts were asked for; otherwise NULL */
    size_t cache_count;
    /* a tree of the boxes, made by the first query that needs it */
    pthread_mutex_t lock;
    abut_tree tree;
    bool has_tree;
};

static inline uint64_t abut_world_key(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static inline abut_body_id abut_world_id(const abut_world *world, uint32_t index)
{
    return (abut_body_id){ index, world->slots[index].generation };
}

/* May the two be asked about? */
bool abut_world_wants(const abut_world *world, uint32_t a, uint32_t b);
/* Whether a body stands still: a pose, or a static motion. */
bool abut_world_is_still(const abut_world_slot *slot);
/* Is the world committed, without changes since? */
bool abut_world_is_ready(const abut_world *world);
/* The box of a body over a time that its motion covers; `extremes`: see bounds.h. */
abut_status abut_world_box(const abut_world_slot *slot, abut_interval time, abut_extremes *extremes,
                           abut_aabb *out);
/* The tree of the committed boxes; NULL when memory is out. From any thread. */
const abut_tree *abut_world_tree(const abut_world *world);

/* commit.c: frees what became of the pairs. */
void abut_world_drop_history(abut_world *world);

/* meet.c: abut_check or abut_check_at of two bodies at the start of the time committed. */
struct abut_world_asked;
abut_status abut_world_check(const struct abut_world_asked *asked, uint32_t i, uint32_t j, abut_workspace *ws,
                             abut_check_result *out);

/* ask.c: options of queries, candidates, and asking about them on several threads. */
typedef struct abut_world_asked {
    const abut_world *world;
    abut_world_query_opts opts;
    abut_check_opts check;
    abut_first_opts first;
    int threads;
    abut_allocator alloc;
    const abut_box_pair *pairs; /* candidates: slots, in the order of the answers */
    size_t pair_count;
    abut_pair_list own; /* where they are not the world's */
    bool listed;        /* they are the caller's, in either order */
    abut_box_pair *given;
} abut_world_asked;

/* Checks options; ABUT_ERR_ARGUMENT for those that make no sense, for ids that are none and for
 * worlds that are not committed. */
abut_status abut_world_ask(const abut_world *world, const abut_world_query_opts *opts, abut_world_asked *out);
/* Fills the candidates: pairs whose boxes, over the time committed, come within opts.within. */
abut_status abut_world_candidates(abut_world_asked *asked);
/* All that the caller gave, culled or not. */
abut_status abut_world_given(abut_world_asked *asked, bool culled);
void abut_world_asked_clear(abut_world_asked *asked);

/* Answers to candidates i are computed on several threads by `compute` (its results go to item i of
 * a block), then passed on in order by `emit`. Either ends it by a status. `size`: of an item. */
typedef struct abut_world_job {
    size_t count, size;
    int threads;
    const abut_allocator *alloc;
    abut_status (*compute)(void *ctx, size_t index, abut_workspace *ws, void *item);
    abut_status (*emit)(void *ctx, size_t index, void *item);
    void (*drop)(void *ctx, void *item); /* frees what an item holds; may be NULL */
    void *ctx;
    abut_progress_fn progress;
    void *progress_ctx;
} abut_world_job;

/* A job over the candidates of a query, with its threads and its progress. Clears what was asked; after
 * an error *out is 0. `status`: what went wrong before, if anything. */
abut_status abut_world_run_asked(abut_world_asked *asked, abut_status status, abut_world_job job,
                                 abut_world_result *out);

/* Statuses that say something about a pair or a body; others end the query. */
static inline bool abut_world_is_of_pair(abut_status status)
{
    return status == ABUT_ERR_UNSUPPORTED || status == ABUT_ERR_VALUE;
}

static inline void abut_world_count(abut_counters *sum, const abut_counters *more)
{
    sum->iterations += more->iterations;
    sum->evaluations += more->evaluations;
    sum->exact += more->exact;
}

/* May the two be asked about, by filters, overrides and opts.moving? */
bool abut_world_asks(const abut_world_asked *asked, uint32_t a, uint32_t b);

/* The motions of a body for queries that need one: its own, or one made of its pose. */
typedef struct abut_world_motion {
    const abut_motion *motion;
    abut_motion *made;
} abut_world_motion;
abut_status abut_world_motion_of(const abut_world_slot *slot, const abut_allocator *alloc,
                                 abut_world_motion *out);

#endif
