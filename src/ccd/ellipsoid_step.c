/* SPDX-License-Identifier: MIT */
/* A step of two characters made of ellipsoids. */
#include "abut/ellipsoid.h"

abut_status abut_ellipsoid_step(const abut_moving_ellipsoid *a, size_t a_count,
                                const abut_moving_ellipsoid *b, size_t b_count, abut_workspace *ws,
                                abut_step_contact *contacts, size_t capacity, size_t *count,
                                abut_step_counters *counters)
{
    (void)a;
    (void)a_count;
    (void)b;
    (void)b_count;
    (void)ws;
    (void)contacts;
    (void)capacity;
    (void)count;
    (void)counters;
    return ABUT_ERR_UNSUPPORTED;
}
