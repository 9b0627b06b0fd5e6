/* SPDX-License-Identifier: MIT */
/* Many bodies: certified boxes, broad phases, and worlds of bodies with queries about all of them.
 * See docs/worlds.md.
 *
 * Threads: a world may be read by many threads at once; whatever changes it, commit included, needs
 * it alone. Options with `threads` start that many for the call (0: one for each processor; then the
 * allocator, callbacks of support shapes and progress must bear calls from any of them; progress
 * comes from the calling thread only). Answers and their order do not depend on it. */
#ifndef ABUT_WORLD_H
#define ABUT_WORLD_H

#include "abut/query.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- boxes ---- */

/* A box that contains the shape where the pose places it (NULL: the identity): certified, and but
 * for rounding the smallest one for convex shapes. Infinite where the shape is. ABUT_ERR_ARGUMENT:
 * the pose is not finite or its quaternion is zero. */
ABUT_API abut_status abut_shape_world_bounds(const abut_shape *shape, const abut_pose *pose, abut_aabb *out);
/* A box that contains the shape throughout that time of a motion (NULL: the identity), which must
 * lie in the motion's range; one instant is a time, too. ABUT_ERR_VALUE: the motion is undefined
 * at some of it. */
ABUT_API abut_status abut_shape_world_bounds_over(const abut_shape *shape, const abut_motion *motion,
                                                  abut_interval time, abut_aabb *out);

/* ---- broad phase: pairs of boxes that meet ---- */

typedef struct abut_box_pair {
    uint32_t a, b; /* indices of boxes, a < b */
} abut_box_pair;

/* How pairs are found. All find the same. AUTO is the batch method, unless of 500 to 32768
 * boxes at most one in 128 moved since last time: then the tree; none moved: nothing is done. */
typedef enum abut_broad_method {
    ABUT_BROAD_AUTO = 0,
    ABUT_BROAD_BATCH, /* a grid in sorted order, from nothing each time */
    ABUT_BROAD_SWEEP, /* persistent sweep and prune along three axes */
    ABUT_BROAD_TREE,  /* a dynamic tree of boxes that are larger by a margin */
    ABUT_BROAD_GRID,  /* a hashed grid */
    ABUT_BROAD_PLANE, /* rectangles in a plane by an interval tree, from nothing each time */
    ABUT_BROAD_COUNT
} abut_broad_method;

/* "auto", "batch", … */
ABUT_API const char *abut_broad_method_name(abut_broad_method method);

typedef struct abut_broad_opts {
    size_t struct_size;
    abut_broad_method method;
    /* more pairs than this are ABUT_ERR_LIMIT; default 0: 2^26 */
    size_t max_pairs;
    int threads; /* of the batch method; default 1; 0: one for each processor */
    /* of the tree: how much larger its boxes are; default 0: from how far boxes move */
    double margin;
    bool sorted; /* pairs ascend by a, then b; default: an order that depends on the boxes only */
} abut_broad_opts;

typedef struct abut_broad abut_broad;

ABUT_API void abut_broad_opts_init(abut_broad_opts *opts);
ABUT_API abut_status abut_broad_create(const abut_broad_opts *opts, const abut_allocator *alloc,
                                       abut_broad **out);
ABUT_API void abut_broad_destroy(abut_broad *broad);
/* All pairs of boxes that have a point in common; closed boxes, so that flush ones do. Empty boxes
 * (lo > hi along an axis, or a NaN) have none. Boxes are compared as they are given, in doubles.
 * *pairs belongs to the broad phase and is valid until the next call. What is known of the last
 * boxes may save work. After an error *pair_count is 0, and the next call starts anew. */
ABUT_API abut_status abut_broad_update(abut_broad *broad, const abut_aabb *boxes, size_t count,
                                       const abut_box_pair **pairs, size_t *pair_count);

/* ---- worlds ---- */

typedef struct abut_world abut_world;

/* Zero-initialised: none. The index of a removed body is used again with another generation. */
typedef struct abut_body_id {
    uint32_t index, generation;
} abut_body_id;

typedef struct abut_world_opts {
    size_t struct_size;
    abut_broad_method broad;
    size_t max_pairs; /* whose boxes meet; more are ABUT_ERR_LIMIT; default 0: 2^26 */
    int threads;      /* of commit; default 1 */
    /* over a range of time: leave out pairs that cannot meet by their relative velocities; default
     * true */
    bool relative;
} abut_world_opts;

