/* SPDX-License-Identifier: MIT */
/* asin, acos, atan and atan2 of intervals, both ends at once.
 *
 * Method: all are the angle of a point (x, y) of the first quadrant, with x and y in two doubles.
 * With t = min/max of the two and c = t rounded to 1/64, angle = atan(c) + atan(u), u = (y - c
 * x)/(x + c y), |u| < 1/120, or pi/2 minus that; atan(c) is in a table, u is computed in two
 * doubles, and of atan(u) only the cubic and higher terms are in plain doubles. asin(x) is the
 * angle of (sqrt(1 - x^2), x), with 1 - x^2 = (1 - x)(1 + x), so that nothing is lost close to 1.
 *
 * Bounds on all errors: docs/notes/interval-elementary.md. Nothing here depends on the rounding
 * mode; see twofold.h. */
#include "interval/tables.h"
#include "interval/twofold.h"

/* Of the angle; derived in docs/notes/interval-elementary.md. */
#define ATAN_ERROR 0x1p-63
/* Below this asin(x) = x = atan(x) up to less than an ulp, and x^3 would underflow. */
#define TINY 0x1p-300

/* Angle of (x, y): both >= 0, the larger between 2^-900 and 2^900, the smaller 0 or not below
 * 2^-900 (or x = 1). */
static inline twofold angle_at(twofold y, twofold x)
{
    const ia_pair zero = ia_pair_of(0);
    const ia_mask steep = y.high > x.high;
    const twofold n = twofold_select(steep, x, y), d = twofold_select(steep, y, x);
    const ia_pair t = n.high / d.high * ia_pair_of(64) + ia_pair_of(0.5);
    const int i0 = (int)t[0], i1 = (int)t[1];
    const ia_pair c = (ia_pair){ i0, i1 } * ia_pair_of(0x1p-6);
    const double *a0 = abut_interval_atan_table[i0], *a1 = abut_interval_atan_table[i1];
    const ia_pair ah = { a0[0], a1[0] }, al = { a0[1], a1[1] };

    const twofold cd = twofold_mul(c, d.high), cn = twofold_mul(c, n.high);
    /* n/d is within a factor 2 of c, unless c = 0: the difference of the leading parts is exact. */
    const twofold over = twofold_add(n.high - cd.high, (n.low - cd.low) - c * d.low);
    const twofold under0 = twofold_add(d.high, cn.high);
    const twofold under = twofold_add(under0.high, (under0.low + cn.low) + (d.low + c * n.low));
    const twofold u = twofold_negate_where(steep, twofold_quotient(over, under));

    const ia_pair s = u.high, z = s * s;
    /* Taylor up to u^9; the next term, u^11/11, is below 2^-72 of u. */
    const ia_pair t3 = ia_pair_of(-0.33333333333333333), t5 = ia_pair_of(0.2),
                  t7 = ia_pair_of(-0.14285714285714286);
    const ia_pair t9 = ia_pair_of(0.11111111111111111);
    const ia_pair cubic = s * z * (t3 + z * (t5 + z * (t7 + z * t9)));

    /* pi/2 - atan(c) for the steep ones */
    const twofold turned0 = twofold_add(ia_pair_of(abut_interval_half_pi_high), -ah);
    const twofold turned = { turned0.high, turned0.low + (ia_pair_of(abut_interval_half_pi_low) - al) };
    const twofold base = twofold_select(steep, turned, (twofold){ ah, al });
    const twofold sum = twofold_add(base.high, s);
    const ia_pair low = ((base.low + sum.low) + u.low) + cubic;
    const twofold angle = twofold_add(sum.high, low);
    const ia_mask flat = n.high == zero; /* exactly 0 */
    return (twofold){ ia_pair_and(angle.high, ~flat | steep), ia_pair_and(angle.low, ~flat | steep) };
}

/* sqrt((1 - x)(1 + x)), 0 <= x <= 1 */
static inline twofold co_sine(ia_pair x)
{
    const ia_pair one = ia_pair_of(1);
    const twofold square = twofold_product(twofold_add(one, -x), twofold_add(one, x));
    const ia_pair root = ia_pair_sqrt(square.high);
    const twofold back = twofold_mul(root, root);
    const ia_pair rest = ((square.high - back.high) - back.low) + square.low;
    const ia_pair low = rest / (root + root);
    return (twofold){ root, ia_pair_and(low, low == low) };
}

/* Bounds of odd functions close to x: f(x) is between x and the next double, away from 0 or
 * towards it. */
static void bound_tiny(ia_pair x, bool away, twofold_bounds *b)
{
    for (int i = 0; i < 2; ++i)
        if (fabs(x[i]) < TINY) {
            const double near = x[i], next = x[i] == 0 ? 0 : (x[i] > 0) == away ? ia_up(x[i]) : ia_down(x[i]);
            b->up[i] = near > next ? near : next;
            b->opposite_up[i] = -(near < next ? near : next);
        }
}

static inline twofold_bounds bound_angle(twofold angle)
{
    return twofold_bound(angle, ia_pair_abs(angle.high) * ia_pair_of(ATAN_ERROR));
}

