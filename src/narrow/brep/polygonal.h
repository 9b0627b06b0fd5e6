/* SPDX-License-Identifier: MIT */
/* Exact contact of CAD solids whose faces are polygons. */
#ifndef ABUT_NARROW_BREP_POLYGONAL_H
#define ABUT_NARROW_BREP_POLYGONAL_H

#include "narrow/pair/pair.h"

/* Is it decided, exactly, how they stand? Then *out, which comes zeroed, is the answer; else nothing in it
 * counts. The status is ABUT_ERR_MEMORY or ABUT_OK. */
abut_status abut_brep_ask_polygonal(const abut_pair *pair, abut_workspace *ws, bool *decided,
                                    abut_check_result *out);

#endif
