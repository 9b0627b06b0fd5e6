/* SPDX-License-Identifier: MIT */
/* The steps of a query about a vertex and a face, or two edges, whose corners move linearly
 * (abut/triangle.h): bounds, doubles with error bounds, exact arithmetic.
 *
 * Both kinds are put in the same terms. With r1, r2, r3 the positions of corners 1 to 3 relative
 * to corner 0, the corners are in one plane where the cubic det(r1, r2, r3) is zero. Then
 * everything else is decided by the signs of components of r1 x r2, r1 x r3 and r2 x r3, which
 * are quadratic, and in the worst of cases by those of r1, r2 and r3. */
#ifndef ABUT_CCD_MESH_IMPACT_H
#define ABUT_CCD_MESH_IMPACT_H

#include "abut/triangle.h"
#include "ccd/mesh/lanes.h"

/* Corners that are not doubles themselves but known by them: at the start (when = 0) and at the
 * end (1) of the unit of time, a corner of this body is
 *     (weight[when][0] (p[0] + shift[0]) + weight[when][1] (p[1] + shift[1])) / divisor
 * in exact arithmetic. Weights and divisor are sums of two doubles; the divisor is positive. */
typedef struct abut_impact_body {
    double weight[2][2][2]; /* [when][of p[0] or p[1]] */
    double divisor[2];
    abut_vec3 shift[2];
} abut_impact_body;

typedef struct abut_impact_wide {
    const abut_impact_body *body[4];
    const abut_vec3 *p[4][2];
} abut_impact_wide;

/* start and end are the corners, or where blur is not 0, rounded: no coordinate k of a corner is
 * further than blur[k] from what it should be. `wide`: what it should be exactly; NULL where that
 * is not known, and some answers are undecided then. */
typedef struct abut_impact_query {
    const abut_vec3 *start, *end;
    bool edges;
    double blur[3];
    const abut_impact_wide *wide;
} abut_impact_query;

/* What decided. */
typedef enum abut_impact_step {
    ABUT_IMPACT_OPEN = 0, /* not decided yet */
    ABUT_IMPACT_BOXES,
    ABUT_IMPACT_COPLANARITY,
    ABUT_IMPACT_ROOTS,
    ABUT_IMPACT_EXACT
} abut_impact_step;

/* The contact that doubles found. */
typedef struct abut_impact_found {
    bool contact;
    abut_interval time;
    uint64_t times, signs;
} abut_impact_found;

/* Is the common point of the planes inside both features, given c12, c13, c23: one component of
 * the crosses above at that time, good to `error` each? 1: yes, -1: no, 0: not known. */
int abut_impact_inside_vertex_face(double c12, double c13, double c23, double error);
int abut_impact_inside_edge_edge(double c12, double c13, double c23, double error);

/* Doubles with error bounds, in two steps. What the first hands to the second: */
typedef struct abut_impact_moving {
    abut_lanes r[3][3]; /* r1, r2, r3 at the start and at the end, rounded */
    double size[3];     /* M_x, M_y, M_z */
    double product;     /* M */
    double off[3];      /* e_x, e_y, e_z */
    double doubt;       /* by which the cubic is off besides, in parts of M */
} abut_impact_moving;

typedef struct abut_impact_cubic {
    double c[4]; /* homogeneous */
    double p[4]; /* powers of t: these only steer, but for the slope */
} abut_impact_cubic;

typedef struct abut_impact_state {
    abut_impact_moving moving;
    abut_impact_cubic cubic;
} abut_impact_state;

/* BOXES or COPLANARITY where they are apart, ROOTS where the roots of the cubic tell, OPEN where only
 * exact arithmetic does. Both in rounding to nearest. */
abut_impact_step abut_impact_begin(const abut_impact_query *query, const abut_impact_corners *corners,
                                   abut_impact_state *state);
/* ROOTS, or OPEN where doubles do not decide. Contacts are searched for up to t_max. */
abut_impact_step abut_impact_search(const abut_impact_query *query, abut_impact_state *state, double t_max,
                                    double accuracy, abut_impact_found *found);

/* One query of any kind, in rounding to nearest, with options that are known to be valid. Without
 * `wide`, where blur is not 0: proof INTERVAL, or undecided. */
abut_status abut_impact_run(const abut_impact_query *query, const abut_impact_opts *opts,
                            abut_impact_result *out);

/* The sign of det(r1, r2, r3) at a time t in [0, 1], for r1, r2, r3 the positions of corners 1 to
 * 3 relative to corner 0: on which side of the plane of 1, 2, 3 corner 0 is. In *sign: -1, 0, 1, or
 * ABUT_IMPACT_UNKNOWN where blur is not 0 and there is no `wide`. */
enum { ABUT_IMPACT_UNKNOWN = 2 };
abut_status abut_impact_side(const abut_impact_query *query, double t, const abut_allocator *alloc,
                             int *sign);
/* The two steps of it: doubles, UNKNOWN where they do not decide; exact arithmetic. */
int abut_impact_side_filter(const abut_impact_query *query, const abut_impact_corners *corners, double t);
abut_status abut_impact_side_exact(const abut_impact_query *query, double t, const abut_allocator *alloc,
                                   int *sign);

/* Exact arithmetic: decides everything. Fills in verdict, proof, time, coplanar, intervals and
 * counters. */
abut_status abut_impact_exact(const abut_impact_query *query, const abut_impact_opts *opts,
                              abut_impact_result *out);

/* Point, normal and parameters of a contact at out->time. */
void abut_impact_place(const abut_impact_query *query, abut_impact_result *out);

#endif