ia ia_atan(ia a)
{
    const ia_pair x = { ia_lo(a), ia_hi(a) }, zero = ia_pair_of(0);
    /* Beyond 2^300 the angle is pi/2 to well within the error bound. */
    const twofold size = { ia_pair_min(ia_pair_abs(x), ia_pair_of(0x1p300)), zero };
    const twofold angle = angle_at(size, (twofold){ ia_pair_of(1), zero });
    twofold_bounds b = bound_angle(twofold_negate_where(x < zero, angle));
    if (__builtin_expect(ia_mask_bits(size.high < ia_pair_of(TINY)) != 0, 0))
        bound_tiny(x, false, &b);
    return twofold_rising(b);
}

ia ia_asin(ia a)
{
    const ia_pair zero = ia_pair_of(0);
    if (ia_lo(a) > 1 || ia_hi(a) < -1)
        return ia_empty();
    const ia_pair x =
        ia_pair_max(ia_pair_min((ia_pair){ ia_lo(a), ia_hi(a) }, ia_pair_of(1)), ia_pair_of(-1));
    const ia_pair size = ia_pair_abs(x);
    const twofold angle = angle_at((twofold){ size, zero }, co_sine(size));
    twofold_bounds b = bound_angle(twofold_negate_where(x < zero, angle));
    if (__builtin_expect(ia_mask_bits(size < ia_pair_of(TINY)) != 0, 0))
        bound_tiny(x, true, &b);
    return twofold_rising(b);
}

ia ia_acos(ia a)
{
    const ia_pair zero = ia_pair_of(0);
    if (ia_lo(a) > 1 || ia_hi(a) < -1)
        return ia_empty();
    /* acos falls: the upper end first. */
    const ia_pair x =
        ia_pair_max(ia_pair_min((ia_pair){ ia_hi(a), ia_lo(a) }, ia_pair_of(1)), ia_pair_of(-1));
    const ia_pair size = ia_pair_abs(x);
    /* A cosine below 2^-300 leaves pi/2 to well within the error bound. */
    const twofold cosine = { ia_pair_and(size, size >= ia_pair_of(TINY)), zero };
    const twofold angle = angle_at(co_sine(size), cosine);
    const twofold turned0 = twofold_add(ia_pair_of(abut_interval_pi_high), -angle.high);
    const twofold turned = { turned0.high, turned0.low + (ia_pair_of(abut_interval_pi_low) - angle.low) };
    return twofold_rising(bound_angle(twofold_select(x < zero, turned, angle)));
}

/* Angle of one point, not the origin; y = 0 > x counts as pi. */
static ia angle_of_point(double y, double x)
{
    const double ay = fabs(y), ax = fabs(x), big = ax > ay ? ax : ay, small = ax > ay ? ay : ax;
    ia first; /* in the first quadrant */
    if (small < big * 0x1p-60) {
        /* atan(q) for q < 2^-59 lies within an ulp below q */
        ia q = ia_div(ia_point(small), ia_point(big));
        q = ia_make(small > 0 ? ia_down(ia_lo(q)) : 0, ia_hi(q));
        q = ia_make(ia_lo(q) > 0 ? ia_lo(q) : 0, ia_hi(q));
        const ia half_pi = ia_make(0x1.921fb54442d18p+0, 0x1.921fb54442d19p+0);
        first = ay > ax ? ia_sub(half_pi, q) : q;
    } else {
        /* A common factor brings the sizes to where nothing overflows or underflows. */
        const double factor = big > 1 ? 0x1p-500 : 0x1p500;
        const ia_pair zero = ia_pair_of(0);
        const bool extreme = big > 0x1p400 || big < 0x1p-400;
        const twofold yy = { ia_pair_of(extreme ? ay * factor : ay), zero };
        const twofold xx = { ia_pair_of(extreme ? ax * factor : ax), zero };
        first = twofold_rising(bound_angle(angle_at(yy, xx)));
    }
    if (x < 0)
        first = ia_sub(ia_pi(), first);
    return y < 0 ? ia_neg(first) : first;
}

ia ia_atan2(ia y, ia x)
{
    const ia whole = ia_make(-ia_hi(ia_pi()), ia_hi(ia_pi()));
    if (ia_contains_zero(x) && ia_contains_zero(y))
        return whole;
    if (ia_lo(x) < 0 && ia_lo(y) < 0 && ia_hi(y) >= 0)
        return whole;
    /* The extreme angles of a rectangle without the origin are at corners. An infinite side is
     * cut at the largest double: further out the angle only comes closer to the axis, which the
     * hull with the axis directions below covers. */
    const ia finite = ia_make(-DBL_MAX, DBL_MAX);
    const ia xc = ia_intersect(x, finite), yc = ia_intersect(y, finite);
    ia out = ia_hull(ia_hull(angle_of_point(ia_lo(yc), ia_lo(xc)), angle_of_point(ia_lo(yc), ia_hi(xc))),
                     ia_hull(angle_of_point(ia_hi(yc), ia_lo(xc)), angle_of_point(ia_hi(yc), ia_hi(xc))));
    const ia half_pi = ia_make(0x1.921fb54442d18p+0, 0x1.921fb54442d19p+0);
    if (ia_hi(x) == HUGE_VAL)
        out = ia_hull(out, ia_point(0));
    if (ia_lo(x) == -HUGE_VAL)
        out = ia_hull(out, ia_hi(y) > 0 || ia_lo(y) >= 0 ? ia_pi() : ia_neg(ia_pi()));
    if (ia_hi(y) == HUGE_VAL)
        out = ia_hull(out, half_pi);
    if (ia_lo(y) == -HUGE_VAL)
        out = ia_hull(out, ia_neg(half_pi));
    return ia_intersect(out, whole);
}
