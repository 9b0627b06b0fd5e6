/* SPDX-License-Identifier: MIT */
/* Two convex bodies meet where the origin is in their Minkowski difference. While neither turns, and their
 * origins move on lines at constant velocities, that difference is a convex set that is translated along a
 * line: it holds the origin during one interval of time, or never. Turning a ball, or a body of revolution
 * about its own axis, moves none of its points elsewhere but onto others of it, and does not count. */
#include "ccd/proof/convex_line.h"

#include "math/vec3.h"
#include "motion/motion.h"

static bool is_convex(const abut_shape *shape)
{
    return shape->core.kind != ABUT_CORE_NONE || shape->type == ABUT_SHAPE_HALFSPACE;
}

static bool is_point(abut_interval x)
{
    return x.lo == x.hi;
}

/* About its z axis, which stays where it is. */
static bool turns_in_itself(const abut_shape *shape, const abut_motion *motion, abut_interval time)
{
    abut_interval_affine at;
    if (shape->type == ABUT_SHAPE_SPHERE)
        return true;
    if ((shape->type != ABUT_SHAPE_CYLINDER && shape->type != ABUT_SHAPE_CONE &&
         shape->type != ABUT_SHAPE_CAPSULE) ||
        abut_motion_enclose(motion, time, &at))
        return false;
    return is_point(at.linear.m[0][2]) && is_point(at.linear.m[1][2]) && is_point(at.linear.m[2][2]);
}

static bool is_translated(const abut_shape *shape, const abut_motion *motion, abut_interval time)
{
    return !motion || abut_motion_is_still(motion) ||
           (motion->rigid && motion->track.straight &&
            (!motion->track.turns || turns_in_itself(shape, motion, time)));
}

static bool is_at_rest(const abut_motion *motion)
{
    const abut_vec3 v = motion ? motion->track.rate : abut_v3(0, 0, 0);
    return v.x == 0 && v.y == 0 && v.z == 0;
}

abut_convex_line abut_convex_line_of(const abut_exact_touch *s, abut_interval time)
{
    if (!is_convex(s->a) || !is_convex(s->b) || !is_translated(s->a, s->motion_a, time) ||
        !is_translated(s->b, s->motion_b, time))
        return ABUT_LINE_NONE;
    return is_at_rest(s->motion_a) && is_at_rest(s->motion_b) ? ABUT_LINE_STILL : ABUT_LINE_MOVES;
}
