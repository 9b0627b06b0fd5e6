/* SPDX-License-Identifier: MIT */
/* The filters of a step of two characters made of ellipsoids: bounding balls that sweep, and a
 * plane kept over the step.
 *
 * Both ask for a direction n along which the bodies stay apart. Centres move on lines, so that n .
 * (b - a) is least at an end of the step. A body's reach along n is |D R(t)^T n|, D its radii; for
 * `nlerp` R(t) is a rational Bezier curve of degree 2 with the matrices C0, C1, C2 and the weights
 * 1, w, 1, hence so is D R(t)^T n, and its length is at most the same mean of h_i = |D C_i^T n|.
 * With Bernstein polynomials B_i in place of the rational ones that mean changes by
 *     (1 - w) B1 / W (B0 (h0 - h1) + B2 (h2 - h1)) <= (1 - w) / 3 max(h0 - h1, h2 - h1, 0)
 * where W = 1 - (1 - w) B1 >= 3/4 and B1 (1 - B1) <= 1/4, for w >= 1/2 (turns up to 120 degrees;
 * other bodies are not filtered by planes). So the gap along n is at least the smallest of its
 * three Bernstein coefficients less those terms.
 *
 * Doubles, to nearest, with error bounds known beforehand. With u = 2^-53: unit quaternions are off
 * by 8 u, entries of C0 and C2 by 24 u, of C1 (a quotient by w) by 130 u; with n of length 1 the
 * h_i are off by less than 512 u times the largest radius, and n . (b - a) by 6 u times the
 * lengths. `slack` below is 2^-43 times all of that, twice the sum.
 *
 * Included once for AVX2 and once for any machine. The same operations either way, lane by lane,
 * so that the answers are the same. */
#ifndef ABUT_CCD_STEP_FILTER_H
#define ABUT_CCD_STEP_FILTER_H

#include "math/vec3.h"

#include <stdint.h>
#include <string.h>

enum { STEP_LANES = 4 };

typedef double step_v4 __attribute__((vector_size(32)));
typedef int64_t step_m4 __attribute__((vector_size(32)));

#define STEP_INLINE static inline __attribute__((always_inline))

/* For tests: the answers do not depend on it. */
extern int abut_step_force_plain;

/* One body as the plane filter sees it. */
typedef struct step_body {
    /* [component of D C_i^T n][component of n], lanes i = 0, 1, 2, and 1 again */
    step_v4 reach[3][3];
    abut_vec3 from, to;
    double radius;    /* of the ball around it */
    double unequal;   /* (1 - w) / 3; NaN: turns too far */
    double spread[6]; /* R D^2 R^T at the start: xx, xy, xz, yy, yz, zz */
} step_body;

/* The bodies of one character for the ball filter, in groups of STEP_LANES; the rest of the last
 * group is at NaN, and stays. */
typedef struct step_balls {
    double (*from)[3][STEP_LANES], (*to)[3][STEP_LANES], (*radius)[STEP_LANES];
} step_balls;

STEP_INLINE step_v4 step_all(double x)
{
    return (step_v4){ x, x, x, x };
}

STEP_INLINE step_v4 step_load(const double *p)
{
    step_v4 v;
    memcpy(&v, p, sizeof v);
    return v;
}

STEP_INLINE step_v4 step_pick(step_m4 m, step_v4 yes, step_v4 no)
{
    return (step_v4)(((step_m4)yes & m) | ((step_m4)no & ~m));
}

STEP_INLINE step_v4 step_abs(step_v4 a)
{
    return (step_v4)((step_m4)a & (step_m4){ INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX });
}

STEP_INLINE step_v4 step_min(step_v4 a, step_v4 b)
{
    return step_pick(a < b, a, b);
}

STEP_INLINE step_v4 step_max(step_v4 a, step_v4 b)
{
    return step_pick(a > b, a, b);
}

/* All ones where the balls stay apart while they sweep: along n, the shortest way from the path
 * of b - a to the origin. */
