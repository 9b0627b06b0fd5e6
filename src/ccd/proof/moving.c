/* SPDX-License-Identifier: MIT */
/* What the solvers over time have in common: the static method at an instant, and which motions
 * they take. */
#include "ccd/proof/moving.h"

int abut_moving_sign_at(const abut_moving *m, double t)
{
    abut_place at_a, at_b;
    if (abut_place_from_motion(m->motion_a, t, &at_a) || abut_place_from_motion(m->motion_b, t, &at_b))
        return ABUT_SIGN_UNKNOWN;
    const abut_pair pair = { m->a, m->b, &at_a, &at_b, NULL };
    abut_check_result result = { .verdict = ABUT_UNDECIDED };
    if (abut_narrow_run_pair(&pair, NULL, &result))
        return ABUT_SIGN_UNKNOWN;
    switch (result.verdict) {
    case ABUT_SEPARATE: return 1;
    case ABUT_TOUCHING: return 0;
    case ABUT_PENETRATING: return -1;
    default: return ABUT_SIGN_UNKNOWN;
    }
}

/* Rigid, and with enclosures over the whole range. */
static abut_status check_motion(const abut_motion *motion, abut_interval range)
{
    if (!motion)
        return ABUT_OK;
    const abut_interval own = abut_motion_get_range(motion);
    if (!(own.lo <= range.lo && range.hi <= own.hi))
        return ABUT_ERR_ARGUMENT;
    if (!abut_motion_is_rigid(motion))
        return ABUT_ERR_UNSUPPORTED;
    abut_motion_line line;
    if (abut_motion_origin_line(motion, range.lo, &line))
        return ABUT_OK; /* such a motion has enclosures */
    abut_interval_affine ignored;
    const abut_status status = abut_motion_enclose(motion, range, &ignored);
    return status ? status : abut_motion_enclose_velocity(motion, range, &ignored);
}

abut_status abut_moving_check(const abut_moving *m)
{
    const abut_status status = check_motion(m->motion_a, m->range);
    return status ? status : check_motion(m->motion_b, m->range);
}
