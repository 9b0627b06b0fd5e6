/* SPDX-License-Identifier: MIT */
/* Bodies turned about the axis along which they rest on each other. */
#ifndef ABUT_NARROW_CONVEX_UPRIGHT_H
#define ABUT_NARROW_CONVEX_UPRIGHT_H

#include "narrow/pair/pair.h"

/* Sign of the gap of two shapes with cores (radii included), 0 where they touch, 1 where they
 * are apart, both proved by support values that are exact along an axis of the world;
 * ABUT_SIGN_UNKNOWN elsewhere. */
int abut_upright_sign(const abut_pair *pair);

#endif
