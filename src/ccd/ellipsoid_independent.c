/* SPDX-License-Identifier: MIT */
/* Two ellipsoids on motions that run independently. */
#include "abut/ellipsoid.h"

#include <math.h>

void abut_independent_opts_init(abut_independent_opts *opts)
{
    *opts = (abut_independent_opts){ .struct_size = sizeof *opts, .s = { NAN, NAN }, .t = { NAN, NAN } };
}

abut_status abut_independent_contact(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                                     const abut_motion *motion_b, const abut_independent_opts *opts,
                                     abut_workspace *ws, abut_cover_interval *s_intervals, size_t s_capacity,
                                     abut_cover_interval *t_intervals, size_t t_capacity,
                                     abut_extreme_point *extremes_s, size_t extremes_s_capacity,
                                     abut_extreme_point *extremes_t, size_t extremes_t_capacity,
                                     abut_independent_result *out)
{
    (void)a;
    (void)motion_a;
    (void)b;
    (void)motion_b;
    (void)opts;
    (void)ws;
    (void)s_intervals;
    (void)s_capacity;
    (void)t_intervals;
    (void)t_capacity;
    (void)extremes_s;
    (void)extremes_s_capacity;
    (void)extremes_t;
    (void)extremes_t_capacity;
    (void)out;
    return ABUT_ERR_UNSUPPORTED;
}
