/* SPDX-License-Identifier: MIT */
/* Surfaces of explicit solids by their implicit functions. */
#ifndef ABUT_SOLID_SURFACE_H
#define ABUT_SOLID_SURFACE_H

#include "abut/solid.h"
#include "math/vec3.h"

/* Signed distance from p to the surface (of a quadric to first order), positive on the side that
 * its own normal points to, and that normal at the level of p; `axis` is of unit length. */
double abut_surface_at(const abut_solid_surface *s, abut_vec3 p, abut_vec3 *normal);

#endif
