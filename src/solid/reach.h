/* SPDX-License-Identifier: MIT */
/* Farthest distances and extents of the parts of a solid, for its bounding volumes. */
#ifndef ABUT_SOLID_REACH_H
#define ABUT_SOLID_REACH_H

#include "solid/solid.h"

/* What is searched for: the point farthest from `from`, or farthest along `direction` (of unit length). */
typedef struct abut_reach_query {
    bool along; /* a direction; else a distance */
    abut_vec3 from, direction;
} abut_reach_query;

typedef struct abut_reach {
    double lo, hi;   /* the greatest distance (or product with the direction) lies in here */
    abut_vec3 point; /* of the solid, that gives lo */
    uint64_t cells;  /* examined */
} abut_reach;

/* Over all features, within `accuracy` of the scale where the budget of cells allows. */
void abut_solid_reach(const abut_solid *solid, const abut_reach_query *query, double accuracy,
                      abut_reach *out);

#endif
