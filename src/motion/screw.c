/* SPDX-License-Identifier: MIT */
/* The origin's path under the screw between two placements, without ever computing the screw's axis
 * in space.
 *
 * Method: with d from the first origin to the last, n the unit axis, theta the angle and x = theta
 * / 2, the origin is at
 *     a d + (s - a) (n.d) n + b (n x d),
 *     a(s) = sin(s x) cos((1 - s) x) / sin(x),   b(s) = -sin(s x) sin((1 - s) x) / sin(x)
 * from the first one (docs/notes/motion-enclosures.md derives it). The axis in space lies |d| /
 * theta away and would cost that many digits for small angles; here a tends to s, s - a and b to
 * 0, and nothing is lost. For slow spins n is not known but theta n is; then along and across
 * carry the powers of theta, and (s - a) / theta^2 and b / theta come from series. */
#include "motion/screw.h"

#include "math/vec3.h"
#include "motion/kernel.h"

void abut_screw_init(const abut_spin *spin, abut_vec3 from, abut_vec3 to, abut_screw *out)
{
    const ia3 d = ia3_sub(ia3_point(to), ia3_point(from)), n = ia3_from(&spin->axis);
    out->offset = ia3_to(d);
    out->along = ia3_to(ia3_scale(ia3_dot(n, d), n));
    out->across = ia3_to(ia3_cross(n, d));
}

/* a, s - a and b; the last two divided by theta^2 and theta where slow. For their rates, the
 * derivatives by s. */
typedef struct weights {
    ia a, rest, b;
} weights;

/* sin(x)/x from xx = x^2, x < 2^-8 */
static ia sinc(ia xx)
{
    const ia tail = ia_make(-ia_hi(ia_div(ia_mul(ia_sqr(xx), xx), ia_point(5040))), 0);
    return ia_add(ia_add(ia_sub(ia_point(1), ia_div(xx, ia_point(6))), ia_div(ia_sqr(xx), ia_point(120))),
                  tail);
}

static ia cosine(ia xx)
{
    const ia tail = ia_make(-ia_hi(ia_div(ia_mul(ia_sqr(xx), xx), ia_point(720))), 0);
    return ia_add(ia_add(ia_sub(ia_point(1), ia_scale(0.5, xx)), ia_div(ia_sqr(xx), ia_point(24))), tail);
}

/* sin(s x) / sin(x) and x / sin(x) grow with x in (0, pi/2], so that both ends of x serve. As
 * plain quotients they would count the uncertainty of a small angle, which hardly matters,
 * twice. */
static ia sine_ratio(ia s, ia x)
{
    const ia lo = ia_point(ia_lo(x)), hi = ia_point(ia_hi(x));
    return ia_hull(ia_div(ia_sin(ia_mul(s, lo)), ia_sin(lo)), ia_div(ia_sin(ia_mul(s, hi)), ia_sin(hi)));
}

static ia inverse_sinc(ia x)
{
    const ia lo = ia_point(ia_lo(x)), hi = ia_point(ia_hi(x));
    return ia_hull(ia_div(lo, ia_sin(lo)), ia_div(hi, ia_sin(hi)));
}

/* At s known to a few ulp. */
static weights weights_at(const abut_spin *spin, ia s)
{
    const ia one = ia_point(1), r = ia_sub(one, s);
    if (!spin->slow) {
        const ia x = ia_scale(0.5, ia_from(spin->rate)), rx = ia_mul(r, x), front = sine_ratio(s, x);
        const ia a = ia_mul(front, ia_cos(rx));
        return (weights){ a, ia_sub(s, a), ia_neg(ia_mul(front, ia_sin(rx))) };
    }
    const ia xx = ia_scale(0.25, ia_from(spin->rate_sq)), whole = sinc(xx), sr = ia_mul(s, r);
    const ia front = ia_div(sinc(ia_mul(ia_sqr(s), xx)), whole), rrxx = ia_mul(ia_sqr(r), xx);
    const ia u = ia_sub(s, r), uu = ia_sqr(u);
    /* (s - a) / theta^2 = -u s (1 - s) / 2 (1/6 - x^2 (1 + u^2) / 120 + x^4 [0, 3] / 5040) x /
     * sin(x), u = 2 s - 1 */
    const ia bracket =
        ia_add(ia_sub(ia_div(one, ia_point(6)), ia_div(ia_mul(xx, ia_add(one, uu)), ia_point(120))),
               ia_div(ia_mul(ia_sqr(xx), ia_make(0, 3)), ia_point(5040)));
    return (weights){ ia_mul(s, ia_mul(front, cosine(rrxx))),
                      ia_scale(-0.5, ia_div(ia_mul(ia_mul(u, sr), bracket), whole)),
                      ia_scale(-0.5, ia_mul(sr, ia_mul(front, sinc(rrxx)))) };
}

