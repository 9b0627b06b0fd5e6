/* SPDX-License-Identifier: MIT */
/* Volume and area. */
#ifndef ABUT_SOLID_MASS_H
#define ABUT_SOLID_MASS_H

#include "solid/solid.h"

void abut_solid_mass_extrude(abut_solid *solid);
void abut_solid_mass_revolve(abut_solid *solid);

#endif
