/* SPDX-License-Identifier: MIT */
/* Exact signs, -1, 0 or +1, of what is written, for every finite input, in every rounding mode
 * (IEEE doubles with gradual underflow are assumed). A floating filter answers first, expansions
 * decide the rest, and integers what leaves the range of doubles on the way. Where an input is
 * infinite or NaN there is no sign: ABUT_SIGN_UNDEFINED (2), and false. */
#ifndef ABUT_PREDICATES_H
#define ABUT_PREDICATES_H

#include "abut/math.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ABUT_SIGN_UNDEFINED 2

/* Sign of the area of triangle abc: +1 when a, b, c turn left. Points are (x, y). */
ABUT_API int abut_orient2d(const double a[2], const double b[2], const double c[2]);
/* Sign of det[a-d, b-d, c-d]: +1 when d lies below the plane through a, b, c, that is, a, b, c
 * appear counter-clockwise seen from the other side. */
ABUT_API int abut_orient3d(abut_vec3 a, abut_vec3 b, abut_vec3 c, abut_vec3 d);
ABUT_API bool abut_coplanar(abut_vec3 a, abut_vec3 b, abut_vec3 c, abut_vec3 d);
ABUT_API bool abut_collinear(abut_vec3 a, abut_vec3 b, abut_vec3 c);
/* Signs of determinants, rows one after another. */
ABUT_API int abut_det2_sign(const double m[4]);
ABUT_API int abut_det3_sign(const double m[9]);
ABUT_API int abut_det4_sign(const double m[16]);

#ifdef __cplusplus
}
#endif

#endif
