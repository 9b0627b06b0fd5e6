/* SPDX-License-Identifier: MIT */
/* Referee for pairs of convex bodies: their signed gap between two certified bounds, from the
 * geometry alone.
 *
 * A body is a core swept by a ball. The gap is the largest s(n) over unit directions n, s(n) =
 * the least n . (y - x) over x in a and y in b: the distance when they are apart, minus the
 * depth when they overlap. Every direction gives a lower bound; apart, every pair of points an
 * upper one; overlapping, every closed surface around the origin, of triangles whose corners are
 * differences of points, minus its distance from there. Both searches, GJK and an expanding
 * polytope, run in long double and, where that leaves a doubt, in 113 bits. What they may get
 * wrong is the search, not the bounds: those hold for any direction, points and surface. */
#ifndef ABUT_ORACLE_CONVEX_PAIR_H
#define ABUT_ORACLE_CONVEX_PAIR_H

#include "abut/math.h"

typedef enum oracle_core {
    /* hull of the points: also spheres (the origin) and capsules (two points) */
    ORACLE_CORE_POINTS,
    ORACLE_CORE_BOX,      /* half extents h */
    ORACLE_CORE_CYLINDER, /* radius h.x, half height h.z, axis z */
    ORACLE_CORE_CONE,     /* base of radius h.x at -h.z, apex at h.z */
    ORACLE_CORE_ELLIPSOID,
    ORACLE_CORE_HALFSPACE /* h . x <= offset; without a ball */
} oracle_core;

typedef struct oracle_body {
    oracle_core core;
    abut_vec3 h;
    double offset;
    const abut_vec3 *points;
    size_t count;
    double radius, margin; /* the ball has the sum of both */
    bool flat;             /* no interior */
} oracle_body;

typedef struct oracle_convex {
    const oracle_body *a, *b;
    abut_pose pose_a, pose_b; /* the rotation is q / |q| */
} oracle_convex;

typedef struct oracle_gap {
    long double lo, hi;
    long double scale; /* distance of the origins plus both sizes */
    abut_vec3 normal;  /* unit, the direction of lo; zero for half-spaces */
} oracle_gap;

typedef enum oracle_effort {
    ORACLE_QUICK,    /* long double, a moderate number of steps */
    ORACLE_THOROUGH, /* long double, many */
    ORACLE_QUAD      /* 113 bits, many; good to about 1e-30 of the scale where it converges */
} oracle_effort;

/* Encloses the gap, and stops early once that is inside `goal`. hints: directions from a to b
 * (any length) thought to be nearly the normal; they save time and prove nothing. */
oracle_gap oracle_convex_gap(const oracle_convex *pair, const abut_vec3 *hints, int hint_count,
                             oracle_effort effort, long double goal_lo, long double goal_hi);
/* s(n), within *error. */
long double oracle_convex_separation(const oracle_convex *pair, abut_vec3 n, long double *error);
/* Support point of a placed body (core and ball) in the world, for building touching pairs; the
 * origin of the body's frame is the origin. */
void oracle_convex_support(const oracle_body *body, abut_quat rotation, const long double n[3],
                           long double out[3]);

#endif
