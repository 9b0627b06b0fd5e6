/* SPDX-License-Identifier: MIT */
/* The motion object inside the library: what each type of motion provides, and what the modules to
 * the right need beyond the public interface (smooth pieces, origins that move on exact straight
 * lines).
 *
 * Functions marked "kernel" use interval operations and run between abut_rounding_enter and
 * abut_rounding_leave. */
#ifndef ABUT_MOTION_MOTION_H
#define ABUT_MOTION_MOTION_H

#include "abut/motion.h"
#include "interval/ia3.h"

#include <stdatomic.h>

/* While the time runs over [t0, t1] the origin is at
 *     from + (t - t0) / (t1 - t0) (to - from)     by_rate false
 *     from + (t - t0) rate                        by_rate true
 * exactly, with the doubles the user gave. The other field is rounded. A static motion has from
 * = to, rate = 0 and infinite t0, t1. */
typedef struct abut_motion_line {
    double t0, t1;
    abut_vec3 from, to, rate;
    bool by_rate;
} abut_motion_line;

struct abut_shape;
struct abut_check_opts;
struct abut_check_result;
struct abut_workspace;

typedef struct abut_motion_ops {
    abut_status (*at)(const abut_motion *motion, double t, abut_affine *out);
    /* NULL: cannot */
    abut_status (*velocity_at)(const abut_motion *motion, double t, abut_affine *out);
    /* Kernels. t lies in the range; NULL: cannot. */
    void (*enclose)(const abut_motion *motion, ia t, ia_affine *out);
    void (*enclose_velocity)(const abut_motion *motion, ia t, ia_affine *out);
    /* Kernel; rigid motions: a bound of the angular speed over t. NULL: taken from the velocity. */
    double (*angular_speed)(const abut_motion *motion, ia t);
    /* The first key after t (t1 where there is none). NULL: there are no keys. */
    double (*next_break)(const abut_motion *motion, double t);
    /* The line that holds at t, on to the next key; false where the origin moves otherwise.
     * NULL: always otherwise. */
    bool (*line)(const abut_motion *motion, double t, abut_motion_line *out);
    /* The leg that holds at t; at a key, the one that begins there. NULL: it is not made of
     * legs. */
    const struct abut_leg *(*leg)(const abut_motion *motion, double t);
    /* abut_motion_defined_over. NULL: always. */
    abut_status (*defined_over)(const abut_motion *motion, abut_interval time, abut_error *error);
    /* Frees what the motion holds and the motion itself. */
    void (*destroy)(abut_motion *motion);
    /* What places no body as a whole can only be the last link of a chain: the same on a carrier,
     * which is rigid. NULL: a link as others are. */
    abut_status (*carry)(abut_motion *motion, abut_motion *carrier, const abut_allocator *alloc,
                         abut_motion **out, abut_error *error);
    /* The motion of its frame, for what hangs on it; NULL: the world. */
    abut_motion *(*frame)(const abut_motion *motion);
    /* abut_check_at where one of the motions is no placement of a body as a whole. NULL: it is. */
    abut_status (*check)(const struct abut_shape *a, const abut_motion *motion_a, const struct abut_shape *b,
                         const abut_motion *motion_b, double t, const struct abut_check_opts *opts,
                         struct abut_workspace *ws, struct abut_check_result *out);
    /* Of a motion that moves the vertices of a mesh one by one; NULL for others. The mesh as it is at t,
     * and how far its vertices may be off; how far none of them is from the origin of the world over t;
     * how far none gets; a kernel: where one of them is over t. */
    abut_status (*image)(const abut_motion *motion, const struct abut_shape *mesh, double t,
                         struct abut_shape **out, double *off);
    double (*reach)(const abut_motion *motion, abut_interval t);
    double (*travel)(const abut_motion *motion, abut_interval t);
    bool (*vertex_over)(const abut_motion *motion, size_t vertex, ia t, ia3 *out);
} abut_motion_ops;

/* A motion whose origin moves on one line at constant velocity over its whole range, in doubles
 * with bounds of what they are off by: found when it is made, for answers that take no longer
 * than an enclosure. Holds in any rounding mode. */
typedef struct abut_motion_track {
    bool straight;               /* false: nothing else is set */
    bool turns;                  /* r is the rotation at the start only */
    abut_mat3 r;                 /* off by `turn`, in the spectral norm */
    abut_vec3 from, rate;        /* at t0, exactly; per unit of time, off by rate_error */
    double from_size, rate_size; /* lengths, to a few ulp */
    double turn, rate_error;
} abut_motion_track;

struct abut_motion {
    atomic_size_t references;
    abut_allocator alloc;
    const abut_motion_ops *ops;
    abut_motion_type type;
    bool rigid;
    bool partial; /* may be undefined at times: an enclosure that is not finite says so */
    double t0, t1;
    size_t work; /* of an enclosure, as abut_tape_work; 0: little */
    abut_motion_track track;
};

/* Middle of each entry, and a bound of the Frobenius norm of what it may be off by. */
double abut_motion_middle(const abut_interval_mat3 *from, abut_mat3 *out);

/* Smooth pieces: from t0, next_break(t0), ... until t1, the placement has continuous derivatives
 * of all orders inside each. */
double abut_motion_next_break(const abut_motion *motion, double t);
/* A static motion whose rotation was stated by a quaternion, or as none: the pose exactly as
 * stated, meaning q / |q|. False for all other motions. */
bool abut_motion_stated_pose(const abut_motion *motion, abut_pose *out);
/* Moving spheres need only this; see abut_motion_line. t in the motion's range; at a key, the
 * piece that begins there. */
bool abut_motion_origin_line(const abut_motion *motion, double t, abut_motion_line *out);
/* The Bernstein coefficients of an `affine` motion, over its whole range; NULL for others. */
const abut_affine *abut_motion_affine_matrices(const abut_motion *motion, size_t *count);
/* The leg (motion/leg.h) that moves it at t; NULL where it is not made of legs. */
const struct abut_leg *abut_motion_leg(const abut_motion *motion, double t);

/* Static, or a chain of such links. */
bool abut_motion_is_still(const abut_motion *motion);
/* Of the frame that what hangs on it is in; NULL: the world's. Not retained. */
static inline abut_motion *abut_motion_frame(abut_motion *motion)
{
    return motion->ops->frame ? motion->ops->frame(motion) : motion;
}

/* Two motions without the rigid links that both begin with, as those of bodies that hang on the same parent
 * do: in its frame they are related as in the world, and how it moves does not count. common: NULL where there
 * is none over all of `time`, and then nothing is to be cleared; rest: NULL where nothing is left. */
typedef struct abut_motion_split {
    abut_motion *common, *rest[2];
} abut_motion_split;
abut_status abut_motion_split_common(const abut_motion *a, const abut_motion *b, abut_interval time,
                                     const abut_allocator *alloc, abut_motion_split *out);
void abut_motion_split_clear(abut_motion_split *split);

/* Kernels behind the public functions of the same name, for solvers that enter the rounding mode
 * once; false where the motion cannot be enclosed, or is undefined (then *out is everything). t
 * must lie in the motion's range. */
bool abut_motion_placement_over(const abut_motion *motion, ia t, ia_affine *out);
bool abut_motion_velocity_over(const abut_motion *motion, ia t, ia_affine *out);
bool abut_motion_travel_over(const abut_motion *motion, ia t, double radius, double *travel, double *speed);

/* For counting references, which is all that changes. */
static inline abut_motion *abut_motion_unlocked(const abut_motion *motion)
{
    const union {
        const abut_motion *read;
        abut_motion *motion;
    } same = { motion };
    return same.motion;
}

#endif
