/* SPDX-License-Identifier: MIT */
/* Exact contact of bodies that are placed exactly. */
#ifndef ABUT_NARROW_BREP_TOUCH_H
#define ABUT_NARROW_BREP_TOUCH_H

#include "narrow/pair/pair.h"

typedef struct abut_brep_contact {
    abut_vec3 point, normal; /* of the world; from a to b */
} abut_brep_contact;

/* Is it proved that the insides of the bodies are disjoint and that they have a common point? */
bool abut_brep_touch(const abut_pair *pair, abut_brep_contact *out);

/* Planes across the axes of the world that support the bodies from opposite sides, exactly: how many, and their
 * normals from a to b. */
int abut_brep_supporting_planes(const abut_pair *pair, abut_vec3 normals[6]);

#endif
