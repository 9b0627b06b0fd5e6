/* SPDX-License-Identifier: MIT */
/* Crossings of a line with the surface of a face, enclosed. */
#ifndef ABUT_SOLID_CROSSING_H
#define ABUT_SOLID_CROSSING_H

#include "solid/feature.h"

/* All t with at + t along on the part's surface (the sheet or nappe that the part is on), as disjoint
 * intervals that hold one simple crossing each. Number of them, at most four; -1 where that is not
 * decided: the line touches the surface, or passes its apex, as far as the enclosures tell. |t| > far is
 * not asked for: such crossings may be left out. The frame, radii and slopes of the part are taken as they
 * are stored. */
int abut_crossings(const abut_part *part, abut_vec3 at, abut_vec3 along, double far, abut_interval t[4]);

#endif
