/* SPDX-License-Identifier: MIT */
/* The portal of two bodies that translate, inside cast_portal.c and cast_hulls.c; the method
 * is reported there. */
#ifndef ABUT_CCD_CAST_CAST_PORTAL_H
#define ABUT_CCD_CAST_CAST_PORTAL_H

#include "ccd/cast/linear_cast.h"

typedef struct abut_portal_corner {
    abut_convex_point p;
    abut_vec3 round; /* z x p.w */
} abut_portal_corner;

typedef struct abut_portal {
    const abut_linear_cast *c;
    abut_vec3 z;
    abut_portal_corner room[4];
    abut_portal_corner *at[3], *spare;
    abut_vec3 d;   /* the last direction evaluated, to the spare corner: from b to a, hence up */
    double shrink; /* what makes products of two edges about as long as 1 */
    uint32_t supports;
    uint32_t seen[2]; /* of hulls: the vertices that may be furthest along d, and against it */
    bool flat_faced;  /* both are polytopes */
    bool hulls;       /* they are for cast_hulls.c */
} abut_portal;

typedef enum abut_portal_end {
    ABUT_PORTAL_FOUND,  /* three corners round the origin, and none of K beyond them */
    ABUT_PORTAL_MISSED, /* d is across the velocity and parts the bodies */
    ABUT_PORTAL_LOST
} abut_portal_end;

/* cast_hulls.c: two hulls of which all vertices are examined, and by AVX2. */
bool abut_portal_takes_hulls(const abut_convex_pair *pair);
abut_portal_end abut_portal_search_hulls(abut_portal *k);
/* Of hulls that were searched so: known to touch in one point only, in these features. False:
 * not known. */
bool abut_portal_hulls_cross(const abut_portal *k, const abut_feature features[2]);
/* abut_simplex_margin, for those who may use that unit. */
double abut_portal_margin(const abut_vec3 w[4]);

#endif
