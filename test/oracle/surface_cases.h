/* SPDX-License-Identifier: MIT */
/* Random pairs of smooth bodies, made twice: as shapes and motions of the library, and as the
 * referee's functions. */
#ifndef TEST_ORACLE_SURFACE_CASES_H
#define TEST_ORACLE_SURFACE_CASES_H

#include "abut/motion.h"
#include "abut/shape.h"
#include "oracle/surface_referee.h"

#include <stdint.h>

typedef struct surface_case {
    abut_shape *shape[2];
    abut_motion *motion[2];
    abut_pose pose[2]; /* at time 0 */
    referee_body body[2];
    const char *kind[2];
} surface_case;

/* Over the time [0, 1]. At least one of the two is a torus, parametric or implicit; `apart`:
 * their balls are apart at the start, otherwise they stand anywhere near each other. */
void surface_case_make(uint64_t seed, bool apart, surface_case *out);
void surface_case_release(surface_case *c);

#endif
