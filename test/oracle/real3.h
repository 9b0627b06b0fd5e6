/* SPDX-License-Identifier: MIT */
/* Vectors of long doubles, for referees. */
#ifndef ABUT_ORACLE_REAL3_H
#define ABUT_ORACLE_REAL3_H

#include "abut/math.h"

#include <math.h>

typedef long double real;

typedef struct vec {
    real x, y, z;
} vec;

static inline vec vec_of(abut_vec3 a)
{
    return (vec){ a.x, a.y, a.z };
}

static inline vec add(vec a, vec b)
{
    return (vec){ a.x + b.x, a.y + b.y, a.z + b.z };
}

static inline vec sub(vec a, vec b)
{
    return (vec){ a.x - b.x, a.y - b.y, a.z - b.z };
}

static inline vec times(real s, vec a)
{
    return (vec){ s * a.x, s * a.y, s * a.z };
}

/* a + s b */
static inline vec madd(vec a, real s, vec b)
{
    return (vec){ a.x + s * b.x, a.y + s * b.y, a.z + s * b.z };
}

static inline real dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec cross(vec a, vec b)
{
    return (vec){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

static inline vec unit(vec a)
{
    return times(1 / sqrtl(dot(a, a)), a);
}

#endif
