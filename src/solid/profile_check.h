/* SPDX-License-Identifier: MIT */
/* Validation of profiles. */
#ifndef ABUT_SOLID_PROFILE_CHECK_H
#define ABUT_SOLID_PROFILE_CHECK_H

#include "solid/profile.h"

/* Every pair of sides is examined, box against box. */
#define ABUT_PROFILE_MOST_SIDES 20000

/* Corners of one loop: finite, neighbours distinct, in the half-plane of a revolve. `first` is the
 * number of its first side. */
abut_status abut_profile_check_loop(const abut_profile_loop *loop, size_t number, size_t first,
                                    abut_profile_kind kind, abut_error *error);
/* Sides that meet elsewhere than at common ends, loops turned the wrong way, holes outside or inside
 * one another, arcs beyond the axis. */
abut_status abut_profile_check(const abut_profile *profile, abut_profile_kind kind, abut_error *error);

/* Is p inside of one loop, whichever way it turns? */
bool abut_profile_loop_contains(const abut_profile *profile, size_t loop, abut_xy p);

#endif
