/* SPDX-License-Identifier: MIT */
/* Rotation about a fixed axis, enclosed.
 *
 * Method: R = R0 + sin(phi) M1 + (1 - cos(phi)) M2 with M1 = [n]x R0 and M2 = [n]x M1. Each entry
 * is a sine wave in phi, so its range over an interval of angles is the hull of the two ends and,
 * where the slope may vanish between them, of the wave's crest or trough: exact up to rounding for
 * intervals of any length.
 *
 * Surprise: for small angles the axis n is badly known, or not at all (two statements of one
 * rotation may differ by rounding only). A slow spin therefore keeps w = n phi(1), which is
 * always well known, and divides the functions instead: R = R0 + (sin(phi) / |w|) [w]x R0 + ((1
 * - cos(phi)) / |w|^2) [w]x [w]x R0, from power series that hold for |w| = 0. Derivations:
 * docs/notes/motion-enclosures.md. */
#include "motion/spin.h"

#include "math/vec3.h"
#include "motion/kernel.h"

/* Series are cut after x^4; the rest is below x^6 / 5040 < 2^-60 for x < 2^-8. */
static const double slow_angle = 0x1p-8;

/* sin, 1 - cos and cos of phi; where slow, sin / rate, (1 - cos) / rate^2 and cos. */
typedef struct arc {
    ia sin, vers, cos;
} arc;

/* c0 - c1 x + c2 x^2 - [0, c3] x^3 for x >= 0, the coefficients 1 / d. */
static ia series(ia x, double d0, double d1, double d2, double d3)
{
    const ia one = ia_point(1), xx = ia_sqr(x);
    const ia rest = ia_make(-ia_hi(ia_div(ia_mul(xx, x), ia_point(d3))), 0);
    const ia head = ia_sub(ia_div(one, ia_point(d0)), ia_div(x, ia_point(d1)));
    return ia_add(ia_add(head, ia_div(xx, ia_point(d2))), rest);
}

static abut_interval_mat3 within_one(const ball33 *a)
{
    ia33 m = ball33_to(a);
    for (int i = 0; i < 9; ++i)
        m.m[i / 3][i % 3] = box_within_one(m.m[i / 3][i % 3]);
    return ia33_to(&m);
}

/* `factor` times the axis is what is kept: 1, or a number known to an ulp. */
static void finish(abut_spin *spin, const ball33 *start, ball3 axis, ia factor)
{
    const ball33 m1 = ball33_cross(axis, start), m2 = ball33_cross(axis, &m1);
    const ia33 one = ball33_to(&m1), two = ball33_to(&m2);
    const ia33 scaled_one = ia33_scale(factor, &one), scaled_two = ia33_scale(ia_sqr(factor), &two);
    spin->axis = ia3_to(ia3_scale(factor, ball3_to(axis)));
    spin->m1 = ia33_to(&scaled_one);
    spin->m2 = ia33_to(&scaled_two);
}

/* The angle of the unit vector (c, s), to an ulp: off libm's value (which need not be right) by
 * the sine of the difference. */
static ia angle_of(ball s, ball c)
{
    const ia plain = ia_atan2(box_within_one(ball_to(s)), box_within_one(ball_to(c)));
    const double guess = ia_mid(plain);
    ball s0, c0;
    abut_ball_sin_cos(ball_point(guess), &s0, &c0);
    ball off = ball_sub(ball_mul(s, c0), ball_mul(c, s0));
    if (!(fabs(off.high) < 0x1p-40 && ia_width(plain) < 1))
        return plain;
    off.radius += 0x1p-120; /* asin(x) - x < x^3 / 5 */
    return box_meet(plain, ball_to(ball_add(ball_point(guess), off)));
}

