/* SPDX-License-Identifier: MIT */
/* Vectors, rotations and places at random. */
#ifndef ABUT_TEST_PLACES_H
#define ABUT_TEST_PLACES_H

#include "support/test.h"

#include "abut/motion.h"

static inline abut_vec3 v3(double x, double y, double z)
{
    return (abut_vec3){ x, y, z };
}

/* Uniform in the cube [-size, size]^3. */
static inline abut_vec3 random_vec3(test_random *r, double size)
{
    return v3(test_uniform(r, -size, size), test_uniform(r, -size, size), test_uniform(r, -size, size));
}

/* Not of length 1, and not uniform over the rotations: denser where the cube has its corners. */
static inline abut_quat random_quat(test_random *r)
{
    return (abut_quat){ test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1),
                        test_uniform(r, -1, 1) };
}

static inline abut_quat quat_product(abut_quat p, abut_quat q)
{
    return (abut_quat){ p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z,
                        p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
                        p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x,
                        p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w };
}

/* Turned about any axis. */
static inline abut_placement turned_placement(test_random *r, double size)
{
    return (abut_placement){ .position = random_vec3(r, size),
                             .rotation = { ABUT_ROTATION_RADIANS, .axis = random_vec3(r, 1),
                                           .angle = test_uniform(r, -3, 3) } };
}

/* -n .. n */
static inline int random_integer(test_random *r, int n)
{
    return (int)test_below(r, (unsigned)(2 * n + 1)) - n;
}

static inline abut_vec3 grid_point(test_random *r, int n)
{
    return v3(random_integer(r, n), random_integer(r, n), random_integer(r, n));
}

/* -4 .. 4 */
static inline double small_integer(test_random *r)
{
    return (double)test_below(r, 9) - 4;
}

/* Three small integers, or none. */
static inline abut_vec3 small_vec3(test_random *r, bool integers)
{
    return integers ? v3(small_integer(r), small_integer(r), small_integer(r)) : random_vec3(r, 3);
}

#endif
