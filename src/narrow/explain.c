/* SPDX-License-Identifier: MIT */
/* Why a query failed. The arguments are examined in the order of the prototypes, and the first that is
 * wrong is named in `path`, with a sentence in `text`. */
#include "narrow/explain.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "shape/shape.h"

abut_status abut_explain_argument(abut_error *error, abut_status status, const char *name, const char *text)
{
    abut_base_fail(error, status, -1, "%s", text);
    if (error)
        snprintf(error->path, sizeof error->path, "%s", name);
    return status;
}

static bool fail_at(abut_error *error, abut_status status, const char *of, const char *part, const char *text)
{
    char name[64];
    snprintf(name, sizeof name, "%s%s", of, part);
    abut_explain_argument(error, status, name, text);
    return true;
}

static bool bad_pose(abut_error *error, abut_status status, const char *name, const abut_pose *pose)
{
    if (!pose)
        return false;
    const abut_vec3 p = pose->position;
    const abut_quat q = pose->rotation;
    if (!isfinite(p.x) || !isfinite(p.y) || !isfinite(p.z))
        return fail_at(error, status, name, ".position", "the position must be finite");
    if (!isfinite(q.w) || !isfinite(q.x) || !isfinite(q.y) || !isfinite(q.z))
        return fail_at(error, status, name, ".rotation", "the quaternion must be finite");
    if (q.w == 0 && q.x == 0 && q.y == 0 && q.z == 0)
        return fail_at(error, status, name, ".rotation", "the quaternion is zero, which is no rotation");
    return false;
}

static bool bad_shape(abut_error *error, abut_status status, const char *name, const abut_shape *shape)
{
    if (!shape)
        return fail_at(error, status, name, "", "there is no shape");
    if (abut_core_has_failed(&shape->core))
        return fail_at(error, status, name, "",
                       "the support function gave a point that is not finite or beyond its radius");
    return false;
}

static bool bad_motion(abut_error *error, abut_status status, const char *name, const abut_motion *motion,
                       abut_interval time)
{
    if (!motion)
        return false;
    const abut_interval range = abut_motion_get_range(motion);
    if (time.lo < range.lo || time.hi > range.hi) {
        char text[200];
        if (time.lo == time.hi)
            snprintf(text, sizeof text, "the time %.17g is outside its range from %.17g to %.17g", time.lo,
                     range.lo, range.hi);
        else
            snprintf(text, sizeof text,
                     "the time from %.17g to %.17g is not within its range from %.17g to %.17g", time.lo,
                     time.hi, range.lo, range.hi);
        return fail_at(error, status, name, "", text);
    }
    abut_error why;
    if (status != ABUT_ERR_VALUE || abut_motion_defined_over(motion, time, &why) == ABUT_OK)
        return false;
    return fail_at(error, status, name, "", why.text);
}

static bool bad_form(abut_error *error, abut_status status, const char *name, const abut_shape *shape,
                     abut_interval time)
{
    abut_error why;
    if (status != ABUT_ERR_VALUE || abut_shape_defined_over(shape, time, &why) == ABUT_OK)
        return false;
    return fail_at(error, status, name, "", why.text);
}

static const char *kind_of(const abut_shape *shape)
{
    return abut_shape_type_name(abut_shape_get_type(shape));
}

/* Words for what is wrong in no single argument. */
static void whole(abut_error *error, abut_status status, const abut_asked *q)
{
    const abut_motion_type ma = abut_motion_get_type(q->motion_a), mb = abut_motion_get_type(q->motion_b);
    if (status != ABUT_ERR_UNSUPPORTED)
        abut_base_fail(error, status, -1, "%s", abut_status_text(status));
    else if (!q->motions)
        abut_base_fail(error, status, -1, "there is no method for a %s and a %s yet", kind_of(q->a),
                       kind_of(q->b));
    else
        abut_base_fail(error, status, -1, "there is no method for a %s (%s) and a %s (%s) yet", kind_of(q->a),
                       q->motion_a ? abut_motion_type_name(ma) : "static", kind_of(q->b),
                       q->motion_b ? abut_motion_type_name(mb) : "static");
}

abut_status abut_explain(abut_error *error, abut_status status, const abut_asked *q)
{
    if (!error)
        return status;
    if (status == ABUT_OK)
        abut_base_clear(error);
    else if (status == ABUT_ERR_MEMORY)
        abut_base_fail_memory(error);
    else if (!bad_shape(error, status, "a", q->a) && !bad_shape(error, status, "b", q->b) &&
             !bad_pose(error, status, "pose_a", q->pose_a) && !bad_pose(error, status, "pose_b", q->pose_b) &&
             !(!q->out && fail_at(error, status, "out", "", "there is nowhere to put the answer")) &&
             !(q->no_options &&
               fail_at(error, status, "opts", "", "the options were not initialised: call their _init")) &&
             !(q->wrong && fail_at(error, status, "opts.", q->wrong, q->allowed)) &&
             !(q->motions && isnan(q->time.lo + q->time.hi) &&
               fail_at(error, status, "time", "", "the time must be a number")) &&
             !(q->motions && q->time.lo > q->time.hi &&
               fail_at(error, status, "opts.time", "", "the time must not end before it begins")) &&
             !(q->motions && bad_motion(error, status, "motion_a", q->motion_a, q->time)) &&
             !(q->motions && bad_motion(error, status, "motion_b", q->motion_b, q->time)) &&
             !(q->motions && bad_form(error, status, "a", q->a, q->time)) &&
             !(q->motions && bad_form(error, status, "b", q->b, q->time)))
        whole(error, status, q);
    return status;
}