/* to = (w + v) from; v = sin(a) n and w = cos(a), a half the angle. */
void abut_spin_between(const abut_rotation *from, const abut_rotation *to, bool rational, abut_spin *out)
{
    *out = (abut_spin){ .rational = rational, .has_end = true };
    ball33 start, end;
    abut_motion_rotation_matrix(from, &start);
    abut_motion_rotation_matrix(to, &end);
    out->start = within_one(&start);
    out->end = within_one(&end);
    if (abut_motion_same_rotation(from, to))
        return;
    out->turns = true;
    ball4 p, q;
    abut_motion_rotation_quat(from, &p);
    abut_motion_rotation_quat(to, &q);
    ball w = ball_add(ball_mul(p.w, q.w), ball3_dot(p.v, q.v));
    ball3 v = ball3_sub(ball3_sub(ball3_scale(p.w, q.v), ball3_scale(q.w, p.v)), ball3_cross(q.v, p.v));
    if (ia_hi(ball_to(w)) <
        0) { /* the other way is shorter; a tie, or what cannot be distinguished from one, stays as stated */
        w = ball_neg(w);
        v = (ball3){ ball_neg(v.x), ball_neg(v.y), ball_neg(v.z) };
    }
    const ia3 rough = ball3_to(v);
    const ia half_cos = box_meet(ball_to(w), ia_make(-1, 1)), xx = ia3_sqr_norm(rough);
    out->half_cos = ia_to(half_cos);
    out->slow = ia_hi(xx) < 0x1p-18 && ia_lo(half_cos) > 0; /* (slow_angle / 2)^2 */
    if (out->slow) {
        /* 2 asin(x) / x = 2 + x^2/3 + 3 x^4/20 + less than x^6/10; and sin(a) / (2 a) = 1 /
         * (that). */
        const ia x4 = ia_sqr(xx), rest = ia_make(0, ia_hi(ia_div(ia_mul(x4, xx), ia_point(10))));
        const ia ratio = ia_add(ia_add(ia_add(ia_point(2), ia_div(xx, ia_point(3))),
                                       ia_div(ia_mul(ia_point(3), x4), ia_point(20))),
                                rest);
        out->rate_sq = ia_to(ia_mul(ia_sqr(ratio), xx));
        out->rate = ia_to(ia_mul(ratio, ia_sqrt(xx)));
        out->half_sin = ia_to(ia_div(ia_point(1), ratio));
        finish(out, &start, v, ratio);
        return;
    }
    const ball length = ball_sqrt(ball3_dot(v, v));
    const ia half_sin = box_within_one(ball_to(length)), angle = ia_scale(2, angle_of(length, w));
    out->rate = ia_to(angle);
    out->rate_sq = ia_to(ia_sqr(angle));
    out->half_sin = ia_to(half_sin);
    finish(out, &start, (ball3){ ball_div(v.x, length), ball_div(v.y, length), ball_div(v.z, length) },
           ia_point(1));
}

void abut_spin_steady(const abut_rotation *rotation, abut_vec3 angular, double duration, abut_spin *out)
{
    *out = (abut_spin){ .turns = abut_max_norm(angular) > 0 };
    ball33 start;
    abut_motion_rotation_matrix(rotation, &start);
    out->start = within_one(&start);
    if (!out->turns)
        return;
    /* |angular| = angular . n, without overflow or underflow on the way */
    const ball3 n = abut_motion_unit(angular);
    const ia rate = ia3_dot(ia3_point(angular), ball3_to(n));
    out->rate = ia_to(box_meet(rate, ia_make(0, HUGE_VAL)));
    out->rate_sq = ia_to(ia_sqr(rate));
    out->slow = ia_hi(ia_mul(rate, ia_point(duration))) < slow_angle;
    finish(out, &start, n, out->slow ? rate : ia_point(1));
}

void abut_spin_about(abut_vec3 axis, abut_spin *out)
{
    *out = (abut_spin){ .turns = true, .rate = { 1, 1 }, .rate_sq = { 1, 1 } };
    ball33 start;
    abut_motion_rotation_matrix(&(abut_rotation){ .kind = ABUT_ROTATION_IDENTITY }, &start);
    out->start = within_one(&start);
    finish(out, &start, abut_motion_unit(axis), ia_point(1));
}

/* At a parameter known to a few ulp. */
static arc arc_at(const abut_spin *spin, ia u)
{
    const ia one = ia_point(1), rate = ia_from(spin->rate), rate_sq = ia_from(spin->rate_sq);
    if (spin->rational) {
        const ia x = ia_add(ia_sub(one, u), ia_mul(u, ia_from(spin->half_cos)));
        const ia y = ia_mul(u, ia_from(spin->half_sin)), yy = ia_sqr(y);
        const ia size = ia_add(ia_sqr(x), spin->slow ? ia_mul(rate_sq, yy) : yy);
        const ia vers = ia_div(ia_scale(2, yy), size);
        return (arc){ ia_div(ia_scale(2, ia_mul(x, y)), size), vers,
                      ia_sub(one, spin->slow ? ia_mul(rate_sq, vers) : vers) };
    }
    if (spin->slow) {
        const ia uu = ia_sqr(u), xx = ia_mul(rate_sq, uu), vers = ia_mul(uu, series(xx, 2, 24, 720, 40320));
        return (arc){ ia_mul(u, series(xx, 1, 6, 120, 5040)), vers, ia_sub(one, ia_mul(rate_sq, vers)) };
    }
    const ia phi = ia_mul(rate, u), c = ia_cos(phi);
    return (arc){ ia_sin(phi), ia_sub(one, c), c };
}

