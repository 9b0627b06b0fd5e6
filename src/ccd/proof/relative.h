/* SPDX-License-Identifier: MIT */
/* Where one body is in the frame of another over a stretch of time: the placements of both,
 * never multiplied out further than needed.
 *
 * A point p of body one is, in the frame of body two, at  x = B (A p + d)  with A the linear part
 * of one, B the inverse of that of two (its transpose where it is a rotation) and d the difference
 * of the translations. The difference is taken before B is applied: near a contact A p + d is no
 * longer than body two, however far both are from the origin, so that a turning B widens x by no
 * more than body two is large.
 *
 * Directions of one are mapped by Q = B A, its normals (covectors) by Q^-T, which is Q for
 * rotations. */
#ifndef ABUT_CCD_PROOF_RELATIVE_H
#define ABUT_CCD_PROOF_RELATIVE_H

#include "motion/motion.h"
#include "surface/surface.h"

/* A body of a query. */
typedef struct abut_relative_side {
    const abut_surface *surface;
    const abut_motion *motion; /* NULL: identity */
    bool rigid;
    bool moves; /* not at rest */
    bool turns; /* its linear part is not exactly the identity all the time */
} abut_relative_side;

typedef struct abut_relative {
    const void *of; /* what it was computed for, with t: the cache of a thread */
    ia t;
    bool rates;       /* the rates are there, too */
    bool rates_known; /* and all of them are finite */
    /* all of t lies in the range of both motions, and the linear part of two is proved regular */
    bool defined;
    bool turns; /* q is not exactly the identity */
    bool rigid;
    bool one_turns, two_turns;
    ia33 one, back, q, normal_map;
    ia3 origin, d; /* translation of one; less that of two */
    ia33 one_rate, back_rate, q_rate;
    ia3 d_rate;
} abut_relative;

/* Fills a side for a query over `range`; ABUT_ERR_UNSUPPORTED where the motion has no
 * enclosures. Rounding to nearest. */
abut_status abut_side_make(const abut_surface *surface, const abut_motion *motion, abut_interval range,
                           abut_relative_side *out);

/* Kernel. Times beyond the ranges of the motions are cut off, and `defined` is false then. */
void abut_relative_over(const abut_relative_side *one, const abut_relative_side *two, ia t,
                        abut_relative *out);
/* Kernel. Adds the rates. */
void abut_relative_rates(const abut_relative_side *one, const abut_relative_side *two, abut_relative *out);

/* A point of one. What follows are kernels. */
typedef struct abut_moved {
    ia3 world;
    ia3 x;    /* in the frame of two */
    ia3 from; /* A p + d */
} abut_moved;

static inline ia3 abut_relative_turn(bool turns, const ia33 *m, ia3 x)
{
    return turns ? ia33_mul3(m, x) : x;
}

static inline abut_moved abut_relative_point(const abut_relative *r, ia3 p)
{
    abut_moved out;
    const ia3 turned = abut_relative_turn(r->one_turns, &r->one, p);
    out.world = ia3_add(turned, r->origin);
    out.from = ia3_add(turned, r->d);
    out.x = abut_relative_turn(r->two_turns, &r->back, out.from);
    return out;
}

/* Of a direction of one. */
static inline ia3 abut_relative_direction(const abut_relative *r, ia3 v)
{
    return abut_relative_turn(r->turns, &r->q, v);
}

/* d/dt of the above for a direction that changes by `rate` in its own frame. */
static inline ia3 abut_relative_direction_rate(const abut_relative *r, ia3 v, ia3 rate)
{
    if (!r->turns)
        return rate;
    return ia3_add(ia33_mul3(&r->q_rate, v), ia33_mul3(&r->q, rate));
}

static inline ia3 abut_relative_normal(const abut_relative *r, ia3 n)
{
    return abut_relative_turn(r->turns, &r->normal_map, n);
}

/* Velocity of x for a p that moves by `rate` in its own frame. */
static inline ia3 abut_relative_velocity(const abut_relative *r, const abut_moved *m, ia3 p, ia3 rate)
{
    ia3 v = ia3_add(abut_relative_turn(r->one_turns, &r->one, rate), r->d_rate);
    if (r->one_turns)
        v = ia3_add(v, ia33_mul3(&r->one_rate, p));
    v = abut_relative_turn(r->two_turns, &r->back, v);
    return r->two_turns ? ia3_add(v, ia33_mul3(&r->back_rate, m->from)) : v;
}

static inline ia3 abut_relative_zero(void)
{
    return (ia3){ ia_point(0), ia_point(0), ia_point(0) };
}

#endif
