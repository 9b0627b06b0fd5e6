/* SPDX-License-Identifier: MIT */
/* Bodies with surfaces that move, the pairs of them that may meet, and what a query over time
 * finds out about all of them together. */
#ifndef ABUT_CCD_SURFACE_SURFACE_SCENE_H
#define ABUT_CCD_SURFACE_SURFACE_SCENE_H

#include "ccd/surface/surface_cull.h"
#include "ccd/surface/surface_problem.h"

/* About a second of work. */
enum { ABUT_SURFACE_ITERATIONS = 300000 };

typedef struct abut_surface_parts {
    const abut_shape *shape;
    const abut_motion *motion;
    abut_surface surface;
    abut_interval_vec3 *boxes; /* of the features, in the frame of the body, all the time */
    uint8_t *poles;            /* of the features: ABUT_POLE_... */
    abut_cull_body cull;
} abut_surface_parts;

/* Of enclosing it and its motion, as abut_tape_work. */
static inline size_t abut_surface_parts_work(const abut_surface_parts *parts)
{
    return parts->surface.work + (parts->motion ? parts->motion->work : 0);
}

/* Sides of the parameters of a face that are one point with one normal: u is no coordinate
 * there. Sides at which v is lowest, highest, and the same of u. */
enum { ABUT_POLE_V_LO = 1, ABUT_POLE_V_HI = 2, ABUT_POLE_U_LO = 4, ABUT_POLE_U_HI = 8 };

typedef enum abut_surface_start {
    ABUT_START_UNKNOWN = 0,
    ABUT_START_APART,
    ABUT_START_TOUCHING,
    ABUT_START_DEEP
} abut_surface_start;

typedef struct abut_surface_pair {
    uint32_t a, b; /* bodies */
    abut_relative_side sides[2];
    abut_interval time; /* outside of it they are apart */
    abut_surface_start start;
    size_t order; /* for the caller */
} abut_surface_pair;

typedef struct abut_surface_scene {
    abut_surface_parts *bodies;
    size_t body_count;
    abut_surface_pair *pairs;
    size_t pair_count;
    abut_interval range;
    /* what the range is a part of: times are known to parts of this; lo == hi: of the range */
    abut_interval whole;
    /* at the start of the search (its end, when reversed), as the caller has proved */
    bool apart;
    bool reversed; /* the last contact is searched for: problems and the answer are in -t */
} abut_surface_scene;

typedef struct abut_surface_answer {
    abut_first_verdict verdict;
    abut_proof proof;
    abut_stop stop;
    abut_interval time;
    /* in the order of the pairs; kind 0: only the time is known. From the workspace */
    abut_set_point *points;
    size_t *orders; /* of their pairs */
    size_t point_count;
    abut_counters counters;
    /* of the part that was proved soonest to have come into being: a point of it, in the frame of that body,
     * as the world rounds more than it is large then */
    bool born;
    uint32_t born_body;
    abut_vec3 born_at;
} abut_surface_answer;

/* Surface, features' boxes and culling volume of a body. ABUT_ERR_UNSUPPORTED where it has no
 * surface. */
abut_status abut_surface_parts_make(const abut_shape *shape, const abut_motion *motion, abut_interval range,
                                    abut_workspace *ws, abut_surface_parts *out);
/* A pair that its bounds do not dismiss; *possible false where they do. */
abut_status abut_surface_pair_make(abut_surface_scene *scene, uint32_t a, uint32_t b, abut_surface_pair *out,
                                   bool *possible);

/* The problems of all features of a pair that may meet: appends to `problems` and `contexts`
 * from *count on where these are not NULL; *count grows by their number in any case. */
abut_status abut_surface_pair_problems(const abut_surface_scene *scene, const abut_surface_pair *pair,
                                       uint32_t group, const abut_stage *stage, abut_workspace *ws,
                                       abut_problem *problems, abut_contact_problem *contexts, size_t *count);

/* The same for parts of either body that may appear inside the other (vanish, where the scene is
 * reversed): contact without a touch of the surfaces. */
abut_status abut_surface_births(const abut_surface_scene *scene, const abut_surface_pair *pair,
                                uint32_t group, const abut_stage *stage, abut_problem *problems,
                                abut_contact_problem *contexts, size_t *count);
/* Whether all of those can be listed; where not, nothing is known of the pair but what instants
 * show. */
bool abut_surface_births_known(const abut_surface_scene *scene, const abut_surface_pair *pair);
/* abut_surface_meeting for a birth; times after `until` are of no interest. *place: in the frame of what is born. */
double abut_birth_meeting(const abut_contact_problem *p, const abut_solution *solution, abut_interval range,
                          double from, double until, abut_vec3 *place);

/* The first contact of all pairs of the scene. */
abut_status abut_surface_solve(abut_surface_scene *scene, const abut_first_opts *opts, abut_workspace *ws,
                               abut_surface_answer *out);

/* The state of a pair at the beginning of the range. */
abut_surface_start abut_surface_start_of(const abut_surface_scene *scene, const abut_surface_pair *pair,
                                         double t, abut_workspace *ws);

/* One contact as the user sees it; false where there is no finite point. */
bool abut_surface_describe(const abut_contact_problem *p, const abut_solution *solution,
                           abut_first_point *out);

/* A time after `from` at which the two bodies of the problem are proved to meet, searched for at
 * the solution's place; INFINITY where none is found. */
double abut_surface_meeting(const abut_contact_problem *p, const abut_solution *solution, abut_interval range,
                            double from);

/* abut_contact_intervals of surfaces. */
abut_status abut_surface_intervals(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                                   const abut_motion *motion_b, const abut_first_opts *opts,
                                   abut_interval range, abut_workspace *ws, abut_contact_interval *intervals,
                                   size_t capacity, abut_intervals_result *out);
/* abut_first_contact by surfaces, whatever else there is for the pair; `opts` complete. */
abut_status abut_surface_first(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                               const abut_motion *motion_b, const abut_first_opts *opts, abut_interval range,
                               abut_workspace *ws, abut_first_result *out);
/* The options that only surfaces have. */
bool abut_surface_opts_ok(const abut_first_opts *opts);
/* Whether a pair goes this way: at least one of the two has no other. */
bool abut_surface_wanted(const abut_shape *a, const abut_shape *b);

#endif
