/* SPDX-License-Identifier: MIT */
/* Bytes that queries are made of. Which numbers they are is for each harness to say; what is
 * made of numbers is the same in all. */
#ifndef ABUT_FUZZ_SOURCE_H
#define ABUT_FUZZ_SOURCE_H

#include "abut/math.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct source {
    const uint8_t *at, *end;
    /* a number was so large or small that products of it leave the doubles; kept where that
     * matters */
    bool extreme;
} source;

/* Zeros behind the end. */
static inline uint8_t next_byte(source *s)
{
    return s->at < s->end ? *s->at++ : 0;
}

/* Any double there is. */
static inline double next_bits(source *s)
{
    uint64_t bits = 0;
    double value;
    for (int i = 0; i < 8; ++i)
        bits = bits << 8 | next_byte(s);
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double next_number(source *s); /* the harness has it */

static inline abut_vec3 next_vector(source *s)
{
    const double x = next_number(s), y = next_number(s), z = next_number(s);
    return (abut_vec3){ x, y, z };
}

static inline abut_pose next_pose(source *s)
{
    abut_pose pose = abut_pose_identity();
    pose.position = next_vector(s);
    if (next_byte(s) & 1) {
        const double w = next_number(s);
        const abut_vec3 v = next_vector(s);
        pose.rotation = (abut_quat){ w, v.x, v.y, v.z };
    }
    return pose;
}

#endif
