/* SPDX-License-Identifier: MIT */
/* Queries at extreme times, asked in another unit of time. */
#ifndef ABUT_CCD_TIME_UNIT_H
#define ABUT_CCD_TIME_UNIT_H

#include "abut/query.h"
#include "motion/retimed.h"

/* The same question in a unit of time in which the larger end of the range is about 1. Answers
 * are the same but for their times. */
typedef struct abut_time_unit {
    const abut_motion *motion_a, *motion_b;
    abut_first_opts opts;
    abut_interval range; /* as it was asked for */
    int exponent;
    abut_first_point_fn on_point;
    void *on_point_ctx;
    abut_retimed a, b;
} abut_time_unit;

/* False where times are usual, or the question is better asked as it is: nothing else is set
 * then. `range` is the time meant by opts. */
bool abut_time_unit_begin(const abut_motion *motion_a, const abut_motion *motion_b,
                          const abut_first_opts *opts, abut_interval range, abut_time_unit *out);
/* Times of the answer, as they were asked for. */
void abut_time_unit_end(const abut_time_unit *unit, abut_first_result *out);
abut_interval abut_time_unit_back(const abut_time_unit *unit, abut_interval time);

#endif
