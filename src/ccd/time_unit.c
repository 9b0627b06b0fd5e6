/* SPDX-License-Identifier: MIT */
/* Durations near the ends of the doubles; see time_unit.h.
 *
 * The walk multiplies lengths and rates, and both by each other: |v|^2, d . v, size w^2. With
 * lengths of 2^-500 to 2^500 (1e-150 to 1e150) that stays within the doubles as long as what
 * moves in a unit of time is of the order of the lengths themselves, or less by so much that
 * nothing is lost with it. So times are made about 1, by a power of two, which is exact. (Not
 * the duration: that of a few ulp between times of 1 would make those times large, and what
 * moves then is slow enough.) At times of up to 2^20 squares keep 34 of their digits even at
 * 2^-500, twice as many as the bounds that use them need; down to 2^-8 those of velocities at
 * 2^500 do not overflow. Motions that are not rigid go by polynomials and intervals, which need
 * no scale. */
#include "ccd/time_unit.h"

static bool is_usual(double time)
{
    return time >= 0x1p-8 && time <= 0x1p20;
}

static bool can_retime(const abut_motion *motion)
{
    return !motion || abut_motion_is_rigid(motion);
}

/* What is at rest is so in any unit. */
static bool retime(const abut_motion *motion, const abut_time_unit *unit, abut_retimed *room,
                   const abut_motion **out)
{
    *out = motion;
    if (!motion || abut_motion_get_type(motion) == ABUT_MOTION_STATIC)
        return true;
    *out = &room->base;
    return abut_motion_retime(motion, unit->range, unit->exponent, room);
}

static void pass_point(void *ctx, const abut_first_point *point)
{
    const abut_time_unit *unit = ctx;
    abut_first_point other = *point;
    other.time = abut_time_unit_back(unit, point->time);
    unit->on_point(unit->on_point_ctx, &other);
}

bool abut_time_unit_begin(const abut_motion *motion_a, const abut_motion *motion_b,
                          const abut_first_opts *opts, abut_interval range, abut_time_unit *out)
{
    const double largest = fmax(fabs(range.lo), fabs(range.hi));
    if (is_usual(largest) || !can_retime(motion_a) || !can_retime(motion_b))
        return false;
    (void)frexp(largest, &out->exponent);
    out->exponent = out->exponent > 1000 ? 1000 : out->exponent < -1000 ? -1000 : out->exponent;
    out->range = range;
    if (!retime(motion_a, out, &out->a, &out->motion_a) || !retime(motion_b, out, &out->b, &out->motion_b))
        return false;
    out->opts = *opts;
    out->opts.time = abut_retimed_from(range, out->exponent);
    out->opts.simultaneity = ldexp(opts->simultaneity, -out->exponent);
    out->opts.accuracy = ldexp(opts->accuracy, -out->exponent);
    out->on_point = opts->on_point;
    out->on_point_ctx = opts->on_point_ctx;
    if (opts->on_point) {
        out->opts.on_point = pass_point;
        out->opts.on_point_ctx = out;
    }
    return true;
}

abut_interval abut_time_unit_back(const abut_time_unit *unit, abut_interval time)
{
    return abut_retimed_back(time, unit->exponent, unit->range);
}

void abut_time_unit_end(const abut_time_unit *unit, abut_first_result *out)
{
    if (out->verdict == ABUT_FIRST_CONTACT || out->verdict == ABUT_FIRST_OVERLAPPING ||
        out->verdict == ABUT_FIRST_UNDECIDED)
        out->time = abut_time_unit_back(unit, out->time);
    for (size_t i = 0; i < out->point_count && i < ABUT_FIRST_CONTACTS; ++i)
        out->points[i].time = abut_time_unit_back(unit, out->points[i].time);
}