/* Over all parameters in u, given both ends. */
static arc arc_over(const abut_spin *spin, ia u, const arc *a, const arc *b)
{
    arc all = { ia_hull(a->sin, b->sin), ia_hull(a->vers, b->vers), ia_hull(a->cos, b->cos) };
    if (spin->slow) /* all three are monotone */
        return all;
    if (!spin->rational) {
        const ia phi = ia_mul(ia_from(spin->rate), u);
        all.sin = ia_sin(phi);
        all.cos = ia_cos(phi);
        all.vers = ia_sub(ia_point(1), all.cos);
        return all;
    }
    /* phi runs up from 0 to pi at most, or beyond by the error of a tie. */
    if (ia_hi(a->cos) >= 0 && ia_lo(b->cos) <= 0)
        all.sin = ia_hull(all.sin, ia_point(1));
    if (ia_lo(b->sin) < 0) {
        all.cos = ia_hull(all.cos, ia_point(-1));
        all.vers = ia_hull(all.vers, ia_point(2));
    }
    return all;
}

/* The range of centre + p sin(phi) - q cos(phi) from its values at the ends and a plain
 * enclosure; `slope` encloses the derivative. Its extrema are centre +- sqrt(p^2 + q^2). */
static ia wave_range(ia at_a, ia at_b, ia plain, ia slope, ia centre, ia p, ia q)
{
    ia range = ia_hull(at_a, at_b);
    if (ia_contains_zero(slope)) {
        const ia size = ia_sqrt(ia_add(ia_sqr(p), ia_sqr(q)));
        const ia off = ia_sub(plain, centre);
        if (ia_hi(off) > 0)
            range = ia_hull(range, ia_add(centre, size));
        if (ia_lo(off) < 0)
            range = ia_hull(range, ia_sub(centre, size));
    }
    return box_meet(plain, range);
}

static ia place(ia r0, ia m1, ia m2, const arc *a)
{
    return ia_add(r0, ia_add(ia_mul(m1, a->sin), ia_mul(m2, a->vers)));
}

static ia turn(ia m1, ia m2, const arc *a)
{
    return ia_add(ia_mul(m1, a->cos), ia_mul(m2, a->sin));
}

void abut_spin_enclose(const abut_spin *spin, ia u, ia33 *out)
{
    const ia33 start = ia33_from(&spin->start), end = ia33_from(&spin->end);
    const bool from_start = ia_lo(u) == 0, to_end = spin->has_end && ia_hi(u) == 1;
    if (!spin->turns || ia_mag(u) == 0) {
        *out = start;
        return;
    }
    if (to_end && ia_lo(u) == 1) {
        *out = end;
        return;
    }
    /* At a time known to a few ulp both ends are as good as one. */
    const bool thin = ia_width(u) <= 0x1p-50 * ia_mag(u) && !to_end;
    const arc a = arc_at(spin, thin ? u : ia_point(ia_lo(u)));
    const arc b = thin ? a : arc_at(spin, ia_point(ia_hi(u)));
    const arc all = thin ? a : arc_over(spin, u, &a, &b);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const ia r0 = start.m[i][j], m1 = ia_from(spin->m1.m[i][j]), m2 = ia_from(spin->m2.m[i][j]);
            ia g = place(r0, m1, m2, &all);
            if (!thin) {
                const ia at_a = from_start ? r0 : place(r0, m1, m2, &a);
                const ia at_b = to_end ? end.m[i][j] : place(r0, m1, m2, &b);
                const ia slope = turn(m1, m2, &all);
                if (!spin->slow)
                    g = wave_range(at_a, at_b, g, slope, ia_add(r0, m2), m1, m2);
                else if (!ia_contains_zero(slope))
                    g = box_meet(g, ia_hull(at_a, at_b));
            }
            out->m[i][j] = box_within_one(g);
        }
}

