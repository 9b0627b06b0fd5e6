/* SPDX-License-Identifier: MIT */
/* A motion seen in another unit of time, over a part of its range: for queries whose durations
 * are so extreme that products of rates under- or overflow. */
#ifndef ABUT_MOTION_RETIMED_H
#define ABUT_MOTION_RETIMED_H

#include "motion/leg.h"

/* Lives as long as the query that it is made for; holds no reference. */
typedef struct abut_retimed {
    abut_motion base;
    const abut_motion *of;
    abut_interval time; /* the part, as `of` counts it */
    int exponent;       /* a unit of time here is 2^exponent there */
    abut_leg *leg;      /* the one asked for last is here, */
    /* from which those who hold pointers to it take them again at the next key */
    abut_leg room;
} abut_retimed;

/* |exponent| <= 1000. False where the motion has no enclosures, or the time is not within its
 * range. */
bool abut_motion_retime(const abut_motion *motion, abut_interval time, int exponent, abut_retimed *out);
/* The time as it is counted there. Where that is no double, both round outward. */
abut_interval abut_retimed_from(abut_interval time, int exponent);
/* The same back, within `range`. */
abut_interval abut_retimed_back(abut_interval time, int exponent, abut_interval range);

#endif
