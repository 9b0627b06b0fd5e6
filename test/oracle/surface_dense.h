/* SPDX-License-Identifier: MIT */
/* Random pairs of bodies of all kinds that have surfaces, under motions of all kinds, written
 * down as objects of a scene and again as closed forms; and whether such a pair meets at an
 * instant, by halving space (or the parameters of a sheet) with bounds of how fast those forms
 * change. Shares nothing with the library. */
#ifndef TEST_ORACLE_SURFACE_DENSE_H
#define TEST_ORACLE_SURFACE_DENSE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct dense_body {
    char shape[1024], motion[1024]; /* JSON */
    const char *kind, *path;
    int form, way; /* of the shape, of the motion */
    bool sheet;
    double s[16]; /* sizes */
    double reach; /* of its points from its origin; infinite for a half-space */
    double from[3], to[3], curve[3], axis[3], turn[3], angle[3];
} dense_body;

typedef enum dense_verdict { DENSE_UNSURE = 0, DENSE_APART, DENSE_MEET } dense_verdict;

/* Over the time [0, 1]; the first is curved. */
void dense_make(uint64_t seed, dense_body out[2]);
/* At a time. Two sheets are left open. */
dense_verdict dense_judge(const dense_body b[2], double t);

#endif
