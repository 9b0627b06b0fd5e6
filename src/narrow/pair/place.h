/* SPDX-License-Identifier: MIT */
/* The placement of a shape at one instant: an enclosure, doubles that steer, and whether it is known
 * exactly. */
#ifndef ABUT_NARROW_PAIR_PLACE_H
#define ABUT_NARROW_PAIR_PLACE_H

#include "abut/motion.h"
#include "abut/shape.h"

typedef struct abut_place {
    abut_interval_affine enclosure;
    abut_affine mid;
    bool points; /* the translation has no width */
    bool axes;   /* the linear part is exactly a signed permutation */
    /* local axis i is exactly sign[i] times this axis of the world; -1 where it is not known to
     * be along one */
    signed char axis[3];
    double sign[3];
    bool stated; /* the placement is exactly what `pose` says, and its rotation q / |q| */
    abut_pose pose;
    double t; /* the instant, for bodies that deform; 0 for poses */
    /* lo < hi: bodies that deform are meant as they are at all of these times, of which t is one, in this one
     * placement. Only covers (narrow/cover) know of it, and only what they prove apart holds. */
    abut_interval span;
    /* an ellipsoid under a map that is not rigid (ellipsoid_place.h), known exactly: with these
     * semi-axes, under this map */
    bool mapped;
    abut_vec3 radii;
    abut_affine map;
} abut_place;

/* The rotation meant is q / |q|: it is enclosed, never rounded. NULL is the identity. A pose
 * that is not finite, or whose quaternion is zero, is an argument error. When `turns` is false,
 * as for spheres, the rotation is taken for the identity and not enclosed. */
abut_status abut_place_from_pose(const abut_pose *pose, bool turns, abut_place *out);
/* At time t of a motion; NULL is the identity. ABUT_ERR_UNSUPPORTED where the motion is not
 * rigid and its linear part at t is not exactly a signed permutation. */
abut_status abut_place_from_motion(const abut_motion *motion, double t, abut_place *out);

/* For answers that are not certified, where a rigid motion has no enclosure: only `mid` is set,
 * rounded, and nothing is exact. */
abut_status abut_place_rounded(const abut_motion *motion, double t, abut_place *out);

/* A placement as callers state it: by a pose, or by a motion at a time. */
typedef struct abut_stated {
    const abut_pose *pose;
    const abut_motion *motion;
    double t;
    bool by_motion;
} abut_stated;

abut_status abut_place_from_stated(const abut_stated *stated, bool turns, abut_place *out);

/* The local axis that is exactly along the axis `world` of the world, with its sign; -1 where
 * there is none. */
static inline int abut_place_local_axis(const abut_place *place, int world, double *sign)
{
    for (int i = 0; i < 3; ++i)
        if (place->axis[i] == world) {
            *sign = place->sign[i];
            return i;
        }
    return -1;
}

/* World to local and back, in plain doubles. */
abut_vec3 abut_place_to_local(const abut_place *place, abut_vec3 p);
abut_vec3 abut_place_turn(const abut_place *place, abut_vec3 direction);

#endif
