/* SPDX-License-Identifier: MIT */
/* Two moving edges: what is their own in the steps of impact.h. */
#include "ccd/mesh/impact.h"

/* c12 and c13 say on which side of the first edge's line the ends of the second are, c23 and c23
 * + c12 - c13 the reverse. Equal signs mean apart; parallel edges in one plane meet only if all
 * are zero. */
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
