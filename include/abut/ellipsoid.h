/* SPDX-License-Identifier: MIT */
/* Ellipsoids as images of the unit ball under affine maps: the relation of two of them, many pairs at
 * once, motions that run independently, a whole step of characters made of them, and ellipsoids
 * around points and meshes.
 *
 * An affine map x -> linear x + translation represents the ellipsoid that it makes of the unit
 * ball. Any invertible map will do; those that reverse orientation are as good. Ellipsoid and
 * sphere shapes under any motion, `affine` included, are also served by the queries of
 * abut/query.h. */
#ifndef ABUT_ELLIPSOID_H
#define ABUT_ELLIPSOID_H

#include "abut/query.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- two at one instant ---- */

typedef enum abut_ellipsoid_relation {
    /* cannot be with doubles: kept for placements that are only enclosed */
    ABUT_ELLIPSOIDS_UNKNOWN = 0,
    ABUT_ELLIPSOIDS_SEPARATE,
    ABUT_ELLIPSOIDS_TOUCHING, /* from outside, in one point */
    ABUT_ELLIPSOIDS_CROSSING, /* interiors meet, neither is in the other */
    ABUT_ELLIPSOIDS_A_IN_B,   /* a is in b; their boundaries may touch: see `inner_touch` */
    ABUT_ELLIPSOIDS_B_IN_A,
    ABUT_ELLIPSOIDS_EQUAL
} abut_ellipsoid_relation;

typedef struct abut_ellipsoid_result {
    abut_ellipsoid_relation relation;
    bool inner_touch; /* one in the other, and their boundaries touch */
    abut_proof proof;
    /* separate, touching: normal . x <= offset for a, >= offset for b; certified when separate:
     * strictly, for both, and left out where the rounding of the offset leaves none certain */
    bool has_plane;
    abut_vec3 normal;
    double offset;
    /* not separate: a point of both; where their interiors meet it is certified to be inside
     * both, and left out where doubles do not state one that is */
    bool has_point;
    abut_vec3 point;
    abut_counters counters; /* exact: 1 where doubles did not decide */
} abut_ellipsoid_result;

ABUT_API const char *abut_ellipsoid_relation_name(abut_ellipsoid_relation relation);
/* ABUT_ERR_ARGUMENT: not finite, or singular. */
ABUT_API abut_status abut_ellipsoid_relate(const abut_affine *a, const abut_affine *b,
                                           abut_ellipsoid_result *out);
/* The map of a sphere or ellipsoid shape where a motion has it at time t, rounded to doubles.
 * ABUT_ERR_UNSUPPORTED for other shapes. */
ABUT_API abut_status abut_ellipsoid_from_shape(const abut_shape *shape, const abut_motion *motion, double t,
                                               abut_affine *out);

/* ---- many pairs ---- */

/* A set of ellipsoids laid out for testing many pairs of them at once. */
typedef struct abut_ellipsoid_set abut_ellipsoid_set;

ABUT_API abut_status abut_ellipsoid_set_create(size_t count, const abut_allocator *alloc,
                                               abut_ellipsoid_set **out);
ABUT_API void abut_ellipsoid_set_destroy(abut_ellipsoid_set *set);
/* index < count. Sets from the map, or from radii and a pose (cheaper). All are the unit ball at
 * first. */
ABUT_API abut_status abut_ellipsoid_set_map(abut_ellipsoid_set *set, size_t index, const abut_affine *map);
ABUT_API abut_status abut_ellipsoid_set_pose(abut_ellipsoid_set *set, size_t index, abut_vec3 radii,
                                             const abut_pose *pose);
/* pairs: 2 * count indices. verdicts: count of them (abut_verdict), certified like those of
 * abut_ellipsoid_relate, for poses: of the map in doubles that the radii and the pose give. */
ABUT_API abut_status abut_ellipsoid_set_test(const abut_ellipsoid_set *set, const uint32_t *pairs,
                                             size_t count, uint8_t *verdicts, abut_counters *counters);

/* ---- motions that run independently: a where motion_a has it at s, b where motion_b has it at
 * t ---- */

typedef enum abut_cover {
    ABUT_COVER_UNKNOWN = 0, /* not proved within the budget */
    ABUT_COVER_SEPARATE,    /* for these s, a meets b at no t */
    ABUT_COVER_PENETRATING, /* for these s, a penetrates b at every t */
    ABUT_COVER_TOUCHING     /* for these s, a touches b at some t: the covered intervals */
} abut_cover;

typedef struct abut_cover_interval {
    abut_cover cover;
    abut_interval from, to; /* enclosures of its ends */
} abut_cover_interval;

/* of the curve of touching: where a covered interval begins or ends */
typedef struct abut_extreme_point {
    abut_interval s, t, u;
    bool unique; /* proved */
} abut_extreme_point;

