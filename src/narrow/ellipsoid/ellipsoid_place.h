/* SPDX-License-Identifier: MIT */
/* Ellipsoids and balls where motions that need not be rigid have them; see ellipsoid_place.c. */
#ifndef ABUT_NARROW_ELLIPSOID_ELLIPSOID_PLACE_H
#define ABUT_NARROW_ELLIPSOID_ELLIPSOID_PLACE_H

#include "narrow/ellipsoid/ellipsoid_exact.h"
#include "narrow/pair/pair.h"

/* A sphere or an ellipsoid. */
bool abut_is_ellipsoid(const abut_shape *shape);
abut_vec3 abut_ellipsoid_radii(const abut_shape *shape);

/* Where a motion has a shape at t. *body is the shape, or for those above under a map that is
 * not rigid *image, an ellipsoid that represents the image and must live as long. Other shapes
 * under such maps: ABUT_ERR_UNSUPPORTED. A map that is singular there, or cannot be distinguished from
 * one: ABUT_ERR_VALUE. */
abut_status abut_place_of(const abut_shape *shape, const abut_motion *motion, double t, abut_shape *image,
                          abut_place *out, const abut_shape **body);

/* The ellipsoid exactly, where the placement is exact. The shape is the *body of abut_place_of. */
bool abut_place_given(const abut_shape *shape, const abut_place *place, abut_ellipsoid_given *out);
/* The sign of the gap of two such, by exact arithmetic; ABUT_SIGN_UNKNOWN where they are not
 * known exactly. */
int abut_ellipsoid_pair_sign(const abut_pair *pair);
int abut_ellipsoid_given_sign(const abut_ellipsoid_given *a, const abut_ellipsoid_given *b);
/* Whether a point is outside (1), on (0) or inside (-1); `at`: the enclosure of the map where
 * that is not rigid, or NULL. */
int abut_ellipsoid_point_side(const abut_shape *shape, const abut_place *place,
                              const abut_interval_affine *at, abut_vec3 p);

#endif