/* What a body is in for the broad phase; answers do not depend on it. TIGHT: the smallest box, up to
 * rounding, for convex shapes; large hulls climb to their extreme vertices from those of the last
 * commit. CUBE: one that holds the body however it turns, found from its place alone; looser, and
 * cheaper where a body turns a lot. */
typedef enum abut_box_kind { ABUT_BOX_TIGHT = 0, ABUT_BOX_CUBE } abut_box_kind;

/* A pair of bodies is asked about unless the two have the same group (other than 0), or one's layers
 * are not among the other's mask; abut_world_exclude and abut_world_include override both. */
typedef struct abut_world_body {
    abut_shape *shape;   /* the world keeps a reference */
    abut_motion *motion; /* NULL: the pose; kept likewise */
    abut_pose pose;      /* where there is no motion */
    uint32_t group;      /* default 0: none */
    uint32_t layers;     /* bits; default 1 */
    uint32_t mask;       /* default: all bits */
    abut_box_kind box;   /* default: tight */
    /* default 0: none. The bodies of a chain are one box in the broad phase, with a hierarchy over
     * them; answers do not depend on it. Pays for chains whose boxes seldom meet others */
    uint32_t chain;
    void *user; /* the caller's */
} abut_world_body;

ABUT_API void abut_world_opts_init(abut_world_opts *opts);
ABUT_API abut_status abut_world_create(const abut_world_opts *opts, const abut_allocator *alloc,
                                       abut_world **out);
ABUT_API void abut_world_destroy(abut_world *world);

/* No shape, the identity, the defaults above. */
ABUT_API void abut_world_body_init(abut_world_body *body);

/* Changes. Ids that are not of the world (any more), poses that are not finite, quaternions of
 * zero and missing shapes are ABUT_ERR_ARGUMENT; then, and when memory is out, nothing has changed.
 * Queries answer ABUT_ERR_ARGUMENT until the changes are committed. */
ABUT_API abut_status abut_world_add(abut_world *world, const abut_world_body *body, abut_body_id *id);
ABUT_API abut_status abut_world_remove(abut_world *world, abut_body_id id);
/* A pose in place of whatever pose or motion it had. */
ABUT_API abut_status abut_world_move(abut_world *world, abut_body_id id, const abut_pose *pose);
ABUT_API abut_status abut_world_set_motion(abut_world *world, abut_body_id id, abut_motion *motion);
ABUT_API abut_status abut_world_set_shape(abut_world *world, abut_body_id id, abut_shape *shape);
ABUT_API abut_status abut_world_set_filter(abut_world *world, abut_body_id id, uint32_t group,
                                           uint32_t layers, uint32_t mask);
/* Never, or in any case, whatever groups and masks say, until one of the two is removed. */
ABUT_API abut_status abut_world_exclude(abut_world *world, abut_body_id a, abut_body_id b);
ABUT_API abut_status abut_world_include(abut_world *world, abut_body_id a, abut_body_id b);
/* By groups and masks again. */
ABUT_API abut_status abut_world_reset_pair(abut_world *world, abut_body_id a, abut_body_id b);

ABUT_API size_t abut_world_body_count(const abut_world *world);
ABUT_API bool abut_world_has(const abut_world *world, abut_body_id id);
/* The body of that index, or none: indices are below abut_world_index_end. */
ABUT_API abut_body_id abut_world_id_at(const abut_world *world, uint32_t index);
ABUT_API uint32_t abut_world_index_end(const abut_world *world);
ABUT_API abut_status abut_world_get(const abut_world *world, abut_body_id id, abut_world_body *out);
/* As of the last commit; see there. */
ABUT_API abut_status abut_world_bounds(const abut_world *world, abut_body_id id, abut_aabb *out);

/* Makes the changes count, for that time: an instant (lo == hi) or a range, which the motions of all
 * bodies must cover (ABUT_ERR_ARGUMENT otherwise; ABUT_ERR_VALUE where one is undefined). Finds the
 * boxes, and all pairs whose boxes meet at some of that time, as far as boxes over it and relative
 * velocities tell. After an error the world is as it was
 * before the call: the changes wait, queries answer as before only if there were none. */
ABUT_API abut_status abut_world_commit(abut_world *world, abut_interval time);
/* How many pairs of bodies may meet, by their boxes, groups, masks and exclusions. */
ABUT_API size_t abut_world_pair_count(const abut_world *world);