/* Derivatives by s: a' = x cos(u x) / sin(x), 1 - a', b' = x sin(u x) / sin(x), over any
 * interval of s. */
static weights rates_over(const abut_spin *spin, ia s)
{
    const ia one = ia_point(1), u = ia_sub(ia_scale(2, s), one);
    if (!spin->slow) {
        const ia x = ia_scale(0.5, ia_from(spin->rate)), ux = ia_mul(u, x), front = inverse_sinc(x);
        const ia a = ia_mul(front, ia_cos(ux));
        return (weights){ a, ia_sub(one, a), ia_mul(front, ia_sin(ux)) };
    }
    const ia xx = ia_scale(0.25, ia_from(spin->rate_sq)), whole = sinc(xx), uu = ia_sqr(u),
             uuxx = ia_mul(uu, xx);
    /* (1 - a') / theta^2 = ((u^2/2 - 1/6) + x^2 (1/120 - u^4/24) + x^4 [-1/5040, 1/720]) / 4 x /
     * sin(x) */
    const ia first = ia_sub(ia_scale(0.5, uu), ia_div(one, ia_point(6)));
    const ia second = ia_mul(xx, ia_sub(ia_div(one, ia_point(120)), ia_div(ia_sqr(uu), ia_point(24))));
    const ia third =
        ia_mul(ia_sqr(xx), ia_hull(ia_div(ia_point(-1), ia_point(5040)), ia_div(one, ia_point(720))));
    return (weights){ ia_div(cosine(uuxx), whole),
                      ia_scale(0.25, ia_div(ia_add(ia_add(first, second), third), whole)),
                      ia_scale(0.5, ia_div(ia_mul(u, sinc(uuxx)), whole)) };
}

static ia3 combine(const abut_screw *screw, const weights *w)
{
    return ia3_add(
        ia3_scale(w->a, ia3_from(&screw->offset)),
        ia3_add(ia3_scale(w->rest, ia3_from(&screw->along)), ia3_scale(w->b, ia3_from(&screw->across))));
}

void abut_screw_enclose(const abut_spin *spin, const abut_screw *screw, ia s, ia3 *out)
{
    if (ia_width(s) <= 0x1p-50 * ia_hi(s)) {
        const weights w = weights_at(spin, s);
        *out = combine(screw, &w);
        return;
    }
    const weights lo = weights_at(spin, ia_point(ia_lo(s))), hi = weights_at(spin, ia_point(ia_hi(s)));
    /* a and the slope of b are monotone: b is largest in size, tan(x/2) / 2, in the middle. */
    weights all = { ia_hull(lo.a, hi.a), ia_empty(), ia_hull(lo.b, hi.b) };
    if (ia_contains(s, 0.5))
        all.b = ia_hull(all.b, weights_at(spin, ia_point(0.5)).b);
    ia3 plain;
    if (spin->slow) {
        all.rest = weights_at(spin, s).rest;
        plain = combine(screw, &all);
    } else { /* a (d - along) + s along: less is counted twice in long intervals */
        const ia3 along = ia3_from(&screw->along);
        plain = ia3_add(ia3_scale(all.a, ia3_sub(ia3_from(&screw->offset), along)),
                        ia3_add(ia3_scale(s, along), ia3_scale(all.b, ia3_from(&screw->across))));
    }
    const ia3 a = combine(screw, &lo), b = combine(screw, &hi);
    const ia w = ia_sub(ia_point(ia_hi(s)), ia_point(ia_lo(s)));
    ia3 rate;
    abut_screw_enclose_rate(spin, screw, s, &rate);
    *out = (ia3){ box_meet(plain.x, box_slope_range(a.x, b.x, rate.x, w)),
                  box_meet(plain.y, box_slope_range(a.y, b.y, rate.y, w)),
                  box_meet(plain.z, box_slope_range(a.z, b.z, rate.z, w)) };
}

