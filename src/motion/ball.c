/* SPDX-License-Identifier: MIT */
/* Sine and cosine of a ball.
 *
 * Method: whole turns off, halved until below 1/16, Taylor series of sin and 1 - cos to x^17 and
 * x^18, doubled again. After the cut the next term is below x^19 / 19! < 2^-130; each of at most
 * 8 doublings multiplies radii by 4, so that 80 bits are left. Angles below 2^-30 and above 2^20
 * come from the interval functions, which are good to an ulp of the result. */
#include "motion/ball.h"

/* The third part of pi is -2.995e-33, below 2^-107. */
static const ball pi = { 0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53, 0x1p-107 };

ball abut_ball_pi(void)
{
    return pi;
}

/* first (1 - y / (a (a+1)) (1 - y / ((a+2) (a+3)) (...))), eight levels, a from `start` on */
static ball nested(ball first, ball y, int start)
{
    const ball one = ball_point(1);
    ball sum = one;
    for (int a = start + 14; a >= start; a -= 2)
        sum = ball_sub(one, ball_mul(ball_div(y, ball_point(a * (a + 1))), sum));
    sum.radius += 0x1p-120;
    return ball_mul(first, sum);
}

void abut_ball_sin_cos(ball x, ball *s, ball *c)
{
    if (!(fabs(x.high) >= 0x1p-30 && fabs(x.high) <= 0x1p20)) {
        const ia angle = ball_to(x);
        *s = ball_from(ia_sin(angle));
        *c = ball_from(ia_cos(angle));
        return;
    }
    if (fabs(x.high) > 4) {
        const ball turn = { 2 * pi.high, 2 * pi.low, 2 * pi.radius };
        x = ball_sub(x, ball_mul(ball_point(floor(x.high / turn.high + 0.5)), turn));
    }
    int doublings = 0;
    for (; fabs(x.high) > 0x1p-4; ++doublings)
        x = (ball){ 0.5 * x.high, 0.5 * x.low, 0.5 * x.radius };
    const ball y = ball_mul(x, x), one = ball_point(1), two = ball_point(2);
    ball sine = nested(x, y, 2), vers = nested(ball_mul(ball_point(0.5), y), y, 3);
    for (; doublings > 0; --doublings) {
        const ball both = ball_mul(sine, ball_sub(one, vers));
        vers = ball_mul(two, ball_mul(sine, sine));
        sine = ball_mul(two, both);
    }
    *s = sine;
    *c = ball_sub(one, vers);
}