/* ---- queries about all bodies ---- */

typedef struct abut_world_query_opts {
    size_t struct_size;
    int threads;   /* default 0: one for each processor */
    double within; /* >= 0; pairs no farther apart than this count as well; default 0 */
    bool moving;   /* leave out pairs of two bodies that do not move; default false */
    /* only these pairs, in this order, whatever groups, masks and exclusions say; default NULL */
    const abut_body_id (*pairs)[2];
    size_t pair_count;
    abut_progress_fn progress;
    void *progress_ctx;
    const abut_check_opts *check; /* of each pair; caches and progress are not used; default NULL */
    const abut_first_opts *first; /* of queries over time, likewise; default NULL */
} abut_world_query_opts;

ABUT_API void abut_world_query_opts_init(abut_world_query_opts *opts);

typedef struct abut_world_result {
    size_t candidates; /* pairs that boxes did not dismiss */
    size_t found;      /* those reported */
    size_t failed;     /* of them, those with a status other than ABUT_OK */
    size_t undecided;  /* of them, those that may be or not */
    abut_counters counters;
} abut_world_result;

/* A pair's answer, or why there is none: ABUT_ERR_UNSUPPORTED or ABUT_ERR_VALUE (the result is then
 * empty). Return false to end the query with ABUT_ERR_CANCELLED. */
typedef bool (*abut_world_pair_fn)(void *ctx, abut_body_id a, abut_body_id b, abut_status status,
                                   const abut_check_result *result);

/* Every pair that is not proved separate (farther apart than `within`) at the time committed, the
 * start of a range; ascending by indices, a's below b's, or in the order of `pairs`. All others are
 * proved. */
ABUT_API abut_status abut_world_meeting(const abut_world *world, const abut_world_query_opts *opts,
                                        abut_world_pair_fn found, void *ctx, abut_world_result *out);
/* Every pair of `pairs`, separate or not. */
ABUT_API abut_status abut_world_check_pairs(const abut_world *world, const abut_world_query_opts *opts,
                                            abut_world_pair_fn found, void *ctx, abut_world_result *out);

typedef struct abut_world_nearest_result {
    bool has_pair; /* false: there is no pair */
    abut_body_id a, b;
    abut_status status; /* of the pair, as above */
    abut_check_result check;
    /* encloses the least distance of all pairs, those without an answer included */
    abut_interval distance;
    size_t checked; /* pairs that boxes did not dismiss */
} abut_world_nearest_result;

/* The nearest pair: any of equals, any of those that meet. `within` bounds the search. */
ABUT_API abut_status abut_world_nearest(const abut_world *world, const abut_world_query_opts *opts,
                                        abut_world_nearest_result *out);

/* The first contact among all bodies over the range committed, with all simultaneous contacts, as
 * abut_first_contact_set; a and b of a point are indices. Boxes are taken over as much of the time
 * as needed: where bodies travel far, the time is cut, and nothing is spent on what comes after the
 * first contact. ABUT_ERR_UNSUPPORTED: a pair that may be first has no method; *missing (may be
 * NULL) is one. */
ABUT_API abut_status abut_world_first(const abut_world *world, const abut_world_query_opts *opts,
                                      abut_set_point *points, size_t capacity, abut_set_result *out,
                                      abut_body_id missing[2]);

/* Intervals of contact of a pair; result->count of them. */
typedef bool (*abut_world_intervals_fn)(void *ctx, abut_body_id a, abut_body_id b, abut_status status,
                                        const abut_contact_interval *intervals,
                                        const abut_intervals_result *result);

/* All intervals of contact over the range committed: every pair that has one or may have one, in the
 * same order. With `pairs`: of those, every one. */
ABUT_API abut_status abut_world_intervals(const abut_world *world, const abut_world_query_opts *opts,
                                          abut_world_intervals_fn found, void *ctx, abut_world_result *out);

/* ---- events and contacts, step by step ---- */

typedef enum abut_pair_event {
    ABUT_PAIR_BEGIN = 1, /* the boxes meet, and did not at the commit before */
    ABUT_PAIR_PERSIST,
    ABUT_PAIR_END /* they do not any more, or one of the two was removed (its id is stale) */
} abut_pair_event;

