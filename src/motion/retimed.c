/* SPDX-License-Identifier: MIT */
/* Another unit of time, by a power of two: everything is that of the motion itself at the time that
 * is meant; rates are multiplied.
 *
 * Times next to 0 may be no doubles in the other unit. Then they are enclosed, and what is exact
 * in the motion (lines, legs) is not said to be: enclosures do for all. The range is rounded
 * outward; where that leads beyond the part asked for, the body rests as at the end of it. */
#include "motion/retimed.h"

#include "motion/kernel.h"

static const abut_retimed *self(const abut_motion *motion)
{
    return (const abut_retimed *)motion;
}

/* False: it is rounded. */
static bool scale(double x, int exponent, double *out)
{
    *out = ldexp(x, exponent);
    return isfinite(*out) && ldexp(*out, -exponent) == x;
}

static double below(double x, int exponent)
{
    double y;
    return scale(x, exponent, &y) ? y : nextafter(y, -HUGE_VAL);
}

static double above(double x, int exponent)
{
    double y;
    return scale(x, exponent, &y) ? y : nextafter(y, HUGE_VAL);
}

abut_interval abut_retimed_from(abut_interval time, int exponent)
{
    return (abut_interval){ below(time.lo, -exponent), above(time.hi, -exponent) };
}

abut_interval abut_retimed_back(abut_interval time, int exponent, abut_interval range)
{
    return (abut_interval){ fmin(fmax(below(time.lo, exponent), range.lo), range.hi),
                            fmin(fmax(above(time.hi, exponent), range.lo), range.hi) };
}

/* The time that is meant, to steer by. */
static double meant(const abut_retimed *m, double t)
{
    return fmin(fmax(ldexp(t, m->exponent), m->time.lo), m->time.hi);
}

static abut_status at(const abut_motion *motion, double t, abut_affine *out)
{
    const abut_retimed *m = self(motion);
    return m->of->ops->at(m->of, meant(m, t), out);
}

static abut_status velocity_at(const abut_motion *motion, double t, abut_affine *out)
{
    const abut_retimed *m = self(motion);
    const double factor = ldexp(1, m->exponent);
    const abut_status status = abut_motion_velocity_at(m->of, meant(m, t), out);
    if (status)
        return status;
    for (int i = 0; i < 9; ++i)
        out->linear.m[i / 3][i % 3] *= factor;
    out->translation.x *= factor;
    out->translation.y *= factor;
    out->translation.z *= factor;
    return ABUT_OK;
}

static ia span(const abut_retimed *m, ia t)
{
    return ia_from(abut_retimed_back((abut_interval){ ia_lo(t), ia_hi(t) }, m->exponent, m->time));
}

static void enclose(const abut_motion *motion, ia t, ia_affine *out)
{
    const abut_retimed *m = self(motion);
    m->of->ops->enclose(m->of, span(m, t), out);
}

static void enclose_velocity(const abut_motion *motion, ia t, ia_affine *out)
{
    const abut_retimed *m = self(motion);
    const double factor = ldexp(1, m->exponent);
    const bool beyond =
        ldexp(ia_lo(t), m->exponent) < m->time.lo || ldexp(ia_hi(t), m->exponent) > m->time.hi;
    m->of->ops->enclose_velocity(m->of, span(m, t), out);
    for (int i = 0; i < box_entries; ++i) {
        ia *const rate = box_entry(out, i);
        *rate = ia_scale(factor, beyond ? ia_hull(*rate, ia_point(0)) : *rate);
    }
}

static double angular_speed(const abut_motion *motion, ia t)
{
    const abut_retimed *m = self(motion);
    return ia_hi(ia_scale(ldexp(1, m->exponent), ia_make(0, m->of->ops->angular_speed(m->of, span(m, t)))));
}

static double next_break(const abut_motion *motion, double t)
{
    const abut_retimed *m = self(motion);
    const double next = ldexp(abut_motion_next_break(m->of, meant(m, t)), -m->exponent);
    return fmin(next > t ? next : nextafter(t, HUGE_VAL), motion->t1);
}

