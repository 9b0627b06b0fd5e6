/* SPDX-License-Identifier: MIT */
/* One body in the frame of another: see the header. Inverses of linear parts that are no
 * rotations by cofactors, each matrix of the enclosure being regular where the determinant
 * excludes zero, and by the mean value; their rates by (M^-1)' = -M^-1 M' M^-1. */
#include "ccd/proof/relative.h"

static ia33 zero33(void)
{
    return (ia33){ { { ia_point(0), ia_point(0), ia_point(0) },
                     { ia_point(0), ia_point(0), ia_point(0) },
                     { ia_point(0), ia_point(0), ia_point(0) } } };
}

static ia_affine identity(void)
{
    return (ia_affine){ ia33_identity(), abut_relative_zero() };
}

static ia_affine place_over(const abut_relative_side *side, ia t)
{
    ia_affine out = identity();
    if (side->motion && !abut_motion_placement_over(side->motion, t, &out)) {
        out.linear = ia33_entire();
        out.translation = (ia3){ ia_entire(), ia_entire(), ia_entire() };
    }
    return out;
}

/* Not known where the velocity is infinite, as that of sqrt(t) at 0: no Newton step there, and
 * no proof. */
static ia_affine rate_over(const abut_relative_side *side, ia t, bool *known)
{
    ia_affine out = { zero33(), abut_relative_zero() };
    if (side->moves && !abut_motion_velocity_over(side->motion, t, &out)) {
        out.linear = side->turns ? ia33_entire() : zero33();
        out.translation = (ia3){ ia_entire(), ia_entire(), ia_entire() };
        *known = false;
    }
    return out;
}

static bool within_range(const abut_relative_side *side, ia *t)
{
    if (!side->moves)
        return true;
    const ia cut = ia_intersect(*t, ia_make(side->motion->t0, side->motion->t1));
    if (ia_lo(cut) == ia_lo(*t) && ia_hi(cut) == ia_hi(*t))
        return true;
    const double nearest = ia_hi(*t) < side->motion->t0 ? side->motion->t0 : side->motion->t1;
    *t = ia_is_empty(cut) ? ia_point(nearest) : cut;
    return false;
}

void abut_relative_rates(const abut_relative_side *one, const abut_relative_side *two, abut_relative *out)
{
    out->rates_known = true;
    if (!one->moves && !two->moves) {
        out->one_rate = out->back_rate = out->q_rate = zero33();
        out->d_rate = abut_relative_zero();
        out->rates = true;
        return;
    }
    const ia t = out->t;
    const ia_affine rate_one = rate_over(one, t, &out->rates_known),
                    rate_two = rate_over(two, t, &out->rates_known);
    out->one_rate = rate_one.linear;
    out->d_rate = ia3_sub(rate_one.translation, rate_two.translation);
    if (two->rigid) {
        out->back_rate = ia33_transpose(&rate_two.linear);
    } else {
        const ia33 half = ia33_mul(&out->back, &rate_two.linear), whole = ia33_mul(&half, &out->back);
        const ia33 zero = zero33();
        out->back_rate = ia33_sub(&zero, &whole);
    }
    const ia33 left = ia33_mul(&out->back_rate, &out->one), right = ia33_mul(&out->back, &out->one_rate);
    out->q_rate = ia33_add(&left, &right);
    out->rates = true;
}

/* The inverse of the linear part of a body that is not rigid. Quotients of cofactors widen by
 * factors that cancel, which no splitting of the body's surface mends; the mean-value form about
 * the middle of t keeps what does not change. */
static bool invert_over(const abut_relative_side *side, const ia33 *linear, ia t, ia33 *out)
{
    if (!ia33_invert(linear, out))
        return false;
    const ia middle = ia_point(ia_mid(t)), away = ia_sub(t, middle);
    bool known = true;
    const ia33 at_middle = place_over(side, middle).linear, rate = rate_over(side, t, &known).linear;
    ia33 centre;
    if (!side->moves || !known || !ia33_invert(&at_middle, &centre))
        return true;
    const ia33 half = ia33_mul(out, &rate), whole = ia33_mul(&half, out), change = ia33_scale(away, &whole);
    const ia33 centred = ia33_sub(&centre, &change);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out->m[i][j] = ia_intersect(out->m[i][j], centred.m[i][j]);
    return true;
}

void abut_relative_over(const abut_relative_side *one, const abut_relative_side *two, ia t,
                        abut_relative *out)
{
    const bool in_one = within_range(one, &t), in_two = within_range(two, &t);
    const ia_affine at_one = place_over(one, t), at_two = place_over(two, t);
    out->t = t;
    out->rates = false;
    out->defined = in_one && in_two;
    out->one_turns = one->turns;
    out->two_turns = two->turns;
    out->turns = one->turns || two->turns;
    out->rigid = one->rigid && two->rigid;
    out->one = at_one.linear;
    out->origin = at_one.translation;
    out->d = ia3_sub(at_one.translation, at_two.translation);
    if (two->rigid)
        out->back = ia33_transpose(&at_two.linear);
    else if (!invert_over(two, &at_two.linear, t, &out->back))
        out->defined = false;
    out->q = !two->turns ? out->one : !one->turns ? out->back : ia33_mul(&out->back, &out->one);
    if (out->rigid) {
        out->normal_map = out->q;
    } else {
        /* M^-T by cofactors, with the sign of the determinant; without it where that is not
         * known, as no sign of a normal is, then */
        const ia det = ia33_determinant(&out->q);
        const ia33 c = ia33_cofactors(&out->q);
        out->normal_map = ia_sign(det) == 0 ? ia33_entire() : ia33_scale(ia_point(ia_sign(det)), &c);
    }
}

static ABUT_NOINLINE void examine_over(const abut_relative_side *side, const abut_interval *range,
                                       bool *exists, bool *plain)
{
    ia_affine at;
    const ia t = ia_from(*range);
    *exists = abut_motion_placement_over(side->motion, t, &at);
    *plain = *exists;
    for (int i = 0; i < 9 && *plain; ++i) {
        const ia entry = at.linear.m[i / 3][i % 3];
        const double want = i / 3 == i % 3 ? 1 : 0;
        *plain = ia_lo(entry) == want && ia_hi(entry) == want;
    }
}

abut_status abut_side_make(const abut_surface *surface, const abut_motion *motion, abut_interval range,
                           abut_relative_side *out)
{
    *out = (abut_relative_side){ .surface = surface, .motion = motion, .rigid = true };
    if (!motion)
        return ABUT_OK;
    out->rigid = abut_motion_is_rigid(motion);
    out->moves = abut_motion_get_type(motion) != ABUT_MOTION_STATIC;
    const abut_interval lasts = abut_motion_get_range(motion);
    if (!(lasts.lo <= range.lo && range.hi <= lasts.hi))
        return ABUT_ERR_ARGUMENT;
    bool exists, plain;
    const abut_rounding saved = abut_rounding_enter();
    examine_over(out, &range, &exists, &plain);
    abut_rounding_leave(saved);
    out->turns = !plain;
    if (exists)
        return ABUT_OK;
    return motion->partial ? ABUT_ERR_VALUE : ABUT_ERR_UNSUPPORTED;
}
