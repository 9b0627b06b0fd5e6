/* SPDX-License-Identifier: MIT */
/* See convex_pair.h. The searches are written once, in convex_pair_real.h, for two types of
 * numbers. */
#include "oracle/convex_pair.h"

#include <float.h>
#include <math.h>

#define SEED_HINTS 3
#define ERROR      100

#define MAX_VERTICES 2048
#define MAX_FACES    (4 * MAX_VERTICES)

#define REAL    long double
#define N(name) long_##name
#define EPS     LDBL_EPSILON
#define NEAR    1e-8L

static long double long_root(long double x)
{
    return sqrtl(x);
}

#include "oracle/convex_pair_real.h"

#undef REAL
#undef N
#undef EPS
#undef NEAR

/* 113 bits: software on x86; where long double has them already, the same again. Only arithmetic
 * is asked of the compiler. */
#if LDBL_MANT_DIG < 113
__extension__ typedef __float128 quad;
#else
typedef long double quad;
#endif

#define REAL    quad
#define N(name) quad_##name
#define EPS     0x1p-112L
#define NEAR    1e-14L

/* One step of Newton's from 64 bits. */
static quad quad_root(quad x)
{
    const quad y = (quad)sqrtl((long double)x);
    return y > 0 ? y + (x - y * y) / (2 * y) : y;
}

#include "oracle/convex_pair_real.h"

oracle_gap oracle_convex_gap(const oracle_convex *pair, const abut_vec3 *hints, int hint_count,
                             oracle_effort effort, long double goal_lo, long double goal_hi)
{
    if (effort == ORACLE_QUAD)
        return quad_solve(pair, hints, hint_count, 400, 600, goal_lo, goal_hi);
    const bool quick = effort == ORACLE_QUICK;
    return long_solve(pair, hints, hint_count, quick ? 60 : 400, quick ? 80 : 1500, goal_lo, goal_hi);
}

long double oracle_convex_separation(const oracle_convex *pair, abut_vec3 n, long double *error)
{
    long_couple c;
    long_prepare(pair, &c);
    long_vec d = long_from(n);
    long_unit(&d);
    if (pair->a->core == ORACLE_CORE_HALFSPACE || pair->b->core == ORACLE_CORE_HALFSPACE) {
        long_halfspace(&c, pair->a->core == ORACLE_CORE_HALFSPACE);
        *error = 2 * c.error;
        return (c.lo + c.hi) / 2 - c.radii;
    }
    const long_vec w = long_support(&c, d);
    *error = 2 * c.error;
    return long_dot(d, w) - c.radii;
}

void oracle_convex_support(const oracle_body *body, abut_quat rotation, const long double n[3],
                           long double out[3])
{
    long_vec d = { { n[0], n[1], n[2] } };
    long_unit(&d);
    const long_matrix r = long_rotation(rotation);
    const long_vec p = long_turn(&r, long_core_support(body, long_turn_back(&r, d)));
    for (int i = 0; i < 3; ++i)
        out[i] = p.x[i] + ((long double)body->radius + (long double)body->margin) * d.x[i];
}