/* Times and rate of a line. A rate that is rounded, because only the ends are exact, is found
 * again. */
static bool retime(int exponent, bool by_rate, abut_vec3 from, abut_vec3 to, double *t0, double *t1,
                   abut_vec3 *rate)
{
    if (isinf(*t0) || isinf(*t1)) /* at rest */
        return true;
    bool exact = scale(*t0, -exponent, t0);
    exact = scale(*t1, -exponent, t1) && exact;
    if (!exact || !by_rate) {
        const double duration = *t1 - *t0;
        *rate =
            (abut_vec3){ (to.x - from.x) / duration, (to.y - from.y) / duration, (to.z - from.z) / duration };
        return exact;
    }
    exact = scale(rate->x, exponent, &rate->x);
    exact = scale(rate->y, exponent, &rate->y) && exact;
    return scale(rate->z, exponent, &rate->z) && exact;
}

static bool line(const abut_motion *motion, double t, abut_motion_line *out)
{
    const abut_retimed *m = self(motion);
    return abut_motion_origin_line(m->of, meant(m, t), out) &&
           retime(m->exponent, out->by_rate, out->from, out->to, &out->t0, &out->t1, &out->rate);
}

/* A spin by a rate counts time itself, one between two rotations does not. */
static const abut_leg *leg(const abut_motion *motion, double t)
{
    const abut_retimed *m = self(motion);
    const abut_leg *of = abut_motion_leg(m->of, meant(m, t));
    if (!of || (of->by_rate && of->spin.turns && of->spin.slow)) /* whose matrices count it, too */
        return NULL;
    abut_leg *const out = m->leg;
    *out = *of;
    abut_interval *const rate = &out->spin.rate, *const square = &out->spin.rate_sq;
    if (!retime(m->exponent, of->by_rate, of->from, of->to, &out->t0, &out->t1, &out->rate))
        return NULL;
    if (!of->by_rate || !of->spin.turns)
        return out;
    *square = (abut_interval){ below(square->lo, 2 * m->exponent), above(square->hi, 2 * m->exponent) };
    return scale(rate->lo, m->exponent, &rate->lo) && scale(rate->hi, m->exponent, &rate->hi) ? out : NULL;
}

static abut_status defined_over(const abut_motion *motion, abut_interval time, abut_error *error)
{
    const abut_retimed *m = self(motion);
    return abut_motion_defined_over(m->of, abut_retimed_back(time, m->exponent, m->time), error);
}

static void destroy(abut_motion *motion)
{
    (void)motion;
}

bool abut_motion_retime(const abut_motion *motion, abut_interval time, int exponent, abut_retimed *out)
{
    if (!motion->ops->enclose || !motion->ops->enclose_velocity || !(motion->t0 <= time.lo) ||
        !(time.hi <= motion->t1))
        return false;
#define RETIMED_OPS                                                                                 \
    .at = at, .velocity_at = velocity_at, .enclose = enclose, .enclose_velocity = enclose_velocity, \
    .next_break = next_break, .line = line, .leg = leg, .defined_over = defined_over, .destroy = destroy
    static const abut_motion_ops all = { RETIMED_OPS, .angular_speed = angular_speed };
    static const abut_motion_ops others = { RETIMED_OPS };
#undef RETIMED_OPS
    const abut_interval range = abut_retimed_from(time, exponent);
    out->base = (abut_motion){ .alloc = motion->alloc,
                               .ops = motion->ops->angular_speed ? &all : &others,
                               .type = motion->type,
                               .rigid = motion->rigid,
                               .partial = motion->partial,
                               .work = motion->work,
                               .t0 = range.lo,
                               .t1 = range.hi };
    atomic_init(&out->base.references, 1);
    out->of = motion;
    out->time = time;
    out->exponent = exponent;
    out->leg = &out->room;
    return true;
}