STEP_INLINE step_m4 step_balls_apart(const step_body *a, const step_balls *b, size_t group)
{
    const double af[3] = { a->from.x, a->from.y, a->from.z }, at[3] = { a->to.x, a->to.y, a->to.z };
    step_v4 p[3], q[3], e[3], n[3];
    for (int i = 0; i < 3; ++i) {
        p[i] = step_load(b->from[group][i]) - step_all(af[i]);
        q[i] = step_load(b->to[group][i]) - step_all(at[i]);
        e[i] = q[i] - p[i];
    }
    const step_v4 zero = step_all(0), one = step_all(1);
    const step_v4 pe = p[0] * e[0] + p[1] * e[1] + p[2] * e[2], ee = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
    const step_v4 s = step_min(step_max(-pe / ee, zero), one); /* NaN gives 0, then the start */
    for (int i = 0; i < 3; ++i)
        n[i] = p[i] + s * e[i];
    const step_v4 np = n[0] * p[0] + n[1] * p[1] + n[2] * p[2], nq = n[0] * q[0] + n[1] * q[1] + n[2] * q[2];
    const step_v4 nn = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    step_v4 size = zero;
    for (int i = 0; i < 3; ++i)
        size += step_abs(n[i]) * (step_abs(p[i]) + step_abs(q[i]));
    /* n . (b - a) is off by less than 6 u of the sizes of its terms. Below 2^-900 products
     * underflow. */
    const step_v4 least = step_min(np, nq) - step_all(0x1p-49) * size;
    const step_v4 r = step_load(b->radius[group]) + step_all(a->radius), most = r * r * nn;
    return (least > zero) & (least * least > step_all(1 + 0x1p-48) * most) & (most > step_all(0x1p-900)) &
           (r > step_all(0x1p-400)) & (nn > step_all(0x1p-900));
}

/* Lengths of D C_i^T n in each lane, to be squared-rooted. */
STEP_INLINE step_v4 step_reach_squared(const step_body *body, abut_vec3 n)
{
    step_v4 sum = step_all(0);
    for (int j = 0; j < 3; ++j) {
        const step_v4 v = body->reach[j][0] * step_all(n.x) + body->reach[j][1] * step_all(n.y) +
                          body->reach[j][2] * step_all(n.z);
        sum += v * v;
    }
    return sum;
}

STEP_INLINE void step_sqrt(step_v4 *a)
{
    *a = (step_v4){ sqrt((*a)[0]), sqrt((*a)[1]), sqrt((*a)[2]), sqrt((*a)[3]) };
}

static inline double step_most(double a, double b)
{
    return a > b ? a : b;
}

static inline double step_sum_norm(abut_vec3 a)
{
    return fabs(a.x) + fabs(a.y) + fabs(a.z);
}

/* True where the plane across n keeps them apart over the whole step; n of length 1 up to
 * rounding. */
STEP_INLINE bool step_plane_holds(const step_body *a, const step_body *b, abut_vec3 n)
{
    const abut_vec3 p = abut_sub(b->from, a->from), q = abut_sub(b->to, a->to);
    const double np = abut_dot(n, p), nq = abut_dot(n, q), middle = 0.5 * (np + nq);
    step_v4 ha = step_reach_squared(a, n), hb = step_reach_squared(b, n);
    step_sqrt(&ha);
    step_sqrt(&hb);
    const step_v4 gap = (step_v4){ np, middle, nq, middle } - ha - hb;
    const double bent = a->unequal * step_most(step_most(ha[0], ha[2]) - ha[1], 0) +
                        b->unequal * step_most(step_most(hb[0], hb[2]) - hb[1], 0);
    const double slack = 0x1p-43 * (a->radius + b->radius + step_sum_norm(p) + step_sum_norm(q));
    return gap[0] - bent > slack && gap[1] - bent > slack && gap[2] - bent > slack;
}

#endif
