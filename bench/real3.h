/* SPDX-License-Identifier: MIT */
/* Vectors of long doubles, for the referees. */
#ifndef ABUT_BENCH_REAL3_H
#define ABUT_BENCH_REAL3_H

typedef long double real;

typedef struct vec {
    real x[3];
} vec;

static inline vec vec_sub(vec a, vec b)
{
    return (vec){ { a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2] } };
}

static inline real vec_dot(vec a, vec b)
{
    return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2];
}

static inline vec vec_cross(vec a, vec b)
{
    return (vec){ { a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2],
                    a.x[0] * b.x[1] - a.x[1] * b.x[0] } };
}

#endif