typedef bool (*abut_world_event_fn)(void *ctx, abut_pair_event event, abut_body_id a, abut_body_id b);

/* What the last commit changed in the pairs whose boxes meet: those that are there, ascending, then those
 * that ended. Return false to end it with ABUT_ERR_CANCELLED. */
ABUT_API abut_status abut_world_events(const abut_world *world, abut_world_event_fn event, void *ctx);

/* Numerical, for those who resolve contacts; verdict and proof are those of the pair. */
typedef struct abut_world_contact {
    uint64_t id; /* the same from step to step while the same features (and parts) meet; never 0 */
    abut_vec3 point_a, point_b;
    abut_vec3 normal;  /* unit, from a to b */
    double separation; /* along the normal; below 0: depth; 0 where they penetrate and it is not known */
    abut_contact contact;
} abut_world_contact;

typedef bool (*abut_world_contacts_fn)(void *ctx, abut_body_id a, abut_body_id b,
                                       const abut_check_result *check, const abut_world_contact *contacts,
                                       int count);

/* Contact manifolds of all pairs that touch, penetrate, or come within opts->within, at the instant
 * committed, ascending by indices. What is learnt about each pair is kept for its next time
 * (abut_cache), so the world changes: it needs it alone. Pairs without a method are left out and
 * counted as failed. */
ABUT_API abut_status abut_world_contacts(abut_world *world, const abut_world_query_opts *opts,
                                         abut_world_contacts_fn found, void *ctx, abut_world_result *out);

/* ---- one thing against all bodies ---- */

typedef struct abut_world_neighbour {
    abut_body_id id;
    abut_status status;     /* ABUT_ERR_UNSUPPORTED: known by its box only */
    abut_interval distance; /* [0, 0]: the point is in the body */
} abut_world_neighbour;

/* The k bodies nearest to a point at the instant committed, by the upper ends of their distances,
 * nearest first; *count of them, at most k. No body left out is nearer than the last one's upper end. */
ABUT_API abut_status abut_world_near_point(const abut_world *world, abut_vec3 point, size_t k,
                                           abut_world_neighbour *out, size_t *count);

typedef struct abut_world_hit {
    abut_body_id id;
    abut_ray_hit hit;
} abut_world_hit;

/* Hits of a ray at the instant committed, nearest first, then by index; all of t <= max_t, or with
 * first_only the first one. Writes at most `capacity`, and the number of all to *count. Bodies that rays
 * have no method for are ABUT_ERR_UNSUPPORTED where the ray meets their box before the answer. */
ABUT_API abut_status abut_world_cast_ray(const abut_world *world, abut_vec3 origin, abut_vec3 direction,
                                         double max_t, bool first_only, abut_world_hit *hits, size_t capacity,
                                         size_t *count);

/* Bodies that are not proved separate from a box at the instant committed; b of the callback is none. */
ABUT_API abut_status abut_world_in_box(const abut_world *world, const abut_aabb *box,
                                       abut_world_pair_fn found, void *ctx);

/* The first contact of a shape that moves through the world with its bodies, over the range committed
 * (over the motion's own range, where an instant is committed and all bodies in its way stand still).
 * a of a point is UINT32_MAX, b the index of a body. */
ABUT_API abut_status abut_world_cast_shape(const abut_world *world, const abut_shape *shape,
                                           const abut_motion *motion, const abut_first_opts *opts,
                                           abut_set_point *points, size_t capacity, abut_set_result *out);

/* ---- schedule ---- */

/* A time before which bodies this far apart cannot meet, when they close in at no more than `speed` and
 * accelerate towards each other by no more than `acceleration`: (sqrt(v^2 + 2 a d) - v) / a, d / v
 * without acceleration, infinite when nothing moves. Rounded down. Arguments are not negative. */
ABUT_API double abut_impact_bound(double distance, double speed, double acceleration);

/* Pairs of the commit in the order of their earliest possible impact, from their distance at the start
 * of the range and proved bounds of their speeds over it; those that cannot meet within it are left out.
 * Return false to stop: ABUT_OK then as well. */
typedef bool (*abut_world_impact_fn)(void *ctx, abut_body_id a, abut_body_id b, double earliest);
ABUT_API abut_status abut_world_schedule(const abut_world *world, const abut_world_query_opts *opts,
                                         abut_world_impact_fn next, void *ctx);

#ifdef __cplusplus
}
#endif

#endif
