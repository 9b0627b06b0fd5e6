/* SPDX-License-Identifier: MIT */
/* First contact of two smooth bodies that move rigidly, by dense sampling and Newton's method in
 * long double. Shares nothing with the library: bodies are C functions, given twice, as points by
 * two parameters and as a function that is negative inside.
 *
 * The gap at a time is the least value of the inside function of b over the surface of a: all of
 * a grid, then the best cells polished. Time advances by the gap over a bound of the relative
 * speed, so that no contact is passed; close to one, Newton's method on "value and both
 * derivatives by the parameters are 0" finds it to some 1e-15. */
#ifndef TEST_ORACLE_SURFACE_REFEREE_H
#define TEST_ORACLE_SURFACE_REFEREE_H

#include <stdbool.h>

typedef long double real;

typedef struct referee_body referee_body;

struct referee_body {
    /* A point of the surface; all of it for u in [0, 2 pi] and v in [v_lo, v_hi]. */
    void (*point)(const referee_body *self, real u, real v, real p[3]);
    /* Negative inside, 0 on the surface; changes by no more than `steepness` times the distance. */
    real (*inside)(const referee_body *self, const real p[3]);
    real v_lo, v_hi;
    bool v_closed;
    real steepness, reach; /* of its points from its origin */
    real size[3];          /* radii; or major, minor; or amplitude */
    int waves[2];
    /* Position at 0, quaternion (w, x, y, z) of any length, linear and angular velocity in the
     * world. */
    real position[3], rotation[4], linear[3], angular[3];
};

/* Torus about z (size: major, minor); ellipsoid (radii); superquadric x^4 / a^4 + ... = 1
 * (radii); bumpy ball r = 1 + amplitude sin(waves[0] u) cos(v)^waves[0] sin(waves[1] v) in the
 * direction (u, v). */
void referee_torus(referee_body *b, real major, real minor);
void referee_ellipsoid(referee_body *b, real x, real y, real z);
void referee_superquadric(referee_body *b, real x, real y, real z);
void referee_bumpy(referee_body *b, real amplitude, int waves_u, int waves_v);

typedef enum referee_verdict {
    REFEREE_UNSURE = 0, /* a graze, or Newton's method failed */
    REFEREE_CONTACT,
    REFEREE_SEPARATE,
    REFEREE_OVERLAPPING
} referee_verdict;

typedef struct referee_contact {
    referee_verdict verdict;
    real time, point[3];
    real least; /* SEPARATE: the least gap seen */
    int rivals; /* other places that touch within 1e-6 of the time */
} referee_contact;

/* In [0, end]. `grid`: samples a parameter. */
void referee_first_contact(const referee_body *a, const referee_body *b, real end, int grid,
                           referee_contact *out);
/* The gap at one time, and where; polished. For bodies that are apart, a bound from below of
 * nothing: only its sign counts. */
real referee_gap(const referee_body *a, const referee_body *b, real t, int grid, real point[3]);
/* Distance of two surfaces at time 0, by sampling both and Newton's method on the squared
 * distance. */
real referee_distance(const referee_body *a, const referee_body *b, int grid);

#endif
