/* SPDX-License-Identifier: MIT */
/* Motions: where a shape is at each time. Immutable, reference-counted, shared between threads.
 * Each can be evaluated at a time (plain doubles) and enclosed over an interval of time
 * (certified). Times outside the motion's range are an argument error. */
#ifndef ABUT_MOTION_H
#define ABUT_MOTION_H

#include "abut/interval.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A rotation as the user states it. Kept that way, because the sine of 30 degrees is exactly a
 * half and no quaternion of doubles says so: enclosures are of the rotation stated, not of one
 * rounded on the way in. */
typedef enum abut_rotation_kind {
    ABUT_ROTATION_IDENTITY = 0,
    ABUT_ROTATION_QUATERNION, /* any non-zero quaternion; means q / |q| */
    ABUT_ROTATION_RADIANS,    /* about `axis` (any length but 0) by `angle` */
    ABUT_ROTATION_DEGREES
} abut_rotation_kind;

typedef struct abut_rotation {
    abut_rotation_kind kind;
    abut_quat quaternion;
    abut_vec3 axis;
    double angle;
} abut_rotation;

/* Zero-initialised: the identity. */
typedef struct abut_placement {
    abut_vec3 position;
    abut_rotation rotation;
} abut_placement;

ABUT_API abut_placement abut_placement_from_pose(abut_pose pose);
ABUT_API abut_pose abut_placement_to_pose(const abut_placement *placement);

#define ABUT_MOTION_LIST(X)     \
    X(STATIC, "static")         \
    X(LINEAR, "linear")         \
    X(VELOCITY, "velocity")     \
    X(SCREW, "screw")           \
    X(NLERP, "nlerp")           \
    X(CHEBYSHEV, "chebyshev")   \
    X(AFFINE, "affine")         \
    X(EXPRESSION, "expression") \
    X(KEYFRAMES, "keyframes")   \
    X(CHAIN, "chain")           \
    X(VERTICES, "vertices")

typedef enum abut_motion_type {
    ABUT_MOTION_NONE = 0,
#define ABUT_MOTION_ENUM(name, text) ABUT_MOTION_##name,
    ABUT_MOTION_LIST(ABUT_MOTION_ENUM)
#undef ABUT_MOTION_ENUM
        ABUT_MOTION_TYPE_COUNT
} abut_motion_type;

typedef struct abut_motion abut_motion;

/* In all creators: finite numbers, t0 < t1. A static motion lasts for ever. */
ABUT_API abut_status abut_motion_create_static(const abut_placement *at, const abut_allocator *alloc,
                                               abut_motion **out, abut_error *error);
ABUT_API abut_status abut_motion_create_static_affine(const abut_affine *at, const abut_allocator *alloc,
                                                      abut_motion **out, abut_error *error);
/* The origin moves at constant velocity, the rotation at constant angular velocity about one
 * axis, the shorter way. Half a turn, where both ways are as long, goes the way it is stated: by
 * +180 degrees about the axis given for +180, and from quaternion p to quaternion q, not to -q.
 * Turns that differ from half a turn by less than the rounding of their quaternions (2^-97 or
 * so) count as half a turn. The same holds for screw, nlerp and keyframes. */
ABUT_API abut_status abut_motion_create_linear(double t0, double t1, const abut_placement *from,
                                               const abut_placement *to, const abut_allocator *alloc,
                                               abut_motion **out, abut_error *error);
/* Placement at t0, then constant linear and angular velocity (world axes, radians per unit of
 * time). */
ABUT_API abut_status abut_motion_create_velocity(double t0, double t1, const abut_placement *at_t0,
                                                 abut_vec3 linear, abut_vec3 angular,
                                                 const abut_allocator *alloc, abut_motion **out,
                                                 abut_error *error);
/* The screw that joins the two placements: rotation about a fixed axis in space, the shorter
 * way, and translation along it; a translation when the rotations are equal. */
ABUT_API abut_status abut_motion_create_screw(double t0, double t1, const abut_placement *from,
                                              const abut_placement *to, const abut_allocator *alloc,
                                              abut_motion **out, abut_error *error);
/* Linear position, normalised linear interpolation of the quaternions, the shorter way. */
ABUT_API abut_status abut_motion_create_nlerp(double t0, double t1, const abut_placement *from,
                                              const abut_placement *to, const abut_allocator *alloc,
                                              abut_motion **out, abut_error *error);

/* Series c[0]/2 + c[1] T1(s) + c[2] T2(s) + ..., s = -1 at t0, +1 at t1. A list may be empty
 * (zero). The quaternion (order w, x, y, z) is normalised; all four lists empty is the identity.
 * An error when the quaternion comes close to zero within the range, so that no direction can be
 * proved. At most 64 coefficients a list. */
typedef struct abut_series {
    const double *c;
    size_t count;
} abut_series;

ABUT_API abut_status abut_motion_create_chebyshev(double t0, double t1, const abut_series position[3],
                                                  const abut_series quaternion[4],
                                                  const abut_allocator *alloc, abut_motion **out,
                                                  abut_error *error);