typedef struct abut_independent_result {
    abut_proof proof;
    abut_stop stop;
    /* intervals that cover the range of s, of t; may exceed the capacity */
    size_t s_count, t_count;
    size_t s_extremes, t_extremes;
    abut_counters counters;
} abut_independent_result;

typedef struct abut_independent_opts {
    size_t struct_size;
    abut_interval s, t;      /* default: the ranges of the motions */
    double accuracy;         /* goal for the width of the ends; default 0: 1e-9 of the range */
    uint64_t max_iterations; /* default 0: 1000000 */
    abut_progress_fn progress;
    void *progress_ctx;
} abut_independent_opts;

/* "unknown", "separate", "penetrating", "touching". */
ABUT_API const char *abut_cover_name(abut_cover cover);
ABUT_API void abut_independent_opts_init(abut_independent_opts *opts);
/* Sphere and ellipsoid shapes. Arrays may be NULL with capacity 0. */
ABUT_API abut_status abut_independent_contact(const abut_shape *a, const abut_motion *motion_a,
                                              const abut_shape *b, const abut_motion *motion_b,
                                              const abut_independent_opts *opts, abut_workspace *ws,
                                              abut_cover_interval *s_intervals, size_t s_capacity,
                                              abut_cover_interval *t_intervals, size_t t_capacity,
                                              abut_extreme_point *extremes_s, size_t extremes_s_capacity,
                                              abut_extreme_point *extremes_t, size_t extremes_t_capacity,
                                              abut_independent_result *out);

/* When a motion flattens what it moves: *found, and the first stretch of `range` in which its
 * linear part is singular or cannot be distinguished from singular. Queries over time answer
 * ABUT_ERR_VALUE for ellipsoids with such a motion. */
ABUT_API abut_status abut_ellipsoid_find_singular(const abut_motion *motion, const abut_interval *range,
                                                  bool *found, abut_interval *at);

/* ---- a step of two characters: every ellipsoid of one against every one of the other ---- */

/* from one pose to the next: the centre on a line, the rotation as `nlerp` */
typedef struct abut_moving_ellipsoid {
    abut_vec3 radii;
    abut_pose from, to;
} abut_moving_ellipsoid;

typedef struct abut_step_counters {
    uint64_t pairs, sphere_culled, plane_culled, exact; /* pairs = the sum of the other three */
    uint64_t contacts;
} abut_step_counters;

/* Point and normal, from a to b: of the first touch; overlapping: a point of both, and how they
 * would touch if they shrank alike; undecided: zeros where nothing is known. */
typedef struct abut_step_contact {
    uint32_t a, b;
    abut_first_verdict verdict; /* contact, overlapping or undecided */
    abut_interval time;         /* in [0, 1] */
    abut_vec3 point, normal;
} abut_step_contact;

/* All pairs that meet within the step, ascending by a, then b. Writes at most `capacity`; *count
 * is the number of all. */
ABUT_API abut_status abut_ellipsoid_step(const abut_moving_ellipsoid *a, size_t a_count,
                                         const abut_moving_ellipsoid *b, size_t b_count, abut_workspace *ws,
                                         abut_step_contact *contacts, size_t capacity, size_t *count,
                                         abut_step_counters *counters);

/* ---- fitting ---- */

/* The smallest ellipsoid around the points, up to the factor 1 + tolerance in volume (default
 * for 0: 1e-6, at least 1e-12); certified to contain every point. The columns of the map are its
 * semi-axes, longest first, right-handed. Flat sets get a thin one: no semi-axis is less than
 * 1e-9 of the longest, or much less than what doubles can state at that place; a single place
 * gets a ball of an ulp. Thin ellipsoids are larger by what the rounding of the long axis takes
 * of the short one, 1e-7 at worst. ABUT_ERR_LIMIT: larger than doubles are. */
ABUT_API abut_status abut_ellipsoid_fit(const abut_vec3 *points, size_t count, double tolerance,
                                        const abut_allocator *alloc, abut_affine *out, abut_error *error);
/* The smallest ball around the points; certified to contain them, and within 1e-12 of the
 * smallest that has a centre in doubles. */
ABUT_API abut_status abut_sphere_fit(const abut_vec3 *points, size_t count, abut_vec3 *centre, double *radius,
                                     abut_error *error);
/* At most `count` ellipsoids (or balls) around the faces of a mesh or polyhedron: certified that
 * each face is inside one of them whole. Made by parting the mesh where that saves most volume,
 * counted for every face in it. out: room for `count`. */
ABUT_API abut_status abut_ellipsoid_cover_mesh(const abut_shape *mesh, size_t count, bool balls,
                                               const abut_allocator *alloc, abut_affine *out,
                                               size_t *out_count, abut_error *error);

#ifdef __cplusplus
}
#endif

#endif
