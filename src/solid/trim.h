/* SPDX-License-Identifier: MIT */
/* Faces of explicit solids: is a point of the surface in the face? */
#ifndef ABUT_SOLID_TRIM_H
#define ABUT_SOLID_TRIM_H

#include "solid/solid.h"

/* 1: in the face, 0: not, -1: on or within the tolerance of its border, or not decided. p is near
 * the surface, in the solid's frame. */
int abut_trim_contains(const abut_solid *solid, uint32_t face, abut_vec3 p);
/* Lower bound of the distance of p from the edges of a face. */
double abut_trim_clearance(const abut_solid *solid, uint32_t face, abut_vec3 p);
/* The ranges of angles that the faces on tori and spheres span, in solid->spans; false when memory is out. */
bool abut_trim_spans(abut_solid *solid, abut_workspace *keep);
/* Finds on which side of the loops the reference points are; errors name faces whose loops do not
 * agree with each other. */
abut_status abut_trim_prepare(abut_solid *solid, abut_workspace *keep, abut_error *error);

#endif
