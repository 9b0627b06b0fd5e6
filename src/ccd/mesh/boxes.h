/* SPDX-License-Identifier: MIT */
/* The boxes of moving features: the first step of a query, and the last of most. Straight code
 * without branches on the data. */
#ifndef ABUT_CCD_MESH_BOXES_H
#define ABUT_CCD_MESH_BOXES_H

#include "ccd/mesh/lanes.h"

/* Along which axes a box is below or above the other at one instant: bits 0 and 1 are x and y below,
 * 2 is z below; 4, 5 and 6 above. */
static inline unsigned abut_impact_order(const abut_vec3 corners[4], bool edges, abut_lanes *sum)
{
    const double *x = (const double *)(const void *)corners;
    const abut_lanes xy0 = abut_lanes_pair(x), z0x1 = abut_lanes_pair(x + 2), yz1 = abut_lanes_pair(x + 4),
                     xy2 = abut_lanes_pair(x + 6), z2x3 = abut_lanes_pair(x + 8),
                     yz3 = abut_lanes_pair(x + 10);
    const abut_lanes xy1 = abut_lanes_between(z0x1, yz1), xy3 = abut_lanes_between(z2x3, yz3);
    /* first lanes only */
    const abut_lanes z1 = abut_lanes_swap(yz1), z3 = abut_lanes_swap(yz3);
    abut_lanes lo[2][2], hi[2][2]; /* [feature][xy or z] */
    lo[1][0] = abut_lanes_min(xy2, xy3);
    hi[1][0] = abut_lanes_max(xy2, xy3);
    lo[1][1] = abut_lanes_min(z2x3, z3);
    hi[1][1] = abut_lanes_max(z2x3, z3);
    if (edges) {
        lo[0][0] = abut_lanes_min(xy0, xy1);
        hi[0][0] = abut_lanes_max(xy0, xy1);
        lo[0][1] = abut_lanes_min(z0x1, z1);
        hi[0][1] = abut_lanes_max(z0x1, z1);
    } else {
        lo[0][0] = hi[0][0] = xy0;
        lo[0][1] = hi[0][1] = z0x1;
        lo[1][0] = abut_lanes_min(lo[1][0], xy1);
        hi[1][0] = abut_lanes_max(hi[1][0], xy1);
        lo[1][1] = abut_lanes_min(lo[1][1], z1);
        hi[1][1] = abut_lanes_max(hi[1][1], z1);
    }
    *sum = abut_lanes_add(abut_lanes_add(abut_lanes_add(xy0, z0x1), abut_lanes_add(yz1, xy2)),
                          abut_lanes_add(z2x3, yz3));
    return abut_lanes_below(hi[0][0], lo[1][0]) | (abut_lanes_below(hi[0][1], lo[1][1]) & 1) << 2 |
           abut_lanes_below(hi[1][0], lo[0][0]) << 4 | (abut_lanes_below(hi[1][1], lo[0][1]) & 1) << 6;
}

/* Are the boxes apart along an axis, on the same side at the start and at the end? In between,
 * bounds of points that move linearly are between the lines that join these, so both ends suffice.
 * Comparisons of the given numbers, so exact. *finite: no coordinate is infinite or not a number; 0
 * times the sum tells, so that it may be false where only the sum overflows. */
static inline bool abut_impact_apart(const abut_vec3 start[4], const abut_vec3 end[4], bool edges,
                                     bool *finite)
{
    abut_lanes sum[2];
    const unsigned order = abut_impact_order(start, edges, &sum[0]) & abut_impact_order(end, edges, &sum[1]);
    const abut_lanes all = abut_lanes_add(sum[0], sum[1]);
    *finite = (abut_lanes_start(all) + abut_lanes_end(all)) * 0 == 0;
    return order != 0;
}

#endif
