/* SPDX-License-Identifier: MIT */
/* Real numbers as two doubles and a radius, for what is computed once when a motion is made.
 *
 * A chain of interval operations widens by an ulp or two at each step; here a step costs 2^-98,
 * so that a matrix made of a dozen of them comes out an ulp wide when it is turned into
 * intervals at last. Holds in every rounding mode: each operation on doubles counts a whole ulp,
 * products are split exactly by fma, and the factor 1.001 covers the rounding of radii. 2^-1000
 * covers products that underflow. A radius that is not finite says that nothing is known.
 * Source: T. J. Dekker, A floating-point technique for extending the available precision (1971). */
#ifndef ABUT_MOTION_BALL_H
#define ABUT_MOTION_BALL_H

#include "interval/ia3.h"

/* |x - (high + low)| <= radius, |low| at most an ulp of high. */
typedef struct ball {
    double high, low, radius;
} ball;

static inline ball ball_point(double x)
{
    return (ball){ x, 0, 0 };
}

static inline ball ball_from(ia a)
{
    const double m = ia_mid(a), above = ia_hi(a) - m, below = m - ia_lo(a);
    return (ball){ m, 0, 1.001 * (above > below ? above : below) };
}

/* high + low with |high| >= |low|, put in order; off by 2^-103 at most. */
static inline ball ball_tidy(double high, double low, double radius)
{
    const double sum = high + low;
    return (ball){ sum, low - (sum - high), radius };
}

static inline bool ball_is_double(ball a)
{
    return a.low == 0 && a.radius == 0;
}

static inline bool ball_is_zero(ball a)
{
    return a.high == 0 && ball_is_double(a);
}

static inline ball ball_neg(ball a)
{
    return (ball){ -a.high, -a.low, a.radius };
}

/* Each of the lows is below 2^-51 of its high and is rounded twice: 2^-100 of the sum of sizes
 * covers all. Exact results of doubles have radius 0, here and below, so that quarter turns stay
 * exact. */
static inline ball ball_add(ball a, ball b)
{
    if (ball_is_zero(a) || ball_is_zero(b))
        return ball_is_zero(a) ? b : a;
    const bool first = fabs(a.high) >= fabs(b.high);
    const double big = first ? a.high : b.high, small = first ? b.high : a.high, sum = big + small;
    const double off = small - (sum - big);
    if (off == 0 && ball_is_double(a) && ball_is_double(b))
        return ball_point(sum);
    return ball_tidy(sum, off + (a.low + b.low),
                     1.001 * (a.radius + b.radius + 0x1p-100 * (fabs(big) + fabs(small))));
}

static inline ball ball_sub(ball a, ball b)
{
    return ball_add(a, ball_neg(b));
}

static inline ball ball_mul(ball a, ball b)
{
    if (ball_is_zero(a) || ball_is_zero(b))
        return ball_point(0);
    const double p = a.high * b.high, off = fma(a.high, b.high, -p);
    if (off == 0 && ball_is_double(a) && ball_is_double(b) &&
        (fabs(p) > 0x1p-900 || a.high == 0 || b.high == 0))
        return ball_point(p);
    return ball_tidy(p, off + (a.high * b.low + a.low * b.high),
                     1.001 * (fabs(a.high) * b.radius + fabs(b.high) * a.radius + a.radius * b.radius) +
                         0x1p-98 * fabs(p) + 0x1p-1000);
}

static inline ball ball_div(ball a, ball b)
{
    const double q = a.high / b.high, p = q * b.high, off = fma(q, b.high, -p);
    if (off == 0 && p == a.high && fabs(p) > 0x1p-900 && ball_is_double(a) && ball_is_double(b))
        return ball_point(q);
    const double rest = ((a.high - p) - off) + (a.low - q * b.low), least = 0.999 * fabs(b.high) - b.radius;
    if (ball_is_zero(a) && least > 0)
        return ball_point(0);
    return ball_tidy(q, rest / b.high,
                     least > 0
                         ? 1.01 * (a.radius + fabs(q) * b.radius) / least + 0x1p-97 * fabs(q) + 0x1p-1000
                         : HUGE_VAL);
}

/* The square root's derivative is 1 / (2 sqrt); 1 / sqrt leaves room for the second order.
 * Nothing is known near 0. */
static inline ball ball_sqrt(ball a)
{
    if (!(a.high > 2 * a.radius && a.high > 0x1p-900))
        return (ball){ 0, 0, HUGE_VAL };
    const double r = sqrt(a.high), p = r * r, off = fma(r, r, -p);
    if (off == 0 && p == a.high && ball_is_double(a))
        return ball_point(r);
    const double rest = ((a.high - p) - off) + a.low;
    return ball_tidy(r, rest / (2 * r), 1.01 * a.radius / r + 0x1p-97 * r);
}

static inline ia ball_to(ball a)
{
    if (!isfinite(a.high) || !isfinite(a.low) || !(a.radius < HUGE_VAL))
        return ia_entire();
    return ia_add(ia_point(a.high), ia_add(ia_point(a.low), ia_make(-a.radius, a.radius)));
}

/* ball.c */
ball abut_ball_pi(void);
void abut_ball_sin_cos(ball x, ball *s, ball *c);

typedef struct ball3 {
    ball x, y, z;
} ball3;

static inline ball3 ball3_sub(ball3 a, ball3 b)
{
    return (ball3){ ball_sub(a.x, b.x), ball_sub(a.y, b.y), ball_sub(a.z, b.z) };
}

static inline ball3 ball3_scale(ball s, ball3 a)
{
    return (ball3){ ball_mul(s, a.x), ball_mul(s, a.y), ball_mul(s, a.z) };
}

static inline ball ball3_dot(ball3 a, ball3 b)
{
    return ball_add(ball_add(ball_mul(a.x, b.x), ball_mul(a.y, b.y)), ball_mul(a.z, b.z));
}

static inline ball3 ball3_cross(ball3 a, ball3 b)
{
    return (ball3){ ball_sub(ball_mul(a.y, b.z), ball_mul(a.z, b.y)),
                    ball_sub(ball_mul(a.z, b.x), ball_mul(a.x, b.z)),
                    ball_sub(ball_mul(a.x, b.y), ball_mul(a.y, b.x)) };
}

static inline ia3 ball3_to(ball3 a)
{
    return (ia3){ ball_to(a.x), ball_to(a.y), ball_to(a.z) };
}

typedef struct ball4 {
    ball w;
    ball3 v;
} ball4;

typedef struct ball33 {
    ball3 column[3];
} ball33;

/* [n]x a */
static inline ball33 ball33_cross(ball3 n, const ball33 *a)
{
    return (ball33){ { ball3_cross(n, a->column[0]), ball3_cross(n, a->column[1]),
                       ball3_cross(n, a->column[2]) } };
}

static inline ia33 ball33_to(const ball33 *a)
{
    const ia3 x = ball3_to(a->column[0]), y = ball3_to(a->column[1]), z = ball3_to(a->column[2]);
    return (ia33){ { { x.x, y.x, z.x }, { x.y, y.y, z.y }, { x.z, y.z, z.z } } };
}

#endif
