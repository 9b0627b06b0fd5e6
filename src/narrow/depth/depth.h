/* SPDX-License-Identifier: MIT */
/* Ways to the depth that need no polytope: tried first by abut_convex_depth. */
#ifndef ABUT_NARROW_DEPTH_DEPTH_H
#define ABUT_NARROW_DEPTH_DEPTH_H

#include "narrow/distance/convex.h"

/* depth_ellipsoid.c: two ellipsoids, or one and a point, from out->normal and some other
 * directions, or from unit *last alone, which was the normal a moment ago. True when the depth
 * is enclosed; otherwise nothing is written but the work done. */
bool abut_depth_of_ellipsoids(const abut_convex_pair *pair, const abut_vec3 *last, abut_convex_answer *out);

/* depth_hulls.c: two hulls of up to 256 vertices; needs nothing that GJK would find. True when
 * they overlap and the depth is enclosed; otherwise only the work done is added, and soon so
 * where the line of centres parts them. `cache` may be NULL. */
bool abut_depth_of_hulls(const abut_convex_pair *pair, abut_cache *cache, abut_convex_answer *out);

/* depth.c: any cores; what abut_convex_depth does where there is no other way. */
void abut_depth_by_polytope(const abut_convex_pair *pair, const abut_simplex *simplex,
                            abut_convex_answer *out);

/* Directions around u in which K is proved to reach far enough. */
typedef struct abut_depth_cap {
    abut_vec3 u;   /* unit, outward: minus the normal */
    double cosine; /* of its angle: -1 for the whole sphere */
    /* max over K of v . w >= radius - 4 pair->error for every unit v with u . v >= cosine */
    double radius;
    abut_vec3 x, y; /* witnesses at u */
} abut_depth_cap;

/* depth_cap.c: a cap about unit u, where the support function of K has a local minimum of about
 * f > 0; false where there is none, and only the witnesses are set. */
bool abut_depth_cap_at(const abut_convex_pair *pair, abut_vec3 u, double f, abut_depth_cap *out);

/* depth_cylinders.c: cylinders and cones, where *axis (for NULL: the line of centres) does not part
 * them; needs nothing that GJK would find. True when the depth is enclosed; otherwise *out holds
 * nothing but the work done and a direction to go on from. */
bool abut_depth_of_cylinders(const abut_convex_pair *pair, const abut_vec3 *axis, abut_convex_answer *out);

/* depth_coaxial.c: bodies of revolution about one line, or nearly so. True when the depth is
 * enclosed; otherwise what was proved is kept. */
bool abut_depth_of_coaxial(const abut_convex_pair *pair, abut_convex_answer *out);

/* depth_arc.c: a body that is turned about an axis, as part of K. */
typedef struct abut_depth_solid {
    abut_core_kind kind;
    abut_vec3 axis; /* unit; of a cone, towards its apex */
    double rho[2],
        /* the circles that it is the hull of, and where; of a spheroid, the semi-axes rho[0]
         * across and z[0] along */
        z[2];
    double size;
} abut_depth_solid;

/* False for other cores. axis: those of its frame; sign: 1 or -1, for a body that is part of K
 * or minus one. */
bool abut_depth_set_solid(const abut_core *core, const abut_vec3 axis[3], double sign, abut_depth_solid *out);
static inline bool abut_depth_is_ball(const abut_depth_solid *k)
{
    return k->kind == ABUT_CORE_ELLIPSOID && k->rho[0] == k->z[0];
}

/* A point of the other body, and the rim it is on. */
typedef struct abut_depth_touch {
    abut_vec3 w;       /* from the origin of K, with the solid's middle added */
    abut_vec3 axis, p; /* unit: the rim's axis, and from its middle to the point */
    double r;          /* 0: no rim */
} abut_depth_touch;

/* The point furthest out along v of an ellipsoid, a disc (h[2] = 0) or a point, as |M v| + at .
 * v has it: depth_cells.c. */
void abut_depth_set_touch(abut_vec3 at, const double h[3], const abut_vec3 axis[3], abut_vec3 v,
                          abut_depth_touch *out);
/* Certified but for rounding below 2^-46 of the sizes: what the touch and the solid reach
 * together is at least `least` > 0 along every unit v in the cone over a convex polygon,
 * counter-clockwise from outside. */
bool abut_depth_is_deep_about(const abut_depth_solid *solid, const abut_depth_touch *touch,
                              const abut_vec3 *corner, int count, double least);

/* depth_cells.c: what others left wide, by branch and bound over directions, from out->normal
 * and out->lo on; all but user's bodies. Keeps what is better. */
void abut_depth_by_cells(const abut_convex_pair *pair, abut_convex_answer *out);

#endif
