/* SPDX-License-Identifier: MIT */
#ifndef ABUT_CCD_ELLIPSOID_ELLIPSOID_SINGULAR_H
#define ABUT_CCD_ELLIPSOID_ELLIPSOID_SINGULAR_H

#include "motion/motion.h"

/* Whether the linear part of the motion may be singular within the range, and the first stretch
 * of time where it may: true where it cannot be distinguished from a singular one. The motion has
 * enclosures. */
bool abut_ellipsoid_singular_within(const abut_motion *motion, abut_interval range, abut_interval *at);

#endif