void abut_screw_enclose_rate(const abut_spin *spin, const abut_screw *screw, ia s, ia3 *out)
{
    const weights w = rates_over(spin, s);
    *out = combine(screw, &w);
    if (spin->slow || ia_is_point(s))
        return;
    /* along + a' (d - along) + b' across, and its slope by s, to remove what is counted twice */
    const ia x = ia_scale(0.5, ia_from(spin->rate)), u = ia_sub(ia_scale(2, s), ia_point(1)),
             ux = ia_mul(u, x);
    const ia front = ia_mul(ia_scale(2, x), inverse_sinc(x));
    const ia3 flat = ia3_sub(ia3_from(&screw->offset), ia3_from(&screw->along));
    const ia3 bend = ia3_sub(ia3_scale(ia_mul(front, ia_cos(ux)), ia3_from(&screw->across)),
                             ia3_scale(ia_mul(front, ia_sin(ux)), flat));
    const weights lo = rates_over(spin, ia_point(ia_lo(s))), hi = rates_over(spin, ia_point(ia_hi(s)));
    const ia3 a = combine(screw, &lo), b = combine(screw, &hi);
    const ia width = ia_sub(ia_point(ia_hi(s)), ia_point(ia_lo(s)));
    *out = (ia3){ box_meet(out->x, box_slope_range(a.x, b.x, bend.x, width)),
                  box_meet(out->y, box_slope_range(a.y, b.y, bend.y, width)),
                  box_meet(out->z, box_slope_range(a.z, b.z, bend.z, width)) };
}

static abut_vec3 mid3(const abut_interval_vec3 *v)
{
    return abut_v3(box_mid(v->x), box_mid(v->y), box_mid(v->z));
}

static abut_vec3 combine_plain(const abut_screw *screw, double a, double rest, double b)
{
    return abut_add(abut_scale(a, mid3(&screw->offset)),
                    abut_add(abut_scale(rest, mid3(&screw->along)), abut_scale(b, mid3(&screw->across))));
}

static double plain_sinc(double xx)
{
    return 1 - xx / 6 + xx * xx / 120;
}

abut_vec3 abut_screw_at(const abut_spin *spin, const abut_screw *screw, double s)
{
    const double r = 1 - s;
    if (!spin->slow) {
        const double x = box_mid(spin->rate) / 2, front = sin(s * x) / sin(x), a = front * cos(r * x);
        return combine_plain(screw, a, s - a, -front * sin(r * x));
    }
    const double xx = box_mid(spin->rate_sq) / 4, whole = plain_sinc(xx), u = s - r;
    const double front = plain_sinc(s * s * xx) / whole, rr = r * r * xx;
    return combine_plain(screw, s * front * (1 - rr / 2 + rr * rr / 24),
                         -0.5 * u * s * r * (1.0 / 6 - xx * (1 + u * u) / 120) / whole,
                         -0.5 * s * r * front * plain_sinc(rr));
}

abut_vec3 abut_screw_rate_at(const abut_spin *spin, const abut_screw *screw, double s)
{
    const double u = 2 * s - 1, uu = u * u;
    if (!spin->slow) {
        const double x = box_mid(spin->rate) / 2, front = x / sin(x), a = front * cos(u * x);
        return combine_plain(screw, a, 1 - a, front * sin(u * x));
    }
    const double xx = box_mid(spin->rate_sq) / 4, whole = plain_sinc(xx), y = uu * xx;
    return combine_plain(screw, (1 - y / 2 + y * y / 24) / whole,
                         0.25 * (uu / 2 - 1.0 / 6 + xx * (1.0 / 120 - uu * uu / 24)) / whole,
                         0.5 * u * plain_sinc(y) / whole);
}
