/* SPDX-License-Identifier: MIT */
/* The relation of two ellipsoids, by exact arithmetic; see ellipsoid_exact.c and
 * docs/notes/ellipsoids-static.md. */
#ifndef ABUT_NARROW_ELLIPSOID_ELLIPSOID_EXACT_H
#define ABUT_NARROW_ELLIPSOID_ELLIPSOID_EXACT_H

#include "abut/ellipsoid.h"

/* A map that is rational in time, at a time of [t0, t1]: with p = t - t0, q = t1 - t0 and n =
 * count - 1 the sum of choose(n, i) b_i p^i (q - p)^(n - i) over q^n, or b_0 + p b_1 where it is
 * steady. */
typedef struct abut_ellipsoid_path {
    const abut_affine *b;
    size_t count;
    bool steady;
    double t0, t1, t;
} abut_ellipsoid_path;

/* An ellipsoid that is known exactly: the one with these semi-axes, under `map`, or where `pose`
 * has it, whose rotation is that of q / |q|: its matrix is rational in the parts of q; or where
 * `path` has it, if that is not NULL. Everything is finite, the radii positive. */
typedef struct abut_ellipsoid_given {
    abut_vec3 radii;
    bool posed;
    abut_affine map;
    abut_pose pose;
    const abut_ellipsoid_path *path;
} abut_ellipsoid_given;

typedef struct abut_ellipsoid_exact_relation {
    /* UNKNOWN only where the memory of big numbers does not do: never for two maps of doubles */
    abut_ellipsoid_relation relation;
    bool inner_touch;
} abut_ellipsoid_exact_relation;

/* Neither may be singular. Without `nested`, those whose interiors meet are all said to be
 * CROSSING. */
abut_ellipsoid_exact_relation abut_ellipsoid_exact(const abut_ellipsoid_given *a,
                                                   const abut_ellipsoid_given *b, bool nested);
/* The sign of a determinant: 0 where the map is singular. */
int abut_ellipsoid_exact_determinant(const abut_mat3 *m);
/* Whether an ellipsoid under a map is a ball whose radius is a double. */
bool abut_ellipsoid_exact_ball(const abut_ellipsoid_given *a, double *radius);
/* On which side of the plane normal . x = offset the image of the unit ball is: -1 where all of
 * it is strictly below, 1 strictly above, 0 neither (or memory is out). */
int abut_ellipsoid_exact_plane(const abut_affine *map, abut_vec3 normal, double offset);
/* Whether a point is outside (1), on (0) or inside (-1) an ellipsoid; ABUT_SIGN_UNKNOWN where
 * memory is out. */
int abut_ellipsoid_exact_point(const abut_ellipsoid_given *a, abut_vec3 p);

#endif