/* |q(u)|^2 = 1 - 2 u (1 - u) (1 - cos a), least at u = 1/2. */
static ia rational_size(const abut_spin *spin, ia u)
{
    const ia one = ia_point(1), lo = ia_point(ia_lo(u)), hi = ia_point(ia_hi(u));
    ia bump = ia_hull(ia_mul(lo, ia_sub(one, lo)), ia_mul(hi, ia_sub(one, hi)));
    if (ia_contains(u, 0.5))
        bump = ia_hull(bump, ia_point(0.25));
    return ia_sub(one, ia_scale(2, ia_mul(bump, ia_sub(one, ia_from(spin->half_cos)))));
}

/* d phi / du, divided by rate where slow. */
static ia scaled_speed(const abut_spin *spin, ia u)
{
    if (spin->rational)
        return ia_div(ia_scale(2, ia_from(spin->half_sin)), rational_size(spin, u));
    return spin->slow ? ia_point(1) : ia_from(spin->rate);
}

ia abut_spin_speed(const abut_spin *spin, ia u)
{
    if (!spin->turns)
        return ia_point(0);
    const ia speed = scaled_speed(spin, u);
    return spin->slow ? ia_mul(ia_from(spin->rate), speed) : speed;
}

void abut_spin_enclose_rate(const abut_spin *spin, ia u, ia33 *out)
{
    if (!spin->turns) {
        for (int i = 0; i < 9; ++i)
            out->m[i / 3][i % 3] = ia_point(0);
        return;
    }
    const arc a = arc_at(spin, ia_point(ia_lo(u))), b = arc_at(spin, ia_point(ia_hi(u)));
    const arc all = arc_over(spin, u, &a, &b);
    const ia speed = scaled_speed(spin, u);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const ia m1 = ia_from(spin->m1.m[i][j]), m2 = ia_from(spin->m2.m[i][j]);
            ia g = turn(m1, m2, &all);
            if (!spin->slow) {
                const ia slope = ia_sub(ia_mul(m2, all.cos), ia_mul(m1, all.sin));
                g = wave_range(turn(m1, m2, &a), turn(m1, m2, &b), g, slope, ia_point(0), m2, ia_neg(m1));
            }
            out->m[i][j] = ia_mul(speed, g);
        }
}

static void plain_arc(const abut_spin *spin, double u, double *s, double *v, double *c, double *speed)
{
    const double rate = box_mid(spin->rate), rate_sq = box_mid(spin->rate_sq);
    if (spin->rational) {
        const double x = (1 - u) + u * box_mid(spin->half_cos), y = u * box_mid(spin->half_sin);
        const double unit = spin->slow ? rate_sq : 1, size = x * x + unit * y * y;
        *s = 2 * x * y / size;
        *v = 2 * y * y / size;
        *c = 1 - unit * *v;
        *speed = 2 * box_mid(spin->half_sin) / size;
    } else if (spin->slow) {
        const double xx = rate_sq * u * u;
        *s = u * (1 - xx / 6 + xx * xx / 120);
        *v = u * u * (0.5 - xx / 24 + xx * xx / 720);
        *c = 1 - rate_sq * *v;
        *speed = 1;
    } else {
        const double half = sin(rate * u / 2);
        *s = sin(rate * u);
        *v = 2 * half * half;
        *c = cos(rate * u);
        *speed = rate;
    }
}

void abut_spin_at(const abut_spin *spin, double u, abut_mat3 *out)
{
    double s = 0, v = 0, c, speed;
    const bool at_end = spin->has_end && u == 1;
    if (spin->turns && !at_end)
        plain_arc(spin, u, &s, &v, &c, &speed);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out->m[i][j] = at_end ? box_mid(spin->end.m[i][j])
                                  : box_mid(spin->start.m[i][j]) +
                                        (s * box_mid(spin->m1.m[i][j]) + v * box_mid(spin->m2.m[i][j]));
}

void abut_spin_rate_at(const abut_spin *spin, double u, abut_mat3 *out)
{
    *out = (abut_mat3){ { { 0 } } };
    if (!spin->turns)
        return;
    double s, v, c, speed;
    plain_arc(spin, u, &s, &v, &c, &speed);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out->m[i][j] = speed * (c * box_mid(spin->m1.m[i][j]) + s * box_mid(spin->m2.m[i][j]));
}
