/* SPDX-License-Identifier: MIT */
/* Two moving edges: what is their own in the steps of impact.h. */
#include "ccd/mesh/impact.h"

static inline double least(double a, double b)
{
    return a < b ? a : b;
}

static inline double most(double a, double b)
{
    return a > b ? a : b;
}

bool abut_impact_apart_edge_edge(const abut_vec3 start[4], const abut_vec3 end[4])
{
    const double *s = &start[0].x, *e = &end[0].x;
    bool apart = false;
    for (int k = 0; k < 3; ++k) {
        const double lo = least(least(s[k], e[k]), least(s[k + 3], e[k + 3])),
                     hi = most(most(s[k], e[k]), most(s[k + 3], e[k + 3]));
        const double other_lo = least(least(s[k + 6], e[k + 6]), least(s[k + 9], e[k + 9])),
                     other_hi = most(most(s[k + 6], e[k + 6]), most(s[k + 9], e[k + 9]));
        apart |= (hi < other_lo) | (lo > other_hi);
    }
    return apart;
}

/* c12 and c13 say on which side of the first edge's line the ends of the second are, c23 and c23 + c12 - c13 the reverse. Equal signs mean apart; parallel edges in one plane meet only if
 * all are zero. */
int abut_impact_inside_edge_edge(double c12, double c13, double c23, double error)
{
    const double opposite = (c23 + c12) - c13;
    const double wide = 4 * error;
    if (((c12 > error) & (c13 > error)) | ((c12 < -error) & (c13 < -error)))
        return -1;
    if (((c23 > error) & (opposite > wide)) | ((c23 < -error) & (opposite < -wide)))
        return -1;
    const bool first = ((c12 > error) & (c13 < -error)) | ((c12 < -error) & (c13 > error)),
               second = ((c23 > error) & (opposite < -wide)) | ((c23 < -error) & (opposite > wide));
    return first & second;
}
