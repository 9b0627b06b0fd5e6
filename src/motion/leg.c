/* SPDX-License-Identifier: MIT */
/* One smooth rigid piece: a straight or screwed path of the origin together with a spin. */
#include "motion/leg.h"

#include "math/vec3.h"
#include "motion/kernel.h"

abut_status abut_motion_check_range(double t0, double t1, int64_t index, abut_error *error)
{
    if (!isfinite(t0) || !isfinite(t1) || !(t0 < t1))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, index,
                              "times must be finite and increase: got %.17g and then %.17g", t0, t1);
    if (!isfinite(t1 - t0))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, index, "the duration from %g to %g overflows", t0,
                              t1);
    return ABUT_OK;
}

static ia fraction_at(double t0, double t1, double t)
{
    if (t <= t0)
        return ia_point(0);
    if (t >= t1)
        return ia_point(1);
    const ia start = ia_point(t0);
    const ia s = ia_div(ia_sub(ia_point(t), start), ia_sub(ia_point(t1), start));
    return box_meet(s, ia_make(0, 1));
}

ia abut_motion_fraction(double t0, double t1, ia t)
{
    const ia lo = fraction_at(t0, t1, ia_lo(t));
    return ia_is_point(t) ? lo : ia_hull(lo, fraction_at(t0, t1, ia_hi(t)));
}

static double plain_fraction(const abut_leg *leg, double t)
{
    return t >= leg->t1 ? 1 : (t - leg->t0) / (leg->t1 - leg->t0);
}

static ia parameter(const abut_leg *leg, ia t)
{
    return leg->by_rate ? ia_sub(t, ia_point(leg->t0)) : abut_motion_fraction(leg->t0, leg->t1, t);
}

static void find_middles(abut_leg *leg)
{
    const abut_spin *spin = &leg->spin;
    leg->off[0] = abut_motion_middle(&spin->start, &leg->middle[0]);
    if (spin->turns && !spin->rational) {
        leg->off[1] = abut_motion_middle(&spin->m1, &leg->middle[1]);
        leg->off[2] = abut_motion_middle(&spin->m2, &leg->middle[2]);
    }
}

typedef struct join_task {
    abut_leg_kind kind;
    const abut_placement *from, *to;
    abut_leg *leg;
} join_task;

static ABUT_NOINLINE void join(const join_task *task)
{
    abut_leg *leg = task->leg;
    abut_spin_between(&task->from->rotation, &task->to->rotation, task->kind == ABUT_LEG_NLERP, &leg->spin);
    leg->screws = task->kind == ABUT_LEG_SCREW && leg->spin.turns;
    if (leg->screws)
        abut_screw_init(&leg->spin, leg->from, leg->to, &leg->screw);
}

static bool finite_box3(const abut_interval_vec3 *v)
{
    const abut_interval all[3] = { v->x, v->y, v->z };
    for (int i = 0; i < 3; ++i)
        if (!isfinite(all[i].lo) || !isfinite(all[i].hi))
            return false;
    return true;
}

abut_status abut_leg_join(abut_leg_kind kind, double t0, double t1, const abut_placement *from,
                          const abut_placement *to, int64_t index, abut_leg *out, abut_error *error)
{
    const abut_status status = abut_motion_check_range(t0, t1, index, error);
    if (status != ABUT_OK)
        return status;
    const abut_vec3 d = abut_sub(to->position, from->position);
    *out = (abut_leg){ .t0 = t0, .t1 = t1, .from = from->position, .to = to->position };
    out->rate = abut_v3(d.x / (t1 - t0), d.y / (t1 - t0), d.z / (t1 - t0));
    const join_task task = { kind, from, to, out };
    const abut_rounding saved = abut_rounding_enter();
    join(&task);
    abut_rounding_leave(saved);
    find_middles(out);
    /* pi / (t1 - t0) bounds the angular velocity. The squared distance appears in the screw,
     * times 4 for its speed. */
    if (!abut_is_finite3(out->rate) || !isfinite(8 / (t1 - t0)) ||
        (out->screws && (!finite_box3(&out->screw.along) || !finite_box3(&out->screw.across) ||
                         !isfinite(8 * abut_max_norm(out->rate)))))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, index,
                              "the motion from time %.17g to %.17g is too fast: its velocity overflows", t0,
                              t1);
    return ABUT_OK;
}

typedef struct steady_task {
    const abut_placement *start;
    abut_vec3 angular;
    abut_leg *leg;
} steady_task;

static ABUT_NOINLINE void steady(const steady_task *task)
{
    abut_leg *leg = task->leg;
    abut_spin_steady(&task->start->rotation, task->angular, leg->t1 - leg->t0, &leg->spin);
}

abut_status abut_leg_steady(double t0, double t1, const abut_placement *start, abut_vec3 linear,
                            abut_vec3 angular, abut_leg *out, abut_error *error)
{
    const abut_status status = abut_motion_check_range(t0, t1, -1, error);
    if (status != ABUT_OK)
        return status;
    if (!abut_is_finite3(linear) || !abut_is_finite3(angular))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "linear and angular velocity must be finite");
    *out = (abut_leg){ .t0 = t0, .t1 = t1, .from = start->position, .rate = linear, .by_rate = true };
    out->to = abut_madd(start->position, t1 - t0, linear);
    const steady_task task = { start, angular, out };
    const abut_rounding saved = abut_rounding_enter();
    steady(&task);
    abut_rounding_leave(saved);
    find_middles(out);
    if (!abut_is_finite3(out->to) || !isfinite(out->spin.rate.hi * (t1 - t0)) ||
        !isfinite(2 * out->spin.rate.hi))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1,
                              "the velocity is too large: position or angle overflow before time %.17g", t1);
    return ABUT_OK;
}