/* Bernstein coefficients of an affine map of degree matrix_count - 1 (0 to 15). */
ABUT_API abut_status abut_motion_create_affine(double t0, double t1, const abut_affine *matrices,
                                               size_t matrix_count, const abut_allocator *alloc,
                                               abut_motion **out, abut_error *error);

typedef struct abut_keyframe {
    double t;
    abut_placement at;
} abut_keyframe;

/* `linear` from key to key; times strictly increasing, at least two keys. */
ABUT_API abut_status abut_motion_create_keyframes(const abut_keyframe *keys, size_t key_count,
                                                  const abut_allocator *alloc, abut_motion **out,
                                                  abut_error *error);
/* Any path: expressions in t for the position and for the angle (radians) about a fixed axis;
 * `radians` NULL keeps the rotation at the identity. Where an expression is undefined or not
 * finite, values and enclosures answer ABUT_ERR_VALUE, and where its derivative is, velocities
 * do; so do queries over such times. At a kink (abs, min, max) the velocity is enclosed by those
 * of both sides. */
ABUT_API abut_status abut_motion_create_expression(double t0, double t1, const char *const position[3],
                                                   abut_vec3 axis, const char *radians,
                                                   const abut_allocator *alloc, abut_motion **out,
                                                   abut_error *error);
/* links[0] in the world, links[i] relative to links[i-1]; the chain places what hangs on the
 * last link. Its range is the common range of its links, which must be more than a point. Links
 * gain a reference; at most 1024, those of links that are chains included. A motion of vertices may
 * only be the last link; the result is then one, carried by the others, which must be rigid. */
ABUT_API abut_status abut_motion_create_chain(abut_motion *const *links, size_t link_count,
                                              const abut_allocator *alloc, abut_motion **out,
                                              abut_error *error);

/* Where all vertices of a mesh are at a time. */
typedef struct abut_vertex_key {
    double t;
    const abut_vec3 *vertices;
    size_t vertex_count;
} abut_vertex_key;

/* Each vertex of a mesh moves on a straight line at constant speed from key to key, in exact
 * arithmetic; times strictly increasing, at least two keys, all with the same number of vertices.
 * Positions are copied, and are those in the world. For meshes that are surfaces and have as many
 * vertices, in abut_first_contact, abut_contact_intervals, abut_check_at with meshes that deform,
 * rest or translate (abut/deform.h); nothing else can place such a body. */
ABUT_API abut_status abut_motion_create_vertices(const abut_vertex_key *keys, size_t key_count,
                                                 const abut_allocator *alloc, abut_motion **out,
                                                 abut_error *error);

ABUT_API abut_motion *abut_motion_retain(abut_motion *motion);
ABUT_API void abut_motion_release(abut_motion *motion);

ABUT_API abut_motion_type abut_motion_get_type(const abut_motion *motion);
ABUT_API const char *abut_motion_type_name(abut_motion_type type);
/* Infinite ends for a static motion. */
ABUT_API abut_interval abut_motion_get_range(const abut_motion *motion);
/* Rotation and translation only, at all times. */
ABUT_API bool abut_motion_is_rigid(const abut_motion *motion);

/* ABUT_OK where the position and rotation are defined throughout that time; ABUT_ERR_VALUE where
 * they are not, with the expression and the earliest time in the error. Only motions by
 * expressions, and chains with one, are undefined anywhere. */
ABUT_API abut_status abut_motion_defined_over(const abut_motion *motion, abut_interval time,
                                              abut_error *error);

/* Plain doubles. The velocity is the time derivative of the placement, entry by entry: a point p
 * of the body moves at linear p + translation. At a key of `keyframes` it is that of the segment
 * that begins there (at the last key: ends). */
ABUT_API abut_status abut_motion_at(const abut_motion *motion, double t, abut_affine *out);
ABUT_API abut_status abut_motion_velocity_at(const abut_motion *motion, double t, abut_affine *out);

/* Certified: for every time in t, the true placement (velocity) lies in `out`. The width goes to
 * zero linearly with that of t, and a point t gives an enclosure a few ulp wide. Across keys,
 * and at a point t that is a key, the velocity is the hull of both sides; at an end of t that is
 * a key, the side within t counts. */
ABUT_API abut_status abut_motion_enclose(const abut_motion *motion, abut_interval t,
                                         abut_interval_affine *out);
ABUT_API abut_status abut_motion_enclose_velocity(const abut_motion *motion, abut_interval t,
                                                  abut_interval_affine *out);
/* Certified: no point of the body within `radius` of its origin is further at one time of t than
 * `out` from where it was at another; and none moves faster than `speed`. Either may be NULL. */
ABUT_API abut_status abut_motion_travel_bound(const abut_motion *motion, abut_interval t, double radius,
                                              double *out, double *speed);

#ifdef __cplusplus
}
#endif

#endif