void abut_leg_at(const abut_leg *leg, double t, abut_affine *out)
{
    const double u = leg->by_rate ? t - leg->t0 : plain_fraction(leg, t);
    abut_spin_at(&leg->spin, u, &out->linear);
    if (leg->by_rate)
        out->translation = abut_madd(leg->from, u, leg->rate);
    else if (u == 1)
        out->translation = leg->to;
    else if (leg->screws)
        out->translation = abut_add(leg->from, abut_screw_at(&leg->spin, &leg->screw, u));
    else
        out->translation = abut_madd(leg->from, u, abut_sub(leg->to, leg->from));
}

void abut_leg_velocity_at(const abut_leg *leg, double t, abut_affine *out)
{
    const double u = leg->by_rate ? t - leg->t0 : plain_fraction(leg, t);
    const double per_time = leg->by_rate ? 1 : 1 / (leg->t1 - leg->t0);
    abut_spin_rate_at(&leg->spin, u, &out->linear);
    for (int i = 0; i < 9; ++i)
        out->linear.m[i / 3][i % 3] *= per_time;
    out->translation =
        leg->screws ? abut_scale(per_time, abut_screw_rate_at(&leg->spin, &leg->screw, u)) : leg->rate;
}

/* from + s (to - from), exact at both ends. */
static ia between(double from, double to, ia s)
{
    if (from == to)
        return ia_point(from);
    const ia a = ia_point(from), b = ia_point(to), d = ia_sub(b, a);
    const ia lo = ia_lo(s) == 0 ? a : ia_lo(s) == 1 ? b : ia_add(a, ia_mul(d, ia_point(ia_lo(s))));
    const ia hi = ia_hi(s) == 1 ? b : ia_hi(s) == 0 ? a : ia_add(a, ia_mul(d, ia_point(ia_hi(s))));
    return box_meet(ia_hull(lo, hi), ia_hull(a, b));
}

void abut_leg_enclose(const abut_leg *leg, ia t, ia_affine *out)
{
    const ia u = parameter(leg, t);
    abut_spin_enclose(&leg->spin, u, &out->linear);
    if (leg->by_rate) {
        out->translation = ia3_add(ia3_point(leg->from), ia3_scale(u, ia3_point(leg->rate)));
    } else if (!leg->screws) {
        out->translation = (ia3){ between(leg->from.x, leg->to.x, u), between(leg->from.y, leg->to.y, u),
                                  between(leg->from.z, leg->to.z, u) };
    } else if (ia_hi(u) == 0 || ia_lo(u) == 1) {
        out->translation = ia3_point(ia_hi(u) == 0 ? leg->from : leg->to);
    } else {
        abut_screw_enclose(&leg->spin, &leg->screw, u, &out->translation);
        out->translation = ia3_add(ia3_point(leg->from), out->translation);
    }
}

void abut_leg_enclose_velocity(const abut_leg *leg, ia t, ia_affine *out)
{
    const ia u = parameter(leg, t);
    abut_spin_enclose_rate(&leg->spin, u, &out->linear);
    if (leg->by_rate) {
        out->translation = ia3_point(leg->rate);
        return;
    }
    const ia duration = ia_sub(ia_point(leg->t1), ia_point(leg->t0));
    ia3 d = ia3_sub(ia3_point(leg->to), ia3_point(leg->from));
    if (leg->screws)
        abut_screw_enclose_rate(&leg->spin, &leg->screw, u, &d);
    out->translation = (ia3){ ia_div(d.x, duration), ia_div(d.y, duration), ia_div(d.z, duration) };
    for (int i = 0; i < 9; ++i)
        out->linear.m[i / 3][i % 3] = ia_div(out->linear.m[i / 3][i % 3], duration);
}

double abut_leg_angular_speed(const abut_leg *leg, ia t)
{
    const ia speed = abut_spin_speed(&leg->spin, parameter(leg, t));
    return ia_hi(leg->by_rate ? speed : ia_div(speed, ia_sub(ia_point(leg->t1), ia_point(leg->t0))));
}

bool abut_leg_line(const abut_leg *leg, abut_motion_line *out)
{
    if (leg->screws)
        return false;
    *out = (abut_motion_line){ leg->t0, leg->t1, leg->from, leg->to, leg->rate, leg->by_rate };
    return true;
}

/* The rounded rate is a quotient of differences: 3 u off, twice that where rounding is not to
 * nearest. */
void abut_leg_track(const abut_leg *leg, abut_motion_track *out)
{
    if (leg->screws)
        return;
    out->straight = true;
    out->turns = leg->spin.turns;
    out->r = leg->middle[0];
    out->turn = leg->off[0];
    out->from = leg->from;
    out->rate = leg->rate;
    out->from_size = abut_length(leg->from);
    out->rate_size = abut_length(leg->rate);
    out->rate_error = leg->by_rate ? 0 : 8 * 0x1p-53 * out->rate_size;
}
